//! Text that was added to a damaged version: whether it is certain which bytes it would have had before.

use std::ops::Range;

use foldhash::HashSet;
use utf8kit_detect::context;
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::encodings::{is_ascii, is_legacy, reads_in, text_of};
use crate::compare::explanation::Doubt;
use crate::compare::insertions::{Before, Inserted};
use crate::compare::limits::{MAX_BYTES_OF_ADDITIONS, MIN_NATS_TO_RULE_OUT};
use crate::compare::spans::{Spans, cached};
use crate::compare::{Class, Comparer, DamageKind, Explanation, Step, UTF8};

impl Comparer<'_> {
    /// Doubts added text whose bytes in the old version are not certain.
    pub(super) fn doubt_added(&self, best: &mut Explanation) {
        let view = best.view;
        if view.is_plain() {
            return self.doubt_recoded(best);
        }
        let is_added = |new: &Range<usize>| {
            let new = self.new.get(new.clone()).unwrap_or_default();
            !is_ascii(view.write, new) || view.refers() && memchr::memmem::find(new, b"&#").is_some()
        };
        let inserted = Inserted::new(view, self.new, &self.document);
        let kind = if self.document.encodings() == [UTF8] { DamageKind::Doubled } else { DamageKind::Recoded };
        let is_moved: HashSet<usize> = best.moved.iter().map(|moved| moved.new.start).collect();
        let rivals = self.rivals(best);
        let lines = KnownLines::new(&self.document, &best.steps);
        let is_uncertain = |old: usize, new: Range<usize>| {
            !lines.know(old, self.new.get(new.clone()).unwrap_or_default())
                || match inserted.before(&self.document, old, new) {
                    Before::AsIs | Before::Bytes(_) => false,
                    Before::Unknown => true,
                    Before::Text(text) => {
                        let codec = self.document.view.codec_at(old.min(self.old.len().saturating_sub(1)));
                        let is_other = |c: char| {
                            let own = codec.bytes_of(c);
                            // Four bytes of GB 18030 can be any character.
                            own.as_ref().is_none_or(|own| own.len() > 3)
                                || rivals.iter().any(|rival| rival.bytes_of(c) != own)
                        };
                        is_legacy(codec) && text.chars().any(|c| !c.is_ascii() && is_other(c))
                    }
                }
        };
        best.steps
            .iter_mut()
            .filter(|step| is_addition(step) && is_added(&step.new))
            .filter(|step| !is_moved.contains(&step.new.start))
            .filter(|step| is_uncertain(step.old.start, step.new.clone()))
            .for_each(|step| step.class = Class::Damaged(kind, Some(Doubt::Addition)));
    }

    /// Doubts text that was added in UTF-8 to a file in another encoding of which nothing non-ASCII is left, or
    /// that was added to UTF-8 and is not, or that is unlikely in the encoding of the file.
    fn doubt_recoded(&self, best: &mut Explanation) {
        let is_utf8 = |bytes: &[u8]| utf8kit::validate(bytes).is_ok();
        let is_non_ascii = |step: &Step| self.old.get(step.old.clone()).is_some_and(|old| !old.is_ascii());
        let stayed = best.steps.iter().any(|step| step.class != Class::Edit && is_non_ascii(step));
        let was_recoded = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Recoded, _));
        let some_recoded = best.steps.iter().any(was_recoded);
        let encodings = self.document.encodings();
        let new_is_utf8 = is_utf8(self.new);
        let is_stateful = encodings.iter().any(|codec| codec.is_stateful());
        let was_utf8 = match is_utf8(self.old) {
            _ if is_stateful && new_is_utf8 => false,
            _ if self.old.is_ascii() => return,
            _ if encodings.len() > 1 && some_recoded && new_is_utf8 => false,
            true if encodings == [UTF8] => true,
            false if encodings.iter().copied().all(is_legacy) => false,
            _ => return,
        };
        let words = Spans::of_words(self.new);
        let reads = cached(|word| reads_in(&encodings, self.new.get(word.clone()).unwrap_or_default()));
        // Two sequences of UTF-8 rarely are text in another encoding.
        let has_sequences = |added: &str| added.chars().filter(|c| !c.is_ascii()).count() > 1;
        let is_other = |range: &Range<usize>| match std::str::from_utf8(self.new.get(range.clone()).unwrap_or_default())
        {
            added if was_utf8 => added.is_err(),
            Ok(added) if new_is_utf8 || has_sequences(added) => true,
            _ => !stayed && !reads(&words.around(range)),
        };
        for step in best.steps.iter_mut().filter(|step| step.class == Class::Edit) {
            let added = self.new.get(step.new.clone()).unwrap_or_default();
            if !added.is_ascii() && is_other(&step.new) {
                step.class = Class::Damaged(DamageKind::Recoded, Some(Doubt::Unexplained));
            }
        }
    }

    /// Returns the encodings that the old version may be in as well as in the one that it seems to be in, beside the
    /// added text.
    fn rivals(&self, best: &Explanation) -> Vec<Codec> {
        let encodings = self.document.encodings();
        let Some(own) = encodings.iter().copied().find(|codec| is_legacy(*codec)) else { return Vec::new() };
        let mut text = String::new();
        for step in best.steps.iter().filter(|step| is_addition(step)) {
            let added = self.new.get(step.new.clone()).unwrap_or_default();
            text.extend(text_of(best.view.write, added).filter(|text| !text.is_ascii()));
            if text.len() >= MAX_BYTES_OF_ADDITIONS {
                break;
            }
        }
        if text.is_empty() {
            return Vec::new();
        }
        // In a file of two encodings, the lines that are not UTF-8.
        let is_mixed = encodings.len() > 1;
        let lines = self.old.split_inclusive(|&byte| byte == b'\n');
        let lines = lines.filter(|line| !(line.is_ascii() || is_mixed && utf8kit::validate(line).is_ok()));
        let ranked = context::ranked(lines, &text, &[own]);
        let nats = ranked.first().map_or(0.0, |fit| fit.nats);
        let rivals = ranked.iter().filter(|fit| fit.codec != own && fit.nats > nats - MIN_NATS_TO_RULE_OUT);
        rivals.map(|fit| fit.codec).collect()
    }
}

