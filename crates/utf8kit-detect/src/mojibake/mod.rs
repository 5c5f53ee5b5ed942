//! Mojibake: text that was decoded from a wrong encoding, once or several times.
//!
//! ```text
//! line -> its escapes (`\u00c3`, `&Atilde;`) become characters, and are written again at the end
//!      -> which encodings may UTF-8 have gone through?                         (mostly none: done)
//!         for each: undo it, run by run, where the result is likelier
//!         if none: the whole line may be in one encoding and have been read in another
//!         or an exact map applies: ISO-2022-JP without escape characters, letters of a tokenizer
//!      -> one is likelier than the others by a margin: repeat with it, because there may be several rounds
//!         several are about equally likely: the line is doubtful
//! ```

mod byte_maps;
mod detours;
mod east_asian;
mod encodings;
mod escapes;
mod evidence;
mod find;
mod layer;
mod pairs;
mod prices;
mod sequences;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::fmt;

pub use detours::Detours;
use detours::Pairs;
use encodings::{ENCODINGS, is_control, suspects};
use escapes::EscapedLine;
pub use evidence::Evidence;
pub use find::{Garbled, first_garbled};
use layer::{Cleared, score, score_or_rubbish};
use prices::*;
use sequences::{are_all_whole, has_whole, is_all_bytes};
use utf8kit_encodings::charset::Legacy;

/// The number of encodings at the start of the list that are responsible for most mojibake.
const FREQUENT_ENCODINGS: usize = 3;

/// The number of other non-ASCII characters per whole sequence above which the sequences may be there by chance.
const STRAYS_PER_SEQUENCE: usize = 4;

/// The most rounds.
const MAX_ROUNDS: usize = 8;

/// A candidate for the original of a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The original line.
    pub text: String,
    /// How it was garbled, the last round first.
    pub how: How,
    /// How many nats likelier it is than the garbled line, after the price of the garbling is subtracted.
    pub score: f32,
    /// The encodings that the last round may have read it in.
    pub detours: Detours,
    /// The number of damaged places with several possible readings, which were left unchanged.
    pub left: usize,
    /// The number of non-ASCII characters that were not garbled in this way.
    strays: usize,
}

/// The rounds in which a text was garbled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct How(Vec<(&'static str, &'static str)>);

impl How {
    /// Returns the encoding in which the last round wrote the text.
    pub fn written_as(&self) -> Option<&'static str> {
        self.0.first().map(|(written, _)| *written)
    }

    /// Returns the encoding in which the last round read the text.
    pub fn read_as(&self) -> Option<&'static str> {
        self.0.first().map(|(_, read)| *read)
    }

    /// Returns for each round, the first one first, the encoding of the text and the one that it was read in.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().rev().copied()
    }

    /// Reports whether the only damage is that characters of another encoding were read as controls.
    fn read_controls(&self) -> bool {
        !self.was_utf8() && self.0.iter().all(|(_, read)| *read == "latin1")
    }

    /// Reports whether the text was UTF-8 in any round.
    fn was_utf8(&self) -> bool {
        self.0.iter().any(|(written, _)| *written == "UTF-8")
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for steps in self.0.chunk_by(|one, other| one == other) {
            let Some((written, read)) = steps.first() else { continue };
            if !first {
                f.write_str("; ")?;
            }
            first = false;
            write!(f, "{written}, read as {read}")?;
            match steps.len() {
                1 => {}
                2 => f.write_str(", twice")?,
                times => write!(f, ", {times} times")?,
            }
        }
        Ok(())
    }
}

/// The result of repairing a line.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The line is not mojibake.
    Clean,
    /// The line is mojibake, with this original.
    Repaired(Candidate),
    /// The line may be mojibake. These are the candidates for its original, the likeliest first.
    Doubtful(Vec<Candidate>),
}

impl Outcome {
    /// Returns the candidates for the original, the likeliest first.
    pub(crate) fn into_candidates(self) -> Vec<Candidate> {
        match self {
            Outcome::Clean => Vec::new(),
            Outcome::Repaired(was) => vec![was],
            Outcome::Doubtful(all) => all,
        }
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        match self {
            Outcome::Clean => [].iter(),
            Outcome::Repaired(was) => std::slice::from_ref(was).iter(),
            Outcome::Doubtful(all) => all.iter(),
        }
    }
}

