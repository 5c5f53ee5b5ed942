//! Tests of text in one legacy encoding.

use super::*;

#[test]
fn short_text_reads_well_in_one_encoding() {
    for (text, name) in [
        ("\u{A3}12", "windows-1252"),
        ("39\u{2013}40", "windows-1252"),
        ("Stra\u{DF}e am M\u{FC}hlenweg", "CP850"),
        ("\u{628}\u{632}\u{631}\u{6AF}\u{200C}\u{6A9}\u{631}\u{62F}\u{646}", "windows-1256"),
    ] {
        let guess = weigh(&encoded(text, name));
        assert_eq!((guess.encoding, guess.reads_well), (Some(name), true), "{guess:?}");
    }
    // Only their capitals differ, so a few words are unlikely to contain evidence.
    assert_eq!(weigh(&encoded("Магна ет при усу", "x-mac-cyrillic")).confidence, Confidence::Possible);
}

#[test]
fn code_pages_of_dos_and_the_macintosh_are_found() {
    let cases = [
        ("Temel bilgileri öğrendikten sonra yeni bir işe başlayabilir, ışığı görürsünüz\n", "cp857"),
        ("Temel bilgilere sahip olduktan sonra yeni bir şeye başlayabilir, ışığı görürsünüz\n", "x-mac-turkish"),
        ("Tinklelio aukštis turi būti didesnis, o šriftas išlieka toks pats žymėjimas\n", "cp775"),
        ("Τα πρώτα βήματα είναι εύκολα για όλους, όταν ξέρει κανείς τι θέλει\n", "cp737"),
        ("Только каждый из вас может прочитать эту строку без ошибок\n", "cp855"),
        ("זה טקסט בעברית עם שורות באורך שונה וכל שורה אפשר לקרוא\n", "cp862"),
        ("Toto učení začíná včera, když přišel k nám žlutý kůň a řekl všem své\n", "x-mac-ce"),
    ];
    for (text, name) in cases {
        let bytes = encoded(text, name);
        let guess = weigh(&bytes);
        let decoded = guess.encoding.and_then(Legacy::labelled).and_then(|legacy| legacy.text_of(&bytes));
        assert_eq!(decoded.as_deref(), Some(text), "{name}: {guess:?}");
    }
}

/// Signs within words, as many people write them.
#[test]
fn accents_for_apostrophes_and_hebrew_hyphens_are_read_within_words() {
    let cases = [
        (
            "Dit is nuttig voor commando´s die de bestand inhoud transformeren, één voor één, en geïnstalleerd\n",
            "windows-1252",
        ),
        ("הרחבה זו הושבתה על־ידי המצב לפתרון בעיות, ולא לפי צה״ל\nכל ההרחבות הושבתו על־ידי המצב\n", "windows-1255"),
    ];
    for (text, name) in cases {
        let guess = weigh(&encoded(text, name));
        assert_eq!(guess.encoding, Some(name), "{guess:?}");
    }
}

#[test]
fn a_word_that_reads_as_utf8_by_chance_is_no_more_evidence_where_it_occurs_again() {
    let big5 = encoded("[塔爾西斯](/wiki/塔爾西斯 \"塔爾西斯\")\n這是一段繁體中文，每一行的長度都不同\n", "big5");
    let guess = weigh(&big5);
    assert_eq!((guess.encoding, guess.mixed), (Some("Big5"), None), "{guess:?}");
}

#[test]
fn short_japanese_text_in_euc_jp_is_more_than_possible() {
    let encoded = |text: &str, name| -> Vec<u8> {
        let legacy = Legacy::labelled(name).expect("a label");
        text.chars().flat_map(|c| legacy.bytes_of(c).expect("in it")).collect()
    };
    let japanese = [
        "東京と大阪に行きました。\n",
        "今日は天気がいい\n",
        "彼は学生だ。\n",
        "Linux の使い方について説明します。\n",
        "ファイルを開く: open file.txt\n",
        "設定ファイルの読み込みに失敗しました\n",
        "for (i = 0; i < n; i++) /* 配列の要素を数える */\n",
        "会議は午後三時から始まります。\n",
    ];
    for text in japanese {
        let guess = weigh(&encoded(text, "euc-jp"));
        assert_eq!(guess.encoding, Some("EUC-JP"), "{text}");
        assert_ne!(guess.confidence, Confidence::Possible, "{text}");
    }
    // The same bytes are kana in EUC-JP.
    for text in ["ㅋㅋㅋㅋ 진짜 ㅠㅠ 너무 웃겨\n", "오늘 날씨가 좋네요 ㅎㅎㅎ\n", "α와 β는 그리스 문자이다\n"]
    {
        assert_eq!(weigh(&encoded(text, "euc-kr")).encoding, Some("EUC-KR"), "{text}");
    }
    for text in ["今天天氣很好\n", "不是一個人的中文\n", "一下子就不見了\n"] {
        assert_eq!(weigh(&encoded(text, "big5")).encoding, Some("Big5"), "{text}");
    }
}

