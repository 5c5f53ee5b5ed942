"""DataFusion: functions for columns of bytes. Needs pyarrow.

>>> import datafusion, utf8kit.datafusion
>>> context = datafusion.SessionContext()
>>> utf8kit.datafusion.register(context)
>>> context.sql("SELECT utf8_repair(X'636166E9', 'fallback=windows-1252') AS name").to_pylist()
[{'name': 'café'}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from utf8kit import _sql

if TYPE_CHECKING:
    from datafusion import SessionContext

__all__ = ["register"]

#: name, function, types of the arguments, type of the result. DataFusion converts other binary types and strings to
#: views.
_FUNCTIONS: tuple[tuple[str, Any, list[pa.DataType], pa.DataType], ...] = (
    ("utf8_is_valid", _sql.is_valid, [pa.binary_view()], pa.bool_()),
    ("utf8_error_count", _sql.error_count, [pa.binary_view()], pa.uint64()),
    ("utf8_repair", _sql.repair, [pa.binary_view(), pa.string()], pa.string_view()),
    ("utf8_fix_mojibake", _sql.fix_mojibake, [pa.string_view()], pa.string_view()),
)


def register(context: SessionContext) -> None:
    """Adds functions to a context:

    - `utf8_is_valid(bytes) -> boolean`
    - `utf8_error_count(bytes) -> uint64`: the errors that a decoder replaces.
    - `utf8_repair(bytes, policy) -> text`: any policy of `utf8kit.repair`; each value is repaired by itself. The query
      fails at a value that is still invalid (with `mojibake` or `unescape`).
    - `utf8_fix_mojibake(text) -> text`: repairs text that was certainly encoded twice.

    Null becomes null. Bytes are any of Arrow's binary types, text any of its string types; results are `string_view`.

    >>> import datafusion, utf8kit.datafusion
    >>> context = datafusion.SessionContext()
    >>> utf8kit.datafusion.register(context)
    >>> context.sql("SELECT utf8_fix_mojibake('cafÃ©') AS name, utf8_is_valid(X'FF') AS valid").to_pylist()
    [{'name': 'café', 'valid': False}]
    """
    from datafusion import udf

    for name, function, given, result in _FUNCTIONS:
        context.register_udf(udf(function, given, result, "immutable", name))
