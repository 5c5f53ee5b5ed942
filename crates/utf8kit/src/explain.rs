//! Explains how each code point is encoded in bytes, bit by bit, or why it is invalid.

pub use crate::intent::intended_sequence;

use crate::decode::{Items, items};
use crate::encoding::{AnyEncoding, CodeUnit, MAX_LEN};
use crate::error::{ErrorKind, Unit};
use crate::grammar::{Grammar, Surrogates, lead_mask, length_class};
use crate::operations::Encoding;
use crate::out::as_bytes;

/// The purpose of a bit of an encoded byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bit {
    /// A bit that marks the kind of the byte: the `1110` of a lead, the `10` of a continuation, the `110110` of a
    /// surrogate.
    Marker(bool),
    /// Bit `position` (0 is the lowest) of the payload.
    Payload {
        /// The value of the bit.
        set: bool,
        /// Its position in [`Explanation::payload`].
        position: u8,
    },
}

impl Bit {
    /// Returns the value of the bit.
    #[must_use]
    pub const fn is_set(self) -> bool {
        match self {
            Bit::Marker(set) | Bit::Payload { set, .. } => set,
        }
    }
}

/// The explanation of one item of a text.
///
/// ```
/// use utf8kit::Utf8;
/// use utf8kit::explain::{Bit, explain};
/// let euro = explain(Utf8, "€".as_bytes()).next().unwrap();
/// assert_eq!(euro.result, Ok(0x20AC));
/// // 1110 0010: four marker bits, then payload bits 15 to 12.
/// assert_eq!(euro.bits(0)[3], Bit::Marker(false));
/// assert_eq!(euro.bits(0)[6], Bit::Payload { set: true, position: 13 });
///
/// let slash = explain(Utf8, b"\xC0\xAF").next().unwrap();
/// assert_eq!((slash.result.unwrap_err().name(), slash.lax_value), ("overlong", Some(0x2F)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Explanation {
    /// Where the item begins, in bytes, or in code units if the text is a slice of them.
    pub offset: usize,
    /// Its length in bytes or code units.
    pub len: usize,
    /// The code point, or why there is none.
    pub result: Result<u32, ErrorKind>,
    /// The combined payload bits, before [`Explanation::base`] is added. For an error, the bits that are present.
    pub payload: u32,
    /// The number added to the payload: the first value of its length in the offset form, 10000 for surrogate pairs.
    pub base: u32,
    /// The number of bytes that the lead byte announces; 0 if it announces none.
    pub length_class: usize,
    /// For an error, the byte that interrupted it, if there is one.
    pub next: Option<u8>,
    /// For an error, the range of bytes that would have continued it.
    pub expected: Option<(u8, u8)>,
    /// For an error, the value that a decoder would read here if it trusted only length and markers, provided that all
    /// the bytes are present.
    pub lax_value: Option<u32>,
    bytes: [u8; MAX_LEN],
    /// Number of bytes.
    byte_len: usize,
    /// For each byte: how many of its low bits are payload, and the position of the lowest one.
    payload_bits: [(u8, u8); MAX_LEN],
}

impl Explanation {
    /// Returns the item's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.byte_len]
    }

    /// Returns the eight bits of one of the item's bytes, highest first. All are markers if the byte does not exist.
    #[must_use]
    pub fn bits(&self, byte: usize) -> [Bit; 8] {
        let value = self.bytes.get(byte).copied().unwrap_or(0);
        let (count, lowest) = self.payload_bits.get(byte).copied().unwrap_or((0, 0));
        core::array::from_fn(|i| {
            let place = 7 - i as u8;
            let set = value >> place & 1 == 1;
            if place < count { Bit::Payload { set, position: lowest + place } } else { Bit::Marker(set) }
        })
    }

    /// Returns the number of payload bits of the whole item, including bytes that are missing.
    #[must_use]
    pub fn payload_len(&self) -> u32 {
        self.payload_bits
            .iter()
            .map(|&(count, lowest)| if count > 0 { u32::from(count + lowest) } else { 0 })
            .max()
            .unwrap_or(0)
    }
}

/// Explains every item in order: see [`Explanation`]. Offsets and lengths count code units; [`Explanation::bytes`] are
/// in the order of this machine.
///
/// ```
/// use utf8kit::explain::explain;
/// use utf8kit::{Utf8, Utf16};
/// let lengths: Vec<_> = explain(Utf8, b"a\xE2\x82\xAC\xFF").map(|item| (item.len, item.result.is_ok())).collect();
/// assert_eq!(lengths, [(1, true), (3, true), (1, false)]);
/// let emoji = explain(Utf16, &[0x61, 0xD83D, 0xDE00]).last().unwrap();
/// assert_eq!((emoji.offset, emoji.len, emoji.result, emoji.base), (1, 2, Ok(0x1F600), 0x1_0000));
/// ```
pub fn explain<E: Encoding>(encoding: E, text: &[E::Unit]) -> Explanations<'_, E> {
    let bytes = as_bytes(text);
    Explanations { encoding, bytes, unit: E::Unit::UNIT, items: items(encoding, bytes) }
}

