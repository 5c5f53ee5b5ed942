//! Text that was added to a damaged version: whether it is certain which bytes it would have had before.

use std::cell::RefCell;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use utf8kit_detect::context::{self, ScoredCodec};
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::candidates::usual;
use crate::compare::encodings::{bytes_in, is_ascii, is_legacy, text_of};
use crate::compare::explanation::Doubt;
use crate::compare::insertions::{Before, Inserted};
use crate::compare::limits::{MAX_BYTES_OF_ADDITIONS, NATS_OF_A_GUESS, NATS_THAT_RULE_OUT};
use crate::compare::national::has_other_bytes;
use crate::compare::{Class, Comparer, DamageKind, Explanation, Step, UTF8};
use crate::view::{LineEnds, Run, View};

impl<'b> Comparer<'b> {
    /// Returns the old version in the encoding that an explanation found it to be in.
    pub(crate) fn document_as_read(&self, best: &Explanation) -> Document<'b> {
        match (best.read_as, &self.document.encodings()[..]) {
            (Some(codec), &[known]) if codec != known => {
                let run = Run { bytes: 0..self.old.len(), codec };
                Document::new(View::new(self.old.into(), 0, &[run], LineEnds::default()))
            }
            _ => self.document.clone(),
        }
    }

    /// Doubts added text of which it is not certain what it would be in the old version.
    pub(super) fn doubt_added(&self, best: &mut Explanation) {
        let view = best.view;
        let is_added = |new: &Range<usize>| {
            let new = self.new.get(new.clone()).unwrap_or_default();
            !is_ascii(view.write, new) || view.refers() && memchr::memmem::find(new, b"&#").is_some()
        };
        if best.view.is_plain() {
            return self.doubt_unexplained(best);
        }
        let is_chance = self.is_chance(best);
        if is_chance {
            best.doubt_text(Doubt::Alignment);
        }
        let known = Known::new(self, best);
        best.read_as = known.codec;
        let document = self.document_as_read(best);
        let inserted = Inserted::new(best.view, self.new, &document);
        // The new version may also be in another encoding.
        let others = self.other_writers(best);
        let other_readers = self.other_readers(best);
        let is_other_in = |readers: &[Codec], text: &str| {
            let own = bytes_in(view.read, text);
            readers.iter().filter_map(|&reader| bytes_in(reader, text)).any(|other| Some(other) != own)
        };
        let minus = minus_as(best.view.write).filter(|_| best.view.read != best.view.write);
        let is_read_otherwise = |new: &Range<usize>| {
            let added = self.new.get(new.clone()).unwrap_or_default();
            let text = text_of(best.view.write, added);
            let has_minus = |text: &str| minus.as_deref().is_some_and(|minus| text.contains(minus));
            text.as_deref().is_some_and(has_minus)
                || others.iter().any(|&other| text_of(other, added) != text)
        };
        let kind =
            if self.document.encodings() == [UTF8] { DamageKind::Doubled } else { DamageKind::Recoded };
        let is_moved: HashSet<usize> = best.moved.iter().map(|moved| moved.new.start).collect();
        // In a file of two encodings, it may be text that was moved and edited.
        let is_misread = self.document.encodings().len() > 1
            && is_legacy(best.view.read)
            && !self.document.encodings().contains(&best.view.read);
        let lines = KnownLines::new(&document, &best.steps);
        let reads_pairs = matches!(view.read, Codec::Legacy(read) if !read.is_single_byte())
            && self.document.encodings() != [view.read];
        let is_uncertain = |old: usize, new: Range<usize>| match inserted.before(&document, old, new.clone())
        {
            _ if !lines.know(old, self.new.get(new.clone()).unwrap_or_default()) => true,
            // A part of a character that was read with the first byte of the next one.
            _ if reads_pairs && inserted.is_within_word(&new) => true,
            // Another program may have left it.
            Before::Text(text)
                if self.document.encodings() == [UTF8]
                    && self.new.get(new.clone()) == Some(text.as_bytes())
                    && self.seems_doubled(&text) =>
            {
                true
            }
            Before::AsIs => false,
            Before::Bytes(bytes) => {
                text_of(view.read, &bytes).is_some_and(|text| is_other_in(&other_readers, &text))
            }
            Before::Unknown => true,
            Before::Text(text) if !text.is_ascii() && is_misread => true,
            Before::Text(text) => {
                let codec = document.view.codec_at(old.min(self.old.len().saturating_sub(1)));
                is_legacy(codec) && text.chars().any(|scalar| !known.is_certain(scalar))
                    || codec == view.read && is_other_in(&other_readers, &text)
                    || is_read_otherwise(&new)
            }
        };
        if is_legacy(view.write) && view.read != view.write && view.lacking.is_none() {
            // The written encoding may have lacked some of it.
            let asks = |step: &&mut Step| step.class == Class::Edit && has_lost(self.new, &step.new);
            best.steps
                .iter_mut()
                .filter(asks)
                .for_each(|step| step.class = Class::Damaged(DamageKind::Replaced, Some(Doubt::Addition)));
        }
        best.steps
            .iter_mut()
            .filter(|step| is_addition(step) && is_added(&step.new))
            .filter(|step| !is_moved.contains(&step.new.start))
            .filter(|step| is_chance || is_uncertain(step.old.start, step.new.clone()))
            .for_each(|step| step.class = Class::Damaged(kind, Some(Doubt::Addition)));
    }

    /// Returns the other encodings that the new version may be in: they have the same bytes for all text of the old
    /// version that is left in it.
    fn other_writers(&self, best: &Explanation) -> Vec<Codec> {
        let write = best.view.write;
        if !is_legacy(write) || write == best.view.read {
            return Vec::new();
        }
        let texts = recoded(best).filter_map(|step| text_of(write, self.new.get(step.new.clone())?));
        let left: HashSet<char> = texts.collect::<String>().chars().collect();
        others(write, |other| left.iter().all(|&scalar| other.bytes_of(scalar) == write.bytes_of(scalar)))
    }

    /// Returns the other encodings in which the old version may have been read: they show the same for all that is left
    /// of it.
    fn other_readers(&self, best: &Explanation) -> Vec<Codec> {
        let read = best.view.read;
        if !is_legacy(read) || self.document.encodings().contains(&read) {
            return Vec::new();
        }
        let left: HashSet<&[u8]> = recoded(best).filter_map(|step| self.old.get(step.old.clone())).collect();
        others(read, |other| left.iter().all(|&old| text_of(other, old) == text_of(read, old)))
    }

    /// Reports whether more non-ASCII text was replaced with other such text than is explained: then some letters
    /// that were read in a wrong encoding are those of the new version by chance.
    fn is_chance(&self, best: &Explanation) -> bool {
        let beyond_ascii =
            |bytes: Option<&[u8]>| bytes.unwrap_or_default().iter().filter(|byte| !byte.is_ascii()).count();
        let (mut explained, mut removed, mut added) = (0, 0, 0);
        for step in &best.steps {
            let old = beyond_ascii(self.old.get(step.old.clone()));
            match step.class {
                // What was lost rarely read as a letter by chance.
                Class::Damaged(DamageKind::Replaced | DamageKind::Removed, _) if !step.old.is_empty() => {
                    return false;
                }
                Class::Same | Class::Damaged(..) => explained += old,
                Class::Edit => {
                    removed += old;
                    added += beyond_ascii(self.new.get(step.new.clone()));
                }
            }
        }
        removed.min(added) > explained
    }
}

