//! What is gone: whether a person removed it or put another word in its place, or a program lost it.

use std::ops::Range;

use foldhash::HashSet;

use crate::compare::Comparer;
use crate::compare::candidates::recodings;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::{reads_in, text_of};
use crate::compare::explanation::{Doubt, Edit, Explanation, edits};
use crate::compare::script::{Class, Step};
use crate::compare::spans::{Spans, asked_once};
use crate::compare::view::DamageView;

/// Doubts characters that were replaced one after the other where something was added between them.
pub(super) fn doubt_split(best: &mut Explanation) {
    let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, _));
    let mut run = 0..0;
    for index in 0..=best.steps.len() {
        let step = best.steps.get(index);
        if step.is_some_and(|step| is_replaced(step) || step.class == Class::Edit && step.old.is_empty()) {
            run.end = index + 1;
            continue;
        }
        let steps = best.steps.get_mut(run).unwrap_or_default();
        let first = steps.iter().position(is_replaced).unwrap_or_default();
        let last = steps.iter().rposition(is_replaced).unwrap_or_default();
        if steps.get(first..last).unwrap_or_default().iter().any(|step| step.class == Class::Edit) {
            for step in steps.iter_mut().filter(|step| is_replaced(step)) {
                step.class = Class::Damaged(DamageKind::Replaced, Some(Doubt::Alignment));
            }
        }
        run = index + 1..index + 1;
    }
}

/// Doubts removals that leave two spaces, or one at the end of a line, where a view shows nothing for what was lost: a
/// word may have been put there. So may one that has some letters of the old one, which lost others by chance.
pub(super) fn doubt_spaced(best: &mut Explanation, old: &[u8], new: &[u8]) {
    if best.view.drops() {
        let is_removed = |step: &Step| step.class == Class::Damaged(DamageKind::Removed, None);
        let removed = best.steps.iter().enumerate().filter(|(_, step)| is_removed(step));
        let is_another_word = another_words(best, old);
        let of_others = removed.filter(|(_, step)| is_another_word(&step.old));
        let of_others: Vec<usize> = of_others.map(|(index, _)| index).collect();
        drop(is_another_word);
        for index in of_others {
            best.doubt(index..index + 1, DamageKind::Removed, Doubt::Edit);
        }
        for edit in edits(best).into_iter().filter(|edit| leaves_spaces(new, &edit.added)) {
            best.doubt(edit.steps, DamageKind::Removed, Doubt::Edit);
        }
    }
}

/// Reports whether all that a view finds lost was in words that became others, and have some of their letters by
/// chance.
pub(super) fn replaces_words(best: &Explanation, old: &[u8]) -> bool {
    let is_lost = |step: &&Step| matches!(step.class, Class::Damaged(..)) && !step.old.is_empty();
    let mut lost = best.steps.iter().filter(is_lost).peekable();
    best.view.drops() && lost.peek().is_some() && {
        let is_another_word = another_words(best, old);
        lost.all(|step| is_another_word(&step.old))
    }
}

