//! The languages that a text may be in, by its letters and its short words, and the scripts of letters.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::alphabets::{ALPHABETS, Languages, coverage_where, is_sign};

/// Reports whether few texts are in a language, by its place in [`ALPHABETS`]: Faroese, Albanian, Occitan to
/// Vietnamese.
fn is_rare(language: usize) -> bool {
    matches!(language, 10 | 20 | 23..=35)
}

/// The number of scripts.
pub(super) const SCRIPTS: usize = 9;

/// The first character of East Asia.
pub(super) const WIDE: char = '\u{2E80}';

/// Returns the number of the script of a non-ASCII letter. Chinese characters and kana are one.
pub(super) fn script(c: char) -> Option<usize> {
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

/// Short words without a non-ASCII letter that are frequent in a language, by its place in [`ALPHABETS`].
const WORDS: [(usize, &str); 25] = [
    (
        0,
        "la le les l des un une du de en et ou est sur pour par pas dans qui que ce cette ne vous avec au \
         aux si il vers sous peut nom plus sont sans tous",
    ),
    (
        1,
        "der die und das ist von den dem mit auf ein eine einen einer nicht sie zu zum zur im des wird \
         werden kann als oder aus um wenn nach bei beim nur alle keine es sind diese",
    ),
    (
        2,
        "de het een van te en is op voor met niet dat die dit deze wordt worden zijn naar aan om bij als \
         of geen uit door kan zal dan alle",
    ),
    (
        3,
        "de la el los las un una en y o que se con no del por para como este esta todos desde sin ser al \
         lo su",
    ),
    (
        4,
        "de do da dos das um uma o a e em que com os no na ao por para ou se como este esta foi pode mais \
         ser sem seu",
    ),
    (
        5,
        "di il lo la le gli un una che e per del della dei delle dell non con da dal nel nella al alla se \
         come sono questo questa si essere su",
    ),
    (
        6,
        "og er en et at det den til som af av for med ikke kan vil om ikkje ein eit fra denne dette alle \
         ved har skal eller hvis du de ingen",
    ),
    (
        7,
        "och att en ett det den som inte av till med kan om eller har du vid alla detta denna kommer \
         efter upp finns ta bort",
    ),
    (8, "ja on ei se ole tai ovat kun jos joka jotka ne voi voit kuin vain kaikki sen mutta ennen"),
    (9, "og er ekki til sem fyrir um ekkert af eru ef inn eftir yfir hefur milli"),
    (11, "ja on ei see kui oma ole seda mis kas et ainult selle saab ka aga kuid pole sa juba kohta"),
    (12, "un ir ar no uz nav par lai vai ja ka kas tiek tas pie kad jau bet tikai bez"),
    (13, "ir yra kad su ne iki nuo ar tik kaip apie jei kai arba prie pagal bus tai turi po"),
    (14, "i w z na nie do jest lub dla o od po ze za przez tego ten czy jak aby tylko tym bez przy jako ma"),
    (
        15,
        "a na v se do pro nebo pokud je ve ze s z o k jako tento tato toto podle od po bude jsou bez mezi \
         nelze si byl",
    ),
    (
        16,
        "a na v sa do pre alebo je vo zo s z o k ako tento toto od po pri bude ste bez medzi nie ak len \
         ich aby",
    ),
    (17, "a az nem hogy egy van vagy ez ki meg ha csak lesz el nincs mint ezt azt kell minden fel"),
    (
        18,
        "de la cu pe este nu din sau un o se pentru care ce fi va ca mai fost al sunt poate acest nou \
         unui ale",
    ),
    (19, "je i u v na se za ili ni in ne da od iz s po pri ali ako kao biti ste ga sa su samo kot bo bi"),
    (20, "e dhe nga si me te i ju nuk po pa ka kur prej tuaj se"),
    (21, "ve bir bu ile olarak veya da de en daha yeni her son var yok gibi olan sonra ya tek"),
    (
        22,
        "de la el els les que per amb no un una dels del al als o en si com aquest aquesta es ha ser cap \
         sense tots",
    ),
    (
        25,
        "la de kaj estas ne por al en el per kun se vi kiel kiu tiu tio pri kiam pli nur dum havas povas \
         ke",
    ),
    (27, "an na agus le ar do seo ag is go don sa leis mar gan ann nach gach chun as den ina"),
    (28, "an na agus air a airson gu cha seo tha am nan nam ann le ri do eil bheil nach leis san aig thu"),
];

/// Returns the languages that most of the short words of a text are frequent in, if there are several.
pub(super) fn languages_by_words(text: &[u8]) -> Option<Languages> {
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

/// Two short words, one of them perhaps a single letter.
const ENOUGH: u32 = 3;

/// Rare, but in an encoding of its own.
const ESPERANTO: usize = 25;

/// Returns the languages, apart from rare ones, whose frequent letters `has` all has.
pub(super) fn languages_with(has: impl Fn(char) -> bool) -> Languages {
    let is_likely = |language: &usize| *language == ESPERANTO || !is_rare(*language);
    let is_served = |language: &usize| frequent(*language).all(&has);
    let served = (0..ALPHABETS.len()).filter(is_likely).filter(is_served);
    Languages(served.fold(0, |bits, language| bits | 1 << language))
}

/// Returns the share of letters, in lowercase, that are frequent in the one of some languages that fits best.
pub(super) fn usual(letters: &[char], languages: Languages) -> f64 {
    let of_any = letters.iter().fold(0, |bits, c| bits | Languages::with(*c).0);
    let count = |language| letters.iter().filter(|c| frequent(language).any(|one| one == **c)).count();
    let most = Languages(languages.0 & of_any).iter().map(count).max().unwrap_or_default();
    most as f64 / letters.len().max(1) as f64
}

/// Returns the frequent letters of a language.
fn frequent(language: usize) -> impl Iterator<Item = char> {
    ALPHABETS[language].split('|').next().unwrap_or_default().chars()
}

/// Returns the share of some non-ASCII characters, each with its count, that the language has which fits best among
/// those that many texts are in.
pub(super) fn coverage_in_common(counts: &[(char, u64)]) -> f64 {
    coverage_where(counts, |language| !is_rare(language)).0
}

/// From so many bytes on, it takes less time to count each character first.
const LONG: usize = 64 * 1024;

/// Returns the characters of a non-ASCII text, and how often each occurs: those of a short text one by one.
pub(super) fn counted(text: &str) -> Vec<(char, usize)> {
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
pub(super) fn languages(text: &str) -> Languages {
    languages_of(&counted(text))
}

/// Returns the languages of a text, given its non-ASCII characters.
pub(super) fn languages_of(characters: &[(char, usize)]) -> Languages {
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

/// Reports whether everything in a non-ASCII text is a letter of one of some languages, or a sign of any language.
pub(super) fn are_of(languages: Languages, text: &str) -> bool {
    let signs = text
        .chars()
        .filter(|c| !c.is_ascii() && !c.is_alphabetic())
        .all(|c| is_sign(c) || Languages::with(c).0 & languages.0 != 0);
    signs && text.chars().flat_map(letters).fold(languages.0, |left, c| left & Languages::with(c).0) != 0
}

/// Returns a non-ASCII letter in lowercase, which may be several.
fn letters(c: char) -> impl Iterator<Item = char> {
    let letter = Some(c).filter(|c| !c.is_ascii() && c.is_alphabetic() && !is_sign(*c));
    letter.into_iter().flat_map(char::to_lowercase).filter(|c| !c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_where_they_are_looked_for() {
        assert_eq!(ALPHABETS[ESPERANTO], "ĉĝĵŝŭ|ĥ");
        let rare: Vec<_> = (0..ALPHABETS.len()).filter(|at| is_rare(*at)).map(|at| ALPHABETS[at]).collect();
        // Faroese, Albanian, Occitan to Vietnamese.
        assert_eq!(rare[..3], ["áðíóúýæø", "ëç", "àáçèéíòóú"]);
        assert!(rare.len() == 15 && rare[14].starts_with("ăâđ"), "{rare:?}");
    }
}
