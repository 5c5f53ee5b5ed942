//! Line ends: whether one that changed is damage, or an edit beside it explains it.

use std::ops::Range;

use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::{Ends, is_wide};
use crate::compare::explanation::{Doubt, Explanation};
use crate::compare::moves::lines_gone;
use crate::compare::script::{Class, Step};

impl Comparer<'_> {
    /// Settles line ends in a file that has both kinds: one that changed where a line that ends so was removed beside
    /// it, or one that ends as it did was added, is part of that edit, or doubtful where others are damaged. Then, it
    /// is not known either how lines end that were added.
    pub(super) fn settle_ends(&self, best: &mut Explanation) {
        let (read, write) = (best.view.read, best.view.write);
        if !Ends::of(read, self.old).differ() {
            return self.doubt_other_ends(best);
        }
        let is_end = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::LineEnds, _));
        let old_ends = |old: &Range<usize>| Ends::of(read, self.old.get(old.clone()).unwrap_or_default());
        let new_ends = |new: &Range<usize>| Ends::of(write, self.new.get(new.clone()).unwrap_or_default());
        let steps = &best.steps;
        let is_explained = |index: usize| {
            let (was, is) = (old_ends(&steps[index].old), new_ends(&steps[index].new));
            let explains = |step: &&Step| old_ends(&step.old).include(is) || new_ends(&step.new).include(was);
            // Letters of a line that was removed may be those of its neighbour by chance.
            let is_near = |step: &&Step| step.class == Class::Edit || old_ends(&step.old) == Ends::default();
            let before = steps[..index].iter().rev().take_while(is_near);
            let behind = steps[index + 1..].iter().take_while(is_near);
            before.chain(behind).filter(|step| step.class == Class::Edit).any(|step| explains(&step))
        };
        let replaced = self.ends_of_replaced(best);
        let is_explained =
            |index: usize| is_explained(index) || replaced.binary_search(&steps[index].new.start).is_ok();
        let all: Vec<usize> = (0..steps.len()).filter(|&index| is_end(&steps[index])).collect();
        let explained: Vec<usize> = all.iter().copied().filter(|&index| is_explained(index)).collect();
        let is_damaged = explained.len() < all.len();
        let class =
            if is_damaged { Class::Damaged(DamageKind::LineEnds, Some(Doubt::Edit)) } else { Class::Edit };
        for index in explained {
            best.steps[index].class = class;
        }
        if !is_damaged {
            return;
        }
        let adds_line = |step: &Step| step.class == Class::Edit && new_ends(&step.new) != Ends::default();
        best.steps.iter_mut().filter(|step| adds_line(step)).for_each(|step| step.class = class);
        let mut replaced = replaced.into_iter().peekable();
        let mut steps: Vec<Step> = Vec::with_capacity(best.steps.len());
        for mut step in best.steps.drain(..) {
            while let Some(at) = replaced.next_if(|&at| at < step.new.end) {
                let end = self.new.get(at..step.new.end).map_or(0, end_len);
                if step.class == Class::Same && at >= step.new.start && end > 0 {
                    let start = step.old.start + at - step.new.start;
                    let behind = start + end;
                    steps.push(Step { old: step.old.start..start, new: step.new.start..at, ..step });
                    steps.push(Step { old: start..behind, new: at..at + end, class });
                    (step.old.start, step.new.start) = (behind, at + end);
                }
            }
            steps.push(step);
        }
        steps.retain(|step| !step.old.is_empty() || !step.new.is_empty());
        best.steps = steps;
    }

    /// Doubts the ends of added lines in a file that has one kind, and of replaced ones, if no line that stayed has its
    /// end, and these have the other kind.
    fn doubt_other_ends(&self, best: &mut Explanation) {
        let (old, new) = (Ends::of(best.view.read, self.old), Ends::of(best.view.write, self.new));
        if old == Ends::default() || new.differ() || old.include(new) {
            return;
        }
        let write = best.view.write;
        let replaced = self.ends_of_replaced(best);
        let is_damaged = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::LineEnds, _));
        let stayed = |step: &Step| is_damaged(step) && replaced.binary_search(&step.new.start).is_err();
        if best.steps.iter().any(stayed) {
            return;
        }
        let ends = |step: &Step| Ends::of(write, self.new.get(step.new.clone()).unwrap_or_default());
        for step in best.steps.iter_mut().filter(|step| step.class == Class::Edit || is_damaged(step)) {
            if ends(step) != Ends::default() {
                step.class = Class::Damaged(DamageKind::LineEnds, Some(Doubt::Edit));
            }
        }
    }

    /// Returns where the lines of the new version end that were replaced: their ends may be those of other lines.
    fn ends_of_replaced(&self, best: &Explanation) -> Vec<usize> {
        if is_wide(best.view.write) {
            return Vec::new();
        }
        let is_edit = |step: &Step| step.class == Class::Edit;
        let replaced = lines_gone(self.new, &best.steps, |step| &step.new, is_edit);
        replaced.into_iter().map(|line| line.end).collect()
    }
}

/// Returns the length of the line end that bytes begin with.
fn end_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}
