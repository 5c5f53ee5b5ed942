//! Decides which rows are good, and finds the problems of the others.
//!
//! ```text
//! Chunks        an input, cut into chunks of whole rows        sequential: quotes decide what a line feed means
//! RowValidator  is a chunk good as a whole? else each row      on all threads
//! RowSink       good rows to one side, bad rows to the other   in order
//! ```

use std::borrow::Cow;
use std::ops::Range;

use utf8kit::Encoding as _;
use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, ErrorKind, Utf8};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{ConversionError, ConversionErrorKind, Converter, Invalid, Plan};
use utf8kit_encodings::counts::Counts;
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::Hex;
use utf8kit_encodings::unicode;

use crate::rows::{Chunk, Header, LONGEST_ROW, Places, RowSyntax, RowViolation, RowViolationKind, Shape, text};
use crate::targets::Demands;
use crate::violation::{Violation, ViolationKind};

/// The requirements for rows: valid and, if they are converted, encodable in the other encoding.
#[derive(Clone, Debug)]
pub struct RowValidator {
    syntax: RowSyntax,
    /// A strict conversion. If nothing is converted, it is from an encoding to itself.
    plan: Plan,
    summarises: bool,
    /// Further requirements on the text in UTF-8, and the syntax of its rows.
    demands: Option<(Demands, RowSyntax)>,
}

/// The verdict on a chunk.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckedChunk {
    /// The chunk.
    pub chunk: Chunk,
    /// The verdicts on its rows, with consecutive good rows as one; empty if all are good.
    pub verdicts: Vec<Verdict>,
    /// The converted good rows, if rows are converted.
    pub out: Vec<u8>,
    /// A summary of the chunk, if requested.
    pub summary: Option<Summary>,
}

/// The verdict on consecutive rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// All of them are good.
    Good {
        /// Their range in the chunk.
        range: Range<usize>,
        /// The range of the converted rows in [`CheckedChunk::out`].
        out: Range<usize>,
    },
    /// A single row, which is bad.
    Bad {
        /// Its range in the chunk.
        range: Range<usize>,
        /// The offset of its quote that is not closed properly, if there is one.
        broken: Option<usize>,
    },
}

/// A problem in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Where it begins, in bytes of the row.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
    /// Its kind.
    pub kind: ProblemKind,
    /// Its description.
    pub description: Description,
}

impl Problem {
    /// Creates a problem of bytes that are not text.
    pub fn new(offset: usize, len: usize, description: Description) -> Problem {
        Problem { offset, len, kind: ProblemKind::Malformed, description }
    }
}

/// The kind of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// Invalid in an encoding of the library.
    IllFormed(ErrorKind),
    /// Invalid in a legacy encoding.
    Malformed,
    /// A character that the output encoding lacks.
    Unrepresentable,
    /// A quoted field that does not end with a quote.
    BrokenQuote,
    /// The row is longer than [`LONGEST_ROW`].
    RowTooLong,
    /// A problem of the row as a whole.
    Row(RowViolationKind),
    /// Rejected by a target.
    Target(ViolationKind),
}

impl ProblemKind {
    /// Iterates over the kinds that are not [`ProblemKind::IllFormed`].
    pub fn others() -> impl Iterator<Item = ProblemKind> {
        let rows =
            [ProblemKind::Malformed, ProblemKind::Unrepresentable, ProblemKind::BrokenQuote, ProblemKind::RowTooLong];
        let violations = RowViolationKind::ALL.iter().copied().map(ProblemKind::Row);
        rows.into_iter().chain(violations).chain(ViolationKind::ALL.iter().copied().map(ProblemKind::Target))
    }

    /// Describes the kind.
    pub fn about(self) -> &'static str {
        match self {
            ProblemKind::IllFormed(_) | ProblemKind::Malformed => "bytes that are not text in the encoding",
            ProblemKind::Unrepresentable => "a character the output encoding cannot represent",
            ProblemKind::BrokenQuote => "a quoted field that does not end as it should",
            ProblemKind::RowTooLong => "a row without an end",
            ProblemKind::Row(kind) => kind.about(),
            ProblemKind::Target(kind) => kind.about(),
        }
    }

    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ProblemKind::IllFormed(kind) => kind.name(),
            ProblemKind::Malformed => "malformed",
            ProblemKind::Unrepresentable => "unrepresentable",
            ProblemKind::BrokenQuote => "broken_quote",
            ProblemKind::RowTooLong => "row_too_long",
            ProblemKind::Row(kind) => kind.name(),
            ProblemKind::Target(kind) => kind.name(),
        }
    }
}

