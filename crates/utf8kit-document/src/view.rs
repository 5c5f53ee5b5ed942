//! Views: texts in which every piece knows the bytes that it came from.
//!
//! The text is decoded at the speed of a conversion, and the view notes the byte of a text position only every few
//! kilobytes. To find an exact position, it decodes the chunk around it again, piece by piece.

use std::borrow::Cow;
use std::ops::Range;

use utf8kit::AnyEncoding;
use utf8kit_encodings::Counts;
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Shift;
use utf8kit_encodings::convert::{Converter, Invalid, Plan};

/// A change between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The replaced range, in bytes of the old version.
    pub old: Range<usize>,
    /// The new range, in bytes of the new version.
    pub new: Range<usize>,
}

/// How a document shows line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnds {
    /// Every LF and CR LF, and every NEL in EBCDIC, is a line feed. A lone CR is unchanged. A new line feed is written
    /// as the line end of its neighbours.
    #[default]
    Lf,
    /// Unchanged.
    Exact,
}

/// The minimum number of bytes between two notes.
const MIN_BYTES_BETWEEN_NOTES: usize = 4096;

/// The length from which a chunk, which is then one long line, is decoded piece by piece, with notes within it.
const MIN_BYTES_FOR_NOTES: usize = 4 * MIN_BYTES_BETWEEN_NOTES;

/// A text in which every piece knows its bytes.
#[derive(Clone, Debug)]
pub(super) struct View<'b> {
    pub(super) bytes: Cow<'b, [u8]>,
    pub(super) text: Cow<'b, str>,
    /// The length of the byte order mark, which is not part of the text.
    pub(super) mark: usize,
    pub(super) line_ends: LineEnds,
    /// The runs in one encoding each. No piece crosses two runs.
    runs: Vec<Run>,
    /// The starts of the chunks, in ascending order. There is at least one.
    notes: Vec<Note>,
}

/// The start of a chunk, which can be decoded by itself.
#[derive(Clone, Copy, Debug)]
struct Note {
    byte: usize,
    text: usize,
    codec: Codec,
    /// Whether the text equals the bytes.
    same: bool,
}

/// Characters with the bytes that they came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) bytes: Range<usize>,
    pub(super) text: Range<usize>,
    /// Whether some of the bytes are not text.
    pub(super) opaque: bool,
    /// The state of a stateful encoding before it and after it.
    pub(super) shift: (Shift, Shift),
}

/// A run of bytes in one encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) bytes: Range<usize>,
    pub(super) codec: Codec,
}

impl<'b> View<'b> {
    /// Decodes runs, which must cover all bytes after the mark.
    pub(super) fn new(bytes: Cow<'b, [u8]>, mark: usize, runs: &[Run], line_ends: LineEnds) -> View<'b> {
        let utf8 = Codec::Native(AnyEncoding::Utf8);
        let codec = runs.first().map_or(utf8, |run| run.codec);
        let start = |same| Note { byte: mark, text: 0, codec, same };
        if codec == utf8 && runs.len() < 2 {
            // Text that equals its bytes is borrowed.
            let same = match &bytes {
                Cow::Borrowed(bytes) => as_is(bytes.get(mark..).unwrap_or_default(), line_ends).map(Cow::Borrowed),
                Cow::Owned(bytes) => {
                    let text = as_is(bytes.get(mark..).unwrap_or_default(), line_ends);
                    text.map(|text| Cow::Owned(text.to_owned()))
                }
            };
            if let Some(text) = same {
                return View { bytes, text, mark, line_ends, runs: runs.to_vec(), notes: vec![start(true)] };
            }
        }
        let mut text = String::with_capacity(bytes.len());
        let mut notes = Vec::new();
        for run in runs {
            decode(&bytes, run, line_ends, &mut text, &mut notes);
        }
        if notes.is_empty() {
            notes.push(start(true));
        }
        View { bytes, text: Cow::Owned(text), mark, line_ends, runs: runs.to_vec(), notes }
    }

    /// Iterates over the pieces starting at a note.
    fn pieces_from(&self, note: usize) -> Pieces<'_> {
        let at = self.notes.get(note).copied();
        let at = at.unwrap_or(Note { byte: self.bytes.len(), text: self.text.len(), codec: UTF8, same: true });
        Pieces { view: self, note, byte: at.byte, text: at.text, shift: Shift::Neutral, codec: at.codec }
    }

