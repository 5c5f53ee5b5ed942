//! Detects an encoding from the bytes of a file. The first conclusive kind of evidence wins:
//!
//! ```text
//! byte order mark -> NULs as in UTF-16 or UTF-32 -> UTF-8, encoded once or twice -> features of a dialect
//!                 -> UTF-8 in some lines -> UTF-8 with errors -> legacy encodings
//! ```

use std::cell::{LazyCell, OnceCell};
use std::ops::{Deref, Range, RangeInclusive};

use utf8kit::{AnyEncoding, Encoding as _, Error, ErrorKind, Item, Piece, Utf8};
use utf8kit_encodings::artifact::{self, Artifact, ArtifactRepairer, Artifacts};
use utf8kit_encodings::charset::{Codec, Legacy, has_bom};
use utf8kit_encodings::display::{Hex, counted};

use crate::detect::confidence::Confidence;
use crate::detect::declaration::Declaration;
use crate::detect::errors::Errors;
use crate::detect::excerpt::nats_of_nuls;
use crate::detect::guess::{Guess, guess};
use crate::detect::legacy::{Best, Doubt};
use crate::detect::lines::Lines;
use crate::detect::posterior::Posterior;
use crate::detect::sequences::{Shapes, sequences, without_sequences};
use crate::detect::sniff;
use crate::detect::suggestion::{Action, Suggestion};
use crate::detect::{declaration, ebcdic, escapes, legacy, truncation};
use crate::model::Scorer;
use crate::model::encodings::{Candidate, SHORT_MESSAGES};
use crate::mojibake::{Outcome, repair_line};

/// The most bytes of a file that are examined. Only the check for UTF-8 covers the whole file.
pub const SAMPLE: usize = 1024 * 1024;

/// The log-probability that a text changes its encoding, for a part between two others.
const NATS_OF_PART: f32 = -24.0;

/// The available information about an input.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sample<'b> {
    /// Its first bytes.
    pub bytes: &'b [u8],
    /// Whether `bytes` is the whole input.
    pub whole: bool,
    /// The first error in the whole file as UTF-8.
    pub error: Option<Error>,
}

impl<'b> Sample<'b> {
    /// Describes an input by its first bytes, whether they are all of it, and its first error as UTF-8.
    pub fn new(bytes: &'b [u8], whole: bool, error: Option<Error>) -> Sample<'b> {
        Sample { bytes, whole, error }
    }
}

impl Sample<'_> {
    /// Weighs the evidence and returns the best guess.
    pub fn weigh(self) -> Guess {
        if self.bytes.is_empty() {
            return guess("utf-8", Confidence::Certain, "empty: the same in every encoding".to_owned());
        }
        let posterior = LazyCell::new(|| Posterior::of(self.bytes));
        let whole = self
            .with_artifact()
            .or_else(|| self.after_wrong_mark())
            .or_else(|| self.mark())
            .or_else(|| self.short_messages())
            .or_else(|| self.wide(&posterior))
            .or_else(|| self.utf8())
            .or_else(|| self.dialect());
        let whole = whole.or_else(|| self.ebcdic(&posterior)).or_else(|| self.cut_off());
        let mut found = whole.unwrap_or_else(|| {
            let lines = self.lines();
            let best = Bests {
                sample: self,
                lines: &lines,
                posterior: &posterior,
                of_all: OnceCell::new(),
                of_others: OnceCell::new(),
            };
            let utf8 = self.mixed(&lines, &best).or_else(|| self.broken_utf8(&lines, &best));
            utf8.unwrap_or_else(|| self.legacy(&lines, &best))
        });
        if self.whole && !found.is_text(self.bytes) {
            found.limit = Confidence::Possible;
        }
        found
    }

    /// Reports whether the sample is well formed, apart from an item that its end cuts off.
    fn is_well_formed(self, encoding: AnyEncoding) -> bool {
        let mut errors = encoding.errors(self.bytes);
        errors.next().is_none_or(|error| {
            !self.whole && error.kind == ErrorKind::Truncated && error.range().end == self.bytes.len()
        })
    }

    /// Checks for lossless damage, without which the input is UTF-8.
    fn with_artifact(self) -> Option<Guess> {
        if self.error.is_none() && !self.bytes.contains(&0) {
            return None;
        }
        let Artifacts { artifact, places, is_sure, .. } = artifact::find(self.bytes, self.whole)?;
        if artifact == Artifact::Utf16 && (self.is_likelier_utf16(places) || self.is_likelier_nul_separated(places)) {
            return None;
        }
        let confidence = if is_sure { Confidence::Certain } else { Confidence::Possible };
        let evidence = format!("{}, and well-formed UTF-8 after the repair", counted(places, "place"));
        let mut found = guess("utf-8", confidence, evidence);
        (found.artifact, found.action, found.reads_well) = (Some(artifact), Some(Action::Artifact(artifact)), true);
        let of_others = (artifact == Artifact::Utf16 && !is_sure).then(|| self.with_utf16_parts(places)).flatten();
        Some(of_others.unwrap_or(found))
    }

