//! The tokens of a statement.

use std::ops::Range;

use super::DumpFormat;
use super::escapes::Style;
use super::lex::{End, Quoting, is_word, string_end, word_end};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    /// In quotes, without them.
    Name(String),
    Text(String),
    Sign(u8),
}

/// Reads the tokens of a statement.
pub(super) struct Tokens<'b> {
    pub(super) quoting: Quoting,
    pub(super) delimiter: &'b [u8],
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    pub(super) last: bool,
}

/// A token and the range of its text; `None` at the end of the statement.
pub(super) type Next = Option<(Token, Range<usize>)>;

/// Why no token or statement was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// More bytes are needed.
    Cut,
    /// It is not a relevant one.
    Other,
}

impl Tokens<'_> {
    /// Reads the next token, or finds the end.
    pub(super) fn next(&mut self) -> Result<Next, Unread> {
        let (format, bytes, last) = (self.quoting.format, self.bytes, self.last);
        let (at, end) = format.gap(bytes, self.at, last);
        if end == End::Open {
            return Err(Unread::Cut);
        }
        self.at = at;
        let Some(&byte) = bytes.get(at) else {
            return if last { Ok(None) } else { Err(Unread::Cut) };
        };
        if bytes[at..].starts_with(self.delimiter) {
            self.at = at + self.delimiter.len();
            return Ok(None);
        }
        let text = |range: Range<usize>| String::from_utf8_lossy(&bytes[range]).into_owned();
        if matches!(byte, b'\'' | b'"' | b'`') {
            let is_name = byte == b'`' || byte == b'"' && (format == DumpFormat::PgDump || self.quoting.ansi_quotes);
            let style = match self.quoting.backslashes && !is_name {
                true if format == DumpFormat::MysqlDump => Style::Mysql(byte),
                true => Style::Escaped,
                false => Style::Quoted(byte),
            };
            let (end, next) = match string_end(style, bytes, at + 1, None, last) {
                Some(found) => found,
                None if last => (bytes.len(), bytes.len()),
                None => return Err(Unread::Cut),
            };
            self.at = next;
            let content = String::from_utf8_lossy(&style.decode(&bytes[at + 1..end], None).bytes).into_owned();
            let token = if is_name { Token::Name(content) } else { Token::Text(content) };
            return Ok(Some((token, at + 1..end)));
        }
        if byte == b'@' {
            let is_part = |byte: u8| is_word(byte) || matches!(byte, b'@' | b'.');
            let len = bytes[at..].iter().position(|&byte| !is_part(byte));
            let end = at + len.or(last.then_some(bytes.len() - at)).ok_or(Unread::Cut)?;
            self.at = end;
            return Ok(Some((Token::Word(text(at..end)), at..end)));
        }
        if is_word(byte) {
            let End::At(end) = word_end(bytes, at, last) else { return Err(Unread::Cut) };
            self.at = end;
            return Ok(Some((Token::Word(text(at..end)), at..end)));
        }
        self.at = at + 1;
        Ok(Some((Token::Sign(byte), at..at + 1)))
    }

    /// Reads the next token: [`Unread::Other`] at the end of the statement.
    pub(super) fn token(&mut self) -> Result<Token, Unread> {
        self.next()?.map(|(token, _)| token).ok_or(Unread::Other)
    }

    /// Reads all tokens up to the end of the statement.
    pub(super) fn rest(&mut self) -> Result<Vec<(Token, Range<usize>)>, Unread> {
        let mut all = Vec::new();
        while let Some(token) = self.next()? {
            all.push(token);
        }
        Ok(all)
    }
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Returns the text of a word or string.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Token::Word(text) | Token::Name(text) | Token::Text(text) => Some(text),
            Token::Sign(_) => None,
        }
    }
}
