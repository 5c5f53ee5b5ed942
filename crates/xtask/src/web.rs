//! Builds, tests and serves the npm package and the page.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::Result;
use crate::run::{Extent, Step, command, prints};
use crate::tools::{Tool, has_standard_library};

const CHROMIUM: Tool = Tool { program: "chromium", install: "apt-get install chromium" };

/// Returns the tests of the package and the page.
pub(crate) fn steps(_: Extent) -> Vec<Step> {
    let test = |workspace: &str| npm(&format!("test --workspace {workspace}"));
    let ready = tools().and(CHROMIUM.find());
    let commands = ready
        .map(|_| vec![install(), npm("run format:check"), npm("run build"), test("utf8kit"), test("utf8kit-page")]);
    vec![Step { name: "web".into(), commands }]
}

/// Serves the page on this machine, or with `built` only builds it into `web/dist`.
pub(crate) fn page(built: bool) -> Result {
    tools()?;
    for mut step in [install(), npm(if built { "run build" } else { "run serve" })] {
        if !step.status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks for the tools that build the package; else returns how to get them.
fn tools() -> Result<(), String> {
    prints(&mut npm("--version")).ok_or("Node.js 20 and npm (apt-get install nodejs npm)")?;
    // If the target is not installed, build.mjs builds its standard library from source.
    let sysroot = prints(&mut command("rustc", "--print sysroot")).unwrap_or_default();
    let source = Path::new(&sysroot).join("lib/rustlib/src/rust/library/std");
    if has_standard_library("rustc", "wasm32-unknown-unknown") || source.is_dir() {
        return Ok(());
    }
    Err("Rust for WebAssembly (rustup target add wasm32-unknown-unknown)".into())
}

/// Installs the packages of package-lock.json, without downloading browsers.
fn install() -> Command {
    let mut install = npm("ci --no-audit --no-fund --prefer-offline");
    install.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    install
}

fn npm(arguments: &str) -> Command {
    command("npm", arguments)
}
