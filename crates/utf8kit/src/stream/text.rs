//! Streams of text as pieces of `str`.

use super::Converter;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::policy::Policy;
use alloc::string::String;

/// Text that arrives in arbitrary pieces. Each push returns the `&str` that no further input can change.
///
/// ```
/// use utf8kit::TextStream;
/// let mut text = TextStream::lossy();
/// assert_eq!(text.push(b"caf\xC3")?, "caf");
/// assert_eq!(text.pending(), b"\xC3");
/// assert_eq!(text.push(b"\xA9!\xF0")?, "é!");
/// assert_eq!(text.finish()?, "\u{FFFD}");
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[doc(alias = "TextDecoder")]
#[derive(Clone, Debug)]
pub struct TextStream {
    converter: Converter<'static, Utf8, Utf8>,
    text: String,
}

impl TextStream {
    /// Creates a stream that fails at the first error.
    #[inline]
    #[must_use]
    pub fn strict() -> Self {
        TextStream { converter: Converter::strict(Utf8, Utf8), text: String::new() }
    }

    /// Creates a stream that replaces errors with U+FFFD.
    #[inline]
    #[must_use]
    pub fn lossy() -> Self {
        TextStream { converter: Converter::lossy(Utf8, Utf8, Policy::REPLACE), text: String::new() }
    }

    /// Skips a byte order mark at the very start, as WHATWG decoders do: see [`Converter::skip_bom`].
    ///
    /// ```
    /// let mut text = utf8kit::TextStream::lossy().skip_bom();
    /// assert_eq!(text.push("\u{FEFF}a".as_bytes()), Ok("a"));
    /// ```
    #[inline]
    #[must_use]
    pub fn skip_bom(self) -> Self {
        TextStream { converter: self.converter.skip_bom(), ..self }
    }

    /// Adds a piece and returns the text that it completes.
    ///
    /// # Errors
    /// Strict streams: the first error. The text before it in the same piece is [`TextStream::text`].
    #[inline]
    pub fn push(&mut self, input: &[u8]) -> Result<&str, Error> {
        self.take(input, false)
    }

    /// Ends the stream and returns the remaining text.
    ///
    /// # Errors
    /// Strict streams: an error if bytes are pending.
    #[inline]
    pub fn finish(&mut self) -> Result<&str, Error> {
        self.take(&[], true)
    }

    /// Returns the text of the last call, including the text before an error.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the pending bytes, which need more input (at most three).
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.converter.pending()
    }

    #[inline]
    fn take(&mut self, input: &[u8], last: bool) -> Result<&str, Error> {
        self.text.clear();
        self.converter.take_text(input, last, &mut self.text)?;
        Ok(&self.text)
    }
}
