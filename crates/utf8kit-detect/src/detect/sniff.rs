//! Detects byte order marks, UTF-16, UTF-32 and binary data from the first bytes of a file.

use utf8kit::AnyEncoding;
use utf8kit_encodings::artifact;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::has_bom;

use crate::detect::confidence::Confidence;
use crate::detect::posterior::Posterior;

/// The most bytes of a file that are examined.
pub const SNIFF_LEN: usize = 8 * 1024;

/// Reports whether a file that begins with `head` is binary: it contains a NUL that is not part of UTF-16 or UTF-32.
pub fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
        && wide(head).is_none()
        && !artifact::has_stray_nuls(head)
        && artifact::find(head, false).is_none()
}

/// Reports whether a file that begins with `head` is data rather than text in an ASCII-based encoding. Data has control
/// characters of several kinds, and not only a few. NULs alone, as a crash leaves them in a log, are not data.
pub fn is_data(head: &[u8]) -> bool {
    // White space, a backspace, an escape and DOS's end of file occur in text.
    let is_control = |byte: &&u8| matches!(byte, 0x01..=0x07 | 0x0E..=0x19 | 0x1C..=0x1F | 0x7F);
    let controls = || head.iter().filter(is_control);
    let kinds = controls().fold(0_u128, |kinds, byte| kinds | 1 << byte).count_ones();
    let (fewest, share) = if head.contains(&0) { (3, 64) } else { (6, 32) };
    kinds >= fewest && controls().count() * share >= head.len() && wide(head).is_none()
}

/// Finds lines of ASCII among UTF-16, as in a log that two programs write to. Read as UTF-16, these are characters of
/// East Asia, and so is the text after a line of odd length.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsciiLines {
    /// The number of units that are ASCII.
    ascii: usize,
    /// The number of units that are two bytes of ASCII and not letters of India, and how many of them are not letters
    /// of an alphabet in UTF-16.
    pairs: usize,
    alien: usize,
    /// The number of other units that are characters of East Asia.
    east_asian: usize,
    /// The current run of units that are two bytes of ASCII: its length, how many units are not letters of India, how
    /// many are rare in UTF-16, and whether it includes a line end.
    run: usize,
    evidence: usize,
    rare: usize,
    has_end: bool,
    /// The length of the current run of ASCII letters in the other byte order.
    swapped: usize,
    /// Whether a run of pairs was a line or a long word.
    has_words: bool,
    /// Whether a run of pairs was certainly a line.
    has_lines: bool,
    /// Whether a run of letters in the other byte order was a word.
    has_swapped: bool,
}

impl AsciiLines {
    /// Counts the next items of UTF-16.
    pub fn push(&mut self, encoding: AnyEncoding, bytes: &[u8]) {
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
                self.east_asian += units().filter(|&unit| is_east_asian(unit)).count();
                (self.run, self.evidence, self.rare, self.has_end, self.swapped) = (0, 0, 0, false, 0);
            }
        }
    }

    fn unit(&mut self, unit: u16) {
        let (is_pair, is_swapped) = (is_pair(unit), is_swapped(unit));
        self.ascii += usize::from(unit < 0x80);
        let is_evidence = is_pair && !is_indic(unit);
        self.pairs += usize::from(is_evidence);
        self.alien += usize::from(is_evidence && !is_alphabetic_script(unit));
        self.east_asian += usize::from(is_east_asian(unit) && !is_pair && !is_swapped);
        if !is_pair {
            (self.run, self.evidence, self.rare) = (0, 0, 0);
        }
        self.run += usize::from(is_pair);
        self.evidence += usize::from(is_evidence);
        self.rare += usize::from(is_pair && is_rare(unit));
        let has_end = || unit.to_be_bytes().iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        self.has_end = is_pair && (self.has_end || has_end());
        self.has_words |= self.run >= if self.has_end { 3 } else { 6 } && self.evidence * 4 >= self.run;
        self.has_lines |= self.run >= 4 && self.rare >= 2 || is_pair && is_line_end(unit);
        self.swapped = if is_swapped { self.swapped + 1 } else { 0 };
        self.has_swapped |= self.swapped >= 4;
    }

    /// Reports whether there are such lines among others.
    pub fn has_mixed_lines(self) -> bool {
        let are_pairs = || self.ascii >= self.pairs || self.alien * 2 >= self.pairs;
        self.has_swapped || self.ascii > 0 && (self.has_lines || self.are_words() && are_pairs())
    }

    /// Reports whether there are no other lines, and so no UTF-16 text at all.
    pub fn are_all(self) -> bool {
        self.are_words() && self.ascii == 0
    }

    /// Reports whether pairs of ASCII are words rather than characters. One in three East Asian characters is such a
    /// pair.
    fn are_words(self) -> bool {
        self.has_words && self.east_asian * 2 <= self.pairs
    }

    /// Reports whether there are such lines in the beginning of a text.
    pub fn are_in(encoding: AnyEncoding, head: &[u8]) -> bool {
        let mut lines = AsciiLines::default();
        if encoding.unit() == 2 {
            lines.push(encoding, head);
        }
        lines.has_mixed_lines()
    }
}

