//! What was damaged between two versions of a file: the view of the old one that needs the smallest edit to give the new
//! one explains it.
//!
//! ```text
//! old, new -> signs: encodings, U+FFFD, ...   -> views worth a try
//!          -> words of the old version as each view shows them, found in the new one: the most likely views
//!          -> for each: lines aligned, then tokens -> the size of the edit
//!          -> the smallest: what is aligned and has other bytes is the damage
//! ```
//!
//! A view that shows less than there was (a question mark, nothing) also explains what a person deleted. What it explains
//! counts only between text that stayed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use unicode_normalization::is_nfc;
use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::document::Document;
use crate::document::align::{Aligned, Lines, Stretch, align, align_lines, lookalikes};
use crate::document::damaged::{DamageView, Lost, Pieces, Signs, views};
use crate::document::view::Change;

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DamageKind {
    /// Something became U+FFFD or a question mark.
    Replaced,
    /// Something was dropped.
    Removed,
    /// UTF-8 was read in another encoding and written as UTF-8: `é` became `Ã©`.
    Doubled,
    /// Text was written in another encoding.
    Recoded,
    /// Text was composed or decomposed.
    Normalized,
    /// A line end became another one.
    LineEnds,
    /// A byte order mark was added or removed.
    ByteOrderMark,
}

impl DamageKind {
    /// All kinds.
    pub const ALL: [DamageKind; 7] = [
        DamageKind::Replaced,
        DamageKind::Removed,
        DamageKind::Doubled,
        DamageKind::Recoded,
        DamageKind::Normalized,
        DamageKind::LineEnds,
        DamageKind::ByteOrderMark,
    ];

    /// Returns its name.
    ///
    /// ```
    /// assert_eq!(utf8kit_text::document::DamageKind::LineEnds.name(), "line_ends");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Replaced => "replaced",
            DamageKind::Removed => "removed",
            DamageKind::Doubled => "doubled",
            DamageKind::Recoded => "recoded",
            DamageKind::Normalized => "normalized",
            DamageKind::LineEnds => "line_ends",
            DamageKind::ByteOrderMark => "byte_order_mark",
        }
    }
}

/// A damaged place: text that was not edited and has other bytes than before. Adjacent places of a kind are one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// What happened.
    pub kind: DamageKind,
    /// The bytes in the old version.
    pub old: Range<usize>,
    /// The bytes in the new version.
    pub new: Range<usize>,
    /// The line in the new version, from 1.
    pub line: usize,
    /// The column in the new version, from 1, in code points.
    pub column: usize,
    /// Whether it is uncertain which bytes were here: a change lies within, or two explanations are equally good.
    /// [`restore`](crate::document::restore()) leaves the place as it is.
    pub doubtful: bool,
}

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

/// A piece of the old version and its place in the new one, or a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) class: Class,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Same,
    Damaged(DamageKind, bool),
    Edit,
}

/// One view's explanation.
pub(super) struct Explanation {
    pub(super) view: DamageView,
    pub(super) steps: Vec<Step>,
    /// The size of the edit, in bytes.
    pub(super) cost: usize,
    /// The weight of the damaged places as evidence.
    firm: usize,
    pub(super) new_mark: usize,
}

/// Compares two versions.
pub(super) struct Comparer<'b> {
    old: &'b [u8],
    new: &'b [u8],
    /// The old version as a document.
    pub(super) document: Document<'b>,
}

const UTF8: Codec = Codec::Native(AnyEncoding::Utf8);

/// The weight of damaged places from which on they are evidence.
const ENOUGH: usize = 2;

/// The most bytes from which the likely views are found.
const SAMPLE: usize = 64 * 1024;

/// The most views whose edits are measured.
const MEASURED: usize = 6;

