//! The action of `utf8 restore`.

use super::place::Place;
use crate::args::RestoreArgs;
use crate::error::Error;

impl RestoreArgs {
    /// Returns the destination of restored files.
    pub(crate) fn place(&self) -> Result<Place, Error> {
        match self.input.is_given() {
            true => Place::of(&self.input, &self.write),
            false => Err(Error::usage("restore needs a FILE")),
        }
    }
}
