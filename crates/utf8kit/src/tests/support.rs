//! Shared parts of the tests: levels, deterministic random numbers, and texts and strings that are hard.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::oracle;
use crate::{AnyEncoding, Level, TextCounts};

/// Returns the seven dialects of UTF-8.
pub(super) fn dialects() -> impl Iterator<Item = AnyEncoding> {
    AnyEncoding::ALL.iter().copied().filter(|encoding| encoding.is_dialect())
}

/// Runs `check` on every level of this machine, or on the one in `UTF8KIT_LEVEL`, which must exist. So an emulator only
/// tests the level that it is for, and a missing level is not ignored. The level applies to the whole process, so only
/// one test runs at a time.
pub(super) fn on_every_level(check: impl Fn(Level)) {
    let _turn = turn();
    for level in levels() {
        level.force().unwrap();
        check(level);
    }
}

/// Runs `check` on one level.
#[cfg(feature = "std")]
pub(super) fn on_level<R>(level: Level, check: impl FnOnce() -> R) -> R {
    let _turn = turn();
    level.force().unwrap();
    check()
}

/// Returns the levels that tests run on.
pub(super) fn levels() -> Vec<Level> {
    match std::env::var("UTF8KIT_LEVEL") {
        Ok(name) => std::vec![name.parse().unwrap()],
        Err(_) => Level::available().collect(),
    }
}

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `check` on each of them, in its own thread if there are threads.
pub(super) fn each_in_a_thread<T: Send>(all: impl Iterator<Item = T>, check: impl Fn(T) + Sync) {
    if cfg!(target_family = "wasm") {
        return all.for_each(check);
    }
    std::thread::scope(|scope| {
        for one in all {
            let check = &check;
            scope.spawn(move || check(one));
        }
    });
}

/// SplitMix64: the same numbers in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Bytes at which the rules of some dialect change, and one of each kind in between.
pub(super) const EDGES: &[u8] = &[
    0x00, 0x0A, 0x2F, 0x41, 0x5C, 0x78, 0x7F, 0x80, 0x83, 0x84, 0x87, 0x88, 0x8F, 0x90, 0x9D, 0x9E, 0x9F, 0xA0, 0xAF,
    0xB0, 0xBD, 0xBE, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
    0xF7, 0xF8, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF,
];

/// Code points of some languages, as ranges. ASCII spaces and line feeds are added between them.
const LANGUAGES: &[&[(u32, u32)]] = &[
    &[(0x61, 0x7A)],                                               // English
    &[(0x61, 0x7A), (0x61, 0x7A), (0x61, 0x7A), (0x00, 0x7F)],     // ASCII with NULs
    &[(0x61, 0x7A), (0x61, 0x7A), (0xC0, 0xFF)],                   // Latin with accents
    &[(0x410, 0x44F)],                                             // Cyrillic
    &[(0x391, 0x3C9)],                                             // Greek
    &[(0x620, 0x64A)],                                             // Arabic
    &[(0x905, 0x939)],                                             // Devanagari
    &[(0xE01, 0xE3A)],                                             // Thai
    &[(0x4E00, 0x9FFF), (0x3001, 0x3002)],                         // Chinese
    &[(0xAC00, 0xD7A3)],                                           // Korean
    &[(0x1F600, 0x1F64F), (0x1F300, 0x1F5FF)],                     // emoji
    &[(0x7E, 0x81), (0x7FE, 0x801), (0xFFFE, 0x1_0001)],           // where lengths change
    &[(0xD7FE, 0xD7FF), (0xE000, 0xE001), (0x10_FFFE, 0x10_FFFF)], // where values end
];

/// Returns about `len` code points of text, in parts of one language each.
pub(super) fn text(random: &mut Random, len: usize) -> Vec<u32> {
    let mut values = Vec::new();
    while values.len() < len {
        let language = random.of(LANGUAGES);
        for _ in 0..random.below(100) {
            let (low, high) = random.of(language);
            values.push(match random.below(8) {
                0 => u32::from(random.of(b" \n\r\\x")),
                _ => low + random.below((high - low + 1) as usize) as u32,
            });
        }
    }
    values
}

