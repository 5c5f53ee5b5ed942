//! Text in a row that people overlook or mistake for something else.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use unicode_ident::{is_xid_continue, is_xid_start};

use super::line::{Context, Line, lines};
use super::{damage, hidden_text, look_alike};
use crate::rows::{RowFormat, RowSyntax};
use crate::violation::Violation;

pub(super) use super::line::Written;

/// Returns the parts of a row that people overlook or mistake for something else, in order.
pub(super) fn find(syntax: &RowSyntax, row: &[u8], first: bool, written: Written) -> Vec<Violation> {
    let mut found = Vec::new();
    if passes(syntax, row) {
        return found;
    }
    let is_text = std::str::from_utf8(row).is_ok();
    for line in lines(syntax, row, first, written) {
        let start = found.len();
        found.extend(hidden_text::find(&line));
        // Text in another encoding has no words.
        if is_text {
            found.extend(damage::find(&line));
            found.extend(look_alike::find(&line));
        }
        found[start..].sort_by_key(|violation| violation.offset);
    }
    found
}

/// The lines of a row of code.
pub(super) struct Code(Vec<Line>);

impl Code {
    pub(super) fn of(syntax: &RowSyntax, row: &[u8], first: bool) -> Code {
        Code(lines(syntax, row, first, Written::Code).filter(|line| !line.text.is_empty()).collect())
    }

    /// Reports whether a span is part of a name that would be a different name without it, because letters stand on
    /// both sides, or because programs treat the span itself as letters.
    pub(super) fn has_in_name(&self, violation: &Violation) -> bool {
        let span = violation.offset..violation.offset + violation.len;
        // JavaScript allows joiners in names.
        let is_letter = |c: char| is_xid_continue(c) || matches!(c, '\u{200C}' | '\u{200D}');
        let later = self.0.partition_point(|line| line.text[0].0.start <= span.start);
        let Some(line) = later.checked_sub(1).map(|at| &self.0[at]) else { return false };
        let Ok(at) = line.text.binary_search_by_key(&span.start, |(range, _)| range.start) else {
            return false;
        };
        let len = line.text[at..].iter().take_while(|(range, _)| range.start < span.end).count();
        let is_part = |at: usize| line.text.get(at).is_some_and(|&(_, c)| is_letter(c));
        let (before, behind) = (at.checked_sub(1).is_some_and(is_part), is_part(at + len));
        let is_itself = (at..at + len).all(is_part) && (before || behind || is_xid_start(line.text[at].1));
        line.contexts[at] == Context::Open && (before && behind || is_itself)
    }
}

/// Reports whether some rows certainly hide nothing: they are ASCII without controls, or letters that cannot be
/// mistaken for others.
pub(super) fn passes(syntax: &RowSyntax, rows: &[u8]) -> bool {
    let has_escapes = matches!(syntax.format(), RowFormat::Json | RowFormat::Jsonl)
        && memchr::memmem::find(rows, b"\\u").is_some();
    let has_controls =
        || rows.iter().any(|byte| hidden_text::is_alien_control(char::from(*byte)) && byte.is_ascii());
    !has_escapes
        && !has_controls()
        && (utf8kit::is_ascii(rows) || std::str::from_utf8(rows).is_ok_and(are_plain))
}

/// Cached properties of 64 code points.
const NOT_CACHED: u8 = 0;
const PLAIN: u8 = 1;
const SUSPECT: u8 = 2;

/// Cached properties of all code points, in groups of 64. They are computed on first use, because few code points
/// occur.
static BLOCKS: LazyLock<Vec<AtomicU8>> =
    LazyLock::new(|| std::iter::repeat_with(AtomicU8::default).take(0x11_0000 / 64).collect());

/// Reports whether all characters are from groups without hidden, confusable or damaged characters.
fn are_plain(text: &str) -> bool {
    let non_ascii = |&byte: &u8| !byte.is_ascii();
    let mut rest = text;
    while let Some(at) = rest.as_bytes().iter().position(non_ascii) {
        let mut characters = rest[at..].chars();
        if !characters.next().is_some_and(|c| is_plain(c.into())) {
            return false;
        }
        rest = characters.as_str();
    }
    !damage::may_be(text)
}

fn is_plain(value: u32) -> bool {
    let Some(block) = usize::try_from(value / 64).ok().and_then(|index| BLOCKS.get(index)) else {
        return false;
    };
    match block.load(Relaxed) {
        NOT_CACHED => {
            let first = value & !63;
            let is_suspect = |c| hidden_text::may_hide(c) || look_alike::may_be(c);
            let plain = !(first..first + 64).filter_map(char::from_u32).any(is_suspect);
            block.store(if plain { PLAIN } else { SUSPECT }, Relaxed);
            plain
        }
        known => known == PLAIN,
    }
}
