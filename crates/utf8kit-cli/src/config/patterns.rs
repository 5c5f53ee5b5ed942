//! Patterns of paths, as in `.gitignore`.

use std::path::{Path, PathBuf};

use globset::Glob;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Patterns, and the folder they are relative to.
#[derive(Debug)]
pub(super) struct Patterns {
    root: PathBuf,
    matcher: Gitignore,
}

impl Patterns {
    /// Parses patterns. A pattern that begins with `!` excludes what earlier ones match.
    ///
    /// # Errors
    /// The reason why a pattern is invalid.
    pub(super) fn new<'p>(root: &Path, patterns: impl IntoIterator<Item = &'p str>) -> Result<Patterns, String> {
        let mut builder = GitignoreBuilder::new(root);
        for pattern in patterns {
            // `.gitignore` tolerates some errors, such as an unclosed character class.
            Glob::new(pattern).map_err(|error| error.to_string())?;
            builder.add_line(None, pattern).map_err(|error| error.to_string())?;
        }
        let matcher = builder.build().map_err(|error| error.to_string())?;
        Ok(Patterns { root: root.to_owned(), matcher })
    }

    /// Reports whether they match a file.
    pub(super) fn match_file(&self, path: &Path) -> bool {
        path.strip_prefix(&self.root).is_ok_and(|path| self.matcher.matched(path, false).is_ignore())
    }

    /// Reports whether they match a file or one of the folders that it is in, below the folder `named`.
    pub(super) fn match_path(&self, path: &Path, named: Option<&Path>) -> bool {
        let Ok(path) = path.strip_prefix(&self.root) else { return false };
        let named = named.and_then(|named| named.strip_prefix(&self.root).ok()).unwrap_or(Path::new(""));
        let inside = path.ancestors().take_while(|part| *part != named && !part.as_os_str().is_empty());
        let mut matches = inside.map(|part| self.matcher.matched(part, part != path));
        matches.find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
    }
}
