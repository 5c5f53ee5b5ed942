//! Carries out renames: the deepest first, and each recorded before it is done.

use std::collections::HashMap;
use std::io;

use super::plan::Rename;
use super::record::NameLedger;
use super::rename::Folders;
use crate::FileError;

/// The most names that are recorded with one flush of the ledger.
const NAMES_PER_FLUSH: usize = 64;

/// Sorts the renames. A file is renamed only after the file that has its new name.
fn in_order(renames: Vec<Rename>) -> Vec<Rename> {
    let by_path: HashMap<_, _> = renames.iter().enumerate().map(|(index, one)| (one.path.clone(), index)).collect();
    let (mut order, mut seen) = (Vec::with_capacity(renames.len()), vec![false; renames.len()]);
    for first in 0..renames.len() {
        let (mut chain, mut next) = (Vec::new(), Some(first));
        while let Some(index) = next.filter(|&index| !seen.get(index).is_none_or(|seen| *seen)) {
            seen.iter_mut().skip(index).take(1).for_each(|seen| *seen = true);
            chain.push(index);
            next = renames.get(index).and_then(|one| by_path.get(&one.path.with_file_name(&one.to)).copied());
        }
        order.extend(chain.into_iter().rev());
    }
    let mut renames: Vec<_> = renames.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| renames.get_mut(index).and_then(Option::take)).collect()
}

/// Renames files, the deepest first, so that the paths of the others stay valid. Each is first recorded in the ledger.
/// `done` is called for each.
///
/// ```
/// use utf8kit_files::names::{Rename, rename_all};
///
/// let folder = std::env::temp_dir().join("utf8kit-rename-example");
/// # std::fs::remove_dir_all(&folder).ok();
/// std::fs::create_dir_all(&folder).unwrap();
/// std::fs::write(folder.join("a"), "").unwrap();
/// # if cfg!(any(target_os = "linux", target_vendor = "apple")) {
/// rename_all(vec![Rename::new(folder.join("a"), "b")], None, &mut |_, done| done.unwrap());
/// assert!(folder.join("b").exists());
/// # }
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
pub fn rename_all(
    mut renames: Vec<Rename>,
    mut ledger: Option<&mut NameLedger>,
    done: &mut dyn FnMut(&Rename, Result<(), FileError>),
) {
    renames.sort_by_cached_key(|rename| (std::cmp::Reverse(rename.path.components().count()), rename.path.clone()));
    let renames = in_order(renames);
    let mut folders = Folders::default();
    for group in renames.chunks(NAMES_PER_FLUSH) {
        let recorded = ledger.as_mut().is_none_or(|ledger| ledger.record(group).is_ok());
        for rename in group {
            if !recorded {
                done(rename, Err(FileError::NotRecorded { path: rename.path.clone() }));
                continue;
            }
            let renamed = match rename.is_a_name() {
                true => folders.rename(rename),
                false => Err(io::Error::other("the new name is not a file name")),
            };
            if renamed.is_err()
                && let Some(ledger) = &mut ledger
            {
                ledger.cancel(rename);
            }
            done(rename, renamed.map_err(|error| FileError::io(&rename.path, error)));
        }
    }
}
