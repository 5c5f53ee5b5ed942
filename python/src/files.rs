//! check_file and repair_file.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use utf8kit_text::files::{Block, Blocks, FileError, Output, Source};
use utf8kit_text::repair::Repairer;

use crate::encoding::Name;
use crate::input::os_error;
use crate::policy::Policy;
use crate::summary::{KEEP, Summary};

/// How many bytes are dealt with between two calls of `progress`, or two looks for Ctrl-C.
const STEP: u64 = 16 << 20;

/// Why the work on a file ended early.
enum Stop {
    /// The file cannot be read.
    Io(std::io::Error),
    /// Another file's trouble.
    File(FileError),
    /// `progress` raised, or Ctrl-C.
    Raised(PyErr),
}

impl Stop {
    fn raise(self, py: Python<'_>, path: &Path) -> PyErr {
        match self {
            Stop::Io(error) => os_error(py, path, error),
            Stop::File(FileError::Io { path, error }) => os_error(py, &path, error),
            Stop::File(error) => PyOSError::new_err(error.to_string()),
            Stop::Raised(error) => error,
        }
    }
}

/// Tells a Python function how far the work has come.
struct Progress<'p> {
    callback: Option<&'p Py<PyAny>>,
    done: u64,
    told: u64,
    total: Option<u64>,
}

impl Progress<'_> {
    fn add(&mut self, bytes: u64) -> Result<(), Stop> {
        self.done += bytes;
        if self.done - self.told < STEP { Ok(()) } else { self.tell() }
    }

    fn tell(&mut self) -> Result<(), Stop> {
        self.told = self.done;
        Python::attach(|py| {
            py.check_signals()?;
            match self.callback {
                Some(callback) => callback.call1(py, (self.done, self.total)).map(drop),
                None => Ok(()),
            }
        })
        .map_err(Stop::Raised)
    }
}

/// How many threads 0 is.
fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { available_parallelism().map_or(1, NonZero::get) }
}

fn open(path: &Path) -> Result<Blocks, Stop> {
    Source::named(path).open().and_then(Blocks::of).map_err(Stop::Io)
}

/// Checks a file on all cores, without holding it in memory.
///
/// Args:
///     path: a file, a pipe, or `-` for standard input.
///     threads: how many threads work; 0: as many as there are cores.
///     progress: called with the bytes done so far and the size of the file (None for a pipe) every 16 MiB and at the
///         end. What it raises ends the work.
///     encoding: one of `utf8kit.encodings()`.
///     keep: how many first errors the summary keeps.
///
/// Returns:
///     The `Summary` of the whole file.
///
/// Raises:
///     OSError: the file cannot be read.
///
/// >>> import utf8kit, tempfile
/// >>> with tempfile.NamedTemporaryFile() as file:
/// ...     written = file.write(b"one\ncaf\xe9\n")
/// ...     file.flush()
/// ...     summary = utf8kit.check_file(file.name)
/// >>> summary.errors, summary.lines, summary.first_errors[0]["line"]
/// (1, 2, 2)
#[pyfunction]
#[pyo3(
    signature = (path, threads = 0, progress = None, *, encoding = Name::UTF8, keep = KEEP),
    text_signature = "(path, threads=0, progress=None, *, encoding='utf-8', keep=100)"
)]
pub(crate) fn check_file(
    py: Python<'_>,
    path: PathBuf,
    threads: usize,
    progress: Option<Py<PyAny>>,
    encoding: Name,
    keep: usize,
) -> PyResult<Summary> {
    let Name(encoding) = encoding;
    let result = py.detach(|| {
        let blocks = open(&path)?;
        let mut progress = Progress { callback: progress.as_ref(), done: 0, told: 0, total: blocks.len() };
        let mut whole = utf8kit::Summary::new(keep);
        let work = |block: &mut Block| {
            utf8kit::Summary::of(encoding, &block.bytes, block.own.clone(), block.base, keep)
        };
        blocks.each(self::threads(threads), work, |summary| {
            let summary = summary.map_err(Stop::Io)?;
            whole.merge(&summary);
            progress.add(summary.bytes)
        })?;
        progress.tell()?;
        Ok(whole)
    });
    result.map(|summary| Summary::new_of(encoding, summary)).map_err(|stop: Stop| stop.raise(py, &path))
}