impl Comparer<'_> {
    /// Doubts edits that look like damage which no view explains: what was added has U+FFFD, or all non-ASCII
    /// text is gone while the lines that had it stayed, or all but line ends.
    pub(super) fn doubt_lost(&self, best: &mut Explanation) {
        let (old, new) = (self.old, self.new);
        let has_ascii = self.document.text().contains(|c: char| c.is_ascii());
        const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
        let of = |bytes: &[u8], range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default().to_vec();
        let has = |bytes: &[u8]| memchr::memmem::find(bytes, REPLACEMENT).is_some();
        let knew_replacements = has(old);
        let mut lost: Vec<(Range<usize>, DamageKind)> = Vec::new();
        let (mut gone, mut stayed) = (Gone::default(), 0);
        let asks = |bytes: &[u8]| {
            // None stands right before a letter.
            let is_lost = |pair: &[u8]| matches!(pair, [b'?', letter] if letter.is_ascii_alphabetic());
            memchr::memmem::find(bytes, b"???").is_some() || bytes.windows(2).any(is_lost)
        };
        let knew_questions = asks(old);
        let is_lost_mark = |step: &Step| {
            step.class == Class::Damaged(DamageKind::ByteOrderMark, None) && step.new.is_empty()
        };
        let has_lost_mark = best.steps.iter().any(is_lost_mark);
        let was_written = best.was_written();
        let (mut asked, mut spaced) = (Vec::new(), Vec::new());
        let is_another_line = another_lines(best, old, if was_written { 3 } else { 2 });
        for Edit { steps: range, removed: removed_at, added } in edits(best) {
            if self.asks_otherwise(&removed_at, &added) {
                continue;
            }
            let removed = removed_at.clone();
            let leaves_spaces = leaves_spaces(new, &added);
            let is_first = added.start == 0;
            let (removed, added) = (of(old, &removed), of(new, &added));
            if !knew_replacements && has(&added) {
                lost.push((range.clone(), DamageKind::Replaced));
                continue;
            }
            let is_beyond = |bytes: &[u8]| !bytes.is_empty() && !bytes.iter().any(u8::is_ascii);
            // A character of two bytes may keep one that is ASCII.
            let codec = self.document.view.codec_at(removed_at.start);
            let text = text_of(codec, &removed).unwrap_or_default();
            let is_lost = is_beyond(&removed) || !text.is_empty() && !text.contains(|c: char| c.is_ascii());
            if is_lost && is_asked(&removed, &added) {
                lost.push((range.clone(), DamageKind::Replaced));
                continue;
            }
            // What is gone with most of its line was edited.
            let is_edited = !removed.is_ascii() && !added.contains(&b'?') && is_another_line(&removed_at);
            if is_beyond(&removed) && leaves_spaces && !is_edited {
                spaced.push((range.clone(), DamageKind::Removed));
            }
            if is_edited {
                gone.edited += 1;
            } else if !removed.is_ascii() {
                let is_framed = is_framed(best, old, &range);
                gone.add(range.clone(), &removed, &added, is_framed);
            }
            if is_first && has_lost_mark && added.first().is_some_and(|byte| !byte.is_ascii()) {
                lost.push((range, DamageKind::Doubled));
                continue;
            }
            // A mark became question marks.
            let is_mark =
                is_first && matches!(*added, [b'?', .., b'?']) && added.iter().all(|&byte| byte == b'?');
            asked.extend(
                (!knew_questions && (asks(&added) || is_mark)).then_some((range, DamageKind::Replaced)),
            );
        }
        drop(is_another_line);
        for step in &best.steps {
            let is_mark = step.class == Class::Damaged(DamageKind::ByteOrderMark, None);
            gone.removals += usize::from(is_lost_mark(step));
            if step.class != Class::Edit && !is_mark {
                stayed += of(old, &step.old).iter().filter(|byte| !byte.is_ascii()).count();
            }
        }
        // A few letters match by coincidence, even if all of them were replaced.
        let stayed =
            if gone.is_recoded_alone() || gone.blanked > 1 { 4 * stayed > gone.removed } else { stayed > 0 };
        gone.reads = gone.recoded > 0 && reads_in(&self.document.encodings(), &gone.put);
        let is_blank = new.iter().all(u8::is_ascii_whitespace) && (!new.is_empty() || !has_ascii);
        if gone.is_recoded() || is_blank || !stayed && (gone.is_damage() || gone.is_the_same_text()) {
            lost.extend(gone.places);
        } else if !stayed && gone.removals + gone.edited > 0 {
            lost.extend(asked);
            lost.extend(if was_written { gone.places } else { spaced });
        }
        for (steps, kind) in lost {
            best.doubt(steps, kind, Doubt::Unexplained);
        }
    }
}

