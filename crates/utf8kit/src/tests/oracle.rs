//! A second, slow decoder and encoder, written from the rules of `vectors/README.md`. It classifies sequences by the
//! numbers that they represent in base 64, not by ranges of bytes. It only shares types with the library.

use std::vec::Vec;

use crate::AnyEncoding::{self, *};
use crate::{Each, Error, ErrorKind, Item, Policy};

/// The numbers that define a dialect.
struct Rules {
    /// The first value of each length. Lengths that the dialect does not have are missing.
    first: &'static [u32],
    /// Whether values are added to the first value of their length instead of zero.
    offset: bool,
    last: u32,
    /// Whether one sequence may represent a value in D800..DFFF.
    surrogates: bool,
}

const SHORTEST: &[u32] = &[0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];

fn rules(dialect: AnyEncoding) -> Rules {
    let plain =
        |lengths: usize, last, surrogates| Rules { first: &SHORTEST[..lengths], offset: false, last, surrogates };
    match dialect {
        Utf8 => plain(4, 0x10_FFFF, false),
        Utf8Bits21 => plain(4, 0x1F_FFFF, true),
        Utf8Bits31 => plain(6, 0x7FFF_FFFF, true),
        Utf8Offset => Rules { first: &[0, 0x80, 0x880, 0x1_0880], offset: true, last: 0x10_FFFF, surrogates: false },
        Cesu8 | Mutf8 => plain(3, 0xFFFF, true),
        Wtf8 => plain(4, 0x10_FFFF, true),
        other => panic!("{other} is not a dialect"),
    }
}

/// The value of the markers in the first byte of a sequence of each length.
const MARKERS: [u32; 7] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC];
const SURROGATES: core::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;

fn continues(byte: u8) -> bool {
    (0x80..0xC0).contains(&byte)
}

fn is_high(value: u32) -> bool {
    (0xD800..0xDC00).contains(&value)
}

fn is_low(value: u32) -> bool {
    (0xDC00..0xE000).contains(&value)
}

fn joined(high: u32, low: u32) -> u32 {
    (high - 0xD800) * 0x400 + (low - 0xDC00) + 0x1_0000
}

/// Returns the length that a lead byte announces, if the dialect has it.
fn announced(rules: &Rules, lead: u8) -> Option<usize> {
    let len = match lead {
        0x00..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        0xF8..=0xFB => 5,
        0xFC..=0xFD => 6,
        _ => return None,
    };
    (len <= rules.first.len()).then_some(len)
}

/// Returns the smallest and the largest value of the sequences of `len` bytes with this prefix.
fn values(rules: &Rules, prefix: &[u8], len: usize) -> (u32, u32) {
    let digit = |i: usize, missing: u8| {
        let byte = u32::from(prefix.get(i).copied().unwrap_or(missing));
        if i == 0 { byte - MARKERS[len] } else { byte - 0x80 }
    };
    let number = |missing| (0..len).fold(0, |number, i| number * 64 + digit(i, missing));
    let base = if rules.offset { rules.first[len - 1] } else { 0 };
    (number(0x80) + base, number(0xBF) + base)
}

/// Reports whether any of the values may be written in `len` bytes.
fn holds_any(dialect: AnyEncoding, rules: &Rules, (low, high): (u32, u32), len: usize) -> bool {
    // NUL has two bytes in modified UTF-8.
    let nul = dialect == Mutf8 && low == 0;
    let low = low.max(rules.first[len - 1]).max(u32::from(dialect == Mutf8 && len == 1));
    let high = high.min(rules.last);
    let all_surrogates = SURROGATES.contains(&low) && SURROGATES.contains(&high);
    (low <= high && (rules.surrogates || !all_surrogates)) || (nul && len == 2)
}

fn kind_of(rules: &Rules, prefix: &[u8], len: usize) -> ErrorKind {
    let (low, high) = values(rules, prefix, len);
    if high < rules.first[len - 1] {
        ErrorKind::Overlong
    } else if low > rules.last {
        ErrorKind::TooLarge
    } else if SURROGATES.contains(&low) && SURROGATES.contains(&high) {
        ErrorKind::Surrogate
    } else {
        panic!("no rule for {prefix:X?}")
    }
}

/// The item at the start of some bytes: its length, and its value or why there is none.
pub(super) type Front = (usize, Result<u32, ErrorKind>);

