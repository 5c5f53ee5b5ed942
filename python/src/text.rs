//! repair, convert, count, truncate: each a call into the library.

use std::borrow::Cow;
use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use utf8kit::{AnyEncoding, Encoding as _, Piece};
use utf8kit_detect::repair::{RepairPolicy, Repairer};
use utf8kit_encodings::Counts;
use utf8kit_encodings::convert::{Conversion, Converter, Invalid, MAX_BOM_LEN};

use crate::encoding::{CharsetName, Name};
use crate::error::{Found, raise};
use crate::input::{BYTES_PER_CHECK, Input};
use crate::policy::Policy;

/// Repairs every error by a policy. The encoding stays the same.
///
/// Args:
///     data: any buffer. It is not copied.
///     policy: `replace` (a U+FFFD per maximal subpart, as in Python, browsers and Rust), `replace-byte` (one per byte,
///         as in Go's range loop), `replace-run` (one per run of errors, as in Go's `ToValidUTF8`), `java` (as in
///         Java's decoder), `remove`, `escape` (`\xHH`, undone exactly by `unescape`), `same-length` (a `?` per byte),
///         `unescape`, `mojibake` (text that was encoded twice), `fallback=LABEL` (invalid bytes are decoded in a
///         legacy encoding), `fallback-lines=LABEL` (whole lines with invalid bytes are decoded), or `replace=TEXT`
///         with any text.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     bytes; the same object if it is `bytes` and nothing changed.
///
/// >>> import utf8kit
/// >>> utf8kit.repair(b"caf\xe9!").decode()
/// 'caf\ufffd!'
/// >>> utf8kit.repair(b"caf\xe9!", "escape")
/// b'caf\\xE9!'
/// >>> utf8kit.repair(b"caf\xe9!", "fallback=windows-1252").decode()
/// 'café!'
#[pyfunction]
#[pyo3(
    signature = (data, policy = Policy::default(), encoding = Name::UTF8),
    text_signature = "(data, policy='replace', encoding='utf-8')"
)]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    data: Input<'py>,
    policy: Policy,
    encoding: Name,
) -> PyResult<Bound<'py, PyBytes>> {
    policy.check(encoding.0)?;
    let changed = if data.bytes().len() > BYTES_PER_CHECK {
        repair_large(py, &data, &policy, encoding.0)?
    } else {
        data.with(py, |bytes| match policy.repair(encoding.0, bytes) {
            Cow::Borrowed(_) => None,
            Cow::Owned(repaired) => Some(repaired),
        })
    };
    Ok(data.or_changed(py, changed))
}

