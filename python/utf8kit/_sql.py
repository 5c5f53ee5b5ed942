"""The functions for SQL engines, over pyarrow columns. They have the same names and results in every engine."""

from __future__ import annotations

from array import array
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from utf8kit import _native
from utf8kit._native import Stream
from utf8kit.arrow import without_row


def is_valid(column: Any) -> Any:
    return _read(_native.arrow_mask(column))


def error_count(column: Any) -> Any:
    counts = array("Q", bytes(8 * len(column)))
    for row in pa.record_batch(_native.arrow_errors(column, (1 << 63) - 1))["row"].to_pylist():
        counts[row] += 1
    whole = pa.Array.from_buffers(pa.uint64(), len(column), [None, pa.py_buffer(counts)])
    return pc.if_else(column.is_valid(), whole, None) if column.null_count else whole


def repair(column: Any, policy: Any) -> Any:
    # Almost always a literal, which engines pass as a value for each row.
    constant = _native.arrow_constant(policy)
    if constant is not None:
        return _decoded(column, constant)
    kind = {pa.large_binary(): pa.large_string(), pa.binary_view(): pa.string_view()}.get(column.type, pa.string())
    # pyarrow has no `if_else` for views.
    column, repaired = column.cast(pa.large_binary()), pa.nulls(len(column), pa.large_string())
    for one in policy.unique().to_pylist():
        if one is not None:
            # The values of other rows are left out, because this policy may fail on them.
            chosen = pc.fill_null(pc.equal(policy, one), False)
            repaired = pc.if_else(chosen, _decoded(pc.if_else(chosen, column, None), one), repaired)
    return repaired.cast(kind)


def _decoded(column: Any, policy: str) -> Any:
    try:
        return _read(_native.arrow_decode(column, policy))
    except (ValueError, OSError) as error:
        # Engines pass some rows at a time, so a row number would be meaningless.
        raise ValueError(without_row(error)) from None


def fix_mojibake(column: Any) -> Any:
    return _read(_native.arrow_repair(column, "mojibake"))


def _read(column: Any) -> Any:
    return pa.chunked_array(column) if isinstance(column, Stream) else pa.array(column)
