//! Tests what `utf8 repair --in-place` keeps: owner, mode, access control lists, extended attributes, hard links.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::common::{messages, run_in, skip, status};

const ACL: &str = "system.posix_acl_access";

/// Returns an access control list (acl(5)): read and write for the owner and uid 12, read for the group. The mask is
/// shown as the group's bits in the mode.
fn acl() -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, u32::MAX), (2, 6, 12), (4, 4, u32::MAX), (0x10, 6, u32::MAX), (0x20, 0, u32::MAX)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// Sets an attribute. Returns `false` if the file system does not support it.
fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    let done = xattr::set(path, name, value);
    if let Err(error) = &done {
        skip(&format!("{name}: {error}"));
    }
    done.is_ok()
}

fn repair(folder: &Path, args: &[&str]) -> std::process::Output {
    run_in(folder, ["repair", "--in-place"].iter().chain(args))
}

#[test]
fn a_ledger_is_no_more_public_than_the_files_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger");
    fs::write(&ledger, b"").unwrap();
    let mode = |mode: u32| fs::set_permissions(&ledger, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o664);
    for (file, text, of_file, of_ledger) in [
        ("public", &b"caf\xFF"[..], 0o644, 0o664),
        ("clean", b"caf", 0o600, 0o664),
        ("of group", b"caf\xFF", 0o640, 0o660),
        ("own", b"caf\xFF", 0o600, 0o620),
        ("public again", b"caf\xFF", 0o644, 0o620),
    ] {
        let path = folder.path().join(file);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(of_file)).unwrap();
        assert_eq!(status(&repair(folder.path(), &["--ledger", "ledger", file])), 0);
        let found = fs::metadata(&ledger).unwrap().mode() & 0o777;
        assert_eq!(found, of_ledger, "{file}: {found:o}");
    }
}

#[test]
fn attributes_and_access_control_lists_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"a\xFF").unwrap();
    let (mark, value): (&str, &[u8]) = ("user.mark", b"\0\xFFvalue");
    if !set(&path, mark, value) || !set(&path, ACL, &acl()) {
        return;
    }
    let mode = fs::metadata(&path).unwrap().mode();
    let args: [&[&str]; 3] = [&["file"], &["--ledger", "ledger", "file"], &["--in-place=.bak", "file"]];
    for args in args {
        fs::write(&path, b"a\xFF").unwrap();
        let command = if args[0].starts_with("--in") {
            run_in(folder.path(), ["repair"].iter().chain(args))
        } else {
            repair(folder.path(), args)
        };
        assert_eq!(status(&command), 0, "{}", messages(&command));
        assert_eq!(fs::read(&path).unwrap(), "a\u{FFFD}".as_bytes());
        assert_eq!(xattr::get(&path, mark).unwrap().as_deref(), Some(value));
        assert_eq!(xattr::get(&path, ACL).unwrap(), Some(acl()));
        assert_eq!(fs::metadata(&path).unwrap().mode(), mode);
    }
    fs::remove_file(folder.path().join("file.bak")).unwrap();
    assert_eq!(status(&run_in(folder.path(), ["undo", "ledger"])), 0);
    assert_eq!(fs::read(&path).unwrap(), b"a\xFF");
    assert_eq!(xattr::get(&path, mark).unwrap().as_deref(), Some(value));
    assert_eq!(xattr::get(&path, ACL).unwrap(), Some(acl()));
}

#[test]
fn nothing_is_granted_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // New files in this folder grant uid 12 all rights.
    if !set(folder.path(), "system.posix_acl_default", &acl()) {
        return;
    }
    fs::write(&path, b"a\xFF").unwrap();
    xattr::remove(&path, ACL).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o660)).unwrap();
    assert_eq!(status(&repair(folder.path(), &["file"])), 0);
    assert_eq!(fs::read(&path).unwrap(), "a\u{FFFD}".as_bytes());
    assert_eq!(xattr::get(&path, ACL).unwrap(), None);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o660);
}

#[test]
fn owner_group_and_mode_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"a\xFF").unwrap();
    if chown(&path, Some(12), Some(13)).is_err() {
        return skip("only root can give files to another owner");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4640)).unwrap();
    assert_eq!(status(&repair(folder.path(), &["file"])), 0);
    let kept = fs::metadata(&path).unwrap();
    assert_eq!((kept.uid(), kept.gid(), kept.mode() & 0o7777), (12, 13, 0o4640));
}

