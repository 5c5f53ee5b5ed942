//! Encodings of ISO 2022 in seven bits, in which escape sequences designate sets of characters. The list of encodings
//! defines them.
//!
//! ```text
//! ESC $ B       G0, which bytes select            ISO-2022-JP-2
//! ESC $ ) A     G1, which 0E and 0F select        ISO-2022-CN
//! ESC $ * H     G2, which ESC N selects for one character
//! ESC $ + I     G3, which ESC O selects for one character
//! ```
//!
//! A line feed ends the designations of G1 to G3 (RFC 1554, RFC 1922). Selecting a set and leaving it without a
//! character is malformed, because empty shifts could hide text from filters.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use encoding_rs::Encoding;

use super::code_pages::Page;
use super::code_pages::packed::Text;
use super::code_pages::sequences::Sequences;
use super::tokens::{Held, Joining, Selecting, Token};

const ESCAPE: u8 = 0x1B;
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// Selects the first set, which is ASCII, in G0.
const ASCII: &[u8] = b"\x1B(B";

/// An encoding of ISO 2022.
pub(crate) struct Iso2022 {
    pub(crate) name: &'static str,
    /// ASCII first, then in the order in which they are searched for a character.
    sets: Vec<Set>,
}

/// A set of characters.
struct Set {
    /// All escape sequences that designate it; the first one is written.
    escapes: Vec<Vec<u8>>,
    /// The slot to which it is designated: G0 to G3.
    slot: usize,
    source: Source,
    /// The bytes before its codes in the source, and whether the codes have the high bit set there.
    prefix: Vec<u8>,
    high: bool,
    /// The number of bytes of a code.
    width: usize,
    /// Whether 20 and 7F are codes.
    is_96: bool,
    /// Codes that are only read.
    excluded: Vec<RangeInclusive<Vec<u8>>>,
}