/// Reports whether a byte is a printable character of ASCII or white space.
fn is_of_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Reports whether a unit is two bytes of ASCII. Some signs, box drawings and kana also are.
fn is_pair(unit: u16) -> bool {
    let [high, low] = unit.to_be_bytes();
    is_of_text(high) & is_of_text(low) & !matches!(unit, 0x2000..=0x2040 | 0x2100..=0x2BFF | 0x3000..=0x30FF)
}

/// Reports whether a pair is a letter of Devanagari, Gurmukhi or Malayalam, which have a byte that is white space.
fn is_indic(unit: u16) -> bool {
    matches!(unit >> 8, 0x09 | 0x0A | 0x0D)
}

/// Reports whether a pair is a letter of another alphabet in UTF-16: Georgian to Cyrillic with a comma or a hyphen, or
/// compatibility letters of Korean with a digit.
fn is_alphabetic_script(unit: u16) -> bool {
    matches!(unit >> 8, 0x2C..=0x2D | 0x31)
}

/// Reports whether a pair is a rare character, either invisible or Chinese. As ASCII, it includes a space, a digit, a
/// sign or a capital.
fn is_rare(unit: u16) -> bool {
    matches!(unit, 0x2041..=0x206F | 0x3400..=0x4DFF)
}

/// Reports whether a unit is CR LF in little-endian order, which is not a character.
fn is_line_end(unit: u16) -> bool {
    unit.to_le_bytes() == *b"\r\n"
}

/// Reports whether a unit is a letter of ASCII in the other byte order. N is excluded, because it is a Chinese stroke
/// that is also used to draw lines.
fn is_swapped(unit: u16) -> bool {
    let [high, low] = unit.to_be_bytes();
    high.is_ascii_alphabetic() & (low == 0) & (unit != 0x4E00)
}

/// Reports whether a unit is a character of East Asia.
fn is_east_asian(unit: u16) -> bool {
    (0x2E80..0xD800).contains(&unit)
}

/// Detects UTF-16 and UTF-32 by the byte order mark, or as the likeliest encoding apart from UTF-8.
pub fn wide(head: &[u8]) -> Option<AnyEncoding> {
    if wrong_mark(head).is_some() {
        return None;
    }
    let by_mark = WIDE.into_iter().find(|&encoding| has_bom(encoding, head));
    let by_mark = by_mark.map(|encoding| swapped(head).map_or(encoding, |(_, other)| other));
    by_mark.or_else(|| likely_wide(head).filter(|&encoding| !AsciiLines::are_in(encoding, head)))
}

