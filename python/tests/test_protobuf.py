"""Messages of Protocol Buffers: tests messages of OpenTelemetry against the package protobuf."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import utf8kit
from utf8kit import protobuf

#: A placeholder for invalid text, because protobuf writes none.
BAD, BROKEN = "caf@", b"caf\xe9"


@pytest.fixture
def traces():
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")
    data = trace.TracesData()
    for service in range(4):
        resource = data.resource_spans.add()
        for key in ("service.name", "x"):
            resource.resource.attributes.add(key=key).value.string_value = BAD if (service, key) == (3, "x") else "fine"
        for number in range(3):
            span = resource.scope_spans.add().spans.add(name="GET /" + "a" * 120 * number, trace_id=b"\xff" * 16)
            span.start_time_unix_nano = 1 << 60
            event = span.events.add(name=BAD if (service, number) == (1, 2) else "e")
            event.attributes.add(key="list").value.array_value.values.add().string_value = BAD if number == 1 else "ö"
            event.attributes.add(key=BAD if number == 2 else "k").value.bytes_value = b"\xff\xfe"
    return data


def broken(data: bytes) -> bytes:
    return data.replace(BAD.encode(), BROKEN)


def test_paths(traces) -> None:
    data = broken(traces.SerializeToString())
    found = protobuf.check(data, traces)
    paths = {bad.path for bad in found}
    assert 'resource_spans[3].resource.attributes["x"].value.string_value' in paths
    assert "resource_spans[1].scope_spans[2].spans[0].events[0].name" in paths
    assert 'resource_spans[0].scope_spans[1].spans[0].events[0].attributes["list"].value.array_value.values[0].string_value' in paths
    assert "resource_spans[2].scope_spans[2].spans[0].events[0].attributes[1].key" in paths
    assert len(found) == len(paths) == data.count(BROKEN) == 1 + 1 + 4 + 4
    for bad in found:
        assert data[bad.offset + bad.at] == 0xE9 and (bad.at, bad.len, bad.kind) == (3, 1, "truncated")
    assert protobuf.check(data, type(traces), limit=2) == found[:2]
    assert protobuf.check(traces.SerializeToString(), traces.DESCRIPTOR) == []


@pytest.mark.parametrize("policy", ["replace", "fallback=windows-1252", "remove", "replace=" + "x" * 200])
def test_repair(traces, policy: str) -> None:
    data = broken(traces.SerializeToString())
    repaired = protobuf.repair(data, traces, policy)
    with pytest.raises(Exception, match="(?i)pars|decod|utf"):
        type(traces).FromString(data)
    # Written by protobuf itself, with the repaired text in its place.
    text = utf8kit.repair(BROKEN, policy).decode()
    wanted = type(traces).FromString(traces.SerializeToString())
    replace(wanted, text)
    assert repaired == wanted.SerializeToString() and type(traces).FromString(repaired) == wanted
    clean = traces.SerializeToString()
    assert protobuf.repair(clean, traces, policy) is clean


def replace(message, text: str) -> None:
    for field, value in message.ListFields():
        for index, one in enumerate(value if field.is_repeated else [value]):
            if field.type == field.TYPE_MESSAGE:
                replace(one, text)
            elif one == BAD:
                setattr(message, field.name, text) if not field.is_repeated else value.__setitem__(index, text)


def test_frames(traces) -> None:
    one, two = broken(traces.SerializeToString()), traces.SerializeToString()
    data = b"".join(struct.pack(">I", len(part)) + part for part in (two, one, two))
    found = protobuf.check(data, traces, framing="fixed32")
    assert {bad.message for bad in found} == {1} and len(found) == 10 and data[found[0].offset :].startswith(BROKEN)
    repaired = protobuf.repair(data, traces, "remove", framing="fixed32")
    assert repaired == b"".join(
        struct.pack(">I", len(part)) + part for part in (two, protobuf.repair(one, traces, "remove"), two)
    )
    with pytest.raises(ValueError, match="longer than the message"):
        protobuf.check(data[:-1], traces, framing="fixed32")
    with pytest.raises(ValueError, match="framing"):
        protobuf.check(data, traces, framing="none")


def test_descriptor_sets(traces, tmp_path: Path) -> None:
    descriptor = pytest.importorskip("google.protobuf.descriptor_pb2")
    files = descriptor.FileDescriptorSet()
    trace = traces.DESCRIPTOR.file
    for file in (*trace.dependencies[0].dependencies, *trace.dependencies, trace):
        file.CopyToProto(files.file.add())
    (tmp_path / "otlp.pb").write_bytes(files.SerializeToString())
    data, name = broken(traces.SerializeToString()), "opentelemetry.proto.trace.v1.TracesData"
    found = protobuf.check(data, traces)
    assert protobuf.check(data, tmp_path / "otlp.pb", name) == protobuf.check(memoryview(data), files.SerializeToString(), name) == found
    with pytest.raises(ValueError, match="no message TracesData"):
        protobuf.check(data, tmp_path / "otlp.pb", "TracesData")
    del files.file[:-1]
    with pytest.raises(ValueError, match="with its imports"):
        protobuf.check(data, files.SerializeToString(), name)
    with pytest.raises(ValueError, match="not a descriptor set"):
        protobuf.check(data, b"nonsense")


def test_maps_packed_and_unknown_fields() -> None:
    struct_pb2 = pytest.importorskip("google.protobuf.struct_pb2")
    given = struct_pb2.Struct()
    given.update({"a": BAD, "list": [1.5, {"deep": BAD}], BAD + "1": 1})
    data = broken(given.SerializeToString(deterministic=True)) + b"\xf8\x07\x96\x01\xfa\x07\x02\xff\xfe"
    assert sorted(bad.path for bad in protobuf.check(data, given)) == [
        'fields["a"].string_value',
        'fields["list"].list_value.values[1].struct_value.fields["deep"].string_value',
        next(bad.path for bad in protobuf.check(data, given) if bad.path.endswith(".key")),
    ]
    repaired = protobuf.repair(data, given, "fallback=latin1")
    assert repaired.endswith(b"\xf8\x07\x96\x01\xfa\x07\x02\xff\xfe")
    back = struct_pb2.Struct.FromString(repaired)
    assert back["a"] == "café" and back["list"][1]["deep"] == "café" and back["café1"] == 1
    twice = b"".join(b"\n\x05\n\x03" + key for key in (b"ab\xff", b"ab\xfe"))
    with pytest.raises(ValueError, match=r"^fields\[0\].key: this key would become"):
        protobuf.repair(twice, given)
    assert set(struct_pb2.Struct.FromString(protobuf.repair(twice, given, "escape"))) == {"ab\\xFF", "ab\\xFE"}
