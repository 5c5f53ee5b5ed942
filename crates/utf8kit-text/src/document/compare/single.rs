//! Damage to single places, where all the rest of the text is as it was: no view of the whole file explains them.

use std::ops::Range;

use crate::charset::Codec;
use crate::document::compare::Comparer;
use crate::document::compare::damage::DamageKind;
use crate::document::compare::doubled::undoubled;
use crate::document::compare::encodings::{UTF8, is_wide, text_of};
use crate::document::compare::explanation::{Explanation, edits, is_another_line, is_framed};
use crate::document::compare::signs::usual;
use crate::document::compare::steps::{Class, Step};

impl Comparer<'_> {
    /// Finds characters beyond ASCII between text that stayed which became U+FFFD, as many as they are or have bytes,
    /// or themselves as some program reads or writes them: nobody types that. A question mark, somebody may.
    pub(super) fn find_single(&self, best: &mut Explanation) {
        if !best.view.is_plain() {
            return;
        }
        let stays = |step: Option<&Step>| {
            step.is_none_or(|step| matches!(step.class, Class::Same | Class::Damaged(_, false)))
        };
        for (steps, removed, added) in edits(best) {
            let before = steps.start.checked_sub(1).and_then(|before| best.steps.get(before));
            let is_between = stays(before) && stays(best.steps.get(steps.end));
            // In a line that was written anew, it may be another one.
            let is_here = is_between
                && is_framed(best, self.old, &steps)
                && !is_another_line(best, self.old, &removed, 2);
            let class = if is_here { self.class_of_single(&removed, &added) } else { None };
            let Some(class) = class else { continue };
            // One place, of the first of these steps; the others are left without anything.
            let within = best.steps.get_mut(steps).unwrap_or_default().iter_mut();
            for (index, step) in within.enumerate() {
                let (old, new) = match index {
                    0 => (removed.clone(), added.clone()),
                    _ => (removed.end..removed.end, added.end..added.end),
                };
                *step = Step { old, new, class };
            }
        }
        best.steps.retain(|step| !step.old.is_empty() || !step.new.is_empty());
    }

    fn class_of_single(&self, removed: &Range<usize>, added: &Range<usize>) -> Option<Class> {
        let codec = self.document.view.codec_at(removed.start);
        let (old, new) = (self.old.get(removed.clone())?, self.new.get(added.clone())?);
        let old = text_of(codec, old).filter(|_| !codec.is_stateful() && !new.is_empty())?;
        if old.is_empty() || old.contains(|c: char| c.is_ascii() || c == char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let (shown, as_utf8) = (text_of(codec, new), std::str::from_utf8(new).ok());
        let counts = [old.chars().count(), old.encode_utf16().count(), old.len(), removed.len()];
        let is_all = |text: &str, sign: char| {
            text.chars().all(|c| c == sign) && counts.contains(&text.chars().count())
        };
        let shown_as = |is: &dyn Fn(&str) -> bool| shown.as_deref().is_some_and(is);
        let is_utf8 = as_utf8.filter(|_| codec != UTF8 && !is_wide(codec));
        let reads = |other: &Codec| text_of(*other, new).as_ref() == Some(&old);
        let doubles = |text: &str| {
            let is_longer = text.len() > old.len() && !text.contains(|c: char| c.is_ascii());
            is_longer && usual().into_iter().any(|other| undoubled(other, text).as_ref() == Some(&old))
        };
        if [shown.as_deref(), as_utf8]
            .into_iter()
            .flatten()
            .any(|text| is_all(text, char::REPLACEMENT_CHARACTER))
        {
            Some(Class::Damaged(DamageKind::Replaced, false))
        } else if is_utf8 == Some(&old) || shown.is_none() && usual().iter().any(reads) {
            Some(Class::Damaged(DamageKind::Recoded, false))
        } else if shown_as(&doubles) {
            Some(Class::Damaged(DamageKind::Doubled, false))
        } else if shown_as(&|text| is_all(text, '?')) {
            Some(Class::Damaged(DamageKind::Replaced, true))
        } else {
            None
        }
    }
}