/// An encoding that has the characters of a set.
enum Source {
    Ascii,
    Latin1,
    Page(&'static Page),
    Sequences(&'static Sequences),
    Standard(&'static Encoding),
}

static ALL: LazyLock<Vec<Iso2022>> = LazyLock::new(|| {
    let schemes = include_str!("code_pages/encodings.txt").lines().filter_map(|line| {
        let mut columns = line.split(" |").map(str::trim);
        let (name, source) = (columns.next()?, columns.nth(1)?);
        let sets = source.strip_prefix("iso2022 ")?.split(' ').filter_map(Set::parse).collect();
        Some(Iso2022 { name, sets })
    });
    schemes.collect()
});

impl Set {
    /// Parses `$(D=JIS/8F!2121`: the escape sequence, the source, the bytes before codes there, and codes that are not
    /// written.
    fn parse(text: &str) -> Option<Set> {
        let (escape, source) = text.split_once('=')?;
        let mut excluded = source.split('!');
        let (source, prefix) = excluded.next().map(|part| part.split_once('/').unwrap_or((part, "")))?;
        let source = match source {
            "ascii" => Source::Ascii,
            "latin1" => Source::Latin1,
            name => match (Sequences::named(name), Page::named(name)) {
                (Some(table), _) => Source::Sequences(table),
                (_, Some(page)) => Source::Page(page),
                _ => Source::Standard(Encoding::for_label(name.as_bytes())?),
            },
        };
        let (sign, is_wide) = match escape.strip_prefix('$') {
            Some(rest) => (rest, true),
            None => (escape, false),
        };
        let slot = match sign.as_bytes() {
            [b'(', _] | [_] => 0,
            [b')', _] => 1,
            [b'*' | b'.', _] => 2,
            _ => 3,
        };
        let mut escapes = vec![[&[ESCAPE], escape.as_bytes()].concat()];
        // The first sets of pairs have a short form, and some programs write the long one.
        if let ([_], true) = (sign.as_bytes(), is_wide) {
            escapes.push([b"\x1B$(", sign.as_bytes()].concat());
        }
        let is_96 = sign.starts_with('.');
        Some(Set {
            escapes,
            slot,
            high: is_wide || is_96 || !prefix.is_empty(),
            prefix: hex(prefix),
            source,
            width: if is_wide { 2 } else { 1 },
            is_96,
            excluded: excluded
                .map(|codes| codes.split_once('-').unwrap_or((codes, codes)))
                .map(|(first, last)| hex(first)..=hex(last))
                .collect(),
        })
    }

    /// Reports whether a byte may be part of a code.
    fn has_byte(&self, byte: u8) -> bool {
        matches!(byte, 0x21..=0x7E) || self.is_96 && matches!(byte, 0x20 | 0x7F)
    }

    /// Returns the text of a code.
    fn text_of(&self, code: &[u8]) -> Option<Text> {
        let high = if self.high { 0x80 } else { 0 };
        let bytes = || self.prefix.iter().copied().chain(code.iter().map(|byte| byte | high)).collect::<Vec<u8>>();
        match (&self.source, code) {
            (Source::Ascii, &[byte]) => Some((char::from(byte), None)),
            (Source::Latin1, &[byte]) => Some((char::from(byte | high), None)),
            (Source::Page(page), &[byte]) => Some((page.char_of(byte | high)?, None)),
            (Source::Sequences(table), _) => table.text_of(&bytes()),
            (Source::Standard(encoding), _) => {
                let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes())?.into_owned();
                let mut chars = text.chars();
                Some((chars.next().filter(|_| chars.next().is_none())?, None))
            }
            _ => None,
        }
    }

    /// Returns the code of a text.
    fn code_of(&self, (first, mark): Text) -> Option<Vec<u8>> {
        // Codes that other decoders treat as reserved.
        if matches!(first, '\u{E000}'..='\u{F8FF}') {
            return None;
        }
        let bytes = match (&self.source, mark) {
            (Source::Ascii, None) => vec![u8::try_from(first).ok().filter(u8::is_ascii)?],
            (Source::Latin1, None) => vec![u8::try_from(first).ok()?],
            (Source::Page(page), None) => vec![page.byte_of(first)?],
            (Source::Sequences(table), _) => {
                let (bytes, len) = table.code_of((first, mark))?;
                bytes.get(..len)?.to_vec()
            }
            (Source::Standard(encoding), None) => {
                let mut text = [0; 4];
                let (bytes, _, is_lacking) = encoding.encode(first.encode_utf8(&mut text));
                (!is_lacking).then(|| bytes.into_owned())?
            }
            _ => return None,
        };
        let high = if self.high { 0x80 } else { 0 };
        let code = bytes.strip_prefix(self.prefix.as_slice())?;
        let is_code =
            code.len() == self.width && code.iter().all(|byte| byte & 0x80 == high && self.has_byte(byte & 0x7F));
        let code: Vec<u8> = code.iter().map(|byte| byte & 0x7F).collect();
        let is_read_only = self.excluded.iter().any(|codes| codes.contains(&code));
        (is_code && !is_read_only && self.text_of(&code) == Some((first, mark))).then_some(code)
    }

    /// Reports whether a character may have a code with a mark.
    fn may_be_joined(&self, scalar: char) -> bool {
        matches!(self.source, Source::Sequences(table) if table.may_be_joined(scalar))
    }
}

fn hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

/// The designated sets, by index, and the selected slot.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// G0 to G3. In G0, 0 is ASCII; in the others, it is nothing.
    designated: [usize; 4],
    /// Whether G1 is selected.
    shifted: bool,
    /// Whether no character has followed the selection of a set other than ASCII.
    is_empty: bool,
}

impl State {
    fn selected(&self) -> usize {
        self.designated[usize::from(self.shifted)]
    }

    fn is_initial_state(&self) -> bool {
        self.designated == [0; 4] && !self.shifted
    }

    /// Ends a line.
    fn feed(&mut self) {
        *self = State { designated: [self.designated[0], 0, 0, 0], ..State::default() };
    }
}

impl Iso2022 {
    /// Returns the encoding of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Iso2022> {
        ALL.iter().find(|scheme| scheme.name == name)
    }

    /// Reports whether a set is designated to a slot.
    fn has_slot(&self, slot: usize) -> bool {
        self.sets.iter().any(|set| set.slot == slot)
    }

