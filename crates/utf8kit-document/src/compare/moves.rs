//! Lines that were moved or copied, and damaged: an added line that is one of the old version as a view shows it.

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::damage::DamageKind;
use crate::compare::explanation::{Doubt, Explanation, Moved};
use crate::compare::limits::{
    MAX_BYTES_OF_MOVED_LINES, MAX_MOVED_LINES, MAX_PAIRS_OF_MOVED_LINES, MIN_LETTERS_OF_MOVED_LINE,
    MIN_LOST_WORDS_OF_COPIED_LINE,
};
use crate::compare::lines::ends_in_common;
use crate::compare::losses::is_asked;
use crate::compare::script::{Class, Step, trimmed};
use crate::compare::spans::{Spans, overlap};
use crate::compare::view::DamageView;
use crate::compare::{Comparer, UTF8};

impl Comparer<'_> {
    /// Finds added lines that are one line of the old version as the view shows it: it was moved, or copied, and
    /// perhaps edited. Each takes the bytes of that line. In a file of two encodings, a line that was only moved
    /// also does: it keeps its encoding among lines of the other.
    pub(super) fn find_moved(&self, best: &mut Explanation) {
        let view = best.view;
        let is_mixed = self.document.encodings().len() > 1;
        if view.is_plain() && !is_mixed || !self.has_lines(view) {
            return;
        }
        let is_changed = |step: &&Step| matches!(step.class, Class::Edit | Class::Damaged(_, Some(_)));
        let changed = || best.steps.iter().filter(is_changed);
        let per_line = view.per_line && view.is_plain();
        let plain = DamageView { per_line, ..view.of_new() };
        let shown = |line: &Range<usize>| plain.pieces(self.new.get(line.clone()).unwrap_or_default(), 0);
        let is_known = |line: &Range<usize>| is_text(&shown(line).tokens);
        let mut added = edited_lines(self.new, &best.steps, |step| &step.new, |step| is_changed(&step));
        // If not all of it is damaged, a doubtful step is a place that stayed.
        let is_certain = !best.disputed && !view.is_plain();
        let doubtful = changed().filter(|step| is_certain && matches!(step.class, Class::Damaged(..)));
        let lines = Spans::of_lines(self.new);
        for line in doubtful.flat_map(|step| lines.touched(&step.new)) {
            added.push(without_end(self.new, line));
        }
        added.sort_by_key(|line| (line.start, line.end));
        added.dedup();
        // What became of the byte order mark may be in the first line.
        let of_mark = |step: &&Step| !step.old.is_empty() && step.old.start < self.document.mark();
        let marks_end = best.steps.iter().filter(of_mark).map(|step| step.new.end).max().unwrap_or_default();
        let is_known = |line: &Range<usize>| line.start >= marks_end && is_known(line);
        let added: Vec<Range<usize>> = added.into_iter().filter(is_known).collect();
        if added.is_empty() {
            return;
        }
        let removed = edited_lines(self.old, &best.steps, |step| &step.old, |step| step.class == Class::Edit);
        let of_old = |line: &Range<usize>| self.old.get(line.clone()).unwrap_or_default();
        let by_bytes: HashMap<&[u8], &Range<usize>> = removed.iter().map(|line| (of_old(line), line)).collect();
        let starts: HashSet<usize> = removed.iter().map(|line| line.start).collect();
        let kind = view.kind(self.document.encodings() == [UTF8]);
        let old_lines = Spans::of_lines(self.old);
        let added = added.into_iter().map(|line| (shown(&line).tokens, line));
        let most = MAX_PAIRS_OF_MOVED_LINES / old_lines.len();
        let added = added.take(most);
        let mut added: Vec<Added<'_>> = added.map(|(shown, line)| Added::new(self.new, line, shown)).collect();
        find_sources(self.old, self.document.mark(), view, &mut added);
        for Added { line: new, bytes, shown, sources, is_known, fits, .. } in added {
            let Remains { letters, lost_words, .. } = Remains::of(&shown);
            let is_copy = sources.iter().any(|line| !starts.contains(&line.start));
            if is_copy && letters == 0 && lost_words < MIN_LOST_WORDS_OF_COPIED_LINE {
                continue;
            }
            let known = by_bytes.get(bytes).filter(|_| is_mixed).map(|&old| (old.clone(), bytes.to_vec()));
            let found = if is_known { known } else { self.copied(view, sources, &new).filter(|_| fits) };
            let found = found.filter(|(_, copy)| !copy.is_ascii() && (is_mixed || copy != bytes));
            best.moved.extend(found.map(|(old, copy)| {
                let kind = (copy != bytes).then_some(kind);
                Moved { old, new, kind, bytes: copy }
            }));
            if best.moved.len() == MAX_MOVED_LINES {
                break;
            }
        }
        for moved in &best.moved {
            let line = old_lines.touched(&moved.old).next().map_or(moved.old.start, |line| line.start);
            let source = if starts.contains(&line) { moved.old.clone() } else { 0..0 };
            best.steps = added_whole(std::mem::take(&mut best.steps), moved, &source);
        }
    }

    /// Reports whether both versions consist of lines that can be decoded independently.
    pub(super) fn has_lines(&self, view: DamageView) -> bool {
        let has_lines = |codec: Codec| !codec.is_wide() && !codec.is_stateful();
        // UTF-16 that was read as bytes has lines of bytes.
        let is_read_as_bytes = self.document.encodings().into_iter().all(Codec::is_wide);
        [view.read, view.write].into_iter().all(has_lines)
            && (is_read_as_bytes || self.document.encodings().into_iter().all(has_lines))
    }

    /// Returns the bytes that a new line has if it is a copy of one of these old lines, and that line. Returns `None`
    /// if
    /// the bytes are unknown or differ between the old lines.
    fn copied(
        &self,
        view: DamageView,
        lines: Vec<Range<usize>>,
        new: &Range<usize>,
    ) -> Option<(Range<usize>, Vec<u8>)> {
        let mut copies = lines.into_iter().map(|old| {
            let copy = self.copy(view, &old, new)?;
            Some((old, copy))
        });
        let first = copies.next().flatten()?;
        copies.all(|other| other.is_some_and(|other| other.1 == first.1)).then_some(first)
    }

    /// Returns the bytes of an old line as it was edited in a new one, if all of them are certain.
    fn copy(&self, view: DamageView, old: &Range<usize>, new: &Range<usize>) -> Option<Vec<u8>> {
        let (line, copy) = (self.old.get(old.clone())?, self.new.get(new.clone())?);
        let codec = self.document.view.codec_at(old.start);
        let document = Document::open_as(if codec.is_wide() { view.read } else { codec }.into(), line);
        let part = Comparer::of(document, line, copy);
        let explanation = part.explanation(view);
        let mut bytes = Vec::new();
        for step in explanation.steps {
            let (old, new) = (line.get(step.old.clone()).unwrap_or_default(), copy.get(step.new).unwrap_or_default());
            let is_first = step.old.end == 0;
            match step.class {
                Class::Same | Class::Damaged(_, None) => bytes.extend_from_slice(old),
                // The first and the last line of UTF-16 have a byte less or more than others.
                Class::Edit if codec.is_wide() && [old, new].concat() != [0] => return None,
                // Those were perhaps lost.
                Class::Edit if !old.is_empty() && !old.iter().any(u8::is_ascii) && is_asked(old, new) => {
                    return None;
                }
                Class::Edit if new.is_ascii() && !(view.refers() && new.contains(&b'&')) => {
                    bytes.extend_from_slice(new)
                }
                // A word that was dropped leaves a space.
                Class::Damaged(DamageKind::Removed, Some(_)) if is_first && is_indentation(new) => {
                    bytes.extend_from_slice(new);
                }
                Class::Edit | Class::Damaged(..) => return None,
            }
        }
        Some(bytes)
    }

    /// Doubts added lines that are old ones as a view shows them: they were moved or copied, and damaged, next to an
    /// edit of other text. Those that were removed are searched for first, then those that stayed, within
    /// [`MAX_BYTES_OF_MOVED_LINES`].
    pub(super) fn doubt_moved(&self, best: &mut Explanation) {
        if !self.has_lines(best.view) {
            return;
        }
        let is_edit = |step: &Step| step.class == Class::Edit;
        let mut added = edited_lines(self.new, &best.steps, |step| &step.new, is_edit);
        let is_moved = |line: &Range<usize>| best.moved.iter().any(|moved| overlap(&moved.new, line));
        added.retain(|line| !is_moved(line));
        if added.is_empty() {
            return;
        }
        // An unencodable character that a person deleted is recognizable only with its line.
        let drops_some = |view: DamageView| view.loses_unencodable() && view.drops();
        let is_composed = self.is_composed();
        let normalized = DamageView { canonical: true, ..self.plain() };
        let views = (!is_composed).then_some(normalized).into_iter();
        let views = self.likely(!is_composed).iter().copied().chain(views);
        let views = views.filter(|view| !view.returns() && !drops_some(*view) && *view != best.view);
        let non_ascii = |lines: Vec<Range<usize>>| {
            let lines = lines.into_iter().map(|line| trimmed(self.old.get(line).unwrap_or_default()));
            lines.filter(|line| !line.is_ascii()).collect::<HashSet<&[u8]>>()
        };
        let lines = Spans::of_lines(self.old);
        let known = non_ascii(lines.touched(&(0..self.old.len())).collect());
        let edits = best.steps.iter().filter(|step| is_edit(step));
        let removed = non_ascii(edits.flat_map(|step| lines.touched(&step.old)).collect());
        let kept: HashSet<&[u8]> = known.difference(&removed).copied().collect();
        let added_line = |line: &Range<usize>| trimmed(self.new.get(line.clone()).unwrap_or_default());
        added.retain(|line| !known.contains(added_line(line)));
        let is_non_ascii = |step: &Step| self.old.get(step.old.clone()).is_some_and(|old| !old.is_ascii());
        let stayed = best.steps.iter().any(|step| !is_edit(step) && is_non_ascii(step));
        // Signs alone identify a line if nothing else of it is left.
        let is_certain = |shown: &Vec<u32>| is_text(shown) || !stayed && shown.len() >= 2 * MIN_LETTERS_OF_MOVED_LINE;
        let mut left = MAX_BYTES_OF_MOVED_LINES;
        for lines in [removed, kept] {
            let lens = lines.iter().map(|line| line.len()).chain(added.iter().map(Range::len));
            let size: usize = lens.sum();
            for view in views.clone() {
                if lines.is_empty() || added.is_empty() || size > left {
                    break;
                }
                left -= size;
                let shown = lines.iter().map(|line| view.pieces(line, 0).tokens);
                let shown: HashSet<Vec<u32>> = shown.filter(is_certain).collect();
                let plain = view.of_new();
                let is_moved = |line: &Range<usize>| shown.contains(&plain.pieces(added_line(line), 0).tokens);
                let kind = view.kind(self.document.encodings() == [UTF8]);
                for line in added.extract_if(.., |line| is_moved(line)) {
                    let is_in = |step: &&mut Step| step.new.start < line.end && step.new.end > line.start;
                    let edits = best.steps.iter_mut().filter(is_in).filter(|step| is_edit(step));
                    edits.for_each(|step| step.class = Class::Damaged(kind, Some(Doubt::Unexplained)));
                }
            }
        }
    }
}

