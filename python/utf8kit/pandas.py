"""pandas: `.utf8` of a series. Values are `bytes`, or strings stored by Arrow; needs pyarrow.

>>> import pandas as pd, utf8kit.pandas
>>> series = pd.Series([b"fine", b"caf\\xe9", None], index=["a", "b", "c"])
>>> series.utf8.is_valid()
False
>>> series[series.utf8.bad()].index.to_list()
['b']
>>> series.utf8.repair("replace=?").to_list()[:2]
[b'fine', b'caf?']
>>> series.utf8.decode("fallback=windows-1252").to_list()[:2]
['fine', 'café']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from utf8kit import arrow

if TYPE_CHECKING:
    from collections.abc import Callable

    from utf8kit.arrow import BadValue

__all__ = ["Values"]


@pd.api.extensions.register_series_accessor("utf8")
class Values:
    """`.utf8` of a series of strings or binary values."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def _column(self) -> Any:
        import pyarrow as pa

        column = pa.Array.from_pandas(self._series)
        if pa.types.is_null(column.type):
            column = column.cast(pa.binary())
        return column

    def is_valid(self) -> bool:
        """Reports whether every value is well-formed UTF-8: see `utf8kit.arrow.is_valid`."""
        return arrow.is_valid(self._column())

    def first_error(self) -> BadValue | None:
        """Returns the first error: see `utf8kit.arrow.first_error`. Its row counts from 0, whatever the index."""
        return arrow.first_error(self._column())

    def error_count(self) -> int:
        """Counts the errors."""
        return arrow.error_count(self._column())

    def bad(self) -> pd.Series:
        """Returns a mask of the ill-formed values. It is False for missing values."""
        import pyarrow as pa

        mask = pd.Series(False, index=self._series.index)
        mask.iloc[pa.array(arrow.bad_rows(self._column())).to_pylist()] = True
        return mask

    def errors(self, limit: int | None = None) -> pd.DataFrame:
        """Returns a row per error: row, column, offset, len, kind."""
        import pyarrow as pa

        found: pd.DataFrame = pa.record_batch(arrow.errors(self._column(), limit)).to_pandas()
        return found

    def repair(self, policy: str = "replace") -> pd.Series:
        """Returns the repaired series, of the same type. Categories that become the same are one."""
        import pyarrow as pa

        if isinstance(self._series.dtype, pd.CategoricalDtype):
            return self._with_categories(lambda old: Values(old).repair(policy))
        column = self._column()
        repaired = arrow.repair(column, policy)
        column = pa.chunked_array(repaired) if isinstance(repaired, arrow.Stream) else pa.array(repaired)
        series = column.to_pandas() if self._series.dtype == object else pd.Series(column.to_pandas(), dtype=self._series.dtype)
        series.index, series.name = self._series.index, self._series.name
        return series

    def decode(self, policy: str | None = None) -> pd.Series:
        """Returns strings for bytes: see `utf8kit.arrow.decode`. They are of the usual type of strings (`str`,
        before pandas 3 `object`), or stored by Arrow if the bytes are.

        >>> import pandas as pd, utf8kit.pandas
        >>> pd.Series([b"caf\\xe9", None]).utf8.decode("fallback=windows-1252")[0]
        'café'
        """
        import pyarrow as pa

        if isinstance(self._series.dtype, pd.CategoricalDtype):
            return self._with_categories(lambda old: Values(old).decode(policy))
        decoded = arrow.decode(self._column(), policy)
        column = pa.chunked_array(decoded) if isinstance(decoded, arrow.Stream) else pa.array(decoded)
        if isinstance(self._series.dtype, pd.ArrowDtype):
            values = pd.arrays.ArrowExtensionArray(column)
            return pd.Series(values, index=self._series.index, name=self._series.name)
        series: pd.Series = column.to_pandas()
        series.index, series.name = self._series.index, self._series.name
        return series

    def _with_categories(self, function: Callable[[pd.Series], pd.Series]) -> pd.Series:
        new = pd.Index(function(pd.Series(self._series.cat.categories)))
        categories = new.unique()
        codes = [*categories.get_indexer(new), -1]
        taken = pd.Categorical.from_codes([codes[code] for code in self._series.cat.codes], categories, self._series.cat.ordered)
        return pd.Series(taken, index=self._series.index, name=self._series.name)
