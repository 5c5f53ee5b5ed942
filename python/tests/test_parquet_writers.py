"""Tests repairs of Parquet files from common writers: parts without errors stay the same, byte for byte."""

from __future__ import annotations

import datetime
import decimal
import hashlib

import pytest

import utf8kit.parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3000
#: A placeholder for an invalid byte, which writers that validate accept.
PLACEHOLDER = b"caf\x7f"
BAD = b"caf\xe9"


def words(row: int) -> str | None:
    return None if row % 7 == 0 else PLACEHOLDER.decode() if row in (1200, 2500) else f"word {row % 50} größe"


def columns() -> dict[str, list]:
    """A column of each type that all writers know."""
    day = datetime.date(2024, 2, 29)
    return {
        "id": list(range(ROWS)),
        "word": [words(row) for row in range(ROWS)],
        "clean": [f"value {row} 日本" for row in range(ROWS)],
        "flag": [row % 3 == 0 for row in range(ROWS)],
        "small": [row % 100 - 50 for row in range(ROWS)],
        "ratio": [row / 7 for row in range(ROWS)],
        "day": [day + datetime.timedelta(row) for row in range(ROWS)],
        "time": [datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=row) for row in range(ROWS)],
        "raw": [bytes([row % 256, 0xFF]) for row in range(ROWS)],
    }


def by_pyarrow(path, **options) -> None:
    more = {
        "price": pa.array([decimal.Decimal(row).scaleb(-2) for row in range(ROWS)], pa.decimal128(20, 2)),
        "list": pa.array([[f"x{row}", None, PLACEHOLDER.decode()] if row == 40 else [f"y{row}"] * (row % 4) for row in range(ROWS)]),
        "map": pa.array([[(f"k{row}", row)] for row in range(ROWS)], pa.map_(pa.string(), pa.int64())),
        "pair": pa.array([{"a": f"s{row}", "n": {"b": row}} for row in range(ROWS)]),
        "zoned": pa.array([datetime.datetime(2024, 1, 1) for _ in range(ROWS)], pa.timestamp("us", "Europe/Berlin")),
        "half": pa.array([None] * ROWS, pa.float32()),
        "fixed": pa.array([b"\xff" * 4] * ROWS, pa.binary(4)),
    }
    table = pa.table({**columns(), **more})
    table = table.replace_schema_metadata({"owner": "me"})
    defaults = {"row_group_size": 1000, "compression": "none", "write_page_index": True, "data_page_size": 4096}
    pq.write_table(table, path, **{**defaults, **options})


def by_polars(path) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(columns()).with_columns(pl.col("word").alias("kind").cast(pl.Categorical))
    frame.write_parquet(path, compression="uncompressed", row_group_size=1000, statistics="full")


def by_duckdb(path) -> None:
    duckdb = pytest.importorskip("duckdb")
    source = pa.table(columns())
    with duckdb.connect() as connection:
        connection.register("source", source)
        connection.execute(f"COPY source TO '{path}' (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 2048)")


def by_datafusion(path) -> None:
    datafusion = pytest.importorskip("datafusion")
    frame = datafusion.SessionContext().from_arrow(pa.table(columns()))
    frame.write_parquet(str(path), compression="uncompressed")


def by_fastparquet(path) -> None:
    fastparquet = pytest.importorskip("fastparquet")
    import pandas as pd

    frame = pd.DataFrame({name: values for name, values in columns().items() if name not in ("day", "raw")})
    fastparquet.write(str(path), frame, compression="UNCOMPRESSED", row_group_offsets=1000, times="int96")


