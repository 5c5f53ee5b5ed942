"""Ranges of files: any cuts give the same result as one pass; lines belong to the range where they begin."""

from __future__ import annotations

import functools
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import utf8kit
from test_text import BROKEN

pytest.importorskip("pyarrow")

from utf8kit import _native, _ranges  # noqa: E402
from utf8kit._ranges import Range  # noqa: E402


@pytest.fixture
def small_pieces(monkeypatch):
    """Uses pieces so small that every file has many."""
    monkeypatch.setattr(_ranges, "PIECE", 5)
    monkeypatch.setattr(_ranges, "MANY", 1)
    monkeypatch.setattr(_ranges, "PART", 3)


def split(file: str, size: int, cuts: list[int]) -> list[Range]:
    places = [0, *sorted(min(cut, size) for cut in cuts), size]
    return [Range(file, a, b) for a, b in zip(places, places[1:], strict=False)]


ANY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY
@given(data=st.lists(BROKEN, max_size=4).map(b"\n".join), cuts=st.lists(st.integers(0, 200), max_size=8))
def test_any_cuts(tmp_path, small_pieces, data: bytes, cuts: list[int]) -> None:
    file = tmp_path / "data"
    file.write_bytes(data)
    parts = split(str(file), len(data), cuts)
    whole = utf8kit.Summary.of(data)
    remote = [Range(f"file://{part.file}", part.start, part.end) for part in parts]
    for ranges in (parts, remote):
        assert functools.reduce(utf8kit.Summary.merge, [_ranges.summary_of(r, "utf-8") for r in ranges]) == whole
    found = [error for part in parts for block in _ranges.errors_of(part, "utf-8") for error in zip(*block[:4], strict=True)]
    assert found == [(e.offset, e.len, e.kind, e.bytes) for e in utf8kit.errors(data)]
    one = [line for block in _ranges.errors_of(Range(str(file), 0, len(data)), "utf-8") for line in block.line]
    assert one == [e["line"] for e in utf8kit.Summary.of(data, keep=1 << 30).first_errors]
    lines = [block for part in parts for block in _ranges.lines_of(part)]
    assert b"".join(block for _, block in lines) == data
    assert all(data[at : at + len(block)] == block for at, block in lines)
    assert all(at == 0 or data[at - 1] == 10 for at, _ in lines)


@ANY
@given(data=BROKEN)
def test_compressed(tmp_path, small_pieces, data: bytes) -> None:
    file = tmp_path / "data.gz"
    file.write_bytes(gzip.compress(data))
    assert _ranges.plan([str(file)], 10) == [Range(str(file), 0, None)]
    part = Range(str(file), 0, None)
    assert _ranges.summary_of(part, "utf-8") == utf8kit.Summary.of(data)
    assert b"".join(block for _, block in _ranges.lines_of(part)) == data
    copied = []
    _ranges.repaired_copy(str(file), copied.append, "replace", "utf-8")
    assert b"".join(copied) == utf8kit.repair(data)


def test_plans(tmp_path) -> None:
    for name, size in [("a.txt", 25), ("b/c.txt", 10), ("b/_hidden/d.txt", 5), (".e", 5), ("b/empty.txt", 0)]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    whole = _ranges.plan([str(tmp_path)], 10)
    assert [(r.file.removeprefix(f"{tmp_path}/"), r.start, r.end) for r in whole] == [
        ("a.txt", 0, 10),
        ("a.txt", 10, 20),
        ("a.txt", 20, 25),
        ("b/c.txt", 0, 10),
        ("b/empty.txt", 0, 0),
    ]
    assert len(_ranges.plan([str(tmp_path)], 10, whole=True)) == 3
    assert [r.file for r in _ranges.plan([f"{tmp_path}/*.txt"], 100)] == [f"{tmp_path}/a.txt"]
    assert [r.file for r in _ranges.plan([f"{tmp_path}/*/c.txt"], 100)] == [f"{tmp_path}/b/c.txt"]
    assert [r.file for r in _ranges.plan([f"file://{tmp_path}/a.txt"], 100)] == [f"{tmp_path}/a.txt"]
    for missing in ("none.txt", "*.csv"):
        with pytest.raises(FileNotFoundError):
            _ranges.plan([f"{tmp_path}/{missing}"], 10)


