//! What programs write for single characters, and the question marks that people type.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use utf8kit_encodings::charset::Codec;

use crate::compare::candidates::usual;
use crate::compare::encodings::text_of;
use crate::compare::limits::MAX_BYTES_OF_WORD;

/// Reports whether a character is part of the one before it, or joins it with the next one.
pub(super) fn joins(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{200C}' | '\u{200D}')
}

/// Reports whether a character is a letter of an alphabet in which spaces divide words.
pub(super) fn is_spaced(c: char) -> bool {
    c.is_alphabetic() && matches!(c, ..'\u{E00}' | '\u{1E00}'..'\u{2000}' | '\u{AC00}'..='\u{D7A3}')
}

/// Reports whether the word that a place is in has no sign of a path, a URL or a pattern, in which people type question
/// marks before letters: `r?sum?.txt`, `/?a=1`. Those that end sentences may be after it, or the escape of a line end.
pub(super) fn is_prose(new: &[u8], place: &Range<usize>) -> bool {
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || b"\"<>".contains(byte);
    let near = place.start.saturating_sub(MAX_BYTES_OF_WORD)..new.len().min(place.end + MAX_BYTES_OF_WORD);
    let [before, after] =
        [near.start..place.start, place.end..near.end].map(|range| new.get(range).unwrap_or_default());
    let before = before.rsplit(is_edge).next().unwrap_or_default();
    let after = after.split(is_edge).next().unwrap_or_default();
    let after = after.strip_suffix(b"\\n").unwrap_or(after);
    let ends = |byte: &u8| b"\0!\"'),.:;?".contains(byte);
    let len = after.iter().rposition(|byte| !ends(byte)).map_or(0, |last| last + 1);
    let is_sign = |byte: &u8| b"#$%&*+./:=@[\\]^_`{|}~".contains(byte);
    before.len() + len <= MAX_BYTES_OF_WORD && !before.iter().chain(after.iter().take(len)).any(is_sign)
}

/// Reports whether bytes are, in some encoding, the text that replaced them.
pub(super) fn is_decoding_of(old: Option<&[u8]>, text: &str) -> bool {
    let reads = |other: Codec| old.and_then(|old| text_of(other, old)).is_some_and(|old| old == text);
    !text.contains(|c: char| c.is_ascii()) && usual().any(reads)
}

/// Reports whether new bytes are old ones that were read as Latin-1 and written as UTF-8 more than once.
pub(super) fn is_read_as_latin1(new: &[u8], old: &[u8]) -> bool {
    /// The most rounds that are tried.
    const MAX_ROUNDS: usize = 3;
    let once = |bytes: &[u8]| -> Option<Vec<u8>> {
        let text = std::str::from_utf8(bytes).ok()?;
        text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
    };
    let before = std::iter::successors(once(new), |bytes| once(bytes)).take(MAX_ROUNDS);
    before.skip(1).any(|bytes| bytes == old)
}

/// Returns character references to a text.
pub(super) fn references_to(text: &str) -> String {
    text.chars().map(|c| format!("&#{};", u32::from(c))).collect()
}

/// Returns U+FFFD or a question mark, if all of some bytes is that, as many times as the text of that many bytes that
/// they replaced counts in some way.
pub(super) fn sign_of(codec: Codec, old: &str, len: usize, new: &[u8]) -> Option<char> {
    let counts = [old.chars().count(), old.encode_utf16().count(), old.len(), len];
    let is_all = |text: &str, sign: char| text.chars().all(|c| c == sign) && counts.contains(&text.chars().count());
    let shown = text_of(codec, new);
    let texts = || [shown.as_deref(), std::str::from_utf8(new).ok()].into_iter().flatten();
    let is_all = |sign: &char| !new.is_empty() && texts().any(|text| is_all(text, *sign));
    [char::REPLACEMENT_CHARACTER, '?'].into_iter().find(is_all)
}

/// Reports whether a text is question marks, of any script, non-ASCII.
pub(super) fn is_question(text: &str) -> bool {
    let is_mark = |c: char| {
        const MARKS: &str = "¿\u{37E}՞؟፧᥅‽⸘⸮꘏꛷❓❔";
        !c.is_ascii() && (MARKS.contains(c) || c.nfkd().any(|c| c == '?'))
    };
    !text.is_empty() && text.chars().all(is_mark)
}