/// A pangram has rare letters as often as frequent ones, but only its language has them all.
#[test]
fn pangrams_are_likely() {
    for (text, name) in [
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "windows-1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "CP852"),
        ("Kŕdeľ šťastných ďatľov učí pri ústí Váhu mĺkveho koňa obhrýzať kôru.", "ISO-8859-2"),
        ("Dès Noël, où un zéphyr haï me vêt de glaçons. Voix ambiguë d’un cœur.", "windows-1252"),
        ("El pingüino Wenceslao hizo kilómetros bajo lluvia y frío, añoraba a su cachorro.", "windows-1252"),
        ("À noite, vovô vê o ímã cair no pé do pinguim e vovó põe açúcar no chá de tâmaras.", "windows-1252"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю.", "windows-1251"),
    ] {
        let found = weigh(&encoded(text, name));
        assert_eq!(found.encoding, Some(name), "{text}");
        assert_ne!(found.confidence, Confidence::Possible, "{text} {name}: {:?}", found.evidence);
    }
}

#[test]
fn a_few_characters_that_another_country_reads_too_single_out_no_encoding() {
    let gb = "gb18030";
    for (text, name) in [
        ("\"环境变量\"\nLines of this", gb),
        ("validity period.\n\"密码更改\"\n", gb),
        ("[冰川] ·\n## 导航菜单\n", gb),
        ("Socket I/O 逾時\n", "Big5"),
    ] {
        let found = weigh(&encoded(text, name));
        assert!(found.encoding == Some(name) || !found.is_singled_out(), "{text}: {found:?}");
    }
    // Frequent syllables are enough.
    let found = weigh(&encoded("사용자 이름이 없습니다\n", "EUC-KR"));
    assert!(found.encoding == Some("EUC-KR") && found.is_singled_out(), "{found:?}");
}

#[test]
fn marks_of_direction_are_no_letters_of_words() {
    let found = weigh(b"(1) gibi \xE7al\xFD\xFE\xFDr.\n");
    assert_ne!(found.encoding, Some("windows-1256"), "{found:?}");
}

#[test]
fn a_line_that_occurs_again_is_as_good_as_one() {
    let bytes = encoded("中文編碼測試的一行\n", "Big5");
    for found in [1, 20].map(|times| weigh(&bytes.repeat(times))) {
        assert!(found.encoding == Some("Big5") && found.is_singled_out(), "{found:?}");
    }
}

#[test]
fn a_word_over_and_over_singles_out_no_encoding_of_another_country() {
    let words = [
        ("список", "KOI8-R"),
        ("январь", "KOI8-R"),
        ("июнь", "IBM866"),
        ("июль", "IBM866"),
        ("订单", "gb18030"),
        ("保存", "gb18030"),
        ("關閉", "Big5"),
        ("取消", "EUC-JP"),
    ];
    for (word, name) in words {
        for line in [format!("{word}\n"), format!("7;{word};ok\n")] {
            let found = weigh(&encoded(&line, name).repeat(100));
            let read =
                found.encoding.and_then(Legacy::labelled).and_then(|legacy| legacy.text_of(&encoded(&line, name)));
            assert!(read.as_ref() == Some(&line) || !found.is_singled_out(), "{word}: {found:?}");
        }
    }
}

/// Debian's catalog of Estonian in ISO-8859-15 has a `ž` after thousands of letters that windows-1252 has as well.
#[test]
fn a_letter_late_in_a_text_counts() {
    let line = |n| format!("{n}. Järjehoidja lisamine ei õnnestunud, fail on üle kirjutatud või öösel kustutatud\n");
    let mut text: String = (1..80).map(line).collect();
    let certain = weigh(&encoded(&text, "ISO-8859-15"));
    assert_eq!((certain.encoding, certain.confidence), (Some("windows-1252"), Confidence::Certain));
    text += "Põhjalised kreool- ja pidžinkeeled\n";
    let guess = weigh(&encoded(&text, "ISO-8859-15"));
    assert!(guess.encoding == Some("ISO-8859-15") || guess.confidence != Confidence::Certain, "{guess:?}");
}
