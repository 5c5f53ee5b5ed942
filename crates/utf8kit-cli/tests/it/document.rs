//! Tests editing, damage between versions, and its repair.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[cfg(unix)]
use crate::common::utf8;
use crate::common::{has, lines, messages, run_in, status, text};

/// Runs git in a folder.
fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "core.autocrlf=false"];
    let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", messages(&output));
}

/// Makes a folder a repository, with its files in a first commit.
fn committed(folder: &Path) {
    git(folder, &["init", "--quiet", "."]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "first"]);
}

const MENU: &[u8] = b"/* caf\xE9 */\r\nint th\xE9;\r\n";

#[test]
fn an_edit_changes_no_other_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("menu.c");
    fs::write(&file, MENU).unwrap();
    let edit = |args: &[&str]| run_in(folder.path(), ["edit", "menu.c"].iter().chain(args));
    assert_eq!(status(&edit(&["--old", "*/\nint", "--new", "*/\n/* déjà */\nint", "--ledger", "log"])), 0);
    assert_eq!(fs::read(&file).unwrap(), b"/* caf\xE9 */\r\n/* d\xE9j\xE0 */\r\nint th\xE9;\r\n");
    assert_eq!(status(&run_in(folder.path(), ["repair", "--undo", "log"])), 0);
    assert_eq!(fs::read(&file).unwrap(), MENU);

    for (args, want) in [
        (&["--old", "cafe", "--new", "x"][..], "does not occur; the nearest lines are\n  line 1: /* café */"),
        (&["--old", "é", "--new", "x"], "occurs 2 times, first in lines 1 and 2"),
        (&["--old", "caf", "--new", "日"], "1:4: windows-1252 lacks U+65E5"),
    ] {
        let refused = edit(args);
        assert_eq!(status(&refused), 1, "{args:?}");
        assert!(messages(&refused).contains(want), "{}", messages(&refused));
    }
    // Places that overlap are several.
    fs::write(&file, "aaa\n").unwrap();
    assert_eq!(status(&edit(&["--old", "aa", "--new", "b"])), 1);
    assert_eq!(fs::read(&file).unwrap(), b"aaa\n");
    fs::write(&file, MENU).unwrap();
    for args in [&["--", "false"][..], &["--", "printf", "\\377"], &["--", "true"], &[]] {
        assert_eq!(status(&edit(args)), 2, "{args:?}");
    }
    assert_eq!(fs::read(&file).unwrap(), MENU);

    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let same = edit(&["--", "cat"]);
    assert_eq!((status(&same), fs::metadata(&file).unwrap().modified().unwrap()), (0, before));
    assert!(text(&edit(&["--all", "--old", "é", "--new", "è", "--diff"])).contains("+int th"));
    assert_eq!(fs::read(&file).unwrap(), MENU);
    assert_eq!(status(&edit(&["--", "tr", "a-z", "A-Z"])), 0);
    assert_eq!(fs::read(&file).unwrap(), b"/* CAF\xE9 */\r\nINT TH\xE9;\r\n");
    assert_eq!(status(&edit(&["--old", "CAF", "--new", "日", "--unencodable", "recode"])), 0);
    assert_eq!(fs::read(&file).unwrap(), "/* 日é */\r\nINT THé;\r\n".as_bytes());
}

/// With a wrong encoding, UTF-8 would get bytes that are none; line ends of what is looked for need not be the file's.
#[test]
fn an_edit_leaves_utf8_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    let notes = "Größe \"groß\"\r\nEnde\r\n";
    fs::write(&file, notes).unwrap();
    let edit = |args: &[&str]| run_in(folder.path(), ["edit", "notes.txt"].iter().chain(args));
    let refused = edit(&["--encoding", "latin1", "--old", "Ende", "--new", "é"]);
    assert_eq!(status(&refused), 1);
    assert!(messages(&refused).contains("it is utf-8, and would not be any more"), "{}", messages(&refused));
    assert_eq!(fs::read_to_string(&file).unwrap(), notes);
    for old in [notes, "Ende\r\n"] {
        fs::write(&file, old).unwrap();
        let refused = edit(&["--encoding", "utf-16", "--", "echo", "x"]);
        assert_eq!((status(&refused), fs::read_to_string(&file).unwrap().as_str()), (1, old));
    }
    fs::write(&file, notes).unwrap();
    let refused = edit(&["--old", "\"gross\"", "--new", "x"]);
    assert!(messages(&refused).contains("\n  line 1: Größe \"groß\"\n"), "{}", messages(&refused));
    assert_eq!(status(&edit(&["--encoding", "latin1", "--old", "Ende", "--new", "end"])), 0);
    assert_eq!(status(&edit(&["--old", "groß\"\r\nend", "--new", "groß\"\r\nfin"])), 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "Größe \"groß\"\r\nfin\r\n");
}