    fn token(&self, state: &mut State, known: &mut Known, bytes: &[u8]) -> Token {
        let Some(&first) = bytes.first() else { return Token::Incomplete };
        if first == ESCAPE {
            return self.escape(state, known, bytes);
        }
        let was_empty = std::mem::take(&mut state.is_empty);
        match first {
            SHIFT_OUT if state.designated[1] > 0 && !was_empty => {
                (state.shifted, state.is_empty) = (true, true);
                Token::Text(1, None)
            }
            // After a character of G2 or G3, some programs shift back although they have not shifted.
            SHIFT_IN if self.has_slot(1) => {
                let is_empty = std::mem::take(&mut state.shifted) && was_empty;
                if is_empty { Token::Malformed(1) } else { Token::Text(1, None) }
            }
            SHIFT_OUT | SHIFT_IN | 0x80.. => Token::Malformed(1),
            b'\n' => {
                state.feed();
                Token::Text(1, Some(('\n', None)))
            }
            _ => {
                let index = state.selected();
                let token = self.code(index, known, bytes, 0);
                // An incomplete code leaves this unchanged.
                state.is_empty = was_empty && matches!(token, Token::Incomplete);
                token
            }
        }
    }

    /// Returns the token of an escape sequence.
    fn escape(&self, state: &mut State, known: &mut Known, bytes: &[u8]) -> Token {
        for (sign, slot) in [(b"\x1BN", 2), (b"\x1BO", 3)] {
            if bytes.starts_with(sign) && self.has_slot(slot) {
                return match state.designated[slot] {
                    0 => Token::Malformed(sign.len()),
                    index => {
                        let token = self.code(index, known, bytes, sign.len());
                        state.is_empty &= matches!(token, Token::Incomplete);
                        token
                    }
                };
            }
        }
        let mut may_go_on = bytes.len() == 1;
        for (index, set) in self.sets.iter().enumerate() {
            for escape in &set.escapes {
                if bytes.starts_with(escape) {
                    state.designated[set.slot] = index;
                    let selects = set.slot == usize::from(state.shifted);
                    let was_empty = state.is_empty && selects;
                    state.is_empty = selects && index > 0 || state.is_empty && !selects;
                    return match was_empty {
                        true => Token::Malformed(escape.len()),
                        false => Token::Text(escape.len(), None),
                    };
                }
                may_go_on |= escape.starts_with(bytes);
            }
        }
        if may_go_on { Token::Incomplete } else { Token::Malformed(1) }
    }

    /// Returns the token of the code of a set at `at`.
    fn code(&self, index: usize, known: &mut Known, bytes: &[u8], at: usize) -> Token {
        let Some(set) = self.sets.get(index) else { return Token::Malformed(1) };
        let rest = bytes.get(at..).unwrap_or_default();
        let len = rest.len().min(set.width);
        let code = rest.get(..len).unwrap_or_default();
        match code.iter().position(|byte| !set.has_byte(*byte)) {
            // Controls and spaces are in all sets.
            Some(0) if at == 0 => Token::Text(1, code.first().map(|byte| (char::from(*byte), None))),
            Some(bad) => Token::Malformed((at + bad).max(1)),
            None if len < set.width => Token::Incomplete,
            None => match known.text_of(set, index, code) {
                Some(text) => Token::Text(at + len, Some(text)),
                None => Token::Malformed(at + len),
            },
        }
    }
}

impl fmt::Debug for Iso2022 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Iso2022 {
    fn eq(&self, other: &Iso2022) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Iso2022 {}

/// A cache of the texts of codes, because searching sets is slow.
#[derive(Default)]
struct Known(HashMap<(usize, u8, u8), Option<Text>>);

impl Known {
    fn text_of(&mut self, set: &Set, index: usize, code: &[u8]) -> Option<Text> {
        let (first, last) = (code.first().copied()?, code.last().copied()?);
        *self.0.entry((index, first, last)).or_insert_with(|| set.text_of(code))
    }
}

/// Decodes a stream.
pub(crate) struct Decoder {
    scheme: &'static Iso2022,
    state: State,
    known: Known,
    held: Held,
}

impl Decoder {
    pub(crate) fn new(scheme: &'static Iso2022) -> Decoder {
        Decoder { scheme, state: State::default(), known: Known::default(), held: Held::default() }
    }
}

impl Selecting for Decoder {
    fn is_within(&self) -> bool {
        !self.state.is_initial_state() || !self.held.is_empty()
    }

    fn back(&self) -> Option<&'static [u8]> {
        match (self.state.shifted, self.state.designated[0]) {
            (true, _) => Some(&[SHIFT_IN]),
            (false, 0) => None,
            (false, _) => Some(ASCII),
        }
    }

    fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        let token = |bytes: &[u8]| self.scheme.token(&mut self.state, &mut self.known, bytes);
        let (read, malformed) = self.held.read(input, text, token);
        if !last || malformed.is_some() {
            return (read, malformed);
        }
        // A set that is selected at the end also has no character.
        let is_empty = std::mem::take(&mut self.state.is_empty);
        let len = self.held.end().max(usize::from(is_empty));
        (read, (len > 0).then_some((len, 0)))
    }
}

/// Encodes a stream.
pub(crate) struct Encoder {
    scheme: &'static Iso2022,
    state: State,
    /// A cache of the sets and codes of characters.
    known: HashMap<Text, Option<(usize, Vec<u8>)>>,
    /// A character that the next one may combine with.
    held: Option<char>,
}

impl Encoder {
    pub(crate) fn new(scheme: &'static Iso2022) -> Encoder {
        Encoder { scheme, state: State::default(), known: HashMap::new(), held: None }
    }

    /// Returns the set that contains a text, and the code. The selected set is searched first.
    fn find(&mut self, text: Text) -> Option<(usize, Vec<u8>)> {
        if matches!(text, ('\x1B' | '\x0E' | '\x0F', _)) {
            return None;
        }
        let sets = &self.scheme.sets;
        let selected = self.state.selected();
        if let Some(set) = sets.get(selected).filter(|_| selected > 0 && !text.0.is_ascii())
            && let Some(code) = set.code_of(text)
        {
            return Some((selected, code));
        }
        let search = || {
            let is_control = text.0 <= ' ' || text.0 == '\x7F';
            match is_control && text.1.is_none() {
                true => Some((0, vec![text.0 as u8])),
                false => sets.iter().enumerate().find_map(|(index, set)| Some((index, set.code_of(text)?))),
            }
        };
        self.known.entry(text).or_insert_with(search).clone()
    }

    /// Selects ASCII.
    fn neutral(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.state.shifted) {
            out.push(SHIFT_IN);
        }
        if std::mem::take(&mut self.state.designated[0]) != 0 {
            out.extend_from_slice(ASCII);
        }
    }
}

impl Joining for Encoder {
    fn held(&mut self) -> &mut Option<char> {
        &mut self.held
    }

    fn has(&mut self, scalar: char) -> bool {
        self.find((scalar, None)).is_some()
    }

    fn may_be_joined(&self, scalar: char) -> bool {
        !scalar.is_ascii() && self.scheme.sets.iter().any(|set| set.may_be_joined(scalar))
    }

