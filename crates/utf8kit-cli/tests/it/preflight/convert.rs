//! Tests conversions of text that is in another encoding than the one it is read in.

use std::fs;

use super::{RUSSIAN, others, read, utf16le, windows_1251};
use crate::common::{advises, messages, run_in, run_with, status, text};

#[test]
fn a_second_conversion_does_not_encode_twice() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let once = RUSSIAN.repeat(4).into_bytes();
    let convert = ["convert", "--in-place", "--from", "windows-1251"];
    for ledger in [&[][..], &["--ledger", "ledger"]] {
        fs::write(root.join("a.txt"), windows_1251()).unwrap();
        fs::write(root.join("ascii.txt"), b"ascii\r\n").unwrap();
        let run = |more: &[&str]| run_in(root, convert.iter().chain(ledger).chain(more));
        assert_eq!(status(&run(&["a.txt", "ascii.txt"])), 0);
        assert_eq!(read(root, "a.txt"), once);
        let again = run(&["a.txt", "ascii.txt"]);
        // Nobody needs to act on what the ledger already records.
        assert_eq!(status(&again), if ledger.is_empty() { 2 } else { 0 }, "{}", messages(&again));
        assert_eq!(read(root, "a.txt"), once);
        if ledger.is_empty() {
            let wanted = "a.txt: skipped: it is UTF-8 already, and a conversion from windows-1251 would encode it \
                twice (--force overrides this)";
            assert!(messages(&again).contains(wanted), "{}", messages(&again));
        }
        let verbose = run(&["-v", "a.txt"]);
        assert!(messages(&verbose).contains("a.txt: skipped"), "{}", messages(&verbose));
        // ASCII is text of that encoding.
        assert_eq!(status(&run(&["--line-ends", "lf", "ascii.txt"])), 0);
        assert_eq!(read(root, "ascii.txt"), b"ascii\n");
    }
    // The ledger no longer applies to a file that was changed since.
    fs::write(root.join("a.txt"), [&once[..], b"more \xE9\n"].concat()).unwrap();
    let changed = run_in(root, convert.iter().chain(&["--ledger", "ledger", "a.txt"]));
    let advised = "help: utf8 repair --in-place -p fallback-lines=windows-1251 a.txt";
    assert!(status(&changed) == 2 && messages(&changed).contains(advised), "{}", messages(&changed));
    fs::write(root.join("a.txt"), &once).unwrap();
    assert_eq!(status(&run_in(root, convert.iter().chain(&["--force", "a.txt"]))), 0);
    assert_ne!(read(root, "a.txt"), once);
}

#[test]
fn utf8_is_not_read_as_any_other_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (from, bytes) in [
        ("windows-1252", "Grüße\n".as_bytes()),
        ("latin1", "Grüße\n".as_bytes()),
        ("shift_jis", "日本\n".as_bytes()),
        ("utf-16le", b"ascii only, as UTF-16"),
        ("utf-16be", b"ascii only, in bytes.\n"),
        ("ibm037", b"ascii only\n"),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "file"]);
        assert_eq!((status(&output), read(root, "file")), (2, bytes.to_vec()), "{from}: {}", messages(&output));
        assert!(messages(&output).contains("UTF-8 already"), "{from}: {}", messages(&output));
    }
    // These are really in the encoding.
    for (from, bytes) in [
        ("utf-16le", &utf16le("text\n")[..]),
        ("iso-2022-jp", b"\x1B$BF|K\\\x1B(B\n"),
        ("windows-1252", b"Gr\xFC\xDFe\n"),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "file"]);
        assert_eq!(status(&output), 0, "{from}: {}", messages(&output));
        assert_ne!(read(root, "file"), bytes, "{from}");
    }
}

#[test]
fn a_second_conversion_to_another_encoding_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let accents = "naïve café, déjà vu\n";
    for (to, text) in [
        ("utf-16le", "hello world\n"),
        ("utf-16be", "你好 and more\n"),
        ("utf-32le", accents),
        ("utf-32be", "hello world\n"),
        ("utf-7", accents),
        ("hz", "你好 and more\n"),
    ] {
        fs::write(root.join("file"), text).unwrap();
        assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", to, "file"])), 0, "{to}");
        let once = read(root, "file");
        assert_ne!(once, text.as_bytes(), "{to}");
        for more in [&[][..], &["--on-error", "replace"], &["--dry-run"]] {
            let again = ["convert", "--in-place", "--to", to, "file"];
            let again = run_in(root, again.iter().chain(more));
            assert_eq!((status(&again), read(root, "file")), (2, once.clone()), "{to}: {}", messages(&again));
            // In a dry run, the row says it.
            let shown = String::from_utf8_lossy(&again.stdout);
            let said = messages(&again) + &shown;
            assert_eq!(said.matches("already, and would be encoded twice").count(), 1, "{said}");
        }
        let forced = ["convert", "--in-place", "--force", "--on-error", "escape", "--to", to, "file"];
        assert_eq!(status(&run_in(root, forced)), 0, "{to}");
        assert_ne!(read(root, "file"), once, "{to}");
    }
    // Its escapes cannot be encoded again, but can be replaced.
    fs::write(root.join("file"), "한국어 and more\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", "iso-2022-kr", "file"])), 0);
    let once = read(root, "file");
    for (invalid, wanted) in [("strict", 1), ("replace", 2)] {
        let again = ["convert", "--in-place", "--to", "iso-2022-kr", "--on-error", invalid, "file"];
        assert_eq!((status(&run_in(root, again)), read(root, "file")), (wanted, once.clone()), "{invalid}");
    }
    // ASCII is valid in these encodings, but means something else.
    fs::write(root.join("file"), "a + b ~ c\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", "hz", "file"])), 0);
    assert_eq!(read(root, "file"), b"a + b ~~ c\n");
}

