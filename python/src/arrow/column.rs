//! A column of any type: its layout, and the parts that it consists of.

use super::error::ArrowError;
use super::ffi::{ArrowArray, Elements, Plain, Type};

/// A range of the values of an array.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) kind: &'a Type,
    pub(super) array: &'a ArrowArray,
    /// The index of the first value in the buffers.
    pub(super) offset: usize,
    pub(super) len: usize,
}

/// Replaces a negative offset or key: an index beyond all values.
const OUT_OF_RANGE: usize = usize::MAX - 1;

/// From this many rows or bytes, work on a column may take so long that Ctrl-C must end it.
const MIN_ROWS_FOR_CHECKS: usize = 64 << 10;
pub(super) const MIN_BYTES_FOR_CHECKS: usize = 16 << 20;

/// The error for a column with such an offset.
pub(super) const NEGATIVE_OFFSET: ArrowError = ArrowError::Malformed("an offset is negative");

/// The layout of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Small,
    Large,
    Views,
    Dictionary,
    Struct,
    List,
    LargeList,
    ListView,
    LargeListView,
    FixedList(usize),
    Runs,
    DenseUnion,
    SparseUnion,
    Other,
}

/// Text or binary, with 32-bit offsets, 64-bit offsets, or views.
pub(super) fn layout(kind: &Type) -> Layout {
    if kind.dictionary.is_some() {
        return Layout::Dictionary;
    }
    match kind.format.to_bytes() {
        b"u" | b"z" => Layout::Small,
        b"U" | b"Z" => Layout::Large,
        b"vu" | b"vz" => Layout::Views,
        b"+s" => Layout::Struct,
        b"+l" | b"+m" => Layout::List,
        b"+L" => Layout::LargeList,
        b"+vl" => Layout::ListView,
        b"+vL" => Layout::LargeListView,
        b"+r" => Layout::Runs,
        format if format.starts_with(b"+ud:") => Layout::DenseUnion,
        format if format.starts_with(b"+us:") => Layout::SparseUnion,
        format => {
            let width = format.strip_prefix(b"+w:").and_then(|width| std::str::from_utf8(width).ok()?.parse().ok());
            width.map_or(Layout::Other, Layout::FixedList)
        }
    }
}

/// Reports whether a type contains text or binary values.
pub(super) fn has_text(kind: &Type) -> bool {
    matches!(layout(kind), Layout::Small | Layout::Large | Layout::Views)
        || kind.children.iter().any(has_text)
        || kind.dictionary.as_deref().is_some_and(has_text)
}

impl<'a> Column<'a> {
    /// Creates a column of all values of an array.
    pub(super) fn new(kind: &'a Type, array: &'a ArrowArray) -> Result<Column<'a>, ArrowError> {
        let number = |number| usize::try_from(number).map_err(|_| ArrowError::Malformed("a negative length or offset"));
        Ok(Column { kind, array, offset: number(array.offset)?, len: number(array.length)? })
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Reports whether work on it may take so long that Ctrl-C must end it. Fails for a broken column.
    pub(super) fn is_long(&self) -> bool {
        let size = self.leaf().ok().flatten().map_or(0, |leaf| leaf.size());
        let is_long = |kind, array| Column::new(kind, array).is_ok_and(|part| part.is_long());
        let children = self.array.children().unwrap_or_default();
        self.len >= MIN_ROWS_FOR_CHECKS
            || size >= MIN_BYTES_FOR_CHECKS
            || self.kind.children.iter().zip(children).any(|(kind, array)| is_long(kind, array))
            || self
                .kind
                .dictionary
                .as_deref()
                .zip(self.array.dictionary().ok())
                .is_some_and(|(kind, values)| is_long(kind, values))
    }

