//! Edits that look like damage which no view explains: a person may have made them, or a program.

use std::cell::LazyCell;
use std::ops::Range;

use utf8kit_detect::mojibake::{Outcome, repair_line};

use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::double_encoding::is_misread;
use crate::compare::encodings::{UTF8, text_of};
use crate::compare::explanation::{Doubt, Edit, Explanation, Moved, edits};
use crate::compare::script::{Class, Step};
use crate::compare::spans::{Spans, cached, overlap};

impl Comparer<'_> {
    /// Doubts edits that put U+FFFD or question marks in the place of something, and those that removed non-ASCII text
    /// from between ASCII that stayed: next to certain damage, in several places of lines that keep nothing else
    /// non-ASCII, or where nothing non-ASCII is left. A person who deletes words also deletes a space with each.
    /// Mojibake that was added next to certain damage is from another program.
    pub(super) fn doubt_unexplained(&self, best: &mut Explanation) {
        let has_replacement = |bytes: &[u8]| memchr::memmem::find(bytes, "\u{FFFD}".as_bytes()).is_some();
        let knew_replacements = has_replacement(self.old);
        let non_ascii = |range: Range<usize>| {
            self.old.get(range).unwrap_or_default().iter().filter(|byte| !byte.is_ascii()).count()
        };
        let count = |range: Range<usize>| {
            self.old.get(range).unwrap_or_default().iter().filter(|byte| byte.is_ascii_graphic()).count()
        };
        let lines = Spans::of_lines(self.old);
        // Less than half of another line stayed.
        let is_emptied = cached(|line| {
            stayed_in(best, line.clone(), non_ascii) == 0
                && 2 * stayed_in(best, line.clone(), count) >= count(line.clone())
        });
        let has_no_non_ascii_left = stayed_in(best, 0..self.old.len(), non_ascii) == 0;
        let (has_damage, adds_mojibake) = (best.has_damage(), self.adds_mojibake());
        let (mut lost, mut gone) = (Vec::new(), Vec::new());
        let (mut letters, mut removals, mut is_spaced) = (0, 0, false);
        for Edit { steps, removed, added } in edits(best) {
            let is_moved = |moved: &Moved| overlap(&moved.old, &removed) || overlap(&moved.new, &added);
            if self.is_other_question_mark(&removed, &added) || best.moved.iter().any(is_moved) {
                continue;
            }
            let old = self.old.get(removed.clone()).unwrap_or_default();
            let new = self.new.get(added.clone()).unwrap_or_default();
            // A character of two bytes may have one that is ASCII.
            let text = text_of(self.document.view.codec_at(removed.start), old)
                .unwrap_or_else(|| String::from_utf8_lossy(old).into_owned());
            let is_non_ascii = !text.is_empty() && !text.contains(|c: char| c.is_ascii());
            removals += usize::from(!old.is_ascii());
            if !knew_replacements && has_replacement(new) || is_non_ascii && is_asked(old, new) {
                lost.push((steps, DamageKind::Replaced));
            } else if has_damage && best.view.read == UTF8 && !new.is_ascii() && adds_mojibake(&added) {
                // A view that misreads shows what was added.
                lost.push((steps, DamageKind::Doubled));
            } else if !old.is_ascii() && new.is_ascii() && skeleton(&text).eq(skeleton(&String::from_utf8_lossy(new))) {
                if has_damage {
                    lost.push((steps, DamageKind::Removed));
                } else if is_emptied(&lines.around(&removed)) {
                    letters += usize::from(text.contains(char::is_alphabetic));
                    is_spaced |= leaves_spaces(self.new, &added);
                    gone.push((steps, DamageKind::Removed));
                }
            }
        }
        if letters > 1 || has_no_non_ascii_left && (removals > 1 || is_spaced) {
            lost.extend(gone);
        }
        drop(is_emptied);
        for (steps, kind) in lost {
            best.doubt(steps, kind, Doubt::Unexplained);
        }
    }

    /// Returns a test for lines of the new version that are mojibake, if no line of the old version is.
    fn adds_mojibake(&self) -> impl Fn(&Range<usize>) -> bool {
        let seems_doubled = |text: &str| {
            !text.is_ascii() && (repair_line(text) != Outcome::Clean || is_misread(text, self.document.text()))
        };
        let was_clean = LazyCell::new(move || !self.document.text().lines().any(seems_doubled));
        let lines = Spans::of_lines(self.new);
        let is_doubled = cached(move |line| {
            let line = self.new.get(line.clone()).and_then(|line| std::str::from_utf8(line).ok());
            line.is_some_and(seems_doubled)
        });
        move |added| *was_clean && lines.touched(added).any(|line| is_doubled(&line))
    }
}

