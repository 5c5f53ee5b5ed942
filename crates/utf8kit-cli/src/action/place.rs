//! The destination of a change: an output, the files themselves, or nowhere.

use utf8kit_encodings::display::Name;
use utf8kit_files::Repair;

use utf8kit::EncodingLabel;

use super::overwrites_input;
use crate::args::{InputArgs, MojibakeArgs, ReadArgs, RepairArgs, WriteArgs};
use crate::config::Settings;
use crate::error::Error;

/// The destination of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One input goes into the output.
    Output,
    /// Each file is changed in place.
    Files,
    /// Changes are only shown.
    Nowhere,
}

impl Place {
    /// Returns the destination of a command's results.
    pub(super) fn of(input: &InputArgs, write: &WriteArgs) -> Result<Place, Error> {
        let output = write.output.output.as_deref();
        let is_over = matches!(&input.paths[..], [path] if overwrites_input(output, path));
        let place = match () {
            () if write.preview.is_on() => Place::Nowhere,
            () if write.in_place.in_place.is_some() || is_over => Place::Files,
            () => Place::Output,
        };
        match &input.paths[..] {
            [path] if place == Place::Output && path.is_dir() => Err(Error::usage(format!(
                "{} is a folder: change its files with --in-place, or see what would change with --diff",
                Name(path)
            ))),
            _ => Ok(place),
        }
    }
}

/// The arguments of commands that change text but not its encoding.
pub(crate) trait Repairing {
    fn read(&self) -> &ReadArgs;
    fn write(&self) -> &WriteArgs;
    /// Reports whether the input is followed as it grows (`--tail`).
    fn follows(&self) -> bool;
    /// Reports whether files are changed even if they may lose text (`--force`).
    fn forces(&self) -> bool;
    /// Returns how to repair a file in this encoding, with its settings.
    fn repair(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error>;
}

impl Repairing for RepairArgs {
    fn read(&self) -> &ReadArgs {
        &self.read
    }

    fn write(&self) -> &WriteArgs {
        &self.write
    }

    fn follows(&self) -> bool {
        self.tail
    }

    fn forces(&self) -> bool {
        self.force
    }

    fn repair(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
        self.how(settings, encoding)
    }
}

impl Repairing for MojibakeArgs {
    fn read(&self) -> &ReadArgs {
        &self.read
    }

    fn write(&self) -> &WriteArgs {
        &self.write
    }

    fn follows(&self) -> bool {
        false
    }

    fn forces(&self) -> bool {
        self.force
    }

    fn repair(&self, _: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
        self.how(encoding)
    }
}
