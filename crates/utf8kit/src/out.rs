//! A bounded writer over memory that may be uninitialised: the spare capacity of a `Vec`, or a caller's buffer.
#![allow(unsafe_code, reason = "writes to uninitialised memory, in bounds by slices")]

use core::mem::MaybeUninit;

use crate::encoding::CodeUnit;
use crate::simd::{BLOCK_BYTES, Lines, Token, Vector, prefetch};
#[cfg(feature = "alloc")]
use crate::{encoding::AnyEncoding, simd::MAX_SHORT_BYTES};

/// A buffer and how much of it is written. Kernels take it by value, which keeps it in registers: through a reference,
/// each store would have to wait until the length from the previous store is read back from memory.
#[derive(Default)]
pub(crate) struct Out<'o> {
    buffer: &'o mut [MaybeUninit<u8>],
    written: usize,
}

impl<'o> Out<'o> {
    #[inline(always)]
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    #[inline(always)]
    pub(crate) fn remaining(&self) -> usize {
        self.buffer.len() - self.written
    }

    /// Returns how many bytes there are up to the next cache line.
    #[inline(always)]
    pub(crate) fn to_line(&self) -> usize {
        self.buffer[self.written..].as_ptr().align_offset(BLOCK_BYTES)
    }

    /// Returns the number of bytes since the last start of a cache line.
    #[inline(always)]
    pub(crate) fn over_line(&self) -> usize {
        self.buffer[self.written..].as_ptr().addr() % BLOCK_BYTES
    }

    /// Returns the length for the first of several blocks of `len` bytes, such that the others fill whole cache lines
    /// if all are ASCII. A whole block if there are few.
    #[inline(always)]
    pub(crate) fn first_block(&self, len: usize) -> usize {
        match self.to_line() {
            line @ 1..BLOCK_BYTES if len >= Lines::MIN_BYTES_TO_ALIGN => line,
            _ => len.min(BLOCK_BYTES),
        }
    }

