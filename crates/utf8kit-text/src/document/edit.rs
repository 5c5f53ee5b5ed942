//! Edits of a document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use utf8kit::AnyEncoding;

use crate::charset::Codec;
use crate::charset::step::Joint;
use crate::document::diff::text_changes;
use crate::document::splice::{Place, Splice, edited};
use crate::document::unencodable::rewritten;
use crate::document::view::LineEnds;
use crate::document::{Document, Unencodable};
use crate::unicode;

/// Why an edit was refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The range is not in the text, or begins or ends within a character.
    Range(Range<usize>),
    /// The encoding lacks a character.
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
            EditError::Lacking(Lacking { scalar, encoding, line, column, .. }) => {
                let (value, name) = (u32::from(*scalar), unicode::name(u32::from(*scalar)));
                let lacks = format!("{line}:{column}: {encoding} lacks U+{value:04X} {name}");
                f.write_str(lacks.trim_end())
            }
        }
    }
}

impl std::error::Error for EditError {}

impl Document<'_> {
    /// Replaces a range of the text, in bytes of the text. What both have in common keeps its bytes.
    ///
    /// # Errors
    /// [`EditError::Range`] if the range is not one of whole characters; [`EditError::Lacking`] if the encoding lacks a
    /// character of the new text, unless [`Document::with_unencodable`] says otherwise.
    ///
    /// ```
    /// use utf8kit_text::document::{Document, EditError};
    ///
    /// let mut document = Document::open_as("windows-1252".parse().unwrap(), b"na\xEFve\r\n");
    /// document.replace(6..7, ".\nMore.\n")?;
    /// assert_eq!(document.to_bytes(), &b"na\xEFve.\r\nMore.\r\n"[..]);
    /// let Err(EditError::Lacking(lacking)) = document.replace(0..2, "n日") else { panic!() };
    /// assert_eq!((lacking.scalar, lacking.line, lacking.column), ('日', 1, 2));
    /// # Ok::<(), EditError>(())
    /// ```
    pub fn replace(&mut self, range: Range<usize>, new: &str) -> Result<(), EditError> {
        let text = self.text();
        let Some(old) = text.get(range.clone()) else { return Err(EditError::Range(range)) };
        let new = self.line_feeds(new);
        let changes = text_changes(old, &new);
        let splices = changes.into_iter().map(|(from, to)| {
            let old = range.start + from.start..range.start + from.end;
            Splice::new(old, new.get(to).unwrap_or_default().to_owned())
        });
        let splices = splices.collect();
        self.apply(splices)
    }

    /// Makes `new` the text, by the smallest edit: what is the same by lines, then by code points, keeps its bytes.
    ///
    /// # Errors
    /// [`EditError::Lacking`], as for [`Document::replace`].
    ///
    /// ```
    /// use utf8kit_text::document::Document;
    ///
    /// // 87 90 is a second way to write what 81 E0 is in Shift_JIS.
    /// let mut document = Document::open_as("shift_jis".parse().unwrap(), b"\x87\x90\n\x81\xE0\n");
    /// assert_eq!(document.text(), "≒\n≒\n");
    /// document.set_text("≒\n=\n≒\n")?;
    /// assert_eq!(document.to_bytes(), &b"\x87\x90\n=\n\x81\xE0\n"[..]);
    /// # Ok::<(), utf8kit_text::document::EditError>(())
    /// ```
    pub fn set_text(&mut self, new: &str) -> Result<(), EditError> {
        let len = self.text().len();
        if self.text() == new {
            return Ok(());
        }
        self.replace(0..len, new)
    }

    /// Returns new text with the line ends that the view shows, unless the old text has CR LF of its own.
    fn line_feeds<'t>(&self, new: &'t str) -> Cow<'t, str> {
        let shows_all = self.view.line_ends == LineEnds::Exact;
        if shows_all || !new.contains("\r\n") || self.view.text.contains("\r\n") {
            return Cow::Borrowed(new);
        }
        Cow::Owned(new.replace("\r\n", "\n"))
    }

    /// Applies splices of the current text, all or none.
    fn apply(&mut self, splices: Vec<Splice>) -> Result<(), EditError> {
        let before = (self.splices.clone(), self.recoded);
        for splice in splices.into_iter().rev() {
            let merged = self.merge(splice);
            self.splices.splice(merged.1, merged.0);
        }
        self.edited.take();
        let checked = self.check();
        if checked.is_err() {
            (self.splices, self.recoded) = before;
            self.edited.take();
        }
        checked
    }

    /// Returns a splice of the current text as one of the original text, with those that it replaces.
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
            // They touch.
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

    /// Makes new text encodable as the document says, or returns why it is not.
    fn check(&mut self) -> Result<(), EditError> {
        if self.recoded {
            return Ok(());
        }
        for index in 0..self.splices.len() {
            let Some(splice) = self.splices.get(index) else { continue };
            let place = Place::of(&self.view, &splice.old);
            let lead = place.lead.len();
            let codec = place.codec(&self.view, &splice.new);
            let shared = [&place.lead, &place.tail].map(|range| self.view.text.get(range.clone()));
            if shared.iter().flatten().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
                // Bytes that are no text share a piece with the text that is replaced.
                return Err(EditError::Lacking(self.lacking(index, 0, char::REPLACEMENT_CHARACTER, codec)));
            }
            if codec == Codec::Native(AnyEncoding::Utf8) {
                continue;
            }
            let whole = place.whole(&self.view, &splice.new);
            let Some((at, scalar)) = Joint::new(codec).write(&whole, &mut Vec::new()) else { continue };
            let lacking = || EditError::Lacking(self.lacking(index, at.saturating_sub(lead), scalar, codec));
            match self.unencodable {
                Unencodable::Refuse => return Err(lacking()),
                Unencodable::Recode if self.opaque().next().is_none() => {
                    self.recoded = true;
                    return Ok(());
                }
                Unencodable::Recode => return Err(lacking()),
                Unencodable::Transliterate | Unencodable::Escape => {
                    let new = rewritten(&splice.new, codec, self.unencodable);
                    let remains = |place: (usize, char)| {
                        EditError::Lacking(self.lacking(index, place.0.saturating_sub(lead), place.1, codec))
                    };
                    let splice = Splice::new(splice.old.clone(), new);
                    let whole = place.whole(&self.view, &splice.new);
                    if let Some(place) = Joint::new(codec).write(&whole, &mut Vec::new()) {
                        return Err(remains(place));
                    }
                    if let Some(place) = self.splices.get_mut(index) {
                        *place = splice;
                    }
                }
            }
        }
        Ok(())
    }

    fn lacking(&self, index: usize, at: usize, scalar: char, encoding: Codec) -> Lacking {
        let before = self.splices.get(..index).unwrap_or_default();
        let shift: isize =
            before.iter().map(|splice| splice.new.len() as isize - splice.old.len() as isize).sum();
        let start = self.splices.get(index).map_or(0, |splice| splice.old.start);
        let text = edited(&self.view.text, &self.splices);
        let offset = utf8kit::floor_char_boundary(&text, start.saturating_add_signed(shift) + at);
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Lacking { scalar, encoding, offset, line, column }
    }
}
