//! The names in folders.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use utf8kit_detect::mojibake::{Detours, Evidence};

use super::Slot;
use super::check::{CheckedName, NameChecker, is_broken_utf8};
use super::collisions::collide;
use super::evidence::{Group, NameEncoding, encodings};
use super::problem::NameProblemKind;
use crate::path::folder_of;
use crate::walk::{Walking, walk_error};
use crate::{FileError, WalkOptions};

/// The most rounds in which names are checked.
const MAX_ROUNDS_PER_TREE: usize = 8;

/// A name of a file, a folder or another entry of a folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Named {
    /// The path that ends with it.
    pub path: PathBuf,
    /// The result of checking it.
    pub checked: CheckedName,
    /// Whether it was named explicitly and not found in a folder.
    pub root: bool,
}

impl Named {
    /// Returns the name, in bytes: on Windows, in WTF-8.
    pub fn name(&self) -> &[u8] {
        self.path.file_name().map_or(&[], |name| name.as_encoded_bytes())
    }

    /// Returns the new name.
    fn presumed(&self) -> Vec<u8> {
        self.checked.becomes.as_ref().map_or_else(|| self.name().to_vec(), |becomes| becomes.clone().into_bytes())
    }

    /// Stores the result for the new name, and returns whether that changes it again.
    fn take(&mut self, checked: CheckedName) -> bool {
        let changes = checked.becomes.is_some();
        match (&mut self.checked.becomes, checked.becomes.clone()) {
            (Some(known), Some(next)) => *known = next,
            (Some(_), None) => {
                // Problems are those of the old name, except for problems that appear only once all names are new.
                let late =
                    checked.problems.into_iter().filter(|problem| problem.kind == NameProblemKind::CaseCollision);
                let late: Vec<_> = late.filter(|problem| !self.checked.problems.contains(problem)).collect();
                self.checked.problems.extend(late);
            }
            (None, _) => self.checked = checked,
        }
        changes
    }

    /// Returns the path of its folder.
    pub fn folder(&self) -> &Path {
        folder_of(&self.path)
    }
}

/// The names of some paths, and of everything below folders among them. Symbolic links are not followed. All names are
/// held in memory.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tree {
    /// The names, in path order.
    pub names: Vec<Named>,
    /// Folders and files that could not be read.
    pub errors: Vec<FileError>,
}

impl Tree {
    /// Reads the names and checks them.
    ///
    /// # Errors
    /// [`FileError::Glob`] if a glob is invalid.
    ///
    /// ```
    /// use utf8kit_files::WalkOptions;
    /// use utf8kit_files::names::{NameChecker, NameRules, Tree};
    ///
    /// let folder = std::env::temp_dir().join("utf8kit-names-example");
    /// std::fs::create_dir_all(&folder).unwrap();
    /// std::fs::write(folder.join("caf\u{C3}\u{A9}"), "").unwrap();
    /// let checker = NameChecker::new(NameRules::default()).unwrap();
    /// let tree = Tree::read(vec![folder.clone()], &WalkOptions::default(), &checker).unwrap();
    /// assert_eq!(tree.names[1].checked.becomes.as_deref(), Some("caf\u{E9}"));
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// ```
    pub fn read(mut paths: Vec<PathBuf>, options: &WalkOptions, checker: &NameChecker) -> Result<Tree, FileError> {
        paths.sort();
        paths.dedup();
        let (mut tree, walking) = (Tree::default(), Walking::new(options)?);
        for path in &paths {
            tree.add(path, options, &walking);
        }
        let mut seen = HashSet::new();
        tree.names.retain(|named| seen.insert(named.path.clone()));
        tree.check(checker);
        Ok(tree)
    }

