//! Splices: ranges of the original text with their replacements, and the pieces that they touch.

use std::ops::Range;

use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Shift;

use crate::view::{Finder, View};

/// A range of the original text, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) old: Range<usize>,
    pub(super) new: String,
    /// The bytes to write instead of the text.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether the text shows its exact line ends.
    pub(super) exact: bool,
    /// Whether the encoding is known to represent all of it.
    pub(super) checked: bool,
}

impl Splice {
    pub(super) fn new(old: Range<usize>, new: String) -> Splice {
        Splice { old, new, raw: None, exact: false, checked: false }
    }
}

/// Returns a text with splices.
pub(super) fn edited(text: &str, splices: &[Splice]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for splice in splices {
        edited.push_str(text.get(at..splice.old.start).unwrap_or_default());
        edited.push_str(&splice.new);
        at = splice.old.end;
    }
    edited.push_str(text.get(at..).unwrap_or_default());
    edited
}

/// The pieces that a splice replaces.
pub(super) struct Place {
    pub(super) bytes: Range<usize>,
    /// The unreplaced text of the first piece.
    pub(super) lead: Range<usize>,
    /// The unreplaced text of the last piece.
    pub(super) tail: Range<usize>,
    /// The state before the first piece, and after the last one.
    pub(super) before: Shift,
    pub(super) after: Shift,
}

impl Place {
    /// `finder` must belong to the view.
    pub(super) fn of(finder: &mut Finder<'_>, old: &Range<usize>) -> Place {
        let len = finder.view.bytes.len();
        let mut place = Place {
            bytes: len..len,
            lead: old.start..old.start,
            tail: old.end..old.end,
            before: Shift::Neutral,
            after: Shift::Neutral,
        };
        let Some(first) = finder.piece_at(old.start) else { return place };
        let is_before = first.text.end == old.start && first.text.start < old.start;
        if is_before {
            // The piece ends where the splice begins.
            place.bytes = first.bytes.end..first.bytes.end;
            (place.before, place.after) = (first.shift.1, first.shift.1);
        } else {
            place.bytes = first.bytes.start..first.bytes.start;
            (place.before, place.after) = (first.shift.0, first.shift.0);
            place.lead.start = first.text.start;
        }
        let is_within = !is_before && first.text.start < old.end;
        if (is_within || !old.is_empty())
            && let Some(last) = finder.piece_at(old.end)
        {
            place.bytes.end = last.bytes.end;
            place.after = last.shift.1;
            place.tail.end = last.text.end;
        }
        place
    }

    /// Returns the text to encode for a splice: the new text, with the rest of the pieces that it replaces in part.
    pub(super) fn whole(&self, view: &View<'_>, new: &str) -> String {
        let text = |range: &Range<usize>| view.text.get(range.clone()).unwrap_or_default();
        [text(&self.lead), new, text(&self.tail)].concat()
    }

    /// Returns the encoding of new text, which is the encoding of its line. A new line takes the encoding of the line
    /// before it.
    pub(super) fn codec(&self, view: &View<'_>, new: &str) -> Codec {
        let start = self.bytes.start;
        let is_line = new.ends_with('\n') && self.bytes.is_empty() && start > view.mark;
        let within = start.min(view.bytes.len().saturating_sub(1));
        view.codec_at(if is_line || start == view.bytes.len() { start.saturating_sub(1) } else { within })
    }
}
