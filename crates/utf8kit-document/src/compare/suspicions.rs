//! Where no view explains damage: whether text that was added was damaged itself.

use std::cell::LazyCell;
use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};
use utf8kit_detect::mojibake::{Outcome, repair_line};

use crate::compare::damage::DamageKind;
use crate::compare::double_encoding::is_misread;
use crate::compare::encodings::{is_legacy, is_wide, reads_in};
use crate::compare::explanation::{Doubt, Edit, Explanation, Moved, edits};
use crate::compare::script::{Class, Step};
use crate::compare::spans::{Spans, asked_once, overlap};
use crate::compare::{Comparer, UTF8};

impl Comparer<'_> {
    /// Doubts added text that looks like what damage leaves, where nothing shows that the file is so otherwise.
    pub(super) fn doubt_unexplained(&self, best: &mut Explanation) {
        self.doubt_recoded(best);
        let encodings = self.document.encodings();
        if encodings.iter().copied().all(is_wide) != is_wide(self.new_codec()) {
            self.doubt_edits(best, DamageKind::Recoded, |_| true);
        }
        if encodings != [UTF8] || self.old.is_ascii() {
            return;
        }
        let stayed = |has: fn(&str) -> bool| {
            let mut left = best.steps.iter().filter(|step| step.class != Class::Edit);
            left.any(|step| {
                let old = self.old.get(step.old.clone()).unwrap_or_default();
                old.utf8_chunks().any(|chunk| has(chunk.valid()))
            })
        };
        let has_composed = |text: &str| !text.is_ascii() && text.nfd().ne(text.chars());
        let is_other_form = is_nfc(self.document.text()) && !stayed(has_composed);
        let all_is_gone = !stayed(|text| !text.is_ascii());
        if is_other_form {
            let words = Spans::of_words(self.new);
            let is_strange = asked_once(|word| self.new.get(word.clone()).is_some_and(is_decomposed));
            self.doubt_edits(best, DamageKind::Normalized, |step| is_strange(&words.around(&step.new)));
        }
        if all_is_gone {
            let adds_mojibake = self.adds_mojibake();
            self.doubt_edits(best, DamageKind::Doubled, |step| adds_mojibake(&step.new));
        }
    }

    /// Doubts edits beside certain damage that look like damage of another kind: of a word only the non-ASCII letters
    /// are gone, or what was added is mojibake, or decomposed where nothing was.
    pub(super) fn doubt_beside_damage(&self, best: &mut Explanation) {
        if !best.has_damage() {
            return;
        }
        let adds_mojibake = self.adds_mojibake();
        let was_composed = LazyCell::new(|| is_nfc(self.document.text()));
        for Edit { steps, removed, added } in edits(best) {
            let is_moved = |moved: &Moved| overlap(&moved.old, &removed) || overlap(&moved.new, &added);
            if best.moved.iter().any(is_moved) {
                continue;
            }
            let [old, new] = [(self.old, removed), (self.new, added.clone())]
                .map(|(version, range)| version.get(range).unwrap_or_default());
            let skeleton = |bytes: &[u8]| -> Vec<u8> {
                bytes.iter().copied().filter(|byte| byte.is_ascii() && *byte != b'?').collect()
            };
            if !old.is_ascii() && new.is_ascii() && skeleton(old) == skeleton(new) {
                best.doubt(steps, DamageKind::Removed, Doubt::Unexplained);
            } else if best.view.write == UTF8 && is_decomposed(new) && *was_composed {
                best.doubt(steps, DamageKind::Normalized, Doubt::Unexplained);
            } else if best.view.read == UTF8 && !new.is_ascii() && adds_mojibake(&added) {
                // A view that misreads tells what was added.
                best.doubt(steps, DamageKind::Doubled, Doubt::Unexplained);
            }
        }
    }

    /// Tells whether lines of the new version are mojibake, where none of the old version is.
    fn adds_mojibake(&self) -> impl Fn(&Range<usize>) -> bool {
        let was_clean = LazyCell::new(|| !self.document.text().lines().any(|line| self.seems_doubled(line)));
        let lines = Spans::of_lines(self.new);
        let is_doubled = asked_once(|line| {
            let line = self.new.get(line.clone()).and_then(|line| std::str::from_utf8(line).ok());
            line.is_some_and(|line| self.seems_doubled(line))
        });
        move |added| *was_clean && lines.touched(added).any(|line| is_doubled(&line))
    }

    /// Reports whether text looks like UTF-8 that was read in another encoding.
    pub(super) fn seems_doubled(&self, text: &str) -> bool {
        !text.is_ascii() && (repair_line(text) != Outcome::Clean || is_misread(text, self.document.text()))
    }

    /// Doubts those edits that add text of which this is true.
    fn doubt_edits(&self, best: &mut Explanation, kind: DamageKind, is_strange: impl Fn(&Step) -> bool) {
        let adds = |step: &&mut Step| step.class == Class::Edit && !step.new.is_empty();
        let strange = best.steps.iter_mut().filter(adds).filter(|step| is_strange(step));
        strange.for_each(|step| step.class = Class::Damaged(kind, Some(Doubt::Unexplained)));
    }

    /// Doubts text that was added in UTF-8 to a file in another encoding of which nothing non-ASCII is left, or
    /// that was added to UTF-8 and is not, or that is odd in the encoding of the file.
    fn doubt_recoded(&self, best: &mut Explanation) {
        let is_utf8 = |bytes: &[u8]| utf8kit::validate(bytes).is_ok();
        let is_beyond = |step: &Step| self.old.get(step.old.clone()).is_some_and(|old| !old.is_ascii());
        let stayed = best.steps.iter().any(|step| step.class != Class::Edit && is_beyond(step));
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
        let reads = asked_once(|word| reads_in(&encodings, self.new.get(word.clone()).unwrap_or_default()));
        // Two sequences of UTF-8 rarely are text in another encoding.
        let has_sequences = |added: &str| added.chars().filter(|c| !c.is_ascii()).count() > 1;
        let is_other =
            |range: &Range<usize>| match std::str::from_utf8(self.new.get(range.clone()).unwrap_or_default())
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
}

/// Reports whether bytes are text in UTF-8 that has an accent apart from its letter.
fn is_decomposed(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.is_ascii() && !is_nfc(text))
}
