//! Byte order marks at the start of a stream.

use super::Converter;
use crate::bom::{Bom, EncodingLabel, after_bom};
use crate::convert::engine::Engine;
use crate::encoding::AnyEncoding;
use crate::operations::Encoding;

impl<S: Encoding, T: Encoding> Converter<'_, S, T> {
    /// Skips U+FEFF, the byte order mark, at the very start of the stream. Elsewhere it is an ordinary character.
    ///
    /// ```
    /// use utf8kit::{Converter, Utf8};
    /// let mut out = Vec::new();
    /// let mut converter = Converter::strict(Utf8, Utf8).skip_bom();
    /// converter.push(b"\xEF\xBB", &mut out)?;
    /// converter.push(b"\xBFa\xEF\xBB\xBF", &mut out)?;
    /// converter.finish(&mut out)?;
    /// assert_eq!(out, "a\u{FEFF}".as_bytes());
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    #[doc(alias = "new_decoder_with_bom_removal")]
    #[must_use]
    pub fn skip_bom(mut self) -> Self {
        self.opening = Some(|engine, front, last| {
            after_bom(&[engine.encodings().0], front, last).map(|found| found.map_or(0, |bom| bom.len))
        });
        self
    }
}

impl<T: Encoding> Converter<'_, AnyEncoding, T> {
    /// Determines the encoding by a byte order mark at the start of the stream, and skips the mark: UTF-8, UTF-16 or
    /// UTF-32 in either order. Without a mark, the encoding is the one given to the constructor.
    ///
    /// ```
    /// use utf8kit::{AnyEncoding, Converter, Utf8};
    /// let mut out = Vec::new();
    /// let mut converter = Converter::strict(AnyEncoding::Utf8, Utf8).sniff_bom();
    /// converter.push(b"\xFF\xFEa\0", &mut out)?;
    /// converter.finish(&mut out)?;
    /// assert_eq!((converter.source(), out), (AnyEncoding::Utf16Le, b"a".to_vec()));
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    #[doc(alias = "new_decoder")]
    #[doc(alias = "for_bom")]
    #[must_use]
    pub fn sniff_bom(mut self) -> Self {
        self.opening =
            Some(|engine, front, last| after_bom(crate::bom::MARKED, front, last).map(|found| begins(engine, found)));
        self
    }

    /// Determines the encoding by a label. For `utf-16`, `utf-32` and `wtf-16`, a byte order mark determines the byte
    /// order and is skipped. Without one, it is little-endian.
    ///
    /// ```
    /// use utf8kit::{AnyEncoding, Converter, EncodingLabel, Utf8};
    /// let label: EncodingLabel = "utf-16".parse()?;
    /// let mut out = Vec::new();
    /// let mut converter = Converter::strict(AnyEncoding::Utf8, Utf8).labelled(label);
    /// converter.push(b"\xFE\xFF\0a", &mut out).unwrap();
    /// assert_eq!((converter.source(), out), (AnyEncoding::Utf16Be, b"a".to_vec()));
    /// # Ok::<(), utf8kit::UnknownEncoding>(())
    /// ```
    #[must_use]
    pub fn labelled(mut self, label: EncodingLabel) -> Self {
        self.engine.set_source(label.default_encoding());
        self.opening = match label {
            EncodingLabel::Exact(_) => None,
            EncodingLabel::Utf16 => Some(|engine, front, last| {
                after_bom(EncodingLabel::Utf16.marked(), front, last).map(|found| begins(engine, found))
            }),
            EncodingLabel::Utf32 => Some(|engine, front, last| {
                after_bom(EncodingLabel::Utf32.marked(), front, last).map(|found| begins(engine, found))
            }),
            EncodingLabel::Wtf16 => Some(|engine, front, last| {
                after_bom(EncodingLabel::Wtf16.marked(), front, last).map(|found| begins(engine, found))
            }),
        };
        self
    }
}

/// Switches to the encoding of the mark that was found, and returns the length of the mark.
#[inline]
fn begins(engine: &mut Engine<'_>, found: Option<Bom>) -> usize {
    found.map_or(0, |bom| {
        engine.set_source(bom.encoding);
        bom.len
    })
}