    fn write(&mut self, text: Text, out: &mut Vec<u8>) -> bool {
        let Some((index, code)) = self.find(text) else { return false };
        let Some(set) = self.scheme.sets.get(index) else { return false };
        let escape = set.escapes.first().map_or(&[][..], Vec::as_slice);
        if text.0 == '\n' {
            self.neutral(out);
            self.state.feed();
        }
        if set.slot == 0 && self.state.shifted {
            out.push(SHIFT_IN);
            self.state.shifted = false;
        }
        if self.state.designated[set.slot] != index {
            out.extend_from_slice(escape);
            self.state.designated[set.slot] = index;
        }
        match set.slot {
            1 if !self.state.shifted => {
                out.push(SHIFT_OUT);
                self.state.shifted = true;
            }
            2 => out.extend_from_slice(b"\x1BN"),
            3 => out.extend_from_slice(b"\x1BO"),
            _ => {}
        }
        out.extend_from_slice(&code);
        true
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.neutral(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::tokens::in_pieces;

    fn read(scheme: &'static Iso2022, bytes: &[u8], size: usize) -> String {
        let mut decoder = Decoder::new(scheme);
        in_pieces(bytes, size, |piece, last, text| decoder.push(piece, last, text)).0
    }

    #[test]
    fn both_ways_as_others_do() {
        // Bytes by iconv of the GNU C library, or by Python for encodings that iconv lacks.
        let cases: [(&str, &str, &[u8]); 16] = [
            ("ISO-2022-JP-1", "é", b"\x1B$(D+1\x1B(B"),
            ("ISO-2022-JP-1", "a¥\n日", b"a\x1B(J\\\x1B(B\n\x1B$BF|\x1B(B"),
            ("ISO-2022-JP-EXT", "ｱ", b"\x1B(I1\x1B(B"),
            ("ISO-2022-JP-2", "あ한汉", b"\x1B$B$\"\x1B$(CGQ\x1B$A::\x1B(B"),
            ("ISO-2022-JP-2", "〜é\nα", b"\x1B$B!A\x1B$(D+1\x1B(B\n\x1B$B&A\x1B(B"),
            ("ISO-2022-JP-2", "µ", b"\x1B.A\x1BN5"),
            ("ISO-2022-JP-3", "𠀋", b"\x1B$(O.\"\x1B(B"),
            ("ISO-2022-JP-3", "か゚", b"\x1B$(O$w\x1B(B"),
            ("ISO-2022-JP-3", "か。", b"\x1B$B$+!#\x1B(B"),
            ("ISO-2022-JP-3", "俱", b"\x1B$(Q.!\x1B(B"),
            ("ISO-2022-JP-2004", "𠀋俱", b"\x1B$(Q.\".!\x1B(B"),
            ("ISO-2022-JP-2004", "𠂉", b"\x1B$(P!!\x1B(B"),
            ("ISO-2022-CN", "a汉b\n漢", b"a\x1B$)A\x0E::\x0Fb\n\x1B$)G\x0EiG\x0F"),
            ("ISO-2022-CN-EXT", "𠀋a", b"\x1B$+I\x1BO!Da"),
            ("ISO-2022-CN-EXT", "汉¥", b"\x1B$)A\x0E::\x1B$)E*$\x0F"),
            ("ISO-2022-CN", "a中b\n文。\n", b"a\x1B$)A\x0EVP\x0Fb\n\x1B$)A\x0END!#\x0F\n"),
        ];
        for (name, text, bytes) in cases {
            let scheme = Iso2022::named(name).expect(name);
            let mut out = Vec::new();
            assert_eq!(Encoder::new(scheme).push(text, true, &mut out), None, "{name} {text}");
            assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{name} {text}");
            for size in 1..=bytes.len() {
                assert_eq!(read(scheme, bytes, size), text, "{name} in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_is_malformed() {
        let cases: [(&str, &[u8], &str); 13] = [
            // Hidden between shifts.
            ("ISO-2022-JP-2", b"a\x1B$B\x1B(Bb", "a\u{FFFD}b"),
            ("ISO-2022-CN", b"\x1B$)Aa\x0E\x0Fb", "a\u{FFFD}b"),
            ("ISO-2022-CN", b"\x1B$)A\x0E\x0F\x0EVP\x0F", "\u{FFFD}中"),
            // Designations end at a line feed.
            ("ISO-2022-CN", b"\x1B$)A\x0EVP\na\x0END", "中\na\u{FFFD}ND"),
            ("ISO-2022-JP-2", b"\x1B.A\x1BNi\n\x1BNi", "é\n\u{FFFD}i"),
            // Not designated, not part of this encoding, or truncated.
            ("ISO-2022-CN-EXT", b"\x1BO!D", "\u{FFFD}!D"),
            ("ISO-2022-JP-1", b"\x1B$(C0!", "\u{FFFD}$(C0!"),
            ("ISO-2022-JP-2", b"\x1B$B0", "\u{FFFD}"),
            ("ISO-2022-JP-2", b"\x1B$B0\x1B(Ba", "\u{FFFD}a"),
            ("ISO-2022-JP-2", b"\xE9a", "\u{FFFD}a"),
            ("ISO-2022-JP-2", b"a\x0Eb", "a\u{FFFD}b"),
            ("ISO-2022-CN", b"\x1B$)Aa\x0E", "a\u{FFFD}"),
            // Two concatenated texts.
            ("ISO-2022-JP-2", b"\x1B$B0!\x1B(B\x1B$B0!\x1B(B", "亜亜"),
        ];
        for (name, bytes, text) in cases {
            let scheme = Iso2022::named(name).expect(name);
            for size in 1..=bytes.len() {
                assert_eq!(read(scheme, bytes, size), text, "{} in pieces of {size}", bytes.escape_ascii());
            }
        }
        for (name, lacking) in [("ISO-2022-JP-1", '한'), ("ISO-2022-JP-2", '\u{1B}'), ("ISO-2022-CN", 'ö')] {
            let found = Encoder::new(Iso2022::named(name).unwrap()).push(&format!("a{lacking}"), true, &mut Vec::new());
            assert_eq!(found, Some((1, lacking)), "{name}");
        }
    }
}
