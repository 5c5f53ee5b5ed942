//! Tests that nothing which `utf8` writes in place loses text that another command keeps.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, run_with, status, text};

const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n";

/// Returns Russian text in windows-1251.
fn windows_1251() -> Vec<u8> {
    let byte = |c: char| match u32::from(c) {
        code @ ..0x80 => code as u8,
        code @ 0x410..=0x44F => (code - 0x410 + 0xC0) as u8,
        _ => 0xB8,
    };
    RUSSIAN.repeat(4).chars().map(byte).collect()
}

/// `caf\xC3 \n`, compressed.
const GZIPPED: &[u8] =
    b"\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x4E\x4C\x3B\xAC\xC0\x05\0\xD0\xCF\x05\x63\x06\0\0\0";

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}

/// Files in other encodings, each with the encoding that keeps its text.
fn others() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let wide = "Plain text with a few näive words in it.\n".repeat(3);
    vec![
        ("legacy.txt", windows_1251(), "windows-1251"),
        ("marked.txt", [b"\xFF\xFE".to_vec(), utf16le(&wide)].concat(), "utf-16"),
        ("wide.txt", utf16le(&wide), "utf-16le"),
        ("wide32.txt", wide.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(), "utf-32be"),
        ("cesu.txt", b"text \xED\xA0\xBD\xED\xB8\x80 and more \xED\xA0\xBD\xED\xB8\x80\n".to_vec(), "cesu-8"),
    ]
}

#[test]
fn repair_in_place_skips_other_encodings_and_names_the_right_command() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, _) in others() {
        fs::write(root.join(name), bytes).unwrap();
    }
    fs::write(root.join("broken.txt"), b"na\xC3\xAFve \xFF and \xC3\xA9\xC3\xA9 so on\n").unwrap();
    fs::write(root.join("binary"), b"\x7FELF\0\xFF").unwrap();
    for policy in ["replace", "remove", "same-length", "replace-run"] {
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "."]);
        assert_eq!(status(&output), 2, "{}", messages(&output));
        for (name, bytes, from) in others() {
            assert_eq!(read(root, name), bytes, "{policy} {name}");
            let wanted = format!(
                "{name}: skipped, as it looks like {from}, and its text would be lost; try utf8 convert --in-place \
                 --from {from} {name}, or --force"
            );
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
        assert!(messages(&output).contains("5 other_encoding) of 7 files"), "{}", messages(&output));
        assert!(!messages(&output).contains("binary: skipped"), "only with --verbose");
    }
    assert_eq!(read(root, "broken.txt"), "naïve \u{FFFD} and éé so on\n".as_bytes());
    let verbose = run_in(root, ["repair", "--in-place", "-v", "."]);
    assert!(messages(&verbose).contains("binary: skipped, as it is binary"), "{}", messages(&verbose));
    // The named command keeps all text.
    for (name, bytes, from) in others() {
        let output = run_in(root, ["convert", "--in-place", "--from", from, name]);
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert!(!String::from_utf8(read(root, name)).unwrap().contains('\u{FFFD}'), "{name}");
        fs::write(root.join(name), bytes).unwrap();
    }
    // A reversible policy keeps it, too, and --force is an order.
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "escape", "legacy.txt"])), 0);
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", "unescape", "legacy.txt"])), 0);
    assert_eq!(read(root, "legacy.txt"), windows_1251());
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--force", "."])), 0);
    assert!(String::from_utf8(read(root, "legacy.txt")).unwrap().contains('\u{FFFD}'));
}

/// The bytes of ASCII in UTF-16 are well-formed UTF-8, too.
#[test]
fn a_check_of_a_folder_names_the_command_for_utf16_in_ascii() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("wide.txt"), utf16le("Plain text without any other words in it.\n")).unwrap();
    fs::write(root.join("plain.txt"), "Plain text.\n").unwrap();
    let output = run_in(root, ["check", "."]);
    let told = text(&output);
    assert!(told.contains("wide.txt: looks like utf-16le") && told.contains("--from utf-16le"), "{told}");
    assert!(!told.contains("plain.txt"), "{told}");
}

