//! Tests rows: errors are reported with row and field, bad rows are rejected, and nothing is lost.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, run_with, status, text, unhex};
use serde_json::{Value, json};

const TABLE: &[u8] = b"id,name\n1,ok\n2,b\xFFd\n3,\"open\n4,fine\n5,\"two\nlines\"\n6,\xC3(\n";

/// Merges the good and the bad rows into the input again.
fn merged(good: &[u8], bad: &[u8], reasons: &[Value]) -> Vec<u8> {
    let (mut all, mut good, mut bad) = (Vec::new(), good, bad);
    let take = |from: &mut &[u8], len: usize, all: &mut Vec<u8>| {
        let (taken, rest) = from.split_at(len);
        all.extend_from_slice(taken);
        *from = rest;
    };
    for row in reasons {
        let offset = row["offset"].as_u64().unwrap() as usize;
        let before = offset - all.len();
        take(&mut good, before, &mut all);
        take(&mut bad, row["len"].as_u64().unwrap() as usize, &mut all);
    }
    assert!(bad.is_empty(), "every bad row has its reasons");
    all.extend_from_slice(good);
    all
}

fn reasons(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(format!("{name}.reasons.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn bad_rows_go_aside_and_good_ones_through() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("all.csv"), TABLE).unwrap();
    let output = run_in(folder, ["repair", "--rows", "csv", "--reject", "bad.csv", "-o", "good.csv", "all.csv"]);
    assert_eq!(status(&output), 0);
    assert_eq!(fs::read(folder.join("good.csv")).unwrap(), b"id,name\n1,ok\n4,fine\n5,\"two\nlines\"\n");
    assert_eq!(fs::read(folder.join("bad.csv")).unwrap(), b"2,b\xFFd\n3,\"open\n6,\xC3(\n");
    let reported = messages(&output);
    let expected = "all.csv: rejected 3 of 7 rows (1 invalid byte, 1 broken quote, 1 truncated sequence): \
                    see bad.csv.reasons.jsonl";
    assert!(reported.contains(expected), "{reported}");
    assert!(reported.contains("all.csv: a quote is not closed in row 4"), "{reported}");
    let reasons = reasons(folder, "bad.csv");
    let numbers: Vec<_> = reasons.iter().map(|row| row["row"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [3, 4, 7]);
    assert_eq!(
        reasons[0],
        json!({
            "type": "rejected", "path": "all.csv", "row": 3, "offset": 13, "len": 6, "errors": 1,
            "reasons": [{
                "kind": "invalid_byte", "offset": 16, "len": 1, "bytes": "ff", "field": 2, "column_name": "name",
                "message": "invalid byte: FF never occurs in utf-8",
            }],
        })
    );
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert_eq!(merged(&read("good.csv"), &read("bad.csv"), &reasons), TABLE);
    let args = ["repair", "--rows", "csv", "--reject", "bad.csv", "--exit-non-zero-on-fix", "all.csv"];
    assert_eq!(status(&run_in(folder, args)), 1);
}

#[test]
fn without_bad_rows_both_files_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("bad.csv"), "of an earlier run").unwrap();
    fs::write(folder.join("all.csv"), "a,b\n1,2\n").unwrap();
    let output = run_in(folder, ["repair", "--rows", "csv", "--reject", "bad.csv", "all.csv"]);
    assert_eq!((status(&output), text(&output), messages(&output)), (0, "a,b\n1,2\n".into(), String::new()));
    assert_eq!(fs::read(folder.join("bad.csv")).unwrap(), b"");
    assert_eq!(fs::read(folder.join("bad.csv.reasons.jsonl")).unwrap(), b"");
}

#[test]
fn rows_of_any_encoding_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // The second row is not GB 18030; the third has a character that windows-1252 lacks.
    let table = [&b"id,name\n1,\xFF\n2,\xC4\xE3\n3,\xA8\xA6\n"[..], b"4,ok\n"].concat();
    fs::write(folder.join("all.csv"), &table).unwrap();
    let convert = |to: &str| {
        let args = ["convert", "-f", "gb18030", "-t", to, "--rows", "csv", "--reject", "bad.csv", "all.csv"];
        // Another encoding is possible, which is reported.
        let output = run_in(folder, args.iter().chain(&["--exit-zero"]));
        assert_eq!(status(&output), 0, "{}", messages(&output));
        output.stdout
    };
    assert_eq!(convert("utf-8"), "id,name\n2,\u{4F60}\n3,\u{E9}\n4,ok\n".as_bytes());
    assert_eq!(fs::read(folder.join("bad.csv")).unwrap(), b"1,\xFF\n");
    assert_eq!(reasons(folder, "bad.csv")[0]["reasons"][0]["kind"], "malformed");
    assert_eq!(convert("windows-1252"), b"id,name\n3,\xE9\n4,ok\n");
    assert_eq!(fs::read(folder.join("bad.csv")).unwrap(), b"1,\xFF\n2,\xC4\xE3\n");
    let reason = &reasons(folder, "bad.csv")[1]["reasons"][0];
    assert_eq!((&reason["kind"], &reason["bytes"]), (&json!("unrepresentable"), &json!("c4e3")));
    assert!(reason["message"].as_str().unwrap().starts_with("unrepresentable: windows-1252 lacks U+4F60"));
    // Without conversion, the good rows are the input without the bad ones.
    let good = convert("gb18030");
    let bad = fs::read(folder.join("bad.csv")).unwrap();
    assert_eq!(merged(&good, &bad, &reasons(folder, "bad.csv")), table);
}

