//! What rows are: options that `check`, `repair` and `convert` share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_text::charset::Codec;
use utf8kit_text::rows::{RowFormat, RowOptions, RowSyntax};

use crate::error::Error;

/// How the input is a table.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rows")]
pub(crate) struct RowArgs {
    /// The input is rows of this format: what is wrong is told with its row and field.
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) rows: Option<RowsArg>,
    /// What stands between the fields of csv and tsv, if not a comma or a tab: one character, or `\t`.
    #[arg(long, value_name = "CHAR", value_parser = sign, requires = "rows", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<char>,
    /// What stands around fields, if not `"` for csv and nothing for tsv; `none` for nothing.
    #[arg(long, value_name = "CHAR", value_parser = quote, requires = "rows")]
    pub(crate) quote: Option<Quote>,
    /// Put bad rows into this file as they are, and say why in FILE.reasons.jsonl. The other rows pass. Both files are
    /// empty if no row is bad.
    #[arg(long, value_name = "FILE", requires = "rows")]
    pub(crate) reject: Option<PathBuf>,
}

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowsArg {
    /// Fields between commas, in quotes where need be.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// A JSON value a line.
    Jsonl,
    /// Lines.
    Lines,
}

/// What stands around fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote(Option<char>);

/// A character.
fn sign(text: &str) -> Result<char, String> {
    let mut chars = text.chars();
    match (text, chars.next(), chars.next()) {
        ("\\t" | "tab", ..) => Ok('\t'),
        (_, Some(sign), None) => Ok(sign),
        _ => Err("one character is wanted".to_owned()),
    }
}

fn quote(text: &str) -> Result<Quote, String> {
    match text {
        "" | "none" => Ok(Quote(None)),
        _ => sign(text).map(|sign| Quote(Some(sign))),
    }
}

impl RowArgs {
    /// The rows of an input in an encoding, if there are any.
    pub(crate) fn syntax(&self, codec: Codec) -> Result<Option<RowSyntax>, Error> {
        let Some(rows) = self.rows else { return Ok(None) };
        let mut options = RowOptions::new(match rows {
            RowsArg::Csv => RowFormat::Csv,
            RowsArg::Tsv => RowFormat::Tsv,
            RowsArg::Jsonl => RowFormat::Jsonl,
            RowsArg::Lines => RowFormat::Lines,
        });
        options.delimiter = self.delimiter;
        options.quote = self.quote.map(|quote| quote.0);
        let syntax = RowSyntax::new(options, codec);
        syntax.map(Some).map_err(|error| Error::usage(format!("--rows: {error}")))
    }
}
