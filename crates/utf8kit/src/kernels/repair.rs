//! Finds where the items of broken text begin and which of them are errors, 64 bytes at once: the kernel behind
//! `repair`, `errors` and lossy conversion where errors are close together.
//!
//! # Algorithm
//! A window begins with an item. [`super::items`] tells where the others begin, and which are whole:
//!
//! ```text
//! whole     ASCII, or the last byte of the lead's length is there
//! errors    starts that are not whole
//! ```
//!
//! The last three bytes of a window cannot be judged; the next window begins at the first item there. No window depends
//! on another.
//!
//! Where there are no errors, the validating kernel runs, and what it finds clean is copied while it is in the nearest
//! cache. A window begins at the last boundary before the suspect block. On levels with masks (avx512), four blocks are
//! judged in registers and stored from there, and a window begins exactly at the error: one window per error, unless
//! errors are close together.
//!
//! In ASCII text, a single non-ASCII byte is an error: there a window only needs the highest bits.
//!
//! # Deviations
//! The tables are exact enough for dialects of one to four bytes whose limits lie between nibbles: [`Grammar::exact`]
//! tells which, RFC 3629 among them. The definition repairs the others.
//!
//! # Tried
//! AVX2, Zen 3, 2026-11-21, German, GB/s with an error every 1000, 100, 10 bytes: this kernel 10.6, 3.8, 1.4.
//! - The definition for each error and 16 bytes after it, then the validating kernel again: 0.4 to 0.75 times
//!   `String::from_utf8_lossy` for the last two (which reaches 2.1, 1.5, 0.4).
//! - A second window without an error before returning to the validating kernel: 9.8, 4.1, 1.4.
//! - Clean runs validated completely, then copied: 7.2, 3.6, 1.4.
//! - Each block copied as it is found clean, instead of several by `memcpy` (old and new in turns, 2026-11-22): Russian
//!   with an error every 10,000 and 1000 bytes 1.15 and 1.07 times as fast, English 0.9 to 1.0, its clean ASCII 0.87.
//! - Only one window after four clean blocks: 1.05 with an error every 1000 bytes, 0.96 every 100.
//! - Without a validation by whole blocks of its own: windows that begin exactly at the error on all levels. On AVX2
//!   0.94, 0.93 and 0.85 with an error every 10,000, 1000 and 100 bytes, 0.71 in ASCII; on AVX-512 1.02 (Zen 5,
//!   2026-11-22).
//! - Long replacements and the listener in cold functions, so that the loop keeps its registers (AVX-512 and AVX2, Zen
//!   5, 2026-11-22): 1.03 with an error every 1000 bytes, 0.7 where every other byte is an error.
//!
//! AVX-512 (Zen 5, 2026-11-22, compared with the AVX2 method on it; means over 27 texts): four blocks in registers are
//! 1.35 times as fast with an error every 10,000 bytes, 1.23 every 1000, 0.95 to 1.1 every 100. An error costs 31 ns,
//! as each step waits for the previous one: the suspect byte, its boundary, the window, the next group. Finding the
//! block and the boundary without a branch: 0.95.
//!
//! Windows of ASCII by the highest bits, and the last error of a window, or none, without a branch (AVX-512 and AVX2,
//! Zen 5, 2026-11-22, English and Latin text): 1.3 times as fast with an error every 1000 bytes, 1.5 to 1.7 every 100;
//! dense errors 0.95 to 1. One more window after the last error: 1.1 at 100 bytes and 0.8 at 1000. Errors in ASCII
//! replaced inside the loop over groups of four blocks, without switching to windows and back: 1.25 at 100, 0.8 to 0.9
//! at 1000 and 10,000, as the loop over clean groups loses registers.
//!
//! Where errors are far from each other, a non-ASCII byte before ASCII is a window by itself (AVX-512, Zen 5, means
//! over 27 texts): 1.06 to 1.13 with an error every 1000 bytes, 1.03 every 100, 1.0 every 10,000. Wherever they are:
//! 0.75 in English with one every 100. As a branch of its own instead of a window: 0.87 to 0.97 every 10,000.
//!
//! After an error, groups written to whole cache lines (some bytes twice), which makes conversions of ASCII faster
//! (AVX-512, Granite Rapids, 2026-11-25): 1.03 to 1.06 in English with an error every 10,000 bytes, 0.92 to 0.95 in the
//! mean of all texts every 10,000 and 1000 bytes.
//!
//! What is left (AVX2, Zen 5, 64 KiB with an error every 10,000 bytes): copying takes 0.69 µs, validation 0.53 µs in
//! English and 2.4 in Russian, everything 1.4 and 3.4; `encoding_rs` takes 1.4 and 4.2. Half of that is less than the
//! validation of Russian, and what the copy of English takes. Tried there, compared with this kernel:
//! - Each block copied as it is found clean, runs of ASCII by `memcpy`: 0.85. Groups of ASCII stored as they are
//!   tested: 0.98, and 0.9 in English on SSE4. Clean blocks copied by a loop instead of `memcpy`: 0.96, SSE4 0.92.
//! - A single window after eight clean blocks: 1.04 with an error every 1000 bytes, 0.97 every 100.
//!
//! Blocks after an error begin in the middle of a cache line on AVX2, as in [`super::validate`] (Sapphire Rapids,
//! 2026-11-26): 1.06 to 1.17 times as fast with an error every 10,000 bytes, 1.03 to 1.2 every 1000, 1.0 to 1.09 every
//! 100. Found by way of the first vectors instead of the first block: 0.9 to 1.0 every 100. Compared with this there:
//! - Each block stored in the loop that validates it: Hindi 1.03, Russian 0.86, English and ASCII 0.55 to 0.7, as half
//!   of the stores cross a line.
//! - 112 blocks copied at a time, by `rep movsb`: 1.0 to 1.06; 2000: 0.95 to 1.04.
//!
//! What is left there, in cycles per block of 64 KiB with an error every 10,000 bytes: a copy alone takes 4.8. English
//! on avx512 takes 6.3 and 19 for each error; 1.2 times as fast as `encoding_rs` would leave 1.1 for validation, which
//! takes 2.1 by itself. Emoji on AVX2 take 19.2, as long as `encoding_rs`; 14.1 of it is validation. Copying 56 blocks
//! at a time instead of 28: 0.995 every 10,000 bytes, 1.008 every 1000.
//!
//! Blocks are validated by the loop of [`super::validate`], not by one of their own that was passed the vector before
//! each block: 1.0 on AVX-512; on AVX2 and SSE4 0.97 to 1.0, in English 0.96 with an error every 10,000 bytes and 0.92
//! every 1000 (Zen 4, 2026-11-23). Tried for that: runs of ASCII in a loop of their own, other numbers of blocks at a
//! time, and going on from the window without an error.

