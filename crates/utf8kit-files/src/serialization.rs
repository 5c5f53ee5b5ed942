//! Strings that PHP serialized, `s:9:"Brötchen!";`, and their lengths in another encoding.
//!
//! A length is updated only if it was exactly right. A string may be part of another string, whose length changes with
//! it.

use std::mem;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use utf8kit::{AnyEncoding, Piece};
use utf8kit_encodings::charset::Codec;
use utf8kit_encodings::convert::{Converter, Plan};
use utf8kit_encodings::counts::Counts;

use crate::ByteLengths;

/// The prefix of a string.
static BEGINS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"s:"));

/// The most bytes to wait for the end of a string.
const MAX_BYTES_OF_STRING: usize = 16 << 20;

/// The most digits of a length.
const MAX_DIGITS_OF_LENGTH: usize = 10;

/// The number of strings that are named.
const MAX_STRINGS_NAMED: usize = 3;

/// The maximum nesting of strings.
const MAX_NESTING: u32 = 8;

/// More bytes than a converter holds back of its input.
const MAX_BYTES_HELD_BY_CONVERTER: u64 = 4096;

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As its plain bytes.
    Plain,
    /// Within an SQL literal, in which an escape sequence or a doubled quote is one byte.
    Literal,
    /// As in an SQL literal in which double quotes are also escaped.
    Escaped,
}

/// A non-ASCII string whose length is right. The ranges refer to bytes that begin with `s:9:"Brötchen!"`.
#[derive(Debug)]
struct Serialized {
    form: Form,
    digits: Range<usize>,
    value: Range<usize>,
    /// The end of its closing quote.
    end: usize,
    /// Whether the string certainly ends there.
    is_certain: bool,
}

/// The content at a position.
enum Found {
    String(Serialized),
    /// Perhaps a string, too long to wait for its end.
    Long,
    Other,
    /// It may continue.
    Open,
}

impl Form {
    /// Returns how many raw bytes at the start of `value` stand for `len` bytes, or `None` if it ends first.
    fn raw_len(self, value: &[u8], len: usize) -> Option<usize> {
        if self == Form::Plain {
            return (len <= value.len()).then_some(len);
        }
        let mut at = 0;
        for _ in 0..len {
            at += match value.get(at..)? {
                [b'\\', _, ..] | [b'\'', b'\'', ..] => 2,
                [b'\\'] | [] => return None,
                _ => 1,
            };
        }
        Some(at)
    }

    /// Returns how many bytes a raw value stands for.
    fn len_of(self, mut value: &[u8]) -> usize {
        if self == Form::Plain {
            return value.len();
        }
        let mut len = 0;
        while let [first, rest @ ..] = value {
            let is_two = matches!((first, rest.first()), (b'\\', Some(_)) | (b'\'', Some(b'\'')));
            value = rest.get(usize::from(is_two)..).unwrap_or_default();
            len += 1;
        }
        len
    }
}

/// Reads the string at the start of some bytes, which begin with `s:`.
fn string_at(bytes: &[u8]) -> Found {
    let after = bytes.get(2..).unwrap_or_default();
    let count = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = 2..2 + count;
    let tail = bytes.get(digits.end..).unwrap_or_default();
    if count > MAX_DIGITS_OF_LENGTH || count == 0 && !tail.is_empty() {
        return Found::Other;
    }
    let quote: &[u8] = match tail {
        [b':', b'"', ..] => b"\"",
        [b':', b'\\', b'"', ..] => b"\\\"",
        [] | [b':'] | [b':', b'\\'] => return Found::Open,
        _ => return Found::Other,
    };
    let number = bytes.get(digits.clone()).and_then(|digits| std::str::from_utf8(digits).ok());
    let Some(len) = number.and_then(|digits| digits.parse::<usize>().ok()) else { return Found::Other };
    if len >= MAX_BYTES_OF_STRING {
        return Found::Long;
    }
    let start = digits.end + 1 + quote.len();
    let value = bytes.get(start..).unwrap_or_default();
    let forms: &[Form] = if quote.len() == 1 { &[Form::Plain, Form::Literal] } else { &[Form::Escaped] };
    let mut found: Option<Serialized> = None;
    for &form in forms {
        let Some((raw, after)) = form.raw_len(value, len).and_then(|raw| Some((raw, value.get(raw..)?))) else {
            return Found::Open;
        };
        if after.len() <= quote.len() && quote.starts_with(after.get(..quote.len()).unwrap_or(after)) {
            return Found::Open;
        }
        if !after.starts_with(quote) {
            continue;
        }
        let (value, end) = (start..start + raw, start + raw + quote.len());
        let is_certain = bytes.get(end) == Some(&b';');
        found = match found {
            Some(other) if other.is_certain && !is_certain || other.end == end => Some(other),
            Some(other) if other.is_certain => Some(Serialized { is_certain: false, ..other }),
            _ => Some(Serialized { form, digits: digits.clone(), value, end, is_certain }),
        };
    }
    match found {
        Some(string) if bytes.get(string.value.clone()).is_some_and(|value| !value.is_ascii()) => Found::String(string),
        _ => Found::Other,
    }
}

