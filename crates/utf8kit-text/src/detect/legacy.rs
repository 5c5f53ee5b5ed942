//! Which legacy encoding a text is in: chardetng's guess, and what it does not look for.
//!
//! chardetng knows neither what Macintosh had nor Vietnamese without a domain to go by. These are looked for where
//! its guess leaves a text odd: signs within words, capitals behind small letters, letters of two scripts together.

use utf8kit::Encoding as _;

use crate::charset::legacy::guess;
use crate::charset::{Charset, Codec, Legacy};
use crate::detect::Confidence;
use crate::oddness::oddness;

/// What a guess is weighed against.
const RIVALS: [(&[&str], &str); 3] = [
    (&["windows-1251", "IBM866", "KOI8-U", "ISO-8859-5"], "x-mac-cyrillic"),
    (
        &["windows-1252", "windows-1250", "windows-1254", "windows-1257", "ISO-8859-2", "ISO-8859-4"],
        "macintosh",
    ),
    (
        &["windows-1252", "windows-1250", "windows-1254", "windows-1257", "ISO-8859-2", "ISO-8859-4"],
        "windows-1258",
    ),
];

/// The best guess at the encoding of a text that is not UTF-8. `whole`: the bytes are all of it.
pub(super) fn best(bytes: &[u8], whole: bool) -> Legacy {
    let best = guess(bytes, whole);
    let Some(text) = best.text_of(bytes) else { return readable(bytes).unwrap_or(best) };
    let rivals = RIVALS.iter().filter(|(guesses, _)| guesses.contains(&best.name()));
    let mut least = (oddness(&text), best);
    for rival in rivals.filter_map(|(_, name)| Legacy::labelled(name)) {
        let Some(text) = rival.text_of(bytes) else { continue };
        let oddness = oddness(&text);
        if oddness * 3.0 < least.0 {
            least = (oddness, rival);
        }
    }
    least.1
}

/// The text of some bytes, if they are well formed.
pub(super) fn text_of(codec: Codec, bytes: &[u8]) -> Option<String> {
    match codec {
        Codec::Legacy(legacy) => legacy.text_of(bytes),
        Codec::Native(native) => String::from_utf8(utf8kit::convert(native, utf8kit::Utf8, bytes).ok()?).ok(),
    }
}

/// Whether a text reads as well in the encoding that it declares as in the one that was guessed.
pub(super) fn is_as_good(declared: Charset, guessed: Legacy, bytes: &[u8]) -> bool {
    let codec = declared.writer();
    let is_of_bytes = !matches!(codec, Codec::Native(native) if native.unit() > 1 || native.is_dialect());
    if !is_of_bytes {
        return false;
    }
    match (text_of(codec, bytes), guessed.text_of(bytes)) {
        (Some(declared), Some(guessed)) => oddness(&declared) <= oddness(&guessed) * 1.5 + 0.05,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// How sure a guess is: by how much text beyond ASCII there is, and how much of what it decodes to is odd.
pub(super) fn confidence(guessed: Legacy, bytes: &[u8]) -> Confidence {
    let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let Some(text) = guessed.text_of(bytes) else { return Confidence::Possible };
    let odd = oddness(&text);
    match guessed.is_single_byte() {
        false if beyond >= 100 && odd < 0.02 => Confidence::Certain,
        false if beyond >= 24 && odd < 0.05 => Confidence::Likely,
        true if beyond >= 100 && odd < 0.05 => Confidence::Likely,
        _ => Confidence::Possible,
    }
}

/// Whether sequences of UTF-8 hardly come about by chance in an encoding: not where most bytes beyond ASCII are
/// letters that stand next to each other in any order.
pub(super) fn is_alien(encoding: Legacy) -> bool {
    encoding.is_single_byte() && encoding.name() != "windows-874"
}

/// An encoding of several bytes a character that a text is well formed in.
fn readable(bytes: &[u8]) -> Option<Legacy> {
    let several = ["Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "gb18030"];
    let texts = several.iter().filter_map(|name| Legacy::labelled(name)).filter_map(|legacy| {
        let text = legacy.text_of(bytes)?;
        Some((legacy, text.chars().count()))
    });
    // Of what is read as fewer characters, less is chance.
    texts.min_by_key(|&(_, len)| len).map(|(legacy, _)| legacy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, legacy: Legacy) -> Vec<u8> {
        text.chars().flat_map(|c| legacy.bytes_of(c).unwrap_or_else(|| panic!("{c}"))).collect()
    }

    #[test]
    fn what_chardetng_does_not_look_for() {
        let russian = "Моя земля такая большая, что я её всю никогда не видел. Для меня это тайна.";
        let german = "Die Straße ist für alle da: Füße müssen größer werden, schöne grüne Bäume über Köln.";
        // As windows-1258 writes it: letters with their accents behind them.
        let vietnamese = "Ti\u{EA}\u{301}ng Vi\u{EA}\u{323}t la\u{300} m\u{F4}\u{323}t ng\u{F4}n ng\u{1B0}\u{303} \
                          thu\u{F4}\u{323}c ho\u{323} Nam A\u{301}, \u{111}\u{1B0}\u{1A1}\u{323}c no\u{301}i \
                          chu\u{309} y\u{EA}\u{301}u ta\u{323}i Vi\u{EA}\u{323}t Nam.";
        for (text, name) in [
            (russian, "x-mac-cyrillic"),
            (russian, "windows-1251"),
            (german, "macintosh"),
            (german, "windows-1252"),
            (vietnamese, "windows-1258"),
        ] {
            let legacy = Legacy::labelled(name).expect("a label");
            assert_eq!(best(&encoded(text, legacy), true).name(), name);
        }
    }
}
