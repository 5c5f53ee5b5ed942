//! The characters of a text, counted: from the counts of its bytes or codes where that is possible, which takes
//! a fraction of the time that it takes to decode it.

use crate::charset::{Codec, Legacy};
use crate::detect::languages::counted;
use crate::detect::legacy::single_byte::SingleByte;

/// From so many bytes on, it takes less time to count codes than to decode them.
const LONG: usize = 16 * 1024;

/// What a text has non-ASCII.
#[derive(Debug, Default, PartialEq)]
pub(in crate::detect) struct Tally {
    /// The characters, and how often each occurs. One may be listed several times.
    pub(in crate::detect) characters: Vec<(char, usize)>,
    /// The number of lines with such characters, and of those with one only.
    pub(in crate::detect) lines: usize,
    pub(in crate::detect) short: usize,
}

impl Tally {
    /// Counts the characters of a text in some encoding; `None` if it is malformed.
    pub(in crate::detect) fn of(codec: Codec, bytes: &[u8]) -> Option<Tally> {
        if let Some(encoding) = SingleByte::of(codec) {
            let lines = bytes.split(|&byte| byte == b'\n');
            let numbers = lines.map(|line| line.iter().filter(|byte| !byte.is_ascii()).count());
            let characters = encoding.beyond_ascii(bytes)?;
            let characters = characters.into_iter().map(|(c, count)| (c, count as usize)).collect();
            return Some(Tally { characters, ..Tally::of_lines(numbers) });
        }
        if let Codec::Legacy(legacy) = codec
            && bytes.len() >= LONG
            && let Some(tally) = Tally::of_codes(legacy, bytes)
        {
            return Some(tally);
        }
        let text = codec.text_of(bytes)?;
        let numbers = text.lines().map(|line| line.bytes().filter(|&lead| lead >= 0xC0).count());
        Some(Tally { characters: counted(&text), ..Tally::of_lines(numbers) })
    }

    /// Counts lines, given how many non-ASCII characters each of them has.
    fn of_lines(numbers: impl Iterator<Item = usize>) -> Tally {
        let mut tally = Tally::default();
        numbers.for_each(|number| tally.add_line(number));
        tally
    }

    /// Counts the codes of an encoding of East Asia. `None` if it is another one, if a byte belongs to no code, and if
    /// a code is two characters.
    fn of_codes(legacy: Legacy, bytes: &[u8]) -> Option<Tally> {
        let len_of = lengths(legacy)?;
        let (mut pairs, mut number) = (vec![0_u32; 0x1_0000], 0);
        // Longer and shorter codes, each with a line end, as pairs are below.
        let (mut list, mut counts) = (Vec::new(), Vec::new());
        let mut tally = Tally::default();
        let mut rest = bytes;
        while let [lead, behind @ ..] = rest {
            if lead.is_ascii() {
                if *lead == b'\n' {
                    tally.add_line(number);
                    number = 0;
                }
                rest = behind;
                continue;
            }
            let trail = behind.first().copied().unwrap_or_default();
            let (code, behind) = rest.split_at_checked(len_of(*lead, trail))?;
            match code {
                [] => return None,
                [lead, trail] => pairs[usize::from(u16::from_be_bytes([*lead, *trail]))] += 1,
                _ => {
                    list.extend_from_slice(code);
                    list.push(b'\n');
                    counts.push(1);
                }
            }
            (rest, number) = (behind, number + 1);
        }
        tally.add_line(number);
        for (pair, count) in (0..=u16::MAX).zip(pairs).filter(|(_, count)| *count > 0) {
            list.extend(pair.to_be_bytes());
            list.push(b'\n');
            counts.push(count);
        }
        for (line, count) in legacy.text_of(&list)?.lines().zip(counts) {
            let mut characters = line.chars();
            tally.characters.push((characters.next()?, count as usize));
            if characters.next().is_some() {
                return None;
            }
        }
        Some(tally)
    }

