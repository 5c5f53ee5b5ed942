//! Lines that are mojibake, and lines that are not.

use super::encodings::{ENCODINGS, suspects};
use super::*;

/// Texts in many scripts, with the characters that surround words in each.
const SAMPLES: [&str; 33] = [
    "Le cœur déçu mais l’âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles, à Noël… \
     «\u{A0}Là\u{A0}»",
    "LA CARTE DU CAFÉ… L’ÉTÉ À LA MARÉE… FORÊT… GÂTEAU",
    "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg – „Öl“, MÄNNER, ÜBER, GRÖßE",
    "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba a su querido cachorro. ¿SÍ? \
     ¡NO! !YO SÉ¡ 1º 2ª",
    "À noite, vovô Kowalsky vê o ímã cair no pé do pinguim; CONCLUSÃO: «NÃO», IRMÃ”, À s pressas, 1ª",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. PŘÍLIŠ ŽLUŤOUČKÝ KŮŇ ÚPĚL ĎÁBELSKÉ ÓDY „ČŠŘ“",
    "Pchnąć w tę łódź jeża lub ośm skrzyń fig. ZAŻÓŁĆ GĘŚLĄ JAŹŃ „ŚĆ”",
    "Árvíztűrő tükörfúrógép, ÁRVÍZTŰRŐ TÜKÖRFÚRÓGÉP, »idézet« „Ő”",
    "Muzicologă în bej vând whisky și tequila, preț fix. NICIODATĂ\u{A0}! NICIODATĂ™ „ȘȚ”",
    "Pijamalı hasta yağız şoföre çabucak güvendi. Venüs’ün İSTANBUL’A IŞIĞI ÇIĞ",
    "Flygande bäckasiner söka hwila på mjuka tuvor. ”PÅ ÖN”, FÅ…, AHÅ™, 10 Å—",
    "HÅØYA ER BLÅØYD. Vår sære Zulu fra badeøya spilte jo whist og quickstep i min taxi. «Ø»",
    "Sævör grét áðan því úlpan var ónýt. ÞÆÖ „Ð“",
    "Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus. TRANSFORMATORIŲ™ ĮŠŽ „Ū“",
    "Laŭ Ludoviko Zamenhof bongustas freŝa ĉeĥa manĝaĵo kun spicoj.",
    "Do bạch kim rất quý nên sẽ dùng để lắp vô xương. ẢNH ÂM Ă Ã Á À",
    "Съешь ещё этих мягких французских булок, да выпей чаю. СССР» РС… «Р» С – Р„ ВИЧ-инфекция № 5",
    "Чуєш їх, доцю, га? Кумедна ж ти, прощайся без ґольфів! ВІКІ, ПІТ’Я",
    "Љубазни фењерџија чађавог лица хоће да ми покаже штос. ПоздравЂаво „Њ“",
    "Ζαφείρι δέξου πάγκαλο, βαθῶν ψυχῆς τὸ σῆμα. ΞΕΣΚΕΠΑΖΩ «ΟΞΎ» Β€ ΰ",
    "דג סקרן שט בים מאוכזב ולפתע מצא חברה, ״צה״ל״ ׳",
    "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق، «قال»؟",
    "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश। १२३",
    "யாமறிந்த மொழிகளிலே தமிழ்மொழி போல் இனிதாவது எங்கும் காணோம்",
    "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ฿๑๒",
    "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ „ქართული“",
    "Բել դղյակի ձախ ժամն օֆ ազգությանը ցպահանջ չճշտած վնաս էր եւ փառք։",
    "いろはにほへと ちりぬるを、「色は匂へど」ＡＢＣ Brontë…”",
    "天地玄黃，宇宙洪荒。“日月盈昃”，USB辰宿列张…",
    "키스의 고유조건은 입술끼리 만나야 하고 ‘특별한’ 기술은 필요치 않다…",
    "😀 👍🏽 👨‍👩‍👧 ☕ ♫ → ∑ (-1/2)! = √π, x√π, ±5 °C, 3 × 4 ÷ 2 ≤ ∞, µm, £5 ¥6 €7 ¢8, §1 ¶2 ©™®",
    "(╯°□°)╯︵ ┻━┻ Ō¬o ├┤a┼┐a┼┐a ┌─┬┐ │├┼┤ └─┴┘ ░▒▓█ ¯\\_(ツ)_/¯ ಠ_ಠ ʕ•ᴥ•ʔ",
    "MÄ£ÄM ÌÑÌ Q £ÄGÌ GÄLÄW ÑÍCH SÖÄ£ ÑÝÄ $ÚÄMÌ · fratarak\u{E1}\u{A7} 141 · a lot of Ã’s · Ÿ Œ œ ß",
];