/// Returns one sequence of a dialect.
fn sequence(dialect: AnyEncoding, bytes: &[u8]) -> Front {
    let rules = rules(dialect);
    if continues(bytes[0]) {
        return (1, Err(ErrorKind::UnexpectedContinuation));
    }
    let Some(len) = announced(&rules, bytes[0]) else { return (1, Err(ErrorKind::InvalidByte)) };
    if dialect == Mutf8 && bytes[0] == 0 {
        return (1, Err(ErrorKind::InvalidByte));
    }
    let may_begin = |good: usize| holds_any(dialect, &rules, values(&rules, &bytes[..good], len), len);
    if !may_begin(1) {
        return (1, Err(kind_of(&rules, &bytes[..1], len)));
    }
    for good in 1..len {
        match bytes.get(good) {
            Some(&next) if continues(next) => {
                if !may_begin(good + 1) {
                    return (good, Err(kind_of(&rules, &bytes[..=good], len)));
                }
            }
            _ => return (good, Err(ErrorKind::Truncated)),
        }
    }
    (len, Ok(values(&rules, &bytes[..len], len).0))
}

/// Returns the item at the start of bytes in a dialect, with surrogates paired.
fn dialect_front(dialect: AnyEncoding, bytes: &[u8]) -> Front {
    let first = sequence(dialect, bytes);
    let (3, Ok(value)) = first else { return first };
    if !SURROGATES.contains(&value) || matches!(dialect, Utf8Bits21 | Utf8Bits31) {
        return first;
    }
    if is_high(value)
        && bytes.len() > 3
        && let (3, Ok(low)) = sequence(dialect, &bytes[3..])
        && is_low(low)
    {
        return (6, if dialect == Wtf8 { Err(ErrorKind::Surrogate) } else { Ok(joined(value, low)) });
    }
    (3, if dialect == Cesu8 { Err(ErrorKind::Surrogate) } else { Ok(value) })
}

fn utf16_front(units: &[u16], odd_byte: bool, lone: bool) -> Front {
    let Some(&unit) = units.first() else { return (1, Err(ErrorKind::Truncated)) };
    match char::decode_utf16(units.iter().copied()).next() {
        Some(Ok(c)) => (2 * c.len_utf16(), Ok(u32::from(c))),
        _ if lone => (2, Ok(u32::from(unit))),
        _ if is_high(u32::from(unit)) && units.len() == 1 && odd_byte => (3, Err(ErrorKind::Truncated)),
        _ => (2, Err(ErrorKind::Surrogate)),
    }
}

fn utf32_front(value: u32) -> Front {
    let kind = if SURROGATES.contains(&value) { ErrorKind::Surrogate } else { ErrorKind::TooLarge };
    (4, char::from_u32(value).map(u32::from).ok_or(kind))
}

fn is_big(encoding: AnyEncoding) -> bool {
    matches!(encoding, Utf16Be | Wtf16Be | Utf32Be)
}

/// Returns the item at the start of the bytes, which must not be empty.
pub(super) fn front(encoding: AnyEncoding, bytes: &[u8]) -> Front {
    match encoding {
        Utf16Le | Utf16Be | Wtf16Le | Wtf16Be => {
            let unit = |&pair: &[u8; 2]| {
                if is_big(encoding) { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
            };
            let here = &bytes[..bytes.len().min(5)];
            let (pairs, odd) = here.as_chunks::<2>();
            let units: Vec<u16> = pairs.iter().map(unit).collect();
            utf16_front(&units, !odd.is_empty(), matches!(encoding, Wtf16Le | Wtf16Be))
        }
        Utf32Le | Utf32Be => match bytes.first_chunk::<4>() {
            None => (bytes.len(), Err(ErrorKind::Truncated)),
            Some(&unit) if is_big(encoding) => utf32_front(u32::from_be_bytes(unit)),
            Some(&unit) => utf32_front(u32::from_le_bytes(unit)),
        },
        Latin1 => (1, Ok(u32::from(bytes[0]))),
        dialect => dialect_front(dialect, bytes),
    }
}

/// Returns all items.
pub(super) fn items(encoding: AnyEncoding, bytes: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let (len, result) = front(encoding, &bytes[offset..]);
        items.push(Item { offset, len, result });
        offset += len;
    }
    items
}

