//! Determines the encodings of a column's values that are not UTF-8.

use utf8kit_detect::detect;
use utf8kit_detect::legacy::{best as best_legacy, reads_best, reads_well, score};
use utf8kit_detect::lines::{LineKind, Verdicts};
use utf8kit_detect::mojibake::Evidence;
use utf8kit_detect::repair::RepairPolicy;
use utf8kit_encodings::charset::legacy::WESTERN;
use utf8kit_encodings::charset::{Codec, Fallback, Legacy};

use crate::rows::text;

/// The most bytes of a column that are examined, separately for values in UTF-8 and in other encodings.
const MAX_BYTES_EXAMINED: usize = 32 * 1024;

/// The logarithm of the probability of a value in an encoding in which it is malformed, in nats.
const NATS_OF_MALFORMED_VALUE: f32 = -1000.0;

/// The evidence about the encoding of a column's values that are not UTF-8.
///
/// ```
/// use utf8kit_records::rows::ColumnEvidence;
///
/// let mut names = ColumnEvidence::default();
/// assert_eq!(names.reads_as(), None);
/// names.add(b"Jos\xE9 Mu\xF1oz");
/// names.add("Zoë".as_bytes());
/// assert_eq!(names.reads_as(), Some("windows-1252"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ColumnEvidence {
    /// Values that are not UTF-8.
    others: Vec<Vec<u8>>,
    size: usize,
    /// Non-ASCII values in UTF-8.
    utf8: String,
    pub(super) mojibake: Evidence,
}

impl ColumnEvidence {
    /// Adds a value, unless there are enough of its kind.
    pub fn add(&mut self, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                if self.utf8.len() < MAX_BYTES_EXAMINED {
                    let _ = self.mojibake.repair(text);
                    self.utf8.push_str(text);
                    self.utf8.push('\n');
                }
            }
            Err(_) if !self.is_enough() && LineKind::of(bytes) != LineKind::Utf8 => {
                self.size += bytes.len();
                self.others.push(bytes.to_vec());
            }
            Err(_) => {}
        }
    }

    /// Reports whether enough values that are not UTF-8 were examined.
    pub fn is_enough(&self) -> bool {
        self.size >= MAX_BYTES_EXAMINED
    }

    /// Adds the values of others.
    pub fn merge(&mut self, more: &ColumnEvidence) {
        for value in &more.others {
            self.add(value);
        }
        for line in more.utf8.lines() {
            self.add(line.as_bytes());
        }
    }

    /// Returns the encodings of the values that are not UTF-8, best first. If candidates are given, only these are
    /// returned.
    pub(super) fn ranked(&self, candidates: &[Fallback]) -> Vec<Codec> {
        let mut codecs = self.likely();
        if candidates.is_empty() || self.others.is_empty() {
            return codecs;
        }
        let given = || candidates.iter().map(|fallback| fallback.codec());
        // The same encoding, or one that reads all values in the same way, such as a superset.
        let same = |one: Codec, other: Codec| {
            one == other || self.others.iter().all(|value| text(one, value) == text(other, value))
        };
        codecs = codecs.into_iter().filter_map(|codec| given().find(|given| same(codec, *given))).collect();
        codecs.dedup();
        if codecs.is_empty() {
            let rate = |codec: &Codec| -> f32 {
                self.others.iter().map(|value| score(*codec, value).unwrap_or(NATS_OF_MALFORMED_VALUE)).sum()
            };
            // Of encodings that fit equally well, the first wins.
            let best = given().reduce(|best, next| if rate(&next) > rate(&best) { next } else { best });
            codecs.extend(best);
        }
        codecs
    }

    /// Returns the likely encodings of the values that are not UTF-8, best first.
    fn likely(&self) -> Vec<Codec> {
        let (mut codecs, mut rest): (Vec<Codec>, Vec<&Vec<u8>>) = (Vec::new(), self.others.iter().collect());
        // Values that fit the best encoding badly may be in another one.
        for _ in 0..4 {
            if rest.is_empty() {
                break;
            }
            let (legacy, likely) = best_legacy(&joined(&rest), &self.utf8);
            let codec = Codec::Legacy(legacy);
            if codecs.contains(&codec) || !likely && !codecs.is_empty() {
                break;
            }
            if likely || mostly_reads_well(codec, &rest) {
                codecs.push(codec);
            }
            rest.retain(|value| !reads_best(codec, value));
        }
        codecs
    }

    /// Returns the encoding in which at least half of the values that are not UTF-8 are plausible text, if there is
    /// one.
    pub fn reads_as(&self) -> Option<&'static str> {
        let values: Vec<_> = self.others.iter().collect();
        if values.is_empty() {
            return None;
        }
        let codec = Codec::Legacy(best_legacy(&joined(&values), &self.utf8).0);
        mostly_reads_well(codec, &values).then(|| codec.name())
    }

    /// Returns the encoding of the values that are not UTF-8, if a repair by this policy would replace their text or
    /// read it in another encoding.
    ///
    /// ```
    /// use utf8kit_records::rows::ColumnEvidence;
    ///
    /// let mut names = ColumnEvidence::default();
    /// names.add(b"\xE4\xCD\xC9\xD4\xD2\xC9\xCA \xED\xC5\xCE\xC4\xC5\xCC\xC5\xC5\xD7");
    /// names.add(b"\xF3\xCF\xC6\xD8\xD1 \xEB\xCF\xD7\xC1\xCC\xC5\xD7\xD3\xCB\xC1\xD1");
    /// let encoding_lost_by = |policy: &str| names.encoding_lost_by(&policy.parse().unwrap());
    /// assert_eq!(encoding_lost_by("replace"), Some("KOI8-U"));
    /// assert_eq!(encoding_lost_by("fallback=windows-1252"), Some("KOI8-U"));
    /// assert_eq!((encoding_lost_by("fallback=koi8-r"), encoding_lost_by("escape")), (None, None));
    /// ```
    pub fn encoding_lost_by(&self, policy: &RepairPolicy) -> Option<&'static str> {
        match policy.fallback() {
            Some(fallback) => {
                let per_value = matches!(policy, RepairPolicy::FallbackLines(_));
                self.other_than(fallback.codec()).or_else(|| self.garbled_by(fallback.codec(), per_value))
            }
            None if policy.is_lossy() => self.reads_as(),
            None => None,
        }
    }

    /// Returns the given encoding if decoding with it would garble text that is certainly in another one. It applies to
    /// errors alone, or with `per_value` to whole values that have errors.
    fn garbled_by(&self, codec: Codec, per_value: bool) -> Option<&'static str> {
        let legacy = match codec {
            Codec::Legacy(legacy) => legacy,
            Codec::Native(_) => WESTERN,
        };
        let mut values = joined(&self.others.iter().collect::<Vec<_>>());
        values.extend_from_slice(self.utf8.as_bytes());
        Verdicts::of(&values, legacy).are_garbled(per_value).then(|| codec.name())
    }

    /// Returns the encoding of the values that are not UTF-8, if it differs from the given one.
    fn other_than(&self, codec: Codec) -> Option<&'static str> {
        let values = joined(&self.others.iter().collect::<Vec<_>>());
        detect(&values).other_than(codec, &values).map(Legacy::name)
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

/// Reports whether at least half of the values are plausible text in an encoding.
fn mostly_reads_well(codec: Codec, values: &[&Vec<u8>]) -> bool {
    let well = values.iter().filter(|value| reads_well(codec, value)).count();
    well > 0 && well * 2 >= values.len()
}
