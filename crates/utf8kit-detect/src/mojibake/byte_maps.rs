//! Text whose bytes are shown as characters by an exact map: ISO-2022-JP without its escape characters, which mail
//! programs removed (`$B$3$s(B`), UTF-8 in the letters that tokenizers of language models show (`HelloĠworld`), and
//! UTF-16 that was read in the other byte order (`栀攀氀氀漀` for `hello`).

use utf8kit_encodings::charset::Legacy;

use crate::mojibake::encodings::is_control;
use crate::mojibake::layer::score;
use crate::mojibake::prices::{NATS_OF_MISREADING, NATS_OF_REMOVED_ESCAPES, NATS_PER_CHARACTER_OF_CODE};

/// The escape character as programs write it. In a line that contains this, no mail program removed any.
const ESCAPED_ESCAPE: &str = "\\x1b";

/// The original of a line, its encoding, and the encoding that it was misdecoded in.
pub(super) struct Original {
    pub(super) text: String,
    pub(super) written: &'static str,
    pub(super) read: &'static str,
    /// What it costs that this happened, and the score that the line has at least.
    pub(super) price: f32,
    pub(super) base: f32,
}

/// Reports whether a text can be of that kind.
pub(super) fn may_be(text: &str) -> bool {
    text.contains('\u{120}')
        || text.contains("(B") && (text.contains("$B") || text.contains("$@"))
        || !text.is_ascii() && has_swapped_letters(text)
}

/// Returns what a line was, if all of it fits.
pub(super) fn of(line: &str) -> Option<Original> {
    if !may_be(line) {
        return None;
    }
    let original =
        |written, read| move |text| Original { text, written, read, price: NATS_OF_MISREADING, base: f32::MIN };
    let swapped = || swapped(line).map(original("UTF-16BE", "UTF-16LE"));
    let tokens = || tokens(line).map(original("UTF-8", "letters of a tokenizer"));
    japanese(line).or_else(swapped).or_else(tokens)
}

/// Decodes the parts of a line of ASCII that are pairs of JIS X 0208 between `$B` and `(B`. One of them has to be
/// syllables or signs: names of variables are not.
fn japanese(line: &str) -> Option<Original> {
    let is_without_escapes = line.is_ascii() && !line.contains(ESCAPED_ESCAPE);
    let legacy = Legacy::labelled("EUC-JP").filter(|_| is_without_escapes)?;
    let (mut text, mut rest, mut is_told) = (String::new(), line, false);
    // The line may be a program, or a formula (`=$B$10*(B2+B3)`).
    let (mut others, mut code) = (String::new(), 0);
    while let Some(start) = rest.find("$B").into_iter().chain(rest.find("$@")).min() {
        let (before, begun) = rest.split_at(start);
        let pairs = begun.as_bytes().get(2..).unwrap_or_default().as_chunks::<2>().0;
        let count = pairs.iter().position(|pair| matches!(pair, b"(B" | b"(J"));
        let found = count.filter(|count| *count > 0).and_then(|count| {
            let own = pairs.get(..count)?;
            is_told |= own.iter().any(|[lead, _]| matches!(lead, 0x21 | 0x24 | 0x25));
            let bytes: Vec<u8> = own.as_flattened().iter().map(|byte| byte | 0x80).collect();
            Some((legacy.text_of(&bytes)?, 2 * count + 4))
        });
        text.push_str(before);
        others.push_str(before);
        let len = match found {
            Some((decoded, len)) => {
                text.push_str(&decoded);
                code += len;
                len
            }
            None => {
                text.push_str(begun.get(..2)?);
                others.push_str(begun.get(..2)?);
                2
            }
        };
        rest = begun.get(len..)?;
    }
    text.push_str(rest);
    others.push_str(rest);
    let base = score(&others) - NATS_PER_CHARACTER_OF_CODE * code as f32;
    let (written, read, price) = ("ISO-2022-JP", "us-ascii", NATS_OF_REMOVED_ESCAPES);
    (is_told && text != line).then_some(Original { text, written, read, price, base })
}

/// Decodes the letters in which tokenizers show bytes: `Ġ` is a blank before a word, and the line has no other.
fn tokens(line: &str) -> Option<String> {
    let line = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    let bytes: Option<Vec<u8>> = line.0.chars().map(byte).collect();
    let text = String::from_utf8(bytes?).ok()?;
    let is_text = |c: char| c == '\n' || c == '\t' || !c.is_ascii_control() && !is_control(c);
    let is_words = text.split(' ').skip(1).any(|word| word.starts_with(char::is_alphanumeric));
    (is_words && text.chars().all(is_text)).then(|| text + line.1)
}

/// Returns the byte that a letter shows. Bytes that are no visible characters of Latin-1 are shown from U+0100 on.
fn byte(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => u8::try_from(code).ok(),
        code @ 0x100..=0x143 => {
            [0x00..=0x20, 0x7F..=0xA0, 0xAD..=0xAD].into_iter().flatten().nth(code as usize - 0x100)
        }
        _ => None,
    }
}

/// The number of consecutive letters of an alphabet in the other byte order that cannot be a coincidence.
const MIN_SWAPPED_LETTERS_IN_ROW: usize = 3;

/// Reports whether a text has several characters after each other that are letters of an alphabet in the other byte
/// order. N would be the Chinese numeral one.
fn has_swapped_letters(text: &str) -> bool {
    let mut run = 0;
    text.chars().any(|c| {
        let other = u16::try_from(u32::from(c)).ok().filter(|_| c >= '\u{1000}').map(u16::swap_bytes);
        let is_letter = other.is_some_and(|other| {
            let is_near = other < 0x80 || (0x370..0x650).contains(&other);
            is_near && c != '\u{4E00}' && char::from_u32(other.into()).is_some_and(char::is_alphabetic)
        });
        run = if is_letter { run + 1 } else { 0 };
        run >= MIN_SWAPPED_LETTERS_IN_ROW
    })
}

/// Decodes UTF-16 that was read in the other byte order, except for white space that was added later.
fn swapped(line: &str) -> Option<String> {
    if !has_swapped_letters(line) {
        return None;
    }
    let is_space = |unit: u16| u8::try_from(unit).is_ok_and(|unit| unit.is_ascii_whitespace());
    let units = line.encode_utf16().map(|unit| if is_space(unit) { unit } else { unit.swap_bytes() });
    let text = String::from_utf16(&units.collect::<Vec<_>>()).ok()?;
    text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace()).then_some(text)
}
