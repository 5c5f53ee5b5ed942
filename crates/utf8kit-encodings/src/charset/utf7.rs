//! UTF-7 (RFC 2152): ASCII, with everything else as UTF-16 in Base64 between `+` and `-`. For names of mail folders
//! (RFC 3501) with `&` for `+` and `,` for `/`, and all of printable ASCII as itself.

/// The two variants of UTF-7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Use {
    /// In mail.
    #[default]
    Mail,
    /// In names of mail folders.
    Folder,
}

impl Use {
    /// Returns the character that begins Base64.
    fn shift(self) -> char {
        match self {
            Use::Mail => '+',
            Use::Folder => '&',
        }
    }

    fn digit(self, byte: u8) -> Option<u32> {
        match (self, byte) {
            (Use::Folder, b',') => Some(63),
            (Use::Folder, b'/') => None,
            _ => digit(byte),
        }
    }

    /// Reports whether a character is written as itself.
    fn is_direct(self, c: char) -> bool {
        match self {
            Use::Mail => DIRECT.get(c as usize) == Some(&true),
            Use::Folder => c.is_ascii() && c != self.shift() && c != '\x7F',
        }
    }
}

/// The Base64 digits, of six bits each.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each byte as a digit; 64 or more if it is not one.
const VALUES: [u8; 256] = {
    let mut values = [64; 256];
    let mut value = 0;
    while value < 64 {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// The ASCII characters that are written as themselves: the RFC's set D and white space.
const DIRECT: [bool; 128] = {
    let others = b"'(),-./:? \t\r\n";
    let mut direct = [false; 128];
    let (mut byte, mut other) = (0, 0);
    while byte < 128 {
        direct[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    while other < others.len() {
        direct[others[other] as usize] = true;
        other += 1;
    }
    direct
};

pub(super) fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(VALUES[usize::from(byte)])).filter(|&value| value < 64)
}

/// Decodes a stream.
#[derive(Default)]
pub(super) struct Decoder {
    how: Use,
    /// The state within Base64.
    run: Option<Run>,
}

#[derive(Default)]
struct Run {
    bits: u32,
    len: u32,
    /// Whether there has been a digit.
    begun: bool,
    high: Option<u16>,
}

impl Run {
    /// Adds a digit. Returns `false` if a surrogate is not part of a pair.
    fn push(&mut self, digit: u32, text: &mut String) -> bool {
        self.begun = true;
        self.bits = self.bits << 6 | digit;
        self.len += 6;
        if self.len < 16 {
            return true;
        }
        self.len -= 16;
        let unit = (self.bits >> self.len) as u16;
        self.bits &= (1 << self.len) - 1;
        match (self.high.take(), unit) {
            (None, 0xD800..=0xDBFF) => {
                self.high = Some(unit);
                true
            }
            (high, unit) => {
                let mut decoded = char::decode_utf16(high.into_iter().chain([unit]));
                decoded.next().and_then(Result::ok).filter(|_| decoded.next().is_none()).is_some_and(|c| {
                    text.push(c);
                    true
                })
            }
        }
    }

    /// Reports whether it may end here: no high surrogate is pending, and only padding bits are left.
    fn is_complete(&self) -> bool {
        self.high.is_none() && self.len < 6 && self.bits == 0
    }
}

impl Decoder {
    pub(super) fn new(how: Use) -> Decoder {
        Decoder { how, run: None }
    }

    /// Reports whether it is within Base64.
    pub(super) fn is_within(&self) -> bool {
        self.run.is_some()
    }

    /// Appends the text of a piece, up to its end or the first malformed byte. Returns how many bytes were read, and
    /// whether the last one of them is malformed.
    pub(super) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<usize>) {
        for (at, &byte) in input.iter().enumerate() {
            let malformed = Some(1);
            let Some(run) = &mut self.run else {
                match byte {
                    _ if char::from(byte) == self.how.shift() => self.run = Some(Run::default()),
                    0..=0x7F => text.push(char::from(byte)),
                    _ => return (at + 1, malformed),
                }
                continue;
            };
            if let Some(digit) = self.how.digit(byte) {
                if !run.push(digit, text) {
                    self.run = None;
                    return (at + 1, malformed);
                }
                continue;
            }
            let (begun, complete) = (run.begun, run.is_complete());
            self.run = None;
            match byte {
                b'-' if !begun => text.push(self.how.shift()),
                b'-' if complete => {}
                0..=0x7F if begun && complete && self.how == Use::Mail => text.push(char::from(byte)),
                _ => return (at + 1, malformed),
            }
        }
        let is_folder = self.how == Use::Folder;
        let cut = last && self.run.take().is_some_and(|run| !run.begun || !run.is_complete() || is_folder);
        (input.len(), cut.then_some(1))
    }
}

/// Encodes a stream.
#[derive(Default)]
pub(super) struct Encoder {
    how: Use,
    within: bool,
    bits: u32,
    len: u32,
}

impl Encoder {
    pub(super) fn new(how: Use) -> Encoder {
        Encoder { how, ..Encoder::default() }
    }

    /// Appends the bytes of a text.
    pub(super) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) {
        for c in text.chars() {
            let is_folder = self.how == Use::Folder;
            if self.how.is_direct(c) {
                // Without a minus sign, a following digit would be part of the Base64.
                self.end(is_folder || c == '-' || digit(c as u8).is_some(), out);
                out.push(c as u8);
            } else if c == self.how.shift() && (!self.within || is_folder) {
                self.end(true, out);
                out.extend([c as u8, b'-']);
            } else {
                self.add(c, out);
            }
        }
        if last {
            self.end(true, out);
        }
    }

    fn add(&mut self, c: char, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.within, true) {
            out.push(self.how.shift() as u8);
        }
        for &unit in &*c.encode_utf16(&mut [0; 2]) {
            self.bits = self.bits << 16 | u32::from(unit);
            self.len += 16;
            while self.len >= 6 {
                self.len -= 6;
                self.digit(out);
            }
        }
    }

    /// Writes the next digit of the pending bits.
    fn digit(&mut self, out: &mut Vec<u8>) {
        let digit = DIGITS.get((self.bits >> self.len) as usize).copied();
        out.extend(digit.map(|digit| if (self.how, digit) == (Use::Folder, b'/') { b',' } else { digit }));
        self.bits &= (1 << self.len) - 1;
    }

    fn end(&mut self, minus: bool, out: &mut Vec<u8>) {
        if !std::mem::take(&mut self.within) {
            return;
        }
        if self.len > 0 {
            self.bits <<= 6 - self.len;
            self.len = 0;
            self.digit(out);
        }
        out.extend(minus.then_some(b'-'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = Encoder::default();
        text.chars().for_each(|c| encoder.push(c.encode_utf8(&mut [0; 4]), false, &mut out));
        encoder.push("", true, &mut out);
        out
    }

    fn read(bytes: &[u8]) -> (String, Option<usize>) {
        let (mut text, mut decoder) = (String::new(), Decoder::default());
        for byte in bytes.chunks(1) {
            if decoder.push(byte, false, &mut text).1.is_some() {
                return (text, Some(1));
            }
        }
        let end = decoder.push(&[], true, &mut text).1;
        (text, end)
    }

    #[test]
    fn the_examples_of_the_rfc() {
        for (text, bytes) in [
            ("A\u{2262}\u{391}.", &b"A+ImIDkQ."[..]),
            ("Hi Mom -\u{263A}-!", b"Hi Mom -+Jjo--+ACE-"),
            ("\u{65E5}\u{672C}\u{8A9E}", b"+ZeVnLIqe-"),
            ("1 + 1\u{1F600}a", b"1 +- 1+2D3eAA-a"),
        ] {
            assert_eq!(String::from_utf8_lossy(&written(text)), String::from_utf8_lossy(bytes));
            assert_eq!(read(bytes), (text.to_owned(), None));
        }
        for bad in [&b"a\xE9"[..], b"+AG-", b"+2D0-", b"+3gA-", b"+", b"+!", b"+2D0"] {
            assert!(read(bad).1.is_some(), "{bad:?}");
        }
    }

    #[test]
    fn names_of_folders() {
        for (text, bytes) in [
            ("~peter/mail/\u{53F0}\u{5317}/\u{65E5}\u{672C}\u{8A9E}", &b"~peter/mail/&U,BTFw-/&ZeVnLIqe-"[..]),
            ("Entw\u{FC}rfe & mehr", b"Entw&APw-rfe &- mehr"),
            ("\u{E9}&\u{E9}", b"&AOk-&-&AOk-"),
        ] {
            let (mut out, mut read) = (Vec::new(), String::new());
            Encoder::new(Use::Folder).push(text, true, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(bytes));
            assert_eq!(Decoder::new(Use::Folder).push(bytes, true, &mut read), (bytes.len(), None));
            assert_eq!(read, text);
        }
        for bad in [&b"&AOk"[..], b"&AOk x", b"&U/BTFw-"] {
            assert!(Decoder::new(Use::Folder).push(bad, true, &mut String::new()).1.is_some(), "{bad:?}");
        }
    }
}