#[test]
fn repair_into_an_output_does_as_told_and_warns() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, from) in others() {
        fs::write(root.join(name), &bytes).unwrap();
        let warning = format!(
            "looks like {from}, and this repair replaces its text; utf8 convert --from {from} keeps it"
        );
        let file = run_in(root, ["repair", name, "-o", "out"]);
        let pipe = run_with(&bytes, ["repair"]);
        for output in [&file, &pipe] {
            assert_eq!(status(output), 0, "{}", messages(output));
            assert!(messages(output).contains(&warning), "{warning}\n{}", messages(output));
        }
        assert_eq!(read(root, "out"), pipe.stdout);
    }
    // So is what a check advises to convert although its encoding is only possible.
    let possible = b"ab\xE9\xF5\xE1cd ef\xF5gh\n";
    fs::write(root.join("possible"), possible).unwrap();
    assert!(
        text(&run_in(root, ["check", "possible"])).contains("try utf8 convert --from windows-1250 possible")
    );
    let output = run_in(root, ["repair", "--in-place", "possible"]);
    assert_eq!((status(&output), read(root, "possible")), (2, possible.to_vec()), "{}", messages(&output));
    assert!(messages(&output).contains("convert --in-place --from windows-1250"), "{}", messages(&output));
    // Text of East Asia has few letters of ASCII, or none.
    let chinese = b"\xBB\xF0\xD0l\xB6\xFE(\xCC\xD8\xD5\xF7)\xA1\xA4[\xBB\xF0\xCE\xC0]\n";
    fs::write(root.join("chinese"), chinese).unwrap();
    let output = run_in(root, ["repair", "--in-place", "chinese"]);
    assert_eq!((status(&output), read(root, "chinese")), (2, chinese.to_vec()), "{}", messages(&output));
    assert!(messages(&output).contains("convert --in-place --from gb18030"), "{}", messages(&output));
    // So is a name in a text.
    let name = b"/* Copyright by the authors, of whom Mr. M\xFCller is the first, and others follow. */\n";
    fs::write(root.join("name"), name).unwrap();
    let output = run_in(root, ["repair", "--in-place", "name"]);
    assert_eq!((status(&output), read(root, "name")), (2, name.to_vec()), "{}", messages(&output));
    let broken = run_with("naïve \u{1F600} text \u{E9}\n".as_bytes(), ["repair"]);
    assert_eq!(messages(&broken), "");
}

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
        // What the ledger says is done is no matter for anybody.
        assert_eq!(status(&again), if ledger.is_empty() { 2 } else { 0 }, "{}", messages(&again));
        assert_eq!(read(root, "a.txt"), once);
        if ledger.is_empty() {
            let wanted = "a.txt: skipped, as it is UTF-8 already, and a conversion from windows-1251 would encode it \
                twice; --force converts it";
            assert!(messages(&again).contains(wanted), "{}", messages(&again));
        }
        let verbose = run(&["-v", "a.txt"]);
        assert!(messages(&verbose).contains("a.txt: skipped"), "{}", messages(&verbose));
        // ASCII is text of that encoding.
        assert_eq!(status(&run(&["--line-ends", "lf", "ascii.txt"])), 0);
        assert_eq!(read(root, "ascii.txt"), b"ascii\n");
    }
    // A file that was changed since is not what the ledger is about.
    fs::write(root.join("a.txt"), [&once[..], b"more \xE9\n"].concat()).unwrap();
    let changed = run_in(root, convert.iter().chain(&["--ledger", "ledger", "a.txt"]));
    let advised = "try utf8 repair --policy fallback=windows-1251 --per-line --in-place a.txt";
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
        assert_eq!(
            (status(&output), read(root, "file")),
            (2, bytes.to_vec()),
            "{from}: {}",
            messages(&output)
        );
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
        for more in [&[][..], &["--invalid", "replace"], &["--dry-run"]] {
            let again = ["convert", "--in-place", "--to", to, "file"];
            let again = run_in(root, again.iter().chain(more));
            assert_eq!((status(&again), read(root, "file")), (2, once.clone()), "{to}: {}", messages(&again));
            assert!(messages(&again).contains("already, and would be encoded twice"), "{}", messages(&again));
        }
        let forced = ["convert", "--in-place", "--force", "--invalid", "escape", "--to", to, "file"];
        assert_eq!(status(&run_in(root, forced)), 0, "{to}");
        assert_ne!(read(root, "file"), once, "{to}");
    }
    // Its escapes cannot be encoded again, but can be replaced.
    fs::write(root.join("file"), "한국어 and more\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", "iso-2022-kr", "file"])), 0);
    let once = read(root, "file");
    for (invalid, wanted) in [("strict", 1), ("replace", 2)] {
        let again = ["convert", "--in-place", "--to", "iso-2022-kr", "--invalid", invalid, "file"];
        assert_eq!((status(&run_in(root, again)), read(root, "file")), (wanted, once.clone()), "{invalid}");
    }
    // ASCII is text of these encodings, but says nothing in them.
    fs::write(root.join("file"), "a + b ~ c\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--to", "hz", "file"])), 0);
    assert_eq!(read(root, "file"), b"a + b ~~ c\n");
}

#[test]
fn a_conversion_does_not_replace_text_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (name, bytes, right) in others().into_iter().chain([(
        "latin1.txt",
        b"h\xE9llo w\xF6rld, d\xE9j\xE0 vu\n".to_vec(),
        "windows-1252",
    )]) {
        fs::write(root.join(name), &bytes).unwrap();
        for invalid in ["replace", "remove"] {
            let output =
                run_in(root, ["convert", "--in-place", "--to", "latin1", "--invalid", invalid, name]);
            assert_eq!((status(&output), read(root, name)), (2, bytes.clone()), "{}", messages(&output));
            let wanted = format!("try utf8 convert --in-place --from {right} {name}, or --force");
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
    }
    // Damage, and what the target lacks, are replaced as asked.
    fs::write(root.join("file"), b"na\xC3\xAFve \xE2\x80 \xE2\x82\xAC\n").unwrap();
    let output = run_in(root, ["convert", "--in-place", "--to", "latin1", "--invalid", "replace", "file"]);
    assert_eq!(
        (status(&output), &read(root, "file")[..]),
        (0, &b"na\xEFve ? ?\n"[..]),
        "{}",
        messages(&output)
    );
    // So are errors in an encoding that was named, unless another one is likely.
    fs::write(root.join("file"), b"\xC8\xD5\xB1\xBE\xD3\xEF ok \xFF\n").unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "gbk", "--invalid", "replace", "file"]);
    assert_eq!(
        (status(&output), read(root, "file")),
        (0, "日本语 ok \u{FFFD}\n".into()),
        "{}",
        messages(&output)
    );
    fs::write(root.join("file"), windows_1251()).unwrap();
    let output = run_in(root, ["convert", "--in-place", "--from", "ascii", "--invalid", "replace", "file"]);
    assert_eq!((status(&output), read(root, "file")), (2, windows_1251()), "{}", messages(&output));
}

#[test]
fn ledgers_and_reports_take_the_place_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("bad"), b"It\xE2\x80s bad\n").unwrap();
    for (name, content) in
        [("notes", &b"my notes\n"[..]), ("bad", b"It\xE2\x80s bad\n"), ("data.json", b"{\"type\":1}\n")]
    {
        fs::write(root.join(name), content).unwrap();
        for args in [
            &["repair", "--in-place", "--ledger", name, "bad"][..],
            &["convert", "--in-place", "--to", "utf-16", "--ledger", name, "bad"],
            &["edit", "bad", "--old", "bad", "--new", "good", "--ledger", name],
            &["repair", "-o", "out", "--ledger", name, "bad"],
        ] {
            let output = run_in(root, args);
            assert_eq!((status(&output), read(root, name)), (2, content.to_vec()), "{args:?}");
            assert!(messages(&output).contains("not a ledger"), "{args:?}: {}", messages(&output));
        }
        let output = run_in(root, ["check", "--report", name, "bad"]);
        assert_eq!((status(&output), read(root, name)), (2, content.to_vec()), "{name}");
        assert!(messages(&output).contains("not an HTML page"), "{}", messages(&output));
    }
    assert_eq!(read(root, "bad"), b"It\xE2\x80s bad\n");
    // An older report is replaced, and what a killed run began of a ledger is gone on with.
    for _ in 0..2 {
        assert_eq!(status(&run_in(root, ["check", "--report", "page.html", "bad"])), 1);
    }
    fs::write(root.join("ledger"), b"{\"ty").unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "--ledger", "ledger", "bad"])), 0);
    assert_eq!(status(&run_in(root, ["repair", "--undo", "ledger"])), 0);
    assert_eq!(read(root, "bad"), b"It\xE2\x80s bad\n");
}

