//! The report for people: for each file the verdict, notes, a few errors with their bytes, and the command that helps.

use std::fmt::Write as _;
use std::path::Path;

use utf8kit_detect::{Action, Guess, Suggestion};
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::convert::BomHandling;
use utf8kit_encodings::display::{Name, counted};
use utf8kit_records::targets::ViolationKind;

use crate::action::check::Commands;
use crate::columns::{width, wrapped};
use crate::error::Error;
use crate::palette;
use crate::printer::{BAD, FAINT, GOOD, Printer, STRONG};
use crate::render::bars::grouped;
use crate::render::{bidi, heatmap, snippet};
use crate::report::{Report, help};
use crate::results::{Checked, DECLARATION, Finding, INNER_MARK, Labels, Totals, places_and_errors};

/// Number of findings that are used to count the lines they are in.
const MAX_FINDINGS_COUNTED: usize = 1000;

/// Number of pictures by default.
pub(crate) const DEFAULT_PICTURES: usize = 3;

/// The most bytes of pictures that are held back until the verdict. Further pictures are printed at once.
const MAX_BYTES_OF_PICTURES: usize = 1 << 20;

/// The fewest errors for which a heatmap shows where in the file they lie.
const MIN_ERRORS_FOR_HEATMAP: u64 = 16;

/// Width of that heatmap, in columns.
const HEATMAP_COLUMNS: usize = 64;

/// The report for people: for each file the verdict, notes, a few pictures, and help.
pub(crate) struct Human {
    /// The number of pictures of a file.
    limit: usize,
    /// The commands that correct findings.
    commands: Commands,
    labels: Labels,
    /// Whether something other than errors of an encoding was found.
    others: bool,
    /// The number of files with a verdict.
    verdicts: u64,
    file: File,
}

/// The state of the current file.
#[derive(Default)]
struct File {
    /// The pictures, and how many of them there are.
    pictures: String,
    drawn: usize,
    /// The number of findings, and of lines with them.
    seen: u64,
    lines: u64,
    last_line: u64,
    /// The number of lines that are invalid, and of those without any letter of UTF-8.
    invalid_lines: u64,
    legacy_lines: u64,
    last_invalid_line: u64,
    /// The encoding of some lines, if the others are UTF-8.
    mixed: Option<Charset>,
    /// The offset of the first letter that looks like another.
    look_alike: Option<u64>,
    /// The number of damaged places that are doubtful.
    doubtful: u64,
    /// The encoding in which the invalid parts are text, if it is known.
    reading: Option<Charset>,
    /// Whether the whole file is in another encoding.
    wide: bool,
}

impl Human {
    /// Limits the report to `limit` pictures of a file.
    pub(crate) fn new(limit: usize, commands: Commands) -> Human {
        let (labels, file) = (Labels::default(), File::default());
        Human { limit, commands, labels, others: false, verdicts: 0, file }
    }
}

/// The kinds of words that look like others.
const LOOK_ALIKES: [&str; 2] = [ViolationKind::LookAlike.name(), ViolationKind::MixedScripts.name()];

/// Reports whether a line is text in an encoding and has no letters of UTF-8.
fn is_legacy(line: &[u8], charset: Charset) -> bool {
    let read = String::from_utf8_lossy(line);
    charset.writer().text_of(line).is_some() && read.chars().all(|c| c.is_ascii() || c == char::REPLACEMENT_CHARACTER)
}

/// Reports whether a line alone is certainly text in an encoding.
fn is_certainly(line: &[u8], charset: Charset) -> bool {
    let guess = utf8kit_detect::detect(line);
    let named = guess.encoding.and_then(|name| name.parse::<Charset>().ok());
    is_legacy(line, charset) && named == Some(charset) && guess.is_singled_out()
}

/// Returns the note on a doubtful guess that has no candidates, with advice.
fn doubt(doubt: String) -> String {
    if doubt == Suggestion::NOT_SURE { format!("{doubt}: look at the result before you keep it") } else { doubt }
}

/// Returns the kinds of findings in words.
fn kinds(checked: &Checked<'_>) -> String {
    let kinds = checked.kinds().to_string();
    let mark = match checked.bom.map(|beginning| beginning.bom) {
        Some(Some(BomHandling::Add)) => "1 missing byte order mark",
        Some(None) => "1 wrong beginning",
        _ => return kinds,
    };
    kinds.replace("1 byte order mark", mark)
}

