//! Patterns of paths, as in `.gitignore`.

use std::path::{Path, PathBuf};

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
    pub(super) fn new<'p>(
        root: &Path,
        patterns: impl IntoIterator<Item = &'p str>,
    ) -> Result<Patterns, String> {
        let mut builder = GitignoreBuilder::new(root);
        for pattern in patterns {
            builder.add_line(None, pattern).map_err(|error| error.to_string())?;
        }
        let matcher = builder.build().map_err(|error| error.to_string())?;
        Ok(Patterns { root: root.to_owned(), matcher })
    }

    /// Reports whether they match a file or, with `parents`, one of the folders it is in.
    pub(super) fn match_path(&self, path: &Path, parents: bool) -> bool {
        let Ok(path) = path.strip_prefix(&self.root) else { return false };
        if parents {
            self.matcher.matched_path_or_any_parents(path, false).is_ignore()
        } else {
            self.matcher.matched(path, false).is_ignore()
        }
    }
}
