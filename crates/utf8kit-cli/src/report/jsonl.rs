//! JSON lines: one object per error, then one for its file, and a summary at the end.

use serde::Serialize;
use utf8kit_detect::Confidence;
use utf8kit_files::FieldFields;
use utf8kit_files::json::{PathFields, hex, write_line};
use utf8kit_files::names::CheckedName;

use crate::error::Error;
use crate::json;
use crate::printer::Printer;
use crate::report::Report;
use crate::report::line::Line;
use crate::results::{Before, Checked, Finding, Totals};
use crate::tally::Tally;

/// The report as JSON lines.
pub(crate) struct Jsonl {
    limit: usize,
    line: Line,
}

impl Jsonl {
    /// Limits the report to `limit` findings per file.
    pub(crate) fn new(limit: usize) -> Jsonl {
        Jsonl { limit, line: Line::default() }
    }
}

/// A line that does not describe an error.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Other {
    Damage {
        damage: &'static str,
        #[serde(flatten)]
        path: PathFields,
        offset: u64,
        len: usize,
        old_offset: u64,
        old_bytes: String,
        bytes: String,
        line: u64,
        column: u64,
        doubtful: bool,
        message: String,
    },
    File {
        #[serde(flatten)]
        path: PathFields,
        valid: bool,
        size: u64,
        code_points: u64,
        errors: u64,
        places: u64,
        kinds: Tally,
        #[serde(skip_serializing_if = "Tally::is_empty")]
        damage: Tally,
    },
    Summary(Totals),
}

/// Returns the line of a damaged place.
fn damage(finding: &Finding<'_>, before: Before<'_>) -> Other {
    let (bytes, old) = (finding.bytes(), before.bytes);
    Other::Damage {
        damage: finding.kind,
        path: PathFields::of(finding.path),
        offset: finding.offset,
        len: bytes.len(),
        old_offset: before.offset,
        old_bytes: hex(old).to_string(),
        bytes: hex(bytes).to_string(),
        line: finding.line,
        column: finding.column,
        doubtful: before.doubtful,
        message: finding.phrase.description.message(),
    }
}

impl Report for Jsonl {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        if let Some(before) = finding.before {
            return json::line(&damage(finding, before), printer);
        }
        let [error, message] = finding.phrase.rendered(|description| {
            let (kind, bytes) = (finding.kind, finding.bytes());
            let error = format!(",\"len\":{},\"kind\":\"{kind}\",\"bytes\":\"{}\",\"line\":", bytes.len(), hex(bytes));
            let message = [&b",\"message\":"[..], &value(&description.message()), b",\"group\":{\"offset\":"].concat();
            [error.into_bytes(), message]
        });
        let group = finding.row_group.map(|group| format!(",\"row_group\":{group}")).unwrap_or_default();
        let row = finding.row.as_ref().map_or_else(Vec::new, |row| {
            let fields = value(&FieldFields::of(row.field.as_ref()));
            let fields = fields.strip_prefix(b"{").and_then(|fields| fields.strip_suffix(b"}")).unwrap_or_default();
            let comma: &[u8] = if fields.is_empty() { b"" } else { b"," };
            [format!(",\"row\":{}", row.row).as_bytes(), comma, fields].concat()
        });
        self.line
            .name(finding.path, |path| {
                let fields = value(&PathFields::of(path));
                // Splice the fields of this object into the line's own object.
                let fields = fields.strip_prefix(b"{").and_then(|fields| fields.strip_suffix(b"}"));
                [b"{\"type\":\"error\",", fields.unwrap_or_default(), b",\"offset\":"].concat()
            })
            .number(finding.offset)
            .text(error)
            .number(finding.line)
            .text(b",\"column\":")
            .number(finding.column)
            .text(message)
            .number(finding.sequence_offset())
            .text(b",\"len\":")
            .number(finding.sequence().len() as u64)
            .text(b"}")
            .text(group.as_bytes())
            .text(&row)
            .text(&finding.name.map_or_else(Vec::new, name))
            .text(b"}\n")
            .print(printer)
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let line = Other::File {
            path: PathFields::of(file.path),
            valid: file.errors() == file.doubts.total(),
            size: file.summary.bytes,
            code_points: file.summary.code_points,
            errors: file.errors(),
            places: file.places(),
            kinds: file.kinds(),
            damage: file.damage.clone(),
        };
        json::line(&line, printer)
    }

    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error> {
        json::line(&Other::Summary(totals.clone()), printer)
    }
}

/// The proposed name.
#[derive(Serialize)]
struct NameFields<'j> {
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    becomes: Option<&'j str>,
}

/// Returns the fields about a name, with a comma before them.
fn name(checked: &CheckedName) -> Vec<u8> {
    let (encoding, becomes) = (checked.from, checked.becomes.as_deref());
    let fields = NameFields { encoding, confidence: checked.confidence.map(Confidence::name), becomes };
    let mut fields = value(&fields);
    fields.pop();
    let is_empty = fields.len() < 2;
    match fields.first_mut() {
        Some(brace) if !is_empty => {
            *brace = b',';
            fields
        }
        _ => Vec::new(),
    }
}

/// Serialises a value as JSON.
pub(super) fn value(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = write_line(&value, &mut text);
    text.pop();
    text
}
