//! What a repair changes, line by line, as `diff -u` shows it: safe on a terminal, whatever is in the file.
//!
//! Lines, hunks and what is held are bounded: a long line is shown around its changes only.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::mem;

use utf8kit::{AnyEncoding, Summary, floor_in, items};

use crate::mend::Edit;
use crate::printer::{ADDED, FAINT, Printer, REMOVED};
use crate::text::{Hex, is_harmful};

/// Lines shown before and after a change.
const CONTEXT: usize = 3;
/// The most lines of a hunk; behind them begins another one.
const HUNK: usize = 64;
/// The characters of an unchanged stretch that are shown at either end of it.
const ENDS: usize = 160;
/// The most changes of a line that are shown.
const CHANGES: usize = 100;
/// Unchanged stretches that are longer are counted, not looked at, but for this much at their ends.
const LOOKED_AT: usize = 4096;

/// Takes a stream and its edits, and makes hunks of them.
pub(crate) struct Differ {
    encoding: AnyEncoding,
    styles: Styles,
    /// What has come and is not settled yet; where it begins.
    window: Vec<u8>,
    base: u64,
    /// The next line's number, in the old text and in the new.
    numbers: (u64, u64),
    line: Line,
    /// Unchanged lines that may become context.
    before: VecDeque<Line>,
    hunk: Vec<Line>,
    /// How many unchanged lines stand at the end of the hunk.
    calm: usize,
    /// What is to be printed.
    ready: String,
    header: Option<String>,
}

/// How the sides of a change look.
struct Styles {
    removed: anstyle::Style,
    added: anstyle::Style,
    place: anstyle::Style,
    /// The bytes that are changed, and what they become.
    before: anstyle::Style,
    after: anstyle::Style,
}

/// A line, and what becomes of it.
#[derive(Default)]
struct Line {
    old: String,
    new: String,
    changes: usize,
    /// Line feeds in the new text.
    feeds: u64,
    stretch: Stretch,
}

/// Unchanged text between changes: both its ends.
#[derive(Default)]
struct Stretch {
    front: String,
    shown: usize,
    back: VecDeque<Shown>,
    left_out: u64,
    carriage_return: bool,
}

/// A character, or bytes that are none, as shown.
#[derive(Clone)]
enum Shown {
    Char(char),
    Text(String),
}

impl Differ {
    /// For a file of this name.
    pub(crate) fn new(encoding: AnyEncoding, name: &dyn std::fmt::Display, printer: &Printer) -> Differ {
        let styles = Styles {
            removed: printer.style(REMOVED),
            added: printer.style(ADDED),
            place: printer.style(FAINT),
            before: printer.style(REMOVED.invert()),
            after: printer.style(ADDED.invert()),
        };
        let Styles { removed, added, .. } = styles;
        let header = format!("{removed}--- {name}{removed:#}\n{added}+++ {name} (repaired){added:#}\n");
        Differ {
            encoding,
            styles,
            window: Vec::new(),
            base: 0,
            numbers: (1, 1),
            line: Line::default(),
            before: VecDeque::new(),
            hunk: Vec::new(),
            calm: 0,
            ready: String::new(),
            header: Some(header),
        }
    }

