//! Decodes one piece at a time: the bytes of a character or of an error, and the shift state after them.

use utf8kit::Encoding as _;

use crate::charset::algorithm::{self, Algorithm};
use crate::charset::code_pages::sequences::Sequences;
use crate::charset::iso2022;
use crate::charset::legacy::decoder::decode;
use crate::charset::legacy::{Encoder, Kind};
use crate::charset::seven_bit;
use crate::charset::tokens::{Selecting, Token};
use crate::charset::{Codec, Legacy, gsm, utf7};

/// The state between two pieces of a stateful encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shift {
    /// The state at the start of a text.
    #[default]
    Neutral,
    /// After this escape sequence of ISO-2022-JP.
    Escape(&'static [u8]),
    /// After unterminated Base64 of UTF-7, which a digit would extend.
    Base64,
    /// Within pairs at the end of the text, with the shift back to ASCII.
    Pairs(&'static [u8]),
}

/// The escape sequences of ISO-2022-JP, each with a character that can follow.
const ESCAPES: [(&[u8], &[u8]); 5] =
    [(ASCII, b"a"), (b"\x1B(J", b"a"), (b"\x1B(I", b"!"), (b"\x1B$@", b"!!"), (b"\x1B$B", b"!!")];

/// The escape sequence of ISO-2022-JP that returns to ASCII.
const ASCII: &[u8] = b"\x1B(B";

/// A decoded piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its length in bytes.
    pub len: usize,
    /// Whether (some of) its bytes are not text, and appear as U+FFFD.
    pub malformed: bool,
    /// The state after it.
    pub shift: Shift,
}

impl Step {
    fn neutral(len: usize, malformed: bool) -> Step {
        Step { len, malformed, shift: Shift::Neutral }
    }
}

impl Codec {
    /// Decodes the piece at the start of the rest of a text, and appends its text. A piece is a character, an error, or
    /// as many characters as share bytes. `None` at the end.
    pub fn step(self, shift: Shift, bytes: &[u8], text: &mut String) -> Option<Step> {
        let &first = bytes.first()?;
        let mut step = Step::neutral(1, false);
        match self {
            Codec::Native(native) => {
                let item = native.decode(bytes)?;
                step.len = item.len().clamp(1, bytes.len());
                match item.result.ok().and_then(char::from_u32) {
                    Some(scalar) => text.push(scalar),
                    None => step.malformed = true,
                }
            }
            Codec::Legacy(legacy) if first.is_ascii() && legacy.keeps_ascii() => text.push(char::from(first)),
            Codec::Legacy(legacy) => step = legacy.step(shift, bytes, text),
        }
        if step.malformed {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        Some(step)
    }

    /// Reports whether an ASCII byte at the start of a piece is a piece by itself.
    pub fn is_plain_ascii(self) -> bool {
        match self {
            Codec::Native(native) => native.is_ascii_compatible(),
            Codec::Legacy(legacy) => legacy.keeps_ascii() && legacy.is_stateless(),
        }
    }
}

impl Legacy {
    fn step(self, shift: Shift, bytes: &[u8], text: &mut String) -> Step {
        let first = bytes.first().copied().unwrap_or_default();
        match self.0 {
            Kind::Ascii => Step::neutral(1, true),
            Kind::Page(page) => {
                let c = page.char_of(first);
                text.extend(c);
                Step::neutral(1, c.is_none())
            }
            Kind::Sequences(table) => sequences_step(table, bytes, text),
            Kind::Gsm => gsm_step(bytes, text),
            Kind::Utf7(how) => utf7_step(how, bytes, text),
            Kind::Shifted(shifted) => selecting_step(seven_bit::Decoder::new(shifted), bytes, text),
            Kind::Iso2022(scheme) => selecting_step(iso2022::Decoder::new(scheme), bytes, text),
            Kind::Algorithm(algorithm) => algorithm_step(algorithm, bytes, text),
            Kind::Standard(_) if shift == Shift::Neutral && is_plain(first) => {
                text.push(char::from(first));
                Step::neutral(1, false)
            }
            Kind::Standard(standard) => {
                let prime = if let Shift::Escape(escape) = shift { escape } else { b"" };
                let mut decoder = standard.new_decoder_without_bom_handling();
                let sample = ESCAPES.iter().find(|(escape, _)| *escape == prime).map_or(&b""[..], |(_, c)| c);
                decode(&mut decoder, prime, false, &mut String::new());
                decode(&mut decoder, sample, false, &mut String::new());
                let mut step = first_of(&mut decoder, bytes, text);
                step.shift = match self.is_stateless() {
                    true => Shift::Neutral,
                    false => last_escape(bytes.get(..step.len).unwrap_or_default()).unwrap_or(shift),
                };
                step
            }
        }
    }
}

/// Reports whether a byte at the start of a text stands for itself in every encoding of the WHATWG Encoding Standard.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, 0x0E | 0x0F | 0x1B)
}

