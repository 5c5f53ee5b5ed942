//! What `utf8 restore` is to do.

use super::place::Place;
use crate::args::RestoreArgs;
use crate::error::Error;

impl RestoreArgs {
    /// Returns where the restored files go.
    pub(crate) fn place(&self) -> Result<Place, Error> {
        match self.input.is_given() {
            true => Place::of(&self.input, &self.write),
            false => Err(Error::usage("restore needs a FILE")),
        }
    }
}