/// Reports whether a text reads as UTF-16 or UTF-32, even if some of its lines are ASCII.
pub fn reads_as_wide(head: &[u8]) -> bool {
    likely_wide(head).is_some()
}

/// Reports whether a text with NULs reads better as UTF-16 or UTF-32 than as UTF-8 in which NULs separate fields, even
/// if it may be data.
pub fn may_be_wide(head: &[u8]) -> bool {
    let among = || Posterior::among(head, "", |codec| matches!(codec, Codec::Native(_)));
    head.contains(&0) && among().encodings.first().is_some_and(|best| best.codec.is_wide() && best.damage == 0)
}

/// Returns the encoding of the byte order mark of UTF-16 that begins a text, if the text is rather UTF-8 or in an
/// encoding with 8 bits. Text in UTF-16 has a NUL, unless all of it is in East Asia and in one line.
pub(super) fn wrong_mark(head: &[u8]) -> Option<AnyEncoding> {
    let marked = WIDE.into_iter().find(|&encoding| has_bom(encoding, head))?;
    let own = Codec::Native(marked);
    let text = head.get(MARK_LEN..SNIFF_LEN.min(head.len()))?;
    if marked.unit() != MARK_LEN || text.len() < 2 * marked.unit() || text.contains(&0) {
        return None;
    }
    let is_meant = |codec| matches!(codec, Codec::Legacy(_) | Codec::Native(AnyEncoding::Utf8)) || codec == own;
    let posterior = Posterior::among(text.get(..MAX_BYTES_AFTER_MARK).unwrap_or(text), "", is_meant);
    let best = posterior.best()?;
    let of_own = posterior.encodings.iter().find(|one| one.codec == own).map_or(f32::MIN, |one| one.score);
    (best.score + NATS_OF_WRONG_MARK > of_own).then_some(marked)
}

/// The length of the mark of UTF-16, and how many bytes after it decide whether it is wrong.
const MARK_LEN: usize = 2;
const MAX_BYTES_AFTER_MARK: usize = 512;

/// The log-probability that the mark of UTF-16 begins text in another encoding, in nats, as in source files of
/// libwfp (mullvad/libwfp, pull request 40) and libcxxwrap-julia (pull request 64).
const NATS_OF_WRONG_MARK: f32 = -16.0;

/// Returns the encoding of the byte order mark that begins a text in UTF-16, and the encoding of the text, if that is
/// certainly of the other byte order.
pub(super) fn swapped(head: &[u8]) -> Option<(AnyEncoding, AnyEncoding)> {
    let (own, other) = match WIDE.into_iter().find(|&encoding| has_bom(encoding, head))? {
        own @ AnyEncoding::Utf16Le => (own, AnyEncoding::Utf16Be),
        own @ AnyEncoding::Utf16Be => (own, AnyEncoding::Utf16Le),
        _ => return None,
    };
    let text = head.get(2..SNIFF_LEN.min(head.len()))?;
    let posterior = Posterior::among(text, "", |codec| [own, other].map(Codec::Native).contains(&codec));
    let is_other = posterior.best().is_some_and(|best| best.codec == Codec::Native(other) && best.damage == 0);
    (is_other && posterior.confidence() == Confidence::Certain).then_some((own, other))
}

/// Returns UTF-16 or UTF-32, if that is likelier than UTF-8 and than data.
pub(super) fn likely_wide(head: &[u8]) -> Option<AnyEncoding> {
    let posterior = Posterior::among(head, "", |codec| matches!(codec, Codec::Native(_)));
    let best = posterior.best().filter(|best| best.damage == 0)?;
    match best.codec {
        Codec::Native(encoding) if encoding.unit() > 1 && posterior.confidence() != Confidence::Possible => {
            Some(encoding)
        }
        _ => None,
    }
}

/// UTF-32 first, because its little-endian byte order mark begins with the mark of UTF-16.
const WIDE: [AnyEncoding; 4] = [AnyEncoding::Utf32Le, AnyEncoding::Utf32Be, AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];
