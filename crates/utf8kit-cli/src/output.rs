//! Where converted and repaired bytes go: standard output, or a file that is wholly old until it is wholly new.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::printer::Printer;
use crate::trouble::Trouble;

/// An output. Nothing that is written is certain to be seen before [`Output::commit`].
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output.
    Stdout,
    /// A regular file, new or to be replaced.
    Replacement(Replacement),
    /// A pipe or device: written as it goes.
    Special(PathBuf, File),
}

impl Output {
    /// Standard output if there is no path, or if it is `-`.
    pub(crate) fn create(path: Option<&Path>) -> Result<Output, Trouble> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Output::Stdout) };
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let output = if special {
            File::create(path).map(|file| Output::Special(path.to_owned(), file))
        } else {
            Replacement::of(path).map(Output::Replacement)
        };
        output.map_err(|error| Trouble::at(path, error))
    }

    /// Writes all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8], printer: &mut Printer) -> Result<(), Trouble> {
        match self {
            Output::Stdout => printer.bytes(bytes),
            Output::Replacement(new) => new.write_all(bytes).map_err(|error| Trouble::at(&new.target, error)),
            Output::Special(path, file) => file.write_all(bytes).map_err(|error| Trouble::at(path, error)),
        }
    }

    /// Makes a file seen under its name. Dropped without this, no file is left behind.
    pub(crate) fn commit(self) -> Result<(), Trouble> {
        let Output::Replacement(new) = self else { return Ok(()) };
        let target = new.target.clone();
        new.commit().map_err(|error| Trouble::at(&target, error))
    }
}

/// What is to be in a file, in a temporary file beside it.
#[derive(Debug)]
pub(crate) struct Replacement {
    temporary: NamedTempFile,
    target: PathBuf,
}

impl Replacement {
    /// An empty one. Of a symbolic link, the file it leads to is replaced.
    pub(crate) fn of(path: &Path) -> io::Result<Replacement> {
        let old = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = if old.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(".utf8-");
        #[cfg(unix)]
        if old.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file; the umask takes away from it.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        if let Some(old) = old {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                // Only root may give files away; for others they are their own already.
                let _ = fchown(temporary.as_file(), Some(old.uid()), Some(old.gid()));
            }
            temporary.as_file().set_permissions(old.permissions())?;
        }
        Ok(Replacement { temporary, target })
    }

    /// Keeps the old file under its name and `suffix` too.
    pub(crate) fn back_up(&self, suffix: &OsStr) -> io::Result<()> {
        let mut name = self.target.clone().into_os_string();
        name.push(suffix);
        let backup = Path::new(&name);
        let aside = tempfile::tempdir_in(backup.parent().unwrap_or(Path::new(".")))?;
        let link = aside.path().join("old");
        if fs::hard_link(&self.target, &link).is_err() {
            fs::copy(&self.target, &link)?;
        }
        fs::rename(&link, backup)
    }

    /// Flushes it to disk, then puts it in the place of the old file in one step.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary.persist(&self.target).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}
