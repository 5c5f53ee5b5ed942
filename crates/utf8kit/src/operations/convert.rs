//! Conversion between any two encodings. Numbers of what is read count code units of the source, and numbers of what is
//! written, code units of the target.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::Encoding;
use crate::convert::engine::{Engine, strict};
#[cfg(feature = "alloc")]
use crate::convert::to_vec;
use crate::convert::{Piece, Progress, Status};
use crate::encoding::CodeUnit;
use crate::error::Error;
use crate::out::{Buffer, Out, as_bytes};
use crate::policy::Policy;

/// Converts strictly.
///
/// # Errors
/// The first [`Error`]: invalid input, or a value that the target cannot represent ([`Error::unrepresentable`]).
///
/// ```
/// use utf8kit::{Latin1, Utf8, Utf16, Utf16Be, convert};
/// assert_eq!(convert(Utf8, Utf16Be, "€".as_bytes()).unwrap(), [0x20, 0xAC]);
/// assert_eq!(convert(Utf8, Utf16, "€😀".as_bytes()).unwrap(), [0x20AC, 0xD83D, 0xDE00]);
/// let error = convert(Utf8, Latin1, "a€".as_bytes()).unwrap_err();
/// assert_eq!((error.offset, error.unrepresentable), (1, true));
/// ```
#[doc(alias = "convert_utf8_to_utf16")]
#[doc(alias = "convert_utf8_to_utf16le")]
#[doc(alias = "convert_utf16le_to_utf8")]
#[doc(alias = "convert_utf8_to_utf32")]
#[doc(alias = "convert_utf32_to_utf8")]
#[doc(alias = "decode_without_bom_handling_and_without_replacement")]
#[cfg(feature = "alloc")]
#[inline]
pub fn convert<S: Encoding, T: Encoding>(from: S, to: T, text: &[S::Unit]) -> Result<Vec<T::Unit>, Error> {
    to_vec(from, to, as_bytes(text)).map_err(|error| error.in_units(S::Unit::UNIT))
}

/// Converts the whole text. `policy` handles each error, and each value that the target cannot represent.
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
#[inline]
pub fn convert_lossy<S: Encoding, T: Encoding>(from: S, to: T, text: &[S::Unit], policy: Policy<'_>) -> Vec<T::Unit> {
    let mut out = Vec::new();
    Engine::lossy(from, to, policy).run_to_units(as_bytes(text), 0, true, &mut out, &mut None);
    out
}

/// Converts strictly into a buffer, without allocating.
///
/// If `piece` is the last one, an incomplete sequence at its end is an error. Otherwise it is left unread, with
/// [`Status::InputIncomplete`]. Call again with the rest of the input, with or without more after it. The buffer after
/// [`Progress::written`] may have been overwritten.
///
/// ```
/// use core::mem::MaybeUninit;
/// use utf8kit::{Piece, Status, Utf16, Utf16Le, Utf8, convert_into};
/// let mut out = [0; 4];
/// let progress = convert_into(Utf8, Utf16Le, b"abc", Piece::Last, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (2, 4, Status::OutputFull));
/// let progress = convert_into(Utf8, Utf16Le, b"c\xE2\x82", Piece::Partial, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (1, 2, Status::InputIncomplete));
/// let progress = convert_into(Utf8, Utf16Le, b"\xE2\x82", Piece::Last, &mut out);
/// assert!(matches!(progress.status, Status::Error(error) if error.incomplete));
///
/// // Memory that is not initialised yet.
/// let mut spare = [MaybeUninit::<u16>::uninit(); 8];
/// assert_eq!(convert_into(Utf8, Utf16, "né!".as_bytes(), Piece::Last, &mut spare).written, 3);
/// ```
#[inline]
#[must_use = "the conversion may have stopped early"]
pub fn convert_into<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    text: &[S::Unit],
    piece: Piece,
    out: &mut (impl Buffer<T::Unit> + ?Sized),
) -> Progress {
    let progress = strict(from, to, as_bytes(text), piece.is_last(), &mut Out::in_buffer(out));
    progress.in_units(S::Unit::UNIT, T::Unit::UNIT)
}

/// Converts into a buffer, without allocating. `policy` handles each error, and each value that the target cannot
/// represent.
///
/// `piece` is as in [`convert_into`]. The status is never [`Status::Error`]. A buffer with capacity for one item and
/// one replacement (for [`Policy::REPLACE`] 6 bytes) always makes progress. Calls share no state: errors before and
/// after the end of `text` are not one run ([`crate::Each::Run`]), as they are for [`crate::Converter`].
///
/// ```
/// use utf8kit::{Piece, Policy, Status, Utf8, convert_lossy_into};
/// let mut out = [0; 8];
/// let progress = convert_lossy_into(Utf8, Utf8, b"a\xFFb", Piece::Last, Policy::REPLACE, &mut out);
/// assert_eq!((progress.written, progress.status), (5, Status::Done));
/// assert_eq!(&out[..5], "a\u{FFFD}b".as_bytes());
/// let progress = convert_lossy_into(Utf8, Utf8, b"\xFF\xE2\x82", Piece::Partial, Policy::REPLACE, &mut out);
/// assert_eq!((progress.read, progress.written, progress.status), (1, 3, Status::InputIncomplete));
/// ```
#[inline]
#[must_use = "the conversion may have stopped early"]
pub fn convert_lossy_into<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    text: &[S::Unit],
    piece: Piece,
    policy: Policy<'_>,
    out: &mut (impl Buffer<T::Unit> + ?Sized),
) -> Progress {
    let mut out = Out::in_buffer(out);
    let progress = Engine::lossy(from, to, policy).run(as_bytes(text), 0, piece.is_last(), &mut out, &mut None);
    progress.in_units(S::Unit::UNIT, T::Unit::UNIT)
}

/// Returns the exact length of the result of [`convert`], in 64 bits because 1 GiB of text as UTF-32 is too long for a
/// 32-bit `usize`.
///
/// # Errors
/// The [`Error`] that [`convert`] would return.
///
/// ```
/// use utf8kit::{Utf8, Utf16, Utf16Le, converted_len};
/// assert_eq!(converted_len(Utf8, Utf16Le, "a😀".as_bytes()), Ok(6));
/// assert_eq!(converted_len(Utf8, Utf16, "a😀".as_bytes()), Ok(3));
/// ```
#[doc(alias = "utf16_length_from_utf8")]
#[doc(alias = "utf8_length_from_utf16")]
#[doc(alias = "utf8_length_from_utf32")]
#[doc(alias = "utf8_length_from_latin1")]
#[doc(alias = "latin1_length_from_utf8")]
#[inline]
pub fn converted_len<S: Encoding, T: Encoding>(from: S, to: T, text: &[S::Unit]) -> Result<u64, Error> {
    let (written, status) = Engine::strict(from, to).measure(as_bytes(text));
    match status {
        Status::Error(error) => Err(error.in_units(S::Unit::UNIT)),
        _ => Ok(written / size_of::<T::Unit>() as u64),
    }
}

/// Returns the exact length of the result of [`convert_lossy`].
///
/// ```
/// use utf8kit::{Policy, Utf8, Utf16Le, converted_len_lossy};
/// assert_eq!(converted_len_lossy(Utf8, Utf16Le, b"a\xFF", Policy::REPLACE), 4);
/// ```
#[must_use]
#[inline]
pub fn converted_len_lossy<S: Encoding, T: Encoding>(from: S, to: T, text: &[S::Unit], policy: Policy<'_>) -> u64 {
    Engine::lossy(from, to, policy).measure(as_bytes(text)).0 / size_of::<T::Unit>() as u64
}
