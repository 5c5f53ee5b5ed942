//! What the old version says about places that would be doubtful without it, and what nothing says.

use unicode_normalization::UnicodeNormalization as _;

use crate::charset::Charset;
use crate::document::{DamageKind, Document, compare, restore};

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

/// A line of which only the number of letters is left may be any line of as many.
#[test]
fn a_line_of_one_lost_word_is_not_known_again() {
    let old = b"# heading\n\xB1\xB1\xBE\xA9\xBB\xB6\xD3\xAD\xC4\xE3\nend\n";
    let lost = "\u{FFFD}".repeat(10);
    assert!(restored(old, format!("{lost}\n{lost}\nend\n").as_bytes()).1);
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
    let kept = "要求したスナップショットをインポートできませんでした\n";
    let old = format!("FILE 内でソース定義が見つかりました\n{kept}");
    assert_eq!(compare(old.as_bytes(), format!("FILE \n{kept}").as_bytes()).damage, []);
    // Nor did one drop what an encoding lacks that others of its letters are in.
    let [sign, removed, next, copied] = [
        "%s: unbekanntes Zeichen in der Äquivalenz-Definition\n",
        "Sie benötigen ein Passwort, um den geheimen OpenPGP Schlüssel zu exportieren:\n",
        "Daemon läuft nicht\n",
        "Verschiedene Namen für Unterausdrücke der gleichen Nummer sind nicht erlaubt\n",
    ];
    let version = |lines: &[&str]| in_encoding("windows-1252", &lines.concat());
    let (old, new) = (version(&[sign, removed, next, copied]), version(&[sign, next, copied, copied]));
    assert_eq!(compare(&old, &new).damage, []);
}

/// Who removes words removes whole ones, and whole lines.
#[test]
fn words_that_were_removed_from_lost_text_are_whole() {
    let russian = |text: &str| in_encoding("koi8-r", text);
    let (text, edited) =
        ("у дочерней таблицы нет нужных ограничений\n", "у дочерней таблицы нужных ограничений\n");
    let lost =
        |text: &str| text.chars().map(|c| if c.is_ascii() { c } else { '\u{FFFD}' }).collect::<String>();
    assert_eq!(restored(&russian(text), lost(edited).as_bytes()), (russian(edited), false));
    // A question mark of a line that was removed, or the first letter of the next one.
    let old = b"\ttab?\n\x8F\xE0\xA8\xA2\xA5\xE2, \xAC\xA8\xE0!\n// \xA1\xEB\xE1\xE2\xE0\xA0\xEF\n";
    let new = b"?\xE0\xA8\xA2??, new ???!\n// ??????\n";
    let wanted = b"\x8F\xE0\xA8\xA2\xA5\xE2, new \xAC\xA8\xE0!\n// \xA1\xEB\xE1\xE2\xE0\xA0\xEF\n";
    assert_eq!(restored(old, new), (wanted.to_vec(), false));
    // Either of two words.
    let new = lost("у таблицы нет нужных ограничений и и\n");
    assert!(restored(&russian("у таблицы нет нужных ограничений и а и\n"), new.as_bytes()).1);
}