    /// Iterates over all pieces.
    pub(super) fn pieces(&self) -> Pieces<'_> {
        self.pieces_from(0)
    }

    /// Iterates over pieces, starting with the piece that contains a position in the text, or ends there.
    pub(super) fn pieces_at(&self, text: usize) -> impl Iterator<Item = Piece> {
        let mut pieces = self.pieces_from(self.note_of_text(text));
        pieces.skip_same(text);
        pieces.skip_while(move |piece| piece.text.end < text)
    }

    /// Returns the piece that contains a byte.
    pub(super) fn piece_of_byte(&self, byte: usize) -> Option<Piece> {
        let mut pieces = self.pieces_from(self.note_of(byte));
        if pieces.is_same() {
            let end = pieces.chunk_end().min(byte + 1);
            let at = utf8kit::floor_char_boundary(&self.bytes, end.saturating_sub(1)).max(pieces.byte);
            pieces.text += at - pieces.byte;
            pieces.byte = at;
        }
        pieces.find(|piece| piece.bytes.end > byte)
    }

    /// Returns a finder of pieces.
    pub(super) fn finder(&self) -> Finder<'_> {
        Finder { view: self, note: None, known: Vec::new(), rest: self.pieces() }
    }

    /// Returns the note of the chunk that contains a byte.
    fn note_of(&self, byte: usize) -> usize {
        self.notes.partition_point(|note| note.byte <= byte).saturating_sub(1)
    }

    /// Returns the note of the chunk that contains a position in the text, or ends there.
    fn note_of_text(&self, text: usize) -> usize {
        self.notes.partition_point(|note| note.text < text).saturating_sub(1)
    }

    /// Returns the encoding of the byte at an offset.
    pub(super) fn codec_at(&self, byte: usize) -> Codec {
        self.notes.get(self.note_of(byte)).map_or(UTF8, |note| note.codec)
    }

    /// Returns the runs of the view.
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Returns the end of the run that contains a byte.
    fn run_end(&self, byte: usize) -> usize {
        let run = self.runs.partition_point(|run| run.bytes.end <= byte);
        self.runs.get(run).map_or(self.bytes.len(), |run| run.bytes.end)
    }

    /// Returns the encodings, in the order in which they first occur.
    pub(super) fn codecs(&self) -> Vec<Codec> {
        let mut codecs = Vec::new();
        for note in &self.notes {
            if !codecs.contains(&note.codec) {
                codecs.push(note.codec);
            }
        }
        codecs
    }
}

const UTF8: Codec = Codec::Native(AnyEncoding::Utf8);

/// Returns bytes as text, if they are UTF-8 and the view changes nothing in them.
fn as_is(bytes: &[u8], line_ends: LineEnds) -> Option<&str> {
    // A CR LF is usually found in the first lines, so that little is read twice.
    let has_returns = || memchr::memmem::find(bytes, b"\r\n").is_some();
    let is_shown = line_ends == LineEnds::Exact || !has_returns();
    is_shown.then(|| utf8kit::validate(bytes).ok()).flatten()
}

/// Appends the text of a run, with notes of where its chunks begin.
fn decode(bytes: &[u8], run: &Run, line_ends: LineEnds, text: &mut String, notes: &mut Vec<Note>) {
    let codec = run.codec;
    let own = bytes.get(run.bytes.clone()).unwrap_or_default();
    if codec == UTF8
        && let Ok(own) = utf8kit::validate(own)
    {
        return show_lines(own, run.bytes.start, line_ends, text, notes);
    }
    let Some(feed) = feed(codec) else {
        return decode_pieces(bytes, run, line_ends, text, notes);
    };
    let plan = Plan::new(codec, UTF8, Invalid::REPLACE);
    let mut converter = Converter::new(&plan);
    let (mut out, mut counts) = (Vec::new(), Counts::default());
    let mut at = run.bytes.start;
    while at < run.bytes.end {
        let rest = bytes.get(at..run.bytes.end).unwrap_or_default();
        let end = at + next_line(rest, feed);
        let chunk = bytes.get(at..end).unwrap_or_default();
        if chunk.len() > MIN_BYTES_FOR_NOTES {
            decode_pieces(bytes, &Run { bytes: at..end, codec }, line_ends, text, notes);
            at = end;
            continue;
        }
        out.clear();
        // Replacing conversions do not fail.
        let _ = converter.push(chunk, end == run.bytes.end, &mut out, &mut counts);
        let same = codec == UTF8 && out == chunk && memchr::memmem::find(chunk, b"\r\n").is_none();
        notes.push(Note { byte: at, text: text.len(), codec, same });
        push_lines(text, utf8kit::validate(&out).unwrap_or_default(), line_ends);
        at = end;
    }
}

