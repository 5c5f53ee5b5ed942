//! Tests of damage to single places in an otherwise unchanged text.

use utf8kit_encodings::charset::Charset;

use crate::{DamageKind, compare, restore};

fn encode(name: &str, text: &str) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    text.chars().flat_map(|c| codec.says(c).unwrap()).collect()
}

/// Returns the kinds of damage and whether each is doubtful, and the restored version.
fn found(old: &[u8], new: &[u8]) -> (Vec<(DamageKind, bool)>, Vec<u8>) {
    let damage = compare(old, new).damage;
    let restored = restore(old, new, &damage);
    (damage.iter().map(|one| (one.kind, one.doubtful)).collect(), restored)
}

#[test]
fn a_single_character_that_was_lost_or_misread_is_restored() {
    let text = "\u{FEFF}Une naïve idée du café là-bas\nEncore une ligne à voir\n";
    let with = |name: &str, became: &str| encode(name, &text.replace("café", became).replace("Encore", "Puis"));
    let wanted = |name: &str| with(name, "café");
    for name in ["utf-8", "utf-16le", "utf-32be"] {
        let old = encode(name, text);
        let cases = [
            ("caf\u{FFFD}", DamageKind::Replaced),
            ("caf\u{FFFD}\u{FFFD}", DamageKind::Replaced),
            ("cafÃ©", DamageKind::Doubled),
            ("caf├®", DamageKind::Doubled),
        ];
        for (became, kind) in cases {
            assert_eq!(found(&old, &with(name, became)), (vec![(kind, false)], wanted(name)), "{name} {became}");
        }
        // A person may have written one of these.
        let (damage, restored) = found(&old, &with(name, "caf?"));
        assert_eq!((damage, restored), (vec![(DamageKind::Replaced, true)], with(name, "caf?")), "{name}");
        for became in ["cafè", "caf", "cafe", "caféé"] {
            assert_eq!(found(&old, &with(name, became)), (vec![], with(name, became)), "{name} {became}");
        }
    }
}

/// One character became UTF-8, or ceased to be.
#[test]
fn a_single_character_in_another_encoding_is_restored() {
    let text = "Une naïve idée du café là-bas\nEncore une ligne à voir\n";
    let (utf8, legacy) = (text.as_bytes().to_vec(), encode("windows-1252", text));
    let put = |old: &[u8], from: &[u8], to: &[u8]| {
        let at = memchr::memmem::find(old, from).unwrap();
        [&old[..at], to, &old[at + from.len()..]].concat()
    };
    let recoded = vec![(DamageKind::Recoded, false)];
    let new = put(&legacy, b"caf\xE9", "café".as_bytes());
    assert_eq!(found(&legacy, &new), (recoded.clone(), legacy.clone()));
    let new = put(&utf8, "café".as_bytes(), b"caf\xE9");
    assert_eq!(found(&utf8, &new), (recoded, utf8.clone()));
    let new = put(&legacy, b"caf\xE9", "caf\u{FFFD}".as_bytes());
    assert_eq!(found(&legacy, &new), (vec![(DamageKind::Replaced, false)], legacy));
    // The text after it is decoded out of step.
    let old = encode("gb18030", "打开文件以重新映射文件\nint main(void) {\n描述符失败\n");
    for (became, kind) in [("新", DamageKind::Recoded), ("\u{FFFD}", DamageKind::Replaced)] {
        let new = put(&old, &encode("gb18030", "新"), became.as_bytes());
        assert_eq!(found(&old, &new), (vec![(kind, false)], old.clone()));
    }
    // A part of a character remains.
    let new = put(&utf8, "café".as_bytes(), b"caf\xC3");
    assert_eq!(found(&utf8, &new), (vec![(DamageKind::Recoded, true)], new));
}

