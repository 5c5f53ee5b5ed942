//! Detection from the first bytes of a file: byte order marks, UTF-16 and UTF-32, binary data.

use utf8kit::{AnyEncoding, items};

use crate::charset::has_bom;

/// The most bytes of a file that are examined.
pub const SNIFF_LEN: usize = 8 * 1024;

/// Reports whether a file that begins with `head` is binary: it contains a NUL that is not part of UTF-16 or UTF-32.
pub fn is_binary(head: &[u8]) -> bool {
    head.contains(&0) && wide(head).is_none()
}

/// Reports whether a file that begins with `head` is data rather than text in an encoding that has ASCII: it has
/// control characters of several kinds, and not just here and there. NULs alone, as a crash leaves them in a log, are
/// no data.
#[cfg(feature = "files")]
pub(crate) fn is_data(head: &[u8]) -> bool {
    // White space, a backspace, an escape and DOS's end of a file are in texts.
    let is_control = |byte: &&u8| matches!(byte, 0x01..=0x07 | 0x0E..=0x19 | 0x1C..=0x1F | 0x7F);
    let controls = || head.iter().filter(is_control);
    let kinds = controls().fold(0_u128, |kinds, byte| kinds | 1 << byte).count_ones();
    let (fewest, share) = if head.contains(&0) { (3, 64) } else { (6, 32) };
    kinds >= fewest && controls().count() * share >= head.len() && wide(head).is_none()
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
/// Asian with the punctuation or the letters of there, or with frequent characters.
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
                let is_own =
                    matches!(c, '\u{3000}'..='\u{30FF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF9F}');
                eastern += usize::from(is_own || matches!(c, '\u{4E00}'..='\u{9FFF}'));
                telling += usize::from(is_own);
                // Each is as telling as two kana: one in ten is frequent, but one in 700 by chance.
                telling += if is_frequent(c) { 2 } else { 0 };
            }
            // `head` may end within an item.
            None if item.offset + item.len == head.len() && head.len() == SNIFF_LEN => {}
            None => return false,
        }
        all += 1;
    }
    let is_eastern = telling >= 4 && telling * 24 >= all && (ascii + eastern) * 20 >= all * 19;
    let letters = blocks.into_iter().max().unwrap_or_default();
    let is_alphabetic = ascii * 8 >= all && letters * 10 >= (all - ascii) * 9;
    // Two letters of ASCII make one character of East Asia.
    let is_words = head.is_ascii() && eastern * 2 > all;
    ascii > 0 && !is_words && (ascii * 4 >= all || is_alphabetic || is_eastern)
}

/// Reports whether a character is frequent in Chinese, and often in Japanese. Those whose bytes are two characters of
/// ASCII are left out: text in ASCII with a NUL contains them.
fn is_frequent(c: char) -> bool {
    const FREQUENT: &str = "了事二于五些人从他以們来出动動去又发只可和四国如它实家實对己後得從心想文新方於无日时沒没法点為现現的种種经經\
                            老而能自與著行被裡要見见說说起过还这进這進過道還那部都里重長长開電面頭高麼點";
    let is_ascii = u32::from(c) & 0x8080 == 0;
    !is_ascii && FREQUENT.contains(c)
}