/// A mark that was doubled, or lost like the text, is restored.
#[test]
fn marks_are_restored_whatever_became_of_them() {
    let old = "\u{FEFF}Grüße\nx\n";
    let doubled = ["\u{FEFF}", old].concat().replace('x', "y");
    let damage = compare(old.as_bytes(), doubled.as_bytes()).damage;
    assert!(matches!(&*damage, [one] if one.kind == DamageKind::ByteOrderMark), "{damage:?}");
    assert_eq!(restored(old.as_bytes(), doubled.as_bytes()), (old.replace('x', "y").into_bytes(), false));
    let lost: String = old.chars().map(|c| if c.is_ascii() { c } else { '\u{FFFD}' }).collect();
    assert_eq!(restored(old.as_bytes(), lost.as_bytes()), (old.as_bytes().to_vec(), false));
    // Read as ASCII by a program that takes the mark off first.
    let bytes: String =
        old.bytes().skip(3).map(|b| if b.is_ascii() { char::from(b) } else { '\u{FFFD}' }).collect();
    assert_eq!(restored(old.as_bytes(), bytes.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// Text that was recoded and decomposed on the way.
#[test]
fn recoded_text_in_another_normal_form_is_restored() {
    let text = "Minimální výška\nx = 1\nžluťoučký kůň\n";
    let (old, edited) =
        (in_encoding("iso-8859-2", text), in_encoding("iso-8859-2", &text.replace('x', "yes")));
    let new: String = text.replace('x', "yes").nfd().collect();
    let damage = compare(&old, new.as_bytes()).damage;
    assert!(damage.iter().all(|one| one.kind == DamageKind::Recoded), "{damage:?}");
    assert_eq!(restored(&old, new.as_bytes()), (edited, false));
}

/// Python and iconv read the byte behind one that is no text again, and take what a code page leaves open for no
/// text.
#[test]
fn what_python_reads_in_a_wrong_encoding_is_restored() {
    for (old, new) in [
        ("一 個\nend 一\n", "涓\u{FFFD} 鍊\u{FFFD}\nend 涓\u{FFFD}\n"),
        ("无法 x\n", "譌\u{F8F0}豕\u{FFFD} x\n"),
        ("нет\n日本\n", "戟筠\u{FFFD}\u{FFFD}\n\u{FFFD}뿥\u{FFFD}쑍\n"),
    ] {
        assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false), "{old}");
    }
    let (old, new) = ("Á la carte, déjà\nx\n", "Ã\u{FFFD} la carte, dÃ©jÃ\u{A0}\nx\n");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// Read in one encoding, and then in another one.
#[test]
fn text_that_was_doubled_by_two_encodings_is_restored() {
    let old = "Grüße aus Köln\nÄrger mit Öl\n";
    let new = misread("cp850", &misread("latin1", old.as_bytes()));
    let new = String::from_utf8(new).unwrap().replace("aus", "nach");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.replace("aus", "nach").into_bytes(), false));
}

/// Text that was added to a doubled version is as it was typed, unless it was doubled with the rest.
#[test]
fn text_that_was_typed_into_a_doubled_version_stays() {
    let old = "Hélène naïve\nx = 1\nà bientôt\n";
    let doubled = String::from_utf8(misread("latin1", old.as_bytes())).unwrap();
    let (wanted, typed) = (old.replace("x = 1", "été"), doubled.replace("x = 1", "été"));
    assert_eq!(restored(old.as_bytes(), typed.as_bytes()), (wanted.clone().into_bytes(), false));
    assert_eq!(restored(old.as_bytes(), &misread("latin1", wanted.as_bytes())), (wanted.into_bytes(), false));
    // Lost with the rest.
    let lost = doubled.replace("x = 1", "Ã\u{FFFD}");
    assert!(restored(old.as_bytes(), lost.as_bytes()).1);
}

/// Text that was added to a version which is read in a wrong encoding is what the letters of the file say.
#[test]
fn text_that_was_added_before_or_after_a_wrong_reading_is_told_by_its_letters() {
    let old = in_encoding("windows-1251", "Съешь ещё этих булок\nx = 1\nда выпей чаю\n");
    let edited = in_encoding("windows-1251", "Съешь ещё этих булок\nчашка\nда выпей чаю\n");
    let misread_too = misread("koi8-r", &edited);
    assert_eq!(restored(&old, &misread_too), (edited.clone(), false));
    let typed = String::from_utf8(misread("koi8-r", &old)).unwrap().replace("x = 1", "чашка");
    let back = restored(&old, typed.as_bytes());
    assert!(back.1 || back.0 == edited, "{}", back.0.escape_ascii());
}

/// A line between two that end in different ways ends like most, and that is doubtful where line ends were damaged.
#[test]
fn line_ends_between_different_ones_are_those_of_most() {
    let mut document = Document::open(b"a\nb\nc\r\nd\n");
    document.set_text("a\nb\nnew\nc\nd\n").unwrap();
    assert_eq!(document.to_bytes(), &b"a\nb\nnew\nc\r\nd\n"[..]);
    assert!(restored(b"a\nb\nc\r\nd\n", b"a\r\nb\r\nnew\r\nc\r\nd\r\n").1);
    assert_eq!(restored(b"a\nb\nc\r\nd\n", b"a\r\nb\r\nc\r\nd\r\n"), (b"a\nb\nc\r\nd\n".to_vec(), false));
}