    /// The next piece of the stream, some of which may be edited.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        self.window.extend_from_slice(piece);
    }

    /// The next piece of the stream, all of which stays as it is.
    pub(crate) fn pass(&mut self, piece: &[u8]) {
        self.kept(piece);
        self.base += piece.len() as u64;
    }

    /// An edit of what has come.
    pub(crate) fn edit(&mut self, edit: Edit<'_>) {
        self.settle(edit.offset);
        let line = &mut self.line;
        line.changes += 1;
        if line.changes <= CHANGES {
            line.stretch.flush(&mut line.old, &mut line.new);
        }
        for (value, shown) in shown(self.encoding, edit.before) {
            if value == Some('\n') {
                self.end_line();
                self.line.changes += 1;
            } else if self.line.changes <= CHANGES {
                shown.write(&mut self.line.old, Some(self.styles.before));
            }
        }
        for (value, shown) in shown(self.encoding, edit.after) {
            if self.line.changes > CHANGES {
                break;
            }
            if value == Some('\n') {
                self.line.new.push('\n');
                self.line.feeds += 1;
            } else {
                shown.write(&mut self.line.new, Some(self.styles.after));
            }
        }
        self.take(edit.before.len());
    }

    /// Nothing more is edited before this offset.
    pub(crate) fn settle(&mut self, offset: u64) {
        let len = usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let settled = self.take(len);
        self.kept(&settled);
    }

    /// The front of the window, which is no part of it any more.
    fn take(&mut self, len: usize) -> Vec<u8> {
        let rest = self.window.split_off(len.min(self.window.len()));
        let front = mem::replace(&mut self.window, rest);
        self.base += front.len() as u64;
        front
    }

    /// What can be printed by now.
    pub(crate) fn ready(&mut self) -> String {
        mem::take(&mut self.ready)
    }

    /// Ends the stream.
    pub(crate) fn end(&mut self) {
        if !self.line.old.is_empty() || !self.line.new.is_empty() || !self.line.stretch.is_empty() {
            self.end_line();
        }
        self.end_hunk();
    }

    /// Unchanged text.
    fn kept(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = self.within_a_line(bytes);
            let near = !self.hunk.is_empty() || self.line.changes > 0;
            let look = if near || bytes.len() <= 2 * LOOKED_AT { bytes.len().min(LOOKED_AT) } else { 0 };
            let cut = floor_in(self.encoding, bytes, look);
            let cut = if look == bytes.len() {
                look
            } else if look > 0 {
                cut.max(1)
            } else {
                0
            };
            if cut == 0 {
                bytes = self.counted(bytes);
                continue;
            }
            let (front, rest) = bytes.split_at(cut);
            for (value, shown) in shown(self.encoding, front) {
                if value == Some('\n') { self.end_line() } else { self.line.stretch.push(shown) }
            }
            bytes = rest;
        }
    }

    /// Passes over the middle of a long line; leaves its end to be looked at.
    fn within_a_line<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        if bytes.len() <= 2 * LOOKED_AT || self.line.stretch.left_out == 0 {
            return bytes;
        }
        let end = floor_in(self.encoding, bytes, bytes.len() - LOOKED_AT).max(1);
        if Summary::of(self.encoding, bytes, 0..end, 0, 0).lines > 0 {
            return bytes;
        }
        bytes.get(end..).unwrap_or_default()
    }

    /// Counts the lines of a long stretch; leaves its end to be looked at.
    fn counted<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = floor_in(self.encoding, bytes, bytes.len() - LOOKED_AT).max(1);
        let passed = Summary::of(self.encoding, bytes, 0..end, 0, 0).lines;
        let lines = passed + self.before.drain(..).count() as u64;
        self.numbers.0 += lines;
        self.numbers.1 += lines;
        if passed > 0 {
            self.line = Line::default();
        }
        self.line.stretch.left_out += end as u64;
        bytes.get(end..).unwrap_or_default()
    }

    fn end_line(&mut self) {
        let mut line = mem::take(&mut self.line);
        line.stretch.carriage_return = false;
        if line.changes > CHANGES {
            let more = format!("⋯ and {} more changes ", line.changes - CHANGES);
            line.old.push_str(&more);
            line.new.push_str(&more);
        }
        line.stretch.flush(&mut line.old, &mut line.new);
        if line.changes > 0 {
            self.hunk.extend(self.before.drain(..));
            self.hunk.push(line);
            self.calm = 0;
            if self.hunk.len() >= HUNK {
                self.end_hunk();
            }
        } else if self.hunk.is_empty() {
            if self.before.len() == CONTEXT {
                self.before.pop_front();
                self.numbers.0 += 1;
                self.numbers.1 += 1;
            }
            self.before.push_back(line);
        } else {
            self.hunk.push(line);
            self.calm += 1;
            if self.calm == 2 * CONTEXT {
                self.end_hunk();
            }
        }
    }

    /// Makes text of a hunk; lines that are no context of it are kept for the next one.
    fn end_hunk(&mut self) {
        let mut hunk = mem::take(&mut self.hunk);
        if hunk.is_empty() {
            return;
        }
        let calm = hunk.split_off(hunk.len() - self.calm.saturating_sub(CONTEXT));
        let Styles { removed, added, place, .. } = self.styles;
        self.ready.push_str(&self.header.take().unwrap_or_default());
        let old = hunk.len() as u64;
        let new = old + hunk.iter().map(|line| line.feeds).sum::<u64>();
        let (old_at, new_at) = self.numbers;
        // Infallible, as all that follow: it is a String.
        let _ = writeln!(self.ready, "{place}@@ -{old_at},{old} +{new_at},{new} @@{place:#}");
        for line in &hunk {
            if line.changes == 0 {
                let _ = writeln!(self.ready, " {}", line.old);
                continue;
            }
            let _ = writeln!(self.ready, "{removed}-{removed:#}{}", line.old);
            for new in line.new.split('\n') {
                let _ = writeln!(self.ready, "{added}+{added:#}{new}");
            }
        }
        self.numbers = (old_at + old, new_at + new);
        self.before.extend(calm);
        self.calm = 0;
    }
}

