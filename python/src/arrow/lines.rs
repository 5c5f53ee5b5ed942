//! Lines of text as a column, with their places.

use pyo3::prelude::*;

use super::export::{Array, Buffer};
use super::ffi::Type;
use super::{ArrowColumn, numbers_array, plain_array};
use crate::input::Input;

/// lines(data, base, text) -> Array | None
///
/// Returns a record batch of the lines of `text`, which must be UTF-8: `offset`, the start of the same line of `data`
/// plus `base`, and `value`, the line without its end. Returns None if the two have different numbers of lines.
///
/// If the last line of `data` has no line end, neither has the last line of `text`. It may be empty after a repair.
#[pyfunction]
pub(crate) fn arrow_lines(py: Python<'_>, data: Input<'_>, base: u64, text: &[u8]) -> Option<ArrowColumn> {
    let (starts, is_ended) = data.with(py, |data| {
        let mut starts = vec![base];
        starts.extend(memchr::memchr_iter(b'\n', data).map(|feed| base + feed as u64 + 1));
        let is_ended = data.ends_with(b"\n");
        if data.is_empty() || is_ended {
            starts.pop();
        }
        (starts, is_ended)
    });
    let (mut values, mut ends) = (Vec::with_capacity(text.len()), Vec::with_capacity(starts.len() + 1));
    ends.push(0);
    let lines = text.strip_suffix(b"\n").filter(|_| is_ended).unwrap_or(text);
    let mut begin = 0;
    for end in memchr::memchr_iter(b'\n', lines).chain([lines.len()]) {
        let line = lines.get(begin..end).unwrap_or_default();
        values.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
        ends.push(i32::try_from(values.len()).ok()?);
        begin = end + 1;
    }
    let len = ends.len() - 1;
    if len != starts.len() || std::str::from_utf8(&values).is_err() {
        return None;
    }
    let value = plain_array(len, vec![Buffer::Absent, Buffer::Offsets32(ends), Buffer::Bytes(values)]);
    let children = vec![numbers_array(starts), value];
    let fields = vec![Type::new(c"l", c"offset", Vec::new()), Type::new(c"u", c"value", Vec::new())];
    let array = Array { children, ..plain_array(len, vec![Buffer::Absent]) };
    Some(ArrowColumn::new(Type::new(c"+s", c"", fields), array))
}
