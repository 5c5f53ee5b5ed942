//! The changes of a repair, line by line, in the style of `diff -u`. They are safe to print on a terminal, whatever the
//! file contains.
//!
//! Lines, hunks and buffers are bounded: only the parts of a long line around its changes are shown.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use utf8kit::AnyEncoding;
use utf8kit::Encoding as _;
use utf8kit::summary::Summary;
use utf8kit_encodings::display::{Hex, is_harmful};

use crate::repair::Edit;

/// The number of lines shown before and after a change.
const LINES_OF_CONTEXT: usize = 3;
/// The most lines of a hunk; further lines begin another hunk.
const MAX_LINES_OF_HUNK: usize = 64;
/// The number of characters shown at each end of an unchanged run.
const MAX_CHARACTERS_SHOWN_AT_END: usize = 160;
/// The most changes shown per line.
const MAX_CHANGES_SHOWN: usize = 100;
/// The number of bytes examined at the ends of an unchanged run. The rest of a longer one is only counted.
const MAX_BYTES_EXAMINED_AT_END: usize = 4096;

/// Text with its changed ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marked {
    /// The text, without line ends and without control characters other than tabs.
    pub text: String,
    /// The byte ranges of the text that are not on the other side, in order.
    pub changed: Vec<Range<usize>>,
    /// Whether the text contains placeholders for bytes, control characters, or omitted parts.
    pub stands_in: bool,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffLine {
    /// An unchanged line.
    Kept(Marked),
    /// A changed line.
    Changed {
        /// The old line.
        old: Marked,
        /// The new line, or several lines if line feeds were inserted.
        new: Vec<Marked>,
    },
}

/// Changed lines with the lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hunk {
    /// The number of its first line in the old text, from 1.
    pub old_start: u64,
    /// The number of lines in the old text.
    pub old_lines: u64,
    /// The number of its first line in the new text, from 1.
    pub new_start: u64,
    /// The number of lines in the new text.
    pub new_lines: u64,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// Turns a stream and its edits into hunks.
///
/// ```
/// use utf8kit::{AnyEncoding, Each, Policy};
/// use utf8kit_detect::repair::{DiffLine, Differ, Repairer};
///
/// let policy = Policy::Replace { each: Each::Subpart, with: "?" };
/// let mut repairer = Repairer::new(&policy.into(), AnyEncoding::Utf8);
/// let mut differ = Differ::new(AnyEncoding::Utf8);
/// let text = b"good\na\xFFb\n";
/// differ.feed(text);
/// repairer.push(text, utf8kit::Piece::Last, &mut Vec::new(), &mut |edit| differ.edit(edit));
/// differ.settle(repairer.offset());
/// differ.end();
/// let hunks = differ.ready();
/// let DiffLine::Changed { old, new } = &hunks[0].lines[1] else { panic!() };
/// assert_eq!((&*old.text, &*new[0].text), ("a\u{2039}FF\u{203A}b", "a?b"));
/// ```
pub struct Differ {
    encoding: AnyEncoding,
    /// The input that is not yet settled, preceded by some settled input, and the offset in the text where the
    /// unsettled part begins.
    window: Vec<u8>,
    settled: usize,
    base: u64,
    /// The number of the next line in the old text and in the new.
    numbers: (u64, u64),
    line: Line,
    /// Unchanged lines that may become context.
    before: VecDeque<Line>,
    hunk: Vec<Line>,
    /// The number of unchanged lines at the end of the hunk.
    calm: usize,
    /// Complete hunks.
    ready: Vec<Hunk>,
}

/// A line and its replacement.
#[derive(Default)]
struct Line {
    old: Marked,
    /// All lines that replace it except the last, and the last.
    new_lines: Vec<Marked>,
    new: Marked,
    changes: usize,
    unchanged: Unchanged,
}

/// Unchanged text between changes: its two ends.
#[derive(Default)]
struct Unchanged {
    front: Marked,
    shown: usize,
    back: VecDeque<Shown>,
    left_out: u64,
    carriage_return: bool,
}

/// A character, or invalid bytes, as shown.
#[derive(Clone)]
enum Shown {
    Char(char),
    Bytes(String),
}

impl Differ {
    /// Creates a differ for the start of a text.
    pub fn new(encoding: AnyEncoding) -> Differ {
        Differ {
            encoding,
            window: Vec::new(),
            settled: 0,
            base: 0,
            numbers: (1, 1),
            line: Line::default(),
            before: VecDeque::new(),
            hunk: Vec::new(),
            calm: 0,
            ready: Vec::new(),
        }
    }

