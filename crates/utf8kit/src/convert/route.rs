//! How one pair of encodings is converted, chosen once for the pair.
//!
//! A [`Route`] says it in a word; converting ([`super::stretch`]) and measuring ([`super::measure`]) match it. A [`Pair`]
//! has with it all that the engine calls, as functions: so there is one engine, compiled once, and a program that
//! names its encodings takes along the kernels of their route, and no others.

use super::stretch;
#[cfg(feature = "alloc")]
use crate::arch::BLOCK;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER, Encoding, Step};
use crate::error::ErrorKind;
use crate::grammar::{self, Grammar};
use crate::out::Out;
use crate::scalar;

/// How well-formed stretches are converted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route {
    /// Copied, as far as this grammar has them: what both encodings write in the same bytes.
    Copy(&'static Grammar),
    /// The same between UTF-8 and the forms that write supplementary code points in two times three bytes; the rest goes
    /// through UTF-16.
    ThroughUtf16(&'static Grammar),
    /// Copied, as units of the same width in the same order; bytes of Latin-1 too.
    CopyUnits,
    /// Units of the same width in the other order.
    Swap,
    /// This grammar's part of the source to wider units.
    Widen(&'static Grammar),
    /// The same, and where surrogates are written in three bytes each, those to 16-bit units.
    WidenHalves(&'static Grammar),
    /// The ASCII of a dialect to wider units.
    WidenAscii(&'static Grammar),
    /// Latin-1 to wider units.
    Extend,
    /// Units to UTF-8, and what is written alike; `four_bytes`: supplementary code points too.
    Narrow { four_bytes: bool },
    /// UTF-8, and what is written alike, to Latin-1; `nul`: NUL is a byte of the source.
    ToLatin1 { nul: bool },
    /// Item by item, by the definition.
    Items,
}

/// Converts a well-formed, representable prefix, as far as its route goes and it fits; says how many bytes of it.
pub(crate) type Convert = fn(&Pair, &[u8], &mut Out<'_>) -> usize;

/// Two encodings and the way from one to the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) from: AnyEncoding,
    pub(crate) to: AnyEncoding,
    pub(crate) route: Route,
    /// By the route.
    pub(crate) convert: Convert,
    /// By the definition: what is short.
    pub(crate) items: Convert,
    /// The source's [`Encoding::decode`].
    pub(crate) decode: fn(&[u8]) -> Option<Step>,
    /// The target's [`Encoding::encode`].
    pub(crate) encode: fn(u32, &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind>,
}

impl Pair {
    /// The pair of two encodings: a constant, if they are known when compiling.
    #[inline]
    pub(crate) fn new<S: Encoding, T: Encoding>(from: S, to: T) -> Pair {
        if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
            const { Pair::of_known::<S, T>() }
        } else {
            Pair::of_any(from.any(), to.any())
        }
    }

    /// The source's [`Encoding::decode`]: of its type, if that says which it is.
    #[inline(always)]
    pub(crate) fn decode_as<S: Encoding>(&self, bytes: &[u8]) -> Option<Step> {
        match S::KNOWN {
            Some((from, _)) => from.decode(bytes),
            None => (self.decode)(bytes),
        }
    }

    /// The target's [`Encoding::encode`]: of its type, if that says which it is.
    #[inline(always)]
    pub(crate) fn encode_as<T: Encoding>(
        &self,
        value: u32,
        out: &mut [u8; ENCODE_BUFFER],
    ) -> Result<usize, ErrorKind> {
        match T::KNOWN {
            Some((to, _)) => to.encode(value, out),
            None => (self.encode)(value, out),
        }
    }

    /// The pair of two types.
    const fn of_known<S: Encoding, T: Encoding>() -> Pair {
        match (S::KNOWN, T::KNOWN) {
            (Some((_, from)), Some((_, to))) => {
                Pair { items: stretch::items_of::<S, T>, ..Pair::of_any(from, to) }
            }
            // Not asked for.
            _ => Pair::of_any(AnyEncoding::Utf8, AnyEncoding::Utf8),
        }
    }

    /// The pair of two values. Inlined, so that only a program that has them is compiled with all routes.
    #[inline]
    const fn of_any(from: AnyEncoding, to: AnyEncoding) -> Pair {
        let route = Route::of(from, to);
        Pair {
            from,
            to,
            route,
            convert: stretch::converter(route, from, to),
            items: stretch::items,
            decode: scalar::decoder(from),
            encode: scalar::encoder(to),
        }
    }
}

impl Route {
    /// The route from one encoding to another.
    #[inline]
    const fn of(from: AnyEncoding, to: AnyEncoding) -> Route {
        use AnyEncoding as E;
        let unit = from.traits().unit;
        if from as u8 == to as u8 && !from.is_dialect() || unit > 1 && unit == to.traits().unit {
            return if from.is_big_endian() == to.is_big_endian() { Route::CopyUnits } else { Route::Swap };
        }
        // What is written in units, as UTF-8 or nearly so: CESU-8 writes the halves of pairs, and modified UTF-8 NUL, in
        // its own way. 16-bit units hold what is above FFFF in halves.
        let alike = grammar::writes_all_as_utf8(to);
        if !from.is_dialect() && (alike || matches!(to, E::Cesu8) && unit < 4) {
            return Route::Narrow { four_bytes: alike };
        }
        if matches!(to, E::Latin1) && grammar::writes_basic_plane_as_utf8(from) {
            return Route::ToLatin1 { nul: !matches!(from, E::Mutf8) };
        }
        if let Some(shared) = grammar::shared(from, to) {
            let in_units = grammar::code_units(from).is_some() && grammar::code_units(to).is_some();
            let same = from as u8 == to as u8;
            return if in_units && !same { Route::ThroughUtf16(shared) } else { Route::Copy(shared) };
        }
        if matches!(from, E::Latin1) {
            return Route::Extend;
        }
        match grammar::shared(from, E::Utf8) {
            Some(shared) if grammar::writes_basic_plane_as_utf8(from) => {
                if matches!(from, E::Cesu8 | E::Mutf8) && to.traits().unit == 2 {
                    Route::WidenHalves(shared)
                } else {
                    Route::Widen(shared)
                }
            }
            Some(ascii) if from.is_dialect() => Route::WidenAscii(ascii),
            _ => Route::Items,
        }
    }
}

/// How much room to ask for at first: a unit for each, some for errors (U+FFFD is longer than most), and what kernels
/// may write behind. An output that must grow once more is copied once more. No more than a part of the address space: where
/// that is small, long outputs grow in steps.
#[cfg(feature = "alloc")]
pub(crate) fn guess(from: AnyEncoding, to: AnyEncoding, len: usize) -> usize {
    let units = len.div_ceil(from.unit());
    // The most there can be, where that is little: a short output that must grow costs more than its conversion.
    let most = if from.unit() == 2 && to.unit() == 1 && len <= 8 * BLOCK { 3 * units } else { 0 };
    units.saturating_mul(to.unit()).saturating_add(len / 32 + BLOCK).max(most).min(usize::MAX / 8)
}
