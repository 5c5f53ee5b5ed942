//! Tests of text that is partly UTF-8, and of data with little text.

use super::*;

/// Returns a text whose parts in brackets are in another encoding than UTF-8.
fn mixed(text: &str, name: &str) -> Vec<u8> {
    let parts = text.split(['[', ']']).enumerate();
    parts.flat_map(|(at, part)| if at % 2 == 0 { part.into() } else { encoded(part, name) }).collect()
}

/// Returns the encoding from which a repair or a conversion decodes the errors.
fn fallback(guess: &Guess) -> Option<String> {
    match guess.action? {
        Action::Fallback(from) | Action::FallbackLines(from) => Some(from.to_string()),
        _ => None,
    }
}

#[test]
fn lines_that_are_utf8_by_chance_do_not_speak_against_east_asia() {
    let chinese = "将工具栏添加到菜单(_A)\n自动替换特殊字符(_A)\n保存文件用的目录(_D)\n在多个文件中查找(_F)\n";
    let by_chance = "写 Unicode BOM (_W)\n为 _LaTeX...\n";
    let text = chinese.repeat(20) + by_chance;
    let guess = weigh(&encoded(&text, "gb18030"));
    assert_eq!((guess.encoding, guess.utf8_lines), (Some("gb18030"), 0), "{guess:?}");
    assert_eq!(String::from_utf8(encoded(by_chance, "gb18030")).map(|text| text.lines().count()), Ok(2));
}

#[test]
fn words_of_utf8_within_lines_of_another_encoding() {
    for (text, name) in [
        ("[Τα ]λευκώματα[ αυτά θα διαγραφούν οριστικά από το ]σκληρό[ σας δίσκο.]\n", "windows-1253"),
        ("[έλεγχο των Βρετανών από το 1893 απώκτησε ανεξαρτησία ]το[ 1963.\nΑργεντίνικο]\n", "windows-1253"),
    ] {
        let guess = weigh(&mixed(text, name));
        assert_eq!(fallback(&guess).as_deref(), Some(name), "{guess:?}");
    }
}

#[test]
fn words_tell_which_encoding_signs_are_in() {
    let serbian = "Proveravam sadržaj rezervne datoteke, sačekajte, možete pokušati i s drugom, šaljem\n".repeat(6);
    let serbian = serbian + "Proveravam mogu[ć]nosti i [reči]\nsee 5 [€] there, pokušajte\n";
    for (text, name) in [
        (&*serbian, "windows-1250"),
        ("Avrupa/Varşova dosyası açıldı, yeni bir görünüm ve [Coğrafi] tu[ş] seç, it[’]s şık\n", "windows-1254"),
        ("Inserisci [«]{0}[»] nome utente\nIl file verrà trasferito\nIl file verrà trasferito in modo\n", "macintosh"),
    ] {
        let guess = weigh(&mixed(text, name));
        assert_eq!(fallback(&guess).as_deref(), Some(name), "{guess:?}");
    }
}

/// Letters and signs that a repair would replace.
#[test]
fn single_bytes_that_are_text() {
    let slovene = "Vklopite to možnost, da shranite oznako slike v oznake XMP.\n".repeat(4);
    for bytes in [
        // `ž` in ISO 8859-2 has the byte that ends it in UTF-8, so that both readings give the same text.
        mixed(&format!("Vklopite to mo[ž]nost, da shranite napis.\n{slovene}"), "ISO-8859-2"),
        // Vietnamese letters in UTF-8 around one in windows-1258.
        mixed("Hiện thời điểm kết thúc cuộc hẹn trong ô xem tuần và tháng đều\nchụp ng[ư]ời gửi\n", "windows-1258"),
        // Two letters in the shape of a sequence with an infrequent lead.
        mixed("Repara\u{21B}ii \u{EE}n codul „PHP”\nDirector c[âş]tigat. \u{CE}n care se\n", "windows-1250"),
        // A letter and an ellipsis, which are not a complete sequence.
        mixed("Etsi k\u{E4}ytt\u{E4}ji\u{E4}\nTulosta n[ä]ytt[ö…]\nK\u{E4}ynnist\u{E4} tila\n", "windows-1252"),
        // The copyright sign in GB 18030.
        b"see \x81\x30\x84\x38 2019 there\n".to_vec(),
    ] {
        let guess = weigh(&bytes);
        assert!(guess.reads_well, "{guess:?}");
    }
    for bytes in [&b"abc\xFF\n"[..], b"a\xFFb\n"] {
        assert!(!weigh(bytes).reads_well, "{:?}", weigh(bytes));
    }
}

