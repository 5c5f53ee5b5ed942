//! Lines that were moved or copied, and damaged: an added line that is one of the old version as a view shows it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::charset::Codec;
use crate::document::compare::damaged::{DamageView, Pieces, recodings};
use crate::document::compare::explanation::{Explanation, Moved};
use crate::document::compare::steps::{Class, Step, trimmed};
use crate::document::compare::{Comparer, UTF8};

/// The fewest letters by which a line is known again.
const LETTERS: usize = 4;

/// The most lines that are found again. Others are doubtful.
const MOST: usize = 64;

impl Comparer<'_> {
    /// Finds added lines that are one line of the old version as the view shows it: it was moved, or copied, perhaps
    /// with another indentation. Each takes the bytes of that line. In a file of two encodings, a line that was only
    /// moved does, too: it keeps its encoding among lines of the other.
    pub(super) fn find_moved(&self, best: &mut Explanation) {
        let view = best.view;
        let is_wide = |codec: Codec| matches!(codec, Codec::Native(native) if !native.is_ascii_compatible());
        let has_lines = |codec: Codec| !is_wide(codec) && !codec.is_stateful();
        let is_mixed = self.document.encodings().len() > 1;
        let all_have_lines =
            self.document.encodings().into_iter().chain([view.read, view.write]).all(has_lines);
        if view.is_plain() && !is_mixed || !all_have_lines {
            return;
        }
        let is_changed = |step: &&Step| matches!(step.class, Class::Edit | Class::Damaged(_, true));
        let changed = || best.steps.iter().filter(is_changed);
        let plain = DamageView { canonical: view.canonical, ..DamageView::plain(view.write) };
        let shown = |line: &Range<usize>| plain.pieces(self.new.get(line.clone()).unwrap_or_default(), 0);
        let is_known = |line: &Range<usize>| is_text(&shown(line));
        let added = whole_lines(self.new, changed().map(|step| &step.new));
        // What became of the byte order mark may be in the first line.
        let of_mark = |step: &&Step| !step.old.is_empty() && step.old.start < self.document.mark();
        let marks_end = best.steps.iter().filter(of_mark).map(|step| step.new.end).max().unwrap_or_default();
        let is_known = |line: &Range<usize>| line.start >= marks_end && is_known(line);
        let added: Vec<Range<usize>> = added.into_iter().filter(is_known).collect();
        if added.is_empty() {
            return;
        }
        let removed = whole_lines(self.old, changed().map(|step| &step.old));
        let of_old = |line: &Range<usize>| self.old.get(line.clone()).unwrap_or_default();
        let by_bytes: HashMap<&[u8], &Range<usize>> =
            removed.iter().map(|line| (of_old(line), line)).collect();
        let starts: HashSet<usize> = removed.iter().map(|line| line.start).collect();
        let cores = || added.iter().map(|line| core(self.new, line));
        let wanted = added.iter().cloned().chain(cores()).map(|line| shown(&line).tokens);
        let lines = OldLines::new(self.old, view, &wanted.collect());
        let kind = view.kind(self.document.encodings() == [UTF8]);
        for line in &added {
            let bytes = self.new.get(line.clone()).unwrap_or_default();
            if lines.known.contains(bytes) {
                let old = by_bytes.get(bytes).filter(|_| is_mixed && !bytes.is_ascii());
                let moved = old.map(|&old| Moved { old: old.clone(), new: line.clone(), kind: None });
                best.moved.extend(moved);
                continue;
            }
            let core = core(self.new, line);
            let found = [line.clone(), core].into_iter().find_map(|new| {
                let old = lines.by_tokens.get(&shown(&new).tokens).cloned().flatten()?;
                let bytes = of_old(&old);
                let kind = (self.new.get(new.clone()) != Some(bytes)).then_some(kind);
                (!bytes.is_ascii() && (kind.is_some() || is_mixed)).then_some(Moved { old, new, kind })
            });
            best.moved.extend(found);
            if best.moved.len() == MOST {
                break;
            }
        }
        for moved in &best.moved {
            let line = lines_at(self.old, &moved.old).first().map_or(moved.old.start, |line| line.start);
            let source = if starts.contains(&line) { moved.old.clone() } else { 0..0 };
            best.steps = added_whole(std::mem::take(&mut best.steps), moved, &source);
        }
    }

    /// Doubts added lines that are removed ones as a view shows them: they were moved and damaged.
    pub(super) fn doubt_moved(&self, best: &mut Explanation, views: &[DamageView]) {
        let edits = || best.steps.iter().filter(|step| step.class == Class::Edit);
        let of = |bytes: &[u8], line: Range<usize>| trimmed(bytes.get(line).unwrap_or_default()).to_vec();
        let removed = edits().flat_map(|step| lines_at(self.old, &step.old)).map(|line| of(self.old, line));
        let removed: HashSet<Vec<u8>> = removed.filter(|line| !line.is_ascii()).collect();
        let added: Vec<Range<usize>> = edits().flat_map(|step| lines_at(self.new, &step.new)).collect();
        let is_beyond = |step: &Step| self.old.get(step.old.clone()).is_some_and(|old| !old.is_ascii());
        let stayed = best.steps.iter().any(|step| step.class != Class::Edit && is_beyond(step));
        let others = if stayed || removed.is_empty() { Vec::new() } else { recodings() };
        for &view in views.iter().chain(&others).filter(|_| !removed.is_empty()) {
            let shown = removed.iter().map(|line| view.pieces(line, 0)).filter(is_text);
            let shown: HashSet<Vec<u32>> = shown.map(|pieces| pieces.tokens).collect();
            let plain = DamageView::plain(view.write);
            let is_moved = |line: &&Range<usize>| {
                let line = of(self.new, Range::clone(line));
                !removed.contains(&line) && shown.contains(&plain.pieces(&line, 0).tokens)
            };
            for line in added.iter().filter(is_moved) {
                let is_in = |step: &&mut Step| step.new.start < line.end && step.new.end > line.start;
                best.steps.iter_mut().filter(is_in).filter(|step| step.class == Class::Edit).for_each(
                    |step| {
                        step.class = Class::Damaged(view.kind(self.document.encodings() == [UTF8]), true);
                    },
                );
            }
        }
    }
}

