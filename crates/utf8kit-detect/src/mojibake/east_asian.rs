//! UTF-8 that was read in an encoding of East Asia: `縺薙ｓ縺ｫ縺｡縺ｯ` for `こんにちは`.
//!
//! Two or three bytes of UTF-8 became a character, so a line is this only if the bytes of all its characters are UTF-8,
//! except for sequences that end where a byte was lost, which happens before ASCII.

use std::sync::LazyLock;

use utf8kit_encodings::charset::Legacy;

use crate::common::is_common;
use crate::mojibake::pairs::are_words;
use crate::mojibake::prices::{NATS_OF_MISREADING, NATS_OF_MISREADING_AGAIN};

/// The encodings in which UTF-8 was misdecoded, with the price of each in nats.
const ENCODINGS_OF_EAST_ASIA: [(&str, f32); 4] = [("Shift_JIS", 0.0), ("GBK", 0.0), ("EUC-KR", 2.0), ("Big5", 2.0)];

/// The minimum number of non-ASCII bytes in an original, because two bytes may be UTF-8 by coincidence.
const MIN_NON_ASCII_BYTES: usize = 3;

/// The replacements that decoders write for a lead byte without its trail byte. Only Shift_JIS decoders write the last.
const REPLACEMENTS: [char; 3] = ['\u{FFFD}', '?', '・'];

static EAST_ASIAN_ENCODINGS: LazyLock<Vec<(usize, Legacy)>> = LazyLock::new(|| {
    let all = ENCODINGS_OF_EAST_ASIA.iter().enumerate();
    all.filter_map(|(at, (name, _))| Some((at, Legacy::labelled(name)?))).collect()
});

/// A candidate for the original of a line.
pub(super) struct Original {
    pub(super) text: String,
    pub(super) price: f32,
    /// The place of the encoding that it was read in.
    pub(super) at: usize,
    pub(super) read: &'static str,
    /// How many characters are lost: each is U+FFFD.
    pub(super) lost: usize,
}

/// Reports whether a character is an ideograph, a syllable or a sign of East Asia, of full width.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{D7FF}')
}

/// Reports whether a line can be UTF-8 that was read in one of these encodings.
pub(super) fn may_be(line: &str) -> bool {
    candidates(line, |_| false).next().is_some()
}

/// Returns the candidates for the original of a line. An encoding may be proven by other lines.
pub(super) fn candidates(line: &str, is_proven: impl Fn(usize) -> bool) -> impl Iterator<Item = Original> {
    // UTF-8 that was read in one of these encodings nearly always shows a character of East Asia.
    let has_eastern = line.chars().any(|c| is_east_asian(c) || matches!(c, '\u{FF61}'..='\u{FF9F}'));
    let all = if has_eastern { &EAST_ASIAN_ENCODINGS[..] } else { &[] };
    all.iter().filter_map(move |&(at, encoding)| {
        let (text, lost) = decoded(encoding, line)?;
        let &(read, price) = ENCODINGS_OF_EAST_ASIA.get(at)?;
        let is_proven = is_proven(at);
        if !are_words(&text.replace('\u{FFFD}', ""), line, is_proven) {
            return None;
        }
        let price = if is_proven { NATS_OF_MISREADING_AGAIN } else { NATS_OF_MISREADING + price };
        Some(Original { text, price, at, read, lost })
    })
}

/// Returns the text whose UTF-8 a line is in an encoding, and how many of its characters are lost.
fn decoded(encoding: Legacy, line: &str) -> Option<(String, usize)> {
    let (mut text, mut bytes, mut lost, mut count) = (String::new(), Vec::new(), 0, 0);
    for c in line.chars() {
        let is_lost = !bytes.is_empty() && REPLACEMENTS.contains(&c);
        if is_lost || c.is_ascii() {
            if !std::mem::take(&mut bytes).is_empty() {
                lost += 1;
                text.push('\u{FFFD}');
            }
            text.extend((!is_lost).then_some(c));
            continue;
        }
        bytes.extend(encoding.bytes_of(c)?);
        let valid = match utf8kit::validate(&bytes) {
            Ok(valid) => valid.len(),
            Err(error) if error.incomplete => error.valid_up_to(),
            Err(_) => return None,
        };
        let whole: Vec<u8> = bytes.drain(..valid).collect();
        let whole = String::from_utf8(whole).ok()?;
        for c in whole.chars() {
            if !c.is_ascii() && !is_common(c) {
                return None;
            }
            count += if c.is_ascii() { 0 } else { c.len_utf8() };
            text.push(c);
        }
    }
    if !bytes.is_empty() {
        lost += 1;
        text.push('\u{FFFD}');
    }
    (count >= MIN_NON_ASCII_BYTES).then_some((text, lost))
}
