//! Tests of text that was in one encoding and read in another, and of text within escapes: it is named, and the command
//! that is named gives the text.

use std::fs;
use std::path::Path;

use crate::common::{messages, run_in, status, text};

/// Writes a file, checks that the command is named and why, and that it gives the text, in an output, in place and
/// twice.
fn check(root: &Path, name: &str, garbled: &str, why: &str, right: &str) {
    let path = root.join(name);
    fs::write(&path, garbled).unwrap();
    for command in ["check", "detect"] {
        let told = text(&run_in(root, [command, name]));
        assert!(told.contains(why) && told.contains(&format!("utf8 mojibake {name}")), "{name}: {told}");
    }
    let output = run_in(root, ["mojibake", name]);
    assert_eq!((status(&output), &*text(&output)), (0, right), "{name}: {}", messages(&output));
    for _ in 0..2 {
        let output = run_in(root, ["mojibake", "--in-place", name]);
        assert_eq!((status(&output), &*fs::read_to_string(&path).unwrap()), (0, right), "{name}");
    }
    let told = text(&run_in(root, ["check", name]));
    assert!(!told.contains("mojibake"), "{name}: {told}");
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
        "{\n  \"name\": \"Zo\\u00c3\\u00ab\",\n  \"text\": \"d\\u00c3\\u00a9j\\u00c3\\u00a0 vu \\u00f0\\u009f\\u0098\\u00a0\\n\"\n}\n",
        "text within its escapes was UTF-8, read as windows-1252",
        "{\n  \"name\": \"Zo\\u00eb\",\n  \"text\": \"d\\u00e9j\\u00e0 vu \\ud83d\\ude20\\n\"\n}\n",
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

/// A line that is longer than what is held at once, which is cut between words.
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
