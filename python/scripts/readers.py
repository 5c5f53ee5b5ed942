"""Tests how Parquet readers handle strings that are not UTF-8, for the table in COMPARE.md.

    python python/scripts/readers.py            # all readers that are installed
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

import utf8kit.parquet

#: One good value, then one of each kind of error.
VALUES = [b"fine", b"caf\xe9", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"]


def write(path: str) -> None:
    column = pa.array(VALUES, pa.binary())
    strings = pa.Array.from_buffers(pa.string(), len(column), column.buffers())
    pq.write_table(pa.table({"name": strings}), path, row_group_size=2)


def shown(values: list[object]) -> str:
    """Compares the result of a reader with the content of the file."""
    same = [value == data or isinstance(value, str) and value.encode("utf-8", "surrogateescape") == data for value, data in zip(values, VALUES, strict=True)]
    if all(same):
        return "returns the bytes as they are"
    replaced = sum("\ufffd" in value for value in values if isinstance(value, str))
    return f"returns {len(values)} values, {replaced} of them with U+FFFD, and says nothing"


def with_pyarrow(path: str) -> str:
    table = pq.read_table(path)
    return f"reads and counts {table.num_rows} rows; {shown(table['name'].to_pylist())}"


def with_pandas(path: str) -> str:
    import pandas as pd

    return shown(pd.read_parquet(path, engine="pyarrow")["name"].to_list())


def with_polars(path: str) -> str:
    import polars as pl

    return shown(pl.read_parquet(path)["name"].to_list())


def with_duckdb(path: str) -> str:
    import duckdb

    return shown([row[0] for row in duckdb.sql(f"select name from '{path}'").fetchall()])


def with_daft(path: str) -> str:
    import daft

    return shown(daft.read_parquet(path).to_pydict()["name"])


def with_pyspark(path: str) -> str:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    return shown([row["name"] for row in spark.read.parquet(path).collect()])


def with_utf8kit(path: str) -> str:
    places = [f"row group {bad.row_group}, row {bad.row}, byte {bad.offset}: {bad.kind}" for bad in utf8kit.parquet.check(path) if bad.where == "value"]
    return f"names {len(places)} errors: {places[0]}; ..."


READERS: dict[str, Callable[[str], str]] = {
    "pyarrow": with_pyarrow,
    "pandas": with_pandas,
    "polars": with_polars,
    "duckdb": with_duckdb,
    "daft": with_daft,
    "pyspark": with_pyspark,
    "utf8kit": with_utf8kit,
}


def main() -> None:
    path = os.path.join(tempfile.mkdtemp(), "broken.parquet")
    write(path)
    print("| reader | what it makes of it |\n|---|---|")
    for name, read in READERS.items():
        try:
            version = importlib.metadata.version(name)
            answer = read(path)
        except (ImportError, importlib.metadata.PackageNotFoundError):
            continue
        except Exception as error:  # noqa: BLE001 - that is the answer
            message = str(error).replace(path, "broken.parquet").strip().splitlines()[0].replace("|", "\\|")
            answer = f"fails: `{type(error).__name__}: {message[:110]}`"
        print(f"| {name} {version} | {answer} |")


if __name__ == "__main__":
    main()
