//! `utf8.toml`. A key or value that is not understood is an error, with what was probably meant.

use std::path::Path;

use clap::ValueEnum;
use toml::{Table, Value};
use utf8kit_text::display::Name;

use super::Wish;
use super::patterns::Patterns;
use crate::args::names;
use crate::error::Error;

/// The keys that say what files are to be like.
const WISHES: [&str; 4] = ["encoding", "policy", "bom", "line-ends"];

/// A configuration file.
#[derive(Debug)]
pub(super) struct File {
    /// What holds for every file.
    all: Wish,
    exclude: Patterns,
    /// What holds for some files; later ones come first.
    some: Vec<(Patterns, Wish)>,
}

impl File {
    /// Reads the file at `path`.
    pub(super) fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let folder = path.parent().unwrap_or(Path::new(""));
        parse(folder, text).map_err(|error| Error::Config(format!("{}: {error}", Name(path))))
    }

    /// Adds what it says of a file.
    pub(super) fn apply(&self, path: &Path, wish: &mut Wish) {
        wish.overlay(&self.all);
        self.some.iter().filter(|some| some.0.mean(path, true)).for_each(|some| wish.overlay(&some.1));
        wish.excluded |= self.exclude.mean(path, true);
    }
}

fn parse(folder: &Path, text: &str) -> Result<File, String> {
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
    known(&table, &[&WISHES[..], &["exclude", "files"]].concat())?;
    let mut some = Vec::new();
    let files = table.get("files").map(|files| files.as_array().ok_or("files is written [[files]]"));
    for files in files.transpose()?.into_iter().flatten() {
        let files = files.as_table().ok_or("files is written [[files]]")?;
        known(files, &[&WISHES[..], &["paths"]].concat())?;
        let paths = list(files, "paths")?.ok_or("[[files]] needs paths: which files are meant")?;
        some.push((Patterns::new(folder, paths)?, wishes(files)?));
    }
    let exclude = Patterns::new(folder, list(&table, "exclude")?.unwrap_or_default())?;
    Ok(File { all: wishes(&table)?, exclude, some })
}

/// Whether all keys of a table are known.
fn known(table: &Table, keys: &[&'static str]) -> Result<(), String> {
    let Some(wrong) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    Err(match names::nearest(wrong, keys.iter().copied()) {
        Some(meant) => format!("there is no key `{wrong}`; did you mean `{meant}`?"),
        None => format!("there is no key `{wrong}`, only {}", keys.join(", ")),
    })
}

/// What the keys of a table say.
fn wishes(table: &Table) -> Result<Wish, String> {
    let encoding = text(table, "encoding")?.map(names::charset).transpose();
    Ok(Wish {
        encoding: encoding.map_err(|error| format!("encoding: {error}"))?,
        policy: named(table, "policy", names::policy)?,
        bom: named(table, "bom", value)?,
        line_ends: named(table, "line-ends", value)?,
        excluded: false,
    })
}

/// The value that a key names.
fn named<T>(
    table: &Table,
    key: &str,
    value: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    text(table, key)?.map(value).transpose().map_err(|error| format!("{key}: {error}"))
}

/// The value with this name.
fn value<T: ValueEnum>(name: &str) -> Result<T, String> {
    names::value(name)
}

fn text<'t>(table: &'t Table, key: &str) -> Result<Option<&'t str>, String> {
    let text = table.get(key).map(|value| value.as_str().ok_or_else(|| format!("{key} is a text in quotes")));
    text.transpose()
}

/// The texts of a list; a text by itself is one.
fn list<'t>(table: &'t Table, key: &str) -> Result<Option<Vec<&'t str>>, String> {
    let wrong = || format!("{key} is a list of texts in quotes");
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(one)) => Ok(Some(vec![one])),
        Some(Value::Array(all)) => {
            all.iter().map(|one| one.as_str().ok_or_else(wrong)).collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(wrong()),
    }
}
