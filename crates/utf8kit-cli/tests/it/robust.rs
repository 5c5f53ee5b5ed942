//! Tests `utf8 repair --in-place` under adverse conditions: nothing is lost, nothing is half written, messages are
//! clear, the exit status is right, and nothing is left behind.
//!
//! `UTF8KIT_ROUNDS=300 cargo test -p utf8kit-cli robust` kills it 300 times.
#![cfg(unix)]

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::common::{damaged, messages, run_in, status, utf8};
use utf8kit::{Encoding as _, Policy, Utf8};

/// Returns the names in a folder, including hidden ones.
fn names(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Returns a pseudo-random number.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 16
}

#[test]
fn killed_at_any_moment_every_file_is_old_or_new() {
    let rounds = std::env::var("UTF8KIT_ROUNDS").map_or(15, |rounds| rounds.parse().unwrap());
    let mut state = 0x9E37_79B9_7F4A_7C15;
    let old = damaged(20_000);
    let contents: Vec<Vec<u8>> = (0..40).map(|i| old[i..old.len() - 499 * i].to_vec()).collect();
    let (mut killed, mut renewed, mut left) = (0, 0, 0);
    for round in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir(&tree).unwrap();
        let path = |i: usize| tree.join(format!("{i:02}"));
        for (i, content) in contents.iter().enumerate() {
            fs::write(path(i), content).unwrap();
        }
        let mut child = utf8(["repair", "--binary", "--force", "--in-place=.orig", "--ledger", "ledger", "tree"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Wait for a random part of the whole run, independent of its duration, until some file is done.
        let patience = random(&mut state) as usize % contents.len();
        while fs::read(path(patience)).unwrap() == contents[patience] && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(random(&mut state) % 300));
        }
        std::thread::sleep(Duration::from_micros(random(&mut state) % 3000));
        child.kill().unwrap();
        killed += u64::from(child.wait().unwrap().code().is_none());

        let mut done = Vec::new();
        for (i, old) in contents.iter().enumerate() {
            let now = fs::read(path(i)).unwrap();
            if now != *old {
                assert!(now == *Utf8.repair(old, Policy::REPLACE), "round {round}: {i} is half written");
                assert!(fs::read(path(i).with_extension("orig")).unwrap() == *old);
                done.push(path(i));
            }
        }
        for name in names(&tree) {
            let name = name.to_str().unwrap();
            let ours = name.starts_with(".utf8-unfinished-");
            left += u64::from(ours);
            assert!(ours || name.len() == 2 || name.ends_with(".orig"), "round {round}: {name}");
        }
        renewed += done.len();
        // The ledger has an entry for each file that changed, whatever else it contains.
        if !done.is_empty() {
            let mut undo = utf8(["undo", "ledger"]);
            undo.args(done.iter().map(|file| file.strip_prefix(folder.path()).unwrap()));
            let undone = undo.current_dir(folder.path()).output().unwrap();
            assert_eq!(status(&undone), 0, "round {round}: {}", messages(&undone));
        }
        assert!(contents.iter().enumerate().all(|(i, old)| fs::read(path(i)).unwrap() == *old));
        // The rest can be repaired later.
        let again = run_in(folder.path(), ["repair", "--binary", "--force", "--in-place=.orig", "tree"]);
        assert_eq!(status(&again), 0, "{}", messages(&again));
        let new = |i: usize| Utf8.repair(&contents[i], Policy::REPLACE).into_owned();
        assert!((0..contents.len()).all(|i| fs::read(path(i)).unwrap() == new(i)));
    }
    assert!(
        killed > 0 && renewed > 0,
        "{rounds} rounds: {killed} killed, {renewed} files renewed, {left} temporary files left"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), b"\xFF").unwrap();
    for args in [["repair", "bad", "-o", "/dev/full"], ["repair", "-o", "/dev/full", "bad"]] {
        let output = run_in(folder.path(), args);
        assert_eq!(status(&output), 2);
        let message = messages(&output);
        assert!(message.contains("/dev/full: No space left on device"), "{message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else {
        return crate::common::skip("only root can mount a small disk");
    };
    let bad = damaged(600_000);
    let path = disk.0.path().join("bad");
    fs::write(&path, &bad).unwrap();
    for args in [["repair", "--force", "--in-place", "bad"], ["repair", "--force", "--in-place=.orig", "bad"]] {
        let output = run_in(disk.0.path(), args);
        assert_eq!(status(&output), 2);
        assert!(messages(&output).contains("bad: No space left on device"), "{}", messages(&output));
        assert!(fs::read(&path).unwrap() == bad);
        assert_eq!(names(disk.0.path()), ["bad"]);
    }
    let output = run_in(disk.0.path(), ["repair", "bad", "-o", "new"]);
    assert_eq!((status(&output), names(disk.0.path())), (2, vec!["bad".into()]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_the_ledger_is_reported_of_the_ledger() {
    let Some(disk) = SmallDisk::mount() else {
        return crate::common::skip("only root can mount a small disk");
    };
    let folder = tempfile::tempdir().unwrap();
    let ledger = disk.0.path().join("ledger");
    let names: Vec<_> = (10..60).map(|n| format!("file{n}")).collect();
    // About 26 kB in the ledger for each file: the first group of files fits.
    for (command, lines) in [(&["repair", "--policy", "remove"][..], 490), (&["convert", "--from", "koi8-r"], 870)] {
        let bad = b"text \xFF\n".repeat(lines);
        let _ = fs::remove_file(&ledger);
        for name in &names {
            fs::write(folder.path().join(name), &bad).unwrap();
        }
        let args = [&command[..1], &["--in-place", "--force"], &command[1..], &["--ledger"]].concat();
        let args = args.into_iter().map(OsStr::new).chain([ledger.as_os_str(), OsStr::new(".")]);
        let output = run_in(folder.path(), args);
        assert_eq!(status(&output), 2);
        let about = messages(&output);
        assert!(about.contains("ledger: No space left on device"), "{about}");
        let changed = names.iter().filter(|name| fs::read(folder.path().join(name)).unwrap() != bad).count();
        let left: Vec<_> = about.lines().filter(|line| line.contains("cannot be written")).collect();
        assert_eq!(left.len(), names.len() - changed, "{about}");
        assert!(0 < changed && changed < names.len(), "{changed}: {about}");
        assert!(about.lines().any(|line| line.starts_with(&format!("utf8: {}ed {changed} ", command[0]))), "{about}");
        let undone = run_in(folder.path(), ["undo".as_ref(), ledger.as_os_str()]);
        assert_eq!(status(&undone), 0, "{}", messages(&undone));
        for name in &names {
            assert!(fs::read(folder.path().join(name)).unwrap() == bad, "{name}");
        }
    }
}

/// A disk of one megabyte.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "utf8kit-test"].map(OsStr::new);
        as_root(mount.into_iter().chain([folder.path().as_os_str()])).then_some(SmallDisk(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        as_root([OsStr::new("umount"), self.0.path().as_os_str()]);
    }
}

/// Runs a command as root, if the user is root or can become root without a password.
#[cfg(target_os = "linux")]
fn as_root<'a>(words: impl IntoIterator<Item = &'a OsStr> + Clone) -> bool {
    let prefixes: [&[&str]; 2] = [&["env"], &["sudo", "-n"]];
    prefixes.iter().any(|prefix| {
        let mut command = Command::new(prefix[0]);
        command.args(&prefix[1..]).args(words.clone());
        command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    })
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_change_meanwhile_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (mut seen, mut done) = (0, 0);
    // A large file, so that the repair takes some time.
    let bad = damaged(24_000_000);
    for change in ["truncate", "append", "replace"] {
        for wait in [0, 10, 20, 40, 60, 90] {
            fs::write(&path, &bad).unwrap();
            let child = utf8(["repair", "--force", "--in-place", "file"])
                .current_dir(folder.path())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            // The process is stopped while the file changes, so that even a short step is tested.
            let pid = Pid::from_child(&child);
            kill_process(pid, Signal::STOP).unwrap();
            let stopped_or_ended = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            waitid(WaitId::Pid(pid), stopped_or_ended).unwrap();
            let open = || fs::OpenOptions::new().append(true).open(&path).unwrap();
            match change {
                "truncate" => open().set_len(1000).unwrap(),
                "append" => std::io::Write::write_all(&mut open(), b"more\n").unwrap(),
                _ => {
                    fs::write(folder.path().join("other"), b"another file").unwrap();
                    fs::rename(folder.path().join("other"), &path).unwrap();
                }
            }
            let after_change = fs::read(&path).unwrap();
            kill_process(pid, Signal::CONT).unwrap();
            let ended = child.wait_with_output().unwrap();
            let now = fs::read(&path).unwrap();
            match status(&ended) {
                2 => {
                    assert!(now == after_change, "{change} after {wait} ms");
                    let said = messages(&ended);
                    let why = ["became shorter", "changed by another program"];
                    assert!(why.iter().any(|why| said.contains(why)), "{said}");
                    seen += 1;
                }
                // The change came before the repair or after it. Either way it is not lost.
                0 => {
                    let kept = match change {
                        "truncate" => now.len() < 4000,
                        "append" => now.ends_with(b"more\n"),
                        _ => now == b"another file",
                    };
                    assert!(kept, "{change} after {wait} ms");
                    done += 1;
                }
                other => panic!("{other}: {}", messages(&ended)),
            }
            assert_eq!(names(folder.path()), ["file"]);
        }
    }
    assert!(seen > 0, "{done} were too late");
}

#[test]
fn two_at_once_repair_each_file_once() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let content = |i: usize| [format!("{i} ").into_bytes(), damaged(10_000 + i)].concat();
        for i in 0..60 {
            fs::write(folder.path().join(format!("{i}")), content(i)).unwrap();
        }
        let run = || {
            let mut command = utf8(["repair", "--binary", "--force", "--in-place=.orig", "--policy", "remove", "."]);
            command.current_dir(folder.path()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let both = [run(), run(), run()].map(|child| child.wait_with_output().unwrap());
        for output in &both {
            assert_eq!(status(output), 0, "{}", messages(output));
        }
        for i in 0..60 {
            let path = folder.path().join(format!("{i}"));
            assert!(fs::read(&path).unwrap() == *Utf8.repair(&content(i), Policy::Remove), "{i}");
            assert!(fs::read(path.with_extension("orig")).unwrap() == content(i), "{i}");
        }
        assert_eq!(names(folder.path()).len(), 120);
    }
}

#[test]
fn folders_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("bad"), b"\xFF").unwrap();
    fs::write(folder.path().join("open"), b"\xFF").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = utf8(["repair", "--in-place", "closed", "open"]);
    if fs::metadata(folder.path()).unwrap().uid() == 0 {
        // Root ignores permissions, so run as another user.
        let somebody = Some(65534);
        let program = folder.path().join("utf8");
        fs::copy(env!("CARGO_BIN_EXE_utf8"), &program).unwrap();
        command = Command::new(program);
        command.args(["repair", "--in-place", "closed", "open"]).uid(65534).gid(65534);
        for path in [folder.path(), &closed, &folder.path().join("open")] {
            chown(path, somebody, somebody).unwrap();
        }
    }
    let output = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(status(&output), 2);
    let said = messages(&output);
    assert!(said.contains("closed/bad: cannot create a file in the same folder: Permission denied"), "{said}");
    assert_eq!(fs::read(closed.join("bad")).unwrap(), b"\xFF");
    assert_eq!(fs::read(folder.path().join("open")).unwrap(), "\u{FFFD}".as_bytes(), "one bad file stops no other");
    assert_eq!(names(&closed), ["bad"]);
}

