//! Converts a dump: the text, from its declared encodings, and the declarations.

use std::ops::Range;

use utf8kit::validate;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::{ConversionError, Converter, Invalid, Plan};
use utf8kit_encodings::counts::Counts;

use super::DumpFormat;
use super::chunks::DumpChunk;
use super::declarations::{Declared, lead};
use super::escapes::Lead;
use super::repair::{Edits, differences};
use super::state::{State, Visit};
use super::value::{Value, ValueKind};
use crate::rows::RowPlace;

/// A conversion of the text of a dump to one encoding. Binary values are unchanged.
#[derive(Clone, Copy, Debug)]
pub struct DumpConversion {
    format: DumpFormat,
    /// The name that the database gives to the encoding.
    name: &'static str,
    to: Codec,
    invalid: Invalid,
}

/// The place and the reason where a strict conversion stops.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoppedDump {
    /// The reason, with the offset in the dump. `None` if the dump declares an unknown encoding.
    pub error: Option<ConversionError>,
    /// The encoding of the input.
    pub from: String,
    /// The table, row and column, if it is in a table.
    pub place: Option<RowPlace>,
}

/// A chunk after its conversion.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConvertedChunk {
    /// The chunk.
    pub chunk: DumpChunk,
    /// The converted bytes, unless nothing changed.
    pub out: Option<Vec<u8>>,
    /// The losses.
    pub counts: Counts,
    /// Where a strict conversion stops.
    pub stopped: Option<StoppedDump>,
    /// The number of values that are already UTF-8, although the dump declares another encoding.
    pub twice: u64,
    /// Whether an encoding is declared in the chunk.
    pub declares: bool,
}

impl DumpConversion {
    /// Creates a conversion. `None` if the database has no name for the encoding.
    ///
    /// ```
    /// use utf8kit_encodings::convert::Invalid;
    /// use utf8kit_records::rows::{DumpChunks, DumpConversion, DumpFormat};
    ///
    /// let dump = b"SET client_encoding = 'LATIN1';\nCOPY t (a) FROM stdin;\ncaf\xE9\n\\.\n";
    /// let chunk = DumpChunks::new(DumpFormat::PgDump, None, &dump[..]).next().unwrap().unwrap();
    /// let to = DumpConversion::new(DumpFormat::PgDump, "utf-8".parse().unwrap(), Invalid::Strict).unwrap();
    /// let expected = "SET client_encoding = 'UTF8';\nCOPY t (a) FROM stdin;\ncaf\u{E9}\n\\.\n";
    /// assert_eq!(to.convert(chunk).out.unwrap(), expected.as_bytes());
    /// assert!(DumpConversion::new(DumpFormat::PgDump, "utf-16".parse().unwrap(), Invalid::Strict).is_none());
    /// ```
    pub fn new(format: DumpFormat, to: Charset, invalid: Invalid) -> Option<DumpConversion> {
        Some(DumpConversion { format, name: format.name_of(to)?, to: to.writer(), invalid })
    }

    /// Returns the program that wrote the dump.
    pub fn format(&self) -> DumpFormat {
        self.format
    }

    /// Converts a chunk.
    pub fn convert(&self, chunk: DumpChunk) -> ConvertedChunk {
        let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
        let (counts, declares) = (Counts::default(), chunk.declares);
        if !declares
            && (self.to == utf8 && chunk.is_certainly_valid()
                || utf8kit::is_ascii(&chunk.bytes) && !chunk.may_escape_bytes())
        {
            return ConvertedChunk { chunk, out: None, counts, stopped: None, twice: 0, declares };
        }
        let mut work = Work {
            conversion: *self,
            lead: lead(self.to),
            bytes: &chunk.bytes,
            declared: chunk.state.declared().clone(),
            seen: 0,
            edits: Edits::new(&chunk.bytes),
            counts,
            stopped: None,
            twice: 0,
        };
        chunk.visit(&mut work);
        work.outside(chunk.bytes.len());
        let Work { edits, counts, mut stopped, twice, .. } = work;
        if let Some(StoppedDump { error: Some(error), .. }) = &mut stopped {
            error.offset += chunk.base;
        }
        let (out, _) = edits.end();
        ConvertedChunk { chunk, out, counts, stopped, twice, declares }
    }
}

