//! Tests of guesses and hints.

mod mixtures;

use utf8kit::{AnyEncoding, Utf8, errors_in};

use super::*;
use crate::charset::Legacy;
use crate::charset::legacy::WESTERN;
use crate::display::Hex;
use crate::random::Random;
use crate::repair::{RepairPolicy, Repairer};

fn weigh(bytes: &[u8]) -> Guess {
    let error = errors_in(Utf8, bytes).next();
    Sample { bytes, whole: true, error }.weigh()
}

#[test]
fn each_kind_of_evidence() {
    let cases: [(&[u8], Option<&str>); 12] = [
        (b"", Some("utf-8")),
        (b"plain", Some("utf-8")),
        ("na\u{EF}ve".as_bytes(), Some("utf-8")),
        (b"\xEF\xBB\xBFa", Some("utf-8")),
        (b"\xFF\xFEa\0b\0", Some("utf-16le")),
        (b"\xFF\xFE\0\0a\0\0\0", Some("utf-32le")),
        (b"\0a\0b\0c", Some("utf-16be")),
        (b"\xED\xA0\xBD\xED\xB8\x80", Some("cesu-8")),
        (b"a\xC0\x80b", Some("mutf-8")),
        (b"a\xED\xA0\x80b", Some("wtf-8")),
        (b"a\xF8\x88\x80\x80\x80b", Some("utf-8-31bit")),
        (b"\0\xFF\x01\x02\0", None),
    ];
    for (bytes, encoding) in cases {
        assert_eq!(weigh(bytes).encoding, encoding, "{}", Hex(bytes));
    }
}

#[test]
fn a_text_in_pieces_is_what_it_is_as_a_whole() {
    let text = "Größe und Gewicht: 5 µm, naïve Café\nдва слова\n";
    let german: Vec<u8> = text.chars().flat_map(|c| WESTERN.bytes_of(c).unwrap_or_default()).collect();
    let texts: [&[u8]; 7] =
        [b"", b"a", text.as_bytes(), b"a\xE2\x82", b"a\xE2\x82\n\xF0\x9F", &german, b"\xFF\xFEa\0"];
    let long = [&vec![b'a'; SAMPLE - 9], &german[..]].concat();
    for text in texts.iter().flat_map(|text| [text.to_vec(), text.repeat(200)]).chain([long]) {
        let mut detector = Detector::new();
        text.chunks(4099).for_each(|piece| {
            detector.push(piece);
        });
        assert_eq!(detect(&text), detector.finish(), "{}", Hex(text.get(..20).unwrap_or(&text)));
    }
}

#[test]
fn twice_encoded_text_is_seen() {
    let twice = weigh("caf\u{C3}\u{A9} \u{E2}\u{201A}\u{AC}".as_bytes());
    assert_eq!((twice.encoding, twice.doubled), (Some("utf-8"), Some("windows-1252")));
    assert_eq!(weigh("caf\u{E9}".as_bytes()).doubled, None);
}

#[test]
fn lines_of_another_encoding_are_seen() {
    let mixed = weigh(b"Gr\xC3\xBC\xC3\x9Fe\ncaf\xE9\nplain\nM\xFCller\n");
    assert_eq!((mixed.encoding, mixed.mixed), (Some("utf-8"), Some("windows-1252")));
    assert_eq!(mixed.remedy, Some(Remedy::FallbackLines("windows-1252".parse().unwrap())));
    let broken = weigh(b"Gr\xC3\xBC\xC3\x9Fe\ncaf\xE9 \xC3\xBC\n");
    assert_eq!(
        (broken.mixed, broken.remedy),
        (None, Some(Remedy::Fallback("windows-1252".parse().unwrap())))
    );
    assert_eq!(weigh(b"caf\xE9\nM\xFCller\n").mixed, None);
}