#[test]
fn a_conversion_does_not_replace_text_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, right) in
        others().into_iter().chain([("latin1.txt", b"h\xE9llo w\xF6rld, d\xE9j\xE0 vu\n".to_vec(), "windows-1252")])
    {
        fs::write(root.join(name), &bytes).unwrap();
        for invalid in ["replace", "remove"] {
            let output = run_in(root, ["convert", "--in-place", "--to", "latin1", "--on-error", invalid, name]);
            assert_eq!((status(&output), read(root, name)), (2, bytes.clone()), "{}", messages(&output));
            let wanted = format!("help: utf8 convert --in-place --from {right} --to latin1 {name}\n");
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
    }
    // Damage, and characters that the target lacks, are replaced as requested.
    fs::write(root.join("file"), b"na\xC3\xAFve \xE2\x80 \xE2\x82\xAC\n").unwrap();
    let output = run_in(root, ["convert", "--in-place", "--to", "latin1", "--on-error", "replace", "file"]);
    assert_eq!((status(&output), &read(root, "file")[..]), (0, &b"na\xEFve ? ?\n"[..]), "{}", messages(&output));
    // So are errors in a named encoding, unless another encoding is likely.
    for (from, bytes, replaced) in [
        ("gbk", &b"\xC8\xD5\xB1\xBE\xD3\xEF ok \xFF\n"[..], "日本语 ok \u{FFFD}\n"),
        ("mutf-8", b"one na\x8Bve try\n", "one na\u{FFFD}ve try\n"),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "--on-error", "replace", "file"]);
        let converted = (status(&output), read(root, "file"));
        assert_eq!(converted, (0, replaced.into()), "{}", messages(&output));
    }
    fs::write(root.join("file"), windows_1251()).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "ascii", "--on-error", "replace", "file"]);
    assert_eq!((status(&output), read(root, "file")), (2, windows_1251()), "{}", messages(&output));
}

#[test]
fn text_is_not_converted_from_an_encoding_that_it_is_not_in() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let japanese = b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6\x8F\xCD\x82\xF0\x93\xC7\x82\xDD\x82\xDC\x82\xB7\n";
    let files = [
        ("russian.txt", windows_1251(), "windows-1251"),
        ("japanese.txt", japanese.repeat(3), "Shift_JIS"),
        (
            "french.txt",
            b"Le caf\xE9 est \xE0 c\xF4t\xE9 du ch\xE2teau, o\xF9 l'\xE9t\xE9 est pass\xE9.\n".to_vec(),
            "windows-1252",
        ),
    ];
    let names = files.iter().map(|(name, ..)| *name);
    for (_, _, from) in &files {
        for (name, bytes, _) in &files {
            fs::write(root.join(name), bytes).unwrap();
        }
        let output = run_in(root, ["convert", "--in-place", "--from", from].into_iter().chain(names.clone()));
        assert_eq!(status(&output), 2, "{from}: {}", messages(&output));
        for (name, bytes, really) in &files {
            let advised = format!("{name}: skipped: it looks like {really}");
            let is_left = read(root, name) == *bytes;
            assert_eq!(is_left, really != from, "{name} from {from}: {}", messages(&output));
            assert_eq!(messages(&output).contains(&advised), is_left, "{name} from {from}: {}", messages(&output));
        }
    }
    // Text that is already in the target encoding is not converted to it again.
    let ibm866 = run_with(RUSSIAN.repeat(4).as_bytes(), ["convert", "--to", "ibm866"]).stdout;
    fs::write(root.join("file"), ibm866).unwrap();
    let convert = ["convert", "--in-place", "--from", "ibm866", "--to", "windows-1251", "file"];
    let once = run_in(root, convert);
    assert_eq!((status(&once), read(root, "file")), (0, windows_1251()), "{}", messages(&once));
    let again = run_in(root, convert);
    assert_eq!((status(&again), read(root, "file")), (2, windows_1251()));
    assert!(messages(&again).contains("windows-1251 already"), "{}", messages(&again));
}

