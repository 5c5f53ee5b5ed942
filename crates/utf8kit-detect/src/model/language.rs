//! The languages that the model knows.

use super::table::{MAX_LANGUAGES, TABLE, fold};

/// A language that the model knows, or any other language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Language(u8);

/// Languages of few texts, and their cost in nats.
const LANGUAGES_OF_FEW_TEXTS: &str = "la eo lg mi sn so st tl tn ts xh yo zu ast br dsb gd hsb lb fy kab tk udm os \
    ky tg tt uz ug mt se fo kl yi rm bo ga cy";
const NATS_OF_RARE_LANGUAGE: f32 = -1.5;

/// The bonus for English, in which nearly half of the Web is written (Common Crawl).
const NATS_OF_ENGLISH: f32 = 1.5;

/// The cost of a text in none of them.
const NATS_OF_UNKNOWN_LANGUAGE: f32 = -4.0;

/// The lowest share, in text, of a letter that is listed among the letters of a language.
const MIN_SHARE_OF_LETTER: f32 = 5e-5;

/// A number for each language, in the order of [`Language::all`]. The rest is filled.
pub(crate) type Each = [f32; MAX_LANGUAGES];

impl Language {
    /// Returns a list of numbers, one for each language.
    pub(crate) fn each(number: impl Fn(Language) -> f32) -> Each {
        let mut all = [f32::MIN; MAX_LANGUAGES];
        all.iter_mut().zip(Language::all()).for_each(|(one, language)| *one = number(language));
        all
    }

    /// Any language that the model does not know.
    pub const OTHER: Language = Language(u8::MAX);

    /// Iterates over all of them, and then [`Language::OTHER`].
    pub fn all() -> impl Iterator<Item = Language> {
        let known = TABLE.first_east_asian + TABLE.east_asian.len();
        (0..known.min(MAX_LANGUAGES - 1)).map(|at| Language(at as u8)).chain([Language::OTHER])
    }

    /// Its index in scores. The index of [`Language::OTHER`] is out of range.
    pub(super) fn at(self) -> usize {
        usize::from(self.0)
    }

    /// Returns its code in ISO 639, `zh-hant` for Chinese in traditional characters, or `und`.
    pub fn code(self) -> &'static str {
        TABLE.language(self.at()).map_or("und", |(code, _)| code)
    }

    /// Returns the code of its script in ISO 15924, or `Zyyy`.
    pub fn script(self) -> &'static str {
        TABLE.language(self.at()).map_or("Zyyy", |(_, script)| script)
    }

    /// Returns the share of letters, in text in this language, for which `has` is false in both cases; 0 for a language
    /// of East Asia.
    pub fn lacking(self, has: impl Fn(char) -> bool) -> f32 {
        let has_both = |c: char| has(c) && capital(c).is_none_or(&has);
        TABLE.letters(self.at()).filter(|(c, _)| !has_both(*c)).map(|(_, share)| share).sum()
    }

    /// Returns the number of its non-ASCII letters, if some letters are all among them.
    pub(crate) fn non_ascii_letters_with(self, letters: &[char]) -> Option<usize> {
        let own = || {
            let own = TABLE.letters(self.at()).filter(|(c, share)| !c.is_ascii() && *share >= MIN_SHARE_OF_LETTER);
            own.map(|(c, _)| c)
        };
        let has = |letter: &char| own().any(|c| c == fold(*letter));
        letters.iter().all(has).then(|| own().count())
    }

    /// Returns the log-probability that a text is in it, up to a constant.
    pub fn prior(self) -> f32 {
        TABLE.priors.get(self.at()).copied().unwrap_or(NATS_OF_UNKNOWN_LANGUAGE)
    }
}

/// Returns a letter in upper case, if that is one character.
fn capital(c: char) -> Option<char> {
    let mut capitals = c.to_uppercase();
    capitals.next().filter(|_| capitals.next().is_none())
}

/// Returns the prior of a language by its code.
pub(super) fn prior(code: &str) -> f32 {
    match code {
        "en" => NATS_OF_ENGLISH,
        _ if LANGUAGES_OF_FEW_TEXTS.split(' ').any(|rare| rare == code) => NATS_OF_RARE_LANGUAGE,
        _ => 0.0,
    }
}
