"""Finds and repairs Parquet files whose strings are not UTF-8. Needs pyarrow.

A column of strings can contain any bytes: pyarrow writes them without complaint, and readers fail or hide them, each in its
own way. This module reports each error with its row group, row, column, offset and kind.

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
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from utf8kit import _native, arrow

if TYPE_CHECKING:
    import pyarrow.parquet
    from pyarrow.fs import FileSystem

__all__ = ["Bad", "Repaired", "check", "repair"]

#: Number of bytes that are read and then checked: few enough to stay in a cache. A batch of rows has a cost of its own.
_BYTES = 1 << 20
_FEWEST_ROWS, _MOST_ROWS = 256, 16 << 10


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
    #: Where in the value the error begins, in bytes.
    offset: int
    #: Its length in bytes.
    len: int
    #: Its kind: see `Utf8Error`.
    kind: str
    #: What contains it: a `value`, the `min` or `max` of a row group's statistics, a `key` or an `entry` of the footer.
    where: str = "value"


class Repaired(NamedTuple):
    """The result of `repair`."""

    #: The file that was read.
    source: str
    #: The file that was written.
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
) -> Iterator[Bad]:
    """Finds every error in the strings of a Parquet file, or of all files of a folder.

    Nested values are checked, too: in lists, maps, structs and dictionaries. So are the minima and maxima of row groups,
    and the keys and values of the footer. Only one batch of rows is in memory at a time.

    Args:
        path: a file, a folder, or a URI (`s3://bucket/key`).
        filesystem: the `pyarrow.fs.FileSystem` of the path.
        columns: only columns whose path begins with one of these names.
        binary: also check columns of bytes that are not declared to be text.

    Yields:
        `Bad`, file by file and row group by row group.

    Raises:
        OSError: a file cannot be read.
        pyarrow.ArrowInvalid: a file is not Parquet.
    """
    filesystem, root = _filesystem(path, filesystem)
    wanted = None if columns is None else list(columns)
    for name in _files(filesystem, root):
        with filesystem.open_input_file(name) as opened:
            yield from _check(name, opened, wanted, binary)


def _check(name: str, opened: Any, wanted: list[str] | None, binary: bool) -> Iterator[Bad]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(opened)
    metadata = file.metadata
    for key, value in (metadata.metadata or {}).items():
        shown = key.decode("utf-8", "backslashreplace")
        yield from _errors_in(key, name, None, shown, "key")
        # Arrow stores base64 of binary data there.
        yield from _errors_in(value, name, None, shown, "entry")
    leaves = _leaves(file, wanted, binary)
    if not leaves:
        return
    repeated = _repeated(metadata, leaves)
    if repeated:
        # Read them as dictionaries, so that each value is checked once.
        file = pq.ParquetFile(opened, metadata=metadata, read_dictionary=repeated)
    first = 0
    for group in range(metadata.num_row_groups):
        described = metadata.row_group(group)
        for index, path in leaves.items():
            statistics = described.column(index).statistics
            if statistics is not None and statistics.has_min_max:
                yield from _errors_in(statistics.min_raw, name, group, path, "min")
                yield from _errors_in(statistics.max_raw, name, group, path, "max")
        row = first
        size = sum(described.column(index).total_uncompressed_size for index in leaves)
        rows = min(max(_BYTES * described.num_rows // max(size, 1), _FEWEST_ROWS), _MOST_ROWS)
        for batch in file.iter_batches(rows, row_groups=[group], columns=list(leaves.values())):
            if not arrow.is_valid(batch):
                yield from _errors_of(batch, name, group, row)
            row += batch.num_rows
        first += described.num_rows


def _errors_of(batch: Any, name: str, group: int, first: int) -> Iterator[Bad]:
    import pyarrow as pa

    found = pa.record_batch(arrow.errors(batch))
    for row, column, offset, length, kind in zip(*(found.column(i).to_pylist() for i in range(5)), strict=True):
        yield Bad(name, group, first + row, column, offset, length, kind)


def _errors_in(data: object, name: str, group: int | None, column: str, where: str) -> Iterator[Bad]:
    if isinstance(data, bytes):
        for error in _native.errors(data):
            yield Bad(name, group, None, column, error.offset, error.len, error.kind, where)


def _leaves(file: pyarrow.parquet.ParquetFile, wanted: list[str] | None, binary: bool) -> dict[int, str]:
    """Returns the columns of text, by their index in the file."""
    found = {}
    for index in range(len(file.schema)):
        column = file.schema.column(index)
        if column.physical_type != "BYTE_ARRAY":
            continue
        text = column.logical_type.type in ("STRING", "ENUM", "JSON") or column.converted_type in ("UTF8", "ENUM", "JSON")
        path = column.path
        chosen = wanted is None or any(path == name or path.startswith(f"{name}.") for name in wanted)
        if chosen and (text or (binary and column.logical_type.type == "NONE")):
            found[index] = path
    return found


def _repeated(metadata: pyarrow.parquet.FileMetaData, leaves: dict[int, str]) -> list[str]:
    """Returns the columns that are stored as dictionaries. A chunk whose dictionary became too long also has plain values,
    each of which takes more than the four bytes of its length."""
    found = []
    for index, path in leaves.items():
        chunks = [metadata.row_group(group).column(index) for group in range(metadata.num_row_groups)]
        if chunks and all(chunk.has_dictionary_page and chunk.total_uncompressed_size < 3 * chunk.num_values for chunk in chunks):
            found.append(path)
    return found


def repair(
    src: str | os.PathLike[str],
    dst: str | os.PathLike[str],
    policy: str = "replace",
    filesystem: FileSystem | None = None,
) -> Repaired:
    """Writes a copy of a Parquet file in which every string is UTF-8.

    Schema, compression, row groups and the footer's entries are kept; statistics are computed again. At any time, a local
    file is either completely old or completely new. Columns that are not declared to be text are unchanged.

    Args:
        src: a file, or a URI.
        dst: the path of the copy; the same path replaces the file.
        policy: one of the policies for errors of `utf8kit.repair`.
        filesystem: the `pyarrow.fs.FileSystem` of both.

    Returns:
        `Repaired`.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the policy does not exist.
    """
    arrow.check_policy(policy)
    source_fs, source = _filesystem(src, filesystem)
    target_fs, target = _filesystem(dst, filesystem)
    with source_fs.open_input_file(source) as opened:
        return _written(target_fs, target, lambda sink: _repair(source, target, opened, sink, policy))


def _written(filesystem: FileSystem, target: str, write: Callable[[Any], Repaired]) -> Repaired:
    """Writes a file that becomes visible when it is complete."""
    from pyarrow.fs import LocalFileSystem

    if not isinstance(filesystem, LocalFileSystem):
        # An object becomes visible when its stream is closed.
        with filesystem.open_output_stream(target) as sink:
            return write(sink)
    handle, temporary = tempfile.mkstemp(prefix=".utf8-unfinished-", dir=os.path.dirname(os.path.abspath(target)))
    try:
        with os.fdopen(handle, "wb") as sink:
            report = write(sink)
            sink.flush()
            os.fsync(sink.fileno())
        mode = os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    return report


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _repair(source: str, target: str, opened: Any, sink: Any, policy: str) -> Repaired:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(opened)
    metadata, schema = file.metadata, file.schema_arrow
    texts = _text_fields(schema)
    paths = [file.schema.column(index).path for index in range(len(file.schema))]
    chunks = {}
    if metadata.num_row_groups:
        group = metadata.row_group(0)
        chunks = {path: group.column(index) for index, path in enumerate(paths)}
    options: dict[str, Any] = {
        "compression": {path: _codec(chunk.compression) for path, chunk in chunks.items()} or "snappy",
        "use_dictionary": [path for path, chunk in chunks.items() if chunk.has_dictionary_page] or False,
        "version": metadata.format_version if metadata.format_version in ("1.0", "2.4", "2.6") else "2.6",
        "write_statistics": [path for path, chunk in chunks.items() if chunk.is_stats_set] or True,
        "write_page_index": any(chunk.has_column_index for chunk in chunks.values()),
        "sorting_columns": metadata.row_group(0).sorting_columns or None if metadata.num_row_groups else None,
        "store_schema": b"ARROW:schema" in (metadata.metadata or {}),
    }
    errors = 0
    with pq.ParquetWriter(sink, schema, **options) as writer:
        kept = {key: value for key, value in (metadata.metadata or {}).items() if key != b"ARROW:schema"}
        missing = {key: value for key, value in kept.items() if key not in (schema.metadata or {})}
        if missing:
            writer.add_key_value_metadata(missing)
        for number in range(metadata.num_row_groups):
            table = file.read_row_group(number)
            for index in texts:
                column = table.column(index)
                found = arrow.error_count(column)
                if found:
                    errors += found
                    repaired = pa.chunked_array(arrow.repair(column, policy))
                    table = table.set_column(index, schema.field(index), repaired)
            writer.write_table(table, row_group_size=max(table.num_rows, 1))
    return Repaired(source, target, metadata.num_row_groups, metadata.num_rows, errors)


def _codec(name: str) -> str:
    """Returns the name in `ParquetWriter` of a codec in the metadata."""
    return {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(name, name).lower()


def _text_fields(schema: Any) -> list[int]:
    return [index for index, field in enumerate(schema) if _has_text(field.type)]


def _has_text(kind: Any) -> bool:
    import pyarrow as pa
    from pyarrow import types

    if isinstance(kind, pa.BaseExtensionType):
        return _has_text(kind.storage_type)
    if types.is_dictionary(kind):
        return _has_text(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return True
    return any(_has_text(kind.field(index).type) for index in range(kind.num_fields))


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
    """Returns the file itself, or the Parquet files of a folder in order."""
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
    typed = parser.parse_args(arguments)
    try:
        if typed.command == "repair":
            done = repair(typed.source, typed.target, typed.policy)
            print(f"{done.target}: {done.errors} errors repaired in {done.rows} rows", file=sys.stderr)
            return 0
        found = 0
        for path in typed.paths:
            for bad in check(path, columns=typed.columns, binary=typed.binary):
                found += 1
                print(json.dumps(bad._asdict()) if typed.format == "jsonl" else _line(bad))
        return 1 if found else 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, ValueError, ImportError) as error:
        print(f"utf8kit parquet: {error}", file=sys.stderr)
        return 2


def _line(bad: Bad) -> str:
    places = [
        None if bad.row_group is None else f"row group {bad.row_group}",
        None if bad.row is None else f"row {bad.row}",
        f"{'column' if bad.row_group is not None else 'footer'} {bad.column}",
        None if bad.where == "value" else bad.where,
    ]
    return f"{bad.file}: {', '.join(filter(None, places))}: {bad.kind} at byte {bad.offset}"
