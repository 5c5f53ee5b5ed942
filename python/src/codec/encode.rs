//! `str` to bytes.

use std::borrow::Cow;

use pyo3::exceptions::{PyIndexError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use utf8kit::{AnyEncoding, Converter, Encoding, Error, Utf8, Utf8Bits21, Utf8Offset};

use super::{Handler, MIN_BYTES_TO_VALIDATE, is_same_in, surrogate_bytes};

/// Encodes a text in a dialect.
pub(super) fn encode<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyString>,
    encoding: AnyEncoding,
    errors: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = surrogate_bytes(text)?;
    let surrogates = matches!(bytes, Cow::Owned(_));
    let bytes = bytes.as_ref();
    if !surrogates && is_same_in(encoding, bytes) {
        return Ok(PyBytes::new(py, bytes));
    }
    let mut encoded = Encoded { bytes, surrogates, out: Vec::new(), at: 0, counted: (0, 0) };
    let handler = Handler::of(errors);
    let escapes = surrogates && handler == Handler::Escape;
    // The exception, which all errors share as in Python's own codecs, and its handler.
    let mut raised: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> = None;
    while let Some(len) = py.detach(|| encoded.run(encoding, escapes)) {
        let start = encoded.at;
        encoded.at += len;
        match handler {
            Handler::Ignore => continue,
            Handler::Replace => {
                let mark = utf8kit::convert_lossy(Utf8, encoding, b"?", utf8kit::Policy::REPLACE);
                encoded.out.extend_from_slice(&mark);
            }
            _ => {
                let (place, end) = (encoded.count(start), encoded.count(start + len));
                let (exception, call) = match &raised {
                    Some(raised) => {
                        raised.0.setattr("start", place)?;
                        raised.0.setattr("end", end)?;
                        raised
                    }
                    None => {
                        let class = py.get_type::<PyUnicodeEncodeError>();
                        let reason = format!("{} cannot hold this code point", encoding.name());
                        let exception = class.call1((encoding.name(), text, place, end, reason))?;
                        if errors == "strict" {
                            return Err(PyErr::from_value(exception));
                        }
                        let call = py.import("codecs")?.call_method1("lookup_error", (errors,))?;
                        raised.insert((exception, call))
                    }
                };
                let (replacement, next): (Bound<'_, PyAny>, usize) = call.call1((exception,))?.extract()?;
                if let Ok(replacement) = replacement.cast::<PyBytes>() {
                    encoded.out.extend_from_slice(replacement.as_bytes());
                } else {
                    let replacement = encode(py, replacement.cast::<PyString>()?, encoding, "strict")?;
                    encoded.out.extend_from_slice(replacement.as_bytes());
                }
                encoded.at = encoded.offset(next).ok_or_else(|| {
                    PyIndexError::new_err(format!("position {next} from error handler out of bounds"))
                })?;
            }
        }
    }
    Ok(PyBytes::new(py, &encoded.out))
}

/// Converts a text up to its first error.
fn convert<S: Encoding, T: Encoding>(from: S, to: T, text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut converter = Converter::strict(from, to);
    converter.push(text, out)?;
    converter.finish(out)
}

/// Returns the next surrogate at or after `start` that stands for a byte (U+DC80 to U+DCFF), in UTF-8 with surrogates.
fn next_escape(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| byte == 0xED)) {
        at += next;
        if matches!(bytes.get(at + 1), Some(0xB2 | 0xB3)) {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// A text that is being encoded.
struct Encoded<'t> {
    bytes: &'t [u8],
    /// Whether `bytes` contain surrogates.
    surrogates: bool,
    out: Vec<u8>,
    at: usize,
    /// A boundary that was passed, and the number of code points before it.
    counted: (usize, usize),
}

impl Encoded<'_> {
    /// Continues encoding, up to a value that the encoding lacks. Returns its length.
    fn run(&mut self, encoding: AnyEncoding, escapes: bool) -> Option<usize> {
        loop {
            let end = if escapes { next_escape(self.bytes, self.at) } else { self.bytes.len() };
            let (rest, out) = (&self.bytes[self.at..end], &mut self.out);
            let result = match encoding {
                // Between escapes that are close together, starting a converter takes longer. ED is the lead byte of
                // surrogates.
                any if escapes
                    && rest.len() < MIN_BYTES_TO_VALIDATE
                    && !rest.contains(&0xED)
                    && is_same_in(any, rest) =>
                {
                    out.extend_from_slice(rest);
                    Ok(())
                }
                // Surrogates are valid in this encoding, so any `str` is valid in it.
                any if self.surrogates => convert(Utf8Bits21, any, rest, out),
                AnyEncoding::Utf8Offset => convert(Utf8, Utf8Offset, rest, out),
                any => convert(Utf8, any, rest, out),
            };
            if let Err(error) = result {
                self.at += error.valid_up_to();
                return Some(error.len.into());
            }
            let Some([_, second, third]) = self.bytes.get(end..end + 3) else { return None };
            self.out.push((second & 3) << 6 | third & 0x3F);
            self.at = end + 3;
        }
    }

    /// Returns the number of code points before an offset, which must not precede an earlier one.
    fn count(&mut self, at: usize) -> usize {
        let (from, before) = self.counted;
        let count = before + Utf8Bits21.count(&self.bytes[from..at]);
        self.counted = (at, count);
        count
    }

    /// Returns the offset after as many code points.
    fn offset(&self, count: usize) -> Option<usize> {
        match self.counted {
            (from, before) if count >= before => {
                Some(from + Utf8Bits21.code_point_offset(&self.bytes[from..], count - before)?)
            }
            _ => Utf8Bits21.code_point_offset(self.bytes, count),
        }
    }
}
