//! Tests which files `utf8 repair --undo` restores, and from which entry of the ledger.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::common::{damaged, messages, run_in, run_with, status, utf8};

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
    let undone = run_in(folder.path(), ["undo", "ledger"]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("-")).unwrap(), b"1\xFF");
}

#[test]
fn standard_input_is_no_file_to_restore() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger");
    let repaired = run_with(b"1\xFF", ["repair", "--ledger", ledger.to_str().unwrap()]).stdout;
    fs::write(folder.path().join("-"), &repaired).unwrap();
    let undone = run_in(folder.path(), ["undo", "ledger"]);
    assert_eq!(status(&undone), 2);
    assert!(messages(&undone).contains("it was standard input"), "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("-")).unwrap(), repaired, "a file that happens to be called so");
}

/// A run that changed nothing, or was killed before it changed anything, leaves nothing to undo.
#[test]
fn a_ledger_without_entries_needs_no_undo() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tree")).unwrap();
    repair(folder.path(), &[("tree/file", b"good")]);
    for paths in [&[][..], &["tree"], &["."]] {
        let undone = run_in(folder.path(), ["undo", "ledger"].iter().chain(paths));
        assert_eq!((status(&undone), &*messages(&undone)), (0, ""), "{paths:?}");
    }
}

#[test]
fn the_last_of_several_repairs_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    for before in [b"1\xFF", b"1\xFE"] {
        repair(folder.path(), &[("file", before)]);
    }
    let undone = run_in(folder.path(), ["undo", "ledger"]);
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"1\xFE");
    // Something else wrote the previous content.
    assert_eq!(status(&undone), 2, "{}", messages(&undone));
    assert!(messages(&undone).contains("changed by something else"), "{}", messages(&undone));
}

#[test]
fn files_are_restored_once_and_in_path_order() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("b", b"1\xFF"), ("a", b"2\xFF")]);
    let undone = run_in(folder.path(), ["undo", "ledger", "b", "a", "b"]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(messages(&undone), "utf8: a: undid 1 change\nutf8: b: undid 1 change\n");
}

#[test]
fn an_empty_list_of_paths_undoes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    repair(root, &[("a", b"2\xFF")]);
    let repaired = fs::read(root.join("a")).unwrap();
    fs::write(root.join("empty"), "").unwrap();
    assert_eq!(status(&run_in(root, ["undo", "ledger", "--files-from", "empty"])), 0);
    assert_eq!(fs::read(root.join("a")).unwrap(), repaired);
    if cfg!(target_os = "linux") {
        fs::write(root.join("cafe\u{301}.txt"), "x").unwrap();
        let rename = ["rename", "--apply", "--normalize", "nfc", "--ledger", "names", "."];
        assert_eq!(status(&run_in(root, rename)), 0);
        assert!(root.join("caf\u{E9}.txt").exists());
        assert_eq!(status(&run_in(root, ["undo", "names", "--files-from", "empty"])), 0);
        assert!(root.join("caf\u{E9}.txt").exists());
    }
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
    let undone = run_in(old.path(), ["undo", "ledger", "--root", root]);
    assert_eq!(status(&undone), 0, "{}", messages(&undone));
    assert_eq!(fs::read(new.path().join("deep/file")).unwrap(), b"1\xFF");
    assert_eq!(fs::read(new.path().join("file")).unwrap(), repaired);
}

#[test]
fn an_entry_that_lost_changes_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("file", b"1\xFF2\xFF")]);
    let repaired = fs::read(folder.path().join("file")).unwrap();
    let lines = fs::read_to_string(folder.path().join("ledger")).unwrap();
    let kept: Vec<_> = lines.lines().enumerate().filter(|&(index, _)| index != 2).collect();
    let kept: String = kept.iter().map(|(_, line)| format!("{line}\n")).collect();
    fs::write(folder.path().join("ledger"), kept).unwrap();
    let undone = run_in(folder.path(), ["undo", "ledger", "file"]);
    assert_eq!(status(&undone), 2);
    assert!(messages(&undone).contains("the entry for file is damaged"), "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), repaired);
    // Nothing remains from which to make an output.
    let elsewhere = run_in(folder.path(), ["undo", "ledger", "-o", "out"]);
    assert_eq!(status(&elsewhere), 2);
    assert!(messages(&elsewhere).contains("the entry for file is damaged"), "{}", messages(&elsewhere));
}

#[test]
fn a_ledger_is_continued_on_a_new_line() {
    let folder = tempfile::tempdir().unwrap();
    for rest in ["{", "{\"type\":\"repair\",\"pa"] {
        fs::write(folder.path().join("ledger"), rest).unwrap();
        repair(folder.path(), &[("file", b"1\xFF")]);
        assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 0, "{rest}");
        assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"1\xFF", "{rest}");
    }
}

