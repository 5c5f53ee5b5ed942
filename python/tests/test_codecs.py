"""The codecs and the error handlers."""

from __future__ import annotations

import codecs
import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import utf8kit

utf8kit.codecs.register()

ALL = utf8kit.codecs.CODECS

#: Code points that a `str` can hold, including lone surrogates.
TEXT = st.text(st.characters(), max_size=30)
#: Code points that every dialect can hold.
SCALARS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def test_names() -> None:
    assert ALL == ("utf-8-21bit", "utf-8-31bit", "utf-8-offset", "cesu-8", "mutf-8", "wtf-8")
    for name in ALL:
        for spelling in (name, name.upper(), name.replace("-", "_")):
            assert codecs.lookup(spelling).name == name
    with pytest.raises(LookupError):
        codecs.lookup("utf-8-20bit")


def test_other_names() -> None:
    for spelling in ("modified-utf-8", "Modified UTF-8", "modified_utf8", "java-utf-8"):
        assert codecs.lookup(spelling).name == "mutf-8"
    assert codecs.lookup("utf8mb4").name == "utf-8"
    for spelling in ("latin1", "utf-16le", "utf-8"):  # Python's own
        assert "utf8kit" not in repr(codecs.lookup(spelling).encode)
    with pytest.raises(LookupError):
        codecs.lookup("utf8mb5")


@given(text=SCALARS)
def test_utf8mb3_has_three_bytes_at_most(text: str) -> None:
    few = "".join(c for c in text if c <= "\uffff")
    assert few.encode("utf8mb3") == few.encode()
    assert text.encode().decode("utf8mb3") == text
    assert text.encode("utf8mb3", "ignore") == few.encode()
    assert text.encode("utf8mb3", "replace") == "".join(c if c <= "\uffff" else "?" for c in text).encode()
    if few != text:
        with pytest.raises(UnicodeEncodeError, match="three bytes") as raised:
            text.encode("utf8mb3")
        assert text[raised.value.start] > "\uffff"
    written = io.TextIOWrapper(io.BytesIO(), encoding="utf8mb3", errors="replace", newline="")
    written.write(text)
    written.flush()
    assert written.buffer.getvalue() == text.encode("utf8mb3", "replace")


@pytest.mark.parametrize("name", ALL)
@given(text=SCALARS)
def test_there_and_back(name: str, text: str) -> None:
    data = text.encode(name)
    assert data.decode(name) == text
    assert data == utf8kit.convert(text.encode(), "utf-8", name)
    assert memoryview(data).tobytes().decode(name) == text


@pytest.mark.parametrize("name", ["utf-8-21bit", "utf-8-31bit", "wtf-8", "mutf-8"])
@given(text=TEXT)
def test_lone_surrogates(name: str, text: str) -> None:
    """They are kept. If the dialect joins a pair, so does the text."""
    joins = name in ("wtf-8", "mutf-8")
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") if joins else text
    assert text.encode(name).decode(name) == expected


@pytest.mark.parametrize("name", ["utf-8-offset", "cesu-8"])
def test_surrogates_that_a_dialect_lacks(name: str) -> None:
    with pytest.raises(UnicodeEncodeError) as raised:
        "aé\ud800b".encode(name)
    assert (raised.value.start, raised.value.end, raised.value.encoding) == (2, 3, name)
    assert "a\ud800b".encode(name, "replace") == b"a?b"
    assert "a\ud800b".encode(name, "ignore") == b"ab"
    assert "a\ud800b".encode(name, "backslashreplace") == b"a\\ud800b"


@pytest.mark.parametrize("name", ALL)
@given(text=SCALARS, data=st.data())
def test_streams_cut_anywhere(name: str, text: str, data: st.DataObject) -> None:
    whole = text.encode(name)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    decoder = codecs.getincrementaldecoder(name)()
    assert "".join([decoder.decode(piece) for piece in pieces] + [decoder.decode(b"", True)]) == text
    assert io.TextIOWrapper(io.BytesIO(whole), name, newline="").read() == text
    encoder = codecs.getincrementalencoder(name)()
    assert b"".join([encoder.encode(char) for char in text] + [encoder.encode("", True)]) == whole
    assert codecs.getreader(name)(io.BytesIO(whole)).read() == text
    written = io.BytesIO()
    codecs.getwriter(name)(written).write(text)
    assert written.getvalue() == whole


