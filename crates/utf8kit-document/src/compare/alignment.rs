//! Aligns the tokens of an old version with those of a new one, and determines whether the alignment is certain.

use std::cell::Cell;

use crate::compare::limits::{MAX_TOKEN_PAIRS_ALIGNED, MAX_TOKENS_OF_REGION};
use crate::diff::{common_ends, fine_changes};

/// For each token of a region of the old version, its token in the new version.
#[derive(Debug, Default)]
pub(super) struct Aligned {
    /// The token that it is in the alignment chosen.
    pub(super) new_of: Vec<Option<u32>>,
    pub(super) others: Others,
    /// Whether tokens were only added, or only removed.
    pub(super) is_one_way: bool,
}

impl Aligned {
    /// All of as many tokens are the same.
    fn same(tokens: usize) -> Aligned {
        Aligned { new_of: (0..tokens as u32).map(Some).collect(), ..Aligned::default() }
    }
}

/// Other, equally good alignments.
#[derive(Debug, Default)]
pub(super) enum Others {
    /// There is none: all tokens are the same.
    #[default]
    None,
    /// They lie between these two.
    Between([Vec<Option<u32>>; 2]),
    /// They are not known.
    Unknown,
}

/// Aligns the tokens of two regions. `left`: how many pairs of tokens may still be examined.
pub(super) fn align(old: &[u32], new: &[u32], left: &Cell<usize>) -> Aligned {
    let (prefix, suffix) = common_ends(old, new);
    if prefix == old.len() && prefix == new.len() {
        return Aligned::same(old.len());
    }
    // The common prefix and suffix may be aligned differently, so small regions are examined whole.
    let pairs = old.len().saturating_mul(new.len());
    if pairs <= MAX_TOKEN_PAIRS_ALIGNED.min(left.get()) {
        left.set(left.get() - pairs);
        return exact(old, new);
    }
    let (inner_old, inner_new) = (&old[prefix..old.len() - suffix], &new[prefix..new.len() - suffix]);
    let mut new_of: Vec<Option<u32>> = (0..prefix as u32).map(Some).collect();
    let inner = match inner_old.len().max(inner_new.len()) <= MAX_TOKENS_OF_REGION {
        true => coarse(inner_old, inner_new),
        false => vec![None; inner_old.len()],
    };
    new_of.extend(inner.into_iter().map(|at| at.map(|at| at + prefix as u32)));
    new_of.extend((new.len() - suffix..new.len()).map(|at| Some(at as u32)));
    Aligned { new_of, others: Others::Unknown, is_one_way: false }
}

/// Returns an alignment of long regions.
fn coarse(old: &[u32], new: &[u32]) -> Vec<Option<u32>> {
    let mut new_of = Vec::with_capacity(old.len());
    let mut at = 0;
    let is_space = |&token: &u32| token == u32::from(' ') || token == u32::from('\n');
    for (removed, added) in fine_changes(old, new, is_space) {
        new_of.extend((at..).take(removed.start - new_of.len()).map(|at| Some(at as u32)));
        new_of.extend(removed.map(|_| None));
        at = added.end;
    }
    let rest = old.len() - new_of.len();
    new_of.extend((at..).take(rest).map(|at| Some(at as u32)));
    new_of
}

/// Which operation comes first where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Match,
    Remove,
    Add,
}

/// Aligns tokens one by one and represents all optimal alignments. Alignments of whole words are preferred if they
/// match as much as any other. A person who edits text rarely removes the end of one word and the beginning of the
/// next.
fn exact(old: &[u32], new: &[u32]) -> Aligned {
    if let Some(aligned) = one_addition(old, new) {
        return aligned;
    }
    let by_tokens = Common::of(old.len(), new.len(), |i, j| u32::from(old[i] == new[j])).aligned(old, new);
    let (old_words, new_words) = (words(old), words(new));
    let (old_word, new_word) =
        (|i: usize| &old[old_words[i]..old_words[i + 1]], |j: usize| &new[new_words[j]..new_words[j + 1]]);
    let common = Common::of(old_words.len() - 1, new_words.len() - 1, |i, j| {
        let (old, new) = (old_word(i), new_word(j));
        if old == new { old.len() as u32 } else { 0 }
    });
    let tokens = |first: First| within_words(old, new, (&old_words, &new_words), &common.path(first), first);
    let new_of = tokens(First::Match);
    let left = |new_of: &[Option<u32>]| new_of.iter().flatten().count();
    if left(&new_of) < left(&by_tokens.new_of) {
        return by_tokens;
    }
    let others = Others::Between([tokens(First::Remove), tokens(First::Add)]);
    Aligned { new_of, others, ..by_tokens }
}

