//! Tests that errors of one sequence are reported as one mistake.

use std::fs;

use crate::common::{lines, run_in, run_with, text};
use serde_json::{Value, json};
use utf8kit_files::BLOCK;

/// An overlong form, a surrogate, a value that is too large, and a single byte.
const MISTAKES: &[u8] = b"a\xC0\xAF b\xED\xA0\x80 c\xF4\x90\x80\x80 d\x80\n";

/// Returns the position of each error, and its group.
fn groups(bytes: &[u8]) -> Vec<(u64, [u64; 2])> {
    let output = run_with(bytes, ["check", "--format", "jsonl"]);
    let errors = lines(&output).into_iter().filter(|line| line["type"] == "error");
    let group = |line: &Value| ["offset", "len"].map(|field| line["group"][field].as_u64().unwrap());
    errors.map(|line| (line["offset"].as_u64().unwrap(), group(&line))).collect()
}

#[test]
fn people_see_one_picture_and_both_totals() {
    let shown = text(&run_with(MISTAKES, ["check"]));
    let places: Vec<&str> = shown.lines().filter(|line| line.starts_with("-:")).collect();
    assert_eq!(
        places[..3],
        [
            "-:1:2: overlong form: 2 errors of one sequence (byte 1)",
            "-:1:6: surrogate: 3 errors of one sequence (byte 5)",
            "-:1:11: value too large: 4 errors of one sequence (byte 10)",
        ]
    );
    assert_eq!(places[3], "-: 10 errors in 4 places", "{shown}");
    assert!(shown.contains(" \u{2039}F4 90 80 80\u{203A} ") && shown.contains(" ^^^^^^^^^^^"), "{shown}");
    assert!(shown.ends_with("  note: pipe it through `utf8 repair`\n"), "{shown}");
}

#[test]
fn json_lines_keep_each_error_and_name_its_group() {
    let [overlong, surrogate, large] = [[1, 2], [5, 3], [10, 4]];
    let want = [
        (1, overlong),
        (2, overlong),
        (5, surrogate),
        (6, surrogate),
        (7, surrogate),
        (10, large),
        (11, large),
        (12, large),
        (13, large),
        (16, [16, 1]),
    ];
    assert_eq!(groups(MISTAKES), want);
    let all = lines(&run_with(MISTAKES, ["check", "--format", "jsonl"]));
    let [.., file, summary] = &all[..] else { panic!() };
    for total in [file, summary] {
        assert_eq!((&total["places"], &total["errors"]), (&json!(4), &json!(10)));
    }
}

#[test]
fn a_sequence_takes_what_its_lead_asks_for_and_no_more() {
    // A fourth continuation byte, a lead byte for five, an incomplete sequence, and bytes that begin no sequence.
    assert_eq!(groups(b"\xF4\x90\x80\x80\x80").last().unwrap().1, [4, 1]);
    assert_eq!(groups(b"\xFC\x84\x80\x80\x80\x80").last().unwrap().1, [0, 6]);
    assert_eq!(groups(b"\xF4\x90\x80a\x80").last().unwrap().1, [4, 1]);
    assert_eq!(groups(b"\xFF\x80"), [(0, [0, 1]), (1, [1, 1])]);
    assert_eq!(
        groups("\u{E9}".as_bytes().iter().chain(b"\x80").copied().collect::<Vec<_>>().as_slice()),
        [(2, [2, 1])]
    );
}

#[test]
fn blocks_and_limits_cut_no_sequence() {
    let folder = tempfile::tempdir().unwrap();
    // With this length, one of them crosses the end of each block, at every offset.
    for shift in 0..4 {
        let mut bytes = vec![b'x'; shift];
        while bytes.len() < 600_000 {
            bytes.extend(b"\xF4\x90\x80\x80");
        }
        fs::write(folder.path().join("many"), &bytes).unwrap();
        let places = bytes.len() / 4;
        let all = lines(&run_in(folder.path(), ["check", "--format", "jsonl", "--max-errors", "1", "many"]));
        assert_eq!(all.last().unwrap()["places"], places, "{shift}");
    }
    let shown = text(&run_in(folder.path(), ["check", "--max-errors", "500", "many"]));
    assert_eq!(shown.matches("4 errors of one sequence").count(), 500);
    assert!(shown.contains("the first 500 are shown"), "{shown}");
    // One of these crosses the end of the first block.
    let bytes = [vec![b'x'; BLOCK - 1002], b"\xF4\x90\x80\x80".repeat(600)].concat();
    fs::write(folder.path().join("many"), bytes).unwrap();
    let shown = text(&run_in(folder.path(), ["check", "--max-errors", "0", "many"]));
    assert_eq!(shown.matches("4 errors of one sequence").count(), 600);
}

#[test]
fn the_page_has_one_row_for_a_sequence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), MISTAKES).unwrap();
    run_in(folder.path(), ["check", "--report", "page.html", "bad"]);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert_eq!(page.matches("<section class=\"error\">").count(), 4);
    assert!(page.contains("value too large: 4 errors of one sequence"));
    assert!(page.contains("<dt>Places</dt><dd>4</dd>") && page.contains("<dt>Errors</dt><dd>10</dd>"));
}
