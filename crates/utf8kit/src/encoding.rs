//! Encodings as values: one type each for code that knows its encoding, and [`AnyEncoding`] for code that learns it at
//! run time.

use core::fmt;
use core::str::FromStr;

use crate::error::{ErrorKind, Unit};

/// The maximum number of bytes that one code point takes in any encoding of this crate.
pub const MAX_LEN: usize = 6;

/// The size of a buffer for one encoded code point: the width of a register, so that it is stored and copied at once.
pub const ENCODE_BUFFER: usize = 8;

/// One step of decoding: the item (code point or error) at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Step {
    /// The code point, or why these bytes are not one.
    pub result: Result<u32, ErrorKind>,
    /// The length of the item: 1 to 6 bytes.
    pub len: u8,
    /// Whether the bytes end here and more of them could change this item. Then wait for more, unless the input has
    /// ended.
    pub incomplete: bool,
}

impl Step {
    pub(crate) const fn value(value: u32, len: usize) -> Step {
        Step { result: Ok(value), len: len as u8, incomplete: false }
    }

    pub(crate) const fn error(kind: ErrorKind, len: usize) -> Step {
        Step { result: Err(kind), len: len as u8, incomplete: false }
    }

    pub(crate) const fn incomplete_if(self, incomplete: bool) -> Step {
        Step { incomplete, ..self }
    }

    /// Returns the item's length as a `usize`.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no item is empty")]
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

pub(crate) mod sealed {
    use core::fmt;

    use super::{AnyEncoding, CodeUnit, ENCODE_BUFFER, Step};
    use crate::error::ErrorKind;

    /// The reference implementation of an encoding, on which [`crate::Encoding`] builds.
    pub trait Codec: Copy + fmt::Debug + Eq + Send + Sync + 'static {
        /// The integer that holds a code unit.
        type Unit: CodeUnit;

        /// The single value of the type, also as an [`AnyEncoding`], if the type determines the encoding.
        const KNOWN: Option<(Self, AnyEncoding)>;

        /// Returns the same encoding as a run-time value.
        fn erase(self) -> AnyEncoding;

        /// Decodes the item at the start of `bytes`; `None` if there are no bytes.
        fn decode_step(self, bytes: &[u8]) -> Option<Step>;

        /// Writes the bytes of `value` to the start of `out` and returns how many there are.
        ///
        /// # Errors
        /// If the encoding cannot represent the value.
        fn encode_value(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind>;
    }

    /// An integer that holds a code unit.
    pub trait Integer {}
}

pub(crate) use sealed::Codec;

/// Properties that do not depend on the bytes.
pub(crate) struct Traits {
    pub(crate) name: &'static str,
    pub(crate) unit: usize,
    longest: usize,
    /// Whether it represents surrogate values, except that a high one right before a low one would be read back as one
    /// code point or be invalid.
    pub(crate) fuses_pairs: bool,
    /// Whether surrogates are values like any other, even a high one right before a low one.
    pub(crate) plain_surrogates: bool,
}

macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident, $label:literal, $traits:expr;)*) => {
        /// Any of the encodings, chosen at run time.
        ///
        /// ```
        /// use utf8kit::{AnyEncoding, Encoding};
        /// let encoding: AnyEncoding = "Modified-UTF-8".parse()?;
        /// assert_eq!(encoding, AnyEncoding::Mutf8);
        /// assert_eq!(encoding.name(), "mutf-8");
        /// # Ok::<(), utf8kit::UnknownEncoding>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum AnyEncoding {
            $($(#[$doc])* $name,)*
        }

        impl AnyEncoding {
            /// All encodings, dialects first.
            pub const ALL: &'static [AnyEncoding] = &[$(AnyEncoding::$name,)*];

            const TRAITS: &[Traits] = &[$({
                let (unit, longest, fuses_pairs, plain_surrogates) = $traits;
                Traits { name: $label, unit, longest, fuses_pairs, plain_surrogates }
            },)*];

            #[inline(always)]
            pub(crate) const fn traits(self) -> &'static Traits {
                &AnyEncoding::TRAITS[self as usize]
            }
        }
    };
}

// name; label; (unit, longest, fuses pairs, plain surrogates)
encodings! {
    /// RFC 3629.
    Utf8, "utf-8", (1, 4, false, false);
    /// Every value to 1FFFFF in 1 to 4 bytes.
    Utf8Bits21, "utf-8-21bit", (1, 4, false, true);
    /// Every value to 7FFFFFFF in 1 to 6 bytes.
    Utf8Bits31, "utf-8-31bit", (1, 6, false, true);
    /// The gapless form.
    Utf8Offset, "utf-8-offset", (1, 4, false, false);
    /// UTR #26.
    Cesu8, "cesu-8", (1, 6, false, false);
    /// Java's.
    Mutf8, "mutf-8", (1, 6, true, false);
    /// UTF-8 plus lone surrogates.
    Wtf8, "wtf-8", (1, 6, true, false);
    /// UTF-16, little-endian.
    Utf16Le, "utf-16le", (2, 4, false, false);
    /// UTF-16, big-endian.
    Utf16Be, "utf-16be", (2, 4, false, false);
    /// UTF-32, little-endian.
    Utf32Le, "utf-32le", (4, 4, false, false);
    /// UTF-32, big-endian.
    Utf32Be, "utf-32be", (4, 4, false, false);
    /// Any 16-bit units, little-endian: UTF-16 where lone surrogates are kept.
    Wtf16Le, "wtf-16le", (2, 4, true, false);
    /// Any 16-bit units, big-endian.
    Wtf16Be, "wtf-16be", (2, 4, true, false);
    /// ISO 8859-1: the first 256 code points, a byte each.
    Latin1, "latin1", (1, 1, false, false);
}

