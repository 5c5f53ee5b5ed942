//! What is said of errors, made once for each that is different: a file with millions of errors has few such.

use std::cell::OnceCell;

use utf8kit::AnyEncoding;
use utf8kit_text::describe::Description;

use crate::memo::{Memo, told_of_error};

/// What is said of an error.
#[derive(Debug, Default)]
pub(crate) struct Phrase {
    /// In words.
    pub(crate) words: Description,
    /// What the report at hand makes of it that does not depend on the place.
    rendered: OnceCell<[Vec<u8>; 2]>,
}

impl Phrase {
    /// What `render` makes of it: two pieces of output, made once.
    pub(crate) fn rendered(&self, render: impl FnOnce(&Description) -> [Vec<u8>; 2]) -> &[Vec<u8>; 2] {
        self.rendered.get_or_init(|| render(&self.words))
    }
}

/// Phrases by the bytes they are about.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    known: Memo<Phrase>,
    fixed: Phrase,
}

impl Phrases {
    /// About the error at the front of `rest`, which is `len` long; its sequence is as long as `sequence`.
    pub(crate) fn about(
        &mut self,
        encoding: AnyEncoding,
        rest: &[u8],
        sequence: usize,
        len: usize,
    ) -> &Phrase {
        self.known.of(encoding, rest, told_of_error(encoding, rest, len, sequence), || {
            let words = Description::about(encoding, rest);
            Phrase { words, rendered: OnceCell::new() }
        })
    }

    /// One that says only this.
    pub(crate) fn fixed(&mut self, what: &str) -> &Phrase {
        self.once(Description::new(what))
    }

    /// One that is made for one place.
    pub(crate) fn once(&mut self, words: Description) -> &Phrase {
        self.fixed = Phrase { words, rendered: OnceCell::new() };
        &self.fixed
    }
}
