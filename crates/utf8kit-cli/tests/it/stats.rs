//! Tests `utf8 stats`.

use std::fs;

use crate::common::{damaged, lines, run_in, run_with, status, text};
use serde_json::json;
use utf8kit::Utf8;
use utf8kit::summary::Stats;

#[test]
fn numbers_are_right() {
    let output = run_with("a\u{E9}\r\n\u{20AC}\n\u{1F600}".as_bytes(), ["stats", "--format", "jsonl"]);
    assert_eq!(status(&output), 0);
    let file = &lines(&output)[0];
    assert_eq!((&file["type"], &file["bytes"], &file["code_points"]), (&json!("file"), &json!(13), &json!(7)));
    assert_eq!(file["line_ends"], json!({"lf": 1, "cr": 0, "crlf": 1}));
    assert_eq!(file["lengths"], json!({"1": 4, "2": 1, "3": 1, "4": 1}));
    assert_eq!(file["planes"], json!({"0": 6, "1": 1}));
    assert_eq!(file["scripts"], json!({"Common": 5, "Latin": 2}));
    assert_eq!((&file["sizes"]["utf-16"], &file["sizes"]["latin1"]), (&json!(16), &json!(null)));
}

#[test]
fn parts_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = damaged(1_500_000);
    bytes.extend_from_slice(&b"\r\n".repeat(200_000));
    fs::write(folder.path().join("file"), &bytes).unwrap();
    let expected = Stats::of(Utf8, &bytes, 0..bytes.len());
    for threads in ["1", "3"] {
        let output = run_in(folder.path(), ["stats", "--format", "jsonl", "-j", threads, "file"]);
        let file = &lines(&output)[0];
        assert_eq!(file["code_points"], expected.code_points);
        assert_eq!(file["errors"], expected.errors);
        assert_eq!(file["lines"], expected.lines());
        assert_eq!(file["line_ends"]["crlf"], expected.crlf);
        assert_eq!(file["sizes"]["utf-16"], expected.utf16_bytes());
    }
}

#[test]
fn files_and_their_total() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "\u{FEFF}one\n").unwrap();
    fs::write(folder.path().join("b"), "two\n").unwrap();
    fs::write(folder.path().join("binary"), b"\0\x01\x02").unwrap();
    let output = run_in(folder.path(), ["stats", "--format", "jsonl", "."]);
    let lines = lines(&output);
    assert_eq!(lines.len(), 3);
    assert_eq!((&lines[0]["path"], &lines[0]["bom"], &lines[1]["bom"]), (&json!("a"), &json!(true), &json!(false)));
    assert_eq!((&lines[2]["type"], &lines[2]["files"], &lines[2]["bytes"]), (&json!("total"), &json!(2), &json!(11)));
    let shown = text(&run_in(folder.path(), ["stats", "a", "b"]));
    assert!(shown.contains("Total of 2 files") && shown.contains("Basic Latin"), "{shown}");
    assert_eq!(status(&run_in(folder.path(), ["stats", "a", "no-such"])), 2);
    let none = run_in(folder.path(), ["stats", "no-such"]);
    assert_eq!((status(&none), text(&none)), (2, String::new()));
}

#[test]
fn files_are_counted_each_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for i in 0..300_usize {
        let text = format!("{}\u{E9}\u{20AC}\r\n{}", "a".repeat(i), char::from_u32(0x400 + i as u32).unwrap());
        fs::write(folder.path().join(format!("{i:03}")), &text).unwrap();
        all.extend(text.into_bytes());
    }
    let counted = lines(&run_in(folder.path(), ["stats", "-j3", "--format", "jsonl", "."]));
    let whole = lines(&run_with(&all, ["stats", "--format", "jsonl", "-"]));
    for (i, file) in counted[..300].iter().enumerate() {
        assert_eq!((&file["path"], &file["code_points"]), (&json!(format!("{i:03}")), &json!(i + 5)));
        let alone = lines(&run_in(folder.path(), ["stats", "--format", "jsonl", &format!("{i:03}")]));
        assert_eq!(alone[0], *file);
    }
    for field in ["bytes", "code_points", "lines", "line_ends", "lengths", "blocks", "scripts", "sizes"] {
        assert_eq!(counted[300][field], whole[0][field], "{field}");
    }
}

#[test]
fn encodings_of_one_size_share_a_bar() {
    let shown = text(&run_with(b"text", ["stats"]));
    let (_, sizes) = shown.split_once("Size in bytes\n").unwrap();
    let numbers: Vec<u64> = sizes.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    assert_eq!(numbers, [4, 8, 16], "{sizes}");
    assert!(sizes.contains("utf-8, latin1, ") && sizes.contains("EUC-KR\n"), "{sizes}");
    assert!(sizes.lines().all(|line| line.chars().count() <= 110), "{sizes}");
    let continued = |line: &str| line.starts_with(&" ".repeat(40));
    let pairs = sizes.lines().zip(sizes.lines().skip(1));
    let broken: Vec<_> = pairs.filter(|(_, next)| continued(next)).map(|(line, _)| line).collect();
    assert!(!broken.is_empty() && broken.iter().all(|line| line.ends_with(',')), "{sizes}");
}

#[test]
fn languages_and_readability() {
    let german = "Das Wetter ist heute sch\u{F6}n, und wir gehen alle zusammen spazieren.\n";
    let rubbish = "xQ~z}k\u{A7}JvW{qZ#\u{B6}pXw|kVj@zq\u{B1}Ky xQ~z}k\u{A7}JvW{qZ#\u{B6}pXw|kVj@zq\u{B1}Ky";
    let file = &lines(&run_with(german.as_bytes(), ["stats", "--format", "jsonl"]))[0];
    assert_eq!((&file["languages"], &file["readability"]), (&json!({"de": 67}), &json!(1.0)));
    let file = &lines(&run_with(rubbish.as_bytes(), ["stats", "--format", "jsonl"]))[0];
    assert!(file["readability"].as_f64().is_some_and(|share| share < 0.5), "{file}");
    let shown = text(&run_with(german.as_bytes(), ["stats"]));
    assert!(shown.contains("readability") && shown.contains("Languages"), "{shown}");
}

#[test]
fn text_in_a_legacy_encoding_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), b"caf\xE9 \x80\r\n").unwrap();
    fs::write(folder.path().join("japanese"), b"\x82\xA0\x82").unwrap();
    let old = run_in(folder.path(), ["stats", "--format", "jsonl", "-e", "windows-1252", "old"]);
    let file = &lines(&old)[0];
    assert_eq!((&file["encoding"], &file["bytes"]), (&json!("windows-1252"), &json!(8)));
    assert_eq!((&file["code_points"], &file["lines"], &file["errors"]), (&json!(8), &json!(1), &json!(0)));
    assert_eq!(file["sizes"]["utf-8"], json!(11));
    let japanese = run_in(folder.path(), ["stats", "--format", "short", "-e", "shift_jis", "japanese"]);
    assert_eq!(text(&japanese), "japanese: Shift_JIS, 3 bytes, 2 code points, 0 lines, 1 error\n");
}
