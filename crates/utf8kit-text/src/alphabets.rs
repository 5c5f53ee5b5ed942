//! The non-ASCII letters of languages, and the characters in common use. Text decoded from the wrong encoding contains
//! letters that no single language has.

/// Lowercase letters of the languages that single-byte legacy encodings serve; ranges are written `а-я`.
const ALPHABETS: [&str; 46] = [
    "àâæçéèêëîïôœùûüÿ",         // French
    "äöüßé",                    // German
    "éëïóöüèê",                 // Dutch
    "áéíóúüñ",                  // Spanish, Galician
    "áâãàçéêíóôõúü",            // Portuguese
    "àèéìíîòóùú",               // Italian
    "æøåéóòôèê",                // Danish, Norwegian
    "åäöéà",                    // Swedish
    "äöåšž",                    // Finnish
    "áéíóúýþæöð",               // Icelandic
    "áðíóúýæø",                 // Faroese
    "äöõüšž",                   // Estonian
    "āčēģīķļņōŗšūž",            // Latvian
    "ąčęėįšųūž",                // Lithuanian
    "ąćęłńóśźż",                // Polish
    "áčďéěíňóřšťúůýž",          // Czech
    "áäčďéíĺľňóôŕšťúýž",        // Slovak
    "áéíóöőúüű",                // Hungarian
    "âăîșțşţ",                  // Romanian
    "čćđšž",                    // Croatian, Slovene, Bosnian
    "ëç",                       // Albanian
    "çğıöşüâîû\u{307}",         // Turkish
    "àçéèíïóòúü",               // Catalan
    "àáçèéíòóú",                // Occitan
    "ċġħżàèìòù",                // Maltese
    "ĉĝĥĵŝŭ",                   // Esperanto
    "âêîôûŵŷàèìòùáéíóúäëïöüẅÿ", // Welsh
    "áéíóú",                    // Irish
    "àèìòù",                    // Scottish Gaelic
    "âêîôûçàèìòù",              // Friulian
    "çêîşû",                    // Kurdish
    "çñöşıâüğ",                 // Crimean Tatar
    "äçňöşüýž",                 // Turkmen
    "əçğıöşü\u{307}",           // Azerbaijani
    "áčđŋšŧž",                  // Northern Sami
    // Vietnamese
    "ăâđêôơưáàảãạéèẻẽẹíìỉĩịóòỏõọúùủũụýỳỷỹỵấầẩẫậắằẳẵặếềểễệốồổỗộớờởỡợứừửữự\u{300}\u{301}\u{303}\u{309}\u{323}",
    "а-яё",                            // Russian
    "а-щьюяґєії",                      // Ukrainian
    "а-зй-шыьэюяёіў",                  // Belarusian
    "а-щъьюя",                         // Bulgarian
    "а-ик-пр-шђјљњћџ",                 // Serbian
    "а-ик-пр-шѓѕјљњќџѐѝ",              // Macedonian
    "α-ωάέήίόύώϊϋΐΰ",                  // Greek
    "א-ת\u{5B0}-\u{5C2}",              // Hebrew
    "ء-\u{652}پچژگکی\u{200C}\u{200D}", // Arabic, Persian
    "ก-๛",                             // Thai
];

/// Characters that occur in text of any language.
const SIGNS: &str = "\u{A0}\u{AD}“”‘’‚„«»‹›–—…•·°§©®™€£¿¡ºª№†×±½¼¾²³´،؛؟\u{200E}\u{200F}";

/// Returns how well some non-ASCII characters, each with its count, fit a single language: the share of them in the
/// language that fits best, and the number of different letters that it has of them.
pub(crate) fn coverage(counts: &[(char, u64)]) -> (f64, usize) {
    let mut letters = Vec::new();
    for &(c, count) in counts.iter().filter(|(c, _)| !SIGNS.contains(*c)) {
        letters.extend(c.to_lowercase().filter(|small| !small.is_ascii()).map(|small| (small, count)));
    }
    let all: u64 = letters.iter().map(|(_, count)| count).sum();
    let covered = |alphabet: &&str| {
        let own = || letters.iter().filter(|(c, _)| has(alphabet, *c));
        (own().map(|(_, count)| count).sum::<u64>(), own().count())
    };
    let (most, different) = ALPHABETS.iter().map(covered).max().unwrap_or_default();
    if all == 0 { (1.0, 0) } else { (most as f64 / all as f64, different) }
}

/// Returns the alphabets of the languages that a text may be in: those with the most of its non-ASCII letters, and
/// others with nearly as many.
#[cfg(feature = "detect")]
pub(crate) fn languages(text: &str) -> Vec<&'static str> {
    let mut counts = std::collections::BTreeMap::<char, usize>::new();
    letters(text).for_each(|c| *counts.entry(c).or_default() += 1);
    let share = |alphabet: &str| -> usize {
        counts.iter().filter(|(c, _)| has(alphabet, **c)).map(|(_, count)| count * 50).sum()
    };
    let shares: Vec<_> = ALPHABETS.into_iter().map(|alphabet| (alphabet, share(alphabet))).collect();
    let most = shares.iter().map(|(_, share)| *share).max().unwrap_or_default();
    let near = most - counts.values().sum::<usize>().min(most);
    shares.into_iter().filter(|(_, share)| *share >= near).map(|(alphabet, _)| alphabet).collect()
}

