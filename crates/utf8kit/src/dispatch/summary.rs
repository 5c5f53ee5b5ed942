//! Operations of summaries.

use super::find;
use crate::grammar::Grammar;
use crate::kernels::summary::{Counted, CountedPrefix};
use crate::simd::level::run;

/// Finds a clean prefix and counts it while validating; empty if no kernel can do that.
pub(crate) fn counted_prefix(grammar: &'static Grammar, bytes: &[u8]) -> Counted {
    let bytes = if grammar.has_nul() { bytes } else { &bytes[..find(bytes, 0)] };
    run(CountedPrefix { grammar, bytes }, |_| Counted::default(), |_| Counted::default())
}
