//! Determines for each column the encodings of values that are not UTF-8, and how values were encoded twice. Real dumps
//! mix encodings by table, column and row, because they were written by programs of different years.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use utf8kit_detect::legacy::score;
use utf8kit_detect::mojibake::Detours;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::{Codec, Fallback, UnknownCharset};

use super::chunks::DumpChunk;
use super::state::Visit;
use super::value::{Value, ValueKind};
use crate::rows::ColumnEvidence;

/// The bonus of the first encoding of a column over any encoding, in nats.
const NATS_OF_FIRST_ENCODING: f32 = 9.0;

/// The same for the other encodings of the column.
const NATS_OF_OWN_ENCODING: f32 = 5.0;

/// A repair that uses the values of each column as evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TablePolicy {
    /// Decode each value that is not UTF-8 from the one of these encodings that fits it and its column best, or from
    /// any likely encoding if the list is empty.
    Fallback(Vec<Fallback>),
    /// Decode values that were encoded twice. If one has several possible decodings, its column decides.
    Mojibake,
}

impl FromStr for TablePolicy {
    type Err = UnknownTablePolicy;

    /// Parses `fallback=auto`, `fallback=LABEL,LABEL...` or `mojibake`.
    fn from_str(text: &str) -> Result<TablePolicy, UnknownTablePolicy> {
        match (text, text.strip_prefix("fallback=")) {
            ("mojibake", _) => Ok(TablePolicy::Mojibake),
            (_, Some("auto")) => Ok(TablePolicy::Fallback(Vec::new())),
            (_, Some(labels)) => {
                let labels = labels.split(',').map(|label| label.trim().parse().map_err(UnknownTablePolicy::Fallback));
                labels.collect::<Result<_, _>>().map(TablePolicy::Fallback)
            }
            _ => Err(UnknownTablePolicy::Name),
        }
    }
}

/// Why a text is not a [`TablePolicy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTablePolicy {
    /// No policy has this name.
    Name,
    /// An encoding is unknown.
    Fallback(UnknownCharset),
}

impl fmt::Display for UnknownTablePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownTablePolicy::Name => f.write_str("expected fallback=auto, fallback=LABEL,LABEL... or mojibake"),
            UnknownTablePolicy::Fallback(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UnknownTablePolicy {}

/// A column: schema, table, and the name of the column or its number.
type Key = (Option<String>, String, String);

/// The evidence of a column's values, and the decision from it.
#[derive(Clone, Debug, Default)]
struct Sample {
    values: ColumnEvidence,
    /// The number of values of unknown type that are bytes, and of non-ASCII values that may be text.
    of_bytes: u64,
    of_text: u64,
    /// The encodings of the values, once decided, best first.
    codecs: Vec<Codec>,
}

/// The evidence of a dump's values about their encodings.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    columns: BTreeMap<Key, Sample>,
    all: Sample,
}

impl Sample {
    fn merge(&mut self, more: &Sample) {
        self.values.merge(&more.values);
        (self.of_bytes, self.of_text) = (self.of_bytes + more.of_bytes, self.of_text + more.of_text);
    }
}

impl Evidence {
    /// Collects the evidence of a chunk's values, including values in UTF-8 if they may have been `encoded_twice`.
    pub fn of(chunk: &DumpChunk, encoded_twice: bool) -> Evidence {
        let mut found = Collecting { bytes: &chunk.bytes, evidence: Evidence::default() };
        let is_ambiguous = match encoded_twice {
            true => utf8kit::is_ascii(&chunk.bytes) && !chunk.may_escape_bytes(),
            false => chunk.is_certainly_valid(),
        };
        if !is_ambiguous {
            chunk.visit(&mut found);
        }
        found.evidence
    }

    /// Adds the evidence of a later chunk.
    pub fn merge(&mut self, more: &Evidence) {
        for (key, sample) in &more.columns {
            self.columns.entry(key.clone()).or_default().merge(sample);
        }
        self.all.merge(&more.all);
    }

    /// Decides on the encodings of each column, among some or all.
    pub(super) fn decide(&mut self, candidates: &[Fallback]) {
        self.all.codecs = self.all.values.ranked(candidates);
        let mut pool = self.all.codecs.clone();
        pool.extend(
            candidates.iter().map(|fallback| fallback.codec()).filter(|codec| !self.all.codecs.contains(codec)),
        );
        for sample in self.columns.values_mut() {
            sample.codecs = sample.values.ranked(candidates);
            for codec in &sample.codecs {
                if !pool.contains(codec) {
                    pool.push(*codec);
                }
            }
        }
        self.all.codecs = pool;
    }

    /// Returns the encoding of a value that is not UTF-8, or `None` if it is malformed in all encodings.
    pub(super) fn codec_of(&self, value: &Value<'_>, bytes: &[u8]) -> Option<Codec> {
        let own = key(value).and_then(|key| self.columns.get(&key)).map_or(&[][..], |sample| &sample.codecs);
        let rate = |codec: Codec| {
            let bonus = match own.iter().position(|one| *one == codec) {
                Some(0) => NATS_OF_FIRST_ENCODING,
                Some(_) => NATS_OF_OWN_ENCODING,
                None => 0.0,
            };
            score(codec, bytes).map(|score| (score + bonus, codec))
        };
        let all = own.iter().chain(self.all.codecs.iter().filter(|codec| !own.contains(codec)));
        // Of equally likely encodings, the first wins.
        let best = all.filter_map(|codec| rate(*codec)).reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map(|(_, codec)| codec)
    }