/// How much of a line is left as a view shows it.
struct Remains {
    letters: usize,
    lost: usize,
    /// The number of words, or parts of words, that are lost.
    lost_words: usize,
}

impl Remains {
    fn of(shown: &[u32]) -> Remains {
        let is_lost = |c: &char| matches!(*c, char::REPLACEMENT_CHARACTER | '?');
        let shown: Vec<char> = shown.iter().filter_map(|&token| char::from_u32(token)).collect();
        Remains {
            letters: shown.iter().filter(|c| c.is_alphanumeric()).count(),
            lost: shown.iter().filter(|c| is_lost(c)).count(),
            lost_words: shown.split(|c| !is_lost(c)).filter(|word| !word.is_empty()).count(),
        }
    }
}

/// Reports whether a line has the letters by which it is recognized, or if they are lost, enough of them in several
/// words.
fn is_text(shown: &[u32]) -> bool {
    let Remains { letters, lost, lost_words } = Remains::of(shown);
    2 * letters + lost >= 2 * MIN_LETTERS_OF_MOVED_LINE && (letters > 0 || lost_words != 1)
}

/// Returns the lines of a version of which less than half stayed, without their ends. `of` returns the range of a step
/// in it, and `is_changed` whether it did not stay.
pub(super) fn edited_lines(
    bytes: &[u8],
    steps: &[Step],
    of: impl Fn(&Step) -> &Range<usize>,
    is_changed: impl Fn(&Step) -> bool,
) -> Vec<Range<usize>> {
    let (mut end, mut gone) = (0, Vec::new());
    let lines = Spans::of_lines(bytes);
    for step in steps.iter().filter(|step| is_changed(step)) {
        for line in new_lines_in(&mut end, &lines, of(step)) {
            let line = without_end(bytes, line);
            let first = steps.partition_point(|step| of(step).end <= line.start);
            let within = steps.iter().skip(first).take_while(|step| of(step).start < line.end);
            let stayed = within.filter(|step| !is_changed(step)).map(&of);
            let stayed: usize = stayed.map(|it| it.end.min(line.end) - it.start.max(line.start)).sum();
            gone.extend(Some(line.clone()).filter(|_| 2 * stayed < line.len()));
        }
    }
    gone
}

