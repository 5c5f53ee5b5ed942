//! Tests that no picture, program or database is written as text.

use std::fs;

use crate::common::{messages, run_in, run_with, status};

/// The beginning of a file of each format, and its media type.
const FILES: [(&str, &[u8], &str); 8] = [
    ("a.png", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1F\x15\xC4\x89", "image/png"),
    ("a.db", b"SQLite format 3\0\x10\0\x01\x01\0@  \0\0\0\x02\0\0\0\x02caf\xE9\n", "application/vnd.sqlite3"),
    ("a.parquet", b"PAR1\x15\x04\x15\x10caf\xE9PAR1", "application/vnd.apache.parquet"),
    ("a.pdf", b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n", "application/pdf"),
    // A message catalogue, a dump of PostgreSQL, and compressed text: formats without a signature in the tables.
    (
        "a.mo",
        b"\xDE\x12\x04\x95\0\0\0\0\x01\0\0\0\x1C\0\0\0$\0\0\0\x05\0\0\0,\0\0\0caf\xE9\0gr\xFC\xDFe\0",
        "application/octet-stream",
    ),
    ("a.dump", b"PGDMP\x01\x0E\x00\x04\x08\x01\x01\x01\0\0\0\0\x10\0\0\0\0\xE9\x8A\xFC", "application/octet-stream"),
    (
        "a.zlib",
        b"x\x9C\x15\xC7\x81\x11\x80 \x0C\x03\xC0\x05\x02\x1B\xB0N\x12\xA4\x1E\xFF\x97\x1D\x06\x8F\xE5",
        "application/octet-stream",
    ),
    ("a.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xFF\xFF\0\0caf\xE9", "application/vnd.microsoft.portable-executable"),
];

#[test]
fn files_that_are_no_text_are_left_alone_though_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for args in [
        &["repair", "--in-place"][..],
        &["repair", "--in-place", "--policy", "escape"],
        &["repair", "--in-place", "--binary"],
        &["convert", "--in-place", "--from", "windows-1252"],
        &["convert", "--in-place", "--to", "utf-16", "--on-error", "replace"],
    ] {
        for (name, bytes, media) in FILES {
            fs::write(root.join(name), bytes).unwrap();
            let output = run_in(root, [args, &[name]].concat());
            assert_eq!(status(&output), 2, "{args:?} {name}");
            let reported = format!("utf8: {name}: skipped: it is {media}, not text, and would be destroyed");
            assert!(messages(&output).starts_with(&reported), "{}", messages(&output));
            assert_eq!(fs::read(root.join(name)).unwrap(), bytes, "{args:?} {name}");
        }
    }
    let output = run_in(root, ["repair", "--in-place", "--force", "a.png"]);
    assert_eq!(status(&output), 0);
    assert!(messages(&output).starts_with("utf8: a.png: repaired 1 error"), "{}", messages(&output));
}

/// Text can begin like a bitmap, a program or music, and can contain NULs.
#[test]
fn text_that_begins_like_a_picture_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for text in
        [&b"BM\xC0\xAFW\n"[..], b"MZ \xC0\xAF\n", b"ID3 \xC0\xAF\n", b"some text\0\xC0\xAF\n", b"#!/bin/sh\0\xC0\xAF\n"]
    {
        fs::write(root.join("text"), text).unwrap();
        let output = run_in(root, ["repair", "--in-place", "text"]);
        assert_eq!(status(&output), 0, "{text:?}: {}", messages(&output));
        assert_eq!(fs::read(root.join("text")).unwrap(), utf8kit::repair(text).as_bytes());
    }
}

#[test]
fn a_copy_of_what_is_no_text_is_reported() {
    let program: Vec<u8> = b"\x7FELF\x02\x01\x01\0".iter().copied().chain((0..=255).cycle().take(4096)).collect();
    let output = run_with(&program, ["repair"]);
    assert_eq!(status(&output), 1, "{}", messages(&output));
    assert!(messages(&output).contains("it is application/x-executable, not text, and this repair destroys it"));
}
