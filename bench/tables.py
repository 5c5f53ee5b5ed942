"""Reads and writes whole tables with invalid text, with utf8kit and with the usual code without it. Reports the time,
CPU time and peak memory of each way, in separate processes.

    python bench/tables.py [--bytes 2000000000] [--folder DIR] [NAME...]

A row has a number, a name of about 20 bytes and a note of about 80; one value in a thousand holds a byte of
Windows-1252. Nothing is compressed, because that would take longer than everything else. Needs Linux, utf8kit, polars,
pandas, pyarrow, duckdb, datafusion.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

#: Rows that are written at a time.
BLOCK = 100_000
POLICY = "fallback=windows-1252"
COLUMNS = ("name", "note")


# The input.


def block(first: int) -> tuple[list[bytes], list[bytes]]:
    names, notes = [], []
    for row in range(first, first + BLOCK):
        names.append(b"customer Gr\xc3\xb6\xc3\x9fe %x" % (row * 2654435761 % 2**32))
        notes.append(
            b"order %d: na\xc3\xafve caf\xc3\xa9, plain words of a note that somebody typed, and some more" % row
        )
    for at in range(0, BLOCK, 2000):
        names[at], notes[at + 999] = names[at] + b" caf\xe9", notes[at + 999] + b" d\xe9j\xe0"
    return names, notes


def make(folder: Path, size: int) -> int:
    """Writes table.csv and table.parquet, whose columns contain bytes. Returns the number of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = size // 115 // BLOCK * BLOCK
    schema = pa.schema([("id", pa.int64()), ("name", pa.binary()), ("note", pa.binary())])
    with (
        open(folder / "table.csv", "wb") as csv,
        pq.ParquetWriter(folder / "table.parquet", schema, use_dictionary=False, compression="none") as parquet,
    ):
        csv.write(b"id,name,note\n")
        for first in range(0, rows, BLOCK):
            names, notes = block(first)
            csv.writelines(b'%d,%s,"%s"\n' % (first + at, names[at], notes[at]) for at in range(BLOCK))
            parquet.write_table(
                pa.table([range(first, first + BLOCK), names, notes], schema=schema), row_group_size=BLOCK
            )
    return rows


# Ways to a Parquet file of strings. Each is passed the folder.


def csv_polars_lossy(folder: Path) -> None:
    """CSV: polars, `encoding="utf8-lossy"`"""
    import polars as pl

    pl.scan_csv(folder / "table.csv", encoding="utf8-lossy").sink_parquet(
        folder / "out.parquet", compression="uncompressed"
    )


def csv_pandas_replace(folder: Path) -> None:
    """CSV: pandas, `encoding_errors="replace"`"""
    import pandas as pd

    pd.read_csv(folder / "table.csv", encoding_errors="replace").to_parquet(folder / "out.parquet", compression=None)


def csv_polars_repaired(folder: Path) -> None:
    """CSV: `utf8kit.repair_file`, then polars"""
    import polars as pl

    import utf8kit

    utf8kit.repair_file(folder / "table.csv", folder / "clean.csv", POLICY)
    pl.scan_csv(folder / "clean.csv").sink_parquet(folder / "out.parquet", compression="uncompressed")
    os.remove(folder / "clean.csv")


def csv_arrow_decode(folder: Path) -> None:
    """CSV: pyarrow, in batches, `arrow.decode`"""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    from utf8kit import arrow

    kinds = pyarrow.csv.ConvertOptions(column_types={name: pa.binary() for name in COLUMNS})
    batches = pyarrow.csv.open_csv(
        folder / "table.csv", pyarrow.csv.ReadOptions(block_size=16 << 20), convert_options=kinds
    )
    decoded = pa.RecordBatchReader.from_stream(arrow.decode(batches, POLICY))
    with pq.ParquetWriter(folder / "out.parquet", decoded.schema, compression="none") as out:
        for batch in decoded:
            out.write_batch(batch)


def parquet_python(folder: Path) -> None:
    """Parquet: polars, `map_elements(bytes.decode)`"""
    import polars as pl

    def decode(value: bytes) -> str:
        return value.decode("utf-8", "replace")

    columns = [pl.col(name).map_elements(decode, return_dtype=pl.String) for name in COLUMNS]
    pl.scan_parquet(folder / "table.parquet").with_columns(columns).sink_parquet(
        folder / "out.parquet", compression="uncompressed"
    )


def parquet_copy(folder: Path) -> None:
    """Parquet: polars, copied, without a look at the text"""
    import polars as pl

    pl.scan_parquet(folder / "table.parquet").sink_parquet(folder / "out.parquet", compression="uncompressed")


def parquet_polars(folder: Path) -> None:
    """Parquet: polars, `.utf8.decode`"""
    import polars as pl

    import utf8kit.polars  # noqa: F401

    columns = [pl.col(name).utf8.decode(POLICY) for name in COLUMNS]
    pl.scan_parquet(folder / "table.parquet").with_columns(columns).sink_parquet(
        folder / "out.parquet", compression="uncompressed"
    )


