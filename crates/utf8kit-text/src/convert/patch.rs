//! Ill-formed input that is read in another encoding, before it is converted.

use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::convert::Counts;
use crate::repair::{RepairPolicy, Repairer};

/// How ill-formed UTF-8, or an ill-formed dialect of it, is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patching {
    /// The encoding of what is ill-formed.
    pub fallback: Codec,
    /// Whether a line with an error is read in it from end to end.
    pub per_line: bool,
}

impl Patching {
    /// At the start of a text in this encoding; `None` if it is no dialect of UTF-8.
    pub fn start(self, from: Codec) -> Option<Patch> {
        let dialect = match from {
            Codec::Native(encoding) if encoding.is_dialect() => encoding,
            _ => return None,
        };
        Some(Patch::new(self, dialect))
    }
}

/// A text that comes in pieces, and is made well formed by reading what is ill-formed in another encoding.
///
/// ```
/// use utf8kit_text::charset::Codec;
/// use utf8kit_text::convert::Patching;
///
/// # #[cfg(feature = "legacy")] {
/// let fallback = "windows-1252".parse::<utf8kit_text::Charset>().unwrap().writer();
/// let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
/// let mut patch = Patching { fallback, per_line: false }.start(utf8).unwrap();
/// assert_eq!(patch.text(b"100 \x80, not ok", true), "100 \u{20AC}, not ok".as_bytes());
/// assert_eq!(patch.source_offset(12), 10); // where "not" is
/// # }
/// ```
pub struct Patch {
    repairer: Repairer<'static>,
    out: Vec<u8>,
    /// By how much places before the last piece have moved, and where they moved further in it.
    shift: i64,
    edits: Vec<(u64, i64)>,
}

impl Patch {
    fn new(patching: Patching, dialect: AnyEncoding) -> Patch {
        let policy = match patching.per_line {
            true => RepairPolicy::FallbackLines(patching.fallback),
            false => RepairPolicy::Fallback(patching.fallback),
        };
        Patch { repairer: Repairer::new(policy, dialect), out: Vec::new(), shift: 0, edits: Vec::new() }
    }

    /// What the next piece becomes, and what was held back before it; `last`: nothing follows it.
    pub fn text(&mut self, piece: &[u8], last: bool) -> &[u8] {
        self.out.clear();
        self.shift += self.edits.drain(..).map(|(_, shift)| shift).sum::<i64>();
        let edits = &mut self.edits;
        self.repairer.push(piece, last, &mut self.out, &mut |edit| {
            let end = edit.offset + edit.before.len() as u64;
            edits.push((end, edit.after.len() as i64 - edit.before.len() as i64));
        });
        &self.out
    }

    /// What was read in the other encoding.
    pub fn counts(&self) -> &Counts {
        &self.repairer.counts
    }

    /// Where in the input a place of the patched text is that lies in what the last piece became, or behind it; both in
    /// bytes from the start.
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
