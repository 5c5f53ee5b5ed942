//! UTF-8 that begins or ends within a sequence, as what `split`, `head` and `tail` leave of a file does. In another
//! encoding, the bytes of that sequence would be a letter or a sign in an odd place.

use utf8kit::{Encoding as _, Error, ErrorKind, Utf8};
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::display::Hex;

use crate::detect::posterior::Prose;
use crate::detect::sequences::Shapes;

/// How many sequences it takes to read what stands before them as the end of another one.
const MIN_SEQUENCES: u64 = 4;

/// Returns the evidence that bytes with this first error are UTF-8 that was cut. `whole` means that they are all of an
/// input.
pub(super) fn find(bytes: &[u8], whole: bool, error: Option<Error>) -> Option<String> {
    let (first, text) = bytes.split_at(if whole { cut_start(bytes) } else { 0 });
    let error = if first.is_empty() { error } else { Utf8.errors(text).next() };
    let is_end = |error: &Error| error.kind == ErrorKind::Truncated && error.range().end == text.len();
    let last = match error {
        Some(error) if is_end(&error) => text.get(error.range())?,
        Some(_) => return None,
        None => &[],
    };
    let before = text.strip_suffix(last)?;
    if matches!(last, [lead] if *lead > 0xC3 && !before.contains(lead)) {
        return None; // the last letter of a word, perhaps
    }
    let places = match (first, last) {
        ([], []) => return None,
        ([], last) => format!("its end cuts off a sequence ({})", Hex(last)),
        (first, []) => format!("its start cuts off a sequence ({})", Hex(first)),
        (first, last) => format!("its ends cut off sequences ({}, {})", Hex(first), Hex(last)),
    };
    Some(format!("well-formed UTF-8, but {places}"))
}

/// Returns the length of what is left of a sequence that the start cuts off: a few continuation bytes before text in
/// UTF-8. A single one ends another character of the text as well, and is rather no letter or sign in its place; or
/// that character is elsewhere before the same ones.
fn cut_start(bytes: &[u8]) -> usize {
    let len = bytes.iter().take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    let (tail, text) = bytes.split_at(len);
    let is_cut = match tail {
        [byte] => {
            let utf8 = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let next: String = utf8.chars().take(SAME_CHARACTERS).collect();
            let ends_in = |c: &char| c.encode_utf8(&mut [0; 4]).as_bytes().last() == Some(byte);
            let mut ends = utf8.char_indices().filter(|(_, c)| ends_in(c)).peekable();
            let recurs = |(at, c): (usize, char)| utf8[at + c.len_utf8()..].starts_with(&next);
            ends.peek().is_some() && (!begins_text(tail, utf8) || ends.any(recurs))
        }
        // Of four bytes, almost no text has other characters than emoji.
        [_, _] | [0x9F, _, _] => true,
        _ => false,
    };
    if is_cut && Shapes::of(text).good >= MIN_SEQUENCES { len } else { 0 }
}

/// How many characters after one are the same where it is the same word.
const SAME_CHARACTERS: usize = 2;

/// The most characters of a text after its first byte that tell whether that is one of them.
const MAX_CHARACTERS_READ: usize = 64;

/// The logarithm of the probability that a text begins within a character that it has elsewhere, in nats.
const NATS_OF_CUT: f32 = -8.5;

/// Reports whether a byte at the start of a text is rather a letter or a sign in the Western encoding than what the
/// start cuts off.
fn begins_text(byte: &[u8], text: &str) -> bool {
    let prose = Prose::beside(text);
    let start: String = text.chars().take(MAX_CHARACTERS_READ).collect();
    let whole = WESTERN.text_of(byte).map(|first| first + &start);
    whole.is_none_or(|whole| prose.nats(&whole) > prose.nats(&start) + NATS_OF_CUT)
}
