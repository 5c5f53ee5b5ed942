//! Tests the configuration: `utf8.toml`, `.gitattributes` and `.editorconfig`.

use std::fs;
use std::path::Path;

use crate::common::{lines, messages, run_in, run_with, status, text, text_with_paths, utf8};
use serde_json::json;

/// Creates a folder with files in it.
fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// Returns the files that `check` lists.
fn listed(folder: &Path, args: &[&str]) -> Vec<String> {
    let output = run_in(folder, ["check", "-l"].iter().chain(args));
    assert!(status(&output) < 2, "{}", messages(&output));
    text_with_paths(&output).lines().map(str::to_owned).collect()
}

const WIDE: &[u8] = b"h\0\xE9\0\n\0";

#[test]
fn files_are_read_as_the_nearest_file_says() {
    let root = tree(&[
        ("utf8.toml", b"exclude = ['vendor/']\n[[files]]\npaths = ['*.rc', 'wide/']\nencoding = 'utf-16le'\n"),
        ("a.rc", WIDE),
        ("a.txt", WIDE),
        ("wide/b.txt", WIDE),
        ("wide/deep/c.txt", WIDE),
        ("vendor/bad.txt", b"\xFF"),
        ("other/utf8.toml", b"encoding = 'cesu-8'"),
        ("other/d.rc", b"\xED\xA0\xBD\xED\xB8\x80"),
        ("other/e.txt", "\u{1F600}".as_bytes()),
    ]);
    let root = root.path();
    assert_eq!(listed(root, &["--binary", "."]), ["a.txt", "other/e.txt"]);
    assert_eq!(listed(&root.join("wide"), &["--binary", "deep", "../a.rc", "../a.txt"]), ["../a.txt"]);
    assert_eq!(listed(root, &["vendor/bad.txt"]), ["vendor/bad.txt"], "named");
    assert_eq!(listed(root, &["--no-config", "other"]), ["other/d.rc"]);
    assert_eq!(listed(root, &["--binary", "-e", "utf-8", "wide/b.txt"]), ["wide/b.txt"], "the option wins");
    assert_eq!(listed(root, &["--config", "other/utf8.toml", "other/e.txt", "a.rc"]), ["a.rc", "other/e.txt"]);
    let shown = text(&run_in(root, ["check", "--binary", "wide", "other/d.rc"]));
    assert!(shown.ends_with("(24 bytes of cesu-8, utf-16le)\n") || shown.contains("of cesu-8, utf-16le"), "{shown}");
}

#[test]
fn every_command_goes_by_it() {
    let root = tree(&[
        (
            "utf8.toml",
            b"[[files]]\npaths = '*.rc'\nencoding = 'utf-16le'\n\
            [[files]]\npaths = 'old.txt'\nencoding = 'windows-1252'\npolicy = 'fallback=windows-1252'\n\
            [[files]]\npaths='gone'\npolicy = 'remove'\n",
        ),
        ("a.rc", WIDE),
        ("old.txt", b"caf\xE9"),
        ("gone", b"a\xFFb"),
    ]);
    let root = root.path();
    let stats = lines(&run_in(root, ["stats", "--format", "jsonl", "a.rc"]));
    assert_eq!((&stats[0]["encoding"], &stats[0]["code_points"]), (&json!("utf-16le"), &json!(3)));
    let explained = lines(&run_in(root, ["explain", "--format", "jsonl", "--bytes", "a.rc"]));
    assert_eq!((explained.len(), &explained[1]["cp"]), (3, &json!(0xE9)));
    assert_eq!(run_in(root, ["convert", "a.rc"]).stdout, "h\u{E9}\n".as_bytes());
    assert_eq!(run_in(root, ["convert", "old.txt"]).stdout, "caf\u{E9}".as_bytes());
    assert_eq!(run_in(root, ["repair", "gone"]).stdout, b"ab");
    assert_eq!(run_in(root, ["repair", "--policy", "replace", "gone"]).stdout, "a\u{FFFD}b".as_bytes());
    assert_eq!(status(&run_in(root, ["repair", "old.txt"])), 2, "nothing is ill-formed in a legacy encoding");
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "."])), 0);
    assert_eq!(fs::read(root.join("gone")).unwrap(), b"ab");
    assert_eq!(fs::read(root.join("old.txt")).unwrap(), b"caf\xE9", "left alone");
}

