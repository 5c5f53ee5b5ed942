//! Writes the text of a document as bytes.

use std::borrow::Cow;
use std::ops::Range;

use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::{Joint, Shift};

use crate::Document;
use crate::splice::{Place, Splice};
use crate::view::{LineEnds, NEXT_LINE, Piece, feed};

/// Where a splice was written: its range in the new text, including the rest of the pieces that it touches; its range
/// in the new bytes, including a shift back after it; and where the old text and the old bytes continue.
pub(super) struct WrittenSplice {
    pub(super) text: Range<usize>,
    pub(super) bytes: Range<usize>,
    pub(super) old_text: usize,
    pub(super) old: usize,
}

/// Extends the last splice to a byte.
fn end_last(written_splices: &mut [WrittenSplice], end: usize) {
    if let Some(put) = written_splices.last_mut() {
        put.bytes.end = end;
    }
}

impl Document<'_> {
    /// Returns the bytes, borrowed from the input if nothing was edited.
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        if self.splices.is_empty() {
            return Cow::Borrowed(&self.view.bytes);
        }
        Cow::Owned(match self.recoded {
            true => self.recode(),
            false => self.put(true).0,
        })
    }

    /// Returns where the splices are in the new bytes. Splices that share a piece are joined.
    pub(super) fn written_splices(&self) -> Vec<WrittenSplice> {
        if self.splices.is_empty() { Vec::new() } else { self.put(false).1 }
    }

    /// Returns the splices. Splices in the same piece are joined, with the text between them, because a piece is
    /// written as a whole.
    fn by_pieces(&self) -> Vec<Cow<'_, Splice>> {
        let mut joined: Vec<Cow<'_, Splice>> = Vec::with_capacity(self.splices.len());
        let (mut end, mut finder) = (0, self.view.finder());
        for splice in &self.splices {
            let place = Place::of(&mut finder, &splice.old);
            match joined.last_mut().filter(|_| place.bytes.start < end) {
                Some(last) if last.raw.is_none() && splice.raw.is_none() => {
                    let last = last.to_mut();
                    last.new.push_str(self.view.text.get(last.old.end..splice.old.start).unwrap_or_default());
                    last.new.push_str(&splice.new);
                    last.old.end = splice.old.end;
                }
                _ => joined.push(Cow::Borrowed(splice)),
            }
            end = place.bytes.end;
        }
        joined
    }

    /// Writes the text: copies the bytes of unedited text, or leaves them out unless `copies`, and encodes the rest.
    fn put(&self, copies: bool) -> (Vec<u8>, Vec<WrittenSplice>) {
        let bytes = &self.view.bytes;
        let added: usize = self.splices.iter().map(|splice| splice.new.len() * 2).sum();
        let capacity = if copies { bytes.len() + added } else { 0 };
        let (mut out, mut written_splices) = (Vec::with_capacity(capacity), Vec::new());
        let mut left_out = 0;
        let mut joint = Joint::new(self.view.codec_at(self.view.mark));
        let (mut at, mut before, mut shift) = (0, Shift::Neutral, 0_isize);
        let mut finder = self.view.finder();
        for splice in self.by_pieces() {
            let place = Place::of(&mut finder, &splice.old);
            if place.bytes.start > at {
                let kept = bytes.get(at..place.bytes.start).unwrap_or_default();
                joint.join(before, kept, &mut out);
                end_last(&mut written_splices, left_out + out.len());
                if copies {
                    out.extend_from_slice(kept);
                } else {
                    left_out += kept.len();
                }
                joint.copied(kept, place.before);
            }
            joint.switch(place.codec(&self.view, &splice.new), &mut out);
            let written = out.len();
            let start = left_out + written;
            self.write(&mut joint, &place, &splice, &mut out);
            let new = out.get(written..).unwrap_or_default();
            joint.replaced(bytes.get(place.bytes.clone()).unwrap_or_default(), new);
            // The unedited rest of the pieces is written again.
            let text = place.lead.start.saturating_add_signed(shift);
            let len = place.lead.len() + splice.new.len() + place.tail.len();
            written_splices.push(WrittenSplice {
                text: text..text + len,
                bytes: start..left_out + out.len(),
                old_text: place.tail.end,
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
        end_last(&mut written_splices, left_out + out.len());
        if copies {
            out.extend_from_slice(kept);
        }
        (out, written_splices)
    }

    /// Encodes the text of a splice, with the line ends of the replaced text or of its neighbours.
    fn write(&self, joint: &mut Joint, place: &Place, splice: &Splice, out: &mut Vec<u8>) {
        if let Some(raw) = &splice.raw {
            joint.join(Shift::Neutral, raw, out);
            out.extend_from_slice(raw);
            return;
        }
        let whole = place.whole(&self.view, &splice.new);
        if self.view.line_ends == LineEnds::Exact || splice.exact || !whole.contains('\n') {
            joint.write(&whole, out);
            return;
        }
        let mut ends = self.ends(place);
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
    fn ends(&self, place: &Place) -> impl Iterator<Item = &'static str> {
        let (start, end) = (place.lead.start, place.tail.end);
        let replaced = self.view.text.as_bytes().get(start..end).unwrap_or_default();
        memchr::memchr_iter(b'\n', replaced).filter_map(move |at| {
            let piece = self.view.pieces_at(start + at + 1).next()?;
            self.end_of(&piece)
        })
    }

    /// Returns bytes with the line end of the line at a place, or otherwise of the line before it.
    pub(super) fn with_ends_near(&self, place: &Range<usize>, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\n") {
                None => out.extend_from_slice(line),
                Some(line) => {
                    out.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                    out.extend_from_slice(self.end_near(place).as_bytes());
                }
            }
        }
        out
    }

    /// Returns the line end of the line at a place, or otherwise of the line before it. A new line between two with
    /// different ends takes the most frequent one.
    fn end_near(&self, place: &Range<usize>) -> &'static str {
        let [previous, next] = self.ends_around(place);
        let is_ebcdic = matches!(self.view.codec_at(0), Codec::Legacy(legacy) if legacy.is_ebcdic());
        let usual = if is_ebcdic { NEXT_LINE } else { "\n" };
        let is_line = place.is_empty() && self.view.text.get(..place.start).is_some_and(|text| text.ends_with('\n'));
        match (previous, next) {
            (Some(one), Some(other)) if is_line && one != other => self.prevailing_end().unwrap_or(other),
            _ => next.or(previous).unwrap_or(usual),
        }
    }

    /// Returns the most frequent line end, in encodings in which a line feed is a single byte.
    fn prevailing_end(&self) -> Option<&'static str> {
        feed(self.view.codec_at(self.view.mark)).filter(|feed| *feed == b"\n")?;
        let feeds = memchr::memchr_iter(b'\n', &self.view.bytes).count();
        let with_return = memchr::memmem::find_iter(&self.view.bytes, b"\r\n").count();
        Some(if 2 * with_return > feeds { "\r\n" } else { "\n" })
    }

    /// Returns the line ends before and after a place.
    pub(super) fn ends_around(&self, place: &Range<usize>) -> [Option<&'static str>; 2] {
        let text = self.view.text.as_bytes();
        let next = memchr::memchr(b'\n', text.get(place.end..).unwrap_or_default()).map(|at| place.end + at);
        let previous = memchr::memrchr(b'\n', text.get(..place.start).unwrap_or_default());
        [previous, next].map(|feed| self.end_of(&self.view.pieces_at(feed? + 1).next()?))
    }

    /// Returns the line end of a piece, if the piece is one.
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

    /// Writes the whole text as UTF-8, with the line ends of the original text.
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
}