/// The label next to the picture of a place in the older version.
const WAS: &str = "was";

/// Draws a place next to a label, which takes `width` columns.
fn picture(finding: &Finding<'_>, label: &str, width: usize, out: &mut String, printer: &Printer) {
    let faint = printer.style(FAINT);
    let columns = printer.columns().saturating_sub("   | ".len() + width);
    let [bytes, reading, mark] = snippet::rows(finding, columns, printer);
    for (label, row) in [("", bytes), (label, reading), ("", mark)] {
        // Infallible: it is a String.
        let _ = writeln!(out, "  {faint}{label:>width$} |{faint:#} {row}");
    }
}

impl Report for Human {
    fn limit(&self) -> usize {
        if self.file.wide { self.limit } else { self.limit.max(MAX_FINDINGS_COUNTED) }
    }

    fn guess(&mut self, _: &Path, guess: &Guess, _: &mut Printer) -> Result<(), Error> {
        self.file.wide = guess.is_wide();
        self.file.mixed = guess.mixed.and_then(|name| name.parse().ok());
        self.file.reading = guess.suggestion().filter(|suggestion| !suggestion.is_open()).and_then(|suggestion| {
            match suggestion.action {
                Action::Convert { from, .. } => Some(from),
                Action::Fallback(from) | Action::FallbackLines(from) => from.to_string().parse().ok(),
                _ => None,
            }
        });
        Ok(())
    }

    fn uses_guesses(&self) -> bool {
        true
    }

    fn by_sequence(&self) -> bool {
        true
    }

    fn finding(&mut self, finding: &Finding<'_>, printer: &mut Printer) -> Result<(), Error> {
        self.file.seen += 1;
        if finding.line != self.file.last_line {
            self.file.lines += 1;
            self.file.last_line = finding.line;
        }
        if finding.is_error() && finding.line != self.file.last_invalid_line {
            self.file.invalid_lines += 1;
            self.file.last_invalid_line = finding.line;
            self.file.legacy_lines +=
                u64::from(self.file.mixed.is_some_and(|charset| is_legacy(finding.line_bytes(), charset)));
        }
        self.file.doubtful += u64::from(finding.before.is_some_and(|before| before.doubtful));
        if LOOK_ALIKES.contains(&finding.kind) {
            // The first letter of the other alphabet, not of the word.
            let other = finding.bytes().iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
            self.file.look_alike.get_or_insert(finding.offset + other as u64);
        }
        if self.file.drawn < self.limit {
            self.file.drawn += 1;
            self.draw(finding, printer);
        }
        if printer.is_live() || self.file.pictures.len() > MAX_BYTES_OF_PICTURES {
            return printer.bytes(std::mem::take(&mut self.file.pictures).as_bytes());
        }
        Ok(())
    }

