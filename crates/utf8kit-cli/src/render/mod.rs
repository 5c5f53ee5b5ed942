//! What is drawn in a terminal, and the colours that it shares with the HTML report.

pub(crate) mod bars;
pub(crate) mod bits;
pub(crate) mod diff;
pub(crate) mod heatmap;
pub(crate) mod palette;
pub(crate) mod snippet;
