//! Tests `utf8 repair --ledger`, `--undo` and `--diff`.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{damaged, messages, run_in, run_with, status, text, utf8};
use serde_json::Value;
use utf8kit_files::BLOCK;

/// Parses the lines of a ledger.
fn ledger(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A letter, repeated, with damage across the end of a block of a file.
fn damaged_at_the_end_of_a_block(letter: &[u8]) -> Vec<u8> {
    let mut bytes = letter.repeat(BLOCK / letter.len() - 1000);
    bytes.extend(damaged(8_001));
    bytes
}

#[test]
fn every_policy_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut input = damaged_at_the_end_of_a_block(b"a");
    input.extend_from_slice(br"\x41 \xFF \xF \");
    fs::write(path("old"), &input).unwrap();
    let policies = [
        "replace", "replace-byte", "replace-run", "java", "remove", "escape", "unescape", "same-length",
        "fallback=windows-1252", "fallback=shift_jis",
    ];
    for policy in policies {
        let repair = ["repair", "--force", "--policy", policy, "old", "-o", "new", "--ledger", "ledger"];
        assert_eq!(status(&run_in(folder.path(), repair)), 0, "{policy}");
        assert_ne!(fs::read(path("new")).unwrap(), input, "{policy}");
        let undone = run_in(folder.path(), ["undo", "ledger", "new"]);
        assert_eq!(status(&undone), 0, "{policy}: {}", messages(&undone));
        assert!(fs::read(path("new")).unwrap() == input, "{policy}");
        fs::remove_file(path("ledger")).unwrap();
    }
}

#[test]
fn every_encoding_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let encodings: [(&str, &[u8]); 7] = [
        ("cesu-8", b"a"),
        ("wtf-8", b"a"),
        ("utf-8-31bit", b"a"),
        ("utf-16le", b"a\0"),
        ("utf-16", b"\0a"),
        ("utf-32be", b"\0\0\0a"),
        ("wtf-16be", b"\0a"),
    ];
    for (encoding, letter) in encodings {
        let input = damaged_at_the_end_of_a_block(letter);
        for policy in ["replace", "remove", "escape"] {
            fs::write(path("file"), &input).unwrap();
            let place = ["repair", "--in-place", "--force", "--ledger", "ledger", "-e", encoding, "-p", policy, "file"];
            assert_eq!(status(&run_in(folder.path(), place)), 0, "{encoding} {policy}");
            assert_ne!(fs::read(path("file")).unwrap(), input, "{encoding} {policy}");
            assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "file"])), 0);
            assert!(fs::read(path("file")).unwrap() == input, "{encoding} {policy}");
            fs::remove_file(path("ledger")).unwrap();
        }
    }
}

#[test]
fn what_a_ledger_says() {
    fn change(offset: u64, before: &str) -> serde_json::Value {
        serde_json::json!({"type": "change", "offset": offset, "before": before, "after": "efbfbd"})
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let args = ["repair", "--ledger", path.to_str().unwrap()];
    assert_eq!(run_with(b"a\xFFb\xE2\x82", args).stdout, "a\u{FFFD}b\u{FFFD}".as_bytes());
    let said = ledger(&path);
    assert_eq!(said[1..3], [change(1, "ff"), change(3, "e282")]);
    assert_eq!((&said[0]["type"], &said[0]["path"]), (&"repair".into(), &"-".into()));
    let last = &said[3];
    assert_eq!((&last["type"], &last["size_before"], &last["size_after"]), (&"file".into(), &5.into(), &8.into()));
    assert_eq!(last["blake3_before"].as_str().unwrap().len(), 64);
    assert_eq!(said.len(), 4);
    // A valid file adds nothing, and an existing ledger is appended to.
    assert_eq!(status(&run_with(b"good", args)), 0);
    assert_eq!(ledger(&path), said);
    assert_eq!(status(&run_with(b"\xFF", args)), 0);
    assert_eq!(ledger(&path).len(), 7);
}

#[test]
fn trees_are_undone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    let files: [(&str, &[u8]); 4] =
        [("one", b"1\xFF"), ("same", b"1\xFE"), ("deep/two", b"\xC0\xAF 2"), ("good", b"1\xEF\xBF\xBD")];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", "."])), 0);
    for (name, _) in files {
        assert!(String::from_utf8(fs::read(folder.path().join(name)).unwrap()).is_ok(), "{name}");
    }
    let undone = run_in(folder.path(), ["undo", "ledger", "one", "same", "deep"]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    for (name, bytes) in files {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), bytes, "{name}");
    }
}

