//! Validation: whether text is well formed, and if not, the position, length and kind of its errors.

use core::iter::FusedIterator;

use crate::count::TextCounts;
use crate::dispatch;
use crate::encoding::{CodeUnit, Codec, Utf8};
use crate::error::{Error, Unit};
use crate::grammar::Grammar;
use crate::kernels::rest_from;
use crate::out::as_bytes;
use crate::reference;
use crate::simd::BLOCK_BYTES;

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
            // SAFETY: no error was found in the bytes, so they are well-formed UTF-8.
            let text = unsafe { as_text(bytes) };
            Ok(text)
        }
    }
}

/// Validates UTF-8 and counts it in one pass, for example to allocate the result of a conversion.
///
/// # Errors
/// As [`validate`].
///
/// ```
/// let (text, counts) = utf8kit::validate_and_count("a€😀".as_bytes()).unwrap();
/// assert_eq!((text.len(), counts.ascii, counts.code_points, counts.utf16_len), (8, 1, 3, 4));
/// assert_eq!(utf8kit::validate_and_count(b"a\xFF").unwrap_err().offset, 1);
/// ```
#[inline]
pub fn validate_and_count(bytes: &[u8]) -> Result<(&str, TextCounts), Error> {
    let counted = dispatch::counted_prefix(bytes);
    match first_error(Utf8, rest_from(bytes, counted.0)) {
        Some(error) => Err(error.moved(counted.0 as u64)),
        None => {
            #[allow(unsafe_code, reason = "the bytes were validated")]
            // SAFETY: the kernel validated the prefix that it counted, which ends at a boundary, and there is no error
            // after it.
            let text = unsafe { as_text(bytes) };
            Ok((text, TextCounts::of(bytes, counted)))
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
    // Exactly that prefix, because the grammar of UTF-8 classifies each item by itself.
    let clean = bytes.get(..dispatch::clean_prefix_in(Utf8, bytes)).unwrap_or_default();
    #[expect(unsafe_code, reason = "the bytes were validated")]
    // SAFETY: the bytes were found clean, so they are well-formed UTF-8.
    let text = unsafe { as_text(clean) };
    text
}

/// Validates the bytes of text in any encoding.
#[inline]
pub(crate) fn validate_in<E: Codec>(encoding: E, bytes: &[u8]) -> Result<(), Error> {
    first_error(encoding, bytes).map_or(Ok(()), Err)
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

/// Iterates over all errors of the bytes of text in any encoding.
#[inline]
pub(crate) fn errors_in<E: Codec>(encoding: E, bytes: &[u8]) -> Errors<'_, E> {
    Errors { encoding, bytes, unit: Unit::Byte, at: 0, near_to: 0, found: 0, found_at: 0 }
}

/// Iterator over errors: see [`errors`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Errors<'b, E> {
    encoding: E,
    bytes: &'b [u8],
    /// The unit of the errors.
    unit: Unit,
    at: usize,
    /// Up to this offset, a further error is likely. It is one block after the last error, because errors tend to come
    /// in groups.
    near_to: usize,
    /// Errors found in advance: bit `i` means that one begins at `found_at + i`.
    found: u64,
    found_at: usize,
}

impl<E: Codec> Errors<'_, E> {
    /// Returns the same errors, with offsets and lengths in units.
    #[inline]
    pub(crate) fn in_units(self, unit: Unit) -> Self {
        Errors { unit, ..self }
    }

    /// Finds all errors of a block at once, if a kernel supports it.
    #[inline]
    fn find_in_block(&mut self) -> Option<()> {
        let grammar = self.encoding.erase().grammar()?;
        let window = dispatch::items_of_block(grammar, &self.bytes[self.at..])?;
        (self.found, self.found_at) = (window.errors, self.at);
        self.at += window.len;
        Some(())
    }
}

