//! Conversion from one encoding to another: the engine behind `convert`, `repair` and the streams.
//!
//! ```text
//! loop: clean run at kernel speed (pair.rs)  ->  suspect spot: items by the definition (engine.rs)  ->  back
//!       where errors are replaced, and a kernel does it, clean and broken runs alike (repair.rs)
//! ```

pub(crate) mod engine;
mod limits;
mod measure;
pub(crate) mod pair;
mod progress;
mod repair;
mod replacement;
mod route;
mod units;

use crate::encoding::Encoding;
use crate::error::Error;
use crate::out::{Buffer, Out};
use crate::policy::Policy;
use engine::{Engine, strict};

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

#[cfg(feature = "alloc")]
use self::engine::append_rest;
#[cfg(feature = "alloc")]
use self::pair::Pair;
#[cfg(feature = "alloc")]
use crate::dispatch::{self, MAX_SHORT_UNITS};
#[cfg(feature = "alloc")]
use crate::encoding::{CodeUnit, Utf8};
#[cfg(feature = "alloc")]
use crate::out::{append_short, guess, into_string};

#[cfg(feature = "alloc")]
pub(crate) use progress::Observer;
pub use progress::{Change, Progress, Status};

#[cfg(feature = "alloc")]
pub use units::{
    convert_units, convert_units_lossy, from_latin1, from_utf16, from_utf16_lossy, from_utf32,
    from_utf32_lossy, repair_units, to_latin1, to_utf16, to_utf32,
};
pub use units::{
    convert_units_into, convert_units_lossy_into, converted_len_units, converted_len_units_lossy,
    latin1_to_utf8_len, repair_utf16, utf8_to_latin1_len, validate_utf16, validate_utf32,
};

/// Converts strictly.
///
/// # Errors
/// The first [`Error`]: ill-formed input, or a value that the target cannot represent ([`Error::unrepresentable`]).
///
/// ```
/// use utf8kit::{Latin1, Utf8, Utf16Be, convert};
/// assert_eq!(convert(Utf8, Utf16Be, "€".as_bytes()).unwrap(), [0x20, 0xAC]);
/// let error = convert(Utf8, Latin1, "a€".as_bytes()).unwrap_err();
/// assert_eq!((error.offset, error.unrepresentable), (1, true));
/// ```
#[doc(alias = "convert_utf8_to_utf16")]
#[doc(alias = "decode_without_bom_handling_and_without_replacement")]
#[cfg(feature = "alloc")]
pub fn convert<S: Encoding, T: Encoding>(from: S, to: T, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    to_vec(from, to, bytes)
}

/// Converts strictly into a new `Vec` of the target's code units.
#[cfg(feature = "alloc")]
#[inline(always)]
fn to_vec<S: Encoding, T: Encoding, U: CodeUnit>(from: S, to: T, input: &[u8]) -> Result<Vec<U>, Error> {
    if input.len() > MAX_SHORT_UNITS {
        return append_rest(from, to, input, 0, Vec::new());
    }
    let mut units = Vec::new();
    let capacity = guess(from.any(), to.any(), input.len());
    let fits = dispatch::fits_any_buffer();
    let read = append_short(&mut units, fits, capacity, |out| Pair::convert_clean(from, to, input, out));
    if read == input.len() { Ok(units) } else { append_rest(from, to, input, read, units) }
}

/// Converts into a new `String`, strictly or by a policy.
#[cfg(feature = "alloc")]
fn to_text<S: Encoding>(from: S, input: &[u8], policy: Option<Policy<'_>>) -> Result<String, Error> {
    let bytes = match policy {
        Some(policy) => convert_lossy(from, Utf8, input, policy),
        None => to_vec(from, Utf8, input)?,
    };
    #[expect(
        unsafe_code,
        reason = "what was written was validated, or encoded by a kernel or the definition"
    )]
    // SAFETY: to UTF-8, kernels and the engine write nothing but whole sequences of scalar values.
    let text = unsafe { into_string(bytes) };
    Ok(text)
}

/// Converts the whole input. `policy` handles each error, and each value that the target cannot represent.
///
/// ```
/// use utf8kit::{Latin1, Policy, Utf8, Utf16Le, convert_lossy};
/// assert_eq!(convert_lossy(Utf8, Latin1, "naïve €".as_bytes(), Policy::REPLACE), b"na\xEFve ?");
/// assert_eq!(convert_lossy(Utf8, Utf16Le, b"\xFF", Policy::REPLACE), [0xFD, 0xFF]);
/// ```
#[doc(alias = "encode")]
#[doc(alias = "decode_without_bom_handling")]
#[cfg(feature = "alloc")]
#[must_use]
pub fn convert_lossy<S: Encoding, T: Encoding>(from: S, to: T, bytes: &[u8], policy: Policy<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    Engine::lossy(from, to, policy).run_to_vec(bytes, 0, true, &mut out, &mut None);
    out
}