/// Repairs piece by piece; returns `None` if nothing changes.
fn repair_large(py: Python<'_>, data: &Input<'_>, policy: &Policy, encoding: AnyEncoding) -> PyResult<Option<Vec<u8>>> {
    // For other policies, only a whole line determines whether it changes.
    if matches!(policy.0, RepairPolicy::Errors(_) | RepairPolicy::Fallback(_)) {
        let mut unchanged = true;
        data.pieces(py, Some(encoding), |bytes, range| {
            unchanged = policy.0.leaves_unchanged(encoding, bytes.get(range).unwrap_or_default());
            if unchanged { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if unchanged {
            return Ok(None);
        }
    }
    let mut repairer = Repairer::new(&policy.0, encoding);
    let len = data.bytes().len();
    let mut out = Vec::with_capacity(len + len / 16);
    data.pieces(py, None, |bytes, range| {
        let last = range.end == bytes.len();
        repairer.push(bytes.get(range).unwrap_or_default(), Piece::last_if(last), &mut out, &mut |_| {});
        ControlFlow::Continue(())
    })?;
    Ok((repairer.counts.total() > 0).then_some(out))
}

/// Converts from one encoding to another.
///
/// Args:
///     data: any buffer. It is not copied.
///     source: the encoding of the data: one of `utf8kit.encodings()`, or a label of the WHATWG Encoding Standard
///         (`windows-1252`, `shift_jis`, `gb18030`, ...).
///     target: the encoding to convert to; the same names.
///     policy: how to handle errors and characters that the target cannot represent; None raises `Utf8Error`.
///
/// Returns:
///     bytes.
///
/// >>> import utf8kit
/// >>> utf8kit.convert("€".encode(), "utf-8", "utf-16be").hex(" ")
/// '20 ac'
/// >>> utf8kit.convert(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8", "utf-8").decode()
/// '😀'
/// >>> utf8kit.convert("naïve €".encode(), "utf-8", "latin1", "replace")
/// b'na\xefve ?'
#[pyfunction]
#[pyo3(signature = (data, source, target, policy = None))]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    data: Input<'py>,
    source: CharsetName,
    target: CharsetName,
    policy: Option<Policy>,
) -> PyResult<Bound<'py, PyBytes>> {
    let converted = match (source.native(), target.native()) {
        (Some(source), Some(target)) => {
            let policy = policy.as_ref().map(Policy::about_errors).transpose()?;
            convert_native(py, &data, source, target, policy)?
        }
        _ => {
            let invalid = policy.as_ref().map_or(Ok(Invalid::Strict), Policy::as_invalid)?;
            let mut conversion = Conversion::new(source.0, target.0);
            conversion.invalid = invalid;
            convert_any(py, &data, &conversion)?
        }
    };
    match converted {
        Ok(converted) => Ok(PyBytes::new(py, &converted)),
        Err(found) => Err(raise(py, &found, data.for_errors(py).as_ref())),
    }
}

/// Converts between two encodings of the library.
fn convert_native(
    py: Python<'_>,
    data: &Input<'_>,
    source: AnyEncoding,
    target: AnyEncoding,
    policy: Option<utf8kit::Policy<'_>>,
) -> PyResult<Result<Vec<u8>, Found>> {
    if data.bytes().len() <= BYTES_PER_CHECK {
        return Ok(data.with(py, |bytes| match policy {
            Some(policy) => Ok(utf8kit::convert_lossy(source, target, bytes, policy)),
            None => {
                utf8kit::convert(source, target, bytes).map_err(|error| Found::converting(source, target, error, bytes))
            }
        }));
    }
    let mut converter = match policy {
        Some(policy) => utf8kit::Converter::lossy(source, target, policy),
        None => utf8kit::Converter::strict(source, target),
    };
    let (mut out, mut failed) = (Vec::with_capacity(data.bytes().len()), None);
    data.pieces(py, None, |bytes, range| {
        let last = range.end == bytes.len();
        let pushed = converter.push(bytes.get(range).unwrap_or_default(), &mut out);
        let pushed = pushed.and_then(|()| if last { converter.finish(&mut out) } else { Ok(()) });
        let Err(error) = pushed else { return ControlFlow::Continue(()) };
        failed = Some(Found::converting(source, target, error, bytes));
        ControlFlow::Break(())
    })?;
    Ok(failed.map_or(Ok(out), Err))
}

/// Converts if an encoding is a legacy one, or one whose byte order is determined by a mark.
fn convert_any(py: Python<'_>, data: &Input<'_>, conversion: &Conversion) -> PyResult<Result<Vec<u8>, Found>> {
    let plan = data.with(py, |bytes| conversion.start(bytes.get(..MAX_BOM_LEN).unwrap_or(bytes)));
    let (mut out, mut failed) = (plan.prefix.clone(), None);
    let mut converter = Converter::new(&plan);
    data.pieces(py, None, |bytes, range| {
        let last = range.end == bytes.len();
        let piece = bytes.get(range.start.max(plan.skip)..range.end).unwrap_or_default();
        let Err(error) = converter.push(piece, last, &mut out, &mut Counts::default()) else {
            return ControlFlow::Continue(());
        };
        failed = Some(Found::conversion(error, conversion, plan.skip as u64));
        ControlFlow::Break(())
    })?;
    Ok(failed.map_or(Ok(out), Err))
}

/// Counts code points. Each error counts as one.
///
/// Args:
///     data: any buffer. It is not copied.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     The length of `data.decode(encoding, "replace")`, without decoding it.
///
/// >>> import utf8kit
/// >>> utf8kit.count("Grüße".encode())
/// 5
#[pyfunction]
#[pyo3(signature = (data, encoding = Name::UTF8), text_signature = "(data, encoding='utf-8')")]
pub(crate) fn count(py: Python<'_>, data: Input<'_>, encoding: Name) -> PyResult<usize> {
    let mut count = 0;
    data.pieces(py, Some(encoding.0), |bytes, range| {
        count += encoding.0.count(bytes.get(range).unwrap_or_default());
        ControlFlow::Continue(())
    })?;
    Ok(count)
}

/// Truncates data to a number of bytes without cutting a character: returns the longest such prefix.
///
/// Args:
///     data: any buffer.
///     size: the largest number of bytes to keep.
///     encoding: one of `utf8kit.encodings()`.
///
/// Returns:
///     bytes; the same object if it is `bytes` and short enough.
///
/// >>> import utf8kit
/// >>> utf8kit.truncate("née".encode(), 2)
/// b'n'
#[pyfunction]
#[pyo3(signature = (data, size, encoding = Name::UTF8), text_signature = "(data, size, encoding='utf-8')")]
pub(crate) fn truncate<'py>(py: Python<'py>, data: Input<'py>, size: usize, encoding: Name) -> Bound<'py, PyBytes> {
    let bytes = data.bytes();
    let kept = encoding.0.truncate(bytes, size);
    let cut = (kept.len() < bytes.len()).then(|| kept.to_vec());
    data.or_changed(py, cut)
}
