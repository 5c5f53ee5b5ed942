//! Repairs an input in parts, on many threads, or a file in place.

mod dump;
mod parts;
mod rows;
mod sink;
mod text;

use std::io;
use std::path::Path;

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_detect::SNIFF_LEN;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::Fallback;
use utf8kit_records::rows::DumpRepair;
use utf8kit_records::targets::RowRepair;

use self::sink::FileSink;
use crate::preflight::{no_text, with_meaningful_controls};
use crate::{Blocks, FileError, InPlace, Monitor, Recorder, Skip, Source, looks_binary, other_encoding};

pub use sink::{RepairSink, Repaired};
pub use text::policy_for;

/// The text to repair, and how to repair it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// A text.
    Text {
        /// The policy for its errors.
        policy: RepairPolicy,
        /// The encoding that it is in.
        encoding: EncodingLabel,
    },
    /// The rows of a text in UTF-8, for a target.
    Rows(RowRepair),
    /// The values of a dump of a database.
    Dump(DumpRepair),
}

/// One U+FFFD for each maximal subpart of invalid UTF-8.
impl Default for Repair {
    fn default() -> Repair {
        Repair::Text { policy: RepairPolicy::default(), encoding: EncodingLabel::Exact(AnyEncoding::Utf8) }
    }
}

impl Repair {
    /// Returns the encoding of an input that begins with `head`.
    pub fn encoding(&self, head: &[u8]) -> AnyEncoding {
        match self {
            Repair::Text { encoding, .. } => encoding.resolve(head).0,
            Repair::Rows(_) | Repair::Dump(_) => AnyEncoding::Utf8,
        }
    }

    /// Returns the repair with the evidence of the whole source about its encodings, if it depends on that.
    ///
    /// # Errors
    /// Any error from reading the source. Also fails for a dump that cannot be read twice.
    pub fn with_evidence_of(self, source: &Source, threads: usize) -> io::Result<Repair> {
        match self {
            Repair::Text { policy, encoding } => {
                Ok(Repair::Text { policy: policy_for(source, &policy, threads)?, encoding })
            }
            Repair::Dump(repair) if repair.needs_evidence() && !source.is_regular()? => {
                Err(io::Error::other("this repair reads the dump twice: give it as a file, unpacked"))
            }
            Repair::Dump(repair) => {
                let again = || source.open().and_then(Blocks::of);
                dump::with_evidence(repair, again, threads).map(Repair::Dump)
            }
            Repair::Rows(_) => Ok(self),
        }
    }

    /// Repairs an input into a sink.
    ///
    /// # Errors
    /// A [`FileError`] with `path` if the input cannot be read, and any error of the sink.
    pub fn run<S: RepairSink>(
        &self,
        path: &Path,
        blocks: Blocks,
        threads: usize,
        sink: &mut S,
    ) -> Result<Repaired, S::Error> {
        match self {
            Repair::Text { policy, encoding } => text::repair(path, blocks, policy, *encoding, threads, sink),
            Repair::Rows(repair) => parts::repair(path, blocks, repair, threads, sink),
            Repair::Dump(repair) => parts::repair(path, blocks, repair, threads, sink),
        }
    }

    /// Returns the fallback of its policy.
    pub fn fallback(&self) -> Option<Fallback> {
        match self {
            Repair::Text { policy, .. } => policy.fallback(),
            Repair::Rows(_) => None,
            Repair::Dump(repair) => repair.may_lose_text().and_then(RepairPolicy::fallback),
        }
    }

    /// Returns why an input, which `again` opens, must not be repaired: the repair would replace text in another
    /// encoding, or it is not text.
    ///
    /// # Errors
    /// Any error from reading the input.
    pub fn loses(&self, again: impl Fn() -> io::Result<Blocks>, threads: usize) -> io::Result<Option<Skip>> {
        match self {
            Repair::Text { policy, encoding } => {
                let mut blocks = again()?;
                let encoding = text::encoding_of(&mut blocks, *encoding)?;
                other_encoding(blocks, policy, encoding)
            }
            Repair::Rows(repair) => other_encoding(again()?, &repair.policy(), AnyEncoding::Utf8),
            Repair::Dump(repair) => dump::loses(again, repair, threads),
        }
    }

    /// Returns why a file, which `again` opens, must not be replaced by its repair: see [`Repair::loses`]. It is also
    /// left if it is data, or if controls that the repair removes stand for text.
    fn in_place_loss(&self, again: impl Fn() -> io::Result<Blocks>, threads: usize) -> io::Result<Option<Skip>> {
        let reason = self.loses(&again, threads)?;
        let (is_lossy, removes_controls) = match self {
            Repair::Text { policy, encoding } => {
                (policy.is_lossy() && *encoding == EncodingLabel::Exact(AnyEncoding::Utf8), false)
            }
            Repair::Rows(repair) => (repair.policy().is_lossy(), repair.removes_controls()),
            Repair::Dump(_) => (false, false),
        };
        match reason {
            None if is_lossy && removes_controls => match with_meaningful_controls(&again)? {
                None => no_text(again()?),
                reason => Ok(reason),
            },
            None if is_lossy => no_text(again()?),
            reason => Ok(reason),
        }
    }

