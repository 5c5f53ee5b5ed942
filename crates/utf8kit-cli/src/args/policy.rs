//! The value of `--policy`.

use std::ffi::OsStr;

use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use utf8kit_text::charset::Fallback;

use super::names;

/// How `repair` treats an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// One U+FFFD per maximal subpart, as in WHATWG, Python, Rust and Node.
    #[default]
    Replace,
    /// One U+FFFD per byte, as in Go's range loop.
    ReplaceByte,
    /// One U+FFFD per run of errors, as in Go's ToValidUTF8 and ClickHouse.
    ReplaceRun,
    /// Like replace, but one U+FFFD per encoded surrogate, as in Java.
    Java,
    /// Remove the bytes.
    Remove,
    /// Write each byte as `\xHH`; a backslash before an x is written `\x5C`.
    Escape,
    /// Undo `escape` exactly.
    Unescape,
    /// One `?` per byte.
    SameLength,
    /// Decode lines that were encoded twice ("cafÃ©"), where that is certain or other lines of the file decide; leave
    /// everything else alone.
    Undouble,
    /// Decode the bytes of errors in this encoding.
    #[value(skip)]
    Fallback(Fallback),
}

/// Parses `--policy`: the policies, and `fallback=LABEL`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyParser;

impl TypedValueParser for PolicyParser {
    type Value = PolicyArg;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<PolicyArg, clap::Error> {
        match value.to_str().and_then(|text| text.strip_prefix("fallback=")) {
            Some(label) => {
                names::fallback.parse_ref(command, argument, OsStr::new(label)).map(PolicyArg::Fallback)
            }
            None => EnumValueParser::<PolicyArg>::new().parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let fallback = PossibleValue::new("fallback=LABEL")
            .help("Decode the bytes of errors in an encoding, such as fallback=windows-1252");
        let policies = PolicyArg::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(policies.chain([fallback]).collect::<Vec<_>>().into_iter()))
    }
}

/// Parses a policy of `repair`.
pub(crate) fn parse(text: &str) -> Result<PolicyArg, String> {
    match text.strip_prefix("fallback=") {
        Some(label) => names::fallback(label).map(PolicyArg::Fallback),
        None => names::value(text),
    }
}
