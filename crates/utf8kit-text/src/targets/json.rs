//! Refusals in JSON, in lines or over several lines: a string always ends on its line.

use crate::refusal::{Refusal, RefusalKind};

/// Returns what is refused, in order.
pub(super) fn find(line: &[u8]) -> Vec<Refusal> {
    let mut found = Vec::new();
    let (mut at, mut within) = (0, false);
    while let Some(&byte) = line.get(at) {
        let mut len = 1;
        let refused = match byte {
            b'"' => {
                within = !within;
                None
            }
            b'\\' if within => {
                let refused;
                (len, refused) = escape(&line[at..]);
                refused.then_some(RefusalKind::SurrogateEscape)
            }
            // The line end is not part of the string.
            b'\n' | b'\r' if line[at + 1..].iter().all(|byte| b"\r\n".contains(byte)) => None,
            0 => Some(RefusalKind::Nul),
            b'\t' | b'\r' | b'\n' if !within => None,
            1..0x20 => Some(RefusalKind::Control),
            _ => None,
        };
        found.extend(refused.map(|kind| Refusal::new(at, len, kind)));
        at += len;
    }
    found
}

/// Returns the length of an escape, and whether it is half of a surrogate pair.
fn escape(rest: &[u8]) -> (usize, bool) {
    match (unit(rest), rest.get(6..).and_then(unit)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
        (Some(value), _) => (6, (0xD800..=0xDFFF).contains(&value)),
        (None, _) => (2.min(rest.len()), false),
    }
}

/// Returns the value of an escape `\uXXXX`.
pub(super) fn unit(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
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
