//! UTF-8 that begins or ends within a sequence, as what `split`, `head` and `tail` leave of a file does. In another
//! encoding, the bytes of that sequence would be a letter or a sign in an odd place.

use utf8kit::{Encoding as _, Error, ErrorKind, Utf8};
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::display::Hex;

use crate::detect::legacy::habits::is_in_place;
use crate::detect::sequences::Shapes;

/// How many sequences it takes to read what stands before them as the end of another one.
const ENOUGH: u64 = 4;

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
/// UTF-8. A single one ends another character of the text as well, and is not a letter or a sign in its place; or that
/// character is a letter of a script that is not Latin, before the same character.
fn cut_start(bytes: &[u8]) -> usize {
    let len = bytes.iter().take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    let (tail, text) = bytes.split_at(len);
    let is_cut = match tail {
        [byte] => {
            let utf8 = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let next = utf8.chars().next();
            let ends_in = |c: &char| c.encode_utf8(&mut [0; 4]).as_bytes().last() == Some(byte);
            let mut ends = utf8.chars().zip(utf8.chars().skip(1)).filter(|(c, _)| ends_in(c)).peekable();
            ends.peek().is_some() && !begins_text(tail, next)
                || ends.any(|(c, after)| c >= 'Ͱ' && c.is_alphabetic() && Some(after) == next)
        }
        // Of four bytes, almost no text has other characters than emoji.
        [_, _] | [0x9F, _, _] => true,
        _ => false,
    };
    if is_cut && Shapes::of(text).good >= ENOUGH { len } else { 0 }
}

/// Reports whether a byte at the start of a text may be a letter or a sign in its place, in the Western encoding.
fn begins_text(byte: &[u8], next: Option<char>) -> bool {
    let is_word = |c: char| c.is_alphabetic() && next.is_some_and(char::is_alphabetic);
    let fits = |c: char| is_word(c) || is_in_place(None, c, next);
    WESTERN.text_of(byte).is_none_or(|read| read.chars().all(fits))
}
