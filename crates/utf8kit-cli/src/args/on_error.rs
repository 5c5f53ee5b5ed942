//! The values of `--on-error` where text changes its encoding.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use utf8kit_detect::RepairPolicy;
use utf8kit_document::Unencodable;
use utf8kit_encodings::charset::Fallback;
use utf8kit_encodings::convert::Invalid;

use super::policy;

/// How text is handled that is invalid, or that the target encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnError {
    /// Writes a replacement, omits the text, or stops.
    Invalid(Invalid),
    /// Writes the nearest characters that the encoding has.
    Transliterate,
    /// Decodes invalid bytes in another encoding.
    Fallback(Fallback),
    /// Decodes lines that contain invalid bytes in another encoding.
    FallbackLines(Fallback),
    /// Converts the whole file to UTF-8.
    Recode,
}

/// The names of the values, and their effects.
const NAMES: [(&str, &str); 12] = [
    ("strict", "Stop at the first one, with exit status 1"),
    ("replace", "Write U+FFFD, or `?` or the control SUB if the output encoding lacks it"),
    ("replace-byte", "The same for each invalid byte"),
    ("replace-run", "The same for each run of invalid bytes"),
    ("java", "The same wherever Java writes one"),
    ("same-length", "Write a `?` for each invalid byte"),
    ("remove", "Omit it"),
    ("escape", "Write each byte as `\\xHH`, each character as `\\u20AC`"),
    ("transliterate", "Write the nearest characters that the encoding has: \u{201C} as \", \u{E9} as e"),
    ("fallback=LABEL", "Decode invalid bytes from another encoding, such as fallback=windows-1252"),
    ("fallback-lines=LABEL", "Decode whole lines with invalid bytes from another encoding"),
    ("recode", "Convert the whole file to UTF-8"),
];

/// Parses `--on-error` for a command that supports a subset of the values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnErrorParser(pub(crate) &'static [&'static str]);

/// The values that `convert` supports.
pub(crate) const CONVERT: OnErrorParser = OnErrorParser(&[
    "strict", "replace", "replace-byte", "replace-run", "java", "same-length", "remove", "escape", "transliterate",
    "fallback=LABEL", "fallback-lines=LABEL",
]);
/// The values that `edit` supports.
pub(crate) const EDIT: OnErrorParser = OnErrorParser(&["strict", "escape", "transliterate", "recode"]);

impl OnErrorParser {
    fn parse(self, text: &str) -> Result<OnError, String> {
        let name = match text.split_once('=') {
            Some(("fallback", _)) => "fallback=LABEL",
            Some(("fallback-lines", _)) => "fallback-lines=LABEL",
            _ => text,
        };
        if !self.0.contains(&name) {
            let is_known = NAMES.iter().map(|(name, _)| *name).chain(RepairPolicy::names().map(|(name, _)| name));
            return Err(match is_known.into_iter().any(|known| known == name) {
                true => format!("{}; here there are {}", self.reason(name), self.0.join(", ")),
                false => super::names::unknown(text, self.0.iter().copied()),
            });
        }
        if let Some(invalid) = Invalid::ALL.into_iter().find(|invalid| invalid.name() == name) {
            return Ok(OnError::Invalid(invalid));
        }
        Ok(match name {
            "transliterate" => OnError::Transliterate,
            "recode" => OnError::Recode,
            _ => match policy::parse(text)? {
                RepairPolicy::Fallback(fallback) => OnError::Fallback(fallback),
                RepairPolicy::FallbackLines(fallback) => OnError::FallbackLines(fallback),
                _ => return Err(super::names::unknown(text, self.0.iter().copied())),
            },
        })
    }
}

impl OnErrorParser {
    /// Returns why a known value does not apply to the command.
    fn reason(self, name: &str) -> String {
        match (name, self.0.contains(&"recode")) {
            ("recode", _) => "a conversion recodes all text".to_owned(),
            (_, true) => {
                format!("`{name}` does not apply to an edit, which keeps invalid bytes and loses no character")
            }
            _ => format!("`{name}` repairs UTF-8, and nothing is converted: use `utf8 repair -p {name}`"),
        }
    }
}

impl TypedValueParser for OnErrorParser {
    type Value = OnError;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<OnError, clap::Error> {
        let this = *self;
        (move |text: &str| this.parse(text)).parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let known = NAMES.into_iter().filter(|(name, _)| self.0.contains(name));
        Some(Box::new(known.map(|(name, about)| PossibleValue::new(policy::example(name)).help(about))))
    }
}

impl OnError {
    /// Returns how an edit handles characters that the file's encoding lacks.
    pub(crate) fn unencodable(self) -> Unencodable {
        match self {
            OnError::Transliterate => Unencodable::Transliterate,
            OnError::Invalid(Invalid::Escape) => Unencodable::Escape,
            OnError::Recode => Unencodable::Recode,
            _ => Unencodable::Refuse,
        }
    }
}