/// A bad row, or a part of a row that is too long.
#[derive(Clone, Copy, Debug)]
pub struct BadRow<'r> {
    /// The number of the row, from 1.
    pub number: u64,
    /// Where the row or the part begins in the input, in bytes.
    pub offset: u64,
    /// Its bytes, including the line ending.
    pub bytes: &'r [u8],
    /// `Some` if this is a part of a row that is too long; `true` if the row ends with it.
    pub part: Option<bool>,
    /// Whether the row began in an earlier part.
    pub continues: bool,
    pub(crate) broken: Option<usize>,
    pub(crate) shape: Shape,
    pub(crate) validator: &'r RowValidator,
    pub(crate) header: &'r Header,
}

impl BadRow<'_> {
    /// Iterates over the problems of the row, in order.
    pub fn problems(&self) -> impl Iterator<Item = Problem> {
        let too_long = (self.part.is_some() && !self.continues).then(|| Problem {
            offset: 0,
            len: 0,
            kind: ProblemKind::RowTooLong,
            description: Description::new(format!("row too long: no end within {} bytes", LONGEST_ROW)),
        });
        let broken = self.broken.map(|offset| self.validator.broken_quote(self.bytes, offset));
        let refused = self.validator.refused(self.bytes, self.offset == 0);
        let mut others: Vec<_> = too_long.into_iter().chain(broken).chain(self.violations()).chain(refused).collect();
        others.sort_by_key(|problem| problem.offset);
        let mut others = others.into_iter().peekable();
        let mut errors = self.validator.errors(self.bytes).peekable();
        std::iter::from_fn(move || match (others.peek(), errors.peek()) {
            (Some(one), Some(other)) if one.offset > other.offset => errors.next(),
            (Some(_), _) => others.next(),
            (None, _) => errors.next(),
        })
    }

    /// Iterates over the problems of the row as a whole.
    fn violations(&self) -> impl Iterator<Item = Problem> {
        let whole =
            self.part.is_none().then(|| self.validator.syntax.violations(self.bytes, self.shape, self.offset == 0));
        whole.into_iter().flatten().map(|RowViolation { offset, len, kind, what, .. }| Problem {
            offset,
            len,
            kind: ProblemKind::Row(kind),
            description: Description::new(what),
        })
    }

    /// Finds the fields of offsets in the row.
    pub fn places(&self) -> Places<'_> {
        Places::new(&self.validator.syntax, self.header, self.number, self.bytes)
    }
}

impl RowValidator {
    /// Requires rows to be valid in the encoding of the syntax.
    pub fn well_formed(syntax: RowSyntax) -> RowValidator {
        let codec = syntax.codec();
        let to = match codec {
            Codec::Native(_) => codec,
            // Decoding finds the malformed parts.
            _ => Codec::Native(AnyEncoding::Utf8),
        };
        let plan = Plan::new(codec, to, Invalid::Strict);
        RowValidator { syntax, plan, summarises: false, demands: None }
    }

    /// Requires rows to be convertible by a plan, whose input encoding must be that of the syntax.
    pub fn convertible(syntax: RowSyntax, plan: &Plan) -> RowValidator {
        let mut plan = plan.clone();
        plan.invalid = Invalid::Strict;
        RowValidator { syntax, plan, summarises: false, demands: None }
    }

    /// Also sums up each chunk.
    #[must_use]
    pub fn summarising(self) -> RowValidator {
        RowValidator { summarises: true, ..self }
    }

    /// Also requires rows, in UTF-8, to meet these demands. Returns `None` if they are not converted to UTF-8.
    #[must_use]
    pub fn demanding(self, demands: Demands) -> Option<RowValidator> {
        if !demands.is_any() {
            return Some(self);
        }
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let to = if self.converts() { self.plan.to } else { utf8 };
        let syntax = (to == utf8).then(|| self.syntax.in_utf8())??;
        let mut plan = self.plan;
        plan.to = to;
        Some(RowValidator { demands: Some((demands, syntax)), plan, ..self })
    }

    /// Returns the syntax of the rows.
    pub fn syntax(&self) -> &RowSyntax {
        &self.syntax
    }

