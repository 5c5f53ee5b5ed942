//! Which letters beyond ASCII languages are written with. Text that was read in the wrong encoding has letters that no
//! language has together.

/// Small letters of languages that legacy encodings of single bytes are for; a range of them as `а-я`.
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
    "ăâđêôơưáàảãạéèẻẽẹíìỉĩịóòỏõọúùủũụýỳỷỹỵấầẩẫậắằẳẵặếềểễệốồổỗộớờởỡợứừửữự\u{300}\u{301}\u{303}\u{309}\u{323}", // Vietnamese
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

/// What stands in text of any language.
const SIGNS: &str = "\u{A0}\u{AD}“”‘’‚„«»‹›–—…•·°§©®™€£¿¡ºª№†×±½¼¾²³´،؛؟\u{200E}\u{200F}";

/// How well some characters beyond ASCII, and how often each was counted, can be of one language: the share that is, of
/// the language that has most; and how many different letters of it there are.
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

/// Whether an alphabet has a letter.
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
        // Lithuanian in windows-1257, read as windows-1252.
        assert!(of("Àþuolas, ëjæs ðalá") < 0.8);
        assert!(of("caf├⌐") < 0.5);
    }
}
