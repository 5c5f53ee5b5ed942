//! Finds the errors in a chunk of a dump.

use memchr::{memchr_iter, memrchr};
use utf8kit::summary::{Histogram, Summary};
use utf8kit::{AnyEncoding, Encoding as _, Utf8, validate};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{Converter, Invalid, Plan};
use utf8kit_encodings::counts::Counts;
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::Hex;

use super::DumpFormat;
use super::chunks::DumpChunk;
use super::declarations::Declared;
use super::escapes::Decoded;
use super::state::{State, Visit};
use super::value::{Value, ValueKind};
use crate::rows::{Field, RowPlace};

/// An error in a chunk of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpError {
    /// Its position in the chunk, in bytes.
    pub offset: usize,
    /// Its length as written, in bytes.
    pub len: usize,
    /// The error in UTF-8; `None` if the bytes are malformed in the encoding that the dump declares.
    pub kind: Option<utf8kit::ErrorKind>,
    /// Its description.
    pub description: Description,
    /// Its table, row and column, if it is in a value of a table.
    pub place: Option<RowPlace>,
}

/// The errors in a chunk of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpErrors {
    /// The first errors, in order.
    pub errors: Vec<DumpError>,
    /// A summary, which counts all errors in UTF-8.
    pub summary: Summary,
    /// The number of values that are malformed in the encoding that the dump declares.
    pub malformed: u64,
}

impl DumpErrors {
    /// Reports whether there are none.
    pub fn is_none(&self) -> bool {
        self.summary.errors == 0 && self.malformed == 0
    }
}

impl DumpChunk {
    /// Reports whether the chunk is certainly free of errors.
    pub fn is_certainly_valid(&self) -> bool {
        self.is_utf8 && validate(&self.bytes).is_ok() && !self.may_escape_bytes()
    }

    /// Reports whether escapes in it may stand for non-ASCII bytes.
    pub(super) fn may_escape_bytes(&self) -> bool {
        if self.state.format == DumpFormat::MysqlDump {
            return false;
        }
        let mut escaped = None;
        memchr_iter(b'\\', &self.bytes).any(|at| {
            // The second of two backslashes.
            if escaped == Some(at) {
                return false;
            }
            escaped = Some(at + 1);
            matches!(self.bytes.get(at + 1), Some(b'0'..=b'7' | b'x' | b'u' | b'U'))
        })
    }

    /// Counts the non-ASCII values declared to be in another encoding than UTF-8, separately for values that are
    /// nonetheless UTF-8 and for others.
    pub fn declared_otherwise(&self) -> (u64, u64) {
        let mut counted = Otherwise { bytes: &self.bytes, utf8: 0, others: 0 };
        if !self.is_utf8 && !utf8kit::is_ascii(&self.bytes) {
            self.visit(&mut counted);
        }
        (counted.utf8, counted.others)
    }

    /// Returns the first `most` errors, and counts all of them.
    ///
    /// ```
    /// use utf8kit_records::rows::{DumpChunks, DumpFormat};
    ///
    /// let dump = b"COPY public.t (id, name) FROM stdin;\n1\tcaf\\351\n\\.\n";
    /// let chunk = DumpChunks::new(DumpFormat::PgDump, None, &dump[..]).next().unwrap().unwrap();
    /// let found = chunk.errors(10);
    /// assert_eq!((found.errors[0].offset, found.errors[0].len, found.summary.errors), (42, 4, 1));
    /// assert_eq!(found.errors[0].place.as_ref().unwrap().to_string(), "table public.t, row 1, column 2 (name)");
    /// ```
    pub fn errors(&self, most: usize) -> DumpErrors {
        if self.is_certainly_valid() {
            let summary = Summary::of(Utf8, &self.bytes, 0..self.bytes.len(), self.base, 0);
            return DumpErrors { errors: Vec::new(), summary, malformed: 0 };
        }
        let (declared, errors, bytes) = (self.state.declared().clone(), Vec::new(), &self.bytes[..]);
        let summary = sizes(bytes);
        let mut found =
            Errors { bytes, base: self.base, at: 0, declared, most, errors, summary, broken: Vec::new(), malformed: 0 };
        self.visit(&mut found);
        found.outside(bytes.len());
        let Errors { errors, mut summary, broken, malformed, .. } = found;
        let mut counted = Summary::of(Utf8, &broken, 0..broken.len(), 0, 0);
        (counted.bytes, counted.code_points, counted.lines, counted.column) = (0, 0, 0, 0);
        counted.histogram = Histogram::new();
        summary.merge(&counted);
        DumpErrors { errors, summary, malformed }
    }
}

/// Returns a summary without errors. Some of the bytes may not be text.
fn sizes(bytes: &[u8]) -> Summary {
    let begun = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64;
    let mut summary = Summary::new(0);
    (summary.bytes, summary.code_points) = (bytes.len() as u64, begun(bytes));
    summary.lines = memchr_iter(b'\n', bytes).count() as u64;
    summary.column = begun(&bytes[memrchr(b'\n', bytes).map_or(0, |feed| feed + 1)..]);
    summary
}

