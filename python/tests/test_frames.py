"""The accessors of polars and pandas."""

from __future__ import annotations

import pytest

VALUES = [b"fine", b"caf\xe9 au lait, s'il vous pla\xeet", None, "größe".encode(), b""]
REPAIRED = [b"fine", "caf\ufffd au lait, s'il vous pla\ufffdt".encode(), None, "größe".encode(), b""]


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    import utf8kit.polars

    series = pl.Series("s", VALUES)
    assert not series.utf8.is_valid() and series.utf8.error_count() == 2
    assert series.utf8.first_error().row == 1 and series.utf8.bad_rows().to_list() == [1]
    assert series.utf8.errors()["offset"].to_list() == [3, 27]
    assert series.utf8.repair().to_list() == REPAIRED and series.utf8.repair().name == "s"
    frame = pl.DataFrame({"n": range(5), "s": series})
    assert not frame.utf8.is_valid() and frame.utf8.errors(limit=1)["column"].to_list() == ["s"]
    assert frame.utf8.repair()["s"].to_list() == REPAIRED
    told = frame.select(pl.col("s").utf8.is_valid())["s"].to_list()
    assert told == [True, False, None, True, True]
    assert frame.lazy().with_columns(pl.col("s").utf8.repair()).collect()["s"].to_list() == REPAIRED
    assert frame["s"].utf8.repair().cast(pl.String).utf8.is_valid()
    assert utf8kit.polars.__all__


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    import pyarrow as pa

    import utf8kit.pandas

    series = pd.Series(VALUES, index=list("abcde"), name="s")
    assert not series.utf8.is_valid() and series.utf8.error_count() == 2
    assert series.utf8.first_error().row == 1
    assert series.utf8.bad().to_list() == [False, True, False, False, False]
    assert series.utf8.errors()["kind"].to_list() == ["truncated", "truncated"]
    repaired = series.utf8.repair()
    assert repaired.to_list() == REPAIRED and list(repaired.index) == list("abcde") and repaired.name == "s"
    arrow = pd.Series(VALUES, dtype=pd.ArrowDtype(pa.binary()))
    assert arrow.utf8.repair().dtype == arrow.dtype and arrow.utf8.repair()[1] == REPAIRED[1]
    text = pd.Series(["a", None, "ä"])
    assert text.utf8.is_valid() and text.utf8.repair().equals(text)
    assert pd.Series([None, None]).utf8.is_valid()
    assert utf8kit.pandas.__all__


def test_categories() -> None:
    """Two categories may become the same; codes, order and missing values stay."""
    pd = pytest.importorskip("pandas")
    import utf8kit.pandas

    kinds = pd.CategoricalDtype([b"b\xff", b"a", b"b\xfe", b"unused\xff"], ordered=True)
    series = pd.Series([b"a", b"b\xfe", None, b"b\xff", b"a"], index=list("vwxyz"), name="s", dtype=kinds)
    assert series.utf8.error_count() == 2
    repaired = series.utf8.repair()
    assert repaired.to_list()[:2] == [b"a", b"b\xef\xbf\xbd"] and repaired.isna().to_list() == [False, False, True, False, False]
    assert repaired.cat.ordered and repaired.cat.categories.to_list() == [b"b\xef\xbf\xbd", b"a", b"unused\xef\xbf\xbd"]
    assert list(repaired.index) == list("vwxyz") and repaired.name == "s" and repaired["w"] == repaired["y"]
    clean = pd.Series(["x", None, "ö"], dtype="category")
    assert clean.utf8.repair().equals(clean)