/// Texts that are half UTF-8 and half in another encoding, mixed by lines or as two halves.
const MIXED: [(&str, &str); 17] = [
    (
        "euc-kr",
        "한국어로 쓴 글은\n여러 줄로 되어 있고\n줄마다 길이가 다르다\n물\n그래서 어느 줄이든\n읽을 수 있어야 한다\n",
    ),
    ("big5", "這是一段繁體中文\n每一行的長度都不同\n水\n所以無論哪一行\n都應該可以閱讀\n不會變成亂碼\n"),
    ("gb18030", "这是一段简体中文\n每一行的长度都不同\n水\n所以无论哪一行\n都应该可以阅读\n不会变成乱码\n"),
    (
        "shift_jis",
        "これは日本語の文章です\n行ごとに長さが違います\n水\nですから、どの行も\n読めなければなりません\n",
    ),
    (
        "euc-jp",
        "これは日本語の文章です\n行ごとに長さが違います\n水\nですから、どの行も\n読めなければなりません\n",
    ),
    (
        "koi8-r",
        "Это русский текст\nв котором строки\nразной длины\nи каждую из них\nможно прочитать\nбез ошибок\n",
    ),
    (
        "windows-1251",
        "Это русский текст\nв котором строки\nразной длины\nи каждую из них\nможно прочитать\nбез ошибок\n",
    ),
    (
        "windows-1250",
        "Příliš žluťoučký kůň\núpěl ďábelské ódy\nřeka a moře\nkaždý řádek je jiný\ntakže se dá číst\nvšechno \
         dohromady\n",
    ),
    (
        "windows-1252",
        "Die Straße ist für alle\nFüße müssen größer werden\nschöne grüne Bäume\nüber sieben Brücken\nund dann nach \
         Köln\nwäre das möglich\n",
    ),
    (
        "windows-1253",
        "Αυτό είναι ένα κείμενο\nστα ελληνικά με γραμμές\nδιαφορετικού μήκους\nκαι κάθε μία από αυτές\nμπορεί να \
         διαβαστεί\nχωρίς λάθη\n",
    ),
    (
        "windows-1254",
        "Bu Türkçe bir yazıdır\nher satırın uzunluğu\nbirbirinden farklıdır\nşimdi güzel bir gün\nçok iyi oldu değil \
         mi\nağaçlar yeşil\n",
    ),
    (
        "windows-1255",
        "זה טקסט בעברית\nעם שורות באורך שונה\nכל שורה אפשר לקרוא\nבלי שגיאות\nוגם את האחרות\nזה הכול\n",
    ),
    (
        "windows-1256",
        "هذا نص باللغة العربية\nبأسطر مختلفة الطول\nويمكن قراءة كل سطر\nبدون أخطاء\nوكذلك الأسطر الأخرى\nهذا كل شيء\n",
    ),
    (
        "windows-1257",
        "Šis ir teksts latviešu valodā\nar dažāda garuma rindām\nkatru rindu var izlasīt\nbez kļūdām un šķēršļiem\nkā \
         arī pārējās rindas\nčetras mājas\n",
    ),
    (
        "windows-874",
        "นี่คือข้อความภาษาไทย\nที่มีหลายบรรทัด\nแต่ละบรรทัดอ่านได้\nโดยไม่มีข้อผิดพลาด\n\
     และบรรทัดอื่นด้วย\nทั้งหมดนี้\n",
    ),
    (
        "iso-8859-2",
        "Zażółć gęślą jaźń\nkażdy wiersz jest inny\nmożna go przeczytać\nbez żadnych błędów\nśpiewać też można\nłódź \
         płynie\n",
    ),
    (
        "macintosh",
        "Die Straße ist für alle\nFüße müssen größer werden\nschöne grüne Bäume\nüber sieben Brücken\nund dann nach \
         Köln\nwäre das möglich\n",
    ),
];

/// Applies a remedy to a text, if it is a repair.
fn remedied(remedy: Remedy, text: &[u8]) -> Option<Vec<u8>> {
    let mut repairer = Repairer::new(&RepairPolicy::of(remedy)?, AnyEncoding::Utf8);
    let mut out = Vec::new();
    repairer.push(text, true, &mut out, &mut |_| {});
    Some(out)
}

#[test]
fn mixed_text_of_every_legacy_encoding_is_repaired_and_never_converted() {
    let (mut right, mut all) = (0, 0);
    for (name, text) in MIXED {
        let legacy = Legacy::labelled(name).expect("a label");
        let in_legacy = |line: &str| -> Vec<u8> {
            line.chars().flat_map(|c| legacy.bytes_of(c).expect("in the encoding")).collect()
        };
        let by_turns: Vec<u8> = text
            .split_inclusive('\n')
            .enumerate()
            .flat_map(|(at, line)| if at % 2 == 0 { line.as_bytes().to_vec() } else { in_legacy(line) })
            .collect();
        let halves = [text.as_bytes(), &in_legacy(text)].concat();
        for (mixed, good) in [(by_turns, text.to_owned()), (halves, text.repeat(2))] {
            let guess = weigh(&mixed);
            let harmful = matches!(guess.remedy, Some(Remedy::Convert { .. } | Remedy::ReplaceErrors));
            assert!(!harmful, "{name}: {guess:?}");
            all += 1;
            right += usize::from(
                guess.remedy.and_then(|remedy| remedied(remedy, &mixed)).as_deref() == Some(good.as_bytes()),
            );
        }
    }
    assert!(right * 15 >= all * 13, "{right} of {all}");
}

