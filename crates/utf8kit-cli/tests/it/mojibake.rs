//! Tests text that was decoded in the wrong encoding, and text within escapes: it is reported, and the suggested
//! command recovers the text.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, status, text};

/// Writes a file, and checks that the command is suggested with its reason, and that it recovers the text into an
/// output, in place, and when run twice.
fn check(root: &Path, name: &str, garbled: &str, why: &str, right: &str) {
    let path = root.join(name);
    fs::write(&path, garbled).unwrap();
    for (command, what) in [("check", "mojibake: \""), ("detect", why)] {
        let reported = text(&run_in(root, [command, name]));
        assert!(reported.contains(what) && reported.contains(&format!("utf8 mojibake {name}")), "{name}: {reported}");
    }
    let output = run_in(root, ["mojibake", name]);
    assert_eq!((status(&output), &*text(&output)), (0, right), "{name}: {}", messages(&output));
    for _ in 0..2 {
        let output = run_in(root, ["mojibake", "--in-place", name]);
        assert_eq!((status(&output), &*fs::read_to_string(&path).unwrap()), (0, right), "{name}");
    }
    let reported = text(&run_in(root, ["check", name]));
    assert!(!reported.contains("mojibake"), "{name}: {reported}");
}

#[test]
fn text_that_was_read_in_another_encoding_is_named_and_put_right() {
    let folder = tempfile::tempdir().unwrap();
    check(
        folder.path(),
        "tags.txt",
        "01 Âå÷åðíèé äîæäü - Òèõàÿ ïðèñòàíü\n02 Best of - Ïîñëåäíèé çâîíîê\n03 Ñíåã\n",
        "text in it was windows-1251, read as windows-1252",
        "01 Вечерний дождь - Тихая пристань\n02 Best of - Последний звонок\n03 Снег\n",
    );
    check(
        folder.path(),
        "forum.txt",
        "оПХБЕР, ЙЮЙ ДЕКЮ?\nбЯЕ УНПНЬН\n",
        "text in it was windows-1251, read as KOI8-R",
        "Привет, как дела?\nВсе хорошо\n",
    );
    check(
        folder.path(),
        "lyrics.txt",
        "ÄãºÃ£¬ÊÀ½ç\n½ñÌìÌìÆøºÜºÃ\n",
        "text in it was GBK, read as windows-1252",
        "你好，世界\n今天天气很好\n",
    );
}

#[test]
fn text_within_escapes_is_named_and_put_right() {
    let folder = tempfile::tempdir().unwrap();
    check(
        folder.path(),
        "messages.json",
        "{\n  \"name\": \"Zo\\u00c3\\u00ab\",\n  \"text\": \"j\\u00c3\\u00a0 \\u00f0\\u009f\\u0098\\u00a0\\n\"\n}\n",
        "text within its escapes was UTF-8, read as windows-1252",
        "{\n  \"name\": \"Zo\\u00eb\",\n  \"text\": \"j\\u00e0 \\ud83d\\ude20\\n\"\n}\n",
    );
    check(
        folder.path(),
        "fr.properties",
        "title=Pr\\u00c3\\u00a9f\\u00c3\\u00a9rences\nexport=Exporter\\u0085\nclose=l\\u2019onglet\n",
        "text within its escapes was UTF-8, read as windows-1252",
        "title=Pr\\u00e9f\\u00e9rences\nexport=Exporter\\u2026\nclose=l\\u2019onglet\n",
    );
    check(
        folder.path(),
        "page.html",
        "<p>l&Atilde;&copy;t&Atilde;&copy; &amp; l&rsquo;hiver\n",
        "text within its escapes was UTF-8, read as windows-1252",
        "<p>l&eacute;t&eacute; &amp; l&rsquo;hiver\n",
    );
}

