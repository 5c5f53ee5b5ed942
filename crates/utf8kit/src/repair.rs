//! Repairs text: the output has the encoding of the input, and a policy handles every error.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::convert::Change;
use crate::convert::Observer;
use crate::convert::engine::Engine;
use crate::dispatch;
use crate::encoding::Codec;
use crate::encoding::{AnyEncoding, Utf8};
use crate::out::{append_short, as_bytes, guess, into_string};
use crate::policy::Policy;
use crate::simd::MAX_SHORT_BYTES;
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
#[must_use]
#[inline]
pub fn repair(bytes: &[u8]) -> Cow<'_, str> {
    let clean = text_before_error(bytes);
    if clean.len() == bytes.len() { Cow::Borrowed(clean) } else { Cow::Owned(repaired(clean, bytes)) }
}

/// Repairs bytes whose longest well-formed prefix is `clean`. With the feature `any`, it is compiled in this
/// library.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn repaired(clean: &str, bytes: &[u8]) -> String {
    let is_short = bytes.len() <= MAX_SHORT_BYTES;
    if is_short {
        let capacity = "\u{FFFD}".len() * bytes.len();
        // From the start, because copying the clean prefix takes longer: the branch on its length is hard to predict.
        let mut repaired = Vec::new();
        if append_short(&mut repaired, dispatch::fits_any_buffer(), capacity, |out| dispatch::replace_short(bytes, out))
        {
            #[expect(unsafe_code, reason = "all output was validated, or is U+FFFD")]
            // SAFETY: the kernel copies only bytes that it found well formed, and otherwise writes only U+FFFD.
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

/// Repairs by the chunks of the standard library, for a few bytes on the level SWAR, where the engine takes longer.
fn push_chunks(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// Repairs any encoding by any policy. Borrows if nothing changes.
pub(crate) fn repair_in<'t, E: Codec>(encoding: E, text: &'t [E::Unit], policy: Policy<'_>) -> Cow<'t, [E::Unit]> {
    let bytes = as_bytes(text);
    let clean = match first_error(encoding, bytes) {
        // Backslashes may have to be escaped.
        _ if policy == Policy::Escape => 0,
        None => return Cow::Borrowed(text),
        // Removing an error may join two surrogates, of which the first precedes the error.
        Some(_) if encoding.erase() == AnyEncoding::Wtf8 => 0,
        Some(error) => error.valid_up_to() / size_of::<E::Unit>(),
    };
    let capacity = guess(encoding.erase(), encoding.erase(), bytes.len()) / size_of::<E::Unit>();
    let mut out = Vec::with_capacity(capacity);
    let mut changed = policy != Policy::Escape;
    let mut note = |_: Change<'_>| changed = true;
    let mut observer: Observer<'_> = if policy == Policy::Escape { Some(&mut note) } else { None };
    append_repaired(encoding, text, clean, policy, &mut out, &mut observer);
    if changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// Appends the repaired `text`. Its first `clean` units need no repair.
pub(crate) fn append_repaired<E: Codec>(
    encoding: E,
    text: &[E::Unit],
    clean: usize,
    policy: Policy<'_>,
    out: &mut Vec<E::Unit>,
    observer: &mut Observer<'_>,
) {
    let (clean, rest) = text.split_at(clean);
    out.extend_from_slice(clean);
    let base = size_of_val(clean) as u64;
    Engine::lossy(encoding, encoding, policy).run_to_units(as_bytes(rest), base, true, out, observer);
}

/// Undoes escapes in a piece of a stream: see [`crate::Encoding::unescape_piece`].
pub(crate) fn unescape_some<E: Codec>(
    encoding: E,
    bytes: &[u8],
    last: bool,
    out: &mut Vec<u8>,
    mut observer: impl FnMut(Change<'_>),
) -> usize {
    let unit = encoding.erase().unit();
    let mut backslash = [0; crate::encoding::ENCODE_BUFFER];
    let _ = encoding.encode_value(u32::from(b'\\'), &mut backslash); // every encoding represents it
    let digit = |index: usize, at: usize| -> Option<char> {
        let start = at + index * unit;
        let step = encoding.decode_step(bytes.get(start..start + unit)?)?;
        char::from_u32(step.result.ok()?)
    };
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        let clean = crate::convert::pair::before_backslash(rest).len() / unit * unit;
        out.extend_from_slice(&rest[..clean]);
        at += clean;
        // Count the units up to the first backslash that begins an escape or is incomplete.
        for _ in 0..crate::simd::BLOCK_BYTES {
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
