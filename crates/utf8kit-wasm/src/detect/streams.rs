//! Conversions and repairs of streams.

use utf8kit::{AnyEncoding, Piece};
use utf8kit_detect::repair::{RepairPolicy, Repairer};
use utf8kit_encodings::Counts;
use utf8kit_encodings::convert::{Conversion, ConversionErrorKind, Converter, MAX_BOM_LEN};

/// A conversion. It starts once the first bytes of its input are known, because a byte order mark may determine the
/// encoding.
pub(crate) struct Converting {
    conversion: Conversion,
    /// The first bytes, while they are too few for a byte order mark.
    head: Vec<u8>,
    running: Option<(Converter, u64)>,
    counts: Counts,
}

impl Converting {
    pub(crate) fn new(conversion: Conversion) -> Converting {
        Converting { conversion, head: Vec::new(), running: None, counts: Counts::default() }
    }

    /// Converts the next piece; see [`super::legacy_push`].
    pub(crate) fn push(&mut self, input: &[u8], last: bool, output: &mut Vec<u8>, numbers: &mut Vec<f64>) -> bool {
        let whole;
        let input = match self.running {
            Some(_) => input,
            None => {
                self.head.extend_from_slice(input);
                if self.head.len() <= MAX_BOM_LEN && !last {
                    numbers.extend([0.0, self.head.len() as f64]);
                    return false;
                }
                whole = std::mem::take(&mut self.head);
                &whole
            }
        };
        let mut skip = 0;
        let (converter, skipped) = self.running.get_or_insert_with(|| {
            let plan = self.conversion.start(&input[..input.len().min(MAX_BOM_LEN)]);
            output.extend_from_slice(&plan.prefix);
            skip = plan.skip;
            (Converter::new(&plan), plan.skip as u64)
        });
        let pushed = converter.push(&input[skip..], last, output, &mut self.counts);
        let Err(error) = pushed else {
            numbers.extend([self.counts.total() as f64, converter.held() as f64]);
            return false;
        };
        let lacking = match error.kind {
            ConversionErrorKind::Lacking(value, _) | ConversionErrorKind::Altered(value, _) => f64::from(value),
            _ => -1.0,
        };
        numbers.extend([(error.offset + *skipped) as f64, error.bytes.len() as f64, lacking]);
        true
    }
}

/// Number of changes that are kept for display, and the most bytes of each side.
const MAX_CHANGES_SHOWN: usize = 50;
const MAX_BYTES_SHOWN: usize = 400;

/// A change: its offset, and the old and the new bytes.
struct Change {
    offset: u64,
    before: Vec<u8>,
    after: Vec<u8>,
}

/// A repair, with its first changes.
pub(crate) struct Repairing {
    policy: RepairPolicy,
    encoding: AnyEncoding,
    repairer: Repairer,
    changed: u64,
    first: Vec<Change>,
}

impl Repairing {
    pub(crate) fn new(policy: &str, encoding: &str) -> Option<Repairing> {
        let encoding: AnyEncoding = encoding.parse().ok()?;
        let policy: RepairPolicy = policy.parse().ok()?;
        policy.check(encoding).ok()?;
        let repairer = Repairer::new(&policy, encoding);
        Some(Repairing { policy, encoding, repairer, changed: 0, first: Vec::new() })
    }

    /// Repairs the next piece.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, output: &mut Vec<u8>, numbers: &mut Vec<f64>) {
        let Repairing { repairer, changed, first, .. } = self;
        repairer.push(input, Piece::last_if(last), output, &mut |edit| {
            *changed += 1;
            if first.len() < MAX_CHANGES_SHOWN {
                let shown = |bytes: &[u8]| bytes[..bytes.len().min(MAX_BYTES_SHOWN)].to_vec();
                first.push(Change { offset: edit.offset, before: shown(edit.before), after: shown(edit.after) });
            }
        });
        numbers.push(self.changed as f64);
    }

    /// Restarts, with the evidence of the whole input.
    pub(crate) fn again(&mut self) {
        if let RepairPolicy::Mojibake(_) = self.policy {
            self.policy = RepairPolicy::Mojibake(Some(self.repairer.proven()));
        }
        self.repairer = Repairer::new(&self.policy, self.encoding);
        self.changed = 0;
        self.first.clear();
    }

    /// Writes the first changes; see [`super::changes`].
    pub(crate) fn changes(&self, output: &mut Vec<u8>, numbers: &mut Vec<f64>) {
        for Change { offset, before, after } in &self.first {
            numbers.extend([*offset as f64, before.len() as f64, after.len() as f64]);
            output.extend_from_slice(before);
            output.extend_from_slice(after);
        }
    }
}