/// Counts values that are declared to be in another encoding than UTF-8.
struct Otherwise<'c> {
    bytes: &'c [u8],
    utf8: u64,
    others: u64,
}

impl Visit for Otherwise<'_> {
    fn value(&mut self, value: Value<'_>) {
        if value.declared.is_utf8() {
            return;
        }
        match value.text(&self.bytes[value.raw.clone()]) {
            Some((_, text)) if text.bytes.is_ascii() => {}
            Some((_, text)) if validate(&text.bytes).is_ok() => self.utf8 += 1,
            Some(_) => self.others += 1,
            None => {}
        }
    }
}

/// Collects the errors.
struct Errors<'c> {
    bytes: &'c [u8],
    base: u64,
    /// The end of the examined part of the chunk.
    at: usize,
    /// The encoding after that.
    declared: Declared,
    /// The number of errors to describe.
    most: usize,
    errors: Vec<DumpError>,
    summary: Summary,
    /// Texts with errors, as lines.
    broken: Vec<u8>,
    malformed: u64,
}

impl Visit for Errors<'_> {
    fn value(&mut self, value: Value<'_>) {
        self.outside(value.raw.start);
        self.at = value.raw.end;
        let raw = &self.bytes[value.raw.clone()];
        let Some((declared, decoded)) = value.text(raw) else { return };
        match declared.codec() {
            Some(Codec::Native(AnyEncoding::Utf8)) => self.utf8(&decoded, value.raw.start, || value.place()),
            Some(codec) => self.malformed(codec, &decoded, value.raw.start, || value.place()),
            None => {}
        }
    }

    fn declares(&mut self, at: usize, state: &State) {
        self.outside(at);
        self.declared = state.declared().clone();
    }
}

impl Errors<'_> {
    /// Examines the bytes between values.
    fn outside(&mut self, end: usize) {
        if end <= self.at {
            return;
        }
        let bytes = &self.bytes[self.at..end];
        if self.declared.is_utf8() {
            self.utf8(&super::escapes::Style::Verbatim.decode(bytes, None), self.at, || None);
        }
        self.at = end;
    }

    /// Adds the errors of text in UTF-8 that is written at `start`.
    fn utf8(&mut self, text: &Decoded<'_>, start: usize, place: impl FnOnce() -> Option<RowPlace>) {
        let bytes = &text.bytes[..];
        if validate(bytes).is_ok() {
            return;
        }
        let place = if self.errors.len() < self.most { place() } else { None };
        // All of them are counted together.
        self.broken.extend_from_slice(bytes);
        self.broken.push(b'\n');
        for error in Utf8.errors(bytes) {
            let raw = text.raw(error.range());
            self.summary.histogram.add(self.base + (start + raw.start) as u64);
            if self.errors.len() >= self.most {
                continue;
            }
            self.errors.push(DumpError {
                offset: start + raw.start,
                len: raw.len(),
                kind: Some(error.kind),
                description: Description::about(AnyEncoding::Utf8, &bytes[error.range().start..]),
                place: place.clone(),
            });
        }
    }

    /// Adds the first part of a text that is malformed in an encoding.
    fn malformed(&mut self, codec: Codec, text: &Decoded<'_>, start: usize, place: impl FnOnce() -> Option<RowPlace>) {
        let plan = Plan::new(codec, Codec::Native(AnyEncoding::Utf8), Invalid::Strict);
        let pushed = Converter::new(&plan).push(&text.bytes, true, &mut Vec::new(), &mut Counts::default());
        if let Err(error) = pushed {
            self.malformed += 1;
            if self.errors.len() >= self.most {
                return;
            }
            let at = usize::try_from(error.offset).unwrap_or(usize::MAX).min(text.bytes.len());
            let raw = text.raw(at..text.bytes.len().min(at + error.bytes.len()));
            let what = format!("malformed: {} is not a character in {codec}", Hex(&error.bytes));
            self.errors.push(DumpError {
                offset: start + raw.start,
                len: raw.len(),
                kind: None,
                description: Description::new(what),
                place: place(),
            });
        }
    }
}

impl Value<'_> {
    /// Returns its bytes and their encoding. `None` if they are not text.
    pub(super) fn text<'r>(&self, raw: &'r [u8]) -> Option<(Declared, Decoded<'r>)> {
        let declared = match &self.kind {
            ValueKind::Binary => return None,
            ValueKind::Charset(declared) => declared.clone(),
            ValueKind::Text | ValueKind::Unknown => self.declared.clone(),
        };
        let decoded = self.style.decode(raw, self.declared.lead());
        if self.kind == ValueKind::Unknown && decoded.bytes.iter().any(is_of_bytes) {
            return None;
        }
        Some((declared, decoded))
    }

    /// Returns its table, row and column.
    pub(super) fn place(&self) -> Option<RowPlace> {
        let (target, row, column) = self.cell?;
        let field = Field::Cell {
            schema: target.schema.clone(),
            table: target.table.clone(),
            number: column as u64 + 1,
            name: target.columns.get(column).map(|column| column.name.clone()),
        };
        Some(RowPlace { row, field: Some(field) })
    }
}

/// Reports whether a byte rarely occurs in text.
fn is_of_bytes(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F)
}
