//! Streams: text that arrives in pieces, which may be split anywhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use utf8kit::Hold;
use utf8kit::{AnyEncoding, Piece};
use utf8kit_detect::repair;
use utf8kit_encodings::Counts;
use utf8kit_encodings::convert::{Conversion, Converter as AnyConverter, Invalid, MAX_BOM_LEN};

use crate::decoder::{Decoding, Settings, convert};
use crate::encoding::{CharsetName, Name};
use crate::error::{Found, raise, utf8_error};
use crate::input::Input;
use crate::policy::Policy;
use crate::string;
use crate::summary::{DEFAULT_ERRORS_KEPT, Summary};

/// The state of a stream, or none after the last piece.
type State<T> = Mutex<Option<T>>;

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the exception for a piece after the last one.
fn ended() -> PyErr {
    PyValueError::new_err("the stream has already ended")
}

/// Validates text that arrives in pieces, which may be split anywhere.
///
/// >>> import utf8kit
/// >>> validator = utf8kit.Validator()
/// >>> validator.push(b"caf\xc3"), validator.push(b"\xa9 \xff")
/// (None, Utf8Error(offset=6, len=1, kind='invalid_byte', bytes=b'\xff'))
/// >>> validator.offset
/// 6
#[pyclass(frozen, module = "utf8kit", name = "Validator")]
pub(crate) struct Validator {
    encoding: AnyEncoding,
    state: State<utf8kit::Validator<AnyEncoding>>,
    /// The first error, and the length of the valid text.
    result: Mutex<(Option<Found>, u64)>,
}

#[pymethods]
impl Validator {
    /// Starts a stream in one of `utf8kit.encodings()`.
    #[new]
    #[pyo3(signature = (encoding = Name::UTF8), text_signature = "(encoding='utf-8')")]
    fn new(encoding: Name) -> Validator {
        let state = Mutex::new(Some(utf8kit::Validator::new(encoding.0)));
        Validator { encoding: encoding.0, state, result: Mutex::default() }
    }

    /// Validates the next piece (the last one if `last`). Returns the first error of the stream as soon as no further
    /// input can change it, or else None. Every later call returns it again.
    #[pyo3(signature = (data, last = false))]
    fn push<'py>(&self, py: Python<'py>, data: Input<'py>, last: bool) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = data.with(py, |bytes| {
            let mut state = lock(&self.state);
            let validator = state.as_mut()?;
            let (base, mut around) = (validator.offset(), validator.pending().to_vec());
            let mut pushed = validator.push(bytes);
            let mut offset = validator.offset();
            if last && let Some(validator) = state.take() {
                let finished = validator.finish();
                offset = finished.unwrap_or(offset);
                pushed = pushed.and(finished.map(drop));
            }
            let mut result = lock(&self.result);
            result.1 = offset;
            if let (Err(error), None) = (pushed, &result.0) {
                around.extend_from_slice(bytes);
                result.0 = Some(Found::in_stream(self.encoding, error, &around, base));
            }
            Some(result.0.clone())
        });
        found.ok_or_else(ended)?.map(|found| utf8_error(py, &found, None)).transpose()
    }

    /// The number of bytes of the stream that are known to be valid.
    #[getter]
    fn offset(&self) -> u64 {
        lock(&self.result).1
    }
}

/// A conversion of a stream.
enum Way {
    Native {
        from: AnyEncoding,
        to: AnyEncoding,
        converter: utf8kit::Converter<'static, AnyEncoding, AnyEncoding>,
    },
    /// With a legacy encoding, or one whose byte order is determined by a mark.
    Any {
        conversion: Conversion,
        opened: Opened,
    },
}

/// The first bytes of a stream, until there are enough to recognize a mark; then its converter, and the length of the
/// mark.
enum Opened {
    NotYet(Vec<u8>),
    By(Box<AnyConverter>, u64),
}

