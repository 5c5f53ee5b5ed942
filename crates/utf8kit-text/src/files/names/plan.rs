//! What to rename, and how it is carried out: deepest first, recorded first.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::record::NameLedger;
use super::rename::Folders;
use super::tree::Named;
use crate::files::FileError;

/// The most names that are recorded with one flush of the ledger.
const GROUP: usize = 64;

/// One file, folder or other entry of a folder, and its new name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rename {
    /// The path that ends with the old name. Its folders are those before any renaming.
    pub path: PathBuf,
    /// The new name.
    pub to: OsString,
    /// What is renamed, if it was looked at before. Anything else of that name is left alone.
    pub identity: Option<Identity>,
    /// The folder that it is in, likewise.
    pub folder_identity: Option<Identity>,
}

/// What a file system knows a file by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The device, if it is known.
    pub device: Option<u64>,
    /// The number of the file on the device.
    pub inode: u64,
}

impl Identity {
    /// Returns the identity of a file on any device.
    pub fn of_inode(inode: u64) -> Identity {
        Identity { device: None, inode }
    }

    /// Reports whether two identities are the same, as far as they are known.
    pub(super) fn is(self, other: Identity) -> bool {
        self.inode == other.inode
            && (self.device.is_none() || other.device.is_none() || self.device == other.device)
    }

    /// Returns the identity of an open file.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn of(file: &File) -> io::Result<Identity> {
        identity(&file.metadata()?).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Returns the identity of what is at a path, which may be a symbolic link; `None` on systems without such numbers.
    ///
    /// # Errors
    /// Fails if nothing is there.
    pub fn at(path: &Path) -> io::Result<Option<Identity>> {
        Ok(identity(&fs::symlink_metadata(path)?))
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn identity(metadata: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some(Identity { device: Some(metadata.dev()), inode: metadata.ino() })
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<Identity> {
    None
}

impl Rename {
    /// Renames what is at a path, whatever it is then.
    pub fn new(path: impl Into<PathBuf>, to: impl Into<OsString>) -> Rename {
        Rename { path: path.into(), to: to.into(), identity: None, folder_identity: None }
    }

    /// Renames what is at a path now. `None` if its name stays.
    ///
    /// # Errors
    /// [`FileError::Io`] if nothing is there.
    pub fn of(named: &Named) -> Result<Option<Rename>, FileError> {
        let Some(becomes) = &named.judged.becomes else { return Ok(None) };
        let at = |error| FileError::io(&named.path, error);
        let mut rename = Rename::new(&named.path, becomes);
        rename.identity = Identity::at(&named.path).map_err(at)?;
        // The folder may be a symbolic link that was named.
        rename.folder_identity =
            fs::metadata(named.folder()).map(|metadata| identity(&metadata)).map_err(at)?;
        Ok(Some(rename))
    }

    /// Returns the path of the folder.
    pub(super) fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    /// Reports whether the new name is one: not empty, without a separator.
    fn is_a_name(&self) -> bool {
        let bytes = self.to.as_encoded_bytes();
        let is_separator = |byte: &u8| *byte == 0 || std::path::is_separator(char::from(*byte));
        !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(is_separator)
    }
}

/// Puts each renaming behind that of what has its new name before.
fn in_order(renames: Vec<Rename>) -> Vec<Rename> {
    let by_path: HashMap<_, _> =
        renames.iter().enumerate().map(|(index, one)| (one.path.clone(), index)).collect();
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

/// Renames files, the deepest first, so that the paths of the others stay valid. Each is recorded in the ledger before.
/// `done` is told of each.
///
/// ```
/// use utf8kit_text::files::names::{Rename, rename_all};
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
    renames.sort_by_cached_key(|rename| {
        (std::cmp::Reverse(rename.path.components().count()), rename.path.clone())
    });
    let renames = in_order(renames);
    let mut folders = Folders::default();
    for group in renames.chunks(GROUP) {
        let recorded = ledger.as_mut().is_none_or(|ledger| ledger.record(group).is_ok());
        for rename in group {
            if !recorded {
                done(rename, Err(FileError::NotRecorded { path: rename.path.clone() }));
                continue;
            }
            let renamed = match rename.is_a_name() {
                true => folders.rename(rename),
                false => Err(io::Error::other("the new name is no name of a file")),
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
