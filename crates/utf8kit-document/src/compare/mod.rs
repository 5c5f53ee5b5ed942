//! Finds the damage between two versions of a file. A *view* is what a program makes of the old bytes. The view that
//! needs the smallest edit to give the new version explains it. Unedited text with other bytes than before is damaged.
//!
//! `Comparer::explain` takes these steps, and the files below are in their order:
//!
//! ```text
//! 1 without damage   what a person edited, if no program did anything; small edits that only one character explains
//! 2 views            candidates: those worth trying, by encodings, U+FFFD, ...; likely: those that show words of the
//!                    old version as they are in the new one
//! 3 explanations     for each view: lines aligned, then tokens; each piece is the same, damaged, or part of an edit
//! 4 the best one     the smallest edit wins; if one without damage is as small, all damage is doubtful
//! 5 passes           the list `PASSES`: another program; what a person may have done as well; what was moved, or added
//!                    before the damage
//! 6 a repair?        if the new version repairs the old one, nothing is damage
//! ```
//!
//! The words: a view cuts bytes into *pieces*, and shows *tokens* for each. A *step* is a piece of the old version with
//! its place in the new one, or a change. An *explanation* is the steps of a view, and what its edit costs. A doubtful
//! step is reported, but never restored.
//!
//! ```text
//! spans            the lines and words of a version
//! damage           what is reported: kinds and places
//! encodings double_encoding national
//!                  properties of encodings: text, line ends; UTF-8 read as another one; standards as Python reads
//! pieces substitutes view
//!                  the pieces of a version; what programs write for what they lose; what a program does to a file,
//!                  and the pieces as it shows them
//! candidates ranking
//!                  step 2
//! hunks            large versions: only the lines that differ, which go through all steps
//! limits           the numbers
//! lines alignment  lines and tokens that two versions have in common, and whether others are equally good
//! script weight    step 3: Builder, with omissions (where dropped pieces were) and certainty (whether
//!                  a piece can be no other one)
//! explanation      what a view makes of the new version; its edits; reasons of doubt
//! places signs     step 1: places that no view of the whole file explains; question marks that a person would not type
//! choice           step 4
//! segments         some lines, taken out and put back
//! remainder        lines that the best view does not explain, by another one
//! losses           step 5: edits that look like damage which no view explains
//! moves            lines that are elsewhere in the new version
//! insertions additions
//!                  what added text was before the damage; whether that is certain
//! vocabulary       added words that are old ones as some program shows them
//! reversal         step 6
//! report           the damage and the edits, by line and column
//! ```
//!
//! Many steps are doubtful, because a view that loses text (writes a question mark or nothing) also explains what a
//! person deleted or typed. Such a step counts only between text that stayed.

mod additions;
mod alignment;
mod candidates;
mod certainty;
mod choice;
mod damage;
mod double_encoding;
mod encodings;
mod explanation;
mod hunks;
mod insertions;
pub(crate) mod limits;
mod lines;
mod losses;
mod moves;
mod national;
mod omissions;
mod pieces;
mod places;
mod ranking;
mod remainder;
mod report;
mod reversal;
mod script;
mod segments;
mod signs;
mod spans;
mod substitutes;
mod view;
mod vocabulary;
mod weight;

use std::cell::{Cell, OnceCell};
use std::hash::{DefaultHasher, Hasher as _};

use foldhash::HashSet;
use utf8kit_detect::context::Prose;
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::view::Change;
pub use damage::{Damage, DamageKind};
use encodings::{Ends, UTF8, is_single_byte};
use explanation::Doubt;
pub(super) use explanation::{Explanation, Moved};
pub(super) use insertions::{Before, Inserted};
use limits::{
    MAX_PLACES_COMPARED, MAX_STEPS_WITH_PLACES, MAX_TOKEN_PAIRS_ALIGNED_IN_ALL, MIN_CHARACTERS_FOR_ENCODINGS,
};
use script::{Builder, Versions};
pub(super) use script::{Class, Step};
pub use view::DamageView;

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
/// use utf8kit_document::{DamageKind, compare};
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

/// Returns a fingerprint of a version.
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
    /// How well text reads in the context of the old version.
    prose: OnceCell<Prose>,
    new_codec: OnceCell<Codec>,
    /// The views that are worth trying, the likeliest first.
    likely: OnceCell<Vec<DamageView>>,
    /// How many programs explained the lines around these.
    depth: usize,
}

