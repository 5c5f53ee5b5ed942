//! `utf8kit.Document`, and `utf8kit.edit`: text in any encoding, edited without changing another byte.

use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};
use utf8kit::ColumnUnit;
use utf8kit::index::TextIndex;
use utf8kit_document::{EditError, Lacking, LineEnds, Unencodable};
use utf8kit_files::Ledger;
use utf8kit_files::{FileError, HardLinks, InPlace, OpenFile};

use crate::encoding::CharsetName;
use crate::files::raise;
use crate::input::Input;
use crate::signals::interruptible;
use crate::string;

/// From this many bytes, work on a document may take long enough for a thread of its own, and for Ctrl-C.
const MIN_BYTES_FOR_THREAD: usize = 1 << 20;

/// How to read a document.
#[derive(Clone, Copy)]
struct Settings {
    encoding: Option<CharsetName>,
    line_ends: LineEnds,
    unencodable: Unencodable,
}

impl Settings {
    fn new(encoding: Option<CharsetName>, line_ends: &str, unencodable: &str) -> PyResult<Settings> {
        let line_ends = match line_ends {
            "lf" => LineEnds::Lf,
            "exact" => LineEnds::Exact,
            _ => return Err(unknown("line_ends", line_ends, "lf, exact")),
        };
        let unencodable = match unencodable {
            "refuse" => Unencodable::Refuse,
            "transliterate" => Unencodable::Transliterate,
            "escape" => Unencodable::Escape,
            "recode" => Unencodable::Recode,
            _ => return Err(unknown("unencodable", unencodable, "refuse, transliterate, escape, recode")),
        };
        Ok(Settings { encoding, line_ends, unencodable })
    }

    fn open(self, bytes: Vec<u8>) -> utf8kit_document::Document<'static> {
        let document = match self.encoding {
            Some(CharsetName(charset)) => utf8kit_document::Document::open_as(charset, bytes),
            None => utf8kit_document::Document::open(bytes),
        };
        let document = document.with_unencodable(self.unencodable);
        if self.line_ends == LineEnds::Lf { document } else { document.with_line_ends(self.line_ends) }
    }
}

fn unknown(parameter: &str, value: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("unknown {parameter}: {value}; known are {known}"))
}

/// Returns a range as a slice, for indexing `str` and `bytes`.
pub(crate) fn slice<'py>(py: Python<'py>, range: &Range<usize>) -> PyResult<Bound<'py, PySlice>> {
    Ok(py.get_type::<PySlice>().call1((range.start, range.end))?.cast_into()?)
}

/// A document and what is known about its text, until that is edited.
struct State {
    document: utf8kit_document::Document<'static>,
    text: Option<Py<PyString>>,
}

impl State {
    /// Discards cached facts about a text that was edited.
    fn forget(&mut self) {
        self.text = None;
    }

    /// Returns the byte range of a range of positions in the text, or `None` if it is not in the text.
    fn bytes_of(&self, start: isize, end: isize) -> Option<Range<usize>> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        let offset = |position| self.document.offset_of(position, ColumnUnit::CodePoints);
        let range = offset(start)?..offset(end)?;
        (range.start <= range.end).then_some(range)
    }
}

/// An editable text in any encoding. All bytes outside of edits are preserved: text, line ends, the byte order mark,
/// and bytes that are not text.
///
/// Positions are code points, as in every `str`; ranges are returned as slices.
///
/// Args:
///     data: any buffer.
///     encoding: the encoding's name, as for `utf8kit.convert`. By default, it is given by a byte order mark or a
///         declaration, or else by `utf8kit.detect`; lines of UTF-8 among lines in another encoding are read as UTF-8.
///     line_ends: `lf`: the text has `\n` for every line end, and new lines get the line end of their neighbours.
///         `exact`: line ends are not converted.
///     unencodable: how to handle characters that the encoding lacks: `refuse` the edit, `transliterate` to the nearest
///         equivalent, `escape` as `\u20AC`, or `recode` everything to UTF-8.
///
/// >>> import utf8kit
/// >>> document = utf8kit.Document(b"un caf\xe9 tr\xe8s cher\r\n")
/// >>> document.text
/// 'un café très cher\n'
/// >>> document.text = document.text.replace("cher", "très cher")
/// >>> document.to_bytes()
/// b'un caf\xe9 tr\xe8s tr\xe8s cher\r\n'
#[pyclass(frozen, module = "utf8kit", name = "Document")]
pub(crate) struct Document {
    state: Arc<Mutex<State>>,
    /// The object it was opened from, if that was `bytes`.
    source: Option<Py<PyBytes>>,
}

