//! Bytes to `str`.
//!
//! A `str` holds any code point up to 10FFFF, including lone surrogates. If it is faster and nothing stops the
//! conversion, the bytes are converted directly to the units of a `str`. Otherwise, they are converted to UTF-8, error
//! by error: the library's strict converter stops at invalid bytes and at values that UTF-8 cannot represent. A
//! surrogate is passed on as three bytes, and anything else is an error.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use utf8kit::{
    AnyEncoding, Cesu8, Converter, ENCODE_BUFFER, Encoding, Error, ErrorKind, MAX_LEN, Mutf8, Utf8, Utf8Bits21,
    Utf8Bits31, Utf8Offset, Wtf8,
};

use super::{Handler, MIN_BYTES_TO_VALIDATE, is_same_in, surrogate_bytes};
use crate::error::{Found, raise, utf8_error};
use crate::input::Input;
use crate::string;

/// Decodes bytes of a dialect, except for incomplete bytes at the end unless these are the last.
pub(super) fn decode<'py>(
    py: Python<'py>,
    data: &Input<'py>,
    encoding: AnyEncoding,
    errors: &str,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let bytes = data.bytes();
    if bytes.len() < MIN_BYTES_TO_VALIDATE && is_same_in(encoding, bytes) && utf8kit::validate(bytes).is_ok() {
        return Ok((PyString::from_bytes(py, bytes)?, bytes.len()));
    }
    let handler = Handler::of(errors);
    let escapes = handler == Handler::Escape;
    if let Some(units) = data.with(py, |bytes| string::units(encoding, bytes, last, escapes)) {
        return Ok((units.text(py, || data.bytes())?, units.read));
    }
    let mut decoded = Decoded::default();
    // The input for error handlers, created at the first error. Handlers may change the original.
    let mut whole: Option<Input<'py>> = None;
    loop {
        let input = whole.as_ref().unwrap_or(data);
        let error = input.with(py, |bytes| decoded.run(encoding, bytes, last, handler));
        let Some(error) = error else {
            return Ok((text_of(py, &decoded.text, decoded.surrogates)?, decoded.at));
        };
        let input = match &whole {
            Some(input) => input,
            None => whole.insert(Input::Bytes(data.or_changed(py, None))),
        };
        if errors == "strict" {
            return Err(raise(py, &error, Some(input)));
        }
        let error = utf8_error(py, &error, Some(input))?;
        let (replacement, next) = handled(py, errors, &error, input.bytes().len())?;
        let replacement = surrogate_bytes(&replacement)?;
        decoded.surrogates |= utf8kit::validate(&replacement).is_err();
        decoded.text.extend_from_slice(&replacement);
        decoded.at = next;
    }
}

/// Calls an error handler; returns its text, and the position to continue from.
fn handled<'py>(
    py: Python<'py>,
    name: &str,
    error: &Bound<'py, PyAny>,
    len: usize,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let handler = py.import("codecs")?.call_method1("lookup_error", (name,))?;
    let answer = handler.call1((error,))?;
    let (replacement, next): (Bound<'_, PyString>, isize) =
        answer.extract().map_err(|_| PyTypeError::new_err("decoding error handler must return (str, int) tuple"))?;
    let from_start = if next < 0 { len.checked_sub(next.unsigned_abs()) } else { Some(next.unsigned_abs()) };
    match from_start.filter(|&next| next <= len) {
        Some(next) => Ok((replacement, next)),
        None => Err(PyIndexError::new_err(format!("position {next} from error handler out of bounds"))),
    }
}

/// Creates a `str` from UTF-8 that may contain surrogates.
fn text_of<'py>(py: Python<'py>, text: &[u8], surrogates: bool) -> PyResult<Bound<'py, PyString>> {
    if surrogates { string::from_surrogates(py, text) } else { string::from_utf8(py, text) }
}

/// From this many bytes without an error, starting a converter pays off.
const MIN_VALID_BYTES_FOR_CONVERTER: usize = 256;

/// A text that is being decoded.
#[derive(Default)]
struct Decoded {
    text: Vec<u8>,
    surrogates: bool,
    /// The number of bytes decoded.
    at: usize,
}

