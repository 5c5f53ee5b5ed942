//! Conversion of line ends.

use crate::charset::Codec;

/// A line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd {
    /// Line feed (Unix).
    Lf,
    /// Carriage return and line feed (Windows).
    CrLf,
}

impl LineEnd {
    fn text(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
        }
    }
}

/// The line end of EBCDIC.
const NEXT_LINE: char = '\u{85}';

/// Converts the line ends of a text in pieces.
#[derive(Clone, Debug)]
pub(super) struct LineEndConverter {
    end: LineEnd,
    /// Whether [`NEXT_LINE`] is a line end.
    next_line: bool,
    /// Whether the last character was a carriage return, so that a following line feed belongs to it.
    returned: bool,
}

impl LineEndConverter {
    /// Creates a converter for the start of a text in this encoding.
    pub(super) fn new(end: LineEnd, from: Codec) -> LineEndConverter {
        let next_line = matches!(from, Codec::Legacy(legacy) if legacy.is_ebcdic());
        LineEndConverter { end, next_line, returned: false }
    }

    /// Appends the converted piece to `out`.
    pub(super) fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(at) = self.find(rest) {
            let (line, behind) = rest.split_at(at);
            let Some(found) = behind.chars().next() else { break };
            out.push_str(line);
            let belongs = found != '\r' && at == 0 && self.returned;
            if !belongs {
                out.push_str(self.end.text());
            }
            self.returned = found == '\r';
            rest = &behind[found.len_utf8()..];
        }
        out.push_str(rest);
        self.returned &= rest.is_empty();
    }

    /// Returns the offset of the next line end, or of a part of one.
    fn find(&self, text: &str) -> Option<usize> {
        let end = memchr::memchr2(b'\r', b'\n', text.as_bytes());
        if !self.next_line {
            return end;
        }
        text[..end.unwrap_or(text.len())].find(NEXT_LINE).or(end)
    }
}
