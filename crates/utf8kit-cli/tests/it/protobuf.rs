//! Tests messages of Protocol Buffers: errors are reported with message and field.

use std::fs;

use tempfile::TempDir;

use crate::common::{lines, messages, run_in, status, text};

/// The descriptor set of `message Span { string name = 1; bytes id = 2; repeated string tags = 3; }`.
const SET: &[u8] = b"\x0A\x30\x22\x2E\x0A\x04Span\x12\x0C\x0A\x04name\x18\x01\x20\x01\x28\x09\
    \x12\x0A\x0A\x02id\x18\x02\x20\x01\x28\x0C\x12\x0C\x0A\x04tags\x18\x03\x20\x03\x28\x09";

/// A message with an invalid name and an invalid tag.
const BAD: &[u8] = b"\x0A\x04caf\xE9\x12\x01\xFF\x1A\x02ok\x1A\x02\xC0\xAF";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("span.pb"), SET).unwrap();
    fs::write(folder.path().join("bad"), BAD).unwrap();
    fs::write(folder.path().join("good"), b"\x0A\x04fine\x12\x01\xFF").unwrap();
    folder
}

const CHECK: [&str; 5] = ["check", "--rows", "protobuf", "--descriptor", "span.pb"];

#[test]
fn errors_have_message_and_field() {
    let folder = folder();
    let output = run_in(folder.path(), [&CHECK[..], &["--format", "short", "good", "bad"]].concat());
    assert_eq!(status(&output), 1);
    let reported = text(&output);
    let reported: Vec<&str> = reported.lines().collect();
    assert_eq!(reported.len(), 3, "{reported:?}");
    assert!(reported[0].starts_with("bad:1:4: message 1, name: truncated sequence: E9 lacks 2 bytes"), "{reported:?}");
    assert!(reported[1].starts_with("bad:1:1: message 1, tags[1]: "), "{reported:?}");
    let output = run_in(folder.path(), [&CHECK[..], &["--message", "Span", "--format", "jsonl", "bad"]].concat());
    let found = lines(&output);
    assert_eq!((&found[0]["row"], &found[0]["field"]), (&1.into(), &"name".into()), "{}", found[0]);
    assert_eq!(status(&run_in(folder.path(), [&CHECK[..], &["good"]].concat())), 0);
}

#[test]
fn messages_follow_each_other() {
    let folder = folder();
    let framed = [&[0, 0, 0, 3, 0x0A, 1, b'x'][..], &[0, 0, 0, BAD.len() as u8], BAD].concat();
    fs::write(folder.path().join("framed"), &framed).unwrap();
    let fixed = [&CHECK[..], &["--framing", "fixed32", "--format", "short"]].concat();
    let output = run_in(folder.path(), [&fixed[..], &["framed"]].concat());
    assert_eq!(status(&output), 1);
    assert!(text(&output).starts_with("framed:2:4: message 2, name: "), "{}", text(&output));
    fs::write(folder.path().join("framed"), &framed[..framed.len() - 1]).unwrap();
    let output = run_in(folder.path(), [&fixed[..], &["framed"]].concat());
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("framed: byte 7: not a valid message"), "{}", messages(&output));
}

