//! The kinds of lengths in bytes that a text may store, in words.

use std::fmt;

use utf8kit_encodings::display::counted;

/// Lengths in bytes that a text stores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteLengths {
    /// Those of a dBase table.
    Dbase,
    /// Those of a record of ISO 2709.
    Iso2709,
    /// That of all lines.
    Lines(usize),
    /// Those of strings that PHP serialized, non-ASCII: how many, and the first ones.
    Serialized(u64, Vec<String>),
}

/// To go after "it has".
impl fmt::Display for ByteLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ByteLengths::Dbase => f.write_str("fields of fixed widths, as a dBase table"),
            ByteLengths::Iso2709 => {
                f.write_str("lengths in its leader and directory, as a record of ISO 2709")
            }
            ByteLengths::Lines(width) => write!(f, "lines of {width} bytes each"),
            ByteLengths::Serialized(count, first) => {
                let more = if *count > first.len() as u64 { ", ..." } else { "" };
                let lengths = counted(*count, "length");
                write!(f, "{lengths} of strings that PHP serialized ({}{more})", first.join(", "))
            }
        }
    }
}
