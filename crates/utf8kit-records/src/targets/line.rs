//! A line as its reader sees it: its characters, and in code, whether each is in a string or comment.

use std::ops::Range;

use super::value;
use crate::rows::RowSyntax;
use crate::violation::{Violation, ViolationKind};

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Text for people, where U+FFFD means that something was lost.
    Text,
    /// Source code.
    Code,
}

/// The part of a line that a character is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Code, or text.
    Open,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// Something within quotes in a comment.
    Example,
}

/// A character and its range in the row.
pub(super) type Placed = (Range<usize>, char);

/// A value: a line, or a field.
pub(super) struct Line {
    pub(super) text: Vec<Placed>,
    /// The part that each character is in.
    pub(super) contexts: Vec<Context>,
    pub(super) written: Written,
}

impl Line {
    /// Returns a violation that covers some characters, at least one.
    pub(super) fn violation(&self, characters: Range<usize>, kind: ViolationKind) -> Violation {
        let ranges = self.text.get(characters).unwrap_or_default();
        let (start, end) = match ranges {
            [(first, _), .., (last, _)] => (first.start, last.end),
            [(one, _)] => (one.start, one.end),
            [] => (0, 0),
        };
        Violation::new(start, end - start, kind)
    }
}

/// Returns the lines of a row. A byte order mark is not part of them, if the input begins with the row.
pub(super) fn lines(syntax: &RowSyntax, row: &[u8], first: bool, written: Written) -> impl Iterator<Item = Line> {
    let is_mark = move |range: &Range<usize>, character| first && range.start == 0 && character == '\u{FEFF}';
    value::of(syntax, row).map(move |value| {
        let characters = value.characters(row).filter_map(|(range, character)| Some((range, character?)));
        let text: Vec<Placed> = characters.filter(|(range, character)| !is_mark(range, *character)).collect();
        let contexts = match written {
            Written::Text => vec![Context::Open; text.len()],
            Written::Code => contexts(&text),
        };
        Line { text, contexts, written }
    })
}

/// Signs that begin a comment anywhere, or only after nothing but spaces.
const COMMENTS: [&str; 4] = ["//", "/*", "<!--", "--"];
const COMMENT_LINES: [&str; 5] = ["* ", "*/", ";", "%", "#"];

/// Returns the part that each character of a line of code is in, by the rules of common languages: strings are in
/// quotes, and comments begin with the usual signs. A line is read on its own, so a multi-line comment is recognized by
/// its star.
fn contexts(text: &[Placed]) -> Vec<Context> {
    let begins = |at: usize, sign: &str| {
        let mut characters = text[at..].iter().map(|&(_, character)| character);
        sign.chars().all(|wanted| characters.next() == Some(wanted))
    };
    let character = |at: usize| text.get(at).map(|&(_, character)| character);
    let is_space = |at: usize| character(at).is_none_or(char::is_whitespace);
    let mut contexts = Vec::with_capacity(text.len());
    let (mut quote, mut in_comment, mut is_start, mut is_escaped) = (None, false, true, false);
    for (at, &(_, c)) in text.iter().enumerate() {
        let before = at.checked_sub(1);
        let after_space = before.is_none_or(is_space);
        if !in_comment && quote.is_none() {
            in_comment = COMMENTS.iter().any(|sign| begins(at, sign))
                // As in `http://`, and in `i--`.
                && (after_space || begins(at, "/*") || begins(at, "//") && before.and_then(character) != Some(':'))
                || is_start && COMMENT_LINES.iter().any(|sign| begins(at, sign)) && !is_directive(text, at)
                || c == '#' && after_space && is_space(at + 1);
        }
        is_start &= c.is_whitespace();
        let closes = quote == Some(c) && !is_escaped;
        let opens = quote.is_none()
            && match c {
                '"' | '`' => true,
                // Neither an apostrophe nor a Rust lifetime.
                '\'' => {
                    !before.and_then(character).is_some_and(char::is_alphanumeric)
                        && text[at + 1..].iter().any(|&(_, c)| c == '\'')
                }
                _ => false,
            };
        contexts.push(match (in_comment, quote.is_some() || opens) {
            (false, false) => Context::Open,
            (false, true) => Context::String,
            (true, false) => Context::Comment,
            (true, true) => Context::Example,
        });
        is_escaped = c == '\\' && !is_escaped;
        if closes {
            quote = None;
        } else if opens {
            quote = Some(c);
        }
    }
    contexts
}

/// Reports whether a line that begins with `#` at `at` is a directive or an attribute, as in C and Rust.
fn is_directive(text: &[Placed], at: usize) -> bool {
    let next = text.get(at + 1).map(|&(_, character)| character);
    text[at].1 == '#' && next.is_some_and(|next| next.is_ascii_alphabetic() || next == '[')
}