impl Document {
    fn of(document: utf8kit_document::Document<'static>, source: Option<Py<PyBytes>>) -> Document {
        let state = State { document, text: None };
        Document { state: Arc::new(Mutex::new(state)), source }
    }

    /// Locks the document. The holder of the lock must not wait for the GIL.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Edits the document. A large document is copied first, so that Ctrl-C leaves it unchanged.
    fn edit(
        &self,
        py: Python<'_>,
        new: &str,
        edit: impl FnOnce(&mut utf8kit_document::Document<'static>, &str) -> Result<(), EditError> + Send + 'static,
    ) -> PyResult<Result<(), EditError>> {
        let mut state = self.lock();
        if state.document.text().len() + new.len() < MIN_BYTES_FOR_THREAD {
            return Ok(edit(&mut state.document, new).map(|()| state.forget()));
        }
        drop(state);
        let (state, new) = (Arc::clone(&self.state), new.to_owned());
        interruptible(py, move |cancelled| {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let mut copy = state.document.clone();
            edit(&mut copy, &new)?;
            if !cancelled.get() {
                state.document = copy;
                state.forget();
            }
            Ok(())
        })
    }
}

#[pymethods]
impl Document {
    #[new]
    #[pyo3(
        signature = (data, encoding = None, *, line_ends = "lf", unencodable = "refuse"),
        text_signature = "(data, encoding=None, *, line_ends='lf', unencodable='refuse')"
    )]
    fn new(
        py: Python<'_>,
        data: Input<'_>,
        encoding: Option<CharsetName>,
        line_ends: &str,
        unencodable: &str,
    ) -> PyResult<Document> {
        let settings = Settings::new(encoding, line_ends, unencodable)?;
        let bytes = data.bytes().to_vec();
        let document = if bytes.len() < MIN_BYTES_FOR_THREAD {
            settings.open(bytes)
        } else {
            interruptible(py, move |_| settings.open(bytes))?
        };
        Ok(Document::of(document, data.as_object().map(|bytes| bytes.clone().unbind())))
    }

    /// The text: without the byte order mark, with U+FFFD where bytes are not text, and with the edits. Assigning to it
    /// makes the smallest edit that gives the new text: common parts, found by lines and then by code points, keep
    /// their bytes.
    ///
    /// Raises:
    ///     UnicodeEncodeError: the encoding lacks a character of the new text. In that case, nothing has changed.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        if let Some(text) = &self.lock().text {
            return Ok(text.bind(py).clone());
        }
        // Creating a large `str` releases the GIL, so the lock must not be held.
        let text = self.lock().document.text().to_owned();
        let object = string::from_utf8(py, text.as_bytes())?;
        let mut state = self.lock();
        if state.document.text() == text {
            state.text = Some(object.clone().unbind());
        }
        Ok(object)
    }

    #[setter]
    fn set_text(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        let edited = self.edit(py, text, |document, new| document.set_text(new))?;
        edited.map_err(|error| refused(error, text.to_owned()))
    }

    /// Replaces a range of the text. Common parts of the old and the new text keep their bytes.
    ///
    /// Args:
    ///     start, end: positions in the text.
    ///     text: the new text.
    ///
    /// Raises:
    ///     IndexError: the range is not in the text.
    ///     UnicodeEncodeError: the encoding lacks a character of the new text. In that case, nothing has changed.
    ///
    /// >>> import utf8kit
    /// >>> document = utf8kit.Document(b"na\xefve\r\n", "windows-1252")
    /// >>> document.replace(5, 5, ".\nMore.")
    /// >>> document.to_bytes()
    /// b'na\xefve.\r\nMore.\r\n'
    /// >>> document.replace(0, 0, "日")
    /// Traceback (most recent call last):
    /// UnicodeEncodeError: 'windows-1252' codec can't encode character '\u65e5' in position 0: line 1, column 1: not in
    /// this encoding
    fn replace(&self, py: Python<'_>, start: isize, end: isize, text: &str) -> PyResult<()> {
        let range = self.lock().bytes_of(start, end);
        let outside = || PyIndexError::new_err(format!("{start} to {end} is not a range of the text"));
        let range = range.ok_or_else(outside)?;
        let place = range.clone();
        let edited = self.edit(py, text, move |document, new| document.replace(place, new))?;
        edited.map_err(|error| {
            let state = self.lock();
            let part = |range: Range<usize>| state.document.text().get(range).unwrap_or_default();
            let len = state.document.text().len();
            refused(error, [part(0..range.start), text, part(range.end..len)].concat())
        })
    }

    /// Returns the bytes. Outside of edits, they are the same as in the input.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let state = self.lock();
        match &self.source {
            Some(source) if !state.document.is_edited() => source.bind(py).clone(),
            _ => PyBytes::new(py, &state.document.to_bytes()),
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.to_bytes(py)
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __repr__(&self) -> String {
        let state = self.lock();
        let edited = if state.document.is_edited() { ", edited" } else { "" };
        let encodings: Vec<String> = state.document.encodings().iter().map(ToString::to_string).collect();
        format!("<Document of {} bytes in {}{edited}>", state.document.original().len(), encodings.join(" and "))
    }

    /// The encodings: one, or UTF-8 and the encoding of lines that are not UTF-8.
    #[getter]
    fn encodings(&self) -> Vec<String> {
        self.lock().document.encodings().iter().map(ToString::to_string).collect()
    }

    /// The length of the byte order mark in bytes, or 0 if there is none.
    #[getter]
    fn mark(&self) -> usize {
        self.lock().document.mark()
    }

    /// Whether anything was edited.
    #[getter]
    fn is_edited(&self) -> bool {
        self.lock().document.is_edited()
    }

    /// Whether an edit has converted everything to UTF-8, as `unencodable="recode"` requests.
    #[getter]
    fn is_recoded(&self) -> bool {
        self.lock().document.is_recoded()
    }

    /// Returns the range in `to_bytes()` of a range of the text, extended to whole characters.
    ///
    /// Raises:
    ///     IndexError: the range is not in the text.
    ///
    /// >>> import utf8kit
    /// >>> document = utf8kit.Document("a😀\r\nb".encode("utf-16le"), "utf-16le")
    /// >>> document.to_bytes()[document.to_bytes_range(1, 2)].decode("utf-16le")
    /// '😀'
    fn to_bytes_range<'py>(&self, py: Python<'py>, start: isize, end: isize) -> PyResult<Bound<'py, PySlice>> {
        let state = self.lock();
        let outside = || PyIndexError::new_err(format!("{start} to {end} is not a range of the text"));
        let range = state.bytes_of(start, end).ok_or_else(outside)?;
        slice(py, &state.document.to_bytes_range(range))
    }

    /// Returns the range in the text of a range of bytes of `to_bytes()`, extended to whole characters.
    ///
    /// >>> import utf8kit
    /// >>> document = utf8kit.Document("a😀\r\nb".encode("utf-16le"), "utf-16le")
    /// >>> document.to_text_range(10, 12)
    /// slice(3, 4, None)
    fn to_text_range<'py>(&self, py: Python<'py>, start: usize, end: usize) -> PyResult<Bound<'py, PySlice>> {
        let state = self.lock();
        let range = state.document.to_text_range(start..end.max(start));
        let position = |offset| state.document.position_of(offset, ColumnUnit::CodePoints);
        slice(py, &(position(range.start)..position(range.end)))
    }

    /// Returns the places in the text that stand for bytes that are not text, as of opening the document: for each, the
    /// range in the text and the range of bytes.
    ///
    /// >>> import utf8kit
    /// >>> utf8kit.Document(b"a\xffb", "utf-8").opaque()
    /// [(slice(1, 2, None), slice(1, 2, None))]
    fn opaque<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PySlice>, Bound<'py, PySlice>)>> {
        let state = self.lock();
        let text = state.document.original_text();
        let index = TextIndex::new(text.as_bytes());
        let at = index.on(text.as_bytes()).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let position = |range: &Range<usize>| {
            let [start, end] = [range.start, range.end].map(|end| at.position(end, ColumnUnit::CodePoints));
            start..end
        };
        let places = state.document.opaque();
        places.map(|(text, bytes)| Ok((slice(py, &position(&text))?, slice(py, &bytes)?))).collect()
    }
}

