//! Selects how each operation runs: which inputs are too short for a kernel, and which implementation serves each
//! level. Every threshold between implementations of one operation is defined here; the thresholds of the engine and of
//! streams are in their files.
//!
//! ```text
//! operation              short inputs, in bytes   reference            SWAR               SIMD
//!                                                 (level scalar)       (level swar)
//!
//! clean prefix, UTF-8    to 16: one vector        reference::validate  swar::validate     kernels::validate
//!   on avx512            to 256: masked loads
//!   else                 8 to 256: ASCII first
//!   without vectors      below 16: automaton
//! clean prefix, UTF-16   -                        reference::validate  swar::utf16        kernels::utf16
//! clean prefix, UTF-32   -                        reference::validate  kernels::utf16     kernels::utf16
//! ASCII                  below 512: std           std                  swar::validate     kernels::ascii
//! count a class          below 16: byte by byte   byte by byte         swar::count        kernels::count
//!   code points, UTF-16  to 16: swar::count       byte by byte         swar::count        kernels::count
//!   units                to 256: no blocks
//!   on avx512            to 256: masked loads
//! find a byte            -                        byte by byte         swar::find         kernels::count
//! find the n-th          -                        as they are counted, by 1024 bytes
//! count code points      -                        swar::utf16          swar::utf16        kernels::utf16
//!   of 16-bit units
//! repair 16-bit units    -                        not done             swar::utf16        kernels::utf16
//! count while validating below 256: not done      not done             not done           kernels::validate_and_count
//!   for summaries        -                        not done             not done           kernels::summary
//! marks of an index      -                        reference::marks     reference::marks   kernels::marks
//! offsets of a column    -                        kernels::column      kernels::column    kernels::column
//!   and values at once   below 64: not done       not done             not done           kernels::column
//! values in views        -                        not done             swar::validate     kernels::views
//! errors of a block      below 64: not done       not done             not done           kernels::repair
//! repair                 below 128: not done      not done             swar::repair       kernels::repair
//!   whole, with U+FFFD   to 256                   not done             std                kernels::repair
//! convert                to 256: short kernels,   not done             swar::convert      kernels::{utf8_to_wide,
//!   UTF-16 to UTF-8      to 512; what they leave                                          wide_to_utf8, utf8_latin1}
//!                        below 16: SWAR
//!   ASCII to Latin-1     to 16: SWAR              not done             swar::convert      swar::convert
//! ```
//!
//! A short kernel is the first rung: `run_short` asks it whether it takes the input on the active level. Inputs that it
//! does not handle go on down the ladder.
//!
//! "Not done" is always a correct answer: where a conversion, repair or count makes no progress here, the caller
//! continues with the reference implementation.

#[cfg(any(feature = "column", all(test, feature = "alloc")))]
pub(crate) mod column;
#[cfg(any(feature = "index", all(test, feature = "alloc")))]
pub(crate) mod index;
#[cfg(any(feature = "summary", all(test, feature = "alloc")))]
pub(crate) mod summary;

use core::marker::PhantomData;
use core::mem;

use crate::encoding::{AnyEncoding, Codec, MAX_LEN};
use crate::grammar::Grammar;
use crate::kernels::ascii::AsciiPrefix;
use crate::kernels::count::{AnyClass, Count, CountShort, Find, MAX_BYTES_BY_SWAR};
#[cfg(feature = "alloc")]
use crate::kernels::repair::ReplaceShort;
use crate::kernels::repair::{FindItems, Replace, Replaced, Window};
use crate::kernels::utf8_latin1::{ToLatin1, ToLatin1Short};
use crate::kernels::utf8_to_wide::{Extend, Widen, WidenLossy, WidenShort};
use crate::kernels::utf16::{CountUnits, PairedUnits, RepairUnits, RepairUnitsInto, ScalarValues};
use crate::kernels::validate::{CleanPrefix, CleanShort};
use crate::kernels::validate_and_count::{CountedPlaces, PlaceCounts};
use crate::kernels::wide_to_utf8::{Lossy, Narrow, NarrowShort, Source};
use crate::out::Out;
use crate::reference::convert::Wide;
#[cfg(feature = "alloc")]
use crate::simd::MAX_SHORT_BYTES;
use crate::simd::level::{Active, Level, active, run, run_on, run_short};
use crate::simd::{BLOCK_BYTES, Kernel};
#[cfg(feature = "alloc")]
use crate::simd::{PerVariant, level::value_of_variant};
use crate::{reference, swar, swar::HIGH_BITS};

