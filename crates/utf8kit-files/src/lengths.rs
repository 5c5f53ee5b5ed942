//! Lengths in bytes that a text stores: another encoding makes them wrong.
//!
//! ```text
//! dBase        fields of fixed widths, as the header has them
//! ISO 2709     the leader and the directory of a record (MARC)
//! fixed width  lines that all have the same length
//! PHP          s:9:"Brötchen!", also within a dump of a database
//! ```

use std::collections::BTreeSet;
use std::io;

use memchr::memmem;
use utf8kit_encodings::byte_lengths::{is_dbase, is_iso2709};

use crate::{Blocks, ByteLengths, Cut};

/// How many different lines of one length are not accidental, and the shortest of these.
const FEWEST_LINES: usize = 3;
const SHORTEST_LINE: usize = 16;

/// The most bytes of a serialized string that are waited for.
const LONGEST_STRING: usize = 1 << 20;

/// How many strings are named.
const NAMED: usize = 3;

/// Returns the lengths in bytes that an input stores, if non-ASCII text depends on them.
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
pub fn byte_lengths(mut blocks: Blocks) -> io::Result<Option<ByteLengths>> {
    let head = blocks.head(64)?;
    let mut strings = Strings::default();
    let mut lines = EqualLines::default();
    let mut beyond = false;
    blocks.each_piece(Cut::Anywhere, 1, |piece| {
        beyond |= !piece.is_ascii();
        lines.push(piece);
        strings.push(piece);
        true
    })?;
    strings.end();
    let found = match () {
        () if !beyond => None,
        () if is_dbase(&head) => Some(ByteLengths::Dbase),
        () if is_iso2709(&head) => Some(ByteLengths::Iso2709),
        () if strings.count > 0 => Some(ByteLengths::Serialized(strings.count, strings.first)),
        () => lines.width().map(ByteLengths::Lines),
    };
    Ok(found)
}

/// Whether all lines have one length.
#[derive(Default)]
struct EqualLines {
    len: usize,
    width: Option<usize>,
    differ: bool,
    ends_in_return: bool,
    /// The sums of some lines that are not the same.
    sums: BTreeSet<u64>,
    sum: u64,
}

impl EqualLines {
    fn push(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let has_end = part.ends_with(b"\n");
            let own = part.len() - usize::from(has_end);
            if self.sums.len() < FEWEST_LINES {
                let own = part.get(..own).unwrap_or_default();
                self.sum = own
                    .iter()
                    .fold(self.sum, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
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
        if self.sums.len() < FEWEST_LINES {
            self.sums.insert(self.sum);
        }
        (self.len, self.ends_in_return, self.sum) = (0, false, 0);
    }

    fn width(mut self) -> Option<usize> {
        if self.len > 0 {
            self.line();
        }
        self.width.filter(|width| !self.differ && self.sums.len() >= FEWEST_LINES && *width >= SHORTEST_LINE)
    }
}

/// The strings non-ASCII that PHP serialized, with their right lengths.
#[derive(Default)]
struct Strings {
    held: Vec<u8>,
    offset: u64,
    count: u64,
    first: Vec<String>,
}

/// What stands at a place.
enum Serialized {
    /// A string of this length, which is non-ASCII, and how many bytes it takes.
    String(usize, usize),
    Other,
    /// It may go on.
    Open,
}

impl Strings {
    fn push(&mut self, piece: &[u8]) {
        self.held.extend_from_slice(piece);
        self.read(false);
    }

    fn end(&mut self) {
        self.read(true);
    }

    fn read(&mut self, last: bool) {
        let mut at = 0;
        while let Some(next) = self.held.get(at..).and_then(|rest| memmem::find(rest, b"s:")) {
            let start = at + next;
            let rest = self.held.get(start..).unwrap_or_default();
            match serialized(rest) {
                Serialized::Open if !last && rest.len() < LONGEST_STRING => {
                    at = start;
                    break;
                }
                Serialized::String(len, size) => {
                    self.count += 1;
                    if self.first.len() < NAMED {
                        self.first.push(format!("s:{len} at byte {}", self.offset + start as u64));
                    }
                    at = start + size;
                }
                _ => at = start + 2,
            }
        }
        let is_open = self.held.get(at..).is_some_and(|rest| memmem::find(rest, b"s:").is_some());
        let keep = if is_open { at } else { at.max(self.held.len().saturating_sub(1)) };
        self.held.drain(..keep);
        self.offset += keep as u64;
    }
}

/// Reads `s:9:"...";` in which quotes may be escaped, as in a dump: then each escape counts as one byte.
fn serialized(rest: &[u8]) -> Serialized {
    let Some(behind) = rest.strip_prefix(b"s:") else { return Serialized::Other };
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (Some(number), Some(tail)) = (behind.get(..digits), behind.get(digits..)) else {
        return Serialized::Other;
    };
    let len = std::str::from_utf8(number).ok().and_then(|digits| digits.parse::<usize>().ok());
    let Some(len) = len.filter(|len| *len < LONGEST_STRING) else {
        return if tail.is_empty() { Serialized::Open } else { Serialized::Other };
    };
    let escaped = b":\\\"";
    let (quote, is_escaped) = match tail {
        _ if tail.starts_with(b":\"") => (2, false),
        _ if tail.starts_with(escaped) => (3, true),
        _ if escaped.starts_with(tail) || b":\"".starts_with(tail) => return Serialized::Open,
        _ => return Serialized::Other,
    };
    let value = tail.get(quote..).unwrap_or_default();
    let (mut at, mut beyond) = (0, false);
    for _ in 0..len {
        let Some(byte) = value.get(at) else { return Serialized::Open };
        beyond |= !byte.is_ascii();
        at += 1 + usize::from(is_escaped && *byte == b'\\');
    }
    let end: &[u8] = if is_escaped { b"\\\"" } else { b"\"" };
    match value.get(at..) {
        Some(after) if after.starts_with(end) && beyond => Serialized::String(len, rest.len() - after.len()),
        Some(after) if after.len() < end.len() => Serialized::Open,
        _ => Serialized::Other,
    }
}
