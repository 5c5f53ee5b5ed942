//! In the place of `transliteration.rs` where the feature `unicode` is off: there are no replacements.

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
