//! Dropped pieces: where they were in the new version, and whether they were removed together with their neighbours.

use std::ops::Range;

use crate::compare::alignment::Others;
use crate::compare::script::{Builder, Place};

/// The neighbour that a dropped piece belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Builder<'_> {
    /// Matches dropped pieces between neighbours that are still adjacent, or with the neighbour that they belong to.
    pub(super) fn match_dropped(&self, matched: &mut [Option<Range<usize>>], place: &Place<'_>, new_owners: &[u32]) {
        let Place { old, tokens, aligned, .. } = *place;
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
            let found = match (before, after, self.side(old.start + index, place, &aligned.new_of)) {
                (Some(before), Some(after), _) if before == after => Some(before),
                (before, _, Some(Side::Before)) => before,
                (_, after, Some(Side::After)) => after,
                _ => None,
            };
            for place in matched.get_mut(index..index + run).unwrap_or_default() {
                *place = found.map(|at| at..at);
            }
            index += run;
        }
    }

    /// Returns the side to which a run of dropped pieces belongs: they are letters of a word that still
    /// ends there, or was removed, or of one that a space divides from what was added.
    fn side(&self, piece: usize, place: &Place<'_>, new_of: &[Option<u32>]) -> Option<Side> {
        let Place { tokens, .. } = *place;
        let after = self.old.tokens_of(piece).start;
        let before = after.checked_sub(1).filter(|before| tokens.0.contains(before));
        let is_letter = |token: Option<&u32>| {
            token.and_then(|&token| char::from_u32(token)).is_some_and(|scalar| scalar.is_ascii_alphabetic())
        };
        let new = |token: usize| Some(tokens.1.start + new_of.get(token - tokens.0.start).copied().flatten()? as usize);
        if let Some(before) = before.filter(|_| tokens.0.contains(&after)) {
            let old_letter = |token: usize| is_letter(self.old.tokens.get(token));
            // The word still ends, or begins, where it did.
            let goes_on = |new: Option<usize>| new.is_some_and(|new| is_letter(self.new.tokens.get(new)));
            match (old_letter(before), old_letter(after)) {
                (true, false) if !goes_on(new(before).map(|new| new + 1)) => return Some(Side::Before),
                (false, true) if !goes_on(new(after).and_then(|new| new.checked_sub(1))) => {
                    return Some(Side::After);
                }
                _ => {}
            }
        }
        let (start, end) = self.around_dropped(piece, place, new_of);
        let added = self.new.tokens.get(tokens.1.start + start? as usize..tokens.1.start + end? as usize)?;
        let is_space =
            |token: Option<&u32>| token.and_then(|&token| char::from_u32(token)).is_some_and(char::is_whitespace);
        match (is_space(added.first()), is_space(added.last())) {
            (true, false) => Some(Side::Before),
            (false, true) => Some(Side::After),
            _ => None,
        }
    }

    /// Returns where the text before dropped pieces ends in the new version, and where the text after them begins.
    fn around_dropped(&self, piece: usize, place: &Place<'_>, new_of: &[Option<u32>]) -> (Option<u32>, Option<u32>) {
        let after = self.old.tokens_of(piece).start - place.tokens.0.start;
        let of = |token: usize| new_of.get(token).copied().flatten();
        let start = after.checked_sub(1).map_or(Some(0), |before| Some(of(before)? + 1));
        let end = if after < place.tokens.0.len() { of(after) } else { Some(place.tokens.1.len() as u32) };
        (start, end)
    }

    /// Returns where a dropped piece was in the new version.
    pub(super) fn place_of_dropped(&self, piece: usize, place: &Place<'_>, new_of: &[Option<u32>]) -> Option<u32> {
        match (self.around_dropped(piece, place, new_of), self.side(piece, place, new_of)) {
            ((Some(start), Some(end)), _) if start == end => Some(start),
            ((start, _), Some(Side::Before)) => start,
            ((_, end), Some(Side::After)) => end,
            _ => None,
        }
    }

    /// Reports whether a dropped piece is part of a character or word that was removed.
    pub(super) fn is_removed(&self, piece: usize, place: &Place<'_>) -> bool {
        let Others::Between(extremes) = &place.aligned.others else { return false };
        let after = self.old.tokens_of(piece).start - place.tokens.0.start;
        let neighbour = match self.side(piece, place, &place.aligned.new_of) {
            Some(Side::Before) => after - 1,
            Some(Side::After) => after,
            None => return false,
        };
        let all = extremes.iter().chain([&place.aligned.new_of]);
        all.into_iter().all(|new_of| new_of.get(neighbour) == Some(&None))
    }

    pub(super) fn is_dropped(&self, piece: usize) -> bool {
        self.old.tokens_of(piece).is_empty() && self.old.lost.get(piece) == Some(&true)
    }

    /// Reports whether a piece was dropped with all of its line, where another line was added.
    pub(super) fn was_dropped_line(&self, piece: usize, place: &Place<'_>) -> bool {
        let own = self.old.tokens_of(piece);
        let ends = |tokens: &[u32], at: usize| tokens.get(at).is_none_or(|&token| token == u32::from('\n'));
        let before = own.start.checked_sub(1);
        let begins = before.is_none_or(|before| ends(&self.old.tokens, before));
        if !own.is_empty() || !begins || !ends(&self.old.tokens, own.start) {
            return false;
        }
        let Some(before) = before else { return !ends(&self.new.tokens, 0) };
        // A line without tokens belongs to the one before it.
        let index = before.checked_sub(place.tokens.0.start);
        let new = index.and_then(|index| place.aligned.new_of.get(index).copied().flatten());
        new.is_some_and(|new| !ends(&self.new.tokens, place.tokens.1.start + new as usize + 1))
    }
}

/// Returns the piece before which a region begins.
fn tokens_start(new_owners: &[u32], tokens: &(Range<usize>, Range<usize>)) -> Option<usize> {
    let before = tokens.1.start.checked_sub(1);
    Some(before.and_then(|before| new_owners.get(before)).map_or(0, |&owner| owner as usize + 1))
}

/// Returns the piece before which a region ends.
fn tokens_end(new_owners: &[u32], tokens: &(Range<usize>, Range<usize>)) -> Option<usize> {
    let last = tokens.1.end.checked_sub(1);
    Some(last.and_then(|last| new_owners.get(last)).map_or(0, |&owner| owner as usize + 1))
}
