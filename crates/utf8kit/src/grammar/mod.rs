//! Grammars: the definition of a dialect as rows of byte ranges, and the tables derived from them.
//!
//! ```text
//! rows (data)  ->  leads       for each lead: length, range of the second byte           (scalar decoder)
//!              ->  lookup      three nibble tables, a superset of all errors             (vector kernels)
//!              ->  automaton   the bytes that may follow, by states                      (kernels on SWAR)
//!              ->  kinds       the values a broken prefix could have written             (error kinds, explain)
//! ```
//!
//! All tables are computed at compile time, in `derive` and `automaton`.

pub(crate) mod automaton;
mod derive;
mod row;
mod rows;
mod tables;

use crate::encoding::{AnyEncoding, Cesu8, Codec, Mutf8, Utf8, Utf8Bits21, Utf8Bits31, Utf8Offset, Wtf8};
pub(crate) use derive::Lead;
pub use row::Row;
pub(crate) use row::{is_continuation, lead_mask, length_class, matching};
pub use tables::Grammar;
pub(crate) use tables::Surrogates;

impl Grammar {
    /// Returns the forms: every well-formed sequence of one code point, by byte ranges, in order of their values. They
    /// are the rows, plus a form for surrogate pairs where surrogates pair.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Dialect, Utf8};
    /// assert!(Utf8.grammar().forms().eq(Utf8.grammar().rows()));
    /// let pairs = Cesu8.grammar().forms().last().unwrap();
    /// assert_eq!(pairs.ranges()[..2], [(0xED, 0xED), (0xA0, 0xAF)]);
    /// ```
    pub fn forms(&self) -> impl Iterator<Item = &'static Row> {
        let (rows, pairs) = match self.surrogates {
            Surrogates::Plain | Surrogates::Refused => (self.rows, None),
            Surrogates::Joined => (rows::BASIC_PLANE.rows, Some(&rows::SURROGATE_PAIRS)),
            Surrogates::JoinedOrLone => (self.rows, Some(&rows::SURROGATE_PAIRS)),
        };
        rows.iter().chain(pairs)
    }
}

/// An encoding of the UTF-8 family: one whose sequences are rows of byte ranges.
///
/// Sealed: only the seven types of this crate implement it.
pub trait Dialect: Codec<Unit = u8> {
    /// Returns the grammar.
    fn grammar(self) -> &'static Grammar;
}

macro_rules! dialects {
    ($($name:ident, $grammar:ident;)*) => {
        $(
            impl Dialect for $name {
                #[inline(always)]
                fn grammar(self) -> &'static Grammar {
                    &rows::$grammar
                }
            }
        )*

        impl AnyEncoding {
            /// Reports whether the encoding is one of the seven dialects of UTF-8.
            #[must_use]
            pub const fn is_dialect(self) -> bool {
                matches!(self, $(AnyEncoding::$name)|*)
            }

            /// Reports whether the rows alone define each item of a dialect, independent of its context.
            #[inline(always)]
            pub(crate) const fn decides_items_alone(self) -> bool {
                match self {
                    $(AnyEncoding::$name => const { matches!(rows::$grammar.surrogates, Surrogates::Plain) },)*
                    _ => false,
                }
            }

            /// Returns the grammar, for the seven dialects of UTF-8.
            #[must_use]
            pub const fn grammar(self) -> Option<&'static Grammar> {
                Some(match self {
                    $(AnyEncoding::$name => &rows::$grammar,)*
                    _ => return None,
                })
            }

            /// [`Grammar::has_nul`] of a dialect, known at compile time if the encoding is.
            #[inline(always)]
            pub(crate) const fn has_nul(self) -> bool {
                match self {
                    $(AnyEncoding::$name => const { rows::$grammar.has_nul() },)*
                    _ => true,
                }
            }
        }
    };
}

dialects! {
    Utf8, UTF_8;
    Utf8Bits21, UTF_8_21BIT;
    Utf8Bits31, UTF_8_31BIT;
    Utf8Offset, UTF_8_OFFSET;
    Cesu8, CESU_8;
    Mutf8, MUTF_8;
    Wtf8, WTF_8;
}

/// Returns the grammar of an encoding that can be read as UTF-16 code units, one or two for each of its sequences. It
/// covers neither the pairing of surrogates nor NUL.
pub(crate) const fn code_units(encoding: AnyEncoding) -> Option<&'static Grammar> {
    match encoding {
        AnyEncoding::Utf8 => Some(&rows::UTF_8),
        AnyEncoding::Cesu8 | AnyEncoding::Mutf8 => Some(&rows::CODE_UNITS),
        _ => None,
    }
}

/// Reports whether all scalar values are written as in UTF-8.
pub(crate) const fn writes_all_as_utf8(encoding: AnyEncoding) -> bool {
    use AnyEncoding as E;
    matches!(encoding, E::Utf8 | E::Utf8Bits21 | E::Utf8Bits31 | E::Wtf8)
}

/// Reports whether the scalar values to FFFF, apart from NUL, are written as in UTF-8.
pub(crate) const fn writes_basic_plane_as_utf8(encoding: AnyEncoding) -> bool {
    writes_all_as_utf8(encoding) || matches!(encoding, AnyEncoding::Cesu8 | AnyEncoding::Mutf8)
}

/// Returns the grammar of the texts that two encodings write in the same bytes, if these are common enough to be
/// copied.
pub(crate) const fn shared(from: AnyEncoding, to: AnyEncoding) -> Option<&'static Grammar> {
    let nul = !matches!(from, AnyEncoding::Mutf8) && !matches!(to, AnyEncoding::Mutf8);
    if from as u8 == to as u8 && from.is_dialect() {
        from.grammar()
    } else if writes_all_as_utf8(from) && writes_all_as_utf8(to) {
        Some(&rows::UTF_8)
    } else if writes_basic_plane_as_utf8(from) && writes_basic_plane_as_utf8(to) {
        Some(if nul { &rows::BASIC_PLANE } else { &rows::BASIC_PLANE_BUT_NUL })
    } else if from.is_ascii_compatible() && to.is_ascii_compatible() {
        Some(if nul { &rows::ASCII_ONLY } else { &rows::ASCII_BUT_NUL })
    } else {
        None
    }
}
