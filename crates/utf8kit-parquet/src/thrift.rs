//! Thrift's compact protocol, read into values and written back:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.
//!
//! The metadata types of the crate `parquet` have only known fields, so writing them would lose others. These values
//! keep all fields.

use bytes::Bytes;

use crate::ParquetError;

/// The maximum nesting of structures. Parquet's own need 8 levels.
const MAX_DEPTH: usize = 32;

/// A value of any type. Numbers keep the type that they were read with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    /// A number, with its type: a byte, or an integer of 16, 32 or 64 bits.
    Number(u8, i64),
    Double([u8; 8]),
    Binary(Bytes),
    /// A list or set: its own type, and the type of its elements.
    List(u8, u8, Vec<Value>),
    /// The types of keys and values.
    Map(u8, Vec<(Value, Value)>),
    Struct(Struct),
}

/// Fields in the order of their identifiers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Struct(Vec<(i16, Value)>);

/// The types of the protocol.
mod kind {
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
}

impl Struct {
    pub(crate) fn get(&self, id: i16) -> Option<&Value> {
        self.0.iter().find(|(at, _)| *at == id).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, id: i16) -> Option<&mut Value> {
        self.0.iter_mut().find(|(at, _)| *at == id).map(|(_, value)| value)
    }

    /// Sets a field, or removes it.
    pub(crate) fn set(&mut self, id: i16, value: Option<Value>) {
        let at = self.0.partition_point(|(at, _)| *at < id);
        let exists = self.0.get(at).is_some_and(|(found, _)| *found == id);
        match (value, exists) {
            (Some(value), true) => self.0[at].1 = value,
            (Some(value), false) => self.0.insert(at, (id, value)),
            (None, true) => drop(self.0.remove(at)),
            (None, false) => {}
        }
    }

    pub(crate) fn number(&self, id: i16) -> Option<i64> {
        match self.get(id)? {
            Value::Number(_, number) => Some(*number),
            _ => None,
        }
    }

    /// Changes a number that exists. It keeps its type.
    pub(crate) fn set_number(&mut self, id: i16, new: i64) {
        if let Some(Value::Number(_, number)) = self.get_mut(id) {
            *number = new;
        }
    }

