//! Where the result of a change goes: to an output, into the files themselves, or nowhere.

use utf8kit_text::display::Name;
use utf8kit_text::files::Repair;

use utf8kit::EncodingLabel;

use super::writes_over;
use crate::args::{
    HardLinksArg, InPlaceArgs, InputArgs, MojibakeArgs, OutputArgs, PreviewArgs, ReadArgs, RepairArgs,
};
use crate::config::Settings;
use crate::error::Error;

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One input goes into the output.
    Output,
    /// Each file is changed in place.
    InPlace,
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
        if in_place.record.links.hard_links != HardLinksArg::Skip && in_place.in_place.is_none() && !is_over {
            return Err(Error::usage("--hard-links goes with --in-place"));
        }
        let place = match () {
            () if preview.is_on() => Place::Nowhere,
            () if in_place.in_place.is_some() || is_over => Place::InPlace,
            () => Place::Output,
        };
        match (place, &input.paths[..]) {
            (Place::InPlace | Place::Nowhere, _) => Ok(place),
            (Place::Output, _) if input.files_from.is_some() => {
                Err(Error::usage("--files-from: only with --in-place or --diff"))
            }
            (Place::Output, [path]) if path.is_dir() => Err(Error::usage(format!(
                "{} is a folder: change its files with --in-place, or see what would change with --diff",
                Name(path)
            ))),
            (Place::Output, [] | [_]) if input.selects() => Err(Error::usage(
                "--glob, --hidden, --no-ignore, --max-depth and --binary select files in folders: only with \
                 --in-place, --diff or --list-doubtful",
            )),
            (Place::Output, [] | [_]) => Ok(place),
            (Place::Output, _) => Err(Error::usage("more than one PATH: only with --in-place or --diff")),
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

repairing!(RepairArgs, |args: &RepairArgs| args.follow);
repairing!(MojibakeArgs, |_: &MojibakeArgs| false);
