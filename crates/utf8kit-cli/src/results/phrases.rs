//! Descriptions of errors, made once per distinct error: even a file with millions of errors has few distinct ones.

use std::cell::OnceCell;

use utf8kit::AnyEncoding;
use utf8kit_encodings::describe::Description;

use crate::memo::{Memo, described_len};

/// The description of an error.
#[derive(Debug, Default)]
pub(crate) struct Phrase {
    /// The description.
    pub(crate) description: Description,
    /// The part of the report's output that does not depend on the location.
    rendered: OnceCell<[Vec<u8>; 2]>,
}

impl Phrase {
    /// Returns the two pieces of output that `render` makes of the description. Calls `render` only once.
    pub(crate) fn rendered(&self, render: impl FnOnce(&Description) -> [Vec<u8>; 2]) -> &[Vec<u8>; 2] {
        self.rendered.get_or_init(|| render(&self.description))
    }
}

/// Descriptions by the bytes they describe.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    known: Memo<Phrase>,
    fixed: Phrase,
}

impl Phrases {
    /// Returns the description of the error at the start of `rest`. The error is `len` bytes long and its sequence
    /// `sequence` bytes.
    pub(crate) fn about(&mut self, encoding: AnyEncoding, rest: &[u8], sequence: usize, len: usize) -> &Phrase {
        self.known.of(encoding, rest, described_len(encoding, rest, len, sequence), || {
            let description = Description::about(encoding, rest);
            Phrase { description, rendered: OnceCell::new() }
        })
    }

    /// Returns a description that consists of `what` only.
    pub(crate) fn fixed(&mut self, what: &str) -> &Phrase {
        self.once(Description::new(what))
    }

    /// Returns a description that is used for a single finding.
    pub(crate) fn once(&mut self, description: Description) -> &Phrase {
        self.fixed = Phrase { description, rendered: OnceCell::new() };
        &self.fixed
    }
}
