//! What the targets share: an operation on every level must say what it says on `scalar`, the definition.

use std::fmt::Debug;

use utf8kit::{AnyEncoding, Level};

/// Runs it on the definition, then on every other level.
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

/// Takes the first byte for a choice, and leaves the rest.
pub fn choice(data: &mut &[u8]) -> usize {
    let Some((&first, rest)) = data.split_first() else { return 0 };
    *data = rest;
    first.into()
}

/// The first byte picks an encoding.
pub fn encoding(data: &mut &[u8]) -> AnyEncoding {
    AnyEncoding::ALL[choice(data) % AnyEncoding::ALL.len()]
}
