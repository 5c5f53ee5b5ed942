//! The one loop that converts and repairs.

use super::progress::{Change, Progress, Status};
use super::{repair, route};
#[cfg(feature = "alloc")]
use crate::encoding::Utf8;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER, Encoding, Step};
use crate::error::{Error, ErrorKind};
use crate::out::Out;
#[cfg(feature = "alloc")]
use crate::out::{append, into_string};
use crate::policy::{Each, Policy};
use crate::scalar::decode::{is_high_surrogate, is_low_surrogate, may_become_low_surrogate};

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Is told of every change.
pub(crate) trait Observer {
    /// Whether it is worth telling.
    const LISTENS: bool = true;

    fn changed(&mut self, change: Change<'_>);
}

impl Observer for () {
    const LISTENS: bool = false;

    #[inline(always)]
    fn changed(&mut self, _: Change<'_>) {}
}

impl<F: FnMut(Change<'_>)> Observer for F {
    #[inline(always)]
    fn changed(&mut self, change: Change<'_>) {
        self(change);
    }
}

/// A conversion and the little it remembers between calls.
#[derive(Clone, Debug)]
pub(crate) struct Engine<'p, S, T> {
    pub(crate) from: S,
    pub(crate) to: T,
    /// What to do about errors; `None`: stop.
    policy: Option<Policy<'p>>,
    /// The replacement in the target, if it is one character and all that [`Policy::Replace`] puts for an error:
    /// the short way of the usual case.
    single: Option<([u8; ENCODE_BUFFER], usize)>,
    /// The last item was an error (errors of a run are replaced once).
    in_run: bool,
    /// The output ends in a high surrogate, with which a low one would be ill-formed: errors between were removed.
    after_high: bool,
}

/// How near errors must be to each other to be left to the definition together, in bytes.
const COMPANY: usize = 16;

/// What became of one item.
enum Outcome {
    Written,
    Full,
    Open,
    Stop(Error),
}

impl<'p, S: Encoding, T: Encoding> Engine<'p, S, T> {
    pub(crate) fn strict(from: S, to: T) -> Self {
        Engine { from, to, policy: None, single: None, in_run: false, after_high: false }
    }

    pub(crate) fn lossy(from: S, to: T, policy: Policy<'p>) -> Self {
        let mut engine =
            Engine { from, to, policy: Some(policy), single: None, in_run: false, after_high: false };
        if let Policy::Replace { each: Each::Subpart | Each::Java, with } = policy {
            let mut chars = with.chars();
            if let (Some(c), None) = (chars.next(), chars.next()) {
                engine.single = Some(engine.replacement(c));
            }
        }
        engine
    }

    /// Converts as much as it can. `base` is the absolute offset of `input`, `last` says that nothing follows it.
    #[inline]
    pub(crate) fn run<O: Observer>(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Out<'_>,
        observer: &mut O,
    ) -> Progress {
        let start = out.written();
        let mut at = 0;
        let status = loop {
            if let Some(policy) = self.policy {
                let rest = (&input[at..], base + at as u64);
                at += repair::mend((self.from, self.to), policy, rest, &mut self.in_run, out, observer);
            }
            let clean = self.clean(&input[at..], out);
            if clean > 0 {
                at += clean;
                self.in_run = false;
                self.after_high = false;
            }
            if at == input.len() {
                break Status::Done;
            }
            match self.by_items(input, base, last, &mut at, out, observer) {
                Outcome::Written if at == input.len() => break Status::Done,
                Outcome::Written => {}
                Outcome::Full => break Status::OutputFull,
                Outcome::Open => break Status::InputIncomplete,
                Outcome::Stop(error) => break Status::Error(error),
            }
        };
        Progress { read: at, written: out.written() - start, status }
    }

    /// Copies or converts a well-formed stretch at kernel speed; says how much of the input that was.
    #[inline(always)]
    fn clean(&self, input: &[u8], out: &mut Out<'_>) -> usize {
        let input = match self.policy {
            Some(Policy::Escape) => route::before_backslash(input),
            _ => input,
        };
        route::convert(self.from, self.to, input, out)
    }