    /// Returns the encoding, if a verdict needs no conversion.
    fn validated(&self) -> Option<AnyEncoding> {
        match (self.plan.from, self.plan.to) {
            _ if self.plan.rewrite.is_any() => None,
            (Codec::Native(from), Codec::Native(to)) if from == to => Some(from),
            _ => None,
        }
    }

    /// Validates the rows of a chunk. `out` is an empty buffer.
    pub fn validate(&self, chunk: Chunk, mut out: Vec<u8>) -> CheckedChunk {
        let mut verdicts = Vec::new();
        let summary = self.summarises.then(|| self.summary(&chunk.bytes, chunk.base));
        // A byte order mark that is not part of the text.
        let skip = if chunk.base == 0 { self.plan.skip } else { 0 };
        let text = |range: Range<usize>| chunk.bytes.get(range.start.max(skip)..range.end).unwrap_or_default();
        if chunk.part {
            verdicts.push(Verdict::Bad { range: 0..chunk.bytes.len(), broken: None });
        } else if chunk.broken
            || !self.passes(text(0..chunk.bytes.len()), chunk.base == 0, &mut out)
            || !self.syntax.fit(&chunk.bytes, chunk.shape, chunk.base == 0)
        {
            out.clear();
            for row in self.syntax.rows(&chunk.bytes) {
                let start = out.len();
                let first = chunk.base == 0 && row.range.start == 0;
                let good = row.broken.is_none()
                    && self.passes(text(row.range.clone()), first, &mut out)
                    && self.syntax.fit(&chunk.bytes[row.range.clone()], chunk.shape, first);
                if !good {
                    out.truncate(start);
                    verdicts.push(Verdict::Bad { range: row.range, broken: row.broken });
                } else if let Some(Verdict::Good { range, out: becomes, .. }) = verdicts.last_mut() {
                    (range.end, becomes.end) = (row.range.end, out.len());
                } else {
                    verdicts.push(Verdict::Good { range: row.range, out: start..out.len() });
                }
            }
        }
        CheckedChunk { chunk, verdicts, out, summary }
    }

    /// Reports whether good rows are converted.
    pub fn converts(&self) -> bool {
        self.validated().is_none()
    }

    /// Sums up rows that begin `base` bytes into the input. Errors of a legacy encoding are not counted, because they
    /// have no [`ErrorKind`].
    pub fn summary(&self, bytes: &[u8], base: u64) -> Summary {
        match self.plan.from {
            Codec::Native(encoding) => Summary::of(encoding, bytes, 0..bytes.len(), base, 0),
            codec => {
                let text = text(codec, bytes);
                let mut summary = Summary::of(Utf8, text.as_bytes(), 0..text.len(), base, 0);
                summary.bytes = bytes.len() as u64;
                summary
            }
        }
    }

    /// Reports whether rows are good, and appends the converted rows if they are converted. `first` means that the
    /// input begins with them.
    fn passes(&self, bytes: &[u8], first: bool, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let is_text = match self.validated() {
            Some(encoding) => encoding.validate(bytes).is_ok(),
            None => Converter::new(&self.plan).push(bytes, true, out, &mut Counts::default()).is_ok(),
        };
        let text = if self.converts() { &out[start..] } else { bytes };
        is_text && self.demands.as_ref().is_none_or(|(demands, syntax)| demands.pass(syntax, text, first))
    }

    /// Reports whether bytes are good, apart from their quotes.
    #[cfg(test)]
    pub(crate) fn plan_accepts(&self, bytes: &[u8]) -> bool {
        self.passes(bytes, false, &mut Vec::new())
    }

    /// Iterates over the parts of a row that are invalid or cannot be converted.
    fn errors<'f>(&'f self, row: &'f [u8]) -> Box<dyn Iterator<Item = Problem> + 'f> {
        if let Some(encoding) = self.validated() {
            return Box::new(encoding.errors(row).map(move |error| {
                let range = error.range();
                let kind = ProblemKind::IllFormed(error.kind);
                let description = Description::about(encoding, &row[range.start..]);
                Problem { offset: range.start, len: range.len(), kind, description }
            }));
        }
        let mut at = 0;
        Box::new(std::iter::from_fn(move || {
            let rest = row.get(at..)?;
            let error = Converter::new(&self.plan).push(rest, true, &mut Vec::new(), &mut Counts::default()).err()?;
            let offset = at + usize::try_from(error.offset).unwrap_or(rest.len()).min(rest.len());
            let problem = self.conversion_problem(&error, row, offset);
            at = offset + problem.len.max(1);
            Some(problem)
        }))
    }