#[test]
fn text_of_one_legacy_encoding_is_not_called_mixed() {
    for (name, text) in MIXED {
        let legacy = Legacy::labelled(name).expect("a label");
        let bytes: Vec<u8> = text.chars().flat_map(|c| legacy.bytes_of(c).expect("in it")).collect();
        let guess = weigh(&bytes);
        assert_eq!(guess.mixed, None, "{name}");
        assert!(matches!(guess.remedy, Some(Remedy::Convert { .. })), "{name}");
    }
}

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
        assert_eq!(crate::detect::Hint::from_guess(&guess), None, "{}", Hex(bytes));
    }
}

#[test]
fn a_hint_advises_to_convert_plausible_text_only() {
    let advice = |bytes: &[u8]| {
        crate::detect::Hint::of(Sample { bytes, whole: true, error: errors_in(Utf8, bytes).next() })
    };
    let advises =
        |bytes: &[u8]| matches!(advice(bytes).and_then(|hint| hint.remedy()), Some(Remedy::Convert { .. }));
    for bytes in
        [&b"\x80"[..], b"\xFF", b"\x80\x81\x82\x83\x84\x85", b"\xF1\x80\x80\xFF", b"9. **^** Hirt\x80, C."]
    {
        assert!(!advises(bytes), "{}", Hex(bytes));
    }
    let russian = "Привет, как дела? Это обычное короткое сообщение на русском языке для проверки. Да.";
    let windows: Vec<u8> = russian
        .chars()
        .flat_map(|c| Legacy::labelled("windows-1251").and_then(|legacy| legacy.bytes_of(c)).expect("in it"))
        .collect();
    assert_eq!((windows.len(), weigh(&windows).confidence), (83, Confidence::Likely));
    assert!(advises(&windows) && advises(b"caf\xE9 au lait"));
}

/// UTF-8 has no lone surrogates and no values above 10FFFF.
#[test]
fn a_conversion_that_would_fail_is_not_advised() {
    for bytes in [&b"caf\xC3\xA9 \xED\xA0\x80"[..], b"a\xF5\x80\x80\x80b", b"a\xF8\x88\x80\x80\x80b"] {
        let guess = weigh(bytes);
        let from: crate::charset::Charset = guess.encoding.expect("a dialect").parse().unwrap();
        assert!(from.to_string() != "utf-8" && guess.remedy.is_none(), "{guess:?}");
    }
    let cesu = weigh(b"\xED\xA0\xBD\xED\xB8\x80");
    assert_eq!(cesu.remedy, Some(Remedy::Convert { from: AnyEncoding::Cesu8.into(), strip_bom: false }));
}

#[test]
fn a_sequence_cut_off_at_the_end_is_utf8() {
    for bytes in [&b"It\xE2\x80"[..], b"\xF0\x9F\x98", b"Copyright \xC2", b"caf\xC3\xA9 caf\xC3"] {
        let guess = weigh(bytes);
        let found = (guess.encoding, guess.remedy, guess.reads_well);
        assert_eq!(found, (Some("utf-8"), Some(Remedy::ReplaceErrors), false), "{guess:?}");
    }
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
            let is_known = !found.reads_well && found.remedy == Some(Remedy::ReplaceErrors);
            assert!(is_known || is_letter, "{start} {found:?}");
            cut += usize::from(found.evidence[0].contains("start cuts off"));
        }
    }
    assert!(cut > 10, "{cut}");
    // © is as usual, but not before words like this one.
    let arabic = "السنة الأولى والسنة الثانية\n";
    let found = detect(arabic.split_at(arabic.find('ة').unwrap()).1.as_bytes().get(1..).unwrap());
    assert_eq!((found.remedy, found.reads_well), (Some(Remedy::ReplaceErrors), false), "{found:?}");
    // A first letter or sign in another encoding may be meant.
    for sign in [&b"\xA9 2026"[..], b"\xBFQu", b"\x93yes", b"\x8Akoda", b"\x80 5"] {
        let found = detect(&[sign, b"\n", whole].concat());
        assert_ne!(found.remedy, Some(Remedy::ReplaceErrors), "{sign:?} {found:?}");
    }
}

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
    // Their capitals differ: there is hardly evidence in a few words.
    assert_eq!(weigh(&encoded("Магна ет при усу", "x-mac-cyrillic")).confidence, Confidence::Possible);
}

