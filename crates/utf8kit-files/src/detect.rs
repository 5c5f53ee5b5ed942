//! Detects the encoding of a file.

use std::io;
use std::path::Path;

use utf8kit_detect::{Detector, Guess, SAMPLE};

use crate::{BLOCK, Blocks, Cut, FileError, Source};

/// Number of pieces sampled after the beginning of a long file.
const PIECES_AFTER_BEGINNING: u64 = 16;

/// Returns the best guess at the encoding of a file.
///
/// # Errors
/// [`FileError::Io`] if it cannot be read.
pub fn detect_file(path: &Path) -> Result<Guess, FileError> {
    let guess = Source::file(path).open().and_then(Blocks::of).and_then(|blocks| detect_blocks(blocks, 1));
    guess.map_err(|error| FileError::io(path, error))
}

/// Returns the best guess at the encoding of an input that will be read afterwards. It uses all of a file, but only the
/// beginning of an input that can be read only once.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn detect_ahead(blocks: &mut Blocks, threads: usize) -> io::Result<Guess> {
    if let Some(blocks) = blocks.try_clone() {
        return detect_blocks(blocks, threads);
    }
    let bytes = blocks.beginning(BLOCK)?;
    let mut detector = Detector::new();
    detector.push(&bytes);
    Ok(if bytes.len() < BLOCK { detector.finish() } else { detector.finish_early() })
}

/// Returns the best guess at the encoding of an input. With two threads, one reads ahead.
///
/// # Errors
/// Fails if the input cannot be read.
pub fn detect_blocks(blocks: Blocks, threads: usize) -> io::Result<Guess> {
    let mut detector = Detector::new();
    let again = blocks.try_clone();
    // Read until nothing more can be learned.
    let all = blocks.each_piece(Cut::Anywhere, threads, |piece| detector.push(piece))?;
    if let (false, Some(blocks)) = (all, again) {
        blocks.spread(SAMPLE as u64, PIECES_AFTER_BEGINNING, &mut |piece| detector.push_later(piece))?;
    }
    Ok(detector.finish())
}
