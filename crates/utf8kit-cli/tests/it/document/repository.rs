//! Tests the use of a repository's settings, attributes, submodules and index.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{committed, git};
use crate::common::{has, messages, run_in, status, text};

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
    fs::write(root.join(".editorconfig"), "root = true\n[*]\ncharset = utf-8-bom\nend_of_line = lf\n").unwrap();
    let asked = run(&["check", "--against", "HEAD", "a.txt"]);
    assert_eq!(status(&asked), 0, "{}", text(&asked));
    // The repository requests other line ends.
    fs::write(root.join(".editorconfig"), "root = true\n[*]\ncharset = utf-8-bom\nend_of_line = crlf\n").unwrap();
    let other = text(&run(&["check", "--against", "HEAD", "--format", "short", "a.txt"]));
    assert!(other.contains("line ends: "), "{other}");
    fs::remove_file(root.join(".editorconfig")).unwrap();
    fs::write(root.join(".gitattributes"), "*.txt text eol=lf\n").unwrap();
    let marked = text(&run(&["check", "--against", "HEAD", "--format", "short"]));
    assert!(marked.contains("byte order mark: ") && !marked.contains("line ends: "), "{marked}");
    git(root, &["mv", "same.txt", "moved.txt"]);
    assert_eq!(status(&run(&["check", "--staged"])), 0);
    // A file that is new in the index has no old version, but may have errors.
    fs::write(root.join("new.txt"), b"caf\xE9\n").unwrap();
    git(root, &["add", "new.txt"]);
    assert_eq!(status(&run(&["check", "--staged"])), 1);
    assert_eq!(status(&run(&["check", "--against", "nonsense"])), 2);
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
    assert!(check().contains("line ends"), "{}", check());
    Command::new("git").args(["config", "core.autocrlf", "true"]).current_dir(root).status().unwrap();
    assert!(!check().contains("line ends") && check().contains("replaced"), "{}", check());
    fs::write(root.join(".gitattributes"), "* -text\n").unwrap();
    assert!(check().contains("line ends"), "Git leaves them alone: {}", check());
    fs::remove_file(root.join(".gitattributes")).unwrap();
    for revision in ["HEAD", "HEAD..HEAD"] {
        fs::write(root.join("a.txt"), damaged).unwrap();
        run_in(root, ["restore", "--from", revision, "a.txt", "--in-place"]);
        assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"caf\xE9\r\nth\xE9\r\nmore\r\n", "{revision}");
    }
    // Changes that the folder's configuration requests are also kept.
    Command::new("git").args(["config", "core.autocrlf", "false"]).current_dir(root).status().unwrap();
    for (name, rule) in
        [(".gitattributes", "*.txt text eol=crlf\n"), (".editorconfig", "root = true\n[*]\nend_of_line = crlf\n")]
    {
        fs::write(root.join("a.txt"), damaged).unwrap();
        fs::write(root.join(name), rule).unwrap();
        run_in(root, ["restore", "--from", "HEAD", "a.txt", "--in-place"]);
        assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"caf\xE9\r\nth\xE9\r\nmore\r\n", "{name}");
        fs::remove_file(root.join(name)).unwrap();
    }
}

/// Files of a nested repository have no old version in the outer one. That is reported once per repository.
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
    let reported = |output: &Output| messages(output).matches("inner: not in the repository").count();
    let output = run_in(root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), reported(&output)), (Some(2), 1), "{}", messages(&output));
    for revision in ["HEAD", "HEAD..HEAD"] {
        let output = run_in(root, ["restore", "--from", revision, "--in-place", "."]);
        assert_eq!((output.status.code(), reported(&output)), (Some(2), 1), "{}", messages(&output));
    }
    // Within one repository, there is nothing to report.
    let output = run_in(&root.join("inner"), ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), messages(&output).contains("repository")), (Some(1), false));
}

/// A submodule has its own history, so it is reported and skipped. The rest is compared.
#[test]
fn submodules_are_reported_and_no_error() {
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
    let reported = |output: &Output| messages(output).matches("sub: a submodule").count();
    let output = run_in(&root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), reported(&output)), (Some(0), 1), "{}", messages(&output));
    fs::write(root.join("a.txt"), "caf\u{C3}\u{A9}\n").unwrap();
    let output = run_in(&root, ["check", "--against", "HEAD", "."]);
    assert_eq!((output.status.code(), reported(&output)), (Some(1), 1), "{}", messages(&output));
    let output = run_in(&root, ["restore", "--from", "HEAD", "--in-place", "."]);
    assert_eq!((output.status.code(), reported(&output)), (Some(0), 1), "{}", messages(&output));
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
    // A named file is checked even if globs exclude it, as everywhere.
    assert_eq!(listed(root, &["-g", "*.c", "bad.txt"]), (1, "bad.txt".into()));
    // A file that was staged and then removed.
    fs::remove_file(root.join("bad.txt")).unwrap();
    assert_eq!(listed(root, &["bad.txt"]), (1, "bad.txt".into()));
    fs::rename(root.join("sub"), root.join("gone")).unwrap();
    assert_eq!(listed(root, &["sub/bad.txt"]), (1, "sub/bad.txt".into()));
    fs::rename(root.join("gone"), root.join("sub")).unwrap();
    // A path that is misspelt or outside does not stop the others.
    assert_eq!(listed(root, &["bda.txt", "sub/bad.txt"]), (2, "sub/bad.txt".into()));
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "x").unwrap();
    let outside = outside.path().join("a").display().to_string();
    assert_eq!(listed(root, &["sub/bad.c", &outside]), (2, "sub/bad.c".into()));
    assert_eq!(status(&run_in(root, ["check", "--staged", "--max-depth", "1"])), 2);
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
    // An edit is not damage, whatever encoding git stores the file in.
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
        let diff = run_in(root, ["restore", "--from", revision, "--diff", "."]);
        assert!(!messages(&diff).contains("doubtful"), "{revision}: {}", messages(&diff));
        assert_eq!(messages(&diff).matches("would restore").count(), 4, "{revision}: {}", messages(&diff));
    }
    run_in(root, ["restore", "--from", "HEAD", "--in-place", "."]);
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