WRITERS = {
    "pyarrow": by_pyarrow,
    "pyarrow, plain, INT96, pages 2": lambda path: by_pyarrow(
        path, use_dictionary=False, use_deprecated_int96_timestamps=True, data_page_version="2.0"
    ),
    "pyarrow, deltas": lambda path: by_pyarrow(
        path, use_dictionary=False, column_encoding={"word": "DELTA_BYTE_ARRAY", "list.list.element": "DELTA_LENGTH_BYTE_ARRAY"}
    ),
    "pyarrow, old": lambda path: by_pyarrow(path, version="1.0", write_page_index=False, write_statistics=False),
    "polars": by_polars,
    "duckdb": by_duckdb,
    "datafusion, by parquet-rs": by_datafusion,
    "fastparquet": by_fastparquet,
}


@pytest.fixture(params=WRITERS)
def written(request, tmp_path):
    """A file with errors, and the same without them."""
    clean, broken = tmp_path / "clean.parquet", tmp_path / "broken.parquet"
    WRITERS[request.param](clean)
    content = clean.read_bytes()
    assert PLACEHOLDER in content
    broken.write_bytes(content.replace(PLACEHOLDER, BAD))
    return clean, broken


KEPT = (
    "physical_type",
    "num_values",
    "path_in_schema",
    "compression",
    "is_stats_set",
    "has_dictionary_page",
    "has_offset_index",
    "has_column_index",
    "encodings",
    "total_compressed_size",
    "total_uncompressed_size",
)


def chunks(path) -> dict[tuple[int, str], tuple[str, dict]]:
    """The hash and the metadata of each column chunk."""
    metadata, data = pq.ParquetFile(path).metadata, path.read_bytes()
    found = {}
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            start = min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset)))
            digest = hashlib.sha256(data[start : start + chunk.total_compressed_size]).hexdigest()
            told = {name: getattr(chunk, name) for name in KEPT}
            if chunk.is_stats_set:
                told["bounds"] = (chunk.statistics.min_raw, chunk.statistics.max_raw, chunk.statistics.null_count)
            found[group, chunk.path_in_schema] = digest, told
    return found


def test_only_what_is_bad_is_written(written, tmp_path) -> None:
    _, broken = written
    bad = {(bad.row_group, bad.column) for bad in utf8kit.parquet.check(broken) if bad.where == "value"}
    assert bad and all(column in ("word", "kind", "list.element") for _, column in bad)
    target = tmp_path / "good.parquet"
    done = utf8kit.parquet.repair(broken, target, "fallback=windows-1252")
    assert done.rows == ROWS and done.errors >= len(bad)
    assert list(utf8kit.parquet.check(target)) == []
    before, after = chunks(broken), chunks(target)
    assert before.keys() == after.keys()
    touched = {place for place in before if before[place] != after[place]}
    assert {(group, path.replace("list.list.", "list.")) for group, path in touched} == bad
    for place in touched:
        old, new = before[place][1], after[place][1]
        assert {name: old[name] for name in KEPT[:8]} == {name: new[name] for name in KEPT[:8]}
        dictionary = {"PLAIN", "RLE", "RLE_DICTIONARY"} if old["has_dictionary_page"] else {"RLE"}
        assert set(new["encodings"]) <= {*old["encodings"], *dictionary}
    one, two = pq.ParquetFile(broken).metadata, pq.ParquetFile(target).metadata
    assert one.schema.equals(two.schema) and str(one.schema).split()[4:] == str(two.schema).split()[4:]
    assert (one.created_by, one.format_version, one.metadata) == (two.created_by, two.format_version, two.metadata)


def read_by_pyarrow(path) -> list:
    return pq.read_table(path).to_pylist()


def read_by_polars(path) -> list:
    # Row groups are skipped by the statistics and pages by the index.
    pl = pytest.importorskip("polars")
    return pl.scan_parquet(path).filter(pl.col("id") >= 0).collect().to_dicts()


def read_by_duckdb(path) -> list:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(f"SELECT * FROM '{path}'").fetchall()


