//! The beginnings of statements, and the statements that affect how others are read.

use std::ops::Range;

use super::DumpFormat;
use super::copy::CopyShape;
use super::declarations::Declared;
use super::lex::{End, Quoting, line_end};
use super::tokens::{Next, Token, Tokens, Unread};
use super::value::{Column, ColumnKind, TableName};

/// The meaning of the beginning of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// Nothing of interest. It is read like any other statement.
    Other,
    /// Nothing of interest, and it was read to its end.
    Whole,
    /// Tuples of values follow, for these columns if they are named.
    Insert {
        name: TableName,
        columns: Option<Vec<String>>,
    },
    /// Rows follow.
    Copy {
        name: TableName,
        columns: Option<Vec<String>>,
        shape: CopyShape,
        /// Their encoding, if it differs from the encoding of the session.
        charset: Option<Declared>,
    },
    /// A table has these columns.
    Create {
        name: TableName,
        columns: Vec<Column>,
    },
    /// Names without a schema are in this one.
    Schema(Option<String>),
    /// Another database follows.
    Connect,
    /// Statements end with this.
    Delimiter(Vec<u8>),
    Assignments(Vec<Assignment>),
}

/// The value that a variable is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Assignment {
    /// The encoding of the session, and the place of its name.
    Session { name: String, place: Range<usize> },
    /// The encoding of statements alone.
    Statements { name: String, place: Range<usize> },
    /// This variable keeps the encoding of statements.
    Save(String),
    /// The encoding of statements is restored from this variable.
    Restore(String),
    /// This variable keeps the mode, which determines how strings are written.
    SaveMode(String),
    /// The mode is restored from this variable.
    RestoreMode(String),
    /// Whether ordinary strings have backslash escapes.
    Backslashes(bool),
    /// Whether double quotes enclose names.
    AnsiQuotes(bool),
}

/// The beginning of a statement, or all of it.
pub(super) struct Head {
    pub(super) statement: Statement,
    /// The offset at which to continue.
    pub(super) end: usize,
}

impl Head {
    /// Reads the beginning of the statement at `at`. `None` if more bytes are needed.
    pub(super) fn read(quoting: Quoting, delimiter: &[u8], bytes: &[u8], at: usize, last: bool) -> Option<Head> {
        if bytes[at] == b'\\' {
            return meta_command(quoting, bytes, at, last);
        }
        match statement(Tokens { quoting, delimiter, bytes, at, last }) {
            Ok(head) => Some(head),
            Err(Unread::Cut) => None,
            Err(Unread::Other) => Some(Head { statement: Statement::Other, end: at }),
        }
    }
}

/// Reads a statement that is not a command of the client.
fn statement(mut tokens: Tokens<'_>) -> Result<Head, Unread> {
    let Tokens { quoting, bytes, at, last, .. } = tokens;
    let is_pg = quoting.format == DumpFormat::PgDump;
    let Some((first, _)) = tokens.next()? else {
        return Ok(Head { statement: Statement::Whole, end: tokens.at });
    };
    let statement = match () {
        () if first.is_any(&["INSERT", "REPLACE"]) => insert(&mut tokens)?,
        () if is_pg && first.is("COPY") => return copy(tokens),
        // Its strings are also values.
        () if first.is("CREATE") => {
            return Ok(Head { statement: create(&mut tokens, quoting.format)?, end: at });
        }
        () if first.is("SET") => {
            let all = tokens.rest()?;
            match &all[..] {
                [(path, _), rest @ ..] if is_pg && path.is("search_path") => {
                    let mut names = rest.iter().filter(|(token, _)| !token.is("TO"));
                    Statement::Schema(first_schema(names.find_map(|(token, _)| token.text()).into_iter()))
                }
                _ => Statement::Assignments(set(&all, quoting.format)),
            }
        }
        () if is_pg && first.is("SELECT") => configured(&mut tokens)?,
        () if first.is("USE") && !is_pg => {
            let name = tokens.rest()?;
            Statement::Schema(name.first().and_then(|(name, _)| name.text()).map(str::to_owned))
        }
        () if first.is("DELIMITER") && !is_pg => {
            let End::At(end) = line_end(bytes, tokens.at, last) else { return Err(Unread::Cut) };
            let delimiter = bytes[tokens.at..end].trim_ascii().to_vec();
            let statement = match delimiter.is_empty() {
                true => Statement::Whole,
                false => Statement::Delimiter(delimiter),
            };
            return Ok(Head { statement, end });
        }
        () => return Err(Unread::Other),
    };
    Ok(Head { statement, end: tokens.at })
}

