//! Determines the text fields of messages from a descriptor set, as `protoc --descriptor_set_out` writes it.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use super::wire::{MAX_DEPTH, Reader, Value, WireError};

/// The types of messages of a descriptor set.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(super) types: Vec<MessageType>,
    names: HashMap<String, usize>,
    /// The types that are not part of another one.
    outer: Vec<usize>,
}

/// A type of messages.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageType {
    /// Its name with its package.
    pub(super) name: String,
    /// The fields that are text or may contain some, by number.
    pub(super) fields: Vec<Field>,
    /// Whether it is an entry of a map.
    pub(super) is_entry: bool,
    /// The number of the text field that identifies a message among others: the key of an entry, or a field called
    /// `key` next to a value.
    pub(super) key: Option<u32>,
}

impl MessageType {
    pub(super) fn field(&self, number: u32) -> Option<&Field> {
        let index = self.fields.binary_search_by_key(&number, |field| field.number).ok()?;
        self.fields.get(index)
    }
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) repeated: bool,
    pub(super) kind: Kind,
}

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// A message of this type, with its length before it or as a group.
    Message(usize),
}

/// Why bytes are not a usable descriptor set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// They are not a descriptor set.
    Malformed(WireError),
    /// It has no messages.
    Empty,
    /// A field has a type that is not in the set.
    Missing(String),
    /// No message has this name.
    Unknown(String),
    /// No name was given, and several messages are not part of another one.
    Ambiguous(Vec<String>),
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaError::Malformed(error) => write!(f, "not a descriptor set: {error}"),
            SchemaError::Empty => f.write_str("not a descriptor set: it has no messages"),
            SchemaError::Missing(name) => {
                write!(f, "the descriptor set lacks {name}: write it with its imports")
            }
            SchemaError::Unknown(name) => write!(f, "the descriptor set has no message {name}"),
            SchemaError::Ambiguous(names) => {
                write!(f, "the descriptor set has several messages; name one of {}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for SchemaError {}

impl From<WireError> for SchemaError {
    fn from(error: WireError) -> SchemaError {
        SchemaError::Malformed(error)
    }
}

impl Schema {
    /// Reads a `FileDescriptorSet`.
    ///
    /// # Errors
    /// [`SchemaError`] if it is not one, or lacks a file that it imports.
    pub fn new(set: &[u8]) -> Result<Schema, SchemaError> {
        let mut found = Found { set, ..Found::default() };
        each(set, 0..set.len(), |number, value| match (number, value) {
            (1, Value::Bytes { bytes, .. }) => found.file(bytes),
            _ => Ok(()),
        })?;
        found.finish()
    }

    /// Returns the names of all messages except map entries, with their packages.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.types.iter().filter(|kind| !kind.is_entry).map(|kind| kind.name.as_str())
    }

    /// Returns the index of a message; without a name, of the only message that is not part of another one.
    pub(super) fn find(&self, name: Option<&str>) -> Result<usize, SchemaError> {
        if let Some(name) = name {
            let name = name.strip_prefix('.').unwrap_or(name);
            return self.names.get(name).copied().ok_or_else(|| SchemaError::Unknown(name.into()));
        }
        match self.outer[..] {
            [only] => Ok(only),
            _ => Err(SchemaError::Ambiguous(self.messages().map(str::to_owned).collect())),
        }
    }
}

/// Calls `visit` with each field of a message.
fn each(
    bytes: &[u8],
    range: Range<usize>,
    mut visit: impl FnMut(u32, Value) -> Result<(), SchemaError>,
) -> Result<(), SchemaError> {
    let mut reader = Reader::new(bytes, range);
    while !reader.is_at_end() {
        let (number, value) = reader.field()?;
        visit(number, value)?;
    }
    Ok(())
}

/// A field as described in the set. Its message and type are still names.
struct Described {
    owner: String,
    field: Field,
    label: u64,
    kind: u64,
    type_name: String,
    extension: bool,
}

/// The contents of the set so far.
#[derive(Default)]
struct Found<'s> {
    set: &'s [u8],
    types: Vec<MessageType>,
    fields: Vec<Described>,
}

