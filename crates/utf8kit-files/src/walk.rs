//! The files that paths refer to, including all files in folders.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::{Walk, WalkBuilder};
use utf8kit_encodings::display::plain;

use crate::{FileError, Source, SourceKind};

/// Options for walking folders.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WalkOptions {
    /// Only files that match one of these globs. A leading `!` excludes those that match.
    pub globs: Vec<String>,
    /// Include hidden files and folders.
    pub hidden: bool,
    /// Include files that `.gitignore` and `.ignore` exclude.
    pub no_ignore: bool,
    /// Maximum depth. 1 means only the files of the folder itself.
    pub max_depth: Option<usize>,
}

impl WalkOptions {
    /// Returns a matcher that reports whether the globs exclude a file, by its path below the walked folder.
    ///
    /// # Errors
    /// [`FileError::Glob`] if one is invalid.
    pub fn exclusion(&self) -> Result<impl Fn(&Path) -> bool + use<>, FileError> {
        let globs = self.overrides()?;
        Ok(move |path: &Path| {
            let mut folders = path.ancestors().skip(1);
            globs.matched(path, false).is_ignore() || folders.any(|at| globs.matched(at, true).is_ignore())
        })
    }

    fn overrides(&self) -> Result<Override, FileError> {
        let mut all = OverrideBuilder::new("");
        for glob in &self.globs {
            all.add(glob).map_err(|error| FileError::Glob(error.to_string()))?;
        }
        all.build().map_err(|error| FileError::Glob(error.to_string()))
    }
}

/// Settings for walking folders.
#[derive(Debug)]
pub(super) struct Walking {
    globs: Override,
    hidden: bool,
    no_ignore: bool,
    max_depth: Option<usize>,
}

impl Walking {
    pub(super) fn new(options: &WalkOptions) -> Result<Walking, FileError> {
        let WalkOptions { hidden, no_ignore, max_depth, .. } = *options;
        Ok(Walking { globs: options.overrides()?, hidden, no_ignore, max_depth })
    }

    pub(super) fn through(&self, root: &Path) -> Walk {
        WalkBuilder::new(root)
            .overrides(self.globs.clone())
            .hidden(!self.hidden)
            .ignore(!self.no_ignore)
            .parents(!self.no_ignore)
            .git_ignore(!self.no_ignore)
            .git_exclude(!self.no_ignore)
            .git_global(!self.no_ignore)
            .max_depth(self.max_depth)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .build()
    }
}

/// Iterator over the sources that paths refer to, in path order, and over errors. Folders are walked; `-` is standard
/// input.
pub struct Sources {
    /// Paths that are yet to come, the next one last.
    roots: Vec<PathBuf>,
    walk: Walking,
    /// The folder being walked, and its path.
    within: Option<(Walk, Arc<Path>)>,
}

impl Sources {
    /// Returns the sources for some paths, sorted by path.
    ///
    /// # Errors
    /// [`FileError::Glob`] if a glob is invalid.
    pub fn new(mut paths: Vec<PathBuf>, options: &WalkOptions) -> Result<Sources, FileError> {
        paths.sort();
        paths.reverse();
        Ok(Sources { roots: paths, walk: Walking::new(options)?, within: None })
    }

    /// Reports whether it is a single file or standard input, so that processing files in parallel gains nothing.
    pub fn is_single(&self) -> bool {
        matches!(&self.roots[..], [path] if !path.is_dir())
    }
}

impl Iterator for Sources {
    type Item = Result<Source, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((within, root)) = &mut self.within else {
                let root = self.roots.pop()?;
                let source = Source::named(&root);
                if source.kind == SourceKind::Named && root.is_dir() {
                    self.within = Some((self.walk.through(&root), root.into()));
                    continue;
                }
                return Some(Ok(source));
            };
            match within.next() {
                None => self.within = None,
                Some(Err(error)) => return Some(Err(walk_error(&error))),
                Some(Ok(entry)) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    let path = entry.path().strip_prefix("./").map(Path::to_owned);
                    let path = path.unwrap_or_else(|_| entry.into_path());
                    let root = Some(Arc::clone(root));
                    return Some(Ok(Source { kind: SourceKind::Walked, root, ..Source::file(&path) }));
                }
                Some(Ok(_)) => {}
            }
        }
    }
}

/// Converts the error of a failed walk, and puts the path first.
pub(super) fn walk_error(error: &ignore::Error) -> FileError {
    match error {
        ignore::Error::WithPath { path, err } => match err.io_error() {
            Some(cause) => FileError::io(path, io::Error::new(cause.kind(), cause.to_string())),
            None => FileError::Walk { path: Some(path.clone()), message: err.to_string() },
        },
        ignore::Error::WithDepth { err, .. } => walk_error(err),
        other => FileError::Walk { path: None, message: plain(&other.to_string()) },
    }
}
