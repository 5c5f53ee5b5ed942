//! Replaces `rename.rs` on systems whose rename call can overwrite another file.

use std::io;

use super::plan::Rename;

/// The folder that was used last.
#[derive(Debug, Default)]
pub(super) struct Folders;

impl Folders {
    #[expect(clippy::unused_self, reason = "the same call as elsewhere")]
    pub(super) fn rename(&mut self, _: &Rename) -> io::Result<()> {
        let why = "files cannot be renamed here yet without the risk of replacing others: Linux and macOS can";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }
}
