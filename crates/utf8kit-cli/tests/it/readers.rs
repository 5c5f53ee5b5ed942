//! Tests that rows that pass are read by the programs that load them, with the same fields and values: Python here,
//! databases in `databases.rs`. The rows are generated, and as hostile as real files.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::Codec;
use utf8kit_records::rows::{Reader, RowFormat, RowOptions, RowSyntax};
use utf8kit_testing::Random;

use crate::common::{has, messages, run_in, skip, status};

/// Returns rows of CSV, most of them of two fields, many of them broken.
pub(crate) fn csv(random: &mut Random) -> Vec<u8> {
    const VALUES: [&[u8]; 22] = [
        b"",
        b"a",
        b"one two",
        b" ",
        "\u{65E5}\u{672C}".as_bytes(),
        "\u{1F600}".as_bytes(),
        b"5\" pipe",
        b"'",
        b"\\",
        b"\\.",
        b"\\N",
        b"\"\"",
        b"\"a\"",
        b"\"x,y\"",
        b"\"two\nlines\"",
        b"\"\r\n\"",
        b"\"say \"\"hi\"\"\"",
        b"\"a\"b",
        b"\t;|",
        "\u{85}\u{2028}".as_bytes(),
        b"\x0B\x0C\x1C\x1D\x7F",
        b"\"\n\\.\n\"",
    ];
    const DAMAGE: [&[u8]; 15] = [
        b"\n\xEF\xBB\xBF\"", b"\"", b"\"", b"\r", b"\n", b"\r\n", b",", b"\0", b"\xFF", b"\xED\xA0\x80", b"\xE2\x82",
        b"\xEF\xBB\xBF", b"\"\"", b"\n\\.\n", b"\n\n",
    ];
    const ENDS: [[&[u8]; 4]; 3] =
        [[b"\n", b"\n", b"\n", b"\n"], [b"\r\n", b"\r\n", b"\r\n", b"\r\n"], [b"\n", b"\n", b"\n", b"\r\n"]];
    let ends = ENDS[random.below(3)];
    let mut rows = Vec::new();
    for _ in 0..60 {
        let fields = if random.below(12) == 0 { random.below(4) } else { 2 };
        let mut row: Vec<_> = (0..fields).map(|_| random.pick(&VALUES)).collect::<Vec<_>>().join(&b',');
        if random.below(6) == 0 {
            let at = random.below(row.len() + 1);
            row.splice(at..at, random.pick(&DAMAGE).iter().copied());
        }
        rows.extend_from_slice(&row);
        rows.extend_from_slice(random.pick(&ends));
    }
    if random.below(3) == 0 {
        rows.pop();
    }
    rows
}

/// Returns lines of JSON, many of them broken.
pub(crate) fn jsonl(random: &mut Random) -> Vec<u8> {
    const VALUES: [&[u8]; 27] = [
        b"1",
        b"-0",
        b"0.50",
        b"1e5",
        b"1E400",
        b"-1e-20000",
        b"0e9999999999",
        b"01",
        b"1.",
        b"NaN",
        b"null",
        b"true",
        b"\"a\"",
        b"[]",
        b"{ }",
        "\"\u{65E5}\u{1F600}\"".as_bytes(),
        b"\"\\u0000\"",
        b"\"\\ud83d\\ude00\"",
        b"\"\\ud800\"",
        b"\"\\x41\"",
        b"\"\t\"",
        b"\"\\/\\b\"",
        b"[1, {\"b\": [2]}]",
        b"{\"\\u00e9\": \"\x7F\"}",
        b"'a'",
        b"[1,]",
        b"\"\r\"",
    ];
    const DAMAGE: [&[u8]; 12] =
        [b"\"", b"\r", b"\n", b"\r\n", b",", b"\0", b"\xFF", b"\\", b"{", b"]", b"\xEF\xBB\xBF", b"\x0B"];
    let end: &[u8] = [&b"\n"[..], b"\r\n"][random.below(2)];
    let mut rows = Vec::new();
    for _ in 0..60 {
        let (one, other) = (random.pick(&VALUES), random.pick(&VALUES));
        let depth = [0, 0, 0, 0, 0, 30, 31, 32, 600][random.below(9)];
        let mut row = b"[".repeat(depth);
        row.extend([b"{\"a\": ", one, b" , \"b\":", other, b"}"].concat());
        row.extend(b"]".repeat(depth));
        if random.below(6) == 0 {
            let at = random.below(row.len() + 1);
            row.splice(at..at, random.pick(&DAMAGE).iter().copied());
        }
        rows.extend_from_slice(&row);
        rows.extend_from_slice(if random.below(20) == 0 { b"\n" } else { end });
    }
    rows
}

