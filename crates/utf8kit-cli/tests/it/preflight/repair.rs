//! Tests repairs of text in other encodings.

use std::fs;

use super::{RUSSIAN, others, read, utf16le, windows_1251};
use crate::common::{advises, messages, run_in, run_with, status, text};

#[test]
fn repair_in_place_skips_other_encodings_and_names_the_right_command() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, _) in others() {
        fs::write(root.join(name), bytes).unwrap();
    }
    fs::write(root.join("broken.txt"), b"na\xC3\xAFve \xFF and \xC3\xA9\xC3\xA9 so on\n").unwrap();
    fs::write(root.join("binary"), b"\x7FELF\0\xFF").unwrap();
    for policy in ["replace", "remove", "same-length", "replace-run"] {
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "."]);
        assert_eq!(status(&output), 2, "{}", messages(&output));
        for (name, bytes, from) in others() {
            assert_eq!(read(root, name), bytes, "{policy} {name}");
            let wanted = format!(
                "{name}: skipped: it looks like {from}, and text would be lost (--force overrides this)\n  \
                 help: utf8 convert --in-place --from {from} {name}"
            );
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
        assert!(messages(&output).contains("5 in another encoding) of 7 files"), "{}", messages(&output));
        assert!(!messages(&output).contains("binary: skipped"), "only with --verbose");
    }
    assert_eq!(read(root, "broken.txt"), "naïve \u{FFFD} and éé so on\n".as_bytes());
    let verbose = run_in(root, ["repair", "--in-place", "-v", "."]);
    assert!(messages(&verbose).contains("binary: skipped: it is binary"), "{}", messages(&verbose));
    // The suggested command keeps all text.
    for (name, bytes, from) in others() {
        let output = run_in(root, ["convert", "--in-place", "--from", from, name]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert!(!String::from_utf8(read(root, name)).unwrap().contains('\u{FFFD}'), "{name}");
        fs::write(root.join(name), bytes).unwrap();
    }
    // A reversible policy also keeps it, and --force overrides the check.
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "escape", "legacy.txt"])), 0);
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "unescape", "legacy.txt"])), 0);
    assert_eq!(read(root, "legacy.txt"), windows_1251());
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--force", "."])), 0);
    assert!(String::from_utf8(read(root, "legacy.txt")).unwrap().contains('\u{FFFD}'));
}

#[test]
fn repair_into_an_output_does_as_reported_and_warns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, from) in others() {
        fs::write(root.join(name), &bytes).unwrap();
        let warning = format!("looks like {from}, and this repair loses text\n");
        let command = format!("utf8 convert --from {from}");
        let file = run_in(root, ["repair", name, "-o", "out"]);
        let pipe = run_with(&bytes, ["repair"]);
        let rows = run_in(root, ["repair", "--for", "postgresql", name, "-o", "rows"]);
        let rows_of_pipe = run_with(&bytes, ["repair", "--for", "postgresql"]);
        for output in [&file, &pipe, &rows, &rows_of_pipe] {
            assert_eq!(status(output), 1, "{}", messages(output));
            assert!(messages(output).contains(&warning), "{warning}\n{}", messages(output));
            assert!(advises(output, &command), "{command}\n{}", messages(output));
        }
        assert_eq!(read(root, "out"), pipe.stdout);
    }
    // So are files whose encoding is only possible. For these, `check` suggests `utf8 detect`.
    let possible = b"ab\xE9\xF5\xE1cd ef\xF5gh\n";
    fs::write(root.join("possible"), possible).unwrap();
    let hinted = text(&run_in(root, ["check", "possible"]));
    assert!(hinted.contains("reads as windows-125") && hinted.contains("help: utf8 detect possible"), "{hinted}");
    let output = run_in(root, ["repair", "--in-place", "possible"]);
    assert_eq!((status(&output), read(root, "possible")), (2, possible.to_vec()), "{}", messages(&output));
    let advice = "(--force overrides this)\n  note: not sure: it may also be ";
    assert!(messages(&output).contains(advice), "{}", messages(&output));
    let piped = run_with(possible, ["repair"]);
    assert!(messages(&output).ends_with("\n  help: utf8 detect possible\n"), "{}", messages(&output));
    let advice = "loses text\n  note: not sure: it may also be ";
    assert!(messages(&piped).contains(advice), "{}", messages(&piped));
    // A reported line is also left alone: one letter of DOS next to UTF-8 (`iş denetimi`).
    let turkish = b"bu kabukta i\x9F denetimi\ne\xC5\x9Fle\xC5\x9Fme yok\n";
    fs::write(root.join("turkish"), turkish).unwrap();
    let output = run_in(root, ["repair", "--in-place", "turkish"]);
    assert_eq!((status(&output), read(root, "turkish")), (2, turkish.to_vec()), "{}", messages(&output));
    assert!(messages(&output).contains("-p fallback-lines=CP857"), "{}", messages(&output));
    // East Asian text has few or no ASCII letters.
    let chinese = b"\xBB\xF0\xD0l\xB6\xFE(\xCC\xD8\xD5\xF7)\xA1\xA4[\xBB\xF0\xCE\xC0]\n";
    fs::write(root.join("chinese"), chinese).unwrap();
    let output = run_in(root, ["repair", "--in-place", "chinese"]);
    assert_eq!((status(&output), read(root, "chinese")), (2, chinese.to_vec()), "{}", messages(&output));
    assert!(messages(&output).contains("convert --in-place --from gb18030"), "{}", messages(&output));
    // So is a single name in a text.
    let name = b"/* Copyright by the authors, of whom Mr. M\xFCller is the first, and others follow. */\n";
    fs::write(root.join("name"), name).unwrap();
    let output = run_in(root, ["repair", "--in-place", "name"]);
    assert_eq!((status(&output), read(root, "name")), (2, name.to_vec()), "{}", messages(&output));
    let broken = run_with("naïve \u{1F600} text \u{E9}\n".as_bytes(), ["repair"]);
    assert_eq!(messages(&broken), "");
}

