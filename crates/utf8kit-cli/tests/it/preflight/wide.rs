//! Tests conversions of UTF-16 and UTF-32, of data that resembles them, and of text after a mark.

use std::fs;

use super::{others, read, utf16le, windows_1251};
use crate::common::{messages, run_in, run_with, status, text};

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
        let wanted = format!("help: utf8 convert --in-place --from {right} file");
        assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
    }
    // These files are in the named encoding.
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
            let wanted = format!("help: utf8 convert --in-place --from {right} {name}");
            assert!(messages(&output).contains(&wanted), "{wanted}\n{}", messages(&output));
        }
    }
}

/// Letters of ASCII next to each other are characters of East Asia in UTF-16.
#[test]
fn ascii_is_not_read_as_utf16() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let letters = b"nije mogu\xE6e pro\xE8itati superblok na %s\nnije mogu\xE6e zapisati superblok\n";
    for from in ["utf-16", "utf-16le", "utf-16be"] {
        fs::write(root.join("letters"), letters).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", from, "letters"]);
        assert_eq!((status(&output), read(root, "letters")), (2, letters.to_vec()), "{}", messages(&output));
    }
    // Data without a line break is text in UTF-16.
    for text in ["读写文件", "ひらがな", "Größe 読", "読む本を買った人"] {
        let bytes = utf16le(text);
        fs::write(root.join("wide"), &bytes).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", "utf-16le", "wide"]);
        assert_eq!(read(root, "wide"), text.as_bytes(), "{}", messages(&output));
    }
}

/// A log to which two programs write, in UTF-16 and in ASCII.
#[test]
fn lines_of_ascii_among_utf16_are_not_read_as_utf16() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let (wide, ascii) = (utf16le("Größe geändert\nGröße größer\n"), b"started\n");
    let marked = [b"\xFF\xFE", &wide[..]].concat();
    let odd = [&marked[..], b"ended.\n", &utf16le("Weitere Zeilen\n")].concat();
    for (log, from) in [
        ([&ascii[..], &wide].concat(), "utf-16le"),
        ([&wide[..], ascii].concat(), "utf-16le"),
        ([&marked[..], ascii].concat(), "utf-16"),
        (odd, "utf-16"),
    ] {
        fs::write(root.join("log"), &log).unwrap();
        for from in [from, "auto"] {
            let output = run_in(root, ["convert", "--in-place", "--from", from, "log"]);
            assert_ne!(status(&output), 0, "{}", messages(&output));
            assert!(read(root, "log") == log, "{from} {}", log.escape_ascii());
        }
        let hinted = text(&run_in(root, ["check", "--max-errors", "1", "log"]));
        assert!(!hinted.contains("help: utf8 convert"), "{hinted}");
        let skipped = run_in(root, ["repair", "--in-place", "log"]);
        let reason = messages(&skipped);
        assert!(reason.contains("UTF-16") && reason.contains("text would be lost"), "{reason}");
    }
    // More of ASCII than of UTF-16, before and after it, in both orders and at odd offsets.
    let utf16be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let rest = "Größe geändert\n";
    for lines in ["line one\nline two\nline three\nline four\nline five\n", "alpha\nbeta\ngamma\ndelta\nomega\n"] {
        for lines in [lines, &lines[1..]] {
            for (wide, from) in [(utf16le(rest), "utf-16le"), (utf16be(rest), "utf-16be")] {
                for log in [[lines.as_bytes(), &wide].concat(), [&wide[..], lines.as_bytes()].concat()] {
                    fs::write(root.join("log"), &log).unwrap();
                    for from in [from, "auto"] {
                        let output = run_in(root, ["convert", "--in-place", "--from", from, "log"]);
                        assert_ne!(status(&output), 0, "{from} {}", log.escape_ascii());
                        assert!(read(root, "log") == log, "{from} {}", log.escape_ascii());
                    }
                    let hinted = text(&run_in(root, ["check", "--max-errors", "1", "log"]));
                    assert!(!hinted.contains("help: utf8 convert"), "{hinted}");
                    let detected = text(&run_in(root, ["detect", "log"]));
                    assert!(!detected.contains("help: utf8 convert"), "{detected}");
                    if detected.contains("help: utf8 repair -p utf-16 log") {
                        let right = [[lines, rest].concat(), [rest, lines].concat()];
                        let decoded = text(&run_in(root, ["repair", "--policy", "utf-16", "log"]));
                        assert!(right.contains(&decoded), "{decoded}");
                    }
                }
            }
        }
    }
    // Characters whose bytes are all ASCII are not lines.
    let drawn = format!("Größe\n{}\n╔════════╗\n", "─".repeat(40));
    let greek = format!("{}────────\n♪♪♪ ♥♥♥\n", "Η Ελλάδα είναι όμορφη χώρα.\n".repeat(3));
    for text in [
        "あいうえお\n",
        "Größe größer 日本\nzweite Zeile\n",
        "hello あいう\n",
        "　　　　字下げした段落です。これは日本語の文章です。\n普通の行。\n",
        "Inhalt ……………… 7\n••• Größe •••\n",
        "The word is 数据挖掘数据, and no more.\n",
        "हिन्दी में लिखा हुआ पाठ, दो पंक्तियों में\n",
        "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⵓⵜⵍⴰⵢⵜ ⵏ ⵉⵎⴰⵣⵉⵖⵏ\n",
        "ㅋㅋㅋㅋㅋㅋㅋㅋㅋ\n",
        "标题\n一一一一一一\nThe words are 数据, and no more.\n",
        &drawn,
        &greek,
    ] {
        for mark in [&b""[..], b"\xFF\xFE"] {
            let wide = [mark, &utf16le(text)].concat();
            fs::write(root.join("wide"), &wide).unwrap();
            run_in(root, ["repair", "--in-place", "wide"]);
            assert!(read(root, "wide") == wide, "{text}");
            let output = run_in(root, ["convert", "--in-place", "--from", "utf-16", "wide"]);
            assert_eq!((status(&output), read(root, "wide")), (0, text.as_bytes().to_vec()));
        }
    }
}