/// The conversion of a chunk.
struct Work<'c> {
    conversion: DumpConversion,
    /// The lead bytes of output characters whose last byte may be a backslash.
    lead: Option<Lead>,
    bytes: &'c [u8],
    /// The encoding of what follows.
    declared: Declared,
    /// The end of the converted part of the chunk.
    seen: usize,
    edits: Edits<'c>,
    counts: Counts,
    stopped: Option<StoppedDump>,
    twice: u64,
}

impl Visit for Work<'_> {
    fn value(&mut self, value: Value<'_>) {
        self.outside(value.raw.start);
        self.seen = value.raw.end;
        let raw = &self.bytes[value.raw.clone()];
        if raw.is_ascii() && !raw.contains(&b'\\') {
            return;
        }
        let from_lead = value.declared.lead();
        let text = value.text(raw).filter(|_| !matches!(value.kind, ValueKind::Charset(_)));
        let Some((declared, text)) = text else {
            // The bytes stay the same, but escapes among them change.
            let differs = value.declared.codec() != Some(self.conversion.to);
            if differs && (from_lead.is_some() || self.lead.is_some()) {
                let bytes = value.style.decode(raw, from_lead).bytes;
                self.edits.replace(value.raw.clone(), |out| value.style.encode(&bytes, self.lead, out));
            }
            return;
        };
        if text.bytes.is_ascii() {
            return;
        }
        self.twice += u64::from(!declared.is_utf8() && validate(&text.bytes).is_ok());
        let place = |at: usize| value.raw.start + text.raw(at..at).start;
        let Some(converted) = self.converted(&declared, &text.bytes, place, || value.place()) else { return };
        if from_lead.is_some() || self.lead.is_some() {
            self.edits.replace(value.raw.clone(), |out| value.style.encode(&converted, self.lead, out));
            return;
        }
        for (range, after) in differences(&text.bytes, &converted) {
            let raw = text.raw(range);
            let raw = value.raw.start + raw.start..value.raw.start + raw.end;
            self.edits.replace(raw, |out| value.style.encode(&after, None, out));
        }
    }

    fn declaration(&mut self, name: Range<usize>, declared: &Declared, _: bool) {
        if declared.codec() != Some(self.conversion.to) || *declared == Declared::Nothing {
            self.outside(name.start);
            self.edits.replace(name.clone(), |out| out.extend_from_slice(self.conversion.name.as_bytes()));
            self.seen = name.end;
        }
    }

    fn declares(&mut self, at: usize, state: &State) {
        self.outside(at);
        self.declared = state.declared().clone();
    }
}

impl Work<'_> {
    /// Converts the bytes between values.
    fn outside(&mut self, end: usize) {
        let start = self.seen;
        self.seen = start.max(end);
        let between = self.bytes.get(start..end).unwrap_or_default();
        if between.is_ascii() {
            return;
        }
        let declared = self.declared.clone();
        if let Some(converted) = self.converted(&declared, between, |at| start + at, || None) {
            self.edits.replace(start..end, |out| out.extend_from_slice(&converted));
        }
    }

    /// Converts text. Returns `None` if the conversion stops, or if the text is the same in both encodings.
    fn converted(
        &mut self,
        declared: &Declared,
        text: &[u8],
        raw: impl FnOnce(usize) -> usize,
        place: impl FnOnce() -> Option<RowPlace>,
    ) -> Option<Vec<u8>> {
        if self.stopped.is_some() {
            return None;
        }
        let stop = |error| Some(StoppedDump { error, from: declared.name(), place: place() });
        let Some(from) = declared.codec() else {
            self.stopped = stop(None);
            return None;
        };
        if from == self.conversion.to && Codec::Native(utf8kit::AnyEncoding::Utf8) == from && validate(text).is_ok() {
            return None;
        }
        let plan = Plan::new(from, self.conversion.to, self.conversion.invalid);
        let mut out = Vec::with_capacity(text.len() * 2);
        match Converter::new(&plan).push(text, true, &mut out, &mut self.counts) {
            Ok(()) => Some(out),
            Err(error) => {
                let at = usize::try_from(error.offset).unwrap_or(text.len()).min(text.len());
                self.stopped = stop(Some(error.at(raw(at) as u64)));
                None
            }
        }
    }
}
