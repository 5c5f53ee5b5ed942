//! Changes to the text between reading and writing: normal forms, line ends, transliteration.

mod line_ends;
#[cfg(feature = "rewrite")]
mod normal_form;
#[cfg(not(feature = "rewrite"))]
#[path = "no_normal_form.rs"]
mod normal_form;
#[cfg(feature = "rewrite")]
mod transliteration;
#[cfg(not(feature = "rewrite"))]
#[path = "no_transliteration.rs"]
mod transliteration;

use std::mem;

pub use line_ends::LineEnd;
use line_ends::LineEndConverter;
pub use normal_form::NormalForm;
use normal_form::Normalizer;
pub(super) use transliteration::{Transliterator, composed, is_written};

use crate::charset::Codec;
use crate::counts::Counts;

/// Whether letters and marks are composed.
pub(super) const COMPOSES: bool = cfg!(feature = "rewrite");

/// The byte order mark.
const MARK: char = '\u{FEFF}';

/// The changes that a conversion makes to the text itself; none by default.
///
/// ```
/// use utf8kit_encodings::Counts;
/// use utf8kit_encodings::convert::{Conversion, Converter, LineEnd};
///
/// let mut conversion = Conversion::new("utf-16le".parse().unwrap(), "utf-8".parse().unwrap());
/// conversion.rewrite.line_end = Some(LineEnd::Lf);
/// let plan = conversion.start(b"a\0\r\0");
/// let (mut out, mut counts) = (Vec::new(), Counts::default());
/// Converter::new(&plan).push(b"a\0\r\0\n\0b\0\r\0", true, &mut out, &mut counts).unwrap();
/// assert_eq!(out, b"a\nb\n");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewrite {
    /// The Unicode normal form to convert the text to.
    pub normal_form: Option<NormalForm>,
    /// The line end that replaces every CR LF, LF and lone CR, and every NEL in EBCDIC input.
    pub line_end: Option<LineEnd>,
    /// Whether characters that the target lacks are replaced with the nearest equivalent: `“` with `"`. Characters
    /// without an equivalent are handled according to [`Invalid`](crate::convert::Invalid). Needs the feature
    /// `rewrite`.
    pub transliterate: bool,
    /// Whether byte order marks that begin a later line are removed: see
    /// [`artifact::are_joined`](crate::artifact::are_joined).
    pub remove_marks: bool,
}

impl Rewrite {
    /// Reports whether any change is set.
    pub fn is_any(self) -> bool {
        self != Rewrite::default()
    }
}

/// Removes byte order marks from a text in pieces, normalizes it and converts its line ends.
#[derive(Clone, Debug)]
pub(super) struct Rewriter {
    remove_marks: bool,
    /// Whether the text so far ends a line.
    is_after_line: bool,
    normalizer: Option<Normalizer>,
    line_ends: Option<LineEndConverter>,
    /// A buffer for normalized text.
    between: String,
}

impl Rewriter {
    /// Creates a rewriter for the start of a text in an encoding, or `None` if it changes nothing.
    pub(super) fn new(rewrite: Rewrite, from: Codec) -> Option<Rewriter> {
        let Rewrite { normal_form, line_end, remove_marks, .. } = rewrite;
        (normal_form.is_some() || line_end.is_some() || remove_marks).then(|| Rewriter {
            remove_marks,
            is_after_line: false,
            normalizer: normal_form.map(Normalizer::new),
            line_ends: line_end.map(|end| LineEndConverter::new(end, from)),
            between: String::new(),
        })
    }

    /// Appends the rewritten piece to `out`. `last` marks the last piece.
    pub(super) fn push(&mut self, text: &str, last: bool, out: &mut String, counts: &mut Counts) {
        let unmarked;
        let text = if self.remove_marks && !text.is_empty() {
            let mut is_after_line = self.is_after_line;
            unmarked = text.replace(
                |c: char| {
                    let is_removed = c == MARK && is_after_line;
                    counts.add_marks(u64::from(is_removed));
                    is_after_line = c == '\n' || is_removed;
                    is_removed
                },
                "",
            );
            self.is_after_line = is_after_line;
            &unmarked
        } else {
            text
        };
        match (&mut self.normalizer, &mut self.line_ends) {
            (Some(normalizer), Some(line_ends)) => {
                let mut between = mem::take(&mut self.between);
                between.clear();
                normalizer.push(text, last, &mut between);
                line_ends.push(&between, out);
                self.between = between;
            }
            (Some(normalizer), None) => normalizer.push(text, last, out),
            (None, Some(line_ends)) => line_ends.push(text, out),
            (None, None) => out.push_str(text),
        }
    }

    /// Returns the end of the input that is held back because the next character may combine with it.
    pub(super) fn held(&self) -> &str {
        self.normalizer.as_ref().map_or("", Normalizer::held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewrites the text in pieces of `size` characters.
    fn rewritten(rewrite: Rewrite, text: &str, size: usize) -> String {
        let plan = crate::Conversion { rewrite, ..crate::Conversion::default() }.start(b"");
        let mut rewriter = Rewriter::new(plan.rewrite, plan.from).unwrap();
        let (mut out, chars) = (String::new(), text.chars().collect::<Vec<_>>());
        for piece in chars.chunks(size) {
            rewriter.push(&piece.iter().collect::<String>(), false, &mut out, &mut Counts::default());
        }
        rewriter.push("", true, &mut out, &mut Counts::default());
        out
    }

    #[test]
    fn line_ends_of_every_kind_in_any_pieces() {
        let line_end = |end| Rewrite { line_end: Some(end), ..Rewrite::default() };
        for size in 1..6 {
            let text = "a\r\nb\nc\rd\r\r\n\n\r";
            assert_eq!(rewritten(line_end(LineEnd::Lf), text, size), "a\nb\nc\nd\n\n\n\n");
            let crlf = "a\r\nb\r\nc\r\nd\r\n\r\n\r\n\r\n";
            assert_eq!(rewritten(line_end(LineEnd::CrLf), text, size), crlf);
            assert_eq!(rewritten(line_end(LineEnd::CrLf), crlf, size), crlf);
        }
    }

    #[cfg(feature = "rewrite")]
    #[test]
    fn normal_forms_in_any_pieces() {
        use unicode_normalization::UnicodeNormalization as _;
        let texts = [
            "plain",
            "e\u{301}\u{323}x\u{E9}\u{323}",
            "\u{301}\u{301} \u{1100}\u{1161}\u{11A8}\u{AC01}\u{11A8}",
            "\u{212B}\u{340}\u{F73}\u{71}\u{301}\u{F71}\u{F72}",
            "\r\u{301}\n\u{338}=\u{338}\r",
            "\u{65E5}\u{3099}\u{304B}\u{3099}\u{1D15E}\u{F900}\u{2ADC}",
        ];
        for text in texts {
            for size in 1..5 {
                let form = |form| Rewrite { normal_form: Some(form), ..Rewrite::default() };
                assert_eq!(rewritten(form(NormalForm::Nfc), text, size), text.nfc().collect::<String>(), "{text:?}");
                assert_eq!(rewritten(form(NormalForm::Nfd), text, size), text.nfd().collect::<String>(), "{text:?}");
            }
        }
    }
}
