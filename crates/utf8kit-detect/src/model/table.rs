//! The table of the model, written by `model/train.py` and unpacked for look-ups.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::hash::Multiply;
use super::language::prior;

/// The most languages.
pub(crate) const MAX_LANGUAGES: usize = 128;

/// Written by `model/train.py`.
static PACKED: &[u8] = include_bytes!("../../model/table.bin");

/// The table. It is unpacked on first use.
pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(PACKED));

/// The number of classes of characters.
pub(super) const CLASSES: usize = 17;

/// The maximum number of languages of one script, plus the script in general, padded to whole vectors.
pub(super) const LANES: usize = 80;

/// The home of characters that are not letters.
pub(super) const NO_SCRIPT: u8 = 255;

/// The number of languages written in characters of East Asia.
pub(super) const EAST_ASIAN_LANGUAGES: usize = 4;

/// The scripts of these languages.
const EAST_ASIAN_SCRIPTS: [&str; EAST_ASIAN_LANGUAGES] = ["Hans", "Jpan", "Kore", "Hant"];

/// The properties of a character.
#[derive(Clone, Copy)]
pub(super) struct Character {
    pub(super) class: u8,
    /// Its script, as an index in [`Table::scripts`], then East Asia, then any other; or [`NO_SCRIPT`].
    pub(super) home: u8,
    /// Its index in the alphabet of its script.
    pub(super) place: u8,
    /// Its cost among the characters of its class.
    pub(super) cost: u8,
}

/// A script, and the languages written in it. All costs are in sixteenths of a nat.
pub(super) struct Script {
    /// Its code in ISO 15924.
    pub(super) code: &'static str,
    /// The codes of its languages, in ISO 639.
    pub(super) languages: Vec<&'static str>,
    /// The index of its first language among all.
    pub(super) first: usize,
    /// Its letters, each in lower case, sorted.
    pub(super) letters: Vec<char>,
    /// The number of indices: the bound of a word, each letter, and any other letter.
    pub(super) places: usize,
    /// The lanes of a row: the languages, the script in general, and padding.
    pub(super) lanes: usize,
    /// A row of costs for each pair of indices.
    pairs: Vec<u8>,
    /// The rows of informative triples, by their indices.
    triples: HashMap<u32, u32, Multiply>,
    rows: Vec<u8>,
    /// The share of each letter in each language, in the order of `letters`.
    shares: Vec<Vec<f32>>,
}

impl Script {
    /// Returns the cost of a letter in each language after two others.
    #[inline]
    pub(super) fn row(&self, before: u8, last: u8, next: u8) -> &[u8] {
        let pair = usize::from(last) * self.places + usize::from(next);
        let key = u32::from(before) << 16 | u32::from(last) << 8 | u32::from(next);
        let (rows, at) = match self.triples.get(&key) {
            Some(&row) => (&self.rows, row as usize),
            None => (&self.pairs, pair),
        };
        rows.get(at * self.lanes..(at + 1) * self.lanes).unwrap_or_default()
    }

    /// The lane of the script in general.
    pub(super) fn common(&self) -> usize {
        self.languages.len()
    }
}

pub(super) struct Table {
    pub(super) scripts: Vec<Script>,
    /// The codes of the languages of East Asia.
    pub(super) east_asian: Vec<&'static str>,
    /// The cost of a class after another one.
    pub(super) follow: [[u8; CLASSES]; CLASSES],
    characters: Vec<Character>,
    /// The cost of each character of East Asia in each of its languages, and on average.
    east: Vec<[u8; EAST_ASIAN_LANGUAGES + 1]>,
    composed: HashMap<(u16, u16), u16, Multiply>,
    /// The index of the Latin script in `scripts`, and of English among its languages.
    pub(super) latin: usize,
    pub(super) english: usize,
    /// The index of the first language of East Asia among all.
    pub(super) first_east_asian: usize,
    /// The log-probability of each language.
    pub(super) priors: Vec<f32>,
}

