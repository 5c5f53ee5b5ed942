"""Text files with policies, and text from any source of bytes."""

from __future__ import annotations

import codecs
import io
import os
from _thread import _local
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from utf8kit import _native
from utf8kit._error import Utf8Error

TYPE_CHECKING = False  # `typing` takes long to import.
if TYPE_CHECKING:
    from typing import IO, Any, Literal, NoReturn, Protocol, TypeAlias, overload

    from typing_extensions import Buffer

    _Hold: TypeAlias = Literal["none", "grapheme"]

    class _AsyncReadable(Protocol):
        async def read(self, size: int, /) -> Buffer: ...

    class _Readable(Protocol):
        def read(self, size: int, /) -> Buffer: ...


#: How many bytes `encoding="auto"` examines.
SAMPLE = 256 << 10

#: How many bytes are read at a time.
PIECE = 64 << 10


def open(
    file: str | bytes | os.PathLike[str] | os.PathLike[bytes] | int | IO[bytes] | _Readable,
    mode: str = "r",
    *,
    encoding: str = "utf-8",
    errors: str = "strict",
    newline: str | None = None,
    closefd: bool = True,
) -> io.TextIOWrapper:
    """Opens a text file, like the built-in `open`, with more policies for invalid bytes and more encodings.

    Args:
        file: a path, a file descriptor, or a binary file object.
        mode: `r` or `rt` to read. `w`, `x` and `a` write like the built-in `open`, in Python's encodings and in those
            of `utf8kit.codecs`, which are registered if needed; `+` is not supported.
        encoding: one of `utf8kit.encodings()`, a label of the WHATWG Encoding Standard, `utf-8-sig` (UTF-8 whose byte
            order mark is skipped), or `auto`: the likely encoding of the first 256 KiB, without a byte order mark. That
            much of a pipe is read before `open` returns.
        errors: a policy as for `TextStream`: `replace`, `fallback=windows-1252`, ..., or `strict`, which raises
            `Utf8Error` with the place in the file. `ignore` is `remove`; the other names of Python, such as
            `surrogateescape`, do what they do in the built-in `open`. With a fallback, `auto` distinguishes only UTF-8,
            UTF-16 and UTF-32, and treats anything else as UTF-8, most of which the fallback then decodes. Encodings
            other than UTF-8 do not support every policy; if `auto` finds such an encoding, it is read with `strict`.
        newline: how lines end, as for the built-in `open`.
        closefd: whether a file descriptor is closed with the file.

    Returns:
        For reading, a `TextFile`: a context manager and an iterator over lines, with `read`, `readline`, `tell`, `seek`
        and `detach`. For writing, what the built-in `open` returns.

    Raises:
        OSError: the file cannot be opened or read.
        ValueError: there is no such mode or policy, the encoding does not support it, or `auto` finds that the file is
            not text.
        LookupError: there is no such encoding.

    >>> import utf8kit, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     with utf8kit.open(file.name, "w", newline="\\r\\n") as text:
    ...         written = text.write("naïve\\n")
    ...     file.seek(0, 2), file.write(b"caf\\xe9\\n"), file.flush()
    ...     with utf8kit.open(file.name, errors="fallback=windows-1252") as text:
    ...         text.encoding, text.readlines()
    (8, 5, None)
    ('utf-8', ['naïve\\n', 'café\\n'])
    """
    kind = mode.replace("t", "", 1)
    if kind not in ("r", "w", "x", "a"):
        raise ValueError(f"mode {mode!r} is not r, w, x or a: to edit a file, use utf8kit.edit")
    if kind != "r" or errors in _PYTHONS_OWN:
        return _builtin(file, kind, encoding, errors, newline, closefd)
    if errors == "ignore":
        errors = "remove"
    skip_mark = encoding.lower().replace("_", "-") == "utf-8-sig"
    if skip_mark:
        encoding = "utf-8"
    _native.Decoder(errors, "utf-8" if encoding == "auto" else encoding)  # Before anything is opened: ValueError.
    buffer = _bytes_of(file, closefd)
    try:
        if encoding != "auto":
            return TextFile(buffer, encoding, errors, newline, skip_mark=skip_mark)
        encoding, buffer = _sniffed(buffer)
        if errors.startswith("fallback") and encoding not in _native.encodings():
            encoding = "utf-8"
        try:
            return TextFile(buffer, encoding, errors, newline, skip_mark=True)
        except ValueError:
            return TextFile(buffer, encoding, "strict", newline, skip_mark=True)
    except BaseException:
        if buffer is not file:
            buffer.close()
        raise