    /// Determines the effect of the repair on an input. Reads only as much as is needed.
    fn survey(&self, again: impl Fn() -> io::Result<Blocks>, threads: usize) -> io::Result<Survey> {
        Ok(match self {
            Repair::Text { policy, encoding } => {
                let (counts, proven) = text::survey(again()?, policy, *encoding, threads)?;
                match counts.total() {
                    0 => Survey::Unchanged(Repaired { counts, ..Repaired::default() }),
                    _ => Survey::Changed(Repair::Text { policy: policy.with_evidence(proven), encoding: *encoding }),
                }
            }
            Repair::Rows(repair) => match parts::survey(again()?, repair, threads)? {
                Some(_) => Survey::Unchanged(Repaired::default()),
                None => Survey::Changed(self.clone()),
            },
            Repair::Dump(repair) => {
                let repair = dump::with_evidence(repair.clone(), &again, threads)?;
                match parts::survey(again()?, &repair, threads)? {
                    Some(done) => Survey::Unchanged(done),
                    None => Survey::Changed(Repair::Dump(repair)),
                }
            }
        })
    }
}

/// The effect of a repair on an input.
enum Survey {
    /// Nothing, after all of it was read.
    Unchanged(Repaired),
    /// Something: the repair, with the evidence of the input about its encodings.
    Changed(Repair),
}

/// Options for [`repair_file`].
#[derive(Debug)]
#[non_exhaustive]
pub struct RepairOptions<'o> {
    /// How the file is replaced.
    pub in_place: InPlace<'o>,
    /// Only fail as the repair would; change nothing, and count nothing.
    pub dry_run: bool,
    /// Number of threads. Default: 1.
    pub threads: usize,
    /// Leave binary files alone.
    pub skip_binary: bool,
    /// Repair a file even if it is text in another encoding, which the repair would replace.
    pub force: bool,
}

impl Default for RepairOptions<'_> {
    fn default() -> Self {
        RepairOptions { in_place: InPlace::default(), dry_run: false, threads: 1, skip_binary: false, force: false }
    }
}

/// Repairs a file in place, and returns the changes. The file is replaced atomically, even across a crash: at any
/// moment, it is either completely old or completely new. Owner, mode, access control lists and extended attributes are
/// kept. A file without errors is not touched.
///
/// # Errors
/// A [`FileError`] if the file cannot be read or replaced; it is then unchanged (but see
/// [`HardLinks::Write`](super::HardLinks::Write)). [`FileError::Skipped`] if it is left alone, usually because it is
/// text in another encoding, which the repair would replace. [`FileError::Cancelled`] if `progress` asks to stop.
///
/// ```
/// use utf8kit_files::{Repair, RepairOptions, repair_file};
///
/// let path = std::env::temp_dir().join("utf8kit-repair-file-example");
/// std::fs::write(&path, b"b\xFFd").unwrap();
/// let repaired = repair_file(&path, &Repair::default(), &mut RepairOptions::default(), &mut ()).unwrap();
/// assert_eq!(repaired.counts.to_string(), "1 invalid byte");
/// assert_eq!(std::fs::read(&path).unwrap(), "b\u{FFFD}d".as_bytes());
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn repair_file(
    path: &Path,
    repair: &Repair,
    options: &mut RepairOptions<'_>,
    progress: &mut dyn Monitor,
) -> Result<Repaired, FileError> {
    let at = |error: io::Error| FileError::io(path, error);
    let original = options.in_place.open(path, progress)?;
    let blocks = || Blocks::of_file(&original.file);
    let head = blocks().and_then(|mut first| first.head(SNIFF_LEN)).map_err(at)?;
    // Dumps may contain binary values.
    let is_text = !matches!(repair, Repair::Dump(_));
    if options.skip_binary && is_text && looks_binary(&head, blocks) {
        return Err(FileError::skipped(path, Skip::Binary));
    }
    let threads = options.threads;
    let repair = match repair.survey(blocks, threads).map_err(at)? {
        Survey::Unchanged(done) => return Ok(done),
        Survey::Changed(repair) => repair,
    };
    if !options.force
        && let Some(reason) = repair.in_place_loss(blocks, threads).map_err(at)?
    {
        return Err(FileError::skipped(path, reason));
    }
    if options.dry_run {
        options.in_place.check(path, &original)?;
        return Ok(Repaired::default());
    }
    let mut output = options.in_place.create(path, &original)?;
    let input = blocks().map_err(at)?;
    progress.expect(input.len().unwrap_or(0));
    let recorder = Recorder::new(path, repair.encoding(&head), options.in_place.ledger.as_deref_mut());
    let mut sink = FileSink { output: &mut output, progress, recorder };
    let done = repair.run(path, input, threads, &mut sink)?;
    sink.recorder.close();
    options.in_place.replace(output, original, progress)?;
    Ok(done)
}
