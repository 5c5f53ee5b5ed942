//! Tests all 2^32 strings of four bytes: validate, repair, convert to UTF-16LE, UTF-32LE and Latin-1, every level
//! against the reference implementation. The same four bytes are two units of UTF-16LE, one of UTF-32LE and four of
//! Latin-1, so all of those are also converted to UTF-8.
//!
//! What this proves and what it cannot: a kernel classifies a byte by the three before it, so it sees only four bytes
//! at once, and a fifth cannot matter. The position of the four also matters. For validation, each string is alone
//! between ASCII: twice across the boundary of two blocks or vectors, two bytes on each side, and once within a vector.
//! Repair and conversion take 256 strings at a time, those that begin with the same three bytes, [`STRIDE`] bytes from
//! one to the next, so that they occur at all positions of a block: kernels repair and convert windows of a block, with
//! or without errors. The repaired text is well formed, and is converted to UTF-16 and back once more by the kernels
//! for text without errors. The paths of short inputs get each string alone within 40 bytes of ASCII: validation, and
//! conversion to UTF-16, to Latin-1 and from UTF-16. Other positions are left to the library's differential tests,
//! which try every padding with fewer strings.
//!
//! The level applies to the whole process, so each core runs a process for a part.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

use std::env;
use std::error::Error;
use std::ops::Deref;
use std::process::{Child, Command, ExitCode};
use std::thread::available_parallelism;
use std::time::Instant;

use utf8kit::{
    Encoding, Latin1, Level, Piece, Policy, Progress, Utf8, Utf16Le, Utf32Le, convert_into, convert_lossy_into,
    validate,
};

const USAGE: &str = "Usage: exhaustive [--part I/N]   (I from 1 to N)";

/// Number of groups of 256 strings, which begin with the same three bytes.
const BEGINNINGS: u64 = 1 << 24;
/// The position of each string in validation, and the total number of bytes.
const PLACES: [(usize, usize); 3] = [WITHIN, (126, LONG), (158, LONG)];
/// Within a vector of 16 bytes, in an input shorter than a block.
const WITHIN: (usize, usize) = (22, 40);
/// This many bytes are validated by blocks. These begin after a whole block or after the first vector, of 16 or 32
/// bytes, so one of the two positions crosses a block boundary. If vectors have 16 bytes, both cross a vector boundary
/// instead. The first and the last block are special cases.
const LONG: usize = 320;
/// Shorter inputs are a special case, also on the scalar level.
const DEFINED: usize = 16;
/// Distance from one string of bytes to the next: odd, so that all positions of a block occur.
const STRIDE: usize = 5;
/// Capacity for the conversion of 256 strings and the bytes between them.
const BUFFER: usize = 256 * 2 * (STRIDE + 12);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] => all(1, 1),
        ["--part", part] => part_of(part).and_then(|(part, parts)| all(part, parts)),
        ["walk", part] => part_of(part).and_then(|(part, parts)| walk(part, parts)),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn part_of(text: &str) -> Result<(u64, u64), Box<dyn Error>> {
    let (part, parts) = text.split_once('/').ok_or(USAGE)?;
    let (part, parts) = (part.parse()?, parts.parse()?);
    if part == 0 || part > parts { Err(USAGE.into()) } else { Ok((part, parts)) }
}

/// Tests a part, on all cores.
fn all(part: u64, parts: u64) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let cores = available_parallelism()?.get() as u64;
    let walk = |core| {
        let part = format!("{}/{}", (part - 1) * cores + core + 1, parts * cores);
        Command::new(env::current_exe()?).args(["walk", &part]).spawn()
    };
    let children: Vec<Child> = (0..cores).map(walk).collect::<Result<_, _>>()?;
    let mut same = true;
    for mut child in children {
        same &= child.wait()?.success();
    }
    let levels: Vec<&str> = Level::available().map(Level::name).collect();
    let seconds = start.elapsed().as_secs();
    println!("part {part}/{parts}, levels {}, {seconds} s on {cores} cores", levels.join(" "));
    if same { Ok(()) } else { Err("levels differ".into()) }
}

/// Tests a part, on this core.
fn walk(part: u64, parts: u64) -> Result<(), Box<dyn Error>> {
    let (mut expected, mut found) = (Answers::default(), Answers::default());
    let mut done = 0;
    let total = (BEGINNINGS - part).div_ceil(parts).max(1);
    // Beginnings are shuffled and distributed, so that parts take the same time and each gets all kinds: an odd factor
    // permutes the numbers below a power of two.
    for card in (part - 1..BEGINNINGS).step_by(parts as usize) {
        let beginning = card * 0x9E_3779 % BEGINNINGS;
        let beginning = [(beginning >> 16) as u8, (beginning >> 8) as u8, beginning as u8];
        for level in Level::available() {
            level.force()?;
            if level == Level::Scalar {
                expected.of(beginning, true);
                continue;
            }
            found.of(beginning, false);
            found.there_and_back(&expected);
            if let Some(what) = found.differs(&expected) {
                return Err(format!("{level}: {what} of a string that begins with {beginning:02X?}").into());
            }
        }
        done += 1;
        if done % (total / 20).max(1) == 0 {
            eprintln!("part {part}/{parts}: {} %", done * 100 / total);
        }
    }
    Ok(())
}

