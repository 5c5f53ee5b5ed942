//! Paths of files that may not exist.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Returns the folder of a file.
///
/// ```
/// use std::path::Path;
/// use utf8kit_files::folder_of;
///
/// assert_eq!(folder_of(Path::new("a/b")), Path::new("a"));
/// assert_eq!(folder_of(Path::new("b")), Path::new("."));
/// ```
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the canonical path: absolute, without symbolic links. If the file does not exist, the existing part of the
/// path is canonical. A path with `..` after a missing folder has no canonical path.
///
/// ```
/// use utf8kit_files::canonical;
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
pub(super) fn canonical_link(path: &Path) -> PathBuf {
    path.file_name().map_or_else(|| canonical(path), |name| canonical(folder_of(path)).join(name))
}

/// Reports whether `file` is the file that `path` refers to.
pub fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(there)) => is_same(&own, &there),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok() && one.len() == other.len()
}
