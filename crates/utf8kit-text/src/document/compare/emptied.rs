//! Lines that lost all that was beyond ASCII while others kept theirs, as after a merge: no view of the whole file
//! explains them. Some places, nobody leaves; many of those tell that a program made them, and the rest of their lines.

use std::ops::Range;

use foldhash::HashSet;

use crate::document::compare::Comparer;
use crate::document::compare::added::words_at;
use crate::document::compare::damage::DamageKind;
use crate::document::compare::encodings::{is_wide, text_of};
use crate::document::compare::explanation::{Edit, Explanation, edits};
use crate::document::compare::moved::lines_at;
use crate::document::compare::steps::{Class, Step};

/// How many places that nobody leaves tell that a program made them.
const TOLD: usize = 4;

/// A place where something is gone: its steps, and what it was in the old version.
type Place = (Range<usize>, Range<usize>);

impl Comparer<'_> {
    /// Doubts lines of which nothing beyond ASCII is left and for which nothing was put in its place, if one of them
    /// lost letters in several places and kept the spaces around them, or two of them a letter within a word: who
    /// deletes words takes a space with each, and who mends a word, does so once. Other lines may have kept all.
    ///
    /// Where more words than a person mends lost letters, or more spaces are left between words that are gone, all of
    /// these lines are certain, and text without anything beyond ASCII that was added may have lost some.
    pub(super) fn settle_emptied(&self, best: &mut Explanation) {
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
        let (mut is_damage, mut words) = (false, 0);
        let (mut within, mut spaces) = (HashSet::default(), 0);
        for places in &lines {
            let lost = places.iter().map(|(_, removed)| removed).filter(|removed| has_letters(removed));
            let lost: Vec<&Range<usize>> = lost.collect();
            let in_words = places.iter().any(|(_, removed)| is_within_word(removed));
            words += usize::from(!lost.is_empty() && in_words);
            is_damage |= !lost.is_empty() && places.len() > 1 || words > 1;
            let lost_within = lost.iter().filter(|removed| is_within_word(removed));
            within.extend(lost_within.map(|removed| words_at(self.old, removed)));
            spaces += self.spaces_between(&lost);
        }
        if !is_damage {
            return;
        }
        let is_certain = within.len() + spaces >= TOLD;
        for (steps, _) in lines.into_iter().flatten() {
            set_class(best, steps, Class::Damaged(DamageKind::Removed, !is_certain));
        }
        self.doubt_beside_emptied(best);
        if is_certain {
            self.doubt_added_to_emptied(best, DamageKind::Removed, |_| true);
        }
    }

    /// Settles question marks in lines of which nothing beyond ASCII is left: where many are certain, or for words one
    /// right after the other, so are the others of their lines.
    pub(super) fn settle_asked(&self, best: &mut Explanation) {
        let asks = |step: &Step| {
            let new = self.new.get(step.new.clone()).unwrap_or_default();
            matches!(step.class, Class::Damaged(DamageKind::Replaced, _))
                && new.iter().all(|&byte| byte == b'?')
        };
        let asked = best.steps.iter().enumerate().filter(|(_, step)| asks(step));
        let asked = asked.map(|(index, step)| (index..index + 1, step.old.clone())).collect();
        let is_certain = |(steps, _): &&Place| {
            let class = best.steps.get(steps.start).map(|step| step.class);
            class == Some(Class::Damaged(DamageKind::Replaced, false))
        };
        let (mut told, mut within, mut spaces) = (Vec::new(), HashSet::default(), 0);
        for places in self.without_others(best, asked) {
            let certain: Vec<&Place> = places.iter().filter(is_certain).collect();
            let between = self.spaces_between(&places.iter().map(|(_, old)| old).collect::<Vec<_>>());
            within.extend(certain.iter().map(|(_, old)| words_at(self.old, old)));
            spaces += between;
            if !certain.is_empty() || between > 0 {
                told.extend(places);
            }
        }
        if within.len() + spaces >= TOLD {
            for (steps, _) in told {
                set_class(best, steps, Class::Damaged(DamageKind::Replaced, false));
            }
            self.doubt_added_to_emptied(best, DamageKind::Replaced, |added| added.contains(&b'?'));
        }
    }

    /// Returns places by the lines of the old version that they are in: those that keep nothing else beyond ASCII.
    fn without_others(&self, best: &Explanation, places: Vec<Place>) -> Vec<Vec<Place>> {
        let is_ascii = |range: Range<usize>| self.old.get(range).is_some_and(<[u8]>::is_ascii);
        let mut lines = Vec::new();
        let mut rest = places.into_iter().peekable();
        while let Some(place) = rest.next() {
            let Some(line) = lines_at(self.old, &place.1).into_iter().next() else { continue };
            let mut places = vec![place];
            while let Some(place) = rest.next_if(|(_, old)| old.end <= line.end) {
                places.push(place);
            }
            let first = best.steps.partition_point(|step| step.old.end <= line.start);
            let within = best.steps.iter().enumerate().skip(first);
            let within = within.take_while(|(_, step)| step.old.start < line.end);
            let is_other = |index: usize| !places.iter().any(|(steps, _)| steps.contains(&index));
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

    /// Counts the places that are one space behind the one before them.
    fn spaces_between(&self, places: &[&Range<usize>]) -> usize {
        let is_space = |pair: &&[&Range<usize>]| self.old.get(pair[0].end..pair[1].start) == Some(&b" "[..]);
        places.windows(2).filter(is_space).count()
    }

    /// Doubts added text of which this is true, if its line has nothing beyond ASCII: it may have had some.
    fn doubt_added_to_emptied(
        &self,
        best: &mut Explanation,
        kind: DamageKind,
        is_lost: impl Fn(&[u8]) -> bool,
    ) {
        let new = |range: Range<usize>| self.new.get(range).unwrap_or_default();
        let is_emptied = |step: &Step| {
            let lines = lines_at(self.new, &step.new);
            !step.new.is_empty()
                && is_lost(new(step.new.clone()))
                && lines.into_iter().any(|line| new(line).is_ascii())
        };
        let added = best.steps.iter_mut().filter(|step| step.class == Class::Edit);
        added.filter(|step| is_emptied(step)).for_each(|step| step.class = Class::Damaged(kind, true));
    }

    /// Doubts edits that put ASCII in the place of what was beyond it, in lines that keep nothing of that.
    fn doubt_beside_emptied(&self, best: &mut Explanation) {
        let is_beyond = |range: Range<usize>| self.old.get(range).is_some_and(|old| !old.is_ascii());
        let stays = |step: &Step| step.class != Class::Edit;
        let mut doubted = Vec::new();
        for Edit { steps, removed, added } in edits(best) {
            let is_lost = || {
                let [line] = &lines_at(self.old, &removed)[..] else { return false };
                let from = best.steps.partition_point(|step| step.old.end <= line.start);
                let mut within = best.steps.iter().skip(from).take_while(|step| step.old.start < line.end);
                removed.end < line.end
                    && !within.any(|step| {
                        stays(step) && is_beyond(step.old.start.max(line.start)..step.old.end.min(line.end))
                    })
            };
            let is_ascii = self.new.get(added).is_some_and(<[u8]>::is_ascii);
            if is_ascii && is_beyond(removed.clone()) && is_lost() {
                doubted.push(steps);
            }
        }
        doubted.into_iter().for_each(|steps| best.doubt_steps(steps, DamageKind::Removed));
    }
}

fn set_class(best: &mut Explanation, steps: Range<usize>, class: Class) {
    best.steps.get_mut(steps).unwrap_or_default().iter_mut().for_each(|step| step.class = class);
}
