//! What is said of errors, made once for each that is different: a file with millions of errors has few such.

use std::cell::OnceCell;

use utf8kit::AnyEncoding;
use utf8kit_text::describe::Description;

/// How many are kept.
const SLOTS: usize = 1 << SLOT_BITS;

const SLOT_BITS: u32 = 14;

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

/// Phrases by the bytes they are about. One that is not kept is made again.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    /// None until the first is asked for.
    slots: Vec<(Key, Phrase)>,
    fixed: Phrase,
}

/// An encoding, and the bytes of an error and those behind it that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    encoding: Option<AnyEncoding>,
    bytes: u64,
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
        // Of a sequence that could have gone on, the byte that broke it off is spoken of, and what a lax decoder would have
        // read; in wider units, the unit behind.
        let told = match (encoding.grammar(), rest.first()) {
            (Some(grammar), Some(&first)) if grammar.lead_len(first).is_none() => sequence,
            (Some(_), _) => sequence.max(len + 1),
            (None, _) => 4,
        };
        let told = &rest[..told.min(rest.len()).min(7)];
        let bytes = told.iter().fold(told.len() as u64, |key, &byte| key << 8 | u64::from(byte));
        let key = Key { encoding: Some(encoding), bytes };
        if self.slots.is_empty() {
            let none = Key { encoding: None, bytes: 0 };
            self.slots.resize_with(SLOTS, || (none, Phrase::default()));
        }
        // The upper bits of a product depend on all others: Knuth's multiplicative hashing.
        let hash = (bytes ^ encoding as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut self.slots[(hash >> (u64::BITS - SLOT_BITS)) as usize];
        if slot.0 != key {
            let words = Description::about(encoding, rest);
            *slot = (key, Phrase { words, rendered: OnceCell::new() });
        }
        &slot.1
    }

    /// One that says only this.
    pub(crate) fn fixed(&mut self, what: &str) -> &Phrase {
        self.fixed = Phrase { words: Description::new(what), rendered: OnceCell::new() };
        &self.fixed
    }
}