/// A character that needs a shift no more, because what stood before it was edited, is no damage.
#[test]
fn shifts_that_an_edit_makes_idle_are_no_damage() {
    let (old, new) = (&b"\x1B$B$\"$$\x1B(B x\n\x1B$B$\"\x1B(B\n"[..], &b"key: x\n\x1B$B$\"\x1B(B\n"[..]);
    assert_eq!(compare(old, new).damage, []);
    let old = b"x\n\x1B$B$\"\x1B(B\n\x1B$B$$\x1B(B\n";
    assert_eq!(restored(old, "x\nfix\nい\n".as_bytes()), (b"x\nfix\n\x1B$B$$\x1B(B\n".to_vec(), false));
    // Text in UTF-8 in a file of another encoding.
    assert!(restored(old, b"\xE3\x81\x86\n\x1B$B$\"\x1B(B\n\x1B$B$$\x1B(B\n").1);
}

/// A letter of a word that replaced another one is no trace of an encoding or of what was lost.
#[test]
fn words_that_were_replaced_are_no_damage() {
    let cases: [(&[u8], &[u8]); 2] = [
        // E9 is È in Macintosh's encoding.
        (b"PID ACC\xC8S  COMMANDE\nmain\n", b"PID sp\xE9cifi\xE9e  COMMANDE\n"),
        ("key=\u{975E}\u{6CD5}\u{6743}\u{9650} %s\nx\n".as_bytes(), b"Is it so?\nx\n"),
    ];
    for (old, new) in cases {
        assert_eq!(compare(old, new).damage, [], "{}", old.escape_ascii());
    }
    // The letter of the new word is lost, and is not that of the old one.
    let (old, new) = (b"x=Pokon\xE8no\ny=\xE8rno\n", b"x=Izvedi re?evalnik\ny=?rno\n");
    let (back, doubtful) = restored(old, new);
    assert!(doubtful && back.starts_with(b"x=Izvedi re?evalnik\n"), "{}", back.escape_ascii());
}

/// A line that was copied, and edited on the way.
#[test]
fn copied_and_edited_lines_are_restored() {
    let old = b"// TODO later\nmsg = \"une fronti\xE8re de NUM octets\";\nint x;\n";
    let want = b"// later\nmsg = \"une fronti\xE8re de NUM octets\"; again\nmsg = \"une fronti\xE8re de NUM octets\";\n\
                 int x;\n";
    assert_eq!(restored(old, String::from_utf8_lossy(want).as_bytes()), (want.to_vec(), false));
    // Two lines that it may be a copy of.
    let old = b"key.a=f\xEAte du roi\nx\nkey.b=f\xE8te du roi\n";
    let new = "key.a=f\u{FFFD}te du roi\nx\nkey.b=f\u{FFFD}te du roi\ny\nkey.c=f\u{FFFD}te du roi\n";
    assert!(restored(old, new.as_bytes()).1);
}

