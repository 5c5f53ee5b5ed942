//! What was damaged between two versions of a file: the view of the old one that needs the smallest edit to give the
//! new one explains it.
//!
//! ```text
//! old, new -> signs: encodings, U+FFFD, ...   -> views worth a try
//!          -> words of the old version as each view shows them, found in the new one: the most likely views
//!          -> for each: lines aligned, then tokens -> the size of the edit
//!          -> the smallest: what is aligned and has other bytes is the damage
//! ```
//!
//! A view that shows less than there was (a question mark, nothing) also explains what a person deleted. What it
//! explains counts only between text that stayed.

mod added;
mod align;
mod certainty;
mod damage;
mod damaged;
mod doubled;
mod dropped;
mod emptied;
mod encodings;
mod ends;
mod explanation;
mod likely;
mod lost;
mod moved;
mod national;
mod pieces;
mod plain;
mod reader;
mod report;
mod signs;
mod single;
mod steps;
mod undone;

use std::cell::{Cell, OnceCell};
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

use foldhash::HashSet;
use unicode_normalization::is_nfc;

use crate::charset::Codec;
use crate::document::Document;
use crate::document::view::Change;
pub(super) use added::{Before, Inserted};
use added::{is_legacy, reads_in};
pub use damage::{Damage, DamageKind};
pub use damaged::DamageView;
use encodings::{Ends, UTF8, ascii, is_wide, text_of};
pub(super) use explanation::{Explanation, Moved};
use explanation::{doubt, doubt_lost, doubt_spaced, doubt_split, replaces_words, total};
use lost::{Each, Lost};
use signs::usual;
use steps::{Builder, EFFORT, ENOUGH, Versions};
pub(super) use steps::{Class, Step};

/// What happened between two versions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// How the old version was read and written on the way.
    pub view: DamageView,
    /// What was damaged, in order.
    pub damage: Vec<Damage>,
    /// What was edited, in order.
    pub edits: Vec<Change>,
    pub(super) explanation: Explanation,
    /// The hashes of the two versions.
    pub(super) hashes: [u64; 2],
}

/// Compares two versions of a file.
///
/// ```
/// use utf8kit_text::document::{DamageKind, compare};
///
/// let old = b"un caf\xE9\n";
/// let new = "un bon caf\u{FFFD}\n".as_bytes();
/// let comparison = compare(old, new);
/// let [damage] = &*comparison.damage else { panic!() };
/// assert_eq!(damage.kind, DamageKind::Replaced);
/// assert_eq!((&old[damage.old.clone()], damage.line, damage.column), (&b"\xE9"[..], 1, 11));
/// assert_eq!(comparison.edits.len(), 1);
/// ```
pub fn compare(old: &[u8], new: &[u8]) -> Comparison {
    Comparer::new(old, new).compare()
}

/// Returns what tells a version from another one.
pub(super) fn hash(version: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(version);
    hasher.finish()
}

/// Compares two versions.
pub(super) struct Comparer<'b> {
    old: &'b [u8],
    pub(super) new: &'b [u8],
    /// The old version as a document.
    pub(super) document: Document<'b>,
    begins: OnceCell<Vec<bool>>,
}

/// How many characters tell the encodings of text that was read in a wrong one and written in a third.
const TOLD: usize = 3;

/// How many times larger than the smallest edit one is, at most, that explains as many U+FFFD or question marks.
const MISCOUNTED: usize = 4;

/// The most steps among which single places are looked for before views of the whole file are compared: many places are
/// not single.
const FEW: usize = 1 << 14;

/// The most views that differ from the likeliest in what is lacking.
const LIKE: usize = 4;