#[cfg(feature = "alloc")]
use core::mem;
use core::ops::Range;

use super::items::Items;
#[cfg(feature = "alloc")]
use super::tables::FILLER;
use super::tables::{PairTables, Tables};
use super::validate::GROUP;
use crate::grammar::Grammar;
use crate::out::{Out, Reserved};
use crate::policy::Each;
use crate::reference::validate::boundary_before;
use crate::simd::{BLOCK, Keep, Kernel, MaskedToken, Token, Vector};
#[cfg(feature = "alloc")]
use crate::simd::{MAX_SHORT, Short};

/// The items that begin in a block whose first byte begins an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Where items begin, one bit per byte.
    starts: u64,
    /// Where errors begin, one bit per byte.
    pub(crate) errors: u64,
    /// How many bytes the judged items take: where the next window begins.
    pub(crate) len: usize,
}

/// The last bytes of a block: items that begin before them are decided by the bytes of the block.
const UNDECIDED: u64 = 0b111 << (BLOCK - 3);

impl Window {
    /// A single byte that is an error.
    const OF_ONE_ERROR: Window = Window { starts: u64::MAX, errors: 1, len: 1 };

    /// Judges a block. In ASCII with isolated non-ASCII bytes, each of those is an error, and no table is needed.
    #[inline(always)]
    fn new<T: Token>(token: T, pair_tables: &PairTables<T::Vector>, block: &[u8; BLOCK]) -> Window {
        let mut high = 0;
        for part in 0..BLOCK / T::Vector::LEN {
            high |= token.load(block, part).high_bits() << (part * T::Vector::LEN);
        }
        if high & (high >> 1 | 1 << (BLOCK - 1)) == 0 {
            return Window { starts: u64::MAX, errors: high, len: BLOCK };
        }
        Window::by_tables(token, pair_tables, block)
    }