/// Reports whether more input could change an error: it reaches the end, or the rest may become the low surrogate that
/// makes it a pair.
fn is_incomplete(encoding: AnyEncoding, bytes: &[u8], item: &Item) -> bool {
    let behind = &bytes[item.offset + item.len..];
    match (item.result, encoding) {
        (Err(ErrorKind::Truncated), _) => behind.is_empty(),
        (Err(ErrorKind::Surrogate), Cesu8) => {
            let high = bytes[item.offset + 1] < 0xB0;
            high && matches!(behind, [] | [0xED] | [0xED, 0xB0..=0xBF])
        }
        (Err(ErrorKind::Surrogate), Utf16Le | Utf16Be) => {
            let lead = bytes[item.offset + usize::from(encoding == Utf16Le)];
            lead < 0xDC && behind.is_empty()
        }
        _ => false,
    }
}

pub(super) fn error_of(encoding: AnyEncoding, bytes: &[u8], item: &Item) -> Option<Error> {
    let error = Error::new(item.offset as u64, item.len as u8, item.result.err()?);
    Some(Error { incomplete: is_incomplete(encoding, bytes, item), ..error })
}

/// Returns all errors.
pub(super) fn errors(encoding: AnyEncoding, bytes: &[u8]) -> Vec<Error> {
    items(encoding, bytes).iter().filter_map(|item| error_of(encoding, bytes, item)).collect()
}

/// Returns the base-64 digits of a value, with their markers.
fn write_sequence(rules: &Rules, value: u32, len: usize) -> Vec<u8> {
    let mut left = if rules.offset { value - rules.first[len - 1] } else { value };
    let mut bytes: Vec<u8> = (1..len)
        .map(|_| {
            let digit = left % 64;
            left /= 64;
            0x80 + digit as u8
        })
        .collect();
    bytes.push((MARKERS[len] + left) as u8);
    bytes.reverse();
    bytes
}

/// Returns a value in an encoding.
pub(super) fn write(encoding: AnyEncoding, value: u32) -> Result<Vec<u8>, ErrorKind> {
    let is_surrogate = SURROGATES.contains(&value);
    let last = match encoding {
        Utf8Bits21 => 0x1F_FFFF,
        Utf8Bits31 => 0x7FFF_FFFF,
        Latin1 => 0xFF,
        _ => 0x10_FFFF,
    };
    let holds_surrogates = matches!(encoding, Utf8Bits21 | Utf8Bits31 | Mutf8 | Wtf8 | Wtf16Le | Wtf16Be);
    if is_surrogate && !holds_surrogates {
        return Err(ErrorKind::Surrogate);
    }
    if value > last {
        return Err(ErrorKind::TooLarge);
    }
    let units = || match char::from_u32(value) {
        Some(c) => c.encode_utf16(&mut [0; 2]).to_vec(),
        None => [value as u16].to_vec(),
    };
    Ok(match encoding {
        Utf16Le | Wtf16Le => units().into_iter().flat_map(u16::to_le_bytes).collect(),
        Utf16Be | Wtf16Be => units().into_iter().flat_map(u16::to_be_bytes).collect(),
        Utf32Le => value.to_le_bytes().to_vec(),
        Utf32Be => value.to_be_bytes().to_vec(),
        Latin1 => [value as u8].to_vec(),
        Mutf8 if value == 0 => [0xC0, 0x80].to_vec(),
        Cesu8 | Mutf8 => units().into_iter().flat_map(|unit| write_unit(encoding, u32::from(unit))).collect(),
        dialect => write_unit(dialect, value),
    })
}

fn write_unit(dialect: AnyEncoding, value: u32) -> Vec<u8> {
    let rules = rules(dialect);
    let len = rules.first.iter().filter(|&&first| first <= value).count();
    write_sequence(&rules, value, len)
}

/// Returns the items of a conversion. Values that the target cannot represent are errors, and so are the halves of a
/// pair that would become one character there.
pub(super) fn items_for(from: AnyEncoding, to: AnyEncoding, bytes: &[u8]) -> Vec<Item> {
    let pairs_fuse = matches!(from, Utf8Bits21 | Utf8Bits31) && matches!(to, Mutf8 | Wtf8 | Wtf16Le | Wtf16Be);
    let mut met: Vec<Item> = Vec::new();
    for item in items(from, bytes) {
        let result = item.result.and_then(|value| write(to, value).map(|_| value));
        match met.last_mut() {
            Some(Item { len, result: before @ Ok(_), .. })
                if pairs_fuse && before.is_ok_and(is_high) && result.is_ok_and(is_low) =>
            {
                *len += item.len;
                *before = Err(ErrorKind::Surrogate);
            }
            _ => met.push(Item { result, ..item }),
        }
    }
    met
}