impl<'b> Comparer<'b> {
    pub(super) fn new(old: &'b [u8], new: &'b [u8]) -> Comparer<'b> {
        Comparer { old, new, document: Document::open(old) }
    }

    fn compare(&self) -> Comparison {
        let best = self.explain();
        let (damage, edits) = self.report(&best);
        Comparison { view: best.view, damage, edits }
    }

    /// Returns the best explanation.
    pub(super) fn explain(&self) -> Explanation {
        let codec = self.document.encodings().last().copied().unwrap_or(UTF8);
        let plain = DamageView { per_line: self.document.encodings().len() > 1, ..DamageView::plain(codec) };
        let mut best = self.explanation(plain);
        if best.cost == 0 || self.is_harmless(&best) {
            return best;
        }
        let mut tried: Vec<Explanation> = Vec::new();
        for view in self.likely() {
            tried.push(self.explanation(view));
        }
        let canonical = |view: DamageView| DamageView { canonical: true, ..view };
        let is_composed = |bytes: &[u8]| std::str::from_utf8(bytes).map_or(true, is_nfc);
        if !(is_composed(self.old) && is_composed(self.new)) {
            tried.push(self.explanation(canonical(plain)));
            let least = tried.iter().min_by_key(|one| one.cost).map(|one| one.view);
            tried.extend(least.filter(|view| !view.canonical).map(|view| self.explanation(canonical(view))));
        } else if self.document.encodings() != [UTF8] || utf8kit::validate(self.new).is_err() {
            let least = tried.iter().min_by_key(|one| one.cost).map(|one| one.view);
            tried.extend(least.map(|view| self.explanation(canonical(view))));
        }
        let mut rival: Option<Explanation> = None;
        for one in tried {
            if one.firm < ENOUGH || one.cost + penalty(one.view) >= best.cost + penalty(best.view) {
                let is_other = DamageView { canonical: best.view.canonical, ..one.view } != best.view;
                let equal = one.firm >= ENOUGH && one.cost == best.cost && best.view != plain && is_other;
                if equal && rival.is_none() {
                    rival = Some(one);
                }
                continue;
            }
            best = one;
            rival = None;
        }
        if let Some(rival) = rival {
            doubt(&mut best, &rival);
        }
        best
    }

    /// Reports whether an edit by itself cannot hide damage: all that it removes is ASCII, or it only adds.
    fn is_harmless(&self, plain: &Explanation) -> bool {
        let edits = || plain.steps.iter().filter(|step| step.class == Class::Edit);
        let is_wide = |codec: &Codec| matches!(codec, Codec::Native(native) if !native.is_ascii_compatible());
        if self.document.encodings().iter().any(|codec| is_wide(codec) || codec.is_stateful()) {
            return false;
        }
        let is_ascii = |step: &Step| self.old.get(step.old.clone()).is_some_and(<[u8]>::is_ascii);
        let is_text = |step: &Step| !self.new.get(step.new.clone()).unwrap_or_default().contains(&0);
        edits().all(|step| is_ascii(step) && is_text(step))
    }

    /// Returns the views that show many words of the old version as they are in the new one, the likeliest first.
    fn likely(&self) -> Vec<DamageView> {
        let (old, new) = self.sample();
        let new_codec = self.new_codec();
        let old_codecs = self.document.encodings();
        let signs = Signs {
            old_is_utf8: old_codecs == [UTF8],
            old: old_codecs.iter().copied().find(|codec| *codec != UTF8).unwrap_or(UTF8),
            is_mixed: old_codecs.len() > 1,
            new: Some(new_codec).filter(|codec| *codec != UTF8),
            has_replacements: memchr::memmem::find(self.new, "\u{FFFD}".as_bytes()).is_some(),
            has_questions: self.new.contains(&b'?'),
            beyond_ascii: !self.new.is_ascii(),
        };
        let mut words: HashMap<&'static str, HashSet<Vec<u32>>> = HashMap::new();
        let mut rated: Vec<(usize, usize, DamageView)> = Vec::new();
        for (order, view) in views(&signs).into_iter().enumerate() {
            let known = words.entry(view.write.name()).or_insert_with(|| {
                let mark = view.write.mark_in(&new);
                words_of(&DamageView::plain(view.write).pieces(&new, mark))
            });
            let mark = view.read.mark_in(&old);
            let shown = view.pieces(&old, mark);
            let mut score = 0;
            for (word, is_affected) in affected_words(&shown, &old) {
                score += if is_affected && known.contains(word) { word.len() + 1 } else { 0 };
            }
            rated.push((score, order, view));
        }
        let best = rated.iter().map(|(score, ..)| *score).max().unwrap_or_default();
        rated.sort_by_key(|&(score, order, _)| (std::cmp::Reverse(score), order));
        let small = self.old.len() + self.new.len() <= SAMPLE;
        let most = if best == 0 && small { usize::MAX } else { MEASURED };
        rated.into_iter().map(|(.., view)| view).take(most).collect()
    }

    /// Returns lines of the two versions that the other one lacks.
    fn sample(&self) -> (Vec<u8>, Vec<u8>) {
        fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
            bytes.split_inclusive(|&byte| byte == b'\n')
        }
        let of = |bytes: &[u8], other: &[u8], limit: usize| {
            let known: HashSet<&[u8]> = lines(other).collect();
            let mut sample = Vec::new();
            for line in lines(bytes).filter(|line| !known.contains(line)) {
                sample.extend_from_slice(line);
                if sample.len() >= limit {
                    break;
                }
            }
            sample
        };
        let is_wide = |bytes: &[u8]| bytes.iter().take(SAMPLE).any(|&byte| byte == 0);
        if self.old.len() + self.new.len() <= SAMPLE || is_wide(self.old) || is_wide(self.new) {
            let head = |bytes: &[u8]| bytes.get(..4 * SAMPLE).unwrap_or(bytes).to_vec();
            return (head(self.old), head(self.new));
        }
        (of(self.old, self.new, SAMPLE), of(self.new, self.old, 4 * SAMPLE))
    }

    /// Returns the encoding that the new version is in.
    fn new_codec(&self) -> Codec {
        let new = Document::open(self.new);
        let codecs = new.encodings();
        codecs.iter().copied().find(|codec| *codec != UTF8).filter(|_| codecs.len() == 1).unwrap_or(UTF8)
    }

    /// Explains the new version by a view of the old one.
    fn explanation(&self, view: DamageView) -> Explanation {
        let plain =
            DamageView { per_line: false, canonical: view.canonical, ..DamageView::plain(view.write) };
        let is_plain = view.read == view.write && view.errors.is_none() && view.lacking.is_none();
        let plain = if is_plain { DamageView { per_line: view.per_line, ..plain } } else { plain };
        let (old_mark, new_mark) = (self.old_mark(view), view.write.mark_in(self.new));
        let old = view.pieces(self.old, old_mark);
        let new = plain.pieces(self.new, new_mark);
        let mut builder =
            Builder { comparer: self, view, old: &old, new: &new, steps: Vec::new(), cost: 0, firm: 0 };
        builder.run();
        let Builder { mut steps, cost, firm, .. } = builder;
        let marks = Step { old: 0..old_mark, new: 0..new_mark, class: Class::Same };
        let class = self.class_of_marks(view, old_mark, new_mark);
        if old_mark + new_mark > 0 {
            steps.insert(0, Step { class, ..marks });
        }
        Explanation { view, steps, cost, firm, new_mark }
    }

    /// Returns the length of the old mark as a view reads it. Where an encoding lacks it, it is a character like others.
    fn old_mark(&self, view: DamageView) -> usize {
        let is_lost = view.lacking.is_some() && view.write.mark().is_none() && self.new.starts_with(b"?");
        if is_lost { 0 } else { view.read.mark_in(self.old) }
    }

    fn class_of_marks(&self, view: DamageView, old: usize, new: usize) -> Class {
        let same = self.old.get(..old) == self.new.get(..new);
        let is_wide = |codec: Codec| matches!(codec, Codec::Native(native) if !native.is_ascii_compatible());
        if same {
            Class::Same
        } else if view.read != view.write && (is_wide(view.read) && old > 0 || is_wide(view.write) && new > 0)
        {
            Class::Damaged(DamageKind::Recoded, false)
        } else {
            Class::Damaged(DamageKind::ByteOrderMark, false)
        }
    }

    /// Returns the damage and the edits of an explanation.
    fn report(&self, explanation: &Explanation) -> (Vec<Damage>, Vec<Change>) {
        let (mut damage, mut edits): (Vec<Damage>, Vec<Change>) = (Vec::new(), Vec::new());
        let mut places = Places::new(self.new, explanation);
        for step in &explanation.steps {
            match step.class {
                Class::Same => {}
                Class::Edit => match edits.last_mut() {
                    Some(last) if last.old.end == step.old.start && last.new.end == step.new.start => {
                        (last.old.end, last.new.end) = (step.old.end, step.new.end);
                    }
                    _ => edits.push(Change { old: step.old.clone(), new: step.new.clone() }),
                },
                Class::Damaged(kind, doubtful) => {
                    let (line, column) = places.of(step.new.start);
                    let one =
                        Damage { kind, old: step.old.clone(), new: step.new.clone(), line, column, doubtful };
                    match damage.last_mut() {
                        Some(last) if joins(last, &one) => {
                            (last.old.end, last.new.end) = (one.old.end, one.new.end);
                            if one.kind == DamageKind::Doubled {
                                last.kind = DamageKind::Doubled;
                            }
                        }
                        _ => damage.push(one),
                    }
                }
            }
        }
        (damage, edits)
    }
}