#[test]
fn a_repair_in_a_wrong_encoding_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let utf8 = "hello wörld, this is UTF-8 \u{1F600}\n".as_bytes();
    let mut all = 0;
    for (bytes, right, wrong) in [
        (utf8, "utf-8", &["utf-16le", "utf-16be", "utf-16", "utf-32le", "utf-32", "cesu-8", "mutf-8"][..]),
        (b"just ASCII, an odd number of bytes\n", "utf-8", &["utf-16be", "utf-32le"]),
        (&utf16le("hello\n"), "utf-16le", &["utf-32le", "utf-32be", "mutf-8"]),
        (&windows_1251()[1..], "windows-1251", &["utf-16le", "utf-32be", "cesu-8"]),
    ] {
        for encoding in wrong {
            fs::write(root.join("file"), bytes).unwrap();
            let output = run_in(root, ["repair", "--in-place", "--encoding", encoding, "file"]);
            assert_eq!((status(&output), &read(root, "file")[..]), (2, bytes), "{}", messages(&output));
            let wanted = format!("it looks like {right}, and text would be lost");
            assert!(messages(&output).contains(&wanted), "{encoding}: {}", messages(&output));
            assert!(!messages(&output).contains("--from utf-8"), "{}", messages(&output));
            all += 1;
        }
    }
    assert_eq!(all, 15);
    // These are damaged.
    for (encoding, bytes, repaired) in [
        ("utf-16le", &b"h\0e\0l"[..], &b"h\0e\0\xFD\xFF"[..]),
        ("utf-16le", b"\0\xD8h\0\n\0", b"\xFD\xFFh\0\n\0"),
        ("utf-32be", b"\0\0\0h\0\xFF\0\0", b"\0\0\0h\0\0\xFF\xFD"),
        ("cesu-8", b"\xED\xA0\xBD\xED\xB8\x80 \xC3\xA9 \xC0\n", b"\xED\xA0\xBD\xED\xB8\x80 \xC3\xA9 \xEF\xBF\xBD\n"),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--encoding", encoding, "file"]);
        assert_eq!((status(&output), &read(root, "file")[..]), (0, repaired), "{}", messages(&output));
    }
}

#[test]
fn a_file_in_another_encoding_than_the_fallback_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("legacy.txt"), windows_1251()).unwrap();
    fs::write(root.join("lines.txt"), b"na\xC3\xAFve\ncaf\xE9\n").unwrap();
    for policy in ["fallback=windows-1252", "fallback-lines=koi8-r"] {
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "legacy.txt"]);
        assert_eq!((status(&output), read(root, "legacy.txt")), (2, windows_1251()), "{}", messages(&output));
        let advised = "windows-1251, and text would be lost (--force overrides this)\n  \
                       help: utf8 convert --in-place --from windows-1251";
        assert!(messages(&output).contains(advised), "{}", messages(&output));
    }
    let repair = ["repair", "--in-place", "--policy", "fallback=windows-1252"];
    // Nor are its lines decoded.
    let mixed = [RUSSIAN.repeat(3).as_bytes(), &windows_1251(), RUSSIAN.as_bytes()].concat();
    fs::write(root.join("mixed.txt"), &mixed).unwrap();
    let output = run_in(root, repair.iter().chain(&["mixed.txt"]));
    assert_eq!((status(&output), read(root, "mixed.txt")), (2, mixed), "{}", messages(&output));
    let advised = "help: utf8 repair --in-place -p fallback-lines=windows-1251 mixed.txt";
    assert!(messages(&output).contains(advised), "{}", messages(&output));
    let right = ["repair", "--in-place", "--policy", "fallback-lines=windows-1251", "mixed.txt"];
    assert_eq!(status(&run_in(root, right)), 0);
    assert_eq!(read(root, "mixed.txt"), RUSSIAN.repeat(8).as_bytes());
    assert_eq!(status(&run_in(root, repair.iter().chain(&["lines.txt"]))), 0);
    assert_eq!(read(root, "lines.txt"), "naïve\ncafé\n".as_bytes());
    assert_eq!(status(&run_in(root, repair.iter().chain(&["--force", "legacy.txt"]))), 0);
    assert!(String::from_utf8(read(root, "legacy.txt")).unwrap().starts_with("Ñúåøü"));
}

