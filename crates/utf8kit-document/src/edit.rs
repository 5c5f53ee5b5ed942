//! Edits of a document.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Joint;
use utf8kit_encodings::unicode;

use crate::diff::text_changes;
use crate::splice::{Place, Splice, edited};
use crate::unencodable::rewritten;
use crate::view::LineEnds;
use crate::{Document, Unencodable};

/// Why an edit was rejected. The document is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The range is not in the text, or begins or ends within a character.
    Range(Range<usize>),
    /// The encoding lacks a character, or is compressed, so that its parts cannot be replaced.
    Lacking(Lacking),
}

/// A character that the encoding of a document lacks, with its place in the edited text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// The character.
    pub scalar: char,
    /// The encoding.
    pub encoding: Codec,
    /// The place of the character in the new text, in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in code points.
    pub column: usize,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Range(range) => {
                write!(f, "bytes {}..{} are not whole characters of the text", range.start, range.end)
            }
            EditError::Lacking(Lacking { encoding, .. }) if !encoding.is_editable() => {
                write!(f, "text in {encoding} cannot be edited: convert it to UTF-8 first")
            }
            EditError::Lacking(Lacking { scalar, encoding, line, column, .. }) => {
                let (value, name) = (u32::from(*scalar), unicode::name(u32::from(*scalar)));
                let lacks = format!("{line}:{column}: {encoding} lacks U+{value:04X} {name}");
                f.write_str(lacks.trim_end())
            }
        }
    }
}

impl std::error::Error for EditError {}

/// How new text can be encoded.
enum Fit {
    AsIs,
    /// As this text.
    Rewritten(String),
    /// As UTF-8, like all of the document.
    Recoded,
}