    /// Returns what was written starting at `start`.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        // SAFETY: all bytes below `written` were written.
        unsafe { initialised(&self.buffer[start..self.written]) }
    }

    /// Appends the bytes if there is capacity for all of them. Returns whether there was.
    #[inline(always)]
    #[must_use]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        let Some(place) = self.buffer[self.written..].get_mut(..bytes.len()) else { return false };
        place.write_copy_of_slice_(bytes);
        self.written += bytes.len();
        true
    }

    /// Appends the first `len` of the bytes if there is capacity for all `N` of them. Returns whether there was.
    #[inline(always)]
    #[must_use]
    pub(crate) fn push_front_of<const N: usize>(&mut self, bytes: [u8; N], len: usize) -> bool {
        // SAFETY: `written` is the length of a part of the buffer.
        let rest = unsafe { self.buffer.get_unchecked_mut(self.written..) };
        let Some(place) = rest.first_chunk_mut::<N>() else { return false };
        place.write_copy_of_slice_(&bytes);
        self.written += len.min(N);
        true
    }

    /// [`Out::push_front_of`] that needs capacity for only `len` bytes.
    #[inline(always)]
    #[must_use]
    pub(crate) fn push_only_front_of<const N: usize>(&mut self, bytes: [u8; N], len: usize) -> bool {
        self.push_front_of(bytes, len) || self.push(&bytes[..len])
    }

    /// Appends the first `len` lanes of a vector if there is capacity for them. The other lanes may be written after
    /// them. Returns whether they fitted.
    #[inline(always)]
    #[must_use]
    pub(crate) fn push_lanes<V: Vector>(&mut self, vector: V, len: usize) -> bool {
        // SAFETY: `written` is the length of a part of the buffer.
        let rest = unsafe { self.buffer.get_unchecked_mut(self.written..) };
        if let Some(place) = rest.get_mut(..V::LEN) {
            vector.store_front(place);
        } else if let Some(place) = rest.get_mut(..len) {
            vector.store_front(place);
        } else {
            return false;
        }
        self.written += len.min(V::LEN);
        true
    }

    /// Appends a vector made from each `len` bytes, while one can be made and fits. Returns the number of vectors. The
    /// capacity is computed once, so that the loop has only loads, a test, a store and a jump.
    ///
    /// After the first vector, two at a time where that is faster. With one at a time, the speed depends on where the
    /// linker places the loop.
    #[inline(always)]
    pub(crate) fn vectors<T: Token, M: Make>(&mut self, token: T, bytes: &[u8], len: usize) -> usize {
        if !M::IN_PAIRS || T::Vector::LEN == BLOCK_BYTES {
            return self.vectors_of::<T, M, 1>(token, bytes, len);
        }
        let Some((some, rest)) = bytes.split_at_checked(len) else { return 0 };
        let Some(place) = self.buffer[self.written..].get_mut(..T::Vector::LEN) else { return 0 };
        let (above, vector) = M::make(token, some);
        if above.any() {
            return 0;
        }
        place.write_copy_of_slice_(vector.to_bytes().as_ref());
        self.written += T::Vector::LEN;
        1 + self.vectors_of::<T, M, 2>(token, rest, len)
    }

    /// [`Out::vectors`], `N` at a time.
    #[inline(always)]
    fn vectors_of<T: Token, M: Make, const N: usize>(&mut self, token: T, bytes: &[u8], len: usize) -> usize {
        let fitting = self.remaining() / (N * T::Vector::LEN);
        let places = &mut self.buffer[self.written..][..fitting * N * T::Vector::LEN];
        let mut written = 0;
        for some in bytes[..bytes.len().min(fitting * N * len)].chunks_exact(N * len) {
            let (mut above, first) = M::make(token, &some[..len]);
            let mut vectors = [first; N];
            for i in 1..N {
                let (any, made) = M::make(token, &some[i * len..][..len]);
                (above, vectors[i]) = (above.or(any), made);
            }
            if above.any() {
                break;
            }
            for vector in vectors {
                // SAFETY: `places` has room for `N` vectors for each of at most `fitting` chunks.
                unsafe { store_at(places, written, vector) };
                written += T::Vector::LEN;
            }
        }
        self.written += written;
        written / T::Vector::LEN
    }

    /// Appends the blocks starting at `at`, which must have a byte before it, unchanged or rewritten as `N` vectors, as
    /// long as that is possible and any result fits. Returns where it stopped. For vectors of a whole block.
    #[inline(always)]
    pub(crate) fn rewrite_blocks<T: Token, R: Rewrite<T::Vector, N>, const N: usize>(
        &mut self,
        token: T,
        bytes: &[u8],
        mut at: usize,
        mut rewrite: R,
    ) -> usize {
        const { assert!(T::Vector::LEN == BLOCK_BYTES, "each vector is counted as a block") };
        loop {
            let fitting = (bytes.len() - at).min(self.remaining() / N);
            if fitting < R::BLOCKS_TOGETHER * BLOCK_BYTES {
                return at;
            }
            let buffer = &mut self.buffer[self.written..][..fitting * N];
            let before_and_all = &bytes[at - 1..at + fitting];
            let (mut read, mut written) = (0, 0);
            let stopped = 'blocks: loop {
                let Some(some) = before_and_all.get(read..read + 1 + R::BLOCKS_TOGETHER * BLOCK_BYTES) else {
                    break false;
                };
                let first = token.load_at(some, 1);
                if rewrite.is_unchanged(first) {
                    // SAFETY: each block so far took at most `N * BLOCK_BYTES` bytes, and there is capacity for that
                    // many each.
                    unsafe { store_at(buffer, written, first) };
                    (read, written) = (read + BLOCK_BYTES, written + BLOCK_BYTES);
                    continue;
                }
                for block in 0..R::BLOCKS_TOGETHER {
                    if R::PREFETCHES {
                        prefetch(&some[block * BLOCK_BYTES..]);
                    }
                    let (this, before) =
                        (token.load_at(some, 1 + block * BLOCK_BYTES), token.load_at(some, block * BLOCK_BYTES));
                    let Some(vectors) = rewrite.rewrite(this, before) else { break 'blocks true };
                    for (vector, len) in vectors {
                        // SAFETY: as above; each vector of this block took at most `BLOCK_BYTES` bytes.
                        unsafe { store_at(buffer, written, vector) };
                        written += len.min(BLOCK_BYTES);
                    }
                    read += BLOCK_BYTES;
                }
            };
            self.written += written;
            at += read;
            if stopped {
                return at;
            }
        }
    }

    /// Changes the last bytes written, if that many were written.
    #[inline(always)]
    pub(crate) fn change_last<const N: usize>(&mut self, bytes: [u8; N]) {
        if let Some(place) = self.buffer[..self.written].last_chunk_mut::<N>() {
            place.write_copy_of_slice_(&bytes);
        }
    }

    /// Reserves `len` bytes; `None` if the capacity is too small. The bytes written there count once the value is
    /// dropped.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, len: usize) -> Option<Reserved<'_>> {
        // SAFETY: `written` is the length of a part of the buffer.
        let rest = unsafe { self.buffer.get_unchecked_mut(self.written..) };
        let place = rest.get_mut(..len)?;
        Some(Reserved { place, written: 0, total: &mut self.written })
    }

    /// Removes the last `len` bytes.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, len: usize) {
        self.written = self.written.saturating_sub(len);
    }

    /// Appends `N` bytes for each unit of `M` bytes, computed by `each`, as many as fit. Returns their number.
    #[inline(always)]
    pub(crate) fn units<const M: usize, const N: usize>(
        &mut self,
        bytes: &[u8],
        each: impl Fn([u8; M]) -> [u8; N],
    ) -> usize {
        let units = bytes.as_chunks().0;
        let (places, _) = self.buffer[self.written..].as_chunks_mut::<N>();
        let count = places.len().min(units.len());
        for (place, &unit) in places.iter_mut().zip(units) {
            place.write_copy_of_slice_(&each(unit));
        }
        self.written += count * N;
        count
    }
}

