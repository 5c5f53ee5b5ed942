//! Some lines of both versions: taken out to be explained by themselves, and their steps put back.

use std::ops::Range;

use crate::Document;
use crate::compare::Comparer;
use crate::compare::script::{Class, Step};
use crate::diff::shifted;
use crate::view::{LineEnds, Run, View};

/// Lines of both versions.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Segment {
    /// Returns a step of these lines as one of the same lines elsewhere, which is not before.
    pub(super) fn moved_to(&self, place: &Segment, step: Step) -> Step {
        let old = shifted(step.old, place.old.start - self.old.start);
        Step { old, new: shifted(step.new, place.new.start - self.new.start), ..step }
    }

    /// Returns the steps of these lines, if no step but one that stayed goes beyond them.
    pub(super) fn cut(&self, steps: &[Step]) -> Option<Vec<Step>> {
        let Segment { old, new } = self;
        let is_before = |step: &Step| step.old.end <= old.start && step.new.end <= new.start;
        let is_after = |step: &&Step| step.old.start >= old.end && step.new.start >= new.end;
        let first = steps.partition_point(is_before);
        let mut within = Vec::new();
        for step in steps.get(first..).unwrap_or_default().iter().take_while(|step| !is_after(step)) {
            let is_inside = old.start <= step.old.start
                && step.old.end <= old.end
                && new.start <= step.new.start
                && step.new.end <= new.end;
            let from = old.start.saturating_sub(step.old.start);
            let to = step.old.end.min(old.end) - step.old.start;
            match step.class {
                _ if is_inside => within.push(step.clone()),
                Class::Same
                    if from <= to
                        && (from == 0 || step.new.start + from == new.start)
                        && (to == step.old.len() || step.new.start + to == new.end) =>
                {
                    let old = step.old.start + from..step.old.start + to;
                    within.push(Step { old, new: step.new.start + from..step.new.start + to, class: Class::Same });
                }
                _ => return None,
            }
        }
        Some(within)
    }
}

/// Returns the places of segments that follow each other without anything between them.
pub(super) fn packed(segments: &[Segment]) -> impl Iterator<Item = Segment> {
    segments.iter().scan((0, 0), |at, Segment { old, new }| {
        let start = *at;
        *at = (start.0 + old.len(), start.1 + new.len());
        Some(Segment { old: start.0..at.0, new: start.1..at.1 })
    })
}

impl Comparer<'_> {
    /// Returns some lines of both versions, and the old ones as a document with a byte order mark of a length.
    pub(super) fn parts(&self, segments: &[Segment], mark: usize) -> (Vec<u8>, Vec<u8>, Document<'static>) {
        let (mut old, mut new, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for segment in segments {
            let lines = self.old.get(segment.old.clone()).unwrap_or_default();
            let mut at = segment.old.start;
            for line in lines.split_inclusive(|&b| b == b'\n') {
                let codec = self.document.view.codec_at(at);
                runs.push(Run { bytes: old.len()..old.len() + line.len(), codec });
                old.extend_from_slice(line);
                at += line.len();
            }
            new.extend_from_slice(self.new.get(segment.new.clone()).unwrap_or_default());
        }
        let document = Document::new(View::new(old.clone().into(), mark, &runs, LineEnds::default()));
        (old, new, document)
    }
}
