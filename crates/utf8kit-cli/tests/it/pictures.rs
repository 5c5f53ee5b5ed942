//! Tests that the pictures of all commands fit into a narrow terminal.

use std::fs;

use crate::common::{text, utf8};

/// Returns the width of a line: characters of East Asia and emoji take two columns.
fn width(line: &str) -> usize {
    line.chars().map(|c| if c >= '\u{1100}' && !('\u{2000}'..'\u{2E80}').contains(&c) { 2 } else { 1 }).sum()
}

/// Runs a command in a folder with some files.
fn lines(args: &[&str], columns: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    file("broken", b"some words before \xC0\xAF and some words behind it\xF0\x9F\n");
    file("mixed", "aé€\u{1F600}\u{10FFFD}漢字\r\nСловарь\rαβγ\u{18B0}\n".repeat(2000).as_bytes());
    let mut command = utf8(args.iter().copied());
    let output = command.env("COLUMNS", columns.to_string()).current_dir(folder.path()).output().unwrap();
    text(&output).lines().map(str::to_owned).collect()
}

const EXPLAINED: [&[&str]; 8] = [
    &["explain", "é€\u{1F600}\u{10FFFF}\u{FBF9}A"],
    &["explain", "--hex", "E2 82 F0 90 80 41 FC 84 80 F4 90 80 80 ED A0 80"],
    &["explain", "--encoding", "cesu-8", "\u{1F600}"],
    &["explain", "--encoding", "utf-8-31bit", "--hex", "FD BF BF BF BF BF"],
    &["explain", "--encoding", "utf-16le", "é\u{1F600}"],
    &["explain", "--encoding", "utf-32be", "--hex", "00 11 00 00"],
    &["explain", "--code-point", "D800"],
    &["explain", "--at", "18", "broken"],
];

#[test]
fn all_pictures_fit_into_few_columns() {
    for columns in [40, 60, 80] {
        for args in EXPLAINED.into_iter().chain([&["stats", "broken", "mixed"][..]]) {
            let lines = lines(args, columns);
            assert!(lines.len() > 5, "{args:?}");
            let wide: Vec<_> = lines.iter().filter(|line| width(line) > columns).collect();
            assert!(wide.is_empty(), "{args:?}, {columns}: {wide:#?}");
        }
        let lines = lines(&["check", "broken"], columns);
        let is_picture = |line: &&String| line.contains(" |") || line.starts_with("  byte 0");
        let mut pictures = lines.iter().filter(is_picture);
        assert!(pictures.all(|line| width(line) <= columns), "{columns}: {lines:#?}");
    }
}

#[test]
fn narrow_pictures_say_the_same() {
    let words = |columns| {
        let joined = lines(EXPLAINED[0], columns).join(" ");
        let mut words: Vec<String> = joined.split_whitespace().map(str::to_owned).collect();
        // The labels of the rows below.
        words.retain(|word| !["payload", "pattern", "bytes", "hex", "octal"].contains(&&**word));
        words.sort_unstable();
        words
    };
    assert_eq!(words(40), words(200));
    let expected = "\
U+1F600 GRINNING FACE  \u{1F600}
  at byte 0, 4 bytes
  binary      0000 0001 1111
              0110 0000 0000
  payload          000    011111
  pattern     11110xxx  10xxxxxx
  bytes       11110000  10011111
  hex               F0        9F
  octal            360       237
  payload       011000    000000
  pattern     10xxxxxx  10xxxxxx
  bytes       10011000  10000000
  hex               98        80
  octal            230       200
  elsewhere   F0 9F 98 80  utf-8-21bit,
                utf-8-31bit, wtf-8
";
    let narrow = lines(&["explain", "\u{1F600}"], 40).join("\n");
    assert!(narrow.starts_with(expected), "{narrow}");
}

/// A character of several bytes is read from the start of its line, and only errors are read in another encoding.
#[test]
fn pictures_show_what_the_line_reads_as() {
    let folder = tempfile::tempdir().unwrap();
    let japanese = b"\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x83\x65\x83\x4C\x83\x58\x83\x67\x81\x42\n";
    fs::write(folder.path().join("jp.txt"), japanese).unwrap();
    fs::write(folder.path().join("a.csv"), b"1,Jos\xE9\n2,M\xFCller\n3,Zo\xC3\xAB\n").unwrap();
    let shown = |args: &[&str]| text(&crate::common::run_in(folder.path(), args));
    let jp = shown(&["check", "jp.txt"]);
    assert!(jp.contains("jp.txt:1:1: 93 FA, \u{65E5} in Shift_JIS (byte 0)"), "{jp}");
    let rows = shown(&["check", "--rows", "csv", "a.csv"]);
    assert!(rows.contains("): E9, \u{E9} in windows-1252 (byte 5)"), "{rows}");
    let long = shown(&["check", "--max-chars", "3", "a.csv"]);
    assert!(long.contains("note: UTF-8, but 2 of 3 lines read as windows-1252"), "{long}");
    assert!(long.contains("a.csv:1:4: the value is longer") && long.contains(": E9, \u{E9} in windows-1252"), "{long}");
}

#[test]
fn names_are_above_their_bars_in_few_columns() {
    let narrow = lines(&["stats", "broken"], 40);
    let at = narrow.iter().position(|line| line == "    Basic Latin").expect("a block");
    assert_eq!(narrow[at + 1], "            44  100.00 %  ██████████████");
}
