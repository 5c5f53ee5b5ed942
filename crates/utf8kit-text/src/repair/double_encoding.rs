//! Text that was encoded twice: `cafÃ©` is `café` in UTF-8 that was decoded as windows-1252 and encoded as UTF-8
//! again.
//!
//! ```text
//! line -> find the encodings in which two adjacent characters look like bytes of one      (mostly none: done)
//!      -> for each: find and weigh the sequences of two to four characters whose bytes in it are UTF-8
//!      -> if every non-ASCII character is part of one, and they weigh enough: decode all of them
//!         else:                                                               decode the runs that weigh enough
//!         if some are left over, or another encoding explains all: the line is doubtful and stays unchanged
//!      -> if two encodings give different results: take the less odd one; if neither is, the line is doubtful
//!      -> repeat with the result, as there may be several layers
//! ```
//!
//! Each step exactly reverses a step of some program: the result, decoded from the wrong encoding again, is the
//! original text. That alone would also change `LA CARTE DU CAFÉ…` into Latin letters that nobody writes. Therefore a
//! result must be a character in common use, and the characters it replaces must be a combination that nobody writes
//! on purpose. In doubt nothing is changed.

use std::sync::LazyLock;

use crate::alphabets::{coverage, is_common};
use crate::oddness::oddness;
use crate::repair::detour::{DETOURS, Detour, Sequence};
use crate::repair::weight::{ENOUGH, PLENTY, is_control};

/// The most layers that are removed.
const LAYERS: usize = 8;

/// Decodes a line that was encoded twice. Returns `None` if it was not, or if that is not certain.
///
/// ```
/// use utf8kit_text::repair::undouble;
///
/// assert_eq!(undouble("caf\u{C3}\u{A9}").as_deref(), Some("caf\u{E9}"));
/// assert_eq!(undouble("caf\u{E9}"), None);
/// ```
pub fn undouble(line: &str) -> Option<String> {
    match examine(line) {
        Doubled::Certain(reading) => Some(reading.text),
        Doubled::No | Doubled::Doubtful(_) => None,
    }
}

/// Examines whether a line was encoded twice and through which encodings, judging by this line alone.
///
/// ```
/// use utf8kit_text::repair::{Doubled, examine};
///
/// let Doubled::Certain(reading) = examine("caf\u{C3}\u{A9}") else { panic!() };
/// assert_eq!((reading.text.as_str(), reading.detours.names().next()), ("caf\u{E9}", Some("windows-1252")));
/// // `på slått` by way of windows-1250, or `pá slátt` by way of ISO 8859-2.
/// let Doubled::Doubtful(readings) = examine("pĂĄ slĂĄtt") else { panic!() };
/// assert_eq!(readings.len(), 2);
/// ```
pub fn examine(line: &str) -> Doubled {
    UNDOUBLER.examine(line)
}

/// Reports whether two adjacent characters of a text can be bytes of one: whether there is anything to examine.
#[cfg(feature = "unicode")]
pub(crate) fn may_be_doubled(text: &str) -> bool {
    UNDOUBLER.candidates(text) != 0
}

/// A set of encodings that UTF-8 may have been mistaken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detours(u16);

impl Detours {
    /// All known encodings.
    pub(super) const ALL: Detours = Detours(u16::MAX);

    /// Returns the names of the encodings, most frequent first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        DETOURS
            .into_iter()
            .enumerate()
            .filter(move |(index, _)| self.0 >> index & 1 == 1)
            .map(|(_, name)| name)
    }

    /// Returns the encodings that are in both sets.
    pub(super) fn and(self, other: Detours) -> Detours {
        Detours(self.0 & other.0)
    }

    /// Reports whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A decoded line that was encoded twice, with the encodings that it may have gone through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// The decoded line.
    pub text: String,
    /// The encodings that it may have gone through.
    pub detours: Detours,
    /// Whether every non-ASCII character is part of a decoded sequence.
    pub(super) complete: bool,
}

/// The answer to whether a line was encoded twice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubled {
    /// It was not.
    No,
    /// It was, and decodes to this.
    Certain(Reading),
    /// It may have been. These are the candidates, the likeliest first.
    Doubtful(Vec<Reading>),
}

/// Decodes lines that were encoded twice.
#[derive(Debug)]
pub(super) struct Undoubler {
    detours: Vec<Detour>,
    /// By code point: the encodings in which it could be the first byte of a sequence, and those in which it could be
    /// a continuation byte, one bit per encoding.
    roles: Vec<(u16, u16)>,
}

/// The size of the table. Few characters beyond it are a byte in any of the encodings.
const ROLES: usize = 0x2600;

