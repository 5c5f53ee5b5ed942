"""The accessors of polars and pandas."""

from __future__ import annotations

import pytest

import utf8kit

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


def test_polars_decodes() -> None:
    pl = pytest.importorskip("polars")
    import utf8kit.polars

    latin = [None if value is None else utf8kit.repair(value, "fallback=windows-1252").decode() for value in VALUES]
    series = pl.Series("s", VALUES)
    decoded = series.utf8.decode("fallback=windows-1252")
    assert decoded.dtype == pl.String and decoded.to_list() == latin and decoded.name == "s"
    assert series.utf8.mask().to_list() == [True, False, None, True, True]
    with pytest.raises(Exception, match="row 1, byte 3: truncated"):
        series.utf8.decode()
    frame = pl.DataFrame({"n": range(5), "s": series, "l": [[value] if value else [] for value in VALUES]})
    wanted = [[value] if value else [] for value in latin]
    for given in (frame, frame.lazy()):
        both = given.utf8.decode("fallback=windows-1252")
        assert both.lazy().collect_schema() == {"n": pl.Int64, "s": pl.String, "l": pl.List(pl.String)}
        both = both.lazy().collect()
        assert both["s"].to_list() == latin and both["l"].to_list() == wanted
        one = given.utf8.repair("replace", "s").lazy().collect()
        assert one["s"].to_list() == REPAIRED and one["l"].to_list() == frame["l"].to_list()
        with pytest.raises(ValueError, match="is called n"):
            given.utf8.repair("replace", ["s", "n"])
        with pytest.raises(ValueError, match="unknown policy"):
            given.utf8.repair("nonsense")
    assert not frame.utf8.is_valid("s") and frame.utf8.is_valid([]) and frame.utf8.errors(columns="l")["column"].to_list() == ["l.item"] * 2


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_polars_expressions(engine: str, tmp_path) -> None:
    """Lazily, in pieces, from a file to a file, in groups, over windows, and from a plan that was pickled."""
    pl = pytest.importorskip("polars")
    import utf8kit.polars  # noqa: F401

    count = 300_000
    values = [VALUES[row % 5] for row in range(count)]
    wanted = [REPAIRED[row % 5] for row in range(count)]
    frame = pl.DataFrame({"g": [row % 3 for row in range(count)], "s": values})
    frame.write_parquet(tmp_path / "in.parquet", row_group_size=50_000)
    expr = pl.col("s").utf8
    plan = pl.scan_parquet(tmp_path / "in.parquet").with_columns(
        r=expr.repair(), t=expr.decode("replace"), v=expr.is_valid(), e=expr.error_count()
    )
    kinds = {"g": pl.Int64, "s": pl.Binary, "r": pl.Binary, "t": pl.String, "v": pl.Boolean, "e": pl.UInt64}
    assert plan.collect_schema() == kinds
    plan = pl.LazyFrame.deserialize(plan.serialize())
    told = plan.collect(engine=engine)
    assert told.schema == kinds and told["r"].to_list() == wanted
    assert told["t"].to_list() == [None if value is None else value.decode() for value in wanted]
    assert told["v"].to_list() == [True, False, None, True, True] * (count // 5)
    assert told["e"].to_list() == [0, 2, None, 0, 0] * (count // 5)
    plan.filter(~pl.col("v")).select("r").sink_parquet(tmp_path / "out.parquet", engine=engine)
    assert pl.read_parquet(tmp_path / "out.parquet")["r"].to_list() == [REPAIRED[1]] * (count // 5)
    grouped = plan.group_by("g").agg(pl.col("s").utf8.repair().drop_nulls().n_unique(), pl.col("s").utf8.error_count().sum().alias("n"))
    assert sorted(grouped.collect(engine=engine).rows()) == [(g, 4, 2 * sum(row % 3 == g for row in range(1, count, 5))) for g in range(3)]
    over = plan.select(pl.col("s").utf8.is_valid().not_().sum().over("g").alias("n")).unique()
    assert over.collect(engine=engine)["n"].to_list() == [count // 15]
    with pytest.raises(pl.exceptions.PolarsError, match="a value is ill formed: byte 3: truncated"):
        plan.select(expr.decode()).collect(engine=engine)
    assert plan.select(pl.col("s").head(0).utf8.decode()).collect(engine=engine).schema == {"s": pl.String}


def test_pandas_decodes() -> None:
    pd = pytest.importorskip("pandas")
    import pyarrow as pa

    import utf8kit.pandas  # noqa: F401

    latin = [None if value is None else utf8kit.repair(value, "fallback=windows-1252").decode() for value in VALUES]
    series = pd.Series(VALUES, index=list("abcde"), name="s")
    for given in (series, series.astype(pd.ArrowDtype(pa.binary()))):
        decoded = given.utf8.decode("fallback=windows-1252")
        assert [value if isinstance(value, str) else None for value in decoded] == latin
        assert list(decoded.index) == list("abcde") and decoded.name == "s" and decoded.str.len()["b"] == len(latin[1])
        with pytest.raises(ValueError, match="row 1, byte 3"):
            given.utf8.decode()
    assert series.astype(pd.ArrowDtype(pa.binary())).utf8.decode("replace").dtype == pd.ArrowDtype(pa.string())
    category = pd.Series([b"x", b"caf\xe9", b"x"], dtype="category").utf8.decode("fallback=latin1")
    assert category.to_list() == ["x", "café", "x"] and len(category.cat.categories) == 2
    assert pd.Series(["cafÃ©", "tea"]).utf8.repair("mojibake").to_list() == ["café", "tea"]


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