    /// Reports whether all of it reads better as UTF-16 than as UTF-8 with some parts in UTF-16.
    fn is_likelier_utf16(self, parts: u64) -> bool {
        let utf16 = [AnyEncoding::Utf16Le, AnyEncoding::Utf16Be];
        let marked = utf16.into_iter().find(|&encoding| has_bom(encoding, self.bytes));
        let all = utf16.into_iter().filter(|&encoding| marked.is_none_or(|marked| marked == encoding));
        let all = all.filter(|&encoding| self.is_well_formed(encoding));
        let all = all.filter_map(|encoding| Codec::Native(encoding).text_of(self.bytes));
        self.score_with_parts(parts).is_some_and(|mixed| all.map(|text| score(text.chars())).any(|score| score > mixed))
    }

    /// Reports whether it reads better as UTF-8 in which NULs separate or fill fields than as UTF-8 with some parts in
    /// UTF-16.
    fn is_likelier_nul_separated(self, parts: u64) -> bool {
        let Ok(text) = std::str::from_utf8(self.bytes) else { return false };
        let text = score(text.chars().map(|c| if c == '\0' { '\n' } else { c })) + nats_of_nuls(self.bytes);
        self.score_with_parts(parts).is_some_and(|mixed| text > mixed)
    }

    /// Returns the log-probability of it as UTF-8 with some parts in UTF-16, if the rest is UTF-8.
    fn score_with_parts(self, parts: u64) -> Option<f32> {
        let mixed = String::from_utf8(self.with_utf16_decoded()).ok()?;
        Some(score(mixed.chars()) + NATS_OF_PART * parts as f32)
    }

