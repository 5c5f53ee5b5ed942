"""Ranges of files on any file system, read in pieces by the tasks of a cluster. Needs pyarrow."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from utf8kit import _native
from utf8kit._native import Summary

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

#: Number of bytes read at a time.
PIECE = 4 << 20
#: Number of bytes around a piece that may belong to its sequences: more than the longest sequence.
AROUND = 64
#: Pieces with more errors than this are processed in parts, to limit the memory.
MANY = 10_000
PART = 64 << 10


class Range(NamedTuple):
    """A range of a file. `end` is None if the length is unknown, as for a compressed file."""

    file: str
    start: int
    end: int | None


class Piece(NamedTuple):
    """Bytes of a file: `data[start:end]` is the piece, and the rest surrounds it."""

    data: bytes
    start: int
    end: int
    #: The offset of `data` in the file.
    base: int


def filesystem_of(path: str) -> tuple[FileSystem, str]:
    """Returns the file system of a path or URI, and the path in it."""
    from pyarrow.fs import FileSystem, LocalFileSystem

    if path.startswith("file:") or "://" in path:
        found: tuple[FileSystem, str] = FileSystem.from_uri(path)
        return found
    return LocalFileSystem(), path


def prefix_of(path: str) -> str:
    """Returns the prefix that turns a path of the file system into a URI: `s3://`, or nothing."""
    scheme, separator, _ = path.partition("://")
    return f"{scheme}://" if separator and scheme != "file" else ""


def files(path: str) -> list[tuple[str, int]]:
    """Returns the files of a path with their sizes: the file itself, the files in a folder, or the files that match a
    pattern."""
    from pyarrow.fs import FileType

    filesystem, root = filesystem_of(path)
    prefix = prefix_of(path)
    info = filesystem.get_file_info(root)
    if info.type == FileType.File:
        return [(prefix + root, info.size)]
    if info.type == FileType.Directory:
        return sorted((prefix + file, size) for file, size in _below(filesystem, root, None))
    found: dict[str, int] = {}
    for one in alternatives(root):
        if any(sign in one for sign in "*?["):
            folder = os.path.dirname(one.split("*")[0].split("?")[0].split("[")[0])
            found.update(_below(filesystem, folder, one))
        elif one != root:
            info = filesystem.get_file_info(one)
            if info.type == FileType.File:
                found[one] = info.size
            elif info.type == FileType.Directory:
                found.update(_below(filesystem, one, None))
    if not found:
        raise FileNotFoundError(path)
    return sorted((prefix + file, size) for file, size in found.items())


def _below(filesystem: FileSystem, folder: str, pattern: str | None) -> Iterator[tuple[str, int]]:
    """Yields the files below a folder that match, with their sizes."""
    from pyarrow.fs import FileSelector, FileType

    for file in filesystem.get_file_info(FileSelector(folder or ".", recursive=True, allow_not_found=pattern is not None)):
        is_shown = file.type == FileType.File and not hidden(os.path.relpath(file.path, folder or "."))
        if is_shown and matches(file.path, pattern):
            yield file.path, file.size


def alternatives(pattern: str) -> list[str]:
    """Returns the patterns that `{a,b}` stands for. Braces can be nested; braces without a comma or an end are
    literal."""
    depth, start = 0, -1
    commas: list[int] = []
    for at, sign in enumerate(pattern):
        if sign == "{":
            if depth == 0:
                start, commas = at, []
            depth += 1
        elif sign == "," and depth == 1:
            commas.append(at)
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0 and commas:
                cuts = [start, *commas, at]
                parts = [pattern[cut + 1 : end] for cut, end in zip(cuts, cuts[1:], strict=False)]
                rests = alternatives(pattern[at + 1 :])
                return list(dict.fromkeys(pattern[:start] + one + rest for part in parts for one in alternatives(part) for rest in rests))
    return [pattern]


def hidden(path: str) -> bool:
    """Reports whether Spark and Hive ignore a name, because it begins with `_` or `.`."""
    return any(part.startswith(("_", ".")) for part in path.replace(os.sep, "/").split("/"))


def matches(path: str, pattern: str | None) -> bool:
    """Reports whether a path matches a pattern, in which `*` does not match `/`, and `**` matches any folders or none."""
    import fnmatch

    if pattern is None:
        return True
    names = path.split("/")
    # The numbers of names that the parts so far may match.
    reached = {0}
    for part in os.path.normpath(pattern).replace(os.sep, "/").split("/"):
        if part == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatch.fnmatchcase(names[at], part)}
    return len(names) in reached


def plan(paths: list[str], chunk: int, whole: bool = False) -> list[Range]:
    """Returns the ranges of all files: `chunk` bytes each, a compressed file as one range, or each file as one."""
    planned = []
    for path in paths:
        for file, size in files(path):
            if file.endswith((".gz", ".gzip")):
                planned.append(Range(file, 0, None))
            elif whole:
                planned.append(Range(file, 0, size))
            else:
                planned += [Range(file, start, min(start + chunk, size)) for start in range(0, max(size, 1), chunk)]
    return planned


def opened(file: str, compressed: bool) -> Any:
    """Opens a file for reading at any offset, or if it is compressed, in order."""
    filesystem, path = filesystem_of(file)
    from pyarrow.fs import LocalFileSystem

    if isinstance(filesystem, LocalFileSystem):
        raw: Any = open(path, "rb", buffering=0)  # noqa: SIM115 - closed by the caller
    else:
        raw = filesystem.open_input_file(path)
    return gzip.GzipFile(fileobj=raw) if compressed else raw


def pieces(part: Range) -> Iterator[Piece]:
    """Reads a range piece by piece, with the bytes around each piece."""
    compressed = part.end is None
    with opened(part.file, compressed) as file:
        base = max(0, part.start - AROUND)
        data, at, over = b"", part.start, False
        while not over and (part.end is None or at < part.end):
            wanted = at - base + PIECE + AROUND
            if compressed:
                data += read(file, wanted - len(data))
            else:
                # The bytes around a piece are read twice, which costs less than copying the piece.
                file.seek(base)
                data = read(file, wanted)
            over = len(data) < wanted
            stop = base + len(data) if over else at + PIECE
            stop = stop if part.end is None else min(stop, part.end)
            if stop > at:
                yield Piece(data, at - base, stop - base, base)
            done = max(0, stop - base - AROUND)
            data, base, at = data[done:], base + done, stop


def read(file: Any, wanted: int) -> bytes:
    """Reads that many bytes, or fewer at the end."""
    first: bytes = file.read(wanted)
    if len(first) == wanted or not first:
        return first
    rest = io.BytesIO()
    rest.write(first)
    while rest.tell() < wanted and (more := file.read(wanted - rest.tell())):
        rest.write(more)
    return rest.getvalue()


def summary_of(part: Range, encoding: str, keep: int = 100) -> Summary:
    """Returns the summary of the text that begins in a range."""
    if part.end is not None and "://" not in part.file:
        return Summary.of_file(part.file, part.start, part.end, encoding=encoding, keep=keep)
    whole = Summary(encoding, keep)
    for piece in pieces(part):
        data, start, end, base = piece
        whole = whole.merge(Summary.of(data, start, end, base=base, encoding=encoding, keep=keep))
    return whole


class FoundErrors(NamedTuple):
    """Errors that begin in a part of a file, column by column."""

    offset: list[int]
    len: list[int]
    kind: list[str]
    bytes: list[bytes]
    line: list[int]


def errors_of(part: Range, encoding: str, limit: int | None = None) -> Iterator[FoundErrors]:
    """Yields the errors that begin in a range. Lines count from its start."""
    before = Summary(encoding, 0)
    left = sys.maxsize if limit is None else limit
    for data, start, end, base in pieces(part):
        piece = Summary.of(data, start, end, base=base, encoding=encoding, keep=0)
        step = end - start if piece.errors <= MANY else PART
        for at in range(start, end, step) if piece.errors else ():
            stop = min(at + step, end)
            found = Summary.of(data, at, stop, base=base, encoding=encoding, keep=left)
            errors = found.first_errors
            if errors:
                place = [error["offset"] - base for error in errors]
                yield FoundErrors(
                    [error["offset"] for error in errors],
                    [error["len"] for error in errors],
                    [error["kind"] for error in errors],
                    [data[p : p + error["len"]] for p, error in zip(place, errors, strict=True)],
                    [before.lines + error["line"] for error in errors],
                )
                left -= len(errors)
                if left <= 0:
                    return
            before = before.merge(Summary.of(data, at, stop, encoding=encoding, keep=0)) if piece.errors else before
        if not piece.errors:
            before = before.merge(piece)


def repaired_copy(file: str, write: Any, policy: str, encoding: str) -> None:
    """Writes a repaired file piece by piece."""
    repairer = _native.Repairer(policy, encoding)
    with opened(file, file.endswith((".gz", ".gzip"))) as source:
        while piece := source.read(PIECE):
            write(repairer.push(piece))
        write(repairer.push(b"", True))


class Feeds(NamedTuple):
    """How an encoding writes a line feed. Units of several bytes are aligned to their width."""

    feed: bytes

    @classmethod
    def of(cls, encoding: str) -> Feeds:
        """Returns how one of the library's encodings writes a line feed."""
        return cls(_native.convert(b"\n", "utf-8", encoding))

    def find(self, data: bytes, start: int, at: int) -> int:
        """Returns the end of the first line feed from `start` in `data`, which begins at offset `at`, or -1 if there is
        none."""
        width = len(self.feed)
        found = data.find(self.feed, max(start, 0))
        while found >= 0 and (at + found) % width:
            found = data.find(self.feed, found + 1)
        return found + width if found >= 0 else -1

    def last(self, data: bytes, at: int) -> int:
        """Returns the end of the last line feed, or 0 if there is none."""
        width = len(self.feed)
        found = data.rfind(self.feed)
        while found >= 0 and (at + found) % width:
            found = data.rfind(self.feed, 0, found + width - 1)
        return found + width if found >= 0 else 0

    def starts(self, data: bytes, at: int) -> list[int]:
        """Returns the offsets at which lines begin."""
        found = []
        begin = 0
        while 0 <= begin < len(data):
            found.append(at + begin)
            begin = self.find(data, begin, at)
        return found


