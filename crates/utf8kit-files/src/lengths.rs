//! Byte lengths that a text stores, which become wrong in another encoding.
//!
//! ```text
//! dBase        fields of fixed widths, as the header has them
//! ISO 2709     the leader and the directory of a record (MARC)
//! fixed width  lines that all have the same length
//! PHP          s:9:"Brötchen!", also within a dump of a database
//! ```

use std::collections::BTreeSet;
use std::io;

use utf8kit::Piece;
use utf8kit_encodings::byte_lengths::{is_dbase, is_iso2709};
use utf8kit_encodings::convert::{Conversion, MAX_BOM_LEN};

use crate::serialization::Relength;
use crate::{Blocks, ByteLengths, Cut};

/// How many different lines of equal length are not a coincidence, and the minimum length.
const MIN_EQUAL_LINES: usize = 3;
const MIN_BYTES_OF_EQUAL_LINE: usize = 16;

/// Returns the byte lengths that an input stores, if they cover non-ASCII text.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_files::{Blocks, Input, ByteLengths, byte_lengths};
///
/// let blocks = Blocks::of(Input::of(b"a:1:{i:0;s:9:\"Br\xF6tchen!\";}".to_vec()))?;
/// let found = byte_lengths(blocks)?;
/// assert_eq!(found, Some(ByteLengths::Serialized(1, vec!["s:9 at byte 9".to_owned()])));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn byte_lengths(blocks: Blocks) -> io::Result<Option<ByteLengths>> {
    found(blocks, &mut Relength::measuring(), 0)
}

/// Returns the byte lengths that an input stores. `strings` reads it from `skip`.
fn found(mut blocks: Blocks, strings: &mut Relength<'_>, mut skip: usize) -> io::Result<Option<ByteLengths>> {
    let head = blocks.head(64)?;
    let mut lines = EqualLines::default();
    let mut non_ascii = false;
    blocks.each_piece(Cut::Anywhere, 1, |piece| {
        non_ascii |= !piece.is_ascii();
        lines.push(piece);
        strings.text(piece.get(std::mem::take(&mut skip)..).unwrap_or_default(), Piece::Partial);
        true
    })?;
    strings.text(&[], Piece::Last);
    Ok(match () {
        () if !non_ascii => None,
        () if is_dbase(&head) => Some(ByteLengths::Dbase),
        () if is_iso2709(&head) => Some(ByteLengths::Iso2709),
        () => strings.strings.clone().lengths().or_else(|| lines.width().map(ByteLengths::Lines)),
    })
}

/// The effect of a conversion on the byte lengths that its input stores.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertedLengths {
    /// It updates them for the new encoding.
    Right(ByteLengths),
    /// It makes these wrong.
    Wrong(ByteLengths),
}

/// Returns the effect of a conversion on the byte lengths that an input stores, or `None` if it stores none or they
/// stay right.
///
/// # Errors
/// Fails if the input cannot be read.
///
/// ```
/// use utf8kit_encodings::convert::Conversion;
/// use utf8kit_files::{Blocks, ByteLengths, ConvertedLengths, Source, converted_lengths};
///
/// let path = std::env::temp_dir().join("utf8kit-converted-lengths-example");
/// std::fs::write(&path, b"a:1:{i:0;s:9:\"Br\xF6tchen!\";}").unwrap();
/// let conversion = Conversion::new("latin1".parse().unwrap(), "utf-8".parse().unwrap());
/// let found = converted_lengths(Blocks::of(Source::file(&path).open()?)?, &conversion)?;
/// let all = ByteLengths::Serialized(1, vec!["s:9 at byte 9".to_owned()]);
/// assert_eq!(found, Some(ConvertedLengths::Right(all)));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn converted_lengths(mut blocks: Blocks, conversion: &Conversion) -> io::Result<Option<ConvertedLengths>> {
    if conversion.keeps_lengths() {
        return Ok(None);
    }
    let plan = conversion.start(&blocks.head(MAX_BOM_LEN)?);
    let Some(mut relength) = Relength::of(&plan) else {
        return Ok(byte_lengths(blocks)?.map(ConvertedLengths::Wrong));
    };
    Ok(found(blocks, &mut relength, plan.skip)?.map(|found| match (&found, relength.wrong.lengths()) {
        (ByteLengths::Serialized(..), None) => ConvertedLengths::Right(found),
        (ByteLengths::Serialized(..), Some(wrong)) => ConvertedLengths::Wrong(wrong),
        _ => ConvertedLengths::Wrong(found),
    }))
}

/// Whether all lines have the same length.
#[derive(Default)]
struct EqualLines {
    len: usize,
    width: Option<usize>,
    differ: bool,
    ends_in_return: bool,
    /// Checksums of some different lines.
    sums: BTreeSet<u64>,
    sum: u64,
}

impl EqualLines {
    fn push(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let has_end = part.ends_with(b"\n");
            let own = part.len() - usize::from(has_end);
            if self.sums.len() < MIN_EQUAL_LINES {
                let own = part.get(..own).unwrap_or_default();
                self.sum = own.iter().fold(self.sum, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
            }
            if own > 0 {
                self.ends_in_return = part.get(own - 1) == Some(&b'\r');
            }
            self.len += own;
            if has_end {
                self.line();
            }
        }
    }

    fn line(&mut self) {
        let len = self.len - usize::from(self.ends_in_return && self.len > 0);
        self.differ = *self.width.get_or_insert(len) != len;
        if self.sums.len() < MIN_EQUAL_LINES {
            self.sums.insert(self.sum);
        }
        (self.len, self.ends_in_return, self.sum) = (0, false, 0);
    }

    fn width(mut self) -> Option<usize> {
        if self.len > 0 {
            self.line();
        }
        self.width
            .filter(|width| !self.differ && self.sums.len() >= MIN_EQUAL_LINES && *width >= MIN_BYTES_OF_EQUAL_LINE)
    }
}
