//! Holds back the end of a text that arrives in pieces, as far as the next piece may combine with it: a letter that a
//! mark may follow, half of a flag, an emoji before a joiner, a Hangul syllable.

use alloc::string::String;
use unicode_segmentation::GraphemeCursor;

/// A text that arrives in pieces and leaves in whole extended grapheme clusters (UAX #29), which readers see as one
/// character. The pieces together are the unchanged text.
///
/// The last cluster is held back until the next one begins, or the text ends; line feeds and other controls are not,
/// because nothing combines with them. At most [`Hold::MAX`] bytes are held back; a longer cluster, which no language
/// has, is passed on as it comes.
///
/// ```
/// use utf8kit::Hold;
///
/// let mut hold = Hold::default();
/// let pieces = ["cafe", "\u{301} \u{1F1EA}", "\u{1F1FA}\n", "\u{1112}\u{1161}", "\u{11AB}"];
/// let texts = pieces.map(|piece| hold.push(piece));
/// assert_eq!(texts, ["caf", "e\u{301} ", "\u{1F1EA}\u{1F1FA}\n", "", ""]);
/// assert_eq!(hold.finish(), "\u{1112}\u{1161}\u{11AB}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Hold {
    held: String,
}

impl Hold {
    /// The most bytes that are held back.
    pub const MAX: usize = 256;

    /// Adds a piece and returns the text with which no further piece can combine.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let rest = self.held.split_off(settled(&self.held));
        core::mem::replace(&mut self.held, rest)
    }

    /// Ends the text, and returns the text that was held back.
    pub fn finish(&mut self) -> String {
        core::mem::take(&mut self.held)
    }

    /// Returns the text that is held back.
    pub fn held(&self) -> &str {
        &self.held
    }
}

/// Returns the length, in bytes, of the part of a text with which no further text can combine: all but the last
/// extended grapheme cluster. The whole text if nothing can combine with that cluster, or if it is longer than
/// [`Hold::MAX`].
///
/// ```
/// use utf8kit::settled;
///
/// assert_eq!(settled("cafe"), 3);
/// assert_eq!(settled("one\n"), 4);
/// assert_eq!(settled("one\r"), 3);
/// assert_eq!(settled("\u{1F1EA}\u{1F1FA}\u{1F1EA}"), 8);
/// ```
pub fn settled(text: &str) -> usize {
    let Some(last) = text.chars().next_back() else { return 0 };
    let mut cursor = GraphemeCursor::new(text.len(), text.len(), true);
    let start = cursor.prev_boundary(text, 0).ok().flatten().unwrap_or_default();
    let is_open = last == '\r' || joins_a_mark(last);
    if is_open && text.len() - start <= Hold::MAX { start } else { text.len() }
}

/// Reports whether a combining mark can combine with a character: any except controls.
fn joins_a_mark(c: char) -> bool {
    if c.is_ascii_graphic() {
        return true;
    }
    let mut bytes = [0; 6];
    let len = c.encode_utf8(&mut bytes).len();
    let end = len + '\u{300}'.encode_utf8(&mut bytes[len..]).len();
    let pair = core::str::from_utf8(&bytes[..end]).unwrap_or_default();
    GraphemeCursor::new(len, pair.len(), true).is_boundary(pair, 0) == Ok(false)
}
