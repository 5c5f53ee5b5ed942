//! Characters that the WHATWG Encoding Standard decodes but never encodes, and characters that can only be written as a
//! letter and a mark.

use std::sync::LazyLock;

use encoding_rs::{self as whatwg, Encoding};

use super::kind::{Kind, Legacy};
use crate::charset::code_pages::APART;
use crate::charset::widths::other_of;

type Codes = Vec<(char, Vec<u8>)>;

/// Hong Kong's characters.
static BIG5: LazyLock<Codes> = LazyLock::new(|| codes(whatwg::BIG5, &[], 0x87..=0xFE));

/// The characters of users.
static SHIFT_JIS: LazyLock<Codes> = LazyLock::new(|| codes(whatwg::SHIFT_JIS, &[], 0xF0..=0xF9));

/// JIS X 0212.
static EUC_JP: LazyLock<Codes> = LazyLock::new(|| codes(whatwg::EUC_JP, &[0x8F], 0xA1..=0xFE));

/// Decodes all codes of a prefix, a lead and a trail, and sorts them by character.
fn codes(encoding: &'static Encoding, prefix: &[u8], leads: std::ops::RangeInclusive<u8>) -> Codes {
    let pairs = leads.flat_map(|lead| (0x40..=0xFE).map(move |trail| [lead, trail]));
    let mut codes: Codes = pairs
        .filter_map(|pair| {
            let bytes = [prefix, &pair].concat();
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
            let mut chars = text.chars();
            Some((chars.next().filter(|_| chars.next().is_none())?, bytes))
        })
        .collect();
    codes.sort_by_key(|(c, _)| *c);
    codes.dedup_by_key(|(c, _)| *c);
    codes
}

/// Returns the bytes of a character that an encoder of the standard, or a table, lacks.
pub(super) fn bytes_of(legacy: Legacy, scalar: char) -> Option<Vec<u8>> {
    let in_codes = |codes: &Codes| {
        let at = codes.binary_search_by_key(&scalar, |(c, _)| *c).ok()?;
        codes.get(at).map(|(_, bytes)| bytes.clone())
    };
    let sign = || legacy.narrow_bytes_of(other_of(scalar)?);
    match legacy.0 {
        Kind::Standard(standard) if standard == whatwg::BIG5 => in_codes(&BIG5),
        Kind::Standard(standard) if standard == whatwg::EUC_JP => sign().or_else(|| in_codes(&EUC_JP)),
        Kind::Standard(standard) if standard == whatwg::SHIFT_JIS => sign().or_else(|| in_codes(&SHIFT_JIS)),
        Kind::Standard(standard) if standard == whatwg::ISO_2022_JP => sign(),
        _ if legacy.is_single_byte() => apart(legacy, scalar),
        _ => None,
    }
}

/// Returns the bytes of a letter and its mark.
fn apart(legacy: Legacy, scalar: char) -> Option<Vec<u8>> {
    let value = u16::try_from(u32::from(scalar)).ok()?;
    let at = APART.binary_search_by_key(&value, |[composed, ..]| *composed).ok()?;
    let [_, letter, mark] = APART.get(at)?.map(|value| char::from_u32(u32::from(value)));
    // Test the mark first, because few encodings have any.
    let mark = legacy.single_byte_of(mark?)?;
    let mut bytes = legacy.bytes_of(letter?)?;
    bytes.push(mark);
    Some(bytes)
}
