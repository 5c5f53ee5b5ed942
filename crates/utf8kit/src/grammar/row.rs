//! Rows of byte ranges, and the markers of single bytes.

/// A row of a grammar: the byte ranges of a family of sequences of the same length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub(super) ranges: [(u8, u8); 6],
    pub(super) len: u8,
}

impl Row {
    /// Returns the inclusive range of each byte of the sequence, first to last (1 to 6 of them).
    #[must_use]
    pub fn ranges(&self) -> &[(u8, u8)] {
        &self.ranges[..usize::from(self.len).min(self.ranges.len())]
    }
}

pub(super) const fn row(ranges: &[(u8, u8)]) -> Row {
    let mut all = [(0, 0); 6];
    let mut i = 0;
    while i < ranges.len() {
        all[i] = ranges[i];
        i += 1;
    }
    Row { ranges: all, len: ranges.len() as u8 }
}

/// Returns the length that the marker bits of a lead byte announce: its leading ones, 1 for ASCII, 7 and 8 for FE and
/// FF.
#[inline]
#[must_use]
pub(crate) const fn length_class(lead: u8) -> usize {
    if lead < 0x80 { 1 } else { lead.leading_ones() as usize }
}

/// Returns the mask of the payload bits in the lead byte of a sequence of `len` bytes.
#[inline]
#[must_use]
pub(crate) const fn lead_mask(len: usize) -> u32 {
    if len == 1 { 0x7F } else { 0x7F >> len }
}

/// Reports whether a byte is in 80..BF.
#[inline(always)]
#[must_use]
pub(crate) const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Returns how many bytes from the start of `bytes` are in the ranges.
#[inline(never)]
pub(crate) fn matching(ranges: &[(u8, u8)], bytes: &[u8]) -> usize {
    ranges.iter().zip(bytes).take_while(|((low, high), byte)| (low..=high).contains(byte)).count()
}
