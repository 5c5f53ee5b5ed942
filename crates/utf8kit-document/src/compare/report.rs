//! Reports an explanation: the damage and the edits, each with its place.

use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::Shift;

use crate::compare::Comparer;
use crate::compare::damage::{Damage, DamageKind};
use crate::compare::encodings::UTF8;
use crate::compare::explanation::Explanation;
use crate::compare::script::Class;
use crate::view::{Change, feed};

impl Comparer<'_> {
    /// Returns the damage and the edits of an explanation.
    pub(super) fn report(&self, explanation: &Explanation) -> (Vec<Damage>, Vec<Change>) {
        let (mut damage, mut edits): (Vec<Damage>, Vec<Change>) = (Vec::new(), Vec::new());
        let mut places = Places::new(self.new, explanation);
        let mut was_moved = false;
        for step in &explanation.steps {
            match step.class {
                Class::Same => {}
                Class::Edit => match edits.last_mut() {
                    Some(last) if last.old.end == step.old.start && last.new.end == step.new.start => {
                        (last.old.end, last.new.end) = (step.old.end, step.new.end);
                    }
                    _ => edits.push(Change { old: step.old.clone(), new: step.new.clone() }),
                },
                Class::Damaged(kind, doubt) => {
                    let (line, column) = places.of(step.new.start);
                    let from = explanation.moved.iter().find(|moved| moved.new == step.new);
                    let old = from.map_or(&step.old, |moved| &moved.old).clone();
                    let doubtful = doubt.is_some() && from.is_none();
                    let is_mark = kind == DamageKind::Removed && (1..=self.document.mark()).contains(&old.end);
                    let kind = if is_mark { DamageKind::ByteOrderMark } else { kind };
                    let one = Damage { kind, old, new: step.new.clone(), line, column, doubtful };
                    match damage.last_mut() {
                        Some(last) if from.is_none() && !was_moved && joins(last, &one) => {
                            (last.old.end, last.new.end) = (one.old.end, one.new.end);
                            if one.kind == DamageKind::Doubled {
                                last.kind = DamageKind::Doubled;
                            }
                        }
                        _ => damage.push(one),
                    }
                    was_moved = from.is_some();
                }
            }
        }
        // Text that is UTF-8 although the file is not.
        let is_double = explanation.view.write == UTF8 && explanation.view.read != UTF8 && !explanation.view.per_line;
        if is_double && self.document.encodings().contains(&UTF8) {
            let is_utf8 = |old: &[u8]| !old.is_ascii() && utf8kit::validate(old).is_ok();
            let recoded = damage.iter_mut().filter(|one| one.kind == DamageKind::Recoded);
            recoded
                .filter(|one| self.old.get(one.old.clone()).is_some_and(is_utf8))
                .for_each(|one| one.kind = DamageKind::Doubled);
        }
        (damage, edits)
    }
}

/// Reports whether two damaged places are one.
fn joins(last: &Damage, one: &Damage) -> bool {
    let touch = last.old.end == one.old.start && last.new.end == one.new.start && last.doubtful == one.doubtful;
    let doubled = [last.kind, one.kind].contains(&DamageKind::Doubled)
        && [last.kind, one.kind].iter().all(|kind| matches!(kind, DamageKind::Doubled | DamageKind::Replaced));
    touch && (last.kind == one.kind && one.kind != DamageKind::LineEnds || doubled)
}

/// Finds lines and columns of ascending places.
struct Places<'b> {
    new: &'b [u8],
    codec: Codec,
    at: usize,
    line: usize,
    column: usize,
}

impl<'b> Places<'b> {
    fn new(new: &'b [u8], explanation: &Explanation) -> Places<'b> {
        Places { new, codec: explanation.view.write, at: explanation.new_mark, line: 1, column: 1 }
    }

    fn of(&mut self, offset: usize) -> (usize, usize) {
        // Whole lines are counted by their ends, without decoding them.
        let passed = self.new.get(self.at..offset).unwrap_or_default();
        if feed(self.codec) == Some(b"\n")
            && let Some(last) = memchr::memrchr(b'\n', passed)
        {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.column = 1;
            self.at += last + 1;
        }
        let mut text = String::new();
        let mut shift = Shift::Neutral;
        while self.at < offset {
            text.clear();
            let Some(step) = self.codec.step(shift, self.new.get(self.at..).unwrap_or_default(), &mut text) else {
                break;
            };
            shift = step.shift;
            self.at += step.len;
            for scalar in text.chars() {
                (self.line, self.column) =
                    if scalar == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
            }
        }
        (self.line, self.column)
    }
}
