//! Decides whether a piece of the old version is certainly the one at its place in the new version: no other piece
//! looks the same there, and its surroundings stayed.

use std::ops::Range;

use foldhash::HashMap;

use crate::compare::alignment::{Aligned, Others};
use crate::compare::limits::{MAX_LETTERS_OF_COINCIDENCE, MAX_SIGNS_AROUND_PIECE, TOKENS_AROUND_PIECE};
use crate::compare::script::{Builder, Place};

/// How a word continues next to one of its letters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// With letters that stayed.
    Letters,
    /// It ends, in both versions.
    End,
    /// With other letters than before.
    Open,
}

impl Builder<'_> {
    /// Returns whether each token of a region of the old version is in a line that differs too much from its new line:
    /// less than two thirds of the letters and signs of the shorter one are in both. If only signs of a loss are left
    /// of the old line, the new one has more than two letters for each of them.
    pub(super) fn unexpected(&self, tokens: &(Range<usize>, Range<usize>), aligned: &Aligned) -> Vec<bool> {
        let [old, new] = [(&self.old.tokens, &tokens.0), (&self.new.tokens, &tokens.1)]
            .map(|(all, range)| all.get(range.clone()).unwrap_or_default());
        let is_blank = |token: u32| matches!(token, 0 | 0x09 | 0x0A | 0x0D | 0x20);
        let is_counted = |token: u32| !is_blank(token) && !self.is_sign_token(token);
        let feed = u32::from('\n');
        let new_lines: Vec<&[u32]> = new.split_inclusive(|&token| token == feed).collect();
        let counts: Vec<usize> =
            new_lines.iter().map(|line| line.iter().filter(|&&token| is_counted(token)).count()).collect();
        let lines = new_lines.iter().enumerate();
        let line_of: Vec<usize> = lines.flat_map(|(index, line)| std::iter::repeat_n(index, line.len())).collect();
        let mut unexpected = Vec::with_capacity(old.len());
        for line in old.split_inclusive(|&token| token == feed) {
            let at = unexpected.len();
            let of = |index: usize| aligned.new_of.get(at + index).copied().flatten().map(|new| new as usize);
            let line_at = |new: usize| line_of.get(new).copied().unwrap_or_default();
            let all = (0..line.len()).filter(|&index| is_counted(line[index])).count();
            // A line that was moved in part has tokens in several new ones: signs and others.
            let mut stayed: HashMap<usize, [usize; 2]> = HashMap::default();
            for index in (0..line.len()).filter(|&index| !is_blank(line[index])) {
                if let Some(new) = of(index) {
                    stayed.entry(line_at(new)).or_default()[usize::from(is_counted(line[index]))] += 1;
                }
            }
            // A deleted token belongs to the line of the last token before it that stayed.
            let mut last = (0..line.len()).find_map(of);
            unexpected.extend((0..line.len()).map(|index| {
                last = of(index).or(last);
                let new_line = last.map(line_at);
                let counts = new_line.and_then(|line| counts.get(line));
                let [signs, stayed] = new_line.and_then(|line| stayed.get(&line)).copied().unwrap_or_default();
                counts.is_some_and(|&new| 3 * stayed < 2 * all.min(new) || all == 0 && signs > 0 && 2 * signs < new)
            }));
        }
        unexpected
    }

    /// Reports whether a piece is in such a line. A dropped piece is in the line that continues there.
    pub(super) fn is_unexpected(&self, piece: usize, place: &Place<'_>) -> bool {
        let first = self.old.tokens_of(piece).start - place.tokens.0.start;
        place.unexpected.get(first).or(place.unexpected.last()) == Some(&true)
    }

    /// Reports whether a piece stands in the new version where it stood: after or before a letter of its word, or in
    /// a word that has nothing else left. Elsewhere, an equal letter or sign may be a coincidence.
    pub(super) fn is_anchored(&self, piece: usize, place: &Place<'_>) -> bool {
        let Place { tokens, aligned, .. } = *place;
        let own = self.old.tokens_of(piece);
        let is_changed = self.old.lost.get(piece) == Some(&true) || !self.is_ascii(piece);
        let is_mark = self.old.bytes(piece).start < self.versions.mark;
        if own.is_empty() || !is_changed || is_mark || matches!(aligned.others, Others::None) {
            return true;
        }
        let [old, new] = [(&self.old.tokens, &tokens.0), (&self.new.tokens, &tokens.1)]
            .map(|(all, range)| all.get(range.clone()).unwrap_or_default());
        let of = |at: usize| aligned.new_of.get(at).copied().flatten().map(|new| new as usize);
        let (first, last) = (own.start - tokens.0.start, own.end - 1 - tokens.0.start);
        let (Some(new_first), Some(new_last)) = (of(first), of(last)) else { return false };
        let before = (0..first).rev().zip(std::iter::successors(new_first.checked_sub(1), |at| at.checked_sub(1)));
        let after = (last + 1..old.len()).zip(new_last + 1..new.len());
        let pair = |(old_at, new_at): (usize, usize)| (old[old_at], new[new_at], of(old_at) == Some(new_at));
        let sides = [self.side_of_word(before.map(pair)), self.side_of_word(after.map(pair))];
        sides.contains(&Anchor::Letters) || !sides.contains(&Anchor::Open)
    }

    /// Returns how a word continues after a place, given pairs of its old and new tokens and whether they are matched.
    fn side_of_word(&self, pairs: impl Iterator<Item = (u32, u32, bool)>) -> Anchor {
        let is_letter = |token: u32| token > 0x7F || char::from_u32(token).is_some_and(char::is_alphanumeric);
        let is_blank = |token: u32| char::from_u32(token).is_some_and(char::is_whitespace);
        let mut letters = 0;
        // UTF-16 that was read as bytes has NUL between its letters.
        for (old, new, same) in pairs.take(MAX_SIGNS_AROUND_PIECE).filter(|pair| *pair != (0, 0, true)) {
            let is_sign = self.is_sign_token(old);
            match (is_letter(old) || is_sign, is_letter(new) || self.is_sign_token(new)) {
                (false, false) if letters > 0 => return Anchor::Letters,
                (false, false) if old == new || is_blank(old) && is_blank(new) => return Anchor::End,
                _ if !same => return Anchor::Open,
                _ => letters += usize::from(!is_sign),
            }
            if letters > MAX_LETTERS_OF_COINCIDENCE {
                return Anchor::Letters;
            }
        }
        if letters > 0 { Anchor::Letters } else { Anchor::End }
    }

    /// Reports whether a piece whose text was lost cannot be another piece that looks the same.
    pub(super) fn is_certain(&self, piece: usize, place: &Place<'_>) -> bool {
        let Place { old, tokens, aligned, .. } = *place;
        if self.old.lost.get(piece) != Some(&true) && !self.is_sign(self.old.tokens_of(piece)) {
            return true;
        }
        if self.is_unexpected(piece, place) {
            return false;
        }
        let extremes = match &aligned.others {
            Others::None => return true,
            Others::Between(extremes) => extremes,
            Others::Unknown => return self.is_alone(piece, place),
        };
        let own = self.old.tokens_of(piece);
        if own.is_empty() {
            // It is at the same place in every alignment.
            let at = self.place_of_dropped(piece, place, &aligned.new_of);
            let is_there = |new_of: &Vec<Option<u32>>| self.place_of_dropped(piece, place, new_of) == at;
            return at.is_some() && extremes.iter().all(is_there);
        }
        let bytes = |piece: usize| self.versions.old.get(self.old.bytes(piece));
        own.clone().all(|token| {
            let offset = token - tokens.0.start;
            let Some(new) = aligned.new_of.get(offset).copied().flatten() else { return false };
            extremes.iter().all(|extreme| {
                // The token of the old version that is this one there.
                let rival = extreme.iter().position(|found| *found == Some(new));
                let rival = rival.and_then(|offset| self.piece_of(old, tokens.0.start + offset));
                rival.is_some_and(|rival| bytes(rival) == bytes(piece))
            })
        }) && (aligned.is_one_way || self.is_alone(piece, place))
    }

    /// Reports whether no lookalike piece of the region with other bytes matches the surroundings in the new version
    /// equally well. This is checked because the longest alignment can match letters of different words.
    fn is_alone(&self, piece: usize, place: &Place<'_>) -> bool {
        let Place { old, tokens, aligned, .. } = *place;
        let [before, after] = [(&self.old.tokens, &tokens.0), (&self.new.tokens, &tokens.1)]
            .map(|(all, range)| all.get(range.clone()).unwrap_or_default());
        let own = self.old.tokens_of(piece);
        let at = own.start - tokens.0.start;
        let Some(new) = aligned.new_of.get(at).copied().flatten().filter(|_| !own.is_empty()) else {
            return true;
        };
        let effort = self.effort.get().saturating_sub(before.len());
        self.effort.set(effort);
        if effort == 0 {
            return false;
        }
        let around = |at: usize| {
            let left = before[..at].iter().rev().zip(after[..new as usize].iter().rev());
            let right = before[at..].iter().zip(&after[new as usize..]);
            let is_same = |(a, b): &(&u32, &u32)| a == b;
            left.take(TOKENS_AROUND_PIECE).take_while(is_same).count()
                + right.take(TOKENS_AROUND_PIECE).take_while(is_same).count()
        };
        let bytes = |piece: usize| self.versions.old.get(self.old.bytes(piece));
        let found = around(at);
        let looks_same = (0..before.len()).filter(|&other| other != at && before[other] == before[at]);
        let rivals = looks_same.filter(|&other| around(other) >= found);
        let mut rivals = rivals.filter_map(|other| self.piece_of(old, tokens.0.start + other));
        rivals.all(|rival| bytes(rival) == bytes(piece))
    }
}
