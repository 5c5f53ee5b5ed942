//! The text that replaces errors: a text in the target's encoding, or the bytes as escapes.

use super::pair::Pair;
use crate::encoding::ENCODE_BUFFER;
use crate::out::Out;

/// A short text in the target's encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortText {
    bytes: [u8; 16],
    len: usize,
}

impl ShortText {
    /// Encodes a text, if it is short.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn new(pair: &Pair, text: &str) -> Option<ShortText> {
        let mut short = ShortText { bytes: [0; 16], len: 0 };
        for c in text.chars() {
            let (bytes, len) = pair.replacement(c);
            short.bytes.get_mut(short.len..short.len + len)?.copy_from_slice(&bytes[..len]);
            short.len += len;
        }
        Some(short)
    }

    /// Writes it `count` times. Returns `false`, and writes nothing, if the capacity is too small.
    #[inline]
    pub(super) fn repeat(&self, count: usize, out: &mut Out<'_>) -> bool {
        let ShortText { bytes, len } = *self;
        count * len <= out.remaining() && (0..count).all(|_| out.push_only_front_of(bytes, len))
    }
}

impl Pair {
    /// Writes a text `count` times. Returns `false`, and writes nothing, if the capacity is too small.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn replace(&self, with: &str, count: usize, out: &mut Out<'_>) -> bool {
        count * self.replacement_len(with) <= out.remaining()
            && (0..count).all(|_| {
                with.chars().all(|c| {
                    let (bytes, len) = self.replacement(c);
                    out.push(&bytes[..len])
                })
            })
    }

    /// Returns the length of a text in the target's encoding.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn replacement_len(&self, with: &str) -> usize {
        with.chars().map(|c| self.replacement(c).1).sum()
    }

    /// Returns a character in the target's encoding, or `?` if the target cannot represent it.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn replacement(&self, c: char) -> ([u8; ENCODE_BUFFER], usize) {
        let mut bytes = [0; ENCODE_BUFFER];
        let len = (self.encode)(u32::from(c), &mut bytes);
        match len.or_else(|_| (self.encode)(u32::from(b'?'), &mut bytes)) {
            Ok(len) => (bytes, len),
            Err(_) => (bytes, 0), // every encoding represents '?'
        }
    }

    /// Writes each byte as `\xHH`. Returns `false`, and writes nothing, if the capacity is too small.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn escape(&self, bytes: &[u8], out: &mut Out<'_>) -> bool {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let text = |byte: u8| [b'\\', b'x', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        let width = self.replacement('x').1;
        bytes.len() * 4 * width <= out.remaining()
            && bytes.iter().all(|&byte| {
                text(byte).iter().all(|&digit| {
                    let (bytes, len) = self.replacement(char::from(digit));
                    out.push(&bytes[..len])
                })
            })
    }
}
