//! Lines that the best view does not explain: another program damaged them, which another view explains.

use std::ops::Range;

use utf8kit_encodings::charset::Codec;

use crate::compare::Comparer;
use crate::compare::explanation::{Doubt, Explanation};
use crate::compare::limits::MAX_OTHER_PROGRAMS;
use crate::compare::script::{Class, Step};
use crate::compare::segments::{Segment, packed};

impl Comparer<'_> {
    /// Explains lines separately if non-ASCII text in them was removed or added. The new explanation is kept if it
    /// makes the edit smaller and finds certain damage.
    pub(super) fn explain_remainder(&self, best: &mut Explanation) {
        let codecs = self.document.encodings();
        let has_lines = |codec: &Codec| !codec.is_wide() && !codec.is_stateful();
        if self.depth == MAX_OTHER_PROGRAMS || !codecs.iter().chain([&best.view.read, &best.view.write]).all(has_lines)
        {
            return;
        }
        let left = self.unexplained_lines(best);
        let lens = |of: fn(&Segment) -> &Range<usize>| left.iter().map(|segment| of(segment).len()).sum::<usize>();
        if left.is_empty() || lens(|segment| &segment.old) + self.document.mark() >= self.old.len() {
            return;
        }
        let (old, new, document) = self.parts(&left, 0);
        let part = Comparer { depth: self.depth + 1, ..Comparer::of(document, &old, &new) };
        let found = part.explain();
        // A person may have typed question marks or deleted text where no other damage is certain.
        if found.view.is_weak() && !best.has_damage() {
            return;
        }
        let (mut steps, mut at) = (Vec::with_capacity(best.steps.len()), (0, 0));
        for (segment, part) in left.iter().zip(packed(&left)) {
            let within = part.cut(&found.steps);
            let before = Segment { old: at.0..segment.old.start, new: at.1..segment.new.start };
            let left = segment.cut(&best.steps).map_or(usize::MAX, |steps| price(&steps));
            let is_better = |steps: &Vec<Step>| steps.iter().any(Step::certainly_damages_text) && price(steps) < left;
            if let Some((within, before)) = within.filter(is_better).zip(before.cut(&best.steps)) {
                steps.extend(before);
                steps.extend(within.into_iter().map(|step| part.moved_to(segment, step)));
                at = (segment.old.end, segment.new.end);
            }
        }
        let rest = Segment { old: at.0..self.old.len(), new: at.1..self.new.len() };
        if let Some(rest) = rest.cut(&best.steps) {
            steps.extend(rest);
            best.steps = steps;
        }
    }

    /// Returns lines to which something non-ASCII was added, or from which it was removed.
    fn unexplained_lines(&self, best: &Explanation) -> Vec<Segment> {
        let mut lines = Vec::new();
        let (mut start, mut is_left) = ((0, 0), false);
        let mut end_at = |end: (usize, usize), is_left: &mut bool| {
            let segment = Segment { old: start.0..end.0, new: start.1..end.1 };
            let is_text = !segment.old.is_empty() && !segment.new.is_empty();
            lines.extend(Some(segment).filter(|_| std::mem::take(is_left) && is_text));
            start = end;
        };
        for step in &best.steps {
            let old = self.old.get(step.old.clone()).unwrap_or_default();
            // Added text may be what old text became.
            let is_open = matches!(step.class, Class::Edit | Class::Damaged(_, Some(Doubt::Edit | Doubt::Addition)));
            let new = self.new.get(step.new.clone()).unwrap_or_default();
            is_left |= is_open && !(old.is_ascii() && new.is_ascii());
            if step.class == Class::Same {
                let ends = memchr::memchr_iter(b'\n', old);
                ends.for_each(|at| end_at((step.old.start + at + 1, step.new.start + at + 1), &mut is_left));
            } else if step.class != Class::Edit && old.ends_with(b"\n") && new.ends_with(b"\n")
                || (step.old.end, step.new.end) == (self.document.mark(), best.new_mark)
            {
                end_at((step.old.end, step.new.end), &mut is_left);
            }
        }
        end_at((self.old.len(), self.new.len()), &mut is_left);
        lines
    }
}

/// Returns how many bytes are edits or doubtful.
fn price(steps: &[Step]) -> usize {
    let is_left = |step: &&Step| matches!(step.class, Class::Edit | Class::Damaged(_, Some(_)));
    steps.iter().filter(is_left).map(|step| step.old.len() + step.new.len()).sum()
}