/// Reads a command of the client.
fn meta_command(quoting: Quoting, bytes: &[u8], at: usize, last: bool) -> Option<Head> {
    let End::At(end) = line_end(bytes, at, last) else { return None };
    let line = String::from_utf8_lossy(&bytes[at..end]).into_owned();
    let mut words = line.split_whitespace();
    let command = words.next().unwrap_or_default();
    let statement = match command {
        "\\encoding" if quoting.format == DumpFormat::PgDump => {
            let name = words.next().unwrap_or_default().trim_matches(|c| matches!(c, '\'' | '"'));
            let place = line.find(name).filter(|_| !name.is_empty() && line.is_ascii()).map(|start| at + start);
            let encoding =
                place.map(|place| Assignment::Session { name: name.to_owned(), place: place..place + name.len() });
            Statement::Assignments(encoding.into_iter().collect())
        }
        "\\c" | "\\connect" => Statement::Connect,
        "\\copy" if quoting.format == DumpFormat::PgDump => {
            let mut tokens = Tokens { quoting, delimiter: b"\n", bytes: &bytes[..end], at: at + 1, last: true };
            let _ = tokens.next();
            let statement = copy(tokens).map_or(Statement::Whole, |head| head.statement);
            return Some(Head { statement, end });
        }
        _ => Statement::Whole,
    };
    Some(Head { statement, end })
}

/// Reads the name of a table after a first token, and the token after the name.
fn table_name(tokens: &mut Tokens<'_>, first: &Token) -> Result<(TableName, Next), Unread> {
    let text = |token: &Token| token.text().map(str::to_owned).ok_or(Unread::Other);
    let (mut schema, mut name) = (None, text(first)?);
    loop {
        let next = tokens.next()?;
        if !matches!(next, Some((Token::Sign(b'.'), _))) {
            return Ok(((schema, name), next));
        }
        (schema, name) = (Some(name), text(&tokens.token()?)?);
    }
}

/// Reads the names of columns up to the closing parenthesis.
fn column_names(tokens: &mut Tokens<'_>) -> Result<Vec<String>, Unread> {
    let mut names = Vec::new();
    loop {
        match tokens.token()? {
            Token::Sign(b')') => return Ok(names),
            Token::Sign(b',') => {}
            token => names.push(token.text().ok_or(Unread::Other)?.to_owned()),
        }
    }
}

/// Reads `INSERT` up to the first tuple.
fn insert(tokens: &mut Tokens<'_>) -> Result<Statement, Unread> {
    let name = loop {
        let token = tokens.token()?;
        if !token.is_any(&["INTO", "IGNORE", "LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED"]) {
            break token;
        }
    };
    let (name, mut next) = table_name(tokens, &name)?;
    let mut columns = None;
    if matches!(next, Some((Token::Sign(b'('), _))) {
        columns = Some(column_names(tokens)?);
        next = tokens.next()?;
    }
    loop {
        match next {
            Some((token, _)) if token.is_any(&["VALUES"]) => break,
            // OVERRIDING SYSTEM VALUE stands before VALUES.
            Some((token, _)) if token.is_any(&["OVERRIDING", "SYSTEM", "USER", "VALUE"]) => {
                let is_value = token.is("VALUE");
                let at = tokens.at;
                next = tokens.next()?;
                if is_value && matches!(next, Some((Token::Sign(b'('), _))) {
                    tokens.at = at;
                    break;
                }
            }
            _ => return Err(Unread::Other),
        }
    }
    Ok(Statement::Insert { name, columns })
}

