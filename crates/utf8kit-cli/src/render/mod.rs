//! What is drawn in a terminal, and the colours it shares with the report.

pub(crate) mod bars;
pub(crate) mod bits;
pub(crate) mod diff;
pub(crate) mod heatmap;
pub(crate) mod palette;
pub(crate) mod snippet;
