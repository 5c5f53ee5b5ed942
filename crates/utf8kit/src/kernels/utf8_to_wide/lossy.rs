//! Converts and replaces errors. Each block that stops the conversion is repaired into a window of its own, which is
//! converted like any other.

use super::{Conversion, LOOKBEHIND_BYTES, RunWindows, SPILL_BYTES, WINDOW_BYTES, run_windows};
use crate::grammar::{Grammar, is_continuation};
use crate::kernels::repair::{FindItems, Listener, Replaced, Replacement, Window, front};
use crate::out::Out;
use crate::reference::convert::Wide;
use crate::simd::{BLOCK_BYTES, Kernel, Token};

/// Converts text and replaces its errors, as long as these are far apart and at least two blocks and enough capacity
/// are left. The text must begin with an item; so does the rest.
pub(crate) struct WidenLossy<'a, 'l, 'o, U> {
    pub(crate) grammar: &'static Grammar,
    pub(crate) bytes: &'a [u8],
    pub(crate) out: Out<'o>,
    pub(crate) target: U,
    /// A short replacement.
    pub(crate) replacement: &'a Replacement<'a>,
    pub(crate) listener: Listener<'l>,
    /// Whether an error ends directly before the bytes.
    pub(crate) in_run: bool,
}

impl<'o, U> WidenLossy<'_, '_, 'o, U> {
    /// Leaves everything to the reference implementation.
    pub(crate) fn nothing(self) -> Replaced<'o> {
        Replaced { read: 0, out: self.out, in_run: self.in_run, found: false }
    }
}

impl<'o, U: Wide> Kernel for WidenLossy<'_, '_, 'o, U> {
    type Output = Replaced<'o>;

    #[inline(always)]
    fn call<T: Token>(self, token: T) -> Replaced<'o> {
        convert(self, &|windows| run_windows(token, windows), &|items| find_items(token, items))
    }
}

/// Runs [`FindItems`]: one function for all targets.
#[inline(never)]
fn find_items<T: Token>(token: T, work: FindItems<'_>) -> Option<Window> {
    token.run(work)
}

/// [`WidenLossy`], given the operations of a level: one function for all levels, called once for each conversion.
fn convert<'o, U: Wide>(
    work: WidenLossy<'_, '_, 'o, U>,
    run_windows: &RunWindows<'_, U>,
    find_items: &dyn Fn(FindItems<'_>) -> Option<Window>,
) -> Replaced<'o> {
    let WidenLossy { grammar, bytes, out, target, replacement, mut listener, in_run } = work;
    let mut conversion = Conversion { grammar, bytes, target, at: 0, four: false, out, run_windows };
    let in_front = if in_run { 0 } else { usize::MAX };
    let mut repair = Repair { replacement, run_end: in_front, buffer: [0; WINDOW_BUFFER_BYTES] };
    // Where the last error was replaced, and how many errors in a row were near the error before.
    let (mut last, mut near) = (0, 0);
    while let Some(two) = bytes[conversion.at..].first_chunk()
        && conversion.out.remaining() >= BLOCK_BYTES * U::UNIT + SPILL_BYTES
        && let Some(items) = find_items(FindItems { grammar, block: front(two, 0) })
    {
        let start = conversion.at;
        if items.errors != 0 {
            near = if start - last < MAX_BYTES_BETWEEN_NEAR_ERRORS { near + 1 } else { 0 };
            last = start;
            if near >= MAX_NEAR_ERRORS {
                break;
            }
        }
        let RepairedPart { read, written, is_next_suspect } = repair.piece(start, two, items, &mut listener);
        conversion.four = false;
        conversion.run(repair.window());
        conversion.out.take_back((BLOCK_BYTES - written) * U::UNIT);
        conversion.at = start + read;
        if !is_next_suspect {
            conversion.body();
            conversion.back_to_boundary();
        }
    }
    let Conversion { at, out, .. } = conversion;
    Replaced { read: at, out, in_run: repair.run_end == at, found: repair.run_end != in_front }
}

/// If this many errors in a row follow each other within this many bytes, it is faster to repair all of the text first.
const MAX_NEAR_ERRORS: u32 = 3;
const MAX_BYTES_BETWEEN_NEAR_ERRORS: usize = 4 * BLOCK_BYTES;

/// Repairs blocks into windows.
struct Repair<'a> {
    replacement: &'a Replacement<'a>,
    /// Where the last error ended.
    run_end: usize,
    buffer: [u8; WINDOW_BUFFER_BYTES],
}

/// The length of a window, plus the bytes that are overwritten later.
const WINDOW_BUFFER_BYTES: usize = LOOKBEHIND_BYTES + 2 * BLOCK_BYTES + 1;

/// A part of the input that was repaired.
struct RepairedPart {
    /// Its length in the input.
    read: usize,
    /// Its length in the window.
    written: usize,
    /// Whether an error is so near the end, before or after it, that the following bytes need a repair as well.
    is_next_suspect: bool,
}

impl Repair<'_> {
    /// Repairs the items at the start of `two`, which is at `at` in the input. Their result is at most a block.
    #[cfg_attr(not(feature = "any"), inline)]
    fn piece(
        &mut self,
        at: usize,
        two: &[u8; 2 * BLOCK_BYTES],
        items: Window,
        listener: &mut Listener<'_>,
    ) -> RepairedPart {
        let (mut copied, mut written, mut errors) = (0, 0, items.errors);
        while errors != 0 {
            let error = errors.trailing_zeros() as usize;
            let end = items.end(error);
            let len = self.replacement.len(end - error, self.run_end == at + error);
            let start = written + error - copied;
            if start + len > BLOCK_BYTES {
                break;
            }
            self.put(written, front(two, copied));
            self.put(start, &self.replacement.bytes);
            (copied, written, self.run_end) = (end, start + len, at + end);
            if let Some(listener) = listener {
                listener(at + error..at + end, &self.replacement.bytes[..len]);
            }
            errors &= errors - 1;
        }
        let next = if errors == 0 { items.len } else { errors.trailing_zeros() as usize };
        let end = items.boundary_before(next.min(copied + BLOCK_BYTES - written));
        self.put(written, front(two, copied));
        written += end - copied;
        self.put(written, &[0; BLOCK_BYTES + 1]);
        // No window tests its first byte: the one before it has.
        let is_error = two.get(end).is_some_and(|&next| is_continuation(next));
        let is_near = self.run_end.wrapping_add(LOOKBEHIND_BYTES) > at + end;
        RepairedPart { read: end, written, is_next_suspect: is_error || is_near || at + end < LOOKBEHIND_BYTES }
    }

    /// Writes bytes at a position of the window. Surplus bytes are overwritten later.
    #[inline(always)]
    fn put<const N: usize>(&mut self, at: usize, bytes: &[u8; N]) {
        if let Some(place) = self.buffer[LOOKBEHIND_BYTES..][at..].first_chunk_mut() {
            *place = *bytes;
        }
    }

    /// Returns the window of the last piece, with NULs around it.
    #[cfg_attr(not(feature = "any"), inline)]
    fn window(&self) -> &[u8; WINDOW_BYTES] {
        self.buffer.first_chunk().unwrap_or(&[0; WINDOW_BYTES])
    }
}
