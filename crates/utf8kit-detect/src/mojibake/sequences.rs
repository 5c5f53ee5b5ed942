//! The characters of a line that are bytes of UTF-8 in a wrong encoding, whole or damaged.

use crate::common::is_common;
use crate::mojibake::encodings::Misread;
use crate::mojibake::encodings::{is_control, is_small_cyrillic};
use crate::mojibake::prices::{DROPPED, QUESTIONED, REPLACED, SPACED, STRIPPED, UNCURLED};

/// Characters that may be the bytes of one.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) start: usize,
    /// What they may be: one reading if they are whole.
    pub(super) readings: Vec<Reading>,
}

/// What some characters may be the bytes of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) end: usize,
    pub(super) becomes: char,
    /// What it costs that the sequence is damaged.
    pub(super) price: f32,
    pub(super) is_whole: bool,
    /// Whether almost no text has the character.
    pub(super) is_rare: bool,
}

impl Sequence {
    pub(super) fn is_whole(&self) -> bool {
        self.readings.iter().all(|reading| reading.is_whole)
    }
}

/// Returns the sequences of a line, and how many non-ASCII characters are in none.
pub(super) fn sequences(encoding: &Misread, line: &str) -> (Vec<Sequence>, usize) {
    let (mut found, mut strays, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = rest(line, at).chars().next() {
        let mut next = at + c.len_utf8();
        if !c.is_ascii() {
            let readings = readings(encoding, line, at);
            let whole = readings.iter().find(|reading| reading.is_whole).copied();
            match whole {
                Some(whole) => {
                    next = whole.end;
                    found.push(Sequence { start: at, readings: vec![whole] });
                }
                None if readings.is_empty() => strays += usize::from(c != '\u{FFFD}'),
                None => found.push(Sequence { start: at, readings }),
            }
        }
        at = next;
    }
    (found, strays)
}

fn rest(line: &str, at: usize) -> &str {
    line.get(at..).unwrap_or_default()
}

/// Bytes so far, where the next begins, what was paid, and how much is damaged.
#[derive(Clone, Copy)]
struct Partial {
    bytes: [u8; 6],
    len: usize,
    at: usize,
    price: f32,
    damages: u8,
}

/// Returns what the characters at a place may be the bytes of.
fn readings(encoding: &Misread, line: &str, at: usize) -> Vec<Reading> {
    let Some(first) = rest(line, at).chars().next() else { return Vec::new() };
    let Some(lead) = encoding.byte(first) else { return Vec::new() };
    // Three small letters are a part of a word, unless bytes follow it.
    let is_word = || {
        let after = rest(line, at).trim_start_matches(is_small_cyrillic).chars().next();
        after.is_none_or(|c| c.is_ascii() || encoding.byte(c).is_none())
    };
    if rest(line, at).chars().take(3).all(is_small_cyrillic) && is_word() {
        return Vec::new();
    }
    let needed = match lead {
        0xC2..0xE0 => 1,
        0xE0..0xF0 => 2,
        0xF0..0xF5 => 3,
        _ => return Vec::new(),
    };
    let begun =
        Partial { bytes: [lead, 0, 0, 0, 0, 0], len: 1, at: at + first.len_utf8(), price: 0.0, damages: 0 };
    let mut partials = vec![begun];
    for _ in 0..needed {
        let mut longer = Vec::new();
        for partial in partials {
            continue_with(encoding, line, partial, &mut longer);
        }
        partials = longer;
    }
    let mut found: Vec<Reading> = Vec::new();
    for partial in partials {
        let Some((becomes, end)) = character(encoding, line, &partial) else { continue };
        let is_text = !matches!(becomes, '\u{E000}'..='\u{F8FE}' | '\u{E01F0}'..)
            && u32::from(becomes) & 0xFFFE != 0xFFFE;
        if is_text && (end > at + first.len_utf8() || partial.price > 0.0) {
            let is_whole = partial.price == 0.0;
            let is_rare = is_rare(becomes) || !is_whole && matches!(becomes, '\u{200B}'..='\u{200F}');
            found.push(Reading { end, becomes, price: partial.price, is_whole, is_rare });
        }
    }
    found
}

/// Returns the character that some bytes are, and where it ends: a pair of surrogates goes on.
fn character(encoding: &Misread, line: &str, partial: &Partial) -> Option<(char, usize)> {
    let bytes = partial.bytes.get(..partial.len)?;
    if let &[0xED, high @ 0xA0..0xB0, tail] = bytes {
        let mut at = partial.at;
        let mut next = || {
            let c = rest(line, at).chars().next()?;
            at += c.len_utf8();
            encoding.byte(c)
        };
        let [0xED, low @ 0xB0..0xC0, end @ 0x80..0xC0] = [next()?, next()?, next()?] else { return None };
        let six = |byte: u8| u32::from(byte & 0x3F);
        let [high, low] = [six(high) << 6 | six(tail), six(low) << 6 | six(end)];
        let c = char::from_u32(0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF))?;
        return Some((c, at));
    }
    let (c, used) = utf8kit::decode(bytes).and_then(Result::ok)?;
    (used == partial.len).then_some((c, partial.at))
}