/// Reports whether a length with its string may begin in the first `len` bytes. Each byte is checked in the same way,
/// without a branch, because `s:` alone is frequent in text.
pub(crate) fn may_have_strings(bytes: &[u8], len: usize) -> bool {
    let bytes = bytes.get(..len + 2).unwrap_or(bytes);
    let is_cut = bytes.len() < len + 2 && (bytes.ends_with(b"s") || bytes.ends_with(b"s:"));
    let [second, third] = [1, 2].map(|at| bytes.get(at..).unwrap_or_default());
    let begins = |s: u8, colon: u8, digit: u8| (s == b's') & (colon == b':') & digit.is_ascii_digit();
    let all = bytes.iter().zip(second).zip(third);
    is_cut || all.fold(false, |found, ((&s, &colon), &digit)| found | begins(s, colon, digit))
}

/// Strings by their position in the input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    count: u64,
    first: Vec<String>,
}

impl Named {
    fn add(&mut self, len: &[u8], offset: u64) {
        self.count += 1;
        if self.first.len() < MAX_STRINGS_NAMED {
            self.first.push(format!("s:{} at byte {offset}", len.escape_ascii()));
        }
    }

    /// Returns the lengths, if there are any.
    pub(crate) fn lengths(self) -> Option<ByteLengths> {
        (self.count > 0).then_some(ByteLengths::Serialized(self.count, self.first))
    }
}

/// Reads a text, and updates the lengths of its strings to their values after a conversion.
pub(crate) struct Relength<'p> {
    /// The converter of the text. Without it, all lengths stay.
    plan: Option<&'p Plan>,
    /// The input that was not processed yet, and its offset.
    held: Vec<u8>,
    offset: u64,
    /// The byte before it.
    previous: Option<u8>,
    out: Vec<u8>,
    /// The number of bytes returned before the last text, and in the last text.
    written: u64,
    returned: u64,
    /// The positions in the output from which it is ahead of the input, and by how many bytes.
    ahead: Vec<(u64, i64)>,
    /// The strings, with nested ones listed separately.
    pub(crate) strings: Named,
    /// The strings whose length would be wrong.
    pub(crate) wrong: Named,
}

