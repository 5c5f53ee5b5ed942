//! The smallest edit between two texts: by lines, then by code points, with bounded effort.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Token};

/// A range of the old text, and what replaces it in the new one.
pub(super) type Change = (Range<usize>, Range<usize>);

/// The most items of a region that are compared one by one.
const FINE: usize = 1 << 15;

/// Returns the changes between two sequences, in order.
pub(super) fn changes<T: Hash + Eq>(old: &[T], new: &[T], fine: bool) -> Vec<Change> {
    let mut known: HashMap<&T, u32> = HashMap::new();
    let mut token = |item| {
        let next = known.len() as u32;
        Token(*known.entry(item).or_insert(next))
    };
    let before: Vec<Token> = old.iter().map(&mut token).collect();
    let after: Vec<Token> = new.iter().map(&mut token).collect();
    let tokens = known.len() as u32;
    let mut diff = Diff::default();
    let algorithm = if fine { Algorithm::Myers } else { Algorithm::Histogram };
    diff.compute_with(algorithm, &before, &after, tokens);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

/// The most items of a region that are compared one by one. The time grows with its square.
const SMALL: usize = 1 << 11;

/// Returns the changes between two sequences of characters, in order: by words, then by characters.
pub(super) fn fine_changes<T: Hash + Eq>(old: &[T], new: &[T], is_space: impl Fn(&T) -> bool) -> Vec<Change> {
    if old.len() + new.len() <= SMALL {
        return changes(old, new, true);
    }
    let words = |items| -> Vec<&[T]> { <[T]>::split_inclusive(items, &is_space).collect() };
    let (old_words, new_words) = (words(old), words(new));
    let starts = |words: &[&[T]]| -> Vec<usize> {
        let ends = words.iter().scan(0, |at, word| {
            *at += word.len();
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old_starts, new_starts) = (starts(&old_words), starts(&new_words));
    let span = |starts: &[usize], words: Range<usize>| starts[words.start]..starts[words.end];
    let mut all = Vec::new();
    for (removed, added) in changes(&old_words, &new_words, true) {
        let (removed, added) = (span(&old_starts, removed), span(&new_starts, added));
        if removed.is_empty() || added.is_empty() || removed.len() + added.len() > SMALL {
            all.push((removed, added));
            continue;
        }
        let within = changes(&old[removed.clone()], &new[added.clone()], true);
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        all.extend(within.into_iter().map(|(a, b)| (shift(a, removed.start), shift(b, added.start))));
    }
    all
}

/// Returns the lines that differ between two versions of a file, in bytes.
///
/// ```
/// use utf8kit_text::document::line_changes;
///
/// let changes = line_changes(b"a\nb\nc\n", b"a\nx\nc\n");
/// assert_eq!((changes.len(), changes[0].old.clone(), changes[0].new.clone()), (1, 2..3, 2..3));
/// ```
pub fn line_changes(old_bytes: &[u8], new_bytes: &[u8]) -> Vec<crate::document::view::Change> {
    let lines = |bytes| -> Vec<&[u8]> { <[u8]>::split_inclusive(bytes, |&byte| byte == b'\n').collect() };
    let (old, new) = (lines(old_bytes), lines(new_bytes));
    let starts = |lines: &[&[u8]]| -> Vec<usize> {
        let ends = lines.iter().scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let span = |starts: &[usize], range: Range<usize>| {
        let at = |line: usize| starts.get(line).copied().unwrap_or_default();
        at(range.start)..at(range.end)
    };
    let mut all = Vec::new();
    for (removed, added) in changes(&old, &new, false) {
        // Lines that are as many as before are compared each by itself.
        let parts = if removed.len() == added.len() { removed.len() } else { 1 };
        for part in 0..parts {
            let of = |range: &Range<usize>| match parts {
                1 => range.clone(),
                _ => range.start + part..range.start + part + 1,
            };
            let (mut a, mut b) = (span(&old_starts, of(&removed)), span(&new_starts, of(&added)));
            let has_end = |bytes: &[u8], range: &Range<usize>| {
                bytes.get(range.clone()).is_some_and(|lines| lines.ends_with(b"\n"))
            };
            if has_end(old_bytes, &a) && has_end(new_bytes, &b) {
                (a.end, b.end) = (a.end - 1, b.end - 1);
            }
            all.push(crate::document::view::Change { old: a, new: b });
        }
    }
    all
}

/// Reports whether two versions of a file differ in lines of ASCII alone, which end alike. Nothing was damaged then, in
/// whatever encoding the file is; to know that takes a small part of the time that [`compare`](super::compare()) takes.
///
/// ```
/// use utf8kit_text::document::is_ascii_edit;
///
/// assert!(is_ascii_edit(b"caf\xE9\nx = 1\n", b"caf\xE9\nx = 2\n"));
/// assert!(!is_ascii_edit(b"caf\xE9\nx = 1\n", b"caf\xC3\xA9\nx = 1\n"));
/// assert!(!is_ascii_edit(b"x = 1\r\n", b"x = 1\n"));
/// ```
pub fn is_ascii_edit(old: &[u8], new: &[u8]) -> bool {
    let lines = |bytes| -> Vec<&[u8]> { <[u8]>::split_inclusive(bytes, |&byte| byte == b'\n').collect() };
    let (old, new) = (lines(old), lines(new));
    let mut ends: Option<bool> = None;
    let mut is_plain = |line: &&[u8]| {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(line) => (line.strip_suffix(b"\r").unwrap_or(line), Some(line.ends_with(b"\r"))),
            None => (*line, None),
        };
        let is_same_end = end.is_none_or(|end| *ends.get_or_insert(end) == end);
        is_same_end && text.is_ascii() && !text.iter().any(|byte| SHIFTS.contains(byte))
    };
    changes(&old, &new, false).into_iter().all(|(removed, added)| {
        let (removed, added) = (old.get(removed), new.get(added));
        [removed, added].into_iter().flatten().flatten().all(&mut is_plain)
    })
}

/// ASCII that can be part of text beyond ASCII in UTF-16, UTF-7, HZ or ISO 2022; and a lone CR, which does not end a
/// line.
const SHIFTS: [u8; 7] = [0, b'\r', 0x0E, 0x0F, 0x1B, b'+', b'~'];

/// Returns the changes between two texts, in bytes.
pub(super) fn text_changes(old: &str, new: &str) -> Vec<Change> {
    let (prefix, suffix) = common(old, new);
    let (old, new) = (inner(old, prefix, suffix), inner(new, prefix, suffix));
    let mut all = Vec::new();
    if old.len() + new.len() <= FINE {
        push_fine(old, new, prefix, prefix, &mut all);
        return all;
    }
    let (old_lines, new_lines) = (lines(old), lines(new));
    let starts = |lines: &[&str], from: usize| {
        let mut at = from;
        let ends = lines.iter().map(|line| {
            at += line.len();
            at
        });
        std::iter::once(from).chain(ends).collect::<Vec<_>>()
    };
    let (old_at, new_at) = (starts(&old_lines, 0), starts(&new_lines, 0));
    let span = |at: &[usize], range: &Range<usize>| {
        let offset = |index: usize| at.get(index).copied().unwrap_or_default();
        offset(range.start)..offset(range.end)
    };
    for (old_range, new_range) in changes(&old_lines, &new_lines, false) {
        // Lines that are as many as before are compared each by itself.
        let each = old_range.len() == new_range.len();
        let parts = if each { old_range.len() } else { 1 };
        for part in 0..parts {
            let of = |range: &Range<usize>| match each {
                true => range.start + part..range.start + part + 1,
                false => range.clone(),
            };
            let (a, b) = (span(&old_at, &of(&old_range)), span(&new_at, &of(&new_range)));
            let (from, to) = (old.get(a.clone()).unwrap_or_default(), new.get(b.clone()).unwrap_or_default());
            push_fine(from, to, prefix + a.start, prefix + b.start, &mut all);
        }
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
    if old.is_empty() || new.is_empty() || old.len() + new.len() > FINE {
        all.push((old_at..old_at + old.len(), new_at..new_at + new.len()));
        return;
    }
    let offsets =
        |text: &str| -> Vec<usize> { text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() };
    let (old_offsets, new_offsets) = (offsets(old), offsets(new));
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let at = |offsets: &[usize], index: usize| offsets.get(index).copied().unwrap_or_default();
    for (a, b) in fine_changes(&old, &new, |scalar| scalar.is_whitespace()) {
        let a = at(&old_offsets, a.start) + old_at..at(&old_offsets, a.end) + old_at;
        let b = at(&new_offsets, b.start) + new_at..at(&new_offsets, b.end) + new_at;
        all.push((a, b));
    }
}

/// Returns the lines of a text, each with its line feed.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns the lengths of the common prefix and suffix, in whole code points.
fn common(old: &str, new: &str) -> (usize, usize) {
    let prefix = common_prefix(old.as_bytes(), new.as_bytes());
    let prefix = utf8kit::floor_char_boundary(old, prefix).min(utf8kit::floor_char_boundary(new, prefix));
    let (a, b) = (&old.as_bytes()[prefix..], &new.as_bytes()[prefix..]);
    let mut suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(old.len() - suffix) && new.is_char_boundary(new.len() - suffix)) {
        suffix -= 1;
    }
    (prefix, suffix)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count();
    let start = blocks * BLOCK;
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

fn inner(text: &str, prefix: usize, suffix: usize) -> &str {
    text.get(prefix..text.len() - suffix).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn changes_make_the_new_sequence_of_the_old_one() {
        const MOST: usize = 20;
        let mut random = Random::new(7);
        for len in [0, 10, 1000, 3000, 6000] {
            for kinds in [2, 8, 200] {
                let old: Vec<usize> = (0..len).map(|_| random.below(kinds)).collect();
                let (mut new, mut edited) = (old.clone(), 0);
                for _ in 0..len / 50 {
                    let at = random.below(new.len());
                    let (removed, added) = (random.below(MOST), random.below(MOST));
                    new.splice(at..(at + removed).min(new.len()), (0..added).map(|item| item % kinds));
                    edited += removed + added;
                }
                let (mut made, mut at, mut changed) = (Vec::new(), 0, 0);
                for (removed, added) in fine_changes(&old, &new, |&item| item % 8 == 0) {
                    made.extend_from_slice(&old[at..removed.start]);
                    changed += removed.len() + added.len();
                    assert_eq!(made.len(), added.start);
                    made.extend_from_slice(&new[added]);
                    at = removed.end;
                }
                made.extend_from_slice(&old[at..]);
                assert_eq!(made, new);
                assert!(changed <= 2 * edited, "{len} {kinds}: {changed} of {edited}");
            }
        }
    }
}