#[test]
fn a_line_of_utf8_among_legacy_lines_is_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mixed = [windows_1251(), "id 7: чай\n".as_bytes().to_vec(), windows_1251()].concat();
    let good = format!("{0}id 7: чай\n{0}", RUSSIAN.repeat(4));
    fs::write(root.join("mixed.txt"), &mixed).unwrap();
    fs::write(root.join("legacy.txt"), windows_1251()).unwrap();
    let convert = ["convert", "--in-place", "--from", "auto"];
    let dry = run_in(root, [&convert[..], &["--dry-run", "."]].concat());
    let row = |name| text(&dry).lines().find(|line| line.contains(name)).map(str::to_owned).unwrap_or_default();
    assert!(row("mixed.txt").starts_with("skip") && row("legacy.txt").starts_with("convert"), "{}", text(&dry));

    let output = run_in(root, [&convert[..], &["."]].concat());
    let advice = "utf8 repair --in-place -p fallback-lines=windows-1251 ";
    assert_eq!(status(&output), 2, "{}", messages(&output));
    assert!(messages(&output).contains(&format!("{advice}mixed.txt")), "{}", messages(&output));
    assert!(messages(&output).contains("1 mixed"), "{}", messages(&output));
    assert!(read(root, "mixed.txt") == mixed && read(root, "legacy.txt") == RUSSIAN.repeat(4).as_bytes());
    // A repair that would replace the text of the other lines suggests the same.
    let output = run_in(root, ["repair", "--in-place", "mixed.txt"]);
    assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
    assert!(messages(&output).contains(advice), "{}", messages(&output));

    let advised = ["repair", "--policy", "fallback-lines=windows-1251", "--in-place", "mixed.txt"];
    assert_eq!(status(&run_in(root, advised)), 0);
    assert_eq!(String::from_utf8(read(root, "mixed.txt")).unwrap(), good);
    fs::write(root.join("mixed.txt"), &mixed).unwrap();
    assert_eq!(status(&run_in(root, [&convert[..], &["--force", "mixed.txt"]].concat())), 0);
    assert_ne!(read(root, "mixed.txt"), good.as_bytes());
}

/// A few bytes, each a letter in one alphabet, are by chance UTF-8 for letters of another alphabet.
#[test]
fn a_line_that_is_utf8_by_chance_does_not_hide_the_encoding_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let persian = ["\u{648}\u{698}\u{6af}", "\u{627}\u{633}\u{645}", "\u{645}\u{648}\u{636}\u{648}\u{639}"];
    let korean = ["\u{d0a4}", "\u{c785}\u{b825}\u{d558}\u{c5ec}\u{c57c}", "\u{bc88}\u{d638}\u{b3c4}"];
    for (encoding, words) in [("windows-1256", persian), ("EUC-KR", korean)] {
        // The first word occurs once, the others often.
        let word = |row: usize| if row == 7 { words[0] } else { words[1 + row % 2] };
        let text: String = (0..40).map(|row| format!("{row};{};{}.50\n", word(row), row * 3)).collect();
        fs::write(root.join("utf8"), &text).unwrap();
        let output = run_in(root, ["convert", "--to", encoding, "utf8", "-o", "table"]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        let output = run_in(root, ["repair", "--in-place", "table"]);
        let command = format!("convert --in-place --from {encoding} table");
        assert!(messages(&output).contains(&command), "{}", messages(&output));
        let output = run_in(root, command.split(' '));
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert_eq!(String::from_utf8(read(root, "table")).unwrap(), text);
    }
}

/// Hebrew of DOS has the bytes of Russian capitals in IBM866. Shifted by four bytes, it is in no known table.
#[test]
fn letters_that_read_as_capitals_alone_are_not_converted_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = "הגדרה כדפדפן ברירת המחדל\nלהפוך את הדפדפן לברירת המחדל שלך\nיש להכניס את הכתובת המלאה\n".repeat(3);
    let from = |first: u8| -> Vec<u8> {
        let byte = |c: char| if c < 'א' { c as u8 } else { first + (c as u8).wrapping_sub(0xD0) };
        text.chars().map(byte).collect()
    };
    fs::write(root.join("dos"), from(0x80)).unwrap();
    fs::write(root.join("unknown"), from(0x84)).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "auto", "dos", "unknown"]);
    assert_eq!((status(&output), read(root, "unknown") == from(0x84)), (1, true), "{}", messages(&output));
    assert_eq!(String::from_utf8(read(root, "dos")).unwrap(), text, "{}", messages(&output));
}

