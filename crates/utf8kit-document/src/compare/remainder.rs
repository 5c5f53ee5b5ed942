//! Lines that the best view does not explain: another program damaged them, which another view explains.

use std::ops::Range;

use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::encodings::{UTF8, ascii, is_wide};
use crate::compare::explanation::{Doubt, Explanation};
use crate::compare::limits::MAX_OTHER_PROGRAMS;
use crate::compare::script::{Class, Step};
use crate::compare::{Comparer, DamageKind};
use crate::view::{LineEnds, Run, View};

/// Lines of both versions.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

impl Comparer<'_> {
    /// Explains lines separately if non-ASCII text in them was replaced. The new explanation is kept if it makes the
    /// edit smaller and finds certain damage.
    pub(super) fn explain_remainder(&self, best: &mut Explanation) {
        let codecs = self.document.encodings();
        let has_lines = |codec: &Codec| !is_wide(*codec) && !codec.is_stateful();
        if self.depth == MAX_OTHER_PROGRAMS
            || !codecs.iter().chain([&best.view.read, &best.view.write]).all(has_lines)
        {
            return;
        }
        let left = self.unexplained_lines(best);
        let lens =
            |of: fn(&Segment) -> &Range<usize>| left.iter().map(|segment| of(segment).len()).sum::<usize>();
        if left.is_empty() || lens(|segment| &segment.old) + self.document.mark() >= self.old.len() {
            return;
        }
        let (old, new, document) = self.parts(&left, 0);
        let part = Comparer { depth: self.depth + 1, ..Comparer::of(document, &old, &new) };
        let found = part.explain();
        // Whatever programs did, the last one wrote all lines in one encoding.
        let write = found.view.write;
        let is_possible = write == best.view.write
            || write == ascii()
            || codecs.contains(&write)
            || write == UTF8 && utf8kit::validate(self.new).is_ok();
        let is_typed = found.view.is_weak() && !best.has_damage();
        if is_typed || !is_possible || found.new_mark > 0 {
            return;
        }
        // Which encoding the old version is in is a guess, unless it is UTF-8: then a second look is one at that.
        let is_other = found.view != best.view || codecs != [UTF8];
        let (mut steps, mut at) = (Vec::with_capacity(best.steps.len()), (0, 0));
        let mut from = (0, 0);
        for segment in &left {
            let (old, new) = from;
            from = (old + segment.old.len(), new + segment.new.len());
            let within = cut(&found.steps, &(old..old + segment.old.len()), &(new..new + segment.new.len()));
            let before = cut(&best.steps, &(at.0..segment.old.start), &(at.1..segment.new.start));
            let left = cut(&best.steps, &segment.old, &segment.new).map_or(usize::MAX, |steps| price(&steps));
            let is_better =
                |steps: &Vec<Step>| steps.iter().any(is_certain) && (is_other || price(steps) < left);
            if let Some((within, before)) = within.filter(is_better).zip(before) {
                steps.extend(before);
                steps.extend(within.into_iter().map(|step| self.moved_to(segment, (old, new), step)));
                at = (segment.old.end, segment.new.end);
            }
        }
        if let Some(rest) = cut(&best.steps, &(at.0..self.old.len()), &(at.1..self.new.len())) {
            steps.extend(rest);
            best.steps = steps;
        }
    }

    /// Returns some lines of both versions, and the old ones as a document with a byte order mark of a length.
    pub(super) fn parts(&self, lines: &[Segment], mark: usize) -> (Vec<u8>, Vec<u8>, Document<'static>) {
        let (mut old, mut new, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for segment in lines {
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

    /// Returns a step of lines that begin at a place as one of both versions.
    fn moved_to(&self, segment: &Segment, from: (usize, usize), step: Step) -> Step {
        let shift =
            |range: &Range<usize>, from: usize, to: usize| range.start - from + to..range.end - from + to;
        let old = shift(&step.old, from.0, segment.old.start);
        let new = shift(&step.new, from.1, segment.new.start);
        // What added text would be in the old version is known of the best view only.
        let is_ascii = self.new.get(new.clone()).is_none_or(<[u8]>::is_ascii);
        let is_typed = step.class == Class::Edit && !is_ascii;
        let class =
            if is_typed { Class::Damaged(DamageKind::Recoded, Some(Doubt::Addition)) } else { step.class };
        Step { old, new, class }
    }

    /// Returns lines of which something non-ASCII was replaced.
    fn unexplained_lines(&self, best: &Explanation) -> Vec<Segment> {
        let mut lines = Vec::new();
        let (mut start, mut is_left) = ((0, 0), false);
        let mut end_at = |end: (usize, usize), is_left: &mut bool| {
            let segment = Segment { old: start.0..end.0, new: start.1..end.1 };
            let is_text = !segment.old.is_empty() && !segment.new.is_empty();
            lines.extend(Some(segment).filter(|_| std::mem::take(is_left) && is_text));
            start = end;
        };
        let of = |bytes: &[u8], range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default().to_vec();
        for step in &best.steps {
            let old = self.old.get(step.old.clone()).unwrap_or_default();
            // What was added may be what became of something.
            let is_open =
                matches!(step.class, Class::Edit | Class::Damaged(_, Some(Doubt::Edit | Doubt::Addition)));
            is_left |= is_open && !old.is_ascii();
            if step.class == Class::Same {
                let ends = memchr::memchr_iter(b'\n', old);
                ends.for_each(|at| end_at((step.old.start + at + 1, step.new.start + at + 1), &mut is_left));
            } else if step.class != Class::Edit
                && old.ends_with(b"\n")
                && of(self.new, &step.new).ends_with(b"\n")
                || (step.old.end, step.new.end) == (self.document.mark(), best.new_mark)
            {
                end_at((step.old.end, step.new.end), &mut is_left);
            }
        }
        end_at((self.old.len(), self.new.len()), &mut is_left);
        lines
    }
}

/// Reports whether a step certainly is damage to text.
fn is_certain(step: &Step) -> bool {
    let is_text = |kind| !matches!(kind, DamageKind::LineEnds | DamageKind::ByteOrderMark);
    matches!(step.class, Class::Damaged(kind, None) if is_text(kind))
}

/// Returns how many bytes are edits or doubtful.
fn price(steps: &[Step]) -> usize {
    let is_left = |step: &&Step| matches!(step.class, Class::Edit | Class::Damaged(_, Some(_)));
    steps.iter().filter(is_left).map(|step| step.old.len() + step.new.len()).sum()
}

impl Explanation {
    /// Reports whether some text certainly is damaged.
    pub(super) fn has_damage(&self) -> bool {
        self.steps.iter().any(is_certain)
    }
}

/// Returns the steps between two places of both versions, if no step but one that stayed goes beyond them.
pub(super) fn cut(steps: &[Step], old: &Range<usize>, new: &Range<usize>) -> Option<Vec<Step>> {
    let is_before = |step: &Step| step.old.end <= old.start && step.new.end <= new.start;
    let is_behind = |step: &&Step| step.old.start >= old.end && step.new.start >= new.end;
    let first = steps.partition_point(is_before);
    let mut within = Vec::new();
    for step in steps.get(first..).unwrap_or_default().iter().take_while(|step| !is_behind(step)) {
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
                within.push(Step {
                    old,
                    new: step.new.start + from..step.new.start + to,
                    class: Class::Same,
                });
            }
            _ => return None,
        }
    }
    Some(within)
}
