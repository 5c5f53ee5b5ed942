//! Reads a dump from any place where its state is known.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memmem, memrchr};

use super::DumpFormat;
use super::copy::{CopyShape, count_rows, end_of_copy, last_row, next_row};
use super::declared::Declared;
use super::escapes::{Lead, Style};
use super::lex::{End, dollar_tag, is_word, string_end, word_end};
use super::statement::{Assignment, Head, Statement};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Text, or numbers and the like, which are written in ASCII.
    Text,
    /// Bytes.
    Binary,
    /// Not known: the dump has no definition of the table.
    Unknown,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// A table, and the columns that values are given for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) columns: Vec<Column>,
}

/// The name of a table, as a key.
pub(super) type TableName = (Option<String>, String);

/// What the bytes so far mean for those that follow.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(super) format: DumpFormat,
    /// The encoding for the session, and that for statements, if another is set for them alone.
    pub(super) session: Declared,
    pub(super) statements: Option<Declared>,
    /// Encodings that were put into variables.
    variables: Vec<(String, Option<Declared>)>,
    /// The same for what the mode says: whether strings have backslash escapes, and `"` encloses names.
    modes: Vec<(String, (bool, bool))>,
    /// Whether an ordinary string has backslash escapes.
    pub(super) backslashes: bool,
    /// Whether `"` encloses names, even in MySQL.
    pub(super) ansi_quotes: bool,
    /// The encoding of the session that was given, whatever the dump declares.
    given: Option<Declared>,
    /// Which bytes begin characters that a backslash may end.
    lead: Option<Lead>,
    /// What ends a statement.
    delimiter: Arc<[u8]>,
    pub(super) schema: Option<String>,
    tables: Arc<HashMap<TableName, Vec<Column>>>,
    /// How many rows of each table were read, but for the current one.
    rows: Arc<HashMap<TableName, u64>>,
    current: Option<Current>,
    mode: Mode,
    /// The encoding of the rows of a `COPY` block, if one is given for them alone.
    copied: Option<Declared>,
    /// A string that is too long to be read as a whole: its style and kind.
    open: Option<(Style, Kind)>,
}

/// The table that rows are read of.
#[derive(Clone, Debug)]
struct Current {
    target: Arc<Target>,
    /// The number of the last row that began, from 1.
    row: u64,
    /// The beginning of its `INSERT` statements.
    header: Arc<[u8]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mode {
    /// Between statements.
    Start,
    /// Within a statement; between the values of an `INSERT`, if `cell` is given.
    Statement { cell: Option<Cell>, prefix: Prefix },
    /// Within the rows of a `COPY` block, before this column.
    Copy { shape: CopyShape, column: usize },
}

/// A place in the tuples of an `INSERT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    depth: u32,
    column: usize,
}

/// What was read right before a string.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Prefix {
    Nothing,
    /// `E`
    Escaped,
    /// `U&`
    Unicode,
    /// `X`, `B`, `_binary`
    Binary,
    /// `_latin1`
    Charset(Declared),
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text in the encoding that is declared.
    Text,
    /// Text in this encoding, which is named in front of it.
    Charset(Declared),
    /// Text or bytes: the type of the column is not known.
    Unknown,
    /// Bytes.
    Binary,
}

/// A value in a dump.
#[derive(Clone, Debug)]
pub(crate) struct Value<'s> {
    /// Its bytes, without quotes.
    pub(crate) raw: Range<usize>,
    pub(crate) style: Style,
    pub(crate) kind: Kind,
    /// The encoding that is declared.
    pub(crate) declared: &'s Declared,
    /// Its table, row and column, if it is in a table.
    pub(crate) cell: Option<(&'s Arc<Target>, u64, usize)>,
}

/// Receives what a dump consists of, in order.
pub(crate) trait Visit {
    /// Receives a value.
    fn value(&mut self, value: Value<'_>) {
        let _ = value;
    }

    /// Receives the place of the name of an encoding in a declaration, and whether it is for statements alone.
    fn declaration(&mut self, name: Range<usize>, declared: &Declared, alone: bool) {
        let _ = (name, declared, alone);
    }

    /// Reports whether values are wanted at all.
    fn wants_values(&self) -> bool {
        true
    }

    /// Called when what is declared changes, for what begins at this offset.
    fn declares(&mut self, at: usize, state: &State) {
        let _ = (at, state);
    }
}

/// The result of one step.
enum Step {
    /// Everything before this offset is read.
    To(usize),
    /// More bytes are needed.
    More,
}