impl<'p> Relength<'p> {
    /// Begins a text whose lengths stay and are only counted.
    pub(crate) fn measuring() -> Relength<'static> {
        Relength {
            plan: None,
            held: Vec::new(),
            offset: 0,
            previous: None,
            out: Vec::new(),
            written: 0,
            returned: 0,
            ahead: vec![(0, 0)],
            strings: Named::default(),
            wrong: Named::default(),
        }
    }

    /// Begins a text that is converted. Returns `None` if PHP cannot read one of the encodings, or if lengths are the
    /// same in both.
    pub(crate) fn of(plan: &'p Plan) -> Option<Relength<'p>> {
        let is_single = |codec: Codec| match codec {
            Codec::Native(encoding) => encoding == AnyEncoding::Latin1,
            Codec::Legacy(legacy) => legacy.is_single_byte(),
        };
        let same = plan.from == plan.to || is_single(plan.from) && is_single(plan.to);
        (plan.from.is_plain_ascii() && plan.to.is_plain_ascii() && (!same || plan.rewrite.is_any())).then(|| Relength {
            plan: Some(plan),
            offset: plan.skip as u64,
            ..Relength::measuring()
        })
    }

    /// Begins after a byte.
    pub(crate) fn after(self, previous: Option<u8>) -> Relength<'p> {
        Relength { previous, ..self }
    }

    /// Returns how many bytes were read but are not in the text yet.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// Maps a position in the text to the input.
    pub(crate) fn source_offset(&self, offset: u64) -> u64 {
        let at = self.ahead.partition_point(|&(from, _)| from <= offset);
        let ahead = self.ahead.get(at.saturating_sub(1)).map_or(0, |&(_, ahead)| ahead);
        offset.saturating_add_signed(-ahead)
    }

    /// Reads a piece, and returns the text so far that was not returned yet.
    pub(crate) fn text<'t>(&'t mut self, bytes: &'t [u8], piece: Piece) -> &'t [u8] {
        self.written += mem::take(&mut self.returned);
        let settled = self.written.saturating_sub(MAX_BYTES_HELD_BY_CONVERTER);
        let old = self.ahead.partition_point(|&(from, _)| from <= settled).saturating_sub(1);
        self.ahead.drain(..old);
        if self.held.is_empty() && !may_have_strings(bytes, bytes.len()) {
            self.pass(bytes);
            self.returned = bytes.len() as u64;
            return bytes;
        }
        self.held.extend_from_slice(bytes);
        let (held, mut out) = (mem::take(&mut self.held), mem::take(&mut self.out));
        out.clear();
        let read = self.read(&held, self.offset, 0, piece.is_last(), &mut out);
        self.pass(held.get(..read).unwrap_or_default());
        (self.held, self.out) = (held, out);
        self.held.drain(..read);
        self.returned = self.out.len() as u64;
        &self.out
    }

    /// Continues after bytes of the input.
    fn pass(&mut self, bytes: &[u8]) {
        self.previous = bytes.last().copied().or(self.previous);
        self.offset += bytes.len() as u64;
    }

    /// Appends bytes at `offset` to `out`, up to a string that may continue, and returns how many were read.
    fn read(&mut self, bytes: &[u8], offset: u64, depth: u32, last: bool, out: &mut Vec<u8>) -> usize {
        let (mut at, mut copied) = (0, 0);
        for start in BEGINS.find_iter(bytes) {
            if start < at {
                continue;
            }
            at = start + 2;
            let previous = match start {
                0 if depth == 0 => self.previous.as_ref(),
                _ => bytes.get(start.wrapping_sub(1)),
            };
            if previous.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                continue;
            }
            let rest = bytes.get(start..).unwrap_or_default();
            match string_at(rest) {
                Found::Open if !last => {
                    self.copy(bytes.get(copied..start), out);
                    return start;
                }
                Found::Open | Found::Other => {}
                Found::Long => {
                    self.strings.add(b"...", offset + start as u64);
                    self.wrong.add(b"...", offset + start as u64);
                }
                Found::String(string) => {
                    self.copy(bytes.get(copied..start), out);
                    self.string(rest, &string, offset + start as u64, depth, out);
                    copied = start + string.end;
                    at = copied;
                }
            }
        }
        // An `s` that a colon may follow.
        let keeps = usize::from(!last && bytes.get(at..).is_some_and(|rest| rest.ends_with(b"s")));
        let end = bytes.len() - keeps;
        self.copy(bytes.get(copied..end), out);
        end
    }

    /// Appends bytes unchanged. Does nothing if all lengths stay, because the text is not needed then.
    fn copy(&self, bytes: Option<&[u8]>, out: &mut Vec<u8>) {
        if self.plan.is_some() {
            out.extend_from_slice(bytes.unwrap_or_default());
        }
    }

    /// Appends a string with its new length.
    fn string(&mut self, rest: &[u8], string: &Serialized, offset: u64, depth: u32, out: &mut Vec<u8>) {
        let digits = rest.get(string.digits.clone()).unwrap_or_default();
        let value = rest.get(string.value.clone()).unwrap_or_default();
        self.strings.add(digits, offset);
        let Some(plan) = self.plan else { return };
        let mut inner = Vec::with_capacity(value.len() + 8);
        if depth < MAX_NESTING {
            // The content follows the new length, whose digits are not known yet.
            let ahead = self.ahead.len();
            self.read(value, offset + string.value.start as u64, depth + 1, true, &mut inner);
            self.ahead.truncate(ahead);
        } else {
            inner.extend_from_slice(value);
        }
        let len = new_len(plan, string.form, value, &inner);
        let len = len.filter(|_| string.is_certain && depth < MAX_NESTING).map(|len| len.to_string());
        if len.is_none() {
            self.wrong.add(digits, offset);
        }
        let len = len.as_ref().map_or(digits, |len| len.as_bytes());
        out.extend_from_slice(b"s:");
        out.extend_from_slice(len);
        out.extend_from_slice(rest.get(string.digits.end..string.value.start).unwrap_or_default());
        let more = (len.len() + inner.len()) as i64 - (digits.len() + value.len()) as i64;
        out.extend_from_slice(&inner);
        out.extend_from_slice(rest.get(string.value.end..string.end).unwrap_or_default());
        if depth == 0 && more != 0 {
            // A strict conversion that stops within the string stops at most some digits away from this.
            let ahead = self.ahead.last().map_or(0, |&(_, ahead)| ahead);
            self.ahead.push((self.written + out.len() as u64, ahead + more));
        }
    }
}

