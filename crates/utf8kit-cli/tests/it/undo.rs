//! Tests which files `utf8 repair --undo` restores, and from which entry of the ledger.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, run_with, status};

/// Writes files, and repairs them in place with a ledger.
fn repair(folder: &Path, files: &[(&str, &[u8])]) {
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let names = files.iter().map(|(name, _)| format!("./{name}"));
    let args = ["repair", "--in-place", "--ledger", "ledger"].map(str::to_owned);
    let output = run_in(folder, args.into_iter().chain(names));
    assert_eq!(status(&output), 0, "{}", messages(&output));
}

#[test]
fn a_file_called_like_standard_input_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("-", b"1\xFF")]);
    let undone = run_in(folder.path(), ["repair", "--undo", "ledger"]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("-")).unwrap(), b"1\xFF");
}

#[test]
fn standard_input_is_no_file_to_restore() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger");
    let repaired = run_with(b"1\xFF", ["repair", "--ledger", ledger.to_str().unwrap()]).stdout;
    fs::write(folder.path().join("-"), &repaired).unwrap();
    let undone = run_in(folder.path(), ["repair", "--undo", "ledger"]);
    assert_eq!(status(&undone), 2);
    assert!(messages(&undone).contains("it was standard input"), "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("-")).unwrap(), repaired, "a file that happens to be called so");
}

#[test]
fn the_last_of_several_repairs_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    for before in [b"1\xFF", b"1\xFE"] {
        repair(folder.path(), &[("file", before)]);
    }
    assert_eq!(status(&run_in(folder.path(), ["repair", "--undo", "ledger"])), 0);
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"1\xFE");
}

#[test]
fn files_are_restored_once_and_in_path_order() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("b", b"1\xFF"), ("a", b"2\xFF")]);
    let undone = run_in(folder.path(), ["repair", "--undo", "ledger", "b", "a", "b"]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(messages(&undone), "utf8: a: undid 1 change\nutf8: b: undid 1 change\n");
}

#[test]
fn below_a_new_root_the_longest_path_is_meant() {
    let old = tempfile::tempdir().unwrap();
    fs::create_dir(old.path().join("deep")).unwrap();
    repair(old.path(), &[("deep/file", b"1\xFF")]);
    let new = tempfile::tempdir().unwrap();
    fs::create_dir(new.path().join("deep")).unwrap();
    let repaired = fs::read(old.path().join("deep/file")).unwrap();
    for copy in ["deep/file", "file"] {
        fs::write(new.path().join(copy), &repaired).unwrap();
    }
    fs::remove_dir_all(old.path().join("deep")).unwrap();
    let root = new.path().to_str().unwrap();
    let undone = run_in(old.path(), ["repair", "--undo", "ledger", "--root", root]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(fs::read(new.path().join("deep/file")).unwrap(), b"1\xFF");
    assert_eq!(fs::read(new.path().join("file")).unwrap(), repaired);
}

#[test]
fn entries_that_lost_changes_are_ignored() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("file", b"1\xFF2\xFF")]);
    let repaired = fs::read(folder.path().join("file")).unwrap();
    let lines = fs::read_to_string(folder.path().join("ledger")).unwrap();
    let kept: Vec<_> = lines.lines().enumerate().filter(|&(index, _)| index != 2).collect();
    let kept: String = kept.iter().map(|(_, line)| format!("{line}\n")).collect();
    fs::write(folder.path().join("ledger"), kept).unwrap();
    let undone = run_in(folder.path(), ["repair", "--undo", "ledger", "file"]);
    assert_eq!(status(&undone), 2);
    assert!(messages(&undone).contains("the ledger has no entry for it"), "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), repaired);
    // Nothing is left that an output could be made of.
    let elsewhere = run_in(folder.path(), ["repair", "--undo", "ledger", "-o", "out"]);
    assert_eq!(status(&elsewhere), 2);
    assert!(messages(&elsewhere).contains("--output takes one file"), "{}", messages(&elsewhere));
}

#[test]
fn a_ledger_is_continued_on_a_new_line() {
    let folder = tempfile::tempdir().unwrap();
    for rest in ["{", "{\"type\":\"repair\",\"pa"] {
        fs::write(folder.path().join("ledger"), rest).unwrap();
        repair(folder.path(), &[("file", b"1\xFF")]);
        assert_eq!(status(&run_in(folder.path(), ["repair", "--undo", "ledger"])), 0, "{rest}");
        assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"1\xFF", "{rest}");
    }
}
