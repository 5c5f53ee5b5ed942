//! A stream as pieces of `str`.

use super::Converter;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::policy::Policy;
use alloc::string::String;

/// Text that arrives in arbitrary pieces: each push gives the `&str` that is certain so far.
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
    /// A stream that fails at the first error.
    #[inline]
    #[must_use]
    pub fn strict() -> Self {
        TextStream { converter: Converter::strict(Utf8, Utf8), text: String::new() }
    }

    /// A stream with U+FFFD in place of errors.
    #[inline]
    #[must_use]
    pub fn lossy() -> Self {
        TextStream { converter: Converter::lossy(Utf8, Utf8, Policy::REPLACE), text: String::new() }
    }

    /// Drops a byte order mark at the very start, as WHATWG decoders do: see [`Converter::skip_bom`].
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

    /// Takes a piece and returns the text that it completes.
    ///
    /// # Errors
    /// Strict streams: the first error. The text before it, in the same piece, is [`TextStream::text`].
    #[inline]
    pub fn push(&mut self, input: &[u8]) -> Result<&str, Error> {
        self.take(input, false)
    }

    /// Ends the stream and returns the text that is left.
    ///
    /// # Errors
    /// Strict streams: what was pending is an error now.
    #[inline]
    pub fn finish(&mut self) -> Result<&str, Error> {
        self.take(&[], true)
    }

    /// What the last call returned, or would have returned but for its error.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that wait for more (at most three).
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
