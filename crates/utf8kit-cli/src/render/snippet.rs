//! Draws the place of a finding: bytes above, their reading below, and a mark under them.
//!
//! ```text
//!     | 47 72  FC  DF  65 20
//!   5 | G  r  ‹FC›‹DF› e
//!     |        ^^
//! ```

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;
use utf8kit::Encoding as _;
use utf8kit_encodings::display::{Hex, is_harmful};

use crate::columns::width;
use crate::printer::{BAD, FAINT, Printer};
use crate::render::runs::Runs;
use crate::results::Finding;

/// Minimum number of bytes shown on either side of a finding, if the text has them.
const MIN_BYTES_OF_CONTEXT: usize = 8;

/// Number of bytes decoded on either side: whole units, and enough to contain the longest sequence.
const BYTES_DECODED: usize = 24;

/// Maximum number of bytes of a finding that are shown: damage may be as long as a line.
const MAX_BYTES_MARKED: usize = 24;

/// A code point or an error.
struct Cell {
    hex: String,
    reading: String,
    ill_formed: bool,
    /// Whether this is the finding itself.
    marked: bool,
}

/// Returns the rows of the picture: bytes, reading, mark. They show as much around the finding as fits into `columns`.
pub(crate) fn rows(finding: &Finding<'_>, columns: usize, printer: &Printer) -> [String; 3] {
    let [bad, faint, plain] = [BAD, FAINT, Style::new()].map(|style| printer.style(style));
    let mut rows = [const { Runs::new() }; 3];
    for cell in fitting(cells(finding, columns), columns) {
        let width = cell.width();
        let Cell { hex, reading, ill_formed, marked } = cell;
        let pad = |text: &str| " ".repeat(width - self::width(text) + usize::from(!ill_formed));
        let mark = if marked { mark(&hex) } else { String::new() };
        let cells = [(faint, hex), (plain, reading), (bad, mark)];
        for (row, (style, text)) in rows.iter_mut().zip(cells) {
            let padding = pad(&text);
            row.push(if ill_formed { bad } else { style }, &text);
            row.push(plain, &padding);
        }
    }
    rows.map(Runs::into_text)
}

impl Cell {
    fn width(&self) -> usize {
        width(&self.hex).max(width(&self.reading)).max(usize::from(self.marked))
    }
}

/// Returns the cells that fit into `columns`, dropping those farthest from the finding first.
fn fitting(mut cells: Vec<Cell>, columns: usize) -> Vec<Cell> {
    let wide = |cells: &[Cell]| cells.iter().map(|cell| cell.width() + usize::from(!cell.ill_formed)).sum::<usize>();
    while wide(&cells) > columns {
        let marked = cells.iter().position(|cell| cell.marked).unwrap_or(0);
        match cells.len() - 1 - marked {
            0 if marked == 0 => break,
            right if right >= marked => cells.truncate(cells.len() - 1),
            _ => {
                cells.remove(0);
            }
        }
    }
    cells
}

/// Returns a finding, as far as it fits into `columns`, and everything around it, in order.
fn cells(finding: &Finding<'_>, columns: usize) -> Vec<Cell> {
    let (encoding, before, after) = (finding.encoding, finding.preceding(), finding.following());
    let before = &before[before.len().saturating_sub(BYTES_DECODED)..];
    let after = &after[..after.len().min(BYTES_DECODED)];
    // Start where enough bytes precede to determine the boundaries.
    let first = encoding.ceil_char_boundary(before, before.len().saturating_sub(MIN_BYTES_OF_CONTEXT) & !3);
    let read = |text: &'_ [u8], end: usize| -> Vec<Cell> {
        let within = encoding.items(text).take_while(|item| item.offset < end);
        within.map(|item| cell(&text[item.offset..item.offset + item.len], item.result.ok())).collect()
    };
    // A finding begins and ends at a boundary, so the text before and after it can be read on its own.
    let mut cells = read(&before[first.min(before.len())..], usize::MAX);
    cells.push(marked(finding.sequence(), columns));
    cells.extend(read(after, MIN_BYTES_OF_CONTEXT));
    cells
}

/// Returns the cell of a finding, as far as it fits into `columns`.
fn marked(bytes: &[u8], columns: usize) -> Cell {
    let most = (columns.saturating_sub(" ... ".len()) / "FF ".len()).clamp(1, MAX_BYTES_MARKED);
    let hex = match bytes.get(..most) {
        Some(first) if first.len() < bytes.len() => format!("{} ...", Hex(first)),
        _ => Hex(bytes).to_string(),
    };
    if hex.is_empty() {
        return Cell { hex, reading: String::new(), ill_formed: true, marked: true };
    }
    Cell { marked: true, ..error(&hex) }
}

/// Returns a cell for bytes that decode to `value`, or to nothing.
fn cell(bytes: &[u8], value: Option<u32>) -> Cell {
    let hex = Hex(bytes).to_string();
    match value {
        Some(value) => Cell { hex, reading: glyph(value), ill_formed: false, marked: false },
        None => error(&hex),
    }
}

/// Returns a cell for bytes that do not decode.
fn error(hex: &str) -> Cell {
    let reading = format!("\u{2039}{hex}\u{203A}");
    Cell { hex: format!(" {hex} "), reading, ill_formed: true, marked: false }
}

/// Returns a visible, harmless glyph for a code point.
fn glyph(value: u32) -> String {
    match char::from_u32(value) {
        Some(' ') => String::from(" "),
        Some(c) if c.is_ascii_control() => {
            // The symbol for DEL is not next to the symbols of the other controls.
            let picture = if value == 0x7F { 0x2421 } else { 0x2400 + value };
            char::from_u32(picture).unwrap_or('\u{B7}').to_string()
        }
        Some(c) if is_harmful(c) => "\u{B7}".to_owned(),
        Some(c) => match c.width() {
            Some(0) => format!("\u{25CC}{c}"),
            Some(_) => c.to_string(),
            None => "\u{B7}".to_owned(),
        },
        None => "\u{B7}".to_owned(),
    }
}

/// Returns carets to go under the digits.
fn mark(hex: &str) -> String {
    if hex.is_empty() {
        return "^".to_owned();
    }
    let inner = hex.trim();
    format!("{}{}", " ".repeat(hex.len() - hex.trim_start().len()), "^".repeat(inner.len()))
}
