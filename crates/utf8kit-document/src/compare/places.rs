//! Damage to single places in text that is otherwise unchanged. No view of the whole file explains them.

use std::cell::OnceCell;
use std::ops::Range;

use foldhash::HashSet;

use crate::compare::Comparer;
use crate::compare::candidates::usual;
use crate::compare::damage::DamageKind;
use crate::compare::double_encoding::undo_misdecoding;
use crate::compare::encodings::{UTF8, text_of};
use crate::compare::explanation::{Doubt, Edit, Explanation, edits};
use crate::compare::limits::{CHARACTERS_BEFORE_PLACE, MAX_BYTES_OF_PLACE, MIN_NATS_NOT_TYPED};
use crate::compare::lines::ends_in_common;
use crate::compare::losses::{another_lines, is_framed};
use crate::compare::script::{Class, Step};
use crate::compare::signs::{
    is_decoding_of, is_prose, is_question, is_read_as_latin1, is_spaced, joins, references_to, sign_of,
};
use crate::diff::Change;
use crate::view::Finder;

/// The letters of a text, found on demand.
struct Letters<'t> {
    text: &'t str,
    /// Those, and blocks of 256 code points that have some.
    known: OnceCell<(HashSet<char>, HashSet<u32>)>,
}

impl Letters<'_> {
    /// Reports whether the text has a character, or one of its alphabet, if that is not the Latin one.
    fn include(&self, c: char) -> bool {
        let block = |c: char| u32::from(c) >> 8;
        let (letters, blocks) =
            self.known.get_or_init(|| (self.text.chars().collect(), self.text.chars().map(block).collect()));
        if c < '\u{180}' { letters.contains(&c) } else { blocks.contains(&block(c)) }
    }
}

