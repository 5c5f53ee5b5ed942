//! Tests `utf8 check`.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{
    damaged, lines, messages, run_command, run_in, run_with, status, text, text_with_paths, unhex, utf8, vectors,
};
use serde_json::{Value, json};
use utf8kit::AnyEncoding;
use utf8kit::summary::Summary;

const BAD: &[u8] = b"abc\xC0\xAFdef\nxx\xE2\x82 y";

#[test]
fn jsonl_is_to_the_letter() {
    let output = run_with(BAD, ["check", "--format", "jsonl"]);
    assert_eq!(status(&output), 1);
    let lines = lines(&output);
    let keys = |line: &Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&lines[0]),
        ["bytes", "column", "group", "kind", "len", "line", "message", "offset", "path", "type"]
    );
    let third = &lines[2];
    assert_eq!(
        (&third["offset"], &third["len"], &third["kind"], &third["bytes"], &third["line"], &third["column"]),
        (&json!(11), &json!(2), &json!("truncated"), &json!("e282"), &json!(2), &json!(3))
    );
    assert!(third["message"].as_str().unwrap().contains("after E2 82, expected 80..BF"));
    assert!(lines[0]["message"].as_str().unwrap().contains("C0 AF is an overlong \"/\""));
    let kinds = json!({"overlong": 1, "surrogate": 0, "too_large": 0, "truncated": 1, "unexpected_continuation": 1,
        "invalid_byte": 0});
    assert_eq!(
        lines[3],
        json!({"type": "file", "path": "-", "valid": false, "size": 15, "code_points": 11, "errors": 3, "places": 2,
            "kinds": kinds})
    );
    assert_eq!(
        lines[4],
        json!({"type": "summary", "files": 1, "invalid_files": 1, "errors": 3, "places": 2, "bytes": 15})
    );
}

#[test]
fn every_vector_passes_through_the_command() {
    let mut by_encoding: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for case in vectors("check") {
        by_encoding.entry(case["from"].as_str().unwrap().to_owned()).or_default().push(case);
    }
    assert!(by_encoding.len() >= 7);
    for (encoding, cases) in by_encoding {
        let folder = tempfile::tempdir().unwrap();
        for (i, case) in cases.iter().enumerate() {
            fs::write(folder.path().join(format!("{i:05}")), unhex(case["input_hex"].as_str().unwrap())).unwrap();
        }
        let output =
            run_in(folder.path(), ["check", "--binary", "--format", "jsonl", "--encoding", encoding.as_str(), "."]);
        let mut found = Vec::new();
        let mut errors = Vec::new();
        for line in lines(&output) {
            match line["type"].as_str().unwrap() {
                "error" => errors.push(json!({"offset": line["offset"], "len": line["len"], "kind": line["kind"]})),
                "file" => found.push((line, std::mem::take(&mut errors))),
                _ => {}
            }
        }
        assert_eq!(found.len(), cases.len());
        for (i, (case, (file, errors))) in cases.iter().zip(found).enumerate() {
            let id = &case["id"];
            assert_eq!(file["path"], json!(format!("{i:05}")));
            assert_eq!(file["valid"], case["valid"], "{id}");
            assert_eq!(json!(errors), case.get("errors").cloned().unwrap_or(json!([])), "{id}");
        }
    }
}

#[test]
fn threads_and_blocks_change_nothing() {
    let bytes = damaged(530_001);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("damaged"), &bytes).unwrap();
    for &encoding in AnyEncoding::ALL {
        let want = Summary::of(encoding, &bytes, 0..bytes.len(), 0, usize::MAX);
        let arguments = ["check", "--format", "jsonl", "--encoding", encoding.name()];
        let on_file = run_in(folder.path(), arguments.iter().chain(&["-j3", "damaged"]));
        let on_stream = run_with(&bytes, arguments);
        for output in [&on_file, &on_stream] {
            let lines = lines(output);
            let (errors, rest) = lines.split_at(want.errors as usize);
            let places: Vec<_> = errors.iter().map(|e| [&e["offset"], &e["len"], &e["line"], &e["column"]]).collect();
            for (placed, found) in want.first_errors.iter().zip(places) {
                let wanted = [placed.error.offset, placed.error.len.into(), placed.line + 1, placed.column + 1];
                assert_eq!(found.map(|n| n.as_u64().unwrap()), wanted, "{encoding}");
            }
            assert_eq!(rest[0]["code_points"], want.code_points, "{encoding}");
            assert_eq!(rest[0]["errors"], want.errors, "{encoding}");
        }
        let one_thread = run_in(folder.path(), arguments.iter().chain(&["-j1", "damaged"]));
        assert!(one_thread.stdout == on_file.stdout, "{encoding}");
    }
}

