//! Edits of a document, and putting its text back into bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use utf8kit::AnyEncoding;

use crate::Counts;
use crate::charset::Codec;
use crate::charset::step::{Joint, Shift};
use crate::convert::{Converter, Invalid, Plan};
use crate::document::diff::text_changes;
use crate::document::view::{LineEnds, NEXT_LINE, Piece, View};
use crate::document::{Document, Unencodable};
use crate::unicode;

/// A range of the text as it was opened, and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) old: Range<usize>,
    pub(super) new: String,
    /// The bytes to write instead of the text.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether the text shows its line ends as they are.
    pub(super) exact: bool,
}

impl Splice {
    fn new(old: Range<usize>, new: String) -> Splice {
        Splice { old, new, raw: None, exact: false }
    }
}

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

/// Returns a text with splices.
pub(super) fn edited(text: &str, splices: &[Splice]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut at = 0;
    for splice in splices {
        edited.push_str(text.get(at..splice.old.start).unwrap_or_default());
        edited.push_str(&splice.new);
        at = splice.old.end;
    }
    edited.push_str(text.get(at..).unwrap_or_default());
    edited
}

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
            let codec = self.codec_for(&place, &splice.new);
            let shared = [&place.lead, &place.tail].map(|range| self.view.text.get(range.clone()));
            if shared.iter().flatten().any(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
                // Bytes that are no text share a piece with the text that is replaced.
                return Err(EditError::Lacking(self.lacking(index, 0, char::REPLACEMENT_CHARACTER, codec)));
            }
            if codec == Codec::Native(AnyEncoding::Utf8) {
                continue;
            }
            let whole = self.whole(&place, splice);
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
                    let whole = self.whole(&place, &splice);
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

    /// Returns the text that is encoded for a splice: the new text, and that of pieces of which it replaces a part.
    fn whole(&self, place: &Place, splice: &Splice) -> String {
        let text = |range: &Range<usize>| self.view.text.get(range.clone()).unwrap_or_default();
        let mut whole = text(&place.lead).to_owned();
        whole.push_str(&splice.new);
        whole.push_str(text(&place.tail));
        whole
    }

    /// Returns the encoding of new text: that of its line. A new line takes that of the line before it.
    fn codec_for(&self, place: &Place, new: &str) -> Codec {
        let start = place.bytes.start;
        let is_line = new.ends_with('\n') && place.bytes.is_empty() && start > self.view.mark;
        let within = start.min(self.view.bytes.len().saturating_sub(1));
        self.view.codec_at(if is_line || start == self.view.bytes.len() {
            start.saturating_sub(1)
        } else {
            within
        })
    }

    /// Returns the bytes: the very input where nothing was edited.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        if self.splices.is_empty() {
            return Cow::Borrowed(&self.view.bytes);
        }
        Cow::Owned(match self.recoded {
            true => self.recode(),
            false => self.put().0,
        })
    }

    /// Puts the text back: copies the bytes of what was not edited, and encodes the rest.
    fn put(&self) -> (Vec<u8>, Vec<Put>) {
        let bytes = &self.view.bytes;
        let added: usize = self.splices.iter().map(|splice| splice.new.len() * 2).sum();
        let (mut out, mut puts) = (Vec::with_capacity(bytes.len() + added), Vec::new());
        let mut joint = Joint::new(self.view.codec_at(self.view.mark));
        let (mut at, mut before, mut shift) = (0, Shift::Neutral, 0_isize);
        for splice in &self.splices {
            let place = Place::of(&self.view, &splice.old);
            if place.bytes.start > at {
                let kept = bytes.get(at..place.bytes.start).unwrap_or_default();
                joint.join(before, kept, &mut out);
                out.extend_from_slice(kept);
                joint.copied(place.before);
            }
            joint.switch(self.codec_for(&place, &splice.new), &mut out);
            let start = out.len();
            self.write(&mut joint, &place, splice, &mut out);
            let text = splice.old.start.saturating_add_signed(shift);
            puts.push(Put {
                text: text..text + splice.new.len(),
                bytes: start..out.len(),
                old: place.bytes.end,
            });
            shift += splice.new.len() as isize - splice.old.len() as isize;
            (at, before) = (place.bytes.end, place.after);
        }
        let kept = bytes.get(at..).unwrap_or_default();
        match kept.is_empty() {
            true => joint.close(&mut out),
            false => joint.join(before, kept, &mut out),
        }
        out.extend_from_slice(kept);
        (out, puts)
    }

    /// Encodes the text of a splice, with the line ends of what it replaces or of its neighbours.
    fn write(&self, joint: &mut Joint, place: &Place, splice: &Splice, out: &mut Vec<u8>) {
        if let Some(raw) = &splice.raw {
            joint.close(out);
            out.extend_from_slice(raw);
            return;
        }
        let whole = self.whole(place, splice);
        if self.view.line_ends == LineEnds::Exact || splice.exact || !whole.contains('\n') {
            joint.write(&whole, out);
            return;
        }
        let mut ends = self.ends(place).into_iter();
        let mut end = None;
        let mut text = String::with_capacity(whole.len());
        for line in whole.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                None => text.push_str(line),
                Some(line) => {
                    end = ends.next().or(end);
                    let end = end.get_or_insert_with(|| self.end_near(&splice.old));
                    text.push_str(line);
                    text.push_str(end);
                }
            }
        }
        joint.write(&text, out);
    }

    /// Returns the line ends that a splice replaces, in order.
    fn ends(&self, place: &Place) -> Vec<&'static str> {
        let replaced = place.lead.start..place.tail.end;
        if !self.view.text.get(replaced.clone()).is_some_and(|text| text.contains('\n')) {
            return Vec::new();
        }
        let pieces = self.view.pieces_at(replaced.start + 1);
        let within = pieces.take_while(|piece| piece.text.start < replaced.end);
        within.filter_map(|piece| self.end_of(&piece)).collect()
    }

    /// Returns the line end of the line that a place is in, else that of the line before it.
    fn end_near(&self, place: &Range<usize>) -> &'static str {
        let text = self.view.text.as_bytes();
        let next = memchr::memchr(b'\n', text.get(place.end..).unwrap_or_default()).map(|at| place.end + at);
        let previous = || memchr::memrchr(b'\n', text.get(..place.start).unwrap_or_default());
        let feed = next.or_else(previous);
        let piece = feed.and_then(|at| self.view.pieces_at(at + 1).next());
        let is_ebcdic = matches!(self.view.codec_at(0), Codec::Legacy(legacy) if legacy.is_ebcdic());
        let usual = if is_ebcdic { NEXT_LINE } else { "\n" };
        piece.and_then(|piece| self.end_of(&piece)).unwrap_or(usual)
    }

    /// Returns the line end that a piece is.
    fn end_of(&self, piece: &Piece) -> Option<&'static str> {
        if self.view.text.get(piece.text.clone()) != Some("\n") {
            return None;
        }
        let codec = self.view.codec_at(piece.bytes.start);
        let (mut exact, mut at, mut shift) = (String::new(), piece.bytes.start, piece.shift.0);
        while let Some(step) =
            codec.step(shift, self.view.bytes.get(at..piece.bytes.end).unwrap_or_default(), &mut exact)
        {
            (at, shift) = (at + step.len, step.shift);
        }
        ["\n", "\r\n", NEXT_LINE, "\r\u{85}"].into_iter().find(|end| *end == exact)
    }

    /// Writes everything as UTF-8, with the line ends of the original text.
    fn recode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.view.text.len());
        let mut at = 0;
        let mut write = |range: Range<usize>, new: &str, old: &Range<usize>| {
            for line in self.view.text.get(range.clone()).unwrap_or_default().split_inclusive('\n') {
                at += line.len();
                self.push_recoded(line, &(at - 1..at), &mut out);
            }
            at = old.end;
            for line in new.split_inclusive('\n') {
                self.push_recoded(line, old, &mut out);
            }
        };
        let mut from = 0;
        for splice in &self.splices {
            write(from..splice.old.start, &splice.new, &splice.old);
            from = splice.old.end;
        }
        let len = self.view.text.len();
        write(from..len, "", &(len..len));
        out
    }

    /// Writes a line as UTF-8, with the line end near a place.
    fn push_recoded(&self, line: &str, place: &Range<usize>, out: &mut Vec<u8>) {
        match line.strip_suffix('\n').filter(|_| self.view.line_ends == LineEnds::Lf) {
            Some(line) => {
                out.extend_from_slice(line.as_bytes());
                let end = self.end_near(&(place.start..place.start));
                out.extend_from_slice(end.replace(NEXT_LINE, "\n").as_bytes());
            }
            None => out.extend_from_slice(line.as_bytes()),
        }
    }

    /// Returns the range of bytes of [`Document::to_bytes`] that a range of the text is written as. A range that begins
    /// or ends within a piece is extended to all of it.
    ///
    /// ```
    /// use utf8kit_text::document::Document;
    ///
    /// let document = Document::open(b"caf\xE9\r\nau lait");
    /// assert_eq!(document.to_bytes_range(3..6), 3..6); // "é" and the line end
    /// assert_eq!(document.to_text_range(3..6), 3..6);
    /// ```
    pub fn to_bytes_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            return range;
        }
        let puts = if self.splices.is_empty() { Vec::new() } else { self.put().1 };
        let start = self.byte_of(range.start, &puts, false);
        start..self.byte_of(range.end.max(range.start), &puts, range.end > range.start).max(start)
    }

    /// Returns the byte at which the text begins (or with `end`, ended) at a place.
    fn byte_of(&self, text: usize, puts: &[Put], end: bool) -> usize {
        let mut original = text;
        let mut shift = 0_isize;
        for (put, splice) in puts.iter().zip(&self.splices) {
            if text < put.text.start || (end && text == put.text.start) {
                break;
            }
            if text < put.text.end || (end && text == put.text.end) {
                return if end { put.bytes.end } else { put.bytes.start };
            }
            original = splice.old.end + (text - put.text.end);
            shift = put.bytes.end as isize - put.old as isize;
        }
        let mut pieces = self.view.pieces_at(original);
        let piece = match end {
            true => pieces
                .next()
                .map(|piece| if piece.text.start == original { piece.bytes.start } else { piece.bytes.end }),
            false => pieces
                .find(|piece| piece.text.end > original || piece.text.start >= original)
                .map(|piece| piece.bytes.start),
        };
        piece.unwrap_or(self.view.bytes.len()).saturating_add_signed(shift)
    }

    /// Returns the range of the text that a range of bytes of [`Document::to_bytes`] is shown as. A range that begins or
    /// ends within a piece is extended to all of it.
    pub fn to_text_range(&self, range: Range<usize>) -> Range<usize> {
        if self.recoded {
            return range;
        }
        let puts = if self.splices.is_empty() { Vec::new() } else { self.put().1 };
        let start = self.text_of(range.start, &puts, false);
        start..self.text_of(range.end, &puts, range.end > range.start).max(start)
    }

    /// Returns the place in the original text at which a byte of the original begins.
    pub(super) fn text_at(&self, byte: usize) -> usize {
        self.text_of(byte, &[], false)
    }

    fn text_of(&self, byte: usize, puts: &[Put], end: bool) -> usize {
        let (mut shift, mut text_shift) = (0_isize, 0_isize);
        for (put, splice) in puts.iter().zip(&self.splices) {
            if byte < put.bytes.start || (end && byte == put.bytes.start) {
                break;
            }
            if byte < put.bytes.end || (end && byte == put.bytes.end) {
                return if end { put.text.end } else { put.text.start };
            }
            shift = put.bytes.end as isize - put.old as isize;
            text_shift = put.text.end as isize - splice.old.end as isize;
        }
        let byte = byte.saturating_add_signed(-shift);
        let text = match end {
            true => self.view.piece_of_byte(byte.saturating_sub(1)).map(|piece| piece.text.end),
            false => self.view.piece_of_byte(byte).map(|piece| piece.text.start),
        };
        let mark = byte <= self.view.mark;
        let text = if mark { 0 } else { text.unwrap_or(self.view.text.len()) };
        text.saturating_add_signed(text_shift)
    }
}

