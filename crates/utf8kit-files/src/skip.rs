//! Why files are skipped.

use std::fmt;
use std::path::PathBuf;

use utf8kit_detect::repair::Patching;
use utf8kit_detect::{Action, Guess, Suggestion};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::display::Name;
use utf8kit_records::rows::DumpFormat;

use crate::{ByteLengths, Format};

/// Why a file is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// The configuration excludes it.
    Excluded,
    /// It is binary.
    Binary,
    /// It is not text but data of this media type, such as `image/png`, which a write would destroy.
    Format(&'static str),
    /// It is compressed or an archive, which cannot be changed in place.
    Packed(Format),
    /// The work is already done, according to the ledger.
    Done,
    /// It is configured to be in this encoding, which the command cannot read.
    Legacy(Charset),
    /// It is text in another encoding, which a repair would replace but a conversion keeps.
    OtherEncoding {
        /// The likeliest encoding.
        encoding: &'static str,
        /// The suggestion that keeps its text.
        suggestion: Option<Suggestion>,
        /// Damage that a conversion does not undo.
        artifact: Option<Artifact>,
    },
    /// It is UTF-8 with lossless damage. Undoing the damage keeps the text, but a write would lose it.
    Artifact {
        /// The damage.
        artifact: Artifact,
        /// The suggestion that undoes it.
        suggestion: Suggestion,
    },
    /// It is text in an unknown encoding, which a repair would replace.
    UnknownEncoding,
    /// It is UTF-8, so a conversion from this encoding would encode it a second time.
    AlreadyUtf8(Charset),
    /// It is already in this encoding, the target encoding, so the conversion would encode it a second time.
    AlreadyIn(Charset),
    /// Some lines are or may be UTF-8, which a conversion of all lines would garble, and others are not, which a repair
    /// would replace.
    Mixed {
        /// The encoding that some of the others read as.
        other: Option<&'static str>,
        /// The suggestion that keeps all text.
        suggestion: Option<Suggestion>,
    },
    /// Some of it is UTF-16, such as text appended to a log by a shell, and the rest is not.
    PartlyUtf16,
    /// Some of its values are plausible text in another encoding, and a repair would replace them.
    LegacyValues {
        /// An example.
        encoding: &'static str,
        /// The format of the dump that contains them, if it is one.
        dump: Option<DumpFormat>,
    },
    /// Some of its values are binary, in a dump of this format that is repaired as plain text.
    BinaryValues(DumpFormat),
    /// It stores byte lengths, which a write would make wrong.
    Lengths(ByteLengths),
    /// It has this number of hard links: see [`HardLinks`](super::HardLinks).
    HardLinks(u64),
    /// The user may write only to its folder, not to the file.
    NotWritable,
    /// Another file has the name for its backup.
    BackupExists(PathBuf),
}

impl Skip {
    /// Returns the reason for text that a guess finds to be in several encodings.
    pub fn mixed(guess: &Guess) -> Skip {
        Skip::Mixed { other: guess.mixed, suggestion: guess.suggestion() }
    }

    /// Describes text that a repair would lose or a conversion would garble. Returns `None` for any other reason.
    ///
    /// ```
    /// use utf8kit_files::Skip;
    ///
    /// let skip = Skip::OtherEncoding { encoding: "KOI8-R", suggestion: None, artifact: None };
    /// assert_eq!(skip.looks().as_deref(), Some("it looks like KOI8-R"));
    /// assert_eq!(Skip::Binary.looks(), None);
    /// ```
    pub fn looks(&self) -> Option<String> {
        Some(match self {
            Skip::OtherEncoding { encoding, artifact, .. } => {
                let artifact = artifact.map_or(String::new(), |artifact| format!(" with {}", artifact.about()));
                format!("it looks like {encoding}{artifact}")
            }
            Skip::Artifact { artifact, .. } => format!("it is UTF-8 with {}", artifact.about()),
            Skip::AlreadyUtf8(_) => "it is UTF-8 already".to_owned(),
            Skip::AlreadyIn(to) => format!("it looks like {to} already"),
            Skip::UnknownEncoding => "it looks like text in an unknown encoding".to_owned(),
            Skip::Lengths(lengths) => format!("it has {lengths}"),
            Skip::Mixed { other: Some(other), .. } => format!("it is UTF-8, but some lines read as {other}"),
            Skip::Mixed { other: None, .. } => "some of its lines are or may be UTF-8, and others are not".to_owned(),
            Skip::PartlyUtf16 => "some of it is UTF-16".to_owned(),
            Skip::BinaryValues(_) => "some of its values are binary".to_owned(),
            Skip::LegacyValues { encoding, .. } => {
                format!("some of its values look like text in {encoding} or a similar encoding")
            }
            _ => return None,
        })
    }

