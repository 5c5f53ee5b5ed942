//! `utf8.toml`. An unknown key or value is an error that suggests the nearest known one.

use std::ops::RangeInclusive;
use std::path::Path;

use clap::ValueEnum;
use toml::{Table, Value};
use utf8kit_encodings::display::Name;

use super::patterns::Patterns;
use super::settings::Settings;
use crate::args::{names, policy};
use crate::error::Error;

/// The keys of settings.
const KEYS: [&str; 5] = ["encoding", "policy", "bom", "line-ends", "allow"];

/// A configuration file.
#[derive(Debug)]
pub(super) struct File {
    /// The settings for all files.
    all: Settings,
    exclude: Patterns,
    /// The settings for files that match, in order; later ones override earlier ones.
    some: Vec<(Patterns, Settings)>,
}

impl File {
    /// Parses the file at `path`.
    pub(super) fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        parse(folder, text).map_err(|error| Error::Config(format!("{}: {error}", Name(path))))
    }

    /// Applies the settings for `path`. `named` is the folder in which it was found, if any.
    pub(super) fn apply(&self, path: &Path, named: Option<&Path>, settings: &mut Settings) {
        let mut own = self.all.clone();
        for (_, some) in self.some.iter().filter(|(patterns, _)| patterns.match_path(path, None)) {
            own.overlay(some);
        }
        if own.encoding.is_some_and(|own| Some(own) != settings.encoding) {
            // The rule for a byte order mark was set for another encoding.
            settings.bom = None;
        }
        settings.overlay(&own);
        settings.excluded |= self.exclude.match_path(path, named);
    }
}

fn parse(folder: &Path, text: &str) -> Result<File, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    known(&table, &[&KEYS[..], &["exclude", "files"]].concat())?;
    let mut some = Vec::new();
    let files =
        table.get("files").map(|files| files.as_array().ok_or("files must be an array of tables, written [[files]]"));
    for files in files.transpose()?.into_iter().flatten() {
        let files = files.as_table().ok_or("files must be an array of tables, written [[files]]")?;
        known(files, &[&KEYS[..], &["paths"]].concat())?;
        let paths = list(files, "paths")?.ok_or("[[files]] needs `paths`, the files that it applies to")?;
        some.push((Patterns::new(folder, paths)?, settings(files)?));
    }
    let exclude = Patterns::new(folder, list(&table, "exclude")?.unwrap_or_default())?;
    Ok(File { all: settings(&table)?, exclude, some })
}

/// Checks that all keys of a table are known.
fn known(table: &Table, keys: &[&'static str]) -> Result<(), String> {
    let Some(wrong) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    Err(match names::nearest(wrong, keys.iter().copied()) {
        Some(meant) => format!("unknown key `{wrong}`; did you mean `{meant}`?"),
        None => format!("unknown key `{wrong}`; the keys are {}", keys.join(", ")),
    })
}

/// Parses the settings in a table.
fn settings(table: &Table) -> Result<Settings, String> {
    let encoding = text(table, "encoding")?.map(names::charset).transpose();
    Ok(Settings {
        encoding: encoding.map_err(|error| format!("encoding: {error}"))?,
        policy: named(table, "policy", policy::parse)?,
        bom: named(table, "bom", value)?,
        line_ends: named(table, "line-ends", value)?,
        allow: list(table, "allow")?.unwrap_or_default().into_iter().map(code_points).collect::<Result<_, _>>()?,
        ..Settings::default()
    })
}

/// Returns the value of a key, parsed by `value`.
fn named<T>(table: &Table, key: &str, value: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    text(table, key)?.map(value).transpose().map_err(|error| format!("{key}: {error}"))
}

/// Parses a code point such as `U+200B`, or a range such as `U+E000..U+F8FF`.
fn code_points(text: &str) -> Result<RangeInclusive<char>, String> {
    let code_point = |text: &str| {
        let digits = text.strip_prefix("U+").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32)
    };
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = code_point(first).zip(code_point(last)).filter(|(first, last)| first <= last);
    range.map(|(first, last)| first..=last).ok_or_else(|| {
        format!("allow: `{text}` is neither a code point such as U+200B nor a range such as U+E000..U+F8FF")
    })
}

/// Parses the name of a value.
fn value<T: ValueEnum>(name: &str) -> Result<T, String> {
    names::value(name)
}

fn text<'t>(table: &'t Table, key: &str) -> Result<Option<&'t str>, String> {
    let text = table.get(key).map(|value| value.as_str().ok_or_else(|| format!("{key} must be a string")));
    text.transpose()
}

/// Returns the strings of a list; a single string counts as a list of one.
fn list<'t>(table: &'t Table, key: &str) -> Result<Option<Vec<&'t str>>, String> {
    let wrong = || format!("{key} must be a string or a list of strings");
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(one)) => Ok(Some(vec![one])),
        Some(Value::Array(all)) => {
            all.iter().map(|one| one.as_str().ok_or_else(wrong)).collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(wrong()),
    }
}
