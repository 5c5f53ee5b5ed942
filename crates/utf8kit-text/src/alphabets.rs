//! The non-ASCII letters of languages, and the characters in common use. Text decoded from the wrong encoding contains
//! letters that no single language has.

use std::collections::HashMap;
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

/// Reports whether few texts are in a language, by its place in [`ALPHABETS`]: Faroese, Albanian, Occitan to
/// Vietnamese.
#[cfg(feature = "detect")]
fn is_rare(language: usize) -> bool {
    matches!(language, 10 | 20 | 23..=35)
}

/// Characters that occur in text of any language.
const SIGNS: &str = "\u{A0}\u{AD}“”‘’‚„«»‹›–—…•·°§©®™€£¿¡ºª№†×±µ½¼¾²³´،؛؟\u{200E}\u{200F}";

/// Reports whether a character occurs in text of any language.
pub(crate) fn is_sign(c: char) -> bool {
    known(c) & SIGN != 0
}

/// The number of scripts.
#[cfg(feature = "detect")]
pub(crate) const SCRIPTS: usize = 9;

/// The first character of East Asia.
#[cfg(feature = "detect")]
pub(crate) const WIDE: char = '\u{2E80}';

/// Returns the number of the script of a letter beyond ASCII. Chinese characters and kana are one.
#[cfg(feature = "detect")]
pub(crate) fn script(c: char) -> Option<usize> {
    Some(match c {
        _ if c.is_ascii() || !c.is_alphabetic() => return None,
        '\u{80}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => 0,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => 1,
        '\u{400}'..='\u{52F}' => 2,
        '\u{590}'..='\u{5FF}' => 3,
        '\u{600}'..='\u{6FF}' => 4,
        '\u{E00}'..='\u{E7F}' => 5,
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}' => 6,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => 7,
        _ => 8,
    })
}

/// Some of the languages: a bit for each of [`ALPHABETS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Languages(u64);

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

/// Short words without a letter beyond ASCII that are frequent in a language, by its place in [`ALPHABETS`].
#[cfg(feature = "detect")]
const WORDS: [(usize, &str); 24] = [
    (0, "la le les des du et est pour dans une sur que qui pas avec"),
    (1, "der die und das ist von den mit auf ein eine nicht zu im"),
    (2, "de het een van en is op te voor niet dat wordt"),
    (3, "de la el en y que los las del por con una no se"),
    (4, "de o a que do da em para com uma os no na"),
    (5, "di il la che e per un una del non con della"),
    (6, "og er en at det til som af for ikke med den av"),
    (7, "och att en det som inte av till med den kan"),
    (8, "ja on ei se ole tai ovat kun"),
    (9, "og er ekki til sem fyrir um ekkert er"),
    (11, "ja on ei see kui oma ole"),
    (12, "un ir ar no uz nav par"),
    (13, "ir yra kad su ne iki nuo"),
    (14, "i w z na nie do jest lub dla"),
    (15, "a na v se do pro nebo pokud"),
    (16, "a na v sa do pre alebo je"),
    (17, "a az nem hogy egy van vagy"),
    (18, "de la cu pe este nu din sau un"),
    (19, "je i u na se za ili ni in ne"),
    (20, "e dhe nga si me"),
    (21, "ve bir bu ile olarak veya"),
    (22, "de la el els que per amb no un una"),
    (25, "la de kaj estas ne por al en"),
    (27, "an na agus le ar do seo"),
];

/// Returns the languages that most of the short words of a text are frequent in, if there are several.
#[cfg(feature = "detect")]
pub(crate) fn languages_by_words(text: &[u8]) -> Option<Languages> {
    static BY_WORD: LazyLock<HashMap<&[u8], Vec<usize>>> = LazyLock::new(|| {
        let mut known = HashMap::<&[u8], Vec<usize>>::new();
        for (language, words) in WORDS {
            words.split(' ').for_each(|word| known.entry(word.as_bytes()).or_default().push(language));
        }
        known
    });
    let mut counts = [0_u32; ALPHABETS.len()];
    let words = text.split(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic());
    for word in words.filter(|word| (1..8).contains(&word.len())) {
        let languages = BY_WORD.get(&*word.to_ascii_lowercase()).into_iter().flatten();
        languages.for_each(|language| counts[*language] += if word.len() == 1 { 1 } else { 2 });
    }
    let most = counts.into_iter().max().unwrap_or_default();
    let likely = counts.into_iter().enumerate().filter(|(_, count)| *count == most);
    (most >= ENOUGH).then(|| Languages(likely.fold(0, |bits, (language, _)| bits | 1 << language)))
}

/// Two short words.
#[cfg(feature = "detect")]
const ENOUGH: u32 = 4;

/// Rare, but in an encoding of its own.
#[cfg(feature = "detect")]
const ESPERANTO: usize = 25;

/// Returns the languages, apart from rare ones, whose frequent letters `has` all has.
#[cfg(feature = "detect")]
pub(crate) fn languages_with(has: impl Fn(char) -> bool) -> Languages {
    let is_likely = |language: &usize| *language == ESPERANTO || !is_rare(*language);
    let is_served = |language: &usize| frequent(*language).all(&has);
    let served = (0..ALPHABETS.len()).filter(is_likely).filter(is_served);
    Languages(served.fold(0, |bits, language| bits | 1 << language))
}

