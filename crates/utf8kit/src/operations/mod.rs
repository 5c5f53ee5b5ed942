//! The operations on text in any encoding, as methods of [`Encoding`].
//!
//! The functions at the root of the crate do the same for UTF-8.

mod convert;
mod utf16;

#[cfg(feature = "alloc")]
pub use self::convert::{convert, convert_lossy};
pub use self::convert::{convert_into, convert_lossy_into, converted_len, converted_len_lossy};

use core::cmp::Ordering;
use core::ops::Range;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::boundary::{ceil_in, floor_in, split_in, trim_partial_in};
#[cfg(feature = "alloc")]
use crate::convert::{Change, to_text, to_vec};
use crate::convert::{Piece, Progress, engine::Engine};
use crate::count::{count_in, index_of_in, offset_of_in, utf16_len_in};
use crate::decode::{Items, decode_last_in, items};
use crate::encode::{Encoded, encode_in};
#[cfg(feature = "alloc")]
use crate::encoding::Utf8;
use crate::encoding::{AnyEncoding, CodeUnit, Codec, ENCODE_BUFFER, Step};
use crate::error::{Error, ErrorKind};
use crate::order::{compare_in, sorts_by_bytes};
use crate::out::{Buffer, Out, as_bytes};
use crate::policy::Policy;
use crate::position::{ColumnUnit, LineColumn, line_column, offset_at};
#[cfg(feature = "alloc")]
use crate::repair::{repair_in, unescape_some};
use crate::validate::{Chunks, Errors, errors_in, validate_in};

/// An encoding of code points, with the operations on text in it.
///
/// Text is a slice of the encoding's code units, `Unit`: bytes, except for
/// [`Utf16`](crate::Utf16), [`Wtf16`](crate::Wtf16) and [`Utf32`](crate::Utf32). All offsets and lengths count these
/// units. The text may be invalid, unless a method says otherwise.
///
/// Sealed: only the encodings of this crate implement it. Values are free to copy. All but [`AnyEncoding`] are
/// zero-sized, so a call with one of them is compiled for that encoding.
///
/// ```
/// use utf8kit::{Cesu8, Encoding, Policy, Utf8, Utf16, Utf16Le};
/// assert!(Cesu8.validate("😀".as_bytes()).is_err());
/// assert_eq!(Utf16.count(&[0x61, 0xD83D, 0xDE00]), 2);
/// assert_eq!(Utf16Le.floor_char_boundary(b"a\0b\0", 3), 2);
/// assert_eq!(&*Utf8.repair(b"a\xE2\x82b", Policy::Remove), b"ab");
/// ```
pub trait Encoding: Codec {
    /// Returns the same encoding as a run-time value. Encodings of 16-bit and 32-bit units become their forms of bytes
    /// in this machine's order.
    #[inline]
    fn any(self) -> AnyEncoding {
        self.erase()
    }