/// Text is converted without --force only if a single encoding is certain.
#[test]
fn auto_leaves_text_that_several_encodings_may_have() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let to = |text: &str, encoding: &str| run_with(text.as_bytes(), ["convert", "--to", encoding]).stdout;
    // In Georgian-Academy, the alphabet is at C0 and above.
    let georgian = "ნისლის ფენის დამატება\nმრუდის ტიპი და სიგანე\nშეცდომა ჩაწერისას, ფაილის სახელი არასწორია\n";
    let academy = |c: char| if c < 'ა' { c as u8 } else { 0xC0 + (u32::from(c) - 0x10D0) as u8 };
    let romanian = "Necunoscut, listă de lungime mare\nInterfaţă de ieşire audio, în fişierul următor\n";
    let bulgarian = "Светъл, който трябва да се замени с предназначение\nЗареждане на модула за търсене\n";
    let word = [to("Нова ", "cp866"), "папка".into(), to(" или файл\n", "cp866")].concat();
    let cases = [
        ("romanian", to(romanian, "windows-1250"), "ISO-8859-16 fits nearly as well"),
        ("word", [to(bulgarian, "cp866"), word, to(bulgarian, "cp866")].concat(), "some of its words are utf-8"),
        ("one", b"wait\x85\n".to_vec(), "help: utf8 detect one"),
        ("overlong", b"Himmel \xC0\x80og hav p\xC3\xA5 \xC3\xB8ya\n".to_vec(), "it may be damaged"),
        ("twice", "caf\u{C3}\u{A9}\n".into(), "; mojibake\n  help: utf8 mojibake --in-place twice"),
        ("mark", b"\xFF\xFEplain text with a \x80 few bytes in it\n".to_vec(), "not sure"),
    ];
    for (name, bytes, reason) in cases {
        fs::write(root.join(name), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", "auto", name]);
        assert_eq!((status(&output), read(root, name) == bytes), (1, true), "{name}: {}", messages(&output));
        assert!(messages(&output).contains(reason), "{name}: {}", messages(&output));
    }
    fs::write(root.join("georgian"), georgian.chars().map(academy).collect::<Vec<u8>>()).unwrap();
    let output = run_in(root, ["repair", "--in-place", "georgian"]);
    assert_eq!(status(&output), 2);
    let output = run_in(root, ["convert", "--in-place", "--from", "auto", "georgian"]);
    assert_eq!((status(&output), read(root, "georgian")), (0, georgian.as_bytes().to_vec()));
}

/// Returns Russian lines in windows-1251 with one line in UTF-8 among them, as the bytes of a file and as the text.
fn mixed() -> (Vec<u8>, String) {
    let mixed = [windows_1251(), "id 7: чай\n".as_bytes().to_vec(), windows_1251()].concat();
    (mixed, format!("{0}id 7: чай\n{0}", RUSSIAN.repeat(4)))
}

#[test]
fn lines_in_two_encodings_are_converted_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mixed, good) = mixed();
    // Either it is uncertain which lines are UTF-8, or only parts of a line are.
    let unsure = [b"na\xEFve\n".to_vec(), "café\n".as_bytes().to_vec()].concat();
    let within = [windows_1251(), b"\xF7\xE0\xE9 ".to_vec(), "чай\n".as_bytes().to_vec()].concat();
    let doubtful = [&unsure, &within];
    for from in ["auto", "windows-1251"] {
        for to in ["utf-8", "utf-16be"] {
            let _ = fs::remove_file(root.join("ledger"));
            fs::write(root.join("mixed.txt"), &mixed).unwrap();
            fs::write(root.join("legacy.txt"), windows_1251()).unwrap();
            fs::write(root.join("within.txt"), &within).unwrap();
            fs::write(root.join("unsure.txt"), &unsure).unwrap();
            let convert = ["convert", "--in-place", "--from", from, "--to", to, "--ledger", "ledger"];
            let names = if from == "auto" { &["."][..] } else { &["mixed.txt", "legacy.txt", "within.txt"] };
            let whole = run_in(root, [&convert[..], &["mixed.txt"]].concat());
            assert_eq!((status(&whole), read(root, "mixed.txt") == mixed), (2, true), "{from} {to}");
            assert!(messages(&whole).contains("1 mixed") || messages(&whole).contains("mixed.txt: skipped"));

            let lines = run_in(root, [&convert[..], &["--lines"], names].concat());
            assert_eq!(status(&lines), 2, "{}", messages(&lines));
            assert!(messages(&lines).contains("converted 2 files"), "{}", messages(&lines));
            let text = |name| match to {
                "utf-8" => String::from_utf8(read(root, name)).unwrap(),
                _ => {
                    let units = read(root, name);
                    let units = units.chunks(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
                    String::from_utf16(&units.collect::<Vec<_>>()).unwrap()
                }
            };
            assert_eq!((text("mixed.txt"), text("legacy.txt")), (good.clone(), RUSSIAN.repeat(4)));
            assert_eq!([&read(root, "unsure.txt"), &read(root, "within.txt")], doubtful);
            let again = run_in(root, [&convert[..], &["--lines", "mixed.txt", "legacy.txt"]].concat());
            assert_eq!(status(&again), 0, "{}", messages(&again));
            assert_eq!(status(&run_in(root, ["undo", "ledger"])), 0);
            assert!(read(root, "mixed.txt") == mixed && read(root, "legacy.txt") == windows_1251());
        }
    }
    assert_eq!(status(&run_in(root, ["convert", "--lines", "mixed.txt"])), 2, "it needs an encoding");
}

