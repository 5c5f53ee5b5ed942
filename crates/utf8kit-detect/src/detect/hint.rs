//! The probable encoding of a file that fails its check, and what would repair the file.

use std::fmt;

use utf8kit::AnyEncoding;
use utf8kit_encodings::artifact::Artifact;

use crate::detect::confidence::Confidence;
use crate::detect::guess::Guess;
use crate::detect::remedy::{Advice, Remedy};
use crate::detect::sample::Sample;

/// The probable encoding of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    guess: Guess,
    advice: Option<Advice>,
}

impl Hint {
    /// Returns a hint from a sample of a file that was checked as UTF-8, and its first error. `None` if no other
    /// encoding is more plausible than UTF-8.
    pub fn of(sample: Sample<'_>) -> Option<Hint> {
        let mut hint = Hint::from_guess(sample.weigh())?;
        let is_about_errors =
            matches!(hint.guess.remedy, Some(Remedy::ReplaceErrors | Remedy::Undouble | Remedy::Artifact(_)));
        if let Some(advice) = hint.advice.as_mut().filter(|_| !sample.whole && !is_about_errors) {
            // The rest of the file may be in yet another encoding and would be garbled.
            advice.confidence = Confidence::Possible;
        }
        Some(hint)
    }

    /// Returns a hint from a guess for a file that was checked as UTF-8. `None` if no other encoding is more plausible
    /// than UTF-8, and nothing is noted of what is not text.
    pub fn from_guess(guess: Guess) -> Option<Hint> {
        let is_plain = guess.doubled.is_none()
            && guess.mixed.is_none()
            && guess.artifact.is_none()
            && guess.notes.is_empty();
        let is_other = match guess.encoding {
            Some(name) => name != AnyEncoding::Utf8.name() || !is_plain,
            None => !guess.notes.is_empty(),
        };
        is_other.then(|| Hint { advice: guess.advice(), guess })
    }

    /// Reports whether the encoding is UTF-16 or UTF-32. The errors found by a check as UTF-8 are meaningless then.
    pub fn is_wide(&self) -> bool {
        let encoding = self.guess.encoding.and_then(|name| name.parse::<AnyEncoding>().ok());
        encoding.is_some_and(|encoding| encoding.unit() > 1)
    }

    /// Returns the damage in it that lost nothing.
    pub fn artifact(&self) -> Option<Artifact> {
        self.guess.artifact
    }

    /// Returns what would repair the file.
    pub fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

impl Hint {
    /// Returns the verdict on a file of which this is all that is wrong.
    pub fn verdict(&self) -> String {
        let Guess { encoding, doubled, artifact, notes, .. } = &self.guess;
        match (doubled, artifact, encoding) {
            (Some(_), ..) => "mojibake".to_owned(),
            (None, Some(artifact), _) => artifact.about().to_string(),
            (None, None, _) if !notes.is_empty() => notes.join("; "),
            (None, None, encoding) => format!("{}, not utf-8", encoding.unwrap_or("no text")),
        }
    }

    /// Returns what a file reads as, in which so many lines of all are not UTF-8, if that was counted.
    pub fn note(&self, bad: Option<u64>, lines: u64) -> Option<String> {
        match (self.guess.doubled, self.guess.mixed, bad) {
            (Some(other), ..) => Some(format!("UTF-8 that was read as {other} and written as UTF-8 again")),
            (None, Some(other), Some(bad)) => {
                Some(format!("UTF-8, but {bad} of {lines} lines read as {other}"))
            }
            (None, Some(other), None) => Some(format!("UTF-8, but some lines read as {other}")),
            (None, None, _) if self.is_wide() => None,
            (None, None, _) if self.guess.encoding.is_none() => Some(self.guess.notes.join("; ")),
            (None, None, _) => {
                let artifact = self
                    .guess
                    .artifact
                    .map_or(String::new(), |artifact| format!(" with {}", artifact.about()));
                Some(format!("reads as {}{artifact}", self.guess.encoding?))
            }
        }
    }