/// `шё` in KOI8-R is a valid UTF-8 sequence, so it stays unchanged if only errors are decoded.
#[test]
fn letters_that_are_sequences_of_utf8_are_not_left_undecoded() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let line = "Её решённые задачи и всё остальное в её тетради\n";
    let koi8 = run_with(line.as_bytes(), ["convert", "--to", "koi8-r"]).stdout;
    let repair = |policy: &str, name: &str| run_in(root, ["repair", "--in-place", "--policy", policy, name]);
    let mixed = [RUSSIAN.repeat(8).as_bytes(), &koi8].concat();
    fs::write(root.join("mixed"), &mixed).unwrap();
    let output = repair("fallback=koi8-r", "mixed");
    assert_eq!((status(&output), read(root, "mixed") == mixed), (2, true), "{}", messages(&output));
    let advice = "help: utf8 repair --in-place -p fallback-lines=KOI8-R mixed";
    assert!(messages(&output).contains(advice), "{}", messages(&output));
    let piped = run_with(&mixed, ["repair", "--policy", "fallback=koi8-r"]);
    assert!(advises(&piped, "utf8 repair -p fallback-lines=KOI8-R"), "{}", messages(&piped));
    assert_eq!(status(&repair("fallback-lines=koi8-r", "mixed")), 0);
    assert_eq!(String::from_utf8(read(root, "mixed")).unwrap(), RUSSIAN.repeat(8) + line);
    // No part of it is UTF-8, so it is converted.
    fs::write(root.join("legacy"), koi8.repeat(2)).unwrap();
    let output = repair("fallback=koi8-r", "legacy");
    assert_eq!((status(&output), read(root, "legacy") == koi8.repeat(2)), (2, true), "{}", messages(&output));
    let advice = "help: utf8 convert --in-place --from KOI8-R legacy";
    assert!(messages(&output).contains(advice), "{}", messages(&output));
    // Nor are values of a dump left unconverted.
    let dump = [b"INSERT INTO `t` (`a`) VALUES ('", koi8.trim_ascii_end(), b"');\n"].concat();
    fs::write(root.join("dump"), &dump).unwrap();
    let rows = ["repair", "--rows", "mysqldump", "--in-place", "--policy"];
    let output = run_in(root, rows.iter().chain(&["fallback=koi8-r", "dump"]));
    assert_eq!((status(&output), read(root, "dump") == dump), (2, true), "{}", messages(&output));
    assert_eq!(status(&run_in(root, rows.iter().chain(&["fallback-lines=koi8-r", "dump"]))), 0);
    let wanted = format!("INSERT INTO `t` (`a`) VALUES ('{}');\n", line.trim_end());
    assert_eq!(String::from_utf8(read(root, "dump")).unwrap(), wanted);
}

