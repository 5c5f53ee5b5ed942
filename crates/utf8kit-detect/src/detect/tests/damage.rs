//! Tests the distinction between damage and text in another encoding.

use super::*;

#[test]
fn hostile_utf8_is_no_legacy_text() {
    let hostile: [&[u8]; 4] = [
        b"\xC0\xAF\xED\xA0\x80",
        b"\xC0\xAF\xED\xA0\x80 \xF4\x90\x80\x80 and some text",
        b"\"\xF8\x80\x80\x80\xAF\" |\n",
        b"\xE0\x80\xAF\xF0\x80\x80\xAF\xC1\x81",
    ];
    for bytes in hostile {
        let guess = weigh(bytes);
        assert_eq!(guess.encoding, Some("utf-8"), "{}", Hex(bytes));
        assert_eq!(guess.clone().unless_utf8(), None, "{}", Hex(bytes));
    }
}

#[test]
fn a_sequence_cut_off_at_the_end_is_utf8() {
    for bytes in [&b"It\xE2\x80"[..], b"\xF0\x9F\x98", b"Copyright \xC2", b"caf\xC3\xA9 caf\xC3"] {
        let guess = weigh(bytes);
        let found = (guess.encoding, guess.action, guess.reads_well);
        assert_eq!(found, (Some("utf-8"), Some(Action::ReplaceErrors), false), "{guess:?}");
    }
    // Each line with an error also has a valid sequence.
    let bytes = [b"\xC3\x9Cber \xC3ber uns\n".repeat(3), "Größe und Länge für Übungen\n".repeat(10).into()].concat();
    let guess = weigh(&bytes);
    assert_eq!((guess.action, guess.reads_well), (Some(Action::ReplaceErrors), false), "{guess:?}");
    // The last letter of a word.
    assert_eq!(weigh(b"caf\xE9").encoding, Some("windows-1252"));
    assert!(weigh(b"caf\xC3\xA9 caf\xE9").reads_well);
}

#[test]
fn a_sequence_cut_off_at_the_start_is_utf8() {
    let text = "Größe und Länge, naïve Übung. Straße\n中文 — 日本語, ça va\n".repeat(3);
    let whole = text.as_bytes();
    let mut cut = 0;
    for start in (1..whole.len()).filter(|&start| !text.is_char_boundary(start) && start < whole.len() / 2) {
        for end in [whole.len(), whole.len() - 1] {
            let found = detect(&whole[start..end]);
            assert_eq!(found.encoding, Some("utf-8"), "{start} {found:?}");
            // œ and Ÿ may begin a word.
            let is_letter = matches!(whole[start], 0x9C | 0x9F) && whole[start + 1].is_ascii_alphabetic();
            let is_known = !found.reads_well && found.action == Some(Action::ReplaceErrors);
            assert!(is_known || is_letter, "{start} {found:?}");
            cut += usize::from(found.evidence[0].contains("start cuts off"));
        }
    }
    assert!(cut > 10, "{cut}");
    // © is as frequent, but not before words like this one.
    let arabic = "السنة الأولى والسنة الثانية\n";
    let found = detect(arabic.split_at(arabic.find('ة').unwrap()).1.as_bytes().get(1..).unwrap());
    assert_eq!((found.action, found.reads_well), (Some(Action::ReplaceErrors), false), "{found:?}");
    // It may be a first letter or sign in another encoding.
    for sign in [&b"\xA9 2026"[..], b"\xBFQu", b"\x93yes", b"\x8Akoda", b"\x80 5"] {
        let found = detect(&[sign, b"\n", whole].concat());
        assert_ne!(found.action, Some(Action::ReplaceErrors), "{sign:?} {found:?}");
    }
}

