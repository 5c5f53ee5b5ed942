//! What the lines of a text tell about each other: a line that could have been encoded twice in two ways went the way that
//! all lines went which leave no doubt.

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
    /// What is known from the beginning; otherwise the lines so far tell.
    by_way: Option<Detours>,
    /// The ways that all certain lines can have gone.
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
    /// At the start of a text: `by_way` is what [`Undoubling::proven`] said of all of it, if it was seen before.
    pub fn new(by_way: Option<Detours>) -> Undoubling {
        Undoubling { by_way, common: Detours::ALL, any: false }
    }

    /// Whether the next line was encoded twice.
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

    /// The ways that all certain lines so far can have gone: empty if there was none, or they went different ways.
    pub fn proven(&self) -> Detours {
        if self.any { self.common } else { Detours::default() }
    }

    /// The one of several readings that went the way of the other lines.
    fn decided(&self, readings: &[Reading]) -> Option<Reading> {
        let proven = self.by_way.unwrap_or_else(|| self.proven());
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
