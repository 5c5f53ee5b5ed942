//! Code point order, across encodings.
//!
//! Byte order is code point order in UTF-8, UTF-32BE, WTF-8 and the 21-bit, 31-bit and offset forms. It is not in
//! UTF-16, CESU-8 and modified UTF-8, where surrogates sort below U+E000..U+FFFF.

use core::cmp::Ordering;

use crate::encoding::{AnyEncoding, Encoding, Step, Utf16Native, Wtf16Be, Wtf16Le};
use crate::out::as_bytes;

/// Reports whether comparing bytes compares code points.
///
/// ```
/// use utf8kit::{Cesu8, Utf8Offset, byte_order_is_code_point_order};
/// assert!(byte_order_is_code_point_order(Utf8Offset));
/// assert!(!byte_order_is_code_point_order(Cesu8));
/// ```
#[must_use]
pub fn byte_order_is_code_point_order<E: Encoding>(encoding: E) -> bool {
    use AnyEncoding as A;
    matches!(
        encoding.any(),
        A::Utf8 | A::Utf8Bits21 | A::Utf8Bits31 | A::Utf8Offset | A::Wtf8 | A::Utf32Be | A::Latin1
    )
}

/// Compares two UTF-8 texts by bytes, which is the order of code points.
///
/// ```
/// use core::cmp::Ordering;
/// assert_eq!(utf8kit::compare_utf8("ｚ", "𝐚"), Ordering::Less);
/// ```
#[must_use]
#[inline]
pub fn compare_utf8(a: &str, b: &str) -> Ordering {
    a.as_bytes().cmp(b.as_bytes())
}

/// Compares UTF-16 texts by code points. Lone surrogates count as their values.
///
/// ```
/// use core::cmp::Ordering;
/// let (a, b) = (&[0xFF5A][..], &[0xD835, 0xDC1A][..]); // ｚ, 𝐚
/// assert_eq!(a.cmp(b), Ordering::Greater);
/// assert_eq!(utf8kit::compare_utf16(a, b), Ordering::Less);
/// ```
#[must_use]
#[inline]
pub fn compare_utf16(a: &[u16], b: &[u16]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    // A high surrogate right before the difference may begin a pair in one text and stand alone in the other.
    let from = same.saturating_sub(1);
    code_points(&a[from..]).cmp(code_points(&b[from..]))
}

fn code_points(units: &[u16]) -> impl Iterator<Item = u32> {
    char::decode_utf16(units.iter().copied())
        .map(|unit| unit.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from))
}

/// Compares UTF-8 with UTF-16 by code points.
///
/// ```
/// use core::cmp::Ordering;
/// assert_eq!(utf8kit::compare_utf8_utf16("é", &[0xE9]), Ordering::Equal);
/// assert_eq!(utf8kit::compare_utf8_utf16("𝐚", &[0xFF5A]), Ordering::Greater);
/// ```
#[must_use]
#[inline]
pub fn compare_utf8_utf16(a: &str, b: &[u16]) -> Ordering {
    match Utf16Native.any() {
        AnyEncoding::Utf16Le => compare_in(crate::encoding::Utf8, a.as_bytes(), Wtf16Le, as_bytes(b)),
        _ => compare_in(crate::encoding::Utf8, a.as_bytes(), Wtf16Be, as_bytes(b)),
    }
}

/// Compares texts of any two encodings by code points. An error counts as U+FFFD.
///
/// ```
/// use core::cmp::Ordering;
/// use utf8kit::{Cesu8, Utf8, compare_in};
/// let cesu = b"\xED\xA0\xBD\xED\xB8\x80";
/// assert_eq!(compare_in(Utf8, "😀".as_bytes(), Cesu8, cesu), Ordering::Equal);
/// ```
#[must_use]
pub fn compare_in<A: Encoding, B: Encoding>(a_encoding: A, a: &[u8], b_encoding: B, b: &[u8]) -> Ordering {
    let value = |step: Step| step.result.unwrap_or(0xFFFD);
    let (mut a, mut b) = (a, b);
    loop {
        let (x, y) = match (a_encoding.decode(a), b_encoding.decode(b)) {
            (Some(x), Some(y)) => (x, y),
            (x, y) => return x.is_some().cmp(&y.is_some()),
        };
        match value(x).cmp(&value(y)) {
            Ordering::Equal => (a, b) = (&a[x.len()..], &b[y.len()..]),
            unequal => return unequal,
        }
    }
}
