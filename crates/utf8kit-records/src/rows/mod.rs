//! Records of CSV, TSV, JSON lines, plain lines and dumps of databases: their boundaries and fields.
//! [`RowValidator`](crate::validator::RowValidator) decides which of them are good.

mod chunks;
mod dump;
mod evidence;
mod fast_path;
mod field;
mod json;
mod lines;
mod options;
mod path;
pub mod protobuf;
mod reader;
mod syntax;
#[cfg(test)]
mod tests;
mod violation;

pub use chunks::{Chunk, Chunks};
pub use dump::{
    ConvertedChunk, DumpChunk, DumpChunks, DumpConversion, DumpError, DumpErrors, DumpFormat, DumpPolicy, DumpRepair,
    Evidence, LeftInDump, RepairedChunk, StoppedDump, TablePolicy, UnknownTablePolicy, UnsupportedDumpPolicy,
};
pub use evidence::ColumnEvidence;
pub(crate) use fast_path::json_lines_by_masks;
pub use field::{Field, Header, Places, RowPlace};
pub(crate) use lines::{Literal, literal};
pub use options::{Quote, RowFormat, RowOptions, RowSyntaxError};
pub use reader::{FieldCount, Reader, Shape};
pub(crate) use syntax::text;
pub use syntax::{LONGEST_ROW, Row, RowSyntax};
pub use violation::{RowViolation, RowViolationKind};