/// The cost of an infrequent character of East Asia: 5e-7.
const COST_OF_RARE_IDEOGRAPH: u8 = 232;

/// The extra costs of half-width kana, and the costs of full-width forms.
const EXTRA_COST_OF_HALF_WIDTH: u8 = 48;
const COST_OF_FULL_WIDTH: u8 = 192;

impl Table {
    /// Returns the properties of a character.
    #[inline]
    pub(super) fn character(&self, c: char) -> Character {
        let low = match u32::from(c) {
            point @ 0..0x1_0000 => point,
            0x1F000..0x1FB00 => 0x2605, // emoji are as frequent as stars
            0x20000..0x32000 => 0x9FFF, // a rare character of Chinese
            _ => 0xFFFF,
        };
        self.characters.get(low as usize).copied().unwrap_or(UNUSED_CHARACTER)
    }

    /// Returns the cost of a character in each language of East Asia, and on average.
    #[inline]
    pub(super) fn east(&self, c: char) -> [u8; EAST_ASIAN_LANGUAGES + 1] {
        self.east.get(u32::from(c) as usize).copied().unwrap_or([COST_OF_RARE_IDEOGRAPH; EAST_ASIAN_LANGUAGES + 1])
    }

    /// Returns the codes of a language and its script, by its index.
    pub(super) fn language(&self, at: usize) -> Option<(&'static str, &'static str)> {
        let own = |script: &Script| Some((*script.languages.get(at.checked_sub(script.first)?)?, script.code));
        let east_asian = |at: usize| Some((*self.east_asian.get(at)?, *EAST_ASIAN_SCRIPTS.get(at)?));
        self.scripts.iter().find_map(own).or_else(|| east_asian(at.checked_sub(self.first_east_asian)?))
    }

    /// Iterates over the letters of a language, each with its share.
    pub(super) fn letters(&self, at: usize) -> impl Iterator<Item = (char, f32)> {
        let found = self.scripts.iter().find_map(|script| {
            let shares = script.shares.get(at.checked_sub(script.first)?)?;
            Some(script.letters.iter().copied().zip(shares.iter().copied()))
        });
        found.into_iter().flatten().filter(|(_, share)| *share > 0.0)
    }

    /// Returns a letter with a mark as one character.
    pub(super) fn compose(&self, base: char, mark: char) -> Option<char> {
        let key = (u16::try_from(u32::from(base)).ok()?, u16::try_from(u32::from(mark)).ok()?);
        self.composed.get(&key).and_then(|&c| char::from_u32(u32::from(c)))
    }

