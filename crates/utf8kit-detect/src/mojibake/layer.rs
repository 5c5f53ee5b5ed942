//! One round: what a line was before it was decoded from a wrong encoding, and how much likelier that is.

use crate::model::{Scorer, compose};
use crate::mojibake::encodings::{Misread, is_control, is_of_bytes, is_small_cyrillic, suspects};
use crate::mojibake::prices::{LENIENCE, RARE, RIVAL, RUBBISH, RUBBISH_BEGINS, SUPPORT};
use crate::mojibake::sequences::{Sequence, sequences};

/// How many characters around a run tell its language.
const CONTEXT: usize = 48;

/// How many bytes between two sequences part them into two runs, if no blank does.
const GAP: usize = 16;

/// How many rare characters of a block are a script.
const SCRIPT: usize = 3;

/// The most ways to read a run that are compared.
const BEAM: usize = 48;

/// What a line was.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) text: String,
    /// By how many nats it is likelier, without the price of the encoding.
    pub(super) gain: f32,
    /// The sequences that may be read in several ways, and were left.
    pub(super) left: usize,
}

/// Returns the logarithm of the probability of a text, in nats.
pub(super) fn score(text: &str) -> f32 {
    Reader::default().read(text).score()
}

/// A text that is read for its score, in parts: what several texts begin with is read once.
#[derive(Clone, Default)]
struct Reader {
    scorer: Scorer,
    /// A character that the next one may be an accent of.
    last: Option<char>,
}

impl Reader {
    fn read(mut self, text: &str) -> Reader {
        for c in text.chars() {
            // The model knows accents on their letters.
            let base = self.last.filter(|_| matches!(c, '\u{300}'..='\u{36F}'));
            self.last = match base.and_then(|base| compose(base, c)) {
                Some(composed) => Some(composed),
                None => {
                    self.last.into_iter().for_each(|last| self.scorer.push(last));
                    Some(c)
                }
            };
        }
        self
    }

    fn score(mut self) -> f32 {
        self.last.into_iter().for_each(|last| self.scorer.push(last));
        self.scorer.end_word();
        // A language of few texts is not to decide by a name.
        self.scorer.total_with(|language| 3.0 * language.prior()).1
    }
}

/// Sequences that stand together: they are decoded, or left, together.
struct Run {
    start: usize,
    end: usize,
    sequences: Vec<Sequence>,
}

/// A line whose whole sequences are decoded, to tell the language by.
pub(super) struct Cleared {
    text: String,
    sequences: Vec<Sequence>,
    pub(super) strays: usize,
    /// Whether a control is part of a whole sequence.
    pub(super) has_controls: bool,
    pub(super) whole: usize,
    /// How many characters are in sequences of several, whole or damaged.
    pub(super) covered: usize,
    /// Whether a small Cyrillic letter is part of a whole sequence.
    pub(super) has_cyrillic: bool,
    /// The blocks of several rare characters: scripts that the model does not know.
    scripts: Vec<u32>,
}