/// Reports whether two damaged places are one.
fn joins(last: &Damage, one: &Damage) -> bool {
    let touch =
        last.old.end == one.old.start && last.new.end == one.new.start && last.doubtful == one.doubtful;
    let doubled = [last.kind, one.kind].contains(&DamageKind::Doubled)
        && [last.kind, one.kind]
            .iter()
            .all(|kind| matches!(kind, DamageKind::Doubled | DamageKind::Replaced));
    touch && (last.kind == one.kind && one.kind != DamageKind::LineEnds || doubled)
}

/// What a view costs before it explains anything: the usual ones are preferred.
fn penalty(view: DamageView) -> usize {
    usize::from(view.is_weak()) + usize::from(view.twice) + usize::from(view.canonical)
}

/// Doubts what two equally good explanations do not agree on.
fn doubt(best: &mut Explanation, rival: &Explanation) {
    let (known, others) = (runs(best), runs(rival));
    let others: HashSet<_> = others.into_iter().collect();
    let disputed: Vec<_> = known.into_iter().filter(|run| !others.contains(run)).collect();
    for step in &mut best.steps {
        if let Class::Damaged(kind @ (DamageKind::Replaced | DamageKind::Removed), false) = step.class {
            let next = disputed.partition_point(|(_, old_end, _, new_end)| {
                *old_end < step.old.end || *new_end < step.new.end
            });
            let within = disputed
                .get(next)
                .is_some_and(|(old, _, new, _)| *old <= step.old.start && *new <= step.new.start);
            if within {
                step.class = Class::Damaged(kind, true);
            }
        }
    }
}