/// Repairs a line, using only the line itself as evidence.
///
/// ```
/// use utf8kit_detect::mojibake::{Outcome, repair_line};
///
/// let Outcome::Repaired(was) = repair_line("voil\u{C3}\u{A0}, it\u{E2}\u{20AC}\u{2122}s") else { panic!() };
/// assert_eq!(was.text, "voil\u{E0}, it\u{2019}s");
/// assert_eq!(was.how.to_string(), "UTF-8, read as windows-1252");
/// assert_eq!(repair_line("voil\u{E0}, it\u{2019}s"), Outcome::Clean);
/// // Escapes stay escapes, and other encodings than UTF-8 are also taken for each other.
/// let Outcome::Repaired(was) = repair_line(r#""Zo\u00c3\u00ab""#) else { panic!() };
/// assert_eq!(was.text, r#""Zo\u00eb""#);
/// let Outcome::Repaired(was) = repair_line("\u{C2}\u{E5}\u{F7}\u{E5}\u{F0}\u{ED}\u{E8}\u{E9}") else { panic!() };
/// assert_eq!((&*was.text, &*was.how.to_string()), ("Вечерний", "windows-1251, read as windows-1252"));
/// // A lost blank may have been there: alone, the line is doubtful.
/// let Outcome::Doubtful(candidates) = repair_line("Il va \u{C3}  la gare") else { panic!() };
/// assert_eq!(candidates[0].text, "Il va \u{E0} la gare");
/// ```
pub fn repair_line(line: &str) -> Outcome {
    repair_with_detours(line, Detours::default())
}

/// Returns the original of a line that is certainly mojibake; otherwise `None`.
///
/// ```
/// use utf8kit_detect::mojibake::fix_mojibake;
///
/// assert_eq!(fix_mojibake("caf\u{C3}\u{A9}").as_deref(), Some("caf\u{E9}"));
/// assert_eq!(fix_mojibake("caf\u{E9}"), None);
/// ```
pub fn fix_mojibake(line: &str) -> Option<String> {
    match repair_line(line) {
        Outcome::Repaired(was) => Some(was.text),
        Outcome::Clean | Outcome::Doubtful(_) => None,
    }
}

/// Reports whether any line of a text may be mojibake, and so is worth examining.
pub fn may_be_mojibake(text: &str) -> bool {
    let is_possible = |text: &str| {
        suspects(text) != 0 || pairs::may_be(text) || byte_maps::may_be(text) || text.lines().any(east_asian::may_be)
    };
    is_possible(text) || text.lines().any(|line| EscapedLine::of(line).is_some_and(|line| is_possible(&line.text)))
}

/// Repairs a line, given the encodings that other lines of the text went through.
pub(crate) fn repair_with_detours(line: &str, proven: Detours) -> Outcome {
    let Some(escaped) = EscapedLine::of(line) else { return repair_plain(line, proven) };
    let again = |was: Candidate| Candidate { text: escaped.written(&was.text), ..was };
    match repair_plain(&escaped.text, proven) {
        Outcome::Clean => Outcome::Clean,
        found
            if !escaped.has_marks_of_text() && found.candidates().all(|was| was.how.read_controls())
                || escaped.is_program_text() && !found.candidates().any(|was| was.how.was_utf8()) =>
        {
            Outcome::Clean
        }
        Outcome::Repaired(was) => Outcome::Repaired(again(was)),
        Outcome::Doubtful(all) => Outcome::Doubtful(all.into_iter().map(again).collect()),
    }
}

/// Repairs a line that has no escapes.
fn repair_plain(line: &str, proven: Detours) -> Outcome {
    let (mut done, mut last): (Option<Candidate>, _) = (None, Detours::default());
    for _ in 0..MAX_ROUNDS {
        // Do not undo another round if this one left doubtful places.
        if done.as_ref().is_some_and(|done| done.left > 0) {
            break;
        }
        let text = done.as_ref().map_or(line, |done| &done.text);
        let mut found = round(text, proven, done.as_ref());
        found.retain(|one| {
            one.score >= MIN_NATS_GAINED - if done.is_none() { MAX_NATS_OF_DOUBT_AT_FIRST } else { MAX_NATS_OF_DOUBT }
        });
        let Some(best) = found.first() else { break };
        let (left, strays) = (best.left, best.strays);
        let has_controls = text.contains(is_control);
        let least = |rival: &Candidate| {
            let is_equal = rival.score > MIN_NATS_GAINED
                && rival.left <= left
                && rival.strays <= strays
                && rival.detours.is_any_known()
                // Which encoding controls were in is judged by the text alone.
                && (!has_controls || rival.how.was_utf8());
            let more = if rival.detours.is_empty() { 0 } else { strays.saturating_sub(rival.strays) };
            if is_equal {
                MIN_NATS_OVER_RIVAL_ENCODING + NATS_PER_STRAY_OF_RIVAL * more as f32
            } else {
                MIN_NATS_OVER_RIVAL
            }
        };
        let is_close = found.get(1).is_some_and(|second| best.score - second.score < least(second));
        if best.score < MIN_NATS_GAINED || is_close {
            let best = best.score;
            found.retain(|one| best - one.score < least(one).max(MAX_NATS_OF_DOUBT));
            // Candidates include the rounds already undone.
            let whole = |one| match done.clone() {
                Some(done) => done.then(one),
                None => one,
            };
            return Outcome::Doubtful(found.into_iter().map(whole).collect());
        }
        let best = found.swap_remove(0);
        last = best.detours;
        done = Some(match done {
            Some(before) => before.then(best),
            None => best,
        });
    }
    // A result with more controls than the line is a round that is yet to be undone.
    let controls = |text: &str| text.chars().filter(|&c| is_control(c)).count();
    let is_text = |was: &Candidate| controls(&was.text) <= controls(line);
    match done.filter(is_text) {
        None => Outcome::Clean,
        Some(was) if was.left > 0 || is_left(&was.text, last) => Outcome::Doubtful(vec![was]),
        Some(was) => Outcome::Repaired(was),
    }
}

