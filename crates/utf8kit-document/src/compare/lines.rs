//! Aligns the lines of an old version with those of a new one.

use std::ops::Range;

use gix_imara_diff::Algorithm;

use crate::compare::limits::{MAX_LINE_PAIRS, MAX_TOKENS_OF_LINES};
use crate::diff::{Change, changes, common_ends};

/// The lines of a version, as tokens.
pub(super) struct Lines<'t> {
    tokens: &'t [u32],
    /// Where each line begins, and the end.
    pub(super) starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Splits tokens after each line feed.
    pub(super) fn of(tokens: &'t [u32]) -> Lines<'t> {
        let feeds = tokens.iter().enumerate().filter(|(_, token)| **token == u32::from('\n'));
        let mut starts: Vec<u32> = std::iter::once(0).chain(feeds.map(|(at, _)| at as u32 + 1)).collect();
        if starts.last() != Some(&(tokens.len() as u32)) {
            starts.push(tokens.len() as u32);
        }
        Lines { tokens, starts }
    }

    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the tokens of some lines.
    pub(super) fn range(&self, lines: Range<usize>) -> Range<usize> {
        let at = |line: usize| self.starts.get(line).map_or(self.tokens.len(), |start| *start as usize);
        at(lines.start)..at(lines.end)
    }

    /// Returns the tokens of a line.
    pub(super) fn line(&self, line: usize) -> &'t [u32] {
        self.tokens.get(self.range(line..line + 1)).unwrap_or_default()
    }
}

/// Lines of an old version and a new one: either the same, line by line, or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) same: bool,
}

/// Aligns lines. `stays` maps a new line to the old one whose bytes it has, which counts as the same however the view
/// shows it.
pub(super) fn align_lines(old: &Lines<'_>, new: &Lines<'_>, stays: impl Fn(usize) -> Option<usize>) -> Vec<Region> {
    // The last line may have lost its end, or got one.
    fn key(line: &[u32]) -> &[u32] {
        line.strip_suffix(&[u32::from('\n')]).unwrap_or(line)
    }
    let old_keys: Vec<&[u32]> = (0..old.len()).map(|line| key(old.line(line))).collect();
    let new_keys: Vec<&[u32]> =
        (0..new.len()).map(|line| key(stays(line).map_or_else(|| new.line(line), |known| old.line(known)))).collect();
    let mut regions = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (removed, added) in line_changes(&old_keys, &new_keys) {
        regions.push(Region { old: old_at..removed.start, new: new_at..added.start, same: true });
        (old_at, new_at) = (removed.end, added.end);
        regions.push(Region { old: removed, new: added, same: false });
    }
    regions.push(Region { old: old_at..old.len(), new: new_at..new.len(), same: true });
    regions.retain(|region| !region.old.is_empty() || !region.new.is_empty());
    regions
}

/// Returns the changes between lines. Where they are few, those are the same which are long, and a changed line
/// stands for the old one that it resembles, however often lines are repeated.
fn line_changes(old: &[&[u32]], new: &[&[u32]]) -> Vec<Change> {
    let (start, end) = common_ends(old, new);
    let (a, b) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let tokens: usize = a.iter().map(|line| line.len()).sum();
    let is_long = a.len().saturating_mul(b.len()) > MAX_LINE_PAIRS || tokens * b.len() > MAX_TOKENS_OF_LINES;
    if a.is_empty() || b.is_empty() || is_long {
        return changes(old, new, Algorithm::Histogram);
    }
    let width = b.len() + 1;
    // The most that the lines after each pair of places have in common.
    let mut most = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let both = most[(i + 1) * width + j + 1] + in_common(a[i], b[j]);
            most[i * width + j] = both.max(most[(i + 1) * width + j]).max(most[i * width + j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut all: Vec<Change> = Vec::new();
    let mut change = |old: Range<usize>, new: Range<usize>| match all.last_mut() {
        Some(last) if last.0.end == old.start && last.1.end == new.start => {
            (last.0.end, last.1.end) = (old.end, new.end);
        }
        _ => all.push((old, new)),
    };
    while i < a.len() && j < b.len() {
        let (here, at) = (most[i * width + j], (start + i, start + j));
        let (down, right) = if here == most[(i + 1) * width + j + 1] + in_common(a[i], b[j]) {
            (1, 1)
        } else if here == most[(i + 1) * width + j] {
            (1, 0)
        } else {
            (0, 1)
        };
        if down * right == 0 || a[i] != b[j] {
            change(at.0..at.0 + down, at.1..at.1 + right);
        }
        (i, j) = (i + down, j + right);
    }
    if i < a.len() || j < b.len() {
        change(start + i..start + a.len(), start + j..start + b.len());
    }
    all
}

/// Returns how much two lines have in common: more if they are the same.
fn in_common(old: &[u32], new: &[u32]) -> u32 {
    if old == new {
        return 2 * old.len() as u32 + 2;
    }
    let [start, end] = ends_in_common(old, new);
    (start + end) as u32
}

/// Returns how many tokens at the start and the end of two lines are the same.
pub(super) fn ends_in_common<T: PartialEq>(old: &[T], new: &[T]) -> [usize; 2] {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - prefix;
    let suffix = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    [prefix, suffix]
}