    fn add_line(&mut self, number: usize) {
        self.lines += usize::from(number > 0);
        self.short += usize::from(number == 1);
    }
}

/// Returns the length of a code, given its first two bytes, in one of the encodings of East Asia. 0 if they begin none.
fn lengths(legacy: Legacy) -> Option<fn(u8, u8) -> usize> {
    Some(match legacy.name() {
        "EUC-KR" | "Big5" => |lead, _| if matches!(lead, 0x81..=0xFE) { 2 } else { 0 },
        "EUC-JP" => |lead, _| match lead {
            0x8F => 3,
            0x8E | 0xA1..=0xFE => 2,
            _ => 0,
        },
        "Shift_JIS" => |lead, _| match lead {
            0x81..=0x9F | 0xE0..=0xFC => 2,
            0x80 | 0xA1..=0xDF => 1,
            _ => 0,
        },
        "gb18030" => |lead, trail| match lead {
            0x80 => 1,
            0x81..=0xFE if trail.is_ascii_digit() => 4,
            0x81..=0xFE => 2,
            _ => 0,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::legacy::double_byte::ENCODINGS;
    use crate::detect::legacy::single_byte::SINGLE;
    use crate::random::Random;

    /// Adds up what is listed several times.
    fn merged(mut tally: Tally) -> Tally {
        tally.characters.sort_unstable();
        let same = tally.characters.chunk_by(|one, other| one.0 == other.0);
        let merged = same.map(|same| (same[0].0, same.iter().map(|one| one.1).sum()));
        tally.characters = merged.collect();
        tally
    }

    /// Counts the characters of a text.
    fn counted(text: &str) -> Tally {
        let numbers = text.split('\n').map(|line| line.chars().filter(|c| !c.is_ascii()).count());
        let characters = text.chars().filter(|c| !c.is_ascii()).map(|c| (c, 1)).collect();
        merged(Tally { characters, ..Tally::of_lines(numbers) })
    }

    #[test]
    fn codes_are_the_characters_of_the_text() {
        // Of one, two, three and four bytes, and a pair that is two characters.
        const OTHERS: [&[u8]; 6] =
            [b"\xB1", b"\x80", b"\x8E\xB1", b"\x8F\xB0\xA1", b"\x81\x30\x81\x30", b"\x88\x62"];
        let mut random = Random::new(11);
        let (mut whole, mut by_codes) = (0, 0);
        for (name, _) in
            ENCODINGS.into_iter().chain([SINGLE[0], SINGLE[9]].map(|name| (name, ENCODINGS[0].1)))
        {
            let legacy = Legacy::labelled(name).expect("a label");
            for round in 0..400 {
                let mut bytes = Vec::new();
                for _ in 0..random.below(12) {
                    match random.below(8) {
                        0 => bytes.push(b'\n'),
                        1 => bytes.push(random.below(128) as u8),
                        // Bytes that rarely belong together.
                        2 if round % 4 == 0 => bytes.push(128 + random.below(128) as u8),
                        2 if round % 4 == 1 => bytes.extend(random.pick(&OTHERS)),
                        // A character that the encoding has.
                        _ => {
                            let c = char::from_u32(0x3041 + random.below(0x6000) as u32).unwrap_or('a');
                            bytes.extend(legacy.bytes_of(c).unwrap_or_default());
                        }
                    }
                }
                let text = legacy.text_of(&bytes);
                let text = text.as_deref().map(counted);
                let tally = Tally::of(Codec::Legacy(legacy), &bytes).map(merged);
                assert_eq!(tally, text, "{name} {}", bytes.escape_ascii());
                whole += usize::from(text.is_some());
                if let Some(tally) = Tally::of_codes(legacy, &bytes) {
                    by_codes += 1;
                    assert_eq!(Some(merged(tally)), text, "{name} {}", bytes.escape_ascii());
                }
            }
        }
        assert!(whole > 1000 && by_codes > 500, "{whole} {by_codes}");
    }
}
