"""check_file, repair_file, detect, fix_mojibake, legacy encodings, and the command."""

from __future__ import annotations

import errno
import gzip
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings

import pytest

import utf8kit


def test_check_file(tmp_path) -> None:
    data = ("é€😀\n".encode() * 1000 + b"\xff") * 300
    file = tmp_path / "text"
    file.write_bytes(data)
    whole = utf8kit.Summary.of(data)
    told = []
    for threads in (0, 1, 3):
        assert utf8kit.check_file(file, threads, lambda done, total: told.append((done, total))) == whole
    assert told[-1] == (len(data), len(data))
    assert utf8kit.check_file(str(file), encoding="cesu-8").errors > 300
    assert len(utf8kit.check_file(file, keep=5).first_errors) == 5
    with pytest.raises(FileNotFoundError) as raised:
        utf8kit.check_file(tmp_path / "none")
    assert os.path.basename(raised.value.filename) == "none"
    with pytest.raises(KeyError, match="stop"):
        utf8kit.check_file(file, progress=lambda *_: {}["stop"])


def test_repair_in_place_keeps_text_in_another_encoding(tmp_path) -> None:
    file = tmp_path / "file"
    data = "Plain text with a few näive words in it.\n".encode("utf-16")
    file.write_bytes(data)
    with pytest.raises(utf8kit.SkippedError, match="looks like utf-16"):
        utf8kit.repair_file(file, file)
    assert file.read_bytes() == data
    assert utf8kit.repair_file(file, file, force=True).changes > 0
    assert file.read_bytes() == utf8kit.repair(data)


