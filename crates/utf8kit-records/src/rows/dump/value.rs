//! The values of a dump, and their columns.

use std::ops::Range;
use std::sync::Arc;

use super::declarations::Declared;
use super::escapes::Style;

/// The kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Text, or ASCII such as numbers.
    Text,
    /// Bytes.
    Binary,
    /// Unknown, because the dump has no definition of the table.
    Unknown,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// A table, and the columns for which values are given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) columns: Vec<Column>,
}

/// The name of a table, as a key.
pub(super) type TableName = (Option<String>, String);

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Text in the declared encoding.
    Text,
    /// Text in this encoding, which is named before it.
    Charset(Declared),
    /// Text or bytes, because the type of the column is unknown.
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
    /// The declared encoding.
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

/// The prefix of a string.
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
