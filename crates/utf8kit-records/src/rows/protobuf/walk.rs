//! Walks through a message: visits all text with its place, and collects replacements.

use std::cell::OnceCell;
use std::ops::Range;

use super::schema::{Field, Kind, MessageType, Schema};
use super::wire::{MAX_DEPTH, Reader, Value, WireError, put_number};

/// The greatest number of characters of a key in a path.
const MAX_CHARACTERS_OF_KEY: usize = 60;

/// A message on the way to the current place.
pub(super) struct Frame<'s> {
    field: &'s Field,
    index: usize,
    pub(super) kind: &'s MessageType,
    /// Its range. A group may end earlier.
    range: Range<usize>,
    /// Its key in quotation marks, once a path needs it.
    key: OnceCell<Option<String>>,
}

/// Identifies the map of an entry: the numbers of the fields that lead to it, with the index of the element for
/// repeated fields. Readers merge the values of a field that is not repeated, so their maps count as one.
pub(super) type MapPlace = Vec<(u32, usize)>;

/// A piece of the data to replace.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) new: Vec<u8>,
}

/// A text in a message.
pub(super) struct Text<'s> {
    pub(super) field: &'s Field,
    /// Its number among the values of a repeated field.
    index: usize,
    pub(super) bytes: Range<usize>,
}

/// A walk at its current place.
pub(super) struct Walk<'s> {
    schema: &'s Schema,
    data: &'s [u8],
    pub(super) frames: Vec<Frame<'s>>,
    /// For each repeated field met in the messages on the way: its number and count.
    counts: Vec<(u32, usize)>,
    pub(super) edits: Vec<Edit>,
    /// The entries of all maps with the places of their keys, if they are wanted.
    pub(super) entries: Option<Vec<(MapPlace, Range<usize>)>>,
}

