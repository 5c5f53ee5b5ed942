//! How text is written in a dump: quotes, escapes, and the bytes that must be escaped.

use std::borrow::Cow;
use std::ops::Range;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// As a field of `COPY` in the text format, with this delimiter.
    Copy(u8),
    /// Between quotes, which are doubled within.
    Quoted(u8),
    /// As `U&'...'`: quotes are doubled, and backslashes introduce code points.
    Unicode,
    /// As `E'...'` of PostgreSQL.
    Escaped,
    /// Between quotes, with the backslashes of MySQL.
    Mysql(u8),
    /// Verbatim: between dollar signs, or as a line of `COPY` in another format.
    Verbatim,
}

/// The bytes of a value, and their positions in the dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'r> {
    pub(crate) bytes: Cow<'r, [u8]>,
    /// The bytes that are written differently, in order.
    escapes: Vec<Escape>,
}

/// Some bytes of a value, and how they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Escape {
    bytes: Range<usize>,
    raw: Range<usize>,
}

impl Decoded<'_> {
    /// Returns the written range of some bytes of the value.
    pub(crate) fn raw(&self, bytes: Range<usize>) -> Range<usize> {
        let start = self.raw_of(bytes.start).start;
        if bytes.is_empty() { start..start } else { start..self.raw_of(bytes.end - 1).end }
    }

    /// Returns the written position of a byte of the value.
    fn raw_of(&self, at: usize) -> Range<usize> {
        let before = self.escapes.partition_point(|escape| escape.bytes.start <= at);
        match before.checked_sub(1).and_then(|last| self.escapes.get(last)) {
            Some(escape) if at < escape.bytes.end => escape.raw.clone(),
            Some(escape) => {
                let raw = escape.raw.end + (at - escape.bytes.end);
                raw..raw + 1
            }
            None => at..at + 1,
        }
    }
}

/// Reports whether a byte begins a character that may contain an ASCII byte.
pub(crate) type Lead = fn(u8) -> bool;

/// Reports whether two bytes are a character or half of one, so that the second byte is not a quote.
pub(super) fn is_pair(lead: Lead, bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if lead(*first) && *second >= b'0')
}

impl Style {
    /// Returns the bytes of a value. `lead` is given if ASCII bytes may end a character.
    pub(crate) fn decode(self, raw: &[u8], lead: Option<Lead>) -> Decoded<'_> {
        let special = |byte: u8| match self {
            Style::Copy(_) => byte == b'\\',
            Style::Quoted(quote) => byte == quote,
            Style::Unicode => byte == b'\'',
            Style::Escaped => byte == b'\\' || byte == b'\'',
            Style::Mysql(quote) => byte == b'\\' || byte == quote,
            Style::Verbatim => false,
        };
        if !raw.iter().any(|&byte| special(byte)) {
            return Decoded { bytes: Cow::Borrowed(raw), escapes: Vec::new() };
        }
        let (mut bytes, mut escapes, mut at) = (Vec::with_capacity(raw.len()), Vec::new(), 0);
        while let Some(&byte) = raw.get(at) {
            if lead.is_some_and(|lead| is_pair(lead, &raw[at..])) {
                bytes.extend_from_slice(&raw[at..at + 2]);
                at += 2;
            } else if special(byte) {
                let start = bytes.len();
                let len = self.escape(&raw[at..], &mut bytes);
                escapes.push(Escape { bytes: start..bytes.len(), raw: at..at + len });
                at += len;
            } else {
                bytes.push(byte);
                at += 1;
            }
        }
        Decoded { bytes: Cow::Owned(bytes), escapes }
    }

    /// Decodes the escape at the start of `raw`, and returns its length.
    fn escape(self, raw: &[u8], bytes: &mut Vec<u8>) -> usize {
        let (Some(&first), Some(&next)) = (raw.first(), raw.get(1)) else {
            // In `COPY`, a backslash at the end has no meaning.
            if !matches!(self, Style::Copy(_)) {
                bytes.extend_from_slice(raw);
            }
            return raw.len();
        };
        if first != b'\\' {
            bytes.push(first);
            return if next == first { 2 } else { 1 };
        }
        let is_postgresql = matches!(self, Style::Copy(_) | Style::Escaped);
        let plain = match next {
            b'b' => 8,
            b'f' if is_postgresql => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' if matches!(self, Style::Copy(_)) => 11,
            b'0' if !is_postgresql => 0,
            b'Z' if !is_postgresql => 0x1A,
            b'%' | b'_' if !is_postgresql => {
                bytes.extend_from_slice(&raw[..2]);
                return 2;
            }
            b'0'..=b'7' if is_postgresql => {
                let (value, digits) = number(&raw[1..], 8, 3);
                bytes.push(value.to_le_bytes()[0]);
                return 1 + digits;
            }
            b'x' if is_postgresql && raw.get(2).is_some_and(u8::is_ascii_hexdigit) => {
                let (value, digits) = number(&raw[2..], 16, 2);
                bytes.push(value.to_le_bytes()[0]);
                return 2 + digits;
            }
            b'u' | b'U' if self == Style::Escaped => return code_point(raw, bytes),
            other => other,
        };
        bytes.push(plain);
        2
    }

    /// Writes a character of ASCII.
    pub(crate) fn put(self, byte: u8, out: &mut Vec<u8>) {
        let backslashed = match (self, byte) {
            (Style::Copy(_) | Style::Escaped | Style::Unicode | Style::Mysql(_), b'\\') => Some(b'\\'),
            (Style::Copy(delimiter), _) if byte == delimiter && byte != b'\t' => Some(byte),
            (Style::Copy(_), 8) => Some(b'b'),
            (Style::Copy(_), 12) => Some(b'f'),
            (Style::Copy(_), 11) => Some(b'v'),
            (Style::Copy(_), b'\t') => Some(b't'),
            (Style::Copy(_) | Style::Mysql(_), b'\n') => Some(b'n'),
            (Style::Copy(_) | Style::Mysql(_), b'\r') => Some(b'r'),
            (Style::Mysql(_), 0) => Some(b'0'),
            (Style::Mysql(_), 0x1A) => Some(b'Z'),
            (Style::Mysql(quote), _) if byte == quote => Some(byte),
            (Style::Quoted(quote), _) if byte == quote => {
                out.push(quote);
                None
            }
            (Style::Escaped | Style::Unicode, b'\'') => {
                out.push(b'\'');
                None
            }
            _ => None,
        };
        match backslashed {
            Some(sign) => out.extend([b'\\', sign]),
            None => out.push(byte),
        }
    }

    /// Writes text. `lead` is given if ASCII bytes may end a character.
    pub(crate) fn encode(self, text: &[u8], lead: Option<Lead>, out: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if lead.is_some_and(|lead| is_pair(lead, &text[at..])) {
                out.extend_from_slice(&text[at..at + 2]);
                at += 2;
            } else {
                self.put(byte, out);
                at += 1;
            }
        }
    }
}

