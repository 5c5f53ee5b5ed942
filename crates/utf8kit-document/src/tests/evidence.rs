//! Tests of evidence from the old version for places that would otherwise be doubtful, and of places without evidence.

use unicode_normalization::UnicodeNormalization as _;

use crate::tests::{in_encoding, misread, restored};
use crate::{DamageKind, Document, compare, restore};

/// Dropped letters belong to the remaining word or character, even next to an edit.
#[test]
fn dropped_letters_stay_with_their_words() {
    let cases: [(&[u8], &str, &[u8]); 4] = [
        (b"Tento skaln\xED \x9Atvar, p\xF8\n", "Tento skaln kdy, tvar, p\n", b"Tento skaln\xED kdy, \x9Atvar, p\xF8\n"),
        // The whole word was removed.
        (b"un bon caf\xE9 tr\xE8s bon pass\xE9\n", "un bon trs bon pass\n", b"un bon tr\xE8s bon pass\xE9\n"),
        // The only non-ASCII letter.
        (b"permis de pr\xE9ciser\n", "permis de prciser\n", b"permis de pr\xE9ciser\n"),
        // EUC-JP, but the bytes D6 B1 are also valid UTF-8.
        (
            b"\"\xA5\xD5\xA5\xA1: \xB4\xD6\xB1\xC7\xA4\xCF\")\n",
            "\"\u{565}: key, \u{5B1}\u{1E4}\")\n",
            b"\"\xA5\xD5\xA5\xA1: key, \xB4\xD6\xB1\xC7\xA4\xCF\")\n",
        ),
    ];
    for (old, new, wanted) in cases {
        let damage = compare(old, new.as_bytes()).damage;
        // Added text may also have lost letters.
        let is_doubtful = damage.iter().any(|one| one.doubtful && !one.old.is_empty());
        let back = restore(old, new.as_bytes(), &damage);
        assert!(back == wanted && !is_doubtful, "{new} {}", back.escape_ascii());
    }
    // It is unknown which word was removed.
    assert!(restored(b"f\xFCr f\xE9r x\nd\xE9j\xE0 vu\n", b"fr x\ndj vu\n").1);
}

/// Removing words from text that was encoded three times leaves whole characters.
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

