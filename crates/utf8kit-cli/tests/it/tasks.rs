//! Tests the path of a new user: the first command that comes to mind, then the commands in its `help:` lines.

use std::fs;
use std::path::Path;

use crate::common::{has, lines, messages, run_in, status, text};

/// Runs a command, checks its last `help:` lines, runs these, and returns the output of the last one.
fn helped(folder: &Path, first: &[&str], help: &[&str]) -> String {
    let output = run_in(folder, first);
    let shown = text(&output);
    let said: Vec<_> = shown.lines().filter_map(|line| line.strip_prefix("  help: ")).collect();
    assert_eq!(said, help, "{first:?}: {shown}{}", messages(&output));
    let mut last = String::new();
    for command in said {
        let words: Vec<_> = command.split(' ').collect();
        assert_eq!(words[0], "utf8");
        let output = run_in(folder, &words[1..]);
        assert_eq!(status(&output), 0, "{command}: {}", messages(&output));
        last = text(&output);
    }
    last
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    folder
}

#[test]
fn accents_are_garbled() {
    let folder = folder(&[("garbled.txt", "un caf\u{C3}\u{A9} cr\u{C3}\u{A8}me\n".as_bytes())]);
    let help = ["utf8 mojibake garbled.txt"];
    assert_eq!(helped(folder.path(), &["check", "garbled.txt"], &help), "un caf\u{E9} cr\u{E8}me\n");
}

#[test]
fn some_lines_are_in_another_encoding() {
    let mixed = b"id,n\n1,caf\xE9 \xFC\n2,ok\n3,\xC3\xA9\n4,th\xE9\n5,x\n";
    let folder = folder(&[("data.csv", mixed)]);
    let output = run_in(folder.path(), ["check", "data.csv"]);
    let verdict = "data.csv: 3 errors in 2 lines\n  note: UTF-8, but 2 of 6 lines read as windows-1252\n";
    assert!(text(&output).starts_with(verdict), "{}", text(&output));
    assert!(text(&output).contains("data.csv:2:8: FC, \u{FC} in windows-1252 "), "{}", text(&output));
    // The same with rows.
    for first in [&["check", "data.csv"][..], &["check", "--rows", "csv", "data.csv"]] {
        let help = ["utf8 repair -p fallback-lines=windows-1252 data.csv"];
        let repaired = "id,n\n1,caf\u{E9} \u{FC}\n2,ok\n3,\u{E9}\n4,th\u{E9}\n5,x\n";
        assert_eq!(helped(folder.path(), first, &help), repaired);
    }
}

#[test]
fn a_file_is_in_another_encoding() {
    let german = b"Gr\xFC\xDFe aus K\xF6ln und M\xFCnchen, sch\xF6n\n";
    let folder = folder(&[("old.txt", german)]);
    let help = ["utf8 convert --from windows-1252 old.txt"];
    let expected = "Gr\u{FC}\u{DF}e aus K\u{F6}ln und M\u{FC}nchen, sch\u{F6}n\n";
    assert_eq!(helped(folder.path(), &["check", "old.txt"], &help), expected);
}

#[test]
fn a_load_stops_at_a_bad_byte() {
    let folder = folder(&[("bad.txt", b"a\xC0\xAF\n"), ("nul.csv", b"a,b\n1,some\0text\n")]);
    let shown = helped(folder.path(), &["check", "bad.txt"], &["utf8 repair --diff bad.txt"]);
    assert!(shown.contains("+a\u{FFFD}\u{FFFD}\n"), "{shown}");
    let help = ["utf8 repair --diff --rows csv --for postgresql nul.csv"];
    let first = ["check", "--binary", "--rows", "csv", "--for", "postgresql", "nul.csv"];
    let shown = helped(folder.path(), &first, &help);
    assert!(shown.contains("-1,some"), "{shown}");
}

#[test]
fn an_editor_ruined_a_file() {
    if !has("git") {
        return;
    }
    let folder = folder(&[("menu.c", b"/* caf\xE9 */\n")]);
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let done = std::process::Command::new("git").args(identity).args(args).current_dir(folder.path()).output();
        assert!(done.unwrap().status.success(), "{args:?}");
    };
    git(&["init", "--quiet", "."]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    fs::write(folder.path().join("menu.c"), "/* caf\u{FFFD} */\nint a;\n").unwrap();
    let help = ["utf8 restore --diff --from HEAD menu.c"];
    let shown = helped(folder.path(), &["check", "--against", "HEAD", "menu.c"], &help);
    assert!(shown.contains("+/* caf\u{2039}E9\u{203A} */\n"), "{shown}");
    let restored = run_in(folder.path(), ["restore", "--from", "HEAD", "menu.c"]);
    assert_eq!(restored.stdout, b"/* caf\xE9 */\nint a;\n");
}