    fn file(&mut self, checked: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        let file = std::mem::take(&mut self.file);
        self.labels.add(checked.label);
        self.others |= checked.errors() > checked.summary.errors;
        let found = checked.has_findings();
        if !found && checked.guess.is_none() {
            return Ok(());
        }
        let (strong, bad, faint) = (printer.style(STRONG), printer.style(BAD), printer.style(FAINT));
        let name = Name(checked.path);
        let verdict = verdict(checked, &file);
        // Text in which nothing is invalid may be as it should be.
        let bad = if found { bad } else { printer.style(STRONG) };
        if self.verdicts > 0 {
            printer.print(format_args!("\n"))?;
        }
        self.verdicts += 1;
        printer.print(format_args!("{strong}{name}{strong:#}: {bad}{verdict}{bad:#}\n"))?;
        let columns = printer.columns();
        for note in self.notes(checked, &file) {
            let indent = "  note: ".len();
            let note = wrapped(&note, indent, indent, columns);
            printer.print(format_args!("  {faint}note:{faint:#} {note}\n"))?;
        }
        if checked.summary.errors >= MIN_ERRORS_FOR_HEATMAP {
            self.heatmap(checked, printer)?;
        }
        printer.bytes(file.pictures.as_bytes())?;
        let help = help::of(checked, &self.commands, file.look_alike);
        for note in help.notes {
            printer.print(format_args!("  {faint}note:{faint:#} {note}\n"))?;
        }
        if let Some(command) = help.command {
            let strong = printer.style(STRONG);
            printer.print(format_args!("  {faint}help:{faint:#} {strong}{command}{strong:#}\n"))?;
        }
        Ok(())
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
        if self.verdicts == 1 && totals.files == 1 && totals.skipped.is_empty() && totals.unread == 0 {
            // The verdict already says so.
            return Ok(());
        }
        if self.verdicts > 0 {
            printer.print(format_args!("\n"))?;
        }
        if totals.damaged() > 0 {
            let places = counted(totals.damaged(), "damaged place");
            let doubtful = match totals.doubtful {
                0 => String::new(),
                doubtful => format!(", {doubtful} doubtful"),
            };
            printer.print(format_args!("{bad}{places}{bad:#}{doubtful}\n"))?;
        }
        match totals.invalid_files {
            _ if totals.files == 0 && totals.unread > 0 => {
                let paths = counted(totals.unread, "path");
                printer.print(format_args!("nothing checked: {paths} not read{skipped}\n"))
            }
            _ if totals.files == 0 => printer.print(format_args!("no files{skipped}\n")),
            0 if totals.names => printer.print(format_args!("{good}{files} checked, nothing found{good:#}{skipped}\n")),
            invalid if totals.names => {
                printer.print(format_args!("{files} checked, {bad}{invalid} with findings{bad:#}{skipped}\n"))
            }
            0 => printer
                .print(format_args!("{good}{files} checked, nothing found{good:#} ({bytes} of {encoding}){skipped}\n")),
            number => {
                let what = if self.others || totals.damaged() > 0 { "with findings" } else { "invalid" };
                let findings = counted(totals.errors, "finding");
                let found = match totals.errors {
                    0 => String::new(),
                    _ if self.others => format!(": {findings} in {bytes} of {encoding}"),
                    _ => format!(": {errors} in {bytes} of {encoding}"),
                };
                printer.print(format_args!("{files} checked, {bad}{number} {what}{bad:#}{found}{skipped}\n"))
            }
        }
    }
}

/// Reports whether a problem concerns the text as a whole, and not about places in it.
fn is_whole(checked: &Checked<'_>) -> bool {
    checked.doubts.iter().all(|(kind, _)| [DECLARATION, INNER_MARK, ViolationKind::Nul.name()].contains(&kind))
}

/// Returns the verdict on a file.
fn verdict(checked: &Checked<'_>, file: &File) -> String {
    let Checked { damage, guess, .. } = checked;
    let others = checked.errors() > checked.summary.errors;
    let mut verdict = match (checked.errors(), guess) {
        (0, Some(_)) if damage.is_empty() => return format!("valid {}", checked.label),
        (0, _) => String::new(),
        (errors, Some(guess)) if errors == checked.doubts.total() && is_whole(checked) => {
            return guess.verdict();
        }
        (_, Some(guess)) if file.wide => return guess.verdict(),
        (errors, _) => {
            let found = match errors == checked.doubts.total() {
                true => kinds(checked),
                false => counted(errors, if others { "finding" } else { "error" }),
            };
            let is_counted = file.seen == checked.places() && file.last_line > 0;
            match (is_counted, checked.places()) {
                (_, places) if places != errors => format!("{found} in {}", counted(places, "place")),
                (true, _) if file.lines == 1 => format!("{found} in line {}", file.last_line),
                (true, _) => format!("{found} in {}", counted(file.lines, "line")),
                (false, _) => found,
            }
        }
    };
    if !damage.is_empty() {
        let separator = if verdict.is_empty() { "" } else { ", " };
        verdict += &format!("{separator}{} ({damage})", counted(damage.total(), "damaged place"));
    }
    verdict
}

impl Human {
    /// Returns the note about a file: the guess at what it is, or else the kinds of its findings.
    fn notes(&self, checked: &Checked<'_>, file: &File) -> Vec<String> {
        let mut notes = Vec::new();
        match checked.guess {
            Some(guess) => {
                let bad = (file.seen == checked.places()).then_some(file.invalid_lines);
                let lines = checked.summary.lines + u64::from(checked.summary.column > 0);
                notes.extend(match (bad, guess.mixed) {
                    (Some(bad), Some(other)) if file.legacy_lines < bad && guess.misdecoded_as.is_none() => {
                        let legacy = file.legacy_lines;
                        let are = if bad == 1 { "is" } else { "are" };
                        let read = if legacy == 1 { "reads" } else { "read" };
                        Some(format!("UTF-8, but {bad} of {lines} lines {are} not; {legacy} of them {read} as {other}"))
                    }
                    _ if checked.errors() == 0 => Some(guess.verdict()),
                    _ => guess.note(bad, lines),
                });
                notes.extend(guess.suggestion().and_then(|suggestion| suggestion.doubt()).map(doubt));
                if checked.errors() > checked.summary.errors + checked.doubts.total() {
                    notes.push(kinds(checked));
                }
            }
            None if checked.errors() > checked.doubts.total() => notes.push(kinds(checked)),
            None => {}
        }
        match file.doubtful {
            0 => {}
            1 => notes.push("1 is doubtful, and `utf8 restore` leaves it as it is".to_owned()),
            many => notes.push(format!("{many} are doubtful, and `utf8 restore` leaves them as they are")),
        }
        if (file.drawn as u64) < checked.places() && !file.wide {
            let shown = if file.drawn == 1 { "1 is" } else { &*format!("{} are", file.drawn) };
            notes.push(format!("the first {shown} shown: -v shows all"));
        }
        notes
    }

