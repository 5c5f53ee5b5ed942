//! The parts of a column other than its bytes, and the errors in them.

use core::fmt;

/// An error in the layout of a column, with the index of the offset or view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LayoutError {
    /// An offset is negative.
    NegativeOffset {
        /// The index of the offset.
        index: usize,
    },
    /// An offset is less than the previous one.
    DescendingOffset {
        /// The index of the offset.
        index: usize,
    },
    /// An offset is beyond the end of the data.
    OffsetBeyondData {
        /// The index of the offset.
        index: usize,
    },
    /// The validity bitmap has fewer bits than there are values.
    ValidityTooShort {
        /// The number of values.
        values: usize,
        /// The number of bits after the bitmap's offset.
        bits: usize,
    },
    /// The length in a view is negative.
    NegativeViewLength {
        /// The index of the view.
        index: usize,
    },
    /// A view refers to a buffer that does not exist.
    NoSuchBuffer {
        /// The index of the view.
        index: usize,
    },
    /// A view's bytes are not within its buffer.
    ViewBeyondBuffer {
        /// The index of the view.
        index: usize,
    },
    /// The repaired column is too long for its offsets.
    TooLong,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::NegativeOffset { index } => write!(f, "offset {index} is negative"),
            LayoutError::DescendingOffset { index } => {
                write!(f, "offset {index} is less than the one before it")
            }
            LayoutError::OffsetBeyondData { index } => {
                write!(f, "offset {index} is beyond the end of the data")
            }
            LayoutError::ValidityTooShort { values, bits } => {
                write!(f, "the validity bitmap has {bits} bits for {values} values")
            }
            LayoutError::NegativeViewLength { index } => write!(f, "the length of view {index} is negative"),
            LayoutError::NoSuchBuffer { index } => {
                write!(f, "view {index} refers to a buffer that does not exist")
            }
            LayoutError::ViewBeyondBuffer { index } => {
                write!(f, "view {index} is not within its buffer")
            }
            LayoutError::TooLong => f.write_str("the repaired column does not fit its offset type"),
        }
    }
}

impl core::error::Error for LayoutError {}

/// Which slots hold a value: bit `offset + i` of a bitmap, lowest bit first, is 0 if slot `i` is null.
///
/// ```
/// use utf8kit::column::Validity;
/// let validity = Validity::new(&[0b1011_0000], 4); // of an array sliced at 4
/// assert!(!validity.is_null(1) && validity.is_null(2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Validity<'b> {
    bits: &'b [u8],
    offset: usize,
}

impl<'b> Validity<'b> {
    /// Creates a validity from a bitmap and an offset in bits.
    #[must_use]
    pub const fn new(bits: &'b [u8], offset: usize) -> Self {
        Validity { bits, offset }
    }

    /// Returns the number of bits after the offset.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bits.len().saturating_mul(8).saturating_sub(self.offset)
    }

    /// Reports whether there are no bits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reports whether slot `index` is null. Slots beyond the bitmap are null.
    #[must_use]
    #[inline]
    pub fn is_null(&self, index: usize) -> bool {
        let Some(bit) = self.offset.checked_add(index) else { return true };
        self.bits.get(bit / 8).is_none_or(|byte| byte >> (bit % 8) & 1 == 0)
    }

    /// Counts the null slots among the first `values`.
    pub(crate) fn nulls(&self, values: usize) -> usize {
        let mut nulls = 0;
        let mut index = 0;
        while index < values {
            let bit = self.offset + index;
            let whole = if bit.is_multiple_of(8) && values - index >= 8 { self.bits.get(bit / 8) } else { None };
            match whole {
                Some(byte) => (nulls, index) = (nulls + byte.count_zeros() as usize, index + 8),
                None => (nulls, index) = (nulls + usize::from(self.is_null(index)), index + 1),
            }
        }
        nulls
    }
}

/// Checks that there is a bit for every value.
pub(crate) fn check_validity(validity: Option<Validity<'_>>, values: usize) -> Result<(), LayoutError> {
    match validity {
        Some(validity) if validity.len() < values => {
            Err(LayoutError::ValidityTooShort { values, bits: validity.len() })
        }
        _ => Ok(()),
    }
}

/// Checks an offset against the previous one and the data.
pub(crate) fn check_offset<O: Offset>(
    data: &[u8],
    index: usize,
    before: Option<O>,
    offset: O,
) -> Result<(), LayoutError> {
    if offset < O::default() {
        Err(LayoutError::NegativeOffset { index })
    } else if before.is_some_and(|before| offset < before) {
        Err(LayoutError::DescendingOffset { index })
    } else if offset.to_usize().is_none_or(|offset| offset > data.len()) {
        Err(LayoutError::OffsetBeyondData { index })
    } else {
        Ok(())
    }
}

/// Returns the first error in these offsets. The first offset, at index `base`, must be sound.
#[cold]
pub(crate) fn explain<O: Offset>(data: &[u8], base: usize, offsets: &[O]) -> Result<(), LayoutError> {
    offsets.windows(2).enumerate().try_for_each(|(i, two)| check_offset(data, base + i + 1, Some(two[0]), two[1]))
}

mod sealed {
    pub trait Sealed: Sized {
        /// Returns the number as a `usize`, if it fits.
        fn to_usize(self) -> Option<usize>;
        /// Returns the number as a `usize`. The result is arbitrary if the offset has not been checked.
        fn to_index(self) -> usize;
        /// Converts a number to an offset, if it fits.
        fn from_usize(number: usize) -> Option<Self>;
        /// Returns an offset that is as far after `to` as this one is after `from`.
        fn moved(self, from: Self, to: Self) -> Self;
        /// Returns the low 32 bits of each number: the slice itself, or `words` filled with them.
        fn low_words<'o>(numbers: &'o [Self; 16], words: &'o mut [i32; 16]) -> &'o [i32; 16];
    }
}

/// An offset of the variable-size binary layout: `i32`, or `i64` in the large one.
///
/// Sealed.
pub trait Offset: Copy + Default + Ord + fmt::Debug + Send + Sync + 'static + sealed::Sealed {}

macro_rules! offsets {
    ($($offset:ty, $low_words:expr;)*) => {$(
        impl sealed::Sealed for $offset {

            #[inline(always)]
            fn to_usize(self) -> Option<usize> {
                usize::try_from(self).ok()
            }

            #[inline(always)]
            fn to_index(self) -> usize {
                self as usize
            }

            #[inline(always)]
            fn from_usize(number: usize) -> Option<Self> {
                Self::try_from(number).ok()
            }

            #[inline(always)]
            fn moved(self, from: Self, to: Self) -> Self {
                self.wrapping_sub(from).wrapping_add(to)
            }

            #[inline(always)]
            fn low_words<'o>(numbers: &'o [Self; 16], words: &'o mut [i32; 16]) -> &'o [i32; 16] {
                let low_words: fn(&'o [Self; 16], &'o mut [i32; 16]) -> &'o [i32; 16] = $low_words;
                low_words(numbers, words)
            }
        }

        impl Offset for $offset {}
    )*};
}

offsets! {
    i32, |numbers, _| numbers;
    i64, |numbers, words| {
        *words = numbers.map(|number| number as i32);
        words
    };
}
