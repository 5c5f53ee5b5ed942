//! Problems of a row as a whole: its end, its number of fields, its JSON.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::Codec;

use super::syntax::text;
use super::{FieldCount, Row, RowFormat, RowSyntax, Shape, json};

/// A problem of a row as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowViolation {
    /// Its offset in the row, in bytes.
    pub offset: usize,
    /// Its length in bytes; 0 if it is not a span.
    pub len: usize,
    /// The kind.
    pub kind: RowViolationKind,
    /// A description.
    pub what: String,
}

/// The kind of a [`RowViolation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowViolationKind {
    /// A row end that differs from the first one, or a carriage return without a line feed.
    RowEnd,
    /// A line that ends the data.
    EndMarker,
    /// A byte that the program treats as a quote, in rows without quotes.
    QuoteByte,
    /// A wrong number of fields.
    FieldCount,
    /// A byte order mark before a quote, in a row that is not the first one.
    InnerMark,
    /// Not JSON, or JSON beyond the limits of its readers.
    InvalidJson,
}

impl RowViolationKind {
    /// Every kind.
    pub const ALL: &[RowViolationKind] = &[
        RowViolationKind::RowEnd,
        RowViolationKind::EndMarker,
        RowViolationKind::QuoteByte,
        RowViolationKind::FieldCount,
        RowViolationKind::InnerMark,
        RowViolationKind::InvalidJson,
    ];

    /// Returns its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            RowViolationKind::RowEnd => "row_end",
            RowViolationKind::EndMarker => "end_marker",
            RowViolationKind::QuoteByte => "quote_byte",
            RowViolationKind::FieldCount => "field_count",
            RowViolationKind::InnerMark => "inner_mark",
            RowViolationKind::InvalidJson => "invalid_json",
        }
    }

    /// Describes it in words.
    pub fn about(self) -> &'static str {
        match self {
            RowViolationKind::RowEnd => "a carriage return that some readers treat as the end of the row",
            RowViolationKind::EndMarker => "a line that ends the data",
            RowViolationKind::QuoteByte => "a byte that is taken for a quote",
            RowViolationKind::FieldCount => "a wrong number of fields",
            RowViolationKind::InnerMark => "a byte order mark within the text that hides a quote",
            RowViolationKind::InvalidJson => "a line that is not JSON",
        }
    }
}

impl RowSyntax {
    /// Returns the properties that all rows must share, set by the first row.
    pub fn shape(&self, first: &[u8]) -> Shape {
        let crlf = self.ends_with_feed(first).then(|| self.ends_with_returns(first));
        let fields = self.field_count().map(|count| match count {
            FieldCount::Exactly(count) => count,
            FieldCount::Header => self.count_fields(first, true),
        });
        Shape { fields, crlf }
    }

    /// Reports whether each of some rows matches the others, apart from its quotes. `first` means that the input begins
    /// with them.
    pub fn fit(&self, rows: &[u8], shape: Shape, first: bool) -> bool {
        match self.format() {
            RowFormat::Lines | RowFormat::Json | RowFormat::Xml => return true,
            RowFormat::Csv | RowFormat::Tsv if self.surely_fit(rows, shape, first) => return true,
            RowFormat::Csv | RowFormat::Tsv | RowFormat::Jsonl => {}
        }
        let is_first = |row: &Row| first && row.range.start == 0;
        self.rows(rows).all(|row| self.violations(&rows[row.range.clone()], shape, is_first(&row)).is_empty())
    }

    /// Reports whether rows with fields certainly match.
    fn surely_fit(&self, rows: &[u8], shape: Shape, first: bool) -> bool {
        let ends = match shape.crlf {
            Some(true) if !self.reader().mixed_row_ends => self.pairs_up(rows, true),
            Some(false) if !self.reader().mixed_row_ends => self.carriage_from(rows, 0).is_none(),
            _ => self.carriage_from(rows, 0).is_none_or(|at| self.pairs_up(&rows[at..], false)),
        };
        let begin = if first { rows.len().min(1) } else { 0 };
        let has_mark = self.quoted_mark().is_some_and(|mark| memmem::find(&rows[begin..], &mark).is_some());
        ends && !has_mark
            && !self.is_cut_off(rows)
            && (self.reader().dot_lines || memmem::find(rows, b"\\").is_none())
            && self.quote_byte_from(rows).is_none()
            && self.counts_fit(rows, shape)
    }

