//! What chardetng is given of a text. It reads each byte in some twenty encodings, 60 ns in all, so it gets no more
//! than what its guess depends on.
//!
//! ```text
//! enough non-ASCII bytes   the lines up to there
//! ASCII between them          its first bytes, and its last word
//! ```
//!
//! Two bytes of ASCII next to each other never count for an encoding or against it (a principle of chardetng's). ASCII
//! matters as the neighbour of other bytes: its first bytes as what follows them, which may be the second byte of a
//! character of East Asia; its last ones as what precedes them. These are the last byte, the case of the last two
//! letters, and, before `º` and `ª`, the beginning of the word: `3º`, `XVIº`, `n.º`. A sign, apart from a full stop,
//! begins a new word whatever was before.

use std::borrow::Cow;

/// How many non-ASCII bytes tell as much as more of them.
const TELLING: usize = 64 * 1024;

/// How many of the first bytes of ASCII are kept: more than the longest character has.
const FIRST: usize = 4;

/// Returns the text up to the end of the line in which there are enough non-ASCII bytes to tell the encoding.
pub(super) fn telling(bytes: &[u8]) -> &[u8] {
    let (mut beyond, mut end) = (0, 0);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        end += line.len();
        beyond += line.iter().filter(|byte| !byte.is_ascii()).count();
        if beyond >= TELLING {
            break;
        }
    }
    bytes.get(..end).unwrap_or(bytes)
}

/// Leaves out the ASCII on which chardetng's guess does not depend.
pub(super) fn condensed(bytes: &[u8]) -> Cow<'_, [u8]> {
    // It starts at the first escape, which changes what ASCII means.
    if bytes.is_ascii() || bytes.contains(&0x1B) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len() / 2);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (ascii, behind) = rest.split_at(ascii_prefix(rest));
        match ascii.split_at_checked(FIRST) {
            Some((first, more)) => {
                out.extend_from_slice(first);
                let begins = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'.';
                let word = more.iter().rposition(begins).unwrap_or_default();
                out.extend_from_slice(more.get(word..).unwrap_or_default());
            }
            None => out.extend_from_slice(ascii),
        }
        let beyond = behind.iter().position(u8::is_ascii).unwrap_or(behind.len());
        out.extend_from_slice(&behind[..beyond]);
        rest = &behind[beyond..];
    }
    Cow::Owned(out)
}

/// Returns the number of bytes of ASCII at the start.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let blocks = bytes.as_chunks::<16>().0.iter().take_while(|block| block.is_ascii()).count() * 16;
    let is_other = |byte: &u8| !byte.is_ascii();
    bytes[blocks..].iter().position(is_other).map_or(bytes.len(), |at| blocks + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::legacy::guess;
    use crate::random::Random;

    #[test]
    fn the_guess_does_not_depend_on_what_is_left_out() {
        const PARTS: [&[u8]; 40] = [
            b" 123",
            b" 3",
            b" XVI",
            b" n.",
            b"n.",
            b" N",
            b" M",
            b" x",
            b"12",
            b"nn.",
            b",N",
            b".",
            b" ",
            b"\n",
            b"I",
            b"i",
            b"plain words of ASCII",
            b"ALL CAPITALS",
            b"MiXeD",
            b"a",
            b"Z",
            b"@",
            b"7",
            b"~",
            b"\x7F",
            b" (c) ",
            b"\xBA",
            b"\xAA",
            b"\xA9",
            b"\xA0",
            b"\xE9",
            b"\xC9",
            b"\x8F",
            b"\x81\x30",
            b"\xB0\xA1",
            b"\xA4\xA2",
            b"\xFF",
            b"\xFE",
            b"\xCF\xF0",
            b"\x93\xFA",
        ];
        let mut random = Random::new(7);
        let (mut shorter, mut guesses) = (0, std::collections::BTreeSet::new());
        for round in 0..20_000 {
            let number = 1 + random.below(12);
            let text: Vec<u8> = (0..number).flat_map(|_| PARTS[random.below(PARTS.len())]).copied().collect();
            let some = condensed(&text);
            let last = round % 2 == 0;
            let guessed = guess(&text, last);
            assert_eq!(guess(&some, last), guessed, "{}", text.escape_ascii());
            shorter += usize::from(some.len() < text.len());
            guesses.insert(guessed.name());
        }
        assert!(shorter > 5_000 && guesses.len() > 10, "{shorter} {guesses:?}");
    }
}
