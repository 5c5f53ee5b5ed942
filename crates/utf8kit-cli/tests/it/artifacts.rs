//! Tests lossless damage: it is reported, no write loses the text, and the suggested command is right.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, run_with, status, text};

/// Writes a file, and checks that a repair in place leaves it alone and suggests the command. The command must produce
/// the text in place, into an output, and when run twice.
fn check(root: &Path, name: &str, bytes: &[u8], policy: &str, right: &str) {
    let path = root.join(name);
    fs::write(&path, bytes).unwrap();
    let reported = text(&run_in(root, ["check", name]));
    assert!(reported.contains(&format!("utf8 repair -p {policy} {name}")), "{name}: {reported}");
    let reported = text(&run_in(root, ["detect", name]));
    assert!(reported.contains(&format!("utf8 repair -p {policy} {name}")), "{name}: {reported}");
    for args in [&["--policy", "replace"][..], &["--policy", "remove"], &["--for", "postgresql", "--policy", "remove"]]
    {
        let output = run_in(root, [&["repair", "--in-place"][..], args, &[name]].concat());
        // Without a target, valid UTF-8 does not change.
        if std::str::from_utf8(bytes).is_ok() && !args.contains(&"--for") {
            assert_eq!((status(&output), fs::read(&path).unwrap()), (0, bytes.to_vec()), "{name}");
            continue;
        }
        assert_eq!(status(&output), 2, "{name} {args:?}: {}", messages(&output));
        let wanted = format!("utf8 repair --in-place -p {policy} {name}");
        assert!(messages(&output).contains(&wanted), "{name}: {}", messages(&output));
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name} {args:?}");
    }
    let auto = run_in(root, ["convert", "--from", "auto", name]);
    assert_eq!((status(&auto), &*auto.stdout), (1, &b""[..]), "{name}: {}", messages(&auto));
    let output = run_in(root, ["repair", "--policy", policy, name]);
    assert_eq!((status(&output), text(&output)), (0, right.to_owned()), "{name}");
    for _ in 0..2 {
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, name]);
        assert_eq!((status(&output), fs::read_to_string(&path).unwrap()), (0, right.to_owned()), "{name}");
    }
    assert_eq!(status(&run_in(root, ["repair", "--in-place", name])), 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), right);
}

#[test]
fn characters_whose_bytes_stand_apart_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ics = b"BEGIN:VEVENT\r\nSUMMARY:Sommerf\xC3\r\n \xBCr \xE2\r\n \x80\x93 Gr\xC3\xBC\xC3\x9Fe \xF0\x9F\r\n \
        \x99\x82\r\n";
    check(root, "feed.ics", ics, "join", "BEGIN:VEVENT\r\nSUMMARY:Sommerfü\r\n r –\r\n  Grüße 🙂\r\n \r\n");
    check(root, "smallest.ics", b"f\xC3\r\n \xAAte", "join", "fê\r\n te");
    check(root, "fold.txt", b"eine sch\xC3\n\xB6ne Stra\xC3\n\x9Fe\n", "join", "eine schö\nne Straß\ne\n");
    check(root, "emoji.csv", b"\xF0\x9F\x99\x88 \xED\xA0\xBD\xED\xB8\x80\n", "join", "🙈 😀\n");
    // Text that is invalid as CESU-8 is also reported.
    fs::write(root.join("emoji.csv"), b"\xF0\x9F\x99\x88 \xED\xA0\xBD\xED\xB8\x80\n").unwrap();
    let output = run_in(root, ["convert", "--from", "cesu-8", "emoji.csv"]);
    assert_eq!(status(&output), 1);
    assert!(messages(&output).contains("utf8 repair -p join emoji.csv"), "{}", messages(&output));
    assert_eq!(text(&run_in(root, ["repair", "--policy", "fallback=cesu-8", "emoji.csv"])), "🙈 😀\n");
}

