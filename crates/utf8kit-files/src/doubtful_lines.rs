//! The lines of a file that may have been encoded twice and that a repair leaves unchanged.

use std::io::{self, Read as _};
use std::path::Path;

use utf8kit::{AnyEncoding, Piece};
use utf8kit_detect::mojibake::{Candidate, Evidence, Outcome};
use utf8kit_detect::repair::{Lines, RepairPolicy};

use crate::{BLOCK, Blocks, FileError};

/// A line that may have been encoded twice and is left unchanged.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DoubtfulLine<'l> {
    /// Its offset, in bytes.
    pub offset: u64,
    /// Its line number, from 1.
    pub number: u64,
    /// Its text, without the line feed.
    pub text: &'l str,
    /// The texts that it may have been, the likeliest first.
    pub candidates: &'l [Candidate],
}

/// Passes on the doubtful lines of a UTF-8 text, which a repair leaves unchanged. Only the policy `mojibake` has any.
///
/// # Errors
/// A [`FileError`] with `path` if the text cannot be read, and any error of `take`.
pub fn doubtful_lines<E: From<FileError>>(
    path: &Path,
    blocks: Blocks,
    policy: &RepairPolicy,
    mut take: impl FnMut(DoubtfulLine<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let &RepairPolicy::Mojibake(proven) = policy else { return Ok(()) };
    let at = |error: io::Error| FileError::io(path, error);
    let mut reader = blocks.into_reader().map_err(at)?;
    let (mut lines, mut evidence, mut number) = (Lines::default(), Evidence::new(proven), 1);
    let mut done = Ok(());
    let mut piece = vec![0; BLOCK];
    while done.is_ok() {
        let len = match reader.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(at)?,
        };
        let read = piece.get(..len).unwrap_or_default();
        lines.push(AnyEncoding::Utf8, read, Piece::last_if(len == 0), |offset, line| {
            if let Ok(text) = utf8kit::validate(line)
                && let Outcome::Doubtful(candidates) = evidence.repair(text)
                && done.is_ok()
            {
                let text = text.trim_end_matches('\n');
                done = take(DoubtfulLine { offset, number, text, candidates: &candidates });
            }
            number += u64::from(line.ends_with(b"\n"));
        });
        if len == 0 {
            break;
        }
    }
    done
}