def test_no_picture_is_repaired_in_place(tmp_path) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(data := b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1")
    with pytest.raises(utf8kit.SkippedError, match="it is image/png, not text, and would be destroyed; force=True"):
        utf8kit.repair_file(file, file)
    assert file.read_bytes() == data


def test_a_copy_that_has_lost_text_is_warned_of(tmp_path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for data, keeps in [
        ("Voilà un café très sucré, s'il vous plaît.\n".encode("windows-1252"), "a conversion from windows-1252 keeps it"),
        ("Voilà un café\n".encode() * 3 + b"tr\xe8s sucr\xe9\n", "the policy fallback-lines=windows-1252 keeps it"),
        (b"2026-11-26 started the service\n" * 20 + "Voilà un café\n".encode("utf-16le"), "text that is or was UTF-16 or UTF-32; the policy utf-16 keeps it"),
    ]:
        source.write_bytes(data)
        with pytest.warns(UserWarning, match=keeps):
            assert utf8kit.repair_file(source, target).changes > 0
        assert target.read_bytes() == utf8kit.repair(data)
        # There is no warning for a policy that keeps the text, with `force`, or for text that is only damaged.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            utf8kit.repair_file(source, target, "escape")
            utf8kit.repair_file(source, target, force=True)
            source.write_bytes("Größe ".encode() + b"\xc0\xaf \xe2\x82 \xed\xa0\x80\n")
            utf8kit.repair_file(source, target)


def test_repair_file(tmp_path) -> None:
    data = b"a\xff\r\ncaf\xe9\n" + "cafÃ©".encode() + b"\n" + b"x" * 1_000_000 + b"\xe2\x82"
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(data)
    for policy in ("replace", "replace-run", "java", "remove", "escape", "same-length", "fallback=windows-1252", "mojibake"):
        report = utf8kit.repair_file(source, target, policy, force=True)
        assert target.read_bytes() == utf8kit.repair(data, policy), policy
        assert (report.bytes_read, report.bytes_written) == (len(data), target.stat().st_size)
        assert report.changes > 0 and report.description
    # The é of windows-1252 would be lost; mere damage is not text.
    with pytest.raises(utf8kit.SkippedError, match="text would be lost"):
        utf8kit.repair_file(source, source)
    assert source.read_bytes() == data
    assert utf8kit.repair_file(source, source, force=True).changes == 3
    assert source.read_bytes() == utf8kit.repair(data)
    damaged = "Größe ".encode() + b"\xc0\xaf \xe2\x82 \xed\xa0\x80\n"
    source.write_bytes(damaged)
    assert utf8kit.repair_file(source, source).changes == 6
    assert source.read_bytes() == utf8kit.repair(damaged)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]
    with pytest.raises(KeyError):
        utf8kit.repair_file(source, target, progress=lambda *_: {}["stop"])
    assert target.read_bytes() == utf8kit.repair(data, "mojibake")
    with pytest.raises(FileNotFoundError):
        utf8kit.repair_file(source, tmp_path / "no" / "folder")
    with pytest.raises(ValueError):
        utf8kit.repair_file(source, target, "mojibake", encoding="cesu-8")


def test_a_copy_has_the_evidence_of_the_whole_file(tmp_path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    # The first line could have gone through ISO 8859-2 as well; the second one only through windows-1250.
    source.write_text("pĂĄ slĂĄtt\nvâ€“ nĂ©\n", encoding="utf-8")
    assert utf8kit.repair_file(source, target, "mojibake").changes == 2
    assert target.read_text(encoding="utf-8") == "på slått\nv– né\n"
    assert utf8kit.repair_file(source, source, "mojibake").changes == 2
    assert source.read_bytes() == target.read_bytes()


def test_policies_of_lines() -> None:
    data = b"na\xefve \xc3\xa9\nfine \xc3\xa9\n"
    assert utf8kit.repair(data, "fallback=latin1").decode() == "naïve é\nfine é\n"
    assert utf8kit.repair(data, "fallback-lines=latin1").decode() == "naïve Ã©\nfine é\n"
    assert utf8kit.repair("cafÃ©\ncafé\n".encode(), "mojibake").decode() == "café\ncafé\n"
    clean = b"nothing to do"
    assert all(utf8kit.repair(clean, policy) is clean for policy in ("mojibake", "unescape", "fallback=koi8-r"))
    with pytest.raises(ValueError, match="utf-16"):
        utf8kit.repair(b"", "fallback=utf-16le")


def test_detect() -> None:
    found = utf8kit.detect("Größe".encode("utf-16"))
    assert (found.encoding, found.confidence) == ("utf-16le", "certain") and found.evidence
    assert utf8kit.detect(b"\0\x01\x02\xff\xfe\0\0" * 50).encoding is None
    assert "windows-1252" in utf8kit.detect("Il était déjà très fâché".encode("cp1252")).encoding
    assert utf8kit.detect(bytearray("日本語の文章です。".encode("shift_jis"))).encoding == "Shift_JIS"


def test_what_is_detected_says_what_makes_it_utf8() -> None:
    """Every suggestion keeps the text; one of several candidates is never suggested."""
    french = "Voilà un café très sucré, s'il vous plaît.\n"
    for data, text in [
        (french.encode("utf-16"), french),
        (french.encode("utf-16be"), french),
        (french.encode("cp1252"), french),
        (french.encode().decode("cp1252").encode(), french),
        (french.encode() * 3 + french.encode("cp1252"), french * 4),
    ]:
        found = utf8kit.detect(data)
        assert found.suggestion is not None and found.sure, data
        function, how = found.suggestion
        made = utf8kit.convert(data, how, "utf-8") if function == "convert" else utf8kit.repair(data, how)
        assert made.decode() == text, found.suggestion
    found = utf8kit.detect(b"one na\x8bve try")
    assert (found.suggestion, found.sure, found.others) == (None, False, ["windows-1252", "CP850"])
    assert utf8kit.detect(french.encode()).suggestion is None
    likely = utf8kit.detect(b"b\xfbti\nI\xf0ikavos\n\x84Logitech diNovo\x93\n")
    assert (likely.suggestion, likely.sure) == (("convert", "windows-1257"), True)


def test_fix_mojibake() -> None:
    for text in ("Größe, naïve, 日本語", "plain\r\n", ""):
        assert utf8kit.fix_mojibake(text) == text
    for misread in ("latin1", "cp1252"):
        doubled = "Il était déjà très fâché".encode().decode(misread)
        assert utf8kit.fix_mojibake(f"fine é\r\n{doubled}\nfine") == "fine é\r\nIl était déjà très fâché\nfine"


def test_streams() -> None:
    data = ("é€😀\n".encode() + b"\xff\xe2\x82") * 50
    lines = ("fallback=latin1", "fallback-lines=latin1")
    for policy in ("replace", "replace=?", "replace-run=<bad>", "java", "escape", *lines):
        repairer = utf8kit.Repairer(policy)
        pieces = [repairer.push(data[at : at + 7]) for at in range(0, len(data), 7)]
        assert b"".join([*pieces, repairer.push(b"", last=True)]) == utf8kit.repair(data, policy), policy
        assert repairer.changes > 0
        with pytest.raises(ValueError, match="already ended"):
            repairer.push(b"")


def test_legacy_encodings() -> None:
    text = "日本語 abc"
    for name in ("shift_jis", "euc-jp", "gb18030", "big5"):
        data = utf8kit.convert(text.encode(), "utf-8", name)
        assert data == text.encode(name)
        assert utf8kit.convert(data, name, "utf-8").decode() == text
    assert utf8kit.convert("€".encode(), "utf-8", "utf-16") == "€".encode("utf-16")
    for target in ("koi8-r", "latin1"):
        with pytest.raises(UnicodeEncodeError) as lacking:
            utf8kit.convert("a€".encode(), "utf-8", target)
        assert isinstance(lacking.value, utf8kit.UnencodableError)
        assert (lacking.value.offset, lacking.value.len, lacking.value.object) == (1, 3, "€")
        assert "U+20AC EURO SIGN" in str(lacking.value)
        again = pickle.loads(pickle.dumps(lacking.value))
        assert (again.offset, str(again)) == (1, str(lacking.value))
    with pytest.raises(utf8kit.Utf8Error) as raised:
        utf8kit.convert(b"ab\xff", "shift_jis", "utf-8")
    assert (raised.value.offset, raised.value.kind, raised.value.bytes) == (2, "malformed", b"\xff")
    assert utf8kit.convert("a€".encode(), "utf-8", "koi8-r", "replace") == b"a?"
    assert utf8kit.convert("a€".encode(), "utf-8", "koi8-r", "remove") == b"a"
    assert utf8kit.convert(b"a\xff\xff", "utf-8", "koi8-r", "java") == b"a??"
    assert utf8kit.convert(b"a\xff\xff", "shift_jis", "utf-8", "replace-run") == "a\ufffd".encode()
    with pytest.raises(ValueError, match="mojibake|policy"):
        utf8kit.convert(b"", "utf-8", "koi8-r", "mojibake")
    with pytest.raises(LookupError):
        utf8kit.convert(b"", "utf-8", "ebcdic-5")


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "utf8kit", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, **options)


def test_the_command(tmp_path) -> None:
    file = tmp_path / "broken.txt"
    file.write_bytes(b"caf\xe9\n")
    checked = run("check", "--format", "short", str(file))
    assert checked.returncode == 1 and "truncated" in checked.stdout
    assert run("check", str(file), "--nonsense").returncode == 2
    version = run("--version").stdout
    assert version.split()[:2] == ["utf8", utf8kit.__version__]
    assert "Unicode " + ".".join(map(str, utf8kit.UNICODE_VERSION[:2])) in version
    repaired = run("repair", "--policy", "fallback=windows-1252", "-", input="fine\n")
    assert (repaired.returncode, repaired.stdout) == (0, "fine\n")


def test_the_command_is_installed() -> None:
    import importlib.metadata

    scripts = importlib.metadata.entry_points(group="console_scripts")
    found = {script.name: script.value for script in scripts if script.value.startswith("utf8kit.")}
    assert found == {"utf8": "utf8kit.__main__:main", "utf8kit": "utf8kit.__main__:main"}


def test_errors_have_numbers(tmp_path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    calls = (utf8kit.check_file, utf8kit.Summary.of_file, lambda path: utf8kit.repair_file(path, tmp_path / "out"))
    for call in calls:
        with pytest.raises(FileNotFoundError) as raised:
            call(tmp_path / "none")
        assert raised.value.errno == errno.ENOENT and raised.value.strerror == os.strerror(errno.ENOENT)
        assert str(raised.value.filename) == str(tmp_path / "none")
    with pytest.raises(OSError) as raised:
        utf8kit.repair_file(folder, folder)
    assert raised.value.errno
    if os.name == "posix":
        (tmp_path / "a").write_bytes(b"\xff")
        os.link(tmp_path / "a", tmp_path / "b")
        with pytest.raises(utf8kit.SkippedError, match="hard links"):
            utf8kit.repair_file(tmp_path / "a", tmp_path / "a")


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
@pytest.mark.parametrize("call", ["check_file(path)", "repair_file(path, path + '.out')", "Summary.of_file(path)"])
def test_ctrl_c_ends_a_wait(tmp_path, call: str) -> None:
    """A pipe whose writer has stalled; nothing is left behind."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = f"import sys, utf8kit; from utf8kit import *; path = sys.argv[1]; print(flush=True); utf8kit.{call}"
    with subprocess.Popen([sys.executable, "-c", program, str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdout.readline()
        # Neither end of the pipe opens without the other.
        writer = os.open(pipe, os.O_RDWR)
        os.write(writer, b"some text")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in child.communicate(timeout=20)[1] or "of_file" in call
        os.close(writer)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_check_file_reads_objects_and_descriptors(tmp_path) -> None:
    data = ("é€😀\n".encode() + b"\xff\xe2\x82") * 1_000_000
    expected = utf8kit.Summary.of(data)
    told: list[tuple[int, int | None]] = []
    assert utf8kit.check_file(io.BytesIO(data), progress=lambda *done: told.append(done)) == expected
    assert told[-1] == (len(data), None)
    path = tmp_path / "data"
    path.write_bytes(data)
    with path.open("rb") as file:
        file.seek(7)
        assert utf8kit.check_file(file) == utf8kit.Summary.of(data[7:])
        file.seek(0)
        assert utf8kit.check_file(file.fileno()) == expected
        assert not file.closed
        file.fileno()
    with gzip.open(tmp_path / "packed", "wb") as packed:
        packed.write(data)
    with gzip.open(tmp_path / "packed") as packed:
        assert utf8kit.check_file(packed) == expected
    ours, theirs = socket.socketpair()
    with ours:
        sender = threading.Thread(target=lambda: (theirs.sendall(data), theirs.close()))
        sender.start()
        assert utf8kit.check_file(ours) == expected
        sender.join()
        assert ours.fileno() >= 0  # still open
    with path.open(encoding="latin-1") as text, pytest.raises(TypeError, match="binary mode"):
        utf8kit.check_file(text)
    with pytest.raises(OSError, match="Bad file descriptor"):
        utf8kit.check_file(987654)
    with pytest.raises(ZeroDivisionError):
        utf8kit.check_file(io.BytesIO(data), progress=lambda *_: 1 / 0)
