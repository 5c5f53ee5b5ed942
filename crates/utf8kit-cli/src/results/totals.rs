//! The results for a file, and the totals over all files.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};
use utf8kit::{AnyEncoding, EncodingLabel, ErrorKind, Summary};
use utf8kit_text::charset::Charset;
use utf8kit_text::detect::Hint;
use utf8kit_text::display::counted;

use crate::results::finding::{BOM, LINE_ENDS};
use crate::skips::Skips;

/// The results for one file.
#[derive(Clone, Debug)]
pub(crate) struct Checked<'f> {
    pub(crate) path: &'f Path,
    /// The encoding that the file was checked as.
    pub(crate) label: Charset,
    pub(crate) summary: &'f Summary,
    /// Whether the byte order mark is a finding.
    pub(crate) bom: bool,
    /// Whether a line ending is a finding.
    pub(crate) line_end: bool,
    /// The other findings, counted by kind.
    pub(crate) others: &'f [(&'static str, u64)],
    /// The damaged places, counted by kind.
    pub(crate) damage: &'f [(&'static str, u64)],
    /// What the file looks like.
    pub(crate) hint: Option<&'f Hint>,
}

impl<'f> Checked<'f> {
    /// Creates the results for a file of UTF-8 in which errors were looked for, and nothing else.
    pub(crate) fn new(path: &'f Path, summary: &'f Summary) -> Checked<'f> {
        let label = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));
        Checked { path, label, summary, bom: false, line_end: false, others: &[], damage: &[], hint: None }
    }

    /// Returns the number of findings.
    pub(crate) fn errors(&self) -> u64 {
        self.summary.errors + self.other()
    }

    /// Returns the number of findings, where the errors of one sequence count as one.
    pub(crate) fn places(&self) -> u64 {
        self.summary.places + self.other()
    }

    /// Returns the number of findings that are not errors of the encoding.
    fn other(&self) -> u64 {
        let others: u64 = self.others.iter().map(|(_, count)| count).sum();
        u64::from(self.bom) + u64::from(self.line_end) + others
    }

    /// Returns the number of damaged places.
    pub(crate) fn damaged(&self) -> u64 {
        self.damage.iter().map(|(_, count)| count).sum()
    }

    /// Returns the count of each kind: the six kinds of errors, then other kinds that were found.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let errors = ErrorKind::ALL.iter().map(|&kind| (kind.name(), self.summary.of_kind(kind)));
        let lines = self.line_end.then_some((LINE_ENDS, 1));
        errors.chain(self.bom.then_some((BOM, 1))).chain(lines).chain(self.others.iter().copied())
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
    pub(crate) invalid_files: u64,
    pub(crate) errors: u64,
    /// Number of findings, where the errors of one sequence count as one.
    pub(crate) places: u64,
    pub(crate) bytes: u64,
    /// The damaged places, counted by kind; absent if damage was not looked for.
    #[serde(serialize_with = "in_order", skip_serializing_if = "Option::is_none")]
    pub(crate) damage: Option<Vec<(&'static str, u64)>>,
    /// How many of them are doubtful, so that they are not restored.
    #[serde(skip)]
    pub(crate) doubtful: u64,
    /// Whether names of files are what was checked.
    #[serde(skip)]
    pub(crate) names: bool,
    /// Files that were skipped. They are not counted in `files`.
    #[serde(skip_serializing_if = "Skips::is_empty")]
    pub(crate) skipped: Skips,
}

/// Serialises the number of damaged places by kind.
fn in_order<S: Serializer>(
    damage: &Option<Vec<(&'static str, u64)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(damage.iter().flatten().copied())
}

/// Formats both counts as `12 places, 34 errors`, or only the errors if both are equal.
pub(crate) fn places_and_errors(places: u64, errors: u64) -> String {
    let found = counted(errors, "error");
    if places == errors { found } else { format!("{}, {found}", counted(places, "place")) }
}

impl Totals {
    /// Returns the number of damaged places.
    pub(crate) fn damaged(&self) -> u64 {
        self.damage.iter().flatten().map(|(_, count)| count).sum()
    }

    /// Adds the counts of a file.
    pub(crate) fn add(&mut self, file: &Checked<'_>) {
        self.files += 1;
        self.invalid_files += u64::from(file.errors() > 0);
        self.errors += file.errors();
        self.places += file.places();
        self.bytes += file.summary.bytes;
        for &(kind, count) in file.damage {
            let all = self.damage.get_or_insert_default();
            match all.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, total)) => *total += count,
                None => all.push((kind, count)),
            }
        }
    }
}