/// A program that writes the mark does not always write UTF-8 after it.
#[test]
fn a_mark_of_utf8_before_other_text_is_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mark = b"\xEF\xBB\xBF";
    let german = b"Gr\xF6\xDFe und \xDCbermut tun selten gut.\nDas M\xE4dchen h\xF6rt sch\xF6ne T\xF6ne.\n";
    let japanese = b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6\x8F\xCD\x82\xF0\x93\xC7\x82\xDD\x82\xDC\x82\xB7\n";
    for (text, froms, right) in [
        (&german[..], &["windows-1252", "windows-1250", "auto"][..], Some("windows-1252")),
        (&windows_1251(), &["windows-1251", "windows-1252", "auto"], Some("windows-1251")),
        (japanese, &["shift_jis", "auto"], None),
    ] {
        let marked = [mark, text].concat();
        for from in froms {
            fs::write(root.join("marked"), &marked).unwrap();
            let output = run_in(root, ["convert", "--in-place", "--from", from, "marked"]);
            assert_eq!(status(&output), 2, "{from}: {}", messages(&output));
            assert!(read(root, "marked") == marked, "{from}: {}", messages(&output));
        }
        let skipped = messages(&run_in(root, ["repair", "--in-place", "marked"]));
        let Some(right) = right else { continue };
        let policy = format!("fallback={right}");
        assert!(skipped.contains(&format!("help: utf8 repair --in-place -p {policy} marked")), "{skipped}");
        assert_eq!(status(&run_in(root, ["repair", "--policy", &policy, "--in-place", "marked"])), 0);
        let converted = run_with(text, ["convert", "--from", right]).stdout;
        assert_eq!(read(root, "marked"), [&mark[..], &converted].concat());
    }
    fs::write(root.join("marked"), [&mark[..], german].concat()).unwrap();
    let reported = run_in(root, ["convert", "--from", "windows-1252", "marked", "-o", "out"]);
    assert_eq!(status(&reported), 1);
    assert!(messages(&reported).contains("begins with the byte order mark of UTF-8"), "{}", messages(&reported));
}

/// The mark of UTF-16 before UTF-8, as in source files of libwfp (mullvad/libwfp, pull request 40).
#[test]
fn a_mark_of_utf16_before_other_text_is_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for text in ["日本語の文章です", "Ёлка и дом", "été à là", "हिन्दी में पाठ", "plain words in a line\n"]
    {
        for mark in [b"\xFE\xFF", b"\xFF\xFE"] {
            let bytes = [&mark[..], text.as_bytes()].concat();
            fs::write(root.join("marked"), &bytes).unwrap();
            let output = run_in(root, ["convert", "--in-place", "--from", "auto", "marked"]);
            assert_ne!(status(&output), 0, "{}", messages(&output));
            assert!(read(root, "marked") == bytes, "{text}");
            let found = self::text(&run_in(root, ["detect", "marked"]));
            assert!(!found.contains("certain") && !found.contains("utf-16"), "{found}");
            let output = run_in(root, ["repair", "--in-place", "--policy", "remove", "marked"]);
            assert_eq!((status(&output), read(root, "marked")), (0, text.into()), "{}", messages(&output));
        }
    }
    // Text in 8 bits: UTF-16 is not advised.
    fs::write(root.join("marked"), b"\xFF\xFE1 er mars, \xE9t\xE9 d\xE9j\xE0 vu, caf\xE9s\n").unwrap();
    let output = run_in(root, ["repair", "--in-place", "marked"]);
    assert!(status(&output) == 2 && !messages(&output).contains("utf-16"), "{}", messages(&output));
    // Text in East Asia without any ASCII.
    for text in ["日本語の文章です", "我们都在这里等着他", "한국어로쓴글은"] {
        let wide = [&b"\xFF\xFE"[..], &utf16le(text)].concat();
        fs::write(root.join("wide"), &wide).unwrap();
        let output = run_in(root, ["convert", "--in-place", "--from", "auto", "wide"]);
        assert_eq!((status(&output), read(root, "wide")), (0, text.into()), "{}", messages(&output));
    }
}

