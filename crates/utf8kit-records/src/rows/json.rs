//! Checks that a row is JSON that its readers accept.

use std::cmp::Ordering;

use memchr::memchr2;
use serde::Deserialize as _;
use serde::de::IgnoredAny;

use super::Reader;

/// The most decimals of PostgreSQL's type `numeric`.
const MAX_DECIMALS: i64 = 16_383;

/// The smallest exponent that PostgreSQL rejects even for zero.
const MIN_REJECTED_EXPONENT: i64 = i32::MAX as i64 / 2;

/// Returns where and why a row is not JSON, or is JSON that the readers reject.
pub(super) fn fault(row: &[u8], reader: Reader) -> Option<(usize, String)> {
    let mut parser = serde_json::Deserializer::from_slice(row);
    match IgnoredAny::deserialize(&mut parser).and_then(|_| parser.end()) {
        Ok(()) => limit(row, reader),
        Err(error) => {
            let text = error.to_string();
            let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
            Some((error.column().saturating_sub(1).min(row.len()), what.to_owned()))
        }
    }
}

/// Returns the first place in JSON that exceeds a limit.
fn limit(json: &[u8], reader: Reader) -> Option<(usize, String)> {
    if json.len() <= reader.max_depth.min(reader.max_digits) && reader.any_number {
        return None;
    }
    let (mut at, mut depth) = (0, 0);
    while let Some(&byte) = json.get(at) {
        let mut len = 1;
        match byte {
            b'"' => {
                while let Some(found) = memchr2(b'"', b'\\', json.get(at + len..)?) {
                    len += found + 1;
                    match json[at + len - 1] {
                        b'"' => break,
                        _ => len += 1,
                    }
                }
            }
            b'[' | b'{' if depth == reader.max_depth => {
                return Some((at, format!("nested more than {depth} levels deep")));
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let is_end = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                len = json[at..].iter().position(is_end).unwrap_or(json.len() - at);
                if let Some(what) = excess(&json[at..at + len], reader) {
                    return Some((at, what));
                }
            }
            _ => {}
        }
        at += len;
    }
    None
}

/// Describes which limit a number exceeds.
fn excess(number: &[u8], reader: Reader) -> Option<String> {
    let number = std::str::from_utf8(number).ok()?;
    let Some(fraction) = number.find(['.', 'e', 'E']) else {
        let most = reader.max_digits;
        return (number.trim_start_matches('-').len() > most).then(|| format!("an integer of more than {most} digits"));
    };
    if reader.any_number {
        return None;
    }
    let (digits, exponent) = number[fraction..].split_once(['e', 'E']).unwrap_or((&number[fraction..], "0"));
    let decimals = digits.len().saturating_sub(1) as i64;
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { -1 << 40 } else { 1 << 40 });
    let is_finite = exponent < MIN_REJECTED_EXPONENT && number.parse::<f64>().is_ok_and(f64::is_finite);
    match (decimals - exponent).cmp(&MAX_DECIMALS) {
        _ if !is_finite => Some("a number beyond the range of a double".to_owned()),
        Ordering::Greater => Some(format!("a number of more than {MAX_DECIMALS} decimals")),
        _ => None,
    }
}
