//! Formats names and bytes safely for a terminal.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::path::Path;

/// A path with escapes for control and invisible characters, and for bytes that are not UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct Name<'p>(pub &'p Path);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_os_str().as_encoded_bytes().utf8_chunks() {
            for c in chunk.valid().chars() {
                if hides(c) { write!(f, "{}", c.escape_unicode())? } else { f.write_char(c)? }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// A path as an argument that can be copied into a shell: quoted if necessary, and never read as an option.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'p>(pub &'p Path);

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.as_os_str().as_encoded_bytes();
        if bytes.len() > 1 && bytes.starts_with(b"-") {
            f.write_str("./")?;
        }
        let harmless = |text: &&str| !text.contains(hides);
        let Some(text) = self.0.to_str().filter(harmless) else {
            f.write_str("$'")?;
            for &byte in bytes {
                match byte {
                    b'\'' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                    b' '..=b'~' => f.write_char(char::from(byte))?,
                    _ => write!(f, "\\x{byte:02X}")?,
                }
            }
            return f.write_char('\'');
        };
        let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
        if !text.is_empty() && text.chars().all(plain) {
            return f.write_str(text);
        }
        write!(f, "'{}'", text.replace('\'', "'\\''"))
    }
}

/// Reports whether a character could control a terminal or mislead a reader: controls, line and paragraph separators,
/// and characters that change the direction of text.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Reports whether a name with the character could look like another name, because the character is harmful or
/// invisible. This includes joiners and variation selectors, which are legitimate in other text.
fn hides(c: char) -> bool {
    is_harmful(c) || is_invisible(c)
}

/// Reports whether a character is invisible: a `Default_Ignorable_Code_Point` (Unicode, DerivedCoreProperties.txt), an
/// interlinear annotation mark or a blank Braille pattern.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{115F}'..='\u{1160}'
        | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Bytes in hexadecimal: `E2 82 AC`.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'b>(pub &'b [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{byte:02X}")?;
        }
        Ok(())
    }
}

