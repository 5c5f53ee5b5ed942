#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(any(feature = "bytes", feature = "serde", feature = "tokio-util"))]
pub mod adapters;
mod bom;
mod boundary;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
pub mod column;
mod convert;
mod count;
mod decode;
mod dispatch;
mod encode;
mod encoding;
mod error;
#[cfg(any(feature = "explain", all(test, feature = "alloc")))]
pub mod explain;
mod grammar;
#[cfg(any(feature = "index", all(test, feature = "alloc")))]
pub mod index;
#[cfg(any(feature = "explain", feature = "summary", all(test, feature = "alloc")))]
mod intent;
mod kernels;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
mod layout;
mod line_ends;
mod operations;
mod order;
mod out;
mod policy;
mod position;
mod reference;
#[cfg(feature = "alloc")]
mod repair;
#[cfg(any(feature = "restrict", all(test, feature = "alloc")))]
pub mod restrict;
#[cfg_attr(not(feature = "column"), allow(dead_code, reason = "columns use operations that nothing else uses"))]
mod simd;
mod stream;
#[cfg(any(feature = "summary", all(test, feature = "alloc")))]
pub mod summary;
mod swar;
#[cfg(test)]
mod tests;
mod validate;

pub use bom::{Bom, EncodingLabel, detect_bom, strip_bom};
pub use boundary::{ceil_char_boundary, floor_char_boundary, is_char_boundary, trim_partial, truncate};
pub use convert::{Change, Piece, Progress, Status};
pub use count::{TextCounts, code_point_index, code_point_offset, count, utf16_len};
pub use decode::{Item, Items, decode, decode_last};
pub use encode::{Encoded, encode};
pub use encoding::{
    AnyEncoding, Cesu8, CodeUnit, ENCODE_BUFFER, Latin1, MAX_LEN, Mutf8, Step, UnknownEncoding, Utf8, Utf8Bits21,
    Utf8Bits31, Utf8Offset, Utf16, Utf16Be, Utf16Le, Utf32, Utf32Be, Utf32Le, Wtf8, Wtf16, Wtf16Be, Wtf16Le,
};
pub use error::{Error, ErrorKind, Unit, UnknownErrorKind};
pub use grammar::{Dialect, Grammar, Row};
pub use line_ends::LineEnds;
pub use operations::{Encoding, convert_into, convert_lossy_into, converted_len, converted_len_lossy};
#[cfg(feature = "alloc")]
pub use operations::{convert, convert_lossy};
pub use out::Buffer;
#[cfg(feature = "alloc")]
pub use policy::PolicyBuf;
pub use policy::{Each, Policy, UnknownPolicy};
pub use position::{ColumnUnit, LineColumn};
#[cfg(feature = "alloc")]
pub use repair::repair;
#[cfg(feature = "std")]
pub use simd::level::with_level;
pub use simd::level::{Level, LevelUnavailable};
#[cfg(feature = "alloc")]
pub use stream::TextStream;
pub use stream::{Checkpoint, Converter, Validator};
#[cfg(feature = "hold")]
pub use stream::{Hold, settled};
#[cfg(feature = "std")]
pub use stream::{Reader, Writer};
pub use validate::{Chunk, Chunks, Errors, chunks, errors, is_ascii, validate, validate_and_count};
