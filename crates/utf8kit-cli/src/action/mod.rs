//! What a command is to do. The rules between options are here: each command's arguments become one [action], or an
//! error; a command never asks which options go together.
//!
//! [action]: repair::Action

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod edit;
mod format;
mod names;
pub(crate) mod repair;

use std::path::Path;

/// Reports whether an output is the input itself, which is then changed in place.
fn writes_over(output: Option<&Path>, input: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    output.is_some_and(|output| whole(output).is_some_and(|output| whole(input) == Some(output)))
}
