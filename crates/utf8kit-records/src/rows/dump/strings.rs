//! The inside of a statement: tuples, and the strings in them.

use std::ops::Range;

use memchr::memmem;

use super::DumpFormat;
use super::escapes::Style;
use super::lex::{End, dollar_tag, is_word, string_end, word_end};
use super::state::{Mode, State, Step, Visit, boundary};
use super::value::{Cell, ColumnKind, Prefix, Value, ValueKind};

impl State {
    /// Reads the rest of a statement up to its end, or as far as its parts are complete. Returns the offset where it
    /// stopped, and whether more bytes are needed.
    pub(super) fn statement<V: Visit>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        last: bool,
        force: bool,
        visit: &mut V,
    ) -> (usize, bool) {
        let Mode::Statement { mut cell, mut prefix } = std::mem::replace(&mut self.mode, Mode::Start) else {
            return (at, false);
        };
        let more = loop {
            let Some(&byte) = bytes.get(at) else { break false };
            match self.delimiter_at(bytes, at, last) {
                Some(End::At(end)) => return (end, false),
                Some(End::Open) => break true,
                None => {}
            }
            let all = last || force;
            let next = match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    at += 1;
                    continue;
                }
                b'-' | b'/' | b'#' | b'*' => match self.format.comment(bytes, at, all) {
                    Some(End::At(end)) => {
                        at = end;
                        continue;
                    }
                    Some(End::Open) => None,
                    None => Some(at + 1),
                },
                b'\'' | b'"' | b'`' => self.quoted(bytes, at, (&prefix, cell), (last, force), visit),
                b'$' if self.format == DumpFormat::PgDump => self.dollar_quoted(bytes, at, all, cell, visit),
                b'(' | b')' | b',' => {
                    self.sign(byte, &mut cell);
                    Some(at + 1)
                }
                b'0'..=b'9' => Some(self.number_end(bytes, at)),
                _ if is_word(byte) => match self.word(bytes, at, all, &mut cell) {
                    Some(read) => {
                        (prefix, at) = read;
                        continue;
                    }
                    None => None,
                },
                _ => Some(at + 1),
            };
            let Some(next) = next else { break true };
            (at, prefix) = (next, Prefix::Nothing);
            if self.open.is_some() {
                break false;
            }
        };
        self.mode = Mode::Statement { cell, prefix };
        (at, more)
    }

    /// Returns the end of a delimiter, if there is one, or `End::Open` if more bytes are needed to decide.
    #[inline]
    fn delimiter_at(&self, bytes: &[u8], at: usize, last: bool) -> Option<End> {
        let rest = bytes.get(at..).filter(|rest| rest.first() == self.delimiter.first())?;
        if rest.starts_with(&self.delimiter) {
            return Some(End::At(at + self.delimiter.len()));
        }
        (!last && self.delimiter.starts_with(rest)).then_some(End::Open)
    }

    /// Returns the end of a number. It ends before a delimiter, which may be a digit.
    fn number_end(&self, bytes: &[u8], at: usize) -> usize {
        let first = self.delimiter[0];
        let goes_on = |byte: &&u8| matches!(**byte, b'0'..=b'9' | b'.') && **byte != first;
        at + 1 + bytes[at + 1..].iter().take_while(goes_on).count()
    }

    /// Reads a parenthesis or a comma.
    #[inline]
    fn sign(&mut self, sign: u8, cell: &mut Option<Cell>) {
        let Some(cell) = cell else { return };
        match sign {
            b',' if cell.depth == 1 => cell.column += 1,
            b'(' => {
                cell.depth += 1;
                if cell.depth == 1 {
                    cell.column = 0;
                    self.current.iter_mut().for_each(|current| current.row += 1);
                }
            }
            b')' => cell.depth = cell.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Reads a quoted string or name, or the start of one that is too long. Returns the offset at which to continue, or
    /// `None` if more bytes are needed.
    fn quoted<V: Visit>(
        &mut self,
        bytes: &[u8],
        at: usize,
        (prefix, cell): (&Prefix, Option<Cell>),
        (last, force): (bool, bool),
        visit: &mut V,
    ) -> Option<usize> {
        let (style, kind) = self.string(bytes[at], prefix, cell);
        match string_end(style, bytes, at + 1, self.lead, last) {
            Some((end, next)) => {
                if let Some(kind) = kind.filter(|_| visit.uses_values()) {
                    visit.value(self.value(at + 1..end, style, kind, cell));
                }
                Some(next)
            }
            None if force || last => {
                self.open = Some((style, kind.unwrap_or(ValueKind::Binary)));
                Some(at + 1)
            }
            None => None,
        }
    }

    /// Reads a word. Returns its meaning as a prefix of a string, and the offset at which to continue, or `None` if
    /// more bytes are needed.
    fn word(&self, bytes: &[u8], at: usize, last: bool, cell: &mut Option<Cell>) -> Option<(Prefix, usize)> {
        let End::At(end) = word_end(bytes, at, last) else { return None };
        // A delimiter may consist of such bytes.
        let end = memmem::find(&bytes[at..end], &self.delimiter).map_or(end, |len| at + len.max(1));
        let word = &bytes[at..end];
        let read = self.prefix(word, bytes, end, last)?;
        let in_tuples = matches!(cell, Some(Cell { depth: 0, .. }));
        if in_tuples && !word.eq_ignore_ascii_case(b"row") {
            *cell = None;
        }
        Some(read)
    }

    /// Returns the meaning of a word as a prefix of a string, and the offset at which to continue, or `None` if more
    /// bytes are needed.
    fn prefix(&self, word: &[u8], bytes: &[u8], end: usize, last: bool) -> Option<(Prefix, usize)> {
        let next = bytes.get(end).copied();
        if next.is_none() && !last {
            return None;
        }
        let is_quoted = next == Some(b'\'');
        let found = match (self.format, word) {
            (DumpFormat::PgDump, b"E" | b"e") if is_quoted => Prefix::Escaped,
            (_, b"X" | b"x" | b"B" | b"b") if is_quoted => Prefix::Binary,
            (DumpFormat::PgDump, b"U" | b"u") if next == Some(b'&') => {
                return match bytes.get(end + 1) {
                    None if !last => None,
                    Some(b'\'') => Some((Prefix::Unicode, end + 1)),
                    _ => Some((Prefix::Nothing, end)),
                };
            }
            (DumpFormat::MysqlDump, [b'_', name @ ..]) if !name.is_empty() => {
                let name = String::from_utf8_lossy(name);
                match self.format.declared(&name) {
                    _ if name.eq_ignore_ascii_case("binary") => Prefix::Binary,
                    declared => Prefix::Charset(declared),
                }
            }
            _ => Prefix::Nothing,
        };
        Some((found, end))
    }

    /// Returns the style and kind of a string, or `None` if it is a name.
    fn string(&self, quote: u8, prefix: &Prefix, cell: Option<Cell>) -> (Style, Option<ValueKind>) {
        let is_mysql = self.format == DumpFormat::MysqlDump;
        if quote == b'`' || quote == b'"' && (!is_mysql || self.ansi_quotes) {
            return (Style::Quoted(quote), None);
        }
        let style = match prefix {
            Prefix::Escaped => Style::Escaped,
            Prefix::Unicode => Style::Unicode,
            _ if is_mysql && self.backslashes => Style::Mysql(quote),
            _ if !is_mysql && self.backslashes => Style::Escaped,
            _ => Style::Quoted(quote),
        };
        let kind = match prefix {
            Prefix::Binary => ValueKind::Binary,
            Prefix::Charset(declared) => ValueKind::Charset(declared.clone()),
            _ => cell.map_or(ValueKind::Text, |cell| self.kind(cell.column)),
        };
        (style, Some(kind))
    }

    /// Returns the kind of the values in a column of the current table.
    pub(super) fn kind(&self, column: usize) -> ValueKind {
        let column = self.current.as_ref().and_then(|current| current.target.columns.get(column));
        match column.map_or(ColumnKind::Unknown, |column| column.kind) {
            ColumnKind::Text => ValueKind::Text,
            ColumnKind::Binary => ValueKind::Binary,
            ColumnKind::Unknown => ValueKind::Unknown,
        }
    }

    pub(super) fn value(&self, raw: Range<usize>, style: Style, kind: ValueKind, cell: Option<Cell>) -> Value<'_> {
        let current = self.current.as_ref().filter(|_| cell.is_some());
        let cell = current.map(|current| (&current.target, current.row, cell.unwrap_or_default().column));
        Value { raw, style, kind, declared: self.declared(), cell }
    }

    /// Reads a dollar-quoted string, or a dollar sign. Returns the offset at which to continue.
    fn dollar_quoted<V: Visit>(
        &self,
        bytes: &[u8],
        at: usize,
        last: bool,
        cell: Option<Cell>,
        visit: &mut V,
    ) -> Option<usize> {
        let Some(tag) = dollar_tag(bytes, at) else {
            let is_open = bytes[at + 1..].iter().all(|&byte| is_word(byte));
            return (!is_open || last).then_some(at + 1);
        };
        let start = at + tag.len();
        let len = match memmem::find(&bytes[start..], tag) {
            Some(len) => len,
            None if last => bytes.len() - start,
            None => return None,
        };
        if visit.uses_values() {
            let kind = cell.map_or(ValueKind::Text, |cell| self.kind(cell.column));
            visit.value(self.value(start..start + len, Style::Verbatim, kind, cell));
        }
        Some(bytes.len().min(start + len + tag.len()))
    }

    /// Continues reading a string that was cut.
    pub(super) fn rest_of_string<V: Visit>(
        &mut self,
        bytes: &[u8],
        at: usize,
        last: bool,
        force: bool,
        visit: &mut V,
    ) -> Step {
        let Some((style, kind)) = self.open.take() else { return Step::More };
        let cell = if let Mode::Statement { cell, .. } = self.mode { cell } else { None };
        let (end, next) = match string_end(style, bytes, at, self.lead, last) {
            Some(found) => found,
            None if last => (bytes.len(), bytes.len()),
            None if force => {
                let end = at + boundary(&bytes[at..]);
                self.open = Some((style, kind.clone()));
                (end, end)
            }
            None => {
                self.open = Some((style, kind));
                return Step::More;
            }
        };
        visit.value(self.value(at..end, style, kind, cell));
        Step::To(next)
    }
}