/// What is doubtful is not restored, which the totals say.
#[test]
fn the_totals_of_damage_say_what_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let totals = |old: &[u8], new: &str| {
        fs::write(folder.path().join("old"), old).unwrap();
        fs::write(folder.path().join("new"), new).unwrap();
        text(&run_in(folder.path(), ["check", "--against", "old", "new"]))
    };
    for (old, new, wanted) in [
        (
            &b"caf\xE9 d\xE9j\xE0\n"[..],
            "caf\u{FFFD} d\u{FFFD}j\u{FFFD}\n",
            "3 damaged places; `utf8 repair --restore-from` restores them",
        ),
        (
            b"caf\xE9\nd\xE9j\xE0\n",
            "caf\u{FFFD}\nneu \u{FFFD}\nd\u{FFFD}j\u{FFFD}\n",
            "4 damaged places, 1 doubtful; `utf8 repair --restore-from` restores 3",
        ),
        (
            b"abc\n",
            "abc\u{FFFD}\n",
            "1 damaged place, all doubtful: `utf8 repair --restore-from` leaves them as they are",
        ),
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
                new:1:11: line_ends: CR LF became LF\n\
                new:2:7: replaced: E9 (é in windows-1252) became U+FFFD\n\
                new:2:13: line_ends: CR LF became LF\n";
    assert_eq!((text(&short).as_str(), status(&short)), (want, 1));
    let found = lines(&run(&["check", "--against", "old", "new", "--format", "jsonl"]));
    assert_eq!((&found[0]["type"], &found[0]["damage"]), (&"damage".into(), &"replaced".into()));
    assert_eq!((&found[0]["old_offset"], &found[0]["old_bytes"]), (&6.into(), &"e9".into()));
    assert_eq!(found.last().unwrap()["damage"]["line_ends"], 2);
    let sarif = text(&run(&["check", "--against", "old", "new", "--format", "sarif"]));
    assert!(sarif.contains("\"ruleId\":\"replaced\""), "{sarif}");
    assert_eq!(status(&run(&["check", "--against", "old", "new", "--exit-zero"])), 0);

    let restored = run(&["repair", "--restore-from", "old", "new"]);
    assert_eq!(restored.stdout, b"/* caf\xE9 */\r\nint th\xE9 = 1;\r\n");
    assert_eq!(status(&run(&["repair", "--restore-from", "old", "new", "--in-place", "--ledger", "log"])), 0);
    let clean = run(&["check", "--against", "old", "new", "--quiet", "-e", "latin1"]);
    assert_eq!(status(&clean), 0);
    assert_eq!(status(&run(&["repair", "--undo", "log"])), 0);
    assert!(fs::read(folder.path().join("new")).unwrap().starts_with("/* caf\u{FFFD}".as_bytes()));
}

/// What replaced it is shown as text in the encoding of the file.
#[test]
fn damage_in_utf16_is_told_in_letters() {
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
    assert_eq!(shown.lines().take(7).collect::<Vec<_>>(), expected, "{shown}");
    let page = fs::read_to_string(root.join("r.html")).unwrap();
    assert!(page.contains("<h1 class=\"bad\">1 damaged place</h1>"), "{page}");
    assert!(page.contains("replaced: E9 (\u{E9} in windows-1252) became U+FFFD"), "{page}");
    for bytes in ["<b>E9</b>", "<b>EF</b>"] {
        assert!(page.contains(&format!("<span class=\"byte in mono\">{bytes}")), "{page}");
    }
}

/// Of damage as long as a line, the beginning is drawn.
#[test]
#[cfg(unix)]
fn long_damage_fits_in_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let japanese =
        b"\x82\xB1\x82\xEA\x82\xCD\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7\x81B";
    fs::write(folder.path().join("old"), japanese.repeat(50)).unwrap();
    let text_now = "\u{3053}\u{308C}\u{306F}\u{65E5}\u{672C}\u{8A9E}\u{306E}\u{30C6}\u{30AD}\u{30B9}\u{30C8}\u{3067}\
        \u{3059}\u{3002}";
    fs::write(folder.path().join("new"), text_now.repeat(50)).unwrap();
    for columns in [40, 80, 200] {
        let mut command = utf8(["check", "--against", "old", "new"]);
        let output = command.env("COLUMNS", columns.to_string()).current_dir(folder.path()).output().unwrap();
        let shown = text(&output);
        let rows: Vec<_> = shown.lines().filter(|line| line.contains(" |")).collect();
        assert!(
            rows.len() == 6 && rows.iter().all(|row| row.chars().count() <= columns),
            "{columns}: {shown}"
        );
        assert!(rows[0].contains("82 B1 82 EA 82 CD") && rows[0].contains(" ..."), "{columns}: {shown}");
    }
}

