//! Validation: whether text is well formed, and if not, the position, length and kind of its errors.

use core::iter::FusedIterator;

use crate::dispatch;
use crate::encoding::{CodeUnit, Encoding, UnitEncoding, Utf8};
use crate::error::{Error, Unit};
use crate::grammar::Grammar;
use crate::kernels::rest_from;
use crate::out::as_bytes;
use crate::reference;
use crate::simd::BLOCK;

/// Validates UTF-8 (RFC 3629).
///
/// # Errors
/// The first [`Error`]: its `offset` is the length of the longest well-formed prefix, and `offset`, `len` agree
/// with [`core::str::Utf8Error`] in every case.
///
/// ```
/// use utf8kit::{ErrorKind, validate};
/// assert_eq!(validate("Grüße".as_bytes()), Ok("Grüße"));
/// let error = validate(b"/\xC0\xAF").unwrap_err();
/// assert_eq!((error.offset, error.len, error.kind), (1, 1, ErrorKind::Overlong));
/// ```
#[doc(alias = "from_utf8")]
#[doc(alias = "validate_utf8")]
#[doc(alias = "validate_utf8_with_errors")]
#[inline]
pub fn validate(bytes: &[u8]) -> Result<&str, Error> {
    match first_error(Utf8, bytes) {
        Some(error) => Err(error),
        None => {
            #[allow(unsafe_code, reason = "the bytes were validated")]
            // SAFETY: no error was found in them, so they are well-formed UTF-8.
            let text = unsafe { as_text(bytes) };
            Ok(text)
        }
    }
}

/// The only conversion of bytes to `str`.
///
/// # Safety
/// The bytes must be well-formed UTF-8.
#[inline(always)]
#[allow(unsafe_code, reason = "the callers have validated the bytes")]
unsafe fn as_text(bytes: &[u8]) -> &str {
    // SAFETY: the caller's.
    unsafe { core::str::from_utf8_unchecked(bytes) }
}

/// Returns the longest prefix that is well-formed UTF-8: everything before the first error.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn text_before_error(bytes: &[u8]) -> &str {
    // Exactly that prefix, as the grammar of UTF-8 judges each item by itself.
    let clean = bytes.get(..dispatch::clean_prefix_in(Utf8, bytes)).unwrap_or_default();
    #[expect(unsafe_code, reason = "the bytes were validated")]
    // SAFETY: they were found clean, so they are well-formed UTF-8.
    let text = unsafe { as_text(clean) };
    text
}

/// Validates text in any encoding.
///
/// # Errors
/// The first [`Error`].
///
/// ```
/// use utf8kit::{Cesu8, Utf8Offset, Utf16Le, validate_in};
/// assert!(validate_in(Utf8Offset, b"\xE1\xA0\xAC").is_ok()); // the euro sign, with nothing overlong
/// assert!(validate_in(Cesu8, "😀".as_bytes()).is_err());
/// assert_eq!(validate_in(Utf16Le, b"\x3D\xD8").unwrap_err().to_string(), "surrogate at byte 0 (2 bytes)");
/// ```
#[doc(alias = "validate_utf16le_with_errors")]
#[doc(alias = "validate_utf16be_with_errors")]
#[inline]
pub fn validate_in<E: Encoding>(encoding: E, bytes: &[u8]) -> Result<(), Error> {
    first_error(encoding, bytes).map_or(Ok(()), Err)
}

/// Validates a slice of code units: [`validate_in`] for `&[u16]` and `&[u32]`.
///
/// # Errors
/// The first [`Error`], in units of the slice.
///
/// ```
/// use utf8kit::{Utf16Native, validate_units};
/// assert!(validate_units(Utf16Native, &[0xD83D, 0xDE00]).is_ok());
/// assert_eq!(validate_units(Utf16Native, &[0x61, 0xDE00]).unwrap_err().offset, 1);
/// ```
#[inline]
pub fn validate_units<E: UnitEncoding>(encoding: E, units: &[E::Unit]) -> Result<(), Error> {
    validate_in(encoding, as_bytes(units)).map_err(|error| error.in_units(E::Unit::UNIT))
}