#[test]
fn text_that_is_or_was_utf16_is_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let latin1 = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
    check(root, "tail.log", b"ok \xC3\xA9\nn\0e\0w\0\r\0\n\0", "utf-16", "ok é\nnew\r\n");
    let log = [b"start \xE2\x80\x93 premi\xC3\xA8re\n".to_vec(), utf16("später – “fertig”\r\nEnde\r\n")].concat();
    check(root, "sprint.log", &log, "utf-16", "start – première\nspäter – “fertig”\r\nEnde\r\n");
    let text = "Windows Registry Editor\r\n\"Größe\"=1\r\n";
    let marked = utf16(&format!("\u{FEFF}{text}"));
    check(root, "latin1.reg", latin1(&marked).as_bytes(), "utf-16", text);
    let twice = utf16(&format!("\u{FEFF}{}", latin1(&utf16("Usage: tool [options]\r\n  --help\r\n"))));
    check(root, "twice.txt", &twice, "utf-16", "Usage: tool [options]\r\n  --help\r\n");
    let returned = marked.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', *byte] } else { vec![*byte] });
    check(root, "returned.reg", &returned.collect::<Vec<_>>(), "utf-16", text);
}

/// Writes a file, and checks that nothing makes UTF-16 of all of it, and that the suggested command gives the text.
fn check_beside(root: &Path, name: &str, bytes: &[u8], from: &str, right: &str) {
    let path = root.join(name);
    fs::write(&path, bytes).unwrap();
    let piped = format!("utf8 repair -p utf-16 {name} | utf8 {from} -");
    for command in ["check", "detect"] {
        let reported = text(&run_in(root, [command, name]));
        assert!(reported.contains(&piped), "{name}: {reported}");
    }
    let (verb, options) = from.split_once(' ').unwrap();
    let in_place = format!("{verb} --in-place {options}");
    let wanted = format!("utf8 repair --in-place -p utf-16 {name} && utf8 {in_place} {name}");
    for args in [
        &["convert", "--from", "auto", "--in-place"][..],
        &["convert", "--from", "utf-16", "--in-place"],
        &["convert", "--from", "windows-1252", "--in-place"],
        &["repair", "--in-place"],
    ] {
        let output = run_in(root, [args, &[name]].concat());
        assert_ne!(status(&output), 0, "{name} {args:?}: {}", messages(&output));
        assert!(messages(&output).contains(&wanted), "{name} {args:?}: {}\n{wanted}", messages(&output));
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name} {args:?}");
    }
    let output = run_in(root, ["convert", "--from", "auto", name, "-o", "out"]);
    assert_eq!(status(&output), 1, "{name}: {}", messages(&output));
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "utf-16", name])), 0);
    let args = in_place.split(' ').chain([name]).collect::<Vec<_>>();
    assert_eq!(status(&run_in(root, args)), 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), right, "{name}");
}

/// `cmd.exe` appends text in the code page of the system to a log that PowerShell 5 wrote in UTF-16, and the reverse.
#[test]
fn utf16_beside_another_encoding_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let ok = utf16("\u{FEFF}ok\r\n");
    let from = "convert --from windows-1252";
    check_beside(root, "tail.log", &[&ok[..], b"new caf\xE9\r\n"].concat(), from, "ok\r\nnew café\r\n");
    check_beside(root, "head.log", &[b"new caf\xE9\r\n", &ok[..]].concat(), from, "new café\r\nok\r\n");
    let transcript = [
        utf16("\u{FEFF}Protokoll für größere Häuser\r\nSchöne Grüße über alles\r\n"),
        b"Gr\xF6\xDFe ge\xE4ndert, sch\xF6n und gr\xFCn\r\n".to_vec(),
    ];
    check_beside(
        root,
        "both.log",
        &transcript.concat(),
        "repair -p fallback-lines=windows-1252",
        "Protokoll für größere Häuser\r\nSchöne Grüße über alles\r\nGröße geändert, schön und grün\r\n",
    );
    let tail = [ok, "new café\r\n".into()].concat();
    check(root, "utf8.log", &tail, "utf-16", "ok\r\nnew café\r\n");
}

