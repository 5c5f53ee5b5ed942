"""Parquet files with strings that are not UTF-8."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys

import pytest

import utf8kit.parquet
from utf8kit.parquet import Bad

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = [
    {"id": row, "name": name, "tags": tags, "pair": {"a": name, "n": row}, "raw": b"\xff", "word": name}
    for row, (name, tags) in enumerate([
        (b"fine", [b"x"]),
        (b"caf\xe9", [b"ok", b"\xff\xfe"]),
        (None, None),
        ("größe".encode(), []),
        (b"\xed\xa0\x80", [None, b"\xc0\xaf"]),
        (b"end", [b"y"]),
    ])
]


def text(kind: pa.DataType) -> pa.DataType:
    return kind


def table() -> pa.Table:
    """Strings that are not UTF-8, in every kind of column."""

    def strings(values: list) -> pa.Array:
        column = pa.array(values, pa.binary())
        return pa.Array.from_buffers(pa.string(), len(column), column.buffers(), column.null_count)

    names = [row["name"] for row in ROWS]
    tags = pa.array([row["tags"] for row in ROWS], pa.list_(pa.binary()))
    flat = tags.values
    flat = pa.Array.from_buffers(pa.string(), len(flat), flat.buffers(), flat.null_count)
    listed = pa.ListArray.from_arrays(pa.array([0, 1, 3, None, 3, 5, 6], pa.int32())[:7], flat) if False else None
    offsets = tags.offsets
    listed = pa.Array.from_buffers(pa.list_(pa.string()), len(tags), tags.buffers()[:2], tags.null_count, children=[flat])
    del offsets
    word = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 3, 0], pa.int32()), strings([names[0], names[1], names[3], names[4]]))
    return pa.table({
        "id": pa.array(range(6), pa.int64()),
        "name": strings(names),
        "tags": listed,
        "pair": pa.StructArray.from_arrays([strings(names), pa.array(range(6))], ["a", "n"]),
        "raw": pa.array([b"\xff"] * 6),
        "word": word,
    })


EXPECTED = {
    (0, 1, "name", 3, 1, "truncated"),
    (2, 4, "name", 0, 1, "surrogate"),
    (2, 4, "name", 1, 1, "unexpected_continuation"),
    (2, 4, "name", 2, 1, "unexpected_continuation"),
    (0, 1, "pair.a", 3, 1, "truncated"),
    (2, 4, "pair.a", 0, 1, "surrogate"),
    (2, 4, "pair.a", 1, 1, "unexpected_continuation"),
    (2, 4, "pair.a", 2, 1, "unexpected_continuation"),
    (0, 1, "word", 3, 1, "truncated"),
    (2, 4, "word", 0, 1, "surrogate"),
    (2, 4, "word", 1, 1, "unexpected_continuation"),
    (2, 4, "word", 2, 1, "unexpected_continuation"),
    (0, 1, "tags.element", 0, 1, "invalid_byte"),
    (0, 1, "tags.element", 1, 1, "invalid_byte"),
    (2, 4, "tags.element", 0, 1, "overlong"),
    (2, 4, "tags.element", 1, 1, "unexpected_continuation"),
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "broken.parquet"
    compression = {"id": "zstd", "name": "snappy", "tags.list.element": "gzip", "pair.a": "none", "pair.n": "none", "raw": "zstd", "word": "zstd"}
    pq.write_table(table(), path, row_group_size=2, compression=compression)
    return path


def test_check(file) -> None:
    found = list(utf8kit.parquet.check(file))
    values = {(bad.row_group, bad.row, bad.column, bad.offset, bad.len, bad.kind) for bad in found if bad.where == "value"}
    assert values == EXPECTED
    assert {bad.file for bad in found} == {str(file)}
    edges = {(bad.row_group, bad.column, bad.where) for bad in found if bad.where in ("min", "max")}
    assert (0, "name", "min") in edges and (2, "name", "max") in edges
    assert all(bad.row is None for bad in found if bad.where != "value")
    only = list(utf8kit.parquet.check(file, columns=["pair"]))
    assert {bad.column for bad in only} == {"pair.a"}
    raw = [bad for bad in utf8kit.parquet.check(file, columns=["raw"], binary=True) if bad.where == "value"]
    assert [bad.row for bad in raw] == list(range(6))


def test_folders_and_file_systems(file) -> None:
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    folder = file.parent / "day=1"
    folder.mkdir()
    pq.write_table(table(), folder / "b.parquet")
    (folder / "_skipped.parquet").write_bytes(b"no parquet at all")
    found = {bad.file for bad in utf8kit.parquet.check(file.parent)}
    assert found == {str(file), str(folder / "b.parquet")}
    inside = SubTreeFileSystem(str(file.parent), LocalFileSystem())
    assert {bad.file for bad in utf8kit.parquet.check("broken.parquet", inside)} == {"broken.parquet"}
    assert list(utf8kit.parquet.check(f"file://{file}"))
    with pytest.raises(FileNotFoundError):
        list(utf8kit.parquet.check(file.parent / "none.parquet"))


def test_footer(tmp_path) -> None:
    path = tmp_path / "footer.parquet"
    schema = pa.schema([pa.field("n", pa.int64())], metadata={b"k\xff": b"value", b"key": b"v\xc0"})
    pq.write_table(pa.table({"n": [1]}, schema=schema), path)
    found = [(bad.where, bad.offset, bad.kind) for bad in utf8kit.parquet.check(path)]
    assert ("key", 1, "invalid_byte") in found and ("entry", 1, "overlong") in found


def test_repair(file, tmp_path) -> None:
    target = tmp_path / "good.parquet"
    done = utf8kit.parquet.repair(file, target)
    assert (done.row_groups, done.rows, done.errors) == (3, 6, len(EXPECTED))
    assert list(utf8kit.parquet.check(target)) == []
    before, after = pq.ParquetFile(file), pq.ParquetFile(target)
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    for group in range(3):
        old, new = before.metadata.row_group(group), after.metadata.row_group(group)
        assert new.num_rows == old.num_rows
        for column in range(old.num_columns):
            assert new.column(column).compression == old.column(column).compression
            assert new.column(column).is_stats_set == old.column(column).is_stats_set
    assert after.metadata.row_group(0).column(1).statistics.min == "caf\ufffd"
    rows = after.read().to_pylist()
    assert [row["name"] for row in rows] == ["fine", "caf\ufffd", None, "größe", "\ufffd" * 3, "end"]
    assert [row["raw"] for row in rows] == [b"\xff"] * 6
    utf8kit.parquet.repair(file, file, "remove", force=True)
    assert pq.read_table(file)["name"].to_pylist()[1] == "caf"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.parquet", "good.parquet"]


def test_a_failure_leaves_nothing(file, tmp_path) -> None:
    target = tmp_path / "good.parquet"
    with pytest.raises(ValueError, match="policy"):
        utf8kit.parquet.repair(file, target, "unknown")
    assert not target.exists() and len(list(tmp_path.iterdir())) == 1


NAMES = ["José Muñoz", "Zoë Brontë", "plain", "Łukasz"]


@pytest.mark.parametrize("remote", [False, True])
def test_text_in_another_encoding_is_not_lost_in_place(remote, tmp_path) -> None:
    path = tmp_path / "names.parquet"
    values = pa.array([name.encode("utf-8" if name == "Łukasz" else "windows-1252") for name in NAMES], pa.binary())
    strings = pa.Array.from_buffers(pa.string(), len(values), values.buffers())
    pq.write_table(pa.table({"name": strings}), path)
    before, inode = path.read_bytes(), path.stat().st_ino
    # Through pyarrow's file objects, as for remote files.
    filesystem = pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem()) if remote else None
    file = path.name if remote else str(path)
    with pytest.raises(utf8kit.SkippedError, match="windows-1252 or a similar encoding, and text would be lost"):
        utf8kit.parquet.repair(file, file, filesystem=filesystem)
    assert (path.read_bytes(), path.stat().st_ino) == (before, inode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["names.parquet"]
    # A copy and a fallback lose nothing, and `force` overrides the check.
    assert utf8kit.parquet.repair(file, "copy.parquet" if remote else tmp_path / "copy.parquet", filesystem=filesystem).errors == 4
    utf8kit.parquet.repair(file, file, "fallback=windows-1252", filesystem)
    assert pq.read_table(path)["name"].to_pylist() == NAMES
    path.write_bytes(before)
    assert utf8kit.parquet.repair(file, file, filesystem=filesystem, force=True).errors == 4
    assert pq.read_table(path)["name"][0].as_py() == "Jos\ufffd Mu\ufffdoz"


@pytest.mark.parametrize("remote", [False, True])
def test_text_in_place_is_not_read_in_another_encoding(remote, tmp_path) -> None:
    path = tmp_path / "names.parquet"
    names = ["Дмитрий Менделеев", "Софья Ковалевская", "Николай Лобачевский", "Андрей Колмогоров"]
    values = pa.array([name.encode("koi8-r") for name in names], pa.binary())
    strings = pa.Array.from_buffers(pa.string(), len(values), values.buffers())
    pq.write_table(pa.table({"name": strings}), path)
    before = path.read_bytes()
    filesystem = pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem()) if remote else None
    file = path.name if remote else str(path)
    with pytest.raises(utf8kit.SkippedError, match="look like text in KOI8"):
        utf8kit.parquet.repair(file, file, "fallback=windows-1252", filesystem)
    assert path.read_bytes() == before
    assert utf8kit.parquet.repair(file, file, "fallback=koi8-r", filesystem).errors > 0
    assert pq.read_table(path)["name"].to_pylist() == names


def test_metadata_stays(tmp_path) -> None:
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    schema = pa.schema([pa.field("s", pa.string(), metadata={"unit": "words"})], metadata={"owner": "me", "pandas": "{}"})
    with pq.ParquetWriter(source, schema, version="1.0", compression="zstd") as writer:
        writer.write_table(pa.table({"s": ["a"]}, schema=schema))
        writer.add_key_value_metadata({"late": "entry"})
    utf8kit.parquet.repair(source, target)
    before, after = pq.ParquetFile(source), pq.ParquetFile(target)
    assert after.metadata.metadata == before.metadata.metadata
    assert after.metadata.format_version == "1.0"
    empty = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"s": pa.array([], pa.string())}), empty)
    assert utf8kit.parquet.repair(empty, target).rows == 0
    assert pq.read_table(target).num_rows == 0


def test_large_columns_are_read_in_batches(tmp_path) -> None:
    path = tmp_path / "large.parquet"
    values = pa.array([b"fine"] * 200_000 + [b"\xff"] + [b"x"] * 100, pa.binary())
    strings = pa.Array.from_buffers(pa.string(), len(values), values.buffers())
    pq.write_table(pa.table({"s": strings}), path, row_group_size=150_000)
    assert [bad for bad in utf8kit.parquet.check(path) if bad.where == "value"] == [
        Bad(str(path), 1, 200_000, "s", 0, 1, "invalid_byte")
    ]


def test_the_command(file, tmp_path) -> None:
    from test_files import run

    checked = run("parquet", "check", "--format", "jsonl", str(file))
    lines = [json.loads(line) for line in checked.stdout.splitlines()]
    assert checked.returncode == 1 and Bad(**lines[0]).file == str(file)
    assert "row group 0, row 1, column name: truncated at byte 3" in run("parquet", "check", str(file)).stdout
    good = tmp_path / "good.parquet"
    assert run("parquet", "repair", str(file), str(good), "--policy", "escape").returncode == 0
    assert run("parquet", "check", str(good)).returncode == 0
    assert run("parquet", "check", str(tmp_path / "none")).returncode == 2
    assert run("parquet", "repair", str(file), str(file), "--force").returncode == 0


def test_the_command_shows_progress_on_a_terminal(file) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "utf8kit", "parquet", "check", str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, encoding="utf-8")
    os.close(theirs)
    shown = ""
    with os.fdopen(ours, "rb", buffering=0) as terminal, contextlib.suppress(OSError):
        while piece := terminal.read(1 << 16):
            shown += piece.decode()
    assert "100 % of" in shown
    assert shown.endswith("\r\x1b[K")
    assert " % " not in done.stdout
    assert done.returncode == 1


def test_values_of_a_dictionary_are_found_as_plain_ones_are(tmp_path) -> None:
    """A few values in many rows, also nested; one file stores them as dictionaries, another does not."""
    few = [b"one", None, b"caf\xe9", "größe".encode(), b""]
    rows = 20_011
    column = pa.array([few[row * row % 7 % 5] for row in range(rows)], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), rows, column.buffers(), column.null_count)
    lists = pa.ListArray.from_arrays(pa.array([0, *range(1, rows, 2), rows], pa.int32()), broken)
    found = {}
    for dictionary in (True, False):
        for name, values in (("s", broken), ("l", lists)):
            file = tmp_path / f"{name}{dictionary}.parquet"
            pq.write_table(pa.table({name: values}), file, use_dictionary=dictionary, row_group_size=7001)
            found[name, dictionary] = [bad._replace(file="") for bad in utf8kit.parquet.check(file) if bad.where == "value"]
    assert found["s", True] == found["s", False]
    assert found["l", True] == found["l", False]
    wanted = [row for row, value in enumerate(column.to_pylist()) if value == b"caf\xe9"]
    assert [bad.row for bad in found["s", True]] == wanted
    assert len(found["l", True]) == len(wanted)


def test_progress(tmp_path) -> None:
    path = tmp_path / "file.parquet"
    table = pa.table({"a": ["x"] * 1000, "b": list(range(1000)), "c": ["y"] * 1000})
    pq.write_table(table, path, row_group_size=250)
    told: list[tuple[int, int]] = []
    assert list(utf8kit.parquet.check(path, progress=lambda *at: told.append(at))) == []
    stored = pq.ParquetFile(path).metadata
    sizes = [stored.row_group(group).column(column).total_compressed_size for group in range(4) for column in (0, 2)]
    assert told == [(sum(sizes[: count + 1]), sum(sizes)) for count in range(8)]
    with pytest.raises(ZeroDivisionError):
        list(utf8kit.parquet.check(path, progress=lambda *_: 1 // 0))