#[test]
fn an_output_over_its_own_input_is_a_change_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let once = RUSSIAN.repeat(4).into_bytes();
    let doubly = ["convert", "--from", "windows-1251", "file", "-o", "./file"];
    for (bytes, args, wanted) in [
        (windows_1251(), &["repair", "file", "-o", "file"][..], None),
        (windows_1251(), &["repair", "file", "--output", "./file"], None),
        (windows_1251(), &doubly, Some(once.clone())),
        (once.clone(), &doubly, None),
        (utf16le("text\n"), &["convert", "--to", "utf-16le", "file", "-o", "file"], None),
        (b"caf\xC3 \n".to_vec(), &["repair", "file", "-o", "file"], Some("caf\u{FFFD} \n".into())),
    ] {
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, args);
        let status_wanted = if wanted.is_some() { 0 } else { 2 };
        let wanted = wanted.unwrap_or(bytes);
        assert_eq!((status(&output), read(root, "file")), (status_wanted, wanted), "{}", messages(&output));
    }
    // A compressed file would be replaced by its text.
    fs::write(root.join("file"), GZIPPED).unwrap();
    let output = run_in(root, ["repair", "file", "-o", "file"]);
    assert_eq!((status(&output), read(root, "file")), (2, GZIPPED.to_vec()), "{}", messages(&output));
}

#[test]
fn a_repair_in_a_wrong_encoding_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let utf8 = "hello wörld, this is UTF-8 \u{1F600}\n".as_bytes();
    let mut all = 0;
    for (bytes, right, wrong) in [
        (utf8, "utf-8", &["utf-16le", "utf-16be", "utf-16", "utf-32le", "utf-32", "cesu-8", "mutf-8"][..]),
        (b"just ASCII, an odd number of bytes\n", "utf-8", &["utf-16be", "utf-32le"]),
        (&utf16le("hello\n"), "utf-16le", &["utf-32le", "utf-32be", "mutf-8"]),
        (&windows_1251()[1..], "windows-1251", &["utf-16le", "utf-32be", "cesu-8"]),
    ] {
        for encoding in wrong {
            fs::write(root.join("file"), bytes).unwrap();
            let output = run_in(root, ["repair", "--in-place", "--encoding", encoding, "file"]);
            assert_eq!((status(&output), &read(root, "file")[..]), (2, bytes), "{}", messages(&output));
            let wanted = format!("it looks like {right}, and its text would be lost");
            assert!(messages(&output).contains(&wanted), "{encoding}: {}", messages(&output));
            assert!(!messages(&output).contains("--from utf-8"), "{}", messages(&output));
            all += 1;
        }
    }
    assert_eq!(all, 15);
    // These are damaged.
    for (encoding, bytes, repaired) in [
        ("utf-16le", &b"h\0e\0l"[..], &b"h\0e\0\xFD\xFF"[..]),
        ("utf-16le", b"\0\xD8h\0\n\0", b"\xFD\xFFh\0\n\0"),
        ("utf-32be", b"\0\0\0h\0\xFF\0\0", b"\0\0\0h\0\0\xFF\xFD"),
        (
            "cesu-8",
            b"\xED\xA0\xBD\xED\xB8\x80 \xC3\xA9 \xC0\n",
            b"\xED\xA0\xBD\xED\xB8\x80 \xC3\xA9 \xEF\xBF\xBD\n",
        ),
    ] {
        fs::write(root.join("file"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--encoding", encoding, "file"]);
        assert_eq!((status(&output), &read(root, "file")[..]), (0, repaired), "{}", messages(&output));
    }
}

#[test]
fn utf16_and_utf32_are_not_read_as_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let wide = |unit: fn(char) -> [u8; 4], unused: usize| -> Vec<u8> {
        "héllo\n".chars().flat_map(|c| unit(c)[..4 - unused].to_vec()).collect()
    };
    let utf32le = wide(|c| u32::from(c).to_le_bytes(), 0);
    for (bytes, from, right) in [
        (utf32le.clone(), "utf-16le", "utf-32le"),
        (utf32le.clone(), "utf-32be", "utf-32le"),
        (utf16le("héllo\n"), "utf-16be", "utf-16le"),
        (utf16le("héllo\n"), "utf-32le", "utf-16le"),
        (windows_1251(), "utf-16le", "windows-1251"),
    ] {
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "file"]);
        assert_eq!((status(&output), read(root, "file")), (2, bytes), "{from}: {}", messages(&output));
        let wanted = format!("try utf8 convert --in-place --from {right} file, or --force");
        assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
    }
    // These are what they are said to be.
    for (bytes, from, text) in [
        (utf32le, "utf-32", "héllo\n"),
        (utf16le("héllo\n"), "wtf-16le", "héllo\n"),
        (utf16le("漢字です。日本語"), "utf-16le", "漢字です。日本語"),
    ] {
        fs::write(root.join("file"), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "file"]);
        assert_eq!((status(&output), read(root, "file")), (0, text.into()), "{from}: {}", messages(&output));
    }
}

