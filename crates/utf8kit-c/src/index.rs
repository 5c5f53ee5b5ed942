//! The index of a text: positions in bytes, UTF-16 code units, code points and lines. The only functions that allocate.

use core::mem::MaybeUninit;
use core::ptr;

use utf8kit::ColumnUnit;
use utf8kit::index::{IndexError, Indexed, LspPosition, TextIndex};

use crate::Length;
use crate::numbers::{self, InvalidCall, UTF8KIT_BEYOND_END, UTF8KIT_OK};
use crate::slices::{input, output_of, overlap};

/// The positions of a text. It does not hold the text, and must be freed.
pub struct Index(TextIndex);

/// A position in the Language Server Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    /// The line, from 0.
    pub line: u64,
    /// The length of the line before the position, in the requested unit.
    pub character: u64,
    /// UTF8KIT_OK, or a negative status.
    pub status: i32,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// Its start.
    pub start: u64,
    /// Its end (exclusive).
    pub end: u64,
    /// UTF8KIT_OK, UTF8KIT_BEYOND_END, or a negative status.
    pub status: i32,
}

/// Creates the index of a text, which may be invalid UTF-8: an error is one code point and one UTF-16 code unit. It
/// takes 1.7 % of the text's size, and does not refer to the text. `line_ends` is UTF8KIT_LINES_UNIVERSAL or another
/// convention. NULL if the call is invalid.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_new(bytes: *const u8, len: usize, line_ends: u32) -> *mut Index {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    let index = text.and_then(|text| Ok(TextIndex::with_line_ends(text, numbers::line_ends(line_ends)?)));
    index.map_or(ptr::null_mut(), |index| Box::into_raw(Box::new(Index(index))))
}

/// Frees an index. NULL is ignored.
///
/// # Safety
/// `index` is from `utf8kit_index_new` and was not freed yet, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_free(index: *mut Index) {
    if !index.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(index) });
    }
}

/// Returns the number of lines: one more than line ends.
///
/// # Safety
/// `index` is from `utf8kit_index_new`, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_lines(index: *const Index) -> Length {
    // SAFETY: the caller's promise.
    let index = unsafe { index.as_ref() }.ok_or(InvalidCall::Null);
    Length::of(index.map(|index| index.0.lines() as u64))
}

/// Returns the position of a byte offset in a unit, such as UTF8KIT_CODE_POINTS. An offset within a character gives the
/// position of the character; an offset beyond the end gives the end.
///
/// `bytes` is the text of the index. If it has another length, the status is UTF8KIT_WRONG_TEXT.
///
/// # Safety
/// As `utf8kit_is_valid`; `index` is from `utf8kit_index_new`, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_position(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    offset: usize,
    unit: u32,
) -> Length {
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, unit) };
    Length::of(at.map(|(at, unit)| at.position(offset, unit) as u64))
}

/// Returns the byte offset of a position in a unit. A position within a character, such as between two UTF-16
/// surrogates, gives the offset of the character. The status is UTF8KIT_BEYOND_END if there is no such position; the
/// end itself is valid.
///
/// # Safety
/// As `utf8kit_index_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_offset(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    position: usize,
    unit: u32,
) -> Length {
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, unit) };
    match at.map(|(at, unit)| at.offset(position, unit)) {
        Ok(None) => Length { value: 0, status: UTF8KIT_BEYOND_END },
        Ok(Some(offset)) => Length::of(Ok(offset as u64)),
        Err(call) => Length::of(Err(call)),
    }
}

/// Replaces `count` offsets by their positions in a unit, in any order; ascending ones are faster. Returns a status.
///
/// # Safety
/// As `utf8kit_index_position`; `places` points to `count` numbers that may be read and written, or `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_positions(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    unit: u32,
    places: *mut usize,
    count: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { replace_all(index, bytes, len, unit, places, count, |at, places, unit| at.positions(places, unit)) }
}

/// Replaces `count` positions in a unit by their offsets, in any order; ascending ones are faster. The offset of a
/// position beyond the end is SIZE_MAX. Returns a status.
///
/// # Safety
/// As `utf8kit_index_positions`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_offsets(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    unit: u32,
    places: *mut usize,
    count: usize,
) -> i32 {
    let offsets = |at: &Indexed<'_>, places: &[usize], unit| -> Vec<usize> {
        let offsets = at.offsets(places, unit);
        offsets.into_iter().map(|offset| offset.unwrap_or(usize::MAX)).collect()
    };
    // SAFETY: the caller's promise.
    unsafe { replace_all(index, bytes, len, unit, places, count, offsets) }
}

