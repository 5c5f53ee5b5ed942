//! Tests all 2^32 strings of four bytes: validate, repair, convert to UTF-16LE and back, every level against the
//! definition.
//!
//! What this proves, and what it cannot. A kernel judges a byte by the three before it, so any four bytes are all that
//! it can see at once; a fifth cannot matter. The position of the four matters, too. For validation, each string is
//! alone between ASCII: once across the boundary of two blocks (and so of any vectors), two bytes on each side, and
//! once within a vector. Repair and conversion take 256 strings at a time, those that begin with the same three bytes,
//! [`STRIDE`] bytes from one to the next, so that they take turns at all positions of a block: kernels repair and
//! convert windows of a block, with or without errors. The repaired text is well formed, and is converted to UTF-16 and
//! back once more by the kernels for text without errors. Other positions are left to the library's differential tests,
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

use utf8kit::{Level, Policy, Utf8, Utf16Le, convert_into, convert_lossy_into, repair_into, validate};

const USAGE: &str = "Usage: exhaustive [--part I/N]   (I from 1 to N)";

/// Number of groups of 256 strings, which begin with the same three bytes.
const BEGINNINGS: u64 = 1 << 24;
/// Position across the boundary of the second and third block of 64 bytes: the first and the last block are special
/// cases.
const EDGE: (usize, usize) = (126, 192);
/// Position within a vector of 16 bytes, in an input shorter than a block.
const WITHIN: (usize, usize) = (22, 40);
/// Shorter inputs are a special case, on the level of the definition, too.
const DEFINED: usize = 16;
/// Distance from one string to the next: odd, so that all positions of a block occur.
const STRIDE: usize = 5;
/// Room for the conversion of 256 strings and the bytes between them.
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

/// The results for 256 strings.
#[derive(Default)]
struct Answers {
    /// The first error, across a boundary and within a vector.
    errors: Vec<[Option<utf8kit::Error>; 2]>,
    repaired: Text,
    utf16: Text,
    /// The repaired text in UTF-16.
    there: Text,
    /// The UTF-16 converted back.
    back: Text,
}

impl Answers {
    /// With `alone`, without the text before the string, which the definition does not need to determine the error.
    fn of(&mut self, beginning: [u8; 3], alone: bool) {
        let mut all = [b'a'; 256 * STRIDE];
        let mut places = [EDGE, WITHIN].map(|(at, len)| (vec![b'a'; len], at));
        self.errors.clear();
        for last in 0..=255 {
            let [a, b, c] = beginning;
            let string = [a, b, c, last];
            all[usize::from(last) * STRIDE..][..4].copy_from_slice(&string);
            self.errors.push(places.each_mut().map(|(bytes, at)| {
                bytes[*at..*at + 4].copy_from_slice(&string);
                let start = if alone { (bytes.len() - DEFINED).min(*at) } else { 0 };
                validate(&bytes[start..]).err().map(|mut error| {
                    error.offset += start as u64;
                    error
                })
            }));
        }
        filled(&mut self.repaired, |out| repair_into(Utf8, &all, true, Policy::REPLACE, out).written);
        filled(&mut self.utf16, |out| {
            convert_lossy_into(Utf8, Utf16Le, &all, true, Policy::REPLACE, out).written
        });
    }

    /// Converts the definition's repaired text to UTF-16, and its UTF-16 back.
    fn there_and_back(&mut self, expected: &Answers) {
        let Answers { repaired, utf16, .. } = expected;
        filled(&mut self.there, |out| convert_into(Utf8, Utf16Le, repaired, true, out).written);
        filled(&mut self.back, |out| convert_into(Utf16Le, Utf8, utf16, true, out).written);
    }

    fn differs(&self, expected: &Answers) -> Option<&'static str> {
        let all = [
            ("validation", self.errors == expected.errors),
            ("repair", *self.repaired == *expected.repaired),
            ("UTF-16", *self.utf16 == *expected.utf16),
            ("what is well formed as UTF-16", *self.there == *expected.utf16),
            ("UTF-16 and back", *self.back == *expected.repaired),
        ];
        all.iter().find(|(_, same)| !same).map(|(what, _)| *what)
    }
}

/// Fills a buffer from the start.
fn filled(out: &mut Text, write: impl FnOnce(&mut [u8]) -> usize) {
    out.buffer.resize(BUFFER, 0);
    out.len = write(&mut out.buffer);
}
