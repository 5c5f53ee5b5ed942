//! Text that was added to a damaged version: whether it is certain which bytes it would have had before.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, is_nfc, is_nfd};
use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::charset::step::Joint;
use crate::document::Document;
use crate::document::compare::damaged::{DamageView, text_of, usual};
use crate::document::compare::{Class, Comparer, DamageKind, Explanation, UTF8};
use crate::document::view::{LineEnds, Run, View};
use crate::oddness::{ODD, oddness};

impl<'b> Comparer<'b> {
    /// Returns the old version in the encoding in which a view read it, if both are encodings of bytes.
    pub(in crate::document) fn document_as_read(&self, view: DamageView) -> Document<'b> {
        match self.document.encodings()[..] {
            [known] if known != view.read && is_legacy(known) && is_legacy(view.read) && !view.per_line => {
                let run = Run { bytes: 0..self.old.len(), codec: view.read };
                Document::new(View::new(self.old.into(), 0, &[run], LineEnds::default()))
            }
            _ => self.document.clone(),
        }
    }

    /// Doubts added text of which it is not certain what it would be in the old version.
    pub(super) fn doubt_added(&self, best: &mut Explanation) {
        let is_added = |new: &Range<usize>| self.new.get(new.clone()).is_some_and(|new| !new.is_ascii());
        if best.view.is_plain() {
            return self.doubt_recoded(best);
        }
        let is_chance = self.is_chance(best);
        if is_chance {
            best.doubt_text();
        }
        let document = self.document_as_read(best.view);
        let inserted = Inserted::new(best.view, self.new, &document);
        let mut known: Option<Known> = None;
        // Another encoding may have the same bytes for what the new version has in this one.
        let is_written = is_legacy(best.view.write) && best.view.write != best.view.read;
        let is_misread = oddness(document.text()) > oddness(self.document.text()) + ODD / 2.0;
        let kind =
            if self.document.encodings() == [UTF8] { DamageKind::Doubled } else { DamageKind::Recoded };
        let mut is_uncertain = |old: usize, new: Range<usize>| match inserted.before(&document, old, new) {
            Before::AsIs => false,
            Before::Unknown => true,
            Before::Text(text) => {
                let codec = document.view.codec_at(old.min(self.old.len().saturating_sub(1)));
                let known = known.get_or_insert_with(|| Known::new(&document, best.view, codec));
                let is_new = |scalar: char| !scalar.is_ascii() && !known.scalars.contains(&scalar);
                is_legacy(codec) && text.chars().any(|scalar| is_misread || !known.is_certain(scalar))
                    || is_written && text.chars().any(is_new)
            }
        };
        best.steps
            .iter_mut()
            .filter(|step| step.class == Class::Edit && is_added(&step.new))
            .filter(|step| is_chance || is_uncertain(step.old.start, step.new.clone()))
            .for_each(|step| step.class = Class::Damaged(kind, true));
    }

    /// Reports whether more text beyond ASCII was replaced with other such text than is explained: then some letters
    /// that were read in a wrong encoding are those of the new version by chance.
    fn is_chance(&self, best: &Explanation) -> bool {
        let beyond_ascii =
            |bytes: Option<&[u8]>| bytes.unwrap_or_default().iter().filter(|byte| !byte.is_ascii()).count();
        let (mut explained, mut removed, mut added) = (0, 0, 0);
        for step in &best.steps {
            let old = beyond_ascii(self.old.get(step.old.clone()));
            match step.class {
                Class::Same | Class::Damaged(..) => explained += old,
                Class::Edit => {
                    removed += old;
                    added += beyond_ascii(self.new.get(step.new.clone()));
                }
            }
        }
        removed.min(added) > explained
    }

    /// Doubts text that was added in UTF-8 to a file in another encoding of which nothing beyond ASCII is left, or that
    /// was added to UTF-8 and is not.
    fn doubt_recoded(&self, best: &mut Explanation) {
        let is_utf8 = |bytes: &[u8]| utf8kit::validate(bytes).is_ok();
        let was_utf8 = match is_utf8(self.old) {
            _ if self.old.is_ascii() => return,
            true if self.document.encodings() == [UTF8] => true,
            false if self.document.encodings().into_iter().all(is_legacy) && is_utf8(self.new) => false,
            _ => return,
        };
        for step in best.steps.iter_mut().filter(|step| step.class == Class::Edit) {
            let added = self.new.get(step.new.clone()).unwrap_or_default();
            if !added.is_ascii() && is_utf8(added) != was_utf8 {
                step.class = Class::Damaged(DamageKind::Recoded, true);
            }
        }
    }
}

/// Reports whether an encoding is one of bytes, but not UTF-8.
fn is_legacy(codec: Codec) -> bool {
    matches!(codec, Codec::Legacy(_) | Codec::Native(AnyEncoding::Latin1))
}

