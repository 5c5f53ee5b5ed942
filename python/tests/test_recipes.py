"""Runs the recipes of docs/cluster.md for other engines verbatim, each in its own environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

import utf8kit

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"

#: The first word of a recipe's first line, and the packages it needs.
NEEDS = {"processes": [], "Ray": ["ray"], "Dask": ["dask"], "Daft": ["daft"]}

#: Daft 0.7.26 crashes in one of 70 runs when the interpreter ends, also without this package.
LAST_LINES = {"Daft": "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"}

#: Cut into some ranges, within sequences.
CHUNK = 4099
DATA = "".join(f"{number}: naïve € 😀\n" for number in range(3000)).encode() + b"caf\xe9 \xff\xc0\xaf\n" * 200


def recipes() -> dict[str, str]:
    if not PAGE.is_file():
        return {}
    text = PAGE.read_text(encoding="utf-8").partition("## Without Spark")[2]
    blocks = re.findall(r"```python\n# (\w+)(.*?)```", text, re.DOTALL)
    return {name: f"# {name}{code}" for name, code in blocks}


def test_no_recipe_is_left_out() -> None:
    if not PAGE.is_file():
        pytest.skip("no checkout of the repository")
    assert sorted(recipes()) == sorted(NEEDS)


def run(python: str, name: str, folder: Path) -> None:
    """Runs a recipe over a file that its ranges cut, and compares the output with one pass."""
    (folder / "big.log").write_bytes(DATA)
    (folder / "utf8kit").symlink_to(Path(utf8kit.__file__).parent, target_is_directory=True)
    code = recipes()[name]
    assert len(code.strip().splitlines()) <= 14
    code = code.replace('ranges("big.log")', f'ranges("big.log", chunk={CHUNK})') + LAST_LINES.get(name, "")
    (folder / "recipe.py").write_text(code, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run([python, "recipe.py"], cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.splitlines()[-1] == repr(utf8kit.Summary.of(DATA))


def test_processes(tmp_path) -> None:
    if not PAGE.is_file():
        pytest.skip("no checkout of the repository")
    run(sys.executable, "processes", tmp_path)


@pytest.mark.heavy
@pytest.mark.parametrize("name", [name for name, needs in NEEDS.items() if needs])
def test_engines(name: str, tmp_path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")
        install = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *NEEDS[name]]
        installed = subprocess.run(install, capture_output=True, encoding="utf-8")
        if installed.returncode != 0:
            pytest.skip(f"{name} cannot be installed: {installed.stderr.strip()[-200:]}")
        run(python, name, tmp_path)