#: Texts that a `str` holds in units of each width, with and without surrogates.
ALPHABETS = ["a", "a\0", "aÿ", "aé\0", "aя", "視한￼", "a😀", "é한😀", "a\ud83d", "é\udc00😀"]


def check_long_texts() -> None:
    for name in ALL:
        for alphabet in ALPHABETS:
            text = alphabet * 100
            try:
                data = text.encode(name)
            except UnicodeEncodeError:
                continue
            assert data.decode(name) == text, (name, alphabet)
            decoder = codecs.getincrementaldecoder(name)()
            pieces = [decoder.decode(data[at : at + 77]) for at in range(0, len(data), 77)]
            assert "".join(pieces) + decoder.decode(b"", True) == text, (name, alphabet)


def test_long_texts() -> None:
    check_long_texts()


def test_long_texts_without_the_function_that_is_not_in_the_stable_abi() -> None:
    code = "import ctypes; ctypes.pythonapi = None; import test_codecs; test_codecs.check_long_texts()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)


def test_errors_in_long_texts() -> None:
    for name, data, kind in [
        ("mutf-8", b"\0", "invalid_byte"),
        ("cesu-8", "😀".encode(), "invalid_byte"),
        ("utf-8-21bit", b"\xf7\xbf\xbf\xbf", "too_large"),
        ("wtf-8", b"\xed\xa0\xbd\xed\xb8\x80", "surrogate"),
    ]:
        for front in ("a" * 100, "é" * 50, "я" * 50, "視" * 50):
            front = front.encode()
            with pytest.raises(utf8kit.Utf8Error) as raised:
                (front + data + front).decode(name)
            assert (raised.value.offset, raised.value.kind) == (len(front), kind)


def test_values_that_python_lacks() -> None:
    data = b"a\xf7\xbf\xbf\xbfb"
    with pytest.raises(utf8kit.Utf8Error) as raised:
        data.decode("utf-8-21bit")
    assert (raised.value.offset, raised.value.len, raised.value.kind) == (1, 4, "too_large")
    assert data.decode("utf-8-21bit", "replace") == "a\ufffdb"


def test_errors() -> None:
    with pytest.raises(utf8kit.Utf8Error) as raised:
        b"ab\xf0\x9f\x98\x80".decode("cesu-8")
    assert (raised.value.start, raised.value.kind) == (2, "invalid_byte")
    assert b"a\xe2\x82b".decode("cesu-8", "replace") == "a\ufffdb"
    assert b"a\xe2\x82b".decode("cesu-8", "ignore") == "ab"
    assert b"a\xe2\x82b".decode("cesu-8", "backslashreplace") == "a\\xe2\\x82b"
    assert b"a\xe2\x82b".decode("cesu-8", "utf8kit.replace-byte") == "a\ufffd\ufffdb"
    codecs.register_error("test.back", lambda error: ("<\ud800>", error.end - len(error.object)))
    assert b"a\xffb".decode("wtf-8", "test.back") == "a<\ud800>b"
    codecs.register_error("test.beyond", lambda error: ("", 99))
    with pytest.raises(IndexError):
        b"a\xffb".decode("wtf-8", "test.beyond")
    codecs.register_error("test.wrong", lambda error: 5)
    with pytest.raises(TypeError):
        b"a\xffb".decode("wtf-8", "test.wrong")


@given(st.lists(st.one_of(st.binary(max_size=5), st.just("é€😀".encode())), max_size=8).map(b"".join))
def test_handlers_are_the_policies(data: bytes) -> None:
    """In Python's own decoder, a handler behaves like the policy of the same name."""
    for policy in ("replace", "replace-byte", "replace-run", "java", "remove", "same-length"):
        assert data.decode("utf-8", f"utf8kit.{policy}").encode() == utf8kit.repair(data, policy), policy
    escaped = data.decode("utf-8", "utf8kit.escape")
    assert escaped == data.decode("utf-8", "backslashreplace").replace("\\x", "\\x") or escaped.lower() == data.decode(
        "utf-8", "backslashreplace"
    ).lower()


