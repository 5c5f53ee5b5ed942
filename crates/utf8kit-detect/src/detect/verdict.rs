//! The verdict on a file that is not plain UTF-8, from a guess at its encoding.

use utf8kit::AnyEncoding;
use utf8kit_encodings::artifact::Artifact;

use crate::detect::confidence::Confidence;
use crate::detect::guess::Guess;
use crate::detect::sample::Sample;
use crate::detect::suggestion::Action;

impl Sample<'_> {
    /// Returns the guess at a file that was checked as UTF-8. `None` if it is plain UTF-8 without notes.
    ///
    /// ```
    /// use utf8kit_detect::Sample;
    ///
    /// let german = b"Gr\xFC\xDFe aus K\xF6ln";
    /// let guess = Sample::new(german, true, utf8kit::validate(german).err()).other_than_utf8().unwrap();
    /// assert_eq!(guess.verdict(), "windows-1252, not utf-8");
    /// assert!(Sample::new("\u{FC}".as_bytes(), true, None).other_than_utf8().is_none());
    /// ```
    pub fn other_than_utf8(self) -> Option<Guess> {
        let mut guess = self.weigh().unless_utf8()?;
        let is_about_errors =
            matches!(guess.action, Some(Action::ReplaceErrors | Action::FixMojibake | Action::Artifact(_)));
        if !self.whole && !is_about_errors {
            // The rest of the file may be in yet another encoding and would be garbled.
            guess.limit = Confidence::Possible;
        }
        Some(guess)
    }
}

impl Guess {
    /// Returns the guess, unless the input is plain UTF-8 without notes.
    pub fn unless_utf8(self) -> Option<Guess> {
        let is_plain =
            self.misdecoded_as.is_none() && self.mixed.is_none() && self.artifact.is_none() && self.notes.is_empty();
        let is_other = match self.encoding {
            Some(name) => name != AnyEncoding::Utf8.name() || !is_plain,
            None => !self.notes.is_empty(),
        };
        is_other.then_some(self)
    }

    /// Reports whether the encoding is UTF-16 or UTF-32. The errors found by a check as UTF-8 are meaningless then.
    pub fn is_wide(&self) -> bool {
        let encoding = self.encoding.and_then(|name| name.parse::<AnyEncoding>().ok());
        encoding.is_some_and(|encoding| encoding.unit() > 1)
    }

    /// Returns the verdict on a file without other problems.
    pub fn verdict(&self) -> String {
        let Guess { encoding, misdecoded_as, artifact, notes, .. } = self;
        match (misdecoded_as, artifact, encoding) {
            (Some(_), ..) => "mojibake".to_owned(),
            (None, Some(artifact), _) if !self.is_wide() => artifact.about().to_string(),
            (None, _, _) if !notes.is_empty() => notes.join("; "),
            (None, _, encoding) => format!("{}, not utf-8", encoding.unwrap_or("no text")),
        }
    }

    /// Returns a description of the encoding of a file, with the number of lines that are not UTF-8, if counted.
    pub fn note(&self, bad: Option<u64>, lines: u64) -> Option<String> {
        match (self.misdecoded_as, self.mixed, bad) {
            (Some(other), ..) => Some(format!("UTF-8 that was read as {other} and written as UTF-8 again")),
            (None, Some(other), _) if self.artifact == Some(Artifact::Utf16) => {
                Some(format!("reads as UTF-8 and {other} with {}", Artifact::Utf16.about()))
            }
            (None, Some(other), Some(bad)) => {
                let read = if bad == 1 { "reads" } else { "read" };
                Some(format!("UTF-8, but {bad} of {lines} lines {read} as {other}"))
            }
            (None, Some(other), None) => Some(format!("UTF-8, but some lines read as {other}")),
            (None, None, _) if self.is_wide() => self.artifact.map(|artifact| artifact.about().to_owned()),
            (None, None, _) if self.encoding.is_none() => Some(self.notes.join("; ")),
            (None, None, _) => {
                let artifact = self.artifact.map_or(String::new(), |artifact| format!(" with {}", artifact.about()));
                let encoding = self.encoding?;
                // Text without errors is UTF-8 anyway.
                (encoding != AnyEncoding::Utf8.name() || bad.is_some_and(|bad| bad > 0))
                    .then(|| format!("reads as {encoding}{artifact}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversion(from: &str) -> Option<Action> {
        Some(Action::Convert { from: from.parse().unwrap(), strip_bom: false })
    }

    /// Returns the action, unless the suggestion is open.
    fn action(guess: &Guess) -> Option<Action> {
        guess.suggestion().filter(|suggestion| !suggestion.is_open()).map(|suggestion| suggestion.action)
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
        let guess = |whole| Sample { bytes: &bytes, whole, error }.other_than_utf8().expect("not UTF-8");
        assert_eq!(action(&guess(true)), conversion("windows-1251"));
        // The rest may be UTF-8.
        assert_eq!(guess(false).verdict(), "windows-1251, not utf-8");
        assert_eq!(action(&guess(false)), None);
    }

    #[test]
    fn an_uncertain_guess_is_a_command_only_for_text() {
        let about = |bytes: &[u8]| {
            let error = utf8kit::validate(bytes).err();
            let guess = Sample { bytes, whole: true, error }.other_than_utf8().expect("not UTF-8");
            assert!(!guess.is_wide(), "{guess:?}");
            assert!(guess.suggestion().is_some(), "{guess:?}");
            (guess.verdict(), action(&guess))
        };
        let few = about(b"ab\xE9\xF5\xE1cd\n");
        assert!(few.0.starts_with("windows-125") && few.1.is_none(), "{few:?}");
        let enough = about(b"b\xFBti\nI\xF0ikavos\n\x84Logitech diNovo\x93\n");
        assert_eq!(enough.1, conversion("windows-1257"));
        // It reads equally well in several encodings.
        let doubted = about(b"ab\xE9\xF5\xE1cd ef\xF5gh\n");
        assert!(doubted.0.starts_with("windows-125") && doubted.1.is_none(), "{doubted:?}");
        // All letters of an alphabet are non-ASCII.
        let greek = about(b"\xCF\xE9 \xDC\xED\xE8\xF1\xF9\xF0\xEF\xE9\n");
        assert_eq!(greek.1, conversion("windows-1253"), "{greek:?}");
        let word = b"\xCA\xE1\xEB\xE7\xEC\xDD\xF1\xE1\n";
        assert_eq!(about(word), about(word.trim_ascii()));
    }

    #[test]
    fn a_whole_file_needs_no_limit() {
        for bytes in [&b"ab\xE9\xF5\xE1cd\n"[..], b"\xE9\xF5\n", b"one na\x8Bve try", b"a\x01 \x84b\x93\n"] {
            let sample = Sample { bytes, whole: true, error: utf8kit::validate(bytes).err() };
            let guess = sample.other_than_utf8().expect("not UTF-8");
            assert_eq!(guess.suggestion(), sample.weigh().suggestion(), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn utf16_and_utf32_are_wide() {
        let wide = |encoding: &str| {
            let text = "Wïde text, with söme letters in it.\n".repeat(3);
            let bytes = match encoding {
                "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
                _ => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
            };
            let error = utf8kit::validate(&bytes).err();
            Sample { bytes: &bytes, whole: true, error }.other_than_utf8().expect(encoding)
        };
        for encoding in ["utf-16le", "utf-32be"] {
            let guess = wide(encoding);
            assert!(guess.is_wide(), "{guess:?}");
        }
    }
}