/// Returns the runs of adjacent damaged places: where they begin and end in the old version, and in the new one.
fn runs(explanation: &Explanation) -> Vec<(usize, usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize, usize)> = Vec::new();
    for step in explanation.steps.iter().filter(|step| matches!(step.class, Class::Damaged(..))) {
        match runs.last_mut() {
            Some(last) if last.1 == step.old.start && last.3 == step.new.start => {
                (last.1, last.3) = (step.old.end, step.new.end);
            }
            _ => runs.push((step.old.start, step.old.end, step.new.start, step.new.end)),
        }
    }
    runs
}

fn words_of(pieces: &Pieces) -> HashSet<Vec<u32>> {
    pieces
        .tokens
        .split(|&token| is_space(token))
        .filter(|word| !word.is_empty())
        .map(<[u32]>::to_vec)
        .collect()
}

/// Returns the words that a view shows, and whether they are anything but ASCII that is its own bytes.
fn affected_words<'p>(pieces: &'p Pieces, bytes: &[u8]) -> Vec<(&'p [u32], bool)> {
    let mut words = Vec::new();
    let (mut start, mut affected) = (0, false);
    for piece in 0..pieces.len() {
        let range = pieces.tokens_of(piece);
        let tokens = pieces.tokens.get(range.clone()).unwrap_or_default();
        if tokens.iter().any(|&token| is_space(token)) {
            words.push((pieces.tokens.get(start..range.start).unwrap_or_default(), affected));
            (start, affected) = (range.end, false);
        } else {
            affected |= !bytes.get(pieces.bytes(piece)).is_some_and(<[u8]>::is_ascii)
                || tokens.iter().any(|&token| token > 0x7F);
        }
    }
    words.push((pieces.tokens.get(start..).unwrap_or_default(), affected));
    words.retain(|(word, _)| !word.is_empty());
    words
}

fn is_space(token: u32) -> bool {
    matches!(token, 0x09 | 0x0A | 0x0D | 0x20)
}

/// Collects the steps of an explanation.
struct Builder<'c, 'b> {
    comparer: &'c Comparer<'b>,
    view: DamageView,
    old: &'c Pieces,
    new: &'c Pieces,
    steps: Vec<Step>,
    cost: usize,
    firm: usize,
}

