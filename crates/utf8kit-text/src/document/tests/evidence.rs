//! What the old version says about places that would be doubtful without it, and what nothing says.

use crate::charset::Charset;
use crate::document::{compare, restore};

/// Text in an encoding.
fn in_encoding(name: &str, text: &str) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    text.chars().flat_map(|c| codec.bytes_of(c).unwrap()).collect()
}

/// Bytes read in an encoding and written as UTF-8.
fn misread(name: &str, bytes: &[u8]) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    let text = bytes.iter().map(|&byte| {
        (0..=0xFFFF).filter_map(char::from_u32).find(|&c| codec.bytes_of(c) == Some(vec![byte]))
    });
    text.map(Option::unwrap).collect::<String>().into_bytes()
}

fn restored(old: &[u8], new: &[u8]) -> (Vec<u8>, bool) {
    let damage = compare(old, new).damage;
    (restore(old, new, &damage), damage.iter().any(|one| one.doubtful))
}

/// Letters of the old version, or the language of what was added, tell its encoding.
#[test]
fn added_text_is_written_as_letters_like_it() {
    let cases: [(&str, &str, &str); 3] = [
        ("windows-1252", "sobre o gelo do polo sul está se degradando ao longo do\n", "Há "),
        (
            "windows-1251",
            "Феникс\nЯ стоял и смотрел вдаль\nМоя земля, моя семья\nЧистая Вода\nЗимняя Дорога\nЮжная Африка\n",
            "ёлка ",
        ),
        ("euc-jp", "太陽系の準惑星\nこれはコメントです\n", "呼ばれている"),
    ];
    for (name, old, added) in cases {
        let (bytes, wanted) = (in_encoding(name, old), in_encoding(name, &[added, old].concat()));
        let lossy = [added, &String::from_utf8_lossy(&bytes)].concat();
        assert_eq!(restored(&bytes, lossy.as_bytes()), (wanted, false), "{name}");
    }
}

/// What was added to a file that was written in another encoding is read in that, if no other has the same bytes for
/// the rest.
#[test]
fn added_text_is_read_as_it_was_written() {
    let (old, new) =
        ("precipitação\nformação em quase todos\n", "precipitação\nformação em quase conteúdo todos\n");
    let written = in_encoding("windows-1252", new);
    assert_eq!(restored(old.as_bytes(), &written), (new.as_bytes().to_vec(), false));
    // Shift_JIS has one sign for two.
    let (old, new) = ("40° bis −2,94 m\nFlüsse\nüber 40°\n", "40° bis −2,94 m\nFl?sse\n?ber 40°\n");
    let written = in_encoding("shift_jis", new);
    assert_eq!(restored(old.as_bytes(), &written), (old.as_bytes().to_vec(), false));
    let written = in_encoding("shift_jis", &[new, "−55 °C\n"].concat());
    assert!(restored(old.as_bytes(), &written).1);
}

/// Letters that were dropped belong to the word, or to the character, that is left of them, also beside an edit.
#[test]
fn dropped_letters_stay_with_their_words() {
    let cases: [(&[u8], &str, &[u8]); 4] = [
        (
            b"Tento skaln\xED \x9Atvar, p\xF8\n",
            "Tento skaln kdy, tvar, p\n",
            b"Tento skaln\xED kdy, \x9Atvar, p\xF8\n",
        ),
        // The whole word was removed.
        (b"un bon caf\xE9 tr\xE8s bon pass\xE9\n", "un bon trs bon pass\n", b"un bon tr\xE8s bon pass\xE9\n"),
        // The only letter beyond ASCII.
        (b"permis de pr\xE9ciser\n", "permis de prciser\n", b"permis de pr\xE9ciser\n"),
        // EUC-JP, of which D6 B1 is UTF-8, too.
        (
            b"\"\xA5\xD5\xA5\xA1: \xB4\xD6\xB1\xC7\xA4\xCF\")\n",
            "\"\u{565}: key, \u{5B1}\u{1E4}\")\n",
            b"\"\xA5\xD5\xA5\xA1: key, \xB4\xD6\xB1\xC7\xA4\xCF\")\n",
        ),
    ];
    for (old, new, wanted) in cases {
        let damage = compare(old, new.as_bytes()).damage;
        // What was added may have lost letters, too.
        let is_doubtful = damage.iter().any(|one| one.doubtful && !one.old.is_empty());
        let back = restore(old, new.as_bytes(), &damage);
        assert!(back == wanted && !is_doubtful, "{new} {}", back.escape_ascii());
    }
    // Which word was removed cannot be told.
    assert!(restored(b"f\xFCr f\xE9r x\nd\xE9j\xE0 vu\n", b"fr x\ndj vu\n").1);
}

