//! Views of damage: what programs make of a file when they read it in the wrong way and write everything back.
//!
//! ```text
//! old bytes -> read in an encoding          -> what is not text: kept, U+FFFD, ? or nothing
//!           -> written in another           -> what that lacks:  kept, ? or nothing
//!           -> the pieces of the old bytes, each with the text that became of it
//! ```

use std::fmt;

use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::charset::step::{Shift, Step};

use crate::compare::damage::DamageKind;
use crate::compare::encodings::{UTF8, ascii, is_windows, text_of};
use crate::compare::national::{cut_off, decode_in_subset, has_supplement, is_of_extension, windows_form};
use crate::compare::pieces::{FIRST_TOKEN_OF_BYTES, Pieces};
use crate::compare::substitutes::{Each, Substitute};

/// What a program does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamageView {
    pub(crate) read: Codec,
    /// Whether lines of UTF-8 are read as such, and only the others in the encoding.
    pub(super) per_line: bool,
    /// The substitute for invalid bytes; `None`: they stay.
    pub(super) errors: Option<(Substitute, Each)>,
    pub(crate) write: Codec,
    /// The encoding that it went through before it was written, if another one.
    pub(super) via: Option<Codec>,
    /// What becomes of characters that this encoding lacks, or the written one; `None`: there are none.
    pub(super) lacking: Option<(Substitute, Each)>,
    /// The encoding in which the result is also read and written as UTF-8.
    pub(crate) again: Option<Codec>,
    /// Whether composed and decomposed characters are the same.
    pub(crate) canonical: bool,
}

