//! Damage undone: the edit that an explanation found is put back into the old bytes.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, is_nfc, is_nfd};

use crate::charset::Codec;
use crate::charset::step::{Joint, Shift};
use crate::document::Document;
use crate::document::compare::{Class, Comparer, Damage, DamageKind, DamageView, Explanation};
use crate::document::splice::Splice;

/// Restores what was damaged, and keeps the edits.
///
/// ```
/// use utf8kit_text::document::{compare, restore};
///
/// let old = b"un caf\xE9\r\n";
/// let new = "un bon caf\u{FFFD}\n".as_bytes();
/// let damage = compare(old, new).damage;
/// assert_eq!(restore(old, new, &damage), b"un bon caf\xE9\r\n");
/// ```
pub fn restore(old: &[u8], new: &[u8], damage: &[Damage]) -> Vec<u8> {
    let comparer = Comparer::new(old, new);
    let explanation = comparer.explain();
    put_back(&comparer, &explanation, new, damage)
}

/// What comes from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The old bytes stay. `true`: the new ones are the same.
    Old(bool),
    /// The new bytes, as they are.
    New,
    /// The text of the new bytes.
    Text,
}

#[derive(Clone, Debug)]
struct Segment {
    old: Range<usize>,
    new: Range<usize>,
    from: From,
}

/// Returns the new version with the listed damage undone, apart from what is doubtful.
pub(super) fn put_back(
    comparer: &Comparer<'_>,
    explanation: &Explanation,
    new: &[u8],
    damage: &[Damage],
) -> Vec<u8> {
    let undone: Vec<&Damage> = damage.iter().filter(|one| !one.doubtful).collect();
    let parts = segments(explanation, &undone);
    if !parts.iter().any(|part| part.from == From::Old(false)) {
        return new.to_vec();
    }
    let mut document = comparer.document.clone();
    let parts = whole_pieces(&document, parts);
    let ends = undone.iter().any(|one| one.kind == DamageKind::LineEnds);
    let inserted = Inserted { view: explanation.view, ends, new, old: document.text().to_owned() };
    let mark = document.mark();
    let mut prefix = Vec::new();
    let mut splices = Vec::new();
    for part in &parts {
        if part.old.end <= mark && part.old.start < mark {
            let bytes = match part.from {
                From::Old(_) => document.original().get(part.old.clone()),
                From::New | From::Text => new.get(part.new.clone()),
            };
            prefix.extend_from_slice(bytes.unwrap_or_default());
            continue;
        }
        if matches!(part.from, From::Old(_)) {
            // A piece can begin within the mark and end behind it.
            let of_mark = part.old.start.min(mark)..mark;
            prefix.extend_from_slice(document.original().get(of_mark).unwrap_or_default());
            continue;
        }
        let start = document.text_at(part.old.start.max(mark));
        let old = start..document.text_at(part.old.end.max(mark)).max(start);
        splices.push(inserted.splice(&document, part, old));
    }
    document.splices = splices;
    let put = document.to_bytes();
    let body = put.get(mark..).unwrap_or_default();
    // Where neither version had a mark, or the old one had none, a mark of the new one that stays comes first.
    let kept =
        parts.first().filter(|part| part.old.is_empty() && part.from == From::New && part.new.start == 0);
    let kept =
        kept.filter(|_| mark == 0 && explanation.new_mark > 0).and_then(|_| new.get(..explanation.new_mark));
    match (mark, kept) {
        (0, Some(kept)) if !body.starts_with(kept) => [kept, body].concat(),
        (0, _) => body.to_vec(),
        _ => [&*prefix, body].concat(),
    }
}

/// Returns what each step of an explanation comes from when the listed damage is undone.
fn segments(explanation: &Explanation, undone: &[&Damage]) -> Vec<Segment> {
    let within =
        |inner: &Range<usize>, outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
    let is_undone = |old: &Range<usize>, new: &Range<usize>| {
        let first = undone.partition_point(|one| one.old.end < old.start || one.new.end < new.start);
        let mut near = undone.get(first..).unwrap_or_default().iter().take(4);
        near.any(|one| within(old, &one.old) && within(new, &one.new))
    };
    let segments = explanation.steps.iter().map(|step| {
        let from = match step.class {
            Class::Same => From::Old(true),
            Class::Edit => From::Text,
            Class::Damaged(_, false) if is_undone(&step.old, &step.new) => From::Old(false),
            Class::Damaged(..) => From::New,
        };
        Segment { old: step.old.clone(), new: step.new.clone(), from }
    });
    segments.collect()
}

