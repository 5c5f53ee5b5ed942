"""Text on clusters: a data source and table functions for PySpark 4, on a cluster or on Sail.

    import utf8kit.spark

    spark = utf8kit.spark.session()                       # a configured cluster, else Sail within this process
    spark.dataSource.register(utf8kit.spark.Source)
    errors = spark.read.format("utf8").load("s3://bucket/logs/")

Files are split into ranges of bytes, which tasks process independently. The result is the same as in a single pass, for
any split and any number of retries. `check_table`, `repair_table` and `quarantine` process columns. Needs pyspark and
pyarrow; `session` needs pysail if there is no cluster.
"""

from __future__ import annotations

import functools
import json
import os
import posixpath
import sys
import uuid
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from zipimport import zipimporter

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceWriter,
    InputPartition,
    WriterCommitMessage,
)

from utf8kit import _native, _ranges
from utf8kit._native import Summary
from utf8kit._ranges import Range
from utf8kit._spark_tables import check_table, quarantine, repair_table

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem
    from pyspark.sql import SparkSession

__all__ = ["Source", "check_table", "quarantine", "repair_table", "session", "summarize"]

#: Default number of bytes that a task reads.
CHUNK = 256 << 20
#: Number of rows in a batch passed to the engine.
ROWS = 10_000

_KINDS = ("overlong", "surrogate", "too_large", "truncated", "unexpected_continuation", "invalid_byte")
_COUNTS = ("bytes", "code_points", "lines", "errors", *_KINDS)
_SCHEMAS = {
    "errors": "file string, offset bigint, len int, kind string, bytes binary",
    "lines": "file string, offset bigint, value string",
    "files": f"file string, {', '.join(f'{name} bigint' for name in _COUNTS)}, summary binary",
}
_SCHEMAS["ranges"] = _SCHEMAS["files"].replace("file string", "file string, start bigint, end bigint")


class Source(DataSource):
    """The data source `utf8`: register it with `spark.dataSource.register(utf8kit.spark.Source)`.

    Reading: `spark.read.format("utf8").option(...).load(path)`. The path is a file, a folder (names that begin
    with `_` or `.` are ignored), a pattern, or a URI that `pyarrow.fs` supports. In a pattern, `*` matches any part of
    a name, `**` any folders, and `{a,b}` either of these: `s3://bucket/{logs,old}/**/*.txt`.

    Options:
        rows: the content of a row.
            `errors`: an error: file, offset, len, kind, bytes, and with `line` its line. The default.
            `files`: a file: its counts, and its `Summary` as `summary` (see `Summary.from_bytes`).
            `ranges`: the same for each range; `summarize` merges them.
            `lines`: a line of text, repaired by the policy: file, offset in the file, value. The default with `policy`.
        policy: how to repair lines; the default is `replace`. See `utf8kit.repair`. Errors that it leaves, such as with
            `mojibake`, become U+FFFD.
        encoding: one of `utf8kit.encodings()`; the default is `utf-8`.
        chunk: the maximum number of bytes in a range; the default is 256 MiB. A compressed file (`.gz`) is one range.
        line: `true` adds the line, from 1, to errors. In that case, a file is one range.
        limit: the maximum number of errors returned per range.
        paths: several paths, as a JSON array, instead of one.

    Writing: `files.write.format("utf8").option("policy", "replace").mode("append").save(folder)` writes a repaired copy
    of each file in the column `file`. Copies become visible when all of them are complete. Their names depend only on
    the names of the files, so retried tasks create no duplicates.

    Options:
        policy, encoding: as for reading.
        mode: `append` adds copies, and replaces files of the same name, but never a file that is read. `overwrite`
            removes all other files from the folder, which must not contain a file that is read; if there are no files
            to read, nothing is removed.
        root: copies keep their path below this folder. Without it, they keep only their name.
    """

    @classmethod
    def name(cls) -> str:
        """Returns `utf8`."""
        return "utf8"

    def schema(self) -> str:
        """Returns the columns, which depend on `rows`."""
        options = _Options(self.options)
        columns = _SCHEMAS[options.rows]
        return f"{columns}, line bigint" if options.line else columns

    def reader(self, schema: Any) -> DataSourceReader:
        """Returns the reader of files."""
        return _Reader(_Options(self.options))

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        """Returns the writer of repaired copies."""
        names = schema.fieldNames() if hasattr(schema, "fieldNames") else [field.name for field in schema]
        if "file" not in names:
            raise ValueError("the data source utf8 writes copies of the files in the column `file`, which is missing")
        return _Writer(_Options(self.options), overwrite)