impl<'s> Walk<'s> {
    pub(super) fn new(schema: &'s Schema, data: &'s [u8]) -> Walk<'s> {
        Walk { schema, data, frames: Vec::new(), counts: Vec::new(), edits: Vec::new(), entries: None }
    }

    /// Walks through a message of the type with this index, whose fields follow in `reader`. A group ends at its end
    /// tag. `visit` returns the replacement of a text. Returns by how many bytes the message grows.
    pub(super) fn message(
        &mut self,
        reader: &mut Reader<'s>,
        kind: usize,
        group: Option<u32>,
        visit: &mut dyn FnMut(&Walk<'s>, &Text<'s>) -> Option<Vec<u8>>,
    ) -> Result<i64, WireError> {
        if self.frames.len() > MAX_DEPTH {
            return Err(WireError::Depth(reader.at));
        }
        let (kind, first_count, mut growth) = (&self.schema.types[kind], self.counts.len(), 0);
        loop {
            let start = reader.at;
            if reader.is_at_end() {
                match group {
                    Some(_) => return Err(WireError::Group(start)),
                    None => break,
                }
            }
            let (number, value) = reader.field()?;
            let field = kind.field(number);
            match (value, field.map(|field| (field, field.kind))) {
                (Value::End, _) if group == Some(number) => break,
                (Value::End, _) => return Err(WireError::Group(start)),
                (Value::Bytes { length, bytes }, Some((field, Kind::Text))) => {
                    let text = Text { field, index: self.count(first_count, field), bytes: bytes.clone() };
                    if let Some(new) = visit(self, &text) {
                        growth += self.replace(length, bytes, &new);
                    }
                }
                (Value::Bytes { length, bytes }, Some((field, Kind::Message(inner)))) => {
                    let mut within = Reader::new(self.data, bytes.clone());
                    let len = bytes.len();
                    self.enter(field, first_count, inner, bytes);
                    let more = self.message(&mut within, inner, None, visit)?;
                    self.frames.pop();
                    growth += more + self.lengthen(length, len, more);
                }
                // The edition determines which of the two forms is written, but readers may accept both.
                (Value::Group, Some((field, Kind::Message(inner)))) => {
                    self.enter(field, first_count, inner, reader.rest());
                    growth += self.message(reader, inner, Some(number), visit)?;
                    self.frames.pop();
                }
                (Value::Group, _) => skip_group(reader, number, start)?,
                // A value whose type differs from its field counts as an unknown field.
                (Value::Bytes { .. } | Value::Number(_) | Value::Fixed, _) => {}
            }
        }
        self.counts.truncate(first_count);
        Ok(growth)
    }

    fn enter(&mut self, field: &'s Field, first_count: usize, kind: usize, range: Range<usize>) {
        let index = self.count(first_count, field);
        let kind = &self.schema.types[kind];
        self.frames.push(Frame { field, index, kind, range: range.clone(), key: OnceCell::new() });
        if kind.is_entry && self.entries.is_some() {
            let entry = (self.map(), last_text(self.data, range, 1).unwrap_or_default());
            self.entries.get_or_insert_default().push(entry);
        }
    }

    /// Returns the map whose entry the walk is in.
    pub(super) fn map(&self) -> MapPlace {
        let last = self.frames.len().saturating_sub(1);
        let place = |(depth, frame): (usize, &Frame<'_>)| {
            let is_element = frame.field.repeated && depth < last;
            (frame.field.number, if is_element { frame.range.start } else { 0 })
        };
        self.frames.iter().enumerate().map(place).collect()
    }

    /// Returns how many values of a repeated field came before.
    fn count(&mut self, first: usize, field: &Field) -> usize {
        if !field.repeated {
            return 0;
        }
        match self.counts[first..].iter_mut().find(|(number, _)| *number == field.number) {
            Some((_, count)) => {
                *count += 1;
                *count - 1
            }
            None => {
                self.counts.push((field.number, 1));
                0
            }
        }
    }

    /// Replaces a text and its length. Returns by how many bytes they grow.
    fn replace(&mut self, length: Range<usize>, bytes: Range<usize>, new: &[u8]) -> i64 {
        let range = length.start..bytes.end;
        let mut written = Vec::with_capacity(new.len() + 5);
        put_number(&mut written, new.len() as u64);
        written.extend_from_slice(new);
        let growth = written.len() as i64 - range.len() as i64;
        self.edits.push(Edit { range, new: written });
        growth
    }

    /// Replaces the length of a message that grows. Returns by how many bytes the length itself grows.
    fn lengthen(&mut self, length: Range<usize>, len: usize, growth: i64) -> i64 {
        if growth == 0 {
            return 0;
        }
        let mut new = Vec::with_capacity(5);
        put_number(&mut new, (len as u64).saturating_add_signed(growth));
        let more = new.len() as i64 - length.len() as i64;
        self.edits.push(Edit { range: length, new });
        more
    }

    /// Returns the path of a text: `resource_spans[3].attributes["x"].value.string_value`.
    pub(super) fn path(&self, text: &Text<'_>) -> String {
        let mut path = String::new();
        // Whether the last part of the path stands for the value of an entry.
        let mut is_value = false;
        let mut put = |name: &str, place: Option<String>, was_value: bool| {
            if !(was_value && name == "value") {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
            }
            path.push_str(&place.unwrap_or_default());
        };
        for (depth, frame) in self.frames.iter().enumerate() {
            let is_last = depth + 1 == self.frames.len();
            let key = match frame.kind.key {
                Some(number) if !(is_last && text.field.number == number) => {
                    frame.key.get_or_init(|| self.key(frame, number)).as_ref()
                }
                _ => None,
            };
            let is_keyed = frame.field.repeated && key.is_some();
            let place = frame.field.repeated.then(|| match key {
                Some(key) => format!("[{key}]"),
                None => format!("[{}]", frame.index),
            });
            put(&frame.field.name, place, is_value);
            is_value = is_keyed && frame.kind.is_entry;
        }
        let place = text.field.repeated.then(|| format!("[{}]", text.index));
        put(&text.field.name, place, is_value);
        path
    }

    /// Returns the key of a message in quotation marks, if it is text.
    fn key(&self, frame: &Frame<'_>, number: u32) -> Option<String> {
        let key = self.data.get(last_text(self.data, frame.range.clone(), number)?)?;
        let key = utf8kit::validate(key).ok()?;
        let mut shown: String = key.chars().take(MAX_CHARACTERS_OF_KEY).collect();
        if shown.len() < key.len() {
            shown.push('…');
        }
        Some(format!("{shown:?}"))
    }
}

/// Returns the place of the last value of a text field in a message.
fn last_text(data: &[u8], range: Range<usize>, wanted: u32) -> Option<Range<usize>> {
    let (mut reader, mut found) = (Reader::new(data, range), None);
    while !reader.is_at_end() {
        match reader.field() {
            Ok((number, Value::Bytes { bytes, .. })) if number == wanted => found = Some(bytes),
            Ok((number, Value::Group)) if skip_group(&mut reader, number, 0).is_ok() => {}
            Ok((_, Value::Group | Value::End)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    found
}

/// Skips the rest of an unknown group.
fn skip_group(reader: &mut Reader<'_>, number: u32, start: usize) -> Result<(), WireError> {
    let mut open = vec![number];
    while let Some(&innermost) = open.last() {
        if reader.is_at_end() {
            return Err(WireError::Group(start));
        }
        let at = reader.at;
        match reader.field()? {
            (number, Value::Group) if open.len() < MAX_DEPTH => open.push(number),
            (_, Value::Group) => return Err(WireError::Depth(at)),
            (number, Value::End) if number == innermost => drop(open.pop()),
            (_, Value::End) => return Err(WireError::Group(at)),
            _ => {}
        }
    }
    Ok(())
}
