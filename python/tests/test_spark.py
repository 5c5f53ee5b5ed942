"""The data source and the table functions, on Sail and on a small Spark cluster; heavier: executors killed."""

from __future__ import annotations

import gzip
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
import zipfile

import pytest

import utf8kit

pytest.importorskip("pyspark")

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

#: A cluster of processes on this machine: two executors, a core and 1 GiB each.
CLUSTER = "local-cluster[2,1,1024]"

LINE = "naïve € 😀 text\n".encode()
#: Some ranges of a few hundred bytes, cut within sequences; some errors.
DATA = b"".join(LINE * 7 + bad + b"\n" for bad in [b"\xff", b"caf\xe9", b"\xe2\x82", b"\xc0\xaf", b"ok"] * 12)


def plain(rows) -> list[tuple]:
    return sorted(tuple(bytes(v) if isinstance(v, bytearray) else v for v in row) for row in rows)


@pytest.fixture(scope="module")
def sail():
    pytest.importorskip("pysail")
    import utf8kit.spark

    session = utf8kit.spark.session()
    session.dataSource.register(utf8kit.spark.Source)
    yield session
    session.stop()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(DATA)
    (folder / "b.txt.gz").write_bytes(gzip.compress(DATA[::-1]))
    (folder / "c.txt").write_bytes(b"")
    return folder


def expected_errors(folder) -> list[tuple]:
    rows = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        lines = [error["line"] for error in utf8kit.Summary.of(data, keep=1 << 30).first_errors]
        rows += [(str(path), e.offset, e.len, e.kind, e.bytes, line) for e, line in zip(utf8kit.errors(data), lines, strict=True)]
    return sorted(rows)


def check_source(spark, folder, tmp_path, fine: int) -> None:
    """The results that every engine must give; `fine` is the length of short ranges."""
    read = lambda **options: spark.read.format("utf8").options(**options).load(str(folder))  # noqa: E731
    wanted = expected_errors(folder)
    assert plain(read(line="true").collect()) == wanted
    for chunk in ("1000000", str(fine)):
        assert plain(read(chunk=chunk).collect()) == [row[:5] for row in wanted]
    assert len(read(chunk=str(fine), limit="1").collect()) < len(wanted)

    files = {row["file"]: row for row in read(rows="files").collect()}
    merged = utf8kit.spark.summarize(spark, str(folder), chunk=fine + 4)
    assert sorted(files) == sorted(merged) == [str(path) for path in sorted(folder.iterdir())]
    for file, row in files.items():
        assert utf8kit.Summary.from_bytes(bytes(row["summary"])) == merged[file]
        assert (row["errors"], row["truncated"]) == (merged[file].errors, merged[file].kinds["truncated"])
    assert merged[f"{folder}/a.txt"] == utf8kit.Summary.of(DATA)

    lines = read(policy="replace", chunk=str(fine)).where(f"file = '{folder}/a.txt'").orderBy("offset").collect()
    assert [row["value"] for row in lines] == DATA.decode("utf-8", "replace").split("\n")[:-1]

    out = tmp_path / "out"
    named = read(rows="files").select("file")
    twice = named.union(named)  # a task may process a file again
    twice.write.format("utf8").option("policy", "escape").mode("append").save(str(out))
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        "a.txt": utf8kit.repair(DATA, "escape"),
        "b.txt": utf8kit.repair(DATA[::-1], "escape"),
        "c.txt": b"",
    }
    (out / "old").touch()
    (out / "in" / "old").mkdir(parents=True)
    named.write.format("utf8").option("root", str(folder.parent)).mode("overwrite").save(str(out))
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.txt")) == ["in/a.txt", "in/b.txt", "in/c.txt"]
    assert [path.name for path in out.iterdir()] == ["in"] and not (out / "in" / "old").exists()


