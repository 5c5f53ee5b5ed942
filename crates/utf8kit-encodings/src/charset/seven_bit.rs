//! Seven-bit encodings that shift between ASCII and pairs of bytes, which are the pairs of EUC without the high bits:
//! ISO-2022-KR (RFC 1557) and HZ (RFC 1843). A line feed shifts back to ASCII.

use encoding_rs::{EUC_KR, Encoding, GBK};

use super::tokens::{Held, Selecting, Token};

/// An encoding that shifts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shifted {
    pub(super) name: &'static str,
    pairs: &'static Encoding,
    /// The designation of pairs, before the first of them.
    designator: &'static [u8],
    /// The shifts to pairs, and back to ASCII.
    shifts: [&'static [u8]; 2],
    /// The greatest first byte of a pair.
    most: u8,
}

pub(crate) static ISO_2022_KR: Shifted =
    Shifted { name: "ISO-2022-KR", pairs: EUC_KR, designator: b"\x1B$)C", shifts: [b"\x0E", b"\x0F"], most: 0x7E };

pub(crate) static HZ: Shifted =
    Shifted { name: "HZ-GB-2312", pairs: GBK, designator: b"", shifts: [b"~{", b"~}"], most: 0x77 };

/// All of them.
pub(super) static ALL: [&Shifted; 2] = [&ISO_2022_KR, &HZ];

/// The state of a decoder.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// After a shift to pairs.
    shifted: bool,
    /// Directly after a shift. A shift back from here would hide text from programs that search for bytes.
    is_empty: bool,
}

impl Shifted {
    fn token(&self, state: &mut State, bytes: &[u8]) -> Token {
        let State { shifted, is_empty } = state;
        let [first, rest @ ..] = bytes else { return Token::Incomplete };
        let signs = [(self.designator, *shifted), (self.shifts[0], true), (self.shifts[1], false)];
        for (sign, to) in signs.into_iter().filter(|(sign, _)| !sign.is_empty()) {
            if bytes.starts_with(sign) {
                let is_back = *shifted && !to;
                *shifted = to;
                if std::mem::replace(is_empty, sign == self.shifts[0]) && is_back {
                    return Token::Malformed(sign.len());
                }
                return Token::Text(sign.len(), None);
            }
            if sign.starts_with(bytes) {
                return Token::Incomplete;
            }
        }
        // An incomplete pair leaves the state unchanged.
        *is_empty &= rest.is_empty() && *shifted && matches!(first, 0x21..=0x7E);
        match (*first, rest) {
            (b'\n', _) => {
                *shifted = false;
                Token::Text(1, Some(('\n', None)))
            }
            // A tilde is doubled, and before a line feed it joins two lines.
            (b'~', [b'~', ..]) if self.shifts[0] == b"~{" && !*shifted => Token::Text(2, Some(('~', None))),
            (b'~', [b'\n', ..]) if self.shifts[0] == b"~{" && !*shifted => Token::Text(2, None),
            (b'~', _) if self.shifts[0] == b"~{" && !*shifted => Token::Malformed(1),
            (0x1B, _) if !self.designator.is_empty() => Token::Malformed(1),
            (0x21..=0x7E, []) if *shifted => Token::Incomplete,
            (lead @ 0x21..=0x7E, [trail @ 0x21..=0x7E, ..]) if *shifted => {
                let pair = [lead | 0x80, trail | 0x80];
                let text = self.pairs.decode_without_bom_handling_and_without_replacement(&pair);
                match text.filter(|_| lead <= self.most).and_then(|text| text.chars().next()) {
                    Some(c) => Token::Text(2, Some((c, None))),
                    None => Token::Malformed(2),
                }
            }
            (0x21.., _) if *shifted => Token::Malformed(1),
            (byte @ ..0x80, _) => Token::Text(1, Some((char::from(byte), None))),
            _ => Token::Malformed(1),
        }
    }

    /// Returns the two bytes of a character.
    fn pair(&self, scalar: char) -> Option<[u8; 2]> {
        let mut text = [0; 4];
        match *self.pairs.encode(scalar.encode_utf8(&mut text)).0 {
            [lead, trail] if lead.min(trail) > 0xA0 && lead & 0x7F <= self.most => Some([lead & 0x7F, trail & 0x7F]),
            _ => None,
        }
    }
}

impl Shifted {
    /// Reports whether pairs are designated after some bytes.
    pub(super) fn is_designated(&self, before: bool, bytes: &[u8]) -> bool {
        before || memchr::memmem::find(bytes, self.designator).is_some()
    }

    /// Returns the designation that must precede bytes that shift to pairs without designating them.
    pub(super) fn lacks(&self, bytes: &[u8]) -> Option<&'static [u8]> {
        let shift = memchr::memmem::find(bytes, self.shifts[0])?;
        let designates = memchr::memmem::find(bytes, self.designator).is_some_and(|at| at < shift);
        (!designates && !self.designator.is_empty()).then_some(self.designator)
    }
}

/// Decodes a stream.
pub(super) struct Decoder {
    scheme: &'static Shifted,
    state: State,
    held: Held,
}

impl Decoder {
    pub(super) fn new(scheme: &'static Shifted) -> Decoder {
        Decoder { scheme, state: State::default(), held: Held::default() }
    }
}

