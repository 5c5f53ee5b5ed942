//! utf8kit for C. cbindgen generates `include/utf8kit.h` from this file and `index.rs`, including their comments.
//!
//! Nothing allocates except indexes, and nothing unwinds. A panic, which only a bug could cause, would abort.
#![allow(unsafe_code, reason = "C hands over pointers and lengths")]

use core::mem::MaybeUninit;

mod index;
mod numbers;
mod slices;

pub use index::*;
pub use numbers::*;

use slices::{input, input_and_output, overlap};
use utf8kit::{Checkpoint, Converter, Encoding as _, Piece, Status, Validator};

/// An error in a text, or only a status. Two registers wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Error {
    /// Where the error begins, in bytes from the start of the text or stream. This is the length of the valid text
    /// before it.
    pub offset: u64,
    /// UTF8KIT_OK, UTF8KIT_ILL_FORMED, or another status. Unless it is UTF8KIT_ILL_FORMED, all other fields are 0.
    pub status: i32,
    /// The length of the error, 1 to 6 bytes: a maximal subpart (The Unicode Standard, section 3.9).
    pub len: u8,
    /// The kind of error: UTF8KIT_OVERLONG or another kind.
    pub kind: u8,
    /// 1 if the text ends here and more input could have made this valid, else 0.
    pub incomplete: u8,
    /// 1 if the text is valid here, but the target of the conversion cannot represent the character, else 0.
    pub unrepresentable: u8,
}

/// A number and a status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Length {
    /// The number; 0 if the status is negative.
    pub value: u64,
    /// UTF8KIT_OK, UTF8KIT_OUTPUT_FULL, or a negative status.
    pub status: i32,
}

/// The progress of a function that writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Progress {
    /// The number of bytes of the input that were read.
    pub read: usize,
    /// The number of bytes of the output that were written.
    pub written: usize,
    /// Why it stopped there: a status, and the error if the status is UTF8KIT_ILL_FORMED.
    pub error: Error,
}

/// A text that arrives in pieces. To start a stream, set `from`, `to` and `policy`, and everything else to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stream {
    /// The encoding of the input.
    pub from: u32,
    /// The encoding of the output.
    pub to: u32,
    /// How to handle errors.
    pub policy: u32,
    /// The number of bytes in `pending`, which need more input.
    pub pending_len: u8,
    /// For the internal use of utf8kit.
    pub flags: u8,
    /// Must be zero.
    pub reserved: [u8; 2],
    /// The pending bytes, which need more input.
    pub pending: [u8; 8],
    /// The number of bytes of the stream that were processed, not counting those pending.
    pub offset: u64,
    /// The stream's first error, once UTF8KIT_STRICT has found one.
    pub error: Error,
}

/// Reports whether the bytes are well-formed UTF-8 (RFC 3629). False for NULL with a length.
///
/// # Safety
/// `bytes` points to `len` bytes that may be read, or `len` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_is_valid(bytes: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    text.is_ok_and(|text| utf8kit::validate(text).is_ok())
}

/// Validates UTF-8 (RFC 3629). Returns the first error, or UTF8KIT_OK.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_validate(bytes: *const u8, len: usize) -> Error {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    match text.map(utf8kit::validate) {
        Ok(Ok(_)) => Error::default(),
        Ok(Err(error)) => error.into(),
        Err(call) => call.into(),
    }
}

/// Validates any encoding. Returns the first error, or UTF8KIT_OK.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_validate_in(encoding: u32, bytes: *const u8, len: usize) -> Error {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    match text.and_then(|text| Ok((numbers::encoding(encoding)?, text))) {
        Ok((encoding, text)) => encoding.validate(text).map_or_else(Error::from, |()| Error::default()),
        Err(call) => call.into(),
    }
}

/// Writes the errors of a text to `errors`, in order, from byte `start`, which is 0 or the end of the last error of an
/// earlier call. The value is the number of errors written. The status is UTF8KIT_OUTPUT_FULL if `capacity` was reached
/// and more may follow. Text and errors must not overlap (UTF8KIT_OVERLAP).
///
/// # Safety
/// As `utf8kit_is_valid`; `errors` points to `capacity` errors that may be written, or `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_errors(
    encoding: u32,
    bytes: *const u8,
    len: usize,
    start: usize,
    errors: *mut Error,
    capacity: usize,
) -> Length {
    // SAFETY: the caller's promise.
    let buffers = unsafe { input_and_output(bytes, len, errors, capacity) };
    let all = || -> Result<_, InvalidCall> {
        let (text, places) = buffers?;
        Ok((numbers::encoding(encoding)?, text.get(start..).unwrap_or_default(), places))
    };
    match all() {
        Ok((encoding, rest, places)) => {
            let mut written = 0;
            let mut found = encoding.errors(rest);
            for (place, error) in places.iter_mut().zip(&mut found) {
                place.write(error.moved(start as u64).into());
                written += 1;
            }
            let status = if written < capacity { UTF8KIT_OK } else { UTF8KIT_OUTPUT_FULL };
            Length { value: written as u64, status }
        }
        Err(call) => Length { value: 0, status: call.status() },
    }
}