/// Reports whether everything in a text beyond ASCII is a letter of one of some alphabets, or a sign of any language.
#[cfg(feature = "detect")]
pub(crate) fn are_of(alphabets: &[&str], text: &str) -> bool {
    let signs = text
        .chars()
        .filter(|c| !c.is_ascii() && !c.is_alphabetic())
        .all(|c| SIGNS.contains(c) || alphabets.iter().any(|alphabet| has(alphabet, c)));
    signs && alphabets.iter().any(|alphabet| letters(text).all(|c| has(alphabet, c)))
}

/// Returns the letters beyond ASCII, in lowercase.
#[cfg(feature = "detect")]
fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    let beyond = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic() && !SIGNS.contains(*c));
    beyond.flat_map(char::to_lowercase).filter(|c| !c.is_ascii())
}

/// Reports whether an alphabet contains a letter.
fn has(alphabet: &str, letter: char) -> bool {
    let mut chars = alphabet.chars().peekable();
    while let Some(first) = chars.next() {
        let mut last = first;
        if chars.peek() == Some(&'-') {
            chars.next();
            last = chars.next().unwrap_or(first);
        }
        if (first..=last).contains(&letter) {
            return true;
        }
    }
    false
}

/// Reports whether a character is in common use. Characters that sequences decode to by chance are excluded.
pub(crate) fn is_common(c: char) -> bool {
    COMMON.iter().any(|range| range.contains(&u32::from(c)))
}

/// Sorted ranges.
const COMMON: [std::ops::RangeInclusive<u32>; 53] = [
    0x80..=0x17F,  // Latin, and controls that are a layer of their own
    0x192..=0x192, // florin, a layer of its own
    0x1A0..=0x1A1, // Vietnamese
    0x1AF..=0x1B0,
    0x1CE..=0x1CE, // Pinyin
    0x1D0..=0x1D0,
    0x1D2..=0x1D2,
    0x1D4..=0x1D4,
    0x218..=0x21B, // Romanian
    0x259..=0x259, // Azerbaijani
    0x2C6..=0x2C7, // modifiers in windows-1252 and others: layers of their own
    0x2D8..=0x2DD,
    0x300..=0x303, // accents
    0x306..=0x308,
    0x30A..=0x30C,
    0x323..=0x323,
    0x327..=0x328,
    0x384..=0x3CE, // Greek
    0x401..=0x45F, // Cyrillic
    0x490..=0x493,
    0x49A..=0x49B,
    0x4A2..=0x4A3,
    0x4AE..=0x4B1,
    0x4D8..=0x4D9,
    0x4E8..=0x4E9,
    0x531..=0x556, // Armenian
    0x561..=0x587,
    0x5B0..=0x5BC, // Hebrew
    0x5D0..=0x5F4,
    0x60C..=0x6D5, // Arabic
    0x6F0..=0x6F9,
    0x901..=0xDF4,   // Devanagari to Sinhala
    0xE01..=0xE5B,   // Thai
    0xE81..=0xEDD,   // Lao
    0x10D0..=0x10FA, // Georgian
    0x1780..=0x17E9, // Khmer
    0x1E00..=0x1FFE, // Latin, Vietnamese, Greek
    0x200B..=0x2027, // punctuation
    0x202F..=0x203A,
    0x2044..=0x2044,
    0x20A0..=0x20BF, // currencies
    0x2100..=0x214F, // symbols
    0x2153..=0x215E,
    0x2190..=0x22FF,
    0x2300..=0x23FF,
    0x2500..=0x27BF,
    0x3000..=0x30FF, // Japanese
    0x3400..=0x9FFF, // Chinese
    0xAC00..=0xD7A3, // Korean
    0xF8FF..=0xF8FF, // the Apple logo in Macintosh: a layer of its own
    0xFB01..=0xFB02,
    0xFE0F..=0xFFFD,   // variation selectors, full-width forms, the byte order mark, U+FFFD
    0x1F000..=0x1FAFF, // emoji
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> f64 {
        let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
        coverage(&beyond).0
    }

    #[test]
    fn letters_of_one_language_belong_together() {
        for text in
            ["Ąžuolas, ėjęs šalį", "“Œuvre” à l’été", "Їжак і ґанок", "İstanbul’a gidiş", "ไทย", "plain"]
        {
            assert_eq!(of(text), 1.0, "{text}");
        }
        // Lithuanian in windows-1257, decoded as windows-1252.
        assert!(of("Àþuolas, ëjæs ðalá") < 0.8);
        assert!(of("caf├⌐") < 0.5);
    }
}
