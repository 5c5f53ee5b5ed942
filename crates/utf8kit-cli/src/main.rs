//! The command `utf8`.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(utf8kit_cli::run(env::args_os()))
}
