//! `utf8 check --follow`: files that grow, as `tail -F` follows them, until it is interrupted. A file that is replaced
//! or cut short is begun again; one that is not there yet is waited for.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use utf8kit::errors_in;
use utf8kit_text::detect::HEAD;
use utf8kit_text::display::Name;
use utf8kit_text::files::{AROUND, BLOCK, Block, Kind, Source};

use super::{Check, Progress, Rules, Start, Told, status};
use crate::args::CheckArgs;
use crate::error::{Error, Status};
use crate::input::sources;
use crate::report::Phrases;

/// How long to wait for more.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs the command.
pub(super) fn run(args: &CheckArgs, rules: Rules<'_>, told: Told<'_>) -> Result<Status, Error> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&interrupted)).map_err(|error| Error::Other(error.to_string()))?;
    }
    let sources = sources(&args.input, Some("."))?.collect::<Result<Vec<_>, _>>()?;
    if sources.iter().any(|source| source.kind == Kind::Stdin) {
        return Err(Error::usage("--follow: standard input is read as it comes without it"));
    }
    let mut check = Check { rules: &rules, told, phrases: Phrases::default() };
    let mut tails: Vec<Tail<'_>> =
        sources.iter().map(|source| Tail { source, open: None, missing: false }).collect();
    while !interrupted.load(Ordering::Relaxed) {
        let mut more = false;
        for tail in &mut tails {
            more |= tail.look(&mut check)?;
        }
        check.told.printer.flush()?;
        if !more {
            thread::sleep(PAUSE);
        }
    }
    for tail in &mut tails {
        while tail.look(&mut check)? {}
        tail.close(&mut check)?;
    }
    let Told { mut report, printer, totals, .. } = check.told;
    report.end(&totals, printer)?;
    Ok(status(args, &totals))
}

/// A file that is followed.
struct Tail<'s> {
    source: &'s Source,
    /// `None` until there is something in it.
    open: Option<Open<'s>>,
    /// Whether it was told that the file is not there.
    missing: bool,
}

/// A file that is read.
struct Open<'s> {
    file: File,
    /// What is checked; `None` if it is none of our business.
    checked: Option<(Start, Progress<'s>)>,
    /// What was read and may still be needed; what of it is checked.
    block: Block,
}

impl<'s> Tail<'s> {
    /// Checks what has come; whether there may be more at once.
    fn look(&mut self, check: &mut Check<'_>) -> Result<bool, Error> {
        let at = |error: io::Error| Error::at(&self.source.path, error);
        if self.open.is_none() {
            let file = match File::open(&self.source.path) {
                Ok(file) => file,
                Err(error) => {
                    if !std::mem::replace(&mut self.missing, true) {
                        check
                            .told
                            .printer
                            .message(format_args!("{}: {error}; waiting", Name(&self.source.path)));
                    }
                    return Ok(false);
                }
            };
            let mut head = Vec::new();
            (&file).take(HEAD as u64).read_to_end(&mut head).map_err(at)?;
            if head.is_empty() {
                return Ok(false);
            }
            (&file).seek(SeekFrom::Start(0)).map_err(at)?;
            let checked = match check.rules.start(self.source, &head)? {
                Some(start) => {
                    let progress = check.begin(self.source, &start)?;
                    Some((start, progress))
                }
                None => None,
            };
            self.open = Some(Open { file, checked, block: Block::default() });
        }
        let Some(open) = &mut self.open else { return Ok(false) };
        let read = (&open.file).take(BLOCK as u64).read_to_end(&mut open.block.bytes).map_err(at)?;
        if read > 0 {
            open.check(check, false)?;
            return Ok(true);
        }
        let begun_again = open.is_over(self.source).map_err(at)?;
        if begun_again {
            check.told.printer.message(format_args!("{}: begun again", Name(&self.source.path)));
            self.close(check)?;
            self.missing = false;
        }
        Ok(begun_again)
    }

    /// Ends with a file.
    fn close(&mut self, check: &mut Check<'_>) -> Result<(), Error> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.check(check, true)?;
        match open.checked {
            Some((start, progress)) => check.end(self.source, &start, progress),
            None => Ok(()),
        }
    }
}

impl Open<'_> {
    /// Checks what was read; unless it is the last, without a sequence that may go on.
    fn check(&mut self, check: &mut Check<'_>, last: bool) -> Result<(), Error> {
        let Some((start, progress)) = &mut self.checked else {
            self.block.bytes.clear();
            return Ok(());
        };
        let Block { bytes, own, base } = &mut self.block;
        let begin = own.end;
        let unfinished = errors_in(start.encoding, bytes.get(begin..).unwrap_or_default()).last();
        let unfinished =
            unfinished.filter(|error| error.incomplete && begin + error.range().end == bytes.len());
        let end = match unfinished {
            Some(error) if !last => begin + error.range().start,
            _ => bytes.len(),
        };
        if begin == end {
            return Ok(());
        }
        // What is kept is not the part's: it takes its block away.
        let rest = bytes.get(end.saturating_sub(AROUND) & !3..).unwrap_or_default().to_vec();
        let mut block = Block { bytes: std::mem::take(bytes), own: begin..end, base: *base };
        let kept_from = block.bytes.len() - rest.len();
        let part = check.rules.part(start, &mut block);
        *base += kept_from as u64;
        (*bytes, *own) = (rest, 0..end - kept_from);
        check.part(progress, part)
    }

    /// Whether another file is at its path, or the file was cut short.
    fn is_over(&self, source: &Source) -> io::Result<bool> {
        let Ok(now) = fs::metadata(&source.path) else { return Ok(false) };
        let this = self.file.metadata()?;
        let read = self.block.base + self.block.bytes.len() as u64;
        Ok(!is_same(&now, &this) || this.len() < read)
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}