#[test]
fn utf_16_keeps_its_byte_order_mark_and_order() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = vec![0xFE, 0xFF];
    for unit in "a,b\n1,\u{D7FF}\n2,x\n".encode_utf16() {
        let unit = if unit == 0xD7FF { 0xD800 } else { unit };
        table.extend(unit.to_be_bytes());
    }
    fs::write(folder.join("all.csv"), &table).unwrap();
    let args = ["repair", "-e", "utf-16", "--rows", "csv", "--reject", "bad.csv", "all.csv"];
    let good = run_in(folder, args).stdout;
    let bad = fs::read(folder.join("bad.csv")).unwrap();
    assert_eq!(bad, unhex("0031002cd800000a"));
    assert_eq!(merged(&good, &bad, &reasons(folder, "bad.csv")), table);
    let args = ["convert", "-f", "utf-16", "--rows", "csv", "--reject", "bad.csv", "all.csv"];
    assert_eq!(run_in(folder, args).stdout, b"a,b\n2,x\n");
}

#[test]
fn what_passes_and_what_does_not_is_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |end: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) % end
    };
    let pieces: [&[u8]; 12] = [
        b"plain",
        b",",
        b",",
        b"\n",
        b"\n",
        b"\"quoted, with\na line\"",
        b"\"",
        b"\"\"",
        b"\xFF",
        b"\xE2\x82",
        "\u{65E5}\u{672C}".as_bytes(),
        b"\r\n",
    ];
    for (rows, encoding) in [("csv", "utf-8"), ("tsv", "utf-8"), ("jsonl", "utf-8"), ("lines", "utf-16le")] {
        for size in [1_u64, 50, 5_000, 200_000] {
            let mut table = Vec::new();
            for _ in 0..size {
                table.extend_from_slice(pieces[below(12) as usize]);
                if below(2000) == 0 {
                    table.extend((0..100_000).map(|_| b'x'));
                }
            }
            let args = ["repair", "-e", encoding, "--rows", rows, "--reject", "bad", "-"];
            let output = {
                let mut command = crate::common::utf8(args);
                command.current_dir(folder);
                crate::common::run_command(&mut command, &table)
            };
            assert_eq!(status(&output), 0);
            let bad = fs::read(folder.join("bad")).unwrap();
            assert!(merged(&output.stdout, &bad, &reasons(folder, "bad")) == table, "{rows}, {size} pieces");
            if encoding == "utf-8" {
                assert!(std::str::from_utf8(&output.stdout).is_ok());
            }
        }
    }
}

