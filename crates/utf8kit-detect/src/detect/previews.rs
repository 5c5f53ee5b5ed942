//! Previews of an input in several encodings.

use utf8kit::Encoding as _;
use utf8kit::Utf8;
use utf8kit_encodings::charset::Legacy;

use crate::detect::guess::Guess;

/// How many bytes of an input a preview decodes.
const MAX_BYTES_SHOWN: usize = 48;

impl Guess {
    /// Returns the first words of an input that are not UTF-8, decoded in the guessed encoding and in each other
    /// possible one. Empty if the input singles out one.
    ///
    /// ```
    /// use utf8kit_detect::detect;
    ///
    /// let bytes = b"one na\x8Bve try";
    /// let previews = detect(bytes).previews(bytes);
    /// assert_eq!(previews[0], ("x-mac-ce", "na\u{10D}ve try".to_owned()));
    /// assert_eq!(previews[2], ("CP850", "na\u{EF}ve try".to_owned()));
    /// ```
    pub fn previews(&self, bytes: &[u8]) -> Vec<(&'static str, String)> {
        if self.others.is_empty() {
            return Vec::new();
        }
        let Err(error) = Utf8.validate(bytes) else { return Vec::new() };
        let (before, rest) = bytes.split_at(error.range().start);
        let is_part = |byte: &&u8| byte.is_ascii_graphic();
        let start = before.len() - before.iter().rev().take(MAX_BYTES_SHOWN / 2).take_while(is_part).count();
        let line = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let end = (before.len() + line).min(start + MAX_BYTES_SHOWN);
        let words = bytes.get(start..end).unwrap_or_default();
        let likeliest = self.mixed.or(self.encoding);
        let read = |name: &'static str| {
            let legacy = Legacy::labelled(name)?;
            Some((name, whole_parts(words).find_map(|words| legacy.text_of(words))?))
        };
        likeliest.into_iter().chain(self.others.iter().copied()).filter_map(read).collect()
    }
}

/// Iterates over prefixes of bytes whose end may cut off a character: all bytes, then one byte less each time.
fn whole_parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..MAX_BYTES_OF_CHARACTER).filter_map(|less| bytes.get(..bytes.len().checked_sub(less)?))
}

/// The most bytes of a character in a legacy encoding.
const MAX_BYTES_OF_CHARACTER: usize = 4;
