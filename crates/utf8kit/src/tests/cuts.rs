//! Splits streams of hard strings at every byte.

use std::vec::Vec;

use super::oracle;
use super::support::{HARD, on_every_level};
use crate::*;

/// Encodings in which an item depends on the following bytes, and one in which it does not.
const SOURCES: [AnyEncoding; 7] = [
    AnyEncoding::Cesu8,
    AnyEncoding::Mutf8,
    AnyEncoding::Utf8Bits21,
    AnyEncoding::Wtf8,
    AnyEncoding::Utf8,
    AnyEncoding::Utf16Le,
    AnyEncoding::Wtf16Be,
];

const TARGETS: [AnyEncoding; 5] =
    [AnyEncoding::Utf8, AnyEncoding::Mutf8, AnyEncoding::Wtf8, AnyEncoding::Utf16Le, AnyEncoding::Wtf16Le];

/// Bytes that may follow a hard string and change it.
const BEHIND: [&[u8]; 6] = [b"", b"a", b"\x80", b"\xED\xA0\xBD", b"\xED\xB8\x80", b"\xF0\x9F"];

#[test]
fn streams_of_hard_strings_are_cut_at_every_byte() {
    for string in HARD {
        for behind in BEHIND {
            let bytes = [*string, behind].concat();
            for from in SOURCES {
                for to in TARGETS.into_iter().chain([from]) {
                    for policy in [Policy::REPLACE, Policy::REPLACE_RUN, Policy::JAVA] {
                        is_converted_in_pieces(from, to, &bytes, policy);
                    }
                    fails_in_pieces(from, to, &bytes);
                }
            }
        }
    }
}

/// The functions that write to a buffer also take pieces: an incomplete item waits for the next call.
#[test]
fn buffers_take_hard_strings_cut_at_every_byte() {
    for (string, behind) in HARD.iter().flat_map(|string| BEHIND.map(|behind| (string, behind))) {
        let bytes = [*string, behind].concat();
        for (from, to) in SOURCES.iter().flat_map(|&from| TARGETS.map(|to| (from, to))) {
            let expected = convert_lossy(from, to, &bytes, Policy::REPLACE);
            for cut in 0..=bytes.len() {
                let mut out = [0; 256];
                let first = convert_lossy_into(from, to, &bytes[..cut], Piece::Partial, Policy::REPLACE, &mut out);
                assert!(first.status != Status::InputIncomplete || first.read < cut);
                let rest = &bytes[first.read..];
                let second =
                    convert_lossy_into(from, to, rest, Piece::Last, Policy::REPLACE, &mut out[first.written..]);
                assert_eq!(second.status, Status::Done);
                let converted = &out[..first.written + second.written];
                assert_eq!(converted, expected, "{bytes:X?} from {from} to {to}, cut at {cut}");
            }
            if from == to {
                let mut out = [0; 256];
                let repaired = from.repair_into(&bytes, Piece::Partial, Policy::REPLACE, &mut out);
                let read = convert_lossy_into(from, to, &bytes, Piece::Partial, Policy::REPLACE, &mut out).read;
                assert_eq!(repaired.read, read, "{bytes:X?} in {from}");
            }
        }
    }
}

/// A backslash before an `x` is also escaped. The `x` may be in the next piece, or split.
#[test]
fn what_looks_like_an_escape_is_cut_at_every_byte() {
    const TEXTS: [&str; 6] = ["a\\x41", "\\", "\\\\x", "\\y\\x\\", "\\\u{1F600}x", "\\x\u{1F600}\\x5C"];
    for from in AnyEncoding::ALL.iter().copied() {
        for (text, behind) in TEXTS.iter().flat_map(|text| BEHIND.map(|behind| (text, behind))) {
            let values = text.chars().filter_map(|c| oracle::write(from, u32::from(c)).ok());
            let bytes = [values.flatten().collect(), behind.to_vec()].concat();
            for to in TARGETS.into_iter().chain([from]) {
                is_converted_in_pieces(from, to, &bytes, Policy::Escape);
            }
        }
    }
}

/// A run of errors at the end of a piece continues in the next piece if that begins with an error.
#[test]
fn runs_of_errors_are_cut_at_every_byte() {
    on_every_level(|level| {
        for gap in (0..200).chain([600, 5000]) {
            let [before, between, behind] =
                [("a", 150), ("b", gap), ("\u{E9}", 100)].map(|(text, len)| text.repeat(len).into_bytes());
            let bytes = [&before[..], b"\xFF\xFF", &between, b"\xFF", &behind].concat();
            for to in [AnyEncoding::Utf8, AnyEncoding::Utf16Le, AnyEncoding::Utf32Be] {
                let expected = oracle::convert(AnyEncoding::Utf8, to, &bytes, Policy::REPLACE_RUN);
                for cut in [149, 150, 151, 152, 153, 152 + gap, 153 + gap] {
                    let mut converter = Converter::lossy(AnyEncoding::Utf8, to, Policy::REPLACE_RUN);
                    let mut out = Vec::new();
                    converter.push(&bytes[..cut], &mut out).unwrap();
                    converter.push(&bytes[cut..], &mut out).unwrap();
                    converter.finish(&mut out).unwrap();
                    assert!(out == expected, "to {to} on {level}: gap {gap}, cut at {cut}");
                }
            }
        }
    });
}

/// Returns the bytes in two pieces, and one by one.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    let in_two = (0..=bytes.len()).map(|cut| [&bytes[..cut], &bytes[cut..]].to_vec());
    in_two.chain([bytes.chunks(1).collect()])
}

fn is_converted_in_pieces(from: AnyEncoding, to: AnyEncoding, bytes: &[u8], policy: Policy<'_>) {
    let expected = oracle::convert(from, to, bytes, policy);
    for pieces in pieces(bytes) {
        let mut converter = Converter::lossy(from, to, policy);
        let mut out = Vec::new();
        for piece in &pieces {
            converter.push(piece, &mut out).unwrap();
            assert!(converter.pending().len() <= 7);
        }
        converter.finish(&mut out).unwrap();
        assert_eq!(out, expected, "{from} to {to}, {policy:?}: {pieces:X?}");
    }
}

fn fails_in_pieces(from: AnyEncoding, to: AnyEncoding, bytes: &[u8]) {
    let expected = oracle::conversion_errors(from, to, bytes).first().copied();
    for pieces in pieces(bytes) {
        let mut converter = Converter::strict(from, to);
        let mut out = Vec::new();
        let pushed = pieces.iter().try_for_each(|piece| converter.push(piece, &mut out));
        let end = pushed.and_then(|()| converter.finish(&mut out));
        assert_eq!(end.err(), expected, "{from} to {to}: {pieces:X?}");
        if from == to {
            let mut validator = Validator::new(from);
            let pushed = pieces.iter().try_for_each(|piece| validator.push(piece));
            assert_eq!(pushed.and_then(|()| validator.finish()).err(), expected, "{from}: {pieces:X?}");
        }
    }
}
