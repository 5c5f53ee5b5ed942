#!/usr/bin/env python3
"""Measures how often `utf8 mojibake` restores lines that were encoded twice, and how often ftfy does.

    bench/mojibake.py TEXTS [--utf8 PROGRAM] [--lines N] [--pairs]

TEXTS is a folder of texts in UTF-8, one language each (`*.txt`). Lines of each are decoded from a wrong encoding and
encoded as UTF-8 again. A result is right if it is the original line, and wrong if the line was changed to anything
else. Each line is judged by itself. The exit status is 1 if `utf8` changes a line that was not encoded twice, or
changes one wrongly.

`--pairs` measures lines in any encoding that can hold them, read in any other, instead: neither is UTF-8.
"""

import argparse
import collections
import pathlib
import subprocess
import sys

from detection import CODECS

DETOURS = {
    "windows-1252": "cp1252", "latin1": "latin_1", "windows-1250": "cp1250", "windows-1251": "cp1251",
    "windows-1253": "cp1253", "iso-8859-2": "iso8859_2", "CP437": "cp437", "CP850": "cp850", "CP852": "cp852",
    "IBM866": "cp866", "macintosh": "mac_roman", "KOI8-R": "koi8_r",
}  # fmt: skip


def lines_of(folder, number):
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        own = [line.strip() for line in path.read_text("utf-8").splitlines()]
        own = [line for line in own if 20 <= len(line) <= 400 and not line.isascii() and line.isprintable()]
        found += own[:number]
    return found


def garbled(line, codec):
    """Encodes a line twice. A byte that the wrong encoding lacks becomes a control character, as in browsers."""
    chars = []
    for byte in line.encode():
        try:
            chars.append(bytes([byte]).decode(codec))
        except UnicodeDecodeError:
            chars.append(chr(byte))
    return "".join(chars)


def ours(program, lines):
    # One run per line, so that a line is not evidence for another.
    found = []
    for line in lines:
        command = [program, "mojibake"]
        done = subprocess.run(command, input=line.encode(), capture_output=True, check=False)
        if done.returncode > 1:
            sys.exit(done.stderr.decode())
        found.append(done.stdout.decode())
    return found


def recoded(line, codec, other):
    """Returns a line as its encoding holds it, and as another one reads that. `None` if one of them cannot."""
    try:
        written = line.encode(codec)
        read = written.decode(other)
    except UnicodeError:
        return None
    return (line, read) if read not in (line, written.decode("ascii", "ignore")) and read.isprintable() else None


def pairs(program, lines):
    """Prints how many lines are right, left and wrong by the encoding that they were read in. Returns those wrong."""
    bad = 0
    print("| read in | lines | right | left | wrong |\n|---|--:|--:|--:|--:|")
    for name, other in DETOURS.items():
        all_ = [(line, codec) for line in lines for codec in CODECS.values() if codec != other]
        found = [pair for line, codec in all_ if (pair := recoded(line, codec, other))]
        kinds = collections.Counter()
        for (line, read), result in zip(found, ours(program, [read for _, read in found])):
            kinds["right" if result == line else "left" if result == read else "wrong"] += 1
        bad += kinds["wrong"]
        print(f"| {name} | {len(found):,} | {kinds['right']:,} | {kinds['left']:,} | {kinds['wrong']:,} |", flush=True)
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("--utf8", default="utf8")
    parser.add_argument("--lines", type=int, default=28)
    parser.add_argument("--pairs", action="store_true")
    args = parser.parse_args()
    lines = lines_of(args.texts, args.lines)
    if args.pairs:
        return int(pairs(args.utf8, lines) > 0)
    judged = {"utf8": lambda all_: ours(args.utf8, all_)}
    try:
        import ftfy

        judged[f"ftfy {ftfy.__version__}"] = lambda all_: [ftfy.fix_encoding(line) for line in all_]
    except ImportError:
        pass
    print(f"| by way of | lines | {' | '.join(f'{name} right | wrong' for name in judged)} |")
    print(f"|---|---|{'---|---|' * len(judged)}")
    bad = 0
    for name, codec in [*DETOURS.items(), ("nothing: clean text", None)]:
        twice = [garbled(line, codec) if codec else line for line in lines]
        row = []
        for who, repair in judged.items():
            repaired = repair(twice)
            right = sum(one == line for one, line in zip(repaired, lines))
            wrong = sum(one not in (line, seen) for one, line, seen in zip(repaired, lines, twice))
            bad += wrong if who == "utf8" else 0
            row += [f"{right:,}", f"{wrong:,}"]
        print(f"| {name} | {len(lines):,} | {' | '.join(row)} |", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
