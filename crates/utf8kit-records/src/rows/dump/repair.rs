//! Repairs the values of a dump. Everything else is copied.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use utf8kit::{AnyEncoding, Encoding as _, ErrorKind, Piece, validate};
use utf8kit_detect::lines::LineKind;
use utf8kit_detect::mojibake::{self, Outcome};
use utf8kit_detect::repair::{RepairPolicy, Repairer, convert_from_fallback, plan};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::counts::Counts;

use super::DumpFormat;
use super::chunks::DumpChunk;
use super::declarations::Declared;
use super::escapes::Style;
use super::evidence::{Evidence, TablePolicy};
use super::state::{State, Visit};
use super::value::Value;

/// The policy for repairing a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpPolicy {
    /// One policy for all values. It treats a value as it would treat a line.
    Each(RepairPolicy),
    /// By the evidence of each column.
    PerTable(TablePolicy),
}

/// The policy `unescape` cannot be used with dumps, because their strings have escapes of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedDumpPolicy;

impl fmt::Display for UnsupportedDumpPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unescape cannot be used with dumps, because their strings have escapes of their own")
    }
}

impl std::error::Error for UnsupportedDumpPolicy {}

/// A repair of the values of a dump that are, or are declared to be, UTF-8.
#[derive(Clone, Debug)]
pub struct DumpRepair {
    format: DumpFormat,
    policy: DumpPolicy,
    evidence: Arc<Evidence>,
}

/// What a repair left unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftInDump {
    /// Errors outside of values: in names and comments.
    pub outside: u64,
    /// Non-ASCII values that are declared to be in another encoding than UTF-8.
    pub otherwise: u64,
}

impl LeftInDump {
    /// Adds what was left in another part.
    pub fn merge(&mut self, more: LeftInDump) {
        self.outside += more.outside;
        self.otherwise += more.otherwise;
    }
}

/// A chunk after its repair.
#[derive(Debug)]
#[non_exhaustive]
pub struct RepairedChunk {
    /// The chunk.
    pub chunk: DumpChunk,
    /// The repaired bytes, unless nothing was changed.
    pub out: Option<Vec<u8>>,
    /// The changes: ranges in the chunk and in `out`.
    pub edits: Vec<(Range<usize>, Range<usize>)>,
    /// The counts of the repairs.
    pub counts: Counts,
    /// What was left unchanged.
    pub left: LeftInDump,
}

impl DumpRepair {
    /// Creates a repair.
    ///
    /// # Errors
    /// [`UnsupportedDumpPolicy`] if the policy cannot be used with dumps.
    ///
    /// ```
    /// use utf8kit_records::rows::{DumpChunks, DumpFormat, DumpPolicy, DumpRepair, Evidence};
    ///
    /// let dump = b"COPY t (a) FROM stdin;\ncaf\\351\n\\.\n-- \xE9\n";
    /// let chunk = DumpChunks::new(DumpFormat::PgDump, None, &dump[..]).next().unwrap().unwrap();
    /// let policy = DumpPolicy::Each("fallback=latin1".parse().unwrap());
    /// let repaired = DumpRepair::new(DumpFormat::PgDump, policy).unwrap().repair(chunk);
    /// let expected = b"COPY t (a) FROM stdin;\ncaf\xC3\xA9\n\\.\n-- \xE9\n";
    /// assert_eq!((repaired.out.unwrap(), repaired.left.outside), (expected.to_vec(), 1));
    /// ```
    pub fn new(format: DumpFormat, policy: DumpPolicy) -> Result<DumpRepair, UnsupportedDumpPolicy> {
        match policy {
            DumpPolicy::Each(RepairPolicy::Unescape) => Err(UnsupportedDumpPolicy),
            policy => Ok(DumpRepair { format, policy, evidence: Arc::default() }),
        }
    }

    /// Returns the program that wrote the dump.
    pub fn format(&self) -> DumpFormat {
        self.format
    }

