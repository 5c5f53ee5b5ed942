//! The encodings of the units.

use crate::encoding::{Codec, Latin1, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::simd::{Token, Vector};

/// The encoding of the units.
pub(crate) trait Source: Codec + Default {
    /// Bytes in a unit.
    const UNIT: usize;
    /// Whether the high byte comes first.
    const BIG_ENDIAN: bool = false;
    /// The bits that are 0 in ASCII, in units that fill four bytes.
    const ABOVE_ASCII: [u8; 4];
    /// The bits that are 0 in the Basic Multilingual Plane, up to FFFF.
    const ABOVE_BMP: [u8; 4];

    /// Returns units up to FFFF as lanes of two bytes, little-endian; for Latin-1, which has a shorter path, two bytes
    /// in each lane.
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector;

    /// [`Source::lanes`] for units that are all up to FFFF.
    #[inline(always)]
    fn lanes_in_bmp<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        Self::lanes(token, bytes)
    }

    /// Returns the bits above FFFF of units of four bytes.
    #[inline(always)]
    fn lanes_above<T: Token>(token: T, _: &[u8]) -> T::Vector {
        token.splat(0)
    }
}

impl Source for Latin1 {
    const UNIT: usize = 1;
    const ABOVE_ASCII: [u8; 4] = [0x80; 4];
    const ABOVE_BMP: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0)
    }
}

impl Source for Utf16Le {
    const UNIT: usize = 2;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0x80, 0xFF];
    const ABOVE_BMP: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0)
    }
}

impl Source for Utf16Be {
    const UNIT: usize = 2;
    const BIG_ENDIAN: bool = true;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0x80, 0xFF, 0x80];
    const ABOVE_BMP: [u8; 4] = [0; 4];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0))
    }
}

impl Source for Utf32Le {
    const UNIT: usize = 4;
    const ABOVE_ASCII: [u8; 4] = [0x80, 0xFF, 0xFF, 0xFF];
    const ABOVE_BMP: [u8; 4] = [0, 0, 0xFF, 0xFF];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).0
    }

    #[inline(always)]
    fn lanes_in_bmp<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0).narrow_32(token.load_at(bytes, T::Vector::LEN))
    }

    #[inline(always)]
    fn lanes_above<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).1
    }
}

impl Source for Utf32Be {
    const UNIT: usize = 4;
    const BIG_ENDIAN: bool = true;
    const ABOVE_ASCII: [u8; 4] = [0xFF, 0xFF, 0xFF, 0x80];
    const ABOVE_BMP: [u8; 4] = [0xFF, 0xFF, 0, 0];

    #[inline(always)]
    fn lanes<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).1)
    }

    #[inline(always)]
    fn lanes_above<T: Token>(token: T, bytes: &[u8]) -> T::Vector {
        swap(token.load_at(bytes, 0).deinterleave_16(token.load_at(bytes, T::Vector::LEN)).0)
    }
}

/// Reports whether the last of 16-bit units is the first half of a surrogate pair. It is read by itself, because the
/// position of the next vector depends on it, and a mask of this vector would take longer.
#[inline(always)]
pub(super) fn ends_in_half<S: Source>(units: &[u8]) -> bool {
    let unit = units.last_chunk().copied().unwrap_or_default();
    let unit = if S::BIG_ENDIAN { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) };
    unit & 0xFC00 == 0xD800
}

/// Swaps the bytes of each lane of two.
#[inline(always)]
pub(super) fn swap<V: Vector>(lanes: V) -> V {
    lanes.shift_left_16::<8>().or(lanes.shift_right_16::<8>())
}

/// The bytes of the units that fill one vector's lanes: one vector, or two for units of four bytes.
pub(super) const fn vector<S: Source, V: Vector>() -> usize {
    if S::UNIT == 4 { 2 * V::LEN } else { V::LEN }
}

/// The number of bytes of units classified by one test: a vector's, but at least sixteen.
pub(super) const fn step<S: Source, V: Vector>() -> usize {
    if S::UNIT > 1 && V::LEN == 16 { 2 * vector::<S, V>() } else { vector::<S, V>() }
}
