//! Undoes damage by applying the edit that an explanation found to the old bytes.

use std::ops::Range;

use crate::Document;
use crate::compare::{Before, Class, Comparer, Comparison, Damage, DamageKind, Explanation, Inserted, Moved, hash};
use crate::splice::Splice;

/// Restores the damaged text, and keeps the edits.
///
/// ```
/// use utf8kit_document::{compare, restore};
///
/// let old = b"un caf\xE9\r\n";
/// let new = "un bon caf\u{FFFD}\n".as_bytes();
/// let damage = compare(old, new).damage;
/// assert_eq!(restore(old, new, &damage), b"un bon caf\xE9\r\n");
/// ```
pub fn restore(old: &[u8], new: &[u8], damage: &[Damage]) -> Vec<u8> {
    let comparer = Comparer::new(old, new);
    let explanation = comparer.explain();
    put_back(&comparer, &explanation, damage)
}

impl Comparison {
    /// Restores the damaged text and keeps the edits, like [`restore`], but without another comparison if `old` and
    /// `new` are the compared versions. `damage` is a subset of [`Comparison::damage`].
    ///
    /// ```
    /// use utf8kit_document::compare;
    ///
    /// let (old, new) = (b"un caf\xE9\r\n", "un bon caf\u{FFFD}\n".as_bytes());
    /// let comparison = compare(old, new);
    /// assert_eq!(comparison.restore(old, new, &comparison.damage), b"un bon caf\xE9\r\n");
    /// ```
    pub fn restore(&self, old: &[u8], new: &[u8], damage: &[Damage]) -> Vec<u8> {
        if self.hashes != [old, new].map(hash) {
            return restore(old, new, damage);
        }
        put_back(&Comparer::new(old, new), &self.explanation, damage)
    }
}

/// The source of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The old bytes stay. `true` if the new bytes are the same.
    Old(bool),
    /// The new bytes, unchanged.
    New,
    /// The text of the new bytes.
    Text,
    /// The text of the old bytes, written again.
    Again,
    /// The bytes of a line that was moved, by its index.
    Line(usize),
}

#[derive(Clone, Debug)]
struct Segment {
    old: Range<usize>,
    new: Range<usize>,
    from: From,
    /// The bytes, if a part of the segment is a line that was moved within a piece.
    raw: Option<Vec<u8>>,
}

/// Returns the new version with the listed damage undone, except for doubtful damage.
fn put_back(comparer: &Comparer<'_>, explanation: &Explanation, damage: &[Damage]) -> Vec<u8> {
    let new = comparer.new;
    let undone: Vec<&Damage> = damage.iter().filter(|one| !one.doubtful).collect();
    let parts = segments(explanation, &undone);
    if !parts.iter().any(|part| matches!(part.from, From::Old(false) | From::Line(..))) {
        return new.to_vec();
    }
    let mut document = comparer.document.clone();
    let parts = in_states(&document, whole_pieces(&document, parts, &|part| raw_of(part, new, &explanation.moved)));
    let ends = undone.iter().any(|one| one.kind == DamageKind::LineEnds);
    let mut inserted = Inserted::new(explanation.view, new, &document);
    inserted.ends = ends;
    let mark = document.mark();
    let mut prefix = Vec::new();
    let mut splices = Vec::new();
    let mut finder = document.view.finder();
    for part in &parts {
        if part.old.end <= mark && part.old.start < mark {
            let bytes = match part.from {
                From::Old(_) => document.original().get(part.old.clone()),
                From::New | From::Text | From::Again | From::Line(..) => new.get(part.new.clone()),
            };
            prefix.extend_from_slice(bytes.unwrap_or_default());
            continue;
        }
        if matches!(part.from, From::Old(_)) {
            // A piece can begin within the mark and end after it.
            let of_mark = part.old.start.min(mark)..mark;
            prefix.extend_from_slice(document.original().get(of_mark).unwrap_or_default());
            continue;
        }
        let start = document.text_at(&mut finder, part.old.start.max(mark));
        let old = start..document.text_at(&mut finder, part.old.end.max(mark)).max(start);
        splices.push(splice(&inserted, &document, part, old, &explanation.moved));
    }
    document.splices = splices;
    let put = document.to_bytes();
    let body = put.get(mark..).unwrap_or_default();
    // If the old version had no mark, a mark of the new one that stays comes first.
    let kept = parts.first().filter(|part| part.old.is_empty() && part.from == From::New && part.new.start == 0);
    let kept = kept.filter(|_| mark == 0 && explanation.new_mark > 0).and_then(|_| new.get(..explanation.new_mark));
    match (mark, kept) {
        (0, Some(kept)) if !body.starts_with(kept) => [kept, body].concat(),
        (0, _) => body.to_vec(),
        _ => [&*prefix, body].concat(),
    }
}

