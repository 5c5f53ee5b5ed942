//! Tests that controls that stand for text are not removed.

use std::fs;

use super::{read, utf16le};
use crate::common::{messages, run_in, status, text};

#[test]
fn controls_that_stand_for_text_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // Windows-1252 read as Latin-1, lines of ISO 2022 in a log, and escapes of a URL in UTF-16.
    for (bytes, reason) in [
        (&b"don\xC2\x92t \xC2\x93hi\xC2\x94\n"[..], "controls that are signs of windows-1252"),
        (b"\xC3\xA9\n\x1B$)C\x0EGQ19>n\x0F.\n", "some lines read as ISO-2022-KR"),
        (b"\xC3\xA9\n\x1B$BF|K\\8l\x1B(B\n", "some lines read as ISO-2022-JP"),
        (&utf16le("и%D0%BA%D0%B8%D0%BD%"), "UTF-16"),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--for", "text", "--policy", "remove", "file"]);
        let reported = messages(&output);
        assert_eq!((status(&output), read(root, "file")), (2, bytes.to_vec()), "{reported}");
        assert!(reported.contains(reason), "{reason}\n{reported}");
        assert!(reported.contains("text would be lost"), "{reported}");
    }
    // Other controls are removed as before.
    for bytes in [&b"caf\xC3\xA9 \x01\n"[..], b"\x1B[31mred\x1B[0m caf\xC3\xA9\n", b"a\0b\n"] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--for", "text", "--policy", "remove", "file"]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert_ne!(read(root, "file"), bytes);
    }
}

#[test]
fn a_check_for_text_advises_to_restore_signs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"don\xC2\x92t \xC2\x93hi\xC2\x94\n").unwrap();
    let output = run_in(root, ["check", "--for", "text", "file"]);
    assert_eq!(status(&output), 1);
    assert!(text(&output).contains("help: utf8 repair -p signs file"), "{}", text(&output));
    assert_eq!(status(&run_in(root, ["repair", "-p", "signs", "--in-place", "file"])), 0);
    assert_eq!(read(root, "file"), "don’t “hi”\n".as_bytes());
    assert_eq!(status(&run_in(root, ["check", "--for", "text", "file"])), 0);
}

/// `mysqldump` writes binary columns as they are, unless it has the option `--hex-blob`.
#[test]
fn binary_values_of_a_dump_are_not_repaired_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let dump = b"INSERT INTO t VALUES (1,_binary '\xFF\xD8\xFF\\'\xE0JFIF','caf\xC3\xA9');\n";
    fs::write(root.join("x.sql"), dump).unwrap();
    let output = run_in(root, ["repair", "--in-place", "x.sql"]);
    let reported = messages(&output);
    assert_eq!((status(&output), read(root, "x.sql")), (2, dump.to_vec()), "{reported}");
    assert!(reported.contains("help: utf8 repair --in-place --rows mysqldump x.sql"), "{reported}");
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--rows", "mysqldump", "x.sql"])), 0);
    assert_eq!(read(root, "x.sql"), dump);
    // A literal of text is none.
    let dump = b"INSERT INTO t VALUES (1,_binary 'caf\xC3\xA9','caf\xC3\xA9 \xFF');\n";
    fs::write(root.join("x.sql"), dump).unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "x.sql"])), 0);
}

/// A script with an archive after it, as installers are.
#[test]
fn a_script_with_an_archive_is_not_text() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let script = [&b"#!/bin/sh\ntail -n +4 \"$0\" | tar xz\nexit 0\n"[..], super::GZIPPED].concat();
    fs::write(root.join("s.sh"), &script).unwrap();
    for policy in ["replace", "remove"] {
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "s.sh"]);
        let reported = messages(&output);
        assert_eq!((status(&output), read(root, "s.sh")), (2, script.clone()), "{reported}");
        assert!(reported.contains("not text, and would be destroyed"), "{reported}");
    }
}

/// Lines of UTF-8 among lines from a mainframe.
#[test]
fn lines_of_utf8_are_not_read_as_ebcdic() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let german = b"\xC4\x89\x85@\xE2\xA3\x81\x84\xA3@\x89\xA2\xA3@\xA2\x83\x88j\x95@\xA4\x95\x84@\
                   \x87\x99j\xA1\x85\x99\r\n";
    let bytes = [&german[..], "Über alle Maßen schön\n".as_bytes()].concat();
    fs::write(root.join("file"), &bytes).unwrap();
    let args = ["convert", "--in-place", "--from", "auto", "--lines", "file"];
    let output = run_in(root, args);
    let read = String::from_utf8_lossy(&read(root, "file")).into_owned();
    let is_kept = read.as_bytes() == bytes;
    assert!(is_kept || read.ends_with("Über alle Maßen schön\n"), "{read} {}", messages(&output));
}
