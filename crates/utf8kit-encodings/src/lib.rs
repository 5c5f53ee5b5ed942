//! Every text encoding by name, and conversion between any two of them.
//!
//! - [`charset`]: the encodings of UTF-8's family, of the WHATWG Encoding Standard, of DOS, EBCDIC, the Mac and mail.
//! - [`convert`]: a stream from any encoding to any other, with normal forms, transliteration and line ends.
//! - [`artifact`]: lossless damage, and its repair.
//! - [`byte_lengths`]: formats that store texts by their lengths: dBase, MARC.
//! - [`unicode`]: names, blocks and scripts of code points.
//! - [`mod@describe`]: describes errors in plain words.
//! - [`display`]: text that is safe to show.
//!
//! # Features
//! Both are on by default, and add only tables.
//!
//! | feature | what it adds |
//! |---|---|
//! | `rewrite` | normal forms and transliteration |
//! | `unicode` | names, blocks and scripts of code points |

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

pub mod artifact;
pub mod byte_lengths;
pub mod charset;
pub mod chunks;
pub mod convert;
pub mod counts;
pub mod describe;
pub mod display;
#[cfg(feature = "unicode")]
pub mod unicode;
#[cfg(not(feature = "unicode"))]
#[path = "no_unicode.rs"]
pub mod unicode;
pub mod violation;

pub use charset::Charset;
pub use convert::{Conversion, Converter};
pub use counts::Counts;
pub use describe::describe;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
