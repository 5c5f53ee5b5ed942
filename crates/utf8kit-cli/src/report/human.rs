//! The report for people: each error with its bytes, what was expected, and what a lax decoder would have read.

use std::path::Path;

use utf8kit_text::detect::Hint;
use utf8kit_text::display::{Name, counted};

use crate::error::Error;
use crate::palette;
use crate::printer::{BAD, FAINT, GOOD, Printer, STRONG};
use crate::remedy;
use crate::render::bars::grouped;
use crate::render::{bidi, heatmap, snippet};
use crate::report::Report;
use crate::results::{Checked, Finding, Labels, Totals, places_and_errors};

/// Number of findings shown for a file that is in a different encoding altogether.
const FINDINGS_WITH_HINT: usize = 3;

/// Number of errors from which on a heatmap shows where in the file they lie.
const ERRORS_FOR_HEATMAP: u64 = 16;

/// Width of that heatmap, in columns.
const CELLS: usize = 64;

/// The report for people.
pub(crate) struct Human {
    limit: usize,
    labels: Labels,
    /// Number of findings of the current file that were printed, and whether its hint was printed.
    printed: u64,
    hinted: bool,
}

impl Human {
    /// Limits the report to `limit` findings per file.
    pub(crate) fn new(limit: usize) -> Human {
        Human { limit, labels: Labels::default(), printed: 0, hinted: false }
    }
}

/// Beside the picture of a place in the older version.
const WAS: &str = "was";

/// Draws a place beside a label, which takes `width` columns.
fn picture(finding: &Finding<'_>, label: &str, width: usize, printer: &mut Printer) -> Result<(), Error> {
    let faint = printer.style(FAINT);
    let columns = printer.columns().saturating_sub("   | ".len() + width);
    let [bytes, reading, mark] = snippet::rows(finding, columns, printer);
    for (label, row) in [("", bytes), (label, reading), ("", mark)] {
        printer.print(format_args!("  {faint}{label:>width$} |{faint:#} {row}\n"))?;
    }
    Ok(())
}

impl Report for Human {
    fn limit(&self) -> usize {
        if self.hinted { self.limit.min(FINDINGS_WITH_HINT) } else { self.limit }
    }

    fn hint(&mut self, path: &Path, hint: &Hint, printer: &mut Printer) -> Result<(), Error> {
        self.hinted = true;
        printer.print(format_args!("{}: {}\n", Name(path), remedy::hint(hint, path)))
    }

    fn wants_hints(&self) -> bool {
        true
    }

    fn by_sequence(&self) -> bool {
        true
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        self.printed += 1;
        let (strong, bad, faint) = (printer.style(STRONG), printer.style(BAD), printer.style(FAINT));
        let &Finding { path, line, column, offset, .. } = finding;
        let (name, what) = (Name(path), finding.title());
        printer.print(format_args!(
            "{strong}{name}:{line}:{column}{strong:#}: {bad}{what}{bad:#} {faint}(byte {offset}){faint:#}\n"
        ))?;
        let description = &finding.phrase.description;
        let (number, older) = (line.to_string(), finding.older());
        let width = number.len().max(older.as_ref().map_or(0, |_| WAS.len()));
        if let Some(older) = &older {
            picture(older, WAS, width, printer)?;
        }
        picture(finding, &number, width, printer)?;
        self.order(finding, width, printer)?;
        let blank = " ".repeat(width);
        for note in [&description.expected, &description.lax].into_iter().flatten() {
            printer.print(format_args!("  {faint}{blank} ={faint:#} {note}\n"))?;
        }
        Ok(())
    }

    fn file(&mut self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let printed = std::mem::take(&mut self.printed);
        self.labels.add(file.label);
        if file.errors() > 0 {
            self.totals(file, printed, printer)?;
        }
        if !file.damage.is_empty() {
            let (name, places) = (Name(file.path), counted(file.damage.total(), "damaged place"));
            printer.print(format_args!("{name}: {places} ({})\n\n", file.damage))?;
        }
        let hinted = std::mem::take(&mut self.hinted);
        match file.hint.filter(|_| !hinted) {
            Some(hint) => {
                printer.print(format_args!("{}: {}\n\n", Name(file.path), remedy::hint(hint, file.path)))
            }
            None if file.errors() > 0 => printer.print(format_args!("\n")),
            None => Ok(()),
        }
    }

