"""TextIndex."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import utf8kit

VECTORS = Path(__file__).parents[2] / "vectors" / "lsp" / "positions.jsonl"
UNITS = ("utf-8", "utf-16", "utf-32")


def cases() -> list[dict]:
    return [json.loads(line) for line in VECTORS.read_text().splitlines()]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_vectors(case: dict) -> None:
    data = bytes.fromhex(case["hex"])
    index = utf8kit.TextIndex(data, line_ends=case["line_ends"])
    assert {unit: index.length(unit) for unit in UNITS} == case["length"]
    offsets = [place["offset"] for place in case["positions"]]
    for unit in UNITS:
        expected = [(place["line"], place[unit]) for place in case["positions"]]
        assert [index.lsp_position(offset, unit) for offset in offsets] == expected
        assert index.lsp_positions(offsets, unit) == expected
    for unit, line, character, offset in case["offsets"]:
        assert index.lsp_offset(line, character, unit) == offset
        assert index.lsp_offsets([(line, character)], unit) == [offset]


def model(text: str, unit: str) -> list[int]:
    """The lengths before each code point, and before the end."""
    width = {
        "utf-8": lambda c: len(c.encode()),
        "utf-16": lambda c: 1 + (ord(c) > 0xFFFF),
        "utf-32": lambda c: 1,
    }[unit]
    before = [0]
    for character in text:
        before.append(before[-1] + width(character))
    return before


def test_positions_of_a_str_are_code_points() -> None:
    rng = random.Random(2)
    for length in (0, 5, 700, 5000):
        text = "".join(rng.choices(["a", "é", "日", "😀", "\n", "\r\n"], k=length))
        index = utf8kit.TextIndex(text)
        offsets = [rng.randrange(len(text) + 1) for _ in range(50)]
        for unit in UNITS:
            before = model(text, unit)
            assert index.positions(offsets, unit) == [before[offset] for offset in offsets]
            assert [index.offset(before[offset], unit) for offset in offsets] == offsets
            assert index.offsets([before[offset] for offset in offsets], unit) == offsets
            assert index.offset(before[-1] + 1, unit) is None
        lines = text.replace("\r\n", "\n").split("\n")
        assert index.lines == len(lines)
        assert [text[index.line(number + 1)] for number in range(len(lines))] == lines
        assert "".join(text[index.line(n + 1, with_end=True)] for n in range(len(lines))) == text
        for offset in offsets:
            assert index.offset_at(*index.line_column(offset)) == offset


def test_edits() -> None:
    rng = random.Random(3)
    text = "naïve 😀 café\r\n" * 300
    index = utf8kit.TextIndex(text)
    for _ in range(100):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.randrange(30))
        new = rng.choice(["", "x", "日本\n", "😀" * 40])
        index.edit(start, end, new)
        text = text[:start] + new + text[end:]
        again = utf8kit.TextIndex(text)
        offsets = [rng.randrange(len(text) + 1) for _ in range(20)]
        assert index.lines == again.lines
        assert index.lsp_positions(offsets) == again.lsp_positions(offsets)
    assert index.text == text
    data = utf8kit.TextIndex(b"caf\xe9")
    data.edit(3, 4, b"\xc3")
    data.edit(4, 4, b"\xa9")
    assert (data.text, data.length("utf-32")) == ("café".encode(), 4)


def test_a_recipe_of_clients_with_three_encodings() -> None:
    """One document, and clients that agreed on different position encodings."""
    index = utf8kit.TextIndex("print('😀', naïve)\nprint(2)\n")
    # Each client requests the name after the emoji.
    asked = {"utf-8": (0, 14), "utf-16": (0, 12), "utf-32": (0, 11)}
    offsets = {unit: index.lsp_offset(*position, unit) for unit, position in asked.items()}
    assert set(offsets.values()) == {11}
    # One client edits, and all are notified.
    start, end = index.lsp_offset(0, 12, "utf-16"), index.lsp_offset(0, 17, "utf-16")
    index.edit(start, end, "x")
    assert index.text == "print('😀', x)\nprint(2)\n"
    assert {unit: index.lsp_position(start + 1, unit) for unit in UNITS} == {
        "utf-8": (0, 15),
        "utf-16": (0, 13),
        "utf-32": (0, 12),
    }


def test_what_is_refused() -> None:
    index = utf8kit.TextIndex("abc")
    with pytest.raises(IndexError, match="2 to 4 is not a range"):
        index.edit(2, 4, "")
    with pytest.raises(IndexError):
        index.edit(2, 1, "")
    with pytest.raises(TypeError):
        index.edit(0, 1, b"x")
    with pytest.raises(TypeError):
        utf8kit.TextIndex(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown unit: utf-7"):
        index.length("utf-7")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown line_ends"):
        utf8kit.TextIndex("", line_ends="cr")  # type: ignore[arg-type]
    assert index.text == "abc" and repr(index) == "<TextIndex of 3 code points, 1 lines>"