#[test]
fn text_of_any_script_is_left_alone() {
    for sample in SAMPLES {
        assert_eq!(fix_mojibake(sample), None);
        for word in sample.split_whitespace() {
            assert_eq!(fix_mojibake(word), None, "{sample}");
        }
    }
}

#[test]
fn text_of_any_script_is_repaired() {
    let (mut repaired, mut doubtful) = (0, 0);
    for (at, encoding) in ENCODINGS.iter().enumerate() {
        for (number, sample) in SAMPLES.into_iter().enumerate() {
            let mut text = sample.to_owned();
            // Long lines take long: a third round for some.
            let layers = if (at + number) % 7 == 0 { 3 } else { 1 };
            for layer in 1..=layers {
                // Some encodings lack a byte that is needed.
                let Some(again) = encoding.read(text.as_bytes()) else { break };
                text = again;
                match fix_mojibake(&text) {
                    // Another encoding gives another answer that is equally good.
                    None => doubtful += 1,
                    Some(found) => assert_eq!(found, sample, "{layer} layers: {text}"),
                }
                repaired += 1;
            }
        }
    }
    assert!(repaired > 500 && doubtful * 50 < repaired, "{doubtful} of {repaired}");
}

#[test]
fn decomposed_text_is_repaired() {
    let macintosh = ENCODINGS.iter().find(|one| one.name == "macintosh").expect("listed");
    for line in [
        "Me\u{300}tre: me\u{300}tre",
        "serait tre\u{300}s semblable a\u{300} celui",
        "Pluta\u{303}o, Pluta\u{303}o",
        "tie\u{302}\u{301}ng Vie\u{302}\u{323}t",
    ] {
        let twice = macintosh.read(line.as_bytes()).expect("every byte is a character");
        assert!(fix_mojibake(&twice).is_none_or(|text| text == line), "{line} {twice}");
    }
}

#[test]
fn every_line_that_is_repaired_is_found() {
    let damages: [fn(&str) -> String; 6] = [
        str::to_owned,
        |line| line.replace('\u{A0}', " "),
        |line| line.replace(is_control, "\u{FFFD}"),
        |line| line.replace(is_control, "?"),
        |line| line.replace(['“', '”', '„'], "\"").replace(['‘', '’'], "'"),
        |line| line.chars().flat_map(|c| if c.is_ascii() { vec![c] } else { escape(c) }).collect(),
    ];
    fn escape(c: char) -> Vec<char> {
        format!("&#{};", u32::from(c)).chars().collect()
    }
    let mut repaired = 0;
    for (at, encoding) in ENCODINGS.iter().enumerate() {
        let made = SAMPLES.iter().flat_map(|sample| sample.split_inclusive([',', '.', ' ']).step_by(7));
        let made = made.filter_map(|part| encoding.read(part.as_bytes())).skip(at % 3).step_by(3);
        let short = ["a ™ b", "it’s", "à l’", "…", "Привет", "“”"].iter();
        for line in made.chain(short.filter_map(|part| encoding.read(part.as_bytes()))) {
            for line in damages.iter().map(|damage| damage(&line)) {
                if let Outcome::Repaired(was) = repair_line(&line)
                    && was.detours.is_any_known()
                {
                    assert!(first_garbled(&line).is_some(), "{line}: {}", was.text);
                    repaired += 1;
                }
            }
        }
    }
    assert!(repaired > 500, "{repaired}");
    for line in ["\u{E2}\"\u{A2}", "Âå÷åðíèé", "$B$3$s$K$A$O(B"] {
        assert_eq!(fix_mojibake(line).is_some(), first_garbled(line).is_some(), "{line}");
    }
}

#[test]
fn a_short_line_with_a_lost_blank_is_listed() {
    for line in ["Va \u{C3}  la gare", "Il va \u{C3}  la gare", "\u{C3}  la gare"] {
        let Outcome::Doubtful(candidates) = repair_line(line) else { panic!("{line}") };
        assert_eq!(candidates.first().map(|one| one.text.clone()), Some(line.replace("\u{C3} ", "à")));
    }
}