class _Options:
    """The options of a source."""

    def __init__(self, options: Any) -> None:
        # Engines differ in whether they keep the case of names.
        given = {str(key).lower(): value for key, value in dict(options).items()}
        self.policy = given.get("policy", "replace")
        self.rows = given.get("rows", "lines" if "policy" in given else "errors")
        if self.rows not in _SCHEMAS:
            raise ValueError(f"option rows: {self.rows!r} is not one of {', '.join(_SCHEMAS)}")
        self.encoding = given.get("encoding", "utf-8")
        self.chunk = int(given.get("chunk", CHUNK))
        if self.chunk <= 0:
            raise ValueError("option chunk: must be positive")
        self.line = self.rows == "errors" and str(given.get("line", "false")).lower() == "true"
        self.limit = int(given["limit"]) if "limit" in given else None
        self.root = given.get("root")
        paths = json.loads(given["paths"]) if "paths" in given else []
        self.paths = [*paths, *([given["path"]] if "path" in given else [])]
        # Fail early and not in a task.
        _native.repair(b"", self.policy, self.encoding)


class _Part(InputPartition):
    def __init__(self, part: Range) -> None:
        super().__init__(tuple(part))
        self.part = tuple(part)


class _Reader(DataSourceReader):
    def __init__(self, options: _Options) -> None:
        self.options = options

    def partitions(self) -> list[InputPartition]:
        options = self.options
        if not options.paths:
            raise ValueError("no path: give load() one, or a JSON array of several as option paths")
        whole = options.line or options.rows == "files"
        return [_Part(part) for part in _ranges.plan(options.paths, options.chunk, whole)]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        _keep_directory_of_zip()
        options, part = self.options, Range(*partition.part)
        match options.rows:
            case "errors":
                return _error_batches(part, options)
            case "lines":
                return _line_batches(part, options)
            case _:
                return _summary_batches(part, options)


def _keep_directory_of_zip() -> None:
    """Speeds up the start of the next task of this worker: before 3.12, Python reads the directory of `pyspark.zip` once for
    each of its packages, because Spark clears the import caches. That took an eighth of a second, as long as checking
    500 MiB. An importer removed here is created again on demand.
    """
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter) and os.path.basename(importer.archive) == "pyspark.zip":
            del sys.path_importer_cache[path]


def _error_batches(part: Range, options: _Options) -> Iterator[pa.RecordBatch]:
    for found in _ranges.errors_of(part, options.encoding, options.limit):
        for at in range(0, len(found.offset), ROWS):
            rows = slice(at, at + ROWS)
            columns = {
                "file": pa.array([part.file] * len(found.offset[rows]), pa.string()),
                "offset": pa.array(found.offset[rows], pa.int64()),
                "len": pa.array(found.len[rows], pa.int32()),
                "kind": pa.array(found.kind[rows], pa.string()),
                "bytes": pa.array(found.bytes[rows], pa.binary()),
            }
            if options.line:
                columns["line"] = pa.array(found.line[rows], pa.int64())
            yield pa.record_batch(columns)


def _summary_batches(part: Range, options: _Options) -> Iterator[pa.RecordBatch]:
    summary = _ranges.summary_of(part, options.encoding)
    counts: dict[str, int] = {name: getattr(summary, name) for name in _COUNTS[:4]}
    counts.update(summary.kinds.items())
    columns = {"file": pa.array([part.file], pa.string())}
    if options.rows == "ranges":
        columns["start"] = pa.array([part.start], pa.int64())
        columns["end"] = pa.array([part.start + summary.bytes], pa.int64())
    columns |= {name: pa.array([counts[name]], pa.int64()) for name in _COUNTS}
    columns["summary"] = pa.array([summary.to_bytes()], pa.binary())
    yield pa.record_batch(columns)


