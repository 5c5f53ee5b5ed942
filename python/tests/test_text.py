"""validate, errors, repair, convert, count, explain: against CPython's own decoder, and the conformance cases."""

from __future__ import annotations

import array
import ctypes
import itertools
import json
import mmap
import operator
import pickle
import sys
import threading
import time
import unicodedata
from functools import partial

import pytest
from hypothesis import given, strategies as st

import utf8kit

#: Bytes that are often almost UTF-8.
BROKEN = st.lists(
    st.one_of(
        st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=4),
        st.sampled_from([b"\xc0\xaf", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"a" * 70]),
    ),
    max_size=12,
).map(b"".join)


def cpython_errors(data: bytes) -> list[tuple[int, int]]:
    """The spans at which CPython's decoder stops."""
    found = []
    at = 0
    while True:
        try:
            data[at:].decode("utf-8")
            return found
        except UnicodeDecodeError as error:
            found.append((at + error.start, at + error.end))
            at += error.end


@given(BROKEN)
def test_errors_are_those_of_cpython(data: bytes) -> None:
    spans = cpython_errors(data)
    errors = utf8kit.errors(data)
    assert [(error.offset, error.offset + error.len) for error in errors] == spans
    first = utf8kit.validate(data)
    assert first == (errors[0] if errors else None)
    assert [error.bytes for error in errors] == [data[start:end] for start, end in spans]


@given(BROKEN)
def test_repair_is_what_cpython_does(data: bytes) -> None:
    assert utf8kit.repair(data).decode() == data.decode("utf-8", "replace")
    assert utf8kit.repair(data, "remove").decode() == data.decode("utf-8", "ignore")
    assert utf8kit.count(data) == len(data.decode("utf-8", "replace"))
    assert utf8kit.repair(utf8kit.repair(data, "escape"), "unescape") == data
    assert len(utf8kit.repair(data, "same-length")) == len(data)


@given(st.text())
def test_conversions_are_those_of_cpython(text: str) -> None:
    data = text.encode("utf-8", "replace").decode().encode()
    for encoding in ("utf-16le", "utf-16be", "utf-32le", "utf-32be"):
        wide = utf8kit.convert(data, "utf-8", encoding)
        assert wide == data.decode().encode(encoding.replace("le", "-le").replace("be", "-be"))
        assert utf8kit.convert(wide, encoding, "utf-8") == data