/// Reads up to `most` digits. Returns their value and count.
fn number(raw: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let digits = raw.iter().take(most).map_while(|&byte| char::from(byte).to_digit(radix));
    digits.fold((0, 0), |(value, count), digit| (value * radix + digit, count + 1))
}

/// Decodes `\uXXXX`, `\UXXXXXXXX`, or two of them that are a surrogate pair, at the start of `raw`. Returns the length
/// of the escapes.
fn code_point(raw: &[u8], bytes: &mut Vec<u8>) -> usize {
    let one = |raw: &[u8]| {
        let most = match raw.get(..2)? {
            b"\\u" => 4,
            b"\\U" => 8,
            _ => return None,
        };
        let (value, digits) = number(&raw[2..], 16, most);
        (digits == most).then_some((value, 2 + most))
    };
    let Some((value, len)) = one(raw) else {
        bytes.extend_from_slice(&raw[1..2]);
        return 2;
    };
    let (scalar, len) = match one(&raw[len..]) {
        Some((low @ 0xDC00..=0xDFFF, more)) if (0xD800..=0xDBFF).contains(&value) => {
            (0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00), len + more)
        }
        _ => (value, len),
    };
    match char::from_u32(scalar) {
        Some(scalar) => bytes.extend_from_slice(scalar.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.extend_from_slice(&raw[..len]),
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_each_style() {
        let cases: [(Style, &[u8], &[u8]); 12] = [
            (Style::Copy(b'\t'), br"a\tb\\c\351\xe9\x9\N\", b"a\tb\\c\xE9\xE9\x09N"),
            (Style::Copy(b'\t'), br"\303\251\0123", b"\xC3\xA9\x0A3"),
            (Style::Quoted(b'\''), br"it''s C:\new", br"it's C:\new"),
            (Style::Escaped, br"'' \'\\\303\251\xC3\u00e9", b"' '\\\xC3\xA9\xC3\xC3\xA9"),
            (Style::Escaped, br"\uD83D\uDE00\U0001F600", "\u{1F600}\u{1F600}".as_bytes()),
            (Style::Escaped, br"\ud83d\q", br"\ud83dq"),
            (Style::Unicode, br"d\0061t\+000061''", br"d\0061t\+000061'"),
            (Style::Mysql(b'\''), br#"it\'s ''\"\0\Z\n\%\_\x41"#, b"it's '\"\0\x1A\n\\%\\_x41"),
            (Style::Mysql(b'"'), br#"a''"" \351"#, br#"a''" 351"#),
            (Style::Verbatim, br"a\n''", br"a\n''"),
            (Style::Copy(b'|'), br"a\|b", b"a|b"),
            (Style::Copy(b'\t'), b"a\\\nb", b"a\nb"),
        ];
        for (style, raw, expected) in cases {
            let decoded = style.decode(raw, None);
            assert_eq!(*decoded.bytes, *expected, "{}", raw.escape_ascii());
            let mut written = Vec::new();
            style.encode(&decoded.bytes, None, &mut written);
            if style != Style::Unicode {
                assert_eq!(style.decode(&written, None).bytes, decoded.bytes, "{}", written.escape_ascii());
            }
        }
    }

    #[test]
    fn bytes_know_where_they_are_written() {
        let decoded = Style::Copy(b'\t').decode(br"a\303\251b\\c", None);
        assert_eq!(*decoded.bytes, *"aéb\\c".as_bytes());
        assert_eq!(decoded.raw(1..3), 1..9);
        assert_eq!(decoded.raw(2..3), 5..9);
        assert_eq!(decoded.raw(3..4), 9..10);
        assert_eq!(decoded.raw(4..6), 10..13);
        assert_eq!(decoded.raw(6..6), 13..13);
    }

    #[test]
    fn the_second_byte_of_a_character_escapes_nothing() {
        let lead: Lead = |byte| byte >= 0x81;
        let raw = b"\x83\x5Cn\x83\x5C'";
        let style = Style::Mysql(b'\'');
        assert_eq!(*style.decode(&raw[..5], Some(lead)).bytes, raw[..5]);
        let mut written = Vec::new();
        style.encode(raw, Some(lead), &mut written);
        assert_eq!(written, b"\x83\x5Cn\x83\x5C\\'");
    }
}
