//! Inputs of every length up to 200, on every level, through the functions that have a kernel for them, against the
//! standard library.

use std::string::String;
use std::vec::Vec;

use super::oracle;
use super::support::{HARD, Random, counts_of, on_every_level};
use crate::*;

/// All widths alone and mixed, of one letter each.
const LETTERS: [&str; 8] = ["a", "é", "ш", "漢", "😀", "aaaaaé", "aш漢😀é", "漢a😀ш"];

const LONGEST: usize = 200;

/// Calls `check` with text of every length, and with the same bytes after one or two were overwritten.
fn on_every_length(check: impl Fn(&[u8], Level)) {
    on_every_level(|level| {
        let mut random = Random(3);
        for letters in LETTERS {
            for len in 0..=LONGEST {
                let mut text = String::from("x").repeat(random.below(4));
                text.extend(letters.chars().cycle().take_while({
                    let mut left = len;
                    move |c| {
                        left = left.saturating_sub(c.len_utf8());
                        left > 0
                    }
                }));
                text.truncate(crate::floor_char_boundary(text.as_bytes(), len));
                while text.len() < len {
                    text.push('x');
                }
                let mut bytes = text.into_bytes();
                check(&bytes, level);
                for _ in 0..2 {
                    if len > 0 {
                        bytes[random.below(len)] = random.byte();
                        check(&bytes, level);
                    }
                }
            }
        }
    });
}

#[test]
fn bytes_are_read() {
    on_every_length(|bytes, level| {
        let text = std::str::from_utf8(bytes);
        assert_eq!(crate::validate(bytes).is_ok(), text.is_ok(), "{bytes:x?} on {level}");
        assert_eq!(crate::repair(bytes), String::from_utf8_lossy(bytes), "{bytes:x?} on {level}");
        let counted = crate::validate_and_count(bytes);
        assert_eq!(counted.ok(), text.ok().map(|text| (text, counts_of(text))), "{bytes:x?} on {level}");
        if let Ok(text) = text {
            assert_eq!(crate::count(text), text.chars().count(), "{text:?} on {level}");
            assert_eq!(crate::utf16_len(text), text.encode_utf16().count(), "{text:?} on {level}");
        }
    });
}

/// Converts into a buffer larger than any result, one of exactly the right size, and one that is a unit smaller.
fn fills<U: Copy + Default + PartialEq + core::fmt::Debug>(
    read: usize,
    expected: &[U],
    context: &str,
    convert: impl Fn(&mut [U]) -> Progress,
) {
    for capacity in [expected.len() + 3 * LONGEST, expected.len(), expected.len().saturating_sub(1)] {
        let mut out = std::vec![U::default(); capacity];
        let progress = convert(&mut out);
        assert_eq!(out[..progress.written], expected[..progress.written], "{context}, capacity {capacity}");
        if capacity >= expected.len() {
            assert_eq!((progress.read, progress.written), (read, expected.len()), "{context}, capacity {capacity}");
            assert!(progress.status != Status::OutputFull, "{context}");
        } else {
            assert_eq!(progress.status, Status::OutputFull, "{context}, capacity {capacity}");
        }
    }
}

#[test]
fn bytes_are_converted() {
    on_every_length(|bytes, level| {
        let (valid, clean) = match std::str::from_utf8(bytes) {
            Ok(text) => (true, text),
            Err(error) => (false, std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap()),
        };
        let context = std::format!("{bytes:x?} on {level}");
        let units: Vec<u16> = clean.encode_utf16().collect();
        fills(clean.len(), &units, &context, |out| crate::convert_into(Utf8, Utf16, bytes, Piece::Last, out));
        let big_endian: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        fills(clean.len(), &big_endian, &context, |out| crate::convert_into(Utf8, Utf16Be, bytes, Piece::Last, out));
        if valid {
            assert_eq!(crate::Utf16.encode_string(clean).unwrap_or_default(), units, "{context}");
            assert_eq!(crate::Utf16.decode_string(&units).as_deref(), Ok(clean), "{context}");
        }
        let latin: Vec<u8> = clean.chars().map_while(|c| u8::try_from(u32::from(c)).ok()).collect();
        let read = clean.chars().take(latin.len()).map(char::len_utf8).sum();
        fills(read, &latin, &context, |out| crate::convert_into(Utf8, Latin1, bytes, Piece::Last, out));
    });
}