/// Appends UTF-8 from this offset with the line ends that the view shows.
fn show_lines(own: &str, offset: usize, line_ends: LineEnds, text: &mut String, notes: &mut Vec<Note>) {
    let mut at = 0;
    while at < own.len() {
        let end = at + next_line(own.as_bytes().get(at..).unwrap_or_default(), b"\n");
        let end = if end - at > MIN_BYTES_FOR_NOTES { cut(own, at + MIN_BYTES_FOR_NOTES) } else { end };
        let chunk = own.get(at..end).unwrap_or_default();
        let start = text.len();
        push_lines(text, chunk, line_ends);
        let same = text.len() - start == chunk.len();
        notes.push(Note { byte: offset + at, text: start, codec: UTF8, same });
        at = end;
    }
}

/// Returns the last position at or before another one that is not within a character or a CR LF.
fn cut(text: &str, at: usize) -> usize {
    let at = utf8kit::floor_char_boundary(text.as_bytes(), at);
    at - usize::from(text.get(..at).is_some_and(|text| text.ends_with('\r')))
}

/// Appends text with the line ends that the view shows.
fn push_lines(text: &mut String, decoded: &str, line_ends: LineEnds) {
    if line_ends == LineEnds::Exact {
        text.push_str(decoded);
        return;
    }
    let mut at = 0;
    let bytes = decoded.as_bytes();
    for found in memchr::memchr_iter(b'\r', bytes) {
        if bytes.get(found + 1) == Some(&b'\n') {
            text.push_str(decoded.get(at..found).unwrap_or_default());
            at = found + 1;
        }
    }
    text.push_str(decoded.get(at..).unwrap_or_default());
}

/// Decodes a run piece by piece, for encodings in which no byte is known to begin a piece.
fn decode_pieces(bytes: &[u8], run: &Run, line_ends: LineEnds, text: &mut String, notes: &mut Vec<Note>) {
    // Decode each piece into a string of its own, because a decoder touches all spare capacity of its output.
    let mut piece = String::new();
    let (mut at, mut shift, mut noted) = (run.bytes.start, Shift::Neutral, None);
    while at < run.bytes.end {
        if shift == Shift::Neutral && noted.is_none_or(|noted| at - noted >= MIN_BYTES_BETWEEN_NOTES) {
            notes.push(Note { byte: at, text: text.len(), codec: run.codec, same: false });
            noted = Some(at);
        }
        let rest = bytes.get(at..run.bytes.end).unwrap_or_default();
        let Some((len, _, after)) = read(run.codec, shift, rest, line_ends, &mut piece) else { break };
        text.push_str(&piece);
        piece.clear();
        (at, shift) = (at + len, after);
    }
}

/// Returns the bytes of a line feed if it always ends a piece.
pub(super) fn feed(codec: Codec) -> Option<&'static [u8]> {
    match codec {
        Codec::Native(AnyEncoding::Utf8 | AnyEncoding::Latin1) => Some(b"\n"),
        Codec::Native(AnyEncoding::Utf16Le) => Some(b"\n\0"),
        Codec::Native(AnyEncoding::Utf16Be) => Some(b"\0\n"),
        Codec::Native(AnyEncoding::Utf32Le) => Some(b"\n\0\0\0"),
        Codec::Native(AnyEncoding::Utf32Be) => Some(b"\0\0\0\n"),
        Codec::Native(_) => None,
        Codec::Legacy(legacy) => (legacy.is_stateless() && legacy.keeps_ascii()).then_some(b"\n"),
    }
}

/// Returns the end of the first line that ends after a whole chunk.
fn next_line(bytes: &[u8], feed: &[u8]) -> usize {
    let mut from = MIN_BYTES_BETWEEN_NOTES;
    while let Some(at) = memchr::memmem::find(bytes.get(from..).unwrap_or_default(), feed) {
        let at = from + at;
        if at.is_multiple_of(feed.len()) {
            return at + feed.len();
        }
        from = at + 1;
    }
    bytes.len()
}

/// Decodes a piece and appends its text. Returns its length, whether it is opaque, and the state after it.
fn read(
    codec: Codec,
    shift: Shift,
    bytes: &[u8],
    line_ends: LineEnds,
    text: &mut String,
) -> Option<(usize, bool, Shift)> {
    let start = text.len();
    let step = codec.step(shift, bytes, text)?;
    if line_ends == LineEnds::Lf {
        let is_ebcdic = matches!(codec, Codec::Legacy(legacy) if legacy.is_ebcdic());
        let is_next_line = |text: &str| is_ebcdic && text == NEXT_LINE;
        if text.get(start..) == Some("\r") {
            let after = bytes.get(step.len..).unwrap_or_default();
            let next = codec.step(step.shift, after, text);
            let is_end = |end: &str| end == "\n" || is_next_line(end);
            let merged = next.filter(|_| text.get(start + 1..).is_some_and(is_end));
            text.truncate(start);
            text.push(if merged.is_some() { '\n' } else { '\r' });
            if let Some(next) = merged {
                return Some((step.len + next.len, false, next.shift));
            }
        } else if text.get(start..).is_some_and(is_next_line) {
            text.truncate(start);
            text.push('\n');
        }
    }
    Some((step.len, step.malformed, step.shift))
}

