//! Tests joining and decoding, in pieces of any length.

use super::*;
use utf8kit::Piece;

/// Undoes a kind of damage in a text that comes in pieces.
fn repaired(artifact: Artifact, text: &[u8], size: usize) -> Vec<u8> {
    let (mut repairer, mut out) = (ArtifactRepairer::new(artifact), Vec::new());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for piece in text.chunks(size) {
        repairer.push(piece, Piece::Partial, &mut out, &mut |_, old, new| {
            before.extend_from_slice(old);
            after.extend_from_slice(new);
        });
    }
    repairer.push(b"", Piece::Last, &mut out, &mut |_, _, _| {});
    assert_eq!(repairer.offset(), text.len() as u64);
    out
}

/// Checks the repair of a text, and that a second repair changes nothing.
fn check(artifact: Artifact, text: &[u8], right: &str) {
    for size in [1, 2, 3, 7, text.len().max(1)] {
        let out = repaired(artifact, text, size);
        assert_eq!(out, right.as_bytes(), "{} in pieces of {size}", text.escape_ascii());
        assert_eq!(repaired(artifact, &out, size), out, "twice");
    }
    assert_eq!(
        find(text, true).map(|found| (found.artifact, found.is_sure)),
        Some((artifact, true)),
        "{}",
        text.escape_ascii()
    );
    assert_eq!(find(right.as_bytes(), true), None);
}

#[test]
fn characters_are_joined_around_what_is_between_their_bytes() {
    check(Artifact::Join, b"f\xC3\r\n \xAAte", "fê\r\n te");
    check(Artifact::Join, b"un \xE2\x82\n\xAC", "un €\n");
    check(Artifact::Join, b"a \xF0\x9F=\r\n\x99\x82 b", "a 🙂=\r\n b");
    check(Artifact::Join, b"na\xC3\0\0\xAFve", "naï\0\0ve");
    check(Artifact::Join, b"na\xC3\r\n1F\r\n\xAFve", "naï\r\n1F\r\nve");
    check(Artifact::Join, b"\xF0\x9F\x99\x88 \xED\xA0\xBD\xED\xB8\x80\n", "🙈 😀\n");
    check(Artifact::Join, b"f\xC3\n\xAAte", "fê\nte");
    check(Artifact::Join, b"dn: cn=a\ndescription: Stra\xC3\n \x9Fe\n b\n", "dn: cn=a\ndescription: Straße\n b\n");
    let card = b"BEGIN:VCARD\r\nNOTE:f\xC3\r\n\t\xBCr\r\n alle \xE2\x82\n\xAC\r\n";
    check(Artifact::Join, card, "BEGIN:VCARD\r\nNOTE:für\r\n alle €\n\r\n");
}

#[test]
fn what_may_be_another_encoding_is_not_joined() {
    for text in [&b"CAF\xC9 \xBB\n"[..], b"MANH\xC3\n\xA3x", b"\xC3\r\n \xAA\xAA", b"\xE2 \x80", b"\xED\xA0\xBD x"] {
        assert_eq!(repaired(Artifact::Join, text, text.len()), text);
        assert_eq!(find(text, true), None, "{}", text.escape_ascii());
    }
}

fn utf32(text: &str) -> Vec<u8> {
    text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn what_was_utf16_is_decoded() {
    check(Artifact::Utf16, b"ok \xC3\xA9\nn\0e\0w\0\r\0\n\0", "ok é\nnew\r\n");
    check(
        Artifact::Utf16,
        &[b"ok\n".to_vec(), utf16("später – „ja“\r\n日本\r\n"), b"ok\n".to_vec()].concat(),
        "ok\nspäter – „ja“\r\n日本\r\nok\n",
    );
    let be: Vec<u8> = "Größe geändert\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(
        Artifact::Utf16,
        &[b"line four\nline five\n".to_vec(), be].concat(),
        "line four\nline five\nGröße geändert\n",
    );
    let bytes = |text: &str| utf16(text).into_iter().map(char::from).collect::<String>();
    let (text, marked) = ("Größe\r\nnoch eine\r\n", "\u{FEFF}Größe\r\nnoch eine\r\n");
    check(Artifact::Utf16, bytes(marked).as_bytes(), text);
    check(Artifact::Utf16, bytes(text).as_bytes(), text);
    check(Artifact::Utf16, &utf16(&format!("\u{FEFF}{}", bytes(text))), text);
    let twice =
        format!("\u{FEFF}{}", text.encode_utf16().flat_map(u16::to_be_bytes).map(char::from).collect::<String>());
    check(Artifact::Utf16, &twice.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>(), text);
    let returned =
        utf16(marked).into_iter().flat_map(|byte| if byte == b'\n' { vec![b'\r', byte] } else { vec![byte] });
    check(Artifact::Utf16, &returned.collect::<Vec<_>>(), text);
}

