//! In which of several encodings UTF-8 was read that show the same for all of the old version: added text may tell.

use utf8kit_encodings::charset::Codec;

use crate::compare::candidates::usual;
use crate::compare::double_encoding::decoded_again;
use crate::compare::explanation::Explanation;
use crate::compare::script::Class;
use crate::compare::view::DamageView;
use crate::compare::{Comparer, UTF8};

impl Comparer<'_> {
    /// Settles in which of several encodings UTF-8 was read, if they show the same for all of the old version: one in
    /// which added text is also UTF-8.
    pub(super) fn settle_reader(&self, best: &mut Explanation) {
        let view = best.view;
        if self.document.encodings() != [UTF8]
            || view.read == UTF8
            || view.write != UTF8
            || view.again.is_some()
        {
            return;
        }
        let edits = best.steps.iter().filter(|step| step.class == Class::Edit);
        let added = edits.filter_map(|step| std::str::from_utf8(self.new.get(step.new.clone())?).ok());
        let added: Vec<&str> = added.filter(|added| !added.is_ascii()).collect();
        let reads = |codec: Codec| added.iter().all(|added| decoded_again(codec, added).is_some());
        if added.is_empty() || reads(view.read) {
            return;
        }
        let shown = |view: DamageView| view.pieces(self.old, self.document.mark()).tokens;
        let own = shown(view);
        let others = usual().filter(|&other| other != view.read && reads(other));
        let mut others = others.map(|read| DamageView { read, ..view });
        if let Some(other) = others.find(|&other| shown(other) == own) {
            best.view = other;
        }
    }
}