    /// Returns the suggestion that keeps the text of the file.
    pub fn suggestion(&self) -> Option<&Suggestion> {
        match self {
            Skip::OtherEncoding { suggestion, .. } | Skip::Mixed { suggestion, .. } => suggestion.as_ref(),
            Skip::Artifact { suggestion, .. } => Some(suggestion),
            _ => None,
        }
    }

    /// Returns its name, for counting.
    pub fn name(&self) -> &'static str {
        match self {
            Skip::Excluded => "excluded",
            Skip::Binary => "binary",
            Skip::Format(_) => "format",
            Skip::Packed(_) => "compressed",
            Skip::Done => "done",
            Skip::Legacy(_) => "legacy",
            Skip::OtherEncoding { .. } => "other_encoding",
            Skip::Artifact { .. } => "artifact",
            Skip::UnknownEncoding => "unknown_encoding",
            Skip::AlreadyUtf8(_) => "already_utf8",
            Skip::AlreadyIn(_) => "already_converted",
            Skip::Mixed { .. } => "mixed",
            Skip::PartlyUtf16 => "partly_utf16",
            Skip::LegacyValues { .. } => "legacy_values",
            Skip::BinaryValues(_) => "binary_values",
            Skip::Lengths(_) => "lengths",
            Skip::HardLinks(_) => "hard_links",
            Skip::NotWritable => "not_writable",
            Skip::BackupExists(_) => "backup_exists",
        }
    }

    /// Returns how to decode the file line by line, if its lines are in two encodings and it is certain in which.
    pub(super) fn by_line(&self) -> Option<Patching> {
        match self {
            Skip::Mixed { suggestion: Some(suggestion), .. } if suggestion.is_sure() => match suggestion.action {
                Action::FallbackLines(fallback) => Some(Patching::by_line(fallback)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reports whether the file can be written on request: `--force` in the command, `force=True` in Python, `force` in
    /// the options.
    pub fn yields_to_force(&self) -> bool {
        matches!(
            self,
            Skip::Format(_)
                | Skip::OtherEncoding { .. }
                | Skip::Artifact { .. }
                | Skip::UnknownEncoding
                | Skip::AlreadyUtf8(_)
                | Skip::AlreadyIn(_)
                | Skip::Mixed { .. }
                | Skip::PartlyUtf16
                | Skip::LegacyValues { .. }
                | Skip::BinaryValues(_)
                | Skip::Lengths(_)
        )
    }

    /// Reports whether the file needs the user's attention. Otherwise, it is a file that was not meant to be changed.
    pub fn needs_attention(&self) -> bool {
        !matches!(self, Skip::Excluded | Skip::Binary | Skip::Packed(_) | Skip::Done | Skip::Legacy(_))
    }
}

/// The reason, as a clause.
impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let looks = self.looks().unwrap_or_default();
        match self {
            Skip::Excluded => f.write_str("the configuration excludes it"),
            Skip::Binary => f.write_str("it is binary"),
            Skip::Format(media) => write!(f, "it is {media}, not text, and would be destroyed"),
            Skip::Packed(format) => write!(f, "{format} cannot be changed in place"),
            Skip::Done => f.write_str("already done, according to the ledger"),
            Skip::Legacy(charset) => write!(f, "it is configured to be in {charset}"),
            Skip::OtherEncoding { .. }
            | Skip::Artifact { .. }
            | Skip::UnknownEncoding
            | Skip::Mixed { .. }
            | Skip::PartlyUtf16
            | Skip::LegacyValues { .. } => write!(f, "{looks}, and text would be lost"),
            Skip::BinaryValues(_) => write!(f, "{looks}, and would be destroyed"),
            Skip::Lengths(_) => write!(f, "{looks}, which a write would make wrong"),
            Skip::AlreadyUtf8(from) => {
                write!(f, "{looks}, and a conversion from {from} would encode it twice")
            }
            Skip::AlreadyIn(_) => write!(f, "{looks}, and would be encoded twice"),
            Skip::HardLinks(links) => write!(f, "it has {links} hard links"),
            Skip::NotWritable => f.write_str("you may not write to it"),
            Skip::BackupExists(backup) => write!(f, "{} already exists", Name(backup)),
        }
    }
}