#[test]
fn units_are_converted() {
    on_every_length(|bytes, level| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let mut units: Vec<u16> = text.encode_utf16().collect();
        let mut random = Random(units.len() as u64);
        for surrogates in 0..3 {
            if surrogates > 0
                && let Some(last) = units.len().checked_sub(1)
            {
                units[random.below(last + 1)] = 0xD800 | random.next() as u16 & 0x7FF;
            }
            let context = std::format!("{units:x?} on {level}");
            let decoded: String = char::decode_utf16(units.iter().copied()).map_while(Result::ok).collect();
            let read = decoded.encode_utf16().count();
            fills(read, decoded.as_bytes(), &context, |out| {
                crate::convert_into(crate::Utf16, Utf8, &units, Piece::Last, out)
            });
            let text = crate::Utf16.decode_string(&units);
            assert_eq!(text.as_deref().ok(), String::from_utf16(&units).ok().as_deref(), "{context}");
        }
    });
}

/// Halves of surrogate pairs, pairs, and parts of units, in both byte orders.
const HARD_UNITS: &[&[u8]] = &[
    b"\xD8", b"\xD8\x3D", b"\xD8\x3D\xDE", b"\xD8\x3D\xDE\x00", b"\xD8\x3D\xD8\x3D", b"\xDE\x00", b"\xDE\x00\xD8\x3D",
    b"\x3D\xD8", b"\x3D\xD8\x00", b"\x3D\xD8\x00\xDE", b"\x3D\xD8\x3D\xD8", b"\x00\xDE", b"\x00\xDE\x3D\xD8",
];

/// Returns `len` bytes of a letter, after ASCII where the letter does not fit.
fn filling(encoding: AnyEncoding, letter: char, len: usize) -> Vec<u8> {
    let [ascii, letter] = ['x', letter].map(|c| oracle::write(encoding, u32::from(c)).unwrap());
    [ascii.repeat(len % letter.len() / ascii.len()), letter.repeat(len / letter.len())].concat()
}

/// Converts hard strings after text of every length, between encodings that are types: conversions between values of
/// [`AnyEncoding`] use no short kernel.
#[test]
fn hard_strings_end_short_inputs_in_types() {
    fn is_right<S: Encoding<Unit = u8>, T: Encoding<Unit = u8>>(from: S, to: T) {
        let converted = |bytes: &[u8]| oracle::convert(from.any(), to.any(), bytes, Policy::REPLACE);
        let mut letters = "aé漢😀".chars().collect::<Vec<_>>();
        letters.retain(|&c| [from.any(), to.any()].iter().all(|&e| oracle::write(e, c.into()).is_ok()));
        // Each text before, with its result.
        let text = |letter, len| {
            let before = filling(from.any(), letter, len);
            let good = converted(&before);
            (before, good)
        };
        let texts: Vec<Vec<_>> =
            (0..=LONGEST).map(|len| letters.iter().map(|&letter| text(letter, len)).collect()).collect();
        let mut cases = Vec::new();
        for (number, string) in HARD.iter().chain(HARD_UNITS).enumerate() {
            let first = oracle::conversion_errors(from.any(), to.any(), string).first().copied();
            let good = converted(&string[..first.map_or(string.len(), |error| error.valid_up_to())]);
            for (len, texts) in texts.iter().enumerate() {
                let (before, converted) = &texts[(number + len) % letters.len()];
                let stopped = first.map(|error| error.moved(before.len() as u64));
                cases.push(([before, *string].concat(), [&converted[..], &good].concat(), stopped));
            }
        }
        on_every_level(|level| {
            for (whole, expected, stopped) in &cases {
                let context = || std::format!("{} to {} on {level}: {whole:x?}", from.name(), to.name());
                let mut out = std::vec![0; expected.len()];
                let progress = crate::convert_into(from, to, whole, Piece::Last, &mut out);
                assert_eq!((&out, progress.written), (expected, expected.len()), "{}", context());
                assert_eq!(progress.status, stopped.map_or(Status::Done, Status::Error), "{}", context());
                let converted = crate::convert(from, to, whole);
                assert_eq!(converted.as_ref().err(), stopped.as_ref(), "{}", context());
                assert!(converted.is_err() || converted.as_ref() == Ok(expected), "{}", context());
            }
        });
    }
    is_right(Utf8, Utf16Le);
    is_right(Utf8, Utf16Be);
    is_right(Utf8, Utf32Le);
    is_right(Utf8, Latin1);
    is_right(Wtf8, Wtf16Be);
    is_right(Mutf8, Utf16Le);
    is_right(Utf16Le, Utf8);
    is_right(Utf16Be, Utf8);
    is_right(Wtf16Le, Wtf8);
    is_right(Utf32Be, Utf8);
    is_right(Latin1, Utf8);
}
