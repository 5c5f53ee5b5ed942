"""pandas: `.utf8` of a series or a frame. Values are `bytes`, or strings stored by Arrow; needs pyarrow.

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

__all__ = ["Frame", "Values"]


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
        """Reports whether every value is valid UTF-8: see `utf8kit.arrow.is_valid`."""
        return arrow.is_valid(self._column())

    def first_error(self) -> BadValue | None:
        """Returns the first error: see `utf8kit.arrow.first_error`. Its row counts from 0, independently of the
        index."""
        return arrow.first_error(self._column())

    def error_count(self) -> int:
        """Counts the errors."""
        return arrow.error_count(self._column())

    def bad(self) -> pd.Series:
        """Returns a mask of the invalid values. It is False for missing values."""
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
        """Returns the repaired series, of the same type. Categories that become equal are merged."""
        import pyarrow as pa

        if isinstance(self._series.dtype, pd.CategoricalDtype):
            return self._with_categories(lambda old: Values(old).repair(policy))
        column = self._column()
        repaired = arrow.repair(column, policy)
        column = pa.chunked_array(repaired) if isinstance(repaired, arrow.Stream) else pa.array(repaired)
        return self._like(column, self._series.dtype)

    def decode(self, policy: str | None = None) -> pd.Series:
        """Returns the bytes as strings: see `utf8kit.arrow.decode`. They have the usual type of strings (`str`, before
        pandas 3 `object`), or are stored by Arrow if the bytes are.

        >>> import pandas as pd, utf8kit.pandas
        >>> pd.Series([b"caf\\xe9", None]).utf8.decode("fallback=windows-1252")[0]
        'café'
        """
        import pyarrow as pa

        if isinstance(self._series.dtype, pd.CategoricalDtype):
            return self._with_categories(lambda old: Values(old).decode(policy))
        decoded = arrow.decode(self._column(), policy)
        column = pa.chunked_array(decoded) if isinstance(decoded, arrow.Stream) else pa.array(decoded)
        is_arrow = isinstance(self._series.dtype, pd.ArrowDtype)
        return self._like(column, pd.ArrowDtype(column.type) if is_arrow else None)

    def _like(self, column: Any, dtype: Any) -> pd.Series:
        """Returns a series of a column with the index and the name of this one. Types that store Arrow arrays adopt
        them directly. Value by value, it would take up to 400 times as long."""
        take = getattr(dtype, "__from_arrow__", None)
        series = pd.Series(take(column)) if take is not None else column.to_pandas()
        series.index, series.name = self._series.index, self._series.name
        return series

    def _with_categories(self, function: Callable[[pd.Series], pd.Series]) -> pd.Series:
        new = pd.Index(function(pd.Series(self._series.cat.categories)))
        categories = new.unique()
        codes = [*categories.get_indexer(new), -1]
        taken = pd.Categorical.from_codes([codes[code] for code in self._series.cat.codes], categories, self._series.cat.ordered)
        return pd.Series(taken, index=self._series.index, name=self._series.name)


@pd.api.extensions.register_dataframe_accessor("utf8")
class Frame:
    """`.utf8` of a frame: the same for each column of strings or bytes. Other columns are unchanged.

    >>> import pandas as pd, utf8kit.pandas
    >>> frame = pd.DataFrame({"id": [1, 2], "name": [b"fine", b"caf\\xe9"]})
    >>> frame.utf8.is_valid()
    False
    >>> frame.utf8.error_count()
    1
    >>> frame.utf8.decode("fallback=windows-1252")["name"].to_list()
    ['fine', 'café']
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def _columns(self) -> list[tuple[int, Values]]:
        columns = [(at, self._frame.iloc[:, at]) for at in range(self._frame.shape[1])]
        return [(at, Values(series)) for at, series in columns if _holds_text(series)]

    def is_valid(self) -> bool:
        """Reports whether every value of every column is valid UTF-8."""
        return all(values.is_valid() for _, values in self._columns())

    def error_count(self) -> int:
        """Counts the errors."""
        return sum(values.error_count() for _, values in self._columns())

    def bad(self) -> pd.Series:
        """Returns a mask of the rows with an invalid value in any column."""
        mask = pd.Series(False, index=self._frame.index)
        for _, values in self._columns():
            mask |= values.bad()
        return mask

    def repair(self, policy: str = "replace") -> pd.DataFrame:
        """Returns the frame with repaired columns: see `Values.repair`."""
        return self._with(lambda values: values.repair(policy))

    def decode(self, policy: str | None = None) -> pd.DataFrame:
        """Returns the frame with bytes decoded to strings: see `Values.decode`."""
        return self._with(lambda values: values.decode(policy))

    def _with(self, function: Callable[[Values], pd.Series]) -> pd.DataFrame:
        frame = self._frame.copy(deep=False)
        for at, values in self._columns():
            frame.isetitem(at, function(values).array)
        return frame


def _holds_text(series: pd.Series) -> bool:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _holds_text(pd.Series(series.cat.categories))
    kind = pd.api.types.infer_dtype(series, skipna=True)
    return kind in ("bytes", "string") or str(series.dtype) in ("binary[pyarrow]", "large_binary[pyarrow]")