impl AnyEncoding {
    /// Returns the name used on the command line and in the conformance vectors: `utf-8`, `cesu-8`, `utf-16le`, ...
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.traits().name
    }

    /// Returns the size of the code unit in bytes: 1, 2 or 4.
    #[must_use]
    #[inline(always)]
    pub const fn unit(self) -> usize {
        self.traits().unit
    }

    /// Returns the length of the longest sequence in bytes. A stream holds back at most one byte less.
    #[must_use]
    #[inline(always)]
    pub const fn longest(self) -> usize {
        self.traits().longest
    }

    /// Reports whether units of several bytes begin with the most significant one.
    #[inline(always)]
    pub(crate) const fn is_big_endian(self) -> bool {
        matches!(self, AnyEncoding::Utf16Be | AnyEncoding::Wtf16Be | AnyEncoding::Utf32Be)
    }

    /// Reports whether bytes 00..7F are ASCII and mean nothing else (true of the dialects and of Latin-1).
    #[must_use]
    pub const fn is_ascii_compatible(self) -> bool {
        self.traits().unit == 1
    }
}

impl fmt::Display for AnyEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for text that is not the name of an encoding of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownEncoding;

impl fmt::Display for UnknownEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown encoding")
    }
}

impl core::error::Error for UnknownEncoding {}

/// Other spellings, with letters and digits only.
const ALIASES: &[(&str, AnyEncoding)] = &[
    ("utf821", AnyEncoding::Utf8Bits21),
    ("utf831", AnyEncoding::Utf8Bits31),
    ("rfc3629", AnyEncoding::Utf8),
    ("utf8mb4", AnyEncoding::Utf8),
    ("rfc2279", AnyEncoding::Utf8Bits31),
    ("modifiedutf8", AnyEncoding::Mutf8),
    ("javautf8", AnyEncoding::Mutf8),
    ("iso88591", AnyEncoding::Latin1),
    ("isolatin1", AnyEncoding::Latin1),
    ("l1", AnyEncoding::Latin1),
];

/// Reports whether two spellings are the same name, ignoring case, `-`, `_`, `.`, `:` and spaces.
pub(crate) fn same_name(text: &str, name: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(|byte| !b"-_.: ".contains(byte)).map(|byte| byte.to_ascii_lowercase())
    }
    letters(text).eq(letters(name))
}

impl FromStr for AnyEncoding {
    type Err = UnknownEncoding;

    /// Parses a name, ignoring case, `-`, `_`, `.`, `:` and spaces: `UTF8`, `utf_16LE` and `ISO-8859-1` are understood.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let same = |name: &str| same_name(text, name);
        let by_name = AnyEncoding::ALL.iter().copied().find(|e| same(e.name()));
        by_name
            .or_else(|| ALIASES.iter().find(|(alias, _)| same(alias)).map(|&(_, encoding)| encoding))
            .ok_or(UnknownEncoding)
    }
}

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;
    )*};
}

types! {
    /// UTF-8 as RFC 3629 and the Unicode Standard (3.9, D92) define it: scalar values in 1 to 4 bytes.
    Utf8;
    /// The four-byte form without Unicode's limit: every value to 1FFFFF, including surrogates.
    Utf8Bits21;
    /// The original six-byte form (RFC 2279): every value to 7FFFFFFF, including surrogates.
    Utf8Bits31;
    /// The gapless form: each length begins where the previous one ends, so nothing can be overlong.
    Utf8Offset;
    /// CESU-8 (UTR #26): supplementary code points as surrogate pairs of three bytes each.
    Cesu8;
    /// Java's modified UTF-8 (JVMS 4.4.7): CESU-8 with NUL as `C0 80`, lone surrogates allowed.
    Mutf8;
    /// WTF-8: UTF-8 plus lone surrogates.
    Wtf8;
    /// UTF-16LE (The Unicode Standard, D97): an unpaired surrogate is an error of 2 bytes.
    Utf16Le;
    /// UTF-16BE (D96).
    Utf16Be;
    /// Little-endian 16-bit units of any value: lone surrogates are code points.
    Wtf16Le;
    /// Big-endian 16-bit units of any value.
    Wtf16Be;
    /// UTF-32LE (D100): four bytes per scalar value.
    Utf32Le;
    /// UTF-32BE (D99).
    Utf32Be;
    /// ISO 8859-1: every byte is the code point of its value.
    Latin1;
    /// UTF-16 as a slice of `u16`, such as JavaScript's strings: an unpaired surrogate is an error of one unit.
    Utf16;
    /// 16-bit units of any value as a slice of `u16`, such as names of files on Windows: lone surrogates are code
    /// points.
    Wtf16;
    /// UTF-32 as a slice of `u32`.
    Utf32;
}

/// An integer that holds a code unit: `u8`, `u16` or `u32`.
///
/// Sealed: only these three types implement it.
pub trait CodeUnit: Copy + fmt::Debug + Default + Ord + Send + Sync + 'static + sealed::Integer {
    /// The unit as it appears in an [`crate::Error`].
    const UNIT: Unit;
}

macro_rules! code_units {
    ($($integer:ty => $unit:ident)*) => {$(
        impl sealed::Integer for $integer {}

        impl CodeUnit for $integer {
            const UNIT: Unit = Unit::$unit;
        }
    )*};
}

code_units! { u8 => Byte u16 => Utf16 u32 => Utf32 }
