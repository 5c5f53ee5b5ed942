//! Repairs a column of any type by any policy, value by value. Clean parts are shared, as is a repaired dictionary that
//! several arrays of a stream use.

use std::cell::RefCell;
use std::sync::Arc;

use utf8kit::column::{self, LayoutError, Offset, Repaired, Validity, Values, views};
use utf8kit_detect::repair::RepairPolicy;

use super::column::{Column, Layout, has_text, layout};
use super::error::ArrowError;
use super::export::{self, Array, Buffer, Exported};
use super::ffi::{ArrowArray, Type};
use super::leaf::{Leaf, Nulls, lent};
use crate::policy::Policy;
use crate::signals;

/// The most dictionaries that are kept. A record batch has one for each of its columns.
const MAX_DICTIONARIES_CACHED: usize = 16;

/// Repairs the arrays of a stream.
pub(super) struct Repairs {
    policy: Policy,
    /// The most recently repaired dictionaries.
    dictionaries: RefCell<Vec<Dictionary>>,
}

/// A dictionary that was repaired.
struct Dictionary {
    /// The array that holds it, kept alive so that its address is not reused.
    _owner: Arc<ArrowArray>,
    /// Its address: see [`place_of`].
    place: Vec<usize>,
    /// The repaired dictionary, or `None` if nothing needed a repair.
    repaired: Option<Arc<Exported>>,
}

/// An array that is being repaired.
#[derive(Clone, Copy)]
struct Work<'w> {
    repairs: &'w Repairs,
    array: &'w Arc<ArrowArray>,
}

impl Repairs {
    /// Repairs by a policy.
    pub(super) fn new(policy: Policy) -> Repairs {
        Repairs { policy, dictionaries: RefCell::default() }
    }

    /// Repairs an array.
    pub(super) fn repair(&self, kind: &Type, array: Arc<ArrowArray>) -> Result<Arc<Exported>, ArrowError> {
        let repaired = self.changed(kind, &array)?.unwrap_or_else(|| shared(&array));
        Ok(Exported::new(repaired, Some(array)))
    }

    /// Returns the repaired array, if anything changes.
    pub(super) fn changed(&self, kind: &Type, array: &Arc<ArrowArray>) -> Result<Option<Array>, ArrowError> {
        Column::new(kind, array)?.repair(Work { repairs: self, array })
    }

    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }
}

impl Work<'_> {
    /// Repairs the values of a dictionary, or returns the earlier result.
    fn dictionary(self, kind: &Type, values: &ArrowArray) -> Result<Option<Arc<Exported>>, ArrowError> {
        let mut place = Vec::new();
        place_of(values, &mut place);
        let known = |known: &&Dictionary| known.place == place;
        if let Some(known) = self.repairs.dictionaries.borrow().iter().find(known) {
            return Ok(known.repaired.clone());
        }
        let owner = Arc::clone(self.array);
        let repaired = Column::new(kind, values)?.repair(self)?;
        let repaired = repaired.map(|values| Exported::new(values, Some(Arc::clone(&owner))));
        let mut all = self.repairs.dictionaries.borrow_mut();
        if all.len() >= MAX_DICTIONARIES_CACHED {
            all.remove(0);
        }
        all.push(Dictionary { _owner: owner, place, repaired: repaired.clone() });
        Ok(repaired)
    }
}

/// Adds the addresses of an array: its part of its buffers, and the buffers of its children.
fn place_of(array: &ArrowArray, place: &mut Vec<usize>) {
    place.extend([array.length as usize, array.offset as usize]);
    place.extend(array.buffers().iter().map(|buffer| buffer.addr()));
    let children = array.children().unwrap_or_default();
    children.into_iter().chain(array.dictionary().ok()).for_each(|part| place_of(part, place));
}

impl<'a> Column<'a> {
    /// Returns the array with every invalid value repaired, or `None` if nothing needs a repair. Clean parts are
    /// shared.
    fn repair(&self, work: Work<'_>) -> Result<Option<Array>, ArrowError> {
        if !has_text(self.kind) {
            return Ok(None);
        }
        signals::check()?;
        if let Some(leaf) = self.leaf()? {
            return self.repair_leaf(&leaf, &work.repairs.policy);
        }
        match layout(self.kind) {
            Layout::Dictionary | Layout::Runs | Layout::DenseUnion | Layout::SparseUnion => self.repair_whole(work),
            _ => self.repair_used(work),
        }
    }