/// Some shells append UTF-16 to a log in any encoding.
#[test]
fn utf16_behind_a_log_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let wide = |text: &str, to| run_with(text.as_bytes(), ["convert", "--to", to]).stdout;
    let utf16 = wide("Datei gelöscht\n", "utf-16le");
    let polish = wide("Błąd: łódź\n", "utf-16le");
    let polish_be = wide("Błąd: łódź\n", "utf-16be");
    for (lines, utf16) in
        [(1, &utf16), (5000, &utf16), (20, &polish), (20, &polish_be), (20, &wide("not found: 日志\n", "utf-16le"))]
    {
        let log = ["started\n".repeat(lines).as_bytes(), utf16].concat();
        for args in [&["repair", "--in-place"][..], &["convert", "--in-place", "--from", "windows-1252"]] {
            fs::write(root.join("log"), &log).unwrap();
            let output = run_in(root, args.iter().chain(&["log"]));
            assert_eq!((status(&output), read(root, "log") == log), (2, true), "{}", messages(&output));
        }
    }
    let skipped = messages(&run_in(root, ["repair", "--in-place", "log"]));
    assert!(skipped.contains("skipped: it is UTF-8 with text that is or was UTF-16 or UTF-32"), "{skipped}");
    let log = ["started\n".repeat(500).as_bytes(), &utf16].concat();
    for output in [run_in(root, ["repair", "-o", "out", "log"]), run_with(&log, ["repair"])] {
        let warned = messages(&output);
        assert!(warned.contains("text that is or was UTF-16 or UTF-32, and this repair loses text"), "{warned}");
    }
    // Text between NULs, and NULs left by a crash, are not UTF-16.
    fs::write(root.join("names"), b"a\0b\0caf\xE9\0d\xE9j\xE0 vu\0").unwrap();
    let converted = run_in(root, ["convert", "--in-place", "--from", "windows-1252", "names"]);
    assert_eq!(status(&converted), 0, "{}", messages(&converted));
    assert_eq!(read(root, "names"), "a\0b\0café\0déjà vu\0".as_bytes());
    let crash = [b"started\n", &[0; 64][..], b"caf\xC3\xA9\0\xC0\xAF\0\n"].concat();
    fs::write(root.join("log"), &crash).unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "log"])), 0);
}

/// A program that treats any file as text writes a CR before each byte 0A.
#[test]
fn utf32_with_returns_is_left_by_every_repair_but_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = "你好世界。\n今天天气很好。\n";
    let bytes = text.chars().flat_map(|c| u32::from(c).to_le_bytes());
    let damaged: Vec<u8> = bytes.flat_map(|byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
    fs::write(root.join("chat"), &damaged).unwrap();
    for args in [&["repair", "--in-place"][..], &["repair", "--in-place", "-e", "utf-32le"]] {
        let output = run_in(root, args.iter().chain(&["chat"]));
        assert_eq!((status(&output), read(root, "chat") == damaged), (2, true), "{}", messages(&output));
        let help = "help: utf8 repair --in-place -p utf-16 chat";
        assert!(messages(&output).contains(help), "{}", messages(&output));
    }
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "-p", "utf-16", "chat"])), 0);
    assert_eq!(read(root, "chat"), text.as_bytes());
}

/// Each character of a text in another encoding is an error in UTF-32.
#[test]
fn text_that_is_not_in_the_named_utf32_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let data = b"cbeb gdb \xE4agga edbfaaaagdgad\0xy\n".repeat(50);
    fs::write(root.join("data"), &data).unwrap();
    let output = run_in(root, ["repair", "--in-place", "-e", "utf-32le", "data"]);
    assert_eq!((status(&output), read(root, "data") == data), (2, true), "{}", messages(&output));
}

#[test]
fn words_of_utf8_are_not_decoded_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mixed = [&b"na\xC3\xAFve caf\xE9, d\xC3\xA9j\xC3\xA0 vu\n"[..], b"cr\xE8me br\xFBl\xE9e\n"].concat();
    fs::write(root.join("mixed"), &mixed).unwrap();
    let output = run_in(root, ["repair", "--in-place", "--policy", "fallback-lines=windows-1252", "mixed"]);
    assert_eq!((status(&output), read(root, "mixed") == mixed), (2, true), "{}", messages(&output));
    let advice = "help: utf8 repair --in-place -p fallback=windows-1252 mixed";
    assert!(messages(&output).contains(advice), "{}", messages(&output));
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "fallback=windows-1252", "mixed"])), 0);
    assert_eq!(String::from_utf8(read(root, "mixed")).unwrap(), "naïve café, déjà vu\ncrème brûlée\n");
}

/// This holds at any position, and for repairs in place or not.
#[test]
fn lines_far_behind_are_not_read_in_a_wrong_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mixed = [RUSSIAN.repeat(2000).as_bytes(), &windows_1251()].concat();
    fs::write(root.join("mixed.txt"), &mixed).unwrap();
    let output = run_in(root, ["repair", "--in-place", "--policy", "fallback=windows-1252", "mixed.txt"]);
    assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
    let output = run_in(root, ["repair", "--policy", "fallback=windows-1252", "-o", "out", "mixed.txt"]);
    assert_eq!(status(&output), 1);
    assert!(messages(&output).contains("this repair garbles text"), "{}", messages(&output));
}

