//! Records of CSV, TSV, JSON lines and plain lines: which of them are bad, and why.
//!
//! ```text
//! Chunks   an input, cut into chunks of whole rows        one after the other: quotes decide what a line feed means
//! Judge    is a chunk good as a whole? else each row      on all threads
//! sift     good rows to one side, bad rows to the other   in order
//! ```

mod chunks;
mod field;
mod path;
mod quick;
mod syntax;
#[cfg(test)]
mod tests;

pub use chunks::{Chunk, Chunks};
pub(crate) use field::text;
pub use field::{Field, Header, Places, RowPlace};
pub use syntax::{LONGEST_ROW, Row, RowFormat, RowOptions, RowSyntax, RowSyntaxError};
