//! What is done about errors, by name.

/// What one replacement stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Each {
    /// A maximal subpart (Unicode 3.9): what WHATWG decoders, Python, Rust and Node do.
    Subpart,
    /// A byte of an error (a code unit in wider encodings): Go's range loop.
    Byte,
    /// A run of errors with nothing good between them: Go's `ToValidUTF8`, ClickHouse.
    Run,
    /// A maximal subpart, an encoded surrogate (`ED A0..BF 80..BF`) being one: Java's decoder.
    Java,
}

/// What is done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy<'t> {
    /// Put a text in its place; characters of the text that the target lacks become `?`.
    Replace {
        /// What one replacement stands for.
        each: Each,
        /// The text.
        with: &'t str,
    },
    /// Leave its bytes out. Loses data, and can join what should be apart: `<scr\xFFipt>`.
    Remove,
    /// Write each byte as `\xHH`. Reversible: a literal backslash before an `x` is written `\x5C` (each byte
    /// of its unit, in wider encodings), so that [`crate::unescape`] gives back exactly the input.
    Escape,
    /// A `?` for each byte (each whole code unit in wider encodings): offsets of all else stay as they were.
    /// A part of a unit at the end cannot be mended in its own length, and is left out.
    SameLength,
}

impl Policy<'static> {
    /// One U+FFFD a maximal subpart: the default everywhere.
    pub const REPLACE: Policy<'static> = Policy::Replace { each: Each::Subpart, with: "\u{FFFD}" };
    /// One U+FFFD a byte.
    pub const REPLACE_BYTE: Policy<'static> = Policy::Replace { each: Each::Byte, with: "\u{FFFD}" };
    /// One U+FFFD a run.
    pub const REPLACE_RUN: Policy<'static> = Policy::Replace { each: Each::Run, with: "\u{FFFD}" };
    /// One U+FFFD where Java writes one.
    pub const JAVA: Policy<'static> = Policy::Replace { each: Each::Java, with: "\u{FFFD}" };
}