impl Builder<'_, '_> {
    fn run(&mut self) {
        let (old, new) = (Lines::of(&self.old.tokens), Lines::of(&self.new.tokens));
        let (old_owners, new_owners) = (self.old.owners(), self.new.owners());
        let old_starts = line_starts(&old, &old_owners, self.old.len());
        let new_starts = line_starts(&new, &new_owners, self.new.len());
        let (old_bytes, new_bytes) = (self.comparer.old, self.comparer.new);
        let line_of = |pieces: &Pieces, starts: &[usize], line: usize| {
            let at = |line: usize| starts.get(line).copied().unwrap_or_default();
            pieces.bytes(at(line)).start..pieces.starts.get(at(line + 1)).map_or(0, |start| start.0 as usize)
        };
        let old_raw =
            |line: usize| trimmed(old_bytes.get(line_of(self.old, &old_starts, line)).unwrap_or_default());
        let new_raw =
            |line: usize| trimmed(new_bytes.get(line_of(self.new, &new_starts, line)).unwrap_or_default());
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        if !self.view.is_weak() {
            (0..old.len()).for_each(|line| {
                known.entry(old_raw(line)).or_insert(line);
            });
        }
        let stretches = align_lines(&old, &new, |line| known.get(new_raw(line)).copied());
        let alike = lookalikes(&old, old_raw);
        let mut counts: HashMap<&[u32], isize> = HashMap::new();
        (0..old.len()).for_each(|line| *counts.entry(old.line(line)).or_default() += 1);
        (0..new.len()).for_each(|line| *counts.entry(new.line(line)).or_default() -= 1);
        for Stretch { old: old_lines, new: new_lines, same } in stretches {
            let old_pieces = at(&old_starts, old_lines.start)..at(&old_starts, old_lines.end);
            let new_pieces = at(&new_starts, new_lines.start)..at(&new_starts, new_lines.end);
            if !same {
                let tokens = (old.range(old_lines), new.range(new_lines));
                self.changed(old_pieces, new_pieces, tokens, (&old_owners, &new_owners));
                continue;
            }
            for (old_line, new_line) in old_lines.zip(new_lines) {
                let doubtful =
                    alike.get(old_line) == Some(&true) && counts.get(old.line(old_line)) != Some(&0);
                let old_pieces = at(&old_starts, old_line)..at(&old_starts, old_line + 1);
                let new_pieces = at(&new_starts, new_line)..at(&new_starts, new_line + 1);
                if old_raw(old_line) == new_raw(new_line) {
                    self.unchanged(old_pieces, new_pieces);
                } else {
                    let tokens = (old.range(old_line..old_line + 1), new.range(new_line..new_line + 1));
                    let whole = (0..tokens.0.len() as u32).map(Some).collect();
                    let aligned = Aligned { new_of: whole, extremes: None };
                    self.aligned(old_pieces, new_pieces, tokens, &new_owners, &aligned, doubtful);
                }
            }
        }
    }

    /// Adds a line that has the same bytes, apart perhaps from its end.
    fn unchanged(&mut self, old: Range<usize>, new: Range<usize>) {
        let (old_bytes, new_bytes) = (self.span(self.old, &old), self.span(self.new, &new));
        let (a, b) = (self.comparer.old.get(old_bytes.clone()), self.comparer.new.get(new_bytes.clone()));
        let len = trimmed(a.unwrap_or_default()).len();
        let (old_end, new_end) = (old_bytes.start + len, new_bytes.start + len);
        self.push(old_bytes.start..old_end, new_bytes.start..new_end, Class::Same);
        if a == b {
            self.push(old_end..old_bytes.end, new_end..new_bytes.end, Class::Same);
        } else if old_end == old_bytes.end || new_end == new_bytes.end {
            // The last line lost its end, or got one.
            self.cost += old_bytes.end - old_end + new_bytes.end - new_end;
            self.push(old_end..old_bytes.end, new_end..new_bytes.end, Class::Edit);
        } else {
            self.firm += ENOUGH;
            let class = Class::Damaged(DamageKind::LineEnds, false);
            self.push(old_end..old_bytes.end, new_end..new_bytes.end, class);
        }
    }

    /// Adds lines that were changed.
    fn changed(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        tokens: (Range<usize>, Range<usize>),
        owners: (&[u32], &[u32]),
    ) {
        let aligned = align(
            self.old.tokens.get(tokens.0.clone()).unwrap_or_default(),
            self.new.tokens.get(tokens.1.clone()).unwrap_or_default(),
        );
        self.aligned(old, new, tokens, owners.1, &aligned, false);
    }