/// Adds what a sequence may go on with.
fn continue_with(encoding: &Misread, line: &str, partial: Partial, longer: &mut Vec<Partial>) {
    let next = rest(line, partial.at).chars().next();
    let mut add = |byte: u8, len: usize, price: f32| {
        let mut bytes = partial.bytes;
        // One damage in a sequence, or two bytes that are shown to be lost.
        let most = if price == REPLACED { 2 } else { 1 };
        let damages = partial.damages + u8::from(price > 0.0);
        if let Some(place) = bytes.get_mut(partial.len)
            && damages <= most
        {
            *place = byte;
            let price = partial.price + price;
            longer.push(Partial { bytes, len: partial.len + 1, at: partial.at + len, price, damages });
        }
    };
    if let Some(byte) = next.filter(|c| !c.is_ascii()).and_then(|c| encoding.byte(c))
        && byte < 0xC0
    {
        return add(byte, next.map_or(0, char::len_utf8), 0.0);
    }
    match next {
        Some(' ') => {
            encoding.space.into_iter().for_each(|byte| add(byte, 1, SPACED));
        }
        Some('\u{FFFD}') => encoding.lacking.iter().for_each(|&byte| add(byte, 3, REPLACED)),
        Some('?') => encoding.lacking.iter().for_each(|&byte| add(byte, 1, QUESTIONED)),
        Some('"') => encoding.quotes[0].iter().for_each(|&byte| add(byte, 1, UNCURLED)),
        Some('\'') => encoding.quotes[1].iter().for_each(|&byte| add(byte, 1, UNCURLED)),
        _ => {}
    }
    let is_blank = next.is_none_or(|c| matches!(c, ' ' | '\n' | '\r'));
    let stripped = encoding.space.filter(|_| is_blank);
    stripped.into_iter().for_each(|byte| add(byte, 0, STRIPPED));
    let dropped = encoding.space.filter(|_| !is_blank);
    dropped.into_iter().chain(encoding.lacking.iter().copied()).for_each(|byte| add(byte, 0, DROPPED));
}

/// Reports whether almost no text has a character. Controls are a round that is yet to come.
fn is_rare(c: char) -> bool {
    let is_odd_blank = matches!(
        c,
        '\u{2000}'..='\u{200A}' | '\u{2010}'..='\u{2012}' | '\u{2016}'..='\u{2017}' | '\u{2020}' | '\u{2021}'
    );
    !is_control(c) && (!is_common(c) || is_odd_blank || matches!(c, '\u{149}' | '\u{17F}'))
}

/// Reports whether all characters of a text that the encoding has are the bytes of others. Small Cyrillic letters may
/// be so by chance, but not all of a text.
pub(super) fn is_all_bytes(encoding: &Misread, text: &str) -> bool {
    let bytes = text.chars().filter(|c| !c.is_ascii()).map(|c| encoding.byte(c).unwrap_or(b' '));
    let bytes: Vec<u8> = bytes.collect();
    let text = std::str::from_utf8(&bytes);
    text.is_ok_and(|text| text.chars().any(|c| !c.is_ascii() && !is_rare(c)))
}
