"""utf8kit.open and utf8kit.stream: the same results as io.open for the same bytes, and policies that it lacks."""

from __future__ import annotations

import asyncio
import codecs
import io
import os
import random
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import utf8kit

PIECES = [b"", b"a", b"caf\xc3", b"\xa9", b"\xe2\x82", b"\xac", b"\xf0\x9f", b"\x98\x80", b"\xff", b"\xc0\xaf"]
ENDS = [b"\n", b"\r", b"\r\n", b"\r\r\n"]
NEWLINES = [None, "", "\n", "\r", "\r\n"]


def test_several_threads_open_files() -> None:
    failed: list[BaseException] = []

    def work(policy: str, text: str) -> None:
        try:
            for count in range(1000):
                assert utf8kit.open(io.BytesIO(b"caf\xc3\xa9\xff"), errors=policy).read() == text
                with pytest.raises(LookupError, match="unknown encoding"):
                    codecs.lookup(f"none-{policy}-{count}")
        except BaseException as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        policies = [("replace", "caf\xe9\ufffd"), ("remove", "caf\xe9"), ("escape", "caf\xe9\\xFF")]
        threads = [threading.Thread(target=work, args=policy) for policy in policies * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert failed == []


def texts(count: int, seed: int = 3) -> Iterator[bytes]:
    chance = random.Random(seed)
    for _ in range(count):
        pieces = chance.choices(PIECES + ENDS, k=chance.randrange(40))
        yield b"".join(pieces) * chance.choice([1, 1, 1, 300])


def same(data: bytes, newline: str | None) -> tuple[Any, io.TextIOWrapper]:
    ours = utf8kit.open(io.BytesIO(data), errors="replace", newline=newline)
    return ours, io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline)


@pytest.mark.parametrize("newline", NEWLINES)
def test_reads_like_the_platform(newline: str | None) -> None:
    for number, data in enumerate(texts(150)):
        ours, theirs = same(data, newline)
        assert list(ours) == list(theirs)
        assert ours.newlines == theirs.newlines
        chance = random.Random(number)
        ours, theirs = same(data, newline)
        for _ in range(10):
            size = chance.choice([0, 1, 2, 7, 100, 9000])
            assert ours.read(size) == theirs.read(size)
            assert ours.readline(size) == theirs.readline(size)
        assert ours.read() == theirs.read()
        assert ours.read() == theirs.read() == ""


@pytest.mark.parametrize("newline", NEWLINES)
@pytest.mark.parametrize(
    ("encoding", "errors"),
    [
        ("utf-8", "replace"),
        ("utf-8", "replace-run"),
        ("utf-8", "escape"),
        ("utf-8", "fallback=windows-1252"),
        ("utf-8", "fallback-lines=windows-1252"),
        ("auto", "fallback=windows-1252"),
        ("utf-16", "replace"),
        ("utf-16be", "replace"),
        ("wtf-8", "replace"),
        ("windows-1252", "replace"),
        ("gb18030", "replace"),
        ("shift_jis", "remove"),
        ("euc-jp", "replace"),
    ],
)
def test_tell_and_seek_at_every_line(encoding: str, errors: str, newline: str | None) -> None:
    chance = random.Random(5)
    for data in texts(8):
        data = data[:1000]
        if encoding.startswith("utf-16"):
            data = b"\xfe\xff" + data
        file = utf8kit.open(io.BytesIO(data), encoding=encoding, errors=errors, newline=newline)
        whole, places, lines = file.read(), [], []
        file.seek(0)
        while True:
            places.append(file.tell())
            lines.append(file.readline())
            if not lines[-1]:
                break
        assert "".join(lines) == whole
        for at in chance.sample(range(len(places)), min(len(places), 20)):
            file.seek(places[at])
            assert file.tell() == places[at]
            assert file.readline() == lines[at]
        for at in chance.sample(range(len(places)), min(len(places), 5)):
            file.seek(places[at])
            assert file.read() == "".join(lines[at:])


@pytest.mark.parametrize("errors", ["replace", "replace-run", "fallback=windows-1252"])
def test_tell_within_a_line(errors: str) -> None:
    for data in texts(20, seed=9):
        data = data[:700]
        file = utf8kit.open(io.BytesIO(data), errors=errors, newline="")
        whole = file.read()
        file.seek(0)
        for at in range(min(len(whole), 40)):
            place = file.tell()
            assert file.read() == whole[at:]
            file.seek(place)
            assert file.read(1) == whole[at]


def test_positions_are_those_of_the_platform() -> None:
    for data in texts(30):
        ours, theirs = same(data[:1000], None)
        while line := theirs.readline():
            assert ours.readline() == line
            assert ours.tell() == theirs.tell()


