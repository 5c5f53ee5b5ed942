//! The pieces of a version, each with the tokens that became of it.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

/// The first token for a byte that is not text. Those below are code points.
pub(super) const RAW: u32 = 0x11_0000;

/// The pieces of bytes, with what became of each.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Where each piece begins: in the bytes, and in the tokens. The last one is the end.
    pub(super) starts: Vec<(u32, u32)>,
    /// Code points, and bytes that are not text.
    pub(super) tokens: Vec<u32>,
    /// Whether each piece lost what it was.
    pub(super) lost: Vec<bool>,
}

impl Pieces {
    pub(super) fn begin(&mut self, at: usize, lost: bool) {
        self.starts.push((at as u32, self.tokens.len() as u32));
        self.lost.push(lost);
    }

    /// Returns the number of pieces.
    pub(super) fn len(&self) -> usize {
        self.lost.len()
    }

    /// Returns the bytes of a piece.
    pub(super) fn bytes(&self, piece: usize) -> std::ops::Range<usize> {
        let at = |index: usize| self.starts.get(index).map_or(0, |start| start.0 as usize);
        at(piece)..at(piece + 1)
    }

    /// Returns the tokens of a piece.
    pub(super) fn tokens_of(&self, piece: usize) -> std::ops::Range<usize> {
        let at = |index: usize| self.starts.get(index).map_or(0, |start| start.1 as usize);
        at(piece)..at(piece + 1)
    }

    /// Returns the piece of each token.
    pub(super) fn owners(&self) -> Vec<u32> {
        let mut owners = Vec::with_capacity(self.tokens.len());
        for piece in 0..self.len() {
            owners.extend(self.tokens_of(piece).map(|_| piece as u32));
        }
        owners
    }

    /// Joins each character with the accents that follow it, and composes them.
    pub(super) fn composed(self) -> Pieces {
        let mut joined = Pieces::default();
        let mut cluster: Vec<char> = Vec::new();
        let flush = |cluster: &mut Vec<char>, joined: &mut Pieces| {
            joined.tokens.extend(cluster.drain(..).nfc().map(u32::from));
        };
        for piece in 0..self.len() {
            let tokens = self.tokens.get(self.tokens_of(piece)).unwrap_or_default();
            let first = tokens.first().and_then(|&token| char::from_u32(token));
            let joins = !cluster.is_empty() && first.is_some_and(combines);
            if !joins {
                flush(&mut cluster, &mut joined);
                joined.begin(self.bytes(piece).start, self.lost.get(piece).copied().unwrap_or_default());
            }
            for &token in tokens {
                match char::from_u32(token) {
                    Some(scalar) => cluster.push(scalar),
                    None => {
                        flush(&mut cluster, &mut joined);
                        joined.tokens.push(token);
                    }
                }
            }
        }
        flush(&mut cluster, &mut joined);
        let end = self.starts.last().map_or(0, |last| last.0);
        joined.starts.push((end, joined.tokens.len() as u32));
        joined
    }
}

/// Reports whether a character can be one with the one before it.
fn combines(scalar: char) -> bool {
    canonical_combining_class(scalar) != 0 || matches!(scalar, '\u{1160}'..='\u{11FF}')
}
