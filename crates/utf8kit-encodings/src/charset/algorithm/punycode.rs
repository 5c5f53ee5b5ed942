//! Punycode (RFC 3492), one label on each line: the ASCII characters, a hyphen, and the others as numbers that encode
//! position and code point. A label is read and written when its line ends.

const BASE: u32 = 36;
const LEAST: u32 = 1;
const MOST: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST: u32 = 0x80;

/// Returns the bias after a number.
fn adapted(number: u32, count: u32, is_first: bool) -> u32 {
    let mut number = if is_first { number / DAMP } else { number / 2 };
    number += number / count.max(1);
    let mut bias = 0;
    while number > (BASE - LEAST) * MOST / 2 {
        number /= BASE - LEAST;
        bias += BASE;
    }
    bias + (BASE - LEAST + 1) * number / (number + SKEW)
}

/// Returns the threshold of a digit.
fn threshold(place: u32, bias: u32) -> u32 {
    place.saturating_sub(bias).clamp(LEAST, MOST)
}

/// Decodes a label; `None` if it is not one.
fn decoded(label: &[u8]) -> Option<String> {
    let end = memchr::memrchr(b'-', label);
    let basic = label.get(..end.unwrap_or(0))?;
    let mut digits = label.get(end.map_or(0, |end| end + 1)..)?.iter();
    let mut text: Vec<char> =
        basic.iter().map(|byte| byte.is_ascii().then_some(char::from(*byte))).collect::<Option<_>>()?;
    let (mut scalar, mut at, mut bias) = (FIRST, 0_u32, FIRST_BIAS);
    while !digits.as_slice().is_empty() {
        let (before, mut weight, mut place) = (at, 1_u32, BASE);
        loop {
            let digit = match *digits.next()? {
                byte @ b'0'..=b'9' => u32::from(byte - b'0') + 26,
                byte => u32::from(byte.to_ascii_lowercase().checked_sub(b'a').filter(|digit| *digit < 26)?),
            };
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold(place, bias);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            place += BASE;
        }
        let count = u32::try_from(text.len()).ok()? + 1;
        bias = adapted(at - before, count, before == 0);
        scalar = scalar.checked_add(at / count)?;
        at %= count;
        text.insert(at as usize, char::from_u32(scalar)?);
        at += 1;
    }
    Some(text.into_iter().collect())
}

/// Appends the bytes of a label.
fn encode(label: &str, out: &mut Vec<u8>) {
    let scalars: Vec<u32> = label.chars().map(u32::from).collect();
    let start = out.len();
    out.extend(label.bytes().filter(u8::is_ascii));
    let basic = (out.len() - start) as u32;
    if basic > 0 {
        out.push(b'-');
    }
    let (mut done, mut last, mut number, mut bias) = (basic, FIRST, 0_u32, FIRST_BIAS);
    while let Some(&next) = scalars.iter().filter(|scalar| **scalar >= last).min() {
        number = number.wrapping_add((next - last).wrapping_mul(done + 1));
        for &scalar in &scalars {
            number = number.wrapping_add(u32::from(scalar < next));
            if scalar != next {
                continue;
            }
            let (mut rest, mut place) = (number, BASE);
            loop {
                let threshold = threshold(place, bias);
                let digit = match rest < threshold {
                    true => rest,
                    false => threshold + (rest - threshold) % (BASE - threshold),
                };
                out.push(if digit < 26 { b'a' + digit as u8 } else { b'0' + (digit - 26) as u8 });
                if rest < threshold {
                    break;
                }
                rest = (rest - threshold) / (BASE - threshold);
                place += BASE;
            }
            bias = adapted(number, done + 1, done == basic);
            number = 0;
            done += 1;
        }
        number = number.wrapping_add(1);
        last = next + 1;
    }
}

fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Decodes a stream.
#[derive(Default)]
pub(crate) struct Decoder {
    label: Vec<u8>,
}

impl Decoder {
    pub(crate) fn push(&mut self, input: &[u8], last: bool, text: &mut String) -> (usize, Option<(usize, usize)>) {
        for (at, &byte) in input.iter().enumerate() {
            if !ends_line(byte) {
                self.label.push(byte);
                continue;
            }
            if let Some(malformed) = self.end(text) {
                return (at, Some((malformed, 0)));
            }
            text.push(char::from(byte));
        }
        let malformed = if last { self.end(text) } else { None };
        (input.len(), malformed.map(|len| (len, 0)))
    }

    /// Ends a label, and returns its length if it is malformed.
    fn end(&mut self, text: &mut String) -> Option<usize> {
        let label = std::mem::take(&mut self.label);
        match decoded(&label) {
            Some(decoded) => {
                text.push_str(&decoded);
                None
            }
            None => Some(label.len()),
        }
    }
}

/// Encodes a stream.
#[derive(Default)]
pub(crate) struct Encoder {
    label: String,
}

impl Encoder {
    pub(crate) fn push(&mut self, text: &str, last: bool, out: &mut Vec<u8>) {
        for c in text.chars() {
            if u8::try_from(c).is_ok_and(ends_line) {
                encode(&std::mem::take(&mut self.label), out);
                out.push(c as u8);
            } else {
                self.label.push(c);
            }
        }
        if last {
            encode(&std::mem::take(&mut self.label), out);
        }
    }
}
