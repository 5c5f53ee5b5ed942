//! Added words that are words of the old version as a program shows them. A person would not type them.

use std::cell::LazyCell;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization as _;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::compare::Comparer;
use crate::compare::UTF8;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::text_of;
use crate::compare::explanation::{Doubt, Explanation, Moved};
use crate::compare::insertions::dereferenced;
use crate::compare::limits::{MAX_MOVED_LINES, MAX_QUESTION_MARKS_TYPED, MIN_BYTES_OF_MISREAD_WORD};
use crate::compare::moves::added_whole;
use crate::compare::pieces::Pieces;
use crate::compare::script::{Class, Step};
use crate::compare::spans::{Spans, overlap};
use crate::compare::view::DamageView;
use crate::diff::shifted;

/// The encoding and the place of each word of the old version, by the tokens that a view shows for it. `None` if the
/// view shows several words in the same way, or loses part of one.
type KnownWords = HashMap<Vec<u32>, Option<(Codec, Range<usize>)>>;

/// A word that has non-ASCII characters, as a view shows it.
struct Word<'p> {
    bytes: Range<usize>,
    tokens: &'p [u32],
    has_lost: bool,
}

impl Comparer<'_> {
    /// Finds added words that are words of the old version as the view shows them. Each takes the bytes of that word.
    /// In a file of two encodings, it does so only within a line that is known to be in the same encoding.
    pub(super) fn find_known_words(&self, best: &mut Explanation) {
        let view = best.view;
        if view.is_plain() || best.disputed || !self.has_lines(view) {
            return;
        }
        let is_text = |bytes: &[u8]| !bytes.is_ascii() || view.refers() && bytes.contains(&b'&');
        let is_moved = |new: &Range<usize>| best.moved.iter().any(|moved| overlap(&moved.new, new));
        let is_added = |step: &&Step| {
            let new = self.new.get(step.new.clone()).unwrap_or_default();
            matches!(step.class, Class::Edit | Class::Damaged(_, Some(_))) && is_text(new) && !is_moved(&step.new)
        };
        let mut added = best.steps.iter().filter(is_added).peekable();
        if added.peek().is_none() {
            return;
        }
        let known = self.known_words(view);
        let kind = view.kind(self.document.encodings() == [UTF8]);
        let (words, lines) = (Spans::of_words(self.new), Spans::of_lines(self.new));
        let mut found: Vec<Moved> = Vec::new();
        for step in added {
            let line = lines.around(&(step.new.start..step.new.start));
            let is_new = step.new.start <= line.start && step.new.end >= line.end;
            let codec = self.document.view.codec_at(step.old.start.min(self.old.len().saturating_sub(1)));
            let is_possible = |of: Codec| self.document.encodings().len() == 1 || of == codec && !is_new;
            for span in words.touched(&step.new) {
                let pieces = view.of_new().pieces(self.new.get(span.clone()).unwrap_or_default(), 0);
                for word in words_of(&pieces) {
                    let new = shifted(word.bytes, span.start);
                    let end = found.last().map_or(best.new_mark, |last| last.new.end);
                    let is_next = overlap(&new, &step.new) && new.start >= end;
                    let Some(Some((codec, old))) = known.get(word.tokens).filter(|_| is_next) else {
                        continue;
                    };
                    if is_possible(*codec) && best.moved.len() + found.len() < MAX_MOVED_LINES {
                        let bytes = self.old.get(old.clone()).unwrap_or_default().to_vec();
                        let kind = Some(kind).filter(|_| self.new.get(new.clone()) != Some(&*bytes));
                        found.push(Moved { old: old.clone(), new, kind, bytes });
                    }
                }
            }
        }
        for moved in &found {
            best.steps = added_whole(std::mem::take(&mut best.steps), moved, &(0..0));
        }
        best.moved.extend(found);
    }

    /// Returns the words of the old version.
    fn known_words(&self, view: DamageView) -> KnownWords {
        let mut known = KnownWords::default();
        let mut start = 0;
        for line in self.old.split_inclusive(|&byte| byte == b'\n') {
            let pieces = if line.is_ascii() { Pieces::default() } else { view.pieces(line, 0) };
            for Word { bytes, tokens, has_lost } in words_of(&pieces) {
                let old = shifted(bytes, start);
                let of = |range: &Range<usize>| self.old.get(range.clone());
                let is_other = |(_, other): &(Codec, Range<usize>)| of(other) != of(&old);
                let codec = self.document.view.codec_at(old.start);
                let entry = known.entry(tokens.to_vec()).or_insert_with(|| Some((codec, old.clone())));
                if has_lost || entry.as_ref().is_some_and(is_other) {
                    *entry = None;
                }
            }
            start += line.len();
        }
        known
    }

    /// Doubts edits that add a word of the old version in which something is a question mark or U+FFFD, a character
    /// reference to a character of it, decomposed, or UTF-8 that was read as Latin-1.
    pub(super) fn doubt_known_words(&self, best: &mut Explanation) {
        let has_signs = |bytes: &[u8]| {
            bytes.contains(&b'?')
                || ["&#", "\u{FFFD}"].iter().any(|sign| memchr::memmem::find(bytes, sign.as_bytes()).is_some())
        };
        let is_plain = best.view.is_plain();
        let is_odd = |bytes: &[u8]| has_signs(bytes) || is_plain && !bytes.is_ascii();
        let is_moved: HashSet<usize> = best.moved.iter().map(|moved| moved.new.start).collect();
        let is_asked = |step: &Step| {
            step.class == Class::Edit
                && !is_moved.contains(&step.new.start)
                && !self.is_other_question_mark(&step.old, &step.new)
                && self.new.get(step.new.clone()).is_some_and(is_odd)
        };
        if !best.steps.iter().any(is_asked) {
            return;
        }
        let (old, has_damage) = (self.document.text(), best.has_damage());
        // Collected on first use, because most edits need none or few of them.
        let known = LazyCell::new(|| words(old).collect::<HashSet<&str>>());
        let masks = LazyCell::new(|| {
            let words = known.iter().filter(|word| !word.is_ascii());
            words.map(|word| mask(word)).collect::<HashSet<String>>()
        });
        let letters = LazyCell::new(|| old.chars().filter(|c| !c.is_ascii()).collect::<HashSet<char>>());
        let stored = LazyCell::new(|| stored_words(self.old).collect::<HashSet<&[u8]>>());
        let is_shown = |word: &str| {
            let named = dereferenced(word);
            let is_named = named != word && named.chars().all(|c| c.is_ascii() || letters.contains(&c));
            // Where a program lost letters, it lost these.
            let has_lost = has_lost(word) || has_damage && word.len() > MAX_QUESTION_MARKS_TYPED;
            !known.contains(word) && (is_named || has_lost && masks.contains(&mask(word)))
        };
        let is_decomposed = |word: &str| {
            let composed: String = word.nfc().collect();
            composed != word && !known.contains(word) && known.contains(&*composed)
        };
        let is_misread = |word: &[u8]| {
            std::iter::successors(read_as_latin1(word), |word| read_as_latin1(word))
                .any(|word| word.len() >= MIN_BYTES_OF_MISREAD_WORD && stored.contains(&*word))
                && !stored.contains(word)
        };
        let spans = Spans::of_words(self.new);
        let mut shown = Vec::new();
        for (index, step) in best.steps.iter().enumerate().filter(|(_, step)| is_asked(step)) {
            let around =
                spans.around(&(step.new.start..step.new.start)).start..spans.around(&(step.new.end..step.new.end)).end;
            let bytes = self.new.get(around).unwrap_or_default();
            let text = text_of(best.view.write, bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
            let has_signs = has_signs(self.new.get(step.new.clone()).unwrap_or_default());
            if has_signs && words(&text).any(is_shown) {
                shown.push((index, DamageKind::Replaced));
            } else if is_plain && words(&text).any(is_decomposed) {
                shown.push((index, DamageKind::Normalized));
            } else if is_plain && stored_words(bytes).any(is_misread) {
                let is_utf8 = self.document.encodings() == [UTF8];
                shown.push((index, if is_utf8 { DamageKind::Doubled } else { DamageKind::Recoded }));
            }
        }
        for (index, kind) in shown {
            best.doubt(index..index + 1, kind, Doubt::Unexplained);
        }
    }
}

