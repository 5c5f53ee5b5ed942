//! Characters whose bytes were separated.
//!
//! ```text
//! C3 | 0D 0A 20 | AA     a line was folded by bytes: iCalendar, vCard, LDIF, `fold -w`
//! ED A0 BD ED B8 80      a surrogate pair, each in three bytes: CESU-8, as Oracle writes it
//! ```
//!
//! If the bytes on both sides of an insertion form exactly one character, they are joined, and the insertion moves to
//! after the character. In a calendar, a card or LDIF, a fold is not part of the text (RFC 5545, 6350, 2849), so it is
//! removed.

use super::change::Change;
use utf8kit::Piece;

/// The texts that programs insert between bytes, longest first.
const INSERTIONS: [&[u8]; 10] = [b"=\r\n", b"\r\n ", b"\r\n\t", b"=\n", b"\r\n", b"\n ", b"\n\t", b"\n", b"\0", b" "];

/// The insertions that also occur between letters of other encodings.
const WEAK: [&[u8]; 3] = [b"\r\n", b"\n", b" "];

/// The most bytes from the first byte of a character to its end.
const MAX_CHARACTER_SPAN: usize = 16;

/// The longest size of a chunk of HTTP, in digits.
const CHUNK_DIGITS: usize = 8;

/// The beginnings of files with folded lines, and the folds.
const FOLDED: [&[u8]; 4] = [b"BEGIN:VCALENDAR", b"BEGIN:VCARD", b"dn:", b"version: 1"];
const FOLDS: [&[u8]; 4] = [b"\r\n ", b"\r\n\t", b"\n ", b"\n\t"];

/// The byte before the current ones, if any, and whether lines are folded, once known.
#[derive(Debug, Default)]
pub(super) struct Before {
    byte: Option<u8>,
    is_folded: Option<bool>,
}

/// Joins separated characters, and returns how many bytes are processed.
pub(super) fn scan(bytes: &[u8], piece: Piece, before: &mut Before, out: &mut Vec<u8>, change: Change<'_>) -> usize {
    let is_folded = match before.is_folded {
        Some(is_folded) => is_folded,
        None if !piece.is_last() && bytes.len() < MAX_CHARACTER_SPAN => return 0,
        None => *before.is_folded.insert(FOLDED.iter().any(|begin| bytes.starts_with(begin))),
    };
    let (mut at, mut copied) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte >= 0xC2)) {
        at += next;
        let rest = bytes.get(at..).unwrap_or_default();
        if !piece.is_last() && rest.len() < MAX_CHARACTER_SPAN + CHUNK_DIGITS {
            break;
        }
        let previous = at.checked_sub(1).map_or(before.byte, |index| bytes.get(index).copied());
        match joined(rest, previous) {
            Some((len, mut text)) => {
                if is_folded && let Some(fold) = FOLDS.iter().find(|fold| text.ends_with(fold)) {
                    text.truncate(text.len() - fold.len());
                }
                out.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
                out.extend_from_slice(&text);
                change(at, rest.get(..len).unwrap_or_default(), &text);
                at += len;
                copied = at;
            }
            None => at += 1,
        }
    }
    let end = if bytes.get(at..).is_some_and(|rest| rest.iter().any(|byte| *byte >= 0xC2)) { at } else { bytes.len() };
    out.extend_from_slice(bytes.get(copied..end).unwrap_or_default());
    if let Some(byte) = end.checked_sub(1).and_then(|index| bytes.get(index)) {
        before.byte = Some(*byte);
    }
    end
}

/// Returns the length of a character whose bytes are separated, and its replacement.
fn joined(rest: &[u8], before: Option<u8>) -> Option<(usize, Vec<u8>)> {
    pair(rest).map(|text| (6, text)).or_else(|| around(rest, before))
}

/// Returns the character of a surrogate pair.
fn pair(rest: &[u8]) -> Option<Vec<u8>> {
    let &[0xED, high @ 0xA0..=0xAF, high_low @ 0x80..=0xBF, 0xED, low @ 0xB0..=0xBF, low_low @ 0x80..=0xBF, ..] = rest
    else {
        return None;
    };
    let bits = |middle: u8, end: u8| u32::from(middle & 0x0F) << 6 | u32::from(end & 0x3F);
    let value = 0x10000 + (bits(high, high_low) << 10) + (bits(low, low_low) & 0x3FF);
    Some(char::from_u32(value)?.to_string().into_bytes())
}

/// Returns a character whose bytes surround an insertion: its length, and the character followed by the insertion.
fn around(rest: &[u8], before: Option<u8>) -> Option<(usize, Vec<u8>)> {
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xBF);
    let len = match rest.first()? {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let first = 1 + rest.get(1..len)?.iter().take_while(|byte| is_continuation(byte)).count();
    let behind = rest.get(first..).filter(|_| first < len)?;
    let inserted = insertion(behind)?;
    let second = behind.get(inserted.len()..inserted.len() + len - first)?;
    let after = behind.get(inserted.len() + second.len());
    if after.is_some_and(is_continuation) {
        return None;
    }
    let mut text = [rest.get(..first)?, second].concat();
    let character = std::str::from_utf8(&text).ok()?.chars().next()?;
    if len == 2 && WEAK.contains(&inserted) && !fits_between(character, before, after.copied()) {
        return None;
    }
    text.extend_from_slice(inserted);
    Some((text.len(), text))
}

/// Returns the insertion at the start of the bytes, which follow the first part of a character.
fn insertion(behind: &[u8]) -> Option<&[u8]> {
    let chunk = || {
        let digits =
            behind.strip_prefix(b"\r\n")?.iter().take(CHUNK_DIGITS).take_while(|byte| byte.is_ascii_hexdigit());
        let end = 2 + digits.count();
        (end > 2 && behind.get(end..end + 2)? == b"\r\n").then(|| behind.get(..end + 2))?
    };
    let run_of_nuls =
        || behind.get(..behind.iter().take_while(|byte| **byte == 0).count()).filter(|run| !run.is_empty());
    let listed = || INSERTIONS.into_iter().find(|known| behind.starts_with(known)).map(|known| &behind[..known.len()]);
    chunk().or_else(run_of_nuls).or_else(listed)
}

/// Reports whether a two-byte character fits between its neighbours, which might instead be text in another encoding.
/// For example, `CAFÉ »` in Latin-1 contains the bytes of a UTF-8 character around a space.
fn fits_between(character: char, before: Option<u8>, after: Option<u8>) -> bool {
    let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte >= 0x80);
    let is_upper = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_uppercase());
    let is_usual = matches!(character, '\u{A0}'..'\u{250}' | '\u{370}'..);
    is_usual
        && (is_word(before) || is_word(after))
        && !is_upper(before)
        && !(character.is_lowercase() && is_upper(after))
}
