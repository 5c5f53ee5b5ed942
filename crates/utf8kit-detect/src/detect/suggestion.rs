//! What is suggested for an input that is not plain UTF-8.

use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::{Charset, Fallback};

use crate::detect::confidence::Confidence;

/// What makes an input UTF-8, and keeps all of its text but what is damaged.
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
        /// Whether it begins with a byte order mark, to be removed.
        strip_bom: bool,
    },
    /// Replace the errors.
    ReplaceErrors,
    /// Decode lines that were encoded twice.
    FixMojibake,
    /// Undo damage that lost nothing.
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

/// What is suggested for an input, and how sure that is.
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
    /// What makes the input UTF-8, if it is in the likeliest encoding.
    pub action: Action,
    /// Other encodings that it may be in, the likeliest first.
    pub others: Vec<&'static str>,
    /// How sure it is that the action is for the right encoding.
    pub(super) confidence: Confidence,
}

impl Suggestion {
    /// What is said of an action that may be wrong.
    pub const NOT_SURE: &str = "not sure";

    /// Suggests what is certain.
    pub fn sure(action: Action) -> Suggestion {
        Suggestion { action, others: Vec::new(), confidence: Confidence::Certain }
    }

    /// Suggests what is certain, or else likely.
    pub fn rather(action: Action, is_sure: bool) -> Suggestion {
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Likely };
        Suggestion { confidence, ..Suggestion::sure(action) }
    }

    /// Reports whether it is sure: otherwise what the action makes of the input is to be looked at.
    pub fn is_sure(&self) -> bool {
        self.confidence == Confidence::Certain
    }

    /// Reports whether the action is only one of those that are possible: how the input reads in all encodings is to be
    /// looked at before. See [`Guess::previews`](super::Guess::previews).
    pub fn is_open(&self) -> bool {
        self.confidence == Confidence::Possible
    }

    /// Returns what else the input may be, unless the action is sure.
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
            (false, others) => {
                Some(format!("{}: it may also be {}", Suggestion::NOT_SURE, others.join(", ")))
            }
        }
    }
}
