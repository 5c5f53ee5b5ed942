//! All 2^32 strings of four bytes: validate, repair, convert to UTF-16LE and back, every level against the definition.
//!
//! What this proves, and what it cannot. A kernel judges a byte by the three before it, so that any four bytes are all
//! it can see at once; there is no fifth to be wrong about. Where the four lie matters too: here they lie across the
//! edge of a block (and so of any vector), two bytes on each side, between ASCII; and validation also looks at them
//! within a vector. Other places are left to the library's differential tests, which try every padding with fewer strings.
//!
//! Each string is judged alone. Many in one buffer, with ASCII between, would have the same answer by the definition, but
//! would ask less of the kernels: behind an error the definition itself goes on for a block's length, so that most strings
//! would never meet a kernel. Only the way back from UTF-16 is taken in one buffer, 256 strings at a time: that text is well
//! formed, nothing in it stops a kernel, and each string meets vectors at another place.
//!
//! The level is one for a process, so the cores work as processes, each a part.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a developer")]

use std::env;
use std::error::Error;
use std::process::{Child, Command, ExitCode};
use std::thread::available_parallelism;
use std::time::Instant;

use utf8kit::{Level, Policy, Utf8, Utf16Le, convert_lossy_into, repair_into, validate};

const USAGE: &str = "Usage: exhaustive [--part I/N]   (I from 1 to N)";

/// Strings are taken 256 at a time: those that begin with the same three bytes.
const BEGINNINGS: u64 = 1 << 24;
/// Across the edge of a block of 64 bytes.
const EDGE: (usize, usize) = (62, 68);
/// Within a vector of 16 bytes, and shorter than a block.
const WITHIN: (usize, usize) = (22, 40);
/// All that one string and what is around it become.
const ROOM: usize = 2 * (EDGE.1 + 16);

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

/// A part, on all cores.
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

/// A part, on this core.
fn walk(part: u64, parts: u64) -> Result<(), Box<dyn Error>> {
    let (mut expected, mut found) = (Answers::default(), Answers::default());
    let mut done = 0;
    let total = (BEGINNINGS - part).div_ceil(parts).max(1);
    // Beginnings are shuffled and dealt out, so that parts take the same time and each sees all kinds: an odd factor maps
    // the numbers below a power of two to themselves.
    for card in (part - 1..BEGINNINGS).step_by(parts as usize) {
        let beginning = card * 0x9E_3779 % BEGINNINGS;
        let beginning = [(beginning >> 16) as u8, (beginning >> 8) as u8, beginning as u8];
        for level in Level::available() {
            level.force()?;
            if level == Level::Scalar {
                expected.of(beginning);
                continue;
            }
            found.of(beginning);
            found.back(&expected);
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

/// What became of 256 strings.
#[derive(Default)]
struct Answers {
    /// Where the first error lies, how long it is, and why.
    errors: Vec<Option<utf8kit::Error>>,
    repaired: Vec<u8>,
    utf16: Vec<u8>,
    /// From UTF-16 back: what was repaired.
    back: Vec<u8>,
}

impl Answers {
    fn of(&mut self, beginning: [u8; 3]) {
        self.errors.clear();
        self.repaired.clear();
        self.utf16.clear();
        let (mut edge, mut within) = ([b'a'; EDGE.1], [b'a'; WITHIN.1]);
        let mut out = [0; ROOM];
        edge[EDGE.0..][..3].copy_from_slice(&beginning);
        within[WITHIN.0..][..3].copy_from_slice(&beginning);
        for last in 0..=255 {
            edge[EDGE.0 + 3] = last;
            within[WITHIN.0 + 3] = last;
            self.errors.extend([validate(&edge).err(), validate(&within).err()]);
            let written = repair_into(Utf8, &edge, Policy::REPLACE, &mut out).written;
            self.repaired.extend_from_slice(&out[..written]);
            let written = convert_lossy_into(Utf8, Utf16Le, &edge, Policy::REPLACE, &mut out).written;
            self.utf16.extend_from_slice(&out[..written]);
        }
    }

    /// The definition's UTF-16 back to UTF-8.
    fn back(&mut self, expected: &Answers) {
        self.back.resize(256 * ROOM, 0);
        let progress = convert_lossy_into(Utf16Le, Utf8, &expected.utf16, Policy::REPLACE, &mut self.back);
        self.back.truncate(progress.written);
    }

    fn differs(&self, expected: &Answers) -> Option<&'static str> {
        let all = [
            ("validation", self.errors == expected.errors),
            ("repair", self.repaired == expected.repaired),
            ("UTF-16", self.utf16 == expected.utf16),
            ("UTF-16 and back", self.back == expected.repaired),
        ];
        all.iter().find(|(_, same)| !same).map(|(what, _)| *what)
    }
}