/// Lists for `xargs -0`, and fields of fixed width.
#[test]
fn nuls_between_words_are_no_utf16() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for bytes in
        [&b"4711\x0010\0"[..], b"ok  \0off \0b   \0B2  \0", b"   \0", b"\0B2\n", b"B2\0K\xC3\xB6ln\0", b"2024\x00200\0"]
    {
        fs::write(root.join("list"), bytes).unwrap();
        for command in [&["convert", "--in-place", "--from", "auto"][..], &["repair", "--in-place"]] {
            run_in(root, [command, &["list"]].concat());
            assert!(read(root, "list") == bytes, "{command:?} {}", bytes.escape_ascii());
        }
        for command in ["check", "detect"] {
            let advised = text(&run_in(root, [command, "list"]));
            assert!(!advised.contains("utf-16"), "{advised}");
        }
    }
}

#[test]
fn utf32_without_its_first_bytes_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for text in ["Žluťoučký kůň\nběží\n", "日本語の文章です\nこれは本\n", "The quick brown fox\n"]
    {
        for unit in [|c: char| u32::from(c).to_be_bytes(), |c: char| u32::from(c).to_le_bytes()] {
            let wide: Vec<u8> = text.chars().flat_map(unit).collect();
            for cut in 1..4 {
                let bytes = &wide[cut..];
                fs::write(root.join("cut"), bytes).unwrap();
                for policy in ["replace", "remove"] {
                    let output = run_in(root, ["repair", "--in-place", "--policy", policy, "cut"]);
                    assert!(read(root, "cut") == bytes, "{text} {cut} {}", messages(&output));
                }
                let output = run_in(root, ["repair", "--in-place", "-p", "utf-16", "cut"]);
                let now = String::from_utf8(read(root, "cut")).unwrap();
                assert_eq!(status(&output), 0, "{}", messages(&output));
                let rest = text.split_at(text.chars().next().unwrap().len_utf8()).1;
                assert!(now.ends_with(rest), "{cut} {now:?} {}", messages(&output));
            }
        }
    }
    // Damaged line ends after a mark: not UTF-16.
    let text = "\u{FEFF}Größe: größer\nzwei\n";
    let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let bytes: Vec<u8> =
        wide.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', byte] } else { vec![byte] }).collect();
    fs::write(root.join("marked"), &bytes).unwrap();
    for to in [&["--in-place"][..], &["-o", "out"]] {
        let output = run_in(root, [&["convert", "--from", "auto", "marked"], to].concat());
        assert_ne!(status(&output), 0, "{}", messages(&output));
        assert!(read(root, "marked") == bytes);
    }
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "-p", "utf-16", "marked"])), 0);
    assert_eq!(read(root, "marked"), text.trim_start_matches('\u{FEFF}').as_bytes());
}

/// Another program wrote a line of even length, so that the units after it are whole.
#[test]
fn a_short_line_of_ascii_within_utf16_is_no_letter() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let log = [&b"\xFF\xFE"[..], &utf16le("ok é\r\n"), b"ok\r\n", &utf16le("ok é\r\n")].concat();
    fs::write(root.join("log"), &log).unwrap();
    for from in ["auto", "utf-16"] {
        let output = run_in(root, ["convert", "--in-place", "--from", from, "log"]);
        assert_ne!(status(&output), 0, "{from} {}", messages(&output));
        assert!(read(root, "log") == log);
    }
    assert_eq!(status(&run_in(root, ["repair", "--in-place", "-p", "utf-16", "log"])), 0);
    assert_eq!(read(root, "log"), "ok é\r\nok\r\nok é\r\n".as_bytes());
}
