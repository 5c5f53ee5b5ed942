//! Finds a small edit between two texts, by lines, then by code points, with bounded effort.

use std::hash::Hash;
use std::iter;
use std::ops::Range;

use foldhash::HashMap;
use gix_imara_diff::{Algorithm, Diff, Token};

/// A range of the old text, and the range of the new text that replaces it.
pub(super) type Change = (Range<usize>, Range<usize>);

/// The most bytes of a region of text that are compared by code points.
const MAX_BYTES_BY_CODE_POINT: usize = 1 << 15;

/// The most items that are compared one by one rather than by words. The time grows with their square.
const MAX_ITEMS_ONE_BY_ONE: usize = 1 << 11;

/// The length from which dissimilar sequences are compared in windows if nearly all of their common items repeat. The
/// time of a comparison then grows with the power of 1.5.
const MIN_ITEMS_FOR_WINDOWS: usize = 1 << 14;

/// The number of items of the longer sequence in a window.
const ITEMS_PER_WINDOW: usize = 1 << 12;

/// The most items that are added and removed between similar sequences.
const MAX_ITEMS_APART: usize = 256;

/// How often an item may occur in a sequence and still serve as an anchor.
const MAX_OCCURRENCES_OF_ANCHOR: u32 = 63;

/// Returns the changes between two sequences, in order.
pub(super) fn changes<T: Hash + Eq>(old: &[T], new: &[T], algorithm: Algorithm) -> Vec<Change> {
    let mut known: HashMap<&T, u32> = HashMap::default();
    let mut token = |item| {
        let next = known.len() as u32;
        Token(*known.entry(item).or_insert(next))
    };
    let before: Vec<Token> = old.iter().map(&mut token).collect();
    let after: Vec<Token> = new.iter().map(&mut token).collect();
    let tokens = known.len() as u32;
    if before.len().min(after.len()) < MIN_ITEMS_FOR_WINDOWS {
        return hunks(algorithm, &before, &after, tokens);
    }
    let (start, end) = common_ends(&before, &after);
    let (inner_before, inner_after) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    if !repeat(inner_before, inner_after, tokens) || are_near(inner_before, inner_after) {
        return hunks(algorithm, &before, &after, tokens);
    }
    let windows = inner_before.len().max(inner_after.len()).div_ceil(ITEMS_PER_WINDOW);
    let window = |len: usize, at: usize| start + len * at / windows..start + len * (at + 1) / windows;
    let mut all = Vec::new();
    for at in 0..windows {
        let (one, other) = (window(inner_before.len(), at), window(inner_after.len(), at));
        let within = hunks(algorithm, &before[one.clone()], &after[other.clone()], tokens);
        all.extend(within.into_iter().map(|(a, b)| (shifted(a, one.start), shifted(b, other.start))));
    }
    all
}

/// Returns the number of common items at the start of two sequences, and at the end of the rest.
pub(super) fn common_ends<T: PartialEq>(old: &[T], new: &[T]) -> (usize, usize) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (start, end)
}

fn hunks(algorithm: Algorithm, before: &[Token], after: &[Token], tokens: u32) -> Vec<Change> {
    let mut diff = Diff::default();
    diff.compute_with(algorithm, before, after, tokens);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

pub(super) fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Reports whether two sequences are long and nearly all of their common items repeat, so that there are few anchors.
fn repeat(before: &[Token], after: &[Token], tokens: u32) -> bool {
    if before.len().min(after.len()) < MIN_ITEMS_FOR_WINDOWS {
        return false;
    }
    let mut counts = vec![[0_u32; 2]; tokens as usize];
    before.iter().for_each(|token| counts[token.0 as usize][0] += 1);
    after.iter().for_each(|token| counts[token.0 as usize][1] += 1);
    let common = counts.iter().filter(|[one, other]| *one > 0 && *other > 0);
    let (mut all, mut rare) = (0_u64, 0_u64);
    for [one, other] in common {
        all += u64::from(*one);
        rare += if *one.max(other) <= MAX_OCCURRENCES_OF_ANCHOR { u64::from(*one) } else { 0 };
    }
    rare * 256 < all
}

/// Reports whether few items are added and removed between two sequences.
///
/// Source: Myers, "An O(ND) difference algorithm and its variations" (1986), figure 2.
fn are_near(before: &[Token], after: &[Token]) -> bool {
    // How far the old sequence is matched on each diagonal. The first diagonal is -MAX_ITEMS_APART - 1.
    let mut reached = vec![0; 2 * MAX_ITEMS_APART + 3];
    for edits in 0..=MAX_ITEMS_APART {
        for diagonal in (MAX_ITEMS_APART + 1 - edits..=MAX_ITEMS_APART + 1 + edits).step_by(2) {
            let (below, above) = (reached[diagonal - 1], reached[diagonal + 1]);
            let removes =
                diagonal == MAX_ITEMS_APART + 1 + edits || diagonal != MAX_ITEMS_APART + 1 - edits && below >= above;
            let mut at = if removes && edits > 0 { below + 1 } else { above };
            let Some(mut other) = (at + MAX_ITEMS_APART + 1).checked_sub(diagonal) else { continue };
            while at < before.len() && before.get(at) == after.get(other) {
                (at, other) = (at + 1, other + 1);
            }
            reached[diagonal] = at;
            if at >= before.len() && other >= after.len() {
                return true;
            }
        }
    }
    false
}

/// The lines or words of a text.
struct Parts<'s, T> {
    parts: Vec<&'s [T]>,
    /// The start of each, and the end of the last.
    starts: Vec<usize>,
}

