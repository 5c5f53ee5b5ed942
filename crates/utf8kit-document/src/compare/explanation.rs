//! How a view explains the new version, its edits, and reasons of doubt.

use std::ops::Range;

use crate::compare::damage::DamageKind;
use crate::compare::script::{Class, Step};
use crate::compare::view::DamageView;

/// Why it is uncertain which bytes were at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A person may have typed or removed there what a program may have written or lost.
    Edit,
    /// Another place of the old version looks the same.
    Alignment,
    /// Another encoding, or another view, explains the new version as well.
    Explanation,
    /// The text added there may be damaged, or would have other bytes in the old version.
    Addition,
    /// It looks like damage that no view explains.
    Unexplained,
}

/// One view's explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub(crate) view: DamageView,
    pub(crate) steps: Vec<Step>,
    /// The size of the edit, in bytes.
    pub(crate) cost: usize,
    /// The weight of the damaged places as evidence.
    pub(super) firm: usize,
    pub(crate) new_mark: usize,
    /// Whether a different explanation may be equally good.
    pub(super) disputed: bool,
    /// Lines that were moved or copied. Each is a step of its own: an edit, or damage that is doubtful but for this.
    pub(crate) moved: Vec<Moved>,
}

/// A line that was moved or copied, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    /// What happened to it on the way, if anything.
    pub(super) kind: Option<DamageKind>,
    /// Its bytes once that is undone.
    pub(crate) bytes: Vec<u8>,
}

impl Explanation {
    /// Returns the step before some.
    pub(super) fn before(&self, steps: &Range<usize>) -> Option<&Step> {
        steps.start.checked_sub(1).and_then(|before| self.steps.get(before))
    }

    /// Returns the step after some.
    pub(super) fn after(&self, steps: &Range<usize>) -> Option<&Step> {
        self.steps.get(steps.end)
    }

    /// Returns the steps that a range of the old version touches, with their numbers.
    pub(super) fn steps_within<'s>(&'s self, old: &Range<usize>) -> impl Iterator<Item = (usize, &'s Step)> + use<'s> {
        let first = self.steps.partition_point(|step| step.old.end <= old.start);
        let end = old.end;
        self.steps.iter().enumerate().skip(first).take_while(move |(_, step)| step.old.start < end)
    }

    /// Reports whether some text certainly is damaged.
    pub(super) fn has_damage(&self) -> bool {
        self.steps.iter().any(Step::certainly_damages_text)
    }

    /// Marks some steps as doubtful damage.
    pub(super) fn doubt(&mut self, steps: Range<usize>, kind: DamageKind, why: Doubt) {
        for step in self.steps.get_mut(steps).unwrap_or_default() {
            step.class = Class::Damaged(kind, Some(why));
        }
    }

    /// Doubts all damage to text.
    pub(super) fn doubt_text(&mut self, why: Doubt) {
        self.moved.clear();
        self.disputed = true;
        for step in &mut self.steps {
            if let Class::Damaged(kind, doubt @ None) = &mut step.class
                && kind.is_of_text()
            {
                *doubt = Some(why);
            }
        }
    }
}

/// Returns the cost of an explanation in half bytes: the edit, and a surcharge for unusual views.
pub(super) fn total(one: &Explanation) -> usize {
    let DamageView { again, canonical, .. } = one.view;
    2 * one.cost + usize::from(one.view.is_weak()) + usize::from(again.is_some()) + usize::from(canonical)
}

/// An edit: its steps, what was removed, and what was added.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) steps: Range<usize>,
    pub(super) removed: Range<usize>,
    pub(super) added: Range<usize>,
}

/// Returns the edits of an explanation.
pub(super) fn edits(explanation: &Explanation) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (index, step) in explanation.steps.iter().enumerate() {
        match edits.last_mut() {
            _ if step.class != Class::Edit => {}
            Some(Edit { steps, removed, added }) if steps.end == index => {
                (steps.end, removed.end, added.end) = (index + 1, step.old.end, step.new.end);
            }
            _ => {
                let (removed, added) = (step.old.clone(), step.new.clone());
                edits.push(Edit { steps: index..index + 1, removed, added });
            }
        }
    }
    edits
}