@pytest.mark.parametrize("read", [read_by_pyarrow, read_by_polars, read_by_duckdb])
def test_values_are_the_same_for_all_readers(written, tmp_path, read) -> None:
    clean, broken = written
    target = tmp_path / "good.parquet"
    utf8kit.parquet.repair(broken, target, "fallback=windows-1252")
    expected, found = read(clean), read(target)
    assert repr(found) == repr(expected).replace(repr(PLACEHOLDER.decode())[1:-1], "café")


@pytest.mark.parametrize("compression", ["snappy", "gzip", "brotli", "zstd", "lz4"])
def test_compression_stays(tmp_path, compression) -> None:
    """Compressed files cannot be patched, but pyarrow writes any bytes as strings."""
    path = tmp_path / "a.parquet"
    values = pa.array([b"fine " * 20, BAD, None] * 100, pa.binary())
    strings = pa.Array.from_buffers(pa.string(), len(values), values.buffers(), values.null_count)
    pq.write_table(pa.table({"s": strings, "n": range(300)}), path, compression=compression, row_group_size=150)
    before = chunks(path)
    assert utf8kit.parquet.repair(path, path, force=True).errors == 100
    after = chunks(path)
    assert all(before[place] == after[place] for place in before if place[1] == "n")
    assert all(after[place][1]["compression"] == before[place][1]["compression"] for place in before)
    assert pq.read_table(path)["s"].to_pylist() == ["fine " * 20, "caf\ufffd", None] * 100


def test_a_clean_file_is_not_written(tmp_path) -> None:
    path, copy, link = tmp_path / "a.parquet", tmp_path / "b.parquet", tmp_path / "link.parquet"
    by_pyarrow(path)
    utf8kit.parquet.repair(path, path, "replace=caf\x7f", force=True)
    clean = path.read_bytes()
    before = path.stat()
    assert utf8kit.parquet.repair(path, path).errors == 0
    assert path.stat() == before or path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino
    assert utf8kit.parquet.repair(path, copy).errors == 0 and copy.read_bytes() == clean
    path.write_bytes(clean.replace(PLACEHOLDER, BAD))
    link.symlink_to(path)
    assert utf8kit.parquet.repair(link, link, force=True).errors > 0
    assert link.is_symlink() and list(utf8kit.parquet.check(path)) == []


def test_encrypted_columns_are_refused(tmp_path) -> None:
    """Such a file has a plain footer, and used to end the process."""
    encryption = pytest.importorskip("pyarrow.parquet.encryption")
    import base64

    class Client(encryption.KmsClient):
        def wrap_key(self, key_bytes, master_key_identifier):
            return base64.b64encode(key_bytes)

        def unwrap_key(self, wrapped_key, master_key_identifier):
            return base64.b64decode(wrapped_key)

    factory = encryption.CryptoFactory(lambda configuration: Client())
    for plaintext in (True, False):
        settings = encryption.EncryptionConfiguration(footer_key="f", column_keys={"c": ["s"]}, plaintext_footer=plaintext)
        properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
        path = tmp_path / "secret.parquet"
        with pq.ParquetWriter(path, pa.schema([("s", pa.string()), ("n", pa.int64())]), encryption_properties=properties) as writer:
            writer.write_table(pa.table({"s": ["a"], "n": [1]}))
        for call in (lambda: list(utf8kit.parquet.check(path)), lambda: utf8kit.parquet.repair(path, tmp_path / "x.parquet")):
            with pytest.raises(ValueError, match="encrypted"):
                call()
    assert [file.name for file in tmp_path.iterdir()] == ["secret.parquet"]