/// Counts the characters (code points) of a text. Each error counts as one.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_count(encoding: u32, bytes: *const u8, len: usize) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    Length::of(text.and_then(|text| Ok(numbers::encoding(encoding)?.count(text) as u64)))
}

/// Returns exactly how many bytes `utf8kit_repair` writes for a text.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_repaired_len(encoding: u32, policy: u32, bytes: *const u8, len: usize) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    Length::of(text.and_then(|text| {
        let encoding = numbers::encoding(encoding)?;
        Ok(match numbers::policy(policy)? {
            None => text.len() as u64,
            Some(policy) => utf8kit::converted_len_lossy(encoding, encoding, text, policy),
        })
    }))
}

/// Repairs a text: handles every error by a policy. After UTF8KIT_OUTPUT_FULL, call again with the input from `read`
/// and more capacity. (If an error or a run of errors crosses that place, repair in one call: `utf8kit_repaired_len`
/// returns the capacity needed.) UTF8KIT_STRICT copies up to the first error. Input and output must not overlap
/// (UTF8KIT_OVERLAP).
///
/// # Safety
/// As `utf8kit_is_valid`; `out` points to `capacity` bytes that may be written, or `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_repair(
    encoding: u32,
    policy: u32,
    bytes: *const u8,
    len: usize,
    out: *mut u8,
    capacity: usize,
) -> Progress {
    // SAFETY: the caller's promise.
    unsafe { utf8kit_convert(encoding, encoding, policy, bytes, len, out, capacity) }
}

/// Converts a text. The policy handles every error, and every character that the target cannot represent.
/// UTF8KIT_STRICT stops at the first one, and `read` and `written` do not include it. After UTF8KIT_OUTPUT_FULL, call
/// again with the input from `read` and more capacity. Input and output must not overlap (UTF8KIT_OVERLAP).
///
/// # Safety
/// As `utf8kit_repair`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_convert(
    from: u32,
    to: u32,
    policy: u32,
    bytes: *const u8,
    len: usize,
    out: *mut u8,
    capacity: usize,
) -> Progress {
    // SAFETY: the caller's promise.
    let buffers = unsafe { input_and_output(bytes, len, out, capacity) };
    let convert = || -> Result<_, InvalidCall> {
        let (text, out) = buffers?;
        let (from, to) = (numbers::encoding(from)?, numbers::encoding(to)?);
        Ok(match numbers::policy(policy)? {
            None => utf8kit::convert_into(from, to, text, Piece::Last, out),
            Some(policy) => utf8kit::convert_lossy_into(from, to, text, Piece::Last, policy, out),
        })
    };
    convert().map_or_else(Progress::from, Progress::from)
}

/// Returns the length of the longest prefix of at most `budget` bytes that splits no character.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_truncate(encoding: u32, bytes: *const u8, len: usize, budget: usize) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    Length::of(text.and_then(|text| Ok(numbers::encoding(encoding)?.floor_char_boundary(text, budget) as u64)))
}

/// Adds the next piece to a stream, and writes the output that no further input can change. The result does not depend
/// on how the text is split into pieces. With `last`, the stream ends after the piece. After UTF8KIT_OUTPUT_FULL, call
/// again with the input from `read` and more capacity. At most 7 bytes are pending in the stream. Stream, input and
/// output must not overlap (UTF8KIT_OVERLAP).
///
/// UTF8KIT_STRICT stops at the first error, and every later call returns it again. With UTF8KIT_STRICT, `from` equal to
/// `to` and `out` NULL, the stream is only validated.
///
/// # Safety
/// `stream` points to a stream, or is NULL; otherwise as `utf8kit_repair`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_stream_push(
    stream: *mut Stream,
    bytes: *const u8,
    len: usize,
    last: bool,
    out: *mut u8,
    capacity: usize,
) -> Progress {
    if !stream.is_null() && (overlap(stream, 1, bytes, len) || overlap(stream, 1, out, capacity)) {
        return InvalidCall::Overlap.into();
    }
    // SAFETY: the caller's promise, and nothing else refers to the stream.
    let stream = unsafe { stream.as_mut() };
    // SAFETY: the caller's promise.
    let buffers = unsafe { input_and_output(bytes, len, out, capacity) };
    let all = || -> Result<_, InvalidCall> { Ok((stream.ok_or(InvalidCall::Null)?, buffers?)) };
    match all() {
        Ok((stream, (text, buffer))) => {
            let only_validate = out.is_null() && stream.policy == UTF8KIT_STRICT && stream.from == stream.to;
            let progress = if only_validate { stream.validate(text, last) } else { stream.convert(text, last, buffer) };
            progress.unwrap_or_else(Progress::from)
        }
        Err(call) => call.into(),
    }
}

