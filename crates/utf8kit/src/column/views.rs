//! Columns in Arrow's view layout (`BinaryView`, `Utf8View`): a value of at most 12 bytes is stored in its view, a
//! longer one in one of the buffers.
//!
//! A view is 16 bytes in this machine's byte order, as the format requires: the length; then the value and zeros, or
//! its first four bytes, the buffer's index and the offset in it. `bytes.as_chunks().0` makes views of a buffer of
//! them. The first four bytes of a long value are not checked.
//!
//! ```
//! use utf8kit::column::views;
//! let short = *b"\x04\0\0\0caf\xE9\0\0\0\0\0\0\0\0";
//! let mut bad: Vec<(usize, u64)> = Vec::new();
//! # #[cfg(target_endian = "little")] {
//! views::for_each_bad(&[short], &[b""], None, |index, error| bad.push((index, error.offset)))?;
//! assert_eq!(bad, [(0, 3)]);
//! # }
//! # Ok::<(), utf8kit::column::LayoutError>(())
//! ```

use core::ops::ControlFlow;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, vec::Vec};

use super::{Counts, LayoutError, Validity, suspects_of_block};
use crate::dispatch;
use crate::encoding::Utf8;
use crate::error::Error;
use crate::layout::check_validity;
#[cfg(feature = "alloc")]
use crate::policy::Policy;
use crate::validate::first_error;

/// A view.
pub type View = [u8; 16];

/// The length of the longest value that is stored in its view.
const INLINE: usize = 12;

/// Number of views that are gathered into one text.
const VIEWS: usize = 256;

/// A repaired column: see [`repair`].
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepairedViews {
    /// The new views.
    pub views: Vec<View>,
    /// Buffers to append to those of the column, which stay in use. The views refer to these by the indices that
    /// follow.
    pub buffers: Vec<Vec<u8>>,
    /// Number of slots whose bytes changed.
    pub changed: usize,
}

/// Reports whether every value is well formed. Stops at the first that is not.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before the first ill-formed value. `Ok(true)` means that all of it is valid.
pub fn is_valid<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<bool, LayoutError> {
    first_bad(views, buffers, validity).map(|bad| bad.is_none())
}

/// Returns the index of the first ill-formed value, and its first error, with an offset from the value's first byte.
///
/// # Errors
/// [`LayoutError`] if the layout is broken before that value.
pub fn first_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<Option<(usize, Error)>, LayoutError> {
    let mut first = None;
    visit_bad(views, buffers, validity, |index, _, error| {
        first = Some((index, error));
        ControlFlow::Break(())
    })?;
    Ok(first)
}

/// Calls `f` with the index of every ill-formed value, in order, and its first error, with an offset from the value's
/// first byte.
///
/// # Errors
/// [`LayoutError`] if the layout is broken; `f` has then been called for the bad values before that place.
pub fn for_each_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    mut f: impl FnMut(usize, Error),
) -> Result<(), LayoutError> {
    visit_bad(views, buffers, validity, |index, _, error| {
        f(index, error);
        ControlFlow::Continue(())
    })
}

/// Counts values, null slots, ill-formed values and the errors in them.
///
/// # Errors
/// [`LayoutError`] if the layout is broken.
pub fn count<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
) -> Result<Counts, LayoutError> {
    let mut counts = Counts { values: views.len(), ..Counts::default() };
    visit_bad(views, buffers, validity, |_, value, _| {
        counts.add(value);
        ControlFlow::Continue(())
    })?;
    counts.nulls = validity.map_or(0, |validity| validity.nulls(views.len()));
    Ok(counts)
}

