//! The non-ASCII letters of languages, and the characters in common use. Text decoded from the wrong encoding contains
//! letters that no single language has.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Lowercase letters of the languages that single-byte legacy encodings serve, frequent ones before `|`; ranges are
/// written `а-я`.
const ALPHABETS: [&str; 46] = [
    "éèàêç|âæëîïôœùûüÿ",        // French
    "äöüß|é",                   // German
    "ëéï|óöüèê",                // Dutch
    "áéíóñú|ü",                 // Spanish, Galician
    "ãçáéíóõêú|âàôü",           // Portuguese
    "àèéìòù|íîóú",              // Italian
    "æøå|éóòôèê",               // Danish, Norwegian
    "åäö|éà",                   // Swedish
    "äö|åšž",                   // Finnish
    "áéíóúýþæöð",               // Icelandic
    "áðíóúýæø",                 // Faroese
    "äöõü|šž",                  // Estonian
    "āčēģīķļņšūž|ōŗ",           // Latvian
    "ąčęėįšųūž",                // Lithuanian
    "ąćęłńóśźż",                // Polish
    "áčéěíňřšťúůýž|ďó",         // Czech
    "áäčéíľňóôšťúýž|ďĺŕ",       // Slovak
    "áéíóöőúüű",                // Hungarian
    "ăâî|șțşţ",                 // Romanian
    "čćšž|đ",                   // Croatian, Slovene, Bosnian
    "ëç",                       // Albanian
    "çğıöşü|âîû\u{307}",        // Turkish
    "àçéèíóòú|ïü",              // Catalan
    "àáçèéíòóú",                // Occitan
    "ċġħżàèìòù",                // Maltese
    "ĉĝĵŝŭ|ĥ",                  // Esperanto
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
    "א-ת\u{5B0}-\u{5C2}׳״",            // Hebrew
    "ء-\u{652}پچژگکی\u{200C}\u{200D}", // Arabic, Persian
    "ก-๛",                             // Thai
];

/// Characters that occur in text of any language.
const SIGNS: &str = "\u{A0}\u{AD}“”‘’‚„«»‹›–—…•·°§©®™€£¿¡ºª№†×±µ½¼¾²³´،؛؟\u{200E}\u{200F}";

/// Reports whether a character occurs in text of any language.
pub(crate) fn is_sign(c: char) -> bool {
    known(c) & SIGN != 0
}

/// Some of the languages: a bit for each of [`ALPHABETS`].
#[derive(Clone, Copy, Debug)]
struct Languages(u64);

/// What is known of each character of [`ALPHABETS`] and [`SIGNS`], by code point: the languages that have it, and
/// [`SIGN`]. No character beyond is in either.
static KNOWN: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut known = Vec::new();
    let mut add = |c: char, bit: u64| {
        let at = c as usize;
        known.resize(known.len().max(at + 1), 0);
        known[at] |= bit;
    };
    for (place, alphabet) in ALPHABETS.iter().enumerate() {
        letters_of(alphabet).flatten().for_each(|letter| add(letter, 1 << place));
    }
    SIGNS.chars().for_each(|sign| add(sign, SIGN));
    known
});

/// The bit of a sign, above those of the languages.
const SIGN: u64 = 1 << 63;

fn known(c: char) -> u64 {
    KNOWN.get(c as usize).copied().unwrap_or_default()
}

impl Languages {
    /// Returns the languages that have a letter.
    fn with(letter: char) -> Languages {
        Languages(known(letter) & !SIGN)
    }

    /// Iterates over the place of each in [`ALPHABETS`].
    fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let place = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(place)
        })
    }
}

/// Returns the letters of an alphabet, as ranges.
fn letters_of(alphabet: &str) -> impl Iterator<Item = RangeInclusive<char>> {
    let mut chars = alphabet.chars().filter(|c| *c != '|').peekable();
    std::iter::from_fn(move || {
        let first = chars.next()?;
        let last = chars.next_if_eq(&'-').and_then(|_| chars.next());
        Some(first..=last.unwrap_or(first))
    })
}

/// Returns what a character has non-ASCII in lower case: itself, its small letter, or the dot of `İ`. `None` if its
/// small letter is ASCII.
pub(crate) fn small(c: char) -> Option<char> {
    LETTERS.get(c as usize).map_or_else(|| Letter::new(c).small, |letter| letter.small)
}

/// Reports whether a character has the property Alphabetic.
pub(crate) fn is_alphabetic(c: char) -> bool {
    LETTERS.get(c as usize).map_or_else(|| c.is_alphabetic(), |letter| letter.is_alphabetic)
}

/// What is asked of characters again and again.
struct Letter {
    small: Option<char>,
    is_alphabetic: bool,
}

impl Letter {
    fn new(c: char) -> Letter {
        let small = c.to_lowercase().find(|small| !small.is_ascii());
        Letter { small, is_alphabetic: c.is_alphabetic() }
    }
}

/// Those up to the last alphabet. To look them up in the tables of the standard library took half the time of
/// detection.
static LETTERS: LazyLock<Vec<Letter>> = LazyLock::new(|| ('\0'..'\u{E80}').map(Letter::new).collect());

/// Returns how well some non-ASCII characters, each with its count, fit a single language: the share of them in the
/// language that fits best.
pub(crate) fn coverage(counts: &[(char, u64)]) -> f64 {
    let (mut all, mut covered) = (0, [0; ALPHABETS.len()]);
    for &(c, count) in counts.iter().filter(|(c, _)| !is_sign(*c)) {
        let Some(small) = small(c) else { continue };
        all += count;
        Languages::with(small).iter().for_each(|language| covered[language] += count);
    }
    let most = covered.into_iter().max().unwrap_or_default();
    if all == 0 { 1.0 } else { most as f64 / all as f64 }
}

/// Reports whether a character is in common use. Characters that sequences decode to by chance are excluded.
pub(crate) fn is_common(c: char) -> bool {
    let value = u32::from(c);
    LOW.get(value as usize).copied().unwrap_or_else(|| {
        let at = COMMON.partition_point(|range| *range.end() < value);
        COMMON.get(at).is_some_and(|range| range.contains(&value))
    })
}

/// Whether each character of two bytes in UTF-8 is in [`COMMON`].
static LOW: [bool; 0x800] = {
    let (mut low, mut range) = ([false; 0x800], 0);
    while range < COMMON.len() {
        let (mut at, end) = (*COMMON[range].start() as usize, *COMMON[range].end() as usize);
        while at <= end && at < low.len() {
            low[at] = true;
            at += 1;
        }
        range += 1;
    }
    low
};

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
    0x5B0..=0x5BE, // Hebrew
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

    #[test]
    fn one_character_of_a_small_letter_is_beyond_ascii() {
        for c in '\0'..=char::MAX {
            let smalls: Vec<char> = c.to_lowercase().filter(|small| !small.is_ascii()).collect();
            assert!(smalls.len() <= 1 && smalls.first().copied() == small(c), "{c:?}");
        }
    }

    fn of(text: &str) -> f64 {
        let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
        coverage(&beyond)
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
