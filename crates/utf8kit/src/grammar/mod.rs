//! Grammars: the definition of a dialect as rows of byte ranges, and the tables derived from them.
//!
//! ```text
//! rows (data)  ->  leads       what each byte begins: length, range of the second byte   (scalar decoder)
//!              ->  lookup      three nibble tables, a superset of all errors             (vector kernels)
//!              ->  automaton   what may follow, by states                                (kernels on plain words)
//!              ->  kinds       the values a broken prefix could have written             (error kinds, explain)
//! ```
//!
//! All tables are computed at compile time by the `const fn`s below.

pub(crate) mod automaton;
mod derive;
mod rows;

use crate::encoding::{
    AnyEncoding, Cesu8, Encoding, Mutf8, UnitEncoding, Utf8, Utf8Bits21, Utf8Bits31, Utf8Offset, Wtf8,
};
use crate::error::ErrorKind;
use automaton::Automaton;

/// A row of a grammar: the byte ranges of a family of sequences of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    ranges: [(u8, u8); 6],
    len: u8,
}

impl Row {
    /// Returns the inclusive range of each byte of the sequence, first to last (1 to 6 of them).
    #[must_use]
    pub fn ranges(&self) -> &[(u8, u8)] {
        &self.ranges[..usize::from(self.len).min(self.ranges.len())]
    }
}

const fn row(ranges: &[(u8, u8)]) -> Row {
    let mut all = [(0, 0); 6];
    let mut i = 0;
    while i < ranges.len() {
        all[i] = ranges[i];
        i += 1;
    }
    Row { ranges: all, len: ranges.len() as u8 }
}

/// How a dialect treats surrogate code units in three bytes (`ED A0..BF 80..BF`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surrogates {
    /// Two surrogates together have no special meaning; the rows decide whether a single one is allowed.
    Plain,
    /// A pair is one code point; half of a pair is an error (CESU-8).
    Joined,
    /// A pair is one code point; half of a pair is a code point, too (modified UTF-8).
    JoinedOrLone,
    /// A single surrogate is a code point; a pair is an error (WTF-8).
    Refused,
}

/// What a byte from C0 on begins: the length of its sequences (0 if it begins none), and the range of their second byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) len: u8,
    /// Whether [`Lead::second`], and 80..BF for the rest, are the only conditions (otherwise check the rows).
    pub(crate) simple: bool,
    pub(crate) second: (u8, u8),
}

/// Nibble tables for the vector kernels, after Keiser and Lemire, "Validating UTF-8 In Less Than One
/// Instruction Per Byte" (2020), section 6: a pair of bytes is suspect where all three tables share a bit. Aligned, so
/// that no load of a table touches two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct Lookup {
    pub(crate) byte_1_high: [u8; 16],
    pub(crate) byte_1_low: [u8; 16],
    pub(crate) byte_2_high: [u8; 16],
    /// What brings the leads of sequences of at least three bytes, and only them, above 7F when it is subtracted. Not a
    /// constant: of constant vectors of 64 bytes, every function holds a copy.
    pub(crate) third: [u8; 16],
    /// [`Lookup::third`] for four bytes.
    pub(crate) fourth: [u8; 16],
}

/// No byte up to this one begins a sequence of several bytes, in any dialect.
const BEFORE_LEADS: usize = 0xBF;

/// A dialect's grammar and everything derived from it.
#[derive(Debug)]
pub struct Grammar {
    rows: &'static [Row],
    base: [u32; 7],
    shortest: [u32; 7],
    max: u32,
    pub(crate) surrogates: Surrogates,
    /// Whether NUL is a zero byte.
    nul: bool,
    /// For bytes up to BF, which begin no sequence of several bytes, and then for each byte from C0 on.
    leads: [Lead; 0x100 - BEFORE_LEADS],
    pub(crate) lookup: Lookup,
    /// Length of the longest row: what one lead can reach.
    pub(crate) longest_unit: usize,
    /// Whether [`Grammar::lookup`] refuses exactly what must not follow a lead, and any continuation is allowed. The
    /// kernel that finds errors requires this.
    pub(crate) exact: bool,
    /// The automaton, if it has few states and items are independent of each other.
    pub(crate) automaton: Option<Automaton>,
}