    /// Decodes the parts in UTF-16.
    fn with_utf16_decoded(self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.bytes.len());
        let mut repairer = ArtifactRepairer::new(Artifact::Utf16);
        repairer.push(self.bytes, Piece::last_if(self.whole), &mut text, &mut |_, _, _| {});
        text
    }

    /// Weighs the evidence of a text once its parts in UTF-16 are UTF-8, if the others are in another encoding.
    fn with_utf16_parts(self, places: u64) -> Option<Guess> {
        let text = self.with_utf16_decoded();
        let error = utf8kit::validate(&text).err();
        let mut found = Sample { bytes: &text, error, ..self }.weigh();
        let is_legacy = found.mixed.is_some() || found.encoding != Some(AnyEncoding::Utf8.name());
        found.evidence.insert(0, format!("{} in UTF-16", counted(places, "part")));
        found.artifact = Some(Artifact::Utf16);
        (is_legacy && found.encoding.is_some()).then_some(found)
    }

    /// Weighs the evidence of the bytes without NULs, if these occur here and there in text.
    fn without_nuls(self) -> Option<Guess> {
        let start = self.bytes.iter().position(|byte| *byte != 0)?;
        let text = self.bytes.get(start.saturating_sub(1)..)?;
        if !artifact::is_text_with_nuls(text.get(..sniff::SNIFF_LEN).unwrap_or(text)) {
            return None;
        }
        let text = artifact::without_nuls(text);
        let error = utf8kit::validate(&text).err();
        let mut found = Sample { bytes: &text, error, ..self }.weigh();
        let nuls = (self.bytes.len() - text.len()) as u64;
        found.evidence.insert(0, format!("contains {}", counted(nuls, "NUL")));
        found.artifact = found.artifact.or(Some(Artifact::Nuls));
        Some(found)
    }

    /// Checks for the byte order mark of UTF-16 before text that is not. In another encoding, the mark is not text.
    fn after_wrong_mark(self) -> Option<Guess> {
        let marked = sniff::wrong_mark(self.bytes)?;
        let text = self.bytes.get(marked.unit()..)?;
        let mut found = Sample { bytes: text, error: utf8kit::validate(text).err(), ..self }.weigh();
        found.evidence.insert(0, format!("begins with the byte order mark of {marked}, but is not {marked}"));
        let is_utf8 = found.is_well_formed();
        found.confidence = if is_utf8 { Confidence::Likely } else { Confidence::Possible };
        found.action = if is_utf8 { Some(Action::ReplaceErrors) } else { found.action };
        found.limit = found.confidence;
        Some(found)
    }

    /// Checks for a byte order mark.
    fn mark(self) -> Option<Guess> {
        use AnyEncoding as E;
        let swapped = sniff::swapped(self.bytes).filter(|(_, other)| self.is_well_formed(*other));
        if let Some((encoding, other)) = swapped {
            let evidence = format!("begins with the byte order mark of {encoding}, but reads as text in {other}");
            let mut found = guess(other.name(), Confidence::Likely, evidence);
            found.action = Some(Action::Convert { from: other.into(), strip_bom: true });
            return Some(found);
        }
        // UTF-32 first, because its little-endian byte order mark begins with the mark of UTF-16.
        let marked = [E::Utf32Le, E::Utf32Be, E::Utf8, E::Utf16Le, E::Utf16Be];
        let Some(encoding) = marked.into_iter().find(|&e| has_bom(e, self.bytes) && self.is_well_formed(e)) else {
            return self.compressed();
        };
        if encoding == E::Utf8 && self.error.is_some() {
            return None;
        }
        let evidence = format!("begins with the byte order mark of {encoding}, and is well formed");
        let is_partly = sniff::AsciiLines::are_in(encoding, self.bytes);
        let confidence = if is_partly { Confidence::Possible } else { Confidence::Certain };
        let mut found = guess(encoding.name(), confidence, evidence);
        let converted = || Action::Convert { from: encoding.into(), strip_bom: true };
        found.action = (encoding != E::Utf8 && !is_partly).then(converted);
        found.evidence.extend(is_partly.then(|| "some of its lines are ASCII in single bytes".to_owned()));
        match encoding {
            E::Utf8 => self.note(&mut found),
            _ if !is_partly && artifact::are_joined(encoding, self.bytes) => {
                found.artifact = Some(Artifact::Marks);
            }
            _ => {}
        }
        Some(found)
    }

    /// Checks for the byte order mark of an encoding that compresses.
    fn compressed(self) -> Option<Guess> {
        let name = ["BOCU-1", "SCSU"].into_iter().find(|name| {
            let legacy = Legacy::labelled(name);
            legacy.is_some_and(|legacy| {
                let has_mark = Codec::Legacy(legacy).mark_in(self.bytes) > 0;
                has_mark && (!self.whole || legacy.text_of(self.bytes).is_some())
            })
        })?;
        let evidence = format!("begins with the byte order mark of {name}, and is well formed");
        let mut found = guess(name, Confidence::Likely, evidence);
        let from = name.parse().ok()?;
        found.action = Some(Action::Convert { from, strip_bom: true });
        Some(found)
    }

    /// Checks for short messages, in which some ASCII controls are letters.
    fn short_messages(self) -> Option<Guess> {
        if !escapes::may_be_short_messages(self.bytes) {
            return None;
        }
        let codec = Codec::Legacy(Legacy::labelled(SHORT_MESSAGES)?);
        let is_native = |one: &Candidate| matches!(one.codec, Codec::Native(_));
        if Posterior::with(codec, self.bytes, is_native) != Some(0.0) {
            return None;
        }
        let evidence = "seven-bit data whose controls are letters in short messages".to_owned();
        let mut found = guess(SHORT_MESSAGES, Confidence::Likely, evidence);
        found.action = convertible(SHORT_MESSAGES);
        Some(found)
    }

    /// Checks for UTF-16 and UTF-32, and for bytes that are not text.
    fn wide(self, posterior: &dyn Deref<Target = Posterior>) -> Option<Guess> {
        let head = self.bytes.get(..sniff::SNIFF_LEN).unwrap_or(self.bytes);
        let nuls = head.iter().filter(|&&byte| byte == 0).count() as u64;
        // Valid UTF-8 that is not ASCII is UTF-8.
        if nuls == 0 && self.error.is_none() && (!head.is_ascii() || escapes::find(self.bytes).is_some()) {
            return None;
        }
        let is_sure = nuls > 0 || self.error.is_none();
        if !is_sure && posterior.encodings.first().is_none_or(|best| !best.codec.is_wide()) {
            return None;
        }
        match sniff::wide(head) {
            Some(encoding) if is_sure || is_likeliest(encoding, posterior) => {
                let evidence = format!("without a byte order mark, but well formed, and reads as text in {encoding}");
                let is_partly = sniff::AsciiLines::are_in(encoding, self.bytes);
                let confidence = if is_partly { Confidence::Possible } else { Confidence::Likely };
                let mut found = guess(encoding.name(), confidence, evidence);
                found.action = (!is_partly).then(|| Action::convert(encoding.into()));
                Some(found)
            }
            None if nuls > 0 && self.error.is_some() => {
                if let Some(found) = self.without_nuls() {
                    return Some(found);
                }
                if let Some(encoding) = sniff::likely_wide(head) {
                    let evidence =
                        format!("reads as text in {encoding}, but some of its lines are ASCII in single bytes");
                    return Some(guess(encoding.name(), Confidence::Possible, evidence));
                }
                let evidence = format!("{} not explained by UTF-16 or UTF-32, and not UTF-8", counted(nuls, "NUL"));
                let binary = guess("", Confidence::Likely, evidence);
                Some(Guess { encoding: None, ..binary })
            }
            None if artifact::has_stray_nuls(head) => self.without_nuls().map(|mut found| {
                found.action = found.action.or(Some(Action::Artifact(Artifact::Nuls)));
                found
            }),
            _ => None,
        }
    }

    /// Checks for UTF-8, encoded once or twice.
    fn utf8(self) -> Option<Guess> {
        if self.error.is_some() {
            return None;
        }
        let non_ascii = self.bytes.iter().filter(|byte| !byte.is_ascii()).count() as u64;
        if non_ascii == 0 {
            if let Some((name, evidence)) = escapes::find(self.bytes) {
                let mut found = guess(name, Confidence::Likely, evidence.to_owned());
                let fits = |legacy: Legacy| !self.whole || legacy.text_of(self.bytes).is_some();
                found.action = convertible(name).filter(|_| Legacy::labelled(name).is_some_and(fits));
                return Some(found);
            }
            let evidence = "ASCII only: the same in every ASCII-compatible encoding".to_owned();
            let mut found = guess("utf-8", Confidence::Certain, evidence);
            if sniff::may_be_wide(self.bytes.get(..sniff::SNIFF_LEN).unwrap_or(self.bytes)) {
                found.confidence = Confidence::Possible;
                found.evidence.push("with NULs as in UTF-16 or UTF-32".to_owned());
            }
            return Some(found);
        }
        let evidence = format!("well-formed UTF-8, {} examined", counted(non_ascii, "non-ASCII byte"));
        let mut found = guess("utf-8", Confidence::Certain, evidence);
        if let Some((name, evidence)) = escapes::designated(self.bytes) {
            found.mixed = Some(name);
            found.evidence.push(format!("some of it is {name}, by {evidence}"));
        }
        if let Some((name, example)) = self.misdecoded() {
            found.evidence.push(format!("encoded as {name}, it is UTF-8 again, as in {example}"));
            found.misdecoded_as = Some(name);
            found.action = Some(Action::FixMojibake);
        }
        self.note(&mut found);
        Some(found)
    }

    /// Notes problems of valid UTF-8: byte order marks within it, controls, lost text, a declaration of another
    /// encoding.
    fn note(self, found: &mut Guess) {
        if let Some(Artifacts { artifact, places, is_sure, .. }) =
            artifact::find_in_utf8(self.bytes).filter(|_| found.misdecoded_as.is_none())
        {
            found.evidence.push(format!("{} of {}", counted(places, "place"), artifact.about()));
            (found.artifact, found.action) = (Some(artifact), Some(Action::Artifact(artifact)));
            found.limit = if is_sure { Confidence::Certain } else { Confidence::Likely };
        }
        found.notes.extend(lost(self.bytes));
        if let Some(declared) = declaration::find(self.bytes).filter(Declaration::is_other_than_utf8) {
            let Declaration { place, charset, .. } = declared;
            found.notes.push(format!("its {place} says {charset}, but it is UTF-8"));
        }
    }

    /// Checks whether lines of UTF-8 were decoded from a wrong encoding and encoded again. Returns the encoding and an
    /// example.
    fn misdecoded(self) -> Option<(&'static str, String)> {
        let text = std::str::from_utf8(utf8kit::truncate(self.bytes, self.bytes.len())).ok();
        let text = text.or_else(|| {
            // The sample may end within a sequence.
            let end = Utf8.errors(self.bytes).next()?.valid_up_to();
            std::str::from_utf8(self.bytes.get(..end)?).ok()
        })?;
        let mut lines = text.lines().filter(|line| !line.is_ascii());
        let (line, was) = lines.find_map(|line| match repair_line(line) {
            Outcome::Repaired(was) if !was.detours.is_empty() => Some((line, was)),
            _ => None,
        })?;
        let mut words = line.split_whitespace().zip(was.text.split_whitespace());
        let (first, _) = words.find(|(before, after)| before != after).unwrap_or((line, ""));
        let start: String = first.chars().filter(|c| !c.is_control()).take(12).collect();
        Some((was.how.read_as()?, format!("\"{start}\"")))
    }

    /// Checks for features that only a dialect has: CESU-8 pairs, C0 80, lone surrogates, sequences of five and six
    /// bytes.
    fn dialect(self) -> Option<Guess> {
        type IsMark = fn(&[u8]) -> bool;
        let has = |is_mark: IsMark, len| self.bytes.windows(len).any(is_mark);
        let pair: IsMark = |w| matches!(w, [0xED, 0xA0..=0xAF, _, 0xED, 0xB0..=0xBF, _]);
        let surrogate: IsMark = |w| matches!(w, [0xED, 0xA0..=0xBF, 0x80..=0xBF]);
        let marks: [(AnyEncoding, IsMark, usize, &str); 6] = [
            (AnyEncoding::Cesu8, pair, 6, "surrogate pairs in three bytes each, as Oracle and MySQL wrote them"),
            (AnyEncoding::Mutf8, |w| w == [0xC0, 0x80], 2, "NUL written as C0 80, as Java does"),
            (AnyEncoding::Wtf8, surrogate, 3, "lone surrogates, as in Windows file names"),
            (AnyEncoding::Mutf8, surrogate, 3, "surrogates, paired and alone"),
            (AnyEncoding::Utf8Bits21, |w| w[0] >= 0xF4, 1, "values above 10FFFF in four bytes"),
            (AnyEncoding::Utf8Bits31, |w| w[0] >= 0xF8, 1, "sequences of five or six bytes"),
        ];
        // Other text is malformed from its first bytes.
        let mut found = marks.into_iter();
        let (encoding, _, _, mark) =
            found.find(|&(encoding, marked, len, _)| self.is_well_formed(encoding) && has(marked, len))?;
        let evidence = format!("not UTF-8, but well formed as {encoding}, with {mark}");
        let mut found = guess(encoding.name(), Confidence::Likely, evidence);
        // UTF-8 has no lone surrogates and no values above 10FFFF, so no conversion keeps them.
        let is_lost = |item: Item| item.result.is_ok_and(|value| char::from_u32(value).is_none());
        let converts = !encoding.items(self.bytes).any(is_lost);
        found.action = converts.then(|| Action::convert(encoding.into()));
        found.reads_well = matches!(encoding, AnyEncoding::Cesu8 | AnyEncoding::Mutf8);
        Some(found)
    }

    /// Checks for UTF-8 that begins or ends within a sequence.
    fn cut_off(self) -> Option<Guess> {
        let evidence = truncation::find(self.bytes, self.whole, self.error)?;
        let mut found = guess("utf-8", Confidence::Likely, evidence);
        found.action = Some(Action::ReplaceErrors);
        Some(found)
    }

    /// Returns the lines. For an incomplete line at the end of a partial sample, only shapes count.
    fn lines(self) -> Lines {
        let end = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let (lines, rest) = self.bytes.split_at(if self.whole { self.bytes.len() } else { end });
        let mut lines = Lines::of(lines);
        lines.shapes += Shapes::of(rest);
        lines
    }

    /// Checks for lines of UTF-8 among lines that are all in one other encoding.
    fn mixed(self, lines: &Lines, best: &Bests<'_>) -> Option<Guess> {
        self.error?;
        // A single-byte encoding needs less evidence, because chance is less likely.
        if lines.other == 0 || !lines.has_utf8(true) {
            return None;
        }
        let best = best.of_others();
        let Best { legacy: encoding, confidence, doubt, is_text, .. } = best.clone();
        // Otherwise, the lines are more likely damaged UTF-8.
        if !lines.has_utf8(legacy::is_alien(encoding)) || !is_text {
            return None;
        }
        if legacy::is_alien(encoding) && lines.both * 5 > lines.other {
            return None; // UTF-8 sequences do not arise by chance there, so it is UTF-8 with errors
        }
        if !legacy::is_well_formed(Codec::Legacy(encoding), &lines.other_text) {
            return None;
        }
        let name = encoding.name();
        let evidence = format!(
            "{} in utf-8, and {} that {} not, but well formed as {name}",
            counted(lines.utf8 + lines.broken, "non-ASCII line"),
            counted(lines.other, "line"),
            if lines.other == 1 { "is" } else { "are" },
        );
        let confidence = match confidence {
            Confidence::Possible => Confidence::Possible,
            _ => Confidence::Likely,
        };
        let verdicts = lines.verdicts(encoding, confidence);
        if verdicts.garbled() == 0 && confidence != Confidence::Possible {
            return None; // well formed by chance
        }
        let mut found = guess("utf-8", confidence, evidence);
        found.mixed = Some(name);
        found.evidence.extend(doubt.map(|doubt| doubt.to_string()));
        let errors = Errors::of(self.bytes);
        let is_text = errors.are_text();
        found.reads_well = is_text;
        if verdicts.within > 0 {
            // Decoding a whole line from the other encoding would garble its UTF-8.
            found.evidence.push(format!("{} with both encodings", counted(verdicts.within, "line")));
        }
        found.utf8_lines = verdicts.garbled();
        // Damage is in no encoding, and characters of East Asia are not written in single bytes.
        let is_meant = is_text && !(encoding.is_single_byte() && has_wide(&lines.utf8_text));
        let is_whole = |suggestion: &Suggestion| matches!(suggestion.action, Action::Convert { .. });
        let by_line = verdicts.suggestion(name).filter(|suggestion| is_meant && !is_whole(suggestion));
        // Decode only the errors, if all of them are in that encoding.
        let is_by_line = by_line.as_ref().is_some_and(Suggestion::is_sure) && errors.are_in(encoding);
        let own = self.alone(&errors, Some(encoding)).filter(|one| !is_by_line && *one == encoding);
        found.set_suggestion(own.and_then(fallback).map(Suggestion::sure).or(by_line));
        found.doubt = doubt;
        if !found.is_singled_out() {
            found.others = best.others();
        }
        found.is_unknown = found.action.is_none() && errors.are_unknown();
        Some(found)
    }

    /// Checks for UTF-8 with errors.
    fn broken_utf8(self, lines: &Lines, best: &Bests<'_>) -> Option<Guess> {
        let Shapes { good, bad, shaped, .. } = lines.shapes;
        let error = self.error?;
        // In text in another encoding, almost no sequence is well formed by chance, except one in ten in East Asian
        // encodings. `C0 AF` and `ED A0 80` have the shape of UTF-8 and occur in no other text.
        let is_emoji = |item: &Item| item.result.is_ok_and(|value| EMOJI_CODE_POINTS.contains(&value));
        let emoji = sequences(self.bytes).filter(is_emoji).count() as u64;
        if good + shaped == 0 || bad - shaped > good + 2 * emoji + shaped {
            return None;
        }
        let bytes = self.bytes.get(error.range()).map_or(String::new(), |bytes| format!(" ({})", Hex(bytes)));
        let first = format!("first error: {} at byte {}{bytes}", error.kind.name().replace('_', " "), error.offset);
        let many = format!("{} and {} in the sample", counted(good, "non-ASCII sequence"), counted(bad, "error"));
        let sure = good >= 8 && good >= 4 * bad;
        if !sure && shaped < bad && emoji == 0 {
            let legacy = best.of_all().legacy;
            if !legacy::is_alien(legacy) && reads_well(legacy, self.bytes) {
                return None; // sequences of UTF-8 do occur by chance there
            }
        }
        let confidence = if sure { Confidence::Likely } else { Confidence::Possible };
        let mut found = guess("utf-8", confidence, many);
        found.evidence.push(first);
        let errors = Errors::of(self.bytes);
        found.reads_well = errors.are_text();
        // Lines in another encoding would be lost.
        let lossless = (sure || lines.other <= lines.broken + 1) && !found.reads_well;
        found.action =
            if lossless { Some(Action::ReplaceErrors) } else { self.alone(&errors, None).and_then(fallback) };
        found.is_unknown = found.action.is_none() && errors.are_unknown();
        Some(found)
    }

    /// Returns the single-byte encoding from which to decode only the errors: `likely`, if possible.
    fn alone(self, errors: &Errors, likely: Option<Legacy>) -> Option<Legacy> {
        errors.encoding(likely).filter(|found| self.whole && found.is_single_byte())
    }

    /// Checks for EBCDIC, whose letters and spaces have other bytes than in all other encodings.
    fn ebcdic(self, posterior: &Posterior) -> Option<Guess> {
        if !ebcdic::may_be(self.bytes) {
            return None;
        }
        let best = legacy::best_of(self.bytes, posterior.clone());
        if !best.legacy.is_ebcdic() || !best.is_text {
            return None;
        }
        let name = best.legacy.name();
        let evidence = "letters, digits and spaces have their EBCDIC codes".to_owned();
        let mut found = guess(name, best.confidence, evidence);
        found.evidence.extend(best.doubt.map(|doubt| doubt.to_string()));
        found.doubt = best.doubt;
        if !found.is_singled_out() {
            found.others = best.others();
        }
        found.action = convertible(name);
        Some(found)
    }

    /// Returns the declared encoding, unless the text reads worse in it than in the guessed one.
    fn legacy(self, lines: &Lines, best: &Bests<'_>) -> Guess {
        let is_one = lines.utf8 + lines.broken == 0;
        let others = if is_one { self.bytes } else { &lines.other_text };
        let best = match is_one {
            true => best.of_all(),
            false if self.whole => best.of_others(),
            false => legacy::weigh(others, &lines.utf8_text),
        };
        let Best { legacy: guessed, confidence, doubt, .. } = best.clone();
        let declared = declaration::find(self.bytes);
        let codec_of = |one: &Declaration| one.codec(self.bytes);
        let as_declared = declared.clone().filter(|one| legacy::is_as_declared(codec_of(one), self.bytes));
        let is_contradicted = as_declared.is_none()
            && declared.as_ref().is_some_and(|one| legacy::is_well_formed(codec_of(one), self.bytes));
        let doubt = match as_declared {
            Some(_) => None,
            None => doubt.or(is_contradicted.then_some(Doubt::Declared)),
        };
        let of_declared = as_declared.as_ref().map(|one| (one, codec_of(one)));
        let (codec, confidence, evidence) = chosen(of_declared, guessed, confidence);
        let name = codec.name();
        let judged = Legacy::labelled(name).unwrap_or(guessed);
        let fits = !self.whole || legacy::is_well_formed(codec, others);
        let is_unknown = doubt == Some(Doubt::Unknown);
        let mut found = guess(name, if is_unknown { Confidence::Possible } else { confidence }, evidence);
        found.reads_well = best.is_text || as_declared.is_some() || Errors::of(self.bytes).are_text();
        if let (None, Some(declared)) = (&as_declared, declared) {
            let Declaration { place, charset, .. } = declared;
            let is = if is_contradicted { "reads worse" } else { "is not well formed" };
            found.evidence.push(format!("its {place} says {charset}, in which it {is}"));
        }
        found.doubt = doubt;
        if as_declared.is_none() && !found.is_singled_out() {
            found.others = best.others();
        }
        found.evidence.extend(doubt.filter(|doubt| *doubt != Doubt::Declared).map(|doubt| doubt.to_string()));
        found.evidence.push(format!("{} as {name}", if fits { "well formed" } else { "not well formed" }));
        let verdicts = lines.verdicts(judged, confidence);
        if verdicts.garbled() > 0 {
            let some = counted(verdicts.garbled(), "line");
            let is = if verdicts.doubtful == 0 { "in utf-8" } else { "may be utf-8" };
            found.evidence.push(format!("{some} {is}, and would be garbled by a conversion"));
        }
        // Words of UTF-8 within the lines need not be in the encoding.
        let rest = || without_sequences(others);
        let is_apart = self.whole && lines.shapes.good > 0 && legacy::is_alien(judged);
        if fits || is_apart && verdicts.garbled() > 0 && legacy::is_well_formed(codec, &rest()) {
            found.utf8_lines = verdicts.garbled();
            found.has_utf8_lines = verdicts.are_utf8();
            // Text that reads badly is more likely damaged.
            let is_text = confidence != Confidence::Possible || !is_apart || legacy::reads_well(codec, &rest());
            found.set_suggestion(verdicts.suggestion(name).filter(|_| is_text));
        }
        if is_unknown && best.is_text || !found.reads_well && is_next_to_letters(self.bytes, lines.shapes) {
            (found.reads_well, found.is_unknown, found.action) = (true, true, None);
        }
        found
    }
}

