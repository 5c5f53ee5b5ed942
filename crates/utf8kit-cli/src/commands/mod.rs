//! One file a command.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod detect;
pub(crate) mod explain;
pub(crate) mod repair;
pub(crate) mod stats;
