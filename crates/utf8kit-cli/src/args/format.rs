//! Output formats.

use std::ffi::OsStr;
use std::fmt;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Human,
    /// One line per result.
    Short,
    /// One JSON object per line.
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations for GitHub Actions.
    Github,
}

impl Format {
    /// Returns its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Short => "short",
            Format::Jsonl => "jsonl",
            Format::Sarif => "sarif",
            Format::Github => "github",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The formats of what `stats`, `explain` and `detect` print.
pub(crate) const RESULTS: &[Format] = &[Format::Human, Format::Short, Format::Jsonl];

/// Parses the format of a command whose results are bytes or messages: only `human` is accepted, which changes nothing.
/// The error for another format is the reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoFormat(pub(crate) &'static str);

impl TypedValueParser for NoFormat {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let reason = self.0;
        let parse = move |text: &str| match text {
            "human" => Ok(text.to_owned()),
            _ => Err(reason),
        };
        parse.parse_ref(command, argument, value)
    }
}

/// Returns an option that is refused with a reason.
pub(crate) fn refused(id: &'static str, reason: &'static str) -> clap::Arg {
    clap::Arg::new(id).long(id).hide(true).value_name("ENCODING").value_parser(move |_: &str| Err::<String, _>(reason))
}

/// Returns `--format` for a command whose results are bytes or messages.
pub(crate) fn no_format(reason: &'static str) -> clap::Arg {
    clap::Arg::new("format").long("format").hide(true).value_name("FORMAT").value_parser(NoFormat(reason))
}

/// Parses every value of an option that several commands share, but lists only those that this command supports. The
/// command rejects the others with a reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<T: 'static>(pub(crate) &'static [T]);

impl<T: ValueEnum + Send + Sync> Listed<T> {
    fn names(self) -> impl Iterator<Item = PossibleValue> {
        self.0.iter().filter_map(T::to_possible_value)
    }
}

impl<T: ValueEnum + Copy + Send + Sync> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let known = value.to_str().and_then(|name| T::from_str(name, false).ok());
        match (known, self.0.first()) {
            (Some(known), _) => Ok(known),
            // This parser's own error lists the values.
            (None, Some(first)) => {
                PossibleValuesParser::new(self.names()).parse_ref(command, argument, value).map(|_| *first)
            }
            (None, None) => Err(clap::Error::new(clap::error::ErrorKind::InvalidValue)),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names()))
    }
}