/// Reports whether all bytes are below 80.
///
/// ```
/// assert!(utf8kit::is_ascii(b"plain"));
/// assert!(!utf8kit::is_ascii("naïve".as_bytes()));
/// ```
#[doc(alias = "validate_ascii")]
#[must_use]
#[inline]
pub fn is_ascii(bytes: &[u8]) -> bool {
    dispatch::is_ascii(bytes)
}

/// Iterates over all errors of UTF-8, in order.
///
/// ```
/// let kinds: Vec<_> = utf8kit::errors(b"a\xE0\x80b\xFF").map(|e| (e.offset, e.kind.name())).collect();
/// assert_eq!(kinds, [(1, "overlong"), (2, "unexpected_continuation"), (4, "invalid_byte")]);
/// ```
#[inline]
pub fn errors(bytes: &[u8]) -> Errors<'_, Utf8> {
    errors_in(Utf8, bytes)
}

/// Iterates over all errors in any encoding, in order. Takes linear time, however many errors there are.
///
/// ```
/// use utf8kit::{Mutf8, errors_in};
/// assert_eq!(errors_in(Mutf8, b"a\0b").count(), 1); // Java writes NUL as C0 80
/// ```
#[inline]
pub fn errors_in<E: Encoding>(encoding: E, bytes: &[u8]) -> Errors<'_, E> {
    Errors { encoding, bytes, unit: Unit::Byte, at: 0, near_to: 0, found: 0, found_at: 0 }
}

/// Iterates over all errors in a slice of code units, in order: [`errors_in`] for `&[u16]` and `&[u32]`. Offsets and
/// lengths count units.
///
/// ```
/// use utf8kit::{Utf16Native, errors_units};
/// let offsets: Vec<_> = errors_units(Utf16Native, &[0x61, 0xD800, 0x62, 0xDC00]).map(|error| error.offset).collect();
/// assert_eq!(offsets, [1, 3]);
/// ```
#[inline]
pub fn errors_units<E: UnitEncoding>(encoding: E, units: &[E::Unit]) -> Errors<'_, E> {
    Errors { unit: E::Unit::UNIT, ..errors_in(encoding, as_bytes(units)) }
}

/// Iterator over errors: see [`errors_in`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Errors<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    /// The unit of the errors.
    unit: Unit,
    at: usize,
    /// Up to this offset, a further error is likely: errors tend to come in groups, so this is one block after the last
    /// one.
    near_to: usize,
    /// Errors found in advance: bit `i` means that one begins at `found_at + i`.
    found: u64,
    found_at: usize,
}

impl<E: Encoding> Errors<'_, E> {
    /// Finds all errors of a block at once, if a kernel supports it.
    #[inline]
    fn find_in_block(&mut self) -> Option<()> {
        let grammar = self.encoding.any().grammar()?;
        let window = dispatch::items_of_block(grammar, &self.bytes[self.at..])?;
        (self.found, self.found_at) = (window.errors, self.at);
        self.at += window.len;
        Some(())
    }
}

impl<E: Encoding> Iterator for Errors<'_, E> {
    type Item = Error;

    #[inline]
    fn next(&mut self) -> Option<Error> {
        loop {
            if self.found != 0 {
                let start = self.found_at + self.found.trailing_zeros() as usize;
                self.found &= self.found - 1;
                let step = self.encoding.decode(&self.bytes[start..])?;
                self.near_to = start + BLOCK;
                let error = Error::new(start as u64, step.len, step.result.err()?);
                return Some(error.incomplete_if(step.incomplete).in_units(self.unit));
            }
            if self.at >= self.near_to {
                self.at += dispatch::clean_prefix_in(self.encoding, &self.bytes[self.at..]);
                if self.at == self.bytes.len() {
                    return None;
                }
                self.near_to = self.at + BLOCK;
            }
            if self.find_in_block().is_some() {
                continue;
            }
            while self.at < self.near_to {
                let step = self.encoding.decode(&self.bytes[self.at..])?;
                let offset = self.at as u64;
                self.at += step.len();
                if let Err(kind) = step.result {
                    self.near_to = self.at + BLOCK;
                    let error = Error::new(offset, step.len, kind);
                    return Some(error.incomplete_if(step.incomplete).in_units(self.unit));
                }
            }
        }
    }
}

