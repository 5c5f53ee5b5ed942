use super::decoder::{Read, decode};
use super::*;
use crate::charset::{Malformed, Unmappable};

/// Returns the encodings of the standard.
fn of_the_web() -> impl Iterator<Item = Legacy> {
    Legacy::all().filter(|legacy| matches!(legacy.0, Kind::Standard(_)))
}

#[test]
fn both_ways() {
    let sjis = Legacy::labelled("sjis").expect("a label");
    assert_eq!(sjis.bytes_of('\u{3042}'), Some(vec![0x82, 0xA0]));
    assert_eq!(sjis.text_of(b"\x82\xA0"), Some("\u{3042}".to_owned()));
    assert_eq!(sjis.len_of('\u{20AC}'), None);
    assert!(of_the_web().all(|legacy| legacy.text_of(b"text").as_deref() == Some("text")));
}

#[test]
fn mainframes_have_ebcdic() {
    for legacy in Legacy::all() {
        assert_eq!(legacy.is_ebcdic(), legacy.family() == Family::Mainframe, "{}", legacy.name());
    }
}

/// Each character of a single-byte encoding, and each character that it can write, round-trips.
#[test]
fn every_character_comes_back() {
    let single = || Legacy::all().filter(|legacy| legacy.is_single_byte());
    let every = single().flat_map(|legacy| (0..=255).filter_map(move |byte| legacy.text_of(&[byte])));
    let all: std::collections::BTreeSet<char> = every.flat_map(|text| text.chars().collect::<Vec<_>>()).collect();
    for legacy in single() {
        for text in (0..=255).filter_map(|byte| legacy.text_of(&[byte])) {
            let back: Option<Vec<_>> = text.chars().map(|c| legacy.bytes_of(c)).collect();
            let back = back.and_then(|bytes| legacy.text_of(&bytes.concat()));
            assert_eq!(back, Some(text), "{}", legacy.name());
        }
        if let Kind::Page(_) = legacy.0 {
            for &c in &all {
                // Except encodings with separate letters and marks.
                let back = legacy.single_byte_of(c).map(|byte| vec![byte]).and_then(|bytes| legacy.text_of(&bytes));
                assert!(back.is_none_or(|back| back == String::from(c)), "{} {c:?}", legacy.name());
            }
        }
    }
}

#[test]
fn lengths_are_those_of_the_bytes() {
    for legacy in of_the_web().filter(|legacy| legacy.is_sized()) {
        for value in (0..0x3_0000).step_by(if legacy.is_single_byte() { 1 } else { 7 }) {
            let Some(scalar) = char::from_u32(value) else { continue };
            let bytes = legacy.bytes_of(scalar);
            assert_eq!(legacy.len_of(scalar), bytes.map(|bytes| bytes.len()), "{} {scalar:?}", legacy.name());
        }
    }
}

#[test]
fn a_text_is_what_a_stream_says() {
    let noise = noise(2_000);
    for legacy in Legacy::all() {
        // Tables of single bytes differ only in their characters.
        let pieces = if matches!(legacy.0, Kind::Page(_)) { 20 } else { usize::MAX };
        for piece in noise.chunks(5).chain(noise.windows(2)).chain([&b"~{VPND~}"[..], b"\x1B$B4A\x1B(B"]).take(pieces) {
            let mut text = String::new();
            let malformed = Decoder::new(legacy).push(piece, true, &mut text).1;
            let want = malformed.is_none().then_some(text);
            assert_eq!(legacy.text_of(piece), want, "{} {piece:02X?}", legacy.name());
        }
    }
}

#[test]
fn malformed_spans_have_their_place() {
    let gb = Legacy::labelled("gb18030").expect("a label");
    let mut decoder = Decoder::new(gb);
    let mut text = String::new();
    let (read, malformed) = decoder.push(b"ab\xFFc", true, &mut text);
    assert_eq!((read, malformed), (3, Some(Malformed { offset: 2, len: 1 })));
    assert_eq!(decoder.push(b"c", true, &mut text), (1, None));
    assert_eq!(text, "abc");
}

