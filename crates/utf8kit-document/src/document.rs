//! A text in any encoding that can be edited.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use utf8kit::AnyEncoding;
use utf8kit::index::TextIndex;
use utf8kit_detect::lines::LineKind;
use utf8kit_detect::{declared, detect};
use utf8kit_encodings::charset::{Charset, Codec};

use crate::splice::{self, Splice};
use crate::view::{LineEnds, Run, View};

/// The handling of characters that the encoding of a document lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unencodable {
    /// The edit is rejected.
    #[default]
    Refuse,
    /// They are replaced with the nearest equivalent: `“` with `"`. An edit with a character that has none is rejected.
    Transliterate,
    /// They are written as `\u20AC` or `\U0001F600`.
    Escape,
    /// The whole document becomes UTF-8, as reported by [`Document::is_recoded`]. The edit is rejected if some of the
    /// document's bytes are not text.
    Recode,
}

/// A text in any encoding that can be edited. Unedited text keeps its bytes.
///
/// ```
/// use utf8kit_document::Document;
///
/// let bytes = b"un caf\xE9 tr\xE8s cher\r\n";
/// let mut document = Document::open(bytes);
/// assert_eq!(document.text(), "un café très cher\n");
/// assert_eq!(document.to_bytes(), &bytes[..]);
///
/// let at = document.text().find("cher").unwrap();
/// document.replace(at..at, "très ")?;
/// assert_eq!(document.to_bytes(), &b"un caf\xE9 tr\xE8s tr\xE8s cher\r\n"[..]);
/// # Ok::<(), utf8kit_document::EditError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document<'b> {
    pub(crate) view: View<'b>,
    pub(crate) unencodable: Unencodable,
    /// The edits, in order; they neither touch nor overlap.
    pub(crate) splices: Vec<Splice>,
    /// A cache of the edited text.
    pub(crate) edited: OnceCell<String>,
    /// A cache of the index of the current text.
    pub(crate) index: OnceCell<TextIndex>,
    pub(crate) recoded: bool,
}