    /// Adds the next piece of the stream, parts of which may be edited.
    pub fn feed(&mut self, piece: &[u8]) {
        self.window.drain(..mem::take(&mut self.settled));
        self.window.extend_from_slice(piece);
    }

    /// Adds the next piece of the stream, which is unchanged.
    pub fn pass(&mut self, piece: &[u8]) {
        self.kept(piece);
        self.base += piece.len() as u64;
    }

    /// Adds an edit of text that has been added.
    pub fn edit(&mut self, edit: Edit<'_>) {
        self.settle(edit.offset);
        let line = &mut self.line;
        line.changes += 1;
        if line.changes <= MAX_CHANGES_SHOWN {
            line.unchanged.flush(&mut line.old, &mut line.new);
        }
        for (value, shown) in shown(self.encoding, edit.before) {
            if value == Some('\n') {
                self.end_line();
                self.line.changes += 1;
            } else if self.line.changes <= MAX_CHANGES_SHOWN {
                shown.write(&mut self.line.old, true);
            }
        }
        for (value, shown) in shown(self.encoding, edit.after) {
            if self.line.changes > MAX_CHANGES_SHOWN {
                break;
            }
            if value == Some('\n') {
                let done = mem::take(&mut self.line.new);
                self.line.new_lines.push(done);
            } else {
                shown.write(&mut self.line.new, true);
            }
        }
        self.skip(edit.before.len());
    }

    /// Declares that no further edits will be added before this offset.
    pub fn settle(&mut self, offset: u64) {
        let len = usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX);
        let start = self.settled;
        self.skip(len);
        // Moved out while it is processed.
        let window = mem::take(&mut self.window);
        self.kept(window.get(start..self.settled).unwrap_or_default());
        self.window = window;
    }

    /// Settles `len` more bytes of the window.
    fn skip(&mut self, len: usize) {
        let end = self.window.len().min(self.settled.saturating_add(len));
        self.base += (end - self.settled) as u64;
        self.settled = end;
    }

    /// Returns the complete hunks, each of them once.
    pub fn ready(&mut self) -> Vec<Hunk> {
        mem::take(&mut self.ready)
    }

    /// Ends the stream.
    pub fn end(&mut self) {
        let Line { old, new, new_lines, unchanged, .. } = &self.line;
        let begun = !old.text.is_empty() || !new.text.is_empty() || !new_lines.is_empty();
        if begun || !unchanged.is_empty() {
            self.end_line();
        }
        self.end_hunk();
    }

    /// Adds unchanged text.
    fn kept(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = self.within_a_line(bytes);
            let near = !self.hunk.is_empty() || self.line.changes > 0;
            let look = if near || bytes.len() <= 2 * MAX_BYTES_EXAMINED_AT_END {
                bytes.len().min(MAX_BYTES_EXAMINED_AT_END)
            } else {
                0
            };
            let cut = self.encoding.floor_char_boundary(bytes, look);
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
                if value == Some('\n') { self.end_line() } else { self.line.unchanged.push(shown) }
            }
            bytes = rest;
        }
    }

    /// Skips the middle of a long line and returns its end.
    fn within_a_line<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        if bytes.len() <= 2 * MAX_BYTES_EXAMINED_AT_END || self.line.unchanged.left_out == 0 {
            return bytes;
        }
        let end = self.encoding.floor_char_boundary(bytes, bytes.len() - MAX_BYTES_EXAMINED_AT_END).max(1);
        if Summary::of(self.encoding, bytes, 0..end, 0, 0).lines > 0 {
            return bytes;
        }
        bytes.get(end..).unwrap_or_default()
    }

    /// Counts the lines of a long run and returns its end.
    fn counted<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = self.encoding.floor_char_boundary(bytes, bytes.len() - MAX_BYTES_EXAMINED_AT_END).max(1);
        let lines_before = Summary::of(self.encoding, bytes, 0..end, 0, 0).lines;
        let lines = lines_before + self.before.drain(..).count() as u64;
        self.numbers.0 += lines;
        self.numbers.1 += lines;
        if lines_before > 0 {
            self.line = Line::default();
        }
        self.line.unchanged.left_out += end as u64;
        bytes.get(end..).unwrap_or_default()
    }

    fn end_line(&mut self) {
        let mut line = mem::take(&mut self.line);
        line.unchanged.carriage_return = false;
        if line.changes > MAX_CHANGES_SHOWN {
            let more = format!("⋯ and {} more changes ", line.changes - MAX_CHANGES_SHOWN);
            line.old.text.push_str(&more);
            line.new.text.push_str(&more);
            (line.old.stands_in, line.new.stands_in) = (true, true);
        }
        line.unchanged.flush(&mut line.old, &mut line.new);
        if line.changes > 0 {
            self.hunk.extend(self.before.drain(..));
            self.hunk.push(line);
            self.calm = 0;
            if self.hunk.len() >= MAX_LINES_OF_HUNK {
                self.end_hunk();
            }
        } else if self.hunk.is_empty() {
            if self.before.len() == LINES_OF_CONTEXT {
                self.before.pop_front();
                self.numbers.0 += 1;
                self.numbers.1 += 1;
            }
            self.before.push_back(line);
        } else {
            self.hunk.push(line);
            self.calm += 1;
            if self.calm == 2 * LINES_OF_CONTEXT {
                self.end_hunk();
            }
        }
    }

    /// Ends a hunk; lines that are not part of its context are kept for the next one.
    fn end_hunk(&mut self) {
        let mut hunk = mem::take(&mut self.hunk);
        if hunk.is_empty() {
            return;
        }
        let calm = hunk.split_off(hunk.len() - self.calm.saturating_sub(LINES_OF_CONTEXT));
        let (old_start, new_start) = self.numbers;
        let old_lines = hunk.len() as u64;
        let new_lines = old_lines + hunk.iter().map(|line| line.new_lines.len() as u64).sum::<u64>();
        let lines = hunk.into_iter().map(Line::into_diff_line).collect();
        self.ready.push(Hunk { old_start, old_lines, new_start, new_lines, lines });
        self.numbers = (old_start + old_lines, new_start + new_lines);
        self.before.extend(calm);
        self.calm = 0;
    }
}