/// Repairs every ill-formed value by a policy: returns new views, and buffers with only the repaired values. `None` if
/// nothing needs a repair.
///
/// Null slots whose view is broken or contains ill-formed text become empty in the repaired column, and alone are a
/// reason to make one.
///
/// # Errors
/// [`LayoutError`] if the layout is broken, or if a repaired value is too long for a view.
///
/// ```
/// use utf8kit::{Policy, column::views};
/// # #[cfg(target_endian = "little")] {
/// let long = *b"\x0D\0\0\0thir\0\0\0\0\x01\0\0\0";
/// let repaired = views::repair(&[long], &[b"-thirteen byt\xE9"], None, Policy::REPLACE)?.unwrap();
/// assert_eq!(repaired.buffers, ["thirteen byt\u{FFFD}".as_bytes()]);
/// assert_eq!(repaired.views, [*b"\x0F\0\0\0thir\x01\0\0\0\0\0\0\0"]);
/// # }
/// # Ok::<(), utf8kit::column::LayoutError>(())
/// ```
#[cfg(feature = "alloc")]
pub fn repair<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    policy: Policy<'_>,
) -> Result<Option<RepairedViews>, LayoutError> {
    check_validity(validity, views.len())?;
    let mut repaired = RepairedViews::default();
    let mut outcome = Ok(());
    let mut repair = |index: usize| {
        let null = validity.is_some_and(|validity| validity.is_null(index));
        outcome = value(views, buffers, index).and_then(|value| {
            let broken = first_error(Utf8, value).is_some();
            if null && broken {
                repaired.put(views, buffers.len(), index, &[])?;
            } else if !null
                && (broken || policy == Policy::Escape)
                && let Cow::Owned(value) = crate::repair::repair_in(Utf8, value, policy)
            {
                repaired.put(views, buffers.len(), index, &value)?;
            }
            Ok(())
        });
        if null && outcome.is_err() {
            outcome = repaired.put(views, buffers.len(), index, &[]);
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if policy == Policy::Escape {
        // Well-formed values may contain what looks like an escape.
        let _ = (0..views.len()).try_for_each(&mut repair);
    } else {
        let is_null = |index| validity.is_some_and(|validity| validity.is_null(index));
        visit_suspects(
            views,
            buffers,
            |index| if is_null(index) { Slot::Null } else { Slot::Value },
            &mut repair,
        )?;
    }
    outcome?;
    Ok((repaired.changed > 0).then_some(repaired))
}

#[cfg(feature = "alloc")]
impl RepairedViews {
    /// Replaces a value.
    fn put(&mut self, views: &[View], buffers: usize, index: usize, value: &[u8]) -> Result<(), LayoutError> {
        if self.changed == 0 {
            self.views = views.to_vec();
        }
        self.changed += 1;
        let number =
            |number: usize| i32::try_from(number).map(i32::to_ne_bytes).map_err(|_| LayoutError::TooLong);
        let view = &mut self.views[index];
        *view = [0; 16];
        view[..4].copy_from_slice(&number(value.len())?);
        if value.len() <= INLINE {
            view[4..][..value.len()].copy_from_slice(value);
            return Ok(());
        }
        let full = |buffer: &Vec<u8>| buffer.len() + value.len() > i32::MAX as usize;
        if self.buffers.last().is_none_or(full) {
            self.buffers.push(Vec::new());
        }
        let buffer_index = number(buffers + self.buffers.len() - 1)?;
        if let Some(buffer) = self.buffers.last_mut() {
            view[4..8].copy_from_slice(&value[..4]);
            view[8..12].copy_from_slice(&buffer_index);
            view[12..].copy_from_slice(&number(buffer.len())?);
            buffer.extend_from_slice(value);
        }
        Ok(())
    }
}

/// Returns the bytes of a value.
fn value<'c, B: AsRef<[u8]>>(
    views: &'c [View],
    buffers: &'c [B],
    index: usize,
) -> Result<&'c [u8], LayoutError> {
    let view = &views[index];
    let Ok(len) = usize::try_from(field(view, 0)) else {
        return Err(LayoutError::NegativeViewLength { index });
    };
    if len <= INLINE {
        return Ok(&view[4..4 + len]);
    }
    let buffer = usize::try_from(field(view, 2)).ok().and_then(|buffer| buffers.get(buffer));
    let buffer = buffer.ok_or(LayoutError::NoSuchBuffer { index })?.as_ref();
    let start = usize::try_from(field(view, 3)).ok();
    let value = start.and_then(|start| buffer.get(start..start.checked_add(len)?));
    value.ok_or(LayoutError::ViewBeyondBuffer { index })
}

/// Returns the `n`-th four bytes of a view.
#[inline(always)]
fn field(view: &View, n: usize) -> i32 {
    i32::from_ne_bytes(view.as_chunks().0[n])
}

/// Calls `bad` with every ill-formed value that is not null: its index, its bytes and its first error.
fn visit_bad<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    validity: Option<Validity<'_>>,
    mut bad: impl FnMut(usize, &[u8], Error) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    check_validity(validity, views.len())?;
    let is_null = |index| validity.is_some_and(|validity| validity.is_null(index));
    visit_suspects(
        views,
        buffers,
        |index| if is_null(index) { Slot::Skipped } else { Slot::Value },
        &mut |index| {
            match value(views, buffers, index) {
                Ok(value) => match first_error(Utf8, value) {
                    Some(error) => bad(index, value, error),
                    None => ControlFlow::Continue(()),
                },
                // Already reported.
                Err(_) => ControlFlow::Break(()),
            }
        },
    )
}

/// What to do with a slot.
enum Slot {
    /// It is a value.
    Value,
    /// It is null. Its bytes are checked as well, but its view may be broken.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "only repair looks at null slots"))]
    Null,
    /// It is null, and skipped.
    Skipped,
}

/// A block of views, and which of them are suspect.
struct Block<'c, B> {
    /// All views, of which the block begins at `base`.
    views: &'c [View],
    base: usize,
    buffers: &'c [B],
    /// The values that are stored in their views, with the lengths and zeros around them, which are ASCII. They are one
    /// text in which no sequence crosses a boundary.
    inline: [View; VIEWS],
    /// The slots of the longer values, their number, and space for their offsets if they are adjacent in a buffer.
    long: [u16; VIEWS],
    longs: usize,
    offsets: [i64; VIEWS + 1],
    /// One bit for each slot.
    suspects: [u64; VIEWS / 64],
}

