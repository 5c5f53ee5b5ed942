//! Tests `convert` options that change the text: transliteration, normal forms, line endings.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use crate::common::{damaged, has, lines, messages, run_command, run_in, run_with, skip, status, text};
use serde_json::json;

/// A little more than the length of a block.
const LONG: usize = 1 << 20;

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    run_with(text.as_bytes(), ["convert", "-t", encoding]).stdout
}

#[test]
fn what_the_target_lacks_is_transliterated() {
    let cases: [(&str, &str, &[u8]); 6] = [
        ("us-ascii", "“é” €5 … Straße Æﬁ ＡＢ ½", b"\"e\" EUR5 ... Strasse AEfi AB  1/2 "),
        ("latin1", "“é” ế œ", b"\"\xE9\" \xEA oe"),
        ("windows-1252", "“é” ế", b"\x93\xE9\x94 \xEA"),
        ("koi8-r", "Жé№", b"\xF6eNo"),
        ("cp437", "é“½", b"\x82\"\xAB"),
        ("utf-16be", "“", b"\x20\x1C"),
    ];
    for (target, input, expected) in cases {
        let output = run_with(input.as_bytes(), ["convert", "-t", target, "--on-error", "transliterate"]);
        assert_eq!((status(&output), &*output.stdout), (0, expected), "{target}: {}", messages(&output));
        assert_eq!(messages(&output).contains("transliterated "), target != "utf-16be");
    }
    let three = run_with("“…”".as_bytes(), ["convert", "-t", "ascii", "--on-error", "transliterate"]);
    assert!(messages(&three).contains("transliterated 3 characters"), "{}", messages(&three));
    // Characters without an equivalent are handled as before.
    let russian = |invalid| {
        let args = ["convert", "-t", "ascii", "--on-error", "transliterate", "--on-error", invalid];
        run_with("é Ж".as_bytes(), args)
    };
    let strict = russian("strict");
    assert_eq!((status(&strict), &*strict.stdout), (1, &b"e "[..]));
    assert!(messages(&strict).contains("unrepresentable at byte 3 (D0 96)"), "{}", messages(&strict));
    assert_eq!(russian("replace").stdout, b"e ?");
    assert!(messages(&russian("replace")).contains("replaced 1 place: 1 unencodable character"));
    assert_eq!(russian("remove").stdout, b"e ");
    assert_eq!(russian("escape").stdout, br"e \u0416");
    // Errors are not transliterated either.
    let broken = run_with(b"\xE2\x80\x9C\xFF", ["convert", "-t", "ascii", "--on-error", "transliterate"]);
    assert_eq!((status(&broken), &*broken.stdout), (1, &b"\""[..]));
    assert!(messages(&broken).contains("invalid byte at byte 3 (FF)"), "{}", messages(&broken));
}

#[test]
fn transliterates_as_iconv_does() {
    if !has("iconv") {
        return;
    }
    let iconv = |text: &str| {
        let mut command = Command::new("iconv");
        command.args(["-f", "utf-8", "-t", "ascii//TRANSLIT"]).env("LC_ALL", "C.UTF-8");
        String::from_utf8(run_command(&mut command, text.as_bytes()).stdout).unwrap()
    };
    if iconv("é") != "e" {
        return skip("iconv does not transliterate in C.UTF-8");
    }
    let ranges =
        [0xA0..0x250, 0x1E00..0x1F00, 0x2010..0x2060, 0x20A0..0x20C0, 0x2100..0x2400, 0xFB00..0xFB07, 0xFF01..0xFF5F];
    let chars = || ranges.clone().into_iter().flatten().filter_map(char::from_u32);
    let all: String = chars().map(|c| format!("{c}\n")).collect();
    let (ours, theirs) = (
        run_with(all.as_bytes(), ["convert", "-t", "ascii", "--on-error", "transliterate", "--on-error", "replace"]),
        iconv(&all),
    );
    let ours = text(&ours);
    assert_eq!((ours.lines().count(), theirs.lines().count()), (chars().count(), chars().count()));
    // Other versions of iconv may transliterate more or fewer characters.
    let both =
        chars().zip(ours.lines().zip(theirs.lines())).filter(|(_, (ours, theirs))| *ours != "?" && *theirs != "?");
    let (mut same, mut other) = (0, Vec::new());
    for (c, (ours, theirs)) in both {
        if ours == theirs { same += 1 } else { other.push((c, ours, theirs)) }
    }
    assert!(same > 800 && other.len() * 50 < same, "{same} the same, but {other:?}");
}