impl<'s, T> Parts<'s, T> {
    /// Divides a text after each end.
    fn of(text: &'s [T], is_end: impl Fn(&T) -> bool) -> Parts<'s, T> {
        let parts: Vec<_> = text.split_inclusive(is_end).collect();
        let ends = parts.iter().scan(0, |at, part| {
            *at += part.len();
            Some(*at)
        });
        Parts { starts: iter::once(0).chain(ends).collect(), parts }
    }

    /// Returns the range of some of them in the text.
    fn range(&self, parts: Range<usize>) -> Range<usize> {
        let at = |part: usize| self.starts.get(part).copied().unwrap_or_default();
        at(parts.start)..at(parts.end)
    }
}

/// Returns the changes between two sequences of characters, in order: by words, then by characters.
pub(super) fn fine_changes<T: Hash + Eq>(old: &[T], new: &[T], is_space: impl Fn(&T) -> bool) -> Vec<Change> {
    if old.len() + new.len() <= MAX_ITEMS_ONE_BY_ONE {
        return changes(old, new, Algorithm::Myers);
    }
    let (old_words, new_words) = (Parts::of(old, &is_space), Parts::of(new, &is_space));
    let mut all = Vec::new();
    for (removed, added) in changes(&old_words.parts, &new_words.parts, Algorithm::Myers) {
        let (removed, added) = (old_words.range(removed), new_words.range(added));
        if removed.is_empty() || added.is_empty() || removed.len() + added.len() > MAX_ITEMS_ONE_BY_ONE {
            all.push((removed, added));
            continue;
        }
        let within = changes(&old[removed.clone()], &new[added.clone()], Algorithm::Myers);
        all.extend(within.into_iter().map(|(a, b)| (shifted(a, removed.start), shifted(b, added.start))));
    }
    all
}

/// Returns the lines that differ. If a change keeps the number of lines, each line is a separate change.
fn changed_lines(old: &[u8], new: &[u8]) -> Vec<Change> {
    let [old, new] = [old, new].map(|text| Parts::of(text, |&byte| byte == b'\n'));
    let mut all = Vec::new();
    for (removed, added) in changes(&old.parts, &new.parts, Algorithm::Histogram) {
        if removed.len() == added.len() {
            let singly = removed.zip(added).map(|(one, other)| (one..one + 1, other..other + 1));
            all.extend(singly.map(|(one, other)| (old.range(one), new.range(other))));
        } else {
            all.push((old.range(removed), new.range(added)));
        }
    }
    all
}

/// Returns the lines that differ between two versions of a file, in bytes.
///
/// ```
/// use utf8kit_document::line_changes;
///
/// let changes = line_changes(b"a\nb\nc\n", b"a\nx\nc\n");
/// assert_eq!((changes.len(), changes[0].old.clone(), changes[0].new.clone()), (1, 2..3, 2..3));
/// ```
pub fn line_changes(old_bytes: &[u8], new_bytes: &[u8]) -> Vec<crate::view::Change> {
    let has_end =
        |bytes: &[u8], range: &Range<usize>| bytes.get(range.clone()).is_some_and(|lines| lines.ends_with(b"\n"));
    let without_end = |(mut old, mut new): Change| {
        if has_end(old_bytes, &old) && has_end(new_bytes, &new) {
            (old.end, new.end) = (old.end - 1, new.end - 1);
        }
        crate::view::Change { old, new }
    };
    changed_lines(old_bytes, new_bytes).into_iter().map(without_end).collect()
}

/// Reports whether two versions of a file differ only in ASCII lines with equal line ends. Then nothing was damaged,
/// whatever the encoding of the file. This takes a small part of the time of [`compare`](super::compare()).
///
/// ```
/// use utf8kit_document::is_ascii_edit;
///
/// assert!(is_ascii_edit(b"caf\xE9\nx = 1\n", b"caf\xE9\nx = 2\n"));
/// assert!(!is_ascii_edit(b"caf\xE9\nx = 1\n", b"caf\xC3\xA9\nx = 1\n"));
/// assert!(!is_ascii_edit(b"x = 1\r\n", b"x = 1\n"));
/// ```
pub fn is_ascii_edit(old: &[u8], new: &[u8]) -> bool {
    let mut ends: Option<bool> = None;
    let mut is_plain = |line: &[u8]| {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line.strip_suffix(b"\r").unwrap_or(line), Some(line.ends_with(b"\r"))),
            None => (line, None),
        };
        let is_same_end = end.is_none_or(|end| *ends.get_or_insert(end) == end);
        is_same_end && text.is_ascii() && !text.iter().any(|byte| BYTES_OF_OTHER_TEXT.contains(byte))
    };
    changed_lines(old, new).into_iter().all(|(removed, added)| {
        let changed = [old.get(removed), new.get(added)].into_iter().flatten();
        changed.flat_map(|lines| lines.split_inclusive(|&byte| byte == b'\n')).all(&mut is_plain)
    })
}