    /// [`Window::new`] without the test for ASCII, which successive short inputs would answer differently each time.
    #[inline(always)]
    fn by_tables<T: Token>(token: T, pair_tables: &PairTables<T::Vector>, block: &[u8; BLOCK]) -> Window {
        let items = Items::new(token, pair_tables, block, &Items::default(), token.splat(0));
        let Items { high, second, second_of_3, third, third_of_4, fourth, .. } = items;
        let starts = items.starts();
        let whole = !high | (second & !second_of_3) >> 1 | (third & !third_of_4) >> 2 | fourth >> 3;
        let next = starts & UNDECIDED;
        Window { starts, errors: starts & !whole & !UNDECIDED, len: next.trailing_zeros() as usize }
    }

    /// Returns where the item ends that begins at `start`, which is in the window.
    #[inline(always)]
    fn end(self, start: usize) -> usize {
        let behind = self.starts & (!1_u64).wrapping_shl(start as u32);
        (behind.trailing_zeros() as usize).min(self.len)
    }
}

/// Judges a single window, for callers that iterate over errors.
pub(crate) struct FindItems<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) block: &'b [u8; BLOCK],
}

impl Kernel for FindItems<'_> {
    type Output = Option<Window>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<Window> {
        Some(Window::new(token, &PairTables::new(token, self.grammar), self.block))
    }
}

/// Copies a short input with U+FFFD for each error, all or nothing. With an error every 100 bytes, 0 to 200 bytes are
/// repaired 1.5 to 3 times as fast as by the engine (SSE4 and AVX2, Zen 5, 2026-11-22).
#[cfg(feature = "alloc")]
pub(crate) struct ReplaceShort<'a, 'o> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    /// By reference: what a call returns in memory is copied there once more, and the copy waits for it.
    pub(crate) out: &'a mut Out<'o>,
}

#[cfg(feature = "alloc")]
impl Short for ReplaceShort<'_, '_> {
    #[inline(always)]
    fn is_for<T: Token>(&self, _: T) -> bool {
        self.grammar.exact && self.bytes.len() <= MAX_SHORT
    }
}

#[cfg(feature = "alloc")]
impl Kernel for ReplaceShort<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        token.keep(self)
    }
}

#[cfg(feature = "alloc")]
impl<T: Token> Keep<T> for ReplaceShort<'_, '_> {
    type Output = bool;

