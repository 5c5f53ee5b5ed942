//! Stands in for `transliteration.rs` without the feature `rewrite`: there are no replacements.

use crate::charset::Codec;

/// Finds no replacements.
#[derive(Clone, Debug)]
pub(in crate::convert) struct Transliterator;

impl Transliterator {
    pub(in crate::convert) fn new(_: Codec) -> Transliterator {
        Transliterator
    }

    pub(in crate::convert) fn nearest(&mut self, _: char) -> Option<&str> {
        None
    }
}

pub(in crate::convert) fn is_written(_: Codec, _: char) -> bool {
    false
}

pub(in crate::convert) fn composed(_: Codec, _: &str, _: char) -> Option<char> {
    None
}