/// A reused buffer.
#[derive(Default)]
struct Text {
    buffer: Vec<u8>,
    len: usize,
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

/// A conversion into a buffer.
type Way = fn(&[u8], &mut [u8]) -> Progress;

/// An operation on 256 strings at a time: its name, the distance from one string to the next, and the function.
const TOGETHER: &[(&str, usize, Way)] = &[
    ("repair", STRIDE, |bytes, out| Utf8.repair_into(bytes, Piece::Last, Policy::REPLACE, out)),
    ("UTF-8 to UTF-16", STRIDE, |bytes, out| lossy(Utf8, Utf16Le, bytes, out)),
    ("UTF-8 to UTF-32", STRIDE, |bytes, out| lossy(Utf8, Utf32Le, bytes, out)),
    ("UTF-8 to Latin-1", STRIDE, |bytes, out| lossy(Utf8, Latin1, bytes, out)),
    ("Latin-1 to UTF-8", STRIDE, |bytes, out| lossy(Latin1, Utf8, bytes, out)),
    ("UTF-16 to UTF-8", 6, |bytes, out| lossy(Utf16Le, Utf8, bytes, out)),
    ("UTF-32 to UTF-8", 4, |bytes, out| lossy(Utf32Le, Utf8, bytes, out)),
];
/// The first two of them.
const REPAIRED: usize = 0;
const UTF_16: usize = 1;

/// An operation on each string between ASCII, as a short input.
const ALONE: &[(&str, Way)] = &[
    ("a short input to UTF-16", |bytes, out| convert_into(Utf8, Utf16Le, bytes, Piece::Last, out)),
    ("a short input to Latin-1", |bytes, out| convert_into(Utf8, Latin1, bytes, Piece::Last, out)),
    ("a short input from UTF-16", |bytes, out| convert_into(Utf16Le, Utf8, bytes, Piece::Last, out)),
];

fn lossy<S: Encoding<Unit = u8>, T: Encoding<Unit = u8>>(from: S, to: T, bytes: &[u8], out: &mut [u8]) -> Progress {
    convert_lossy_into(from, to, bytes, Piece::Last, Policy::REPLACE, out)
}

/// The results for 256 strings.
#[derive(Default)]
struct Answers {
    /// The first error, by [`PLACES`].
    errors: Vec<[Option<utf8kit::Error>; PLACES.len()]>,
    /// The results for all strings together, by [`TOGETHER`].
    together: [Text; TOGETHER.len()],
    /// The results for each string, one after another, with the reason for its end, by [`ALONE`].
    alone: [(Vec<u8>, Vec<Progress>); ALONE.len()],
    /// The repaired text in UTF-16.
    there: Text,
    /// The UTF-16 converted back.
    back: Text,
}

impl Answers {
    /// With `alone`, without the text before the string, which the reference implementation does not need to determine
    /// the error.
    fn of(&mut self, [a, b, c]: [u8; 3], alone: bool) {
        let mut places = PLACES.map(|(at, len)| (vec![b'a'; len], at));
        self.errors.clear();
        self.alone.iter_mut().for_each(|(bytes, ends)| {
            bytes.clear();
            ends.clear();
        });
        for last in 0..=255 {
            let string = [a, b, c, last];
            self.errors.push(places.each_mut().map(|(bytes, at)| {
                bytes[*at..*at + 4].copy_from_slice(&string);
                let start = if alone { (bytes.len() - DEFINED).min(*at) } else { 0 };
                validate(&bytes[start..]).err().map(|mut error| {
                    error.offset += start as u64;
                    error
                })
            }));
            for ((_, way), (bytes, ends)) in ALONE.iter().zip(&mut self.alone) {
                let mut out = [0; 4 * WITHIN.1];
                let end = way(&places[0].0, &mut out);
                bytes.extend_from_slice(&out[..end.written]);
                ends.push(end);
            }
        }
        for ((_, stride, way), out) in TOGETHER.iter().zip(&mut self.together) {
            let mut all = [b'a'; 256 * 6];
            for (last, place) in (0..=255).zip(all.chunks_exact_mut(*stride)) {
                place[..4].copy_from_slice(&[a, b, c, last]);
            }
            filled(out, |out| way(&all[..256 * stride], out).written);
        }
    }

    /// Converts the repaired text of the reference implementation to UTF-16, and its UTF-16 back.
    fn there_and_back(&mut self, expected: &Answers) {
        let (repaired, utf16) = (&expected.together[REPAIRED], &expected.together[UTF_16]);
        filled(&mut self.there, |out| convert_into(Utf8, Utf16Le, repaired, Piece::Last, out).written);
        filled(&mut self.back, |out| convert_into(Utf16Le, Utf8, utf16, Piece::Last, out).written);
    }

    fn differs(&self, expected: &Answers) -> Option<&'static str> {
        let whole = [
            ("validation", self.errors == expected.errors),
            ("what is well formed as UTF-16", *self.there == *expected.together[UTF_16]),
            ("UTF-16 and back", *self.back == *expected.together[REPAIRED]),
        ];
        let together = (0..TOGETHER.len()).map(|i| (TOGETHER[i].0, *self.together[i] == *expected.together[i]));
        let alone = (0..ALONE.len()).map(|i| (ALONE[i].0, self.alone[i] == expected.alone[i]));
        whole.into_iter().chain(together).chain(alone).find(|(_, same)| !same).map(|(what, _)| what)
    }
}

/// Fills a buffer from the start.
fn filled(out: &mut Text, write: impl FnOnce(&mut [u8]) -> usize) {
    out.buffer.resize(BUFFER, 0);
    out.len = write(&mut out.buffer);
}