/// Reports whether a repair left something that the same encoding explains. Other rounds see all but small Cyrillic
/// letters.
fn is_left(text: &str, detours: Detours) -> bool {
    let mut encodings = ENCODINGS.iter().enumerate().filter(|(at, _)| detours.has(*at)).map(|(_, encoding)| encoding);
    encodings.any(|encoding| {
        Cleared::of(encoding, text).is_some_and(|cleared| cleared.has_cyrillic) || is_all_bytes(encoding, text)
    })
}

impl Candidate {
    /// Returns the names of the encodings that it may have been misdecoded in, the most frequent first.
    pub fn ways(&self) -> impl Iterator<Item = &'static str> {
        let other = self.how.read_as().filter(|_| self.detours.is_empty());
        self.detours.names().chain(other)
    }

    fn then(mut self, next: Candidate) -> Candidate {
        self.how.0.extend(next.how.0);
        Candidate {
            text: next.text,
            how: self.how,
            score: self.score + next.score,
            left: next.left,
            strays: next.strays,
            detours: self.detours,
        }
    }
}

/// Returns candidates for a line before its last decoding in a wrong encoding, the likeliest first. A candidate with a
/// negative score is less likely than the line itself.
///
/// ```
/// use utf8kit_detect::mojibake::candidates;
///
/// let found = candidates("p\u{102}\u{104} sl\u{102}\u{104}tt");
/// let found: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.how.to_string())).collect();
/// assert_eq!(found[0], ("p\u{E5} sl\u{E5}tt", "UTF-8, read as windows-1250".to_owned()));
/// ```
pub fn candidates(line: &str) -> Vec<Candidate> {
    round(line, Detours::default(), None)
}

