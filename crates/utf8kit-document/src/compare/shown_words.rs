//! Added words that are words of the old version as some program shows them: nobody types those.

use foldhash::HashSet;

use crate::compare::Comparer;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::text_of;
use crate::compare::explanation::{Doubt, Explanation};
use crate::compare::insertions::dereferenced;
use crate::compare::limits::MAX_QUESTION_MARKS_TYPED;
use crate::compare::script::{Class, Step};
use crate::compare::spans::Spans;

impl Comparer<'_> {
    /// Doubts edits that add a word of the old version in which something is a question mark or U+FFFD, or a character
    /// reference to a character of it.
    pub(super) fn doubt_shown_words(&self, best: &mut Explanation) {
        let has_signs = |bytes: &[u8]| {
            bytes.contains(&b'?')
                || ["&#", "\u{FFFD}"]
                    .iter()
                    .any(|sign| memchr::memmem::find(bytes, sign.as_bytes()).is_some())
        };
        let is_moved: HashSet<usize> = best.moved.iter().map(|moved| moved.new.start).collect();
        let is_asked = |step: &Step| {
            step.class == Class::Edit
                && !is_moved.contains(&step.new.start)
                && !self.asks_otherwise(&step.old, &step.new)
                && self.new.get(step.new.clone()).is_some_and(has_signs)
        };
        if !best.steps.iter().any(is_asked) {
            return;
        }
        let old = self.document.text();
        let known: HashSet<&str> = words(old).collect();
        let masks: HashSet<String> =
            known.iter().filter(|word| !word.is_ascii()).map(|word| mask(word)).collect();
        let letters: HashSet<char> = old.chars().filter(|c| !c.is_ascii()).collect();
        let is_shown = |word: &str| {
            let named = dereferenced(word);
            let is_named = named != word && named.chars().all(|c| c.is_ascii() || letters.contains(&c));
            !known.contains(word) && (is_named || has_lost(word) && masks.contains(&mask(word)))
        };
        let spans = Spans::of_words(self.new);
        let mut shown = Vec::new();
        for (index, step) in best.steps.iter().enumerate().filter(|(_, step)| is_asked(step)) {
            let around = spans.around(&(step.new.start..step.new.start)).start
                ..spans.around(&(step.new.end..step.new.end)).end;
            let bytes = self.new.get(around).unwrap_or_default();
            let text = text_of(best.view.write, bytes)
                .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
            if words(&text).any(is_shown) {
                shown.push(index);
            }
        }
        for index in shown {
            best.doubt(index..index + 1, DamageKind::Replaced, Doubt::Unexplained);
        }
    }
}

/// Returns the words of a text, without signs of ASCII around them but those of a loss.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || c.is_ascii_punctuation() && !"?&#;".contains(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Reports whether a sign of a loss stands before a letter of its word, or more of them than anybody types.
fn has_lost(word: &str) -> bool {
    let is_sign = |c: char| matches!(c, '?' | char::REPLACEMENT_CHARACTER);
    let mut pairs = word.chars().zip(word.chars().skip(1));
    pairs.any(|(one, next)| is_sign(one) && next.is_alphabetic())
        || word.matches(is_sign).count() > MAX_QUESTION_MARKS_TYPED
}

/// Returns a word with a question mark for each non-ASCII character.
fn mask(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect()
}
