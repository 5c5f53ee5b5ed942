//! Paths of files that need not exist.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of a file.
///
/// ```
/// use std::path::Path;
/// use utf8kit_text::files::folder_of;
///
/// assert_eq!(folder_of(Path::new("a/b")), Path::new("a"));
/// assert_eq!(folder_of(Path::new("b")), Path::new("."));
/// ```
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the canonical path: absolute, without symbolic links. If nothing is there, its existing part is canonical;
/// that of `..` behind what is not there is unknown.
///
/// ```
/// use utf8kit_text::files::canonical;
///
/// let folder = std::env::temp_dir();
/// assert_eq!(canonical(&folder.join("none/at all")), canonical(&folder).join("none/at all"));
/// ```
pub fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => canonical(folder_of(path)).join(name),
        None => path.to_owned(),
    })
}

/// Returns the canonical path, in which the last part may be a symbolic link.
pub(super) fn beside_itself(path: &Path) -> PathBuf {
    path.file_name().map_or_else(|| canonical(path), |name| canonical(folder_of(path)).join(name))
}
