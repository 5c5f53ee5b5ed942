//! SARIF 2.1.0, which code scanning services read. Results are written one at a time and are not collected.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use utf8kit::ErrorKind;
use utf8kit_document::DamageKind;
use utf8kit_files::json::hex;
use utf8kit_files::names::NameProblemKind;
use utf8kit_records::validator::ProblemKind;

use crate::error::Error;
use crate::json;
use crate::printer::Printer;
use crate::report::Report;
use crate::report::jsonl::value;
use crate::report::line::Line;
use crate::results::{BOM, Checked, DECLARATION, Finding, LINE_ENDS, Totals};

/// The output before the rules.
const START: &str = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{
"columnKind":"unicodeCodePoints",
"tool":{"driver":{"name":"utf8","semanticVersion":""#;

/// The report in SARIF: one run, with a rule for each kind.
pub(crate) struct Sarif {
    pub(crate) limit: usize,
    /// Whether anything was printed.
    started: bool,
    /// Whether a result was printed.
    any: bool,
    line: Line,
}

impl Sarif {
    /// Limits the report to `limit` results per file.
    pub(crate) fn new(limit: usize) -> Sarif {
        Sarif { limit, started: false, any: false, line: Line::default() }
    }

    /// Prints the output before the results, once.
    fn start(&mut self, printer: &mut Printer) -> Result<(), Error> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        printer.print(format_args!("{START}{}\",\"rules\":", env!("CARGO_PKG_VERSION")))?;
        json::line(&rules(), printer)?;
        printer.print(format_args!("}}}},\n\"results\":["))
    }
}

/// A kind of finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
    full_description: Text,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

/// Returns the rules for all kinds, in the order of `ruleIndex`.
fn rules() -> Vec<Rule> {
    let rule = |id, short: String, full: &str| Rule {
        id,
        short_description: Text { text: short },
        full_description: Text { text: full.to_owned() },
        default_configuration: Configuration { level: "error" },
    };
    let errors = ErrorKind::ALL.iter().map(|&kind| rule(kind.name(), kind.to_string(), about(kind)));
    let bom = rule(
        BOM,
        "byte order mark".to_owned(),
        "A byte order mark that is not allowed, or a missing one that is required.",
    );
    let line_ends = rule(LINE_ENDS, "line end".to_owned(), "A line with the wrong line end.");
    let declaration =
        rule(DECLARATION, "declaration".to_owned(), "A declaration of another encoding than that of the file.");
    let others = ProblemKind::others().map(|kind| rule(kind.name(), kind.name().replace('_', " "), kind.about()));
    let damage =
        damage_kinds().map(|kind| rule(kind, kind.replace('_', " "), "Text that was damaged since an older version."));
    let names =
        NameProblemKind::of_names().map(|(kind, about)| rule(kind.name(), kind.name().replace('_', " "), about));
    errors.chain([bom, line_ends, declaration]).chain(others).chain(damage).chain(names).collect()
}

/// Returns the index of a kind's rule.
fn rule_index(kind: &str) -> usize {
    let errors = ErrorKind::ALL.iter().map(|kind| kind.name());
    let names = NameProblemKind::of_names().map(|(kind, _)| kind.name());
    let others = ProblemKind::others().map(ProblemKind::name).chain(damage_kinds()).chain(names);
    let mut names = errors.chain([BOM, LINE_ENDS, DECLARATION]).chain(others);
    names.position(|name| name == kind).unwrap_or(ErrorKind::ALL.len())
}

/// Returns the names of the kinds of damage. Other kinds already have a rule.
fn damage_kinds() -> impl Iterator<Item = &'static str> {
    DamageKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| *name != LINE_ENDS && ProblemKind::others().all(|kind| kind.name() != *name))
}

/// Describes a kind.
fn about(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Overlong => "A longer form than necessary. Decoders that accept it allow filters to be bypassed.",
        ErrorKind::Surrogate => "A code point D800..DFFF, or half of a surrogate pair.",
        ErrorKind::TooLarge => "A value above the encoding's maximum.",
        ErrorKind::Truncated => "A sequence that ends too early.",
        ErrorKind::UnexpectedContinuation => "A continuation byte without a lead byte.",
        ErrorKind::InvalidByte => "A byte that never occurs in the encoding.",
        _ => "Bytes that are not text in the encoding.",
    }
}

/// Returns a path as a URI reference (RFC 3986). It is exact for all bytes, and no part of it reads as a scheme.
fn uri(path: &Path) -> String {
    let mut uri = String::from(if path.is_absolute() { "file://" } else { "" });
    if cfg!(windows) && path.is_absolute() {
        uri.push('/');
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                // Infallible: it is a String.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

impl Report for Sarif {
    fn limit(&self) -> usize {
        self.limit
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        self.start(printer)?;
        let &Finding { path, line, column, offset, kind, .. } = finding;
        let [rule, bytes] = finding.phrase.rendered(|description| {
            let index = rule_index(kind);
            let rule =
                format!("{{\"ruleId\":\"{kind}\",\"ruleIndex\":{index},\"level\":\"error\",\"message\":{{\"text\":");
            let place = b"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"";
            let bytes = finding.bytes();
            let bytes =
                format!(",\"byteLength\":{}}}}}}}],\"properties\":{{\"bytes\":\"{}\"}}}}\n", bytes.len(), hex(bytes));
            [[rule.as_bytes(), &value(&description.message()), place].concat(), bytes.into_bytes()]
        });
        // An error is one column wide.
        let end_column = column + u64::from(!finding.bytes().is_empty());
        self.line
            .text(if std::mem::replace(&mut self.any, true) { b"," } else { b"\n" })
            .text(rule)
            .name(path, |path| uri(path).into_bytes())
            .text(b"\"},\"region\":{\"startLine\":")
            .number(line)
            .text(b",\"startColumn\":")
            .number(column)
            .text(b",\"endColumn\":")
            .number(end_column)
            .text(b",\"byteOffset\":")
            .number(offset)
            .text(bytes)
            .print(printer)
    }

    fn file(&mut self, _: &Checked<'_>, _: &mut Printer) -> Result<(), Error> {
        Ok(())
    }

    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error> {
        self.start(printer)?;
        printer.print(format_args!("],\n\"properties\":"))?;
        json::line(totals, printer)?;
        printer.bytes(b"}]}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_a_reference() {
        let cases = [("a b/c%.txt", "a%20b/c%25.txt"), ("c:x", "c%3Ax"), ("\u{E9}#?", "%C3%A9%23%3F")];
        for (path, want) in cases {
            assert_eq!(uri(Path::new(path)), want);
        }
        #[cfg(unix)]
        assert_eq!(uri(Path::new("/a\nb")), "file:///a%0Ab");
    }
}
