//! Tests ledgers, plans, backups and outputs, and reports on skipped files.

use std::fs;

use super::{GZIPPED, RUSSIAN, read, utf16le, windows_1251};
use crate::archives::zip;
use crate::common::{messages, run_in, status, text, utf8};

/// The bytes of ASCII in UTF-16 are also valid UTF-8.
#[test]
fn a_check_of_a_folder_names_the_command_for_utf16_in_ascii() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("wide.txt"), utf16le("Plain text without any other words in it.\n")).unwrap();
    fs::write(root.join("plain.txt"), "Plain text.\n").unwrap();
    let output = run_in(root, ["check", "."]);
    let reported = text(&output);
    assert!(reported.contains("wide.txt: utf-16le, not utf-8") && reported.contains("--from utf-16le"), "{reported}");
    assert!(!reported.contains("plain.txt"), "{reported}");
}

#[test]
fn ledgers_and_reports_take_the_place_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("bad"), b"It\xE2\x80s bad\n").unwrap();
    for (name, content) in
        [("notes", &b"my notes\n"[..]), ("bad", b"It\xE2\x80s bad\n"), ("data.json", b"{\"type\":1}\n")]
    {
        fs::write(root.join(name), content).unwrap();
        for args in [
            &["repair", "--in-place", "--ledger", name, "bad"][..],
            &["convert", "--in-place", "--to", "utf-16", "--ledger", name, "bad"],
            &["edit", "-i", "bad", "--old", "bad", "--new", "good", "--ledger", name],
            &["repair", "-o", "out", "--ledger", name, "bad"],
        ] {
            let output = run_in(root, args);
            assert_eq!((status(&output), read(root, name)), (2, content.to_vec()), "{args:?}");
            assert!(messages(&output).contains("not a ledger"), "{args:?}: {}", messages(&output));
        }
    }
    let page = &b"<!DOCTYPE html>\n<title>My page</title>\n"[..];
    for (name, content) in [("notes", &b"my notes\n"[..]), ("bad", b"It\xE2\x80s bad\n"), ("my.html", page)] {
        fs::write(root.join(name), content).unwrap();
        let output = run_in(root, ["check", "--report", name, "bad"]);
        assert_eq!((status(&output), read(root, name)), (2, content.to_vec()), "{name}");
        assert!(messages(&output).contains("not a report"), "{}", messages(&output));
    }
    assert_eq!(read(root, "bad"), b"It\xE2\x80s bad\n");
    // An older report is replaced, and a ledger that a killed run began is continued.
    for _ in 0..2 {
        assert_eq!(status(&run_in(root, ["check", "--report", "page.html", "bad"])), 1);
    }
    fs::write(root.join("ledger"), b"{\"ty").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--ledger", "ledger", "bad"])), 0);
    assert_eq!(status(&run_in(root, ["undo", "ledger"])), 0);
    assert_eq!(read(root, "bad"), b"It\xE2\x80s bad\n");
}

#[test]
fn an_output_over_its_own_input_is_a_change_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let once = RUSSIAN.repeat(4).into_bytes();
    let doubly = ["convert", "--from", "windows-1251", "file", "-o", "./file"];
    for (bytes, args, wanted) in [
        (windows_1251(), &["repair", "file", "-o", "file"][..], None),
        (windows_1251(), &["repair", "file", "--output", "./file"], None),
        (windows_1251(), &doubly, Some(once.clone())),
        (once.clone(), &doubly, None),
        (utf16le("text\n"), &["convert", "--to", "utf-16le", "file", "-o", "file"], None),
        (b"caf\xC3 \n".to_vec(), &["repair", "file", "-o", "file"], Some("caf\u{FFFD} \n".into())),
    ] {
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, args);
        let status_wanted = if wanted.is_some() { 0 } else { 2 };
        let wanted = wanted.unwrap_or(bytes);
        assert_eq!((status(&output), read(root, "file")), (status_wanted, wanted), "{}", messages(&output));
    }
    // A compressed file would be replaced by its text.
    fs::write(root.join("file"), GZIPPED).unwrap();
    let output = run_in(root, ["repair", "file", "-o", "file"]);
    assert_eq!((status(&output), read(root, "file")), (2, GZIPPED.to_vec()), "{}", messages(&output));
}

