//! Messages of Protocol Buffers: finds invalid text and reports its path, and repairs it without changing other bytes.
//!
//! Programs reject a whole message because of one invalid text, and do not name the field. The descriptor set
//! determines which fields are text (`string`). Fields of bytes and unknown fields are left alone. Text in proto2 is
//! treated as in proto3, although not every program rejects it.
//!
//! ```
//! use utf8kit_records::rows::protobuf::Schema;
//!
//! // message Span { string name = 1; bytes id = 2; }, as protoc --descriptor_set_out writes it
//! let set = b"\x0A\x22\x22\x20\x0A\x04Span\x12\x0C\x0A\x04name\x18\x01\x20\x01\x28\x09\
//!     \x12\x0A\x0A\x02id\x18\x02\x20\x01\x28\x0C";
//! let schema = Schema::new(set)?;
//! let span = schema.message(Some("Span"))?;
//! let data = b"\x0A\x04caf\xE9\x12\x01\xFF";
//! let mut found = Vec::new();
//! span.check(data, &mut |bad| found.push((bad.path(), bad.offset, bad.error.offset)))?;
//! assert_eq!(found, [("name".to_owned(), 2, 3)]);
//! let repaired = span.repair(data, &mut |text| Some(utf8kit::repair(text).into_owned().into_bytes()))?;
//! assert_eq!(repaired.unwrap().data, b"\x0A\x06caf\xEF\xBF\xBD\x12\x01\xFF");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod schema;
#[cfg(test)]
mod tests;
mod walk;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use utf8kit::{Encoding as _, Error, Utf8};

pub use schema::{Schema, SchemaError};
use walk::{Edit, MapPlace, Text, Walk};
pub use wire::{MAX_DEPTH, WireError};
use wire::{Reader, put_number};

/// A message of a schema.
#[derive(Clone, Copy, Debug)]
pub struct Message<'s> {
    schema: &'s Schema,
    kind: usize,
}

/// An invalid text.
pub struct BadText<'w> {
    walk: &'w Walk<'w>,
    text: &'w Text<'w>,
    /// Its bytes.
    pub value: &'w [u8],
    /// Where they begin in the data.
    pub offset: usize,
    /// Its first error, with an offset in its bytes.
    pub error: Error,
}

impl BadText<'_> {
    /// Returns its path: `resource_spans[3].scope_spans[0].spans[1].attributes["x"].value.string_value`. Elements of a
    /// repeated field are named by their key, if they have a valid one, else by their number from 0.
    pub fn path(&self) -> String {
        self.walk.path(self.text)
    }
}

/// A repaired message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The message.
    pub data: Vec<u8>,
    /// The number of texts that changed.
    pub texts: u64,
}

/// Why a message cannot be repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairError {
    /// It is not a message.
    Wire(WireError),
    /// Two keys of the map at this path would become equal, and one of the values would be lost.
    SameKeys(String),
}

impl RepairError {
    /// Returns the same error in data that begins `more` bytes earlier.
    #[must_use]
    pub fn moved(self, more: usize) -> RepairError {
        match self {
            RepairError::Wire(error) => RepairError::Wire(error.moved(more)),
            same => same,
        }
    }
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairError::Wire(error) => error.fmt(f),
            RepairError::SameKeys(path) => {
                write!(f, "{path}: this key would become equal to the key of another entry, which would be lost")
            }
        }
    }
}

impl std::error::Error for RepairError {}

impl From<WireError> for RepairError {
    fn from(error: WireError) -> RepairError {
        RepairError::Wire(error)
    }
}

impl Schema {
    /// Returns a message by its name with its package; without a name, the only message that is not part of another
    /// one.
    ///
    /// # Errors
    /// [`SchemaError::Unknown`] if there is none, [`SchemaError::Ambiguous`] without a name if there are several.
    pub fn message(&self, name: Option<&str>) -> Result<Message<'_>, SchemaError> {
        Ok(Message { schema: self, kind: self.find(name)? })
    }
}