#[test]
fn hard_links_are_not_split_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let (broken, repaired) = (b"a\xFF".to_vec(), "a\u{FFFD}".as_bytes().to_vec());
    let read = || (fs::read(&one).unwrap(), fs::read(&two).unwrap());
    let linked = || fs::metadata(&one).unwrap().ino() == fs::metadata(&two).unwrap().ino();
    fs::write(&one, &broken).unwrap();
    fs::hard_link(&one, &two).unwrap();
    for args in [&["one"][..], &["--hard-links", "skip", "one"], &["--hard-links=skip", "."]] {
        let skipped = repair(folder.path(), args);
        assert_eq!(status(&skipped), 2);
        assert!(messages(&skipped).contains("one: skipped: it has 2 hard links"), "{}", messages(&skipped));
        assert_eq!(read(), (broken.clone(), broken.clone()));
    }
    let write = repair(folder.path(), &["--hard-links", "write", "--ledger", "ledger", "one"]);
    assert_eq!(status(&write), 0, "{}", messages(&write));
    assert_eq!((read(), linked()), ((repaired.clone(), repaired.clone()), true));
    let undo = |how| run_in(folder.path(), ["undo", "ledger", "--hard-links", how]);
    assert_eq!((status(&undo("skip")), read()), (2, (repaired.clone(), repaired.clone())));
    assert_eq!((status(&undo("write")), read(), linked()), (0, (broken.clone(), broken.clone()), true));
    // The backup of a file that is overwritten is a copy.
    let backed = run_in(folder.path(), ["repair", "--in-place=.bak", "--hard-links", "write", "one"]);
    assert_eq!((status(&backed), read(), linked()), (0, (repaired.clone(), repaired.clone()), true));
    assert_eq!(fs::read(folder.path().join("one.bak")).unwrap(), broken);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
    assert_eq!(mode(&folder.path().join("one.bak")), mode(&one));
    fs::remove_file(folder.path().join("one.bak")).unwrap();
    fs::write(&one, &broken).unwrap();
    assert_eq!(status(&repair(folder.path(), &["--hard-links", "split", "two"])), 0);
    assert_eq!((read(), linked()), ((broken.clone(), repaired), false));
    // A file with several hard links and nothing to repair is not touched.
    fs::hard_link(&two, folder.path().join("three")).unwrap();
    assert_eq!(status(&repair(folder.path(), &["two", "three"])), 0);
}

#[test]
fn names_that_a_killed_run_left_behind_are_not_hard_links() {
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("one");
    fs::write(&one, b"a\xFF").unwrap();
    fs::hard_link(&one, folder.path().join(".utf8-unfinished-123456")).unwrap();
    assert_eq!(status(&repair(folder.path(), &["one"])), 0);
    assert_eq!(fs::read(&one).unwrap(), "a\u{FFFD}".as_bytes());
}

#[test]
fn a_file_that_the_user_may_not_write_to_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (nobody, everybody) = (65534, fs::Permissions::from_mode(0o777));
    // A folder that everybody can write to, and a copy of the command that nobody else can reach.
    fs::set_permissions(root, everybody.clone()).unwrap();
    let program = root.join("utf8");
    fs::copy(env!("CARGO_BIN_EXE_utf8"), &program).unwrap();
    fs::set_permissions(&program, everybody).unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).current_dir(root).uid(nobody).gid(nobody);
        // A test in another thread may just be starting a program, which inherits the descriptor of the copy.
        loop {
            match command.output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
                done => return done,
            }
        }
    };
    if run(&["--version"]).is_err() {
        return skip("only root can run a command as another user");
    }
    let file = root.join("file");
    let owner = || (fs::metadata(&file).unwrap().uid(), fs::metadata(&file).unwrap().mode() & 0o777);
    fs::write(&file, b"a\xFF").unwrap();
    fs::write(root.join("other"), b"b\xFF").unwrap();
    for mode in [0o644, 0o444, 0o600] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let commands: [&[&str]; 2] =
            [&["repair", "--in-place", "file"], &["convert", "--in-place", "--from", "latin1", "file"]];
        for command in commands {
            let refused = run(command).unwrap();
            assert_eq!(status(&refused), 2, "{}", messages(&refused));
            assert_eq!((fs::read(&file).unwrap(), owner()), (b"a\xFF".to_vec(), (0, mode)));
            if mode != 0o600 {
                assert!(messages(&refused).contains("you may not write to it"), "{}", messages(&refused));
            }
        }
        for command in ["repair other -o file", "convert --from latin1 other -o file"] {
            let refused = run(&command.split(' ').collect::<Vec<_>>()).unwrap();
            assert_eq!(status(&refused), 2, "{}", messages(&refused));
            assert_eq!((fs::read(&file).unwrap(), owner()), (b"a\xFF".to_vec(), (0, mode)));
        }
    }
    // A file that the user may write is replaced, and its new owner is reported.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let reported = run(&["repair", "--in-place", "file"]).unwrap();
    assert_eq!((status(&reported), fs::read(&file).unwrap()), (0, "a\u{FFFD}".as_bytes().to_vec()));
    assert!(messages(&reported).contains("its owner or group could not be kept"), "{}", messages(&reported));
    assert_eq!(owner().0, nobody);
}