/// Returns the length of a string in bytes after the conversion, or `None` if that is uncertain.
fn new_len(plan: &Plan, form: Form, old: &[u8], value: &[u8]) -> Option<usize> {
    let mut converted = Vec::with_capacity(2 * value.len());
    Converter::new(plan).push(value, true, &mut converted, &mut Counts::default()).ok()?;
    let has_escapes = |bytes: &[u8]| memchr::memchr2(b'\\', b'\'', bytes).is_some();
    let is_sure = |codec: Codec, bytes: &[u8]| form == Form::Plain || has_no_trails(codec) || !has_escapes(bytes);
    (is_sure(plan.from, old) && is_sure(plan.to, &converted)).then(|| form.len_of(&converted))
}

/// Reports whether a backslash is never the second byte of a character.
fn has_no_trails(codec: Codec) -> bool {
    match codec {
        Codec::Native(_) => true,
        Codec::Legacy(legacy) => legacy.is_single_byte() || legacy.name().starts_with("EUC-"),
    }
}

#[cfg(test)]
mod tests {
    use utf8kit_encodings::convert::Conversion;

    use super::*;

    /// Converts a text in pieces, and returns it with the numbers of strings and of wrong lengths.
    fn converted(text: &[u8], from: &str, to: &str, size: usize) -> (Vec<u8>, u64, u64) {
        let conversion = Conversion::new(from.parse().unwrap(), to.parse().unwrap());
        let plan = conversion.start(b"");
        let mut relength = Relength::of(&plan).unwrap();
        let (mut converter, mut out) = (Converter::new(&plan), Vec::new());
        for piece in text.chunks(size) {
            converter.push(relength.text(piece, Piece::Partial), false, &mut out, &mut Counts::default()).unwrap();
        }
        converter.push(relength.text(b"", Piece::Last), true, &mut out, &mut Counts::default()).unwrap();
        (out, relength.strings.count, relength.wrong.count)
    }