    /// Items by the definition: the error that stopped the kernel, those that keep it company, and a little more
    /// (what comes within [`COMPANY`] bytes costs less this way than the kernel's set-up).
    fn by_items<O: Observer>(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        at: &mut usize,
        out: &mut Out<'_>,
        observer: &mut O,
    ) -> Outcome {
        let mut stop = *at + COMPANY;
        while *at < stop {
            let rest = &input[*at..];
            let Some(step) = self.step(rest, last) else { break };
            if step.incomplete && !last {
                return Outcome::Open;
            }
            let mut bytes = [0; ENCODE_BUFFER];
            let written = match (step.result, rest.first_chunk()) {
                (Ok(_), Some(as_they_are)) if self.from.any() == self.to.any() => {
                    bytes = *as_they_are;
                    Ok(step.len())
                }
                (result, _) => result.and_then(|value| self.to.encode(value, &mut bytes)),
            };
            match written {
                Ok(len) => {
                    if step.result == Ok(u32::from(b'\\')) && matches!(self.policy, Some(Policy::Escape)) {
                        match self.escape_backslash(rest, step, base + *at as u64, last, out, observer) {
                            Outcome::Written => {}
                            other => return other,
                        }
                    } else if !(out.push_front_of(bytes, len) || out.push(&bytes[..len])) {
                        return Outcome::Full;
                    }
                    self.in_run = false;
                    self.after_high =
                        self.to.any() == AnyEncoding::Wtf8 && step.result.is_ok_and(is_high_surrogate);
                }
                Err(kind) => {
                    let error = Error::new(base, step.len, kind).moved(*at as u64);
                    let Some(policy) = self.policy else { return self.stop(error, rest) };
                    let before = out.written();
                    if !self.mend(policy, error, &rest[..step.len()], step.result.is_ok(), out, observer) {
                        return Outcome::Full;
                    }
                    self.in_run = true;
                    self.after_high &= out.written() == before;
                    stop = *at + step.len() + COMPANY;
                }
            }
            *at += step.len();
        }
        Outcome::Written
    }

    /// Stops a strict conversion at an error, after asking what the source alone says of it.
    #[cold]
    fn stop(&self, error: Error, rest: &[u8]) -> Outcome {
        let source = self.from.decode(rest);
        let incomplete = source.is_some_and(|step| step.incomplete && step.result.is_err());
        let unrepresentable = source.is_some_and(|step| step.result.is_ok());
        Outcome::Stop(error.incomplete_if(incomplete).unrepresentable_if(unrepresentable))
    }

    /// The next item, as the pair of encodings and the policy see it.
    #[inline(always)]
    fn step(&self, rest: &[u8], last: bool) -> Option<Step> {
        let step = self.from.decode(rest)?;
        match (step.result, self.policy) {
            // Two surrogate values would melt into one code point there: an error of both.
            (Ok(high), _)
                if is_high_surrogate(high)
                    && self.from.any().traits().plain_surrogates
                    && self.to.any().traits().fuses_pairs =>
            {
                let after = &rest[step.len()..];
                Some(match self.from.decode(after) {
                    Some(Step { result: Ok(low), len, .. }) if is_low_surrogate(low) => {
                        Step::error(ErrorKind::Surrogate, step.len() + usize::from(len))
                    }
                    Some(next) => {
                        step.incomplete_if(next.incomplete && !last && may_become_low_surrogate(after))
                    }
                    None => step.incomplete_if(!last),
                })
            }
            (Ok(low), _) if self.after_high && is_low_surrogate(low) => {
                Some(Step::error(ErrorKind::Surrogate, step.len()))
            }
            // Java's decoder takes an encoded surrogate, or the two bytes that begin one, as one error.
            (Err(ErrorKind::Surrogate), Some(Policy::Replace { each: Each::Java, .. }))
                if self.from.unit() == 1 && step.len == 1 =>
            {
                let tail = rest[1..].iter().take(2).take_while(|&&byte| byte & 0xC0 == 0x80).count();
                let incomplete = rest.len() == 1 + tail && tail < 2;
                Some(Step::error(ErrorKind::Surrogate, 1 + tail).incomplete_if(incomplete))
            }
            _ => Some(step),
        }
    }

