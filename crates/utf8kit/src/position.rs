//! Lines and columns.

use core::ops::Range;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::boundary::floor_in;
use crate::count::{count_in, offset_of_in, utf16_len_in};
use crate::dispatch;
use crate::encoding::Encoding;
use crate::kernel::count::Class;

/// What a column counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnUnit {
    /// Code points, each error counting as one: what compilers and the command `utf8` print.
    #[default]
    CodePoints,
    /// Bytes.
    Bytes,
    /// UTF-16 code units: what the Language Server Protocol and JavaScript count.
    Utf16,
}

/// A line and a column, both from 1. Lines end with U+000A, which belongs to the line it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct LineColumn {
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
}

impl LineColumn {
    /// A line and a column, both from 1.
    #[must_use]
    pub const fn new(line: u64, column: u64) -> LineColumn {
        LineColumn { line, column }
    }
}

/// The line and column of the item that holds the byte at `offset` (the end, if it lies past it). In
/// [`ColumnUnit::Bytes`] the column is that of the byte itself.
///
/// Reads the text up to there: for many places of one text, build a [`LineIndex`].
///
/// ```
/// use utf8kit::{ColumnUnit, LineColumn, Utf8, line_column};
/// let text = "one\nzwei €5".as_bytes();
/// assert_eq!(line_column(Utf8, text, 12, ColumnUnit::CodePoints), LineColumn::new(2, 7));
/// assert_eq!(line_column(Utf8, text, 12, ColumnUnit::Bytes), LineColumn::new(2, 9));
/// ```
#[must_use]
pub fn line_column<E: Encoding>(encoding: E, bytes: &[u8], offset: usize, unit: ColumnUnit) -> LineColumn {
    let item = floor_in(encoding, bytes, offset);
    let start = line_start(encoding, bytes, item);
    let column = column(encoding, bytes, start..item, offset, unit);
    LineColumn { line: lines_in(encoding, &bytes[..start]) as u64 + 1, column }
}

/// The byte offset of a line and column, or `None` if there is no such line, or the line has no such column (the
/// place right after its last item is one). A column inside an item is the item's start.
///
/// Reads the text up to there: for many places of one text, build a [`LineIndex`].
///
/// ```
/// use utf8kit::{ColumnUnit, LineColumn, Utf8, offset_at};
/// let text = "one\nzwei €5".as_bytes();
/// let place = |line, column| offset_at(Utf8, text, LineColumn::new(line, column), ColumnUnit::CodePoints);
/// assert_eq!(place(2, 7), Some(12));
/// assert_eq!(place(1, 9), None);
/// ```
#[must_use]
pub fn offset_at<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    place: LineColumn,
    unit: ColumnUnit,
) -> Option<usize> {
    let mut line = 1;
    let mut start = 0;
    for end in line_ends(encoding, bytes) {
        if line == place.line {
            return within(encoding, bytes, start..end, place.column, unit);
        }
        line += 1;
        start = end;
    }
    (line == place.line).then(|| within(encoding, bytes, start..bytes.len(), place.column, unit))?
}

/// Where the lines of a text begin, found once: for many places in one text.
///
/// ```
/// use utf8kit::{ColumnUnit, LineColumn, LineIndex, Utf8};
/// let text = "one\nzwei €5".as_bytes();
/// let index = LineIndex::new(Utf8, text);
/// assert_eq!((index.lines(), index.line_range(2)), (2, Some(4..13)));
/// assert_eq!(index.line_column(12, ColumnUnit::CodePoints), LineColumn::new(2, 7));
/// assert_eq!(index.offset_at(LineColumn::new(2, 7), ColumnUnit::CodePoints), Some(12));
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct LineIndex<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    /// Where each line but the first begins.
    starts: Vec<usize>,
}

#[cfg(feature = "alloc")]
impl<'b, E: Encoding> LineIndex<'b, E> {
    /// Reads the text once.
    #[must_use]
    pub fn new(encoding: E, bytes: &'b [u8]) -> Self {
        LineIndex { encoding, bytes, starts: line_ends(encoding, bytes).collect() }
    }

