//! Tests lists of names, and the command's help, version, manual pages and completions.

use std::fs;

use crate::common::schema::Schema;
use crate::common::{lines, messages, repository, run_in, run_with, status, text, text_with_paths, utf8};
use serde_json::Value;

#[test]
fn names_come_from_lists() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("sub")).unwrap();
    for name in ["a b", "c", "sub/d", "left out"] {
        fs::write(root.join(name), b"\xFF").unwrap();
    }
    fs::write(root.join("list"), "c\nsub\na b\n").unwrap();
    fs::write(root.join("list0"), "c\0sub\0a b").unwrap();
    fs::write(root.join("empty"), "").unwrap();
    let by_lines = run_in(root, ["check", "-l", "--files-from", "list"]);
    assert_eq!((status(&by_lines), text_with_paths(&by_lines).as_str()), (1, "a b\nc\nsub/d\n"));
    let by_nuls = run_in(root, ["check", "-0", "-l", "--files-from", "list0"]);
    assert_eq!(text_with_paths(&by_nuls), "a b\0c\0sub/d\0");
    assert_eq!(lines(&run_in(root, ["check", "--format", "jsonl", "--files-from", "empty"]))[0]["files"], 0);
    assert_eq!(status(&run_in(root, ["check", "--files-from", "missing"])), 2);
    let detected = run_in(root, ["detect", "--format", "jsonl", "--files-from", "list"]);
    assert_eq!(lines(&detected).len(), 3);
    let counted = run_in(root, ["stats", "--format", "jsonl", "--files-from", "list"]);
    assert_eq!(lines(&counted).last().unwrap()["files"], 3);
    assert_eq!(status(&run_in(root, ["repair", "--files-from", "list"])), 2, "only in place");
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--files-from", "list"])), 0);
    assert_eq!(text(&run_in(root, ["check", "-l", "."])), "left out\n");
}

#[test]
fn lists_come_from_standard_input() {
    let path = std::env::temp_dir();
    let list = format!("{}\0", path.join("no such file\nat all").display());
    let output = run_with(list.as_bytes(), ["check", "-0", "--files-from", "-"]);
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("no such file\\u{a}at all"));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&utf8(["completions", shell]).output().unwrap());
        for word in ["check", "repair", "convert", "explain", "stats", "detect", "max-errors"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let page = text(&utf8(["man"]).output().unwrap());
    assert!(page.contains(".TH utf8 1") && page.contains("utf8\\-check(1)"), "{page}");
    let page = text(&utf8(["man", "check"]).output().unwrap());
    assert!(page.contains(".TH utf8-check 1") && page.contains("\\-\\-max\\-errors"), "{page}");
    assert_eq!(status(&utf8(["man", "no-such-command"]).output().unwrap()), 2);
}

#[test]
fn every_json_line_is_as_documented() {
    let Some(schema) = repository("docs/jsonl.schema.json") else { return };
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let validator = Schema(&schema);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), crate::common::damaged(5000)).unwrap();
    fs::write(folder.path().join("good"), "na\u{EF}ve \u{20AC} caf\u{C3}\u{A9}").unwrap();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xFF")), b"\xED\xA0\x80").unwrap();
    }
    fs::write(folder.path().join("doubtful"), "pĂĄ slĂĄtt\n").unwrap();
    let mut seen = std::collections::BTreeSet::new();
    fs::write(folder.path().join("was"), "caf\u{E9}").unwrap();
    fs::write(folder.path().join("is"), "caf\u{C3}\u{A9}").unwrap();
    let commands: [&[&str]; 14] = [
        &["check", "--against", "was", "is"],
        &["check", "--binary", "."],
        &["check", "--bom", "require", "--line-ends", "crlf", "."],
        &["check", "--rows", "csv", "--for", "mysql-utf8mb3", "--reject", "rejected", "--binary", "."],
        &["check", "--rows", "jsonl", "--binary", "."],
        &["check", "--rows", "pgdump", "--binary", "."],
        &["explain", "--bytes", "bad"],
        &["explain", "--bytes", "good"],
        &["stats", "--binary", "."],
        &["detect", "--binary", "."],
        &["convert", "--in-place", "--from", "auto", "--dry-run", "."],
        &["mojibake", "--list-doubtful", "."],
        &["check", "--names", "--for", "filename-portable", "."],
        &["rename", "."],
    ];
    for command in commands {
        for line in lines(&run_in(folder.path(), command.iter().chain(&["--format", "jsonl"]))) {
            assert!(validator.is_valid(&line), "{line}");
            seen.insert(format!("{} {}", command[0], line["type"].as_str().unwrap()));
        }
    }
    for line in fs::read_to_string(folder.path().join("rejected.reasons.jsonl")).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&line), "{line}");
        seen.insert(format!("reasons {}", line["type"].as_str().unwrap()));
    }
    let repair = ["repair", "--in-place", "--force", "--binary", "--ledger", "ledger", "."];
    assert_eq!(status(&run_in(folder.path(), repair)), 0);
    for line in fs::read_to_string(folder.path().join("ledger")).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&line), "{line}");
        seen.insert(format!("ledger {}", line["type"].as_str().unwrap()));
    }
    #[cfg(target_os = "linux")]
    {
        let names = ["rename", "--apply", "--on-error", "replace", "--ledger", "names", "."];
        assert_eq!(status(&run_in(folder.path(), names)), 0);
        for line in fs::read_to_string(folder.path().join("names")).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(validator.is_valid(&line), "{line}");
            seen.insert(format!("names {}", line["type"].as_str().unwrap()));
        }
    }
    #[cfg(target_os = "linux")]
    assert_eq!(seen.len(), schema["oneOf"].as_array().unwrap().len(), "{seen:?}");
    assert!(!validator.is_valid(&serde_json::json!({"type": "summary", "files": 1})));
}