/// The first and the largest window that is searched for a NUL before it is validated, in a dialect without NUL.
const MIN_BYTES_SEARCHED_FOR_NUL: usize = 4 * BLOCK_BYTES;
const MAX_BYTES_SEARCHED_FOR_NUL: usize = 128 * BLOCK_BYTES;
/// Below this length, the automaton is faster than SWAR.
const MIN_BYTES_FOR_SWAR_VALIDATION: usize = 16;
/// Below this length, the standard library's word loop finds ASCII as fast as vectors do.
const MIN_BYTES_FOR_VECTOR_ASCII: usize = 512;
/// Below this length, counting byte by byte is faster.
const MIN_BYTES_FOR_SWAR_COUNT: usize = 16;
/// Inputs shorter than this that no short kernel took go straight to the SWAR converter, skipping the long-input loops.
const MIN_BYTES_FOR_LONG_CONVERSION: usize = 16;
/// Below this length, validating and then counting is faster than both in one pass.
const MIN_BYTES_TO_COUNT_IN_ONE_PASS: usize = 4 * BLOCK_BYTES;
/// The fewest bytes that the repairing kernel works on.
pub(crate) const MIN_BYTES_FOR_REPAIR_KERNEL: usize = 2 * BLOCK_BYTES;

/// The longest input that any level converts by a short kernel, which is the kernel of 16-bit units.
#[cfg(feature = "alloc")]
pub(crate) const MAX_SHORT_UNIT_BYTES: usize = 2 * MAX_SHORT_BYTES;

/// Reports whether the short kernels write nothing after their result, so that any buffer that holds the result is
/// enough.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn fits_any_buffer() -> bool {
    value_of_variant(active(), PerVariant { tables: false, compress: true })
}

/// Reports whether the level of the reference implementation was forced.
#[inline]
fn is_scalar() -> bool {
    active().is(Level::Scalar)
}

/// Returns the length of a clean prefix: well formed, ending at a boundary, unchanged by any further input, and without
/// surrogates in the dialects that join or classify them together. The rest may be well formed too: ask
/// [`Codec::decode_step`].
#[inline(always)]
pub(crate) fn clean_prefix_in<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    match encoding.erase().grammar() {
        Some(grammar) if encoding.erase().has_nul() => clean_prefix(grammar, bytes),
        Some(grammar) => clean_prefix_without_nul(grammar, bytes),
        None => clean_units(encoding, bytes),
    }
}

/// [`clean_prefix_in`] for a dialect that has NUL.
#[inline(always)]
fn clean_prefix(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let active = active();
    if let Some(clean) = run_short(active, CleanShort { grammar, bytes }) {
        clean
    } else if is_short_ascii(bytes) {
        bytes.len()
    } else if bytes.len() < MIN_BYTES_FOR_SWAR_VALIDATION {
        swar::validate::clean_prefix_small(grammar, bytes)
    } else {
        clean_prefix_on(active, grammar, bytes)
    }
}

/// [`clean_prefix`] without the tests for short inputs, for bytes that are long or already tested.
#[inline]
pub(crate) fn clean_prefix_long(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    if grammar.has_nul() { clean_prefix_with_nul(grammar, bytes) } else { clean_prefix_without_nul(grammar, bytes) }
}

/// [`clean_prefix_long`] for a dialect that has NUL.
pub(crate) fn clean_prefix_with_nul(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    clean_prefix_on(active(), grammar, bytes)
}

