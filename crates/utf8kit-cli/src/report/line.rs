//! Lines written by hand, for reports of millions of findings. What depends on the file is rendered once per file, what
//! depends on the error once per distinct error ([`Phrases`](crate::results::Phrases)). Only numbers are formatted for
//! each finding.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::printer::Printer;

/// A line in a reused buffer, and the rendered name of its file.
#[derive(Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    digits: itoa::Buffer,
    path: PathBuf,
    name: Vec<u8>,
}

impl Line {
    /// Appends the path as rendered by `render`, which is called only if the path changed.
    pub(super) fn name(&mut self, path: &Path, render: impl FnOnce(&Path) -> Vec<u8>) -> &mut Line {
        if self.name.is_empty() || self.path.as_os_str() != path.as_os_str() {
            self.name = render(path);
            path.clone_into(&mut self.path);
        }
        self.bytes.extend_from_slice(&self.name);
        self
    }

    /// Appends text.
    pub(super) fn text(&mut self, text: &[u8]) -> &mut Line {
        self.bytes.extend_from_slice(text);
        self
    }

    /// Appends a number.
    pub(super) fn number(&mut self, number: u64) -> &mut Line {
        self.bytes.extend_from_slice(self.digits.format(number).as_bytes());
        self
    }

    /// Prints the line verbatim, and starts the next one.
    pub(super) fn print(&mut self, printer: &mut Printer) -> Result<(), Error> {
        let printed = printer.bytes(&self.bytes);
        self.bytes.clear();
        printed
    }
}