/// Ten commits, each of which damages the files in its own way and makes a change besides.
#[test]
fn a_history_of_damage_is_found_and_undone() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "--quiet", "."]);
    let decode = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect::<String>();
    let utf8 = "Grüße\naus Köln\nund Übung\n";
    let legacy = b"Gr\xFC\xDFe\naus K\xF6ln\nund \xDCbung\n";
    type Damage<'d> = (&'d [u8], &'d str, Box<dyn Fn(&[u8]) -> Vec<u8> + 'd>);
    let damages: [Damage<'_>; 10] = [
        (legacy, "replaced", Box::new(|old| String::from_utf8_lossy(old).into_owned().into_bytes())),
        (legacy, "recoded", Box::new(|old| decode(old).into_bytes())),
        (legacy, "removed", Box::new(|old| old.iter().copied().filter(u8::is_ascii).collect())),
        (
            legacy,
            "line_ends",
            Box::new(|old| decode(old).replace('\n', "\r\n").chars().map(|c| c as u8).collect()),
        ),
        (utf8.as_bytes(), "doubled", Box::new(|old| decode(old).into_bytes())),
        (utf8.as_bytes(), "byte_order_mark", Box::new(|old| [b"\xEF\xBB\xBF", old].concat())),
        (
            utf8.as_bytes(),
            "recoded",
            Box::new(|old| String::from_utf8_lossy(old).chars().map(|c| c as u8).collect()),
        ),
        (
            utf8.as_bytes(),
            "normalized",
            Box::new(|old| {
                let text = String::from_utf8_lossy(old).replace('ü', "u\u{308}");
                text.replace('ö', "o\u{308}").replace('Ü', "U\u{308}").into_bytes()
            }),
        ),
        (
            utf8.as_bytes(),
            "replaced",
            Box::new(|old| {
                let text = String::from_utf8_lossy(old);
                text.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect()
            }),
        ),
        (
            utf8.as_bytes(),
            "line_ends",
            Box::new(|old| String::from_utf8_lossy(old).replace('\n', "\r\n").into_bytes()),
        ),
    ];
    for (number, (old, ..)) in damages.iter().enumerate() {
        fs::write(root.join(format!("{number}.txt")), old).unwrap();
    }
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "first"]);
    git(root, &["tag", "start"]);
    for (number, (old, kind, damage)) in damages.iter().enumerate() {
        let name = format!("{number}.txt");
        let edited = [b"new\n", *old].concat();
        fs::write(root.join(&name), damage(&edited)).unwrap();
        git(root, &["add", "."]);
        let staged = run_in(root, ["check", "--staged", "--format", "jsonl"]);
        let kinds = lines(&staged).last().unwrap()["damage"].clone();
        assert_eq!(status(&staged), 1, "{kind}: {}", text(&staged));
        assert!(kinds[kind].as_u64() > Some(0), "{number} {kind}: {kinds}");
        git(root, &["commit", "--quiet", "-m", kind]);
        fs::write(root.join(&name), [damage(&edited), b"end\n".to_vec()].concat()).unwrap();
        git(root, &["commit", "--quiet", "-a", "-m", "edit"]);
    }
    // The second time, the files are better than the last version.
    for time in 1..=2 {
        let restored = run_in(root, ["repair", "--restore-from", "start..HEAD", "--in-place", "."]);
        for (number, (old, kind, _)) in damages.iter().enumerate() {
            let now = fs::read(root.join(format!("{number}.txt"))).unwrap();
            // A line that was added to a file with CR LF has LF there.
            let want = [b"new\n", *old, b"end\n"].concat();
            assert_eq!(
                now.escape_ascii().to_string(),
                want.escape_ascii().to_string(),
                "{kind}: {}",
                messages(&restored)
            );
        }
        assert_eq!(messages(&restored).contains("restored"), time == 1, "{}", messages(&restored));
    }
}

