//! How sure a guess is.

/// The confidence of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confidence {
    /// All evidence agrees, and it is not a matter of chance.
    Certain,
    /// Another encoding is conceivable.
    Likely,
    /// The best of several candidates.
    Possible,
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
