//! Decodes text that arrives in pieces, and tracks its position. Shared by `TextStream` and `open`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use utf8kit::{AnyEncoding, Checkpoint, Piece};
use utf8kit_detect::Detector;
use utf8kit_detect::repair::Repairer;
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::{Conversion, Converter, Invalid, MAX_BOM_LEN};

use crate::encoding::CharsetName;
use crate::error::{Found, raise};
use crate::input::Input;
use crate::policy::Policy;
use crate::string;

/// How bytes become text.
#[derive(Clone)]
pub(crate) struct Settings {
    charset: Charset,
    /// None is strict.
    policy: Option<Policy>,
    /// Whether a byte order mark is skipped although it is not part of the encoding.
    skip_mark: bool,
}

impl Settings {
    /// Parses the name of a policy, or `strict`.
    ///
    /// # Errors
    /// ValueError if there is no such policy, or the encoding does not support it.
    pub(crate) fn new(errors: &str, encoding: CharsetName, skip_mark: bool) -> PyResult<Settings> {
        let policy = match errors {
            "strict" => None,
            name => Some(Policy::named(name)?),
        };
        if let Some(policy) = &policy {
            match encoding.0.writer() {
                Codec::Native(AnyEncoding::Utf8) => policy.check_values()?,
                Codec::Native(_) => drop(policy.about_errors()?),
                _ => drop(policy.as_invalid()?),
            }
        }
        Ok(Settings { charset: encoding.0, policy, skip_mark })
    }

    /// Reports whether the first bytes affect decoding.
    fn has_opening(&self) -> bool {
        self.skip_mark || self.charset.is_marked()
    }

    /// Starts the text with a codec.
    fn start(&self, codec: Codec) -> State {
        let about_errors = self.policy.as_ref().map(Policy::about_errors);
        match (codec, about_errors) {
            (Codec::Native(from), None) => State::Native(from, utf8kit::Converter::strict(from, AnyEncoding::Utf8)),
            (Codec::Native(from), Some(Ok(policy))) => {
                let converter = utf8kit::Converter::lossy(from, AnyEncoding::Utf8, policy);
                State::Native(from, converter.into_owned())
            }
            (Codec::Native(from), Some(Err(_))) => {
                let policy = self.policy.clone().unwrap_or_default();
                State::Repair(Box::new(Repairer::new(&policy.0, from)))
            }
            (codec, _) => {
                let plan = self.conversion(codec).start(&[]);
                State::Legacy(Box::new(Converter::new(&plan)))
            }
        }
    }

    fn conversion(&self, from: Codec) -> Conversion {
        let mut conversion = Conversion::new(from.into(), AnyEncoding::Utf8.into());
        let invalid = self.policy.as_ref().map(Policy::as_invalid);
        conversion.invalid = invalid.and_then(Result::ok).unwrap_or(Invalid::Strict);
        conversion
    }
}

/// The state of a text.
#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum State {
    /// Its first bytes, until there are enough to recognize a byte order mark.
    Opening(Vec<u8>),
    Native(AnyEncoding, utf8kit::Converter<'static, AnyEncoding, AnyEncoding>),
    Legacy(Box<Converter>),
    Repair(Box<Repairer>),
}

/// Bits of the number that a decoder's state has in addition to its pending bytes.
mod bits {
    /// The first bytes have not been examined yet.
    pub(super) const OPENING: u32 = 1;
    /// In big-endian order, if a mark determines the order.
    pub(super) const BIG: u32 = 2;
    /// The text so far ends with an error.
    pub(super) const IN_RUN: u32 = 4;
    /// The text so far ends with a high surrogate.
    pub(super) const AFTER_HIGH: u32 = 8;
}

/// Decodes a text in pieces.
pub(crate) struct Decoding {
    settings: Settings,
    /// The decoder of the text. A byte order mark may replace it.
    codec: Codec,
    state: State,
    /// The number of bytes pushed.
    read: u64,
    /// The number of these that precede the bytes covered by the state.
    origin: u64,
}

impl Decoding {
    pub(crate) fn new(settings: Settings) -> Decoding {
        let codec = settings.charset.writer();
        let state = match settings.has_opening() {
            true => State::Opening(Vec::new()),
            false => settings.start(codec),
        };
        Decoding { settings, codec, state, read: 0, origin: 0 }
    }

