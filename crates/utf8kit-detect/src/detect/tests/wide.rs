//! Tests of UTF-16 and UTF-32 without a mark.

use super::*;

#[test]
fn text_in_one_alphabet_in_utf16_or_utf32_needs_no_mark_and_little_ascii() {
    for text in [
        "هذا نص باللغة العربية بأسطر مختلفة\n",
        "הגולשות את אם בחירות היסטוריה\n",
        "Мы шли маленькими шагами\n",
        // A byte of each letter is white space.
        "मंगल सौरमंडल में सूर्य से चौथा ग्रह है\n",
        "ਮੰਗਲ ਸੂਰਜ ਤੋਂ ਚੌਥਾ ਗ੍ਰਹਿ ਹੈ\n",
        "ഇത് ഒരു ചെറിയ കഥ ആണ്\n",
        // Long words, or text without spaces.
        "செவ்வாய் சூரியமண்டலத்தில் நான்காவது கோளாகும்\n",
        "ดาวอังคารเป็นดาวเคราะห์ลำดับที่สี่จากดวงอาทิตย์\n",
        "ភពអង្គារ\u{200B}ជា\u{200B}ភព\u{200B}ទីបួន\u{200B}គិតពី\u{200B}ព្រះអាទិត្យ\n",
        "အင်္ဂါဂြိုဟ်သည်နေမှစတုတ္ထမြောက်ဂြိုဟ်ဖြစ်သည်\n",
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
    // Small numbers also have many zero bytes.
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
fn numbers_and_ascii_are_no_scripts_of_asia() {
    // Short lines and columns of ASCII with a NUL: read as UTF-16, these are letters of India.
    let columns: Vec<u8> = (b'a'..=b'w').flat_map(|letter| [letter, b'\t']).chain(*b"x\0").collect();
    let lines: Vec<u8> = (b'2'..=b'9').cycle().take(60).flat_map(|digit| [digit, b'\n']).chain(*b"4\0").collect();
    for bytes in [&columns[..], &lines, b"GET\t200\nPUT\t404\nPUT\t500\n4\0"] {
        assert_eq!(sniff::wide(bytes), None, "{}", bytes.escape_ascii());
    }
    // Numbers in a range of 256.
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for first in (0x900..0x2000).step_by(0x100) {
        for header in [64, 100, usize::from(b'\n')] {
            let numbers: Vec<usize> = (0..100).map(|_| first + random.below(256)).collect();
            let numbers = || [header].into_iter().chain(numbers.iter().copied());
            let little: Vec<u8> = numbers().flat_map(|number| (number as u16).to_le_bytes()).collect();
            let big: Vec<u8> = numbers().flat_map(|number| (number as u32).to_be_bytes()).collect();
            assert_eq!((sniff::wide(&little), sniff::wide(&big)), (None, None), "{first:X} {header}");
        }
    }
}

#[test]
fn east_asian_text_in_utf16_needs_no_mark_and_little_ascii() {
    let japanese = "これは日本語の文章です。\n行ごとに長さが違います。\nですから、どの行も\n読めなければなりません。\n";
    let korean = "한국어로 쓴 글은\n여러 줄로 되어 있고\n줄마다 길이가 다르다\n";
    let chinese = "这是一段简体中文，每一行的长度都不同。\n所以无论哪一行，都应该可以阅读。\n不会变成乱码！\n";
    for text in [japanese, korean, chinese] {
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!((weigh(&little).encoding, weigh(&big).encoding), (Some("utf-16le"), Some("utf-16be")), "{text}");
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

/// Java properties files contain little except escapes. Read as UTF-16, these are characters of East Asia.
#[test]
fn escapes_in_ascii_are_no_scripts_of_asia() {
    for key in ["greeting=", "TITLE: ", "a = "] {
        let escapes: String = "Привет".bytes().map(|byte| format!("\\u{byte:04X}")).collect();
        for text in [format!("{key}{escapes}"), format!("{key}{escapes}\n"), format!("{key}{escapes}\r\n")] {
            assert_eq!(weigh(text.as_bytes()).encoding, Some("utf-8"), "{text}");
        }
    }
}

/// The standards of 2004 add characters to Shift_JIS and EUC-JP, in rows that were empty.
#[test]
fn japanese_of_2004() {
    let text = "これはテストです。今日はとても良い天気ですね。散歩に行きましょう。𠮟られた。①②③\n";
    for name in ["Shift_JIS-2004", "EUC-JIS-2004"] {
        let page = Legacy::labelled(name).unwrap();
        let bytes: Vec<u8> = text.chars().flat_map(|c| page.bytes_of(c).unwrap()).collect();
        assert_eq!(weigh(&bytes).encoding, Some(name));
    }
}

/// Lists for `xargs -0`, and fields of fixed width.
#[test]
fn nuls_separate_or_fill_fields() {
    for bytes in
        [&b"4711\x0010\0"[..], b"ok  \0off \0b   \0B2  \0", b"   \0", b"\0B2\n", b"B2\0K\xC3\xB6ln\0", b"2024\x00200\0"]
    {
        let found = weigh(bytes);
        assert_eq!((found.encoding, found.artifact), (Some("utf-8"), None), "{found:?}");
    }
    // Short words in UTF-16 have as many NULs.
    for word in ["hi", "ok!", "no 1"] {
        let little: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(weigh(&little).encoding, Some("utf-16le"), "{word}");
    }
    // As text, it may be data, but it is not certainly ASCII.
    let escapes: Vec<u8> = "и%D0%BA%D0%B8%D0%BD%".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_ne!(weigh(&escapes).confidence, Confidence::Certain);
}

/// The mark of UTF-16 before UTF-8, as in source files of libwfp (mullvad/libwfp, pull request 40).
#[test]
fn a_mark_of_utf16_may_begin_other_text() {
    for mark in [b"\xFE\xFF", b"\xFF\xFE"] {
        for text in ["日本語の文章です", "Ёлка и дом", "été à là", "हिन्दी में पाठ", "plain words in a line\n"]
        {
            let found = weigh(&[&mark[..], text.as_bytes()].concat());
            assert_eq!((found.encoding, found.confidence), (Some("utf-8"), Confidence::Likely), "{found:?}");
        }
        let french = weigh(&[&mark[..], b"1 er mars, \xE9t\xE9 d\xE9j\xE0 vu, caf\xE9s\n"].concat());
        assert_eq!(french.encoding, Some("windows-1252"), "{french:?}");
        assert!(french.suggestion().is_none_or(|suggestion| suggestion.is_open()), "{french:?}");
    }
    // In UTF-16, text in East Asia needs no ASCII.
    for text in ["日本", "東京都の人口", "我们都在这里等着他", "한국어로쓴글은", "嘆息", "中国人口与经济发展"]
    {
        let little = text.encode_utf16().flat_map(u16::to_le_bytes);
        let big = text.encode_utf16().flat_map(u16::to_be_bytes);
        let little: Vec<u8> = b"\xFF\xFE".iter().copied().chain(little).collect();
        let big: Vec<u8> = b"\xFE\xFF".iter().copied().chain(big).collect();
        for (bytes, encoding) in [(little, "utf-16le"), (big, "utf-16be")] {
            let found = weigh(&bytes);
            assert_eq!((found.encoding, found.confidence), (Some(encoding), Confidence::Certain), "{text}");
        }
    }
}
