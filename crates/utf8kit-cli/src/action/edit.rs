//! The action of `utf8 edit`.

use std::ffi::OsString;

use super::overwrites_input;
use super::place::Place;
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
    /// Returns the destination of the result. Text saved in an editor is written to the file.
    pub(crate) fn place(&self) -> Place {
        let output = self.write.output.output.as_deref();
        match () {
            () if self.write.preview.is_on() => Place::Nowhere,
            () if self.write.in_place.in_place.is_some() || overwrites_input(output, &self.path) => Place::Files,
            () if self.editor && output.is_none() => Place::Files,
            () => Place::Output,
        }
    }

    /// Returns the action.
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.path.as_os_str() == "-" && self.place() == Place::Files {
            return Err(Error::usage("standard input cannot be changed in place"));
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
