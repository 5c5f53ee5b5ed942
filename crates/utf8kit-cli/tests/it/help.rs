//! Tests the `help:` lines of `check` and `detect`: each is a complete command for what was found.

use std::fs;
use std::path::Path;

use crate::common::{lines, run_in, run_with, status, text};

/// Returns the command that follows `help:`.
fn help(folder: &Path, args: &[&str]) -> String {
    let output = text(&run_in(folder, args));
    output.lines().find_map(|line| line.strip_prefix("  help: ")).unwrap_or_default().to_owned()
}

#[test]
fn help_is_for_what_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let files: [(&str, &[u8]); 8] = [
        ("hidden.py", b"a = 1 # \xE2\x80\xAE\n"),
        ("alike.py", b"x\np\xD0\xB0ypal = 1\n"),
        ("name.py", b"ad\xE2\x80\x8Bmin = 1\n"),
        ("lf", b"a\nb\n"),
        ("win.ps1", b"Write-Host \"Gr\xFC\xDFe aus K\xF6ln, sch\xF6n\"\r\n"),
        ("a.xml", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<a>größe</a>\n".as_bytes()),
        (
            "a.po",
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\n\"größe\"\n"
                .as_bytes(),
        ),
        ("gr\u{C3}\u{B6}\u{C3}\u{178}e", b""),
    ];
    files.iter().for_each(|(name, bytes)| fs::write(root.join(name), bytes).unwrap());
    for (args, command) in [
        (&["--for", "source", "hidden.py"][..], "utf8 repair --diff --policy remove --for source hidden.py"),
        (&["--for", "source", "alike.py"], "utf8 explain --at 3 alike.py"),
        (&["--for", "source", "name.py"], "utf8 repair --diff --policy remove --for text name.py"),
        (&["name.py"], "utf8 repair --diff --policy remove --for text name.py"),
        (
            &["--for", "identifiers", "hidden.py"],
            "utf8 repair --rows lines --for identifiers --reject rejects.txt hidden.py",
        ),
        (&["--names", "gr\u{C3}\u{B6}\u{C3}\u{178}e"], "utf8 rename 'gr\u{C3}\u{B6}\u{C3}\u{178}e'"),
        (&["--line-ends", "crlf", "lf"], "utf8 convert --line-ends crlf lf"),
        (&["--for", "powershell", "win.ps1"], "utf8 convert --from windows-1252 --bom add win.ps1"),
        (
            &["--for", "registry", "win.ps1"],
            "utf8 convert --from windows-1252 --to utf-16le --bom add win.ps1",
        ),
        (&["a.xml"], "utf8 edit a.xml --old 'encoding=\"iso-8859-1' --new 'encoding=\"utf-8'"),
        (&["a.po"], "utf8 edit a.po --old charset=ISO-8859-1 --new charset=UTF-8"),
    ] {
        assert_eq!(help(root, &[&["check"], args].concat()), command);
    }
    // A declaration is reported where it is.
    let output = text(&run_in(root, ["check", "--format", "short", "a.xml", "a.po"]));
    assert!(output.starts_with("a.po:3:36: ") && output.contains("\na.xml:1:31: "), "{output}");
    let line = &lines(&run_in(root, ["detect", "--format", "jsonl", "win.ps1"]))[0];
    assert_eq!(line["suggestion"], "utf8 convert --from windows-1252 win.ps1");
}

#[test]
fn standard_input_is_piped() {
    let latin = b"Gr\xFC\xDFe aus K\xF6ln, sch\xF6ne Gr\xFC\xDFe\n";
    for command in ["check", "detect"] {
        let output = text(&run_with(latin, [command]));
        let note = "\n  note: pipe it through `utf8 convert --from windows-1252`\n";
        assert!(output.ends_with(note) && !output.contains("help:"), "{output}");
    }
    // A filter has no preview, and `explain` would take a missing path for standard input.
    for (input, command) in [
        ("p\u{430}ypal\n", "utf8 explain --at 1 -"),
        ("ad\u{200B}min\n", "utf8 repair --policy remove --for text"),
    ] {
        let output = text(&run_with(input.as_bytes(), ["check"]));
        assert!(output.ends_with(&format!("\n  note: pipe it through `{command}`\n")), "{output}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert_eq!(status(&run_with(input.as_bytes(), words)), 0);
    }
}
