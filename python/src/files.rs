//! check_file and repair_file.

use std::ffi::CString;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use pyo3::exceptions::{PyOSError, PyTypeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict as _, PyInt, PyType};
use utf8kit::EncodingLabel;
use utf8kit_detect::Suggestion;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_files::{
    self, Blocks, CheckOptions, FileError, Output, Repair, RepairOptions, RepairSink, Sink, Skip, Source,
};

use crate::encoding::Name;
use crate::input::{EACCES, EEXIST, EIO, Input, os_error};
use crate::policy::Policy;
use crate::signals::{Cancelled, interruptible};
use crate::summary::{DEFAULT_ERRORS_KEPT, Summary};

/// Number of bytes between two calls of `progress`.
const BYTES_PER_PROGRESS_CALL: u64 = 16 << 20;

/// Number of bytes requested from an object's `read`.
const BYTES_PER_READ_OF_OBJECT: usize = 4 << 20;

/// Reports the progress to a Python function.
struct ProgressCallback {
    callback: Option<Py<PyAny>>,
    cancelled: Cancelled,
    done: u64,
    reported: u64,
    total: u64,
    /// An exception of the function, which ends the work.
    raised: Option<PyErr>,
}

impl ProgressCallback {
    fn new(callback: Option<Py<PyAny>>, cancelled: &Cancelled) -> ProgressCallback {
        ProgressCallback { callback, cancelled: cancelled.clone(), done: 0, reported: 0, total: 0, raised: None }
    }

    fn tell(&mut self) -> ControlFlow<()> {
        self.reported = self.done;
        let total = (self.total > 0).then_some(self.total);
        let Some(callback) = &self.callback else { return ControlFlow::Continue(()) };
        match Python::attach(|py| callback.call1(py, (self.done, total)).map(drop)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the exception for the reason that ended the work.
    fn raise(self, py: Python<'_>, error: FileError) -> PyErr {
        match (self.raised, error) {
            (Some(raised), _) => raised,
            (None, error) => raise(py, error),
        }
    }
}

/// Creates the `utf8kit.SkippedError` of a file that was left alone.
fn skipped_error(py: Python<'_>, path: &Path, reason: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let made = CLASS.import(py, "utf8kit._error", "SkippedError").and_then(|class| class.call1((path, reason)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Converts an error with a file to an `OSError` with a number, or to a `SkippedError`.
pub(crate) fn raise(py: Python<'_>, error: FileError) -> PyErr {
    match error {
        FileError::Io { path, error } if error.get_ref().is_some_and(|cause| cause.is::<utf8kit_files::Changed>()) => {
            skipped_error(py, &path, "it was changed by another program in the meantime")
        }
        FileError::Io { path, error } => os_error(py, &path, error),
        FileError::Skipped { path, reason } => {
            let code = match reason {
                Skip::NotWritable => Some(EACCES),
                Skip::BackupExists(_) => Some(EEXIST),
                _ => None,
            };
            let advice = if reason.yields_to_force() { "; force=True overrides this" } else { "" };
            let reason = format!("{reason}{advice}");
            match code {
                Some(code) => PyOSError::new_err((code, format!("skipped: {reason}"), path)),
                None => skipped_error(py, &path, &reason),
            }
        }
        error => PyOSError::new_err((EIO, error.to_string())),
    }
}

impl utf8kit_files::Monitor for ProgressCallback {
    fn expect(&mut self, bytes: u64) {
        self.total = bytes;
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        if self.cancelled.get() {
            return ControlFlow::Break(());
        }
        self.done += bytes;
        let is_end = self.done == self.total && self.done > self.reported;
        let due = self.done - self.reported >= BYTES_PER_PROGRESS_CALL || is_end;
        if due { self.tell() } else { ControlFlow::Continue(()) }
    }
}

/// Resolves the number of threads, where 0 means one per core.
pub(crate) fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { available_parallelism().map_or(1, NonZero::get) }
}

/// Checks a file on all cores, without loading it into memory.
///
/// Args:
///     path: a file or a pipe; or an object with `read`, opened in binary mode, a file descriptor, or a socket. The
///         latter are read from their current position to the end, by one thread, and stay open.
///     threads: the number of threads; 0 means one per core.
///     progress: called with the number of bytes done and the size of the file (None for a pipe), every 16 MiB and at
///         the end. An exception that it raises ends the work.
///     encoding: one of `utf8kit.encodings()`.
///     keep: the number of errors to keep in the summary, from the first.
///
/// Returns:
///     The `Summary` of the whole file.
///
/// Raises:
///     OSError: the file cannot be read.
///     TypeError: an object's `read` returns something other than bytes.
///
/// >>> import io, utf8kit, tempfile
/// >>> with tempfile.NamedTemporaryFile() as file:
/// ...     written = file.write(b"one\ncaf\xe9\n")
/// ...     file.flush()
/// ...     summary = utf8kit.check_file(file.name)
/// >>> summary.errors, summary.lines, summary.first_errors[0]["line"]
/// (1, 2, 2)
/// >>> utf8kit.check_file(io.BytesIO(b"caf\xe9")).errors
/// 1
#[pyfunction]
#[pyo3(
    signature = (path, threads = 0, progress = None, *, encoding = Name::UTF8, keep = DEFAULT_ERRORS_KEPT),
    text_signature = "(path, threads=0, progress=None, *, encoding='utf-8', keep=100)"
)]
pub(crate) fn check_file(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    encoding: Name,
    keep: usize,
) -> PyResult<Summary> {
    if let Some(file) = readable(path)? {
        return check_object(&file, progress, encoding, keep);
    }
    let path: PathBuf = path.extract()?;
    let mut options = CheckOptions::default();
    options.encoding = EncodingLabel::Exact(encoding.0);
    options.max_errors = keep;
    options.threads = self::threads(threads);
    let (checked, progress) = interruptible(py, move |cancelled| {
        let mut progress = ProgressCallback::new(progress, cancelled);
        (utf8kit_files::check_file(&path, &options, &mut progress), progress)
    })?;
    match checked {
        Ok(check) => Ok(Summary::new_of(check.encoding, check.summary)),
        Err(error) => Err(progress.raise(py, error)),
    }
}