    /// Draws a finding.
    fn draw(&mut self, finding: &Finding<'_>, printer: &Printer) {
        let (strong, bad, faint) = (printer.style(STRONG), printer.style(BAD), printer.style(FAINT));
        let &Finding { path, line, column, offset, .. } = finding;
        let known = self.file.reading.or_else(|| {
            self.file.mixed.filter(|charset| finding.is_error() && is_certainly(finding.line_bytes(), *charset))
        });
        let read = known.filter(|_| finding.is_error()).and_then(|charset| finding.read_in(charset));
        let is_read = read.is_some();
        let (name, what) = (Name(path), read.unwrap_or_else(|| finding.title()));
        let place = width(&format!("{name}:{line}:{column}: "));
        let what = wrapped(&format!("{what} (byte {offset})"), place, 4, printer.columns());
        let (what, byte) = what.rsplit_once("(byte").unwrap_or((&what, ""));
        let (what, space) = what.split_at(what.trim_end().len());
        let mut out =
            format!("{strong}{name}:{line}:{column}{strong:#}: {bad}{what}{bad:#}{space}{faint}(byte{byte}{faint:#}\n");
        let description = &finding.phrase.description;
        let (number, older) = (line.to_string(), finding.older());
        let width = number.len().max(older.as_ref().map_or(0, |_| WAS.len()));
        if let Some(older) = &older {
            picture(older, WAS, width, &mut out, printer);
        }
        picture(finding, &number, width, &mut out, printer);
        order(finding, width, &mut out, printer);
        let blank = " ".repeat(width);
        let notes = [&description.expected, &description.lax].into_iter().flatten();
        for note in notes.filter(|_| !is_read) {
            let indent = width + "   = ".len();
            let note = wrapped(note, indent, indent, printer.columns());
            let _ = writeln!(out, "  {faint}{blank} ={faint:#} {note}");
        }
        self.file.pictures += &out;
    }

    /// Prints where in the file the errors lie. Cells are higher and lighter for more errors, on a logarithmic scale.
    fn heatmap(&self, file: &Checked<'_>, printer: &mut Printer) -> Result<(), Error> {
        const HEIGHTS: [char; 8] =
            ['\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
        let size = file.summary.bytes;
        // The line also has the two ends of the file, next to the cells.
        let width = printer.columns().saturating_sub("  byte 0  ".len() + grouped(size).len());
        let cells = heatmap::cells(&file.summary.histogram, size, HEATMAP_COLUMNS.min(width.max(1)));
        let most = cells.iter().copied().max().unwrap_or(0);
        let faint = printer.style(FAINT);
        printer.print(format_args!("  {faint}byte 0{faint:#} "))?;
        for count in cells {
            let step = palette::step(count, most);
            let height = HEIGHTS.get(step * HEIGHTS.len() / palette::HEAT_STEPS).copied().unwrap_or(' ');
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

/// Draws a line as displayed and as stored, where controls change the order.
fn order(finding: &Finding<'_>, width: usize, out: &mut String, printer: &Printer) {
    const LABELS: [&str; 2] = ["read", "stored"];
    let width = width.max(LABELS[1].len());
    let columns = printer.columns().saturating_sub("   | ".len() + width);
    let faint = printer.style(FAINT);
    for (label, row) in LABELS.into_iter().zip(bidi::rows(finding, columns).into_iter().flatten()) {
        // Infallible: it is a String.
        let _ = writeln!(out, "  {faint}{label:>width$} |{faint:#} {row}");
    }
}
