//! The oddness of a text of one byte a character: what stands beside what is counted once, for all encodings that it
//! may be in.

use crate::alphabets::is_sign;
use crate::oddness::{Character, oddity};

/// Three characters after each other, of which the one in the middle is non-ASCII, and how often they occur.
pub(super) struct Triples {
    /// Their bytes, each plus one; zero before the start and behind the end.
    counted: Vec<([u16; 3], u32)>,
    beyond: u32,
}

/// How odd a sign within a word is.
const WITHIN: f64 = 2.0;

/// From so many on, they are counted in a table, and sorted below.
const MANY: usize = 2048;

impl Triples {
    /// Counts those of a text in an encoding that has a byte for each character.
    pub(super) fn of(bytes: &[u8]) -> Triples {
        let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).map_or(0, |byte| u16::from(*byte) + 1);
        let beyond = (0..bytes.len()).filter(|at| !bytes[*at].is_ascii());
        let all = beyond.map(|at| [byte(at.checked_sub(1)), byte(Some(at)), byte(Some(at + 1))]);
        if bytes.len() >= MANY {
            return Triples::in_table(all);
        }
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        let counted = all.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u32));
        Triples { counted: counted.collect(), beyond: all.len() as u32 }
    }

    /// Counts them in a hash table with open addressing.
    fn in_table(all: impl Iterator<Item = [u16; 3]>) -> Triples {
        let (mut table, mut used, mut beyond) = (vec![([0_u16; 3], 0_u32); MANY], 0, 0);
        let slot = |table: &[([u16; 3], u32)], triple: [u16; 3]| {
            let key = triple.iter().fold(0, |key, part| key << 9 | u32::from(*part));
            let mut at = key.wrapping_mul(0x9E37_79B1) as usize >> (32 - table.len().trailing_zeros());
            while table[at].1 > 0 && table[at].0 != triple {
                at = (at + 1) % table.len();
            }
            at
        };
        for triple in all {
            beyond += 1;
            let at = slot(&table, triple);
            used += usize::from(table[at].1 == 0);
            table[at] = (triple, table[at].1 + 1);
            if used * 2 > table.len() {
                let known = std::mem::take(&mut table);
                table.resize(known.len() * 2, ([0; 3], 0));
                for (triple, count) in known.into_iter().filter(|(_, count)| *count > 0) {
                    let at = slot(&table, triple);
                    table[at] = (triple, count);
                }
            }
        }
        table.retain(|(_, count)| *count > 0);
        Triples { counted: table, beyond }
    }

    /// Returns how many of them are different.
    pub(super) fn different(&self) -> u64 {
        self.counted.len() as u64
    }

    /// Reports whether one of them is a sign between letters, where none is written. Quotation marks and other
    /// punctuation are, before suffixes.
    pub(super) fn has_sign_within(&self, signs: &[Option<Character>; 256]) -> bool {
        let at = |byte: u16| byte.checked_sub(1).and_then(|byte| signs[usize::from(byte)]);
        let is_letter = |sign: Option<Character>| sign.is_some_and(|sign| sign.is_alphabetic);
        self.counted.iter().any(|(bytes, _)| {
            let [before, sign, after] = bytes.map(at);
            let is_other = |c| matches!(c, '‘'..='‟' | '‹' | '›' | '«' | '»' | '،' | '؛' | '؟');
            let Some(sign) = sign.filter(|sign| !sign.is_alphabetic || is_sign(sign.c)) else { return false };
            !is_other(sign.c)
                && is_letter(before)
                && is_letter(after)
                && oddity(before, sign, after) >= WITHIN
        })
    }

    /// Returns the oddness of the text that these characters make of it, each at its byte.
    pub(super) fn oddness(&self, signs: &[Option<Character>; 256]) -> f64 {
        let at = |byte: u16| byte.checked_sub(1).and_then(|byte| signs[usize::from(byte)]);
        let odd = self.counted.iter().map(|(bytes, count)| {
            let [before, sign, after] = bytes.map(at);
            sign.map_or(0.0, |sign| oddity(before, sign, after)) * f64::from(*count)
        });
        odd.sum::<f64>() / f64::from(self.beyond.max(1))
    }
}