/// Text that is hard to normalise, and its forms by Python: NFC and NFD, as lines of hexadecimal digits.
const PYTHON: &str = r#"
import random, sys, unicodedata
random.seed(5)
def some(first, last):
    chars = (chr(c) for c in range(first, last))
    return [c for c in chars if unicodedata.category(c) not in ('Cn', 'Cs')]
marks, latin, jamo = some(0x300, 0x370), some(0x20, 0x250), some(0x1100, 0x1200)
others = some(0x370, 0xD800) + some(0xF900, 0xFFFE) + some(0x10000, 0x12000)
others += some(0x1D100, 0x1D200) + some(0x2F800, 0x2FA20)
kinds = [marks, latin, jamo, some(0xAC00, 0xD7A4), others, [c for c in others if unicodedata.normalize('NFD', c) != c]]
text = ''.join(random.choice(random.choice(kinds)) for _ in range(150000))
text += 'e' + random.choice(marks) * 3 + 'a' * 300000 + ''.join(random.choice(marks) for _ in range(3000))
for form in (text, unicodedata.normalize('NFC', text), unicodedata.normalize('NFD', text)):
    print(form.encode().hex())
"#;

#[test]
fn normal_forms_are_what_python_has() {
    if !has("python3") {
        return;
    }
    let output = run_command(Command::new("python3").args(["-c", PYTHON]), b"");
    assert!(output.status.success(), "{}", messages(&output));
    let forms: Vec<_> = text(&output).lines().map(crate::common::unhex).collect();
    let [input, nfc, nfd] = &forms[..] else { panic!("three lines") };
    let folder = tempfile::tempdir().unwrap();
    for (form, expected) in [("nfc", nfc), ("nfd", nfd)] {
        assert!(expected != input);
        for text in [input, nfc, nfd] {
            fs::write(folder.path().join("input"), text).unwrap();
            for threads in ["1", "3"] {
                let output = run_in(folder.path(), ["convert", "--normalize", form, "-j", threads, "input"]);
                assert!(status(&output) == 0 && output.stdout == *expected, "{form}, {threads} threads");
            }
        }
        // Another target, another source, and input in pieces.
        let wide = run_with(input, ["convert", "-t", "utf-16be", "--normalize", form]).stdout;
        let back = run_with(&wide, ["convert", "-f", "utf-16be"]);
        assert!(back.stdout == *expected, "{form} in utf-16be");
        let wide = run_with(input, ["convert", "-t", "gb18030"]).stdout;
        let output = run_with(&wide, ["convert", "-f", "gb18030", "--normalize", form]);
        assert!(output.stdout == *expected, "{form} of gb18030");
    }
}

#[test]
fn line_ends_are_made_the_same_in_every_encoding() {
    // A pair at every position near the end of a block.
    for around in [0, 1, 2, 3] {
        let begin = "a".repeat(LONG / 4 - around) + "\r\nb\rc\n\n\r\r\n";
        let lf = begin.replace("\r\n", "\n").replace('\r', "\n");
        let crlf = lf.replace('\n', "\r\n");
        for (from, to) in [
            ("utf-8", "utf-8"),
            ("utf-16le", "utf-8"),
            ("utf-32be", "utf-16be"),
            ("utf-8", "shift_jis"),
            ("windows-1252", "latin1"),
            ("cp037", "utf-8"),
            ("utf-8", "cp500"),
        ] {
            let input = encoded(&begin, from);
            for (end, expected) in [("lf", &lf), ("crlf", &crlf)] {
                let output = run_with(&input, ["convert", "-f", from, "-t", to, "--line-ends", end]);
                assert_eq!(status(&output), 0);
                assert!(output.stdout == encoded(expected, to), "{from} to {to}, {end}, {around}");
            }
        }
    }
    // Mainframes end lines with NEL, which is left unchanged elsewhere.
    let mainframe = run_with(b"\xC1\x15\xC2\x0D\x15\xC3\x25", ["convert", "-f", "cp1047", "--line-ends", "lf"]);
    assert_eq!(text(&mainframe), "A\nB\nC\n");
    assert_eq!(text(&run_with("A\u{85}".as_bytes(), ["convert", "--line-ends", "lf"])), "A\u{85}");
}

