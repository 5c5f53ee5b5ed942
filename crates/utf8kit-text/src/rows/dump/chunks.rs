//! Splits a dump into chunks that can be processed independently.

use std::io::{self, Read};
use std::ops::Range;

use super::DumpFormat;
use super::declared::Declared;
use super::state::{State, Visit};
use crate::charset::Charset;
use crate::reading::ReadSize;
use crate::rows::LONGEST_ROW;

/// The approximate size of a chunk, in bytes.
const CHUNK: usize = 256 * 1024;

/// A part of a dump, cut between values, unless one is too long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DumpChunk {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where they begin in the dump, in bytes.
    pub base: u64,
    /// What the bytes before it mean for it.
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

    /// Visits what the chunk consists of.
    pub(crate) fn visit<V: Visit>(&self, visit: &mut V) {
        self.state.clone().read(&self.bytes, true, false, visit);
    }
}

impl DumpFormat {
    /// Returns the first encoding that the beginning of a dump declares for what follows.
    ///
    /// ```
    /// use utf8kit_text::rows::DumpFormat;
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
    input: R,
    size: usize,
    /// Whether the input may come slowly, so that each read gives the values that it completes.
    live: bool,
    read_size: ReadSize,
    /// Bytes that were read and not yet returned.
    bytes: Vec<u8>,
    ended: bool,
    base: u64,
}

impl<R: Read> DumpChunks<R> {
    /// Splits a dump. `given` is the encoding of the session, whatever the dump declares.
    pub fn new(format: DumpFormat, given: Option<Charset>, input: R) -> DumpChunks<R> {
        DumpChunks::of_size(CHUNK, format, given, input)
    }

    /// Splits a dump into chunks of about `size` bytes.
    pub(super) fn of_size(
        size: usize,
        format: DumpFormat,
        given: Option<Charset>,
        input: R,
    ) -> DumpChunks<R> {
        let state = State::new(format).given(given.map(Declared::Named));
        let (read_size, bytes) = (ReadSize::default(), Vec::new());
        DumpChunks { state, input, size, live: false, read_size, bytes, ended: false, base: 0 }
    }

    /// Returns values as soon as the input gives them, if `live`.
    #[must_use]
    pub fn live(self, live: bool) -> DumpChunks<R> {
        DumpChunks { live, ..self }
    }

    /// Reads `len` more bytes, or up to the end; of a live input, what it gives.
    fn read(&mut self, len: usize) -> io::Result<()> {
        if self.live {
            self.ended = self.read_size.read(&mut self.input, &mut self.bytes)? == 0;
            return Ok(());
        }
        self.bytes.reserve_exact(len);
        let read = (&mut self.input).take(len as u64).read_to_end(&mut self.bytes)?;
        self.ended = read < len;
        Ok(())
    }
}

/// Notes which encodings are declared.
struct Declarations {
    other: Option<Declared>,
    any: bool,
}

impl Visit for Declarations {
    fn wants_values(&self) -> bool {
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
        let mut wanted = self.size.saturating_sub(self.bytes.len()).max(1);
        loop {
            if !self.ended
                && let Err(error) = self.read(wanted)
            {
                (self.ended, self.bytes) = (true, Vec::new());
                return Some(Err(error));
            }
            let before = self.state.clone();
            let mut declarations = Declarations {
                other: Some(before.declared()).filter(|declared| !declared.is_utf8()).cloned(),
                any: false,
            };
            let force = self.bytes.len() >= LONGEST_ROW;
            let end = self.state.read(&self.bytes, self.ended, force, &mut declarations);
            if end == 0 {
                if self.ended {
                    return None;
                }
                // What was read in vain changes nothing.
                self.state = before;
                wanted = self.bytes.len().max(self.size);
                continue;
            }
            let rest = self.bytes.split_off(end);
            let bytes = std::mem::replace(&mut self.bytes, rest);
            let base = self.base;
            self.base += end as u64;
            let Declarations { other, any } = declarations;
            let is_utf8 = other.is_none();
            return Some(Ok(DumpChunk { bytes, base, state: before, is_utf8, other, declares: any }));
        }
    }
}