    /// Writes what the policy puts in an error's place; `false` if it does not fit.
    fn mend<O: Observer>(
        &self,
        policy: Policy<'_>,
        error: Error,
        before: &[u8],
        unrepresentable: bool,
        out: &mut Out<'_>,
        observer: &mut O,
    ) -> bool {
        let start = out.written();
        let unit = self.from.unit();
        let done = match (policy, self.single) {
            (Policy::Replace { .. }, Some((bytes, len))) => {
                out.push_front_of(bytes, len) || out.push(&bytes[..len])
            }
            (Policy::Replace { each, with }, None) => {
                let count = match each {
                    _ if unrepresentable => 1,
                    Each::Subpart | Each::Java => 1,
                    Each::Byte => before.len().div_ceil(unit),
                    Each::Run => usize::from(!self.in_run),
                };
                let need = count * with.chars().map(|c| self.replacement(c).1).sum::<usize>();
                need <= out.room()
                    && (0..count).all(|_| {
                        with.chars().all(|c| {
                            let (bytes, len) = self.replacement(c);
                            out.push(&bytes[..len])
                        })
                    })
            }
            (Policy::Remove, _) => true,
            (Policy::Escape, _) => self.escape(before, out),
            (Policy::SameLength, _) => {
                let (bytes, len) = self.replacement('?');
                let count = if unrepresentable { 1 } else { before.len() / unit };
                count * len <= out.room() && (0..count).all(|_| out.push(&bytes[..len]))
            }
        };
        if done {
            let after = out.since(start);
            observer.changed(Change { offset: error.offset, kind: Some(error.kind), before, after });
        }
        done
    }

    /// A character of the replacement text in the target, `?` if it has no place there.
    fn replacement(&self, c: char) -> ([u8; ENCODE_BUFFER], usize) {
        let mut bytes = [0; ENCODE_BUFFER];
        let len = self.to.encode(u32::from(c), &mut bytes);
        match len.or_else(|_| self.to.encode(u32::from(b'?'), &mut bytes)) {
            Ok(len) => (bytes, len),
            Err(_) => (bytes, 0), // every encoding has '?'
        }
    }

    /// Writes each byte as `\xHH`; `false` if it does not fit.
    fn escape(&self, bytes: &[u8], out: &mut Out<'_>) -> bool {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let text = |byte: u8| [b'\\', b'x', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
        let width = self.replacement('x').1;
        bytes.len() * 4 * width <= out.room()
            && bytes.iter().all(|&byte| {
                text(byte).iter().all(|&digit| {
                    let (bytes, len) = self.replacement(char::from(digit));
                    out.push(&bytes[..len])
                })
            })
    }

    /// A backslash before an `x` is escaped itself, so that every `\x` of the output is an escape.
    fn escape_backslash<O: Observer>(
        &self,
        rest: &[u8],
        step: Step,
        offset: u64,
        last: bool,
        out: &mut Out<'_>,
        observer: &mut O,
    ) -> Outcome {
        let (before, after) = rest.split_at(step.len());
        let next = self.from.decode(after);
        let unknown = match next {
            None => true,
            Some(next) => next.incomplete && self.from.unit() > 1 && after.len() < self.from.unit(),
        };
        if unknown && !last {
            return Outcome::Open;
        }
        if next.is_some_and(|next| next.result == Ok(u32::from(b'x'))) {
            let start = out.written();
            let (bytes, len) = self.replacement('\\');
            if !self.escape(&bytes[..len], out) {
                return Outcome::Full;
            }
            observer.changed(Change { offset, kind: None, before, after: out.since(start) });
            return Outcome::Written;
        }
        let (bytes, len) = self.replacement('\\');
        if out.push(&bytes[..len]) { Outcome::Written } else { Outcome::Full }
    }

