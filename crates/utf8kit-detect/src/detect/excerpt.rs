//! The part of a text that is weighed: its beginning, and its non-ASCII lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::f32::consts::LN_2;

use crate::model::Scorer;

/// Part of a text. ASCII words are kept apart, because they are the same in nearly all encodings.
pub(super) struct Excerpt<'t> {
    bytes: Cow<'t, [u8]>,
    ascii: Scorer,
    /// The non-ASCII words, each with the white space that ends it.
    words: Vec<u8>,
    /// The number of non-ASCII bytes.
    non_ascii: usize,
    /// The number of FF bytes, and of runs of them.
    fill: (usize, usize),
    is_mostly_ascii: bool,
    nats_of_nuls: f32,
}

/// The log-probabilities, in nats, that NULs separate or fill fields of a text, as in lists for `xargs -0` and records
/// of fixed width, of each of these places, and of a NUL after another one.
const NATS_OF_NULS: f32 = -7.0;
const NATS_OF_SEPARATING_NUL: f32 = -2.5;
const NATS_OF_NEXT_NUL: f32 = -0.5;

/// Returns the log-probability that the NULs of a text separate or fill fields.
pub(super) fn nats_of_nuls(bytes: &[u8]) -> f32 {
    let (runs, all) = bytes.chunk_by(|one, next| (*one == 0) == (*next == 0)).fold((0, 0), |(runs, all), run| {
        if run.first() == Some(&0) { (runs + 1, all + run.len()) } else { (runs, all) }
    });
    match runs {
        0 => 0.0,
        _ => NATS_OF_NULS + NATS_OF_SEPARATING_NUL * runs as f32 + NATS_OF_NEXT_NUL * (all - runs) as f32,
    }
}

impl<'t> Excerpt<'t> {
    /// The most bytes that are weighed.
    pub(super) const MAX_BYTES_WEIGHED: usize = 3000;