impl Stretch {
    fn is_empty(&self) -> bool {
        self.shown == 0 && self.left_out == 0
    }

    fn push(&mut self, shown: Shown) {
        if mem::take(&mut self.carriage_return) {
            self.add(Shown::Char('␍'));
        }
        match shown {
            // Before a line feed it goes without saying.
            Shown::Char('\r') => self.carriage_return = true,
            shown => self.add(shown),
        }
    }

    fn add(&mut self, shown: Shown) {
        self.shown += 1;
        if self.shown <= ENDS && self.left_out == 0 {
            shown.write(&mut self.front, None);
            return;
        }
        if self.back.len() == ENDS {
            self.back.pop_front();
            self.left_out += 1;
        }
        self.back.push_back(shown);
    }

    /// Appends it to both sides.
    fn flush(&mut self, old: &mut String, new: &mut String) {
        let mut stretch = mem::take(self);
        if mem::take(&mut stretch.carriage_return) {
            stretch.add(Shown::Char('␍'));
        }
        let mut text = stretch.front;
        if stretch.left_out > 0 {
            text.push('⋯');
        }
        for shown in &stretch.back {
            shown.write(&mut text, None);
        }
        old.push_str(&text);
        new.push_str(&text);
    }
}

impl Shown {
    fn write(&self, text: &mut String, style: Option<anstyle::Style>) {
        let style = style.unwrap_or_default();
        let _ = match self {
            Shown::Char('\t') => write!(text, "\t"),
            Shown::Char('\r') => write!(text, "{style}␍{style:#}"),
            Shown::Char(c) if is_harmful(*c) => write!(text, "{style}{}{style:#}", c.escape_unicode()),
            Shown::Char(c) => write!(text, "{style}{c}{style:#}"),
            Shown::Text(bytes) => write!(text, "{style}{bytes}{style:#}"),
        };
    }
}

/// The characters of some bytes, and what is none as `‹C0›`.
fn shown(encoding: AnyEncoding, bytes: &[u8]) -> impl Iterator<Item = (Option<char>, Shown)> {
    items(encoding, bytes).map(move |item| match item.result.ok().and_then(char::from_u32) {
        Some(c) => (Some(c), Shown::Char(c)),
        None => {
            let bytes = bytes.get(item.offset..item.offset + item.len).unwrap_or_default();
            (None, Shown::Text(format!("‹{}›", Hex(bytes))))
        }
    })
}
