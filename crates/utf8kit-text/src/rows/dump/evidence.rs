//! Which encodings the values of each column are in that are not UTF-8, and how values were encoded twice. Real dumps
//! mix encodings by table and column, and by row: programs of different years wrote them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::chunks::DumpChunk;
use super::state::Visit;
use super::value::{Value, ValueKind};
use crate::charset::{Codec, Fallback, UnknownCharset};
use crate::detect::{LineKind, best_legacy, line_kind, quality, reads_well};
use crate::repair::{Detours, Undoubling};
use crate::rows::text;

/// The most bytes of a column that are examined, of values in another encoding and in UTF-8 each.
const SAMPLE: usize = 32 * 1024;

/// How much better a value must read in another encoding than in the first one of its column.
const FIRST: f64 = 0.15;

/// The same for the other encodings of the column.
const OWN: f64 = 0.1;

/// How well a value with one or two bytes beyond ASCII must read in the first encoding of its column to be in that.
const FEW: f64 = 0.6;

/// The same for values in an encoding of several bytes.
const WIDE: f64 = 0.5;

/// A repair for which the values of each column are the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TablePolicy {
    /// Decode each value that is not UTF-8 from the encoding among these that suits it and its column best; from any
    /// likely one if there are none.
    Fallback(Vec<Fallback>),
    /// Decode values that were encoded twice. If one has several possible decodings, its column decides.
    Undouble,
}

impl FromStr for TablePolicy {
    type Err = UnknownTablePolicy;

