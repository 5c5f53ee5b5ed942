//! Replaces `deceptive.rs` and `identifier.rs` if the feature `unicode` is off: no target needs them then.

use crate::refusal::Refusal;
use crate::rows::RowSyntax;

/// What a text is: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Text,
    Code,
}

pub(super) fn find<W>(_: &RowSyntax, _: &[u8], _: bool, _: W) -> Vec<Refusal> {
    Vec::new()
}

/// The lines of a row of code: there are none.
pub(super) struct Code;

impl Code {
    pub(super) fn of(_: &RowSyntax, _: &[u8], _: bool) -> Code {
        Code
    }

    pub(super) fn has_in_name(&self, _: &Refusal) -> bool {
        false
    }
}

pub(super) fn passes(_: &RowSyntax, _: &[u8]) -> bool {
    true
}

pub(super) mod identifier {
    use super::{Refusal, RowSyntax};

    pub(in crate::targets) fn find(_: &RowSyntax, _: &[u8], _: bool) -> Vec<Refusal> {
        Vec::new()
    }

    pub(in crate::targets) fn passes(_: &[u8]) -> bool {
        true
    }
}