#[test]
fn a_repair_does_not_replace_lines_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let legacy = &windows_1251()[..RUSSIAN.chars().count()];
    let mixed = [RUSSIAN.repeat(20).as_bytes(), legacy, RUSSIAN.as_bytes(), legacy].concat();
    let advice = "-p fallback-lines=windows-1251";
    for policy in ["replace", "remove"] {
        fs::write(root.join("mixed.txt"), &mixed).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "mixed.txt"]);
        assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
        let wanted = format!("help: utf8 repair --in-place {advice} mixed.txt");
        assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        for output in [run_in(root, ["repair", "mixed.txt", "-o", "out"]), run_with(&mixed, ["repair"])] {
            assert_eq!(status(&output), 1, "{}", messages(&output));
            assert!(messages(&output).contains("this repair loses text\n"), "{}", messages(&output));
            assert!(advises(&output, &format!("utf8 repair {advice}")), "{}", messages(&output));
        }
        assert_eq!(status(&run_in(root, ["repair", "--in-place", "--force", "mixed.txt"])), 0);
        assert!(String::from_utf8(read(root, "mixed.txt")).unwrap().contains('\u{FFFD}'));
    }
    // Nor if it is uncertain which lines are in the other encoding: the last one is also valid UTF-8.
    let lines = "这是一段简体中文，每一行的长度都不同\n所以无论哪一行都应该可以阅读\n".repeat(4);
    let gb18030 = run_with(lines.as_bytes(), ["convert", "--to", "gb18030"]).stdout;
    let unsure = [lines.as_bytes(), &gb18030, b"\xCB\xAE\n"].concat();
    fs::write(root.join("unsure.txt"), &unsure).unwrap();
    let output = run_in(root, ["repair", "--in-place", "unsure.txt"]);
    assert_eq!((status(&output), read(root, "unsure.txt") == unsure), (2, true), "{}", messages(&output));
    // Damaged UTF-8 is not another encoding.
    let damaged = [RUSSIAN.repeat(20).as_bytes(), b"caf\xE2\x80 \xFF\n", &RUSSIAN.as_bytes()[1..]].concat();
    fs::write(root.join("damaged.txt"), damaged).unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "damaged.txt"])), 0);
}

/// Short files in another encoding. A few bytes rarely identify it, but replacing them would lose text.
#[test]
fn a_repair_leaves_what_reads_as_text_however_short() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [(&[u8], &str); 10] = [
        (b"caf\xE9\n", "windows-1252"),
        (b"It\x92s a test\n", "windows-1252"),
        (b"Copyright \xA9 2004 Example Ltd.\n", "windows-1252"),
        (b"Price: \xA312\n", "windows-1252"),
        (b"Stra\xE1e,Hausnummer\nM\x81hlenweg,3\n", "CP850"),
        (b"wir sch\x84tzen das Alter\n", "CP850"),
        (b"Gr\x9A\xA7e: 12 MB\n", "macintosh"),
        (b"\xF9\xEC\xE5\xED\n", "windows-1255"),
        // Some of these two-byte characters happen to be UTF-8 sequences.
        (b"\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7\xA1\xA3\n", "gb18030"),
        // Persian words are joined by a zero-width character.
        (b"\xC8\xD2\xD1\x90\x9D\x98\xD1\xCF\xE4\n", "windows-1256"),
    ];
    for (bytes, from) in cases {
        fs::write(root.join("short"), bytes).unwrap();
        for policy in ["replace", "remove", "same-length"] {
            let output = run_in(root, ["repair", "--in-place", "--policy", policy, "short"]);
            assert_eq!((status(&output), read(root, "short")), (2, bytes.to_vec()), "{}", messages(&output));
            let command = format!("help: utf8 convert --in-place --from {from} short\n");
            let doubt =
                format!("it looks like {from}, and text would be lost (--force overrides this)\n  note: not sure");
            let reported = messages(&output);
            assert!(reported.contains(&command) || reported.contains(&doubt), "{from}\n{reported}");
        }
        // Text that a policy keeps can be restored.
        for policy in ["escape", "unescape"] {
            assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", policy, "short"])), 0);
        }
        assert_eq!(read(root, "short"), bytes);
        let forced = run_in(root, ["repair", "--in-place", "--force", "short"]);
        assert_eq!(status(&forced), 0, "{}", messages(&forced));
        assert!(String::from_utf8(read(root, "short")).unwrap().contains('\u{FFFD}'));
    }
}

/// Damaged UTF-8 is repaired as requested, because it is not text in any other encoding.
#[test]
fn a_repair_of_damaged_utf8_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [&[u8]; 12] = [
        b"It\xE2\x80s a test\n",
        b"It\xE2\x80",
        b"Copyright \xC2",
        b"roten B\xC3",
        b"a \xFF b\n",
        b"path/\xC0\xAFetc\n",
        b"Temperature: 21\xC0\xAF\xC2\xB0C\n",
        b"A reuni\xC3\xA3o \xED\xA0\x80\xC3\xA0s 10.\n",
        b"Stra\xC3\x9Fe\nHauptstra\xC3e\nM\xC3\xBChlenweg\n",
        b"\xE5\xA7\x93\xE5\x90",
        b"t\xA9 \xC3\xA9t\xC3\xA9\n",
        b"Die Oberfl\xA4che: schw\xC3\xA4chen, fl\xC3\xA4chig\n",
    ];
    for bytes in cases {
        fs::write(root.join("damaged"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "damaged"]);
        assert_eq!(status(&output), 0, "{}: {}", bytes.escape_ascii(), messages(&output));
        assert!(String::from_utf8(read(root, "damaged")).is_ok_and(|text| text.contains('\u{FFFD}')));
    }
}