/// Returns the steps of text that was written in another encoding.
fn recoded(best: &Explanation) -> impl Iterator<Item = &Step> {
    best.steps.iter().filter(|step| matches!(step.class, Class::Damaged(DamageKind::Recoded, _)))
}

/// Returns the usual encodings beside one that agree with it.
fn others(codec: Codec, agrees: impl Fn(Codec) -> bool) -> Vec<Codec> {
    usual().filter(|&other| other != codec && agrees(other)).collect()
}

/// Returns how an encoding reads what it writes for a minus sign, if as another character.
fn minus_as(codec: Codec) -> Option<String> {
    let read = text_of(codec, &codec.bytes_of('\u{2212}')?)?;
    (read != "\u{2212}").then_some(read)
}

/// Reports whether a range has a question mark that stands right before a letter, or before another sign of ASCII than
/// those that follow one.
fn has_lost(bytes: &[u8], range: &Range<usize>) -> bool {
    let follows = |next: u8| next.is_ascii_whitespace() || b"\"'?!.,;:)]}>\\<".contains(&next);
    let is_lost =
        |at: usize| bytes.get(at) == Some(&b'?') && bytes.get(at + 1).is_some_and(|&next| !follows(next));
    range.clone().any(is_lost)
}

/// The lines of a file of two encodings of which something is left that tells in which one they are.
struct KnownLines {
    /// Where each begins and ends; `None`: the file is in one encoding.
    lines: Option<Vec<Range<usize>>>,
}