/// [`clean_prefix_long`] for a dialect without NUL.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn clean_prefix_without_nul(grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let active = active();
    up_to_nul(bytes, |some| clean_prefix_on(active, grammar, some))
}

/// Calls `work` on the bytes before the first NUL, because kernels treat NUL as well formed; `work` returns how many
/// bytes it processed. The bytes are searched one window at a time, because the NUL may be far after the place where
/// `work` stops.
#[inline(always)]
fn up_to_nul<'b>(bytes: &'b [u8], mut work: impl FnMut(&'b [u8]) -> usize) -> usize {
    let (mut at, mut window) = (0, MIN_BYTES_SEARCHED_FOR_NUL);
    loop {
        let ahead = &bytes[at..bytes.len().min(at + window)];
        let done = work(&ahead[..find(ahead, 0)]);
        at += done;
        // The window may cut off a sequence, which is then part of the next window.
        if done + MAX_LEN < window {
            return at;
        }
        window = (2 * window).min(MAX_BYTES_SEARCHED_FOR_NUL);
    }
}

/// [`clean_prefix_long`] on a given level: compiled once, in this library. NULs are treated as well formed.
#[inline(never)]
fn clean_prefix_on(active: Active, grammar: &'static Grammar, bytes: &[u8]) -> usize {
    let reference = |work: CleanPrefix<'_>| reference::validate::clean_prefix(work.grammar, work.bytes);
    run_on(active, CleanPrefix { grammar, bytes }, reference, swar::validate::clean_prefix)
}

/// [`clean_prefix_in`] for an encoding with wider units, or Latin-1.
#[inline]
pub(crate) fn clean_units<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    if const { E::KNOWN.is_some() } {
        clean_units_as(encoding, bytes)
    } else {
        clean_units_of_value(encoding.erase(), bytes)
    }
}

/// [`clean_units`] of an encoding that is only known at run time. With the feature `any`, it is compiled in this
/// library.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn clean_units_of_value(encoding: AnyEncoding, bytes: &[u8]) -> usize {
    clean_units_as(encoding, bytes)
}

#[inline(always)]
fn clean_units_as<E: Codec>(encoding: E, bytes: &[u8]) -> usize {
    let reference = || reference::validate::clean_prefix_by_items(encoding, bytes);
    let big_endian = encoding.erase().is_big_endian();
    match encoding.erase().unit() {
        2 => run(PairedUnits { bytes, big_endian }, |_| reference(), swar::utf16::clean_prefix),
        4 => run(ScalarValues { bytes, big_endian }, |_| reference(), ScalarValues::clean_prefix),
        _ => bytes.len(),
    }
}

/// Reports whether 8 to 256 bytes are ASCII; `false` for fewer and for more. The test takes less time than entering a
/// kernel, and makes text in other scripts no slower.
#[inline(always)]
fn is_short_ascii(bytes: &[u8]) -> bool {
    match bytes.len() {
        8..=16 => ends_are_ascii::<8>(bytes),
        17..=32 => ends_are_ascii::<16>(bytes),
        33..=64 => ends_are_ascii::<32>(bytes),
        65..=256 => four_are_ascii(bytes),
        _ => false,
    }
}

/// Reports whether the first and the last `N` bytes, which overlap, are ASCII, without a branch per word.
#[inline(always)]
fn ends_are_ascii<const N: usize>(bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) else { return false };
    let words = first.as_chunks::<8>().0.iter().chain(last.as_chunks::<8>().0);
    words.fold(0, |all, word| all | u64::from_ne_bytes(*word)) & HIGH_BITS == 0
}

/// Reports whether 65 to 256 bytes are ASCII, in four overlapping blocks, without a branch on the length. Kept out of
/// line: inlined, it makes inputs of up to 64 bytes slower, and each caller larger.
#[inline(never)]
fn four_are_ascii(bytes: &[u8]) -> bool {
    let mut all = 0;
    for block in 0..4 {
        let at = (block * BLOCK_BYTES).min(bytes.len().saturating_sub(BLOCK_BYTES));
        let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK_BYTES>) else { return false };
        all |= block.as_chunks::<8>().0.iter().fold(0, |all, word| all | u64::from_ne_bytes(*word));
    }
    all & HIGH_BITS == 0
}

