//! The values of a dump, and the columns that they are of.

use std::ops::Range;
use std::sync::Arc;

use super::declarations::Declared;
use super::escapes::Style;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Text, or numbers and the like, which are written in ASCII.
    Text,
    /// Bytes.
    Binary,
    /// Not known: the dump has no definition of the table.
    Unknown,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// A table, and the columns that values are given for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) columns: Vec<Column>,
}

/// The name of a table, as a key.
pub(super) type TableName = (Option<String>, String);

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Text in the encoding that is declared.
    Text,
    /// Text in this encoding, which is named before it.
    Charset(Declared),
    /// Text or bytes: the type of the column is not known.
    Unknown,
    /// Bytes.
    Binary,
}

/// A value in a dump.
#[derive(Clone, Debug)]
pub(crate) struct Value<'s> {
    /// Its bytes, without quotes.
    pub(crate) raw: Range<usize>,
    pub(crate) style: Style,
    pub(crate) kind: ValueKind,
    /// The encoding that is declared.
    pub(crate) declared: &'s Declared,
    /// Its table, row and column, if it is in a table.
    pub(crate) cell: Option<(&'s Arc<Destination>, u64, usize)>,
}

/// A place in the tuples of an `INSERT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) depth: u32,
    pub(super) column: usize,
}

/// What was read right before a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    Nothing,
    /// `E`
    Escaped,
    /// `U&`
    Unicode,
    /// `X`, `B`, `_binary`
    Binary,
    /// `_latin1`
    Charset(Declared),
}
