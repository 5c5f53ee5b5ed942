//! What is wrong with an archive, which is not what may be wrong with the text in it.

use std::fmt;
use std::io;

/// A format of compression or of archives.
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
    /// Its name.
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

    /// Whether it holds files with names.
    pub fn is_archive(self) -> bool {
        matches!(self, Format::Zip | Format::Tar)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why what is in a compressed file or an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Its bytes break the rules of its format.
    Damaged {
        /// The format.
        format: Format,
        /// What is wrong.
        reason: String,
    },
    /// It ends too early.
    Truncated(Format),
    /// More comes out of it than is allowed: see [`Unpack::max_expansion`](super::Unpack::max_expansion).
    Expands {
        /// How many times its size is allowed.
        limit: u64,
    },
    /// A member that is encrypted.
    Encrypted,
    /// A member that is compressed by a method that is not known.
    Method(String),
    /// A member that is an archive itself.
    Nested(Format),
    /// There is no member of the name that was given.
    NoMember,
    /// A member was named, of a file that is no archive.
    NoArchive,
    /// One text was wanted, and there are several.
    Several,
    /// It was to be changed where it is.
    InPlace(Format),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Damaged { format, reason } => write!(f, "damaged {format}: {reason}"),
            ArchiveError::Truncated(format) => write!(f, "damaged {format}: it ends too early"),
            ArchiveError::Expands { limit } => {
                write!(f, "expands to more than {limit} times its size: --max-expansion allows more")
            }
            ArchiveError::Encrypted => f.write_str("encrypted"),
            ArchiveError::Method(method) => write!(f, "compressed by a method that is not known: {method}"),
            ArchiveError::Nested(format) => write!(f, "an archive ({format}) in an archive: not opened"),
            ArchiveError::NoMember => f.write_str("no such member in the archive"),
            ArchiveError::NoArchive => f.write_str("not an archive"),
            ArchiveError::Several => {
                f.write_str("an archive: name one of its members, as in archive.zip!folder/name")
            }
            ArchiveError::InPlace(format) => write!(
                f,
                "{format} cannot be changed in place: unpack it first, or write elsewhere with --output"
            ),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}