#[test]
fn what_is_not_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, bytes: &[u8]| fs::write(path(name), bytes).unwrap();
    let reported = |name: &str, expected: i32, why: &str| {
        let before = fs::read(path(name)).unwrap();
        let refused = run_in(folder.path(), ["undo", "ledger", name]);
        assert_eq!(status(&refused), expected);
        assert!(messages(&refused).contains(why), "{}", messages(&refused));
        assert_eq!(fs::read(path(name)).unwrap(), before);
    };
    let undo = |name: &str, why: &str| reported(name, 2, why);
    write("file", b"a\xFF");
    write("other", b"something else");
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", "file"])), 0);
    undo("other", "the ledger has no entry for it");
    write("file", "b\u{FFFD}".as_bytes());
    undo("file", "changed after the repair: same size, different content");
    write("file", "a\u{FFFD}!".as_bytes());
    undo("file", "changed after the repair: 4 bytes then, 5 now");
    write("file", b"a\xFF");
    reported("file", 0, "already as it was before");
    write("copy", b"a\xFF");
    reported("copy", 0, "already as it was before");
    // A damaged ledger.
    let said = fs::read_to_string(path("ledger")).unwrap();
    write("file", "a\u{FFFD}".as_bytes());
    write("ledger", said.replace(r#""before":"ff""#, r#""before":"fe""#).as_bytes());
    undo("file", "damaged");
    write("ledger", said.replace("efbfbd", "efbfbe").as_bytes());
    undo("file", "damaged");
    write("ledger", b"nonsense\n");
    undo("file", "not a ledger");
    // An incomplete entry of a killed process does no harm.
    let torn = said.rsplit_once("{\"type\":\"file\"").unwrap().0;
    write("ledger", format!("{torn}{{\"type\":\"fi").as_bytes());
    undo("file", "the ledger has no entry for it");
    write("bad", b"\xFF\xFF");
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", "bad"])), 0);
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "bad"])), 0);
    assert_eq!(fs::read(path("bad")).unwrap(), b"\xFF\xFF");
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 0, "it is undone");
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "-"])), 2);
    assert_eq!(status(&run_in(folder.path(), ["undo", "missing", "file"])), 2);
}

/// Creates a folder with broken files, repaired in place from `from` with the path `path`. The ledger is next to it.
fn repaired_tree(from: &str, path: &str) -> (tempfile::TempDir, [(&'static str, &'static [u8]); 3]) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("p/deep")).unwrap();
    let files: [(&str, &[u8]); 3] = [("p/one", b"1\xFF"), ("p/two", b"1\xFE"), ("p/deep/three", b"\xC0\xAF 3")];
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let ledger = folder.path().join("ledger");
    let path = path.replace("$PWD", folder.path().to_str().unwrap());
    let args = ["repair", "--in-place", "--ledger", ledger.to_str().unwrap(), &path];
    assert_eq!(status(&run_in(&folder.path().join(from), args)), 0);
    (folder, files)
}

fn assert_holds(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        assert_eq!(fs::read(folder.join(name)).unwrap(), *bytes, "{name}");
    }
}