/// Returns the share of letters, in lowercase, that are frequent in the one of some languages that fits best.
#[cfg(feature = "detect")]
pub(crate) fn usual(letters: &[char], languages: Languages) -> f64 {
    let of_any = letters.iter().fold(0, |bits, c| bits | Languages::with(*c).0);
    let count = |language| letters.iter().filter(|c| frequent(language).any(|one| one == **c)).count();
    let most = Languages(languages.0 & of_any).iter().map(count).max().unwrap_or_default();
    most as f64 / letters.len().max(1) as f64
}

/// Returns the frequent letters of a language.
#[cfg(feature = "detect")]
fn frequent(language: usize) -> impl Iterator<Item = char> {
    ALPHABETS[language].split('|').next().unwrap_or_default().chars()
}

/// Returns how well some non-ASCII characters, each with its count, fit a single language: the share of them in the
/// language that fits best, and the number of different letters that it has of them.
pub(crate) fn coverage(counts: &[(char, u64)]) -> (f64, usize) {
    coverage_where(counts, |_| true)
}

/// Returns the share of some non-ASCII characters, each with its count, that the language has which fits best among
/// those that many texts are in.
#[cfg(feature = "detect")]
pub(crate) fn coverage_in_common(counts: &[(char, u64)]) -> f64 {
    coverage_where(counts, |language| !is_rare(language)).0
}

fn coverage_where(counts: &[(char, u64)], is_meant: impl Fn(usize) -> bool) -> (f64, usize) {
    let (mut all, mut covered) = (0, [(0, 0); ALPHABETS.len()]);
    for &(c, count) in counts.iter().filter(|(c, _)| !is_sign(*c)) {
        for small in c.to_lowercase().filter(|small| !small.is_ascii()) {
            all += count;
            for language in Languages::with(small).iter().filter(|language| is_meant(*language)) {
                covered[language].0 += count;
                covered[language].1 += 1;
            }
        }
    }
    let (most, different) = covered.into_iter().max().unwrap_or_default();
    if all == 0 { (1.0, 0) } else { (most as f64 / all as f64, different) }
}

/// From so many bytes on, it takes less time to count each character first.
#[cfg(feature = "detect")]
const LONG: usize = 64 * 1024;

/// Returns the characters of a text beyond ASCII, and how often each occurs: those of a short text one by one.
#[cfg(feature = "detect")]
pub(crate) fn counted(text: &str) -> Vec<(char, usize)> {
    if text.len() < LONG {
        return text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
    }
    let (mut times, mut others) = (vec![0; 0x1_0000], Vec::new());
    for c in text.chars() {
        match times.get_mut(c as usize) {
            Some(times) => *times += 1,
            None => others.push((c, 1)),
        }
    }
    let found = (0_u32..).zip(times).skip(0x80).filter(|(_, times)| *times > 0);
    found.filter_map(|(c, times)| Some((char::from_u32(c)?, times))).chain(others).collect()
}

/// Returns the languages that a text may be in: those with the most of its non-ASCII letters, and others with nearly as
/// many.
#[cfg(feature = "detect")]
pub(crate) fn languages(text: &str) -> Languages {
    languages_of(&counted(text))
}

/// Returns the languages of a text, given its characters beyond ASCII.
#[cfg(feature = "detect")]
pub(crate) fn languages_of(characters: &[(char, usize)]) -> Languages {
    let (mut all, mut shares) = (0, [0; ALPHABETS.len()]);
    for &(c, times) in characters {
        for letter in letters(c) {
            all += times;
            Languages::with(letter).iter().for_each(|language| shares[language] += 50 * times);
        }
    }
    let most: usize = shares.into_iter().max().unwrap_or_default();
    let near = most - most.min(all);
    let likely = shares.into_iter().enumerate().filter(|(_, share)| *share >= near);
    Languages(likely.fold(0, |bits, (language, _)| bits | 1 << language))
}

/// Reports whether everything in a text beyond ASCII is a letter of one of some languages, or a sign of any language.
#[cfg(feature = "detect")]
pub(crate) fn are_of(languages: Languages, text: &str) -> bool {
    let signs = text
        .chars()
        .filter(|c| !c.is_ascii() && !c.is_alphabetic())
        .all(|c| is_sign(c) || Languages::with(c).0 & languages.0 != 0);
    signs && text.chars().flat_map(letters).fold(languages.0, |left, c| left & Languages::with(c).0) != 0
}

/// Returns a letter beyond ASCII in lowercase, which may be several.
#[cfg(feature = "detect")]
fn letters(c: char) -> impl Iterator<Item = char> {
    let letter = Some(c).filter(|c| !c.is_ascii() && c.is_alphabetic() && !is_sign(*c));
    letter.into_iter().flat_map(char::to_lowercase).filter(|c| !c.is_ascii())
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

    fn of(text: &str) -> f64 {
        let beyond: Vec<_> = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
        coverage(&beyond).0
    }

    #[test]
    fn languages_are_where_they_are_looked_for() {
        assert_eq!(ALPHABETS[ESPERANTO], "ĉĝĵŝŭ|ĥ");
        let rare: Vec<_> = (0..ALPHABETS.len()).filter(|at| is_rare(*at)).map(|at| ALPHABETS[at]).collect();
        // Faroese, Albanian, Occitan to Vietnamese.
        assert_eq!(rare[..3], ["áðíóúýæø", "ëç", "àáçèéíòóú"]);
        assert!(rare.len() == 15 && rare[14].starts_with("ăâđ"), "{rare:?}");
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
