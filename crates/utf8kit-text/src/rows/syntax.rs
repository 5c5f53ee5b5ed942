//! How rows are told apart, and where they end: quotes, delimiters and line ends as code units of the encoding.

use std::fmt;

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use utf8kit::{AnyEncoding, Encoding as _, floor_in};

use crate::charset::{Codec, Legacy};

/// The most bytes of a row, and of what is looked through for the end of a quoted field.
pub const LONGEST_ROW: usize = 16 << 20;

/// What kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowFormat {
    /// Fields between commas, quoted where need be (RFC 4180).
    Csv,
    /// Fields between tabs, without quotes.
    Tsv,
    /// A JSON value a line.
    Jsonl,
    /// Lines.
    Lines,
}

/// What was asked for: a format, and what differs from its usual signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOptions {
    /// The format.
    pub format: RowFormat,
    /// What stands between fields, if not the usual.
    pub delimiter: Option<char>,
    /// What stands around fields, if not the usual; `Some(None)`: nothing does.
    pub quote: Option<Option<char>>,
}

impl RowOptions {
    /// The usual signs of a format.
    pub const fn new(format: RowFormat) -> RowOptions {
        RowOptions { format, delimiter: None, quote: None }
    }

    /// The delimiter and the quote.
    fn signs(self) -> (Option<char>, Option<char>) {
        match self.format {
            RowFormat::Csv => (self.delimiter.or(Some(',')), self.quote.unwrap_or(Some('"'))),
            RowFormat::Tsv => (self.delimiter.or(Some('\t')), self.quote.flatten()),
            RowFormat::Jsonl | RowFormat::Lines => (None, None),
        }
    }
}

/// Why rows cannot be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowSyntaxError {
    /// Such rows have no fields.
    NoFields(RowFormat),
    /// A sign is no single code unit in the encoding.
    NotOneUnit(char, Codec),
    /// The byte of a sign may be the second half of another character.
    Ambiguous(char, Codec),
    /// Two of delimiter, quote and line end are the same.
    Same(char),
    /// What a byte means depends on bytes long before it.
    Stateful(Codec),
}

impl fmt::Display for RowSyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RowSyntaxError::NoFields(format) => {
                let name = if format == RowFormat::Jsonl { "jsonl" } else { "lines" };
                write!(f, "{name} has no delimiter and no quote")
            }
            RowSyntaxError::NotOneUnit(sign, codec) => {
                write!(f, "{sign:?} is no single code unit in {codec}, as a delimiter or quote must be")
            }
            RowSyntaxError::Ambiguous(sign, codec) => {
                write!(
                    f,
                    "{sign:?} is also the last byte of other characters in {codec}: convert to utf-8 first"
                )
            }
            RowSyntaxError::Same(sign) => {
                write!(f, "{sign:?} cannot be two of delimiter, quote and line end")
            }
            RowSyntaxError::Stateful(codec) => {
                write!(f, "rows of {codec} depend on those before them: convert to utf-8 first")
            }
        }
    }
}

impl std::error::Error for RowSyntaxError {}

/// How rows in an encoding are told apart.
///
/// A quoted field begins with a quote at the start of a field; a quote elsewhere is an ordinary character. Two quotes in
/// it stand for one. A row ends at a line feed outside of quoted fields.
///
/// ```
/// use utf8kit_text::charset::Codec;
/// use utf8kit_text::rows::{RowFormat, RowOptions, RowSyntax};
/// let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let csv = RowSyntax::new(RowOptions::new(RowFormat::Csv), utf8).unwrap();
/// let rows: Vec<_> = csv.rows(b"a,\"b\nb\"\n5' 3\",\"c").map(|row| (row.range, row.broken)).collect();
/// assert_eq!(rows, [(0..8, None), (8..16, Some(14))]); // the last quote does not end
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSyntax {
    format: RowFormat,
    codec: Codec,
    /// Bytes of a code unit, and which of them holds ASCII.
    width: usize,
    low: usize,
    feed: u8,
    carriage: u8,
    delimiter: Option<u8>,
    quote: Option<u8>,
    /// The byte order mark, behind which the first field begins.
    mark: Vec<u8>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Where it is, its line end included.
    pub range: std::ops::Range<usize>,
    /// The quote that is not closed as it should be, if there is one: then the row ends with its line.
    pub broken: Option<usize>,
    /// Whether it goes on behind, as it is longer than [`LONGEST_ROW`].
    pub cut: bool,
}

