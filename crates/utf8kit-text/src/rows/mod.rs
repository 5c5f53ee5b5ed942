//! Records of CSV, TSV, JSON lines and plain lines: which of them are bad, and why.
//!
//! ```text
//! Chunks   an input, cut into chunks of whole rows        one after the other: quotes decide what a line feed means
//! Judge    is a chunk good as a whole? else each row      on all threads
//! sift     good rows to one side, bad rows to the other   in order
//! ```

mod chunks;
mod document;
#[cfg(feature = "files")]
mod dump;
#[cfg(feature = "files")]
mod evidence;
mod field;
mod json;
mod misfit;
mod options;
mod path;
pub mod protobuf;
mod quick;
mod reader;
mod syntax;
#[cfg(test)]
mod tests;

pub use chunks::{Chunk, Chunks};
pub(crate) use document::{Literal, literal};
#[cfg(feature = "files")]
pub use dump::{
    ConvertedChunk, DumpChunk, DumpChunks, DumpConversion, DumpError, DumpErrors, DumpFormat, DumpPolicy,
    DumpRepair, Evidence, LeftInDump, RepairedChunk, StoppedDump, TablePolicy, UnknownTablePolicy,
    UnsuitableForDumps,
};
#[cfg(feature = "files")]
pub use evidence::ColumnEvidence;
pub(crate) use field::text;
pub use field::{Field, Header, Places, RowPlace};
pub use misfit::{Misfit, MisfitKind};
pub use options::{Quote, RowFormat, RowOptions, RowSyntaxError};
pub(crate) use quick::quick_json_lines;
pub use reader::{FieldCount, Reader, Shape};
pub use syntax::{LONGEST_ROW, Row, RowSyntax};
