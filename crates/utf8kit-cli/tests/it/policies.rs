//! Tests `utf8 repair` with policies that involve other encodings: fallback, and `utf8 mojibake`.

use std::fs;

use crate::common::{advises, messages, run_in, run_with, status, unhex};

/// Repairs an input, and fails on any error.
fn repair(input: &[u8], args: &[&str]) -> Vec<u8> {
    let output = run_with(input, ["repair", "--force"].iter().chain(args));
    assert_eq!(status(&output), 0, "{args:?}: {}", messages(&output));
    output.stdout
}

/// Runs `utf8 mojibake` on an input, and fails on any error; doubtful lines may be left.
fn mojibake(input: &[u8], args: &[&str]) -> Vec<u8> {
    let output = run_with(input, ["mojibake", "--exit-zero"].iter().chain(args));
    assert_eq!(status(&output), 0, "{args:?}: {}", messages(&output));
    output.stdout
}

#[test]
fn fallback_reads_errors_in_another_encoding() {
    let mixed = b"caf\xE9 caf\xC3\xA9 \x80\n\xE2\x82\xAC \x93quoted\x94\n";
    assert_eq!(repair(mixed, &["-p", "fallback=windows-1252"]), "café café €\n€ “quoted”\n".as_bytes());
    assert_eq!(repair(mixed, &["-p", "fallback=latin1"]), "café café \u{80}\n€ \u{93}quoted\u{94}\n".as_bytes());
    assert_eq!(repair(b"\xCF\xF0\xE8 \xD0\xB4\xD0\xB0", &["-p", "fallback=windows-1251"]), "При да".as_bytes());
    // Adjacent errors are decoded together; bytes that are invalid there also become U+FFFD.
    assert_eq!(repair(b"\x82\xA0\x82\xA2!\x82", &["-p", "fallback=shift_jis"]), "あい!\u{FFFD}".as_bytes());
    assert_eq!(repair(b"\xED\xA0\xBD\xED\xB8\x80", &["-p", "fallback=cesu-8"]), "😀".as_bytes());
    assert_eq!(repair(b"a\xFF", &["-p", "fallback=windows-1252", "-e", "cesu-8"]), "aÿ".as_bytes());
    // In pieces of any size.
    let long = b"\xE9t\xC3\xA9 ".repeat(300_000);
    let expected = "été ".repeat(300_000);
    assert!(repair(&long, &["-p", "fallback=windows-1252"]) == expected.as_bytes());
    assert!(repair(&b"\x82\xA0".repeat(200_000), &["-p", "fallback=shift_jis"]) == "あ".repeat(200_000).as_bytes());
}

#[test]
fn fallback_by_the_line() {
    // On its own, C3 A9 is valid UTF-8. In a line with errors, it is two characters.
    let mixed = b"caf\xC3\xA9\ncaf\xE9 \xC3\xA9\n\xC3\xA9t\xC3\xA9";
    let args = ["-p", "fallback-lines=windows-1252"];
    assert_eq!(repair(mixed, &args), "café\ncafé Ã©\nété".as_bytes());
    assert_eq!(repair(b"\x82\xA0a\n\xE3\x81\x82", &["-p", "fallback-lines=sjis"]), "あa\nあ".as_bytes());
    let many = [b"plain\n".repeat(100_000), b"\xE9\n".to_vec(), "été\n".repeat(100_000).into_bytes()].concat();
    let expected = ["plain\n".repeat(100_000), "é\n".to_owned(), "été\n".repeat(100_000)].concat();
    assert!(repair(&many, &args) == expected.as_bytes());
    assert!(repair(expected.as_bytes(), &args) == expected.as_bytes());
    let reported = run_with(mixed, ["repair"].iter().chain(&args));
    assert!(messages(&reported).contains("repaired 1 place: 1 line in another encoding"), "{}", messages(&reported));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for args in [
        &["-p", "fallback=nonsense"][..],
        &["-p", "fallback=utf-16le"],
        &["-p", "fallback=windows-1252", "-e", "utf-16le"],
        &["-p", "mojibake"],
    ] {
        let output = run_with(b"a", ["repair"].iter().chain(args));
        assert_eq!((status(&output), output.stdout), (2, vec![]), "{args:?}");
    }
}