impl Cleared {
    /// Finds the sequences of a line. `None` if there are none.
    pub(super) fn of(encoding: &Misread, line: &str) -> Option<Cleared> {
        let (sequences, strays) = sequences(encoding, line);
        let (mut text, mut at, mut whole) = (String::with_capacity(line.len()), 0, 0);
        let (mut has_controls, mut has_cyrillic) = (false, false);
        let mut rare = Vec::new();
        for sequence in sequences.iter().filter(|sequence| sequence.is_whole()) {
            let Some(reading) = sequence.readings.first() else { continue };
            text.push_str(line.get(at..sequence.start).unwrap_or_default());
            text.push(reading.becomes);
            rare.extend(reading.is_rare.then(|| u32::from(reading.becomes) >> 8));
            let shown = line.get(sequence.start..reading.end).unwrap_or_default();
            has_cyrillic |= !reading.is_rare && shown.contains(is_small_cyrillic);
            has_controls |= shown.contains(is_control);
            at = reading.end;
            whole += 1;
        }
        text.push_str(line.get(at..).unwrap_or_default());
        let (mut covered, mut end) = (0, 0);
        for sequence in &sequences {
            let longest = sequence.readings.iter().map(|reading| reading.end).max().unwrap_or_default();
            let own = line.get(sequence.start.max(end)..longest).unwrap_or_default();
            let count = own.chars().filter(|c| !c.is_ascii()).count();
            covered += if count > 1 { count } else { 0 };
            end = end.max(longest);
        }
        rare.sort_unstable();
        let scripts = rare.chunk_by(|one, other| one == other).filter(|block| block.len() >= SCRIPT);
        let scripts = scripts.filter_map(|block| block.first().copied()).collect();
        (!sequences.is_empty()).then_some(Cleared {
            text,
            sequences,
            strays,
            has_controls,
            whole,
            covered,
            has_cyrillic,
            scripts,
        })
    }

    /// Reports whether two encodings give the same.
    pub(super) fn is_like(&self, other: &Cleared) -> bool {
        self.text == other.text
            && self.sequences.len() == other.sequences.len()
            && self.sequences.iter().zip(&other.sequences).all(|(one, other)| one.readings == other.readings)
    }

    /// Decodes each run that is likelier then.
    pub(super) fn decoded(self, line: &str) -> Option<Layer> {
        let Cleared { text: cleared, sequences, scripts, .. } = self;
        let mut ranked = Vec::new();
        // How far the cleared line is ahead of the line.
        let (mut behind, mut ahead) = (0, 0);
        for run in runs(line, sequences) {
            let start = run.start + ahead - behind;
            let whole = run.sequences.iter().filter(|one| one.is_whole());
            for (start, reading) in whole.filter_map(|one| Some((one.start, one.readings.first()?))) {
                ahead += reading.becomes.len_utf8();
                behind += reading.end - start;
            }
            let end = run.end + ahead - behind;
            let before = last_chars(cleared.get(..start).unwrap_or_default(), CONTEXT);
            let after = first_chars(cleared.get(end..).unwrap_or_default(), CONTEXT);
            let is_whole = run.sequences.iter().any(Sequence::is_whole);
            ranked.push((run.start..run.end, is_whole, run.ranked(line, before, after, &scripts)));
        }
        let best = |ways: &[(f32, Way)]| ways.first().map_or(f32::MIN, |(gain, _)| *gain);
        let support: f32 = ranked.iter().map(|(.., ways)| best(ways).max(0.0)).sum();
        let (mut text, mut at, mut gain, mut left) = (String::new(), 0, -RARE * scripts.len() as f32, 0);
        for (range, is_whole, ways) in ranked {
            let least = if is_whole && support > SUPPORT { -LENIENCE } else { 0.0 };
            let best = best(&ways);
            if best <= least {
                continue;
            }
            // What is left in doubt also speaks for the encoding.
            gain += best.max(0.0);
            let rivals = ways.iter().take_while(|(gain, _)| best - gain < RIVAL && *gain > least);
            // Where they differ, the sequence is left.
            let Some(first) = ways.first().map(|(_, way)| &way.choices) else { continue };
            let mut agreed = first.clone();
            for (_, rival) in rivals {
                for (agreed, choice) in agreed.iter_mut().zip(&rival.choices) {
                    *agreed = agreed.filter(|agreed| Some(*agreed) == *choice);
                }
            }
            left += usize::from(*first != agreed);
            let Some((_, chosen)) = ways.iter().find(|(_, way)| way.choices == agreed) else { continue };
            text.push_str(line.get(at..range.start).unwrap_or_default());
            text.push_str(&chosen.text);
            at = range.end;
        }
        text.push_str(line.get(at..).unwrap_or_default());
        (text != line).then_some(Layer { text, gain, left })
    }
}