/// A program wrote the byte order mark of its processor before text of the other byte order.
#[test]
fn a_byte_order_mark_of_the_other_byte_order_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for (name, bytes, from, right) in [
        ("en.txt", [&b"\xFF\xFE"[..], &be("hello world\r\n")].concat(), "utf-16be", "hello world\r\n"),
        ("de.txt", [&b"\xFE\xFF"[..], &le("Grüße aus Köln\r\n")].concat(), "utf-16le", "Grüße aus Köln\r\n"),
        ("ru.txt", [&b"\xFF\xFE"[..], &be("Привет, как дела?\n")].concat(), "utf-16be", "Привет, как дела?\n"),
        (
            "ja.txt",
            [&b"\xFF\xFE"[..], &be("今日は良い天気ですね。\n")].concat(),
            "utf-16be",
            "今日は良い天気ですね。\n",
        ),
    ] {
        fs::write(root.join(name), &bytes).unwrap();
        let command = format!("utf8 convert --from {from} --bom strip {name}");
        for args in [["check", name], ["detect", name]] {
            let reported = text(&run_in(root, args));
            assert!(reported.contains(&command), "{reported}");
        }
        assert_eq!(text(&run_in(root, command.split(' ').skip(1))), right);
        assert_eq!(text(&run_in(root, ["convert", "--from", "auto", name])), right);
        let output = run_in(root, ["convert", "--from", "utf-16", "--in-place", name]);
        assert_eq!((status(&output), fs::read(root.join(name)).unwrap()), (2, bytes), "{}", messages(&output));
        let output = run_in(root, ["convert", "--from", "auto", "--in-place", name]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert_eq!(fs::read_to_string(root.join(name)).unwrap(), right);
    }
}

#[test]
fn nuls_do_not_hide_that_text_is_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log =
        [vec![0; 400], b"08:00 app: start\n08:01 app: caf\xE9 ouvert ce soir\n08:02 app: fin\n".to_vec()].concat();
    // "Printing and export", "Makemake", "the orbiter went on to send pictures and data".
    let arabic = b"### \xD8\xC8\xC7\xDA\xC9/\xCA\xD5\xCF\xED\xD1\0\n* [\xE3\xC7\xDF\xED\xE3\xC7\xDF\xED]\n\
        \xC7\xE1\xE3\xCF\xC7\xD1 \xC7\xD3\xCA\xE3\xD1\xCA \xDD\xED \xC5\xD1\xD3\xC7\xE1 \xC7\xE1\xD5\xE6\xD1\n";
    for (name, bytes, encoding, args) in [
        ("app.log", &log[..], "windows-1252", &["repair", "--in-place"][..]),
        ("a.txt", b"\0start\ncaf\xE9 ouvert ce soir\nfin\n", "windows-1252", &["repair", "--in-place"]),
        ("ar.txt", arabic, "windows-1256", &["repair", "--in-place"]),
        (
            "a.csv",
            b"Ren\xE9e M\xFCller\0",
            "windows-1252",
            &["repair", "--rows", "csv", "--for", "postgresql", "--policy", "remove", "--in-place"],
        ),
    ] {
        fs::write(root.join(name), bytes).unwrap();
        let output = run_in(root, [args, &[name]].concat());
        assert_eq!(status(&output), 2, "{name}: {}", messages(&output));
        let reported = messages(&output);
        assert!(reported.contains(&format!("it looks like {encoding} with NULs")), "{reported}");
        assert!(
            reported.contains(&format!("`utf8 repair --in-place -p remove-nuls {name}` removes the NULs alone")),
            "{reported}"
        );
        assert_eq!(fs::read(root.join(name)).unwrap(), bytes);
        let alone = run_in(root, ["repair", "--policy", "remove-nuls", name]);
        assert_eq!(alone.stdout, bytes.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>());
    }
    // In a folder, a log is also text.
    fs::write(root.join("list"), b"one\0two\0three\0").unwrap();
    let reported = text(&run_in(root, ["check", "."]));
    assert!(
        reported.contains("reads as windows-1252 with NULs") && reported.contains("skipped 1 (1 binary)"),
        "{reported}"
    );
    // Text that is otherwise UTF-8 is also reported.
    fs::write(root.join("clean.log"), [vec![0; 40], b"08:00 start\n08:01 fertig\n".to_vec()].concat()).unwrap();
    let reported = text(&run_in(root, ["check", "clean.log"]));
    assert!(reported.contains("utf8 repair -p remove-nuls clean.log"), "{reported}");
}

