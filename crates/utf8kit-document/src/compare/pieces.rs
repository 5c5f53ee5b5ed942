//! The pieces of a version, each with the tokens that became of it.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

/// The first token for a byte that is not text. Those below are code points.
pub(super) const FIRST_TOKEN_OF_BYTES: u32 = 0x11_0000;

/// The pieces of some bytes, with the tokens of each.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    /// Where each piece begins: in the bytes, and in the tokens. The last one is the end.
    pub(super) starts: Vec<(u32, u32)>,
    /// Code points, and bytes that are not text.
    pub(super) tokens: Vec<u32>,
    /// Whether the text of each piece was lost.
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

    /// Makes one piece of each character of the old version, which a view may read as several, so that it is restored
    /// as a whole or not at all. `begins`: whether each byte begins one. A line end is the last of its piece.
    pub(super) fn whole(self, begins: &[bool]) -> Pieces {
        let len = self.starts.len();
        let (starts, lost) = (Vec::with_capacity(len), Vec::with_capacity(len));
        let mut joined = Pieces { starts, tokens: self.tokens, lost };
        let mut is_open = false;
        for (start, lost) in self.starts.windows(2).zip(self.lost) {
            let &[(at, token), (_, end)] = start else { continue };
            match joined.lost.last_mut() {
                Some(last) if is_open && begins.get(at as usize) == Some(&false) => *last |= lost,
                _ => {
                    joined.starts.push((at, token));
                    joined.lost.push(lost);
                }
            }
            let tokens = joined.tokens.get(token as usize..end as usize).unwrap_or_default();
            is_open = !tokens.contains(&u32::from('\n'));
        }
        joined.starts.extend(self.starts.last());
        joined
    }

    /// Makes one piece of each character reference non-ASCII, with its character.
    pub(super) fn dereferenced(self) -> Pieces {
        let mut joined = Pieces::default();
        let mut piece = 0;
        while piece < self.len() {
            joined.begin(self.bytes(piece).start, self.lost.get(piece).copied().unwrap_or_default());
            let tokens = self.tokens_of(piece);
            let rest = self.tokens.get(tokens.start..).unwrap_or_default();
            match reference(rest) {
                // Those of ASCII are a piece each.
                Some((scalar, len)) => {
                    joined.tokens.push(u32::from(scalar));
                    piece += len;
                }
                None => {
                    joined.tokens.extend(rest.iter().take(tokens.len()));
                    piece += 1;
                }
            }
        }
        let end = self.starts.last().map_or(0, |last| last.0);
        joined.starts.push((end, joined.tokens.len() as u32));
        joined
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

/// Returns the non-ASCII character of a reference that tokens begin with, and how many these are.
fn reference(tokens: &[u32]) -> Option<(char, usize)> {
    /// The longest one: `&#1114111;`.
    const MAX_BYTES_OF_REFERENCE: usize = 10;
    if !tokens.starts_with(&[u32::from('&'), u32::from('#')]) {
        return None;
    }
    let text = tokens.iter().take(MAX_BYTES_OF_REFERENCE).map_while(|&token| char::from_u32(token)).collect::<String>();
    referred(&text)
}

/// Returns the non-ASCII character of a reference that a text begins with, and the length of that.
pub(super) fn referred(text: &str) -> Option<(char, usize)> {
    let (number, _) = text.strip_prefix("&#")?.split_once(';')?;
    let value = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let is_number = number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let scalar = char::from_u32(value.ok().filter(|_| is_number)?).filter(|scalar| !scalar.is_ascii())?;
    Some((scalar, number.len() + 3))
}

/// Reports whether a character can be one with the one before it.
fn combines(scalar: char) -> bool {
    canonical_combining_class(scalar) != 0 || matches!(scalar, '\u{1160}'..='\u{11FF}')
}
