//! What stands in for `utf8_lines` without the feature `detect`: nothing is found.

use crate::charset::Codec;
use crate::files::Skip;

pub(super) enum Utf8Lines {}

impl Utf8Lines {
    pub(super) fn among(_: Codec) -> Option<Utf8Lines> {
        None
    }

    pub(super) fn push(&mut self, _: &[u8]) {}

    pub(super) fn end(self) -> Option<Skip> {
        None
    }
}
