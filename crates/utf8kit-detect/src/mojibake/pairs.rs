//! Text in one encoding that was read in another, neither of them UTF-8: `Âå÷åðíèé` for `Вечерний`.

use std::sync::LazyLock;

use utf8kit_encodings::charset::Legacy;

use crate::mojibake::east_asian::is_east_asian;
use crate::mojibake::encodings::{ENCODINGS, Misread, is_control};
use crate::mojibake::layer::{score, score_of_least, score_or_rubbish};
use crate::mojibake::prices::{MIN_NATS_GAINED, NATS_OF_OTHER_CONTROL, NATS_OF_PAIR, NATS_OF_PAIR_AGAIN};

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
const MIN_CHARACTERS: usize = 3;
const MIN_LETTERS_OF_LINE: usize = 5;

/// The fewest characters that ascend by code point only in a list.
const MIN_CHARACTERS_OF_LIST: usize = 8;

/// How many characters, from the first non-ASCII one, are scored before all of a line, and by how many nats they may be
/// less likely in another encoding than as they stand.
const CHARACTERS_OF_SAMPLE: usize = 48;
const MAX_NATS_LESS_LIKELY: f32 = 12.0;

/// What a character of words with non-ASCII letters costs at least, in nats, for there to be a reason to ask. In prose
/// it costs 2 to 3. Where most letters are non-ASCII, most were misread: of lines that were garbled by a script, none
/// of those costs less than 4.6.
const MIN_NATS_PER_CHARACTER: f32 = 2.4;
const MIN_NATS_PER_OTHER_CHARACTER: f32 = 3.6;

/// The highest average cost of a character, in nats, at which a text reads as words: `MAX_NATS_OF_WORDS_WITHOUT_GAIN`,
/// and `NATS_PER_NAT_GAINED` more for each nat that the text saves against the line, up to `MAX_NATS_OF_WORDS`. Fitted
/// to separate 482 lines that a script garbled from the lists of letters in CLDR's `characters.json` and in source
/// code, and from the Universal Declaration of Human Rights in languages that the model does not know (Sango, Khasi,
/// Mixtec, Inari Sami).
const MAX_NATS_OF_WORDS: f32 = 4.35;
const MAX_NATS_OF_WORDS_WITHOUT_GAIN: f32 = 3.0;
const NATS_PER_NAT_GAINED: f32 = 0.45;

/// The same limit if other lines of the text went through the pair, and for text of East Asia.
const MAX_NATS_OF_WORDS_AGAIN: f32 = 4.7;
const MAX_NATS_OF_EAST_ASIAN_WORDS: f32 = 8.5;

/// The fewest letters of a word that is evidence for a language, except in East Asia.
const MIN_LETTERS_OF_WORD: usize = 3;

/// A set of pairs of encodings, one bit for each.
pub(super) type Set = u64;

/// The first bit after the pairs. The bits from here stand for the East Asian encodings that UTF-8 was read in.
pub(super) const FIRST_OF_EAST_ASIAN: Set = 1 << PAIRS.len();

/// What a line may have been.
pub(super) struct Original {
    pub(super) text: String,
    pub(super) score: f32,
    /// Whether it does not read as words.
    pub(super) is_unsure: bool,
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
    if telling.clone().nth(MIN_CHARACTERS - 1).is_none()
        || letters < MIN_LETTERS_OF_LINE
        || telling.all(|c| Some(c) == first)
        || READS.iter().all(|read| read.bytes(line).is_none())
    {
        return false;
    }
    let is_of_other_script = line.chars().filter(|c| !c.is_ascii()).count() * 2 > letters;
    let odd = if is_of_other_script { MIN_NATS_PER_OTHER_CHARACTER } else { MIN_NATS_PER_CHARACTER };
    cost_of_words(line, 0).is_some_and(|cost| cost >= odd)
}

/// Returns the average cost in nats of a character in words with non-ASCII characters and at least `min_letters`
/// letters. `None` if there is no such word.
fn cost_of_words(line: &str, min_letters: usize) -> Option<f32> {
    let words = line.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let words = words.filter(|word| !word.is_ascii() && letters(word) >= min_letters);
    let words = words.collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| -score(&words) / words.chars().count() as f32)
}

/// Reports whether most non-ASCII characters of a line follow each other by code point, or all of many ascend: an
/// alphabet is as unlikely to be text as what it would be in another encoding.
fn is_alphabet(line: &str) -> bool {
    let chars: Vec<u32> = line.chars().filter(|c| !c.is_ascii()).map(u32::from).collect();
    let pairs = || chars.iter().zip(chars.iter().skip(1));
    let in_order = pairs().filter(|&(before, c)| before + 1 == *c).count();
    in_order >= MIN_CHARACTERS && in_order * 2 >= chars.len()
        || chars.len() >= MIN_CHARACTERS_OF_LIST && pairs().all(|(before, c)| before < c)
}