/// Writes the rows that pass to `good`, and checks that good and bad rows together are the input. Returns the good
/// rows.
pub(crate) fn filtered(folder: &Path, rows: &[u8], options: &[&str]) -> Vec<u8> {
    fs::write(folder.join("all"), rows).unwrap();
    let args = ["repair", "--reject", "bad", "-o", "good", "all", "--rows"];
    let output = run_in(folder, args.iter().chain(options));
    assert_eq!(status(&output), 0, "{}", messages(&output));
    let [good, bad] = ["good", "bad"].map(|name| fs::read(folder.join(name)).unwrap());
    let (mut merged, mut from_good, mut from_bad) = (Vec::new(), &good[..], &bad[..]);
    for reason in fs::read_to_string(folder.join("bad.reasons.jsonl")).unwrap().lines() {
        let reason: Value = serde_json::from_str(reason).unwrap();
        let number = |name: &str| reason[name].as_u64().unwrap() as usize;
        let (before, rest) = from_good.split_at(number("offset") - merged.len());
        let (row, others) = from_bad.split_at(number("len"));
        merged.extend([before, row].concat());
        (from_good, from_bad) = (rest, others);
    }
    merged.extend_from_slice(from_good);
    assert!(from_bad.is_empty() && merged == rows, "good and bad rows are the input");
    good
}

/// Returns the values of CSV rows in hexadecimal, separated by spaces, one row per line.
pub(crate) fn values(rows: &[u8]) -> String {
    let utf8 = Codec::Native(AnyEncoding::Utf8);
    let mut options = RowOptions::new(RowFormat::Csv);
    // A byte order mark is a part of the first field.
    options.reader = Reader::MYSQL;
    let syntax = RowSyntax::new(options, utf8).unwrap();
    let mut lines = String::new();
    for row in syntax.rows(rows) {
        let row = &rows[row.range];
        let hex = |field| syntax.value(&row[field]).bytes().map(|byte| format!("{byte:02X}")).collect();
        let values: Vec<String> = syntax.fields(row).map(hex).collect();
        lines += &(values.join(" ") + "\n");
    }
    lines
}

/// Runs a script in Python, and returns what it prints.
pub(crate) fn python(folder: &Path, script: &str, args: &[&str]) -> String {
    let output = Command::new("python3").current_dir(folder).args(["-c", script]).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Reads JSON lines from two files, and fails if a value differs.
pub(crate) const SAME_JSON: &str = "
import json, sys
one, other = ([json.loads(line) for line in open(name, encoding='utf-8')] for name in sys.argv[1:])
assert one == other, [pair for pair in zip(one, other) if pair[0] != pair[1]][:1]
";

#[test]
fn python_reads_what_passes() {
    if !has("python3") {
        return skip("Python is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let read_csv = "
import csv
for row in csv.reader(open('good', encoding='utf-8-sig', newline='')):
    print(*(value.encode().hex().upper() for value in row), sep=' ')
";
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut passed = 0;
    for trial in 0..25 {
        // Python before 3.11 rejects NUL.
        let mut rows = csv(&mut random);
        rows.retain(|&byte| byte != 0);
        let good = filtered(folder.path(), &rows, &["csv", "--fields", "2"]);
        passed += good.len();
        let text = good.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&good);
        assert_eq!(python(folder.path(), read_csv, &[]), values(text), "{trial}: {}", good.escape_ascii());
        passed += filtered(folder.path(), &jsonl(&mut random), &["jsonl"]).len();
        python(folder.path(), SAME_JSON, &["good", "good"]);
    }
    assert!(passed > 30_000, "{passed}");
}