/// How a quoted field ends.
enum Close {
    /// Before a delimiter, a line end or the end: there.
    At(usize),
    /// Its closing quote, which ends here, is followed by something else.
    Badly(usize),
    /// Not as far as can be seen.
    Never,
}

impl RowSyntax {
    /// The rows of a text in an encoding.
    ///
    /// # Errors
    /// [`RowSyntaxError`] if a sign of the format cannot be told from other characters in this encoding.
    pub fn new(options: RowOptions, codec: Codec) -> Result<RowSyntax, RowSyntaxError> {
        let fields = matches!(options.format, RowFormat::Csv | RowFormat::Tsv);
        if !fields && (options.delimiter.is_some() || options.quote.is_some()) {
            return Err(RowSyntaxError::NoFields(options.format));
        }
        if is_stateful(codec) {
            return Err(RowSyntaxError::Stateful(codec));
        }
        let width = match codec {
            Codec::Native(encoding) => encoding.unit(),
            _ => 1,
        };
        let unit = |sign: char| match codec.bytes_of(sign) {
            Some(bytes) if bytes.len() == width && bytes.iter().filter(|&&byte| byte != 0).count() == 1 => {
                let low = bytes.iter().position(|&byte| byte != 0).unwrap_or(0);
                Ok((low, bytes[low]))
            }
            _ => Err(RowSyntaxError::NotOneUnit(sign, codec)),
        };
        let (low, feed) = unit('\n')?;
        let (_, carriage) = unit('\r')?;
        let sign = |sign: char| match unit(sign)? {
            (_, byte) if byte == feed || byte == carriage => Err(RowSyntaxError::Same(sign)),
            (_, byte) if may_end_a_character(codec, byte) => Err(RowSyntaxError::Ambiguous(sign, codec)),
            (_, byte) => Ok(byte),
        };
        let (delimiter, quote) = options.signs();
        if let (Some(sign), true) = (delimiter, delimiter == quote) {
            return Err(RowSyntaxError::Same(sign));
        }
        Ok(RowSyntax {
            format: options.format,
            codec,
            width,
            low,
            feed,
            carriage,
            delimiter: delimiter.map(sign).transpose()?,
            quote: quote.map(sign).transpose()?,
            mark: codec.mark().unwrap_or_default(),
        })
    }

    /// The format.
    pub fn format(&self) -> RowFormat {
        self.format
    }

    /// The encoding.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// The same for the same rows in UTF-8. `None` if a sign is no single byte there.
    pub(super) fn in_utf8(&self) -> Option<RowSyntax> {
        let sign = |byte: u8| {
            let mut unit = vec![0; self.width];
            *unit.get_mut(self.low)? = byte;
            super::field::text(self.codec, &unit).chars().next()
        };
        let options = RowOptions {
            format: self.format,
            delimiter: self.delimiter.and_then(sign),
            quote: self.quote.map(sign),
        };
        RowSyntax::new(options, Codec::Native(AnyEncoding::Utf8)).ok()
    }