#[test]
fn a_plan_is_not_carried_out_on_other_content() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"Gr\xFC\xDFe\n").unwrap();
    let plan = run_in(
        root,
        ["convert", "--in-place", "--from", "windows-1252", "--dry-run", "--format", "jsonl", "file"],
    );
    fs::write(root.join("plan"), &plan.stdout).unwrap();
    fs::write(root.join("file"), b"Gr\xFD\xDFe\n").unwrap();
    let refused = run_in(root, ["convert", "--in-place", "--plan", "plan"]);
    assert_eq!(status(&refused), 2);
    assert!(messages(&refused).contains("it has changed since the plan was made"), "{}", messages(&refused));
    assert_eq!(read(root, "file"), b"Gr\xFD\xDFe\n");
    fs::write(root.join("file"), b"Gr\xFC\xDFe\n").unwrap();
    assert_eq!(status(&run_in(root, ["convert", "--in-place", "--plan", "plan"])), 0);
    assert_eq!(read(root, "file"), "Grüße\n".as_bytes());
}

#[test]
fn a_backup_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let repair = ["repair", "--in-place=.bak", "file"];
    fs::write(root.join("file"), b"1\xFF").unwrap();
    assert_eq!(status(&run_in(root, repair)), 0);
    fs::write(root.join("file"), b"2\xFF").unwrap();
    let again = run_in(root, repair);
    assert_eq!(status(&again), 2);
    assert!(messages(&again).contains("file.bak already; move it"), "{}", messages(&again));
    assert_eq!((read(root, "file"), read(root, "file.bak")), (b"2\xFF".to_vec(), b"1\xFF".to_vec()));
    // A backup with the same content is one.
    fs::write(root.join("file"), b"1\xFF").unwrap();
    assert_eq!(status(&run_in(root, repair)), 0);
    assert_eq!(read(root, "file.bak"), b"1\xFF");
}

#[test]
fn what_a_killed_run_left_behind_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for command in
        [&["repair", "--in-place", "file"][..], &["convert", "--in-place", "--from", "latin1", "file"]]
    {
        fs::write(root.join("file"), b"clean").unwrap();
        fs::write(root.join(".utf8-unfinished-abcdef"), b"old content").unwrap();
        assert_eq!(status(&run_in(root, command)), 0);
        assert!(!root.join(".utf8-unfinished-abcdef").exists(), "{command:?}");
    }
    // One that is in use is left.
    let used = fs::File::create(root.join(".utf8-unfinished-abcdef")).unwrap();
    if used.try_lock().is_ok() {
        assert_eq!(status(&run_in(root, ["repair", "--in-place", "file"])), 0);
        assert!(root.join(".utf8-unfinished-abcdef").exists());
    }
}