    /// Adds the pieces of stretches whose tokens are aligned.
    fn aligned(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        tokens: (Range<usize>, Range<usize>),
        new_owners: &[u32],
        aligned: &Aligned,
        doubtful: bool,
    ) {
        let matched = self.matched(&old, &tokens, new_owners, aligned);
        let mut at = new.start;
        for (index, piece) in old.clone().enumerate() {
            let Some(found) = matched.get(index).cloned().flatten() else {
                self.edit(piece..piece + 1, at..at);
                continue;
            };
            // New pieces before it were added.
            self.edit(piece..piece, at..found.start.max(at));
            at = found.end.max(at);
            let certain = !doubtful && self.is_certain(piece, index, &old, &tokens, aligned, &matched);
            self.matched_piece(piece, found, certain);
        }
        self.edit(old.end..old.end, at..new.end);
    }

    /// Returns the new pieces of each old piece: those of all its tokens, if they are whole.
    fn matched(
        &self,
        old: &Range<usize>,
        tokens: &(Range<usize>, Range<usize>),
        new_owners: &[u32],
        aligned: &Aligned,
    ) -> Vec<Option<Range<usize>>> {
        let owner = |token: u32| new_owners.get(tokens.1.start + token as usize).map(|&owner| owner as usize);
        let mut matched: Vec<Option<Range<usize>>> = Vec::with_capacity(old.len());
        for piece in old.clone() {
            let own = self.old.tokens_of(piece);
            let of = |token: usize| aligned.new_of.get(token - tokens.0.start).copied().flatten();
            let found = || {
                let (first, last) = (of(own.start)?, of(own.end.checked_sub(1)?)?);
                let is_run =
                    own.clone().enumerate().all(|(index, token)| of(token) == Some(first + index as u32));
                let pieces = owner(first)?..owner(last)? + 1;
                let covers = self.new.tokens_of(pieces.start).start == tokens.1.start + first as usize
                    && self.new.tokens_of(pieces.end - 1).end == tokens.1.start + last as usize + 1;
                (is_run && covers).then_some(pieces)
            };
            matched.push(if own.is_empty() { None } else { found() });
        }
        // What became nothing is matched between neighbours that are still neighbours.
        let mut index = 0;
        while index < matched.len() {
            let run = matched.get(index..).unwrap_or_default().iter().enumerate();
            let run = run
                .take_while(|(offset, found)| found.is_none() && self.is_dropped(old.start + index + offset))
                .count();
            if run == 0 {
                index += 1;
                continue;
            }
            let before = match index.checked_sub(1) {
                Some(before) => matched.get(before).cloned().flatten().map(|found| found.end),
                None => tokens_start(new_owners, tokens),
            };
            let after = match matched.get(index + run) {
                Some(after) => after.clone().map(|found| found.start),
                None => tokens_end(new_owners, tokens),
            };
            if let (Some(before), Some(after)) = (before, after)
                && before == after
            {
                for place in matched.get_mut(index..index + run).unwrap_or_default() {
                    *place = Some(before..before);
                }
            }
            index += run;
        }
        matched
    }

    fn is_dropped(&self, piece: usize) -> bool {
        self.old.tokens_of(piece).is_empty() && self.old.lost.get(piece) == Some(&true)
    }

    /// Reports whether a piece that lost what it was can be no other piece that looks the same.
    fn is_certain(
        &self,
        piece: usize,
        index: usize,
        old: &Range<usize>,
        tokens: &(Range<usize>, Range<usize>),
        aligned: &Aligned,
        matched: &[Option<Range<usize>>],
    ) -> bool {
        let Some(extremes) = &aligned.extremes else { return true };
        if self.old.lost.get(piece) != Some(&true) {
            return true;
        }
        let own = self.old.tokens_of(piece);
        if own.is_empty() {
            // The neighbour before it, or the one behind it, is where it is in every alignment.
            let is_fixed = |token: Option<usize>| {
                let place =
                    |new_of: &Vec<Option<u32>>| token.and_then(|token| new_of.get(token).copied().flatten());
                token.is_some() && place(&extremes[0]) == place(&extremes[1]) && place(&extremes[0]).is_some()
            };
            let before = own.start.checked_sub(tokens.0.start + 1);
            let behind = (own.start < tokens.0.end).then(|| own.start - tokens.0.start);
            let _ = (index, matched);
            return match (before, behind) {
                (None, _) | (_, None) => true,
                (before, behind) => is_fixed(before) && is_fixed(behind),
            };
        }
        let bytes = |piece: usize| self.comparer.old.get(self.old.bytes(piece));
        own.clone().all(|token| {
            let offset = token - tokens.0.start;
            let Some(new) = aligned.new_of.get(offset).copied().flatten() else { return false };
            extremes.iter().all(|extreme| {
                // The token of the old version that is this one there.
                let rival = extreme.iter().position(|found| *found == Some(new));
                let rival = rival.and_then(|offset| self.piece_of(old, tokens.0.start + offset));
                rival.is_some_and(|rival| bytes(rival) == bytes(piece))
            })
        })
    }

