//! The index of a text: positions in bytes, UTF-16 code units, code points and lines. The only functions that allocate.

use core::mem::MaybeUninit;
use core::ptr;

use utf8kit::ColumnUnit;
use utf8kit::index::{IndexError, Indexed, LspPosition, TextIndex};

use crate::Length;
use crate::numbers::{self, InvalidCall, UTF8KIT_BEYOND_END, UTF8KIT_OK};
use crate::slices::{input, output_of, overlap};

/// The positions of a text. It holds no text, and is to be freed.
pub struct Index(TextIndex);

/// A position as the Language Server Protocol has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    /// The line, from 0.
    pub line: u64,
    /// How much of the line lies before the position, from 0, in the unit that was asked for.
    pub character: u64,
    /// UTF8KIT_OK, or a negative status.
    pub status: i32,
}

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Range {
    /// Where it begins.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// UTF8KIT_OK, UTF8KIT_BEYOND_END, or a negative status.
    pub status: i32,
}

/// Creates the index of a text, which may be ill-formed UTF-8: an error is one code point and one UTF-16 code unit. It
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

/// Returns the position in a unit (UTF8KIT_CODE_POINTS or another one) of an offset in bytes. Within a character, it is
/// that of the character; beyond the end, that of the end.
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

/// Returns the offset in bytes of a position in a unit. Within a character, such as between two UTF-16 surrogates, it
/// is that of the character. The status is UTF8KIT_BEYOND_END if there is none; the end itself is valid.
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
    unsafe {
        replace_all(index, bytes, len, unit, places, count, |at, places, unit| at.positions(places, unit))
    }
}

/// Replaces `count` positions in a unit by their offsets, in any order; ascending ones are faster. SIZE_MAX stands for
/// that of a position beyond the end. Returns a status.
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

/// Returns the position of an offset as the Language Server Protocol has it. Within CR LF it is that of the line's end.
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

/// Returns the offset of a position of the Language Server Protocol, clamped as it prescribes: beyond the end of a line
/// it is the end of the line, before its line end. Beyond the last line it is the end of the text.
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
pub unsafe extern "C" fn utf8kit_index_line(
    index: *const Index,
    bytes: *const u8,
    len: usize,
    line: usize,
) -> Range {
    // SAFETY: the caller's promise.
    let at = unsafe { indexed(index, bytes, len, numbers::UTF8KIT_BYTES) };
    match at.map(|(at, _)| at.line_content((line as u64).saturating_add(1))) {
        Ok(Some(range)) => Range { start: range.start as u64, end: range.end as u64, status: UTF8KIT_OK },
        Ok(None) => Range { status: UTF8KIT_BEYOND_END, ..Range::default() },
        Err(call) => Range { status: call.status(), ..Range::default() },
    }
}

/// Brings an index up to date: bytes `start` to `end` of its text have been replaced, and `bytes` is all of the text as
/// it is now. How much was put there follows from the lengths. Takes as long as what changed, and a little for what
/// lies after it. Returns UTF8KIT_OUT_OF_RANGE if the text had no such range, and UTF8KIT_WRONG_TEXT if `len` is less
/// than what was not replaced; the index is then as before.
///
/// # Safety
/// As `utf8kit_index_position`, and nobody else uses the index in the meantime.
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

/// Replaces numbers by what `work` makes of them.
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
