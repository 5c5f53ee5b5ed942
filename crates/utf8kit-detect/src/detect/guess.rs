//! A guess at an encoding, and its consequences.

use utf8kit::{AnyEncoding, EncodingLabel};
use utf8kit_encodings::artifact::Artifact;
use utf8kit_encodings::charset::Charset;
use utf8kit_encodings::charset::{Codec, Legacy};

use crate::detect::confidence::Confidence;
use crate::detect::legacy;
use crate::detect::legacy::Doubt;
use crate::detect::suggestion::{Action, Suggestion};

/// The best guess at an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guess {
    /// The name of the encoding, or `None` if the input is not text.
    pub encoding: Option<&'static str>,
    /// The confidence of the guess.
    pub confidence: Confidence,
    /// The evidence for it.
    pub evidence: Vec<String>,
    /// Other facts that users should know: lost text, a declaration of another encoding.
    pub notes: Vec<String>,
    /// The encoding that UTF-8 text was decoded from before it was encoded as UTF-8 again.
    pub misdecoded_as: Option<&'static str>,
    /// The encoding of some lines, if most of the text is UTF-8.
    pub mixed: Option<&'static str>,
    /// The number of lines that are or may be UTF-8, if the others are in a legacy encoding. Converting all lines would
    /// garble them.
    pub utf8_lines: u64,
    /// Other encodings that the input may be in, the likeliest first, if this one is not singled out.
    pub others: Vec<&'static str>,
    /// The action that makes the input UTF-8.
    pub action: Option<Action>,
    /// Whether parts of the input are not UTF-8 and read as text in another encoding.
    pub reads_well: bool,
    /// Whether that encoding is not among the candidates.
    pub is_unknown: bool,
    /// Lossless damage, which can be undone.
    pub artifact: Option<Artifact>,
    /// Why the encoding may be another one.
    pub(super) doubt: Option<Doubt>,
    /// Whether some lines are certainly UTF-8 while the others are in a legacy encoding.
    pub has_utf8_lines: bool,
    /// The maximum confidence that the action is for the right encoding.
    pub(super) limit: Confidence,
}

impl Guess {
    /// Reports whether the input is well-formed UTF-8. Only then is the guess UTF-8 certain.
    pub fn is_well_formed(&self) -> bool {
        self.encoding == Some(AnyEncoding::Utf8.name()) && self.confidence == Confidence::Certain
    }

    /// Returns the encoding of the input, which begins with `bytes`, if it differs from the given one and gives a
    /// different, much likelier text.
    pub fn other_than(&self, codec: Codec, bytes: &[u8]) -> Option<Legacy> {
        let is_of_one = self.utf8_lines == 0 && self.mixed.is_none() && self.misdecoded_as.is_none();
        let is_legacy = |name: &&str| name.parse::<AnyEncoding>().is_err();
        let other = self.encoding.filter(|_| is_of_one).filter(is_legacy).and_then(Legacy::labelled)?;
        let is_other = Codec::Legacy(other).text_of(bytes) != codec.text_of(bytes);
        (is_other && !legacy::may_be(codec, bytes)).then_some(other)
    }

    /// Reports whether the text singles out the encoding, so that it can be converted without asking. A likely encoding
    /// is not certain enough if the letters have the frequencies of no language, or if another encoding reads as well
    /// and gives different letters. The evidence includes the reason.
    pub fn is_singled_out(&self) -> bool {
        self.confidence != Confidence::Possible && self.doubt.is_none()
    }

    /// Returns the suggestion. It is open if the encoding is only one of several possible ones and there is a reason
    /// for another one, or if the input may not be text.
    ///
    /// ```
    /// use utf8kit_detect::{detect, Action};
    ///
    /// let suggestion = detect(b"Gr\xFC\xDFe aus K\xF6ln").suggestion().unwrap();
    /// assert!(matches!(suggestion.action, Action::Convert { .. }) && !suggestion.is_open());
    /// assert!(detect(b"one na\x8Bve try").suggestion().unwrap().is_open());
    /// ```
    pub fn suggestion(&self) -> Option<Suggestion> {
        let confidence = match self.confidence {
            _ if self.is_singled_out() => Confidence::Certain,
            Confidence::Possible if self.doubt.is_some() => Confidence::Possible,
            _ => Confidence::Likely,
        };
        let confidence = confidence.min(self.limit);
        Some(Suggestion { action: self.action?, others: self.others.clone(), confidence })
    }

    /// Sets the suggestion, and limits the confidence accordingly.
    pub(super) fn set_suggestion(&mut self, suggestion: Option<Suggestion>) {
        self.limit = suggestion.as_ref().map_or(Confidence::Certain, |suggestion| suggestion.confidence);
        self.action = suggestion.map(|suggestion| suggestion.action);
    }

    /// Reports whether all of an input appears to be text in the encoding, or is UTF-8.
    pub(super) fn is_text(&self, whole: &[u8]) -> bool {
        let is_mixed = self.mixed.is_some() || self.utf8_lines > 0;
        let is_plausible = || self.reads_well && is_plausible(whole);
        // A line without ASCII is unlikely to be text, unless it is in East Asia.
        let has_ascii = whole.trim_ascii().iter().any(u8::is_ascii);
        let is_wide = |legacy: Legacy| !legacy.is_single_byte() && whole.len() >= MIN_BYTES_WITHOUT_ASCII;
        self.confidence != Confidence::Possible
            || matches!(self.action, Some(Action::ReplaceErrors | Action::FixMojibake | Action::Artifact(_)))
            || has_ascii && (self.doubt.is_some() || (is_mixed || is_plausible()) && !has_controls(whole))
            || self.reads_well && self.encoding.and_then(Legacy::labelled).is_some_and(is_wide)
    }

    /// Returns the encoding for an input that begins with `head`. It is `utf-16` or `utf-32` if the input begins with
    /// their byte order mark, which is then not part of the text. `None` if the input is not text.
    pub fn charset(&self, head: &[u8]) -> Option<Charset> {
        let charset: Charset = self.encoding?.parse().ok()?;
        let marked = [EncodingLabel::Utf16, EncodingLabel::Utf32].map(Charset::Named);
        let is_marked = |candidate: &Charset| {
            let (codec, mark) = candidate.reader(head);
            mark > 0 && codec == charset.writer()
        };
        Some(marked.into_iter().find(is_marked).unwrap_or(charset))
    }
}

/// Returns a guess with one piece of evidence.
pub(super) fn guess(encoding: &'static str, confidence: Confidence, evidence: String) -> Guess {
    Guess {
        encoding: Some(encoding),
        confidence,
        evidence: vec![evidence],
        notes: Vec::new(),
        misdecoded_as: None,
        mixed: None,
        utf8_lines: 0,
        others: Vec::new(),
        action: None,
        reads_well: encoding != AnyEncoding::Utf8.name(),
        is_unknown: false,
        artifact: None,
        doubt: None,
        has_utf8_lines: false,
        limit: Confidence::Certain,
    }
}

/// The fewest bytes, none of them ASCII, that may be text in double-byte encodings: four characters.
const MIN_BYTES_WITHOUT_ASCII: usize = 8;

/// Reports whether bytes contain controls other than white space.
fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// Reports whether bytes may be text although their encoding is uncertain: several are non-ASCII.
fn is_plausible(bytes: &[u8]) -> bool {
    bytes.iter().filter(|byte| !byte.is_ascii()).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_bytes_beyond_ascii_may_be_text() {
        assert!(is_plausible(b"abcd\xE9\xE9\xE9\xE9"));
        assert!(!is_plausible(b"abcd\xE9\xE9\xE9"));
    }
}
