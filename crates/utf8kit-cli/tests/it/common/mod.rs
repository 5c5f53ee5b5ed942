//! Shared parts of the command's tests: running it, parsing its JSON lines, and the conformance vectors.

pub(crate) mod schema;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Returns the command with arguments.
pub(crate) fn utf8<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_utf8"));
    command.args(args).stdin(Stdio::null()).env_remove("UTF8KIT_LEVEL");
    command
}

/// Runs the command in a folder.
pub(crate) fn run_in<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Output {
    utf8(args).current_dir(folder).output().unwrap()
}

/// Runs the command with a standard input.
pub(crate) fn run_with<S: AsRef<OsStr>>(input: &[u8], args: impl IntoIterator<Item = S>) -> Output {
    run_command(&mut utf8(args), input)
}

/// Runs a command with a standard input.
pub(crate) fn run_command(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The command may end before it has read all of its input.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    })
}

/// Returns the exit status.
pub(crate) fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Returns standard output as text.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns standard output as text, with paths as on Unix.
pub(crate) fn text_with_paths(output: &Output) -> String {
    text(output).replace(std::path::MAIN_SEPARATOR, "/")
}

/// Reports whether the output says that a command is right: for a file as help, for a pipe as a note.
pub(crate) fn advises(output: &Output, command: &str) -> bool {
    let reported = messages(output);
    reported.contains(&format!("help: {command} ")) || reported.contains(&format!("pipe it through `{command}`"))
}

/// Returns standard error as text.
pub(crate) fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Parses standard output as JSON lines.
pub(crate) fn lines(output: &Output) -> Vec<Value> {
    text(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a file or folder of the repository; `None` in the archive of this crate, which contains only the crate.
pub(crate) fn repository(path: &str) -> Option<PathBuf> {
    let this = Path::new(env!("CARGO_MANIFEST_DIR"));
    // `cargo package` adds the original manifest under this name.
    let packaged = this.join("Cargo.toml.orig").exists();
    (!packaged).then(|| this.join("../..").join(path))
}

/// Returns every conformance vector with this operation, if this is the repository.
pub(crate) fn vectors(operation: &str) -> Vec<Value> {
    let Some(folder) = repository("vectors") else { return Vec::new() };
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension() == Some(OsStr::new("jsonl")));
    files.sort();
    let texts = files.iter().map(|path| std::fs::read_to_string(path).unwrap());
    let cases: Vec<Value> = texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>())
        .collect();
    cases.into_iter().filter(|case: &Value| case["op"] == operation).collect()
}

/// Decodes hexadecimal digits.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Returns pseudo-random bytes: well-formed text of all lengths with damage everywhere.
pub(crate) fn damaged(len: usize) -> Vec<u8> {
    let samples: [&[u8]; 12] = [
        b"plain text, ",
        "naïve ".as_bytes(),
        "€uro".as_bytes(),
        "😀😀".as_bytes(),
        b"\n",
        b"\xC0\xAF",
        b"\xED\xA0\xBD",
        b"\xED\xB8\x80",
        b"\xF4\x90\x80\x80",
        b"\xE2\x82",
        b"\xFC\x84\x80\x80\x80\x80",
        b"\0\xD8\0\xDC",
    ];
    let mut bytes = Vec::with_capacity(len + 16);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let pick = (state >> 32) as usize % (samples.len() * 4);
        bytes.extend_from_slice(samples.get(pick).unwrap_or(&samples[pick % 4]));
    }
    bytes.truncate(len);
    bytes
}

/// Reports whether a program is installed. If not, notes that the test is skipped.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let found = std::env::split_paths(&path).any(|folder| folder.join(&name).is_file());
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Notes that this test cannot run on this machine. It fails if `CI=true`, as everything must be installed then.
///
/// The line bypasses libtest's capture of standard output, so `cargo xtask test` can count it.
pub(crate) fn skip(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let _ = writeln!(std::io::stdout(), "\nskipped: {test}: {why}");
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{why}");
}