/// What Windows added to a national standard is an error to who knows only the standard, as Python's euc_kr does.
#[test]
fn text_read_by_the_standard_alone_is_restored() {
    let old = "SCH\u{C9}MA n\u{2019}est indiqu\u{E9}\n";
    let new = "SCH\u{FFFD}\u{FFFD}MA n\u{FFFD}\u{FFFD}\u{FFFD}est indiqu\u{CC55}\n";
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
    // Twice in windows-1252, which leaves 81 and 9D open.
    let old = "\u{201D}\u{C1}rv\u{ED}z\u{201D} \u{E9}s \u{FA}t\n";
    let new = "\u{C3}\u{A2}\u{E2}\u{201A}\u{AC}\u{EF}\u{BF}\u{BD}\u{C3}\u{192}\u{EF}\u{BF}\u{BD}\
               rv\u{C3}\u{192}\u{C2}\u{AD}z\u{C3}\u{A2}\u{E2}\u{201A}\u{AC}\u{EF}\u{BF}\u{BD} \
               \u{C3}\u{192}\u{C2}\u{A9}s \u{C3}\u{192}\u{C2}\u{BA}t\n";
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// The mark of UTF-8 before a file of which nothing beyond ASCII is left.
#[test]
fn the_mark_of_another_encoding_is_damage() {
    let old = b"# \xE1\xEB\xF6\xE1\nprint(1)\n";
    assert_eq!(restored(old, "\u{FEFF}print(1)\n".as_bytes()), (b"print(1)\n".to_vec(), false));
}

/// Lines of both versions end in different ways: a line that ends otherwise may be another one.
#[test]
fn line_ends_that_differ_in_both_versions_are_doubtful() {
    let (old, new) = (b"a\r\nb\nc\r\nd\n", b"a\r\nb\nd\r\n");
    let damage = compare(old, new).damage;
    assert!(damage.iter().all(|one| one.doubtful), "{damage:?}");
}

/// Read as GBK, and written with question marks: each of them was two characters.
#[test]
fn letters_that_were_swallowed_are_not_taken_for_deleted_ones() {
    let old = b"Omdan alle afh\xE6ngighedsproblemer\nmsg = m\xE6rke p\xE5virker v\xE6gten\nx\n";
    let new = b"Omdan alle afh?gighedsproblemer\nmsg = m?ke p?irker v?ten\nx\n";
    assert_eq!(restored(old, new), (old.to_vec(), false));
    let (old, new) = (b"afh\xE6ngig m\xE6rke\n", b"afh?gig m?ke\n");
    assert!(restored(old, new).1);
}

/// A line of lost letters with a word before it may be any line of as many.
#[test]
fn lost_letters_alone_do_not_tell_a_copied_line() {
    let old = "// 这是一个注释\nint x;\n中文文本测试\n";
    assert!(restored(old.as_bytes(), b"//\nint x;;\nchanged ??????\n").1);
}

/// UTF-16 that was read as bytes has lines of bytes, which a copy takes whole.
#[test]
fn copied_lines_of_utf16_are_restored() {
    let lines =
        ["première étape du café\r\n", "ünd größer als früher\r\n", "déjà vu à la télé\r\n", "fin\r\n"];
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

/// The mark is all that question marks replace in Russian UTF-16, whose bytes are ASCII.
#[test]
fn a_mark_of_utf16_that_became_question_marks_is_doubtful() {
    let in_utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let kept = "printf(\"Ошибка %d\");\r\nСъешь ещё этих булок\r\n";
    let old = in_utf16(&format!("\u{FEFF}приветь мирС\r\n{kept}"));
    let new = [b"??".to_vec(), in_utf16(kept)].concat();
    let damage = compare(&old, &new).damage;
    assert!(damage.iter().any(|one| one.kind == DamageKind::Replaced && one.doubtful), "{damage:?}");
}

/// A letter of another word of UTF-16 that was lost, too, is not the one that was there.
#[test]
fn lost_letters_of_other_words_of_utf16_are_doubtful() {
    let in_utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (old, new) = ("\u{FEFF}utdata för det första\n", "\u{FEFF}utdata på det första\n");
    let lossy = String::from_utf8_lossy(&in_utf16(new)).into_owned();
    assert!(restored(&in_utf16(old), lossy.as_bytes()).1);
}

/// As many question marks as a line of little else has tell nothing.
#[test]
fn lost_letters_of_other_lines_are_doubtful() {
    let (old, new) = ("msg = \"署名は n 週間で期限\"\nabc\n", "    // 水平方向の位\nabc\n");
    let asked: String = new.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
    let damage = compare(old.as_bytes(), asked.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    // The brackets around it are gone.
    let (old, new) = ("<p>الأذربيجانية (سيريلية)</p>\n", "<p>الأذربيجانية الأرقام\n");
    let (old, new) = (in_encoding("iso-8859-6", old), in_encoding("iso-8859-6", new));
    let (back, is_doubtful) = restored(&old, String::from_utf8_lossy(&new).as_bytes());
    assert!(is_doubtful, "{}", back.escape_ascii());
}

/// Question marks are evidence in ISO-2022-JP, too, all of which is ASCII.
#[test]
fn text_of_iso_2022_jp_that_was_replaced_is_restored() {
    let (old, new) = (b"a \x1B$B$\"$$\x1B(B b\n", b"a ?? c b\n");
    assert_eq!(restored(old, new), (b"a \x1B$B$\"$$\x1B(B c b\n".to_vec(), false));
}

/// A line that was replaced with another one that reads as well was edited.
#[test]
fn other_text_in_the_same_encoding_is_no_damage() {
    let old = "key.more84=存在しないサブパターンへの参照です\n";
    let new = "key.first75=-r, -R, --recursive   ディレクトリとその中身を再帰的に削除する\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
}

/// Letters are gone from within words, or all words are, in lines beside others that kept theirs.
#[test]
fn lines_that_lost_all_letters_are_doubtful() {
    let old = "do úhlopříčného šípu\nkey=значение параметра 5\nune idée naïve\n“quoted” text\n";
    let lost = |line: usize| -> String {
        let lines = old.split_inclusive('\n').enumerate();
        lines
            .map(|(at, text)| if at == line { text.replace(|c| c > '~', "") } else { text.to_owned() })
            .collect()
    };
    for line in 0..3 {
        let damage = compare(old.as_bytes(), lost(line).as_bytes()).damage;
        let is_told = |one: &crate::document::Damage| {
            one.kind == DamageKind::Removed && one.doubtful && one.line == line + 1
        };
        assert!(!damage.is_empty() && damage.iter().all(is_told), "{line}: {damage:?}");
    }
    // An edit of the line as well.
    let edited = lost(0).replacen("do ", "do the ", 1);
    let damage = compare(old.as_bytes(), edited.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    // Quotation marks are removed, and a word with its space.
    let deleted = old.replace("значение параметра", "параметра");
    for new in [lost(3), deleted] {
        assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, [], "{new}");
    }
}

/// A letter is gone from within a word of two lines. In one, a person may have mended the word.
#[test]
fn words_that_lost_a_letter_in_two_lines_are_doubtful() {
    let old = "Straßse ist\nKäse und Öl\nein Faß\ndie Füsse\n";
    let (mended, lost) = (old.replace("ßs", "ss"), old.replace("ßs", "s").replace('ü', ""));
    assert_eq!(compare(old.as_bytes(), mended.as_bytes()).damage, []);
    let damage = compare(old.as_bytes(), lost.as_bytes()).damage;
    assert!(matches!(&damage[..], [one, two] if one.doubtful && two.doubtful), "{damage:?}");
    // One word was perhaps mended in many lines.
    let old = ["die Straßse ist\n".repeat(5).as_str(), "Faß, groß, Spaß, Gruß, Fuß, süß\n"].concat();
    let damage = compare(old.as_bytes(), old.replace("ßs", "s").as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
}

/// A line that is still there was copied, and the copy damaged, beside another edit.
#[test]
fn copies_of_lines_that_were_damaged_are_doubtful() {
    let (old, kept, line) = (
        "un café très cher\nune idée naïve\nà bientôt\n",
        "un café très cher\nune idée naïve\n",
        "une idée naïve\n",
    );
    let decomposed: String = line.nfd().collect();
    let doubled = String::from_utf8(misread("latin1", line.as_bytes())).unwrap();
    for copy in [&*decomposed, &doubled] {
        let damage = compare(old.as_bytes(), [copy, kept].concat().as_bytes()).damage;
        assert!(matches!(&damage[..], [one] if one.doubtful && one.line == 1), "{copy}: {damage:?}");
    }
    assert_eq!(compare(old.as_bytes(), [line, kept].concat().as_bytes()).damage, []);
}

/// A line that was moved and damaged is found in a file in which too much stayed to look at all of it.
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

/// The byte order mark is gone, and text begins as the mark would have become.
#[test]
fn a_mark_that_is_gone_is_restored_beside_doubled_text() {
    let old = "\u{FEFF}جوویرایش\nسلام دنیا\n".as_bytes();
    let twice = misread("latin1", &misread("latin1", &old[3..]));
    assert_eq!(restored(old, &twice), (old.to_vec(), false));
    // U+FEFF behind the mark is text.
    let in_utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (old, new) = (in_utf16("\u{FEFF}\u{FEFF}0°N\nabc\n"), in_utf16("\u{FEFF}\u{FEFF}0°N\nac\n"));
    assert_eq!(compare(&old, &new).damage, []);
}

/// All that was beyond ASCII is gone, and the space before it or behind it stayed: whoever deletes a word takes that.
#[test]
fn the_only_word_that_is_gone_leaves_a_space() {
    for (old, new) in [("7,\"* * 위성\",2\n", "7,\"* (more) * \",2\n"), ("מקור |\nend\n", " |\n |\nend\n")]
    {
        let damage = compare(old.as_bytes(), new.as_bytes()).damage;
        let is_told = |one: &crate::document::Damage| one.kind == DamageKind::Removed && one.doubtful;
        assert!(damage.iter().any(is_told), "{new}: {damage:?}");
    }
    assert_eq!(compare("7,\"* 위성\",2\n".as_bytes(), b"7,\"*\",2\n").damage, []);
}

/// What is beyond ASCII in a word stays where it was, beside another character that was lost.
#[test]
fn a_letter_that_stayed_beside_a_lost_one_is_not_put_there_twice() {
    let line = "Malaga 'Marsa (fajiry) - Malgaşça'\n";
    let old = [&in_encoding("windows-1254", "dağ\n")[..], b"return 0;\n", line.as_bytes()].concat();
    let new = [
        &in_encoding("windows-1254", "dağ\n")[..],
        b"return 0; // more\n",
        line.replace('ç', "\u{FFFD}\u{FFFD}").as_bytes(),
    ]
    .concat();
    assert_eq!(restored(&old, &new), ([&old[..13], b" // more", &old[13..]].concat(), false));
}

/// A row whose cells were emptied lost as much as one from which a program dropped letters.
#[test]
fn emptied_cells_are_doubtful() {
    let old = "id;имя;адрес;телефон\n1;Анна;Москва;Мир;Сад\n2;Ян;Рим;Лес;Дом\n";
    let new = old.replace("Анна;Москва;Мир;Сад", ";;;");
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.clone().into_bytes(), true));
    // Nobody leaves the spaces between words.
    let old = "do úhlopříčného šípu\nkey.7=بازالتی دارد که نوعی\nune idée naïve\n“quoted” text\n";
    let new = old.replace("بازالتی دارد که نوعی", "   ");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.into_bytes(), true));
    // Glosses behind words have no space of their own.
    let (old, new) = ("cat猫 dog狗 run跑 far远\n今天天气\n", "cat dog run far\n今天天气\n");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.as_bytes().to_vec(), true));
}

