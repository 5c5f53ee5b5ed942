//! Damage to single places, where all the rest of the text is as it was: no view of the whole file explains them.

use std::ops::Range;

use foldhash::HashSet;
use unicode_normalization::UnicodeNormalization as _;

use crate::charset::Codec;
use crate::document::compare::Comparer;
use crate::document::compare::added::words_at;
use crate::document::compare::damage::DamageKind;
use crate::document::compare::doubled::undoubled;
use crate::document::compare::encodings::{UTF8, is_wide, text_of};
use crate::document::compare::explanation::{Explanation, edits, is_another_line, is_framed};
use crate::document::compare::signs::usual;
use crate::document::compare::steps::{Class, Step};
use crate::document::diff::Change;

/// The most bytes of a place in either version.
const LONGEST: usize = 256;

impl Comparer<'_> {
    /// Finds characters beyond ASCII between text that stayed which became U+FFFD, as many as they are or have bytes,
    /// or themselves as some program reads or writes them: nobody types that. A question mark, somebody may, but right
    /// before a letter only in a path, a URL or a pattern.
    pub(super) fn find_single(&self, best: &mut Explanation) {
        if !best.view.is_plain() {
            return;
        }
        let (mut found, mut letters): (Vec<Step>, Option<HashSet<char>>) = (Vec::new(), None);
        let is_short = |range: &Range<usize>| range.len() <= LONGEST;
        for (steps, removed, added) in with_joined(best) {
            if !is_short(&removed) || !is_short(&added) {
                continue;
            }
            let before = steps.start.checked_sub(1).and_then(|before| best.steps.get(before));
            let behind = best.steps.get(steps.end);
            let stays = |step: Option<&Step>| {
                step.is_none_or(|step| matches!(step.class, Class::Same | Class::Damaged(_, false)))
            };
            // In a line that was written anew, it may be another one.
            let is_here = self.tells(&removed, &added)
                && stays(before)
                && stays(behind)
                && is_framed(best, self.old, &steps)
                && !is_another_line(best, self.old, &removed, 2);
            if !is_here {
                continue;
            }
            let rest = self.read_out_of_step(&removed, &added);
            let place = (removed.start..removed.end - rest, added.start..added.end - rest);
            let (neighbours, is_foreign) =
                self.with_neighbours(&removed, &added, before, behind, &mut letters);
            // Two bytes of UTF-8 may begin or end by chance with the one that they stand for.
            let by_chance = removed.is_empty() && added.len() == 1 && !is_foreign;
            let end = found.last().map_or((0, 0), |last| (last.old.end, last.new.end));
            let single = [Some(place)].into_iter().chain(neighbours).flatten().find_map(|(old, new)| {
                let class = match self.class_of_single(&old, &new)? {
                    Class::Damaged(kind, doubtful) => Class::Damaged(kind, doubtful || by_chance),
                    class => class,
                };
                let is_behind = end.0 <= old.start && end.1 <= new.start;
                is_behind.then_some(Step { old, new, class })
            });
            let Some(single) = single else { continue };
            let (old, new) = (single.old.end..removed.end, single.new.end..added.end);
            found.push(single);
            if rest > 0 {
                found.push(Step { old, new, class: Class::Same });
            }
        }
        best.steps = put_single(std::mem::take(&mut best.steps), found);
    }

    /// Reports whether a change may be one of a character beyond ASCII.
    fn tells(&self, removed: &Range<usize>, added: &Range<usize>) -> bool {
        let bytes =
            if removed.is_empty() { self.new.get(added.clone()) } else { self.old.get(removed.clone()) };
        let text = text_of(self.document.view.codec_at(removed.start), bytes.unwrap_or_default());
        text.is_none_or(|text| !text.is_ascii())
    }

    /// Returns how many bytes at the end of a change are the same, and whole characters of the old version. Bytes of
    /// another encoding are read as pairs with those behind them.
    fn read_out_of_step(&self, removed: &Range<usize>, added: &Range<usize>) -> usize {
        let of =
            |bytes: &'_ [u8], range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default().to_vec();
        let (old, new) = (of(self.old, removed), of(self.new, added));
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let mut finder = self.document.view.finder();
        let mut begins = |at: usize| finder.piece_of_byte(at).is_some_and(|piece| piece.bytes.start == at);
        (1..=same).rev().find(|len| begins(removed.end - len)).unwrap_or_default()
    }

    /// Returns what was added, which replaced nothing, with the character behind it, or that before it, if it is no
    /// letter of the text or UTF-8 of that character, and whether it is none: a misread character may end as it did, or
    /// begin so. `»` becomes `Â»`.
    fn with_neighbours(
        &self,
        removed: &Range<usize>,
        added: &Range<usize>,
        before: Option<&Step>,
        behind: Option<&Step>,
        letters: &mut Option<HashSet<char>>,
    ) -> ([Option<Change>; 2], bool) {
        const LATIN: char = '\u{180}';
        if !removed.is_empty() {
            return ([None, None], false);
        }
        let codec = self.document.view.codec_at(removed.start);
        let added_text = self.new.get(added.clone()).and_then(|new| text_of(codec, new));
        let letters = letters.get_or_insert_with(|| self.document.text().chars().collect());
        let is_foreign =
            added_text.is_some_and(|text| !text.contains(|c| c >= LATIN || letters.contains(&c)));
        let is_utf8 = |(old, new): &Change| {
            let old = self.old.get(old.clone()).and_then(|old| text_of(codec, old));
            old.is_some_and(|old| self.new.get(new.clone()) == Some(old.as_bytes()))
        };
        let mut finder = self.document.view.finder();
        let mut len = |byte: Option<usize>, step: Option<&Step>| {
            let len = finder.piece_of_byte(byte?)?.bytes.len();
            step.filter(|step| step.class == Class::Same && step.old.len() >= len).map(|_| len)
        };
        let (last, next) = (len(removed.start.checked_sub(1), before), len(Some(removed.end), behind));
        let places = [
            next.map(|len| (removed.start..removed.end + len, added.start..added.end + len)),
            last.map(|len| (removed.start - len..removed.end, added.start - len..added.end)),
        ];
        (places.map(|place| place.filter(|place| is_foreign || is_utf8(place))), is_foreign)
    }

    /// Reports whether a person perhaps wrote other question marks.
    pub(super) fn asks_otherwise(&self, removed: &Range<usize>, added: &Range<usize>) -> bool {
        let codec = self.document.view.codec_at(removed.start);
        let text =
            |bytes: &[u8], range: &Range<usize>| text_of(codec, bytes.get(range.clone()).unwrap_or_default());
        let asks = text(self.new, added).is_some_and(|new| !new.is_empty() && new.chars().all(|c| c == '?'));
        asks && text(self.old, removed).is_some_and(|old| is_question(&old))
    }

    /// Reports whether an explanation finds no damage to text but that, which needs none.
    pub(super) fn only_asks_otherwise(&self, one: &Explanation) -> bool {
        let mut places: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for step in &one.steps {
            match (step.class, places.last_mut()) {
                (Class::Damaged(DamageKind::LineEnds | DamageKind::ByteOrderMark, _), _) => {}
                (Class::Damaged(DamageKind::Replaced, _), Some((old, new)))
                    if old.end == step.old.start && new.end == step.new.start =>
                {
                    (old.end, new.end) = (step.old.end, step.new.end);
                }
                (Class::Damaged(DamageKind::Replaced, _), _) => {
                    places.push((step.old.clone(), step.new.clone()));
                }
                (Class::Damaged(..), _) => return false,
                (Class::Same | Class::Edit, _) => {}
            }
        }
        places.retain(|(old, new)| self.old.get(old.clone()) != self.new.get(new.clone()) && !old.is_empty());
        let mut finder = self.document.view.finder();
        let mut piece = |byte: usize| finder.piece_of_byte(byte).map_or(byte..byte + 1, |piece| piece.bytes);
        // A view may find a byte of a character.
        let mut asks = |(old, new): &(Range<usize>, Range<usize>)| {
            self.asks_otherwise(&(piece(old.start).start..piece(old.end - 1).end), new)
        };
        !places.is_empty() && places.iter().all(&mut asks)
    }

    fn class_of_single(&self, removed: &Range<usize>, added: &Range<usize>) -> Option<Class> {
        let codec = self.document.view.codec_at(removed.start);
        let (old, new) = (self.old.get(removed.clone())?, self.new.get(added.clone())?);
        let old = text_of(codec, old).filter(|_| !codec.is_stateful() && !new.is_empty())?;
        if old.is_empty() || old.contains(|c: char| c.is_ascii() || c == char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let (shown, as_utf8) = (text_of(codec, new), std::str::from_utf8(new).ok());
        let counts = [old.chars().count(), old.encode_utf16().count(), old.len(), removed.len()];
        let is_all = |text: &str, sign: char| {
            text.chars().all(|c| c == sign) && counts.contains(&text.chars().count())
        };
        let shown_as = |is: &dyn Fn(&str) -> bool| shown.as_deref().is_some_and(is);
        let is_utf8 = as_utf8.filter(|_| codec != UTF8 && !is_wide(codec));
        let reads = |other: &Codec| text_of(*other, new).as_ref() == Some(&old);
        let doubles = |text: &str| {
            let is_longer = text.len() > old.len() && !text.contains(|c: char| c.is_ascii());
            is_longer && usual().into_iter().any(|other| undoubled(other, text).as_ref() == Some(&old))
        };
        if [shown.as_deref(), as_utf8]
            .into_iter()
            .flatten()
            .any(|text| is_all(text, char::REPLACEMENT_CHARACTER))
        {
            Some(Class::Damaged(DamageKind::Replaced, false))
        } else if is_utf8 == Some(&old) || shown.is_none() && usual().iter().any(reads) {
            Some(Class::Damaged(DamageKind::Recoded, false))
        } else if shown_as(&doubles) {
            Some(Class::Damaged(DamageKind::Doubled, false))
        } else if shown_as(&|text| is_all(text, '?')) && !is_question(&old) {
            let is_typed = !self.is_before_letter(&old, removed) || !is_prose(self.new, added);
            Some(Class::Damaged(DamageKind::Replaced, is_typed))
        } else if is_utf8.is_some_and(|text| is_other_reading(self.old.get(removed.clone()), text)) {
            Some(Class::Damaged(DamageKind::Recoded, true))
        } else {
            None
        }
    }

    /// Reports whether letters stand right before another one of their word, as no question mark of a sentence does.
    /// Words that no space divides end anywhere.
    fn is_before_letter(&self, letters: &str, removed: &Range<usize>) -> bool {
        let end = self.document.text_at(&mut self.document.view.finder(), removed.end);
        let behind = self.document.original_text().get(end..).and_then(|text| text.chars().next());
        behind.is_some() && letters.chars().chain(behind).all(is_spaced)
    }
}