    /// How many lines there are: one more than line feeds.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len() + 1
    }

    /// The bytes of a line, from 1, its line feed included; `None` if there is no such line.
    #[must_use]
    pub fn line_range(&self, line: u64) -> Option<Range<usize>> {
        let line = usize::try_from(line.checked_sub(1)?).ok()?;
        let start = if line == 0 { 0 } else { *self.starts.get(line - 1)? };
        Some(start..self.starts.get(line).copied().unwrap_or(self.bytes.len()))
    }

    /// What [`line_column`] gives.
    #[must_use]
    pub fn line_column(&self, offset: usize, unit: ColumnUnit) -> LineColumn {
        let item = floor_in(self.encoding, self.bytes, offset);
        let line = self.starts.partition_point(|&start| start <= item);
        let start = if line == 0 { 0 } else { self.starts[line - 1] };
        let column = column(self.encoding, self.bytes, start..item, offset, unit);
        LineColumn { line: line as u64 + 1, column }
    }

    /// What [`offset_at`] gives.
    #[must_use]
    pub fn offset_at(&self, place: LineColumn, unit: ColumnUnit) -> Option<usize> {
        within(self.encoding, self.bytes, self.line_range(place.line)?, place.column, unit)
    }
}

/// The column, from 1, of the item that ends a stretch of a line, or of the byte at `offset`.
fn column<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    before: Range<usize>,
    offset: usize,
    unit: ColumnUnit,
) -> u64 {
    let start = before.start;
    let column = match unit {
        ColumnUnit::CodePoints => count_in(encoding, &bytes[before]),
        ColumnUnit::Bytes => offset.min(bytes.len()) - start,
        ColumnUnit::Utf16 => utf16_len_in(encoding, &bytes[before]),
    };
    column as u64 + 1
}

/// The offset of a column, from 1, of a line.
fn within<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    range: Range<usize>,
    column: u64,
    unit: ColumnUnit,
) -> Option<usize> {
    let column = usize::try_from(column.checked_sub(1)?).ok()?;
    let line = &bytes[range.clone()];
    let within = match unit {
        ColumnUnit::CodePoints => offset_of_in(encoding, line, column)?,
        ColumnUnit::Bytes => (column <= line.len()).then(|| floor_in(encoding, line, column))?,
        ColumnUnit::Utf16 => {
            let mut units = 0;
            let mut found = None;
            for item in crate::decode::items(encoding, line) {
                let pair = item.result.is_ok_and(|value| (0x1_0000..=0x10_FFFF).contains(&value));
                let width = if pair { 2 } else { 1 };
                if column < units + width {
                    found = Some(item.offset);
                    break;
                }
                units += width;
            }
            found.or((column == units).then_some(line.len()))?
        }
    };
    Some(range.start + within)
}

/// Where lines end, the line feed included: every line but one that no line feed ends.
fn line_ends<E: Encoding>(encoding: E, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut feed = [0; crate::encoding::ENCODE_BUFFER];
    let unit = encoding.encode(u32::from(b'\n'), &mut feed).unwrap_or(1);
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = &bytes[at..];
        let found = if unit == 1 {
            let found = dispatch::find(rest, b'\n');
            (found < rest.len()).then_some(found)?
        } else {
            rest.chunks_exact(unit).position(|chunk| *chunk == feed[..unit])? * unit
        };
        at += found + unit;
        Some(at)
    })
}

/// Line feeds.
pub(crate) fn lines_in<E: Encoding>(encoding: E, bytes: &[u8]) -> usize {
    if encoding.unit() == 1 {
        return dispatch::count(bytes, Class::Byte(b'\n'));
    }
    let mut feed = [0; crate::encoding::ENCODE_BUFFER];
    let unit = encoding.encode(u32::from(b'\n'), &mut feed).unwrap_or(1);
    bytes.chunks_exact(unit).filter(|chunk| **chunk == feed[..unit]).count()
}

/// Where the line that holds the item at `item` begins.
pub(crate) fn line_start<E: Encoding>(encoding: E, bytes: &[u8], item: usize) -> usize {
    if encoding.unit() == 1 {
        return bytes[..item].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    }
    let mut feed = [0; crate::encoding::ENCODE_BUFFER];
    let unit = encoding.encode(u32::from(b'\n'), &mut feed).unwrap_or(1);
    let whole = item - item % unit;
    bytes[..whole]
        .rchunks_exact(unit)
        .position(|chunk| *chunk == feed[..unit])
        .map_or(0, |back| whole - back * unit)
}
