//! Options for messages of Protocol Buffers.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_text::rows::protobuf::{Framing, Schema};

use super::rows::{RowArgs, RowsArg};
use crate::error::Error;

/// What the messages of `--rows protobuf` are.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rows")]
pub(crate) struct ProtobufArgs {
    /// With --rows protobuf: the types of the messages, as `protoc --include_imports --descriptor_set_out=FILE` writes
    /// them.
    #[arg(long, value_name = "FILE", requires = "rows")]
    pub(crate) descriptor: Option<PathBuf>,
    /// The message with its package [default: the only one in the descriptor that is not part of another one].
    #[arg(long, value_name = "NAME", requires = "descriptor")]
    pub(crate) message: Option<String>,
    /// How messages follow each other in a file.
    #[arg(long, value_name = "FRAMING", value_enum, default_value_t, requires = "descriptor")]
    pub(crate) framing: FramingArg,
}

/// How messages follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FramingArg {
    /// A file is one message.
    #[default]
    One,
    /// Before each message, its length as a varint, as Java's `writeDelimitedTo` writes it.
    Varint,
    /// Before each message, its length in four bytes, the highest first, as OpenTelemetry's collector writes files.
    Fixed32,
}

impl FramingArg {
    pub(crate) fn framing(self) -> Framing {
        match self {
            FramingArg::One => Framing::One,
            FramingArg::Varint => Framing::Varint,
            FramingArg::Fixed32 => Framing::Fixed32,
        }
    }
}

impl ProtobufArgs {
    /// Reads the types, if the rows are messages. Fails for a name that is not among them.
    pub(crate) fn schema(&self, rows: &RowArgs) -> Result<Option<Schema>, Error> {
        let path = match (rows.rows == Some(RowsArg::Protobuf), &self.descriptor) {
            (true, Some(path)) => path,
            (true, None) => {
                return Err(Error::usage("--rows protobuf needs --descriptor FILE: which fields are text"));
            }
            (false, Some(_)) => return Err(Error::usage("--descriptor goes with --rows protobuf only")),
            (false, None) => return Ok(None),
        };
        if rows.delimiter.is_some() || rows.quote.is_some() || rows.fields.is_some() || rows.reject.is_some()
        {
            let what = "--rows protobuf does not go with --delimiter, --quote, --fields, --reject";
            return Err(Error::usage(what));
        }
        let set = fs::read(path).map_err(|error| Error::at(path, error))?;
        let schema =
            Schema::new(&set).map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        let known = schema.message(self.message.as_deref()).map(drop);
        known.map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok(Some(schema))
    }
}
