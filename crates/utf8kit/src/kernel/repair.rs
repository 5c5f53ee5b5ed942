//! Where the items of broken text begin and which of them are errors, 64 bytes at once: the kernel behind `repair`,
//! `errors` and lossy conversion where errors are near each other.
//!
//! # Algorithm
//! A window begins where an item does. The tables of [`super::validate`] say which second bytes each lead allows, two
//! bits of each byte what it is, and shifted masks of 64 bits the rest:
//!
//! ```text
//! second    a byte after a lead that the tables do not refuse
//! third     a continuation after the second of a lead of three or more
//! fourth    a continuation after the third of a lead of four
//! starts    all that is none of these: the longest prefix that could go on is one item, whole or not
//! whole     ASCII, or the last byte of the lead's length is there
//! errors    starts that are not whole
//! ```
//!
//! That is the rule of maximal subparts (The Unicode Standard, 3.9) word for word, so nothing is left for the definition
//! but to name the kinds. The last three bytes of a window cannot be judged; the next window begins at the first
//! item there. No window depends on another.
//!
//! # Deviations
//! The tables are as exact as this needs for the dialects of one to four bytes whose limits lie between nibbles:
//! [`Grammar::exact`] says so, of RFC 3629 and whichever else. The rest is repaired by the definition.
//!
//! # Tried
//! The definition for each error and 16 bytes behind it, then the validating kernel again: 0.4 to 0.75 times the speed
//! of `String::from_utf8_lossy` where every tenth to hundredth byte is broken (AVX2, Zen 3, 2026-11-21).

use core::ops::Range;

use super::validate::Refusals;
use crate::arch::{BLOCK, Kernel, Token, Vector};
use crate::dialect::Grammar;
use crate::encoding::ENCODED;
use crate::out::Out;
use crate::repair::Each;

/// The items that begin in a block that begins with one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Where items begin.
    starts: u64,
    /// Where errors do.
    pub(crate) errors: u64,
    /// How many bytes the judged items take: where the next window begins.
    pub(crate) len: usize,
}

/// Items that begin in front of these are decided by the bytes of their block.
const UNDECIDED: u64 = 0b111 << (BLOCK - 3);

impl Window {
    #[inline(always)]
    fn new<T: Token>(token: T, refusals: &Refusals<T::Vector>, block: &[u8; BLOCK]) -> Window {
        let (mut high, mut six, mut five, mut four, mut allowed) = (0, 0, 0, 0, 0);
        let mut before = token.splat(0);
        for part in 0..BLOCK / T::Vector::LEN {
            let this = token.load(block, part);
            let place = part * T::Vector::LEN;
            high |= this.high_bits() << place;
            six |= this.shift_left::<1>().high_bits() << place;
            five |= this.shift_left::<2>().high_bits() << place;
            four |= this.shift_left::<3>().high_bits() << place;
            allowed |= refusals.allowed(this, this.prev1(before)).high_bits() << place;
            before = this;
        }
        let continuations = high & !six;
        let leads = high & six;
        let leads_3 = leads & five;
        let leads_4 = leads_3 & four;
        let second = leads << 1 & allowed;
        let third = (second & leads_3 << 1) << 1 & continuations;
        let fourth = (third & leads_4 << 2) << 1 & continuations;
        let starts = !(second | third | fourth);
        let whole = !high | (second & !(leads_3 << 1)) >> 1 | (third & !(leads_4 << 2)) >> 2 | fourth >> 3;
        let next = starts & UNDECIDED;
        Window { starts, errors: starts & !whole & !UNDECIDED, len: next.trailing_zeros() as usize }
    }

    /// Where the item ends that begins at `start`.
    #[inline(always)]
    fn end(self, start: usize) -> usize {
        let behind = self.starts & (!1 << start);
        (behind.trailing_zeros() as usize).min(self.len)
    }
}

/// One window, for who asks for errors. `None` on levels without a byte shuffle.
pub(crate) struct Look<'b> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) block: &'b [u8; BLOCK],
}

impl Kernel for Look<'_> {
    type Output = Option<Window>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Option<Window> {
        T::SHUFFLE.then(|| Window::new(token, &Refusals::new(token, self.grammar), self.block))
    }
}

/// What is put for errors: the front of `bytes`, for each of what one replacement stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement {
    pub(crate) each: Each,
    pub(crate) bytes: [u8; ENCODED],
    pub(crate) len: usize,
}

/// Is told of every error, and what was put for it.
pub(crate) trait Listener {
    fn error(&mut self, span: Range<usize>, after: &[u8]);
}

impl Listener for () {
    #[inline(always)]
    fn error(&mut self, _: Range<usize>, _: &[u8]) {}
}

/// How many windows without an error end a stretch of broken text: the validating kernel is faster there.
const QUIET: usize = 4;

/// Copies text and replaces its errors, as long as there are some and whole blocks and room are left. The text begins
/// with an item.
pub(crate) struct Mend<'a, 'o, 'l, L> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) replacement: Replacement,
    pub(crate) listener: &'l mut L,
    /// An error stands right in front.
    pub(crate) in_run: bool,
}

/// How far [`Mend`] came.
pub(crate) struct Mended<'o> {
    pub(crate) read: usize,
    pub(crate) out: Out<'o>,
    /// The last item was an error.
    pub(crate) in_run: bool,
}

impl<'o, L: Listener> Kernel for Mend<'_, 'o, '_, L> {
    type Output = Mended<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Mended<'o> {
        let Mend { grammar, bytes, mut out, replacement, listener, in_run } = self;
        let mut at = 0;
        // Where the last error ended.
        let mut run_end = if in_run { 0 } else { usize::MAX };
        let mut quiet = 0;
        if T::SHUFFLE {
            let refusals = Refusals::new(token, grammar);
            // Stretches are copied 64 bytes at a time, however short they are: what is behind is overwritten.
            while quiet < QUIET
                && let Some((block, _)) = bytes[at..].get(..2 * BLOCK).and_then(<[u8]>::split_first_chunk)
                && let Some(mut room) = out.room_for(BLOCK * replacement.len.max(1) + BLOCK + ENCODED)
            {
                let window = Window::new(token, &refusals, block);
                let (mut errors, mut copied) = (window.errors, 0);
                quiet = if errors == 0 { quiet + 1 } else { 0 };
                while errors != 0 {
                    let start = errors.trailing_zeros() as usize;
                    let end = window.end(start);
                    errors &= errors - 1;
                    room.push_units::<1, BLOCK>(block_at(bytes, at + copied), start - copied);
                    let count = match replacement.each {
                        Each::Subpart | Each::Java => 1,
                        Each::Byte => end - start,
                        Each::Run => usize::from(run_end != at + start),
                    };
                    let before = room.written();
                    for _ in 0..count {
                        room.push_units::<1, ENCODED>(replacement.bytes, replacement.len);
                    }
                    listener.error(at + start..at + end, room.since(before));
                    copied = end;
                    run_end = at + end;
                }
                room.push_units::<1, BLOCK>(block_at(bytes, at + copied), window.len - copied);
                at += window.len;
            }
        }
        Mended { read: at, out, in_run: run_end == at }
    }
}

/// The 64 bytes from `at` on, which are there.
#[inline(always)]
fn block_at(bytes: &[u8], at: usize) -> [u8; BLOCK] {
    bytes[at..].first_chunk().copied().unwrap_or([0; BLOCK])
}
