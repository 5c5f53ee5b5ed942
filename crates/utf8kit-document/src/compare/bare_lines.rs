//! Lines that lost all that was non-ASCII while others kept theirs, as after a merge: no view of the whole file
//! explains them.

use std::ops::Range;

use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::{is_wide, text_of};
use crate::compare::explanation::{Doubt, Edit, Explanation, edits};
use crate::compare::limits::MAX_LINES_EMPTIED_BY_HAND;
use crate::compare::script::{Class, Step};
use crate::compare::spans::{Spans, asked_once};

/// A place where something is gone: its steps, and what it was in the old version.
type Place = (Range<usize>, Range<usize>);

impl Comparer<'_> {
    /// Doubts lines of which nothing non-ASCII is left and for which nothing was put in its place, if one of them
    /// lost letters in several places and kept the spaces around them, or two of them a letter within a word, or three
    /// of them all: who deletes words takes a space with each, and who corrects a word, does so once. Other lines may
    /// have kept all.
    ///
    /// They are doubtful however many they are: `canʼt, donʼt` without its apostrophes, and words without their stress
    /// marks or length marks, look the same.
    pub(super) fn doubt_emptied(&self, best: &mut Explanation) {
        if !best.view.is_plain() || self.document.encodings().iter().any(|c| is_wide(*c) || c.is_stateful()) {
            return;
        }
        let old = |range: &Range<usize>| self.old.get(range.clone()).unwrap_or_default();
        let empties = |Edit { removed, added, .. }: &Edit| {
            added.is_empty() && !removed.is_empty() && !old(removed).iter().any(u8::is_ascii)
        };
        let has_letters = |removed: &Range<usize>| {
            let text = text_of(self.document.view.codec_at(removed.start), old(removed));
            text.is_some_and(|text| text.contains(char::is_alphabetic))
        };
        let is_within_word = |removed: &Range<usize>| {
            let beside = [removed.start.checked_sub(1), Some(removed.end)];
            let mut beside = beside.map(|at| at.and_then(|at| self.old.get(at))).into_iter();
            beside.all(|byte| byte.is_some_and(u8::is_ascii_alphabetic))
        };
        let empty = edits(best).into_iter().filter(empties).map(|edit| (edit.steps, edit.removed)).collect();
        let lines = self.without_others(best, empty);
        let (mut is_damage, mut words, mut all) = (false, 0, 0);
        for places in &lines {
            let has_letters = places.iter().any(|(_, removed)| has_letters(removed));
            let in_words = places.iter().any(|(_, removed)| is_within_word(removed));
            words += usize::from(has_letters && in_words);
            all += usize::from(has_letters);
            is_damage |= has_letters && places.len() > 1 || words > 1 || all > MAX_LINES_EMPTIED_BY_HAND;
        }
        if !is_damage {
            return;
        }
        for (steps, _) in lines.into_iter().flatten() {
            best.doubt(steps, DamageKind::Removed, Doubt::Unexplained);
        }
        self.doubt_beside_emptied(best);
    }

    /// Returns places by the lines of the old version that they are in: those that keep nothing else non-ASCII.
    fn without_others(&self, best: &Explanation, places: Vec<Place>) -> Vec<Vec<Place>> {
        let is_ascii = |range: Range<usize>| self.old.get(range).is_some_and(<[u8]>::is_ascii);
        let (all, mut lines) = (Spans::of_lines(self.old), Vec::new());
        let mut rest = places.into_iter().peekable();
        while let Some(place) = rest.next() {
            let Some(line) = all.touched(&place.1).next() else { continue };
            let mut places = vec![place];
            while let Some(place) = rest.next_if(|(_, old)| old.end <= line.end) {
                places.push(place);
            }
            let is_other = |index: usize| {
                let next = places.partition_point(|(steps, _)| steps.end <= index);
                places.get(next).is_none_or(|(steps, _)| index < steps.start)
            };
            let within = best.steps_within(&line);
            let mut others = within.filter(|(index, _)| is_other(*index)).map(|(_, step)| step);
            // Something else may have been put in the place of the rest.
            let is_gone = |step: &Step| {
                let added = self.new.get(step.new.clone()).unwrap_or_default();
                is_ascii(step.old.start.max(line.start)..step.old.end.min(line.end))
                    || step.class == Class::Edit && added.is_ascii()
            };
            if others.all(is_gone) {
                lines.push(places);
            }
        }
        lines
    }

    /// Doubts edits that put ASCII in the place of what was beyond it, in lines that keep nothing of that.
    fn doubt_beside_emptied(&self, best: &mut Explanation) {
        let is_beyond = |range: Range<usize>| self.old.get(range).is_some_and(|old| !old.is_ascii());
        let stays = |step: &Step| step.class != Class::Edit;
        let mut doubted = Vec::new();
        let lines = Spans::of_lines(self.old);
        let keeps_some = asked_once(|line| {
            best.steps_within(line).any(|(_, step)| {
                stays(step) && is_beyond(step.old.start.max(line.start)..step.old.end.min(line.end))
            })
        });
        for Edit { steps, removed, added } in edits(best) {
            let is_lost = || {
                let mut touched = lines.touched(&removed);
                let (Some(line), None) = (touched.next(), touched.next()) else { return false };
                removed.end < line.end && !keeps_some(&line)
            };
            let is_ascii = self.new.get(added).is_some_and(<[u8]>::is_ascii);
            if is_ascii && is_beyond(removed.clone()) && is_lost() {
                doubted.push(steps);
            }
        }
        drop(keeps_some);
        doubted.into_iter().for_each(|steps| best.doubt(steps, DamageKind::Removed, Doubt::Unexplained));
    }
}
