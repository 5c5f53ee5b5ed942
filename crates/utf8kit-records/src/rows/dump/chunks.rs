//! Splits a dump into chunks that can be processed independently.

use std::io::{self, Read};
use std::ops::Range;

use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::chunks::Splitter;

use super::DumpFormat;
use super::declarations::Declared;
use super::state::{State, Visit};
use crate::rows::LONGEST_ROW;

/// The approximate size of a chunk, in bytes.
const BYTES_PER_CHUNK: usize = 256 * 1024;

/// A part of a dump, cut between values, unless one is too long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DumpChunk {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where they begin in the dump, in bytes.
    pub base: u64,
    /// The state after the bytes before it.
    pub(crate) state: State,
    /// Whether all of it is declared to be UTF-8, or nothing is declared.
    pub(crate) is_utf8: bool,
    /// The first encoding other than UTF-8 that is declared for a part of it.
    pub(crate) other: Option<Declared>,
    /// Whether an encoding is declared in it.
    pub(crate) declares: bool,
}

impl DumpChunk {
    /// Returns the encoding other than UTF-8 that the dump declares for it or a part of it, if there is one.
    pub fn other_encoding(&self) -> Option<String> {
        self.other.as_ref().map(Declared::name)
    }

    /// Visits the parts of the chunk.
    pub(crate) fn visit<V: Visit>(&self, visit: &mut V) {
        self.state.clone().read(&self.bytes, true, false, visit);
    }
}

impl DumpFormat {
    /// Returns the first encoding that the beginning of a dump declares.
    ///
    /// ```
    /// use utf8kit_records::rows::DumpFormat;
    ///
    /// let declared = DumpFormat::MysqlDump.declared_by(b"/*!40101 SET NAMES utf8mb4 */;\n");
    /// assert_eq!(declared.map(|charset| charset.to_string()), Some("utf-8".to_owned()));
    /// ```
    pub fn declared_by(self, head: &[u8]) -> Option<Charset> {
        let mut first = FirstDeclared(None);
        DumpChunks::new(self, None, head).next()?.ok()?.visit(&mut first);
        first.0
    }
}

/// The first encoding that is declared.
struct FirstDeclared(Option<Charset>);

impl Visit for FirstDeclared {
    fn declaration(&mut self, _: Range<usize>, declared: &Declared, alone: bool) {
        if let (None, Declared::Named(charset), false) = (self.0, declared, alone) {
            self.0 = Some(*charset);
        }
    }
}

/// Iterator over the chunks of a dump. Concatenated, they are the dump.
#[derive(Debug)]
pub struct DumpChunks<R> {
    state: State,
    input: Splitter<R>,
}

impl<R: Read> DumpChunks<R> {
    /// Splits a dump. `given` is the encoding of the session, and overrides what the dump declares.
    pub fn new(format: DumpFormat, given: Option<Charset>, input: R) -> DumpChunks<R> {
        DumpChunks::of_size(BYTES_PER_CHUNK, format, given, input)
    }

    /// Splits a dump into chunks of about `size` bytes.
    pub(super) fn of_size(size: usize, format: DumpFormat, given: Option<Charset>, input: R) -> DumpChunks<R> {
        let state = State::new(format).given(given.map(Declared::Named));
        DumpChunks { state, input: Splitter::new(size, input) }
    }

    /// If `live`, returns values as soon as they arrive.
    #[must_use]
    pub fn live(self, live: bool) -> DumpChunks<R> {
        DumpChunks { input: self.input.live(live), ..self }
    }
}

/// Records the declared encodings.
struct Declarations {
    other: Option<Declared>,
    any: bool,
}

impl Visit for Declarations {
    fn uses_values(&self) -> bool {
        false
    }

    fn declaration(&mut self, _: Range<usize>, _: &Declared, _: bool) {
        self.any = true;
    }

    fn declares(&mut self, _: usize, state: &State) {
        if self.other.is_none() && !state.declared().is_utf8() {
            self.other = Some(state.declared().clone());
        }
    }
}

impl<R: Read> Iterator for DumpChunks<R> {
    type Item = io::Result<DumpChunk>;

    fn next(&mut self) -> Option<Self::Item> {
        let state = &self.state;
        let other = Some(state.declared()).filter(|declared| !declared.is_utf8()).cloned();
        let values = |bytes: &[u8], ended: bool| {
            // An incomplete read does not change the state.
            let mut after = state.clone();
            let mut declarations = Declarations { other: other.clone(), any: false };
            let end = after.read(bytes, ended, bytes.len() >= LONGEST_ROW, &mut declarations);
            (end, (after, declarations))
        };
        Some(self.input.next(values)?.map(|(bytes, base, (after, Declarations { other, any }))| {
            let state = std::mem::replace(&mut self.state, after);
            DumpChunk { bytes, base, state, is_utf8: other.is_none(), other, declares: any }
        }))
    }
}