/// Reports whether some non-ASCII bytes became question marks, and perhaps others of them stayed.
pub(super) fn is_asked(removed: &[u8], added: &[u8]) -> bool {
    let mut rest = removed.iter();
    added.contains(&b'?') && added.iter().all(|byte| *byte == b'?' || rest.any(|old| old == byte))
}

/// Tells whether less than this part stayed of the letters and signs of ASCII in the lines that a range of the old
/// version touches: a half, or a third.
pub(super) fn another_lines<'e>(
    best: &'e Explanation,
    old: &'e [u8],
    part: usize,
) -> impl Fn(&Range<usize>) -> bool + 'e {
    let bytes = |range: Range<usize>| old.get(range).unwrap_or_default();
    let is_another = asked_once(move |line| {
        // A byte of ASCII right after another one may be part of its character.
        let is_behind_another = |at: usize| at > line.start && !bytes(at - 1..at).is_ascii();
        let is_letter =
            |at: &usize| bytes(*at..*at + 1).iter().all(u8::is_ascii_graphic) && !is_behind_another(*at);
        let tells = |mut range: Range<usize>| range.by_ref().filter(is_letter).count();
        part * stayed_in(best, line.clone(), tells) < tells(line.clone())
    });
    let lines = Spans::of_lines(old);
    move |removed| is_another(&lines.around(removed))
}

/// Tells whether less than half stayed of the letters and signs of ASCII in the word that a range of the old version is
/// in.
fn another_words<'e>(best: &'e Explanation, old: &'e [u8]) -> impl Fn(&Range<usize>) -> bool + 'e {
    let tells = |range: Range<usize>| {
        old.get(range).unwrap_or_default().iter().filter(|byte| byte.is_ascii_graphic()).count()
    };
    let is_another = asked_once(move |word| 2 * stayed_in(best, word.clone(), tells) < tells(word.clone()));
    let words = Spans::of_words(old);
    move |removed| is_another(&words.around(removed))
}

/// Counts what stayed of a range of the old version.
fn stayed_in(best: &Explanation, range: Range<usize>, count: impl Fn(Range<usize>) -> usize) -> usize {
    let stayed = best.steps_within(&range).filter(|(_, step)| step.class != Class::Edit);
    stayed.map(|(_, step)| count(step.old.start.max(range.start)..step.old.end.min(range.end))).sum()
}

/// Reports whether what is before and after some steps stayed, or is another line.
pub(super) fn is_framed(best: &Explanation, old: &[u8], steps: &Range<usize>) -> bool {
    let is_outermost = |step: &Step| step.old.start == 0 || step.old.end == old.len();
    let stays = |step: Option<&Step>, is_end: fn(&[u8]) -> bool| {
        step.is_none_or(|step| {
            step.old.len() > 1 || is_outermost(step) || is_end(old.get(step.old.clone()).unwrap_or_default())
        })
    };
    stays(best.before(steps), |bytes| bytes.ends_with(b"\n"))
        && stays(best.behind(steps), |bytes| bytes.starts_with(b"\r") || bytes.starts_with(b"\n"))
}

/// Reports whether an edit added nothing and leaves two spaces, or one at the end of a line or of what is quoted, or at
/// the start of a line, as where all the letters of words are gone.
fn leaves_spaces(new: &[u8], added: &Range<usize>) -> bool {
    let is_space = |byte: Option<&u8>| byte == Some(&b' ');
    let before = added.start.checked_sub(1).and_then(|at| new.get(at));
    let behind = new.get(added.end);
    let is_start = before.is_none_or(|byte| *byte == b'\n');
    let is_end = behind.is_none_or(|byte| b"\r\n\"')".contains(byte));
    added.is_empty() && (is_space(before) && (is_space(behind) || is_end) || is_start && is_space(behind))
}

