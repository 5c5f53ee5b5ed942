//! How a pair of encodings is converted, chosen once per pair.
//!
//! A [`Route`] is the choice; converting ([`super::pair`]) and measuring ([`super::measure`]) match on it.

use crate::encoding::AnyEncoding;
use crate::grammar::{self, Grammar};

/// How well-formed parts are converted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Route {
    /// Copy the part that this grammar allows, which both encodings write with the same bytes.
    Copy(&'static Grammar),
    /// Copy likewise, between UTF-8 and the forms that write supplementary code points in two times three bytes;
    /// convert the rest through UTF-16.
    ThroughUtf16 { shared: &'static Grammar, units: &'static Grammar },
    /// Copy units of the same width and order; bytes of Latin-1 as well.
    CopyUnits,
    /// Swap the bytes of units of the same width.
    Swap,
    /// Convert the source's part in this grammar to wider units.
    Widen(&'static Grammar),
    /// Convert likewise, including surrogates of three bytes each, to 16-bit units.
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
    /// Convert item by item, by the reference implementation.
    Items,
}

impl Route {
    /// Returns the route from one encoding to another.
    #[inline]
    pub(super) const fn of(from: AnyEncoding, to: AnyEncoding) -> Route {
        use AnyEncoding as E;
        let unit = from.traits().unit;
        if from as u8 == to as u8 && !from.is_dialect() || unit > 1 && unit == to.traits().unit {
            return if from.is_big_endian() == to.is_big_endian() { Route::CopyUnits } else { Route::Swap };
        }
        // From units to UTF-8, or nearly so: CESU-8 encodes surrogates separately, and modified UTF-8 also has its own
        // form of NUL. 16-bit units represent values above FFFF as surrogates.
        let writes_utf8 = grammar::writes_all_as_utf8(to);
        if !from.is_dialect() && (writes_utf8 || matches!(to, E::Cesu8) && unit < 4) {
            return Route::Narrow { four_bytes: writes_utf8 };
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
