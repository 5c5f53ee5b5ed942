//! Pairs of versions, with the version that should be restored.

use crate::Document;
use crate::tests::generated::{codec, encode};
use crate::tests::versions::corpus::{LANGUAGES, Language};
use crate::tests::versions::edits::{edit, edit_oddly};
use crate::tests::versions::tools::Tool;
use utf8kit_testing::Random;

/// A line of a file, in an encoding of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) encoding: &'static str,
    /// Whether it was added after the damage.
    pub(super) is_later: bool,
}

/// An old version, a new one, and the old one with only the edits.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    pub(super) edited: Vec<u8>,
    pub(super) is_damaged: bool,
    /// Whether the damage destroyed added text, so that it cannot be restored.
    pub(super) is_destroyed: bool,
}

/// Returns one damage and one edit.
pub(super) fn simple(random: &mut Random) -> Option<Case> {
    let language = &LANGUAGES[random.below(LANGUAGES.len())];
    let encoding = random.pick(language.encodings);
    let lines = lines_of(random, language, &[encoding], 14, false);
    let mut edited = lines.clone();
    let what = edit(random, &mut edited, language, false);
    let tool = if random.below(5) == 0 { Tool::Nothing } else { Tool::usual(random, encoding) };
    let end = random.pick(&["\n", "\n", "\r\n"]);
    let new_lines = damaged(&edited, |_| tool)?;
    Pair { lines, edited, new_lines, end, new_end: end, name: format!("{encoding}: {tool:?}, {what}") }.case()
}