#[test]
fn mojibake_repairs_what_is_certain_and_nothing_else() {
    let input = "cafÃ©\r\nbon cafÃ©, vraiment â€“ oui\nplain\nNÃO, café…\nđặc biệt\n日本語\nitÃ¢â‚¬â„¢s\n";
    let expected = "café\r\nbon café, vraiment – oui\nplain\nNÃO, café…\nđặc biệt\n日本語\nit’s\n";
    assert_eq!(mojibake(input.as_bytes(), &[]), expected.as_bytes());
    assert_eq!(mojibake(expected.as_bytes(), &["--exit-non-zero-on-fix"]), expected.as_bytes());
    // Lines with errors are left unchanged.
    let broken = [b"caf\xC3\x83\xC2\xA9 \xFF\n", "cafÃ©".as_bytes()].concat();
    assert_eq!(mojibake(&broken, &[]), [b"caf\xC3\x83\xC2\xA9 \xFF\n", "café".as_bytes()].concat());
    let many = [input.repeat(10_000), "plain\n".repeat(100_000), input.repeat(1000)].concat();
    let repaired = [expected.repeat(10_000), "plain\n".repeat(100_000), expected.repeat(1000)].concat();
    assert!(mojibake(many.as_bytes(), &[]) == repaired.as_bytes());
    let reported = run_with(input.as_bytes(), ["mojibake"]);
    assert!(messages(&reported).contains("lines of mojibake"));
}

#[test]
fn mojibake_in_place_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let input = "plain\n cafÃ© â‚¬\n".repeat(20_000);
    fs::write(&path, &input).unwrap();
    let args = ["mojibake", "--in-place", "--ledger", "ledger", "file"];
    assert_eq!(status(&run_in(folder.path(), args)), 0);
    assert!(fs::read_to_string(&path).unwrap() == "plain\n café €\n".repeat(20_000));
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "file"])), 0);
    assert!(fs::read_to_string(&path).unwrap() == input);
    let diff = run_in(folder.path(), ["mojibake", "--diff", "file"]);
    assert!(crate::common::text(&diff).contains("- cafÃ© â‚¬\n+ café €\n"));
}

/// `på slått` encoded twice through windows-1250, or `pá slátt` through ISO 8859-2.
const DOUBTFUL: &str = "pĂĄ slĂĄtt";

/// `v– né`, which can only have gone through windows-1250.
const CERTAIN: &str = "vâ€“ nĂ©";