/// Words that were removed from text that was doubled twice leave whole characters.
#[test]
fn doubled_characters_are_not_split() {
    let (old, new) = ("서서히 멀리 떨어져 있고\n가장 밝은\n", "서서히 떨어져 있고\n가장 밝은\n");
    let twice = |text: &str| {
        let once = misread("latin1", text.as_bytes());
        misread("latin1", &once)
    };
    assert_eq!(restored(old.as_bytes(), &twice(new)), (new.as_bytes().to_vec(), false));
    let (old, new) = (new, old);
    assert_eq!(restored(old.as_bytes(), &twice(new)), (new.as_bytes().to_vec(), false));
}

/// Nothing tells the encoding of a new line in a file of two.
#[test]
fn new_lines_in_a_file_of_two_encodings_are_doubtful() {
    let french = |text: &str| in_encoding("windows-1252", text);
    let old = [&french("été déjà là, forêt\n")[..], b"x = 1;\n", "élève à côté\n".as_bytes()].concat();
    let lossy = String::from_utf8_lossy(&old).into_owned();
    let new = lossy.replace("x = 1", "naïve = 1");
    assert!(restored(&old, new.as_bytes()).1);
    // A line that says it.
    let new = lossy.replace("for\u{FFFD}t", "for\u{FFFD}t où");
    let at = old.iter().position(|&byte| byte == b'\n').unwrap();
    let wanted = [&old[..at], &french(" où"), &old[at..]].concat();
    assert_eq!(restored(&old, new.as_bytes()), (wanted, false));
}

/// UTF-16 whose bytes are all ASCII is not taken for ASCII, and a line is no evidence once its text was replaced.
#[test]
fn no_bytes_of_utf16_are_left_in_a_file_of_bytes() {
    let legacy = |text: &str| in_encoding("iso-8859-3", text);
    let old = [
        &"La ŝipo kaj la paĝo\nĉio estas ĝusta\n".repeat(8).into_bytes()[..],
        &legacy("ŝirka duono de la tera\n"),
    ];
    let text =
        ["La ŝipo kaj la paĝo\nĉio estas ĝusta\n".repeat(8), "ŝirka duono de la tera\n".to_owned()].concat();
    let (old, new) = (
        old.concat(),
        format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    let (back, is_doubtful) = restored(&old, &new);
    assert!(back == old || is_doubtful, "{}", back.escape_ascii());
}

/// Indentation that was changed in UTF-16 is an edit, although fewer bytes differ than characters.
#[test]
fn indentation_in_utf16_is_no_damage() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let old = "\u{FEFF}    return g\u{F6}r;\r\n    // K\u{FC}r\u{15F}at\r\n    x = 1\r\n";
    let new = old.replace("    ", "\t");
    assert_eq!(compare(&utf16(old), &utf16(&new)).damage, []);
}

/// Line ends are those of the neighbours, in whichever encoding a line was added.
#[test]
fn added_lines_in_a_file_of_two_encodings_take_its_line_ends() {
    let old = [&b"\xE9t\xE9 d\xE9j\xE0\r\n"[..], "élève\r\nx\r\n".as_bytes()].concat();
    let new = [&b"\xE9t\xE9 d\xE9j\xE0\nl\xE0\n"[..], "élève\nx\n".as_bytes()].concat();
    let wanted = [&b"\xE9t\xE9 d\xE9j\xE0\r\nl\xE0\r\n"[..], "élève\r\nx\r\n".as_bytes()].concat();
    assert_eq!(restored(&old, &new), (wanted, false));
}