/// Returns the object to read for an object with `read`, a file descriptor or a socket, or `None` for a path.
fn readable<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if object.hasattr("read")? {
        return Ok(Some(object.clone()));
    }
    if object.hasattr("makefile")? {
        return object.call_method1("makefile", ("rb", 0)).map(Some);
    }
    if !object.is_instance_of::<PyInt>() {
        return Ok(None);
    }
    let stays_open = [("closefd", false)].into_py_dict(object.py())?;
    let open = object.py().import("io")?.getattr("open")?;
    open.call((object, "rb", 0), Some(&stays_open)).map(Some)
}

/// Checks the rest of an object with `read`.
fn check_object(
    file: &Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
    encoding: Name,
    keep: usize,
) -> PyResult<Summary> {
    let py = file.py();
    let mut stream = utf8kit::summary::SummaryStream::new(encoding.0, keep);
    let mut progress = ProgressCallback::new(progress, &Cancelled::default());
    loop {
        let piece = file.call_method1("read", (BYTES_PER_READ_OF_OBJECT,))?;
        let Ok(piece) = piece.extract::<Input<'_>>() else {
            let what = piece.get_type();
            return Err(PyTypeError::new_err(format!(
                "read() returned {what}, not bytes: the file must be open in binary mode, and wait for data"
            )));
        };
        let len = piece.bytes().len();
        if len == 0 {
            break;
        }
        piece.with(py, |bytes| stream.push(bytes));
        py.check_signals()?;
        if utf8kit_files::Monitor::advance(&mut progress, len as u64).is_break() {
            return Err(progress.raise(py, FileError::Cancelled));
        }
    }
    match progress.tell() {
        ControlFlow::Continue(()) => Ok(Summary::new_of(encoding.0, stream.finish())),
        ControlFlow::Break(()) => Err(progress.raise(py, FileError::Cancelled)),
    }
}

/// The result of `repair_file`.
#[pyclass(frozen, get_all, module = "utf8kit", name = "Report")]
pub(crate) struct Report {
    /// The file that was read.
    source: PathBuf,
    /// The file that was written.
    target: PathBuf,
    /// The number of bytes that were read.
    bytes_read: u64,
    /// The number of bytes that were written.
    bytes_written: u64,
    /// The number of places that were changed.
    changes: u64,
    /// The changes, in words: `2 overlong forms, 1 truncated sequence`.
    description: String,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let plural = if self.changes == 1 { "" } else { "s" };
        format!("<Report of {} change{plural}: {} bytes from {}>", self.changes, self.bytes_written, self.bytes_read)
    }
}

