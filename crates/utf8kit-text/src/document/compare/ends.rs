//! Line ends of files that have both kinds: whether one that changed is damage, or an edit beside it explains it.

use std::ops::Range;

use crate::document::compare::Comparer;
use crate::document::compare::damage::DamageKind;
use crate::document::compare::encodings::Ends;
use crate::document::compare::explanation::Explanation;
use crate::document::compare::steps::{Class, Step};

impl Comparer<'_> {
    /// Settles line ends in a file that has both kinds: one that changed where a line that ends so was removed beside
    /// it, or one that ends as it did was added, is part of that edit, or doubtful where others are damaged. Then, it
    /// is not known either how lines end that were added.
    pub(super) fn settle_ends(&self, best: &mut Explanation) {
        let (read, write) = (best.view.read, best.view.write);
        if !Ends::of(read, self.old).differ() {
            return;
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
        let all: Vec<usize> = (0..steps.len()).filter(|&index| is_end(&steps[index])).collect();
        let explained: Vec<usize> = all.iter().copied().filter(|&index| is_explained(index)).collect();
        let is_damaged = explained.len() < all.len();
        let class = if is_damaged { Class::Damaged(DamageKind::LineEnds, true) } else { Class::Edit };
        for index in explained {
            best.steps[index].class = class;
        }
        let adds_line = |step: &Step| step.class == Class::Edit && new_ends(&step.new) != Ends::default();
        for step in best.steps.iter_mut().filter(|step| is_damaged && adds_line(step)) {
            step.class = Class::Damaged(DamageKind::LineEnds, true);
        }
        // The end of a line that was replaced may be that of another one.
        let is_line =
            |at: usize| self.new.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(b"\n"));
        for index in 1..best.steps.len() {
            if let [.., Step { new, class: Class::Edit, .. }, step] = &mut best.steps[..=index]
                && step.class == Class::Damaged(DamageKind::LineEnds, false)
                && new.start < new.end
                && is_line(new.start)
            {
                step.class = Class::Damaged(DamageKind::LineEnds, true);
            }
        }
    }
}