def test_damaged_files_are_refused(tmp_path) -> None:
    """Truncated or changed files cause no crash, and nothing is left behind."""
    path, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    by_pyarrow(path, use_dictionary=["word"])
    content = path.read_bytes().replace(PLACEHOLDER, BAD)
    hurt = [content[: len(content) - cut] for cut in (1, 4, 9, 500)] + [b"", b"PAR1", b"PAR1" + bytes(8)]
    footer = int.from_bytes(content[-8:-4], "little") + 8
    for at in [*range(5, len(content) - footer, len(content) // 20), *range(len(content) - footer, len(content), footer // 40)]:
        hurt.append(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
    refused = 0
    for one in hurt:
        path.write_bytes(one)
        try:
            list(utf8kit.parquet.check(path))
            utf8kit.parquet.repair(path, target)
        except (ValueError, OSError):
            refused += 1
    assert refused >= 10
    assert {file.name for file in tmp_path.iterdir()} <= {"a.parquet", "b.parquet"}


def test_names_and_entries_are_repaired(tmp_path) -> None:
    path = tmp_path / "a.parquet"
    with pq.ParquetWriter(path, pa.schema([("naXme", pa.string())]), compression="none", store_schema=False) as writer:
        writer.write_table(pa.table({"naXme": ["a"]}))
        writer.add_key_value_metadata({b"key": b"v\xc0"})
    path.write_bytes(path.read_bytes().replace(b"naXme", b"na\xffme"))
    assert {bad.where for bad in utf8kit.parquet.check(path)} == {"name", "entry"}
    assert utf8kit.parquet.repair(path, path, "replace=?", force=True).errors == 2
    table = pq.read_table(path)
    assert table.column_names == ["na?me"] and table.schema.metadata == {b"key": b"v?"}


def test_sorting_and_bounds(tmp_path) -> None:
    """Rows are no longer declared sorted by a column that changed, and a minimum that is truncated within a sequence is
    removed."""
    path = tmp_path / "a.parquet"
    table = pa.table({"a": range(4), "s": ["a", "b", "caf\x7f", "d"], "t": ["größe"] * 4})
    sorting = [pq.SortingColumn(0), pq.SortingColumn(1), pq.SortingColumn(2)]
    pq.write_table(table, path, compression="none", sorting_columns=sorting)
    path.write_bytes(path.read_bytes().replace(PLACEHOLDER, BAD))
    utf8kit.parquet.repair(path, path, force=True)
    assert pq.ParquetFile(path).metadata.row_group(0).sorting_columns == (pq.SortingColumn(0),)
    content = path.read_bytes()
    # The statistics and not the page.
    at = content.rfind("größe".encode())
    path.write_bytes(content[:at] + b"gr\xc3\xc3\xc3\x9fe" + content[at + 7 :])
    assert {bad.where for bad in utf8kit.parquet.check(path)} & {"min", "max"}
    assert utf8kit.parquet.repair(path, path, force=True).errors > 0
    assert list(utf8kit.parquet.check(path)) == []
    assert pq.read_table(path)["t"].to_pylist() == ["größe"] * 4
    assert not pq.ParquetFile(path).metadata.row_group(0).column(2).statistics.has_min_max


def test_other_file_systems(tmp_path) -> None:
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    by_pyarrow(tmp_path / "a.parquet")
    (tmp_path / "a.parquet").write_bytes((tmp_path / "a.parquet").read_bytes().replace(PLACEHOLDER, BAD))
    inside = SubTreeFileSystem(str(tmp_path), LocalFileSystem())
    here = utf8kit.parquet.repair(tmp_path / "a.parquet", tmp_path / "b.parquet")
    there = utf8kit.parquet.repair("a.parquet", "c.parquet", filesystem=inside)
    assert here[2:] == there[2:]
    assert (tmp_path / "b.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    assert utf8kit.parquet.repair("c.parquet", "c.parquet", filesystem=inside).errors == 0
    assert utf8kit.parquet.repair("c.parquet", "d.parquet", filesystem=inside).errors == 0
    assert (tmp_path / "d.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    (tmp_path / "e.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-600])
    with pytest.raises(ValueError):
        utf8kit.parquet.repair("e.parquet", "f.parquet", filesystem=inside)
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"{one}.parquet" for one in "abcde"]
