//! Tests of lines of UTF-8 among lines in another encoding.

use super::*;

#[test]
fn lines_of_another_encoding_are_seen() {
    let mixed = weigh(b"Gr\xC3\xBC\xC3\x9Fe\ncaf\xE9\nplain\nM\xFCller\n");
    assert_eq!((mixed.encoding, mixed.mixed), (Some("utf-8"), Some("windows-1252")));
    assert_eq!(mixed.action, Some(Action::FallbackLines("windows-1252".parse().unwrap())));
    let broken = weigh(b"Gr\xC3\xBC\xC3\x9Fe\ncaf\xE9 \xC3\xBC\n");
    assert_eq!((broken.mixed, broken.action), (None, Some(Action::Fallback("windows-1252".parse().unwrap()))));
    assert_eq!(weigh(b"caf\xE9\nM\xFCller\n").mixed, None);
}

/// Texts that are half UTF-8 and half in another encoding, interleaved by lines or as two halves.
const MIXED: [(&str, &str); 17] = [
    (
        "euc-kr",
        "한국어로 쓴 글은\n여러 줄로 되어 있고\n줄마다 길이가 다르다\n물\n그래서 어느 줄이든\n읽을 수 있어야 한다\n",
    ),
    ("big5", "這是一段繁體中文\n每一行的長度都不同\n水\n所以無論哪一行\n都應該可以閱讀\n不會變成亂碼\n"),
    ("gb18030", "这是一段简体中文\n每一行的长度都不同\n水\n所以无论哪一行\n都应该可以阅读\n不会变成乱码\n"),
    ("shift_jis", "これは日本語の文章です\n行ごとに長さが違います\n水\nですから、どの行も\n読めなければなりません\n"),
    ("euc-jp", "これは日本語の文章です\n行ごとに長さが違います\n水\nですから、どの行も\n読めなければなりません\n"),
    ("koi8-r", "Это русский текст\nв котором строки\nразной длины\nи каждую из них\nможно прочитать\nбез ошибок\n"),
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
    ("windows-1255", "זה טקסט בעברית\nעם שורות באורך שונה\nכל שורה אפשר לקרוא\nבלי שגיאות\nוגם את האחרות\nזה הכול\n"),
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
            let harmful = matches!(guess.action, Some(Action::Convert { .. } | Action::ReplaceErrors));
            assert!(!harmful, "{name}: {guess:?}");
            all += 1;
            right += usize::from(
                guess.action.and_then(|action| repaired_by(action, &mixed)).as_deref() == Some(good.as_bytes()),
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
        assert!(matches!(guess.action, Some(Action::Convert { .. })), "{name}");
    }
}

/// Returns one to three letters of a non-ASCII text, in a line of ASCII.
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
    random.pick(&["No. 12: @", "@", "see @, page 7", "id=3; name=@", "* [@](https://example.com/)"]).replace('@', &part)
}

#[test]
fn one_line_of_utf8_among_legacy_lines_is_never_garbled() {
    let mut random = Random::new(0x2545_F491_4F6C_DD1D);
    let (mut right, mut all) = (0, 0);
    for (name, text) in MIXED {
        let legacy = Legacy::labelled(name).expect("a label");
        // A line of one character may be UTF-8 by chance, so no repair by lines is correct.
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
            let Some(error) = utf8kit::errors(&bytes).next() else { continue };
            let guess = Sample { bytes: &bytes, whole: true, error: Some(error) }.other_than_utf8();
            all += 1;
            let Some(action) = action_of(guess.as_ref()) else { continue };
            let becomes = repaired_by(action, &bytes).unwrap_or_else(|| panic!("{name}: {action:?} for {few}"));
            let becomes = String::from_utf8(becomes).expect("repaired");
            assert!(becomes.contains(&few), "{name}: {action:?} garbles {few}");
            right += usize::from(becomes == good);
        }
    }
    assert!(right * 10 >= all * 9, "{right} of {all}");
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
        // They are also Chinese characters.
        ("лан\n", "[Оксиды]\n", "koi8-r"),
        ("火星\n", "行星和卫星\n", "gb18030"),
        ("name=שלום\n", "זה טקסט בעברית\n", "windows-1255"),
    ];
    for (line, others, name) in cases {
        let mixed = [line.as_bytes(), &encoded(others, name)].concat();
        let action = weigh(&mixed).action.unwrap_or_else(|| panic!("{name}: {:?}", weigh(&mixed)));
        let becomes = repaired_by(action, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some([line, others].concat()), "{name}: {action:?}");
    }
}

/// Words in UTF-8 within lines in another encoding, in which they read as nonsense.
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
        let mixed = [&encoded(line, name)[..], b"text ", word.as_bytes(), b" ", &encoded(line, name)].concat();
        let action = weigh(&mixed).action.unwrap_or_else(|| panic!("{name}: {:?}", weigh(&mixed)));
        let becomes = repaired_by(action, &mixed).map(|bytes| String::from_utf8(bytes).expect("repaired"));
        assert_eq!(becomes, Some(format!("{line}text {word} {line}")), "{name}: {action:?}");
    }
}

#[test]
fn lines_that_hardly_read_as_text_are_not_decoded() {
    // One of the other lines is in both encodings, so that they are all well formed only in windows-874.
    let text = "這是一段繁體中文，每一行的長度都不同\n";
    let (utf8, big5) = (text.repeat(20), encoded(text, "big5"));
    let mixed = [utf8.as_bytes(), &big5.repeat(5), "這是一段繁".as_bytes(), &big5].concat();
    assert_eq!(advised(&mixed), None, "{:?}", weigh(&mixed));
}

/// Asserts that the suggestion decodes the lines that are not UTF-8 from an encoding, but is not certain.
fn assert_doubtful(bytes: &[u8], name: &str) {
    let suggestion = weigh(bytes).suggestion().unwrap_or_else(|| panic!("{name}"));
    assert_eq!(suggestion.action, Action::FallbackLines(name.parse().unwrap()), "{name}");
    assert!(!suggestion.is_sure(), "{name}: {suggestion:?}");
}

#[test]
fn a_sign_alone_among_east_asian_lines_may_be_utf8() {
    for (line, others, name) in [
        ("355.45°\n", "これは日本語の文章です\n行ごとに長さが違います\n", "euc-jp"),
        ("·\n", "这是一段简体中文\n每一行的长度都不同\n", "gb18030"),
    ] {
        assert_doubtful(&[line.as_bytes(), &encoded(others, name)].concat(), name);
    }
    // One more such line is still unusual.
    let lines = ["(planeta) – 希伯来语", "每一行的长度都不同", "(Mars – 上索布语)"].repeat(5).join("\n") + "\n–\n";
    let others = encoded(&lines, "gb18030");
    assert_doubtful(&["* [·](https://example.org/)\n".as_bytes(), &others].concat(), "gb18030");
    // The same in a column of single characters whose encoding is clear.
    let column = weigh(&encoded("李明,男\n1,男\n2,女\n3,路\n", "gb18030"));
    assert_eq!((column.encoding, column.mixed, column.has_utf8_lines), (Some("gb18030"), None, false), "{column:?}");
}

/// A single sign is an error, among lines of UTF-8 that would be decoded from another encoding than the sign.
#[test]
fn errors_alone_are_not_decoded_from_another_encoding_than_the_lines_are_in() {
    let line = "[Современной Україны](https://example.com/search?id=63812)  \n";
    let bytes = [b"[Universalis](https://example.org/planete/) \x9E\n", line.as_bytes()].concat();
    let action = weigh(&bytes).action;
    assert!(!matches!(action, Some(Action::Fallback(_))), "{action:?}");
}
