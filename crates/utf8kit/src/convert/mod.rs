//! Conversion from one encoding to another: the engine of `convert`, `repair` and the streams.
//!
//! ```text
//! loop: clean run at kernel speed (pair.rs)  ->  suspect spot: items by the reference (engine.rs)  ->  back
//!       if a kernel replaces errors: clean and broken runs alike (repair.rs)
//! ```

pub(crate) mod engine;
mod limits;
mod measure;
pub(crate) mod pair;
mod progress;
mod repair;
mod replacement;
mod route;

#[cfg(feature = "alloc")]
use engine::Engine;

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

#[cfg(feature = "alloc")]
use self::engine::append_rest;
#[cfg(feature = "alloc")]
use self::pair::Pair;
#[cfg(feature = "alloc")]
use crate::dispatch::{self, MAX_SHORT_UNIT_BYTES};
#[cfg(feature = "alloc")]
use crate::encoding::{CodeUnit, Codec, Utf8};
#[cfg(feature = "alloc")]
use crate::error::Error;
#[cfg(feature = "alloc")]
use crate::out::{append_short, guess, into_string};
#[cfg(feature = "alloc")]
use crate::policy::Policy;

#[cfg(feature = "alloc")]
pub(crate) use progress::Observer;
pub use progress::{Change, Piece, Progress, Status};

/// Converts strictly into a new `Vec` of the target's code units.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn to_vec<S: Codec, T: Codec, U: CodeUnit>(from: S, to: T, input: &[u8]) -> Result<Vec<U>, Error> {
    if input.len() > MAX_SHORT_UNIT_BYTES {
        return append_rest(from, to, input, 0, Vec::new());
    }
    let mut units = Vec::new();
    let capacity = guess(from.erase(), to.erase(), input.len());
    let fits = dispatch::fits_any_buffer();
    let read = append_short(&mut units, fits, capacity, |out| Pair::convert_clean(from, to, input, out));
    if read == input.len() { Ok(units) } else { append_rest(from, to, input, read, units) }
}

/// Converts into a new `String`, strictly or by a policy.
#[cfg(feature = "alloc")]
pub(crate) fn to_text<S: Codec>(from: S, input: &[u8], policy: Option<Policy<'_>>) -> Result<String, Error> {
    let bytes = match policy {
        Some(policy) => {
            let mut out = Vec::new();
            Engine::lossy(from, Utf8, policy).run_to_units(input, 0, true, &mut out, &mut None);
            out
        }
        None => to_vec(from, Utf8, input)?,
    };
    #[expect(unsafe_code, reason = "all output was validated, or encoded by a kernel or the reference")]
    // SAFETY: with UTF-8 as the target, kernels and the engine write only whole sequences of scalar values.
    let text = unsafe { into_string(bytes) };
    Ok(text)
}
