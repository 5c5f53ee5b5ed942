//! A column of any type, and its ill-formed values: nested types are walked, text and binary values are checked, and
//! the places are reported as rows of the whole column.

use std::ops::Range;

use utf8kit::Error;
use utf8kit::column::{self, Validity, views};

use super::error::ArrowError;
use super::ffi::{ArrowArray, Elements, Type};
use crate::signals;

/// A range of the values of an array.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) kind: &'a Type,
    pub(super) array: &'a ArrowArray,
    /// The index of the first value in the buffers.
    pub(super) offset: usize,
    pub(super) len: usize,
}

/// An ill-formed value.
pub(super) struct Bad<'v> {
    /// The row of the column.
    pub(super) row: usize,
    /// The names of the fields that lead to it.
    pub(super) path: &'v str,
    /// The value.
    pub(super) value: &'v [u8],
    /// Its first error.
    pub(super) error: Error,
}

/// What a visitor wants to see after an ill-formed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The next one.
    Value,
    /// Those of the next field.
    Field,
    /// No more of them.
    Nothing,
}

/// What is called with ill-formed values.
type Visitor<'v> = &'v mut dyn FnMut(Bad<'_>) -> Next;

/// Returns the values that each row refers to. Called only if some are ill formed.
type Ranges<'r> = &'r dyn Fn() -> Result<Box<dyn Fn(usize) -> Option<Range<usize>> + 'r>, ArrowError>;

/// Number of values that are checked before the visitor's answer is heeded, or Ctrl-C.
const VALUES: usize = 8 << 10;

/// Number of values that are checked between two looks for Ctrl-C if only their validity matters.
const MANY_VALUES: usize = 256 << 10;

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
            let width =
                format.strip_prefix(b"+w:").and_then(|width| std::str::from_utf8(width).ok()?.parse().ok());
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

/// The values of a leaf.
pub(super) enum Leaf<'a> {
    Small { data: Elements<'a, u8>, offsets: Elements<'a, i32> },
    Large { data: Elements<'a, u8>, offsets: Elements<'a, i64> },
    Views { views: Elements<'a, [u8; 16]>, buffers: Vec<Elements<'a, u8>> },
}

/// A buffer of data in the form that the library takes.
pub(super) struct Data<'d>(&'d [u8]);

impl AsRef<[u8]> for Data<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

impl Leaf<'_> {
    fn value(&self, index: usize) -> &[u8] {
        let number = |number: usize| number;
        let found = match self {
            Leaf::Small { data, offsets } => {
                data.get(number(offsets[index] as usize)..number(offsets[index + 1] as usize))
            }
            Leaf::Large { data, offsets } => {
                data.get(number(offsets[index] as usize)..number(offsets[index + 1] as usize))
            }
            Leaf::Views { views, buffers } => {
                let view = &views[index];
                let word = |at: usize| {
                    view[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes)) as usize
                };
                match word(0) {
                    len @ 0..=12 => view.get(4..4 + len),
                    len => buffers.get(word(8)).and_then(|buffer| buffer.get(word(12)..word(12) + len)),
                }
            }
        };
        found.unwrap_or_default()
    }
}

