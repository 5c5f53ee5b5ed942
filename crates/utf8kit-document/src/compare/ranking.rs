//! Selects the views that are worth trying: those that show words of the old version as they are in the new one.

use std::cmp::Reverse;

use foldhash::{HashMap, HashSet};
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::candidates::{Signs, rare_views, views};
use crate::compare::encodings::ascii;
use crate::compare::limits::{
    MAX_UNLIKELY_VIEWS_MEASURED, MAX_VIEWS_MEASURED, SAMPLE_BYTES, SAMPLE_BYTES_OF_RARE_VIEWS,
};
use crate::compare::pieces::Pieces;
use crate::compare::view::DamageView;
use crate::compare::{Comparer, UTF8};

impl Comparer<'_> {
    /// Returns the views that show many words of the old version as they are in the new one, the likeliest first.
    /// `canonical`: whatever the normal form of the text is.
    pub(super) fn likely(&self, canonical: bool) -> &[DamageView] {
        self.likely.get_or_init(|| self.ranked(canonical))
    }

    fn ranked(&self, canonical: bool) -> Vec<DamageView> {
        let (old, new) = self.sample();
        let new_codec = self.new_codec();
        let old_codecs = self.document.encodings();
        let signs = Signs {
            old_is_utf8: old_codecs == [UTF8],
            old: old_codecs.iter().copied().find(|codec| *codec != UTF8).unwrap_or(UTF8),
            is_mixed: old_codecs.len() > 1,
            new: Some(new_codec).filter(|codec| *codec != UTF8),
            has_replacements: memchr::memmem::find(self.new, "\u{FFFD}".as_bytes()).is_some(),
            has_references: memchr::memmem::find(self.new, b"&#").is_some(),
            has_questions: self.new.contains(&b'?'),
            has_non_ascii: !self.new.is_ascii(),
        };
        let mut words: HashMap<(&'static str, bool), HashSet<Vec<u32>>> = HashMap::default();
        let mut rate = |view: DamageView, old: &[u8]| {
            let known = words.entry((view.write.name(), view.refers())).or_insert_with(|| {
                let mark = view.write.mark_in(&new);
                words_of(&DamageView { canonical, ..view.of_new() }.pieces(&new, mark))
            });
            let mark = view.read.mark_in(old);
            let shown = DamageView { canonical, ..view }.pieces(old, mark);
            let (mut found, mut affected) = (0, 0);
            for (word, is_affected) in affected_words(&shown, old) {
                affected += if is_affected { word.len() + 1 } else { 0 };
                found += if is_affected && known.contains(word) { word.len() + 1 } else { 0 };
            }
            (found, affected)
        };
        let mut rated: Vec<(usize, usize, DamageView)> = Vec::new();
        for (order, view) in views(&signs).into_iter().enumerate() {
            rated.push((rate(view, &old).0, order, view));
        }
        if let Some(&(.., usual)) = rated.iter().max_by_key(|&&(found, order, _)| (found, Reverse(order))) {
            let is_left = |line: &[u8]| {
                let (found, affected) = rate(usual, line);
                found < affected
            };
            // Code units that were read as bytes contain no words, so what is left of them is unknown.
            let (rest, found) = match signs.old.is_wide() {
                true => (old.get(..2 * SAMPLE_BYTES_OF_RARE_VIEWS).unwrap_or(&old).to_vec(), 0),
                false => {
                    let rest = lines_where(&old, is_left);
                    let found = rate(usual, &rest).0;
                    (rest, found)
                }
            };
            let of_rest = |view: &DamageView| rate(*view, &rest).0 > found;
            let rare: Vec<DamageView> = rare_views(&signs).into_iter().filter(of_rest).collect();
            for view in rare {
                rated.push((rate(view, &old).0, rated.len(), view));
            }
        }
        let best = rated.iter().map(|(score, ..)| *score).max().unwrap_or_default();
        rated.sort_by_key(|&(score, order, _)| (Reverse(score), order));
        let small = self.old.len() + self.new.len() <= SAMPLE_BYTES;
        let most = match best {
            0 if small => usize::MAX,
            // No part of the old version is found in the new one.
            0 => MAX_UNLIKELY_VIEWS_MEASURED,
            _ => MAX_VIEWS_MEASURED,
        };
        let of_bytes = |view: &DamageView| {
            let is_of_bytes = view.read == UTF8 && view.errors.is_some();
            signs.old.is_wide() && (is_of_bytes || view.via == Some(ascii()))
        };
        let (likely, rest) = rated.split_at(most.min(rated.len()));
        let rest = rest.iter().map(|rated| rated.2).filter(of_bytes);
        likely.iter().map(|rated| rated.2).chain(rest).collect()
    }

    /// Returns lines of the two versions that the other one lacks.
    fn sample(&self) -> (Vec<u8>, Vec<u8>) {
        fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
            bytes.split_inclusive(|&byte| byte == b'\n')
        }
        let of = |bytes: &[u8], other: &[u8], limit: usize| {
            let mut known: HashMap<&[u8], usize> = HashMap::default();
            lines(other).for_each(|line| *known.entry(line).or_default() += 1);
            let mut sample = Vec::new();
            for line in lines(bytes) {
                match known.get_mut(line).filter(|left| **left > 0) {
                    Some(left) => *left -= 1,
                    None => sample.extend_from_slice(line),
                }
                if sample.len() >= limit {
                    break;
                }
            }
            sample.truncate(limit);
            sample
        };
        let has_units = |bytes: &[u8]| bytes.iter().take(SAMPLE_BYTES).any(|&byte| byte == 0);
        if has_units(self.old) || has_units(self.new) {
            let head = |bytes: &[u8]| bytes.get(..4 * SAMPLE_BYTES).unwrap_or(bytes).to_vec();
            return (head(self.old), head(self.new));
        }
        (of(self.old, self.new, SAMPLE_BYTES), of(self.new, self.old, 4 * SAMPLE_BYTES))
    }

    /// Returns the encoding that the new version is in.
    pub(super) fn new_codec(&self) -> Codec {
        *self.new_codec.get_or_init(|| {
            let codecs = Document::open(self.new).encodings();
            let other = codecs.iter().copied().find(|codec| *codec != UTF8);
            other.filter(|_| codecs.len() == 1).unwrap_or(UTF8)
        })
    }
}

/// Returns the first non-ASCII lines that satisfy the predicate, a few hundred bytes in total.
fn lines_where(bytes: &[u8], mut is_wanted: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if !line.is_ascii() && is_wanted(line) {
            lines.extend_from_slice(line);
        }
        if lines.len() >= SAMPLE_BYTES_OF_RARE_VIEWS {
            break;
        }
    }
    lines
}

fn words_of(pieces: &Pieces) -> HashSet<Vec<u32>> {
    pieces.tokens.split(|&token| is_space(token)).filter(|word| !word.is_empty()).map(<[u32]>::to_vec).collect()
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
