//! The results for a file, and the totals over all files.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use utf8kit::summary::Summary;
use utf8kit::{AnyEncoding, EncodingLabel, ErrorKind};
use utf8kit_detect::Guess;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::display::counted;

use crate::args::LineEndRule;
use crate::results::finding::{BOM, LINE_ENDS};
use crate::skips::Skips;
use crate::suggestion::Beginning;
use crate::tally::Tally;

/// The results for one file.
#[derive(Clone, Debug)]
pub(crate) struct Checked<'f> {
    pub(crate) path: &'f Path,
    /// The encoding that the file was checked as.
    pub(crate) label: Charset,
    pub(crate) summary: &'f Summary,
    /// The correction for the beginning of the file, if that is a finding.
    pub(crate) bom: Option<Beginning>,
    /// The problems of valid text, counted by kind.
    pub(crate) doubts: Tally,
    /// The rule that a line end breaks.
    pub(crate) line_end: Option<LineEndRule>,
    /// The other findings, counted by kind.
    pub(crate) others: Tally,
    /// The damaged places, counted by kind.
    pub(crate) damage: Tally,
    /// The guess at what the file is.
    pub(crate) guess: Option<&'f Guess>,
    /// The declaration that is wrong, and the right one.
    pub(crate) declaration: Option<&'f (String, String)>,
    /// Whether it concerns a name, and the path for `utf8 rename`, if that knows a better name.
    pub(crate) names: bool,
    pub(crate) rename: Option<&'f Path>,
}

impl<'f> Checked<'f> {
    /// Creates the results for a UTF-8 file that was checked only for errors.
    pub(crate) fn new(path: &'f Path, summary: &'f Summary) -> Checked<'f> {
        let label = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));
        let (doubts, others, damage) = (Tally::default(), Tally::default(), Tally::default());
        Checked {
            path,
            label,
            summary,
            bom: None,
            doubts,
            line_end: None,
            others,
            damage,
            guess: None,
            declaration: None,
            names: false,
            rename: None,
        }
    }

    /// Returns the number of findings.
    pub(crate) fn errors(&self) -> u64 {
        self.summary.errors + self.other()
    }

    /// Reports whether anything was found, including damage.
    pub(crate) fn has_findings(&self) -> bool {
        self.errors() > 0 || !self.damage.is_empty()
    }

    /// Returns the number of findings, where the errors of one sequence count as one.
    pub(crate) fn places(&self) -> u64 {
        self.summary.places + self.other()
    }

    /// Returns the number of findings that are not errors of the encoding.
    fn other(&self) -> u64 {
        let all = [self.bom.is_some(), self.line_end.is_some()];
        all.map(u64::from).iter().sum::<u64>() + self.doubts.total() + self.others.total()
    }

    /// Returns the count of each kind: the six kinds of errors, then other kinds that were found.
    pub(crate) fn kinds(&self) -> Tally {
        let mut kinds = Tally::default();
        ErrorKind::ALL.iter().for_each(|&kind| kinds.add(kind.name(), self.summary.of_kind(kind)));
        let rules = [(self.bom.is_some(), BOM), (self.line_end.is_some(), LINE_ENDS)];
        rules.into_iter().filter(|(found, _)| *found).for_each(|(_, kind)| kinds.add(kind, 1));
        kinds.merge(&self.doubts);
        kinds.merge(&self.others);
        kinds
    }
}

/// The encodings of all files, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels(Vec<Charset>);

impl Labels {
    /// Adds the encoding of a file.
    pub(crate) fn add(&mut self, label: Charset) {
        if !self.0.contains(&label) {
            self.0.push(label);
        }
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(Charset::to_string).collect();
        f.write_str(&names.join(", "))
    }
}

/// Totals over all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Totals {
    pub(crate) files: u64,
    /// Files and folders that could not be read. They are not counted in `files`.
    #[serde(skip)]
    pub(crate) unread: u64,
    /// Files with findings, including damage.
    pub(crate) invalid_files: u64,
    pub(crate) errors: u64,
    /// Number of findings, where the errors of one sequence count as one.
    pub(crate) places: u64,
    pub(crate) bytes: u64,
    /// The damaged places, counted by kind; absent if damage was not searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damage: Option<Tally>,
    /// The number of doubtful places, which are not restored.
    #[serde(skip)]
    pub(crate) doubtful: u64,
    /// Whether file names were checked instead of contents.
    #[serde(skip)]
    pub(crate) names: bool,
    /// Files that were skipped. They are not counted in `files`.
    #[serde(skip_serializing_if = "Skips::is_empty")]
    pub(crate) skipped: Skips,
}

/// Formats both counts as `12 places, 34 errors`, or only the errors if both are equal.
pub(crate) fn places_and_errors(places: u64, errors: u64) -> String {
    let found = counted(errors, "error");
    if places == errors { found } else { format!("{}, {found}", counted(places, "place")) }
}

impl Totals {
    /// Returns the number of damaged places.
    pub(crate) fn damaged(&self) -> u64 {
        self.damage.as_ref().map_or(0, Tally::total)
    }

    /// Adds the counts of a file.
    pub(crate) fn add(&mut self, file: &Checked<'_>) {
        self.files += 1;
        self.invalid_files += u64::from(file.has_findings());
        self.errors += file.errors();
        self.places += file.places();
        self.bytes += file.summary.bytes;
        if let Some(damage) = &mut self.damage {
            damage.merge(&file.damage);
        }
    }
}