/// Reports whether sequences together weigh enough not to be chance.
fn are_enough(sequences: &[Sequence]) -> bool {
    let rare = sequences.iter().filter(|sequence| sequence.rare).count();
    let common = sequences.iter().filter(|sequence| !sequence.rare);
    common.map(|sequence| sequence.weight).sum::<u32>() >= ENOUGH && (rare == 0 || rare * 4 < sequences.len())
}

/// The shared instance, created once.
pub(super) static UNDOUBLER: LazyLock<Undoubler> = LazyLock::new(Undoubler::new);

impl Undoubler {
    fn new() -> Undoubler {
        let detours: Vec<_> = DETOURS.iter().map(|name| Detour::named(name)).collect();
        let mut roles = vec![(0, 0); ROLES];
        for (index, detour) in detours.iter().enumerate() {
            for &(c, byte) in &detour.bytes {
                if let Some((first, other)) = roles.get_mut(c as usize) {
                    *first |= u16::from(byte >= 0xC2) << index;
                    *other |= u16::from(byte < 0xC0) << index;
                }
            }
        }
        Undoubler { detours, roles }
    }

    /// Returns the encodings in which two adjacent characters could be the first two bytes of one, one bit per
    /// encoding.
    pub(super) fn candidates(&self, text: &str) -> u16 {
        let (mut found, mut led) = (0, 0);
        for c in text.chars() {
            let (first, other) = match self.roles.get(c as usize) {
                Some(&roles) => roles,
                // Ligatures and the like could be anything.
                None if matches!(c, '\u{F8FF}'..='\u{FB02}') => (u16::MAX, u16::MAX),
                None => (0, 0),
            };
            found |= led & other;
            led = first;
        }
        found
    }

    /// Examines whether a line was encoded twice.
    pub(super) fn examine(&self, line: &str) -> Doubled {
        // A result with control characters beyond ASCII can only be a layer that is yet to be decoded.
        let controls = |text: &str| text.chars().filter(|&c| is_control(c)).count();
        let most = controls(line);
        let (mut layers, mut detours) = (Vec::<String>::new(), Detours::ALL);
        while layers.len() < LAYERS {
            match self.layer(layers.last().map_or(line, String::as_str)) {
                Doubled::No => break,
                Doubled::Certain(reading) => {
                    if layers.is_empty() {
                        detours = reading.detours;
                    }
                    layers.push(reading.text);
                }
                Doubled::Doubtful(mut readings) => {
                    // The evidence of other lines concerns a single layer.
                    readings.iter_mut().for_each(|reading| reading.complete &= layers.is_empty());
                    return Doubled::Doubtful(readings);
                }
            }
        }
        match layers.into_iter().rev().find(|text| controls(text) <= most) {
            Some(text) => Doubled::Certain(Reading { text, detours, complete: true }),
            None => Doubled::No,
        }
    }

    /// Removes one layer from the line, if there is one.
    fn layer(&self, line: &str) -> Doubled {
        let candidates = self.candidates(line);
        if candidates == 0 {
            return Doubled::No;
        }
        let detours = self.detours.iter().enumerate().filter(|(index, _)| candidates >> index & 1 == 1);
        let found: Vec<_> = detours
            .map(|(index, detour)| {
                let (sequences, strays) = detour.sequences(line);
                (Detours(1 << index), sequences, strays)
            })
            .collect();
        let explained: Vec<_> = found.iter().filter(|(.., strays)| *strays == 0).collect();
        if explained.iter().any(|(_, sequences, _)| are_enough(sequences) || weight_of(sequences) >= PLENTY) {
            // A short line that decodes to nothing but rare characters is chance.
            let rivals = explained.into_iter().filter(|(_, sequences, _)| {
                sequences.iter().any(|sequence| !sequence.rare) || weight_of(sequences) >= PLENTY
            });
            return chosen(distinct(line, rivals));
        }
        // Otherwise a run of sequences is needed, and the line is decoded only if no sequence is left over: half a
        // repair is harder to read, and to undo, than none.
        let touch = |one: &Sequence, next: &Sequence| one.range.end == next.range.start;
        let has_run = |sequences: &[Sequence]| sequences.chunk_by(touch).any(are_enough);
        let is_all = |sequences: &[Sequence]| {
            weight_of(sequences) >= PLENTY
                || sequences
                    .chunk_by(touch)
                    .all(|run| are_enough(run) || run.iter().all(|sequence| sequence.weight > 0))
        };
        let parts: Vec<_> = found.iter().filter(|(_, sequences, _)| has_run(sequences)).collect();
        if parts.is_empty() {
            return Doubled::No;
        }
        // An encoding that explains every character may be the right one, however little its sequences weigh.
        let mut readings = distinct(line, explained.into_iter());
        let all = parts.iter().copied().filter(|(_, sequences, _)| is_all(sequences));
        if readings.is_empty() && parts.iter().all(|(_, sequences, _)| is_all(sequences)) {
            return chosen(distinct(line, all));
        }
        readings.extend(distinct(line, parts.iter().copied()));
        Doubled::Doubtful(readings)
    }
}