/// Reports whether a line has the letters by which it is known again, or if they are lost, enough of them in several
/// words.
fn is_text(shown: &Pieces) -> bool {
    let is_lost = |c: &char| matches!(*c, char::REPLACEMENT_CHARACTER | '?');
    let letters: Vec<char> = shown.tokens.iter().filter_map(|&token| char::from_u32(token)).collect();
    let left = letters.iter().filter(|c| c.is_alphanumeric()).count();
    let lost = letters.iter().filter(|c| is_lost(c)).count();
    let words = letters.split(|c| !is_lost(c)).filter(|word| !word.is_empty()).count();
    2 * left + lost >= 2 * LETTERS && (left > 0 || words != 1)
}

/// Returns the lines all of whose bytes lie in ascending ranges, without their ends.
fn whole_lines<'r>(bytes: &[u8], ranges: impl Iterator<Item = &'r Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges.filter(|range| !range.is_empty()) {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range.clone()),
        }
    }
    let mut lines = Vec::new();
    for range in joined {
        for line in lines_at(bytes, &range) {
            let len = trimmed(bytes.get(line.clone()).unwrap_or_default()).len();
            let line = line.start..line.start + len;
            if !line.is_empty() && range.start <= line.start && line.end <= range.end {
                lines.push(line);
            }
        }
    }
    lines
}

/// The lines of an old version, without their ends.
struct OldLines<'b> {
    known: HashSet<&'b [u8]>,
    /// By what a view shows, whole and without the spaces around them; `None`: it shows the same for other bytes.
    by_tokens: HashMap<Vec<u32>, Option<Range<usize>>>,
}

impl<'b> OldLines<'b> {
    /// Returns all lines, and by their text those that a view shows as one that is wanted.
    fn new(old: &'b [u8], view: DamageView, wanted: &HashSet<Vec<u32>>) -> OldLines<'b> {
        let (mut known, mut by_tokens) = (HashSet::new(), HashMap::<Vec<u32>, Option<Range<usize>>>::new());
        for line in whole_lines(old, std::iter::once(&(0..old.len()))) {
            let bytes = old.get(line.clone()).unwrap_or_default();
            if !known.insert(bytes) {
                continue;
            }
            let core = core(old, &line);
            for part in [Some(line.clone()), Some(core).filter(|core| *core != line)].into_iter().flatten() {
                let bytes = old.get(part.clone()).unwrap_or_default();
                let tokens = view.pieces(bytes, 0).tokens;
                if wanted.contains(&tokens) {
                    let is_same = |known: &Range<usize>| old.get(known.clone()) == Some(bytes);
                    let entry = by_tokens.entry(tokens).or_insert(Some(part));
                    *entry = entry.take().filter(is_same);
                }
            }
        }
        OldLines { known, by_tokens }
    }
}

/// Returns a line without the spaces around it.
fn core(bytes: &[u8], line: &Range<usize>) -> Range<usize> {
    let text = bytes.get(line.clone()).unwrap_or_default();
    let start = line.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}

/// Makes one step of all that is in a new line that was moved. What it was matched with is removed beside it, and all
/// of the `source`: where the line was, if it is not there any more.
fn added_whole(steps: Vec<Step>, moved: &Moved, source: &Range<usize>) -> Vec<Step> {
    let Moved { new, kind, .. } = moved;
    let mut whole = Vec::with_capacity(steps.len() + 2);
    let mut is_added = false;
    for mut step in steps {
        if step.new.is_empty() && source.start <= step.old.start && step.old.end <= source.end {
            step.class = Class::Edit;
        }
        if step.new.end <= new.start || step.new.start >= new.end {
            whole.push(step);
            continue;
        }
        let class = if step.new.is_empty() { step.class } else { Class::Edit };
        if !is_added {
            let at = step.old.end;
            whole.push(Step { old: step.old.clone(), new: step.new.start..new.start, class });
            let class = kind.map_or(Class::Edit, |kind| Class::Damaged(kind, true));
            whole.push(Step { old: at..at, new: new.clone(), class });
            (is_added, step.old.start) = (true, at);
        }
        whole.push(Step { old: step.old, new: new.end..step.new.end.max(new.end), class });
    }
    whole.retain(|step| !step.old.is_empty() || !step.new.is_empty());
    whole
}

/// Returns the lines that a range touches.
fn lines_at(bytes: &[u8], range: &Range<usize>) -> Vec<Range<usize>> {
    let before = bytes.get(..range.start).unwrap_or_default();
    let mut start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    let mut lines = Vec::new();
    while start < range.end {
        let rest = bytes.get(start..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |feed| start + feed + 1);
        lines.push(start..end);
        start = end;
    }
    lines
}