/// Writes a repaired copy of a file, or repairs it in place. At any time, the target is either the complete old or the
/// complete new file.
///
/// Args:
///     src: a file or a pipe.
///     dst: the path of the copy; the same path as `src` replaces the file, unless there is nothing to repair.
///     policy: one of the policies of `utf8kit.repair`.
///     threads: as for `check_file`. Policies under which errors depend on each other use one.
///     encoding: one of `utf8kit.encodings()`.
///     force: repair a file in place even if it looks like text in another encoding, which the repair replaces; do not
///         warn about such losses in a copy.
///     progress: as for `check_file`.
///
/// Returns:
///     A `Report`.
///
/// Raises:
///     OSError: a file cannot be read or written.
///     SkippedError: the file is left alone, for the reason in the exception.
///     UserWarning: the file looks like text in another encoding, which its copy has lost; `force` suppresses this.
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
    signature = (src, dst, policy = Policy::default(), *, threads = 0, encoding = Name::UTF8, force = false, progress = None),
    text_signature = "(src, dst, policy='replace', *, threads=0, encoding='utf-8', force=False, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn repair_file(
    py: Python<'_>,
    src: PathBuf,
    dst: PathBuf,
    policy: Policy,
    threads: usize,
    encoding: Name,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let Name(encoding) = encoding;
    policy.check(encoding)?;
    let threads = self::threads(threads);
    let (source, target) = (src.clone(), dst.clone());
    let (repaired, warning, progress) = interruptible(py, move |cancelled| {
        let mut progress = ProgressCallback::new(progress, cancelled);
        let repair = Repair::Text { policy: policy.0, encoding: EncodingLabel::Exact(encoding) };
        if is_same(&source, &target) {
            return (in_place(&source, &repair, threads, force, &mut progress), None, progress);
        }
        let copied = copy(&source, &target, &repair, threads, &mut progress);
        let replaced = !force && matches!(&copied, Ok((counts, ..)) if counts.total() > 0);
        let warning = if replaced { lost(&source, &repair) } else { None };
        (copied, warning, progress)
    })?;
    if let Some(warning) = warning.and_then(|warning| CString::new(warning).ok()) {
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 1)?;
    }
    match repaired {
        Ok((counts, bytes_read, bytes_written)) => {
            let (changes, description) = (counts.total(), counts.to_string());
            Ok(Report { source: src, target: dst, bytes_read, bytes_written, changes, description })
        }
        Err(error) => Err(progress.raise(py, error)),
    }
}

/// Reports whether two paths refer to the same file.
fn is_same(one: &Path, two: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path);
    matches!((real(one), real(two)), (Ok(one), Ok(two)) if one == two)
}

/// The changes, and the sizes before and after.
type Changed = Result<(utf8kit_encodings::Counts, u64, u64), FileError>;

fn in_place(path: &Path, repair: &Repair, threads: usize, force: bool, progress: &mut ProgressCallback) -> Changed {
    let size = || std::fs::metadata(path).map(|file| file.len()).map_err(|error| FileError::io(path, error));
    let mut options = RepairOptions::default();
    options.threads = threads;
    options.force = force;
    let before = size()?;
    let counts = utf8kit_files::repair_file(path, repair, &mut options, progress)?.counts;
    Ok((counts, before, size()?))
}

fn copy(src: &Path, dst: &Path, repair: &Repair, threads: usize, progress: &mut ProgressCallback) -> Changed {
    let source = Source::file(src);
    let at = |error| FileError::io(src, error);
    let repair = repair.clone().with_evidence_of(&source, threads).map_err(at)?;
    let blocks = source.open().and_then(Blocks::of).map_err(at)?;
    utf8kit_files::Monitor::expect(progress, blocks.len().unwrap_or(0));
    let mut copy = Copy { output: Output::create(dst)?, written: 0, progress };
    let counts = repair.run(src, blocks, threads, &mut copy)?.counts;
    copy.output.sync()?;
    if utf8kit_files::Monitor::advance(copy.progress, 0).is_break() {
        return Err(FileError::Cancelled);
    }
    let (read, written) = (copy.progress.done, copy.written);
    copy.output.commit()?;
    Ok((counts, read, written))
}

/// Describes the text that a copy has lost, if its source is plausible text in another encoding.
fn lost(src: &Path, repair: &Repair) -> Option<String> {
    let source = Source::file(src);
    source.is_regular().ok().filter(|regular| *regular)?;
    let skip = repair.loses(|| source.open().and_then(Blocks::of), 1).ok()??;
    let looks = skip.looks()?;
    let keeps = if skip.suggestion().is_some_and(Suggestion::is_sure) { "keeps" } else { "may keep" };
    let policy = skip.suggestion().and_then(|suggestion| RepairPolicy::of(suggestion.action));
    let why = match (&skip, policy) {
        (Skip::OtherEncoding { encoding: found, .. }, _) => {
            format!("{looks}; a conversion from {found} {keeps} it")
        }
        (Skip::Mixed { .. } | Skip::Artifact { .. }, Some(policy)) => {
            format!("{looks}; the policy {policy} {keeps} it")
        }
        _ => looks,
    };
    Some(format!("{}: the copy lost text: {why}", src.display()))
}

/// A repaired copy that is being written.
struct Copy<'c> {
    output: Output,
    written: u64,
    progress: &'c mut ProgressCallback,
}

impl RepairSink for Copy<'_> {
    fn uses_edits(&self) -> bool {
        false
    }
}

impl Sink for Copy<'_> {
    type Error = FileError;

    fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.written += bytes.len() as u64;
        self.output.put(bytes)
    }

    fn advance(&mut self, bytes: u64) -> Result<(), FileError> {
        match utf8kit_files::Monitor::advance(self.progress, bytes) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(FileError::Cancelled),
        }
    }
}