/// Makes a vector from bytes. This is a type, because closures and functions that are passed on are not compiled for
/// the level.
pub(crate) trait Make {
    /// Whether two vectors are made at a time, except of the longest.
    const IN_PAIRS: bool;

    /// Returns a vector that is zero if this was possible, and the result.
    fn make<T: Token>(token: T, bytes: &[u8]) -> (T::Vector, T::Vector);
}

/// Rewrites blocks. This is a type for the same reason as [`Make`].
pub(crate) trait Rewrite<V, const N: usize> {
    /// How many blocks are rewritten at a time, starting at a block that does not stay unchanged.
    const BLOCKS_TOGETHER: usize;

    /// Whether to prefetch at each block that is rewritten.
    const PREFETCHES: bool;

    /// Reports whether the next block stays unchanged.
    fn is_unchanged(&self, this: V) -> bool;

    /// Returns the vectors that the next block becomes, each with how many of its lanes count; `before` begins one byte
    /// earlier. `None` if that is not possible.
    fn rewrite(&mut self, this: V, before: V) -> Option<[(V, usize); N]>;
}

/// Writes a vector.
///
/// # Safety
/// There must be a whole vector at `at`.
#[inline(always)]
unsafe fn store_at<V: Vector>(buffer: &mut [MaybeUninit<u8>], at: usize, vector: V) {
    debug_assert!(at + V::LEN <= buffer.len());
    // SAFETY: the caller's promise.
    let place = unsafe { buffer.get_unchecked_mut(at..at + V::LEN) };
    place.write_copy_of_slice_(vector.to_bytes().as_ref());
}

/// Returns bytes that were written.
///
/// # Safety
/// All of them must be initialised.
#[inline(always)]
unsafe fn initialised(written: &[MaybeUninit<u8>]) -> &[u8] {
    // SAFETY: the caller's promise.
    unsafe { core::slice::from_raw_parts(written.as_ptr().cast(), written.len()) }
}

/// Reserved space of known length: a store is checked by one comparison with a constant.
pub(crate) struct Reserved<'r> {
    place: &'r mut [MaybeUninit<u8>],
    written: usize,
    total: &'r mut usize,
}

impl Reserved<'_> {
    #[inline(always)]
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Returns what was written starting at `start`.
    #[inline(always)]
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        // SAFETY: all bytes below `written` were written.
        unsafe { initialised(&self.place[start..self.written]) }
    }

    /// Removes the last `len` bytes.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, len: usize) {
        self.written = self.written.saturating_sub(len);
    }

    /// Removes all but the first `len` bytes written starting at `start`.
    #[inline(always)]
    pub(crate) fn truncate_to(&mut self, start: usize, len: usize) {
        self.written = self.written.min(start + len);
    }

    /// Changes bytes that were written. Does nothing if they were not.
    #[inline(always)]
    pub(crate) fn change<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if let Some(place) = self.place[..self.written].get_mut(at..at + N) {
            place.write_copy_of_slice_(&bytes);
        }
    }

    /// Appends the bytes, or nothing if the capacity is too small for all of them.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        debug_assert!(self.written + bytes.len() <= self.place.len());
        if let Some(place) = self.place[self.written..].get_mut(..bytes.len()) {
            place.write_copy_of_slice_(bytes);
            self.written += bytes.len();
        }
    }

    /// Appends the first `len` of the bytes, or nothing if fewer than `N` are left.
    #[inline(always)]
    pub(crate) fn push_front_of<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        debug_assert!(len <= N && self.written + N <= self.place.len());
        if self.written + N <= self.place.len() {
            // SAFETY: as just checked.
            let place = unsafe { self.place.get_unchecked_mut(self.written..self.written + N) };
            place.write_copy_of_slice_(bytes);
            self.written += len.min(N);
        }
    }

    /// Appends the first `units * UNIT` bytes of a vector, or nothing if less than a whole vector is left.
    #[inline(always)]
    pub(crate) fn push_units<const UNIT: usize>(&mut self, vector: impl AsRef<[u8]>, units: usize) {
        let bytes = vector.as_ref();
        debug_assert!(units * UNIT <= bytes.len() && self.written + bytes.len() <= self.place.len());
        if self.written + bytes.len() <= self.place.len() {
            // SAFETY: as just checked.
            let place = unsafe { self.place.get_unchecked_mut(self.written..self.written + bytes.len()) };
            place.write_copy_of_slice_(bytes);
            self.written += (units * UNIT).min(bytes.len());
        }
    }
}