/// `cmd.exe` appends text in the code page of the system to a log that PowerShell 5 wrote in UTF-16.
#[test]
fn utf16_beside_another_encoding_is_decoded() {
    let start = utf16("\u{FEFF}Größe\r\n");
    for (text, right) in [
        ([&start[..], b"new caf\xE9\r\n"].concat(), &b"Gr\xC3\xB6\xC3\x9Fe\r\nnew caf\xE9\r\n"[..]),
        ([&start[..], b"\xE9t\xE9\r\n"].concat(), b"Gr\xC3\xB6\xC3\x9Fe\r\n\xE9t\xE9\r\n"),
        ([b"new caf\xE9\r\n", &start[..]].concat(), b"new caf\xE9\r\nGr\xC3\xB6\xC3\x9Fe\r\n"),
        ([b"new caf\xE9\r\n".to_vec(), utf16("ok hm\r\n")].concat(), b"new caf\xE9\r\nok hm\r\n"),
        (
            [utf16("\u{FEFF}ok\r\n"), b"\xCF\xF0\xE8\xE2\xE5\xF2\r\n".to_vec(), utf16("fin\r\n")].concat(),
            b"ok\r\n\xCF\xF0\xE8\xE2\xE5\xF2\r\nfin\r\n",
        ),
    ] {
        for size in [1, 2, 3, 7, text.len()] {
            assert_eq!(repaired(Artifact::Utf16, &text, size), right, "{}", text.escape_ascii());
        }
        let found = find(&text, true).map(|found| (found.artifact, found.is_sure));
        assert_eq!(found, Some((Artifact::Utf16, false)), "{}", text.escape_ascii());
    }
}

/// A program that treats any file as text writes a CR before each byte 0A.
#[test]
fn line_ends_of_utf32_are_undone() {
    for text in ["Привет, мир\nвсё\n", "\u{FEFF}Größe\r\nnoch eine\r\n", "你好世界。\n"] {
        for bytes in [utf32(text), text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect()] {
            let with_returns = |byte: &u8| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] };
            let damaged: Vec<u8> = bytes.iter().flat_map(with_returns).collect();
            check(Artifact::Utf16, &damaged, text.trim_start_matches('\u{FEFF}'));
        }
    }
}

/// A part of a file, or a download that was resumed at a wrong offset.
#[test]
fn utf32_without_its_first_bytes_is_decoded() {
    for text in ["Привет, мир\nвсё\n", "Žluťoučký kůň\nběží\n", "日本語の文章です\nこれは本\nです\n"]
    {
        let (first, rest) = text.split_at(text.chars().next().unwrap().len_utf8());
        let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        for cut in 1..4 {
            let before = if cut < 3 { first } else { "\u{FFFD}" };
            check(Artifact::Utf16, &big[cut..], &format!("{before}{rest}"));
            check(Artifact::Utf16, &utf32(text)[cut..], &format!("\u{FFFD}{rest}"));
            let part = &big[cut..big.len() - 2];
            check(Artifact::Utf16, part, &format!("{before}{}\u{FFFD}", &rest[..rest.len() - 1]));
        }
    }
    // Latin text reads in both byte orders.
    for cut in 1..4 {
        let text = "The quick brown fox\n";
        let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        for bytes in [big, utf32(text)] {
            let read = repaired(Artifact::Utf16, &bytes[cut..], bytes.len());
            assert!(read.ends_with(&text.as_bytes()[1..]), "{cut} {}", read.escape_ascii());
        }
    }
    // Numbers after a header of one byte.
    let numbers: Vec<u8> = (300_u32..400).flat_map(u32::to_le_bytes).collect();
    assert_eq!(find(&[b"\x01", &numbers[..]].concat(), true), None);
}

/// The lines contain NULs but are not UTF-16, and a line end in UTF-16 could be searched for from each of them.
#[test]
fn many_lines_with_nuls_take_linear_time() {
    let line = b"cbeb gdb \xE4agga edbfaaaagdgad\0xy\n";
    assert_eq!(find(&line.repeat(20_000), true), None);
}

#[test]
fn a_long_line_in_utf16_is_decoded() {
    let value = "\"é\", ".repeat(20_000);
    let text = ["café\n".as_bytes(), &utf16(&value), &utf16("\n")].concat();
    assert_eq!(repaired(Artifact::Utf16, &text, text.len()), format!("café\n{value}\n").as_bytes());
}

#[test]
fn plain_text_and_plain_utf16_are_no_damage() {
    for text in [
        utf32("héllo\n"),
        utf32("\u{FEFF}héllo\r\nworld"),
        utf16("Größe\r\nnoch eine\r\n"),
        utf16("\u{FEFF}Größe\r\n"),
        // The last line has no ASCII, and may be ASCII in single bytes ("sort views", "empty").
        utf16("\u{FEFF}按命名空间 %(name)s 排序视图\n按空命名空间排序视图"),
        utf16("\u{FEFF}モデル: %(name)s\nフィールド"),
        utf16("\u{FEFF}%s 空\n空"),
        // A letter has a byte 0A.
        utf16("\u{FEFF}日本 ok\n本上海 ok\n"),
        utf16("\u{FEFF}日本 ok\n本上海 ok\n海"),
        b"a\0b\0c\0\xFF".to_vec(),
        b"caf\xE9\0\n".to_vec(),
    ] {
        assert_eq!(find(&text, true), None, "{}", text.escape_ascii());
    }
}

#[test]
fn nuls_are_stray_where_lines_are_text() {
    for (text, is_stray) in [
        (&b"\0\0\0\0start\ncaf\xE9\n"[..], true),
        (b"Ren\xE9e M\xFCller\0", true),
        // Arabic in windows-1256: one letter in three is ASCII, or none.
        (b"\xD8\xC8\xC7\xDA\xC9/\xCA\xD5\xCF\xED\xD1\0\n* [\xE3\xC7\xDF\xED]\n", true),
        (b"one\0two\0three\0", false),
        (b"\x7FELF\0\xFF", false),
        (b"plain", false),
    ] {
        assert_eq!(has_stray_nuls(text), is_stray, "{}", text.escape_ascii());
    }
    assert_eq!(repaired(Artifact::Nuls, b"\0a\0\0b\0", 2), b"ab");
}
