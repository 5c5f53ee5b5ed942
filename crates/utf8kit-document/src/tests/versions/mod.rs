//! Tests with two versions of files of many kinds: how much of the damage is reported and restored, and how much is
//! silently wrong. Simple pairs have one damage and one edit. Hard ones have moved and edited lines, two damages in one
//! file, mixed encodings, character references, one damaged letter, long lines and Windows line ends, and repairs that
//! were right.

mod cases;
mod corpus;
mod edits;
mod tools;

use std::fmt;

use crate::compare;
use cases::Case;
use utf8kit_testing::Random;

/// The results of pairs.
#[derive(Debug, Default)]
struct Tally {
    damaged: usize,
    reported: usize,
    /// Damaged pairs in which nothing was destroyed.
    restorable: usize,
    restored: usize,
    /// Neither restored nor doubtful.
    silent: usize,
    clean: usize,
    /// Clean pairs that are reported as damaged.
    alarms: usize,
    /// Clean pairs with doubtful places.
    doubts: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case) {
        let comparison = compare(&case.old, &case.new);
        let restored = comparison.restore(&case.old, &case.new, &comparison.damage);
        let is_doubtful = comparison.damage.iter().any(|damage| damage.doubtful);
        let is_certain = comparison.damage.iter().any(|damage| !damage.doubtful);
        let is_right = restored == case.edited;
        let mut faults = Vec::new();
        let mut count = |is: bool, number: &mut usize, fault: &'static str| {
            *number += usize::from(is);
            faults.extend(Some(fault).filter(|fault| is && !fault.is_empty()));
        };
        if case.is_damaged {
            self.damaged += 1;
            count(is_doubtful || is_certain, &mut self.reported, "");
            count(!case.is_destroyed, &mut self.restorable, "");
            count(!case.is_destroyed && is_right, &mut self.restored, "");
            count(!is_right && !is_doubtful, &mut self.silent, "silent");
            let is_left = !case.is_destroyed && !is_right && is_doubtful;
            faults.extend(is_left.then_some("doubtful"));
        } else {
            self.clean += 1;
            count(is_certain, &mut self.alarms, "alarm");
            count(is_doubtful, &mut self.doubts, "doubt");
        }
        if !faults.is_empty() {
            let texts = [&case.old, &case.new, &case.edited, &restored];
            let texts = texts.map(|bytes| bytes.escape_ascii().to_string()).join("\n  ");
            self.wrong.push(format!("{}: {}\n  {texts}\n  {}", faults.join(", "), case.name, comparison.view));
        }
    }

    fn per_cent(part: usize, all: usize) -> f64 {
        100.0 * part as f64 / all.max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { damaged, reported, restorable, restored, silent, clean, alarms, doubts, .. } = self;
        write!(f, "reported {reported} of {damaged}, restored {restored} of {restorable}")?;
        write!(f, " ({:.1} %), silent {silent}, ", Tally::per_cent(*restored, *restorable))?;
        write!(f, "clean {clean}: called damaged {alarms}, doubtful {doubts}")
    }
}

const SEED: u64 = 0x51C0_57E5_7A11_0E5D;

/// Compares this many pairs. `UTF8KIT_SEED` and `UTF8KIT_CASES` change the seed and the number of pairs;
/// `UTF8KIT_PAIRS` is a folder for the pairs and the figures.
fn tally(make: impl Fn(&mut Random) -> Option<Case>, pairs: usize) -> Tally {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let mut random = Random::new(number("UTF8KIT_SEED").unwrap_or(SEED));
    let pairs = number("UTF8KIT_CASES").map_or(pairs, |pairs| pairs as usize);
    let folder = std::env::var("UTF8KIT_PAIRS").ok();
    let mut tally = Tally::default();
    while tally.damaged + tally.clean < pairs {
        let Some(case) = make(&mut random) else { continue };
        if let Some(folder) = &folder {
            let name = format!("{} {} {}", case.is_damaged, case.is_destroyed, case.name);
            let parts = [("old", &case.old), ("new", &case.new), ("want", &case.edited), ("name", &name.into())];
            for (part, bytes) in parts {
                std::fs::write(format!("{folder}/{:04}.{part}", tally.damaged + tally.clean), bytes).unwrap();
            }
        }
        tally.add(&case);
    }
    if let Some(folder) = &folder {
        std::fs::write(format!("{folder}/figures"), format!("{tally}\n{}", tally.wrong.join("\n"))).unwrap();
    }
    tally
}

/// Asserts that 99 % is reported and this much restored, and that at most this much is silently wrong or wrongly
/// reported as damaged.
fn holds(tally: &Tally, restored: f64, wrong: usize) {
    let Tally { damaged, reported, silent, alarms, .. } = tally;
    assert!(
        silent + alarms <= wrong
            && Tally::per_cent(*reported, *damaged) >= 99.0
            && Tally::per_cent(tally.restored, tally.restorable) >= restored,
        "{tally}\n{}",
        tally.wrong.join("\n")
    );
}

#[test]
fn simple_pairs() {
    holds(&tally(cases::simple, 200), 97.0, 0);
}

#[test]
fn hard_pairs() {
    holds(&tally(cases::hard, 80), 90.0, 0);
}