impl Drop for Reserved<'_> {
    /// Adds what was written to the buffer's length.
    #[inline(always)]
    fn drop(&mut self) {
        *self.total += self.written;
    }
}

/// Lets `write` append whole units to a vector, with free space for at least `capacity` bytes.
#[cfg(feature = "alloc")]
pub(crate) fn append<U: CodeUnit, R>(
    vec: &mut alloc::vec::Vec<U>,
    capacity: usize,
    write: impl FnOnce(&mut Out<'_>) -> R,
) -> R {
    let units = capacity.div_ceil(size_of::<U>());
    if vec.capacity() == 0 {
        // Growing from nothing is slower, by a tenth of the time to convert a short input.
        *vec = alloc::vec::Vec::with_capacity(units);
    } else {
        vec.reserve(units);
    }
    let mut out = Out::in_buffer(vec.spare_capacity_mut());
    let result = write(&mut out);
    let len = out.written / size_of::<U>();
    // SAFETY: `Out` has initialised `len` units of the spare capacity, which follows the vector's length.
    unsafe { vec.set_len(vec.len() + len) };
    result
}

/// Lets `write` append the result of a short input, with free space for at least that many bytes. `fits` if `write`
/// needs no more space than its result.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn append_short<U: CodeUnit, R>(
    units: &mut alloc::vec::Vec<U>,
    fits: bool,
    capacity: usize,
    write: impl FnOnce(&mut Out<'_>) -> R,
) -> R {
    if fits { append(units, capacity, write) } else { append_copied(units, write) }
}

/// [`append_short`] by way of a buffer for whole vectors.
///
/// Kernels that write those need more capacity than a short result takes. Allocating that much would mostly waste it,
/// and with less, the kernels could not be used. AVX-512 has masked stores and needs no such buffer.
#[cfg(feature = "alloc")]
#[inline(never)]
fn append_copied<U: CodeUnit, R>(units: &mut alloc::vec::Vec<U>, write: impl FnOnce(&mut Out<'_>) -> R) -> R {
    // Four bytes for each byte of the longest short input, and the bytes that kernels may write after the result.
    let mut buffer = [MaybeUninit::<u8>::uninit(); 8 * MAX_SHORT_BYTES + 4 * BLOCK_BYTES];
    let mut out = Out::in_buffer(&mut buffer);
    let result = write(&mut out);
    let _ = append(units, out.written(), |units| units.push(out.since(0)));
    result
}

/// Returns how much to allocate at first: a unit for each unit of the input, some for errors (U+FFFD is longer than
/// most), and the bytes that kernels may write beyond the end. An output that has to grow is copied again. The result
/// is at most a part of the address space; where that is small, long outputs grow in steps.
#[cfg(feature = "alloc")]
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn guess(from: AnyEncoding, to: AnyEncoding, len: usize) -> usize {
    let units = len.div_ceil(from.unit());
    // The maximum possible, if that is little, because growing a short output costs more than its conversion.
    let most = if from.unit() == 2 && to.unit() == 1 && len <= 8 * BLOCK_BYTES { 3 * units } else { 0 };
    units.saturating_mul(to.unit()).saturating_add(len / 32 + BLOCK_BYTES).max(most).min(usize::MAX / 8)
}

/// Returns the output of a conversion to UTF-8 as a `String`.
///
/// # Safety
/// The bytes must be well-formed UTF-8.
#[cfg(feature = "alloc")]
pub(crate) unsafe fn into_string(bytes: alloc::vec::Vec<u8>) -> alloc::string::String {
    debug_assert!(core::str::from_utf8(&bytes).is_ok(), "the output is not UTF-8");
    // SAFETY: the caller's promise.
    unsafe { alloc::string::String::from_utf8_unchecked(bytes) }
}

/// `MaybeUninit::write_copy_of_slice` of Rust 1.93.
trait WriteCopy {
    fn write_copy_of_slice_(&mut self, from: &[u8]);
}

impl WriteCopy for [MaybeUninit<u8>] {
    #[inline(always)]
    fn write_copy_of_slice_(&mut self, from: &[u8]) {
        // SAFETY: initialised bytes are valid `MaybeUninit` bytes, at the same place and length.
        let from = unsafe { core::slice::from_raw_parts(from.as_ptr().cast(), from.len()) };
        self.copy_from_slice(from);
    }
}

/// Returns units as the bytes they consist of, in this machine's order.
#[inline]
pub(crate) fn as_bytes<U: CodeUnit>(units: &[U]) -> &[u8] {
    // SAFETY: the sealed code units are integers: they have no padding, and bytes need no alignment.
    unsafe { core::slice::from_raw_parts(units.as_ptr().cast(), size_of_val(units)) }
}

mod sealed {
    use core::mem::MaybeUninit;

    pub trait Sealed {
        /// Returns the memory as bytes.
        ///
        /// # Safety
        /// Only initialised bytes may be written: the memory may be of integers that are initialised already.
        unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>];
    }
}

/// A caller's buffer for code units: a slice or an array of them, initialised or not.
///
/// Sealed: implemented for `[U]`, `[U; N]`, `Vec<U>` (the elements it has), `[MaybeUninit<U>]` and `[MaybeUninit<U>;
/// N]`, where `U` is `u8`, `u16` or `u32`. After a call that writes to uninitialised memory, the first
/// [`crate::Progress::written`] units are initialised.
///
/// ```
/// use core::mem::MaybeUninit;
/// use utf8kit::{Piece, Utf16Le, Utf8, convert_into};
/// let mut vec = Vec::with_capacity(64);
/// let progress = convert_into(Utf8, Utf16Le, b"ab", Piece::Last, vec.spare_capacity_mut());
/// // SAFETY: that many bytes were written.
/// unsafe { vec.set_len(progress.written) };
/// assert_eq!(vec, b"a\0b\0");
/// # let _: MaybeUninit<u8> = MaybeUninit::uninit();
/// ```
pub trait Buffer<U: CodeUnit>: sealed::Sealed {}

impl<U: CodeUnit> Buffer<U> for [U] {}
impl<U: CodeUnit> Buffer<U> for [MaybeUninit<U>] {}
impl<U: CodeUnit, const N: usize> Buffer<U> for [U; N] {}
impl<U: CodeUnit, const N: usize> Buffer<U> for [MaybeUninit<U>; N] {}

impl<U: CodeUnit> sealed::Sealed for [U] {
    unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: integers are bytes without padding; the caller writes only initialised bytes.
        unsafe { core::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), size_of_val(self)) }
    }
}