#[test]
fn bytes_that_are_shown_as_ascii_are_named_and_put_right() {
    let folder = tempfile::tempdir().unwrap();
    check(
        folder.path(),
        "mail.txt",
        "Hello\nSubject: $B$3$s$K$A$O(B\n",
        "text in it was ISO-2022-JP, read as us-ascii",
        "Hello\nSubject: こんにちは\n",
    );
    // Mail folder names are decoded. Numbers joined by + are not folder names.
    let names = "INBOX.Entw&APw-rfe\nTom &- Jerry 1400+1401+1402\n";
    fs::write(folder.path().join("folders.txt"), names).unwrap();
    for command in ["check", "detect"] {
        let reported = text(&run_in(folder.path(), [command, "folders.txt"]));
        assert!(reported.contains("UTF-7-IMAP"), "{reported}");
        assert!(reported.contains("utf8 convert --from UTF-7-IMAP folders.txt"), "{reported}");
    }
    let output = run_in(folder.path(), ["convert", "--from", "UTF-7-IMAP", "folders.txt"]);
    assert_eq!(text(&output), "INBOX.Entwürfe\nTom & Jerry 1400+1401+1402\n");
    for other in ["Tom & Jerry\n", "R&D-\n", "a &amp; b\n", "Q&A-\n"] {
        fs::write(folder.path().join("other.txt"), other).unwrap();
        let reported = text(&run_in(folder.path(), ["check", "other.txt"]));
        assert!(!reported.contains("IMAP"), "{other}: {reported}");
    }
}

/// The bytes stay, because a shapefile's table would also need a .cpg file, and a library's record a letter in its
/// leader.
#[test]
fn what_tables_and_records_are_in_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let reported = |bytes: &[u8], name: &str, command: &str| {
        fs::write(folder.path().join(name), bytes).unwrap();
        text(&run_in(folder.path(), [command, name]))
    };
    let mut table = b"\x03\x78\x05\x04\x04\0\0\0\x41\0\x15\0".to_vec();
    table.resize(32, 0);
    table.extend(b"NAME\0\0\0\0\0\0\0C\0\0\0\0\x14");
    table.resize(64, 0);
    table.push(b'\r');
    for name in [&b"Embalse de la Pe\xF1a"[..], b"R\xEDo C\xE1ceres", b"R\xEDo Taj\xFA\xF1ar", b"Puente de \xD3rbigo"] {
        table.push(b' ');
        table.extend(name);
        table.resize(table.len() + 20 - name.len(), b' ');
    }
    table.push(0x1A);
    let found = reported(&table, "rivers.dbf", "detect");
    assert!(found.contains("a dBase table, whose texts read as windows-1252"), "{found}");
    let record = |leader: &[u8], text: &[u8]| [leader, b"245000700000\x1E10\x1Fa", text, b"\x1E\x1D"].concat();
    for command in ["check", "detect"] {
        let marc8 = record(b"00064nam  2200037   4500", "Гаджиев, C\u{e9}zanne".as_bytes());
        let found = reported(&marc8, "lying.mrc", command);
        assert!(found.contains("its leader says MARC-8, but it is UTF-8"), "{found}");
        let right = record(b"00064nam a2200037   4500", "Гаджиев, C\u{e9}zanne".as_bytes());
        assert!(!reported(&right, "right.mrc", command).contains("leader"));
    }
    let found = reported(&record(b"00064nam a2200037   4500", b"C\xE9zanne, caf\xE9 fran\xE7ais"), "old.mrc", "detect");
    assert!(found.contains("its leader says UTF-8, but it is not"), "{found}");
}

/// A line that exceeds the buffer is cut between words.
#[test]
fn a_long_line_of_escapes_is_repaired_throughout() {
    let folder = tempfile::tempdir().unwrap();
    let value = |name: &str| format!("{{\"sender_name\":\"{name}\"}},").repeat(8000);
    let json = |name: &str| format!("[{}null]\n", value(name));
    fs::write(folder.path().join("all.json"), json(r"Zo\u00c3\u00ab Kr\u00c3\u00a1l")).unwrap();
    let output = run_in(folder.path(), ["mojibake", "all.json"]);
    assert!(text(&output) == json(r"Zo\u00eb Kr\u00e1l"), "{}", messages(&output));
}

#[test]
fn right_text_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let right = "Всё хорошо\nÄußerst schön, déjà vu\n你好，世界\nこんにちは\n\
        {\"name\":\"Zo\\u00eb\"}\n<p>l&eacute;t&eacute;&nbsp;!\nC:\\\\u00c3\\\\u00ab\n// ends ──────┐│\n";
    fs::write(folder.path().join("right.txt"), right).unwrap();
    let output = run_in(folder.path(), ["mojibake", "right.txt"]);
    assert_eq!(text(&output), right);
    assert_eq!(text(&run_in(folder.path(), ["mojibake", "--list-doubtful", "right.txt"])), "");
}
