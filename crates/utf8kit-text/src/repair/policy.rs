//! The policies for errors, escapes and lines, and the blocks of an input that each leaves unchanged.

use utf8kit::{AnyEncoding, Each, Policy, validate_in};

use crate::charset::Codec;
use crate::repair::double_encoding::{Detours, UNDOUBLER};

/// The policy of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairPolicy<'t> {
    /// Handle each error according to the library's policy.
    Errors(Policy<'t>),
    /// Decode escapes.
    Unescape,
    /// Decode each run of errors from another encoding.
    Fallback(Codec),
    /// Decode each line with an error from another encoding.
    FallbackLines(Codec),
    /// Decode lines that were encoded twice. If a line has several possible decodings, the other lines decide: the
    /// lines before it, or all lines if the result of [`Repairer::proven`](crate::Repairer::proven) for the whole
    /// input is given.
    Undouble(Option<Detours>),
}

impl<'t> RepairPolicy<'t> {
    /// Returns this policy with the evidence of the whole input, if it needs evidence and has none: `proven` is what
    /// [`Repairer::proven`](crate::Repairer::proven) returns for that input.
    #[cfg(feature = "files")]
    pub(crate) fn with_evidence(self, proven: Detours) -> Self {
        match self {
            RepairPolicy::Undouble(None) => RepairPolicy::Undouble(Some(proven)),
            decided => decided,
        }
    }

    /// Reports whether a block of whole items stays unchanged whatever surrounds it, apart from the rest of its lines.
    pub fn leaves_unchanged(self, encoding: AnyEncoding, items: &[u8]) -> bool {
        let backslash = || items.contains(&b'\\');
        let valid = || validate_in(encoding, items).is_ok();
        match self {
            RepairPolicy::Errors(Policy::Escape) => !backslash() && valid(),
            // Whether an item is an error may depend on the item before it.
            RepairPolicy::Errors(_) if encoding == AnyEncoding::Wtf8 => false,
            RepairPolicy::Errors(_) | RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) => valid(),
            RepairPolicy::Unescape => !backslash(),
            RepairPolicy::Undouble(_) => {
                utf8kit::is_ascii(items)
                    || utf8kit::validate(items).is_ok_and(|text| UNDOUBLER.candidates(text) == 0)
            }
        }
    }

    /// Reports whether blocks of whole items can be repaired independently: no error depends on another one or on
    /// what follows it.
    pub fn splits(self, encoding: AnyEncoding) -> bool {
        use AnyEncoding as E;
        let alone = match self {
            RepairPolicy::Errors(Policy::Replace { each, .. }) => matches!(each, Each::Subpart | Each::Byte),
            RepairPolicy::Errors(Policy::Remove | Policy::SameLength) => true,
            _ => false,
        };
        alone && !matches!(encoding, E::Wtf8 | E::Utf8Bits21 | E::Utf8Bits31)
    }
}
