"""Columns of strings in the Arrow PyCapsule interface: of pyarrow, polars, pandas, DuckDB, and any other that has it.

Functions take anything with `__arrow_c_array__` or `__arrow_c_stream__`: arrays, chunked arrays, series, tables. They
check strings and binary values in any of Arrow's layouts, also nested ones: in structs, lists, maps, dictionaries,
unions, runs. Null slots are skipped. Nothing is copied and no other package is needed. Nothing is assumed to be text
before it is checked.

Offsets, views and validity are checked against each other. Columns of pyarrow, including ones from untrusted files, are
also checked against the sizes of their buffers. The interface itself does not pass these sizes, so for other libraries,
the last offset determines the length of a buffer. A library that exports a wrong offset makes this one read beyond the
buffer.

>>> import pyarrow as pa, utf8kit.arrow
>>> column = pa.array([b"fine", b"caf\\xe9", None, b"\\xff\\xff"])
>>> utf8kit.arrow.is_valid(column)
False
>>> utf8kit.arrow.first_error(column)
BadValue(row=1, column='', offset=3, len=1, kind='truncated')
>>> pa.array(utf8kit.arrow.bad_rows(column)).to_pylist()
[1, 3]
>>> pa.array(utf8kit.arrow.repair(column, "replace=?")).to_pylist()
[b'fine', b'caf?', None, b'??']
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from utf8kit import _native
from utf8kit._native import Array, Stream

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = [
    "Array",
    "BadValue",
    "Stream",
    "bad_rows",
    "decode",
    "error_count",
    "errors",
    "first_error",
    "is_valid",
    "mask",
    "repair",
]


@runtime_checkable
class ArrowArrayLike(Protocol):
    """An array or a record batch."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]: ...