/// Returns text in an encoding, without characters that it lacks.
pub(super) fn encoded_text(random: &mut Random, encoding: AnyEncoding, len: usize) -> Vec<u8> {
    text(random, len).iter().filter_map(|&value| oracle::write(encoding, value).ok()).flatten().collect()
}

/// Returns text with `wounds` bytes changed, removed or inserted, and edge values inserted as raw bytes.
pub(super) fn broken_text(random: &mut Random, encoding: AnyEncoding, len: usize, wounds: usize) -> Vec<u8> {
    let mut bytes = encoded_text(random, encoding, len);
    for _ in 0..wounds {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(4)).min(bytes.len());
        let put: &[u8] = match random.below(4) {
            0 => &[],
            1 => &[random.of(EDGES), random.of(EDGES)],
            2 => &[random.byte()],
            _ => random.of(HARD),
        };
        bytes.splice(at..end, put.iter().copied());
    }
    bytes
}

/// Strings with edge cases: complete, incomplete, too long, too large, halves, and pairs in some dialect.
pub(super) const HARD: &[&[u8]] = &[
    b"\x00", b"\x7F", b"\x80", b"\xBF\xBF", b"\xC0\x80", b"\xC0\xAF", b"\xC1\xBF", b"\xC2", b"\xC2\x80",
    b"\xC3\xC3\x80\x80", b"\xDF\xBF", b"\xDF\xBF\x80", b"\xE0\x80\x80", b"\xE0\x9F\xBF", b"\xE0\xA0", b"\xE0\xA0\x80",
    b"\xE2\x82", b"\xE2\x82\xAC", b"\xEC\xBD\xBF", b"\xEC\xBE\x80", b"\xED\x9D\xBF", b"\xED\x9E\x80", b"\xED\x9F\xBF",
    b"\xED\xA0", b"\xED\xA0\x80", b"\xED\xBF\xBF", b"\xED\xA0\x80\xED", b"\xED\xA0\x80\xED\xB0",
    b"\xED\xA0\x80\xED\xA0\x80", b"\xED\xA0\xBD\xED\xB8\x80", b"\xED\xAF\xBF\xED\xBF\xBF", b"\xED\xB0\x80\xED\xA0\x80",
    b"\xED\xA0\x80\x80\xED\xB0\x80", b"\xEE\x80\x80", b"\xEF\xBF\xBD", b"\xF0\x80\x80\x80", b"\xF0\x8F\xBF\xBF",
    b"\xF0\x90\x80", b"\xF0\x9F\x98\x80", b"\xF0\x9F\x98", b"\xF0\x9F\x98\x80\x80", b"\xF3\xBF\x9D\xBF",
    b"\xF3\xBF\x9E\x80", b"\xF4\x8F\xBF\xBF", b"\xF4\x90\x80\x80", b"\xF5\x80\x80\x80", b"\xF7\xBF\xBF\xBF",
    b"\xF8\x87\xBF\xBF\xBF", b"\xF8\x88\x80\x80\x80", b"\xF8\x88\x80\x80", b"\xFB\xBF\xBF\xBF\xBF",
    b"\xFC\x83\xBF\xBF\xBF\xBF", b"\xFC\x84\x80\x80\x80\x80", b"\xFD\xBF\xBF\xBF\xBF", b"\xFD\xBF\xBF\xBF\xBF\xBF",
    b"\xFE", b"\xFF\xFF", b"\\", b"\\x41", b"\\xFF\\", b"\r\n",
];

/// Counts a text by the standard library.
pub(super) fn counts_of(text: &str) -> TextCounts {
    TextCounts {
        ascii: text.bytes().filter(u8::is_ascii).count(),
        code_points: text.chars().count(),
        utf16_len: text.encode_utf16().count(),
    }
}
