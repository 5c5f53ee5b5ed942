//! The npm package and the page: built, tested, served.

use std::process::{Command, ExitCode};

use crate::Outcome;
use crate::run::command;

/// What the package and the page are tested with, or how to get it.
pub(crate) fn tests() -> Result<Vec<Command>, String> {
    tools()?;
    runs("chromium").ok_or("chromium (apt-get install chromium)")?;
    let test = |workspace: &str| npm(&format!("test --workspace {workspace}"));
    Ok(vec![install(), npm("run build"), test("utf8kit"), test("utf8kit-page")])
}

/// Serves the page on this machine, or with `built` only builds it, into `web/dist`.
pub(crate) fn page(built: bool) -> Outcome {
    tools()?;
    for mut step in [install(), npm(if built { "run build" } else { "run serve" })] {
        if !step.status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether there is what builds the package.
fn tools() -> Result<(), String> {
    runs("npm").ok_or("Node.js 20 and npm (apt-get install nodejs npm)")?;
    let libraries = command("rustc", "--print target-libdir --target wasm32-unknown-unknown").output();
    let source = command("rustc", "--print sysroot").output();
    let path = |output: std::io::Result<std::process::Output>| {
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let source = format!("{}/lib/rustlib/src/rust/library/std", path(source));
    if [path(libraries), source].iter().any(|folder| std::path::Path::new(folder).is_dir()) {
        return Ok(());
    }
    Err("Rust for WebAssembly (rustup target add wasm32-unknown-unknown)".into())
}

/// What package-lock.json says; browsers are not downloaded.
fn install() -> Command {
    let mut install = npm("ci --no-audit --no-fund --prefer-offline");
    install.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    install
}

fn npm(arguments: &str) -> Command {
    command("npm", arguments)
}

fn runs(program: &str) -> Option<()> {
    command(program, "--version").output().ok().filter(|output| output.status.success()).map(drop)
}