#[cfg(target_os = "linux")]
#[test]
fn names_are_broken() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("photos")).unwrap();
    for name in [&b"photos/caf\xE9.txt"[..], b"photos/\xFCber.txt"] {
        fs::write(folder.path().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    helped(folder.path(), &["rename", "photos"], &["utf8 rename --apply photos"]);
    assert!(folder.path().join("photos/caf\u{E9}.txt").exists());
    assert_eq!(status(&run_in(folder.path(), ["undo", "utf8-names.jsonl"])), 0);
    assert!(folder.path().join(OsStr::from_bytes(b"photos/caf\xE9.txt")).exists());
    // Names in an archive.
    let mut tar = tar::Header::new_ustar();
    tar.as_old_mut().name[..8].copy_from_slice(b"caf\xE9.txt");
    tar.set_size(0);
    tar.set_cksum();
    fs::write(folder.path().join("old.tar"), [tar.as_bytes().as_slice(), &[0; 1024]].concat()).unwrap();
    helped(folder.path(), &["rename", "old.tar"], &["utf8 rename old.tar -o old-renamed.tar"]);
    let new = fs::read(folder.path().join("old-renamed.tar")).unwrap();
    assert!(new.windows(9).any(|bytes| bytes == "caf\u{E9}.txt".as_bytes()));
}

#[test]
fn people_ask_what_a_character_is() {
    let folder = folder(&[("euro.txt", "\u{20AC}".as_bytes())]);
    for args in [["explain", "U+20AC"], ["explain", "euro.txt"], ["explain", "\u{20AC}"]] {
        let shown = text(&run_in(folder.path(), args));
        assert!(shown.contains("U+20AC EURO SIGN"), "{args:?}: {shown}");
    }
}

#[test]
fn brief_help_is_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let commands = [
        "check", "repair", "restore", "mojibake", "rename", "undo", "convert", "edit", "detect", "explain", "stats",
        "encodings",
    ];
    for command in commands {
        let brief = text(&run_in(folder.path(), [command, "-h"]));
        assert!(brief.lines().count() <= 60, "{command}: {}", brief.lines().count());
        assert!(brief.lines().all(|line| line.chars().count() <= 100), "{command}: {brief}");
    }
    let all = text(&run_in(folder.path(), ["-h"]));
    assert!(all.contains("Which command?") && all.contains("utf8 mojibake FILE"), "{all}");
}

/// Problems that are not errors: text that is valid but wrong.
#[test]
fn valid_text_is_wrong() {
    let garbled = "ok\nun caf\u{C3}\u{A9} cr\u{C3}\u{A8}me\nna\u{C3}\u{AF}ve\n".as_bytes();
    let joined = "a\n\u{FEFF}b\u{E9}\n".as_bytes();
    let declares = "# -*- coding: latin-1 -*-\nx = 'caf\u{E9}'\n".as_bytes();
    let hidden = "if p\u{430}ypal: ad\u{200B}min() # \u{202E}\n".as_bytes();
    let good =
        "caf\u{E9} \u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645} \u{1F469}\u{200D}\u{1F52C}\n".as_bytes();
    let files = [("declares.py", declares), ("garbled.txt", garbled), ("good.txt", good)];
    let folder = folder(&[&files[..], &[("hidden.py", hidden), ("joined.txt", joined)]].concat());
    let path = folder.path();
    let short = run_in(path, ["check", "--format", "short", "."]);
    let wanted = "declares.py:1:15: its coding line says latin1, but it is UTF-8\n\
                  garbled.txt:2:4: mojibake: \"caf\u{C3}\u{A9} cr\u{C3}\u{A8}me\" was \"caf\u{E9} cr\u{E8}me\", \
                  UTF-8 read as windows-1252\n\
                  garbled.txt:3:1: mojibake: \"na\u{C3}\u{AF}ve\" was \"na\u{EF}ve\", UTF-8 read as windows-1252\n\
                  hidden.py:1:4: looks like \"paypal\", with letters of another alphabet\n\
                  hidden.py:1:14: an invisible character within a word: U+200B\n\
                  hidden.py:1:23: a control that changes the order in which text is shown, and is not closed\n\
                  joined.txt:2:1: byte order mark within the text\n";
    assert_eq!((status(&short), text(&short).as_str()), (1, wanted));
    for (name, _) in files {
        let expected = i32::from(name != "good.txt");
        for args in [&["check", name][..], &["check", "-q", name], &["check", "--format", "jsonl", name]] {
            assert_eq!(status(&run_in(path, args)), expected, "{args:?}");
        }
    }
    assert_eq!(text(&run_in(path, ["check", "-l", "."])), "declares.py\ngarbled.txt\nhidden.py\njoined.txt\n");
    let human = text(&run_in(path, ["check", "garbled.txt"]));
    assert!(human.starts_with("garbled.txt: 2 places with mojibake in 2 lines\n"), "{human}");
    let line = &lines(&run_in(path, ["check", "--format", "jsonl", "garbled.txt"]))[0];
    let place = [&line["offset"], &line["len"], &line["line"], &line["column"]].map(|number| number.as_u64());
    assert_eq!((line["kind"].as_str(), place), (Some("double_encoding"), [6, 16, 2, 4].map(Some)));
}

