//! The nearest equivalent of a character that an encoding lacks, from a table or from the character's decomposition.

use std::sync::OnceLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical, decompose_compatible};

use crate::charset::Codec;

/// One code point per line, with its replacements.
const TABLE: &str = include_str!("transliteration.txt");

/// The most levels of replacements of replacements.
const DEPTH: u8 = 4;

/// The size of the cache, in entries.
const CACHED: usize = 256;

/// The combining class of marks drawn through a character, which change its meaning: the stroke of `≠`.
const OVERLAY: u8 = 1;

/// Finds replacements for characters that an encoding lacks.
#[derive(Clone, Debug)]
pub(in crate::convert) struct Transliterator {
    target: Codec,
    /// A cache of replacements, by code point modulo its size.
    cache: Vec<Option<(char, Option<String>)>>,
}

impl Transliterator {
    /// Creates a transliterator for an encoding.
    pub(in crate::convert) fn new(target: Codec) -> Transliterator {
        Transliterator { target, cache: vec![None; CACHED] }
    }

    /// Returns the replacement of a character that the encoding lacks, if there is one.
    pub(in crate::convert) fn nearest(&mut self, lacking: char) -> Option<&str> {
        let cached = self.cache.get_mut(lacking as usize % CACHED)?;
        if !matches!(cached, Some((known, _)) if *known == lacking) {
            *cached = Some((lacking, nearest(self.target, lacking, DEPTH)));
        }
        cached.as_ref()?.1.as_deref()
    }
}

/// Reports whether transliteration writes a character that an encoding lacks.
pub(in crate::convert) fn is_written(target: Codec, lacking: char) -> bool {
    nearest(target, lacking, DEPTH).is_some()
}

/// Returns the character that a lacking mark forms with the letter, and its marks, before it, if the encoding has that.
pub(in crate::convert) fn composed(target: Codec, before: &str, mark: char) -> Option<char> {
    let is_mark = |c: char| canonical_combining_class(c) > 0;
    let start = before.rfind(|c| !is_mark(c)).filter(|_| is_mark(mark))?;
    let mut chars = before.get(start..)?.chars().chain([mark]).nfc();
    let composed = chars.next().filter(|composed| !before.get(start..).is_some_and(|it| it.starts_with(*composed)))?;
    [composed].into_iter().chain(chars).all(|c| target.bytes_of(c).is_some()).then_some(composed)
}

/// Returns the replacement of a character that the encoding lacks, if there is one.
fn nearest(target: Codec, lacking: char, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let written = |text: &str| -> Option<String> {
        let each = text.chars().map(|c| match target.bytes_of(c) {
            Some(_) => Some(c.to_string()),
            None => nearest(target, c, depth),
        });
        each.collect()
    };
    if let Some(found) = listed(lacking).find_map(written) {
        return Some(found);
    }
    // Without the last accent, or the last two: `ế` becomes `ê` or `e`.
    let (mut parts, mut compatible) = (Vec::new(), String::new());
    decompose_canonical(lacking, |c| parts.push(c));
    while let Some(mark) = parts.pop()
        && !parts.is_empty()
        && canonical_combining_class(mark) > OVERLAY
    {
        if let Some(found) = written(&parts.iter().copied().nfc().collect::<String>()) {
            return Some(found);
        }
    }
    if canonical_combining_class(lacking) > OVERLAY {
        return Some(String::new());
    }
    decompose_compatible(lacking, |c| compatible.push(c));
    // A spacing accent (`¨`) decomposes to a space and a mark, but a space is not a near equivalent.
    let is_other = !compatible.starts_with(lacking) && (compatible == " " || !compatible.starts_with(' '));
    is_other.then(|| written(&compatible))?
}

/// Returns the replacements of a character in the table, nearest first.
fn listed(c: char) -> impl Iterator<Item = &'static str> {
    static LISTED: OnceLock<Vec<(u32, &str)>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| {
        let lines = TABLE.lines().filter_map(|line| line.split_once('\t'));
        lines.filter_map(|(code, texts)| Some((u32::from_str_radix(code, 16).ok()?, texts))).collect()
    });
    let found = listed.binary_search_by_key(&u32::from(c), |(code, _)| *code);
    let texts = found.ok().and_then(|place| listed.get(place)).map(|(_, texts)| *texts);
    texts.into_iter().flat_map(|texts| texts.split('\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(encoding: &str, text: &str) -> Vec<Option<String>> {
        let target = encoding.parse::<crate::Charset>().unwrap().writer();
        let mut transliterator = Transliterator::new(target);
        text.chars().map(|c| transliterator.nearest(c).map(str::to_owned)).collect()
    }

    #[test]
    fn the_table_is_in_order_and_lists_characters() {
        let codes = || {
            TABLE
                .lines()
                .filter(|line| !line.starts_with('#'))
                .map(|line| u32::from_str_radix(line.split('\t').next().unwrap(), 16).unwrap())
        };
        assert!(codes().zip(codes().skip(1)).all(|(one, other)| one < other));
        assert!(codes().all(|code| char::from_u32(code).is_some()));
    }

    #[test]
    fn the_nearest_is_found() {
        let cases = [
            ("us-ascii", "“€…éßÆﬁＡ①½≠", vec!["\"", "EUR", "...", "e", "ss", "AE", "fi", "A", "(1)", " 1/2 ", "!="]),
            ("us-ascii", "Ǣếộ\u{301}\u{200B}\u{A0}㎏", vec!["AE", "e", "o", "", "", " ", "kg"]),
            ("latin1", "ếǢ”", vec!["ê", "Æ", "\""]),
            ("windows-1252", "ʼ", vec!["’"]),
            ("windows-1255", "\u{202B}\u{202C}\u{2069}", vec![""; 3]),
        ];
        for (encoding, text, expected) in cases {
            let expected: Vec<_> = expected.into_iter().map(|text| Some(text.to_owned())).collect();
            assert_eq!(nearest(encoding, text), expected, "{encoding}");
        }
        assert_eq!(nearest("us-ascii", "Ж日¨\u{338}\u{FFFD}😀"), [const { None }; 6]);
    }
}
