//! One round: what a line was before it was decoded from a wrong encoding, and how much likelier that is.

use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use crate::common::is_common;
use crate::model::encodings::Candidate;
use crate::model::{Each, Language, MAX_NATS_OF_ALL_LANGUAGES, Scorer, compose};
use crate::mojibake::encodings::{Misread, is_control, is_of_bytes, is_small_cyrillic, suspects};
use crate::mojibake::prices::{
    MAX_NATS_LOST_IF_SUPPORTED, MIN_NATS_OF_SUPPORT, MIN_NATS_OVER_RIVAL, MIN_NATS_OVER_RIVAL_GUESS, NATS_OF_LIST,
    NATS_OF_NEXT_LINES, NATS_OF_RARE_CHARACTER, NATS_OF_RUBBISH, NATS_PER_RUBBISH_CHARACTER,
};
use crate::mojibake::sequences::{Sequence, sequences};

/// The number of characters on each side of a run that determine its language.
const CHARACTERS_OF_CONTEXT: usize = 48;

/// Two sequences that are further apart than this belong to different runs, as do sequences with a blank between them.
const MAX_BYTES_WITHIN_RUN: usize = 16;

/// The most sequences in a run. Without a limit, text without blanks would be a single run, which takes quadratic time.
const MAX_SEQUENCES_PER_RUN: usize = 256;

/// From this many rare characters of one Unicode block, the block counts as a script.
const MIN_CHARACTERS_OF_SCRIPT: usize = 3;

/// The weight of the languages' priors. It is high so that a name alone does not suggest a language with few texts.
const WEIGHT_OF_PRIORS: f32 = 3.0;

static PRIORS: LazyLock<Each> = LazyLock::new(|| Language::each(|language| WEIGHT_OF_PRIORS * language.prior()));

/// The most decodings of a run that are compared.
const MAX_PATHS_PER_RUN: usize = 48;

/// What a line was.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) text: String,
    /// How many nats likelier it is than the line, before the price of the encoding is subtracted.
    pub(super) gain: f32,
    /// The number of places that are ambiguous or damaged, and were left unchanged.
    pub(super) left: usize,
}

/// Returns the logarithm of the probability of a text, in nats.
pub(super) fn score(text: &str) -> f32 {
    Reader::default().read(text).score()
}

/// Scores a text incrementally, so that a common prefix of several texts is read only once.
#[derive(Clone, Default)]
struct Reader {
    scorer: Scorer,
    /// The last letter, which a combining accent may follow.
    last: Option<char>,
}

impl Reader {
    fn push(&mut self, c: char) {
        // The model only has precomposed letters.
        let base = self.last.filter(|_| matches!(c, '\u{300}'..='\u{36F}'));
        if let Some(composed) = base.and_then(|base| compose(base, c)) {
            self.last = Some(composed);
            return;
        }
        self.last.take().into_iter().for_each(|last| self.scorer.push(last));
        if Scorer::is_of_word(c) {
            self.last = Some(c);
        } else {
            self.scorer.push(c);
        }
    }

    /// Reports whether the text so far ends between two words.
    fn is_between_words(&self) -> bool {
        self.last.is_none()
    }

    fn read(mut self, text: &str) -> Reader {
        text.chars().for_each(|c| self.push(c));
        self
    }

    fn ended(mut self) -> Scorer {
        self.last.into_iter().for_each(|last| self.scorer.push(last));
        self.scorer.end_word();
        self.scorer
    }

    fn score(self) -> f32 {
        nats(&self.ended())
    }
}

/// Returns the score of a text, or `None` if it is less than `least`.
pub(super) fn score_of_least(text: &str, least: f32) -> Option<f32> {
    scorer_of_least(text, least).map(|scorer| nats(&scorer)).filter(|score| *score >= least)
}

/// Returns the score of a text in the languages that an encoding is used for, unless that is sure to be less than
/// `least`.
pub(super) fn score_in(encoding: &Candidate, text: &str, least: f32) -> Option<f32> {
    let (_, score) = scorer_of_least(text, least)?.total_with(&PRIORS, &encoding.covers, least)?;
    Some(score)
}

/// Reads a text. Stops with `None` once its score is certain to be less than `least`, because every word lowers it.
fn scorer_of_least(text: &str, least: f32) -> Option<Scorer> {
    let mut reader = Reader::default();
    for (at, c) in text.chars().enumerate() {
        reader.push(c);
        let is_asked = at % CHARACTERS_PER_COMPARISON == CHARACTERS_PER_COMPARISON - 1;
        if is_asked && reader.scorer.likeliest_of_priors(WEIGHT_OF_PRIORS) + MAX_NATS_OF_ALL_LANGUAGES < least {
            return None;
        }
    }
    Some(reader.ended())
}