    fn end(&mut self, totals: &Totals, printer: &mut Printer) -> Result<(), Error> {
        let (bad, good) = (printer.style(BAD), printer.style(GOOD));
        let files = counted(totals.files, if totals.names { "name" } else { "file" });
        let errors = places_and_errors(totals.places, totals.errors);
        let (bytes, encoding) = (counted(totals.bytes, "byte"), &self.labels);
        let skipped = match totals.skipped.is_empty() {
            true => String::new(),
            false => format!(", skipped {}", totals.skipped),
        };
        if totals.damaged() > 0 {
            let places = counted(totals.damaged(), "damaged place");
            let restores = match totals.damaged() - totals.doubtful {
                0 => ", all doubtful: `utf8 restore` leaves them as they are".to_owned(),
                1 if totals.doubtful == 0 => "; `utf8 restore` restores it".to_owned(),
                _ if totals.doubtful == 0 => "; `utf8 restore` restores them".to_owned(),
                certain => {
                    format!(", {} doubtful; `utf8 restore` restores {certain}", totals.doubtful)
                }
            };
            printer.print(format_args!("{bad}{places}{bad:#}{restores}\n"))?;
        }
        match totals.invalid_files {
            _ if totals.files == 0 && totals.unread > 0 => {
                let paths = counted(totals.unread, "path");
                printer.print(format_args!("nothing checked: {paths} not read{skipped}\n"))
            }
            _ if totals.files == 0 => printer.print(format_args!("no files{skipped}\n")),
            0 if totals.names => {
                printer.print(format_args!("{good}{files} checked, nothing found{good:#}{skipped}\n"))
            }
            invalid if totals.names => printer.print(format_args!(
                "{files} checked, {bad}{invalid} with findings{bad:#}: `utf8 repair --names --dry-run` shows what they \
                 should be{skipped}\n"
            )),
            0 => printer.print(format_args!(
                "{good}{files} checked, none ill-formed{good:#} ({bytes} of {encoding}){skipped}\n"
            )),
            invalid => printer.print(format_args!(
                "{files} checked, {bad}{invalid} ill-formed{bad:#}: {errors} in {bytes} of {encoding}{skipped}\n"
            )),
        }
    }
}

impl Human {
    /// Prints a line as it is read and as it is stored, where controls change the order.
    fn order(&self, finding: &Finding<'_>, width: usize, printer: &mut Printer) -> Result<(), Error> {
        const LABELS: [&str; 2] = ["read", "stored"];
        let width = width.max(LABELS[1].len());
        let columns = printer.columns().saturating_sub("   | ".len() + width);
        let faint = printer.style(FAINT);
        for (label, row) in LABELS.into_iter().zip(bidi::rows(finding, columns).into_iter().flatten()) {
            printer.print(format_args!("  {faint}{label:>width$} |{faint:#} {row}\n"))?;
        }
        Ok(())
    }

    /// Prints how many errors of each kind a file has.
    fn totals(&self, file: &Checked<'_>, printed: u64, printer: &mut Printer) -> Result<(), Error> {
        let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
        let (name, errors) = (Name(file.path), places_and_errors(file.places(), file.errors()));
        printer.print(format_args!("{strong}{name}{strong:#}: {errors} ({})", file.kinds()))?;
        if printed < file.places() {
            printer.print(format_args!(
                "{faint}, the first {printed} shown (--max-errors 0 for all){faint:#}"
            ))?;
        }
        printer.print(format_args!("\n"))?;
        if file.summary.errors >= ERRORS_FOR_HEATMAP { self.heatmap(file, printer) } else { Ok(()) }
    }

    /// Prints where in the file the errors lie. Cells are higher and lighter for more errors, on a logarithmic scale.
    fn heatmap(&self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        const HEIGHTS: [char; 8] =
            ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
        let size = file.summary.bytes;
        // Beside the cells, the line has the two ends of the file.
        let width = printer.columns().saturating_sub("  byte 0  ".len() + grouped(size).len());
        let cells = heatmap::cells(&file.summary.histogram, size, CELLS.min(width.max(1)));
        let most = cells.iter().copied().max().unwrap_or(0);
        let faint = printer.style(FAINT);
        printer.print(format_args!("  {faint}byte 0{faint:#} "))?;
        for count in cells {
            let step = palette::step(count, most);
            let height = HEIGHTS.get(step * HEIGHTS.len() / palette::STEPS).copied().unwrap_or(' ');
            if step == 0 {
                printer.print(format_args!("{faint}.{faint:#}"))?;
            } else {
                let style = printer.style(palette::heat(step).on_default());
                printer.print(format_args!("{style}{height}{style:#}"))?;
            }
        }
        printer.print(format_args!(" {faint}{}{faint:#}\n", grouped(size)))
    }
}