impl Message<'_> {
    /// Calls `bad` with every invalid text, in the order of the data.
    ///
    /// # Errors
    /// [`WireError`] if the data is not a message; `bad` has then been called for the texts before that place.
    pub fn check(&self, data: &[u8], bad: &mut dyn FnMut(BadText<'_>)) -> Result<(), WireError> {
        let mut visit = |walk: &Walk<'_>, text: &Text<'_>| {
            let value = data.get(text.bytes.clone()).unwrap_or_default();
            if let Err(error) = Utf8.validate(value) {
                bad(BadText { walk, text, value, offset: text.bytes.start, error });
            }
            None
        };
        let mut walk = Walk::new(self.schema, data);
        walk.message(&mut Reader::new(data, 0..data.len()), self.kind, None, &mut visit).map(drop)
    }

    /// Replaces each text for which `repair` returns a replacement. Lengths are recomputed; everything else is copied.
    /// Returns `None` if nothing changes.
    ///
    /// # Errors
    /// [`RepairError`] if the data is not a message, or if two keys of a map would become equal.
    pub fn repair(
        &self,
        data: &[u8],
        repair: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Option<Repaired>, RepairError> {
        let mut walk = Walk::new(self.schema, data);
        // The maps with a changed key, each with the path of the first one.
        let (mut texts, mut maps) = (0, HashMap::new());
        let mut visit = |walk: &Walk<'_>, text: &Text<'_>| {
            let value = data.get(text.bytes.clone()).unwrap_or_default();
            let new = repair(value)?;
            texts += 1;
            if walk.frames.last().is_some_and(|entry| entry.kind.is_entry) && text.field.name == "key" {
                maps.entry(walk.map()).or_insert_with(|| walk.path(text));
            }
            Some(new)
        };
        walk.message(&mut Reader::new(data, 0..data.len()), self.kind, None, &mut visit)?;
        if !maps.is_empty() {
            self.check_keys(data, &maps, repair)?;
        }
        let edits = walk.edits;
        Ok((!edits.is_empty()).then(|| Repaired { data: edited(data, edits), texts }))
    }

    /// Checks that different keys of these maps remain different after a repair.
    fn check_keys(
        &self,
        data: &[u8],
        maps: &HashMap<MapPlace, String>,
        repair: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<(), RepairError> {
        let mut walk = Walk::new(self.schema, data);
        walk.entries = Some(Vec::new());
        walk.message(&mut Reader::new(data, 0..data.len()), self.kind, None, &mut |_, _| None)?;
        let mut known = HashMap::new();
        for (map, key) in walk.entries.unwrap_or_default() {
            let Some(path) = maps.get(&map) else { continue };
            let key = data.get(key).unwrap_or_default();
            let new = repair(key).unwrap_or_else(|| key.to_vec());
            if *known.entry((map, new)).or_insert(key) != key {
                return Err(RepairError::SameKeys(path.clone()));
            }
        }
        Ok(())
    }
}

impl Message<'_> {
    /// [`Message::repair`] of messages that follow each other: their lengths are also recomputed.
    ///
    /// # Errors
    /// As for [`Message::repair`]. Also if a message becomes too long for its length field.
    pub fn repair_all(
        &self,
        framing: Framing,
        data: &[u8],
        repair: &mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<Option<Repaired>, RepairError> {
        let mut all = Repaired { data: Vec::new(), texts: 0 };
        // The end of the last changed message, and of the previous message.
        let (mut copied, mut at) = (0, 0);
        for range in framing.messages(data) {
            let range = range?;
            let (start, end) = (range.start, range.end);
            let message = data.get(range).unwrap_or_default();
            if let Some(repaired) = self.repair(message, repair).map_err(|error| error.moved(start))? {
                all.data.extend_from_slice(data.get(copied..at).unwrap_or_default());
                framing.put(&repaired.data, &mut all.data).ok_or(WireError::Length(at))?;
                all.texts += repaired.texts;
                copied = end;
            }
            at = end;
        }
        if all.texts == 0 {
            return Ok(None);
        }
        all.data.extend_from_slice(data.get(copied..).unwrap_or_default());
        Ok(Some(all))
    }
}

/// Returns the data with some pieces replaced.
fn edited(data: &[u8], mut edits: Vec<Edit>) -> Vec<u8> {
    // The length of a message is edited after its contents.
    edits.sort_by_key(|edit| edit.range.start);
    let (mut out, mut done) = (Vec::with_capacity(data.len() + data.len() / 16), 0);
    for edit in edits {
        out.extend_from_slice(data.get(done..edit.range.start).unwrap_or_default());
        out.extend_from_slice(&edit.new);
        done = edit.range.end;
    }
    out.extend_from_slice(data.get(done..).unwrap_or_default());
    out
}

/// How several messages follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// The data is one message.
    #[default]
    One,
    /// Each message follows its length as a varint, as `writeDelimitedTo` in Java writes it.
    Varint,
    /// Each message follows its length as four big-endian bytes, as the file exporter of OpenTelemetry writes it.
    Fixed32,
}

impl Framing {
    /// Splits the data into messages, and yields the range of each.
    ///
    /// # Errors
    /// An item is a [`WireError`] if a length is not a number, or exceeds the rest. It is the last item.
    pub fn messages(self, data: &[u8]) -> impl Iterator<Item = Result<Range<usize>, WireError>> {
        let mut at = Some(0);
        std::iter::from_fn(move || {
            let start = at.take().filter(|at| *at < data.len() || (*at == 0 && self == Framing::One))?;
            let found = self.message(data, start);
            at = found.as_ref().ok().map(|range| range.end).filter(|_| self != Framing::One);
            Some(found)
        })
    }

    fn message(self, data: &[u8], start: usize) -> Result<Range<usize>, WireError> {
        let mut reader = Reader::new(data, start..data.len());
        let len = match self {
            Framing::One => return Ok(start..data.len()),
            Framing::Varint => reader.number()?,
            Framing::Fixed32 => {
                let rest = data.get(start..).and_then(<[u8]>::first_chunk);
                reader.at += 4;
                u64::from(u32::from_be_bytes(*rest.ok_or(WireError::Length(start))?))
            }
        };
        let end = usize::try_from(len).ok().and_then(|len| reader.at.checked_add(len));
        let end = end.filter(|end| *end <= data.len()).ok_or(WireError::Length(start))?;
        Ok(reader.at..end)
    }

    /// Appends a message with its length. Fails if that has more than 32 bits, and needs them.
    pub fn put(self, message: &[u8], out: &mut Vec<u8>) -> Option<()> {
        match self {
            Framing::One => {}
            Framing::Varint => put_number(out, message.len() as u64),
            Framing::Fixed32 => out.extend_from_slice(&u32::try_from(message.len()).ok()?.to_be_bytes()),
        }
        out.extend_from_slice(message);
        Some(())
    }
}
