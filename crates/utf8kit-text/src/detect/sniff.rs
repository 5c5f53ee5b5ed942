//! Detection from the first bytes of a file: byte order marks, UTF-16 and UTF-32, binary data.

use utf8kit::{AnyEncoding, Encoding as _};

use crate::charset::has_bom;
use crate::mend;

/// The most bytes of a file that are examined.
pub const SNIFF_LEN: usize = 8 * 1024;

/// Reports whether a file that begins with `head` is binary: it contains a NUL that is not part of UTF-16 or UTF-32.
pub fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
        && wide(head).is_none()
        && !mend::has_stray_nuls(head)
        && mend::find(head, false).is_none()
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
    /// The number of units that are ASCII.
    ascii: usize,
    /// The number of units that are two bytes of ASCII and no letters of India, and how many of them are letters of no
    /// alphabet in UTF-16.
    pairs: usize,
    alien: usize,
    /// The number of other units that are characters of East Asia.
    eastern: usize,
    /// How many of the last units are two bytes of ASCII without a gap, how many of these are no letters of India, how
    /// many are rarely in UTF-16, and whether a line end is among them.
    run: usize,
    telling: usize,
    rare: usize,
    has_end: bool,
    /// How many of the last units are letters of ASCII in the other byte order.
    swapped: usize,
    /// Whether pairs in a row were a line or a long word.
    has_words: bool,
    /// Whether such pairs in a row were a line for certain.
    has_lines: bool,
    /// Whether letters in the other byte order in a row were a word.
    has_swapped: bool,
}

impl AsciiLines {
    /// Counts the next items of UTF-16.
    pub(crate) fn push(&mut self, encoding: AnyEncoding, bytes: &[u8]) {
        match encoding {
            AnyEncoding::Utf16Be => self.units(bytes, u16::from_be_bytes),
            _ => self.units(bytes, u16::from_le_bytes),
        }
    }

    fn units(&mut self, bytes: &[u8], read: impl Fn([u8; 2]) -> u16) {
        let (units, _) = bytes.as_chunks::<2>();
        for chunk in units.chunks(64) {
            let units = || chunk.iter().map(|&unit| read(unit));
            if units().fold(false, |any, unit| any | is_pair(unit) | is_swapped(unit)) {
                units().for_each(|unit| self.unit(unit));
            } else {
                self.ascii += units().filter(|&unit| unit < 0x80).count();
                self.eastern += units().filter(|&unit| is_eastern(unit)).count();
                (self.run, self.telling, self.rare, self.has_end, self.swapped) = (0, 0, 0, false, 0);
            }
        }
    }

    fn unit(&mut self, unit: u16) {
        let (is_pair, is_swapped) = (is_pair(unit), is_swapped(unit));
        self.ascii += usize::from(unit < 0x80);
        let is_telling = is_pair && !is_of_india(unit);
        self.pairs += usize::from(is_telling);
        self.alien += usize::from(is_telling && !is_of_alphabet(unit));
        self.eastern += usize::from(is_eastern(unit) && !is_pair && !is_swapped);
        if !is_pair {
            (self.run, self.telling, self.rare) = (0, 0, 0);
        }
        self.run += usize::from(is_pair);
        self.telling += usize::from(is_telling);
        self.rare += usize::from(is_pair && is_rare(unit));
        let has_end = || unit.to_be_bytes().iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        self.has_end = is_pair && (self.has_end || has_end());
        self.has_words |= self.run >= if self.has_end { 3 } else { 6 } && self.telling * 4 >= self.run;
        self.has_lines |= self.run >= 4 && self.rare >= 2;
        self.swapped = if is_swapped { self.swapped + 1 } else { 0 };
        self.has_swapped |= self.swapped >= 4;
    }

    /// Reports whether there are such lines among others.
    pub(crate) fn are_there(self) -> bool {
        let are_pairs = || self.ascii >= self.pairs || self.alien * 2 >= self.pairs;
        self.has_swapped || self.ascii > 0 && (self.has_lines || self.are_words() && are_pairs())
    }

    /// Reports whether there are no others, and so no text in UTF-16 at all.
    #[cfg(feature = "files")]
    pub(crate) fn are_all(self) -> bool {
        self.are_words() && self.ascii == 0
    }

