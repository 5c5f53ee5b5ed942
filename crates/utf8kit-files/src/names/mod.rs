//! Names of files, folders and members of archives: finds their problems, proposes new names, and renames.
//!
//! ```text
//! folders -> evidence: the encoding of the names that are not UTF-8, by folder and tree
//!         -> check:    what is wrong with each name, and what it should be
//!         -> collisions:  names that would become one, or are one if case or normal forms are ignored
//!         -> plan:     what to rename, deepest first
//!         -> links:    symbolic links that lead to it
//!         -> run:      in its folder, never over anything, recorded first
//!         -> undo:     the same backwards
//! ```
//!
//! A new name depends only on the old name and its encoding, and is stable: a second run changes nothing.

#[cfg(feature = "archives")]
mod archive;
mod check;
mod collisions;
mod evidence;
mod links;
mod plan;
mod problem;
mod record;
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
#[path = "no_rename.rs"]
mod rename;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod rename;
mod run;
mod tree;

#[cfg(feature = "archives")]
pub use archive::{Member, NamedArchive};
pub use check::{CheckedName, NameChecker, NameRules, UnrenamedName, UnrenamedReason};
pub use links::links_to;
pub use plan::{Identity, Rename};
pub use problem::{NameProblem, NameProblemKind};
pub use record::{NameLedger, NameUndone, UndoneName, undo_names};
pub use run::rename_all;
pub use tree::{Named, Tree};

use crate::names::collisions::Slot;