#[test]
fn a_revision_is_one_of_git_and_no_option_of_it() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a.txt"), b"caf\xE9 noir\ncaf\xE9\n").unwrap();
    committed(root);
    // The index.
    fs::write(root.join("a.txt"), b"th\xE9 noir\ncaf\xE9\n").unwrap();
    git(root, &["add", "."]);
    fs::write(root.join("a.txt"), "th\u{FFFD} noir\ncaf\u{FFFD}\n").unwrap();
    let output = run_in(root, ["check", "--against", ":0", "a.txt"]);
    assert_eq!(status(&output), 1, "{}", messages(&output));
    assert!(text(&output).contains("replaced: E9"), "{}", text(&output));
    let output = run_in(root, ["repair", "--restore-from", ":0", "--in-place", "a.txt"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"th\xE9 noir\ncaf\xE9\n");
    // A clone may lack what the original has.
    git(root, &["commit", "--quiet", "-a", "-m", "second"]);
    let address = format!("file://{}", root.display());
    git(root, &["clone", "--quiet", "--depth", "1", &address, "shallow"]);
    let output = run_in(&root.join("shallow"), ["check", "--against", "HEAD~1", "a.txt"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("git fetch --unshallow"), "{}", messages(&output));
    fs::remove_dir_all(root.join("shallow")).unwrap();
    // Git would write to the file that its option names.
    for name in ["--output=found", "--output=found..HEAD"] {
        for option in [format!("--against={name}"), format!("--restore-from={name}")] {
            let command = if option.starts_with("--against") { "check" } else { "repair" };
            let output = run_in(root, [command, &option, "a.txt"]);
            assert_eq!(status(&output), 2, "{option}: {}", text(&output));
            let files: Vec<_> =
                fs::read_dir(root).unwrap().flatten().map(|entry| entry.file_name()).collect();
            assert_eq!(files.len(), 2, "{files:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_of_any_name_are_found_in_a_history() {
    use std::os::unix::ffi::OsStrExt as _;
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "--quiet", "."]);
    let names: [&[u8]; 5] =
        [b"plain.txt", b"two words.txt", b"caf\xE9.txt", b"line\nfeed.txt", "\u{E9}\"'.txt".as_bytes()];
    let names = names.map(OsStr::from_bytes);
    let commit = |content: &[u8], message: &str| {
        names.iter().for_each(|name| fs::write(root.join(name), content).unwrap());
        git(root, &["add", "."]);
        git(root, &["commit", "--quiet", "-m", message]);
    };
    commit(b"caf\xE9 noir\n", "first");
    commit("caf\u{FFFD} noir\n".as_bytes(), "damaged");
    for name in names {
        for revision in ["HEAD~1", "HEAD~1..HEAD"] {
            let restore = [OsStr::new("repair"), OsStr::new("--restore-from"), OsStr::new(revision), name];
            let output = utf8(&restore as &[&OsStr]).current_dir(root).output().unwrap();
            assert_eq!(output.stdout, b"caf\xE9 noir\n", "{name:?} {revision}: {}", messages(&output));
        }
    }
}

/// However many files and commits there are, git is started as often as for one; and renamed files are followed.
#[cfg(unix)]
#[test]
fn a_long_history_takes_few_processes() {
    use std::os::unix::fs::PermissionsExt as _;
    const FILES: usize = 200;
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (root, tools) = (folder.path().join("tree"), folder.path().join("tools"));
    fs::create_dir_all(root.join("old")).unwrap();
    git(&root, &["init", "--quiet", "."]);
    let legacy = |number: usize| {
        let lines: String = (0..20).map(|line| format!("line {line} of file {number}\n")).collect();
        format!("caf\u{E9}\n{lines}").chars().map(|c| c as u8).collect::<Vec<u8>>()
    };
    let write = |at: &str, line: &str, is_damaged: bool| {
        for number in 0..FILES {
            let text = [line.as_bytes(), &legacy(number)].concat();
            let text =
                if is_damaged { String::from_utf8_lossy(&text).into_owned().into_bytes() } else { text };
            fs::write(root.join(at).join(format!("{number}.txt")), text).unwrap();
        }
    };
    let commit = |message: &str| {
        git(&root, &["add", "--all", "."]);
        git(&root, &["commit", "--quiet", "-m", message]);
    };
    for step in 0..4 {
        write("old", &format!("step {step}\n"), false);
        commit("edited");
    }
    git(&root, &["tag", "start", "HEAD~1"]);
    write("old", "step 3\nlong line that stays\n", true);
    commit("damaged");
    git(&root, &["mv", "old", "new"]);
    commit("moved");
    write("new", "step 3\nlong line that stays\nanother\n", true);
    commit("edited");
    // Stands before git, and counts.
    fs::create_dir(&tools).unwrap();
    let log = folder.path().join("log");
    let real = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let script = format!("#!/bin/sh\necho >> '{}'\nexec '{}' \"$@\"\n", log.display(), text(&real).trim());
    fs::write(tools.join("git"), script).unwrap();
    fs::set_permissions(tools.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths([tools].into_iter().chain(std::env::split_paths(&paths))).unwrap();
    let counted = |arguments: &[&str]| {
        fs::write(&log, "").unwrap();
        let output = utf8(arguments).current_dir(&root).env("PATH", &paths).output().unwrap();
        (output, fs::read(&log).unwrap().len())
    };
    let (checked, processes) = counted(&["check", "--against", "start", "--format", "short"]);
    assert_eq!(lines_of(&checked), FILES, "{}", messages(&checked));
    assert!(processes <= 5, "{processes}");
    let (restored, processes) = counted(&["repair", "--restore-from", "start..HEAD", "--in-place", "."]);
    assert!(processes <= 5, "{processes}");
    for number in 0..FILES {
        let want = [b"step 3\nlong line that stays\nanother\n", &*legacy(number)].concat();
        let now = fs::read(root.join(format!("new/{number}.txt"))).unwrap();
        assert_eq!(
            now.escape_ascii().to_string(),
            want.escape_ascii().to_string(),
            "{}",
            messages(&restored)
        );
    }
}

/// Counts the lines that a command printed.
#[cfg(unix)]
fn lines_of(output: &std::process::Output) -> usize {
    text(output).lines().filter(|line| line.contains("replaced: ")).count()
}

#[test]
fn what_the_configuration_asks_for_is_no_damage() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a.txt"), "na\u{EF}ve\r\nca\u{E9}\r\n").unwrap();
    fs::write(root.join("same.txt"), "x\n").unwrap();
    committed(root);
    fs::write(root.join("a.txt"), "\u{FEFF}na\u{EF}ve\nca\u{E9}\n").unwrap();
    let run = |args: &[&str]| run_in(root, args);
    assert_eq!(status(&run(&["check", "--quiet", "--against", "HEAD"])), 1);
    fs::write(root.join(".editorconfig"), "root = true\n[*]\ncharset = utf-8-bom\nend_of_line = lf\n")
        .unwrap();
    let asked = run(&["check", "--against", "HEAD", "a.txt"]);
    assert_eq!(status(&asked), 0, "{}", text(&asked));
    // It asks for other line ends.
    fs::write(root.join(".editorconfig"), "root = true\n[*]\ncharset = utf-8-bom\nend_of_line = crlf\n")
        .unwrap();
    let other = text(&run(&["check", "--against", "HEAD", "--format", "short", "a.txt"]));
    assert!(other.contains("line_ends: "), "{other}");
    fs::remove_file(root.join(".editorconfig")).unwrap();
    fs::write(root.join(".gitattributes"), "*.txt text eol=lf\n").unwrap();
    let marked = text(&run(&["check", "--against", "HEAD", "--format", "short"]));
    assert!(marked.contains("byte_order_mark: ") && !marked.contains("line_ends: "), "{marked}");
    git(root, &["mv", "same.txt", "moved.txt"]);
    assert_eq!(status(&run(&["check", "--staged"])), 0);
    // A file that is new in the index has no old version, but may have errors.
    fs::write(root.join("new.txt"), b"caf\xE9\n").unwrap();
    git(root, &["add", "new.txt"]);
    assert_eq!(status(&run(&["check", "--staged"])), 1);
    assert_eq!(status(&run(&["check", "--against", "nonsense"])), 2);
}

/// A diff shows bytes that are not text. Where it could be applied, that would write what is shown into the file.
#[test]
fn a_diff_that_shows_bytes_is_no_patch() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (old, new, encoding, is_patch) in [
        ("plain\n", "café", "latin1", false),
        ("plain\n", "\u{200E}abc", "utf-8", false),
        ("\\u{41} is a letter\nplain\n", "\u{200E}abc", "utf-8", false),
        ("naïve plain\n", "café", "utf-8", true),
        ("plain\n", "\\u{20AC}", "utf-8", true),
        ("plain\n", "\\u{200E} \u{240D} \u{2039}FF\u{203A}", "utf-8", true),
    ] {
        fs::write(root.join("a.txt"), old).unwrap();
        let edit = ["edit", "a.txt", "--encoding", encoding, "--old", "plain", "--new", new, "--diff"];
        let diff = run_in(root, edit);
        assert_eq!(text(&diff).contains("(not a patch: "), !is_patch, "{}", text(&diff));
        fs::write(root.join("patch"), &diff.stdout).unwrap();
        let mut apply = Command::new("git");
        let applied = apply.args(["apply", "patch"]).current_dir(root).output().unwrap();
        assert_eq!(applied.status.success(), is_patch, "{applied:?}");
        let wanted = if is_patch { old.replace("plain", new) } else { old.to_owned() };
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), wanted);
    }
}

