//! How a pair of encodings is converted, chosen once per pair.
//!
//! A [`Route`] is the choice; converting ([`super::clean`]) and measuring ([`super::measure`]) match on it. A
//! [`Pair`] holds the route and all functions that the engine calls. So there is one engine, compiled once, and a
//! program that names its encodings contains the kernels of their route, and no others.

use super::clean;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER, Encoding, Step};
use crate::error::ErrorKind;
use crate::grammar::{self, Grammar};
use crate::out::Out;
use crate::scalar;

/// How well-formed parts are converted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route {
    /// Copy the part that this grammar allows: what both encodings write with the same bytes.
    Copy(&'static Grammar),
    /// Copy likewise, between UTF-8 and the forms that write supplementary code points in two times three bytes;
    /// convert the rest through UTF-16.
    ThroughUtf16 { shared: &'static Grammar, units: &'static Grammar },
    /// Copy units of the same width and order; bytes of Latin-1, too.
    CopyUnits,
    /// Swap the bytes of units of the same width.
    Swap,
    /// Convert the source's part in this grammar to wider units.
    Widen(&'static Grammar),
    /// Convert likewise, and surrogates that are written in three bytes each to 16-bit units.
    WidenHalves { shared: &'static Grammar, units: &'static Grammar },
    /// Convert the ASCII of a dialect to wider units.
    WidenAscii(&'static Grammar),
    /// Convert Latin-1 to wider units.
    Extend,
    /// Convert units to UTF-8, or a dialect that writes the same bytes. `four_bytes` includes supplementary code
    /// points.
    Narrow { four_bytes: bool },
    /// Convert UTF-8, or a dialect that writes the same bytes, to Latin-1. `nul` means that NUL is a single byte in the
    /// source.
    ToLatin1 { nul: bool },
    /// Convert item by item, by the definition.
    Items,
}

/// Converts a well-formed, representable prefix, as far as its route supports it and it fits. Returns its length in
/// bytes.
pub(crate) type Convert = fn(&Pair, &[u8], &mut Out<'_>) -> usize;

/// Two encodings and the functions that convert between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) from: AnyEncoding,
    pub(crate) to: AnyEncoding,
    pub(crate) route: Route,
    /// The conversion by the route.
    pub(crate) convert: Convert,
    /// The conversion by the definition, for short inputs.
    pub(crate) items: Convert,
    /// The source's [`Encoding::decode`].
    pub(crate) decode: fn(&[u8]) -> Option<Step>,
    /// The target's [`Encoding::encode`].
    pub(crate) encode: fn(u32, &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind>,
}

impl Pair {
    /// Returns the pair of two encodings, as a constant if they are known at compile time.
    #[inline]
    pub(crate) fn new<S: Encoding, T: Encoding>(from: S, to: T) -> Pair {
        if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
            const { Pair::of_known::<S, T>() }
        } else {
            Pair::of_values(from.any(), to.any())
        }
    }

    /// Converts a well-formed, representable prefix, as far as the route of two encodings supports it and it fits.
    /// Returns its length in bytes.
    #[inline(always)]
    pub(crate) fn convert_clean<S: Encoding, T: Encoding>(
        from: S,
        to: T,
        input: &[u8],
        out: &mut Out<'_>,
    ) -> usize {
        if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
            // A reference to a constant, so that its function is one too.
            let pair = const { &Pair::of_known::<S, T>() };
            (pair.convert)(pair, input, out)
        } else {
            let pair = Pair::of_values(from.any(), to.any());
            (pair.convert)(&pair, input, out)
        }
    }

    /// Returns the pair of two encodings that are only known at run time. It refers to all routes. With the feature
    /// `any`, these are compiled in this library, otherwise in each crate that calls this.
    #[cfg_attr(feature = "any", inline(never))]
    #[cfg_attr(not(feature = "any"), inline)]
    fn of_values(from: AnyEncoding, to: AnyEncoding) -> Pair {
        Pair::of_any(from, to)
    }

    /// The source's [`Encoding::decode`], of its type if that determines the encoding.
    #[inline(always)]
    pub(crate) fn decode_as<S: Encoding>(&self, bytes: &[u8]) -> Option<Step> {
        match S::KNOWN {
            Some((from, _)) => from.decode(bytes),
            None => (self.decode)(bytes),
        }
    }

    /// The target's [`Encoding::encode`], of its type if that determines the encoding.
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

    /// Returns the pair of two types.
    const fn of_known<S: Encoding, T: Encoding>() -> Pair {
        match (S::KNOWN, T::KNOWN) {
            (Some((_, from)), Some((_, to))) => {
                Pair { items: clean::items_of::<S, T>, ..Pair::of_any(from, to) }
            }
            // Never reached: callers check.
            _ => Pair::of_any(AnyEncoding::Utf8, AnyEncoding::Utf8),
        }
    }

    /// Returns the pair of two values. Inlined, so that only programs with such values contain all routes.
    #[inline]
    const fn of_any(from: AnyEncoding, to: AnyEncoding) -> Pair {
        let route = Route::of(from, to);
        Pair {
            from,
            to,
            route,
            convert: clean::converter(route, from, to),
            items: clean::items,
            decode: scalar::decoder(from),
            encode: scalar::encoder(to),
        }
    }
}

impl Route {
    /// Returns the route from one encoding to another.
    #[inline]
    const fn of(from: AnyEncoding, to: AnyEncoding) -> Route {
        use AnyEncoding as E;
        let unit = from.traits().unit;
        if from as u8 == to as u8 && !from.is_dialect() || unit > 1 && unit == to.traits().unit {
            return if from.is_big_endian() == to.is_big_endian() { Route::CopyUnits } else { Route::Swap };
        }
        // From units to UTF-8, or nearly so: CESU-8 encodes surrogates separately, and modified UTF-8 also has its own
        // form of NUL. 16-bit units represent values above FFFF as surrogates.
        let alike = grammar::writes_all_as_utf8(to);
        if !from.is_dialect() && (alike || matches!(to, E::Cesu8) && unit < 4) {
            return Route::Narrow { four_bytes: alike };
        }
        if matches!(to, E::Latin1) && grammar::writes_basic_plane_as_utf8(from) {
            return Route::ToLatin1 { nul: !matches!(from, E::Mutf8) };
        }
        if let Some(shared) = grammar::shared(from, to) {
            return match (grammar::code_units(from), grammar::code_units(to)) {
                (Some(units), Some(_)) if from as u8 != to as u8 => Route::ThroughUtf16 { shared, units },
                _ => Route::Copy(shared),
            };
        }
        if matches!(from, E::Latin1) {
            return Route::Extend;
        }
        match grammar::shared(from, E::Utf8) {
            Some(shared) if grammar::writes_basic_plane_as_utf8(from) => match grammar::code_units(from) {
                Some(units) if !matches!(from, E::Utf8) && to.traits().unit == 2 => {
                    Route::WidenHalves { shared, units }
                }
                _ => Route::Widen(shared),
            },
            Some(ascii) if from.is_dialect() => Route::WidenAscii(ascii),
            _ => Route::Items,
        }
    }
}
