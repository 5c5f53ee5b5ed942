//! Where an operation meets a level: the active one, chosen once by the machine's features, or forced.
//!
//! Every kernel runs on every level but `scalar`, so the table of operations and levels is one line: the active
//! level runs it. An operation that has a better algorithm on one level says so here.

use crate::arch::level::Level;
pub(crate) use crate::arch::level::run;

/// Whether the definition itself was forced.
#[inline]
pub(crate) fn is_scalar() -> bool {
    Level::active() == Level::Scalar
}