/// With `core.autocrlf`, Git stores LF: line ends in the folder are not damage, and are not "restored".
#[test]
fn line_ends_that_git_converts_are_no_damage() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a.txt"), b"caf\xE9\nth\xE9\n").unwrap();
    committed(root);
    let damaged = "caf\u{FFFD}\r\nthé\r\nmore\r\n".as_bytes();
    fs::write(root.join("a.txt"), damaged).unwrap();
    let check = || text(&run_in(root, ["check", "--against", "HEAD", "--format", "short"]));
    assert!(check().contains("line_ends"), "{}", check());
    Command::new("git").args(["config", "core.autocrlf", "true"]).current_dir(root).status().unwrap();
    assert!(!check().contains("line_ends") && check().contains("replaced"), "{}", check());
    fs::write(root.join(".gitattributes"), "* -text\n").unwrap();
    assert!(check().contains("line_ends"), "Git leaves them alone: {}", check());
    fs::remove_file(root.join(".gitattributes")).unwrap();
    for revision in ["HEAD", "HEAD..HEAD"] {
        fs::write(root.join("a.txt"), damaged).unwrap();
        run_in(root, ["repair", "--restore-from", revision, "a.txt", "--in-place"]);
        assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"caf\xE9\r\nth\xE9\r\nmore\r\n", "{revision}");
    }
    // What the folder's files ask for stays, too.
    Command::new("git").args(["config", "core.autocrlf", "false"]).current_dir(root).status().unwrap();
    for (name, rule) in [
        (".gitattributes", "*.txt text eol=crlf\n"),
        (".editorconfig", "root = true\n[*]\nend_of_line = crlf\n"),
    ] {
        fs::write(root.join("a.txt"), damaged).unwrap();
        fs::write(root.join(name), rule).unwrap();
        run_in(root, ["repair", "--restore-from", "HEAD", "a.txt", "--in-place"]);
        assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"caf\xE9\r\nth\xE9\r\nmore\r\n", "{name}");
        fs::remove_file(root.join(name)).unwrap();
    }
}

/// What is configured tells the encoding of text that a file of ASCII gets, but not of one that is in another encoding.
#[test]
fn an_edit_is_written_in_the_configured_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(
        root.join(".editorconfig"),
        "root = true\n[*.ini]\ncharset = latin1\n[*.u]\ncharset = utf-16le\n",
    )
    .unwrap();
    let edited = |name: &str, old: &[u8], added: &str| {
        fs::write(root.join(name), old).unwrap();
        let done = status(&run_in(root, ["edit", name, "--old", "x", "--new", added]));
        (done, fs::read(root.join(name)).unwrap())
    };
    let (euro, mixed) = ("x \u{20AC}\n".as_bytes(), "\u{E9} \u{20AC}\n".as_bytes());
    assert_eq!(edited("a.ini", b"x\n", "\u{E9}"), (0, b"\xE9\n".to_vec()));
    assert_eq!(edited("a.ini", b"x\n", "\u{E9}\u{20AC}"), (1, b"x\n".to_vec()));
    assert_eq!(edited("a.ini", b"x\xE9\n", "\u{E0}"), (0, b"\xE0\xE9\n".to_vec()));
    assert_eq!(edited("a.ini", euro, "\u{E9}"), (0, mixed.to_vec()));
    assert_eq!(edited("a.u", b"x\0\n\0", "\u{E9}"), (0, b"\xE9\0\n\0".to_vec()));
    for name in ["a.txt", "a.u"] {
        assert_eq!(edited(name, b"x\n", "\u{E9}"), (0, "\u{E9}\n".into()));
    }
}