def _line_batches(part: Range, options: _Options) -> Iterator[pa.RecordBatch]:
    feeds = _ranges.Feeds.of(options.encoding)
    for offset, lines in _ranges.lines_of(part, options.encoding):
        repaired = _native.repair(lines, options.policy, options.encoding)
        # Errors that a policy such as `mojibake` leaves would not be valid strings.
        repaired = _native.convert(repaired, options.encoding, "utf-8", "replace")
        batch = _batch_of_lines(lines, offset, repaired, feeds)
        if batch is None:
            raise ValueError(f"{part.file}: policy {options.policy} does not keep lines apart")
        for at in range(0, batch.num_rows, ROWS):
            some = batch.slice(at, ROWS)
            yield pa.record_batch({"file": pa.repeat(part.file, some.num_rows), "offset": some["offset"], "value": some["value"]})


def _batch_of_lines(lines: bytes, offset: int, repaired: bytes, feeds: _ranges.Feeds) -> pa.RecordBatch | None:
    """Returns the offsets of lines and their repaired text, or None if their numbers differ."""
    if feeds.feed == b"\n":
        batch = _native.arrow_lines(lines, offset, repaired)
        return None if batch is None else pa.record_batch(batch)
    # A last line without an end may be empty after the repair.
    text = repaired.removesuffix(b"\n") if feeds.last(lines, offset) == len(lines) else repaired
    values = [value.removesuffix(b"\r") for value in text.split(b"\n")]
    starts = feeds.starts(lines, offset)
    if len(starts) != len(values):
        return None
    return pa.record_batch({"offset": pa.array(starts, pa.int64()), "value": pa.array(values, pa.binary()).cast(pa.string())})


class _Written(WriterCommitMessage):
    def __init__(self, copies: list[tuple[str, str, str]]) -> None:
        #: Source, name below the target, and path of the copy until it becomes visible.
        self.copies = copies


class _Writer(DataSourceWriter):
    def __init__(self, options: _Options, overwrite: bool) -> None:
        if len(options.paths) != 1:
            raise ValueError("no path: give save() the folder for the copies")
        self.options, self.overwrite = options, overwrite
        self.target = options.paths[0].rstrip("/")
        # Spark and Hive ignore names that begin with an underscore.
        self.aside = f"{self.target}/_utf8-unfinished-{uuid.uuid4().hex}"

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        files = {row["file"] for row in iterator}
        filesystem, aside = _ranges.filesystem_of(self.aside)
        copies = []
        if files:
            filesystem.create_dir(aside, recursive=True)
        for file in sorted(files):
            self._refuse_source(file)
            # A unique name for every attempt, because several may run at once.
            copy = f"{aside}/{uuid.uuid4().hex}"
            with filesystem.open_output_stream(copy) as sink:
                _ranges.repaired_copy(file, sink.write, self.options.policy, self.options.encoding)
            copies.append((file, self._name(file), copy))
        return _Written(copies)

    def _name(self, file: str) -> str:
        """Returns the name of a copy, which depends only on the file."""
        root = self.options.root
        path, base = _ranges.filesystem_of(file)[1], root and _ranges.filesystem_of(root)[1]
        name = posixpath.relpath(path, base) if base else posixpath.basename(path)
        if name.startswith(".."):
            raise ValueError(f"{file} is not below the option root, {root}")
        return name.removesuffix(".gz").removesuffix(".gzip")

    def _refuse_source(self, file: str) -> None:
        """Fails if overwriting would remove a file that is read, or its copy would replace it."""
        (source, path), (filesystem, folder) = _real(file), _real(self.target)
        if self.overwrite and source == filesystem and path.startswith(f"{folder.rstrip('/')}/"):
            raise ValueError(f"{file} is in {self.target}, which the mode overwrite clears: save elsewhere, or append")
        self._refuse_replacing([file])

    def _refuse_replacing(self, files: list[str]) -> None:
        """Fails if the copy of a file would replace a file that is read."""
        target, _ = _real(self.target)
        sources = {path for filesystem, path in map(_real, files) if filesystem == target}
        for file in files:
            copy = f"{self.target}/{self._name(file)}"
            if _real(copy)[1] in sources:
                raise ValueError(f"the copy of {file} would replace {copy}, which is read: save elsewhere")

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        copies = [copy for message in messages if isinstance(message, _Written) for copy in message.copies]
        named: dict[str, str] = {}
        for file, name, _ in copies:
            if named.setdefault(name, file) != file:
                self.abort(messages)
                raise ValueError(f"{named[name]} and {file} would both become {name}: set option root")
        try:
            self._refuse_replacing([file for file, _, _ in copies])
        except ValueError:
            self.abort(messages)
            raise
        filesystem, target = _ranges.filesystem_of(self.target)
        for _, name, copy in copies:
            final = f"{target}/{name}"
            filesystem.create_dir(posixpath.dirname(final), recursive=True)
            filesystem.move(copy, final)
        if self.overwrite and copies:
            # Last, so that nothing is removed before all copies exist.
            _remove_others(filesystem, target, {*named, posixpath.basename(self.aside)})
        self._remove_aside()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._remove_aside()

    def _remove_aside(self) -> None:
        from pyarrow.fs import FileType

        filesystem, aside = _ranges.filesystem_of(self.aside)
        if filesystem.get_file_info(aside).type == FileType.Directory:
            filesystem.delete_dir(aside)


