//! Tests text that declares Latin-1: on the Web and in practice, this is windows-1252, and the bytes may contradict it.

use std::fs;

use super::read;
use crate::common::{messages, run_in, status, text};

/// Returns texts of several kinds that declare an encoding.
fn declaring(name: &str, text: &[u8]) -> Vec<Vec<u8>> {
    let page = [format!("<html><head><meta charset=\"{name}\"></head><p>").as_bytes(), text, b"</p>\n"].concat();
    let xml = [format!("<?xml version=\"1.0\" encoding=\"{name}\"?>\n<p>").as_bytes(), text, b"</p>\n"].concat();
    let header = format!("Content-Type: text/plain; charset={name}");
    let catalogue = [format!("msgid \"\"\nmsgstr \"\"\n\"{header}\\n\"\n\n# ").as_bytes(), text, b"\n"].concat();
    let mail = [format!("{header}\n\n").as_bytes(), text, b"\n"].concat();
    vec![page, xml, catalogue, mail]
}

/// The Encoding Standard reads the labels of Latin-1 and of ASCII as windows-1252.
#[test]
fn what_declares_latin1_has_the_signs_of_windows_1252() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (bytes, right) = (b"Don\x92t say \x93caf\xE9\x94 for 5 \x80", "Don’t say “café” for 5 €");
    for name in ["iso-8859-1", "latin1", "us-ascii", "windows-1252"] {
        for file in declaring(name, bytes) {
            fs::write(root.join("file"), &file).unwrap();
            let output = run_in(root, ["convert", "--in-place", "--from", "auto", "file"]);
            let read = String::from_utf8(read(root, "file")).unwrap();
            assert!(status(&output) == 0 && read.contains(right), "{name} {read} {}", messages(&output));
        }
    }
    // Letters alone are the same in both.
    for file in declaring("iso-8859-1", b"caf\xE9 au lait") {
        fs::write(root.join("file"), &file).unwrap();
        let found = text(&run_in(root, ["detect", "file"]));
        assert!(found.starts_with("file: latin1 (likely)"), "{found}");
    }
}

#[test]
fn bytes_contradict_a_declaration() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let russian = b"\xC4\xEE\xE1\xF0\xEE \xEF\xEE\xE6\xE0\xEB\xEE\xE2\xE0\xF2\xFC, \xE4\xEE\xF0\xEE\xE3\
                    \xEE\xE9 \xE4\xF0\xF3\xE3";
    for name in ["iso-8859-1", "latin1", "windows-1252"] {
        for file in declaring(name, russian) {
            fs::write(root.join("file"), &file).unwrap();
            let found = text(&run_in(root, ["detect", "-v", "file"]));
            assert!(found.starts_with("file: windows-1251"), "{found}");
            assert!(found.contains("in which it reads worse"), "{found}");
            let output = run_in(root, ["convert", "--in-place", "--from", "auto", "file"]);
            let reported = messages(&output);
            assert!(status(&output) == 1 && reported.contains("not sure"), "{reported}");
            assert_eq!(read(root, "file"), file);
        }
    }
}