#[test]
fn an_encoding_that_is_not_sure_is_not_converted_from() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("data.csv"), b"Ann\x92s\n").unwrap();
    for args in [&["-o", "out.csv"][..], &[]] {
        let output = run_in(root, [&["convert", "--from", "auto", "data.csv"][..], args].concat());
        let reported = messages(&output);
        assert_eq!((status(&output), &*output.stdout), (1, &b""[..]), "{reported}");
        assert!(reported.contains("may be windows-1252\n  note: not sure: it may also be macintosh"), "{reported}");
        assert!(!root.join("out.csv").exists());
    }
    assert_eq!(status(&run_in(root, ["convert", "--from", "windows-1252", "data.csv", "-o", "out.csv"])), 0);
}

#[test]
fn a_strict_conversion_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (to, sign, other) in [
        ("shift_jis", '¥', "U+005C"),
        ("shift_jis", '−', "U+FF0D"),
        ("shift_jis", '‾', "U+007E"),
        ("euc-jp", '¥', "U+005C"),
        ("iso-2022-jp", 'ｶ', "U+30AB"),
    ] {
        let input = format!("価格 {sign}\n");
        fs::write(root.join("a.txt"), &input).unwrap();
        for args in [&["-o", "out"][..], &["--in-place"], &["--in-place", "--dry-run"]] {
            let output = run_in(root, [&["convert", "--to", to, "a.txt"][..], args].concat());
            let reported = messages(&output) + &text(&output);
            assert_ne!(status(&output), 0, "{to} {sign} {args:?}: {reported}");
            assert!(reported.contains(&format!("U+{:04X}", u32::from(sign))) && reported.contains(other), "{reported}");
            assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), input);
            assert!(!root.join("out").exists());
        }
        let output = run_in(root, ["convert", "--to", to, "--on-error", "transliterate", "a.txt", "-o", "out"]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        let back = text(&run_in(root, ["convert", "--from", to, "out"]));
        assert!(back.starts_with("価格 ") && !back.contains(sign), "{back}");
        fs::remove_file(root.join("out")).unwrap();
    }
    for (to, text) in [("windows-1258", "Tiếng Việt"), ("shift_jis", "価格 \\500 ｶﾞ～"), ("gb18030", "¥−‾😀")]
    {
        fs::write(root.join("a.txt"), text).unwrap();
        let output = run_in(root, ["convert", "--to", to, "a.txt", "-o", "out"]);
        assert!(to == "windows-1258" || status(&output) == 0, "{to}: {}", messages(&output));
    }
}