/// Returns the ASCII characters of a text other than question marks.
fn skeleton(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_ascii() && *c != '?')
}

/// Reports whether the spaces around a place suggest that whole words were removed: two in a row, or one at the start
/// or end of a line or of a quotation.
fn leaves_spaces(new: &[u8], place: &Range<usize>) -> bool {
    let is_space = |byte: Option<&u8>| byte == Some(&b' ');
    let before = place.start.checked_sub(1).and_then(|at| new.get(at));
    let after = new.get(place.end);
    let is_end = after.is_none_or(|byte| b"\r\n\"')".contains(byte));
    let is_start = before.is_none_or(|byte| *byte == b'\n');
    is_space(before) && (is_space(after) || is_end) || is_start && is_space(after)
}

/// Reports whether some non-ASCII bytes became question marks, and perhaps others of them stayed.
pub(super) fn is_asked(removed: &[u8], added: &[u8]) -> bool {
    let mut rest = removed.iter();
    added.contains(&b'?') && added.iter().all(|byte| *byte == b'?' || rest.any(|old| old == byte))
}

/// Returns a test for whether less than half stayed of the ASCII letters and signs in the lines that a range of the old
/// version touches.
pub(super) fn another_lines<'e>(best: &'e Explanation, old: &'e [u8]) -> impl Fn(&Range<usize>) -> bool + 'e {
    let bytes = |range: Range<usize>| old.get(range).unwrap_or_default();
    let is_another = cached(move |line| {
        // A byte of ASCII right after another one may be part of its character.
        let follows_non_ascii = |at: usize| at > line.start && !bytes(at - 1..at).is_ascii();
        let is_letter = |at: &usize| bytes(*at..*at + 1).iter().all(u8::is_ascii_graphic) && !follows_non_ascii(*at);
        let count = |mut range: Range<usize>| range.by_ref().filter(is_letter).count();
        2 * stayed_in(best, line.clone(), count) < count(line.clone())
    });
    let lines = Spans::of_lines(old);
    move |removed| is_another(&lines.around(removed))
}

/// Counts what stayed of a range of the old version.
fn stayed_in(best: &Explanation, range: Range<usize>, count: impl Fn(Range<usize>) -> usize) -> usize {
    let stayed = best.steps_within(&range).filter(|(_, step)| step.class != Class::Edit);
    stayed.map(|(_, step)| count(step.old.start.max(range.start)..step.old.end.min(range.end))).sum()
}

/// Reports whether the text before and after some steps stayed or is on another line.
pub(super) fn is_framed(best: &Explanation, old: &[u8], steps: &Range<usize>) -> bool {
    let is_outermost = |step: &Step| step.old.start == 0 || step.old.end == old.len();
    let stays = |step: Option<&Step>, is_end: fn(&[u8]) -> bool| {
        step.is_none_or(|step| {
            step.old.len() > 1 || is_outermost(step) || is_end(old.get(step.old.clone()).unwrap_or_default())
        })
    };
    stays(best.before(steps), |bytes| bytes.ends_with(b"\n"))
        && stays(best.after(steps), |bytes| bytes.starts_with(b"\r") || bytes.starts_with(b"\n"))
}