#[test]
fn statuses_and_messages() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good"), "schön\n").unwrap();
    fs::write(folder.path().join("bad"), BAD).unwrap();
    let run = |args: &[&str]| run_in(folder.path(), args);
    assert_eq!(status(&run(&["check", "good"])), 0);
    assert_eq!(status(&run(&["check", "good", "bad"])), 1);
    let missing = run(&["check", "--list", "missing", "bad"]);
    assert_eq!((status(&missing), text(&missing).as_str()), (2, "bad\n"));
    assert!(messages(&missing).contains("missing"));
    assert_eq!(status(&run(&["check", "--no-such-option"])), 2);
    assert_eq!(status(&run(&["check", "--encoding", "ebcdic", "good"])), 2);
    assert_eq!(status(&run(&[])), 2);
    let quiet = run(&["check", "-q", "."]);
    assert_eq!((status(&quiet), quiet.stdout, quiet.stderr), (1, vec![], vec![]));
    let human = run(&["check", "bad"]);
    assert!(text(&human).contains("after E2 82, expected 80..BF") && text(&human).contains("\u{2039}E2 82\u{203A}"));
    let rows: Vec<&str> = text(&human).leak().lines().filter(|line| line.contains(" | ")).collect();
    let (bytes, reading, mark) = (rows[rows.len() - 3], rows[rows.len() - 2], rows[rows.len() - 1]);
    assert!(bytes.ends_with("78 78  E2 82 20 79") && reading.ends_with("x  x  \u{2039}E2 82\u{203A}   y"));
    assert_eq!(bytes.find("E2 82"), mark.find("^^^^^"), "the mark is under the bytes");
    assert!(!text(&human).contains('\x1b'));
    assert!(text(&run(&["check", "--color", "always", "bad"])).contains('\x1b'));
    let short = text(&run(&["check", "--format", "short", "bad"]));
    assert!(short.starts_with("bad:1:4: overlong form"));
    assert_eq!(short.lines().count(), 3);
}

#[test]
fn the_limit_is_a_file_s_and_totals_count_all() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), [0xFF; 50]).unwrap();
    fs::write(folder.path().join("b"), [0xFF; 50]).unwrap();
    let counts = |args: &[&str]| {
        let output = run_in(folder.path(), ["check", "--format", "jsonl", "."].iter().chain(args));
        let lines = lines(&output);
        let errors = lines.iter().filter(|line| line["type"] == "error").count();
        (errors, lines[lines.len() - 1]["errors"].as_u64().unwrap())
    };
    assert_eq!(counts(&[]), (100, 100));
    assert_eq!(counts(&["--max-errors", "3"]), (6, 100));
    assert_eq!(counts(&["--max-errors", "0"]), (100, 100));
    let human = text(&run_in(folder.path(), ["check", "a"]));
    assert_eq!(human.matches("a:1:").count(), 3);
    assert!(human.contains("50 errors"));
}