impl Line {
    fn into_diff_line(self) -> DiffLine {
        if self.changes == 0 {
            return DiffLine::Kept(self.old);
        }
        let mut new = self.new_lines;
        new.push(self.new);
        DiffLine::Changed { old: self.old, new }
    }
}

impl Unchanged {
    fn is_empty(&self) -> bool {
        self.shown == 0 && self.left_out == 0
    }

    fn push(&mut self, shown: Shown) {
        if mem::take(&mut self.carriage_return) {
            self.add(Shown::Char('\r'));
        }
        match shown {
            // Not shown before a line feed.
            Shown::Char('\r') => self.carriage_return = true,
            shown => self.add(shown),
        }
    }

    fn add(&mut self, shown: Shown) {
        self.shown += 1;
        if self.shown <= MAX_CHARACTERS_SHOWN_AT_END && self.left_out == 0 {
            shown.write(&mut self.front, false);
            return;
        }
        if self.back.len() == MAX_CHARACTERS_SHOWN_AT_END {
            self.back.pop_front();
            self.left_out += 1;
        }
        self.back.push_back(shown);
    }

    /// Appends the run to both sides.
    fn flush(&mut self, old: &mut Marked, new: &mut Marked) {
        let mut unchanged = mem::take(self);
        if mem::take(&mut unchanged.carriage_return) {
            unchanged.add(Shown::Char('\r'));
        }
        let mut text = unchanged.front;
        if unchanged.left_out > 0 {
            text.text.push('⋯');
            text.stands_in = true;
        }
        for shown in &unchanged.back {
            shown.write(&mut text, false);
        }
        for side in [old, new] {
            side.text.push_str(&text.text);
            side.stands_in |= text.stands_in;
        }
    }
}

impl Shown {
    fn write(&self, side: &mut Marked, changed: bool) {
        let Marked { text, changed: ranges, stands_in } = side;
        let start = text.len();
        match self {
            Shown::Char(c) if *c == '\t' || !is_harmful(*c) => text.push(*c),
            shown => {
                *stands_in = true;
                match shown {
                    Shown::Char('\r') => text.push('␍'),
                    Shown::Char(c) => text.extend(c.escape_unicode()),
                    Shown::Bytes(bytes) => text.push_str(bytes),
                }
            }
        }
        match ranges.last_mut() {
            _ if !changed => {}
            Some(last) if last.end == start => last.end = text.len(),
            _ => ranges.push(start..text.len()),
        }
    }
}

/// Returns the characters of some bytes; invalid bytes appear as `‹C0›`.
fn shown(encoding: AnyEncoding, bytes: &[u8]) -> impl Iterator<Item = (Option<char>, Shown)> {
    encoding.items(bytes).map(move |item| match item.result.ok().and_then(char::from_u32) {
        Some(c) => (Some(c), Shown::Char(c)),
        None => {
            let bytes = bytes.get(item.offset..item.offset + item.len).unwrap_or_default();
            (None, Shown::Bytes(format!("‹{}›", Hex(bytes))))
        }
    })
}
