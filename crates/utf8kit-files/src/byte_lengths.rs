//! The kinds of byte lengths that a text may store, in words.

use std::fmt;

use utf8kit_encodings::display::counted;

/// Byte lengths that a text stores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteLengths {
    /// The field widths of a dBase table.
    Dbase,
    /// The lengths in an ISO 2709 record.
    Iso2709,
    /// The common length of all lines.
    Lines(usize),
    /// The lengths of non-ASCII strings that PHP serialized: their number, and the first ones.
    Serialized(u64, Vec<String>),
}

/// The text follows "it has".
impl fmt::Display for ByteLengths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ByteLengths::Dbase => f.write_str("fields of fixed widths, as a dBase table"),
            ByteLengths::Iso2709 => f.write_str("lengths in its leader and directory, as a record of ISO 2709"),
            ByteLengths::Lines(width) => write!(f, "lines of {width} bytes each"),
            ByteLengths::Serialized(count, first) => {
                let more = if *count > first.len() as u64 { ", ..." } else { "" };
                let lengths = counted(*count, "length");
                write!(f, "{lengths} of strings that PHP serialized ({}{more})", first.join(", "))
            }
        }
    }
}
