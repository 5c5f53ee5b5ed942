//! `utf8kit.TextIndex`: the positions of a text in bytes, UTF-16 code units, code points and lines.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};
use utf8kit::index::{IndexError, Indexed, LspPosition};
use utf8kit::{ColumnUnit, LineColumn, LineEnds};

use crate::document::slice;
use crate::input::Input;
use crate::string;

/// A unit by its name in the Language Server Protocol.
#[derive(Clone, Copy)]
struct Unit(ColumnUnit);

impl Unit {
    const UTF_16: Unit = Unit(ColumnUnit::Utf16);
    const UTF_32: Unit = Unit(ColumnUnit::CodePoints);
}

impl<'a, 'py> FromPyObject<'a, 'py> for Unit {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<&str>()? {
            "utf-8" => Ok(Unit(ColumnUnit::Bytes)),
            "utf-16" => Ok(Unit::UTF_16),
            "utf-32" => Ok(Unit::UTF_32),
            other => Err(PyValueError::new_err(format!("unknown unit: {other}; known are utf-8, utf-16, utf-32"))),
        }
    }
}

/// A text and its index.
struct State {
    text: Vec<u8>,
    index: utf8kit::index::TextIndex,
}

impl State {
    fn at(&self) -> PyResult<Indexed<'_>> {
        self.index.on(&self.text).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

/// The positions of a text in bytes (`utf-8`), UTF-16 code units (`utf-16`), code points (`utf-32`) and lines.
///
/// Offsets refer to the original object: code points of a `str`, or bytes of a buffer, which may be invalid UTF-8. An
/// error counts as one code point. Units have the names of the Language Server Protocol's position encodings. The index
/// keeps a copy of the text as UTF-8, plus 1.7 % of its size. Each query takes a binary search and reads at most a
/// kilobyte of the text, however long text and lines are.
///
/// Args:
///     text: a `str`, or any buffer of UTF-8.
///     line_ends: the line ends. `universal`: `\n`, `\r\n` and `\r`, as the protocol prescribes. `lf`: `\n` alone.
///         `unicode`: also `\v`, `\f`, U+0085, U+2028 and U+2029.
///
/// >>> from utf8kit import TextIndex
/// >>> index = TextIndex("one\r\n😀 two")
/// >>> index.lsp_position(7), index.lsp_position(7, "utf-8")
/// ((1, 3), (1, 5))
/// >>> index.lsp_offset(1, 3)
/// 7
/// >>> index.edit(5, 6, "zwei")
/// >>> index.lsp_position(10), index.text
/// ((1, 5), 'one\r\nzwei two')
#[pyclass(frozen, module = "utf8kit", name = "TextIndex")]
pub(crate) struct TextIndex {
    state: Mutex<State>,
    /// Whether it was made from a `str`.
    is_str: bool,
}

impl TextIndex {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The unit of offsets.
    fn own(&self) -> ColumnUnit {
        if self.is_str { ColumnUnit::CodePoints } else { ColumnUnit::Bytes }
    }

    /// Returns the byte offset of an offset; beyond the end, the end.
    fn byte(&self, at: &Indexed<'_>, offset: usize) -> usize {
        if self.is_str { at.offset(offset, self.own()).unwrap_or(usize::MAX) } else { offset }
    }

    /// Returns the bytes of a `str` or a buffer, whichever this was made from.
    fn bytes_of(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        match (self.is_str, text.cast::<PyString>()) {
            (true, Ok(text)) => Ok(text.to_str()?.into()),
            (true, Err(_)) => Err(PyTypeError::new_err("expected a str, like the text")),
            (false, _) => Ok(text.extract::<Input<'_>>()?.bytes().to_vec()),
        }
    }
}

#[pymethods]
impl TextIndex {
    #[new]
    #[pyo3(signature = (text, *, line_ends = "universal"))]
    fn new(py: Python<'_>, text: &Bound<'_, PyAny>, line_ends: &str) -> PyResult<TextIndex> {
        let line_ends = match line_ends {
            "lf" => LineEnds::LineFeed,
            "universal" => LineEnds::Universal,
            "unicode" => LineEnds::Unicode,
            other => {
                let message = format!("unknown line_ends: {other}; known are lf, universal, unicode");
                return Err(PyValueError::new_err(message));
            }
        };
        let is_str = text.is_instance_of::<PyString>();
        let bytes = match text.cast::<PyString>() {
            Ok(text) => text.to_str()?.as_bytes().to_vec(),
            Err(_) => text.extract::<Input<'_>>()?.bytes().to_vec(),
        };
        let state = py.detach(|| {
            let index = utf8kit::index::TextIndex::with_line_ends(&bytes, line_ends);
            State { text: bytes, index }
        });
        Ok(TextIndex { state: Mutex::new(state), is_str })
    }