#[test]
fn text_that_does_not_single_out_an_encoding() {
    // In KOI8-U, these are Russian letters, but not with the frequencies of Russian.
    let georgian = b"\xC1\xCF\xCB\xCF \xDD\xC5\xCB\xC9\xCB\xC4\xC1\xC0\n\xCB\xCF\xCA\xC0\xCB\xD6\xD2\xC9 \
        \xD7\xC9\xCB\xD4\xD2\xC4\xC1\xC9:\n\xCB\xCF\xCA\xC0\xCB\xD6\xD2\xC9 \xD3\xC0\xC9\xD4\xC9:\n\
        \xDC\xC4\xCC\xC9 \xD3\xC0\xC9\xD4\xC4\xC1\xC9\n";
    assert_eq!(weigh(georgian).encoding, Some("GEORGIAN-PS"), "{:?}", weigh(georgian));
    // Damaged UTF-8, all letters of ISO 8859-13.
    let damaged = weigh(b"\xFF\xC3q\xFF\xA9n afbeelding per menselijke speler\n");
    assert!(!damaged.is_singled_out(), "{damaged:?}");
    // The same with overlong sequences; apart from these letters, a word.
    let damaged = weigh(b"V\xC0\xAD d\xFF\xE1\xFF\xC0: Mon, 14 Aug 2006 02:34:56 -0600\n");
    assert!(!damaged.is_singled_out() && damaged.encoding == Some("ISO-8859-13"), "{damaged:?}");
    for (bytes, why) in [
        // `\xC4\x89` without its second byte.
        (&b"Transkodi senperdajn dosierojn al \xC4rmato\n"[..], "does not read well"),
        // `š` and `í`, `č` and `š` in x-mac-ce, signs in windows-1252.
        (b"[vylep\xE4\x92te](https://example.org/)\n", "nearly as well"),
        // Ukrainian in UTF-8 with a stray byte, frequent characters of Chinese.
        (b"c n n.\n\xD0\xF8\xD0\xB0\xD0\xBD\xD0\xB8\xD1\x85\n", "sequences"),
    ] {
        let guess = weigh(bytes);
        assert!(!guess.is_singled_out() && guess.evidence.iter().any(|one| one.contains(why)), "{guess:?}");
    }
    // A word in KOI8 is also characters of East Asia.
    for word in ["аутентификацию\n", "можливість\n", "узгодження\n"] {
        let guess = weigh(&encoded(word, "KOI8-U"));
        assert!(guess.encoding == Some("KOI8-U") || !guess.is_singled_out(), "{guess:?}");
    }
    assert!(weigh(&encoded("資料の一覧\n", "Shift_JIS")).is_singled_out());
    assert!(weigh(&encoded("Bitte pr\u{FC}fen Sie die Eingabe.\n", "windows-1252")).is_singled_out());
    // Others are named: one with the same letters, and one in which the text reads nearly as well.
    for (text, name, other) in [
        ("Dette er en fil som ikke kan leses på nytt\n", "CP850", "CP852"),
        ("Loggfør filterhandlingar\n", "CP850", "CP850"),
        ("Klarte ikke å fjerne vedlegg.\nKlarte ikke å hente melding:\nKlarte ikke å lagre\n", "CP437", "CP850"),
    ] {
        let guess = weigh(&encoded(text, name));
        let named: Vec<_> = guess.encoding.iter().chain(&guess.others).collect();
        let reads =
            || guess.encoding.and_then(Legacy::labelled).and_then(|legacy| legacy.text_of(&encoded(text, name)));
        let is_right = guess.is_singled_out() && reads().as_deref() == Some(text);
        assert!(is_right || !guess.is_singled_out() && named.contains(&&other), "{guess:?}");
        assert!(guess.others.len() <= 3 && !guess.others.iter().any(|one| guess.encoding == Some(one)));
    }
    let russian = weigh(&encoded("Съешь же ещё этих мягких французских булок, да выпей чаю\n", "KOI8-U"));
    assert!(russian.is_singled_out() && russian.others.is_empty(), "{russian:?}");
}