def lines_of(part: Range, encoding: str = "utf-8") -> Iterator[tuple[int, bytes]]:
    """Yields whole lines, some MiB at a time, with the offset of the first. A line belongs to the range where it
    begins."""
    compressed = part.end is None
    feeds = Feeds.of(encoding)
    width = len(feeds.feed)
    with opened(part.file, compressed) as file:
        # A line begins after a line feed, which may be right before the range.
        at = max(part.start - width, 0)
        if at:
            file.seek(at)
        data, skipping, over = b"", part.start > 0, False
        while not over:
            more = read(file, PIECE)
            over = len(more) < PIECE
            data += more
            if skipping:
                begin = feeds.find(data, 0, at)
                if begin < 0:
                    kept = min(width - 1, len(data))
                    at, data = at + len(data) - kept, data[len(data) - kept :]
                else:
                    at, data, skipping = at + begin, data[begin:], False
            if part.end is not None and at >= part.end:
                return
            if skipping or not data:
                continue
            if part.end is not None and at + len(data) >= part.end:
                # This is the last line that begins before the end.
                cut = feeds.find(data, part.end - width - at, at)
                if cut >= 0:
                    yield at, data[:cut]
                    return
            cut = len(data) if over else feeds.last(data, at)
            if cut:
                yield at, data[:cut]
                at, data = at + cut, data[cut:]
