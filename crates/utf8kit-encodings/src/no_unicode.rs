//! Replaces `unicode.rs` if the feature `unicode` is off. Nothing is known about code points then.

/// Zeros without the feature.
pub const VERSION: (u64, u64, u64) = (0, 0, 0);

/// Returns the name of a code point: empty without the feature.
pub fn name(_: u32) -> String {
    String::new()
}

/// Returns the name of its block: `Unknown` without the feature.
pub fn block(_: u32) -> &'static str {
    "Unknown"
}

/// Returns the name of its script: `Unknown` without the feature.
pub fn script(_: u32) -> &'static str {
    "Unknown"
}
