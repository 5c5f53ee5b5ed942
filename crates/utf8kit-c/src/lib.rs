//! utf8kit for C: ten functions. `include/utf8kit.h` is written from this file by cbindgen; its comments are these.
//!
//! Nothing here allocates, and nothing unwinds: a panic, which only a bug could cause, would abort.
#![allow(unsafe_code, reason = "C hands over pointers and lengths")]

use core::mem::MaybeUninit;

mod numbers;
mod slices;

pub use numbers::*;

use slices::{input, input_and_output, output_of};
use utf8kit::{Checkpoint, Converter, Status, Validator};

/// One error of a text, or a status alone. Two registers wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Error {
    /// Where the error begins, in bytes from the start of the text (of the stream, in a stream): the length of the well-formed
    /// text before it.
    pub offset: u64,
    /// UTF8KIT_OK, UTF8KIT_ILL_FORMED, or another status. Unless it is UTF8KIT_ILL_FORMED, all else is 0.
    pub status: i32,
    /// How many bytes the error spans, 1 to 6: a maximal subpart (The Unicode Standard, section 3.9).
    pub len: u8,
    /// Why: UTF8KIT_OVERLONG or another kind.
    pub kind: u8,
    /// 1 if the text ends here and more of it could have made this well formed, else 0.
    pub incomplete: u8,
    /// 1 if the text is well formed here, but the target of the conversion cannot hold the character, else 0.
    pub unrepresentable: u8,
}

/// A number, and whether it is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Length {
    /// The number; 0 if the status is negative.
    pub value: u64,
    /// UTF8KIT_OK, UTF8KIT_OUTPUT_FULL, or a negative status.
    pub status: i32,
}

/// How far a function that writes has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Progress {
    /// How many bytes of the input are dealt with.
    pub read: usize,
    /// How many bytes of the output are written.
    pub written: usize,
    /// Why it stopped there: its status, and the error if that is UTF8KIT_ILL_FORMED.
    pub error: Error,
}

/// A text that arrives in pieces. Set `from`, `to` and `policy`, everything else to zero: that is the start of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stream {
    /// The encoding of the input.
    pub from: u32,
    /// The encoding of the output.
    pub to: u32,
    /// What to do about errors.
    pub policy: u32,
    /// How many bytes wait for more, in `pending`.
    pub pending_len: u8,
    /// Read and written by utf8kit alone.
    pub flags: u8,
    /// Zero.
    pub reserved: [u8; 2],
    /// The bytes that wait for more.
    pub pending: [u8; 8],
    /// How many bytes of the stream are dealt with; those pending are not.
    pub offset: u64,
    /// The stream's first error, once UTF8KIT_STRICT has met one.
    pub error: Error,
}

/// Whether the bytes are well-formed UTF-8 (RFC 3629). False for NULL with a length.
///
/// # Safety
/// `bytes` points to `len` bytes that may be read, or `len` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_is_valid(bytes: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    text.is_ok_and(|text| utf8kit::validate(text).is_ok())
}

/// Validates UTF-8 (RFC 3629): the first error, or UTF8KIT_OK.
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
        Err(mistake) => mistake.into(),
    }
}

/// Validates any encoding: the first error, or UTF8KIT_OK.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_validate_in(encoding: u32, bytes: *const u8, len: usize) -> Error {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    match text.and_then(|text| Ok((numbers::encoding(encoding)?, text))) {
        Ok((encoding, text)) => {
            utf8kit::validate_in(encoding, text).map_or_else(Error::from, |()| Error::default())
        }
        Err(mistake) => mistake.into(),
    }
}

/// Writes the errors of a text to `errors`, in order, from byte `start` on: 0, or the end of the last error that an earlier call
/// wrote. The value is how many were written; the status is UTF8KIT_OUTPUT_FULL if `capacity` was reached and more may follow.
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
    let text = unsafe { input(bytes, len) };
    // SAFETY: the caller's promise.
    let room = unsafe { output_of(errors, capacity) };
    let all = || -> Result<_, Mistake> {
        Ok((numbers::encoding(encoding)?, text?.get(start..).unwrap_or_default(), room?))
    };
    match all() {
        Ok((encoding, rest, room)) => {
            let mut written = 0;
            let mut found = utf8kit::errors_in(encoding, rest);
            for (place, error) in room.iter_mut().zip(&mut found) {
                place.write(error.moved(start as u64).into());
                written += 1;
            }
            let status = if written < capacity { UTF8KIT_OK } else { UTF8KIT_OUTPUT_FULL };
            Length { value: written as u64, status }
        }
        Err(mistake) => Length { value: 0, status: mistake.status() },
    }
}

/// How many characters (code points) a text has, each error counting as one.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_count(encoding: u32, bytes: *const u8, len: usize) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    Length::of(text.and_then(|text| Ok(utf8kit::count_in(numbers::encoding(encoding)?, text) as u64)))
}

