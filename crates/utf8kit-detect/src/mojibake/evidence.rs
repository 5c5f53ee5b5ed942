//! Evidence across the lines of a text: it is likelier that a line was garbled in the same way as other lines.

use crate::mojibake::{Detours, Outcome, repair_line, repair_with_detours};

/// The whole text counts as misread through a pair of encodings if there are at most this many clean lines per misread
/// line. In a collection of texts, a misread one is not evidence about the others.
const MAX_CLEAN_LINES_PER_MISREAD: usize = 20;

/// Repairs the lines of one text.
///
/// ```
/// use utf8kit_detect::mojibake::{Evidence, Outcome};
///
/// let mut evidence = Evidence::default();
/// let doubtful = "Il va \u{C3}  la gare";
/// assert!(matches!(evidence.repair(doubtful), Outcome::Doubtful(_)));
/// // This can only have gone by way of windows-1252.
/// assert!(matches!(evidence.repair("Ton fr\u{C3}\u{A8}re est l\u{C3}\u{A0}-bas"), Outcome::Repaired(_)));
/// let Outcome::Repaired(was) = evidence.repair(doubtful) else { panic!() };
/// assert_eq!(was.text, "Il va \u{E0} la gare");
/// ```
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The encodings known in advance; if `None`, the lines so far decide.
    given: Option<Detours>,
    /// The encodings that every certain line may have gone through.
    common: Detours,
    /// The encodings that at least one certain line may have gone through.
    seen: Detours,
    /// How many certain lines went through a pair.
    misread: usize,
    /// How many lines with non-ASCII characters are clean.
    clean: usize,
}

impl Default for Evidence {
    fn default() -> Evidence {
        Evidence::new(None)
    }
}

impl Evidence {
    /// Starts a text. `proven` is the result of [`Evidence::proven`] for the whole text, if it was examined before.
    pub fn new(proven: Option<Detours>) -> Evidence {
        Evidence { given: proven, common: Detours::ALL, seen: Detours::default(), misread: 0, clean: 0 }
    }

    /// Repairs the next line.
    pub fn repair(&mut self, line: &str) -> Outcome {
        let alone = repair_line(line);
        match &alone {
            Outcome::Repaired(was) => {
                self.common.narrow(was.detours);
                self.seen.add(was.detours);
                self.misread += usize::from(!was.detours.pairs().is_empty());
            }
            Outcome::Clean => self.clean += usize::from(!line.is_ascii()),
            Outcome::Doubtful(_) => {}
        }
        let proven = self.given.unwrap_or_else(|| self.proven());
        match &alone {
            Outcome::Repaired(was) if was.detours.and(proven).is_any_known() => alone,
            _ if !proven.is_any_known() => alone,
            _ => match repair_with_detours(line, proven) {
                Outcome::Clean => alone,
                given => given,
            },
        }
    }

    /// Returns the encodings that all certain lines so far can have gone through. Empty if there was no such line, or
    /// if they went through different encodings, or through a pair of others than UTF-8 while most lines are clean.
    pub fn proven(&self) -> Detours {
        let proven = self.common.and(self.seen);
        let is_whole_text = self.clean <= MAX_CLEAN_LINES_PER_MISREAD * self.misread;
        if is_whole_text { proven } else { proven.without_pairs() }
    }
}
