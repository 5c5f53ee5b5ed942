//! Large versions: only the lines that differ are explained, with some around them. What is the same in both versions
//! was neither damaged nor edited.

use std::ops::Range;

use gix_imara_diff::Algorithm;

use crate::compare::Comparer;
use crate::compare::explanation::{Explanation, Moved};
use crate::compare::limits::{LINES_AROUND_HUNK, MIN_BYTES_FOR_HUNKS};
use crate::compare::script::{Class, Step};
use crate::compare::segments::{Segment, packed};
use crate::diff::{changes, shifted};

impl Comparer<'_> {
    /// Explains the lines that differ, if the versions are large and most of their lines are the same.
    pub(super) fn explain_hunks(&self) -> Option<Explanation> {
        let len = self.old.len() + self.new.len();
        let codecs = self.document.encodings();
        if len < MIN_BYTES_FOR_HUNKS || codecs.iter().any(|codec| codec.is_wide() || codec.is_stateful()) {
            return None;
        }
        let hunks = hunks(self.old, self.new);
        if 2 * hunks.iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum::<usize>() > len {
            return None;
        }
        let (old, new, document) = self.parts(&hunks, self.document.mark());
        let part = Comparer { depth: self.depth, ..Comparer::of(document, &old, &new) };
        let found = part.explain_whole();
        let (mut steps, mut moved, mut at) = (Vec::new(), found.moved, (0, 0));
        let parts: Vec<_> = packed(&hunks).collect();
        for (hunk, part) in hunks.iter().zip(&parts) {
            steps.push(Step { old: at.0..hunk.old.start, new: at.1..hunk.new.start, class: Class::Same });
            steps.extend(part.cut(&found.steps)?.into_iter().map(|step| part.moved_to(hunk, step)));
            at = (hunk.old.end, hunk.new.end);
        }
        steps.push(Step { old: at.0..self.old.len(), new: at.1..self.new.len(), class: Class::Same });
        steps.retain(|step| !step.old.is_empty() || !step.new.is_empty());
        let by = |at: usize, of: fn(&Segment) -> &Range<usize>| {
            let index = parts.partition_point(|part| of(part).end <= at).min(hunks.len() - 1);
            of(&hunks[index]).start - of(&parts[index]).start
        };
        for Moved { old, new, .. } in &mut moved {
            *old = shifted(old.clone(), by(old.start, |lines| &lines.old));
            *new = shifted(new.clone(), by(new.start, |lines| &lines.new));
        }
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
        let below = LINES_AROUND_HUNK.min(before.len() - removed.end).min(after.len() - added.end);
        let wide = [removed.start - around..removed.end + below, added.start - around..added.end + below];
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