/// How many bytes `utf8kit_repair` writes for a text, exactly.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_repaired_len(
    encoding: u32,
    policy: u32,
    bytes: *const u8,
    len: usize,
) -> Length {
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

/// Writes a text with every error dealt with by a policy. UTF8KIT_OUTPUT_FULL: call again with the input from `read` on, and
/// more room. (Where an error lies across that place, or a run of errors, repair in one call: `utf8kit_repaired_len` tells the
/// room.) UTF8KIT_STRICT copies up to the first error.
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

/// Converts a text. What the policy deals with is every error, and every character that the target cannot hold;
/// UTF8KIT_STRICT stops at the first, `read` and `written` telling of what came before it. UTF8KIT_OUTPUT_FULL: call again with
/// the input from `read` on, and more room.
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
    let convert = || -> Result<_, Mistake> {
        let (text, out) = buffers?;
        let (from, to) = (numbers::encoding(from)?, numbers::encoding(to)?);
        Ok(match numbers::policy(policy)? {
            None => utf8kit::convert_into(from, to, text, true, out),
            Some(policy) => utf8kit::convert_lossy_into(from, to, text, policy, out),
        })
    };
    convert().map_or_else(Progress::from, Progress::from)
}

/// How long the longest prefix of at most `budget` bytes is that cuts no character.
///
/// # Safety
/// As `utf8kit_is_valid`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_truncate(
    encoding: u32,
    bytes: *const u8,
    len: usize,
    budget: usize,
) -> Length {
    // SAFETY: the caller's promise.
    let text = unsafe { input(bytes, len) };
    Length::of(text.and_then(|text| Ok(utf8kit::floor_in(numbers::encoding(encoding)?, text, budget) as u64)))
}

/// Takes the next piece of a stream, and writes what no further input can change; the result does not depend on how the text is
/// cut into pieces. With `last`, the stream ends behind the piece. UTF8KIT_OUTPUT_FULL: call again with the input from `read`
/// on, and more room. At most 7 bytes wait in the stream.
///
/// UTF8KIT_STRICT stops at the first error, which every later call repeats. With UTF8KIT_STRICT, `from` and `to` the same and
/// `out` NULL, the stream is only validated.
///
/// # Safety
/// `stream` points to a stream, or is NULL; all else as `utf8kit_repair`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn utf8kit_stream_push(
    stream: *mut Stream,
    bytes: *const u8,
    len: usize,
    last: bool,
    out: *mut u8,
    capacity: usize,
) -> Progress {
    // SAFETY: the caller's promise.
    let stream = unsafe { stream.as_mut() };
    // SAFETY: the caller's promise.
    let buffers = unsafe { input_and_output(bytes, len, out, capacity) };
    let all = || -> Result<_, Mistake> { Ok((stream.ok_or(Mistake::Null)?, buffers?)) };
    match all() {
        Ok((stream, (text, room))) => {
            let only_validate = out.is_null() && stream.policy == UTF8KIT_STRICT && stream.from == stream.to;
            let progress =
                if only_validate { stream.validate(text, last) } else { stream.convert(text, last, room) };
            progress.unwrap_or_else(Progress::from)
        }
        Err(mistake) => mistake.into(),
    }
}

impl Stream {
    fn convert(&mut self, text: &[u8], last: bool, out: &mut [MaybeUninit<u8>]) -> Result<Progress, Mistake> {
        let (from, to) = (numbers::encoding(self.from)?, numbers::encoding(self.to)?);
        let policy = numbers::policy(self.policy)?;
        if self.error.status != UTF8KIT_OK {
            return Ok(Progress { error: self.error, ..Progress::default() });
        }
        let converter = match policy {
            None => Converter::strict(from, to),
            Some(policy) => Converter::lossy(from, to, policy),
        };
        let mut converter = converter.resume(Checkpoint {
            offset: self.offset,
            pending: self.pending,
            pending_len: self.pending_len,
            in_run: self.flags & 1 != 0,
            after_high: self.flags & 2 != 0,
        });
        let progress = converter.push_into(text, last, out);
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

    fn validate(&mut self, text: &[u8], last: bool) -> Result<Progress, Mistake> {
        let encoding = numbers::encoding(self.from)?;
        if self.error.status != UTF8KIT_OK {
            return Ok(Progress { error: self.error, ..Progress::default() });
        }
        // What was pending is so again.
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
    fn of(value: Result<u64, Mistake>) -> Length {
        match value {
            Ok(value) => Length { value, status: UTF8KIT_OK },
            Err(mistake) => Length { value: 0, status: mistake.status() },
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

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Error {
        Error { status: mistake.status(), ..Error::default() }
    }
}

impl From<Mistake> for Progress {
    fn from(mistake: Mistake) -> Progress {
        Progress { error: mistake.into(), ..Progress::default() }
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
