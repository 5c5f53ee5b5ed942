//! How frequent the non-ASCII letters are in the languages of `alphabets`, and how far a text is from any of them. A
//! text that is read in a wrong encoding may well have letters of one language only, but rarely as many of each as that
//! language has: Norwegian in HP Roman-8 reads as Lithuanian in CP775 with two of its nine letters, Georgian as Russian
//! with `ю` for every fourth letter.

use std::sync::LazyLock;

use crate::alphabets::{ALPHABETS, Languages, is_sign, small};

/// Of a thousand non-ASCII letters in a language, in the order of its alphabets. Empty if that is not known.
/// Counted in the translations of programs.
const FREQUENCIES: [&str; ALPHABETS.len()] = [
    "é713 è96 à87 ê46 ô17 ç13 î10 â8 œ4 ù2 û2",               // French
    "ü465 ä320 ö158 ß56",                                     // German
    "ë424 é273 ï197 ö64 ó26 è9 ü7",                           // Dutch
    "ó344 á241 í170 ñ82 é79 ú78 ü5",                          // Spanish, Galician
    "ã242 ç216 á145 é118 í75 õ58 ó51 ê42 ú27 â14 à10 ô2",     // Portuguese
    "è428 à334 ò117 ù91 é17 ì12",                             // Italian
    "å468 ø366 æ152 é11 ò2",                                  // Danish, Norwegian
    "ä467 ö320 å212",                                         // Swedish
    "ä897 ö102",                                              // Finnish
    "ð327 á145 í112 æ95 ö70 ú70 ó64 þ57 ý38 é21",             // Icelandic
    "",                                                       // Faroese
    "ä431 õ262 ü207 ö85 ž15",                                 // Estonian
    "ā333 ē204 ī183 š117 ņ45 ļ37 ū35 ķ17 ž16 ģ9 č2",          // Latvian
    "š198 ė178 ą155 ų134 į122 ž106 ū45 č41 ę21",              // Lithuanian
    "ł164 ą162 ę158 ó154 ż130 ś112 ć78 ń28 ź15",              // Polish
    "í257 á166 ř89 é85 ž76 ý74 ě72 č67 š48 ů43 ú11 ň5 ó4 ť2", // Czech
    "á182 í128 ý107 ž105 é104 ú86 č72 ť69 š57 ľ41 ô13 ó11 ň9 ď7 ä6 ĺ2", // Slovak
    "á319 é284 í91 ö90 ó79 ő63 ü33 ú25 ű17",                  // Hungarian
    "ă490 ț203 ţ203 ș153 ş153 î116 â37",                      // Romanian
    "č420 š228 ž179 ć116 đ57",                                // Croatian, Slovene, Bosnian
    "ë985 ç15",                                               // Albanian
    "ı391 ü174 ç130 ş130 ö86 ğ78 \u{307}10",                  // Turkish
    "ó278 à198 í138 é126 ç72 è71 ò53 ú35 ï16 ü13",            // Catalan
    "è473 ò197 à95 ç87 é58 í57 ú14 ó11 á7",                   // Occitan
    "",                                                       // Maltese
    "ĝ339 ŭ252 ĉ202 ŝ153 ĵ51 ĥ2",                             // Esperanto
    "",                                                       // Welsh
    "á316 í267 é180 ú131 ó107",                               // Irish
    "à351 ò203 ì194 è134 ù118",                               // Scottish Gaelic
    "â440 ô169 î97 û56 ç56 è55 à52 ê33 ì31 ù7 ò3",            // Friulian
    "",                                                       // Kurdish
    "",                                                       // Crimean Tatar
    "",                                                       // Turkmen
    "",                                                       // Azerbaijani
    "á577 č139 š115 đ100 ž39 ŋ25 ŧ3",                         // Northern Sami
    "",                                                       // Vietnamese
    // Russian
    "о99 е83 а82 и80 т68 н65 р56 с49 в43 л41 к36 м31 п31 д30 у22 ы22 я21 з18 ь18 б16 й14 г12 ч11 \
     ж9 х9 ф7 ю6 ц5 ш4 щ4 э4 ё2",
    // Ukrainian
    "о87 а84 н77 и62 т61 і57 р54 в51 е50 к44 с35 у35 л35 д33 м30 п29 я25 з24 б18 ь14 й13 г12 ч10 \
     х8 ц8 ж8 ю7 ф7 ш7 є6 ї4 щ3",
    // Belarusian
    "а163 н73 р54 ы53 к44 і40 л39 в38 е38 т37 ь36 п35 с35 д35 ц30 я29 у29 з27 о26 м25 э18 ў16 б14 \
     ч14 г12 й8 ш8 х8 ф6 ж5 ю4",
    // Bulgarian
    "а131 е97 и88 н83 о83 т75 р54 в45 с44 к34 д32 з31 л31 п31 м22 я16 ъ16 б15 ч12 у11 г10 ж8 ц8 \
     й7 щ5 ф5 х4 ш3",
    // Serbian
    "а127 е95 и95 о84 р58 н56 т49 с42 у41 к40 в37 п36 д33 л30 м29 ј27 з24 б16 г14 ч11 њ11 ц9 ш8 \
     ж6 ћ5 љ5 х4 ф4 ђ3",
    // Macedonian
    "а146 о95 и93 е89 т76 н68 р54 с42 к40 в38 л35 п33 д32 м25 з22 ј18 у18 г15 б15 ч11 њ8 ц8 ж5 ш5 \
     ф5 ќ2",
    // Greek
    "α91 ο80 ε71 τ69 ι62 ν56 σ51 ρ49 μ45 π41 η40 ς33 κ33 υ28 λ28 γ25 ί25 ά20 ή20 ό19 έ18 δ17 ω15 \
     χ14 θ11 φ10 ύ10 ώ7 β5 ξ4 ζ2 ψ2",
    // Hebrew
    "ו113 י107 ה81 ת80 ל59 ר56 מ54 ב48 ש46 א40 נ35 ח31 ע28 ד26 ק26 פ25 ם24 כ19 ס19 ג17 צ16 ן14 \
     ט13 ז11 ך6 ־3 ץ2 ף2",
    // Arabic, Persian
    "ا145 ل70 ر64 ن55 ی54 د53 م52 ت51 و43 ه39 ب33 ي31 س26 ف22 ع20 ش20 ة19 ح18 ق17 خ15 ک15 \
     \u{200C}14 ز13 ج12 ط10 ص10 أ9 ك8 گ8 پ7 إ6 ذ6 ض5 غ4 \u{651}4 ى4 ظ3 ئ3 ث3 آ2 ء2",
    // Thai
    "า61 \u{E48}55 น51 อ47 ร47 เ40 ก40 ง38 \u{E49}38 \u{E31}37 ม33 ล32 ด30 ส30 ว29 \u{E35}27 ย25 \
     บ23 ต23 แ20 ท19 ป19 ค18 ห18 \u{E34}17 \u{E37}16 ข15 ะ14 พ12 \u{E38}11 ช11 ไ11 ใ11 จ10 ำ8 \
     \u{E39}8 \u{E4C}8 ถ6 โ6 \u{E47}5 ณ4 ภ4 ฟ4 ผ4 ศ3 ซ3 \u{E36}3",
];