/// Where a splice was put: its range in the new text and in the new bytes, and where the old bytes go on behind it.
struct Put {
    text: Range<usize>,
    bytes: Range<usize>,
    old: usize,
}

/// The pieces that a splice replaces.
struct Place {
    bytes: Range<usize>,
    /// Text of the first piece that stays.
    lead: Range<usize>,
    /// Text of the last piece that stays.
    tail: Range<usize>,
    /// The state before the first piece, and behind the last.
    before: Shift,
    after: Shift,
}

impl Place {
    fn of(view: &View<'_>, old: &Range<usize>) -> Place {
        let len = view.bytes.len();
        let mut place = Place {
            bytes: len..len,
            lead: old.start..old.start,
            tail: old.end..old.end,
            before: Shift::Neutral,
            after: Shift::Neutral,
        };
        let mut begun = false;
        for piece in view.pieces_at(old.start) {
            if !begun && piece.text.end == old.start && piece.text.start < old.start {
                // It ends where the splice begins.
                place.bytes = piece.bytes.end..piece.bytes.end;
                (place.before, place.after) = (piece.shift.1, piece.shift.1);
                begun = true;
                if old.is_empty() {
                    break;
                }
                continue;
            }
            if !begun {
                place.bytes = piece.bytes.start..piece.bytes.start;
                (place.before, place.after) = (piece.shift.0, piece.shift.0);
                place.lead.start = piece.text.start;
                begun = true;
            }
            if piece.text.start >= old.end {
                break;
            }
            place.bytes.end = piece.bytes.end;
            place.after = piece.shift.1;
            if piece.text.end >= old.end {
                place.tail.end = piece.text.end;
                break;
            }
        }
        place
    }
}

