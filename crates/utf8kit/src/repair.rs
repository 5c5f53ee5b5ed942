//! Repairs text: the output has the encoding of the input, and a policy handles every error.

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

#[cfg(feature = "alloc")]
use crate::convert::Change;
#[cfg(feature = "alloc")]
use crate::convert::Observer;
use crate::convert::Progress;
#[cfg(feature = "alloc")]
use crate::convert::engine::Engine;
#[cfg(feature = "alloc")]
use crate::dispatch;
use crate::encoding::Encoding;
#[cfg(feature = "alloc")]
use crate::encoding::{AnyEncoding, Utf8};
use crate::out::Buffer;
#[cfg(feature = "alloc")]
use crate::out::{append_short, guess, into_string};
use crate::policy::Policy;
#[cfg(feature = "alloc")]
use crate::simd::MAX_SHORT;
#[cfg(feature = "alloc")]
use crate::validate::{first_error, text_before_error};

/// Repairs UTF-8 with one U+FFFD for each error, like `String::from_utf8_lossy`. Borrows if there are no errors.
///
/// ```
/// use std::borrow::Cow;
/// assert!(matches!(utf8kit::repair("fine".as_bytes()), Cow::Borrowed("fine")));
/// assert_eq!(utf8kit::repair(b"caf\xE9"), "caf\u{FFFD}");
/// ```
#[doc(alias = "from_utf8_lossy")]
#[doc(alias = "to_str_lossy")]
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn repair(bytes: &[u8]) -> Cow<'_, str> {
    let clean = text_before_error(bytes);
    if clean.len() == bytes.len() { Cow::Borrowed(clean) } else { Cow::Owned(repaired(clean, bytes)) }
}

/// Repairs bytes whose longest well-formed prefix is `clean`. Not inlined: most text is well formed.
#[cfg(feature = "alloc")]
#[inline(never)]
fn repaired(clean: &str, bytes: &[u8]) -> String {
    let is_short = bytes.len() <= MAX_SHORT;
    if is_short {
        let capacity = "\u{FFFD}".len() * bytes.len();
        // From the start: copying the clean prefix takes longer, by a branch on its length that is hard to predict.
        let mut repaired = Vec::new();
        if append_short(&mut repaired, dispatch::fits_any_buffer(), capacity, |out| {
            dispatch::replace_short(bytes, out)
        }) {
            #[expect(unsafe_code, reason = "what was written was validated, or is U+FFFD")]
            // SAFETY: what the kernel copies it found well formed, and all else it writes is U+FFFD.
            let text = unsafe { into_string(repaired) };
            return text;
        }
    }
    let mut text = String::with_capacity(guess(AnyEncoding::Utf8, AnyEncoding::Utf8, bytes.len()));
    text.push_str(clean);
    let rest = &bytes[clean.len()..];
    if is_short && dispatch::repairs_short_by_std() {
        push_chunks(rest, &mut text);
    } else {
        Engine::lossy(Utf8, Utf8, Policy::REPLACE).run_to_string(rest, 0, true, &mut text);
    }
    text
}

/// Repairs by the chunks of the standard library: for a few bytes on the level SWAR, where the engine takes longer.
#[cfg(feature = "alloc")]
fn push_chunks(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Repairs any encoding by any policy. Borrows if nothing changes.
///
/// ```
/// use utf8kit::{Policy, Utf8, Wtf8, repair_in};
/// assert_eq!(&*repair_in(Utf8, b"a\xE2\x82b", Policy::REPLACE_BYTE), "a\u{FFFD}\u{FFFD}b".as_bytes());
/// assert_eq!(&*repair_in(Utf8, b"a\xC0\xAFb", Policy::Remove), b"ab");
/// assert_eq!(&*repair_in(Utf8, b"a\xFF\\x", Policy::Escape), br"a\xFF\x5Cx");
/// assert_eq!(&*repair_in(Wtf8, b"\xED\xA0\x80", Policy::REPLACE), b"\xED\xA0\x80");
/// ```
#[doc(alias = "decode_without_bom_handling")]
#[cfg(feature = "alloc")]
#[must_use]
pub fn repair_in<'b, E: Encoding>(encoding: E, bytes: &'b [u8], policy: Policy<'_>) -> Cow<'b, [u8]> {
    let clean = match first_error(encoding, bytes) {
        // Backslashes may have to be escaped.
        _ if policy == Policy::Escape => 0,
        None => return Cow::Borrowed(bytes),
        // Removing an error may join two surrogates, of which the first precedes the error.
        Some(_) if encoding.any() == AnyEncoding::Wtf8 => 0,
        Some(error) => error.valid_up_to(),
    };
    let mut out = Vec::with_capacity(guess(encoding.any(), encoding.any(), bytes.len()));
    let mut changed = policy != Policy::Escape;
    let mut note = |_: Change<'_>| changed = true;
    let mut observer: Observer<'_> = if policy == Policy::Escape { Some(&mut note) } else { None };
    append_repaired(encoding, bytes, clean, policy, &mut out, &mut observer);
    if changed { Cow::Owned(out) } else { Cow::Borrowed(bytes) }
}

/// Appends `bytes`, of which the first `clean` need no repair.
#[cfg(feature = "alloc")]
pub(crate) fn append_repaired<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    clean: usize,
    policy: Policy<'_>,
    out: &mut Vec<u8>,
    observer: &mut Observer<'_>,
) {
    let (clean, rest) = bytes.split_at(clean);
    out.extend_from_slice(clean);
    Engine::lossy(encoding, encoding, policy).run_to_vec(rest, clean.len() as u64, true, out, observer);
}

