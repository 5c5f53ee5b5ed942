//! Replaces errors at kernel speed, in all but the last bytes of the input.

use core::mem;
use core::ops::Range;

use super::limits::{MAX_WINDOW_BYTES, MIN_REPAIRED_WINDOW_BYTES, MIN_WINDOW_BYTES};
use super::pair::Pair;
use super::progress::{Change, Observer};
use crate::dispatch;
use crate::encoding::{AnyEncoding, ENCODE_BUFFER, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::grammar::{Grammar, writes_all_as_utf8};
use crate::kernels::repair::{Listener, Replace, Replacement};
use crate::kernels::utf8_to_wide::WidenLossy;
use crate::kernels::utf16::RepairUnitsInto;
use crate::kernels::wide_to_utf8::{Lossy, Source};
use crate::out::Out;
use crate::policy::{Each, Policy};
use crate::reference::convert::Wide;
use crate::simd::BLOCK_BYTES;

/// The input and settings of a repair.
pub(super) struct Broken<'b, 'o> {
    pub(super) pair: &'b Pair,
    pub(super) policy: Policy<'b>,
    /// Text that begins with an item.
    pub(super) input: &'b [u8],
    /// The offset of `input`.
    pub(super) base: u64,
    pub(super) observer: &'b mut Observer<'o>,
}

/// Repairs text, and converts it if the target is another encoding. Returns how many bytes of the input were read.
/// `in_run` is whether an error directly precedes the input and, afterwards, whether the bytes read end with one.
/// Returns zero if the input is short or the capacity is small; the reference implementation then continues.
pub(super) type Repair = fn(Broken<'_, '_>, in_run: &mut bool, out: &mut Out<'_>) -> usize;

/// Returns the function for a pair, if a kernel supports it. A constant if the encodings are known.
#[inline]
pub(super) const fn repairer(from: AnyEncoding, to: AnyEncoding) -> Option<Repair> {
    use AnyEncoding as E;
    // In WebAssembly, where every kilobyte is downloaded, only to UTF-16 in JavaScript's byte order.
    let all = !cfg!(target_family = "wasm");
    match (from, to) {
        _ if from as u8 == to as u8 && from.is_dialect() => Some(repair),
        (E::Utf8, E::Utf16Le | E::Wtf16Le) => Some(repair_and_widen::<Utf16Le>),
        (E::Utf8, E::Utf16Be | E::Wtf16Be) if all => Some(repair_and_widen::<Utf16Be>),
        (E::Utf8, E::Utf32Le) if all => Some(repair_and_widen::<Utf32Le>),
        (E::Utf8, E::Utf32Be) if all => Some(repair_and_widen::<Utf32Be>),
        (E::Utf16Le, E::Utf8) if all => Some(repair_and_narrow::<Utf16Le>),
        (E::Utf16Be, E::Utf8) if all => Some(repair_and_narrow::<Utf16Be>),
        (E::Utf16Le, E::Utf16Le | E::Wtf16Le) => Some(repair_units),
        (E::Utf16Be, E::Utf16Be | E::Wtf16Be) => Some(repair_units),
        _ => None,
    }
}

/// Returns what the kernel writes for an error of an encoding, if it supports the policy.
#[cfg_attr(not(feature = "any"), inline)]
fn replacement(from: AnyEncoding, policy: Policy<'_>) -> Option<Replacement<'_>> {
    let (each, text) = match policy {
        Policy::Replace { each: Each::Java, .. } | Policy::Escape => return None,
        Policy::Replace { each, with } => (each, with),
        Policy::Remove => (Each::Subpart, ""),
        Policy::SameLength => (Each::Byte, "?"),
    };
    let fits = text.len() <= MAX_REPLACEMENT_BYTES && (writes_all_as_utf8(from) || text.is_ascii());
    fits.then(|| Replacement::new(each, text.as_bytes()))
}

/// Length of the longest replacement that the kernel writes. It needs capacity for 64 of them.
const MAX_REPLACEMENT_BYTES: usize = 64;
/// Maximum number of bytes written for one error, which has at most three bytes.
const MAX_BYTES_PER_ERROR: usize = 3 * MAX_REPLACEMENT_BYTES;
/// Maximum number of bytes that one byte of UTF-8 becomes in wider units, or a unit in UTF-8.
const MAX_BYTES_PER_UNIT: usize = 4;

/// Repairs without converting. With the feature `any`, it is compiled in this library.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn repair(broken: Broken<'_, '_>, in_run: &mut bool, out: &mut Out<'_>) -> usize {
    let Broken { pair, policy, input, base, observer } = broken;
    let Some(grammar) = grammar(pair, input) else { return 0 };
    let Some(replacement) = &replacement(pair.from, policy) else { return 0 };
    let is_observed = observer.is_some();
    let mut report = |span: Range<usize>, after: &[u8]| report_change(observer, pair, (input, base), span, after);
    let listener: Listener<'_> = if is_observed { Some(&mut report) } else { None };
    run(grammar, replacement, input, listener, in_run, out).0
}

/// Repairs UTF-8, and converts it to wider units.
fn repair_and_widen<U: Wide>(broken: Broken<'_, '_>, in_run: &mut bool, out: &mut Out<'_>) -> usize {
    let Broken { pair, policy, input, base, observer } = broken;
    let Some(grammar) = grammar(pair, input) else { return 0 };
    let Some(replacement) = &replacement(pair.from, policy) else { return 0 };
    let mut scratch = [0_u8; MAX_WINDOW_BYTES];
    let (mut at, mut window) = (0, 0);
    loop {
        let rest = &input[at..];
        let is_observed = observer.is_some();
        let mut report = |span: Range<usize>, after: &[u8]| {
            let mut units = [0_u8; MAX_BYTES_PER_ERROR * MAX_BYTES_PER_UNIT];
            let mut put = Out::in_buffer(&mut units);
            dispatch::widen(grammar, after, &mut put, U::default());
            report_change(observer, pair, (rest, base + at as u64), span, put.since(0));
        };
        let listener: Listener<'_> = if is_observed { Some(&mut report) } else { None };
        let target = U::default();
        if window == 0 && replacement.is_short() {
            // Where errors are far apart, text is converted without repairing it first.
            let out_now = mem::take(out);
            let work =
                WidenLossy { grammar, bytes: rest, out: out_now, target, replacement, listener, in_run: *in_run };
            let replaced = dispatch::widen_lossy(work);
            (*in_run, *out) = (replaced.in_run, replaced.out);
            at += replaced.read;
            window = MIN_REPAIRED_WINDOW_BYTES;
            continue;
        }
        let capacity =
            (out.remaining() / U::UNIT).saturating_sub(2 * BLOCK_BYTES).min(window.max(MIN_REPAIRED_WINDOW_BYTES));
        let mut repaired = Out::in_buffer(&mut scratch[..capacity]);
        let (read, found) = run(grammar, replacement, rest, listener, in_run, &mut repaired);
        if read == 0 {
            return at;
        }
        at += read;
        let written = repaired.written();
        let read = dispatch::widen(grammar, &scratch[..written], out, target);
        debug_assert_eq!(read, written, "scalar values fit UTF-16 and UTF-32, and the capacity was asked for");
        window = if found { (2 * window).min(MAX_WINDOW_BYTES) } else { 0 };
    }
}

/// Repairs 16-bit units. Each remains one unit.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn repair_units(broken: Broken<'_, '_>, in_run: &mut bool, out: &mut Out<'_>) -> usize {
    let Broken { pair, policy, input, base, observer } = broken;
    let Some(replacement) = replacing_unit(policy) else { return 0 };
    let big_endian = pair.from.is_big_endian();
    let replacement = if big_endian { replacement.to_be_bytes() } else { replacement.to_le_bytes() };
    let start = out.written();
    let work = RepairUnitsInto { bytes: input, big_endian, replacement, out: mem::take(out) };
    let (read, written) = dispatch::repair_units_into(work);
    *out = written;
    let (before, after) = (input[..read].as_chunks::<2>().0, out.since(start).as_chunks::<2>().0);
    if let (Some(before), Some(after)) = (before.last(), after.last()) {
        *in_run = before != after;
    }
    if observer.is_some() {
        for place in changes(&input[..read], out.since(start)) {
            let span = place..place + 2;
            report_change(observer, pair, (input, base), span.clone(), &out.since(start)[span]);
        }
    }
    read
}

/// Repairs 16-bit units, and converts them to UTF-8.
fn repair_and_narrow<S: Source>(broken: Broken<'_, '_>, in_run: &mut bool, out: &mut Out<'_>) -> usize {
    let Broken { pair, policy, input, base, observer } = broken;
    let Some(unit) = replacing_unit(policy) else { return 0 };
    let replacement = if S::BIG_ENDIAN { unit.to_be_bytes() } else { unit.to_le_bytes() };
    let (mut after, is_observed) = ([0; ENCODE_BUFFER], observer.is_some());
    let len = (pair.encode)(u32::from(unit), &mut after).unwrap_or(0);
    let mut report = |at: usize| report_change(observer, pair, (input, base), at..at + 2, &after[..len]);
    let mut scratch = [0_u8; MAX_WINDOW_BYTES];
    let (mut at, mut window) = (0, MIN_WINDOW_BYTES);
    loop {
        // Where errors are far apart, text is converted without repairing it first.
        let mut found = |place: usize| report(at + place);
        let listener: Option<&mut dyn FnMut(usize)> = if is_observed { Some(&mut found) } else { None };
        let lossy = Lossy::new(replacement, listener, at > 0);
        let clean = dispatch::narrow_lossy(&input[at..], out, S::default(), lossy) * S::UNIT;
        at += clean;
        *in_run &= clean == 0;
        window = if clean < window { (2 * window).min(MAX_WINDOW_BYTES) } else { MIN_WINDOW_BYTES };
        let rest = &input[at..];
        let mut units = Out::in_buffer(&mut scratch);
        let broken = Broken { pair, policy, input: &rest[..rest.len().min(window)], base, observer: &mut None };
        let repaired = repair_units(broken, in_run, &mut units);
        let read = dispatch::narrow(units.since(0), out, S::default(), true) * S::UNIT;
        if is_observed {
            changes(&rest[..read], units.since(0)).for_each(|place| report(at + place));
        }
        at += read;
        if read == 0 || read < repaired {
            return at;
        }
    }
}

/// Returns the positions of the 16-bit units that differ.
#[cfg_attr(not(feature = "any"), inline)]
fn changes(before: &[u8], after: &[u8]) -> impl Iterator<Item = usize> {
    let units = before.as_chunks::<2>().0.iter().zip(after.as_chunks::<2>().0);
    units.enumerate().filter(|(_, (before, after))| before != after).map(|(i, _)| 2 * i)
}

/// Returns the unit that replaces a lone surrogate, if the policy writes one for each.
#[cfg_attr(not(feature = "any"), inline)]
fn replacing_unit(policy: Policy<'_>) -> Option<u16> {
    let text = match policy {
        Policy::Replace { each: Each::Run, .. } | Policy::Escape | Policy::Remove => return None,
        Policy::Replace { with, .. } => with,
        Policy::SameLength => "?",
    };
    let mut units = text.encode_utf16();
    units.next().filter(|_| units.next().is_none())
}

/// Returns the grammar, if the kernel supports it and the input is long enough.
#[cfg_attr(not(feature = "any"), inline)]
fn grammar(pair: &Pair, input: &[u8]) -> Option<&'static Grammar> {
    pair.from.grammar().filter(|grammar| dispatch::replaces(grammar, input))
}

/// Runs the kernel. Returns how many bytes it read, and whether there were errors. One function for all that repair:
/// in WebAssembly, where kernels are inlined, it is 6 kB.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn run(
    grammar: &'static Grammar,
    replacement: &Replacement<'_>,
    bytes: &[u8],
    listener: Listener<'_>,
    in_run: &mut bool,
    out: &mut Out<'_>,
) -> (usize, bool) {
    let work = Replace { grammar, bytes, out: mem::take(out), replacement, listener, in_run: *in_run };
    let replaced = dispatch::replace(work);
    (*in_run, *out) = (replaced.in_run, replaced.out);
    (replaced.read, replaced.found)
}

/// Reports an error, whose kind the reference implementation determines, to the observer.
#[cfg_attr(not(feature = "any"), inline)]
fn report_change(
    observer: &mut Observer<'_>,
    pair: &Pair,
    (input, base): (&[u8], u64),
    span: Range<usize>,
    after: &[u8],
) {
    let kind = (pair.decode)(&input[span.start..]).and_then(|step| step.result.err());
    if let Some(observer) = observer {
        let offset = base + span.start as u64;
        observer(Change { offset, kind, unrepresentable: false, before: &input[span], after });
    }
}
