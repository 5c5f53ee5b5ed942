//! The destination of converted and repaired bytes: standard output, or a file.

use std::io;
use std::path::Path;

use utf8kit_encodings::display::Name;

use crate::action::{is_same, written};
use crate::error::Error;
use crate::printer::Printer;

/// An output. Written bytes may not be visible before [`Output::commit`].
#[derive(Debug)]
pub(crate) enum Output {
    /// Standard output.
    Stdout,
    /// A file, or a pipe or device with a path.
    File(utf8kit_files::Output),
}

impl Output {
    /// Opens an output: standard output if there is no path or it is `-`. It must not be a file in `others`, which are
    /// also read or written.
    pub(crate) fn create(path: Option<&Path>, others: &[&Path]) -> Result<Output, Error> {
        let Some(path) = written(path) else { return Ok(Output::Stdout) };
        if others.iter().any(|other| is_same(path, other)) {
            let message = format!("{} is already an input or output: name another output", Name(path));
            return Err(Error::usage(message));
        }
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
            return Err(Error::at(folder, "no such folder"));
        }
        Ok(Output::File(utf8kit_files::Output::create(path)?))
    }

    /// Writes all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8], printer: &mut Printer) -> Result<(), Error> {
        match self {
            Output::Stdout => printer.bytes(bytes),
            Output::File(file) => Ok(file.put(bytes)?),
        }
    }

    /// Flushes a file to disk and makes it visible under its name. If it is dropped instead, no file is left behind.
    pub(crate) fn commit(self) -> Result<(), Error> {
        match self {
            Output::Stdout => Ok(()),
            Output::File(file) => Ok(file.commit()?),
        }
    }
}

/// Adapts an output to [`io::Write`] and keeps the first error.
pub(crate) struct Writer<'o> {
    pub(crate) output: &'o mut Output,
    pub(crate) printer: &'o mut Printer,
    pub(crate) error: Option<Error>,
}

impl io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.write(bytes, self.printer) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.error = Some(error);
                Err(io::Error::other("not written"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
