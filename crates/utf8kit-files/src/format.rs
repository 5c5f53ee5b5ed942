//! Errors in archives, as opposed to errors in the text they contain.

use std::fmt;
use std::io;

/// A format of compression or archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// gzip, RFC 1952.
    Gzip,
    /// Zstandard, RFC 8878.
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// zip.
    Zip,
    /// tar.
    Tar,
}

impl Format {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Gzip => "gzip",
            Format::Zstd => "zstd",
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
            Format::Zip => "zip",
            Format::Tar => "tar",
        }
    }

    /// Reports whether it contains files with names.
    pub fn is_archive(self) -> bool {
        matches!(self, Format::Zip | Format::Tar)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why the content of a compressed file or an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Its bytes violate the format.
    Damaged {
        /// The format.
        format: Format,
        /// A description of the damage.
        reason: String,
    },
    /// It ends too early.
    Truncated(Format),
    /// It expands to more bytes than allowed: see [`Unpack::max_expansion`](super::Unpack::max_expansion).
    Expands {
        /// The allowed multiple of its size.
        limit: u64,
    },
    /// The member is encrypted.
    Encrypted,
    /// The member uses an unknown compression method.
    Method(String),
    /// The member is an archive itself.
    Nested(Format),
    /// The archive has no member of the given name.
    NoMember,
    /// A member was named, but the file is not an archive.
    NoArchive,
    /// It may contain several texts, but one is needed.
    Several,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Damaged { format, reason } => write!(f, "damaged {format}: {reason}"),
            ArchiveError::Truncated(format) => write!(f, "damaged {format}: it ends too early"),
            ArchiveError::Expands { limit } => {
                write!(f, "expands to more than {limit} times its size")
            }
            ArchiveError::Encrypted => f.write_str("encrypted"),
            ArchiveError::Method(method) => write!(f, "unknown compression method: {method}"),
            ArchiveError::Nested(format) => write!(f, "an archive ({format}) in an archive: not opened"),
            ArchiveError::NoMember => f.write_str("no such member in the archive"),
            ArchiveError::NoArchive => f.write_str("not an archive"),
            ArchiveError::Several => f.write_str("an archive: name one of its members, as in archive.zip!folder/name"),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}
