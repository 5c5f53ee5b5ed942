//! Measures text in terminal columns, and breaks it into lines.

use unicode_width::UnicodeWidthChar as _;

/// Replaces the rest of a text that is too long.
const ELLIPSIS: char = '\u{2026}';

/// Returns the width of text in terminal columns.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Breaks words into lines that end before `columns`. The first line starts at column `first`, the others at `indent`.
pub(crate) fn wrapped(text: &str, first: usize, indent: usize, columns: usize) -> String {
    let (mut lines, mut start, mut at) = (String::new(), first, first);
    for word in text.split(' ') {
        let len = width(word);
        if at > start && at + 1 + len > columns {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            (start, at) = (indent, indent);
        } else if !lines.is_empty() {
            lines.push(' ');
            at += 1;
        }
        lines.push_str(word);
        at += len;
    }
    lines
}

/// Returns the longest prefix of a text that fits into that many columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fitting = text.chars().take_while(|c| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    fitting.chain([ELLIPSIS]).collect()
}