/// Returns the exception for an edit that was rejected; `text` is the intended text.
fn refused(error: EditError, text: String) -> PyErr {
    let EditError::Lacking(Lacking { scalar, encoding, offset, line, column, .. }) = error else {
        return PyIndexError::new_err(error.to_string());
    };
    // The place refers to the text with all edits, which transliteration may have changed elsewhere.
    let is_there = text.get(offset..).is_some_and(|rest| rest.starts_with(scalar));
    let (text, offset) = if is_there { (text, offset) } else { (scalar.to_string(), 0) };
    let start = utf8kit::code_point_index(&text, offset);
    let reason = format!("line {line}, column {column}: not in this encoding");
    PyUnicodeEncodeError::new_err((encoding.to_string(), text, start, start + 1, reason))
}

/// Opens a file as a `Document` for editing in a `with` statement. At its end, the file is replaced atomically. If
/// there was no edit, or an exception was raised, nothing is written.
///
/// Mode, owner, access control lists and extended attributes are kept, and symbolic links are followed. The file is
/// locked for other edits by utf8kit; if another program changes it in the meantime, it is left alone.
///
/// Args:
///     path: the file.
///     encoding, line_ends, unencodable: as for `Document`.
///     backup_suffix: keep the old file under its name plus this suffix; no backup if it is empty.
///     hard_links: how to handle a file with several names: `skip` it, `write` to it (which is not atomic), or `split`
///         off this name.
///     ledger: append the changes to this file, so that `utf8 undo` can undo them.
///
/// Returns:
///     A context manager, whose value is the `Document`.
///
/// Raises:
///     OSError: the file cannot be read or replaced.
///     SkippedError: it is left alone, for the reason in the exception.
///     ValueError: the file is UTF-8, but was opened in another encoding, so the edit would make it invalid.
///
/// >>> import utf8kit, tempfile, pathlib
/// >>> path = pathlib.Path(tempfile.mkdtemp()) / "menu.c"
/// >>> size = path.write_bytes(b'puts("th\xe9");\r\n')
/// >>> with utf8kit.edit(path) as document:
/// ...     document.text = document.text.replace("thé", "thé vert")
/// >>> path.read_bytes()
/// b'puts("th\xe9 vert");\r\n'
#[pyfunction]
#[pyo3(
    signature = (
        path, encoding = None, *, line_ends = "lf", unencodable = "refuse", backup_suffix = OsString::new(),
        hard_links = "skip", ledger = None
    ),
    text_signature = "(path, encoding=None, *, line_ends='lf', unencodable='refuse', backup_suffix='', \
                      hard_links='skip', ledger=None)"
)]
pub(crate) fn edit(
    path: PathBuf,
    encoding: Option<CharsetName>,
    line_ends: &str,
    unencodable: &str,
    backup_suffix: OsString,
    hard_links: &str,
    ledger: Option<PathBuf>,
) -> PyResult<Edit> {
    let settings = Settings::new(encoding, line_ends, unencodable)?;
    let hard_links = match hard_links {
        "skip" => HardLinks::Skip,
        "write" => HardLinks::Write,
        "split" => HardLinks::Split,
        _ => return Err(unknown("hard_links", hard_links, "skip, write, split")),
    };
    Ok(Edit { path, settings, backup_suffix, hard_links, ledger, open: Mutex::default() })
}