#[test]
fn byte_order_marks() {
    let check = |input: &[u8], rule| status(&run_with(input, ["check", "--bom", rule]));
    assert_eq!(check(b"\xEF\xBB\xBFa", "allow"), 0);
    assert_eq!(check(b"\xEF\xBB\xBFa", "forbid"), 1);
    assert_eq!(check(b"a", "forbid"), 0);
    assert_eq!(check(b"a", "require"), 1);
    assert_eq!(check(b"", "require"), 1);
    let output = run_with(b"\xEF\xBB\xBFa", ["check", "--bom", "forbid", "--format", "jsonl"]);
    let lines = lines(&output);
    assert_eq!(
        (&lines[0]["kind"], &lines[0]["bytes"], &lines[1]["kinds"]["bom"]),
        (&json!("bom"), &json!("efbbbf"), &json!(1))
    );
    for encoding in ["utf-16", "UTF16", "utf-32"] {
        assert_eq!(status(&run_with(b"\xFF\xFE\0\0a\0\0\0", ["check", "-e", encoding])), 0, "{encoding}");
    }
    assert_eq!(status(&run_with(b"\xFE\xFF\xD8\0", ["check", "-e", "utf-16"])), 1);
}

#[test]
fn folders_are_walked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("b/c")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".gitignore"), "ignored\n").unwrap();
    for name in ["b/c/x.txt", "b.txt", "a.md", "ignored", ".hidden"] {
        fs::write(root.join(name), b"\xFF").unwrap();
    }
    fs::write(root.join("binary"), b"\x7FELF\0\xFF").unwrap();
    fs::write(root.join("wide"), b"\xFF\xFEh\0i\0").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", root.join("b/loop")).unwrap();
    let list = |args: &[&str]| {
        let output = run_in(root, ["check", "--list"].iter().chain(args));
        text_with_paths(&output).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list(&["."]), ["a.md", "b/c/x.txt", "b.txt", "wide"]);
    assert_eq!(list(&["--glob", "*.txt", "."]), ["b/c/x.txt", "b.txt"]);
    assert_eq!(list(&["--glob", "!*.txt", "."]), ["a.md", "wide"]);
    assert_eq!(list(&["--no-ignore", "--glob", "ign*", "."]), ["ignored"]);
    assert!(list(&["--hidden", "."]).contains(&".hidden".to_owned()));
    assert!(list(&["--binary", "."]).contains(&"binary".to_owned()));
    assert_eq!(list(&["binary", "ignored"]), ["binary", "ignored"]);
    assert_eq!(list(&["b.txt", "a.md"]), ["a.md", "b.txt"], "path order");
}

#[test]
fn order_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..500 {
        let bytes = if i % 50 == 7 { damaged(600_000) } else { vec![0xFF; i % 7] };
        fs::write(folder.path().join(format!("{i:03}")), bytes).unwrap();
    }
    let run = |threads| run_in(folder.path(), ["check", "--format", "short", threads, "."]).stdout;
    assert!(run("-j1") == run("-j4"));
}

#[cfg(unix)]
#[test]
fn nothing_harmful_reaches_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("\u{1b}[31m\u{202e}x\u{9b}"), b"\x1b[2J\xFF\x07\x9b").unwrap();
    for format in ["human", "short", "jsonl"] {
        let output = text(&run_in(folder.path(), ["check", "--format", format, "."]));
        assert!(!output.contains(['\x1b', '\u{202e}', '\u{9b}', '\x07']), "{format}: {output:?}");
    }
    let output = run_in(folder.path(), ["check", "--format", "jsonl", "."]);
    assert_eq!(lines(&output)[0]["path"], "\u{1b}[31m\u{202e}x\u{9b}");
}