/// ASCII that can be part of non-ASCII text in UTF-16, UTF-7, HZ or ISO 2022, and a lone CR, which does not end a line.
const BYTES_OF_OTHER_TEXT: [u8; 7] = [0, b'\r', 0x0E, 0x0F, 0x1B, b'+', b'~'];

/// Returns the changes between two texts, in bytes.
pub(super) fn text_changes(old: &str, new: &str) -> Vec<Change> {
    let (prefix, suffix) = common(old, new);
    let (old, new) = (inner(old, prefix, suffix), inner(new, prefix, suffix));
    let mut all = Vec::new();
    if old.len() + new.len() <= MAX_BYTES_BY_CODE_POINT {
        push_fine(old, new, prefix, prefix, &mut all);
        return all;
    }
    for (a, b) in changed_lines(old.as_bytes(), new.as_bytes()) {
        let (from, to) = (old.get(a.clone()).unwrap_or_default(), new.get(b.clone()).unwrap_or_default());
        push_fine(from, to, prefix + a.start, prefix + b.start, &mut all);
    }
    all
}

/// Adds the changes between two regions of text by code points.
fn push_fine(old: &str, new: &str, old_at: usize, new_at: usize, all: &mut Vec<Change>) {
    let (prefix, suffix) = common(old, new);
    let (old, new) = (inner(old, prefix, suffix), inner(new, prefix, suffix));
    let (old_at, new_at) = (old_at + prefix, new_at + prefix);
    if old.is_empty() && new.is_empty() {
        return;
    }
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MAX_BYTES_BY_CODE_POINT {
        all.push((old_at..old_at + old.len(), new_at..new_at + new.len()));
        return;
    }
    let offsets = |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() };
    let (old_offsets, new_offsets) = (offsets(old), offsets(new));
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let at = |offsets: &[usize], index: usize| offsets.get(index).copied().unwrap_or_default();
    for (a, b) in fine_changes(&old, &new, |scalar| scalar.is_whitespace()) {
        let a = at(&old_offsets, a.start) + old_at..at(&old_offsets, a.end) + old_at;
        let b = at(&new_offsets, b.start) + new_at..at(&new_offsets, b.end) + new_at;
        all.push((a, b));
    }
}

/// Returns the lengths of the common prefix and suffix, in whole code points.
fn common(old: &str, new: &str) -> (usize, usize) {
    let prefix = common_prefix(old.as_bytes(), new.as_bytes());
    let prefix =
        utf8kit::floor_char_boundary(old.as_bytes(), prefix).min(utf8kit::floor_char_boundary(new.as_bytes(), prefix));
    let (a, b) = (&old.as_bytes()[prefix..], &new.as_bytes()[prefix..]);
    let mut suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(old.len() - suffix) && new.is_char_boundary(new.len() - suffix)) {
        suffix -= 1;
    }
    (prefix, suffix)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BYTES_PER_COMPARISON: usize = 256;
    let blocks = a
        .chunks_exact(BYTES_PER_COMPARISON)
        .zip(b.chunks_exact(BYTES_PER_COMPARISON))
        .take_while(|(a, b)| a == b)
        .count();
    let start = blocks * BYTES_PER_COMPARISON;
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

