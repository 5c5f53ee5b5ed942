//! Holds back the end of a text that arrives in pieces, as far as the next piece may join it: a letter that a mark may
//! follow, half of a flag, an emoji before a joiner, a Hangul syllable.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// A text that arrives in pieces and leaves in whole extended grapheme clusters (UAX #29), which readers see as one
/// character. Any text is joined from the pieces as it was.
///
/// The last cluster is held back until the next one begins, or the text ends; line feeds and other controls are not,
/// as nothing joins them. What is held back is at most [`Hold::MAX`] bytes: a longer cluster, which no language has,
/// is passed on as it comes.
///
/// ```
/// use utf8kit_text::Hold;
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

    /// Adds a piece and returns the text that no further piece can join.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let rest = self.held.split_off(settled(&self.held));
        std::mem::replace(&mut self.held, rest)
    }

    /// Ends the text, and returns what was held back.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Returns what is held back.
    pub fn held(&self) -> &str {
        &self.held
    }
}

/// Returns the length of the part of a text that no further text can join, in bytes: all but the last extended grapheme
/// cluster. All of it if nothing can join that, or if it is longer than [`Hold::MAX`].
///
/// ```
/// use utf8kit_text::hold::settled;
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

/// Reports whether a combining mark joins a character: any except controls.
fn joins_a_mark(c: char) -> bool {
    c.is_ascii_graphic() || format!("{c}\u{300}").graphemes(true).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// What joins and what does not, in all classes of UAX #29.
    const PARTS: [&str; 24] = [
        "a",
        " ",
        "\n",
        "\r",
        "\t",
        "\u{301}",
        "\u{200D}",
        "\u{FE0F}",
        "\u{1F469}",
        "\u{1F3FD}",
        "\u{1F1E6}",
        "\u{1100}",
        "\u{1161}",
        "\u{11A8}",
        "\u{AC00}",
        "\u{AC01}",
        "\u{903}",
        "\u{915}",
        "\u{94D}",
        "\u{600}",
        "\u{E0067}",
        "\u{200B}",
        "\u{20E3}",
        "\u{FFFD}",
    ];

    #[test]
    fn every_cut_is_a_boundary_of_the_whole() {
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            let pieces: Vec<String> = (0..random.below(8))
                .map(|_| (0..random.below(4)).map(|_| PARTS[random.below(PARTS.len())]).collect())
                .collect();
            let whole = pieces.concat();
            let mut boundaries: Vec<usize> = whole.grapheme_indices(true).map(|(at, _)| at).collect();
            boundaries.push(whole.len());
            let (mut hold, mut text) = (Hold::default(), String::new());
            for piece in &pieces {
                text += &hold.push(piece);
                assert!(boundaries.contains(&text.len()), "{pieces:?} at {}", text.len());
                assert!(hold.held().graphemes(true).count() <= 1, "{pieces:?} holds {:?}", hold.held());
            }
            text += &hold.finish();
            assert_eq!(text, whole);
        }
    }

    #[test]
    fn no_more_than_the_bound_is_held() {
        let mut hold = Hold::default();
        let mut text = hold.push("a");
        for _ in 0..1000 {
            text += &hold.push("\u{301}");
            assert!(hold.held().len() <= Hold::MAX);
        }
        text += &hold.finish();
        assert_eq!(text, format!("a{}", "\u{301}".repeat(1000)));
    }

    #[test]
    fn nothing_else_is_held_than_what_text_may_join() {
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            let joined = ["\u{300}", "\u{200D}", "\u{903}", "\n", "\u{1161}", "\u{1F1E6}", "\u{94D}"]
                .iter()
                .any(|next| format!("{c}{next}").graphemes(true).count() == 1);
            assert_eq!(settled(c.encode_utf8(&mut [0; 4])) == 0, joined, "{c:?}");
        }
    }
}