/// Reads `COPY` up to its first row.
fn copy(mut tokens: Tokens<'_>) -> Result<Head, Unread> {
    let name = tokens.token()?;
    let (name, mut next) = table_name(&mut tokens, &name)?;
    let mut columns = None;
    if matches!(next, Some((Token::Sign(b'('), _))) {
        columns = Some(column_names(&mut tokens)?);
        next = tokens.next()?;
    }
    if !next.is_some_and(|(token, _)| token.is("FROM")) || !tokens.token()?.is("STDIN") {
        return Err(Unread::Other);
    }
    let options = tokens.rest()?;
    let (mut shape, mut charset) = (CopyShape::Text(b'\t'), None);
    for (index, (token, _)) in options.iter().enumerate() {
        let is_format = matches!(token, Token::Text(text) if text.eq_ignore_ascii_case("csv"));
        if is_format || token.is_any(&["CSV", "BINARY"]) {
            shape = CopyShape::Lines;
        }
        if token.is("ENCODING") {
            let name = options.get(index + 1).and_then(|(name, _)| name.text());
            charset = name.map(|name| tokens.quoting.format.declared(name));
        }
        if token.is_any(&["DELIMITER", "DELIMITERS"]) && shape != CopyShape::Lines {
            let sign = options[index + 1..].iter().find_map(|(token, _)| match token {
                // E'\t'
                Token::Text(text) if text == "\\t" => Some(b'\t'),
                Token::Text(text) => text.bytes().next(),
                _ => None,
            });
            shape = CopyShape::Text(sign.unwrap_or(b'\t'));
        }
    }
    let end = match line_end(tokens.bytes, tokens.at, tokens.last) {
        _ if tokens.delimiter == b"\n" => tokens.at,
        End::At(end) => end,
        End::Open => return Err(Unread::Cut),
    };
    Ok(Head { statement: Statement::Copy { name, columns, shape, charset }, end })
}

/// Words that begin a definition in `CREATE TABLE` that does not define a column.
const NOT_COLUMNS: [&str; 14] = [
    "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "EXCLUDE", "LIKE", "KEY", "INDEX", "FULLTEXT", "SPATIAL",
    "PERIOD", "VECTOR", "PARTITION",
];

/// The binary types.
const BINARY: [&str; 19] = [
    "bytea", "blob", "tinyblob", "mediumblob", "longblob", "binary", "varbinary", "bit", "varbit", "geometry", "point",
    "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection", "geomcollection",
    "vector",
];

/// Reads the columns of `CREATE TABLE`.
fn create(tokens: &mut Tokens<'_>, format: DumpFormat) -> Result<Statement, Unread> {
    let words = ["UNLOGGED", "TEMPORARY", "TEMP", "GLOBAL", "LOCAL", "FOREIGN", "OR", "REPLACE"];
    let name = loop {
        let token = tokens.token()?;
        if token.is_any(&["TABLE", "IF", "NOT", "EXISTS"]) {
            let at = tokens.at;
            let next = tokens.token()?;
            if !next.is_any(&["IF", "NOT", "EXISTS"]) {
                break next;
            }
            tokens.at = at;
        } else if !token.is_any(&words) {
            return Err(Unread::Other);
        }
    };
    let (name, next) = table_name(tokens, &name)?;
    if !matches!(next, Some((Token::Sign(b'('), _))) {
        return Err(Unread::Other);
    }
    let all = tokens.rest()?;
    let (mut columns, mut depth, mut part): (Vec<Column>, _, Vec<&Token>) = (Vec::new(), 1, Vec::new());
    for (token, _) in &all {
        match token {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && *token == Token::Sign(b',') {
            columns.extend(column(&part, format));
            part.clear();
            if depth == 0 {
                break;
            }
        } else {
            part.push(token);
        }
    }
    Ok(Statement::Create { name, columns })
}

/// Returns the column that a part of `CREATE TABLE` defines.
fn column(part: &[&Token], format: DumpFormat) -> Option<Column> {
    let (name, kind) = (part.first()?, part.get(1)?);
    if matches!(name, Token::Word(_)) && name.is_any(&NOT_COLUMNS) {
        return None;
    }
    let is_binary = match kind {
        Token::Word(kind) => BINARY.iter().any(|binary| binary.eq_ignore_ascii_case(kind)),
        _ => false,
    };
    // Points and bits of PostgreSQL are written in ASCII.
    let kind = match is_binary && (format == DumpFormat::MysqlDump || kind.is("bytea")) {
        true => ColumnKind::Binary,
        false => ColumnKind::Text,
    };
    Some(Column { name: name.text()?.to_owned(), kind })
}

/// Reads `SELECT pg_catalog.set_config('search_path', '', false)`.
fn configured(tokens: &mut Tokens<'_>) -> Result<Statement, Unread> {
    let at = tokens.at;
    let mut is_config = false;
    // Other queries are not read to the end here.
    for _ in 0..3 {
        is_config |= tokens.next()?.is_some_and(|(token, _)| token.is("set_config"));
    }
    if !is_config {
        return Err(Unread::Other);
    }
    tokens.at = at;
    let all = tokens.rest()?;
    let mut texts = all.iter().filter_map(|(token, place)| match token {
        Token::Text(text) => Some((text.clone(), place.clone())),
        _ => None,
    });
    let (Some((name, _)), Some((value, place))) = (texts.next(), texts.next()) else {
        return Err(Unread::Other);
    };
    Ok(match &*name.to_ascii_lowercase() {
        "search_path" => Statement::Schema(first_schema(value.split(',').map(str::trim))),
        "client_encoding" => Statement::Assignments(vec![Assignment::Session { name: value, place }]),
        _ => Statement::Whole,
    })
}

/// Returns the first schema in a search path.
fn first_schema<'p>(mut path: impl Iterator<Item = &'p str>) -> Option<String> {
    let first = path.next()?.trim_matches('"');
    (!first.is_empty() && first != "pg_catalog").then(|| first.to_owned())
}