    fn read(packed: &'static [u8]) -> Table {
        let mut costs = Reader(packed);
        let lens = [costs.number(), costs.number(), costs.number()];
        let [mut packed, pairs, triples] = lens.map(|len| Reader(costs.bytes(len)));
        let mut streams = Streams { pairs, triples, costs, of: Costs::all() };
        let follow = std::array::from_fn(|_| std::array::from_fn(|_| packed.byte()));
        let mut scripts: Vec<Script> = (0..packed.byte()).map(|_| Script::read(&mut packed, &mut streams)).collect();
        let mut first = 0;
        for script in &mut scripts {
            script.first = first;
            first += script.languages.len();
        }
        let mut east = vec![[COST_OF_RARE_IDEOGRAPH; EAST_ASIAN_LANGUAGES + 1]; 0x1_0000];
        let mut east_asian = Vec::new();
        for lane in 0..usize::from(packed.byte()) {
            east_asian.push(packed.text());
            for _ in 0..packed.byte() {
                let (cost, count) = (packed.byte(), packed.short());
                let mut point = 0;
                for _ in 0..count {
                    point += packed.number();
                    if let Some(cell) = east.get_mut(point).and_then(|costs| costs.get_mut(lane)) {
                        *cell = cost;
                    }
                }
            }
        }
        let p: [f32; 256] = probabilities();
        for costs in east.iter_mut().filter(|costs| **costs != [COST_OF_RARE_IDEOGRAPH; EAST_ASIAN_LANGUAGES + 1]) {
            let mean = costs[..EAST_ASIAN_LANGUAGES].iter().map(|&cost| p[usize::from(cost)]).sum::<f32>();
            costs[EAST_ASIAN_LANGUAGES] = cost_of(mean / EAST_ASIAN_LANGUAGES as f32);
        }
        for form in 0xFF10..0xFFA0_u32 {
            let plain = HALF_KANA.chars().nth(form.wrapping_sub(0xFF66) as usize);
            let costs = match plain.and_then(|c| east.get(c as usize).copied()) {
                Some(costs) => costs.map(|cost| cost.saturating_add(EXTRA_COST_OF_HALF_WIDTH)),
                None => [COST_OF_FULL_WIDTH; EAST_ASIAN_LANGUAGES + 1],
            };
            east[form as usize] = costs;
        }
        let mut characters = Vec::with_capacity(0x1_0000);
        let mut last = UNUSED_CHARACTER;
        for _ in 0..packed.short() {
            let start = packed.short();
            characters.resize(usize::from(start), last);
            last = Character { class: packed.byte(), home: packed.byte(), place: 0, cost: packed.byte() };
        }
        characters.resize(0x1_0000, last);
        for (point, character) in (0_u32..).zip(&mut characters) {
            if let Some(script) = scripts.get(usize::from(character.home))
                && let Some(c) = char::from_u32(point)
            {
                let place = script.letters.binary_search(&fold(c)).map_or(script.places - 1, |at| at + 1);
                character.place = place as u8;
            }
        }
        let composed = (0..packed.short()).map(|_| ((packed.short(), packed.short()), packed.short())).collect();
        let latin = scripts.iter().position(|script| script.code == "Latn").unwrap_or_default();
        let english = scripts[latin].languages.iter().position(|code| *code == "en").unwrap_or_default();
        let first_east_asian = scripts.iter().map(|script| script.languages.len()).sum();
        let codes = scripts.iter().flat_map(|script| &script.languages).chain(&east_asian);
        let priors = codes.map(|code| prior(code)).collect();
        Table { scripts, east_asian, follow, characters, east, composed, latin, english, first_east_asian, priors }
    }
}

const UNUSED_CHARACTER: Character = Character { class: CLASSES as u8 - 1, home: NO_SCRIPT, place: 0, cost: 184 };

/// The full-width forms of the half-width kana starting at U+FF66.
const HALF_KANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";

/// Returns a letter in lower case, as one character. Romanian cedillas become commas.
pub(super) fn fold(c: char) -> char {
    match c.to_lowercase().next().unwrap_or(c) {
        '\u{15F}' => '\u{219}',
        '\u{163}' => '\u{21B}',
        low => low,
    }
}

/// The share of the script in general in the probabilities of a language's own letters, and of letters that it lacks.
const SHARE_OF_OTHER_LETTERS: f32 = 4e-4;
const SHARE_OF_COMMON_PAIRS: f32 = 0.3;

