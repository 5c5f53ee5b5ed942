//! Tests every format with every command: it works, or is rejected with a reason.

use std::fs;

use crate::common::{lines, messages, run_in, run_with, status, text};

/// Arguments, and for each format what the output contains, or why it is rejected.
type Row<'a> = (&'a [&'a str], [Result<&'a str, &'a str>; 5]);

#[test]
fn every_format_works_or_is_refused_with_a_reason() {
    const FORMATS: [&str; 5] = ["human", "short", "jsonl", "sarif", "github"];
    let table: [Row<'_>; 6] = [
        (
            &["check", "bad"],
            [
                Ok("bad: 1 error in line 1\n"),
                Ok("bad:1:2: "),
                Ok("{\"type\":\"error\""),
                Ok("\"ruleId\":\"invalid_byte\""),
                Ok("::error file=bad"),
            ],
        ),
        (
            &["stats", "bad"],
            [
                Ok("code points"),
                Ok("bad: utf-8, 3 bytes, 2 code points, 1 line, 1 error\n"),
                Ok("{\"type\":\"file\""),
                Err("is for findings"),
                Err("is for findings"),
            ],
        ),
        (
            &["explain", "--bytes", "bad"],
            [
                Ok("LATIN SMALL LETTER A"),
                Ok("0: 61: U+0061 LATIN SMALL LETTER A\n1: FF: invalid byte: FF never occurs in utf-8\n"),
                Ok("{\"type\":\"char\""),
                Err("is for findings"),
                Err("is for findings"),
            ],
        ),
        (
            &["detect", "good"],
            [
                Ok("good: utf-8"),
                Ok("utf-8\n"),
                Ok("{\"type\":\"file\""),
                Err("is for findings"),
                Err("is for findings"),
            ],
        ),
        (
            &["repair", "bad"],
            [
                Ok("a\u{FFFD}\n"),
                Err("--ledger FILE"),
                Err("--ledger FILE"),
                Err("is for findings"),
                Err("is for findings"),
            ],
        ),
        (
            &["convert", "good"],
            [
                Ok("caf\u{E9}\n"),
                Err("converted text"),
                Err("converted text"),
                Err("is for findings"),
                Err("is for findings"),
            ],
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), b"a\xFF\n").unwrap();
    fs::write(folder.path().join("good"), "caf\u{E9}\n").unwrap();
    for (command, wanted) in table {
        for (format, wanted) in FORMATS.into_iter().zip(wanted) {
            let output = run_in(folder.path(), command.iter().chain(&["--format", format]));
            match wanted {
                Ok(shown) => {
                    assert!(status(&output) < 2, "{command:?} {format}: {}", messages(&output));
                    assert!(text(&output).contains(shown), "{command:?} {format}: {}", text(&output));
                    if format == "jsonl" {
                        assert!(!lines(&output).is_empty());
                    }
                }
                Err(reason) => {
                    assert_eq!((status(&output), text(&output).as_str()), (2, ""), "{command:?} {format}");
                    let reported = messages(&output);
                    assert!(
                        reported.contains(&format!("--format {format} ")) && reported.contains(reason),
                        "{reported}"
                    );
                }
            }
        }
        let output = run_in(folder.path(), command.iter().chain(&["--format", "xml"]));
        assert_eq!(status(&output), 2);
    }
}

/// The help of a command, and the completions made from it, list only formats that it supports.
#[test]
fn help_lists_what_a_command_takes() {
    let help = |command| text(&run_with(b"", [command, "--help"]));
    for command in ["stats", "explain", "detect", "mojibake"] {
        let help = help(command);
        assert!(help.contains("- jsonl:") && help.contains("- short:"), "{command}: {help}");
        assert!(!help.contains("- sarif:") && !help.contains("- github:"), "{command}: {help}");
    }
    assert!(help("check").contains("- sarif:"));
    let convert = help("convert");
    for other in ["- short:", "- sarif:", "- protobuf:", "--grapheme", "`repair` cuts"] {
        assert!(!convert.contains(other), "{other}: {convert}");
    }
    assert!(convert.contains("- mysqldump:") && convert.contains("With --reject: "), "{convert}");
    assert!(help("check").contains("--verbose") && !help("edit").contains("--verbose"));
    // Values that are not listed are nonetheless recognized.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "old\n").unwrap();
    let edited = run_in(folder.path(), ["edit", "-v", "--old", "old", "--new", "new", "file"]);
    assert_eq!(status(&edited), 0, "{}", messages(&edited));
}

#[test]
fn an_option_of_other_commands_is_refused_with_a_reason() {
    for (args, reason) in [
        (&["restore", "--from", "HEAD", "--format", "jsonl"][..], "`utf8 check --against`"),
        (&["edit", "file", "--editor", "--format", "jsonl"], "--ledger FILE"),
        (&["undo", "log", "--format", "short"], "the ledger itself"),
        (&["encodings", "--format", "jsonl"], "one encoding a line"),
        (&["restore", "--from", "HEAD", "-e", "latin1"], "in any encoding"),
        (&["detect", "-f", "latin1", "file"], "is what is detected"),
        (&["mojibake", "-e", "latin1"], "convert --from latin1"),
    ] {
        let output = run_with(b"", args);
        assert!(status(&output) == 2 && messages(&output).contains(reason), "{args:?}: {}", messages(&output));
    }
}
