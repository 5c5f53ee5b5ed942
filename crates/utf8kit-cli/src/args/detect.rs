//! What `utf8 detect` takes.

use clap::{Args, ValueEnum};

use super::{InputArgs, ThreadArgs};

/// `utf8 detect`
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// How results are written.
    #[arg(long, value_name = "FORMAT", default_value_t, value_enum)]
    pub(crate) format: DetectFormat,
}

/// How `detect` writes its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DetectFormat {
    /// For people, with the evidence.
    #[default]
    Human,
    /// The label alone, or `unknown`.
    Short,
    /// One JSON object a line.
    Jsonl,
}
