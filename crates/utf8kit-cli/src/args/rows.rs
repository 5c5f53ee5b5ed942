//! Options for tables, shared by `check`, `repair` and `convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_encodings::charset::Codec;
use utf8kit_records::rows::{DumpFormat, FieldCount, Quote, RowFormat, RowOptions, RowSyntax};
use utf8kit_records::targets::Demands;

use crate::error::Error;

/// How to read the input as rows.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rows")]
pub(crate) struct RowArgs {
    /// Read rows, and report the row and field of errors
    ///
    /// Read the input as rows in this format, and report errors with their row and field.
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) rows: Option<RowsArg>,
    /// Delimiter between fields
    ///
    /// One character, or `\t` [default: a comma in csv, a tab in tsv].
    #[arg(long, value_name = "CHAR", value_parser = sign, allow_hyphen_values = true)]
    #[arg(hide_short_help = true)]
    pub(crate) delimiter: Option<char>,
    /// Quote around fields
    ///
    /// One character, or `none` [default: `"` in csv, none in tsv].
    #[arg(long, value_name = "CHAR", value_parser = quote)]
    #[arg(hide_short_help = true)]
    pub(crate) quote: Option<Quote>,
    /// Reject rows without N fields
    ///
    /// Applies to csv and tsv. With `header`, rows must have as many fields as the first row.
    #[arg(long, value_name = "N|header", value_parser = fields)]
    #[arg(hide_short_help = true)]
    pub(crate) fields: Option<FieldCount>,
    /// Write bad rows to this file
    ///
    /// Bad rows are written to this file unchanged, and the reasons to FILE.reasons.jsonl; `repair` and `convert` write
    /// the other rows to the output. Both files are empty if no row is bad.
    #[arg(long, value_name = "FILE")]
    pub(crate) reject: Option<PathBuf>,
}

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowsArg {
    /// Comma-separated values (RFC 4180).
    Csv,
    /// Tab-separated values.
    Tsv,
    /// One JSON value per line.
    Jsonl,
    /// One row per line, without fields.
    Lines,
    /// A script of `pg_dump`: the values of its tables.
    Pgdump,
    /// A dump of `mysqldump` or `mariadb-dump`: the values of its tables.
    Mysqldump,
    /// Messages of Protocol Buffers: the text in their fields (see --descriptor).
    Protobuf,
}

/// The error of commands that do not read messages.
const PROTOBUF: &str = "--rows protobuf is for check and repair, with --descriptor";

/// Parses a single character.
fn sign(text: &str) -> Result<char, String> {
    let mut chars = text.chars();
    match (text, chars.next(), chars.next()) {
        ("\\t" | "tab", ..) => Ok('\t'),
        (_, Some(sign), None) => Ok(sign),
        _ => Err("expected one character".to_owned()),
    }
}

fn quote(text: &str) -> Result<Quote, String> {
    match text {
        "" | "none" => Ok(Quote::Unquoted),
        _ => sign(text).map(Quote::Sign),
    }
}

fn fields(text: &str) -> Result<FieldCount, String> {
    match text {
        "header" => Ok(FieldCount::Header),
        _ => text.parse().map(FieldCount::Exactly).map_err(|_| "expected a number, or `header`".to_owned()),
    }
}

impl RowArgs {
    /// Reports whether rows are JSON.
    pub(crate) fn are_json(&self) -> bool {
        self.rows == Some(RowsArg::Jsonl)
    }

    /// Returns the format, if the input is a dump of a database.
    pub(crate) fn dump(&self) -> Result<Option<DumpFormat>, Error> {
        match self.rows {
            Some(RowsArg::Pgdump) => Ok(Some(DumpFormat::PgDump)),
            Some(RowsArg::Mysqldump) => Ok(Some(DumpFormat::MysqlDump)),
            Some(RowsArg::Protobuf) => Err(Error::usage(PROTOBUF)),
            _ => Ok(None),
        }
    }

    /// Returns the syntax of rows in an encoding, if rows were requested.
    pub(crate) fn syntax(&self, codec: Codec, demands: &Demands) -> Result<Option<RowSyntax>, Error> {
        self.rows.map(|_| self.syntax_or_lines(codec, demands)).transpose()
    }

    /// Returns the syntax of rows in an encoding, or of lines if no rows were requested.
    pub(crate) fn syntax_or_lines(&self, codec: Codec, demands: &Demands) -> Result<RowSyntax, Error> {
        let mut options = RowOptions::new(match self.rows {
            Some(RowsArg::Protobuf) => return Err(Error::usage(PROTOBUF)),
            Some(RowsArg::Csv) => RowFormat::Csv,
            Some(RowsArg::Tsv) => RowFormat::Tsv,
            Some(RowsArg::Jsonl) => RowFormat::Jsonl,
            Some(RowsArg::Lines | RowsArg::Pgdump | RowsArg::Mysqldump) => RowFormat::Lines,
            None => demands.lines(),
        });
        options.delimiter = self.delimiter;
        options.quote = self.quote;
        options.fields = self.fields;
        options.reader = demands.reader();
        RowSyntax::new(options, codec).map_err(|error| Error::usage(format!("--rows: {error}")))
    }
}
