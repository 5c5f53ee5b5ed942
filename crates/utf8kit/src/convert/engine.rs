//! The loop that converts and repairs.

use super::limits::MAX_BYTES_BETWEEN_ERRORS;
#[cfg(feature = "alloc")]
use super::limits::MIN_BYTES_FOR_KERNEL;
use super::pair::{self, Convert, Pair};
use super::progress::{Change, Observer, Progress, Status};
use super::repair::{Broken, Repair, repairer};
use super::replacement::ShortText;
use crate::dispatch;
#[cfg(feature = "alloc")]
use crate::encoding::CodeUnit;
use crate::encoding::{AnyEncoding, Codec, ENCODE_BUFFER, Step};
use crate::error::{Error, ErrorKind};
use crate::out::Out;
#[cfg(feature = "alloc")]
use crate::out::{append, guess, into_string};
use crate::policy::{Each, Policy};
use crate::reference::decode::{is_high_surrogate, is_low_surrogate, may_become_low_surrogate};

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// A conversion and its state between calls. This is a single type, compiled once: the [`Pair`] determines what is
/// converted.
#[derive(Clone, Debug)]
pub(crate) struct Engine<'p> {
    pub(crate) pair: Pair,
    /// The pair's conversion of well-formed text. If the policy escapes backslashes, it stops at the first one.
    convert: Convert,
    /// The policy for errors; `None` means stop.
    pub(super) policy: Option<Policy<'p>>,
    /// The function that replaces errors at kernel speed, if there is one for this pair.
    repair: Option<Repair>,
    /// The replacement text in the target's encoding, if it is short.
    short: Option<ShortText>,
    /// Whether the last item was an error (errors of a run are replaced once).
    in_run: bool,
    /// Whether the output ends with a high surrogate after which errors were removed. A low surrogate would be invalid
    /// there.
    after_high: bool,
}

impl<'p> Engine<'p> {
    /// Creates an engine that stops at the first error.
    #[inline]
    pub(crate) fn strict<S: Codec, T: Codec>(from: S, to: T) -> Self {
        let pair = Pair::new(from, to);
        let convert = pair.convert;
        Engine { pair, convert, policy: None, repair: None, short: None, in_run: false, after_high: false }
    }

    /// Creates an engine that handles errors by a policy.
    #[inline]
    pub(crate) fn lossy<S: Codec, T: Codec>(from: S, to: T, policy: Policy<'p>) -> Self {
        let pair = Pair::new(from, to);
        let convert = if policy == Policy::Escape { pair::up_to_backslash } else { pair.convert };
        let repair = repairer_of(from, to);
        let short = match policy {
            Policy::Replace { with, .. } => ShortText::new(&pair, with),
            _ => None,
        };
        Engine { pair, convert, policy: Some(policy), repair, short, in_run: false, after_high: false }
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn policy(&self) -> Option<Policy<'p>> {
        self.policy
    }

