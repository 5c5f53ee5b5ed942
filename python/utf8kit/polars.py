"""Polars: `.utf8` of a series, a frame and an expression.

>>> import polars as pl, utf8kit.polars
>>> series = pl.Series("name", [b"fine", b"caf\\xe9", None])
>>> series.utf8.is_valid()
False
>>> series.utf8.bad_rows().to_list()
[1]
>>> series.utf8.repair("replace=?").to_list()
[b'fine', b'caf?', None]
>>> pl.DataFrame({"name": series}).filter(~pl.col("name").utf8.is_valid()).height
1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from utf8kit import arrow

if TYPE_CHECKING:
    from utf8kit.arrow import BadValue

__all__ = ["Expressions", "Frame", "Values"]


@pl.api.register_series_namespace("utf8")
class Values:
    """`.utf8` of a series of strings or binary values, also nested ones."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def is_valid(self) -> bool:
        """Reports whether every value is well-formed UTF-8: see `utf8kit.arrow.is_valid`."""
        return arrow.is_valid(self._series)

    def first_error(self) -> BadValue | None:
        """Returns the first error: see `utf8kit.arrow.first_error`."""
        return arrow.first_error(self._series)

    def error_count(self) -> int:
        """Counts the errors."""
        return arrow.error_count(self._series)

    def bad_rows(self) -> pl.Series:
        """Returns the numbers of the rows with an ill-formed value."""
        return pl.Series(self._series.name, arrow.bad_rows(self._series))

    def errors(self, limit: int | None = None) -> pl.DataFrame:
        """Returns a row per error: row, column, offset, len, kind."""
        return pl.DataFrame(arrow.errors(self._series, limit))

    def repair(self, policy: str = "replace") -> pl.Series:
        """Returns the repaired series: see `utf8kit.arrow.repair`."""
        return pl.Series(self._series.name, arrow.repair(self._series, policy))


@pl.api.register_dataframe_namespace("utf8")
class Frame:
    """`.utf8` of a frame: all its columns of strings and binary values."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def is_valid(self) -> bool:
        """Reports whether every value is well-formed UTF-8."""
        return arrow.is_valid(self._frame)

    def errors(self, limit: int | None = None) -> pl.DataFrame:
        """Returns a row per error: row, column, offset, len, kind."""
        return pl.DataFrame(arrow.errors(self._frame, limit))

    def repair(self, policy: str = "replace") -> pl.DataFrame:
        """Returns the repaired frame."""
        return pl.DataFrame(arrow.repair(self._frame, policy))


@pl.api.register_expr_namespace("utf8")
class Expressions:
    """`.utf8` of an expression: value by value."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def is_valid(self) -> pl.Expr:
        """Returns for each value whether it is well-formed UTF-8; null for null."""

        def valid(series: pl.Series) -> pl.Series:
            bad = pl.Series(arrow.bad_rows(series), dtype=pl.UInt64)
            rows = pl.Series(range(len(series)), dtype=pl.UInt64)
            marked = ~rows.is_in(bad.implode())
            return marked.set(series.is_null(), None).alias(series.name)

        return self._expr.map_batches(valid, return_dtype=pl.Boolean, is_elementwise=True)

    def repair(self, policy: str = "replace") -> pl.Expr:
        """Returns the repaired values."""

        def repaired(series: pl.Series) -> pl.Series:
            return pl.Series(series.name, arrow.repair(series, policy))

        return self._expr.map_batches(repaired, is_elementwise=True)