#[test]
fn a_plan_says_what_is_converted_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mixed, good) = mixed();
    fs::write(root.join("mixed.txt"), mixed).unwrap();
    let dry = ["convert", "--in-place", "--from", "auto", "--lines", "--dry-run", "--format", "jsonl"];
    let plan = run_in(root, [&dry[..], &["mixed.txt"]].concat());
    assert!(text(&plan).contains(r#""per_line":true"#), "{}", text(&plan));
    fs::write(root.join("plan"), &plan.stdout).unwrap();
    let done = run_in(root, ["convert", "--in-place", "--plan", "plan"]);
    assert_eq!(status(&done), 0, "{}", messages(&done));
    assert_eq!(String::from_utf8(read(root, "mixed.txt")).unwrap(), good);
}

#[test]
fn a_line_of_utf8_far_into_a_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // The text lies between the pieces that detection samples.
    let many = windows_1251().repeat(20_000);
    let mixed = [&many[..], "id 7: чай\n".as_bytes(), &many[..many.len() / 40]].concat();
    for from in ["auto", "koi8-r"] {
        fs::write(root.join("mixed.txt"), &mixed).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "mixed.txt"]);
        assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
        assert!(messages(&output).contains("lines are or may be UTF-8, and others are not"), "{}", messages(&output));
    }
}

/// A program that believes the declaration, as Git does the attribute, would garble the file.
#[test]
fn an_encoding_that_is_declared_still_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = "Grüße aus Köln, Straße der Löwen, schöne Frühlingstage überall";
    let from_1252 = |text: &str| run_with(text.as_bytes(), ["convert", "--to", "windows-1252"]).stdout;
    let page = |encoding: &str| format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n<p>{text}</p>\n");
    fs::write(root.join("old.xml"), from_1252(&page("windows-1252"))).unwrap();
    fs::write(root.join("right.xml"), from_1252(&page("utf-8"))).unwrap();
    fs::write(root.join("git.txt"), from_1252(text)).unwrap();
    let dump = format!("/*!40101 SET NAMES latin1 */;\nINSERT INTO `t` VALUES ('{text}');\n");
    fs::write(root.join("dump.sql"), from_1252(&dump)).unwrap();
    fs::write(root.join(".gitattributes"), "git.txt working-tree-encoding=windows-1252\n").unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "windows-1252", "--ledger", "l", "."]);
    assert_eq!(status(&output), 0, "{}", messages(&output));
    let reported = messages(&output);
    assert!(reported.contains("old.xml: it is in utf-8 now, but still declares windows-1252"), "{reported}");
    assert!(reported.contains("git.txt: it is in utf-8 now, but configured to be in windows-1252"), "{reported}");
    assert!(reported.contains("dump.sql: it is in utf-8 now, but still declares windows-1252"), "{reported}");
    assert_eq!(reported.matches("it is in utf-8 now").count(), 3, "{reported}");
    fs::write(root.join("wide.xml"), utf16le(&format!("\u{FEFF}{}", page("utf-16")))).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "utf-16", "wide.xml"]);
    let reported = messages(&output);
    assert!(reported.contains("wide.xml: it is in utf-8 now, but still declares utf-16"), "{reported}");
}

/// Capitals are small letters in another encoding.
#[test]
fn text_in_capitals_is_converted_as_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let russian = "МОСКВА САНКТ-ПЕТЕРБУРГ\nНОВОСИБИРСК\n";
    let greek = "ΕΛΛΗΝΙΚΗ ΔΗΜΟΚΡΑΤΙΑ ΥΠΟΥΡΓΕΙΟ ΠΑΙΔΕΙΑΣ\n";
    let german = &"GRÖSSE ÜBERPRÜFEN ÄNDERN LÖSCHEN\n".repeat(6);
    for (text, named) in [
        (russian, "windows-1251"),
        (russian, "koi8-r"),
        (russian, "iso-8859-5"),
        (russian, "ibm866"),
        (greek, "windows-1253"),
        (greek, "iso-8859-7"),
        (german, "cp850"),
        (german, "cp437"),
    ] {
        let bytes = run_with(text.as_bytes(), ["convert", "--to", named]).stdout;
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", named, "file"]);
        assert_eq!((status(&output), read(root, "file")), (0, text.as_bytes().to_vec()), "{}", messages(&output));
    }
}

/// Words that contain signs, and implausible sequences of characters.
#[test]
fn a_wrong_encoding_that_reads_much_worse_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (text, really, named) in [
        ("uwaga: nie zakończona para klucz/wartość\nuwaga: nie zakończony napis\n", "iso-8859-2", "windows-1252"),
        ("prog рекомендовала пакет libcool1,\n", "windows-1251", "windows-1252"),
        ("ELF 파일 버전 ident가 현재 ident와 맞지 않습니다\n", "euc-kr", "windows-1251"),
        ("-i, --manualeject <on|off>  切换手动弹出保护开/关\n", "gb18030", "windows-1252"),
        // East Asian characters, all of them rare.
        ("Horizontálne zarovnanie pre potomka\n", "windows-1250", "big5"),
        ("Onemogući kada se dva tastera pritisnu\n", "windows-1250", "gb18030"),
    ] {
        let bytes = run_with(text.as_bytes(), ["convert", "--to", really]).stdout;
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", named, "file"]);
        assert_eq!((status(&output), read(root, "file") == bytes), (2, true), "{}", messages(&output));
        let output = run_in(root, ["convert", "--in-place", "--from", really, "file"]);
        assert_eq!((status(&output), read(root, "file")), (0, text.as_bytes().to_vec()));
    }
}

