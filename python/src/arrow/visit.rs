//! Finds the invalid values of a column: walks nested types, and reports places as rows of the whole column.

use std::ops::Range;

use utf8kit::Error;

use super::column::{Column, Layout, MIN_BYTES_FOR_CHECKS, has_text, layout, union_ids};
use super::error::ArrowError;
use super::leaf::{Leaf, Nulls};
use crate::signals;

/// An invalid value.
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

/// What a visitor wants to see after an invalid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The next one.
    Value,
    /// The values of the next field.
    Field,
    /// No more of them.
    Nothing,
}

/// The function that is called with invalid values.
type Visitor<'v> = &'v mut dyn FnMut(Bad<'_>) -> Next;

/// Returns the values that each row refers to. Called only if some are invalid.
type Ranges<'r> = &'r dyn Fn() -> Result<Box<dyn Fn(usize) -> Option<Range<usize>> + 'r>, ArrowError>;

/// Number of values that are checked before the visitor's answer or Ctrl-C takes effect.
const VALUES_PER_VISIT: usize = 8 << 10;

/// Number of values that are checked between two checks for Ctrl-C if only their validity matters.
const VALUES_PER_CHECK: usize = 256 << 10;

impl<'a> Column<'a> {
    /// Reports whether all values are valid.
    pub(super) fn is_valid(&self) -> Result<bool, ArrowError> {
        if !has_text(self.kind) {
            return Ok(true);
        }
        let Some(leaf) = self.leaf()? else {
            return Ok(self.visit(&mut String::new(), &mut |_| Next::Nothing)? != Next::Nothing);
        };
        let nulls = self.nulls()?;
        for start in (0..self.len).step_by(VALUES_PER_CHECK) {
            signals::check()?;
            let range = start..self.len.min(start + VALUES_PER_CHECK);
            if !leaf.is_valid(range, nulls.as_ref().map(|nulls| nulls.validity_from(start)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `bad` with every invalid value, with rows in order, field by field, until its answers end the walk.
    pub(super) fn visit(&self, path: &mut String, bad: Visitor<'_>) -> Result<Next, ArrowError> {
        if !has_text(self.kind) {
            return Ok(Next::Value);
        }
        let nulls = self.nulls()?;
        if let Some(leaf) = self.leaf()? {
            return self.visit_leaf(&leaf, nulls.as_ref(), path, bad);
        }
        let here = |row: usize| row < self.len && !nulls.as_ref().is_some_and(|nulls| nulls.validity().is_null(row));
        match layout(self.kind) {
            Layout::Struct => {
                for index in 0..self.kind.children.len() {
                    let child = self.child(index, self.offset, self.len)?;
                    if child.visit_rows(path, &|row| Some(row).filter(|row| here(*row)), bad)? == Next::Nothing {
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
                let keys = self.keys()?;
                Ok(Box::new(move |row| keys.get(row).filter(|_| here(row)).map(|&key| key..key + 1)))
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

    /// Returns how many values have that many bytes on average, at least one.
    fn number_of(&self, bytes: usize, leaf: &Leaf<'_>) -> usize {
        (bytes.saturating_mul(self.len) / leaf.size().max(1)).max(1)
    }

    fn visit_leaf(
        &self,
        leaf: &Leaf<'_>,
        nulls: Option<&Nulls<'_>>,
        path: &str,
        bad: Visitor<'_>,
    ) -> Result<Next, ArrowError> {
        let number = self.number_of(MIN_BYTES_FOR_CHECKS, leaf).min(VALUES_PER_VISIT);
        for start in (0..self.len).step_by(number) {
            signals::check()?;
            let range = start..self.len.min(start + number);
            let mut next = Next::Value;
            leaf.for_each_bad(range, nulls.map(|nulls| nulls.validity_from(start)), |index, error| {
                if next == Next::Value {
                    let row = start + index;
                    next = bad(Bad { row, path, value: leaf.value(row), error });
                }
            })?;
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

    /// Visits values that rows refer to in any order, possibly several rows to the same value. First finds all bad
    /// values, then goes row by row.
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
                let slots = if dense { Some(self.union_slots()?) } else { None };
                let place = move |row: usize| slots.as_ref().map_or(self.offset + row, |slots| slots[row]);
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
}

/// Invalid values of a child, by their index in it.
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

    /// Reports the values in a range as values of a row.
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
