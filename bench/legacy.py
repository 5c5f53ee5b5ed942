#!/usr/bin/env python3
"""Measures how fast `utf8 convert` is with legacy encodings, and how fast `iconv` is.

    bench/legacy.py TEXTS [--utf8 PROGRAM] [--size MB] [--rounds N] [--only NAME]...

TEXTS is a folder of texts in UTF-8, named after their languages (`*-greek.txt`). Each encoding is measured with text in
a language that it was made for, without the characters that it lacks, repeated up to the size. The programs run
alternately; the least CPU time of each counts. The exit status is 1 if `iconv` is faster with any encoding.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

# The name in iconv, if it differs, and the language.
ENCODINGS = {
    "us-ascii": (None, "english"), "IBM866": (None, "russian"), "ISO-8859-2": (None, "czech"),
    "ISO-8859-3": (None, "esperanto"), "ISO-8859-4": (None, "german"), "ISO-8859-5": (None, "russian"),
    "ISO-8859-6": (None, "arabic"), "ISO-8859-7": (None, "greek"), "ISO-8859-8": (None, "hebrew"),
    "ISO-8859-10": (None, "german"), "ISO-8859-13": (None, "german"), "ISO-8859-14": (None, "french"),
    "ISO-8859-15": (None, "french"), "ISO-8859-16": (None, "french"), "KOI8-R": (None, "russian"),
    "KOI8-U": (None, "russian"), "macintosh": (None, "french"), "windows-874": ("CP874", "thai"),
    "windows-1250": (None, "czech"), "windows-1251": (None, "russian"), "windows-1252": (None, "french"),
    "windows-1253": (None, "greek"), "windows-1254": (None, "turkish"), "windows-1255": (None, "hebrew"),
    "windows-1256": (None, "arabic"), "windows-1257": (None, "german"), "windows-1258": (None, "vietnamese"),
    "x-mac-cyrillic": ("MAC-CYRILLIC", "russian"), "GBK": (None, "chinese"), "gb18030": (None, "chinese"),
    "Big5": ("BIG5-HKSCS", "chinese"), "EUC-JP": (None, "japanese"), "ISO-2022-JP": (None, "japanese"),
    "Shift_JIS": ("CP932", "japanese"), "EUC-KR": ("CP949", "korean"), "CP437": (None, "french"),
    "CP850": (None, "french"), "CP852": (None, "czech"), "CP037": (None, "french"), "CP500": (None, "french"),
    "CP1047": (None, "french"),
    "UTF-7": (None, "russian"), "gb18030 ": ("GB18030", "arabic"), "gb18030  ": ("GB18030", "emoji"),
}  # fmt: skip


def output(command, text):
    return subprocess.run(command, input=text, capture_output=True).stdout


def in_both(text, program, ours, theirs):
    """Returns the text without the characters that one of the programs lacks or decodes differently."""

    def ways(there, back):
        there_name, back_name = (theirs if one == ["iconv"] else ours for one in (there, back))
        lines = "\n".join(sorted(set(text) - {"\n"}) + [""])
        written = output([*there, "-c", "-f", "utf-8", "-t", there_name], lines.encode())
        return set(output([*back, "-c", "-f", back_name, "-t", "utf-8"], written).decode().split("\n"))

    good = ways(program, ["iconv"]) & ways(["iconv"], program) | {"\n"}
    return "".join(char for char in text if char in good)


def seconds(command):
    """Returns the CPU time of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("--utf8", default="utf8")
    parser.add_argument("--size", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append")
    args = parser.parse_args()
    slower = 0
    print("| encoding | text | to it: utf8 | iconv | times | from it: utf8 | iconv | times |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for ours, (theirs, language) in ENCODINGS.items():
            ours = ours.strip()
            if args.only and ours not in args.only:
                continue
            theirs = theirs or ours
            whole = b"".join(path.read_bytes() for path in sorted(pathlib.Path(args.texts).glob(f"*-{language}.txt")))
            text = in_both(whole.decode(), [args.utf8, "convert"], ours, theirs).encode()
            texts = {"to": text, "from": output(["iconv", "-f", "utf-8", "-t", theirs], text)}
            times = args.size * 1_000_000 // len(text) + 1
            row = []
            for way in texts:
                path = pathlib.Path(folder, way)
                path.write_bytes(texts[way] * times)
                pairs = {"to": ("utf-8", None), "from": (None, "utf-8")}[way]
                best = {}
                for _ in range(args.rounds):
                    for program, name in [([args.utf8, "convert"], ours), (["iconv"], theirs)]:
                        from_, to = (one or name for one in pairs)
                        took = seconds([*program, "-f", from_, "-t", to, path])
                        best[program[0]] = min(took, best.get(program[0], took))
                rates = {name: len(texts[way]) * times / 1e6 / max(took, 0.001) for name, took in best.items()}
                ratio = rates[args.utf8] / rates["iconv"]
                slower += ratio < 1
                bold = "**" if ratio < 1 else ""
                row += [f"{rates[args.utf8]:,.0f} MB/s", f"{rates['iconv']:,.0f} MB/s", f"{bold}{ratio:.1f}{bold}"]
            print(f"| {ours} | {language} | {' | '.join(row)} |", flush=True)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
