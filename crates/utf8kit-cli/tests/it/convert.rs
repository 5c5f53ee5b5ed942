//! Tests `utf8 convert`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use crate::common::{damaged, has, messages, run_in, run_with, status, text, unhex, utf8, vectors};
use serde_json::Value;
use utf8kit::ErrorKind;

/// Runs `test` on each case, in several threads.
fn each(cases: &[Value], test: impl Fn(&Value) + Sync) {
    thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(4).max(1)) {
            let test = &test;
            scope.spawn(move || part.iter().for_each(test));
        }
    });
}

#[test]
fn vectors_hold() {
    let cases = vectors("convert");
    assert!(cases.len() > 600);
    each(&cases, |case| {
        let id = &case["id"];
        let field = |name: &str| case[name].as_str().unwrap_or_default();
        let strict = field("mode") == "strict";
        let invalid = if strict { "strict" } else { "replace" };
        let bom = if field("bom") == "strip" { "strip" } else { "keep" };
        let args = ["convert", "-f", field("from"), "-t", field("to"), "--on-error", invalid, "--bom", bom, "--force"];
        let output = run_with(&unhex(field("input_hex")), args);
        let valid = case["valid"] == true;
        assert_eq!(status(&output), i32::from(strict && !valid), "{id}: {}", messages(&output));
        if valid || !strict {
            assert_eq!(output.stdout, unhex(field("output_hex")), "{id}");
        } else {
            let first = &case["errors"][0];
            let kind = ErrorKind::from_name(first["kind"].as_str().unwrap()).unwrap();
            let place = format!("{kind} at byte {} (", first["offset"]);
            assert!(messages(&output).contains(&place), "{id}: {place} in {}", messages(&output));
        }
        assert_eq!(messages(&output).is_empty(), valid, "{id}");
    });
}

#[test]
fn threads_and_pieces_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = damaged(700_001);
    fs::write(folder.path().join("input"), &bytes).unwrap();
    for from in ["utf-8", "cesu-8", "wtf-8", "utf-16le", "utf-16be", "utf-8-31bit"] {
        for (to, invalid) in
            [("utf-16le", "replace"), ("utf-32be", "remove"), ("utf-8", "escape"), ("latin1", "replace")]
        {
            let run = |threads| {
                let args = ["convert", "-f", from, "-t", to, "--on-error", invalid, "--force", "-j", threads, "input"];
                let output = run_in(folder.path(), args);
                assert_eq!(status(&output), 0);
                (output.stdout.clone(), messages(&output))
            };
            let one = run("1");
            assert!(run("4") == one, "{from} {to} {invalid}");
            let parts: utf8kit::AnyEncoding = from.parse().unwrap();
            let policy = match invalid {
                "replace" => utf8kit::Policy::REPLACE,
                "remove" => utf8kit::Policy::Remove,
                _ => utf8kit::Policy::Escape,
            };
            let target: utf8kit::AnyEncoding = to.parse().unwrap();
            assert!(one.0 == utf8kit::convert_lossy(parts, target, &bytes, policy), "{from} {to} {invalid}");
        }
    }
}

