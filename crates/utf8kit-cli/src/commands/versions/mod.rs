//! Old versions of files: in a folder, in a file, or in git.

mod git;
mod renames;

use std::collections::{HashMap, hash_map};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use utf8kit_files::Source;

use crate::error::Error;
pub(super) use git::{Elsewhere, Entry, Git};
use git::{Raw, locked, raw};

/// The source of old versions.
pub(super) enum Versions {
    /// The old version of the only file.
    File(PathBuf),
    /// Old versions have the same path in this folder.
    Folder(PathBuf),
    /// A repository, and the files that differ from a revision.
    Git(Box<Git>, Changes),
}

/// Files that differ from a revision, by their path from the root of the repository.
pub(super) type Changes = HashMap<PathBuf, Entry>;

/// An old version of a file, as Git would check it out.
pub(super) struct Version {
    pub(super) content: Vec<u8>,
    /// Whether Git converts line ends in the folder (`core.autocrlf`), so that other line ends are not damage.
    pub(super) is_converted: bool,
}

impl Versions {
    /// Resolves a name to an existing file or folder, or else to a revision.
    pub(super) fn named(name: &OsStr, paths: &[PathBuf]) -> Result<Versions, Error> {
        let path = Path::new(name);
        if path.is_dir() {
            return Ok(Versions::Folder(path.to_owned()));
        }
        if path.is_file() {
            return match paths {
                [one] if !one.is_dir() => Ok(Versions::File(path.to_owned())),
                _ => Err(Error::at(path, "is a file: give the one file to compare with it as PATH")),
            };
        }
        let git = Git::around(paths)?;
        let changes = match name.to_str() {
            // The index has no tree, but `git diff` compares with it by default.
            Some(":0") => git.changes(&["--".as_ref()], false)?,
            _ => git.changes(&["--end-of-options".as_ref(), name, "--".as_ref()], false)?,
        };
        Ok(Versions::Git(Box::new(git), changes))
    }

    /// See [`Git::elsewhere`].
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        match self {
            Versions::Git(git, _) => git.elsewhere(),
            Versions::File(_) | Versions::Folder(_) => Vec::new(),
        }
    }

    /// Returns the old version of a source; `None` if there is none, or it is the same.
    pub(super) fn old(&self, source: &Source) -> Result<Option<Version>, Error> {
        let read = |path: &Path| match std::fs::read(path) {
            Ok(content) => Ok(Some(Version { content, is_converted: false })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::at(path, error)),
        };
        match self {
            Versions::File(path) => read(path),
            Versions::Folder(folder) => {
                let within = source.root().and_then(|root| source.path.strip_prefix(root).ok());
                let relative = within.map(Path::to_owned).or_else(|| below(&source.path));
                let named = || source.path.file_name().map(PathBuf::from);
                match relative.map(|path| folder.join(path)).filter(|path| path.is_file()) {
                    Some(path) => read(&path),
                    None => named().map_or(Ok(None), |name| read(&folder.join(name))),
                }
            }
            Versions::Git(git, changes) => {
                git.meet(&source.path);
                let Some(path) = git.path_of(&source.path) else { return Ok(None) };
                changes.get(&path).map_or(Ok(None), |entry| git.version(&entry.old, &path))
            }
        }
    }
}

/// Returns a relative path without components that leave the folder.
fn below(path: &Path) -> Option<PathBuf> {
    let is_plain =
        path.components().all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    is_plain.then(|| path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect())
}

/// Returns a range of revisions, unless the name is an existing file.
pub(super) fn range(name: &OsStr) -> Option<&str> {
    name.to_str().filter(|name| name.contains("..") && !Path::new(name).exists())
}

/// The changes in a range of revisions, the last first.
pub(super) struct History {
    git: Git,
    /// The revision that the range begins with.
    start: Option<String>,
    changes: Vec<Raw>,
    /// The changes that led to each path, in order.
    of_path: HashMap<PathBuf, Vec<usize>>,
    /// By commit, once it was needed: see [`Git::renamed`].
    renamed: Mutex<HashMap<usize, HashMap<usize, usize>>>,
}

impl History {
    /// Asks git once for all changes in a range, with its detection of renames.
    pub(super) fn of(range: &str, paths: &[PathBuf]) -> Result<History, Error> {
        let git = Git::around(paths)?;
        let words = ["log", "-m", "--format=%H", "--raw", "-z", "--no-abbrev", "-M", "--end-of-options", range, "--"];
        let listed = git.revisions(&words.map(OsStr::new))?;
        let changes: Vec<Raw> = raw(&listed).collect();
        let mut of_path: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (index, change) in changes.iter().enumerate() {
            of_path.entry(change.to.clone()).or_default().push(index);
        }
        let start = range.split("..").next().filter(|start| !start.is_empty()).map(str::to_owned);
        Ok(History { git, start, changes, of_path, renamed: Mutex::default() })
    }

    /// See [`Git::elsewhere`].
    pub(super) fn elsewhere(&self) -> Vec<Elsewhere> {
        self.git.elsewhere()
    }

    /// If a new file was renamed, returns the change in the same commit that deleted the old file.
    fn source_of(&self, index: usize) -> Result<Option<&Raw>, Error> {
        let Some(new) = self.changes.get(index).filter(|change| change.is_new()) else { return Ok(None) };
        let start = self.changes.partition_point(|change| change.commit < new.commit);
        let end = self.changes.partition_point(|change| change.commit <= new.commit);
        let mut renamed = locked(&self.renamed);
        let of_commit = match renamed.entry(new.commit) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(unknown) => {
                let changes = self.changes.get(start..end).unwrap_or_default();
                unknown.insert(self.git.renamed(changes, |change| self.git.object(&change.new))?)
            }
        };
        Ok(of_commit.get(&(index - start)).and_then(|deleted| self.changes.get(start + deleted)))
    }

    /// Returns the versions of a file, the last first.
    pub(super) fn versions(&self, source: &Source) -> Result<Vec<Version>, Error> {
        self.git.meet(&source.path);
        let Some(here) = self.git.path_of(&source.path) else { return Ok(Vec::new()) };
        let mut path = here.clone();
        let mut names: Vec<&str> = Vec::new();
        let mut at = 0;
        let next = |path: &Path, at: usize| {
            let of_path = self.of_path.get(path)?;
            of_path.get(of_path.partition_point(|&index| index < at)).copied()
        };
        while let Some(index) = next(&path, at)
            && let Some(change) = self.changes.get(index)
        {
            for name in [&change.new, &change.old] {
                if !names.contains(&&**name) {
                    names.push(name);
                }
            }
            let renamed = self.source_of(index)?;
            names.extend(renamed.map(|source| &*source.old));
            (at, path) = (index + 1, renamed.unwrap_or(change).from.clone());
        }
        let start = self.start.as_deref().map_or(Ok(None), |start| self.git.id_of(start, &path))?;
        let mut versions: Vec<Version> = Vec::new();
        for name in names.into_iter().chain(start.as_deref()) {
            let version = self.git.version(name, &here)?;
            let is_new = |new: &Version| versions.last().is_none_or(|last| last.content != new.content);
            versions.extend(version.filter(is_new));
        }
        Ok(versions)
    }
}