impl Comparer<'_> {
    /// Finds non-ASCII characters, between unchanged text, that became U+FFFD (one per character or per byte) or
    /// mojibake. A person would not type either. A person may type a question mark, but right before a letter only in
    /// a path, a URL or a pattern. If all other edits are ASCII, each certain place costs one byte.
    pub(super) fn find_single(&self, best: &mut Explanation) {
        self.keep_same_bytes(best);
        let (mut found, mut saved): (Vec<Step>, _) = (Vec::new(), 0);
        let letters = Letters { text: self.document.text(), known: OnceCell::new() };
        let is_another_line = another_lines(best, self.old);
        let mut finder = self.document.view.finder();
        for edit in with_joined(best) {
            if !self.is_single(best, &edit) || is_another_line(&edit.removed) {
                continue;
            }
            let end = found.last().map_or((0, 0), |last| (last.old.end, last.new.end));
            let Some((single, rest)) = self.single_at(best, &edit, end, &letters, &mut finder) else {
                continue;
            };
            if matches!(single.class, Class::Damaged(_, None)) {
                let steps = best.steps.get(edit.steps).unwrap_or_default().iter();
                let edits = steps.filter(|step| step.class == Class::Edit);
                saved += edits.map(|step| step.old.len() + step.new.len()).sum::<usize>().saturating_sub(1);
            }
            found.push(single);
            found.extend(rest);
        }
        drop(is_another_line);
        best.steps = put_single(std::mem::take(&mut best.steps), found);
        let mut edits = best.steps.iter().filter(|step| step.class == Class::Edit);
        if edits.all(|step| self.old.get(step.old.clone()).is_some_and(<[u8]>::is_ascii)) {
            best.cost = best.cost.saturating_sub(saved);
        }
    }

    /// Reports whether an edit is short, may be one of a non-ASCII character, and is between text that stayed.
    fn is_single(&self, best: &Explanation, edit: &Edit) -> bool {
        let Edit { steps, removed, added } = edit;
        let stays =
            |step: Option<&Step>| step.is_none_or(|step| matches!(step.class, Class::Same | Class::Damaged(_, None)));
        removed.len().max(added.len()) <= MAX_BYTES_OF_PLACE
            && [best.before(steps), best.after(steps)].into_iter().all(stays)
            && is_framed(best, self.old, steps)
    }

    /// Returns what happened at a place after the last one that was found, and what stayed at its end.
    fn single_at(
        &self,
        best: &Explanation,
        edit: &Edit,
        end: (usize, usize),
        letters: &Letters<'_>,
        finder: &mut Finder<'_>,
    ) -> Option<(Step, Option<Step>)> {
        let Edit { removed, added, .. } = edit;
        let rest = self.read_out_of_step(removed, added, finder);
        let (neighbours, is_foreign) = self.with_neighbours(best, edit, letters, finder);
        // Two bytes of UTF-8 may begin or end by chance with the one that they stand for.
        let is_coincidence = removed.is_empty() && added.len() == 1 && !is_foreign;
        let place = (removed.start..removed.end - rest, added.start..added.end - rest);
        let places = [Some(place)].into_iter().chain(neighbours).flatten();
        let single = places.filter(|(old, new)| end.0 <= old.start && end.1 <= new.start).find_map(|(old, new)| {
            let class = match self.class_of_single(&old, &new, finder)? {
                Class::Damaged(kind, doubt) => {
                    Class::Damaged(kind, doubt.or(is_coincidence.then_some(Doubt::Alignment)))
                }
                class => class,
            };
            Some(Step { old, new, class })
        })?;
        let (old, new) = (single.old.end..removed.end, single.new.end..added.end);
        Some((single, (rest > 0).then_some(Step { old, new, class: Class::Same })))
    }

    /// Cuts off an edit in a file of two encodings what has the same bytes at its start and its end: a line that is
    /// read in another encoding since a character of it was damaged shows other text.
    fn keep_same_bytes(&self, best: &mut Explanation) {
        if !best.view.per_line {
            return;
        }
        let mut finder = self.document.view.finder();
        let mut steps = Vec::with_capacity(best.steps.len());
        for step in std::mem::take(&mut best.steps) {
            let (old, new) = (self.old.get(step.old.clone()), self.new.get(step.new.clone()));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            let is_short = step.class == Class::Edit && old.len().max(new.len()) <= MAX_BYTES_OF_PLACE;
            let common = if is_short { ends_in_common(old, new) } else { [0, 0] };
            let Range { start, end } = step.old;
            let first = whole_characters(&mut finder, common[0], |len| start + len);
            let last = whole_characters(&mut finder, common[1], |len| end - len);
            let (from, to) = (step.new.start, step.new.end);
            let same = |old: Range<usize>, new: Range<usize>| Step { old, new, class: Class::Same };
            let edit = Step { old: start + first..end - last, new: from + first..to - last, class: step.class };
            best.cost = best.cost.saturating_sub(2 * (first + last));
            let parts = [same(start..start + first, from..from + first), edit, same(end - last..end, to - last..to)];
            steps.extend(parts.into_iter().filter(|part| !part.old.is_empty() || !part.new.is_empty()));
        }
        best.steps = steps;
    }

    /// Returns how many bytes at the end of a change are the same, and whole characters of the old version. Bytes of
    /// another encoding are read as pairs with those after them.
    fn read_out_of_step(&self, removed: &Range<usize>, added: &Range<usize>, finder: &mut Finder<'_>) -> usize {
        let [old, new] =
            [(self.old, removed), (self.new, added)].map(|(all, range)| all.get(range.clone()).unwrap_or_default());
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        whole_characters(finder, same, |len| removed.end - len)
    }

    /// Pairs an insertion with its left and right neighbour, and returns whether it has none of the text's letters.
    /// Both pairs are there only if it has none, or if they are U+FFFD or that character in UTF-8. What a character
    /// became may end or begin as the character did: `»` becomes `Â»`.
    fn with_neighbours(
        &self,
        best: &Explanation,
        edit: &Edit,
        letters: &Letters<'_>,
        finder: &mut Finder<'_>,
    ) -> ([Option<Change>; 2], bool) {
        let Edit { steps, removed, added } = edit;
        if !removed.is_empty() {
            return ([None, None], false);
        }
        let codec = self.document.view.codec_at(removed.start);
        let added_text = self.new.get(added.clone()).and_then(|new| text_of(codec, new));
        let is_foreign = added_text.is_some_and(|text| !text.contains(|c| letters.include(c)));
        let is_lost_or_utf8 = |(old, new): &Change| {
            let new = self.new.get(new.clone()).and_then(|new| std::str::from_utf8(new).ok());
            let old = || self.old.get(old.clone()).and_then(|old| text_of(codec, old));
            new.is_some_and(|new| new == "\u{FFFD}" || old().as_deref() == Some(new))
        };
        let mut len = |byte: Option<usize>, step: Option<&Step>| {
            let len = finder.piece_of_byte(byte?)?.bytes.len();
            step.filter(|step| step.class == Class::Same && step.old.len() >= len).map(|_| len)
        };
        let last = len(removed.start.checked_sub(1), best.before(steps));
        let next = len(Some(removed.end), best.after(steps));
        let places = [
            next.map(|len| (removed.start..removed.end + len, added.start..added.end + len)),
            last.map(|len| (removed.start - len..removed.end, added.start - len..added.end)),
        ];
        (places.map(|place| place.filter(|place| is_foreign || is_lost_or_utf8(place))), is_foreign)
    }

    /// Reports whether a person perhaps wrote other question marks.
    pub(super) fn is_other_question_mark(&self, removed: &Range<usize>, added: &Range<usize>) -> bool {
        let codec = self.document.view.codec_at(removed.start);
        let text = |bytes: &[u8], range: &Range<usize>| text_of(codec, bytes.get(range.clone()).unwrap_or_default());
        let asks = text(self.new, added).is_some_and(|new| !new.is_empty() && new.chars().all(|c| c == '?'));
        asks && text(self.old, removed).is_some_and(|old| is_question(&old))
    }

    fn class_of_single(&self, removed: &Range<usize>, added: &Range<usize>, finder: &mut Finder<'_>) -> Option<Class> {
        let codec = self.document.view.codec_at(removed.start);
        let (old, new) = (self.old.get(removed.clone())?, self.new.get(added.clone())?);
        let old = text_of(codec, old).filter(|_| !codec.is_stateful() && !new.is_empty())?;
        if old.is_ascii() || old.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        // A double-byte encoding may combine an ASCII byte with the byte before it.
        let is_non_ascii = !old.contains(|c: char| c.is_ascii());
        match sign_of(codec, &old, removed.len(), new).filter(|_| is_non_ascii) {
            Some('?') if is_question(&old) => return None,
            Some('?') => {
                let is_typed = !self.is_in_word(&old, removed, finder) || !is_prose(self.new, added);
                return Some(Class::Damaged(DamageKind::Replaced, is_typed.then_some(Doubt::Edit)));
            }
            Some(_) => return Some(Class::Damaged(DamageKind::Replaced, None)),
            None => {}
        }
        if is_non_ascii && self.old.get(removed.clone()).is_some_and(|old| is_read_as_latin1(new, old)) {
            return Some(Class::Damaged(DamageKind::Recoded, None));
        }
        if is_non_ascii && references_to(&old).as_bytes() == new {
            return Some(Class::Damaged(DamageKind::Replaced, None));
        }
        let (shown, as_utf8) = (text_of(codec, new), std::str::from_utf8(new).ok());
        let is_utf8 = as_utf8.filter(|_| codec != UTF8 && !codec.is_wide());
        let reads = |other| text_of(other, new).as_ref() == Some(&old);
        let doubles = |text: &str| {
            let is_longer = text.len() > old.len() && !text.contains(|c: char| c.is_ascii());
            let is_old = |text: &String| *text == old;
            is_longer
                && usual().any(|other| {
                    let once = undo_misdecoding(other, text);
                    let twice = || undo_misdecoding(other, once.as_deref()?);
                    once.as_ref().is_some_and(is_old) || twice().as_ref().is_some_and(is_old)
                })
        };
        let mut is_typed = |shown: &str| self.typed(removed.start, shown, finder) < MIN_NATS_NOT_TYPED;
        let is_shown = shown.as_deref().is_some_and(&mut is_typed);
        // This many bytes may be letters of another encoding by coincidence.
        let is_other = shown.is_none() || codec != UTF8 && !is_shown && new.len() > removed.len();
        if is_non_ascii && (is_utf8 == Some(&old) || is_other && usual().any(reads)) {
            Some(Class::Damaged(DamageKind::Recoded, None))
        } else if shown.as_deref().is_some_and(doubles) {
            Some(Class::Damaged(DamageKind::Doubled, None))
        } else if is_non_ascii && is_utf8.is_some_and(|text| is_decoding_of(self.old.get(removed.clone()), text)) {
            Some(Class::Damaged(DamageKind::Recoded, is_shown.then_some(Doubt::Edit)))
        } else {
            None
        }
    }

    /// Returns how unlikely it is that a person typed a text at a byte of the old version, in nats.
    fn typed(&self, at: usize, text: &str, finder: &mut Finder<'_>) -> f32 {
        let end = self.document.text_at(finder, at);
        let before = self.document.original_text().get(..end).unwrap_or_default();
        let mut word: Vec<char> = before.chars().rev().take(CHARACTERS_BEFORE_PLACE).collect();
        word.reverse();
        let before: String = word.into_iter().collect();
        let prose = self.prose();
        prose.nats(&before) - prose.nats(&(before + text))
    }

    /// Reports whether no question mark of a sentence stands for letters: they stand right before another one of their
    /// word, or are part of one. Words that no space divides end anywhere.
    fn is_in_word(&self, letters: &str, removed: &Range<usize>, finder: &mut Finder<'_>) -> bool {
        let end = self.document.text_at(finder, removed.end);
        let next = self.document.original_text().get(end..).and_then(|text| text.chars().next());
        let mut all = letters.chars().chain(next);
        next.is_some() && all.clone().all(is_spaced) || all.any(joins)
    }
}