@runtime_checkable
class ArrowStreamLike(Protocol):
    """A chunked array, a series, a table."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...


if TYPE_CHECKING:
    ArrowLike: TypeAlias = ArrowArrayLike | ArrowStreamLike


class BadValue(NamedTuple):
    """An error and the value that contains it."""

    #: The row, from 0, over all chunks.
    row: int
    #: The names of the fields that lead to the value, joined with dots; empty for a plain column.
    column: str
    #: The offset of the error in the value, in bytes.
    offset: int
    #: Its length in bytes.
    len: int
    #: Its kind: see `Utf8Error`.
    kind: str


def is_valid(column: ArrowLike) -> bool:
    """Reports whether every string is valid UTF-8. Stops at the first chunk with an invalid one.

    Raises:
        TypeError: the argument has no Arrow interface, or contains neither strings nor binary values.
        ValueError: it is not valid Arrow data.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> utf8kit.arrow.is_valid(pa.chunked_array([["naïve"], ["€", None]]))
    True
    """
    return _native.arrow_is_valid(_checked(column))


def first_error(column: ArrowLike) -> BadValue | None:
    """Returns the first error in the first row that has one.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> table = pa.table({"id": [1, 2], "tags": [[b"a"], [b"b", b"\\xff"]]})
    >>> utf8kit.arrow.first_error(table)
    BadValue(row=1, column='tags.item', offset=0, len=1, kind='invalid_byte')
    """
    found = _native.arrow_first_error(_checked(column))
    return None if found is None else BadValue(*found)


def error_count(column: ArrowLike) -> int:
    """Counts the errors in all values: the maximal subparts that a decoder replaces.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> utf8kit.arrow.error_count(pa.array([b"\\xff\\xff", b"ok", b"\\xe2\\x82"]))
    3
    """
    return _native.arrow_error_count(_checked(column))


def bad_rows(column: ArrowLike) -> Array:
    """Returns the numbers of the rows with an invalid value, in order, each once, as an Arrow array of uint64.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> column = pa.array([b"ok", b"\\xff", b"\\xc0\\xaf"])
    >>> column.take(pa.array(utf8kit.arrow.bad_rows(column))).to_pylist()
    [b'\\xff', b'\\xc0\\xaf']
    """
    return _native.arrow_bad_rows(_checked(column))


def errors(column: ArrowLike, limit: int | None = None) -> Array:
    """Returns all errors, or the first `limit` of them, as an Arrow record batch with the fields of `BadValue`.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> found = pa.record_batch(utf8kit.arrow.errors(pa.array([b"ok", b"a\\xe0\\x80"])))
    >>> found.to_pylist()[0]
    {'row': 1, 'column': '', 'offset': 1, 'len': 1, 'kind': 'overlong'}
    """
    return _native.arrow_errors(_checked(column), limit if limit is not None else (1 << 63) - 1)


def mask(column: ArrowLike) -> Array | Stream:
    """Returns booleans: for each row, whether all text in it is valid, or null for a null row.

    Returns:
        For an array, an `Array`; for a stream, a lazy `Stream` that reads its source on demand.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> pa.array(utf8kit.arrow.mask(pa.array([b"ok", b"\\xff", None]))).to_pylist()
    [True, False, None]
    """
    return _native.arrow_mask(_checked(column))


def repair(column: ArrowLike, policy: str = "replace") -> Array | Stream:
    """Repairs every value by a policy of `utf8kit.repair`. Types, names and nulls stay the same; clean data is shared.

    Args:
        column: for an array, returns an `Array`; for a stream, a lazy `Stream` that reads its source on demand.
        policy: any policy. Each value is repaired by itself; other values are not evidence. In a map, different keys
            may become equal; the policy `escape` keeps them different.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> clean = pa.array(["a", "b"])
    >>> same = pa.array(utf8kit.arrow.repair(clean))
    >>> same.buffers()[2].address == clean.buffers()[2].address
    True
    >>> pa.array(utf8kit.arrow.repair(pa.array(["cafÃ©", "café"]), "mojibake")).to_pylist()
    ['café', 'café']
    """
    return _native.arrow_repair(_checked(column), policy)


def decode(column: ArrowLike, policy: str | None = None) -> Array | Stream:
    """Converts bytes to strings, at any depth of a type: `binary` becomes `string`, `large_binary` becomes
    `large_string`, `binary_view` becomes `string_view`. Clean data is shared.

    Args:
        column: for an array, returns an `Array`; for a stream, a lazy `Stream` that reads its source on demand.
        policy: any policy of `utf8kit.repair`, applied to each value by itself. None is for columns that should be
            valid; nothing is replaced. In a map, different keys may become equal; the policy `escape` keeps them
            different.

    Raises:
        ValueError: a value is invalid, and there is no policy, or one that leaves errors (`mojibake`, `unescape`). The
            message has its row. A `Stream` raises it when it is read, as an exception of the reader: pyarrow raises
            OSError.

    >>> import pyarrow as pa, utf8kit.arrow
    >>> column = pa.array([b"caf\\xe9", None, "thé".encode()])
    >>> pa.array(utf8kit.arrow.decode(column, "fallback=windows-1252")).to_pylist()
    ['café', None, 'thé']
    >>> utf8kit.arrow.decode(column)
    Traceback (most recent call last):
      ...
    ValueError: row 0, byte 3: truncated sequence: E9 lacks 2 bytes; after E9, expected 80..BF, found the end
    """
    return _native.arrow_decode(_checked(column), policy)


def check_policy(policy: str) -> None:
    """Raises ValueError for an unknown policy."""
    _native.arrow_check_policy(policy)


def without_row(error: Exception) -> str:
    """Returns the message of an error without the row, because engines pass pieces of a column with other row
    numbers."""
    return re.sub(r"row \d+, ", "a value is ill formed: ", str(error), count=1)


def _checked(column: Any) -> Any:
    """Checks a column of pyarrow against the sizes of its buffers, which only pyarrow knows."""
    if type(column).__module__.partition(".")[0] != "pyarrow":
        return column
    if hasattr(column, "validate"):
        column.validate()
        return column
    if not hasattr(column, "read_next_batch"):
        return column
    import pyarrow

    return pyarrow.RecordBatchReader.from_batches(column.schema, (_checked(batch) for batch in column))
