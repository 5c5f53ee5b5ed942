//! What is done about errors, escapes and lines, and which blocks of an input it leaves alone.

use utf8kit::{AnyEncoding, Each, Policy, validate_in};

use crate::charset::Codec;
use crate::repair::double_encoding::{Detours, UNDOUBLER};

/// What a repair does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairPolicy<'t> {
    /// Each error is dealt with.
    Errors(Policy<'t>),
    /// Escapes are undone.
    Unescape,
    /// Each run of errors is read in another encoding.
    Fallback(Codec),
    /// Each line with an error is read in another encoding.
    FallbackLines(Codec),
    /// Lines that were encoded twice are decoded. Where that could have happened in two ways, the other lines decide: those
    /// before, or if what [`Repairer::proven`](crate::Repairer::proven) said of the whole input is given, all of them.
    Undouble(Option<Detours>),
}

impl<'t> RepairPolicy<'t> {
    /// Whether nothing is done to a block of whole items, whatever stands around it but for the line it is part of.
    pub fn spares(self, encoding: AnyEncoding, items: &[u8]) -> bool {
        let backslash = || items.contains(&b'\\');
        let valid = || validate_in(encoding, items).is_ok();
        match self {
            RepairPolicy::Errors(Policy::Escape) => !backslash() && valid(),
            // What is an error may depend on the item before.
            RepairPolicy::Errors(_) if encoding == AnyEncoding::Wtf8 => false,
            RepairPolicy::Errors(_) | RepairPolicy::Fallback(_) | RepairPolicy::FallbackLines(_) => valid(),
            RepairPolicy::Unescape => !backslash(),
            RepairPolicy::Undouble(_) => {
                utf8kit::is_ascii(items)
                    || utf8kit::validate(items).is_ok_and(|text| UNDOUBLER.candidates(text) == 0)
            }
        }
    }

    /// Whether blocks of whole items can be repaired apart: no error has to do with another one, nor with what is
    /// behind it.
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
