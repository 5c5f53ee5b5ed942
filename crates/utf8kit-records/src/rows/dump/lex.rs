//! The lexical rules of both databases: where strings, comments and words end.

use memchr::{memchr, memchr2};

use super::DumpFormat;
use super::escapes::{Lead, Style, is_pair};

/// How strings and names are quoted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoting {
    pub(super) format: DumpFormat,
    /// Whether an ordinary string has backslash escapes.
    pub(super) backslashes: bool,
    /// Whether `"` encloses names, even in MySQL.
    pub(super) ansi_quotes: bool,
}

/// The result of a search for an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It ends before this offset.
    At(usize),
    /// The bytes end first, or may do so.
    Open,
}

/// Returns the end of the content of a string that begins at `from`, and the offset after its closing quote.
pub(super) fn string_end(
    style: Style,
    bytes: &[u8],
    mut at: usize,
    lead: Option<Lead>,
    last: bool,
) -> Option<(usize, usize)> {
    let (quote, escapes) = match style {
        Style::Quoted(quote) => (quote, false),
        Style::Mysql(quote) => (quote, true),
        Style::Escaped => (b'\'', true),
        _ => (b'\'', false),
    };
    loop {
        let rest = bytes.get(at..)?;
        let found = match lead {
            Some(lead) if escapes => characters(rest, quote, lead)?,
            _ if escapes => memchr2(quote, b'\\', rest)?,
            _ => memchr(quote, rest)?,
        };
        at += found;
        if bytes.get(at) == Some(&b'\\') && escapes {
            at += 2;
            continue;
        }
        match bytes.get(at + 1) {
            Some(&next) if next == quote => at += 2,
            None if !last => return None,
            _ => return Some((at, at + 1)),
        }
    }
}

/// Finds a quote or a backslash that is not the second byte of a character.
fn characters(bytes: &[u8], quote: u8, lead: Lead) -> Option<usize> {
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            byte if byte == quote || byte == b'\\' => return Some(at),
            _ if is_pair(lead, &bytes[at..]) => at += 2,
            _ => at += 1,
        }
    }
}

/// Reports whether a byte is part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Returns the end of the word that begins at `at`.
pub(super) fn word_end(bytes: &[u8], at: usize, last: bool) -> End {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().position(|&byte| !is_word(byte)) {
        Some(len) => End::At(at + len),
        None if last => End::At(bytes.len()),
        None => End::Open,
    }
}

/// Returns the delimiter of a dollar-quoted string that begins at `at`: `$$` or `$tag$`.
pub(super) fn dollar_tag(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let rest = bytes.get(at + 1..)?;
    let len = rest.iter().position(|&byte| byte == b'$')?;
    let tag = &rest[..len];
    let is_tag = tag.iter().all(|&byte| is_word(byte)) && !tag.first().is_some_and(u8::is_ascii_digit);
    is_tag.then(|| &bytes[at..at + len + 2])
}

/// Returns the end of a line, after its line feed.
pub(super) fn line_end(bytes: &[u8], at: usize, last: bool) -> End {
    match memchr(b'\n', bytes.get(at..).unwrap_or_default()) {
        Some(len) => End::At(at + len + 1),
        None if last => End::At(bytes.len()),
        None => End::Open,
    }
}

impl DumpFormat {
    /// Skips white space and comments from `at`. In MySQL, `/*!40101` and `*/` are white space around statements.
    /// Returns the offset of anything else, or `Open` with the offset of an unfinished comment.
    pub(super) fn gap(self, bytes: &[u8], mut at: usize, last: bool) -> (usize, End) {
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            at += rest.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != 11).unwrap_or(rest.len());
            match self.comment(bytes, at, last) {
                None => return (at, End::At(at)),
                Some(End::Open) => return (at, End::Open),
                Some(End::At(end)) => at = end,
            }
        }
    }

    /// Returns the end of the comment at `at`, if there is one.
    pub(super) fn comment(self, bytes: &[u8], at: usize, last: bool) -> Option<End> {
        let rest = bytes.get(at..).unwrap_or_default();
        let is_mysql = self == DumpFormat::MysqlDump;
        match *rest {
            [b'-'] | [b'/'] | [b'*'] if !last => Some(End::Open),
            [b'/', b'*'] if !last => Some(End::Open),
            [b'-', b'-'] if is_mysql && !last => Some(End::Open),
            [b'-', b'-', next, ..] if is_mysql && !next.is_ascii_whitespace() => None,
            [b'-', b'-', ..] => Some(line_end(bytes, at, last)),
            [b'#', ..] if is_mysql => Some(line_end(bytes, at, last)),
            [b'*', b'/', ..] if is_mysql => Some(End::At(at + 2)),
            [b'/', b'*', b'!', ..] if is_mysql => Some(digits_end(bytes, at + 3, last)),
            [b'/', b'*', b'M'] if is_mysql && !last => Some(End::Open),
            [b'/', b'*', b'M', b'!', ..] if is_mysql => Some(digits_end(bytes, at + 4, last)),
            [b'/', b'*', ..] => Some(self.block_end(bytes, at, last)),
            _ => None,
        }
    }

    /// Returns the end of a comment between `/*` and `*/`. In PostgreSQL, comments can be nested.
    fn block_end(self, bytes: &[u8], start: usize, last: bool) -> End {
        let (mut at, mut depth) = (start + 2, 1);
        while let Some(found) = memchr2(b'/', b'*', bytes.get(at..).unwrap_or_default()) {
            at += found;
            (at, depth) = match bytes.get(at..at + 2) {
                Some(b"*/") if depth == 1 => return End::At(at + 2),
                Some(b"*/") => (at + 2, depth - 1),
                Some(b"/*") if self == DumpFormat::PgDump => (at + 2, depth + 1),
                _ => (at + 1, depth),
            };
        }
        if last { End::At(bytes.len()) } else { End::Open }
    }
}

/// Returns the end of the digits that begin at `at`.
fn digits_end(bytes: &[u8], at: usize, last: bool) -> End {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().position(|byte| !byte.is_ascii_digit()) {
        Some(len) => End::At(at + len),
        None if last => End::At(bytes.len()),
        None => End::Open,
    }
}