/// The likeliest encoding is another one, in which it reads oddly. A repair would replace the text nonetheless.
#[test]
fn text_that_reads_oddly_is_not_taken_for_damage() {
    for bytes in [
        &b"The moons \xD0 both \xD0 are small.\n"[..], // dashes of macintosh
        b"MgSO4\xA57H2O\n",                            // its bullet
        b"1,5 [\xB5m](/wiki/m) in diameter\n",         // the micro sign, in windows-1252
        b"Fig. 3, \xAE The unique type of Mars \xAF, p. 7\n", // quotation marks of CP437
        b"\xE8401000000 [\xE3\xEA\xE4\xE8\xE5\xCA\xD1]\n", // Arabic in ISO-8859-6, beside digits
        b"\xE1\xCA\xB4\xA7\xBC\xD7\xB9[\xE0\xC3\xE2\xA1\xC5\xD4\xB8]\n", // Thai, in part well-formed UTF-8
        b"[\xF1\xE9\xD9\xFE] \xFB\xFD\xE0\xF8\n",      // rare characters in EUC-KR
        b"\xC4\xA3\xB0\xE5wayback\xC1\xB4\xBD\xD3\n",  // GBK within a Latin word
        b"\xAE\xE0\xA1\xA8\xE2\xA0\xAB\xEC\xAD\xA0\xEF\n", // IBM866, in part well-formed UTF-8
        b"\xE2\x86\x91\nMars \x96 Bulgarisch\n",       // UTF-8, and a dash in windows-1252
        b"geh\xC3\xB6rt neben\n(\x81bersetzt etwa)\n", // UTF-8, and German in CP850
        b"Avera\xC4\x9Da\nAlbedo la\xFD Bond\n",       // UTF-8, and Esperanto in ISO-8859-3
        b"\xE7\x81\xAB\xE6\x98\x9F\nMars \xA8C planet\n", // UTF-8, and a dash in GBK
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
    assert_eq!((guess.encoding, guess.confidence), (Some("KOI8-U"), Confidence::Possible));
    let mut broken = "\u{44F}".repeat(20).into_bytes();
    broken.push(0xFF);
    assert_eq!((weigh(&broken).encoding, weigh(&broken).confidence), (Some("utf-8"), Confidence::Likely));
}

/// Returns one to three letters of a text beyond ASCII, in a line of ASCII.
fn line_with_few_letters(text: &str, random: &mut Random) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| !word.is_ascii()).collect();
    let (word, mut most) = (random.pick(&words), 1 + random.below(3));
    let part = word.chars().take_while(|c| {
        most -= usize::from(!c.is_ascii()).min(most);
        c.is_ascii() || most > 0
    });
    let mut part: String = part.collect();
    if part.is_ascii() {
        part.extend(word.chars().find(|c| !c.is_ascii()));
    }
    random
        .pick(&["No. 12: @", "@", "see @, page 7", "id=3; name=@", "* [@](https://example.com/)"])
        .replace('@', &part)
}

#[test]
fn one_line_of_utf8_among_legacy_lines_is_never_garbled() {
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    let (mut right, mut all) = (0, 0);
    for (name, text) in MIXED {
        let legacy = Legacy::labelled(name).expect("a label");
        // A line of one character may be UTF-8 by chance: then no repair by lines is right.
        let lines: Vec<&str> = text.split_inclusive('\n').filter(|line| line.chars().count() > 3).collect();
        for _ in 0..8 {
            let few = line_with_few_letters(text, &mut random) + "\n";
            let (mut bytes, mut good) = (Vec::new(), String::new());
            let (len, place) = (random.pick(&[4, 8, 20, 60]), random.below(4));
            for at in 0..len {
                let line = random.pick(&lines);
                bytes.extend(line.chars().flat_map(|c| legacy.bytes_of(c).expect("in the encoding")));
                good.push_str(line);
                if at == place {
                    bytes.extend_from_slice(few.as_bytes());
                    good.push_str(&few);
                }
            }
            let Some(error) = errors_in(Utf8, &bytes).next() else { continue };
            let hint = Hint::of(Sample { bytes: &bytes, whole: true, error: Some(error) });
            let remedy = hint.and_then(|hint| hint.remedy());
            all += 1;
            let Some(remedy) = remedy else { continue };
            let becomes = remedied(remedy, &bytes).unwrap_or_else(|| panic!("{name}: {remedy:?} for {few}"));
            let becomes = String::from_utf8(becomes).expect("repaired");
            assert!(becomes.contains(&few), "{name}: {remedy:?} garbles {few}");
            right += usize::from(becomes == good);
        }
    }
    assert!(right * 10 >= all * 9, "{right} of {all}");
}