    #[test]
    fn lengths_are_right_in_the_new_encoding() {
        // Counted by hand, and checked against PHP's `serialize`: two encodings, a text in both, and the numbers of
        // strings and of wrong lengths.
        type Case = ([&'static str; 2], &'static [u8], &'static str, u64, u64);
        let cases: [Case; 16] = [
            (["windows-1252", "utf-8"], b"s:9:\"Br\xF6tchen!\";", "s:10:\"Brötchen!\";", 1, 0),
            (["windows-1252", "utf-8"], b"s:9:\\\"Br\xF6tchen!\\\";", "s:10:\\\"Brötchen!\\\";", 1, 0),
            (
                ["windows-1252", "utf-8"],
                b"a:2:{s:4:\"n\xF6te\";s:3:\"abc\";i:1;s:2:\"\x80\xE9\";}",
                "a:2:{s:5:\"nöte\";s:3:\"abc\";i:1;s:5:\"€é\";}",
                2,
                0,
            ),
            // A session, and a value with quotes and semicolons.
            (["latin1", "utf-8"], b"n\xE9|s:5:\"\";\xE9\";\";", "né|s:6:\"\";é\";\";", 1, 0),
            // An escape or a doubled quote is one byte.
            (["latin1", "utf-8"], b"s:5:\\\"\xE9\\'\\n\\\\x\\\";", "s:6:\\\"é\\'\\n\\\\x\\\";", 1, 0),
            (["latin1", "utf-8"], b"s:9:\"l''\xE9t\xE9, \\r\\n\";", "s:11:\"l''été, \\r\\n\";", 1, 0),
            // A nested string: 16 bytes, and 18 with the new character and digit.
            (["windows-1252", "utf-8"], b"s:16:\"s:9:\"Br\xF6tchen!\";\";", "s:18:\"s:10:\"Brötchen!\";\";", 2, 0),
            (
                ["windows-1252", "utf-8"],
                b"('s:16:\\\"s:9:\\\"Br\xF6tchen!\\\";\\\";')",
                "('s:18:\\\"s:10:\\\"Brötchen!\\\";\\\";')",
                2,
                0,
            ),
            (["utf-8", "windows-1252"], "s:10:\"Brötchen!\";".as_bytes(), "s:9:\"Br\u{F6}tchen!\";", 1, 0),
            (["shift_jis", "utf-8"], b"s:4:\"\x95\x5C\x82\xA0\";", "s:6:\"表あ\";", 1, 0),
            (["euc-kr", "utf-8"], b"s:3:\\\"\xB0\xA1'\\\";", "s:4:\\\"가'\\\";", 1, 0),
            // Uncertain lengths stay and are counted: no semicolon; escapes where a backslash may be a second byte.
            (["latin1", "utf-8"], b"s:1:\"\xE9\", and", "s:1:\"é\", and", 1, 1),
            (["shift_jis", "utf-8"], b"s:5:\\\"\x82\xA0\\\"a\\\"\\\";", "s:5:\\\"あ\\\"a\\\"\\\";", 1, 1),
            // A length that was already wrong, a word, and an unrelated number.
            (["latin1", "utf-8"], b"s:2:\"\xE9\";", "s:2:\"é\";", 0, 0),
            (["latin1", "utf-8"], b"items:1:\"\xE9\";", "items:1:\"é\";", 0, 0),
            (["latin1", "utf-8"], b"s:99999999:\"\xE9\";", "s:99999999:\"é\";", 1, 1),
        ];
        for ([from, to], text, expected, strings, wrong) in cases {
            let expected: Vec<u8> = match to {
                "utf-8" => expected.as_bytes().to_vec(),
                _ => expected.chars().map(|c| c as u8).collect(),
            };
            for size in [1, 2, 3, 7, 100] {
                let found = converted(text, from, to, size);
                assert_eq!(found.0.escape_ascii().to_string(), expected.escape_ascii().to_string());
                assert_eq!((found.1, found.2), (strings, wrong), "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn offsets_are_those_of_the_input() {
        let conversion = Conversion::new("latin1".parse().unwrap(), "utf-8".parse().unwrap());
        let plan = conversion.start(b"");
        let mut relength = Relength::of(&plan).unwrap();
        let text = relength.text(b"s:9:\"Br\xF6tchen!\";-s:9:\"Br\xF6tchen!\";+", Piece::Last);
        let places: Vec<_> = [b'-', b'+'].iter().map(|sign| memchr::memchr(*sign, text).unwrap()).collect();
        assert_eq!(places, [17, 35]);
        assert_eq!([17, 35].map(|at| relength.source_offset(at)), [16, 33]);
    }
}
