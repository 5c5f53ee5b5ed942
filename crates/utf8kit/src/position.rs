//! Lines and columns.

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
/// ```
/// use utf8kit::{ColumnUnit, LineColumn, Utf8, line_column};
/// let text = "one\nzwei €5".as_bytes();
/// assert_eq!(line_column(Utf8, text, 12, ColumnUnit::CodePoints), LineColumn::new(2, 7));
/// assert_eq!(line_column(Utf8, text, 12, ColumnUnit::Bytes), LineColumn::new(2, 9));
/// ```
#[must_use]
pub fn line_column<E: Encoding>(encoding: E, bytes: &[u8], offset: usize, unit: ColumnUnit) -> LineColumn {
    let item = crate::boundary::floor_in(encoding, bytes, offset);
    let start = line_start(encoding, bytes, item);
    let line = &bytes[start..item];
    let column = match unit {
        ColumnUnit::CodePoints => count_in(encoding, line),
        ColumnUnit::Bytes => offset.min(bytes.len()) - start,
        ColumnUnit::Utf16 => utf16_len_in(encoding, line),
    };
    LineColumn { line: lines_in(encoding, &bytes[..start]) as u64 + 1, column: column as u64 + 1 }
}

/// The byte offset of a line and column, or `None` if there is no such line, or the line has no such column (the
/// place right after its last item is one). A column inside an item is the item's start.
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
    let column = usize::try_from(place.column.checked_sub(1)?).ok()?;
    let mut start = 0;
    for _ in 1..place.line.max(1) {
        start = line_end(encoding, bytes, start).filter(|&end| end.1).map(|end| end.0)?;
    }
    if place.line == 0 {
        return None;
    }
    let end = line_end(encoding, bytes, start).map_or(bytes.len(), |(end, _)| end);
    let line = &bytes[start..end];
    let within = match unit {
        ColumnUnit::CodePoints => offset_of_in(encoding, line, column)?,
        ColumnUnit::Bytes => {
            (column <= line.len()).then(|| crate::boundary::floor_in(encoding, line, column))?
        }
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
    Some(start + within)
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

/// Where the line that begins at `start` ends, its line feed included; and whether there was one.
fn line_end<E: Encoding>(encoding: E, bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut feed = [0; crate::encoding::ENCODE_BUFFER];
    let unit = encoding.encode(u32::from(b'\n'), &mut feed).unwrap_or(1);
    let rest = &bytes[start..];
    let found = rest.chunks_exact(unit).position(|chunk| *chunk == feed[..unit]);
    Some(found.map_or((bytes.len(), false), |at| (start + (at + 1) * unit, true)))
}
