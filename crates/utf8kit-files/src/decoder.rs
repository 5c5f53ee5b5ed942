//! A source that is decoded while it is read.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::{Conversion, Converter, Invalid, MAX_BOM_LEN};

use crate::{Source, Stream};

/// The number of bytes decoded at a time.
const BYTES_PER_PIECE: usize = 64 * 1024;

/// Statistics of the decoded text, counted while it is read.
#[derive(Clone, Debug, Default)]
pub struct Decoded(Arc<[AtomicU64; 2]>);

impl Decoded {
    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    /// Returns the number of places that are not text in the encoding. They read as U+FFFD.
    pub fn errors(&self) -> u64 {
        self.0[1].load(Ordering::Relaxed)
    }
}

impl Source {
    /// Returns the same source in UTF-8, decoded from another encoding while it is read.
    ///
    /// # Errors
    /// Any error from opening it.
    pub fn decoded(&self, from: Charset) -> io::Result<(Source, Decoded)> {
        let mut conversion = Conversion::new(from, Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8)));
        conversion.invalid = Invalid::REPLACE;
        let input = self.open()?;
        let (live, done) = (input.begin()?, Decoded::default());
        let reader = Decoding {
            input,
            conversion,
            converter: None,
            text: Vec::new(),
            at: 0,
            is_last: false,
            done: done.clone(),
        };
        Ok((self.once(Stream { reader: Box::new(reader), live }), done))
    }
}

/// A reader of UTF-8.
struct Decoding<R> {
    input: R,
    conversion: Conversion,
    /// The converter, once the first bytes are there.
    converter: Option<Converter>,
    /// Decoded text, and how much of it was passed on.
    text: Vec<u8>,
    at: usize,
    is_last: bool,
    done: Decoded,
}

impl<R: Read> Decoding<R> {
    /// Decodes the next piece.
    fn next(&mut self) -> io::Result<()> {
        let mut piece = vec![0; BYTES_PER_PIECE];
        let mut len = self.input.read(&mut piece)?;
        while len > 0 && len < MAX_BOM_LEN && self.converter.is_none() {
            match self.input.read(piece.get_mut(len..).unwrap_or_default())? {
                0 => break,
                more => len += more,
            }
        }
        self.is_last = len == 0;
        let piece = piece.get(..len).unwrap_or_default();
        let (mut skip, conversion) = (0, &self.conversion);
        let converter = self.converter.get_or_insert_with(|| {
            let plan = conversion.start(piece.get(..MAX_BOM_LEN).unwrap_or(piece));
            skip = plan.skip;
            Converter::new(&plan)
        });
        let mut counts = Counts::default();
        (self.at, self.text) = (0, Vec::new());
        let rest = piece.get(skip..).unwrap_or_default();
        // Only a strict conversion stops.
        converter.push(rest, self.is_last, &mut self.text, &mut counts).map_err(io::Error::other)?;
        self.done.0[0].fetch_add(len as u64, Ordering::Relaxed);
        self.done.0[1].fetch_add(counts.total(), Ordering::Relaxed);
        Ok(())
    }
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.is_last {
            match self.next() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => done?,
            }
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        self.at += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes = b"caf\xE9 \x80\n".repeat(40_000);
        std::fs::write(&path, &bytes).unwrap();
        let (source, done) = Source::file(&path).decoded("windows-1252".parse().unwrap()).unwrap();
        let mut text = String::new();
        source.open().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "caf\u{E9} \u{20AC}\n".repeat(40_000));
        assert_eq!((done.bytes(), done.errors()), (bytes.len() as u64, 0));
        std::fs::write(&path, b"a\x82").unwrap();
        let (source, done) = Source::file(&path).decoded("shift_jis".parse().unwrap()).unwrap();
        let mut text = String::new();
        source.open().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), done.errors()), ("a\u{FFFD}", 1));
    }
}
