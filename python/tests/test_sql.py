"""The functions for SQL engines: the same results in each engine as in the library, value by value."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

import utf8kit

pa = pytest.importorskip("pyarrow")

VALUES = [b"fine", b"caf\xe9 au lait", None, "größe".encode(), b"", b"\xff\xfe", "cafÃ©".encode()]
#: More rows than the engines pass at a time.
ROWS = [VALUES[row % len(VALUES)] for row in range(20_000)]


class Engine(Protocol):
    def __call__(self, query: str, column: Any) -> list[tuple[Any, ...]]: ...


@pytest.fixture(params=["duckdb", "datafusion"])
def run(request: pytest.FixtureRequest) -> Any:
    """Runs a query over the table `t` with the column `b`; the result is in the order of the column `n`."""
    if request.param == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        import utf8kit.duckdb

        connection = duckdb.connect()
        utf8kit.duckdb.register(connection)
        utf8kit.duckdb.register(connection)

        def query(text: str, column: Any) -> list[tuple[Any, ...]]:
            connection.register("t", pa.table({"n": range(len(column)), "b": column}))
            return connection.execute(text).fetchall()

        yield query
        connection.close()
        return
    datafusion = pytest.importorskip("datafusion")
    import utf8kit.datafusion

    def query(text: str, column: Any) -> list[tuple[Any, ...]]:
        context = datafusion.SessionContext()
        utf8kit.datafusion.register(context)
        utf8kit.datafusion.register(context)
        table = pa.table({"n": range(len(column)), "b": column})
        context.register_record_batches("t", [table.to_batches(7000) or [pa.record_batch(table.slice(0, 0).to_pydict(), table.schema)]])
        return [tuple(row.values()) for row in context.sql(text).to_pylist()]

    yield query


def test_results(run: Engine) -> None:
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        column = pa.array(ROWS, pa.binary()).cast(kind)
        told = run("SELECT utf8_is_valid(b) AS v, utf8_error_count(b) AS e, utf8_repair(b, 'fallback=cp437') AS r FROM t ORDER BY n", column)
        assert told == [
            (None, None, None)
            if value is None
            else (utf8kit.is_valid(value), len(utf8kit.errors(value)), utf8kit.repair(value, "fallback=cp437").decode())
            for value in ROWS
        ]
    doubled = run("SELECT utf8_fix_mojibake(b) AS u FROM t ORDER BY n", pa.array(["cafÃ©", None, "café", "x"]))
    assert doubled == [("café",), (None,), ("café",), ("x",)]


def test_filters_and_groups(run: Engine) -> None:
    column = pa.array(ROWS)
    assert run("SELECT count(*) AS c FROM t WHERE NOT utf8_is_valid(b)", column) == [(sum(not utf8kit.is_valid(value) for value in ROWS if value is not None),)]
    grouped = run("SELECT utf8_repair(b, 'replace') AS r, count(*) AS c FROM t WHERE b IS NOT NULL GROUP BY 1 ORDER BY 1", column)
    assert dict(grouped) == {utf8kit.repair(value).decode(): ROWS.count(value) for value in VALUES if value is not None}
    assert run("SELECT utf8_is_valid(b) AS v FROM t", column[:0]) == []
    assert run("SELECT utf8_is_valid(b) AS v, utf8_repair(b, 'escape') AS r FROM t", pa.nulls(3, pa.binary())) == [(None, None)] * 3


def test_a_policy_for_each_row(run: Engine) -> None:
    query = "SELECT utf8_repair(b, CASE n % 4 WHEN 0 THEN 'replace' WHEN 1 THEN 'fallback=latin1' WHEN 2 THEN 'mojibake' END) AS r FROM t ORDER BY n"
    column = [b"a\xff", b"caf\xe9", "cafÃ©".encode(), b"none"] * 2 + [None, None, None, b"\xff"]
    assert run(query, pa.array(column)) == [("a\ufffd",), ("café",), ("café",), (None,)] * 2 + [(None,)] * 4


def test_what_is_refused(run: Engine) -> None:
    with pytest.raises(Exception, match="unknown policy: nonsense"):
        run("SELECT utf8_repair(b, 'nonsense') AS r FROM t", pa.array([b"a"]))
    with pytest.raises(Exception, match="a value is ill formed: byte 0"):
        run("SELECT utf8_repair(b, 'mojibake') AS r FROM t", pa.array([b"a", b"\xff"]))
    # Text is not bytes, because a cast would interpret its backslashes.
    with pytest.raises(Exception, match="(?i)utf8_is_valid"):
        run("SELECT utf8_is_valid(b) AS r FROM t", pa.array(["C:\\xampp"]))
