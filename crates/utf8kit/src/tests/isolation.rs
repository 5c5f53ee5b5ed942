//! Errors that are far apart, at every place in a vector, in lossy conversions on every level: kernels replace them
//! without leaving their loops.

use std::string::String;
use std::vec::Vec;

use super::support::on_every_level;
use crate::{AnyEncoding, Converter, Policy};

const FILLINGS: [&str; 5] = ["a", "é", "€", "😀", "aé€😀"];

/// The bytes or units before the first error: two blocks and a little more.
const PADDING: usize = 140;
/// The distance from the first error to the second: beyond what kernels treat as near.
const FAR: usize = 700;

/// Converts, and returns the result and the positions of errors.
fn converted(from: AnyEncoding, to: AnyEncoding, bytes: &[u8]) -> (Vec<u8>, Vec<u64>) {
    let (mut out, mut offsets) = (Vec::new(), Vec::new());
    let mut converter = Converter::lossy(from, to, Policy::REPLACE);
    converter.push_observed(bytes, &mut out, |change| offsets.push(change.offset)).unwrap();
    converter.finish_observed(&mut out, |change| offsets.push(change.offset)).unwrap();
    (out, offsets)
}

#[test]
fn errors_of_utf8_are_replaced_at_every_place() {
    on_every_level(|level| {
        for filling in FILLINGS {
            for error in [&b"\xFF"[..], b"\x80", b"\xE2\x82", b"\xF0\x9F\x98", b"\xED\xA0\x80", b"\xC3"] {
                for padding in 0..PADDING {
                    let text = filling.repeat(FAR / filling.len());
                    let bytes = ["x".repeat(padding).as_bytes(), text.as_bytes(), error].concat();
                    let bytes = [&bytes[..], text.as_bytes(), error, text.as_bytes()].concat();
                    let expected = String::from_utf8_lossy(&bytes);
                    let offsets: Vec<u64> = crate::errors(&bytes).map(|error| error.offset).collect();
                    let units: Vec<u8> = expected.encode_utf16().flat_map(u16::to_le_bytes).collect();
                    let found = converted(AnyEncoding::Utf8, AnyEncoding::Utf16Le, &bytes);
                    assert!(found == (units, offsets.clone()), "UTF-16, {level}: {error:X?} in {filling}, {padding}");
                    let units: Vec<u8> = expected.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
                    let found = converted(AnyEncoding::Utf8, AnyEncoding::Utf32Be, &bytes);
                    assert!(found == (units, offsets), "UTF-32, {level}: {error:X?} in {filling}, {padding}");
                }
            }
        }
    });
}

#[test]
fn lone_surrogates_are_replaced_at_every_place() {
    on_every_level(|level| {
        for filling in FILLINGS {
            for lone in [0xD800, 0xDBFF, 0xDC00, 0xDFFF] {
                for padding in 0..PADDING {
                    let text: Vec<u16> = filling.repeat(FAR / filling.len()).encode_utf16().collect();
                    let units = [&std::vec![0x78; padding], &text[..], &[lone], &text, &[lone], &text].concat();
                    let expected = String::from_utf16_lossy(&units).into_bytes();
                    let first = padding + text.len();
                    let offsets = std::vec![2 * first as u64, 2 * (first + 1 + text.len()) as u64];
                    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                    let found = converted(AnyEncoding::Utf16Le, AnyEncoding::Utf8, &bytes);
                    assert!(found == (expected.clone(), offsets.clone()), "{level}: {lone:X} in {filling}, {padding}");
                    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                    let found = converted(AnyEncoding::Utf16Be, AnyEncoding::Utf8, &bytes);
                    assert!(found == (expected, offsets), "{level}: {lone:X} in {filling}, {padding}");
                }
            }
        }
    });
}
