//! Tests of lines that were moved or copied, and damaged.

use unicode_normalization::UnicodeNormalization as _;

use crate::compare;
use crate::tests::{in_encoding, misread, restored};

/// Bytes read as Latin-1.
fn in_latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The valid UTF-8 in bytes.
fn without(bytes: &[u8]) -> String {
    bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()
}

/// A line of which only the number of letters remains may be any line of that length.
#[test]
fn a_line_of_one_lost_word_is_not_known_again() {
    let old = b"# heading\n\xB1\xB1\xBE\xA9\xBB\xB6\xD3\xAD\xC4\xE3\nend\n";
    let lost = "\u{FFFD}".repeat(10);
    assert!(restored(old, format!("{lost}\n{lost}\nend\n").as_bytes()).1);
}

/// A line that was copied and damaged takes the bytes of the line that it resembles, even with another indentation.
#[test]
fn copied_lines_are_restored_like_the_lines_that_they_look_like() {
    let old = b"x = 1\nSulje sen j\xE4lkeen\ny = 2\n";
    let wanted = b"x = 1\nSulje sen j\xE4lkeen\ny = 2\n\tSulje sen j\xE4lkeen\n";
    for new in [String::from_utf8_lossy(wanted).into_owned(), in_latin(wanted), without(wanted)] {
        assert_eq!(restored(old, new.as_bytes()).0.escape_ascii().to_string(), wanted.escape_ascii().to_string());
    }
    // The first line has a byte order mark.
    let old = "\u{FEFF}# heading\nПривет, мир!\nx\n".as_bytes();
    assert!(restored(old, b"??????, ???!\n# heading\n??????, ???!\nx\n").1);
    // Two lines resemble it.
    let old = b"Sulje sen j\xE4lkeen\nSulje sen j\xF6lkeen\n";
    let new = "Sulje sen j\u{FFFD}lkeen\nSulje sen j\u{FFFD}lkeen\nx\nSulje sen j\u{FFFD}lkeen\n";
    assert!(restored(old, new.as_bytes()).1);
    // Nothing was damaged.
    let old = "\t// ## 中文\n    // 水文\n".as_bytes();
    assert_eq!(compare(old, "    // 水文\n\t// ## 中文\n// 水文\n".as_bytes()).damage, []);
}

/// A line that was copied and edited.
#[test]
fn copied_and_edited_lines_are_restored() {
    let old = b"// TODO later\nmsg = \"une fronti\xE8re de NUM octets\";\nint x;\n";
    let want =
        b"// later\nmsg = \"une fronti\xE8re de NUM octets\"; again\nmsg = \"une fronti\xE8re de NUM octets\";\n\
                 int x;\n";
    assert_eq!(restored(old, String::from_utf8_lossy(want).as_bytes()), (want.to_vec(), false));
    // It may be a copy of either of two lines.
    let old = b"key.a=f\xEAte du roi\nx\nkey.b=f\xE8te du roi\n";
    let new = "key.a=f\u{FFFD}te du roi\nx\nkey.b=f\u{FFFD}te du roi\ny\nkey.c=f\u{FFFD}te du roi\n";
    assert!(restored(old, new.as_bytes()).1);
}

/// A line of lost letters with a word before it may be any line of that length.
#[test]
fn lost_letters_alone_do_not_tell_a_copied_line() {
    let old = "// 这是一个注释\nint x;\n中文文本测试\n";
    assert!(restored(old.as_bytes(), b"//\nint x;;\nchanged ??????\n").1);
}

/// UTF-16 that was read as bytes has lines of bytes, and a copy takes a whole line.
#[test]
fn copied_lines_of_utf16_are_restored() {
    let lines = ["première étape du café\r\n", "ünd größer als früher\r\n", "déjà vu à la télé\r\n", "fin\r\n"];
    for is_little in [true, false] {
        let in_utf16 = |lines: &[&str]| -> Vec<u8> {
            let units = format!("\u{FEFF}{}", lines.concat());
            let bytes = units.encode_utf16().flat_map(|unit| match is_little {
                true => unit.to_le_bytes(),
                false => unit.to_be_bytes(),
            });
            bytes.collect()
        };
        let [a, b, c, d] = lines;
        let old = in_utf16(&lines);
        for edited in [&[a, b, c, b, d][..], &[a, c, b, d], &[a, b, c, d, a]] {
            let edited = in_utf16(edited);
            let lossy = String::from_utf8_lossy(&edited).into_owned();
            assert_eq!(restored(&old, lossy.as_bytes()), (edited.clone(), false), "{lossy}");
            let dropped = restored(&old, without(&edited).as_bytes());
            assert!(dropped.0 == edited || dropped.1, "{lossy}");
        }
    }
}