#[cfg(unix)]
#[test]
fn an_editor_edits_the_text_as_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let (file, drafts) = (folder.path().join("menu.c"), tempfile::tempdir().unwrap());
    fs::write(&file, MENU).unwrap();
    let edit = |editor: &str| {
        let mut command = utf8(["edit", "--editor", "menu.c"]);
        command.current_dir(folder.path()).env("TMPDIR", drafts.path());
        command.env_remove("VISUAL").env("EDITOR", editor).output().unwrap()
    };
    assert_eq!(status(&edit("true")), 0);
    assert_eq!(status(&edit("false")), 2);
    assert_eq!(fs::read(&file).unwrap(), MENU);
    let done = edit("sed -i s/thé/déjà/");
    assert_eq!(status(&done), 0, "{}", messages(&done));
    assert_eq!(fs::read(&file).unwrap(), b"/* caf\xE9 */\r\nint d\xE9j\xE0;\r\n");
    for folder in [&folder, &drafts] {
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), usize::from(folder.path() == file.parent().unwrap()), "{left:?}");
    }
    // An editor may mark the text as UTF-8, or remove it.
    assert_eq!(status(&edit("sed -i '1s/^/\u{FEFF}/; s/déjà/thé/'")), 0);
    assert_eq!(fs::read(&file).unwrap(), MENU);
    assert_eq!(status(&edit("rm")), 2);
    assert_eq!(fs::read_dir(drafts.path()).unwrap().count(), 0);
    assert_eq!(status(&edit("sed -i s/thé/déjà/")), 0);
    // What was written is not lost where it cannot be put into the file.
    let other = format!("sed -i -e s/int/INT/ -e 'w {}'", file.display());
    for (editor, wanted, text) in [("sed -i s/int/日/", 1, "日"), (&other, 2, "INT")] {
        let refused = edit(editor);
        let said = messages(&refused);
        assert_eq!(status(&refused), wanted, "{said}");
        let (_, kept) = said.split_once("what you wrote is kept in ").unwrap();
        let kept = fs::read_to_string(kept.lines().next().unwrap()).unwrap();
        assert_eq!(kept, format!("/* café */\n{text} déjà;\n"));
    }
    // An editor that crashes after it saved.
    let crashed = edit("sh -c 'echo typed > \"$0\"; exit 3'");
    let said = messages(&crashed);
    assert_eq!(status(&crashed), 2, "{said}");
    let (_, kept) = said.split_once("what you wrote is kept in ").unwrap();
    assert_eq!(fs::read_to_string(kept.lines().next().unwrap()).unwrap(), "typed\n");
    // Nobody else can read it meanwhile.
    let mode = drafts.path().join("mode");
    edit(&format!("sh -c 'ls -ld \"$(dirname \"$0\")\" > {}'", mode.display()));
    assert!(fs::read_to_string(mode).unwrap().starts_with("drwx------"));
}

/// Letters with accents may be one code point or two.
#[test]
fn text_is_found_in_whole_letters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let edit = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).unwrap();
        let done = run_in(folder.path(), [&["edit", "a.txt"], arguments].concat());
        (status(&done), fs::read_to_string(&file).unwrap(), messages(&done))
    };
    let decomposed = "x\ncafe\u{301}\ncafe cafe\u{301}s\n";
    let (code, now, _) = edit(decomposed, &["--old", "cafe", "--new", "tea"]);
    assert_eq!((code, &*now), (0, "x\ncafe\u{301}\ntea cafe\u{301}s\n"));
    let (code, now, said) = edit(decomposed, &["--old", "café", "--new", "tea"]);
    assert_eq!((code, &*now), (1, decomposed));
    assert!(said.contains("another normal form (NFC or NFD) in line 2"), "{said}");
    let (code, now, _) = edit("aaaa aaa\n", &["--old", "aa", "--new", "b", "--all"]);
    assert_eq!((code, &*now), (0, "bb ba\n"));
}

#[test]
fn characters_that_the_encoding_lacks_are_written_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("menu.c");
    for (how, want) in
        [("escape", &b"/* \\u201Ccaf\xE9 */\r\n"[..]), ("transliterate", b"/* \"caf\xE9 */\r\n")]
    {
        fs::write(&file, b"/* caf\xE9 */\r\n").unwrap();
        let args = ["edit", "menu.c", "-e", "latin1", "--old", "caf", "--new", "“caf", "--unencodable", how];
        assert_eq!(status(&run_in(folder.path(), args)), 0);
        assert_eq!(fs::read(&file).unwrap(), want, "{how}");
    }
}

/// Whatever ends the command while it writes, the file is the old one or the new one.
#[cfg(unix)]
#[test]
fn ended_at_any_byte_that_it_writes_the_file_is_old_or_new() {
    use std::os::unix::process::ExitStatusExt as _;

    /// The signal for a file that grows beyond the limit.
    const SIGXFSZ: i32 = 25;
    /// Units of the shell's limit, in bytes.
    const BLOCK: usize = 512;
    let old = b"caf\xE9 noir\r\n".repeat(500);
    let lossy = String::from_utf8_lossy(&old).into_owned().into_bytes();
    let edited = b"th\xE9 noir\r\n".repeat(500);
    let jobs: [(&[&str], &[u8], &[u8]); 2] = [
        (&["edit", "file", "--all", "--old", "café", "--new", "thé"], &old, &edited),
        (&["repair", "--restore-from", "old", "file", "--in-place"], &lossy, &old),
    ];
    for (args, before, after) in jobs {
        for limit in [0, 1, after.len() / BLOCK / 2, after.len() / BLOCK + 1] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            fs::write(folder.path().join("old"), &old).unwrap();
            fs::write(&path, before).unwrap();
            let mut command = Command::new("sh");
            let limited = format!("ulimit -c 0; ulimit -f {limit}; exec \"$0\" \"$@\"");
            command.args(["-c", &limited, env!("CARGO_BIN_EXE_utf8")]).args(args);
            let output = command.current_dir(folder.path()).output().unwrap();
            let is_done = limit * BLOCK >= after.len();
            let ended = if is_done { None } else { Some(SIGXFSZ) };
            assert_eq!(output.status.signal(), ended, "{args:?}: {}", messages(&output));
            let want = if is_done { after } else { before };
            assert!(fs::read(&path).unwrap() == want, "{args:?}: within {limit} blocks");
        }
    }
}