/// A line may be as long as a file, and a message must not be.
#[test]
fn a_long_garbled_line_is_quoted_in_part() {
    let garbled = "un caf\u{C3}\u{A9} cr\u{C3}\u{A8}me, ".repeat(1_000);
    let folder = folder(&[("long.txt", garbled.as_bytes())]);
    let short = text(&run_in(folder.path(), ["check", "--format", "short", "long.txt"]));
    assert!(short.starts_with("long.txt:1:4: mojibake: \"caf\u{C3}\u{A9} cr\u{C3}\u{A8}me, "), "{short}");
    assert!(short.contains("\u{2026}") && short.chars().count() < 240, "{} characters", short.len());
    let human = text(&run_in(folder.path(), ["check", "long.txt"]));
    assert!(human.len() < 4000, "{} bytes", human.len());
    let targeted = run_in(folder.path(), ["check", "--for", "text", "--format", "short", "long.txt"]);
    assert!(text(&targeted).len() < 1000, "{} bytes", text(&targeted).len());
}

/// In CI, standard input exists but is empty.
#[test]
fn nothing_is_on_standard_input() {
    let folder = folder(&[("bad.txt", b"\xFF")]);
    for args in [&["check", "-l"][..], &["detect", "--format", "short"], &["stats", "--format", "short"]] {
        let output = run_in(folder.path(), args);
        assert!(text(&output).contains("bad.txt") || args[0] == "detect", "{args:?}: {}", text(&output));
    }
    for command in ["repair", "mojibake", "convert"] {
        let output = run_in(folder.path(), [command]);
        assert_eq!((status(&output), text(&output).as_str()), (2, ""), "{command}");
        assert!(messages(&output).contains("nothing on standard input"), "{}", messages(&output));
        assert_eq!(status(&run_in(folder.path(), [command, "-"])), 0, "{command} -");
    }
}

#[test]
fn some_files_are_of_no_concern() {
    let folder = folder(&[("a.txt", b"\xFF"), ("b.log", b"\xFF")]);
    let output = run_in(folder.path(), ["check", "-r", "-l", "--exclude", "*.log", "."]);
    assert_eq!(text(&output), "a.txt\n");
}

#[test]
fn which_targets_there_are() {
    let output = run_in(Path::new("."), ["check", "--for", "help"]);
    let shown = text(&output);
    assert!(status(&output) == 0 && shown.contains("mysql                MySQL and MariaDB"), "{shown}");
}

#[test]
fn a_language_is_reported_from_words() {
    let folder = folder(&[
        ("a.txt", b"Gr\xFC\xDFe aus K\xF6ln und M\xFCnchen, das Wetter ist sch\xF6n\n"),
        ("b.txt", "Съешь же ещё этих мягких французских булок, да выпей чаю\n".as_bytes()),
    ]);
    let output = run_in(folder.path(), ["detect", "--language", "--format", "short", "."]);
    assert_eq!(text(&output), "de\nru\n");
    assert_eq!(text(&run_in(folder.path(), ["detect", "b.txt"])), "b.txt: utf-8 (certain), language ru\n");
    let evidence = text(&run_in(folder.path(), ["detect", "--explain", "b.txt"]));
    assert_eq!(evidence, text(&run_in(folder.path(), ["detect", "-v", "b.txt"])));
    assert!(evidence.contains("well-formed UTF-8"), "{evidence}");
}