#[test]
fn where_a_strict_conversion_stops_is_reported_with_the_row() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.csv"), TABLE).unwrap();
    let output = run_in(folder.path(), ["convert", "-t", "utf-16", "--rows", "csv", "all.csv"]);
    assert_eq!(status(&output), 1);
    assert!(messages(&output).contains("all.csv:3:4: invalid byte at byte 16 (FF): not utf-8 (row 3, field 2 (name))"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("all.csv"), TABLE).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["repair", "--reject", "bad", "all.csv"], "--rows"),
        (&["repair", "--rows", "csv", "--reject", "all.csv", "all.csv"], "all.csv is already an input or output"),
        (&["repair", "--rows", "csv", "--reject", "x", "-o", "./x", "all.csv"], "./x is already an input or output"),
        (&["repair", "--rows", "csv", "--reject", "x", "--in-place", "all.csv"], "--in-place"),
        (&["repair", "--rows", "csv", "--reject", "x", "--policy", "escape", "all.csv"], "--on-error"),
        (&["repair", "--rows", "lines", "--delimiter", ";", "--reject", "x", "all.csv"], "lines has no delimiter"),
        (&["convert", "--rows", "csv", "--reject", "x", "--on-error", "replace", "all.csv"], "--on-error"),
        (
            &["convert", "-f", "gb18030", "--rows", "csv", "--delimiter", "|", "--reject", "x", "all.csv"],
            "'|' is also the last byte of other characters in gb18030",
        ),
        (
            &["convert", "-f", "iso-2022-jp", "--rows", "csv", "--reject", "x", "all.csv"],
            "depends on the rows before it",
        ),
    ];
    for (args, expected) in cases {
        let output = run_in(folder, args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(messages(&output).contains(expected), "{args:?}: {}", messages(&output));
    }
    assert_eq!(fs::read(folder.join("all.csv")).unwrap(), TABLE);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn delimiters_and_quotes_can_be_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("t"), b"a;'b;\nb'\n\xFF;x\n").unwrap();
    let args = ["repair", "--rows", "csv", "--delimiter", ";", "--quote", "'", "--reject", "bad", "t"];
    assert_eq!(run_in(folder, args).stdout, b"a;'b;\nb'\n");
    let args = ["repair", "--rows", "csv", "--quote", "none", "--reject", "bad", "t"];
    assert_eq!(run_in(folder, args).stdout, b"a;'b;\nb'\n");
    let table = b"a\tb\n\"x\ty\n\xFF\tz\n";
    let output = run_with(table, ["check", "--quiet"]);
    assert_eq!(status(&output), 1);
    fs::write(folder.join("t"), table).unwrap();
    let output = run_in(folder, ["repair", "--rows", "tsv", "--reject", "bad", "t"]);
    assert_eq!(output.stdout, b"a\tb\n\"x\ty\n");
}

#[test]
fn errors_are_reported_with_row_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("all.csv"), TABLE).unwrap();
    let check = |format: &str| {
        let output = run_in(folder, ["check", "--rows", "csv", "--format", format, "all.csv"]);
        assert_eq!(status(&output), 1, "{format}");
        output
    };
    let short = text(&check("short"));
    let lines: Vec<_> = short.lines().collect();
    assert_eq!(lines[0], "all.csv:3:4: row 3, field 2 (name): invalid byte: FF never occurs in utf-8");
    assert!(lines[1].starts_with("all.csv:4:3: row 4, field 2 (name): broken quote"), "{short}");
    assert!(lines[2].starts_with("all.csv:8:3: row 7, field 2 (name): truncated sequence"), "{short}");
    assert_eq!(lines.len(), 3);
    for format in ["human", "sarif", "github"] {
        assert!(text(&check(format)).contains("row 3, field 2 (name): invalid byte"), "{format}");
    }
    let jsonl = crate::common::lines(&check("jsonl"));
    let row = |line: &Value| (line["row"].clone(), line["field"].clone(), line["column_name"].clone());
    assert_eq!(row(&jsonl[0]), (json!(3), json!(2), json!("name")));
    assert_eq!((&jsonl[0]["offset"], &jsonl[0]["line"], &jsonl[0]["column"]), (&json!(16), &json!(3), &json!(4)));
    assert_eq!((&jsonl[3]["errors"], &jsonl[3]["kinds"]["broken_quote"]), (&json!(3), &json!(1)));
    assert_eq!((&jsonl[3]["size"], &jsonl[3]["code_points"]), (&json!(TABLE.len()), &json!(TABLE.len() - 2)));
}

