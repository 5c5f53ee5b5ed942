//! Hunks in the format of `diff -u`, with colour.

use std::fmt::Write as _;

use anstyle::Style;
use utf8kit_detect::repair::{DiffLine, Hunk, Marked};

use crate::printer::{ADDED, FAINT, Printer, REMOVED};

/// Returns the two lines above the first hunk of a file. `made` describes the new version.
pub(crate) fn header(name: &dyn std::fmt::Display, made: &str, printer: &Printer) -> String {
    let (removed, added) = (printer.style(REMOVED), printer.style(ADDED));
    format!("{removed}--- {name}{removed:#}\n{added}+++ {name} ({made}){added:#}\n")
}

/// Returns a hunk as text.
pub(crate) fn hunk(hunk: &Hunk, printer: &Printer) -> String {
    let (removed, added, place) = (printer.style(REMOVED), printer.style(ADDED), printer.style(FAINT));
    let (before, after) = (printer.style(REMOVED.invert()), printer.style(ADDED.invert()));
    let Hunk { old_start, old_lines, new_start, new_lines, .. } = hunk;
    let mut text = format!("{place}@@ -{old_start},{old_lines} +{new_start},{new_lines} @@{place:#}\n");
    if would_write_pictures(hunk) {
        text.push_str("(not a patch: some bytes are shown as ‹FF›, ␍ or \\u{200e})\n");
    }
    for line in &hunk.lines {
        // Infallible: it is a String.
        let _ = match line {
            DiffLine::Changed { old, new } => {
                let _ = writeln!(text, "{removed}-{removed:#}{}", marked(old, before));
                new.iter().try_for_each(|new| writeln!(text, "{added}+{added:#}{}", marked(new, after)))
            }
            DiffLine::Kept(line) => writeln!(text, " {}", line.text),
            _ => Ok(()),
        };
    }
    text
}

/// Reports whether `patch` could apply a hunk and would then write pictures of bytes, or escapes, into a file. This is
/// so if only new lines contain any. A line that is invalid in a patch makes `patch` reject the hunk.
fn would_write_pictures(hunk: &Hunk) -> bool {
    let (mut applies, mut has_pictures) = (true, false);
    for line in &hunk.lines {
        match line {
            DiffLine::Changed { old, new } => {
                applies &= !old.stands_in;
                has_pictures |= new.iter().any(|new| new.stands_in);
            }
            DiffLine::Kept(line) => applies &= !line.stands_in,
            _ => {}
        }
    }
    applies && has_pictures
}

/// Highlights the changed parts of a line.
fn marked(line: &Marked, style: Style) -> String {
    let mut text = String::with_capacity(line.text.len());
    let mut at = 0;
    for range in &line.changed {
        text.push_str(line.text.get(at..range.start).unwrap_or_default());
        let changed = line.text.get(range.clone()).unwrap_or_default();
        // Infallible: it is a String.
        let _ = write!(text, "{style}{changed}{style:#}");
        at = range.end;
    }
    text.push_str(line.text.get(at..).unwrap_or_default());
    text
}