/// The letters of each language, sorted, and their shares.
static SHARES: LazyLock<Vec<Vec<(char, f64)>>> = LazyLock::new(|| {
    let share = |entry: &str| {
        let mut chars = entry.chars();
        let letter = chars.next()?;
        Some((letter, chars.as_str().parse::<f64>().ok()? / 1000.0))
    };
    let sorted = |language: &&str| {
        let mut shares: Vec<_> = language.split(' ').filter_map(share).collect();
        shares.sort_unstable_by_key(|(letter, _)| *letter);
        shares
    };
    FREQUENCIES.iter().map(sorted).collect()
});

/// The share of a letter that a language has rarely, or not at all.
const RARE: f64 = 0.002;

/// So many different letters of one language, each about once, are unlikely to be there by chance.
const KINDS: usize = 4;

/// How some letters fit the language that they fit best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Divergence {
    /// How far they are from it: about 0 for text in it, apart from chance. Infinite if no frequencies are known of the
    /// languages that have these letters.
    ///
    /// It is Pearson's chi-squared for each letter: the mean of how much more frequent each letter is than it should
    /// be.
    pub(super) far: f64,
    /// The share of letters that it has.
    pub(super) covered: f64,
    /// Whether it has all of them, and they are at least half of its letters, each about once, as in a pangram: then
    /// it does not matter how frequent each is.
    pub(super) is_pangram: bool,
}

