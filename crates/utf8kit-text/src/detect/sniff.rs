//! Detection from the first bytes of a file: byte order marks, UTF-16 and UTF-32, binary data.

use utf8kit::{AnyEncoding, items};

use crate::charset::has_bom;

/// The most bytes of a file that are examined.
pub const SNIFF_LEN: usize = 8 * 1024;

/// Reports whether a file that begins with `head` is binary: it contains a NUL that is not part of UTF-16 or UTF-32.
pub fn is_binary(head: &[u8]) -> bool {
    head.contains(&0) && wide(head).is_none()
}

/// Detects UTF-16 and UTF-32 by the byte order mark or by the positions of NULs.
pub fn wide(head: &[u8]) -> Option<AnyEncoding> {
    // UTF-32 first: in little-endian order, its byte order mark begins with that of UTF-16.
    const WIDE: [AnyEncoding; 4] =
        [AnyEncoding::Utf32Le, AnyEncoding::Utf32Be, AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];
    let by_mark = WIDE.into_iter().find(|&encoding| has_bom(encoding, head));
    by_mark.or_else(|| WIDE.into_iter().find(|&encoding| reads_as(encoding, head)))
}

/// Reports whether `head` is plausible in a wide encoding: every item is well formed, the only controls are white
/// space, and at least one item in four is ASCII, or one in eight beside a single alphabet, or nearly all of it is East
/// Asian with the punctuation or the letters of there.
fn reads_as(encoding: AnyEncoding, head: &[u8]) -> bool {
    let (mut all, mut ascii, mut eastern, mut telling) = (0, 0, 0, 0);
    // How many items are in each block of 256 with alphabets.
    let mut blocks = [0_usize; 0x20];
    for item in items(encoding, head) {
        match item.result.ok().and_then(char::from_u32) {
            Some(c) if c.is_control() && !c.is_whitespace() => return false,
            Some(c) => {
                ascii += usize::from(c.is_ascii());
                if let Some(block) = blocks.get_mut(u32::from(c) as usize >> 8) {
                    *block += usize::from(!c.is_ascii());
                }
                eastern += usize::from(matches!(c, '\u{4E00}'..='\u{9FFF}'));
                telling += usize::from(
                    matches!(c, '\u{3000}'..='\u{30FF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF9F}'),
                );
            }
            // `head` may end within an item.
            None if item.offset + item.len == head.len() && head.len() == SNIFF_LEN => {}
            None => return false,
        }
        all += 1;
    }
    let is_eastern = telling >= 4 && telling * 24 >= all && (ascii + eastern + telling) * 20 >= all * 19;
    let letters = blocks.into_iter().max().unwrap_or_default();
    let is_alphabetic = ascii * 8 >= all && letters * 10 >= (all - ascii) * 9;
    ascii > 0 && (ascii * 4 >= all || is_alphabetic || is_eastern)
}
