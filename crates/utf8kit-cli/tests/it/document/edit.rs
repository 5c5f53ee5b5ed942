//! Tests `utf8 edit`.

use std::fs;
use std::process::Command;

use super::MENU;
use crate::common::{has, messages, run_in, run_with, status, text, utf8};

#[test]
fn an_edit_changes_no_other_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("menu.c");
    fs::write(&file, MENU).unwrap();
    let edit = |args: &[&str]| run_in(folder.path(), ["edit", "-i", "menu.c"].iter().chain(args));
    assert_eq!(status(&edit(&["--old", "*/\nint", "--new", "*/\n/* déjà */\nint", "--ledger", "log"])), 0);
    assert_eq!(fs::read(&file).unwrap(), b"/* caf\xE9 */\r\n/* d\xE9j\xE0 */\r\nint th\xE9;\r\n");
    assert_eq!(status(&run_in(folder.path(), ["undo", "log"])), 0);
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
    // Overlapping occurrences count as several.
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
    let diff = text(&edit(&["--all", "--old", "é", "--new", "è", "--diff"]));
    assert!(diff.contains(" (edited)\n") && diff.contains("+int th"), "{diff}");
    assert_eq!(fs::read(&file).unwrap(), MENU);
    assert_eq!(status(&edit(&["--", "tr", "a-z", "A-Z"])), 0);
    assert_eq!(fs::read(&file).unwrap(), b"/* CAF\xE9 */\r\nINT TH\xE9;\r\n");
    assert_eq!(status(&edit(&["--old", "CAF", "--new", "日", "--on-error", "recode"])), 0);
    assert_eq!(fs::read(&file).unwrap(), "/* 日é */\r\nINT THé;\r\n".as_bytes());
}

/// The file itself changes only if asked.
#[test]
fn an_edit_is_written_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("menu.c"), MENU).unwrap();
    let edited = b"/* th\xE9 */\r\nint th\xE9;\r\n";
    let replace = ["--old", "café", "--new", "thé"];
    let printed = run_in(root, ["edit", "menu.c"].into_iter().chain(replace));
    assert_eq!((status(&printed), &*printed.stdout), (0, &edited[..]));
    let piped = run_with(MENU, ["edit", "-"].into_iter().chain(replace));
    assert_eq!((status(&piped), &*piped.stdout), (0, &edited[..]));
    assert_eq!(status(&run_in(root, ["edit", "menu.c", "-o", "new.c"].into_iter().chain(replace))), 0);
    assert_eq!(fs::read(root.join("new.c")).unwrap(), edited);
    assert_eq!(fs::read(root.join("menu.c")).unwrap(), MENU);
    assert_eq!(status(&run_in(root, ["edit", "-i=.old", "menu.c"].into_iter().chain(replace))), 0);
    assert_eq!(fs::read(root.join("menu.c")).unwrap(), edited);
    assert_eq!(fs::read(root.join("menu.c.old")).unwrap(), MENU);
    let refused = run_in(root, ["edit", "menu.c", "--ledger", "log"].into_iter().chain(replace));
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("--ledger needs --in-place or --editor"), "{}", messages(&refused));
}

/// A wrong encoding would make the UTF-8 invalid. The line ends of the old text need not be the file's.
#[test]
fn an_edit_leaves_utf8_well_formed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    let notes = "Größe \"groß\"\r\nEnde\r\n";
    fs::write(&file, notes).unwrap();
    let edit = |args: &[&str]| run_in(folder.path(), ["edit", "-i", "notes.txt"].iter().chain(args));
    let refused = edit(&["--encoding", "latin1", "--old", "Ende", "--new", "é"]);
    assert_eq!(status(&refused), 1);
    assert!(messages(&refused).contains("it is utf-8, and text in"), "{}", messages(&refused));
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

/// A diff shows pictures of bytes that are not text. If it could be applied, it would write the pictures into the file.
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

