//! One JSON object a line: each error, then its file, at the end a summary.

use serde::{Serialize, Serializer};
use utf8kit_text::json::PathFields;

use crate::error::Error;
use crate::json;
use crate::printer::Printer;
use crate::report::{Checked, Finding, Report, Totals};

/// JSON lines.
pub(crate) struct Jsonl {
    pub(crate) limit: usize,
}

/// A line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Error {
        #[serde(flatten)]
        path: PathFields,
        offset: u64,
        len: usize,
        kind: &'static str,
        /// In hexadecimal, lower case, without spaces: `e282`.
        bytes: String,
        line: u64,
        column: u64,
        message: String,
    },
    File {
        #[serde(flatten)]
        path: PathFields,
        valid: bool,
        size: u64,
        code_points: u64,
        errors: u64,
        #[serde(serialize_with = "in_order")]
        kinds: Vec<(&'static str, u64)>,
    },
    Summary(Totals),
}

impl Report for Jsonl {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        let line = Line::Error {
            path: PathFields::of(finding.path),
            offset: finding.offset,
            len: finding.bytes.len(),
            kind: finding.kind,
            bytes: utf8kit_text::json::hex(finding.bytes),
            line: finding.line,
            column: finding.column,
            message: finding.words.message(),
        };
        json::line(&line, printer)
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let line = Line::File {
            path: PathFields::of(file.path),
            valid: file.errors() == 0,
            size: file.summary.bytes,
            code_points: file.summary.code_points,
            errors: file.errors(),
            kinds: file.kinds().collect(),
        };
        json::line(&line, printer)
    }

    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error> {
        json::line(&Line::Summary(*totals), printer)
    }
}

/// A map in the order of its entries.
fn in_order<S: Serializer>(entries: &[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().copied())
}