impl Decoded {
    /// Continues decoding, up to an error that Python code must handle.
    fn run(&mut self, encoding: AnyEncoding, bytes: &[u8], last: bool, handler: Handler) -> Option<Found> {
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let found = decode_run(encoding, rest, last, handler == Handler::Escape);
            self.surrogates |= found.surrogates;
            if self.text.is_empty() {
                self.text = found.text
            } else {
                self.text.extend_from_slice(&found.text)
            }
            self.at += found.read;
            let error = found.error?;
            let span = rest.get(error.range()).unwrap_or_default();
            let handled = match handler {
                Handler::Replace => {
                    self.text.extend_from_slice("\u{FFFD}".as_bytes());
                    span.len()
                }
                Handler::Ignore => span.len(),
                Handler::Escape => self.escape(span),
                Handler::Python => 0,
            };
            self.at += handled;
            if handled == 0 {
                return Some(Found::new(encoding, error, rest).moved((bytes.len() - rest.len()) as u64));
            }
            self.run_among_errors(encoding, bytes, handler);
        }
    }

    /// Continues decoding code point by code point while errors are close together, because starting a converter for
    /// each takes longer.
    fn run_among_errors(&mut self, encoding: AnyEncoding, bytes: &[u8], handler: Handler) {
        match encoding {
            AnyEncoding::Utf8Bits21 => self.items(Utf8Bits21, bytes, handler),
            AnyEncoding::Utf8Bits31 => self.items(Utf8Bits31, bytes, handler),
            AnyEncoding::Cesu8 => self.items(Cesu8, bytes, handler),
            AnyEncoding::Mutf8 => self.items(Mutf8, bytes, handler),
            AnyEncoding::Wtf8 => self.items(Wtf8, bytes, handler),
            any => self.items(any, bytes, handler),
        }
    }

    /// Decodes until [`MIN_VALID_BYTES_FOR_CONVERTER`] bytes without an error, an error that is not handled here, or
    /// near the end, where more input matters.
    fn items<E: Encoding<Unit = u8>>(&mut self, encoding: E, bytes: &[u8], handler: Handler) {
        let near_end = bytes.len().saturating_sub(2 * MAX_LEN);
        let mut calm_from = self.at;
        while self.at < near_end && self.at - calm_from < MIN_VALID_BYTES_FOR_CONVERTER {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(step) = encoding.decode(rest) else { return };
            let is_escape = |value| handler == Handler::Escape && matches!(value, 0xDC80..=0xDCFF);
            match step.result {
                Ok(value @ 0..0x80) => self.text.push(value as u8),
                Ok(value @ 0..=0x10FFFF) if !is_escape(value) => {
                    let mut few = [0; ENCODE_BUFFER];
                    let written = Utf8Bits21.encode(value, &mut few).unwrap_or(0);
                    self.text.extend_from_slice(few.get(..written).unwrap_or_default());
                    self.surrogates |= matches!(value, 0xD800..=0xDFFF);
                }
                _ => {
                    let handled = match handler {
                        Handler::Replace => {
                            self.text.extend_from_slice("\u{FFFD}".as_bytes());
                            step.len()
                        }
                        Handler::Ignore => step.len(),
                        Handler::Escape => self.escape(rest.get(..step.len()).unwrap_or_default()),
                        Handler::Python => 0,
                    };
                    if handled == 0 {
                        return;
                    }
                    self.at += handled;
                    calm_from = self.at;
                    continue;
                }
            }
            self.at += step.len();
        }
    }

    /// Writes bytes as surrogates, up to an ASCII byte. Returns how many.
    fn escape(&mut self, span: &[u8]) -> usize {
        let escaped = span.iter().take_while(|byte| **byte >= 0x80);
        for &byte in escaped.clone() {
            self.text.extend_from_slice(&[0xED, 0xB0 | byte >> 6, 0x80 | byte & 0x3F]);
            self.surrogates = true;
        }
        escaped.count()
    }
}

/// A part without errors, in UTF-8 with surrogates, and the error after it.
struct DecodedRun {
    text: Vec<u8>,
    /// Number of bytes of the input that are in `text`.
    read: usize,
    /// Whether `text` contains surrogates.
    surrogates: bool,
    error: Option<Error>,
}

/// Converts up to the first error, or as far as no further input can change the output. With `escapes`, surrogates that
/// stand for bytes are errors, because they must be distinguished from surrogates made from the bytes of an error.
fn decode_run(encoding: AnyEncoding, bytes: &[u8], last: bool, escapes: bool) -> DecodedRun {
    match encoding {
        // Converts code point by code point, in a loop of its own.
        AnyEncoding::Utf8Offset => decode_run_in(Utf8Offset, bytes, last, escapes),
        any => decode_run_in(any, bytes, last, escapes),
    }
}

fn decode_run_in<E: Encoding<Unit = u8>>(encoding: E, bytes: &[u8], last: bool, escapes: bool) -> DecodedRun {
    let mut found = DecodedRun { text: Vec::new(), read: 0, surrogates: false, error: None };
    loop {
        let mut converter = Converter::strict(encoding, Utf8);
        let rest = &bytes[found.read..];
        let pushed = converter.push(rest, &mut found.text);
        let result = pushed.and_then(|()| if last { converter.finish(&mut found.text) } else { Ok(()) });
        let Err(error) = result else {
            found.read = bytes.len() - converter.pending().len();
            return found;
        };
        let at = found.read + error.valid_up_to();
        found.read = at;
        let step = encoding.decode(&bytes[at..]);
        match step.map(|step| (step.result, step.len())) {
            Some((Ok(0xDC80..=0xDCFF), len)) if escapes => {
                found.error = Some(Error::new(at as u64, len as u8, ErrorKind::Surrogate));
                return found;
            }
            Some((Ok(value @ 0xD800..=0xDFFF), len)) => {
                let mut three = [0; ENCODE_BUFFER];
                let written = Utf8Bits21.encode(value, &mut three).unwrap_or(0);
                found.text.extend_from_slice(&three[..written]);
                found.surrogates = true;
                found.read += len;
            }
            Some((Ok(_), len)) => {
                found.error = Some(Error::new(at as u64, len as u8, ErrorKind::TooLarge));
                return found;
            }
            _ => {
                found.error = Some(Error::new(at as u64, error.len, error.kind));
                return found;
            }
        }
    }
}