def test_a_policy_reads_a_path(tmp_path: Path) -> None:
    path = tmp_path / "mixed.txt"
    path.write_bytes("naïve\r\n".encode() + "café\n".encode("windows-1252"))
    with utf8kit.open(path, encoding="auto", errors="fallback=windows-1252") as file:
        assert file.readlines() == ["naïve\n", "café\n"]
        assert (file.encoding, file.errors, file.name) == ("utf-8", "fallback=windows-1252", str(path))
        assert isinstance(file, io.TextIOBase)
        assert str(path) in repr(file)
    assert file.closed
    descriptor = os.open(path, os.O_RDONLY)
    with utf8kit.open(descriptor, errors="remove", closefd=False) as file:
        assert file.read() == "naïve\ncaf\n"
    os.close(descriptor)


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-be", "utf-16be"),
        ("utf-32", "utf-32"),
        ("windows-1251", "windows-1251"),
        ("shift_jis", "Shift_JIS"),
    ],
)
def test_auto(encoding: str, found: str) -> None:
    text = "日本語の文章、日本の中で。 " if found == "Shift_JIS" else "Привет, мир! Как дела сегодня? "
    data = (text * 20).encode(encoding)
    with utf8kit.open(io.BytesIO(data), encoding="auto") as file:
        assert (file.read(), file.encoding) == (text * 20, found)
        file.seek(0)
        assert file.read(6) == text[:6]


def test_auto_looks_at_the_beginning() -> None:
    front = ("日本 " * 100_000).encode()
    with utf8kit.open(io.BytesIO(front + b"\xff"), encoding="auto", errors="replace") as file:
        assert file.read() == front.decode() + "\ufffd"
    with pytest.raises(ValueError, match="not text"):
        utf8kit.open(io.BytesIO(bytes(range(256)) * 4), encoding="auto")
    data = ("Привет, мир! " * 20).encode("windows-1251")
    with utf8kit.open(io.BytesIO(data), encoding="auto", errors="replace-run") as file:
        assert (file.encoding, file.errors) == ("windows-1251", "replace-run")
    # A policy that the encoding lacks is not applied.
    with utf8kit.open(io.BytesIO(data), encoding="auto", errors="join") as file:
        assert (file.encoding, file.errors) == ("windows-1251", "strict")


def test_strict_tells_the_place_in_the_file() -> None:
    data = b"a\n" * 30_000 + b"caf\xe9"
    with utf8kit.open(io.BytesIO(data)) as file, pytest.raises(utf8kit.Utf8Error) as error:
        for _ in file:
            pass
    assert (error.value.offset, error.value.kind, error.value.bytes) == (60_003, "truncated", b"\xe9")
    with utf8kit.open(io.BytesIO(data)) as file:
        file.seek(59_998)
        with pytest.raises(utf8kit.Utf8Error, match="byte 60003"):
            file.read()


