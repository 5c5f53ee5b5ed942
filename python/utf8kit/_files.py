"""Files: how they are cut, checked and repaired."""

from __future__ import annotations

import os


def ranges(path: str | os.PathLike[str], chunk: int = 256 << 20) -> list[tuple[int, int]]:
    """Cuts a file into ranges of bytes that can be looked at apart, on any process or machine.

    A range may begin or end within a sequence: `Summary.of_file` of each range, merged in order, is the summary of the
    file.

    Args:
        path: a file.
        chunk: the most bytes of a range.

    Returns:
        Pairs (start, end); none for an empty file.

    Raises:
        OSError: the file's size cannot be had.
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
