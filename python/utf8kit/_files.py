"""Splits files into ranges."""

from __future__ import annotations

import os


def ranges(path: str | os.PathLike[str], chunk: int = 256 << 20) -> list[tuple[int, int]]:
    """Splits a file into ranges of bytes that can be checked independently, in any process or on any machine.

    A range may begin or end within a sequence. `Summary.of_file` of each range, merged in order, is the summary of the
    file.

    Args:
        path: a file.
        chunk: the maximum number of bytes in a range.

    Returns:
        Pairs (start, end); none for an empty file.

    Raises:
        OSError: the size of the file cannot be determined.
        ValueError: `chunk` is not positive.

    >>> import utf8kit, tempfile, functools
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     written = file.write("naïve\\n".encode() * 3)
    ...     file.flush()
    ...     cuts = utf8kit.ranges(file.name, chunk=10)
    ...     parts = [utf8kit.Summary.of_file(file.name, *cut) for cut in cuts]
    >>> cuts
    [(0, 10), (10, 20), (20, 21)]
    >>> functools.reduce(utf8kit.Summary.merge, parts).lines
    3
    """
    if chunk <= 0:
        raise ValueError("chunk must be positive")
    size = os.stat(path).st_size
    return [(start, min(start + chunk, size)) for start in range(0, size, chunk)]
