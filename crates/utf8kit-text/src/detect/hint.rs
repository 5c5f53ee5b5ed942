//! The probable encoding of a file that fails its check, and the command that would repair the file.

use std::fmt;
use std::path::Path;

use crate::detect::{Confidence, Guess, Sample};
use crate::display::Argument;

/// The probable encoding of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    looks_like: String,
    evidence: String,
    remedy: Option<String>,
}

impl Hint {
    /// Returns a hint from a sample of a file that was checked as UTF-8, and its first error. `None` if no other
    /// encoding is more plausible than UTF-8.
    pub fn of(sample: Sample<'_>) -> Option<Hint> {
        let guess = sample.weigh();
        let mut hint = Hint::from_guess(&guess)?;
        let is_sure =
            sample.whole && (guess.confidence != Confidence::Possible || is_plausible(sample.bytes));
        if !is_sure && hint.remedy.as_ref().is_some_and(|remedy| remedy.starts_with("convert")) {
            // The rest of the file may be UTF-8 and would be garbled, and so would binary data.
            hint.remedy = None;
        }
        Some(hint)
    }

    /// Returns a hint from a guess for a file that was checked as UTF-8. `None` if no other encoding is more plausible
    /// than UTF-8.
    pub fn from_guess(guess: &Guess) -> Option<Hint> {
        let looks_like = match (guess.doubled, guess.mixed, guess.encoding?) {
            (Some(by_way), ..) => format!("UTF-8 that was encoded twice, by way of {by_way}"),
            (None, Some(other), _) => format!("utf-8 with lines in {other}"),
            (None, None, "utf-8") => return None,
            (None, None, encoding) => encoding.to_owned(),
        };
        Some(Hint { looks_like, evidence: guess.evidence.last()?.clone(), remedy: guess.remedy.clone() })
    }

    /// Reports whether the encoding is UTF-16 or UTF-32. The errors found by a check as UTF-8 are meaningless then.
    pub fn is_wide(&self) -> bool {
        self.looks_like.starts_with("utf-16") || self.looks_like.starts_with("utf-32")
    }

    /// Formats the hint and the command for the file at `path`.
    pub fn about<'h>(&'h self, path: &'h Path) -> impl fmt::Display + 'h {
        struct About<'h>(&'h Hint, &'h Path);
        impl fmt::Display for About<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let Hint { looks_like, evidence, remedy } = self.0;
                write!(f, "looks like {looks_like} ({evidence})")?;
                match remedy {
                    Some(remedy) => write!(f, ": try utf8 {remedy} {}", Argument(self.1)),
                    None => Ok(()),
                }
            }
        }
        About(self, path)
    }
}

/// Reports whether bytes may be text although their encoding is uncertain: several are beyond ASCII, with letters
/// around them.
fn is_plausible(bytes: &[u8]) -> bool {
    let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    beyond >= 4 && bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= beyond
}
