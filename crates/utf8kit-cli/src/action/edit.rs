//! The action of `utf8 edit`.

use std::ffi::OsString;

use crate::args::EditArgs;
use crate::error::Error;

/// The source of the new text.
#[derive(Clone, Debug)]
pub(crate) enum Action<'a> {
    /// One text is replaced with another, at its only occurrence or at all of them.
    Replace(String, String, bool),
    /// This program filters the text.
    Filter(&'a [OsString]),
    /// The user edits it in an editor.
    Editor,
}

impl EditArgs {
    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.path.as_os_str() == "-" {
            return Err(Error::usage("edit changes a file in place: not standard input"));
        }
        let lines = |text: &str| text.replace("\r\n", "\n");
        match (&self.old, &self.new, &self.command[..]) {
            (Some(old), _, _) if old.is_empty() => Err(Error::usage("--old is empty")),
            (Some(old), Some(new), _) => Ok(Action::Replace(lines(old), lines(new), self.all)),
            (_, _, command @ [_, ..]) => Ok(Action::Filter(command)),
            _ if self.editor => Ok(Action::Editor),
            _ => Err(Error::usage("give --old and --new, a COMMAND after `--`, or --editor")),
        }
    }
}
