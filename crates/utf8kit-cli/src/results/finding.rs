//! A finding: one problem in a file.

use std::ops::Range;
use std::path::Path;

use memchr::{memchr, memrchr};
use utf8kit::explain::intended_sequence;
use utf8kit::summary::PlacedError;
use utf8kit::{AnyEncoding, Encoding as _, ErrorKind, strip_bom};
use utf8kit_document::Damage;
use utf8kit_encodings::charset::{Charset, Codec};
use utf8kit_encodings::describe::Description;
use utf8kit_encodings::display::{Hex, plain};
use utf8kit_files::Block;
use utf8kit_files::names::{CheckedName, NameProblem};
use utf8kit_records::rows::{RowPlace, RowViolationKind};
use utf8kit_records::targets::ViolationKind;
use utf8kit_records::validator::{Problem, ProblemKind};

use crate::results::damage::{Before, Damaged};
use crate::results::phrases::{Phrase, Phrases};

/// The kind of a finding about the byte order mark. The kinds of errors are the names of [`ErrorKind`].
pub(crate) const BOM: &str = "bom";

/// The kind of a finding about line endings.
pub(crate) const LINE_ENDS: &str = "line_ends";

/// The finding kind for a declaration that names another encoding than the one the file is in.
pub(crate) const DECLARATION: &str = "declaration";

/// The kinds of findings about mojibake, and about marks within text, as with rows and targets.
pub(crate) const DOUBLE_ENCODING: &str = ViolationKind::DoubleEncoding.name();
pub(crate) const INNER_MARK: &str = RowViolationKind::InnerMark.name();

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The byte offset.
    pub(crate) offset: u64,
    /// The line, from 1.
    pub(crate) line: u64,
    /// The column in code points, from 1.
    pub(crate) column: u64,
}

/// One problem in a file.
#[derive(Clone, Debug)]
pub(crate) struct Finding<'f> {
    pub(crate) path: &'f Path,
    /// The encoding that the file was read as.
    pub(crate) encoding: AnyEncoding,
    /// Where the finding begins in the file, in bytes.
    pub(crate) offset: u64,
    /// The name of its kind in JSON.
    pub(crate) kind: &'static str,
    /// The bytes around it that are in memory.
    text: &'f [u8],
    /// The range of the finding in `text`.
    own: Range<usize>,
    /// The range of the intended sequence in `text`: see [`utf8kit::explain::intended_sequence`].
    sequence: Range<usize>,
    /// The line, from 1.
    pub(crate) line: u64,
    /// The column in code points, from 1.
    pub(crate) column: u64,
    /// The description of the problem.
    pub(crate) phrase: &'f Phrase,
    /// The row and field, if the input has rows.
    pub(crate) row: Option<RowPlace>,
    /// The row group of a Parquet file, from 0.
    pub(crate) row_group: Option<usize>,
    /// The previous content, if this is damage.
    pub(crate) before: Option<Before<'f>>,
    /// The file name, if the problem is in a name.
    pub(crate) name: Option<&'f CheckedName>,
}