impl State {
    /// Returns the state at the start of a dump.
    pub(crate) fn new(format: DumpFormat) -> State {
        State {
            format,
            session: Declared::Nothing,
            statements: None,
            variables: Vec::new(),
            modes: Vec::new(),
            backslashes: format == DumpFormat::MysqlDump,
            ansi_quotes: false,
            given: None,
            lead: None,
            delimiter: Arc::from(&b";"[..]),
            schema: None,
            tables: Arc::default(),
            rows: Arc::default(),
            current: None,
            mode: Mode::Start,
            copied: None,
            open: None,
        }
    }

    /// Takes this encoding for that of the session, whatever the dump declares.
    #[must_use]
    pub(crate) fn given(self, declared: Option<Declared>) -> State {
        let state = State { given: declared, ..self };
        State { lead: state.declared().lead(), ..state }
    }

    /// Returns the encoding in which text is read.
    pub(crate) fn declared(&self) -> &Declared {
        self.statements.as_ref().or(self.given.as_ref()).unwrap_or(&self.session)
    }

    /// Returns what ends a statement.
    pub(super) fn delimiter(&self) -> &[u8] {
        &self.delimiter
    }

    /// Reads on. Returns how many bytes were read, which is all of them if they are the `last` ones. With `force`,
    /// something is read even if a value is cut.
    pub(crate) fn read<V: Visit>(&mut self, bytes: &[u8], last: bool, force: bool, visit: &mut V) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let step = match (&self.open, &self.mode) {
                (Some(_), _) => self.rest_of_string(bytes, at, last, force && at == 0, visit),
                (None, Mode::Copy { .. }) => self.copy(bytes, at, last, force && at == 0, visit),
                (None, Mode::Start) => self.start(bytes, at, last, visit),
                (None, Mode::Statement { .. }) => {
                    let (read, more) = self.statement(bytes, at, last, force && at == 0, visit);
                    if more && read < bytes.len() {
                        at = read;
                        break;
                    }
                    Step::To(read)
                }
            };
            match step {
                Step::To(next) => at = next,
                Step::More => break,
            }
        }
        if at == 0 && (force || last) {
            // Something other than a value that has no end.
            return bytes.len();
        }
        if last { bytes.len() } else { at }
    }

    /// Reads up to the next statement, and its beginning.
    fn start<V: Visit>(&mut self, bytes: &[u8], at: usize, last: bool, visit: &mut V) -> Step {
        let from = at;
        let (at, end) = self.format.gap(bytes, at, last);
        if let Some(database) = self.told_database(bytes.get(from..at).unwrap_or_default()) {
            self.schema = Some(database);
        }
        if end == End::Open {
            return Step::To(at).or_more(from);
        }
        let rest = &bytes[at..];
        if rest.starts_with(b"\xEF\xBB\xBF") {
            return Step::To(at + 3);
        }
        if rest.is_empty() {
            return Step::To(at);
        }
        if rest.starts_with(&self.delimiter) {
            return Step::To(at + self.delimiter.len());
        }
        if let Some(current) = &self.current
            && !current.header.is_empty()
            && rest.starts_with(&current.header)
        {
            let end = at + current.header.len();
            self.mode = Mode::Statement { cell: Some(Cell::default()), prefix: Prefix::Nothing };
            return Step::To(end);
        }
        let Some(head) = Head::read(self, bytes, at, last) else { return Step::To(at).or_more(from) };
        self.begin(&head, bytes, at, visit);
        Step::To(head.end)
    }

    /// Returns the name of the database from the comment at the start of a dump of MySQL.
    fn told_database(&self, gap: &[u8]) -> Option<String> {
        if self.format == DumpFormat::PgDump || self.schema.is_some() || gap.len() > 4096 {
            return None;
        }
        let at = memmem::find(gap, b"-- Host: ")?;
        let line = gap[at..].split(|&byte| byte == b'\n').next()?;
        let at = memmem::find(line, b"Database: ")? + b"Database: ".len();
        let name = String::from_utf8_lossy(line.get(at..)?).trim().to_owned();
        (!name.is_empty()).then_some(name)
    }

    /// Begins a statement.
    fn begin<V: Visit>(&mut self, head: &Head, bytes: &[u8], at: usize, visit: &mut V) {
        let outside = Mode::Statement { cell: None, prefix: Prefix::Nothing };
        self.mode = match &head.statement {
            Statement::Other => outside,
            Statement::Whole => Mode::Start,
            Statement::Insert { name, columns } => {
                let target = self.target(name, columns.as_deref());
                self.enter(target, Arc::from(&bytes[at..head.end]));
                Mode::Statement { cell: Some(Cell::default()), prefix: Prefix::Nothing }
            }
            Statement::Copy { name, columns, shape, charset } => {
                let target = self.target(name, columns.as_deref());
                self.enter(target, Arc::default());
                self.copied.clone_from(charset);
                Mode::Copy { shape: *shape, column: 0 }
            }
            Statement::Create { name, columns } => {
                let name = self.qualified(name);
                Arc::make_mut(&mut self.tables).insert(name, columns.clone());
                self.leave();
                outside
            }
            Statement::Schema(schema) => {
                self.schema.clone_from(schema);
                self.leave();
                Mode::Start
            }
            Statement::Connect => {
                self.leave();
                (self.tables, self.rows) = (Arc::default(), Arc::default());
                if self.format == DumpFormat::PgDump {
                    self.schema = None;
                }
                Mode::Start
            }
            Statement::Delimiter(delimiter) => {
                self.delimiter = Arc::from(&delimiter[..]);
                Mode::Start
            }
            Statement::Assignments(assignments) => {
                for assignment in assignments {
                    self.assign(assignment, visit);
                }
                self.lead = self.declared().lead();
                visit.declares(head.end, self);
                Mode::Start
            }
        };
    }

    fn assign<V: Visit>(&mut self, assignment: &Assignment, visit: &mut V) {
        match assignment {
            Assignment::Session { name, place } => {
                let declared = self.format.declared(name);
                visit.declaration(place.clone(), &declared, false);
                (self.session, self.statements) = (declared, None);
            }
            Assignment::Statements { name, place } => {
                let declared = self.format.declared(name);
                visit.declaration(place.clone(), &declared, true);
                self.statements = Some(declared);
            }
            Assignment::Save(variable) => {
                self.variables.retain(|(known, _)| known != variable);
                self.variables.push((variable.clone(), self.statements.clone()));
            }
            Assignment::Restore(variable) => {
                let saved = self.variables.iter().find(|(known, _)| known == variable);
                self.statements = saved.and_then(|(_, saved)| saved.clone());
            }
            Assignment::SaveMode(variable) => {
                self.modes.retain(|(known, _)| known != variable);
                self.modes.push((variable.clone(), (self.backslashes, self.ansi_quotes)));
            }
            Assignment::RestoreMode(variable) => {
                let saved = self.modes.iter().find(|(known, _)| known == variable);
                (self.backslashes, self.ansi_quotes) = saved.map_or((true, false), |(_, saved)| *saved);
            }
            Assignment::Backslashes(are) => self.backslashes = *are,
            Assignment::AnsiQuotes(are) => self.ansi_quotes = *are,
        }
    }

    /// Returns a name with its schema.
    fn qualified(&self, name: &TableName) -> TableName {
        (name.0.clone().or_else(|| self.schema.clone()), name.1.clone())
    }

    /// Returns the table of a statement, with the kinds of the columns.
    fn target(&self, name: &TableName, columns: Option<&[String]>) -> Arc<Target> {
        let name = self.qualified(name);
        let defined = self.tables.get(&name);
        let column = |name: &String| {
            let known = defined.and_then(|defined| defined.iter().find(|column| column.name == *name));
            known.cloned().unwrap_or(Column { name: name.clone(), kind: ColumnKind::Unknown })
        };
        let columns = match columns {
            Some(columns) => columns.iter().map(column).collect(),
            None => defined.cloned().unwrap_or_default(),
        };
        Arc::new(Target { schema: name.0, table: name.1, columns })
    }

    /// Goes on with the rows of a table.
    fn enter(&mut self, target: Arc<Target>, header: Arc<[u8]>) {
        if let Some(current) = &mut self.current
            && (&current.target.schema, &current.target.table) == (&target.schema, &target.table)
        {
            (current.target, current.header) = (target, header);
            return;
        }
        self.leave();
        let name = (target.schema.clone(), target.table.clone());
        let row = self.rows.get(&name).copied().unwrap_or(0);
        self.current = Some(Current { target, row, header });
    }

    /// Remembers how many rows of the current table were read.
    fn leave(&mut self) {
        if let Some(Current { target, row, .. }) = self.current.take() {
            let name = (target.schema.clone(), target.table.clone());
            Arc::make_mut(&mut self.rows).insert(name, row);
        }
    }

    /// Reads within a statement: up to its end, or as far as its parts are whole. Returns where it stopped, and whether
    /// more bytes are needed.
    fn statement<V: Visit>(
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
            if byte == self.delimiter[0] {
                let rest = &bytes[at..];
                if rest.starts_with(&self.delimiter) {
                    return (at + self.delimiter.len(), false);
                }
                if !last && self.delimiter.starts_with(rest) {
                    break true;
                }
            }
            match byte {
                b'0'..=b'9'
                | b'.'
                | b'+'
                | b'='
                | b'<'
                | b'>'
                | b'%'
                | b'!'
                | b'&'
                | b'|'
                | b'@'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'~'
                | b'^'
                | b'?'
                | b':' => {
                    (at, prefix) = (at + 1, Prefix::Nothing);
                }
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b',' => {
                    if let Some(Cell { depth: 1, column }) = &mut cell {
                        *column += 1;
                    }
                    (at, prefix) = (at + 1, Prefix::Nothing);
                }
                b'(' => {
                    if let Some(cell) = &mut cell {
                        cell.depth += 1;
                        if cell.depth == 1 {
                            cell.column = 0;
                            self.current.iter_mut().for_each(|current| current.row += 1);
                        }
                    }
                    (at, prefix) = (at + 1, Prefix::Nothing);
                }
                b')' => {
                    if let Some(cell) = &mut cell {
                        cell.depth = cell.depth.saturating_sub(1);
                    }
                    (at, prefix) = (at + 1, Prefix::Nothing);
                }
                b'\'' | b'"' | b'`' => {
                    let (style, kind) = self.string(byte, &prefix, cell);
                    match string_end(style, bytes, at + 1, self.lead, last) {
                        Some((end, next)) => {
                            if let Some(kind) = kind.filter(|_| visit.wants_values()) {
                                visit.value(self.value(at + 1..end, style, kind, cell));
                            }
                            (at, prefix) = (next, Prefix::Nothing);
                        }
                        None if force || last => {
                            self.open = Some((style, kind.unwrap_or(Kind::Binary)));
                            (at, prefix) = (at + 1, Prefix::Nothing);
                            break false;
                        }
                        None => break true,
                    }
                }
                b'$' if self.format == DumpFormat::PgDump => {
                    match self.dollar_quoted(bytes, at, last || force, cell, visit) {
                        Some(next) => (at, prefix) = (next, Prefix::Nothing),
                        None => break true,
                    }
                }
                b'-' | b'/' | b'#' | b'*' => match self.format.comment(bytes, at, last || force) {
                    Some(End::At(end)) => at = end,
                    Some(End::Open) => break true,
                    None => (at, prefix) = (at + 1, Prefix::Nothing),
                },
                _ if is_word(byte) => {
                    let End::At(end) = word_end(bytes, at, last || force) else { break true };
                    // A delimiter may consist of such bytes.
                    let end =
                        memmem::find(&bytes[at..end], &self.delimiter).map_or(end, |len| at + len.max(1));
                    let word = &bytes[at..end];
                    match self.prefix(word, bytes, end, last || force) {
                        Some((found, next)) => (at, prefix) = (next, found),
                        None => break true,
                    }
                    let in_tuples = matches!(cell, Some(Cell { depth: 0, .. }));
                    if in_tuples && !word.eq_ignore_ascii_case(b"row") {
                        cell = None;
                    }
                }
                _ => (at, prefix) = (at + 1, Prefix::Nothing),
            }
        };
        self.mode = Mode::Statement { cell, prefix };
        (at, more)
    }

    /// Returns what a word says about a string behind it, and where to read on. `None` if more bytes are needed.
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

    /// Returns how a string is written, and what it is; `None` if it is a name.
    fn string(&self, quote: u8, prefix: &Prefix, cell: Option<Cell>) -> (Style, Option<Kind>) {
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
            Prefix::Binary => Kind::Binary,
            Prefix::Charset(declared) => Kind::Charset(declared.clone()),
            _ => cell.map_or(Kind::Text, |cell| self.kind(cell.column)),
        };
        (style, Some(kind))
    }

    /// Returns what the values of a column of the current table are.
    fn kind(&self, column: usize) -> Kind {
        let column = self.current.as_ref().and_then(|current| current.target.columns.get(column));
        match column.map_or(ColumnKind::Unknown, |column| column.kind) {
            ColumnKind::Text => Kind::Text,
            ColumnKind::Binary => Kind::Binary,
            ColumnKind::Unknown => Kind::Unknown,
        }
    }

    fn value(&self, raw: Range<usize>, style: Style, kind: Kind, cell: Option<Cell>) -> Value<'_> {
        let current = self.current.as_ref().filter(|_| cell.is_some());
        let cell = current.map(|current| (&current.target, current.row, cell.unwrap_or_default().column));
        Value { raw, style, kind, declared: self.declared(), cell }
    }

    /// Reads a string between dollar signs, or a dollar sign. Returns where to read on.
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
        if visit.wants_values() {
            let kind = cell.map_or(Kind::Text, |cell| self.kind(cell.column));
            visit.value(self.value(start..start + len, Style::Verbatim, kind, cell));
        }
        Some(bytes.len().min(start + len + tag.len()))
    }

    /// Reads on in a string that was cut.
    fn rest_of_string<V: Visit>(
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

    /// Reads rows of a `COPY` block.
    fn copy<V: Visit>(&mut self, bytes: &[u8], at: usize, last: bool, force: bool, visit: &mut V) -> Step {
        let Mode::Copy { shape, column } = self.mode else { return Step::More };
        let rest = &bytes[at..];
        let ended = end_of_copy(rest, column == 0, last);
        let (rows, next) = match ended {
            Some((rows, line)) => (&rest[..rows], Some(at + rows + line)),
            None if last => (rest, None),
            None => (&rest[..last_row(rest, shape, self.lead)], None),
        };
        if rows.is_empty() && next.is_none() {
            return if force { self.cut_row(bytes, at, visit) } else { Step::More };
        }
        if visit.wants_values() {
            self.rows(bytes, at..at + rows.len(), shape, column, visit);
        } else if let Some(current) = &mut self.current {
            current.row += count_rows(rows, shape, self.lead) - u64::from(column > 0);
        }
        self.mode = match next {
            Some(_) => Mode::Start,
            None => Mode::Copy { shape, column: 0 },
        };
        Step::To(next.unwrap_or(at + rows.len()))
    }

    /// Reads a part of a row that is too long: as many whole values as there are, or a part of one.
    fn cut_row<V: Visit>(&mut self, bytes: &[u8], at: usize, visit: &mut V) -> Step {
        let Mode::Copy { shape, column } = self.mode else { return Step::More };
        let rest = &bytes[at..];
        let cut = match shape.delimiter().and_then(|delimiter| memrchr(delimiter, rest)) {
            Some(delimiter) => delimiter + 1,
            None => boundary(rest),
        };
        let after = self.rows(bytes, at..at + cut, shape, column, visit);
        // Whether or not values are wanted, the row is counted once, where it begins.
        self.mode = Mode::Copy { shape, column: after.max(1) };
        Step::To(at + cut)
    }

    /// Passes on the values of rows. Returns the column behind the last delimiter of the last row.
    fn rows<V: Visit>(
        &mut self,
        bytes: &[u8],
        range: Range<usize>,
        shape: CopyShape,
        mut column: usize,
        visit: &mut V,
    ) -> usize {
        let mut at = range.start;
        while at < range.end {
            let line = next_row(&bytes[at..range.end], shape, self.lead);
            let (content, end) = (at..at + line.0, at + line.1);
            if column == 0
                && let Some(current) = &mut self.current
            {
                current.row += 1;
            }
            let mut start = content.start;
            loop {
                let stop = shape.field_end(&bytes[start..content.end], self.lead).map(|len| start + len);
                let value = start..stop.unwrap_or(content.end);
                if bytes.get(value.clone()) != Some(b"\\N") {
                    let cell = Some(Cell { depth: 1, column });
                    let kind = match (shape, &self.copied) {
                        (CopyShape::Text(_), _) if self.kind(column) == Kind::Binary => Kind::Binary,
                        (_, Some(charset)) => Kind::Charset(charset.clone()),
                        (CopyShape::Text(_), None) => self.kind(column),
                        (CopyShape::Lines, None) => Kind::Unknown,
                    };
                    visit.value(self.value(value, shape.style(), kind, cell));
                }
                let Some(stop) = stop else { break };
                (start, column) = (stop + 1, column + 1);
            }
            if end == range.end && line.0 == line.1 {
                return column;
            }
            (at, column) = (end, 0);
        }
        column
    }
}

impl Step {
    /// Returns `More` if nothing was read: the start is still at `at` and nothing was found there.
    fn or_more(self, at: usize) -> Step {
        match self {
            Step::To(next) if next == at => Step::More,
            step => step,
        }
    }
}

/// Returns where a long value may be cut: not within a sequence of UTF-8, and not behind a backslash or a quote.
fn boundary(bytes: &[u8]) -> usize {
    let is_plain = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b' ';
    let seen = bytes.len().saturating_sub(4096);
    // Four such bytes in a row cannot all be part of an escape.
    let plain = bytes[seen..].windows(12).rposition(|some| some.iter().all(is_plain));
    match plain {
        Some(at) => seen + at + 11,
        None => utf8kit::floor(bytes, bytes.len().saturating_sub(1)).max(1),
    }
}
