//! The renames to do, and the identity of files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::tree::Named;
use crate::FileError;
use crate::path::folder_of;

/// One file, folder or other entry of a folder, and its new name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rename {
    /// The path that ends with the old name. Its folders are those before any renaming.
    pub path: PathBuf,
    /// The new name.
    pub to: OsString,
    /// The identity of the file to rename, if it was determined before. Any other file of that name is left alone.
    pub identity: Option<Identity>,
    /// The identity of its folder, likewise.
    pub folder_identity: Option<Identity>,
}

/// The identity of a file in its file system.
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

    /// Reports whether the known parts of two identities are equal.
    pub(super) fn is(self, other: Identity) -> bool {
        self.inode == other.inode && (self.device.is_none() || other.device.is_none() || self.device == other.device)
    }

    /// Returns the identity of an open file.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn of(file: &fs::File) -> io::Result<Identity> {
        identity(&file.metadata()?).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// Returns the identity of the file at a path, which may be a symbolic link, or `None` on systems without such
    /// numbers.
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
    /// Renames the file at a path, without checking its identity.
    pub fn new(path: impl Into<PathBuf>, to: impl Into<OsString>) -> Rename {
        Rename { path: path.into(), to: to.into(), identity: None, folder_identity: None }
    }

    /// Renames the file that is at a path now. Returns `None` if its name stays.
    ///
    /// # Errors
    /// [`FileError::Io`] if nothing is there.
    pub fn of(named: &Named) -> Result<Option<Rename>, FileError> {
        let Some(becomes) = &named.checked.becomes else { return Ok(None) };
        let at = |error| FileError::io(&named.path, error);
        let mut rename = Rename::new(&named.path, becomes);
        rename.identity = Identity::at(&named.path).map_err(at)?;
        // The folder may be a symbolic link given by the user.
        rename.folder_identity = fs::metadata(named.folder()).map(|metadata| identity(&metadata)).map_err(at)?;
        Ok(Some(rename))
    }

    /// Returns the path of the folder.
    pub(super) fn folder(&self) -> &Path {
        folder_of(&self.path)
    }

    /// Reports whether the new name is valid: not empty, and without a separator.
    pub(super) fn is_a_name(&self) -> bool {
        let bytes = self.to.as_encoded_bytes();
        let is_separator = |byte: &u8| *byte == 0 || std::path::is_separator(char::from(*byte));
        !matches!(bytes, b"" | b"." | b"..") && !bytes.iter().any(is_separator)
    }
}
