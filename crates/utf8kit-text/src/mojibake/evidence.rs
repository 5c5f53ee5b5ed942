//! Evidence across the lines of a text: what other lines went through is cheaper to assume of a line.

use crate::mojibake::{Detours, Outcome, repair_given, repair_line};

/// Repairs the lines of one text.
///
/// ```
/// use utf8kit_text::mojibake::{Evidence, Outcome};
///
/// let mut evidence = Evidence::default();
/// let doubtful = "Va \u{C3}  la gare";
/// assert!(matches!(evidence.repair(doubtful), Outcome::Doubtful(_)));
/// // This can only have gone by way of windows-1252.
/// assert!(matches!(evidence.repair("Ton fr\u{C3}\u{A8}re est l\u{C3}\u{A0}-bas"), Outcome::Repaired(_)));
/// let Outcome::Repaired(was) = evidence.repair(doubtful) else { panic!() };
/// assert_eq!(was.text, "Va \u{E0} la gare");
/// ```
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The encodings known in advance; if `None`, the lines so far decide.
    given: Option<Detours>,
    /// The encodings that all certain lines can have gone through.
    common: Detours,
    /// Whether there was a certain line.
    any: bool,
}

impl Default for Evidence {
    fn default() -> Evidence {
        Evidence::new(None)
    }
}

impl Evidence {
    /// Starts a text. `proven` is the result of [`Evidence::proven`] for the whole text, if it was examined before.
    pub fn new(proven: Option<Detours>) -> Evidence {
        Evidence { given: proven, common: Detours::ALL, any: false }
    }

    /// Repairs the next line.
    pub fn repair(&mut self, line: &str) -> Outcome {
        let alone = repair_line(line);
        if let Outcome::Repaired(was) = &alone
            && !was.detours.is_empty()
        {
            self.common = self.common.and(was.detours);
            self.any = true;
        }
        let proven = self.given.unwrap_or_else(|| self.proven());
        match &alone {
            Outcome::Repaired(_) => alone,
            _ if proven.is_empty() => alone,
            _ => repair_given(line, proven),
        }
    }

    /// Returns the encodings that all certain lines so far can have gone through. Empty if there was no such line, or
    /// if they went through different encodings.
    pub fn proven(&self) -> Detours {
        if self.any { self.common } else { Detours::default() }
    }
}