def parquet_duckdb(folder: Path) -> None:
    """Parquet: DuckDB, `utf8_repair`"""
    import duckdb

    import utf8kit.duckdb

    connection = duckdb.connect()
    utf8kit.duckdb.register(connection)
    repaired = ", ".join(f"utf8_repair({name}, '{POLICY}') AS {name}" for name in COLUMNS)
    source, target = folder / "table.parquet", folder / "out.parquet"
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(
        f"COPY (SELECT id, {repaired} FROM '{source}') TO '{target}' (FORMAT parquet, COMPRESSION uncompressed)"
    )


def parquet_duckdb_copy(folder: Path) -> None:
    """Parquet: DuckDB, copied, without a look at the text"""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(
        f"COPY (SELECT * FROM '{folder / 'table.parquet'}') TO '{folder / 'out.parquet'}' "
        "(FORMAT parquet, COMPRESSION uncompressed)"
    )


WAYS: list[Callable[[Path], None]] = [
    csv_polars_lossy,
    csv_pandas_replace,
    csv_polars_repaired,
    csv_arrow_decode,
    parquet_copy,
    parquet_python,
    parquet_polars,
    parquet_duckdb_copy,
    parquet_duckdb,
]


# Functions in queries, over columns in memory.


def queries(size: int) -> None:
    """Prints the rates of the functions in DuckDB and DataFusion, and of a Python function that does nothing."""
    import duckdb
    import pyarrow as pa
    from datafusion import SessionContext, udf

    import utf8kit.datafusion
    import utf8kit.duckdb

    def same(column):  # noqa: ANN001, ANN202: DuckDB evaluates annotations
        return column

    print("\n| rows of | engine | does nothing | `utf8_is_valid` | `utf8_repair`, clean | `utf8_repair`, 0.1 % dirty |")
    print("|---|---|--:|--:|--:|--:|")
    for length in (30, 100, 1000):
        rows = min(size, 200_000_000) // length
        value = ("Größe und Gewicht, naïve café; " * 40).encode()[: length - 1] + b"."
        clean = pa.table({"b": pa.array([value] * rows, pa.binary())})
        dirty = pa.table(
            {"b": pa.array([value[:-1] + b"\xe9" if row % 1000 == 7 else value for row in range(rows)], pa.binary())}
        )
        connection = duckdb.connect()
        utf8kit.duckdb.register(connection)
        connection.create_function("same", same, ["BLOB"], "BLOB", type="arrow", null_handling="special")
        context = SessionContext()
        utf8kit.datafusion.register(context)
        context.register_udf(udf(same, [pa.binary_view()], pa.binary_view(), "immutable", "same"))
        for name, given in (("clean", clean), ("dirty", dirty)):
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
            context.register_record_batches(name, [given.to_batches(8192)])
        for engine, run in (
            ("DuckDB", lambda query: connection.execute(query).fetchall()),
            ("DataFusion", lambda query: context.sql(query).collect()),
        ):
            told = []
            for table_name, expression in (
                ("clean", "count(same(b))"),
                ("clean", "count(nullif(utf8_is_valid(b), true))"),
                ("clean", f"count(utf8_repair(b, '{POLICY}'))"),
                ("dirty", f"count(utf8_repair(b, '{POLICY}'))"),
            ):
                query = f"SELECT {expression} FROM {table_name}"
                seconds = []
                for _ in range(5):
                    start = time.perf_counter()
                    run(query)
                    seconds.append(time.perf_counter() - start)
                told.append(f"{length * rows / min(seconds) / 1e9:.1f}")
            print(f"| {length} bytes | {engine} | {' | '.join(told)} |", flush=True)


def measured(way: Callable[[Path], None], folder: Path) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak megabytes."""
    with open(folder / "table.csv", "rb") as csv, open(folder / "table.parquet", "rb") as parquet:
        for file in (csv, parquet):
            while file.read(16 << 20):
                pass  # into the system's cache
    command = [sys.executable, __file__, "--way", way.__name__, "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    seconds, cpu, memory = done.stdout.splitlines()[-1].split()
    return float(seconds), float(cpu), float(memory)


def run_way(name: str, folder: Path) -> None:
    way = next(way for way in WAYS if way.__name__ == name)
    start = time.perf_counter()
    way(folder)
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    # Not `ru_maxrss`, which counts the process that started this one.
    peak = int(re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[0])
    print(seconds, used.ru_utime + used.ru_stime, peak / 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help="queries, or a way: its function's name")
    typed = parser.parse_args()
    if typed.way:
        run_way(typed.way, typed.folder)
        return
    wanted = [way for way in WAYS if not typed.names or way.__name__ in typed.names]
    with tempfile.TemporaryDirectory(dir=typed.folder) as name:
        folder = Path(name)
        if wanted:
            rows = make(folder, typed.bytes)
            sizes = [os.path.getsize(folder / file) for file in ("table.csv", "table.parquet")]
            print(
                f"{platform.machine()}, {os.cpu_count()} cores; {rows} rows; CSV {sizes[0]} bytes, Parquet {sizes[1]}\n"
            )
            print("| way | seconds | CPU seconds | peak MB |\n|---|--:|--:|--:|")
        for way in wanted:
            seconds, cpu, memory = min(measured(way, folder) for _ in range(typed.rounds))
            print(f"| {way.__doc__} | {seconds:.1f} | {cpu:.1f} | {memory:.0f} |", flush=True)
    if not typed.names or "queries" in typed.names:
        queries(typed.bytes)


if __name__ == "__main__":
    main()
