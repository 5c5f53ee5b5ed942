//! Configuration files: `utf8.toml`, which overrides `.gitattributes`, which overrides `.editorconfig`. Options on the
//! command line override all of them.

mod attributes;
mod charsets;
mod editor;
mod file;
mod patterns;
mod settings;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use utf8kit_files::{Source, SourceKind};

use crate::error::Error;
use charsets::CharsetRules;
use file::File;

pub(crate) use settings::Settings;

/// The name of the configuration file.
const NAME: &str = "utf8.toml";

/// Finds and caches the settings of files.
#[derive(Debug)]
pub(crate) struct Config {
    place: ConfigSource,
    /// The configuration of each folder seen so far.
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
}

#[derive(Debug)]
enum ConfigSource {
    /// No configuration.
    None,
    /// This file only.
    File(Box<File>),
    /// The folder of each file, and its parents.
    Upwards {
        /// The current folder, which paths are relative to.
        here: PathBuf,
    },
}

/// The configuration of a folder: the nearest `utf8.toml`, and the other files from the outermost to the nearest.
#[derive(Clone, Debug, Default)]
struct Folder {
    file: Option<Arc<File>>,
    editorconfig: Vec<Arc<CharsetRules>>,
    gitattributes: Vec<Arc<CharsetRules>>,
}

impl Config {
    /// Creates the configuration that the options request: none, the given file, or whatever is found.
    pub(crate) fn new(none: bool, file: Option<&Path>) -> Result<Config, Error> {
        let place = match file {
            _ if none => ConfigSource::None,
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|error| Error::at(path, error))?;
                ConfigSource::File(Box::new(File::parse(&absolute(path)?, &text)?))
            }
            None => ConfigSource::Upwards { here: absolute(Path::new("."))? },
        };
        Ok(Config { place, folders: Mutex::default() })
    }

    /// Returns the settings for a source. Standard input counts as a file in the current folder whose name is unknown.
    pub(crate) fn of(&self, source: &Source) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        let name = if source.kind == SourceKind::Stdin { Path::new("") } else { &source.path };
        match &self.place {
            ConfigSource::None => {}
            ConfigSource::File(file) => {
                let named = source.root().map(absolute).transpose()?;
                file.apply(&absolute(name)?, named.as_deref(), &mut settings);
            }
            ConfigSource::Upwards { here } => {
                let inside = |path: &Path| here.join(path.strip_prefix(".").unwrap_or(path));
                let (path, named) = (inside(name), source.root().map(inside));
                let folder = if name.as_os_str().is_empty() { Some(&**here) } else { path.parent() };
                let folder = folder.map_or_else(|| Ok(Arc::default()), |folder| self.folder(folder))?;
                for rules in folder.editorconfig.iter().chain(&folder.gitattributes) {
                    rules.apply(&path, &mut settings);
                }
                if let Some(file) = &folder.file {
                    file.apply(&path, named.as_deref(), &mut settings);
                }
            }
        }
        Ok(settings)
    }

    /// Returns the configuration of a folder.
    fn folder(&self, path: &Path) -> Result<Arc<Folder>, Error> {
        if let Some(known) = self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return Ok(Arc::clone(known));
        }
        let mut folder = match path.parent() {
            Some(parent) => (*self.folder(parent)?).clone(),
            None => Folder::default(),
        };
        if let Some(text) = read(&path.join(NAME))? {
            folder.file = Some(Arc::new(File::parse(&path.join(NAME), &text)?));
        }
        if let Some(text) = read(&path.join(".editorconfig"))? {
            let (rules, root) = editor::parse(path, &text);
            if root {
                folder.editorconfig.clear();
            }
            folder.editorconfig.push(Arc::new(rules));
        }
        // Attributes outside a repository do not apply inside it.
        if path.join(".git").exists() {
            folder.gitattributes.clear();
        }
        if let Some(text) = read(&path.join(".gitattributes"))? {
            folder.gitattributes.push(Arc::new(attributes::parse(path, &text)));
        }
        let folder = Arc::new(folder);
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.insert(path.to_owned(), Arc::clone(&folder));
        Ok(folder)
    }
}

/// Returns the absolute path; symbolic links are not resolved.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_err(|error| Error::at(path, error))
}

/// Reads a file, if it exists.
fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        // A folder of that name is not a configuration file.
        Err(_) if path.is_dir() => Ok(None),
        Err(error) => Err(Error::Config(format!("{}: {error}", utf8kit_encodings::display::Name(path)))),
    }
}
