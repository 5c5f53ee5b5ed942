//! Edits text in any encoding without changing any other byte, and finds and undoes the damage that other programs did
//! to a file.
//!
//! Both rest on one idea. A *view* of bytes is a text in which every piece knows the bytes that it came from. Decoding
//! gives a view. An *edit* is a new text. When it is written, every unedited piece gives its own bytes, and only new
//! text is encoded:
//!
//! ```text
//! bytes   4E 61 EF 76 65 0D 0A          windows-1252, CR LF
//! view    N  a  ï  v  e  LF             each piece with its bytes
//! edit    N  a  ï  v  e  .  LF
//! bytes   4E 61 EF 76 65 2E 0D 0A
//! ```
//!
//! So in every encoding, writing the text of a view gives its bytes. Damage also is a view: decoded as UTF-8 with
//! replacement, `EF` becomes U+FFFD. [`compare`] treats a new version of a file as an edit of one of these views of the
//! old version. The view that needs the smallest edit explains what happened. Unedited text with different bytes is the
//! damage, and [`restore`] applies the edit to the old bytes.

#![forbid(clippy::todo, clippy::unimplemented)]
#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests may"))]

mod compare;
mod diff;
mod document;
mod edit;
mod positions;
mod put;
mod restore;
mod splice;
#[cfg(test)]
mod tests;
mod unencodable;
mod view;

pub use compare::{Comparison, Damage, DamageKind, DamageView, compare};
pub use diff::{is_ascii_edit, line_changes};
pub use document::{Document, Unencodable};
pub use edit::{EditError, Lacking};
pub use restore::restore;
pub use view::{Change, LineEnds};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