impl Way {
    /// # Errors
    /// ValueError if the encodings do not support the policy.
    fn new(source: CharsetName, target: CharsetName, policy: Option<&Policy>) -> PyResult<Way> {
        let (Some(from), Some(to)) = (source.native(), target.native()) else {
            let mut conversion = Conversion::new(source.0, target.0);
            conversion.invalid = policy.map_or(Ok(Invalid::Strict), Policy::as_invalid)?;
            return Ok(Way::Any { conversion, opened: Opened::NotYet(Vec::new()) });
        };
        let converter = match policy.map(Policy::about_errors).transpose()? {
            Some(policy) => utf8kit::Converter::lossy(from, to, policy).into_owned(),
            None => utf8kit::Converter::strict(from, to),
        };
        Ok(Way::Native { from, to, converter })
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<(), Found> {
        match self {
            Way::Native { from, to, converter } => convert(*from, *to, converter, bytes, last, out),
            Way::Any { conversion, opened } => {
                if let Opened::NotYet(front) = opened {
                    front.extend_from_slice(bytes);
                    if front.len() < MAX_BOM_LEN && !last {
                        return Ok(());
                    }
                    let front = std::mem::take(front);
                    let plan = conversion.start(front.get(..MAX_BOM_LEN).unwrap_or(&front));
                    out.extend_from_slice(&plan.prefix);
                    *opened = Opened::By(Box::new(AnyConverter::new(&plan)), plan.skip as u64);
                    return push_any(conversion, opened, &front[plan.skip..], last, out);
                }
                push_any(conversion, opened, bytes, last, out)
            }
        }
    }
}

fn push_any(
    conversion: &Conversion,
    opened: &mut Opened,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
) -> Result<(), Found> {
    let Opened::By(converter, skipped) = opened else { return Ok(()) };
    let pushed = converter.push(bytes, last, out, &mut Counts::default());
    pushed.map_err(|error| Found::conversion(error, conversion, *skipped))
}

/// Pushes a piece to a stream, whose state ends with the last piece or an error. `work` appends to the output. Returns
/// the output, and the error that follows it.
fn push<S: Send>(
    py: Python<'_>,
    state: &State<S>,
    data: &Input<'_>,
    last: bool,
    work: impl FnOnce(&mut S, &[u8], &mut Vec<u8>) -> Result<(), Found> + Send,
) -> PyResult<(Vec<u8>, Option<PyErr>)> {
    let pushed = data.with(py, |bytes| {
        let mut state = lock(state);
        let stream = state.as_mut()?;
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
        let found = work(stream, bytes, &mut out).err();
        if last || found.is_some() {
            *state = None;
        }
        Some((out, found))
    });
    let (out, found) = pushed.ok_or_else(ended)?;
    Ok((out, found.map(|found| raise(py, &found, None))))
}

/// Repairs a stream in pieces, which may be split anywhere.
///
/// >>> import utf8kit
/// >>> repairer = utf8kit.Repairer()
/// >>> repairer.push(b"caf\xc3"), repairer.push(b"\xa9 \xff"), repairer.push(b"", last=True)
/// (b'caf', b'\xc3\xa9 \xef\xbf\xbd', b'')
/// >>> repairer.changes
/// 1
#[pyclass(frozen, module = "utf8kit", name = "Repairer")]
pub(crate) struct Repairer {
    state: State<repair::Repairer>,
    counts: Mutex<Counts>,
}

#[pymethods]
impl Repairer {
    /// Starts a stream. Policy and encoding are as for `utf8kit.repair`.
    #[new]
    #[pyo3(
        signature = (policy = Policy::default(), encoding = Name::UTF8),
        text_signature = "(policy='replace', encoding='utf-8')"
    )]
    fn new(policy: Policy, encoding: Name) -> PyResult<Repairer> {
        policy.check(encoding.0)?;
        let repairer = repair::Repairer::new(&policy.0, encoding.0);
        Ok(Repairer { state: Mutex::new(Some(repairer)), counts: Mutex::default() })
    }

    /// Adds the next piece (the last one if `last`); returns the output that no further input can change.
    #[pyo3(signature = (data, last = false))]
    fn push<'py>(&self, py: Python<'py>, data: Input<'py>, last: bool) -> PyResult<Bound<'py, PyBytes>> {
        let (out, _) = push(py, &self.state, &data, last, |repairer, bytes, out| {
            repairer.push(bytes, Piece::last_if(last), out, &mut |_| {});
            *lock(&self.counts) = repairer.counts;
            Ok(())
        })?;
        Ok(PyBytes::new(py, &out))
    }

    /// The number of places that were changed so far.
    #[getter]
    fn changes(&self) -> u64 {
        lock(&self.counts).total()
    }
}