    /// The current text: a `str`, or `bytes`.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.lock();
        if self.is_str {
            Ok(string::from_utf8(py, &state.text)?.into_any())
        } else {
            Ok(PyBytes::new(py, &state.text).into_any())
        }
    }

    /// The number of lines: one more than line ends.
    #[getter]
    fn lines(&self) -> usize {
        self.lock().index.lines()
    }

    /// Returns the length of the text in a unit.
    ///
    /// >>> import utf8kit
    /// >>> [utf8kit.TextIndex("a😀").length(unit) for unit in ("utf-8", "utf-16", "utf-32")]
    /// [5, 3, 2]
    #[pyo3(signature = (unit))]
    fn length(&self, unit: Unit) -> usize {
        self.lock().index.len(unit.0)
    }

    /// Returns the position of an offset in a unit. An offset beyond the end gives the end.
    ///
    /// >>> import utf8kit
    /// >>> utf8kit.TextIndex("a😀b").position(2, "utf-16")
    /// 3
    fn position(&self, offset: usize, unit: Unit) -> PyResult<usize> {
        let state = self.lock();
        let at = state.at()?;
        Ok(at.position(self.byte(&at, offset), unit.0))
    }

    /// Returns the positions of many offsets, in any order. Ascending ones are faster.
    fn positions(&self, offsets: Vec<usize>, unit: Unit) -> PyResult<Vec<usize>> {
        let state = self.lock();
        let at = state.at()?;
        if !self.is_str {
            return Ok(at.positions(&offsets, unit.0));
        }
        let bytes: Vec<usize> =
            at.offsets(&offsets, self.own()).into_iter().map(|byte| byte.unwrap_or(usize::MAX)).collect();
        Ok(at.positions(&bytes, unit.0))
    }

    /// Returns the offset of a position in a unit, or `None` if it is beyond the end. A position within a character,
    /// such as between two surrogates, gives the offset of the character.
    ///
    /// >>> import utf8kit
    /// >>> index = utf8kit.TextIndex("a😀b")
    /// >>> [index.offset(position, "utf-16") for position in range(6)]
    /// [0, 1, 1, 2, 3, None]
    fn offset(&self, position: usize, unit: Unit) -> PyResult<Option<usize>> {
        Ok(self.lock().at()?.convert(position, unit.0, self.own()))
    }

    /// Returns the offsets of many positions, in any order. Ascending ones are faster.
    fn offsets(&self, positions: Vec<usize>, unit: Unit) -> PyResult<Vec<Option<usize>>> {
        let state = self.lock();
        let at = state.at()?;
        let bytes = at.offsets(&positions, unit.0);
        if !self.is_str {
            return Ok(bytes);
        }
        let found: Vec<usize> = bytes.iter().flatten().copied().collect();
        let mut own = at.positions(&found, self.own()).into_iter();
        Ok(bytes.into_iter().map(|byte| byte.and_then(|_| own.next())).collect())
    }

    /// Returns the line and column of an offset, both from 1. A line end is the last character or two of its line.
    ///
    /// >>> import utf8kit
    /// >>> utf8kit.TextIndex("one\rzwei 5").line_column(9)
    /// (2, 6)
    #[pyo3(signature = (offset, unit = Unit::UTF_32), text_signature = "($self, offset, unit='utf-32')")]
    fn line_column(&self, offset: usize, unit: Unit) -> PyResult<(u64, u64)> {
        let state = self.lock();
        let at = state.at()?;
        let LineColumn { line, column, .. } = at.line_column(self.byte(&at, offset), unit.0);
        Ok((line, column))
    }

    /// Returns the offset of a line and column, both from 1, or `None` if there is no such line or column.
    #[pyo3(signature = (line, column, unit = Unit::UTF_32), text_signature = "($self, line, column, unit='utf-32')")]
    fn offset_at(&self, line: u64, column: u64, unit: Unit) -> PyResult<Option<usize>> {
        let state = self.lock();
        let at = state.at()?;
        let byte = at.offset_at(LineColumn::new(line, column), unit.0);
        Ok(byte.map(|byte| at.position(byte, self.own())))
    }

