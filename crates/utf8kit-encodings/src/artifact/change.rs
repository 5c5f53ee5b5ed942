//! Shared parts of all artifact repairs.

/// A callback for a change within the current bytes.
pub(super) type Change<'c> = &'c mut dyn FnMut(usize, &[u8], &[u8]);

/// Reports whether a byte is a control that text rarely contains. White space, a backspace, an escape and the like are
/// not.
pub(super) fn is_alien(byte: u8) -> bool {
    matches!(byte, 0x00..=0x07 | 0x0E..=0x19 | 0x1C..=0x1F | 0x7F)
}