/// Returns the log-probability of a text.
fn score(text: impl Iterator<Item = char>) -> f32 {
    Scorer::of(text).total()
}

/// Returns a note if text was replaced by U+FFFD and then read in another encoding, so that it is lost.
fn lost(text: &[u8]) -> Option<String> {
    [("GBK", "锟斤拷"), ("EUC-KR", "占쏙옙")].into_iter().find_map(|(read, as_what)| {
        let lost = memchr::memmem::find_iter(text, as_what).count() as u64;
        let places = counted(lost, "place");
        (lost > 0).then(|| format!("text is lost in {places}: U+FFFD was read as {read} ({as_what})"))
    })
}

/// Returns the declared encoding, or else the best one, with the confidence and the evidence.
fn chosen(
    declared: Option<(&Declaration, Codec)>,
    best: Legacy,
    confidence: Confidence,
) -> (Codec, Confidence, String) {
    match declared {
        Some((declared, codec)) => {
            let evidence = format!("not UTF-8; its {} says {}", declared.place, declared.charset);
            let agrees = codec.name().eq_ignore_ascii_case(best.name());
            (codec, if agrees { Confidence::Certain } else { Confidence::Likely }, evidence)
        }
        None => {
            let evidence = "not UTF-8; the best match among legacy encodings".to_owned();
            (Codec::Legacy(best), confidence, evidence)
        }
    }
}

