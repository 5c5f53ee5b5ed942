//! Measures how much the library adds to the size of a program.

use std::process::ExitCode;

use crate::Result;
use crate::run::{command, prints};

/// The most bytes of code and data of the library in a program that only validates: kernels for four levels, and one
/// dialect.
const MAX: u64 = 13 * 1024;

/// Checks how many bytes of the library are in a program.
pub(crate) fn check(program: &str) -> Result {
    let symbols = prints(command("nm", "--print-size --demangle").arg(program)).ok_or("nm has failed")?;
    let size = |line: &str| -> Option<u64> {
        // Its address, its size, a letter, its name.
        let mut words = line.split_whitespace().skip(1);
        let size = u64::from_str_radix(words.next()?, 16).ok()?;
        words.nth(1)?.contains("utf8kit").then_some(size)
    };
    let total: u64 = symbols.lines().filter_map(size).sum();
    println!("{total} bytes of utf8kit in {program}, of at most {MAX}");
    Ok(if (1..=MAX).contains(&total) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