/// Reads the assignments of `SET`.
fn set(all: &[(Token, Range<usize>)], format: DumpFormat) -> Vec<Assignment> {
    let mut found = Vec::new();
    let parts = all.split(|(token, _)| format == DumpFormat::MysqlDump && *token == Token::Sign(b','));
    for mut part in parts {
        while part.first().is_some_and(|(token, _)| token.is_any(&["SESSION", "LOCAL", "GLOBAL"])) {
            part = &part[1..];
        }
        let Some(((variable, _), rest)) = part.split_first() else { continue };
        let Some(variable) = variable.text() else { continue };
        let value = rest.iter().find(|(token, _)| token.text().is_some() && !token.is_any(&["TO", "SET"]));
        let Some((value, place)) = value else { continue };
        let (text, place) = (value.text().unwrap_or_default().to_owned(), place.clone());
        let plain = variable.to_ascii_lowercase();
        let plain = plain.strip_prefix("@@").unwrap_or(&plain);
        let plain = plain.strip_prefix("session.").unwrap_or(plain);
        let reference = text.to_ascii_lowercase();
        match (format, plain) {
            (_, "names") | (DumpFormat::PgDump, "client_encoding") | (DumpFormat::MysqlDump, "charset") => {
                found.push(Assignment::Session { name: text, place });
            }
            (DumpFormat::MysqlDump, "character") => found.push(Assignment::Session { name: text, place }),
            (DumpFormat::PgDump, "standard_conforming_strings") => {
                found.push(Assignment::Backslashes(matches!(&*reference, "off" | "false" | "0" | "no")));
            }
            (DumpFormat::MysqlDump, "character_set_client") if reference.starts_with('@') => {
                found.push(Assignment::Restore(reference));
            }
            (DumpFormat::MysqlDump, "character_set_client") => {
                found.push(Assignment::Statements { name: text, place });
            }
            (DumpFormat::MysqlDump, "sql_mode") if matches!(value, Token::Text(_)) => {
                let mode = text.to_ascii_uppercase();
                found.push(Assignment::Backslashes(!mode.contains("NO_BACKSLASH_ESCAPES")));
                found.push(Assignment::AnsiQuotes(mode.contains("ANSI")));
            }
            (DumpFormat::MysqlDump, "sql_mode") if reference.starts_with('@') && !reference.starts_with("@@") => {
                found.push(Assignment::RestoreMode(reference));
            }
            (DumpFormat::MysqlDump, saved) if saved.starts_with('@') => {
                match reference.trim_start_matches("@@session.").trim_start_matches("@@") {
                    "character_set_client" => found.push(Assignment::Save(saved.to_owned())),
                    "sql_mode" => found.push(Assignment::SaveMode(saved.to_owned())),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}
