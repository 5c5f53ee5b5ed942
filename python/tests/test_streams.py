"""Validator, Converter, TextStream, SummaryStream: the same results as one call on the whole, for any cut."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

import utf8kit

PIECES = [b"", b"a", b"caf\xc3", b"\xa9", b"\xe2\x82", b"\xac", b"\xf0\x9f", b"\x98\x80", b"\xff", b"\xc0\xaf", b"\n"]


def texts() -> Iterator[list[bytes]]:
    chance = random.Random(7)
    for _ in range(300):
        yield [chance.choice(PIECES) for _ in range(chance.randrange(12))]


def push_all(stream: Any, pieces: list[bytes]) -> list[Any]:
    return [stream.push(piece, last=i == len(pieces)) for i, piece in enumerate([*pieces, b""])]


def test_validator_finds_the_first_error() -> None:
    for pieces in texts():
        whole = utf8kit.validate(b"".join(pieces))
        validator = utf8kit.Validator()
        found = push_all(validator, pieces)[-1]
        assert (found is None) == (whole is None)
        if whole is not None:
            assert (found.offset, found.len, found.kind, found.bytes) == (
                whole.offset,
                whole.len,
                whole.kind,
                whole.bytes,
            )
        assert validator.offset == (len(b"".join(pieces)) if whole is None else whole.offset)


def test_an_error_stays_the_answer() -> None:
    validator = utf8kit.Validator()
    assert validator.push(b"ok \xff").offset == 3
    assert validator.push(b"more").offset == 3
    assert validator.push(b"", last=True).offset == 3


@pytest.mark.parametrize("policy", ["replace", "remove", "escape", "same-length", "fallback=windows-1252"])
def test_text_is_that_of_a_repair(policy: str) -> None:
    for pieces in texts():
        text = "".join(push_all(utf8kit.TextStream(policy), pieces))
        assert text == utf8kit.repair(b"".join(pieces), policy).decode()


VECTORS = Path(__file__).parents[2] / "vectors" / "streams" / "cuts.jsonl"
CASES = [json.loads(line) for line in VECTORS.read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cuts_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    text = utf8kit.TextStream(case["policy"], hold=case["hold"])
    pieces = [bytes.fromhex(piece) for piece in case["pieces_hex"]]
    assert push_all(text, pieces) == case["texts"]
    joined = list(utf8kit.stream(pieces, case["policy"], hold=case["hold"]))
    assert joined == [text for text in case["texts"] if text]


def test_no_more_than_256_bytes_are_held() -> None:
    text, held, out = utf8kit.TextStream(hold="grapheme"), 0, ""
    for piece in ["a", *["\u0301"] * 1000]:
        held += len(piece.encode())
        got = text.push(piece.encode())
        out, held = out + got, held - len(got.encode())
        assert held <= 256
    assert out + text.push(b"", last=True) == "a" + "\u0301" * 1000


def test_strict_text_raises_at_the_error() -> None:
    text = utf8kit.TextStream()
    assert text.push(b"na\xc3") == "na"
    with pytest.raises(utf8kit.Utf8Error) as error:
        text.push(b"\xafve \xe9.")
    assert (error.value.offset, error.value.kind, error.value.bytes) == (7, "truncated", b"\xe9")
    with pytest.raises(ValueError, match="already ended"):
        text.push(b"more")


@pytest.mark.parametrize("hold", ["none", "grapheme"])
@pytest.mark.parametrize("encoding", ["utf-8", "shift_jis"])
def test_text_before_an_error_is_not_lost(encoding: str, hold: Literal["none", "grapheme"]) -> None:
    for pieces, before in [([b"cafe", b"\xff"], "cafe"), ([b"caf", b"e \xff!"], "cafe "), ([b"a", b"b\xe0"], "ab"), ([b"\xff"], "")]:
        got: list[str] = []
        with pytest.raises(utf8kit.Utf8Error) as error:
            for text in utf8kit.stream(iter(pieces), encoding=encoding, hold=hold):
                got.append(text)
        assert "".join(got) == before and "" not in got
        assert error.value.offset == len(before)

        async def read(pieces: list[bytes] = pieces) -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        async def texts(source: AsyncIterator[bytes], got: list[str]) -> None:
            async for text in utf8kit.stream(source, encoding=encoding, hold=hold):
                got.append(text)

        got = []
        with pytest.raises(utf8kit.Utf8Error):
            asyncio.run(texts(read(), got))
        assert "".join(got) == before and "" not in got
        stream, pushed = utf8kit.TextStream(encoding=encoding, hold=hold), ""
        with pytest.raises(utf8kit.Utf8Error) as error:
            for piece in pieces:
                pushed += stream.push(piece)
            stream.push(b"", last=True)
        assert pushed + error.value.before == before


def test_output_before_an_error_of_a_converter_is_not_lost() -> None:
    for source in ["utf-8", "shift_jis"]:
        converter = utf8kit.Converter(source, "utf-16le")
        assert converter.push(b"cafe") == "cafe".encode("utf-16le")
        with pytest.raises(utf8kit.Utf8Error) as error:
            converter.push(b" au\xff!")
        assert error.value.before == " au".encode("utf-16le")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16le", "shift_jis", "gb18030", "windows-1251", "iso-2022-jp"])
def test_text_in_other_encodings(encoding: str) -> None:
    words = {"windows-1251": "Привет, мир", "gb18030": "你好 €"}.get(encoding, "日本 ab")
    data = words.encode(encoding)
    for cut in range(len(data)):
        stream = utf8kit.TextStream(encoding=encoding)
        assert stream.push(data[:cut]) + stream.push(data[cut:]) + stream.push(b"", last=True) == words


def test_converter_is_convert() -> None:
    pairs = [("utf-16be", "replace"), ("cesu-8", "remove"), ("windows-1252", "replace"), ("latin1", "escape")]
    for target, policy in pairs:
        for pieces in texts():
            converted = b"".join(push_all(utf8kit.Converter("utf-8", target, policy), pieces))
            assert converted == utf8kit.convert(b"".join(pieces), "utf-8", target, policy)


def test_converter_tells_the_place() -> None:
    converter = utf8kit.Converter("utf-8", "shift_jis")
    assert converter.push("日本 ".encode()).decode("shift_jis") == "日本 "
    with pytest.raises(utf8kit.UnencodableError, match="U\\+1F600 GRINNING FACE") as error:
        converter.push("😀".encode(), last=True)
    assert (error.value.offset, error.value.kind, error.value.object) == (7, "unencodable", "😀")


def test_summary_is_that_of_the_whole() -> None:
    for pieces in texts():
        stream = utf8kit.SummaryStream()
        push_all(stream, pieces)
        assert stream.summary == utf8kit.Summary.of(b"".join(pieces))


@pytest.mark.parametrize(
    "stream",
    [
        utf8kit.Validator(),
        utf8kit.Converter("utf-8", "utf-16le"),
        utf8kit.TextStream("replace"),
        utf8kit.SummaryStream(),
    ],
)
def test_nothing_follows_the_last_piece(stream: Any) -> None:
    stream.push(b"a", last=True)
    with pytest.raises(ValueError, match="already ended"):
        stream.push(b"b")


def test_arguments_are_checked() -> None:
    with pytest.raises(LookupError):
        utf8kit.TextStream(encoding="no such")
    with pytest.raises(ValueError, match="no such"):
        utf8kit.TextStream("no such")
    with pytest.raises(ValueError, match="here the policy"):
        utf8kit.TextStream("fallback=windows-1252", encoding="shift_jis")
    with pytest.raises(ValueError, match="here the policy"):
        utf8kit.TextStream("mojibake")
    with pytest.raises(ValueError, match="none or grapheme"):
        utf8kit.TextStream(hold="word")  # type: ignore[call-overload]