    /// Reports whether the repair needs the evidence of the whole dump.
    pub fn needs_evidence(&self) -> bool {
        matches!(self.policy, DumpPolicy::PerTable(_) | DumpPolicy::Each(RepairPolicy::Mojibake(_)))
    }

    /// Reports whether the repair decodes values that were encoded twice.
    pub fn fixes_mojibake(&self) -> bool {
        matches!(self.policy, DumpPolicy::PerTable(TablePolicy::Mojibake) | DumpPolicy::Each(RepairPolicy::Mojibake(_)))
    }

    /// Returns the policy of the repair, if it is the same for all values and may lose text in another encoding.
    pub fn may_lose_text(&self) -> Option<&RepairPolicy> {
        match &self.policy {
            DumpPolicy::Each(policy) => Some(policy).filter(|policy| policy.may_lose_text()),
            DumpPolicy::PerTable(_) => None,
        }
    }

    /// Returns the repair with the evidence of the whole dump.
    #[must_use]
    pub fn with_evidence(self, mut evidence: Evidence) -> DumpRepair {
        if let DumpPolicy::PerTable(TablePolicy::Fallback(candidates)) = &self.policy {
            evidence.decide(candidates);
        }
        DumpRepair { evidence: Arc::new(evidence), ..self }
    }

    /// Reports whether a chunk certainly stays unchanged.
    fn leaves_unchanged(&self, chunk: &DumpChunk) -> bool {
        match self.fixes_mojibake() {
            true => chunk.is_utf8 && utf8kit::is_ascii(&chunk.bytes) && !chunk.may_escape_bytes(),
            false => chunk.is_certainly_valid(),
        }
    }

    /// Repairs a chunk.
    pub fn repair(&self, chunk: DumpChunk) -> RepairedChunk {
        let (counts, left) = (Counts::default(), LeftInDump::default());
        if self.leaves_unchanged(&chunk) {
            return RepairedChunk { chunk, out: None, edits: Vec::new(), counts, left };
        }
        let mut work = Work {
            repair: self,
            bytes: &chunk.bytes,
            declared: chunk.state.declared().clone(),
            seen: 0,
            edits: Edits::new(&chunk.bytes),
            counts,
            left,
        };
        chunk.visit(&mut work);
        work.outside(chunk.bytes.len());
        let Work { edits, counts, left, .. } = work;
        let (out, edits) = edits.end();
        RepairedChunk { chunk, out, edits, counts, left }
    }
}

/// The changes: ranges of the old bytes and of the new bytes.
pub(super) type Ranges = Vec<(Range<usize>, Range<usize>)>;

/// Collects edits of some bytes.
pub(super) struct Edits<'c> {
    bytes: &'c [u8],
    /// The end of the copied part.
    at: usize,
    out: Vec<u8>,
    edits: Ranges,
}

impl<'c> Edits<'c> {
    pub(super) fn new(bytes: &'c [u8]) -> Edits<'c> {
        Edits { bytes, at: 0, out: Vec::new(), edits: Vec::new() }
    }

    /// Replaces a range with what `write` appends. The range must follow all earlier ones.
    pub(super) fn replace(&mut self, range: Range<usize>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = range.start.max(self.at);
        let range = start..range.end.max(start);
        self.out.extend_from_slice(&self.bytes[self.at..range.start]);
        let begun = self.out.len();
        write(&mut self.out);
        self.at = range.end;
        if self.bytes[range.clone()] != self.out[begun..] {
            self.edits.push((range, begun..self.out.len()));
        }
    }

    /// Returns the edited bytes, unless nothing was changed, and the edits.
    pub(super) fn end(mut self) -> (Option<Vec<u8>>, Ranges) {
        if self.edits.is_empty() {
            return (None, Vec::new());
        }
        self.out.extend_from_slice(&self.bytes[self.at..]);
        (Some(self.out), self.edits)
    }
}

/// The repair of a chunk.
struct Work<'c> {
    repair: &'c DumpRepair,
    bytes: &'c [u8],
    /// The end of the part whose errors outside of values are counted, and the encoding after it.
    declared: Declared,
    seen: usize,
    edits: Edits<'c>,
    counts: Counts,
    left: LeftInDump,
}