impl DamageView {
    /// Returns the name of the encoding that the new version is in.
    pub fn written(&self) -> &'static str {
        self.write.name()
    }

    /// Nothing happens in this encoding.
    pub(super) fn plain(codec: Codec) -> DamageView {
        DamageView {
            read: codec,
            per_line: false,
            errors: None,
            write: codec,
            via: None,
            lacking: None,
            again: None,
            canonical: false,
        }
    }

    /// Reports whether it shows all text as it is.
    pub(super) fn is_plain(self) -> bool {
        self.read == self.write && self.errors.is_none() && self.lacking.is_none() && !self.canonical
    }

    /// Reports whether it shows lost text only as question marks, or not at all.
    pub(super) fn is_weak(self) -> bool {
        [self.errors, self.lacking]
            .into_iter()
            .flatten()
            .any(|(lost, _)| matches!(lost, Substitute::Question | Substitute::Nothing))
    }

    /// Reports whether it shows character references for characters that an encoding lacks.
    pub(super) fn refers(self) -> bool {
        matches!(self.lacking, Some((Substitute::Reference, _)))
    }

    /// Reports whether it shows nothing in place of lost text.
    pub(super) fn drops(self) -> bool {
        [self.errors, self.lacking].into_iter().flatten().any(|(lost, _)| lost == Substitute::Nothing)
    }

    /// Reports whether the text is in the encoding that it was in, but went through another one than ASCII.
    pub(super) fn returns(self) -> bool {
        self.via.is_some_and(|via| via != ascii()) && self.read == self.write
    }

    /// Reports whether it loses characters that an encoding other than ASCII lacks.
    pub(super) fn loses_unencodable(self) -> bool {
        self.lacking.is_some() && self.via.unwrap_or(self.write) != ascii()
    }

    /// Returns the kind of damage that it does to text that is in UTF-8, or in another encoding.
    pub(super) fn kind(self, was_utf8: bool) -> DamageKind {
        match self.errors.or(self.lacking) {
            _ if was_utf8 && self.read != UTF8 && self.write == UTF8 => DamageKind::Doubled,
            _ if self.canonical && self.read == self.write => DamageKind::Normalized,
            Some((Substitute::Nothing, _)) => DamageKind::Removed,
            Some(_) if self.read == UTF8 || self.lacking.is_some() => DamageKind::Replaced,
            _ => DamageKind::Recoded,
        }
    }

    /// Returns the view in which the new version is read.
    pub(super) fn of_new(self) -> DamageView {
        let lacking = self.lacking.filter(|_| self.refers());
        DamageView { canonical: self.canonical, lacking, ..DamageView::plain(self.write) }
    }

    /// Returns the pieces of old bytes as the view shows them. The bytes begin after the byte order mark, if it is
    /// one of the encoding that is read, at this offset.
    pub(super) fn pieces(self, bytes: &[u8], start: usize) -> Pieces {
        let mut pieces = Pieces::default();
        let mut written = Written::new(self);
        if self.per_line {
            let mut at = start;
            for line in bytes.get(start..).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
                let read = if utf8kit::validate(line).is_ok() { UTF8 } else { self.read };
                self.push(read, bytes, at..at + line.len(), &mut written, &mut pieces);
                at += line.len();
            }
        } else {
            self.push(self.read, bytes, start..bytes.len(), &mut written, &mut pieces);
        }
        pieces.starts.push((bytes.len() as u32, pieces.tokens.len() as u32));
        if self.refers() {
            pieces = pieces.dereferenced();
        }
        if self.canonical { pieces.composed() } else { pieces }
    }

    fn push(
        self,
        read: Codec,
        bytes: &[u8],
        range: std::ops::Range<usize>,
        written: &mut Written,
        pieces: &mut Pieces,
    ) {
        let (mut at, mut shift, mut text) = (range.start, Shift::Neutral, String::new());
        let (mut in_run, is_plain) = (false, read.is_plain_ascii());
        while at < range.end {
            text.clear();
            let rest = bytes.get(at..range.end).unwrap_or_default();
            let ascii = rest.iter().take_while(|byte| is_plain && matches!(byte, 1..=0x7F) && **byte != b'\r');
            let start = at;
            for &byte in ascii {
                pieces.begin(at, false);
                pieces.tokens.push(u32::from(byte));
                at += 1;
            }
            if at > start {
                in_run = false;
                continue;
            }
            let Some(mut step) = read.step(shift, rest, &mut text) else { break };
            self.count_bytes(read, &mut step, rest, &mut text);
            let span = rest.get(..step.len).unwrap_or_default();
            if step.malformed {
                let is_known = matches!(self.errors, Some((Substitute::Nothing, _))) && is_of_replacement(bytes, at);
                self.push_malformed(span, at, in_run, !is_known, pieces);
            } else {
                pieces.begin(at, false);
                // CR LF is a line end like LF.
                match (text == "\r").then(|| feed_after(read, &step, rest)).flatten() {
                    Some(len) => {
                        pieces.tokens.push(u32::from('\n'));
                        at += len;
                    }
                    None => self.push_text(&text, written, pieces),
                }
            }
            in_run = step.malformed;
            (at, shift) = (at + step.len, step.shift);
        }
    }

    /// Makes errors of one byte of a step, if the view counts them so.
    fn count_bytes(self, read: Codec, step: &mut Step, bytes: &[u8], text: &mut String) {
        let (Some((_, each @ (Each::Byte | Each::CodePage | Each::Standard))), Codec::Legacy(legacy)) =
            (self.errors, read)
        else {
            return;
        };
        let span = bytes.get(..step.len).unwrap_or_default();
        let is_open = || text.chars().all(is_control);
        let is_euro = || matches!(legacy.name(), "GBK" | "gb18030") && text == "€" && step.len == 1;
        let is_addition = || is_of_extension(legacy, each, span, text);
        step.malformed |= is_windows(legacy) && is_open() || is_euro() || is_addition();
        if !step.malformed && !text.is_ascii() {
            *text = text.chars().map(|scalar| decode_in_subset(legacy, each, span, scalar)).collect();
        }
        if !step.malformed || legacy.is_single_byte() {
            return;
        }
        step.len = cut_off(legacy, bytes).unwrap_or(1);
        let private = match bytes.first() {
            Some(0xA0) => '\u{F8F0}',
            Some(&byte @ 0xFD..) => char::from_u32(0xF8F1 + u32::from(byte - 0xFD)).unwrap_or_default(),
            _ => return,
        };
        if legacy.name() == "Shift_JIS" && each != Each::Standard {
            // Code page 932 has characters for them.
            *text = private.to_string();
            step.malformed = false;
        }
    }

    /// Adds invalid bytes. `in_run`: the bytes before them are also invalid. `is_lost`: whether their value is lost.
    fn push_malformed(self, bytes: &[u8], at: usize, in_run: bool, is_lost: bool, pieces: &mut Pieces) {
        let Some((lost, each)) = self.errors else {
            for (index, &byte) in bytes.iter().enumerate() {
                pieces.begin(at + index, false);
                pieces.tokens.push(FIRST_TOKEN_OF_BYTES + u32::from(byte));
            }
            return;
        };
        let parts = if each == Each::Unit { bytes.len() } else { 1 };
        for part in 0..parts {
            pieces.begin(at + part, is_lost);
            match (lost, self.again) {
                _ if each == Each::Run && in_run => {}
                (Substitute::Replacement, Some(again)) => {
                    push_misdecoded(again, each, char::REPLACEMENT_CHARACTER, &mut pieces.tokens);
                }
                _ => lost.push(None, &mut pieces.tokens),
            }
        }
    }

    fn push_text(self, text: &str, written: &mut Written, pieces: &mut Pieces) {
        for scalar in text.chars() {
            let shown = written.shown(scalar);
            match self.lacking {
                Some((lost, each)) if shown.is_none() => {
                    let parts = if each == Each::Unit { scalar.len_utf16() } else { 1 };
                    (0..parts).for_each(|_| lost.push(Some(scalar), &mut pieces.tokens));
                    let was_lost = lost == Substitute::Reference
                        || lost == Substitute::Nothing && scalar == char::REPLACEMENT_CHARACTER;
                    if let Some(last) = pieces.lost.last_mut() {
                        *last |= !was_lost;
                    }
                }
                _ => match self.again.filter(|_| !scalar.is_ascii()) {
                    Some(again) => {
                        let each = self.errors.map_or(Each::Item, |(_, each)| each);
                        push_misdecoded(again, each, scalar, &mut pieces.tokens);
                    }
                    None => pieces.tokens.push(u32::from(shown.unwrap_or(scalar))),
                },
            }
        }
    }
}