#[test]
fn unmappable_characters_have_their_place() {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(WESTERN);
    let lacking = encoder.push("a\u{20AC}\u{416}b", true, &mut out);
    assert_eq!(lacking, Some(Unmappable { at: 4, scalar: '\u{416}' }));
    assert_eq!(out, b"a\x80");
}

/// Returns pseudorandom bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    // Many of them in the ranges of multi-byte sequences.
    let mut byte = || match next() % 8 {
        0 => b'0' + (next() % 10) as u8,
        1 => next() as u8 & 0x7F,
        2 => next() as u8,
        _ => 0x81 + (next() % 126) as u8,
    };
    (0..len).map(|_| byte()).collect()
}

/// Returns the text of an input given in pieces, and all malformed spans.
fn read_in(
    size: usize,
    bytes: &[u8],
    mut push: impl FnMut(&[u8], bool, &mut String) -> Read,
) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut spans) = (String::new(), Vec::new());
    let (mut at, mut ended) = (0, false);
    while !ended {
        let end = bytes.len().min(at + size);
        let (read, malformed) = push(&bytes[at..end], end == bytes.len(), &mut text);
        at += read;
        spans.extend(malformed.map(|(len, after)| (at - after - len, len)));
        ended = malformed.is_none() && at == bytes.len();
    }
    (text, spans)
}

#[test]
fn what_is_learnt_is_what_the_decoder_says() {
    let noise = noise(20_000);
    for legacy in of_the_web() {
        let Kind::Standard(standard) = legacy.0 else { continue };
        let mut asked = standard.new_decoder_without_bom_handling();
        let want = read_in(noise.len(), &noise, |piece, last, text| decode(&mut asked, piece, last, text));
        for size in [1, 7, noise.len()] {
            let mut decoder = Decoder::new(legacy);
            let seen = read_in(size, &noise, |piece, last, text| {
                let (read, malformed) = decoder.push(piece, last, text);
                let span = |span: Malformed| (span.len, (decoder.offset() - span.offset) as usize - span.len);
                (read, malformed.map(span))
            });
            assert!(seen == want, "{} in pieces of {size}", legacy.name());
        }
    }
}

#[test]
fn encoders_are_as_wide_as_decoders() {
    for (name, text, bytes) in [
        ("Big5", "\u{282E2}", &b"\x9D\xF2"[..]),
        ("EUC-JP", "\u{4E02}\u{301C}\u{FF5E}", b"\x8F\xB0\xA1\xA1\xC1\xA1\xC1"),
        (
            "Shift_JIS",
            "\u{301C}\u{FF5E}\u{2016}\u{A2}\u{A3}\u{AC}\u{2014}",
            b"\x81`\x81`\x81a\x81\x91\x81\x92\x81\xCA\x81\\",
        ),
        ("ISO-2022-JP", "a\u{301C}", b"a\x1B$B!A\x1B(B"),
        ("windows-1258", "Ti\u{1EBF}ng Vi\u{1EC7}t", b"Ti\xEA\xECng Vi\xEA\xF2t"),
        ("windows-1255", "\u{FB2A}", b"\xF9\xD1"),
        ("TCVN5712-1", "\u{1EBF}", b"\xD5"),
    ] {
        let mut out = Vec::new();
        let lacking = Encoder::new(Legacy::labelled(name).expect("a name")).push(text, true, &mut out);
        assert_eq!((lacking, out.escape_ascii().to_string()), (None, bytes.escape_ascii().to_string()), "{name}");
    }
}

#[test]
fn what_is_learnt_is_what_the_encoder_says() {
    let all: String = (0..=0x3_FFFF).chain(0xF_0000..0xF_1000).filter_map(char::from_u32).collect();
    for legacy in Legacy::all().filter(|legacy| legacy.is_stateless()) {
        let Kind::Standard(standard) = legacy.0 else { continue };
        // An encoding that lacks nearly all characters is tested with only some of them.
        let text: String = match standard.encode(&all).2 {
            true => all.chars().filter(|&scalar| scalar < '\u{1_0000}').step_by(5).collect(),
            false => all.clone(),
        };
        let is_wide = |c: char| legacy.bytes_of(c) != legacy.narrow_bytes_of(c);
        let text: String = text.chars().filter(|&c| !is_wide(c)).collect();
        let (mut encoder, mut asked) = (Encoder::new(legacy), standard.new_encoder());
        // Twice: once to fill the tables, once to use them.
        for _ in 0..2 {
            let (mut at, mut seen, mut want) = (0, Vec::new(), Vec::new());
            loop {
                let lacking = encoder.push(&text[at..], false, &mut seen);
                assert_eq!(lacking, encode(&mut asked, &text[at..], false, &mut want), "{}", legacy.name());
                let Some(lacking) = lacking else { break };
                at += lacking.at + lacking.scalar.len_utf8();
            }
            assert!(seen == want, "{}", legacy.name());
        }
    }
}