#[test]
fn all_steps_are_undone_or_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let read = || fs::read(root.join("file")).unwrap();
    let original = b"caf\xE9 \\x41\n".to_vec();
    fs::write(root.join("file"), &original).unwrap();
    let mut states = vec![original.clone()];
    for step in [
        &["repair", "--in-place", "--policy", "escape"][..],
        &["repair", "--in-place", "--policy", "unescape"],
        &["convert", "--in-place", "--from", "latin1"],
        &["convert", "--in-place", "--to", "utf-16"],
    ] {
        assert_eq!(status(&run_in(root, step.iter().chain(&["--ledger", "ledger", "file"]))), 0);
        states.push(read());
    }
    assert_eq!(states[2], original, "escaped and back");
    let undo = |more: &[&str]| run_in(root, ["undo", "ledger"].iter().chain(more));
    assert_eq!((status(&undo(&["--last"])), read()), (0, states[3].clone()));
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", "utf-16", "--ledger", "ledger", "file"])), 0);
    let elsewhere = undo(&["-o", "out"]);
    assert_eq!(status(&elsewhere), 0, "{}", messages(&elsewhere));
    assert_eq!((fs::read(root.join("out")).unwrap(), read()), (original.clone(), states[4].clone()));
    let all = undo(&[]);
    assert_eq!((status(&all), read()), (0, original.clone()), "{}", messages(&all));
    for more in [&[][..], &["file"]] {
        let again = undo(more);
        assert_eq!((status(&again), read()), (0, original.clone()), "{}", messages(&again));
        assert_eq!(messages(&again), "utf8: file: nothing to undo: it is already as it was before\n");
    }
}

#[test]
fn steps_before_a_change_by_something_else_stay_and_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("file", b"1\xFF")]);
    repair(folder.path(), &[("file", "1\u{FFFD}2\u{FFFD}\n".as_bytes())]);
    let edited = [&fs::read(folder.path().join("file")).unwrap()[..], b"3\xFF"].concat();
    repair(folder.path(), &[("file", &edited)]);
    let undone = run_in(folder.path(), ["undo", "ledger"]);
    assert_eq!(status(&undone), 2);
    assert!(messages(&undone).contains("changed by something else"), "{}", messages(&undone));
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), edited);
    // They are reported again.
    let again = run_in(folder.path(), ["undo", "ledger"]);
    assert_eq!(status(&again), 2, "{}", messages(&again));
    assert!(messages(&again).contains("changed by something else"), "{}", messages(&again));
    // After an interruption, restored files are left alone.
    fs::write(folder.path().join("file"), b"other").unwrap();
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 2);
}

#[test]
fn any_chain_of_steps_is_undone_even_if_it_is_killed() {
    let steps: [&[&str]; 7] = [
        &["repair", "--in-place", "--force"],
        &["repair", "--in-place", "--force", "--policy", "remove"],
        &["repair", "--in-place", "--policy", "escape"],
        &["repair", "--in-place", "--policy", "fallback=windows-1252"],
        &["convert", "--in-place", "--force", "--from", "windows-1252"],
        &["convert", "--in-place", "--to", "utf-16be", "--on-error", "replace"],
        &["convert", "--in-place", "--force", "--from", "utf-16be", "--on-error", "escape"],
    ];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) % below
    };
    for case in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("deep")).unwrap();
        let names: Vec<_> =
            (0..2 + random(8)).map(|n| format!("{}file{n}", if n % 2 == 0 { "deep/" } else { "" })).collect();
        let before: Vec<_> = names
            .iter()
            .map(|_| {
                let noise = damaged(20_000);
                let start = random(10_000) as usize;
                noise[start..start + random(3_000) as usize].to_vec()
            })
            .collect();
        for (name, bytes) in names.iter().zip(&before) {
            fs::write(root.join(name), bytes).unwrap();
        }
        let mut run = |args: &[&str], kill: bool| {
            let mut command = utf8(args);
            let command = command.args(&names).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            if kill {
                thread::sleep(Duration::from_micros(500 * random(100)));
                let _ = child.kill();
            }
            child.wait().unwrap()
        };
        let count = 1 + case % 5;
        for step in 0..count {
            let args = [steps[(case * 3 + step * 5) % steps.len()], &["--ledger", "ledger"]].concat();
            run(&args, (case + step) % 3 == 0);
        }
        run(&["undo", "ledger"], case % 2 == 0);
        for _ in 0..2 {
            let undone = run_in(root, ["undo", "ledger"]);
            // Nothing may have been recorded before the kill.
            let recorded = fs::read_to_string(root.join("ledger")).is_ok_and(|text| text.contains("\"file\""));
            assert!(!recorded || status(&undone) == 0, "{case}: {}", messages(&undone));
            for (name, bytes) in names.iter().zip(&before) {
                assert!(fs::read(root.join(name)).unwrap() == *bytes, "{case}: {name}: {}", messages(&undone));
            }
        }
    }
}

#[test]
fn undoing_can_be_previewed() {
    let folder = tempfile::tempdir().unwrap();
    repair(folder.path(), &[("file", b"1\xFF")]);
    for args in [&["undo", "ledger", "-n"][..], &["undo", "--dry-run", "ledger", "file"], &["undo", "--diff", "ledger"]]
    {
        let shown = run_in(folder.path(), args);
        assert_eq!(status(&shown), 0, "{args:?}: {}", messages(&shown));
        assert!(messages(&shown).contains("file: would undo 1 change"), "{}", messages(&shown));
        assert_eq!(shown.stdout.is_empty(), !args.contains(&"--diff"), "{args:?}");
    }
    assert_eq!(fs::read(folder.path().join("file")).unwrap(), "1\u{FFFD}".as_bytes());
}
