//! Stands in for `normal_form.rs` without the feature `rewrite`: there are no normal forms.

/// A Unicode normal form. There are none without the feature `rewrite`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NormalForm {}

/// Normalizes a text.
#[derive(Clone, Debug)]
pub(super) struct Normalizer(NormalForm);

impl Normalizer {
    pub(super) fn new(form: NormalForm) -> Normalizer {
        Normalizer(form)
    }

    pub(super) fn held(&self) -> &str {
        match self.0 {}
    }

    pub(super) fn push(&mut self, _: &str, _: bool, _: &mut String) {
        match self.0 {}
    }
}