/// Returns a text in a legacy encoding.
fn encoded(text: &str, name: &str) -> Vec<u8> {
    let legacy = Legacy::labelled(name).expect("a label");
    text.chars().flat_map(|c| legacy.bytes_of(c).expect("in the encoding")).collect()
}

/// Returns what is advised for a complete file.
fn advised(bytes: &[u8]) -> Option<Remedy> {
    Hint::of(Sample { bytes, whole: true, error: errors_in(Utf8, bytes).next() })?.remedy()
}

#[test]
fn lines_of_utf8_tell_the_language_of_the_others() {
    let esperanto = "la paĝo pri ĉiuj aĵoj, kiuj ankaŭ estas ŝatataj\n";
    let cases = [
        // The bytes are letters of Faroese in windows-1252.
        ("paĝo\n", "kiuj ankaŭ sciis, ĉu la ĝardeno apud la vojo ĉesis\n", "iso-8859-3"),
        ("No. 1: ĉ\n", esperanto, "iso-8859-3"),
        ("razão\n", "as regiões são três, e não há mais\n", "windows-1252"),
        ("ayrı\n", "Bu yazı çok güzel bir günde yazıldı\n", "windows-1254"),
        // They are Chinese characters, too.
        ("лан\n", "[Оксиды]\n", "koi8-r"),
        ("火星\n", "行星和卫星\n", "gb18030"),
        ("name=שלום\n", "זה טקסט בעברית\n", "windows-1255"),
    ];
    for (line, others, name) in cases {
        let mixed = [line.as_bytes(), &encoded(others, name)].concat();
        let remedy = weigh(&mixed).remedy.unwrap_or_else(|| panic!("{name}: {:?}", weigh(&mixed)));
        let becomes = remedied(remedy, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some([line, others].concat()), "{name}: {remedy:?}");
    }
}

/// Words in UTF-8 within lines in another encoding, where they read as nothing that anybody writes.
#[test]
fn words_of_utf8_within_lines_of_another_encoding_are_not_garbled() {
    let cases = [
        ("Vrednost je praktično uporabna, če je izbirnik popolnoma črn\n", "praktična", "windows-1250"),
        ("Nijansa i zasićenje održana, svjetlina žrtvovana zarad održanja\n", "Čuvaj", "iso-8859-2"),
        ("Tüm yönlerde güçlü kabartma, doğru ayarların tanımı\n", "Etkinleştir", "windows-1254"),
        ("Det er en ironi, at de på denne måde kunne regere både her og dér\n", "tråde", "windows-1252"),
        ("As regiões são três, e não há mais do que isso na história\n", "então", "windows-1252"),
    ];
    for (line, word, name) in cases {
        let mixed =
            [&encoded(line, name)[..], b"text ", word.as_bytes(), b" ", &encoded(line, name)].concat();
        let remedy = weigh(&mixed).remedy.unwrap_or_else(|| panic!("{name}: {:?}", weigh(&mixed)));
        let becomes = remedied(remedy, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some(format!("{line}text {word} {line}")), "{name}: {remedy:?}");
    }
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
        let mixed =
            [line.as_bytes(), before.as_bytes(), &encoded(letter, name), after.as_bytes(), b"\n"].concat();
        let guess = weigh(&mixed);
        assert!(guess.reads_well, "{name}: {guess:?}");
        let remedy = guess.remedy.unwrap_or_else(|| panic!("{name}: {guess:?}"));
        let becomes = remedied(remedy, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some(format!("{line}{before}{letter}{after}\n")), "{name}: {remedy:?}");
    }
}

/// A character of the text of which the second byte is ASCII is read, but its encoding is not certain.
#[test]
fn single_letters_between_sequences_of_utf8_are_no_damage() {
    let cases = [
        ("の挿入と削除を行うメニューを表示します\n", "メ", "ニ", "ュー", "shift_jis"),
        ("將會安裝以下版本未受信賴的套件有可能損害您的系統安全\n", "未受信賴的", "套", "件！", "big5"),
    ];
    for (line, before, letter, after, name) in cases {
        let mixed =
            [line.as_bytes(), before.as_bytes(), &encoded(letter, name), after.as_bytes(), b"\n"].concat();
        assert!(weigh(&mixed).reads_well, "{name}: {:?}", weigh(&mixed));
    }
}

