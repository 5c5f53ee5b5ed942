//! Violations in JSON.

use memchr::memchr_iter;

use crate::rows::{RowFormat, json_lines_by_masks};
use crate::violation::{Violation, ViolationKind};

/// Reports whether some lines certainly pass: they have no backslash, no control character, and no line feed within a
/// string.
pub(super) fn passes(format: RowFormat, lines: &[u8]) -> bool {
    let is_clear = |lines: &[u8]| {
        lines.iter().fold(true, |clear, &byte| clear & (byte != b'\\') & ((byte >= 0x20) | (byte == b'\n')))
    };
    // If strings can contain line feeds, each line must have an even number of quotes.
    let closed = |lines: &[u8]| {
        let end = json_lines_by_masks(lines).1;
        lines[end..]
            .split_inclusive(|&byte| byte == b'\n')
            .all(|line| memchr_iter(b'"', line).count().is_multiple_of(2))
    };
    lines.chunks(4096).all(is_clear) && (format != RowFormat::Json || closed(lines))
}

/// Returns the violations in a line, in order.
pub(super) fn find(line: &[u8]) -> Vec<Violation> {
    let mut found = Vec::new();
    let content = line.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    let (mut at, mut within) = (0, false);
    while let Some(&byte) = line.get(at) {
        let mut len = 1;
        let refused = match byte {
            b'"' => {
                within = !within;
                None
            }
            b'\\' if within => {
                let (escape, refused) = escape(&line[at..]);
                len = escape;
                refused
            }
            // The line end is not part of the string.
            b'\n' | b'\r' if at >= content => None,
            0 => Some(ViolationKind::Nul),
            b'\t' | b'\r' | b'\n' if !within => None,
            1..0x20 => Some(ViolationKind::Control),
            _ => None,
        };
        found.extend(refused.map(|kind| Violation::new(at, len, kind)));
        at += len;
    }
    found
}

/// Returns the length of an escape, and why it is rejected.
fn escape(rest: &[u8]) -> (usize, Option<ViolationKind>) {
    match (unit(rest), rest.get(6..).and_then(unit)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, None),
        (Some(0xD800..=0xDFFF), _) => (6, Some(ViolationKind::SurrogateEscape)),
        (Some(0), _) => (6, Some(ViolationKind::NulEscape)),
        (Some(_), _) => (6, None),
        (None, _) if rest.get(1).is_some_and(|byte| b"\"\\/bfnrt".contains(byte)) => (2, None),
        (None, _) => (1, Some(ViolationKind::InvalidEscape)),
    }
}

/// Returns the value of an escape `\uXXXX`.
pub(super) fn unit(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Returns text as it is written in a JSON string.
pub(super) fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
            b'"' | b'\\' => out.extend([b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out
}

/// Whether the JSON text read so far ends within a string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Within {
    pub(super) string: bool,
    escape: bool,
}

impl Within {
    pub(super) fn read(&mut self, text: &[u8]) {
        for &byte in text {
            self.string ^= byte == b'"' && !self.escape;
            self.escape = self.string && byte == b'\\' && !self.escape;
        }
    }
}

/// Returns the strings of a line, as the ranges between their quotes.
pub(super) fn strings(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut strings, mut begun, mut at) = (Vec::new(), None, 0);
    while let Some(&byte) = line.get(at) {
        match (byte, begun) {
            (b'"', None) => begun = Some(at + 1),
            (b'"', Some(start)) => {
                strings.push(start..at);
                begun = None;
            }
            (b'\\', Some(_)) => at += 1,
            _ => {}
        }
        at += 1;
    }
    strings
}