/// Iterator over explanations: see [`explain`].
#[derive(Clone, Debug)]
pub struct Explanations<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    unit: Unit,
    items: Items<'b, E>,
}

impl<E: Encoding> Iterator for Explanations<'_, E> {
    type Item = Explanation;

    fn next(&mut self) -> Option<Explanation> {
        let item = self.items.next()?;
        let rest = &self.bytes[item.offset..];
        let mut bytes = [0; MAX_LEN];
        let len = item.len.min(MAX_LEN);
        bytes[..len].copy_from_slice(&rest[..len]);
        let mut explanation = Explanation {
            offset: item.offset,
            len: item.len,
            result: item.result,
            payload: 0,
            base: 0,
            length_class: 0,
            next: None,
            expected: None,
            lax_value: None,
            bytes,
            byte_len: len,
            payload_bits: [(0, 0); MAX_LEN],
        };
        match self.encoding.any().grammar() {
            Some(grammar) => dialect(&mut explanation, grammar, rest),
            None => wide(&mut explanation, self.encoding.any()),
        }
        explanation.offset /= self.unit.bytes();
        explanation.len /= self.unit.bytes();
        Some(explanation)
    }
}

/// Fills in the layout of a dialect from its grammar.
fn dialect(item: &mut Explanation, grammar: &'static Grammar, rest: &[u8]) {
    let lead = rest[0];
    let announced = length_class(lead);
    let continuation = announced == 1 && lead >= 0x80;
    let units = if item.len == 6 && !matches!(grammar.surrogates, Surrogates::Plain) { 2 } else { 1 };
    let class = if continuation || announced > MAX_LEN { 0 } else { announced };
    item.length_class = class * units;
    if units == 2 {
        // A surrogate pair: 1101 10vv, vvvv wwww..., each half with ten bits. Four of its markers are in the second
        // byte.
        item.base = 0x1_0000;
        item.payload_bits = [(0, 0), (4, 16), (6, 10), (0, 0), (4, 6), (6, 0)];
    } else if class > 0 {
        item.base = grammar.base(class);
        for (i, place) in item.payload_bits.iter_mut().enumerate().take(item.len) {
            let lowest = 6 * (class - 1 - i.min(class - 1)) as u8;
            let count = if i == 0 { lead_mask(class).count_ones() as u8 } else { 6 };
            *place = (count, lowest);
        }
    }
    item.payload = gather(item);
    if item.result.is_err() {
        let bytes = &rest[..item.len];
        item.next = rest.get(item.len).copied();
        item.expected = grammar.expected(bytes);
        let whole = rest.get(..class).filter(|seq| seq[1.min(class)..].iter().all(|b| b & 0xC0 == 0x80));
        if let Some(sequence) = whole.filter(|_| class > 1) {
            item.lax_value = Some(grammar.lax_values(sequence, class).0);
        }
    }
}

/// Fills in the layout of UTF-16, UTF-32 and Latin-1.
fn wide(item: &mut Explanation, any: AnyEncoding) {
    let big = matches!(any, AnyEncoding::Utf16Be | AnyEncoding::Wtf16Be | AnyEncoding::Utf32Be);
    let unit = any.unit();
    item.length_class = item.len;
    if !item.len.is_multiple_of(unit) {
        return;
    }
    let pair = unit == 2 && item.len == 4;
    for i in 0..item.len.min(MAX_LEN) {
        let (unit_at, within) = (i / unit, i % unit);
        let significance = if big { unit - 1 - within } else { within } as u8;
        item.payload_bits[i] = match (pair, significance) {
            (false, n) => (8, 8 * n),
            // 1101 10vv vvww wwww: ten bits per half.
            (true, 0) => (8, if unit_at == 0 { 10 } else { 0 }),
            (true, _) => (2, if unit_at == 0 { 18 } else { 8 }),
        };
    }
    item.base = if pair { 0x1_0000 } else { 0 };
    item.payload = gather(item);
}

/// Combines the payload bits.
fn gather(item: &Explanation) -> u32 {
    let one = |(&byte, &(count, lowest)): (&u8, &(u8, u8))| {
        let mask = ((1u32 << count) - 1) as u8;
        u32::from(byte & mask).checked_shl(u32::from(lowest)).unwrap_or(0)
    };
    item.bytes().iter().zip(&item.payload_bits).map(one).fold(0, |all, bits| all | bits)
}