#[test]
fn only_what_the_ledger_names_is_undone() {
    let (folder, files) = repaired_tree(".", "p");
    // All of these have the content of a repaired file.
    let innocent = [("p/copy", "1\u{FFFD}"), ("elsewhere", "1\u{FFFD}"), ("p/deep/copy", "\u{FFFD}\u{FFFD} 3")];
    for (name, text) in innocent {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let undone = run_in(folder.path(), ["undo", "ledger", "."]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_holds(folder.path(), &files);
    assert_holds(folder.path(), &innocent.map(|(name, text)| (name, text.as_bytes())));
}

#[test]
fn files_are_found_however_they_are_spelled() {
    for (from, path) in [(".", "p"), (".", "./p"), (".", "$PWD/p"), ("p", "."), ("p/deep", "..")] {
        for (back, paths) in [
            (".", &["p"][..]),
            (".", &["./p/"]),
            (".", &["$PWD/p"]),
            ("p", &["."]),
            ("p", &["one", "two", "deep"]),
            ("p/deep", &["../../p"]),
            ("p", &[]),
            (".", &[]),
        ] {
            let (folder, files) = repaired_tree(from, path);
            let ledger = folder.path().join("ledger");
            let mut args = vec!["undo".to_owned(), ledger.to_str().unwrap().to_owned()];
            args.extend(paths.iter().map(|path| path.replace("$PWD", folder.path().to_str().unwrap())));
            let undone = run_in(&folder.path().join(back), &args);
            assert_eq!(status(&undone), 0, "{from} {path}, {back} {paths:?}: {}", messages(&undone));
            assert_holds(folder.path(), &files);
        }
    }
}

#[test]
fn a_moved_tree_is_undone_from_its_new_root() {
    for root in [".", "p", "$PWD"] {
        let (folder, files) = repaired_tree(".", "p");
        let moved = tempfile::tempdir().unwrap();
        fs::rename(folder.path().join("p"), moved.path().join("p")).unwrap();
        let ledger = folder.path().join("ledger");
        let missing = run_in(moved.path(), ["undo", ledger.to_str().unwrap()]);
        assert_eq!(status(&missing), 2);
        assert!(messages(&missing).contains("one: not undone: no such file; use --root"), "{}", messages(&missing));
        let root = root.replace("$PWD", moved.path().to_str().unwrap());
        let undone = run_in(moved.path(), ["undo", ledger.to_str().unwrap(), "--root", &root]);
        assert_eq!(status(&undone), 0, "{root}: {}", messages(&undone));
        assert_holds(moved.path(), &files);
    }
}

#[test]
fn every_entry_that_is_not_undone_is_reported() {
    let (folder, files) = repaired_tree(".", "p");
    fs::remove_file(folder.path().join("p/one")).unwrap();
    fs::write(folder.path().join("p/deep/three"), "changed").unwrap();
    for paths in [&["p"][..], &[]] {
        let undone = run_in(folder.path(), ["undo", "ledger"].iter().chain(paths));
        assert_eq!(status(&undone), 2);
        let said = messages(&undone);
        assert!(said.contains("p/one: not undone: no such file"), "{said}");
        assert!(said.contains("p/deep/three: not undone: it was changed after the repair"), "{said}");
        assert_holds(folder.path(), &files[1..2]);
        assert_eq!(fs::read(folder.path().join("p/deep/three")).unwrap(), b"changed");
    }
    let nothing = run_in(folder.path(), ["undo", "ledger", "/"]);
    assert_eq!(status(&nothing), 2);
    fs::create_dir(folder.path().join("q")).unwrap();
    let nothing = run_in(folder.path(), ["undo", "ledger", "q"]);
    assert!(messages(&nothing).contains("q: not undone: the ledger has no entry for any file in it"));
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "-g", "*.txt", "p"])), 2);
}