/// UTF-16 whose bytes are all ASCII is not treated as ASCII, and a line is not evidence once its text was replaced.
#[test]
fn no_bytes_of_utf16_are_left_in_a_file_of_bytes() {
    let legacy = |text: &str| in_encoding("iso-8859-3", text);
    let old =
        [&"La ŝipo kaj la paĝo\nĉio estas ĝusta\n".repeat(8).into_bytes()[..], &legacy("ŝirka duono de la tera\n")];
    let text = ["La ŝipo kaj la paĝo\nĉio estas ĝusta\n".repeat(8), "ŝirka duono de la tera\n".to_owned()].concat();
    let (old, new) =
        (old.concat(), format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
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

/// Signs of damage that no view explains must be reported.
#[test]
fn signs_of_damage_are_not_passed_over() {
    let cases: [(&[u8], &[u8]); 3] = [
        // A byte that is not text, among a few that are.
        (b"key = \"\xBB\xF0\xD0\xC7\"\xFF\n\xB9\xFA\xBC\xD2\n", b"key = \"\xBB\xF0\xD0\xC7\"?\n\xB9\xFA\xBC\xD2\n"),
        // The space before a word that is gone.
        ("## Προβολές\nx\n".as_bytes(), b"## \nx\n"),
        // GBK in a Macintosh file in which nothing non-ASCII is left.
        (b"* 10 Culture\r\npermanente \x88 la surface de la plan\x8Fte.\r\n", b"* 10 p\xA8\xA6riode Culture\r\n"),
    ];
    for (old, new) in cases {
        let (back, is_doubtful) = restored(old, new);
        assert!(is_doubtful || back == old, "{}", old.escape_ascii());
    }
}

/// Where most non-ASCII text stayed, no program dropped the rest.
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
    // Nor did a program drop characters that an encoding lacks, if that encoding also lacks letters that stayed.
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

/// A person removes whole words and whole lines.
#[test]
fn words_that_were_removed_from_lost_text_are_whole() {
    let russian = |text: &str| in_encoding("koi8-r", text);
    let (text, edited) = ("у дочерней таблицы нет нужных ограничений\n", "у дочерней таблицы нужных ограничений\n");
    let lost = |text: &str| text.chars().map(|c| if c.is_ascii() { c } else { '\u{FFFD}' }).collect::<String>();
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
    // Read as ASCII by a program that first removes the mark.
    let bytes: String = old.bytes().skip(3).map(|b| if b.is_ascii() { char::from(b) } else { '\u{FFFD}' }).collect();
    assert_eq!(restored(old.as_bytes(), bytes.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// Text that was recoded and also decomposed.
#[test]
fn recoded_text_in_another_normal_form_is_restored() {
    let text = "Minimální výška\nx = 1\nžluťoučký kůň\n";
    let (old, edited) = (in_encoding("iso-8859-2", text), in_encoding("iso-8859-2", &text.replace('x', "yes")));
    let new: String = text.replace('x', "yes").nfd().collect();
    let damage = compare(&old, new.as_bytes()).damage;
    assert!(damage.iter().all(|one| one.kind == DamageKind::Recoded), "{damage:?}");
    assert_eq!(restored(&old, new.as_bytes()), (edited, false));
}

#[test]
fn decomposed_text_in_utf16_is_restored() {
    let text = "أخبار اليوم\nx = 1\nإلى الفضاء مؤمن\n";
    for name in ["utf-16le", "utf-16be"] {
        let encoded = |text: &str| in_encoding(name, text);
        let (old, edited) = (encoded(text), encoded(&text.replace('x', "yes")));
        let new = encoded(&text.replace('x', "yes").nfd().collect::<String>());
        let damage = compare(&old, &new).damage;
        assert!(damage.iter().all(|one| one.kind == DamageKind::Normalized), "{damage:?}");
        assert_eq!((restored(&old, &new), damage.len()), ((edited, false), 3), "{name}");
    }
}

/// Python and iconv read the byte after an invalid one again, and treat unassigned bytes of a code page as errors.
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

/// A new line between two with different line ends takes the most frequent one, which is doubtful if line ends were
/// damaged.
#[test]
fn line_ends_between_different_ones_are_those_of_most() {
    let mut document = Document::open(b"a\nb\nc\r\nd\n");
    document.set_text("a\nb\nnew\nc\nd\n").unwrap();
    assert_eq!(document.to_bytes(), &b"a\nb\nnew\nc\r\nd\n"[..]);
    assert_eq!(restored(b"a\nb\nc\r\nd\n", b"a\r\nb\r\nc\r\nd\r\n"), (b"a\nb\nc\r\nd\n".to_vec(), false));
}

/// A character that no longer needs a shift, because the text before it was edited, is not damage.
#[test]
fn shifts_that_an_edit_makes_idle_are_no_damage() {
    let (old, new) = (&b"\x1B$B$\"$$\x1B(B x\n\x1B$B$\"\x1B(B\n"[..], &b"key: x\n\x1B$B$\"\x1B(B\n"[..]);
    assert_eq!(compare(old, new).damage, []);
    let old = b"x\n\x1B$B$\"\x1B(B\n\x1B$B$$\x1B(B\n";
    assert_eq!(restored(old, "x\nfix\nい\n".as_bytes()), (b"x\nfix\n\x1B$B$$\x1B(B\n".to_vec(), false));
    // Text in UTF-8 in a file of another encoding.
    assert!(restored(old, b"\xE3\x81\x86\n\x1B$B$\"\x1B(B\n\x1B$B$$\x1B(B\n").1);
}

/// A letter of a replaced word is not evidence for an encoding or for lost text.
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
    // The new word lost a letter, which is not the letter of the old one.
    let (old, new) = (b"x=Pokon\xE8no\ny=\xE8rno\n", b"x=Izvedi re?evalnik\ny=?rno\n");
    let (back, doubtful) = restored(old, new);
    assert!(doubtful && back.starts_with(b"x=Izvedi re?evalnik\n"), "{}", back.escape_ascii());
}

/// Windows extensions to a national standard are errors to decoders of the plain standard, such as Python's euc_kr.
#[test]
fn text_read_by_the_standard_alone_is_restored() {
    let old = "SCH\u{C9}MA n\u{2019}est indiqu\u{E9}\n";
    let new = "SCH\u{FFFD}\u{FFFD}MA n\u{FFFD}\u{FFFD}\u{FFFD}est indiqu\u{CC55}\n";
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
    // Twice in windows-1252, in which 81 and 9D are unassigned.
    let old = "\u{201D}\u{C1}rv\u{ED}z\u{201D} \u{E9}s \u{FA}t\n";
    let new = "\u{C3}\u{A2}\u{E2}\u{201A}\u{AC}\u{EF}\u{BF}\u{BD}\u{C3}\u{192}\u{EF}\u{BF}\u{BD}\
               rv\u{C3}\u{192}\u{C2}\u{AD}z\u{C3}\u{A2}\u{E2}\u{201A}\u{AC}\u{EF}\u{BF}\u{BD} \
               \u{C3}\u{192}\u{C2}\u{A9}s \u{C3}\u{192}\u{C2}\u{BA}t\n";
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// The mark of UTF-8 before a file in which nothing non-ASCII is left.
#[test]
fn the_mark_of_another_encoding_is_damage() {
    let old = b"# \xE1\xEB\xF6\xE1\nprint(1)\n";
    assert_eq!(restored(old, "\u{FEFF}print(1)\n".as_bytes()), (b"print(1)\n".to_vec(), false));
}

/// Both versions have mixed line ends, so a line with another end may be another line.
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
}

/// A lost letter of another UTF-16 word is not the old letter.
#[test]
fn lost_letters_of_other_words_of_utf16_are_doubtful() {
    let in_utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (old, new) = ("\u{FEFF}utdata för det första\n", "\u{FEFF}utdata på det första\n");
    let lossy = String::from_utf8_lossy(&in_utf16(new)).into_owned();
    assert!(restored(&in_utf16(old), lossy.as_bytes()).1);
}

/// Question marks are also evidence in ISO-2022-JP, although all its bytes are ASCII.
#[test]
fn text_of_iso_2022_jp_that_was_replaced_is_restored() {
    let (old, new) = (b"a \x1B$B$\"$$\x1B(B b\n", b"a ?? c b\n");
    assert_eq!(restored(old, new), (b"a \x1B$B$\"$$\x1B(B c b\n".to_vec(), false));
}

/// A line that was replaced with another readable one was edited.
#[test]
fn other_text_in_the_same_encoding_is_no_damage() {
    let old = "key.more84=存在しないサブパターンへの参照です\n";
    let new = "key.first75=-r, -R, --recursive   ディレクトリとその中身を再帰的に削除する\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
}

/// The byte order mark was removed, and the text begins like a misdecoded mark.
#[test]
fn a_mark_that_is_gone_is_restored_beside_doubled_text() {
    let old = "\u{FEFF}جوویرایش\nسلام دنیا\n".as_bytes();
    let twice = misread("latin1", &misread("latin1", &old[3..]));
    assert_eq!(restored(old, &twice), (old.to_vec(), false));
    // U+FEFF after the mark is text.
    let in_utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let (old, new) = (in_utf16("\u{FEFF}\u{FEFF}0°N\nabc\n"), in_utf16("\u{FEFF}\u{FEFF}0°N\nac\n"));
    assert_eq!(compare(&old, &new).damage, []);
}

/// All non-ASCII text was removed, but the space before or after it stayed. A person who deletes a word also deletes
/// its space.
#[test]
fn the_only_word_that_is_gone_leaves_a_space() {
    for (old, new) in [("7,\"* * 위성\",2\n", "7,\"* (more) * \",2\n"), ("מקור |\nend\n", " |\n |\nend\n")] {
        let damage = compare(old.as_bytes(), new.as_bytes()).damage;
        let is_reported = |one: &crate::Damage| one.kind == DamageKind::Removed && one.doubtful;
        assert!(damage.iter().any(is_reported), "{new}: {damage:?}");
    }
    assert_eq!(compare("7,\"* 위성\",2\n".as_bytes(), b"7,\"*\",2\n").damage, []);
}

/// A non-ASCII letter that stayed keeps its position next to a lost character.
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

/// The mark is gone, and the first word became as many question marks as it has letters.
#[test]
fn a_mark_that_is_gone_before_lost_letters_is_none_of_them() {
    let old = "\u{FEFF}ویرایش\n* Français\n";
    assert_eq!(restored(old.as_bytes(), b"??????\n* Fran?ais\n"), (old.as_bytes().to_vec(), false));
}

/// One character of a line was written in the encoding of the other lines.
#[test]
fn a_single_character_in_the_encoding_of_other_lines_is_restored() {
    let lines = ["府調朝県浜戦断所百座必情批毎隊本試", "掲処緩露識続落渡先転伊広聴受川増議"];
    let text = lines.map(|line| format!("{line}\n")).concat();
    let first = in_encoding("gb18030", &text);
    let old = [&first[..], text.as_bytes()].concat();
    let at = first.len() + text.find('所').unwrap();
    let new = [&old[..at], &in_encoding("gb18030", "所")[..], &old[at + 3..]].concat();
    assert_eq!(restored(&old, &new), (old, false));
    // The line is now decoded from the other encoding, so that some letters appear at other positions.
    let line = "ان هناك تصرّف الأثناء، حدى, لها مرمى ويتّفق الأمريكي تم. أمّا أواخر عالمية دون قد. أعمال ا\n";
    let old = [line.as_bytes(), &in_encoding("iso-8859-6", "مارك كيلي\n")].concat();
    let at = line.find("ّفق").unwrap();
    let new = [&old[..at], b"\xF8", &old[at + 2..]].concat();
    assert_eq!(restored(&old, &new), (old, false));
}

/// A letter before a character is damage if the text has no other letters of its alphabet.
#[test]
fn a_misread_character_that_keeps_its_last_byte_is_restored() {
    let old = "O brilho mínimo é de magnitude, quando o\nConcepção artística\n\
        156. ↑ Malewar, Amit (16 de junho de 2020). «Weird green glow\n25. ↑ Lunine\nPáginas especiais\n";
    let wanted = old.replace("quando o\n", "quando o fixed\n");
    let new = wanted.replace("156. ↑", "156. в†‘").replace('«', "В«");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (wanted.into_bytes(), false));
}

/// In the Bulgarian DOS encoding MIK, some bytes are letters that KOI8-R has at other bytes.
#[test]
fn text_in_a_rare_encoding_that_was_recoded_is_restored() {
    let text = "Привет, мир! Это файл для проверки.\nОшибка: нет доступа к данным.\nplain\n";
    let old = in_encoding("mik", text);
    assert_eq!(restored(&old, &in_encoding("koi8-r", text)), (old, false));
}