/// An existing line was copied, and the copy damaged, next to another edit.
#[test]
fn copies_of_lines_that_were_damaged_are_doubtful() {
    let (old, kept, line) =
        ("un café très cher\nune idée naïve\nà bientôt\n", "un café très cher\nune idée naïve\n", "une idée naïve\n");
    let decomposed: String = line.nfd().collect();
    let doubled = String::from_utf8(misread("latin1", line.as_bytes())).unwrap();
    for copy in [&*decomposed, &doubled] {
        let damage = compare(old.as_bytes(), [copy, kept].concat().as_bytes()).damage;
        assert!(matches!(&damage[..], [one] if one.doubtful && one.line == 1), "{copy}: {damage:?}");
    }
    assert_eq!(compare(old.as_bytes(), [line, kept].concat().as_bytes()).damage, []);
}

/// A moved and damaged line is found even in a file that is too large to be searched completely.
#[test]
fn moved_lines_of_large_files_that_were_damaged_are_doubtful() {
    let kept = |from: usize| {
        (from..from + 63_000)
            .map(|line| format!("ligne n° {line}: une idée naïve, à peu près, là-bas déjà même\n"))
            .collect::<String>()
    };
    let (first, rest) = (kept(0), kept(63_000));
    let moved = "Le cœur déçu mais l’âme plutôt naïve\n";
    let old = [moved, &first, &rest].concat();
    assert!(old.len() > 8 << 20);
    let doubled = String::from_utf8(misread("windows-1252", moved.as_bytes())).unwrap();
    let damage = compare(old.as_bytes(), [&*first, &doubled, &rest].concat().as_bytes()).damage;
    assert!(matches!(&damage[..], [one] if one.doubtful && one.line == 63_001), "{damage:?}");
}

/// A word that was moved within its line, or is used again elsewhere, takes its bytes from the old version.
#[test]
fn words_that_the_old_version_has_are_restored() {
    let twice = |bytes: &[u8]| misread("windows-1252", &misread("windows-1252", bytes));
    let old = in_encoding("windows-1253", "νερό βράδυ ένα\nλέξη μέρα λάθος\nend\n");
    for edited in ["βράδυ ένα νερό\nλέξη μέρα λάθος\nend\n", "νερό βράδυ ένα\nλέξη μέρα βράδυ λάθος\nend\n"]
    {
        let edited = in_encoding("windows-1253", edited);
        assert_eq!(restored(&old, &twice(&edited)), (edited, false));
    }
    // The word is not in the old version.
    let edited = in_encoding("windows-1253", "νερό βράδυ ένα\nλέξη μέρα λάθος λόγος\nend\n");
    let (kept, is_doubtful) = restored(&old, &twice(&edited));
    assert!(kept == edited || is_doubtful);
}

/// The words of an added line may have the same lengths as those of another line by chance.
#[test]
fn a_few_lost_words_are_no_copy_of_a_line_that_is_still_there() {
    let old = in_encoding("windows-1251", "мир дом сад\nПривет\nх = 1\nend\n");
    let edited = in_encoding("windows-1251", "мир дом сад\nПривет\nх = 1\nлес рим дуб\nend\n");
    let asked = |bytes: &[u8]| bytes.iter().map(|b| if b.is_ascii() { *b } else { b'?' }).collect::<Vec<u8>>();
    let (kept, is_doubtful) = restored(&old, &asked(&edited));
    assert!(is_doubtful && kept.ends_with("??? ??? ???\nend\n".as_bytes()), "{}", kept.escape_ascii());
}

/// In a file of two encodings, a moved line and an added one share a word, which keeps the bytes of its line.
#[test]
fn a_word_of_another_line_is_not_read_in_another_encoding() {
    let line = in_encoding("cp850", "key = Meister weiß Fußgänger Äpfel\n");
    let first = in_encoding("cp850", "mit groß Übung Öl\n");
    let [before, after] = ["- Tür „Hallo“ Größe Fußgänger.\n", "- Tür Größe Fußgänger. „Hallo“\n"].map(str::as_bytes);
    let lost = [&first[..first.len() - 3], "\u{FFFD}l\n".as_bytes()].concat();
    let old = [&first, before].concat();
    let new = [&lost, after, &line].concat();
    assert!(restored(&old, &new).0.ends_with(&line));
}
