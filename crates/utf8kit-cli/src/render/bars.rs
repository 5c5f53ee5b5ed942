//! The bar charts that `stats` prints in a terminal.

use utf8kit_text::display::{Name, counted};
use utf8kit_text::stats::Profile;

use crate::commands::stats::Subject;
use crate::error::Error;
use crate::printer::{FAINT, GOOD, Printer, STRONG};

/// Width of the longest bar, in columns.
const WIDTH: u64 = 24;

/// Maximum number of rows of a table; one more row sums up the rest.
const ROWS: usize = 12;

/// Maximum width of a row's names, in bytes.
const NAMES: usize = 60;

/// A row of a table: its name and its count.
type Row = (String, u64);

/// Prints everything about a text.
pub(crate) fn print(subject: &Subject<'_>, profile: &Profile, printer: &mut Printer) -> Result<(), Error> {
    let title = match subject.path {
        Some(path) => Name(path).to_string(),
        None => format!("Total of {}", counted(subject.files, "file")),
    };
    let (strong, faint) = (printer.style(STRONG), printer.style(FAINT));
    printer.print(format_args!("{strong}{title}{strong:#}  {faint}{}{faint:#}\n", subject.encoding))?;
    number("bytes", subject.bytes, "", printer)?;
    number("code points", profile.code_points, "", printer)?;
    let ends = [("LF", profile.line_feeds), ("CRLF", profile.pairs), ("CR", profile.carriage_returns)];
    let ends = ends.into_iter().filter(|&(_, count)| count > 0);
    let ends: Vec<_> = ends.map(|(name, count)| format!("{} {name}", grouped(count))).collect();
    number("lines", profile.lines(), &ends.join(", "), printer)?;
    number("errors", profile.errors, "", printer)?;
    if let Some(bom) = subject.bom {
        let answer = if bom { "yes" } else { "no" };
        fact("byte order mark", answer, "", printer)?;
    }
    let all = profile.code_points;
    let lengths = profile.lengths.iter().zip(0..).map(|(&count, len)| (counted(len, "byte"), count));
    table("Sequences of", false, lengths.collect(), all, printer)?;
    let planes = profile.planes.iter().enumerate().map(|(plane, &count)| (plane_name(plane), count));
    table("Planes", false, planes.collect(), all, printer)?;
    let named = |(&name, &count): (&&str, &u64)| (name.replace('_', " "), count);
    table("Blocks", true, profile.blocks.iter().map(named).collect(), all, printer)?;
    table("Scripts", true, profile.scripts.iter().map(named).collect(), all, printer)?;
    let sizes = profile.sizes.iter().filter_map(|&(name, size)| Some((name.to_owned(), size?)));
    // Encodings with the same size share a row, until it is full.
    let mut rows: Vec<Row> = Vec::new();
    for (name, size) in sizes {
        match rows.iter().rposition(|row| row.1 == size) {
            Some(last) if rows[last].0.len() + name.len() < NAMES => rows[last].0 += &format!(", {name}"),
            Some(last) => rows.insert(last + 1, (name, size)),
            None => rows.push((name, size)),
        }
    }
    let most = rows.iter().map(|row| row.1).max().unwrap_or(0);
    section("Size in bytes", printer)?;
    for (name, size) in &rows {
        bar(name, *size, most, None, printer)?;
    }
    printer.print(format_args!("\n"))
}

/// Returns the usual name of a plane.
fn plane_name(plane: usize) -> String {
    let name = match plane {
        0 => "Basic Multilingual",
        1 => "Supplementary Multilingual",
        2 => "Supplementary Ideographic",
        3 => "Tertiary Ideographic",
        14 => "Supplementary Special-purpose",
        15 | 16 => "Supplementary Private Use",
        _ => "unassigned",
    };
    format!("{plane} {name}")
}

fn number(name: &str, value: u64, note: &str, printer: &mut Printer) -> Result<(), Error> {
    fact(name, &grouped(value), note, printer)
}

fn fact(name: &str, value: &str, note: &str, printer: &mut Printer) -> Result<(), Error> {
    let faint = printer.style(FAINT);
    let gap = if note.is_empty() { "" } else { "  " };
    printer.print(format_args!("  {name:<17}{value:>15}{gap}{faint}{note}{faint:#}\n"))
}

fn section(title: &str, printer: &mut Printer) -> Result<(), Error> {
    let faint = printer.style(FAINT);
    printer.print(format_args!("\n  {faint}{title}{faint:#}\n"))
}

/// Prints the rows with their shares, without the rows that count zero. If `by_size`, the largest comes first.
fn table(
    title: &str,
    by_size: bool,
    mut rows: Vec<Row>,
    all: u64,
    printer: &mut Printer,
) -> Result<(), Error> {
    rows.retain(|row| row.1 > 0);
    if rows.is_empty() {
        return Ok(());
    }
    if by_size {
        rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    }
    section(title, printer)?;
    let rest = rows.split_off(rows.len().min(if rows.len() > ROWS + 1 { ROWS } else { ROWS + 1 }));
    for (name, count) in &rows {
        bar(name, *count, all, Some(all), printer)?;
    }
    if !rest.is_empty() {
        let sum = rest.iter().map(|row| row.1).sum();
        bar(&format!("{} more", rest.len()), sum, all, Some(all), printer)?;
    }
    Ok(())
}

/// Prints a bar for `count` out of `most`, and its share of `all`.
fn bar(name: &str, count: u64, most: u64, all: Option<u64>, printer: &mut Printer) -> Result<(), Error> {
    const EIGHTHS: [&str; 8] =
        ["", "\u{258F}", "\u{258E}", "\u{258D}", "\u{258C}", "\u{258B}", "\u{258A}", "\u{2589}"];
    let eighths = u128::from(count) * u128::from(8 * WIDTH) / u128::from(most.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(count > 0));
    let tip = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    let drawn = "\u{2588}".repeat(eighths / 8) + tip;
    let padding = WIDTH as usize - drawn.chars().count().min(WIDTH as usize);
    let share =
        all.map_or(String::new(), |all| format!("{:>6.2} %  ", 100.0 * count as f64 / all.max(1) as f64));
    let good = printer.style(GOOD);
    printer.print(format_args!(
        "  {:>17}  {share}{good}{drawn}{good:#}{:padding$}  {name}\n",
        grouped(count),
        ""
    ))
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
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
