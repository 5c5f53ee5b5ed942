//! The command `utf8`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// command(arguments) -> int
///
/// Runs the command `utf8` with these arguments (its own name first), and returns its exit status.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| utf8kit_cli::run(arguments))
}
