//! Lines and columns.

use core::ops::Range;

use crate::boundary::floor_in;
use crate::count::{count_in, offset_of_in, utf16_len_in};
use crate::dispatch;
use crate::encoding::{Codec, ENCODE_BUFFER};
use crate::kernels::count::Class;

/// The unit that a column or a position counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnUnit {
    /// Code points, with each error as one: what compilers and the command `utf8` print.
    #[default]
    CodePoints,
    /// Bytes.
    Bytes,
    /// UTF-16 code units: what the Language Server Protocol and JavaScript count.
    Utf16,
}

/// A line and a column, both from 1. A line end belongs to the line that it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
}

impl LineColumn {
    /// Creates a line and a column, both from 1.
    #[must_use]
    pub const fn new(line: u64, column: u64) -> LineColumn {
        LineColumn { line, column }
    }
}

/// Returns the line and column of the item that contains the byte at `offset`.
pub(crate) fn line_column<E: Codec>(encoding: E, bytes: &[u8], offset: usize, unit: ColumnUnit) -> LineColumn {
    let item = floor_in(encoding, bytes, offset);
    let start = line_start(encoding, bytes, item);
    let column = column(encoding, bytes, start..item, offset, unit);
    LineColumn { line: lines_in(encoding, &bytes[..start]) as u64 + 1, column }
}

/// Returns the byte offset of a line and column.
pub(crate) fn offset_at<E: Codec>(encoding: E, bytes: &[u8], place: LineColumn, unit: ColumnUnit) -> Option<usize> {
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

/// Returns the column, from 1, of the last item of a part of a line, or of the byte at `offset`.
fn column<E: Codec>(encoding: E, bytes: &[u8], before: Range<usize>, offset: usize, unit: ColumnUnit) -> u64 {
    let start = before.start;
    let column = match unit {
        ColumnUnit::CodePoints => count_in(encoding, &bytes[before]),
        ColumnUnit::Bytes => offset.min(bytes.len()) - start,
        ColumnUnit::Utf16 => utf16_len_in(encoding, &bytes[before]),
    };
    column as u64 + 1
}

/// Returns the offset of a column, from 1, within a line.
fn within<E: Codec>(encoding: E, bytes: &[u8], range: Range<usize>, column: u64, unit: ColumnUnit) -> Option<usize> {
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

/// Returns a line feed, and its length in bytes.
fn line_feed<E: Codec>(encoding: E) -> ([u8; ENCODE_BUFFER], usize) {
    let mut feed = [0; ENCODE_BUFFER];
    let len = encoding.encode_value(u32::from(b'\n'), &mut feed).unwrap_or(1);
    (feed, len)
}

/// Iterates over the ends of lines, including the line feed. A last line without a line feed is not included.
fn line_ends<E: Codec>(encoding: E, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let (feed, unit) = line_feed(encoding);
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

/// Counts line feeds.
pub(crate) fn lines_in<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    if encoding.erase().unit() == 1 {
        return dispatch::count(bytes, Class::Byte(b'\n'));
    }
    let (feed, unit) = line_feed(encoding);
    bytes.chunks_exact(unit).filter(|chunk| **chunk == feed[..unit]).count()
}

/// Returns where the line that contains the item at `item` begins.
pub(crate) fn line_start<E: Codec>(encoding: E, bytes: &[u8], item: usize) -> usize {
    if encoding.erase().unit() == 1 {
        return bytes[..item].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    }
    let (feed, unit) = line_feed(encoding);
    let whole = item - item % unit;
    bytes[..whole].rchunks_exact(unit).position(|chunk| *chunk == feed[..unit]).map_or(0, |back| whole - back * unit)
}