/// Files of a repository within another one have no old version in it, which is said once for each repository.
#[test]
fn files_of_another_repository_are_not_passed_over_silently() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let inner = root.join("inner/deep");
    fs::create_dir_all(&inner).unwrap();
    fs::write(root.join("a.txt"), b"caf\xC3\xA9\n").unwrap();
    committed(root);
    for name in ["b.txt", "c.txt", "deep/d.txt"] {
        fs::write(root.join("inner").join(name), b"caf\xC3\xA9\n").unwrap();
    }
    committed(&root.join("inner"));
    fs::write(root.join("inner/b.txt"), "caf\u{FFFD}\n").unwrap();
    let told = |output: &Output| messages(output).matches("inner: not in the repository").count();
    let output = run_in(root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), told(&output)), (Some(2), 1), "{}", messages(&output));
    for revision in ["HEAD", "HEAD..HEAD"] {
        let output = run_in(root, ["repair", "--restore-from", revision, "--in-place", "."]);
        assert_eq!((output.status.code(), told(&output)), (Some(2), 1), "{}", messages(&output));
    }
    // There is nothing to tell within one repository.
    let output = run_in(&root.join("inner"), ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), messages(&output).contains("repository")), (Some(1), false));
}

/// A submodule has a history of its own, which is told; the rest is compared.
#[test]
fn submodules_are_told_and_no_error() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (root, inner) = (folder.path().join("outer"), folder.path().join("inner"));
    for folder in [&root, &inner] {
        fs::create_dir(folder).unwrap();
        fs::write(folder.join("a.txt"), "caf\u{E9}\n").unwrap();
        committed(folder);
    }
    let source = inner.display().to_string();
    git(&root, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "sub"]);
    git(&root, &["commit", "--quiet", "-m", "submodule"]);
    let told = |output: &Output| messages(output).matches("sub: a submodule").count();
    let output = run_in(&root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), told(&output)), (Some(0), 1), "{}", messages(&output));
    fs::write(root.join("a.txt"), "caf\u{C3}\u{A9}\n").unwrap();
    let output = run_in(&root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), told(&output)), (Some(1), 1), "{}", messages(&output));
    let output = run_in(&root, ["repair", "--restore-from", "HEAD", "--in-place", "."]);
    assert_eq!((output.status.code(), told(&output)), (Some(0), 1), "{}", messages(&output));
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), "caf\u{E9}\n".as_bytes());
}

#[test]
fn staged_files_are_chosen_by_path_list_and_glob() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/clean.txt"), "x\n").unwrap();
    committed(root);
    for name in ["bad.txt", "sub/bad.txt", "sub/bad.c"] {
        fs::write(root.join(name), b"caf\xE9\n").unwrap();
    }
    git(root, &["add", "."]);
    fs::write(root.join("list"), "sub/bad.txt\n").unwrap();
    fs::write(root.join("empty"), "").unwrap();
    let listed = |at: &Path, args: &[&str]| {
        let output = run_in(at, [&["check", "--staged", "-l"], args].concat());
        (status(&output), text(&output).lines().map(str::to_owned).collect::<Vec<_>>().join(" "))
    };
    let all = (1, "bad.txt sub/bad.c sub/bad.txt".to_owned());
    assert_eq!(listed(root, &[]), all);
    assert_eq!(listed(root, &["."]), all);
    assert_eq!(listed(&root.join("sub"), &["."]), (1, "bad.c bad.txt".into()));
    assert_eq!(listed(root, &["sub"]), (1, "sub/bad.c sub/bad.txt".into()));
    assert_eq!(listed(root, &["bad.txt", "sub/clean.txt"]), (1, "bad.txt".into()));
    assert_eq!(listed(root, &["sub/clean.txt"]), (0, String::new()));
    assert_eq!(listed(root, &["--files-from", "list"]), (1, "sub/bad.txt".into()));
    assert_eq!(listed(root, &["--files-from", "empty"]), (0, String::new()));
    assert_eq!(listed(root, &["-g", "*.c"]), (1, "sub/bad.c".into()));
    assert_eq!(listed(root, &["-g", "!sub", "."]), (1, "bad.txt".into()));
    // A named file is checked whatever the globs say, as everywhere.
    assert_eq!(listed(root, &["-g", "*.c", "bad.txt"]), (1, "bad.txt".into()));
    // A file that is staged and was removed since.
    fs::remove_file(root.join("bad.txt")).unwrap();
    assert_eq!(listed(root, &["bad.txt"]), (1, "bad.txt".into()));
    fs::rename(root.join("sub"), root.join("gone")).unwrap();
    assert_eq!(listed(root, &["sub/bad.txt"]), (1, "sub/bad.txt".into()));
    fs::rename(root.join("gone"), root.join("sub")).unwrap();
    // One that is misspelt or elsewhere does not stop the others.
    assert_eq!(listed(root, &["bda.txt", "sub/bad.txt"]), (2, "sub/bad.txt".into()));
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "x").unwrap();
    let outside = outside.path().join("a").display().to_string();
    assert_eq!(listed(root, &["sub/bad.c", &outside]), (2, "sub/bad.c".into()));
    assert_eq!(status(&run_in(root, ["check", "--staged", "--max-depth", "1"])), 2);
}