impl Grammar {
    const fn new(
        rows: &'static [Row],
        base: [u32; 7],
        shortest: [u32; 7],
        max: u32,
        surrogates: Surrogates,
    ) -> Grammar {
        let all_leads = derive::leads(rows);
        let mut leads = [all_leads[BEFORE_LEADS]; 0x100 - BEFORE_LEADS];
        let mut n = 0;
        while n < leads.len() {
            leads[n] = all_leads[BEFORE_LEADS + n];
            n += 1;
        }
        let nul = all_leads[0].len == 1;
        let mut longest_unit = 1;
        let mut i = 0;
        while i < rows.len() {
            if rows[i].len as usize > longest_unit {
                longest_unit = rows[i].len as usize;
            }
            i += 1;
        }
        let lookup = derive::lookup(rows, &all_leads, !matches!(surrogates, Surrogates::Plain));
        let exact = matches!(surrogates, Surrogates::Plain) && derive::exact(&all_leads, &lookup);
        let automaton =
            if matches!(surrogates, Surrogates::Plain) { automaton::automaton(rows) } else { None };
        Grammar { rows, base, shortest, max, surrogates, nul, leads, lookup, longest_unit, exact, automaton }
    }

    /// Returns the rows: every well-formed sequence of one unit, by byte ranges.
    ///
    /// ```
    /// use utf8kit::{Dialect, Utf8};
    /// // Unicode's Table 3-7 has nine rows.
    /// assert_eq!(Utf8.grammar().rows().len(), 9);
    /// assert_eq!(Utf8.grammar().rows()[2].ranges(), [(0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)]);
    /// ```
    #[must_use]
    pub fn rows(&self) -> &'static [Row] {
        self.rows
    }

    /// Returns the forms: every well-formed sequence of one code point, by byte ranges, in order of their values. They
    /// are the rows, except where surrogates pair: there a pair is a form of its own.
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

    /// Reports whether NUL is a zero byte. If not, zero bytes are not allowed, and not all ASCII is well formed.
    #[inline(always)]
    pub(crate) const fn has_nul(&self) -> bool {
        self.nul
    }

    /// Reports whether `byte` alone is a sequence: ASCII, except NUL in some dialects.
    #[inline(always)]
    pub(crate) const fn is_single(&self, byte: u8) -> bool {
        byte < 0x80 && (self.nul || byte != 0)
    }

    /// Returns what a byte begins that is not a sequence alone.
    #[inline(always)]
    pub(crate) const fn lead(&self, byte: u8) -> &Lead {
        &self.leads[byte.saturating_sub(BEFORE_LEADS as u8) as usize]
    }

    /// Returns the largest value that the dialect encodes.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.max
    }

    /// Returns the number that is added to the payload bits of a sequence of `len` bytes: zero except in the offset
    /// form.
    #[must_use]
    pub fn base(&self, len: usize) -> u32 {
        self.base.get(len).copied().unwrap_or(0)
    }

    /// Returns the smallest value that sequences of `len` bytes encode.
    #[must_use]
    pub fn shortest(&self, len: usize) -> u32 {
        self.shortest.get(len).copied().unwrap_or(0)
    }

    /// Returns the length of the longest sequence in bytes: 4 in UTF-8, 6 in the 31-bit form and where surrogates pair.
    #[must_use]
    pub fn longest(&self) -> usize {
        if matches!(self.surrogates, Surrogates::Plain) { self.longest_unit } else { 6 }
    }

    /// Returns the length of the sequences that `byte` begins, or `None` if it begins none.
    #[must_use]
    pub fn lead_len(&self, byte: u8) -> Option<usize> {
        match self.lead(byte).len {
            _ if self.is_single(byte) => Some(1),
            0 => None,
            len => Some(usize::from(len)),
        }
    }

    /// Returns the range of bytes that can continue `prefix` (1 to 5 bytes), or `None` if the prefix is already
    /// complete or begins nothing. If several rows share the prefix, their ranges are joined.
    ///
    /// ```
    /// use utf8kit::{Dialect, Utf8};
    /// assert_eq!(Utf8.grammar().expected(&[0xE0]), Some((0xA0, 0xBF)));
    /// assert_eq!(Utf8.grammar().expected(&[0xC0]), None);
    /// ```
    #[must_use]
    pub fn expected(&self, prefix: &[u8]) -> Option<(u8, u8)> {
        let mut found: Option<(u8, u8)> = None;
        for row in self.rows {
            let ranges = row.ranges();
            if ranges.len() > prefix.len() && matching(ranges, prefix) == prefix.len() {
                let (low, high) = ranges[prefix.len()];
                found = Some(found.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
            }
        }
        found
    }

    /// Returns the smallest and the largest value of a sequence of `len` bytes beginning with `prefix`, where only the
    /// length class of the lead's marker counts: what a lax decoder would read.
    #[must_use]
    pub fn lax_values(&self, prefix: &[u8], len: usize) -> (u32, u32) {
        let len = len.clamp(1, 6);
        let mut low: u64 = 0;
        for (i, &byte) in prefix.iter().take(len).enumerate() {
            low = if i == 0 {
                u64::from(byte) & u64::from(lead_mask(len))
            } else {
                low << 6 | u64::from(byte & 0x3F)
            };
        }
        let missing = 6 * (len - prefix.len().clamp(1, len)) as u32;
        let low = low << missing;
        let high = low | ((1 << missing) - 1);
        let base = u64::from(self.base(len));
        // At most 31 payload bits and a base below 2^27, so both fit.
        ((low + base) as u32, (high + base) as u32)
    }

    /// Returns why `prefix`, whose last byte is the one that broke it, cannot continue (a rule of the conformance
    /// suite). `prefix` is either a single byte that begins nothing, or a good prefix plus one continuation byte.
    #[inline]
    pub(crate) fn kind_of(&self, prefix: &[u8]) -> ErrorKind {
        let Some(&lead) = prefix.first() else { return ErrorKind::Truncated };
        if is_continuation(lead) {
            return ErrorKind::UnexpectedContinuation;
        }
        let len = length_class(lead);
        if len < 2 || len > self.longest_unit {
            return ErrorKind::InvalidByte;
        }
        let (low, high) = self.lax_values(prefix, len);
        if high < self.shortest(len) {
            ErrorKind::Overlong
        } else if low > self.max {
            ErrorKind::TooLarge
        } else if low >= 0xD800 && high <= 0xDFFF {
            ErrorKind::Surrogate
        } else {
            ErrorKind::Truncated
        }
    }
}