/// Returns how some non-ASCII characters, each with its count, fit a language. `None` if there are no letters.
/// `places` is the number of different places that they have between others.
pub(super) fn divergence(characters: &[(char, u64)], places: u64) -> Option<Divergence> {
    let mut letters: Vec<(char, u64)> = Vec::with_capacity(characters.len());
    for &(c, count) in characters.iter().filter(|(c, _)| !is_sign(*c) && !c.is_ascii()) {
        letters.extend(small(c).map(|small| (small, count)));
    }
    letters.sort_unstable_by_key(|(letter, _)| *letter);
    letters.dedup_by(|one, kept| {
        let is_same = one.0 == kept.0;
        kept.1 += if is_same { one.1 } else { 0 };
        is_same
    });
    let mut covered = [0_u64; FREQUENCIES.len()];
    for &(letter, count) in &letters {
        Languages::with(letter).iter().for_each(|language| covered[language] += count);
    }
    let all: u64 = letters.iter().map(|(_, count)| count).sum();
    let most = covered.into_iter().max().filter(|_| all > 0)?;
    let of = |language: usize| {
        let shares = &SHARES[language];
        let excess = letters.iter().map(|&(letter, count)| {
            let found = shares.binary_search_by_key(&letter, |(known, _)| *known);
            let expected = found.map_or(RARE, |at| shares[at].1);
            (count as f64 / all as f64).powi(2) / expected
        });
        // A short text has some letters too often by chance, and so has one that repeats a few words.
        let chance = shares.len().saturating_sub(1) as f64 / all.min(places).max(1) as f64;
        if shares.is_empty() { f64::INFINITY } else { excess.sum::<f64>() - 1.0 - chance }
    };
    let likely = (0..covered.len()).filter(|language| covered[*language] * 100 + all >= most * 100);
    let are_evenly_used = letters.len() >= KINDS && all.min(places) <= 2 * letters.len() as u64;
    let is_pangram =
        |language: usize| covered[language] == all && letters.len() * 2 >= SHARES[language].len();
    Some(Divergence {
        far: likely.clone().map(of).fold(f64::INFINITY, f64::min),
        covered: most as f64 / all as f64,
        is_pangram: are_evenly_used && likely.clone().any(is_pangram),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Divergence {
        divergence(&text.chars().map(|c| (c, 1)).collect::<Vec<_>>(), u64::MAX).expect("letters")
    }

    #[test]
    fn text_is_near_its_language_only() {
        for text in [
            "Съешь же ещё этих мягких французских булок, да выпей чаю",
            "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft begabt, für",
            "Οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα",
            "Tous les êtres humains naissent libres et égaux en dignité. Ils sont doués de raison, créés",
        ] {
            assert!(of(text).far < 1.0 && of(text).covered == 1.0, "{text}: {:?}", of(text));
        }
        // Georgian in KOI8-U, and Norwegian in CP775.
        assert!(of("лдциюхдйю АдкжАкдадки цюрэдаю юрлх эюьйю").far > 4.0);
        let other = of("pį pause nįr minimert pį nįr fųlg pį");
        assert!(other.far > 2.0 && !other.is_pangram);
        let pangram = of("Příliš žluťoučký kůň úpěl ďábelské ódy");
        assert!(pangram.far > 2.0 && pangram.is_pangram);
        assert_eq!(divergence(&[('a', 3), ('§', 2)], 5), None);
    }

    #[test]
    fn shares_are_of_letters_of_their_language_and_add_up() {
        for (language, shares) in SHARES.iter().enumerate().filter(|(_, shares)| !shares.is_empty()) {
            assert!(
                shares.iter().all(|(c, _)| Languages::with(*c).iter().any(|one| one == language)),
                "{shares:?}"
            );
            // Romanian has two letters in two forms each.
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            assert!((0.97..1.37).contains(&sum), "{sum} {shares:?}");
        }
    }
}