/// Returns the position of an offset for the Language Server Protocol. Within CR LF, it is the end of the line.
///
/// # Safety
/// As `utf8kit_index_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_lsp_position(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    offset: usize,
    unit: u32,
) -> Position {
    // SAFETY: the caller's promise.
    match unsafe { indexed(index, bytes, len, unit) } {
        Ok((at, unit)) => {
            let LspPosition { line, character, .. } = at.lsp_position(offset, unit);
            Position { line: line as u64, character: character as u64, status: UTF8KIT_OK }
        }
        Err(call) => Position { status: call.status(), ..Position::default() },
    }
}

/// Returns the offset of a Language Server Protocol position, clamped as the protocol prescribes: a position beyond the
/// end of a line gives the end of the line, before its line end; beyond the last line, the end of the text.
///
/// # Safety
/// As `utf8kit_index_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_lsp_offset(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    line: usize,
    character: usize,
    unit: u32,
) -> Length {
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, unit) };
    Length::of(at.map(|(at, unit)| at.lsp_offset(LspPosition::new(line, character), unit) as u64))
}

/// Returns the range of a line, from 0, without its line end. The status is UTF8KIT_BEYOND_END if there is none.
///
/// # Safety
/// As `utf8kit_index_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_line(index: *const Index, bytes: *const u8, len: usize, line: usize) -> Range {
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, numbers::UTF8KIT_BYTES) };
    match at.map(|(at, _)| at.line_content((line as u64).saturating_add(1))) {
        Ok(Some(range)) => Range { start: range.start as u64, end: range.end as u64, status: UTF8KIT_OK },
        Ok(None) => Range { status: UTF8KIT_BEYOND_END, ..Range::default() },
        Err(call) => Range { status: call.status(), ..Range::default() },
    }
}

/// Updates an index after an edit: bytes `start` to `end` of its text were replaced, and `bytes` is the whole new text.
/// The length of the replacement is inferred from the two lengths. The time depends on the size of the change, and
/// slightly on the size of the text after it. Returns UTF8KIT_OUT_OF_RANGE if the text had no such range, and
/// UTF8KIT_WRONG_TEXT if `len` is less than the length of the text that was not replaced. In both cases, the index is
/// unchanged.
///
/// # Safety
/// As `utf8kit_index_position`, and nothing else uses the index at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_index_edit(
    index: *mut Index,
    start: usize,
    end: usize,
    bytes: *const u8,
    len: usize,
) -> i32 {
    // SAFETY: the caller's promise, and nothing else refers to the index.
    let Some(index) = (unsafe { index.as_mut() }) else { return InvalidCall::Null.status() };
    // SAFETY: the caller's promise.
    let text = match unsafe { input(bytes, len) } {
        Ok(text) => text,
        Err(call) => return call.status(),
    };
    match index.0.edit(start..end, text) {
        Ok(()) => UTF8KIT_OK,
        Err(IndexError::Range { .. }) => InvalidCall::OutOfRange.status(),
        Err(_) => InvalidCall::WrongText.status(),
    }
}

/// Returns an index together with its text, and a unit.
///
/// # Safety
/// As [`utf8kit_index_position`].
unsafe fn indexed<'a>(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    unit: u32,
) -> Result<(Indexed<'a>, ColumnUnit), InvalidCall> {
    // SAFETY: the caller's promise.
    let index = unsafe { index.as_ref() }.ok_or(InvalidCall::Null)?;
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) }?;
    let unit = numbers::unit(unit)?;
    Ok((index.0.on(text).map_err(|_| InvalidCall::WrongText)?, unit))
}

/// Replaces each number with the result of `work`.
///
/// # Safety
/// As [`utf8kit_index_positions`].
unsafe fn replace_all(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    unit: u32,
    places: *mut usize,
    count: usize,
    work: impl Fn(&Indexed<'_>, &[usize], ColumnUnit) -> Vec<usize>,
) -> i32 {
    if overlap(bytes, len, places, count) {
        return InvalidCall::Overlap.status();
    }
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, unit) };
    // SAFETY: the caller's promise.
    let places = unsafe { output_of(places, count) };
    match at.and_then(|at| Ok((at, places?))) {
        Ok(((at, unit), places)) => {
            // SAFETY: the caller has written the numbers.
            let numbers: Vec<usize> = places.iter().map(|place| unsafe { place.assume_init() }).collect();
            for (place, number) in places.iter_mut().zip(work(&at, &numbers, unit)) {
                *place = MaybeUninit::new(number);
            }
            UTF8KIT_OK
        }
        Err(call) => call.status(),
    }
}
