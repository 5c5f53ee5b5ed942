//! Why a Parquet file cannot be checked or repaired.

use std::fmt;
use std::io;

use utf8kit_files::FileError;

/// Why a Parquet file cannot be checked or repaired.
#[derive(Debug)]
#[non_exhaustive]
pub enum ParquetError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// A file on disk cannot be read or replaced.
    File(FileError),
    /// It lacks the magic bytes of a Parquet file at its start or end.
    NotParquet,
    /// Its metadata is malformed, with a description.
    Malformed(&'static str),
    /// It is encrypted, as a whole or in some columns.
    Encrypted,
    /// Its metadata refers to chunks of columns in other files.
    OtherFiles,
    /// Two columns would have the same name after the repair.
    SameNames(String),
    /// A page cannot be decoded, with the message of the crate `parquet`.
    Page(String),
    /// The work was cancelled.
    Cancelled,
}

impl fmt::Display for ParquetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParquetError::Io(error) => write!(f, "{error}"),
            ParquetError::File(error) => write!(f, "{error}"),
            ParquetError::NotParquet => f.write_str("not a Parquet file"),
            ParquetError::Malformed(what) => write!(f, "not a valid Parquet file: {what}"),
            ParquetError::Encrypted => f.write_str("the file has encrypted columns"),
            ParquetError::OtherFiles => f.write_str("its columns are in other files"),
            ParquetError::SameNames(name) => {
                write!(f, "two columns would both be called {name:?}; the policy escape keeps them apart")
            }
            ParquetError::Page(message) => write!(f, "not a valid Parquet file: {message}"),
            ParquetError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for ParquetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ParquetError::Io(error) => Some(error),
            ParquetError::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ParquetError {
    fn from(error: io::Error) -> ParquetError {
        ParquetError::Io(error)
    }
}

impl From<FileError> for ParquetError {
    fn from(error: FileError) -> ParquetError {
        match error {
            FileError::Cancelled => ParquetError::Cancelled,
            error => ParquetError::File(error),
        }
    }
}

impl From<parquet::errors::ParquetError> for ParquetError {
    fn from(error: parquet::errors::ParquetError) -> ParquetError {
        match error {
            parquet::errors::ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => ParquetError::Io(*error),
                Err(error) => ParquetError::Page(error.to_string()),
            },
            other => ParquetError::Page(other.to_string()),
        }
    }
}