#[test]
fn doubtful_lines_are_listed_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let input = format!("plain\n{DOUBTFUL}\nčaj\n");
    fs::write(folder.path().join("file"), &input).unwrap();
    let list = ["mojibake", "--list-doubtful", "file"];
    let output = run_in(folder.path(), list);
    assert_eq!(status(&output), 1);
    let reported = crate::common::text(&output);
    assert!(reported.contains("pĂĄ slĂĄtt") && reported.contains("på slått  by way of windows-1250\n"), "{reported}");
    let short = run_in(folder.path(), list.iter().chain(&["--format", "short"]));
    let expected = "file:2: doubtful: windows-1250 \"på slått\", iso-8859-2 \"pá slátt\"\n";
    let swapped = "file:2: doubtful: iso-8859-2 \"pá slátt\", windows-1250 \"på slått\"\n";
    let reported = crate::common::text(&short);
    assert!(reported == expected || reported == swapped, "{reported}");
    let lines = crate::common::lines(&run_in(folder.path(), list.iter().chain(&["--format", "jsonl"])));
    assert_eq!((lines.len(), &lines[0]["line"], &lines[0]["offset"]), (2, &2.into(), &6.into()));
    assert_eq!(lines[0]["candidates"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[1], serde_json::json!({"type": "summary", "files": 1, "doubtful": 1}));
    // Skipped files are reported.
    fs::write(folder.path().join("binary"), b"\x7FELF\0\xFF").unwrap();
    let walked = run_in(folder.path(), ["mojibake", "--list-doubtful", "."]);
    let reported = crate::common::messages(&walked);
    assert!(status(&walked) == 1 && reported.contains("skipped 1 (1 binary) of 2 files"), "{reported}");
    fs::remove_file(folder.path().join("binary")).unwrap();
    // A repair leaves it unchanged and reports it.
    let output = run_in(folder.path(), ["mojibake", "file"]);
    assert_eq!((status(&output), output.stdout), (1, input.clone().into_bytes()));
    let output = run_in(folder.path(), ["mojibake", "--in-place", "file"]);
    assert!(messages(&output).contains("1 doubtful line left as it is"), "{}", messages(&output));
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), input);
    // Text that needs no repair has no doubtful lines.
    fs::write(folder.path().join("file"), "čaj på slätten\n").unwrap();
    assert_eq!(status(&run_in(folder.path(), list)), 0);
    for args in [["--list-doubtful", "--in-place", "file"], ["--encoding", "cesu-8", "file"]] {
        assert_eq!(status(&run_in(folder.path(), ["mojibake"].iter().chain(&args))), 2, "{args:?}");
    }
}

#[test]
fn the_other_lines_of_a_file_decide_a_doubtful_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // The evidence is far after the doubtful line, because the whole file counts.
    let input = format!("{DOUBTFUL}\n{}{CERTAIN}\n", "plain\n".repeat(100_000));
    let expected = format!("på slått\n{}v– né\n", "plain\n".repeat(100_000));
    fs::write(&path, &input).unwrap();
    let run = |args: &[&str]| run_in(folder.path(), ["mojibake"].iter().chain(args));
    assert!(run(&["file"]).stdout == expected.as_bytes());
    assert_eq!(status(&run(&["--list-doubtful", "file"])), 0);
    assert!(crate::common::text(&run(&["--diff", "file"])).contains("+på slått\n"));
    assert_eq!(status(&run(&["--in-place", "--ledger", "ledger", "file"])), 0);
    assert!(fs::read_to_string(&path).unwrap() == expected);
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 0);
    assert!(fs::read_to_string(&path).unwrap() == input);
    // In a stream, only earlier lines count.
    let lines = |first: &str, second: &str| format!("{first}\n{second}\n").into_bytes();
    assert_eq!(mojibake(&lines(CERTAIN, DOUBTFUL), &[]), lines("v– né", "på slått"));
    assert_eq!(mojibake(&lines(DOUBTFUL, CERTAIN), &[]), lines(DOUBTFUL, "v– né"));
    // Lines that went through different encodings are not evidence: `né` went through windows-1252.
    let different = format!("{CERTAIN}\nn\u{C3}\u{A9}\n{DOUBTFUL}\n");
    fs::write(&path, &different).unwrap();
    assert_eq!(run(&["file"]).stdout, format!("v– né\nné\n{DOUBTFUL}\n").as_bytes());
}