#[test]
fn places_are_those_of_the_input() {
    let strict = |args: &[&str], input: &[u8]| {
        let output = run_with(input, ["convert"].iter().chain(args));
        assert_eq!(status(&output), 1, "{args:?}");
        (output.stdout.clone(), messages(&output))
    };
    for before in [0, 10, LONG / 4 - 3, LONG / 4 - 2, LONG / 4 - 1, LONG / 4, LONG + 5] {
        let ascii = "a\r\n".repeat(before / 3) + &"b".repeat(before % 3);
        let all = ["-t", "us-ascii", "--line-ends", "lf", "--normalize", "nfc"];
        let (out, reported) = strict(&all, (ascii.clone() + "e\u{301}x").as_bytes());
        assert!(reported.contains(&format!("unrepresentable at byte {before} (65 CC 81)")), "{reported}");
        assert!(out == ascii.replace("\r\n", "\n").as_bytes());
        let (_, reported) =
            strict(&["--line-ends", "lf", "--normalize", "nfd"], &[ascii.as_bytes(), b"\xC3\xA9\xE0\x80"].concat());
        assert!(reported.contains(&format!("overlong form at byte {} (E0)", before + 2)), "{reported}");
        let wide = encoded(&(ascii.clone() + "\u{E9}\u{1F600}x"), "utf-16le");
        let args = [
            "-f", "utf-16le", "-t", "latin1", "--line-ends", "crlf", "--normalize", "nfc", "--on-error",
            "transliterate",
        ];
        let (_, reported) = strict(&args, &wide);
        assert!(reported.contains(&format!("at byte {} (3D D8 00 DE)", 2 * before + 2)), "{reported}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "a\r\nbe\u{301}\u{416}").unwrap();
    let named = run_in(folder.path(), ["convert", "-t", "latin1", "--normalize", "nfc", "--line-ends", "lf", "file"]);
    assert!(messages(&named).contains("file:2:4: unrepresentable at byte 7 (D0 96)"), "{}", messages(&named));
}

#[test]
fn errors_are_dealt_with_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = damaged(270_001);
    fs::write(folder.path().join("input"), &bytes).unwrap();
    for from in ["utf-8", "cesu-8", "utf-16le", "shift_jis"] {
        for (to, invalid) in [
            ("utf-8", "replace"),
            ("latin1", "remove"),
            ("utf-16be", "escape"),
            ("koi8-r", "replace"),
            ("utf-8", "strict"),
        ] {
            let run = |more: &[&str]| {
                let args = ["convert", "-f", from, "-t", to, "--on-error", invalid, "input"];
                let output = run_in(folder.path(), args.iter().chain(more));
                (status(&output), output.stdout.clone(), messages(&output))
            };
            // The output contains no carriage return.
            assert!(run(&["--line-ends", "lf"]) == run(&[]), "{from} {to} {invalid}");
        }
    }
}

#[test]
fn files_are_rewritten_in_place_by_a_plan_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("tree");
    fs::create_dir_all(root).unwrap();
    let long = "z\u{E9}\u{65E5}".repeat(LONG / 5);
    let files: [(&str, String); 5] = [
        ("dos", "caf\u{E9}\r\nna\u{EF}ve\r".to_owned()),
        ("apart", "cafe\u{301}\n".to_owned()),
        ("right", "caf\u{E9}\n".to_owned()),
        ("long", long.clone()),
        ("long-apart", long.clone() + "e\u{301}" + &long + "e\u{301}\r\n"),
    ];
    for (name, text) in &files {
        fs::write(root.join(name), text).unwrap();
    }
    let is = |of: &dyn Fn(&str) -> String| {
        files.iter().all(|(name, text)| fs::read_to_string(root.join(name)).unwrap() == of(text))
    };
    let rewritten = |text: &str| text.replace("e\u{301}", "\u{E9}").replace("\r\n", "\n").replace('\r', "\n");
    let rewrite = ["--normalize", "nfc", "--line-ends", "lf"];
    let dry = ["convert", "--in-place", "--dry-run", "--format", "jsonl", "."];
    let plan = run_in(root, dry.iter().chain(&rewrite));
    assert!(status(&plan) == 0 && is(&|text| text.to_owned()));
    let steps = lines(&plan);
    for step in &steps {
        let same = ["right", "long"].contains(&step["path"].as_str().unwrap());
        assert_eq!(step["action"], json!(if same { "keep" } else { "convert" }), "{step}");
        assert_eq!((&step["normalize"], &step["line_ends"]), (&json!("nfc"), &json!("lf")));
    }
    fs::write(folder.path().join("plan"), &plan.stdout).unwrap();
    let done = run_in(root, ["convert", "--in-place", "--plan", "../plan", "--ledger", "../ledger"]);
    assert_eq!(status(&done), 0, "{}", messages(&done));
    assert!(messages(&done).contains("converted 3 files"), "{}", messages(&done));
    assert!(is(&rewritten));
    // The ledger contains only what changed.
    assert!(fs::metadata(folder.path().join("ledger")).unwrap().len() < LONG as u64);
    assert_eq!(status(&run_in(root, ["undo", "../ledger"])), 0);
    assert!(is(&|text| text.to_owned()));
    // Transliterated, into another encoding.
    fs::write(root.join("quote"), "“\u{E9}”").unwrap();
    let args =
        ["convert", "--in-place", "-t", "latin1", "--on-error", "transliterate", "--ledger", "../ledger", "quote"];
    let done = run_in(root, args);
    assert!(messages(&done).contains("quote: transliterated 2 characters"), "{}", messages(&done));
    assert_eq!(fs::read(root.join("quote")).unwrap(), b"\"\xE9\"");
    assert_eq!(status(&run_in(root, ["undo", "../ledger", "quote"])), 0);
    assert_eq!(fs::read_to_string(root.join("quote")).unwrap(), "“\u{E9}”");
    for option in [&["--on-error", "transliterate"][..], &rewrite[..2], &rewrite[2..]] {
        let args = ["convert", "--in-place", "--plan", "../plan"];
        assert_eq!(status(&run_in(root, args.iter().chain(option))), 2, "the plan says it");
    }
}

