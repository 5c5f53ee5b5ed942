//! The results of a check: findings, results for each file, and totals.

mod damage;
mod finding;
mod phrases;
mod totals;

pub(crate) use damage::{Before, Damaged};
pub(crate) use finding::{BOM, DECLARATION, DOUBLE_ENCODING, Finding, INNER_MARK, LINE_ENDS, Place};
pub(crate) use phrases::Phrases;
pub(crate) use totals::{Checked, Labels, Totals, places_and_errors};