#[test]
fn what_is_skipped_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("vendor")).unwrap();
    for (name, bytes) in [
        ("vendor/a.c", &b"a\xFF\n"[..]),
        ("binary", b"\0\xFF"),
        ("a.dat", b"\xFF"),
        ("b.dat", b"\xFF"),
        ("good", b"good"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    fs::write(root.join("utf8.toml"), "exclude = [\"vendor/\"]\n").unwrap();
    fs::write(root.join(".gitattributes"), "* -text\n*.dat binary\nb.dat -text\n").unwrap();
    let all = run_in(root, ["check", "."]);
    assert_eq!(status(&all), 0, "{}", text(&all));
    assert!(text(&all).contains("2 files checked, none ill-formed"), "{}", text(&all));
    assert!(text(&all).ends_with("skipped 4 (3 binary, 1 excluded)\n"), "{}", text(&all));
    let verbose = run_in(root, ["check", "-v", "--format", "jsonl", "."]);
    let summary = text(&verbose).lines().last().unwrap().to_owned();
    assert!(summary.ends_with(r#""skipped":{"binary":3,"excluded":1}}"#), "{summary}");
    for wanted in ["a.dat: skipped, as it is binary", "vendor/a.c: skipped, as the configuration excludes it"]
    {
        assert!(messages(&verbose).replace('\\', "/").contains(wanted), "{}", messages(&verbose));
    }
    for command in ["stats", "detect"] {
        let brief = run_in(root, [command, "."]);
        assert_eq!(status(&brief), 0, "{}", messages(&brief));
        assert_eq!(messages(&brief), "utf8: skipped 4 (3 binary, 1 excluded) of 6 files\n", "{command}");
        let verbose = run_in(root, [command, "-v", "."]);
        assert!(messages(&verbose).contains("b.dat: skipped, as it is binary"), "{}", messages(&verbose));
    }
    let total = text(&run_in(root, ["stats", "--format", "jsonl", "."]));
    assert!(total.trim_end().ends_with(r#""skipped":{"binary":3,"excluded":1}}"#), "{total}");
    // What is named is checked, and so is what it contains.
    for named in ["vendor", "vendor/a.c", "./vendor", "a.dat"] {
        assert_eq!(status(&run_in(root, ["check", named])), 1, "{named}");
    }
    assert_eq!(status(&run_in(&root.join("vendor"), ["check", "."])), 1);
    assert_eq!(status(&run_in(root, ["check", "--binary", "."])), 1);
}

#[test]
fn files_in_a_configured_legacy_encoding_are_checked_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("utf8.toml"), "[[files]]\npaths = \"*.sjis\"\nencoding = \"shift_jis\"\n").unwrap();
    fs::write(root.join("good.sjis"), b"\x93\xFA\x96\x7B\n").unwrap();
    let good = run_in(root, ["check", "."]);
    assert_eq!(status(&good), 0, "{}", text(&good));
    assert!(text(&good).contains("2 files checked"), "{}", text(&good));
    fs::write(root.join("bad.sjis"), b"ok\n\x93\xFA\x80\xA0\xFF\n").unwrap();
    for path in [".", "bad.sjis"] {
        let bad = run_in(root, ["check", "--format", "short", path]);
        assert_eq!(status(&bad), 1, "{}", text(&bad));
        assert!(text(&bad).starts_with("bad.sjis:2:3: "), "{}", text(&bad));
    }
}

#[test]
fn a_bad_glob_in_the_configuration_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("file"), b"good").unwrap();
    for glob in ["[a", "a{b", "[z-a]"] {
        for config in
            [format!("exclude = [\"{glob}\"]"), format!("[[files]]\npaths = \"{glob}\"\nbom = \"allow\"")]
        {
            fs::write(root.join("utf8.toml"), config).unwrap();
            let output = run_in(root, ["check", "."]);
            assert_eq!(status(&output), 2, "{glob}: {}", text(&output));
            assert!(messages(&output).contains("utf8.toml"), "{}", messages(&output));
        }
    }
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
    let row =
        |name| text(&dry).lines().find(|line| line.contains(name)).map(str::to_owned).unwrap_or_default();
    assert!(
        row("mixed.txt").starts_with("skip") && row("legacy.txt").starts_with("convert"),
        "{}",
        text(&dry)
    );

    let output = run_in(root, [&convert[..], &["."]].concat());
    let advice = "utf8 repair --policy fallback=windows-1251 --per-line --in-place ";
    assert_eq!(status(&output), 2, "{}", messages(&output));
    assert!(messages(&output).contains(&format!("{advice}mixed.txt")), "{}", messages(&output));
    assert!(messages(&output).contains("1 mixed"), "{}", messages(&output));
    assert!(read(root, "mixed.txt") == mixed && read(root, "legacy.txt") == RUSSIAN.repeat(4).as_bytes());
    // A repair that would replace the text of the other lines advises the same.
    let output = run_in(root, ["repair", "--in-place", "mixed.txt"]);
    assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
    assert!(messages(&output).contains(advice), "{}", messages(&output));

    let advised = ["repair", "--policy", "fallback=windows-1251", "--per-line", "--in-place", "mixed.txt"];
    assert_eq!(status(&run_in(root, advised)), 0);
    assert_eq!(String::from_utf8(read(root, "mixed.txt")).unwrap(), good);
    fs::write(root.join("mixed.txt"), &mixed).unwrap();
    assert_eq!(status(&run_in(root, [&convert[..], &["--force", "mixed.txt"]].concat())), 0);
    assert_ne!(read(root, "mixed.txt"), good.as_bytes());
}

#[test]
fn wide_text_is_not_converted_from_an_encoding_of_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let all: Vec<_> = others().into_iter().filter(|(_, _, from)| from.starts_with("utf")).collect();
    assert_eq!(all.len(), 3);
    for (name, bytes, _) in &all {
        fs::write(root.join(name), bytes).unwrap();
    }
    for from in ["windows-1252", "shift_jis", "latin1", "cp437"] {
        let output = run_in(root, ["convert", "--in-place", "--from", from, "."]);
        assert_eq!(status(&output), 2, "{}", messages(&output));
        for (name, bytes, right) in &all {
            assert_eq!(read(root, name), *bytes, "{from} {name}");
            let wanted = format!("try utf8 convert --in-place --from {right} {name}, or --force");
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
    }
}

#[test]
fn a_repair_does_not_replace_lines_in_another_encoding() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let legacy = &windows_1251()[..RUSSIAN.chars().count()];
    let mixed = [RUSSIAN.repeat(20).as_bytes(), legacy, RUSSIAN.as_bytes(), legacy].concat();
    let advice = "utf8 repair --policy fallback=windows-1251 --per-line";
    for policy in ["replace", "remove"] {
        fs::write(root.join("mixed.txt"), &mixed).unwrap();
        let output = run_in(root, ["repair", "--in-place", "--policy", policy, "mixed.txt"]);
        assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
        let wanted = format!("try {advice} --in-place mixed.txt");
        assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        for output in [run_in(root, ["repair", "mixed.txt", "-o", "out"]), run_with(&mixed, ["repair"])] {
            assert_eq!(status(&output), 0, "{}", messages(&output));
            let wanted = format!("this repair replaces their text; {advice} keeps it");
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
        assert_eq!(status(&run_in(root, ["repair", "--in-place", "--force", "mixed.txt"])), 0);
        assert!(String::from_utf8(read(root, "mixed.txt")).unwrap().contains('\u{FFFD}'));
    }
    // Nor where it is not certain which lines are in the other: the last one reads as UTF-8, too.
    let lines = "这是一段简体中文，每一行的长度都不同\n所以无论哪一行都应该可以阅读\n".repeat(4);
    let gb18030 = run_with(lines.as_bytes(), ["convert", "--to", "gb18030"]).stdout;
    let unsure = [lines.as_bytes(), &gb18030, b"\xCB\xAE\n"].concat();
    fs::write(root.join("unsure.txt"), &unsure).unwrap();
    let output = run_in(root, ["repair", "--in-place", "unsure.txt"]);
    assert_eq!((status(&output), read(root, "unsure.txt") == unsure), (2, true), "{}", messages(&output));
    // Damaged UTF-8 is not another encoding.
    let damaged = [RUSSIAN.repeat(20).as_bytes(), b"caf\xE2\x80 \xFF\n", &RUSSIAN.as_bytes()[1..]].concat();
    fs::write(root.join("damaged.txt"), damaged).unwrap();
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "damaged.txt"])), 0);
}

