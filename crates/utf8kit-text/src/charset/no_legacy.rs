//! In the place of `legacy.rs` where the feature `legacy` is off: there are no legacy encodings.

/// A legacy encoding: there is none without the feature `legacy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legacy {}

impl Legacy {
    /// The encoding that a label stands for: none.
    pub fn labelled(_: &str) -> Option<Legacy> {
        None
    }

    /// All of them: none.
    pub fn all() -> impl Iterator<Item = Legacy> {
        std::iter::empty()
    }

    /// Every one that is worth listing: none.
    pub(crate) fn listed() -> impl Iterator<Item = Legacy> {
        std::iter::empty()
    }

    /// Those in which most legacy text is written: none.
    pub fn common() -> &'static [Legacy] {
        &[]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {}
    }

    /// Whether the size of a text is the sum of its characters' sizes.
    pub fn is_sized(self) -> bool {
        match self {}
    }

    /// Whether each byte is a character.
    pub fn is_single_byte(self) -> bool {
        match self {}
    }

    /// The bytes of a character.
    pub fn bytes_of(self, _: char) -> Option<Vec<u8>> {
        match self {}
    }

    /// How many bytes a character takes.
    pub fn len_of(self, _: char) -> Option<usize> {
        match self {}
    }

    /// The text of some bytes.
    pub fn text_of(self, _: &[u8]) -> Option<String> {
        match self {}
    }
}

/// A malformed span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) offset: u64,
    pub(crate) len: usize,
}

/// Reads a stream.
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
}

/// Writes a stream.
pub(crate) struct Encoder(Legacy);

/// A character that the encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unmappable {
    pub(crate) at: usize,
    pub(crate) scalar: char,
}

impl Encoder {
    pub(crate) fn new(encoding: Legacy) -> Encoder {
        Encoder(encoding)
    }

    pub(crate) fn push(&mut self, _: &str, _: bool, _: &mut Vec<u8>) -> Option<Unmappable> {
        match self.0 {}
    }
}