def _remove_others(filesystem: FileSystem, folder: str, kept: set[str]) -> None:
    """Removes everything from a folder except these names below it."""
    from pyarrow.fs import FileSelector, FileType

    for info in filesystem.get_file_info(FileSelector(folder)):
        name = info.base_name
        below = {other.removeprefix(f"{name}/") for other in kept if other.startswith(f"{name}/")}
        if below:
            _remove_others(filesystem, info.path, below)
        elif name not in kept:
            remove = filesystem.delete_dir if info.type == FileType.Directory else filesystem.delete_file
            remove(info.path)


def _real(file: str) -> tuple[FileSystem, str]:
    """Returns the file system of a file, and its path without symbolic links."""
    from pyarrow.fs import LocalFileSystem

    filesystem, path = _ranges.filesystem_of(file)
    return filesystem, os.path.realpath(path) if isinstance(filesystem, LocalFileSystem) else path


def session(remote: str | None = None) -> SparkSession:
    """Returns a session: on a Spark Connect server, the active one, or else one on Sail within this process.

    Args:
        remote: the address of a server, `sc://host:15002`.

    Returns:
        A `SparkSession`. A session on Sail ends with the process.
    """
    from pyspark.sql import SparkSession

    remote = remote or os.environ.get("SPARK_REMOTE")
    if remote:
        return SparkSession.builder.remote(remote).getOrCreate()
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    return SparkSession.builder.remote(_sail()).getOrCreate()


@functools.cache
def _sail() -> str:
    """Starts a server of Sail that lives as long as the process, and returns its address."""
    import atexit

    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    atexit.register(server.stop)
    _, port = server.listening_address
    return f"sc://127.0.0.1:{port}"


def summarize(
    spark: SparkSession, paths: str | Iterable[str], encoding: str = "utf-8", chunk: int = CHUNK
) -> dict[str, Summary]:
    """Returns the summary of each file, merged from the ranges that tasks have summarised.

    Args:
        spark: a session with `Source` registered.
        paths: one path or several, as for `Source`.
        encoding: one of `utf8kit.encodings()`.
        chunk: the maximum number of bytes in a range.
    """
    wanted = [paths] if isinstance(paths, str) else list(paths)
    reader = spark.read.format("utf8").option("rows", "ranges").option("paths", json.dumps(wanted))
    rows = reader.option("encoding", encoding).option("chunk", str(chunk)).load().select("file", "start", "summary")
    merged: dict[str, Summary] = {}
    for row in sorted(rows.collect(), key=lambda row: (row["file"], row["start"])):
        part = Summary.from_bytes(bytes(row["summary"]))
        merged[row["file"]] = merged[row["file"]].merge(part) if row["file"] in merged else part
    return merged