/// What `repair_file` did.
#[pyclass(frozen, get_all, module = "utf8kit", name = "Report")]
pub(crate) struct Report {
    /// The file that was read.
    source: PathBuf,
    /// The file that was written.
    target: PathBuf,
    /// Bytes that were read.
    bytes_read: u64,
    /// Bytes that were written.
    bytes_written: u64,
    /// How many places were changed.
    changes: u64,
    /// What was changed, in words: `2 overlong, 1 truncated`.
    description: String,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let plural = if self.changes == 1 { "" } else { "s" };
        format!(
            "<Report of {} change{plural}: {} bytes from {}>",
            self.changes, self.bytes_written, self.bytes_read
        )
    }
}

/// Writes a repaired copy of a file, or replaces the file: the target is wholly old or wholly new at any time.
///
/// Args:
///     src: a file, a pipe, or `-` for standard input.
///     dst: where the copy goes; the same path replaces the file.
///     policy: one of those of `utf8kit.repair`.
///     encoding: one of `utf8kit.encodings()`.
///     progress: as for `check_file`.
///
/// Returns:
///     A `Report`.
///
/// Raises:
///     OSError: a file cannot be read or written.
///
/// >>> import utf8kit, tempfile, pathlib
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> size = (folder / "broken").write_bytes(b"caf\xe9\n")
/// >>> utf8kit.repair_file(folder / "broken", folder / "good", "fallback=windows-1252").changes
/// 1
/// >>> (folder / "good").read_text(encoding="utf-8")
/// 'café\n'
#[pyfunction]
#[pyo3(
    signature = (src, dst, policy = Policy::default(), *, encoding = Name::UTF8, progress = None),
    text_signature = "(src, dst, policy='replace', *, encoding='utf-8', progress=None)"
)]
pub(crate) fn repair_file(
    py: Python<'_>,
    src: PathBuf,
    dst: PathBuf,
    policy: Policy,
    encoding: Name,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let Name(encoding) = encoding;
    policy.check(encoding)?;
    let result = py.detach(|| {
        let blocks = open(&src)?;
        let mut progress = Progress { callback: progress.as_ref(), done: 0, told: 0, total: blocks.len() };
        let mut output = Output::create(&dst).map_err(Stop::File)?;
        let mut repairer = Repairer::new(policy.as_repair(), encoding);
        let mut out = Vec::new();
        let mut written = 0;
        // One thread reads ahead, this one repairs.
        let own = |block: &mut Block| (std::mem::take(&mut block.bytes), block.own.clone());
        blocks.each(2, own, |block| {
            let (bytes, own) = block.map_err(Stop::Io)?;
            let piece = bytes.get(own).unwrap_or_default();
            repairer.push(piece, false, &mut out, &mut |_| {});
            output.write(&out).map_err(Stop::File)?;
            written += out.len() as u64;
            out.clear();
            progress.add(piece.len() as u64)
        })?;
        repairer.push(&[], true, &mut out, &mut |_| {});
        output.write(&out).map_err(Stop::File)?;
        written += out.len() as u64;
        output.sync().map_err(Stop::File)?;
        progress.tell()?;
        output.commit().map_err(Stop::File)?;
        Ok(Report {
            source: src.clone(),
            target: dst.clone(),
            bytes_read: progress.done,
            bytes_written: written,
            changes: repairer.counts.total(),
            description: repairer.counts.to_string(),
        })
    });
    result.map_err(|stop: Stop| stop.raise(py, &src))
}
