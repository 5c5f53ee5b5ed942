//! Code point order, across encodings.
//!
//! Byte order is code point order in UTF-8, UTF-32BE, WTF-8 and the 21-bit, 31-bit and offset forms. It is not in
//! UTF-16, CESU-8 and modified UTF-8, because surrogates sort below U+E000..U+FFFF there.

use core::cmp::Ordering;

use crate::encoding::{AnyEncoding, Codec, Step};

/// Reports whether comparing bytes compares code points.
pub(crate) fn sorts_by_bytes(encoding: AnyEncoding) -> bool {
    use AnyEncoding as A;
    matches!(encoding, A::Utf8 | A::Utf8Bits21 | A::Utf8Bits31 | A::Utf8Offset | A::Wtf8 | A::Utf32Be | A::Latin1)
}

/// Compares the bytes of texts of any two encodings by code points. An error counts as U+FFFD.
pub(crate) fn compare_in<A: Codec, B: Codec>(a_encoding: A, a: &[u8], b_encoding: B, b: &[u8]) -> Ordering {
    let value = |step: Step| step.result.unwrap_or(0xFFFD);
    let (mut a, mut b) = (a, b);
    loop {
        let (x, y) = match (a_encoding.decode_step(a), b_encoding.decode_step(b)) {
            (Some(x), Some(y)) => (x, y),
            (x, y) => return x.is_some().cmp(&y.is_some()),
        };
        match value(x).cmp(&value(y)) {
            Ordering::Equal => (a, b) = (&a[x.len()..], &b[y.len()..]),
            unequal => return unequal,
        }
    }
}
