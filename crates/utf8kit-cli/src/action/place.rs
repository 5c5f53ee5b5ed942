//! Where the result of a change goes: to an output, into the files themselves, or nowhere.

use utf8kit_text::display::Name;
use utf8kit_text::files::Repair;

use utf8kit::EncodingLabel;

use super::writes_over;
use crate::args::{InPlaceArgs, InputArgs, MojibakeArgs, OutputArgs, PreviewArgs, ReadArgs, RepairArgs};
use crate::config::Settings;
use crate::error::Error;

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One input goes into the output.
    Output,
    /// Each file is changed in place.
    Files,
    /// It is only shown what would change.
    Nowhere,
}

impl Place {
    /// Returns where the results of a command go.
    pub(super) fn of(
        input: &InputArgs,
        output: &OutputArgs,
        preview: PreviewArgs,
        in_place: &InPlaceArgs,
    ) -> Result<Place, Error> {
        let output = output.output.as_deref();
        let is_over = matches!(&input.paths[..], [path] if writes_over(output, path));
        let place = match () {
            () if preview.is_on() => Place::Nowhere,
            () if in_place.in_place.is_some() || is_over => Place::Files,
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

/// The arguments of a command that changes text within its encoding.
pub(crate) trait Repairing {
    fn read(&self) -> &ReadArgs;
    fn output(&self) -> &OutputArgs;
    fn preview(&self) -> PreviewArgs;
    fn in_place(&self) -> &InPlaceArgs;
    /// Reports whether the input is followed as it grows.
    fn follows(&self) -> bool;
    /// Reports whether files are changed that may lose text by it.
    fn forces(&self) -> bool;
    /// Reports whether a change is a finding.
    fn finds_changes(&self) -> bool;
    /// Returns how to repair a file in this encoding, with its settings.
    fn repair(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error>;
}

macro_rules! repairing {
    ($args:ty, $follows:expr) => {
        impl Repairing for $args {
            fn read(&self) -> &ReadArgs {
                &self.read
            }
            fn output(&self) -> &OutputArgs {
                &self.output
            }
            fn preview(&self) -> PreviewArgs {
                self.preview
            }
            fn in_place(&self) -> &InPlaceArgs {
                &self.in_place
            }
            fn follows(&self) -> bool {
                ($follows)(self)
            }
            fn forces(&self) -> bool {
                self.force
            }
            fn finds_changes(&self) -> bool {
                self.status.exit_non_zero_on_fix
            }
            fn repair(&self, settings: &Settings, encoding: EncodingLabel) -> Result<Repair, Error> {
                Self::how(self, settings, encoding)
            }
        }
    };
}

repairing!(RepairArgs, |args: &RepairArgs| args.tail);
repairing!(MojibakeArgs, |_: &MojibakeArgs| false);