#[test]
fn a_ledger_records_root_path_size_and_hash() {
    let (folder, _) = repaired_tree("p", "deep");
    let said = ledger(&folder.path().join("ledger"));
    let root = folder.path().join("p").canonicalize().unwrap();
    for line in [&said[0], said.last().unwrap()] {
        assert_eq!((&line["path"], &line["root"]), (&"deep/three".into(), &root.to_str().unwrap().into()));
    }
    let (folder, _) = repaired_tree("p/deep", "../one");
    let said = ledger(&folder.path().join("ledger"));
    assert_eq!((&said[0]["path"], &said[0]["root"]), (&"one".into(), &root_of(&folder).into()));
    let last = said.last().unwrap();
    assert_eq!((&last["size_before"], &last["size_after"]), (&2.into(), &4.into()));
    assert_ne!(last["blake3_before"], last["blake3_after"]);
}

#[test]
fn files_that_became_the_same_are_not_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let run = |args: &[&str]| run_in(folder.path(), args);
    write("one", b"1\xFF");
    write("two", b"1\xFE");
    assert_eq!(status(&run(&["repair", "--in-place", "--ledger", "ledger", "one", "two"])), 0);
    write("copy", "1\u{FFFD}".as_bytes());
    let undone = run(&["undo", "ledger", "copy"]);
    assert!(messages(&undone).contains("several files in the ledger now have this content"), "{}", messages(&undone));
    assert_eq!((status(&undone), fs::read(folder.path().join("copy")).unwrap()), (2, "1\u{FFFD}".into()));
    // If both have the same original, the result is unambiguous.
    write("one", b"2\xFF");
    write("two", b"2\xFF");
    assert_eq!(status(&run(&["repair", "--in-place", "--ledger", "ledger", "one", "two"])), 0);
    write("copy", "2\u{FFFD}".as_bytes());
    assert_eq!(status(&run(&["undo", "ledger", "copy"])), 0);
    assert_eq!(fs::read(folder.path().join("copy")).unwrap(), b"2\xFF");
}

#[test]
fn one_file_is_undone_elsewhere() {
    let (folder, files) = repaired_tree(".", "p");
    let run = |args: &[&str]| run_in(folder.path(), ["undo", "ledger", "-o", "out"].iter().chain(args));
    for several in [&["p"][..], &["p/one", "p/two"], &[]] {
        let refused = run(several);
        assert_eq!(status(&refused), 2);
        assert!(messages(&refused).contains("--output takes one file"), "{}", messages(&refused));
        assert!(!folder.path().join("out").exists());
    }
    assert_eq!(status(&run(&["p/one"])), 0);
    assert_eq!(fs::read(folder.path().join("out")).unwrap(), files[0].1);
    assert_eq!(fs::read(folder.path().join("p/one")).unwrap(), "1\u{FFFD}".as_bytes());
    // A file that cannot be restored leaves nothing behind.
    fs::write(folder.path().join("p/one"), "changed").unwrap();
    fs::remove_file(folder.path().join("out")).unwrap();
    assert_eq!(status(&run(&["p/one"])), 2);
    assert!(!folder.path().join("out").exists());
}

fn root_of(folder: &tempfile::TempDir) -> String {
    folder.path().join("p").canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn files_with_any_name_are_undone() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let names: [&[u8]; 3] = [b"caf\xE9", b"\xFF", b"a\nb"];
    for name in names {
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(name)), b"1\xFF").unwrap();
    }
    assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", "."])), 0);
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 0);
    for name in names {
        assert_eq!(fs::read(folder.path().join(std::ffi::OsStr::from_bytes(name))).unwrap(), b"1\xFF");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_ledger_that_cannot_be_written_stops_the_repair() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"a\xFF").unwrap();
    let full = run_in(folder.path(), ["repair", "--in-place", "--ledger", "/dev/full", "file"]);
    assert_eq!(status(&full), 2);
    assert_eq!(fs::read(&path).unwrap(), b"a\xFF");
}

#[test]
#[cfg(unix)]
fn a_ledger_may_be_a_device() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"a\xFF").unwrap();
    let repaired = run_in(folder.path(), ["repair", "--in-place", "--ledger", "/dev/null", "file"]);
    assert_eq!(status(&repaired), 0, "{}", messages(&repaired));
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), "a\u{FFFD}".as_bytes());
}

