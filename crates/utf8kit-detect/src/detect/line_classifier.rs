//! Classifies well-formed UTF-8 lines among lines in a legacy encoding: they are UTF-8, or well formed by chance,
//! depending on which text is likelier given the language of the other lines.

use std::borrow::Cow;

use utf8kit_encodings::charset::Legacy;

use crate::detect::posterior::{ALL, NATS_OF_ERROR, Prose, WEIGHT_OF_TEXT};
use crate::detect::sequences::sequences;
use crate::model::encodings::Candidate;

/// The class of a line that is well-formed UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Utf8,
    Legacy,
    Doubtful,
}

/// The margins in nats for deciding that a line is UTF-8, and that it is in the other encoding. The second is smaller,
/// because all other lines are in that encoding.
const MIN_NATS_FOR_UTF8: f32 = 3.0;
const MIN_NATS_FOR_LEGACY: f32 = 2.5;

/// The log-probability that a word is UTF-8 although others are not.
const NATS_OF_MIXED_WORD: f32 = -7.0;

/// The most bytes of the other lines used to determine their language.
const MAX_BYTES_OF_OTHERS: usize = 16 * 1024;

/// Classifies lines among others in a legacy encoding.
pub(super) struct LineClassifier {
    candidate: Cow<'static, Candidate>,
    /// Rates text in the language of the other lines.
    prose: Prose,
    /// The number of other lines.
    lines: usize,
}

impl LineClassifier {
    /// Learns from the lines that are not UTF-8.
    pub(super) fn among(legacy: Legacy, others: &[u8]) -> LineClassifier {
        let candidate = Candidate::legacy(legacy);
        let mut text = Vec::new();
        candidate.read(others.get(..MAX_BYTES_OF_OTHERS).unwrap_or(others), &mut text);
        let lines = others.split(|&byte| byte == b'\n').filter(|line| !line.is_ascii()).count();
        LineClassifier { candidate, prose: Prose::among(text.into_iter()), lines }
    }

    /// Returns the log-probability of a text in the language of the other lines.
    fn score(&self, text: impl Iterator<Item = char>) -> f32 {
        self.prose.score(text, &ALL)
    }

    fn score_in_legacy(&self, bytes: &[u8]) -> f32 {
        let mut text = Vec::new();
        self.candidate.read(bytes, &mut text);
        self.score(text.into_iter())
    }

    /// Classifies a line, given its text in UTF-8.
    pub(super) fn verdict(&self, line: &str) -> Verdict {
        let gain = self.score(line.chars()) - self.score_in_legacy(line.as_bytes());
        let sure = WEIGHT_OF_TEXT * gain - (self.lines as f32 + 2.0).ln();
        if sure > MIN_NATS_FOR_UTF8 {
            Verdict::Utf8
        } else if sure < -MIN_NATS_FOR_LEGACY {
            Verdict::Legacy
        } else {
            Verdict::Doubtful
        }
    }

    /// Reports whether a line that is not UTF-8 contains words that are certainly UTF-8, and whether it contains
    /// sequences that are well formed by chance.
    pub(super) fn sequences(&self, line: &[u8]) -> (bool, bool) {
        let (mut has_utf8, mut has_others) = (false, false);
        for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_ascii()) {
            if let Some(gain) = self.gain(word) {
                has_utf8 |= gain + NATS_OF_MIXED_WORD > 0.0;
                has_others |= gain + NATS_OF_MIXED_WORD < MIN_NATS_FOR_UTF8;
            }
        }
        (has_utf8, has_others)
    }

    /// Returns how much likelier a word is if its UTF-8 sequences are decoded as such. `None` if it has none.
    fn gain(&self, word: &[u8]) -> Option<f32> {
        let (mut text, mut at) = (Vec::new(), 0);
        for item in sequences(word) {
            let Some(c) = item.result.ok().and_then(char::from_u32) else { continue };
            self.candidate.read(word.get(at..item.offset).unwrap_or_default(), &mut text);
            text.push(c);
            at = item.offset + item.len;
        }
        if at == 0 {
            return None;
        }
        self.candidate.read(word.get(at..).unwrap_or_default(), &mut text);
        Some(self.score(text.into_iter()) - self.score_in_legacy(word))
    }

    /// Reports whether a text has words of UTF-8.
    pub(super) fn has_words(&self, text: &[u8]) -> bool {
        self.sequences(text).0
    }

    /// Reports whether a line of UTF-8 with errors is more likely in the encoding.
    pub(super) fn is_coincidence(&self, line: &[u8]) -> bool {
        let utf8 = String::from_utf8_lossy(line);
        let errors = utf8.chars().filter(|c| *c == '\u{FFFD}').count();
        let text = utf8.chars().filter(|c| *c != '\u{FFFD}');
        self.score(text) + NATS_OF_ERROR * errors as f32 + MIN_NATS_FOR_UTF8 < self.score_in_legacy(line)
    }
}
