//! Quoted-printable (RFC 2045): `=C3=BC` for the bytes of `ü`, and `=` at the end of a line that continues.
//!
//! The beginning of a text decides whether it is quoted: it must be ASCII, and each `=` must begin an escape or end a
//! line. Decoded text contains other bytes, so it is never decoded twice.

use super::change::Change;
use utf8kit::Piece;

/// The most bytes that decide whether a text is quoted.
const MAX_BYTES_EXAMINED: usize = 64 * 1024;

/// The longest escape: `=` and a line end.
const MAX_ESCAPE_BYTES: usize = 3;

/// Whether the text is quoted, once that is known.
#[derive(Debug, Default)]
pub(super) struct Quoted(Option<bool>);

/// Decodes escapes, and returns how many bytes are processed.
pub(super) fn scan(bytes: &[u8], piece: Piece, quoted: &mut Quoted, out: &mut Vec<u8>, change: Change<'_>) -> usize {
    let (is_quoted, mut at) = match quoted.0 {
        Some(is_quoted) => (is_quoted, 0),
        None if !piece.is_last() && bytes.len() < MAX_BYTES_EXAMINED => return 0,
        None => {
            let headers = headers(bytes);
            (bytes.get(headers..).is_some_and(is_quoted_text), headers)
        }
    };
    quoted.0 = Some(is_quoted);
    if !is_quoted {
        out.extend_from_slice(bytes);
        return bytes.len();
    }
    let mut copied = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(b'=', rest)) {
        at += next;
        let rest = bytes.get(at..).unwrap_or_default();
        if !piece.is_last() && rest.len() < MAX_ESCAPE_BYTES {
            break;
        }
        let Some((len, byte)) = escape(rest) else {
            at += 1;
            continue;
        };
        out.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
        let decoded = byte.as_slice();
        out.extend_from_slice(decoded);
        change(at, rest.get(..len).unwrap_or_default(), decoded);
        at += len;
        copied = at;
    }
    let is_open = bytes.get(at).is_some_and(|byte| *byte == b'=') && !piece.is_last();
    let end = if is_open { at } else { bytes.len() };
    out.extend_from_slice(bytes.get(copied..end).unwrap_or_default());
    end
}

/// Returns the length of an escape at the start, and its byte, or `None` for the end of a line that continues.
fn escape(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    match rest {
        [b'=', b'\r', b'\n', ..] => Some((3, None)),
        [b'=', b'\n', ..] => Some((2, None)),
        [b'=', high, low, ..] => {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            Some((3, Some((digit(*high)? << 4 | digit(*low)?) as u8)))
        }
        _ => None,
    }
}

/// Returns the length of the headers of a quoted mail, or 0 if it has none.
fn headers(text: &[u8]) -> usize {
    let blank = |end: &[u8]| memchr::memmem::find(text, end).map(|at| at + end.len());
    let Some(len) = blank(b"\r\n\r\n").or_else(|| blank(b"\n\n")) else { return 0 };
    let headers = text.get(..len).unwrap_or_default().to_ascii_lowercase();
    let says_so = b"content-transfer-encoding: quoted-printable";
    if memchr::memmem::find(&headers, says_so).is_some() { len } else { 0 }
}

/// Reports whether a text, which may be cut off, is quoted and has escapes of non-ASCII bytes.
fn is_quoted_text(text: &[u8]) -> bool {
    let mut beyond = false;
    for at in memchr::memchr_iter(b'=', text) {
        let rest = text.get(at..).unwrap_or_default();
        match escape(rest) {
            Some((_, byte)) => beyond |= byte.is_some_and(|byte| byte >= 0x80),
            None if rest.len() < MAX_ESCAPE_BYTES => {}
            None => return false,
        }
    }
    beyond && text.is_ascii()
}

/// Decodes a text in quoted-printable. `None` if it is not quoted.
///
/// ```
/// use utf8kit_encodings::artifact::unquoted;
///
/// assert_eq!(unquoted(b"Gr=C3=BC=C3=9Fe, 1 =3D 1").as_deref(), Some("Grüße, 1 = 1".as_bytes()));
/// assert_eq!(unquoted(b"a = b, =C3=BC"), None);
/// ```
pub fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut places = 0;
    scan(text, Piece::Last, &mut Quoted::default(), &mut out, &mut |_, _, _| places += 1);
    (places > 0).then_some(out)
}