/// Reports whether all bytes are below 80.
#[inline]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    if bytes.len() < MIN_BYTES_FOR_VECTOR_ASCII { bytes.is_ascii() } else { ascii_prefix(bytes) == bytes.len() }
}

/// Returns the length of a prefix of ASCII: all bytes, or roughly the bytes before the first non-ASCII byte.
#[inline]
pub(crate) fn ascii_prefix(bytes: &[u8]) -> usize {
    let reference = || if bytes.is_ascii() { bytes.len() } else { 0 };
    if bytes.len() < MIN_BYTES_FOR_VECTOR_ASCII {
        reference()
    } else {
        run(AsciiPrefix { bytes }, |_| reference(), |_| swar::validate::ascii_prefix(bytes))
    }
}

/// Counts the bytes of a class.
#[inline]
pub(crate) fn count<C: AnyClass>(bytes: &[u8], class: C) -> usize {
    let active = active();
    if let Some(count) = run_short(active, CountShort { bytes, class }) {
        count
    } else if C::HAS_SHORT_KERNEL && bytes.len() <= MAX_BYTES_BY_SWAR && !active.is(Level::Scalar) {
        swar::count::count_few(bytes, class)
    } else {
        count_long(active, bytes, class)
    }
}

/// [`count`] for any length. Kept out of line: inlined, it makes the short path spill registers.
#[inline(never)]
fn count_long<C: AnyClass>(active: Active, bytes: &[u8], class: C) -> usize {
    let reference = || bytes.iter().map(|&byte| class.class().count(byte)).sum();
    if bytes.len() < MIN_BYTES_FOR_SWAR_COUNT {
        return reference();
    }
    run_on(active, Count { bytes, class }, |_| reference(), |_| swar::count::count(bytes, class))
}

/// Finds the `n`-th byte (from 0) of a class; `Err` with the total if there are fewer.
#[inline]
pub(crate) fn select<C: AnyClass>(bytes: &[u8], class: C, n: usize) -> Result<usize, usize> {
    let (mut left, mut at) = (n, 0);
    for part in bytes.chunks(16 * BLOCK_BYTES) {
        let here = count(part, class);
        if here > left {
            break;
        }
        left -= here;
        at += part.len();
    }
    let mut of_class = (at..bytes.len()).filter(|&at| class.class().holds(bytes[at]));
    of_class.nth(left).ok_or(n - left)
}

/// Finds a clean prefix of UTF-8 and counts it in the same pass; empty if no kernel can do that.
#[inline]
pub(crate) fn counted_prefix(bytes: &[u8]) -> (usize, PlaceCounts) {
    if bytes.len() < MIN_BYTES_TO_COUNT_IN_ONE_PASS { Default::default() } else { counted_prefix_long(bytes) }
}

/// [`counted_prefix`] of a long input. With the feature `any`, it is compiled in this library.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
fn counted_prefix_long(bytes: &[u8]) -> (usize, PlaceCounts) {
    let Some(grammar) = AnyEncoding::Utf8.grammar() else { return Default::default() };
    run(CountedPlaces { grammar, bytes }, |_| Default::default(), |_| Default::default())
}

/// Finds the first occurrence of a byte; returns the length if there is none.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn find(bytes: &[u8], byte: u8) -> usize {
    let reference = || bytes.iter().position(|&other| other == byte).unwrap_or(bytes.len());
    run(Find { bytes, byte }, |_| reference(), |_| swar::find(bytes, byte))
}

/// Counts the code points of well-formed 16-bit units. With the feature `any`, it is compiled in this library.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn count_units(bytes: &[u8], big_endian: bool) -> usize {
    run(CountUnits { bytes, big_endian }, swar::utf16::count, swar::utf16::count)
}

