//! What a target refuses in well-formed text, and why.

pub use utf8kit_encodings::violation::ViolationKind;

/// A span that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Its offset in the row, in bytes.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
    /// The reason.
    pub kind: ViolationKind,
    /// The name of the target that refuses it; `None` if it exceeds a demanded length.
    pub target: Option<&'static str>,
    /// The text that the span hides, or the name that it looks like.
    pub text: Option<String>,
}

impl Violation {
    /// Returns a violation by no particular target.
    pub fn new(offset: usize, len: usize, kind: ViolationKind) -> Violation {
        Violation { offset, len, kind, target: None, text: None }
    }
}
