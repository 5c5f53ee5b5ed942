//! Tests damage in the history of a repository.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use super::{committed, git};
use crate::common::{has, lines, messages, run_in, status, text, utf8};

/// Makes ten commits. Each one edits the files and damages them in a different way.
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
        (legacy, "line_ends", Box::new(|old| decode(old).replace('\n', "\r\n").chars().map(|c| c as u8).collect())),
        (utf8.as_bytes(), "doubled", Box::new(|old| decode(old).into_bytes())),
        (utf8.as_bytes(), "byte_order_mark", Box::new(|old| [b"\xEF\xBB\xBF", old].concat())),
        (utf8.as_bytes(), "recoded", Box::new(|old| String::from_utf8_lossy(old).chars().map(|c| c as u8).collect())),
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
        (utf8.as_bytes(), "line_ends", Box::new(|old| String::from_utf8_lossy(old).replace('\n', "\r\n").into_bytes())),
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
    // The second time, the files are already better than the last version.
    for time in 1..=2 {
        let restored = run_in(root, ["restore", "--from", "start..HEAD", "--in-place", "."]);
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
    let output = run_in(root, ["restore", "--from", ":0", "--in-place", "a.txt"]);
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
        for option in [format!("--against={name}"), format!("--from={name}")] {
            let command = if option.starts_with("--against") { "check" } else { "restore" };
            let output = run_in(root, [command, &option, "a.txt"]);
            assert_eq!(status(&output), 2, "{option}: {}", text(&output));
            let files: Vec<_> = fs::read_dir(root).unwrap().flatten().map(|entry| entry.file_name()).collect();
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
            let restore = [OsStr::new("restore"), OsStr::new("--from"), OsStr::new(revision), name];
            let output = utf8(&restore as &[&OsStr]).current_dir(root).output().unwrap();
            assert_eq!(output.stdout, b"caf\xE9 noir\n", "{name:?} {revision}: {}", messages(&output));
        }
    }
}

/// Git is started a fixed number of times for any number of files and commits. Renamed files are followed.
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
            let text = if is_damaged { String::from_utf8_lossy(&text).into_owned().into_bytes() } else { text };
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
    // A wrapper that counts the calls of git.
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
    let (restored, processes) = counted(&["restore", "--from", "start..HEAD", "--in-place", "."]);
    assert!(processes <= 5, "{processes}");
    for number in 0..FILES {
        let want = [b"step 3\nlong line that stays\nanother\n", &*legacy(number)].concat();
        let now = fs::read(root.join(format!("new/{number}.txt"))).unwrap();
        assert_eq!(now.escape_ascii().to_string(), want.escape_ascii().to_string(), "{}", messages(&restored));
    }
}

/// Counts the lines that a command printed.
#[cfg(unix)]
fn lines_of(output: &std::process::Output) -> usize {
    text(output).lines().filter(|line| line.contains("replaced: ")).count()
}

/// For a folder, `git cat-file --batch` also prints content.
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
    let restored = run_in(root, ["restore", "--from", "start..HEAD", "--in-place", "."]);
    assert_eq!(fs::read(root.join("b.txt")).unwrap(), b"un caf\xE9\n", "{}", messages(&restored));
    assert_eq!(fs::read(root.join("a")).unwrap(), b"now a file\n");
}

/// Git does not pair files without a common line.
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
    fs::write(root.join("carte.txt"), "un caf\u{FFFD} chaud\nth\u{FFFD} noir\nd\u{FFFD}j\u{FFFD} vu\n").unwrap();
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
        let restored = run_in(root, ["restore", "--from", revision, "carte.txt"]);
        assert_eq!(restored.stdout, b"un caf\xE9 chaud\nth\xE9 noir\nd\xE9j\xE0 vu\n", "{revision}");
    }
}

#[test]
fn without_a_path_the_current_folder_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    if !crate::common::has("git") {
        return;
    }
    fs::write(root.join("a.txt"), b"un caf\xE9\n").unwrap();
    super::committed(root);
    fs::write(root.join("a.txt"), "un caf\u{FFFD}\n").unwrap();
    let refused = run_in(root, ["restore", "--from", "HEAD"]);
    assert!(status(&refused) == 2 && messages(&refused).contains("--in-place"), "{}", messages(&refused));
    let dry = run_in(root, ["restore", "--from", "HEAD", "-n"]);
    assert!(messages(&dry).contains("a.txt: would restore 1 place"), "{}", messages(&dry));
    assert_eq!(status(&run_in(root, ["restore", "--from", "HEAD", "-i"])), 0);
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"un caf\xE9\n");
    let unknown = messages(&run_in(root, ["restore", "--from", "nope", "-n"]));
    assert!(unknown.contains("git diff: bad revision 'nope'"), "{unknown}");
}
