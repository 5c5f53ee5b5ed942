//! Evidence across the lines of a text: a line with several possible decodings is assumed to have gone through the
//! same encoding as all lines that leave no doubt.

use crate::repair::double_encoding::{Detours, Doubled, Reading, examine};

/// Decodes the lines of one text that were encoded twice.
///
/// ```
/// use utf8kit_text::repair::{Doubled, Undoubling};
///
/// let mut undoubling = Undoubling::default();
/// let doubtful = "pĂĄ slĂĄtt";
/// assert!(matches!(undoubling.examine(doubtful), Doubled::Doubtful(_)));
/// // This can only have gone by way of windows-1250.
/// assert!(matches!(undoubling.examine("vâ€“ nĂ©"), Doubled::Certain(_)));
/// let Doubled::Certain(reading) = undoubling.examine(doubtful) else { panic!() };
/// assert_eq!(reading.text, "på slått");
/// ```
#[derive(Clone, Debug)]
pub struct Undoubling {
    /// The encodings known in advance; if `None`, the lines so far decide.
    given: Option<Detours>,
    /// The encodings that all certain lines can have gone through.
    common: Detours,
    /// Whether there was a certain line.
    any: bool,
}

impl Default for Undoubling {
    fn default() -> Undoubling {
        Undoubling::new(None)
    }
}

impl Undoubling {
    /// Starts a text. `proven` is the result of [`Undoubling::proven`] for the whole text, if it was examined before.
    pub fn new(proven: Option<Detours>) -> Undoubling {
        Undoubling { given: proven, common: Detours::ALL, any: false }
    }

    /// Examines whether the next line was encoded twice.
    pub fn examine(&mut self, line: &str) -> Doubled {
        let found = examine(line);
        match &found {
            Doubled::No => found,
            Doubled::Certain(reading) => {
                self.common = self.common.and(reading.detours);
                self.any = true;
                found
            }
            Doubled::Doubtful(readings) => self.decided(readings).map_or(found, Doubled::Certain),
        }
    }

    /// Returns the encodings that all certain lines so far can have gone through. Empty if there was no such line, or
    /// if they went through different encodings.
    pub fn proven(&self) -> Detours {
        if self.any { self.common } else { Detours::default() }
    }

    /// Returns the one reading that agrees with the other lines.
    fn decided(&self, readings: &[Reading]) -> Option<Reading> {
        let proven = self.given.unwrap_or_else(|| self.proven());
        let mut went = readings.iter().filter(|reading| !reading.detours.and(proven).is_empty());
        let (Some(one), None) = (went.next(), went.next()) else { return None };
        let text = match examine(&one.text) {
            Doubled::No => one.text.clone(),
            Doubled::Certain(inner) => inner.text,
            Doubled::Doubtful(_) => return None,
        };
        one.complete.then(|| Reading { text, ..one.clone() })
    }
}