impl Script {
    fn read(packed: &mut Reader, streams: &mut Streams) -> Script {
        let code = packed.text();
        let letters = packed.points();
        let count = usize::from(packed.byte());
        let (n, lanes) = (letters.len() + 2, (count + 1).next_multiple_of(16));
        let mut languages = Vec::new();
        let mut own = Vec::new();
        for _ in 0..count {
            languages.push(packed.text());
            let places: Vec<usize> =
                std::iter::once(0).chain(packed.bytes_counted().iter().map(|&at| usize::from(at) + 1)).collect();
            let single = packed.bytes(places.len());
            let n = places.len();
            let triples = usize::from(packed.short());
            let mut next = 0;
            let triples = streams.costs.bytes(triples).iter().map(|&cost| {
                let at = next + streams.triples.number();
                next = at + 1;
                ([at / n / n, at / n % n, at % n].map(|at| places.get(at).copied().unwrap_or_default()), cost)
            });
            let triples: Vec<_> = triples.collect();
            own.push((places, single, streams.pairs.bytes(n * n), triples));
        }
        // The script in general: the mean of its languages.
        let (p, costs) = (probabilities(), &streams.of);
        let mut common = vec![0.0_f32; n * n];
        for (places, _, pairs, _) in &own {
            for (row, &a) in pairs.chunks_exact(places.len()).zip(places) {
                for (&cost, &b) in row.iter().zip(places) {
                    common[a * n + b] += p[usize::from(cost)] / count as f32;
                }
            }
        }
        let single = single_of(&common, n);
        for row in common.chunks_exact_mut(n) {
            let whole: f32 = row.iter().sum::<f32>().max(1e-9);
            row.iter_mut().zip(&single).for_each(|(pair, single)| *pair = 0.95 * *pair / whole + 0.05 * single);
        }
        let mut pairs = vec![u8::MAX; n * n * lanes];
        for (&p, cell) in common.iter().zip(pairs.chunks_exact_mut(lanes)) {
            cell[count] = costs.of(p);
        }
        let lacking: Vec<u8> = single.iter().map(|single| costs.of(SHARE_OF_OTHER_LETTERS * single)).collect();
        let mut shares = Vec::new();
        for (lane, (places, singles, own, _)) in own.iter().enumerate() {
            let mut all = vec![0.0; letters.len()];
            let mut mine = vec![0.0_f32; n];
            for (&place, &cost) in places.iter().zip(*singles) {
                mine[place] = p[usize::from(cost)];
                if let Some(share) = place.checked_sub(1).and_then(|at| all.get_mut(at)) {
                    *share = p[usize::from(cost)];
                }
            }
            shares.push(all);
            let mut is_known = vec![false; n];
            places.iter().for_each(|&place| is_known[place] = true);
            // After a letter that the language lacks, use its own letters or the script's.
            for a in (0..n).filter(|a| !is_known[*a]) {
                for b in 0..n {
                    let p = 0.7 * mine[b] + SHARE_OF_COMMON_PAIRS * common[a * n + b];
                    let p = (1.0 - SHARE_OF_OTHER_LETTERS) * p + SHARE_OF_OTHER_LETTERS * single[b];
                    pairs[(a * n + b) * lanes + lane] = costs.of(p);
                }
            }
            for (row, &a) in own.chunks_exact(places.len()).zip(places) {
                for (b, &cost) in lacking.iter().enumerate() {
                    pairs[(a * n + b) * lanes + lane] = cost;
                }
                for (&cost, &b) in row.iter().zip(places) {
                    let p = (1.0 - SHARE_OF_OTHER_LETTERS) * p[usize::from(cost)] + SHARE_OF_OTHER_LETTERS * single[b];
                    pairs[(a * n + b) * lanes + lane] = costs.of(p);
                }
            }
        }
        let (mut triples, mut rows) = (HashMap::<u32, u32, Multiply>::default(), Vec::new());
        for (lane, (_, _, _, known)) in own.iter().enumerate() {
            for &([a, b, c], cost) in known {
                let row = *triples.entry((a << 16 | b << 8 | c) as u32).or_insert_with(|| {
                    let pair = (b * n + c) * lanes;
                    rows.extend_from_slice(&pairs[pair..pair + lanes]);
                    (rows.len() / lanes - 1) as u32
                });
                rows[row as usize * lanes + lane] = cost.saturating_mul(4);
            }
        }
        if count > 1 {
            // The script in general also has them.
            for row in rows.chunks_exact_mut(lanes) {
                let mean: f32 = row[..count].iter().map(|&cost| p[usize::from(cost)]).sum::<f32>() / count as f32;
                row[count] = costs.of(0.5 * mean + 0.5 * p[usize::from(row[count])]);
            }
        }
        Script { code, languages, first: 0, letters, places: n, lanes, pairs, triples, rows, shares }
    }
}

