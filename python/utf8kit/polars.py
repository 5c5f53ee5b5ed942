"""Polars: `.utf8` of a series, an expression, a frame and a lazy frame.

>>> import polars as pl, utf8kit.polars
>>> series = pl.Series("name", [b"fine", b"caf\\xe9", None])
>>> series.utf8.is_valid()
False
>>> series.utf8.bad_rows().to_list()
[1]
>>> series.utf8.decode("fallback=windows-1252").to_list()
['fine', 'café', None]
>>> frame = pl.LazyFrame({"name": series}).with_columns(pl.col("name").utf8.repair("replace=?"))
>>> frame.collect(engine="streaming")["name"].to_list()
[b'fine', b'caf?', None]

Expressions are evaluated value by value, so they work lazily, in the streaming engine, within groups, and in pickled
plans. The work is done without the GIL, which each piece takes briefly three times.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import polars as pl

from utf8kit import arrow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utf8kit.arrow import BadValue

__all__ = ["Expressions", "Frame", "LazyFrame", "Values"]


@pl.api.register_series_namespace("utf8")
class Values:
    """`.utf8` of a series of strings or binary values, also nested ones."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def is_valid(self) -> bool:
        """Reports whether every value is valid UTF-8: see `utf8kit.arrow.is_valid`."""
        return arrow.is_valid(self._series)

    def first_error(self) -> BadValue | None:
        """Returns the first error: see `utf8kit.arrow.first_error`."""
        return arrow.first_error(self._series)

    def error_count(self) -> int:
        """Counts the errors."""
        return arrow.error_count(self._series)

    def bad_rows(self) -> pl.Series:
        """Returns the numbers of the rows with an invalid value."""
        return pl.Series(self._series.name, arrow.bad_rows(self._series))

    def mask(self) -> pl.Series:
        """Returns for each row whether it is valid, or null for null."""
        return pl.Series(self._series.name, arrow.mask(self._series))

    def errors(self, limit: int | None = None) -> pl.DataFrame:
        """Returns a row per error: row, column, offset, len, kind."""
        return pl.DataFrame(arrow.errors(self._series, limit))

    def repair(self, policy: str = "replace") -> pl.Series:
        """Returns the repaired series: see `utf8kit.arrow.repair`."""
        return pl.Series(self._series.name, arrow.repair(self._series, policy))

    def decode(self, policy: str | None = None) -> pl.Series:
        """Returns the series with bytes decoded to strings: see `utf8kit.arrow.decode`.

        Raises:
            polars.exceptions.ComputeError: a value is invalid, and there is no policy, or one that leaves errors.
        """
        return pl.Series(self._series.name, arrow.decode(self._series, policy))


@pl.api.register_expr_namespace("utf8")
class Expressions:
    """`.utf8` of an expression: value by value."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def is_valid(self) -> pl.Expr:
        """Returns for each value whether it is valid UTF-8, or null for null.

        >>> import polars as pl, utf8kit.polars
        >>> frame = pl.DataFrame({"name": [b"fine", b"caf\\xe9"]})
        >>> frame.filter(~pl.col("name").utf8.is_valid()).height
        1
        """
        return self._expr.map_batches(_mask, return_dtype=pl.Boolean, is_elementwise=True)

    def error_count(self) -> pl.Expr:
        """Returns for each value the number of its errors, or null for null."""
        return self._expr.map_batches(_error_count, return_dtype=pl.UInt64, is_elementwise=True)

    def repair(self, policy: str = "replace") -> pl.Expr:
        """Returns the repaired values: see `utf8kit.arrow.repair`. Their type stays the same."""
        arrow.check_policy(policy)
        return self._expr.map_batches(functools.partial(_repair, policy), return_dtype=_same(), is_elementwise=True)

    def decode(self, policy: str | None = None) -> pl.Expr:
        """Returns binary values decoded to strings: see `utf8kit.arrow.decode`. For nested types, use this method of
        the series or the frame.

        >>> import polars as pl, utf8kit.polars
        >>> rows = pl.LazyFrame({"id": [1, 1, 2], "name": [b"a", b"caf\\xe9", b"b"]})
        >>> joined = rows.group_by("id").agg(pl.col("name").utf8.decode("escape").str.join("|")).sort("id")
        >>> joined.collect()["name"].to_list()
        ['a|caf\\\\xE9', 'b']
        """
        if policy is not None:
            arrow.check_policy(policy)
        return self._expr.map_batches(functools.partial(_decode, policy), return_dtype=pl.String, is_elementwise=True)


@pl.api.register_dataframe_namespace("utf8")
class Frame:
    """`.utf8` of a frame: applies to its columns of strings and binary values, including nested ones, or to the named
    columns."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def is_valid(self, columns: str | Iterable[str] | None = None) -> bool:
        """Reports whether every value is well-formed UTF-8."""
        names = _chosen(self._frame.schema, columns)
        return not names or arrow.is_valid(self._frame.select(names))

    def errors(self, limit: int | None = None, columns: str | Iterable[str] | None = None) -> pl.DataFrame:
        """Returns a row per error: row, column, offset, len, kind."""
        return pl.DataFrame(arrow.errors(self._frame.select(_chosen(self._frame.schema, columns)), limit))

    def repair(self, policy: str = "replace", columns: str | Iterable[str] | None = None) -> pl.DataFrame:
        """Returns the frame with these columns repaired: see `utf8kit.arrow.repair`."""
        names = _chosen(self._frame.schema, columns)
        return self._frame.with_columns(Values(self._frame[name]).repair(policy) for name in names)

    def decode(self, policy: str | None = None, columns: str | Iterable[str] | None = None) -> pl.DataFrame:
        """Returns the frame with the bytes in these columns decoded to strings: see `utf8kit.arrow.decode`.

        Args:
            policy: as for `utf8kit.arrow.decode`.
            columns: pass them if other binary columns contain something other than text.
        """
        names = _chosen(self._frame.schema, columns)
        return self._frame.with_columns(Values(self._frame[name]).decode(policy) for name in names)


