"""Exceptions: an error in bytes, a character that cannot be encoded, a file that was left alone."""

from __future__ import annotations

from utf8kit import _native

TYPE_CHECKING = False  # `typing` takes long to import.
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, NoReturn


class Utf8Error(UnicodeDecodeError):
    """An error: its position, length and kind.

    It is returned by `validate` and `errors`, and raised by `convert`, `raise_` and the codecs. As a
    `UnicodeDecodeError` it works wherever one is expected, including error handlers.

    Attributes:
        offset: where the error begins, in bytes of the input.
        len: its length, 1 to 6 bytes.
        kind: `overlong`, `surrogate`, `too_large`, `truncated`, `unexpected_continuation` or `invalid_byte`; with
            legacy encodings also `malformed`.
        bytes: the error's bytes.
        expected: the bytes (first, last) that would have continued the sequence, or None.
        reason: the description of the error.
        before: the output of a stream before the error that was not returned yet: text of a `TextStream`, bytes of a
            `Converter`; else empty text.
        object, start, end: `object[start:end]` are the error's bytes. The object is the input if that is `bytes`, else
            a copy. If the input has more than 64 MiB and is not `bytes`, the object is only the error's bytes, and
            `start` is 0.

    >>> import utf8kit
    >>> error = utf8kit.validate(b"/\\xc0\\xaf")
    >>> error
    Utf8Error(offset=1, len=1, kind='overlong', bytes=b'\\xc0')
    >>> print(error)
    byte 1: overlong form; C0 AF is an overlong "/"; no sequence of utf-8 begins with C0
    >>> try:
    ...     error.raise_()
    ... except UnicodeDecodeError as same:
    ...     print(same.start, same.end)
    1 2
    """

    __slots__ = ("_context", "_words", "before", "kind", "offset")

    offset: int
    kind: str
    before: Any

    def __init__(
        self,
        encoding: str,
        object: bytes,
        start: int,
        end: int,
        offset: int,
        kind: str,
        context: bytes,
        words: str | None = None,
    ) -> None:
        super().__init__(encoding, object, start, end, kind)
        self.offset = offset
        self.kind = kind
        self.before = ""
        # The error's bytes and the bytes after it, for attributes that are computed on demand.
        self._context = context
        self._words = words

    @property
    def reason(self) -> str:  # type: ignore[override]
        """The description of the error."""
        return self._words if self._words is not None else _native.describe(self._context, self.encoding)[0]

    @property
    def expected(self) -> tuple[int, int] | None:
        """The bytes (first, last) that would have continued the sequence, or None."""
        return None if self._words is not None else _native.describe(self._context, self.encoding)[1]

    @property
    def len(self) -> int:
        """The length of the error, 1 to 6 bytes."""
        return self.end - self.start

    @property
    def bytes(self) -> bytes:
        """The error's bytes."""
        return self.object[self.start : self.end]

    def raise_(self) -> NoReturn:
        """Raises the error."""
        raise self

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"

    def __repr__(self) -> str:
        return f"Utf8Error(offset={self.offset}, len={self.len}, kind={self.kind!r}, bytes={self.bytes!r})"

    def _identity(self) -> tuple[Any, ...]:
        return (self.encoding, self.offset, self.bytes, self.kind)

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Utf8Error) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __reduce__(self) -> tuple[Any, ...]:
        # Without the input, which may be large.
        place = (self.encoding, self.bytes, 0, self.len, self.offset, self.kind)
        return (Utf8Error, (*place, self._context, self._words))


class UnencodableError(UnicodeEncodeError):
    """A character that the target encoding lacks. `convert` and `Converter` raise it.

    Attributes:
        offset: the offset of the character in the input, in bytes.
        len, bytes: its length and its bytes in the input.
        kind: `unencodable`.
        reason: the description.
        before: the output of a `Converter` before the character that was not returned yet; else empty.
        object, start, end: the character itself, 0 and 1.

    >>> import utf8kit
    >>> try:
    ...     utf8kit.convert("5 €".encode(), "utf-8", "iso-8859-1")
    ... except UnicodeEncodeError as error:
    ...     print(error.offset, error.object, error.kind)
    2 € unencodable
    """

    __slots__ = ("before", "bytes", "offset")

    kind = "unencodable"

    def __init__(self, encoding: str, object: str, offset: int, bytes: bytes, reason: str) -> None:
        super().__init__(encoding, object, 0, 1, reason)
        self.offset = offset
        self.bytes = bytes
        self.before: Any = ""

    @property
    def len(self) -> int:
        """The number of bytes of the character in the input."""
        return len(self.bytes)

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (UnencodableError, (self.encoding, self.object, self.offset, self.bytes, self.reason))


class SkippedError(Exception):
    """A file was left alone because writing it would lose text, it is not text, or another program changed it.

    Attributes:
        path: the file.
        reason: why, and what to do instead.

    >>> import tempfile, utf8kit
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     written = file.write("naïve café".encode("utf-16"))
    ...     file.flush()
    ...     try:
    ...         utf8kit.repair_file(file.name, file.name)
    ...     except utf8kit.SkippedError as error:
    ...         print("utf-16" in error.reason)
    True
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: skipped: {self.reason}"