/// Returns several edits, with one damage or several, or none.
pub(super) fn hard(random: &mut Random) -> Option<Case> {
    let language = &LANGUAGES[random.below(LANGUAGES.len())];
    let encoding = random.pick(language.encodings);
    let is_mixed = encoding != "utf-8" && random.below(3) == 0;
    let encodings: &[&'static str] = if is_mixed { &["utf-8", encoding] } else { &[encoding] };
    let lines = lines_of(random, language, encodings, 40, true);
    let mut edited = lines.clone();
    let count = 1 + random.below(4);
    let done: Vec<&str> = (0..count).map(|_| edit(random, &mut edited, language, true)).collect();
    let mut done = done.join(", ");
    let end = random.pick(&["\n", "\n", "\r\n"]);
    let new_end = if random.below(12) == 0 { if end == "\n" { "\r\n" } else { "\n" } } else { end };
    let own = if is_mixed { "mixed" } else { "" };
    let (one, two) = (Tool::any(random, encoding), Tool::any(random, encoding));
    let from = random.below(edited.len());
    let (new_lines, tool) = match random.below(10) {
        0 | 1 => {
            done = format!("{done}, {}", edit_oddly(random, &mut edited, language));
            (damaged(&edited, |_| Tool::Nothing)?, "nothing".to_owned())
        }
        2 if !matches!(one, Tool::ToUtf8 | Tool::Decomposes | Tool::WrittenIn("gb18030")) => {
            // A person repaired the damage of a program. Lossless changes that read equally well are not damage.
            let damaged = damaged(&lines, |_| one)?;
            let (old, new) = (joined(&damaged, end), bytes(&edited, end)?);
            let is_other = old != bytes(&lines, end)?;
            let name = format!("{own} {encoding}: repaired {one:?}, {done}");
            let (edited, is_damaged, is_destroyed) = (new.clone(), false, false);
            return is_other.then_some(Case { name, old, new, edited, is_damaged, is_destroyed });
        }
        3 => (one_letter(random, &edited, one)?, format!("one letter by {one:?}")),
        4 | 5 if one.written(encoding) == two.written(encoding) => {
            let name = format!("{one:?} to line {from}, then {two:?}");
            (damaged(&edited, |line| if line < from { one } else { two })?, name)
        }
        6 if one.written(encoding) == encoding => {
            let tool = |line| if line < from { one } else { Tool::Nothing };
            (damaged(&edited, tool)?, format!("{one:?} to line {from}"))
        }
        7 => {
            let encoding = one.written(encoding);
            let text = language.telling_line(random, false);
            edited.insert(from, Line { text, encoding, is_later: true });
            (damaged(&edited, |_| one)?, format!("{one:?}, line {from} later"))
        }
        _ => (damaged(&edited, |_| one)?, format!("{one:?}")),
    };
    if let Some(later) = edited.iter_mut().find(|line| line.is_later) {
        // It would be in the encoding of the file.
        later.encoding = encoding;
    }
    let name = format!("{own} {encoding}: {tool}, {done}{}", if end == new_end { "" } else { ", line ends" });
    Pair { lines, edited, new_lines, end, new_end, name }.case()
}

fn lines_of(
    random: &mut Random,
    language: &Language,
    encodings: &[&'static str],
    most: usize,
    is_hard: bool,
) -> Vec<Line> {
    let count = 3 + random.below(most);
    let mut lines = Vec::new();
    for index in 0..count {
        let encoding = random.pick(encodings);
        let text = match index < 2 * encodings.len() {
            true => language.telling_line(random, is_hard),
            false => language.line(random, is_hard),
        };
        let encoding = if index < encodings.len() { encodings[index] } else { encoding };
        lines.push(Line { text, encoding, is_later: false });
    }
    // Shuffle, so that the first lines are not special.
    for index in 0..lines.len() {
        lines.swap(index, random.below(count));
    }
    lines
}

/// Runs a tool, chosen by the number of each line, on lines.
fn damaged(lines: &[Line], tool: impl Fn(usize) -> Tool) -> Option<Vec<Vec<u8>>> {
    let each = |(index, line): (usize, &Line)| {
        let tool = if line.is_later { Tool::Nothing } else { tool(index) };
        tool.run(line.encoding, &line.text)
    };
    lines.iter().enumerate().map(each).collect()
}

/// Returns lines in which a tool damaged one letter.
fn one_letter(random: &mut Random, lines: &[Line], tool: Tool) -> Option<Vec<Vec<u8>>> {
    let telling: Vec<usize> = (0..lines.len()).filter(|&line| !lines[line].text.is_ascii()).collect();
    let at = random.pick(&telling);
    let Line { text, encoding, .. } = &lines[at];
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| !c.is_ascii()).collect();
    let (start, letter) = random.pick(&letters);
    let end = start + letter.len_utf8();
    // A missing letter, or a question mark at the end of a word, may be an edit.
    if tool.drops() || !text[end..].starts_with(char::is_alphabetic) {
        return None;
    }
    let mut new = damaged(lines, |_| Tool::Nothing)?;
    let own = codec(encoding);
    new[at] =
        [encode(own, &text[..start])?, tool.run(encoding, &letter.to_string())?, encode(own, &text[end..])?].concat();
    Some(new)
}

fn joined(lines: &[Vec<u8>], end: &str) -> Vec<u8> {
    lines.iter().flat_map(|line| [line, end.as_bytes()]).flatten().copied().collect()
}

struct Pair {
    lines: Vec<Line>,
    edited: Vec<Line>,
    new_lines: Vec<Vec<u8>>,
    end: &'static str,
    new_end: &'static str,
    name: String,
}

/// Returns lines in their encodings.
fn bytes(lines: &[Line], end: &str) -> Option<Vec<u8>> {
    let lines = lines.iter().map(|line| encode(codec(line.encoding), &line.text));
    Some(joined(&lines.collect::<Option<Vec<Vec<u8>>>>()?, end))
}

impl Pair {
    /// Returns the case, if it can be recognised.
    fn case(self) -> Option<Case> {
        let (old, edited) = (bytes(&self.lines, self.end)?, bytes(&self.edited, self.end)?);
        let new = joined(&self.new_lines, self.new_end);
        let is_damaged = new != edited;
        if !is_damaged && !self.name.contains("othing") {
            return None; // The tool did nothing.
        }
        // The encodings of a file are a question for detection.
        let mut known: Vec<_> =
            self.lines.iter().filter(|line| !line.text.is_ascii()).map(|line| codec(line.encoding)).collect();
        known.dedup();
        let encodings = Document::open(&old).encodings();
        if known.iter().any(|codec| !encodings.contains(codec)) || encodings.iter().any(|codec| !known.contains(codec))
        {
            return None;
        }
        let names = |tools: &[&str]| tools.iter().any(|tool| self.name.contains(tool));
        let loses = names(&["Utf8", "Bytes", "Ascii", "References", "Through", "WrittenIn"]);
        // If dropped text leaves no trace, a few places are not enough evidence.
        let telling = |lines: &[Line]| lines.iter().filter(|line| !line.text.is_ascii()).count();
        if names(&["\"\""]) && (telling(&self.lines) < 3 || telling(&self.edited) < 3) {
            return None;
        }
        let is_typed = |line: &Line| !line.is_later && !line.text.is_ascii() && !self.lines.contains(line);
        // Typed text cannot be recognised in a line that lost it and now equals the old line, or what the old line
        // would have become.
        let mut all = self.edited.iter().zip(&self.new_lines);
        let is_old = |new: &[u8]| self.lines.iter().any(|line| line.text.as_bytes() == new);
        let shown = |text: &str| (text.chars().filter(char::is_ascii).collect::<String>(), text.chars().count());
        let is_like_old = |line: &Line| self.lines.iter().any(|old| shown(&old.text) == shown(&line.text));
        if all.any(|(line, new)| is_typed(line) && (is_old(new) || loses && is_like_old(line))) {
            return None;
        }
        // A wrong encoding lacks some of the bytes.
        let is_lost = |line: &[u8]| memchr::memmem::find(line, "\u{FFFD}".as_bytes()).is_some();
        let mut lines = self.edited.iter().zip(&self.new_lines);
        let is_destroyed = is_damaged && lines.any(|(line, new)| is_typed(line) && (loses || is_lost(new)));
        Some(Case { name: self.name, old, new, edited, is_damaged, is_destroyed })
    }
}
