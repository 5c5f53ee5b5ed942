"""utf8kit.rows: problems and repairs of rows, and violations of targets."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, strategies as st

import utf8kit
from utf8kit import rows

DATA = b"id,name\n1,caf\xe9\n2,nul\x00l\n3,fine\n4,\xf0\x9f\x98\x80\n"


def test_problems_name_row_and_field(tmp_path) -> None:
    found = rows.check(DATA, "csv", target="postgresql")
    assert [(problem.row, problem.field, problem.name, problem.offset, problem.len, problem.kind) for problem in found] == [
        (2, 2, "name", 13, 1, "truncated"),
        (3, 2, "name", 20, 1, "nul"),
    ]
    assert "E9" in found[0].reason
    (tmp_path / "rows.csv").write_bytes(DATA)
    for source in (str(tmp_path / "rows.csv"), tmp_path / "rows.csv", bytearray(DATA), memoryview(DATA)):
        assert rows.check(source, "csv", target="postgresql") == found
    assert rows.check(DATA, "csv", target=["postgresql", "mysql-utf8mb3"])[2].row == 5
    assert rows.check(DATA, "csv", target="postgresql", limit=1) == found[:1]
    with pytest.raises(FileNotFoundError):
        rows.check(tmp_path / "none", "csv")


def test_paths_of_json_lines() -> None:
    [problem] = rows.check(b'{"user": {"tags": ["a", "b\\ud83d"]}}\n', "jsonl", target="json")
    assert problem.field is None
    assert problem.name == "$.user.tags[1]"


def test_options() -> None:
    assert rows.check(b"a;b\n1;2;3\n", "csv", delimiter=";", fields="header")[0].row == 2
    assert rows.check(b"a,b\n", "csv", fields=3)[0].row == 1
    assert rows.check("ab\ncdé\n".encode(), "lines", max_bytes=3)[0].kind == "too_long"
    assert rows.check("ab\ncdé\n".encode(), "lines", max_chars=3) == []
    assert rows.check(b"caf\xe9\n", "lines", encoding="windows-1252") == []
    for wrong in ({"delimiter": ",,"}, {"fields": -1}, {"fields": 0}, {"fields": "first"}, {"format": "xls"}, {"quote": "''"}):
        with pytest.raises((ValueError, OverflowError)):
            rows.check(b"", **({"format": "csv"} | wrong))
    with pytest.raises(LookupError, match="known are"):
        rows.check(b"", "csv", target="postgres95")
    with pytest.raises(LookupError):
        rows.check(b"", "csv", encoding="none")


def test_repair_passes_the_check() -> None:
    clean = b"id\n1\n"
    assert rows.repair(clean, "csv") is clean
    for policy in ("replace", "remove", "escape", "replace=?"):
        repaired = rows.repair(DATA, "csv", policy, target="postgresql")
        assert rows.check(repaired, "csv", target="postgresql") == []
        assert [row[0] for row in csv.reader(io.StringIO(repaired.decode()))] == ["id", "1", "2", "3", "4"]
    assert rows.repair("ab,ncdé\n".encode(), "csv", max_bytes=4) == b"ab,ncd\n"
    with pytest.raises(ValueError):
        rows.repair(DATA, "csv", "mojibake")


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.text(max_size=5), max_size=2), max_size=5))
def test_what_passes_for_json_is_read(values: list[dict[str, str]]) -> None:
    data = "".join(json.dumps(value) + "\n" for value in values).encode()
    repaired = rows.repair(data, "jsonl", target="json")
    assert rows.check(repaired, "jsonl", target="json") == []
    assert len([json.loads(line) for line in repaired.splitlines()]) == len(values)


def test_every_target_is_known() -> None:
    assert {"postgresql", "mysql-utf8mb3", "json", "source", "text"} <= set(rows.targets())
    for target in rows.targets():
        rows.check(b"text\n", target=target)
    assert utf8kit.rows is rows
