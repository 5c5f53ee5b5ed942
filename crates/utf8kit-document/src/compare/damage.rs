//! What was damaged: its kind and its place.

use std::ops::Range;

/// A kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DamageKind {
    /// Something became U+FFFD, a question mark or a character reference.
    Replaced,
    /// Something was dropped.
    Removed,
    /// UTF-8 was read in another encoding and written as UTF-8: `é` became `Ã©`.
    Doubled,
    /// Text was written in another encoding.
    Recoded,
    /// Text was composed or decomposed.
    Normalized,
    /// A line end became another one.
    LineEnds,
    /// A byte order mark was added or removed.
    ByteOrderMark,
}

impl DamageKind {
    /// All kinds.
    pub const ALL: [DamageKind; 7] = [
        DamageKind::Replaced,
        DamageKind::Removed,
        DamageKind::Doubled,
        DamageKind::Recoded,
        DamageKind::Normalized,
        DamageKind::LineEnds,
        DamageKind::ByteOrderMark,
    ];

    /// Reports whether it is damage to text, and not to line ends or marks alone.
    pub(super) fn is_of_text(self) -> bool {
        !matches!(self, DamageKind::LineEnds | DamageKind::ByteOrderMark)
    }

    /// Returns its name.
    ///
    /// ```
    /// assert_eq!(utf8kit_document::DamageKind::LineEnds.name(), "line_ends");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            DamageKind::Replaced => "replaced",
            DamageKind::Removed => "removed",
            DamageKind::Doubled => "doubled",
            DamageKind::Recoded => "recoded",
            DamageKind::Normalized => "normalized",
            DamageKind::LineEnds => "line_ends",
            DamageKind::ByteOrderMark => "byte_order_mark",
        }
    }
}

/// A damaged place: text that was not edited and has other bytes than before. Adjacent places of a kind are one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// What happened.
    pub kind: DamageKind,
    /// The bytes in the old version.
    pub old: Range<usize>,
    /// The bytes in the new version.
    pub new: Range<usize>,
    /// The line in the new version, from 1.
    pub line: usize,
    /// The column in the new version, from 1, in code points.
    pub column: usize,
    /// Whether it is uncertain which bytes were here: a change lies within, or two explanations are equally good.
    /// [`restore`](crate::restore()) leaves the place as it is.
    pub doubtful: bool,
}
