//! Splits streams of hard strings at every byte.

use std::vec::Vec;

use super::oracle;
use super::support::HARD;
use crate::*;

/// Encodings in which an item depends on what follows, and one in which it does not.
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