#[test]
fn marks_and_line_ends_are_asked_for() {
    let root = tree(&[
        (
            "utf8.toml",
            b"bom = 'forbid'\nline-ends = 'lf'\n\
            [[files]]\npaths = '*.ps1'\nbom = 'require'\nline-ends = 'crlf'\n",
        ),
        ("good.txt", b"a\nb\n"),
        ("good.ps1", b"\xEF\xBB\xBFa\r\nb\r\n"),
        ("mark.txt", b"\xEF\xBB\xBFa\n"),
        ("ends.txt", b"a\nbc\r\n\xFF"),
        ("ends.ps1", b"\xEF\xBB\xBFa\r\nbc\n"),
    ]);
    let root = root.path();
    assert_eq!(
        listed(root, &["."]),
        ["ends.ps1", "ends.txt", "mark.txt", "utf8.toml"]
            .into_iter()
            .filter(|name| *name != "utf8.toml")
            .collect::<Vec<_>>()
    );
    let found = lines(&run_in(root, ["check", "--format", "jsonl", "ends.txt"]));
    let end = json!({"type": "error", "path": "ends.txt", "offset": 4, "len": 2, "kind": "line_ends", "bytes": "0d0a",
        "line": 2, "column": 3, "message": "line end: CR LF, expected LF",
        "group": {"offset": 4, "len": 2}});
    assert_eq!(found[0], end);
    assert_eq!(
        (&found[1]["offset"], &found[2]["errors"], &found[2]["kinds"]["line_ends"]),
        (&json!(6), &json!(2), &json!(1))
    );
    let found = lines(&run_in(root, ["check", "--format", "jsonl", "ends.ps1"]));
    assert_eq!((&found[0]["offset"], &found[0]["len"]), (&json!(8), &json!(1)));
    let typed = run_in(root, ["check", "-l", "--bom", "allow", "--line-ends", "crlf", "mark.txt", "good.ps1"]);
    assert_eq!(text(&typed), "mark.txt\n");
    let wide = run_with(b"a\0\r\0\n\0", ["check", "-e", "utf-16le", "--line-ends", "lf", "--format", "short"]);
    assert!(text(&wide).starts_with("-:1:2: line end"), "{}", text(&wide));
    // A CR LF pair across the end of a block.
    let mut long = vec![b'a'; (256 << 10) - 1];
    long.extend(b"\r\nb");
    assert_eq!(status(&run_with(&long, ["check", "--line-ends", "lf"])), 1);
    assert_eq!(status(&run_with(&long, ["check", "--line-ends", "crlf"])), 0);
}

#[test]
fn what_git_and_editors_know_counts_too() {
    let root = tree(&[
        (".git/HEAD", b""),
        (
            ".gitattributes",
            b"*.rc text working-tree-encoding=UTF-16LE\n\
            /only.x working-tree-encoding=UTF-16LE-BOM\nb.rc -working-tree-encoding\n",
        ),
        (
            ".editorconfig",
            b"root = true\n[*]\ncharset = utf-8\n[*.{wide,big}]\ncharset = utf-16be\n\
            [sub/*.txt]\ncharset = latin1\n[*.mark]\ncharset = utf-8-bom\n",
        ),
        ("a.rc", WIDE),
        ("b.rc", WIDE),
        ("deep/c.rc", WIDE),
        ("only.x", b"\xFF\xFEa\0"),
        ("deep/only.x", WIDE),
        ("d.wide", b"\0a"),
        ("e.big", b"\xD8\0"),
        ("sub/f.txt", b"\xE9"),
        ("f.txt", b"\xE9"),
        ("g.mark", b"a"),
    ]);
    let root = root.path();
    assert_eq!(listed(root, &["--binary", "."]), ["b.rc", "deep/only.x", "e.big", "f.txt", "g.mark"]);
    fs::write(root.join("utf8.toml"), "[[files]]\npaths = ['*.big', '/f.txt', '*.mark']\nencoding = 'latin1'\n")
        .unwrap();
    assert_eq!(listed(root, &["--binary", "."]), ["b.rc", "deep/only.x"], "utf8.toml comes first");
    fs::write(root.join("utf8.toml"), "[[files]]\npaths = '*.mark'\nencoding = 'utf-8'\n").unwrap();
    assert!(listed(root, &["--binary", "."]).contains(&"g.mark".to_owned()), "the same encoding");
    fs::create_dir(root.join("deep/.git")).unwrap();
    assert!(listed(root, &["--binary", "."]).contains(&"deep/c.rc".to_owned()), "another repository");
}

