//! How much of a text reads as text.

use super::Scorer;

/// How many characters are rated together.
const WINDOW: usize = 96;

/// What a character of text costs at most on average, in nats: about 2.5 in prose, beyond 5 in rubbish.
const READS: f32 = 4.2;

/// Returns the share of a text that reads as some language, from 0 to 1. Scans and exports of documents that came out
/// as rubbish are below 0.5. Empty text has nothing that does not read.
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
        good += if scorer.likeliest().1 >= -READS * (len.max(1) as f32) - SHORT { len } else { 0 };
    };
    let (mut start, mut count) = (0, 0);
    for (at, c) in text.char_indices() {
        count += 1;
        if count >= WINDOW && (c.is_whitespace() || count >= 2 * WINDOW) {
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

/// What the beginning of a text may cost besides, in nats: a word that is cut off or a name.
const SHORT: f32 = 4.0;
