//! utf8kit for JavaScript, over a plain ABI: functions take and return numbers, and everything else is passed through
//! shared memory. JavaScript writes bytes to `input`, calls a function, and reads `output` (bytes) and `numbers`
//! (64-bit floats, exact to 2^53); each function documents which of the two it fills. Open resources, such as streams,
//! are handles.
//!
//! Each feature is a module of the npm package, which loads the modules it needs. No two modules export the same name.
//! The functions need no generated glue and no `unsafe`.
#![allow(unsafe_code, reason = "exported names; there is no unsafe block")]

#[cfg(feature = "detect")]
mod detect;
#[cfg(feature = "document")]
mod document;
#[cfg(feature = "library")]
mod library;
#[cfg(any(feature = "library", feature = "detect", feature = "document"))]
mod memory;
#[cfg(feature = "utf8")]
mod utf8;