impl<'f> Finding<'f> {
    /// Makes a finding of the bytes `own` of `text`, outside rows.
    fn new(
        path: &'f Path,
        encoding: AnyEncoding,
        kind: &'static str,
        Place { offset, line, column }: Place,
        (text, own): (&'f [u8], Range<usize>),
        phrase: &'f Phrase,
    ) -> Self {
        Finding {
            path,
            encoding,
            offset,
            kind,
            text,
            sequence: own.clone(),
            own,
            line,
            column,
            phrase,
            row: None,
            row_group: None,
            before: None,
            name: None,
        }
    }

    /// Makes a finding of an error in a block. The offset in `placed` counts from the start of the file.
    pub(crate) fn error(
        path: &'f Path,
        encoding: AnyEncoding,
        placed: PlacedError,
        block: &'f Block,
        phrases: &'f mut Phrases,
    ) -> Self {
        let text = &block.bytes[..];
        let mut error = placed.error;
        error.offset -= block.base;
        let own = error.range();
        let sequence = intended_sequence(encoding, text, &error);
        let phrase = phrases.about(encoding, &text[own.start..], sequence.end - own.start, own.len());
        let place = Place { offset: placed.error.offset, line: placed.line + 1, column: placed.column + 1 };
        Finding { sequence, ..Finding::new(path, encoding, error.kind.name(), place, (text, own), phrase) }
    }

    /// Makes a finding of a byte order mark that is present but forbidden, or missing but required.
    pub(crate) fn bom(
        path: &'f Path,
        encoding: AnyEncoding,
        head: &'f [u8],
        what: Option<&str>,
        phrases: &'f mut Phrases,
    ) -> Self {
        let len = head.len() - strip_bom(encoding, head).len();
        let phrase = phrases.fixed(what.unwrap_or(if len > 0 {
            "byte order mark, but none is allowed"
        } else {
            "no byte order mark, but one is required"
        }));
        let place = Place { offset: 0, line: 1, column: 1 };
        Finding::new(path, encoding, BOM, place, (head, 0..len), phrase)
    }

    /// Makes a finding of a problem in valid text.
    pub(crate) fn doubt(
        path: &'f Path,
        (kind, place): (&'static str, Place),
        (text, own): (&'f [u8], Range<usize>),
        what: String,
        phrases: &'f mut Phrases,
    ) -> Self {
        let phrase = phrases.once(Description::new(what));
        Finding::new(path, AnyEncoding::Utf8, kind, place, (text, own), phrase)
    }

    /// Makes a finding of a problem in the name of a file. Its place is relative to the name.
    pub(crate) fn in_name(
        path: &'f Path,
        name: &'f [u8],
        problem: &NameProblem,
        checked: &'f CheckedName,
        phrases: &'f mut Phrases,
    ) -> Self {
        let own = problem.offset.min(name.len())..(problem.offset + problem.len).min(name.len());
        let column = AnyEncoding::Utf8.items(&name[..own.start]).count() as u64 + 1;
        let place = Place { offset: own.start as u64, line: 1, column };
        let mut description = Description::new(problem.what.clone());
        description.expected = match (&checked.becomes, &checked.held) {
            (Some(becomes), _) => Some(format!("to be named \"{}\"", plain(becomes))),
            (None, Some(held)) if held.reason.to_string() != problem.what => {
                Some(format!("stays as it is: {}", held.reason))
            }
            _ => None,
        };
        let phrase = phrases.once(description);
        let finding = Finding::new(path, AnyEncoding::Utf8, problem.kind.name(), place, (name, own), phrase);
        Finding { name: Some(checked), ..finding }
    }

    /// Makes a finding of a damaged place.
    pub(crate) fn damage(
        path: &'f Path,
        encoding: AnyEncoding,
        damaged: &Damaged<'f>,
        damage: &Damage,
        phrases: &'f mut Phrases,
    ) -> Self {
        let phrase = phrases.once(damaged.describe(damage));
        let own = damage.new.clone();
        let place = Place { offset: own.start as u64, line: damage.line as u64, column: damage.column as u64 };
        let finding = Finding::new(path, encoding, damage.kind.name(), place, (damaged.new, own), phrase);
        Finding { before: Some(damaged.before(damage)), ..finding }
    }

    /// Makes a finding of a problem in a row or chunk, whose text begins at `base`, at a line and column.
    pub(crate) fn in_row(
        path: &'f Path,
        encoding: AnyEncoding,
        (line, column): (u64, u64),
        (text, base): (&'f [u8], u64),
        problem: &Problem,
        row: Option<RowPlace>,
        phrases: &'f mut Phrases,
    ) -> Self {
        let own = problem.offset..problem.offset + problem.len;
        let sequence = match (problem.kind, u8::try_from(problem.len)) {
            // ASCII bytes are an escape that stands for the invalid bytes.
            (ProblemKind::IllFormed(kind), Ok(len)) if encoding.unit() > 1 || !text[own.clone()].is_ascii() => {
                intended_sequence(encoding, text, &utf8kit::Error::new(problem.offset as u64, len, kind))
            }
            _ => own.clone(),
        };
        let mut description = problem.description.clone();
        if let Some(row) = &row {
            description.what = format!("{row}: {}", description.what);
        }
        if matches!(problem.kind, ProblemKind::Target(kind) if kind.is_damage()) {
            description.expected = description.expected.map(|expected| format!("{expected}: see utf8 restore"));
        }
        let phrase = phrases.once(description);
        let place = Place { offset: base + problem.offset as u64, line, column };
        let finding = Finding::new(path, encoding, problem.kind.name(), place, (text, own), phrase);
        Finding { sequence, row, ..finding }
    }

    /// Makes a finding of an error in a value at `place`. The row number serves as the line.
    pub(crate) fn in_value(
        path: &'f Path,
        place: &str,
        (row_group, row): (Option<usize>, Option<RowPlace>),
        value: &'f [u8],
        error: utf8kit::Error,
        phrases: &'f mut Phrases,
    ) -> Self {
        let (encoding, own) = (AnyEncoding::Utf8, error.range());
        let sequence = intended_sequence(encoding, value, &error);
        let mut description = utf8kit_encodings::describe::Description::about(encoding, &value[own.start..]);
        description.what = format!("{place}: {}", description.what);
        let place =
            Place { offset: error.offset, line: row.as_ref().map_or(1, |row| row.row), column: error.offset + 1 };
        let phrase = phrases.once(description);
        let finding = Finding::new(path, encoding, error.kind.name(), place, (value, own), phrase);
        Finding { sequence, row, row_group, ..finding }
    }

    /// Makes a finding of a line ending of the wrong style: `len` bytes at a place in a block.
    pub(crate) fn line_end(
        path: &'f Path,
        encoding: AnyEncoding,
        (place, len): (Place, usize),
        what: &str,
        block: &'f Block,
        phrases: &'f mut Phrases,
    ) -> Self {
        let start = usize::try_from(place.offset - block.base).unwrap_or(usize::MAX).min(block.bytes.len());
        let own = start..block.bytes.len().min(start + len);
        let phrase = phrases.fixed(what);
        Finding::new(path, encoding, LINE_ENDS, place, (&block.bytes, own), phrase)
    }

    /// Returns the place in the older version, if it is damage.
    pub(crate) fn older(&self) -> Option<Finding<'f>> {
        let Before { offset, bytes, text, .. } = self.before?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(text.len());
        let own = start..text.len().min(start + bytes.len());
        Some(Finding { offset, text, sequence: own.clone(), own, before: None, ..self.clone() })
    }

    /// Returns the bytes of the finding.
    pub(crate) fn bytes(&self) -> &'f [u8] {
        &self.text[self.own.clone()]
    }

    /// Returns the bytes before the sequence that are in memory.
    pub(crate) fn preceding(&self) -> &'f [u8] {
        &self.text[..self.sequence.start]
    }

    /// Returns the bytes of the sequence.
    pub(crate) fn sequence(&self) -> &'f [u8] {
        &self.text[self.sequence.clone()]
    }

