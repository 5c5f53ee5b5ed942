//! Detects UTF-8 that begins or ends within a sequence, as after `split`, `head` or `tail`. In another encoding, the
//! bytes of that sequence would be a letter or a sign in an odd place.

use utf8kit::{Encoding as _, Error, ErrorKind, Utf8};
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::display::Hex;

use crate::detect::posterior::Prose;
use crate::detect::sequences::Shapes;

/// The number of sequences that must follow continuation bytes at the start, for these to be the end of another one.
const MIN_SEQUENCES_AFTER_CUT: u64 = 4;

/// Returns the evidence that bytes with this first error are UTF-8 that was cut. `whole` means that the bytes are the
/// whole input.
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

/// Returns the length of the remains of a sequence cut off at the start: a few continuation bytes before UTF-8 text. A
/// single one must end another character of the text and be an unlikely letter or sign here, or that character must
/// recur before the same text.
fn cut_start(bytes: &[u8]) -> usize {
    let len = bytes.iter().take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    let (tail, text) = bytes.split_at(len);
    let is_cut = match tail {
        [byte] => {
            let utf8 = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let next: String = utf8.chars().take(MIN_MATCHING_CHARACTERS).collect();
            let ends_in = |c: &char| c.encode_utf8(&mut [0; 4]).as_bytes().last() == Some(byte);
            let mut ends = utf8.char_indices().filter(|(_, c)| ends_in(c)).peekable();
            let recurs = |(at, c): (usize, char)| utf8[at + c.len_utf8()..].starts_with(&next);
            ends.peek().is_some() && (!begins_text(tail, utf8) || ends.any(recurs))
        }
        // The only frequent characters of four bytes are emoji.
        [_, _] | [0x9F, _, _] => true,
        _ => false,
    };
    if is_cut && Shapes::of(text).good >= MIN_SEQUENCES_AFTER_CUT { len } else { 0 }
}

/// How many following characters must match for the same word.
const MIN_MATCHING_CHARACTERS: usize = 2;

/// The most characters of a text that are searched for the one to which its first byte may belong.
const MAX_CHARACTERS_SEARCHED: usize = 64;

/// The log-probability that a text begins within a character that recurs in it, in nats.
const NATS_OF_CUT_START: f32 = -8.5;

/// Reports whether a byte at the start of a text is more likely a letter or a sign in windows-1252 than the end of a
/// sequence.
fn begins_text(byte: &[u8], text: &str) -> bool {
    let prose = Prose::with_context(text);
    let start: String = text.chars().take(MAX_CHARACTERS_SEARCHED).collect();
    let whole = WESTERN.text_of(byte).map(|first| first + &start);
    whole.is_none_or(|whole| prose.nats(&whole) > prose.nats(&start) + NATS_OF_CUT_START)
}