/// Returns text with what an encoding lacks transliterated or escaped.
fn rewritten(text: &str, codec: Codec, unencodable: Unencodable) -> String {
    let mut out = String::with_capacity(text.len());
    for scalar in text.chars() {
        match (codec.says(scalar), unencodable) {
            (Some(_), _) => out.push(scalar),
            (None, Unencodable::Transliterate) => match nearest(scalar, codec) {
                Some(nearest) => out.push_str(&nearest),
                None => out.push(scalar),
            },
            (None, _) => out.push_str(&match u32::from(scalar) {
                value @ ..0x1_0000 => format!("\\u{value:04X}"),
                value => format!("\\U{value:08X}"),
            }),
        }
    }
    out
}

/// Returns the nearest equivalent of a character that an encoding lacks.
fn nearest(scalar: char, codec: Codec) -> Option<String> {
    let mut plan = Plan::new(Codec::Native(AnyEncoding::Utf8), codec, Invalid::Strict);
    plan.rewrite.transliterate = true;
    let (mut out, mut counts) = (Vec::new(), Counts::default());
    let text = scalar.to_string();
    Converter::new(&plan).push(text.as_bytes(), true, &mut out, &mut counts).ok()?;
    let mut nearest = String::new();
    let (mut at, mut shift) = (0, Shift::Neutral);
    while let Some(step) = codec.step(shift, out.get(at..).unwrap_or_default(), &mut nearest) {
        (at, shift) = (at + step.len, step.shift);
    }
    Some(nearest)
}