/// The line end of EBCDIC.
pub(super) const NEXT_LINE: &str = "\u{85}";

/// The most pieces that a finder keeps.
const MAX_PIECES_CACHED: usize = 1 << 16;

/// Finds the pieces of bytes. Searches near the previous one decode each chunk only once.
pub(super) struct Finder<'v> {
    pub(super) view: &'v View<'v>,
    /// The note at which the last search began.
    note: Option<usize>,
    /// The pieces decoded since that note; only the last ones if there are many.
    known: Vec<Piece>,
    /// The pieces after those.
    rest: Pieces<'v>,
}

impl Finder<'_> {
    /// Returns the piece that contains a byte, as [`View::piece_of_byte`] does.
    pub(super) fn piece_of_byte(&mut self, byte: usize) -> Option<Piece> {
        let note = self.view.note_of(byte);
        match self.view.pieces_from(note).is_same() {
            true => self.view.piece_of_byte(byte),
            false => self.find(note, |piece| piece.bytes.end <= byte, |piece| piece.bytes.start > byte),
        }
    }

    /// Returns the piece that contains a position in the text, or ends there, as [`View::pieces_at`] does.
    pub(super) fn piece_at(&mut self, text: usize) -> Option<Piece> {
        let note = self.view.note_of_text(text);
        match self.view.pieces_from(note).is_same() {
            true => self.view.pieces_at(text).next(),
            false => self.find(note, |piece| piece.text.end < text, |piece| piece.text.start >= text),
        }
    }

    /// Returns the first piece after a note that is not before a place. The closures compare a piece with the place.
    fn find(
        &mut self,
        note: usize,
        is_before: impl Fn(&Piece) -> bool,
        is_after: impl Fn(&Piece) -> bool,
    ) -> Option<Piece> {
        if self.note != Some(note) || self.known.first().is_some_and(is_after) {
            self.known.clear();
            (self.note, self.rest) = (Some(note), self.view.pieces_from(note));
        }
        while self.known.last().is_none_or(&is_before) {
            if self.known.len() == MAX_PIECES_CACHED {
                self.known.drain(..MAX_PIECES_CACHED / 2);
            }
            self.known.push(self.rest.next()?);
        }
        let found = self.known.partition_point(is_before);
        self.known.get(found).cloned()
    }
}

/// Iterates over pieces.
pub(super) struct Pieces<'v> {
    view: &'v View<'v>,
    note: usize,
    byte: usize,
    text: usize,
    shift: Shift,
    codec: Codec,
}

impl Pieces<'_> {
    /// Returns the end of the chunk that contains the next piece.
    fn chunk_end(&self) -> usize {
        self.view.notes.get(self.note + 1).map_or(self.view.bytes.len(), |note| note.byte)
    }

    fn is_same(&self) -> bool {
        self.view.notes.get(self.note).is_some_and(|note| note.same)
    }

    /// Skips text that equals its bytes, up to right before a position in the text.
    fn skip_same(&mut self, text: usize) {
        if self.is_same() {
            let ahead = text.saturating_sub(self.text).min(self.chunk_end().saturating_sub(self.byte));
            // The piece that ends at the position is also wanted.
            let at = utf8kit::floor_char_boundary(&self.view.bytes, (self.byte + ahead).saturating_sub(1));
            let skipped = at.saturating_sub(self.byte);
            self.byte += skipped;
            self.text += skipped;
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        while let Some(note) = self.view.notes.get(self.note + 1)
            && note.byte <= self.byte
        {
            (self.note, self.codec, self.shift) = (self.note + 1, note.codec, Shift::Neutral);
        }
        let rest = self.view.bytes.get(self.byte..self.view.run_end(self.byte))?;
        let mut decoded = String::new();
        let (len, opaque, shift) = read(self.codec, self.shift, rest, self.view.line_ends, &mut decoded)?;
        let piece = Piece {
            bytes: self.byte..self.byte + len,
            text: self.text..self.text + decoded.len(),
            opaque,
            shift: (self.shift, shift),
        };
        (self.byte, self.text, self.shift) = (piece.bytes.end, piece.text.end, shift);
        Some(piece)
    }
}