    /// Reports whether each carriage return precedes a line feed, and if `both`, each line feed follows one.
    fn pairs_up(&self, rows: &[u8], both: bool) -> bool {
        let Some((feed, carriage)) = self.line_ends_of_bytes() else {
            let (mut at, mut returns) = (0, 0);
            while let Some(found) = self.carriage_from(rows, at) {
                at = found + self.width();
                returns += 1;
                if !self.is_feed(rows, at) {
                    return false;
                }
            }
            return !both || returns == self.feeds(rows);
        };
        let inner = rows.len().saturating_sub(1);
        // Few branches, so that the compiler vectorizes it.
        let lone_returns = |(one, other): (&[u8], &[u8])| {
            let pairs = one.iter().zip(other);
            pairs.fold(false, |odd, (&one, &other)| odd | (one == carriage) & (other != feed))
        };
        let lone_feeds = |(one, other): (&[u8], &[u8])| {
            let pairs = one.iter().zip(other);
            pairs.fold(false, |odd, (&one, &other)| odd | (one != carriage) & (other == feed))
        };
        let pairs = || rows[..inner].chunks(4096).zip(rows[rows.len() - inner..].chunks(4096));
        let is_cut = rows.last() == Some(&carriage) || both && rows.first() == Some(&feed);
        !(is_cut || pairs().any(lone_returns) || both && pairs().any(lone_feeds))
    }

    /// Reports whether rows certainly have the right number of fields.
    fn counts_fit(&self, rows: &[u8], shape: Shape) -> bool {
        // A row without a byte may have no field.
        shape.fields.is_none_or(|wanted| wanted > 1 && self.row_counts_by_masks(rows, wanted))
    }

    /// Counts the fields of a row. `first` means that the input begins with it.
    pub(super) fn count_fields(&self, row: &[u8], first: bool) -> u64 {
        let mark = if first && row.starts_with(self.mark()) { self.mark().len() } else { 0 };
        match self.content_end(row) == mark && !self.reader().empty_rows {
            true => 0,
            false => self.fields(row).count() as u64,
        }
    }

    /// Returns the problem of a row as a whole, apart from its quotes. `first` means that the input begins with it.
    pub fn violations(&self, row: &[u8], shape: Shape, first: bool) -> Vec<RowViolation> {
        let found = match self.format() {
            RowFormat::Csv | RowFormat::Tsv => {
                let mark = if first { None } else { self.inner_mark(row) };
                let count = self.miscount(row, shape, first);
                [self.row_end(row, shape), self.end_marker(row), self.quote_byte(row), count, mark]
            }
            RowFormat::Jsonl => [self.row_end(row, shape), self.json_fault(row), None, None, None],
            RowFormat::Lines | RowFormat::Json | RowFormat::Xml => [None, None, None, None, None],
        };
        found.into_iter().flatten().collect()
    }

