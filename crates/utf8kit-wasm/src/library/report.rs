//! Errors as numbers.

use utf8kit::{Error, ErrorKind};

/// Returns the number of a kind of error.
pub(super) fn kind_index(kind: ErrorKind) -> f64 {
    f64::from(kind as u8)
}

/// Writes the error to `numbers` as offset, length, kind. Returns 1 if there is one.
pub(super) fn report(numbers: &mut Vec<f64>, result: Result<(), Error>) -> u32 {
    numbers.clear();
    let Err(error) = result else { return 0 };
    numbers.extend([error.offset as f64, f64::from(error.len), kind_index(error.kind)]);
    1
}