/// With the ASCII behind it, such a byte is a frequent character in some encoding.
#[test]
fn a_stray_byte_before_ascii_in_east_asian_text_is_damage() {
    let chinese = "打开文件以重新映射文件。设置保存文件。\n今天天气不错\n";
    let japanese = "日本語のテキストです。設定を保存します。\n次の行に進みます\n";
    for (line, before, after) in [
        (chinese, "维生素", "C片"),
        (chinese, "打开", "S文件"),
        (japanese, "第", "A章"),
        (japanese, "の", "B。"),
    ] {
        for stray in [0x83, 0x8E, 0x90, 0x93, 0x95, 0x96, 0xB0, 0xB5, 0xC4] {
            let damaged = [line.as_bytes(), before.as_bytes(), &[stray], after.as_bytes(), b"\n"].concat();
            let guess = weigh(&damaged);
            assert!(!guess.reads_well, "{stray:02X} between {before} and {after}: {guess:?}");
        }
    }
}

/// What damage leaves within a word has no encoding, least of all that of another alphabet.
#[test]
fn damage_is_not_advised_to_be_decoded() {
    let french = "Montrer les sauvegardes de toutes les années précédentes, même d'été\n";
    for damaged in [&b"diff\xC3\xA9\xA9rente"[..], b"Qualit\xC3\xA9\xA9s", b"ann\xC3es"] {
        let mixed = [french.as_bytes(), damaged, b"\n"].concat();
        let advised = advised(&mixed);
        assert!(!matches!(advised, Some(Remedy::FallbackLines(_) | Remedy::Convert { .. })), "{advised:?}");
    }
    // A word of Arabic is not read as Chinese.
    let arabic = "تم تحديث جميع الملفات بنجاح وتم حفظ الإعدادات\n";
    let mixed = [arabic.as_bytes(), &encoded("المساحة", "iso-8859-6"), b"...\n"].concat();
    assert_ne!(advised(&mixed), Some(Remedy::FallbackLines("gb18030".parse().unwrap())));
}

