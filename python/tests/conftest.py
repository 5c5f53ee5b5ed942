"""Code shared by the tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of the conformance cases."""
    if not VECTORS.is_dir():
        pytest.skip("no checkout of the repository")
    return VECTORS


def load(path: Path) -> list[dict]:
    """A file of cases."""
    return json.loads(path.read_text(encoding="utf-8"))
