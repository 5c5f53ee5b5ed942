//! Dumps of databases: the values of `COPY` blocks and `INSERT` statements, read as the database reads them.
//!
//! ```text
//! State    what the bytes so far mean for those that follow: the table and its columns, the encoding, an open string
//! Chunks   an input, cut between values, each chunk with the state at its start       one after the other
//! Chunk    its values: errors, repairs, conversions                                   on all threads
//! ```
//!
//! A single function, [`State::read`], reads a dump. It runs once without values to cut the dump into chunks, and again
//! with a `Visit` to process a chunk. A chunk that is valid UTF-8 as a whole needs no second pass, because all
//! separators of values are ASCII.

mod check;
mod chunks;
mod convert;
mod copy;
mod declarations;
mod escapes;
mod evidence;
mod lex;
mod repair;
mod rows;
mod state;
mod statement;
mod strings;
#[cfg(test)]
mod tests;
mod tokens;
mod value;

pub use check::{DumpError, DumpErrors};
pub use chunks::{DumpChunk, DumpChunks};
pub use convert::{ConvertedChunk, DumpConversion, StoppedDump};
pub use evidence::{Evidence, TablePolicy, UnknownTablePolicy};
pub use repair::{DumpPolicy, DumpRepair, LeftInDump, RepairedChunk, UnsupportedDumpPolicy};

/// The program that wrote a dump, and so the database that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpFormat {
    /// `pg_dump` and `pg_dumpall` as scripts: `COPY` blocks or `INSERT` statements.
    PgDump,
    /// `mysqldump` and `mariadb-dump`.
    MysqlDump,
}

impl DumpFormat {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            DumpFormat::PgDump => "pgdump",
            DumpFormat::MysqlDump => "mysqldump",
        }
    }
}
