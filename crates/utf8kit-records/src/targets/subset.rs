//! Subsets of Unicode: RFC 9839, Unicode Character Repertoire Subsets.

use memchr::memmem;
use utf8kit::restrict::is_noncharacter;

use super::{value, xml};
use crate::rows::{RowFormat, RowSyntax};
use crate::violation::{Violation, ViolationKind};

/// A subset of the scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subset {
    /// XML Characters (section 4.2).
    Xml,
    /// Unicode Assignables (section 4.3): neither control codes nor noncharacters.
    Assignables,
}

impl Subset {
    fn contains(self, value: u32) -> bool {
        let beyond_xml = matches!(value, 0x7F..=0x9F) || is_noncharacter(value);
        xml::is_char(value) && (self == Subset::Xml || !beyond_xml)
    }

    /// Reports whether some rows certainly contain nothing else.
    pub(super) fn passes(self, format: RowFormat, rows: &[u8]) -> bool {
        // Bytes that never begin a code point outside of a subset. Ordinary text consists of them.
        let is_clear =
            |byte: u8| (byte >= 0x20 || b"\t\n\r".contains(&byte)) && byte < 0xEF && byte != 0x7F && byte != 0xC2;
        let has_escapes =
            || matches!(format, RowFormat::Json | RowFormat::Jsonl) && memmem::find(rows, b"\\u").is_some();
        rows.iter().all(|&byte| is_clear(byte)) && !has_escapes()
    }

    /// Returns the characters of a row's values that are outside of the subset, in order.
    pub(super) fn find(self, syntax: &RowSyntax, row: &[u8]) -> Vec<Violation> {
        let mut found = Vec::new();
        if self.passes(syntax.format(), row) {
            return found;
        }
        for value in value::of(syntax, row) {
            for (range, character) in value.characters(row) {
                let Some(character) = character.map(u32::from).filter(|&value| !self.contains(value)) else {
                    continue;
                };
                let kind = match (character, row[range.start]) {
                    (0, b'\\') => ViolationKind::NulEscape,
                    (_, b'\\') => ViolationKind::CharacterEscape,
                    (0, _) => ViolationKind::Nul,
                    (1..=0x9F, _) => ViolationKind::Control,
                    _ => ViolationKind::Noncharacter,
                };
                found.push(Violation::new(range.start, range.len(), kind));
            }
        }
        found
    }
}
