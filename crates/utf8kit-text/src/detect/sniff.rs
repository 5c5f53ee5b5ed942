//! Detection from the first bytes of a file: byte order marks, UTF-16 and UTF-32, binary data.

use utf8kit::{AnyEncoding, Encoding as _, items};

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

/// Finds lines of ASCII among UTF-16, as a log has them that two programs write to: read as UTF-16, these are
/// characters of East Asia, and so is what follows a line of odd length.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsciiLines {
    /// How many items are ASCII, are two bytes of ASCII, and are of East Asia otherwise.
    ascii: usize,
    pairs: usize,
    eastern: usize,
    /// How many items up to here are two bytes of ASCII, and whether a line end is among them.
    run: usize,
    has_end: bool,
    /// How many items up to here are letters of ASCII in the other byte order.
    swapped: usize,
    has_words: bool,
    has_swapped: bool,
}

impl AsciiLines {
    /// Counts the next items.
    pub(crate) fn push(&mut self, encoding: AnyEncoding, bytes: &[u8]) {
        for item in items(encoding, bytes) {
            // Errors are neither.
            let value = item.result.unwrap_or(u32::MAX);
            let [high, low] = [(value >> 8) as u8, value as u8];
            let is_end = |byte: u8| matches!(byte, b'\n' | b'\r');
            let is_ascii = |byte: u8| is_end(byte) || matches!(byte, b'\t' | b' '..=b'~');
            // Signs, lines that tables are drawn with, and kana are two bytes of ASCII, too.
            let is_pair = value < 0x1_0000
                && (is_ascii(high) && is_ascii(low))
                && !matches!(value, 0x2000..=0x2040 | 0x2100..=0x2BFF | 0x3000..=0x30FF);
            let is_swapped = value < 0x1_0000 && high.is_ascii_alphabetic() && low == 0;
            self.ascii += usize::from(value < 0x80);
            self.pairs += usize::from(is_pair);
            self.eastern += usize::from((0x2E80..0x1_0000).contains(&value) && !is_pair && !is_swapped);
            self.run = if is_pair { self.run + 1 } else { 0 };
            self.has_end = is_pair && (self.has_end || is_end(high) || is_end(low));
            self.has_words |= self.run >= if self.has_end { 3 } else { 6 };
            self.swapped = if is_swapped { self.swapped + 1 } else { 0 };
            self.has_swapped |= self.swapped >= 4;
        }
    }

    /// Reports whether there are such lines, and others.
    pub(crate) fn are_there(self) -> bool {
        self.are_words() && self.ascii >= self.pairs || self.has_swapped
    }

    /// Reports whether there are no others, and so no text in UTF-16 at all.
    #[cfg(feature = "files")]
    pub(crate) fn are_all(self) -> bool {
        self.are_words() && self.ascii == 0
    }

    /// Reports whether pairs of ASCII are words rather than characters, of which one in three is such a pair.
    fn are_words(self) -> bool {
        self.has_words && self.eastern * 2 <= self.pairs
    }

    /// Reports whether there are such lines in the beginning of a text.
    pub(crate) fn are_in(encoding: AnyEncoding, head: &[u8]) -> bool {
        let mut lines = AsciiLines::default();
        if encoding.unit() == 2 {
            lines.push(encoding, head);
        }
        lines.are_there()
    }
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
    ascii > 0
        && !is_words
        && (ascii * 4 >= all || is_alphabetic || is_eastern)
        && !AsciiLines::are_in(encoding, head)
}

/// Reports whether a character is frequent in Chinese, and often in Japanese. Those whose bytes are two characters of
/// ASCII are left out: text in ASCII with a NUL contains them.
fn is_frequent(c: char) -> bool {
    const FREQUENT: &str = "了事二于五些人从他以們来出动動去又发只可和四国如它实家實对己後得從心想文新方於无日时沒没法点為现現的种種经經\
                            老而能自與著行被裡要見见說说起过还这进這進過道還那部都里重長长開電面頭高麼點";
    let is_ascii = u32::from(c) & 0x8080 == 0;
    !is_ascii && FREQUENT.contains(c)
}