    /// Returns the same conversion with a policy of another lifetime.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn with_policy<'q>(self, policy: Option<Policy<'q>>) -> Engine<'q> {
        let Engine { pair, convert, repair, short, in_run, after_high, .. } = self;
        Engine { pair, convert, policy, repair, short, in_run, after_high }
    }

    /// Returns the source's and the target's encoding.
    pub(crate) fn encodings(&self) -> (AnyEncoding, AnyEncoding) {
        (self.pair.from, self.pair.to)
    }

    /// Changes the source's encoding, at the start of a stream.
    #[inline]
    pub(crate) fn set_source(&mut self, from: AnyEncoding) {
        let to = self.pair.to;
        self.pair = Pair::new(from, to);
        self.convert = if self.escapes() { pair::up_to_backslash } else { self.pair.convert };
        self.repair = self.policy.and_then(|_| repairer_of(from, to));
    }

    /// Returns its state between calls: whether the last item was an error, and whether the output ends with a high
    /// surrogate.
    pub(crate) fn run_state(&self) -> (bool, bool) {
        (self.in_run, self.after_high)
    }

    /// Sets the state between calls.
    pub(crate) fn set_run_state(&mut self, in_run: bool, after_high: bool) {
        (self.in_run, self.after_high) = (in_run, after_high);
    }

    /// Converts as much as possible. `base` is the absolute offset of `input`; `last` means that nothing follows it.
    #[cfg_attr(feature = "any", inline(never))]
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Out<'_>,
        observer: &mut Observer<'_>,
    ) -> Progress {
        let start = out.written();
        let at = self.by_kernels(input, base, out, observer);
        let (read, status) = self.run_from(at, input, base, last, out, observer);
        Progress { read, written: out.written() - start, status }
    }

    /// [`Engine::run`] starting at `at`, where the kernels have stopped. Returns where and why it stopped.
    #[cfg_attr(feature = "any", inline(never))]
    #[cfg_attr(not(feature = "any"), inline)]
    fn run_from(
        &mut self,
        mut at: usize,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Out<'_>,
        observer: &mut Observer<'_>,
    ) -> (usize, Status) {
        let status = loop {
            if at == input.len() {
                break Status::Done;
            }
            match self.by_items(input, base, last, &mut at, out, observer) {
                Ok(()) if at == input.len() => break Status::Done,
                Ok(()) => {}
                Err(status) => break status,
            }
            at += self.by_kernels(&input[at..], base + at as u64, out, observer);
        };
        (at, status)
    }

    /// Converts as far as kernels can: broken text first, if a kernel replaces errors, then a well-formed part. Returns
    /// the number of input bytes converted.
    #[cfg_attr(not(feature = "any"), inline)]
    fn by_kernels(&mut self, input: &[u8], base: u64, out: &mut Out<'_>, observer: &mut Observer<'_>) -> usize {
        let mut at = 0;
        if input.len() >= dispatch::MIN_BYTES_FOR_REPAIR_KERNEL
            && let (Some(repair), Some(policy)) = (self.repair, self.policy)
        {
            let broken = Broken { pair: &self.pair, policy, input, base, observer };
            at = repair(broken, &mut self.in_run, out);
        }
        let clean = (self.convert)(&self.pair, &input[at..], out);
        self.advance(clean);
        at + clean
    }

    /// Reports whether well-formed text that looks like an escape is itself escaped.
    #[inline]
    pub(crate) fn escapes(&self) -> bool {
        matches!(self.policy, Some(Policy::Escape))
    }

    /// Updates the state after well-formed bytes.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        if bytes > 0 {
            self.in_run = false;
            self.after_high = false;
        }
    }

    /// Converts items by the reference implementation: the error that stopped the kernel, other errors near it, and a
    /// little more (within [`MAX_BYTES_BETWEEN_ERRORS`] bytes, this is faster than starting the kernel). Fails with the
    /// reason if the conversion stops.
    #[cfg_attr(not(feature = "any"), inline)]
    fn by_items(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        at: &mut usize,
        out: &mut Out<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<(), Status> {
        let mut stop = *at + MAX_BYTES_BETWEEN_ERRORS;
        while *at < stop {
            let rest = &input[*at..];
            let Some(step) = self.step(rest, last) else { break };
            if step.incomplete && !last {
                return Err(Status::InputIncomplete);
            }
            let mut bytes = [0; ENCODE_BUFFER];
            let written = match (step.result, rest.first_chunk()) {
                (Ok(_), Some(as_they_are)) if self.pair.from == self.pair.to => {
                    bytes = *as_they_are;
                    Ok(step.len())
                }
                (result, _) => result.and_then(|value| (self.pair.encode)(value, &mut bytes)),
            };
            match written {
                Ok(len) => {
                    if step.result == Ok(u32::from(b'\\')) && matches!(self.policy, Some(Policy::Escape)) {
                        self.escape_backslash(rest, step, base + *at as u64, last, out, observer)?;
                    } else if !out.push_only_front_of(bytes, len) {
                        return Err(Status::OutputFull);
                    }
                    self.in_run = false;
                    self.after_high = self.pair.to == AnyEncoding::Wtf8 && step.result.is_ok_and(is_high_surrogate);
                }
                Err(kind) => {
                    let error = Error::new(base, step.len, kind).moved(*at as u64);
                    let Some(policy) = self.policy else { return Err(self.stopped(error, rest)) };
                    let before = out.written();
                    if !self.apply_policy(policy, error, &rest[..step.len()], step.result.is_ok(), out, observer) {
                        return Err(Status::OutputFull);
                    }
                    self.in_run = true;
                    self.after_high &= out.written() == before;
                    stop = *at + step.len() + MAX_BYTES_BETWEEN_ERRORS;
                }
            }
            *at += step.len();
        }
        Ok(())
    }

    /// Returns why a strict conversion stops at an error, after checking whether the source alone is invalid.
    #[cold]
    #[cfg_attr(not(feature = "any"), inline)]
    fn stopped(&self, error: Error, rest: &[u8]) -> Status {
        let source = (self.pair.decode)(rest);
        let incomplete = source.is_some_and(|step| step.incomplete && step.result.is_err());
        let unrepresentable = source.is_some_and(|step| step.result.is_ok());
        Status::Error(error.incomplete_if(incomplete).unrepresentable_if(unrepresentable))
    }

    /// Returns the next item for the pair of encodings and the policy.
    #[inline(always)]
    fn step(&self, rest: &[u8], last: bool) -> Option<Step> {
        let step = (self.pair.decode)(rest)?;
        match (step.result, self.policy) {
            // Two surrogate values would be read back as one code point, so both are errors.
            (Ok(high), _)
                if is_high_surrogate(high)
                    && self.pair.from.traits().plain_surrogates
                    && self.pair.to.traits().fuses_pairs =>
            {
                let after = &rest[step.len()..];
                Some(match (self.pair.decode)(after) {
                    Some(Step { result: Ok(low), len, .. }) if is_low_surrogate(low) => {
                        Step::error(ErrorKind::Surrogate, step.len() + usize::from(len))
                    }
                    Some(next) => step.incomplete_if(next.incomplete && !last && may_become_low_surrogate(after)),
                    None => step.incomplete_if(!last),
                })
            }
            (Ok(low), _) if self.after_high && is_low_surrogate(low) => {
                Some(Step::error(ErrorKind::Surrogate, step.len()))
            }
            // Java's decoder treats an encoded surrogate, or the first two bytes of one, as one error.
            (Err(ErrorKind::Surrogate), Some(Policy::Replace { each: Each::Java, .. }))
                if self.pair.from.unit() == 1 && step.len == 1 =>
            {
                let tail = rest[1..].iter().take(2).take_while(|&&byte| byte & 0xC0 == 0x80).count();
                let incomplete = rest.len() == 1 + tail && tail < 2;
                Some(Step::error(ErrorKind::Surrogate, 1 + tail).incomplete_if(incomplete))
            }
            _ => Some(step),
        }
    }

    /// Handles well-formed bytes like an error.
    #[cfg(any(feature = "restrict", all(test, feature = "alloc")))]
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn refuse(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(policy) = self.policy else { return };
        // The offset and the kind are not used, because there is no observer.
        let error = Error::new(0, bytes.len() as u8, ErrorKind::InvalidByte);
        let (before, mut capacity) = (out.len(), crate::simd::BLOCK_BYTES);
        while !append(out, capacity, |spare| self.apply_policy(policy, error, bytes, false, spare, &mut None)) {
            capacity *= 2;
        }
        self.in_run = true;
        self.after_high &= out.len() == before;
    }

    /// Writes what the policy puts in an error's place. Returns `false` if the capacity is too small.
    #[cfg_attr(not(feature = "any"), inline)]
    fn apply_policy(
        &self,
        policy: Policy<'_>,
        error: Error,
        before: &[u8],
        unrepresentable: bool,
        out: &mut Out<'_>,
        observer: &mut Observer<'_>,
    ) -> bool {
        let start = out.written();
        let unit = self.pair.from.unit();
        let done = match policy {
            Policy::Replace { each, with } => {
                let count = self.replacements(each, before.len(), unrepresentable);
                match self.short {
                    Some(short) => short.repeat(count, out),
                    None => self.pair.replace(with, count, out),
                }
            }
            Policy::Remove => true,
            Policy::Escape => self.pair.escape(before, out),
            Policy::SameLength => {
                let (bytes, len) = self.pair.replacement('?');
                let count = if unrepresentable { 1 } else { before.len() / unit };
                count * len <= out.remaining() && (0..count).all(|_| out.push(&bytes[..len]))
            }
        };
        if done {
            let after = out.since(start);
            if let Some(observer) = observer {
                // As in a strict conversion, only the source decides: two surrogates that the target would fuse into
                // one code point are each well formed.
                let unrepresentable = (self.pair.decode)(before).is_some_and(|step| step.result.is_ok());
                observer(Change { offset: error.offset, kind: Some(error.kind), unrepresentable, before, after });
            }
        }
        done
    }

    /// Returns how often the replacement is written for an error of `len` bytes. `unrepresentable` is for a value that
    /// the target cannot represent.
    #[cfg_attr(not(feature = "any"), inline)]
    fn replacements(&self, each: Each, len: usize, unrepresentable: bool) -> usize {
        match each {
            _ if unrepresentable => 1,
            Each::Subpart | Each::Java => 1,
            Each::Byte => len.div_ceil(self.pair.from.unit()),
            Each::Run => usize::from(!self.in_run),
        }
    }

    /// Escapes a backslash before an `x`, so that every `\x` of the output is an escape.
    #[cfg_attr(not(feature = "any"), inline)]
    fn escape_backslash(
        &self,
        rest: &[u8],
        step: Step,
        offset: u64,
        last: bool,
        out: &mut Out<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<(), Status> {
        let (before, after) = rest.split_at(step.len());
        let next = (self.pair.decode)(after);
        let unknown = match next {
            None => true,
            Some(next) => next.incomplete && self.pair.from.unit() > 1 && after.len() < self.pair.from.unit(),
        };
        if unknown && !last {
            return Err(Status::InputIncomplete);
        }
        if next.is_some_and(|next| next.result == Ok(u32::from(b'x'))) {
            let start = out.written();
            let (bytes, len) = self.pair.replacement('\\');
            if !self.pair.escape(&bytes[..len], out) {
                return Err(Status::OutputFull);
            }
            if let Some(observer) = observer {
                let after = out.since(start);
                observer(Change { offset, kind: None, unrepresentable: false, before, after });
            }
            return Ok(());
        }
        let (bytes, len) = self.pair.replacement('\\');
        if out.push(&bytes[..len]) { Ok(()) } else { Err(Status::OutputFull) }
    }

    /// Measures only the error at the start of the input: (bytes read, bytes written).
    #[cfg_attr(not(feature = "any"), inline)]
    pub(super) fn measure_error(&mut self, input: &[u8]) -> (usize, u64) {
        let Some(step) = self.step(input, true) else { return (input.len(), 0) };
        let Some(Policy::Replace { each, with }) = self.policy else { return (step.len(), 0) };
        let count = self.replacements(each, step.len(), step.result.is_ok());
        let written = count as u64 * self.pair.replacement_len(with) as u64;
        self.in_run = true;
        self.after_high &= written == 0;
        (step.len(), written)
    }

    /// Runs into a `Vec`, which grows as needed.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn run_to_vec(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Vec<u8>,
        observer: &mut Observer<'_>,
    ) -> Progress {
        self.run_to_units(input, base, last, out, observer)
    }

    /// Runs into a `Vec` of the target's code units. `written` still counts bytes.
    #[cfg(feature = "alloc")]
    pub(crate) fn run_to_units<U: CodeUnit>(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Vec<U>,
        observer: &mut Observer<'_>,
    ) -> Progress {
        let before = out.len();
        let mut read = 0;
        let mut least = 0;
        loop {
            let capacity = guess(self.pair.from, self.pair.to, input.len() - read).max(least);
            let progress =
                append(out, capacity, |spare| self.run(&input[read..], base + read as u64, last, spare, observer));
            read += progress.read;
            if progress.status != Status::OutputFull {
                let written = (out.len() - before) * size_of::<U>();
                return Progress { read, written, status: progress.status };
            }
            least = (out.capacity() * size_of::<U>() / 2).max(256);
            if progress.read == 0 {
                // The replacement text does not fit.
                least = least.max(2 * size_of::<U>() * (out.capacity() - out.len()));
            }
        }
    }

    /// Converts only the well-formed front of a short piece, without any preparation. Returns its length in bytes.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn front<U: CodeUnit>(&mut self, input: &[u8], out: &mut Vec<U>) -> usize {
        let capacity = guess(self.pair.from, self.pair.to, input.len());
        let is_small = input.len() < MIN_BYTES_FOR_KERNEL && self.pair.from != self.pair.to && !input.is_ascii();
        let read = append(out, capacity, |spare| match is_small {
            true => (self.pair.items)(&self.pair, input, spare),
            false => (self.convert)(&self.pair, input, spare),
        });
        self.advance(read);
        read
    }

    /// Runs [`Engine::front`] into a `String`.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn front_of_text(&mut self, input: &[u8], out: &mut String) -> usize {
        self.in_text(out, |engine, bytes| engine.front(input, bytes))
    }

    /// Runs into a `String`, which grows as needed. The target is UTF-8.
    #[cfg(feature = "alloc")]
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn run_to_string(&mut self, input: &[u8], base: u64, last: bool, out: &mut String) -> Progress {
        self.in_text(out, |engine, bytes| engine.run_to_vec(input, base, last, bytes, &mut None))
    }

    /// Lets the engine append to the bytes of a `String`. The target is UTF-8.
    #[cfg(feature = "alloc")]
    #[inline]
    fn in_text<R>(&mut self, out: &mut String, write: impl FnOnce(&mut Self, &mut Vec<u8>) -> R) -> R {
        let mut bytes = core::mem::take(out).into_bytes();
        let result = write(self, &mut bytes);
        if self.pair.to == AnyEncoding::Utf8 {
            #[expect(unsafe_code, reason = "all output was validated, or encoded here")]
            // SAFETY: the bytes were text, and the engine appends to UTF-8 only runs of its input that a kernel or the
            // reference implementation found well formed, and whole sequences that the reference implementation
            // encoded.
            let text = unsafe { into_string(bytes) };
            *out = text;
        }
        result
    }
}