/// Returns the errors of a strict conversion.
#[cfg(feature = "alloc")]
pub(super) fn conversion_errors(from: AnyEncoding, to: AnyEncoding, bytes: &[u8]) -> Vec<Error> {
    let source = items(from, bytes);
    let in_source = |error: &Error| source.iter().find(|item| item.offset as u64 == error.offset);
    let met = items_for(from, to, bytes);
    let errors = met.iter().filter_map(|item| error_of(from, bytes, item));
    errors
        .map(|error| {
            let unrepresentable = in_source(&error).is_some_and(|item| item.result.is_ok());
            Error { unrepresentable, incomplete: error.incomplete && !unrepresentable, ..error }
        })
        .collect()
}

/// Returns the whole output of a lossy conversion, or of a repair if both encodings are the same.
pub(super) fn convert(from: AnyEncoding, to: AnyEncoding, bytes: &[u8], policy: Policy<'_>) -> Vec<u8> {
    let character = |c: char| write(to, u32::from(c)).or_else(|_| write(to, u32::from('?'))).unwrap();
    let text = |text: &str| text.chars().flat_map(character).collect::<Vec<u8>>();
    let escape = |byte: &u8| text(&std::format!("\\x{byte:02X}"));
    let unit = unit(from);
    let mut out = Vec::new();
    let mut items = items_for(from, to, bytes).into_iter().peekable();
    let mut in_run = false;
    // The length of the output when it ended with half of a pair that must not be completed.
    let mut after_high = None;
    while let Some(mut item) = items.next() {
        let is_backslash = |item: &Item| item.result == Ok(u32::from('\\'));
        let is_x = |item: &Item| item.result == Ok(u32::from('x'));
        let kind = match item.result {
            Ok(_) if policy == Policy::Escape && is_backslash(&item) && items.peek().is_some_and(is_x) => {
                out.extend(character('\\').iter().flat_map(escape));
                in_run = false;
                continue;
            }
            Ok(value) if is_low(value) && after_high == Some(out.len()) => ErrorKind::Surrogate,
            Ok(value) => {
                out.extend(write(to, value).unwrap());
                after_high = (to == Wtf8 && is_high(value)).then_some(out.len());
                in_run = false;
                continue;
            }
            Err(kind) => kind,
        };
        let java = matches!(policy, Policy::Replace { each: Each::Java, .. });
        if java && kind == ErrorKind::Surrogate && item.len == 1 {
            // The present part of an encoded surrogate is one error.
            while item.len < 3 && items.peek().is_some_and(|next| next.result == Err(ErrorKind::UnexpectedContinuation))
            {
                items.next();
                item.len += 1;
            }
        }
        let span = &bytes[item.offset..item.offset + item.len];
        let ill_formed = front(from, &bytes[item.offset..]).1.is_err() || items_fused(from, &item);
        out.extend(match policy {
            Policy::Replace { each, with } => {
                let count = match each {
                    Each::Run => usize::from(!in_run || !ill_formed),
                    Each::Byte if ill_formed => item.len.div_ceil(unit),
                    _ => 1,
                };
                text(with).repeat(count)
            }
            Policy::Remove => Vec::new(),
            Policy::Escape => span.iter().flat_map(escape).collect(),
            Policy::SameLength => text("?").repeat(if ill_formed { item.len / unit } else { 1 }),
        });
        in_run = true;
    }
    out
}

/// Reports whether an item consists of two sequences that must not be adjacent.
fn items_fused(from: AnyEncoding, item: &Item) -> bool {
    matches!(from, Utf8Bits21 | Utf8Bits31) && item.len == 6 && item.result == Err(ErrorKind::Surrogate)
}

/// Returns the number of bytes in a code unit.
pub(super) fn unit(encoding: AnyEncoding) -> usize {
    match encoding {
        Utf16Le | Utf16Be | Wtf16Le | Wtf16Be => 2,
        Utf32Le | Utf32Be => 4,
        _ => 1,
    }
}
