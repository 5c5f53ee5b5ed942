//! What the comparison asks of encodings.

use utf8kit::AnyEncoding;
use utf8kit_detect::legacy::reads_best;
use utf8kit_encodings::charset::step::Shift;
use utf8kit_encodings::charset::{Charset, Codec, Legacy};

pub(super) const UTF8: Codec = Codec::Native(AnyEncoding::Utf8);

pub(super) fn ascii() -> Codec {
    "us-ascii".parse::<Charset>().map_or(UTF8, Charset::writer)
}

/// Returns the text of bytes, if all are text.
pub(super) fn text_of(codec: Codec, bytes: &[u8]) -> Option<String> {
    // Each piece by itself: a decoder touches all the space that a text has left.
    let (mut text, mut piece, mut at, mut shift) = (String::new(), String::new(), 0, Shift::Neutral);
    while let Some(step) = codec.step(shift, bytes.get(at..).unwrap_or_default(), &mut piece) {
        if step.malformed {
            return None;
        }
        text.push_str(&piece);
        piece.clear();
        (at, shift) = (at + step.len, step.shift);
    }
    Some(text)
}

/// Returns text in an encoding, if that has all of it.
pub(super) fn bytes_in(codec: Codec, text: &str) -> Option<Vec<u8>> {
    let bytes: Option<Vec<Vec<u8>>> = text.chars().map(|c| codec.bytes_of(c)).collect();
    Some(bytes?.concat())
}

/// Reports whether bytes in an encoding are text in ASCII.
pub(super) fn is_ascii(codec: Codec, bytes: &[u8]) -> bool {
    match codec {
        Codec::Native(native) if !native.is_ascii_compatible() => {
            text_of(codec, bytes).is_some_and(|text| text.is_ascii())
        }
        _ => bytes.is_ascii(),
    }
}

/// Reports whether an encoding is one of bytes, but not UTF-8.
pub(super) fn is_legacy(codec: Codec) -> bool {
    matches!(codec, Codec::Legacy(_) | Codec::Native(AnyEncoding::Latin1))
}

/// Reports whether each byte of an encoding is a character.
pub(super) fn is_single_byte(codec: Codec) -> bool {
    match codec {
        Codec::Legacy(legacy) => legacy.is_single_byte(),
        Codec::Native(native) => native == AnyEncoding::Latin1,
    }
}

/// Reports whether an encoding is a code page of Windows, some of which leave bytes open.
pub(super) fn is_windows(legacy: Legacy) -> bool {
    legacy.name().starts_with("windows-")
}

/// Reports whether bytes are text in one of some encodings: no other is much likelier.
pub(super) fn reads_in(encodings: &[Codec], bytes: &[u8]) -> bool {
    encodings.iter().any(|&codec| reads_best(codec, bytes))
}

/// The line ends that a text has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) feed: bool,
    pub(super) with_return: bool,
}

impl Ends {
    /// Returns the line ends of bytes in an encoding.
    pub(super) fn of(codec: Codec, bytes: &[u8]) -> Ends {
        let mut ends = Ends::default();
        if !codec.is_wide() {
            for feed in memchr::memchr_iter(b'\n', bytes) {
                ends.add(feed.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\r'));
                if ends.differ() {
                    break;
                }
            }
            return ends;
        }
        let (mut at, mut text, mut was_return) = (0, String::new(), false);
        while let Some(step) = codec.step(Shift::Neutral, bytes.get(at..).unwrap_or_default(), &mut text) {
            if text == "\n" {
                ends.add(was_return);
            }
            was_return = text == "\r";
            text.clear();
            at += step.len;
        }
        ends
    }

    fn add(&mut self, has_return: bool) {
        self.feed |= !has_return;
        self.with_return |= has_return;
    }

    /// Reports whether lines end in different ways.
    pub(super) fn differ(self) -> bool {
        self.feed && self.with_return
    }
}
