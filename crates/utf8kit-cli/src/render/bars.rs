//! The bar charts that `stats` prints in a terminal.
//!
//! ```text
//!              1,204   83.67 %  ████████████████████      Basic Latin
//! ```
//!
//! Where a name does not fit next to its bar, it is drawn above.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;
use utf8kit_detect::stats::{LanguageProfile, Profile};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::display::{Name, counted};

use crate::columns::wrapped;
use crate::error::Error;
use crate::printer::{FAINT, GOOD, Printer, STRONG};

/// Default and minimum width of the longest bar, in columns.
const BAR_COLUMNS: usize = 24;
const MIN_BAR_COLUMNS: usize = 8;

/// Width of the column of numbers before the bars: below a name, and next to it.
const NUMBER_COLUMNS: usize = 14;
const NUMBER_COLUMNS_AFTER_NAME: usize = 19;

/// Width of a share.
const SHARE_COLUMNS: usize = "100.00 %  ".len();

/// The gap between two columns.
const COLUMN_GAP: usize = 2;

/// Width of a fact: its name and its value.
const FACT_COLUMNS: usize = 32;

/// Maximum number of rows of a table; one more row sums up the rest.
const MAX_ROWS_OF_TABLE: usize = 12;

/// Maximum length of a line of names of encodings.
const MAX_COLUMNS_OF_NAMES: usize = 60;

/// A row of a table: its name and its count.
type Row<'n> = (Cow<'n, str>, u64);

/// The subject of the numbers.
pub(crate) struct Subject<'p> {
    /// The file, or `None` for all files together.
    pub(crate) path: Option<&'p Path>,
    /// The number of files.
    pub(crate) files: u64,
    /// The encoding of the input.
    pub(crate) encoding: Codec,
    /// The size in bytes.
    pub(crate) bytes: u64,
    /// Whether the file begins with a byte order mark.
    pub(crate) bom: Option<bool>,
}

/// Prints everything about a text.
pub(crate) fn print(
    subject: &Subject<'_>,
    profile: &Profile,
    prose: &LanguageProfile,
    printer: &mut Printer,
) -> Result<(), Error> {
    let title = match subject.path {
        Some(path) => Name(path).to_string(),
        None => format!("Total of {}", counted(subject.files, "file")),
    };
    let all = profile.code_points;
    let tables = [
        ("Sequences of", rows(NAMES_OF_LENGTHS, profile.lengths)),
        ("Planes", rows(NAMES_OF_PLANES, profile.planes)),
        ("Blocks", largest_first(profile.blocks.iter())),
        ("Scripts", largest_first(profile.scripts.iter())),
    ]
    .map(|(title, rows)| (title, with_rest(rows), all));
    // The beginning of a long text is enough to identify its languages.
    let languages = ("Languages", with_rest(largest_first(prose.languages.iter())), prose.code_points);
    let tables = tables.into_iter().chain([languages]).collect::<Vec<_>>();
    let names = tables.iter().flat_map(|(_, rows, _)| rows).map(|(name, _)| name.len());
    let mut chart = Chart::new(names.max().unwrap_or_default(), printer);
    chart.title(&title, subject.encoding.name());
    chart.number("bytes", subject.bytes);
    chart.number("code points", profile.code_points);
    let ends = [("LF", profile.line_feeds), ("CRLF", profile.crlf), ("CR", profile.carriage_returns)];
    let ends = ends.into_iter().filter(|&(_, count)| count > 0);
    let ends: Vec<_> = ends.map(|(name, count)| format!("{} {name}", grouped(count))).collect();
    chart.fact("lines", &grouped(profile.lines()), &ends.join(", "));
    chart.number("errors", profile.errors);
    if let Some(bom) = subject.bom {
        chart.fact("byte order mark", if bom { "yes" } else { "no" }, "");
    }
    if let Some(share) = prose.readability() {
        chart.fact("readability", &format!("{share:.2}"), "");
    }
    tables.iter().for_each(|(title, rows, all)| chart.table(title, rows, *all));
    chart.sizes(&profile.sizes);
    printer.bytes(chart.text.as_bytes())
}

/// Names of sequences by their length in bytes.
const NAMES_OF_LENGTHS: [&str; 7] = ["0 bytes", "1 byte", "2 bytes", "3 bytes", "4 bytes", "5 bytes", "6 bytes"];

