//! The original of text that was added to a damaged version.

use std::ops::Range;

use foldhash::HashSet;
use unicode_normalization::{UnicodeNormalization as _, is_nfc, is_nfd};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Joint;

use crate::Document;
use crate::compare::double_encoding::undo_misdecoding;
use crate::compare::encodings::{UTF8, bytes_in, is_ascii, is_legacy, text_of};
use crate::compare::limits::BYTES_AROUND_ADDITION;
use crate::compare::pieces::referred;
use crate::compare::view::DamageView;
use crate::view::feed;

/// What the new version added.
pub(crate) struct Inserted<'n> {
    view: DamageView,
    /// Whether line ends are restored, so that new ones follow the old ones.
    pub(crate) ends: bool,
    pub(crate) new: &'n [u8],
    /// The old text.
    old: String,
    /// Characters of the old version as they were read in a wrong encoding, and as they are.
    seen: Option<(HashSet<char>, HashSet<char>)>,
}

/// What added bytes were before the damage.
pub(crate) enum Before {
    /// The same bytes.
    AsIs,
    /// This text, in the encoding of the old version.
    Text(String),
    /// These bytes: they were read in the same wrong encoding.
    Bytes(Vec<u8>),
    /// It is not known.
    Unknown,
}

impl<'n> Inserted<'n> {
    /// Returns the text that a version added to a document that was damaged as a view shows.
    pub(crate) fn new(view: DamageView, new: &'n [u8], document: &Document<'_>) -> Inserted<'n> {
        let old = document.text().to_owned();
        let is_misread = is_legacy(view.read) && view.write != view.read && !view.per_line;
        let is_misread = is_misread && document.encodings() != [UTF8];
        let seen = (is_misread && document.encodings() != [view.read]).then(|| {
            let misread = Document::open_as(view.read.into(), document.original());
            (misread.text().chars().collect(), old.chars().collect())
        });
        Inserted { view, ends: false, new, old, seen }
    }

    /// Returns the original of text that the view reads in a wrong encoding. It was added before that happened, or
    /// later.
    fn misread(&self, document: &Document<'_>, at: usize, text: &str) -> Option<Before> {
        let (misread, own) = self.seen.as_ref().filter(|_| !text.is_ascii())?;
        let before = bytes_in(self.view.read, text)?;
        let codec = document.view.codec_at(at.min(document.original().len().saturating_sub(1)));
        let all_in = |seen: &HashSet<char>| text.chars().all(|c| c.is_ascii() || seen.contains(&c));
        let Some(later) = bytes_in(codec, text) else {
            // Another program may have read it.
            return Some(if all_in(misread) { Before::Bytes(before) } else { Before::Unknown });
        };
        match (all_in(misread), all_in(own)) {
            _ if later == before => None,
            (true, false) => Some(Before::Bytes(before)),
            (false, true) => None,
            _ => Some(Before::Unknown),
        }
    }

    /// Returns the original of the bytes that the new version added at a byte of the old one.
    pub(crate) fn before(&self, document: &Document<'_>, at: usize, added: Range<usize>) -> Before {
        let bytes = self.new.get(added.clone()).unwrap_or_default();
        let unchanged = if is_ascii(self.view.write, bytes) { Before::AsIs } else { Before::Unknown };
        if bytes.is_empty() {
            return Before::AsIs;
        }
        let is_kept =
            !self.view.refers() && self.view.read == self.view.write && self.view.per_line && !self.view.canonical;
        if is_kept && !bytes.is_ascii() {
            // In a file of two encodings, it is in one of them.
            return Before::AsIs;
        }
        let Some(text) = text_of(self.view.write, bytes) else { return unchanged };
        let codec = document.view.codec_at(at.min(document.original().len().saturating_sub(1)));
        if codec.is_wide() && !self.view.read.is_wide() {
            // Its units were read as characters.
            return Before::AsIs;
        }
        let is_plain = !self.view.refers()
            && self.view.read == self.view.write
            && self.view.write == codec
            && !self.view.canonical;
        if is_plain && (!self.ends || !text.contains('\n')) {
            return Before::AsIs;
        }
        let text = if self.ends { text.replace("\r\n", "\n") } else { text };
        let Some(text) = self.as_before(document, text, &added) else { return unchanged };
        if let Some(before) = self.misread(document, at, &text) {
            return before;
        }
        match Joint::new(codec).write(&text, &mut Vec::new()) {
            Some(_) => unchanged,
            None => Before::Text(text),
        }
    }

    /// Reports whether both encodings, of the new version and of the old one at this byte, use the byte LF only as a
    /// line
    /// end.
    pub(crate) fn has_bytes(&self, document: &Document<'_>, at: usize) -> bool {
        let codec = document.view.codec_at(at.min(document.original().len().saturating_sub(1)));
        [codec, self.view.write].into_iter().all(|codec| feed(codec) == Some(b"\n"))
    }

    /// Returns added text as it was before UTF-8 was read in another encoding: text that was added later is as it was
    /// typed.
    fn before_doubling(
        &self,
        text: String,
        range: &Range<usize>,
        mut codecs: impl Iterator<Item = Codec> + Clone,
    ) -> Option<String> {
        if codecs.clone().all(|codec| is_typed(codec, self.new, range)) {
            return Some(text);
        }
        codecs.try_fold(text, |text, codec| undo_misdecoding(codec, &text))
    }

    /// Returns added text as it was before the damage, if that is known.
    fn as_before(&self, document: &Document<'_>, text: String, range: &Range<usize>) -> Option<String> {
        let utf8 = Codec::Native(utf8kit::AnyEncoding::Utf8);
        let mut text = if self.view.canonical { text.nfc().collect() } else { text };
        if self.view.refers() {
            text = dereferenced(&text);
        }
        let was_utf8 = document.encodings() == [utf8] && self.view.read != utf8;
        if (was_utf8 || self.view.again.is_some()) && self.view.write == utf8 {
            let read = Some(self.view.read).filter(|_| was_utf8);
            text = self.before_doubling(text, range, self.view.again.into_iter().chain(read))?;
        }
        if self.view.canonical && is_nfc(&self.old) {
            text = text.nfc().collect();
        } else if self.view.canonical && is_nfd(&self.old) {
            text = text.nfd().collect();
        }
        Some(text)
    }
}

