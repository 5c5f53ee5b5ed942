//! Encodings of all of Unicode that are defined by an algorithm: two compressions, and labels of domain names.

mod bocu1;
mod punycode;
mod scsu;

/// An encoding that is defined by an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// The Standard Compression Scheme for Unicode (Unicode Technical Standard #6).
    Scsu,
    /// Binary Ordered Compression for Unicode (Unicode Technical Note #6).
    Bocu1,
    /// Labels of domain names (RFC 3492), one on each line.
    Punycode,
}

impl Algorithm {
    const ALL: [Algorithm; 3] = [Algorithm::Scsu, Algorithm::Bocu1, Algorithm::Punycode];

    /// Returns the encoding of a name.
    pub(crate) fn named(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Algorithm::Scsu => "SCSU",
            Algorithm::Bocu1 => "BOCU-1",
            Algorithm::Punycode => "Punycode",
        }
    }

    /// Reports whether the state ends with a line.
    pub(crate) fn is_by_line(self) -> bool {
        self != Algorithm::Scsu
    }
}

/// Decodes a stream.
pub(crate) enum Decoder {
    Scsu(scsu::Decoder),
    Bocu1(bocu1::Decoder),
    Punycode(punycode::Decoder),
}

impl Decoder {
    pub(crate) fn new(algorithm: Algorithm) -> Decoder {
        match algorithm {
            Algorithm::Scsu => Decoder::Scsu(scsu::Decoder::default()),
            Algorithm::Bocu1 => Decoder::Bocu1(bocu1::Decoder::default()),
            Algorithm::Punycode => Decoder::Punycode(punycode::Decoder::default()),
        }
    }

    /// Appends the text of a piece, up to its end or the first malformed span. Returns how many bytes were read and, if
    /// there is such a span, its length and the number of bytes that were read after it.
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        match self {
            Decoder::Scsu(decoder) => decoder.push(input, last, text),
            Decoder::Bocu1(decoder) => decoder.push(input, last, text),
            Decoder::Punycode(decoder) => decoder.push(input, last, text),
        }
    }
}

/// Encodes a stream.
pub(crate) enum Encoder {
    Scsu(scsu::Encoder),
    Bocu1(bocu1::Encoder),
    Punycode(punycode::Encoder),
}

impl Encoder {
    pub(crate) fn new(algorithm: Algorithm) -> Encoder {
        match algorithm {
            Algorithm::Scsu => Encoder::Scsu(scsu::Encoder::default()),
            Algorithm::Bocu1 => Encoder::Bocu1(bocu1::Encoder::default()),
            Algorithm::Punycode => Encoder::Punycode(punycode::Encoder::default()),
        }
    }