/// Decodes a byte at a time until there is text or an error.
fn first_of(decoder: &mut encoding_rs::Decoder, bytes: &[u8], text: &mut String) -> Step {
    let start = text.len();
    let mut at = 0;
    while at < bytes.len() {
        let last = at + 1 == bytes.len();
        let (read, malformed) = decode(decoder, bytes.get(at..=at).unwrap_or_default(), last, text);
        at += read;
        if let Some((len, after)) = malformed {
            // Bytes after the error are decoded again, as is text that does not belong to it.
            text.truncate(start);
            let end = at.saturating_sub(after);
            return Step::neutral(end.max(len.min(bytes.len())).max(1), true);
        }
        if text.len() > start {
            break;
        }
    }
    Step::neutral(at.max(1), false)
}

/// Returns the state after the last escape sequence in some bytes.
fn last_escape(bytes: &[u8]) -> Option<Shift> {
    let at = memchr::memrchr_iter(0x1B, bytes);
    let mut found = at.filter_map(|at| {
        let rest = bytes.get(at..)?;
        ESCAPES.iter().map(|(escape, _)| *escape).find(|escape| rest.starts_with(escape))
    });
    found.next().map(|escape| if escape == ASCII { Shift::Neutral } else { Shift::Escape(escape) })
}

/// Decodes a character, or everything from a shift or set selection to the shift back. All of it is malformed if any
/// part is.
fn sequences_step(table: &'static Sequences, bytes: &[u8], text: &mut String) -> Step {
    let (mut selected, start) = (0, text.len());
    let mut step = Step::neutral(0, false);
    loop {
        let rest = bytes.get(step.len..).unwrap_or_default();
        let token = table.token(&mut selected, rest, true);
        match token {
            Token::Text(len, _) | Token::Long(len, ..) => {
                step.len += len;
                token.push_to(text);
            }
            Token::Malformed(len) => {
                step.len += len;
                step.malformed = true;
            }
            Token::Incomplete => {
                step.malformed |= !rest.is_empty();
                step.len = bytes.len();
                step.shift = if selected != 0 { Shift::Pairs(table.back()) } else { Shift::Neutral };
                break;
            }
        }
        if selected == 0 {
            break;
        }
    }
    if step.malformed {
        text.truncate(start);
    }
    step
}

fn gsm_step(bytes: &[u8], text: &mut String) -> Step {
    let mut decoder = gsm::Decoder::default();
    for at in 0..bytes.len().min(2) {
        let start = text.len();
        let piece = bytes.get(at..=at).unwrap_or_default();
        if decoder.push(piece, at + 1 == bytes.len(), text).1.is_some() {
            return Step::neutral(at + 1, true);
        }
        if text.len() > start {
            return Step::neutral(at + 1, false);
        }
    }
    Step::neutral(bytes.len().min(2), true)
}

