//! In the place of `unicode.rs` where the feature `unicode` is off: nothing is known about code points.

/// The name: empty, as the tables are not there.
pub fn name(_: u32) -> String {
    String::new()
}

/// The block's name: `Unknown`, as the tables are not there.
pub fn block(_: u32) -> &'static str {
    "Unknown"
}

/// The script's name: `Unknown`, as the tables are not there.
pub fn script(_: u32) -> &'static str {
    "Unknown"
}
