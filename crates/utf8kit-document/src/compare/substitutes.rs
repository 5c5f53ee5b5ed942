//! The substitutes that programs write for lost text, and their number.

use std::fmt;

/// What a program writes in place of lost text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Substitute {
    /// U+FFFD.
    Replacement,
    /// A question mark.
    Question,
    /// A character reference of HTML: `&#233;`.
    Reference,
    Nothing,
}

/// How many substitutes a loss becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Each {
    /// One for each error or character.
    Item,
    /// One for each byte of an error, or UTF-16 code unit of a character.
    Unit,
    /// One for each run of errors.
    Run,
    /// One for each error of one byte, as Python and iconv count them: what follows is read again, and what a code
    /// page of Windows leaves open is an error.
    Byte,
    /// The same, and what GB 18030 and Hong Kong added to code pages of Windows is also an error.
    CodePage,
    /// As `CodePage`, and vendor extensions to the national standard are also errors.
    Standard,
}

impl Substitute {
    /// Adds the token of the substitute for a character, or for invalid bytes. A reference is read as its
    /// character.
    pub(super) fn push(self, scalar: Option<char>, tokens: &mut Vec<u32>) {
        match self {
            Substitute::Reference => tokens.push(u32::from(scalar.unwrap_or(char::REPLACEMENT_CHARACTER))),
            Substitute::Replacement => tokens.push(u32::from(char::REPLACEMENT_CHARACTER)),
            Substitute::Question => tokens.push(u32::from('?')),
            Substitute::Nothing => {}
        }
    }
}

impl fmt::Display for Substitute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Substitute::Replacement => "U+FFFD",
            Substitute::Question => "a question mark",
            Substitute::Reference => "a character reference",
            Substitute::Nothing => "nothing",
        })
    }
}