impl<'a> Column<'a> {
    /// Creates a column of all values of an array.
    pub(super) fn new(kind: &'a Type, array: &'a ArrowArray) -> Result<Column<'a>, ArrowError> {
        let number = |number| {
            usize::try_from(number).map_err(|_| ArrowError::Malformed("a negative length or offset"))
        };
        Ok(Column { kind, array, offset: number(array.offset)?, len: number(array.length)? })
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns a range of the values of a child. The range counts from the child's own offset.
    pub(super) fn child(&self, index: usize, start: usize, len: usize) -> Result<Column<'a>, ArrowError> {
        let children = self.array.children()?;
        let (Some(kind), Some(&array)) = (self.kind.children.get(index), children.get(index)) else {
            return Err(ArrowError::Malformed("an array has other children than its type"));
        };
        let all = Column::new(kind, array)?;
        if start.checked_add(len).is_none_or(|end| end > all.len) {
            return Err(ArrowError::Malformed("an array is longer than its child"));
        }
        Ok(Column { offset: all.offset + start, len, ..all })
    }

    /// Returns the values that a dictionary's keys refer to.
    pub(super) fn dictionary(&self) -> Result<Column<'a>, ArrowError> {
        let kind =
            self.kind.dictionary.as_deref().ok_or(ArrowError::Malformed("a type lacks its dictionary"))?;
        Column::new(kind, self.array.dictionary()?)
    }

    fn elements<T: super::ffi::Plain>(
        &self,
        buffer: usize,
        more: usize,
    ) -> Result<Elements<'a, T>, ArrowError> {
        self.array.elements(buffer, self.offset, self.len + more)
    }

    /// Returns which slots are null; `None` if none are.
    pub(super) fn nulls(&self) -> Result<Option<Nulls<'a>>, ArrowError> {
        let never = matches!(layout(self.kind), Layout::DenseUnion | Layout::SparseUnion | Layout::Runs);
        if never || self.array.null_count == 0 || !self.array.has_buffer(0) {
            return Ok(None);
        }
        let bytes = (self.offset + self.len).div_ceil(8);
        Ok(Some(Nulls { bits: self.array.elements(0, 0, bytes)?, offset: self.offset }))
    }

    /// Returns the text or binary values; `None` if the type is something else.
    pub(super) fn leaf(&self) -> Result<Option<Leaf<'a>>, ArrowError> {
        let data = |end: Option<usize>| {
            let end = end.ok_or(ArrowError::Malformed("an offset is negative"))?;
            self.array.elements(2, 0, end)
        };
        // No buffer of offsets is needed if there are no values.
        Ok(Some(match layout(self.kind) {
            Layout::Small if self.len == 0 => {
                Leaf::Small { data: Elements::Borrowed(&[]), offsets: Elements::Borrowed(&[0]) }
            }
            Layout::Large if self.len == 0 => {
                Leaf::Large { data: Elements::Borrowed(&[]), offsets: Elements::Borrowed(&[0]) }
            }
            Layout::Small => {
                let offsets = self.elements::<i32>(1, 1)?;
                Leaf::Small {
                    data: data(offsets.last().and_then(|&end| usize::try_from(end).ok()))?,
                    offsets,
                }
            }
            Layout::Large => {
                let offsets = self.elements::<i64>(1, 1)?;
                Leaf::Large {
                    data: data(offsets.last().and_then(|&end| usize::try_from(end).ok()))?,
                    offsets,
                }
            }
            Layout::Views => {
                // The buffers are validity, views, the data, and the lengths of the data buffers.
                let count = self.array.buffers_len().saturating_sub(3);
                let lengths = self.array.elements::<i64>(count + 2, 0, count)?;
                let buffer = |(index, &len): (usize, &i64)| {
                    let len = usize::try_from(len).map_err(|_| ArrowError::Malformed("a negative length"))?;
                    self.array.elements(index + 2, 0, len)
                };
                let buffers = lengths.iter().enumerate().map(buffer).collect::<Result<_, _>>()?;
                Leaf::Views { views: self.elements(1, 0)?, buffers }
            }
            _ => return Ok(None),
        }))
    }

    /// Reports whether every value is `known`, which becomes the first one if it is `None`, and `None` if not.
    pub(super) fn is_constant(&self, known: &mut Option<Vec<u8>>) -> Result<bool, ArrowError> {
        let leaf = self.leaf()?;
        let nulls = self.nulls()?;
        let Some(leaf) = leaf.filter(|_| self.len > 0) else { return Ok(self.len == 0) };
        let first = known.get_or_insert_with(|| leaf.value(0).to_vec());
        if let (Leaf::Small { data, offsets }, None) = (&leaf, &nulls) {
            // Values of one length are the same if the data, moved by that length, is the data.
            let lens = offsets.windows(2).all(|two| two[1] - two[0] == offsets[1] - offsets[0]);
            let data = data.get(offsets[0] as usize..).unwrap_or_default();
            let (moved, rest) = (data.get(first.len()..), data.get(..data.len().saturating_sub(first.len())));
            if lens && leaf.value(0) == first.as_slice() && moved == rest {
                return Ok(true);
            }
        }
        let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.validity().is_null(row));
        let same = (0..self.len).all(|row| leaf.value(row) == first.as_slice() && !is_null(row));
        if !same {
            *known = None;
        }
        Ok(same)
    }

    /// Reports whether no value is ill formed.
    pub(super) fn is_valid(&self) -> Result<bool, ArrowError> {
        if !has_text(self.kind) {
            return Ok(true);
        }
        if let Some(leaf) = self.leaf()? {
            let nulls = self.nulls()?;
            for start in (0..self.len).step_by(MANY_VALUES) {
                signals::check()?;
                let end = self.len.min(start + MANY_VALUES);
                let validity = nulls.as_ref().map(|nulls| Validity::new(&nulls.bits, nulls.offset + start));
                let valid = match &leaf {
                    Leaf::Small { data, offsets } => column::is_valid(data, &offsets[start..=end], validity)?,
                    Leaf::Large { data, offsets } => column::is_valid(data, &offsets[start..=end], validity)?,
                    Leaf::Views { views, buffers } => {
                        views::is_valid(&views[start..end], &lent(buffers), validity)?
                    }
                };
                if !valid {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(self.visit(&mut String::new(), &mut |_| Next::Nothing)? != Next::Nothing)
    }

    /// Calls `bad` with every ill-formed value: rows in order, field by field, as far as its answers ask for more.
    pub(super) fn visit(&self, path: &mut String, bad: Visitor<'_>) -> Result<Next, ArrowError> {
        if !has_text(self.kind) {
            return Ok(Next::Value);
        }
        let nulls = self.nulls()?;
        if let Some(leaf) = self.leaf()? {
            return self.visit_leaf(&leaf, nulls.as_ref(), path, bad);
        }
        let here =
            |row: usize| row < self.len && !nulls.as_ref().is_some_and(|nulls| nulls.validity().is_null(row));
        match layout(self.kind) {
            Layout::Struct => {
                for index in 0..self.kind.children.len() {
                    let child = self.child(index, self.offset, self.len)?;
                    if child.visit_rows(path, &|row| Some(row).filter(|row| here(*row)), bad)?
                        == Next::Nothing
                    {
                        return Ok(Next::Nothing);
                    }
                }
                Ok(Next::Value)
            }
            Layout::FixedList(width) => {
                let child = self.child(0, self.offset * width, self.len * width)?;
                child.visit_rows(path, &|at| Some(at / width.max(1)).filter(|row| here(*row)), bad)
            }
            Layout::List | Layout::LargeList => {
                let offsets = self.list_offsets()?;
                let (first, last) = (offsets[0], offsets[self.len]);
                let row = |at| offsets.partition_point(|&offset| offset <= first + at) - 1;
                let child = self.child(0, first, last - first)?;
                child.visit_rows(path, &|at| Some(row(at)).filter(|row| here(*row)), bad)
            }
            Layout::Dictionary => self.visit_referred(&self.dictionary()?, path, bad, &|| {
                let key = self.keys()?;
                Ok(Box::new(move |row| Some(key(row)).filter(|_| here(row)).map(|key| key..key + 1)))
            }),
            Layout::ListView | Layout::LargeListView => self.visit_child(0, path, bad, &|| {
                let (offsets, sizes) = self.list_views()?;
                let range = move |row: usize| {
                    let start: usize = *offsets.get(row)?;
                    Some(start..start.saturating_add(*sizes.get(row)?))
                };
                Ok(Box::new(move |row| range(row).filter(|_| here(row))))
            }),
            Layout::Runs => self.visit_child(1, path, bad, &|| {
                let ends = self.run_ends()?;
                let run = move |row| ends.partition_point(|&end| end <= self.offset + row);
                Ok(Box::new(move |row| Some(run(row)..run(row) + 1)))
            }),
            Layout::SparseUnion | Layout::DenseUnion => self.visit_union(path, bad),
            Layout::Small | Layout::Large | Layout::Views | Layout::Other => Ok(Next::Value),
        }
    }

    fn visit_leaf(
        &self,
        leaf: &Leaf<'_>,
        nulls: Option<&Nulls<'_>>,
        path: &str,
        bad: Visitor<'_>,
    ) -> Result<Next, ArrowError> {
        for start in (0..self.len).step_by(VALUES) {
            signals::check()?;
            let end = self.len.min(start + VALUES);
            let validity = nulls.map(|nulls| Validity::new(&nulls.bits, nulls.offset + start));
            let mut next = Next::Value;
            let tell = |index: usize, error: Error| {
                if next == Next::Value {
                    let row = start + index;
                    next = bad(Bad { row, path, value: leaf.value(row), error });
                }
            };
            match leaf {
                Leaf::Small { data, offsets } => {
                    column::for_each_bad(data, &offsets[start..=end], validity, tell)?
                }
                Leaf::Large { data, offsets } => {
                    column::for_each_bad(data, &offsets[start..=end], validity, tell)?
                }
                Leaf::Views { views, buffers } => {
                    views::for_each_bad(&views[start..end], &lent(buffers), validity, tell)?
                }
            }
            if next != Next::Value {
                return Ok(next);
            }
        }
        Ok(Next::Value)
    }

    /// Visits this child, whose values belong to the rows that `row` returns.
    fn visit_rows(
        self,
        path: &mut String,
        row: &dyn Fn(usize) -> Option<usize>,
        bad: Visitor<'_>,
    ) -> Result<Next, ArrowError> {
        self.within(path, |path, child| {
            child.visit(path, &mut |value| match row(value.row) {
                Some(row) => bad(Bad { row, ..value }),
                None => Next::Value,
            })
        })
    }

    fn visit_child(
        &self,
        index: usize,
        path: &mut String,
        bad: Visitor<'_>,
        ranges: Ranges<'_>,
    ) -> Result<Next, ArrowError> {
        let child = self.child(index, 0, self.child_len(index)?)?;
        child.within(path, |path, child| self.visit_referred(&child, path, bad, ranges))
    }

    /// Visits values that rows refer to in any order, or several to the same one: finds all bad values first, then goes
    /// row by row.
    fn visit_referred(
        &self,
        values: &Column<'a>,
        path: &mut String,
        bad: Visitor<'_>,
        ranges: Ranges<'_>,
    ) -> Result<Next, ArrowError> {
        let found = Found::all(values, path)?;
        if found.places.is_empty() {
            return Ok(Next::Value);
        }
        let range = ranges()?;
        for row in 0..self.len {
            let next = range(row).map_or(Next::Value, |range| found.tell(row, range, bad));
            if next != Next::Value {
                return Ok(next);
            }
        }
        Ok(Next::Value)
    }

    fn visit_union(&self, path: &mut String, bad: Visitor<'_>) -> Result<Next, ArrowError> {
        let dense = layout(self.kind) == Layout::DenseUnion;
        for (index, id) in union_ids(self.kind).into_iter().enumerate() {
            let next = self.visit_child(index, path, bad, &|| {
                let types = self.elements::<i8>(0, 0)?;
                let places = if dense { Some(self.elements::<i32>(1, 0)?) } else { None };
                let place = move |row: usize| match &places {
                    Some(places) => usize::try_from(places[row]).unwrap_or(usize::MAX - 1),
                    None => self.offset + row,
                };
                Ok(Box::new(move |row| (types[row] == id).then(|| place(row)..place(row) + 1)))
            })?;
            if next == Next::Nothing {
                return Ok(next);
            }
        }
        Ok(Next::Value)
    }

    /// Calls `visit` with the path of this child.
    fn within<T>(
        self,
        path: &mut String,
        visit: impl FnOnce(&mut String, Column<'a>) -> Result<T, ArrowError>,
    ) -> Result<T, ArrowError> {
        let end = path.len();
        if end > 0 {
            path.push('.');
        }
        path.push_str(&self.kind.name.to_string_lossy());
        let result = visit(path, self);
        path.truncate(end);
        result
    }

    fn child_len(&self, index: usize) -> Result<usize, ArrowError> {
        let len = self.array.children()?.get(index).map_or(0, |child| child.length);
        usize::try_from(len).map_err(|_| ArrowError::Malformed("a negative length"))
    }

    /// Returns where the lists begin, and where the last one ends.
    pub(super) fn list_offsets(&self) -> Result<Vec<usize>, ArrowError> {
        if self.len == 0 {
            return Ok(vec![0]);
        }
        let one = |offset: Option<usize>| offset.ok_or(ArrowError::Malformed("an offset is negative"));
        let offsets: Vec<usize> = if layout(self.kind) == Layout::List {
            let offsets = self.elements::<i32>(1, 1)?;
            offsets.iter().map(|&offset| one(usize::try_from(offset).ok())).collect::<Result<_, _>>()?
        } else {
            let offsets = self.elements::<i64>(1, 1)?;
            offsets.iter().map(|&offset| one(usize::try_from(offset).ok())).collect::<Result<_, _>>()?
        };
        if offsets.is_sorted() { Ok(offsets) } else { Err(ArrowError::Malformed("offsets descend")) }
    }

    /// Returns the offsets and sizes of list views.
    pub(super) fn list_views(&self) -> Result<(Vec<usize>, Vec<usize>), ArrowError> {
        let small = |buffer| -> Result<Vec<usize>, ArrowError> {
            let all = self.elements::<i32>(buffer, 0)?;
            Ok(all.iter().map(|&number| usize::try_from(number).unwrap_or(usize::MAX)).collect())
        };
        let large = |buffer| -> Result<Vec<usize>, ArrowError> {
            let all = self.elements::<i64>(buffer, 0)?;
            Ok(all.iter().map(|&number| usize::try_from(number).unwrap_or(usize::MAX)).collect())
        };
        if layout(self.kind) == Layout::ListView {
            Ok((small(1)?, small(2)?))
        } else {
            Ok((large(1)?, large(2)?))
        }
    }

    /// Returns where runs end.
    fn run_ends(&self) -> Result<Vec<usize>, ArrowError> {
        let ends = self.child(0, 0, self.child_len(0)?)?;
        let number = |number: i64| usize::try_from(number).unwrap_or(0);
        Ok(match ends.kind.format.to_bytes() {
            b"s" => ends.elements::<i16>(1, 0)?.iter().map(|&end| number(end.into())).collect(),
            b"i" => ends.elements::<i32>(1, 0)?.iter().map(|&end| number(end.into())).collect(),
            b"l" => ends.elements::<i64>(1, 0)?.iter().map(|&end| number(end)).collect(),
            _ => return Err(ArrowError::Malformed("run ends of an unknown type")),
        })
    }

    /// Returns the keys of a dictionary. A negative one is beyond all values.
    fn keys(&self) -> Result<Box<dyn Fn(usize) -> usize + 'a>, ArrowError> {
        const NONE: usize = usize::MAX - 1;
        macro_rules! keys {
            ($number:ty) => {{
                let keys = self.elements::<$number>(1, 0)?;
                Ok(Box::new(move |row| usize::try_from(keys[row]).unwrap_or(NONE)))
            }};
        }
        match self.kind.format.to_bytes() {
            b"c" => keys!(i8),
            b"C" => keys!(u8),
            b"s" => keys!(i16),
            b"S" => keys!(u16),
            b"i" => keys!(i32),
            b"I" => keys!(u32),
            b"l" => keys!(i64),
            b"L" => keys!(u64),
            _ => Err(ArrowError::Malformed("dictionary keys of an unknown type")),
        }
    }
}

/// Which slots of a column are null.
pub(super) struct Nulls<'a> {
    bits: Elements<'a, u8>,
    offset: usize,
}

impl Nulls<'_> {
    pub(super) fn validity(&self) -> Validity<'_> {
        Validity::new(&self.bits, self.offset)
    }

    /// Returns the bitmap of `len` slots, with the first of them in the first bit.
    pub(super) fn bits_from_zero(&self, len: usize) -> Vec<u8> {
        let (skip, shift) = (self.offset / 8, self.offset % 8);
        let byte = |index: usize| u16::from(self.bits.get(skip + index).copied().unwrap_or(0));
        (0..len.div_ceil(8)).map(|index| ((byte(index) | byte(index + 1) << 8) >> shift) as u8).collect()
    }
}