/// Decodes an ASCII character, or everything from `+` to the end of its Base64.
fn utf7_step(how: utf7::Use, bytes: &[u8], text: &mut String) -> Step {
    let mut decoder = utf7::Decoder::new(how);
    for (at, &byte) in bytes.iter().enumerate() {
        let before = text.len();
        let malformed = decoder.push(&[byte], false, text).1.is_some();
        if malformed {
            return Step::neutral(at + 1, true);
        }
        if decoder.is_within() {
            continue;
        }
        if at == 0 || byte == b'-' {
            return Step::neutral(at + 1, false);
        }
        // The character that ends the Base64 is the next piece.
        text.truncate(before);
        return Step { len: at, malformed: false, shift: Shift::Base64 };
    }
    let malformed = decoder.push(&[], true, text).1.is_some();
    Step { len: bytes.len(), malformed, shift: Shift::Base64 }
}

/// Decodes an ASCII character, or everything until ASCII is selected again. All of it is malformed if any part is.
fn selecting_step(mut decoder: impl Selecting, bytes: &[u8], text: &mut String) -> Step {
    let (start, mut malformed) = (text.len(), false);
    let mut step = Step::neutral(0, false);
    for (at, byte) in bytes.iter().enumerate() {
        let found = decoder.push(&[*byte], false, text).1;
        malformed |= found.is_some();
        // Bytes after an error where ASCII is selected are decoded again.
        let again = found.filter(|_| decoder.back().is_none()).map_or(0, |(_, after)| after);
        step.len = at + 1 - again;
        if again > 0 || !decoder.is_within() {
            break;
        }
    }
    if step.len == bytes.len() {
        step.shift = decoder.back().map_or(Shift::Neutral, Shift::Pairs);
        malformed |= decoder.push(&[], true, text).1.is_some();
    }
    if malformed {
        text.truncate(start);
    }
    Step { malformed, ..step }
}

/// Decodes everything until the state is as at the start of a text. All of it is malformed if any part is.
fn algorithm_step(algorithm: Algorithm, bytes: &[u8], text: &mut String) -> Step {
    let end = memchr::memchr(b'\n', bytes).filter(|_| algorithm.is_by_line()).map_or(bytes.len(), |end| end + 1);
    let (mut decoder, start) = (algorithm::Decoder::new(algorithm), text.len());
    let malformed = decoder.push(bytes.get(..end).unwrap_or_default(), true, text).1.is_some();
    if malformed {
        text.truncate(start);
    }
    Step::neutral(end, malformed)
}

/// Encodes new text between pieces that keep their bytes.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    codec: Codec,
    shift: Shift,
    /// Whether pairs are designated here in the old text and in the new text.
    designated: [bool; 2],
}

impl Joint {
    /// Begins at the start of a text.
    pub fn new(codec: Codec) -> Joint {
        Joint { codec, shift: Shift::Neutral, designated: [false; 2] }
    }

    /// Continues in another encoding. Both must be stateless, or in the same state as at the start.
    pub fn switch(&mut self, codec: Codec, out: &mut Vec<u8>) {
        if self.codec != codec {
            self.close(out);
            self.codec = codec;
        }
    }

    /// Continues after pieces that were copied.
    pub fn copied(&mut self, bytes: &[u8], shift: Shift) {
        self.replaced(bytes, bytes);
        self.shift = shift;
    }

    /// Updates the designations after one piece of bytes replaced another.
    pub fn replaced(&mut self, old: &[u8], new: &[u8]) {
        if let Codec::Legacy(Legacy(Kind::Shifted(scheme))) = self.codec {
            let [before, after] = self.designated;
            self.designated = [scheme.is_designated(before, old), scheme.is_designated(after, new)];
        }
    }

    /// Designates the pairs of the next piece, if the old designation was replaced.
    fn designate(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if let Codec::Legacy(Legacy(Kind::Shifted(scheme))) = self.codec
            && self.designated == [true, false]
            && let Some(designator) = scheme.lacks(bytes)
        {
            out.extend_from_slice(designator);
            self.designated[1] = true;
        }
    }

