//! The action of `utf8 restore`.

use super::place::Place;
use crate::args::RestoreArgs;
use crate::error::Error;

impl RestoreArgs {
    /// Returns the destination of restored files. Without a path, these are the files in the current folder.
    pub(crate) fn place(&self) -> Result<Place, Error> {
        match Place::of(&self.input, &self.write)? {
            Place::Output if !self.input.is_given() => Err(Error::usage(
                "no PATH given: restore the current folder with --in-place, or see what would change with --diff",
            )),
            place => Ok(place),
        }
    }
}
