"""The package is typed: mypy accepts it, and the compiled module matches its stub."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

PYTHON = Path(__file__).parents[1]


def test_the_package_is_typed() -> None:
    check("mypy")


def test_the_stub_is_what_is_compiled(tmp_path) -> None:
    (tmp_path / "allowed").write_text("utf8kit._native.__all__\n", encoding="utf-8")  # PyO3's own
    options = ["--ignore-disjoint-bases", "--mypy-config-file", "pyproject.toml", "--allowlist", str(tmp_path / "allowed")]
    check("mypy.stubtest", "utf8kit._native", *options)


def check(module: str, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=PYTHON, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
