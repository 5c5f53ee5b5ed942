//! What files are to be like, by configuration: `utf8.toml`, `.gitattributes` and `.editorconfig`, the first of them
//! having the last word. Options on the command line come before all of them.

mod attributes;
mod editor;
mod file;
mod patterns;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use utf8kit::EncodingLabel;
use utf8kit_text::charset::Charset;
use utf8kit_text::files::{Kind, Source};

use crate::args::{BomRule, LineEndRule, PolicyArg};
use crate::error::Error;
use attributes::Attributes;
use editor::Editor;
use file::File;

/// The name of the configuration file.
const NAME: &str = "utf8.toml";

/// What a file is to be like; `None`: nobody says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub(crate) encoding: Option<Charset>,
    pub(crate) policy: Option<PolicyArg>,
    pub(crate) bom: Option<BomRule>,
    pub(crate) line_ends: Option<LineEndRule>,
    /// Whether it is to be left alone.
    pub(crate) excluded: bool,
}

impl Wish {
    /// The encoding, if it is one that can be checked; that of the command line first.
    pub(crate) fn label(&self, typed: Option<EncodingLabel>) -> Option<EncodingLabel> {
        match (typed, self.encoding) {
            (Some(label), _) | (None, Some(Charset::Named(label))) => Some(label),
            (None, Some(_)) => None,
            (None, None) => Some(EncodingLabel::Exact(utf8kit::AnyEncoding::Utf8)),
        }
    }

    /// Takes what another one says, which comes first.
    fn overlay(&mut self, other: &Wish) {
        self.encoding = other.encoding.or(self.encoding);
        self.policy = other.policy.or(self.policy);
        self.bom = other.bom.or(self.bom);
        self.line_ends = other.line_ends.or(self.line_ends);
        self.excluded |= other.excluded;
    }
}

/// Where configuration comes from.
#[derive(Debug)]
pub(crate) struct Config {
    place: Place,
    /// What holds for the files of a folder.
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
}

#[derive(Debug)]
enum Place {
    /// Nowhere.
    None,
    /// This file, and nothing beside it.
    File(File),
    /// The folder of each file, and those above it.
    Upwards {
        /// What paths are relative to.
        here: PathBuf,
    },
}

/// What holds for the files of a folder: the nearest `utf8.toml`, and the other files from the outermost on.
#[derive(Clone, Debug, Default)]
struct Folder {
    file: Option<Arc<File>>,
    editors: Vec<Arc<Editor>>,
    attributes: Vec<Arc<Attributes>>,
}

impl Config {
    /// As the options say: none, this file, or whatever is found.
    pub(crate) fn new(none: bool, file: Option<&Path>) -> Result<Config, Error> {
        let place = match file {
            _ if none => Place::None,
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|error| Error::at(path, error))?;
                Place::File(File::parse(&absolute(path)?, &text)?)
            }
            None => Place::Upwards { here: absolute(Path::new("."))? },
        };
        Ok(Config { place, folders: Mutex::default() })
    }

    /// What a source is to be like. Standard input is like a file in the current folder of which only the folder is
    /// known.
    pub(crate) fn of(&self, source: &Source) -> Result<Wish, Error> {
        let mut wish = Wish::default();
        let name = if source.kind == Kind::Stdin { Path::new("") } else { &source.path };
        match &self.place {
            Place::None => {}
            Place::File(file) => file.apply(&absolute(name)?, &mut wish),
            Place::Upwards { here } => {
                let path = here.join(name.strip_prefix(".").unwrap_or(name));
                let folder = if name.as_os_str().is_empty() { Some(&**here) } else { path.parent() };
                let folder = folder.map_or_else(|| Ok(Arc::default()), |folder| self.folder(folder))?;
                folder.editors.iter().for_each(|editor| editor.apply(&path, &mut wish));
                folder.attributes.iter().for_each(|attributes| attributes.apply(&path, &mut wish));
                if let Some(file) = &folder.file {
                    file.apply(&path, &mut wish);
                }
            }
        }
        Ok(wish)
    }

    /// What holds in a folder.
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
            let (editor, root) = Editor::parse(path, &text);
            if root {
                folder.editors.clear();
            }
            folder.editors.push(Arc::new(editor));
        }
        // Attributes are those of one repository.
        if path.join(".git").exists() {
            folder.attributes.clear();
        }
        if let Some(text) = read(&path.join(".gitattributes"))? {
            folder.attributes.push(Arc::new(Attributes::parse(path, &text)));
        }
        let folder = Arc::new(folder);
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        folders.insert(path.to_owned(), Arc::clone(&folder));
        Ok(folder)
    }
}

/// A path from the root on, links not resolved.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_err(|error| Error::at(path, error))
}

/// The text of a file, if there is one.
fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        // A folder of that name is no configuration.
        Err(_) if path.is_dir() => Ok(None),
        Err(error) => Err(Error::Config(format!("{}: {error}", utf8kit_text::display::Name(path)))),
    }
}
