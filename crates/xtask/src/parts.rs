//! Tests that need more than Rust: other processors, under emulation, and the memory model.

use std::env::{self, consts::ARCH};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::run::{Run, cargo, command};
use crate::{Outcome, root, target};

/// A part of the test run: its commands, or how to get what they need.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) commands: Result<Vec<Command>, String>,
}

/// A kind of processor.
struct Processor {
    name: &'static str,
    /// Targets that will do. Rust links those with musl by itself, the others with a C compiler.
    triples: &'static [&'static str],
    /// Runs a program for it: a command, or a file of the repository.
    emulator: &'static str,
    /// What the emulator is told before the program; files from the folder of the library.
    emulator_arguments: &'static str,
    how_to_get_emulator: &'static str,
    /// What the processor can do beyond the least that its target asks for.
    features: &'static str,
}

const PROCESSORS: &[Processor] = &[
    Processor {
        name: "aarch64",
        triples: &["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
        emulator: "qemu-aarch64",
        emulator_arguments: "",
        how_to_get_emulator: QEMU,
        features: "+crt-static",
    },
    Processor {
        name: "32-bit (i686)",
        triples: &["i686-unknown-linux-musl"],
        emulator: "qemu-i386",
        emulator_arguments: "",
        how_to_get_emulator: QEMU,
        features: "+crt-static",
    },
    Processor {
        name: "big-endian (s390x)",
        triples: &["s390x-unknown-linux-gnu"],
        emulator: "qemu-s390x",
        emulator_arguments: "",
        how_to_get_emulator: QEMU,
        features: "+crt-static",
    },
    Processor {
        name: "WebAssembly with simd128",
        triples: &["wasm32-wasip1"],
        emulator: "node",
        emulator_arguments: "--no-warnings ../xtask/src/wasi.mjs",
        how_to_get_emulator: "node (apt-get install nodejs)",
        features: "+simd128",
    },
];

/// A processor with AVX-512, whatever this machine has. Its emulator boots a whole computer and takes minutes, so it
/// is asked for by name.
const AVX512: Processor = Processor {
    name: "AVX-512",
    triples: &["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
    emulator: "crates/xtask/src/emulate.sh",
    emulator_arguments: "",
    how_to_get_emulator: "a checkout of the repository",
    features: "+crt-static",
};

/// Of the differential tests, those that end in some minutes there.
const AVX512_TESTS: &[&str] =
    &["--test-threads=1", "vector_ops", "conformance", "differential::broken_text_in", "differential::noise"];

/// What is run on other processors. What they could break is the order of bytes, the width of words and their own
/// kernels; all strings of three bytes under emulation would take half an hour a processor, and show no more of that.
const FOREIGN_TESTS: &[&str] =
    &["conformance", "vector_ops", "properties", "differential::broken", "differential::noise"];

const QEMU: &str = "qemu-user (apt-get install qemu-user)";

/// All parts, but those that the tests on this very machine already are.
pub(crate) fn parts() -> Vec<Part> {
    let foreign = PROCESSORS.iter().filter(|processor| processor.name != ARCH);
    let foreign = foreign.map(|processor| {
        let test = processor.test();
        let commands = test.map(|mut test| {
            test.arg("--").args(FOREIGN_TESTS);
            vec![test]
        });
        Part { name: processor.name, commands }
    });
    let others = [
        Part { name: "web", commands: crate::web::tests() },
        Part { name: "memory model (Miri)", commands: memory_model() },
    ];
    foreign.chain(others).collect()
}

/// The library's tests on the level avx512 alone; they fail where the processor has it not.
pub(crate) fn avx512() -> Outcome {
    let mut run = Run::new();
    let bochs = executable("bochs").ok_or_else(|| "Bochs (apt-get install bochs)".to_owned());
    match bochs.and_then(|_| AVX512.test()) {
        Ok(mut test) => {
            test.arg("--release").arg("--").args(AVX512_TESTS);
            test.env("EMULATE_ENV", "UTF8KIT_LEVEL=avx512").env("EMULATE_FILES", root().join("vectors"));
            run.step(AVX512.name, vec![test]);
        }
        Err(how_to_get) => run.missing(AVX512.name, &how_to_get),
    }
    Ok(run.finish())
}

pub(crate) fn doctor() -> Outcome {
    for Part { name, commands } in parts() {
        match commands {
            Ok(_) => println!("{name}: ready"),
            Err(how_to_get) => println!("{name}: needs {how_to_get}"),
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Processor {
    /// The library's tests, built for this processor and run by its emulator.
    fn test(&self) -> Result<Command, String> {
        let (compiler, triple) = self.compiler()?;
        let emulator = executable(self.emulator).ok_or(self.how_to_get_emulator)?;
        let variable = |what| format!("CARGO_TARGET_{}_{what}", triple.to_uppercase().replace('-', "_"));
        let mut test = cargo("test --quiet --package utf8kit --lib --target");
        test.arg(triple).arg("--target-dir").arg(target().join("foreign"));
        let runner = format!("{} {}", emulator.display(), self.emulator_arguments);
        test.env("RUSTC", compiler).env(variable("RUNNER"), runner);
        test.env(variable("LINKER"), linker(triple)?)
            .env(variable("RUSTFLAGS"), format!("-C target-feature={}", self.features));
        Ok(test)
    }

    /// The first compiler, ours or the system's, that has the standard library of one of the targets, and that target.
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

/// The examples of the documentation, which call every function, interpreted: on a big-endian machine, as that asks
/// for no instruction that the interpreter lacks.
fn memory_model() -> Result<Vec<Command>, String> {
    let miri = |arguments| command("rustup", &format!("run nightly cargo miri {arguments}"));
    if !miri("--version").output().is_ok_and(|output| output.status.success()) {
        return Err("Miri (rustup toolchain install nightly --component miri --component rust-src)".into());
    }
    let mut test = miri("test --quiet --package utf8kit --doc --target s390x-unknown-linux-gnu --target-dir");
    test.arg(target().join("miri"));
    Ok(vec![test])
}

fn has_standard_library(rustc: &str, triple: &str) -> bool {
    let printed = command(rustc, "--print target-libdir --target").arg(triple).output();
    printed.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn linker(triple: &str) -> Result<String, String> {
    if triple.ends_with("musl") || triple.starts_with("wasm32") {
        return Ok("rust-lld".into());
    }
    let gcc = format!("{}-gcc", triple.replace("-unknown", ""));
    let package = format!("gcc-{}", triple.replace("-unknown", ""));
    if executable(&gcc).is_some() {
        return Ok(gcc);
    }
    Err(format!("a C compiler to link with (apt-get install {package})"))
}

/// The file of the repository, or the command on the path.
fn executable(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = iter::once(root().to_path_buf()).chain(env::split_paths(&path));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}
