//! Runs the library's tests for other processors, under emulation where this machine cannot run them.

use std::env::consts::ARCH;
use std::path::Path;
use std::process::Command;

use crate::root;
use crate::run::{Extent, Step, cargo};
use crate::tools::{Tool, executable, has_standard_library};

/// A kind of processor.
struct Processor {
    name: &'static str,
    /// The possible targets. Rust can link those with musl by itself, the others need a C compiler.
    triples: &'static [&'static str],
    emulator: Tool,
    /// Arguments of the emulator before the program; files are from the folder of the library.
    emulator_arguments: &'static str,
    /// Features of the processor beyond the baseline of its target.
    features: &'static str,
}

const PROCESSORS: &[Processor] = &[
    Processor {
        name: "aarch64",
        triples: &["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
        emulator: qemu("qemu-aarch64"),
        emulator_arguments: "",
        features: "+crt-static",
    },
    Processor {
        name: "32-bit (i686)",
        triples: &["i686-unknown-linux-musl"],
        emulator: qemu("qemu-i386"),
        emulator_arguments: "",
        features: "+crt-static",
    },
    Processor {
        name: "big-endian (s390x)",
        triples: &["s390x-unknown-linux-gnu"],
        emulator: qemu("qemu-s390x"),
        emulator_arguments: "",
        features: "+crt-static",
    },
    Processor {
        name: "WebAssembly with simd128",
        triples: &["wasm32-wasip1"],
        emulator: Tool { program: "node", install: "apt-get install nodejs" },
        emulator_arguments: "--no-warnings ../xtask/src/wasi.mjs",
        features: "+simd128",
    },
];

const fn qemu(program: &'static str) -> Tool {
    Tool { program, install: "apt-get install qemu-user" }
}

/// Boots a whole computer and takes minutes, so this part runs only if named.
const AVX512: Processor = Processor {
    name: "AVX-512",
    triples: &["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
    emulator: Tool {
        program: "bochs",
        install: "apt-get install --no-install-recommends bochs bochs-term bochsbios vgabios isolinux \
                  syslinux-common xorriso cpio busybox-static",
    },
    emulator_arguments: "",
    features: "+crt-static",
};

/// The differential tests that take some minutes in Bochs.
const AVX512_TESTS: &[&str] =
    &["--test-threads=1", "vector_ops", "conformance", "differential::broken_text_in", "differential::noise"];

/// Another processor can only break byte order, word width, and its own kernels.
const SAMPLE: &[&str] = &["conformance", "vector_ops", "differential::noise"];
/// The exhaustive tests check the definition, which is the same code everywhere.
const WHOLE: &[&str] = &["conformance", "vector_ops", "properties", "differential"];

/// Returns a step for each processor that is not this machine's own.
pub(crate) fn steps(extent: Extent) -> Vec<Step> {
    let tests = if extent == Extent::Sample { SAMPLE } else { WHOLE };
    let foreign = PROCESSORS.iter().filter(|processor| processor.name != ARCH);
    foreign.map(|processor| Step { name: processor.name.into(), commands: processor.test(tests) }).collect()
}

/// Runs the library's tests only on the level avx512. They fail if the processor lacks it.
pub(crate) fn avx512(_: Extent) -> Vec<Step> {
    let commands = AVX512.emulator.find().and_then(|_| AVX512.command()).map(|(mut test, runner)| {
        test.env(runner, root().join("crates/xtask/src/emulate.sh"));
        test.arg("--release").arg("--").args(AVX512_TESTS);
        test.env("EMULATE_ENV", "UTF8KIT_LEVEL=avx512").env("EMULATE_FILES", root().join("vectors"));
        vec![test]
    });
    vec![Step { name: AVX512.name.into(), commands }]
}

impl Processor {
    fn test(&self, tests: &[&str]) -> Result<Vec<Command>, String> {
        let (mut test, runner) = self.command()?;
        if !self.runs_here() {
            let emulator = self.emulator.find()?;
            test.env(runner, format!("{} {}", emulator.display(), self.emulator_arguments));
        }
        test.arg("--").args(tests);
        Ok(vec![test])
    }

    /// Reports whether this machine runs the processor's programs without an emulator. Most kernels of Linux on x86-64
    /// run 32-bit programs.
    fn runs_here(&self) -> bool {
        let is_32_bit = self.triples.iter().any(|triple| triple.starts_with("i686"));
        is_32_bit && ARCH == "x86_64" && Path::new("/proc/sys/abi/vsyscall32").exists()
    }

    /// Returns the command that builds the library's tests for this processor, and the variable that sets their runner.
    fn command(&self) -> Result<(Command, String), String> {
        let (compiler, triple) = self.compiler()?;
        let variable = |what| format!("CARGO_TARGET_{}_{what}", triple.to_uppercase().replace('-', "_"));
        let mut test = cargo("test --quiet --package utf8kit --lib --target");
        test.arg(triple).env("RUSTC", compiler);
        test.env(variable("LINKER"), linker(triple)?);
        test.env(variable("RUSTFLAGS"), format!("-C target-feature={}", self.features));
        Ok((test, variable("RUNNER")))
    }

    /// Returns the first compiler, ours or the system's, that has the standard library of one of the targets, and that
    /// target.
    fn compiler(&self) -> Result<(&'static str, &'static str), String> {
        for rustc in ["rustc", "/usr/bin/rustc"] {
            for &triple in self.triples {
                if has_standard_library(rustc, triple) {
                    return Ok((rustc, triple));
                }
            }
        }
        Err(format!("Rust's standard library for it (rustup target add {})", self.triples[0]))
    }
}

fn linker(triple: &str) -> Result<String, String> {
    if triple.ends_with("musl") || triple.starts_with("wasm32") {
        return Ok("rust-lld".into());
    }
    let system = triple.replace("-unknown", "");
    let gcc = format!("{system}-gcc");
    let missing = || format!("a C compiler to link with (apt-get install gcc-{system})");
    executable(&gcc).map(|_| gcc).ok_or_else(missing)
}
