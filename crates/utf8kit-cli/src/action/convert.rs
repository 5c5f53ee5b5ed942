//! What `utf8 convert` is to do.

use std::ffi::OsStr;
use std::path::Path;

use utf8kit_text::charset::{Charset, Codec};
use utf8kit_text::convert::{Conversion, Invalid};
use utf8kit_text::repair::Patching;
use utf8kit_text::rows::DumpFormat;

use crate::args::{BomArg, ConvertArgs, HardLinksArg, Origin, UTF8};
use crate::error::{Error, refuse};

/// What `utf8 convert` is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// List the encodings.
    List,
    /// Convert files in place and keep backups under this suffix, unless it is empty.
    InPlace(Conversion, &'a OsStr),
    /// Carry out a plan, with backups likewise.
    Plan(Conversion, &'a Path, &'a OsStr),
    /// Write good rows to the output, converted, and bad ones to this file.
    Reject(Conversion, &'a Path),
    /// Convert all inputs into the output.
    Join(Conversion, Option<Patching>),
}

impl ConvertArgs {
    /// Returns what to do. Each file may have an encoding of its own, see [`ConvertArgs::from`].
    pub(crate) fn action(&self) -> Result<Action<'_>, Error> {
        if self.list {
            return Ok(Action::List);
        }
        let conversion = self.conversion();
        if let Some(format) = self.rows.dump(&self.target.demands())? {
            self.may_convert_dump(format)?;
        }
        if self.fallback.is_some() && !is_dialect(conversion.from.writer()) {
            return Err(Error::usage("--fallback is for utf-8 and its dialects"));
        }
        if self.per_line && self.fallback.is_none() && self.in_place.is_none() {
            return Err(Error::usage("--per-line goes with --fallback or --in-place"));
        }
        if self.bom == BomArg::Add && self.to.writer().mark().is_none() {
            return Err(Error::usage(format!("{} has no byte order mark to add", self.to)));
        }
        if self.in_place.is_none() && self.input.selects() {
            return Err(Error::usage(
                "--glob, --hidden, --no-ignore, --max-depth and --binary select files in folders, which --in-place \
                 converts",
            ));
        }
        if self.in_place.is_some() && self.target.demands().is_any() {
            return Err(Error::usage("--in-place does not go with --for, --max-bytes, --max-chars"));
        }
        if self.hard_links != HardLinksArg::Skip && self.in_place.is_none() && !self.writes_over_input() {
            return Err(Error::usage("--hard-links goes with --in-place"));
        }
        if self.plan.is_some() {
            let selects = self.input.files_from.is_some() || self.input.selects();
            refuse("--plan", &[(selects, "--files-from, --glob and the like")])?;
        }
        match (&self.in_place, &self.plan, &self.rows.reject) {
            (Some(suffix), Some(plan), _) => Ok(Action::Plan(conversion, plan, suffix)),
            (Some(_), None, _) if !self.input.is_given() => {
                Err(Error::usage("--in-place needs a PATH or a --plan"))
            }
            (Some(suffix), None, _) => Ok(Action::InPlace(conversion, suffix)),
            (None, _, Some(_)) if self.deals_with_bad_rows() => Err(Error::usage(
                "--reject puts aside what --invalid, --fallback and --transliterate deal with: give one of them",
            )),
            (None, _, Some(path)) => Ok(Action::Reject(conversion, path)),
            (None, _, None) if self.target.demands().is_any() => Err(Error::usage(
                "--for and --max-bytes go with --reject here, which puts rows aside; to change them, pass the result \
                 on to `utf8 repair --for`",
            )),
            (None, _, None) if self.writes_over_input() => Ok(Action::InPlace(conversion, OsStr::new(""))),
            (None, _, None) => Ok(Action::Join(conversion, self.patching())),
        }
    }

    /// Checks the options for a dump of a database.
    fn may_convert_dump(&self, format: DumpFormat) -> Result<(), Error> {
        let others = [
            (
                self.from == Some(Origin::Auto),
                "--from auto: leave out --from, as a dump declares its encoding",
            ),
            (
                self.fallback.is_some(),
                "--fallback: use `utf8 repair` with --policy fallback=LABEL or --per-table",
            ),
            (self.follow, "--follow"),
            (self.bom != BomArg::Keep, "--bom"),
            (
                self.rewrite.rewrite().is_any(),
                "--normalize, --transliterate, --line-ends: values stay as they are",
            ),
        ];
        let name = format.name();
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
        conversion.invalid = if self.discard { Invalid::Remove } else { self.invalid.into() };
        conversion.bom = self.bom.into();
        conversion.rewrite = self.rewrite.rewrite();
        conversion
    }

    /// Reports whether a file as a whole is converted into itself.
    fn writes_over_input(&self) -> bool {
        let is_whole = !self.follow
            && self.input.files_from.is_none()
            && self.fallback.is_none()
            && self.rows.rows.is_none();
        matches!(&self.input.paths[..], [path] if is_whole && super::writes_over(self.output.as_deref(), path))
    }

    fn patching(&self) -> Option<Patching> {
        self.fallback.map(|fallback| {
            let mut patching = Patching::new(fallback);
            patching.per_line = self.per_line;
            patching
        })
    }

    /// Reports whether another option than --reject says what becomes of what cannot be converted.
    fn deals_with_bad_rows(&self) -> bool {
        let strict = !self.discard && Invalid::from(self.invalid) == Invalid::Strict;
        !strict || self.fallback.is_some() || self.rewrite.transliterate
    }
}

/// Reports whether the encoding is UTF-8 or a dialect of it.
fn is_dialect(codec: Codec) -> bool {
    matches!(codec, Codec::Native(encoding) if encoding.is_dialect())
}