impl<E: Encoding> FusedIterator for Errors<'_, E> {}

/// A well-formed part and the error after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk<'b, Valid: ?Sized = [u8], Invalid: ?Sized = [u8]> {
    /// The well-formed part; may be empty.
    pub valid: &'b Valid,
    /// The bytes (or code units) of the error; empty only in the last chunk.
    pub invalid: &'b Invalid,
    /// The error; `None` at the end of the input.
    pub error: Option<Error>,
}

/// Iterates over well-formed parts of UTF-8 and the errors between them, like [`slice::utf8_chunks`], but with error
/// kinds.
///
/// ```
/// let mut chunks = utf8kit::chunks(b"ab\xFFcd");
/// let first = chunks.next().unwrap();
/// assert_eq!((first.valid, first.invalid), ("ab", &b"\xFF"[..]));
/// assert_eq!(chunks.next().unwrap().valid, "cd");
/// assert!(chunks.next().is_none());
/// ```
#[doc(alias = "utf8_chunks")]
#[inline]
pub fn chunks(bytes: &[u8]) -> impl Iterator<Item = Chunk<'_, str>> + Clone {
    TextChunks { bytes, at: 0, near_to: 0 }
}

/// Iterator over chunks of UTF-8. Near an error it reads item by item: if errors are dense, calling a kernel first
/// costs more than it saves.
#[derive(Clone)]
struct TextChunks<'b> {
    bytes: &'b [u8],
    at: usize,
    /// Up to this offset, a further error is likely.
    near_to: usize,
}

impl<'b> Iterator for TextChunks<'b> {
    type Item = Chunk<'b, str>;

    #[inline]
    fn next(&mut self) -> Option<Chunk<'b, str>> {
        let start = self.at;
        let error = self.next_error();
        let bytes = self.bytes;
        let end = error.map_or(bytes.len(), |error| error.range().start);
        if start == end && error.is_none() {
            return None;
        }
        #[allow(unsafe_code, reason = "the bytes were validated")]
        // SAFETY: from `start`, which is a boundary, to `end` only whole items without an error were passed.
        let valid = unsafe { as_text(&bytes[start..end]) };
        Some(Chunk { valid, invalid: &bytes[end..self.at], error })
    }
}

impl FusedIterator for TextChunks<'_> {}

impl TextChunks<'_> {
    /// Advances to the end of the next error, or to the end of the input.
    #[inline]
    fn next_error(&mut self) -> Option<Error> {
        loop {
            let stop = self.bytes.len().min(self.near_to);
            while self.at < stop {
                if self.bytes[self.at] < 0x80 {
                    self.at += 1;
                    continue;
                }
                let step = Utf8.decode(&self.bytes[self.at..])?;
                let offset = self.at as u64;
                self.at += step.len();
                if let Err(kind) = step.result {
                    self.near_to = self.at + BLOCK;
                    return Some(Error::new(offset, step.len, kind).incomplete_if(step.incomplete));
                }
            }
            if self.at == self.bytes.len() {
                return None;
            }
            self.at += dispatch::clean_prefix_in(Utf8, &self.bytes[self.at..]);
            self.near_to = self.at + BLOCK;
        }
    }
}

/// Iterates over well-formed parts and the errors between them, in any encoding. Concatenated, they are the input.
///
/// ```
/// use utf8kit::{Utf16Be, chunks_in};
/// let parts: Vec<_> = chunks_in(Utf16Be, b"\0a\xD8\0\0b").map(|c| (c.valid, c.invalid)).collect();
/// assert_eq!(parts, [(&b"\0a"[..], &b"\xD8\0"[..]), (b"\0b", b"")]);
/// ```
#[inline]
pub fn chunks_in<E: Encoding>(encoding: E, bytes: &[u8]) -> Chunks<'_, E> {
    Chunks { errors: errors_in(encoding, bytes), at: 0 }
}