/// Reports whether a text is likelier in an encoding than in any other.
fn is_likeliest(encoding: AnyEncoding, posterior: &Posterior) -> bool {
    posterior.best().is_some_and(|best| best.codec == Codec::Native(encoding))
        && posterior.confidence() != Confidence::Possible
}

/// The best guesses at a legacy encoding, each computed once.
struct Bests<'s> {
    sample: Sample<'s>,
    lines: &'s Lines,
    /// How likely each encoding is if all of the text is in it.
    posterior: &'s dyn Deref<Target = Posterior>,
    of_all: OnceCell<Best>,
    of_others: OnceCell<Best>,
}

impl Bests<'_> {
    /// Returns the best guess if all of the text is in one encoding.
    fn of_all(&self) -> Best {
        let best = || legacy::best_of(self.sample.bytes, (**self.posterior).clone());
        self.of_all.get_or_init(|| self.ignoring_utf8_sequences(best(), self.sample.bytes, "")).clone()
    }

    /// Returns the best guess for the lines that are not UTF-8.
    fn of_others(&self) -> Best {
        let weigh = || {
            let others = self.lines.undamaged();
            // Lines that may be UTF-8 by chance are not evidence against East Asian encodings.
            let east = || self.weigh(&others, "");
            let is_east = |best: &Best| !best.legacy.is_single_byte() && best.confidence != Confidence::Possible;
            (!self.lines.has_utf8(false))
                .then(east)
                .filter(is_east)
                .unwrap_or_else(|| self.weigh(&others, &self.lines.utf8_text))
        };
        self.of_others.get_or_init(weigh).clone()
    }

    /// Returns the best guess for a text.
    fn weigh(&self, text: &[u8], context: &str) -> Best {
        self.ignoring_utf8_sequences(legacy::weigh(text, context), text, context)
    }

    /// Ignores sequences of UTF-8 in a text if they are unlikely to occur by chance.
    fn ignoring_utf8_sequences(&self, best: Best, text: &[u8], context: &str) -> Best {
        if self.lines.both == 0 || !legacy::is_alien(best.legacy) {
            return best;
        }
        let rest = legacy::weigh(&without_sequences(text), context);
        if legacy::is_alien(rest.legacy) { rest } else { best }
    }
}