#[test]
fn words_of_two_alphabets_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let encoded = |text: &str, encoding| run_with(text.as_bytes(), ["convert", "--to", encoding]).stdout;
    let french = encoded("à la crème brûlée\n", "windows-1252");
    for wrong in ["koi8-r", "windows-1251", "iso-8859-5", "windows-1253", "windows-1255"] {
        fs::write(root.join("file"), &french).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", wrong, "file"]);
        let reported = (status(&output), read(root, "file"));
        assert_eq!(reported, (2, french.clone()), "{wrong}: {}", messages(&output));
        assert!(messages(&output).contains("--from windows-1252"), "{}", messages(&output));
    }
    let esperanto = encoded("SISX-pakaĵo\n", "iso-8859-3");
    fs::write(root.join("file"), &esperanto).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "shift_jis", "file"]);
    assert_eq!((status(&output), read(root, "file")), (2, esperanto), "{}", messages(&output));
    // Short texts with brands, units, formulas, and signs in their usual places are plausible.
    for (text, encoding) in [
        ("версия linuxа для всех\n", "koi8-r"),
        ("emailы\n", "windows-1251"),
        ("sумма, rев. 2\n", "windows-1251"),
        ("привет\n", "koi8-r"),
        ("Ελλάδα και pdfα\n", "iso-8859-7"),
        ("1914–18\n", "gb18030"),
        ("臺灣\n", "gbk"),
        ("薔薇\n", "shift_jis"),
        ("ABC ﾃｽﾄ\n", "shift_jis"),
        ("当x大于y时，z为0\n", "gb18030"),
        ("変数xがyより大\n", "shift_jis"),
        ("芫荽\n", "big5"),
        ("뷁\n", "euc-kr"),
        ("„Wort“ – 괌\n", "gb18030"),
        (&"§ 1 Scope of clause 1, 5 £ ± 2\n".repeat(24), "latin1"),
        (&"He said «yes» and «no».\n".repeat(6), "latin1"),
        (&"╔═══╗\n║ a ║\n╚═══╝\n".repeat(5), "cp437"),
    ] {
        let bytes = encoded(text, encoding);
        fs::write(root.join("file"), &bytes).unwrap();
        let copied = run_in(root, ["convert", "--from", encoding, "file"]);
        assert_eq!((messages(&copied), copied.stdout), (String::new(), text.as_bytes().to_vec()));
        let output = run_in(root, ["convert", "--in-place", "--from", encoding, "file"]);
        let converted = (status(&output), read(root, "file"));
        assert_eq!(converted, (0, text.as_bytes().to_vec()), "{encoding}: {}", messages(&output));
    }
}

#[test]
fn a_conversion_into_an_output_does_as_reported_and_warns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let russian = windows_1251();
    let french = "à la crème brûlée\n";
    let long = french.repeat(10_000);
    let line = "déjà vu ".repeat(9000);
    let bad = root.join("bad");
    let bad = bad.to_str().unwrap();
    let legacy = run_with(french.as_bytes(), ["convert", "--to", "windows-1252"]).stdout;
    for (bytes, args, warning) in [
        (
            french.as_bytes(),
            &["--from", "koi8-r"][..],
            Some("it is UTF-8 already, and this conversion reads it as KOI8-R"),
        ),
        (long.as_bytes(), &["--from", "latin1"], Some("it is UTF-8 already, and this conversion reads it as latin1")),
        (
            line.as_bytes(),
            &["--from", "windows-1252"],
            Some("it is UTF-8 already, and this conversion reads it as windows-1252"),
        ),
        (
            &russian,
            &["--from", "windows-1252"],
            Some(
                "it looks like windows-1251, and this conversion reads it as windows-1252\n  \
                 help: utf8 convert --from windows-1251",
            ),
        ),
        (
            &[&legacy.repeat(20), french.as_bytes()].concat(),
            &["--from", "windows-1252"],
            Some(
                "some of its lines are or may be UTF-8, and others are not, and this conversion reads it as \
                 windows-1252\n  help: utf8 repair -p fallback-lines=windows-1252",
            ),
        ),
        (
            french.as_bytes(),
            &["--from", "windows-1252", "--rows", "csv", "--reject", bad],
            Some("it is UTF-8 already, and this conversion reads it as windows-1252"),
        ),
        (&russian, &["--from", "windows-1251"], None),
        (&legacy, &["--from", "windows-1252"], None),
        (&legacy, &["--from", "auto"], None),
        (french.as_bytes(), &["--to", "utf-16"], None),
        (b"plain\n", &["--from", "koi8-r"], None),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let convert = || ["convert"].iter().chain(args);
        let file = run_in(root, convert().chain(&["file", "-o", "out"]));
        let pipe = run_with(bytes, convert());
        for output in [&file, &pipe] {
            let reported = messages(output);
            assert_eq!(status(output), i32::from(warning.is_some()), "{reported}");
            match warning {
                Some(warning) => {
                    let (what, command) = warning.split_once("\n  help: ").unwrap_or((warning, ""));
                    assert!(reported.contains(what), "{args:?}: {reported}");
                    assert!(command.is_empty() || advises(output, command), "{args:?}: {reported}");
                }
                None => assert!(!reported.contains("this conversion"), "{args:?}: {reported}"),
            }
        }
        assert_eq!(read(root, "out"), pipe.stdout);
    }
}