fn inner(text: &str, prefix: usize, suffix: usize) -> &str {
    text.get(prefix..text.len() - suffix).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use utf8kit_testing::Random;

    /// Applies changes to the old sequence, which must give the new one.
    fn made(old: &[usize], new: &[usize], changes: &[Change]) -> Vec<usize> {
        let (mut made, mut at) = (Vec::new(), 0);
        for (removed, added) in changes.iter().cloned() {
            made.extend_from_slice(&old[at..removed.start]);
            assert_eq!(made.len(), added.start);
            made.extend_from_slice(&new[added]);
            at = removed.end;
        }
        made.extend_from_slice(&old[at..]);
        made
    }

    #[test]
    fn long_sequences_of_few_items_are_compared_in_windows_unless_they_are_near() {
        let mut random = Random::new(11);
        let mut sequence = |len: usize| -> Vec<usize> { (0..len).map(|_| random.below(4)).collect() };
        let (old, other) = (sequence(3 * MIN_ITEMS_FOR_WINDOWS), sequence(2 * MIN_ITEMS_FOR_WINDOWS));
        let between = changes(&old, &other, Algorithm::Histogram);
        assert_eq!(made(&old, &other, &between), other);
        // More than half of the items of the shorter one remain.
        assert!(between.iter().map(|(_, added)| added.len()).sum::<usize>() < MIN_ITEMS_FOR_WINDOWS);
        // Edits at both ends move everything between them by one item.
        let mut new = old.clone();
        new.insert(100, 7);
        new.remove(3 * MIN_ITEMS_FOR_WINDOWS - 100);
        let near = changes(&old, &new, Algorithm::Histogram);
        assert_eq!((made(&old, &new, &near), near.len()), (new, 2));
    }

    #[test]
    fn sequences_are_near_as_long_as_few_items_were_edited() {
        let mut random = Random::new(13);
        let tokens = |items: &[usize]| items.iter().map(|&item| Token(item as u32)).collect::<Vec<_>>();
        for len in [0, 1, 5, 40] {
            for _ in 0..300 {
                let old: Vec<usize> = (0..len).map(|_| random.below(3)).collect();
                let mut new = old.clone();
                for _ in 0..random.below(MAX_ITEMS_APART / 2) {
                    match random.below(2) {
                        0 => new.insert(random.below(new.len() + 1), random.below(3)),
                        _ => new.truncate(new.len().saturating_sub(1)),
                    }
                }
                assert!(are_near(&tokens(&old), &tokens(&new)), "{old:?} {new:?}");
            }
        }
        // The sequences have no common items, so there are as many edits as items.
        for (one, other) in [
            (MAX_ITEMS_APART, 0),
            (0, MAX_ITEMS_APART),
            (MAX_ITEMS_APART / 2, MAX_ITEMS_APART / 2),
            (MAX_ITEMS_APART, 1),
            (0, MAX_ITEMS_APART + 1),
        ] {
            let is_near = are_near(&vec![Token(1); one], &vec![Token(2); other]);
            assert_eq!(is_near, one + other <= MAX_ITEMS_APART, "{one} {other}");
        }
    }

    #[test]
    fn changes_make_the_new_sequence_of_the_old_one() {
        const MAX_ITEMS: usize = 20;
        let mut random = Random::new(7);
        for len in [0, 10, 1000, 3000, 6000] {
            for kinds in [2, 8, 200] {
                let old: Vec<usize> = (0..len).map(|_| random.below(kinds)).collect();
                let (mut new, mut edited) = (old.clone(), 0);
                for _ in 0..len / 50 {
                    let at = random.below(new.len());
                    let (removed, added) = (random.below(MAX_ITEMS), random.below(MAX_ITEMS));
                    new.splice(at..(at + removed).min(new.len()), (0..added).map(|item| item % kinds));
                    edited += removed + added;
                }
                let changes = fine_changes(&old, &new, |&item| item % 8 == 0);
                let changed: usize = changes.iter().map(|(removed, added)| removed.len() + added.len()).sum();
                assert_eq!(made(&old, &new, &changes), new);
                assert!(changed <= 2 * edited, "{len} {kinds}: {changed} of {edited}");
            }
        }
    }
}