    /// Writes the shifts needed before a piece of old bytes, which was preceded by the state `before` in the old text.
    pub fn join(&mut self, before: Shift, bytes: &[u8], out: &mut Vec<u8>) {
        let Some(&first) = bytes.first() else { return };
        match (self.shift, before) {
            (Shift::Base64, _) => {
                if first == b'-' || utf7::digit(first).is_some() {
                    out.push(b'-');
                }
            }
            // Bytes that ended Base64 need no shift before them.
            (_, Shift::Base64) => {}
            (Shift::Pairs(back), _) => out.extend_from_slice(back),
            (now, before) if now == before || ESCAPES.iter().any(|(escape, _)| bytes.starts_with(escape)) => {}
            (_, Shift::Escape(escape)) => out.extend_from_slice(escape),
            (_, _) => out.extend_from_slice(ASCII),
        }
        self.designate(bytes, out);
        self.shift = before;
    }

    /// Returns to the state at the start of a text.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        match self.shift {
            Shift::Escape(_) => out.extend_from_slice(ASCII),
            Shift::Pairs(back) => out.extend_from_slice(back),
            Shift::Neutral | Shift::Base64 => {}
        }
        self.shift = Shift::Neutral;
    }

    /// Writes text, up to the first character that the encoding lacks, which is returned with its offset.
    pub fn write(&mut self, text: &str, out: &mut Vec<u8>) -> Option<(usize, char)> {
        let mut bytes = Vec::new();
        match self.codec {
            Codec::Legacy(legacy @ Legacy(Kind::Utf7(_) | Kind::Sequences(_) | Kind::Iso2022(_))) => {
                let lacking = Encoder::new(legacy).push(text, true, &mut bytes);
                self.join(Shift::Neutral, &bytes, out);
                out.extend_from_slice(&bytes);
                return lacking.map(|lacking| (lacking.at, lacking.scalar));
            }
            // The following text would be read in another state.
            Codec::Legacy(Legacy(Kind::Algorithm(_))) => {
                return text.chars().next().map(|scalar| (0, scalar));
            }
            Codec::Legacy(Legacy(Kind::Shifted(scheme))) => {
                let lacking = text.char_indices().find(|(_, scalar)| self.codec.says(*scalar).is_none());
                let said = text.get(..lacking.map_or(text.len(), |(at, _)| at)).unwrap_or_default();
                seven_bit::Encoder::new(scheme).push(said, true, &mut bytes);
                self.join(Shift::Neutral, &bytes, out);
                out.extend_from_slice(&bytes);
                return lacking;
            }
            _ => {}
        }
        for (at, scalar) in text.char_indices() {
            let Some(bytes) = self.codec.says(scalar) else { return Some((at, scalar)) };
            match self.codec.is_stateful() {
                false => out.extend_from_slice(&bytes),
                true => self.shifted(&bytes, out),
            }
        }
        None
    }

    /// Writes a character that was encoded in isolation, with only the escape sequences that it needs here.
    fn shifted(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let escape = ESCAPES.iter().map(|(escape, _)| *escape).find(|escape| bytes.starts_with(escape));
        let Some(escape) = escape else {
            self.close(out);
            out.extend_from_slice(bytes);
            return;
        };
        let body = bytes.get(escape.len()..).unwrap_or_default();
        let body = body.strip_suffix(ASCII).unwrap_or(body);
        // Both versions of JIS X 0208 are treated as the same.
        let is_jis = |escape: &[u8]| escape.starts_with(b"\x1B$");
        let is_here = matches!(self.shift, Shift::Escape(now) if now == escape || is_jis(now) && is_jis(escape));
        if !is_here {
            out.extend_from_slice(escape);
            self.shift = Shift::Escape(escape);
        }
        out.extend_from_slice(body);
    }
}

impl Codec {
    /// Returns the bytes of a character if they are decoded as that character again. Some encoders write a similar
    /// character: Shift_JIS writes `¥` as a backslash.
    pub fn says(self, scalar: char) -> Option<Vec<u8>> {
        let bytes = self.bytes_of(scalar)?;
        match self {
            Codec::Native(_) => Some(bytes),
            Codec::Legacy(legacy) => {
                let mut buffer = [0; 4];
                (legacy.text_of(&bytes)? == *scalar.encode_utf8(&mut buffer)).then_some(bytes)
            }
        }
    }
}