    /// Parses `fallback=auto`, `fallback=LABEL,LABEL...` or `undouble`.
    fn from_str(text: &str) -> Result<TablePolicy, UnknownTablePolicy> {
        match (text, text.strip_prefix("fallback=")) {
            ("undouble", _) => Ok(TablePolicy::Undouble),
            (_, Some("auto")) => Ok(TablePolicy::Fallback(Vec::new())),
            (_, Some(labels)) => {
                let labels =
                    labels.split(',').map(|label| label.trim().parse().map_err(UnknownTablePolicy::Fallback));
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
    /// No such policy has this name.
    Name,
    /// An encoding is not known.
    Fallback(UnknownCharset),
}

impl fmt::Display for UnknownTablePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownTablePolicy::Name => {
                f.write_str("expected fallback=auto, fallback=LABEL,LABEL... or undouble")
            }
            UnknownTablePolicy::Fallback(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UnknownTablePolicy {}

/// A column: schema, table, and the name of the column or its number.
type Key = (Option<String>, String, String);

/// What the values of a column say.
#[derive(Clone, Debug, Default)]
struct Sample {
    /// Values that are not UTF-8.
    others: Vec<Vec<u8>>,
    size: usize,
    /// Values in UTF-8 beyond ASCII.
    utf8: String,
    undoubling: Undoubling,
    /// The number of values of an unknown type that are bytes, and of those beyond ASCII that may be text.
    of_bytes: u64,
    of_text: u64,
    /// The encodings of the values, once that is decided, best first.
    codecs: Vec<Codec>,
}

/// What the values of a dump say about their encodings.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    columns: BTreeMap<Key, Sample>,
    all: Sample,
}

impl Sample {
    fn add(&mut self, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                if self.utf8.len() < SAMPLE {
                    let _ = self.undoubling.examine(text);
                    self.utf8.push_str(text);
                    self.utf8.push('\n');
                }
            }
            Err(_) if self.size < SAMPLE && line_kind(bytes) != LineKind::Utf8 => {
                self.size += bytes.len();
                self.others.push(bytes.to_vec());
            }
            Err(_) => {}
        }
    }

    fn merge(&mut self, more: &Sample) {
        (self.of_bytes, self.of_text) = (self.of_bytes + more.of_bytes, self.of_text + more.of_text);
        for value in &more.others {
            self.add(value);
        }
        for line in more.utf8.lines() {
            self.add(line.as_bytes());
        }
    }

    /// Returns the encodings of the values that are not UTF-8, best first: some of these, if any are given.
    fn ranked(&self, among: &[Fallback]) -> Vec<Codec> {
        let mut codecs = self.likely();
        if among.is_empty() || self.others.is_empty() {
            return codecs;
        }
        let given = || among.iter().map(|fallback| fallback.codec());
        // The same, or one that reads all values in the same way, as a superset does.
        let same = |one: Codec, other: Codec| {
            one == other || self.others.iter().all(|value| text(one, value) == text(other, value))
        };
        codecs = codecs.into_iter().filter_map(|codec| given().find(|given| same(codec, *given))).collect();
        codecs.dedup();
        if codecs.is_empty() {
            let rate = |codec: &Codec| -> f64 {
                self.others.iter().map(|value| quality(*codec, value).unwrap_or(-1.0)).sum()
            };
            // The first of those that suit equally well.
            let best = given().reduce(|best, next| if rate(&next) > rate(&best) { next } else { best });
            codecs.extend(best);
        }
        codecs
    }

    /// Returns the likely encodings of the values that are not UTF-8, best first.
    fn likely(&self) -> Vec<Codec> {
        let (mut codecs, mut rest): (Vec<Codec>, Vec<&Vec<u8>>) = (Vec::new(), self.others.iter().collect());
        // What does not read well in the best encoding may be in another one.
        for _ in 0..4 {
            if rest.is_empty() {
                break;
            }
            let (legacy, likely) = best_legacy(&joined(&rest), &self.utf8);
            let codec = Codec::Legacy(legacy);
            if codecs.contains(&codec) || !likely && !codecs.is_empty() {
                break;
            }
            if likely || most_read_well(codec, &rest) {
                codecs.push(codec);
            }
            rest.retain(|value| quality(codec, value).is_none_or(|quality| quality < 0.8));
        }
        codecs
    }
}

impl Evidence {
    /// Collects what the values of a chunk say: those in UTF-8, too, if they may have been `encoded_twice`.
    pub fn of(chunk: &DumpChunk, encoded_twice: bool) -> Evidence {
        let mut found = Collecting { bytes: &chunk.bytes, evidence: Evidence::default() };
        let says_nothing = match encoded_twice {
            true => utf8kit::is_ascii(&chunk.bytes) && !chunk.may_escape_bytes(),
            false => chunk.is_sound(),
        };
        if !says_nothing {
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
    pub(super) fn decide(&mut self, among: &[Fallback]) {
        self.all.codecs = self.all.ranked(among);
        let mut pool = self.all.codecs.clone();
        pool.extend(
            among.iter().map(|fallback| fallback.codec()).filter(|codec| !self.all.codecs.contains(codec)),
        );
        for sample in self.columns.values_mut() {
            sample.codecs = sample.ranked(among);
            for codec in &sample.codecs {
                if !pool.contains(codec) {
                    pool.push(*codec);
                }
            }
        }
        self.all.codecs = pool;
    }

    /// Returns the encoding of a value that is not UTF-8. `None` if it is malformed in all.
    pub(super) fn codec_of(&self, value: &Value<'_>, bytes: &[u8]) -> Option<Codec> {
        let own = key(value).and_then(|key| self.columns.get(&key)).map_or(&[][..], |sample| &sample.codecs);
        let rate = |codec: &Codec| {
            let bonus = match own.iter().position(|one| one == codec) {
                Some(0) => FIRST,
                Some(_) => OWN,
                None => 0.0,
            };
            quality(*codec, bytes).map(|quality| quality + bonus)
        };
        // A sign or a letter says little by itself, and characters of several bytes are hardly chance.
        let few = bytes.iter().filter(|byte| !byte.is_ascii()).count() <= 2;
        let is_wide = |codec: Codec| matches!(codec, Codec::Legacy(legacy) if !legacy.is_single_byte());
        if let Some(&first) = own.first()
            && quality(first, bytes)
                .is_some_and(|quality| few && quality >= FEW || is_wide(first) && quality >= WIDE)
        {
            return Some(first);
        }
        let all = own.iter().chain(self.all.codecs.iter().filter(|codec| !own.contains(codec)));
        let mut best: Option<(Codec, f64)> = None;
        for codec in all {
            // Nothing reads better than perfectly.
            if best.is_some_and(|(_, most)| most >= 1.0 + OWN) {
                break;
            }
            if let Some(rated) = rate(codec)
                && best.is_none_or(|(_, most)| rated > most)
            {
                best = Some((*codec, rated));
            }
        }
        best.map(|(codec, _)| codec)
    }

    /// Reports whether a value of an unknown type is in a column of bytes: many of its values are not text.
    pub(super) fn is_of_bytes(&self, value: &Value<'_>) -> bool {
        let own =
            key(value).filter(|_| value.kind == ValueKind::Unknown).and_then(|key| self.columns.get(&key));
        own.is_some_and(|sample| sample.of_bytes * 4 > sample.of_text)
    }

    /// Returns the encodings that the values of a column that were encoded twice went through; with `per_table` false,
    /// those of all values.
    pub(super) fn detours(&self, value: &Value<'_>, per_table: bool) -> Detours {
        let own = key(value).filter(|_| per_table).and_then(|key| self.columns.get(&key));
        let own = own.map(|sample| sample.undoubling.proven()).filter(|proven| !proven.is_empty());
        own.unwrap_or_else(|| self.all.undoubling.proven())
    }

    /// Returns an encoding in which values that are not UTF-8 read as text, if there is one.
    pub fn reads_as(&self) -> Option<&'static str> {
        let samples = self.columns.values().chain([&self.all]);
        samples.filter(|sample| !sample.others.is_empty()).find_map(|sample| {
            let values: Vec<_> = sample.others.iter().collect();
            let codec = Codec::Legacy(best_legacy(&joined(&values), &sample.utf8).0);
            most_read_well(codec, &values).then(|| codec.name())
        })
    }
}

/// Returns values as lines.
fn joined(values: &[&Vec<u8>]) -> Vec<u8> {
    values.iter().fold(Vec::new(), |mut all, value| {
        all.extend_from_slice(value);
        all.push(b'\n');
        all
    })
}

/// Reports whether at least half of the values read as text in an encoding.
fn most_read_well(codec: Codec, values: &[&Vec<u8>]) -> bool {
    let well = values.iter().filter(|value| reads_well(codec, value)).count();
    well > 0 && well * 2 >= values.len()
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
            sample.add(&text.bytes);
        }
        self.evidence.all.add(&text.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::declared::Declared;
    use super::super::escapes::Style;
    use super::super::value::Destination;
    use super::*;
    use crate::charset::Legacy;

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

    /// What a column is worth: where a value alone is ambiguous it decides, and where one is clear it does not.
    #[test]
    fn a_column_weighs_as_much_as_a_doubt() {
        // The first encoding of the column: it wins over one that reads a little better, not over any.
        assert_eq!(chosen(&["koi8-r"], "ДОМ", "koi8-r"), "KOI8-R");
        assert_eq!(chosen(&[], "ДОМ", "koi8-r"), "windows-1251");
        assert_eq!(chosen(&["windows-1252"], "Москва", "windows-1251"), "windows-1251");
        // The second one: it wins over the first if it reads better, and not over a third that does so.
        assert_eq!(chosen(&["koi8-r", "windows-1251"], "привет", "windows-1251"), "windows-1251");
        assert_eq!(chosen(&["macintosh", "windows-1252"], "Москва", "windows-1251"), "windows-1251");
    }
}