/// The configuration sets the encoding of new text in an ASCII file, but does not override another encoding.
#[test]
fn an_edit_is_written_in_the_configured_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join(".editorconfig"), "root = true\n[*.ini]\ncharset = latin1\n[*.u]\ncharset = utf-16le\n")
        .unwrap();
    let edited = |name: &str, old: &[u8], added: &str| {
        fs::write(root.join(name), old).unwrap();
        let done = status(&run_in(root, ["edit", "-i", name, "--old", "x", "--new", added]));
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
    // An editor may add a byte order mark, or delete the file.
    assert_eq!(status(&edit("sed -i '1s/^/\u{FEFF}/; s/déjà/thé/'")), 0);
    assert_eq!(fs::read(&file).unwrap(), MENU);
    assert_eq!(status(&edit("rm")), 2);
    assert_eq!(fs::read_dir(drafts.path()).unwrap().count(), 0);
    assert_eq!(status(&edit("sed -i s/thé/déjà/")), 0);
    // An edit that cannot be put into the file is not lost.
    let other = format!("sed -i -e s/int/INT/ -e 'w {}'", file.display());
    for (editor, wanted, text) in [("sed -i s/int/日/", 1, "日"), (&other, 2, "INT")] {
        let refused = edit(editor);
        let said = messages(&refused);
        assert_eq!(status(&refused), wanted, "{said}");
        let (_, kept) = said.split_once("your edit is kept in ").unwrap();
        let kept = fs::read_to_string(kept.lines().next().unwrap()).unwrap();
        assert_eq!(kept, format!("/* café */\n{text} déjà;\n"));
    }
    // An editor that crashes after saving.
    let crashed = edit("sh -c 'echo typed > \"$0\"; exit 3'");
    let said = messages(&crashed);
    assert_eq!(status(&crashed), 2, "{said}");
    let (_, kept) = said.split_once("your edit is kept in ").unwrap();
    assert_eq!(fs::read_to_string(kept.lines().next().unwrap()).unwrap(), "typed\n");
    // Meanwhile, nobody else can read the file.
    let mode = drafts.path().join("mode");
    edit(&format!("sh -c 'ls -ld \"$(dirname \"$0\")\" > {}'", mode.display()));
    assert!(fs::read_to_string(mode).unwrap().starts_with("drwx------"));
}

/// An accented letter may be one code point or two.
#[test]
fn text_is_found_in_whole_letters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let edit = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).unwrap();
        let done = run_in(folder.path(), [&["edit", "-i", "a.txt"], arguments].concat());
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
    for (how, want) in [("escape", &b"/* \\u201Ccaf\xE9 */\r\n"[..]), ("transliterate", b"/* \"caf\xE9 */\r\n")] {
        fs::write(&file, b"/* caf\xE9 */\r\n").unwrap();
        let edit = ["edit", "-i", "menu.c", "-e", "latin1", "--old", "caf", "--new", "“caf"];
        let args = [&edit[..], &["--on-error", how]].concat();
        assert_eq!(status(&run_in(folder.path(), args)), 0);
        assert_eq!(fs::read(&file).unwrap(), want, "{how}");
    }
}

/// If the command is killed while it writes, the file is either the old or the new one.
#[cfg(unix)]
#[test]
fn ended_at_any_byte_that_it_writes_the_file_is_old_or_new() {
    use std::os::unix::process::ExitStatusExt as _;

    /// The signal for a file that grows beyond the limit.
    const SIGXFSZ: i32 = 25;
    /// The unit of the shell's limit, in bytes.
    const BLOCK: usize = 512;
    let old = b"caf\xE9 noir\r\n".repeat(500);
    let lossy = String::from_utf8_lossy(&old).into_owned().into_bytes();
    let edited = b"th\xE9 noir\r\n".repeat(500);
    let jobs: [(&[&str], &[u8], &[u8]); 2] = [
        (&["edit", "-i", "file", "--all", "--old", "café", "--new", "thé"], &old, &edited),
        (&["restore", "--from", "old", "file", "--in-place"], &lossy, &old),
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

#[test]
fn what_is_no_text_is_not_edited() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let packed = b"\x1F\x8B\x08\x08\0\0\0\0\0\x03a.txt\0\x4B\x04\0\x43\xBE\xB7\xE8\x01\0\0\0";
    let program = [b"\x7FELF\x02\x01\x01\0\0\0\0a.txt\0".as_slice(), &[0xFF; 64]].concat();
    for (bytes, why) in [(&packed[..], "gzip cannot be edited"), (&program, "not text")] {
        fs::write(root.join("file"), bytes).unwrap();
        let edited = run_in(root, ["edit", "-i", "file", "--old", "a.txt", "--new", "bbbbb"]);
        assert_eq!((status(&edited), fs::read(root.join("file")).unwrap()), (2, bytes.to_vec()), "{why}");
        assert!(messages(&edited).contains(why), "{}", messages(&edited));
    }
}

#[test]
fn every_place_of_a_line_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "a b a b a\n").unwrap();
    let edit = ["edit", "-i", "file", "--old", "a", "--new", "c"];
    let refused = messages(&run_in(folder.path(), edit));
    assert!(refused.contains("occurs 3 times, first in line 1: "), "{refused}");
    let edited = messages(&run_in(folder.path(), edit.into_iter().chain(["--all"])));
    assert!(edited.contains("file: edited 3 places"), "{edited}");
}
