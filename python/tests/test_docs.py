"""Every example in a docstring runs, and every name has one."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import utf8kit

FLAGS = doctest.NORMALIZE_WHITESPACE
MODULES = ["utf8kit", "utf8kit.codecs", "utf8kit.arrow", "utf8kit.parquet", "utf8kit.polars", "utf8kit.pandas"]
MODULES += ["utf8kit.duckdb", "utf8kit.datafusion", "utf8kit.protobuf", "utf8kit.rows"]


def documented() -> list[tuple[str, str]]:
    import importlib

    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        found[name] = inspect.getdoc(module)
        for public in getattr(module, "__all__", ()):
            member = getattr(module, public)
            if not inspect.ismodule(member) and (inspect.isroutine(member) or inspect.isclass(member)):
                found[f"{name}.{public}"] = inspect.getdoc(member)
                if inspect.isclass(member):
                    for method, value in vars(member).items():
                        if not method.startswith("_") and getattr(value, "__doc__", None):
                            found[f"{name}.{public}.{method}"] = inspect.getdoc(value)
    return sorted(found.items())


@pytest.mark.parametrize(("name", "text"), documented(), ids=lambda value: value if "." in str(value)[:40] else "")
def test_examples(name: str, text: str | None) -> None:
    assert text, f"{name} has no docstring"
    needs(text)
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test)
    assert runner.failures == 0


def needs(text: str) -> None:
    """Skips examples whose packages are not installed."""
    for line in re.findall(r">>> import ([\w., ]+)", text):
        for name in re.sub(r" as \w+", "", line).split(","):
            pytest.importorskip(name.strip().partition(".")[0])


PYTHON = Path(__file__).parents[1]
PAGES = sorted([*PYTHON.glob("docs/*.md"), PYTHON / "README.md", *PYTHON.parent.glob("docs/streams.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    """The examples of a page, one after the other."""
    blocks = re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks or page.name == "reference.md"
    needs("".join(blocks))
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test)
    assert runner.failures == 0


def test_help_shows_the_arguments() -> None:
    for name in utf8kit.__all__:
        member = getattr(utf8kit, name)
        if inspect.isroutine(member):
            assert inspect.signature(member)


def test_the_help_names_what_only_the_package_has() -> None:
    for arguments in (["--help"], ["-h"], ["help"]):
        done = subprocess.run([sys.executable, "-m", "utf8kit", *arguments], capture_output=True, encoding="utf-8")
        assert done.returncode == 0
        assert "parquet      Check and repair Parquet files" in done.stdout
    done = subprocess.run([sys.executable, "-m", "utf8kit", "check", "--help"], capture_output=True, encoding="utf-8")
    assert "parquet      " not in done.stdout


def test_text_needs_no_other_package() -> None:
    code = """
        import sys
        for name in ("pyarrow", "numpy", "polars", "pandas"):
            sys.modules[name] = None  # cannot be imported
        import io, tempfile, utf8kit
        from utf8kit import protobuf, rows
        assert utf8kit.Document(b"caf\\xe9").text == "café"
        assert utf8kit.TextIndex("a\\nb").lines == 2
        assert list(utf8kit.stream([b"a", b"b"], "replace", hold="grapheme")) == ["a", "b"]
        assert utf8kit.open(io.BytesIO(b"text"), errors="replace").read() == "text"
        for stream in (utf8kit.Validator(), utf8kit.Converter("utf-8", "utf-16le"), utf8kit.SummaryStream()):
            stream.push(b"text", last=True)
        assert rows.check(b"fine", "lines") == []
        assert utf8kit.check_file(io.BytesIO(b"fine")).is_valid
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_the_import_loads_little() -> None:
    code = "import sys; before = set(sys.modules); import utf8kit; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, encoding="utf-8", check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"typing", "asyncio", "pyarrow", "numpy", "dataclasses", "inspect", "re", "subprocess"}