#[test]
fn a_plan_is_not_carried_out_on_other_content() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"Gr\xFC\xDFe\n").unwrap();
    let plan =
        run_in(root, ["convert", "--in-place", "--from", "windows-1252", "--dry-run", "--format", "jsonl", "file"]);
    fs::write(root.join("plan"), &plan.stdout).unwrap();
    fs::write(root.join("file"), b"Gr\xFD\xDFe\n").unwrap();
    let refused = run_in(root, ["convert", "--in-place", "--plan", "plan"]);
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("it has changed since the plan was made"), "{}", messages(&refused));
    assert_eq!(read(root, "file"), b"Gr\xFD\xDFe\n");
    fs::write(root.join("file"), b"Gr\xFC\xDFe\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--plan", "plan"])), 0);
    assert_eq!(read(root, "file"), "Grüße\n".as_bytes());
}

#[test]
fn a_backup_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let repair = ["repair", "--in-place=.bak", "file"];
    fs::write(root.join("file"), b"1\xFF").unwrap();
    assert_eq!(status(&run_in(root, repair)), 0);
    fs::write(root.join("file"), b"2\xFF").unwrap();
    let again = run_in(root, repair);
    assert_eq!(status(&again), 2);
    assert!(messages(&again).contains("file.bak already exists\n  note: move it"), "{}", messages(&again));
    assert_eq!((read(root, "file"), read(root, "file.bak")), (b"2\xFF".to_vec(), b"1\xFF".to_vec()));
    // A backup with the same content is accepted.
    fs::write(root.join("file"), b"1\xFF").unwrap();
    assert_eq!(status(&run_in(root, repair)), 0);
    assert_eq!(read(root, "file.bak"), b"1\xFF");
}

#[test]
fn backups_in_a_folder_stay_as_they_are() {
    for command in [
        &["convert", "--in-place=.bak", "--from", "latin1", "."][..],
        &["repair", "--in-place=.bak", "--policy", "escape", "."],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("file"), b"Gr\xFC\xDFe\n").unwrap();
        for _ in 0..2 {
            run_in(root, command);
            assert_eq!(read(root, "file.bak"), b"Gr\xFC\xDFe\n", "{command:?}");
            assert_eq!(fs::read_dir(root).unwrap().count(), 2, "{command:?}");
        }
    }
}

#[test]
fn what_a_killed_run_left_behind_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for command in [&["repair", "--in-place", "file"][..], &["convert", "--in-place", "--from", "latin1", "file"]] {
        fs::write(root.join("file"), b"clean").unwrap();
        fs::write(root.join(".utf8-unfinished-abcdef"), b"old content").unwrap();
        assert_eq!(status(&run_in(root, command)), 0);
        assert!(!root.join(".utf8-unfinished-abcdef").exists(), "{command:?}");
    }
    // A file in use is left alone.
    let used = fs::File::create(root.join(".utf8-unfinished-abcdef")).unwrap();
    if used.try_lock().is_ok() {
        assert_eq!(status(&run_in(root, ["repair", "--in-place", "file"])), 0);
        assert!(root.join(".utf8-unfinished-abcdef").exists());
    }
}