    /// Returns the violations of the demands in a row. Offsets refer to the row, even if it is converted.
    fn refused(&self, row: &[u8], first: bool) -> Vec<Problem> {
        let Some((demands, syntax)) = &self.demands else { return Vec::new() };
        let becomes = match self.converts() {
            true => Cow::Owned(self.lossy(row)),
            false => Cow::Borrowed(row),
        };
        let found = demands.find(syntax, &becomes, first);
        let mut places: Vec<usize> =
            found.iter().flat_map(|violation| [violation.offset, violation.offset + violation.len]).collect();
        places.sort_unstable();
        places.dedup();
        let offsets = if self.converts() { self.source_offsets(row, &places) } else { places.clone() };
        let place = |at: usize| places.binary_search(&at).ok().and_then(|index| offsets.get(index)).copied();
        let problem = |violation: &Violation| {
            let start = place(violation.offset).unwrap_or_default();
            let end = place(violation.offset + violation.len).unwrap_or(start);
            let description = demands.describe(violation);
            Problem { offset: start, len: end - start, kind: ProblemKind::Target(violation.kind), description }
        };
        found.iter().map(problem).collect()
    }

    /// Returns a conversion that replaces everything invalid or unencodable.
    fn lossy_converter(&self) -> Converter {
        let mut plan = self.plan.clone();
        plan.invalid = Invalid::REPLACE;
        Converter::new(&plan)
    }

    /// Returns the converted row, with everything invalid or unencodable replaced.
    fn lossy(&self, row: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        // It replaces invalid bytes, so it never stops.
        let _ = self.lossy_converter().push(row, true, &mut out, &mut Counts::default());
        out
    }

    /// Maps ascending positions in the converted row to positions of the same characters in the row.
    fn source_offsets(&self, row: &[u8], places: &[usize]) -> Vec<usize> {
        let (mut converter, mut out) = (self.lossy_converter(), Vec::new());
        let mut offsets = Vec::with_capacity(places.len());
        let mut begun = 0;
        for (offset, byte) in row.iter().enumerate() {
            offsets.resize(places.partition_point(|place| *place <= out.len()), begun);
            if offsets.len() == places.len() {
                break;
            }
            let before = out.len();
            let _ = converter.push(&[*byte], false, &mut out, &mut Counts::default());
            if out.len() > before {
                begun = offset + 1;
            }
        }
        offsets.resize(places.len(), row.len());
        offsets
    }

    fn conversion_problem(&self, error: &ConversionError, row: &[u8], offset: usize) -> Problem {
        let (from, to) = (self.plan.from, self.plan.to);
        let (kind, description) = match (error.kind, from) {
            (ConversionErrorKind::IllFormed(kind), Codec::Native(encoding)) => {
                (ProblemKind::IllFormed(kind), Description::about(encoding, &row[offset.min(row.len())..]))
            }
            (ConversionErrorKind::Lacking(value, _), _) => {
                let text = format!("unrepresentable: {to} lacks U+{value:04X} {}", unicode::name(value));
                (ProblemKind::Unrepresentable, Description::new(text.trim_end()))
            }
            (ConversionErrorKind::Altered(value, other), _) => {
                let text = format!("unrepresentable: in {to}, U+{value:04X} would be read back as U+{other:04X}");
                (ProblemKind::Unrepresentable, Description::new(text))
            }
            _ => {
                let text = format!("malformed: {} is not a character in {from}", Hex(&error.bytes));
                (ProblemKind::Malformed, Description::new(text))
            }
        };
        Problem { offset, len: error.bytes.len().min(row.len().saturating_sub(offset)), kind, description }
    }

    fn broken_quote(&self, row: &[u8], offset: usize) -> Problem {
        let number = self.syntax.fields(row).take_while(|field| field.start <= offset).count().max(1);
        let what = format!(
            "broken quote: field {number} begins with a quote and does not end with one; the row is assumed to end \
             with its line"
        );
        let len = self.syntax.width().min(row.len() - offset);
        Problem { offset, len, kind: ProblemKind::BrokenQuote, description: Description::new(what) }
    }
}
