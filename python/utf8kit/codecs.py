"""The dialects of UTF-8 as Python codecs, and repair policies as error handlers.

>>> import utf8kit
>>> utf8kit.codecs.register()
>>> b"\\xed\\xa0\\xbd\\xed\\xb8\\x80 \\xc0\\x80".decode("mutf-8")
'😀 \\x00'
>>> "😀".encode("cesu-8").hex(" ")
'ed a0 bd ed b8 80'
>>> b"a\\xe2\\x82\\xff\\xffb".decode("utf-8", "utf8kit.replace-run")
'a\ufffdb'
"""

from __future__ import annotations

import codecs
from functools import cache, partial

from utf8kit import _native

TYPE_CHECKING = False  # `typing` takes long to import.
if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["CODECS", "HANDLERS", "register", "unregister"]

#: The codecs: all dialects except UTF-8 itself, which Python has.
CODECS: tuple[str, ...] = tuple(name for name in _native.dialects() if name != "utf-8")

#: The error handlers, which also work with Python's own `utf-8`.
HANDLERS: tuple[str, ...] = tuple(
    f"utf8kit.{policy}"
    for policy in ("replace", "replace-byte", "replace-run", "java", "remove", "escape", "same-length")
)


def register() -> None:
    """Registers the codecs and the error handlers with Python. May be called again.

    Codecs: `utf-8-21bit`, `utf-8-31bit`, `utf-8-offset`, `cesu-8`, `mutf-8`, `wtf-8`, for `bytes.decode`, `str.encode`,
    `open` and anything else that takes the name of an encoding. Streams may be split anywhere. `modified-utf-8` is
    `mutf-8`, and MySQL's `utf8mb4` is `utf-8`; its `utf8mb3` is also `utf-8`, but does not encode characters above
    U+FFFF.

    Error handlers: `utf8kit.` and the name of a policy of `utf8kit.repair`, as in
    `data.decode("utf-8", "utf8kit.java")`.
    """
    unregister()
    codecs.register(_search)
    for name in HANDLERS:
        codecs.register_error(name, partial(_handle, name.removeprefix("utf8kit.")))


def unregister() -> None:
    """Unregisters the codecs. Error handlers remain: Python cannot unregister them."""
    codecs.unregister(_search)


@cache
def _search(name: str) -> codecs.CodecInfo | None:
    if name == "utf8mb3":
        return _of_mysql()
    try:
        codec = _native.Codec(name)
    except LookupError:
        return None
    if codec.encoding == "utf-8":
        return codecs.lookup("utf-8")
    if codec.encoding not in CODECS:
        return None

    class IncrementalEncoder(codecs.BufferedIncrementalEncoder):
        def _buffer_encode(self, text: str, errors: str, final: bool) -> tuple[bytes, int]:
            # Half of a pair may be followed by the other half, forming one code point.
            kept = 1 if not final and "\ud800" <= text[-1:] <= "\udbff" else 0
            ready = text[: len(text) - kept]
            return codec.encode(ready, errors)

    class IncrementalDecoder(codecs.BufferedIncrementalDecoder):
        def _buffer_decode(self, data: Buffer, errors: str, final: bool) -> tuple[str, int]:
            return codec.decode(data, errors, final)

    class StreamWriter(codecs.StreamWriter):
        def encode(self, text: str, errors: str = "strict") -> tuple[bytes, int]:
            return codec.encode(text, errors)

    class StreamReader(codecs.StreamReader):
        def decode(self, data: Buffer, errors: str = "strict") -> tuple[str, int]:
            return codec.decode(data, errors, False)

    return codecs.CodecInfo(
        name=codec.encoding,
        encode=codec.encode,
        decode=codec.decode,
        incrementalencoder=IncrementalEncoder,
        incrementaldecoder=IncrementalDecoder,
        streamreader=StreamReader,
        streamwriter=StreamWriter,
    )


def _of_mysql() -> codecs.CodecInfo:
    """Returns the codec `utf8mb3`: UTF-8 without characters of four bytes."""
    utf8 = codecs.lookup("utf-8")

    def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
        # Checks that no character takes two UTF-16 units. Searching for the greatest character takes longer.
        if len(text.encode("utf-16", "surrogatepass")) == 2 + 2 * len(text):
            return utf8.encode(text, errors)
        whole, at, parts = len(text), 0, []
        while at < whole:
            start = next((start for start in range(at, whole) if text[start] > "\uffff"), whole)
            parts.append(utf8.encode(text[at:start], errors)[0])
            at = start
            if start < whole:
                error = UnicodeEncodeError("utf8mb3", text, start, start + 1, "characters have at most three bytes")
                instead, at = codecs.lookup_error(errors)(error)
                parts.append(instead if isinstance(instead, bytes) else encode(instead)[0])
        return b"".join(parts), whole

    class IncrementalEncoder(codecs.IncrementalEncoder):
        def encode(self, text: str, final: bool = False) -> bytes:
            return encode(text, self.errors)[0]

    class StreamWriter(codecs.StreamWriter):
        def encode(self, text: str, errors: str = "strict") -> tuple[bytes, int]:
            return encode(text, errors)

    return codecs.CodecInfo(
        name="utf8mb3",
        encode=encode,
        decode=utf8.decode,
        incrementalencoder=IncrementalEncoder,
        incrementaldecoder=utf8.incrementaldecoder,
        streamreader=utf8.streamreader,
        streamwriter=StreamWriter,
    )


def _handle(policy: str, error: UnicodeError) -> tuple[str, int]:
    """Returns the replacement by a policy for an error, and where decoding continues."""
    if isinstance(error, UnicodeDecodeError):
        try:
            text, end = _native.replacement(error.object, error.start, error.encoding, policy)
        except LookupError:
            end = error.start
        # One of Python's encodings, or an error only by the rules of Python's decoder.
        return (text, end) if end > error.start else (_for_bytes(policy, error), error.end)
    if isinstance(error, UnicodeEncodeError):
        handlers = {"remove": codecs.ignore_errors, "escape": codecs.backslashreplace_errors}
        instead, end = handlers.get(policy, codecs.replace_errors)(error)
        return str(instead), end
    raise error


def _for_bytes(policy: str, error: UnicodeDecodeError) -> str:
    data = error.object[error.start : error.end]
    match policy:
        case "remove":
            return ""
        case "escape":
            return "".join(f"\\x{byte:02X}" for byte in data)
        case "same-length":
            return "?" * len(data)
        case "replace-byte":
            return "\ufffd" * len(data)
        case _:
            return "\ufffd"