/// Replaces every lone surrogate with U+FFFD, in place, and counts them, if a kernel can do that.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn repair_units(units: &mut [u16]) -> Option<usize> {
    run(RepairUnits { units }, |_| None, swar::utf16::repair)
}

/// Copies units, except for the last ones, with every lone surrogate replaced. Returns the number of bytes.
#[cfg_attr(feature = "any", inline(never))]
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn repair_units_into<'o>(work: RepairUnitsInto<'_, 'o>) -> (usize, Out<'o>) {
    run(work, |work| (0, work.out), swar::utf16::repair_into)
}

/// Returns the items that begin in the first block, which must begin with an item, if a kernel can find them.
#[inline]
pub(crate) fn items_of_block(grammar: &'static Grammar, bytes: &[u8]) -> Option<Window> {
    let block = bytes.first_chunk::<BLOCK_BYTES>().filter(|_| grammar.exact)?;
    run(FindItems { grammar, block }, |_| None, |_| None)
}

/// Reports whether [`replace`] would make progress.
#[inline]
pub(crate) fn replaces(grammar: &'static Grammar, bytes: &[u8]) -> bool {
    grammar.exact && bytes.len() >= MIN_BYTES_FOR_REPAIR_KERNEL && !is_scalar()
}

/// Copies text and replaces its errors.
#[inline]
pub(crate) fn replace<'o>(work: Replace<'_, '_, 'o>) -> Replaced<'o> {
    run(work, Replace::nothing, swar::repair::replace)
}

/// Converts UTF-8, or a form written like it, to wider units, as long as it is well formed and fits; returns the number
/// of bytes. NULs are treated as well formed.
#[inline(always)]
pub(crate) fn widen<U: Wide>(grammar: &'static Grammar, bytes: &[u8], out: &mut Out<'_>, target: U) -> usize {
    let active = active();
    if run_short(active, WidenShort { grammar, bytes, out, target: PhantomData::<U> }) == Some(true) {
        return bytes.len();
    }
    let work = |out| Widen { grammar, bytes, out, target };
    if bytes.len() < MIN_BYTES_FOR_LONG_CONVERSION {
        convert_by(active, out, work, swar::convert::widen_small)
    } else {
        convert_long(active, out, work, swar::convert::widen)
    }
}

/// Converts UTF-8 to wider units, and replaces its errors.
#[inline]
pub(crate) fn widen_lossy<'o, U: Wide>(work: WidenLossy<'_, '_, 'o, U>) -> Replaced<'o> {
    run(work, WidenLossy::nothing, swar::repair::widen)
}

/// [`widen`] for a dialect that may lack NUL.
#[inline(never)]
pub(crate) fn widen_up_to_nul<U: Wide>(grammar: &'static Grammar, bytes: &[u8], out: &mut Out<'_>, target: U) -> usize {
    let mut widen = |some: &[u8]| widen(grammar, some, out, target);
    if grammar.has_nul() { widen(bytes) } else { up_to_nul(bytes, widen) }
}

/// Writes each byte as the unit of its value, as many as fit; returns their number.
#[inline(always)]
pub(crate) fn extend<U: Wide>(bytes: &[u8], out: &mut Out<'_>, target: U) -> usize {
    let work = |out| Extend { bytes, out, target };
    convert_long(active(), out, work, swar::convert::extend)
}

/// Converts units to UTF-8, or to CESU-8 without `four_bytes`, as long as they are whole, well formed and fit; returns
/// their number.
#[inline(always)]
pub(crate) fn narrow<S: Source>(bytes: &[u8], out: &mut Out<'_>, source: S, four_bytes: bool) -> usize {
    // Kernels take whole units.
    let bytes = &bytes[..bytes.len() - bytes.len() % S::UNIT];
    let active = active();
    let in_pairs = S::UNIT == 2 && four_bytes;
    if in_pairs && run_short(active, NarrowShort::<S> { bytes, out, source: PhantomData }) == Some(true) {
        return bytes.len() / S::UNIT;
    }
    if in_pairs && bytes.len() < MIN_BYTES_FOR_LONG_CONVERSION {
        let work = |out| Narrow { bytes, out, source, four_bytes, lossy: None };
        convert_by(active, out, work, swar::convert::narrow_small)
    } else {
        narrow_long(bytes, out, source, four_bytes, None)
    }
}

