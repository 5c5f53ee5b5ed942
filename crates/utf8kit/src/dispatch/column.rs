//! Operations on columns and views.

use crate::encoding::AnyEncoding;
use crate::kernels::column::{Ascending, CleanValues, Move};
use crate::kernels::views::{Classified, ClassifyViews};
use crate::layout::Offset;
use crate::out::Out;
use crate::simd::level::run;
use crate::swar;

/// Reports whether the offsets of a column ascend; equal neighbours are allowed.
#[inline]
pub(crate) fn ascending<O: Offset>(offsets: &[O]) -> bool {
    run(Ascending { offsets }, |work| work.by_reference(), |work| work.by_reference())
}

/// Returns the number of leading values of a column that are certainly well formed, if a kernel can find it.
#[inline]
pub(crate) fn clean_values<O: Offset>(data: &[u8], offsets: &[O]) -> Option<usize> {
    let grammar = AnyEncoding::Utf8.grammar()?;
    run(CleanValues { grammar, data, offsets }, |_| None, |_| None)
}

/// Classifies the values that are stored in their views, and collects the views of the others, if a kernel can do that.
#[inline(never)]
pub(crate) fn classify_views<'v, 'o>(views: &'v [[u8; 16]], long: Out<'o>) -> Option<Classified<'v, 'o>> {
    let work = ClassifyViews { grammar: AnyEncoding::Utf8.grammar()?, views, long };
    run(work, |_| None, swar::views::views)
}

/// Moves offsets so that they are as far after `to` as they were after `from`.
#[inline]
pub(crate) fn move_offsets<O: Offset>(offsets: &mut [O], from: O, to: O) {
    run(Move { offsets, from, to }, Move::by_reference, Move::by_reference);
}