    /// Returns how many bytes were pushed since the start, or since the state was set.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// Appends the text that no further input can change. The offset of an error counts from the start, and the next
    /// piece is decoded as if it were the first.
    pub(crate) fn push(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<(), Found> {
        self.read += bytes.len() as u64;
        let pushed = match &mut self.state {
            State::Opening(front) => {
                front.extend_from_slice(bytes);
                if front.len() < MAX_BOM_LEN && !last {
                    return Ok(());
                }
                let front = std::mem::take(front);
                let skip = self.open(&front);
                self.decode(front.get(skip..).unwrap_or_default(), last, out)
            }
            _ => self.decode(bytes, last, out),
        };
        if last || pushed.is_err() {
            self.begin(self.codec);
        }
        pushed
    }

    /// Starts again after all bytes that were pushed.
    fn begin(&mut self, codec: Codec) {
        self.codec = codec;
        self.state = self.settings.start(codec);
        self.origin = self.read;
    }

    /// Starts the text that begins with `front`. Returns the length of the byte order mark in it.
    fn open(&mut self, front: &[u8]) -> usize {
        let (codec, mark) = self.settings.charset.reader(front);
        let skip = if self.settings.skip_mark { codec.mark_in(front) } else { mark };
        self.begin(codec);
        self.origin -= (front.len() - skip) as u64;
        skip
    }

    fn decode(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> Result<(), Found> {
        let found = match &mut self.state {
            State::Opening(_) => return Ok(()),
            State::Native(from, converter) => convert(*from, AnyEncoding::Utf8, converter, bytes, last, out),
            State::Legacy(converter) => {
                let pushed = converter.push(bytes, last, out, &mut Counts::default());
                pushed.map_err(|error| Found::conversion(error, &self.settings.conversion(self.codec), 0))
            }
            State::Repair(repairer) => {
                repairer.push(bytes, Piece::last_if(last), out, &mut |_| {});
                Ok(())
            }
        };
        found.map_err(|found| found.moved(self.origin))
    }

    /// Returns the held back bytes and a number, from which decoding can be continued, or None if the encoding does not
    /// allow that.
    fn state(&self) -> Option<(Vec<u8>, u32)> {
        let is_big = matches!(self.codec, Codec::Native(AnyEncoding::Utf16Be | AnyEncoding::Utf32Be));
        let order = if self.settings.charset.is_marked() && is_big { bits::BIG } else { 0 };
        match &self.state {
            State::Opening(front) => Some((front.clone(), bits::OPENING)),
            State::Native(_, converter) => {
                let point = converter.checkpoint();
                let run = if point.in_run { bits::IN_RUN } else { 0 };
                let high = if point.after_high { bits::AFTER_HIGH } else { 0 };
                Some((converter.pending().to_vec(), order | run | high))
            }
            State::Legacy(converter) => Some((converter.resumable()?.to_vec(), 0)),
            State::Repair(repairer) => Some((repairer.resumable()?, 0)),
        }
    }

    /// Continues from a state.
    fn set_state(&mut self, pending: &[u8], number: u32) -> Result<(), Found> {
        (self.read, self.origin) = (0, 0);
        if number & bits::OPENING != 0 {
            self.state = State::Opening(Vec::new());
            return self.push(pending, false, &mut Vec::new());
        }
        let codec = match (self.settings.charset.writer(), number & bits::BIG != 0) {
            (Codec::Native(AnyEncoding::Utf16Le), true) => Codec::Native(AnyEncoding::Utf16Be),
            (Codec::Native(AnyEncoding::Utf32Le), true) => Codec::Native(AnyEncoding::Utf32Be),
            (codec, _) => codec,
        };
        // A decoder that holds nothing back is as good as a new one, which takes long to create.
        let is_as_new = match &self.state {
            State::Legacy(converter) => converter.resumable().is_some_and(<[u8]>::is_empty),
            State::Repair(repairer) => repairer.resumable().is_some_and(|held| held.is_empty()),
            State::Opening(_) | State::Native(..) => false,
        };
        if !is_as_new {
            self.begin(codec);
        }
        if let State::Native(_, converter) = &mut self.state {
            let mut point = Checkpoint::default();
            point.in_run = number & bits::IN_RUN != 0;
            point.after_high = number & bits::AFTER_HIGH != 0;
            *converter = converter.clone().resume(point);
        }
        self.push(pending, false, &mut Vec::new())
    }
}

/// An incremental decoder, as `io.TextIOWrapper` uses them. For errors, `tell` returns the position after the decoded
/// bytes; without it, positions count from the start.
#[pyclass(frozen, module = "utf8kit._native", name = "Decoder")]
pub(crate) struct Decoder {
    decoding: Mutex<Decoding>,
    tell: Option<Py<PyAny>>,
}

impl Decoder {
    fn lock(&self) -> MutexGuard<'_, Decoding> {
        self.decoding.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises an error, whose place is known relative to the `read` bytes before a position.
    fn raise(&self, py: Python<'_>, found: Found, read: u64) -> PyErr {
        let position = self.tell.as_ref().map(|tell| tell.call0(py).and_then(|at| at.extract::<u64>(py)));
        match position.transpose() {
            Ok(position) => {
                let base = position.map_or(0, |position| position.saturating_sub(read));
                raise(py, &found.moved(base), None)
            }
            Err(error) => error,
        }
    }
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (errors, encoding, skip_mark = false, tell = None))]
    fn new(errors: &str, encoding: CharsetName, skip_mark: bool, tell: Option<Py<PyAny>>) -> PyResult<Decoder> {
        let decoding = Decoding::new(Settings::new(errors, encoding, skip_mark)?);
        Ok(Decoder { decoding: Mutex::new(decoding), tell })
    }