/// Short files in another encoding: few bytes tell which, but replaced, their text is lost.
#[test]
fn a_repair_leaves_what_reads_as_text_however_short() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [(&[u8], &str); 10] = [
        (b"caf\xE9\n", "windows-1252"),
        (b"It\x92s a test\n", "windows-1252"),
        (b"Copyright \xA9 2004 Example Ltd.\n", "windows-1252"),
        (b"Price: \xA312\n", "windows-1252"),
        (b"Stra\xE1e,Hausnummer\nM\x81hlenweg,3\n", "CP850"),
        (b"wir sch\x84tzen das Alter\n", "CP850"),
        (b"Gr\x9A\xA7e: 12 MB\n", "macintosh"),
        (b"\xF9\xEC\xE5\xED\n", "windows-1255"),
        // Characters in two bytes of which some are sequences of UTF-8 by chance.
        (b"\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7\xA1\xA3\n", "gb18030"),
        // Persian words are joined by a character without a width.
        (b"\xC8\xD2\xD1\x90\x9D\x98\xD1\xCF\xE4\n", "windows-1256"),
    ];
    for (bytes, from) in cases {
        fs::write(root.join("short"), bytes).unwrap();
        for policy in ["replace", "remove", "same-length"] {
            let output = run_in(root, ["repair", "--in-place", "--policy", policy, "short"]);
            assert_eq!((status(&output), read(root, "short")), (2, bytes.to_vec()), "{}", messages(&output));
            let command = format!("try utf8 convert --in-place --from {from} short, or --force");
            assert!(messages(&output).contains(&command), "{command}\n{}", messages(&output));
        }
        // What a policy keeps can be restored.
        for policy in ["escape", "unescape"] {
            assert_eq!(status(&run_in(root, ["repair", "--in-place", "--policy", policy, "short"])), 0);
        }
        assert_eq!(read(root, "short"), bytes);
        let forced = run_in(root, ["repair", "--in-place", "--force", "short"]);
        assert_eq!(status(&forced), 0, "{}", messages(&forced));
        assert!(String::from_utf8(read(root, "short")).unwrap().contains('\u{FFFD}'));
    }
}

/// Damaged UTF-8 is repaired as told: no encoding reads it as text, and no conversion keeps it.
#[test]
fn a_repair_of_damaged_utf8_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [&[u8]; 12] = [
        b"It\xE2\x80s a test\n",
        b"It\xE2\x80",
        b"Copyright \xC2",
        b"roten B\xC3",
        b"a \xFF b\n",
        b"path/\xC0\xAFetc\n",
        b"Temperature: 21\xC0\xAF\xC2\xB0C\n",
        b"A reuni\xC3\xA3o \xED\xA0\x80\xC3\xA0s 10.\n",
        b"Stra\xC3\x9Fe\nHauptstra\xC3e\nM\xC3\xBChlenweg\n",
        b"\xE5\xA7\x93\xE5\x90",
        b"t\xA9 \xC3\xA9t\xC3\xA9\n",
        b"Die Oberfl\xA4che: schw\xC3\xA4chen, fl\xC3\xA4chig\n",
    ];
    for bytes in cases {
        fs::write(root.join("damaged"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "damaged"]);
        assert_eq!(status(&output), 0, "{}: {}", bytes.escape_ascii(), messages(&output));
        assert!(String::from_utf8(read(root, "damaged")).is_ok_and(|text| text.contains('\u{FFFD}')));
    }
}

/// A word or a sign in another encoding within lines of UTF-8, in the language that these are in.
#[test]
fn a_repair_leaves_words_in_another_encoding_within_lines_of_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let polish = "Wszyscy ludzie rodz\u{105} si\u{119} wolni, zgodnie z artyku\u{142}em, bez wyj\u{105}tku: ";
    let czech = "V\u{161}ichni lid\u{e9} rod\u{ed} se svobodn\u{ed}, \u{10c}l\u{e1}nek prvn\u{ed}: ";
    let german = "Alle Menschen sind frei, gem\u{e4}\u{df} Artikel drei, f\u{fc}r immer: ";
    let french = "Tous les \u{ea}tres humains naissent libres et \u{e9}gaux, r\u{e9}unis: ";
    let russian = "\u{412}\u{441}\u{435} \u{43b}\u{44e}\u{434}\u{438} \
        \u{440}\u{43e}\u{436}\u{434}\u{430}\u{44e}\u{442}\u{441}\u{44f} ";
    let cases: [(&str, &[u8], &str, &str); 7] = [
        (polish, b"artyku\xB3", "windows-1250", "artyku\u{142}"),
        (czech, b"\xC8l\xE1nek", "windows-1250", "\u{10c}l\u{e1}nek"),
        (german, b"gleicherma\xDFen", "windows-1252", "gleicherma\u{df}en"),
        (german, b"ein \x93Zitat\x94", "windows-1252", "ein \u{201c}Zitat\u{201d}"),
        (german, b"25 \xB0C", "windows-1252", "25 \u{b0}C"),
        (french, b"r\x82union", "CP850", "r\u{e9}union"),
        (russian, b"\xE2\xEE\xE4\xE0", "windows-1251", "\u{432}\u{43e}\u{434}\u{430}"),
    ];
    for (line, word, from, meant) in cases {
        let bytes = [line.as_bytes(), word, b"\n"].concat();
        fs::write(root.join("within"), &bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "within"]);
        assert_eq!((status(&output), read(root, "within") == bytes), (2, true), "{}", messages(&output));
        let command = format!("repair --policy fallback={from} --in-place within");
        assert!(messages(&output).contains(&command), "{command}\n{}", messages(&output));
        let output = run_in(root, command.split(' '));
        assert_eq!(status(&output), 0, "{}", messages(&output));
        assert_eq!(String::from_utf8(read(root, "within")).unwrap(), format!("{line}{meant}\n"));
    }
}

/// Single bytes may be letters in another encoding, but hardly so in a text with as much certain damage, or in a word
/// that occurs without them.
#[test]
fn a_repair_takes_single_bytes_for_damage_beside_more_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [&[u8]; 2] = [
        b"Le tr\xC3\xA9sor d\xC3\xA9j\xC3\xA0 \xC3\xA9puis\xC3\xA9\nif (a \xA5< b) {\na \xF8\x88\x80\x80\x80 started\n",
        b"plain;\xC3\xA9t\xC3\xA9\np\xE9lain;\xC3\xA0\n",
    ];
    for bytes in cases {
        fs::write(root.join("damaged"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "damaged"]);
        let after = read(root, "damaged");
        assert_eq!((status(&output), after != bytes), (0, true), "{:?}: {}", bytes, messages(&output));
    }
}

