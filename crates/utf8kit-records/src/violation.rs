//! Violations: spans of valid text that a target rejects, with reasons.

pub use utf8kit_encodings::violation::ViolationKind;

/// A rejected span.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Its offset in the row, in bytes.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
    /// The reason.
    pub kind: ViolationKind,
    /// The name of the target that rejects it; `None` if it exceeds a maximum length.
    pub target: Option<&'static str>,
    /// The text that the span hides, or the name that it looks like.
    pub text: Option<String>,
}

impl Violation {
    /// Returns a violation without a particular target.
    pub fn new(offset: usize, len: usize, kind: ViolationKind) -> Violation {
        Violation { offset, len, kind, target: None, text: None }
    }
}
