"""Document, edit, compare and restore."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading

import pytest

import utf8kit

ENCODINGS = {
    "utf-8": "naïve 😀 Größe\n",
    "windows-1252": "naïve Größe\n",
    "shift_jis": "日本語 ABC\n",
    "iso-2022-jp": "日本語 ABC 日本\n",
    "utf-16le": "naïve 😀 日本\n",
    "utf-32be": "naïve 😀 日本\n",
    "gb18030": "中文 😀 text\n",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_only_the_edit_changes(encoding: str) -> None:
    text = ENCODINGS[encoding] * 300
    data = utf8kit.convert(text.replace("\n", "\r\n").encode(), "utf-8", encoding)
    document = utf8kit.Document(data, encoding)
    assert document.text == text and document.to_bytes() is data and not document.is_edited
    rng = random.Random(1)
    for _ in range(30):
        at = rng.randrange(len(text))
        end = min(len(text), at + rng.randrange(3))
        document.replace(at, end, "new")
        text = text[:at] + "new" + text[end:]
        assert document.text == text == str(document)
    assert document.is_edited
    back = utf8kit.convert(bytes(document), encoding, "utf-8").decode()
    assert back.replace("\r\n", "\n") == text
    document = utf8kit.Document(data, encoding)
    document.text = "first\n" + document.text
    new = utf8kit.convert(b"first\r\n", "utf-8", encoding)
    assert document.to_bytes() == new + data


def test_positions_are_those_of_str() -> None:
    line = "a😀é\r\n"
    data = (line * 5000).encode("utf-16le") + b"\x00\xd8"
    document = utf8kit.Document(data, "utf-16le")
    text = document.text
    assert text == "a😀é\n" * 5000 + "\ufffd"
    for at in (0, 1, 2, 3, 4, 1001, 19_999, 20_000):
        place = document.to_bytes_range(at, at + 1)
        assert document.to_text_range(place.start, place.stop) == slice(at, at + 1)
        expected = text[at].replace("\n", "\r\n")
        assert data[place].decode("utf-16le", "replace") == expected, at
    assert document.opaque() == [(slice(20_000, 20_001), slice(len(data) - 2, len(data)))]
    document.replace(2, 3, "ö")
    assert document.text[:5] == "a😀ö\na" and document.to_bytes()[6:8] == "ö".encode("utf-16le")
    assert document.opaque() == [(slice(20_000, 20_001), slice(len(data) - 2, len(data)))]
    for start, end in ((-1, 0), (3, 2), (0, 30_000), (30_000, 30_000)):
        with pytest.raises(IndexError):
            document.replace(start, end, "x")
        with pytest.raises(IndexError):
            document.to_bytes_range(start, end)


def test_lines_of_two_encodings() -> None:
    data = "Größe\n".encode() * 5 + "Straße\n".encode("cp1252") * 5
    document = utf8kit.Document(bytearray(data))
    assert document.encodings == ["utf-8", "windows-1252"]
    document.text = document.text.replace("ß", "ßß")
    assert document.to_bytes() == "Größße\n".encode() * 5 + "Straßße\n".encode("cp1252") * 5
    assert "utf-8 and windows-1252, edited" in repr(document)


def test_what_the_encoding_lacks() -> None:
    document = utf8kit.Document(b"caf\xe9\n\n", "windows-1252")
    with pytest.raises(UnicodeEncodeError) as raised:
        document.replace(5, 5, "aé日")
    error = raised.value
    assert (error.encoding, error.object[error.start : error.end], error.start) == ("windows-1252", "日", 7)
    assert "line 2, column 3" in error.reason
    with pytest.raises(UnicodeEncodeError) as raised:
        document.text = "日"
    assert (raised.value.object, raised.value.start) == ("日", 0)
    assert not document.is_edited and document.text == "café\n\n"
    with pytest.raises(UnicodeEncodeError):
        document.text = "\ud800"  # is in no encoding
    for how, expected in (("escape", b"\\u65E5caf\xe9"), ("recode", "日café".encode())):
        document = utf8kit.Document(b"caf\xe9", "windows-1252", unencodable=how)
        document.replace(0, 0, "日")
        assert (document.to_bytes(), document.is_recoded) == (expected, how == "recode")
    document = utf8kit.Document(b"a\n", "iso-8859-1", unencodable="transliterate")
    document.text = "“a”\n"
    assert document.to_bytes() in (b'"a"\n', b"\x93a\x94\n")


def test_arguments() -> None:
    assert utf8kit.Document(b"a\r\nb", line_ends="exact").text == "a\r\nb"
    assert utf8kit.Document("\ufeffa".encode("utf-16le")).mark == 2
    for options in ({"line_ends": "crlf"}, {"unencodable": "drop"}):
        with pytest.raises(ValueError, match="known are"):
            utf8kit.Document(b"", **options)
    with pytest.raises(LookupError):
        utf8kit.Document(b"", "utf-7½")


def test_large_documents_and_threads() -> None:
    data = ("naïve Größe\r\n" * 150_000).encode("cp1252")
    document = utf8kit.Document(data, "windows-1252")

    def insert(number: int) -> None:
        for _ in range(3):
            document.replace(0, 0, f"{number}\n")

    threads = [threading.Thread(target=insert, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(document.to_bytes()) == len(data) + 4 * 3 * 3
    assert document.to_bytes().endswith(data)


def test_edit_a_file(tmp_path) -> None:
    path, link = tmp_path / "menu.c", tmp_path / "link"
    path.write_bytes(b'puts("th\xe9");\r\n')
    path.chmod(0o640)
    link.symlink_to(path)
    with utf8kit.edit(link, backup_suffix=".old") as document:
        assert document.text == 'puts("thé");\n'
        document.text = document.text.replace("thé", "thé vert")
    assert path.read_bytes() == b'puts("th\xe9 vert");\r\n'
    assert path.stat().st_mode & 0o777 == 0o640 and link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "menu.c", "menu.c.old"]
    assert (tmp_path / "menu.c.old").read_bytes() == b'puts("th\xe9");\r\n'


def test_nothing_is_written_without_an_edit(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"caf\xe9\r\n")
    before = path.stat()
    with utf8kit.edit(path) as document:
        document.text = document.text + "x"
        document.text = "café\n"
    with utf8kit.edit(path):
        pass
    with pytest.raises(KeyError), utf8kit.edit(path) as document:
        document.text = "x"
        raise KeyError
    with pytest.raises(UnicodeEncodeError), utf8kit.edit(path) as document:
        document.text = "日"
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert os.listdir(tmp_path) == ["file"]


def test_edit_leaves_files_alone(tmp_path) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_bytes(b"one\n")
    with pytest.raises(FileNotFoundError) as raised, utf8kit.edit(tmp_path / "none"):
        pass
    assert os.path.basename(raised.value.filename) == "none"
    with pytest.raises(OSError, match="not a regular file"), utf8kit.edit(tmp_path):
        pass
    # Another program writes to it meanwhile.
    with pytest.raises(utf8kit.SkippedError, match="changed by another program") as raised, utf8kit.edit(path) as document:
        document.text = "mine\n"
        path.write_bytes(b"theirs\n")
    assert raised.value.path == path and path.read_bytes() == b"theirs\n"
    # It has two names.
    other.hardlink_to(path)
    with pytest.raises(utf8kit.SkippedError, match="2 hard links") as raised, utf8kit.edit(path) as document:
        document.text = "mine\n"
    assert raised.value.path == path
    with utf8kit.edit(path, hard_links="split") as document:
        document.text = "mine\n"
    assert (path.read_bytes(), other.read_bytes()) == (b"mine\n", b"theirs\n")
    (tmp_path / "file.bak").write_bytes(b"")
    with pytest.raises(FileExistsError), utf8kit.edit(path, backup_suffix=".bak") as document:
        document.text = "x"
    with pytest.raises(ValueError, match="hard_links"):
        utf8kit.edit(path, hard_links="both")


def test_edit_leaves_utf8_well_formed(tmp_path) -> None:
    path = tmp_path / "notes"
    path.write_text("Größe\n", encoding="utf-8")
    with pytest.raises(ValueError, match="would make it invalid"):
        with utf8kit.edit(path, "latin-1") as document:
            document.text += "é\n"
    assert path.read_text(encoding="utf-8") == "Größe\n"
    with utf8kit.edit(path, "latin-1") as document:
        document.text += "e\n"
    assert path.read_text(encoding="utf-8") == "Größe\ne\n"


def test_an_edit_can_be_undone(tmp_path) -> None:
    path, ledger = tmp_path / "file", tmp_path / "ledger"
    path.write_bytes(b"caf\xe9\r\n")
    with utf8kit.edit(path, ledger=ledger) as document:
        document.text += "th\n"
    assert path.read_bytes() == b"caf\xe9\r\nth\r\n"
    undo = [sys.executable, "-m", "utf8kit", "undo", str(ledger)]
    subprocess.run(undo, check=True, capture_output=True)
    assert path.read_bytes() == b"caf\xe9\r\n"


def test_an_edit_is_locked(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0")

    def add() -> None:
        for _ in range(20):
            with utf8kit.edit(path) as document:
                document.text = str(int(document.text) + 1)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == b"80"
    edit = utf8kit.edit(path)
    for number in ("81", "82"):
        with edit as document:
            document.text = number
        assert path.read_text() == number


DAMAGES = {
    "replaced": lambda data: data.decode("utf-8", "replace").encode(),
    "recoded": lambda data: data.decode("cp1252").encode(),
    "line_ends": lambda data: data.replace(b"\r\n", b"\n"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_found_and_undone(kind: str) -> None:
    old = "int naïve; // Größe der Straße\r\nfür alle Fälle\r\n".encode("cp1252") * 20
    damaged = DAMAGES[kind](old)
    new = damaged.replace(b"int ", b"long ", 1)
    comparison = utf8kit.compare(old, new)
    assert {damage.kind for damage in comparison.damage} == {kind}, comparison
    edits = comparison.edits
    assert edits and all(edit.old.stop <= 3 and edit.new.stop <= 4 for edit in edits)
    first = comparison.damage[0]
    assert first.line >= 1 and first.column >= 1 and not first.doubtful
    assert old[first.old] != new[first.new]
    expected = old.replace(b"int ", b"long ", 1)
    assert utf8kit.restore(old, new) == expected
    assert utf8kit.restore(bytearray(old), memoryview(new), comparison.damage) == expected
    assert utf8kit.restore(old, new, []) == new
    some = utf8kit.restore(old, new, comparison.damage[:1])
    assert some not in (new, expected) or len(comparison.damage) == 1
    assert kind in repr(first) and "edits" in repr(comparison)


def test_no_damage() -> None:
    comparison = utf8kit.compare(b"caf\xe9\n", b"caf\xe9s\n")
    assert comparison.damage == [] and len(comparison.edits) == 1
    assert comparison.view == "read as windows-1252"


def test_no_pyarrow_is_imported() -> None:
    code = "import utf8kit, sys; utf8kit.Document(b'a').text; assert 'pyarrow' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