fn weight_of(sequences: &[Sequence]) -> u32 {
    sequences.iter().map(|sequence| sequence.weight).sum()
}

/// Returns the distinct results of decoding the sequences of a line.
fn distinct<'f>(
    line: &str,
    found: impl Iterator<Item = &'f (Detours, Vec<Sequence>, usize)>,
) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for (detour, sequences, strays) in found {
        let text = decoded(line, sequences.iter());
        match readings.iter_mut().find(|other| other.text == text) {
            Some(same) => same.detours.0 |= detour.0,
            None => readings.push(Reading { text, detours: *detour, complete: *strays == 0 }),
        }
    }
    readings
}

/// Returns the reading that is much less odd than all others, if there is one.
fn chosen(readings: Vec<Reading>) -> Doubled {
    let mut rated: Vec<_> = readings.into_iter().map(|reading| (badness(&reading.text), reading)).collect();
    rated.sort_by(|one, other| one.0.total_cmp(&other.0));
    let is_close = matches!(&*rated, [(best, _), (second, _), ..] if best * 2.0 + 0.05 > *second);
    let mut readings = rated.into_iter().map(|(_, reading)| reading);
    if is_close {
        return Doubled::Doubtful(readings.collect());
    }
    readings.next().map_or(Doubled::No, Doubled::Certain)
}

/// Returns a score for how unlikely it is that somebody wrote this text.
fn badness(text: &str) -> f64 {
    let beyond = text.chars().filter(|c| !c.is_ascii()).count().max(1);
    let is_accent = |c: char| matches!(c, '\u{300}'..='\u{36F}');
    let mut before = ' ';
    let mut strange = 0;
    for c in text.chars() {
        // Accents as code points of their own are usual in decomposed text, after a letter.
        let is_usual = if is_accent(c) { before.is_alphabetic() } else { c.is_ascii() || is_common(c) };
        strange += u32::from(!is_usual);
        if !is_accent(c) {
            before = c;
        }
    }
    oddness(text) + uncovered(text) + f64::from(strange) / beyond as f64
}

/// Returns the share of a text's letters outside the language that covers it best, or 0 if there is only one such
/// letter: a name may be foreign.
fn uncovered(text: &str) -> f64 {
    let is_known =
        |c: &char| matches!(c, '\u{80}'..='\u{6FF}' | '\u{1E00}'..='\u{1EFF}') && c.is_alphabetic();
    let mut counts: Vec<(char, u64)> = Vec::new();
    for c in text.chars().filter(is_known).flat_map(char::to_lowercase) {
        match counts.iter_mut().find(|(other, _)| *other == c) {
            Some((_, count)) => *count += 1,
            None => counts.push((c, 1)),
        }
    }
    let (share, different) = coverage(&counts);
    if counts.len() > different + 1 { 1.0 - share } else { 0.0 }
}