/// The number of characters between two comparisons.
const CHARACTERS_PER_COMPARISON: usize = 8;

/// Returns the logarithm of the probability of what was read, in nats.
fn nats(scorer: &Scorer) -> f32 {
    scorer.total_of_priors(WEIGHT_OF_PRIORS)
}

/// Reads the surroundings of the parts of a text, from left to right. Surroundings that overlap are read only once.
struct Surroundings<'t> {
    text: &'t str,
    reader: Reader,
    end: usize,
    /// Ends of words, each with the score of the text up to it.
    bounds: Vec<(usize, Scorer)>,
}

/// A gap of up to this many bytes between two parts is read instead of skipped, to keep the cached scores.
const MAX_BYTES_OF_GAP: usize = 64;

/// How many bytes are read between two bounds that are kept.
const MIN_BYTES_BETWEEN_BOUNDS: usize = 8;

impl<'t> Surroundings<'t> {
    fn of(text: &'t str) -> Surroundings<'t> {
        Surroundings { text, reader: Reader::default(), end: 0, bounds: Vec::new() }
    }

    /// Reads the context of a part.
    fn around(&mut self, part: Range<usize>) -> Context<'t> {
        let before = last_chars(self.text.get(..part.start).unwrap_or_default(), CHARACTERS_OF_CONTEXT);
        let after = first_chars(self.text.get(part.end..).unwrap_or_default(), CHARACTERS_OF_CONTEXT);
        let start = self.read(Reader::default(), part.start - before.len()..part.start);
        let head = after.char_indices().find(|(_, c)| !Scorer::is_of_word(*c));
        let (head, tail) = match head {
            Some((at, c)) => {
                let (head, _) = after.split_at(at + c.len_utf8());
                let mut bound = Reader::default();
                bound.push(c);
                let rest = part.end + head.len()..part.end + after.len();
                let mut tail = self.read(bound.clone(), rest).ended();
                tail.remove(&bound.scorer);
                (head, tail)
            }
            None => (after, Scorer::new()),
        };
        Context { before: start, head, tail, rubbish: rubbish(before) + rubbish(after) - NATS_OF_RUBBISH }
    }

    /// Continues `reader` with a part, using the cached scores of its words. The part must begin at a word.
    fn read(&mut self, mut reader: Reader, part: Range<usize>) -> Reader {
        if part.start > self.end + MAX_BYTES_OF_GAP {
            (self.reader, self.end) = (Reader::default(), part.start);
            self.bounds.clear();
        }
        for c in self.text.get(self.end..part.end).unwrap_or_default().chars() {
            self.reader.push(c);
            self.end += c.len_utf8();
            let last = self.bounds.last().map_or(0, |(at, _)| at + MIN_BYTES_BETWEEN_BOUNDS);
            if self.reader.is_between_words() && self.end >= last {
                self.bounds.push((self.end, self.reader.scorer.clone()));
            }
        }
        let mut at = part.start;
        let known = self.bounds.partition_point(|(at, _)| *at <= part.start);
        let end = self.bounds.partition_point(|(at, _)| *at <= part.end);
        if let Some([(first, before), .., (last, scorer)]) = self.bounds.get(known..end) {
            reader = reader.read(self.text.get(at..*first).unwrap_or_default());
            let mut scorer = scorer.clone();
            scorer.remove(before);
            scorer.add(&reader.scorer);
            (reader, at) = (Reader { scorer, last: None }, *last);
        }
        reader.read(self.text.get(at..part.end).unwrap_or_default())
    }
}

/// Returns the score of the characters as rubbish, without the price of its beginning.
fn rubbish(text: &str) -> f32 {
    text.chars().fold(0.0, |sum, c| {
        sum - if is_of_bytes(c) { NATS_PER_RUBBISH_CHARACTER } else { 2.0 * NATS_PER_RUBBISH_CHARACTER }
    })
}

/// Returns the highest score of a text: as it is, with lists of letters, with lines that end with NEL, or as rubbish
/// with the same number of characters.
pub(super) fn score_or_rubbish(text: &str) -> f32 {
    let rubbish = -NATS_OF_RUBBISH - NATS_PER_RUBBISH_CHARACTER * text.chars().count() as f32;
    let lines = text.contains(NEXT_LINE).then(|| score(&text.replace(NEXT_LINE, "\n")) - NATS_OF_NEXT_LINES);
    score(text).max(score_with_lists(text)).max(lines.unwrap_or(f32::MIN)).max(rubbish)
}