    /// Reports whether a value of unknown type is in a column of bytes, because many values of the column are not text.
    pub(super) fn is_of_bytes(&self, value: &Value<'_>) -> bool {
        let own = key(value).filter(|_| value.kind == ValueKind::Unknown).and_then(|key| self.columns.get(&key));
        own.is_some_and(|sample| sample.of_bytes * 4 > sample.of_text)
    }

    /// Returns the encodings that twice-encoded values of a column went through, or, if `per_table` is false, the
    /// encodings of all values.
    pub(super) fn detours(&self, value: &Value<'_>, per_table: bool) -> Detours {
        let own = key(value).filter(|_| per_table).and_then(|key| self.columns.get(&key));
        let own = own.map(|sample| sample.values.mojibake.proven()).filter(|proven| proven.is_any_known());
        own.unwrap_or_else(|| self.all.values.mojibake.proven())
    }

    /// Returns the encoding of the non-UTF-8 values of a column, if a repair by this policy would replace their text or
    /// read it in another encoding.
    pub fn encoding_lost_by(&self, policy: &RepairPolicy) -> Option<&'static str> {
        self.columns.values().chain([&self.all]).find_map(|sample| sample.values.encoding_lost_by(policy))
    }
}

/// Returns the column of a value.
fn key(value: &Value<'_>) -> Option<Key> {
    let (target, _, column) = value.cell?;
    let name = target.columns.get(column).map_or_else(|| column.to_string(), |column| column.name.clone());
    Some((target.schema.clone(), target.table.clone(), name))
}

/// Collects evidence.
struct Collecting<'c> {
    bytes: &'c [u8],
    evidence: Evidence,
}

impl Visit for Collecting<'_> {
    fn value(&mut self, value: Value<'_>) {
        let raw = &self.bytes[value.raw.clone()];
        if raw.is_ascii() && !raw.contains(&b'\\') {
            return;
        }
        let Some((declared, text)) = value.text(raw) else {
            if let Some(key) = key(&value).filter(|_| value.kind == ValueKind::Unknown) {
                self.evidence.columns.entry(key).or_default().of_bytes += 1;
            }
            return;
        };
        if !declared.is_utf8() || text.bytes.is_ascii() {
            return;
        }
        if let Some(key) = key(&value) {
            let sample = self.evidence.columns.entry(key).or_default();
            sample.of_text += 1;
            sample.values.add(&text.bytes);
        }
        self.evidence.all.values.add(&text.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::declarations::Declared;
    use super::super::escapes::Style;
    use super::super::value::Destination;
    use super::*;
    use utf8kit_encodings::charset::Legacy;

    fn legacy(label: &str) -> Legacy {
        Legacy::labelled(label).unwrap()
    }

    /// Returns the encoding that is chosen for a text in the encoding `label`, in a column whose values are in `own`,
    /// if others are in windows-1252 and windows-1251.
    fn chosen(own: &[&str], text: &str, label: &str) -> &'static str {
        let codecs = |labels: &[&str]| labels.iter().map(|label| Codec::Legacy(legacy(label))).collect();
        let of = |labels| Sample { codecs: codecs(labels), ..Sample::default() };
        let key = (None, "t".to_owned(), "0".to_owned());
        let all = of(&["windows-1252", "windows-1251"]);
        let evidence = Evidence { columns: BTreeMap::from([(key, of(own))]), all };
        let bytes: Vec<u8> = text.chars().flat_map(|c| legacy(label).bytes_of(c).unwrap()).collect();
        let target = Arc::new(Destination { schema: None, table: "t".to_owned(), columns: Vec::new() });
        let value = Value {
            raw: 0..bytes.len(),
            style: Style::Verbatim,
            kind: ValueKind::Text,
            declared: &Declared::Nothing,
            cell: Some((&target, 1, 0)),
        };
        evidence.codec_of(&value, &bytes).unwrap().name()
    }

    /// The weight of a column: it decides ambiguous values, but does not override clear ones.
    #[test]
    fn a_column_weighs_as_much_as_a_doubt() {
        // The first encoding of the column wins over one that fits slightly better, but not over any other.
        assert_eq!(chosen(&["koi8-r"], "ДОМ", "koi8-r"), "KOI8-R");
        assert_eq!(chosen(&[], "ДОМ", "koi8-r"), "windows-1251");
        assert_eq!(chosen(&["windows-1252"], "Москва", "windows-1251"), "windows-1251");
        // The second wins over the first if it fits better, but not over a third that does.
        assert_eq!(chosen(&["koi8-r", "windows-1251"], "привет", "windows-1251"), "windows-1251");
        assert_eq!(chosen(&["macintosh", "windows-1252"], "Москва", "windows-1251"), "windows-1251");
    }
}
