//! GSM 03.38, the alphabet of short messages, with one septet per byte. 1B shifts to the extension table. From
//! Unicode's mapping file (`MAPPINGS/ETSI/GSM0338.TXT`).

/// The default alphabet, 16 characters per line. 1B is the shift.
#[rustfmt::skip]
const ALPHABET: [char; 128] = [
    '@', '£', '$', '¥', 'è', 'é', 'ù', 'ì', 'ò', 'Ç', '\n', 'Ø', 'ø', '\r', 'Å', 'å',
    'Δ', '_', 'Φ', 'Γ', 'Λ', 'Ω', 'Π', 'Ψ', 'Σ', 'Θ', 'Ξ', '\u{A0}', 'Æ', 'æ', 'ß', 'É',
    ' ', '!', '"', '#', '¤', '%', '&', '\'', '(', ')', '*', '+', ',', '-', '.', '/',
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', ';', '<', '=', '>', '?',
    '¡', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O',
    'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'Ä', 'Ö', 'Ñ', 'Ü', '§',
    '¿', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o',
    'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 'ä', 'ö', 'ñ', 'ü', 'à',
];

const SHIFT: u8 = 0x1B;

/// The extension table: the characters of bytes after the shift.
const EXTENSION: [(u8, char); 10] = [
    (0x0A, '\u{C}'),
    (0x14, '^'),
    (0x28, '{'),
    (0x29, '}'),
    (0x2F, '\\'),
    (0x3C, '['),
    (0x3D, '~'),
    (0x3E, ']'),
    (0x40, '|'),
    (0x65, '€'),
];

/// Decodes a stream.
#[derive(Default)]
pub(super) struct Decoder {
    shifted: bool,
}

impl Decoder {
    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read, and
    /// how many of the last of those are malformed.
    pub(super) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<usize>) {
        for (at, &byte) in input.iter().enumerate() {
            if std::mem::take(&mut self.shifted) {
                match EXTENSION.iter().find(|(code, _)| *code == byte) {
                    Some(&(_, c)) => text.push(c),
                    None => return (at + 1, Some(2)),
                }
            } else if byte == SHIFT {
                self.shifted = true;
            } else if let Some(&c) = ALPHABET.get(usize::from(byte)) {
                text.push(c);
            } else {
                return (at + 1, Some(1));
            }
        }
        (input.len(), (last && std::mem::take(&mut self.shifted)).then_some(1))
    }
}

/// Appends the bytes of a character. Returns `false` if the alphabet lacks it.
pub(super) fn write(scalar: char, out: &mut Vec<u8>) -> bool {
    if let Some(byte) = ALPHABET.iter().position(|&c| c == scalar).filter(|&at| at != usize::from(SHIFT)) {
        out.push(byte as u8);
        return true;
    }
    let extended = EXTENSION.iter().find(|(_, c)| *c == scalar);
    out.extend(extended.iter().flat_map(|(byte, _)| [SHIFT, *byte]));
    extended.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let all: Vec<u8> = (0..128).filter(|&byte| byte != SHIFT).collect();
        let extension = EXTENSION.iter().flat_map(|(byte, _)| [SHIFT, *byte]);
        let all: Vec<u8> = all.into_iter().chain(extension).collect();
        assert_eq!(Decoder::default().push(&all, true, &mut text), (all.len(), None));
        assert!(text.chars().all(|c| write(c, &mut bytes)));
        assert_eq!(bytes, all);
        assert!(!write('\u{416}', &mut bytes));
        for (bad, at) in [(&b"a\x80"[..], (2, Some(1))), (b"a\x1Ba", (3, Some(2))), (b"\x1B", (1, Some(1)))] {
            assert_eq!(Decoder::default().push(bad, true, &mut String::new()), at);
        }
    }
}
