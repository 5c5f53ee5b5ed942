"""Summaries: any cut gives the same result as one pass."""

from __future__ import annotations

import functools
import pickle

import pytest
from hypothesis import given, strategies as st

import utf8kit
from test_text import BROKEN
from utf8kit import Summary


@given(BROKEN, st.data())
def test_parts_merge(data: bytes, draw: st.DataObject) -> None:
    encoding = draw.draw(st.sampled_from(utf8kit.dialects()))
    whole = Summary.of(data, encoding=encoding)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=6)))
    parts = [
        Summary.of(data, a, b, encoding=encoding) for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)
    ]
    assert functools.reduce(Summary.merge, parts) == whole
    assert functools.reduce(Summary.merge, parts, Summary(encoding)) == whole
    middle = len(parts) // 2
    if middle:
        left = functools.reduce(Summary.merge, parts[:middle])
        assert left + functools.reduce(Summary.merge, parts[middle:]) == whole
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]
    assert sent == parts and functools.reduce(Summary.merge, sent) == whole
    errors = utf8kit.errors(data, encoding)
    assert [(e["offset"], e["kind"]) for e in whole.first_errors] == [(e.offset, e.kind) for e in errors][:100]
    assert sum(whole.kinds.values()) == whole.errors == len(errors) == sum(whole.histogram[1])


def test_files_are_read_in_pieces(tmp_path) -> None:
    """Larger than the pieces that are read at a time, and cut within sequences."""
    data = ("é€😀\n".encode() * 100_000 + b"\xe2\x82\xff") * 6
    file = tmp_path / "text"
    file.write_bytes(data)
    whole = Summary.of(data)
    assert Summary.of_file(file) == whole and whole.errors == 12
    for chunk in (len(data), 1_000_003, 4 << 20):
        cuts = utf8kit.ranges(file, chunk)
        assert cuts[0][0] == 0 and cuts[-1][1] == len(data)
        parts = [Summary.of_file(file, *cut) for cut in cuts]
        assert functools.reduce(Summary.merge, parts) == whole
    assert Summary.of_file(file, len(data) + 5) == Summary()
    assert Summary.of_file(file, 5, 3) == Summary()


def test_ranges(tmp_path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    assert utf8kit.ranges(empty) == []
    with pytest.raises(ValueError):
        utf8kit.ranges(empty, 0)
    with pytest.raises(FileNotFoundError):
        utf8kit.ranges(tmp_path / "none")
    with pytest.raises(FileNotFoundError) as raised:
        Summary.of_file(tmp_path / "none")
    assert str(raised.value.filename).endswith("none")


def test_what_it_says() -> None:
    summary = Summary.of(b"ab\n\xff\xe2\x82", keep=1)
    assert summary.to_dict() == {
        "encoding": "utf-8",
        "is_valid": False,
        "bytes": 6,
        "code_points": 3,
        "lines": 1,
        "errors": 2,
        "kinds": {
            "overlong": 0,
            "surrogate": 0,
            "too_large": 0,
            "truncated": 1,
            "unexpected_continuation": 0,
            "invalid_byte": 1,
        },
        "first_errors": [{"offset": 3, "len": 1, "kind": "invalid_byte", "line": 2, "column": 1}],
    }
    assert repr(summary) == "<Summary of 6 bytes of utf-8: 2 errors>"
    assert Summary.of(b"\xff", base=1 << 40).first_errors[0]["offset"] == 1 << 40
    with pytest.raises(ValueError, match="cesu-8"):
        summary.merge(Summary("cesu-8"))
    with pytest.raises(TypeError):
        summary.merge(5)


def test_bytes() -> None:
    summary = Summary.of(b"a\xff\n" * 1000, encoding="cesu-8")
    assert Summary.from_bytes(summary.to_bytes()) == summary
    assert len(Summary.of(b"fine\n" * 100_000).to_bytes()) < 64
    for wrong in (b"", b"utf-8", b"utf-9\0", summary.to_bytes()[:-1]):
        with pytest.raises(ValueError, match="Summary"):
            Summary.from_bytes(wrong)


def test_sum() -> None:
    parts = [Summary.of(DATA_OF_PARTS, start, start + 7) for start in range(0, len(DATA_OF_PARTS), 7)]
    assert sum(parts) == Summary.of(DATA_OF_PARTS)
    assert sum(parts[1:], parts[0]) == Summary.of(DATA_OF_PARTS)
    with pytest.raises(TypeError):
        1 + parts[0]


DATA_OF_PARTS = b"one\ntw\xffo\nthr\xe2\x82ee " * 20
