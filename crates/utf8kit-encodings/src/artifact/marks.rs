//! Byte order marks within a text, which result from joining files.

use super::change::Change;
use utf8kit::{AnyEncoding, Encoding as _, Piece};

const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// Removes all marks, and returns how many bytes are processed.
pub(super) fn scan(bytes: &[u8], piece: Piece, out: &mut Vec<u8>, change: Change<'_>) -> usize {
    let mut at = 0;
    for start in memchr::memmem::find_iter(bytes, MARK) {
        out.extend_from_slice(bytes.get(at..start).unwrap_or_default());
        change(start, MARK, &[]);
        at = start + MARK.len();
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let begun =
        (1..MARK.len()).rev().find(|len| rest.ends_with(&MARK[..*len])).filter(|_| !piece.is_last()).unwrap_or(0);
    out.extend_from_slice(rest.get(..rest.len() - begun).unwrap_or_default());
    bytes.len() - begun
}

/// Reports whether a text has a mark that is not at its start.
pub(super) fn are_within(text: &[u8]) -> bool {
    memchr::memmem::rfind(text, MARK).is_some_and(|at| at > 0)
}

/// Reports whether files were joined in a text in UTF-16 or UTF-32: a mark begins a later line.
///
/// ```
/// use utf8kit::AnyEncoding;
/// use utf8kit_encodings::artifact::are_joined;
///
/// assert!(are_joined(AnyEncoding::Utf16Le, b"\xFF\xFEa\0\n\0\xFF\xFEb\0"));
/// assert!(!are_joined(AnyEncoding::Utf16Le, b"\xFF\xFEa\0\n\0b\0"));
/// ```
pub fn are_joined(encoding: AnyEncoding, text: &[u8]) -> bool {
    let units = |c| encoding.encoded(u32::from(c)).map_or(Vec::new(), |bytes| bytes.to_vec());
    let joint = [units('\n'), units('\u{FEFF}')].concat();
    memchr::memmem::find_iter(text, &joint).any(|at| at.is_multiple_of(encoding.unit()))
}
