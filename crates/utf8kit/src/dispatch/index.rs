//! Operations of the text index.

use crate::reference::marks::{Scan, Sink};
use crate::simd::level::run;

/// Passes the marks of a range of a text to a sink, and returns the sink. Not inlined, because each caller would have a
/// copy of the kernel if the level is known at compile time.
#[inline(never)]
pub(crate) fn scan<S: Sink>(work: Scan<'_, S>) -> S {
    run(work, Scan::by_reference, Scan::by_reference)
}