/// Converts text that arrives in pieces, which may be split anywhere.
///
/// >>> import utf8kit
/// >>> converter = utf8kit.Converter("utf-8", "utf-16be")
/// >>> converter.push(b"\xe2\x82"), converter.push(b"\xac", last=True)
/// (b'', b' \xac')
#[pyclass(frozen, module = "utf8kit", name = "Converter")]
pub(crate) struct Converter(State<Way>);

#[pymethods]
impl Converter {
    /// Starts a stream. The arguments are as for `utf8kit.convert`.
    #[new]
    #[pyo3(signature = (source, target, policy = None))]
    fn new(source: CharsetName, target: CharsetName, policy: Option<Policy>) -> PyResult<Converter> {
        Ok(Converter(Mutex::new(Some(Way::new(source, target, policy.as_ref())?))))
    }

    /// Converts the next piece (the last one if `last`); returns the output that no further input can change. Without a
    /// policy, raises `Utf8Error` at an error. That ends the stream, and the error's `before` is the output of this
    /// piece up to the error.
    #[pyo3(signature = (data, last = false))]
    fn push<'py>(&self, py: Python<'py>, data: Input<'py>, last: bool) -> PyResult<Bound<'py, PyBytes>> {
        let (out, error) = push(py, &self.0, &data, last, |way, bytes, out| way.push(bytes, last, out))?;
        let out = PyBytes::new(py, &out);
        let Some(error) = error else { return Ok(out) };
        error.value(py).setattr("before", out)?;
        Err(error)
    }
}

/// Decodes text that arrives in pieces, which may be split anywhere: bytes to `str`.
///
/// >>> import utf8kit
/// >>> text = utf8kit.TextStream("fallback=windows-1252")
/// >>> text.push(b"caf\xe9 na\xc3"), text.push(b"\xafve"), text.push(b"", last=True)
/// ('café na', 'ïve', '')
/// >>> text = utf8kit.TextStream(hold="grapheme")
/// >>> text.push("👩".encode()), text.push("\u200d🚀!".encode()), text.push(b"", last=True)
/// ('', '👩\u200d🚀', '!')
#[pyclass(frozen, module = "utf8kit", name = "TextStream")]
pub(crate) struct TextStream(State<Texts>);

/// A text in pieces, and its last part that later text may join.
struct Texts {
    decoding: Decoding,
    hold: Option<Hold>,
}

impl Texts {
    /// Appends the text, up to an error if there is one.
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<(), Found> {
        let decoded = self.decoding.push(bytes, last, out);
        let Some(hold) = &mut self.hold else { return decoded };
        // The decoded text is valid.
        let mut text = hold.push(&String::from_utf8_lossy(out));
        if last || decoded.is_err() {
            text += &hold.finish();
        }
        *out = text.into_bytes();
        decoded
    }
}