/// What a run may be, and what that costs.
struct Way {
    text: String,
    at: usize,
    price: f32,
    /// For each sequence the reading, unless it is left, or the one before took it.
    choices: Vec<Option<char>>,
}

impl Run {
    /// Returns the ways to read it, each with its gain, the best first.
    fn ranked(&self, line: &str, before: &str, after: &str, scripts: &[u32]) -> Vec<(f32, Way)> {
        let old = line.get(self.start..self.end).unwrap_or_default();
        let rubbish = |text: &str| {
            let all = before.chars().chain(text.chars()).chain(after.chars());
            all.fold(-RUBBISH_BEGINS, |sum, c| sum - if is_of_bytes(c) { RUBBISH } else { 2.0 * RUBBISH })
        };
        let start = Reader::default().read(before);
        let score = |text: &str| start.clone().read(text).read(after).score();
        let base = score(old).max(rubbish(old));
        // Another round may be left.
        let rate = |text: &str| {
            let score = score(text);
            if suspects(text) != 0 { score.max(rubbish(text)) } else { score }
        };
        let ways = self.readings(line, scripts).into_iter().filter(|way| way.text != old);
        let mut ranked: Vec<_> = ways.map(|way| (rate(&way.text) - base - way.price, way)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        ranked
    }

    /// Returns the ways to read it.
    fn readings(&self, line: &str, scripts: &[u32]) -> Vec<Way> {
        let mut ways = vec![Way { text: String::new(), at: self.start, price: 0.0, choices: Vec::new() }];
        for sequence in &self.sequences {
            let mut longer = Vec::new();
            for mut way in ways {
                // What the sequence before took.
                if sequence.start < way.at {
                    way.choices.push(None);
                    longer.push(way);
                    continue;
                }
                let between = line.get(way.at..sequence.start).unwrap_or_default();
                for reading in &sequence.readings {
                    let mut text = format!("{}{between}", way.text);
                    text.push(reading.becomes);
                    let mut choices = way.choices.clone();
                    choices.push(Some(reading.becomes));
                    let rare = reading.is_rare.then(|| u32::from(reading.becomes) >> 8);
                    let is_new = rare.is_some_and(|block| !scripts.contains(&block));
                    let rarity = if is_new { RARE } else { 0.0 };
                    let price = way.price + reading.price + rarity;
                    longer.push(Way { text, at: reading.end, price, choices });
                }
                if !sequence.is_whole() {
                    way.choices.push(None);
                    longer.push(way);
                }
            }
            if longer.len() > BEAM {
                let cost = |way: &Way| way.price - Reader::default().read(" ").read(&way.text).score();
                let mut rated: Vec<_> = longer.into_iter().map(|way| (cost(&way), way)).collect();
                rated.sort_by(|one, other| one.0.total_cmp(&other.0));
                rated.truncate(BEAM);
                longer = rated.into_iter().map(|(_, way)| way).collect();
            }
            ways = longer;
        }
        for way in &mut ways {
            way.text.push_str(line.get(way.at..self.end).unwrap_or_default());
        }
        ways
    }
}

/// Groups the sequences of a line: no blank is between those of a run.
fn runs(line: &str, sequences: Vec<Sequence>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for sequence in sequences {
        let end = sequence.readings.iter().map(|reading| reading.end).max().unwrap_or(sequence.start);
        let near = runs.last_mut().filter(|run| {
            let between = line.get(run.end..sequence.start);
            between.is_none_or(|between| between.len() <= GAP && !between.contains([' ', '\t', '\n', '\r']))
        });
        match near {
            Some(run) => {
                run.end = run.end.max(end);
                run.sequences.push(sequence);
            }
            None => runs.push(Run { start: sequence.start, end, sequences: vec![sequence] }),
        }
    }
    runs
}

fn last_chars(text: &str, count: usize) -> &str {
    let start = text.char_indices().rev().nth(count.saturating_sub(1)).map_or(0, |(at, _)| at);
    text.get(start..).unwrap_or_default()
}

fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}
