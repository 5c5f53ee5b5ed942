//! Decodes invalid input from a fallback encoding before conversion.

use utf8kit::{AnyEncoding, Piece};
use utf8kit_encodings::charset::{Codec, Fallback};
use utf8kit_encodings::counts::Counts;

use crate::repair::{RepairPolicy, Repairer};

/// The settings for decoding invalid UTF-8, or invalid input in a dialect of it, from another encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patching {
    /// The encoding from which to decode invalid input.
    pub fallback: Fallback,
    /// Whether a line with an error is decoded from it as a whole.
    pub per_line: bool,
}

impl Patching {
    /// Decodes only the invalid parts of a text from `fallback`, not the lines around them.
    pub fn new(fallback: Fallback) -> Patching {
        Patching { fallback, per_line: false }
    }

    /// Decodes whole lines with an error from `fallback`.
    pub fn by_line(fallback: Fallback) -> Patching {
        Patching { fallback, per_line: true }
    }

    /// Starts a text in this encoding. Returns `None` if the encoding is not UTF-8 or a dialect of it.
    pub fn start(self, from: Codec) -> Option<Patch> {
        let dialect = match from {
            Codec::Native(encoding) if encoding.is_dialect() => encoding,
            _ => return None,
        };
        Some(Patch::new(self, dialect))
    }
}

/// Makes a text, given in pieces, well formed by decoding its invalid parts from another encoding.
///
/// ```
/// use utf8kit_encodings::charset::Codec;
/// use utf8kit_detect::repair::Patching;
///
/// let fallback = "windows-1252".parse().unwrap();
/// let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let mut patch = Patching::new(fallback).start(utf8).unwrap();
/// assert_eq!(patch.text(b"100 \x80, not ok", utf8kit::Piece::Last), "100 \u{20AC}, not ok".as_bytes());
/// assert_eq!(patch.source_offset(12), 10); // where "not" is
/// ```
pub struct Patch {
    repairer: Repairer,
    out: Vec<u8>,
    /// The number of bytes of the input so far.
    read: u64,
    /// The shift of offsets before the last piece, and the offsets within it at which the shift changed.
    shift: i64,
    edits: Vec<(u64, i64)>,
}

impl Patch {
    fn new(patching: Patching, dialect: AnyEncoding) -> Patch {
        let policy = match patching.per_line {
            true => RepairPolicy::FallbackLines(patching.fallback),
            false => RepairPolicy::Fallback(patching.fallback),
        };
        Patch { repairer: Repairer::new(&policy, dialect), out: Vec::new(), read: 0, shift: 0, edits: Vec::new() }
    }

    /// Returns the patched text of the next piece and of the bytes held back before it.
    pub fn text(&mut self, bytes: &[u8], piece: Piece) -> &[u8] {
        self.out.clear();
        self.read += bytes.len() as u64;
        self.shift += self.edits.drain(..).map(|(_, shift)| shift).sum::<i64>();
        let edits = &mut self.edits;
        self.repairer.push(bytes, piece, &mut self.out, &mut |edit| {
            let end = edit.offset + edit.before.len() as u64;
            edits.push((end, edit.after.len() as i64 - edit.before.len() as i64));
        });
        &self.out
    }

    /// Returns the number of bytes of the input that are held back.
    pub fn held(&self) -> usize {
        usize::try_from(self.read.saturating_sub(self.repairer.offset())).unwrap_or(usize::MAX)
    }

    /// Returns the counts of parts that were decoded from the fallback encoding.
    pub fn counts(&self) -> &Counts {
        &self.repairer.counts
    }

    /// Maps an offset in the patched text to the offset in the input, both in bytes from the start. The offset must
    /// lie within the text of the last piece or after it.
    pub fn source_offset(&self, patched: u64) -> u64 {
        let mut shift = self.shift;
        for &(end, further) in &self.edits {
            if end.saturating_add_signed(shift + further) > patched {
                break;
            }
            shift += further;
        }
        patched.saturating_add_signed(-shift)
    }
}