/// `git cat-file --batch` answers a folder with its content, too.
#[test]
fn a_folder_in_the_place_of_a_file_is_no_old_version() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/x"), "x\n").unwrap();
    fs::write(root.join("b.txt"), b"un caf\xE9\n").unwrap();
    committed(root);
    git(root, &["tag", "start"]);
    fs::remove_dir_all(root.join("a")).unwrap();
    fs::write(root.join("a"), "now a file\n").unwrap();
    fs::write(root.join("b.txt"), "un caf\u{FFFD}\n").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "second"]);
    let restored = run_in(root, ["repair", "--restore-from", "start..HEAD", "--in-place", "."]);
    assert_eq!(fs::read(root.join("b.txt")).unwrap(), b"un caf\xE9\n", "{}", messages(&restored));
    assert_eq!(fs::read(root.join("a")).unwrap(), b"now a file\n");
}

/// Git may store a file in another encoding than it has in the folder, with other line ends, or without an expanded
/// keyword.
#[cfg(unix)]
#[test]
fn old_versions_are_those_that_git_would_write() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let attributes = "*.l1 working-tree-encoding=ISO-8859-1\n*.u16 working-tree-encoding=UTF-16LE-BOM eol=crlf\n\
                      *.c ident\n*.rot filter=rot\n";
    fs::write(root.join(".gitattributes"), attributes).unwrap();
    let wide = |text: &str| -> Vec<u8> {
        "\u{FEFF}".chars().chain(text.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect()
    };
    let files: [(&str, Vec<u8>, Vec<u8>); 4] = [
        ("a b.l1", b"na\xEFve caf\xE9\nx\n".to_vec(), b"na?ve caf?\nx\nnew\n".to_vec()),
        ("c.u16", wide("un café\r\nx\r\n"), wide("un caf?\r\nx\r\nnew\r\n")),
        ("d.c", b"/* $Id$ \xE9t\xE9 na\xEFf */\n".to_vec(), b"/* $Id$ ?t? na?f */\nnew\n".to_vec()),
        ("e.rot", b"un caf\xE9 na\xEFf\n".to_vec(), b"un caf? na?f\nnew\n".to_vec()),
    ];
    committed(root);
    git(root, &["config", "filter.rot.clean", "tr a-z b-za"]);
    git(root, &["config", "filter.rot.smudge", "tr b-za a-z"]);
    files.iter().for_each(|(name, old, _)| fs::write(root.join(name), old).unwrap());
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "files"]);
    let damage = || text(&run_in(root, ["check", "--against", "HEAD", "--format", "short"]));
    // An edit is none, in whatever encoding git stores the file.
    let edited = |old: &[u8], end: &[u8]| [old, end].concat();
    fs::write(root.join(files[0].0), edited(&files[0].1, b"new\n")).unwrap();
    assert!(!damage().contains("recoded"), "{}", damage());
    fs::remove_file(root.join("d.c")).unwrap();
    git(root, &["checkout", "--", "d.c"]);
    let expanded = fs::read(root.join("d.c")).unwrap();
    assert!(expanded.starts_with(b"/* $Id: "));
    for (name, _, new) in &files {
        fs::write(root.join(name), new).unwrap();
    }
    let text = String::from_utf8_lossy(&expanded).replace('\u{FFFD}', "?") + "new\n";
    fs::write(root.join("d.c"), text).unwrap();
    for revision in ["HEAD", "HEAD~1..HEAD"] {
        let diff = run_in(root, ["repair", "--restore-from", revision, "--diff", "."]);
        assert!(!messages(&diff).contains("doubtful"), "{revision}: {}", messages(&diff));
        assert_eq!(messages(&diff).matches("would restore").count(), 4, "{revision}: {}", messages(&diff));
    }
    run_in(root, ["repair", "--restore-from", "HEAD", "--in-place", "."]);
    let now = |name: &str| fs::read(root.join(name)).unwrap().escape_ascii().to_string();
    let wanted = [
        edited(&files[0].1, b"new\n"),
        edited(&files[1].1, &wide("new\r\n")[2..]),
        edited(&expanded, b"new\n"),
        edited(&files[3].1, b"new\n"),
    ];
    for ((name, ..), wanted) in files.iter().zip(wanted) {
        assert_eq!(now(name), wanted.escape_ascii().to_string(), "{name}");
    }
}

/// Git pairs no files of which no line is equal.
#[test]
fn files_that_were_renamed_and_damaged_at_once_are_found() {
    if !has("git") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("menu.txt"), b"un caf\xE9 chaud\nth\xE9 noir\nd\xE9j\xE0 vu\n").unwrap();
    fs::write(root.join("other.txt"), b"nothing like it\n").unwrap();
    committed(root);
    fs::remove_file(root.join("menu.txt")).unwrap();
    fs::remove_file(root.join("other.txt")).unwrap();
    fs::write(root.join("carte.txt"), "un caf\u{FFFD} chaud\nth\u{FFFD} noir\nd\u{FFFD}j\u{FFFD} vu\n")
        .unwrap();
    let replaced = |args: &[&str]| {
        let output = run_in(root, [&["check", "--format", "short"], args].concat());
        text(&output).matches("carte.txt").count()
    };
    assert_eq!(replaced(&["--against", "HEAD"]), 4, "not known to git yet");
    git(root, &["add", "--all", "."]);
    assert_eq!(replaced(&["--staged"]), 4);
    assert_eq!(replaced(&["--against", "HEAD"]), 4);
    git(root, &["commit", "--quiet", "-m", "renamed"]);
    for revision in ["HEAD~1", "HEAD~1..HEAD"] {
        let restored = run_in(root, ["repair", "--restore-from", revision, "carte.txt"]);
        assert_eq!(restored.stdout, b"un caf\xE9 chaud\nth\xE9 noir\nd\xE9j\xE0 vu\n", "{revision}");
    }
}