/// Converts strictly into a buffer, without allocating.
///
/// `last` means that the input ends with `bytes`: an incomplete sequence there is then an error. Otherwise it is left
/// unread, with [`Status::InputIncomplete`]. Call again with the rest of the input, with or without more after it. The
/// buffer after [`Progress::written`] may have been overwritten.
///
/// ```
/// use utf8kit::{Status, Utf8, Utf16Le, convert_into};
/// let mut out = [0; 4];
/// let progress = convert_into(Utf8, Utf16Le, b"abc", true, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (2, 4, Status::OutputFull));
/// let progress = convert_into(Utf8, Utf16Le, b"c\xE2\x82", false, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (1, 2, Status::InputIncomplete));
/// let progress = convert_into(Utf8, Utf16Le, b"\xE2\x82", true, &mut out);
/// assert!(matches!(progress.status, Status::Error(error) if error.incomplete));
/// ```
#[must_use = "the conversion may have stopped early"]
pub fn convert_into<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    bytes: &[u8],
    last: bool,
    out: &mut (impl Buffer<u8> + ?Sized),
) -> Progress {
    strict(from, to, bytes, last, &mut Out::in_buffer(out))
}

/// Converts into a buffer, without allocating. `policy` handles each error, and each value that the target cannot
/// represent.
///
/// `last` has the meaning of [`convert_into`]'s. The status is never [`Status::Error`]. A buffer with room for one item
/// and one replacement (for [`Policy::REPLACE`] 6 bytes) always makes progress. Nothing is remembered from call to
/// call: errors before and after the end of `bytes` are not one run ([`crate::Each::Run`]), as they are for
/// [`crate::Converter`].
///
/// ```
/// use utf8kit::{Policy, Status, Utf8, convert_lossy_into};
/// let mut out = [0; 8];
/// let progress = convert_lossy_into(Utf8, Utf8, b"a\xFFb", true, Policy::REPLACE, &mut out);
/// assert_eq!((progress.written, progress.status), (5, Status::Done));
/// assert_eq!(&out[..5], "a\u{FFFD}b".as_bytes());
/// let progress = convert_lossy_into(Utf8, Utf8, b"\xFF\xE2\x82", false, Policy::REPLACE, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (1, 3, Status::InputIncomplete));
/// ```
#[must_use = "the conversion may have stopped early"]
pub fn convert_lossy_into<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    bytes: &[u8],
    last: bool,
    policy: Policy<'_>,
    out: &mut (impl Buffer<u8> + ?Sized),
) -> Progress {
    Engine::lossy(from, to, policy).run(bytes, 0, last, &mut Out::in_buffer(out), &mut None)
}

/// Returns the exact length in bytes of the result of [`convert`]. It has 64 bits, as 1 GiB of text as UTF-32 is too
/// long for a 32-bit `usize`.
///
/// # Errors
/// The [`Error`] that [`convert`] would return.
///
/// ```
/// use utf8kit::{Utf8, Utf16Le, converted_len};
/// assert_eq!(converted_len(Utf8, Utf16Le, "a😀".as_bytes()), Ok(6));
/// ```
#[doc(alias = "utf16_length_from_utf8")]
#[doc(alias = "utf8_length_from_utf16")]
#[doc(alias = "utf8_length_from_utf32")]
pub fn converted_len<S: Encoding, T: Encoding>(from: S, to: T, bytes: &[u8]) -> Result<u64, Error> {
    let (written, status) = Engine::strict(from, to).measure(bytes);
    match status {
        Status::Error(error) => Err(error),
        _ => Ok(written),
    }
}

/// Returns the exact length in bytes of the result of [`convert_lossy`].
///
/// ```
/// use utf8kit::{Policy, Utf8, Utf16Le, converted_len_lossy};
/// assert_eq!(converted_len_lossy(Utf8, Utf16Le, b"a\xFF", Policy::REPLACE), 4);
/// ```
#[must_use]
pub fn converted_len_lossy<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    bytes: &[u8],
    policy: Policy<'_>,
) -> u64 {
    Engine::lossy(from, to, policy).measure(bytes).0
}
