//! Decodes columns of bytes to columns of strings, and computes masks of valid rows.

use std::sync::Arc;

use utf8kit::AnyEncoding;
use utf8kit_encodings::describe::Description;

use super::column::Column;
use super::error::ArrowError;
use super::export::{Array, Buffer, Exported};
use super::ffi::{ArrowArray, NULLABLE, Type};
use super::repair::{Repairs, shared};
use super::visit::{Bad, Next};
use crate::policy::Policy;

/// Returns a type in which bytes are strings, at any depth.
pub(super) fn decoded_type(kind: &Type) -> Type {
    let text = match kind.format.to_bytes() {
        b"z" => c"u",
        b"Z" => c"U",
        b"vz" => c"vu",
        _ => &kind.format,
    };
    Type {
        format: text.to_owned(),
        children: kind.children.iter().map(decoded_type).collect(),
        dictionary: kind.dictionary.as_deref().map(|values| Box::new(decoded_type(values))),
        ..kind.clone()
    }
}

/// Decodes the arrays of a stream.
pub(super) struct Decoding {
    /// The repairs before that.
    by: Option<Repairs>,
    /// The replacement for remaining errors.
    rest: Repairs,
}

impl Decoding {
    /// Repairs values by a policy before they are decoded, if there is one.
    pub(super) fn new(policy: Option<Policy>) -> Decoding {
        Decoding { by: policy.map(Repairs::new), rest: Repairs::new(Policy::default()) }
    }

    /// Returns an array of the type [`decoded_type`], whose first row has the number `first`. Fails if a value is
    /// invalid after the repair, or, without a policy, if it is invalid at all.
    pub(super) fn decode(&self, kind: &Type, array: Arc<ArrowArray>, first: u64) -> Result<Arc<Exported>, ArrowError> {
        let array = match &self.by {
            Some(repairs) if repairs.policy().check_values().is_ok() => return repairs.repair(kind, array),
            Some(repairs) => Arc::new(repairs.repair(kind, array)?.export()),
            None => array,
        };
        // Anything left to replace is either an invalid value, or lies in null slots, which become empty.
        let repaired = self.rest.changed(kind, &array)?;
        let bad = match repaired {
            Some(_) => first_bad(&Column::new(kind, &array)?, first)?,
            None => None,
        };
        match bad {
            Some(error) => Err(error),
            None => Ok(Exported::new(repaired.unwrap_or_else(|| shared(&array)), Some(array))),
        }
    }
}

/// Returns the error for the first row with an invalid value.
fn first_bad(column: &Column<'_>, first: u64) -> Result<Option<ArrowError>, ArrowError> {
    let mut least: Option<(u64, String)> = None;
    column.visit(&mut String::new(), &mut |bad| {
        let row = first + bad.row as u64;
        if least.as_ref().is_none_or(|(found, _)| row < *found) {
            least = Some((row, describe(&bad)));
        }
        Next::Field
    })?;
    Ok(least.map(|(row, what)| ArrowError::IllFormed { row, what }))
}

fn describe(bad: &Bad<'_>) -> String {
    let rest = bad.value.get(bad.error.valid_up_to()..).unwrap_or_default();
    let what = Description::about(AnyEncoding::Utf8, rest).message();
    let column = if bad.path.is_empty() { String::new() } else { format!("column {}, ", bad.path) };
    format!("{column}byte {}: {what}", bad.error.offset)
}

/// Returns the type of [`mask`].
pub(super) fn mask_type(kind: &Type) -> Type {
    Type { flags: NULLABLE, ..Type::new(c"b", &kind.name, Vec::new()) }
}

/// Returns for each row whether all text in it is valid; null for a null row.
pub(super) fn mask(kind: &Type, array: &ArrowArray) -> Result<Arc<Exported>, ArrowError> {
    let column = Column::new(kind, array)?;
    let mut bits = vec![0xFF_u8; column.len().div_ceil(8)];
    column.visit(&mut String::new(), &mut |bad| {
        if let Some(byte) = bits.get_mut(bad.row / 8) {
            *byte &= !(1 << (bad.row % 8));
        }
        Next::Value
    })?;
    let nulls = column.nulls()?.map_or(Buffer::Absent, |nulls| Buffer::Bytes(nulls.bits_from_zero(column.len())));
    let (length, null_count) = (column.len() as i64, if matches!(nulls, Buffer::Absent) { 0 } else { -1 });
    let buffers = vec![nulls, Buffer::Bytes(bits)];
    let array = Array { length, null_count, offset: 0, buffers, children: Vec::new(), dictionary: None };
    Ok(Exported::new(array, None))
}