    /// Searches errors one window at a time, and copies the bytes between them one vector at a time.
    #[inline(always)]
    fn by_compress(self, token: T) -> bool {
        let ReplaceShort { grammar, bytes, out: theirs } = self;
        let mut out = mem::take(theirs);
        let start = out.written();
        let pair_tables = PairTables::new(token, grammar);
        let replacement = token.table(&REPLACEMENT);
        let (mut rest, mut fits) = (bytes, true);
        while fits && !rest.is_empty() {
            let mut block = [0; BLOCK];
            block.copy_from_slice(token.load_front(rest, FILLER).to_bytes().as_ref());
            let window = Window::by_tables(token, &pair_tables, &block);
            // The judged part: ASCII follows the last bytes, so that a sequence cut off there is an error.
            let end = window.len.min(rest.len());
            let mut errors = window.errors & u64::MAX >> (BLOCK - end);
            let mut copied = 0;
            while errors != 0 {
                let error = errors.trailing_zeros() as usize;
                fits &= out.push_lanes(token.load_front(&rest[copied..error], 0), error - copied);
                fits &= out.push_lanes(replacement, "\u{FFFD}".len());
                copied = window.end(error).min(end);
                errors &= errors - 1;
            }
            fits &= out.push_lanes(token.load_front(&rest[copied..end], 0), end - copied);
            rest = &rest[end..];
        }
        if !fits {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        fits
    }

    /// Searches errors in windows of a copy that ASCII follows, and copies whole blocks.
    #[inline(always)]
    fn by_tables(self, token: T) -> bool {
        let ReplaceShort { grammar, bytes, out: theirs } = self;
        let mut padded = [FILLER; MAX_SHORT + 2 * BLOCK];
        let Some(place) = padded.get_mut(..bytes.len()) else { return false };
        place.copy_from_slice(bytes);
        let mut out = mem::take(theirs);
        let start = out.written();
        let pair_tables = PairTables::new(token, grammar);
        let replacement = Replacement::new(Each::Subpart, "\u{FFFD}".as_bytes());
        let most = replacement.most();
        let mut at = 0;
        while at < bytes.len()
            && let Some(two) = padded[at..].first_chunk()
            && let Some(mut reserved) = out.reserve(most)
        {
            let window = Window::by_tables(token, &pair_tables, front(two, 0));
            let len = window.len.min(bytes.len() - at);
            let window = Window { len, errors: window.errors & u64::MAX >> (BLOCK - len), ..window };
            let mut place = WindowWriter { two, at, copied: 0, run_end: usize::MAX };
            place.put(window, &replacement, &mut None, &mut reserved);
            at += len;
        }
        let done = at >= bytes.len();
        if !done {
            out.take_back(out.written() - start);
        }
        *theirs = out;
        done
    }
}

/// U+FFFD, and a byte that is not used.
#[cfg(feature = "alloc")]
const REPLACEMENT: [u8; 16] = [0xEF, 0xBF, 0xBD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The length of the longest error: the first three bytes of a four-byte sequence.
const MAX_ERROR: usize = 3;

/// The text that replaces errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement<'p> {
    text: &'p [u8],
    each: Each,
    /// The text, repeated as often as one error can need it, if it is short.
    pub(crate) bytes: [u8; MAX_ERROR * MAX_SHORT_TEXT],
    /// How many of those bytes are written, by the length of the error; none for length zero.
    lens: [usize; MAX_ERROR + 1],
    /// Whether an error directly after another is replaced by nothing.
    once_a_run: bool,
}

/// The longest replacement, in bytes, that is written by a store of fixed length.
const MAX_SHORT_TEXT: usize = 8;

impl<'p> Replacement<'p> {
    /// Creates a replacement: `text`, in the encoding of the input, for each unit that `each` names.
    pub(crate) fn new(each: Each, text: &'p [u8]) -> Replacement<'p> {
        let mut bytes = [0; MAX_ERROR * MAX_SHORT_TEXT];
        if text.len() <= MAX_SHORT_TEXT {
            for i in 0..MAX_ERROR {
                bytes[i * text.len()..][..text.len()].copy_from_slice(text);
            }
        }
        let len = text.len();
        let lens = if each == Each::Byte { [0, len, 2 * len, 3 * len] } else { [0, len, len, len] };
        Replacement { text, each, bytes, lens, once_a_run: each == Each::Run }
    }

    /// Reports whether [`Replacement::bytes`] hold everything that is written for an error.
    #[inline(always)]
    pub(crate) fn is_short(&self) -> bool {
        self.text.len() <= MAX_SHORT_TEXT
    }

    /// Returns how many bytes are written for an error of `len` bytes; `joined`: directly after another.
    #[inline(always)]
    pub(crate) fn len(&self, len: usize, joined: bool) -> usize {
        if self.once_a_run && joined { 0 } else { self.lens[len & MAX_ERROR] }
    }

    /// [`Replacement::len`] as an iterator over the texts to write.
    pub(crate) fn texts(&self, len: usize, joined: bool) -> impl Iterator<Item = &'p [u8]> {
        let count = match self.each {
            Each::Byte => len,
            Each::Run => usize::from(!joined && len > 0),
            _ => usize::from(len > 0),
        };
        core::iter::repeat_n(self.text, count)
    }

