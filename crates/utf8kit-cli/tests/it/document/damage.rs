//! Tests damage between two versions of a file, and its repair.

use std::fs;

use super::MENU;
use crate::common::{lines, run_in, status, text, utf8};

/// Doubtful places are not restored, and the totals count them.
#[test]
fn the_totals_of_damage_say_what_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let totals = |old: &[u8], new: &str| {
        fs::write(folder.path().join("old"), old).unwrap();
        fs::write(folder.path().join("new"), new).unwrap();
        text(&run_in(folder.path(), ["check", "--against", "old", "new"]))
    };
    for (old, new, wanted) in [
        (&b"caf\xE9 d\xE9j\xE0\n"[..], "caf\u{FFFD} d\u{FFFD}j\u{FFFD}\n", "new: 3 damaged places (3 replaced)\n"),
        (
            b"caf\xE9\nd\xE9j\xE0\n",
            "caf\u{FFFD}\nneu \u{FFFD}\nd\u{FFFD}j\u{FFFD}\n",
            "  note: 1 is doubtful, and `utf8 restore` leaves it as it is\n",
        ),
        (b"abc\n", "abc\u{FFFD}\n", "  note: 1 is doubtful, and `utf8 restore` leaves it as it is\n"),
    ] {
        let shown = totals(old, new);
        assert!(shown.contains(wanted), "{shown}");
    }
}

#[test]
fn damage_between_two_files_is_named_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("old", MENU);
    write("new", "/* caf\u{FFFD} */\nint th\u{FFFD} = 1;\n".as_bytes());
    let run = |args: &[&str]| run_in(folder.path(), args);
    let short = run(&["check", "--against", "old", "new", "--format", "short"]);
    let want = "new:1:7: replaced: E9 (é in windows-1252) became U+FFFD\n\
                new:1:11: line ends: CR LF became LF\n\
                new:2:7: replaced: E9 (é in windows-1252) became U+FFFD\n\
                new:2:13: line ends: CR LF became LF\n";
    assert_eq!((text(&short).as_str(), status(&short)), (want, 1));
    let found = lines(&run(&["check", "--against", "old", "new", "--format", "jsonl"]));
    assert_eq!((&found[0]["type"], &found[0]["damage"]), (&"damage".into(), &"replaced".into()));
    assert_eq!((&found[0]["old_offset"], &found[0]["old_bytes"]), (&6.into(), &"e9".into()));
    assert_eq!(found.last().unwrap()["damage"]["line_ends"], 2);
    assert_eq!((&found.last().unwrap()["invalid_files"], &found.last().unwrap()["errors"]), (&1.into(), &0.into()));
    let sarif = text(&run(&["check", "--against", "old", "new", "--format", "sarif"]));
    assert!(sarif.contains("\"ruleId\":\"replaced\""), "{sarif}");
    assert_eq!(status(&run(&["check", "--against", "old", "new", "--exit-zero"])), 0);

    let restored = run(&["restore", "--from", "old", "new"]);
    assert_eq!(restored.stdout, b"/* caf\xE9 */\r\nint th\xE9 = 1;\r\n");
    assert_eq!(status(&run(&["restore", "--from", "old", "new", "--in-place", "--ledger", "log"])), 0);
    let clean = run(&["check", "--against", "old", "new", "--quiet", "-e", "latin1"]);
    assert_eq!(status(&clean), 0);
    assert_eq!(status(&run(&["undo", "log"])), 0);
    assert!(fs::read(folder.path().join("new")).unwrap().starts_with("/* caf\u{FFFD}".as_bytes()));
}

/// The replacement is shown as text in the encoding of the file.
#[test]
fn damage_in_utf16_is_reported_in_letters() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        fs::write(folder.path().join(name), bytes).unwrap();
    };
    write("old", "\u{FEFF}na\u{EF}ve caf\u{E9}\r\n");
    for (became, sign) in [("?", "?"), ("\u{FFFD}", "U+FFFD")] {
        write("new", &format!("\u{FEFF}na{became}ve caf{became}\r\n"));
        let args = ["check", "--against", "old", "new", "-e", "utf-16le", "--format", "short"];
        let short = text(&run_in(folder.path(), args));
        let want = format!(
            "new:1:3: replaced: EF 00 (\u{EF} in utf-16le) became {sign}\n\
             new:1:10: replaced: E9 00 (\u{E9} in utf-16le) became {sign}\n"
        );
        assert_eq!(short, want);
    }
}

#[test]
fn damage_is_drawn_as_it_was_and_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("old.c"), b"/* caf\xE9 noir */\n").unwrap();
    fs::write(root.join("new.c"), "/* caf\u{FFFD} noir */\n").unwrap();
    let output = run_in(root, ["check", "--against", "old.c", "--report", "r.html", "new.c"]);
    assert_eq!(status(&output), 1);
    let expected = [
        "new.c:1:7: replaced: E9 (\u{E9} in windows-1252) became U+FFFD (byte 6)",
        "      | 2F 2A 20 63 61 66  E9 20 6E 6F 69 72 20 2A 2F",
        "  was | /  *     c  a  f  \u{2039}E9\u{203A}   n  o  i  r     *  /",
        "      |                    ^^",
        "      | 2F 2A 20 63 61 66  EF BF BD 20 6E 6F 69 72 20 2A 2F",
        "    1 | /  *     c  a  f  \u{2039}EF BF BD\u{203A}   n  o  i  r     *  /",
        "      |                    ^^^^^^^^",
    ];
    let shown = text(&output);
    assert_eq!(shown.lines().skip(1).take(7).collect::<Vec<_>>(), expected, "{shown}");
    let page = fs::read_to_string(root.join("r.html")).unwrap();
    assert!(page.contains("<h1 class=\"bad\">1 damaged place</h1>"), "{page}");
    assert!(page.contains("replaced: E9 (\u{E9} in windows-1252) became U+FFFD"), "{page}");
    for bytes in ["<b>E9</b>", "<b>EF</b>"] {
        assert!(page.contains(&format!("<span class=\"byte in mono\">{bytes}")), "{page}");
    }
}

/// Only the beginning of damage as long as a line is drawn.
#[test]
#[cfg(unix)]
fn long_damage_fits_in_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let japanese = b"\x82\xB1\x82\xEA\x82\xCD\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7\x81B";
    fs::write(folder.path().join("old"), japanese.repeat(50)).unwrap();
    let text_now = "\u{3053}\u{308C}\u{306F}\u{65E5}\u{672C}\u{8A9E}\u{306E}\u{30C6}\u{30AD}\u{30B9}\u{30C8}\u{3067}\
        \u{3059}\u{3002}";
    fs::write(folder.path().join("new"), text_now.repeat(50)).unwrap();
    for columns in [40, 80, 200] {
        let mut command = utf8(["check", "--against", "old", "new"]);
        let output = command.env("COLUMNS", columns.to_string()).current_dir(folder.path()).output().unwrap();
        let shown = text(&output);
        let rows: Vec<_> = shown.lines().filter(|line| line.contains(" |")).collect();
        assert!(rows.len() == 6 && rows.iter().all(|row| row.chars().count() <= columns), "{columns}: {shown}");
        assert!(rows[0].contains("82 B1 82 EA 82 CD") && rows[0].contains(" ..."), "{columns}: {shown}");
    }
}
