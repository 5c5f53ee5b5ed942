//! Tests of guesses and suggestions.

mod damage;
mod legacy;
mod lines;
mod mixtures;
mod wide;

use utf8kit::{AnyEncoding, Encoding as _, Piece, Utf8};
use utf8kit_encodings::charset::Legacy;
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::display::Hex;

use super::*;
use crate::repair::{RepairPolicy, Repairer};
use utf8kit_testing::Random;

fn weigh(bytes: &[u8]) -> Guess {
    let error = Utf8.errors(bytes).next();
    Sample { bytes, whole: true, error }.weigh()
}

/// Returns the suggested action of a guess, unless the suggestion is open.
fn action_of(guess: Option<&Guess>) -> Option<Action> {
    guess.and_then(Guess::suggestion).filter(|suggestion| !suggestion.is_open()).map(|suggestion| suggestion.action)
}

/// Returns a text in a legacy encoding.
fn encoded(text: &str, name: &str) -> Vec<u8> {
    let legacy = Legacy::labelled(name).expect("a label");
    text.chars().flat_map(|c| legacy.bytes_of(c).expect("in the encoding")).collect()
}

/// Returns the suggested action for a complete file.
fn advised(bytes: &[u8]) -> Option<Action> {
    let guess = Sample { bytes, whole: true, error: Utf8.errors(bytes).next() }.other_than_utf8();
    action_of(guess.as_ref())
}

/// Applies an action to a text, if it is a repair.
fn repaired_by(action: Action, text: &[u8]) -> Option<Vec<u8>> {
    let mut repairer = Repairer::new(&RepairPolicy::of(action)?, AnyEncoding::Utf8);
    let mut out = Vec::new();
    repairer.push(text, Piece::Last, &mut out, &mut |_| {});
    Some(out)
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
    let texts: [&[u8]; 7] = [b"", b"a", text.as_bytes(), b"a\xE2\x82", b"a\xE2\x82\n\xF0\x9F", &german, b"\xFF\xFEa\0"];
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
    assert_eq!((twice.encoding, twice.misdecoded_as), (Some("utf-8"), Some("windows-1252")));
    assert_eq!(weigh("caf\u{E9}".as_bytes()).misdecoded_as, None);
}

#[test]
fn a_hint_advises_to_convert_plausible_text_only() {
    let suggestion = |bytes: &[u8]| Sample { bytes, whole: true, error: Utf8.errors(bytes).next() }.other_than_utf8();
    let advises = |bytes: &[u8]| matches!(action_of(suggestion(bytes).as_ref()), Some(Action::Convert { .. }));
    for bytes in [&b"\x80"[..], b"\xFF", b"\x80\x81\x82\x83\x84\x85", b"\xF1\x80\x80\xFF", b"9. **^** Hirt\x80, C."] {
        assert!(!advises(bytes), "{}", Hex(bytes));
    }
    let russian = "Привет, как дела? Это обычное короткое сообщение на русском языке для проверки. Да.";
    let windows: Vec<u8> = russian
        .chars()
        .flat_map(|c| Legacy::labelled("windows-1251").and_then(|legacy| legacy.bytes_of(c)).expect("in it"))
        .collect();
    assert_eq!((windows.len(), weigh(&windows).confidence), (83, Confidence::Certain));
    assert!(advises(&windows) && advises(b"caf\xE9 au lait"));
}

/// UTF-8 has no lone surrogates and no values above 10FFFF.
#[test]
fn a_conversion_that_would_fail_is_not_advised() {
    for bytes in [&b"caf\xC3\xA9 \xED\xA0\x80"[..], b"a\xF5\x80\x80\x80b", b"a\xF8\x88\x80\x80\x80b"] {
        let guess = weigh(bytes);
        let from: utf8kit_encodings::charset::Charset = guess.encoding.expect("a dialect").parse().unwrap();
        assert!(from.to_string() != "utf-8" && guess.action.is_none(), "{guess:?}");
    }
    let cesu = weigh(b"\xED\xA0\xBD\xED\xB8\x80");
    assert_eq!(cesu.action, Some(Action::Convert { from: AnyEncoding::Cesu8.into(), strip_bom: false }));
}

#[test]
fn the_marks_of_compressed_text_are_found() {
    // Written by ICU's `uconv`, with the mark before the text.
    let cases: [(&[u8], &str, Option<&str>); 3] = [
        (b"\xFB\xEE($#A\x8E\x91\x8A\x82\x80", "Москва", Some("BOCU-1")),
        (b"\x0E\xFE\xFF\x12\x9C\xBE\xC1\xBA\xB2\xB0", "Москва", Some("SCSU")),
        (b"\x0E\xFE\xFF\x0C", "", None),
    ];
    for (bytes, text, name) in cases {
        let guess = weigh(bytes);
        if let Some(name) = name {
            assert_eq!(guess.encoding, Some(name));
            let read = Legacy::labelled(name).unwrap().text_of(bytes).unwrap();
            assert_eq!(read.trim_start_matches('\u{FEFF}'), text);
            let from = name.parse().unwrap();
            assert_eq!(guess.action, Some(Action::Convert { from, strip_bom: true }));
        } else {
            assert_ne!(guess.encoding, Some("SCSU"));
        }
    }
}

#[test]
fn only_what_can_be_converted_is_advised() {
    let from = |name: &str| Some(Action::Convert { from: name.parse().unwrap(), strip_bom: false });
    let cases: [(&[u8], &str, Option<Action>); 6] = [
        (b"a \x1B$)A\x0EVPND\x0F\n", "ISO-2022-CN", from("iso-2022-cn")),
        // CNS 11643
        (b"a \x1B$)G\x0EDHDe\x0F\n", "ISO-2022-CN", from("iso-2022-cn")),
        (b"a \x1B$)A\x0EVP\x0F \x1B$*H\x1BN!!\n", "ISO-2022-CN", from("iso-2022-cn")),
        (b"a \x1B$)G\x0E0\x0F\n", "ISO-2022-CN", None),
        (b"a \x1B$B\x0F\x0F\x1B(B\n", "ISO-2022-JP", None),
        (b"a \x1B$)C\x0E0!\x0F\n", "ISO-2022-KR", from("iso-2022-kr")),
    ];
    for (text, name, action) in cases {
        let guess = weigh(text);
        assert_eq!((guess.encoding, guess.action), (Some(name), action), "{}", text.escape_ascii());
    }
}
