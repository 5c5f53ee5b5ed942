//! Records of CSV, TSV, JSON lines, plain lines and dumps of databases: their boundaries and fields.
//! [`RowValidator`](crate::validator::RowValidator) decides which of them are good.

mod chunks;
mod dump;
mod evidence;
mod field;
mod json;
mod lines;
mod options;
mod path;
pub mod protobuf;
mod quick;
mod reader;
mod syntax;
#[cfg(test)]
mod tests;
mod violation;

pub use chunks::{Chunk, Chunks};
pub use dump::{
    ConvertedChunk, DumpChunk, DumpChunks, DumpConversion, DumpError, DumpErrors, DumpFormat, DumpPolicy,
    DumpRepair, Evidence, LeftInDump, RepairedChunk, StoppedDump, TablePolicy, UnknownTablePolicy,
    UnsuitableForDumps,
};
pub use evidence::ColumnEvidence;
pub use field::{Field, Header, Places, RowPlace};
pub(crate) use lines::{Literal, literal};
pub use options::{Quote, RowFormat, RowOptions, RowSyntaxError};
pub(crate) use quick::quick_json_lines;
pub use reader::{FieldCount, Reader, Shape};
pub(crate) use syntax::text;
pub use syntax::{LONGEST_ROW, Row, RowSyntax};
pub use violation::{RowViolation, RowViolationKind};
