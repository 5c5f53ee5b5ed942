//! Replaces `legacy/` if the feature `legacy` is off: there are no legacy encodings.

use super::{Malformed, Unmappable};

/// A legacy encoding. None exists without the feature `legacy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Legacy {}

impl Legacy {
    /// Returns the encoding for a label: `None`.
    pub fn labelled(_: &str) -> Option<Legacy> {
        None
    }

    /// Iterates over all encodings: none.
    pub fn all() -> impl Iterator<Item = Legacy> {
        std::iter::empty()
    }

    /// Returns the encodings of most legacy text: none.
    pub fn common() -> &'static [Legacy] {
        &[]
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {}
    }

    /// Reports whether the size of a text is the sum of its characters' sizes.
    pub fn is_sized(self) -> bool {
        match self {}
    }

    /// Reports whether each byte is a character.
    pub fn is_single_byte(self) -> bool {
        match self {}
    }

    /// Reports whether it is an EBCDIC code page.
    pub fn is_ebcdic(self) -> bool {
        match self {}
    }

    /// Reports whether the bytes of a character do not depend on its context.
    pub fn is_stateless(self) -> bool {
        match self {}
    }

    /// Returns the bytes of a character.
    pub fn bytes_of(self, _: char) -> Option<Vec<u8>> {
        match self {}
    }

    /// Returns the length of a character in bytes.
    pub fn len_of(self, _: char) -> Option<usize> {
        match self {}
    }

    /// Returns the text that a character comes back as, if that is another one.
    pub(crate) fn altered(self, _: char) -> Option<String> {
        match self {}
    }

    /// Decodes bytes.
    pub fn text_of(self, _: &[u8]) -> Option<String> {
        match self {}
    }
}

/// Decodes a stream.
pub(crate) struct Decoder(Legacy);

impl Decoder {
    pub(crate) fn new(encoding: Legacy) -> Decoder {
        Decoder(encoding)
    }

    pub(crate) fn push(&mut self, _: &[u8], _: bool, _: &mut String) -> (usize, Option<Malformed>) {
        match self.0 {}
    }

    pub(crate) fn offset(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn begun(&self) -> Option<usize> {
        match self.0 {}
    }
}

/// Encodes a stream.
pub(crate) struct Encoder(Legacy);

impl Encoder {
    pub(crate) fn exact(encoding: Legacy) -> Encoder {
        Encoder(encoding)
    }

    pub(crate) fn put(&mut self, _: char, _: &mut Vec<u8>) {
        match self.0 {}
    }

    pub(crate) fn push(&mut self, _: &str, _: bool, _: &mut Vec<u8>) -> Option<Unmappable> {
        match self.0 {}
    }
}