/// Returns the length in bytes of the part of a UTF-8 text that later text cannot change visually: everything except
/// the last user-perceived character (extended grapheme cluster, UAX #29), because a mark, a joiner or half of a flag
/// may still follow it. This is all of the text if it ends with a line feed or another control, or if that character
/// takes more than 256 bytes. To display text as it arrives, display this much of the output of `utf8kit_stream_push`,
/// and prepend the rest to its next output.
///
/// The status is UTF8KIT_ILL_FORMED, and the value 0, if the text is not valid UTF-8.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_settled(bytes: *const u8, len: usize) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    match text.map(utf8kit::validate) {
        Ok(Err(_)) => Length { value: 0, status: UTF8KIT_ILL_FORMED },
        Ok(Ok(text)) => Length::of(Ok(utf8kit::settled(text) as u64)),
        Err(call) => Length::of(Err(call)),
    }
}

impl Stream {
    fn convert(&mut self, text: &[u8], last: bool, out: &mut [MaybeUninit<u8>]) -> Result<Progress, InvalidCall> {
        let (from, to) = (numbers::encoding(self.from)?, numbers::encoding(self.to)?);
        let policy = numbers::policy(self.policy)?;
        if self.error.status != UTF8KIT_OK {
            return Ok(Progress { error: self.error, ..Progress::default() });
        }
        let converter = match policy {
            None => Converter::strict(from, to),
            Some(policy) => Converter::lossy(from, to, policy),
        };
        let mut checkpoint = Checkpoint::default();
        checkpoint.offset = self.offset;
        (checkpoint.pending, checkpoint.pending_len) = (self.pending, self.pending_len);
        (checkpoint.in_run, checkpoint.after_high) = (self.flags & 1 != 0, self.flags & 2 != 0);
        let mut converter = converter.resume(checkpoint);
        let progress = converter.push_into(text, Piece::last_if(last), out);
        let checkpoint = converter.checkpoint();
        self.offset = checkpoint.offset;
        (self.pending, self.pending_len) = (checkpoint.pending, checkpoint.pending_len);
        self.flags = u8::from(checkpoint.in_run) | u8::from(checkpoint.after_high) << 1;
        let progress = Progress::from(progress);
        if progress.error.status == UTF8KIT_ILL_FORMED {
            self.error = progress.error;
        }
        Ok(progress)
    }

    fn validate(&mut self, text: &[u8], last: bool) -> Result<Progress, InvalidCall> {
        let encoding = numbers::encoding(self.from)?;
        if self.error.status != UTF8KIT_OK {
            return Ok(Progress { error: self.error, ..Progress::default() });
        }
        // The new validator starts with the pending bytes.
        let mut validator = Validator::new(encoding);
        let pending = &self.pending[..usize::from(self.pending_len).min(7)];
        let waited = validator.push(pending).and_then(|()| validator.push(text));
        let still = validator.pending();
        let mut kept = [0; 8];
        kept[..still.len()].copy_from_slice(still);
        let dealt_with = (pending.len() + text.len() - still.len()) as u64;
        let kept_len = still.len() as u8;
        let outcome = waited.and_then(|()| if last { validator.finish().map(drop) } else { Ok(()) });
        if let Err(error) = outcome {
            self.error = error.moved(self.offset).into();
            return Ok(Progress { error: self.error, ..Progress::default() });
        }
        self.offset += dealt_with;
        (self.pending, self.pending_len) = (kept, kept_len);
        Ok(Progress { read: text.len(), ..Progress::default() })
    }
}

impl Length {
    fn of(value: Result<u64, InvalidCall>) -> Length {
        match value {
            Ok(value) => Length { value, status: UTF8KIT_OK },
            Err(call) => Length { value: 0, status: call.status() },
        }
    }
}

impl From<utf8kit::Error> for Error {
    fn from(error: utf8kit::Error) -> Error {
        Error {
            offset: error.offset,
            status: UTF8KIT_ILL_FORMED,
            len: error.len,
            kind: error.kind as u8,
            incomplete: error.incomplete.into(),
            unrepresentable: error.unrepresentable.into(),
        }
    }
}

impl From<InvalidCall> for Error {
    fn from(call: InvalidCall) -> Error {
        Error { status: call.status(), ..Error::default() }
    }
}

impl From<InvalidCall> for Progress {
    fn from(call: InvalidCall) -> Progress {
        Progress { error: call.into(), ..Progress::default() }
    }
}

impl From<utf8kit::Progress> for Progress {
    fn from(progress: utf8kit::Progress) -> Progress {
        let status = |status| Error { status, ..Error::default() };
        let error = match progress.status {
            Status::Done => status(UTF8KIT_OK),
            Status::OutputFull => status(UTF8KIT_OUTPUT_FULL),
            Status::Error(error) => error.into(),
            _ => status(UTF8KIT_OK),
        };
        Progress { read: progress.read, written: progress.written, error }
    }
}