/// Returns the source of each step of an explanation when the listed damage is undone.
fn segments(explanation: &Explanation, undone: &[&Damage]) -> Vec<Segment> {
    let within = |inner: &Range<usize>, outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
    let is_moved = |one: &&Damage| explanation.moved.iter().any(|moved| moved.new == one.new && moved.old == one.old);
    // Lines that were moved are out of order.
    let (moved, undone): (Vec<&Damage>, Vec<&Damage>) = undone.iter().copied().partition(is_moved);
    let is_undone = |old: &Range<usize>, new: &Range<usize>| {
        let first = undone.partition_point(|one| one.old.end < old.start || one.new.end < new.start);
        let mut near = undone.get(first..).unwrap_or_default().iter().take(4);
        near.any(|one| within(old, &one.old) && within(new, &one.new))
    };
    let is_restored = |new: &Range<usize>| moved.iter().any(|one| one.new == *new);
    let segments = explanation.steps.iter().map(|step| {
        let moved = explanation.moved.iter().position(|moved| moved.new == step.new);
        let from = match step.class {
            // Added text may have lost characters, but is text.
            Class::Damaged(DamageKind::Removed, Some(_)) if step.old.is_empty() && moved.is_none() => From::Text,
            Class::Damaged(_, Some(_)) => moved.filter(|_| is_restored(&step.new)).map_or(From::New, From::Line),
            Class::Same => From::Old(true),
            Class::Edit => moved.map_or(From::Text, From::Line),
            Class::Damaged(_, None) if is_undone(&step.old, &step.new) => From::Old(false),
            Class::Damaged(..) => From::New,
        };
        Segment { old: step.old.clone(), new: step.new.clone(), from, raw: None }
    });
    segments.collect()
}

/// Returns the bytes of a part: its new bytes, or the bytes of the line that was moved.
fn raw_of(part: &Segment, new: &[u8], moved: &[Moved]) -> Vec<u8> {
    match (&part.raw, part.from) {
        (Some(raw), _) => raw.clone(),
        (None, From::Line(line)) => moved.get(line).map(|moved| moved.bytes.clone()).unwrap_or_default(),
        (None, _) => new.get(part.new.clone()).unwrap_or_default().to_vec(),
    }
}

