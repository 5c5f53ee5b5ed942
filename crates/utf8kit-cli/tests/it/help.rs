//! Tests the `help:` lines of `check` and `detect`: each is a complete command for what was found.

use std::fs;
use std::path::Path;

use crate::common::{lines, messages, repository, run_in, run_with, status, text};

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
            "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n\n\"größe\"\n".as_bytes(),
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
        (&["--for", "registry", "win.ps1"], "utf8 convert --from windows-1252 --to utf-16le --bom add win.ps1"),
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

/// `check`, `repair`, `mojibake` and `detect` tell one story about a file.
#[test]
fn commands_agree_on_a_file_of_several_encodings() {
    let Some(samples) = repository("samples") else { return };
    let command = "utf8 repair --diff -p fallback=windows-1252 broken.txt";
    for args in [&["check"][..], &["detect"], &["repair"], &["repair", "--dry-run"], &["mojibake", "--dry-run"]] {
        let output = run_in(&samples, args.iter().chain(&["broken.txt"]));
        let told = text(&output) + &messages(&output);
        assert!(told.contains(&format!("\n  help: {command}\n")), "{args:?}: {told}");
        assert!(args[0] == "detect" || told.contains("read as windows-1252"), "{args:?}: {told}");
    }
    // It is not sure in so few lines, and the help of each loses nothing.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("few.txt"), b"caf\xC3\xA9 au lait\ncaf\xE9 noir\nna\xC3\xAFve th\xE9\n").unwrap();
    for args in [&["check"][..], &["detect"], &["repair"], &["mojibake", "--dry-run"]] {
        let output = run_in(folder.path(), args.iter().chain(&["few.txt"]));
        let told = text(&output) + &messages(&output);
        let help = "  help: utf8 repair -p fallback=windows-1252 few.txt\n";
        assert!(told.contains("  note: not sure") && told.contains(help), "{args:?}: {told}");
    }
    let shown = |args: &[&str]| text(&run_in(&samples, args));
    assert!(shown(&["check", "broken.txt"]).contains("11 of 18 lines are not; 7 of them read as windows-1252\n"));
    let evidence = shown(&["detect", "-v", "broken.txt"]);
    assert!(evidence.contains("7 lines that are not, but well formed as windows-1252\n"), "{evidence}");
    assert!(evidence.contains("\n  4 lines with both encodings\n"), "{evidence}");
}

/// The result goes where the command that was typed would have written it.
#[test]
fn help_keeps_the_options_that_still_apply() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("old.txt"), "Grüße aus Köln, schöne Grüße\n".chars().map(|c| c as u8).collect::<Vec<u8>>())
        .unwrap();
    fs::write(root.join("utf8.txt"), "Grüße aus Köln\n").unwrap();
    for (args, command) in [
        (&["repair", "old.txt", "-o", "new.txt"][..], "utf8 convert --from windows-1252 -o new.txt old.txt"),
        (
            &["convert", "-c", "--normalize", "nfc", "--line-ends", "lf", "old.txt", "-o", "a b"],
            "utf8 convert --from windows-1252 --line-ends lf --normalize nfc -o 'a b' old.txt",
        ),
        (
            &["convert", "--from", "auto", "--to", "ascii", "--on-error", "strict", "utf8.txt", "-o", "new.txt"],
            "utf8 convert --to us-ascii --on-error transliterate -o new.txt utf8.txt",
        ),
        (&["repair", "old.txt"], "utf8 convert --from windows-1252 old.txt"),
    ] {
        let told = messages(&run_in(root, args));
        assert!(told.contains(&format!("  help: {command}\n")), "{args:?}: {told}");
    }
}

#[test]
fn what_is_certain_has_a_second_candidate() {
    let folder = tempfile::tempdir().unwrap();
    let text_of = |args: &[&str]| text(&run_in(folder.path(), args));
    let german = "Das schöne Wetter über den Häusern hält für Wochen.\n";
    fs::write(folder.path().join("a.txt"), german.chars().map(|c| c as u8).collect::<Vec<u8>>()).unwrap();
    fs::write(folder.path().join("b.txt"), german).unwrap();
    assert!(!text_of(&["detect", "a.txt"]).contains("likelier"));
    let shown = text_of(&["detect", "-v", "a.txt"]);
    assert!(shown.starts_with("a.txt: windows-1252 (certain), language de\n"), "{shown}");
    assert!(shown.contains(" bits likelier than ") && shown.contains(": schöne, über, Häusern, not sch"), "{shown}");
    let shown = text_of(&["detect", "--explain", "b.txt"]);
    assert!(shown.contains(" bits likelier than ") && shown.contains(": schöne, über, Häusern, not sch"), "{shown}");
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
    for (input, command) in
        [("p\u{430}ypal\n", "utf8 explain --at 1 -"), ("ad\u{200B}min\n", "utf8 repair --policy remove --for text")]
    {
        let output = text(&run_with(input.as_bytes(), ["check"]));
        assert!(output.ends_with(&format!("\n  note: pipe it through `{command}`\n")), "{output}");
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert_eq!(status(&run_with(input.as_bytes(), words)), 0);
    }
}