impl KnownLines {
    fn new(document: &Document<'_>, steps: &[Step]) -> KnownLines {
        if document.encodings().len() < 2 {
            return KnownLines { lines: None };
        }
        let (mut lines, mut start) = (Vec::new(), 0);
        let left = steps.iter().filter(|step| step.class != Class::Edit && !step.new.is_empty());
        let left: Vec<&Range<usize>> = left.map(|step| &step.old).collect();
        let bytes = document.original();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let end = start + line.len();
            let first = left.partition_point(|old| old.end <= start);
            let mut within = left.get(first..).unwrap_or_default().iter().take_while(|old| old.start < end);
            if within.any(|old| {
                bytes.get(old.start.max(start)..old.end.min(end)).is_some_and(|old| !old.is_ascii())
            }) {
                lines.push(start..end);
            }
            start = end;
        }
        KnownLines { lines: Some(lines) }
    }

    /// Reports whether a line tells the encoding of what was added at a byte: none of it is a line of its own.
    fn know(&self, at: usize, added: &[u8]) -> bool {
        let Some(lines) = &self.lines else { return true };
        let next = lines.partition_point(|line| line.end <= at);
        !added.contains(&b'\n') && lines.get(next).is_some_and(|line| line.start <= at)
    }
}

/// Reports whether a step adds text, which may have lost something.
fn is_addition(step: &Step) -> bool {
    let has_lost = matches!(step.class, Class::Damaged(DamageKind::Removed, Some(_))) && step.old.is_empty();
    step.class == Class::Edit || has_lost
}

/// Which characters are certain to have the bytes in a version that its likely encoding gives them.
#[derive(Default)]
struct Known {
    /// The encoding that it is likely in, beside the added text.
    codec: Option<Codec>,
    /// Other encodings that it may be in as well.
    rivals: Vec<Codec>,
    /// What was asked for.
    certain: RefCell<HashMap<char, bool>>,
}

impl Known {
    fn new(comparer: &Comparer<'_>, best: &Explanation) -> Known {
        let document = &comparer.document;
        let beyond = |text: &str| -> HashSet<char> { text.chars().filter(|c| !c.is_ascii()).collect() };
        let encodings = document.encodings();
        let own = encodings.iter().copied().find(|codec| *codec != UTF8);
        let Some(own) = own.filter(|&codec| is_legacy(codec)) else {
            return Known::default();
        };
        let read = Some(best.view.read).filter(|&read| is_legacy(read) && read != own);
        let mut text = String::new();
        for step in best.steps.iter().filter(|step| is_addition(step)) {
            let added = comparer.new.get(step.new.clone()).unwrap_or_default();
            text.extend(text_of(best.view.write, added).filter(|text| !text.is_ascii()));
            if text.len() >= MAX_BYTES_OF_ADDITIONS {
                break;
            }
        }
        let known = |codec, rivals| Known { codec: Some(codec), rivals, certain: RefCell::default() };
        if text.is_empty() {
            return known(read.unwrap_or(own), Vec::new());
        }
        // In a file of two encodings, the lines that are not UTF-8.
        let is_mixed = encodings.len() > 1;
        let lines = comparer.old.split_inclusive(|&byte| byte == b'\n');
        let lines = lines.filter(|line| !(line.is_ascii() || is_mixed && utf8kit::validate(line).is_ok()));
        let candidates: Vec<Codec> = std::iter::once(own).chain(read).collect();
        let ranked = context::ranked(lines, &text, &candidates);
        let Some(&ScoredCodec { codec, nats, .. }) = ranked.first() else {
            return known(own, Vec::new());
        };
        let as_own = ranked.iter().find(|fit| fit.codec == own);
        let is_near = |fit: &&ScoredCodec| fit.nats >= nats - NATS_OF_A_GUESS;
        let likeliest = codec;
        let codec = as_own.filter(is_near).map_or(codec, |fit| fit.codec);
        let scalars = beyond(document.text());
        // Where the new version shows how the old bytes were read, encodings that read them otherwise are out.
        let is_shown = best.view.read == codec && best.view.write != codec;
        let is_out = |rival: Codec| {
            is_shown && scalars.iter().any(|&scalar| rival.bytes_of(scalar) != codec.bytes_of(scalar))
        };
        let rivals = ranked.iter().filter(|fit| fit.codec != codec && fit.nats > nats - NATS_THAT_RULE_OUT);
        let rivals = rivals.map(|fit| fit.codec).filter(|rival| !is_out(*rival));
        // It may have been read in a wrong one, or be in the one that it seems to be in, whatever else fits better.
        let shown_as_own = Some(own).filter(|own| best.view.read == *own && best.view.write != *own);
        let others = shown_as_own.into_iter().chain([likeliest]).filter(|other| *other != codec);
        known(codec, rivals.chain(others).collect())
    }

    fn is_certain(&self, scalar: char) -> bool {
        let is_certain = || {
            let own = self.codec.and_then(|codec| codec.bytes_of(scalar));
            // Four bytes of GB 18030 can be any character.
            own.as_ref().is_some_and(|own| own.len() < 4)
                && !self.codec.is_some_and(|codec| has_other_bytes(codec, scalar))
                && !self.rivals.iter().any(|rival| rival.bytes_of(scalar) != own)
        };
        scalar.is_ascii() || *self.certain.borrow_mut().entry(scalar).or_insert_with(is_certain)
    }
}
