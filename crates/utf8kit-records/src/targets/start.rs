//! The beginning that a system requires to read text as UTF-8, or at all.

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::has_bom;

/// The required beginning of non-ASCII text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// A byte order mark.
    Mark,
    /// A command that selects the code page of UTF-8, without a mark.
    CodePage,
    /// The byte order mark of UTF-16LE. The text must not be UTF-8.
    Utf16,
}

/// The command that selects UTF-8 in batch files.
const SELECTS_UTF8: &[u8] = b"chcp 65001";

/// The beginning of registry files that are in a code page.
const IN_CODE_PAGE: &[u8] = b"REGEDIT4";

impl Start {
    /// Returns the problem of non-ASCII UTF-8 that begins with `head`, or `None` if it is right.
    ///
    /// ```
    /// use utf8kit_records::targets::Start;
    ///
    /// assert!(Start::CodePage.wrong_with("echo Gr\u{F6}\u{DF}e\r\n".as_bytes()).is_some());
    /// assert!(Start::CodePage.wrong_with("chcp 65001\r\necho Gr\u{F6}\u{DF}e\r\n".as_bytes()).is_none());
    /// ```
    pub fn wrong_with(self, head: &[u8]) -> Option<&'static str> {
        let is_marked = has_bom(AnyEncoding::Utf8, head);
        let selects = || {
            let mut parts = head.windows(SELECTS_UTF8.len()).take_while(|part| part.is_ascii());
            parts.any(|part| part.eq_ignore_ascii_case(SELECTS_UTF8))
        };
        match self {
            Start::Mark if is_marked => None,
            Start::Mark => Some("no byte order mark, but one is required"),
            Start::CodePage if is_marked => Some("byte order mark, but none is allowed"),
            Start::CodePage if selects() => None,
            Start::CodePage => {
                Some("no `chcp 65001` before non-ASCII text: it is read in the code page of the console")
            }
            Start::Utf16 if head.starts_with(IN_CODE_PAGE) => {
                Some("REGEDIT4 begins it: it must be in the code page of the system, not UTF-8")
            }
            Start::Utf16 => Some("non-ASCII text must be UTF-16LE with a byte order mark"),
        }
    }

    /// Returns the conversion that corrects such text, if there is one: the encoding, unless it is UTF-8, and whether
    /// to add a mark.
    pub fn conversion(self, head: &[u8]) -> Option<(Option<&'static str>, bool)> {
        match self {
            Start::Mark => Some((None, true)),
            Start::CodePage => has_bom(AnyEncoding::Utf8, head).then_some((None, false)),
            Start::Utf16 => (!head.starts_with(IN_CODE_PAGE)).then_some((Some("utf-16le"), true)),
        }
    }
}