#[test]
fn unescape_takes_back_escapes_only() {
    assert_eq!(repair(br"a\xFFb\x5Cx41 \xG \n \", &["-p", "unescape"]), b"a\xFFb\\x41 \\xG \\n \\");
    assert_eq!(repair(&unhex("5C78464600"), &["-p", "unescape"]), b"\xFF\0");
}

#[test]
fn strict_stops_at_the_first_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("bad"), b"a\nb\xFF\n").unwrap();
    for args in [&["repair", "-p", "strict", "bad", "-o", "out"][..], &["repair", "-p", "strict", "-i", "bad"]] {
        let output = run_in(root, args);
        assert_eq!(status(&output), 1, "{args:?}: {}", messages(&output));
        assert_eq!(fs::read_dir(root).unwrap().count(), 1, "{args:?}");
    }
    assert_eq!(fs::read(root.join("bad")).unwrap(), b"a\nb\xFF\n");
    assert_eq!(run_with("é\n".as_bytes(), ["repair", "-p", "strict"]).stdout, "é\n".as_bytes());
    for option in ["--for=postgresql", "--max-bytes=1", "--max-chars=1", "--replacement=?"] {
        let refused = run_with(b"a\0\n", ["repair", "-p", "strict", option]);
        assert_eq!((status(&refused), refused.stdout.len()), (2, 0), "{}", messages(&refused));
    }
    assert_eq!(status(&run_in(root, ["rename", "--on-error", "strict", "bad"])), 0);
    for (args, why) in [
        (&["repair", "-p", "transliterate"][..], "has no nearest character"),
        (&["rename", "--on-error", "transliterate", "bad"], "has no nearest character"),
        (&["edit", "bad", "--on-error", "replace"], "does not apply to an edit"),
    ] {
        let output = run_in(root, args);
        assert!(status(&output) == 2 && messages(&output).contains(why), "{args:?}: {}", messages(&output));
    }
}

/// One vocabulary for errors: what `repair` knows, a conversion knows too, from and to any encoding.
#[test]
fn a_conversion_has_all_policies_for_errors() {
    let input = b"a\xE2\x82\xF0\x9F\x80 \xFF\xFEz";
    for (policy, utf8, latin) in [
        ("replace", "a\u{FFFD}\u{FFFD} \u{FFFD}\u{FFFD}z", "a?? ??z"),
        ("replace-byte", "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD} \u{FFFD}\u{FFFD}z", "a????? ??z"),
        ("replace-run", "a\u{FFFD} \u{FFFD}z", "a? ?z"),
        ("java", "a\u{FFFD}\u{FFFD} \u{FFFD}\u{FFFD}z", "a?? ??z"),
        ("same-length", "a????? ??z", "a????? ??z"),
    ] {
        let repaired = run_with(input, ["repair", "-p", policy]);
        assert_eq!(String::from_utf8_lossy(&repaired.stdout), utf8, "{policy}");
        for (to, bytes) in [
            ("utf-16le", utf8.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            ("koi8-r", latin.as_bytes().to_vec()),
            ("utf-8", utf8.as_bytes().to_vec()),
        ] {
            let output = run_with(input, ["convert", "--from", "utf-8", "--to", to, "--on-error", policy]);
            assert_eq!(output.stdout, bytes, "{policy} to {to}: {}", messages(&output));
            assert!(messages(&output).contains("replaced "), "{policy} to {to}: {}", messages(&output));
        }
    }
    for (policy, expected) in
        [("replace", "a\u{FFFD}\u{FFFD}b"), ("replace-run", "a\u{FFFD}b"), ("same-length", "a??b")]
    {
        let output = run_with(b"a\xFF\xFFb", ["convert", "--from", "shift_jis", "--on-error", policy]);
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{policy}: {}", messages(&output));
        let output = run_with(b"a\xFF\xFFb", ["repair", "--encoding", "euc-jp", "-p", policy]);
        let expected = expected.replace('\u{FFFD}', "?");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{policy}: {}", messages(&output));
    }
}

#[test]
fn what_mojibake_leaves_is_a_finding() {
    let doubtful = run_with("ç¹\u{FFFD}é«”\n".as_bytes(), ["mojibake"]);
    assert_eq!(status(&doubtful), 1, "{}", messages(&doubtful));
    assert!(messages(&doubtful).contains("help: utf8 mojibake --list-doubtful "), "{}", messages(&doubtful));
    let legacy = b"Gr\xF6\xDFe und L\xE4nge der Stra\xDFe\n";
    let legacy = run_with(legacy, ["mojibake"]);
    assert_eq!(status(&legacy), 1, "{}", messages(&legacy));
    assert!(advises(&legacy, "utf8 convert --from windows-1252"), "{}", messages(&legacy));
    assert!(
        messages(&legacy).contains("not changed: it looks like windows-1252, which is not mojibake"),
        "{}",
        messages(&legacy)
    );
}