/// Formats a number and a noun, in the plural unless the number is 1: `1 error`, `2 errors`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Formats counts by the names that kinds have in JSON, in words: `2 overlong forms, 1 invalid byte`. Counts of zero
/// are left out.
///
/// ```
/// use utf8kit_encodings::display::kinds;
///
/// let words = kinds([("overlong", 2), ("truncated", 0), ("too_large", 1)]);
/// assert_eq!(words, "2 overlong forms, 1 value beyond U+10FFFF");
/// ```
pub fn kinds(counts: impl IntoIterator<Item = (&'static str, u64)>) -> String {
    let found = counts.into_iter().filter(|(_, count)| *count > 0);
    let words = found.map(|(kind, count)| match (NOUNS.iter().find(|(name, ..)| *name == kind), count) {
        (Some((_, one, _)), 1) => format!("1 {one}"),
        (Some((_, one, "")), _) => counted(count, one),
        (Some((_, _, many)), _) => format!("{count} {many}"),
        (None, _) => format!("{count} {}", kind.replace('_', " ")),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The singular and plural of kinds in words. An empty plural is the singular with an s. Other kinds keep their names.
const NOUNS: &[(&str, &str, &str)] = &[
    ("overlong", "overlong form", ""),
    ("surrogate", "surrogate", ""),
    ("too_large", "value beyond U+10FFFF", "values beyond U+10FFFF"),
    ("truncated", "truncated sequence", ""),
    ("unexpected_continuation", "unexpected continuation byte", ""),
    ("invalid_byte", "invalid byte", ""),
    ("malformed", "malformed character", ""),
    ("unrepresentable", "unencodable character", ""),
    ("bom", "byte order mark", ""),
    ("line_ends", "wrong line end", ""),
    ("declaration", "wrong declaration", ""),
    ("other_encoding", "in another encoding", "in another encoding"),
    ("unknown_encoding", "in an unknown encoding", "in an unknown encoding"),
    ("already_utf8", "in UTF-8 already", "in UTF-8 already"),
    ("already_converted", "converted already", "converted already"),
    ("legacy", "configured to be in another encoding", "configured to be in another encoding"),
    ("legacy_values", "with values in another encoding", "with values in another encoding"),
    ("partly_utf16", "partly in UTF-16", "partly in UTF-16"),
    ("format", "not text", "not text"),
    ("binary_values", "with binary values", "with binary values"),
    ("lengths", "with stored lengths", "with stored lengths"),
    ("hard_links", "with hard links", "with hard links"),
    ("backup_exists", "with a backup already", "with a backup already"),
    ("double_encoding", "place with mojibake", "places with mojibake"),
    ("nul", "NUL", ""),
    ("supplementary", "supplementary character", ""),
    ("control", "control character", ""),
    ("noncharacter", "noncharacter", ""),
    ("surrogate_escape", "surrogate escape", ""),
    ("nul_escape", "escaped NUL", ""),
    ("character_escape", "escape of a refused character", "escapes of refused characters"),
    ("invalid_escape", "invalid escape", ""),
    ("character_reference", "reference to no character", "references to no character"),
    ("byte_order_mark", "byte order mark", ""),
    ("file_name", "character refused in file names", "characters refused in file names"),
    ("device_name", "device name", ""),
    ("bidi_control", "bidirectional control", ""),
    ("hidden_text", "run of hidden text", "runs of hidden text"),
    ("invisible", "invisible character", ""),
    ("line_separator", "line separator", ""),
    ("replacement_character", "replacement character", ""),
    ("private_use", "private-use character", ""),
    ("unassigned", "unassigned code point", ""),
    ("not_identifier", "character refused in identifiers", "characters refused in identifiers"),
    ("mixed_scripts", "name in mixed scripts", "names in mixed scripts"),
    ("look_alike", "look-alike", ""),
    ("too_long", "value that is too long", "values that are too long"),
    ("not_utf8", "name that is not UTF-8", "names that are not UTF-8"),
    ("not_normalized", "name that is not normalized", "names that are not normalized"),
    ("collision", "collision", ""),
    ("case_collision", "collision without case", "collisions without case"),
    ("unmarked", "name without a mark of its encoding", "names without a mark of their encoding"),
    ("broken_quote", "broken quote", ""),
    ("row_too_long", "row that is too long", "rows that are too long"),
    ("row_end", "ambiguous end of a row", "ambiguous ends of rows"),
    ("end_marker", "end marker", ""),
    ("quote_byte", "quote within a character", "quotes within characters"),
    ("field_count", "wrong number of fields", "wrong numbers of fields"),
    ("inner_mark", "byte order mark within the text", "byte order marks within the text"),
    ("invalid_json", "invalid JSON value", ""),
];

/// Returns text with control and invisible characters escaped.
pub fn plain(text: &str) -> String {
    Name(Path::new(text)).to_string()
}

/// The maximum number of characters of a text that a message quotes.
const MAX_QUOTED_CHARACTERS: usize = 60;

/// Returns text for quoting in a message, with an ellipsis for the middle if it is long.
///
/// ```
/// use utf8kit_encodings::display::shortened;
///
/// assert_eq!(shortened("short"), "short");
/// let long = shortened(&"ab".repeat(99)).into_owned();
/// assert!(long.starts_with("abab") && long.ends_with("abab") && long.chars().count() == 60);
/// ```
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.chars().nth(MAX_QUOTED_CHARACTERS).is_none() {
        return Cow::Borrowed(text);
    }
    let head = MAX_QUOTED_CHARACTERS / 2;
    let tail = MAX_QUOTED_CHARACTERS - head - 1;
    let start = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let end = text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}\u{2026}{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        let cases = [
            ("a/b.txt", "a/b.txt"),
            ("-", "-"),
            ("-n", "./-n"),
            ("a b", "'a b'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
            ("\u{E9}", "\u{E9}"),
            ("a\u{200B}b", "$'a\\xE2\\x80\\x8Bb'"),
            ("a\nb\u{E9}'", "$'a\\x0Ab\\xC3\\xA9\\''"),
        ];
        for (path, want) in cases {
            assert_eq!(Argument(Path::new(path)).to_string(), want);
        }
    }
}