/// Edits that removed something non-ASCII.
#[derive(Default)]
struct Gone {
    /// Those that did not remove whole lines.
    places: Vec<(Range<usize>, DamageKind)>,
    removals: usize,
    /// Others, which removed most of a line.
    edited: usize,
    /// Those that left nothing of a line.
    blanked: usize,
    /// Those that only removed something, with a space or a line end beside it: no program does.
    taken: usize,
    /// Those that put something non-ASCII in its place.
    recoded: usize,
    /// Whether one removed nothing else, added nothing else but question marks, and left what is around it.
    has_alone: bool,
    /// Those that replaced non-ASCII bytes with as many others.
    swaps: usize,
    /// What was replaced with what.
    swapped: HashSet<(Vec<u8>, Vec<u8>)>,
    /// Non-ASCII bytes that were removed.
    removed: usize,
    /// Letters that were added.
    added: usize,
    /// What was put in the place of something non-ASCII.
    put: Vec<u8>,
    /// Whether that is text.
    reads: bool,
    /// ASCII that was removed with it, except for spaces.
    ascii: usize,
}

impl Gone {
    fn add(&mut self, steps: Range<usize>, removed: &[u8], added: &[u8], is_framed: bool) {
        self.removals += 1;
        self.removed += removed.iter().filter(|byte| !byte.is_ascii()).count();
        self.added += added.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let is_space = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        let is_taken = added.is_empty() && (is_space(removed.first()) || is_space(removed.last()));
        self.taken += usize::from(is_taken);
        // A byte of ASCII right after another one may be part of its character.
        let pairs = removed.windows(2).filter(|pair| pair[0].is_ascii() && pair[1].is_ascii_graphic());
        self.ascii += pairs.count() + usize::from(removed.first().is_some_and(u8::is_ascii_graphic));
        self.recoded += usize::from(!added.is_ascii());
        self.put.extend_from_slice(added);
        self.put.push(b' ');
        let asks = added.contains(&b'?');
        if removed.len() == added.len() && !removed.iter().chain(added).any(u8::is_ascii) {
            self.swaps += 1;
            self.swapped.insert((removed.to_vec(), added.to_vec()));
        }
        let is_alone =
            !removed.iter().any(u8::is_ascii) && !added.iter().any(|byte| byte.is_ascii() && *byte != b'?');
        self.has_alone |= is_framed && is_alone;
        self.blanked += usize::from(is_framed && added.is_empty() && !is_taken);
        if !added.is_empty() || !removed.contains(&b'\n') {
            let kind = match added.is_ascii() {
                false => DamageKind::Recoded,
                true if asks => DamageKind::Replaced,
                true => DamageKind::Removed,
            };
            self.places.push((steps, kind));
        }
    }

    /// Reports whether bytes became other ones throughout, as between encodings that nobody knows.
    fn is_recoded(&self) -> bool {
        let olds: HashSet<_> = self.swapped.iter().map(|(old, _)| old).collect();
        !self.reads
            && self.recoded == self.removals
            && self.swapped.len() > 2
            && olds.len() == self.swapped.len()
    }

    /// Reports whether only what is non-ASCII was replaced, and mostly with what is as well.
    fn is_recoded_alone(&self) -> bool {
        16 * self.ascii < self.removed && 8 * self.recoded > 7 * self.removals
    }

    /// Reports whether what was removed is in some encoding the text that replaced it in another one.
    fn is_the_same_text(&self) -> bool {
        let is_same = |view: DamageView| {
            self.swapped.iter().all(|(old, new)| {
                let old = text_of(view.read, old);
                old.is_some() && old == text_of(view.write, new)
            })
        };
        self.swaps > 0 && self.swaps == self.removals && recodings().into_iter().any(is_same)
    }

    /// Reports whether this is unlikely to be an edit: in several places, the text is gone alone, or the ASCII beside
    /// it stayed and what was added is far too short to be a translation, or is as little ASCII as before.
    fn is_damage(&self) -> bool {
        let is_bare = 16 * self.ascii < self.removed && 3 * self.added < self.removed;
        self.blanked > 1
            || self.removals > self.taken.max(1)
                && !self.reads
                && (self.has_alone || is_bare || self.recoded == self.removals || self.is_recoded_alone())
    }
}
