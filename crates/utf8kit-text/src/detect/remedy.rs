//! What is advised for an input that is not plain UTF-8.

use crate::charset::{Charset, Fallback};

/// What makes an input UTF-8 without losing any of its text.
///
/// ```
/// use utf8kit_text::detect::{Remedy, detect};
///
/// let text = "Grüße aus Köln, bis bald";
/// let guess = detect(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
/// let from = "utf-16le".parse().unwrap();
/// assert_eq!(guess.remedy, Some(Remedy::Convert { from, strip_bom: false }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Convert all of it.
    Convert {
        /// The encoding to convert it from.
        from: Charset,
        /// Whether it begins with a byte order mark, to be removed.
        strip_bom: bool,
    },
    /// Replace the errors.
    ReplaceErrors,
    /// Decode lines that were encoded twice.
    Undouble,
    /// Decode each run of errors from another encoding.
    Fallback(Fallback),
    /// Decode each line with an error from another encoding.
    FallbackLines(Fallback),
}