/// The codes that iconv of the GNU C library, ICU and Python write.
#[cfg(feature = "rewrite")]
#[test]
fn characters_have_the_codes_that_others_write() {
    let exact = |legacy, text: &str| {
        let mut out = Vec::new();
        Encoder::exact(legacy).push(text, true, &mut out).is_none().then_some(out)
    };
    let cases: [(&str, &str, &[u8]); 24] = [
        // Of two codes that are read.
        ("CP937", "一人", b"\x0E\x4C\x41\x4C\x49\x0F"),
        ("CP1371", "一人", b"\x0E\x4C\x41\x4C\x49\x0F"),
        ("CP1160", "\u{E48}\u{E49}\u{E4A}\u{E4B}", b"\xED\xEE\xEF\xFA"),
        ("CP9030", "\u{E48}\u{E4C}", b"\xED\xFB"),
        ("CP1161", "\u{E48}\u{E4B}", b"\xE8\xEB"),
        ("CP9066", "\u{E4C}", b"\xEC"),
        ("CP1006", "\u{FE8E}", b"\xB2"),
        ("Big5", "嘅廐廴悤无", b"\x9D\xEF\x9D\xFB\xFB\xFD\xA0\xDC\xFC\xD3"),
        ("Big5", "瀞猪覩鍮隶靝", b"\x96\xEE\x99\x75\xA0\xD4\xA0\x5F\x90\xC4\x9C\xE4"),
        ("Big5", "¢£", b"\xA2\x46\xA2\x47"),
        ("windows-1255", "\u{FB2A}\u{FB2C}\u{FB4A}", b"\xF9\xD1\xF9\xCC\xD1\xFA\xCC"),
        ("Shift_JIS", "\u{E000}\u{E757}", b"\xF0\x40\xF9\xFC"),
        // Read as other characters.
        ("Big5", "¥•‾", b"\xA2\x44\xA1\x45\xA1\xC2"),
        ("CP1046", "\u{FE80}\u{FE8C}", b"\xC1\xA6"),
        ("CP1097", "\u{621}\u{669}", b"\x51\xFE"),
        ("CP1008", "\u{621}", b"\xAA"),
        ("CP4517", "\u{621}", b"\x46"),
        ("CP16804", "\u{FE80}", b"\x46"),
        ("CP1140", "\u{203E}", b"\xBC"),
        ("CP1146", "\u{203E}", b"\xA1"),
        ("CP856", "\u{2022}\u{203E}", b"\xFA\xEE"),
        ("CP935", "·", b"\x0E\x43\x45\x0F"),
        ("CP1364", "·\u{AD}", b"\x0E\x41\x43\x41\x48\x0F"),
        ("CP1390", "\u{6805}\u{F86F}", b"\x0E\x51\xF1\x44\x6E\x0F"),
    ];
    for (place, (name, text, bytes)) in cases.into_iter().enumerate() {
        let legacy = Legacy::labelled(name).expect("a name");
        let mut out = Vec::new();
        assert_eq!(Encoder::new(legacy).push(text, true, &mut out), None, "{name} {text}");
        assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{name}");
        // A strict conversion comes back.
        assert_eq!(exact(legacy, text), (place < 12).then_some(out), "{name} {text}");
        assert!(place < 12 || text.chars().any(|c| legacy.altered(c).is_some()), "{name} {text}");
    }
    let user = Legacy::labelled("cp932").unwrap();
    for c in '\u{E000}'..='\u{E757}' {
        assert!(exact(user, c.encode_utf8(&mut [0; 4])).is_some(), "{c:?}");
    }
}
