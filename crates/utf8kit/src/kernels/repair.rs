//! Finds where the items of invalid text begin and which of them are errors, 64 bytes at once: the kernel of `repair`,
//! `errors` and, where errors are close together, lossy conversion.
//!
//! # Algorithm
//! A window begins with an item. [`super::items`] finds where the others begin, and which are whole:
//!
//! ```text
//! whole     ASCII, or the last byte of the lead's length is present
//! errors    starts that are not whole
//! ```
//!
//! The last three bytes of a window cannot be classified; the next window begins at the first item there. No window
//! depends on another.
//!
//! Where there are no errors, the validating kernel runs, and clean bytes are copied while they are in the L1 cache. A
//! window begins at the last boundary before the suspect block. On levels with lane masks (avx512), four blocks are
//! validated in registers and stored from there, and a window begins exactly at the error, so that each error takes one
//! window unless errors are close together.
//!
//! In ASCII text, a single non-ASCII byte is an error: there a window only needs the highest bits.
//!
//! The tables are exact enough for dialects of one to four bytes whose limits lie between nibbles ([`Grammar::exact`]),
//! RFC 3629 among them. The reference implementation repairs the others.
//!
//! # Decisions
//! - Clean blocks are copied several at a time by `memcpy`, not stored in the loop that validates them, because half of
//!   those stores would cross a cache line.
//! - After a window without an error the validating kernel takes over at once, because a second window slows down texts
//!   with rare errors.
//! - Errors in ASCII are not replaced inside the loop over clean groups, because that loop would spill registers.
//!
//! `bench/record/kernels/repair.md` has the measurements.

#[cfg(feature = "alloc")]
use core::mem;
use core::ops::Range;

use super::items::Items;
#[cfg(feature = "alloc")]
use super::tables::FILLER;
use super::tables::{PairTables, Tables};
use super::validate::BLOCKS_PER_GROUP;
use crate::grammar::Grammar;
use crate::out::{Out, Reserved};
use crate::policy::Each;
use crate::reference::validate::boundary_before;
use crate::simd::{BLOCK_BYTES, Kernel, MaskedToken, Token, Variants, Vector};
#[cfg(feature = "alloc")]
use crate::simd::{MAX_SHORT_BYTES, Short};

/// The items that begin in a block whose first byte begins an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Where items begin, one bit per byte.
    starts: u64,
    /// Where errors begin, one bit per byte.
    pub(crate) errors: u64,
    /// The length of the classified items, which is where the next window begins.
    pub(crate) len: usize,
}

/// The length of the end of a block in which items may depend on the next block.
const BITS_UNDECIDED_AT_END: u64 = 0b111 << (BLOCK_BYTES - 3);

impl Window {
    /// The item of a single byte that is an error.
    const OF_ONE_ERROR: Window = Window { starts: u64::MAX, errors: 1, len: 1 };

    /// Classifies a block. In ASCII with isolated non-ASCII bytes, each of those is an error, and no table is needed.
    #[inline(always)]
    fn new<T: Token>(token: T, pair_tables: &PairTables<T::Vector>, block: &[u8; BLOCK_BYTES]) -> Window {
        let mut high = 0;
        for part in 0..BLOCK_BYTES / T::Vector::LEN {
            high |= token.load(block, part).high_bits() << (part * T::Vector::LEN);
        }
        if high & (high >> 1 | 1 << (BLOCK_BYTES - 1)) == 0 {
            return Window { starts: u64::MAX, errors: high, len: BLOCK_BYTES };
        }
        Window::by_tables(token, pair_tables, block)
    }

    /// [`Window::new`] without the test for ASCII, whose outcome would be unpredictable for successive short inputs.
    #[inline(always)]
    fn by_tables<T: Token>(token: T, pair_tables: &PairTables<T::Vector>, block: &[u8; BLOCK_BYTES]) -> Window {
        let items = Items::new(token, pair_tables, block, &Items::default(), token.splat(0));
        let Items { high, second, second_of_3, third, third_of_4, fourth, .. } = items;
        let starts = items.starts();
        let whole = !high | (second & !second_of_3) >> 1 | (third & !third_of_4) >> 2 | fourth >> 3;
        let next = starts & BITS_UNDECIDED_AT_END;
        Window { starts, errors: starts & !whole & !BITS_UNDECIDED_AT_END, len: next.trailing_zeros() as usize }
    }

    /// Returns the last place up to `at` where an item begins, or the window ends.
    #[inline(always)]
    pub(super) fn boundary_before(self, at: usize) -> usize {
        let up_to = self.starts & u64::MAX.wrapping_shr((BLOCK_BYTES - 1 - at.min(BLOCK_BYTES - 1)) as u32);
        if at >= self.len { self.len } else { up_to.checked_ilog2().unwrap_or(0) as usize }
    }