    /// Appends the bytes of a text. Each of these encodings has every character.
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) {
        match self {
            Encoder::Scsu(encoder) => encoder.push(text, last, out),
            Encoder::Bocu1(encoder) => encoder.push(text, out),
            Encoder::Punycode(encoder) => encoder.push(text, last, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::tokens::in_pieces;

    fn written(algorithm: Algorithm, text: &str, size: usize) -> Vec<u8> {
        let (mut encoder, mut out) = (Encoder::new(algorithm), Vec::new());
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            encoder.push(&piece.iter().collect::<String>(), false, &mut out);
        }
        encoder.push("", true, &mut out);
        out
    }

    fn read(algorithm: Algorithm, bytes: &[u8], size: usize) -> String {
        let mut decoder = Decoder::new(algorithm);
        in_pieces(bytes, size, |piece, last, text| decoder.push(piece, last, text)).0
    }

    #[test]
    fn texts_that_others_wrote() {
        // Examples from the standards. Those of BOCU-1, and those without a named standard, are by ICU's `uconv`; those
        // of Punycode, by Python.
        let all = "Aß\u{401}\u{15F}ß\u{1DF}\u{F000}\u{10FFFF}\r\nAß\u{401}\u{15F}ß\u{1DF}\u{F000}\u{10FFFF}";
        let cases: [(Algorithm, &[u8], &str); 14] = [
            (Algorithm::Scsu, b"\xD6l flie\xDFt", "Öl fließt"),
            (Algorithm::Scsu, b"\x12\x9C\xBE\xC1\xBA\xB2\xB0", "Москва"),
            (
                Algorithm::Scsu,
                b"\x08\0\x1B\x4C\xEA\x16\xCA\xD3\x94\x0F\x53\xEF\x61\x1B\xE5\x84\xC4\x0F\x53\xEF\x61\x1B\xE5\x84\
                  \xC4\x16\xCA\xD3\x94\x08\x02",
                "\u{3000}♪リンゴ可愛いや可愛いやリンゴ。",
            ),
            (
                Algorithm::Scsu,
                b"A\xDF\x12\x81\x03\x5F\x10\xDF\x1B\x03\xDF\x1C\x88\x80\x0B\xBF\xFF\xFF\r\nA\x10\xDF\x12\x81\x03\
                  \x5F\x10\xDF\x13\xDF\x14\x80\x15\xFF",
                all,
            ),
            (Algorithm::Bocu1, b"\xFB\xEE\x28", "\u{FEFF}"),
            (Algorithm::Bocu1, b"", ""),
            (Algorithm::Punycode, b"bcher-kva", "bücher"),
            (Algorithm::Punycode, b"abc-", "abc"),
            (Algorithm::Punycode, b"tda\n\nbcher-kva\r\n", "ü\n\nbücher\r\n"),
            (Algorithm::Punycode, b"egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            (Algorithm::Punycode, b"Hello-Another-Way--fc4qua05auwb3674vfr0b", "Hello-Another-Way-それぞれの場所"),
            (Algorithm::Punycode, b"-> $1.00 <--", "-> $1.00 <-"),
            (Algorithm::Punycode, b"", ""),
            (Algorithm::Scsu, b"", ""),
        ];
        for (algorithm, bytes, text) in cases {
            for size in [1, 2, 3, 1000] {
                assert_eq!(read(algorithm, bytes, size), text);
                let own = written(algorithm, text, size);
                assert_eq!(read(algorithm, &own, size), text);
                // SCSU may be written in several ways.
                if algorithm != Algorithm::Scsu {
                    assert_eq!(own.escape_ascii().to_string(), bytes.escape_ascii().to_string());
                }
            }
        }
    }

    #[test]
    fn what_is_malformed() {
        let cases: [(Algorithm, &[u8], &str); 12] = [
            (Algorithm::Scsu, b"a\x0Cb", "a\u{FFFD}b"),
            (Algorithm::Scsu, b"\x18\0b", "\u{FFFD}b"),
            (Algorithm::Scsu, b"a\x0E\xD8\0b", "a\u{FFFD}b"),
            (Algorithm::Scsu, b"a\x0E\xD8", "a\u{FFFD}"),
            (Algorithm::Scsu, b"\x0F\xDC\0\0a", "\u{FFFD}a"),
            (Algorithm::Bocu1, b"\xD0", "\u{FFFD}"),
            (Algorithm::Bocu1, b"\xD0\na", "\u{FFFD}\n\u{11}"),
            (Algorithm::Bocu1, b"\x21\x01\x01\x01", "\u{FFFD}"),
            (Algorithm::Punycode, b"\xFC\nabc-", "\u{FFFD}\nabc"),
            (Algorithm::Punycode, b"abc-!\nx", "\u{FFFD}\n\u{FFFD}"),
            (Algorithm::Punycode, b"a-999999999999", "\u{FFFD}"),
            (Algorithm::Punycode, b"99999999", "\u{FFFD}"),
        ];
        for (algorithm, bytes, text) in cases {
            for size in 1..=bytes.len() {
                assert_eq!(read(algorithm, bytes, size), text, "{} by {size}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn every_character_comes_back() {
        let all: String = (0..=0x10FFFF).step_by(7).filter_map(char::from_u32).collect();
        let mixed = "日本語の text, ﬁ, «é» и ещё 😀😀 한국어\r\n\u{1}\u{7F}\u{80}\u{2028}\u{E000}𠀋a𠀋\t";
        for algorithm in [Algorithm::Scsu, Algorithm::Bocu1] {
            for text in [&all, mixed] {
                let bytes = written(algorithm, text, 1000);
                assert!(read(algorithm, &bytes, 999) == text, "{algorithm:?}");
            }
        }
        assert_eq!(read(Algorithm::Punycode, &written(Algorithm::Punycode, mixed, 5), 5), mixed);
    }
}