/// Converts strictly: by the pair's conversion, which is all that clean input needs, and by an engine after that stops.
#[inline(always)]
pub(crate) fn strict<S: Codec, T: Codec>(from: S, to: T, input: &[u8], last: bool, out: &mut Out<'_>) -> Progress {
    let start = out.written();
    let read = Pair::convert_clean(from, to, input, out);
    let (read, status) =
        if read == input.len() { (read, Status::Done) } else { strict_from(from, to, read, input, last, out) };
    Progress { read, written: out.written() - start, status }
}

/// Converts the rest after the first `read` bytes, where the pair's conversion stopped. Not inlined, because most input
/// is clean and needs no engine.
#[inline(never)]
fn strict_from<S: Codec, T: Codec>(
    from: S,
    to: T,
    read: usize,
    input: &[u8],
    last: bool,
    out: &mut Out<'_>,
) -> (usize, Status) {
    Engine::strict(from, to).run_from(read, input, 0, last, out, &mut None)
}

/// Converts the rest after the first `read` bytes strictly. Not inlined, because most input is short and clean and
/// needs no engine.
#[cfg(feature = "alloc")]
#[inline(never)]
pub(super) fn append_rest<S: Codec, T: Codec, U: CodeUnit>(
    from: S,
    to: T,
    input: &[u8],
    read: usize,
    mut units: Vec<U>,
) -> Result<Vec<U>, Error> {
    let rest = &input[read..];
    let progress = Engine::strict(from, to).run_to_units(rest, read as u64, true, &mut units, &mut None);
    match progress.status {
        Status::Error(error) => Err(error),
        _ => Ok(units),
    }
}

/// Returns the [`repairer`] of two encodings, as a constant if they are known at compile time.
#[inline]
fn repairer_of<S: Codec, T: Codec>(from: S, to: T) -> Option<Repair> {
    if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
        const {
            match (S::KNOWN, T::KNOWN) {
                (Some((_, from)), Some((_, to))) => repairer(from, to),
                _ => None,
            }
        }
    } else {
        repairer_of_values(from.erase(), to.erase())
    }
}

/// Returns the [`repairer`] of two encodings that are only known at run time. It refers to all repairers, and is
/// compiled in the same crate as [`Pair`]'s routes.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn repairer_of_values(from: AnyEncoding, to: AnyEncoding) -> Option<Repair> {
    repairer(from, to)
}
