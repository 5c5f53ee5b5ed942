//! Runs the library in Miri, which finds undefined behaviour.

use std::process::Command;

use crate::run::{Extent, Step, command, prints};
use crate::target;

/// A big-endian target. Miri runs the scalar code and SWAR there.
const BIG_ENDIAN: &str = "s390x-unknown-linux-gnu";
/// Miri supports instructions up to AVX2; the library detects the levels that it is compiled for.
const VECTORS: (&str, &str) = ("x86_64-unknown-linux-gnu", "-C target-cpu=haswell");

/// Runs the examples of the documentation, which call every public function. `Extent::Whole` adds some unit tests, also
/// on a processor with vectors.
pub(crate) fn steps(extent: Extent) -> Vec<Step> {
    let name = "memory model (Miri)".to_owned();
    if prints(&mut command("rustup", "run nightly cargo miri --version")).is_none() {
        let needed = "Miri (rustup toolchain install nightly --component miri --component rust-src)";
        return vec![Step { name, commands: Err(needed.into()) }];
    }
    let mut commands = vec![miri(BIG_ENDIAN, "", "--doc")];
    if extent == Extent::Whole {
        let (target, flags) = VECTORS;
        commands.push(miri(target, flags, "--lib vector_ops"));
        commands.push(miri(target, flags, "--doc"));
    }
    vec![Step::new(name, commands)]
}

fn miri(triple: &str, flags: &str, tests: &str) -> Command {
    let arguments = format!("run nightly cargo miri test --quiet --package utf8kit --target {triple} {tests}");
    let mut miri = command("rustup", &arguments);
    miri.env("RUSTFLAGS", flags).env("RUSTDOCFLAGS", flags).env("CARGO_TARGET_DIR", target().join("miri"));
    miri
}
