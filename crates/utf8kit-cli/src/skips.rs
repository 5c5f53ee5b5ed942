//! Files that are skipped: reported with help, and counted by reason.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};
use utf8kit_encodings::display::{Name, counted};
use utf8kit_files::{Skip, Source, SourceKind};

use crate::printer::Printer;
use crate::suggestion::{self, Destination};
use crate::tally::Tally;

/// The number of skipped files by reason, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skips {
    counts: Tally,
    /// Whether one of them needs the user's attention.
    attention: bool,
}

impl Skips {
    /// Adds a file. If it needs the user's attention, it is reported and makes the exit status 2; other files are
    /// reported with --verbose.
    pub(crate) fn add(&mut self, source: &Source, reason: &Skip, printer: &mut Printer) {
        self.add_about(source, About(reason, &source.path, Destination::IN_PLACE), printer);
    }

    /// As [`Skips::add`], with a message about the file.
    pub(crate) fn add_about(&mut self, source: &Source, about: About<'_>, printer: &mut Printer) {
        let attention = self.count(source, about.0);
        printer.skipped(attention, format_args!("{}: {about}", Name(&source.path)));
    }

    /// As [`Skips::add`], for a file that the output names.
    pub(crate) fn add_listed(&mut self, source: &Source, reason: &Skip, printer: &mut Printer) {
        if self.count(source, reason) {
            printer.fail();
        }
    }

    /// Counts a file, and returns whether it needs the user's attention.
    fn count(&mut self, source: &Source, reason: &Skip) -> bool {
        self.counts.add(reason.name(), 1);
        // The user expects an explicitly named file to be read.
        let meant = source.kind != SourceKind::Walked && *reason != Skip::Done;
        let attention = meant || reason.needs_attention();
        self.attention |= attention;
        attention
    }

    /// Reports whether no file was skipped.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Prints the totals, if `wanted` or if one of `files` needs attention.
    pub(crate) fn report(&self, files: u64, wanted: bool, printer: &mut Printer) {
        if files > 1 && !self.counts.is_empty() && (wanted || self.attention || printer.is_verbose()) {
            printer.message(format_args!("skipped {self} of {}", counted(files, "file")));
        }
    }
}

/// Serialises the number of files by reason.
impl Serialize for Skips {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.counts.serialize(serializer)
    }
}

/// Formats the counts: `3 (2 binary, 1 excluded)`.
impl fmt::Display for Skips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.counts.total(), self.counts)
    }
}

/// Formats why a file is skipped, and the help, if its text is to go to a destination.
pub(crate) struct About<'s>(pub(crate) &'s Skip, pub(crate) &'s Path, pub(crate) Destination<'s>);

impl About<'_> {
    /// Returns the reason and the help in one line, for a file whose step is to skip it.
    pub(crate) fn inline(&self) -> String {
        let About(reason, path, to) = self;
        format!("{reason}{}{}", self.force(), suggestion::instead(reason, path, *to).inline())
    }

    fn force(&self) -> &'static str {
        if self.0.yields_to_force() { " (--force overrides this)" } else { "" }
    }
}

impl fmt::Display for About<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let About(reason, path, to) = self;
        write!(f, "skipped: {reason}{}{}", self.force(), suggestion::instead(reason, path, *to))
    }
}