/// Changes of a value: ranges of its bytes, and the replacements.
pub(super) type Changes = Vec<(Range<usize>, Vec<u8>)>;

impl Visit for Work<'_> {
    fn value(&mut self, value: Value<'_>) {
        self.outside(value.raw.start);
        self.seen = value.raw.end;
        let raw = &self.bytes[value.raw.clone()];
        if raw.is_ascii() && !raw.contains(&b'\\') {
            return;
        }
        let Some((declared, text)) = value.text(raw) else { return };
        if !declared.is_utf8() {
            self.left.otherwise += u64::from(!text.bytes.is_ascii());
            return;
        }
        if text.bytes.is_ascii() {
            return;
        }
        let changes = self.changes(&value, &text.bytes);
        let is_safe = |(_, after): &(Range<usize>, Vec<u8>)| {
            value.style != Style::Verbatim || !after.iter().any(|byte| matches!(byte, b'$' | b'"' | b'\n' | b','))
        };
        if !changes.iter().all(is_safe) {
            self.counts.add_kept(1);
            return;
        }
        for (range, after) in changes {
            let place = text.raw(range);
            let place = value.raw.start + place.start..value.raw.start + place.end;
            self.edits.replace(place, |out| value.style.encode(&after, None, out));
        }
    }

    fn declares(&mut self, at: usize, state: &State) {
        self.outside(at);
        self.declared = state.declared().clone();
    }
}

impl Work<'_> {
    /// Counts the errors between values.
    fn outside(&mut self, end: usize) {
        if end > self.seen && self.declared.is_utf8() {
            let between = &self.bytes[self.seen..end];
            if validate(between).is_err() {
                self.left.outside += AnyEncoding::Utf8.errors(between).count() as u64;
            }
        }
        self.seen = self.seen.max(end);
    }

    /// Returns the changes of a value.
    fn changes(&mut self, value: &Value<'_>, bytes: &[u8]) -> Changes {
        let text = std::str::from_utf8(bytes);
        match (&self.repair.policy, text) {
            (DumpPolicy::PerTable(TablePolicy::Mojibake), Ok(text)) => self.without_mojibake(value, text, true),
            (DumpPolicy::Each(RepairPolicy::Mojibake(_)), Ok(text)) => self.without_mojibake(value, text, false),
            (_, Ok(_)) => Changes::new(),
            (DumpPolicy::PerTable(TablePolicy::Fallback(_)), Err(_)) => self.decoded(value, bytes),
            (DumpPolicy::Each(RepairPolicy::FallbackLines(from)), Err(_)) => {
                self.counts.add_value();
                otherwise(from.codec(), bytes)
            }
            (DumpPolicy::Each(RepairPolicy::Mojibake(_)) | DumpPolicy::PerTable(TablePolicy::Mojibake), Err(_)) => {
                Changes::new()
            }
            (DumpPolicy::Each(policy), Err(_)) => {
                let mut changes = Changes::new();
                let mut repairer = Repairer::new(policy, AnyEncoding::Utf8);
                repairer.push(bytes, Piece::Last, &mut Vec::new(), &mut |edit| {
                    let start = usize::try_from(edit.offset).unwrap_or(bytes.len());
                    changes.push((start..start + edit.before.len(), edit.after.to_vec()));
                });
                self.counts.merge(&repairer.counts);
                changes
            }
        }
    }

    /// Returns the changes of a value that may have been encoded twice.
    fn without_mojibake(&mut self, value: &Value<'_>, text: &str, per_table: bool) -> Changes {
        let detours = self.repair.evidence.detours(value, per_table);
        match mojibake::Evidence::new(Some(detours)).repair(text) {
            Outcome::Repaired(was) => {
                self.counts.add_mojibake();
                differences(text.as_bytes(), was.text.as_bytes())
            }
            Outcome::Doubtful(_) => {
                self.counts.add_doubtful();
                Changes::new()
            }
            _ => Changes::new(),
        }
    }

    /// Returns the changes of a value that is not UTF-8, as its column suggests.
    fn decoded(&mut self, value: &Value<'_>, bytes: &[u8]) -> Changes {
        if self.repair.evidence.is_of_bytes(value) {
            self.counts.add_doubtful();
            return Changes::new();
        }
        let is_utf8 = LineKind::of(bytes) == LineKind::Utf8;
        let Some(codec) = self.repair.evidence.codec_of(value, bytes).filter(|_| !is_utf8) else {
            if is_utf8 {
                return self.repaired(value, bytes);
            }
            self.counts.add_doubtful();
            return Changes::new();
        };
        self.counts.add_value();
        otherwise(codec, bytes)
    }

    /// Returns the changes of a value that is UTF-8 with errors. A truncated character is replaced; other errors are
    /// decoded as the column suggests.
    fn repaired(&mut self, value: &Value<'_>, bytes: &[u8]) -> Changes {
        // Adjacent errors count as one, with whether it is a truncated character.
        let mut runs: Vec<(Range<usize>, bool)> = Vec::new();
        for error in AnyEncoding::Utf8.errors(bytes) {
            let range = error.range();
            match runs.last_mut() {
                Some((last, is_cut)) if last.end == range.start => (last.end, *is_cut) = (range.end, false),
                _ => runs.push((range.clone(), error.kind == ErrorKind::Truncated && range.len() > 1)),
            }
        }
        let change = |(range, is_cut): (Range<usize>, bool)| {
            let before = &bytes[range.clone()];
            let codec = self.repair.evidence.codec_of(value, before).filter(|_| !is_cut);
            let mut after = Vec::new();
            match codec {
                Some(codec) => {
                    self.counts.add_value();
                    convert_from_fallback(&plan(codec, AnyEncoding::Utf8), before, &mut after, &mut Counts::default());
                }
                None => {
                    self.counts.add_malformed();
                    after.extend_from_slice("\u{FFFD}".as_bytes());
                }
            }
            (range, after)
        };
        runs.into_iter().map(change).collect()
    }
}

