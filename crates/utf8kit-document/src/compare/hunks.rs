//! Large versions: only the lines that differ are explained, with some around them. What is the same in both versions
//! was neither damaged nor edited.

use std::ops::Range;

use gix_imara_diff::Algorithm;

use crate::compare::Comparer;
use crate::compare::encodings::is_wide;
use crate::compare::explanation::{Explanation, Moved};
use crate::compare::limits::{LINES_AROUND_HUNK, MIN_BYTES_FOR_HUNKS};
use crate::compare::remainder::{Segment, cut};
use crate::compare::script::{Class, Step};
use crate::diff::changes;

impl Comparer<'_> {
    /// Explains the lines that differ, if the versions are large and most of their lines are the same.
    pub(super) fn explain_hunks(&self) -> Option<Explanation> {
        let len = self.old.len() + self.new.len();
        let codecs = self.document.encodings();
        if len < MIN_BYTES_FOR_HUNKS || codecs.iter().any(|codec| is_wide(*codec) || codec.is_stateful()) {
            return None;
        }
        let hunks = hunks(self.old, self.new);
        if 2 * hunks.iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum::<usize>() > len {
            return None;
        }
        let (old, new, document) = self.parts(&hunks, self.document.mark());
        let part = Comparer { depth: self.depth, ..Comparer::of(document, &old, &new) };
        let found = part.explain_whole();
        let (mut steps, mut moved, mut at, mut from) = (Vec::new(), found.moved.clone(), (0, 0), (0, 0));
        for hunk in &hunks {
            let to = (from.0 + hunk.old.len(), from.1 + hunk.new.len());
            steps.push(Step { old: at.0..hunk.old.start, new: at.1..hunk.new.start, class: Class::Same });
            let within = cut(&found.steps, &(from.0..to.0), &(from.1..to.1))?;
            let shift = |range: &Range<usize>, from, to| range.start - from + to..range.end - from + to;
            steps.extend(within.into_iter().map(|step| Step {
                old: shift(&step.old, from.0, hunk.old.start),
                new: shift(&step.new, from.1, hunk.new.start),
                ..step
            }));
            for (Moved { old, new, .. }, place) in found.moved.iter().zip(&mut moved) {
                if from.0 <= old.start && old.end <= to.0 {
                    place.old = shift(old, from.0, hunk.old.start);
                }
                if from.1 <= new.start && new.end <= to.1 {
                    place.new = shift(new, from.1, hunk.new.start);
                }
            }
            (at, from) = ((hunk.old.end, hunk.new.end), to);
        }
        steps.push(Step { old: at.0..self.old.len(), new: at.1..self.new.len(), class: Class::Same });
        steps.retain(|step| !step.old.is_empty() || !step.new.is_empty());
        Some(Explanation { steps, moved, ..found })
    }
}

/// Returns the lines of two versions that differ, with some around them, and the first ones, which may have marks.
fn hunks(old: &[u8], new: &[u8]) -> Vec<Segment> {
    let lines = |bytes: &'_ [u8]| -> Vec<usize> {
        let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        std::iter::once(0).chain(ends.filter(|end| *end < bytes.len())).chain([bytes.len()]).collect()
    };
    let places = [lines(old), lines(new)];
    let [before, after] = [(old, &places[0]), (new, &places[1])].map(|(bytes, places)| {
        let of = |pair: &[usize]| bytes.get(pair[0]..pair[1]).unwrap_or_default();
        places.windows(2).map(of).collect::<Vec<_>>()
    });
    let first = (0..0, 0..0);
    let changed = changes(&before, &after, Algorithm::Histogram);
    let mut all: Vec<[Range<usize>; 2]> = Vec::new();
    for (removed, added) in std::iter::once(first).chain(changed) {
        let around = LINES_AROUND_HUNK.min(removed.start).min(added.start);
        let behind = LINES_AROUND_HUNK.min(before.len() - removed.end).min(after.len() - added.end);
        let wide = [removed.start - around..removed.end + behind, added.start - around..added.end + behind];
        match all.last_mut() {
            Some([old, new]) if wide[0].start <= old.end || wide[1].start <= new.end => {
                (old.end, new.end) = (wide[0].end, wide[1].end);
            }
            _ => all.push(wide),
        }
    }
    let at = |places: &[usize], lines: &Range<usize>| {
        let place = |line: usize| places.get(line).copied().unwrap_or_default();
        place(lines.start)..place(lines.end)
    };
    all.iter().map(|[old, new]| Segment { old: at(&places[0], old), new: at(&places[1], new) }).collect()
}
