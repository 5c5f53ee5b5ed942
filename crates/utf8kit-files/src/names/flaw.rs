//! What can be wrong with a name.

use utf8kit_encodings::violation::ViolationKind;

/// One thing that is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameFlaw {
    /// The offset in the name, in bytes.
    pub offset: usize,
    /// The length in bytes.
    pub len: usize,
    /// Its kind.
    pub kind: NameFlawKind,
    /// A description in words, which is safe for a terminal.
    pub what: String,
}

/// A kind of [`NameFlaw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFlawKind {
    /// It is not UTF-8: in a legacy encoding, or damaged.
    NotUtf8,
    /// It was encoded twice.
    DoubleEncoding,
    /// It is not in the demanded normal form.
    NotNormalized,
    /// Another name would become the same.
    Collision,
    /// Another name in the folder is the same where case and normal forms do not count.
    CaseCollision,
    /// In a zip: it is UTF-8 and not marked as such.
    Unmarked,
    /// A target refuses it.
    Refused(ViolationKind),
}

impl NameFlawKind {
    /// Returns the kinds that only names have, each with a sentence about it.
    ///
    /// ```
    /// use utf8kit_files::names::NameFlawKind;
    ///
    /// assert!(NameFlawKind::of_names().any(|(kind, _)| kind.name() == "not_utf8"));
    /// ```
    pub fn of_names() -> impl Iterator<Item = (NameFlawKind, &'static str)> {
        [
            (NameFlawKind::NotUtf8, "A name that is not UTF-8: in a legacy encoding, or damaged."),
            (NameFlawKind::NotNormalized, "A name that is not in the demanded normal form."),
            (NameFlawKind::Collision, "A name that would become the same as another one."),
            (
                NameFlawKind::CaseCollision,
                "A name that is the same as another one where case and normal forms do not count.",
            ),
            (NameFlawKind::Unmarked, "A name in a zip that is UTF-8 and not marked as such."),
        ]
        .into_iter()
    }

    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            NameFlawKind::NotUtf8 => "not_utf8",
            NameFlawKind::DoubleEncoding => ViolationKind::DoubleEncoding.name(),
            NameFlawKind::NotNormalized => "not_normalized",
            NameFlawKind::Collision => "collision",
            NameFlawKind::CaseCollision => "case_collision",
            NameFlawKind::Unmarked => "unmarked",
            NameFlawKind::Refused(kind) => kind.name(),
        }
    }
}