#[test]
fn what_utf8_should_not_have_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, policy, right) in [
        ("signs.txt", "don\u{92}t \u{93}stop\u{94}\n", "signs", "don’t “stop”\n"),
        ("joined.csv", "\u{FEFF}1,eins\n\u{FEFF}2,zwei\n\u{FEFF}3,drei\n", "remove-marks", "1,eins\n2,zwei\n3,drei\n"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
        let reported = text(&run_in(root, ["check", name]));
        assert!(reported.contains(&format!("utf8 repair -p {policy} {name}")), "{reported}");
        let output = run_in(root, ["repair", "--policy", policy, name]);
        assert_eq!((status(&output), text(&output)), (0, right.to_owned()), "{name}");
        fs::write(root.join(name), right).unwrap();
        assert!(!text(&run_in(root, ["check", name])).contains("utf8 repair"), "{name}");
    }
    // Text that was encoded twice through Latin-1 also has such controls.
    fs::write(root.join("twice.txt"), "c\u{E2}\u{80}\u{99}est d\u{C3}\u{A9}j\u{C3}\u{A0}\n").unwrap();
    let reported = text(&run_in(root, ["check", "twice.txt"]));
    assert!(!reported.contains("signs"), "{reported}");
    for (name, bytes, words) in [
        ("lost.c", "/* 锟斤拷始 */\n", "U+FFFD was read as GBK"),
        (
            "feed.xml",
            "<?xml version=\"1.0\" encoding=\"windows-1251\"?>\n<a>Новости</a>\n",
            "XML declaration says windows-1251",
        ),
        ("tree.ged", "0 HEAD\n1 CHAR ANSI\n1 NAME Müller\n", "GEDCOM header says windows-1252"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
        let reported = text(&run_in(root, ["check", name]));
        assert!(reported.contains(words), "{reported}");
        let reported = text(&run_in(root, ["detect", name]));
        assert!(reported.contains(words), "{reported}");
        assert_eq!(run_in(root, ["convert", "--from", "auto", name]).stdout, bytes.as_bytes());
    }
}

#[test]
fn lengths_of_php_are_updated() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (old, new) in [
        (
            &b"INSERT INTO `o` VALUES (1,'a:1:{i:0;s:9:\"Br\xF6tchen!\";}');\n"[..],
            "INSERT INTO `o` VALUES (1,'a:1:{i:0;s:10:\"Brötchen!\";}');\n",
        ),
        (
            b"INSERT INTO `o` VALUES (1,'a:1:{i:0;s:9:\\\"Br\xF6tchen!\\\";}');\n",
            "INSERT INTO `o` VALUES (1,'a:1:{i:0;s:10:\\\"Brötchen!\\\";}');\n",
        ),
    ] {
        for from in ["windows-1252", "latin1"] {
            fs::write(root.join("a.sql"), old).unwrap();
            let output = run_in(root, ["convert", "--from", from, "a.sql"]);
            assert_eq!((status(&output), text(&output).as_str()), (0, new));
            assert!(messages(&output).contains("updated 1 length"), "{}", messages(&output));
            let piped = run_with(old, ["convert", "--from", from]);
            assert_eq!((status(&piped), text(&piped).as_str()), (0, new), "{}", messages(&piped));
            let output = run_in(root, ["convert", "--from", from, "--in-place", "--ledger", "ledger", "a.sql"]);
            assert_eq!(status(&output), 0, "{}", messages(&output));
            assert!(messages(&output).contains("updated 1 length"), "{}", messages(&output));
            assert_eq!(fs::read(root.join("a.sql")).unwrap(), new.as_bytes());
            assert_eq!(status(&run_in(root, ["undo", "ledger"])), 0);
            assert_eq!(fs::read(root.join("a.sql")).unwrap(), old);
            fs::remove_file(root.join("ledger")).unwrap();
        }
    }
    // A repair does not know what the lengths measure.
    let repaired = run_in(root, ["repair", "--on-error", "fallback=windows-1252", "a.sql"]);
    assert_eq!(status(&repaired), 1, "{}", messages(&repaired));
}

#[test]
fn lengths_in_bytes_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    // No semicolon follows, so this may not be a string of PHP.
    let php = &b"s:1:\"\xE9\", and so on\n"[..];
    let marc = b"00046nam  2200037   4500245000800000\x1E  \x1FaBesan\xE7on\x1E\x1D";
    for (name, bytes, words, in_place) in [
        ("a.txt", php, "s:1 at byte 0", 2),
        ("a.mrc", marc, "lengths in its leader and directory", 2),
        (
            "sepa.txt",
            b"03VALL\xC8S PUJOL 1\r\n03MU\xD1OZ IBANEZ 2\r\n03PEREZ GIL AN 3\r\n",
            "lines of 16 bytes each",
            0,
        ),
    ] {
        fs::write(root.join(name), bytes).unwrap();
        let output = run_in(root, ["convert", "--from", "windows-1252", name, "-o", "out"]);
        assert_eq!(status(&output), i32::from(in_place > 0), "{name}: {}", messages(&output));
        assert!(messages(&output).contains(words), "{}", messages(&output));
        let output = run_in(root, ["convert", "--from", "windows-1252", "--in-place", name]);
        assert_eq!(status(&output), in_place, "{name}: {}", messages(&output));
        assert!(messages(&output).contains(words), "{}", messages(&output));
        // A single-byte encoding preserves them.
        fs::write(root.join(name), bytes).unwrap();
        let output = run_in(root, ["convert", "--from", "windows-1252", "--to", "iso-8859-15", "--in-place", name]);
        assert!(!messages(&output).contains(words), "{}", messages(&output));
    }
}