#[test]
fn code_pages_of_dos_and_the_macintosh_are_found() {
    let cases = [
        ("Temel bilgileri öğrendikten sonra yeni bir işe başlayabilir, ışığı görürsünüz\n", "cp857"),
        (
            "Temel bilgilere sahip olduktan sonra yeni bir şeye başlayabilir, ışığı görürsünüz\n",
            "x-mac-turkish",
        ),
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

/// Decoding only what is not UTF-8 would leave the sequences that the other bytes are by chance.
#[test]
fn words_that_are_utf8_in_part_by_chance_are_not_decoded_in_part() {
    let utf8 = "انتخاب محل استفاده از VPN\nمتوجه شدم\nمورد فلکس از %S\nحذف VPN از نوار ابزار\n";
    let legacy = encoded("حذف VPN از نوار ابزار\nفلکس\u{200C}باکس\nانتخاب مرورگر\nتمرکز\n", "windows-1256");
    let mixed = [utf8.as_bytes(), &legacy].concat();
    if let Some(remedy) = advised(&mixed) {
        let becomes = remedied(remedy, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert!(becomes.is_some_and(|text| text.contains("انتخاب مرورگر\nتمرکز\n")), "{remedy:?}");
    }
}

/// `ЁЯША` is no word of Russian.
#[test]
fn an_emoji_is_utf8_however_little_else_there_is() {
    for damage in [&b"\xFF"[..], b"\xFF \xE2\x82", b"\xE2\x82 \xC0\xAF \xFF"] {
        let bytes = [b"abc ", damage, " \u{1F600} long\n".as_bytes()].concat();
        let guess = weigh(&bytes);
        assert_eq!((guess.encoding, guess.remedy), (Some("utf-8"), Some(Remedy::ReplaceErrors)), "{guess:?}");
    }
    let word = [b"caf\xE9 ", "\u{1F600}\n".as_bytes()].concat();
    let fallback = Remedy::Fallback("windows-1252".parse().unwrap());
    assert_eq!(weigh(&word).remedy, Some(fallback), "{:?}", weigh(&word));
}

/// Signs within words, as many write them.
#[test]
fn accents_for_apostrophes_and_hebrew_hyphens_are_read_within_words() {
    let cases = [
        (
            "Dit is nuttig voor commando´s die de bestand inhoud transformeren, één voor één, en geïnstalleerd\n",
            "windows-1252",
        ),
        (
            "הרחבה זו הושבתה על־ידי המצב לפתרון בעיות, ולא לפי צה״ל\nכל ההרחבות הושבתו על־ידי המצב\n",
            "windows-1255",
        ),
    ];
    for (text, name) in cases {
        let guess = weigh(&encoded(text, name));
        assert_eq!(guess.encoding, Some(name), "{guess:?}");
    }
}

#[test]
fn lines_that_hardly_read_as_text_are_not_decoded() {
    // One line of the others is in both encodings, so that all of them are well formed only in windows-874.
    let text = "這是一段繁體中文，每一行的長度都不同\n";
    let (utf8, big5) = (text.repeat(20), encoded(text, "big5"));
    let mixed = [utf8.as_bytes(), &big5.repeat(5), "這是一段繁".as_bytes(), &big5].concat();
    assert_eq!(advised(&mixed), None, "{:?}", weigh(&mixed));
}

#[test]
fn a_word_that_reads_as_utf8_by_chance_is_no_more_evidence_where_it_occurs_again() {
    let big5 =
        encoded("[塔爾西斯](/wiki/塔爾西斯 \"塔爾西斯\")\n這是一段繁體中文，每一行的長度都不同\n", "big5");
    let guess = weigh(&big5);
    assert_eq!((guess.encoding, guess.mixed), (Some("Big5"), None), "{guess:?}");
}

#[test]
fn a_sign_alone_among_east_asian_lines_may_be_utf8() {
    for (line, others, name) in [
        ("355.45°\n", "これは日本語の文章です\n行ごとに長さが違います\n", "euc-jp"),
        ("·\n", "这是一段简体中文\n每一行的长度都不同\n", "gb18030"),
    ] {
        assert_eq!(advised(&[line.as_bytes(), &encoded(others, name)].concat()), None, "{name}");
    }
    // Another such line is not yet usual.
    let lines =
        ["(planeta) – 希伯来语", "每一行的长度都不同", "(Mars – 上索布语)"].repeat(5).join("\n") + "\n–\n";
    let others = encoded(&lines, "gb18030");
    assert_eq!(advised(&["* [·](https://example.org/)\n".as_bytes(), &others].concat()), None);
    // In a column of single characters, it is one of them.
    let column = encoded("李明,男\n1,男\n2,女\n3,路\n", "gb18030");
    assert!(matches!(weigh(&column).remedy, Some(Remedy::Convert { .. })), "{:?}", weigh(&column));
}

#[test]
fn text_in_one_alphabet_in_utf16_or_utf32_needs_no_mark_and_little_ascii() {
    for text in [
        "هذا نص باللغة العربية بأسطر مختلفة\n",
        "הגולשות את אם בחירות היסטוריה\n",
        "Мы шли маленькими шагами\n",
    ] {
        let wide = |unit: fn(char) -> Vec<u8>| text.chars().flat_map(unit).collect::<Vec<u8>>();
        let little = wide(|c| u32::from(c).to_le_bytes().to_vec());
        let big = wide(|c| u32::from(c).to_be_bytes().to_vec());
        let units = |bytes: &[u8], at: [usize; 2]| -> Vec<u8> {
            bytes.as_chunks::<4>().0.iter().flat_map(|unit| at.map(|at| unit[at])).collect()
        };
        for (bytes, encoding) in [
            (units(&little, [0, 1]), AnyEncoding::Utf16Le),
            (units(&big, [2, 3]), AnyEncoding::Utf16Be),
            (little, AnyEncoding::Utf32Le),
            (big, AnyEncoding::Utf32Be),
        ] {
            assert_eq!(sniff::wide(&bytes), Some(encoding), "{text}");
        }
    }
    // Small numbers have many zero bytes as well.
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for most in [5000, 50_000] {
        for _ in 0..500 {
            let numbers: Vec<u32> = (0..40).map(|_| 32 + random.below(most) as u32).chain([10]).collect();
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            assert_eq!(sniff::wide(&bytes), None, "{numbers:?}");
        }
    }
}

#[test]
fn east_asian_text_in_utf16_needs_no_mark_and_little_ascii() {
    let japanese =
        "これは日本語の文章です。\n行ごとに長さが違います。\nですから、どの行も\n読めなければなりません。\n";
    let korean = "한국어로 쓴 글은\n여러 줄로 되어 있고\n줄마다 길이가 다르다\n";
    let chinese =
        "这是一段简体中文，每一行的长度都不同。\n所以无论哪一行，都应该可以阅读。\n不会变成乱码！\n";
    for text in [japanese, korean, chinese] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(
            (weigh(&little).encoding, weigh(&big).encoding),
            (Some("utf-16le"), Some("utf-16be")),
            "{text}"
        );
    }
    // A line without punctuation.
    for text in ["我们都在这里等着他\n", "火星的两极都有冰帽\n", "中国人口与经济发展\n", "東京都の人口\n"]
    {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(sniff::wide(&little), Some(AnyEncoding::Utf16Le), "{text}");
    }
    // Words that end in NUL, as `find -print0` writes them.
    for words in [&b"geographie\0meter\0genre\0\n"[..], b"image.png\0page.html\0\n\0"] {
        assert_eq!(sniff::wide(words), None);
    }
    // Numbers of two bytes are not text.
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2000 {
        let mut numbers: Vec<u8> = (0..64).map(|_| random.below(256) as u8).collect();
        numbers.extend_from_slice(b"\n\0");
        assert!(!matches!(sniff::wide(&numbers), Some(AnyEncoding::Utf16Le | AnyEncoding::Utf16Be)));
    }
}

#[test]
fn short_japanese_text_in_euc_jp_is_likely() {
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
        assert_eq!((guess.encoding, guess.confidence), (Some("EUC-JP"), Confidence::Likely), "{text}");
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

#[test]
fn only_what_can_be_converted_is_advised() {
    let from = |name: &str| Some(Remedy::Convert { from: name.parse().unwrap(), strip_bom: false });
    let cases: [(&[u8], &str, Option<Remedy>); 5] = [
        (b"a \x1B$)A\x0EVPND\x0F\n", "ISO-2022-CN", from("iso-2022-cn")),
        // CNS 11643
        (b"a \x1B$)G\x0EDHDe\x0F\n", "ISO-2022-CN", None),
        (b"a \x1B$)A\x0EVP\x0F \x1B$*H\x1BN!!\n", "ISO-2022-CN", None),
        (b"a \x1B$B\x0F\x0F\x1B(B\n", "ISO-2022-JP", None),
        (b"a \x1B$)C\x0E0!\x0F\n", "ISO-2022-KR", from("iso-2022-kr")),
    ];
    for (text, name, remedy) in cases {
        let guess = weigh(text);
        assert_eq!((guess.encoding, guess.remedy), (Some(name), remedy), "{}", text.escape_ascii());
    }
}

/// A pangram has rare letters as often as frequent ones, and yet no language but its own has them all.
#[test]
fn pangrams_are_likely() {
    for (text, name) in [
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "windows-1250"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "CP852"),
        ("Kŕdeľ šťastných ďatľov učí pri ústí Váhu mĺkveho koňa obhrýzať kôru.", "ISO-8859-2"),
        ("Dès Noël, où un zéphyr haï me vêt de glaçons. Voix ambiguë d’un cœur.", "windows-1252"),
        ("El pingüino Wenceslao hizo kilómetros bajo lluvia y frío, añoraba a su cachorro.", "windows-1252"),
        ("À noite, vovô vê o ímã cair no pé do pinguim e vovó põe açúcar no chá de tâmaras.", "windows-1252"),
        ("Põdur tšellomängija-följetonist külmetas kehvas garaažis. See väike mölder jõuab.", "windows-1257"),
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
    // Usual syllables do.
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
    let [one, many] = [1, 20].map(|times| legacy::quality(big5(), &bytes.repeat(times)));
    assert_eq!(one, many);
    assert_eq!(one, Some(1.0));
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
            assert!(found.encoding == Some(name) || !found.is_singled_out(), "{word}: {found:?}");
        }
    }
}

fn big5() -> crate::charset::Codec {
    crate::charset::Codec::Legacy(Legacy::labelled("Big5").expect("a label"))
}

/// One sign is an error among lines of UTF-8 that are read in another encoding than the sign would be.
#[test]
fn errors_alone_are_not_decoded_from_another_encoding_than_the_lines_are_in() {
    let line = "[Современной Україны](https://example.com/search?id=63812)  \n";
    let bytes = [b"[Universalis](https://example.org/planete/) \x9E\n", line.as_bytes()].concat();
    let remedy = weigh(&bytes).remedy;
    assert!(!matches!(remedy, Some(Remedy::Fallback(_))), "{remedy:?}");
}
