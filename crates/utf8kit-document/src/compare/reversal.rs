//! Repairs: the new version has again what the old one had lost, or is what the old one gives, decoded once more. Then
//! the old version is explained as damage of the new one, by a smaller edit, or as small a one and reads worse.

use std::ops::Range;

use utf8kit_detect::context::Prose;

use crate::Document;
use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::UTF8;
use crate::compare::explanation::{Explanation, total};
use crate::compare::limits::{NATS_OF_A_REPAIR, SAMPLE_BYTES_OF_REPAIR};
use crate::compare::script::{Class, Step};
use crate::compare::view::is_of_replacement;

impl Comparer<'_> {
    /// Reports whether the damage of an explanation rather is a repair.
    pub(super) fn undoes_damage(&self, best: &Explanation) -> bool {
        let (had_lost, reads_better) = (self.had_lost(best), self.reads_better(best));
        if !had_lost && !reads_better {
            return false;
        }
        let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, None));
        let is_lost =
            |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced | DamageKind::Removed, _));
        let back = Comparer::new(self.new, self.old).best();
        let is_explained =
            total(&back) < total(best) || total(&back) == total(best) && !best.steps.iter().any(is_lost);
        is_explained && (reads_better || back.steps.iter().any(is_replaced))
    }

    /// Reports whether the old version had lost more characters than the new one. Where other characters were
    /// replaced with certainty, some were lost and some repaired.
    fn had_lost(&self, best: &Explanation) -> bool {
        let lost = |bytes: &[u8]| memchr::memmem::find_iter(bytes, "\u{FFFD}".as_bytes()).count();
        let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, None));
        let was_text = |step: &Step| is_replaced(step) && !is_of_replacement(self.old, step.old.start);
        lost(self.old) > lost(self.new) && !best.steps.iter().any(was_text)
    }

    /// Reports whether the non-ASCII words are likelier text in the new version, that a program changed.
    fn reads_better(&self, best: &Explanation) -> bool {
        if self.document.encodings() != [UTF8] {
            return false;
        }
        let is_of_text = |kind| !matches!(kind, DamageKind::LineEnds | DamageKind::ByteOrderMark);
        let is_damaged = |step: &&Step| matches!(step.class, Class::Damaged(kind, _) if is_of_text(kind));
        let (mut old, mut new) = (Sample::default(), Sample::default());
        for step in best.steps.iter().filter(is_damaged) {
            old.take(self.old, &step.old);
            new.take(self.new, &step.new);
            if old.words.len() >= SAMPLE_BYTES_OF_REPAIR {
                break;
            }
        }
        new.nats() > old.nats() + NATS_OF_A_REPAIR
    }
}

/// Words of a version.
#[derive(Default)]
struct Sample {
    words: Vec<u8>,
    end: usize,
}

impl Sample {
    /// Takes the words that a range touches, and parts those of different lines.
    fn take(&mut self, version: &[u8], range: &Range<usize>) {
        let (before, after) = version.split_at_checked(range.end).unwrap_or_default();
        let end = range.end + after.iter().position(u8::is_ascii_whitespace).unwrap_or(after.len());
        let before = before.get(self.end..range.start.max(self.end)).unwrap_or_default();
        let start = self.end + before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        let is_new = before.contains(&b'\n');
        if start < end {
            self.words.push(if is_new { b'\n' } else { b' ' });
            self.words.extend_from_slice(version.get(start..end).unwrap_or_default());
            self.end = end;
        }
    }

    /// Returns the logarithm of the probability of the words that are not ASCII.
    fn nats(&self) -> f32 {
        let document = Document::open(&self.words);
        let words = document.text().split_whitespace().filter(|word| !word.is_ascii());
        Prose::beside("").nats(&words.collect::<Vec<_>>().join(" "))
    }
}