fn round(line: &str, proven: Detours, before: Option<&Candidate>) -> Vec<Candidate> {
    let suspects = suspects(line);
    let mut found: Vec<Candidate> = Vec::new();
    let mut cleared: Vec<(Cleared, Detours, f32)> = Vec::new();
    let asked = ENCODINGS.iter().enumerate().filter(|(at, _)| suspects >> at & 1 == 1);
    // An encoding that explains fewer characters than another one is not a rival, and weighing its damage takes long.
    let explain_all = asked.clone().filter(|(_, encoding)| are_all_whole(encoding, line));
    let explain_all = explain_all.fold(0, |all, (at, _)| all | 1 << at);
    let is_rival = |at: usize| explain_all == 0 || explain_all >> at & 1 == 1;
    // Whether pairs are asked for depends on those that most text goes through.
    let is_frequent = |at: usize| at < FREQUENT_ENCODINGS && explain_all & ((1 << FREQUENT_ENCODINGS) - 1) == 0;
    for (at, encoding) in asked.filter(|(at, _)| is_rival(*at) || is_frequent(*at)) {
        let needs_whole = at > 0 && !proven.has(at);
        if needs_whole && cleared.is_empty() && !has_whole(encoding, line) {
            continue;
        }
        let Some(new) = Cleared::of(encoding, line) else { continue };
        // Damaged sequences alone are evidence only for the most frequent encoding.
        if new.whole == 0 && needs_whole && !cleared.first().is_some_and(|(first, ..)| first.is_like(&new)) {
            continue;
        }
        let price = match (proven.has(at), before) {
            (true, _) => NATS_OF_MISREADING_AGAIN,
            (_, Some(before)) if before.detours.has(at) => encoding.price + NATS_OF_MISREADING_TWICE,
            _ => encoding.price + NATS_OF_MISREADING,
        };
        match cleared.iter_mut().find(|(other, ..)| other.is_like(&new)) {
            Some((_, detours, least)) => {
                detours.add(Detours::of(at));
                *least = least.min(price);
            }
            None => cleared.push((new, Detours::of(at), price)),
        }
    }
    let most = cleared.iter().filter(|(_, detours, _)| (0..FREQUENT_ENCODINGS).any(|at| detours.has(at)));
    let covered = most.map(|(cleared, ..)| cleared.covered).max().unwrap_or_default();
    let has_sequences_of_controls = cleared.iter().any(|(cleared, ..)| cleared.has_controls);
    let whole = cleared.iter().map(|(cleared, ..)| cleared.whole).max().unwrap_or_default();
    cleared.retain(|(cleared, detours, _)| match explain_all {
        0 => cleared.whole * 4 >= whole * 3,
        _ => (0..ENCODINGS.len()).any(|at| detours.has(at) && is_rival(at)),
    });
    for (cleared, detours, price) in cleared {
        let strays = cleared.strays;
        let price = price + (NATS_PER_STRAY * strays as f32).min(MAX_NATS_OF_STRAYS);
        // Most of the line did not go that way, unless characters are lost.
        let needs_whole = strays > STRAYS_PER_SEQUENCE * cleared.whole
            && !detours.has(0)
            && !detours.and(proven).is_any_known()
            && !line.contains('\u{FFFD}');
        let Some(layer) = cleared.decoded(line, needs_whole) else { continue };
        let how = How(detours.names().take(1).map(|name| ("UTF-8", name)).collect());
        found.push(Candidate { text: layer.text, how, score: layer.gain - price, detours, left: layer.left, strays });
    }
    let base = LazyCell::new(|| score_or_rubbish(line));
    if before.is_none() {
        let all = east_asian::candidates(line, |at| proven.pairs().has(Pairs::of_east_asian(at)));
        found.extend(all.map(|was| Candidate {
            // A character that is lost would cost what others do.
            score: score(&was.text.replace('\u{FFFD}', ""))
                - NATS_OF_LOST_BYTE_IN_EAST_ASIA * was.lost as f32
                - *base
                - was.price,
            text: was.text,
            how: How(vec![("UTF-8", was.read)]),
            detours: Detours::of_pairs(Pairs::of_east_asian(was.at)),
            left: was.lost,
            strays: 0,
        }));
    }
    if let Some(was) = byte_maps::of(line).filter(|_| before.is_none()) {
        found.push(Candidate {
            score: score(&was.text) - score(line).max(was.base) - was.price,
            text: was.text,
            how: How(vec![(was.written, was.read)]),
            detours: Detours::default(),
            left: 0,
            strays: 0,
        });
    }
    // Sequences of UTF-8 do not occur by chance, or just here and there.
    let non_ascii = line.chars().filter(|c| !c.is_ascii()).count();
    if before.is_none() && (covered < 3 || covered * 4 < non_ascii * 3 || !proven.pairs().is_empty()) {
        let pairs = pairs::candidates(line, proven.pairs());
        found.extend(pairs.into_iter().map(|was| Candidate {
            text: was.text,
            how: How(vec![(was.written, was.read)]),
            score: was.score,
            detours: Detours::of_pairs(was.pairs),
            left: usize::from(was.is_unsure),
            strays: 0,
        }));
    }
    if line.contains(is_control)
        && !has_sequences_of_controls
        && !found.iter().any(|one| one.how.read_controls())
        && let Some(legacy) = Legacy::labelled("windows-1252")
    {
        let read = |c: char| legacy.text_of(&[c as u8]).and_then(|text| text.chars().next()).unwrap_or(c);
        let text: String = line.chars().map(|c| if is_control(c) { read(c) } else { c }).collect();
        if text != line {
            // What reads as nothing either way is rubbish, and a control in it tells nothing.
            let score = score(&text) - *base - NATS_OF_CONTROL;
            found.push(Candidate {
                text,
                how: How(vec![("windows-1252", "latin1")]),
                score,
                detours: Detours::default(),
                left: 0,
                strays: 0,
            });
        }
    }
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    // The same by way of two encodings.
    found.dedup_by(|one, other| {
        one.text == other.text && {
            other.left = other.left.min(one.left);
            // Reading windows-1252 as Latin-1 is not evidence for any pair.
            if other.detours.is_any_known() {
                other.detours.add(one.detours);
            }
            true
        }
    });
    found
}
