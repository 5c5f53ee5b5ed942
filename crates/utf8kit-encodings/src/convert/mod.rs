//! Conversion from any encoding to any other, in pieces.
//!
//! ```text
//! head -> Conversion::start: byte orders, marks -> Plan -> Converter: Native (both of the library)
//!                                                                     Pivot  (through UTF-8:
//!                                                                             reader -> rewrite -> target)
//! ```

mod converter;
mod error;
mod native;
mod pivot;
mod plan;
mod reader;
mod rewrite;
#[cfg(test)]
mod tests;

pub use converter::Converter;
pub use error::{ConversionError, ConversionErrorKind};
pub use native::mistaken_kind;
pub use plan::{BomHandling, Conversion, Invalid, MAX_BOM_LEN, Plan};
pub use rewrite::{LineEnd, NormalForm, Rewrite};