#[test]
fn levels() {
    let version = text(&utf8(["--version"]).output().unwrap());
    assert!(version.starts_with("utf8 ") && version.contains("available: scalar, swar"));
    let (major, minor, _) = utf8kit_encodings::unicode::VERSION;
    assert!(version.ends_with(&format!("\nUnicode {major}.{minor}\n")), "{version}");
    let forced = utf8(["--version"]).env("UTF8KIT_LEVEL", "swar").output().unwrap();
    assert!(text(&forced).contains("level swar"));
    assert_eq!(status(&utf8(["check"]).env("UTF8KIT_LEVEL", "abacus").output().unwrap()), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9");
    fs::write(folder.path().join(name), b"\xFF").unwrap();
    let check = ["check".as_ref(), "--format".as_ref(), "jsonl".as_ref(), name];
    let lines = lines(&run_in(folder.path(), check));
    assert_eq!((&lines[0]["path"], &lines[0]["path_base64"]), (&json!("caf\u{FFFD}"), &json!("Y2Fm6Q==")));
    let list = run_in(folder.path(), ["check".as_ref(), "-l".as_ref(), name]);
    assert_eq!(list.stdout, b"caf\xE9\n");
    assert!(text(&run_in(folder.path(), ["check", "."])).contains("caf\\xE9:1:1"));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_and_closed_pipes() {
    use std::io::Read as _;
    use std::process::Stdio;
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = utf8(["check", "--format", "jsonl"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("No space left"));

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad"), [0xFF; 1 << 20]).unwrap();
    let mut child =
        utf8(["check", "--format", "short", "bad"]).current_dir(&folder).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn trouble_with_files() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("self", folder.path().join("self")).unwrap();
    fs::write(folder.path().join("bad"), b"\xFF").unwrap();
    let output = run_in(folder.path(), ["check", "-l", "self", "bad", "/proc/self/mem"]);
    assert_eq!((status(&output), text(&output).as_str()), (2, "bad\n"));
    assert_eq!(messages(&output).lines().count(), 2);
    assert_eq!(status(&run_in(folder.path(), ["check", "/proc/self/status"])), 0, "regular, and said to be empty");
}

#[cfg(unix)]
#[test]
fn beyond_two_gibibytes() {
    use std::io::{Seek as _, SeekFrom, Write as _};
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs::File::create(folder.path().join("sparse")).unwrap();
    let offset = (2 << 30) + 12_345;
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(b"\xE2\x82\n").unwrap();
    let lines = lines(&run_in(folder.path(), ["check", "--format", "jsonl", "sparse"]));
    assert_eq!((&lines[0]["offset"], &lines[0]["column"]), (&json!(offset), &json!(offset + 1)));
    assert_eq!(lines[1]["size"], offset + 3);
}

#[test]
fn files_that_are_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let french = b"Le caf\xE9 est ferm\xE9 ; l\x92\xE9t\xE9 s\x92ach\xE8ve, h\xE9las.\n";
    let wide: Vec<u8> = "\u{FEFF}wide text\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mixed = b"Gr\xC3\xBC\xC3\x9Fe\ncaf\xE9\nM\xFCller\n";
    let cases: [(&[u8], &str); 5] = [
        (french, "help: utf8 convert --from windows-125"),
        (mixed, "repair -p fallback-lines=windows-1252"),
        (&wide, "convert --from utf-16le"),
        (b"pile: \xED\xA0\xBD\xED\xB2\xA9\n", "convert --from cesu-8"),
        ("schÃ¶n, fÃ¼r, Ã¤hnlich".as_bytes(), "mojibake"),
    ];
    for (bytes, suggestion) in cases {
        fs::write(folder.path().join("odd"), bytes).unwrap();
        let output = text(&run_in(folder.path(), ["check", "odd"]));
        assert!(output.contains("help: utf8 ") && output.contains(suggestion), "{suggestion}: {output}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_shrinks_is_trouble() {
    use std::io::Read as _;
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::write(&path, vec![0xFF; 3 << 20]).unwrap();
    fs::write(folder.path().join("next"), b"\xFF").unwrap();
    let mut command = utf8(["check", "-j1", "--format", "short", "log", "next"]);
    let mut child = command.current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The output exceeds the capacity of a pipe, so the process waits for its reader in the middle of the file.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(status(&output), 2);
    assert!(messages(&output).contains("log: the file became shorter while it was read"));
    assert!(rest.contains("next:1:1:"), "the others are checked all the same");
}

#[test]
fn hints_know_where_a_file_ends() {
    // Text that was encoded twice, and is so long that detection reads only part of it. The end of that part does not
    // matter.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long");
    for (shift, line_end) in [(0, " "), (1, " "), (2, " "), (3, "\n")] {
        let text = "x".repeat(shift) + &format!("caf\u{C3}\u{A9}{line_end}").repeat(60_000);
        fs::write(&path, text).unwrap();
        let output = run_in(folder.path(), ["check", "long"]);
        assert!(crate::common::text(&output).contains(" with mojibake"), "{shift}");
    }
    // A file that ends within a sequence of its second layer is a different case.
    assert!(!crate::common::text(&run_with("caf\u{C3}".as_bytes(), ["check"])).contains("mojibake"));
}

#[test]
fn what_cannot_be_read_is_not_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_in(folder.path(), ["check", "no-such", "nor-such"]);
    assert_eq!((status(&output), text(&output)), (2, "nothing checked: 2 paths not read\n".to_owned()));
    let output = run_in(folder.path(), ["check", "."]);
    assert_eq!((status(&output), text(&output)), (0, "no files\n".to_owned()));
}

/// Files in sysfs claim to be a page long and end earlier, like a file that shrinks while it is read.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_shrinks_is_reported_of() {
    let file = "/sys/devices/system/cpu/possible";
    if !fs::metadata(file).is_ok_and(|metadata| metadata.len() == 4096) {
        return crate::common::skip("there is no sysfs");
    }
    let output = run_with(b"", ["check", file]);
    assert_eq!((status(&output), text(&output)), (2, "nothing checked: 1 path not read\n".to_owned()));
    assert!(messages(&output).contains(file), "{}", messages(&output));
}

#[cfg(unix)]
#[test]
fn invisible_characters_in_names_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a\u{200B}b\u{202E}\u{AD}\u{2060}.txt"), b"\xFF").unwrap();
    let shown = text(&run_in(folder.path(), ["check", "--format", "short", "."]));
    assert!(shown.contains("a\\u{200b}b\\u{202e}\\u{ad}\\u{2060}.txt"), "{shown}");
}

#[test]
fn wrong_names_of_encodings_get_the_right_one() {
    for (args, meant) in [
        (&["check", "-e", "utf-9"][..], "did you mean `utf-8`?"),
        (&["convert", "-f", "shfit_jis"], "did you mean `Shift_JIS`?"),
        (&["convert", "-t", "uft-16le"], "did you mean `utf-16le`?"),
        (&["repair", "--policy", "fallback=widnows-1252"], "did you mean `windows-1252`?"),
        (&["mojibake", "-e", "cp1252"], "convert the file first, with `utf8 convert --from windows-1252`"),
        (&["mojibake", "--list-doubtful", "-e", "utf-16"], "with `utf8 convert --from utf-16`"),
    ] {
        let output = run_with(b"", args.iter().copied());
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(messages(&output).contains(meant), "{args:?}: {}", messages(&output));
    }
    let output = run_with(b"", ["check", "-e", "nonsense"]);
    assert!(!messages(&output).contains("did you mean"), "{}", messages(&output));
}

/// Only commands, which users paste, are longer.
#[test]
fn results_wrap_at_the_width_of_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("some longer na\u{C3}\u{AF}ve caf\u{C3}\u{A9} name.txt"), "Gr\u{FC}\u{DF}e\n").unwrap();
    fs::write(root.join("mixed.txt"), b"caf\xC3\xA9 au lait\ncaf\xE9 noir\n\xFF\xFF\xE9\xFF\n").unwrap();
    for args in [
        &["rename", "."][..],
        &["convert", "--dry-run", "--from", "auto", "."],
        &["convert", "--dry-run", "."],
        &["encodings"],
        &["encodings", "latin1"],
        &["check", "--names", "."],
        &["check", "."],
        &["detect", "-v", "."],
    ] {
        let output = utf8(args).env("COLUMNS", "60").current_dir(root).output().unwrap();
        let shown = text(&output);
        let is_long = |line: &&str| line.chars().count() > 60 && !line.starts_with("  help: ");
        assert!(shown.lines().count() > 1, "{args:?}: {shown}");
        assert_eq!(shown.lines().find(is_long), None, "{args:?}");
    }
}

