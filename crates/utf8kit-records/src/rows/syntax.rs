//! The syntax of rows: quotes, delimiters and line endings as code units of the encoding.

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use utf8kit::{AnyEncoding, Encoding as _};
use utf8kit_encodings::charset::{Codec, Legacy};
use utf8kit_encodings::convert::{Converter, Invalid, Plan};
use utf8kit_encodings::counts::Counts;

use super::lines::{JsonLines, markup_from, xml_line};
use super::options::{Quote, RowFormat, RowOptions, RowSyntaxError};
use super::reader::{FieldCount, Reader};

/// Maximum length of a row in bytes, and of the search for the end of a quoted field.
pub const LONGEST_ROW: usize = 16 << 20;

/// The syntax of rows in an encoding.
///
/// A quoted field begins with a quote at the start of a field; elsewhere, a quote is an ordinary character, unless the
/// [`Reader`] rejects it. Within a quoted field, two quotes stand for one. A row ends at a line feed outside of quoted
/// fields.
///
/// ```
/// use utf8kit_encodings::charset::Codec;
/// use utf8kit_records::rows::{RowFormat, RowOptions, RowSyntax};
/// let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let csv = RowSyntax::new(RowOptions::new(RowFormat::Csv), utf8).unwrap();
/// let rows: Vec<_> = csv.rows(b"a,\"b\nb\"\n5' 3\",\"c").map(|row| (row.range, row.broken)).collect();
/// assert_eq!(rows, [(0..8, None), (8..16, Some(14))]); // the last quote does not end
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSyntax {
    format: RowFormat,
    codec: Codec,
    /// Bytes per code unit, and the index of the byte that holds ASCII.
    width: usize,
    low: usize,
    pub(super) feed: u8,
    carriage: u8,
    delimiter: Option<u8>,
    quote: Option<u8>,
    /// The byte order mark, after which the first field begins.
    mark: Vec<u8>,
    fields: Option<FieldCount>,
    reader: Reader,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Its range, including the line ending.
    pub range: std::ops::Range<usize>,
    /// The offset of a quote that is not closed properly, if there is one. The row then ends with its line.
    pub broken: Option<usize>,
    /// Whether more of the row follows, because it is longer than [`LONGEST_ROW`].
    pub cut: bool,
}

/// How a quoted field ends.
enum Close {
    /// At this offset, which is followed by a delimiter, a line ending or the end.
    At(usize),
    /// With a closing quote that ends at this offset and is followed by something else.
    Badly(usize),
    /// Not within the visible bytes.
    Never,
}