/// A rewritten line may have another character there.
#[test]
fn a_single_character_of_another_line_is_doubtful() {
    let old = "Là-bas, été comme hiver\nEncore une ligne à voir\n".as_bytes();
    let new = "Dehors, toute l'ann\u{FFFD}e\nEncore une ligne à voir\n".as_bytes();
    let (damage, restored) = found(old, new);
    assert!(damage.iter().all(|&(_, doubtful)| doubtful) && !damage.is_empty(), "{damage:?}");
    assert_eq!(restored, new);
}

/// A misdecoded character may end with the character itself. If letters like the one before it are usual, it may be a
/// real one.
#[test]
fn a_single_character_that_ends_as_it_did_is_restored() {
    let text = "La réponse « oui »\nEncore une ligne\n";
    let doubled = text.replace('»', "Â»");
    let old = text.as_bytes();
    assert_eq!(found(old, doubled.as_bytes()), (vec![(DamageKind::Doubled, false)], old.to_vec()));
    let (old, recoded) = (encode("windows-1252", text), encode("windows-1252", &doubled));
    assert_eq!(found(&old, &recoded), (vec![(DamageKind::Recoded, false)], old));
    for (old, new) in [("Пункты «А»\n", "Пункты «АВ»\n"), ("« PÂTÉ » 1 §\n", "« PÂTÉ » 1 Â§\n")]
    {
        assert_eq!(found(old.as_bytes(), new.as_bytes()), (vec![], new.as_bytes().to_vec()));
    }
}

/// Some encoding lacks every letter.
#[test]
fn a_single_letter_that_was_deleted_is_no_damage() {
    let text = "desliga hifenização\nnão há mais\n";
    let (old, new) = (encode("windows-1252", text), encode("windows-1252", &text.replace('ç', "")));
    assert_eq!(found(&old, &new), (vec![], new));
}

/// Where spaces separate words, a question mark that ends a sentence never directly precedes a letter.
#[test]
fn a_question_mark_before_a_letter_is_one_that_was_lost() {
    let text = "Mặt trời\nUne naïve idée de café: être là\nЛюблю тебя\n사랑해요 여러분\n別の行です\n";
    let cases = [("Mặt", "M?t"), ("naïve", "na?ve"), ("être", "?tre"), ("Люблю", "Лю?лю"), ("사랑해요", "사?해요")];
    for (word, became) in cases {
        let (old, new) = (text.as_bytes(), text.replace(word, became));
        assert_eq!(found(old, new.as_bytes()), (vec![(DamageKind::Replaced, false)], old.to_vec()), "{became}");
    }
    for (word, became) in [("café", "caf?"), ("là", "l?"), ("別の行", "別?行"), ("여러분", "여러?")] {
        let new = text.replace(word, became).into_bytes();
        assert_eq!(found(text.as_bytes(), &new), (vec![(DamageKind::Replaced, true)], new), "{became}");
    }
}

/// A person types a question mark before a letter in a path, a URL or a pattern.
#[test]
fn a_question_mark_in_a_path_or_url_is_doubtful() {
    let cases = [
        ("cp résumé.txt /srv", "cp r?sum?.txt /srv"),
        ("http://x.org/éa=1", "http://x.org/?a=1"),
        ("ls *éa", "ls *?a"),
        ("ls C:\\naïve", "ls C:\\na?ve"),
        ("grep ^(naïve)", "grep ^(na?ve)"),
        ("mail élan@x", "mail ?lan@x"),
    ];
    for (line, became) in cases {
        for name in ["utf-8", "windows-1252", "utf-16le"] {
            let [old, new] = [line, became].map(|line| encode(name, &format!("{line}\nune naïve idée\nà l’école\n")));
            let (damage, kept) = found(&old, &new);
            let is_doubtful = |one: &(DamageKind, bool)| *one == (DamageKind::Replaced, true);
            assert!(!damage.is_empty() && damage.iter().all(is_doubtful), "{name} {became}: {damage:?}");
            assert_eq!(kept, new, "{name} {became}");
        }
    }
    let sentence = "« Une naïve: (très) »; l’élève.\nà l’école\n";
    let (old, new) = (sentence, sentence.replace("naïve", "na?ve").replace("élève", "él?ve"));
    assert_eq!(found(old.as_bytes(), new.as_bytes()).1, old.as_bytes());
}

