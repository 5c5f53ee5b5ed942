//! Shared parts of the targets: an operation must have the same result on every level as on `scalar`, the reference.

use std::fmt::Debug;

use utf8kit::{AnyEncoding, Level};

/// Runs the operation on the scalar level, then on every other level.
pub fn same_on_every_level<T: PartialEq + Debug>(mut operation: impl FnMut() -> T) {
    let mut on = |level: Level| {
        level.force().expect("it is available");
        operation()
    };
    let expected = on(Level::Scalar);
    for level in Level::available().skip(1) {
        assert_eq!(on(level), expected, "{level}");
    }
}

/// Uses the first byte to make a choice, and removes it.
pub fn choice(data: &mut &[u8]) -> usize {
    let Some((&first, rest)) = data.split_first() else { return 0 };
    *data = rest;
    first.into()
}

/// Chooses an encoding by the first byte.
pub fn encoding(data: &mut &[u8]) -> AnyEncoding {
    AnyEncoding::ALL[choice(data) % AnyEncoding::ALL.len()]
}