    /// Adds a path and everything below it.
    fn add(&mut self, path: &Path, options: &WalkOptions, walking: &Walking) {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return self.errors.push(FileError::io(path, error)),
        };
        let own = matches!(path.components().next_back(), Some(Component::Normal(_)));
        if own {
            self.names.push(Named { path: path.components().collect(), checked: CheckedName::default(), root: true });
        }
        if !metadata.is_dir() {
            return;
        }
        for entry in walking.through(path) {
            match entry {
                Err(error) => self.errors.push(walk_error(&error)),
                Ok(entry) if entry.depth() == 0 => {}
                // Globs apply to files; folders are only walked to find them.
                Ok(entry) if !options.globs.is_empty() && entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
                Ok(entry) => {
                    let path = entry.path().strip_prefix("./").map(Path::to_owned);
                    let path = path.unwrap_or_else(|_| entry.into_path());
                    self.names.push(Named { path, checked: CheckedName::default(), root: false });
                }
            }
        }
    }

    /// Checks all names. Certain names are evidence for others, so the new names are checked again until none of them
    /// changes. A later run then has nothing to add.
    fn check(&mut self, checker: &NameChecker) {
        let mut folders = BTreeMap::<PathBuf, Vec<usize>>::new();
        for (index, named) in self.names.iter().enumerate() {
            folders.entry(named.folder().to_owned()).or_default().push(index);
        }
        let folders: Vec<_> = folders.into_iter().collect();
        for _ in 0..MAX_ROUNDS_PER_TREE {
            let presumed: Vec<_> = folders.iter().map(|(_, indexes)| self.presumed(indexes)).collect();
            let all = checked(checker, &presumed);
            let mut changed = false;
            for (((folder, indexes), mut checked), names) in folders.iter().zip(all).zip(presumed) {
                let mut slots: Vec<_> =
                    names.iter().zip(&mut checked).map(|(name, checked)| Slot { name, checked }).collect();
                let given: HashSet<_> = self.given(indexes);
                let is_taken = |name: &str| {
                    let is_there = || fs::symlink_metadata(folder.join(name)).is_ok();
                    !given.contains(name.as_bytes()) && is_there()
                };
                collide(&mut slots, checker.rules.numbered, is_taken);
                for (&index, checked) in indexes.iter().zip(checked) {
                    if let Some(named) = self.names.get_mut(index) {
                        changed |= named.take(checked);
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Returns the new names of some entries.
    fn presumed(&self, indexes: &[usize]) -> Vec<Vec<u8>> {
        indexes.iter().filter_map(|&index| self.names.get(index).map(Named::presumed)).collect()
    }

    /// Returns the current names of some entries.
    fn given(&self, indexes: &[usize]) -> HashSet<Vec<u8>> {
        indexes.iter().filter_map(|&index| self.names.get(index)).map(|named| named.name().to_vec()).collect()
    }
}

/// Checks the names of folders, except for collisions. A name may be a path, whose parts are names.
pub(super) fn checked(checker: &NameChecker, folders: &[Vec<Vec<u8>>]) -> Vec<Vec<CheckedName>> {
    let is_legacy = |name: &&[u8]| utf8kit::validate(name).is_err() && !is_broken_utf8(name);
    let groups: Vec<_> = folders
        .iter()
        .map(|names| {
            let mut group = Group::default();
            let parts: BTreeSet<_> = names.iter().flat_map(|name| parts(name)).collect();
            for name in parts {
                match std::str::from_utf8(name) {
                    Ok(text) if !text.is_ascii() => group.context.extend([text, "\n"]),
                    Err(_) if is_legacy(&name) => group.names.push(name),
                    _ => {}
                }
            }
            group
        })
        .collect();
    let found = encodings(&groups);
    let proven = proven(folders);
    let with_groups = folders.iter().zip(&groups).zip(found);
    with_groups
        .map(|((names, group), found)| {
            let found: HashMap<&[u8], _> = group.names.iter().copied().zip(found).collect();
            let of = |name: &[u8]| {
                let found: Vec<_> = parts(name).filter_map(|part| found.get(part).copied()).collect();
                encoding_of_path(name, &found)
            };
            names.iter().map(|name| checker.check(name, of(name), Some(proven))).collect()
        })
        .collect()
}

/// Returns the parts of a path.
pub(super) fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}

/// Returns the encoding of a path, given the encodings of its parts.
fn encoding_of_path(path: &[u8], found: &[Option<NameEncoding>]) -> Option<NameEncoding> {
    let mut known = found.iter().flatten();
    let sure = known.clone().find(|found| found.is_certain_enough() && found.codec.text_of(path).is_some());
    sure.or_else(|| known.next()).copied()
}

/// Returns the encodings that all certainly twice-encoded names went through.
fn proven(folders: &[Vec<Vec<u8>>]) -> Detours {
    let mut evidence = Evidence::default();
    for name in folders.iter().flatten() {
        if let Ok(text) = utf8kit::validate(name)
            && !text.is_ascii()
        {
            evidence.repair(text);
        }
    }
    evidence.proven()
}
