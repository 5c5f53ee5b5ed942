//! UTF-8 that was read in another encoding, recognized without an old version.

use utf8kit_encodings::charset::{Charset, Codec};

/// The double-byte encodings that UTF-8 is mistaken for.
const TWO_BYTES: [&str; 5] = ["gb18030", "shift_jis", "euc-kr", "euc-jp", "big5"];

/// Encodes the non-ASCII characters of a text and decodes the result as UTF-8, if that is valid.
pub(super) fn undo_misdecoding(codec: Codec, text: &str) -> Option<String> {
    let bytes: Option<Vec<Vec<u8>>> = text
        .chars()
        .map(|scalar| if scalar.is_ascii() { Some(vec![scalar as u8]) } else { codec.bytes_of(scalar) })
        .collect();
    String::from_utf8(bytes?.concat()).ok()
}

/// Reports whether a non-ASCII text is UTF-8 that was read in a double-byte encoding, and none of its characters is in
/// another text.
pub(super) fn is_misread(text: &str, other: &str) -> bool {
    let reads =
        |name: &str| name.parse::<Charset>().is_ok_and(|charset| undo_misdecoding(charset.writer(), text).is_some());
    let is_non_ascii = |c: &char| !c.is_ascii();
    text.chars().any(|c| is_non_ascii(&c))
        && TWO_BYTES.iter().any(|name| reads(name))
        && !text.chars().filter(is_non_ascii).any(|c| other.contains(c))
}