/// Calls `suspect` with the index of every value that may be ill-formed, in order, until it breaks.
fn visit_suspects<B: AsRef<[u8]>>(
    views: &[View],
    buffers: &[B],
    slot: impl Fn(usize) -> Slot,
    suspect: &mut impl FnMut(usize) -> ControlFlow<()>,
) -> Result<(), LayoutError> {
    let mut block = Block {
        views,
        base: 0,
        buffers,
        inline: [[0; 16]; VIEWS],
        long: [0; VIEWS],
        longs: 0,
        offsets: [0; VIEWS + 1],
        suspects: [0; VIEWS / 64],
    };
    while block.base < views.len() {
        // If the layout is broken somewhere, everything before it is still reported.
        let (slots, outcome) = match block.gather(&slot) {
            Ok(slots) => (slots, Ok(())),
            Err((slots, error)) => (slots, Err(error)),
        };
        block.judge_inline(slots);
        block.judge_long();
        for (word, bits) in block.suspects.iter_mut().enumerate() {
            while *bits != 0 {
                let index = block.base + 64 * word + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                if suspect(index).is_break() {
                    return Ok(());
                }
            }
        }
        outcome?;
        block.base += slots;
    }
    Ok(())
}

impl<B: AsRef<[u8]>> Block<'_, B> {
    fn mark(&mut self, slot: usize) {
        self.suspects[slot / 64] |= 1 << (slot % 64);
    }

    /// Reads the next views and returns their number. On an error, returns the number of views before the invalid one,
    /// and the error.
    fn gather(&mut self, slot: &impl Fn(usize) -> Slot) -> Result<usize, (usize, LayoutError)> {
        let views = &self.views[self.base..];
        let views = &views[..views.len().min(VIEWS)];
        self.longs = 0;
        for (i, view) in views.iter().enumerate() {
            self.inline[i] = [0; 16];
            let kept = slot(self.base + i);
            if matches!(kept, Slot::Skipped) {
                continue;
            }
            let len = field(view, 0);
            if let Some(mask) = usize::try_from(len).ok().and_then(|len| KEPT.get(len)) {
                self.inline[i] = (u128::from_ne_bytes(*view) & mask).to_ne_bytes();
                continue;
            }
            match (value(self.views, self.buffers, self.base + i), kept) {
                (Ok(_), _) => {
                    self.long[self.longs] = i as u16;
                    self.longs += 1;
                }
                (Err(_), Slot::Null) => self.mark(i),
                (Err(error), _) => return Err((i, error)),
            }
        }
        Ok(views.len())
    }

    /// Marks the slots of suspect values that are stored in their views.
    fn judge_inline(&mut self, slots: usize) {
        let mut at = 0;
        while at < slots {
            let text = self.inline[at..slots].as_flattened();
            let clean = dispatch::clean_prefix_in(Utf8, text);
            if clean == text.len() {
                break;
            }
            at += clean / 16;
            self.mark(at);
            at += 1;
        }
    }

    /// Marks the slots of suspect values that are stored in buffers. Values that are adjacent there are validated
    /// together.
    fn judge_long(&mut self) {
        let mut at = 0;
        while at < self.longs {
            let (buffer, first) = self.place(at);
            self.offsets[0] = first;
            let mut run = 0;
            let mut end = first;
            while at + run < self.longs
                && end - first <= super::MAX_TEXT as i64
                && self.place(at + run) == (buffer, end)
            {
                end += i64::from(field(&self.views[self.base + usize::from(self.long[at + run])], 0));
                run += 1;
                self.offsets[run] = end;
            }
            let Some(data) = self.buffers.get(buffer as usize) else { return };
            let (offsets, long, suspects) = (&self.offsets[..=run], &self.long, &mut self.suspects);
            let _ = suspects_of_block(data.as_ref(), at, offsets, &mut |value, _| {
                let slot = usize::from(long[value]);
                suspects[slot / 64] |= 1 << (slot % 64);
                ControlFlow::Continue(())
            });
            at += run;
        }
    }

    /// Returns the buffer of a long value, and its offset there.
    fn place(&self, long: usize) -> (i32, i64) {
        let view = &self.views[self.base + usize::from(self.long[long])];
        (field(view, 2), i64::from(field(view, 3)))
    }
}

/// Masks for values stored in their views, by length: the bits of the view up to the end of the value.
const KEPT: [u128; INLINE + 1] = {
    let mut masks = [0; INLINE + 1];
    let mut len = 0;
    while len <= INLINE {
        let mut bytes = [0; 16];
        let mut at = 0;
        while at < 4 + len {
            bytes[at] = 0xFF;
            at += 1;
        }
        masks[len] = u128::from_ne_bytes(bytes);
        len += 1;
    }
    masks
};
