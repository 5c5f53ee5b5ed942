//! Converts and repairs streams.

mod bom;
#[cfg(feature = "alloc")]
mod text;
mod units;

use core::marker::PhantomData;

use super::{Held, JOINED_BYTES};
use crate::bom::Undecided;
use crate::convert::engine::Engine;
use crate::convert::pair::Pair;
use crate::convert::{Piece, Progress, Status};
#[cfg(feature = "alloc")]
use crate::encoding::CodeUnit;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER};
use crate::error::{Error, ErrorKind};
use crate::operations::Encoding;
use crate::out::{Buffer, Out};
use crate::policy::Policy;
use crate::reference::decode::is_surrogate;
#[cfg(feature = "alloc")]
use crate::reference::validate::boundary_before;
#[cfg(feature = "alloc")]
use crate::simd::BLOCK_BYTES;

#[cfg(feature = "alloc")]
use crate::convert::{Change, Observer};
#[cfg(feature = "alloc")]
use crate::out::append;
#[cfg(feature = "alloc")]
use crate::policy::PolicyBuf;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// The maximum length of a piece, in bytes, that is converted item by item.
const MAX_BYTES_OF_SHORT_PIECE: usize = 4;

/// Returns a piece without a sequence that is incomplete at its end, as far as UTF-8 is concerned: kernels are faster
/// on whole sequences.
#[cfg(feature = "alloc")]
#[inline]
fn whole(input: &[u8]) -> &[u8] {
    &input[..boundary_before(input, input.len())]
}

/// Writes a value in the target's encoding. Returns `false` if the encoding cannot represent it or the capacity is too
/// small.
#[inline(always)]
fn put<T: Encoding>(pair: &Pair, value: u32, out: &mut Out<'_>) -> bool {
    let mut bytes = [0; ENCODE_BUFFER];
    match pair.encode_as::<T>(value, &mut bytes) {
        Ok(len) => out.push_only_front_of(bytes, len),
        Err(_) => false,
    }
}

/// A [`put`] that appends to a `Vec`.
#[cfg(feature = "alloc")]
fn put_in<T: Encoding, U: CodeUnit>(out: &mut Vec<U>) -> impl FnMut(&Pair, u32) -> bool {
    |pair, value| append(out, ENCODE_BUFFER, |out| put::<T>(pair, value, out))
}

/// Returns the length of the byte order mark at the start of a stream, and sets the engine's encoding if the mark
/// determines it.
type MarkReader = fn(&mut Engine<'_>, front: &[u8], last: bool) -> Result<usize, Undecided>;

/// Converts or repairs a stream.
///
/// ```
/// use utf8kit::{Converter, Policy, Utf8, Utf16Be};
/// let mut converter = Converter::lossy(Utf8, Utf16Be, Policy::REPLACE);
/// let mut out = Vec::new();
/// converter.push(b"\xE2\x82", &mut out)?;
/// assert!(out.is_empty());
/// converter.push(b"\xAC\xFF", &mut out)?;
/// converter.finish(&mut out)?;
/// assert_eq!(out, [0x20, 0xAC, 0xFF, 0xFD]);
/// # Ok::<(), utf8kit::Error>(())
/// ```
#[doc(alias = "Decoder")]
#[doc(alias = "Encoder")]
#[derive(Clone, Debug)]
pub struct Converter<'p, S, T> {
    engine: Engine<'p>,
    pair: PhantomData<(S, T)>,
    /// The policy, if the converter owns its replacement text.
    #[cfg(feature = "alloc")]
    owned: Option<PolicyBuf>,
    /// How to treat a byte order mark at the start of the stream, until the start has been read.
    opening: Option<MarkReader>,
    held: Held,
    /// Number of bytes processed, not counting held ones.
    offset: u64,
    failed: Option<Error>,
}

/// The state of a [`Converter`] in plain numbers: see [`Converter::checkpoint`]. All zeros mean the start of a stream.
/// The error of a strict converter is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Checkpoint {
    /// Number of bytes of the stream that were processed, not counting pending ones.
    pub offset: u64,
    /// Pending bytes, which need more input: the first `pending_len` of these.
    pub pending: [u8; 8],
    /// Number of pending bytes: at most seven.
    pub pending_len: u8,
    /// Whether the last item was an error. Another one right after it belongs to the same run.
    pub in_run: bool,
    /// Whether the output ends with a high surrogate.
    pub after_high: bool,
}

impl<S: Encoding, T: Encoding> Converter<'static, S, T> {
    /// Creates a strict converter, which fails at the first error or unrepresentable value.
    #[doc(alias = "new_decoder_without_bom_handling")]
    #[must_use]
    pub fn strict(from: S, to: T) -> Self {
        Converter::new(Engine::strict(from, to))
    }
}