#[test]
fn a_fallback_into_an_output_does_as_reported_and_warns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("russian"), windows_1251()).unwrap();
    let convert = ["convert", "--on-error", "fallback=windows-1252"];
    let to_file = run_in(root, convert.into_iter().chain(["russian", "-o", "out"]));
    for output in [to_file, run_with(&windows_1251(), convert)] {
        assert_eq!(status(&output), 1);
        let warning = "looks like windows-1251, and this conversion garbles text\n";
        assert!(messages(&output).contains(warning), "{}", messages(&output));
        assert!(advises(&output, "utf8 convert --from windows-1251"), "{}", messages(&output));
    }
    let right = run_in(root, ["convert", "--on-error", "fallback=windows-1251", "russian"]);
    assert!(!messages(&right).contains("looks like"), "{}", messages(&right));
}

/// Bytes that are invalid in the named encoding, and text in another one, are reported with the right command.
#[test]
fn a_conversion_that_stops_names_what_keeps_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let russian = windows_1251();
    fs::write(root.join("russian"), &russian).unwrap();
    let in_place = run_in(root, ["convert", "--in-place", "--to", "utf-16", "russian"]);
    assert_eq!((status(&in_place), read(root, "russian")), (1, russian.clone()), "{}", messages(&in_place));
    let advice = "; it looks like windows-1251\n  \
                  help: utf8 convert --in-place --from windows-1251 --to utf-16 russian\n";
    let reported = messages(&in_place);
    assert!(
        reported.contains("skipped: ") && reported.contains(": not utf-8") && reported.ends_with(advice),
        "{reported}"
    );
    let to_file = run_in(root, ["convert", "--to", "utf-16", "russian", "-o", "out"]);
    for output in [to_file, run_with(&russian, ["convert", "--to", "utf-16"])] {
        assert_eq!(status(&output), 1);
        assert!(messages(&output).contains("; it looks like windows-1251\n"), "{}", messages(&output));
        let command = "utf8 convert --from windows-1251 --to utf-16";
        assert!(advises(&output, command), "{}", messages(&output));
    }
    // Text far from the beginning is also examined.
    let far = [&RUSSIAN.repeat(1000).into_bytes(), &russian[..]].concat();
    fs::write(root.join("file"), far).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--to", "utf-16", "file"]);
    assert_eq!(status(&output), 1);
    let advice = "; it is UTF-8, but some lines read as windows-1251\n";
    assert!(messages(&output).contains(advice), "{}", messages(&output));
    // That does not hold for damage, nor for characters that the target lacks.
    for (bytes, to) in [(&b"na\xC3\xAFve \xE2\x82 caf\xC3\xA9\n"[..], "utf-16"), ("на\n".as_bytes(), "latin1")] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--to", to, "file"]);
        assert_eq!(status(&output), 1);
        assert!(!messages(&output).contains(';'), "{}", messages(&output));
    }
}

/// The command suggested instead of a conversion writes the requested encoding and mark.
#[test]
fn what_is_advised_writes_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let german = "für größere Häuser über alle Straßen, schön und grün\n";
    let legacy = run_with(german.as_bytes(), ["convert", "--to", "windows-1252"]).stdout;
    let reported = |bytes: &[u8], args: &[&str]| {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["convert"].iter().chain(args).chain(&["file"]));
        let reported = messages(&output);
        assert!(read(root, "file") == bytes, "{args:?}: {reported}");
        reported
    };
    let wide = utf16le(&format!("\u{FEFF}{german}"));
    for (bytes, args, command) in [
        (&wide, &["--in-place", "--to", "latin1"][..], "convert --in-place --from utf-16 --to latin1 file"),
        (&wide, &["--in-place"], "convert --in-place --from utf-16 file"),
        (&legacy, &["--bom", "add"], "convert --from windows-1252 --bom add file"),
        (
            &legacy,
            &["--in-place", "--from", "windows-1251", "--to", "utf-16", "--bom", "strip"],
            "convert --in-place --from windows-1252 --to utf-16 --bom strip file",
        ),
        (&legacy, &["--from", "windows-1251", "--to", "utf-16le"], "convert --from windows-1252 --to utf-16le file"),
    ] {
        let reported = reported(bytes, args);
        assert!(reported.contains(&format!("help: utf8 {command}")), "{args:?}: {reported}");
    }
    // No command is suggested: a repair writes UTF-8, and the file is already in the requested encoding.
    let mixed = [legacy.repeat(4), german.repeat(4).into_bytes()].concat();
    for (bytes, from, to, looks) in [
        (&mixed, "windows-1252", "utf-16", "some of its lines are or may be UTF-8, and others are not"),
        (&mixed, "utf-8", "utf-16", "it is UTF-8, but some lines read as windows-1252"),
        (&wide, "utf-8", "utf-16", "it looks like utf-16"),
    ] {
        for in_place in [&["--in-place"][..], &[]] {
            let args = [in_place, &["--from", from, "--to", to]].concat();
            let reported = reported(bytes, &args);
            assert!(reported.contains(looks) && !reported.contains("help: utf8"), "{args:?}: {reported}");
        }
    }
    let doubled = "fÃ¼r grÃ¶ÃŸere HÃ¤user\n".as_bytes();
    let doubted = reported(doubled, &["--in-place", "--from", "auto", "--to", "utf-16"]);
    assert!(doubted.contains("mojibake") && !doubted.contains("help: utf8"), "{doubted}");
    let reported = reported(&mixed, &["--in-place", "--from", "windows-1252"]);
    assert!(reported.contains("help: utf8 repair --in-place -p fallback-lines=windows-1252 file"), "{reported}");
}

