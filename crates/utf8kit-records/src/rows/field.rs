//! Finds the field of a row that contains an offset, and its name.

use std::fmt;
use std::ops::Range;

use utf8kit_encodings::display::plain;

use super::path::{JsonPath, truncated_name};
use super::syntax::text;
use super::{RowFormat, RowSyntax};

/// The names of the columns, from the first row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header(Vec<String>);

/// A place in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowPlace {
    /// The number of the row, from 1. The header counts as a row.
    pub row: u64,
    /// The field, if the format has fields.
    pub field: Option<Field>,
}

impl RowPlace {
    /// Makes a place.
    pub fn new(row: u64, field: Option<Field>) -> RowPlace {
        RowPlace { row, field }
    }
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// A field of CSV or TSV.
    Column {
        /// The number of the column, from 1.
        number: u64,
        /// The column's name in the header.
        name: Option<String>,
    },
    /// A value of JSON, as a path (RFC 9535): `$.user.tags[2]`.
    Path(String),
    /// A value in a dump of a database.
    Cell {
        /// The schema, or the database in MySQL, if it is known.
        schema: Option<String>,
        /// The table.
        table: String,
        /// The number of the column in its statement, from 1.
        number: u64,
        /// The name of the column, if it is known.
        name: Option<String>,
    },
}

impl Field {
    /// Returns the column's name in the header, or the key in the outermost object.
    pub fn column_name(&self) -> Option<&str> {
        match self {
            Field::Column { name, .. } | Field::Cell { name, .. } => name.as_deref(),
            Field::Path(path) => {
                let key = path.strip_prefix("$.")?;
                Some(key.split(['.', '[']).next().unwrap_or(key))
            }
        }
    }
}

impl fmt::Display for RowPlace {
    /// Formats the place as `row 3, field 2 (name)`, safe for a terminal; one in a dump as `table s.t, row 3, column 2
    /// (name)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Field::Cell { schema, table, .. }) = &self.field {
            let schema = schema.as_ref().map_or(String::new(), |schema| format!("{schema}."));
            write!(f, "table {}, ", plain(&format!("{schema}{table}")))?;
        }
        write!(f, "row {}", self.row)?;
        match &self.field {
            Some(Field::Column { number, name: Some(name) }) => {
                write!(f, ", field {number} ({})", plain(name))
            }
            Some(Field::Column { number, name: None }) => write!(f, ", field {number}"),
            Some(Field::Cell { number, name: Some(name), .. }) => {
                write!(f, ", column {number} ({})", plain(name))
            }
            Some(Field::Cell { number, name: None, .. }) => write!(f, ", column {number}"),
            Some(Field::Path(path)) => write!(f, ", {}", plain(path)),
            None => Ok(()),
        }
    }
}

impl Header {
    /// Parses the first row.
    pub fn of(syntax: &RowSyntax, row: &[u8]) -> Header {
        match syntax.format() {
            RowFormat::Csv | RowFormat::Tsv => {
                Header(syntax.fields(row).map(|field| truncated_name(syntax.value(&row[field]))).collect())
            }
            _ => Header::default(),
        }
    }
}

/// Finds the fields of ascending offsets in a row.
pub struct Places<'r> {
    syntax: &'r RowSyntax,
    header: &'r Header,
    number: u64,
    row: &'r [u8],
    fields: Fields<'r>,
}

/// The position of a [`Places`].
enum Fields<'r> {
    None,
    Columns { rest: Box<dyn Iterator<Item = Range<usize>> + 'r>, current: Range<usize>, number: u64 },
    Json { path: JsonPath, read: usize },
}

impl<'r> Places<'r> {
    /// Starts at the beginning of a row.
    pub fn new(syntax: &'r RowSyntax, header: &'r Header, number: u64, row: &'r [u8]) -> Self {
        let fields = match syntax.format() {
            RowFormat::Csv | RowFormat::Tsv => {
                let mut rest = Box::new(syntax.fields(row));
                let current = rest.next().unwrap_or_default();
                Fields::Columns { rest, current, number: 1 }
            }
            RowFormat::Jsonl => Fields::Json { path: JsonPath::default(), read: 0 },
            _ => Fields::None,
        };
        Places { syntax, header, number, row, fields }
    }

    /// Returns the place of the byte at `at`, which must not be less than in the previous call.
    pub fn at(&mut self, at: usize) -> RowPlace {
        let field = match &mut self.fields {
            Fields::None => None,
            Fields::Columns { rest, current, number } => {
                while current.end <= at
                    && let Some(next) = rest.next()
                {
                    *current = next;
                    *number += 1;
                }
                let index = usize::try_from(*number - 1).unwrap_or(usize::MAX);
                let name = self.header.0.get(index).filter(|name| !name.is_empty()).cloned();
                Some(Field::Column { number: *number, name })
            }
            Fields::Json { path, read } => {
                let end = at.min(self.row.len());
                path.read(&text(self.syntax.codec(), self.row.get(*read..end).unwrap_or_default()));
                *read = end.max(*read);
                Some(Field::Path(path.to_string()))
            }
        };
        RowPlace { row: self.number, field }
    }
}

impl RowSyntax {
    /// Returns the text of a field without its quotes. Invalid parts are replaced.
    pub fn value(&self, field: &[u8]) -> String {
        let (content, doubled) = self.content(field);
        let value = text(self.codec(), &field[content]);
        match doubled {
            Some(_) => {
                let quote = text(self.codec(), &field[..self.width()]);
                value.replace(&quote.repeat(2), &quote)
            }
            None => value,
        }
    }
}