impl<'b> Document<'b> {
    /// Opens a text in the encoding named by its byte order mark or declaration, or otherwise found by
    /// [`detect`](utf8kit_detect::detect()). Lines of UTF-8 among lines in another encoding are decoded as such.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let document = Document::open(b"\xFF\xFEa\0\xE9\0");
    /// assert_eq!((document.text(), document.encodings()[0].to_string()), ("aé", "utf-16le".to_owned()));
    /// let declared = Document::open(b"# -*- coding: koi8-r -*-\n");
    /// assert_eq!(declared.encodings()[0].to_string(), "KOI8-R");
    /// ```
    pub fn open(bytes: impl Into<Cow<'b, [u8]>>) -> Document<'b> {
        let bytes = bytes.into();
        let is_utf8 = utf8kit::validate(&bytes).is_ok();
        let head = bytes.get(..utf8kit_detect::SNIFF_LEN).unwrap_or(&bytes);
        if is_utf8 && !bytes.is_ascii() && !head.contains(&0) {
            return Document::open_as(UTF8, bytes);
        }
        let guess = detect(&bytes);
        let declared = || declared(&bytes).filter(|_| is_utf8 && guess.encoding == Some(UTF8_NAME));
        let charset = declared().filter(|charset| is_ascii_in(*charset)).or_else(|| guess.charset(&bytes));
        let among_others = guess.encoding.filter(|_| guess.has_utf8_lines);
        let other = guess.mixed.or(among_others).and_then(|name| name.parse::<Charset>().ok());
        match other {
            Some(other) => Document::mixed(bytes, other.writer()),
            None => Document::open_as(charset.unwrap_or(UTF8), bytes),
        }
    }

    /// Opens a text in an encoding.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let bytes = b"\x82\xA0\xFF\n"; // FF is not text in Shift_JIS
    /// let mut document = Document::open_as("shift_jis".parse().unwrap(), bytes);
    /// assert_eq!(document.text(), "あ\u{FFFD}\n");
    /// document.set_text("あい\u{FFFD}\n")?;
    /// assert_eq!(document.to_bytes(), &b"\x82\xA0\x82\xA2\xFF\n"[..]);
    /// # Ok::<(), utf8kit_document::EditError>(())
    /// ```
    pub fn open_as(charset: Charset, bytes: impl Into<Cow<'b, [u8]>>) -> Document<'b> {
        let bytes = bytes.into();
        let (codec, mark) = charset.reader(&bytes);
        let mark = mark.max(codec.mark_in(&bytes));
        let run = Run { bytes: mark..bytes.len(), codec };
        Document::new(View::new(bytes, mark, &[run], LineEnds::default()))
    }

    /// Opens a text with some lines in UTF-8 and the others in `other`.
    pub(crate) fn mixed(bytes: Cow<'b, [u8]>, other: Codec) -> Document<'b> {
        let mark = Codec::Native(AnyEncoding::Utf8).mark_in(&bytes);
        let runs = runs_of_lines(&bytes, mark, other);
        Document::new(View::new(bytes, mark, &runs, LineEnds::default()))
    }

    pub(crate) fn new(view: View<'b>) -> Document<'b> {
        Document {
            view,
            unencodable: Unencodable::default(),
            splices: Vec::new(),
            edited: OnceCell::new(),
            index: OnceCell::new(),
            recoded: false,
        }
    }

    /// Changes how line ends are shown. Earlier edits are dropped.
    ///
    /// ```
    /// use utf8kit_document::{Document, LineEnds};
    ///
    /// assert_eq!(Document::open(b"a\r\nb\n").with_line_ends(LineEnds::Exact).text(), "a\r\nb\n");
    /// ```
    #[must_use]
    pub fn with_line_ends(self, line_ends: LineEnds) -> Document<'b> {
        let (runs, unencodable) = (self.view.runs().to_vec(), self.unencodable);
        let view = View::new(self.view.bytes, self.view.mark, &runs, line_ends);
        Document { unencodable, ..Document::new(view) }
    }

    /// Sets the handling of characters that the encoding lacks, for later edits.
    ///
    /// ```
    /// use utf8kit_document::{Document, Unencodable};
    ///
    /// let mut document = Document::open(b"caf\xE9").with_unencodable(Unencodable::Escape);
    /// document.replace(0..0, "日")?;
    /// assert_eq!(document.to_bytes(), &b"\\u65E5caf\xE9"[..]);
    /// # Ok::<(), utf8kit_document::EditError>(())
    /// ```
    #[must_use]
    pub fn with_unencodable(self, unencodable: Unencodable) -> Document<'b> {
        Document { unencodable, ..self }
    }

    /// Returns the text without the byte order mark, with U+FFFD for bytes that are not text, and with the edits.
    pub fn text(&self) -> &str {
        if self.splices.is_empty() {
            return &self.view.text;
        }
        self.edited.get_or_init(|| splice::edited(&self.view.text, &self.splices))
    }

    /// Returns the encodings: one, or UTF-8 and the encoding of the other lines.
    pub fn encodings(&self) -> Vec<Codec> {
        if self.recoded { vec![UTF8.writer()] } else { self.view.codecs() }
    }

    /// Returns the length of the byte order mark at the start, in bytes; 0 if there is none.
    pub fn mark(&self) -> usize {
        self.view.mark
    }

    /// Returns the original bytes.
    pub fn original(&self) -> &[u8] {
        &self.view.bytes
    }

    /// Returns the original text.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let mut document = Document::open(b"caf\xE9");
    /// document.set_text("un caf\u{E9}")?;
    /// assert_eq!(document.original_text(), "caf\u{E9}");
    /// # Ok::<(), utf8kit_document::EditError>(())
    /// ```
    pub fn original_text(&self) -> &str {
        &self.view.text
    }

    /// Reports whether anything was edited.
    pub fn is_edited(&self) -> bool {
        !self.splices.is_empty()
    }

    /// Reports whether edits turned valid UTF-8 into something else, because the document was opened in another
    /// encoding. With UTF-16 or UTF-32, this includes NULs added to ASCII.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let mut document = Document::open_as("latin1".parse().unwrap(), "Größe\n".as_bytes());
    /// document.set_text(&document.text().replace('e', "\u{E9}"))?;
    /// assert!(document.breaks_utf8());
    /// # Ok::<(), utf8kit_document::EditError>(())
    /// ```
    pub fn breaks_utf8(&self) -> bool {
        let is_utf8 = |bytes: &[u8]| utf8kit::validate(bytes).is_ok();
        let old = self.original();
        if !self.is_edited() || old.is_empty() || !is_utf8(old) {
            return false;
        }
        let is_wide = self.view.codec_at(self.view.mark).bytes_of(' ').is_some_and(|space| space.len() > 1);
        let new = self.to_bytes();
        !old.is_ascii() && !is_utf8(&new) || is_wide && !old.contains(&0) && new.contains(&0)
    }

    /// Reports whether an edit has made the whole document UTF-8: see [`Unencodable::Recode`].
    pub fn is_recoded(&self) -> bool {
        self.recoded
    }

    /// Returns the places of the original text that stand for bytes that are not text: the range in the text, and the
    /// range of bytes.
    ///
    /// ```
    /// use utf8kit_document::Document;
    ///
    /// let document = Document::open_as("utf-8".parse().unwrap(), b"a\xFFb");
    /// assert_eq!(document.opaque().collect::<Vec<_>>(), [(1..4, 1..2)]);
    /// ```
    pub fn opaque(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        self.view.pieces().filter(|piece| piece.opaque).map(|piece| (piece.text, piece.bytes))
    }
}

const UTF8: Charset = Charset::Named(utf8kit::EncodingLabel::Exact(AnyEncoding::Utf8));

/// Its name.
const UTF8_NAME: &str = "utf-8";

/// Reports whether ASCII characters in an encoding are their ASCII bytes.
fn is_ascii_in(charset: Charset) -> bool {
    match charset.writer() {
        Codec::Native(native) => native.is_ascii_compatible(),
        Codec::Legacy(legacy) => legacy.keeps_ascii(),
    }
}

/// Splits a text into runs of lines in UTF-8 and runs of lines in another encoding. ASCII lines belong to the line
/// before them.
fn runs_of_lines(bytes: &[u8], mark: usize, other: Codec) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut at = mark;
    for line in bytes.get(mark..).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
        let end = at + line.len();
        let codec = match LineKind::of(line) {
            LineKind::Ascii => None,
            LineKind::Utf8 => Some(UTF8.writer()),
            _ => Some(other),
        };
        match runs.last_mut() {
            Some(run) if codec.is_none_or(|codec| codec == run.codec) => run.bytes.end = end,
            _ if codec.is_none() => {}
            previous => {
                let start = if previous.is_none() { mark } else { at };
                runs.extend(codec.map(|codec| Run { bytes: start..end, codec }));
            }
        }
        at = end;
    }
    if runs.is_empty() {
        runs.push(Run { bytes: mark..bytes.len(), codec: UTF8.writer() });
    }
    runs
}

impl fmt::Display for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