/// A few bytes of a letter each in a table of another alphabet are UTF-8 by chance, as letters of a third.
#[test]
fn a_line_that_is_utf8_by_chance_does_not_hide_the_encoding_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let persian = ["\u{648}\u{698}\u{6af}", "\u{627}\u{633}\u{645}", "\u{645}\u{648}\u{636}\u{648}\u{639}"];
    let korean = ["\u{d0a4}", "\u{c785}\u{b825}\u{d558}\u{c5ec}\u{c57c}", "\u{bc88}\u{d638}\u{b3c4}"];
    for (encoding, words) in [("windows-1256", persian), ("EUC-KR", korean)] {
        // The first of the words once, the others often.
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

/// Letters are usual in a language that is written in the encoding, and the ASCII words tell which.
#[test]
fn few_letters_are_read_in_the_language_of_the_words_around_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let cases: [(&[u8], &str); 5] = [
        (b"# milj\x94 f\x94r betning\n", "milj\u{f6} f\u{f6}r"),
        (
            b"Tiu \xE6i kampo ne povas esti malplena, la valoro estas a\xFD Vera a\xFD Malvera.\n",
            "Tiu \u{109}i",
        ),
        (b"0;p\xA0gina;63.24\n", "p\u{e1}gina"),
        (b"the years 1990\xD01995, and it was \xD0 so to say \xD0 fine\n", "1990\u{2013}1995"),
        (
            b"Salasanasi on asetettu, ja se on p\xE4\xE4k\xE4ytt\xE4j\xE4n: \xA8akki ja \xB8urnaali\n",
            "\u{161}akki",
        ),
    ];
    for (bytes, meant) in cases {
        fs::write(root.join("few"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "few"]);
        let told = messages(&output);
        let command =
            told.split("try utf8 ").nth(1).and_then(|rest| rest.split([',', '\n']).next()).expect(&told);
        assert_eq!(status(&run_in(root, command.split(' '))), 0, "{command}");
        let text = String::from_utf8(read(root, "few")).unwrap();
        assert!(text.contains(meant), "{text} {command}");
    }
}

/// One line of another encoding among many of UTF-8: its commas after letters are sequences of UTF-8 by chance.
#[test]
fn a_repair_leaves_a_legacy_line_whose_sequences_are_chance() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let line = "وقد كان ذلك في السنة الماضية، ثم جاءت الأخبار من كل مكان، ولم يبق شيء\n";
    let legacy = run_with(line.as_bytes(), ["convert", "--to", "windows-1256"]).stdout;
    let bytes = [line.repeat(12).as_bytes(), &legacy, line.as_bytes()].concat();
    fs::write(root.join("lines"), &bytes).unwrap();
    let output = run_in(root, ["repair", "--in-place", "lines"]);
    assert_eq!((status(&output), read(root, "lines") == bytes), (2, true), "{}", messages(&output));
}

/// Armenian in an encoding that no table has, between lines of UTF-8: nothing names it, and nothing replaces it.
#[test]
fn a_repair_leaves_words_in_an_encoding_that_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = "Որոնման առաջարկների ցուցադրում\nհասցեների տողի արդյունքները\nև այլն\n";
    let in_armscii = |c: char| match u32::from(c) {
        capital @ 0x531..=0x556 => 0xB2 + 2 * (capital - 0x531) as u8,
        small @ 0x561..=0x586 => 0xB3 + 2 * (small - 0x561) as u8,
        0x587 => 0xA2,
        ascii => ascii as u8,
    };
    let legacy: Vec<u8> = text.chars().map(in_armscii).collect();
    let bytes = [text.as_bytes(), &legacy, text.as_bytes()].concat();
    fs::write(root.join("lines"), &bytes).unwrap();
    let output = run_in(root, ["repair", "--in-place", "lines"]);
    assert_eq!((status(&output), read(root, "lines") == bytes), (2, true), "{}", messages(&output));
    assert!(
        messages(&output).contains("text would be lost; --force overrides this"),
        "{}",
        messages(&output)
    );
}

/// Hebrew of DOS has the bytes of Russian capitals in IBM866. Four bytes further on, no table has it.
#[test]
fn letters_that_read_as_capitals_alone_are_not_converted_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text =
        "הגדרה כדפדפן ברירת המחדל\nלהפוך את הדפדפן לברירת המחדל שלך\nיש להכניס את הכתובת המלאה\n".repeat(3);
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

/// Converts text unasked only where one encoding is singled out.
#[test]
fn auto_leaves_text_that_several_encodings_may_have() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let to = |text: &str, encoding: &str| run_with(text.as_bytes(), ["convert", "--to", encoding]).stdout;
    // In Georgian-Academy, the alphabet is at C0 and above.
    let georgian =
        "ნისლის ფენის დამატება\nმრუდის ტიპი და სიგანე\nშეცდომა ჩაწერისას, ფაილის სახელი არასწორია\n";
    let academy = |c: char| if c < 'ა' { c as u8 } else { 0xC0 + (u32::from(c) - 0x10D0) as u8 };
    let norwegian =
        "Sett avspilling på pause når vinduet er minimert\nGå på skøyter når det er frost, så lærer du det\n";
    let roman8 = |c: char| match c {
        'å' => 0xD4,
        'ø' => 0xD6,
        'æ' => 0xD7,
        ascii => ascii as u8,
    };
    let romanian = "Necunoscut, listă de lungime mare\nInterfaţă de ieşire audio, în fişierul următor\n";
    let bulgarian = "Светъл, който трябва да се замени с предназначение\nЗареждане на модула за търсене\n";
    let word = [to("Нова ", "cp866"), "папка".into(), to(" или файл\n", "cp866")].concat();
    let cases = [
        ("georgian", georgian.chars().map(academy).collect(), "no language has its letters as often"),
        ("norwegian", norwegian.chars().map(roman8).collect(), "no language has its letters as often"),
        ("romanian", to(romanian, "windows-1250"), "ISO-8859-16 fits as well"),
        (
            "word",
            [to(bulgarian, "cp866"), word, to(bulgarian, "cp866")].concat(),
            "some of its words are utf-8",
        ),
        ("few", to("Vozlišče\n", "x-mac-ce"), "not sure"),
        (
            "overlong",
            b"Himmel \xC0\x80og hav p\xC3\xA5 \xC3\xB8ya\n".to_vec(),
            "not sure that it is not damaged",
        ),
        ("mark", b"\xFF\xFEplain text with a \x80 few bytes in it\n".to_vec(), "not sure"),
    ];
    for (name, bytes, reason) in cases {
        fs::write(root.join(name), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", "auto", name]);
        assert_eq!((status(&output), read(root, name) == bytes), (1, true), "{name}: {}", messages(&output));
        assert!(messages(&output).contains(reason), "{name}: {}", messages(&output));
    }
    // It is in no encoding that is known: no command is named for it.
    let output = run_in(root, ["repair", "--in-place", "georgian"]);
    assert_eq!(status(&output), 2);
    let wanted =
        "skipped, as it looks like text in an encoding that is not known, and would be lost; --force";
    assert!(messages(&output).contains(wanted), "{}", messages(&output));
    let output = run_in(root, ["check", "georgian"]);
    assert!(!text(&output).contains("try utf8"), "{}", text(&output));
}