/// Returns how many of some bytes, at most, are whole characters. `at`: where that many of them begin, or end.
fn whole_characters(finder: &mut Finder<'_>, bytes: usize, at: impl Fn(usize) -> usize) -> usize {
    let mut begins = |at: usize| finder.piece_of_byte(at).is_none_or(|piece| piece.bytes.start == at);
    (1..=bytes).rev().find(|&len| begins(at(len))).unwrap_or_default()
}

/// Returns the edits of an explanation. If only bytes that match by coincidence separate an edit from the next one,
/// both as one edit come before it: a byte of U+FFFD, or of a character that is written in another encoding.
fn with_joined(best: &Explanation) -> Vec<Edit> {
    const MAX_BYTES_BETWEEN_EDITS: usize = 2;
    let edits = edits(best);
    let mut all = Vec::with_capacity(edits.len());
    for (index, edit) in edits.iter().enumerate() {
        let Edit { steps, removed, added } = edit;
        if let Some(next) = edits.get(index + 1)
            && next.removed.start - removed.end <= MAX_BYTES_BETWEEN_EDITS
            && next.steps.start == steps.end + 1
        {
            let (removed, added) = (removed.start..next.removed.end, added.start..next.added.end);
            all.push(Edit { steps: steps.start..next.steps.end, removed, added });
        }
        all.push(edit.clone());
    }
    all
}

/// Makes one step of all that is in each place, and separates it from the neighbouring ones.
fn put_single(steps: Vec<Step>, found: Vec<Step>) -> Vec<Step> {
    let mut put = Vec::with_capacity(steps.len() + found.len());
    let mut found = found.into_iter().peekable();
    for mut step in steps {
        while let Some(single) = found.peek() {
            let (old, new) = (single.old.clone(), single.new.clone());
            if step.old.end <= old.start && step.new.end <= new.start {
                break;
            }
            if step.old.start < old.start && step.new.start < new.start {
                let (old, new) = (step.old.start..old.start, step.new.start..new.start);
                put.push(Step { old, new, ..step.clone() });
            }
            let goes_on = step.old.end >= old.end && step.new.end >= new.end;
            step.old.start = if goes_on { step.old.start.max(old.end) } else { step.old.end };
            step.new.start = if goes_on { step.new.start.max(new.end) } else { step.new.end };
            if !goes_on {
                break;
            }
            put.extend(found.next());
        }
        put.extend(Some(step).filter(|step| !step.old.is_empty() || !step.new.is_empty()));
    }
    put.extend(found);
    put
}