    /// Returns a carriage return that some readers treat as the end of the row, outside of quotes.
    fn row_end(&self, row: &[u8], shape: Shape) -> Option<RowViolation> {
        let end = self.content_end(row);
        let unquoted = |field: &Range<usize>| self.content(&row[field.clone()]).1.is_none();
        let alone_in = |field: Range<usize>| self.carriage_from(&row[..field.end], field.start);
        let alone = match self.format() {
            RowFormat::Jsonl => alone_in(0..end),
            _ => self.fields(row).filter(unquoted).find_map(alone_in),
        };
        if let Some(offset) = alone {
            let what = "carriage return without a line feed, at which many programs end the row".to_owned();
            return Some(RowViolation { offset, len: self.width(), kind: RowViolationKind::RowEnd, what });
        }
        if self.is_cut_off(row) {
            let what = "row end: none after an empty field, which is then missing".to_owned();
            return Some(RowViolation { offset: end, len: 0, kind: RowViolationKind::RowEnd, what });
        }
        let crlf = shape.crlf.filter(|_| !self.reader().mixed_row_ends && self.ends_with_feed(row))?;
        let what = match crlf {
            true => "row end: LF, where the first row ends with CR LF",
            false => "row end: CR LF, where the first row ends with LF",
        };
        let violation =
            RowViolation { offset: end, len: row.len() - end, kind: RowViolationKind::RowEnd, what: what.to_owned() };
        (self.ends_with_returns(row) != crlf).then_some(violation)
    }

    /// Reports whether rows end with an empty field and no line end, a field that some readers miss.
    fn is_cut_off(&self, rows: &[u8]) -> bool {
        let last = rows.len().checked_sub(self.width());
        !self.reader().empty_end && last.is_some_and(|last| self.begins_a_field(rows, last + self.width()))
    }

    /// Returns a line `\.`, at which PostgreSQL's COPY ends, and psql's \copy even within quotes.
    fn end_marker(&self, row: &[u8]) -> Option<RowViolation> {
        if self.reader().dot_lines || memmem::find(row, b"\\").is_none() {
            return None;
        }
        let text = text(self.codec(), row);
        let is_marker = |line: &str| line.trim_end_matches('\r') == "\\.";
        let what = "end marker: COPY takes a line \\. for the end of the data".to_owned();
        text.split('\n').any(is_marker).then_some(RowViolation {
            offset: 0,
            len: 0,
            kind: RowViolationKind::EndMarker,
            what,
        })
    }

    /// Returns a byte 01. PostgreSQL must be given it as the quote for rows without quotes, because its COPY cannot
    /// turn quoting off.
    fn quote_byte(&self, row: &[u8]) -> Option<RowViolation> {
        let what = "byte 01, which COPY uses as the quote".to_owned();
        self.quote_byte_from(row).map(|offset| RowViolation {
            offset,
            len: self.width(),
            kind: RowViolationKind::QuoteByte,
            what,
        })
    }

    /// Returns a byte order mark before a quote, which is then not at the start of the field.
    fn inner_mark(&self, row: &[u8]) -> Option<RowViolation> {
        let mark = self.quoted_mark().filter(|mark| row.starts_with(mark))?;
        let what = "byte order mark before a quote, within the text".to_owned();
        Some(RowViolation { offset: 0, len: mark.len() - self.width(), kind: RowViolationKind::InnerMark, what })
    }

    fn miscount(&self, row: &[u8], shape: Shape, first: bool) -> Option<RowViolation> {
        let wanted = shape.fields?;
        let count = self.count_fields(row, first);
        let surplus = usize::try_from(wanted).ok().and_then(|wanted| self.fields(row).nth(wanted));
        let offset = surplus.map_or(self.content_end(row), |field| field.start);
        let what = format!("wrong number of fields: {count} instead of {wanted}");
        (count != wanted).then_some(RowViolation { offset, len: 0, kind: RowViolationKind::FieldCount, what })
    }

    fn json_fault(&self, row: &[u8]) -> Option<RowViolation> {
        let content = &row[..self.content_end(row)];
        let is_utf8 = self.codec() == Codec::Native(AnyEncoding::Utf8);
        let utf8 = match is_utf8 {
            true => Cow::Borrowed(content),
            false => Cow::Owned(text(self.codec(), content).trim_start_matches('\u{FEFF}').as_bytes().to_vec()),
        };
        let (at, what) = json::fault(&utf8, self.reader())?;
        let offset = if is_utf8 { at } else { 0 };
        Some(RowViolation { offset, len: 0, kind: RowViolationKind::InvalidJson, what: format!("not JSON: {what}") })
    }
}
