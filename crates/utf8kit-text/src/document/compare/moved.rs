//! Lines that were moved and damaged: an added line that is a removed one as a view shows it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::charset::Codec;
use crate::document::compare::damaged::{DamageView, Pieces, recodings};
use crate::document::compare::explanation::{Explanation, Moved};
use crate::document::compare::steps::{Class, Step, trimmed};
use crate::document::compare::{Comparer, UTF8};

/// The fewest letters by which a line is known that was moved and damaged.
const LETTERS: usize = 4;

/// The most lines that are found to have been moved. Others are doubtful.
const MOST: usize = 64;

impl Comparer<'_> {
    /// Finds added lines that are one removed line as the view shows it. Each takes the bytes of that line. In a file
    /// of two encodings, a line that was only moved does, too: it keeps its encoding among lines of the other.
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
        let mut removed: HashMap<Vec<u32>, Option<Range<usize>>> = HashMap::new();
        let mut kept: HashMap<&[u8], Range<usize>> = HashMap::new();
        for line in whole_lines(self.old, changed().map(|step| &step.old)) {
            let bytes = self.old.get(line.clone()).unwrap_or_default();
            let shown = view.pieces(bytes, 0);
            if bytes.is_ascii() {
                continue;
            }
            kept.entry(bytes).or_insert(line.clone());
            if !is_text(&shown) {
                continue;
            }
            let is_same = |known: &Range<usize>| self.old.get(known.clone()) == Some(bytes);
            let entry = removed.entry(shown.tokens).or_insert_with(|| Some(line.clone()));
            *entry = entry.take().filter(is_same);
        }
        if kept.is_empty() {
            return;
        }
        let plain = DamageView { canonical: view.canonical, ..DamageView::plain(view.write) };
        let kind = view.kind(self.document.encodings() == [UTF8]);
        for line in whole_lines(self.new, changed().map(|step| &step.new)) {
            let bytes = self.new.get(line.clone()).unwrap_or_default();
            let from = removed.get_mut(&plain.pieces(bytes, 0).tokens).and_then(Option::take);
            if let Some(old) = kept.get(bytes) {
                if is_mixed {
                    best.moved.push(Moved { old: old.clone(), new: line, kind: None });
                }
            } else if let Some(old) = from {
                best.moved.push(Moved { old, new: line, kind: Some(kind) });
            }
            if best.moved.len() == MOST {
                break;
            }
        }
        let moved = best.moved.clone();
        moved.iter().for_each(|moved| best.steps = added_whole(std::mem::take(&mut best.steps), moved));
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

/// Reports whether a line has the letters by which it is known again, or their number, if they are lost.
fn is_text(shown: &Pieces) -> bool {
    let letters = shown.tokens.iter().filter_map(|&token| char::from_u32(token));
    let weight = |c: char| match c {
        char::REPLACEMENT_CHARACTER | '?' => 1,
        _ => 2 * usize::from(c.is_alphanumeric()),
    };
    letters.map(weight).sum::<usize>() >= 2 * LETTERS
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

/// Makes one step of all that is in a new line that was moved. What it was matched with is removed beside it.
fn added_whole(steps: Vec<Step>, moved: &Moved) -> Vec<Step> {
    let Moved { old, new, kind } = moved;
    let mut whole = Vec::with_capacity(steps.len() + 2);
    let mut is_added = false;
    for mut step in steps {
        if step.new.is_empty() && old.start <= step.old.start && step.old.end <= old.end {
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
