//! Text in one encoding that was read in another, neither of them UTF-8: `Âå÷åðíèé` for `Вечерний`.

use std::sync::LazyLock;

use utf8kit_encodings::charset::Legacy;

use crate::mojibake::eastern::is_eastern;
use crate::mojibake::encodings::{ENCODINGS, Misread, is_control};
use crate::mojibake::layer::{score, score_of_least, score_or_rubbish};
use crate::mojibake::prices::{MARGIN, MISREAD_IN_PAIR, MISREAD_IN_PAIR_AGAIN};

/// What a text was in, what it was read in, and what it costs, in nats, that it was these: forums, tags of music, names
/// of files and dumps of databases have them.
const PAIRS: [(&str, &str, f32); 53] = [
    ("windows-1251", "windows-1252", 0.0),
    ("GBK", "windows-1252", 1.0),
    ("Shift_JIS", "windows-1252", 2.0),
    ("Big5", "windows-1252", 2.0),
    ("EUC-KR", "windows-1252", 2.0),
    ("EUC-JP", "windows-1252", 3.0),
    ("windows-1250", "windows-1252", 1.0),
    ("ISO-8859-2", "windows-1252", 1.0),
    ("windows-1253", "windows-1252", 1.0),
    ("windows-1254", "windows-1252", 2.0),
    ("windows-1255", "windows-1252", 1.0),
    ("windows-1256", "windows-1252", 1.0),
    ("windows-1257", "windows-1252", 12.0),
    ("windows-1258", "windows-1252", 3.0),
    ("windows-874", "windows-1252", 1.0),
    ("KOI8-R", "windows-1252", 2.0),
    ("IBM866", "windows-1252", 3.0),
    ("ISO-8859-5", "windows-1252", 4.0),
    ("ISO-8859-6", "windows-1252", 4.0),
    ("CP437", "windows-1252", 3.0),
    ("CP850", "windows-1252", 3.0),
    ("CP852", "windows-1252", 3.0),
    ("macintosh", "windows-1252", 3.0),
    ("x-mac-cyrillic", "windows-1252", 9.0),
    ("CP862", "windows-1252", 5.0),
    ("CP737", "windows-1252", 5.0),
    ("VISCII", "windows-1252", 4.0),
    ("TCVN5712-1", "windows-1252", 3.0),
    ("KOI8-R", "windows-1251", 1.0),
    ("IBM866", "windows-1251", 1.0),
    ("x-mac-cyrillic", "windows-1251", 5.0),
    ("ISO-8859-5", "windows-1251", 3.0),
    ("windows-1252", "windows-1251", 2.0),
    ("windows-1250", "windows-1251", 3.0),
    ("windows-1251", "KOI8-R", 1.0),
    ("IBM866", "KOI8-R", 3.0),
    ("windows-1252", "KOI8-R", 4.0),
    ("windows-1251", "IBM866", 1.0),
    ("KOI8-R", "IBM866", 3.0),
    ("windows-1252", "windows-1250", 2.0),
    ("ISO-8859-2", "windows-1250", 3.0),
    ("CP852", "windows-1250", 3.0),
    ("windows-1252", "windows-1253", 4.0),
    ("windows-1252", "CP437", 3.0),
    ("windows-1251", "CP437", 4.0),
    ("IBM866", "CP437", 3.0),
    ("Shift_JIS", "CP437", 3.0),
    ("GBK", "CP437", 3.0),
    ("windows-1252", "CP850", 3.0),
    ("windows-1252", "macintosh", 7.0),
    ("windows-1251", "macintosh", 4.0),
    ("Shift_JIS", "macintosh", 3.0),
    ("windows-1253", "ISO-8859-2", 5.0),
];

/// The fewest non-ASCII characters that tell an encoding if nothing else does, and the fewest letters of a line: rows
/// of one sign and boxes tell none.
const FEWEST: usize = 3;
const FEWEST_LETTERS: usize = 5;

/// What a character of words with non-ASCII letters costs at least, in nats, for there to be a reason to ask. In prose
/// it costs 2 to 3.
const ODD: f32 = 2.4;

/// What such a character costs more than in words, even of names and of capitals.
const LISTED_LETTER: f32 = 4.7;
const LISTED_EASTERN: f32 = 8.5;

/// A set of pairs of encodings, one bit for each.
pub(super) type Set = u64;

/// The first bit after those of [`PAIRS`]: the encodings of East Asia in which UTF-8 is read have the others.
pub(super) const OTHERS: Set = 1 << PAIRS.len();

/// What a line may have been.
pub(super) struct Was {
    pub(super) text: String,
    pub(super) score: f32,
    pub(super) pair: Set,
    pub(super) written: &'static str,
    pub(super) read: &'static str,
}

/// A wrong encoding, and those that text was in which is read in it.
struct Read {
    encoding: Misread,
    name: &'static str,
    written: Vec<Written>,
}

struct Written {
    at: usize,
    encoding: Legacy,
    name: &'static str,
    price: f32,
}

