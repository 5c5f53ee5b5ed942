//! Reads a dump from any place whose state is known.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use super::DumpFormat;
use super::copy::CopyShape;
use super::declarations::Declared;
use super::escapes::{Lead, Style};
use super::lex::{End, Quoting};
use super::statement::{Assignment, Head, Statement};
use super::value::{Cell, Column, ColumnKind, Destination, Prefix, TableName, Value, ValueKind};

/// The state of the reader after the bytes so far.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(super) format: DumpFormat,
    /// The encoding of the session, and the encoding of statements if it is set separately.
    pub(super) session: Declared,
    pub(super) statements: Option<Declared>,
    /// Encodings that were saved in variables.
    variables: Vec<(String, Option<Declared>)>,
    /// Modes that were saved in variables: whether strings have backslash escapes, and whether `"` encloses names.
    modes: Vec<(String, (bool, bool))>,
    /// Whether an ordinary string has backslash escapes.
    pub(super) backslashes: bool,
    /// Whether `"` encloses names, even in MySQL.
    pub(super) ansi_quotes: bool,
    /// The given encoding of the session, which overrides what the dump declares.
    given: Option<Declared>,
    /// The lead bytes of characters whose last byte may be a backslash.
    pub(super) lead: Option<Lead>,
    /// The delimiter of statements.
    pub(super) delimiter: Arc<[u8]>,
    pub(super) schema: Option<String>,
    tables: Arc<HashMap<TableName, Vec<Column>>>,
    /// The number of rows read of each table, except for the current table.
    rows: Arc<HashMap<TableName, u64>>,
    pub(super) current: Option<Current>,
    pub(super) mode: Mode,
    /// The encoding of the rows of a `COPY` block, if it is set separately.
    pub(super) copied: Option<Declared>,
    /// A string that is too long to be read as a whole: its style and kind.
    pub(super) open: Option<(Style, ValueKind)>,
}

/// The table whose rows are read.
#[derive(Clone, Debug)]
pub(super) struct Current {
    pub(super) target: Arc<Destination>,
    /// The number of the last row that began, from 1.
    pub(super) row: u64,
    /// The beginning of its `INSERT` statements.
    header: Arc<[u8]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Between statements.
    Start,
    /// Within a statement; between the values of an `INSERT`, if `cell` is given.
    Statement { cell: Option<Cell>, prefix: Prefix },
    /// Within the rows of a `COPY` block, before this column.
    Copy { shape: CopyShape, column: usize },
}

/// Receives the parts of a dump, in order.
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
    fn uses_values(&self) -> bool {
        true
    }

    /// Called when the declared encoding changes, with the offset from which it applies.
    fn declares(&mut self, at: usize, state: &State) {
        let _ = (at, state);
    }
}

/// The result of one step.
pub(super) enum Step {
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

    /// Uses this encoding for the session, overriding what the dump declares.
    #[must_use]
    pub(crate) fn given(self, declared: Option<Declared>) -> State {
        let state = State { given: declared, ..self };
        State { lead: state.declared().lead(), ..state }
    }

    /// Returns the encoding that text is read in.
    pub(crate) fn declared(&self) -> &Declared {
        self.statements.as_ref().or(self.given.as_ref()).unwrap_or(&self.session)
    }

    /// Returns how strings and names are quoted.
    fn quoting(&self) -> Quoting {
        Quoting { format: self.format, backslashes: self.backslashes, ansi_quotes: self.ansi_quotes }
    }

    /// Continues reading. Returns the number of bytes read, which is all of them if they are the `last` ones. With
    /// `force`, always reads something, even if that cuts a value.
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
            // Something other than a value, without an end.
            return bytes.len();
        }
        if last { bytes.len() } else { at }
    }

    /// Reads up to the next statement, and its beginning.
    fn start<V: Visit>(&mut self, bytes: &[u8], at: usize, last: bool, visit: &mut V) -> Step {
        let from = at;
        let (at, end) = self.format.gap(bytes, at, last);
        if let Some(database) = self.named_database(bytes.get(from..at).unwrap_or_default()) {
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
        let Some(head) = Head::read(self.quoting(), &self.delimiter, bytes, at, last) else {
            return Step::To(at).or_more(from);
        };
        self.begin(&head, bytes, at, visit);
        Step::To(head.end)
    }

    /// Returns the name of the database from the comment at the start of a dump of MySQL.
    fn named_database(&self, gap: &[u8]) -> Option<String> {
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
    fn target(&self, name: &TableName, columns: Option<&[String]>) -> Arc<Destination> {
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
        Arc::new(Destination { schema: name.0, table: name.1, columns })
    }

    /// Continues with the rows of a table.
    fn enter(&mut self, target: Arc<Destination>, header: Arc<[u8]>) {
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

    /// Stores the number of rows read of the current table.
    fn leave(&mut self) {
        if let Some(Current { target, row, .. }) = self.current.take() {
            let name = (target.schema.clone(), target.table.clone());
            Arc::make_mut(&mut self.rows).insert(name, row);
        }
    }
}

impl Step {
    /// Returns `More` if nothing was read, that is, if the start is still at `at` and nothing was found there.
    fn or_more(self, at: usize) -> Step {
        match self {
            Step::To(next) if next == at => Step::More,
            step => step,
        }
    }
}

/// Returns a position where a long value may be cut: neither within a UTF-8 sequence nor after a backslash or quote.
pub(super) fn boundary(bytes: &[u8]) -> usize {
    let is_plain = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b' ';
    let seen = bytes.len().saturating_sub(4096);
    // Four such bytes in a row cannot all be part of an escape.
    let plain = bytes[seen..].windows(12).rposition(|some| some.iter().all(is_plain));
    match plain {
        Some(at) => seen + at + 11,
        None => utf8kit::floor_char_boundary(bytes, bytes.len().saturating_sub(1)).max(1),
    }
}
