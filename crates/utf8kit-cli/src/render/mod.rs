//! Pictures for the terminal.

pub(crate) mod bars;
pub(crate) mod bidi;
pub(crate) mod bits;
pub(crate) mod diff;
pub(crate) mod heatmap;
pub(crate) mod runs;
pub(crate) mod snippet;
pub(crate) mod versions;