#[test]
fn pictures_fit_in_few_columns() {
    let text_of = |columns: &str| {
        let mut command = utf8(["check", "narrow"]);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("narrow"), b"some words before \xC0\xAF and some words behind it").unwrap();
        text(&command.env("COLUMNS", columns).current_dir(folder.path()).output().unwrap())
    };
    let picture = |text: &str| text.lines().filter(|line| line.contains(" |")).map(str::to_owned).collect::<Vec<_>>();
    let wide = picture(&text_of("200"));
    assert!(wide[0].contains("65 66 6F 72 65 20") && wide[0].len() > 40, "{wide:?}");
    for columns in [20, 40, 41, 42, 43] {
        let rows = picture(&text_of(&columns.to_string()));
        assert!(rows.iter().all(|row| row.chars().count() <= columns), "{columns}: {rows:?}");
        assert_eq!(rows[0].find("C0 AF"), rows[2].find("^^^^^"), "{columns}: {rows:?}");
    }
}

#[test]
fn advice_says_whether_it_is_sure() {
    let advice = |bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), bytes).unwrap();
        let output = text(&run_in(folder.path(), ["check", "file"]));
        let said = output.lines().filter(|line| line.starts_with("  note: ") || line.starts_with("  help: "));
        said.map(str::trim).collect::<Vec<_>>().join("; ")
    };
    let doubted = advice(b"ab\xE9\xF5\xE1cd ef\xF5gh\n");
    assert!(doubted.contains("note: not sure") && doubted.ends_with("help: utf8 detect file"), "{doubted}");
    let sure = advice(b"f\xFCr gr\xF6\xDFere H\xE4user \xFCber alle Stra\xDFen, sch\xF6n und gr\xFCn\n");
    assert!(!sure.contains("not sure") && sure.ends_with("help: utf8 convert --from windows-1252 file"), "{sure}");
}