/// The context manager of `edit`.
#[pyclass(frozen, module = "utf8kit._native", name = "Edit")]
pub(crate) struct Edit {
    path: PathBuf,
    settings: Settings,
    backup_suffix: OsString,
    hard_links: HardLinks,
    ledger: Option<PathBuf>,
    /// The file, while it is open, and its document.
    open: Mutex<Option<(OpenFile, Py<Document>)>>,
}

#[pymethods]
impl Edit {
    fn __enter__(&self, py: Python<'_>) -> PyResult<Py<Document>> {
        let (path, settings) = (self.path.clone(), self.settings);
        let opened = interruptible(py, move |_| {
            let file = OpenFile::open(&path, &mut ())?;
            let document = settings.open(file.bytes().to_vec());
            Ok((file, document))
        })?;
        let (file, document) = opened.map_err(|error| raise(py, error))?;
        let document = Py::new(py, Document::of(document, None))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_some() {
            return Err(PyRuntimeError::new_err("the file is being edited already"));
        }
        *open = Some((file, document.clone_ref(py)));
        Ok(document)
    }

    #[pyo3(signature = (kind, error, traceback, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let failed = [kind, error, traceback].iter().any(Option::is_some);
        let Some((file, document)) = open.filter(|_| !failed) else { return Ok(false) };
        let document = document.get();
        if py.detach(|| document.lock().document.breaks_utf8()) {
            return Err(PyValueError::new_err(
                "it is utf-8, and this edit would make it invalid: leave out its encoding",
            ));
        }
        py.detach(|| self.write(file, &document.lock().document)).map_err(|error| raise(py, error))?;
        Ok(false)
    }
}

impl Edit {
    fn write(&self, file: OpenFile, document: &utf8kit_document::Document<'_>) -> Result<(), FileError> {
        if !document.is_edited() {
            return Ok(());
        }
        let mut ledger = self.ledger.as_deref().map(Ledger::open).transpose()?;
        let in_place = InPlace::new(&self.backup_suffix, self.hard_links, ledger.as_mut());
        file.replace(&document.to_bytes(), in_place, &mut ()).map(drop)
    }
}