    /// Takes an excerpt from a text.
    pub(super) fn of(text: &'t [u8]) -> Excerpt<'t> {
        Excerpt::whole(excerpt(text))
    }

    fn whole(bytes: Cow<'t, [u8]>) -> Excerpt<'t> {
        let (mut ascii, mut words) = (Scorer::new(), Vec::new());
        // A NUL ends a line, at a price of its own.
        let separated = |byte: u8| if byte == 0 { b'\n' } else { byte };
        for word in bytes.split_inclusive(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            if word.is_ascii() {
                word.iter().for_each(|&byte| ascii.push(char::from(separated(byte))));
            } else {
                words.extend(word.iter().copied().map(separated));
            }
        }
        ascii.end_word();
        let mut before = Scorer::new();
        before.add(&ascii);
        Excerpt::new(bytes, before, words)
    }

    fn new(bytes: Cow<'t, [u8]>, ascii: Scorer, words: Vec<u8>) -> Excerpt<'t> {
        let non_ascii = words.iter().filter(|byte| !byte.is_ascii()).count();
        let runs = words.chunk_by(|one, next| (*one == 0xFF) == (*next == 0xFF));
        let fills = runs.filter(|run| run.first() == Some(&0xFF));
        let fill = fills.fold((0, 0), |(all, places), run| (all + run.len(), places + 1));
        let is_text = |byte: &u8| *byte == 0 || is_printable(*byte);
        let is_mostly_ascii = words.is_empty() && bytes.iter().all(is_text) && count(&bytes, 0) * 8 <= bytes.len();
        let nats_of_nuls = nats_of_nuls(&bytes);
        Excerpt { bytes, ascii, words, non_ascii, fill, is_mostly_ascii, nats_of_nuls }
    }

    /// Reports whether the beginning of the text tells as much as its non-ASCII words.
    pub(super) fn is_mostly_words(&self) -> bool {
        self.words.is_empty() || self.non_ascii * 2 > self.len()
    }

    /// Returns an excerpt of at most `most` bytes, if this one has more than twice as many. It is taken from the
    /// non-ASCII words, unless the text consists of them.
    pub(super) fn first(&self, most: usize) -> Option<Excerpt<'_>> {
        let head = |bytes: &'_ [u8]| bytes.get(..most).filter(|_| bytes.len() > 2 * most).map(<[u8]>::to_vec);
        if self.is_mostly_words() {
            return head(&self.bytes).map(|head| Excerpt::whole(Cow::Owned(head)));
        }
        let words = head(&self.words)?;
        let bytes = Cow::Borrowed(self.bytes.get(..most).unwrap_or(&self.bytes));
        Some(Excerpt::new(bytes, Scorer::new(), words))
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of bytes that are not ASCII.
    pub(super) fn non_ascii(&self) -> usize {
        self.non_ascii
    }

    /// Returns the bytes to decode in an encoding. The rest is [`Excerpt::ascii`].
    pub(super) fn bytes_for(&self, keeps_ascii: bool) -> &[u8] {
        if keeps_ascii { &self.words } else { &self.bytes }
    }

    /// Returns the score of the ASCII words, to which others can be added.
    pub(super) fn ascii(&self) -> &Scorer {
        &self.ascii
    }

    /// Reports whether all of it is printable ASCII and white space, with almost no NUL.
    pub(super) fn is_mostly_ascii(&self) -> bool {
        self.is_mostly_ascii
    }

    /// Reports whether all of it is printable ASCII and white space.
    pub(super) fn is_printable_ascii(&self) -> bool {
        self.is_mostly_ascii && !self.bytes.contains(&0)
    }

    /// Returns the log-probability of its NULs in an encoding that keeps ASCII.
    pub(super) fn nats_of_nuls(&self) -> f32 {
        self.nats_of_nuls
    }

    /// Returns the number of FF bytes, which fill memory, tapes and lines, and the number of runs of them.
    pub(super) fn fill(&self) -> (usize, usize) {
        self.fill
    }

    /// Returns the log-probability of the bytes as data: either many NULs, some FF, and other bytes at random, or
    /// numbers of two or four bytes in a range.
    pub(super) fn binary(&self) -> f32 {
        if self.words.is_empty() && self.bytes.iter().all(|byte| is_printable(*byte)) {
            return f32::MIN / 2.0;
        }
        let (nuls, ones) = (count(&self.bytes, 0) as f32, count(&self.bytes, 0xFF) as f32);
        let others = self.len() as f32 - nuls - ones;
        let bytes = nuls * 0.3_f32.ln() + ones * 0.04_f32.ln() + others * (0.66_f32 / 254.0).ln();
        let units = self.bytes.as_chunks::<2>().0;
        let words = self.bytes.as_chunks::<4>().0;
        let of = |numbers: Vec<u32>, bits| {
            if count(&self.bytes, 0) > 0 { numbers_in_a_range(numbers, bits) } else { f32::MIN }
        };
        bytes
            .max(of(units.iter().map(|&unit| u16::from_le_bytes(unit).into()).collect(), 16.0))
            .max(of(units.iter().map(|&unit| u16::from_be_bytes(unit).into()).collect(), 16.0))
            .max(of(words.iter().map(|&word| u32::from_le_bytes(word)).collect(), 32.0))
            .max(of(words.iter().map(|&word| u32::from_be_bytes(word)).collect(), 32.0))
    }
}

/// The share of numbers in the range, as a fraction, and the logarithms of that share and of the rest.
const MIN_NUMBERS_IN_RANGE: usize = 19;
const RANGE_SHARE_DENOMINATOR: usize = 20;
const NATS_IN_RANGE: f32 = -0.05;
const NATS_OUT_OF_RANGE: f32 = -3.0;

/// Returns the log-probability of an array of numbers of the given width, if most of them lie in a narrow range.
fn numbers_in_a_range(mut numbers: Vec<u32>, bits: f32) -> f32 {
    numbers.sort_unstable();
    let within = (numbers.len() * MIN_NUMBERS_IN_RANGE).div_ceil(RANGE_SHARE_DENOMINATOR).max(1);
    let widths = numbers.windows(within).map(|some| some[within - 1] - some[0]);
    let Some(width) = widths.min() else { return f32::MIN };
    let out = (numbers.len() - within) as f32;
    let bounds = -2.0 * bits * LN_2;
    bounds - within as f32 * ((width as f32 + 1.0).ln() - NATS_IN_RANGE) + out * (NATS_OUT_OF_RANGE - bits * LN_2)
}

fn count(bytes: &[u8], wanted: u8) -> usize {
    bytes.iter().filter(|byte| **byte == wanted).count()
}

fn is_printable(byte: u8) -> bool {
    !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)
}

/// Returns the beginning of a text, its first non-ASCII lines, each distinct line once, and of the others the words in
/// which a byte occurs for the first time: one letter may be all that distinguishes two encodings.
fn excerpt(text: &[u8]) -> Cow<'_, [u8]> {
    const MAX_BYTES_WEIGHED: usize = Excerpt::MAX_BYTES_WEIGHED;
    let head = || Cow::Borrowed(text.get(..MAX_BYTES_WEIGHED / 8 * 8).unwrap_or(text));
    let has_nul = text.iter().take(4096).any(|byte| *byte == 0);
    if has_nul || text.is_ascii() || text.iter().filter(|byte| **byte == b'\n').nth(1).is_none() {
        return head();
    }
    let (mut seen, mut kept, mut at) = (HashSet::new(), Vec::new(), 0);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    for line in lines.by_ref() {
        at += line.len();
        let is_of_head = at <= MAX_BYTES_WEIGHED / 6 || text.len() <= MAX_BYTES_WEIGHED;
        if (is_of_head || !line.is_ascii()) && seen.insert(line.trim_ascii()) {
            kept.extend_from_slice(line.get(..MAX_BYTES_WEIGHED).unwrap_or(line));
        }
        if kept.len() > MAX_BYTES_WEIGHED {
            break;
        }
    }
    if kept.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let mut known = [false; 256];
    kept.iter().for_each(|byte| known[usize::from(*byte)] = true);
    let most = kept.len() + MAX_BYTES_OF_RARE_WORDS;
    for word in lines.flat_map(|line| line.split_inclusive(u8::is_ascii_whitespace)) {
        if kept.len() >= most {
            break;
        }
        let is_new = word.iter().any(|byte| !byte.is_ascii() && !known[usize::from(*byte)]);
        if is_new && word.len() <= MAX_BYTES_OF_RARE_WORD {
            kept.extend_from_slice(word);
            word.iter().for_each(|byte| known[usize::from(*byte)] = true);
        }
    }
    Cow::Owned(kept)
}

/// The most bytes of words in which a byte occurs for the first time, and of one such word with its white space.
const MAX_BYTES_OF_RARE_WORDS: usize = 1500;
const MAX_BYTES_OF_RARE_WORD: usize = 120;