/// The likeliest encoding is another one, in which the text reads oddly. A repair would replace the text nonetheless.
#[test]
fn text_that_reads_oddly_is_not_taken_for_damage() {
    for bytes in [
        &b"The moons \xD0 both \xD0 are small.\n"[..], // dashes of macintosh
        b"MgSO4\xA57H2O\n",                            // its bullet
        b"Za\xBF\xF3\xB3\xE6\n",                       // Polish in windows-1250, with `F3 B3`
        b"Za\xBF\xF3\xB3\xE6 2024\n",
        b"1,5 [\xB5m](/wiki/m) in diameter\n", // the micro sign, in windows-1252
        b"Fig. 3, \xAE The unique type of Mars \xAF, p. 7\n", // quotation marks of CP437
        b"\xE8401000000 [\xE3\xEA\xE4\xE8\xE5\xCA\xD1]\n", // Arabic in ISO-8859-6, next to digits
        b"\xE1\xCA\xB4\xA7\xBC\xD7\xB9[\xE0\xC3\xE2\xA1\xC5\xD4\xB8]\n", // Thai, partly well-formed UTF-8
        b"[\xF1\xE9\xD9\xFE] \xFB\xFD\xE0\xF8\n", // rare characters in EUC-KR
        b"\xC4\xA3\xB0\xE5wayback\xC1\xB4\xBD\xD3\n", // GBK within a Latin word
        b"\xAE\xE0\xA1\xA8\xE2\xA0\xAB\xEC\xAD\xA0\xEF\n", // IBM866, partly well-formed UTF-8
        b"\xE2\x86\x91\nMars \x96 Bulgarisch\n", // UTF-8, and a dash in windows-1252
        b"geh\xC3\xB6rt neben\n(\x81bersetzt etwa)\n", // UTF-8, and German in CP850
        b"Avera\xC4\x9Da\nAlbedo la\xFD Bond\n", // UTF-8, and Esperanto in ISO-8859-3
        b"\xE7\x81\xAB\xE6\x98\x9F\nMars \xA8C planet\n", // UTF-8, and a dash in GBK
        b"bu kabukta i\x9F denetimi\ne\xC5\x9Fle\xC5\x9Fme yok\n", // UTF-8, and Turkish in CP857
        b"format=\xAE\xE6\xA6\xA1\n\xE6\x98\x9F\xE6\x9C\x9F\n", // UTF-8, and Big5, partly UTF-8 by chance
        b"kommando: %s\n\xDE\x9D\xD9\n",       // Persian in windows-1256, partly UTF-8
        b"\xD1\x82\xD0\xB0\nslabinfo, stat \xE2\xA0 vmstat.\n", // UTF-8, and IBM866 like the start of Braille
        b"z\xC3\xA1znamy\n--user \xF2\x89ET\n", // UTF-8, and Czech in x-mac-ce
        b"d\xC3\xA9pend\nla notion n\xC5gative\n", // UTF-8, and French in HP Roman-8
    ] {
        let guess = weigh(bytes);
        assert!(guess.reads_well, "{} {guess:?}", Hex(bytes));
    }
    for bytes in [
        &b"gebr\xC3uchlich"[..],
        b"Program\xC4",
        b"[1996\xEB",
        b"upload.\xC0\xAFwikimedia\n\xE2\x80\x93\n",
        b"J \xED\xA4\x9B10 \xE2\x80\xA2\n",
        b"Hinwe\xE2\x80ise\n20\xC2\xA0km\n",
        b"formi\xC4 de la\nla\xC5\xAD\n",
        b"wikim\xFFedia\n\xC3\xA9t\xC3\xA9\n",
    ] {
        assert!(!weigh(bytes).reads_well, "{} {:?}", Hex(bytes), weigh(bytes));
    }
}

#[test]
fn legacy_and_broken_text() {
    let russian = b"\xF0\xD2\xC9\xD7\xC5\xD4, \xCD\xC9\xD2! \xEB\xC1\xCB \xC4\xC5\xCC\xC1?";
    let guess = weigh(russian);
    assert_eq!((guess.encoding, guess.confidence), (Some("KOI8-U"), Confidence::Certain));
    let mut broken = "\u{44F}".repeat(20).into_bytes();
    broken.push(0xFF);
    assert_eq!((weigh(&broken).encoding, weigh(&broken).confidence), (Some("utf-8"), Confidence::Likely));
}