def test_handlers_elsewhere() -> None:
    for name in utf8kit.codecs.HANDLERS:
        policy = name.removeprefix("utf8kit.")
        assert b"a\xffb".decode("ascii", name).encode() == utf8kit.repair(b"a\xffb", policy), policy
    assert "a€".encode("ascii", "utf8kit.replace") == b"a?"
    assert "a€".encode("ascii", "utf8kit.remove") == b"a"


def test_open(tmp_path) -> None:
    file = tmp_path / "java.bin"
    with file.open("w", encoding="mutf-8") as opened:
        opened.write("😀\0" * 10_000)
    assert file.read_bytes() == b"\xed\xa0\xbd\xed\xb8\x80\xc0\x80" * 10_000
    with file.open(encoding="mutf-8") as opened:
        assert opened.read() == "😀\0" * 10_000


def test_unregister() -> None:
    utf8kit.codecs.unregister()
    with pytest.raises(LookupError):
        b"".decode("utf-8-31bit", "ignore") or codecs.lookup("utf-8-31bit")
    utf8kit.codecs.register()
    utf8kit.codecs.register()
    assert codecs.lookup("utf-8-31bit").name == "utf-8-31bit"


@pytest.mark.parametrize("name", utf8kit.codecs.CODECS)
@given(data=st.binary(max_size=40) | st.lists(st.sampled_from([b"\xed\xb3\xa9", b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xe9", b"caf", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xff"])).map(b"".join))
def test_escaped_bytes_come_back(name: str, data: bytes) -> None:
    """As for Python's own UTF-8, each byte of an error becomes a surrogate, which is encoded to the byte again."""
    utf8kit.codecs.register()
    try:
        text = data.decode(name, "surrogateescape")
    except UnicodeDecodeError as error:
        # ASCII cannot be escaped.
        assert error.object[error.start] < 0x80 or name == "utf-8-31bit"
        return
    assert text.encode(name, "surrogateescape") == data


def test_escapes_are_those_of_python() -> None:
    utf8kit.codecs.register()
    for name in utf8kit.codecs.CODECS:
        assert b"caf\xe9".decode(name, "surrogateescape") == "caf\udce9"
        assert "caf\udce9 \udcff".encode(name, "surrogateescape") == b"caf\xe9 \xff"
    with pytest.raises(UnicodeEncodeError):
        "\ud800".encode("utf-8-offset", "surrogateescape")


def test_handlers_see_each_place_once() -> None:
    """The position of an error is counted from the previous one, and a handler may go back."""
    utf8kit.codecs.register()
    places = []

    def handler(error: UnicodeEncodeError) -> tuple[str, int]:
        places.append((error.start, error.end))
        return ("<>", error.end) if len(places) < 5 else ("", len(error.object))

    codecs.register_error("test.places", handler)
    assert "ä\ud800b😀\udc00".encode("utf-8-offset", "test.places").count(b"<>") == 2
    assert places == [(1, 2), (4, 5)]
    text = "\ud800" * 20_000
    assert len(text.encode("utf-8-offset", "xmlcharrefreplace")) == 8 * 20_000


@pytest.mark.parametrize("codec", ["utf-8-21bit", "utf-8-31bit", "mutf-8", "wtf-8", "cesu-8"])
def test_many_errors_are_as_few(codec: str) -> None:
    """Errors close together are handled one by one, others a run at a time."""
    good = "né€x".encode() * 100
    for error in (b"\xff", b"\xe2\x82", b"\xc3"):
        for gap in (b"", b"a", "é".encode(), good):
            data = (b"start" + error + gap + b"b") * 50
            for handler in ("replace", "ignore", "surrogateescape"):
                expected = data.decode("utf-8", handler)
                assert data.decode(codec, handler) == expected, (error, gap, handler)
            assert data.decode(codec, "surrogateescape").encode(codec, "surrogateescape") == data


def test_a_handler_is_called_for_each_place() -> None:
    places = []

    def handler(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        places.append((error.start, error.end, error.object[error.start : error.end]))
        return "?", error.end

    codecs.register_error("utf8kit-test-places", handler)
    assert "é\ud800a\ud801\ud802".encode("cesu-8", "utf8kit-test-places") == "é?a??".encode()
    assert places == [(1, 2, "\ud800"), (3, 4, "\ud801"), (4, 5, "\ud802")]