#[test]
fn a_repair_computes_lengths_anew() {
    let folder = folder();
    let repair = ["repair", "--rows", "protobuf", "--descriptor", "span.pb"];
    let latin = ["--policy", "fallback=latin1", "-o", "out", "bad"];
    let output = run_in(folder.path(), [&repair[..], &latin].concat());
    assert_eq!((status(&output), messages(&output).trim()), (0, "utf8: bad: 2 texts repaired"));
    let read = |name| fs::read(folder.path().join(name)).unwrap();
    let wanted = [b"\x0A\x05caf\xC3\xA9", &b"\x12\x01\xFF\x1A\x02ok\x1A\x04\xC3\x80\xC2\xAF"[..]].concat();
    assert_eq!((read("out"), read("bad")), (wanted, BAD.to_vec()));
    let framed = [&[0, 0, 0, 3, 0x0A, 1, b'x'][..], &[0, 0, 0, BAD.len() as u8], BAD].concat();
    fs::write(folder.path().join("framed"), &framed).unwrap();
    let fixed = ["--framing", "fixed32", "--exit-non-zero-on-fix", "framed"];
    let output = run_in(folder.path(), [&repair[..], &fixed].concat());
    let one = b"\x0A\x06caf\xEF\xBF\xBD\x12\x01\xFF\x1A\x02ok\x1A\x06\xEF\xBF\xBD\xEF\xBF\xBD";
    let wanted = [&framed[..7], &[0, 0, 0, one.len() as u8], one].concat();
    assert_eq!((status(&output), &output.stdout), (1, &wanted));
    // A file that is not a message gives no output.
    fs::write(folder.path().join("cut"), &BAD[..4]).unwrap();
    let output = run_in(folder.path(), [&repair[..], &["-o", "none", "cut"]].concat());
    assert!(status(&output) == 2 && !folder.path().join("none").exists());
    for option in [&["--in-place"][..], &["--diff"], &["--for", "postgresql"], &["good"]] {
        let output = run_in(folder.path(), [&repair[..], option, &["bad"]].concat());
        assert!(status(&output) == 2 && messages(&output).contains("cannot be combined with"), "{option:?}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = folder();
    let refused: &[(&[&str], &str)] = &[
        (&["check", "--rows", "protobuf", "bad"], "--rows protobuf needs --descriptor"),
        (&["check", "--rows", "csv", "--descriptor", "span.pb", "bad"], "--descriptor needs --rows protobuf"),
        (&["check", "--rows", "protobuf", "--descriptor", "bad", "bad"], "not a descriptor set"),
        (&["repair", "--rows", "protobuf", "bad"], "--rows protobuf needs --descriptor"),
        (&["convert", "--rows", "protobuf", "--from", "latin1", "bad"], "is for check and repair"),
        (
            &["repair", "--rows", "protobuf", "--descriptor", "span.pb", "bad", "-o", "span.pb"],
            "span.pb is already an input or output",
        ),
    ];
    for (args, why) in refused {
        let output = run_in(folder.path(), *args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(messages(&output).contains(why), "{args:?}: {}", messages(&output));
    }
    let more: &[&[&str]] = &[
        &["--message", "None"],
        &["--for", "postgresql"],
        &["--reject", "out"],
        &["--tail"],
        &["--encoding", "latin1"],
    ];
    for option in more {
        let output = run_in(folder.path(), [&CHECK[..], option, &["bad"]].concat());
        assert_eq!(status(&output), 2, "{option:?}");
    }
}

#[test]
fn a_repair_that_loses_text_says_what_keeps_it() {
    let folder = folder();
    let texts = ["Crème brûlée à la carte", "Les élèves étaient très étonnés", "Où êtes-vous allés cet été ?"];
    let mut data = Vec::new();
    for text in texts {
        let text: Vec<u8> = text.chars().map(|sign| sign as u8).collect();
        data.extend_from_slice(&[&[0x1A, text.len() as u8][..], &text].concat());
    }
    fs::write(folder.path().join("latin"), &data).unwrap();
    let repair = ["repair", "--rows", "protobuf", "--descriptor", "span.pb", "-o", "out", "latin"];
    let reported = |more: &[&str]| messages(&run_in(folder.path(), [&repair[..], more].concat()));
    let lossy = reported(&[]);
    assert!(lossy.contains("latin: 3 texts repaired"), "{lossy}");
    let warning = "latin: some texts look like windows-1252, and this repair loses text";
    assert!(lossy.contains(warning), "{lossy}");
    for kept in ["fallback=windows-1252", "escape"] {
        assert_eq!(reported(&["--policy", kept]).trim(), "utf8: latin: 3 texts repaired");
    }
}