/// A letter in another encoding within a word of UTF-8.
#[test]
fn letters_between_sequences_of_utf8_are_read() {
    let cases = [
        (
            "Говоря интуитивно, это мера того, насколько уверены все остальные люди в этом мире\n",
            "мер",
            "а",
            "",
            "windows-1251",
        ),
        (
            "تم تحديث جميع الملفات المخيمات الصحراوية بنجاح وتم حفظ جميع الإعدادات في المجلد\n",
            "مخي",
            "م",
            "ات",
            "windows-1256",
        ),
        (
            "Esta biblioteca provê funções embutidas, então as versões não são iguais\n",
            "fun",
            "ç",
            "ões",
            "windows-1252",
        ),
    ];
    for (line, before, letter, after, name) in cases {
        let mixed = [line.as_bytes(), before.as_bytes(), &encoded(letter, name), after.as_bytes(), b"\n"].concat();
        let guess = weigh(&mixed);
        assert!(guess.reads_well, "{name}: {guess:?}");
        let action = guess.action.unwrap_or_else(|| panic!("{name}: {guess:?}"));
        let becomes = repaired_by(action, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some(format!("{line}{before}{letter}{after}\n")), "{name}: {action:?}");
    }
}

/// A character whose second byte is ASCII is decoded, but its encoding is not certain.
#[test]
fn single_letters_between_sequences_of_utf8_are_no_damage() {
    let cases = [
        ("の挿入と削除を行うメニューを表示します\n", "メ", "ニ", "ュー", "shift_jis"),
        ("將會安裝以下版本未受信賴的套件有可能損害您的系統安全\n", "未受信賴的", "套", "件！", "big5"),
    ];
    for (line, before, letter, after, name) in cases {
        let mixed = [line.as_bytes(), before.as_bytes(), &encoded(letter, name), after.as_bytes(), b"\n"].concat();
        assert!(weigh(&mixed).reads_well, "{name}: {:?}", weigh(&mixed));
    }
}

/// Together with the ASCII byte after it, such a byte is a frequent character in some encoding. The quotation marks,
/// bullets and dashes of windows-1252 are left out because they may be meant.
#[test]
fn a_stray_byte_before_ascii_in_east_asian_text_is_damage() {
    let chinese = "打开文件以重新映射文件。设置保存文件。\n今天天气不错\n";
    let japanese = "日本語のテキストです。設定を保存します。\n次の行に進みます\n";
    for (line, before, after) in
        [(chinese, "维生素", "C片"), (chinese, "打开", "S文件"), (japanese, "第", "A章"), (japanese, "の", "B。")]
    {
        for stray in [0x83, 0x8E, 0x90, 0x9E, 0xB0, 0xB5, 0xC4] {
            let damaged = [line.as_bytes(), before.as_bytes(), &[stray], after.as_bytes(), b"\n"].concat();
            let guess = weigh(&damaged);
            assert!(!guess.reads_well, "{stray:02X} between {before} and {after}: {guess:?}");
        }
    }
}

/// The remains of damage within a word are in no encoding, least of all one of another alphabet.
#[test]
fn damage_is_not_advised_to_be_decoded() {
    let french = "Montrer les sauvegardes de toutes les années précédentes, même d'été\n";
    for damaged in [&b"diff\xC3\xA9\xA9rente"[..], b"Qualit\xC3\xA9\xA9s", b"ann\xC3es"] {
        let mixed = [french.as_bytes(), damaged, b"\n"].concat();
        let advised = advised(&mixed);
        assert!(!matches!(advised, Some(Action::FallbackLines(_) | Action::Convert { .. })), "{advised:?}");
    }
    // A word in Arabic is not read as Chinese.
    let arabic = "تم تحديث جميع الملفات بنجاح وتم حفظ الإعدادات\n";
    let mixed = [arabic.as_bytes(), &encoded("المساحة", "iso-8859-6"), b"...\n"].concat();
    assert_ne!(advised(&mixed), Some(Action::FallbackLines("gb18030".parse().unwrap())));
}

