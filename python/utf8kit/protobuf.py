"""Messages of Protocol Buffers: finds invalid text by field, and repairs it.

Programs reject a whole message because of one invalid text, and do not name the field. Here, a schema determines which
fields are text: a descriptor set, as `protoc --descriptor_set_out=FILE --include_imports` writes it, or a generated
class. Neither needs the package protobuf. Fields of bytes and unknown fields are left alone.

>>> import utf8kit.protobuf
>>> schema = (  # message Span { string name = 1; }
...     b'\\n\\x16"\\x14\\n\\x04Span\\x12\\x0c\\n\\x04name\\x18\\x01 \\x01(\\t'
... )
>>> utf8kit.protobuf.check(b"\\n\\x04caf\\xe9", schema)
[BadText(message=0, path='name', offset=2, at=3, len=1, kind='truncated')]
>>> utf8kit.protobuf.repair(b"\\n\\x04caf\\xe9", schema, "fallback=windows-1252")
b'\\n\\x05caf\\xc3\\xa9'
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from utf8kit import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["BadText", "check", "repair"]


class BadText(NamedTuple):
    """An error and the text that contains it."""

    #: The number of the message, from 0, if there are several.
    message: int
    #: The fields that lead to the text: `resource_spans[3].attributes["x"].value.string_value`. Elements of a repeated field
    #: are named by their key, if they have a valid one, else by their number from 0.
    path: str
    #: The offset of the text in the data, in bytes.
    offset: int
    #: The offset of the error in the text, in bytes.
    at: int
    #: Its length in bytes.
    len: int
    #: Its kind: see `Utf8Error`.
    kind: str


def check(
    data: Buffer, descriptor: Any, message: str | None = None, framing: str = "one", limit: int | None = None
) -> list[BadText]:
    """Returns the errors in all fields of text, in the order of the data.

    Args:
        data: any buffer. It is not copied.
        descriptor: the descriptor set: bytes, or the path of a file. Or a generated class of messages, a message, or a
            descriptor of one.
        message: the name of the message with its package. Required if the set has several messages that are not part of
            others.
        framing: `one`: the data is one message. `varint`: each message follows its length as a varint, as
            `writeDelimitedTo` in Java writes it. `fixed32`: each message follows its length as four big-endian bytes,
            as in files of the OpenTelemetry Collector.
        limit: the maximum number of errors returned.

    Raises:
        ValueError: the data is not a message (a length beyond its end, a group without an end, messages nested deeper than
            100 levels), or the descriptor is not a descriptor set or lacks the message.
    """
    found = _message(descriptor, message).check(data, framing, (1 << 63) - 1 if limit is None else limit)
    return [BadText(*place) for place in found]


def repair(data: Buffer, descriptor: Any, policy: str = "replace", message: str | None = None, framing: str = "one") -> bytes:
    """Returns the data with every text repaired by a policy of `utf8kit.repair`. The lengths of texts and of the messages
    around them are recomputed; everything else is copied byte for byte.

    Args:
        data, descriptor, message, framing: as for `check`.
        policy: any policy. Each text is repaired by itself.

    Returns:
        bytes; the same object if it is `bytes` and nothing changed.

    Raises:
        ValueError: as for `check`; or two keys of a map would become equal, so that one of the values would be lost.
            The policy `escape` keeps them different.
    """
    return _message(descriptor, message).repair(data, policy, framing)[0]


def _message(descriptor: Any, name: str | None) -> _native.ProtobufMessage:
    descriptor = getattr(descriptor, "DESCRIPTOR", descriptor)
    if isinstance(descriptor, (str, os.PathLike)):
        with open(descriptor, "rb") as file:
            return _read(file.read(), name)
    if hasattr(descriptor, "full_name"):
        return _read(_set_of(descriptor.file), name or descriptor.full_name)
    return _read(bytes(descriptor), name)


@functools.lru_cache(maxsize=32)
def _read(descriptor_set: bytes, name: str | None) -> _native.ProtobufMessage:
    return _native.ProtobufMessage(descriptor_set, name)


@functools.lru_cache(maxsize=32)
def _set_of(file: Any) -> bytes:
    """Returns the descriptor set of a file and the files that it imports."""
    found: dict[str, bytes] = {}
    due = [file]
    while due:
        one = due.pop()
        if one.name not in found:
            found[one.name] = one.serialized_pb
            due.extend(one.dependencies)
    return b"".join(b"\x0a" + _varint(len(one)) + one for one in found.values())


def _varint(number: int) -> bytes:
    written = bytearray()
    while number >= 0x80:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)