/// Extends what does not keep its old bytes to whole pieces of the document, with the new bytes of what is kept around
/// it.
fn whole_pieces(document: &Document<'_>, parts: Vec<Segment>) -> Vec<Segment> {
    let mut whole: Vec<Segment> = Vec::with_capacity(parts.len());
    let mut rest: Vec<Segment> = parts.into_iter().rev().collect();
    while let Some(part) = rest.pop() {
        let keeps = |part: &Segment| matches!(part.from, From::Old(_));
        let at = part.old.start;
        let inside =
            document.view.piece_of_byte(at).filter(|piece| piece.bytes.start < at && at >= document.mark());
        let Some(piece) = inside.filter(|_| !keeps(&part) || whole.last().is_some_and(|last| !keeps(last)))
        else {
            whole.push(part);
            continue;
        };
        let mut joined = Segment { old: at..at, new: part.new.start..part.new.start, from: From::New };
        match keeps(&part) {
            true => rest.push(part),
            false => (joined.old.end, joined.new.end) = (part.old.end, part.new.end),
        }
        while joined.old.start > piece.bytes.start
            && let Some(mut last) = whole.pop()
        {
            if last.from == From::Old(true) && last.old.start < piece.bytes.start {
                let len = last.old.end - piece.bytes.start;
                joined.new.start = last.new.end - len;
                joined.old.start = piece.bytes.start;
                (last.old.end, last.new.end) = (joined.old.start, joined.new.start);
                whole.push(last);
            } else {
                (joined.old.start, joined.new.start) = (last.old.start, last.new.start);
            }
        }
        while joined.old.end < piece.bytes.end
            && let Some(mut next) = rest.pop()
        {
            if next.from == From::Old(true) && next.old.end > piece.bytes.end {
                let len = piece.bytes.end - next.old.start;
                (next.old.start, next.new.start) = (piece.bytes.end, next.new.start + len);
                (joined.old.end, joined.new.end) = (next.old.start, next.new.start);
                rest.push(next);
            } else {
                (joined.old.end, joined.new.end) = (next.old.end, next.new.end);
            }
        }
        whole.push(joined);
    }
    whole
}

/// What the new version added.
struct Inserted<'n> {
    view: DamageView,
    /// Whether line ends are restored, so that new ones follow the old ones.
    ends: bool,
    new: &'n [u8],
    /// The old text.
    old: String,
}

impl Inserted<'_> {
    /// Returns what a part becomes in the document.
    fn splice(&self, document: &Document<'_>, part: &Segment, old: Range<usize>) -> Splice {
        let bytes = self.new.get(part.new.clone()).unwrap_or_default();
        let as_is = || Splice {
            old: old.clone(),
            new: String::new(),
            raw: Some(bytes.to_vec()),
            exact: false,
            checked: true,
        };
        if bytes.is_empty() || part.from == From::New {
            return as_is();
        }
        let Some(text) = text_of(self.view.write, bytes) else { return as_is() };
        let codec = document.view.codec_at(part.old.start.min(document.original().len().saturating_sub(1)));
        let is_wide = |codec: Codec| matches!(codec, Codec::Native(native) if !native.is_ascii_compatible());
        if is_wide(codec) && !is_wide(self.view.read) {
            // Its units were read as characters.
            return as_is();
        }
        let is_plain = self.view.read == self.view.write && self.view.write == codec && !self.view.canonical;
        if is_plain && (!self.ends || !text.contains('\n')) {
            return as_is();
        }
        let text = if self.ends { text.replace("\r\n", "\n") } else { text };
        let text = self.as_before(document, text);
        let mut again = Vec::new();
        if Joint::new(codec).write(&text, &mut again).is_some() {
            return as_is();
        }
        Splice { old, new: text, raw: None, exact: !self.ends, checked: true }
    }

    /// Returns added text as it was before the damage.
    fn as_before(&self, document: &Document<'_>, text: String) -> String {
        let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
        let mut text = text;
        if document.encodings() == [utf8] && self.view.read != utf8 && self.view.write == utf8 {
            for _ in 0..=usize::from(self.view.twice) {
                text = undoubled(self.view.read, &text);
            }
        }
        if self.view.canonical && is_nfc(&self.old) {
            text = text.nfc().collect();
        } else if self.view.canonical && is_nfd(&self.old) {
            text = text.nfd().collect();
        }
        text
    }
}

/// Returns the text of bytes, if all are text.
fn text_of(codec: Codec, bytes: &[u8]) -> Option<String> {
    let (mut text, mut at, mut shift) = (String::new(), 0, Shift::Neutral);
    while let Some(step) = codec.step(shift, bytes.get(at..).unwrap_or_default(), &mut text) {
        if step.malformed {
            return None;
        }
        (at, shift) = (at + step.len, step.shift);
    }
    Some(text)
}

/// Returns text with runs beyond ASCII encoded in an encoding and read as UTF-8, where that is text.
fn undoubled(codec: Codec, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let ascii = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
        let (plain, other) = rest.split_at(ascii);
        out.push_str(plain);
        let end = other.find(|c: char| c.is_ascii()).unwrap_or(other.len());
        let (run, behind) = other.split_at(end);
        let bytes: Option<Vec<Vec<u8>>> = run.chars().map(|c| codec.bytes_of(c)).collect();
        match bytes.map(|bytes| bytes.concat()).and_then(|bytes| String::from_utf8(bytes).ok()) {
            Some(single) => out.push_str(&single),
            None => out.push_str(run),
        }
        rest = behind;
    }
    out
}
