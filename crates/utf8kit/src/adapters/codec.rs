//! `tokio-util`: text over asynchronous streams.

use std::io;
use std::string::String;

use ::bytes::{BufMut, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

use crate::encoding::Utf8;
use crate::operations::Encoding;
use crate::operations::convert_lossy;
use crate::policy::Policy;
use crate::stream::Converter;

/// A codec of `tokio-util` between text and an encoding, for `FramedRead`, `FramedWrite` and `Framed`: input is decoded
/// to strings as soon as no further input can change them, and strings are written in the encoding.
///
/// ```
/// use bytes::BytesMut;
/// use tokio_util::codec::{Decoder, Encoder};
/// use utf8kit::{Utf16Le, adapters::TextCodec};
/// let mut codec = TextCodec::lossy(Utf16Le);
/// let mut wire = BytesMut::from(&b"h\0i\0\x3D"[..]);
/// assert_eq!(codec.decode(&mut wire)?, Some("hi".into()));
/// assert_eq!(codec.decode(&mut wire)?, None);
/// wire.extend_from_slice(b"\xD8");
/// assert_eq!(codec.decode_eof(&mut wire)?, Some("\u{FFFD}".into()));
///
/// codec.encode("é", &mut wire)?;
/// assert_eq!(wire, &b"\xE9\0"[..]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextCodec<'p, E> {
    encoding: E,
    converter: Converter<'p, E, Utf8>,
}

impl<E: Encoding<Unit = u8>> TextCodec<'static, E> {
    /// Creates a codec that fails at the first error, with [`io::ErrorKind::InvalidData`] and the [`crate::Error`]
    /// inside.
    pub fn strict(encoding: E) -> Self {
        TextCodec { encoding, converter: Converter::strict(encoding, Utf8) }
    }

    /// Creates a codec that replaces each error with U+FFFD.
    pub fn lossy(encoding: E) -> Self {
        TextCodec { encoding, converter: Converter::lossy(encoding, Utf8, Policy::REPLACE) }
    }
}

impl<'p, E: Encoding<Unit = u8>> TextCodec<'p, E> {
    /// Creates a codec that handles errors by a policy.
    pub fn with_policy(encoding: E, policy: Policy<'p>) -> Self {
        TextCodec { encoding, converter: Converter::lossy(encoding, Utf8, policy) }
    }
}

/// Returns the text, unless it is empty.
fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn invalid_data(error: crate::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl<E: Encoding<Unit = u8>> Decoder for TextCodec<'_, E> {
    type Item = String;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<String>> {
        let mut text = String::new();
        let result = self.converter.push_text(&source.split(), &mut text);
        // Text before an error is returned first. The error is kept for the next call.
        match result {
            Err(error) if text.is_empty() => Err(invalid_data(error)),
            _ => Ok(some(text)),
        }
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<String>> {
        if let Some(text) = self.decode(source)? {
            return Ok(Some(text));
        }
        let mut text = String::new();
        self.converter.finish_text(&mut text).map_err(invalid_data)?;
        Ok(some(text))
    }
}

impl<E: Encoding<Unit = u8>, T: AsRef<str>> Encoder<T> for TextCodec<'_, E> {
    type Error = io::Error;

    /// Writes text. Characters that the encoding cannot represent become U+FFFD, or `?` if it cannot represent that
    /// either.
    fn encode(&mut self, text: T, wire: &mut BytesMut) -> io::Result<()> {
        wire.put_slice(&convert_lossy(Utf8, self.encoding, text.as_ref().as_bytes(), Policy::REPLACE));
        Ok(())
    }
}
