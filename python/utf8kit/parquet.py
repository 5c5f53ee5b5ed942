"""Finds and repairs Parquet files whose strings are not UTF-8. Needs pyarrow only for folders and other file systems.

A column of strings can contain any bytes. Writers accept them without complaint, and readers fail or hide them, each in
its own way. This module reports each error with its row group, row, column, offset and kind.

>>> import pyarrow as pa, pyarrow.parquet, tempfile, utf8kit.parquet
>>> folder = tempfile.mkdtemp()
>>> broken = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"caf\\xe9"]).buffers())
>>> pa.parquet.write_table(pa.table({"name": broken}), f"{folder}/a.parquet")
>>> for bad in utf8kit.parquet.check(f"{folder}/a.parquet"):
...     if bad.where == "value":
...         print(bad.row_group, bad.row, bad.column, bad.offset, bad.kind)
0 1 name 3 truncated
>>> utf8kit.parquet.repair(f"{folder}/a.parquet", f"{folder}/b.parquet", "replace=?").errors
1
>>> pa.parquet.read_table(f"{folder}/b.parquet")["name"].to_pylist()
['ok', 'caf?']
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from utf8kit import _native

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

__all__ = ["Bad", "Repaired", "check", "repair"]


class Bad(NamedTuple):
    """An error in a Parquet file."""

    #: The file.
    file: str
    #: The row group, from 0; None for errors in the metadata of the whole file.
    row_group: int | None
    #: The row in the file, from 0; None for errors outside of values.
    row: int | None
    #: The names of the fields that lead to the value, joined with dots; for a footer entry, its key.
    column: str
    #: The offset of the error in the value, in bytes.
    offset: int
    #: Its length in bytes.
    len: int
    #: Its kind: see `Utf8Error`.
    kind: str
    #: What contains it: a `value`, the `min` or `max` of a row group's statistics, a `key` or an `entry` of the footer, or
    #: the `name` of a column.
    where: str = "value"


class Repaired(NamedTuple):
    """The result of `repair`."""

    #: The file that was read.
    source: str
    #: The file that was written, unless it was a file in place without errors.
    target: str
    #: The number of row groups.
    row_groups: int
    #: The number of rows.
    rows: int
    #: The number of errors that were repaired.
    errors: int


def check(
    path: str | os.PathLike[str],
    filesystem: FileSystem | None = None,
    *,
    columns: Iterable[str] | None = None,
    binary: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[Bad]:
    """Finds every error in the strings of a Parquet file, or of all files of a folder.

    Values nested in lists, maps and structs are also checked, as are the minima and maxima of row groups, the keys and
    values of the footer, and the names of columns. Only about a page is in memory at a time.

    Args:
        path: a file, a folder, or a URI (`s3://bucket/key`).
        filesystem: the `pyarrow.fs.FileSystem` of the path.
        columns: check only columns whose path begins with one of these names.
        binary: also check columns of bytes that are not declared as text.
        progress: called for each file after each column of a row group, with the number of stored bytes checked so far
            and in total. An exception that it raises ends the work.

    Yields:
        `Bad`, file by file, row group by row group and column by column.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is not Parquet, or is encrypted.
    """
    wanted = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    for name, opened in _opened(path, filesystem):
        yield from _check(name, opened, wanted, binary, progress)


def _check(
    name: str,
    file: _native.ParquetFile,
    wanted: list[str] | None,
    binary: bool,
    progress: Callable[[int, int], object] | None,
) -> Iterator[Bad]:
    def told(found: Iterable[tuple[Any, ...]]) -> Iterator[Bad]:
        return (Bad(name, *one) for one in found)

    def chosen(path: str) -> bool:
        return wanted is None or any(path == name or path.startswith(f"{name}.") for name in wanted)

    yield from told(file.footer())
    columns = [index for index, path, full in file.columns(binary) if chosen(path) or chosen(full)]
    chunks = [(group, column) for group in range(file.row_groups) for column in columns]
    total = sum(file.size(*chunk) for chunk in chunks) if progress else 0
    done = 0
    for chunk in chunks:
        yield from told(file.bounds(*chunk))
        for found in file.errors(*chunk) or ():
            yield from told(found)
        if progress:
            done += file.size(*chunk)
            progress(done, total)


def repair(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    policy: str = "replace",
    filesystem: FileSystem | None = None,
    *,
    force: bool = False,
) -> Repaired:
    """Writes a copy of a Parquet file in which every string is UTF-8, or repairs the file in place.

    Only column chunks that contain an invalid value are rewritten, with their encoding, compression and kinds of
    statistics, indexes and filters. All others are copied byte for byte. The rest of the metadata is kept: types, and
    names and footer entries, which are also repaired. If a chunk is valid but its minimum or maximum is not, these are
    removed. Columns that are not declared as text are unchanged.

    At any time, the target is either the complete old or the complete new file. A file without errors is not written in
    place, and its copy is identical.

    Args:
        src: a file, or a URI.
        dst: the path of the copy; the same path replaces the file.
        policy: one of the policies for errors of `utf8kit.repair`, or a fallback.
        filesystem: the `pyarrow.fs.FileSystem` of both.
        force: repair a file in place even if its invalid values are plausible text that the policy would replace, or
            are in another encoding than the fallback's.

    Returns:
        `Repaired`.

    Raises:
        OSError: a file cannot be read or written.
        SkippedError: the file is left alone, for the reason in the exception.
        ValueError: the policy does not exist, or the file is not Parquet, is encrypted or damaged.
    """
    if filesystem is None and not _is_uri(src) and not _is_uri(dst):
        return Repaired(os.fspath(src), os.fspath(dst), *_native.parquet_repair(src, dst, policy, force))
    from pyarrow.fs import LocalFileSystem

    source_fs, source = _filesystem(src, filesystem)
    target_fs, target = _filesystem(dst, filesystem)
    if isinstance(source_fs, LocalFileSystem) and isinstance(target_fs, LocalFileSystem):
        return Repaired(source, target, *_native.parquet_repair(source, target, policy, force))
    in_place = (target_fs, target) == (source_fs, source)
    # An interrupted write leaves a file under a name that readers ignore.
    folder, name = posixpath.split(target)
    unfinished = posixpath.join(folder, f"_utf8-unfinished-{uuid.uuid4().hex}-{name}")
    sinks: list[Any] = []

    def write() -> Any:
        sinks.append(target_fs.open_output_stream(unfinished))
        return sinks[0]

    try:
        with source_fs.open_input_file(source) as opened:
            counts = _native.ParquetFile(opened).repair(write, policy, in_place and not force)
            if not sinks and not in_place:
                opened.seek(0)
                sink = write()
                while piece := opened.read(4 << 20):
                    sink.write(piece)
        if sinks:
            sinks[0].close()
            target_fs.move(unfinished, target)
    except BaseException:
        if sinks:
            sinks[0].close()
            target_fs.delete_file(unfinished)
        raise
    return Repaired(source, target, *counts)


def _is_uri(path: str | os.PathLike[str]) -> bool:
    return "://" in os.fspath(path)


def _opened(path: str | os.PathLike[str], filesystem: FileSystem | None) -> Iterator[tuple[str, _native.ParquetFile]]:
    """Opens a file, or the files of a folder one by one."""
    if filesystem is None and not _is_uri(path) and not os.path.isdir(path):
        yield os.fspath(path), _native.ParquetFile(path)
        return
    filesystem, root = _filesystem(path, filesystem)
    for name in _files(filesystem, root):
        with filesystem.open_input_file(name) as opened:
            yield name, _native.ParquetFile(opened)


def _filesystem(path: str | os.PathLike[str], filesystem: FileSystem | None) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem, LocalFileSystem

    text = os.fspath(path)
    if filesystem is not None:
        return filesystem, text
    if "://" in text:
        found: tuple[FileSystem, str] = FileSystem.from_uri(text)
        return found
    return LocalFileSystem(), text


def _files(filesystem: FileSystem, root: str) -> list[str]:
    """Returns the file itself, or the Parquet files of a folder, in order."""
    from pyarrow.fs import FileSelector, FileType

    info = filesystem.get_file_info(root)
    if info.type != FileType.Directory:
        return [root]
    files = filesystem.get_file_info(FileSelector(root, recursive=True))
    hidden = ("_", ".")
    return sorted(
        file.path
        for file in files
        if file.type == FileType.File and file.extension in ("parquet", "pq") and not file.base_name.startswith(hidden)
    )


def main(arguments: list[str]) -> int:
    """`python -m utf8kit parquet`: 0 if nothing was found, 1 for findings, 2 for errors."""
    parser = argparse.ArgumentParser(prog="utf8kit parquet", description="Parquet files whose strings are not UTF-8.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="name every error with its row group, row, column and offset")
    checking.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or URIs")
    checking.add_argument("--columns", nargs="+", metavar="NAME", help="only these columns")
    checking.add_argument("--binary", action="store_true", help="also columns of bytes that are not declared text")
    checking.add_argument("--format", choices=["human", "jsonl"], default="human", help="how errors are printed")
    repairing = commands.add_parser("repair", help="write a copy in which every string is UTF-8")
    repairing.add_argument("source", metavar="SOURCE", help="a file, or a URI")
    repairing.add_argument("target", metavar="TARGET", help="where the copy goes; SOURCE itself to replace it")
    repairing.add_argument("--policy", default="replace", help="replace, remove, escape, ... (default: replace)")
    repairing.add_argument("--force", action="store_true", help="replace text in other encodings in SOURCE itself, too")
    typed = parser.parse_args(arguments)
    try:
        if typed.command == "repair":
            done = repair(typed.source, typed.target, typed.policy, force=typed.force)
            print(f"{done.target}: {done.errors} errors repaired in {done.rows} rows", file=sys.stderr)
            return 0
        found = 0
        progress = _shown if sys.stderr.isatty() else None
        for path in typed.paths:
            for bad in check(path, columns=typed.columns, binary=typed.binary, progress=progress):
                found += 1
                _erase(progress)
                print(json.dumps(bad._asdict()) if typed.format == "jsonl" else _line(bad))
            _erase(progress)
        return 1 if found else 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError, ImportError) as error:
        print(f"utf8kit parquet: {error}", file=sys.stderr)
        return 2


def _shown(done: int, total: int) -> None:
    """Shows the progress of a file on a terminal."""
    print(f"\r{100 * done // max(total, 1)} % of {total / 1e6:.0f} MB\x1b[K", end="", file=sys.stderr, flush=True)


def _erase(progress: object) -> None:
    """Erases the progress, so that other output starts on an empty line."""
    if progress:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _line(bad: Bad) -> str:
    places = [
        None if bad.row_group is None else f"row group {bad.row_group}",
        None if bad.row is None else f"row {bad.row}",
        f"{'column' if bad.row_group is not None else 'footer'} {bad.column}",
        None if bad.where == "value" else bad.where,
    ]
    return f"{bad.file}: {', '.join(filter(None, places))}: {bad.kind.replace('_', ' ')} at byte {bad.offset}"
