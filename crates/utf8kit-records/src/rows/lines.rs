//! Lines of a JSON or XML text. A line feed within a string, a comment, a CDATA section or a processing instruction
//! does not end a line, so that these stay whole.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memmem};

/// Finds the lines of a JSON text. It remembers a closing quote far ahead, and what follows it, to avoid searching for
/// them again from each line.
#[derive(Debug, Default)]
pub(super) struct JsonLines {
    /// Between these offsets, no quote ends a string whose content begins there. A later search begins after an escaped
    /// quote, and so pairs the following backslashes in the same way.
    unclosed: Range<usize>,
    /// The white space after a string.
    space: Range<usize>,
}

impl JsonLines {
    /// Returns the end of the line that begins at `start`, or `None` if it does not end within `text`. `complete` means
    /// that no more text follows. Later calls must pass the same text or a longer one.
    ///
    /// JSON does not allow line feeds in strings. If such a string is followed by something that cannot follow a
    /// string, a quote is missing, and the line ends at the line feed.
    pub(super) fn end(&mut self, text: &[u8], start: usize, complete: bool) -> Option<usize> {
        let mut at = start;
        loop {
            let found = at + memchr2(b'\n', b'"', text.get(at..)?)?;
            if text[found] == b'\n' {
                return Some(found + 1);
            }
            let end = self.string_end(text, found + 1);
            let feed = memchr(b'\n', &text[found..end.unwrap_or(text.len())]).map(|feed| found + feed + 1);
            match (end.map(|end| self.after_string(text, end)), feed) {
                (Some(_), None) | (Some(Some(b',' | b':' | b']' | b'}')), _) => {}
                (Some(Some(_)), feed) => return feed,
                (None | Some(None), feed) => return feed.filter(|_| complete),
            }
            at = end?;
        }
    }

    /// Returns the end of a string whose content begins at `at`.
    fn string_end(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if at < self.unclosed.start || at > self.unclosed.end {
            self.unclosed = at..at;
        }
        let searched = &mut self.unclosed.end;
        loop {
            let rest = text.get(*searched..)?;
            *searched += memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            match text.get(*searched)? {
                b'"' => return Some(*searched + 1),
                _ => *searched += 2,
            }
        }
    }

    /// Returns what follows a string that ends at `end`, after white space.
    fn after_string(&mut self, text: &[u8], end: usize) -> Option<u8> {
        if self.space.start != end {
            self.space = end..end;
        }
        let rest = text.get(self.space.end..)?;
        self.space.end += rest.len() - rest.trim_ascii_start().len();
        text.get(self.space.end).copied()
    }
}

/// Returns the length of the first line of an XML text. `None` if it does not end within `text`.
pub(super) fn xml_line(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + memchr(b'\n', text.get(at..)?).unwrap_or(text.len() - at);
        match memchr_iter(b'<', &text[at..end]).find_map(|open| Some((open, literal(&text[at + open..])?))) {
            None => return (end < text.len()).then_some(end + 1),
            Some((open, Literal::Closed(len))) => at += open + len,
            Some((_, Literal::Unclosed)) => return None,
        }
    }
}

/// Returns where something may begin that can contain line feeds.
pub(super) fn markup_from(text: &[u8]) -> Option<usize> {
    let sign = memchr2_iter(b'!', b'?', text).find(|&sign| sign > 0 && text[sign - 1] == b'<');
    sign.map(|sign| sign - 1)
}

/// Returns the length of the comment, CDATA section or processing instruction of XML that a text begins with, in which
/// references have no meaning.
pub(crate) fn literal(text: &[u8]) -> Option<Literal> {
    const LITERALS: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];
    let (open, close) = LITERALS.iter().find(|(open, _)| text.starts_with(open))?;
    let end = memmem::find(&text[open.len()..], close);
    Some(end.map_or(Literal::Unclosed, |at| Literal::Closed(open.len() + at + close.len())))
}

/// A part of an XML text in which references have no meaning.
pub(crate) enum Literal {
    /// Its length in bytes.
    Closed(usize),
    /// It does not end within the text.
    Unclosed,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line has an escaped quote if it is in the string that the first line begins.
    #[test]
    fn quotes_that_are_missing_or_far_away_are_searched_for_once() {
        let (quotes, blanks) = (b"\\\"\n".repeat(2_000_000), b" ".repeat(2_000_000));
        for (text, complete) in [(quotes.clone(), true), ([&quotes[..], b"\"", &blanks, b"x"].concat(), false)] {
            let (mut lines, mut at) = (JsonLines::default(), 0);
            while let Some(end) = lines.end(&text, at, complete) {
                assert_eq!(end, at + 3);
                at = end;
            }
            assert_eq!(at, quotes.len());
        }
    }

    #[test]
    fn lines_end_outside_of_strings_and_literals() {
        let cases: [(&[u8], Option<usize>); 9] = [
            (b"{\"a\": \"b\"}\n1", Some(11)),
            (b"{\"a\": \"b\nc\"}\n1", Some(13)),
            (b"[\"\\\"\n\" , 1]\n", Some(12)),
            // A quote is missing.
            (b"{\"a\": \"b\n\"c\": 1}\n", Some(9)),
            (b"\"\nb", Some(2)),
            (b"\"b\n\"", Some(3)),
            (b"1", None),
            (b"\"b\"", None),
            (b"\"\\", None),
        ];
        for (text, end) in cases {
            assert_eq!(JsonLines::default().end(text, 0, true), end, "{}", text.escape_ascii());
        }
        assert_eq!(JsonLines::default().end(b"\"b\n\" ", 0, false), None);
        let cases: [(&[u8], Option<usize>); 6] = [
            (b"<a>\n</a>\n", Some(4)),
            (b"<!-- \n --><b/>\n", Some(15)),
            (b"<a><![CDATA[\n]]>\n", Some(17)),
            (b"<?x\n?><!--\n-->\n", Some(15)),
            (b"<!-- \n", None),
            (b"<a>", None),
        ];
        for (text, end) in cases {
            assert_eq!(xml_line(text), end, "{}", text.escape_ascii());
        }
    }
}