#[test]
fn a_check_of_rows_agrees_with_one_of_bytes() {
    // Many rows on many lines, in chunks: offsets, lines and columns are the same as without rows.
    let mut table = crate::common::damaged(700_000);
    table.retain(|&byte| byte != b'"');
    for (at, byte) in table.iter_mut().enumerate() {
        *byte = if at % 97 == 0 { b',' } else { *byte };
    }
    let found = |args: &[&str]| {
        let all = ["check", "--format", "jsonl"].iter().chain(args);
        let lines = crate::common::lines(&run_with(&table, all));
        let errors: Vec<_> = lines
            .iter()
            .map(|line| {
                ["offset", "len", "kind", "line", "column", "code_points", "errors"].map(|key| line[key].clone())
            })
            .collect();
        errors
    };
    let bytes = found(&[]);
    assert!(bytes.len() > 10_000);
    for rows in ["csv", "lines"] {
        assert!(found(&["--rows", rows]) == bytes, "{rows}");
    }
}

#[test]
fn json_lines_have_paths() {
    let input = b"{\"id\": 1}\n{\"user\": {\"tags\": [\"a\", \"\xFF\"]}}\n";
    let output = run_with(input, ["check", "--rows", "jsonl", "--format", "jsonl"]);
    let error = &crate::common::lines(&output)[0];
    assert_eq!((&error["row"], &error["field"]), (&json!(2), &json!("$.user.tags[1]")));
    assert_eq!(error["column_name"], "user");
}

#[test]
fn rows_that_do_not_fit_are_rejected_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // (options, the rows, the number that pass, why the others fail)
    type Case = (&'static [&'static str], &'static [u8], &'static [u8], &'static [&'static str]);
    let cases: [Case; 8] = [
        (&["csv"], b"1,5\" pipe\n2,b\n", b"1,5\" pipe\n2,b\n", &[]),
        (&["csv", "--for", "postgresql"], b"1,5\" pipe\n2,b\n", b"2,b\n", &["broken_quote"]),
        (&["csv", "--for", "mysql", "--for", "postgresql"], b"1,5\" pipe\n2,b\n", b"2,b\n", &["broken_quote"]),
        (&["csv"], b"1,a\n\"two\nlines\"x,3\n2,b\n", b"1,a\n2,b\n", &["broken_quote"]),
        (&["csv", "--fields", "2"], b"1,a\n1\n1,2,3\n", b"1,a\n", &["field_count", "field_count"]),
        (&["tsv", "--fields", "header"], b"1\ta\n1\n", b"1\ta\n", &["field_count"]),
        (&["jsonl"], b"{\"a\": 1}\n{\"a\" 1}\n\n", b"{\"a\": 1}\n", &["invalid_json", "invalid_json"]),
        (&["jsonl", "--for", "postgresql"], b"{\"a\": \"\\u0000\"}\n1\n", b"1\n", &["nul_escape"]),
    ];
    for (options, input, good, kinds) in cases {
        fs::write(folder.join("all"), input).unwrap();
        let args = ["repair", "--reject", "bad", "all", "--rows"];
        let output = run_in(folder, args.iter().chain(options));
        assert_eq!((status(&output), &*output.stdout), (0, good), "{options:?}: {}", messages(&output));
        let reasons = reasons(folder, "bad");
        let found: Vec<_> = reasons.iter().map(|row| row["reasons"][0]["kind"].as_str().unwrap()).collect();
        assert_eq!(found, kinds, "{options:?}");
        assert_eq!(merged(good, &fs::read(folder.join("bad")).unwrap(), &reasons), input, "{options:?}");
    }
    let output = run_with(b"a,b\n1\n", ["check", "--rows", "csv", "--fields", "header", "--format", "short"]);
    assert_eq!(text(&output), "-:2:2: row 2, field 1 (a): wrong number of fields: 1 instead of 2\n");
    let output = run_with(b"a", ["check", "--rows", "jsonl", "--fields", "2"]);
    assert!(messages(&output).contains("jsonl has no delimiter, no quote and no fields"), "{}", messages(&output));
}