/// Decoding only the errors would leave the sequences that other bytes form by chance.
#[test]
fn words_that_are_utf8_in_part_by_chance_are_not_decoded_in_part() {
    let utf8 = "انتخاب محل استفاده از VPN\nمتوجه شدم\nمورد فلکس از %S\nحذف VPN از نوار ابزار\n";
    let legacy = encoded("حذف VPN از نوار ابزار\nفلکس\u{200C}باکس\nانتخاب مرورگر\nتمرکز\n", "windows-1256");
    let mixed = [utf8.as_bytes(), &legacy].concat();
    if let Some(action) = advised(&mixed) {
        let becomes = repaired_by(action, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert!(becomes.is_some_and(|text| text.contains("انتخاب مرورگر\nتمرکز\n")), "{action:?}");
    }
}

/// `ЁЯША` is not a word of Russian.
#[test]
fn an_emoji_is_utf8_however_little_else_there_is() {
    for damage in [&b"\xFF"[..], b"\xFF \xE2\x82", b"\xE2\x82 \xC0\xAF \xFF"] {
        let bytes = [b"abc ", damage, " \u{1F600} long\n".as_bytes()].concat();
        let guess = weigh(&bytes);
        assert_eq!((guess.encoding, guess.action), (Some("utf-8"), Some(Action::ReplaceErrors)), "{guess:?}");
    }
    let word = [b"caf\xE9 ", "\u{1F600}\n".as_bytes()].concat();
    let fallback = Action::Fallback("windows-1252".parse().unwrap());
    assert_eq!(weigh(&word).action, Some(fallback), "{:?}", weigh(&word));
}

/// The `é` of windows-1252 would be lost, whether or not the text also has fill bytes or is cut.
#[test]
fn what_fills_or_cuts_a_text_does_not_speak_against_its_letters() {
    let text = [&b"a\xFF\r\ncaf\xE9\n"[..], "cafÃ©\n".as_bytes(), &[b'x'; 1000], b"\xE2\x82"].concat();
    assert!(weigh(&text).reads_well, "{:?}", weigh(&text));
    let damaged = weigh(b"Gr\xC3\xB6\xC3\x9Fe \xC0\xAF \xE2\x82 \xED\xA0\x80\n");
    assert!(!damaged.reads_well, "{damaged:?}");
    for damaged in [&b"1\xFE"[..], b"\xC0\xAF 2", b"a\x80b\n", b"x\x80\x81y\n", b"plain;\xC3\xA9\np\xE9lain\n"] {
        assert!(!weigh(damaged).reads_well, "{:?}", weigh(damaged));
    }
    // A line that lost its first byte, where the text has that word elsewhere.
    let russian = "Съешь же ещё этих мягких французских булок\n";
    let cut = [russian.repeat(20).as_bytes(), b"caf\xE2\x80 \xFF\n", &russian.as_bytes()[1..]].concat();
    assert!(!weigh(&cut).reads_well, "{:?}", weigh(&cut));
}

#[test]
fn what_was_replaced_before_it_was_read_in_east_asia_is_lost() {
    for (text, read) in [("점 锟斤拷锟斤拷\n", "GBK (锟斤拷)"), ("점 占쏙옙점\n", "EUC-KR (占쏙옙)")]
    {
        let notes = weigh(text.as_bytes()).notes;
        assert!(notes.iter().any(|note| note.ends_with(&format!("U+FFFD was read as {read}"))), "{notes:?}");
    }
}