/// Returns the length that the marker bits of a lead byte announce: its leading ones, 1 for ASCII, 7 and 8 for FE and
/// FF.
#[inline]
#[must_use]
pub(crate) const fn length_class(lead: u8) -> usize {
    if lead < 0x80 { 1 } else { lead.leading_ones() as usize }
}

/// Returns the mask of the payload bits in the lead byte of a sequence of `len` bytes.
#[inline]
#[must_use]
pub(crate) const fn lead_mask(len: usize) -> u32 {
    if len == 1 { 0x7F } else { 0x7F >> len }
}

/// Reports whether a byte is in 80..BF.
#[inline(always)]
#[must_use]
pub(crate) const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Returns how many bytes from the start of `bytes` are in the ranges.
#[inline(never)]
pub(crate) fn matching(ranges: &[(u8, u8)], bytes: &[u8]) -> usize {
    ranges.iter().zip(bytes).take_while(|((low, high), byte)| (low..=high).contains(byte)).count()
}

/// An encoding of the UTF-8 family: one whose sequences are rows of byte ranges.
///
/// Sealed: only the seven types of this crate implement it.
pub trait Dialect: Encoding {
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

            impl UnitEncoding for $name {
                type Unit = u8;
            }
        )*

        impl AnyEncoding {
            /// Reports whether the encoding is one of the seven dialects of UTF-8.
            #[must_use]
            pub const fn is_dialect(self) -> bool {
                matches!(self, $(AnyEncoding::$name)|*)
            }

            /// Reports whether the rows alone decide about each item of a dialect, whatever is around it.
            #[inline(always)]
            pub(crate) const fn judges_items_alone(self) -> bool {
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
/// does not decide whether two of them are a pair, nor about NUL.
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

/// Returns the grammar of the texts that two encodings write in the same bytes, if there are any worth copying.
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