#[test]
fn long_names_are_cut_off() {
    // Each of the errors repeats the name of its field.
    let name = "\u{E9}".repeat(20_000);
    let errors = vec![0xFF; 20_000];
    let csv = [name.as_bytes(), b"\n", &errors].concat();
    let json = [b"{\"", name.as_bytes(), b"\": \"", &errors, b"\"}"].concat();
    let deep = [&b"[".repeat(20_000), &errors[..]].concat();
    for (format, input) in [("csv", &csv), ("jsonl", &json), ("jsonl", &deep)] {
        let output = run_with(input, ["check", "--rows", format, "--format", "jsonl"]);
        // The nested arrays are not JSON either, because nothing closes them.
        let others = 2 + usize::from(input == &deep);
        assert_eq!(crate::common::lines(&output).len(), 20_000 + others, "the errors, the file and the total");
        assert!(output.stdout.len() < 20_000_000, "{}", output.stdout.len());
        let short = &crate::common::lines(&output)[0]["field"].to_string();
        assert!(format == "csv" || short.contains('\u{2026}'), "{short}");
    }
}

#[test]
fn rejected_characters_are_those_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    // These have longer alternative forms in UTF-7.
    for (from, to, input) in [("utf-7", "gsm-03.38", &b"\0\"}\n"[..]), ("utf-8", "iso-2022-jp", b"\x1B\n")] {
        fs::write(folder.path().join("rows"), input).unwrap();
        let args = ["convert", "--rows", "lines", "--reject", "bad", "-f", from, "-t", to, "rows"];
        let output = run_in(folder.path(), args);
        assert_eq!((status(&output), &*output.stdout), (0, &b""[..]), "{}", messages(&output));
        assert_eq!(fs::read(folder.path().join("bad")).unwrap(), input);
        let reason = &reasons(folder.path(), "bad")[0]["reasons"][0];
        assert_eq!((&reason["offset"], &reason["bytes"]), (&json!(0), &json!(format!("{:02x}", input[0]))));
    }
}

#[test]
fn legacy_rows_are_checked() {
    let input = b"id,name\n1,\xC4\xE3\n2,\xFF\n";
    let output = run_with(input, ["check", "-e", "gb18030", "--rows", "csv", "--format", "short"]);
    assert_eq!(text(&output), "-:3:3: row 3, field 2 (name): malformed: FF is not a character in gb18030\n");
    assert_eq!(status(&run_with(b"1,\xC4\xE3\n", ["check", "-e", "gb18030", "--rows", "csv", "-q"])), 0);
    let output = run_with(input, ["check", "-e", "gb18030", "--format", "short"]);
    assert_eq!(text(&output), "-:3:3: malformed: FF is not a character in gb18030\n");
    assert_eq!(status(&output), 1);
}

#[test]
fn checked_rows_can_be_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.csv"), TABLE).unwrap();
    fs::write(folder.join("b.csv"), b"x\n\xFF\n").unwrap();
    let output = run_in(folder, ["check", "-q", "--rows", "csv", "--reject", "bad", "a.csv", "b.csv"]);
    assert_eq!(status(&output), 1, "{}", messages(&output));
    assert_eq!(fs::read(folder.join("bad")).unwrap(), b"2,b\xFFd\n3,\"open\n6,\xC3(\n\xFF\n");
    let rows: Vec<_> = reasons(folder, "bad").iter().map(|row| (row["path"].clone(), row["row"].clone())).collect();
    assert_eq!(rows[2..], [(json!("a.csv"), json!(7)), (json!("b.csv"), json!(2))]);
}
