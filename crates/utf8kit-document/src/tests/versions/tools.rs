//! The effects of programs on a line of text that they read and write.

use unicode_normalization::UnicodeNormalization as _;
use utf8kit_encodings::charset::Codec;

use crate::tests::generated::{codec, decode, encode};
use utf8kit_testing::Random;

/// The effect of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Nothing,
    /// Reads it as UTF-8, with this text for each error.
    Utf8(&'static str),
    /// Writes this text for each non-ASCII byte.
    Bytes(&'static str),
    /// Writes this text for each non-ASCII character.
    Ascii(&'static str),
    /// Writes a character reference for each non-ASCII character.
    References,
    /// Writes a question mark for characters that an encoding lacks, and the rest unchanged.
    Through(&'static str),
    /// Reads it in an encoding, and writes UTF-8.
    ReadAs(&'static str),
    /// Reads it in its own encoding, and writes UTF-8.
    ToUtf8,
    /// The same, twice.
    Twice(&'static str),
    /// Writes it in another encoding, with a question mark for characters that this lacks.
    WrittenIn(&'static str),
    Decomposes,
}

const READ_AS: [&str; 14] = [
    "windows-1252", "windows-1252", "latin1", "windows-1251", "windows-1250", "cp850", "cp437", "koi8-r", "macintosh",
    "gb18030", "gb18030", "shift_jis", "big5", "euc-kr",
];

impl Tool {
    /// Returns a tool that damages text in an encoding, as programs usually do.
    pub(super) fn usual(random: &mut Random, encoding: &str) -> Tool {
        let is_utf8 = encoding == "utf-8";
        match random.below(if is_utf8 { 8 } else { 12 }) {
            0 => Tool::Ascii("?"),
            1 => Tool::Ascii(""),
            2 => Tool::Through(random.pick(&["windows-1252", "windows-1251", "latin1", "iso-8859-2"])),
            3 => Tool::WrittenIn(random.pick(&["windows-1252", "windows-1251", "shift_jis", "gb18030"])),
            4 if is_utf8 => Tool::Decomposes,
            4 => Tool::ReadAs(random.pick(&READ_AS)),
            5 if is_utf8 => Tool::Bytes("\u{FFFD}"),
            6 | 7 if is_utf8 => Tool::ReadAs(random.pick(&READ_AS)),
            5 | 6 => Tool::ToUtf8,
            7 => Tool::Bytes("\u{FFFD}"),
            8 => Tool::Utf8("?"),
            9 => Tool::Utf8(""),
            _ => Tool::Utf8("\u{FFFD}"),
        }
    }

    /// Returns any of the tools.
    pub(super) fn any(random: &mut Random, encoding: &str) -> Tool {
        match random.below(8) {
            0 => Tool::References,
            1 => Tool::Twice(random.pick(&["windows-1252", "latin1"])),
            2 if encoding == "utf-8" => Tool::ReadAs("gb18030"),
            _ => Tool::usual(random, encoding),
        }
    }

    /// Returns the encoding in which it writes text that is in `encoding`.
    pub(super) fn written(self, encoding: &str) -> &str {
        match self {
            Tool::Utf8(_) | Tool::Bytes(_) | Tool::ReadAs(_) | Tool::ToUtf8 | Tool::Twice(_) => "utf-8",
            Tool::WrittenIn(other) => other,
            _ => encoding,
        }
    }

    /// Runs the tool on text in an encoding.
    pub(super) fn run(self, encoding: &str, text: &str) -> Option<Vec<u8>> {
        let own = codec(encoding);
        let bytes = encode(own, text)?;
        let ascii = |lost: &dyn Fn(char) -> String| {
            let each = |c: char| if c.is_ascii() { c.to_string() } else { lost(c) };
            text.chars().map(each).collect::<String>().into_bytes()
        };
        let asked = |codec: Codec| -> Vec<u8> {
            text.chars().flat_map(|c| codec.says(c).unwrap_or_else(|| b"?".to_vec())).collect()
        };
        Some(match self {
            Tool::Nothing => bytes,
            Tool::Utf8(lost) => decode(codec("utf-8"), &bytes, lost).into_bytes(),
            Tool::Bytes(lost) => {
                let each = |&byte: &u8| {
                    if byte.is_ascii() { char::from(byte).to_string() } else { lost.to_owned() }
                };
                bytes.iter().map(each).collect::<String>().into_bytes()
            }
            Tool::Ascii(lost) => ascii(&|_| lost.to_owned()),
            Tool::References => ascii(&|c| format!("&#{};", u32::from(c))),
            Tool::Through(other) => {
                let asks = |c: char| if codec(other).says(c).is_some() { c } else { '?' };
                encode(own, &text.chars().map(asks).collect::<String>())?
            }
            Tool::ReadAs(other) => decode(codec(other), &bytes, "\u{FFFD}").into_bytes(),
            Tool::ToUtf8 => text.as_bytes().to_vec(),
            Tool::Twice(other) => {
                let once = decode(codec(other), &bytes, "\u{FFFD}");
                decode(codec(other), once.as_bytes(), "\u{FFFD}").into_bytes()
            }
            Tool::WrittenIn(other) => asked(codec(other)),
            Tool::Decomposes => encode(own, &text.nfd().collect::<String>())?,
        })
    }

    /// Reports whether it drops characters without a replacement.
    pub(super) fn drops(self) -> bool {
        matches!(self, Tool::Utf8("") | Tool::Ascii(""))
    }
}