/// Iterator over chunks: see [`chunks_in`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Chunks<'b, E> {
    errors: Errors<'b, E>,
    at: usize,
}

impl<'b, E: Encoding> Iterator for Chunks<'b, E> {
    type Item = Chunk<'b>;

    #[inline]
    fn next(&mut self) -> Option<Chunk<'b>> {
        let bytes = self.errors.bytes;
        let error = self.errors.next();
        let (start, end) = error.map_or((bytes.len(), bytes.len()), |e| (e.range().start, e.range().end));
        if start == self.at && error.is_none() {
            return None;
        }
        let chunk = Chunk { valid: &bytes[self.at..start], invalid: &bytes[start..end], error };
        self.at = end;
        Some(chunk)
    }
}

impl<E: Encoding> FusedIterator for Chunks<'_, E> {}

/// Iterates over well-formed parts and the errors between them, in a slice of code units. Concatenated, they are the
/// input.
///
/// ```
/// use utf8kit::{Utf16Native, chunks_units};
/// let units = [0x61, 0xD800, 0x62];
/// let parts: Vec<_> = chunks_units(Utf16Native, &units).map(|chunk| (chunk.valid, chunk.invalid)).collect();
/// assert_eq!(parts, [(&[0x61][..], &[0xD800][..]), (&[0x62], &[])]);
/// ```
#[inline]
pub fn chunks_units<E: UnitEncoding>(
    encoding: E,
    units: &[E::Unit],
) -> impl Iterator<Item = Chunk<'_, [E::Unit], [E::Unit]>> + Clone {
    let mut at = 0;
    chunks_in(encoding, as_bytes(units)).map(move |chunk| {
        let width = size_of::<E::Unit>();
        let start = at + chunk.valid.len() / width;
        let end = start + chunk.invalid.len() / width;
        let valid = &units[at..start];
        at = end;
        let error = chunk.error.map(|error| error.in_units(E::Unit::UNIT));
        Chunk { valid, invalid: &units[start..end], error }
    })
}

/// Returns the first error.
#[inline(always)]
pub(crate) fn first_error<E: Encoding>(encoding: E, bytes: &[u8]) -> Option<Error> {
    let clean = dispatch::clean_prefix_in(encoding, bytes);
    if clean == bytes.len() {
        return None;
    }
    first_error_after(encoding, bytes, clean)
}

/// Finds the first error item by item; after more than a block without one, uses the kernel again.
#[cold]
fn first_error_after<E: Encoding>(encoding: E, bytes: &[u8], mut at: usize) -> Option<Error> {
    if let Some(grammar) = encoding.any().grammar()
        && encoding.any().judges_items_alone()
        && encoding.any().has_nul()
    {
        return first_error_of_rows(grammar, bytes, at);
    }
    loop {
        let stop = at + BLOCK;
        while at < stop {
            let step = encoding.decode(&bytes[at..])?;
            if let Err(kind) = step.result {
                return Some(Error::new(at as u64, step.len, kind).incomplete_if(step.incomplete));
            }
            at += step.len();
        }
        at += dispatch::clean_prefix_in(encoding, &bytes[at..]);
    }
}

/// [`first_error_after`] for grammars that have NUL and whose rows define everything: compiled once, in this library.
#[inline(never)]
fn first_error_of_rows(grammar: &'static Grammar, bytes: &[u8], mut at: usize) -> Option<Error> {
    loop {
        let block = rest_from(bytes, at).chunks(BLOCK).next()?;
        at += reference::validate::clean_prefix(grammar, block);
        if at == bytes.len() {
            return None;
        }
        let step = reference::decode::by_rows(grammar, rest_from(bytes, at));
        if let Err(kind) = step.result {
            return Some(Error::new(at as u64, step.len, kind).incomplete_if(step.incomplete));
        }
        at += step.len();
        at += dispatch::clean_prefix_with_nul(grammar, rest_from(bytes, at));
    }
}