#[test]
fn short_words_tell_the_language() {
    for (text, name) in [
        ("Namn på ansiktsdatabase\nDet er no mykje enklare, og er tilgjengeleg frå venstre\n", "CP850"),
        ("Se non impostato, sarà usato un percorso in fase di compilazione\n", "CP850"),
        ("Chan eil an siostam aiseig sa mhodh dì-bhugaidh tuilleadh.\nTha an siostam\n", "windows-1252"),
    ] {
        let guess = weigh(&encoded(text, name));
        assert_eq!(guess.encoding, Some(name), "{guess:?}");
    }
}

/// A UTF-8 word among words in Shift_JIS, in which its bytes are also two characters.
#[test]
fn signs_within_words_and_single_characters_of_utf8_are_doubted() {
    let kyrgyz = encoded(
        "Питкэрн аралдары\nКµп Улуттуу Боливия Мамлекети\nПортугалия Республикасы\nАндорра Княздыгы\n\
         Лихтенштейн Княжествосу\n",
        "windows-1251",
    );
    // PTCP154 has a letter where windows-1251 has the sign.
    assert_eq!(weigh(&kyrgyz).encoding, Some("PTCP154"), "{:?}", weigh(&kyrgyz));
    let mut japanese = encoded("このプログラムは、写真を整理するためのものです。\n%s ", "Shift_JIS");
    japanese.extend("は".as_bytes());
    japanese.extend(encoded(" %s に死去しました。\n", "Shift_JIS"));
    assert!(!weigh(&japanese).is_singled_out(), "{:?}", weigh(&japanese));
    // `à` in UTF-8 is `Ã` and a no-break space.
    let gaelic = encoded("Bùth Magnatune\n'S e leubail clàraidh air loidhne a tha ann am Magnatune\n", "windows-1252");
    let end = encoded(" ìseal\n", "windows-1252");
    let mixed = weigh(&[&gaelic, "Càileachd".as_bytes(), &end].concat());
    assert!(matches!(mixed.action, Some(Action::Fallback(_))), "{mixed:?}");
    assert!(weigh(&[&gaelic[..], &end].concat()).is_singled_out());
    // `í` is `Ã` and a soft hyphen.
    let mixed = weigh(&[&gaelic, "Níor".as_bytes(), &end].concat());
    assert!(matches!(mixed.action, Some(Action::Fallback(_))), "{mixed:?}");
}

/// Words in capitals end in `Ã`.
#[test]
fn signs_after_words_in_capitals_are_no_doubt() {
    let text = "Não há dúvida de que a informação está disponível para todos os utilizadores da aplicação.\n\
                A configuração do programa é guardada no início da sessão e também quando você sai.\n\
                As opções de impressão não são válidas para este ficheiro; é necessário alterá-las.\n";
    for end in ["SABONETE MAÇÃ® verde", "AMANHÃ\u{A0}às 9", "IRMÃ\u{A0}do João", "MANHÃ\u{A0}– 9 horas"] {
        let guess = weigh(&encoded(&format!("{text}{end}\n"), "windows-1252"));
        assert!(guess.is_singled_out(), "{end}: {guess:?}");
    }
}