    /// Returns what else it may be, unless that is sure.
    pub fn doubt(&self) -> Option<String> {
        let advice = self.advice.as_ref()?;
        match (advice.is_sure(), &advice.others[..]) {
            (true, _) => None,
            (false, []) => Some("not sure".to_owned()),
            (false, others) => Some(format!("not sure: it may also be {}", others.join(", "))),
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Guess { encoding, doubled, mixed, artifact, evidence, notes, .. } = &self.guess;
        if let (false, None, None, None) = (notes.is_empty(), doubled, mixed, artifact) {
            return f.write_str(&notes.join("; "));
        }
        match (doubled, mixed, artifact) {
            (Some(other), ..) => write!(f, "looks like UTF-8 that was encoded twice, by way of {other}")?,
            (None, Some(other), _) => write!(f, "looks like utf-8 with lines in {other}")?,
            (None, None, artifact) => {
                write!(f, "looks like {}", encoding.unwrap_or_default())?;
                artifact.map_or(Ok(()), |artifact| write!(f, " with {}", artifact.about()))?;
            }
        }
        evidence.last().map_or(Ok(()), |evidence| write!(f, " ({evidence})"))?;
        notes.iter().try_for_each(|note| write!(f, "; {note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversion(from: &str) -> Option<Remedy> {
        Some(Remedy::Convert { from: from.parse().unwrap(), strip_bom: false })
    }

    /// Returns the remedy, unless all encodings are to be looked at.
    fn remedy(hint: &Hint) -> Option<Remedy> {
        hint.advice().filter(|advice| !advice.is_open()).map(|advice| advice.remedy)
    }

    #[test]
    fn a_whole_file_is_converted_only_if_all_of_it_was_examined() {
        let text = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n".repeat(4);
        let bytes: Vec<u8> = text
            .chars()
            .map(|c| match u32::from(c) {
                code @ ..0x80 => code as u8,
                code @ 0x410..=0x44F => (code - 0x410 + 0xC0) as u8,
                _ => 0xB8,
            })
            .collect();
        let error = utf8kit::validate(&bytes).err();
        let hint = |whole| Hint::of(Sample { bytes: &bytes, whole, error }).expect("not UTF-8");
        assert_eq!(remedy(&hint(true)), conversion("windows-1251"));
        // The rest may be UTF-8.
        assert!(hint(false).to_string().starts_with("looks like windows-1251"), "{}", hint(false));
        assert_eq!(remedy(&hint(false)), None);
    }

    #[test]
    fn an_uncertain_guess_is_a_command_only_for_text() {
        let about = |bytes: &[u8]| {
            let error = utf8kit::validate(bytes).err();
            let hint = Hint::of(Sample { bytes, whole: true, error }).expect("not UTF-8");
            assert!(!hint.is_wide(), "{hint:?}");
            assert!(hint.advice().is_some(), "{hint:?}");
            (hint.to_string(), remedy(&hint))
        };
        let few = about(b"ab\xE9\xF5\xE1cd\n");
        assert!(few.0.starts_with("looks like windows-125") && few.1.is_none(), "{few:?}");
        let enough = about(b"b\xFBti\nI\xF0ikavos\n\x84Logitech diNovo\x93\n");
        assert_eq!(enough.1, conversion("windows-1257"));
        // In several encodings, it reads as well.
        let doubted = about(b"ab\xE9\xF5\xE1cd ef\xF5gh\n");
        assert!(doubted.0.starts_with("looks like windows-125") && doubted.1.is_none(), "{doubted:?}");
        // All letters of an alphabet are non-ASCII.
        let greek = about(b"\xCF\xE9 \xDC\xED\xE8\xF1\xF9\xF0\xEF\xE9\n");
        assert_eq!(greek.1, conversion("windows-1253"), "{greek:?}");
        let word = b"\xCA\xE1\xEB\xE7\xEC\xDD\xF1\xE1\n";
        assert_eq!(about(word), about(word.trim_ascii()));
    }

    #[test]
    fn a_hint_and_a_guess_advise_the_same_of_a_whole_file() {
        for bytes in [&b"ab\xE9\xF5\xE1cd\n"[..], b"\xE9\xF5\n", b"one na\x8Bve try", b"a\x01 \x84b\x93\n"] {
            let sample = Sample { bytes, whole: true, error: utf8kit::validate(bytes).err() };
            let hint = Hint::of(sample).expect("not UTF-8");
            assert_eq!(hint.advice().cloned(), sample.weigh().advice(), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn utf16_and_utf32_are_wide() {
        let hint = |encoding: &str| {
            let text = "Wïde text, with söme letters in it.\n".repeat(3);
            let bytes = match encoding {
                "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
                _ => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
            };
            let error = utf8kit::validate(&bytes).err();
            Hint::of(Sample { bytes: &bytes, whole: true, error }).expect(encoding)
        };
        for encoding in ["utf-16le", "utf-32be"] {
            let hint = hint(encoding);
            assert!(hint.is_wide(), "{hint:?}");
        }
    }
}
