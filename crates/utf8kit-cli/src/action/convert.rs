//! The action of `utf8 convert`.

use std::path::Path;

use utf8kit_detect::repair::Patching;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::convert::{Conversion, Invalid};
use utf8kit_records::rows::DumpFormat;

use crate::args::{BomArg, ConvertArgs, OnError, Origin, RewriteArgs, UTF8};
use crate::error::{Error, refuse};

/// The action of `utf8 convert`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// List the encodings.
    List,
    /// Convert files in place.
    InPlace(Conversion),
    /// Carry out a plan.
    Plan(Conversion, &'a Path),
    /// Write good rows to the output, converted, and bad ones to this file.
    Reject(Conversion, &'a Path),
    /// Convert all inputs into the output.
    Join(Conversion, Option<Patching>),
}

impl ConvertArgs {
    /// Returns the action. Each file may have its own encoding (see [`ConvertArgs::from`]).
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.list {
            return Ok(Action::List);
        }
        let conversion = self.conversion();
        if let Some(format) = self.rows.dump()? {
            self.may_convert_dump(format)?;
        }
        if self.patching().is_some() && !is_dialect(conversion.from.writer()) {
            return Err(Error::usage("--on-error fallback needs an input in utf-8 or a dialect of it"));
        }
        if self.bom == BomArg::Add && self.to.writer().mark().is_none() {
            return Err(Error::usage(format!("{} has no byte order mark to add", self.to)));
        }
        // A preview is of each file, and of what --in-place would do.
        let is_in_place = self.in_place.in_place.is_some() || self.preview.is_on();
        match (&self.plan, &self.rows.reject) {
            (Some(plan), _) => Ok(Action::Plan(conversion, plan)),
            (None, _) if is_in_place && !self.input.is_given() => {
                Err(Error::usage("--in-place, --dry-run and --diff need a PATH or --plan"))
            }
            (None, _) if is_in_place && self.patching().is_some() => Err(Error::usage(
                "--on-error fallback cannot be combined with --in-place or a preview: see utf8 repair --in-place",
            )),
            (None, _) if is_in_place => Ok(Action::InPlace(conversion)),
            (None, Some(path)) => Ok(Action::Reject(conversion, path)),
            (None, None) if self.input.paths.iter().any(|path| path.is_dir()) => Err(Error::usage(
                "a folder is converted in place: `utf8 convert -n --from auto FOLDER` shows what would be done",
            )),
            (None, None) if self.writes_over_input() => Ok(Action::InPlace(conversion)),
            (None, None) => Ok(Action::Join(conversion, self.patching())),
        }
    }

    /// Checks the options for a dump of a database.
    fn may_convert_dump(&self, format: DumpFormat) -> Result<(), Error> {
        let name = format.name();
        let transliterates = self.on_error.contains(&OnError::Transliterate);
        let others = [
            (
                self.patching().is_some(),
                "--on-error fallback: use `utf8 repair` with --on-error fallback=LABEL or --per-table",
            ),
            (transliterates, "--on-error transliterate: values of a dump are never transliterated"),
        ];
        refuse(&format!("--rows {name}"), &others)?;
        match format.name_of(self.to) {
            Some(_) => Ok(()),
            None => Err(Error::usage(format!("--rows {name}: the database has no name for {}", self.to))),
        }
    }

    fn conversion(&self) -> Conversion {
        let from = match self.from {
            Some(Origin::Named(charset)) => charset,
            Some(Origin::Auto) | None => Charset::Named(UTF8),
        };
        let mut conversion = Conversion::new(from, self.to);
        if self.discard {
            conversion.invalid = Invalid::Remove;
        }
        for how in &self.on_error {
            if let OnError::Invalid(invalid) = how {
                conversion.invalid = *invalid;
            }
        }
        conversion.bom = self.bom.into();
        conversion.rewrite = self.rewriting().rewrite();
        conversion
    }

    /// Returns the changes to the text itself.
    pub(crate) fn rewriting(&self) -> RewriteArgs {
        RewriteArgs { transliterate: self.on_error.contains(&OnError::Transliterate), ..self.rewrite }
    }

    /// Reports whether a file as a whole is converted into itself.
    fn writes_over_input(&self) -> bool {
        let is_whole =
            !self.tail && self.input.files_from.is_none() && self.patching().is_none() && self.rows.rows.is_none();
        let output = self.output.output.as_deref();
        matches!(&self.input.paths[..], [path] if is_whole && super::overwrites_input(output, path))
    }

    /// Returns the fallback encoding for invalid bytes, if one was requested.
    pub(crate) fn patching(&self) -> Option<Patching> {
        self.on_error.iter().find_map(|how| match how {
            OnError::Fallback(fallback) => Some(Patching::new(*fallback)),
            OnError::FallbackLines(fallback) => {
                let mut patching = Patching::new(*fallback);
                patching.per_line = true;
                Some(patching)
            }
            _ => None,
        })
    }
}

/// Reports whether the encoding is UTF-8 or a dialect of it.
fn is_dialect(codec: Codec) -> bool {
    matches!(codec, Codec::Native(encoding) if encoding.is_dialect())
}