    /// Returns the range of a line, from 1, without or with its line end, or `None` if there is no such line.
    ///
    /// >>> import utf8kit
    /// >>> text = "one\r\ntwo"
    /// >>> text[utf8kit.TextIndex(text).line(1)]
    /// 'one'
    #[pyo3(signature = (line, *, with_end = false))]
    fn line<'py>(&self, py: Python<'py>, line: u64, with_end: bool) -> PyResult<Option<Bound<'py, PySlice>>> {
        let state = self.lock();
        let at = state.at()?;
        let range = if with_end { at.line_range(line) } else { at.line_content(line) };
        let Some(range) = range else { return Ok(None) };
        let own = |byte| at.position(byte, self.own());
        slice(py, &(own(range.start)..own(range.end))).map(Some)
    }

    /// Returns the position of an offset for the Language Server Protocol: the line, and the length of the text before
    /// it in the line, in a unit, both from 0. Within `\r\n`, it is the end of the line.
    #[pyo3(signature = (offset, unit = Unit::UTF_16), text_signature = "($self, offset, unit='utf-16')")]
    fn lsp_position(&self, offset: usize, unit: Unit) -> PyResult<(usize, usize)> {
        let state = self.lock();
        let at = state.at()?;
        let LspPosition { line, character, .. } = at.lsp_position(self.byte(&at, offset), unit.0);
        Ok((line, character))
    }

    /// Returns the positions of many offsets, in any order. Ascending ones are faster.
    ///
    /// >>> import utf8kit
    /// >>> utf8kit.TextIndex("a😀\nb").lsp_positions([1, 2, 3])
    /// [(0, 1), (0, 3), (1, 0)]
    #[pyo3(signature = (offsets, unit = Unit::UTF_16), text_signature = "($self, offsets, unit='utf-16')")]
    fn lsp_positions(&self, offsets: Vec<usize>, unit: Unit) -> PyResult<Vec<(usize, usize)>> {
        let state = self.lock();
        let at = state.at()?;
        let bytes = if self.is_str {
            let bytes = at.offsets(&offsets, self.own());
            bytes.into_iter().map(|byte| byte.unwrap_or(usize::MAX)).collect()
        } else {
            offsets
        };
        let positions = at.lsp_positions(&bytes, unit.0);
        Ok(positions.into_iter().map(|position| (position.line, position.character)).collect())
    }

    /// Returns the offset of a Language Server Protocol position, clamped as the protocol prescribes: a position beyond
    /// the end of a line gives the end of the line, before its line end; beyond the last line, the end of the text.
    ///
    /// >>> import utf8kit
    /// >>> index = utf8kit.TextIndex("one\r\ntwo")
    /// >>> index.lsp_offset(0, 99), index.lsp_offset(7, 0)
    /// (3, 8)
    #[pyo3(
        signature = (line, character, unit = Unit::UTF_16),
        text_signature = "($self, line, character, unit='utf-16')"
    )]
    fn lsp_offset(&self, line: usize, character: usize, unit: Unit) -> PyResult<usize> {
        let state = self.lock();
        let at = state.at()?;
        Ok(at.position(at.lsp_offset(LspPosition::new(line, character), unit.0), self.own()))
    }

    /// Returns the offsets of many positions, each a line and a character, in any order. Ascending ones are faster.
    #[pyo3(signature = (positions, unit = Unit::UTF_16), text_signature = "($self, positions, unit='utf-16')")]
    fn lsp_offsets(&self, positions: Vec<(usize, usize)>, unit: Unit) -> PyResult<Vec<usize>> {
        let state = self.lock();
        let at = state.at()?;
        let positions: Vec<LspPosition> =
            positions.into_iter().map(|(line, character)| LspPosition::new(line, character)).collect();
        Ok(at.positions(&at.lsp_offsets(&positions, unit.0), self.own()))
    }

    /// Replaces a part of the text, like `text[:start] + new + text[end:]`, but at a cost proportional to the change.
    ///
    /// Args:
    ///     start, end: offsets in the text.
    ///     text: the replacement, of the same type as the text.
    fn edit(&self, start: usize, end: usize, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let new = self.bytes_of(text)?;
        let mut state = self.lock();
        let outside = || PyIndexError::new_err(format!("{start} to {end} is not a range of the text"));
        let at = state.at()?;
        let byte = |offset| at.convert(offset, self.own(), ColumnUnit::Bytes).ok_or_else(outside);
        // A byte offset may be anywhere, even within a character.
        let range = if self.is_str { byte(start)?..byte(end)? } else { start..end };
        if range.start > range.end || range.end > state.text.len() {
            return Err(outside());
        }
        let State { text, index } = &mut *state;
        text.splice(range.clone(), new);
        index.edit(range, text).map_err(|error: IndexError| PyRuntimeError::new_err(error.to_string()))
    }

    fn __repr__(&self) -> String {
        let state = self.lock();
        let unit = if self.is_str { "code points" } else { "bytes" };
        format!("<TextIndex of {} {unit}, {} lines>", state.index.len(self.own()), state.index.lines())
    }
}