#: Python's error handlers without an equivalent policy: they write lone surrogates or escapes.
_PYTHONS_OWN = {"surrogateescape", "surrogatepass", "backslashreplace", "xmlcharrefreplace", "namereplace"}


def _builtin(file: Any, mode: str, encoding: str, errors: str, newline: str | None, closefd: bool) -> io.TextIOWrapper:
    if encoding == "auto":
        raise ValueError("encoding='auto' reads with a policy: name the encoding")
    try:
        codecs.lookup(encoding)
    except LookupError:
        from utf8kit.codecs import register

        register()
        codecs.lookup(encoding)  # Before the file is emptied.
    if isinstance(file, (str, bytes, os.PathLike, int)):
        made = io.open(file, mode, encoding=encoding, errors=errors, newline=newline, closefd=closefd)
        assert isinstance(made, io.TextIOWrapper)
        return made
    return io.TextIOWrapper(file, encoding, errors, newline)


class TextFile(io.TextIOWrapper):
    """A file of text, as `utf8kit.open` returns it: an `io.TextIOWrapper` that cannot be written to.

    `encoding` and `errors` describe the text; `auto` is replaced by the encoding that was found.
    """

    def __init__(
        self,
        buffer: io.BufferedIOBase,
        encoding: str,
        errors: str,
        newline: str | None,
        *,
        skip_mark: bool = False,
    ) -> None:
        tell = buffer.tell if buffer.seekable() else None
        decoder = _native.Decoder(errors, encoding, skip_mark, tell)
        # Cookies of `tell` need a decoder that can continue anywhere.
        inner = buffer if decoder.is_seekable or tell is None else io.BufferedReader(_Reader(buffer))
        self._encoding, self._errors = encoding, errors
        # `io.TextIOWrapper` finds its decoder by the name of a codec.
        _opening.decoder = decoder
        try:
            super().__init__(inner, CODEC, "strict", newline)  # type: ignore[arg-type]
        finally:
            del _opening.decoder

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The name of the encoding."""
        return self._encoding

    @property
    def errors(self) -> str:  # type: ignore[override]
        """The policy for invalid bytes, or `strict`."""
        return self._errors

    def writable(self) -> bool:
        """Returns False, because a policy defines how bytes are read, not how they are written back."""
        return False

    def write(self, text: str, /) -> NoReturn:
        """Raises `io.UnsupportedOperation`."""
        raise io.UnsupportedOperation("not writable: a policy says how bytes are read; see utf8kit.edit")

    def truncate(self, size: int | None = None, /) -> NoReturn:
        """Raises `io.UnsupportedOperation`."""
        raise io.UnsupportedOperation("not writable: see utf8kit.edit")

    def reconfigure(self, **settings: Any) -> NoReturn:
        """Raises `io.UnsupportedOperation`."""
        raise io.UnsupportedOperation("cannot be reconfigured: open the file again")

    def __repr__(self) -> str:
        name = f"name={self.name!r} " if hasattr(self.buffer, "name") else ""
        return f"<utf8kit.TextFile {name}encoding={self.encoding!r} errors={self.errors!r}>"


#: The codec that `io.TextIOWrapper` looks up. It decodes only while a file is opened, in the thread that opens it.
CODEC = "utf8kit.open"

_opening = _local()


def _search(name: str) -> codecs.CodecInfo | None:
    if name != CODEC:
        return None
    return codecs.CodecInfo(
        _no_codec, _no_codec, incrementaldecoder=_decoder, incrementalencoder=_Unwritable, name=CODEC
    )


# Only once, because lookups of any codec in other threads would fail during another registration.
codecs.register(_search)


def _no_codec(data: Any, errors: str = "strict") -> NoReturn:
    raise LookupError(f"{CODEC} is not an encoding: use utf8kit.open")


def _decoder(errors: str = "strict") -> Any:
    decoder = getattr(_opening, "decoder", None)
    return decoder if decoder is not None else _no_codec(b"")


class _Unwritable(codecs.IncrementalEncoder):
    """The encoder that `io.TextIOWrapper` requires for writable files."""

    def encode(self, text: str, final: bool = False) -> NoReturn:
        raise io.UnsupportedOperation("not writable")


class _Reader(io.RawIOBase):
    """Reads from anything that has `read`, once."""

    def __init__(self, source: Any, front: bytes = b"") -> None:
        self._source, self._front = source, front
        self._read = getattr(source, "read1", source.read)
        if hasattr(source, "name"):
            self.name = source.name

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any, /) -> int | None:
        if self._front:
            data, self._front = self._front[: len(target)], self._front[len(target) :]
        else:
            data = self._read(len(target))
            if data is None:
                return None
        if isinstance(data, str):
            raise TypeError("the file gives text, not bytes")
        target[: len(data)] = data
        return len(data)

    def fileno(self) -> int:
        return int(self._source.fileno())

    def close(self) -> None:
        if not self.closed:
            super().close()
            getattr(self._source, "close", lambda: None)()


def _bytes_of(file: Any, closefd: bool) -> io.BufferedIOBase:
    if isinstance(file, (str, bytes, os.PathLike, int)):
        return io.open(file, "rb", closefd=closefd)
    if isinstance(file, io.BufferedIOBase):
        return file
    if isinstance(file, io.TextIOBase):
        raise TypeError("the file gives text, not bytes: open it with mode 'rb', or pass its `buffer`")
    return io.BufferedReader(file if isinstance(file, io.RawIOBase) else _Reader(file))


def _sniffed(buffer: io.BufferedIOBase) -> tuple[str, io.BufferedIOBase]:
    """Returns the likely encoding, and a file that is still at its start."""
    start = buffer.tell() if buffer.seekable() else None
    head = b""
    while len(head) <= SAMPLE and (more := buffer.read(SAMPLE + 1 - len(head))):
        head += more
    encoding = _native.sniff(head[:SAMPLE], len(head) <= SAMPLE)
    if encoding is None:
        raise ValueError("not text, as far as its first bytes tell: name the encoding")
    if start is None:
        return encoding, io.BufferedReader(_Reader(buffer, head))
    buffer.seek(start)
    return encoding, buffer


if TYPE_CHECKING:

    @overload
    def stream(
        source: _AsyncReadable | AsyncIterable[Buffer], errors: str = ..., encoding: str = ..., *, hold: _Hold = ...
    ) -> AsyncIterator[str]: ...
    @overload
    def stream(
        source: _Readable | Iterable[Buffer], errors: str = ..., encoding: str = ..., *, hold: _Hold = ...
    ) -> Iterator[str]: ...


def stream(source: Any, errors: str = "strict", encoding: str = "utf-8", *, hold: _Hold = "none") -> Any:
    """Decodes bytes as they arrive, from any source of pieces, which may be split anywhere.

    Args:
        source: for `async for`, an `asyncio.StreamReader` or anything else with an asynchronous `read`, or an
            asynchronous iterable of bytes (such as `response.aiter_bytes()` of HTTPX). For `for`, a file object, or an
            iterable of bytes.
        errors: a policy as for `TextStream`, or `strict`, which raises `Utf8Error` with the place in the stream, after
            the text before it.
        encoding, hold: as for `TextStream`.

    Returns:
        An iterator over non-empty pieces of `str`. It is asynchronous if the source is.

    Raises:
        ValueError, LookupError: there is no such policy or encoding.
        TypeError: the source does not yield bytes.

    >>> import asyncio, utf8kit
    >>> list(utf8kit.stream([b"caf\\xc3", b"\\xa9 \\xff", b"!"], "replace"))
    ['caf', 'é \ufffd', '!']
    >>> async def read() -> list[str]:
    ...     reader = asyncio.StreamReader()
    ...     reader.feed_data("naïve".encode())
    ...     reader.feed_eof()
    ...     return [text async for text in utf8kit.stream(reader)]
    >>> asyncio.run(read())
    ['naïve']
    """
    text = _native.TextStream(errors, encoding, hold=hold)
    read = getattr(source, "read", None)
    import inspect

    if inspect.iscoroutinefunction(read) or (read is None and hasattr(source, "__aiter__")):
        return _decode_async(source, read, text)
    if read is None and not hasattr(source, "__iter__") or isinstance(source, (str, bytes, bytearray, memoryview)):
        raise TypeError("the source must have `read`, or be an iterable of bytes")
    return _decode(iter(lambda: read(PIECE), b"") if read is not None else iter(source), text)


def _decode(pieces: Iterator[Buffer], text: _native.TextStream) -> Iterator[str]:
    for piece in pieces:
        yield from _pushed(text, piece)
    yield from _pushed(text, b"", last=True)


async def _decode_async(source: Any, read: Any, text: _native.TextStream) -> AsyncIterator[str]:
    async for piece in source if read is None else _pieces(read):
        for some in _pushed(text, piece):
            yield some
    for some in _pushed(text, b"", last=True):
        yield some


def _pushed(text: _native.TextStream, piece: Buffer, last: bool = False) -> Iterator[str]:
    """Yields the text of a piece, also before an error."""
    try:
        some = text.push(piece, last=last)
    except Utf8Error as error:
        if error.before:
            yield error.before
        raise
    if some:
        yield some


async def _pieces(read: Any) -> AsyncIterator[Buffer]:
    while piece := await read(PIECE):
        yield piece