const NEXT_LINE: char = '\u{85}';

/// Returns the score of a text whose words of non-ASCII letters are lists of the letters of a language, if they can be.
fn score_with_lists(text: &str) -> f32 {
    let (mut rest, mut nats) = (String::with_capacity(text.len()), 0.0);
    for run in text.split_inclusive(|c: char| c.is_ascii() || !c.is_alphabetic()) {
        let end = run.chars().next_back().filter(|c| c.is_ascii() || !c.is_alphabetic());
        let letters = run.strip_suffix(|c| Some(c) == end).unwrap_or(run);
        match nats_of_list(letters) {
            Some(list) => nats += list,
            None => rest.push_str(letters),
        }
        rest.extend(end);
    }
    if nats == 0.0 { f32::MIN } else { score(&rest) + nats }
}

/// Returns the log-probability that somebody lists letters of a language. `None` if these are no list.
fn nats_of_list(letters: &str) -> Option<f32> {
    let letters: Vec<char> = letters.chars().collect();
    let is_once = |at: usize| letters.get(at + 1..).is_some_and(|rest| !rest.contains(&letters[at]));
    let is_latin = letters.iter().all(|c| matches!(c, ..'\u{250}' | '\u{1E00}'..='\u{1EFF}'));
    if !is_latin || letters.len() < MIN_LETTERS_OF_LIST || !(0..letters.len()).all(is_once) {
        return None;
    }
    let fewest = Language::all().filter_map(|language| language.non_ascii_letters_with(&letters)).min()?;
    Some(-NATS_OF_LIST - letters.len() as f32 * (fewest as f32).ln())
}

/// The fewest letters that are a list rather than a word.
const MIN_LETTERS_OF_LIST: usize = 2;

/// The text around a run.
struct Context<'t> {
    before: Reader,
    /// The text after the run: the rest of a word that may begin in the run, and the score of the text after that.
    head: &'t str,
    tail: Scorer,
    /// The score of the text around the run as rubbish.
    rubbish: f32,
}

impl Context<'_> {
    /// Returns the score of a text there.
    fn score(&self, text: &str) -> f32 {
        let mut scorer = self.before.clone().read(text).read(self.head).ended();
        scorer.add(&self.tail);
        nats(&scorer)
    }
}

/// Adjacent sequences, which are all decoded or all left unchanged.
struct Run {
    start: usize,
    end: usize,
    sequences: Vec<Sequence>,
}