@pytest.mark.parametrize("name", ["unicode", "rfc", "kuhn", "utf8tests", "rust", "go", "dialects", "seeds"])
def test_conformance(vectors, name: str) -> None:
    ran = 0
    for line in (vectors / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        data = bytes.fromhex(case["input_hex"])
        encoding = case["from"]
        if case["op"] == "check":
            found = [{"offset": e.offset, "len": e.len, "kind": e.kind} for e in utf8kit.errors(data, encoding)]
            assert found == case.get("errors", []), case["id"]
            if case["valid"] or "repaired_hex" in case:
                repaired = bytes.fromhex(case.get("repaired_hex", case["input_hex"]))
                assert utf8kit.repair(data, encoding=encoding) == repaired, case["id"]
            summary = utf8kit.Summary.of(data, encoding=encoding)
            assert (summary.errors, summary.is_valid) == (len(found), case["valid"]), case["id"]
        elif case["op"] == "explain":
            for item, expected in zip(utf8kit.explain(data, encoding), case["items"], strict=True):
                assert (item.offset, len(item.bytes)) == (expected["offset"], expected["len"]), case["id"]
                assert (item.code_point, item.kind) == (expected.get("cp"), expected.get("kind")), case["id"]
        elif case["op"] == "convert" and case.get("bom", "keep") == "keep":
            target = case["to"]
            if case["mode"] == "lossy":
                converted = utf8kit.convert(data, encoding, target, "replace")
                assert converted.hex() == case["output_hex"], case["id"]
            elif case["valid"]:
                assert utf8kit.convert(data, encoding, target).hex() == case["output_hex"], case["id"]
            else:
                with pytest.raises(utf8kit.Utf8Error) as raised:
                    utf8kit.convert(data, encoding, target)
                first = case["errors"][0]
                assert (raised.value.offset, raised.value.kind) == (first["offset"], first["kind"]), case["id"]
        else:
            continue
        ran += 1
    assert ran > 0


def test_any_buffer(tmp_path) -> None:
    data = "naïve ".encode() * 5000 + b"\xff"
    file = tmp_path / "broken.txt"
    file.write_bytes(data)
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        buffers = [data, bytearray(data), memoryview(data), memoryview(bytearray(data)), mapped]
        buffers += [array.array("B", data), memoryview(bytearray(data)).toreadonly()]
        for buffer in buffers:
            error = utf8kit.validate(buffer)
            assert (error.offset, error.kind) == (len(data) - 1, "invalid_byte")
            assert utf8kit.repair(buffer) == data.replace(b"\xff", "\ufffd".encode())
            del buffer
        del buffers, error
    every_other = memoryview(b"a-b-\xff-")[::2]
    assert utf8kit.validate(every_other).offset == 2
    assert utf8kit.count(array.array("H", [0x41, 0x20AC]), f"utf-16{sys.byteorder[0]}e") == 2
    assert utf8kit.validate(bytearray()) is None
    for wrong in ("text", 5, None):
        with pytest.raises(TypeError):
            utf8kit.validate(wrong)


def test_arrays_of_ctypes() -> None:
    data = (ctypes.c_ubyte * 4)(*b"caf\xe9")
    assert utf8kit.validate(data).offset == 3
    assert utf8kit.repair(data) == "caf\ufffd".encode()
    assert utf8kit.Summary.of(data).errors == 1
    assert utf8kit.count((ctypes.c_char * 3)(*b"abc")) == 3
    assert utf8kit.is_valid((ctypes.c_uint16 * 0)())


def test_a_buffer_can_be_used_again() -> None:
    data = bytearray(b"\xff")
    kept = utf8kit.validate(data)
    data.extend(b"resized")  # raises BufferError if the buffer were still held
    assert kept.bytes == b"\xff"


def test_clean_bytes_come_back_as_they_are() -> None:
    data = "naïve".encode()
    assert utf8kit.repair(data) is data
    assert utf8kit.repair(bytearray(data)) == data


def test_the_error_is_an_exception_of_python() -> None:
    data = b"caf\xe9 au lait"
    error = utf8kit.validate(data)
    assert isinstance(error, UnicodeDecodeError) and error.object is data
    assert (error.start, error.end, error.encoding) == (3, 4, "utf-8")
    assert (error.offset, error.len, error.kind, error.bytes) == (3, 1, "truncated", b"\xe9")
    assert error.expected == (0x80, 0xBF)
    assert "byte 3" in str(error)
    with pytest.raises(UnicodeDecodeError) as raised:
        error.raise_()
    assert raised.value is error
    again = pickle.loads(pickle.dumps(error))
    assert again == error and hash(again) == hash(error) and again.object == b"\xe9"
    assert utf8kit.validate(memoryview(data)) == error
    with pytest.raises(utf8kit.Utf8Error, match="surrogate"):
        utf8kit.convert(b"\xed\xa0\x80", "wtf-8", "utf-8")


def test_names_that_nothing_has() -> None:
    with pytest.raises(LookupError, match="utf-9"):
        utf8kit.validate(b"", "utf-9")
    with pytest.raises(ValueError, match="unknown policy"):
        utf8kit.repair(b"", "unknown")


def test_limit() -> None:
    assert len(utf8kit.errors(b"\xff" * 1000)) == 1000
    assert [error.offset for error in utf8kit.errors(b"\xff" * 1000, limit=2)] == [0, 1]
    assert utf8kit.errors(b"\xff", limit=0) == []


@given(st.text(min_size=1, max_size=20))
def test_explanations(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    explained = utf8kit.explain(text)
    assert b"".join(item.bytes for item in explained) == data
    for item in explained:
        if item.code_point is not None:
            bits = [(place, bit) for byte in item.bits for bit, place in byte if place is not None]
            assert sum(bit << place for place, bit in bits) == item.payload
            assert item.payload + item.base == item.code_point
            assert unicodedata.name(chr(item.code_point), "") in str(explained)
        else:
            assert item.kind in str(explained)
    assert str(explained).count(" at byte ") == len(explained)


def test_the_picture() -> None:
    html = utf8kit.explain(b"<\xe2\x82\xac\xc0\xaf")._repr_html_()
    assert html.count('class="u8k-card') == 4 and html.count("u8k-bad") >= 2
    assert "EURO SIGN" in html and "&lt;" in html and 'title="payload bit 13"' in html
    assert "and 36 more" in utf8kit.explain("x" * 100)._repr_html_()
    assert len(utf8kit.explain("x" * 100, limit=10)) == 10


def test_the_lock_is_given_up() -> None:
    """While one thread validates, another one runs Python."""
    data = b"a" * (256 << 20)
    ticks = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(None)
            time.sleep(0)  # gives the lock up

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = len(ticks)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(10)  # the holder of the lock keeps it
    try:
        for _ in range(3):
            assert utf8kit.count(data) == len(data)
        during = len(ticks) - before
    finally:
        sys.setswitchinterval(interval)
        done.set()
        ticker.join()
    assert during > 0


def test_the_place_in_any_object() -> None:
    """`object[start:end]` are the bytes of the error, as in Python's own exceptions."""
    for data in (b"ab\xff!", bytearray(b"ab\xff!"), memoryview(b"ab\xff!")):
        error = utf8kit.validate(data)
        assert (error.start, error.end, error.object) == (2, 3, b"ab\xff!")
        assert utf8kit.errors(data)[0].start == 2
        with pytest.raises(utf8kit.Utf8Error) as raised:
            utf8kit.convert(data, "utf-8", "utf-16le")
        assert raised.value.start == 2


def test_the_lock_is_kept_where_others_may_write() -> None:
    """A read-only view may show memory that can be written to through other objects."""
    writable = bytearray(b"x" * (32 << 20))
    view = memoryview(writable).toreadonly()
    stop = threading.Event()
    rounds = itertools.count()

    def turn() -> None:
        for _ in rounds:
            if stop.is_set():
                break

    numpy = pytest.importorskip("numpy")
    array = numpy.frombuffer(writable, numpy.uint8)
    array.setflags(write=False)
    thread = threading.Thread(target=turn)
    thread.start()
    try:
        for shown in (view, array):
            # No bytecode runs between these calls, after which Python itself would let the other thread run.
            calls = (partial(next, rounds), partial(utf8kit.validate, shown), partial(next, rounds))
            before, _, after = map(operator.call, calls)
            assert after == before + 1
    finally:
        stop.set()
        thread.join()


def test_is_valid_and_truncate() -> None:
    for data in (b"", b"a\xff", "Grüße".encode(), b"\xed\xa0\x80", b"a" * 100 + b"\xe2\x82"):
        for encoding in ("utf-8", "wtf-8", "utf-16le"):
            assert utf8kit.is_valid(data, encoding) == (utf8kit.validate(data, encoding) is None)
            assert utf8kit.is_valid(bytearray(data), encoding) == utf8kit.is_valid(data, encoding)
    text = "né€😀".encode()
    lengths = [len(utf8kit.truncate(text, size)) for size in range(len(text) + 2)]
    assert lengths == [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10]
    assert utf8kit.truncate(text, 100) is text and utf8kit.truncate(bytearray(text), 100) == text
    assert utf8kit.truncate("a😀".encode("utf-16le"), 5, "utf-16le") == b"a\0"


@given(BROKEN)
def test_errors_one_by_one(data: bytes) -> None:
    expected = [repr(error) for error in utf8kit.errors(data)]
    for form in (data, bytearray(data)):
        found = list(utf8kit.iter_errors(form))
        assert [repr(error) for error in found] == expected
        assert all(error.object == data and error.start == error.offset for error in found)


def test_many_errors_one_by_one() -> None:
    data = b"a\xff\xc3\xa9" * 1000
    iterator = utf8kit.iter_errors(data)
    assert next(iterator).offset == 1 and sum(1 for _ in iterator) == 999
    assert next(iterator, None) is None


def test_large_inputs_are_worked_on_in_pieces() -> None:
    """Text that is cut between pieces gives the same result."""
    piece = 4 << 20
    for before, end in ((piece - 1, "é"), (piece - 2, "€"), (2 * piece - 3, "😀"), (piece - 1, "\udcff")):
        raw = end.encode("utf-8", "surrogateescape")
        data = b"a" * before + raw + b"caf\xc3\xa9 \xe0\x80 " + b"b" * piece + b"\xe2\x82"
        for form in (data, bytearray(data)):
            assert utf8kit.count(form) == len(data.decode("utf-8", "replace"))
            assert utf8kit.repair(form) == data.decode("utf-8", "replace").encode()
            assert utf8kit.repair(form, "escape") == utf8kit.repair(raw + b"caf\xc3\xa9 \xe0\x80 ", "escape").join(
                [b"a" * before, b"b" * piece + rb"\xE2\x82"]
            )
            offsets = [error.offset for error in utf8kit.errors(form)]
            shift = len(raw)
            expected = [before] if raw == b"\xff" else []
            expected += [before + shift + 6, before + shift + 7, len(data) - 2]
            assert offsets == expected
            assert [error.offset for error in utf8kit.iter_errors(form)] == expected
            assert utf8kit.validate(form).offset == expected[0] and not utf8kit.is_valid(form)
            assert utf8kit.errors(form, limit=2)[1].offset == expected[1]
            utf16 = data.decode("utf-8", "replace").encode("utf-16le")
            assert utf8kit.convert(form, "utf-8", "utf-16le", "replace") == utf16
            latin = data.decode("cp1252", "replace")
            assert utf8kit.convert(form, "windows-1252", "utf-8") == latin.replace("\ufffd", "\x9d").encode()
            with pytest.raises(utf8kit.Utf8Error) as raised:
                utf8kit.convert(form, "utf-8", "utf-16le")
            assert raised.value.offset == expected[0]
            assert utf8kit.Summary.of(form).errors == len(expected)
    clean = "né€😀".encode() * (1 << 19)
    assert utf8kit.repair(clean) is clean and utf8kit.is_valid(clean) and utf8kit.count(clean) == 4 << 19


def test_values_can_be_pickled() -> None:
    text = "Größe, naïve".encode("utf-16")
    for value in (
        utf8kit.detect(text),
        utf8kit.detect(b"caf\xe9 au lait"),
        utf8kit.Summary.of(b"a\xff"),
        utf8kit.validate(b"caf\xe9"),
    ):
        again = pickle.loads(pickle.dumps(value))
        assert again == value
        assert repr(again) == repr(value)
    assert utf8kit.detect(text) != utf8kit.detect(b"text")


def test_candidates_begin_with_what_is_detected() -> None:
    for text, name in [
        ("Блок из четырёх слов", "windows-1251"),
        ("Blåbærgrød og fløde", "windows-1252"),
        ("これは日本語の文です。", "shift_jis"),
        ("这是一个中文句子。", "gbk"),
    ]:
        data = text.encode(name)
        found = utf8kit.candidates(data)
        assert found[0][0] == utf8kit.detect(data).encoding
        texts = [utf8kit.convert(data, encoding, "utf-8").decode() for encoding, _ in found]
        assert text in texts
        assert len(set(texts)) == len(texts)
        scores = [score for _, score in found[1:]]
        assert scores == sorted(scores, reverse=True)
        assert min(score for _, score in found) > 0
    assert utf8kit.candidates("Größe".encode()) == [("utf-8", 1.0)]
    assert utf8kit.candidates("Größe".encode("utf-16")) == [("utf-16le", 1.0)]
    assert utf8kit.candidates(b"") == [("utf-8", 1.0)]
    assert utf8kit.candidates(bytes(range(256))) == []
    broken = utf8kit.candidates("Größe und Maß, schön und größer".encode() + b" \xc3(")
    assert broken[0][0] == "utf-8"
    assert broken[0][1] > 0.5


def test_an_account_of_mojibake() -> None:
    text = "naïve\n😀 cafÃ©\r\npĂĄ slĂĄtt\nplain"
    certain, doubtful = utf8kit.find_mojibake(text)
    assert (certain.line, text[certain.start : certain.end]) == (2, "😀 cafÃ©\r\n")
    assert certain.text == utf8kit.fix_mojibake(text[certain.start : certain.end])
    assert certain.encodings[0] == "windows-1252"
    assert certain.candidates == []
    assert (doubtful.line, doubtful.text) == (3, None)
    assert doubtful.candidates == ["på slått\n", "pá slátt\n"]
    parts = []
    at = 0
    for line in utf8kit.find_mojibake(text):
        parts += [text[at : line.start], text[line.start : line.end] if line.text is None else line.text]
        at = line.end
    assert "".join(parts) + text[at:] == utf8kit.fix_mojibake(text)
    assert utf8kit.find_mojibake("") == []
    assert repr(certain).startswith("MojibakeLine(line=2, text=")
