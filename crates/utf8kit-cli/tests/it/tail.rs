//! Tests `utf8 check --tail`.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::common::utf8;
use serde_json::{Value, json};

/// A running `check --tail`, and the lines that it prints.
struct Follower {
    child: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn of(folder: &Path, args: &[&str]) -> Follower {
        let mut child = utf8(["check", "--tail", "--format", "jsonl"].iter().chain(args))
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        Follower { child, lines }
    }

    /// Returns the next line. The limit only keeps a broken program from hanging the tests.
    fn next(&self) -> Value {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("a line")
    }

    /// Interrupts the program. Returns the rest of the lines, and the exit status.
    fn end(mut self) -> (Vec<Value>, i32) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let status = self.child.wait().unwrap().code().unwrap();
        (self.lines.iter().collect(), status)
    }
}

/// Even if a test fails, no program keeps running.
impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn append(path: &Path, bytes: &[u8]) {
    File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// The last byte of U+010D is 0D, and a pair of surrogates comes in two parts.
#[test]
fn what_is_appended_in_utf16_is_cut_between_code_points() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    fs::write(&log, b"\0a\0\n\xD8\0\0\n").unwrap();
    let follower = Follower::of(folder.path(), &["--encoding", "utf-16be", "--line-ends", "lf", "log"]);
    assert_eq!(follower.next()["offset"], 4);
    for part in [&b"\x01\x0D"[..], b"\xD8\x3D", b"\xDE\x00\x00\n", b"\x00\r", b"\x00\n"] {
        append(&log, part);
        thread::sleep(Duration::from_millis(300));
    }
    let line_end = follower.next();
    assert_eq!(line_end["offset"], 16, "{line_end}");
    let (rest, status) = follower.end();
    assert_eq!((rest.iter().filter(|line| line["type"] == "error").count(), status), (0, 1), "{rest:?}");
}

#[test]
fn what_is_appended_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    fs::write(&log, b"one \xFF\n").unwrap();
    let follower = Follower::of(folder.path(), &["log", "later"]);
    assert_eq!(follower.next()["offset"], 4);
    // A sequence in two pieces is one sequence. An incomplete one is not reported before it is certain to be an error.
    append(&log, b"two \xE2\x82");
    append(&log, b"\xAC \xE2\x82");
    append(&log, b"x\n\xC0");
    let broken = follower.next();
    assert_eq!((&broken["offset"], &broken["line"], &broken["column"]), (&json!(14), &json!(2), &json!(7)));
    assert_eq!(follower.next()["kind"], "overlong");
    append(&log, b"\xAF");
    let rest = follower.next();
    assert_eq!((&rest["kind"], &rest["group"]), (&json!("unexpected_continuation"), &json!({"offset": 18, "len": 2})));
    fs::write(folder.path().join("later"), b"\xFE").unwrap();
    assert_eq!(follower.next()["path"], "later");
    let (rest, status) = follower.end();
    assert_eq!(status, 1);
    let totals: Vec<_> = rest.iter().map(|line| (&line["type"], &line["errors"])).collect();
    assert_eq!(totals, [(&json!("file"), &json!(1)), (&json!("file"), &json!(4)), (&json!("summary"), &json!(5))]);
}

#[test]
fn a_file_that_is_replaced_or_cut_is_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    fs::write(&log, b"one\n\xFF").unwrap();
    let follower = Follower::of(folder.path(), &["log"]);
    assert_eq!(follower.next()["line"], 2);
    fs::write(folder.path().join("new"), b"\xFE").unwrap();
    fs::rename(folder.path().join("new"), &log).unwrap();
    assert_eq!(follower.next()["type"], "file");
    let first = follower.next();
    assert_eq!((&first["bytes"], &first["offset"]), (&json!("fe"), &json!(0)));
    File::options().write(true).open(&log).unwrap().set_len(0).unwrap();
    assert_eq!(follower.next()["errors"], 1);
    append(&log, b"x\xF9");
    assert_eq!(follower.next()["bytes"], "f9");
    assert_eq!(follower.end().1, 1);
}

#[test]
fn nothing_wrong_is_status_zero() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log"), b"fine\n").unwrap();
    fs::write(folder.path().join("bad"), b"\xFF").unwrap();
    let follower = Follower::of(folder.path(), &["bad", "log", "--exit-zero"]);
    follower.next();
    let (rest, status) = follower.end();
    assert_eq!((status, rest.last().map(|line| &line["files"])), (0, Some(&json!(2))));
}
