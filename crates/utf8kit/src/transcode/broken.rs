//! Broken stretches: where errors are near each other, and a kernel finds them all, whole windows at a time.

use core::ops::Range;

use super::engine::{Change, Observer};
use super::fast;
use crate::arch::BLOCK;
use crate::dialect::Utf8;
use crate::dispatch;
use crate::encoding::{AnyEncoding, ENCODED, Encoding};
use crate::kernel::repair::{Listener, Mend, Mended, Replacement};
use crate::out::Out;
use crate::repair::{Each, Policy};

/// Repaired text on its way to wider units, and how much of the input is repaired at a time, so that it has room.
const SCRATCH: usize = 2048;
const PIECE: usize = 1024;

/// Repairs a stretch that begins with an item, and converts it if the target is another encoding; says how much of the
/// input that was, and whether it ended with an error, as `in_run` says of what is in front. Zero where there is no such
/// kernel: the definition goes on.
pub(crate) fn mend<S: Encoding, T: Encoding, O: Observer>(
    (from, to): (S, T),
    policy: Policy<'_>,
    (input, base): (&[u8], u64),
    in_run: &mut bool,
    out: &mut Out<'_>,
    observer: &mut O,
) -> usize {
    if input.len() < 2 * BLOCK || dispatch::is_scalar() {
        return 0;
    }
    let (source, target) = (from.any(), to.any());
    let mut listener = Teller { from, to, input, base, observer };
    if source == target {
        return match source.grammar().filter(|grammar| grammar.exact) {
            Some(_) => run(from, policy, input, in_run, out, &mut listener),
            None => 0,
        };
    }
    let room = SCRATCH * to.unit() + 2 * BLOCK * to.unit();
    if source != AnyEncoding::Utf8 || !matches!(to.unit(), 2 | 4) || out.room() < room {
        return 0;
    }
    let mut scratch = [0; SCRATCH];
    let mut repaired = Out::over(&mut scratch);
    let read = run(Utf8, policy, &input[..input.len().min(PIECE)], in_run, &mut repaired, &mut listener);
    write(to, repaired.since(0), out);
    read
}

fn run<E: Encoding, L: Listener>(
    encoding: E,
    policy: Policy<'_>,
    bytes: &[u8],
    in_run: &mut bool,
    out: &mut Out<'_>,
    listener: &mut L,
) -> usize {
    let (Some(replacement), Some(grammar)) = (replacement(encoding, policy), encoding.any().grammar()) else {
        return 0;
    };
    let kernel = Mend { grammar, bytes, out: core::mem::take(out), replacement, listener, in_run: *in_run };
    let Mended { read, out: written, in_run: ended_in_run } = dispatch::run(kernel);
    *out = written;
    *in_run = ended_in_run;
    read
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
    let mut bytes = [0; ENCODED];
    let len = match first {
        Some(c) => encoding.encode(u32::from(c), &mut bytes).ok()?,
        None => 0,
    };
    Some(Replacement { each, bytes, len })
}

/// Converts well-formed UTF-8 for which there is room.
fn write<T: Encoding>(to: T, text: &[u8], out: &mut Out<'_>) {
    let mut at = fast::convert(Utf8, to, text, out);
    while let Some(step) = Utf8.decode(&text[at..]) {
        let mut bytes = [0; ENCODED];
        let written = step.result.and_then(|value| to.encode(value, &mut bytes));
        let done = written.is_ok_and(|len| out.push(&bytes[..len]));
        debug_assert!(done, "scalar values fit UTF-16 and UTF-32, and the room was asked for");
        at += step.len();
    }
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
        let mut converted = [0; 3 * ENCODED];
        let mut out = Out::over(&mut converted);
        write(self.to, after, &mut out);
        self.observer.changed(Change { offset, kind, before, after: out.since(0) });
    }
}