// Other systems reject names that are not UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn names_of_all_kinds() {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let folder = tempfile::tempdir().unwrap();
    let all: [&[u8]; 6] = [b"a\nb", b"\x1B[31mred\x07", b"\xFF\xFE", b"-o", "\u{202E}txt.exe".as_bytes(), b" "];
    for name in all {
        fs::write(folder.path().join(OsStr::from_bytes(name)), b"\xC3").unwrap();
    }
    let longest = std::path::PathBuf::from(OsString::from_vec(vec![b'n'; 255]));
    fs::write(folder.path().join(&longest), b"\xC3").unwrap();
    let output = run_in(folder.path(), ["repair", "--in-place", "--ledger", "ledger", "."]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    let said = messages(&output);
    assert!(!said.contains(['\x1B', '\x07', '\u{202E}']));
    assert!(said.contains("a\\u{a}b: repaired") && said.contains("\\xFF\\xFE: repaired"), "{said}");
    for name in names(folder.path()).iter().filter(|name| *name != "ledger") {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), "\u{FFFD}".as_bytes(), "{name:?}");
    }
    assert_eq!(names(folder.path()).len(), all.len() + 2);
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger", "."])), 0);
    assert!(all.iter().all(|name| fs::read(folder.path().join(OsStr::from_bytes(name))).unwrap() == b"\xC3"));
}

