//! An old version and a new one, piece by piece: what is the same, what was damaged, what was edited.

use std::cell::Cell;
use std::ops::Range;

use foldhash::HashMap;
use utf8kit_encodings::charset::Codec;

use crate::compare::alignment::{Aligned, align};
use crate::compare::damage::DamageKind;
use crate::compare::explanation::Doubt;
use crate::compare::lines::{Lines, Region, align_lines};
use crate::compare::pieces::{FIRST_TOKEN_OF_BYTES, Pieces};
use crate::compare::substitutes::Substitute;
use crate::compare::view::DamageView;

/// A piece of the old version and its place in the new one, or a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
    pub(crate) class: Class,
}

impl Step {
    /// Reports whether it is damage to text.
    pub(super) fn damages_text(&self) -> bool {
        matches!(self.class, Class::Damaged(kind, _) if kind.is_of_text())
    }

    /// Reports whether it certainly is damage to text.
    pub(super) fn certainly_damages_text(&self) -> bool {
        matches!(self.class, Class::Damaged(kind, None) if kind.is_of_text())
    }
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Same,
    /// Of which kind, and the reason against putting the old bytes back.
    Damaged(DamageKind, Option<Doubt>),
    Edit,
}

/// Collects the steps of an explanation.
pub(super) struct Builder<'c> {
    pub(super) versions: Versions<'c>,
    pub(super) view: DamageView,
    /// The old version as the view shows it.
    pub(super) old: &'c Pieces,
    /// The new version as it is.
    pub(super) new: &'c Pieces,
    pub(super) steps: Vec<Step>,
    pub(super) cost: usize,
    pub(super) firm: usize,
    /// How many places may still be compared with others: see [`MAX_PLACES_COMPARED`].
    pub(super) effort: Cell<usize>,
    /// How many pairs of tokens may still be examined for all alignments.
    pub(super) pairs: Cell<usize>,
}

/// The bytes of two versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Versions<'c> {
    pub(super) old: &'c [u8],
    pub(super) new: &'c [u8],
    /// The length of the byte order mark of the old version.
    pub(super) mark: usize,
    /// The encoding of the old version, or of its lines that are not UTF-8.
    pub(super) codec: Codec,
    /// Whether all of the old version is UTF-8.
    pub(super) old_is_utf8: bool,
    /// Whether lines of both versions end in different ways, so that one that ends otherwise may be another line.
    pub(super) ends_differ: bool,
}

/// A region of both versions whose tokens are aligned.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The pieces of the old version.
    pub(super) old: &'a Range<usize>,
    /// The tokens of the old version and of the new one.
    pub(super) tokens: &'a (Range<usize>, Range<usize>),
    pub(super) aligned: &'a Aligned,
    /// Whether each token of the old version is in a line that changed so much that it may be a different line.
    pub(super) unexpected: &'a [bool],
}

