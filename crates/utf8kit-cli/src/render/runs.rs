//! Styled text that is written with one pair of escapes for each run of a style.

use std::fmt::Write as _;

use anstyle::Style;

/// Pieces of text, each in a style. Spaces look the same in all of them.
#[derive(Debug)]
pub(crate) struct Runs {
    text: String,
    style: Style,
    /// Spaces that belong to the next run, if there is one.
    spaces: String,
}

impl Runs {
    pub(crate) const fn new() -> Runs {
        Runs { text: String::new(), style: Style::new(), spaces: String::new() }
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, style: Style, piece: &str) {
        let bare = piece.trim_end_matches(' ');
        if bare.is_empty() {
            return self.spaces.push_str(piece);
        }
        if style != self.style {
            // Infallible: it is a String.
            let _ = write!(self.text, "{:#}{}{style}", self.style, self.spaces);
            self.spaces.clear();
            self.style = style;
        }
        self.text += &std::mem::take(&mut self.spaces);
        self.text += bare;
        self.spaces += &piece[bare.len()..];
    }

    /// Returns all of it, without spaces at the end.
    pub(crate) fn into_text(mut self) -> String {
        // Infallible: it is a String.
        let _ = write!(self.text, "{:#}", self.style);
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_pair_of_escapes() {
        let mut runs = Runs::new();
        let bold = Style::new().bold();
        for (style, piece) in [(bold, "a"), (Style::new(), " "), (bold, " b"), (Style::new(), "c "), (bold, "")] {
            runs.push(style, piece);
        }
        assert_eq!(runs.into_text(), format!("{bold}a  b{bold:#}c"));
    }
}