#[test]
fn what_is_no_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), b"\xFF").unwrap();
    symlink("bad", folder.path().join("link")).unwrap();
    symlink("nowhere", folder.path().join("broken")).unwrap();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    let output = run_in(folder.path(), ["repair", "--in-place", "broken", "link"]);
    assert_eq!(status(&output), 2);
    assert!(folder.path().join("link").is_symlink() && folder.path().join("broken").is_symlink());
    assert_eq!(fs::read(folder.path().join("bad")).unwrap(), "\u{FFFD}".as_bytes());
    if made.is_ok_and(|status| status.success()) {
        for write in [&["repair"][..], &["convert", "--from", "latin1"], &["convert", "--from", "auto"]] {
            let output = run_in(folder.path(), write.iter().chain(&["--in-place", "pipe"]));
            assert_eq!(status(&output), 2);
            assert!(messages(&output).contains("not a regular file"), "{write:?}: {}", messages(&output));
        }
        assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place", "."])), 0, "no pipe is opened");
    }
}

#[test]
fn backups_are_no_texts_to_repair() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"\xFF").unwrap();
    for _ in 0..3 {
        assert_eq!(status(&run_in(folder.path(), ["repair", "--in-place=.orig", "."])), 0);
    }
    assert_eq!(names(folder.path()), ["file", "file.orig"]);
    assert_eq!(fs::read(folder.path().join("file.orig")).unwrap(), b"\xFF");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_interrupted_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"{ cat bad; sleep 30; } | "$UTF8" repair -o new - & wait"#;
    fs::write(folder.path().join("bad"), damaged(3_000_000)).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).env("UTF8", env!("CARGO_BIN_EXE_utf8")).current_dir(folder.path());
    let mut child = shell.process_group(0).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-TERM", "--", &group]).status().unwrap().success());
    child.wait().unwrap();
    // The shell does not wait for the command, which needs a moment on a busy machine.
    for _ in 0..1000 {
        if names(folder.path()) == ["bad"] {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(names(folder.path()), ["bad"]);
}
