//! Suggestions for an input that is not plain UTF-8.

use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Charset, Fallback};

use crate::detect::confidence::Confidence;

/// An action that makes an input UTF-8, and keeps all of its undamaged text.
///
/// ```
/// use utf8kit_detect::{Action, detect};
///
/// let text = "Grüße aus Köln, bis bald";
/// let guess = detect(&text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
/// let from = "utf-16le".parse().unwrap();
/// assert_eq!(guess.action, Some(Action::Convert { from, strip_bom: false }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Convert all of it.
    Convert {
        /// The encoding to convert it from.
        from: Charset,
        /// Whether to remove the byte order mark at its start.
        strip_bom: bool,
    },
    /// Replace the errors.
    ReplaceErrors,
    /// Decode lines that were encoded twice.
    FixMojibake,
    /// Undo lossless damage.
    Artifact(Artifact),
    /// Decode the escapes of bytes: `\xC3\xA9`.
    Unescape,
    /// Decode each run of errors from another encoding.
    Fallback(Fallback),
    /// Decode each line with an error from another encoding.
    FallbackLines(Fallback),
}

impl Action {
    /// Returns the conversion of all of an input that has no byte order mark.
    pub fn convert(from: Charset) -> Action {
        Action::Convert { from, strip_bom: false }
    }
}

/// A suggestion for an input, with its confidence.
///
/// ```
/// use utf8kit_detect::detect;
///
/// let german = b"f\xFCr gr\xF6\xDFere H\xE4user \xFCber alle Stra\xDFen, sch\xF6n und gr\xFCn";
/// let suggestion = detect(german).suggestion().unwrap();
/// assert!(suggestion.is_sure() && suggestion.others.is_empty());
/// let short = detect(b"one na\x8Bve try").suggestion().unwrap();
/// assert!(short.is_open());
/// assert_eq!(short.others, ["windows-1252", "CP850"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The action that makes the input UTF-8, if it is in the likeliest encoding.
    pub action: Action,
    /// Other encodings that it may be in, the likeliest first.
    pub others: Vec<&'static str>,
    /// The confidence that the action is for the right encoding.
    pub(super) confidence: Confidence,
}

impl Suggestion {
    /// A note on an action that may be wrong.
    pub const NOT_SURE: &str = "not sure";

    /// Suggests a certain action.
    pub fn sure(action: Action) -> Suggestion {
        Suggestion { action, others: Vec::new(), confidence: Confidence::Certain }
    }

    /// Suggests an action that is certain if `is_sure`, otherwise likely.
    pub fn rather(action: Action, is_sure: bool) -> Suggestion {
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        Suggestion { confidence, ..Suggestion::sure(action) }
    }

    /// Reports whether the action is sure. Otherwise, its result should be checked.
    pub fn is_sure(&self) -> bool {
        self.confidence == Confidence::Certain
    }

    /// Reports whether the action is only one of several possible ones, so that the input should first be previewed in
    /// all encodings. See [`Guess::previews`](super::Guess::previews).
    pub fn is_open(&self) -> bool {
        self.confidence == Confidence::Possible
    }

    /// Returns the other encodings that the input may be in, unless the action is sure.
    ///
    /// ```
    /// use utf8kit_detect::detect;
    ///
    /// let short = detect(b"one na\x8Bve try").suggestion().unwrap();
    /// assert_eq!(short.doubt().unwrap(), "not sure: it may also be windows-1252, CP850");
    /// ```
    pub fn doubt(&self) -> Option<String> {
        match (self.is_sure(), &self.others[..]) {
            (true, _) => None,
            (false, []) => Some(Suggestion::NOT_SURE.to_owned()),
            (false, others) => Some(format!("{}: it may also be {}", Suggestion::NOT_SURE, others.join(", "))),
        }
    }
}
