//! Which explanation is the best: the one with the smallest edit, and the reasons against it.

use std::ops::Range;

use unicode_normalization::is_nfc;
use utf8kit_encodings::charset::Codec;

use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::{UTF8, text_of};
use crate::compare::explanation::{Doubt, Explanation, total};
use crate::compare::limits::MIN_WEIGHT_OF_EVIDENCE;
use crate::compare::script::{Class, Step};
use crate::compare::view::DamageView;

impl Comparer<'_> {
    /// Returns the explanation with the smallest edit.
    pub(super) fn best(&self) -> Explanation {
        self.best_with_neighbours(self.explanation(self.plain()), false)
    }

    /// Returns the explanation with the smallest edit, given the one without damage, together with single places if
    /// they are searched for.
    pub(super) fn best_with_neighbours(&self, mut best: Explanation, finds_single: bool) -> Explanation {
        let plain = best.view;
        if best.cost == 0 {
            return best;
        }
        let is_harmless = self.is_harmless(&best);
        if finds_single {
            self.find_single(&mut best);
        }
        if is_harmless {
            return best;
        }
        let mut tried = self.explanations(plain);
        tried.retain(|one| !self.outlives(&best, one));
        let mut rival: Option<Explanation> = None;
        for mut one in tried {
            let is_firm = one.firm >= MIN_WEIGHT_OF_EVIDENCE;
            // Lines that were recoded are the same text in a file of two encodings.
            let explains_it = best.view == plain && best.firm >= MIN_WEIGHT_OF_EVIDENCE && total(&one) == total(&best);
            if is_firm && (total(&one) < total(&best) || explains_it) {
                rival = None;
                std::mem::swap(&mut one, &mut best);
            } else if is_firm && best.view == plain && rival.is_none() {
                let is_other = DamageView { canonical: plain.canonical, ..one.view } != plain;
                rival = Some(one).filter(|one| is_other && total(one) == total(&best));
            }
        }
        match rival {
            // It was damaged, or edited.
            Some(mut rival) => {
                rival.doubt_text(Doubt::Edit);
                rival
            }
            None => best,
        }
    }

    /// Returns explanations by the likely views, given the view without damage.
    fn explanations(&self, plain: DamageView) -> Vec<Explanation> {
        let mut tried: Vec<Explanation> = Vec::new();
        // A program that takes UTF-16 for UTF-8 does not leave its mark.
        let mark = self.old.get(..self.document.mark()).unwrap_or_default();
        let keeps_mark = utf8kit::validate(mark).is_err() && self.new.starts_with(mark);
        let is_possible = |view: &DamageView| !(keeps_mark && view.read == UTF8 && view.errors.is_some());
        let canonical = |view: DamageView| DamageView { canonical: true, ..view };
        let is_composed = self.is_composed();
        for view in self.likely(!is_composed).iter().copied().filter(is_possible) {
            tried.push(self.explanation(view));
        }
        if !is_composed {
            tried.push(self.explanation(canonical(plain)));
            let least = tried.iter().min_by_key(|one| one.cost).map(|one| one.view);
            tried.extend(least.filter(|view| !view.canonical).map(|view| self.explanation(canonical(view))));
        }
        tried
    }

    /// Reports whether all characters of both versions are composed.
    pub(super) fn is_composed(&self) -> bool {
        let is_composed = |codec: Codec, bytes: &[u8]| {
            let text = codec.is_wide().then(|| text_of(codec, bytes)).flatten();
            match text {
                Some(text) => is_nfc(&text),
                None => bytes.utf8_chunks().all(|chunk| is_nfc(chunk.valid())),
            }
        };
        let old = self.plain().read;
        is_composed(old, self.old) && is_composed(if old.is_wide() { self.new_codec() } else { UTF8 }, self.new)
    }

    /// Reports whether more of the text that a view loses stayed in the new version than was removed. If so, a person
    /// edited it.
    fn outlives(&self, plain: &Explanation, one: &Explanation) -> bool {
        if !one.view.is_weak() {
            return false;
        }
        let shown = one.view.pieces(self.old, self.document.mark());
        let lost = (0..shown.len()).filter(|&piece| shown.lost.get(piece) == Some(&true));
        let lost: Vec<Range<usize>> = lost.map(|piece| shown.bytes(piece)).collect();
        let is_lost = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced | DamageKind::Removed, _));
        let stayed = shared(&lost, plain, |step| step.class == Class::Same);
        let replaced = shared(&lost, one, is_lost);
        let replaced_of_same = shared(&stayed, one, is_lost);
        let len = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
        len(&stayed) + len(&replaced_of_same) > len(&replaced)
    }

    /// Reports whether an edit by itself cannot hide damage: all that it removes is ASCII, or it only adds.
    fn is_harmless(&self, plain: &Explanation) -> bool {
        let edits = || plain.steps.iter().filter(|step| step.class == Class::Edit);
        if self.document.encodings().iter().any(|codec| codec.is_wide() || codec.is_stateful()) {
            return false;
        }
        let is_ascii = |step: &Step| self.old.get(step.old.clone()).is_some_and(<[u8]>::is_ascii);
        let is_text = |step: &Step| !self.new.get(step.new.clone()).unwrap_or_default().contains(&0);
        edits().all(|step| is_ascii(step) && is_text(step)) && !self.continues(plain)
    }

    /// Reports whether an edit adds non-ASCII letters right next to others: some of a longer run may be those of
    /// the old version by chance.
    fn continues(&self, plain: &Explanation) -> bool {
        let of = |step: &Step| self.new.get(step.new.clone()).unwrap_or_default();
        let joins = |one: &[u8], next: &[u8]| {
            let is_non_ascii = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
            is_non_ascii(one.last()) && is_non_ascii(next.first())
        };
        let pairs = plain.steps.windows(2);
        pairs.filter(|pair| pair.iter().any(|step| step.class == Class::Edit)).any(|pair| match pair {
            [one, next] => joins(of(one), of(next)),
            _ => false,
        })
    }
}

/// Returns the intersection of ranges with the steps of an explanation that satisfy the predicate.
fn shared(ranges: &[Range<usize>], one: &Explanation, is: impl Fn(&Step) -> bool) -> Vec<Range<usize>> {
    let of = |range: &Range<usize>| {
        let (start, end) = (range.start, range.end);
        let steps = one.steps_within(range).filter(|(_, step)| is(step));
        steps.map(move |(_, step)| step.old.start.max(start)..step.old.end.min(end))
    };
    ranges.iter().flat_map(of).collect()
}