/// Returns the changes of a value that is read in another encoding.
fn otherwise(codec: Codec, bytes: &[u8]) -> Changes {
    let mut text = Vec::new();
    convert_from_fallback(&plan(codec, AnyEncoding::Utf8), bytes, &mut text, &mut Counts::default());
    differences(bytes, &text)
}

/// Returns the changes from one value to another. If the ASCII is the same on both sides, only the rest is changed, so
/// that escapes of ASCII are preserved.
pub(super) fn differences(before: &[u8], after: &[u8]) -> Changes {
    let (mut changes, mut at, mut to) = (Changes::new(), 0, 0);
    let run = |bytes: &[u8], at: usize| {
        let len = bytes[at..].iter().position(u8::is_ascii);
        at + len.unwrap_or(bytes.len() - at)
    };
    while at < before.len() || to < after.len() {
        match (before.get(at), after.get(to)) {
            (Some(one), Some(other)) if one == other && one.is_ascii() => (at, to) = (at + 1, to + 1),
            _ => {
                let (end, becomes) = (run(before, at), run(after, to));
                if (end, becomes) == (at, to) {
                    return whole(before, after);
                }
                if before[at..end] != after[to..becomes] {
                    changes.push((at..end, after[to..becomes].to_vec()));
                }
                (at, to) = (end, becomes);
            }
        }
    }
    changes
}

/// Returns the single change from one value to another, without their common prefix and suffix.
fn whole(before: &[u8], after: &[u8]) -> Changes {
    let same = |(one, other): &(&u8, &u8)| one == other && one.is_ascii();
    let start = before.iter().zip(after).take_while(same).count();
    let (rest, becomes) = (&before[start..], &after[start..]);
    let end = rest.iter().rev().zip(becomes.iter().rev()).take_while(same).count();
    vec![(start..before.len() - end, becomes[..becomes.len() - end].to_vec())]
}