impl<'p, S: Encoding, T: Encoding> Converter<'p, S, T> {
    fn new(engine: Engine<'p>) -> Self {
        Converter {
            engine,
            pair: PhantomData,
            #[cfg(feature = "alloc")]
            owned: None,
            opening: None,
            held: Held::default(),
            offset: 0,
            failed: None,
        }
    }

    /// Creates a converter that handles errors by a policy. From an encoding to itself, it repairs.
    #[must_use]
    pub fn lossy(from: S, to: T, policy: Policy<'p>) -> Self {
        Converter::new(Engine::lossy(from, to, policy))
    }

    /// Makes the converter own the text of its policy, so that it can outlive the text.
    ///
    /// ```
    /// use utf8kit::{Converter, PolicyBuf, Utf8};
    /// fn converter(policy: &str) -> Result<Converter<'static, Utf8, Utf8>, utf8kit::UnknownPolicy> {
    ///     let policy: PolicyBuf = policy.parse()?;
    ///     Ok(Converter::lossy(Utf8, Utf8, policy.as_policy()).into_owned())
    /// }
    /// let mut out = Vec::new();
    /// converter("replace=<?>")?.push(b"a\xFFb", &mut out).unwrap();
    /// assert_eq!(out, b"a<?>b");
    /// # Ok::<(), utf8kit::UnknownPolicy>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn into_owned(self) -> Converter<'static, S, T> {
        let owned = self.owned.or_else(|| self.engine.policy().map(PolicyBuf::from));
        let engine = self.engine.with_policy(owned.as_ref().map(PolicyBuf::without_text));
        let Converter { pair, opening, held, offset, failed, .. } = self;
        Converter { engine, pair, owned, opening, held, offset, failed }
    }

    /// Returns the pending bytes, which need more input: at most the longest sequence minus one; or seven, if an escape
    /// or half of a surrogate pair needs the next unit.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.held.as_slice()
    }

    /// Returns how many bytes of the stream were processed, not counting pending ones.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the state of the converter, from which another one can continue.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        let (in_run, after_high) = self.engine.run_state();
        Checkpoint {
            offset: self.offset,
            pending: self.held.bytes,
            pending_len: self.held.len as u8,
            in_run,
            after_high,
        }
    }

    /// Creates a converter that continues from the checkpoint of another one with the same encodings and policy. An
    /// invalid checkpoint affects only the output.
    ///
    /// ```
    /// use utf8kit::{Converter, Policy, Utf8};
    /// let converter = || Converter::lossy(Utf8, Utf8, Policy::REPLACE_RUN);
    /// let mut first = converter();
    /// first.push(b"a\xFF\xE2\x82", &mut Vec::new())?;
    /// let mut out = Vec::new();
    /// converter().resume(first.checkpoint()).push(b"\xAC \xFF", &mut out)?;
    /// assert_eq!(out, "€ \u{FFFD}".as_bytes());
    /// # Ok::<(), utf8kit::Error>(())
    /// ```
    #[must_use]
    pub fn resume(mut self, from: Checkpoint) -> Self {
        self.held.set(&from.pending[..usize::from(from.pending_len).min(from.pending.len() - 1)]);
        // No stream is longer, so additions never overflow.
        self.offset = from.offset.min(u64::MAX / 2);
        self.engine.set_run_state(from.in_run, from.after_high);
        if from.offset > 0 {
            self.opening = None;
        }
        self
    }

    /// Returns the encoding of the input.
    #[must_use]
    pub fn source(&self) -> AnyEncoding {
        self.engine.encodings().0
    }

    /// Returns the encoding of the output.
    #[must_use]
    pub fn target(&self) -> AnyEncoding {
        self.engine.encodings().1
    }

    /// Lets a strict converter continue after the error that stopped it, and returns where in the stream the next piece
    /// must begin. `None` if there was no error.
    ///
    /// This lets the caller handle each error: write a replacement, count it, or stop.
    ///
    /// ```
    /// use utf8kit::{Converter, Utf8};
    /// let bytes = b"one \xFF two \xC0\xAF";
    /// let (mut converter, mut out, mut at) = (Converter::strict(Utf8, Utf8), Vec::new(), 0);
    /// while let Err(error) = converter.push(&bytes[at..], &mut out) {
    ///     out.extend_from_slice(format!("[{}]", error.kind.name()).as_bytes());
    ///     at = converter.resume_after_error().unwrap_or(error.offset) as usize;
    /// }
    /// assert_eq!(out, b"one [invalid_byte] two [overlong][unexpected_continuation]");
    /// ```
    pub fn resume_after_error(&mut self) -> Option<u64> {
        let error = self.failed.take()?;
        self.offset = error.offset + u64::from(error.len);
        Some(self.offset + self.held.len as u64)
    }

    /// Converts the next piece, and appends to `out` the output that no further input can change.
    ///
    /// # Errors
    /// Strict converters: the stream's first error; the output before it is in `out`. Later calls return it again,
    /// until [`Converter::resume_after_error`] is called.
    #[cfg(feature = "alloc")]
    pub fn push(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        self.take(input, false, out, None)
    }

    /// Converts the next piece like [`Converter::push`], and calls `observer` for every change.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn push_observed(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        mut observer: impl FnMut(Change<'_>),
    ) -> Result<(), Error> {
        self.take(input, false, out, Some(&mut observer))
    }

    /// Ends the stream, and converts the pending bytes.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.take(&[], true, out, None)
    }

    /// Ends the stream like [`Converter::finish`], and calls `observer` for every change.
    ///
    /// # Errors
    /// As [`Converter::push`].
    #[cfg(feature = "alloc")]
    pub fn finish_observed(&mut self, out: &mut Vec<u8>, mut observer: impl FnMut(Change<'_>)) -> Result<(), Error> {
        self.take(&[], true, out, Some(&mut observer))
    }

    #[cfg(feature = "alloc")]
    fn take<U: CodeUnit>(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<U>,
        mut observer: Observer<'_>,
    ) -> Result<(), Error> {
        let mut input = input;
        if self.is_plain() {
            input = self.items(input, last, put_in::<T, _>(out));
            if self.is_short(input) {
                let read = self.engine.front(whole(input), out);
                self.offset += read as u64;
                input = self.items(&input[read..], last, put_in::<T, _>(out));
            }
            if input.is_empty() && !last {
                return Ok(());
            }
        }
        let (_, status) = self.drive(input, last, |engine, input, offset, last| {
            engine.run_to_units(input, offset, last, out, &mut observer)
        });
        match status {
            Status::Error(error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Converts the next piece into a buffer, without allocating. After
    /// [`Status::OutputFull`], call again with the input starting at `read`. `read` counts only bytes of `input`.
    /// [`Status::Done`] means that all of it was read, some of it possibly into [`Converter::pending`].
    ///
    /// ```
    /// use utf8kit::{Converter, Piece, Status, Utf16Le, Utf8};
    /// let mut converter = Converter::strict(Utf8, Utf16Le);
    /// let mut out = [0; 4];
    /// let progress = converter.push_into("aé€".as_bytes(), Piece::Last, &mut out);
    /// assert_eq!((progress.read, progress.written, progress.status), (3, 4, Status::OutputFull));
    /// ```
    #[must_use = "the conversion may have stopped early"]
    pub fn push_into(&mut self, input: &[u8], piece: Piece, out: &mut (impl Buffer<u8> + ?Sized)) -> Progress {
        let mut buffer = Out::in_buffer(out);
        let (read, status) = self.take_into(input, piece.is_last(), &mut buffer);
        Progress { read, written: buffer.written(), status }
    }

    fn take_into(&mut self, input: &[u8], last: bool, out: &mut Out<'_>) -> (usize, Status) {
        let mut rest = input;
        if self.is_plain() {
            rest = self.items(input, last, |pair, value| put::<T>(pair, value, out));
            if rest.is_empty() && !last {
                return (input.len(), Status::Done);
            }
        }
        let (read, status) =
            self.drive(rest, last, |engine, input, offset, last| engine.run(input, offset, last, out, &mut None));
        (input.len() - rest.len() + read, status)
    }

    /// Reports whether well-formed items can be converted one by one, whatever follows them.
    #[inline]
    fn is_plain(&self) -> bool {
        #[cfg(feature = "alloc")]
        let borrowed = self.owned.is_none();
        #[cfg(not(feature = "alloc"))]
        let borrowed = true;
        borrowed && self.failed.is_none() && self.opening.is_none() && !self.engine.escapes()
    }

    /// Reports whether the piece is short and no bytes are held. Its well-formed front is then most likely the whole
    /// piece.
    #[cfg(feature = "alloc")]
    #[inline]
    fn is_short(&self, input: &[u8]) -> bool {
        (MAX_BYTES_OF_SHORT_PIECE + 1..=2 * BLOCK_BYTES).contains(&input.len()) && self.held.len == 0
    }

    /// Calls `put` for the items that begin in the held bytes and for the items of a piece of a few bytes, and holds an
    /// incomplete item after them. Returns the rest of the input. Stops at errors, at surrogates, and when `put`
    /// returns `false`. (Calling the engine takes longer than a few items do.)
    #[inline]
    fn items<'i>(&mut self, input: &'i [u8], last: bool, mut put: impl FnMut(&Pair, u32) -> bool) -> &'i [u8] {
        let is_small = input.len() <= MAX_BYTES_OF_SHORT_PIECE;
        let stop = self.held.len + if is_small { input.len() } else { 0 };
        if stop == 0 {
            return input;
        }
        let mut joined = [0; JOINED_BYTES];
        let len = self.held.join(input, &mut joined);
        let pair = &self.engine.pair;
        let (mut at, mut cut_off) = (0, false);
        while at < stop
            && let Some(step) = pair.decode_as::<S>(&joined[at..len])
        {
            cut_off = step.incomplete && step.result == Err(ErrorKind::Truncated);
            match step.result {
                Ok(value) if !step.incomplete && !is_surrogate(value) && put(pair, value) => at += step.len(),
                _ => break,
            }
        }
        self.offset += at as u64;
        self.engine.advance(at);
        if cut_off && is_small && !last {
            self.held.set(&joined[at..len]);
            return &[];
        }
        let taken = self.drop_held(at);
        &input[taken..]
    }

    /// Runs the engine over the held bytes with the front of the input, then over the rest. Returns how many bytes of
    /// `input` were read, and the status.
    fn drive(
        &mut self,
        mut input: &[u8],
        last: bool,
        mut run: impl FnMut(&mut Engine<'_>, &[u8], u64, bool) -> Progress,
    ) -> (usize, Status) {
        if let Some(error) = self.failed {
            return (0, Status::Error(error));
        }
        let mut taken = 0;
        if let Some(opening) = self.opening {
            let mut joined = [0; JOINED_BYTES];
            let len = self.held.join(input, &mut joined);
            let whole = len == self.held.len + input.len();
            let Ok(mark) = opening(&mut self.engine, &joined[..len], last && whole) else {
                self.held.set(&joined[..len]);
                return (input.len(), Status::Done);
            };
            self.opening = None;
            self.offset += mark as u64;
            taken = self.drop_held(mark);
            input = &input[taken..];
        }
        while self.held.len > 0 {
            let mut joined = [0; JOINED_BYTES];
            let len = self.held.join(input, &mut joined);
            let whole = len == self.held.len + input.len();
            let progress = self.run(&joined[..len], last && whole, &mut run);
            let from_input = self.drop_held(progress.read);
            taken += from_input;
            input = &input[from_input..];
            match progress.status {
                Status::Error(error) => {
                    // Held bytes after the error are kept, for callers that resume.
                    self.drop_held(usize::from(error.len));
                    return (taken, self.fail(error));
                }
                Status::OutputFull => return (taken, Status::OutputFull),
                Status::Done | Status::InputIncomplete if self.held.len > 0 => {
                    // Still incomplete, and it includes all of the input.
                    self.held.set(&joined[progress.read..len]);
                    return (taken + input.len(), Status::Done);
                }
                Status::Done | Status::InputIncomplete => {}
            }
        }
        let progress = self.run(input, last, &mut run);
        match progress.status {
            Status::Error(error) => (taken + progress.read, self.fail(error)),
            Status::OutputFull => (taken + progress.read, Status::OutputFull),
            Status::Done | Status::InputIncomplete => {
                self.held.set(&input[progress.read..]);
                (taken + input.len(), Status::Done)
            }
        }
    }

    /// Runs the engine with the policy that the converter owns, if it owns one.
    #[inline]
    fn run(
        &mut self,
        input: &[u8],
        last: bool,
        run: &mut impl FnMut(&mut Engine<'_>, &[u8], u64, bool) -> Progress,
    ) -> Progress {
        #[cfg(feature = "alloc")]
        let progress = match &self.owned {
            Some(policy) => {
                let stand_in = self.engine.policy();
                let mut engine = self.engine.clone().with_policy(Some(policy.as_policy()));
                let progress = run(&mut engine, input, self.offset, last);
                self.engine = engine.with_policy(stand_in);
                progress
            }
            None => run(&mut self.engine, input, self.offset, last),
        };
        #[cfg(not(feature = "alloc"))]
        let progress = run(&mut self.engine, input, self.offset, last);
        self.offset += progress.read as u64;
        progress
    }

    /// Drops `len` held bytes. Returns the excess of `len` over the number of held bytes.
    #[inline]
    fn drop_held(&mut self, len: usize) -> usize {
        let held = self.held;
        self.held.set(held.as_slice().get(len..).unwrap_or_default());
        len.saturating_sub(held.len)
    }

    fn fail(&mut self, error: Error) -> Status {
        self.failed = Some(error);
        Status::Error(error)
    }
}