    /// Returns where the item ends that begins at `start`, which is in the window.
    #[inline(always)]
    pub(super) fn end(self, start: usize) -> usize {
        let later = self.starts & (!1_u64).wrapping_shl(start as u32);
        (later.trailing_zeros() as usize).min(self.len)
    }
}

/// Classifies a single window, for callers that iterate over errors.
pub(crate) struct FindItems<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) block: &'b [u8; BLOCK_BYTES],
}

impl Kernel for FindItems<'_> {
    type Output = Option<Window>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<Window> {
        Some(Window::new(token, &PairTables::new(token, self.grammar), self.block))
    }
}

/// Copies a short input with U+FFFD for each error, all or nothing.
#[cfg(feature = "alloc")]
pub(crate) struct ReplaceShort<'a, 'o> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    /// By reference: returned by value, it would be copied through memory, and the copy would stall on the stores.
    pub(crate) out: &'a mut Out<'o>,
}

#[cfg(feature = "alloc")]
impl Short for ReplaceShort<'_, '_> {
    #[inline(always)]
    fn is_for<T: Token>(&self, _: T) -> bool {
        self.grammar.exact && self.bytes.len() <= MAX_SHORT_BYTES
    }
}

#[cfg(feature = "alloc")]
impl Kernel for ReplaceShort<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> bool {
        token.by_variant(self)
    }
}

#[cfg(feature = "alloc")]
impl<T: Token> Variants<T> for ReplaceShort<'_, '_> {
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
            let mut block = [0; BLOCK_BYTES];
            block.copy_from_slice(token.load_front(rest, FILLER).to_bytes().as_ref());
            let window = Window::by_tables(token, &pair_tables, &block);
            // The classified part: ASCII follows the last bytes, so that a sequence cut off there is an error.
            let end = window.len.min(rest.len());
            let mut errors = window.errors & u64::MAX >> (BLOCK_BYTES - end);
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
        let mut padded = [FILLER; MAX_SHORT_BYTES + 2 * BLOCK_BYTES];
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
            let window = Window { len, errors: window.errors & u64::MAX >> (BLOCK_BYTES - len), ..window };
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

/// The length of the longest error, the first three bytes of a four-byte sequence.
const MAX_BYTES_OF_ERROR: usize = 3;

/// The text that replaces errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement<'p> {
    text: &'p [u8],
    each: Each,
    /// The text, repeated as often as one error can need it, if it is short.
    pub(crate) bytes: [u8; MAX_BYTES_OF_ERROR * MAX_BYTES_OF_SHORT_REPLACEMENT],
    /// How many of those bytes are written, by the length of the error; none for length zero.
    lens: [usize; MAX_BYTES_OF_ERROR + 1],
    /// Whether an error directly after another gets no replacement.
    once_a_run: bool,
}

/// The longest replacement, in bytes, that is written by a store of fixed length.
const MAX_BYTES_OF_SHORT_REPLACEMENT: usize = 8;

