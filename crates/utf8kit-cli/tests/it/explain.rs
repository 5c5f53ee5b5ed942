//! Tests `utf8 explain`.

use std::fs;

use crate::common::{damaged, lines, messages, run_in, run_with, status, text, unhex, vectors};
use serde_json::{Value, json};

/// Returns the fields that the vectors also have.
fn item(line: &Value) -> Value {
    match line["type"].as_str() {
        Some("char") => json!({"offset": line["offset"], "len": line["len"], "cp": line["cp"]}),
        _ => json!({"offset": line["offset"], "len": line["len"], "kind": line["kind"]}),
    }
}

#[test]
fn vectors_hold() {
    let cases = vectors("explain");
    assert!(cases.len() > 200);
    for case in &cases {
        let (from, hex) = (case["from"].as_str().unwrap(), case["input_hex"].as_str().unwrap());
        let output = run_with(b"", ["explain", "--encoding", from, "--format", "jsonl", "--hex", hex]);
        assert_eq!(status(&output), 0, "{}", case["id"]);
        let items: Vec<_> = lines(&output).iter().map(item).collect();
        assert_eq!(json!(items), case["items"], "{}", case["id"]);
        let joined: String = lines(&output).iter().map(|line| line["bytes"].as_str().unwrap().to_owned()).collect();
        assert_eq!(joined, hex.to_lowercase(), "{}", case["id"]);
    }
}

#[test]
fn every_way_in_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("euro"), "\u{20AC}").unwrap();
    let expected = text(&run_with(b"", ["explain", "\u{20AC}"]));
    assert!(expected.contains("U+20AC EURO SIGN"));
    for args in [
        &["explain", "--hex", "E2 82 AC"][..],
        &["explain", "--code-point", "20AC"],
        &["explain", "--code-point", "U+20AC"],
        &["explain", "--bytes", "euro"],
    ] {
        let output = run_in(folder.path(), args.iter().copied());
        assert_eq!((status(&output), text(&output)), (0, expected.clone()), "{args:?}");
    }
    for args in [&["explain", "--bytes", "-"][..], &["explain"]] {
        let output = run_with("\u{20AC}".as_bytes(), args.iter().copied());
        assert_eq!((status(&output), text(&output)), (0, expected.clone()), "{args:?}");
    }
}

#[test]
fn bits_line_up_without_colour() {
    let shown = text(&run_with(b"", ["explain", "\u{20AC}"]));
    for row in [
        "binary      0010 0000 1010 1100",
        "payload         0010    000010    101100",
        "pattern     1110xxxx  10xxxxxx  10xxxxxx",
        "bytes       11100010  10000010  10101100",
        "hex               E2        82        AC",
        "octal            342       202       254",
    ] {
        assert!(shown.contains(row), "{row} in {shown}");
    }
    assert!(!shown.contains('\u{1B}'));
    let colored = text(&run_with(b"", ["explain", "--color", "always", "\u{20AC}"]));
    assert!(colored.contains('\u{1B}'));
}

#[test]
fn errors_say_why() {
    let output = run_with(b"", ["explain", "--hex", "C0 AF E0 80"]);
    assert_eq!(status(&output), 0);
    let shown = text(&output);
    assert!(shown.contains("C0 overlong") && shown.contains("C0 AF is an overlong \"/\""), "{shown}");
    assert!(shown.contains("after E0, expected A0..BF"), "{shown}");
}

#[test]
fn a_place_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}\u{20AC}{}", "x".repeat(300_000), "y".repeat(100));
    fs::write(folder.path().join("long"), long).unwrap();
    for offset in ["300000", "300001", "300002"] {
        let output = run_in(folder.path(), ["explain", "--format", "jsonl", "--at", offset, "long"]);
        let lines = lines(&output);
        assert_eq!(lines.len(), 7);
        assert_eq!((&lines[3]["cp"], &lines[3]["offset"]), (&json!(0x20AC), &json!(300_000)));
    }
    let output = run_in(folder.path(), ["explain", "--at", "999999", "long"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("offset 999999 is out of range"));
}

#[test]
fn dialects() {
    let cesu = lines(&run_with(b"", ["explain", "--encoding", "cesu-8", "--format", "jsonl", "\u{1F600}"]));
    assert_eq!((&cesu[0]["len"], &cesu[0]["bytes"]), (&json!(6), &json!("eda0bdedb880")));
    assert_eq!(cesu[0]["encodings"]["utf-8"], "f09f9880");
    let surrogate = lines(&run_with(b"", ["explain", "--code-point", "D800", "--format", "jsonl"]));
    assert_eq!((&surrogate[0]["kind"], &surrogate[0]["lax"]), (&json!("surrogate"), &json!(0xD800)));
}

#[test]
fn long_inputs_in_order() {
    let bytes = crate::common::damaged(270_000);
    let output = run_with(&bytes, ["explain", "--format", "jsonl", "--bytes", "-"]);
    let mut joined = Vec::new();
    for line in lines(&output) {
        assert_eq!(line["offset"], json!(joined.len()));
        joined.extend(unhex(line["bytes"].as_str().unwrap()));
    }
    assert!(joined == bytes);
}