    /// Bytes of a code unit.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn quote(&self) -> Option<u8> {
        self.quote
    }

    pub(super) fn delimiter(&self) -> Option<u8> {
        self.delimiter
    }

    /// Line feed and carriage return, if code units are bytes.
    pub(super) fn line_ends_of_bytes(&self) -> Option<(u8, u8)> {
        (self.width == 1).then_some((self.feed, self.carriage))
    }

    /// The rows of a whole text: together they are the text.
    pub fn rows<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = Row> + 'b {
        let mut at = 0;
        std::iter::from_fn(move || {
            let row = self.next_row(bytes, at, true)?;
            at = row.range.end;
            Some(row)
        })
    }

    /// The row that begins at `start`; `None`: there is none, or, if the text is not at its `end`, more of it is needed.
    pub(super) fn next_row(&self, bytes: &[u8], start: usize, end: bool) -> Option<Row> {
        // What is too far away does not matter, whether or not it is in memory.
        let reach = bytes.len().min(start.saturating_add(LONGEST_ROW));
        let seen = bytes.get(start..reach)?;
        let too_long = reach < bytes.len();
        let ends = end && !too_long;
        let row = |len: usize, broken| Row { range: start..start + len, broken, cut: false };
        let (mut at, mut broken) = (0, None);
        loop {
            let Some(found) = self.feed_or_quote(seen, at) else {
                return match (too_long, ends) {
                    (true, _) => Some(Row { cut: true, ..row(self.boundary(seen), broken) }),
                    (_, true) if !seen.is_empty() => Some(row(seen.len(), broken)),
                    _ => None,
                };
            };
            if seen[found + self.low] == self.feed {
                return Some(row(found + self.width, broken));
            }
            at = found + self.width;
            if !self.begins_a_field(seen, found) {
                continue;
            }
            let is_in_a_line = |end: usize| self.feed_from(&seen[..end], at).is_none();
            at = match self.close(seen, at, ends) {
                Close::At(next) => next,
                Close::Never if !ends && !too_long => return None,
                Close::Badly(next) if is_in_a_line(next) => {
                    broken = broken.or(Some(start + found));
                    next
                }
                Close::Badly(_) | Close::Never => {
                    // The row ends with the line of the quote, so that the rows behind it are not swallowed.
                    let line = self.feed_from(seen, found).map(|feed| feed + self.width);
                    let cut = line.is_none() && too_long;
                    let len = line.unwrap_or_else(|| if cut { self.boundary(seen) } else { seen.len() });
                    return Some(Row { cut, ..row(len, broken.or(Some(start + found))) });
                }
            };
        }
    }

    /// Counts the rows of a text that has no quote, as far as its last line feed, and where that ends.
    pub(super) fn unquoted_rows(&self, bytes: &[u8]) -> (u64, usize) {
        let Some(last) = self.last_feed(bytes) else { return (0, 0) };
        let end = last + self.width;
        (self.feeds(&bytes[..end]), end)
    }

    /// Line feeds.
    pub(super) fn feeds(&self, bytes: &[u8]) -> u64 {
        if self.width == 1 {
            return memchr_iter(self.feed, bytes).count() as u64;
        }
        let mut at = 0;
        std::iter::from_fn(|| {
            at = self.feed_from(bytes, at)? + self.width;
            Some(())
        })
        .count() as u64
    }

    /// The first quote from `at` on.
    pub(super) fn quote_from(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.find(self.quote?, bytes, at)
    }

    /// The last line feed.
    fn last_feed(&self, bytes: &[u8]) -> Option<usize> {
        let mut end = bytes.len();
        loop {
            let found = memrchr(self.feed, &bytes[..end])?;
            match self.unit_at(bytes, found) {
                Some(start) => return Some(start),
                None => end = found,
            }
        }
    }

    pub(super) fn feed_from(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.find(self.feed, bytes, at)
    }

    /// The first unit from `at` on that is this sign.
    fn find(&self, sign: u8, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let found = at + memchr(sign, bytes.get(at..)?)?;
            match self.unit_at(bytes, found) {
                Some(start) => return Some(start),
                None => at = found + 1,
            }
        }
    }

    fn feed_or_quote(&self, bytes: &[u8], mut at: usize) -> Option<usize> {
        let Some(quote) = self.quote else { return self.feed_from(bytes, at) };
        loop {
            let found = at + memchr2(self.feed, quote, bytes.get(at..)?)?;
            match self.unit_at(bytes, found) {
                Some(start) => return Some(start),
                None => at = found + 1,
            }
        }
    }

    /// Where the unit begins whose value the byte at `found` is; `None` if it is part of another one.
    fn unit_at(&self, bytes: &[u8], found: usize) -> Option<usize> {
        if self.width == 1 {
            return Some(found);
        }
        let start = found.checked_sub(self.low)?;
        let unit = bytes.get(start..start + self.width)?;
        let zeros = unit.iter().filter(|&&byte| byte == 0).count();
        (start.is_multiple_of(self.width) && zeros == self.width - 1).then_some(start)
    }

    /// Whether there is this sign at `at`.
    fn is(&self, sign: Option<u8>, bytes: &[u8], at: usize) -> bool {
        sign.is_some_and(|sign| {
            bytes.get(at + self.low) == Some(&sign) && self.unit_at(bytes, at + self.low) == Some(at)
        })
    }

    /// Whether a field begins at `at` of a row.
    pub(super) fn begins_a_field(&self, row: &[u8], at: usize) -> bool {
        let before = at.checked_sub(self.width);
        before.is_none_or(|before| self.is(self.delimiter, row, before)) || row.get(..at) == Some(&self.mark)
    }

    /// How the field ends whose content begins at `at`. `end`: nothing follows.
    fn close(&self, bytes: &[u8], mut at: usize, end: bool) -> Close {
        loop {
            let Some(quote) = self.quote_from(bytes, at) else { return Close::Never };
            let next = quote + self.width;
            if self.is(self.quote, bytes, next) {
                at = next + self.width;
                continue;
            }
            let ends = self.is(self.delimiter, bytes, next) || self.is(Some(self.feed), bytes, next);
            let returns = self.is(Some(self.carriage), bytes, next);
            let behind = if returns { next + self.width } else { next };
            return match behind + self.width > bytes.len() {
                _ if ends || returns && self.is(Some(self.feed), bytes, behind) => Close::At(next),
                true if end => Close::At(next),
                true => Close::Never,
                false => Close::Badly(next),
            };
        }
    }

    /// The last boundary of what is cut off.
    fn boundary(&self, seen: &[u8]) -> usize {
        match self.codec {
            Codec::Native(encoding) => last_boundary(encoding, seen),
            Codec::Legacy(_) => seen.len(),
        }
    }

    /// The fields of a row: where each is, its quotes included; the line end is part of none.
    pub fn fields<'r>(&'r self, row: &'r [u8]) -> impl Iterator<Item = std::ops::Range<usize>> + 'r {
        let mut at =
            Some(if !self.mark.is_empty() && row.starts_with(&self.mark) { self.mark.len() } else { 0 });
        let end = self.content_end(row);
        let content = row.get(..end).unwrap_or_default();
        std::iter::from_fn(move || {
            let start = at?;
            let mut from = start;
            if self.is(self.quote, content, start)
                && let Close::At(next) | Close::Badly(next) = self.close(content, start + self.width, true)
            {
                from = next;
            }
            let stop = self.delimiter.and_then(|delimiter| self.find(delimiter, content, from));
            at = stop.map(|stop| stop + self.width);
            Some(start..stop.unwrap_or(end))
        })
    }

    /// Where the line end of a row begins.
    pub(crate) fn content_end(&self, row: &[u8]) -> usize {
        let mut end = row.len();
        for sign in [self.feed, self.carriage] {
            match end.checked_sub(self.width) {
                Some(before) if self.is(Some(sign), row, before) => end = before,
                _ => break,
            }
        }
        end
    }

    /// The range within a field that holds its text, and the quote that is written twice in it.
    pub(crate) fn content(&self, field: &[u8]) -> (std::ops::Range<usize>, Option<u8>) {
        let whole = 0..field.len();
        if !self.is(self.quote, field, 0) {
            return (whole, None);
        }
        match self.close(field, self.width, true) {
            Close::At(next) if next == field.len() => (self.width..next - self.width, self.quote),
            _ => (whole, None),
        }
    }
}

/// Where the last item of a text begins, which may go on behind it; its end if it is one item.
fn last_boundary(encoding: AnyEncoding, text: &[u8]) -> usize {
    match floor_in(encoding, text, text.len().saturating_sub(1)) {
        0 => text.len(),
        at => at,
    }
}

/// Whether rows cannot be read apart.
fn is_stateful(codec: Codec) -> bool {
    codec.name() == "ISO-2022-JP"
}

/// Whether a byte may be the last one of a character that begins with another one: the encoding is asked.
fn may_end_a_character(codec: Codec, byte: u8) -> bool {
    let Codec::Legacy(legacy) = codec else { return false };
    !legacy.is_single_byte() && (0x80..=0xFF).any(|lead| is_character(legacy, &[lead, byte]))
        || is_character(legacy, &[0x81, 0x30, 0x81, byte])
}

fn is_character(legacy: Legacy, bytes: &[u8]) -> bool {
    legacy.text_of(bytes).is_some_and(|text| text.chars().count() == 1)
}
