//! The seven grammars as data: rows of byte ranges, as in Unicode's Table 3-7.
//!
//! This is the only file that defines which bytes a dialect allows. Widths, lead tables, kernel tables, error kinds and
//! explanations are all derived from it ([`super`]).

use super::row::{Row, row};
use super::tables::{Grammar, Surrogates};

const ASCII: Row = row(&[(0x00, 0x7F)]);
const TAIL: (u8, u8) = (0x80, 0xBF);

/// The first value of each length class of the shortest-form dialects, by length (index 0 is unused).
const SHORTEST: [u32; 7] = [0, 0, 0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];
/// The base of the payload: zero, so the payload bits are the value.
const PLAIN: [u32; 7] = [0; 7];
/// The offset form: each length begins where the previous one ends (seed text: Polish Wikipedia on UTF-8).
const OFFSET: [u32; 7] = [0, 0, 0x80, 0x880, 0x1_0880, 0x21_0880, 0x421_0880];

/// RFC 3629 and The Unicode Standard, Table 3-7.
pub(super) static UTF_8: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEC), TAIL, TAIL]),
        row(&[(0xED, 0xED), (0x80, 0x9F), TAIL]),
        row(&[(0xEE, 0xEF), TAIL, TAIL]),
        row(&[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL]),
        row(&[(0xF1, 0xF3), TAIL, TAIL, TAIL]),
        row(&[(0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0x10_FFFF,
    Surrogates::Plain,
);

/// The four-byte form without Unicode's limit: every value to 1FFFFF, including surrogates.
pub(super) static UTF_8_21BIT: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEF), TAIL, TAIL]),
        row(&[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL]),
        row(&[(0xF1, 0xF7), TAIL, TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0x1F_FFFF,
    Surrogates::Plain,
);

/// RFC 2279: the original form of 1 to 6 bytes, every value to 7FFFFFFF.
pub(super) static UTF_8_31BIT: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEF), TAIL, TAIL]),
        row(&[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL]),
        row(&[(0xF1, 0xF7), TAIL, TAIL, TAIL]),
        row(&[(0xF8, 0xF8), (0x88, 0xBF), TAIL, TAIL, TAIL]),
        row(&[(0xF9, 0xFB), TAIL, TAIL, TAIL, TAIL]),
        row(&[(0xFC, 0xFC), (0x84, 0xBF), TAIL, TAIL, TAIL, TAIL]),
        row(&[(0xFD, 0xFD), TAIL, TAIL, TAIL, TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0x7FFF_FFFF,
    Surrogates::Plain,
);

/// The gapless form: nothing can be overlong. Limited here to Unicode's scalar values.
pub(super) static UTF_8_OFFSET: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC0, 0xDF), TAIL]),
        row(&[(0xE0, 0xEB), TAIL, TAIL]),
        row(&[(0xEC, 0xEC), (0x80, 0xBD), TAIL]),
        row(&[(0xED, 0xED), (0x9E, 0xBF), TAIL]),
        row(&[(0xEE, 0xEF), TAIL, TAIL]),
        row(&[(0xF0, 0xF2), TAIL, TAIL, TAIL]),
        row(&[(0xF3, 0xF3), (0x80, 0xBE), TAIL, TAIL]),
        row(&[(0xF3, 0xF3), (0xBF, 0xBF), (0x80, 0x9D), TAIL]),
    ],
    OFFSET,
    OFFSET,
    0x10_FFFF,
    Surrogates::Plain,
);

/// A high surrogate and a low one, three bytes each: one code point if surrogates pair.
pub(super) static SURROGATE_PAIRS: Row = row(&[(0xED, 0xED), (0xA0, 0xAF), TAIL, (0xED, 0xED), (0xB0, 0xBF), TAIL]);

/// UTR #26: UTF-16 code units in 1 to 3 bytes. A high surrogate right before a low one is one code point with it.
pub(super) static CESU_8: Grammar = Grammar::new(
    &[ASCII, row(&[(0xC2, 0xDF), TAIL]), row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]), row(&[(0xE1, 0xEF), TAIL, TAIL])],
    PLAIN,
    SHORTEST,
    0x10_FFFF,
    Surrogates::Joined,
);

/// The Java Virtual Machine Specification, section 4.4.7: CESU-8 with NUL as `C0 80` and lone surrogates allowed.
pub(super) static MUTF_8: Grammar = Grammar::new(
    &[
        row(&[(0x01, 0x7F)]),
        row(&[(0xC0, 0xC0), (0x80, 0x80)]),
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEF), TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0x10_FFFF,
    Surrogates::JoinedOrLone,
);

/// The WTF-8 encoding (Simon Sapin): UTF-8 plus lone surrogates; a surrogate pair must be four bytes.
pub(super) static WTF_8: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEF), TAIL, TAIL]),
        row(&[(0xF0, 0xF0), (0x90, 0xBF), TAIL, TAIL]),
        row(&[(0xF1, 0xF3), TAIL, TAIL, TAIL]),
        row(&[(0xF4, 0xF4), (0x80, 0x8F), TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0x10_FFFF,
    Surrogates::Refused,
);

/// UTF-16 code units in 1 to 3 bytes, whatever is next to them.
pub(super) static CODE_UNITS: Grammar = Grammar::new(CESU_8.rows, PLAIN, SHORTEST, 0xFFFF, Surrogates::Plain);

/// The common rows of UTF-8 and CESU-8: everything below U+10000.
pub(super) static BASIC_PLANE: Grammar = Grammar::new(
    &[
        ASCII,
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEC), TAIL, TAIL]),
        row(&[(0xED, 0xED), (0x80, 0x9F), TAIL]),
        row(&[(0xEE, 0xEF), TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0xFFFF,
    Surrogates::Plain,
);

/// The common rows of UTF-8 and modified UTF-8: everything below U+10000 except NUL.
pub(super) static BASIC_PLANE_BUT_NUL: Grammar = Grammar::new(
    &[
        row(&[(0x01, 0x7F)]),
        row(&[(0xC2, 0xDF), TAIL]),
        row(&[(0xE0, 0xE0), (0xA0, 0xBF), TAIL]),
        row(&[(0xE1, 0xEC), TAIL, TAIL]),
        row(&[(0xED, 0xED), (0x80, 0x9F), TAIL]),
        row(&[(0xEE, 0xEF), TAIL, TAIL]),
    ],
    PLAIN,
    SHORTEST,
    0xFFFF,
    Surrogates::Plain,
);

/// The common rows of all encodings with one-byte units except modified UTF-8.
pub(super) static ASCII_ONLY: Grammar = Grammar::new(&[ASCII], PLAIN, SHORTEST, 0x7F, Surrogates::Plain);

/// The common rows of all encodings with one-byte units, including modified UTF-8.
pub(super) static ASCII_BUT_NUL: Grammar =
    Grammar::new(&[row(&[(0x01, 0x7F)])], PLAIN, SHORTEST, 0x7F, Surrogates::Plain);