    fn piece_of(&self, old: &Range<usize>, token: usize) -> Option<usize> {
        let starts = self.old.starts.get(old.clone())?;
        let within = starts.partition_point(|start| start.1 as usize <= token);
        (old.start + within).checked_sub(1)
    }

    /// Adds a piece that is matched with new pieces.
    fn matched_piece(&mut self, piece: usize, found: Range<usize>, certain: bool) {
        let (old, new) = (self.old.bytes(piece), self.span(self.new, &found));
        let (a, b) = (self.comparer.old.get(old.clone()), self.comparer.new.get(new.clone()));
        if a == b {
            self.push(old, new, Class::Same);
            return;
        }
        let kind = self.kind(piece, &old, &new);
        self.firm += self.weight(piece, kind, &old);
        self.push(old, new, Class::Damaged(kind, !certain));
    }

    /// Returns the weight of a damaged piece as evidence for the view.
    fn weight(&self, piece: usize, kind: DamageKind, old: &Range<usize>) -> usize {
        if kind != DamageKind::Removed {
            return ENOUGH;
        }
        // A word or a symbol that is gone was perhaps deleted; a single letter of a word, hardly.
        let text = utf8kit::validate(self.comparer.old.get(old.clone()).unwrap_or_default());
        let is_letter = text.is_ok_and(|text| text.chars().all(char::is_alphabetic));
        let letter = |token: Option<&u32>| {
            token.and_then(|&token| char::from_u32(token)).is_some_and(|scalar| scalar.is_ascii_alphabetic())
        };
        let at = self.old.tokens_of(piece).start;
        let tokens = &self.old.tokens;
        let in_word = letter(at.checked_sub(1).and_then(|at| tokens.get(at))) || letter(tokens.get(at));
        let continues = piece.checked_sub(1).is_some_and(|before| self.is_dropped(before));
        match text.is_err() || is_letter && in_word {
            true => ENOUGH,
            false => usize::from(!continues),
        }
    }

    fn kind(&self, piece: usize, old: &Range<usize>, new: &Range<usize>) -> DamageKind {
        let tokens = self.old.tokens.get(self.old.tokens_of(piece)).unwrap_or_default();
        if self.old.lost.get(piece) == Some(&true) {
            return if tokens.is_empty() { DamageKind::Removed } else { DamageKind::Replaced };
        }
        if tokens == [u32::from('\n')]
            && self.line_end(old, self.view.read, self.comparer.old)
                != self.line_end(new, self.view.write, self.comparer.new)
        {
            return DamageKind::LineEnds;
        }
        let read = if self.view.per_line { UTF8 } else { self.view.read };
        let is_utf8 = self.comparer.document.encodings() == [UTF8];
        if is_utf8 && read != UTF8 && self.view.write == UTF8 {
            DamageKind::Doubled
        } else if self.view.canonical && self.view.read == self.view.write {
            DamageKind::Normalized
        } else {
            DamageKind::Recoded
        }
    }

    /// Reports whether a line end is CR LF.
    fn line_end(&self, range: &Range<usize>, codec: Codec, bytes: &[u8]) -> bool {
        let mut text = String::new();
        let bytes = bytes.get(range.clone()).unwrap_or_default();
        codec.step(crate::charset::step::Shift::Neutral, bytes, &mut text);
        text == "\r"
    }