    /// Whether decoding can be continued from any place.
    #[getter]
    fn is_seekable(&self) -> bool {
        let settings = self.lock().settings.clone();
        let codec = settings.charset.writer();
        Decoding { state: settings.start(codec), codec, settings, read: 0, origin: 0 }.state().is_some()
    }

    #[pyo3(signature = (input, r#final = false))]
    fn decode<'py>(&self, py: Python<'py>, input: Input<'py>, r#final: bool) -> PyResult<Bound<'py, PyString>> {
        let decoded = input.with(py, |bytes| {
            let mut decoding = self.lock();
            let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
            let pushed = decoding.push(bytes, r#final, &mut out);
            (pushed.map(|()| out), decoding.read())
        });
        match decoded {
            (Ok(text), _) => string::from_utf8(py, &text),
            (Err(found), read) => Err(self.raise(py, found, read)),
        }
    }

    fn reset(&self) {
        let mut decoding = self.lock();
        *decoding = Decoding::new(decoding.settings.clone());
    }

    fn getstate<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, u32)> {
        let state = self.lock().state();
        let (pending, number) =
            state.ok_or_else(|| PyOSError::new_err("a stream in this encoding cannot be resumed here"))?;
        Ok((PyBytes::new(py, &pending), number))
    }

    fn setstate(&self, py: Python<'_>, state: (Input<'_>, u32)) -> PyResult<()> {
        let pending = state.0.bytes().to_vec();
        let set = self.lock().set_state(&pending, state.1);
        set.map_err(|found| raise(py, &found, None))
    }
}

/// sniff(head, whole) -> str | None
///
/// Returns the likely encoding of a text that begins with `head`, or is all of it; None if it is not text.
#[pyfunction]
pub(crate) fn sniff(py: Python<'_>, head: Input<'_>, whole: bool) -> Option<String> {
    head.with(py, |head| {
        let mut detector = Detector::new();
        detector.push(head);
        let guess = if whole { detector.finish() } else { detector.finish_early() };
        guess.charset(head).map(|charset| charset.to_string())
    })
}

/// Converts a piece of a stream (the last one if `last`).
pub(crate) fn convert(
    from: AnyEncoding,
    to: AnyEncoding,
    converter: &mut utf8kit::Converter<'static, AnyEncoding, AnyEncoding>,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
) -> Result<(), Found> {
    let (base, mut around) = (converter.offset(), converter.pending().to_vec());
    let pushed = converter.push(bytes, out);
    let pushed = pushed.and_then(|()| if last { converter.finish(out) } else { Ok(()) });
    pushed.map_err(|error| {
        around.extend_from_slice(bytes);
        Found::converting_in_stream(from, to, error, &around, base)
    })
}