/// A pass over the best explanation.
type Pass = fn(&Comparer<'_>, &mut Explanation);

/// What is done to the best explanation, in this order.
const PASSES: [Pass; 9] = [
    // Finds the lines that another program damaged. First, because its damage explains edits that are doubtful below.
    |comparer, best| comparer.explain_remainder(best),
    // Doubts a view that rests on few characters. This comes before lines are copied from certain places.
    |comparer, best| comparer.doubt_rare(best),
    // Finds moved and copied lines. This comes before additions and lost text are doubted, because they are neither.
    |comparer, best| comparer.find_moved(best),
    // Doubts lines that another view shows. After the lines that were found in the best one.
    |comparer, best| comparer.doubt_moved(best),
    // Finds words of the old version. After lines, which consist of such words.
    |comparer, best| comparer.find_known_words(best),
    // Doubts edits that look like damage. After all that explains edits as damage.
    |comparer, best| comparer.doubt_unexplained(best),
    // Doubts words as another view shows them. After lines and words that were found with their bytes.
    |comparer, best| comparer.doubt_known_words(best),
    // Doubts added text whose bytes are not certain. After all that gives additions their bytes.
    |comparer, best| comparer.doubt_added(best),
    // Withdraws damage that is a repair. Last, because it judges the whole result.
    |comparer, best| comparer.take_back(best),
];

impl<'b> Comparer<'b> {
    pub(super) fn new(old: &'b [u8], new: &'b [u8]) -> Comparer<'b> {
        Comparer::of(Document::open(old), old, new)
    }

    /// Compares this document, which is the old version, with a new version.
    fn of(document: Document<'b>, old: &'b [u8], new: &'b [u8]) -> Comparer<'b> {
        Comparer {
            old,
            new,
            document,
            begins: OnceCell::new(),
            prose: OnceCell::new(),
            new_codec: OnceCell::new(),
            likely: OnceCell::new(),
            depth: 0,
        }
    }

    /// How well text reads in the context of the old version.
    fn prose(&self) -> &Prose {
        self.prose.get_or_init(|| Prose::with_context(self.document.original_text()))
    }

    fn compare(&self) -> Comparison {
        let best = self.explain();
        let (damage, edits) = self.report(&best);
        let hashes = [self.old, self.new].map(hash);
        Comparison { view: best.view, damage, edits, explanation: best, hashes }
    }

    /// Returns the best explanation, with doubts where it may be wrong.
    pub(super) fn explain(&self) -> Explanation {
        self.explain_hunks().unwrap_or_else(|| self.explain_whole())
    }

    /// Explains all lines together.
    pub(super) fn explain_whole(&self) -> Explanation {
        let plain = self.explanation(self.plain());
        let has_few = plain.steps.len() <= MAX_STEPS_WITH_PLACES;
        let mut best = self.best_with_neighbours(plain, has_few);
        if !has_few && best.view.is_plain() {
            self.find_single(&mut best);
        }
        for pass in PASSES {
            pass(self, &mut best);
        }
        best
    }

    /// Withdraws damage that is a repair.
    fn take_back(&self, best: &mut Explanation) {
        if self.undoes_damage(best) {
            *best = self.explanation(self.plain());
        }
    }

    /// Doubts all text that was read in an encoding which it is not known to be in and written in a third one, if few
    /// characters are evidence: some pair of encodings explains any of them.
    fn doubt_rare(&self, best: &mut Explanation) {
        let DamageView { read, write, .. } = best.view;
        if write == UTF8 || read == write || read == UTF8 || self.document.encodings().contains(&read) {
            return;
        }
        // Of question marks, only the number is known, so several in a row are as little evidence as one.
        let mut distinct: HashSet<&[u8]> = HashSet::default();
        let mut lost = 0..0;
        for step in &best.steps {
            match step.class {
                Class::Damaged(DamageKind::Recoded, _) => distinct.extend(self.old.get(step.old.clone())),
                Class::Damaged(DamageKind::Replaced, _) if step.old.start == lost.end => lost.end = step.old.end,
                Class::Damaged(DamageKind::Replaced, _) => {
                    distinct.extend(self.old.get(std::mem::replace(&mut lost, step.old.clone())));
                }
                _ => {}
            }
        }
        distinct.extend(self.old.get(lost));
        distinct.remove(&[][..]);
        if distinct.len() < MIN_CHARACTERS_FOR_ENCODINGS {
            best.doubt_text(Doubt::Explanation);
        }
    }

    /// Returns the view of the old version as it is.
    fn plain(&self) -> DamageView {
        let codecs = self.document.encodings();
        let codec = codecs.iter().copied().find(|codec| *codec != UTF8).unwrap_or(UTF8);
        DamageView { per_line: codecs.len() > 1, ..DamageView::plain(codec) }
    }

    /// Explains the new version by a view of the old one.
    fn explanation(&self, view: DamageView) -> Explanation {
        let explanation = self.explanation_with(view, false);
        let mark = self.document.mark();
        let Some(first) = explanation.steps.first().filter(|_| mark > 0) else { return explanation };
        // The mark was not read as text: it was removed with the line after it.
        let is_removed = first.class == Class::Edit && first.old.end > mark;
        let is_text =
            matches!(first.class, Class::Damaged(DamageKind::Replaced | DamageKind::Removed | DamageKind::Doubled, _));
        if !is_removed && (explanation.cost == 0 || !is_text) {
            return explanation;
        }
        let other = self.explanation_with(view, true);
        if is_removed || other.cost < explanation.cost { other } else { explanation }
    }

    /// Explains it, where the byte order mark is that, or perhaps text like the rest.
    fn explanation_with(&self, view: DamageView, is_mark: bool) -> Explanation {
        let plain = view.of_new();
        let is_plain = view.read == view.write && view.errors.is_none() && view.lacking.is_none();
        let plain = if is_plain { DamageView { per_line: view.per_line, ..plain } } else { plain };
        let new_mark = self.new_mark(view);
        let new = plain.pieces(self.new, new_mark);
        let old_mark = self.old_mark(view, if is_mark { &[] } else { &new.tokens });
        let old = view.pieces(self.old, old_mark);
        // A view that reads the old version in its own way has a piece for each character.
        let codecs = self.document.encodings();
        let has_whole = view.is_plain()
            || codecs == [UTF8] && view.read == UTF8
            || codecs.iter().all(|codec| is_single_byte(*codec));
        let old = if has_whole { old } else { old.whole(self.begins()) };
        let old_is_utf8 = codecs == [UTF8];
        let ends_differ = Ends::of(view.read, self.old).differ() && Ends::of(view.write, self.new).differ();
        let versions = Versions {
            old: self.old,
            new: self.new,
            mark: self.document.mark(),
            codec: self.plain().read,
            old_is_utf8,
            ends_differ,
        };
        let mut builder = Builder {
            versions,
            view,
            old: &old,
            new: &new,
            steps: Vec::new(),
            cost: 0,
            firm: 0,
            effort: Cell::new(MAX_PLACES_COMPARED),
            pairs: Cell::new(MAX_TOKEN_PAIRS_ALIGNED_IN_ALL),
        };
        builder.run();
        let Builder { mut steps, cost, firm, .. } = builder;
        let marks = Step { old: 0..old_mark, new: 0..new_mark, class: Class::Same };
        let class = self.class_of_marks(view, old_mark, new_mark);
        let cost = cost + usize::from(class != Class::Same);
        if old_mark + new_mark > 0 {
            steps.insert(0, Step { class, ..marks });
        }
        Explanation { view, steps, cost, firm, new_mark, disputed: false, moved: Vec::new() }
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

    /// Returns the length of the old mark as a view reads it. Where the new version, after its own mark, begins
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

    /// Returns the length of the new byte order mark. If the old version has none, a UTF-8 mark counts in any encoding
    /// with one-byte units.
    fn new_mark(&self, view: DamageView) -> usize {
        let utf8 = if view.write.is_wide() { 0 } else { UTF8.mark_in(self.new) };
        let is_added = utf8 > 0 && UTF8.mark_in(self.old) == 0;
        mark_in(view, view.write, self.new).max(if is_added { utf8 } else { 0 })
    }

    fn class_of_marks(&self, view: DamageView, old: usize, new: usize) -> Class {
        let same = self.old.get(..old) == self.new.get(..new);
        if same {
            Class::Same
        } else if view.read != view.write && (view.read.is_wide() && old > 0 || view.write.is_wide() && new > 0) {
            Class::Damaged(DamageKind::Recoded, None)
        } else {
            Class::Damaged(DamageKind::ByteOrderMark, None)
        }
    }
}

/// Returns the length of the byte order mark of a version that a view reads or writes in an encoding. If only some
/// lines are in that encoding, a UTF-8 mark counts too.
fn mark_in(view: DamageView, codec: Codec, bytes: &[u8]) -> usize {
    let mark = codec.mark_in(bytes);
    if view.per_line { mark.max(UTF8.mark_in(bytes)) } else { mark }
}