impl RowSyntax {
    /// Returns the syntax of a format in an encoding.
    ///
    /// # Errors
    /// [`RowSyntaxError`] if a delimiter or quote cannot be distinguished from other characters in this encoding.
    pub fn new(options: RowOptions, codec: Codec) -> Result<RowSyntax, RowSyntaxError> {
        let fields = matches!(options.format, RowFormat::Csv | RowFormat::Tsv);
        if !fields && (options.delimiter.is_some() || options.quote.is_some() || options.fields.is_some()) {
            return Err(RowSyntaxError::NoFields(options.format));
        }
        // The Base64 of UTF-7 contains no delimiter or quote, and ends with its line.
        if codec.is_stateful() && codec.name() != "UTF-7" {
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
            mark: match codec {
                Codec::Native(AnyEncoding::Utf8) if !options.reader.skips_mark => Vec::new(),
                _ => codec.mark().unwrap_or_default(),
            },
            fields: options.fields,
            reader: options.reader,
        })
    }

    /// Returns the format.
    pub fn format(&self) -> RowFormat {
        self.format
    }

    /// Returns the encoding.
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Returns the syntax for the same rows in UTF-8. `None` if a delimiter or quote is not a single byte there.
    pub(crate) fn in_utf8(&self) -> Option<RowSyntax> {
        let sign = |byte: u8| {
            let mut unit = vec![0; self.width];
            *unit.get_mut(self.low)? = byte;
            text(self.codec, &unit).chars().next()
        };
        let quote = self.quote.and_then(sign).map_or(Quote::Unquoted, Quote::Sign);
        let options = RowOptions {
            format: self.format,
            delimiter: self.delimiter.and_then(sign),
            quote: self.delimiter.is_some().then_some(quote),
            fields: self.fields,
            reader: self.reader,
        };
        RowSyntax::new(options, Codec::Native(AnyEncoding::Utf8)).ok()
    }

    /// Returns the number of fields that each row must have.
    pub(super) fn field_count(&self) -> Option<FieldCount> {
        self.fields
    }

    /// Returns the program that reads the rows.
    pub(super) fn reader(&self) -> Reader {
        self.reader
    }

    /// Returns the number of bytes per code unit.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn quote(&self) -> Option<u8> {
        self.quote
    }

    pub(super) fn delimiter(&self) -> Option<u8> {
        self.delimiter
    }

    /// Returns the byte order mark before the first field, or nothing if the mark is part of that field.
    pub(super) fn mark(&self) -> &[u8] {
        &self.mark
    }

    /// Finds the first byte 01 in rows without quotes, if the program that reads them must use it as the quote.
    pub(super) fn quote_byte_from(&self, rows: &[u8]) -> Option<usize> {
        match self.quote {
            None if !self.reader.inner_quotes => self.find(1, rows, 0),
            _ => None,
        }
    }

    /// Returns line feed and carriage return, if code units are bytes.
    pub(super) fn line_ends_of_bytes(&self) -> Option<(u8, u8)> {
        (self.width == 1).then_some((self.feed, self.carriage))
    }

    /// Iterates over the rows of a whole text. Concatenated, they are the text.
    pub fn rows<'b>(&'b self, bytes: &'b [u8]) -> impl Iterator<Item = Row> + 'b {
        let (mut at, mut json) = (0, JsonLines::default());
        std::iter::from_fn(move || {
            let row = self.next_row(bytes, at, true, &mut json)?;
            at = row.range.end;
            Some(row)
        })
    }

    /// Returns the row that begins at `start`. `None` if there is none or if, with `end` false, more of the text is
    /// needed.
    pub(super) fn next_row(&self, bytes: &[u8], start: usize, end: bool, json: &mut JsonLines) -> Option<Row> {
        // Ignore bytes beyond the limit even if they are in memory, so that results do not depend on the chunks.
        let reach = bytes.len().min(start.saturating_add(LONGEST_ROW));
        let seen = bytes.get(start..reach)?;
        let too_long = reach < bytes.len();
        let ends = end && !too_long;
        let row = |len: usize, broken| Row { range: start..start + len, broken, cut: false };
        let rest = |broken| match (too_long, ends) {
            (true, _) => Some(Row { cut: true, ..row(self.boundary(seen), broken) }),
            (_, true) if !seen.is_empty() => Some(row(seen.len(), broken)),
            _ => None,
        };
        let line = match self.format {
            RowFormat::Json => Some(json.end(&bytes[..reach], start, ends || too_long).map(|end| end - start)),
            RowFormat::Xml => Some(xml_line(seen)),
            _ => None,
        };
        if let Some(len) = line {
            return len.map(|len| row(len, None)).or_else(|| rest(None));
        }
        let (mut at, mut broken) = (0, None);
        loop {
            let Some(found) = self.feed_or_quote(seen, at) else { return rest(broken) };
            if seen[found + self.low] == self.feed {
                return Some(row(found + self.width, broken));
            }
            at = found + self.width;
            if !self.begins_a_field(seen, found) {
                broken = broken.or((!self.reader.inner_quotes).then_some(start + found));
                continue;
            }
            // This is the quote of another field and not the end of this one.
            let opens =
                |quote: usize| self.begins_a_field(seen, quote) || quote > 0 && self.is_feed(seen, quote - self.width);
            let is_in_a_line = |end: usize| self.feed_from(&seen[..end], at).is_none();
            at = match self.close(seen, at, ends) {
                Close::At(next) => next,
                Close::Never if !ends && !too_long => return None,
                Close::Badly(next) if is_in_a_line(next) || !opens(next - self.width) => {
                    broken = broken.or(Some(start + found));
                    next
                }
                Close::Badly(_) | Close::Never => {
                    // The row ends with the line of the quote, so that it does not swallow the following rows.
                    let line = self.feed_from(seen, found).map(|feed| feed + self.width);
                    let cut = line.is_none() && too_long;
                    let len = line.unwrap_or_else(|| if cut { self.boundary(seen) } else { seen.len() });
                    return Some(Row { cut, ..row(len, broken.or(Some(start + found))) });
                }
            };
        }
    }

    /// Counts the rows of a text without quotes, up to its last line feed. Returns their number and the end of the last
    /// one.
    pub(super) fn unquoted_rows(&self, bytes: &[u8]) -> (u64, usize) {
        let Some(last) = self.last_feed(bytes) else { return (0, 0) };
        let end = last + self.width;
        (self.feeds(&bytes[..end]), end)
    }

    /// Counts line feeds.
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

    /// Finds the first place where a line feed may not end a row.
    pub(super) fn quoted_from(&self, bytes: &[u8]) -> Option<usize> {
        match self.format {
            RowFormat::Json => memchr(b'"', bytes),
            RowFormat::Xml => markup_from(bytes),
            _ => self.quote_from(bytes, 0),
        }
    }

    /// Finds the first carriage return at or after `at`.
    pub(super) fn carriage_from(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.find(self.carriage, bytes, at)
    }

    /// Returns a byte order mark and a quote.
    pub(super) fn quoted_mark(&self) -> Option<Vec<u8>> {
        let mut unit = vec![0; self.width];
        *unit.get_mut(self.low)? = self.quote?;
        (!self.mark.is_empty()).then(|| [&self.mark[..], &unit].concat())
    }

    /// Reports whether there is a line feed at `at`.
    pub(super) fn is_feed(&self, bytes: &[u8], at: usize) -> bool {
        self.is(Some(self.feed), bytes, at)
    }

    /// Reports whether a row ends with a line feed.
    pub(super) fn ends_with_feed(&self, row: &[u8]) -> bool {
        row.len().checked_sub(self.width).is_some_and(|at| self.is_feed(row, at))
    }

    /// Reports whether a row ends with a carriage return and a line feed.
    pub(super) fn ends_with_returns(&self, row: &[u8]) -> bool {
        let before = row.len().checked_sub(2 * self.width);
        self.ends_with_feed(row) && before.is_some_and(|at| self.is(Some(self.carriage), row, at))
    }

    /// Finds the first quote at or after `at`.
    pub(super) fn quote_from(&self, bytes: &[u8], at: usize) -> Option<usize> {
        self.find(self.quote?, bytes, at)
    }

    /// Finds the last line feed.
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

    /// Finds the first code unit at or after `at` that equals `sign`.
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

    /// Returns the start of the code unit whose value is the byte at `found`, or `None` if the byte is part of another
    /// value.
    fn unit_at(&self, bytes: &[u8], found: usize) -> Option<usize> {
        if self.width == 1 {
            return Some(found);
        }
        let start = found.checked_sub(self.low)?;
        let unit = bytes.get(start..start + self.width)?;
        let zeros = unit.iter().filter(|&&byte| byte == 0).count();
        (start.is_multiple_of(self.width) && zeros == self.width - 1).then_some(start)
    }

    /// Reports whether the code unit at `at` equals `sign`.
    fn is(&self, sign: Option<u8>, bytes: &[u8], at: usize) -> bool {
        sign.is_some_and(|sign| {
            bytes.get(at + self.low) == Some(&sign) && self.unit_at(bytes, at + self.low) == Some(at)
        })
    }

    /// Reports whether a field begins at offset `at` of a row.
    pub(super) fn begins_a_field(&self, row: &[u8], at: usize) -> bool {
        let before = at.checked_sub(self.width);
        before.is_none_or(|before| self.is(self.delimiter, row, before)) || row.get(..at) == Some(&self.mark)
    }

    /// Finds the end of the quoted field whose content begins at `at`. `end` means that nothing follows `bytes`.
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
            let next_feed = if returns { next + self.width } else { next };
            return match next_feed + self.width > bytes.len() {
                _ if ends || returns && self.is(Some(self.feed), bytes, next_feed) => Close::At(next),
                true if end => Close::At(next),
                true => Close::Never,
                false => Close::Badly(next),
            };
        }
    }

    /// Returns the last boundary in the bytes of a row that is cut off.
    fn boundary(&self, seen: &[u8]) -> usize {
        match self.codec {
            Codec::Native(encoding) => last_boundary(encoding, seen),
            Codec::Legacy(_) => seen.len(),
        }
    }

    /// Iterates over the ranges of the fields of a row, including their quotes. The line ending is not part of a field.
    pub fn fields<'r>(&'r self, row: &'r [u8]) -> impl Iterator<Item = std::ops::Range<usize>> + 'r {
        let mut at = Some(if !self.mark.is_empty() && row.starts_with(&self.mark) { self.mark.len() } else { 0 });
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

    /// Returns the start of the line ending of a row.
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

    /// Returns the range of the text within a field, and the quote that is doubled in it, if any.
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

/// Returns the start of the last character of a text, because it may continue after the text, or the text's length if
/// it is a single character.
fn last_boundary(encoding: AnyEncoding, text: &[u8]) -> usize {
    match encoding.floor_char_boundary(text, text.len().saturating_sub(1)) {
        0 => text.len(),
        at => at,
    }
}

/// Reports whether a byte may be the last one of a character that begins with another byte, by decoding such pairs.
fn may_end_a_character(codec: Codec, byte: u8) -> bool {
    let Codec::Legacy(legacy) = codec else { return false };
    !legacy.is_single_byte() && (0x80..=0xFF).any(|lead| is_character(legacy, &[lead, byte]))
        || is_character(legacy, &[0x81, 0x30, 0x81, byte])
}

fn is_character(legacy: Legacy, bytes: &[u8]) -> bool {
    legacy.text_of(bytes).is_some_and(|text| text.chars().count() == 1)
}

/// Decodes bytes, replacing invalid parts.
pub(crate) fn text(codec: Codec, bytes: &[u8]) -> String {
    let to = Codec::Native(AnyEncoding::Utf8);
    let plan = Plan::new(codec, to, Invalid::REPLACE);
    let mut out = Vec::with_capacity(bytes.len());
    // Cannot fail, because invalid parts are replaced.
    let _ = Converter::new(&plan).push(bytes, true, &mut out, &mut Counts::default());
    String::from_utf8_lossy(&out).into_owned()
}