impl Selecting for Decoder {
    fn back(&self) -> Option<&'static [u8]> {
        // The tilde of HZ's shift could be the second byte of a pair. Another byte completes the pair.
        let is_half = !self.held.is_empty() && self.scheme.shifts[1] == b"~}";
        self.state.shifted.then_some(if is_half { b"~~}" } else { self.scheme.shifts[1] })
    }

    fn is_within(&self) -> bool {
        self.state.shifted || !self.held.is_empty()
    }

    fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        let token = |bytes: &[u8]| self.scheme.token(&mut self.state, bytes);
        let (read, malformed) = self.held.read(input, text, token);
        if !last || malformed.is_some() {
            return (read, malformed);
        }
        let is_empty = std::mem::take(&mut self.state.is_empty);
        let len = match self.held.end() {
            0 if is_empty => self.scheme.shifts[0].len(),
            held => held,
        };
        (read, (len > 0).then_some((len, 0)))
    }
}

/// Encodes a stream.
pub(super) struct Encoder {
    scheme: &'static Shifted,
    shifted: bool,
    designated: bool,
}

impl Encoder {
    pub(super) fn new(scheme: &'static Shifted) -> Encoder {
        Encoder { scheme, shifted: false, designated: false }
    }

    /// Appends the bytes of a text, up to its end or the first character that the encoding lacks, which is returned
    /// with its offset. If this is the `last` piece, the text ends in ASCII.
    pub(super) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) -> Option<(usize, char)> {
        for (at, scalar) in text.char_indices() {
            if scalar.is_ascii() && !self.is_sign(scalar) {
                self.shift(false, out);
                out.push(scalar as u8);
                if scalar == '~' && self.scheme.designator.is_empty() {
                    out.push(b'~');
                }
            } else {
                let Some(pair) = self.scheme.pair(scalar).filter(|_| !scalar.is_ascii()) else {
                    return Some((at, scalar));
                };
                if !std::mem::replace(&mut self.designated, true) {
                    out.extend_from_slice(self.scheme.designator);
                }
                self.shift(true, out);
                out.extend_from_slice(&pair);
            }
        }
        if last {
            self.shift(false, out);
        }
        None
    }

    /// Reports whether an ASCII character would be read as a shift.
    fn is_sign(&self, scalar: char) -> bool {
        !self.scheme.designator.is_empty() && matches!(scalar, '\u{E}' | '\u{F}' | '\u{1B}')
    }

    fn shift(&mut self, to: bool, out: &mut Vec<u8>) {
        if self.shifted != to {
            out.extend_from_slice(self.scheme.shifts[usize::from(!to)]);
            self.shifted = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::tokens::in_pieces;

    fn read(scheme: &'static Shifted, bytes: &[u8], size: usize) -> (String, usize) {
        let mut decoder = Decoder::new(scheme);
        in_pieces(bytes, size, |piece, last, text| decoder.push(piece, last, text))
    }

    #[test]
    fn both_ways_as_python_does() {
        // Text, and its bytes by Python's codecs `iso2022_kr` and `hz`, and by iconv.
        let cases: [(&'static Shifted, &str, &[u8]); 8] = [
            (&ISO_2022_KR, "a가b", b"a\x1B$)C\x0E0!\x0Fb"),
            (&ISO_2022_KR, "가\n나 ~", b"\x1B$)C\x0E0!\x0F\n\x0E3*\x0F ~"),
            (&ISO_2022_KR, "plain", b"plain"),
            (&ISO_2022_KR, "한국어 韓國", b"\x1B$)C\x0EGQ19>n\x0F \x0Ey[OP\x0F"),
            (&HZ, "a中b~c", b"a~{VP~}b~~c"),
            (&HZ, "中\n文", b"~{VP~}\n~{ND~}"),
            (&HZ, "中文。", b"~{VPND!#~}"),
            (&HZ, "~{", b"~~{"),
        ];
        for (scheme, text, bytes) in cases {
            let mut out = Vec::new();
            assert_eq!(Encoder::new(scheme).push(text, true, &mut out), None);
            assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string());
            for size in 1..=bytes.len() {
                assert_eq!(read(scheme, bytes, size), (text.to_owned(), 0), "in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_is_malformed_and_what_is_lacking() {
        let cases: [(&'static Shifted, &[u8], &str); 11] = [
            // Empty shifts, which hide the text around them.
            (&HZ, b"a~{", "a\u{FFFD}"),
            (&HZ, b"~{~}a~{VP~}", "\u{FFFD}a中"),
            (&ISO_2022_KR, b"\x1B$)Ca\x0E\x0Fb\x0E0!\x0F", "a\u{FFFD}b가"),
            (&ISO_2022_KR, b"\x0E\0\x0Fb", "\0b"),
            (&HZ, b"a~\nb", "ab"),
            (&HZ, b"~x", "\u{FFFD}x"),
            (&HZ, b"~{VP\xE9~}a", "中\u{FFFD}a"),
            (&HZ, b"~{V", "\u{FFFD}"),
            (&HZ, b"~{VP\na", "中\na"),
            (&ISO_2022_KR, b"\x1B$)C\x0E0!\na", "가\na"),
            (&ISO_2022_KR, b"\x1B(J\x0E-!!\x0Fa", "\u{FFFD}(J\u{FFFD}\u{FFFD}a"),
        ];
        for (scheme, bytes, text) in cases {
            for size in 1..=bytes.len() {
                assert_eq!(read(scheme, bytes, size).0, text, "{} in pieces of {size}", bytes.escape_ascii());
            }
        }
        for (character, is_lacking) in [('é', true), ('€', false), ('\u{1F600}', true), ('\u{E}', true)] {
            let found = Encoder::new(&ISO_2022_KR).push(&format!("a{character}"), true, &mut Vec::new());
            assert_eq!(found, is_lacking.then_some((1, character)), "{character}");
        }
    }
}