/// As many characters of two lines as bytes of one.
#[test]
fn what_may_be_bytes_or_characters_is_doubtful() {
    let line = b"// \xD5\xE2\xCA\xC7\xD2\xBB\xB8\xF6\xD7\xA2\xCA\xCD\r\n";
    let old = [&b"    return 0;\r\n"[..], line, line].concat();
    let new = format!("    return 0; more words\r\n// {}\r\n", "\u{FFFD}".repeat(12));
    assert!(restored(&old, new.as_bytes()).1);
}

/// What looks like damage that no view explains is not passed over.
#[test]
fn signs_of_damage_are_doubtful() {
    let cases: [(&[u8], &[u8]); 4] = [
        // A byte that is not text, among a few that are.
        (
            b"key = \"\xBB\xF0\xD0\xC7\"\xFF\n\xB9\xFA\xBC\xD2\n",
            b"key = \"\xBB\xF0\xD0\xC7\"?\n\xB9\xFA\xBC\xD2\n",
        ),
        ("北京".as_bytes(), b""),
        // The space before a word that is gone.
        ("## Προβολές\nx\n".as_bytes(), b"## \nx\n"),
        // GBK in a Macintosh file of which nothing beyond ASCII is left.
        (
            b"* 10 Culture\r\npermanente \x88 la surface de la plan\x8Fte.\r\n",
            b"* 10 p\xA8\xA6riode Culture\r\n",
        ),
    ];
    for (old, new) in cases {
        assert!(restored(old, new).1, "{}", old.escape_ascii());
    }
}

/// A line that was copied and damaged takes the bytes of the line that it looks like, with another indentation, too.
#[test]
fn copied_lines_are_restored_like_the_lines_that_they_look_like() {
    let old = b"x = 1\nSulje sen j\xE4lkeen\ny = 2\n";
    let wanted = b"x = 1\nSulje sen j\xE4lkeen\ny = 2\n\tSulje sen j\xE4lkeen\n";
    for new in [String::from_utf8_lossy(wanted).into_owned(), in_latin(wanted), without(wanted)] {
        assert_eq!(
            restored(old, new.as_bytes()).0.escape_ascii().to_string(),
            wanted.escape_ascii().to_string()
        );
    }
    // The first line has a byte order mark.
    let old = "\u{FEFF}# heading\nПривет, мир!\nx\n".as_bytes();
    assert!(restored(old, b"??????, ???!\n# heading\n??????, ???!\nx\n").1);
    // Two lines look like it.
    let old = b"Sulje sen j\xE4lkeen\nSulje sen j\xF6lkeen\n";
    let new = "Sulje sen j\u{FFFD}lkeen\nSulje sen j\u{FFFD}lkeen\nx\nSulje sen j\u{FFFD}lkeen\n";
    assert!(restored(old, new.as_bytes()).1);
    // Nothing was damaged.
    let old = "\t// ## 中文\n    // 水文\n".as_bytes();
    assert_eq!(compare(old, "    // 水文\n\t// ## 中文\n// 水文\n".as_bytes()).damage, []);
}

/// Bytes read as Latin-1.
fn in_latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// What is UTF-8 of bytes.
fn without(bytes: &[u8]) -> String {
    bytes.utf8_chunks().map(|chunk| chunk.valid()).collect()
}

/// Where most text beyond ASCII stayed, no program dropped the rest.
#[test]
fn text_that_stayed_speaks_against_a_program_that_drops_it() {
    let old = "\u{FEFF}app.key28=bilo koja od opcija koju prihvaća naredba „declare“.\napp.key46=Oslobađanje gumba\n\
               app.key11=zadano ako je DUŽINA_STRANICE <= 10\n";
    let new = "\u{FEFF}app.key28=bilo koja od\nopcija koju prihvaća naredba „declare“.\n! gumba\n\
               app.key11=zadano ako je DUŽINA_STRANICE <= 10\n  app.key11=zadano ako je DUŽINA_STRANICE <= 10\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
}
