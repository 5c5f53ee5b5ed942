//! Validation of UTF-8, in a module of a few kilobytes, with an input of its own.

use std::cell::RefCell;

use utf8kit::{Error, Utf8, Validator};

/// The length of `input`.
const SMALL_INPUT_BYTES: usize = 64 * 1024;

/// Copying to an address that is not a multiple of 64 takes ten times as long on some processors.
#[repr(align(64))]
struct Aligned([u8; SMALL_INPUT_BYTES]);

struct State {
    input: Aligned,
    validator: Validator<Utf8>,
    error: Option<Error>,
}

thread_local! {
    static STATE: RefCell<State> =
        RefCell::new(State { input: Aligned([0; SMALL_INPUT_BYTES]), validator: Validator::new(Utf8), error: None });
}

/// Returns the address of `input`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn utf8_input() -> *mut u8 {
    STATE.with_borrow_mut(|state| state.input.0.as_mut_ptr())
}

/// Starts an input.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn utf8_start() {
    STATE.with_borrow_mut(|state| state.validator = Validator::new(Utf8));
}

/// Validates the next `len` bytes of the input; returns 1 if they have an error.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn utf8_push(len: usize) -> u32 {
    STATE.with_borrow_mut(|state| {
        state.error = state.validator.push(&state.input.0[..len.min(SMALL_INPUT_BYTES)]).err();
        u32::from(state.error.is_some())
    })
}

/// Ends the input; returns 1 if it is incomplete.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn utf8_finish() -> u32 {
    STATE.with_borrow_mut(|state| {
        state.error = state.validator.clone().finish().err();
        u32::from(state.error.is_some())
    })
}

/// Returns a part of the last error: 0 its offset, 1 its length, 2 its kind, an index of `ErrorKind::ALL`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn utf8_error(part: u32) -> f64 {
    let error = STATE.with_borrow(|state| state.error);
    error.map_or(-1.0, |error| match part {
        0 => error.offset as f64,
        1 => f64::from(error.len),
        _ => f64::from(error.kind as u8),
    })
}
