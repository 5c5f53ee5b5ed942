"""Measures the package against alternatives: medians of CPU time, measured alternately in one run.

    python python/scripts/bench.py [--bytes 268435456] [NAME...]
"""

from __future__ import annotations

import argparse
import codecs
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import utf8kit

TEXTS = {
    "ASCII": "The quick brown fox jumps over the lazy dog, and the dog sleeps on. ",
    "Latin": "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg übermäßig. ",
    "Cyrillic": "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
    "Chinese": "天地玄黃，宇宙洪荒。日月盈昃，辰宿列張。寒來暑往，秋收冬藏。",
    "emoji": "text 😀 and 👍🏽 more 🎉 text ",
}


def cpu(work: Callable[[], object], turns: int = 7) -> float:
    """Seconds of CPU, of all threads: the median."""
    work()
    times = []
    for _ in range(turns):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def mixed(size: int) -> bytes:
    """Lines of all texts."""
    block = "\n".join(TEXTS.values()).encode() * 50 + b"\n"
    return (block * (size // len(block) + 1))[:size].decode("utf-8", "ignore").encode()


def bench_files(size: int) -> None:
    """check_file and repair_file, compared with reading the file and with `open(errors="replace")`."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for name, data in [("ASCII", TEXTS["ASCII"].encode() * (size // 68)), ("mixed", mixed(size))]:
            file = Path(folder, "text")
            file.write_bytes(data)
            buffer = bytearray(1 << 20)

            def read() -> None:
                with open(file, "rb", buffering=0) as opened:
                    while opened.readinto(buffer):
                        pass

            def python() -> None:
                with open(file, encoding="utf-8", errors="replace") as opened:
                    while opened.read(1 << 20):
                        pass

            reading, checking, replacing = cpu(read), cpu(lambda: utf8kit.check_file(file, 1)), cpu(python, 3)
            print(f"check_file, {name}: {len(data) / checking / 1e9:.2f} GB/s; reading {len(data) / reading / 1e9:.2f}; "
                  f"of reading {reading / checking:.2f}; times open(errors='replace') {replacing / checking:.1f}")


def bench_codecs(size: int) -> None:
    """Incremental decoders, in pieces of 64 KiB."""
    utf8kit.codecs.register()

    def rate(name: str, data: bytes, errors: str = "strict") -> float:
        pieces = [data[at : at + 65536] for at in range(0, len(data), 65536)]

        def decode() -> None:
            decoder = codecs.getincrementaldecoder(name)(errors)
            for piece in pieces:
                decoder.decode(piece)
            decoder.decode(b"", True)

        return len(data) / cpu(decode, 5) / 1e9

    size = min(size, 16 << 20)
    for name, text in TEXTS.items():
        text = text * (size // len(text.encode()))
        data = text.encode()
        plain, slow = rate("utf-8", data), rate("utf-7", text.encode("utf-7"))
        rates = [f"{codec} {rate(codec, text.encode(codec)):.2f}" for codec in utf8kit.codecs.CODECS]
        print(f"decode, {name}, GB/s: CPython utf-8 {plain:.2f}, utf-7 {slow:.2f}; {', '.join(rates)}")
    for name in ("Latin", "Cyrillic", "emoji"):
        data = ((TEXTS[name] + "\ud800") * (size // 80)).encode("wtf-8")
        print(f"decode, {name} with lone surrogates, GB/s: wtf-8 {rate('wtf-8', data):.2f}, "
              f"CPython utf-8 with surrogatepass {rate('utf-8', data, 'surrogatepass'):.2f}")


def bench_arrow(size: int) -> None:
    """Columns of values of four lengths."""
    import pyarrow as pa

    from utf8kit import arrow

    size = min(size, 64 << 20)
    for length in (10, 30, 100, 1000):
        count = min(size // length, 2_000_000)
        value = (TEXTS["Latin"] * 20).encode()[:length].decode("utf-8", "ignore").encode().ljust(length, b".")
        column = pa.array([value] * count, pa.binary())
        text = column.cast(pa.string())
        dirty = pa.array([b"\xff" + value[1:] if row % 1000 == 7 else value for row in range(count)], pa.binary())
        valid = cpu(lambda: arrow.is_valid(column))
        found = cpu(lambda: arrow.error_count(dirty))
        clean = cpu(lambda: pa.array(arrow.repair(text)))
        repaired = cpu(lambda: pa.array(arrow.repair(dirty)))
        cast = cpu(lambda: column.cast(pa.string()))
        print(f"arrow, {length} bytes, ns a value: is_valid {valid / count * 1e9:.2f}, pyarrow's cast {cast / count * 1e9:.2f}, "
              f"repair clean {clean / count * 1e9:.2f}, error_count 0.1 % dirty {found / count * 1e9:.2f}, "
              f"repair 0.1 % dirty {repaired / count * 1e9:.2f} ({repaired / valid:.2f} x is_valid)")


def bench_casts(size: int) -> None:
    """is_valid compared with the casts to strings of pyarrow (by offsets) and polars (by views), alternately, each
    right after two warm-up calls: the least time per value, in nanoseconds. Set POLARS_MAX_THREADS=1."""
    import polars as pl
    import pyarrow as pa

    from utf8kit import arrow

    def least(works: list[Callable[[], object]]) -> list[float]:
        times = [float("inf")] * len(works)
        for _ in range(15):
            for at, work in enumerate(works):
                work(), work()
                start = time.perf_counter()
                work()
                times[at] = min(times[at], time.perf_counter() - start)
        return times

    print("| values | | offsets | pyarrow | ratio | views | polars | ratio |")
    for size in (64 << 10, 1 << 20, 16 << 20):
        for name in ("ASCII", "Latin"):
            for length in (10, 30, 100, 1000):
                text = TEXTS[name].encode() * 20
                value, count = text[:length].decode("utf-8", "ignore").encode().ljust(length, b"."), size // length
                column, series = pa.array([value] * count, pa.binary()), pl.Series([value] * count, dtype=pl.Binary)
                works = [lambda: arrow.is_valid(column), lambda: column.cast(pa.string()),
                         lambda: arrow.is_valid(series), lambda: series.cast(pl.String)]
                ours, pyarrow, views, polars = (seconds / count * 1e9 for seconds in least(works))
                print(f"| {name}, {length} bytes | {size >> 10} KB | {ours:.2f} | {pyarrow:.2f} | {ours / pyarrow:.2f} "
                      f"| {views:.2f} | {polars:.2f} | {views / polars:.2f} |")


def bench_parquet(size: int) -> None:
    """check, compared with reading."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from utf8kit import parquet

    size = min(size, 64 << 20)
    lines = mixed(size).split(b"\n")
    columns = {
        "lines": lines,
        "words": [word[:20].decode("utf-8", "ignore").encode() for word in lines * 4],
        "short values, all different": [f"Größe {number:06x}".encode() for number in range(size // 32)],
        "long values, all different": [b"%08x" % number + b"Gr\xc3\xb6\xc3\x9fe " * 30 for number in range(size // 256)],
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, column in columns.items():
            file = Path(folder, "t.parquet")
            pq.write_table(pa.table({"s": pa.array(column, pa.binary()).cast(pa.string()), "n": range(len(column))}), file)

            def read() -> None:
                opened = pq.ParquetFile(file)
                for group in range(opened.num_row_groups):
                    for _ in opened.iter_batches(65536, row_groups=[group], columns=["s"]):
                        pass

            reading, checking = cpu(read), cpu(lambda: list(parquet.check(file)))
            whole = cpu(lambda: pq.read_table(file, columns=["s"]))
            print(f"parquet.check, {name}: {checking * 1e3:.0f} ms; reading by batches {reading * 1e3:.0f} "
                  f"({checking / reading:.2f}), whole {whole * 1e3:.0f} ({checking / whole:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=256 << 20)
    parser.add_argument("names", nargs="*", metavar="NAME", help="files, codecs, arrow, casts, parquet")
    typed = parser.parse_args()
    benches = {"files": bench_files, "codecs": bench_codecs, "arrow": bench_arrow, "casts": bench_casts, "parquet": bench_parquet}
    for name, bench in benches.items():
        if not typed.names or name in typed.names:
            bench(typed.bytes)


if __name__ == "__main__":
    main()