/// Returns the edits of an explanation, and before each the one that it is with the next, if no more is between them
/// than what stayed by chance: a byte of U+FFFD, or of a character that is written in another encoding.
fn with_joined(best: &Explanation) -> Vec<(Range<usize>, Range<usize>, Range<usize>)> {
    const CHANCE: usize = 2;
    let edits = edits(best);
    let mut all = Vec::with_capacity(edits.len());
    for (index, (steps, old, new)) in edits.iter().enumerate() {
        if let Some(next) = edits.get(index + 1)
            && next.1.start - old.end <= CHANCE
            && next.0.start == steps.end + 1
        {
            all.push((steps.start..next.0.end, old.start..next.1.end, new.start..next.2.end));
        }
        all.push((steps.clone(), old.clone(), new.clone()));
    }
    all
}

/// Reports whether a character is a letter of an alphabet in which spaces divide words.
fn is_spaced(c: char) -> bool {
    c.is_alphabetic() && matches!(c, ..'\u{E00}' | '\u{1E00}'..'\u{2000}' | '\u{AC00}'..='\u{D7A3}')
}

/// Reports whether the word that a place is in has no sign of a path, a URL or a pattern, in which people type question
/// marks before letters: `r?sum?.txt`, `/?a=1`. Those that end sentences may be behind it.
fn is_prose(new: &[u8], place: &Range<usize>) -> bool {
    let start = place.start.saturating_sub(LONGEST);
    let near = new.get(start..new.len().min(place.end + LONGEST)).unwrap_or_default();
    let word = words_at(near, &(place.start - start..place.end - start));
    let ends = |byte: &u8| b"\0!\"'),.:;?".contains(byte);
    let len = word.iter().rposition(|byte| !ends(byte)).map_or(0, |last| last + 1);
    word.len() <= LONGEST && !word.iter().take(len).any(|byte| b"#$%&*+./:=@[\\]^_`{|}~".contains(byte))
}

/// Reports whether some bytes in some encoding are the text that replaced them, which is one character: a file with
/// little text may be in another encoding than the one that it seems to be in.
fn is_other_reading(old: Option<&[u8]>, text: &str) -> bool {
    let reads = |other: Codec| old.and_then(|old| text_of(other, old)).is_some_and(|old| old == text);
    text.chars().count() == 1 && !text.is_ascii() && usual().into_iter().any(reads)
}

/// Reports whether a text is question marks, of any script, beyond ASCII.
fn is_question(text: &str) -> bool {
    let is_mark = |c: char| {
        const MARKS: &str = "¿\u{37E}՞؟፧᥅‽⸘⸮꘏꛷❓❔";
        !c.is_ascii() && (MARKS.contains(c) || c.nfkd().any(|c| c == '?'))
    };
    !text.is_empty() && text.chars().all(is_mark)
}

/// Makes one step of all that is in each place, and cuts it off from those beside it.
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
