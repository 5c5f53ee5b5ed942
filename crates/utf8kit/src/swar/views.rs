//! Validates the values of views one by one.

use super::validate::clean_prefix_small;
use crate::kernels::views::{Classified, ClassifyViews, Extent, Long, fields};

/// Classifies the values that are stored in their views, one by one.
pub(crate) fn views<'v, 'o>(work: ClassifyViews<'v, 'o>) -> Option<Classified<'v, 'o>> {
    let (mut clean, mut long) = (true, work.long);
    for view in work.views {
        let len = fields(view)[0] as usize;
        match view[4..].get(..len) {
            Some(value) => clean &= value.is_ascii() || clean_prefix_small(work.grammar, value) == len,
            None => clean &= long.push(view),
        }
    }
    let extent = Extent::of(long.since(0).as_chunks().0);
    Some(Classified { clean, long: Long::Some(long), extent })
}
