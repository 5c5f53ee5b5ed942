//! Repairs: the new version has again what the old one had lost, or is what the old one gives, decoded once more.

use std::borrow::Cow;

use foldhash::HashSet;
use utf8kit_detect::context::Prose;
use utf8kit_encodings::charset::Codec;

use crate::Document;
use crate::compare::Comparer;
use crate::compare::candidates::usual;
use crate::compare::damage::DamageKind;
use crate::compare::encodings::UTF8;
use crate::compare::explanation::{Explanation, total};
use crate::compare::limits::{NATS_OF_A_REPAIR, SAMPLE_BYTES_OF_REPAIR};
use crate::compare::moves::lines_behind;
use crate::compare::script::{Class, Step};
use crate::compare::spans::Spans;
use crate::compare::view::is_of_replacement;

impl Comparer<'_> {
    /// Reports whether the damage of an explanation rather is a repair. The old version had lost characters that are
    /// there again. Or the lines that changed are likelier text once their characters are taken for the bytes that
    /// some encoding has for them, and it needs no larger edit then to give the new version.
    pub(super) fn undoes_damage(&self, best: &Explanation) -> bool {
        let is_of_text = |kind| !matches!(kind, DamageKind::LineEnds | DamageKind::ByteOrderMark);
        let is_damaged = |step: &Step| matches!(step.class, Class::Damaged(kind, _) if is_of_text(kind));
        if !best.steps.iter().any(is_damaged) {
            return false;
        }
        if self.has_lost_before(best) {
            return true;
        }
        // Nothing that was decoded once more became a question mark.
        let asks = |step: &Step| self.new.get(step.new.clone()).is_some_and(|new| new.starts_with(b"?"));
        if self.document.encodings() != [UTF8] || best.steps.iter().filter(|step| is_damaged(step)).all(asks)
        {
            return false;
        }
        let (text, changed) = (self.document.text(), self.changed_lines(best));
        let prose = Prose::beside("");
        let nats = |bytes: &[u8]| prose.nats(Document::open(bytes).text());
        let likely = nats(changed.as_bytes()) + NATS_OF_A_REPAIR;
        let reads_better = |bytes: &[u8]| nats(bytes) > likely;
        let explains = |codec: Codec| {
            let bytes = encoded(codec, text);
            let found = Comparer::new(&bytes, self.new).best();
            let is_lost = |kind| matches!(kind, DamageKind::Replaced | DamageKind::Removed);
            let loses = |step: &Step| matches!(step.class, Class::Damaged(kind, _) if is_lost(kind));
            total(&found) <= total(best) && !found.steps.iter().any(loses)
        };
        let mut known = HashSet::default();
        usual()
            .map(|codec| (codec, encoded(codec, &changed)))
            .filter(|(_, bytes)| known.insert(bytes.clone()) && reads_better(bytes))
            .any(|(codec, _)| explains(codec))
    }

    /// Reports whether the old version has U+FFFD for what the new one has, and is better explained by that. Where
    /// other characters were replaced with certainty, some were lost and some repaired.
    fn has_lost_before(&self, best: &Explanation) -> bool {
        let lost = |bytes: &[u8]| memchr::memmem::find_iter(bytes, "\u{FFFD}".as_bytes()).count();
        let is_replaced = |step: &Step| matches!(step.class, Class::Damaged(DamageKind::Replaced, None));
        let was_text = |step: &Step| is_replaced(step) && !is_of_replacement(self.old, step.old.start);
        if lost(self.old) <= lost(self.new) || best.steps.iter().any(was_text) {
            return false;
        }
        let back = Comparer::new(self.new, self.old).best();
        total(&back) < total(best) && back.steps.iter().any(is_replaced)
    }

    /// Returns the text of the lines of the old version that are not as they were, some kilobytes of them.
    fn changed_lines(&self, best: &Explanation) -> String {
        let mark = self.document.mark();
        let (mut end, mut text) = (0, String::new());
        let lines = Spans::of_lines(self.old);
        for step in best.steps.iter().filter(|step| step.class != Class::Same) {
            for line in lines_behind(&mut end, &lines, &step.old) {
                text.push_str(&String::from_utf8_lossy(
                    self.old.get(line.start.max(mark)..line.end).unwrap_or_default(),
                ));
            }
            if text.len() >= SAMPLE_BYTES_OF_REPAIR {
                break;
            }
        }
        text
    }
}

/// Encodes each line of a text that an encoding can write, and leaves the others in UTF-8.
fn encoded(codec: Codec, text: &str) -> Vec<u8> {
    let in_codec = |line: &str| -> Option<Vec<u8>> {
        let bytes: Option<Vec<Vec<u8>>> = line.chars().map(|c| codec.bytes_of(c)).collect();
        Some(bytes?.concat())
    };
    let lines = text.split_inclusive('\n').map(|line| match in_codec(line) {
        Some(bytes) if !line.is_ascii() => Cow::Owned(bytes),
        _ => Cow::Borrowed(line.as_bytes()),
    });
    lines.collect::<Vec<_>>().concat()
}
