//! Generates files and parts of files. A part is enclosed by two marks. The first one contains the command that
//! generates it:
//!
//! ```text
//! <!-- screen: utf8 check samples/broken.txt -->
//! ...what the command prints...
//! <!-- end -->
//! ```

use std::env;
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::code_pages;
use crate::run::{cargo, command};
use crate::samples::BROKEN;
use crate::svg;
use crate::{Result, root, target};

const FIRST: &str = "<!-- screen: ";
const LAST: &str = "<!-- end -->";

/// The command in the screenshot.
const SHOWN: &str = "utf8 check --max-errors 3 samples/broken.txt";

/// The pages that show output of the command.
const WITH_SCREENS: [&str; 2] = ["README.md", "docs/utf-8.md"];

/// Writes the generated files, with the `utf8` of these sources or another.
pub(crate) fn write(utf8: Option<&Path>) -> Result {
    for (path, contents) in files(utf8)? {
        fs::write(root().join(path), contents)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if a generated file differs from the output of [`write()`].
pub(crate) fn check(utf8: Option<&Path>) -> Result {
    let stale = |(path, contents): &(&str, Vec<u8>)| fs::read(root().join(path)).ok().as_ref() != Some(contents);
    let stale: Vec<&str> = files(utf8)?.iter().filter(|file| stale(file)).map(|(path, _)| *path).collect();
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(format!("not what `cargo xtask gen` writes: {}", stale.join(", ")).into())
}

/// Returns every generated file with its contents.
fn files(utf8: Option<&Path>) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let broken = BROKEN.iter().flat_map(|line| line.to_bytes().iter().chain(b"\n")).copied().collect();
    let folder = match utf8 {
        Some(utf8) => utf8.parent().ok_or("not the path of a program")?.to_owned(),
        None => built()?,
    };
    let mut files = vec![("samples/broken.txt", broken)];
    let shown = screen(&format!("{SHOWN} --color always"), &folder)?;
    files.push(("docs/screenshot.svg", svg::draw(SHOWN, &format!("$ {SHOWN}\n{shown}")).into_bytes()));
    for page in WITH_SCREENS {
        files.push((page, with_screens(page, &folder)?.into_bytes()));
    }
    match code_pages::tables()? {
        Some(tables) => files.extend(code_pages::PATHS.into_iter().zip(tables)),
        None => println!(
            "not generated: {} (needs python3, perl, and iconv of the GNU C library)",
            code_pages::PATHS.join(", ")
        ),
    }
    Ok(files)
}

/// Builds `utf8` and returns its folder.
pub(crate) fn built() -> Result<PathBuf> {
    if !cargo("build --quiet --bin utf8").status()?.success() {
        return Err("utf8 does not build".into());
    }
    Ok(target().join("debug"))
}

/// Returns the file with the current output of the command in every screen.
fn with_screens(path: &str, programs: &Path) -> Result<String> {
    let text = fs::read_to_string(root().join(path))?;
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, marked)) = rest.split_once(FIRST) {
        let (shell, old) = marked.split_once(" -->").ok_or("a mark that does not end")?;
        let (_, after) = old.split_once(LAST).ok_or("a screen without an end mark")?;
        out += &format!("{before}{FIRST}{shell} -->\n```console\n$ {shell}\n{}```\n{LAST}", screen(shell, programs)?);
        rest = after;
    }
    Ok(out + rest)
}

/// Returns the output of a shell command, with `utf8` from the folder.
fn screen(shell: &str, programs: &Path) -> Result<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(iter::once(programs.to_owned()).chain(env::split_paths(&path)))?;
    let output = command("sh", "-c").arg(format!("exec 2>&1; {shell}")).env("PATH", path).output()?;
    Ok(String::from_utf8(output.stdout)?)
}