@ANY
@given(text=st.text("a\n\u0a00Ċ\u0a0a😀", max_size=40), cuts=st.lists(st.integers(0, 200), max_size=8), name=st.sampled_from(["utf-16le", "utf-16be", "utf-32le", "utf-32be", "wtf-16le", "utf-8"]))
def test_lines_of_wide_units(tmp_path, small_pieces, text: str, cuts: list[int], name: str) -> None:
    """A line feed is a unit, not a byte 0A, which U+0A00 and U+010A also contain."""
    file = tmp_path / "data"
    codec = {"wtf-16le": "utf-16le"}.get(name, name)
    file.write_bytes(text.encode(codec))
    lines = text.split("\n")
    wanted = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    found, feeds = {}, _ranges.Feeds.of(name)
    for part in split(str(file), file.stat().st_size, cuts):
        for at, some in _ranges.lines_of(part, name):
            starts = [*feeds.starts(some, at), at + len(some)]
            for start, end in zip(starts, starts[1:], strict=False):
                assert start not in found
                found[start] = some[start - at : end - at].decode(codec)
    assert [found[start] for start in sorted(found)] == wanted


def test_patterns(tmp_path, monkeypatch) -> None:
    for name in ("logs/a.txt", "logs/2024/b.txt", "logs/2024/01/c.txt", "old/d.txt", "old/e.csv", "logs/_hidden/f.txt", "{x}.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"text")

    def found(pattern: str) -> list[str]:
        return [str(Path(file).relative_to(tmp_path)) for file, _ in _ranges.files(f"{tmp_path}/{pattern}")]

    assert found("logs/**/*.txt") == ["logs/2024/01/c.txt", "logs/2024/b.txt", "logs/a.txt"]
    assert found("**/[cd].txt") == ["logs/2024/01/c.txt", "old/d.txt"] and found("logs/**") == found("logs/**/*.txt")
    assert found("{logs,old}/*.txt") == ["logs/a.txt", "old/d.txt"] and found("{old,none}") == ["old/d.txt", "old/e.csv"]
    assert found("{old/{d.txt,e.*},logs/a.txt}") == ["logs/a.txt", "old/d.txt", "old/e.csv"]
    assert found("{x}.txt") == ["{x}.txt"] and found("logs/*/*/*") == ["logs/2024/01/c.txt"]
    for nothing in ("*.nothing", "{a,b}.txt", "logs/**/old/*", "none/**"):
        with pytest.raises(FileNotFoundError):
            found(nothing)
    monkeypatch.chdir(tmp_path)
    assert [file for file, _ in _ranges.files("old/{d,e}.*")] == ["old/d.txt", "old/e.csv"]


def test_lines_are_told_with_their_places() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch(_native.arrow_lines(b"a\xff\r\n\nlast", 7, "a\ufffd\r\n\nlast".encode()))
    batch.validate(full=True)
    assert batch.schema.types == [pa.int64(), pa.string()]
    assert batch.to_pylist() == [{"offset": 7, "value": "a\ufffd"}, {"offset": 11, "value": ""}, {"offset": 12, "value": "last"}]
    assert pa.record_batch(_native.arrow_lines(b"\n", 0, b"\n")).to_pylist() == [{"offset": 0, "value": ""}]
    assert pa.record_batch(_native.arrow_lines(b"ok\n\xff", 0, b"ok\n")).to_pylist() == [{"offset": 0, "value": "ok"}, {"offset": 3, "value": ""}]
    assert pa.record_batch(_native.arrow_lines(b"\xff", 0, b"")).to_pylist() == [{"offset": 0, "value": ""}]
    assert _native.arrow_lines(b"a\nb", 0, b"a b") is None and _native.arrow_lines(b"a", 0, b"\xff") is None