/// A byte of the character stays in place by coincidence, or the encoding is not the one detected.
#[test]
fn a_single_character_that_keeps_a_byte_is_restored() {
    /// An encoding, a text, a byte of it, its replacement, and the kind of damage.
    type Case = (&'static str, &'static str, &'static [u8], &'static [u8], DamageKind);
    let cases: [Case; 5] = [
        ("windows-874", "ภาพเคลื่อนไหว\nแสดง\n", b"\xE0", "เ".as_bytes(), DamageKind::Recoded),
        ("windows-1255", "מיקרואורגניזמים כגון\nשורה נוספת\n", b"\xE5", "\u{FFFD}".as_bytes(), DamageKind::Replaced),
        (
            "windows-1253",
            "Πύλη Κοινότητας είναι\nΑκόμα και τώρα\n",
            b"\xE5",
            "\u{FFFD}".as_bytes(),
            DamageKind::Replaced,
        ),
        // The other bytes of U+FFFD are letters of the text.
        (
            "windows-1253",
            "Πύλη Κοινότητας είναι\nΑκόμα και τώρα\n",
            b"\xEF",
            "\u{FFFD}".as_bytes(),
            DamageKind::Replaced,
        ),
        ("windows-1252", "Une naïve idée\nAjouter ½ tasse ici\n", b"\xBD", "\u{FFFD}".as_bytes(), DamageKind::Replaced),
    ];
    for (name, text, byte, became, kind) in cases {
        let old = encode(name, text);
        for at in memchr::memmem::find_iter(&old, byte) {
            let new = [&old[..at], became, &old[at + 1..]].concat();
            assert_eq!(found(&old, &new), (vec![(kind, false)], old.clone()), "{name} {at}");
        }
    }
    // Two bytes may be two letters.
    let old = encode("iso-8859-5", "Дата обращения\nМарс перепроверяют на наличие органики\n");
    let new = [&old[..1], "а".as_bytes(), &old[2..]].concat();
    assert_eq!(found(&old, &new), (vec![(DamageKind::Recoded, true)], new));
    // Code page 852.
    let (old, new) = (b"<td>* V\xECvoj\xA0\xFDi</td>\n", b"<td>* V\xC3\xBDvoj\xA0\xFDi</td>\n");
    assert_eq!(found(old, new), (vec![(DamageKind::Recoded, false)], old.to_vec()));
}

/// A person writes the ASCII one, and so does any program that loses the others.
#[test]
fn a_question_mark_for_another_one_is_no_damage() {
    let cases = [
        ("gb18030", "你好吗？我很好。\n今天天气不错。\n", '？'),
        ("shift_jis", "これは何ですか？\n別の行です\n", '？'),
        ("utf-8", "これは何ですか？\n別の行です\n", '？'),
        ("utf-16le", "これは何ですか？\n別の行です\n", '？'),
        ("utf-8", "كيف حالك؟\nمرحبا بالعالم\n", '؟'),
        ("utf-8", "¿Qué? Más\nNo sé\n", '¿'),
        ("utf-8", "What‽ Tests\nun café\n", '‽'),
        ("utf-8", "What⁇ Tests\n", '⁇'),
        ("windows-1252", "¿Que? Mas\n", '¿'),
        ("utf-8", "¿Que? Mas\n¿No?\n", '¿'),
    ];
    for (name, text, sign) in cases {
        let (old, new) = (encode(name, text), encode(name, &text.replace(sign, "?")));
        assert_eq!(found(&old, &new), (vec![], new), "{name} {sign}");
    }
    // Other signs may be lost.
    for (old, sign) in [("Vraiment…\nUne ligne à voir\n", '…'), ("你好吗！我很好。\n今天天气不错。\n", '！')]
    {
        let new = old.replace(sign, "?").into_bytes();
        assert_eq!(found(old.as_bytes(), &new), (vec![(DamageKind::Replaced, true)], new));
    }
}