/// Which characters are certain to have the bytes in a version that its likely encoding gives them.
struct Known {
    /// Those that it has.
    scalars: HashSet<char>,
    codec: Codec,
    /// Other encodings that the version may be in as well; `None`: any.
    rivals: Option<Vec<Codec>>,
}

impl Known {
    fn new(document: &Document<'_>, view: DamageView, codec: Codec) -> Known {
        let scalars: HashSet<char> = document.text().chars().filter(|scalar| !scalar.is_ascii()).collect();
        // Where the text shows how the old bytes were read, encodings that read them otherwise are out.
        let is_shown = view.read == codec && view.read != view.write;
        let is_rival = |rival: &Codec| {
            *rival != codec && scalars.iter().all(|&scalar| rival.bytes_of(scalar) == codec.bytes_of(scalar))
        };
        let rivals = is_shown.then(|| usual().into_iter().filter(is_rival).collect());
        Known { scalars, codec, rivals }
    }

    fn is_certain(&self, scalar: char) -> bool {
        let own = self.codec.bytes_of(scalar);
        let is_other = |rival: &Codec| rival.bytes_of(scalar).is_some_and(|bytes| Some(bytes) != own);
        scalar.is_ascii()
            || self.scalars.contains(&scalar)
            || self.rivals.as_ref().is_some_and(|rivals| !rivals.iter().any(is_other))
    }
}

/// What the new version added.
pub(in crate::document) struct Inserted<'n> {
    view: DamageView,
    /// Whether line ends are restored, so that new ones follow the old ones.
    pub(in crate::document) ends: bool,
    pub(in crate::document) new: &'n [u8],
    /// The old text.
    old: String,
}

/// What added bytes were before the damage.
pub(in crate::document) enum Before {
    /// The same bytes.
    AsIs,
    /// This text, in the encoding of the old version.
    Text(String),
    /// That cannot be told.
    Unknown,
}

impl<'n> Inserted<'n> {
    /// Returns what a version added to a document that is damaged as a view shows.
    pub(in crate::document) fn new(view: DamageView, new: &'n [u8], document: &Document<'_>) -> Inserted<'n> {
        Inserted { view, ends: false, new, old: document.text().to_owned() }
    }

    /// Returns what bytes were that the new version added at a byte of the old one.
    pub(in crate::document) fn before(
        &self,
        document: &Document<'_>,
        at: usize,
        added: Range<usize>,
    ) -> Before {
        let bytes = self.new.get(added).unwrap_or_default();
        let unchanged = if bytes.is_ascii() { Before::AsIs } else { Before::Unknown };
        if bytes.is_empty() {
            return Before::AsIs;
        }
        let Some(text) = text_of(self.view.write, bytes) else { return unchanged };
        let codec = document.view.codec_at(at.min(document.original().len().saturating_sub(1)));
        let is_wide = |codec: Codec| matches!(codec, Codec::Native(native) if !native.is_ascii_compatible());
        if is_wide(codec) && !is_wide(self.view.read) {
            // Its units were read as characters.
            return Before::AsIs;
        }
        let is_plain = self.view.read == self.view.write && self.view.write == codec && !self.view.canonical;
        if is_plain && (!self.ends || !text.contains('\n')) {
            return Before::AsIs;
        }
        let text = if self.ends { text.replace("\r\n", "\n") } else { text };
        let Some(text) = self.as_before(document, text) else { return unchanged };
        match Joint::new(codec).write(&text, &mut Vec::new()) {
            Some(_) => unchanged,
            None => Before::Text(text),
        }
    }

    /// Returns added text as it was before the damage, if that can be told.
    fn as_before(&self, document: &Document<'_>, text: String) -> Option<String> {
        let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
        let mut text = text;
        if document.encodings() == [utf8] && self.view.read != utf8 && self.view.write == utf8 {
            for _ in 0..=usize::from(self.view.twice) {
                text = undoubled(self.view.read, &text)?;
            }
        }
        if self.view.canonical && is_nfc(&self.old) {
            text = text.nfc().collect();
        } else if self.view.canonical && is_nfd(&self.old) {
            text = text.nfd().collect();
        }
        Some(text)
    }
}

/// Returns text with what is beyond ASCII encoded in an encoding and read as UTF-8, if that is text.
fn undoubled(codec: Codec, text: &str) -> Option<String> {
    let bytes: Option<Vec<Vec<u8>>> = text
        .chars()
        .map(|scalar| if scalar.is_ascii() { Some(vec![scalar as u8]) } else { codec.bytes_of(scalar) })
        .collect();
    String::from_utf8(bytes?.concat()).ok()
}