/// Another word may have letters of the old one, which lost others by chance.
#[test]
fn a_word_in_the_place_of_another_one_lost_no_letters() {
    let old = in_encoding("iso-8859-3", "ŝanĝiĝis denove. En 1996 estis eltrovita roko de Marso,\n");
    let new = [b"and", &old[8..]].concat();
    assert_eq!(compare(&old, &new).damage, []);
    assert_eq!(restored(&old, &new).0, new);
}

/// Programs have different bytes for some characters of an encoding, of which nothing tells.
#[test]
fn added_characters_that_programs_write_otherwise_are_doubtful() {
    let old = in_encoding("big5", "火星氣候探測者號\n北極光\n");
    let new = |added: &str| -> Vec<u8> {
        let text = format!("\u{FEFF}火星氣候探測者號\n{added}\n北極光\n");
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    for (added, is_doubtful) in [("探測", false), ("шары", true), ("／", true)] {
        assert_eq!(restored(&old, &new(added)).1, is_doubtful, "{added}");
    }
}

/// Two encodings show the same for all of the old version, and have other bytes for a sign that was added.
#[test]
fn added_signs_of_text_that_two_encodings_may_have_read_are_doubtful() {
    let text = "* Συζήτηση για αυτή την\nΟ πλανήτης περιλαμβάνεται στους\nαπό τη ροή κάποιου υγρού\n";
    let old = in_encoding("windows-1253", text);
    for (added, is_doubtful) in [("Σύστημα\n", false), ("«Σύστημα\n", true)] {
        let wanted = [&old[..], &in_encoding("windows-1253", added)].concat();
        let (back, doubts) = restored(&old, &misread("iso-8859-2", &wanted));
        assert_eq!(doubts, is_doubtful, "{added}");
        assert!(is_doubtful || back == wanted, "{added}");
    }
}

/// The mark is gone, and the first word became as many question marks as it has letters.
#[test]
fn a_mark_that_is_gone_before_lost_letters_is_none_of_them() {
    let old = "\u{FEFF}ویرایش\n* Français\n";
    assert_eq!(restored(old.as_bytes(), b"??????\n* Fran?ais\n"), (old.as_bytes().to_vec(), false));
}

/// One character of a line in another encoding than the first of a file became one of that.
#[test]
fn a_single_character_in_the_encoding_of_other_lines_is_restored() {
    let lines = ["府調朝県浜戦断所百座必情批毎隊本試", "掲処緩露識続落渡先転伊広聴受川増議"];
    let text = lines.map(|line| format!("{line}\n")).concat();
    let first = in_encoding("gb18030", &text);
    let old = [&first[..], text.as_bytes()].concat();
    let at = first.len() + text.find('所').unwrap();
    let new = [&old[..at], &in_encoding("gb18030", "所")[..], &old[at + 3..]].concat();
    assert_eq!(restored(&old, &new), (old, false));
    // The line is read in the other encoding since, which shows some letters of it at other places.
    let line = "ان هناك تصرّف الأثناء، حدى, لها مرمى ويتّفق الأمريكي تم. أمّا أواخر عالمية دون قد. أعمال ا\n";
    let old = [line.as_bytes(), &in_encoding("iso-8859-6", "مارك كيلي\n")].concat();
    let at = line.find("ّفق").unwrap();
    let new = [&old[..at], b"\xF8", &old[at + 2..]].concat();
    assert_eq!(restored(&old, &new), (old, false));
}

/// Several encodings have all that is left, and each has another character for a sign that no view explains.
#[test]
fn signs_in_one_of_several_encodings_are_doubtful() {
    let old = "448,\"הקרח) • גופים טרנס-\",42\n61,\"של ריקוד ננקטת זכר. כלכלה הנאמנים רבה מה, כיצד חשמל\",63\n\
        אקטואליה ב מלא, דת שכל מועמדים סוציולו\n";
    let lost = |c: char| match c {
        '•' => 0xA5,
        c if c.is_ascii() => c as u8,
        _ => b'?',
    };
    let new: Vec<u8> = old.chars().map(lost).collect();
    let (back, is_doubtful) = restored(old.as_bytes(), &new);
    assert!(is_doubtful, "{}", back.escape_ascii());
}

/// A letter before a character is damage if the text has no other of its alphabet.
#[test]
fn a_misread_character_that_keeps_its_last_byte_is_restored() {
    let old = "O brilho mínimo é de magnitude, quando o\nConcepção artística\n\
        156. ↑ Malewar, Amit (16 de junho de 2020). «Weird green glow\n25. ↑ Lunine\nPáginas especiais\n";
    let wanted = old.replace("quando o\n", "quando o fixed\n");
    let new = wanted.replace("156. ↑", "156. в†‘").replace('«', "В«");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (wanted.into_bytes(), false));
}

/// The old version is in an encoding that is not known: what became of each of its letters still tells.
#[test]
fn text_in_an_unknown_encoding_that_was_recoded_is_told() {
    let text = "Привет, мир! Это файл для проверки.\nОшибка: нет доступа к данным.\nplain\n";
    let letters = |letter: fn(u32) -> u32| -> Vec<u8> {
        let byte = |c: char| if c.is_ascii() { c as u8 } else { letter(c as u32 - 'А' as u32) as u8 };
        text.chars().map(byte).collect()
    };
    // In the DOS encoding of Bulgaria, some of the bytes are letters that KOI8-R has at others.
    let old = letters(|place| 0x80 + place);
    let (back, is_doubtful) = restored(&old, &in_encoding("koi8-r", text));
    assert!(is_doubtful, "{}", back.escape_ascii());
    let old = letters(|place| 0xC0 + (37 * place + 11) % 64);
    assert!(!compare(&old, &in_encoding("iso-8859-5", text)).damage.is_empty());
}