    /// Returns a range of the values of a child. The range counts from the child's own offset.
    pub(super) fn child(&self, index: usize, start: usize, len: usize) -> Result<Column<'a>, ArrowError> {
        let children = self.array.children()?;
        let (Some(kind), Some(&array)) = (self.kind.children.get(index), children.get(index)) else {
            return Err(ArrowError::Malformed("the children of an array do not match its type"));
        };
        let all = Column::new(kind, array)?;
        if start.checked_add(len).is_none_or(|end| end > all.len) {
            return Err(ArrowError::Malformed("an array is longer than its child"));
        }
        Ok(Column { offset: all.offset + start, len, ..all })
    }

    /// Returns the values that a dictionary's keys refer to.
    pub(super) fn dictionary(&self) -> Result<Column<'a>, ArrowError> {
        let kind = self.kind.dictionary.as_deref().ok_or(ArrowError::Malformed("a type lacks its dictionary"))?;
        Column::new(kind, self.array.dictionary()?)
    }

    /// Returns a buffer's elements for the values, plus some more.
    pub(super) fn elements<T: Plain>(&self, buffer: usize, more: usize) -> Result<Elements<'a, T>, ArrowError> {
        self.array.elements(buffer, self.offset, self.len + more)
    }

    /// Returns the numbers of a buffer for the values, plus some more; [`OUT_OF_RANGE`] for negative ones.
    fn numbers<T: Plain>(&self, buffer: usize, more: usize) -> Result<Vec<usize>, ArrowError>
    where
        usize: TryFrom<T>,
    {
        let number = |&number| usize::try_from(number).map_or(OUT_OF_RANGE, |number| number.min(OUT_OF_RANGE));
        Ok(self.elements::<T>(buffer, more)?.iter().map(number).collect())
    }

    pub(super) fn child_len(&self, index: usize) -> Result<usize, ArrowError> {
        let len = self.array.children()?.get(index).map_or(0, |child| child.length);
        usize::try_from(len).map_err(|_| ArrowError::Malformed("a negative length"))
    }

    /// Returns the offsets of the lists, and the end of the last one.
    pub(super) fn list_offsets(&self) -> Result<Vec<usize>, ArrowError> {
        let offsets = match layout(self.kind) {
            _ if self.len == 0 => vec![0],
            Layout::List => self.numbers::<i32>(1, 1)?,
            _ => self.numbers::<i64>(1, 1)?,
        };
        if offsets.contains(&OUT_OF_RANGE) {
            Err(NEGATIVE_OFFSET)
        } else if !offsets.is_sorted() {
            Err(ArrowError::Malformed("offsets descend"))
        } else {
            Ok(offsets)
        }
    }

    /// Returns the offsets and sizes of list views.
    pub(super) fn list_views(&self) -> Result<(Vec<usize>, Vec<usize>), ArrowError> {
        match layout(self.kind) {
            Layout::ListView => Ok((self.numbers::<i32>(1, 0)?, self.numbers::<i32>(2, 0)?)),
            _ => Ok((self.numbers::<i64>(1, 0)?, self.numbers::<i64>(2, 0)?)),
        }
    }

    /// Returns the ends of runs.
    pub(super) fn run_ends(&self) -> Result<Vec<usize>, ArrowError> {
        let ends = self.child(0, 0, self.child_len(0)?)?;
        match ends.kind.format.to_bytes() {
            b"s" => ends.numbers::<i16>(1, 0),
            b"i" => ends.numbers::<i32>(1, 0),
            b"l" => ends.numbers::<i64>(1, 0),
            _ => Err(ArrowError::Malformed("the run ends have an unknown type")),
        }
    }

    /// Returns the keys of a dictionary.
    pub(super) fn keys(&self) -> Result<Vec<usize>, ArrowError> {
        match self.kind.format.to_bytes() {
            b"c" => self.numbers::<i8>(1, 0),
            b"C" => self.numbers::<u8>(1, 0),
            b"s" => self.numbers::<i16>(1, 0),
            b"S" => self.numbers::<u16>(1, 0),
            b"i" => self.numbers::<i32>(1, 0),
            b"I" => self.numbers::<u32>(1, 0),
            b"l" => self.numbers::<i64>(1, 0),
            b"L" => self.numbers::<u64>(1, 0),
            _ => Err(ArrowError::Malformed("the dictionary keys have an unknown type")),
        }
    }

    /// Returns the slots of a dense union's values in their children.
    pub(super) fn union_slots(&self) -> Result<Vec<usize>, ArrowError> {
        self.numbers::<i32>(1, 0)
    }
}

/// Returns the type ids of a union's children: `+ud:0,5`.
pub(super) fn union_ids(kind: &Type) -> Vec<i8> {
    let format = kind.format.to_string_lossy();
    format.split(':').nth(1).unwrap_or_default().split(',').filter_map(|id| id.parse().ok()).collect()
}