#[test]
fn rows_archives_and_fallbacks_are_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let table = "id,name\r\n1,cafe\u{301}\r\n2,\u{416}\r\n3,\"x\r\ny\"\r\n";
    fs::write(root.join("all.csv"), table).unwrap();
    let args = [
        "convert", "-t", "latin1", "--normalize", "nfc", "--line-ends", "lf", "--rows", "csv", "--reject", "bad",
        "all.csv",
    ];
    let output = run_in(root, args);
    assert_eq!(output.stdout, b"id,name\n1,caf\xE9\n3,\"x\ny\"\n", "{}", messages(&output));
    assert_eq!(fs::read(root.join("bad")).unwrap(), "2,\u{416}\r\n".as_bytes());
    let refused = run_in(
        root,
        ["convert", "-t", "latin1", "--on-error", "transliterate", "--rows", "csv", "--reject", "bad", "all.csv"],
    );
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("--on-error"), "{}", messages(&refused));

    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all("e\u{301}\r\n".repeat(LONG / 4).as_bytes()).unwrap();
    fs::write(root.join("packed.gz"), packed.finish().unwrap()).unwrap();
    let output = run_in(root, ["convert", "-t", "latin1", "--normalize", "nfc", "--line-ends", "lf", "packed.gz"]);
    assert!(output.stdout == b"\xE9\n".repeat(LONG / 4), "{}", messages(&output));

    let args = [
        "convert", "--on-error", "fallback=windows-1252", "-t", "ascii", "--on-error", "transliterate", "--line-ends",
        "lf",
    ];
    let output = run_with(b"caf\xC3\xA9 caf\xE9\x85\r\n", args);
    assert_eq!((status(&output), text(&output)), (0, "cafe cafe...\n".to_owned()), "{}", messages(&output));
}
