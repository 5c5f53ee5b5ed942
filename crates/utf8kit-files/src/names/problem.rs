//! Problems of names.

use utf8kit_encodings::violation::ViolationKind;

/// A problem of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameProblem {
    /// The offset in the name, in bytes.
    pub offset: usize,
    /// The length in bytes.
    pub len: usize,
    /// Its kind.
    pub kind: NameProblemKind,
    /// A description in words, safe for a terminal.
    pub what: String,
}

/// A kind of [`NameProblem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameProblemKind {
    /// It is not UTF-8: in a legacy encoding, or damaged.
    NotUtf8,
    /// It was encoded twice.
    DoubleEncoding,
    /// It is not in the required normal form.
    NotNormalized,
    /// Another name would become equal to it.
    Collision,
    /// Another name in the folder is equal if case and normal forms are ignored.
    CaseCollision,
    /// In a zip: it is UTF-8 but not marked as such.
    Unmarked,
    /// A target rejects it.
    Target(ViolationKind),
}

impl NameProblemKind {
    /// Returns the kinds that only names have, each with a sentence about it.
    ///
    /// ```
    /// use utf8kit_files::names::NameProblemKind;
    ///
    /// assert!(NameProblemKind::of_names().any(|(kind, _)| kind.name() == "not_utf8"));
    /// ```
    pub fn of_names() -> impl Iterator<Item = (NameProblemKind, &'static str)> {
        [
            (NameProblemKind::NotUtf8, "A name that is not UTF-8: in a legacy encoding, or damaged."),
            (NameProblemKind::NotNormalized, "A name that is not in the demanded normal form."),
            (NameProblemKind::Collision, "A name that would become the same as another one."),
            (
                NameProblemKind::CaseCollision,
                "A name that is the same as another one if case and normal forms are ignored.",
            ),
            (NameProblemKind::Unmarked, "A name in a zip that is UTF-8 and not marked as such."),
        ]
        .into_iter()
    }

    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            NameProblemKind::NotUtf8 => "not_utf8",
            NameProblemKind::DoubleEncoding => ViolationKind::DoubleEncoding.name(),
            NameProblemKind::NotNormalized => "not_normalized",
            NameProblemKind::Collision => "collision",
            NameProblemKind::CaseCollision => "case_collision",
            NameProblemKind::Unmarked => "unmarked",
            NameProblemKind::Target(kind) => kind.name(),
        }
    }
}