/// A word or a sign in another encoding within lines of UTF-8 in the same language.
#[test]
fn a_repair_leaves_words_in_another_encoding_within_lines_of_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let polish = "Wszyscy ludzie rodz\u{105} si\u{119} wolni, zgodnie z artyku\u{142}em, bez wyj\u{105}tku: ";
    let czech = "V\u{161}ichni lid\u{e9} rod\u{ed} se svobodn\u{ed}, \u{10c}l\u{e1}nek prvn\u{ed}: ";
    let german = "Alle Menschen sind frei, gem\u{e4}\u{df} Artikel drei, f\u{fc}r immer: ";
    let french = "Tous les \u{ea}tres humains naissent libres et \u{e9}gaux, r\u{e9}unis: ";
    let russian = "\u{412}\u{441}\u{435} \u{43b}\u{44e}\u{434}\u{438} \
        \u{440}\u{43e}\u{436}\u{434}\u{430}\u{44e}\u{442}\u{441}\u{44f} ";
    let cases: [(&str, &[u8], &str, &str); 7] = [
        (polish, b"artyku\xB3", "windows-1250", "artyku\u{142}"),
        (czech, b"\xC8l\xE1nek", "windows-1250", "\u{10c}l\u{e1}nek"),
        (german, b"gleicherma\xDFen", "windows-1252", "gleicherma\u{df}en"),
        (german, b"ein \x93Zitat\x94", "windows-1252", "ein \u{201c}Zitat\u{201d}"),
        (german, b"25 \xB0C", "windows-1252", "25 \u{b0}C"),
        (french, b"r\x82union", "CP850", "r\u{e9}union"),
        (russian, b"\xE2\xEE\xE4\xE0", "windows-1251", "\u{432}\u{43e}\u{434}\u{430}"),
    ];
    for (line, word, from, meant) in cases {
        let bytes = [line.as_bytes(), word, b"\n"].concat();
        fs::write(root.join("within"), &bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "within"]);
        assert_eq!((status(&output), read(root, "within") == bytes), (2, true), "{}", messages(&output));
        let command = format!("repair --in-place -p fallback={from} within");
        assert!(messages(&output).contains(&command), "{command}\n{}", messages(&output));
        let output = run_in(root, command.split(' '));
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert_eq!(String::from_utf8(read(root, "within")).unwrap(), format!("{line}{meant}\n"));
    }
}

/// Single bytes may be letters in another encoding, but rarely so in a text with as much certain damage, or in a word
/// that occurs without them.
#[test]
fn a_repair_takes_single_bytes_for_damage_beside_more_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [&[u8]; 2] = [
        b"Le tr\xC3\xA9sor d\xC3\xA9j\xC3\xA0 \xC3\xA9puis\xC3\xA9\nif (a \xA5< b) {\na \xF8\x88\x80\x80\x80 started\n",
        b"plain;\xC3\xA9t\xC3\xA9\np\xE9lain;\xC3\xA0\n",
    ];
    for bytes in cases {
        fs::write(root.join("damaged"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "damaged"]);
        let after = read(root, "damaged");
        assert_eq!((status(&output), after != bytes), (0, true), "{:?}: {}", bytes, messages(&output));
    }
}

/// The letters are common in a language of the encoding, and the ASCII words identify the language.
#[test]
fn few_letters_are_read_in_the_language_of_the_words_around_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [(&[u8], &str); 5] = [
        (b"# milj\x94 f\x94r betning\n", "milj\u{f6} f\u{f6}r"),
        (b"Tiu \xE6i kampo ne povas esti malplena, la valoro estas a\xFD Vera a\xFD Malvera.\n", "Tiu \u{109}i"),
        (b"0;p\xA0gina;63.24\n", "p\u{e1}gina"),
        (b"the years 1990\xD01995, and it was \xD0 so to say \xD0 fine\n", "1990\u{2013}1995"),
        (b"Salasanasi on asetettu, ja se on p\xE4\xE4k\xE4ytt\xE4j\xE4n: \xA8akki ja \xB8urnaali\n", "\u{161}akki"),
    ];
    for (bytes, meant) in cases {
        fs::write(root.join("few"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "few"]);
        let reported = messages(&output);
        let after = |before| reported.split(before).nth(1).and_then(|rest| rest.split([',', '\n']).next());
        // If it is uncertain, the likeliest encoding is named.
        let command = match after("help: utf8 ").expect(&reported) {
            "detect few" => {
                format!("convert --in-place --from {} few", after("looks like ").expect(&reported))
            }
            command => command.to_owned(),
        };
        assert_eq!(status(&run_in(root, command.split(' '))), 0, "{command}");
        let text = String::from_utf8(read(root, "few")).unwrap();
        assert!(text.contains(meant), "{text} {command}");
    }
}