/// Numbers and usual names of the planes.
const NAMES_OF_PLANES: [&str; utf8kit::summary::PLANES] = [
    "0 Basic Multilingual", "1 Supplementary Multilingual", "2 Supplementary Ideographic", "3 Tertiary Ideographic",
    "4 unassigned", "5 unassigned", "6 unassigned", "7 unassigned", "8 unassigned", "9 unassigned", "10 unassigned",
    "11 unassigned", "12 unassigned", "13 unassigned", "14 Supplementary Special-purpose",
    "15 Supplementary Private Use", "16 Supplementary Private Use",
];

/// Returns the rows of a table, without those that count zero.
fn rows<const N: usize>(names: [&'static str; N], counts: [u64; N]) -> Vec<Row<'static>> {
    let rows = names.into_iter().zip(counts).filter(|row| row.1 > 0);
    rows.map(|(name, count)| (Cow::Borrowed(name), count)).collect()
}

/// Returns the rows of a table, the largest first.
fn largest_first<'n>(counts: impl Iterator<Item = (&'n &'static str, &'n u64)>) -> Vec<Row<'n>> {
    let mut rows: Vec<Row<'_>> = counts.map(|(&name, &count)| (spaced(name), count)).collect();
    rows.sort_by_key(|row| Reverse(row.1));
    rows
}

/// Returns the rows that are shown, and a last one that sums up the rest.
fn with_rest(mut rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let rest = rows.split_off(rows.len().min(if rows.len() > MAX_ROWS_OF_TABLE + 1 {
        MAX_ROWS_OF_TABLE
    } else {
        MAX_ROWS_OF_TABLE + 1
    }));
    if !rest.is_empty() {
        let sum = rest.iter().map(|row| row.1).sum();
        rows.push((format!("{} more", rest.len()).into(), sum));
    }
    rows
}

/// Returns the name of a block or script with spaces.
fn spaced(name: &str) -> Cow<'_, str> {
    if name.contains('_') { Cow::Owned(name.replace('_', " ")) } else { Cow::Borrowed(name) }
}

/// The chart of a text. It is written piece by piece because `format!` takes most of the time for small files.
struct Chart {
    text: String,
    strong: Style,
    faint: Style,
    good: Style,
    columns: usize,
    /// Whether names are next to their bars.
    is_wide: bool,
    /// Widths of the column of numbers, and of the longest bar.
    number: usize,
    width: usize,
}

impl Chart {
    /// Begins a chart whose longest name has that many columns.
    fn new(longest: usize, printer: &Printer) -> Chart {
        let [strong, faint, good] = [STRONG, FAINT, GOOD].map(|style| printer.style(style));
        let columns = printer.columns();
        let left =
            columns.saturating_sub(NUMBER_COLUMNS_AFTER_NAME + COLUMN_GAP + SHARE_COLUMNS + COLUMN_GAP + longest);
        let is_wide = left >= MIN_BAR_COLUMNS;
        let (number, left) = match is_wide {
            true => (NUMBER_COLUMNS_AFTER_NAME, left),
            false => (
                NUMBER_COLUMNS,
                columns.saturating_sub(NUMBER_COLUMNS + COLUMN_GAP + SHARE_COLUMNS).max(MIN_BAR_COLUMNS),
            ),
        };
        let (text, width) = (String::with_capacity(2048), left.min(BAR_COLUMNS));
        Chart { text, strong, faint, good, columns, is_wide, number, width }
    }

    fn push(&mut self, pieces: &[&str]) {
        pieces.iter().for_each(|piece| self.text.push_str(piece));
    }

    fn paint(&mut self, style: Style, text: &str) {
        if style.is_plain() {
            return self.text.push_str(text);
        }
        // Infallible: it is a String.
        let _ = write!(self.text, "{style}{text}{style:#}");
    }

    /// Appends spaces, so that text of `len` columns before or after them fills `width`.
    fn pad(&mut self, len: usize, width: usize) {
        const SPACES: &str = "                                                ";
        self.text.push_str(&SPACES[..width.saturating_sub(len).min(SPACES.len())]);
    }