/// A line with its whole sequences decoded, from which the language is determined.
pub(super) struct Cleared {
    text: String,
    sequences: Vec<Sequence>,
    pub(super) strays: usize,
    /// How many of these may be remains of a sequence.
    leads: usize,
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
        let (sequences, strays, leads) = sequences(encoding, line);
        let (mut text, mut at, mut whole) = (String::with_capacity(line.len()), 0, 0);
        let (mut has_controls, mut has_cyrillic) = (false, false);
        let mut rare = Vec::new();
        for sequence in &sequences {
            let Some(decoding) = sequence.whole else { continue };
            text.push_str(line.get(at..sequence.start).unwrap_or_default());
            text.push(decoding.becomes);
            rare.extend(decoding.is_rare.then(|| u32::from(decoding.becomes) >> 8));
            let shown = line.get(sequence.start..decoding.end).unwrap_or_default();
            has_cyrillic |= !decoding.is_rare && shown.contains(is_small_cyrillic);
            has_controls |= shown.contains(is_control);
            at = decoding.end;
            whole += 1;
        }
        text.push_str(line.get(at..).unwrap_or_default());
        let (mut covered, mut end) = (0, 0);
        for sequence in &sequences {
            let longest = sequence.end();
            let own = line.get(sequence.start.max(end)..longest).unwrap_or_default();
            let count = own.chars().filter(|c| !c.is_ascii()).count();
            covered += if count > 1 { count } else { 0 };
            end = end.max(longest);
        }
        rare.sort_unstable();
        let scripts = rare.chunk_by(|one, other| one == other).filter(|block| block.len() >= MIN_CHARACTERS_OF_SCRIPT);
        let scripts = scripts.filter_map(|block| block.first().copied()).collect();
        (!sequences.is_empty()).then_some(Cleared {
            text,
            sequences,
            strays,
            leads,
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
            && self.sequences.iter().zip(&other.sequences).all(|(one, other)| one.decodings() == other.decodings())
    }

    /// Decodes each run that is likelier when decoded. If `needs_whole`, one of them must have a whole sequence.
    pub(super) fn decoded(self, line: &str, needs_whole: bool) -> Option<Layer> {
        let Cleared { text: cleared, sequences, scripts, leads, .. } = self;
        let mut all = Vec::new();
        // How far the cleared line is ahead of the line.
        let (mut removed, mut added) = (0, 0);
        let mut surroundings = Surroundings::of(&cleared);
        for run in runs(line, sequences) {
            let start = run.start + added - removed;
            for (start, decoding) in run.sequences.iter().filter_map(|one| Some((one.start, one.whole?))) {
                added += decoding.becomes.len_utf8();
                removed += decoding.end - start;
            }
            let end = run.end + added - removed;
            let is_whole = run.sequences.iter().any(Sequence::is_whole);
            all.push((run, is_whole, start..end));
        }
        let best = |paths: &[(f32, Path)]| paths.first().map_or(f32::MIN, |(gain, _)| *gain);
        // In most lines, no run is likelier with its whole sequences decoded, and nothing more is to be asked.
        let mut is_likelier = |(run, is_whole, place): &(Run, bool, Range<usize>)| {
            let context = surroundings.around(place.clone());
            let text = cleared.get(place.clone()).unwrap_or_default();
            *is_whole && run.rate(text, &context) > run.base(line, &context)
        };
        if needs_whole && !all.iter().any(&mut is_likelier) {
            return None;
        }
        let mut surroundings = Surroundings::of(&cleared);
        let ranked = all.into_iter().map(|(run, is_whole, place)| {
            let (paths, are_all) = run.ranked(line, &surroundings.around(place), &scripts);
            (run.start..run.end, is_whole, paths, are_all)
        });
        let ranked: Vec<_> = ranked.collect();
        let support: f32 = ranked.iter().map(|(_, _, paths, _)| best(paths).max(0.0)).sum();
        let (mut text, mut at, mut gain, mut left) =
            (String::new(), 0, -NATS_OF_RARE_CHARACTER * scripts.len() as f32, leads);
        for (range, is_whole, paths, are_all) in ranked {
            let least = if is_whole && support > MIN_NATS_OF_SUPPORT { -MAX_NATS_LOST_IF_SUPPORTED } else { 0.0 };
            let best = best(&paths);
            if best <= least {
                continue;
            }
            // A run that stays doubtful is nevertheless evidence for the encoding.
            gain += best.max(0.0);
            let rivals = paths.iter().map(|(gain, path)| (best - gain, *gain, path));
            let rivals = rivals.take_while(|(less, gain, _)| *less < MIN_NATS_OVER_RIVAL_GUESS && *gain > least);
            // Where they differ, the sequence is left.
            let Some((_, first)) = paths.first() else { continue };
            let known = first.choices.iter().zip(&first.guesses);
            let known = known.map(|(choice, is_guess)| choice.filter(|_| are_all || !is_guess));
            let mut agreed: Vec<Option<char>> = known.collect();
            for (less, _, rival) in rivals {
                let choices = agreed.iter_mut().zip(&rival.choices).zip(&first.guesses);
                for ((agreed, choice), is_guess) in choices {
                    let is_rival = *is_guess || less < MIN_NATS_OVER_RIVAL;
                    *agreed = agreed.filter(|agreed| !is_rival || Some(*agreed) == *choice);
                }
            }
            left += usize::from(first.choices != agreed);
            // Without a path of what they agree on, the likeliest is shown, but not certain.
            let chosen = paths.iter().find(|(_, path)| path.choices == agreed).or(paths.first());
            let Some((_, chosen)) = chosen else { continue };
            left += chosen.choices.iter().flatten().filter(|c| is_unknown(**c)).count();
            text.push_str(line.get(at..range.start).unwrap_or_default());
            text.push_str(&chosen.text);
            at = range.end;
        }
        text.push_str(line.get(at..).unwrap_or_default());
        (text != line).then_some(Layer { text, gain, left })
    }
}

/// Reports whether a character is a letter or digit of a script that the model does not know.
fn is_unknown(c: char) -> bool {
    c >= '\u{400}' && c.is_alphanumeric() && !Scorer::is_of_word(c) && !is_common(c)
}

/// What a run may be, and what that costs.
struct Path {
    text: String,
    /// The number of its bytes that were read, and what read them.
    read: usize,
    reader: Rc<Reader>,
    at: usize,
    price: f32,
    /// The decoding of each sequence; `None` if it is left unchanged, or is part of the previous one.
    choices: Vec<Option<char>>,
    /// For each of them, whether a byte is lost.
    guesses: Vec<bool>,
}

impl Run {
    /// Returns the decodings, each with its gain, the best first, and whether they are all.
    fn ranked(&self, line: &str, context: &Context<'_>, scripts: &[u32]) -> (Vec<(f32, Path)>, bool) {
        let old = line.get(self.start..self.end).unwrap_or_default();
        let base = self.base(line, context);
        let (paths, are_all) = self.decodings(line, scripts);
        let paths = paths.into_iter().filter(|path| path.text != old);
        let mut ranked: Vec<_> = paths.map(|path| (self.rate(&path.text, context) - base - path.price, path)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        (ranked, are_all)
    }

    /// Returns the score of the line as it stands.
    fn base(&self, line: &str, context: &Context<'_>) -> f32 {
        let old = line.get(self.start..self.end).unwrap_or_default();
        context.score(old).max(context.rubbish + rubbish(old))
    }

    /// Returns the score of the line with another text in its place.
    fn rate(&self, text: &str, context: &Context<'_>) -> f32 {
        // The surroundings may be rubbish, such as the escapes of an address.
        let score = context.score(text).max(score(text) + context.rubbish - NATS_OF_RUBBISH);
        // Another round may be left.
        if suspects(text) != 0 { score.max(context.rubbish + rubbish(text)) } else { score }
    }

    /// Returns the likeliest decodings, and whether they are all.
    fn decodings(&self, line: &str, scripts: &[u32]) -> (Vec<Path>, bool) {
        let first = Path {
            text: String::new(),
            read: 0,
            reader: Rc::new(Reader::default().read(" ")),
            at: self.start,
            price: 0.0,
            choices: Vec::new(),
            guesses: Vec::new(),
        };
        let (mut paths, mut are_all) = (vec![first], true);
        for sequence in &self.sequences {
            let mut longer = Vec::new();
            for mut path in paths {
                // What the sequence before took.
                if sequence.start < path.at {
                    path.choices.push(None);
                    path.guesses.push(false);
                    longer.push(path);
                    continue;
                }
                let between = line.get(path.at..sequence.start).unwrap_or_default();
                for decoding in sequence.decodings() {
                    let mut text = format!("{}{between}", path.text);
                    text.push(decoding.becomes);
                    let mut choices = path.choices.clone();
                    choices.push(Some(decoding.becomes));
                    let mut guesses = path.guesses.clone();
                    guesses.push(decoding.is_guess);
                    let rare = decoding.is_rare.then(|| u32::from(decoding.becomes) >> 8);
                    let is_new = rare.is_some_and(|block| !scripts.contains(&block));
                    let rarity = if is_new { NATS_OF_RARE_CHARACTER } else { 0.0 };
                    let price = path.price + decoding.price + rarity;
                    let (read, reader) = (path.read, Rc::clone(&path.reader));
                    longer.push(Path { text, read, reader, at: decoding.end, price, choices, guesses });
                }
                if !sequence.is_whole() {
                    path.choices.push(None);
                    path.guesses.push(false);
                    longer.push(path);
                }
            }
            if longer.len() > MAX_PATHS_PER_RUN {
                are_all = false;
                let cost = |path: &mut Path| {
                    let reader = Reader::clone(&path.reader).read(path.text.get(path.read..).unwrap_or_default());
                    (path.read, path.reader) = (path.text.len(), Rc::new(reader.clone()));
                    path.price - reader.ended().likeliest_of_priors(WEIGHT_OF_PRIORS)
                };
                let mut rated: Vec<_> = longer.into_iter().map(|mut path| (cost(&mut path), path)).collect();
                rated.sort_by(|one, other| one.0.total_cmp(&other.0));
                rated.truncate(MAX_PATHS_PER_RUN);
                longer = rated.into_iter().map(|(_, path)| path).collect();
            }
            paths = longer;
        }
        for path in &mut paths {
            path.text.push_str(line.get(path.at..self.end).unwrap_or_default());
        }
        (paths, are_all)
    }
}

/// Groups the sequences of a line into runs. A blank ends a run.
fn runs(line: &str, sequences: Vec<Sequence>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for sequence in sequences {
        let end = sequence.end();
        let near = runs.last_mut().filter(|run| run.sequences.len() < MAX_SEQUENCES_PER_RUN).filter(|run| {
            let between = line.get(run.end..sequence.start);
            between.is_none_or(|between| {
                between.len() <= MAX_BYTES_WITHIN_RUN && !between.contains([' ', '\t', '\n', '\r'])
            })
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
