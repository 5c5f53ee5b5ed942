//! Explanations and grammars as numbers.

use super::report::kind_index;
use utf8kit::explain::{Bit, Explanation};
use utf8kit::{AnyEncoding, Encoding, MAX_LEN};

/// The number of numbers per item: offset, length, value (-1 for an error), kind (-1 for a code point), payload, its
/// number of bits, base, length class, next byte, expected low and high, lax value (each -1 if there is none); then for
/// each of six bytes its value, its number of payload bits, and the position of the lowest of them.
pub(crate) const NUMBERS_PER_ITEM: usize = 12 + 3 * MAX_LEN;

/// The number of numbers per form: its length, its first and last value, the number of values it encodes, and the range
/// of each of six bytes.
pub(crate) const NUMBERS_PER_FORM: usize = 4 + 2 * MAX_LEN;

/// Writes an explanation of every item to `numbers`.
pub(crate) fn explain(encoding: AnyEncoding, bytes: &[u8], numbers: &mut Vec<f64>) {
    numbers.clear();
    for item in utf8kit::explain::explain(encoding, bytes) {
        let start = numbers.len();
        let or_none = |number: Option<u32>| number.map_or(-1.0, f64::from);
        let expected = |high: bool| item.expected.map(|range| u32::from(if high { range.1 } else { range.0 }));
        numbers.extend([
            item.offset as f64,
            item.len as f64,
            or_none(item.result.ok()),
            item.result.err().map_or(-1.0, kind_index),
            f64::from(item.payload),
            f64::from(item.payload_len()),
            f64::from(item.base),
            item.length_class as f64,
            or_none(item.next.map(u32::from)),
            or_none(expected(false)),
            or_none(expected(true)),
            or_none(item.lax_value),
        ]);
        for (index, &byte) in item.bytes().iter().enumerate() {
            let (count, lowest) = payload_bits(&item, index);
            numbers.extend([byte, count, lowest].map(f64::from));
        }
        numbers.resize(start + NUMBERS_PER_ITEM, 0.0);
    }
}

/// Writes where every item begins to `numbers`; see [`super::outline`].
pub(crate) fn outline(encoding: AnyEncoding, bytes: &[u8], numbers: &mut Vec<f64>) {
    numbers.clear();
    // The end of the bytes that a lax decoder would read as one sequence.
    let mut lax_end = 0;
    for item in encoding.items(bytes) {
        let flags = match item.result {
            Ok(value) if value > 0xFFFF => 2,
            Ok(_) => 0,
            Err(_) if item.offset < lax_end => 1 | 4,
            Err(_) => {
                let lax = utf8kit::explain::explain(encoding, &bytes[item.offset..]).next();
                let lax = lax.filter(|error| error.lax_value.is_some());
                lax_end = lax.map_or(0, |error| item.offset + error.length_class);
                1
            }
        };
        numbers.push((item.offset as f64) * 8.0 + f64::from(flags));
    }
}

/// Returns the number of payload bits of a byte, and the position of the lowest one.
fn payload_bits(item: &Explanation, byte: usize) -> (u8, u8) {
    let positions = item.bits(byte).into_iter().filter_map(|bit| match bit {
        Bit::Payload { position, .. } => Some(position),
        _ => None,
    });
    positions.fold((0, 0), |(count, _), position| (count + 1, position))
}

/// Writes the forms of a dialect to `numbers`.
pub(crate) fn forms(encoding: AnyEncoding, numbers: &mut Vec<f64>) {
    numbers.clear();
    for row in encoding.grammar().into_iter().flat_map(|grammar| grammar.forms()) {
        let start = numbers.len();
        let ranges = row.ranges();
        let value = |end: fn(&(u8, u8)) -> u8| {
            let bytes: Vec<u8> = ranges.iter().map(end).collect();
            encoding.decode(&bytes).and_then(|step| step.result.ok()).map_or(-1.0, f64::from)
        };
        let values: f64 = ranges.iter().map(|&(low, high)| f64::from(high - low) + 1.0).product();
        numbers.extend([ranges.len() as f64, value(|range| range.0), value(|range| range.1), values]);
        numbers.extend(ranges.iter().flat_map(|&(low, high)| [low, high].map(f64::from)));
        numbers.resize(start + NUMBERS_PER_FORM, 0.0);
    }
}