#[pymethods]
impl TextStream {
    /// Starts a stream.
    ///
    /// Args:
    ///     errors: a policy as for `utf8kit.repair`, or `strict`, which raises `Utf8Error`.
    ///     encoding: one of `utf8kit.encodings()`, or a label of the WHATWG Encoding Standard.
    ///     hold: `none`, or `grapheme`: the last user-perceived character (an extended grapheme cluster) is held back
    ///         until the next one begins, because a mark, a joiner or half of a flag may join it. At most 256 bytes are
    ///         held back.
    #[new]
    #[pyo3(
        signature = (errors = "strict", encoding = CharsetName::UTF8, *, hold = "none"),
        text_signature = "(errors='strict', encoding='utf-8', *, hold='none')"
    )]
    fn new(errors: &str, encoding: CharsetName, hold: &str) -> PyResult<TextStream> {
        let hold = match hold {
            "none" => None,
            "grapheme" => Some(Hold::default()),
            other => return Err(PyValueError::new_err(format!("hold is none or grapheme, not {other}"))),
        };
        let decoding = Decoding::new(Settings::new(errors, encoding, false)?);
        Ok(TextStream(Mutex::new(Some(Texts { decoding, hold }))))
    }

    /// Decodes the next piece (the last one if `last`); returns the text that no further input can change. Raising an
    /// error ends the stream. The error's `before` is the text before it that was not returned.
    #[pyo3(signature = (data, last = false))]
    fn push<'py>(&self, py: Python<'py>, data: Input<'py>, last: bool) -> PyResult<Bound<'py, PyString>> {
        let (out, error) = push(py, &self.0, &data, last, |texts, bytes, out| texts.push(bytes, last, out))?;
        let text = string::from_utf8(py, &out)?;
        let Some(error) = error else { return Ok(text) };
        error.value(py).setattr("before", text)?;
        Err(error)
    }
}

/// Summarises text that arrives in pieces, which may be split anywhere, in bounded memory.
///
/// >>> import utf8kit
/// >>> stream = utf8kit.SummaryStream()
/// >>> for piece in [b"one\ntw\xe2", b"\x82", b"\xaco\xff\n"]:
/// ...     stream.push(piece)
/// >>> stream.push(b"", last=True)
/// >>> stream.summary.errors, stream.summary.lines
/// (1, 2)
#[pyclass(frozen, module = "utf8kit", name = "SummaryStream")]
pub(crate) struct SummaryStream {
    encoding: AnyEncoding,
    state: State<utf8kit::summary::SummaryStream<AnyEncoding>>,
    /// The summary of the whole stream.
    whole: Mutex<utf8kit::summary::Summary>,
}

#[pymethods]
impl SummaryStream {
    /// Starts a stream. The arguments are as for `Summary`.
    #[new]
    #[pyo3(
        signature = (encoding = Name::UTF8, keep = DEFAULT_ERRORS_KEPT),
        text_signature = "(encoding='utf-8', keep=100)"
    )]
    fn new(encoding: Name, keep: usize) -> SummaryStream {
        let state = Mutex::new(Some(utf8kit::summary::SummaryStream::new(encoding.0, keep)));
        SummaryStream { encoding: encoding.0, state, whole: Mutex::new(utf8kit::summary::Summary::new(keep)) }
    }

    /// Adds the next piece (the last one if `last`).
    #[pyo3(signature = (data, last = false))]
    fn push(&self, py: Python<'_>, data: Input<'_>, last: bool) -> PyResult<()> {
        let pushed = data.with(py, |bytes| {
            let mut state = lock(&self.state);
            state.as_mut()?.push(bytes);
            if last && let Some(stream) = state.take() {
                *lock(&self.whole) = stream.finish();
            }
            Some(())
        });
        pushed.ok_or_else(ended)
    }

    /// The `Summary` of the stream so far. Before the last piece, it excludes a few bytes at the end that further input
    /// may change.
    #[getter]
    fn summary(&self) -> Summary {
        let summary = match lock(&self.state).as_ref() {
            Some(stream) => stream.so_far().clone(),
            None => lock(&self.whole).clone(),
        };
        Summary::new_of(self.encoding, summary)
    }
}