/// Letters in an encoding that is not known, or that damage might have left: nothing shows that it was damage.
#[test]
fn a_repair_leaves_letters_that_are_not_certainly_damage() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let ukrainian =
        "Зазвичай файли зберігаються в домашній теці користувача.\nНатисніть кнопку, щоб вибрати.\n";
    let (start, end) = ukrainian.split_once("ичай").unwrap();
    let chinese = "选择这个选项可以减少占用的磁盘\n尽可能少占空";
    let norwegian =
        "Det kan være lurt å lagre først. Lær mer på nettet.\nOppløsningen er for stor, prøv på nytt.\n";
    let cases: [&[u8]; 5] = [
        // Norwegian in HP Roman-8.
        b"Tilf\xD6y navn\n",
        b"Den er p\xD4 plass\n",
        // A letter in IBM866, a character in GBK, a letter in CP850, in lines of UTF-8.
        &[start.as_bytes(), b"\xA8", "чай".as_bytes(), end.as_bytes()].concat(),
        &[chinese.as_bytes(), b"\xBC\xE4", "（位）\n".as_bytes()].concat(),
        &[norwegian.as_bytes(), b"V\x86r egen mappe\n"].concat(),
    ];
    for bytes in cases {
        fs::write(root.join("letters"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "letters"]);
        assert_eq!((status(&output), read(root, "letters") == bytes), (2, true), "{}", messages(&output));
    }
}

/// The rest of a sequence beside letters of ASCII.
#[test]
fn a_stray_byte_in_ascii_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for bytes in [&b"a\x80b\n"[..], b"x\x80\x81y\n", b"a\xC2b\n", b"abc\xC1def\n", b"ab\xFFc\n"] {
        fs::write(root.join("stray"), bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "stray"]);
        assert_eq!(status(&output), 0, "{bytes:?}: {}", messages(&output));
        assert_eq!(read(root, "stray"), utf8kit::repair(bytes).as_bytes());
    }
}

/// Code pages of DOS that are looked for where none of the others is convincing.
#[test]
fn the_code_page_is_named_in_which_letters_are_as_frequent_as_in_the_language() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let portuguese = "Não é possível adicionar o ficheiro como uma camada; o ficheiro não existe.\nNós já viajamos \
                      através de vastos oceanos e não deveríamos deixar novas tropas, então não há razão.\n";
    let ukrainian =
        "Створити платіж і сплатити його в євро\nЇхня поточна адреса є в довідці, її можна змінити\n";
    for (from, text) in [("CP860", portuguese), ("CP1125", ukrainian)] {
        let bytes = run_with(text.as_bytes(), ["convert", "--to", from]).stdout;
        fs::write(root.join("page"), &bytes).unwrap();
        let output = run_in(root, ["repair", "--in-place", "page"]);
        let command = format!("try utf8 convert --in-place --from {from} page");
        assert!(messages(&output).contains(&command), "{command}\n{}", messages(&output));
    }
}

/// Returns Russian lines of which one is UTF-8, as a file and as what it says.
fn mixed() -> (Vec<u8>, String) {
    let mixed = [windows_1251(), "id 7: чай\n".as_bytes().to_vec(), windows_1251()].concat();
    (mixed, format!("{0}id 7: чай\n{0}", RUSSIAN.repeat(4)))
}

#[test]
fn lines_in_two_encodings_are_converted_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mixed, good) = mixed();
    // It is not certain which of the lines are UTF-8, or parts of one line are.
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

            let lines = run_in(root, [&convert[..], &["--per-line"], names].concat());
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
            let again = run_in(root, [&convert[..], &["--per-line", "mixed.txt", "legacy.txt"]].concat());
            assert_eq!(status(&again), 0, "{}", messages(&again));
            assert_eq!(status(&run_in(root, ["repair", "--undo", "ledger"])), 0);
            assert!(read(root, "mixed.txt") == mixed && read(root, "legacy.txt") == windows_1251());
        }
    }
    assert_eq!(status(&run_in(root, ["convert", "--per-line", "mixed.txt"])), 2, "it needs an encoding");
}

#[test]
fn a_plan_says_what_is_converted_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (mixed, good) = mixed();
    fs::write(root.join("mixed.txt"), mixed).unwrap();
    let dry = ["convert", "--in-place", "--from", "auto", "--per-line", "--dry-run", "--format", "jsonl"];
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
    // Between the pieces that detection samples.
    let many = windows_1251().repeat(20_000);
    let mixed = [&many[..], "id 7: чай\n".as_bytes(), &many[..many.len() / 40]].concat();
    for from in ["auto", "koi8-r"] {
        fs::write(root.join("mixed.txt"), &mixed).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "mixed.txt"]);
        assert_eq!((status(&output), read(root, "mixed.txt") == mixed), (2, true), "{}", messages(&output));
        assert!(
            messages(&output).contains("lines are or may be UTF-8 and others are not"),
            "{}",
            messages(&output)
        );
    }
}
