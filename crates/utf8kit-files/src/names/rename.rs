//! Renames files: within their folder, never over another file, and only files whose identity was checked.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, open, renameat_with, statat};
use rustix::io::Errno;

use super::plan::{Identity, Rename};

/// The folder that was used last.
#[derive(Debug, Default)]
pub(super) struct Folders {
    last: Option<(PathBuf, File)>,
}

impl Folders {
    /// Renames a file in its folder.
    pub(super) fn rename(&mut self, rename: &Rename) -> io::Result<()> {
        let name = rename.path.file_name().ok_or_else(|| io::Error::other("it has no name"))?;
        let folder = self.folder(rename.folder())?;
        let here = |identity: &Identity| rename.folder_identity.is_none_or(|known| known.is(*identity));
        if !here(&Identity::of(folder)?) {
            return Err(moved());
        }
        let is_it = |name: &OsStr| {
            let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok::<_, Errno>(rename.identity.is_none_or(|known| known.is(Identity::of_inode(stat.st_ino))))
        };
        if !is_it(name).map_err(io_error)? {
            return Err(moved());
        }
        renameat_with(folder, name, folder, &*rename.to, RenameFlags::NOREPLACE).map_err(io_error)?;
        if !is_it(&rename.to)? {
            // Another program has put another file there in the meantime.
            renameat_with(folder, &*rename.to, folder, name, RenameFlags::NOREPLACE)?;
            return Err(moved());
        }
        Ok(())
    }

    /// Opens a folder, or keeps the one that is open.
    fn folder(&mut self, path: &Path) -> io::Result<&File> {
        let last = self.last.take().filter(|(last, _)| last.as_os_str() == path.as_os_str());
        let now = match last {
            Some(last) => last,
            None => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
                (path.to_owned(), File::from(open(path, flags, Mode::empty())?))
            }
        };
        Ok(&self.last.insert(now).1)
    }
}

fn moved() -> io::Error {
    io::Error::other("it was renamed, moved or replaced meanwhile; left alone")
}

/// Describes an error of the system in words.
fn io_error(error: Errno) -> io::Error {
    match error {
        Errno::EXIST => io::Error::other("that name is already taken; left alone"),
        Errno::NOENT => moved(),
        Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => io::Error::other(
            "this file system cannot rename a file without the risk of replacing another one; left alone",
        ),
        error => error.into(),
    }
}