/// The first character of East Asia.
const FIRST_EAST_ASIAN: char = '\u{2E80}';

/// Reports whether a text has several characters of East Asia.
fn has_wide(text: &str) -> bool {
    text.chars().filter(|c| *c >= FIRST_EAST_ASIAN).nth(1).is_some()
}

/// Reports whether high bytes next to letters are likely letters of an unknown legacy encoding, because they cannot be
/// the remains of UTF-8 sequences.
fn is_next_to_letters(bytes: &[u8], shapes: Shapes) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(is_part);
    // No text contains `FF`. `C3` begins most non-ASCII letters, and truncated punctuation occurs even in ASCII.
    let is_byte = |run: &[u8]| matches!(*run, [0xC4..=0xFD] | [0xC2..=0xE1 | 0xE4..=0xEE, _, ..]);
    let is_end = |run: &Range<usize>| run.end == bytes.len() && bytes[run.start] >= 0xC0;
    let mut errors = Utf8.errors(bytes).map(|error| error.range()).filter(|run| !is_end(run));
    shapes.good + shapes.shaped == 0
        && errors.any(|run| {
            is_byte(&bytes[run.clone()]) && (is_letter(run.start.checked_sub(1)) || is_letter(Some(run.end)))
        })
}

/// Emoji, whose four bytes are not UTF-8 by chance, because nobody writes `ðŸ˜€` or `ЁЯША` in single-byte encodings.
const EMOJI_CODE_POINTS: RangeInclusive<u32> = 0x1F300..=0x1FAFF;

/// Reports whether bytes read as text in an encoding: see [`legacy::reads_well`].
fn reads_well(legacy: Legacy, bytes: &[u8]) -> bool {
    legacy::reads_well(Codec::Legacy(legacy), bytes)
}

/// Returns the repair that decodes only the errors.
fn fallback(from: Legacy) -> Option<Action> {
    from.name().parse().ok().map(Action::Fallback)
}

/// Returns the conversion from an encoding, if it is supported.
fn convertible(name: &str) -> Option<Action> {
    name.parse().ok().map(Action::convert)
}
