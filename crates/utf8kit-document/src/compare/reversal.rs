//! Repairs. The new version has again what the old one had lost, or it is the old one decoded once more. Then the
//! reverse explains the pair better: the old version is damage of the new one, by a smaller edit, or it reads worse.

use std::ops::Range;

use utf8kit_detect::context::Prose;
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::{UTF8, text_of};
use crate::compare::explanation::{Explanation, total};
use crate::compare::limits::{MIN_NATS_OF_REPAIR, NATS_OF_HALF_A_BYTE, SAMPLE_BYTES_OF_REPAIR};
use crate::compare::script::{Class, Step};
use crate::compare::view::is_of_replacement;

impl Comparer<'_> {
    /// Reports whether the damage of an explanation rather is a repair.
    pub(super) fn undoes_damage(&self, best: &Explanation) -> bool {
        if !best.steps.iter().any(Step::damages_text) {
            return false;
        }
        let back = Comparer::new(self.new, self.old);
        let (had_replacements, gain) = (self.had_replacements(best), self.gain(best, &back));
        if !had_replacements && gain < MIN_NATS_OF_REPAIR {
            return false;
        }
        let back = back.best();
        let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, None));
        let price = |one: &Explanation| NATS_OF_HALF_A_BYTE * total(one) as f32;
        gain >= MIN_NATS_OF_REPAIR && back.has_damage() && price(&back) <= price(best) + gain
            || had_replacements && total(&back) < total(best) && back.steps.iter().any(is_replaced)
    }

    /// Reports whether the old version had more signs of a loss than the new one. Where other characters were replaced
    /// with certainty, some were lost and some repaired.
    fn had_replacements(&self, best: &Explanation) -> bool {
        let replaced = |bytes: &[u8]| memchr::memmem::find_iter(bytes, "\u{FFFD}".as_bytes()).count();
        let lost = |bytes: &[u8]| replaced(bytes) + memchr::memchr_iter(b'?', bytes).count();
        let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, None));
        let was_text = |step: &Step| is_replaced(step) && !is_of_replacement(self.old, step.old.start);
        lost(self.old) > lost(self.new) && !best.steps.iter().any(was_text)
    }

    /// Returns by how many nats the words that a program changed are likelier in the new version. Lost letters
    /// are not a gain: words count by their characters.
    fn gain(&self, best: &Explanation, back: &Comparer<'_>) -> f32 {
        let has_words = |codec: &Codec| !codec.is_wide() && !codec.is_stateful();
        let codecs = back.document.encodings();
        if self.document.encodings() != [UTF8] || !codecs.iter().all(has_words) {
            return 0.0;
        }
        let (mut old, mut new) = (Sample::of(self), Sample::of(back));
        // Added text has no earlier word.
        for step in best.steps.iter().filter(|step| step.damages_text() && !step.old.is_empty()) {
            if let (Some(was), Some(is)) = (old.word(&step.old), new.word(&step.new))
                && was != is
            {
                old.words.extend([&*was, " "]);
                new.words.extend([&*is, " "]);
            }
            if old.words.len() >= SAMPLE_BYTES_OF_REPAIR {
                break;
            }
        }
        let (old, new) = (&old.words, &new.words);
        let len = |text: &str| text.chars().count() as f32;
        let prose = Prose::with_context("");
        let rate = |text: &str| prose.nats(text) / len(text).max(1.0);
        (rate(new) - rate(old)) * len(old).min(len(new))
    }
}

/// Words of a version.
struct Sample<'b> {
    document: &'b Document<'b>,
    version: &'b [u8],
    end: usize,
    words: String,
}

impl<'b> Sample<'b> {
    /// Takes words of the old version of two.
    fn of(comparer: &'b Comparer<'b>) -> Sample<'b> {
        let document = &comparer.document;
        Sample { document, version: comparer.old, end: document.mark(), words: String::new() }
    }

    /// Returns the words that a range touches, if none before did.
    fn word(&mut self, range: &Range<usize>) -> Option<String> {
        let of = |range: Range<usize>| self.version.get(range).unwrap_or_default();
        let is_space = u8::is_ascii_whitespace;
        let is_first = range.start >= self.end;
        let before = of(self.end..range.start.max(self.end)).iter().rposition(is_space);
        let start = before.map_or(self.end, |at| self.end + at + 1);
        let rest = of(range.end..self.version.len());
        self.end = self.end.max(range.end + rest.iter().position(is_space).unwrap_or(rest.len()));
        let word = of(start..self.end);
        let text = || text_of(self.document.view.codec_at(start), word);
        is_first.then(|| text().unwrap_or_else(|| "\u{FFFD}".repeat(word.len())))
    }
}