impl Document<'_> {
    /// Replaces a range of the text, given in bytes of the text. Common parts of the old and the new text keep their
    /// bytes.
    ///
    /// # Errors
    /// [`EditError::Range`] if the range does not consist of whole characters; [`EditError::Lacking`] if the encoding
    /// lacks a character of the new text, unless [`Document::with_unencodable`] sets another handling.
    ///
    /// ```
    /// use utf8kit_document::{Document, EditError};
    ///
    /// let mut document = Document::open_as("windows-1252".parse().unwrap(), b"na\xEFve\r\n");
    /// document.replace(6..7, ".\nMore.\n")?;
    /// assert_eq!(document.to_bytes(), &b"na\xEFve.\r\nMore.\r\n"[..]);
    /// let Err(EditError::Lacking(lacking)) = document.replace(0..2, "n日") else { panic!() };
    /// assert_eq!((lacking.scalar, lacking.line, lacking.column), ('日', 1, 2));
    /// # Ok::<(), EditError>(())
    /// ```
    pub fn replace(&mut self, range: Range<usize>, new: &str) -> Result<(), EditError> {
        let Some(old) = self.current(&range) else { return Err(EditError::Range(range)) };
        let new = self.line_feeds(new);
        let changes = text_changes(&old, &new);
        let splices = changes.into_iter().map(|(from, to)| {
            let old = range.start + from.start..range.start + from.end;
            Splice::new(old, new.get(to).unwrap_or_default().to_owned())
        });
        let splices = splices.collect();
        self.apply(splices)
    }

    /// Makes `new` the text, by a small edit: text that is equal, by lines and then by code points, keeps its bytes.
    ///
    /// # Errors
    /// [`EditError::Lacking`], as for [`Document::replace`].
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// // 87 90 is a second way to write what 81 E0 is in Shift_JIS.
    /// let mut document = Document::open_as("shift_jis".parse().unwrap(), b"\x87\x90\n\x81\xE0\n");
    /// assert_eq!(document.text(), "≒\n≒\n");
    /// document.set_text("≒\n=\n≒\n")?;
    /// assert_eq!(document.to_bytes(), &b"\x87\x90\n=\n\x81\xE0\n"[..]);
    /// # Ok::<(), utf8kit_document::EditError>(())
    /// ```
    pub fn set_text(&mut self, new: &str) -> Result<(), EditError> {
        let len = self.text().len();
        if self.text() == new {
            return Ok(());
        }
        self.replace(0..len, new)
    }

    /// Returns new text with the line ends that the view shows, unless the old text contains CR LF.
    fn line_feeds<'t>(&self, new: &'t str) -> Cow<'t, str> {
        let shows_all = self.view.line_ends == LineEnds::Exact;
        if shows_all || !new.contains("\r\n") || self.view.text.contains("\r\n") {
            return Cow::Borrowed(new);
        }
        Cow::Owned(new.replace("\r\n", "\n"))
    }

    /// Returns a range of the current text, without assembling the whole text.
    fn current(&self, range: &Range<usize>) -> Option<Cow<'_, str>> {
        if self.splices.is_empty() {
            return self.view.text.get(range.clone()).map(Cow::Borrowed);
        }
        if let Some(edited) = self.edited.get() {
            return edited.get(range.clone()).map(Cow::Borrowed);
        }
        let (mut at, mut old, mut current) = (0, 0, String::new());
        let mut take = |text: &str| {
            let within = |place: usize| place.saturating_sub(at).min(text.len());
            current.push_str(text.get(within(range.start)..within(range.end))?);
            at += text.len();
            Some(())
        };
        for splice in &self.splices {
            take(self.view.text.get(old..splice.old.start)?)?;
            take(&splice.new)?;
            old = splice.old.end;
        }
        take(self.view.text.get(old..)?)?;
        (range.start <= range.end && range.end <= at).then_some(Cow::Owned(current))
    }

    /// Applies the first splices, all or none.
    fn apply_first(&mut self, splices: Vec<Splice>) -> Result<bool, EditError> {
        for splice in splices {
            match self.splices.last_mut() {
                Some(last) if last.old.end == splice.old.start => {
                    last.old.end = splice.old.end;
                    last.new.push_str(&splice.new);
                }
                _ => self.splices.push(splice),
            }
        }
        self.edited = OnceCell::new();
        let checked = self.check();
        if checked.is_err() {
            (self.splices, self.recoded) = (Vec::new(), false);
        }
        checked
    }

    /// Applies splices of the current text, all or none, and keeps its index up to date, if there is one.
    fn apply(&mut self, splices: Vec<Splice>) -> Result<(), EditError> {
        let index = self.index.take();
        let ends = splices.first().zip(splices.last()).map(|(first, last)| first.old.start..last.old.end);
        let applied = self.apply_all(splices);
        if let (Some(mut index), Some(range)) = (index, ends) {
            let kept = match applied {
                Ok(rewritten) => !rewritten && index.edit(range, self.text().as_bytes()).is_ok(),
                Err(_) => true,
            };
            self.index = if kept { OnceCell::from(index) } else { OnceCell::new() };
        }
        applied.map(|_| ())
    }

    /// Applies splices of the current text, all or none; returns whether new text was made encodable.
    fn apply_all(&mut self, splices: Vec<Splice>) -> Result<bool, EditError> {
        if self.splices.is_empty() {
            return self.apply_first(splices);
        }
        // The cached text stays valid unless new text is escaped or transliterated.
        let mut edited = self.edited.take();
        let mut done: Vec<(Range<usize>, Vec<Splice>)> = Vec::new();
        for splice in splices.into_iter().rev() {
            if let Some(edited) = &mut edited {
                edited.replace_range(splice.old.clone(), &splice.new);
            }
            let (merged, replaced) = self.merge(splice);
            let now = replaced.start..replaced.start + usize::from(merged.is_some());
            done.push((now, self.splices.splice(replaced, merged).collect()));
        }
        let recoded = self.recoded;
        // Unedited text has its own bytes.
        self.recoded &= !self.splices.is_empty();
        let checked = self.check();
        match &checked {
            Ok(false) => self.edited = edited.map_or_else(OnceCell::new, OnceCell::from),
            Ok(true) => {}
            Err(_) => {
                for (now, before) in done.into_iter().rev() {
                    self.splices.splice(now, before);
                }
                self.recoded = recoded;
            }
        }
        checked
    }

    /// Converts a splice of the current text to one of the original text, and returns the range of splices that it
    /// replaces.
    fn merge(&self, splice: Splice) -> (Option<Splice>, Range<usize>) {
        let Splice { old: range, new, .. } = splice;
        let mut merged = Splice::new(0..0, String::new());
        let (mut first, mut last) = (None, 0);
        // The distance from the original text to the current one.
        let mut shift = 0_isize;
        let (mut start, mut end) = (None, None);
        let mut tail = "";
        for (index, known) in self.splices.iter().enumerate() {
            let now = known.old.start.saturating_add_signed(shift);
            let after = now + known.new.len();
            if now > range.end {
                break;
            }
            shift += known.new.len() as isize - known.old.len() as isize;
            if after < range.start {
                last = index + 1;
                continue;
            }
            // The splices touch.
            first.get_or_insert(index);
            last = index + 1;
            if start.is_none() {
                let lead = range.start.saturating_sub(now);
                let outside = now.saturating_sub(range.start);
                start = Some(known.old.start - outside.min(known.old.start));
                merged.new.push_str(known.new.get(..lead).unwrap_or_default());
            }
            let covered = range.end.saturating_sub(now).min(known.new.len());
            tail = known.new.get(covered..).unwrap_or_default();
            end = Some(known.old.end + range.end.saturating_sub(after));
        }
        merged.old.start = start.unwrap_or_else(|| range.start.saturating_add_signed(-shift));
        merged.old.end = end.unwrap_or_else(|| range.end.saturating_add_signed(-shift));
        merged.new.push_str(&new);
        merged.new.push_str(tail);
        let replaced = first.unwrap_or(last)..last;
        let is_edit = self.view.text.get(merged.old.clone()) != Some(&merged.new);
        (is_edit.then_some(merged), replaced)
    }

    /// Makes new text encodable by the document's setting, and returns whether that changed the text.
    fn check(&mut self) -> Result<bool, EditError> {
        let mut is_rewritten = false;
        for index in 0..self.splices.len() {
            if self.recoded {
                break;
            }
            let Some(splice) = self.splices.get(index).filter(|splice| !splice.checked) else { continue };
            match self.check_one(index, splice)? {
                Fit::AsIs => {}
                Fit::Recoded => self.recoded = true,
                Fit::Rewritten(new) => {
                    is_rewritten = true;
                    if let Some(splice) = self.splices.get_mut(index) {
                        splice.new = new;
                    }
                }
            }
        }
        self.splices.iter_mut().for_each(|splice| splice.checked = true);
        Ok(is_rewritten)
    }

    /// Returns how the text of a splice can be encoded.
    fn check_one(&self, index: usize, splice: &Splice) -> Result<Fit, EditError> {
        let place = Place::of(&mut self.view.finder(), &splice.old);
        let lead = place.lead.len();
        let codec = place.codec(&self.view, &splice.new);
        let shared = [&place.lead, &place.tail].map(|range| self.view.text.get(range.clone()));
        if shared.iter().flatten().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
            // Bytes that are not text share a piece with the replaced text.
            return Err(EditError::Lacking(self.lacking(index, 0, char::REPLACEMENT_CHARACTER, codec)));
        }
        if codec == Codec::Native(AnyEncoding::Utf8) {
            return Ok(Fit::AsIs);
        }
        let lacked = |new: &str| {
            let whole = place.whole(&self.view, new);
            let (at, scalar) = Joint::new(codec).write(&whole, &mut Vec::new())?;
            Some(EditError::Lacking(self.lacking(index, at.saturating_sub(lead), scalar, codec)))
        };
        let Some(refused) = lacked(&splice.new) else { return Ok(Fit::AsIs) };
        match self.unencodable {
            Unencodable::Recode if self.opaque().next().is_none() => Ok(Fit::Recoded),
            Unencodable::Refuse | Unencodable::Recode => Err(refused),
            Unencodable::Transliterate | Unencodable::Escape => {
                let new = rewritten(&splice.new, codec, self.unencodable);
                lacked(&new).map_or(Ok(Fit::Rewritten(new)), Err)
            }
        }
    }

    fn lacking(&self, index: usize, at: usize, scalar: char, encoding: Codec) -> Lacking {
        let before = self.splices.get(..index).unwrap_or_default();
        let shift: isize = before.iter().map(|splice| splice.new.len() as isize - splice.old.len() as isize).sum();
        let start = self.splices.get(index).map_or(0, |splice| splice.old.start);
        let text = edited(&self.view.text, &self.splices);
        let offset = utf8kit::floor_char_boundary(text.as_bytes(), start.saturating_add_signed(shift) + at);
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Lacking { scalar, encoding, offset, line, column }
    }
}