fn without_end(bytes: &[u8], line: Range<usize>) -> Range<usize> {
    let len = trimmed(bytes.get(line.clone()).unwrap_or_default()).len();
    line.start..line.start + len
}

/// A line that was added.
struct Added<'n> {
    line: Range<usize>,
    bytes: &'n [u8],
    /// Its tokens without the spaces around them.
    shown: Vec<u32>,
    /// Whether an old line has the same bytes.
    is_known: bool,
    /// The old lines that have the most in common with it as a view shows them.
    sources: Vec<Range<usize>>,
    /// How much of it and of them is not common to both.
    least: usize,
    /// Whether it is recognized in each of them.
    fits: bool,
}

impl<'n> Added<'n> {
    fn new(new: &'n [u8], line: Range<usize>, shown: Vec<u32>) -> Added<'n> {
        let bytes = new.get(line.clone()).unwrap_or_default();
        let shown = core(&shown).to_vec();
        Added { line, bytes, shown, is_known: false, sources: Vec::new(), least: usize::MAX, fits: false }
    }

    /// Compares it with an old line as a view shows it.
    fn compare(&mut self, line: &Range<usize>, bytes: &[u8], shown: &[u32]) {
        self.is_known |= bytes == self.bytes;
        let [start, end] = ends_in_common(shown, &self.shown);
        let (common, len) = (start + end, self.shown.len());
        let differ = shown.len() + len - 2 * common;
        if differ > self.least {
            return;
        }
        if differ < self.least {
            (self.least, self.fits) = (differ, true);
            self.sources.clear();
        }
        self.sources.push(line.clone());
        let same = [&self.shown[..start], &self.shown[len - end..]].concat();
        self.fits &= 2 * common >= shown.len().max(len) && is_text(&same);
    }
}

/// Finds the old lines that added ones may be copies of, perhaps edited ones.
fn find_sources(old: &[u8], mark: usize, view: DamageView, added: &mut [Added<'_>]) {
    let mut known: HashSet<&[u8]> = HashSet::default();
    let lines = Spans::of_lines(old);
    let lines = lines.touched(&(0..old.len())).map(|line| without_end(old, line));
    for mut line in lines.filter(|line| !line.is_empty()) {
        line.start = line.start.max(mark);
        let bytes = old.get(line.clone()).unwrap_or_default();
        if known.insert(bytes) {
            let pieces = view.pieces(bytes, 0);
            added.iter_mut().for_each(|one| one.compare(&line, bytes, core(&pieces.tokens)));
        }
    }
}

/// Reports whether bytes are tabs, or several spaces.
fn is_indentation(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\t' | b' ')) && bytes != b" "
}

/// Returns tokens without the spaces around them.
fn core(tokens: &[u32]) -> &[u32] {
    let is_space = |token: &u32| matches!(*token, 0x09 | 0x20);
    let start = tokens.iter().position(|token| !is_space(token)).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(|token| !is_space(token)).map_or(start, |last| last + 1);
    tokens.get(start..end).unwrap_or_default()
}

/// Makes one step of all that is in a new line that was moved. What it was matched with is removed next to it, and all
/// of the `source`: where the line was, if it is not there any more.
pub(super) fn added_whole(steps: Vec<Step>, moved: &Moved, source: &Range<usize>) -> Vec<Step> {
    let Moved { old, new, kind, .. } = moved;
    let mut whole = Vec::with_capacity(steps.len() + 2);
    let mut is_added = false;
    for mut step in steps {
        // What is left of it in another line is the same by coincidence.
        let is_outside = step.new.end <= new.start || step.new.start >= new.end;
        let is_coincidence = step.new.is_empty() || !step.old.is_empty() && matches!(step.class, Class::Damaged(..));
        if is_coincidence && source.start <= step.old.start && step.old.end <= source.end {
            step.class = Class::Edit;
            let touches = |last: &&mut Step| {
                last.class == Class::Edit
                    && (last.old.end, last.new.end) == (step.old.start, step.new.start)
                    && !step.old.is_empty()
                    && is_outside
            };
            if let Some(last) = whole.last_mut().filter(touches) {
                (last.old.end, last.new.end) = (step.old.end, step.new.end);
                continue;
            }
        }
        // The line has what was removed from it.
        let is_own = old.start <= step.old.start && step.old.end <= old.end && !step.old.is_empty();
        if is_own && new.start <= step.new.start && step.new.end <= new.end {
            step.class = Class::Edit;
        }
        if is_outside {
            whole.push(step);
            continue;
        }
        // What is the same before the line and after it stays so.
        let is_same = step.class == Class::Same;
        let lead = if is_same { new.start.saturating_sub(step.new.start) } else { 0 };
        let tail = if is_same { step.new.end.saturating_sub(new.end) } else { 0 };
        let (start, end) = (step.old.start + lead, step.old.end - tail);
        whole.push(Step { old: step.old.start..start, new: step.new.start..step.new.start + lead, ..step });
        let class = Class::Edit;
        if !is_added {
            whole.push(Step { old: start..start, new: step.new.start + lead..new.start, class });
            let class = kind.map_or(Class::Edit, |kind| Class::Damaged(kind, Some(Doubt::Alignment)));
            whole.push(Step { old: start..start, new: new.clone(), class });
            is_added = true;
        }
        let rest = new.end..step.new.end.max(new.end) - tail;
        whole.push(Step { old: start..end, new: rest, class });
        whole.push(Step { old: end..step.old.end, new: step.new.end - tail..step.new.end, ..step });
    }
    whole.retain(|step| !step.old.is_empty() || !step.new.is_empty());
    whole
}

/// Returns the lines that a range touches and that begin after the last of an earlier range, whose end is given and
/// becomes theirs.
pub(super) fn new_lines_in(end: &mut usize, lines: &Spans, range: &Range<usize>) -> Vec<Range<usize>> {
    let lines: Vec<Range<usize>> = lines.touched(range).filter(|line| line.start >= *end).collect();
    *end = lines.last().map_or(*end, |last| last.end);
    lines
}