#[test]
fn heat_maps_fit_in_few_columns() {
    for columns in [30, 40, 80] {
        let output = run_command(utf8(["check"]).env("COLUMNS", columns.to_string()), &b"a\xFF\n".repeat(100_000));
        let map = text(&output).lines().find(|line| line.starts_with("  byte 0")).unwrap().to_owned();
        assert!(map.chars().count() <= columns, "{columns}: {map}");
    }
}

#[test]
fn a_lone_carriage_return_is_a_line_end() {
    let long = [vec![b'a'; (256 << 10) - 1], b"\rb".to_vec()].concat();
    for (input, rule, place) in [
        (&b"a\nb\rc\n"[..], "lf", "-:2:2: line end: CR, expected LF"),
        (b"a\r", "lf", "-:1:2: line end: CR, expected LF"),
        (b"a\r\nb\rc", "crlf", "-:2:2: line end: CR, expected CR LF"),
        (b"a\r\nb\r\r\n", "crlf", "-:2:2: line end: CR, expected CR LF"),
        (b"a\r\n", "lf", "-:1:2: line end: CR LF, expected LF"),
        (&long, "lf", "-:1:262144: line end: CR, expected LF"),
    ] {
        let output = run_with(input, ["check", "--line-ends", rule, "--format", "short"]);
        assert_eq!(status(&output), 1, "{place}");
        assert!(text(&output).starts_with(place), "{}", text(&output));
    }
    let good: [(&[u8], &str); 2] = [(b"a\nb\n", "lf"), (b"a\r\nb\r\n", "crlf")];
    for (input, rule) in good {
        assert_eq!(status(&run_with(input, ["check", "--line-ends", rule])), 0);
    }
}

#[test]
fn a_file_in_utf_16_is_reported_of_before_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "na\u{EF}ve \u{20AC} \u{E4}\u{F6}\u{FC}\n".repeat(50);
    let marked = ["\u{FEFF}", &lines].concat();
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("wide"), &wide).unwrap();
    let shown = text(&run_in(folder.path(), ["check", "wide"]));
    assert!(shown.starts_with("wide: utf-16le, not utf-8\n"), "{shown}");
    assert_eq!(shown.matches("\nwide:1:").count(), 3, "{shown}");
    assert!(shown.ends_with("  help: utf8 convert --from utf-16le --bom strip wide\n"), "{shown}");
    let twice = run_in(folder.path(), ["check", "wide", "wide"]);
    assert_eq!(text(&twice).matches("not utf-8").count(), 2);
}
