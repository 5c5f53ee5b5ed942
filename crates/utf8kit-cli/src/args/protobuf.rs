//! Options for messages of Protocol Buffers.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use utf8kit_records::rows::protobuf::{Framing, Schema};

use super::rows::{RowArgs, RowsArg};
use crate::error::Error;

/// The type and framing of the messages of `--rows protobuf`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rows")]
pub(crate) struct ProtobufArgs {
    /// Types of the messages
    ///
    /// With --rows protobuf: the file that `protoc --include_imports --descriptor_set_out=FILE` writes.
    #[arg(long, value_name = "FILE")]
    #[arg(hide_short_help = true)]
    pub(crate) descriptor: Option<PathBuf>,
    /// The message type, with its package
    ///
    /// [default: the only type in the descriptor that is not part of another]
    #[arg(long, value_name = "NAME")]
    #[arg(hide_short_help = true)]
    pub(crate) message: Option<String>,
    /// How messages follow each other
    #[arg(long, value_name = "FRAMING", value_enum, default_value_t)]
    #[arg(hide_short_help = true)]
    pub(crate) framing: FramingArg,
}

/// How messages follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FramingArg {
    /// A file is one message.
    #[default]
    One,
    /// Each message follows its length as a varint, as Java's `writeDelimitedTo` writes it.
    Varint,
    /// Each message follows its length as four big-endian bytes, as in files of the OpenTelemetry Collector.
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
    /// Reads the types, if the rows are messages. Fails if the named message is not among them.
    pub(crate) fn schema(&self, rows: &RowArgs) -> Result<Option<Schema>, Error> {
        let Some(path) = self.descriptor.as_ref().filter(|_| rows.rows == Some(RowsArg::Protobuf)) else {
            return Ok(None);
        };
        let set = fs::read(path).map_err(|error| Error::at(path, error))?;
        let schema = Schema::new(&set).map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        let known = schema.message(self.message.as_deref()).map(drop);
        known.map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok(Some(schema))
    }
}