#[test]
fn what_a_round_leaves_in_doubt_is_no_further_round() {
    // Of the Greek name, three bytes are lost that the letters depend on.
    let line = "Î•Î»Î»Î¬Î´Î± ÎºÎ±Î¹ ÎšÏ\u{FFFD}Ï€Ï\u{FFFD}Î¿Ï‚";
    assert!(matches!(repair_line(line), Outcome::Doubtful(_)), "{line}");
    // A control tells nothing of rubbish.
    assert_eq!(fix_mojibake("ﾐ湲\u{80}ﾐｸﾐｲﾐｵﾑ\u{FFFD}"), None);
}

#[test]
fn suspects_are_pairs_that_could_be_bytes() {
    for text in ["", "plain", "caf\u{E9}", "\u{C3}", "\u{A9}\u{C3}", "\u{65E5}\u{672C}", "при сеа"] {
        assert_eq!(suspects(text), 0, "{text}");
    }
    let found = suspects("caf\u{C3}\u{A9}");
    let names = ENCODINGS.iter().enumerate().filter(|(at, _)| found >> at & 1 == 1);
    let names: Vec<_> = names.map(|(_, one)| one.name).collect();
    assert!(names.starts_with(&["windows-1252", "latin1"]), "{names:?}");
    assert!(!names.contains(&"windows-1251") && !names.contains(&"windows-1257"), "{names:?}");
}

#[test]
fn examples() {
    let cases = [
        ("cafÃ©", "café"),
        ("itâ€™s â€œquotedâ€\u{9D}…", "it’s “quoted”…"),
        ("HÃ”TEL, DOS AÃ‘OS, ZURÃœCK", "HÔTEL, DOS AÑOS, ZURÜCK"),
        ("rГ©gion вЂ“ лвЂ™ouest", "région – л’ouest"),
        ("t‚Äö√†√∂¬¨¬©l‚Äö√†√∂¬¨¬©charger", "télécharger"),
        ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚ 😀", "привет 😀"),
        ("FrÃ€ulein MÃŒller", "Fräulein Müller"),
    ];
    for (line, repaired) in cases {
        assert_eq!(fix_mojibake(line).as_deref(), Some(repaired), "{line}");
    }
}

#[test]
fn rare_scripts_are_repaired_in_full_or_not_at_all() {
    // Tibetan, Amharic, Ol Chiki, Cherokee, Cree, Meitei; rare Latin letters; the last three are light.
    let lines = [
        "* [བོད་ཡིག](https://bo.example \"མིག་དམར། – Θιβετιανά\")",
        "* [አማርኛ](https://am.example \"ማርስ – Αμχαρικά\")",
        "* [ᱥᱟᱱᱛᱟᱲᱤ](https://sat.example \"ᱵᱚᱸᱜᱟ ᱮᱸᱜᱮᱞ — Santali\")",
        "* [ᏣᎳᎩ](https://chr.example \"ᎹᏏ – Cherokee\")",
        "* [Nēhiyawēwin / ᓀᐦᐃᔭᐍᐏᐣ](https://cr.example \"ᒫᕐᔅ – Cree\")",
        "* [ꯃꯤꯇꯩ ꯂꯣꯟ](https://mni.example \"ꯂꯩꯄꯥꯛꯄꯣꯛꯄ ꯊꯄꯤ - Manipuri dili\")",
        "* [Kabɩyɛ](https://kbp.example \"Maarɩsɩ – Kabiye\")",
        "* [Taqbaylit](https://kab.example \"Mezweɣ – Tiếng Kabyle\")",
        "* [Mìng-dĕ̤ng-ngṳ̄](https://cdo.example \"Huōi-sĭng – Min Dong\")",
        "(https://ja.example \"拡大\")",
        "**\\- 최저**",
        "\"बड़ा करें\" \"बड़ा",
    ];
    let mut repaired = 0;
    for encoding in &*ENCODINGS {
        for line in lines {
            let Some(text) = encoding.read(line.as_bytes()) else { continue };
            if let Some(found) = fix_mojibake(&text) {
                assert_eq!(found, line, "{text}");
                repaired += 1;
            }
        }
    }
    assert!(repaired >= 20, "{repaired}");
}