impl<'b> Comparer<'b> {
    pub(super) fn new(old: &'b [u8], new: &'b [u8]) -> Comparer<'b> {
        Comparer { old, new, document: Document::open(old), begins: OnceCell::new() }
    }

    fn compare(&self) -> Comparison {
        let best = self.explain();
        let (damage, edits) = self.report(&best);
        let hashes = [self.old, self.new].map(hash);
        Comparison { view: best.view, damage, edits, explanation: best, hashes }
    }

    /// Returns the best explanation, with doubts where it may be wrong.
    pub(super) fn explain(&self) -> Explanation {
        let plain = self.explanation(self.plain());
        let has_few = plain.steps.len() <= FEW;
        let mut best = self.best_beside(plain, has_few);
        self.settle_reader(&mut best);
        if !has_few && best.view.is_plain() {
            self.find_single(&mut best);
        }
        let has_ascii = self.document.text().contains(|c: char| c.is_ascii());
        let codecs = self.document.encodings();
        let asks_otherwise = |old: &Range<usize>, new: &Range<usize>| self.asks_otherwise(old, new);
        let reads = |added: &[u8]| reads_in(&codecs, added);
        doubt_lost(&mut best, self.old, self.new, has_ascii, asks_otherwise, reads);
        self.settle_emptied(&mut best);
        doubt_split(&mut best);
        self.doubt_rare(&mut best);
        self.doubt_parts(&mut best);
        self.find_moved(&mut best);
        self.doubt_added(&mut best);
        self.settle_ends(&mut best);
        self.doubt_mask(&mut best);
        doubt_spaced(&mut best, self.old, self.new);
        if replaces_words(&best, self.old) || self.undoes_damage(&best) {
            self.explanation(self.plain())
        } else {
            best
        }
    }

    /// Doubts all text that was read in an encoding which it is not known to be in and written in a third one, if few
    /// characters tell: some pair of encodings explains any of them.
    fn doubt_rare(&self, best: &mut Explanation) {
        let DamageView { read, write, .. } = best.view;
        if write == UTF8 || read == write || read == UTF8 || self.document.encodings().contains(&read) {
            return;
        }
        // Question marks only tell how many there are, so that those in a row tell as much as one.
        let mut told: HashSet<&[u8]> = HashSet::default();
        let mut lost = 0..0;
        for step in &best.steps {
            match step.class {
                Class::Damaged(DamageKind::Recoded, _) => told.extend(self.old.get(step.old.clone())),
                Class::Damaged(DamageKind::Replaced, _) if step.old.start == lost.end => {
                    lost.end = step.old.end
                }
                Class::Damaged(DamageKind::Replaced, _) => {
                    told.extend(self.old.get(std::mem::replace(&mut lost, step.old.clone())));
                }
                _ => {}
            }
        }
        told.extend(self.old.get(lost));
        told.remove(&[][..]);
        if told.len() < TOLD {
            best.doubt_text();
        }
    }

    /// Doubts damage to a part of a character whose other part was edited, where it cannot be put back.
    fn doubt_parts(&self, best: &mut Explanation) {
        let stays = |step: Option<&Step>| {
            step.is_some_and(|step| !matches!(step.class, Class::Edit | Class::Damaged(_, true)))
        };
        let mut doubted = Vec::new();
        let mut finder = self.document.view.finder();
        for (index, step) in best.steps.iter().enumerate() {
            let Class::Damaged(kind, false) = step.class else { continue };
            let before = index.checked_sub(1).and_then(|before| best.steps.get(before));
            let behind = best.steps.get(index + 1);
            let is_mark = step.old.start < self.document.mark();
            if step.old.is_empty() || is_mark || stays(before) && stays(behind) {
                continue;
            }
            let mut piece = |byte: usize| finder.piece_of_byte(byte).map(|piece| piece.bytes);
            let begins_within = piece(step.old.start).is_some_and(|bytes| bytes.start < step.old.start);
            let ends_within = piece(step.old.end - 1).is_some_and(|bytes| bytes.end > step.old.end);
            if begins_within && !stays(before) || ends_within && !stays(behind) {
                doubted.push((index, kind));
            }
        }
        for (index, kind) in doubted {
            if let Some(step) = best.steps.get_mut(index) {
                step.class = Class::Damaged(kind, true);
            }
        }
    }

    /// Returns the view of the old version as it is.
    fn plain(&self) -> DamageView {
        let codecs = self.document.encodings();
        let codec = codecs.iter().copied().find(|codec| *codec != UTF8).unwrap_or(UTF8);
        DamageView { per_line: codecs.len() > 1, ..DamageView::plain(codec) }
    }

    /// Returns the explanation with the smallest edit.
    fn best(&self) -> Explanation {
        self.best_beside(self.explanation(self.plain()), false)
    }

    /// Returns the explanation with the smallest edit, given that without damage, beside single places if they are
    /// looked for.
    fn best_beside(&self, mut best: Explanation, finds_single: bool) -> Explanation {
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
        // What some encoding lacks and a person removed is told by its line alone, and a single letter by nothing.
        let drops_some = |view: DamageView| view.lacks_some() && view.drops();
        let views = tried.iter().map(|one| one.view).filter(|view| !view.returns() && !drops_some(*view));
        let views: Vec<DamageView> = views.collect();
        tried.retain(|one| !self.outlives(&best, one) && !self.only_asks_otherwise(one));
        let mut rival: Option<Explanation> = None;
        // A single word was perhaps deleted, but a program that drops text changes nothing else either.
        let is_all =
            |one: &&Explanation| (1..ENOUGH).contains(&one.firm) && one.cost == 0 && !drops_some(one.view);
        let word = tried.iter().find(is_all).cloned();
        let mut counted_otherwise: Vec<Explanation> = Vec::new();
        for mut one in tried {
            let is_firm = one.firm >= ENOUGH;
            // Lines that were recoded are the same text in a file of two encodings.
            let explains_it = best.view == plain && best.firm >= ENOUGH && total(&one) == total(&best);
            if is_firm && (total(&one) < total(&best) || explains_it) {
                rival = None;
                std::mem::swap(&mut one, &mut best);
            } else if is_firm {
                let is_other = DamageView { canonical: best.view.canonical, ..one.view } != best.view;
                let is_equal =
                    if best.view == plain { total(&one) == total(&best) } else { one.cost == best.cost };
                if is_equal && is_other && rival.is_none() {
                    rival = Some(one);
                    continue;
                }
            }
            if one.view.replaces() && one.explains_all() {
                counted_otherwise.push(one);
            }
        }
        if rival.is_none() && best.view.replaces() && best.joins_lines(self.old) {
            // As many characters of two lines as bytes of one.
            let near = |one: &Explanation| one.cost <= MISCOUNTED * best.cost;
            rival = counted_otherwise.into_iter().find(near);
        }
        match rival {
            // It was damaged, or edited.
            Some(mut rival) if best.view == plain => {
                rival.doubt_text();
                rival
            }
            Some(rival) => {
                doubt(&mut best, &rival);
                best
            }
            None if best.view == plain => {
                if let Some(mut word) = word {
                    word.doubt_text();
                    return word;
                }
                self.doubt_moved(&mut best, &views);
                best
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
        for view in self.likely(!is_composed).into_iter().filter(is_possible) {
            tried.push(self.explanation(view));
        }
        if !is_composed {
            tried.push(self.explanation(canonical(plain)));
            let least = tried.iter().min_by_key(|one| one.cost).map(|one| one.view);
            tried.extend(least.filter(|view| !view.canonical).map(|view| self.explanation(canonical(view))));
        } else if self.document.encodings() != [UTF8] || utf8kit::validate(self.new).is_err() {
            let least = tried.iter().min_by_key(|one| one.cost).map(|one| one.view);
            tried.extend(least.map(|view| self.explanation(canonical(view))));
        }
        if let Some(least) = tried.iter().min_by_key(|one| one.cost).map(|one| one.view) {
            tried.extend(self.lacking_more(least).into_iter().map(|view| self.explanation(view)));
        }
        tried
    }

    /// Returns a view in which text that was written in another encoding was written in one that has the same bytes
    /// for what is left of it, and lacks some of the rest.
    fn lacking_more(&self, view: DamageView) -> Vec<DamageView> {
        let DamageView { read, write, .. } = view;
        let is_writer = is_legacy(write) && read != write && view.lacking.is_none();
        let Some(left) = text_of(write, self.new).filter(|_| is_writer) else { return Vec::new() };
        let left: HashSet<char> = left.chars().filter(|scalar| !scalar.is_ascii()).collect();
        let old: HashSet<char> = self.document.text().chars().filter(|scalar| !scalar.is_ascii()).collect();
        let lacks = |codec: Codec| {
            let mut lacks: Vec<char> =
                old.iter().copied().filter(|&scalar| codec.bytes_of(scalar).is_none()).collect();
            lacks.sort_unstable();
            lacks
        };
        let has_same = |codec: &Codec| left.iter().all(|&c| codec.bytes_of(c) == write.bytes_of(c));
        let mut known = vec![lacks(write)];
        let mut views = Vec::new();
        for write in usual().filter(has_same) {
            let lacks = lacks(write);
            if !known.contains(&lacks) {
                known.push(lacks);
                let dropped = |lost| DamageView { write, lacking: Some((lost, Each::Item)), ..view };
                let asks = self.new.contains(&b'?').then_some(dropped(Lost::Question));
                views.extend(asks.into_iter().chain([dropped(Lost::Nothing)]));
            }
        }
        views.truncate(LIKE);
        views
    }

    /// Reports whether all characters of both versions are composed.
    fn is_composed(&self) -> bool {
        let is_composed = |bytes: &[u8]| bytes.utf8_chunks().all(|chunk| is_nfc(chunk.valid()));
        is_composed(self.old) && is_composed(self.new)
    }

    /// Reports whether more of what a view loses stayed in the new version than is gone from it: then a person edited
    /// it.
    fn outlives(&self, plain: &Explanation, one: &Explanation) -> bool {
        if !one.view.is_weak() {
            return false;
        }
        let shown = one.view.pieces(self.old, self.document.mark());
        let lost = (0..shown.len()).filter(|&piece| shown.lost.get(piece) == Some(&true));
        let lost: Vec<Range<usize>> = lost.map(|piece| shown.bytes(piece)).collect();
        let is_lost =
            |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced | DamageKind::Removed, _));
        let stayed = shared(&lost, &plain.steps, |step| step.class == Class::Same);
        let gone = shared(&lost, &one.steps, is_lost);
        let gone_of_stayed = shared(&stayed, &one.steps, is_lost);
        let len = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
        len(&stayed) + len(&gone_of_stayed) > len(&gone)
    }

    /// Reports whether an edit by itself cannot hide damage: all that it removes is ASCII, or it only adds.
    fn is_harmless(&self, plain: &Explanation) -> bool {
        let edits = || plain.steps.iter().filter(|step| step.class == Class::Edit);
        if self.document.encodings().iter().any(|codec| is_wide(*codec) || codec.is_stateful()) {
            return false;
        }
        let is_ascii = |step: &Step| self.old.get(step.old.clone()).is_some_and(<[u8]>::is_ascii);
        let is_text = |step: &Step| !self.new.get(step.new.clone()).unwrap_or_default().contains(&0);
        edits().all(|step| is_ascii(step) && is_text(step)) && !self.continues(plain)
    }

    /// Reports whether an edit adds letters beyond ASCII right beside others: some of a longer run may be those of
    /// the old version by chance.
    fn continues(&self, plain: &Explanation) -> bool {
        let of = |step: &Step| self.new.get(step.new.clone()).unwrap_or_default();
        let joins = |one: &[u8], next: &[u8]| {
            let is_beyond = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
            is_beyond(one.last()) && is_beyond(next.first())
        };
        let pairs = plain.steps.windows(2);
        pairs.filter(|pair| pair.iter().any(|step| step.class == Class::Edit)).any(|pair| match pair {
            [one, next] => joins(of(one), of(next)),
            _ => false,
        })
    }

    /// Explains the new version by a view of the old one.
    fn explanation(&self, view: DamageView) -> Explanation {
        let explanation = self.explanation_with(view, false);
        let mark = self.document.mark();
        let Some(first) = explanation.steps.first().filter(|_| mark > 0) else { return explanation };
        // The mark was not read as text: it is gone with the line that it was before.
        let is_gone = first.class == Class::Edit && first.old.end > mark;
        let is_text = matches!(
            first.class,
            Class::Damaged(DamageKind::Replaced | DamageKind::Removed | DamageKind::Doubled, _)
        );
        if !is_gone && (explanation.cost == 0 || !is_text) {
            return explanation;
        }
        let other = self.explanation_with(view, true);
        if is_gone || other.cost < explanation.cost { other } else { explanation }
    }

    /// Explains it, where the byte order mark is that, or perhaps text like the rest.
    fn explanation_with(&self, view: DamageView, is_mark: bool) -> Explanation {
        let plain =
            DamageView { per_line: false, canonical: view.canonical, ..DamageView::plain(view.write) };
        let is_plain = view.read == view.write && view.errors.is_none() && view.lacking.is_none();
        let plain = if is_plain { DamageView { per_line: view.per_line, ..plain } } else { plain };
        let new_mark = self.new_mark(view);
        let new = plain.pieces(self.new, new_mark);
        let old_mark = self.old_mark(view, if is_mark { &[] } else { &new.tokens });
        let old = view.pieces(self.old, old_mark);
        let old_is_utf8 = self.document.encodings() == [UTF8];
        let ends_differ = Ends::of(view.read, self.old).differ() && Ends::of(view.write, self.new).differ();
        let versions =
            Versions { old: self.old, new: self.new, mark: self.document.mark(), old_is_utf8, ends_differ };
        let mut builder = Builder {
            versions,
            view,
            old: &old,
            new: &new,
            steps: Vec::new(),
            cost: 0,
            firm: 0,
            bare: false,
            misreads: is_legacy(view.read)
                && view.read != ascii()
                && !self.document.encodings().contains(&view.read),
            begins: if view.drops() { self.begins() } else { &[] },
            effort: Cell::new(EFFORT),
        };
        builder.run();
        let Builder { mut steps, cost, firm, .. } = builder;
        let marks = Step { old: 0..old_mark, new: 0..new_mark, class: Class::Same };
        let class = self.class_of_marks(view, old_mark, new_mark);
        let cost = cost + usize::from(class != Class::Same);
        if old_mark + new_mark > 0 {
            steps.insert(0, Step { class, ..marks });
        }
        Explanation { view, steps, cost, firm, new_mark, disputed: false, moved: Vec::new(), read_as: None }
    }

    /// Returns whether each byte of the old version begins a character.
    fn begins(&self) -> &[bool] {
        self.begins.get_or_init(|| {
            let mut begins = vec![false; self.old.len()];
            let starts = self.document.view.pieces().map(|piece| piece.bytes.start);
            starts.for_each(|at| begins.iter_mut().skip(at).take(1).for_each(|begins| *begins = true));
            begins
        })
    }

    /// Returns the length of the old mark as a view reads it. Where the new version, behind its own mark, begins
    /// with what became of it, it is text like the rest.
    fn old_mark(&self, view: DamageView, new: &[u32]) -> usize {
        let mark = mark_in(view, view.read, self.old).max(self.document.mark());
        let mut shown = view.pieces(self.old.get(..mark).unwrap_or_default(), 0).tokens;
        // Its end may be read with the first byte of the text.
        shown.truncate(shown.len().saturating_sub(1).max(1));
        let (bytes, text) = self.old.split_at_checked(mark).unwrap_or_default();
        let is_text = !shown.is_empty() && new.starts_with(&shown) && !text.starts_with(bytes);
        if is_text { 0 } else { mark }
    }

    /// Returns the length of the new mark: that of UTF-8 in any encoding of bytes, where the old version has none.
    fn new_mark(&self, view: DamageView) -> usize {
        let utf8 = if is_wide(view.write) { 0 } else { UTF8.mark_in(self.new) };
        let is_added = utf8 > 0 && UTF8.mark_in(self.old) == 0;
        mark_in(view, view.write, self.new).max(if is_added { utf8 } else { 0 })
    }

    fn class_of_marks(&self, view: DamageView, old: usize, new: usize) -> Class {
        let same = self.old.get(..old) == self.new.get(..new);
        if same {
            Class::Same
        } else if view.read != view.write && (is_wide(view.read) && old > 0 || is_wide(view.write) && new > 0)
        {
            Class::Damaged(DamageKind::Recoded, false)
        } else {
            Class::Damaged(DamageKind::ByteOrderMark, false)
        }
    }
}

/// Returns what ascending ranges share with those steps of which this is true.
fn shared(ranges: &[Range<usize>], steps: &[Step], is: impl Fn(&Step) -> bool) -> Vec<Range<usize>> {
    let mut shared = Vec::new();
    for step in steps.iter().filter(|step| is(step)) {
        let first = ranges.partition_point(|range| range.end <= step.old.start);
        let within = ranges.iter().skip(first).take_while(|range| range.start < step.old.end);
        shared.extend(within.map(|range| range.start.max(step.old.start)..range.end.min(step.old.end)));
    }
    shared
}

/// Returns the length of the byte order mark of a version that a view reads or writes in an encoding: that of UTF-8,
/// where some lines are in it.
fn mark_in(view: DamageView, codec: Codec, bytes: &[u8]) -> usize {
    let mark = codec.mark_in(bytes);
    if view.per_line { mark.max(UTF8.mark_in(bytes)) } else { mark }
}