#[test]
fn diffs_are_safe_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let input = b"1\n2\n3\n4\n5\x1B[2J \xC0\xAF caf\xC3\xA9\r\n6\n7\n8\n9\n10\n11\n12\xFF";
    fs::write(&path, input).unwrap();
    let diff = run_in(folder.path(), ["repair", "--diff", "file"]);
    let expected = "--- file\n+++ file (repaired)\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n\
        -5\\u{1b}[2J ‹C0›‹AF› café\n+5\\u{1b}[2J \u{FFFD}\u{FFFD} café\n 6\n 7\n 8\n\
        @@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12‹FF›\n+12\u{FFFD}\n";
    assert_eq!((status(&diff), text(&diff)), (0, expected.to_owned()));
    assert!(messages(&diff).contains("would repair 3 errors: 1 overlong form, 1 unexpected continuation byte"));
    assert_eq!(fs::read(&path).unwrap(), input);
    assert_eq!(status(&run_in(folder.path(), ["repair", "--diff", "--exit-non-zero-on-fix", "file"])), 1);
    assert_eq!(text(&run_with(input, ["repair", "--diff"])), expected.replace("file", "-"));
    assert_eq!(text(&run_with(b"good", ["repair", "--diff"])), "");
    let colored = text(&run_in(folder.path(), ["--color", "always", "repair", "--diff", "file"]));
    assert!(colored.contains("\x1B[") && !colored.contains("\x1B[2J"));
}

#[test]
fn diffs_count_lines_far_away_and_cut_long_ones() {
    let mut input = "line\n".repeat(300_000).into_bytes();
    input.extend_from_slice(b"\xFF\n");
    input.extend_from_slice("next\n".repeat(100_000).as_bytes());
    input.extend_from_slice("x".repeat(3_000_000).as_bytes());
    input.extend_from_slice(b"\xFE");
    input.extend_from_slice("y".repeat(100_000).as_bytes());
    let diff = text(&run_with(&input, ["repair", "--diff"]));
    let places: Vec<_> = diff.lines().filter(|line| line.starts_with("@@")).collect();
    assert_eq!(places, ["@@ -299998,7 +299998,7 @@", "@@ -400002,1 +400002,1 @@"]);
    assert!(diff.contains("-‹FF›\n"));
    assert!(diff.len() < 5000, "long lines are cut: {}", diff.len());
    assert!(diff.lines().last().unwrap().starts_with("+") && diff.contains("x‹FE›y"));
}

#[test]
fn diffs_in_other_encodings() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let mut input = wide("one\nt\u{20AC}o ");
    input.extend_from_slice(&[0x00, 0xD8]);
    input.extend(wide("\nthree\n"));
    let diff = text(&run_with(&input, ["repair", "--diff", "-e", "utf-16le"]));
    assert!(diff.ends_with("@@ -1,3 +1,3 @@\n one\n-t€o ‹00 D8›\n+t€o \u{FFFD}\n three\n"), "{diff}");
    let new_lines = text(&run_with(b"a\xFFb\nc\n", ["repair", "--diff", "--replacement", "\n"]));
    assert!(new_lines.ends_with("@@ -1,2 +1,3 @@\n-a‹FF›b\n+a\n+b\n c\n"), "{new_lines}");
}

#[cfg(unix)]
#[test]
fn ledgers_of_hostile_names() {
    let folder = tempfile::tempdir().unwrap();
    let name = "a\n\x1B[2J\u{202E}b";
    fs::write(folder.path().join(name), b"\xFF").unwrap();
    let output = run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", name]);
    assert_eq!(status(&output), 0);
    assert!(!messages(&output).contains('\x1B'));
    assert!(!fs::read_to_string(folder.path().join("ledger")).unwrap().contains(['\x1B', '\u{202E}']));
    let diff = run_in(folder.path(), ["repair", "--diff", "--policy", "escape", name]);
    assert!(!text(&diff).contains('\x1B'));
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", name])), 0);
    assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"\xFF");
}

