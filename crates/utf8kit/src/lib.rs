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
mod intended;
mod kernels;
#[cfg(any(feature = "column", all(test, feature = "alloc")))]
mod layout;
mod line_ends;
mod order;
mod out;
mod policy;
mod position;
mod reference;
mod repair;
#[cfg(any(feature = "restrict", all(test, feature = "alloc")))]
pub mod restrict;
#[cfg_attr(
    not(feature = "column"),
    allow(dead_code, reason = "columns use operations that nothing else uses")
)]
mod simd;
mod stream;
#[cfg(any(feature = "summary", all(test, feature = "alloc")))]
pub mod summary;
mod swar;
#[cfg(test)]
mod tests;
mod validate;

pub use bom::{Bom, EncodingLabel, detect_bom, strip_bom};
pub use boundary::{
    ceil, ceil_char_boundary, ceil_in, floor, floor_char_boundary, floor_in, is_boundary, is_boundary_in,
    lead_len, split, split_str, trim_partial, trim_partial_in, trim_partial_units, truncate, truncate_in,
    truncate_str,
};
pub use convert::*;
pub use count::{
    count, count_in, count_units, index_of, index_of_in, offset_of, offset_of_in, utf16_len, utf16_len_in,
};
pub use decode::{Item, Items, decode, decode_in, decode_last, decode_last_in, items};
pub use encode::{Encoded, encode, encode_in};
pub use encoding::{
    AnyEncoding, Cesu8, CodeUnit, ENCODE_BUFFER, Encoding, Latin1, MAX_LEN, Mutf8, Step, UnitEncoding,
    UnknownEncoding, Utf8, Utf8Bits21, Utf8Bits31, Utf8Offset, Utf16Be, Utf16Le, Utf16Native, Utf32Be,
    Utf32Le, Utf32Native, Wtf8, Wtf16Be, Wtf16Le, Wtf16Native,
};
pub use error::{Error, ErrorKind, Unit, UnknownErrorKind};
pub use grammar::{Dialect, Grammar, Row};
pub use line_ends::LineEnds;
pub use order::{
    byte_order_is_code_point_order, compare_in, compare_utf8, compare_utf8_utf16, compare_utf16,
};
pub use out::Buffer;
#[cfg(feature = "alloc")]
pub use policy::PolicyBuf;
pub use policy::{Each, Policy, UnknownPolicy};
pub use position::{ColumnUnit, LineColumn, line_column, offset_at};
pub use repair::repair_into;
#[cfg(feature = "alloc")]
pub use repair::{repair, repair_in, unescape, unescape_some, unescape_some_observed};
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
pub use validate::{
    Chunk, Chunks, Errors, chunks, chunks_in, chunks_units, errors, errors_in, errors_units, is_ascii,
    validate, validate_in, validate_units,
};