/// Reports whether the candidate `text` for a line reads as words of a language in the model. Lists of letters, parts
/// of patterns and other languages do not, and their original cannot be recovered.
pub(super) fn are_words(text: &str, line: &str, is_proven: bool) -> bool {
    let costs_at_most = |most: f32| cost_of_words(text, 1).is_some_and(|cost| cost <= most);
    if text.contains(is_east_asian) {
        return costs_at_most(MAX_NATS_OF_EAST_ASIAN_WORDS);
    }
    if is_proven {
        return costs_at_most(MAX_NATS_OF_WORDS_AGAIN);
    }
    let before = cost_of_words(line, 0).unwrap_or_default();
    let most = |cost: f32| match has_sign_in_word(line) && !has_sign_in_word(text) {
        true => MAX_NATS_OF_WORDS,
        false => {
            (MAX_NATS_OF_WORDS_WITHOUT_GAIN + NATS_PER_NAT_GAINED * (before - cost)).min(MAX_NATS_OF_WORDS)
        }
    };
    cost_of_words(text, MIN_LETTERS_OF_WORD).is_some_and(|cost| cost <= most(cost)) && !is_alphabet(text)
}

/// Reports whether a Latin-1 sign stands between letters, which happens in no list and no language: `lu»ouèký`.
fn has_sign_in_word(text: &str) -> bool {
    let is_sign = |c: char| matches!(c, '\u{80}'..='\u{BF}') && !c.is_alphabetic();
    let chars: Vec<char> = text.chars().collect();
    chars.windows(3).any(|three| {
        matches!(three, &[one, sign, other] if is_sign(sign) && one.is_alphabetic() && other.is_alphabetic())
    })
}

/// Returns what a line may have been that is likelier, given the pairs that are proven by other lines.
pub(super) fn candidates(line: &str, proven: Set) -> Vec<Original> {
    let has_controls = line.contains(is_control);
    let is_open = has_controls || proven != 0 || are_possible(line);
    if line.is_ascii() || is_alphabet(line) || !is_open {
        return Vec::new();
    }
    // No text costs more than rubbish.
    let base = score_or_rubbish(line);
    // A character is a byte: the same part of the line and of its bytes are compared first.
    let start = line.chars().position(|c| !c.is_ascii()).unwrap_or_default();
    let sample: String = line.chars().skip(start).take(CHARACTERS_OF_SAMPLE).collect();
    let least_of_sample = score_or_rubbish(&sample) - MAX_NATS_LESS_LIKELY;
    let is_worse = |written: &Written, bytes: &[u8]| {
        let sample =
            bytes.get(start..start + CHARACTERS_OF_SAMPLE).and_then(|bytes| written.encoding.text_of(bytes));
        sample.is_some_and(|text| score(&text) < least_of_sample)
    };
    let mut found = Vec::new();
    for read in &*READS {
        let is_proven = |written: &Written| proven >> written.at & 1 == 1;
        let is_asked = |written: &&Written| proven == 0 || is_proven(written);
        let mut all = read.written.iter().filter(is_asked).peekable();
        let Some(bytes) = all.peek().and_then(|_| read.bytes(line)) else { continue };
        for written in all.filter(|written| !is_worse(written, &bytes)) {
            let Some(text) = written.encoding.text_of(&bytes) else { continue };
            let is_rubbish = |c: char| is_control(c) || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FFFD}');
            if text.contains(is_rubbish) || text == line {
                continue;
            }
            let is_proven = is_proven(written);
            let price = match is_proven {
                true => NATS_OF_PAIR_AGAIN,
                // It was certainly read as Latin-1, so only the original encoding is open.
                false if has_controls && read.name == "windows-1252" => NATS_OF_OTHER_CONTROL + written.price,
                false => NATS_OF_PAIR + written.price,
            };
            let Some(score) = score_of_least(&text, base + price + MIN_NATS_GAINED) else { continue };
            let score = score - base - price;
            if score < MIN_NATS_GAINED {
                continue;
            }
            let is_unsure = !are_words(&text, line, is_proven);
            // A line with controls is certainly damaged, so its other explanations need this one as a rival.
            if is_unsure && !has_controls {
                continue;
            }
            let (pair, name) = (1 << written.at, written.name);
            found.push(Original { text, score, is_unsure, pair, written: name, read: read.name });
        }
    }
    let is_utf8 = |encoding: &Misread| {
        let bytes = line.chars().map(|c| if c.is_ascii() { b' ' } else { encoding.byte(c).unwrap_or(b' ') });
        utf8kit::validate(&bytes.collect::<Vec<u8>>()).is_ok_and(|text| !text.is_ascii())
    };
    if !found.is_empty() && ENCODINGS.iter().any(is_utf8) {
        return Vec::new();
    }
    found
}