#[test]
fn text_in_an_encoding_that_was_read_in_another_is_repaired() {
    let cases = [
        ("01 Âå÷åðíèé äîæäü - Òèõàÿ ïðèñòàíü", "01 Вечерний дождь - Тихая пристань"),
        ("Ïðèâåò", "Привет"),
        ("оПХБЕР, ЙЮЙ ДЕКЮ?", "Привет, как дела?"),
        ("ÄãºÃ£¬ÊÀ½ç", "你好，世界"),
        ("‚±‚ñ‚É‚¿‚Í", "こんにちは"),
        ("Pøíli¹ ¾lu»ouèký kùò úpìl ïábelské ódy", "Příliš žluťoučký kůň úpěl ďábelské ódy"),
        ("Nemù¾e¹ otevøít ¾ádný soubor, proto¾e není èitelný", "Nemůžeš otevřít žádný soubor, protože není čitelný"),
        ("Za¿ó³æ gêœl¹ jaŸñ", "Zażółć gęślą jaźń"),
        ("Þimdi ne yapacaðýz, çok güzel deðil mi", "Şimdi ne yapacağız, çok güzel değil mi"),
        ("ùìåí òåìí", "שלום עולם"),
        ("ãÑÍÈÇ ÈÇáÚÇáã", "مرحبا بالعالم"),
        // Controls are those of Latin-1.
        ("gr\u{94}\u{E1}er f\u{81}r alle H\u{84}user", "größer für alle Häuser"),
    ];
    for (line, was) in cases {
        assert_eq!(fix_mojibake(line).as_deref(), Some(was), "{line}");
        assert_eq!(fix_mojibake(was), None, "{was}");
    }
    // One sign in a row, boxes, a word of letters that are as good as others, Walloon.
    for line in [
        "[.\u{B5}\u{B5}\u{B5}\u{B5}\u{B5}\u{B5}]",
        "// ends ──────┐│",
        "Σεπτ.",
        "ñàé",
        "Èn elemint <%s> a ddja stî specifyî",
        "ALPHAS = 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ'",
        "alphabet='АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЬЮЯабвгдежзийклмнопрстуфхцчшщьюя'",
        "alphabet=\"œàâçèéîïùûêŒÀÂÇÈÉÎÏÙÛÊ\",",
        "'\"ЉЊЈЁЂ\"', (1, 0), (1, 7), '\"ЉЊЈЁЂ\"')]",
        "alphabet=\"æøåÆØÅ\",",
        "// √(r e^(iπ)) = √r e^(iπ/2) = i√r",
    ] {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
}

/// Lines of encyclopedias in Markdown, misread as Latin-1: the escapes of addresses are rubbish to the model, and do
/// not make rubbish of a name before them.
#[test]
fn a_name_beside_an_address_is_repaired() {
    for line in [
        "[هرمز](/wiki/%D9%85%D8%B4%D8%AA%D8%B1%DB%8C_\\(%D8%B3%DB%8C%D8%A7%D8%B1%D9%87\\)",
        "* [질문방](/wiki/%EC%9C%84%ED%82%A4%EB%B0%B1%EA%B3%BC:%EC%A7%88%EB%AC%B8%EB%B0%A9)",
    ] {
        let misread: String = line.bytes().map(char::from).collect();
        assert_eq!(fix_mojibake(&misread).as_deref(), Some(line));
    }
}

#[test]
fn other_lines_tell_the_pair_of_encodings() {
    let mut evidence = Evidence::default();
    assert!(!matches!(evidence.repair("Ñíåã"), Outcome::Repaired(_)));
    assert!(matches!(evidence.repair("Âå÷åðíèé äîæäü, òèõàÿ ïðèñòàíü"), Outcome::Repaired(_)));
    let Outcome::Repaired(was) = evidence.repair("Ñíåã") else { panic!("it is proven") };
    assert_eq!(was.text, "Снег");
    assert_eq!(evidence.repair("L\u{E0}-bas, l\u{2019}\u{E9}t\u{E9}"), Outcome::Clean);
}

#[test]
fn escapes_are_repaired_in_their_own_spelling() {
    let cases = [
        (
            r#"{ "name": "Zo\u00c3\u00ab", "content": "vu \u00f0\u009f\u0098\u00a0" }"#,
            r#"{ "name": "Zo\u00eb", "content": "vu \ud83d\ude20" }"#,
        ),
        (r"title=Pr\u00C3\u00A9f\u00C3\u00A9rences \u2019", r"title=Pr\u00E9f\u00E9rences \u2019"),
        (r"export=Exporter\u0085", r"export=Exporter\u2026"),
        ("<p>don&#146;t", "<p>don&#8217;t"),
        ("<p>l&#xC3;&#xA9;t&#xC3;&#xA9;", "<p>l&#xE9;t&#xE9;"),
        ("<p>&Atilde;&copy;t&Atilde;&copy; &amp; &nbsp;", "<p>&eacute;t&eacute; &amp; &nbsp;"),
    ];
    for (line, was) in cases {
        assert_eq!(fix_mojibake(line).as_deref(), Some(was), "{line}");
        assert_eq!(fix_mojibake(was), None, "{was}");
    }
    // Escaped backslashes, names that are none, what is right, and what is cut.
    for line in
        [r"C:\\u00c3\\u00ab", "&Atild;&cop;", r"caf\u00e9", "&eacute;t&eacute;", r"\u00c3\u00", r"\u+0c3", "&#x;"]
    {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
}

#[test]
fn bytes_that_are_shown_by_an_exact_map_are_repaired() {
    let cases = [
        ("Subject: $B$3$s$K$A$O(B", "Subject: こんにちは"),
        ("$BF|K\\8l$N%F%9%H(J and $B4A;z!#(B.", "日本語のテスト and 漢字。."),
        ("HelloĠworld,ĠthisĠisĠaĠcafÃ©ĠðŁĺĢ", "Hello world, this is a café 😀"),
    ];
    for (line, was) in cases {
        assert_eq!(fix_mojibake(line).as_deref(), Some(was), "{line}");
        assert_eq!(fix_mojibake(was), None, "{was}");
    }
    // Variables, a shell's functions, Maltese.
    for line in ["my $Bonus = $Base(Bar); $Bonus(B)", "$B$(B", "$@ (B)", "Ġorġ", "Ġenerali tal-Ġustizzja", "Ġ t"] {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
}

/// Lists of letters, patterns, languages and scripts that the model does not know, which public files have.
#[test]
fn what_the_model_does_not_know_is_not_repaired() {
    let lines = [
        // CLDR 48.2, main/{nds-NL,fil,bg,sr,dsb,sr-Cyrl-BA}
        r#""auxiliary": "[áàâä éèêë íìîï óòôö úùûü]","#,
        r#""auxiliary": "[áàâ éèê íìî óòô úùû]","#,
        r#""index": "[А Б В Г Д Е Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Ю Я]","#,
        r#""index": "[А Б В Г Д Ђ Е Ж З И Ј К Л Љ М Н Њ О П Р С Т Ћ У Ф Х Ц Ч Џ Ш]","#,
        r#""źiśiźiśe","#,
        r#""нагoрe","#,
        // xkeyboard-config, symbols/{us,fr}; glibc, locales/et_EE; hunspell's Catalan
        "//      â   ö   è   ù   ï",
        "// - add á, í, ò, ó et ú, Á, Í, Ò, Ó, Ú, ñ, Ñ",
        "% &[before 1]X<õ<<<Õ<ä<<<Ä<ö<<<Ö<ü<<<Ü",
        "SFX _B 0 sa [^àèéíòóú]s",
        // GCC's simd_math.h, Go's mprof.go, Python's zipimport.py and test_email, pinyin-data, Go's mediatype_test.go
        " * quadrant 0: [-¼π,  ¼π]",
        "//          .·˙  |      .·˙  |      .·˙  |      .·˙  |",
        r"    '\u03a6\u0398\u03a9\u03b4\u221e\u03c6\u03b5\u2229'",
        r"(b'\x1b$B%O%m!<%o!<%k%I!*\x1b(B', 'iso-2022-jp'),",
        r#""19455": "zú,suì,zuì","#,
        // Words of Chinese and Korean: jieba, CLDR, KoNLPy, regex-syntax
        r#""谢谢","#,
        "爷爷 7.329794689",
        "搂搂 12.51438329",
        "쨍쨍/mag -8.3189",
        "    ('챠', '챠'),",
        r#""\u540d \u540d 42 \u540d \u540d"):"#,
        // Sango and Khasi (the declaration of human rights), Hungarian with ligatures (hyphen's hyph_hu)
        "<p>Zo ôko ôko alîngbi tî pîka kate na ndö tî âpialo sô dêpä avûnga, na särängö kângbi ôko pëpë wala na",
        "<p>Ka la pynbna bad pynjari ïa kane ka Jingpynbna-ïar Satlak Ïa Ki Hok",
        "ﬂá2bar",
        // A pattern of Pygments, a list of letters of date-fns
        r"(r'[\u0020\u0009\u000a\u000b\u000c\u000d\u0085\u200e\u200f\u2028\u2029]+',",
        "\"Ġ\",",
    ];
    for line in lines {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
}

/// UTF-8 that was read in an encoding of East Asia. Where bytes were lost with the characters that they began, what is
/// left is listed.
#[test]
fn utf8_read_in_an_encoding_of_east_asia_is_repaired() {
    let lines = [
        ("縺薙ｓ縺ｫ縺｡縺ｯ", "こんにちは", "Shift_JIS"),
        ("// 蟷ｴ蠎ｦ譖ｴ譁ｰ縺ｮ縺溘ａ", "// 年度更新のため", "Shift_JIS"),
        ("鍙橀噺娌℃湁瀹氫箟", "变量没有定义", "GBK"),
        ("袩褉懈胁械褌, 屑懈褉", "Привет, мир", "GBK"),
    ];
    for (line, was, read) in lines {
        let Outcome::Repaired(found) = repair_line(line) else { panic!("{line}: {:?}", repair_line(line)) };
        assert_eq!((&*found.text, found.how.read_as()), (was, Some(read)), "{line}");
        assert_eq!(first_garbled(line).map(|garbled| garbled.read_as), Some(read), "{line}");
        assert_eq!(fix_mojibake(was), None);
    }
    assert_eq!(fix_mojibake("<h1 id=\"where句\"><a href=\"#where句\">Where句</a></h1>"), None);
    let Outcome::Doubtful(found) = repair_line("浣犲ソ锛屼笘鐣?") else { panic!() };
    assert_eq!(found[0].text, "你好，世\u{FFFD}");
}

/// One misread line does not cast doubt on many clean lines.
#[test]
fn a_misread_line_says_nothing_of_many_clean_ones() {
    let garbled = "\u{C2}\u{E5}\u{F7}\u{E5}\u{F0}\u{ED}\u{E8}\u{E9}";
    let clean = "Opzion di debug GDK di stabil\u{EE}";
    let mut evidence = Evidence::default();
    assert!(matches!(evidence.repair(garbled), Outcome::Repaired(_)));
    assert!(evidence.proven().is_any_known());
    for _ in 0..30 {
        assert_eq!(evidence.repair(clean), Outcome::Clean);
    }
    assert!(!evidence.proven().is_any_known());
    for _ in 0..3 {
        evidence.repair(garbled);
    }
    assert!(evidence.proven().is_any_known());
}

/// Programs that drop controls leave one letter of a quotation mark: what it was is not certain.
#[test]
fn a_letter_that_is_left_of_a_sequence_is_doubtful() {
    let Outcome::Doubtful(found) = repair_line("Ceux d\u{E2}\u{C3}\u{A0} c\u{F4}t\u{C3}\u{A9}") else { panic!() };
    assert_eq!(found[0].text, "Ceux d\u{E2}\u{E0} c\u{F4}t\u{E9}");
    let Outcome::Repaired(was) = repair_line("p\u{C3}\u{A2}te et caf\u{C3}\u{A9}") else { panic!() };
    assert_eq!(was.text, "p\u{E2}te et caf\u{E9}");
}

/// Programs name controls, and the bounds of ranges, by escapes. In text they are quotation marks.
#[test]
fn escapes_of_controls_in_programs_stay() {
    for line in [r"x = '\u0085'", r"r'[a-zA-Z\u0080-\uffff]*[!?=]?'", r"'\\n\u0085\u2028\u2029'"] {
        assert_eq!(repair_line(line), Outcome::Clean, "{line}");
    }
    for (line, was) in [(r#""don\u0092t""#, r#""don\u2019t""#), ("don&#146;t", "don&#8217;t")] {
        assert_eq!(fix_mojibake(line).as_deref(), Some(was));
    }
}

/// Letters of DOS, the Macintosh and windows-1250 that were read as Latin-1 are controls: which encoding they were in
/// is judged by the text that they make, and a half repair is none.
#[test]
fn controls_are_read_in_the_encoding_that_makes_text_of_them() {
    for (line, was) in [
        ("Gr\u{94}\u{E1}e f\u{81}r Stra\u{E1}e", Some("Größe für Straße")),
        ("fran\u{87}ais", Some("français")),
        ("fran\u{8D}ais", Some("français")),
        ("P\u{F8}\u{ED}li\u{9A} \u{9E}lu\u{9D}ou\u{E8}k\u{FD} k\u{F9}\u{F2}", Some("Příliš žluťoučký kůň")),
        ("don\u{92}t", Some("don’t")),
        ("\u{93}Hi\u{94}", Some("“Hi”")),
        // `ž` is the same byte in windows-1252, `ì` is not the letter that was there.
        ("V\u{E1}\u{9E}en\u{ED} z\u{E1}kazn\u{ED}ci, d\u{EC}kujeme", Some("Vážení zákazníci, děkujeme")),
        ("M\u{81}ller", None),
    ] {
        assert_eq!(fix_mojibake(line).as_deref(), was, "{line:?}");
    }
}

/// An encoding that no candidate is read in has no rival either: Turkish became Icelandic, and kana with the same bytes
/// in GBK lost their ideographs. Sentences of Wikipedia about Mars.
#[test]
fn any_encoding_may_be_read_in_any_other() {
    for (line, how, was) in [
        ("kal²nl²≡² 3 km. Buradaki buz", "windows-1254, read as CP437", "kalınlığı 3 km. Buradaki buz"),
        (
            "yarύmkόrede mevsimler olmasύ gerekenden yumuώak",
            "windows-1254, read as windows-1253",
            "yarımkürede mevsimler olması gerekenden yumuşak",
        ),
        (
            "kterß dosahuje v²╣ky, Podrobn∞j╣φ informace",
            "ISO-8859-2, read as CP437",
            "která dosahuje výšky, Podrobnější informace",
        ),
        ("╩ⁿ╝═└■ñ½ñΘ╝ΘñΘñ∞ñδñ│ñ╚ñ╦ñ╩ñ├ñ┐", "EUC-JP, read as CP437", "放射線から守られることになった"),
    ] {
        let Outcome::Repaired(found) = repair_line(line) else { panic!("{line}: {:?}", candidates(line)) };
        assert_eq!((&*found.text, &*found.how.to_string()), (was, how));
    }
}

/// Keys of a keyboard in xkeyboard-config's `symbols/ru`, and alphabets with both cases of each letter.
#[test]
fn alphabets_stay() {
    for line in [
        "// фФ ыЫ вВ аА пП рР оОёЁ лЛ дД ;: '\"           //\"",
        "// хХ бБ уУюЮ кК еЕэЭ нН гГ шШщЩ жЖ зЗ [{ ]} \\|",
        "Αα, Ββ, Γγ, Δδ, Εε, Ζζ, Ηη, Θθ, Ιι, Κκ, Λλ, Μμ, Νν, Ξξ, Οο, Ππ, Ρρ, Σσ, Ττ, Υυ, Φφ, Χχ, Ψψ, Ωω",
        "aA ąĄ bB cC ćĆ dD eE ęĘ fF gG hH iI jJ kK lL łŁ mM nN ńŃ oO óÓ",
        "Аа Бб Вв Гг Ґґ Дд Ее Єє Жж Зз Ии Іі Її Йй Кк Лл Мм",
    ] {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
}

/// UTF-8 is read in the code page of Windows in Israel, in Arabic countries and in Thailand as well.
#[test]
fn utf8_was_read_in_code_pages_of_other_scripts() {
    for (line, was) in [
        ("׳©׳\u{9C}׳•׳\u{9D} ׳¢׳•׳\u{9C}׳\u{9D}", "שלום עולם"),
        ("ط§ظ„ط³ظ„ط§ظ… ط¹ظ„ظٹظƒظ…", "السلام عليكم"),
        ("เธชเธงเธฑเธชเธ”เธต", "สวัสดี"),
    ] {
        assert_eq!(fix_mojibake(line).as_deref(), Some(was), "{line}");
    }
    let thai = "\"เคลวิน\") (30 องศาเซลเซียส หรือ 54 องศาฟาเรนไฮต์)";
    for clean in ["שלום עולם", "السلام عليكم", "สวัสดีชาวโลก เธอเก่งมาก", thai]
    {
        assert_eq!(repair_line(clean), Outcome::Clean, "{clean}");
    }
}

/// UTF-16 that was read in the other byte order, as in <https://moth.monster/blog/utf16-endianness/>.
#[test]
fn utf16_in_the_other_byte_order_is_repaired() {
    let swapped =
        |text: &str| String::from_utf16(&text.encode_utf16().map(u16::swap_bytes).collect::<Vec<_>>()).unwrap();
    assert_eq!(swapped("hello"), "栀攀氀氀漀");
    for text in ["hello", "The quick brown fox", "Привет, как дела?", "Γειά σου, Κόσμε"] {
        let Outcome::Repaired(was) = repair_line(&swapped(text)) else { panic!("{text}") };
        assert_eq!((&*was.text, was.how.read_as()), (text, Some("UTF-16LE")));
        assert_eq!(repair_line(text), Outcome::Clean);
    }
    // The last line of a file has a line end of its own.
    assert_eq!(fix_mojibake(&format!("{}\n", swapped("two\r\nlines"))).as_deref(), Some("two\r\nlines\n"));
    // "One" thrice, and names of people and places.
    for text in ["一一一", "怀念戀人", "砀山", "紀伊國屋", "二〇〇〇年一月"] {
        assert_eq!(repair_line(text), Outcome::Clean, "{text}");
    }
}

/// The vowels with accents of Italian in a pattern, the letters of Swedish and Estonian, formulas of a spreadsheet, and
/// lines of a mainframe.
#[test]
fn lists_of_letters_formulas_and_lines_with_nel_stay() {
    for line in [
        "preg_match(\"/[àéèìòù]/u\", $s)",
        "Le vocali accentate àéèìòù sono sei.",
        "öäåö",
        "åäöÅÄÖ",
        "õäöü ÕÄÖÜ",
        "ÃÑÕ ãñõ",
        r#"x,"=$B$10*(B2+B3)""#,
        r#"{"f":"=$A$1+$B$12*(B3-1)"}"#,
        r#"print "$B$C$D(B";"#,
        "Line one\u{85}Line two\u{85}",
    ] {
        assert_eq!(fix_mojibake(line), None, "{line}");
    }
    assert_eq!(fix_mojibake("ïðèâåò").as_deref(), Some("привет"));
    assert_eq!(fix_mojibake("$B%F%9%H(B subject").as_deref(), Some("テスト subject"));
    assert_eq!(fix_mojibake("Wait\u{85} what?").as_deref(), Some("Wait… what?"));
}

/// The likeliest letters would be wrong: the texts are `νακτήθ`, `еридиан Марса`, `المركبات` and `спутника`.
#[test]
fn letters_whose_bytes_are_lost_are_not_invented() {
    for line in ["Î½Î±ÎºÏ?Î®Î¸", "ĞµÑ?Ğ¸Ğ´Ğ¸Ğ°Ğ½ Ğ?Ğ°Ñ?Ñ?Ğ°", "Ø§Ù?Ù?Ø±Ù?Ø¨Ø§Øª", "ÐœÐŸÐ³ÐŸ ÑÐ¿ÑÑÐœÐžÐºÐ°"]
    {
        assert!(matches!(repair_line(line), Outcome::Doubtful(_)), "{line}");
    }
}

#[test]
fn utf8_was_read_in_the_code_page_of_vietnamese() {
    for (line, right) in
        [("gĂ¶stermektedir sĂ¼rĂ¼len", "göstermektedir sürülen"), ("vĂ  so sĂ¡nh sá»± khĂ¡c", "và so sánh sự khác")]
    {
        assert_eq!(fix_mojibake(line).as_deref(), Some(right), "{line}");
    }
}

/// `é’’` would be one character if the letters between were none.
#[test]
fn characters_of_several_words_are_no_sequence() {
    assert_eq!(fix_mojibake("cafÃ© itâ€™s donâ€™t").as_deref(), Some("café it’s don’t"));
}