    /// The most bytes written for a window of 64, including what stores may write after them.
    #[inline(always)]
    pub(crate) fn most(&self) -> usize {
        BLOCK * self.text.len().max(1) + BLOCK + self.bytes.len()
    }
}

/// A callback for every error, with its range and what was written for it.
pub(crate) type Listener<'l> = Option<&'l mut dyn FnMut(Range<usize>, &[u8])>;

/// Copies text and replaces its errors, as long as whole blocks and room are left. The text begins with an item.
pub(crate) struct Replace<'a, 'l, 'o> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) replacement: &'a Replacement<'a>,
    pub(crate) listener: Listener<'l>,
    /// Whether an error ends directly before the bytes.
    pub(crate) in_run: bool,
}

/// How far [`Replace`] got.
pub(crate) struct Replaced<'o> {
    pub(crate) read: usize,
    pub(crate) out: Out<'o>,
    /// Whether the last item was an error.
    pub(crate) in_run: bool,
    /// Whether there were errors.
    pub(crate) found: bool,
}

/// How many blocks are validated before they are copied: few enough to still be in the nearest cache, and too few for
/// `memcpy` to choose `rep movsb`, which is several times slower at unlucky addresses.
const MAX_COPIED: usize = 28;

impl<'o> Replace<'_, '_, 'o> {
    /// Leaves everything to the definition.
    pub(crate) fn nothing(self) -> Replaced<'o> {
        Replaced { read: 0, out: self.out, in_run: self.in_run, found: false }
    }
}

impl<'o> Kernel for Replace<'_, '_, 'o> {
    type Output = Replaced<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Replaced<'o> {
        let Replace { grammar, bytes, mut out, replacement, mut listener, in_run } = self;
        // A copy, which no store of text may alias, so that it stays in registers.
        let replacement = *replacement;
        let tables = Tables::new(token, grammar);
        // Where the last error ended.
        let in_front = if in_run { 0 } else { usize::MAX };
        let mut run_end = in_front;
        let mut at = 0;
        // Where the clean run began.
        let mut from = 0;
        let most = replacement.most();
        while bytes.len() - at >= 2 * BLOCK && out.remaining() >= most {
            let copy =
                CopyGroups { tables: &tables, bytes: &bytes[from..], at: at - from, out: &mut out, most };
            let (clean, suspect) = token.keep(copy);
            at = from + clean;
            if !suspect {
                let start =
                    if at > from { Some(at - from) } else { tables.clean_first_block(token, &bytes[from..]) };
                if let Some(start) = start {
                    // The first block may be copied, too.
                    let some =
                        (bytes.len() - from - start).min(out.remaining().saturating_sub(BLOCK)) / BLOCK;
                    let goal = from + start + some.min(MAX_COPIED) * BLOCK;
                    let clean = from + tables.clean_blocks(token, &bytes[from..goal], start);
                    if !out.push(&bytes[at..clean]) {
                        break;
                    }
                    at = clean;
                    if clean == goal {
                        continue;
                    }
                }
            }
            let cut_off = at - from - boundary_before(&bytes[from..], at - from);
            out.take_back(cut_off);
            at -= cut_off;
            // Windows, as long as they contain errors.
            while let Some(two) = bytes[at..].first_chunk::<{ 2 * BLOCK }>()
                && let Some(mut reserved) = out.reserve(most)
            {
                // Far from others, a non-ASCII byte before ASCII needs no look at what follows.
                let window = if suspect && at - from >= GROUP * BLOCK && two[0] >= 0x80 && two[1] < 0x80 {
                    Window::OF_ONE_ERROR
                } else {
                    Window::new(token, &tables.pair_tables, front(two, 0))
                };
                let mut place = WindowWriter { two, at, copied: 0, run_end };
                place.put(window, &replacement, &mut listener, &mut reserved);
                run_end = place.run_end;
                at += window.len;
                // An error soon after the suspect one shows that errors are close together.
                if window.errors >> (if suspect { ISOLATED } else { 0 }) == 0 {
                    break;
                }
            }
            from = at;
        }
        let cut_off = at - from - boundary_before(&bytes[from..], at - from);
        out.take_back(cut_off);
        at -= cut_off;
        Replaced { read: at, out, in_run: run_end == at, found: run_end != in_front }
    }
}