def check_safety(spark, tmp_path) -> None:
    """Overwriting the files that are read would remove files that need no repair. Also tests lines of wide units and
    other policies."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "bad.txt").write_bytes("cafÃ©\n".encode() * 3 + b"caf\xe9\n")
    (folder / "clean.txt").write_bytes(b"clean\n")
    bad = spark.read.format("utf8").option("rows", "files").load(str(folder)).where("errors > 0").select("file")
    for target in (folder, tmp_path):
        with pytest.raises(Exception, match="overwrite"):
            bad.write.format("utf8").mode("overwrite").save(str(target))
    # A copy has the name of its source, and so may the copy of another file.
    both = spark.read.format("utf8").options(rows="files", paths=json.dumps([str(folder), str(tmp_path / "other")]))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "clean.txt").write_bytes(b"\xff\n")
    other = spark.read.format("utf8").option("rows", "files").load(str(tmp_path / "other")).select("file")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for files in (bad, other.union(both.load().select("file").where("file like '%/own/clean.txt'"))):
        with pytest.raises(Exception, match="which is read"):
            files.write.format("utf8").mode("append").save(str(folder))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    other.write.format("utf8").mode("append").save(str(tmp_path / "other-copies"))
    none = bad.where("file = 'none'")
    none.write.format("utf8").mode("overwrite").save(str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["bad.txt", "clean.txt"]
    read = spark.read.format("utf8").option("rows", "lines")
    lines = read.option("policy", "mojibake").load(str(folder / "bad.txt")).orderBy("offset").collect()
    assert [row["value"] for row in lines] == ["café"] * 3 + ["caf\ufffd"]
    (tmp_path / "wide").write_bytes("a\u0a00\nb\u010a\n".encode("utf-16le"))
    lines = spark.read.format("utf8").options(rows="lines", encoding="utf-16le", chunk="3").load(str(tmp_path / "wide")).orderBy("offset").collect()
    assert [(row["offset"], row["value"]) for row in lines] == [(0, "a\u0a00"), (6, "b\u010a")]
    for encoding, unit, bad in [("utf-8", 1, b"\xff"), ("utf-16le", 2, b"\x00\xd8")]:
        (tmp_path / "end").write_bytes("ok\n".encode(encoding) + bad)
        lines = read.options(encoding=encoding, policy="remove").load(str(tmp_path / "end")).orderBy("offset").collect()
        assert [(row["offset"], row["value"]) for row in lines] == [(0, "ok"), (3 * unit, "")]


def check_tables(spark) -> None:
    rows = [(1, "fine", bytearray(b"ok"), ["x"]), (2, None, bytearray(b"caf\xe9"), []), (3, "größe", bytearray(b"\xff\xff"), None)]
    df = spark.createDataFrame(rows, "id int, s string, b binary, tags array<string>")
    found = utf8kit.spark.check_table(df, keys=["id"])
    assert plain(found.collect()) == [
        (2, "b", 3, 1, "truncated", b"caf\xe9"),
        (3, "b", 0, 1, "invalid_byte", b"\xff\xff"),
        (3, "b", 1, 1, "invalid_byte", b"\xff\xff"),
    ]
    repaired = utf8kit.spark.repair_table(df, "replace=?").orderBy("id").collect()
    assert [bytes(row["b"]) for row in repaired] == [b"ok", b"caf?", b"??"]
    assert [row["s"] for row in repaired] == ["fine", None, "größe"]
    good, bad = utf8kit.spark.quarantine(df)
    assert [row["id"] for row in good.collect()] == [1]
    told = {row["id"]: [(e["column"], e["offset"], e["kind"]) for e in row["utf8_errors"]] for row in bad.collect()}
    assert told == {2: [("b", 3, "truncated")], 3: [("b", 0, "invalid_byte"), ("b", 1, "invalid_byte")]}
    good, bad = utf8kit.spark.quarantine(df, columns=["s"])
    assert (good.count(), bad.count()) == (3, 0)
    check_names(spark)


def check_parquet(spark, tmp_path) -> None:
    """Spark's own files, with its INT96 timestamps, read by Spark after a repair."""
    import utf8kit.parquet

    spark.conf.set("spark.sql.parquet.outputTimestampType", "INT96")
    spark.conf.set("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")
    folder = tmp_path / "parquet"
    wide = """
        id, if(id = 7, 'caf\x7f', concat('word ', id % 40)) as word, array(cast(id as string), null) as list,
        timestamp'9999-12-31 23:59:59' as late, current_timestamp() as now, date'2024-02-29' as day, id % 2 = 0 as flag,
        cast(id as decimal(30, 4)) as price, map('k', id) as map, named_struct('a', 'x', 'b', id / 3) as pair, X'FF' as raw
    """
    spark.sql(f"SELECT {wide} FROM range(500)").coalesce(1).write.option("compression", "none").parquet(str(folder))
    file = next(folder.glob("*.parquet"))
    before = plain(spark.read.parquet(str(file)).drop("map").collect())
    file.write_bytes(file.read_bytes().replace(b"caf\x7f", b"caf\xe9"))
    (folder / f".{file.name}.crc").unlink(missing_ok=True)
    assert {bad.column for bad in utf8kit.parquet.check(file)} == {"word"}
    old = file.read_bytes()
    assert utf8kit.parquet.repair(file, file, "replace=\x7f", force=True).errors == 1
    # One byte replaces another, so the file has the same length, up to differences between the writers.
    assert abs(len(file.read_bytes()) - len(old)) < 2000
    assert plain(spark.read.parquet(str(file)).drop("map").collect()) == before