static READS: LazyLock<Vec<Read>> = LazyLock::new(|| {
    let mut reads: Vec<Read> = Vec::new();
    for (at, (name, read, price)) in PAIRS.into_iter().enumerate() {
        let Some(encoding) = Legacy::labelled(name) else { continue };
        let written = Written { at, encoding, name, price };
        match reads.iter_mut().find(|other| other.name == read) {
            Some(other) => other.written.push(written),
            None => {
                reads.push(Read { encoding: Misread::named(read, 0.0), name: read, written: vec![written] })
            }
        }
    }
    reads
});

impl Read {
    /// Returns the bytes of a text. Controls are those of Latin-1, which is what programs read that mean windows-1252.
    fn bytes(&self, text: &str) -> Option<Vec<u8>> {
        let latin1 = |c: char| u8::try_from(c).ok().filter(|_| is_control(c));
        let byte = |c: char| match u8::try_from(c) {
            Ok(ascii @ 0..0x80) => Some(ascii),
            _ => self.encoding.byte(c).or_else(|| latin1(c)),
        };
        text.chars().map(byte).collect()
    }
}

/// Reports whether lines of a text can be in one of these encodings and read in another.
pub(super) fn may_be(text: &str) -> bool {
    !text.is_ascii()
        && text
            .lines()
            .filter(|line| !line.is_ascii())
            .any(|line| READS.iter().any(|read| read.bytes(line).is_some()))
}

/// Reports whether a line is odd enough to ask, though no other line tells a pair.
pub(super) fn are_possible(line: &str) -> bool {
    let is_telling = |c: &char| !c.is_ascii() && !matches!(c, '\u{2500}'..='\u{259F}');
    let mut telling = line.chars().filter(is_telling);
    let first = telling.clone().next();
    let letters = line.chars().filter(|c| !c.is_ascii() || c.is_ascii_alphabetic()).count();
    if telling.clone().nth(FEWEST - 1).is_none()
        || letters < FEWEST_LETTERS
        || telling.all(|c| Some(c) == first)
        || READS.iter().all(|read| read.bytes(line).is_none())
    {
        return false;
    }
    cost_of_words(line) >= ODD
}

/// Returns what a character of the words with non-ASCII letters costs, in nats.
fn cost_of_words(line: &str) -> f32 {
    let words = line.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_ascii()).collect::<Vec<_>>().join(" ");
    -score(&words) / words.chars().count() as f32
}

/// Reports whether most non-ASCII characters of a line follow each other by code point: an alphabet is as unlikely to
/// be text as what it would be in another encoding.
fn is_alphabet(line: &str) -> bool {
    let pairs = line.chars().zip(line.chars().skip(1)).filter(|(_, c)| !c.is_ascii());
    let in_order = pairs.filter(|&(before, c)| u32::from(before) + 1 == u32::from(c)).count();
    in_order >= FEWEST && in_order * 2 >= line.chars().filter(|c| !c.is_ascii()).count()
}

/// Reports whether a text is a list of letters, such as an alphabet or a part of a pattern, rather than words.
fn is_list_of_letters(text: &str) -> bool {
    cost_of_words(text) > if text.contains(is_eastern) { LISTED_EASTERN } else { LISTED_LETTER }
}

/// Returns what a line may have been that is likelier, given the pairs that are proven by other lines.
pub(super) fn candidates(line: &str, proven: Set) -> Vec<Was> {
    if line.is_ascii() || is_alphabet(line) || proven == 0 && !are_possible(line) {
        return Vec::new();
    }
    let is_utf8 = |encoding: &Misread| {
        let bytes = line.chars().map(|c| if c.is_ascii() { b' ' } else { encoding.byte(c).unwrap_or(b' ') });
        utf8kit::validate(&bytes.collect::<Vec<u8>>()).is_ok_and(|text| !text.is_ascii())
    };
    if ENCODINGS.iter().any(is_utf8) {
        return Vec::new();
    }
    // No text costs more than rubbish, but what has controls is none.
    let base = if line.contains(is_control) { score(line) } else { score_or_rubbish(line) };
    let mut found = Vec::new();
    for read in &*READS {
        let is_asked = |written: &&Written| proven == 0 || proven >> written.at & 1 == 1;
        let mut all = read.written.iter().filter(is_asked).peekable();
        let Some(bytes) = all.peek().and_then(|_| read.bytes(line)) else { continue };
        for written in all {
            let Some(text) = written.encoding.text_of(&bytes) else { continue };
            let is_rubbish = |c: char| is_control(c) || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FFFD}');
            if text.contains(is_rubbish) || text == line {
                continue;
            }
            let price = match proven >> written.at & 1 {
                1 => MISREAD_IN_PAIR_AGAIN,
                _ => MISREAD_IN_PAIR + written.price,
            };
            let Some(score) = score_of_least(&text, base + price + MARGIN) else { continue };
            let score = score - base - price;
            if score < MARGIN || is_list_of_letters(&text) {
                continue;
            }
            let (pair, name) = (1 << written.at, written.name);
            found.push(Was { text, score, pair, written: name, read: read.name });
        }
    }
    found
}
