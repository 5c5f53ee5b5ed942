//! The text or binary values of a column in any layout, and its nulls.

use std::ops::Range;

use utf8kit::Error;
use utf8kit::column::{self, LayoutError, Validity, views};

use super::column::{Column, Layout, NEGATIVE_OFFSET, layout};
use super::error::ArrowError;
use super::ffi::{Elements, Plain};

/// The values of a leaf.
pub(super) enum Leaf<'a> {
    Small { data: Elements<'a, u8>, offsets: Elements<'a, i32> },
    Large { data: Elements<'a, u8>, offsets: Elements<'a, i64> },
    Views { views: Elements<'a, [u8; 16]>, buffers: Vec<Elements<'a, u8>> },
}

/// A buffer of data in the form that the library accepts.
pub(super) struct Data<'d>(&'d [u8]);

impl AsRef<[u8]> for Data<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

pub(super) fn lent<'d>(buffers: &'d [Elements<'_, u8>]) -> Vec<Data<'d>> {
    buffers.iter().map(|buffer| Data(buffer)).collect()
}

/// Returns how many bytes there are from the first offset.
fn size_from<T: Copy>(data: &[u8], offsets: &[T]) -> usize
where
    usize: TryFrom<T>,
{
    let first = offsets.first().and_then(|&first| usize::try_from(first).ok());
    data.len().saturating_sub(first.unwrap_or_default())
}

impl Leaf<'_> {
    /// Returns a value, or an empty one if it lies outside its buffer.
    pub(super) fn value(&self, index: usize) -> &[u8] {
        let found = match self {
            Leaf::Small { data, offsets } => data.get(offsets[index] as usize..offsets[index + 1] as usize),
            Leaf::Large { data, offsets } => data.get(offsets[index] as usize..offsets[index + 1] as usize),
            Leaf::Views { views, buffers } => {
                let view = &views[index];
                let word = |at: usize| view[at..].first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes)) as usize;
                match word(0) {
                    len @ 0..=12 => view.get(4..4 + len),
                    len => buffers.get(word(8)).and_then(|buffer| buffer.get(word(12)..word(12) + len)),
                }
            }
        };
        found.unwrap_or_default()
    }

    /// Returns how many bytes the values have at most.
    pub(super) fn size(&self) -> usize {
        match self {
            Leaf::Small { data, offsets } => size_from(data, offsets),
            Leaf::Large { data, offsets } => size_from(data, offsets),
            Leaf::Views { buffers, .. } => buffers.iter().map(|buffer| buffer.len()).sum(),
        }
    }

    /// Reports whether all values of a range are valid.
    pub(super) fn is_valid(&self, range: Range<usize>, validity: Option<Validity<'_>>) -> Result<bool, LayoutError> {
        let Range { start, end } = range;
        match self {
            Leaf::Small { data, offsets } => column::is_valid(data, &offsets[start..=end], validity),
            Leaf::Large { data, offsets } => column::is_valid(data, &offsets[start..=end], validity),
            Leaf::Views { views, buffers } => views::is_valid(&views[start..end], &lent(buffers), validity),
        }
    }

    /// Calls `tell` with the index in the range and the first error of every invalid value of a range.
    pub(super) fn for_each_bad(
        &self,
        range: Range<usize>,
        validity: Option<Validity<'_>>,
        tell: impl FnMut(usize, Error),
    ) -> Result<(), LayoutError> {
        let Range { start, end } = range;
        match self {
            Leaf::Small { data, offsets } => column::for_each_bad(data, &offsets[start..=end], validity, tell),
            Leaf::Large { data, offsets } => column::for_each_bad(data, &offsets[start..=end], validity, tell),
            Leaf::Views { views, buffers } => views::for_each_bad(&views[start..end], &lent(buffers), validity, tell),
        }
    }
}

impl<'a> Column<'a> {
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
        Ok(Some(match layout(self.kind) {
            Layout::Small => {
                let (data, offsets) = self.data_and_offsets()?;
                Leaf::Small { data, offsets }
            }
            Layout::Large => {
                let (data, offsets) = self.data_and_offsets()?;
                Leaf::Large { data, offsets }
            }
            Layout::Views => {
                // The buffers are validity, views, the data, and the lengths of the data buffers.
                let count = self.array.buffers().len().saturating_sub(3);
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

    fn data_and_offsets<T: Plain + Default>(&self) -> Result<(Elements<'a, u8>, Elements<'a, T>), ArrowError>
    where
        usize: TryFrom<T>,
    {
        if self.len == 0 {
            // No buffer of offsets is needed if there are no values.
            return Ok((Elements::Borrowed(&[]), Elements::Owned(vec![T::default()])));
        }
        let offsets = self.elements::<T>(1, 1)?;
        let end = offsets.last().and_then(|&end| usize::try_from(end).ok());
        Ok((self.array.elements(2, 0, end.ok_or(NEGATIVE_OFFSET)?)?, offsets))
    }

    /// Reports whether every value equals `known`. If `known` is `None`, it becomes the first value; if values differ,
    /// it becomes `None`.
    pub(super) fn is_constant(&self, known: &mut Option<Vec<u8>>) -> Result<bool, ArrowError> {
        let leaf = self.leaf()?;
        let nulls = self.nulls()?;
        let Some(leaf) = leaf.filter(|_| self.len > 0) else { return Ok(self.len == 0) };
        let first = known.get_or_insert_with(|| leaf.value(0).to_vec());
        if let (Leaf::Small { data, offsets }, None) = (&leaf, &nulls) {
            // Values of equal length are the same if the data shifted by that length equals the data.
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
}

/// The null slots of a column.
pub(super) struct Nulls<'a> {
    bits: Elements<'a, u8>,
    offset: usize,
}

impl Nulls<'_> {
    pub(super) fn validity(&self) -> Validity<'_> {
        self.validity_from(0)
    }

    /// Returns the null slots from a slot.
    pub(super) fn validity_from(&self, start: usize) -> Validity<'_> {
        Validity::new(&self.bits, self.offset + start)
    }

    /// Returns the bitmap of `len` slots, with the first of them in the first bit.
    pub(super) fn bits_from_zero(&self, len: usize) -> Vec<u8> {
        let (skip, shift) = (self.offset / 8, self.offset % 8);
        let byte = |index: usize| u16::from(self.bits.get(skip + index).copied().unwrap_or(0));
        (0..len.div_ceil(8)).map(|index| ((byte(index) | byte(index + 1) << 8) >> shift) as u8).collect()
    }
}
