//! In the place of `normal_form.rs` where the feature `unicode` is off: there are no normal forms.

/// A normal form of Unicode: there is none without the feature `unicode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalForm {}

/// Brings a text to a normal form.
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