/// Extends segments that do not keep their old bytes to whole pieces of the document, with the new bytes of the text
/// kept around them.
fn whole_pieces(document: &Document<'_>, parts: Vec<Segment>, raw_of: &dyn Fn(&Segment) -> Vec<u8>) -> Vec<Segment> {
    let mut whole: Vec<Segment> = Vec::with_capacity(parts.len());
    let mut rest: Vec<Segment> = parts.into_iter().rev().collect();
    let mut finder = document.view.finder();
    while let Some(part) = rest.pop() {
        let keeps = |part: &Segment| matches!(part.from, From::Old(_));
        let at = part.old.start;
        let inside = finder.piece_of_byte(at).filter(|piece| piece.bytes.start < at && at >= document.mark());
        let Some(piece) = inside.filter(|_| !keeps(&part) || whole.last().is_some_and(|last| !keeps(last))) else {
            whole.push(part);
            continue;
        };
        let mut joined = Segment { old: at..at, new: part.new.start..part.new.start, from: From::New, raw: None };
        let (mut raw, mut has_line) = (Vec::new(), false);
        match keeps(&part) {
            true => rest.push(part),
            false => {
                (joined.old.end, joined.new.end) = (part.old.end, part.new.end);
                has_line |= matches!(part.from, From::Line(_));
                raw = raw_of(&part);
            }
        }
        while joined.old.start > piece.bytes.start
            && let Some(mut last) = whole.pop()
        {
            if last.from == From::Old(true) && last.old.start < piece.bytes.start {
                let len = last.old.end - piece.bytes.start;
                joined.new.start = last.new.end - len;
                joined.old.start = piece.bytes.start;
                let within = Segment { new: joined.new.start..last.new.end, ..last.clone() };
                raw.splice(..0, raw_of(&within));
                (last.old.end, last.new.end) = (joined.old.start, joined.new.start);
                whole.push(last);
            } else {
                (joined.old.start, joined.new.start) = (last.old.start, last.new.start);
                has_line |= last.raw.is_some() || matches!(last.from, From::Line(_));
                raw.splice(..0, raw_of(&last));
            }
        }
        while joined.old.end < piece.bytes.end
            && let Some(mut next) = rest.pop()
        {
            if next.from == From::Old(true) && next.old.end > piece.bytes.end {
                let len = piece.bytes.end - next.old.start;
                let within = Segment { new: next.new.start..next.new.start + len, ..next.clone() };
                raw.extend(raw_of(&within));
                (next.old.start, next.new.start) = (piece.bytes.end, next.new.start + len);
                (joined.old.end, joined.new.end) = (next.old.start, next.new.start);
                rest.push(next);
            } else {
                (joined.old.end, joined.new.end) = (next.old.end, next.new.end);
                has_line |= matches!(next.from, From::Line(_));
                raw.extend(raw_of(&next));
            }
        }
        joined.raw = Some(raw).filter(|_| has_line);
        whole.push(joined);
    }
    whole
}

/// Writes a character again if an edit before it may have made its shift unnecessary.
fn in_states(document: &Document<'_>, mut parts: Vec<Segment>) -> Vec<Segment> {
    const SHIFT_BYTES: [u8; 4] = [0x1B, 0x0E, 0x0F, b'~'];
    if document.encodings().iter().any(|codec| codec.is_stateful()) {
        let mut is_kept = true;
        let mut finder = document.view.finder();
        for part in &mut parts {
            let first = document.original().get(part.old.start);
            let shifts = part.from == From::Old(false) && first.is_some_and(|first| SHIFT_BYTES.contains(first));
            let was_kept = std::mem::replace(&mut is_kept, matches!(part.from, From::Old(_)));
            let mut is_text = || {
                let [start, end] = [part.old.start, part.old.end].map(|at| document.text_at(&mut finder, at));
                let text = document.text().get(start..end).unwrap_or_default();
                !text.contains(char::REPLACEMENT_CHARACTER)
            };
            if shifts && !was_kept && is_text() {
                part.from = From::Again;
            }
        }
    }
    parts
}

/// Returns the splice for a part.
fn splice(
    inserted: &Inserted<'_>,
    document: &Document<'_>,
    part: &Segment,
    old: Range<usize>,
    moved: &[Moved],
) -> Splice {
    if part.raw.is_some() || matches!(part.from, From::Line(_)) {
        let raw = Some(raw_of(part, inserted.new, moved));
        return Splice { old, new: String::new(), raw, exact: false, checked: true };
    }
    let before = match part.from {
        From::Again => Before::Text(document.text().get(old.clone()).unwrap_or_default().to_owned()),
        From::New => Before::AsIs,
        _ => inserted.before(document, part.old.start, part.new.clone()),
    };
    let ends = inserted.ends && part.from != From::New && inserted.has_bytes(document, part.old.start);
    let with_ends = |bytes: &[u8]| if ends { document.with_ends_near(&old, bytes) } else { bytes.to_vec() };
    let (new, raw) = match before {
        Before::Text(text) => (text, None),
        Before::Bytes(bytes) => (String::new(), Some(with_ends(&bytes))),
        Before::AsIs | Before::Unknown => {
            (String::new(), Some(with_ends(inserted.new.get(part.new.clone()).unwrap_or_default())))
        }
    };
    // The text of the old bytes has LF for every line end.
    let exact = raw.is_none() && !inserted.ends && part.from != From::Again;
    Splice { old, new, raw, exact, checked: true }
}