/// Returns a line with its sequences decoded.
fn decoded<'s>(line: &str, sequences: impl Iterator<Item = &'s Sequence>) -> String {
    let mut text = String::with_capacity(line.len());
    let mut at = 0;
    for sequence in sequences {
        text.push_str(line.get(at..sequence.range.start).unwrap_or_default());
        text.push(sequence.becomes);
        at = sequence.range.end;
    }
    text.push_str(line.get(at..).unwrap_or_default());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts in many scripts, with the characters that surround words in each.
    const SAMPLES: [&str; 33] = [
        "Le cœur déçu mais l’âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles, à Noël… \
         «\u{A0}Là\u{A0}»",
        "LA CARTE DU CAFÉ… L’ÉTÉ À LA MARÉE… FORÊT… GÂTEAU",
        "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg – „Öl“, MÄNNER, ÜBER, GRÖßE",
        "El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba a su querido cachorro. ¿SÍ? \
         ¡NO! !YO SÉ¡ 1º 2ª",
        "À noite, vovô Kowalsky vê o ímã cair no pé do pinguim; CONCLUSÃO: «NÃO», IRMÃ”, À s pressas, 1ª",
        "Příliš žluťoučký kůň úpěl ďábelské ódy. PŘÍLIŠ ŽLUŤOUČKÝ KŮŇ ÚPĚL ĎÁBELSKÉ ÓDY „ČŠŘ“",
        "Pchnąć w tę łódź jeża lub ośm skrzyń fig. ZAŻÓŁĆ GĘŚLĄ JAŹŃ „ŚĆ”",
        "Árvíztűrő tükörfúrógép, ÁRVÍZTŰRŐ TÜKÖRFÚRÓGÉP, »idézet« „Ő”",
        "Muzicologă în bej vând whisky și tequila, preț fix. NICIODATĂ\u{A0}! NICIODATĂ™ „ȘȚ”",
        "Pijamalı hasta yağız şoföre çabucak güvendi. Venüs’ün İSTANBUL’A IŞIĞI ÇIĞ",
        "Flygande bäckasiner söka hwila på mjuka tuvor. ”PÅ ÖN”, FÅ…, AHÅ™, 10 Å—",
        "HÅØYA ER BLÅØYD. Vår sære Zulu fra badeøya spilte jo whist og quickstep i min taxi. «Ø»",
        "Sævör grét áðan því úlpan var ónýt. ÞÆÖ „Ð“",
        "Glāžšķūņa rūķīši dzērumā čiepj Baha koncertflīģeļu vākus. TRANSFORMATORIŲ™ ĮŠŽ „Ū“",
        "Laŭ Ludoviko Zamenhof bongustas freŝa ĉeĥa manĝaĵo kun spicoj.",
        "Do bạch kim rất quý nên sẽ dùng để lắp vô xương. ẢNH ÂM Ă Ã Á À",
        "Съешь ещё этих мягких французских булок, да выпей чаю. СССР» РС… «Р» С – Р„ ВИЧ-инфекция № 5",
        "Чуєш їх, доцю, га? Кумедна ж ти, прощайся без ґольфів! ВІКІ, ПІТ’Я",
        "Љубазни фењерџија чађавог лица хоће да ми покаже штос. ПоздравЂаво „Њ“",
        "Ζαφείρι δέξου πάγκαλο, βαθῶν ψυχῆς τὸ σῆμα. ΞΕΣΚΕΠΑΖΩ «ΟΞΎ» Β€ ΰ",
        "דג סקרן שט בים מאוכזב ולפתע מצא חברה, ״צה״ל״ ׳",
        "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق، «قال»؟",
        "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश। १२३",
        "யாமறிந்த மொழிகளிலே தமிழ்மொழி போல் இனிதாவது எங்கும் காணோம்",
        "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน ฿๑๒",
        "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ „ქართული“",
        "Բել դղյակի ձախ ժամն օֆ ազգությանը ցպահանջ չճշտած վնաս էր եւ փառք։",
        "いろはにほへと ちりぬるを、「色は匂へど」ＡＢＣ Brontë…”",
        "天地玄黃，宇宙洪荒。“日月盈昃”，USB辰宿列张…",
        "키스의 고유조건은 입술끼리 만나야 하고 ‘특별한’ 기술은 필요치 않다…",
        "😀 👍🏽 👨‍👩‍👧 ☕ ♫ → ∑ (-1/2)! = √π, x√π, ±5 °C, 3 × 4 ÷ 2 ≤ ∞, µm, £5 ¥6 €7 ¢8, §1 ¶2 ©™®",
        "(╯°□°)╯︵ ┻━┻ Ō¬o ├┤a┼┐a┼┐a ┌─┬┐ │├┼┤ └─┴┘ ░▒▓█ ¯\\_(ツ)_/¯ ಠ_ಠ ʕ•ᴥ•ʔ",
        "MÄ£ÄM ÌÑÌ Q £ÄGÌ GÄLÄW ÑÍCH SÖÄ£ ÑÝÄ $ÚÄMÌ · fratarak\u{E1}\u{A7} 141 · a lot of Ã’s · Ÿ Œ œ ß",
    ];

    #[test]
    fn text_of_any_script_is_left_alone() {
        for sample in SAMPLES {
            assert_eq!(undouble(sample), None);
            for word in sample.split_whitespace() {
                assert_eq!(undouble(word), None, "{sample}");
            }
        }
    }

    #[test]
    fn text_of_any_script_is_repaired() {
        let undoubler = &*UNDOUBLER;
        let (mut repaired, mut doubtful) = (0, 0);
        for detour in &undoubler.detours {
            for sample in SAMPLES {
                let mut text = sample.to_owned();
                for layer in 1..=3 {
                    // Some encodings lack a byte that is needed.
                    let Some(again) = detour.read(text.as_bytes()) else { break };
                    text = again;
                    match undouble(&text) {
                        // Another encoding gives another answer that is equally good.
                        None => doubtful += 1,
                        Some(found) => assert_eq!(found, sample, "{layer} layers: {text}"),
                    }
                    repaired += 1;
                }
            }
        }
        assert!(repaired > 1000 && doubtful * 50 < repaired, "{doubtful} of {repaired}");
    }

    #[test]
    fn decomposed_text_is_repaired() {
        let macintosh = Detour::named("macintosh");
        for line in [
            "Me\u{300}tre: me\u{300}tre",
            "serait tre\u{300}s semblable a\u{300} celui",
            "Pluta\u{303}o, Pluta\u{303}o",
            "tie\u{302}\u{301}ng Vie\u{302}\u{323}t",
        ] {
            let twice = macintosh.read(line.as_bytes()).expect("every byte is a character");
            assert!(undouble(&twice).is_none_or(|text| text == line), "{line} {twice}");
        }
    }

    #[test]
    fn candidates_are_pairs_that_could_be_bytes() {
        let candidates = |text| UNDOUBLER.candidates(text);
        for text in ["", "plain", "caf\u{E9}", "\u{C3}", "\u{A9}\u{C3}", "\u{C3} \u{A9}", "\u{65E5}\u{672C}"]
        {
            assert_eq!(candidates(text), 0, "{text}");
        }
        // The encodings that have `\u{C3}` as C3 and `\u{A9}` as A9, one bit per encoding, in the order of the list.
        let has = |name: &str| DETOURS.iter().position(|other| *other == name).expect("listed");
        let found = candidates("caf\u{C3}\u{A9}");
        for name in ["windows-1252", "latin1", "windows-1254"] {
            assert_eq!(found >> has(name) & 1, 1, "{name}");
        }
        for name in ["windows-1251", "windows-1253", "windows-1257"] {
            assert_eq!(found >> has(name) & 1, 0, "{name}");
        }
    }

    #[test]
    fn examples() {
        let cases = [
            ("cafÃ©", "café"),
            ("itâ€™s â€œquotedâ€\u{9D}…", "it’s “quoted”…"),
            ("HÃ”TEL, DOS AÃ‘OS, ZURÃœCK", "HÔTEL, DOS AÑOS, ZURÜCK"),
            ("rГ©gion вЂ“ лвЂ™ouest", "région – л’ouest"),
            ("t‚Äö√†√∂¬¨¬©l‚Äö√†√∂¬¨¬©charger", "télécharger"),
            ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚ 😀", "привет 😀"),
        ];
        for (line, repaired) in cases {
            assert_eq!(undouble(line).as_deref(), Some(repaired), "{line}");
        }
    }

    #[test]
    fn rare_scripts_are_repaired_in_full_or_not_at_all() {
        // Tibetan, Amharic, Ol Chiki, Cherokee, Cree, Meitei; rare Latin letters; the last three are light.
        let lines = [
            "* [བོད་ཡིག](https://bo.example \"མིག་དམར། – Θιβετιανά\")",
            "* [አማርኛ](https://am.example \"ማርስ – Αμχαρικά\")",
            "* [ᱥᱟᱱᱛᱟᱲᱤ](https://sat.example \"ᱵᱚᱸᱜᱟ ᱮᱸᱜᱮᱞ — Santali\")",
            "* [ᏣᎳᎩ](https://chr.example \"ᎹᏏ – Cherokee\")",
            "* [Nēhiyawēwin / ᓀᐦᐃᔭᐍᐏᐣ](https://cr.example \"ᒫᕐᔅ – Cree\")",
            "* [ꯃꯤꯇꯩ ꯂꯣꯟ](https://mni.example \"ꯂꯩꯄꯥꯛꯄꯣꯛꯄ ꯊꯄꯤ - Manipuri dili\")",
            "* [Kabɩyɛ](https://kbp.example \"Maarɩsɩ – Kabiye\")",
            "* [Taqbaylit](https://kab.example \"Mezweɣ – Tiếng Kabyle\")",
            "* [Mìng-dĕ̤ng-ngṳ̄](https://cdo.example \"Huōi-sĭng – Min Dong\")",
            "(https://ja.example \"拡大\")",
            "**\\- 최저**",
            "\"बड़ा करें\" \"बड़ा",
        ];
        let mut repaired = 0;
        for detour in &UNDOUBLER.detours {
            for line in lines {
                let Some(text) = detour.read(line.as_bytes()) else { continue };
                if let Some(found) = undouble(&text) {
                    assert_eq!(found, line, "{text}");
                    repaired += 1;
                }
            }
        }
        assert!(repaired >= 20, "{repaired}");
    }
}
