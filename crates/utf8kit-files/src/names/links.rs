//! Symbolic links to renamed files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::plan::Rename;
use super::tree::Named;
use crate::path::canonical_link;

/// Returns the symbolic links among some names that lead to or through renamed files, each with the first path on its
/// way that changes. The targets of links are not updated, so these links would break. Must be called before renaming.
///
/// ```
/// use utf8kit_files::WalkOptions;
/// use utf8kit_files::names::{NameChecker, NameRules, Rename, Tree, links_to};
///
/// let folder = std::env::temp_dir().join("utf8kit-links-example");
/// # std::fs::remove_dir_all(&folder).ok();
/// std::fs::create_dir_all(&folder).unwrap();
/// std::fs::write(folder.join("a"), "").unwrap();
/// # #[cfg(unix)] {
/// std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
/// let checker = NameChecker::new(NameRules::default()).unwrap();
/// let tree = Tree::read(vec![folder.clone()], &WalkOptions::default(), &checker).unwrap();
/// let links = links_to(&tree.names, &[Rename::new(folder.join("a"), "b")]);
/// assert_eq!(links, [(folder.join("link"), folder.join("a"))]);
/// # }
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
pub fn links_to(names: &[Named], renames: &[Rename]) -> Vec<(PathBuf, PathBuf)> {
    if renames.is_empty() {
        return Vec::new();
    }
    let links = names.iter().filter_map(|named| Some((named, fs::read_link(&named.path).ok()?)));
    let links: Vec<_> = links.collect();
    if links.is_empty() {
        return Vec::new();
    }
    let renamed: HashSet<PathBuf> = renames.iter().map(|rename| canonical_link(&rename.path)).collect();
    let leads = |(named, target): (&Named, PathBuf)| {
        let folder = named.path.parent().unwrap_or(Path::new(""));
        Some((named.path.clone(), first_renamed(folder, &target, &renamed)?))
    };
    links.into_iter().filter_map(leads).collect()
}

/// Returns the first renamed path on the way from a folder to the target of a link.
fn first_renamed(folder: &Path, target: &Path, renamed: &HashSet<PathBuf>) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    target.components().find_map(|part| {
        path.push(part);
        renamed.contains(&canonical_link(&path)).then(|| path.clone())
    })
}