    /// Reports whether pairs of ASCII are words rather than characters: of those of East Asia, one in three is a pair.
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

/// Reports whether a byte is a printable character of ASCII or white space.
fn is_of_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Reports whether a unit is two bytes of ASCII. Signs, lines that tables are drawn with, and kana are that, too.
fn is_pair(unit: u16) -> bool {
    let [high, low] = unit.to_be_bytes();
    is_of_text(high) & is_of_text(low) & !matches!(unit, 0x2000..=0x2040 | 0x2100..=0x2BFF | 0x3000..=0x30FF)
}

/// Reports whether a pair is a letter of Devanagari, Gurmukhi or Malayalam: one byte is white space.
fn is_of_india(unit: u16) -> bool {
    matches!(unit >> 8, 0x09 | 0x0A | 0x0D)
}

/// Reports whether a pair is a letter of another alphabet in UTF-16: Georgian to Cyrillic with a comma or a hyphen, or
/// compatibility letters of Korean with a digit.
fn is_of_alphabet(unit: u16) -> bool {
    matches!(unit >> 8, 0x2C..=0x2D | 0x31)
}

/// Reports whether a pair is rarely a character: it is invisible, or a rare one of Chinese. In ASCII, one byte of
/// it is a space, a digit, a sign or a capital.
fn is_rare(unit: u16) -> bool {
    matches!(unit, 0x2041..=0x206F | 0x3400..=0x4DFF)
}

/// Reports whether a unit is a letter of ASCII in the other byte order. N is a stroke of Chinese, which lines are drawn
/// with, too.
fn is_swapped(unit: u16) -> bool {
    let [high, low] = unit.to_be_bytes();
    high.is_ascii_alphabetic() & (low == 0) & (unit != 0x4E00)
}

/// Reports whether a unit is a character of East Asia.
fn is_eastern(unit: u16) -> bool {
    (0x2E80..0xD800).contains(&unit)
}

/// Detects UTF-16 and UTF-32 by the byte order mark or by the positions of NULs.
pub fn wide(head: &[u8]) -> Option<AnyEncoding> {
    let by_mark = WIDE.into_iter().find(|&encoding| has_bom(encoding, head));
    let is_whole = |&encoding: &AnyEncoding| reads_as(encoding, head) && !AsciiLines::are_in(encoding, head);
    by_mark.or_else(|| WIDE.into_iter().find(is_whole))
}

/// Reports whether a text reads as UTF-16 or UTF-32, even if some of its lines are ASCII.
#[cfg(feature = "files")]
pub(crate) fn reads_as_wide(head: &[u8]) -> bool {
    WIDE.into_iter().any(|encoding| reads_as(encoding, head))
}

/// UTF-32 first: in little-endian order, its byte order mark begins with that of UTF-16.
const WIDE: [AnyEncoding; 4] =
    [AnyEncoding::Utf32Le, AnyEncoding::Utf32Be, AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];

/// Reports whether `head` is plausible in a wide encoding: every item is well formed, the only controls are white
/// space, and apart from dots, drawn lines and zero-width marks at least one item in four is ASCII, or one in eight
/// beside a single alphabet, or there are spaces or line ends beside a single one of South or Southeast Asia, which has
/// long words or none apart, or nearly all of it is East Asian with the punctuation or the letters of there, or with
/// frequent characters.
fn reads_as(encoding: AnyEncoding, head: &[u8]) -> bool {
    let (mut all, mut ascii, mut spaces, mut southern, mut eastern, mut telling) = (0, 0, 0, 0, 0, 0);
    // How many items are in each block of 128 with alphabets.
    let mut blocks = [0_usize; 0x40];
    for item in encoding.items(head) {
        match item.result.ok().and_then(char::from_u32) {
            Some(c) if c.is_control() && !c.is_whitespace() => return false,
            // Dots, and what tables are drawn with, come in rows.
            Some('\u{200B}'..='\u{2040}' | '\u{2500}'..='\u{25FF}') => continue,
            Some(c) => {
                ascii += usize::from(c.is_ascii());
                if let Some(block) = blocks.get_mut(u32::from(c) as usize >> 7) {
                    *block += usize::from(!c.is_ascii());
                }
                spaces += usize::from(c.is_ascii_whitespace());
                southern += usize::from(is_southern(c) && c.is_alphabetic());
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
    let is_one = |letters: usize| letters * 10 >= (all - ascii) * 9;
    let two_blocks = blocks.as_chunks::<2>().0.iter().map(|[one, other]| one + other).max();
    let is_alphabetic = ascii * 8 >= all && is_one(two_blocks.unwrap_or_default());
    // Some are signs of vowels and tones.
    let is_southern = spaces > 0
        && is_one(blocks.into_iter().max().unwrap_or_default())
        && southern * 5 >= (all - ascii) * 3;
    // Two letters of ASCII make one character of East Asia, and one with white space makes one of India.
    let is_words = head.is_ascii() && eastern * 2 > all
        || head.iter().all(|&byte| byte == 0 || is_of_text(byte)) && southern * 2 > all && spaces < 2;
    ascii > 0 && !is_words && (ascii * 4 >= all || is_alphabetic || is_southern || is_eastern)
}

/// Reports whether a character is of a script from India to Laos, of Burma or of Cambodia.
fn is_southern(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}')
}

/// Reports whether a character is frequent in Chinese, and often in Japanese. Those whose bytes are two characters of
/// ASCII are left out: text in ASCII with a NUL contains them.
fn is_frequent(c: char) -> bool {
    const FREQUENT: &str = "了事二于五些人从他以們来出动動去又发只可和四国如它实家實对己後得從心想文新方於无日时沒没法点為现現的种種经經\
                            老而能自與著行被裡要見见說说起过还这进這進過道還那部都里重長长開電面頭高麼點";
    let is_ascii = u32::from(c) & 0x8080 == 0;
    !is_ascii && FREQUENT.contains(c)
}
