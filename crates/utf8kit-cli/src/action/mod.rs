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
