//! The confidence of guesses.

/// The confidence of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Confidence {
    /// The best of several candidates.
    Possible,
    /// Another encoding is conceivable.
    Likely,
    /// All evidence agrees, and chance cannot explain it.
    Certain,
}

impl Confidence {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
            Confidence::Possible => "possible",
        }
    }
}