#[test]
fn what_is_skipped_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("vendor")).unwrap();
    for (name, bytes) in [
        ("vendor/a.c", &b"a\xFF\n"[..]),
        ("binary", b"\0\xFF"),
        ("a.dat", b"\xFF"),
        ("b.dat", b"\xFF"),
        ("good", b"good"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    fs::write(root.join("utf8.toml"), "exclude = [\"vendor/\"]\n").unwrap();
    fs::write(root.join(".gitattributes"), "* -text\n*.dat binary\nb.dat -text\n").unwrap();
    let all = run_in(root, ["check", "."]);
    assert_eq!(status(&all), 0, "{}", text(&all));
    assert!(text(&all).contains("2 files checked, nothing found"), "{}", text(&all));
    assert!(text(&all).ends_with("skipped 4 (3 binary, 1 excluded)\n"), "{}", text(&all));
    let verbose = run_in(root, ["check", "-v", "--format", "jsonl", "."]);
    let summary = text(&verbose).lines().last().unwrap().to_owned();
    assert!(summary.ends_with(r#""skipped":{"binary":3,"excluded":1}}"#), "{summary}");
    for wanted in ["a.dat: skipped: it is binary", "vendor/a.c: skipped: the configuration excludes it"] {
        assert!(messages(&verbose).replace('\\', "/").contains(wanted), "{}", messages(&verbose));
    }
    for command in ["stats", "detect"] {
        let brief = run_in(root, [command, "."]);
        assert_eq!(status(&brief), 0, "{}", messages(&brief));
        assert_eq!(messages(&brief), "utf8: skipped 4 (3 binary, 1 excluded) of 6 files\n", "{command}");
        let verbose = run_in(root, [command, "-v", "."]);
        assert!(messages(&verbose).contains("b.dat: skipped: it is binary"), "{}", messages(&verbose));
    }
    let total = text(&run_in(root, ["stats", "--format", "jsonl", "."]));
    assert!(total.trim_end().ends_with(r#""skipped":{"binary":3,"excluded":1}}"#), "{total}");
    // Named files are checked, as are the contents of named folders.
    for named in ["vendor", "vendor/a.c", "./vendor", "a.dat"] {
        assert_eq!(status(&run_in(root, ["check", named])), 1, "{named}");
    }
    assert_eq!(status(&run_in(&root.join("vendor"), ["check", "."])), 1);
    assert_eq!(status(&run_in(root, ["check", "--binary", "."])), 1);
}

#[test]
fn files_in_a_configured_legacy_encoding_are_checked_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("utf8.toml"), "[[files]]\npaths = \"*.sjis\"\nencoding = \"shift_jis\"\n").unwrap();
    fs::write(root.join("good.sjis"), b"\x93\xFA\x96\x7B\n").unwrap();
    let good = run_in(root, ["check", "."]);
    assert_eq!(status(&good), 0, "{}", text(&good));
    assert!(text(&good).contains("2 files checked"), "{}", text(&good));
    fs::write(root.join("bad.sjis"), b"ok\n\x93\xFA\x80\xA0\xFF\n").unwrap();
    for path in [".", "bad.sjis"] {
        let bad = run_in(root, ["check", "--format", "short", path]);
        assert_eq!(status(&bad), 1, "{}", text(&bad));
        assert!(text(&bad).starts_with("bad.sjis:2:3: "), "{}", text(&bad));
    }
}

#[test]
fn utf8_that_is_configured_as_another_encoding_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("utf8.toml"), "[[files]]\npaths = \"*.txt\"\nencoding = \"windows-1252\"\n").unwrap();
    let checked = |bytes: &[u8]| {
        fs::write(root.join("a.txt"), bytes).unwrap();
        let output = run_in(root, ["check", "."]);
        assert_eq!(status(&output), 0, "{}", text(&output));
        messages(&output).contains("a.txt: checked as windows-1252, as named or configured, but it is UTF-8")
    };
    assert!(checked("Größe\n".as_bytes()));
    assert!(!checked(b"Gr\xF6\xDFe\n") && !checked(b"ASCII\n"));
}

#[test]
fn a_bad_glob_in_the_configuration_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"good").unwrap();
    for glob in ["[a", "a{b", "[z-a]"] {
        for config in [format!("exclude = [\"{glob}\"]"), format!("[[files]]\npaths = \"{glob}\"\nbom = \"allow\"")] {
            fs::write(root.join("utf8.toml"), config).unwrap();
            let output = run_in(root, ["check", "."]);
            assert_eq!(status(&output), 2, "{glob}: {}", text(&output));
            assert!(messages(&output).contains("utf8.toml"), "{}", messages(&output));
        }
    }
}