impl Found<'_> {
    fn text(&self, range: Range<usize>) -> String {
        String::from_utf8_lossy(self.set.get(range).unwrap_or_default()).into_owned()
    }

    /// Reads a `FileDescriptorProto`.
    fn file(&mut self, range: Range<usize>) -> Result<(), SchemaError> {
        let (mut package, mut messages, mut extensions) = (String::new(), Vec::new(), Vec::new());
        each(self.set, range, |number, value| {
            match (number, value) {
                (2, Value::Bytes { bytes, .. }) => package = self.text(bytes),
                (4, Value::Bytes { bytes, .. }) => messages.push(bytes),
                (7, Value::Bytes { bytes, .. }) => extensions.push(bytes),
                _ => {}
            }
            Ok(())
        })?;
        for message in messages {
            self.message(&package, message, MAX_DEPTH)?;
        }
        extensions.into_iter().try_for_each(|extension| self.field(&package, extension, true))
    }

    /// Reads a `DescriptorProto` and the ones nested in it.
    fn message(&mut self, outer: &str, range: Range<usize>, depth: usize) -> Result<(), SchemaError> {
        let depth = depth.checked_sub(1).ok_or(WireError::Depth(range.start))?;
        let (mut name, mut is_entry) = (String::new(), false);
        let (mut fields, mut nested, mut extensions) = (Vec::new(), Vec::new(), Vec::new());
        let set = self.set;
        each(set, range, |number, value| {
            match (number, value) {
                (1, Value::Bytes { bytes, .. }) => name = self.text(bytes),
                (2, Value::Bytes { bytes, .. }) => fields.push(bytes),
                (3, Value::Bytes { bytes, .. }) => nested.push(bytes),
                (6, Value::Bytes { bytes, .. }) => extensions.push(bytes),
                (7, Value::Bytes { bytes, .. }) => each(set, bytes, |number, value| {
                    is_entry |= number == 7 && value == Value::Number(1);
                    Ok(())
                })?,
                _ => {}
            }
            Ok(())
        })?;
        let name = if outer.is_empty() { name } else { format!("{outer}.{name}") };
        for field in fields {
            self.field(&name, field, false)?;
        }
        for extension in extensions {
            self.field(&name, extension, true)?;
        }
        for message in nested {
            self.message(&name, message, depth)?;
        }
        self.types.push(MessageType { name, is_entry, ..MessageType::default() });
        Ok(())
    }

    /// Reads a `FieldDescriptorProto`.
    fn field(&mut self, scope: &str, range: Range<usize>, extension: bool) -> Result<(), SchemaError> {
        let mut field = Field { number: 0, name: String::new(), repeated: false, kind: Kind::Text };
        let (mut owner, mut type_name, mut label, mut kind) = (scope.to_owned(), String::new(), 0, 0);
        each(self.set, range, |number, value| {
            match (number, value) {
                (1, Value::Bytes { bytes, .. }) => field.name = self.text(bytes),
                (2, Value::Bytes { bytes, .. }) => owner = self.text(bytes),
                (3, Value::Number(number)) => field.number = u32::try_from(number).unwrap_or(0),
                (4, Value::Number(number)) => label = number,
                (5, Value::Number(number)) => kind = number,
                (6, Value::Bytes { bytes, .. }) => type_name = self.text(bytes),
                _ => {}
            }
            Ok(())
        })?;
        if extension {
            field.name =
                if scope.is_empty() { format!("[{}]", field.name) } else { format!("[{scope}.{}]", field.name) };
        }
        self.fields.push(Described { owner, field, label, kind, type_name, extension });
        Ok(())
    }

    /// Puts fields into their messages, and drops those without any text.
    fn finish(self) -> Result<Schema, SchemaError> {
        let Found { mut types, fields, .. } = self;
        if types.is_empty() {
            return Err(SchemaError::Empty);
        }
        let names: HashMap<String, usize> =
            types.iter().enumerate().map(|(index, kind)| (kind.name.clone(), index)).collect();
        let find = |name: &str| names.get(name.strip_prefix('.').unwrap_or(name)).copied();
        for Described { owner, mut field, label, kind, type_name, extension } in fields {
            let missing = |name: &str| SchemaError::Missing(name.trim_start_matches('.').to_owned());
            field.repeated = label == 3;
            field.kind = match kind {
                9 => Kind::Text,
                10 | 11 => Kind::Message(find(&type_name).ok_or_else(|| missing(&type_name))?),
                _ => continue,
            };
            match find(&owner) {
                Some(owner) => types[owner].fields.push(field),
                // An extension of a message that is not in this set.
                None if extension => {}
                None => return Err(missing(&owner)),
            }
        }
        let (outer, with_text) = (outer(&types), with_text(&types));
        for kind in &mut types {
            let text = |field: &Field| field.kind == Kind::Text;
            let has_value = kind.fields.iter().any(|field| field.name == "value") || kind.is_entry;
            let key = kind.fields.iter().find(|field| field.name == "key" && text(field) && !field.repeated);
            kind.key = key.filter(|_| has_value).map(|field| field.number);
            kind.fields.retain(|field| match field.kind {
                Kind::Text => true,
                Kind::Message(index) => with_text[index],
            });
            kind.fields.sort_by_key(|field| field.number);
            kind.fields.dedup_by_key(|field| field.number);
        }
        Ok(Schema { types, names, outer })
    }
}

/// Returns the types that are not part of another one.
fn outer(types: &[MessageType]) -> Vec<usize> {
    let mut is_outer = vec![true; types.len()];
    for (index, kind) in types.iter().enumerate() {
        for field in &kind.fields {
            match field.kind {
                Kind::Message(inner) if inner != index => is_outer[inner] = false,
                _ => {}
            }
        }
    }
    (0..types.len()).filter(|index| is_outer[*index]).collect()
}

/// Returns for each type whether there may be text in it, at any depth.
fn with_text(types: &[MessageType]) -> Vec<bool> {
    let mut users = vec![Vec::new(); types.len()];
    let mut found = vec![false; types.len()];
    let mut due = Vec::new();
    for (index, kind) in types.iter().enumerate() {
        for field in &kind.fields {
            match field.kind {
                Kind::Text => due.push(index),
                Kind::Message(inner) => users[inner].push(index),
            }
        }
    }
    while let Some(index) = due.pop() {
        if !std::mem::replace(&mut found[index], true) {
            due.extend(&users[index]);
        }
    }
    found
}