#[test]
fn many_files_are_recorded_before_they_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("tree")).unwrap();
    // More than one group of files; one file has two names.
    let names: Vec<_> = (0..70).map(|n| format!("tree/{n:02}")).collect();
    for name in &names {
        fs::write(root.join(name), b"1\xFF").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("00", root.join("tree/link")).unwrap();
    let repair = ["repair", "--in-place", "--ledger", "ledger", "tree", "./tree/69", "tree/link"];
    let output = run_in(root, if cfg!(unix) { &repair[..] } else { &repair[..6] });
    assert_eq!(status(&output), 0, "{}", messages(&output));
    assert_eq!(messages(&output).matches(": repaired 1 error").count(), 70, "{}", messages(&output));
    assert!(!messages(&output).contains("waiting"), "{}", messages(&output));
    for name in &names {
        assert_eq!(fs::read(root.join(name)).unwrap(), "1\u{FFFD}".as_bytes(), "{name}");
    }
    assert_eq!(status(&run_in(root, ["undo", "ledger"])), 0);
    for name in &names {
        assert_eq!(fs::read(root.join(name)).unwrap(), b"1\xFF", "{name}");
    }
    // A change that cannot be recorded is not made.
    #[cfg(target_os = "linux")]
    {
        let full = run_in(root, ["repair", "--in-place", "--ledger", "/dev/full", "tree"]);
        assert_eq!(status(&full), 2);
        assert!(messages(&full).contains("/dev/full: No space left"), "{}", messages(&full));
        assert!(!messages(&full).contains("repaired"), "none was repaired: {}", messages(&full));
        for name in &names {
            let reported = format!("{name}: left alone, because the ledger cannot be written");
            assert!(messages(&full).contains(&reported), "{}", messages(&full));
            assert_eq!(fs::read(root.join(name)).unwrap(), b"1\xFF", "{name}");
        }
    }
}

/// `xargs -P` and pre-commit start several commands at once.
#[test]
fn commands_that_write_one_ledger_at_the_same_time_do_not_mix_their_entries() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let content = |at: usize| format!("text {at} \u{E9}\n").into_bytes();
    let bad =
        |at: usize| [&content(at)[..], b"caf\xC0\xAF\n"].concat().repeat(if at.is_multiple_of(16) { 3000 } else { 60 });
    let name = |at: usize| format!("{}/{at}", at % 4);
    for at in 0..160 {
        fs::create_dir_all(root.join((at % 4).to_string())).unwrap();
        fs::write(root.join(name(at)), bad(at)).unwrap();
    }
    let start = |at: usize| {
        let mut command = utf8(["repair", "--in-place", "--ledger", "ledger", &at.to_string()]);
        command.current_dir(root).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for mut child in (0..4).map(start).collect::<Vec<_>>() {
        assert!(child.wait().unwrap().success());
    }
    let output = run_in(root, ["undo", "ledger"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    for at in 0..160 {
        assert!(fs::read(root.join(name(at))).unwrap() == bad(at), "{at}");
    }
}

#[test]
fn an_entry_without_all_of_its_changes_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"caf\xC0\xAF\nx\xC0\xAF\n").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--ledger", "ledger", "file"])), 0);
    let repaired = fs::read(root.join("file")).unwrap();
    let ledger = fs::read_to_string(root.join("ledger")).unwrap();
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    for without in 0..lines.len() - 1 {
        let kept = lines.iter().enumerate().filter(|(at, _)| *at != without).map(|(_, line)| *line);
        fs::write(root.join("ledger"), kept.collect::<String>()).unwrap();
        let output = run_in(root, ["undo", "ledger"]);
        assert_eq!(status(&output), 2, "{without}: {}", messages(&output));
        assert!(messages(&output).contains("the entry for file is damaged"), "{}", messages(&output));
        assert_eq!(fs::read(root.join("file")).unwrap(), repaired);
    }
}