/// Returns the share of each index in a table of pairs, none of them 0. Other letters are rare.
fn single_of(pairs: &[f32], n: usize) -> Vec<f32> {
    let mut single = vec![0.0_f32; n];
    for row in pairs.chunks_exact(n) {
        single.iter_mut().zip(row).for_each(|(single, pair)| *single += pair);
    }
    let whole: f32 = single.iter().sum();
    single.iter_mut().for_each(|single| *single = *single / whole + 5e-5);
    if let Some(other) = single.last_mut() {
        *other = 1e-3;
    }
    let whole: f32 = single.iter().sum();
    single.iter_mut().for_each(|single| *single /= whole);
    single
}

/// Returns the probability of each cost.
fn probabilities() -> [f32; 256] {
    std::array::from_fn(|cost| (-(cost as f32) / 16.0).exp())
}

/// Returns the cost of a probability.
fn cost_of(p: f32) -> u8 {
    (-p.max(1e-9).ln() * 16.0).round().clamp(0.0, 255.0) as u8
}

/// Data of one kind is stored together for all languages, because it compresses better.
struct Streams {
    pairs: Reader,
    /// The triples of each language, each as the distance from the previous one.
    triples: Reader,
    /// The costs of triples, in quarters of a nat.
    costs: Reader,
    of: Costs,
}

/// The costs of probabilities, indexed by the upper half of their bits if the lower half makes no difference.
/// Logarithms took most of the time of unpacking the table.
struct Costs(Vec<Option<u8>>);

impl Costs {
    fn all() -> Costs {
        let cost = |bits: u32| cost_of(f32::from_bits(bits));
        let same = |high: u32| Some(cost(high << 16)).filter(|low| *low == cost(high << 16 | 0xFFFF));
        Costs((0..=1_f32.to_bits() >> 16).map(same).collect())
    }

    fn of(&self, p: f32) -> u8 {
        self.0.get((p.to_bits() >> 16) as usize).copied().flatten().unwrap_or_else(|| cost_of(p))
    }
}

/// Reads the packed table.
struct Reader(&'static [u8]);

impl Reader {
    fn bytes(&mut self, len: usize) -> &'static [u8] {
        let (bytes, rest) = self.0.split_at_checked(len).unwrap_or((self.0, &[]));
        self.0 = rest;
        bytes
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1).first().copied().unwrap_or_default()
    }

    fn short(&mut self) -> u16 {
        u16::from(self.byte()) | u16::from(self.byte()) << 8
    }

    /// Returns a number of seven bits per byte, the low bits first.
    fn number(&mut self) -> usize {
        let (mut value, mut shift) = (0_u32, 0);
        loop {
            let byte = self.byte();
            value |= u32::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 {
                return value as usize;
            }
        }
    }

    fn bytes_counted(&mut self) -> &'static [u8] {
        let len = self.byte();
        self.bytes(usize::from(len))
    }

    fn text(&mut self) -> &'static str {
        std::str::from_utf8(self.bytes_counted()).unwrap_or_default()
    }

    fn points(&mut self) -> Vec<char> {
        let len = self.short();
        (0..len).filter_map(|_| char::from_u32(u32::from(self.short()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_those_of_logarithms() {
        let costs = Costs::all();
        for bits in (0..=1_f32.to_bits()).step_by(1009) {
            let p = f32::from_bits(bits);
            assert_eq!(costs.of(p), cost_of(p), "{p}");
        }
    }

    #[test]
    fn the_table_is_read_to_its_end() {
        assert!(PACKED.len() <= 400 * 1024);
        let mut scripts = TABLE.scripts.iter();
        assert!(scripts.all(|script| script.lanes <= LANES && script.places <= 256), "rows fit");
        assert_eq!(TABLE.east_asian, ["zh", "ja", "ko", "zh-hant"]);
        assert_eq!(TABLE.compose('e', '\u{301}'), Some('é'));
        assert_eq!(TABLE.compose('ê', '\u{323}'), Some('ệ'));
    }
}
