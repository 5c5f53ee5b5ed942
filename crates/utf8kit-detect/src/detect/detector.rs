//! Detects the encoding of an input that is complete or is given in pieces.

use utf8kit::{Error, Utf8, Validator};

use crate::detect::guess::Guess;
use crate::detect::sample::{SAMPLE, Sample};

/// Detects the encoding of a complete input.
///
/// ```
/// use utf8kit_detect::{Confidence, detect};
///
/// let guess = detect("na\u{EF}ve".as_bytes());
/// assert_eq!((guess.encoding, guess.confidence), (Some("utf-8"), Confidence::Certain));
/// assert_eq!(detect(b"\xFF\xFEa\0").encoding, Some("utf-16le"));
/// let twice = detect("caf\u{C3}\u{A9}".as_bytes());
/// assert_eq!(twice.misdecoded_as, Some("windows-1252"));
/// ```
pub fn detect(bytes: &[u8]) -> Guess {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let whole = sample.len() == bytes.len();
    Sample::new(sample, whole, utf8kit::validate(bytes).err()).weigh()
}

/// Detects the encoding of a stream. Only its beginning is kept, but all of it is checked for UTF-8.
///
/// ```
/// use utf8kit_detect::Detector;
///
/// let mut detector = Detector::new();
/// detector.push(b"a\xC3");
/// detector.push(b"\xA9");
/// assert_eq!(detector.finish().encoding, Some("utf-8"));
/// ```
pub struct Detector {
    validator: Validator<Utf8>,
    sample: Vec<u8>,
    beyond_sample: bool,
    error: Option<Error>,
}

impl Detector {
    /// Creates a detector for the start of a stream.
    pub fn new() -> Detector {
        Detector { validator: Validator::new(Utf8), sample: Vec::new(), beyond_sample: false, error: None }
    }

    /// Adds the next piece. Returns whether more pieces can still change the guess.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        let (sampled, rest) = piece.split_at(piece.len().min(SAMPLE - self.sample.len()));
        self.sample.extend_from_slice(sampled);
        self.beyond_sample |= !rest.is_empty();
        if self.error.is_none() {
            self.error = self.validator.push(piece).err();
        }
        self.error.is_none() || !self.beyond_sample
    }

    /// Adds a later piece of the stream, after [`Detector::push`] has returned `false`. This lets the detector notice
    /// changes later in a long stream. Only whole lines of the piece count.
    pub fn push_later(&mut self, piece: &[u8]) {
        let feed = |byte: &u8| *byte == b'\n';
        let Some(first) = piece.iter().position(feed) else { return };
        let last = piece.iter().rposition(feed).unwrap_or(first);
        if let Some(end) = self.sample.iter().rposition(feed) {
            self.sample.truncate(end + 1);
            self.sample.extend_from_slice(piece.get(first + 1..=last).unwrap_or_default());
        }
    }

    /// Returns the guess at the end of the stream, or after [`Detector::push`] has returned `false`.
    pub fn finish(self) -> Guess {
        let Detector { validator, sample, beyond_sample, error } = self;
        let error = error.or_else(|| validator.finish().err());
        Sample { bytes: &sample, whole: !beyond_sample, error }.weigh()
    }

    /// Returns the guess from the beginning of a stream that continues.
    pub fn finish_early(self) -> Guess {
        Sample { bytes: &self.sample, whole: false, error: self.error }.weigh()
    }
}

impl Default for Detector {
    fn default() -> Detector {
        Detector::new()
    }
}