    fn title(&mut self, title: &str, encoding: &str) {
        self.paint(self.strong, title);
        self.push(&["  "]);
        self.paint(self.faint, encoding);
        self.push(&["\n"]);
    }

    fn number(&mut self, name: &str, value: u64) {
        self.fact(name, &grouped(value), "");
    }

    fn fact(&mut self, name: &str, value: &str, note: &str) {
        self.push(&["  ", name]);
        self.pad(name.len() + value.len(), FACT_COLUMNS);
        let fits = "  ".len() + FACT_COLUMNS + COLUMN_GAP + note.len() <= self.columns;
        let gap = match note {
            "" => "",
            _ if fits => "  ",
            _ => "\n    ",
        };
        self.push(&[value, gap]);
        self.paint(self.faint, note);
        self.push(&["\n"]);
    }

    fn section(&mut self, title: &str) {
        self.push(&["\n  "]);
        self.paint(self.faint, title);
        self.push(&["\n"]);
    }

    /// Appends the rows with their shares of `all`.
    fn table(&mut self, title: &str, rows: &[Row<'_>], all: u64) {
        if rows.is_empty() {
            return;
        }
        self.section(title);
        for (name, count) in rows {
            self.bar(&[name], *count, all, &share(*count, all));
        }
    }

    /// Appends the sizes in other encodings. Encodings with the same size share a bar.
    fn sizes(&mut self, sizes: &[(&str, Option<u64>)]) {
        let mut distinct = Vec::new();
        for size in sizes.iter().filter_map(|&(_, size)| size) {
            if !distinct.contains(&size) {
                distinct.push(size);
            }
        }
        let largest = distinct.iter().copied().max().unwrap_or(0);
        self.section("Size in bytes");
        for size in distinct {
            let names = sizes.iter().filter(|other| other.1 == Some(size)).map(|(name, _)| *name);
            self.bar(&names.collect::<Vec<_>>(), size, largest, "");
        }
        self.push(&["\n"]);
    }

    /// Appends a bar for `count` out of `most`, with the names that it is for.
    fn bar(&mut self, names: &[&str], count: u64, most: u64, share: &str) {
        const EIGHTHS: [&str; 8] =
            ["", "\u{258F}", "\u{258E}", "\u{258D}", "\u{258C}", "\u{258B}", "\u{258A}", "\u{2589}"];
        if !self.is_wide {
            self.push(&["    "]);
            self.names(names, "    ".len());
        }
        let eighths = u128::from(count) * 8 * self.width as u128 / u128::from(most.max(1));
        let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(count > 0));
        let number = grouped(count);
        self.pad(number.len(), self.number);
        self.push(&[&number, "  ", share]);
        self.paint(self.good, &("\u{2588}".repeat(eighths / 8) + EIGHTHS[eighths % 8]));
        if self.is_wide {
            self.pad(eighths.div_ceil(8), self.width + COLUMN_GAP);
            self.names(names, self.number + COLUMN_GAP + share.len() + self.width + COLUMN_GAP);
        } else {
            self.push(&["\n"]);
        }
    }

    /// Appends names that begin in this column, and ends the line.
    fn names(&mut self, names: &[&str], start: usize) {
        let most = self.columns.saturating_sub(start + ",".len()).min(MAX_COLUMNS_OF_NAMES);
        let mut len = 0;
        for name in names {
            if len > 0 && len + name.len() > most {
                self.push(&[",\n"]);
                self.pad(0, start);
                len = 0;
            } else if len > 0 {
                self.push(&[", "]);
            }
            self.push(&[&wrapped(name, start + len, start, self.columns)]);
            len += name.len() + 2;
        }
        self.push(&["\n"]);
    }
}

/// Formats a share in percent, in a column: ` 58.95 %  `.
fn share(count: u64, all: u64) -> String {
    let hundredths = (u128::from(count) * 10_000 + u128::from(all / 2)) / u128::from(all.max(1));
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    format!("{whole:>3}.{rest:02} %  ")
}

/// Formats a number with separated thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, share};

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn shares_are_rounded() {
        assert_eq!([share(1, 3), share(2, 3), share(7, 7)], [" 33.33 %  ", " 66.67 %  ", "100.00 %  "]);
        assert_eq!([share(0, 0), share(1, 100_000)], ["  0.00 %  ", "  0.00 %  "]);
    }
}
