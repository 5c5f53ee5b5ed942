//! Views units and words as the bytes they are in memory.
#![allow(unsafe_code, reason = "the types have no padding and allow any bits")]

pub(crate) fn bytes_of_units(units: &[u16]) -> &[u8] {
    // SAFETY: the same memory; bytes need no alignment and may have any value.
    unsafe { std::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

pub(crate) fn bytes_of_units_mut(units: &mut [u16]) -> &mut [u8] {
    // SAFETY: as above, borrowed exclusively; any bytes are valid units.
    unsafe { std::slice::from_raw_parts_mut(units.as_mut_ptr().cast(), size_of_val(units)) }
}

pub(crate) fn bytes_of_words(words: &[u32]) -> &[u8] {
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}