    /// Repairs children as a whole, because the rows may refer to any part of them.
    fn repair_whole(&self, work: Work<'_>) -> Result<Option<Array>, ArrowError> {
        let one = |kind: &Type, array: &ArrowArray| -> Result<(bool, Array), ArrowError> {
            let repaired = Column::new(kind, array)?.repair(work)?;
            Ok((repaired.is_some(), repaired.unwrap_or_else(|| shared(array))))
        };
        let children = self.array.children()?;
        if children.len() != self.kind.children.len() {
            return Err(ArrowError::Malformed("the children of an array do not match its type"));
        }
        let pairs = self.kind.children.iter().zip(children);
        let children = pairs.map(|(kind, array)| one(kind, array)).collect::<Result<Vec<_>, _>>()?;
        let dictionary = match &self.kind.dictionary {
            Some(kind) => work.dictionary(kind, self.array.dictionary()?)?,
            None => None,
        };
        if dictionary.is_none() && !children.iter().any(|(changed, _)| *changed) {
            return Ok(None);
        }
        let same = self.shared();
        Ok(Some(Array {
            children: children.into_iter().map(|(_, child)| child).collect(),
            dictionary: dictionary.map(export::Values::Common).or(same.dictionary),
            ..same
        }))
    }

    /// Repairs the part of the children that the rows use, so that the slices of an array do not each get all of it.
    fn repair_used(&self, work: Work<'_>) -> Result<Option<Array>, ArrowError> {
        let (children, offsets) = self.used()?;
        let repaired = children.iter().map(|child| child.repair(work)).collect::<Result<Vec<_>, ArrowError>>()?;
        if repaired.iter().all(Option::is_none) {
            return Ok(None);
        }
        let pairs = repaired.into_iter().zip(&children);
        let children = pairs.map(|(new, child)| new.unwrap_or_else(|| child.shared())).collect();
        let nulls = self.nulls()?.map(|nulls| Buffer::Bytes(nulls.bits_from_zero(self.len)));
        let mut buffers = vec![nulls.unwrap_or(Buffer::Absent)];
        buffers.extend(offsets);
        let (length, null_count) = (self.len as i64, self.null_count());
        Ok(Some(Array { length, null_count, offset: 0, buffers, children, dictionary: None }))
    }