#[test]
fn what_is_wrong_in_it_is_reported_with_what_was_meant() {
    let cases = [
        ("encodng = 'utf-8'", "unknown key `encodng`; did you mean `encoding`?"),
        ("[[files]]\npaths = '*'\nline_end = 'lf'", "did you mean `line-ends`?"),
        ("[[files]]\nencoding = 'utf-8'", "[[files]] needs `paths`"),
        ("encoding = 'utf-9'", "encoding: did you mean `utf-8`?"),
        ("policy = 'replase'", "policy: there is no `replase`; did you mean `replace`?"),
        ("bom = 'never'", "bom: there is no `never`, only allow, forbid, require"),
        ("allow = 'U+110000'", "`U+110000` is neither a code point"),
        ("allow = ['U+20..U+10']", "nor a range such as U+E000..U+F8FF"),
        ("line-ends = 3", "line-ends must be a string"),
        ("exclude = 'a", "utf8.toml: TOML parse error at line 1"),
        ("[tool]\nx = 1", "unknown key `tool`; the keys are"),
    ];
    for (text, reported) in cases {
        let root = tree(&[("utf8.toml", text.as_bytes()), ("a/b.txt", b"fine"), ("a/c.txt", b"\xFF")]);
        for command in [&["check", "."][..], &["stats", "."], &["repair", "--diff", "."], &["detect", "."]] {
            let output = run_in(root.path(), command);
            assert_eq!(status(&output), 2, "{command:?}: {text}");
            assert_eq!(messages(&output).matches(reported).count(), 1, "{command:?}: {}", messages(&output));
        }
        assert_eq!(status(&run_in(root.path(), ["check", "--no-config", "a/b.txt"])), 0);
    }
    assert_eq!(status(&utf8(["check", "--config", "no/such", "-"]).output().unwrap()), 2);
}

#[test]
fn characters_are_allowed_by_path() {
    let config = b"allow = 'U+200B'\n[[files]]\npaths = '*.sh'\nallow = ['U+E0A0..U+E0B3']\n";
    let (icon, space) = ("PS1=\u{E0B0}\n".as_bytes(), "a\u{200B}b\n".as_bytes());
    let files = [("utf8.toml", &config[..]), ("a.sh", icon), ("a.py", icon), ("b.py", space)];
    let root = tree(&files);
    assert_eq!(listed(root.path(), &["--for", "source", "."]), ["a.py"]);
    let repair = |name| text(&run_in(root.path(), ["repair", "--for", "source", "--policy", "remove", name]));
    assert_eq!((repair("a.sh").as_bytes(), &*repair("a.py")), (icon, "PS1=\n"));
}

#[test]
fn depth_and_status() {
    let root = tree(&[("a", b"\xFF"), ("b/c", b"\xFF"), ("b/d/e", b"\xFF")]);
    assert_eq!(listed(root.path(), &["--max-depth", "1", "."]), ["a"]);
    assert_eq!(listed(root.path(), &["--max-depth", "2", "."]), ["a", "b/c"]);
    assert_eq!(listed(root.path(), &["--max-depth", "1", "b/d"]), ["b/d/e"]);
    let zero = run_in(root.path(), ["check", "--exit-zero", "--format", "short", "."]);
    assert_eq!((status(&zero), text(&zero).lines().count()), (0, 3));
    assert_eq!(
        status(&run_in(root.path(), ["check", "--exit-zero", "missing"])),
        2,
        "an error of the system is not ignored"
    );
}

/// An editor without support for the configuration saved it in the code page of its system.
#[test]
fn a_file_that_is_not_in_utf16_as_configured_gets_the_command_that_makes_it_so() {
    let root = tree(&[
        (".git/HEAD", b""),
        (".gitattributes", b"*.rc working-tree-encoding=UTF-16LE-BOM\n"),
        ("app.rc", b"STRINGTABLE BEGIN\r\n  1 \"Gr\xF6\xDFe \xE4ndern\"\r\nEND\r\n"),
    ]);
    let root = root.path();
    let output = run_in(root, ["check", "app.rc"]);
    let reported = text(&output);
    assert_eq!(status(&output), 1);
    assert!(reported.contains("reads as windows-1252"), "{reported}");
    let command = reported.lines().find_map(|line| line.trim().strip_prefix("help: utf8 ")).expect("help");
    assert_eq!(command, "convert --from windows-1252 --to utf-16le --bom add app.rc");
    fs::write(root.join("app.rc"), run_in(root, command.split(' ')).stdout).unwrap();
    assert_eq!(status(&run_in(root, ["check", "app.rc"])), 0);
    let back = text(&run_in(root, ["convert", "--from", "utf-16", "--to", "utf-8", "app.rc"]));
    assert_eq!(back, "STRINGTABLE BEGIN\r\n  1 \"Größe ändern\"\r\nEND\r\n");
}