/// Aligns two regions if one is the other with tokens added in one place, and returns all such places, or only places
/// between words if there are any.
fn one_addition(old: &[u32], new: &[u32]) -> Option<Aligned> {
    let added = new.len().checked_sub(old.len()).filter(|added| *added > 0)?;
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let first = Some(old.len() - suffix).filter(|first| *first <= prefix)?;
    let words = words(new);
    let begins = |at: usize| words.binary_search(&at).is_ok();
    let mut between = (first..=prefix).filter(|&at| begins(at) && begins(at + added));
    let (first, last) = match between.next() {
        Some(first) => (first, between.next_back().unwrap_or(first)),
        None => (first, prefix),
    };
    let alignment = |at: usize| -> Vec<Option<u32>> {
        (0..old.len()).map(|token| Some((token + if token < at { 0 } else { added }) as u32)).collect()
    };
    let others = Others::Between([alignment(first), alignment(last)]);
    Some(Aligned { new_of: alignment(last), others, is_one_way: true })
}

/// Returns where words begin, and the end. A token that is not a letter, and was not one, is a word of its own.
fn words(tokens: &[u32]) -> Vec<usize> {
    let is_letter = |token: u32| {
        token > 0x7F || token == u32::from('?') || char::from_u32(token).is_some_and(char::is_alphanumeric)
    };
    let begins = |at: &usize| *at == 0 || !is_letter(tokens[*at]) || !is_letter(tokens[*at - 1]);
    (0..tokens.len()).filter(begins).chain([tokens.len()]).collect()
}

/// Returns the tokens of matched words, and those between them aligned by themselves.
fn within_words(
    old: &[u32],
    new: &[u32],
    words: (&[usize], &[usize]),
    matched: &[Option<u32>],
    first: First,
) -> Vec<Option<u32>> {
    let mut new_of = Vec::with_capacity(old.len());
    let (mut old_at, mut new_at) = (0, 0);
    let ends = (words.0.len() - 1, words.1.len() - 1);
    let pairs = matched.iter().enumerate().filter_map(|(i, found)| Some((i, (*found)? as usize)));
    for (i, j) in pairs.chain([ends]) {
        let (old_start, new_start) = (words.0[i], words.1[j]);
        let (a, b) = (&old[old_at..old_start], &new[new_at..new_start]);
        let common = Common::of(a.len(), b.len(), |i, j| u32::from(a[i] == b[j]));
        new_of.extend(common.path(first).into_iter().map(|at| at.map(|at| at + new_at as u32)));
        (old_at, new_at) = (old_start, new_start);
        if i < ends.0 {
            (old_at, new_at) = (words.0[i + 1], words.1[j + 1]);
            new_of.extend((new_start..new_at).map(|at| Some(at as u32)));
        }
    }
    new_of
}

/// What two sequences have in common.
struct Common<W> {
    /// The most that the items after each pair of places have in common.
    most: Vec<u32>,
    lens: (usize, usize),
    weight: W,
}

impl<W: Fn(usize, usize) -> u32> Common<W> {
    /// `weight` is how much two items count if they match, and 0 if they do not.
    fn of(old: usize, new: usize, weight: W) -> Common<W> {
        let width = new + 1;
        let mut most = vec![0_u32; (old + 1) * width];
        for i in (0..old).rev() {
            for j in (0..new).rev() {
                let without = most[(i + 1) * width + j].max(most[i * width + j + 1]);
                most[i * width + j] = match weight(i, j) {
                    0 => without,
                    both => without.max(most[(i + 1) * width + j + 1] + both),
                };
            }
        }
        Common { most, lens: (old, new), weight }
    }

    /// Returns the items that are the same in one of the alignments that leave the most.
    fn path(&self, first: First) -> Vec<Option<u32>> {
        let ((old, new), width) = (self.lens, self.lens.1 + 1);
        let mut new_of = vec![None; old];
        let (mut i, mut j) = (0, 0);
        while i < old && j < new {
            let here = self.most[i * width + j];
            let removes = self.most[(i + 1) * width + j] == here;
            let adds = self.most[i * width + j + 1] == here;
            let both = (self.weight)(i, j);
            let matches = both > 0 && self.most[(i + 1) * width + j + 1] + both == here;
            match (first, matches, removes, adds) {
                (First::Remove, _, true, _) => i += 1,
                (First::Add, _, _, true) => j += 1,
                (_, true, _, _) => {
                    new_of[i] = Some(j as u32);
                    (i, j) = (i + 1, j + 1);
                }
                (_, _, true, _) => i += 1,
                (_, _, _, _) => j += 1,
            }
        }
        new_of
    }

    /// Returns the alignment that leaves the most, and the two that all others lie between.
    fn aligned(&self, old: &[u32], new: &[u32]) -> Aligned {
        let others = Others::Between([self.path(First::Remove), self.path(First::Add)]);
        let is_one_way = self.most[0] as usize == old.len().min(new.len());
        Aligned { new_of: self.path(First::Match), others, is_one_way }
    }
}