/// An output never replaces another file that is read or written, and is then not a change in place.
#[test]
fn an_output_replaces_nothing_else_that_is_read_or_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let rows = b"a,b\n1,\xFF\n2,x\n".to_vec();
    let german = b"Gr\xF6\xDFe aus K\xF6ln\n".to_vec();
    fs::write(root.join("old"), &german).unwrap();
    let zip = zip(&[("one.txt", b"caf\xE9\n"), ("two.txt", b"two\n")]);
    fs::write(root.join("file"), b"caf\xC3 \n").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "file", "-o", "new", "--ledger", "ledger"])), 0);
    let ledger = read(root, "ledger");
    for (name, bytes, args) in [
        ("a.zip", &zip, &["repair", "a.zip!one.txt", "-o", "a.zip"][..]),
        ("a.zip", &zip, &["convert", "--from", "latin1", "a.zip!one.txt", "-o", "a.zip"]),
        ("a.zip", &zip, &["repair", "--rows", "csv", "--reject", "a.zip", "a.zip!one.txt", "-o", "new"]),
        ("a.zip", &zip, &["rename", "a.zip", "-o", "a.zip"]),
        // The second time, the rows that were rejected would be lost.
        ("rows", &rows, &["repair", "--rows", "csv", "--reject", "bad", "rows", "-o", "rows"]),
        ("rows", &rows, &["convert", "--to", "utf-16", "--rows", "csv", "--reject", "bad", "rows", "-o", "rows"]),
        // The second time, text would be encoded twice.
        ("file", &german, &["convert", "--from", "latin1", "--rows", "csv", "file", "-o", "./file"]),
        ("file", &german, &["convert", "--from", "latin1", "file", "rows", "-o", "file"]),
        ("file", &german, &["convert", "--on-error", "fallback=windows-1251", "file", "-o", "file"]),
        ("ledger", &ledger, &["repair", "rows", "--ledger", "ledger", "-o", "ledger"]),
        ("ledger", &ledger, &["undo", "ledger", "new", "-o", "ledger"]),
        ("rows", &rows, &["restore", "--from", "rows", "new", "-o", "rows"]),
    ] {
        fs::write(root.join(name), bytes).unwrap();
        let output = run_in(root, args);
        assert_eq!((status(&output), &read(root, name)), (2, bytes), "{args:?}: {}", messages(&output));
        assert!(messages(&output).contains("is already an input or output"), "{args:?}: {}", messages(&output));
        assert!(!root.join("bad").exists(), "{args:?}");
    }
}

#[test]
fn an_output_does_not_replace_the_file_that_is_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, windows_1251()).unwrap();
    let output = utf8(["repair", "-o", "file"])
        .current_dir(folder.path())
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    assert_eq!((status(&output), fs::read(&path).unwrap()), (2, windows_1251()), "{}", messages(&output));
}

/// Devices hold nothing that could be lost.
#[test]
#[cfg(unix)]
fn an_output_may_be_the_device_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"caf\xC3 \n").unwrap();
    for args in [
        &["convert", "--from", "latin1", "-", "-o", "/dev/null"][..],
        &["repair", "--rows", "csv", "--reject", "/dev/null", "file", "-o", "/dev/null"],
    ] {
        let mut command = utf8(args);
        let output = command.current_dir(folder.path()).stdin(fs::File::open("/dev/null").unwrap()).output();
        assert_eq!(status(&output.unwrap()), 0, "{args:?}");
    }
}

#[test]
fn the_output_named_by_a_hyphen_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"caf\xE9\n").unwrap();
    for args in [&["convert", "--from", "latin1", "file", "-o", "-"][..], &["repair", "file", "-o", "-"]] {
        let mut command = utf8(args);
        let output = command.current_dir(folder.path()).stdin(fs::File::open(&path).unwrap()).output().unwrap();
        assert!(output.stdout.starts_with(b"caf"), "{args:?}: {}", messages(&output));
        assert_eq!(fs::read(&path).unwrap(), b"caf\xE9\n", "{args:?}");
    }
}