/// Repairs into a caller's buffer, without allocating: [`crate::convert_lossy_into`] to the same encoding.
///
/// ```
/// use utf8kit::{Policy, Status, Utf8, repair_into};
/// let mut out = [0; 8];
/// let progress = repair_into(Utf8, b"a\xFFb", true, Policy::SameLength, &mut out);
/// assert_eq!((&out[..progress.written], progress.status), (&b"a?b"[..], Status::Done));
/// ```
#[must_use = "the repair may have stopped early"]
pub fn repair_into<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    last: bool,
    policy: Policy<'_>,
    out: &mut (impl Buffer<u8> + ?Sized),
) -> Progress {
    crate::convert_lossy_into(encoding, encoding, bytes, last, policy, out)
}

/// Undoes [`Policy::Escape`] exactly. What that policy never writes (`\x` without two hexadecimal digits) is unchanged.
///
/// ```
/// use utf8kit::{Policy, Utf8, repair_in, unescape};
/// let bytes = b"\xFF \\x41 caf\xE9";
/// assert_eq!(unescape(Utf8, &repair_in(Utf8, bytes, Policy::Escape)), bytes);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn unescape<E: Encoding>(encoding: E, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let read = unescape_some(encoding, bytes, true, &mut out);
    debug_assert_eq!(read, bytes.len());
    out
}

/// Undoes escapes in a piece of a stream, as far as further input cannot change the result, and returns how many bytes
/// of it were read. The next piece must begin with the rest, which is shorter than an escape. After the `last` piece,
/// nothing is left.
///
/// ```
/// use utf8kit::{Utf8, unescape_some};
/// let mut out = Vec::new();
/// assert_eq!(unescape_some(Utf8, br"ab\xF", false, &mut out), 2);
/// assert_eq!(unescape_some(Utf8, br"\xFF", true, &mut out), 4);
/// assert_eq!(out, b"ab\xFF");
/// ```
#[cfg(feature = "alloc")]
#[must_use = "the bytes from there on are still to be read"]
pub fn unescape_some<E: Encoding>(encoding: E, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
    unescape_some_observed(encoding, bytes, last, out, |_| {})
}

/// Undoes escapes like [`unescape_some`], and calls `observer` for every escape. Offsets count from the start of the
/// piece.
///
/// ```
/// use utf8kit::{Utf8, unescape_some_observed};
/// let mut undone = Vec::new();
/// unescape_some_observed(Utf8, br"ab\xFF", true, &mut Vec::new(), |change| {
///     undone.push((change.offset, change.before.to_vec(), change.after.to_vec()));
/// });
/// assert_eq!(undone, [(2, br"\xFF".to_vec(), b"\xFF".to_vec())]);
/// ```
#[cfg(feature = "alloc")]
#[must_use = "the bytes from there on are still to be read"]
pub fn unescape_some_observed<E: Encoding>(
    encoding: E,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
    mut observer: impl FnMut(Change<'_>),
) -> usize {
    let unit = encoding.unit();
    let mut backslash = [0; crate::encoding::ENCODE_BUFFER];
    let _ = encoding.encode(u32::from(b'\\'), &mut backslash); // every encoding represents it
    let digit = |index: usize, at: usize| -> Option<char> {
        let start = at + index * unit;
        let step = encoding.decode(bytes.get(start..start + unit)?)?;
        char::from_u32(step.result.ok()?)
    };
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let clean = crate::convert::pair::before_backslash(rest).len() / unit * unit;
        out.extend_from_slice(&rest[..clean]);
        at += clean;
        // Units from here on, up to the first backslash that begins an escape or is incomplete.
        for _ in 0..crate::simd::BLOCK {
            let rest = &bytes[at..];
            if rest.len() < unit {
                if last {
                    out.extend_from_slice(rest);
                    at = bytes.len();
                }
                return at;
            }
            if rest[..unit] != backslash[..unit] {
                out.extend_from_slice(&rest[..unit]);
                at += unit;
                continue;
            }
            if rest.len() < 4 * unit && !last {
                return at;
            }
            let hex = |index| digit(index, at).and_then(|c| c.to_digit(16));
            match (digit(1, at), hex(2), hex(3)) {
                (Some('x'), Some(high), Some(low)) => {
                    let byte = (high * 16 + low) as u8;
                    out.push(byte);
                    let (before, after) = (&rest[..4 * unit], &[byte][..]);
                    let offset = at as u64;
                    observer(Change { offset, kind: None, unrepresentable: false, before, after });
                    at += 4 * unit;
                }
                _ => {
                    out.extend_from_slice(&rest[..unit]);
                    at += unit;
                }
            }
        }
    }
}