impl Builder<'_> {
    pub(super) fn run(&mut self) {
        let (old, new) = (Lines::of(&self.old.tokens), Lines::of(&self.new.tokens));
        let (old_owners, new_owners) = (self.old.owners(), self.new.owners());
        let old_starts = line_starts(&old, &old_owners, self.old.len());
        let new_starts = line_starts(&new, &new_owners, self.new.len());
        let (old_bytes, new_bytes) = (self.versions.old, self.versions.new);
        let line_of = |pieces: &Pieces, starts: &[usize], line: usize| {
            let at = |line: usize| starts.get(line).copied().unwrap_or_default();
            pieces.bytes(at(line)).start..pieces.starts.get(at(line + 1)).map_or(0, |start| start.0 as usize)
        };
        let old_raw = |line: usize| trimmed(old_bytes.get(line_of(self.old, &old_starts, line)).unwrap_or_default());
        let new_raw = |line: usize| trimmed(new_bytes.get(line_of(self.new, &new_starts, line)).unwrap_or_default());
        let mut known: HashMap<&[u8], usize> = HashMap::default();
        if !self.view.is_weak() {
            (0..old.len()).for_each(|line| {
                known.entry(old_raw(line)).or_insert(line);
            });
        }
        let regions = align_lines(&old, &new, |line| known.get(new_raw(line)).copied());
        for Region { old: old_lines, new: new_lines, same } in regions {
            let old_pieces = at(&old_starts, old_lines.start)..at(&old_starts, old_lines.end);
            let new_pieces = at(&new_starts, new_lines.start)..at(&new_starts, new_lines.end);
            if !same {
                let tokens = (old.range(old_lines), new.range(new_lines));
                self.changed(old_pieces, new_pieces, tokens, &new_owners);
                continue;
            }
            for (old_line, new_line) in old_lines.zip(new_lines) {
                let old_pieces = at(&old_starts, old_line)..at(&old_starts, old_line + 1);
                let new_pieces = at(&new_starts, new_line)..at(&new_starts, new_line + 1);
                if old_raw(old_line) == new_raw(new_line) {
                    self.unchanged(old_pieces, new_pieces);
                } else {
                    let tokens = (old.range(old_line..old_line + 1), new.range(new_line..new_line + 1));
                    // Apart perhaps from the end of the last line.
                    let len = tokens.1.len() as u32;
                    let whole = (0..tokens.0.len() as u32).map(|at| Some(at).filter(|at| *at < len)).collect();
                    let aligned = Aligned { new_of: whole, ..Aligned::default() };
                    self.aligned(old_pieces, new_pieces, tokens, &new_owners, &aligned);
                }
            }
        }
    }

    /// Adds a line that has the same bytes, apart perhaps from its end.
    fn unchanged(&mut self, old: Range<usize>, new: Range<usize>) {
        let (old_bytes, new_bytes) = (self.span(self.old, &old), self.span(self.new, &new));
        let (a, b) = (self.versions.old.get(old_bytes.clone()), self.versions.new.get(new_bytes.clone()));
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
            let class = Class::Damaged(DamageKind::LineEnds, self.versions.ends_differ.then_some(Doubt::Edit));
            self.push(old_end..old_bytes.end, new_end..new_bytes.end, class);
        }
    }

    /// Adds lines that were changed.
    fn changed(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        tokens: (Range<usize>, Range<usize>),
        new_owners: &[u32],
    ) {
        let old_tokens = self.old.tokens.get(tokens.0.clone()).unwrap_or_default();
        let new_tokens = self.new.tokens.get(tokens.1.clone()).unwrap_or_default();
        let aligned = align(old_tokens, new_tokens, &self.pairs);
        self.aligned(old, new, tokens, new_owners, &aligned);
    }

    /// Adds the pieces of regions whose tokens are aligned.
    fn aligned(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
        tokens: (Range<usize>, Range<usize>),
        new_owners: &[u32],
        aligned: &Aligned,
    ) {
        let is_one = self.view.is_plain() && !self.view.per_line;
        let unexpected = if is_one { Vec::new() } else { self.unexpected(&tokens, aligned) };
        let place = Place { old: &old, tokens: &tokens, aligned, unexpected: &unexpected };
        let matched = self.matched(&place, new_owners);
        let mut at = new.start;
        for (index, piece) in old.clone().enumerate() {
            let Some(found) = matched.get(index).cloned().flatten() else {
                if self.is_dropped(piece) && self.is_removed(piece, &place) {
                    let (old, new) = (self.old.bytes(piece), self.span(self.new, &(at..at)));
                    self.cost += old.len();
                    self.push(old, new, Class::Edit);
                } else {
                    self.edit(piece..piece + 1, at..at);
                }
                continue;
            };
            // New pieces before it were added.
            self.edit(piece..piece, at..found.start.max(at));
            at = found.end.max(at);
            if self.view.is_plain() && self.is_unexpected(piece, &place) && self.is_recoded(piece, &found) {
                self.edit(piece..piece + 1, found);
                continue;
            }
            let anchored = self.is_anchored(piece, &place);
            let is_known = anchored || self.old.lost.get(piece) != Some(&true);
            let certain = is_known && self.is_certain(piece, &place);
            // Matches by coincidence are not evidence.
            let is_evidence = anchored && !self.is_unexpected(piece, &place) && !self.was_dropped_line(piece, &place);
            self.matched_piece(piece, found, certain, is_evidence);
        }
        self.edit(old.end..old.end, at..new.end);
    }

    /// Returns the new pieces of each old piece, if the pieces of all its tokens are whole.
    fn matched(&self, place: &Place<'_>, new_owners: &[u32]) -> Vec<Option<Range<usize>>> {
        let Place { old, tokens, aligned, .. } = *place;
        let owner = |token: u32| new_owners.get(tokens.1.start + token as usize).map(|&owner| owner as usize);
        let mut matched: Vec<Option<Range<usize>>> = Vec::with_capacity(old.len());
        for piece in old.clone() {
            let own = self.old.tokens_of(piece);
            let of = |token: usize| aligned.new_of.get(token - tokens.0.start).copied().flatten();
            let found = || {
                let (first, last) = (of(own.start)?, of(own.end.checked_sub(1)?)?);
                let is_run = own.clone().enumerate().all(|(index, token)| of(token) == Some(first + index as u32));
                let pieces = owner(first)?..owner(last)? + 1;
                let covers = self.new.tokens_of(pieces.start).start == tokens.1.start + first as usize
                    && self.new.tokens_of(pieces.end - 1).end == tokens.1.start + last as usize + 1;
                (is_run && covers).then_some(pieces)
            };
            matched.push(if own.is_empty() { None } else { found() });
        }
        self.match_dropped(&mut matched, place, new_owners);
        matched
    }

    /// Returns the piece that a token belongs to.
    pub(super) fn piece_of(&self, old: &Range<usize>, token: usize) -> Option<usize> {
        let starts = self.old.starts.get(old.clone())?;
        let within = starts.partition_point(|start| start.1 as usize <= token);
        (old.start + within).checked_sub(1)
    }

    /// Adds a piece that is matched with new pieces.
    fn matched_piece(&mut self, piece: usize, found: Range<usize>, certain: bool, is_evidence: bool) {
        let (old, new) = (self.old.bytes(piece), self.span(self.new, &found));
        let (a, b) = (self.versions.old.get(old.clone()), self.versions.new.get(new.clone()));
        if a == b {
            // A question mark that stayed, or one that another character became.
            let class =
                if certain { Class::Same } else { Class::Damaged(DamageKind::Replaced, Some(Doubt::Alignment)) };
            self.push(old, new, class);
            return;
        }
        if self.view.is_plain() && self.view.read.is_stateful() {
            // The same character in another state.
            self.push(old.clone(), new.start..new.start, Class::Edit);
            self.push(old.end..old.end, new, Class::Edit);
            return;
        }
        let kind = self.kind(piece, &old, &new);
        self.firm += if is_evidence { self.weight(piece, kind, &old, certain) } else { 0 };
        let certain = certain && !(kind == DamageKind::LineEnds && self.versions.ends_differ);
        self.push(old, new, Class::Damaged(kind, (!certain).then_some(Doubt::Alignment)));
    }

    /// Reports whether a piece is the same text in another encoding.
    fn is_recoded(&self, piece: usize, found: &Range<usize>) -> bool {
        let (old, new) = (self.old.bytes(piece), self.span(self.new, found));
        self.versions.old.get(old.clone()) != self.versions.new.get(new.clone())
            && self.kind(piece, &old, &new) == DamageKind::Recoded
    }

    /// Adds a change.
    fn edit(&mut self, old: Range<usize>, new: Range<usize>) {
        let (old_bytes, new_bytes) = (self.span(self.old, &old), self.span(self.new, &new));
        self.cost += old_bytes.len() + new_bytes.len();
        // Added text that itself lost something cannot be restored.
        for piece in new {
            let range = self.new.bytes(piece);
            let tokens = self.new.tokens.get(self.new.tokens_of(piece)).unwrap_or_default();
            // A person does not add bytes that are invalid in the encoding of the new version.
            self.cost += tokens.iter().filter(|&&token| token >= FIRST_TOKEN_OF_BYTES).count();
            if self.loses(Substitute::Nothing) {
                let class = Class::Damaged(DamageKind::Removed, Some(Doubt::Addition));
                self.push(old_bytes.start..old_bytes.start, range, class);
                continue;
            }
            let is_lost = matches!(tokens, &[token] if self.is_sign_token(token));
            let class = if is_lost { Class::Damaged(DamageKind::Replaced, Some(Doubt::Addition)) } else { Class::Edit };
            self.push(old_bytes.start..old_bytes.start, range, class);
        }
        for piece in old {
            let range = self.old.bytes(piece);
            let is_doubtful = self.is_dropped(piece) && !self.old.bytes(piece).is_empty();
            let class = if is_doubtful { Class::Damaged(DamageKind::Removed, Some(Doubt::Edit)) } else { Class::Edit };
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
pub(super) fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