@pl.api.register_lazyframe_namespace("utf8")
class LazyFrame:
    """`.utf8` of a lazy frame: the same as for a frame, evaluated when it is collected."""

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame

    def repair(self, policy: str = "replace", columns: str | Iterable[str] | None = None) -> pl.LazyFrame:
        """Returns the frame with these columns repaired.

        >>> import polars as pl, utf8kit.polars
        >>> frame = pl.LazyFrame({"id": [1], "name": [b"caf\\xe9"]})
        >>> frame.utf8.repair("remove").collect().row(0)
        (1, b'caf')
        """
        arrow.check_policy(policy)
        return self._mapped(functools.partial(_repair, policy), columns, lambda kind: kind)

    def decode(self, policy: str | None = None, columns: str | Iterable[str] | None = None) -> pl.LazyFrame:
        """Returns the frame with the bytes in these columns decoded to strings."""
        if policy is not None:
            arrow.check_policy(policy)
        return self._mapped(functools.partial(_decode, policy), columns, _decoded)

    def _mapped(self, function: Any, columns: str | Iterable[str] | None, kind: Any) -> pl.LazyFrame:
        schema = self._frame.collect_schema()
        return self._frame.with_columns(
            pl.col(name).map_batches(function, return_dtype=kind(schema[name]), is_elementwise=True)
            for name in _chosen(schema, columns)
        )


def _chosen(schema: Any, columns: str | Iterable[str] | None) -> list[str]:
    """Returns the columns with strings or binary values, or the named ones among them."""
    found = [name for name, kind in schema.items() if _has_text(kind)]
    if columns is None:
        return found
    wanted = [columns] if isinstance(columns, str) else list(columns)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(f"no column of strings or binary values is called {', '.join(missing)}")
    return wanted


def _has_text(kind: Any) -> bool:
    return any(_has_text(inner) for inner in _inner(kind)) or kind in (pl.String, pl.Binary)


def _inner(kind: Any) -> list[Any]:
    match kind:
        case pl.Struct():
            return [field.dtype for field in kind.fields]
        case pl.List() | pl.Array():
            return [kind.inner]
    return []


def _decoded(kind: Any) -> Any:
    """Returns a type in which bytes are strings."""
    match kind:
        case pl.Struct():
            return pl.Struct({field.name: _decoded(field.dtype) for field in kind.fields})
        case pl.List():
            return pl.List(_decoded(kind.inner))
        case pl.Array():
            return pl.Array(_decoded(kind.inner), kind.size)
    return pl.String() if kind == pl.Binary else kind


def _same() -> Any:
    """Returns the argument that declares that the type is unchanged. Before polars 1.32, that is assumed."""
    return pl.self_dtype() if hasattr(pl, "self_dtype") else None


# Functions of the module and not of the classes, so that plans can be pickled.


def _mask(series: pl.Series) -> pl.Series:
    return Values(series).mask()


def _error_count(series: pl.Series) -> pl.Series:
    counts = pl.zeros(len(series), pl.UInt64, eager=True)
    found = Values(series).errors()["row"].value_counts()
    counts = counts.scatter(found["row"], found["count"])
    return counts.set(series.is_null(), None) if series.null_count() else counts


def _repair(policy: str, series: pl.Series) -> pl.Series:
    return Values(series).repair(policy)


def _decode(policy: str | None, series: pl.Series) -> pl.Series:
    try:
        return Values(series).decode(policy)
    except (ValueError, pl.exceptions.PolarsError) as error:
        raise pl.exceptions.ComputeError(arrow.without_row(error)) from None