/// How much of a window has been written.
struct WindowWriter<'b> {
    /// The window, and the block after it.
    two: &'b [u8; 2 * BLOCK],
    /// Where the window begins in the text.
    at: usize,
    /// How many of its bytes have been written.
    copied: usize,
    /// Where the last error ended in the text.
    run_end: usize,
}

impl WindowWriter<'_> {
    /// Writes a window.
    #[inline(always)]
    fn put(
        &mut self,
        window: Window,
        replacement: &Replacement<'_>,
        listener: &mut Listener<'_>,
        reserved: &mut Reserved<'_>,
    ) {
        let mut errors = window.errors;
        let mut error = errors.trailing_zeros() as usize;
        while errors & errors.wrapping_sub(1) != 0 {
            self.replace(error..window.end(error), replacement, listener, reserved);
            errors &= errors - 1;
            error = errors.trailing_zeros() as usize;
        }
        // The last error, if any, without a branch: most windows have one or none, which is hard to predict.
        let last = if errors == 0 { window.len..window.len } else { error..window.end(error) };
        self.replace(last, replacement, listener, reserved);
        reserved.push_front_of(front(self.two, self.copied), window.len - self.copied);
    }

    /// Copies the bytes before an error and writes its replacement; for an empty error, only copies.
    #[inline(always)]
    fn replace(
        &mut self,
        error: Range<usize>,
        replacement: &Replacement<'_>,
        listener: &mut Listener<'_>,
        reserved: &mut Reserved<'_>,
    ) {
        // Always sixty-four bytes, however short the run: the surplus is overwritten later.
        reserved.push_front_of(front(self.two, self.copied), error.start - self.copied);
        let (len, joined) = (error.len(), self.run_end == self.at + error.start);
        let written = reserved.written();
        if replacement.is_short() {
            reserved.push_front_of(&replacement.bytes, replacement.len(len, joined));
        } else {
            replacement.texts(len, joined).for_each(|text| reserved.push(text));
        }
        self.copied = error.end;
        if len > 0 {
            self.run_end = self.at + error.end;
            if let Some(listener) = listener {
                listener(self.at + error.start..self.at + error.end, reserved.since(written));
            }
        }
    }
}

/// Within this distance from the start of a window that begins with an error, another error does not count as close.
const ISOLATED: usize = 8;

/// Copies groups of blocks from `at` on, up to the first suspect byte; returns where it stopped, and whether at one.
/// Only on levels with masks, where a group is in registers when it is judged, and is stored from there; does nothing
/// on others.
struct CopyGroups<'a, 'o, V> {
    tables: &'a Tables<V>,
    bytes: &'a [u8],
    at: usize,
    out: &'a mut Out<'o>,
    most: usize,
}

impl<T: Token> Keep<T> for CopyGroups<'_, '_, T::Vector> {
    type Output = (usize, bool);

    #[inline(always)]
    fn by_tables(self, _: T) -> (usize, bool) {
        (self.at, false)
    }

    #[inline(always)]
    fn by_compress(self, token: T) -> (usize, bool)
    where
        T: MaskedToken,
    {
        let CopyGroups { tables, bytes, mut at, out, most } = self;
        let mut before = if at >= BLOCK { token.load_at(bytes, at - BLOCK) } else { token.splat(0) };
        for group in bytes[at..].as_chunks().0.as_chunks::<GROUP>().0 {
            if out.remaining() < most {
                break;
            }
            let Some(mut reserved) = out.reserve(GROUP * BLOCK) else { break };
            let vectors = group.map(|block| token.load(&block, 0));
            for vector in vectors {
                reserved.push_units::<1>(vector.to_bytes(), BLOCK);
            }
            if let Some(suspect) = tables.first_suspect_of_group(token, group.as_flattened(), vectors, before)
            {
                reserved.keep(0, suspect);
                return (at + suspect, true);
            }
            before = vectors[GROUP - 1];
            at += GROUP * BLOCK;
        }
        (at, false)
    }
}

/// Returns the block that begins at a byte of the first of two blocks.
#[inline(always)]
fn front(two: &[u8; 2 * BLOCK], at: usize) -> &[u8; BLOCK] {
    two[at.min(BLOCK)..].first_chunk().unwrap_or(&[0; BLOCK])
}