/// Adds what becomes of a character of UTF-8 that is read in another encoding.
fn push_misdecoded(codec: Codec, each: Each, scalar: char, tokens: &mut Vec<u32>) {
    let leaves_open = each == Each::Byte && matches!(codec, Codec::Legacy(legacy) if is_windows(legacy));
    let shown = |c: char| if leaves_open && is_control(c) { char::REPLACEMENT_CHARACTER } else { c };
    for &byte in scalar.encode_utf8(&mut [0; 4]).as_bytes() {
        let mut text = String::new();
        codec.step(Shift::Neutral, &[byte], &mut text);
        tokens.extend(text.chars().map(|c| u32::from(shown(c))));
    }
}

/// Reports whether a character is what a code page of Windows has for a byte that it leaves open.
fn is_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}')
}

/// Returns the length of the line feed after a step at the start of bytes, if there is one.
fn feed_after(read: Codec, step: &Step, bytes: &[u8]) -> Option<usize> {
    let mut next = String::new();
    let following = read.step(step.shift, bytes.get(step.len..).unwrap_or_default(), &mut next)?;
    (next == "\n").then_some(following.len)
}

/// What becomes of characters in the encoding that is written, asked once for each.
struct Written {
    write: Codec,
    lacks: bool,
    is_read_again: bool,
    known: foldhash::HashMap<char, Option<char>>,
}

impl Written {
    fn new(view: DamageView) -> Written {
        let write = view.via.unwrap_or(view.write);
        let is_read_again = write != view.read && matches!(write, Codec::Legacy(_));
        Written { write, lacks: view.lacking.is_some(), is_read_again, known: foldhash::HashMap::default() }
    }

    /// Returns the character as which one is read again: Shift_JIS has one minus sign for two. `None`: it is lost.
    fn shown(&mut self, scalar: char) -> Option<char> {
        if scalar.is_ascii() || !self.lacks && !self.is_read_again {
            return Some(scalar);
        }
        let Written { write, lacks, is_read_again, .. } = *self;
        *self.known.entry(scalar).or_insert_with(|| match write.bytes_of(scalar) {
            None if has_supplement(write, scalar) => Some(scalar),
            None => windows_form(write, scalar).or(Some(scalar).filter(|_| !lacks)),
            Some(bytes) if is_read_again => {
                let read = text_of(write, &bytes).unwrap_or_default();
                let mut read = read.chars();
                read.next().filter(|_| read.next().is_none()).or(Some(scalar))
            }
            Some(_) => Some(scalar),
        })
    }
}

impl fmt::Display for DamageView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "read as {}", self.read)?;
        if self.per_line {
            f.write_str(" where it is not utf-8")?;
        }
        if let Some((what, _)) = self.errors {
            write!(f, ", with {what} for what it is not")?;
        }
        if self.write != self.read {
            write!(f, ", written as {}", self.write)?;
        }
        match (self.via, self.lacking) {
            (Some(via), Some((what, _))) if via == ascii() => {
                write!(f, ", with {what} for what is not ASCII")?;
            }
            (Some(via), Some((what, _))) => {
                write!(f, ", by way of {via}, with {what} for what that lacks")?;
            }
            (None, Some((what, _))) => write!(f, ", with {what} for what that lacks")?,
            (_, None) => {}
        }
        match self.again {
            Some(codec) if codec == self.read => f.write_str(", twice")?,
            Some(codec) => write!(f, ", and again by way of {codec}")?,
            None => {}
        }
        f.write_str(if self.canonical { ", normalized" } else { "" })
    }
}

/// Reports whether a byte is part of U+FFFD in UTF-8, which marks an earlier loss.
pub(super) fn is_of_replacement(bytes: &[u8], at: usize) -> bool {
    const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
    let starts = at.saturating_sub(REPLACEMENT.len() - 1)..=at;
    starts.into_iter().any(|start| bytes.get(start..).is_some_and(|rest| rest.starts_with(REPLACEMENT)))
}