impl<E: Codec> Iterator for Errors<'_, E> {
    type Item = Error;

    #[inline]
    fn next(&mut self) -> Option<Error> {
        loop {
            if self.found != 0 {
                let start = self.found_at + self.found.trailing_zeros() as usize;
                self.found &= self.found - 1;
                let step = self.encoding.decode_step(&self.bytes[start..])?;
                self.near_to = start + BLOCK_BYTES;
                let error = Error::new(start as u64, step.len, step.result.err()?);
                return Some(error.incomplete_if(step.incomplete).in_units(self.unit));
            }
            if self.at >= self.near_to {
                self.at += dispatch::clean_prefix_in(self.encoding, &self.bytes[self.at..]);
                if self.at == self.bytes.len() {
                    return None;
                }
                self.near_to = self.at + BLOCK_BYTES;
            }
            if self.find_in_block().is_some() {
                continue;
            }
            while self.at < self.near_to {
                let step = self.encoding.decode_step(&self.bytes[self.at..])?;
                let offset = self.at as u64;
                self.at += step.len();
                if let Err(kind) = step.result {
                    self.near_to = self.at + BLOCK_BYTES;
                    let error = Error::new(offset, step.len, kind);
                    return Some(error.incomplete_if(step.incomplete).in_units(self.unit));
                }
            }
        }
    }
}

impl<E: Codec> FusedIterator for Errors<'_, E> {}

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

/// Iterator over chunks of UTF-8. Near an error it reads item by item, because calling a kernel costs more than it
/// saves if errors are dense.
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
        // SAFETY: only whole items without an error were passed between `start`, which is a boundary, and `end`.
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
                let step = Utf8.decode_step(&self.bytes[self.at..])?;
                let offset = self.at as u64;
                self.at += step.len();
                if let Err(kind) = step.result {
                    self.near_to = self.at + BLOCK_BYTES;
                    return Some(Error::new(offset, step.len, kind).incomplete_if(step.incomplete));
                }
            }
            if self.at == self.bytes.len() {
                return None;
            }
            self.at += dispatch::clean_prefix_in(Utf8, &self.bytes[self.at..]);
            self.near_to = self.at + BLOCK_BYTES;
        }
    }
}

/// Iterator over chunks: see [`crate::Encoding::chunks`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Chunks<'t, E: Codec> {
    errors: Errors<'t, E>,
    text: &'t [E::Unit],
    at: usize,
}

impl<'t, E: Codec> Chunks<'t, E> {
    #[inline]
    pub(crate) fn new(encoding: E, text: &'t [E::Unit]) -> Self {
        Chunks { errors: errors_in(encoding, as_bytes(text)).in_units(E::Unit::UNIT), text, at: 0 }
    }
}

impl<'t, E: Codec> Iterator for Chunks<'t, E> {
    type Item = Chunk<'t, [E::Unit], [E::Unit]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        let error = self.errors.next();
        let (start, end) = error.map_or((text.len(), text.len()), |e| (e.range().start, e.range().end));
        if start == self.at && error.is_none() {
            return None;
        }
        let chunk = Chunk { valid: &text[self.at..start], invalid: &text[start..end], error };
        self.at = end;
        Some(chunk)
    }
}

impl<E: Codec> FusedIterator for Chunks<'_, E> {}

/// Returns the first error.
#[inline(always)]
pub(crate) fn first_error<E: Codec>(encoding: E, bytes: &[u8]) -> Option<Error> {
    let clean = dispatch::clean_prefix_in(encoding, bytes);
    if clean == bytes.len() {
        return None;
    }
    first_error_after(encoding, bytes, clean)
}

/// Finds the first error item by item; after more than a block without one, uses the kernel again.
#[cold]
fn first_error_after<E: Codec>(encoding: E, bytes: &[u8], mut at: usize) -> Option<Error> {
    if let Some(grammar) = encoding.erase().grammar()
        && encoding.erase().decides_items_alone()
        && encoding.erase().has_nul()
    {
        return first_error_of_rows(grammar, bytes, at);
    }
    loop {
        let stop = at + BLOCK_BYTES;
        while at < stop {
            let step = encoding.decode_step(&bytes[at..])?;
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
        let block = rest_from(bytes, at).chunks(BLOCK_BYTES).next()?;
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
