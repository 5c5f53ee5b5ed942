"""Rows of CSV, TSV and JSON lines: finds text that a system rejects, by field, and repairs it.

Databases and formats reject more than invalid bytes: NUL in PostgreSQL, emoji in MySQL's `utf8mb3`, half of a surrogate
pair in a JSON escape, a value that is longer than its column. `targets()` lists the known systems.

>>> from utf8kit import rows
>>> data = b"id,name\\n1,caf\\xe9\\n2,nul\\x00l\\n3,fine\\n"
>>> for problem in rows.check(data, "csv", target="postgresql"):
...     print(problem.row, problem.field, problem.name, problem.kind)
2 2 name truncated
3 2 name nul
>>> rows.repair(data, "csv", "remove", target="postgresql")
b'id,name\\n1,caf\\n2,null\\n3,fine\\n'
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from utf8kit import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

    Format = Literal["csv", "tsv", "jsonl", "lines"]

__all__ = ["Problem", "check", "repair", "targets"]


class Problem(NamedTuple):
    """A problem in a row."""

    #: The number of the row, from 1. The header counts as a row.
    row: int
    #: The number of the field in CSV and TSV, from 1.
    field: int | None
    #: The name of the column, if the first row has one. In JSON lines, the path: `$.user.tags[2]`.
    name: str | None
    #: Its offset and length in the input, in bytes.
    offset: int
    len: int
    #: Its kind: the kind of an error (see `Utf8Error`), `broken_quote`, `row_too_long`, or why the target rejects it,
    #: such as `nul` or `too_long`.
    kind: str
    #: A description in words.
    reason: str


def targets() -> dict[str, str]:
    """Returns the names of the systems that rows can be checked for, each with a description.

    >>> from utf8kit import rows
    >>> "mysql-utf8mb3" in rows.targets()
    True
    """
    return dict(_native.targets())


def check(
    source: Buffer | str | os.PathLike[str],
    format: Format | None = None,
    *,
    target: str | Sequence[str] = (),
    encoding: str = "utf-8",
    delimiter: str | None = None,
    quote: str | None = None,
    fields: int | Literal["header"] | None = None,
    max_bytes: int | None = None,
    max_chars: int | None = None,
    limit: int | None = None,
) -> list[Problem]:
    """Returns the problems of rows, in order. A file is read on all cores, and is not loaded into memory.

    Args:
        source: the path of a file, or any buffer.
        format: `csv`, `tsv`, `jsonl` or `lines`. Default: plain text, or for some targets JSON or XML text.
        target: one of `targets()`, or several. Text is rejected if any of them rejects it.
        encoding: the encoding of the rows: any that `utf8kit.convert` supports. The targets receive the rows in UTF-8.
        delimiter, quote: one character each; no quotes if `quote` is empty. Default: as usual in the format.
        fields: the number of fields that each row must have, or `header` for as many as the first row has.
        max_bytes, max_chars: the maximum length of a value, in bytes or code points.
        limit: the maximum number of problems returned.

    Raises:
        OSError: the file cannot be read.
        LookupError: no target or encoding has this name.
        ValueError: the options do not fit the format.
    """
    rows = _rows(format, target, encoding, delimiter, quote, fields, max_bytes, max_chars)
    return [Problem(*problem) for problem in rows.check(source, (1 << 63) - 1 if limit is None else limit)]


def repair(
    data: Buffer,
    format: Format | None = None,
    policy: str = "replace",
    *,
    target: str | Sequence[str] = (),
    delimiter: str | None = None,
    quote: str | None = None,
    max_bytes: int | None = None,
    max_chars: int | None = None,
) -> bytes:
    """Returns rows of UTF-8, with invalid and rejected text handled by the policy, and overlong values truncated.
    Rows that are rejected as a whole (a broken quote, another number of fields) are unchanged.

    Args:
        data: any buffer.
        policy: one of the policies of `utf8kit.repair` for single errors.
        format, target, delimiter, quote, max_bytes, max_chars: as for `check`.

    Returns:
        bytes; the same object if it is `bytes` and nothing changed.

    Raises:
        ValueError: the target rejects what the policy writes; or as for `check`.
        LookupError: no target has this name.
    """
    rows = _rows(format, target, "utf-8", delimiter, quote, None, max_bytes, max_chars)
    return rows.repair(data, policy)[0]


def _rows(
    format: Format | None,
    target: str | Sequence[str],
    encoding: str,
    delimiter: str | None,
    quote: str | None,
    fields: int | Literal["header"] | None,
    max_bytes: int | None,
    max_chars: int | None,
) -> _native.Rows:
    targets = [target] if isinstance(target, str) else list(target)
    return _native.Rows(format, targets, encoding, delimiter, quote, fields, max_bytes, max_chars)