/// The lines of a file in two encodings whose encoding is known from text that is left of them.
struct KnownLines {
    /// Where each begins and ends; `None`: the file is in one encoding.
    lines: Option<Vec<Range<usize>>>,
}

impl KnownLines {
    fn new(document: &Document<'_>, steps: &[Step]) -> KnownLines {
        if document.encodings().len() < 2 {
            return KnownLines { lines: None };
        }
        let (mut lines, mut start) = (Vec::new(), 0);
        let left = steps.iter().filter(|step| step.class != Class::Edit && !step.new.is_empty());
        let left: Vec<&Range<usize>> = left.map(|step| &step.old).collect();
        let bytes = document.original();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let end = start + line.len();
            let first = left.partition_point(|old| old.end <= start);
            let mut within = left.get(first..).unwrap_or_default().iter().take_while(|old| old.start < end);
            if within.any(|old| bytes.get(old.start.max(start)..old.end.min(end)).is_some_and(|old| !old.is_ascii())) {
                lines.push(start..end);
            }
            start = end;
        }
        KnownLines { lines: Some(lines) }
    }

    /// Reports whether the encoding of text that was added at a byte is known from a line: no added line is a whole
    /// one.
    fn know(&self, at: usize, added: &[u8]) -> bool {
        let Some(lines) = &self.lines else { return true };
        let next = lines.partition_point(|line| line.end <= at);
        !added.contains(&b'\n') && lines.get(next).is_some_and(|line| line.start <= at)
    }
}

/// Reports whether a step adds text, which may have lost something.
fn is_addition(step: &Step) -> bool {
    let has_lost = matches!(step.class, Class::Damaged(DamageKind::Removed, Some(_))) && step.old.is_empty();
    step.class == Class::Edit || has_lost
}
