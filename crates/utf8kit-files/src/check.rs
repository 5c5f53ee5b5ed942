//! Checks a file.

use std::io;
use std::path::Path;

use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_detect::SNIFF_LEN;
use utf8kit_encodings::charset::has_bom;

use crate::{Block, Blocks, Cut, FileError, Monitor, Source};

/// Options for [`check_file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The expected encoding. Default: UTF-8.
    pub encoding: EncodingLabel,
    /// The number of errors to keep with their places, from the first. All errors are counted. Default: 20.
    pub max_errors: usize,
    /// Number of threads. Default: 1.
    pub threads: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { encoding: EncodingLabel::Exact(AnyEncoding::Utf8), max_errors: 20, threads: 1 }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileCheck {
    /// The encoding that the file was checked as. The byte order of `utf-16` is known here.
    pub encoding: AnyEncoding,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// Its size, code points, lines, errors by kind, and first errors.
    pub summary: Summary,
}

impl FileCheck {
    /// Reports whether there are no errors.
    pub fn is_valid(&self) -> bool {
        self.summary.errors == 0
    }
}

/// Checks a file.
///
/// # Errors
/// [`FileError::Io`] if it cannot be read, [`FileError::Cancelled`] if `progress` asks to stop.
///
/// ```
/// use utf8kit_files::{CheckOptions, check_file};
///
/// let path = std::env::temp_dir().join("utf8kit-check-file-example");
/// std::fs::write(&path, b"good\nb\xFFd").unwrap();
/// let check = check_file(&path, &CheckOptions::default(), &mut ()).unwrap();
/// assert!(!check.is_valid());
/// let first = check.summary.first_errors[0];
/// assert_eq!((first.error.offset, first.line, first.column), (6, 1, 1)); // from 0
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn check_file(path: &Path, options: &CheckOptions, progress: &mut dyn Monitor) -> Result<FileCheck, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    let mut blocks = Source::file(path).open().and_then(Blocks::of).map_err(at)?;
    let head = blocks.head(SNIFF_LEN).map_err(at)?;
    let encoding = options.encoding.resolve(&head).0;
    progress.expect(blocks.len().unwrap_or(0));
    let mut summary = Summary::new(options.max_errors);
    let work =
        |block: &mut Block| Summary::of(encoding, &block.bytes, block.own.clone(), block.base, options.max_errors);
    blocks.each(Cut::Item(encoding), options.threads, work, |part| {
        let part = part.map_err(at)?;
        summary.merge(&part);
        if progress.advance(part.bytes).is_break() {
            return Err(FileError::Cancelled);
        }
        Ok(())
    })?;
    Ok(FileCheck { encoding, bom: has_bom(encoding, &head), summary })
}