#[test]
fn strict_names_the_first_place_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = "text\n".repeat(200_000).into_bytes();
    bytes.extend_from_slice("na\u{EF}v".as_bytes());
    bytes.extend_from_slice(b"\xE0");
    bytes.extend_from_slice(&b"\x80".repeat(300_000));
    fs::write(folder.path().join("input"), &bytes).unwrap();
    fs::write(folder.path().join("old"), "old").unwrap();
    for threads in ["1", "3"] {
        for target in ["new", "old"] {
            let args = ["convert", "-t", "utf-16le", "-j", threads, "-o", target, "input"];
            let output = run_in(folder.path(), args);
            assert_eq!(status(&output), 1);
            let reported = messages(&output);
            assert!(reported.contains("input:200001:5: overlong form at byte 1000005 (E0)"), "{reported}");
        }
        assert!(!folder.path().join("new").exists());
        assert_eq!(fs::read_to_string(folder.path().join("old")).unwrap(), "old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    }
    let nowhere = run_in(folder.path(), ["convert", "input", "-o", "no-folder/new"]);
    assert_eq!(messages(&nowhere), "utf8: error: no-folder: no such folder\n");
}

#[test]
fn unrepresentable_places_are_named() {
    let output = run_with("caf\u{E9} \u{20AC}".as_bytes(), ["convert", "-t", "latin1"]);
    assert_eq!((status(&output), &*output.stdout), (1, &b"caf\xE9 "[..]));
    assert!(messages(&output).contains("unrepresentable at byte 6 (E2 82 AC): latin1 lacks U+20AC EURO SIGN"));
    let output = run_with("caf\u{E9}".as_bytes(), ["convert", "-t", "koi8-r"]);
    assert_eq!(status(&output), 1);
    assert!(messages(&output).contains("unrepresentable at byte 3 (C3 A9): KOI8-R lacks U+00E9"));
}

#[test]
fn lossy_conversions_end_well_and_tell() {
    let input = "a\u{20AC}b".as_bytes();
    let output = run_with(input, ["convert", "-t", "latin1", "--on-error", "replace"]);
    assert_eq!((status(&output), &*output.stdout), (0, &b"a?b"[..]));
    assert!(messages(&output).contains("replaced 1 place: 1 unencodable character"));
    let output = run_with(input, ["convert", "-t", "latin1", "-c"]);
    assert_eq!((status(&output), &*output.stdout), (0, &b"ab"[..]));
    assert!(messages(&output).contains("removed 1 place"));
    let output = run_with(input, ["convert", "-t", "latin1", "--on-error", "escape"]);
    assert_eq!((status(&output), &*output.stdout), (0, &br"a\u20ACb"[..]));
    // Shift_JIS-2004 has a yen sign in the place of the backslash.
    let face = "a\u{1F600}b".as_bytes();
    let output = run_with(face, ["convert", "-t", "shift_jis-2004", "--on-error", "escape"]);
    assert_eq!((status(&output), &*output.stdout), (1, &b"a"[..]));
    let reason = "lacks U+1F600 GRINNING FACE, and Shift_JIS-2004 lacks U+005C REVERSE SOLIDUS to write instead";
    assert!(messages(&output).contains(reason), "{}", messages(&output));
}

#[test]
fn marks() {
    let run = |input: &[u8], args: &[&str]| run_with(input, [&["convert"], args].concat()).stdout;
    assert_eq!(run(b"a", &["-t", "utf-16"]), b"\xFF\xFEa\0");
    assert_eq!(run(b"\xFE\xFF\0a", &["-f", "utf-16"]), b"a");
    assert_eq!(run(b"\xEF\xBB\xBFa", &["-t", "utf-8"]), b"\xEF\xBB\xBFa");
    assert_eq!(run(b"\xEF\xBB\xBFa", &["--bom", "strip"]), b"a");
    assert_eq!(run(b"a", &["--bom", "add"]), b"\xEF\xBB\xBFa");
    let output = run_with(b"a", ["convert", "-t", "latin1", "--bom", "add"]);
    assert_eq!(status(&output), 2);
}

#[test]
fn agrees_with_iconv() {
    if !has("iconv") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let texts: [(&str, &[&str]); 5] = [
        ("na\u{EF}ve caf\u{E9}\n", &["latin1", "windows-1252", "iso-8859-15"]),
        ("\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442}\n", &["koi8-r", "windows-1251", "iso-8859-5"]),
        ("\u{65E5}\u{672C}\u{8A9E} abc\n", &["euc-jp", "shift_jis", "gb18030", "iso-2022-jp"]),
        ("\u{D55C}\u{AD6D}\u{C5B4}\n", &["euc-kr", "gb18030"]),
        ("a\u{20AC}\u{1F600}\n", &["utf-16", "utf-32", "utf-16le", "utf-16be", "utf-32le", "utf-32be", "gb18030"]),
    ];
    for (text, names) in texts {
        let text = text.repeat(1000);
        fs::write(folder.path().join("text"), &text).unwrap();
        for name in names {
            let iconv = Command::new("iconv")
                .current_dir(folder.path())
                .args(["-f", "utf-8", "-t", name, "text"])
                .output()
                .unwrap();
            let ours = run_in(folder.path(), ["convert", "-f", "utf-8", "-t", name, "text"]);
            assert!(ours.stdout == iconv.stdout, "to {name}");
            let back = run_with(&iconv.stdout, ["convert", "-f", name, "-t", "utf-8"]);
            assert!(back.stdout == text.as_bytes(), "from {name}");
        }
    }
}

#[test]
fn every_label_converts_ascii() {
    let listed = run_with(b"", ["convert", "-l"]);
    assert_eq!(status(&listed), 0);
    let names = text(&listed);
    assert!(names.lines().count() >= 190);
    let mut written = 0;
    for name in names.lines().filter_map(|line| line.split_whitespace().next()) {
        let there = run_with(b"plain", ["convert", "-t", name]);
        if status(&there) == 1 {
            // An alphabet without Latin letters.
            assert!(messages(&there).contains("lacks"), "{name}");
            continue;
        }
        let back = run_with(&there.stdout, ["convert", "-f", name]);
        assert_eq!((status(&there), status(&back), &*back.stdout), (0, 0, &b"plain"[..]), "{name}");
        written += 1;
    }
    assert!(written >= 190, "{written}");
    assert!(names.contains("\nCP1141                  EBCDIC, German with the euro\n"), "{names}");
    let reported = text(&run_with(b"", ["encodings", "ibm-1141"]));
    assert!(reported.starts_with("CP1141\n  EBCDIC, German with the euro\n  1 byte per character\n"), "{reported}");
    assert!(reported.contains("ebcdic-de-273+euro") && reported.contains("windows-1141"), "{reported}");
    let typo = run_with(b"", ["convert", "-f", "ebcdic-de-273euros"]);
    assert!(messages(&typo).contains("did you mean `ebcdic-de-273+euro`?"), "{}", messages(&typo));
}

#[test]
fn trouble_is_two() {
    for args in
        [&["convert", "no-such-file"][..], &["convert", "-f", "nonsense"], &["convert", "-o", "/no/such/folder/x"]]
    {
        let output = run_with(b"a", args.iter().copied());
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(!messages(&output).is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disks_closed_pipes_and_devices() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("input"), "text ".repeat(1_000_000)).unwrap();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let ended = utf8(["convert", "input"]).current_dir(folder.path()).stdout(full()).stderr(Stdio::null()).status();
    assert_eq!(ended.unwrap().code(), Some(2));
    assert_eq!(status(&run_in(folder.path(), ["convert", "-o", "/dev/full", "input"])), 2);
    assert_eq!(status(&run_in(folder.path(), ["convert", "-o", "/dev/null", "input"])), 0);
    assert!(!std::path::Path::new("/dev/null").is_file());
    let mut child = utf8(["convert", "input"]).current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn auto_reads_each_file_as_what_it_looks_like() {
    let folder = tempfile::tempdir().unwrap();
    let russian = "Съешь ещё этих мягких французских булок, да выпей чаю.\n";
    let korean = "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다\n";
    for (name, label, text) in [
        ("utf8", "utf-8", russian),
        ("koi8", "koi8-r", russian),
        ("euckr", "euc-kr", korean),
        ("marked", "utf-16", russian),
        ("wide", "utf-16be", "A log in UTF-16 without a mark\n"),
        ("java", "cesu-8", "Thank you 😀\n"),
    ] {
        let args = ["convert", "-t", label, "-o", name];
        let mut child = utf8(args).current_dir(folder.path()).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let output = run_in(folder.path(), ["convert", "-f", "auto", name]);
        assert_eq!((status(&output), crate::common::text(&output)), (0, text.to_owned()), "{name}");
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        let output = run_with(&bytes, ["convert", "--from", "AUTO"]);
        assert_eq!((status(&output), crate::common::text(&output)), (0, text.to_owned()), "{name} from standard input");
    }
    let all = run_in(folder.path(), ["convert", "-f", "auto", "utf8", "koi8", "marked"]);
    assert_eq!(crate::common::text(&all), russian.repeat(3));
    let binary = run_with(b"\0\xFF\x01\x02\0\x80", ["convert", "-f", "auto"]);
    assert_eq!(status(&binary), 2);
    assert!(messages(&binary).contains("does not look like text"));
}

#[test]
fn fallback_repairs_mixed_files() {
    let mixed = b"caf\xC3\xA9\ncaf\xE9 \xC3\xA9\n";
    let convert = |args: &[&str]| run_with(mixed, ["convert"].iter().chain(args));
    let output = convert(&["--on-error", "fallback=windows-1252"]);
    assert_eq!((status(&output), crate::common::text(&output)), (0, "café\ncafé é\n".to_owned()));
    assert!(messages(&output).contains("read 1 place as windows-1252"), "{}", messages(&output));
    let output = convert(&["--on-error", "fallback-lines=windows-1252"]);
    assert_eq!(crate::common::text(&output), "café\ncafé Ã©\n");
    let output = convert(&["--on-error", "fallback=windows-1252", "--to", "latin1"]);
    assert_eq!(output.stdout, b"caf\xE9\ncaf\xE9 \xE9\n");
    // The place refers to the file.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), b"\xE9\xE9\n\xE9 \xE2\x82\xAC\n").unwrap();
    let strict = run_in(folder.path(), ["convert", "--on-error", "fallback=latin1", "-t", "latin1", "file"]);
    assert_eq!(status(&strict), 1);
    assert!(messages(&strict).contains("file:2:3: unrepresentable at byte 5 (E2 82 AC)"), "{}", messages(&strict));
    for args in
        [&["--lines"][..], &["--on-error", "fallback=latin1", "-f", "utf-16le"], &["--on-error", "fallback=utf-16le"]]
    {
        assert_eq!(status(&convert(args)), 2, "{args:?}");
    }
}

#[test]
fn ascii_is_ascii() {
    let to = |args: &[&str]| run_with("a\u{E9}b".as_bytes(), ["convert", "--to-code=ASCII"].iter().chain(args));
    let strict = to(&[]);
    assert_eq!((status(&strict), strict.stdout), (1, b"a".to_vec()));
    assert_eq!((status(&to(&["-c"])), to(&["-c"]).stdout), (0, b"ab".to_vec()));
    assert_eq!(to(&["--on-error", "replace"]).stdout, b"a?b");
    let from = |args: &[&str]| run_with(b"a\xE9b\xFF", ["convert", "--from-code=us-ascii"].iter().chain(args));
    assert_eq!((status(&from(&[])), from(&[]).stdout), (1, b"a".to_vec()));
    assert_eq!(from(&["--on-error", "replace"]).stdout, "a\u{FFFD}b\u{FFFD}".as_bytes());
    assert_eq!(status(&run_with(b"a", ["convert", "-t", "ASCII//TRANSLIT"])), 2);
}

#[test]
fn encodings_that_the_web_leaves_out() {
    let cases: [(&str, &str, &[u8]); 8] = [
        ("cp437", "é½█", b"\x82\xAB\xDB"),
        ("ibm850", "éØ", b"\x82\x9D"),
        ("cp852", "čů", b"\x9F\x85"),
        ("cp866", "Жж", b"\x86\xA6"),
        ("cp037", "Hi [!]\u{85}", b"\xC8\x89\x40\xBA\x5A\xBB\x15"),
        ("cp500", "Hi [!]", b"\xC8\x89\x40\x4A\x4F\x5A"),
        ("cp1047", "a[^]", b"\x81\xAD\x5F\xBD"),
        ("macroman", "é", b"\x8E"),
    ];
    for (name, text, bytes) in cases {
        assert_eq!(run_with(text.as_bytes(), ["convert", "-t", name]).stdout, bytes, "{name}");
        assert_eq!(run_with(bytes, ["convert", "-f", name]).stdout, text.as_bytes(), "{name}");
        assert_eq!(status(&run_with("\u{4E00}".as_bytes(), ["convert", "-t", name])), 1, "{name}");
    }
    let text = "1 + 1 = £3 €{x}";
    assert_eq!(run_with(text.as_bytes(), ["convert", "-t", "utf-7"]).stdout, b"1 +- 1 +AD0 +AKM-3 +IKwAew-x+AH0-");
    assert_eq!(run_with(b"1 +- 1 = +AKM-3 +IKwAew-x+AH0-", ["convert", "-f", "utf-7"]).stdout, text.as_bytes());
    let gsm = b"1 + 1 = \x013 \x1B\x65\x1B\x28x\x1B\x29";
    assert_eq!(run_with(text.as_bytes(), ["convert", "-t", "gsm0338"]).stdout, gsm);
    assert_eq!(run_with(gsm, ["convert", "-f", "gsm0338"]).stdout, text.as_bytes());
    let malformed = run_with(b"ab\x1B!", ["convert", "-f", "gsm0338"]);
    assert_eq!((status(&malformed), &*malformed.stdout), (1, &b"ab"[..]));
}

#[test]
fn folders_are_converted_in_place_by_a_plan_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("tree");
    fs::create_dir_all(root.join("sub")).unwrap();
    let russian = "Это русский текст, в котором строки разной длины, и каждую из них можно прочитать.\n".repeat(4);
    let koi8 = run_with(russian.as_bytes(), ["convert", "-t", "koi8-r"]).stdout;
    let files: [(&str, &[u8]); 4] =
        [("sub/koi8", &koi8), ("utf8", "na\u{EF}ve".as_bytes()), ("unsure", b"9\x80"), ("binary", b"\0\xFF")];
    for (name, bytes) in files {
        fs::write(root.join(name), bytes).unwrap();
    }
    let is_as_it_was = || files.iter().all(|(name, bytes)| fs::read(root.join(name)).unwrap() == *bytes);

    let dry = run_in(root, ["convert", "--in-place", "--from", "auto", "--dry-run", "."]);
    assert_eq!(status(&dry), 1, "one is left alone");
    let table = text(&dry);
    let is_of = |line: &str, name: &str| line.contains(&format!("  {name}  "));
    let row = |name: &str| table.lines().find(|line| is_of(line, name)).map(|line| line.split(' ').next());
    assert_eq!(row("sub/koi8"), Some(Some("convert")), "{table}");
    assert_eq!((row("utf8"), row("unsure"), row("binary")), (Some(Some("keep")), Some(Some("skip")), None), "{table}");
    let plan = run_in(root, ["convert", "--in-place", "--from", "auto", "--dry-run", "--format", "jsonl", "."]);
    assert!(is_as_it_was(), "nothing is written");

    // An edited plan.
    let lines: Vec<String> = text(&plan)
        .lines()
        .map(|line| {
            let mut step: Value = serde_json::from_str(line).unwrap();
            if step["path"] == "unsure" {
                step["action"] = "convert".into();
                step["from"] = "windows-1252".into();
            }
            step.to_string()
        })
        .collect();
    fs::write(folder.path().join("plan.jsonl"), lines.join("\n")).unwrap();
    let ledger = ["--ledger", "../ledger.jsonl"];
    let done = run_in(root, ["convert", "--in-place", "--plan", "../plan.jsonl"].iter().chain(&ledger));
    assert_eq!(status(&done), 0, "{}", messages(&done));
    assert_eq!(fs::read_to_string(root.join("sub/koi8")).unwrap(), russian);
    assert_eq!(fs::read_to_string(root.join("unsure")).unwrap(), "9\u{20AC}");
    assert_eq!(status(&run_in(root, ["check", "."])), 0);
    assert_eq!(status(&run_in(root, ["undo", "../ledger.jsonl"])), 0);
    assert!(is_as_it_was());
}

#[test]
fn a_file_that_cannot_be_converted_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a"), "\u{20AC}\u{416}").unwrap();
    fs::write(root.join("b"), "\u{20AC}").unwrap();
    let done = run_in(root, ["convert", "--in-place=.old", "-t", "windows-1252", "a", "b"]);
    assert_eq!(status(&done), 1);
    assert!(messages(&done).contains("a: skipped: unrepresentable at byte 3 (D0 96)"), "{}", messages(&done));
    assert_eq!(fs::read_to_string(root.join("a")).unwrap(), "\u{20AC}\u{416}");
    assert_eq!(
        (fs::read(root.join("b")).unwrap(), fs::read(root.join("b.old")).unwrap()),
        (b"\x80".to_vec(), "\u{20AC}".into())
    );
}

#[test]
fn files_in_folders_are_selected_as_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("d/deep")).unwrap();
    let names = ["d/a.txt", "d/b.md", "d/.hidden.txt", "d/ignored.txt", "d/deep/c.txt", "d/nul.txt"];
    fs::write(root.join("d/.ignore"), "ignored.txt\n").unwrap();
    for (args, converted) in [
        (&["d"][..], &["d/a.txt", "d/b.md", "d/deep/c.txt"][..]),
        (&["--glob", "!*.md", "d"], &["d/a.txt", "d/deep/c.txt"]),
        (&["--max-depth", "1", "d"], &["d/a.txt", "d/b.md"]),
        (&["--hidden", "-g", "!*.md", "--max-depth", "1", "d"], &["d/a.txt", "d/.hidden.txt"]),
        (&["--no-ignore", "-g", "ig*", "d"], &["d/ignored.txt"]),
        (&["--binary", "-g", "n*", "d"], &["d/nul.txt"]),
        (&["--files-from", "list"], &["d/b.md"]),
    ] {
        names.iter().for_each(|name| fs::write(root.join(name), b"caf\xE9 au lait\n").unwrap());
        fs::write(root.join("d/nul.txt"), b"caf\xE9 au lait\n\0\x01").unwrap();
        fs::write(root.join("list"), "d/b.md\n").unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", "windows-1252"].iter().chain(args));
        assert_eq!(status(&output), 0, "{}", messages(&output));
        let now = names.iter().filter(|name| fs::read(root.join(name)).unwrap().starts_with("café".as_bytes()));
        assert_eq!(now.copied().collect::<Vec<_>>(), converted, "{args:?}");
    }
    // Without --in-place, folders are not read.
    let refused = run_in(root, ["convert", "--glob", "*.txt", "list"]);
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("selects files in folders"), "{}", messages(&refused));
    let listed = run_in(root, ["convert", "--files-from", "list"]);
    assert_eq!(text(&listed), "café au lait\n");
}