/// Returns the words of a text, without the ASCII signs around them, except signs of a loss.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || c.is_ascii_punctuation() && !"?&#;".contains(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Returns the words of a version, without the ASCII signs around them.
fn stored_words(version: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_punctuation();
    version.split(is_between).filter(|word| !word.is_empty())
}

/// Returns what a word was before its bytes were read as Latin-1 or windows-1252, and written as UTF-8; `None` if they
/// were not.
fn read_as_latin1(word: &[u8]) -> Option<Vec<u8>> {
    let windows = Legacy::labelled("windows-1252")?;
    let mut was = Vec::new();
    for chunk in word.utf8_chunks() {
        for c in chunk.valid().chars() {
            let byte = u8::try_from(u32::from(c)).ok();
            was.extend(byte.map(|byte| vec![byte]).or_else(|| windows.bytes_of(c))?);
        }
        was.extend(chunk.invalid());
    }
    (was != word).then_some(was)
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

/// Returns the words that have non-ASCII characters.
fn words_of(pieces: &Pieces) -> impl Iterator<Item = Word<'_>> {
    let is_sign = |&token: &u32| u8::try_from(token).is_ok_and(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric());
    let is_between = move |&piece: &usize| {
        let tokens = pieces.tokens.get(pieces.tokens_of(piece)).unwrap_or_default();
        !tokens.is_empty() && tokens.iter().all(is_sign)
    };
    let mut next = 0;
    let words = std::iter::from_fn(move || {
        let first = (next..pieces.len()).find(|piece| !is_between(piece))?;
        next = (first..pieces.len()).find(is_between).unwrap_or(pieces.len());
        let tokens = pieces.tokens_of(first).start..pieces.tokens_of(next - 1).end;
        Some(Word {
            bytes: pieces.bytes(first).start..pieces.bytes(next - 1).end,
            tokens: pieces.tokens.get(tokens)?,
            has_lost: pieces.lost.get(first..next).is_none_or(|lost| lost.contains(&true)),
        })
    });
    words.filter(|word| word.tokens.iter().any(|&token| token > 0x7F))
}