impl<'p> Replacement<'p> {
    /// Creates a replacement: `text`, in the encoding of the input, for each unit that `each` names.
    #[cfg_attr(not(feature = "any"), inline)]
    pub(crate) fn new(each: Each, text: &'p [u8]) -> Replacement<'p> {
        let mut bytes = [0; MAX_BYTES_OF_ERROR * MAX_BYTES_OF_SHORT_REPLACEMENT];
        if text.len() <= MAX_BYTES_OF_SHORT_REPLACEMENT {
            for i in 0..MAX_BYTES_OF_ERROR {
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
        self.text.len() <= MAX_BYTES_OF_SHORT_REPLACEMENT
    }

    /// Returns how many bytes are written for an error of `len` bytes; `joined` if it directly follows another.
    #[inline(always)]
    pub(crate) fn len(&self, len: usize, joined: bool) -> usize {
        if self.once_a_run && joined { 0 } else { self.lens[len & MAX_BYTES_OF_ERROR] }
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
        BLOCK_BYTES * self.text.len().max(1) + BLOCK_BYTES + self.bytes.len()
    }
}

/// A callback for every error, with its range and its replacement.
pub(crate) type Listener<'l> = Option<&'l mut dyn FnMut(Range<usize>, &[u8])>;

/// Copies text and replaces its errors, as long as whole blocks and enough capacity are left. The text must begin with
/// an item.
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

/// How many blocks are validated before they are copied: few enough to still be in the L1 cache, and too few for
/// `memcpy` to choose `rep movsb`, which is several times slower at unlucky addresses.
const MAX_BLOCKS_COPIED: usize = 28;

impl<'o> Replace<'_, '_, 'o> {
    /// Leaves everything to the reference implementation.
    pub(crate) fn nothing(self) -> Replaced<'o> {
        Replaced { read: 0, out: self.out, in_run: self.in_run, found: false }
    }
}

impl<'o> Kernel for Replace<'_, '_, 'o> {
    type Output = Replaced<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Replaced<'o> {
        let Replace { grammar, bytes, mut out, replacement, mut listener, in_run } = self;
        // A copy that no store of text can alias, so that it stays in registers.
        let replacement = *replacement;
        let tables = Tables::new(token, grammar);
        // Where the last error ended.
        let in_front = if in_run { 0 } else { usize::MAX };
        let mut run_end = in_front;
        let mut at = 0;
        // Where the clean run began.
        let mut from = 0;
        let most = replacement.most();
        while bytes.len() - at >= 2 * BLOCK_BYTES && out.remaining() >= most {
            let copy = CopyGroups { tables: &tables, bytes: &bytes[from..], at: at - from, out: &mut out, most };
            let (clean, suspect) = token.by_variant(copy);
            at = from + clean;
            if !suspect {
                let start = if at > from { Some(at - from) } else { tables.clean_first_block(token, &bytes[from..]) };
                if let Some(start) = start {
                    // The first block may also be copied.
                    let some =
                        (bytes.len() - from - start).min(out.remaining().saturating_sub(BLOCK_BYTES)) / BLOCK_BYTES;
                    let goal = from + start + some.min(MAX_BLOCKS_COPIED) * BLOCK_BYTES;
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
            while let Some(two) = bytes[at..].first_chunk::<{ 2 * BLOCK_BYTES }>()
                && let Some(mut reserved) = out.reserve(most)
            {
                // Far from other errors, a non-ASCII byte before ASCII can be classified without the following bytes.
                let window =
                    if suspect && at - from >= BLOCKS_PER_GROUP * BLOCK_BYTES && two[0] >= 0x80 && two[1] < 0x80 {
                        Window::OF_ONE_ERROR
                    } else {
                        Window::new(token, &tables.pair_tables, front(two, 0))
                    };
                let mut place = WindowWriter { two, at, copied: 0, run_end };
                place.put(window, &replacement, &mut listener, &mut reserved);
                run_end = place.run_end;
                at += window.len;
                // An error soon after the suspect one shows that errors are close together.
                if window.errors >> (if suspect { MIN_BYTES_TO_SECOND_ERROR } else { 0 }) == 0 {
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

/// The part of a window that has been written.
struct WindowWriter<'b> {
    /// The window, and the block after it.
    two: &'b [u8; 2 * BLOCK_BYTES],
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
const MIN_BYTES_TO_SECOND_ERROR: usize = 8;

/// Copies groups of blocks starting at `at`, up to the first suspect byte. Returns where it stopped, and whether at a
/// suspect byte. Does nothing except on levels with masks, where a group is classified in registers and stored from
/// there.
struct CopyGroups<'a, 'o, V> {
    tables: &'a Tables<V>,
    bytes: &'a [u8],
    at: usize,
    out: &'a mut Out<'o>,
    most: usize,
}

impl<T: Token> Variants<T> for CopyGroups<'_, '_, T::Vector> {
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
        let mut before = if at >= BLOCK_BYTES { token.load_at(bytes, at - BLOCK_BYTES) } else { token.splat(0) };
        for group in bytes[at..].as_chunks().0.as_chunks::<BLOCKS_PER_GROUP>().0 {
            if out.remaining() < most {
                break;
            }
            let Some(mut reserved) = out.reserve(BLOCKS_PER_GROUP * BLOCK_BYTES) else { break };
            let [first, second, third, fourth] = group;
            let vectors = [token.load(first, 0), token.load(second, 0), token.load(third, 0), token.load(fourth, 0)];
            for vector in vectors {
                reserved.push_units::<1>(vector.to_bytes(), BLOCK_BYTES);
            }
            if let Some(suspect) = tables.first_suspect_of_group(token, group.as_flattened(), vectors, before) {
                reserved.truncate_to(0, suspect);
                return (at + suspect, true);
            }
            before = vectors[BLOCKS_PER_GROUP - 1];
            at += BLOCKS_PER_GROUP * BLOCK_BYTES;
        }
        (at, false)
    }
}

/// Returns the block that begins at a byte within the first of two blocks.
#[inline(always)]
pub(super) fn front(two: &[u8; 2 * BLOCK_BYTES], at: usize) -> &[u8; BLOCK_BYTES] {
    two[at.min(BLOCK_BYTES)..].first_chunk().unwrap_or(&[0; BLOCK_BYTES])
}
