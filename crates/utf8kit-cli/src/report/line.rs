//! Lines written by hand, for reports of millions of findings: what depends on the file is made once a file, what depends on
//! the error once for each that is different ([`Phrase`](super::Phrase)), and only numbers for each finding.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::printer::Printer;

/// A line, in memory that is used again, and what its file is called in it.
#[derive(Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    digits: itoa::Buffer,
    path: PathBuf,
    name: Vec<u8>,
}

impl Line {
    /// Appends what `render` makes of the path.
    pub(super) fn name(&mut self, path: &Path, render: impl FnOnce(&Path) -> Vec<u8>) -> &mut Line {
        if self.name.is_empty() || self.path.as_os_str() != path.as_os_str() {
            self.name = render(path);
            path.clone_into(&mut self.path);
        }
        self.bytes.extend_from_slice(&self.name);
        self
    }

    /// Appends some text.
    pub(super) fn text(&mut self, text: &[u8]) -> &mut Line {
        self.bytes.extend_from_slice(text);
        self
    }

    /// Appends a number.
    pub(super) fn number(&mut self, number: u64) -> &mut Line {
        self.bytes.extend_from_slice(self.digits.format(number).as_bytes());
        self
    }

    /// Prints the line, as it is, and begins another one.
    pub(super) fn print(&mut self, printer: &mut Printer) -> Result<(), Error> {
        let printed = printer.bytes(&self.bytes);
        self.bytes.clear();
        printed
    }
}