/// A question mark that ends a sentence is never within a word, or within a character of several code points.
#[test]
fn question_marks_that_nobody_types_are_ones_that_were_lost() {
    let text = "ภูเขาโอลิมปัส\nΤο σπίτι είναι\nصعبة جدا هنا\nune idée, une autre\nprintf(\"atmosférique\\n\");\n";
    let cases = [("ภู", "ภ?"), ("idée, une", "id?e, une"), ("atmosférique", "atmosf?rique")];
    for (word, became) in cases {
        let (old, new) = (text.as_bytes(), text.replace(word, became));
        let wanted = (vec![(DamageKind::Replaced, false)], old.to_vec());
        assert_eq!(found(old, new.as_bytes()), wanted, "{became}");
    }
    // Ends of words, masks and placeholders, which somebody may type.
    for (old, new) in [
        ("Où aller? Volé, dit-il\nà bientôt\n", "Où aller? Vol?, dit-il\nà bientôt\n"),
        ("Το σπίτι είναι\nκαλά\n", "Το σπίτ? είναι\nκαλά\n"),
        ("имя: Иван\nпуть резюме\n", "имя: ????\nпуть резюме\n"),
        ("答案：北京大学\n今天\n", "答案：????\n今天\n"),
    ] {
        let (damage, restored) = found(old.as_bytes(), new.as_bytes());
        assert!(!damage.is_empty() && damage.iter().all(|one| *one == (DamageKind::Replaced, true)), "{new}");
        assert_eq!(restored, new.as_bytes());
    }
}

/// In a line of two non-ASCII characters, recoding one of them costs as much as recoding the whole file with an edit.
#[test]
fn a_single_character_among_two_is_restored() {
    let cases = [
        ("windows-1252", "possíveis fontes, o metano também\n", 'é', "é", DamageKind::Recoded),
        ("cp850", "im flüssigen Kern Strömungen\n", 'ü', "ü", DamageKind::Recoded),
        ("macintosh", "secção: Canais\n", 'ã', "\u{FFFD}", DamageKind::Replaced),
    ];
    for (name, text, lost, became, kind) in cases {
        let old = encode(name, text);
        let byte = encode(name, &lost.to_string());
        let at = memchr::memmem::find(&old, &byte).unwrap();
        let new = [&old[..at], became.as_bytes(), &old[at + byte.len()..]].concat();
        assert_eq!(found(&old, &new), (vec![(kind, false)], old.clone()), "{name}");
    }
}

/// The line of a lost character is not a line that was moved, in a file of two encodings.
#[test]
fn a_single_question_mark_in_a_file_of_two_encodings_is_doubtful() {
    let lines = ["概熟可フセツ号分もちすて上実定タト", "火星の地形図。特徴的な地形", "候補地と幼虫の行列"];
    let mut old: Vec<u8> = lines.iter().flat_map(|line| encode("shift_jis", &format!("{line}\n"))).collect();
    old.extend_from_slice("もう一つの行です\nそして最後の行です\n".as_bytes());
    let at = memchr::memmem::find(&old, &encode("shift_jis", "フ")).unwrap();
    let new = [&old[..at], b"?", &old[at + 2..]].concat();
    assert_eq!(found(&old, &new), (vec![(DamageKind::Replaced, true)], new));
}

/// An encoding of two bytes for a character read ASCII with the last byte of one, while other lines kept theirs.
#[test]
fn a_single_character_that_was_read_with_ascii_is_restored() {
    let old = "<h2>* Puńsk \"Puńsk (crater)\")</h2>\nune idée très naïve, à peu près\n";
    let new = old.replace("ńs", "ﾅг").replace("près", "près;");
    let wanted = vec![(DamageKind::Doubled, false), (DamageKind::Doubled, false)];
    assert_eq!(found(old.as_bytes(), new.as_bytes()), (wanted, old.replace("près", "près;").into_bytes()));
}
