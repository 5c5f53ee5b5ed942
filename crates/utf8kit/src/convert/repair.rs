//! Replacing errors at kernel speed: all but the last bytes of the input.

use core::{mem, ops::Range};

use super::engine::Observer;
use super::progress::Change;
use super::route;
use crate::arch::BLOCK;
use crate::dispatch;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER, Encoding};
use crate::kernel::repair::{Listener, Mend, Replacement};
use crate::kernel::utf8_to_wide::Extent;
use crate::out::Out;
use crate::policy::{Each, Policy};

/// Repaired text on its way to wider units: enough for the converting kernel, little enough for the nearest cache.
const SCRATCH: usize = 4096;

/// How much of it is used at first.
const FIRST_SCRATCH: usize = 512;

/// Repairs text that begins with an item, and converts it if the target is another encoding; says how much of the input
/// that was. `in_run` says whether an error is right in front, and whether one was at the end. Zero where no kernel
/// does it, and where input or room is short: the definition goes on.
pub(crate) fn mend<S: Encoding, T: Encoding, O: Observer>(
    (from, to): (S, T),
    policy: Policy<'_>,
    (input, base): (&[u8], u64),
    in_run: &mut bool,
    out: &mut Out<'_>,
    observer: &mut O,
) -> usize {
    let grammar = from.any().grammar().filter(|grammar| dispatch::mends(grammar, input));
    let (Some(grammar), Some(replacement)) = (grammar, replacement(from, policy)) else { return 0 };
    let mut run = |at: usize, in_run: &mut bool, out: &mut Out<'_>| {
        let bytes = &input[at..];
        let mut listener = Teller { from, to, input: bytes, base: base + at as u64, observer };
        let out_now = mem::take(out);
        let kernel =
            Mend { grammar, bytes, out: out_now, replacement, listener: &mut listener, in_run: *in_run };
        let mended = dispatch::mend(kernel);
        (*in_run, *out) = (mended.in_run, mended.out);
        (mended.read, mended.found)
    };
    if from.any() == to.any() {
        return run(0, in_run, out).0;
    }
    if from.any() != AnyEncoding::Utf8 || !matches!(to.unit(), 2 | 4) {
        return 0;
    }
    let mut scratch = [0; SCRATCH];
    let (mut at, mut window) = (0, 0);
    loop {
        if window == 0 {
            // Where no errors are near, nothing need be repaired first.
            let clean = route::convert_utf8(to, &input[at..], out, Extent::Blocks);
            at += clean;
            *in_run &= clean == 0;
            window = FIRST_SCRATCH;
        }
        let room = (out.room() / to.unit()).saturating_sub(2 * BLOCK).min(window);
        let mut repaired = Out::over(&mut scratch[..room]);
        let (read, found) = run(at, in_run, &mut repaired);
        if read == 0 {
            return at;
        }
        at += read;
        let written = repaired.written();
        write(to, &scratch[..written], out);
        window = if found { (2 * window).min(SCRATCH) } else { 0 };
    }
}

/// What the policy puts for an error, if that is one character or nothing.
fn replacement<E: Encoding>(encoding: E, policy: Policy<'_>) -> Option<Replacement> {
    let (each, text) = match policy {
        Policy::Replace { each: Each::Java, .. } | Policy::Escape => return None,
        Policy::Replace { each, with } => (each, with),
        Policy::Remove => (Each::Subpart, ""),
        Policy::SameLength => (Each::Byte, "?"),
    };
    let mut chars = text.chars();
    let (first, None) = (chars.next(), chars.next()) else { return None };
    let mut bytes = [0; ENCODE_BUFFER];
    let len = match first {
        Some(c) => encoding.encode(u32::from(c), &mut bytes).ok()?,
        None => 0,
    };
    Some(Replacement::new(each, bytes, len))
}

/// Converts well-formed UTF-8 for which there is room.
fn write<T: Encoding>(to: T, text: &[u8], out: &mut Out<'_>) {
    let read = route::convert_utf8(to, text, out, Extent::Known);
    debug_assert_eq!(read, text.len(), "scalar values fit UTF-16 and UTF-32, and the room was asked for");
}

/// Tells the observer what the kernel tells.
struct Teller<'b, 'o, S, T, O> {
    from: S,
    to: T,
    input: &'b [u8],
    base: u64,
    observer: &'o mut O,
}

impl<S: Encoding, T: Encoding, O: Observer> Listener for Teller<'_, '_, S, T, O> {
    #[inline(always)]
    fn error(&mut self, span: Range<usize>, after: &[u8]) {
        if O::LISTENS {
            self.tell(span, after);
        }
    }
}

impl<S: Encoding, T: Encoding, O: Observer> Teller<'_, '_, S, T, O> {
    #[inline(never)]
    fn tell(&mut self, span: Range<usize>, after: &[u8]) {
        let kind = self.from.decode(&self.input[span.start..]).and_then(|step| step.result.err());
        let (offset, before) = (self.base + span.start as u64, &self.input[span]);
        if self.from.any() == self.to.any() {
            return self.observer.changed(Change { offset, kind, before, after });
        }
        // A replacement for each of the at most three bytes.
        let mut converted = [0; 3 * ENCODE_BUFFER];
        let mut out = Out::over(&mut converted);
        write(self.to, after, &mut out);
        self.observer.changed(Change { offset, kind, before, after: out.since(0) });
    }
}
