//! Measures how much of a text is readable.

use super::Scorer;

/// The number of characters that are rated together.
const CHARACTERS_PER_WINDOW: usize = 96;

/// The maximum average cost of a character in readable text, in nats. Prose has about 2.5, rubbish more than 5.
const MAX_NATS_PER_CHARACTER: f32 = 4.2;

/// Returns the share of a text that reads as some language, from 0 to 1. Failed scans and exports of documents are
/// below 0.5. Empty text gives 1.
///
/// ```
/// use utf8kit_detect::model::readability;
///
/// assert_eq!(readability("All of this is plain text that a person wrote."), 1.0);
/// assert_eq!(readability("xQ~z}k\u{A7}JvW{qZ#\u{B6}pXw|\u{192}kVj@zq\u{B1}Ky"), 0.0);
/// ```
pub fn readability(text: &str) -> f64 {
    let (mut all, mut good) = (0_usize, 0_usize);
    let mut rate = |window: &str| {
        let scorer = Scorer::of(window.chars());
        let len = scorer.len();
        all += len;
        good += if scorer.likeliest().1 >= -MAX_NATS_PER_CHARACTER * (len.max(1) as f32) - NATS_ALLOWED_AT_START {
            len
        } else {
            0
        };
    };
    let (mut start, mut count) = (0, 0);
    for (at, c) in text.char_indices() {
        count += 1;
        if count >= CHARACTERS_PER_WINDOW && (c.is_whitespace() || count >= 2 * CHARACTERS_PER_WINDOW) {
            let end = at + c.len_utf8();
            rate(&text[start..end]);
            (start, count) = (end, 0);
        }
    }
    if start < text.len() {
        rate(&text[start..]);
    }
    if all == 0 { 1.0 } else { good as f64 / all as f64 }
}

/// The extra cost allowed at the beginning of a text, in nats, for a cut-off word or a name.
const NATS_ALLOWED_AT_START: f32 = 4.0;