class Pipe:
    """A source with only `read`, which returns little at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, size: int) -> bytes:
        piece, self.data = self.data[: min(size, 3)], self.data[min(size, 3) :]
        return piece


@pytest.mark.parametrize("encoding", ["auto", "utf-8"])
def test_sources_that_cannot_seek(encoding: str) -> None:
    text = "naïve 日本 café\n" * 20_000
    assert utf8kit.open(Pipe(text.encode()), encoding=encoding).read() == text
    out, into = os.pipe()
    writer = threading.Thread(target=lambda: os.fdopen(into, "wb").write(text.encode()))
    writer.start()
    with utf8kit.open(out, encoding=encoding) as file:
        assert not file.seekable()
        assert file.read() == text
        with pytest.raises(OSError, match="not seekable"):
            file.tell()
    writer.join()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"caf\xc3\xa9\n")
        theirs.shutdown(socket.SHUT_WR)
        assert utf8kit.open(ours.makefile("rb"), encoding=encoding).readline() == "café\n"


def test_stateful_encodings_are_read_from_the_start() -> None:
    text = "日本語 ab\n"
    with utf8kit.open(io.BytesIO(text.encode("iso-2022-jp")), encoding="iso-2022-jp") as file:
        assert file.read() == text
        assert not file.seekable()


def test_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_bytes(b"kept\xff")
    with open(path, "r+b") as bytes_file:
        file = utf8kit.open(bytes_file, errors="replace")
        assert not file.writable()
        for write in [lambda: file.write("x"), lambda: file.writelines(["x"]), lambda: file.truncate(0)]:
            with pytest.raises(io.UnsupportedOperation):
                write()
        with pytest.raises(io.UnsupportedOperation):
            file.reconfigure(encoding="latin1")
        assert file.read(2) == "ke"
        assert file.detach() is bytes_file
    assert path.read_bytes() == b"kept\xff"


def test_a_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with open(path, "wb") as log, utf8kit.open(path, errors="replace") as file:
        for line in ["one €\n", "two\n"]:
            log.write(line.encode())
            log.flush()
            assert (file.read(), file.read()) == (line, "")


def test_arguments_of_open(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError):
        utf8kit.open(missing)
    with pytest.raises(ValueError, match="unknown policy"):
        utf8kit.open(missing, errors="no such")
    with pytest.raises(ValueError, match="here the policy"):
        utf8kit.open(missing, encoding="shift_jis", errors="fallback=windows-1252")
    with pytest.raises(LookupError):
        utf8kit.open(missing, encoding="no such")
    with pytest.raises(TypeError, match="not bytes"):
        utf8kit.open(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="newline"):
        utf8kit.open(io.BytesIO(b""), newline="x")
    with pytest.raises(LookupError):
        b"a".decode("utf8kit.open")
    with pytest.raises(ValueError, match="mode 'r\\+'"):
        utf8kit.open(missing, "r+")
    assert not missing.exists()


def test_open_reads_and_writes_like_the_built_in_open(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for mode, encoding, newline in [("w", "utf-8", "\r\n"), ("a", "cp1252", None), ("wt", "utf-8-sig", ""), ("w", "cesu-8", None)]:
        with utf8kit.open(path, mode, encoding=encoding, newline=newline) as file:
            assert file.write("caf\xe9\n") == 5
        own = path.read_bytes()
        if encoding != "cesu-8":
            with open(tmp_path / "other", mode, encoding=encoding, newline=newline) as file:
                file.write("caf\xe9\n")
            assert own == (tmp_path / "other").read_bytes()
    with pytest.raises(FileExistsError):
        utf8kit.open(path, "x")
    with pytest.raises(LookupError):
        utf8kit.open(path, "w", encoding="no such")
    assert path.read_bytes() == own
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9\xff")
    path = os.fsencode(tmp_path / "marked")
    for errors in ["ignore", "surrogateescape", "backslashreplace", "replace"]:
        for encoding in ["utf-8", "utf-8-sig", "UTF_8_SIG"]:
            with utf8kit.open(path, encoding=encoding, errors=errors) as ours:
                with open(path, encoding=encoding, errors=errors) as theirs:
                    assert ours.read() == theirs.read(), (errors, encoding)
    with utf8kit.open(path, encoding="latin1", errors="surrogateescape") as ours:
        assert ours.read(3) == "\xef\xbb\xbf"


@pytest.mark.parametrize("errors", ["replace", "escape", "fallback=windows-1252"])
def test_stream_is_a_repair(errors: str) -> None:
    async def fed(pieces: list[bytes]) -> list[str]:
        reader = asyncio.StreamReader()

        async def feed() -> None:
            for piece in pieces:
                reader.feed_data(piece)
                await asyncio.sleep(0)
            reader.feed_eof()

        task = asyncio.ensure_future(feed())
        texts = [text async for text in utf8kit.stream(reader, errors)]
        await task
        return texts

    async def iterated(pieces: list[bytes]) -> list[str]:
        async def source() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        return [text async for text in utf8kit.stream(source(), errors)]

    chance = random.Random(2)
    for _ in range(40):
        pieces = chance.choices(PIECES, k=chance.randrange(12))
        whole = utf8kit.repair(b"".join(pieces), errors).decode()
        for got in [
            asyncio.run(fed(pieces)),
            asyncio.run(iterated(pieces)),
            list(utf8kit.stream(pieces, errors)),
            list(utf8kit.stream(io.BytesIO(b"".join(pieces)), errors)),
        ]:
            assert "".join(got) == whole
            assert "" not in got


def test_stream_over_a_connection() -> None:
    async def serve() -> str:
        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for byte in "日本 €".encode() + b"\xff":
                writer.write(bytes([byte]))
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1")
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            text = "".join([piece async for piece in utf8kit.stream(reader, "replace")])
            writer.close()
            return text

    assert asyncio.run(serve()) == "日本 €\ufffd"


def test_arguments_of_stream() -> None:
    for wrong in ["text", b"bytes", 5]:
        with pytest.raises(TypeError, match="iterable of bytes"):
            utf8kit.stream(wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="unknown policy"):
        utf8kit.stream([], "no such")
    with pytest.raises(utf8kit.Utf8Error, match="byte 3"):
        list(utf8kit.stream([b"abc", b"\xff"]))