/// One line in another encoding among many of UTF-8. Its letters before commas are UTF-8 sequences by chance.
#[test]
fn a_repair_leaves_a_legacy_line_whose_sequences_are_chance() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let line = "وقد كان ذلك في السنة الماضية، ثم جاءت الأخبار من كل مكان، ولم يبق شيء\n";
    let legacy = run_with(line.as_bytes(), ["convert", "--to", "windows-1256"]).stdout;
    let bytes = [line.repeat(12).as_bytes(), &legacy, line.as_bytes()].concat();
    fs::write(root.join("lines"), &bytes).unwrap();
    let output = run_in(root, ["repair", "--in-place", "lines"]);
    assert_eq!((status(&output), read(root, "lines") == bytes), (2, true), "{}", messages(&output));
}

/// Armenian in an encoding without a table, between lines of UTF-8: it is neither identified nor replaced.
#[test]
fn a_repair_leaves_words_in_an_encoding_that_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = "Որոնման առաջարկների ցուցադրում\nհասցեների տողի արդյունքները\nև այլն\n";
    let in_armscii = |c: char| match u32::from(c) {
        capital @ 0x531..=0x556 => 0xB2 + 2 * (capital - 0x531) as u8,
        small @ 0x561..=0x586 => 0xB3 + 2 * (small - 0x561) as u8,
        0x587 => 0xA2,
        ascii => ascii as u8,
    };
    let legacy: Vec<u8> = text.chars().map(in_armscii).collect();
    let bytes = [text.as_bytes(), &legacy, text.as_bytes()].concat();
    fs::write(root.join("lines"), &bytes).unwrap();
    let output = run_in(root, ["repair", "--in-place", "lines"]);
    assert_eq!((status(&output), read(root, "lines") == bytes), (2, true), "{}", messages(&output));
    assert!(
        messages(&output).contains("escape keeps every byte\n  help: utf8 repair --in-place -p escape lines"),
        "{}",
        messages(&output)
    );
}

/// Letters that are either in an unknown encoding or left by damage. Nothing shows that it was damage.
#[test]
fn a_repair_leaves_letters_that_are_not_certainly_damage() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ukrainian = "Зазвичай файли зберігаються в домашній теці користувача.\nНатисніть кнопку, щоб вибрати.\n";
    let (start, end) = ukrainian.split_once("ичай").unwrap();
    let chinese = "选择这个选项可以减少占用的磁盘\n尽可能少占空";
    let norwegian = "Det kan være lurt å lagre først. Lær mer på nettet.\nOppløsningen er for stor, prøv på nytt.\n";
    let cases: [&[u8]; 5] = [
        // Norwegian in HP Roman-8.
        b"Tilf\xD6y navn\n",
        b"Den er p\xD4 plass\n",
        // A letter in IBM866, a character in GBK, a letter in CP850, in lines of UTF-8.
        &[start.as_bytes(), b"\xA8", "чай".as_bytes(), end.as_bytes()].concat(),
        &[chinese.as_bytes(), b"\xBC\xE4", "（位）\n".as_bytes()].concat(),
        &[norwegian.as_bytes(), b"V\x86r egen mappe\n"].concat(),
    ];
    for bytes in cases {
        fs::write(root.join("letters"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "letters"]);
        assert_eq!((status(&output), read(root, "letters") == bytes), (2, true), "{}", messages(&output));
    }
}

/// The rest of a sequence next to ASCII letters.
#[test]
fn a_stray_byte_in_ascii_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for bytes in [&b"a\x80b\n"[..], b"x\x80\x81y\n", b"a\xC2b\n", b"abc\xC1def\n", b"ab\xFFc\n"] {
        fs::write(root.join("stray"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "stray"]);
        assert_eq!(status(&output), 0, "{bytes:?}: {}", messages(&output));
        assert_eq!(read(root, "stray"), utf8kit::repair(bytes).as_bytes());
    }
}