    /// Returns the name used on the command line and in the conformance vectors: `utf-8`, `cesu-8`, `utf-16le`, ...
    fn name(self) -> &'static str {
        self.erase().name()
    }

    /// Returns the size of the code unit in bytes: 1, 2 or 4.
    #[inline]
    fn unit(self) -> usize {
        self.erase().unit()
    }

    /// Returns the length of the longest sequence in bytes. A stream holds back at most one byte less.
    #[inline]
    fn longest(self) -> usize {
        self.erase().longest()
    }

    /// Decodes the item (code point or error) at the start of `text`; `None` if it is empty.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding};
    /// let step = Cesu8.decode(b"\xED\xA0\xBD\xED\xB8\x80!").unwrap();
    /// assert_eq!((step.result, step.len), (Ok(0x1F600), 6));
    /// ```
    #[inline(always)]
    fn decode(self, text: &[Self::Unit]) -> Option<Step> {
        self.decode_step(as_bytes(text)).map(in_units::<Self>)
    }

    /// Decodes the item at the end of `text`: the last one that decoding forwards would return.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding};
    /// let step = Cesu8.decode_last(b"a\xED\xA0\xBD\xED\xB8\x80").unwrap();
    /// assert_eq!((step.result, step.len), (Ok(0x1F600), 6));
    /// ```
    fn decode_last(self, text: &[Self::Unit]) -> Option<Step> {
        decode_last_in(self, as_bytes(text)).map(in_units::<Self>)
    }

    /// Writes the bytes of `value` to the start of `out` and returns how many there are (1 to 6). The rest of `out` may
    /// also be overwritten.
    ///
    /// # Errors
    /// [`ErrorKind::Surrogate`] or [`ErrorKind::TooLarge`] for a value that the encoding cannot represent.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding, Utf8};
    /// let mut bytes = [0; utf8kit::ENCODE_BUFFER];
    /// assert_eq!(Utf8.encode(0x1F600, &mut bytes), Ok(4));
    /// assert_eq!(Cesu8.encode(0x1F600, &mut bytes), Ok(6));
    /// assert_eq!(bytes[..6], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]);
    /// ```
    #[inline(always)]
    fn encode(self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
        self.encode_value(value, out)
    }

    /// Returns the bytes of `value`.
    ///
    /// # Errors
    /// As [`Encoding::encode`].
    ///
    /// ```
    /// use utf8kit::{Encoding, ErrorKind, Utf8, Utf8Bits31, Utf8Offset};
    /// assert_eq!(Utf8Offset.encoded(0x20AC).unwrap().as_bytes(), b"\xE1\xA0\xAC");
    /// assert_eq!(Utf8Bits31.encoded(0x7FFF_FFFF).unwrap().len(), 6);
    /// assert_eq!(Utf8.encoded(0xD800), Err(ErrorKind::Surrogate));
    /// ```
    fn encoded(self, value: u32) -> Result<Encoded, ErrorKind> {
        encode_in(self, value)
    }

    /// Validates text.
    ///
    /// # Errors
    /// The first [`Error`].
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding, Utf8Offset, Utf16, Utf16Le};
    /// assert!(Utf8Offset.validate(b"\xE1\xA0\xAC").is_ok()); // the euro sign, with nothing overlong
    /// assert!(Cesu8.validate("😀".as_bytes()).is_err());
    /// assert_eq!(Utf16Le.validate(b"\x3D\xD8").unwrap_err().to_string(), "surrogate at byte 0 (2 bytes)");
    /// assert_eq!(Utf16.validate(&[0x61, 0xDE00]).unwrap_err().offset, 1);
    /// ```
    #[doc(alias = "validate_utf16")]
    #[doc(alias = "validate_utf32")]
    #[inline]
    fn validate(self, text: &[Self::Unit]) -> Result<(), Error> {
        validate_in(self, as_bytes(text)).map_err(|error| error.in_units(Self::Unit::UNIT))
    }

    /// Iterates over all errors, in order. Takes linear time, however many errors there are.
    ///
    /// ```
    /// use utf8kit::{Encoding, Mutf8, Utf16};
    /// assert_eq!(Mutf8.errors(b"a\0b").count(), 1); // Java writes NUL as C0 80
    /// let offsets: Vec<_> = Utf16.errors(&[0x61, 0xD800, 0x62, 0xDC00]).map(|error| error.offset).collect();
    /// assert_eq!(offsets, [1, 3]);
    /// ```
    #[inline]
    fn errors(self, text: &[Self::Unit]) -> Errors<'_, Self> {
        errors_in(self, as_bytes(text)).in_units(Self::Unit::UNIT)
    }

    /// Iterates over valid parts and the errors between them. Concatenated, they are the text.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Be};
    /// let parts: Vec<_> = Utf16Be.chunks(b"\0a\xD8\0\0b").map(|c| (c.valid, c.invalid)).collect();
    /// assert_eq!(parts, [(&b"\0a"[..], &b"\xD8\0"[..]), (b"\0b", b"")]);
    /// ```
    #[inline]
    fn chunks(self, text: &[Self::Unit]) -> Chunks<'_, Self> {
        Chunks::new(self, text)
    }

    /// Iterates over all items, code points and errors, which together span the text exactly.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf8};
    /// let kinds: Vec<_> = Utf8.items(b"a\xE2\x82\xAC\xFF").map(|item| (item.offset, item.result.is_ok())).collect();
    /// assert_eq!(kinds, [(0, true), (1, true), (4, false)]);
    /// let backwards: Vec<_> = Utf8.items("ab".as_bytes()).rev().map(|item| item.offset).collect();
    /// assert_eq!(backwards, [1, 0]);
    /// ```
    #[doc(alias = "char_indices")]
    fn items(self, text: &[Self::Unit]) -> Items<'_, Self> {
        items(self, as_bytes(text)).in_units(size_of::<Self::Unit>())
    }

    /// Returns the number of code points, with each error as one. This is the number of code points of the repaired
    /// text.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding, Utf8};
    /// assert_eq!(Utf8.count(b"a\xE2\x82\xAC\xFF\xE2\x82"), 4);
    /// assert_eq!(Cesu8.count(b"\xED\xA0\xBD\xED\xB8\x80"), 1);
    /// ```
    fn count(self, text: &[Self::Unit]) -> usize {
        count_in(self, as_bytes(text))
    }

    /// Returns the length in UTF-16 code units, with each error as one U+FFFD.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf8};
    /// assert_eq!(Utf8.utf16_len(b"a\xF0\x9F\x98\x80\xFF"), 4);
    /// ```
    fn utf16_len(self, text: &[Self::Unit]) -> usize {
        utf16_len_in(self, as_bytes(text))
    }

    /// Returns the offset of the `n`-th code point (from 0), with each error as one; the length for the one after the
    /// last.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Le};
    /// assert_eq!(Utf16Le.code_point_offset(b"\x3D\xD8\x00\xDEa\0", 1), Some(4));
    /// ```
    fn code_point_offset(self, text: &[Self::Unit], n: usize) -> Option<usize> {
        offset_of_in(self, as_bytes(text), n).map(|offset| offset / size_of::<Self::Unit>())
    }

    /// Returns the index (from 0) of the code point that contains `offset`, with each error as one; the number of code
    /// points if `offset` is at or past the end.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Le};
    /// assert_eq!(Utf16Le.code_point_index(b"\x3D\xD8\x00\xDEa\0", 4), 1);
    /// ```
    fn code_point_index(self, text: &[Self::Unit], offset: usize) -> usize {
        index_of_in(self, as_bytes(text), in_bytes::<Self>(offset))
    }

    /// Reports whether an item begins at `offset`, or the text ends there.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Le};
    /// let bytes = b"\x3D\xD8\x00\xDEa\0"; // a surrogate pair and a letter
    /// assert_eq!((0..7).filter(|&i| Utf16Le.is_char_boundary(bytes, i)).collect::<Vec<_>>(), [0, 4, 6]);
    /// ```
    fn is_char_boundary(self, text: &[Self::Unit], offset: usize) -> bool {
        offset <= text.len() && self.floor_char_boundary(text, offset) == offset
    }

    /// Returns the last boundary at or before `offset`; the end if `offset` is past it.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding, Utf16Le};
    /// assert_eq!(Cesu8.floor_char_boundary(b"\xED\xA0\xBD\xED\xB8\x80", 5), 0);
    /// assert_eq!(Utf16Le.floor_char_boundary(b"a\0b\0", 3), 2);
    /// ```
    fn floor_char_boundary(self, text: &[Self::Unit], offset: usize) -> usize {
        floor_in(self, as_bytes(text), in_bytes::<Self>(offset)) / size_of::<Self::Unit>()
    }

    /// Returns the first boundary at or after `offset`; the end if `offset` is past it.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Le};
    /// assert_eq!(Utf16Le.ceil_char_boundary(b"a\0b\0", 1), 2);
    /// ```
    fn ceil_char_boundary(self, text: &[Self::Unit], offset: usize) -> usize {
        ceil_in(self, as_bytes(text), in_bytes::<Self>(offset)) / size_of::<Self::Unit>()
    }

    /// Returns the longest prefix of at most `max_len` units that splits no item.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16Le};
    /// assert_eq!(Utf16Le.truncate(b"a\0\x3D\xD8\x00\xDE", 4), b"a\0");
    /// ```
    fn truncate(self, text: &[Self::Unit], max_len: usize) -> &[Self::Unit] {
        &text[..self.floor_char_boundary(text, max_len)]
    }

    /// Returns the text without an incomplete item at its end. No further input can change it.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16, Utf16Be};
    /// assert_eq!(Utf16Be.trim_partial(b"\0a\xD8\x3D"), b"\0a");
    /// assert_eq!(Utf16.trim_partial(&[0x61, 0xD83D]), [0x61]);
    /// ```
    #[doc(alias = "trim_partial_utf16")]
    fn trim_partial(self, text: &[Self::Unit]) -> &[Self::Unit] {
        &text[..trim_partial_in(self, as_bytes(text)).len() / size_of::<Self::Unit>()]
    }

    /// Splits the text into `n` ranges of nearly equal length that split no item; some may be empty. Converting or
    /// repairing each part separately, and joining the results, gives the result for the whole. No ranges if `n` is
    /// zero.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf8};
    /// assert_eq!(Utf8.split("€€€".as_bytes(), 2).collect::<Vec<_>>(), [0..3, 3..9]);
    /// ```
    fn split(self, text: &[Self::Unit], n: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
        let unit = size_of::<Self::Unit>();
        split_in(self, as_bytes(text), n).map(move |part| part.start / unit..part.end / unit)
    }

    /// Returns the line and column of the item that contains `offset`; of the end, if `offset` is past it. With
    /// [`ColumnUnit::Bytes`], the column is the column of the byte itself.
    ///
    /// Lines end with U+000A. Reads the text up to `offset`: for many positions in one text, build an index (feature
    /// `index`) with [`crate::LineEnds::LineFeed`].
    ///
    /// ```
    /// use utf8kit::{ColumnUnit, Encoding, LineColumn, Utf8};
    /// let text = "one\nzwei €5".as_bytes();
    /// assert_eq!(Utf8.line_column(text, 12, ColumnUnit::CodePoints), LineColumn::new(2, 7));
    /// assert_eq!(Utf8.line_column(text, 12, ColumnUnit::Bytes), LineColumn::new(2, 9));
    /// ```
    fn line_column(self, text: &[Self::Unit], offset: usize, unit: ColumnUnit) -> LineColumn {
        line_column(self, as_bytes(text), in_bytes::<Self>(offset), unit)
    }

    /// Returns the offset of a line and column. `None` if there is no such line, or the line has no such column; the
    /// position right after its last item is valid. A column inside an item gives the item's start.
    ///
    /// ```
    /// use utf8kit::{ColumnUnit, Encoding, LineColumn, Utf8};
    /// let text = "one\nzwei €5".as_bytes();
    /// let place = |line, column| Utf8.offset_at(text, LineColumn::new(line, column), ColumnUnit::CodePoints);
    /// assert_eq!(place(2, 7), Some(12));
    /// assert_eq!(place(1, 9), None);
    /// ```
    fn offset_at(self, text: &[Self::Unit], place: LineColumn, unit: ColumnUnit) -> Option<usize> {
        offset_at(self, as_bytes(text), place, unit).map(|offset| offset / size_of::<Self::Unit>())
    }

    /// Compares with a text of another encoding by code points. An error counts as U+FFFD.
    ///
    /// ```
    /// use core::cmp::Ordering;
    /// use utf8kit::{Cesu8, Encoding, Utf8, Wtf16};
    /// let cesu = b"\xED\xA0\xBD\xED\xB8\x80";
    /// assert_eq!(Utf8.compare("😀".as_bytes(), Cesu8, cesu), Ordering::Equal);
    /// let (a, b) = (&[0xFF5A][..], &[0xD835, 0xDC1A][..]); // ｚ, 𝐚
    /// assert_eq!((a.cmp(b), Wtf16.compare(a, Wtf16, b)), (Ordering::Greater, Ordering::Less));
    /// ```
    fn compare<B: Encoding>(self, text: &[Self::Unit], other: B, other_text: &[B::Unit]) -> Ordering {
        compare_in(self, as_bytes(text), other, as_bytes(other_text))
    }

    /// Reports whether comparing bytes compares code points.
    ///
    /// ```
    /// use utf8kit::{Cesu8, Encoding, Utf8Offset};
    /// assert!(Utf8Offset.byte_order_is_code_point_order());
    /// assert!(!Cesu8.byte_order_is_code_point_order());
    /// ```
    fn byte_order_is_code_point_order(self) -> bool {
        sorts_by_bytes(self.erase())
    }

    /// Repairs text by a policy. Borrows if nothing changes.
    ///
    /// ```
    /// use utf8kit::{Encoding, Policy, Utf8, Utf16, Wtf8};
    /// assert_eq!(&*Utf8.repair(b"a\xE2\x82b", Policy::REPLACE_BYTE), "a\u{FFFD}\u{FFFD}b".as_bytes());
    /// assert_eq!(&*Utf8.repair(b"a\xC0\xAFb", Policy::Remove), b"ab");
    /// assert_eq!(&*Utf8.repair(b"a\xFF\\x", Policy::Escape), br"a\xFF\x5Cx");
    /// assert_eq!(&*Wtf8.repair(b"\xED\xA0\x80", Policy::REPLACE), b"\xED\xA0\x80");
    /// assert_eq!(&*Utf16.repair(&[0x61, 0xD800], Policy::REPLACE), [0x61, 0xFFFD]);
    /// ```
    #[doc(alias = "decode_without_bom_handling")]
    #[cfg(feature = "alloc")]
    fn repair<'t>(self, text: &'t [Self::Unit], policy: Policy<'_>) -> Cow<'t, [Self::Unit]> {
        repair_in(self, text, policy)
    }

    /// Repairs into a caller's buffer, without allocating: [`convert_lossy_into`] to the same encoding.
    ///
    /// ```
    /// use utf8kit::{Encoding, Piece, Policy, Status, Utf8};
    /// let mut out = [0; 8];
    /// let progress = Utf8.repair_into(b"a\xFFb", Piece::Last, Policy::SameLength, &mut out);
    /// assert_eq!((&out[..progress.written], progress.status), (&b"a?b"[..], Status::Done));
    /// ```
    #[must_use = "the repair may have stopped early"]
    fn repair_into(
        self,
        text: &[Self::Unit],
        piece: Piece,
        policy: Policy<'_>,
        out: &mut (impl Buffer<Self::Unit> + ?Sized),
    ) -> Progress {
        let mut out = Out::in_buffer(out);
        let progress = Engine::lossy(self, self, policy).run(as_bytes(text), 0, piece.is_last(), &mut out, &mut None);
        progress.in_units(Self::Unit::UNIT, Self::Unit::UNIT)
    }

    /// Undoes [`Policy::Escape`] exactly. Text that the policy never writes (`\x` without two hexadecimal digits) is
    /// unchanged.
    ///
    /// ```
    /// use utf8kit::{Encoding, Policy, Utf8};
    /// let bytes = b"\xFF \\x41 caf\xE9";
    /// assert_eq!(Utf8.unescape(&Utf8.repair(bytes, Policy::Escape)), bytes);
    /// ```
    #[cfg(feature = "alloc")]
    fn unescape(self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        let read = unescape_some(self, bytes, true, &mut out, |_| {});
        debug_assert_eq!(read, bytes.len());
        out
    }

    /// Undoes escapes in a piece of a stream, as far as further input cannot change the result, and returns how many
    /// bytes of it were read. The next piece must begin with the rest, which is shorter than an escape. After the
    /// last piece, nothing is left. Calls `observer` for every escape; offsets count from the start of the piece.
    ///
    /// ```
    /// use utf8kit::{Encoding, Piece, Utf8};
    /// let (mut out, mut undone) = (Vec::new(), Vec::new());
    /// assert_eq!(Utf8.unescape_piece(br"ab\xF", Piece::Partial, &mut out, |_| {}), 2);
    /// assert_eq!(Utf8.unescape_piece(br"\xFF", Piece::Last, &mut out, |change| undone.push(change.offset)), 4);
    /// assert_eq!((&out[..], &undone[..]), (&b"ab\xFF"[..], &[0][..]));
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use = "the bytes after them are still to be read"]
    fn unescape_piece(self, bytes: &[u8], piece: Piece, out: &mut Vec<u8>, observer: impl FnMut(Change<'_>)) -> usize {
        unescape_some(self, bytes, piece.is_last(), out, observer)
    }

    /// Converts text to a string.
    ///
    /// # Errors
    /// The first [`Error`], or the first value that a string cannot contain.
    ///
    /// ```
    /// use utf8kit::{Encoding, Latin1, Utf16};
    /// assert_eq!(Utf16.decode_string(&[0x20AC]), Ok("€".into()));
    /// assert_eq!(Latin1.decode_string(b"na\xEFve").unwrap(), "naïve");
    /// ```
    #[doc(alias = "from_utf16")]
    #[cfg(feature = "alloc")]
    #[inline]
    fn decode_string(self, text: &[Self::Unit]) -> Result<String, Error> {
        to_text(self, as_bytes(text), None).map_err(|error| error.in_units(Self::Unit::UNIT))
    }

    /// Converts text to a string, with U+FFFD in place of each error.
    ///
    /// ```
    /// use utf8kit::{Encoding, Utf16};
    /// assert_eq!(Utf16.decode_string_lossy(&[0x61, 0xD800]), "a\u{FFFD}");
    /// ```
    #[doc(alias = "from_utf16_lossy")]
    #[cfg(feature = "alloc")]
    #[inline]
    fn decode_string_lossy(self, text: &[Self::Unit]) -> String {
        // A policy handles all errors.
        to_text(self, as_bytes(text), Some(Policy::REPLACE)).unwrap_or_default()
    }

    /// Converts a string to the encoding.
    ///
    /// # Errors
    /// The first code point that the encoding cannot represent; `offset` and `len` count bytes of the string. UTF-16
    /// and UTF-32 represent every string.
    ///
    /// ```
    /// use utf8kit::{Encoding, Latin1, Utf16};
    /// assert_eq!(Utf16.encode_string("€😀").unwrap(), [0x20AC, 0xD83D, 0xDE00]);
    /// assert_eq!(Latin1.encode_string("€").unwrap_err().kind.name(), "too_large");
    /// ```
    #[doc(alias = "encode_utf16")]
    #[cfg(feature = "alloc")]
    #[inline]
    fn encode_string(self, text: &str) -> Result<Vec<Self::Unit>, Error> {
        to_vec(Utf8, self, text.as_bytes())
    }
}

impl<E: Codec> Encoding for E {}

/// Returns the step with its length in units instead of bytes.
#[inline(always)]
fn in_units<E: Codec>(step: Step) -> Step {
    Step { len: step.len / size_of::<E::Unit>() as u8, ..step }
}

/// Converts an offset in units to one in bytes; too large for any text if it overflows.
#[inline(always)]
fn in_bytes<E: Codec>(offset: usize) -> usize {
    offset.saturating_mul(size_of::<E::Unit>())
}