    /// Returns the bytes after the sequence that are in memory.
    pub(crate) fn following(&self) -> &'f [u8] {
        &self.text[self.sequence.end..]
    }

    /// Returns where the sequence begins in the file, in bytes.
    pub(crate) fn sequence_offset(&self) -> u64 {
        self.offset - (self.own.start - self.sequence.start) as u64
    }

    /// Reports whether this is the first error of its sequence.
    pub(crate) fn is_first(&self) -> bool {
        self.own.start == self.sequence.start
    }

    /// Reports whether it is an error of the encoding.
    pub(crate) fn is_error(&self) -> bool {
        self.before.is_none() && ErrorKind::ALL.iter().any(|kind| kind.name() == self.kind)
    }

    /// Returns the range of its line in `text`. A line that is not all in memory is cut off.
    fn line_range(&self) -> Range<usize> {
        let start = memrchr(b'\n', self.preceding()).map_or(0, |feed| feed + 1);
        let len = memchr(b'\n', self.following()).unwrap_or(self.following().len());
        start..self.sequence.end + len
    }

    /// Returns the bytes of its line that are in memory.
    pub(crate) fn line_bytes(&self) -> &'f [u8] {
        &self.text[self.line_range()]
    }

    /// Returns the text of its bytes in another encoding, if they are text in it.
    pub(crate) fn read_in(&self, charset: Charset) -> Option<String> {
        let codec = charset.writer();
        let is_multibyte = matches!(codec, Codec::Legacy(legacy) if !legacy.is_single_byte());
        let own = if is_multibyte { self.characters_in(codec)? } else { self.sequence.clone() };
        let bytes = self.text.get(own)?;
        let text = codec.text_of(bytes).filter(|text| !text.is_empty())?;
        let what = format!("{}, {} in {charset}", Hex(bytes), plain(&text));
        Some(self.row.as_ref().map_or_else(|| what.clone(), |row| format!("{row}: {what}")))
    }

    /// Returns the range of the characters that its bytes are part of, where its line is text in another encoding.
    fn characters_in(&self, codec: Codec) -> Option<Range<usize>> {
        let line = self.line_range();
        let text = codec.text_of(self.text.get(line.clone())?)?;
        let (mut at, mut own) = (line.start, None::<Range<usize>>);
        for c in text.chars() {
            let end = at + codec.bytes_of(c)?.len();
            if end > self.sequence.start && at < self.sequence.end {
                own = Some(own.map_or(at, |own| own.start)..end);
            }
            at = end;
        }
        own.filter(|_| at == line.end)
    }

    /// Describes the error of the whole sequence.
    pub(crate) fn title(&self) -> String {
        let what = &self.phrase.description.what;
        if self.before.is_some() {
            return what.clone();
        }
        // After the first error of a sequence, each byte is an error of its own.
        match 1 + self.sequence.len() - self.own.len() {
            1 => what.clone(),
            errors => format!("{what}: {errors} errors of one sequence"),
        }
    }
}