/// Returns text with the characters that its references name.
pub(super) fn dereferenced(text: &str) -> String {
    let (mut put, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("&#") {
        let (before, from) = rest.split_at(at);
        put.push_str(before);
        let (scalar, len) = referred(from).unwrap_or(('&', 1));
        put.push(scalar);
        rest = from.get(len..).unwrap_or_default();
    }
    put + rest
}

/// Reports whether a range of text, with its surroundings, contains no part of a UTF-8 character that was decoded in
/// this encoding.
fn is_typed(codec: Codec, new: &[u8], range: &Range<usize>) -> bool {
    let text =
        |range: Range<usize>| String::from_utf8_lossy(new.get(range).unwrap_or_default()).nfc().collect::<String>();
    let lead = text(range.start.saturating_sub(BYTES_AROUND_ADDITION)..range.start);
    let tail = text(range.end..new.len().min(range.end + BYTES_AROUND_ADDITION));
    let bytes = |text: &str| -> Vec<u8> {
        let bytes_of = |scalar: char| match scalar.is_ascii() {
            true => vec![scalar as u8],
            // A byte that is never UTF-8.
            false => codec.bytes_of(scalar).unwrap_or(vec![0xFF]),
        };
        text.chars().flat_map(bytes_of).collect()
    };
    let added = text(range.clone());
    let parts = [lead, added.clone(), tail].map(|part| bytes(&part));
    let (start, end) = (parts[0].len(), parts[0].len() + parts[1].len());
    let all = parts.concat();
    let mut at = 0;
    let mut characters = all.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().char_indices().map(|(offset, c)| (at + offset, c)).collect::<Vec<_>>();
        at += chunk.valid().len() + chunk.invalid().len();
        valid
    });
    !added.contains(char::REPLACEMENT_CHARACTER)
        && !characters.any(|(at, c)| !c.is_ascii() && at < end && at + c.len_utf8() > start)
}