/// Converts 16-bit units to UTF-8, and replaces lone surrogates, except for at most the last vector or two.
#[inline]
pub(crate) fn narrow_lossy<S: Source>(bytes: &[u8], out: &mut Out<'_>, source: S, lossy: Lossy<'_>) -> usize {
    let bytes = &bytes[..bytes.len() - bytes.len() % S::UNIT];
    narrow_long(bytes, out, source, true, Some(lossy))
}

/// [`narrow`] and [`narrow_lossy`] for inputs that are not short: one function for both.
#[inline(never)]
fn narrow_long<S: Source>(
    bytes: &[u8],
    out: &mut Out<'_>,
    source: S,
    four_bytes: bool,
    lossy: Option<Lossy<'_>>,
) -> usize {
    convert_long(active(), out, |out| Narrow { bytes, out, source, four_bytes, lossy }, swar::convert::narrow)
}

/// Converts UTF-8 to Latin-1, as long as it is well formed, is in Latin-1, and fits; returns the number of bytes.
#[inline(always)]
pub(crate) fn to_latin1(bytes: &[u8], out: &mut Out<'_>, nul: bool) -> usize {
    let active = active();
    // Most sources are ASCII.
    let ascii = nul && !active.is(Level::Scalar) && swar::convert::copy_ascii(bytes, out);
    if ascii || run_short(active, ToLatin1Short { bytes, out, nul }) == Some(true) {
        return bytes.len();
    }
    let work = |out| ToLatin1 { bytes, out, nul };
    if bytes.len() < MIN_BYTES_FOR_LONG_CONVERSION {
        convert_by(active, out, work, swar::convert::to_latin1_small)
    } else {
        convert_long(active, out, work, swar::convert::to_latin1)
    }
}

/// Converts inputs that no short kernel handled, as far as it can: by the level's kernel, or by SWAR. The reference
/// implementation does nothing here. Kept out of line: inlined, it makes the short path spill registers.
#[inline(never)]
fn convert_long<'o, K: Kernel<Output = (usize, Out<'o>)>>(
    active: Active,
    out: &mut Out<'o>,
    kernel: impl FnOnce(Out<'o>) -> K,
    words: impl FnOnce(K) -> (usize, Out<'o>) + Copy,
) -> usize {
    convert_by(active, out, kernel, |work| run_on(active, work, words, words))
}

/// Converts by `work`, unless the level is [`Level::Scalar`]. A few bytes come here directly, because SWAR compiled
/// together with the loops of [`convert_long`] is slower.
#[inline(always)]
fn convert_by<'o, K>(
    active: Active,
    out: &mut Out<'o>,
    kernel: impl FnOnce(Out<'o>) -> K,
    work: impl FnOnce(K) -> (usize, Out<'o>),
) -> usize {
    if active.is(Level::Scalar) {
        return 0;
    }
    let (read, written) = work(kernel(mem::take(out)));
    *out = written;
    read
}

/// Reports whether the standard library should repair inputs that [`replace_short`] does not handle.
#[cfg(feature = "alloc")]
pub(crate) fn repairs_short_by_std() -> bool {
    active().is(Level::Swar)
}

/// Repairs a short input of UTF-8 with U+FFFD for each error, all or nothing.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn replace_short(bytes: &[u8], out: &mut Out<'_>) -> bool {
    let Some(grammar) = AnyEncoding::Utf8.grammar() else { return false };
    run_short(active(), ReplaceShort { grammar, bytes, out }) == Some(true)
}