    /// Returns the parts of the children that the rows use, and offsets that count from their start.
    fn used(&self) -> Result<(Vec<Column<'a>>, Vec<Buffer>), ArrowError> {
        let buffer = |offsets: Vec<usize>| match layout(self.kind) {
            Layout::List | Layout::ListView => {
                Buffer::Offsets32(offsets.into_iter().map(|offset| offset as i32).collect())
            }
            _ => Buffer::Offsets64(offsets.into_iter().map(|offset| offset as i64).collect()),
        };
        match layout(self.kind) {
            Layout::FixedList(width) => Ok((vec![self.child(0, self.offset * width, self.len * width)?], Vec::new())),
            Layout::List | Layout::LargeList => {
                let mut offsets = self.list_offsets()?;
                let (first, last) = (offsets[0], offsets[self.len]);
                offsets.iter_mut().for_each(|offset| *offset -= first);
                Ok((vec![self.child(0, first, last - first)?], vec![buffer(offsets)]))
            }
            Layout::ListView | Layout::LargeListView => {
                let (mut offsets, mut sizes) = self.list_views()?;
                let nulls = self.nulls()?;
                let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.validity().is_null(row));
                // If a row has no values, its offset may be anything.
                (0..self.len).filter(|row| is_null(*row)).for_each(|row| sizes[row] = 0);
                let used = || offsets.iter().zip(&sizes).filter(|(_, size)| **size > 0);
                let first = used().map(|(offset, _)| *offset).min().unwrap_or(0);
                let last = used().map(|(offset, size)| offset.saturating_add(*size)).max().unwrap_or(first);
                let moved = offsets.iter().zip(&sizes).map(|(offset, size)| if *size > 0 { offset - first } else { 0 });
                offsets = moved.collect();
                Ok((vec![self.child(0, first, last - first)?], vec![buffer(offsets), buffer(sizes)]))
            }
            _ => {
                let child = |index| self.child(index, self.offset, self.len);
                Ok(((0..self.kind.children.len()).map(child).collect::<Result<_, _>>()?, Vec::new()))
            }
        }
    }

    /// Returns the number of nulls, or -1 if it is unknown.
    fn null_count(&self) -> i64 {
        let whole = self.array.length == self.len as i64 && self.array.offset == self.offset as i64;
        if whole || self.array.null_count == 0 { self.array.null_count } else { -1 }
    }

    /// Returns the same values, sharing all buffers.
    fn shared(&self) -> Array {
        let (length, offset) = (self.len as i64, self.offset as i64);
        Array { length, offset, null_count: self.null_count(), ..shared(self.array) }
    }

    fn repair_leaf(&self, leaf: &Leaf<'_>, policy: &Policy) -> Result<Option<Array>, ArrowError> {
        let nulls = self.nulls()?;
        let validity = nulls.as_ref().map(Nulls::validity);
        let mut buffers = match leaf {
            Leaf::Small { data, offsets } => match by_offsets(data, offsets, validity, policy)? {
                Some(new) => vec![Buffer::Absent, Buffer::Offsets32(new.offsets), Buffer::Bytes(new.data)],
                None => return Ok(None),
            },
            Leaf::Large { data, offsets } => match by_offsets(data, offsets, validity, policy)? {
                Some(new) => vec![Buffer::Absent, Buffer::Offsets64(new.offsets), Buffer::Bytes(new.data)],
                None => return Ok(None),
            },
            Leaf::Views { views, buffers } => {
                let buffers_lent = lent(buffers);
                let new = match &policy.0 {
                    RepairPolicy::Errors(errors) => views::repair(views, &buffers_lent, validity, errors.as_policy())?,
                    _ => views::repair_with(views, &buffers_lent, validity, values(policy), |value| {
                        policy.repair_value(value)
                    })?,
                };
                let Some(new) = new else { return Ok(None) };
                let mut all = self.array.shared_buffers();
                all.truncate(2 + buffers.len());
                all[0] = Buffer::Absent;
                all[1] = Buffer::Views(new.views);
                let old = buffers.iter().map(|buffer| buffer.len());
                let lengths: Vec<i64> = old.chain(new.buffers.iter().map(Vec::len)).map(|len| len as i64).collect();
                all.extend(new.buffers.into_iter().map(Buffer::Bytes));
                all.push(Buffer::Offsets64(lengths));
                all
            }
        };
        if let Some(nulls) = nulls {
            buffers[0] = Buffer::Bytes(nulls.bits_from_zero(self.len));
        }
        let (length, null_count) = (self.len as i64, self.null_count());
        Ok(Some(Array { length, null_count, offset: 0, buffers, children: Vec::new(), dictionary: None }))
    }
}

/// Returns the same array, sharing all its buffers.
pub(super) fn shared(array: &ArrowArray) -> Array {
    Array {
        length: array.length,
        null_count: array.null_count,
        offset: array.offset,
        buffers: array.shared_buffers(),
        children: array.children().unwrap_or_default().into_iter().map(shared).collect(),
        dictionary: array.dictionary().ok().map(|values| export::Values::Own(Box::new(shared(values)))),
    }
}

/// Repairs values with offsets.
fn by_offsets<O: Offset>(
    data: &[u8],
    offsets: &[O],
    validity: Option<Validity<'_>>,
    policy: &Policy,
) -> Result<Option<Repaired<O>>, LayoutError> {
    match &policy.0 {
        RepairPolicy::Errors(errors) => column::repair(data, offsets, validity, errors.as_policy()),
        _ => column::repair_with(data, offsets, validity, values(policy), |value| policy.repair_value(value)),
    }
}

/// Returns which values a policy changes.
fn values(policy: &Policy) -> Values {
    match policy.0 {
        RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) => Values::Bad,
        _ => Values::All,
    }
}