/// Shells complete the values of `-e` and similar options.
#[test]
fn encodings_and_policies_are_completed() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = text(&utf8(["completions", shell]).output().unwrap());
        for name in ["utf-16le", "cesu-8", "windows-1252", "Shift_JIS", "replace-run", "same-length", "mojibake"] {
            // PowerShell's scripts complete options only, as clap writes them.
            assert!(shell == "powershell" || script.contains(name), "{shell}: {name}");
        }
        assert!(!script.contains("=LABEL "), "{shell}: a placeholder is not a value");
    }
}

/// Returns the completions that a shell offers for the last of some words.
fn offered(shell: &str, words: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let completions = folder.path().join("completions");
    fs::write(&completions, utf8(["completions", shell]).output().unwrap().stdout).unwrap();
    let ask = match shell {
        "bash" => format!(
            "COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             _utf8 utf8 \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        ),
        "fish" => format!("complete -C '{words}'"),
        // Completion runs only in an interactive shell.
        "zsh" => format!(
            "zmodload zsh/zpty; zpty inner zsh -f -i
             zpty -w inner \"PS1=''; autoload -Uz compinit; compinit -D -u; . ${{(q)completions}}; print READY\"
             zpty -r -m inner line '*READY*READY*'
             zpty -w -n inner $'{words}\\t\\t'; zpty -r -m inner line '*utf-16le*'; print -r -- $line"
        ),
        _ => unreachable!("{shell}"),
    };
    let source = if shell == "zsh" { "completions=$COMPLETIONS" } else { "source \"$COMPLETIONS\"" };
    let mut run = std::process::Command::new(if shell == "zsh" { "timeout" } else { shell });
    if shell == "zsh" {
        // Without a limit, it would wait forever for a missing completion.
        run.args(["20", "zsh"]);
    }
    run.args(["-c", &format!("{source}\n{ask}")]).env("COMPLETIONS", &completions);
    text(&run.output().unwrap())
}

#[test]
fn bash_completes_encodings_and_policies() {
    if crate::common::has("bash") {
        assert_eq!(offered("bash", "utf8 check -e utf-16"), "utf-16le\nutf-16be\nutf-16\n");
        assert!(offered("bash", "utf8 convert --from Shift").contains("Shift_JIS"));
        assert_eq!(offered("bash", "utf8 repair --on-error replace-r"), "replace-run\n");
    }
}

#[test]
fn fish_completes_encodings_and_policies() {
    if crate::common::has("fish") {
        assert_eq!(offered("fish", "utf8 check -e utf-16"), "utf-16\nutf-16be\nutf-16le\n");
        assert!(offered("fish", "utf8 convert --from Shift").contains("Shift_JIS"));
        assert!(offered("fish", "utf8 repair --on-error replace-r").starts_with("replace-run\t"));
    }
}

#[test]
fn zsh_completes_encodings_and_policies() {
    if cfg!(target_os = "linux") && crate::common::has("zsh") {
        // Its output contains escape sequences for the terminal.
        assert!(offered("zsh", "utf8 check -e utf-16").contains("utf-16be"));
    }
}

#[test]
fn an_encoding_is_described_with_its_names_and_what_it_lacks() {
    let shown = |name: &str| text(&utf8(["encodings", name]).output().unwrap());
    let latin1 = shown("latin1");
    assert!(latin1.contains("lacks all or some of: the euro sign, ") && latin1.contains("\n  8859_1\n"), "{latin1}");
    assert!(shown("mutf-8").contains("lacks no character in common use\n"), "{}", shown("mutf-8"));
    for (name, meant) in
        [("wtf-16", "wtf-16\n"), ("cp65001", "utf-8\n"), ("windows-28591", "latin1\n"), ("x-utf-16le-bom", "utf-16\n")]
    {
        assert!(shown(name).starts_with(meant), "{name}: {}", shown(name));
    }
    // As for utf-16, a mark decides the byte order.
    let read = crate::common::run_with(b"\xFE\xFF\0a\xD8\0", ["convert", "-f", "wtf-16", "-t", "wtf-8"]);
    assert_eq!(read.stdout, b"a\xED\xA0\x80");
}

#[test]
fn every_command_has_its_exit_statuses() {
    let commands = ["check", "repair", "restore", "mojibake", "rename", "undo", "convert", "edit", "explain", "stats"];
    for command in commands.into_iter().chain(["detect", "encodings"]) {
        let help = text(&utf8([command, "--help"]).output().unwrap());
        assert!(help.contains("Examples:") && help.contains("\nExit status: 0 if "), "{help}");
    }
}