    /// Adds a change.
    fn edit(&mut self, old: Range<usize>, new: Range<usize>) {
        let (old_bytes, new_bytes) = (self.span(self.old, &old), self.span(self.new, &new));
        self.cost += old_bytes.len() + new_bytes.len();
        let view = self.view;
        let loses =
            |lost: Lost| [view.errors, view.lacking].into_iter().flatten().any(|(what, _)| what == lost);
        // What was added and lost something itself cannot be restored.
        for piece in new {
            let range = self.new.bytes(piece);
            let tokens = self.new.tokens.get(self.new.tokens_of(piece)).unwrap_or_default();
            if loses(Lost::Nothing) {
                let class = Class::Damaged(DamageKind::Removed, true);
                self.push(old_bytes.start..old_bytes.start, range, class);
                continue;
            }
            let is_lost = tokens == [u32::from(char::REPLACEMENT_CHARACTER)] && loses(Lost::Replacement)
                || tokens == [u32::from('?')] && loses(Lost::Question);
            let class = if is_lost { Class::Damaged(DamageKind::Replaced, true) } else { Class::Edit };
            self.push(old_bytes.start..old_bytes.start, range, class);
        }
        for piece in old {
            let range = self.old.bytes(piece);
            let is_doubtful = self.is_dropped(piece) && !self.old.bytes(piece).is_empty();
            let class = if is_doubtful { Class::Damaged(DamageKind::Removed, true) } else { Class::Edit };
            self.push(range, new_bytes.end..new_bytes.end, class);
        }
    }

    fn push(&mut self, old: Range<usize>, new: Range<usize>, class: Class) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        match self.steps.last_mut() {
            Some(last)
                if last.class == class
                    && !matches!(class, Class::Damaged(..))
                    && last.old.end == old.start
                    && last.new.end == new.start =>
            {
                (last.old.end, last.new.end) = (old.end, new.end);
            }
            _ => self.steps.push(Step { old, new, class }),
        }
    }

    /// Returns the bytes of some pieces.
    fn span(&self, pieces: &Pieces, range: &Range<usize>) -> Range<usize> {
        let at = |piece: usize| pieces.starts.get(piece).map_or(0, |start| start.0 as usize);
        at(range.start)..at(range.end)
    }
}

fn at(starts: &[usize], line: usize) -> usize {
    starts.get(line).copied().unwrap_or_default()
}

/// Returns the piece before which a stretch begins.
fn tokens_start(new_owners: &[u32], tokens: &(Range<usize>, Range<usize>)) -> Option<usize> {
    let before = tokens.1.start.checked_sub(1);
    Some(before.and_then(|before| new_owners.get(before)).map_or(0, |&owner| owner as usize + 1))
}

/// Returns the piece before which a stretch ends.
fn tokens_end(new_owners: &[u32], tokens: &(Range<usize>, Range<usize>)) -> Option<usize> {
    let last = tokens.1.end.checked_sub(1);
    Some(last.and_then(|last| new_owners.get(last)).map_or(0, |&owner| owner as usize + 1))
}

/// Returns the piece with which each line begins, and the number of pieces. Pieces without tokens belong to the line
/// before them.
fn line_starts(lines: &Lines<'_>, owners: &[u32], pieces: usize) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..lines.len())
        .map(|line| {
            let first = lines.range(line..line + 1).start;
            first.checked_sub(1).and_then(|before| owners.get(before)).map_or(0, |&owner| owner as usize + 1)
        })
        .collect();
    starts.push(pieces);
    starts
}

/// Returns a line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Finds lines and columns of ascending places.
struct Places<'b> {
    new: &'b [u8],
    codec: Codec,
    at: usize,
    line: usize,
    column: usize,
}

impl<'b> Places<'b> {
    fn new(new: &'b [u8], explanation: &Explanation) -> Places<'b> {
        Places { new, codec: explanation.view.write, at: explanation.new_mark, line: 1, column: 1 }
    }

    fn of(&mut self, offset: usize) -> (usize, usize) {
        let mut text = String::new();
        let mut shift = crate::charset::step::Shift::Neutral;
        while self.at < offset {
            text.clear();
            let Some(step) = self.codec.step(shift, self.new.get(self.at..).unwrap_or_default(), &mut text)
            else {
                break;
            };
            shift = step.shift;
            self.at += step.len;
            for scalar in text.chars() {
                (self.line, self.column) =
                    if scalar == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
            }
        }
        (self.line, self.column)
    }
}