/// Marks in odd places, and letters that several languages share, do not suggest another encoding.
#[test]
fn the_encoding_of_a_few_lines_beside_utf8_is_that_of_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let quoted = "richtlijn “gelijk” zijn, wordt de tweede richtlijn gebruikt om\n\
                  waarbij de huidige versie (als die geïnstalleerd is) vergeleken wordt met de\n\
                  vraagteken (“?”), gevolgd door de naam van de term die aangeeft\n";
    let nested = "moet worden en beschreven wordt in Afbeelding 2.10, “Waarden voor de vlag “actie””.\n\
                  Toon de letter “A” als het\n";
    let states = "pakket niet geïnstalleerd is (“p”), dat het geïnstalleerd zal\n\
                  worden (“i”), dat het automatisch uitgekozen werd om\n\
                  geïnstalleerd te worden (“A”) en dat het niet betrouwbaar is\n\
                  (“U”). Aan de rechterkant van het overzicht worden de huidige\n\
                  vermeld in Afbeelding 2.9, “Waarden voor de vlag “huidige toestand”” en de mogelijke waarden voor\n\
                  de vlag “actie” worden in Afbeelding 2.10, “Waarden voor de vlag “actie””\n";
    let lithuanian = "nepavyko gauti %s parametrų\nnepavyko išlaikyti %s autoriaus\n\
                      nepavyko išlaikyti %s savininko\nnepavyko išlaikyti %s teisių\n";
    for (lines, utf8, encoding) in [
        (quoted, "wordt de tekenreeks die u ingeeft een “zoekpatroon”\n", "windows-1252"),
        (nested, "pakket automatisch geïnstalleerd werd. Geef anders niets weer.\n", "windows-1252"),
        (states, "De mogelijke waarden voor de vlag “huidige toestand” worden\n", "windows-1252"),
        (lithuanian, "Nepavyko pakeisti %s savininko į %s\n", "windows-1257"),
    ] {
        let lines = run_with(lines.as_bytes(), ["convert", "--to", encoding]).stdout;
        fs::write(root.join("file"), [&lines, utf8.as_bytes()].concat()).unwrap();
        let hinted = text(&run_in(root, ["check", "--max-errors", "1", "file"]));
        let advice = format!("help: utf8 repair -p fallback-lines={encoding} ");
        assert!(hinted.contains(&advice), "{advice}\n{hinted}");
    }
}

/// What an output loses is said, also where the input is mojibake or errors are omitted; `--force` is a request.
#[test]
fn an_output_that_loses_text_is_a_finding() {
    for (input, args, help) in [
        ("GrÃ¶ÃŸe und Länge\n".as_bytes(), &["convert", "--from", "latin1"][..], "utf8 mojibake"),
        (
            "Größe und Länge\n".as_bytes(),
            &["convert", "--from", "latin1", "--to", "utf-16"],
            "utf8 convert --to utf-16",
        ),
        (b"Gr\xF6\xDFe und L\xE4nge der Stra\xDFe\n", &["convert", "-c"], "utf8 convert --from windows-1252"),
    ] {
        let output = run_with(input, args);
        assert_eq!(status(&output), 1, "{args:?}: {}", messages(&output));
        assert!(advises(&output, help), "{args:?}: {}", messages(&output));
        assert_eq!(status(&run_with(input, [args, &["--force"]].concat())), 0, "{args:?}");
    }
}

/// A preview needs no --in-place, as in `repair`.
#[test]
fn a_preview_shows_what_a_conversion_in_place_does() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"caf\xE9\n").unwrap();
    for option in ["-n", "--diff"] {
        let shown = run_in(root, ["convert", option, "-f", "latin1", "file"]);
        let before = run_in(root, ["convert", "-i", option, "-f", "latin1", "file"]);
        assert_eq!((status(&shown), &shown.stdout), (0, &before.stdout), "{option}: {}", messages(&shown));
    }
    assert_eq!(read(root, "file"), b"caf\xE9\n");
    assert_eq!(status(&run_in(root, ["convert", "-i.bak", "-f", "latin1", "file"])), 0);
    assert_eq!((read(root, "file.bak"), read(root, "file")), (b"caf\xE9\n".to_vec(), "café\n".into()));
}
