//! The part of a check that workers do: examining each source.

use std::io;

use utf8kit_detect::SNIFF_LEN;
use utf8kit_files::{BLOCK, Block, Blocks, FileError, Skip, Source, sniff};

use super::comparison::{Compared, OldVersions};
use super::parquet;
use super::rules::{CheckMethod, CheckedBlock, FileRules, Rules};
use crate::error::Error;

/// A source that a worker has processed.
pub(super) struct Examined {
    pub(super) source: Source,
    pub(super) outcome: Result<CheckResult, Error>,
    /// The damage since its old version, if that was examined.
    pub(super) compared: Option<Result<Option<Compared>, Error>>,
}

/// The outcome of examining a source.
pub(super) enum CheckResult {
    /// Skipped it.
    Skipped(Skip),
    /// Checked a small file.
    Checked(FileRules, Box<CheckedBlock>),
    /// It is in a legacy encoding, and is checked line by line when its turn comes.
    Lines,
    /// It is large or compressed, and is checked with all threads when its turn comes.
    Deferred,
}

/// Examines each source of a batch.
pub(super) fn examine_all(
    rules: &Rules<'_>,
    against: &OldVersions,
    batch: Vec<Result<Source, FileError>>,
    block: &mut Block,
) -> Vec<Result<Examined, FileError>> {
    let mut held = 0;
    let mut examined = |source: Source| {
        // Limits the blocks that a batch holds, even if many of its files are invalid or damaged.
        let outcome = if held < BLOCK { examine(rules, &source, block) } else { Ok(CheckResult::Deferred) };
        if let Ok(CheckResult::Checked(_, checked)) = &outcome {
            held += checked.block.as_ref().map_or(0, |block| block.bytes.len());
        }
        let is_read = matches!(&outcome, Ok(CheckResult::Checked(..) | CheckResult::Lines));
        let compared = is_read.then(|| against.compare(&source, rules));
        if let Some(Ok(Some(compared))) = &compared {
            held += compared.old.len() + compared.new.len();
        }
        Examined { source, outcome, compared }
    };
    batch.into_iter().map(|source| source.map(&mut examined)).collect()
}

/// Opens a source and checks it if it is small.
fn examine(rules: &Rules<'_>, source: &Source, block: &mut Block) -> Result<CheckResult, Error> {
    let mut read = || Ok(source.is_regular()? && Blocks::of(source.open()?)?.read_whole(block)?);
    if !read().map_err(|error: io::Error| Error::at(&source.path, error))? {
        return Ok(CheckResult::Deferred);
    }
    let head = &block.bytes[..block.bytes.len().min(SNIFF_LEN)];
    if rules.unpack.is_some() && sniff(head).is_some() || parquet::is_parquet(source, head) {
        return Ok(CheckResult::Deferred);
    }
    match rules.method(source, head)? {
        CheckMethod::Skip(reason) => Ok(CheckResult::Skipped(reason)),
        CheckMethod::Lines => Ok(CheckResult::Lines),
        CheckMethod::Blocks(file_rules) => {
            if let Some(lines) = rules.lines(source, &file_rules)?
                && !lines.pass(block)
            {
                return Ok(CheckResult::Deferred);
            }
            let checked = rules.check(&file_rules, block);
            Ok(CheckResult::Checked(file_rules, Box::new(checked)))
        }
    }
}