/// Ill-formed values of a child, by their index in it.
#[derive(Default)]
struct Found {
    places: Vec<FoundValue>,
    /// The paths, each once.
    paths: Vec<String>,
    /// The values, one after the other.
    values: Vec<u8>,
}

struct FoundValue {
    index: usize,
    /// Its path, as an index.
    path: usize,
    value: Range<usize>,
    error: Error,
}

impl Found {
    fn all(column: &Column<'_>, path: &mut String) -> Result<Found, ArrowError> {
        let mut all = Found::default();
        column.visit(path, &mut |bad| {
            if all.paths.last().is_none_or(|last| last != bad.path) {
                all.paths.push(bad.path.to_owned());
            }
            let start = all.values.len();
            all.values.extend_from_slice(bad.value);
            let (path, value) = (all.paths.len() - 1, start..all.values.len());
            all.places.push(FoundValue { index: bad.row, path, value, error: bad.error });
            Next::Value
        })?;
        // The values of several fields follow each other.
        all.places.sort_by_key(|place| place.index);
        Ok(all)
    }

    /// Reports the values in a range as those of a row.
    fn tell(&self, row: usize, range: Range<usize>, bad: Visitor<'_>) -> Next {
        let first = self.places.partition_point(|place| place.index < range.start);
        let rest = self.places.get(first..).unwrap_or_default();
        for place in rest.iter().take_while(|place| place.index < range.end) {
            let path = self.paths.get(place.path).map_or("", String::as_str);
            let value = self.values.get(place.value.clone()).unwrap_or_default();
            let next = bad(Bad { row, path, value, error: place.error });
            if next != Next::Value {
                return next;
            }
        }
        Next::Value
    }
}

/// Returns the type ids of a union's children: `+ud:0,5`.
fn union_ids(kind: &Type) -> Vec<i8> {
    let format = kind.format.to_string_lossy();
    format.split(':').nth(1).unwrap_or_default().split(',').filter_map(|id| id.parse().ok()).collect()
}

pub(super) fn lent<'d>(buffers: &'d [Elements<'_, u8>]) -> Vec<Data<'d>> {
    buffers.iter().map(|buffer| Data(buffer)).collect()
}
