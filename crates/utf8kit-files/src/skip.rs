//! Why files are skipped.

use std::fmt;
use std::path::PathBuf;

use utf8kit_detect::repair::Patching;
use utf8kit_detect::{Action, Suggestion};
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
    /// It is not text but in this format, which a write would destroy: a media type, such as `image/png`.
    Format(&'static str),
    /// It is compressed or an archive, which cannot be changed in place.
    Packed(Format),
    /// The ledger says that the work was done.
    Done,
    /// It is configured to be in this encoding, which the command does not read.
    Legacy(Charset),
    /// It is text in another encoding, which a repair would replace, and a conversion keeps.
    OtherEncoding {
        /// The likeliest encoding.
        encoding: &'static str,
        /// What keeps its text.
        suggestion: Option<Suggestion>,
        /// Whether there are NULs in it, which a conversion keeps.
        has_nuls: bool,
    },
    /// It is UTF-8 once lossless damage is undone, and a write would lose that text.
    Artifact {
        /// The damage.
        artifact: Artifact,
        /// What undoes it.
        suggestion: Suggestion,
    },
    /// It is text in an encoding that is not known, which a repair would replace.
    UnknownEncoding,
    /// It is UTF-8, and a conversion from this encoding would encode it a second time.
    AlreadyUtf8(Charset),
    /// It is in this encoding, the target's, and the conversion would encode it a second time.
    AlreadyIn(Charset),
    /// Lines of it are or may be UTF-8, which a conversion of all lines garbles, and others are not, which a repair
    /// replaces. The suggestion is what keeps all text.
    Mixed(Option<Suggestion>),
    /// Some of it is UTF-16, as a shell appends it to a log, and the rest is not.
    PartlyUtf16,
    /// Values of it read as text in another encoding, and a repair would replace them.
    LegacyValues {
        /// Such as this one.
        encoding: &'static str,
        /// The dump that they are in, if they are in one.
        dump: Option<DumpFormat>,
    },
    /// It stores lengths in bytes, which a write would make wrong.
    Lengths(ByteLengths),
    /// It has this number of hard links: see [`HardLinks`](super::HardLinks).
    HardLinks(u64),
    /// The user may not write to it, only to its folder.
    NotWritable,
    /// Another file has the name for its backup.
    BackupExists(PathBuf),
}

impl Skip {
    /// Says what text looks like that a repair loses, or a conversion garbles. `None` if this is another reason.
    ///
    /// ```
    /// use utf8kit_files::Skip;
    ///
    /// let skip = Skip::OtherEncoding { encoding: "KOI8-R", suggestion: None, has_nuls: false };
    /// assert_eq!(skip.looks().as_deref(), Some("it looks like KOI8-R"));
    /// assert_eq!(Skip::Binary.looks(), None);
    /// ```
    pub fn looks(&self) -> Option<String> {
        Some(match self {
            Skip::OtherEncoding { encoding, has_nuls, .. } => {
                format!("it looks like {encoding}{}", if *has_nuls { " with NULs" } else { "" })
            }
            Skip::Artifact { artifact, .. } => format!("it is UTF-8 with {}", artifact.about()),
            Skip::AlreadyUtf8(_) => "it is UTF-8 already".to_owned(),
            Skip::AlreadyIn(to) => format!("it looks like {to} already"),
            Skip::UnknownEncoding => "it looks like text in an unknown encoding".to_owned(),
            Skip::Lengths(lengths) => format!("it has {lengths}"),
            Skip::Mixed(_) => "some of its lines are or may be UTF-8, and others are not".to_owned(),
            Skip::PartlyUtf16 => "some of it is UTF-16".to_owned(),
            Skip::LegacyValues { encoding, .. } => {
                format!("values of it read as text in {encoding} or the like")
            }
            _ => return None,
        })
    }

    /// Returns what keeps the text of the file.
    pub fn suggestion(&self) -> Option<&Suggestion> {
        match self {
            Skip::OtherEncoding { suggestion, .. } | Skip::Mixed(suggestion) => suggestion.as_ref(),
            Skip::Artifact { suggestion, .. } => Some(suggestion),
            _ => None,
        }
    }

    /// Returns its name, to count by.
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
            Skip::Mixed(_) => "mixed",
            Skip::PartlyUtf16 => "partly_utf16",
            Skip::LegacyValues { .. } => "legacy_values",
            Skip::Lengths(_) => "lengths",
            Skip::HardLinks(_) => "hard_links",
            Skip::NotWritable => "not_writable",
            Skip::BackupExists(_) => "backup_exists",
        }
    }

    /// Returns how to decode the file line by line, if its lines are in two encodings and it is certain in which.
    pub(super) fn by_line(&self) -> Option<Patching> {
        match self {
            Skip::Mixed(Some(suggestion)) if suggestion.is_sure() => match suggestion.action {
                Action::FallbackLines(fallback) => Some(Patching::by_line(fallback)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Reports whether the file is written all the same if that is asked for: `--force` in the command, `force=True` in
    /// Python, `force` in the options.
    pub fn yields_to_force(&self) -> bool {
        matches!(
            self,
            Skip::Format(_)
                | Skip::OtherEncoding { .. }
                | Skip::Artifact { .. }
                | Skip::UnknownEncoding
                | Skip::AlreadyUtf8(_)
                | Skip::AlreadyIn(_)
                | Skip::Mixed(_)
                | Skip::PartlyUtf16
                | Skip::LegacyValues { .. }
                | Skip::Lengths(_)
        )
    }

    /// Reports whether the user has to look at the file. Otherwise the file is one that is not meant.
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
            Skip::Done => f.write_str("it is done, according to the ledger"),
            Skip::Legacy(charset) => write!(f, "it is configured to be in {charset}"),
            Skip::OtherEncoding { .. }
            | Skip::Artifact { .. }
            | Skip::UnknownEncoding
            | Skip::Mixed(_)
            | Skip::PartlyUtf16
            | Skip::LegacyValues { .. } => write!(f, "{looks}, and text would be lost"),
            Skip::Lengths(_) => write!(f, "{looks}, which would be wrong"),
            Skip::AlreadyUtf8(from) => {
                write!(f, "{looks}, and a conversion from {from} would encode it twice")
            }
            Skip::AlreadyIn(_) => write!(f, "{looks}, and would be encoded twice"),
            Skip::HardLinks(links) => write!(f, "it has {links} hard links"),
            Skip::NotWritable => f.write_str("you may not write to it"),
            Skip::BackupExists(backup) => write!(f, "there is a {} already", Name(backup)),
        }
    }
}