/// A doubtful guess is not suggested alone, but with all alternatives.
#[test]
fn doubts_about_what_is_possible_leave_the_choice_open() {
    for (bytes, encoding, why) in [
        (encoded("one naïve try", "CP850"), "x-mac-ce", "fits nearly as well"),
        (b"ab\xE9\xF5\xE1cd ef\xF5gh\n".to_vec(), "windows-1250", "fits nearly as well"),
    ] {
        let guess = weigh(&bytes);
        assert!(guess.evidence.iter().any(|one| one.contains(why)), "{guess:?}");
        assert!(
            !guess.is_singled_out() && guess.suggestion().is_some_and(|suggestion| suggestion.is_open()),
            "{guess:?}"
        );
        assert_eq!(guess.previews(&bytes)[0].0, encoding, "{guess:?}");
    }
    // A code page that is not a usual candidate is also a rival.
    let french =
        "Répéter la clé privée du système à déjà créé, même où la sécurité française a été vérifiée\n".repeat(20);
    let guess = weigh(&encoded(&(french + "À propos\n"), "CP863"));
    assert!(!guess.is_singled_out() && guess.evidence.iter().any(|one| one.contains("CP86")), "{guess:?}");
}

#[test]
fn letters_of_the_lines_of_utf8_single_out_an_encoding() {
    let guess = weigh(&mixed("Nije moguće\n[Pošalji poruku]\n[Čitaj još]\n", "CP852"));
    assert_eq!((guess.mixed, guess.doubt), (Some("CP852"), None), "{guess:?}");
}

#[test]
fn words_in_common_encodings_are_not_doubted_for_a_rare_one() {
    // In HP Roman-8, `ä` is `ð`.
    for text in ["Använd sökning\n", "Näytä tämä ohje\n"] {
        let guess = weigh(&encoded(text, "windows-1252"));
        assert!(guess.doubt.is_none(), "{guess:?}");
    }
    let guess = weigh(&encoded("name = \"ж їх, прощайся\"\ntwo = 2\nthree = 3\n", "windows-1251"));
    assert_eq!(guess.encoding, Some("windows-1251"), "{guess:?}");
}

/// The suggestion may be wrong, but usually is right.
#[test]
fn text_whose_encoding_is_not_certain_is_advised_to_be_looked_at() {
    let german = "Der Schlüssel für die Größe fehlt, bitte prüfen und ändern\n\
        Über diese Ausführung können keine Einträge gelöscht werden\n";
    let french = "Répéter la clé privée du système à déjà créé, même où la sécurité française a été vérifiée\n\
        À propos\n"
        .repeat(40);
    for (text, encoding) in [
        // Code pages that are considered if no other is convincing.
        ("Οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια\n", "x-mac-greek"),
        (german, "hp-roman8"),
        // Two of its letters are missing in IBM866, which has the others.
        (&"Не вдалося відкрити файл параметрів, що його вказано, як її систему\n".repeat(3), "CP1125"),
        // DOS code pages share most letters.
        ("für\nüber Straße\n", "CP850"),
        // In CP437, the capitals are signs.
        (&french, "CP850"),
        // In windows-1251, all letters are capitals.
        ("не вдалося її знайти\n", "KOI8-U"),
        // Particles follow Latin words.
        ("GTK의 설정 파일과 사용자의 프로그램을 다시 시작하고 저장합니다\n", "EUC-KR"),
    ] {
        let guess = weigh(&encoded(text, encoding));
        let is_advised = guess.suggestion().is_some_and(|suggestion| !suggestion.is_open());
        assert!(is_advised && guess.encoding == Some(encoding), "{encoding}: {guess:?}");
    }
    let lithuanian = "[nepavyko gauti %s parametrų\nnepavyko išlaikyti %s autoriaus\n\
        nepavyko išlaikyti %s savininko\nnepavyko išlaikyti %s teisių\n]Nepavyko pakeisti %s savininko į %s\n";
    for (text, encoding) in
        [(lithuanian, "windows-1257"), ("Öntanımlı ayarları gösterir\n[dosyasının biçimi\n]", "CP857")]
    {
        let guess = weigh(&mixed(text, encoding));
        assert!(
            guess.suggestion().is_some_and(|suggestion| !suggestion.is_open()) && guess.mixed == Some(encoding),
            "{encoding}: {guess:?}"
        );
    }
}
