//! What the first bytes of a file tell: byte order marks, UTF-16 and UTF-32, binary data.

use utf8kit::{AnyEncoding, ENCODE_BUFFER, Encoding, items};

/// How much of a file is looked at.
pub(crate) const HEAD: usize = 8 * 1024;

/// The byte order mark, U+FEFF, as the encoding writes it; `None` where it cannot.
pub(crate) fn bom(encoding: AnyEncoding) -> Option<Vec<u8>> {
    let mut bytes = [0; ENCODE_BUFFER];
    let len = encoding.encode(0xFEFF, &mut bytes).ok()?;
    Some(bytes[..len].to_vec())
}

/// Whether `head` begins with the encoding's byte order mark.
pub(crate) fn has_bom(encoding: AnyEncoding, head: &[u8]) -> bool {
    bom(encoding).is_some_and(|bom| head.starts_with(&bom))
}

/// Whether a file that begins with `head` is binary: it holds a NUL that is not part of UTF-16 or UTF-32.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    head.contains(&0) && wide(head).is_none()
}

/// UTF-16 or UTF-32, by the byte order mark or by where the NULs are.
pub(crate) fn wide(head: &[u8]) -> Option<AnyEncoding> {
    // UTF-32 first: in little-endian order its mark begins with that of UTF-16.
    const WIDE: [AnyEncoding; 4] =
        [AnyEncoding::Utf32Le, AnyEncoding::Utf32Be, AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];
    let by_mark = WIDE.into_iter().find(|&encoding| has_bom(encoding, head));
    by_mark.or_else(|| WIDE.into_iter().find(|&encoding| reads_as(encoding, head)))
}

/// Whether `head` makes sense in a wide encoding: every item is well formed and no control but white space, and
/// one in four at least is ASCII.
fn reads_as(encoding: AnyEncoding, head: &[u8]) -> bool {
    let (mut all, mut ascii) = (0, 0);
    for item in items(encoding, head) {
        match item.result.ok().and_then(char::from_u32) {
            Some(c) if c.is_control() && !c.is_whitespace() => return false,
            Some(c) => ascii += usize::from(c.is_ascii()),
            // The head may end within an item.
            None if item.offset + item.len == head.len() && head.len() == HEAD => {}
            None => return false,
        }
        all += 1;
    }
    ascii > 0 && ascii * 4 >= all
}
