//! The first garbled words of a text, found at a speed at which any text can be searched.

use std::ops::Range;

use super::encodings::{has_whole_runs, is_control, suspects};
use super::escapes::EscapedLine;
use super::{Candidate, Outcome, byte_maps, east_asian, pairs, repair_line};

/// The most lines without a whole sequence that are examined: for damaged ones, and for text in one encoding that was
/// read in another.
const MAX_SUSPICIOUS_LINES: usize = 256;

/// The most bytes of a line that are judged together, because a line of a megabyte takes ten seconds.
const MAX_BYTES_OF_PIECE: usize = 1 << 12;

/// Words that are certainly mojibake.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Garbled {
    /// Where they are in the text, in bytes.
    pub range: Range<usize>,
    /// What they were.
    pub was: String,
    /// The encoding that they were in.
    pub written_as: &'static str,
    /// The encoding that they were read in.
    pub read_as: &'static str,
    /// Whether they are written as escapes.
    pub is_escaped: bool,
}

/// Returns the first words that are certainly mojibake. A line is only examined if some of its characters are whole
/// sequences of UTF-8 in another encoding, or escapes; the first lines also if they are odd.
///
/// ```
/// use utf8kit_detect::mojibake::first_garbled;
///
/// let text = "A caf\u{E9}.\nA na\u{C3}\u{AF}ve caf\u{C3}\u{A9}.\n";
/// let garbled = first_garbled(text).unwrap();
/// assert_eq!(&text[garbled.range], "na\u{C3}\u{AF}ve caf\u{C3}\u{A9}.");
/// assert_eq!(garbled.was, "na\u{EF}ve caf\u{E9}.");
/// assert_eq!(garbled.read_as, "windows-1252");
/// assert_eq!(first_garbled("A na\u{EF}ve caf\u{E9}.\n"), None);
/// ```
pub fn first_garbled(text: &str) -> Option<Garbled> {
    let (mut start, mut odd) = (0, 0);
    text.split_inclusive('\n').flat_map(pieces).find_map(|line| {
        let at = start;
        start += line.len();
        let escaped = EscapedLine::of(line);
        let meant = escaped.as_ref().map_or(line, |escaped| &escaped.text);
        let is_byte_map = byte_maps::may_be(meant);
        let is_possible = is_byte_map
            || !meant.is_ascii()
                && (has_whole_runs(meant) || escaped.is_some() && meant.contains(is_control) || {
                    odd += 1;
                    odd <= MAX_SUSPICIOUS_LINES
                        && (suspects(meant) != 0 || pairs::are_possible(meant) || east_asian::may_be(meant))
                });
        match is_possible.then(|| repair_line(line)) {
            // Controls alone are not mojibake, because valid text may contain any of them.
            Some(Outcome::Repaired(was)) if was.detours.is_any_known() || escaped.is_some() || is_byte_map => {
                Some(Garbled { is_escaped: escaped.is_some(), ..words(line, &was, at) })
            }
            _ => None,
        }
    })
}

/// Returns the pieces of a line, which are judged apart if it is long. They end at spaces, if there are any.
fn pieces(mut line: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let most = utf8kit::truncate(line.as_bytes(), MAX_BYTES_OF_PIECE).len();
        let (first, rest) = line.split_at_checked(most)?;
        let space = if rest.is_empty() { None } else { first.rfind(' ') };
        let (piece, rest) = line.split_at_checked(space.map_or(most, |at| at + 1))?;
        line = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns the words of a line, which begins at `at`, that differ from its original.
fn words(line: &str, was: &Candidate, at: usize) -> Garbled {
    let words = |line| str::split_inclusive(line, char::is_whitespace).collect::<Vec<_>>();
    let (old, new) = (words(line), words(&was.text));
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same;
    let pairs = old.iter().rev().zip(new.iter().rev()).take(rest);
    let same_end = pairs.take_while(|(old, new)| old == new).count();
    let len = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let middle = |words: &[&str]| words.get(same..words.len() - same_end).unwrap_or_default().concat();
    let (garbled, restored) = (middle(&old), middle(&new));
    let start = at + len(old.get(..same).unwrap_or_default());
    Garbled {
        range: start..start + garbled.trim_end().len(),
        was: restored.trim_end().to_owned(),
        written_as: was.how.written_as().unwrap_or_default(),
        read_as: was.how.read_as().unwrap_or_default(),
        is_escaped: false,
    }
}
