//! Tests that slow input is passed on as it arrives, through a pipe or from a file that grows.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::common::{has, repository, run_with, status, utf8};

/// A running command, its input, and its output so far.
struct Live {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
}

impl Live {
    fn of(folder: &Path, args: &[&str]) -> Live {
        let command = &mut utf8(args);
        let command = command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let (sender, output) = channel();
        let (input, mut out) = (child.stdin.take(), child.stdout.take().unwrap());
        thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(len @ 1..) = out.read(&mut piece) {
                let _ = sender.send(piece[..len].to_vec());
            }
        });
        Live { child, input, output }
    }

    /// Writes to the command.
    fn give(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Expects the command to print exactly this, while its input stays open. The limit only keeps a broken command
    /// from hanging the tests.
    fn expect(&self, bytes: &[u8]) {
        let mut printed = Vec::new();
        while printed.len() < bytes.len() {
            let piece = self.output.recv_timeout(Duration::from_secs(60));
            printed.extend(piece.unwrap_or_else(|_| panic!("nothing after {}", shown(&printed))));
        }
        assert_eq!(shown(&printed), shown(bytes));
    }

    /// Ends the input. Returns the rest of the output, and the exit status.
    fn end(mut self) -> (Vec<u8>, i32) {
        drop(self.input.take());
        let rest = self.output.iter().flatten().collect();
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Pieces of input, and the expected output of each before the next.
type Steps<'s> = &'s [(&'s [u8], &'s [u8])];

/// Commands, and their expected output for each piece of input.
const COMMANDS: &[(&[&str], Steps<'_>)] = &[
    (
        &["repair"],
        &[(b"a", b"a"), (b"\xFF", b"\xEF\xBF\xBD"), (b"\xC3", b""), (b"\xA9\n", b"\xC3\xA9\n"), (b"b", b"b")],
    ),
    (&["repair", "-j1"], &[(b"a", b"a"), (b"\xE2\x82", b""), (b"x", b"\xEF\xBF\xBDx")]),
    (&["repair", "--policy", "escape"], &[(b"a\xFF\\", b"a\\xFF"), (b"x", b"\\x5Cx")]),
    (
        &["repair", "--policy", "fallback-lines=windows-1252"],
        &[(b"caf\xE9\n", b"caf\xC3\xA9\n"), (b"ab", b""), (b"c\n", b"abc\n")],
    ),
    (&["mojibake"], &[(b"\xC3\x83\xC2\xA9t\xC3\x83\xC2\xA9\n", b"\xC3\xA9t\xC3\xA9\n"), (b"x\n", b"x\n")]),
    (
        &["repair", "--rows", "csv", "--for", "json"],
        &[(b"a,\xFF\nb", b"a,\xEF\xBF\xBD\n"), (b",\"1\n", b""), (b"2\"\n", b"b,\"1\n2\"\n")],
    ),
    (&["repair", "--rows", "csv", "--reject", "bad"], &[(b"a,b\n", b"a,b\n"), (b"\xFF,\n", b""), (b"c,d\n", b"c,d\n")]),
    (
        &["convert", "--from", "utf-16le"],
        &[(b"a\0", b"a"), (b"\x3D", b""), (b"\xD8\0", b""), (b"\xDE", b"\xF0\x9F\x98\x80")],
    ),
    (&["convert", "--from", "utf-16"], &[(b"\xFE", b""), (b"\xFF\0", b""), (b"a\0", b"a")]),
    (&["convert", "--to", "utf-16be"], &[(b"a\xC3", b"\0a"), (b"\xA9", b"\0\xE9")]),
    (&["convert", "--from", "shift_jis"], &[(b"a\x82", b"a"), (b"\xA0", b"\xE3\x81\x82")]),
    (
        &["convert", "--to", "windows-1252", "--rows", "csv", "--reject", "bad"],
        &[(b"\xC3\xA9,1\n", b"\xE9,1\n"), (b"\xE2\x82\xAC,", b""), (b"2\n", b"\x80,2\n")],
    ),
    (&["convert", "--on-error", "fallback=latin1"], &[(b"a\xE9b", b"a\xC3\xA9b"), (b"c", b"c")]),
    (
        &["check", "--format", "short"],
        &[
            (b"a\xFF\n", b"-:1:2: invalid byte: FF never occurs in utf-8\n"),
            (b"\xE2", b""),
            (b"(", b"-:2:1: truncated sequence: E2 lacks 2 bytes; after E2, expected 80..BF, found 28\n"),
        ],
    ),
];

#[test]
fn what_is_certain_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    for (args, steps) in COMMANDS {
        let mut live = Live::of(folder.path(), args);
        let mut whole = Vec::new();
        for (piece, expected) in *steps {
            live.give(piece);
            live.expect(expected);
            whole.extend_from_slice(piece);
        }
        let (rest, ended) = live.end();
        // Slow input gives the same results as a file.
        let file = folder.path().join("input");
        fs::write(&file, &whole).unwrap();
        let at_rest = utf8(*args).current_dir(folder.path()).stdin(File::open(file).unwrap()).output().unwrap();
        let expected: Vec<u8> = steps.iter().flat_map(|step| step.1).chain(&rest).copied().collect();
        assert_eq!((shown(&at_rest.stdout), status(&at_rest)), (shown(&expected), ended), "{args:?}");
    }
}

#[test]
fn findings_in_json_are_lines_as_they_come() {
    let folder = tempfile::tempdir().unwrap();
    for rows in [&[][..], &["--rows", "lines"]] {
        let args = [&["check", "--format", "jsonl"], rows].concat();
        let mut live = Live::of(folder.path(), &args);
        for line in 1..4 {
            live.give(b"a\xFF\n");
            let printed = live.output.recv_timeout(Duration::from_secs(60)).unwrap();
            let finding: serde_json::Value = serde_json::from_slice(&printed).unwrap();
            assert_eq!((&finding["line"], &finding["column"]), (&line.into(), &2.into()), "{args:?}");
        }
        assert_eq!(live.end().1, 1);
    }
}

#[test]
fn compressed_streams_are_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut live = Live::of(folder.path(), &["repair"]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut packed = |text: &[u8]| {
        encoder.write_all(text).unwrap();
        encoder.flush().unwrap();
        std::mem::take(encoder.get_mut())
    };
    let first = packed(b"one \xFF\n");
    let (head, rest) = first.split_at(5);
    live.give(head);
    live.give(rest);
    live.expect(b"one \xEF\xBF\xBD\n");
    live.give(&packed(b"two\n"));
    live.expect(b"two\n");
}

#[test]
fn slow_pieces_of_any_size_give_what_the_whole_gives() {
    let text = "naïve — 日本語 😀\r\n".as_bytes();
    let broken: Vec<u8> = text.iter().copied().chain(*b"\xE2\x82|\xFF\xF0\x9F\x98").cycle().take(700).collect();
    let expected = run_with(&broken, ["repair"]);
    for size in [1, 2, 3, 7] {
        let folder = tempfile::tempdir().unwrap();
        let mut live = Live::of(folder.path(), &["repair"]);
        for piece in broken.chunks(size) {
            live.give(piece);
        }
        let (out, ended) = live.end();
        assert_eq!((shown(&out), ended), (shown(&expected.stdout), 0));
    }
}

#[test]
fn a_growing_file_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let append = |bytes: &[u8]| File::options().append(true).open(&log).unwrap().write_all(bytes).unwrap();
    for (args, first, second) in [
        (&["repair", "--tail", "log"][..], &b"one \xEF\xBF\xBD\n"[..], &b"\xC3\xA9"[..]),
        (&["convert", "--force", "--tail", "log", "--from", "latin1"], b"one \xC3\xBF\n", b"\xC3\x83\xC2\xA9"),
    ] {
        fs::write(&log, b"one \xFF\n").unwrap();
        let live = Live::of(folder.path(), args);
        live.expect(first);
        append(b"\xC3\xA9");
        live.expect(second);
        fs::write(folder.path().join("new"), b"again\n").unwrap();
        fs::rename(folder.path().join("new"), &log).unwrap();
        live.expect(b"again\n");
        let id = live.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(live.end(), (Vec::new(), 0), "{args:?}");
    }
}

/// The configuration of rsyslog in the recipes, with the paths of this test.
#[cfg(target_os = "linux")]
#[test]
fn a_log_collector_is_given_its_messages_at_once() {
    let Some(page) = repository("docs/recipes.md") else { return };
    if !has("rsyslogd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let page = fs::read_to_string(page).unwrap();
    let block = page.split("```rsyslog\n").nth(1).unwrap().split("```").next().unwrap();
    let rules = block.replace("/var/log/app.log", &path("app.log")).replace("/usr/local/bin/clean", &path("clean"));
    let global = format!("global(workDirectory=\"{}\")\n", folder.path().display());
    fs::write(path("rsyslog.conf"), global + &rules).unwrap();
    let script = format!("#!/bin/sh\nexec {} repair >> {}\n", env!("CARGO_BIN_EXE_utf8"), path("clean.log"));
    fs::write(path("clean"), script).unwrap();
    fs::set_permissions(path("clean"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(path("app.log"), b"one \xFF\n").unwrap();
    let config = path("rsyslog.conf");
    let pid = path("pid");
    let mut rsyslog = Command::new("rsyslogd").args(["-n", "-f", &config, "-i", &pid]).spawn().unwrap();
    let wait_for = |text: &str| {
        let limit = std::time::Instant::now() + Duration::from_secs(60);
        while fs::read_to_string(path("clean.log")).ok().as_deref() != Some(text) {
            assert!(std::time::Instant::now() < limit, "{:?}", fs::read(path("clean.log")));
            thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for("one \u{FFFD}\n");
    File::options().append(true).open(path("app.log")).unwrap().write_all(b"caf\xC3\xA9\n").unwrap();
    wait_for("one \u{FFFD}\ncafé\n");
    rsyslog.kill().unwrap();
    rsyslog.wait().unwrap();
}

#[test]
fn only_one_file_is_followed() {
    for args in [&["repair", "--tail"][..], &["repair", "--tail", "-"], &["convert", "--tail", "a", "b"]] {
        let output = run_with(b"", args);
        assert_eq!(status(&output), 2, "{args:?}");
    }
}
