//! The action of `utf8 undo`.

use utf8kit_files::ledger::is_of_names;

use crate::args::UndoArgs;
use crate::error::Error;

/// The changes to undo.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Renames.
    Names,
    /// Changes to the contents of files.
    Files,
}

impl UndoArgs {
    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action, Error> {
        if self.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(Error::usage("undo reads the file twice: not from standard input"));
        }
        if !is_of_names(&self.ledger).unwrap_or(false) {
            return Ok(Action::Files);
        }
        if self.output.output.is_some() || self.preview.diff {
            return Err(Error::usage("--output and --diff: this ledger records renames, which are undone in place"));
        }
        Ok(Action::Names)
    }
}
