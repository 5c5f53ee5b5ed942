//! Tests that text which is lost after the beginning of a long input is reported.

use std::fs::{self, File};

use super::read;
use crate::common::{advises, messages, run_in, run_with, status, utf8};

/// Returns lines of ASCII, longer than the beginning, and then others.
fn with_later(lines: &[u8]) -> Vec<u8> {
    [&b"plain ascii line of a log, nothing special here\n".repeat(2000)[..], lines].concat()
}

#[test]
fn text_that_is_lost_later_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let german = b"M\xFCller sagte, gr\xF6\xDFer\n".repeat(5);
    let bytes = with_later(&german);
    fs::write(root.join("log"), &bytes).unwrap();
    let from_file = |args: &[&str]| {
        let input = File::open(root.join("log")).unwrap();
        utf8(args).current_dir(root).stdin(input).output().unwrap()
    };
    for args in [&["repair"][..], &["repair", "--policy", "remove"], &["convert", "-c"]] {
        let named = run_in(root, [args, &["log", "-o", "out"]].concat());
        for output in [named, from_file(args), run_with(&bytes, args)] {
            let reported = messages(&output);
            assert_eq!(status(&output), 1, "{args:?} {reported}");
            assert!(reported.contains("it looks like windows-1252, and this"), "{args:?} {reported}");
            assert!(advises(&output, "utf8 convert --from windows-1252"), "{args:?} {reported}");
        }
    }
    // A policy that keeps all bytes loses nothing, and damage is not text.
    for output in [from_file(&["repair", "-p", "escape"]), run_with(&bytes, ["repair", "-p", "escape"])] {
        assert_eq!(status(&output), 0, "{}", messages(&output));
    }
    let damaged = with_later("Müller \u{1F600} größer ".repeat(9).as_bytes().strip_suffix(b"er ").unwrap());
    let damaged = [&damaged[..], b"\xC3\n"].concat();
    let output = run_with(&damaged, ["repair"]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
}

#[test]
fn utf8_that_is_garbled_later_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let bytes = with_later("Müller sagte, größer\n".repeat(5).as_bytes());
    fs::write(root.join("log"), &bytes).unwrap();
    let args = ["convert", "--from", "windows-1252"];
    let named = run_in(root, [&args[..], &["log", "-o", "out"]].concat());
    let piped = run_with(&bytes, args);
    for output in [&named, &piped] {
        let reported = messages(output);
        assert_eq!(status(output), 1, "{reported}");
        assert!(reported.contains("it is UTF-8 already"), "{reported}");
    }
    assert_eq!(read(root, "out"), piped.stdout);
    // A pipe that continues within a file is judged by what was read.
    let mut input = File::open(root.join("log")).unwrap();
    std::io::Seek::seek(&mut input, std::io::SeekFrom::Start(bytes.len() as u64 - 8)).unwrap();
    let output = utf8(["convert", "--from", "utf-8"]).stdin(input).output().unwrap();
    assert_eq!((status(&output), output.stdout), (0, bytes[bytes.len() - 8..].to_vec()));
}