#[test]
fn usage() {
    for args in
        [&["explain", "--hex", "E2 8"][..], &["explain", "--code-point", "xyz"], &["explain", "--at", "1", "no-such"]]
    {
        assert_eq!(status(&run_with(b"", args.iter().copied())), 2, "{args:?}");
    }
}

#[test]
fn refused_code_points_are_reported_of_in_every_dialect() {
    for (number, dialect, bytes) in [
        ("110000", "utf-8-21bit", "f4908080"),
        ("110000", "utf-8-31bit", "f4908080"),
        ("D800", "wtf-8", "eda080"),
        ("D800", "wtf-16be", "d800"),
        ("7FFFFFFF", "utf-8-31bit", "fdbfbfbfbfbf"),
    ] {
        let output = run_with(b"", ["explain", "--format", "jsonl", "--code-point", number]);
        let lines = lines(&output);
        assert_eq!((status(&output), &lines[0]["encodings"][dialect]), (0, &json!(bytes)), "{number}");
        assert!(lines[0]["encodings"].get("utf-8").is_none());
        assert!(lines.iter().all(|line| line["type"] == "error"));
        assert!(lines[1..].iter().all(|line| line.get("encodings").is_none()), "{number}");
        let shown = text(&run_with(b"", ["explain", "--code-point", number]));
        let (first, rest) = shown.split_once('\n').unwrap();
        assert!(first.starts_with(&format!("U+{number}")) && first.ends_with("not in utf-8"), "{shown}");
        let rows = rest.split_once("\n\n").unwrap().0;
        assert!(rows.starts_with("  elsewhere") && rows.contains(dialect), "{shown}");
    }
}

/// Repeated items come from a cache, and must have the same output.
#[test]
fn what_repeats_itself_is_explained_alike() {
    let bytes = [damaged(9000), (0..9000_u32).map(|i| ((i * i) >> 7) as u8).collect()].concat();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    for encoding in ["utf-8", "cesu-8", "utf-16le", "utf-32be", "latin1"] {
        for format in ["human", "jsonl"] {
            let arguments = ["explain", "-e", encoding, "--format", format];
            let once = run_with(b"", arguments.into_iter().chain(["--hex", &digits]));
            let known = run_with(&bytes, arguments.into_iter().chain(["--bytes", "-"]));
            assert!(once.stdout == known.stdout, "{encoding} {format}");
            assert!(once.stdout.len() > 100_000);
        }
    }
}

#[test]
fn bytes_of_a_legacy_encoding_are_explained() {
    let shown = text(&run_with(b"", ["explain", "-e", "windows-1252", "--hex", "80 E9"]));
    assert!(shown.starts_with("U+20AC EURO SIGN") && shown.contains("E2 82 AC"), "{shown}");
    assert!(shown.contains("U+00E9 LATIN SMALL LETTER E WITH ACUTE"), "{shown}");
    let short = text(&run_with(b"", ["explain", "-e", "shift_jis", "--format", "short", "--hex", "82 A0 41 FF"]));
    let wanted = "0: 82 A0: U+3042 HIRAGANA LETTER A\n2: 41: U+0041 LATIN CAPITAL LETTER A\n\
                  3: FF: FF is not a character in Shift_JIS\n";
    assert_eq!(short, wanted);
    for args in [&["U+20AC"][..], &["\u{20AC}"], &["--code-point", "20AC"]] {
        let line = &lines(&run_with(b"", ["explain", "-e", "cp1252", "--format", "jsonl"].iter().chain(args)))[0];
        assert_eq!((&line["bytes"], &line["encodings"]["utf-8"]), (&json!("80"), &json!("e282ac")), "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("old"), b"one\n\x82\xA0\x82\xA2\x82\xA4\n".repeat(20_000)).unwrap();
    let at = ["explain", "-e", "shift_jis", "--format", "short", "--at", "7", "old"];
    let shown = text(&run_in(folder.path(), at));
    assert!(shown.starts_with("4: 82 A0: U+3042") && shown.contains("\n6: 82 A2: U+3044"), "{shown}");
    let all = text(&run_in(folder.path(), ["explain", "-e", "shift_jis", "--format", "short", "old"]));
    assert_eq!((all.lines().count(), all.contains("is not")), (160_000, false));
}

#[test]
fn a_place_beyond_the_end_names_the_size() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("abc"), "abc").unwrap();
    for offset in ["999", "3", "99999999"] {
        let output = run_in(folder.path(), ["explain", "--at", offset, "abc"]);
        assert!(
            messages(&output).contains(&format!("offset {offset} is out of range: the size is 3\n")),
            "{}",
            messages(&output)
        );
    }
    for text in ["-", "u+20AC"] {
        let output = run_with("€".as_bytes(), ["explain", "--format", "short", text]);
        assert_eq!(self::text(&output), "0: E2 82 AC: U+20AC EURO SIGN\n", "{text}");
    }
}
