//! A line with all that a reader of it sees: its characters, and in code, what each is part of.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use unicode_ident::{is_xid_continue, is_xid_start};

use super::{damaged, hidden, look_alike, value};
use crate::refusal::{Refusal, RefusalKind};
use crate::rows::{RowFormat, RowSyntax};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// For people: U+FFFD means that something was lost.
    Text,
    /// In a programming language.
    Code,
}

/// What a character is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Code, or text.
    Open,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// Something within quotes in a comment.
    Example,
}

/// A character and where it is in the row.
pub(super) type Placed = (Range<usize>, char);

/// A value: a line, or a field.
pub(super) struct Line {
    pub(super) text: Vec<Placed>,
    /// What each character is part of.
    pub(super) places: Vec<Place>,
    pub(super) written: Written,
}

impl Line {
    /// Returns a refusal of some characters, which are not none.
    pub(super) fn refusal(&self, characters: Range<usize>, kind: RefusalKind) -> Refusal {
        let ranges = self.text.get(characters).unwrap_or_default();
        let (start, end) = match ranges {
            [(first, _), .., (last, _)] => (first.start, last.end),
            [(one, _)] => (one.start, one.end),
            [] => (0, 0),
        };
        Refusal::new(start, end - start, kind)
    }
}

/// Returns what readers of a row do not see, or take for something else, in order.
pub(super) fn find(syntax: &RowSyntax, row: &[u8], first: bool, written: Written) -> Vec<Refusal> {
    let mut found = Vec::new();
    if passes(syntax, row) {
        return found;
    }
    let is_text = std::str::from_utf8(row).is_ok();
    for line in lines(syntax, row, first, written) {
        let start = found.len();
        found.extend(hidden::find(&line));
        // What is in another encoding has no words.
        if is_text {
            found.extend(damaged::find(&line));
            found.extend(look_alike::find(&line));
        }
        found[start..].sort_by_key(|refusal| refusal.offset);
    }
    found
}

/// Returns the lines of a row. A byte order mark is not part of them, if the input begins with the row.
pub(super) fn lines(
    syntax: &RowSyntax,
    row: &[u8],
    first: bool,
    written: Written,
) -> impl Iterator<Item = Line> {
    let is_mark = move |range: &Range<usize>, character| first && range.start == 0 && character == '\u{FEFF}';
    value::of(syntax, row).map(move |value| {
        let characters = value.characters(row).filter_map(|(range, character)| Some((range, character?)));
        let text: Vec<Placed> = characters.filter(|(range, character)| !is_mark(range, *character)).collect();
        let places = match written {
            Written::Text => vec![Place::Open; text.len()],
            Written::Code => places(&text),
        };
        Line { text, places, written }
    })
}

/// Reports whether a span of code is a part of a name, which is another name without it: a letter stands on both sides,
/// or programs take the span itself for letters.
pub(super) fn is_in_name(syntax: &RowSyntax, row: &[u8], first: bool, refusal: &Refusal) -> bool {
    let span = refusal.offset..refusal.offset + refusal.len;
    // JavaScript has joiners in names.
    let is_letter = |c: char| is_xid_continue(c) || matches!(c, '\u{200C}' | '\u{200D}');
    lines(syntax, row, first, Written::Code).any(|line| {
        let Some(at) = line.text.iter().position(|(range, _)| range.start == span.start) else {
            return false;
        };
        let len = line.text[at..].iter().take_while(|(range, _)| range.start < span.end).count();
        let is_part = |at: usize| line.text.get(at).is_some_and(|&(_, c)| is_letter(c));
        let (before, behind) = (at.checked_sub(1).is_some_and(is_part), is_part(at + len));
        let is_itself = (at..at + len).all(is_part) && (before || behind || is_xid_start(line.text[at].1));
        line.places[at] == Place::Open && (before && behind || is_itself)
    })
}

/// Reports whether some rows surely show all they say: they are ASCII, or letters that are nothing else.
pub(super) fn passes(syntax: &RowSyntax, rows: &[u8]) -> bool {
    let has_escapes = matches!(syntax.format(), RowFormat::Json | RowFormat::Jsonl)
        && memchr::memmem::find(rows, b"\\u").is_some();
    !has_escapes && (utf8kit::is_ascii(rows) || std::str::from_utf8(rows).is_ok_and(are_plain))
}

/// What is known of 64 code points.
const UNKNOWN: u8 = 0;
const PLAIN: u8 = 1;
const SUSPECT: u8 = 2;

/// What is known of all code points, by 64. It is found out when they occur: few of them do.
static BLOCKS: LazyLock<Vec<AtomicU8>> =
    LazyLock::new(|| std::iter::repeat_with(AtomicU8::default).take(0x11_0000 / 64).collect());

/// Reports whether all characters are of blocks in which none is hidden or taken for another, and none is damage.
fn are_plain(text: &str) -> bool {
    let beyond = |&byte: &u8| !byte.is_ascii();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().iter().position(beyond) {
        let mut characters = rest[at..].chars();
        if !characters.next().is_some_and(|c| is_plain(c.into())) {
            return false;
        }
        rest = characters.as_str();
    }
    !damaged::may_be(text)
}

fn is_plain(value: u32) -> bool {
    let Some(block) = usize::try_from(value / 64).ok().and_then(|index| BLOCKS.get(index)) else {
        return false;
    };
    match block.load(Relaxed) {
        UNKNOWN => {
            let first = value & !63;
            let is_suspect = |c| hidden::may_hide(c) || look_alike::may_be(c);
            let plain = !(first..first + 64).filter_map(char::from_u32).any(is_suspect);
            block.store(if plain { PLAIN } else { SUSPECT }, Relaxed);
            plain
        }
        known => known == PLAIN,
    }
}

/// Signs that begin a comment anywhere, or only where nothing but spaces stands before them.
const COMMENTS: [&str; 4] = ["//", "/*", "<!--", "--"];
const COMMENT_LINES: [&str; 5] = ["* ", "*/", ";", "%", "#"];

/// Returns what each character of a line of code is part of, in the languages of which most is written: strings are
/// in quotes, comments begin with the usual signs. A line is read on its own; a comment of several lines is known by
/// its star.
fn places(text: &[Placed]) -> Vec<Place> {
    let begins = |at: usize, sign: &str| {
        let mut characters = text[at..].iter().map(|&(_, character)| character);
        sign.chars().all(|wanted| characters.next() == Some(wanted))
    };
    let character = |at: usize| text.get(at).map(|&(_, character)| character);
    let is_space = |at: usize| character(at).is_none_or(char::is_whitespace);
    let mut places = Vec::with_capacity(text.len());
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
                // Not an apostrophe, nor a lifetime of Rust.
                '\'' => {
                    !before.and_then(character).is_some_and(char::is_alphanumeric)
                        && text[at + 1..].iter().any(|&(_, c)| c == '\'')
                }
                _ => false,
            };
        places.push(match (in_comment, quote.is_some() || opens) {
            (false, false) => Place::Open,
            (false, true) => Place::String,
            (true, false) => Place::Comment,
            (true, true) => Place::Example,
        });
        is_escaped = c == '\\' && !is_escaped;
        if closes {
            quote = None;
        } else if opens {
            quote = Some(c);
        }
    }
    places
}

/// Reports whether a line that begins with `#` at `at` is a directive or an attribute, as in C and Rust.
fn is_directive(text: &[Placed], at: usize) -> bool {
    let next = text.get(at + 1).map(|&(_, character)| character);
    text[at].1 == '#' && next.is_some_and(|next| next.is_ascii_alphabetic() || next == '[')
}