    pub(crate) fn binary(&self, id: i16) -> Option<&Bytes> {
        match self.get(id)? {
            Value::Binary(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(crate) fn child(&self, id: i16) -> Option<&Struct> {
        match self.get(id)? {
            Value::Struct(child) => Some(child),
            _ => None,
        }
    }

    pub(crate) fn child_mut(&mut self, id: i16) -> Option<&mut Struct> {
        match self.get_mut(id)? {
            Value::Struct(child) => Some(child),
            _ => None,
        }
    }

    /// Returns the elements of a list, or nothing if there is no such field.
    pub(crate) fn list(&self, id: i16) -> &[Value] {
        match self.get(id) {
            Some(Value::List(_, _, elements)) => elements,
            _ => &[],
        }
    }

    pub(crate) fn list_mut(&mut self, id: i16) -> &mut [Value] {
        match self.get_mut(id) {
            Some(Value::List(_, _, elements)) => elements,
            _ => &mut [],
        }
    }

    /// Returns the structures of a list.
    pub(crate) fn structs(&self, id: i16) -> impl ExactSizeIterator<Item = &Struct> {
        self.list(id).iter().map(|value| match value {
            Value::Struct(one) => one,
            _ => const { &Struct(Vec::new()) },
        })
    }

    /// Returns one structure of a list.
    pub(crate) fn nth(&self, id: i16, index: usize) -> Option<&Struct> {
        match self.list(id).get(index)? {
            Value::Struct(one) => Some(one),
            _ => None,
        }
    }

    pub(crate) fn structs_mut(&mut self, id: i16) -> impl Iterator<Item = &mut Struct> {
        self.list_mut(id).iter_mut().filter_map(|value| match value {
            Value::Struct(one) => Some(one),
            _ => None,
        })
    }

    /// Reads a structure at the start of `bytes`; returns it with its length.
    pub(crate) fn read(bytes: &Bytes) -> Result<(Struct, usize), ParquetError> {
        let mut reader = Reader { bytes, at: 0 };
        Ok((reader.structure(MAX_DEPTH)?, reader.at))
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut last = 0;
        for (id, value) in &self.0 {
            let kind = match value {
                Value::Bool(true) => kind::TRUE,
                other => other.kind(),
            };
            match id.wrapping_sub(last) {
                step @ 1..=15 => out.push((step as u8) << 4 | kind),
                _ => {
                    out.push(kind);
                    write_varint(out, zigzag(i64::from(*id)));
                }
            }
            last = *id;
            if !matches!(value, Value::Bool(_)) {
                value.write(out);
            }
        }
        out.push(0);
    }
}

impl Value {
    fn kind(&self) -> u8 {
        match self {
            Value::Bool(_) => kind::FALSE,
            Value::Number(kind, _) | Value::List(kind, _, _) => *kind,
            Value::Double(_) => kind::DOUBLE,
            Value::Binary(_) => kind::BINARY,
            Value::Map(..) => kind::MAP,
            Value::Struct(_) => kind::STRUCT,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Bool(value) => out.push(if *value { kind::TRUE } else { kind::FALSE }),
            Value::Number(kind::BYTE, number) => out.push(*number as u8),
            Value::Number(_, number) => write_varint(out, zigzag(*number)),
            Value::Double(bytes) => out.extend_from_slice(bytes),
            Value::Binary(bytes) => {
                write_varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            Value::List(_, element, all) => {
                match all.len() {
                    len @ 0..=14 => out.push((len as u8) << 4 | element),
                    len => {
                        out.push(0xF0 | element);
                        write_varint(out, len as u64);
                    }
                }
                all.iter().for_each(|value| value.write(out));
            }
            Value::Map(kinds, pairs) => {
                write_varint(out, pairs.len() as u64);
                if !pairs.is_empty() {
                    out.push(*kinds);
                }
                for (key, value) in pairs {
                    key.write(out);
                    value.write(out);
                }
            }
            Value::Struct(fields) => fields.write(out),
        }
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'b> {
    bytes: &'b Bytes,
    at: usize,
}

const CUT_OFF: ParquetError = ParquetError::Malformed("the metadata is cut off");

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, ParquetError> {
        let byte = self.bytes.get(self.at).ok_or(CUT_OFF)?;
        self.at += 1;
        Ok(*byte)
    }

    fn take(&mut self, len: usize) -> Result<Bytes, ParquetError> {
        let end = self.at.checked_add(len).filter(|end| *end <= self.bytes.len()).ok_or(CUT_OFF)?;
        let taken = self.bytes.slice(self.at..end);
        self.at = end;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, ParquetError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ParquetError::Malformed("a number in the metadata is too long"))
    }

    fn signed(&mut self) -> Result<i64, ParquetError> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Returns the number of elements, each of which takes at least a byte.
    fn len(&mut self) -> Result<usize, ParquetError> {
        let left = self.bytes.len() - self.at;
        usize::try_from(self.varint()?).ok().filter(|len| *len <= left).ok_or(CUT_OFF)
    }

    fn structure(&mut self, depth: usize) -> Result<Struct, ParquetError> {
        let mut fields = Vec::new();
        let mut id = 0_i16;
        loop {
            let (step, kind) = match self.byte()? {
                0 => return Ok(Struct(fields)),
                head => (head >> 4, head & 0xF),
            };
            let next = match step {
                0 => i16::try_from(self.signed()?).ok(),
                step => id.checked_add(step.into()),
            };
            let next = next.filter(|next| *next > id);
            id = next.ok_or(ParquetError::Malformed("the fields of the metadata are out of order"))?;
            let value = match kind {
                kind::TRUE | kind::FALSE => Value::Bool(kind == kind::TRUE),
                other => self.value(other, depth)?,
            };
            fields.push((id, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Result<Value, ParquetError> {
        let depth = depth.checked_sub(1).ok_or(ParquetError::Malformed("the metadata is nested too deeply"))?;
        Ok(match kind {
            kind::TRUE | kind::FALSE => Value::Bool(self.byte()? == kind::TRUE),
            kind::BYTE => Value::Number(kind, i64::from(self.byte()? as i8)),
            kind::I16..=kind::I64 => Value::Number(kind, self.signed()?),
            kind::DOUBLE => Value::Double(self.take(8)?.as_ref().try_into().unwrap_or_default()),
            kind::BINARY => {
                let len = self.len()?;
                Value::Binary(self.take(len)?)
            }
            kind::LIST | kind::SET => {
                let head = self.byte()?;
                let left = self.bytes.len() - self.at;
                let len = match usize::from(head >> 4) {
                    15 => self.len()?,
                    len => Some(len).filter(|len| *len <= left).ok_or(CUT_OFF)?,
                };
                let all = (0..len).map(|_| self.value(head & 0xF, depth)).collect::<Result<_, _>>()?;
                Value::List(kind, head & 0xF, all)
            }
            kind::MAP => {
                let len = self.len()?;
                let kinds = if len == 0 { 0 } else { self.byte()? };
                let pair = |_| Ok((self.value(kinds >> 4, depth)?, self.value(kinds & 0xF, depth)?));
                Value::Map(kinds, (0..len).map(pair).collect::<Result<_, ParquetError>>()?)
            }
            kind::STRUCT => Value::Struct(self.structure(depth)?),
            _ => return Err(ParquetError::Malformed("the metadata has a field of an unknown type")),
        })
    }
}