    /// How much [`Engine::run`] would write, over the whole input.
    pub(crate) fn measure(mut self, mut input: &[u8]) -> (usize, Status) {
        let mut total = 0;
        let mut base = 0;
        let mut scratch = [0; 1024];
        loop {
            let (read, written) = route::measure(self.from, self.to, self.policy, input);
            total += written;
            base += read as u64;
            input = &input[read..];
            self.in_run &= read == 0;
            let progress = self.run_some(input, base, &mut Out::over(&mut scratch));
            total += progress.written;
            base += progress.read as u64;
            input = &input[progress.read..];
            match progress.status {
                Status::OutputFull if progress.read > 0 => {}
                Status::OutputFull => {
                    // A replacement longer than the scratch space.
                    total += self.measure_one(input);
                    let step = self.step(input, true).map_or(input.len(), Step::len);
                    base += step as u64;
                    input = &input[step..];
                }
                status => return (total, status),
            }
        }
    }

    /// One stretch of items and what is clean behind it, at most as much as the scratch space takes.
    fn run_some(&mut self, input: &[u8], base: u64, out: &mut Out<'_>) -> Progress {
        self.run(input, base, true, out, &mut ())
    }

    fn measure_one(&mut self, input: &[u8]) -> usize {
        let Some(Policy::Replace { each, with }) = self.policy else { return 0 };
        let len = self.step(input, true).map_or(0, Step::len);
        let count = match each {
            Each::Byte => len.div_ceil(self.from.unit()),
            Each::Run => usize::from(!self.in_run),
            Each::Subpart | Each::Java => 1,
        };
        self.in_run = true;
        count * with.chars().map(|c| self.replacement(c).1).sum::<usize>()
    }

    /// Runs into a `Vec`, which grows as needed.
    #[cfg(feature = "alloc")]
    pub(crate) fn run_to_vec<O: Observer>(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut Vec<u8>,
        observer: &mut O,
    ) -> Progress {
        let before = out.len();
        let mut read = 0;
        let mut ask = route::guess(self.from, self.to, input.len());
        loop {
            let progress =
                append(out, ask, |spare| self.run(&input[read..], base + read as u64, last, spare, observer));
            read += progress.read;
            if progress.status != Status::OutputFull {
                return Progress { read, written: out.len() - before, status: progress.status };
            }
            ask = route::guess(self.from, self.to, input.len() - read).max(out.capacity() / 2).max(256);
            if progress.read == 0 {
                // A long replacement text.
                ask = ask.max(2 * (out.capacity() - out.len()));
            }
        }
    }
}

#[cfg(feature = "alloc")]
impl<S: Encoding> Engine<'_, S, Utf8> {
    /// Runs into a text, which grows as needed.
    pub(crate) fn run_to_string(
        &mut self,
        input: &[u8],
        base: u64,
        last: bool,
        out: &mut String,
    ) -> Progress {
        let mut bytes = core::mem::take(out).into_bytes();
        let progress = self.run_to_vec(input, base, last, &mut bytes, &mut ());
        #[expect(unsafe_code, reason = "what was written was validated, or encoded here")]
        // SAFETY: it was text, and to UTF-8 the engine appends nothing but stretches of its input that a kernel or the
        // definition found well formed, and whole sequences that the definition encoded.
        let text = unsafe { into_string(bytes) };
        *out = text;
        progress
    }

    /// The whole input as text.
    pub(crate) fn text(mut self, input: &[u8]) -> Result<String, Error> {
        let mut text = String::new();
        match self.run_to_string(input, 0, true, &mut text).status {
            Status::Error(error) => Err(error),
            _ => Ok(text),
        }
    }
}
