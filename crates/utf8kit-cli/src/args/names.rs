//! Names of encodings on the command line. An unknown name is an error that suggests the most similar one.

use std::ffi::OsStr;
use std::str::FromStr;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::{Charset, Legacy, UnknownCharset};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ValueEnum};

/// Parses the name of an encoding, and lists all names for completion in shells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encodings<T>(pub(crate) fn(&str) -> Result<T, String>);

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Encodings<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.0.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = Charset::names().chain(["auto"]);
        Some(Box::new(names.filter(|name| (self.0)(name).is_ok()).map(PossibleValue::new)))
    }
}

/// A value of `--from`: an encoding, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The detected encoding.
    Auto,
    /// An encoding.
    Named(Charset),
}

impl FromStr for Origin {
    type Err = UnknownCharset;

    fn from_str(text: &str) -> Result<Origin, UnknownCharset> {
        if text.eq_ignore_ascii_case("auto") { Ok(Origin::Auto) } else { text.parse().map(Origin::Named) }
    }
}

/// Returns the error for a legacy encoding where only the library's own encodings are accepted.
pub(super) fn is_legacy(charset: Charset) -> String {
    format!(
        "{charset} is a legacy encoding: use `utf8 convert --from {charset}`, or `utf8 detect` to guess a file's \
         encoding"
    )
}

/// Parses any encoding.
pub(crate) fn charset(text: &str) -> Result<Charset, String> {
    named(text)
}

/// Parses any encoding, or `auto`.
pub(super) fn origin(text: &str) -> Result<Origin, String> {
    named(text)
}

/// Parses a name. The error for an unknown name suggests the most similar one.
fn named<T: FromStr<Err = UnknownCharset>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error| match error {
        UnknownCharset::Marked | UnknownCharset::Decomposed => with_options(error),
        error => suggest::<T>(text, with_options(error)),
    })
}

/// Describes the error for an encoding, with the options that help.
pub(super) fn with_options(error: UnknownCharset) -> String {
    match error {
        UnknownCharset::Unknown => "unknown encoding; `utf8 encodings` lists those known".to_owned(),
        UnknownCharset::Suffix => "suffixes such as //TRANSLIT are not supported: use --on-error instead".to_owned(),
        UnknownCharset::Marked => {
            "this is utf-8 with a byte order mark: use `utf-8`, and `--bom add` to write one or `--bom strip` to \
             remove it"
                .to_owned()
        }
        UnknownCharset::Decomposed => {
            "this is utf-8 with letters and accents apart: use `utf-8`, and `--normalize nfd` to write it or \
             `--normalize nfc` to compose them"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// Prefixes an error with the probably intended name.
pub(super) fn suggest<T: FromStr>(text: &str, error: String) -> String {
    match nearest(text, encodings().filter(|name| is_alike(text, name) && name.parse::<T>().is_ok())) {
        Some(name) => format!("did you mean `{name}`? ({error})"),
        None => error,
    }
}

/// Reports whether a name can be meant by a mistyped one: with another number or several other letters, it is another
/// encoding. There are only a few of UTF, and a number may be cut short.
fn is_alike(typed: &str, name: &str) -> bool {
    let part = |text: &str, is_part: fn(&char) -> bool| -> String {
        text.chars().filter(is_part).map(|c| c.to_ascii_lowercase()).collect()
    };
    let letters = [typed, name].map(|text| part(text, char::is_ascii_alphabetic));
    let [number, other] = [typed, name].map(|text| part(text, char::is_ascii_digit));
    let is_cut = number.len() > 2 && other.starts_with(&*number) && letters[0] == letters[1];
    let typos = strsim::osa_distance(&letters[0], &letters[1]);
    (number == other || letters[1].starts_with("utf") || is_cut) && typos <= (letters[0].len() / 5).max(1)
}

/// Returns the names of all encodings. UTF-8 comes before its dialects, and aliases come last, because the first of
/// equally similar names is suggested.
fn encodings() -> impl Iterator<Item = &'static str> {
    let others = Legacy::all().flat_map(Legacy::aliases).filter(|name| name.parse::<u32>().is_err());
    std::iter::once(AnyEncoding::Utf8.name()).chain(Charset::names()).chain(others)
}

/// Parses one of a fixed set of values.
pub(crate) fn value<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        unknown(text, names.iter().map(String::as_str))
    })
}

/// Returns the error for a value that is not one of `names`.
pub(super) fn unknown<'n>(text: &str, names: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(text, names.clone()) {
        Some(name) => format!("there is no `{text}`; did you mean `{name}`?"),
        None => format!("there is no `{text}`, only {}", names.collect::<Vec<_>>().join(", ")),
    }
}

/// Returns the name most similar to `text`, if it is similar enough.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Ignores case and punctuation, as parsing does.
    let bare = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let typed = bare(text);
    let (distance, name) =
        names.map(|name| (strsim::osa_distance(&typed, &bare(name)), name)).min_by_key(|&(distance, _)| distance)?;
    // Allows about one typo in four letters, and at most three. With more, it is another word.
    (0 < distance && distance <= typed.len().div_ceil(4).min(3)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_number_or_script_is_suggested() {
        let suggested = |typed| suggest::<Charset>(typed, String::new());
        for typed in [
            "windows-1290", "cp1381", "cp300", "cp942", "cp833", "MacKorean", "iso-8859-17", "ISCII91",
            "JIS_C6226-1983",
        ] {
            assert_eq!(suggested(typed), "", "{typed}");
        }
        for (typed, meant) in [
            ("utf9", "utf-8"),
            ("UTF-61LE", "utf-16le"),
            ("shfit_jis", "Shift_JIS"),
            ("windws-1252", "windows-1252"),
            ("windows-125", "windows-1250"),
            ("iso-8895-2", ""),
            ("bg5", "Big5"),
        ] {
            let question = format!("did you mean `{meant}`? ()");
            assert_eq!(suggested(typed), if meant.is_empty() { "" } else { &question }, "{typed}");
        }
    }

    #[test]
    fn the_nearest_name_is_meant() {
        let cases = [
            ("utf9", Some("utf-8")),
            ("UTF-61LE", Some("utf-16le")),
            ("shfit_jis", Some("Shift_JIS")),
            ("windows-125", Some("windows-1250")),
            ("nonsense", None),
            ("", None),
        ];
        for (typed, name) in cases {
            assert_eq!(nearest(typed, encodings()), name, "{typed}");
        }
    }
}