def check_names(spark) -> None:
    """Columns with a dot, and columns whose names the results also use."""
    schema = "column int, `a.b` binary, c struct<b: binary>, utf8_errors string, Value binary"
    df = spark.createDataFrame([(1, bytearray(b"x\xff"), (bytearray(b"\xfe"),), "told", bytearray(b"ok"))], schema)
    found = utf8kit.spark.check_table(df, keys=["column", "Value", "a.b"])
    assert found.columns == ["column", "Value", "a.b", "utf8_column", "offset", "len", "kind", "utf8_value"]
    assert [(row["column"], row["utf8_column"], row["offset"], row["utf8_value"] and bytes(row["utf8_value"])) for row in found.collect()] == [
        (1, "a.b", 1, b"x\xff"),
        (1, "c.b", 0, None),
    ]
    repaired = utf8kit.spark.repair_table(df, "replace=?").collect()[0]
    assert bytes(repaired["a.b"]) == b"x?" and bytes(repaired["c"]["b"]) == b"?"
    _, bad = utf8kit.spark.quarantine(df)
    row = bad.collect()[0]
    assert row["utf8_errors"] == "told" and len(row["utf8_utf8_errors"]) == 2


def check_strings(spark) -> None:
    """Strings that are not UTF-8, as created from any bytes by Spark's cast. (Sail's own cast fails.)"""
    rows = [(1, bytearray(b"ok")), (2, bytearray(b"caf\xe9")), (3, None)]
    broken = spark.createDataFrame(rows, "id int, b binary").selectExpr("id", "cast(b as string) as s")
    assert plain(utf8kit.spark.check_table(broken, keys=["id"]).collect()) == [(2, "s", 3, 1, "truncated", b"caf\xe9")]
    repaired = utf8kit.spark.repair_table(broken).orderBy("id").collect()
    assert [row["s"] for row in repaired] == ["ok", "caf\ufffd", None]
    good, bad = utf8kit.spark.quarantine(broken)
    assert [row["id"] for row in good.orderBy("id").collect()] == [1, 3]
    assert [row["id"] for row in bad.select("id").collect()] == [2]


def test_sail(sail, folder, tmp_path) -> None:
    check_source(sail, folder, tmp_path, fine=97)


