//! `utf8 check --tail`: checks files as they grow, like `tail -F`, until interrupted. It starts again if a file is
//! replaced or truncated, and waits if a file does not exist yet.

use std::io::{self, Read as _};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use utf8kit_detect::SNIFF_LEN;
use utf8kit_encodings::display::Name;
use utf8kit_files::{BLOCK, Block, Cut, MARGIN, Source, SourceKind, Sources, Tail};

use super::comparison::OldVersions;
use super::files::{Check, CheckProgress};
use super::recipients::Recipients;
use super::rules::{CheckMethod, FileRules, Rules};
use crate::error::Error;
use crate::input;

/// The pause before looking for more input.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs the command.
pub(super) fn run(sources: Sources, rules: &Rules<'_>, recipients: &mut Recipients<'_>) -> Result<(), Error> {
    let interrupted = input::interrupted()?;
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    if sources.iter().any(|source| source.kind == SourceKind::Stdin) {
        return Err(Error::usage("--tail: standard input is always followed, so leave the option out"));
    }
    let mut check = Check::new(rules, recipients, &OldVersions(None));
    let mut tails: Vec<Followed<'_>> =
        sources.iter().map(|source| Followed { source, open: None, missing: false }).collect();
    while !interrupted.load(Ordering::Relaxed) {
        let mut more = false;
        for tail in &mut tails {
            more |= tail.examine(&mut check)?;
        }
        check.recipients.printer.flush()?;
        if !more {
            thread::sleep(POLL_INTERVAL);
        }
    }
    for tail in &mut tails {
        while tail.examine(&mut check)? {}
        tail.close(&mut check)?;
    }
    Ok(())
}

/// A file that is followed.
struct Followed<'s> {
    source: &'s Source,
    /// `None` until the file has content.
    open: Option<Open<'s>>,
    /// Whether the absence of the file was reported.
    missing: bool,
}

/// A file that is open.
struct Open<'s> {
    tail: Tail,
    /// The check, or `None` if the file is skipped.
    checked: Option<(FileRules, CheckProgress<'s>)>,
    /// The input that may still be needed, and the part of it that was checked.
    block: Block,
}

impl<'s> Followed<'s> {
    /// Checks new input. Returns whether more may be available at once.
    fn examine(&mut self, check: &mut Check<'_, '_>) -> Result<bool, Error> {
        let at = |error: io::Error| Error::at(&self.source.path, error);
        if self.open.is_none() {
            let mut tail = match Tail::open(&self.source.path) {
                Ok(tail) => tail,
                Err(error) => {
                    if !std::mem::replace(&mut self.missing, true) {
                        check.recipients.printer.message(format_args!("{}: {error}; waiting", Name(&self.source.path)));
                    }
                    return Ok(false);
                }
            };
            let mut head = Vec::new();
            (&mut tail).take(SNIFF_LEN as u64).read_to_end(&mut head).map_err(at)?;
            if head.is_empty() {
                return Ok(false);
            }
            let checked = match check.rules.method(self.source, &head)? {
                CheckMethod::Blocks(file_rules) => {
                    let progress = check.begin(self.source, &file_rules)?;
                    Some((file_rules, progress))
                }
                CheckMethod::Lines => {
                    return Err(Error::at(&self.source.path, "--tail does not support legacy encodings"));
                }
                CheckMethod::Skip(reason) => {
                    check.recipients.skipped(self.source, &reason);
                    None
                }
            };
            let mut block = Block::default();
            block.bytes = head;
            let mut open = Open { tail, checked, block };
            open.check(check, false)?;
            self.open = Some(open);
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        let begun_again = open.tail.is_over().map_err(at)?;
        let read = (&mut open.tail).take(BLOCK as u64).read_to_end(&mut open.block.bytes).map_err(at)?;
        if read > 0 {
            open.check(check, false)?;
            return Ok(true);
        }
        if begun_again {
            check.recipients.printer.message(format_args!("{}: starting again", Name(&self.source.path)));
            self.close(check)?;
            self.missing = false;
        }
        Ok(begun_again)
    }

    /// Ends a file.
    fn close(&mut self, check: &mut Check<'_, '_>) -> Result<(), Error> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.check(check, true)?;
        match open.checked {
            Some((file_rules, progress)) => check.end(self.source, &file_rules, progress),
            None => Ok(()),
        }
    }
}

impl Open<'_> {
    /// Checks the input so far. An incomplete sequence or a carriage return at the end is left for later, unless this
    /// is the last input.
    fn check(&mut self, check: &mut Check<'_, '_>, last: bool) -> Result<(), Error> {
        let Some((file_rules, progress)) = &mut self.checked else {
            self.block.bytes.clear();
            return Ok(());
        };
        let Block { bytes, own, base, .. } = &mut self.block;
        let begin = own.end;
        let new = bytes.get(begin..).unwrap_or_default();
        let end = begin + if last { new.len() } else { Cut::LineEnd(file_rules.encoding).last_in(new) };
        if begin == end {
            return Ok(());
        }
        // Copied, because the part takes its block.
        let rest = bytes.get(end.saturating_sub(MARGIN) & !3..).unwrap_or_default().to_vec();
        let mut block = Block::default();
        (block.bytes, block.own, block.base) = (std::mem::take(bytes), begin..end, *base);
        let kept_from = block.bytes.len() - rest.len();
        let checked = check.rules.check(file_rules, &mut block);
        *base += kept_from as u64;
        (*bytes, *own) = (rest, 0..end - kept_from);
        check.add(progress, checked)
    }
}
