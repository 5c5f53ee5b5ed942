//! The characters of a line that are bytes of UTF-8 in a wrong encoding, whole or damaged.

use crate::common::is_common;
use crate::mojibake::encodings::Misread;
use crate::mojibake::encodings::{is_control, is_small_cyrillic};
use crate::mojibake::prices::{
    NATS_OF_DROPPED_BYTE, NATS_OF_QUESTION_MARK, NATS_OF_REMOVED_SPACE, NATS_OF_REPLACEMENT, NATS_OF_SPACE,
    NATS_OF_STRAIGHT_QUOTE,
};

/// Characters whose bytes may be the UTF-8 of a single character.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) start: usize,
    /// The decoding, if the sequence is whole.
    pub(super) whole: Option<Decoding>,
    /// The possible decodings, if the sequence is damaged.
    damaged: Vec<Decoding>,
}

/// What some characters may be the bytes of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decoding {
    pub(super) end: usize,
    pub(super) becomes: char,
    /// What it costs that the sequence is damaged.
    pub(super) price: f32,
    /// Whether almost no text has the character.
    pub(super) is_rare: bool,
    /// Whether one of its bytes is lost, so that others fit as well.
    pub(super) is_guess: bool,
}

impl Sequence {
    pub(super) fn decodings(&self) -> &[Decoding] {
        match &self.whole {
            Some(whole) => std::slice::from_ref(whole),
            None => &self.damaged,
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns where the longest decoding ends.
    pub(super) fn end(&self) -> usize {
        self.decodings().iter().map(|decoding| decoding.end).max().unwrap_or(self.start)
    }
}

/// The lead byte of quotation marks and dashes. Programs drop the other two together, because both are controls.
const LEAD_OF_PUNCTUATION: u8 = 0xE2;

/// Returns the sequences of a line, the number of non-ASCII characters outside of them, and how many of these may be
/// remains of one.
pub(super) fn sequences(encoding: &Misread, line: &str) -> (Vec<Sequence>, usize, usize) {
    let (mut found, mut strays, mut leads, mut at) = (Vec::new(), 0, 0, 0);
    while let Some(c) = rest(line, at).chars().next() {
        let mut next = at + c.len_utf8();
        if !c.is_ascii() {
            match sequence(encoding, line, at) {
                Some(sequence) => {
                    next = sequence.whole.map_or(next, |whole| whole.end);
                    found.push(sequence);
                }
                None => {
                    strays += usize::from(c != '\u{FFFD}');
                    leads += usize::from(encoding.byte(c) == Some(LEAD_OF_PUNCTUATION));
                }
            }
        }
        at = next;
    }
    (found, strays, leads)
}

fn rest(line: &str, at: usize) -> &str {
    line.get(at..).unwrap_or_default()
}

/// A sequence that is still incomplete: its bytes, the offset after them, the price, and the number of damaged bytes.
#[derive(Clone, Copy)]
struct Partial {
    bytes: [u8; 6],
    len: usize,
    at: usize,
    price: f32,
    damages: u8,
    is_guess: bool,
}

/// Reports whether a line has a whole sequence.
pub(super) fn has_whole(encoding: &Misread, line: &str) -> bool {
    line.char_indices().filter(|(_, c)| !c.is_ascii()).any(|(at, _)| {
        let whole = begun(encoding, line, at).filter(|(partial, needed)| partial.len > *needed);
        whole.is_some_and(|(partial, _)| decoding(encoding, line, at, &partial).is_some())
    })
}

/// Reports whether all non-ASCII characters of a line are whole sequences, and enough of them to exclude chance.
pub(super) fn are_all_whole(encoding: &Misread, line: &str) -> bool {
    let (mut count, mut at) = (0, 0);
    while let Some(c) = rest(line, at).chars().next() {
        at = match begun(encoding, line, at) {
            _ if c.is_ascii() => at + 1,
            Some((partial, needed)) if partial.len > needed => match decoding(encoding, line, at, &partial) {
                Some(whole) => {
                    count += 1;
                    whole.end
                }
                None => return false,
            },
            _ => return false,
        };
    }
    count >= MIN_WHOLE_SEQUENCES
}

/// The fewest sequences that exclude chance if a line has no other non-ASCII characters.
const MIN_WHOLE_SEQUENCES: usize = 3;

/// Returns what the characters at a place may be the bytes of.
fn sequence(encoding: &Misread, line: &str, start: usize) -> Option<Sequence> {
    let (begun, needed) = begun(encoding, line, start)?;
    if begun.len > needed {
        let whole = decoding(encoding, line, start, &begun)?;
        return Some(Sequence { start, whole: Some(whole), damaged: Vec::new() });
    }
    let mut partials = vec![begun];
    for _ in begun.len..=needed {
        let mut longer = Vec::new();
        for partial in partials {
            continue_with(encoding, line, partial, &mut longer);
        }
        partials = longer;
    }
    let damaged: Vec<Decoding> =
        partials.iter().filter_map(|partial| decoding(encoding, line, start, partial)).collect();
    (!damaged.is_empty()).then_some(Sequence { start, whole: None, damaged })
}

/// Returns the bytes of a sequence that are there, and how many are to follow the first one.
fn begun(encoding: &Misread, line: &str, start: usize) -> Option<(Partial, usize)> {
    let first = rest(line, start).chars().next()?;
    let lead = encoding.byte(first)?;
    let needed = match lead {
        0xC2..0xE0 => 1,
        0xE0..0xF0 => 2,
        0xF0..0xF5 => 3,
        _ => return None,
    };
    // Three small letters are a part of a word, unless bytes follow it.
    let is_word = || {
        let after = rest(line, start).trim_start_matches(is_small_cyrillic).chars().next();
        after.is_none_or(|c| c.is_ascii() || encoding.byte(c).is_none())
    };
    if rest(line, start).chars().take(3).all(is_small_cyrillic) && is_word() {
        return None;
    }
    let at = start + first.len_utf8();
    let mut partial = Partial { bytes: [lead, 0, 0, 0, 0, 0], len: 1, at, price: 0.0, damages: 0, is_guess: false };
    while partial.len <= needed
        && let Some((byte, len)) = continuation(encoding, line, partial.at)
        && let Some(place) = partial.bytes.get_mut(partial.len)
    {
        *place = byte;
        partial.len += 1;
        partial.at += len;
    }
    Some((partial, needed))
}

/// Returns what some bytes are, if that is text.
fn decoding(encoding: &Misread, line: &str, start: usize, partial: &Partial) -> Option<Decoding> {
    let (becomes, end) = character(encoding, line, partial)?;
    let is_text = !matches!(becomes, '\u{E000}'..='\u{F8FE}' | '\u{E01F0}'..) && u32::from(becomes) & 0xFFFE != 0xFFFE;
    let is_whole = partial.price == 0.0;
    let is_long = rest(line, start).chars().next().is_some_and(|first| end > start + first.len_utf8());
    let is_rare = is_rare(becomes) || !is_whole && matches!(becomes, '\u{200B}'..='\u{200F}');
    let price = partial.price;
    (is_text && (is_long || !is_whole)).then_some(Decoding { end, becomes, price, is_rare, is_guess: partial.is_guess })
}

/// Returns the continuation byte that a character is, and the character's length.
fn continuation(encoding: &Misread, line: &str, at: usize) -> Option<(u8, usize)> {
    let c = rest(line, at).chars().next().filter(|c| !c.is_ascii())?;
    encoding.byte(c).filter(|byte| *byte < 0xC0).map(|byte| (byte, c.len_utf8()))
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

/// Adds every possible next byte of a sequence.
fn continue_with(encoding: &Misread, line: &str, partial: Partial, longer: &mut Vec<Partial>) {
    let next = rest(line, partial.at).chars().next();
    let mut add = |byte: u8, len: usize, price: f32, is_guess: bool| {
        let mut bytes = partial.bytes;
        // One damage in a sequence, or two bytes that are shown to be lost.
        let most = if price == NATS_OF_REPLACEMENT { 2 } else { 1 };
        let damages = partial.damages + u8::from(price > 0.0);
        if let Some(place) = bytes.get_mut(partial.len)
            && damages <= most
        {
            *place = byte;
            let (price, is_guess) = (partial.price + price, partial.is_guess || is_guess);
            longer.push(Partial { bytes, len: partial.len + 1, at: partial.at + len, price, damages, is_guess });
        }
    };
    if let Some((byte, len)) = continuation(encoding, line, partial.at) {
        return add(byte, len, 0.0, false);
    }
    match next {
        Some(' ') => {
            encoding.space.into_iter().for_each(|byte| add(byte, 1, NATS_OF_SPACE, false));
        }
        Some('\u{FFFD}') => encoding.lacking.iter().for_each(|&byte| add(byte, 3, NATS_OF_REPLACEMENT, true)),
        Some('?') => encoding.lacking.iter().for_each(|&byte| add(byte, 1, NATS_OF_QUESTION_MARK, true)),
        Some('"') => encoding.quotes[0].iter().for_each(|&byte| add(byte, 1, NATS_OF_STRAIGHT_QUOTE, false)),
        Some('\'') => encoding.quotes[1].iter().for_each(|&byte| add(byte, 1, NATS_OF_STRAIGHT_QUOTE, false)),
        _ => {}
    }
    let is_blank = next.is_none_or(|c| matches!(c, ' ' | '\n' | '\r'));
    let removed = encoding.space.filter(|_| is_blank);
    removed.into_iter().for_each(|byte| add(byte, 0, NATS_OF_REMOVED_SPACE, false));
    let dropped = encoding.space.filter(|_| !is_blank);
    dropped
        .into_iter()
        .chain(encoding.lacking.iter().copied())
        .for_each(|byte| add(byte, 0, NATS_OF_DROPPED_BYTE, true));
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
    let bytes = text.chars().map(|c| if c.is_ascii() { b' ' } else { encoding.byte(c).unwrap_or(b' ') });
    let bytes: Vec<u8> = bytes.collect();
    let text = std::str::from_utf8(&bytes);
    text.is_ok_and(|text| text.chars().any(|c| !c.is_ascii() && !is_rare(c)))
}