def test_importers_of_sparks_own_zip_are_made_anew(tmp_path, monkeypatch) -> None:
    from utf8kit.spark import _keep_directory_of_zip

    for name in ("pyspark.zip", "other.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(f"of_{name[:5]}.py", f"answer = {name!r}")
        monkeypatch.syspath_prepend(str(tmp_path / name))
        assert pkgutil.get_importer(str(tmp_path / name)) is not None
    _keep_directory_of_zip()
    assert str(tmp_path / "pyspark.zip") not in sys.path_importer_cache
    assert str(tmp_path / "other.zip") in sys.path_importer_cache
    assert importlib.import_module("of_pyspa").answer == "pyspark.zip"


def test_a_commit_that_fails_removes_nothing(tmp_path) -> None:
    from pyspark.sql import Row, types

    from utf8kit.spark import Source

    for name, data in {"in/a.txt": b"\xff", "in/b.txt": b"\xfe", "out/old.txt": b"old"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "out" / "b.txt").mkdir()  # where a copy cannot be moved to
    schema = types.StructType([types.StructField("file", types.StringType())])
    writer = Source({"path": str(tmp_path / "out")}).writer(schema, overwrite=True)
    written = writer.write(iter([Row(file=str(tmp_path / "in" / name)) for name in ("a.txt", "b.txt")]))
    with pytest.raises(OSError):
        writer.commit([written])
    assert (tmp_path / "out" / "old.txt").read_bytes() == b"old"
    (tmp_path / "out" / "b.txt").rmdir()


def test_what_is_read_is_safe_on_sail(sail, tmp_path) -> None:
    check_safety(sail, tmp_path)


def test_tables_on_sail(sail) -> None:
    check_tables(sail)


def test_what_is_wrong_is_said(sail, folder, tmp_path) -> None:
    for options, message in [
        ({"rows": "words"}, "words"),
        ({"policy": "unknown"}, "unknown"),
        ({"encoding": "utf-9"}, "utf-9"),
        ({"chunk": "0"}, "chunk"),
    ]:
        with pytest.raises(Exception, match=message):
            sail.read.format("utf8").options(**options).load(str(folder)).collect()
    with pytest.raises(Exception, match="none"):
        sail.read.format("utf8").load(str(folder / "none")).collect()
    paths = json.dumps([str(folder / "a.txt"), str(folder / "c.txt")])
    assert sail.read.format("utf8").option("paths", paths).option("rows", "files").load().count() == 2
    with pytest.raises(ValueError, match="unknown"):
        utf8kit.spark.repair_table(sail.range(1).selectExpr("'a' as s"), "unknown")
    with pytest.raises(ValueError, match="no column"):
        utf8kit.spark.check_table(sail.range(1))
    same = tmp_path / "in" / "sub"
    same.mkdir()
    (same / "a.txt").write_bytes(b"another")
    files = sail.read.format("utf8").option("rows", "files").load(str(folder)).select("file")
    with pytest.raises(Exception, match="root"):
        files.write.format("utf8").mode("append").save(str(tmp_path / "out"))
    assert not list((tmp_path / "out").glob("*"))


def classic() -> dict[str, str]:
    """An environment in which a session is Spark's own, even if Spark Connect has changed ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}


def in_spark(script: str, *arguments: str, timeout: int = 300) -> str:
    """Runs Python with a Spark session in a separate process, and returns its output."""
    code = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n{script}"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=timeout, env=classic())
    # After the exception, Spark logs pages about its shutdown.
    assert done.returncode == 0, done.stderr[max(done.stderr.find("Traceback"), 0) :][:4000]
    return done.stdout


SESSION = """
from pathlib import Path
from pyspark.sql import SparkSession
import utf8kit.spark, test_spark
master, folder, tmp = sys.argv[1:4]
builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
builder = builder.config("spark.executor.memory", "1g").config("spark.driver.memory", "1g")
for setting in sys.argv[4:]:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
spark.dataSource.register(utf8kit.spark.Source)
"""


def needs_java() -> None:
    if subprocess.run(["java", "-version"], capture_output=True).returncode != 0:
        pytest.skip("no Java")


def test_spark(folder, tmp_path) -> None:
    """A cluster of processes, with copies of slow tasks."""
    try:
        needs_java()
    except FileNotFoundError:
        pytest.skip("no Java")
    work = "test_spark.check_source(spark, Path(folder), Path(tmp), fine=3001); test_spark.check_tables(spark); test_spark.check_strings(spark); test_spark.check_parquet(spark, Path(tmp)); spark.stop()"
    in_spark(SESSION + work, CLUSTER, str(folder), str(tmp_path), "spark.speculation=true", "spark.speculation.multiplier=1.1")


KILLED = """
import threading
from collections import Counter
spark.sparkContext.setLogLevel("OFF")
answers = Counter()
for turn in range(4):
    merged = utf8kit.spark.summarize(spark, folder, chunk=4_000_037)
    answers[(len(merged), sum(s.errors for s in merged.values()), sum(s.bytes for s in merged.values()))] += 1
    out = Path(tmp) / f"out{turn}"
    files = spark.read.format("utf8").option("rows", "files").load(folder).select("file").repartition(8)
    files.write.format("utf8").option("policy", "replace").mode("append").save(str(out))
    answers[tuple(sorted((path.name, path.stat().st_size) for path in out.iterdir()))] += 1
print(repr(sorted(answers.values())), repr(list(answers)))
spark.stop()
"""


@pytest.mark.heavy
def test_executors_are_killed(tmp_path) -> None:
    """Executors die repeatedly in the middle of work. The result is the same as in one pass, and no copy is duplicated
    or lost."""
    needs_java()
    folder = tmp_path / "in"
    folder.mkdir()
    block = (DATA * 300)[: 6 << 20]
    for number in range(12):
        (folder / f"{number}.txt").write_bytes(block * 3)
    summary = utf8kit.Summary.of(block * 3)
    size = len(utf8kit.repair(block * 3))
    code = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n{SESSION + KILLED}"
    settings = ["spark.speculation=true", "spark.task.maxFailures=40", "spark.executor.maxNumFailures=1000", "spark.deploy.maxExecutorRetries=-1"]
    driver = subprocess.Popen([sys.executable, "-c", code, CLUSTER, str(folder), str(tmp_path), *settings], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=classic(), start_new_session=True)
    killed = 0
    stop = threading.Event()

    def kill() -> None:
        nonlocal killed
        time.sleep(20)
        while not stop.wait(7) and killed < 6:
            executors = executors_of(driver.pid)
            if executors:
                os.kill(executors[killed % len(executors)], signal.SIGKILL)
                killed += 1

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        out, err = driver.communicate(timeout=1800)
    finally:
        stop.set()
        killer.join()
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
    assert driver.returncode == 0, err[-4000:]
    counts, answers = out.splitlines()[-1].split("] ", 1)
    found = eval(answers)  # noqa: S307 - printed above
    assert set(found) == {
        (12, 12 * summary.errors, 12 * summary.bytes),
        tuple(sorted((f"{number}.txt", size) for number in range(12))),
    }, counts
    assert killed >= 2


def executors_of(driver: int) -> list[int]:
    """The executors started by a driver that we started."""
    parents = {}
    executors = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                    parents[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{name}/cmdline", "rb") as command:
                    if b"CoarseGrainedExecutorBackend" in command.read():
                        executors.append(int(name))
            except OSError:
                continue

    def ours(pid: int) -> bool:
        while pid > 1:
            if pid == driver:
                return True
            pid = parents.get(pid, 0)
        return False

    return sorted(pid for pid in executors if ours(pid))