impl<U: CodeUnit> sealed::Sealed for [MaybeUninit<U>] {
    unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the same memory, borrowed for the same lifetime; it may hold anything.
        unsafe { core::slice::from_raw_parts_mut(self.as_mut_ptr().cast(), size_of_val(self)) }
    }
}

impl<U: CodeUnit, const N: usize> sealed::Sealed for [U; N] {
    unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: as the caller promises.
        unsafe { sealed::Sealed::as_uninit(&mut self[..]) }
    }
}

#[cfg(feature = "alloc")]
impl<U: CodeUnit> Buffer<U> for alloc::vec::Vec<U> {}

#[cfg(feature = "alloc")]
impl<U: CodeUnit> sealed::Sealed for alloc::vec::Vec<U> {
    unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: as the caller promises.
        unsafe { sealed::Sealed::as_uninit(&mut self[..]) }
    }
}

impl<U: CodeUnit, const N: usize> sealed::Sealed for [MaybeUninit<U>; N] {
    unsafe fn as_uninit(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: as the caller promises.
        unsafe { sealed::Sealed::as_uninit(&mut self[..]) }
    }
}

impl<'o> Out<'o> {
    /// Writes into a caller's buffer.
    pub(crate) fn in_buffer<B: sealed::Sealed + ?Sized>(buffer: &'o mut B) -> Out<'o> {
        // SAFETY: whoever writes to an `Out` writes initialised bytes.
        let buffer = unsafe { buffer.as_uninit() };
        Out { buffer, written: 0 }
    }
}