/// Code pages of DOS that are considered only if no other encoding is convincing.
#[test]
fn the_code_page_is_named_in_which_letters_are_as_frequent_as_in_the_language() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let portuguese = "Não é possível adicionar o ficheiro como uma camada; o ficheiro não existe.\nNós já viajamos \
                      através de vastos oceanos e não deveríamos deixar novas tropas, então não há razão.\n";
    let ukrainian = "Створити платіж і сплатити його в євро\nЇхня поточна адреса є в довідці, її можна змінити\n";
    for (from, text) in [("CP860", portuguese), ("CP1125", ukrainian)] {
        let bytes = run_with(text.as_bytes(), ["convert", "--to", from]).stdout;
        fs::write(root.join("page"), &bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "page"]);
        let command = format!("help: utf8 convert --in-place --from {from} page");
        assert!(messages(&output).contains(&command), "{command}\n{}", messages(&output));
    }
}

#[test]
fn values_of_a_dump_in_another_encoding_than_the_fallback_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (begin, end) = ("INSERT INTO `t` (`a`) VALUES ('naïve'),('", "');\n");
    let dump = [begin.as_bytes(), windows_1251().trim_ascii_end(), end.as_bytes()].concat();
    fs::write(root.join("dump.sql"), &dump).unwrap();
    let repair =
        |policy: &str| run_in(root, ["repair", "--rows", "mysqldump", "--in-place", "--policy", policy, "dump.sql"]);
    let output = repair("fallback=windows-1252");
    assert_eq!((status(&output), read(root, "dump.sql") == dump), (2, true), "{}", messages(&output));
    let wanted = "windows-1251 or a similar encoding, and text would be lost (--force overrides this)\n  \
                  help: utf8 repair --in-place --rows mysqldump --per-table fallback=auto";
    assert!(messages(&output).contains(wanted), "{}", messages(&output));
    assert_eq!(status(&repair("fallback=windows-1251")), 0);
    let wanted = format!("{begin}{}{end}", RUSSIAN.repeat(4).trim_end());
    assert_eq!(String::from_utf8(read(root, "dump.sql")).unwrap(), wanted);
}

#[test]
fn damaged_utf8_is_not_repaired_as_utf16_or_utf32() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let damaged = b"Some words and na\xC3\xAFve ones \xED\xA0\x80 here.\n";
    for encoding in ["utf-16le", "utf-16be", "utf-32le"] {
        fs::write(root.join("file"), damaged).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--encoding", encoding, "file"]);
        assert_eq!((status(&output), read(root, "file") == damaged), (2, true), "{}", messages(&output));
        assert!(messages(&output).contains("looks like utf-8"), "{}", messages(&output));
    }
    // A lone surrogate in text without a line break.
    let wide = [&utf16le("漢字と仮名"), &b"\x00\xD8"[..], &utf16le("交じり")].concat();
    fs::write(root.join("file"), &wide).unwrap();
    let output = run_in(root, ["repair", "--in-place", "--encoding", "utf-16le", "file"]);
    assert_eq!((status(&output), read(root, "file")), (0, utf16le("漢字と仮名\u{FFFD}交じり")));
}

/// A line of windows-1252 is seen beside many kinds of damage: the sample of the README.
#[test]
fn text_beside_much_damage_is_not_replaced() {
    let Some(sample) = crate::common::repository("samples/broken.txt") else { return };
    let (folder, sample) = (tempfile::tempdir().unwrap(), fs::read(sample).unwrap());
    let root = folder.path();
    fs::write(root.join("broken.txt"), &sample).unwrap();
    let output = run_in(root, ["repair", "--in-place", "broken.txt"]);
    assert_eq!((status(&output), read(root, "broken.txt") == sample), (2, true), "{}", messages(&output));
    let output = run_in(root, ["repair", "broken.txt", "-o", "out"]);
    assert_eq!(status(&output), 1, "{}", messages(&output));
    assert!(messages(&output).contains("this repair loses text"), "{}", messages(&output));
    // What the README does.
    assert_eq!(status(&run_in(root, ["repair", "-p", "escape", "broken.txt", "-o", "out"])), 0);
    assert_eq!(status(&run_in(root, ["check", "out"])), 0);
}

#[test]
fn a_dry_run_skips_what_the_run_skips() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("data.csv"), b"1,Jos\xE9\n2,M\xFCller\n3,Zo\xC3\xAB\n").unwrap();
    fs::write(root.join("bad"), b"a\xFF").unwrap();
    fs::hard_link(root.join("bad"), root.join("link")).unwrap();
    for name in ["data.csv", "bad"] {
        let dry = run_in(root, ["repair", "-i", "-n", name]);
        let diff = run_in(root, ["repair", "-i", "--diff", name]);
        let run = run_in(root, ["repair", "-i", name]);
        assert_eq!((status(&dry), messages(&dry)), (2, messages(&run)), "{name}");
        assert_eq!((status(&diff), messages(&diff), text(&diff)), (2, messages(&run), String::new()), "{name}");
    }
}
