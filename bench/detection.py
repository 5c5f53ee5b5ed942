#!/usr/bin/env python3
"""Measures how often `utf8 detect` is right, how well its confidence is calibrated, and how other programs compare.

    bench/detection.py TEXTS [--utf8 PROGRAM] [--others] [--samples N] [--dump FILE]

TEXTS is a folder of texts in UTF-8, one language each (`*.txt`). Each is written in every legacy encoding that can
hold it, and cut to 50, 200, 1000 and 10,000 bytes. A guess is right if the sample decodes to the text. The exit status
is 1 if less than 99.9 % of the guesses that `utf8 detect` calls certain are right, or less than 95 % of those that it
calls likely.

`--others` also measures chardet, charset-normalizer and uchardet, if they are installed.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

SIZES = [50, 200, 1000, 10_000]

# Names in the WHATWG Encoding Standard or IBM's, and the names of Python's codecs.
CODECS = {
    "windows-1250": "cp1250", "windows-1251": "cp1251", "windows-1252": "cp1252", "windows-1253": "cp1253",
    "windows-1254": "cp1254", "windows-1255": "cp1255", "windows-1256": "cp1256", "windows-1257": "cp1257",
    "windows-1258": "cp1258", "windows-874": "cp874", "iso-8859-2": "iso8859_2", "iso-8859-3": "iso8859_3",
    "iso-8859-4": "iso8859_4", "iso-8859-5": "iso8859_5", "iso-8859-6": "iso8859_6", "iso-8859-7": "iso8859_7",
    "iso-8859-8": "iso8859_8", "iso-8859-13": "iso8859_13", "iso-8859-15": "iso8859_15", "iso-8859-16": "iso8859_16",
    "koi8-r": "koi8_r", "koi8-u": "koi8_u", "ibm866": "cp866", "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic", "x-mac-ce": "mac_latin2", "x-mac-turkish": "mac_turkish", "cp437": "cp437",
    "cp737": "cp737", "cp775": "cp775", "cp850": "cp850", "cp852": "cp852", "cp855": "cp855", "cp857": "cp857",
    "cp862": "cp862", "gb18030": "gb18030",
    "big5": "cp950", "shift_jis": "cp932", "euc-jp": "euc_jp", "euc-kr": "cp949", "iso-2022-jp": "iso2022_jp",
}  # fmt: skip
ALIASES = {
    "shift-jis": "cp932", "gbk": "gb18030", "gb2312": "gb18030", "big5": "big5hkscs", "iso-8859-8-i": "iso8859_8",
    "iso-8859-10": "iso8859_10", "iso-8859-14": "iso8859_14", "latin1": "latin_1", "cp866": "cp866", "utf-7": "utf_7",
    "iso-2022-kr": "iso2022_kr", "maccyrillic": "mac_cyrillic", "mac-cyrillic": "mac_cyrillic", "uhc": "cp949",
    "euc-tw": "big5", "tis-620": "cp874", "mac-centraleurope": "mac_latin2", "viscii": "cp1258", "hz-gb-2312": "hz",
    "x-mac-greek": "mac_greek", "hp-roman8": "hp_roman8",
}  # fmt: skip

TONES = "\u0300\u0301\u0303\u0309\u0323"


def written(char, codec):
    """Encodes a character, or returns None. In windows-1258, Vietnamese tones follow their letters."""
    try:
        return char.encode(codec)
    except UnicodeEncodeError:
        if codec != "cp1258":
            return None
    parts = unicodedata.normalize("NFD", char)
    tone = "".join(c for c in parts if c in TONES)
    letter = unicodedata.normalize("NFC", "".join(c for c in parts if c not in TONES))
    try:
        return (letter + tone).encode(codec)
    except UnicodeEncodeError:
        return None


def script(text):
    """Returns the script of most non-ASCII letters."""
    count = collections.Counter()
    for char in text[:200_000]:
        if ord(char) > 127 and char.isalpha():
            count[unicodedata.name(char, "OTHER").split()[0]] += 1
    if count["HIRAGANA"] > 100:
        return "Japanese"
    name = max(count, key=count.get, default="None").capitalize()
    return {"Cjk": "Chinese", "Hangul": "Korean"}.get(name, name)


def samples(folder, per_size):
    """Yields every sample: script, encoding, size, bytes, text."""
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        name = script("".join(lines))
        beyond = sum(not line.isascii() for line in lines)
        for encoding, codec in CODECS.items():
            cache = {}
            held = []
            for line in lines:
                for char in set(line) - cache.keys():
                    cache[char] = written(char, codec)
                parts = [cache[char] for char in line]
                if None not in parts:
                    held.append(parts)
            kept = sum(any(len(part) > 1 or part[0] > 127 for part in parts) for parts in held)
            if kept < 0.4 * beyond or kept < 20:
                continue
            rng = random.Random(f"{path.name} {encoding}")
            for size in SIZES:
                for _ in range(per_size):
                    start = rng.randrange(len(held))
                    sample = bytearray()
                    for parts in held[start:] + held[:start]:
                        for part in parts:
                            if len(sample) + len(part) > size:
                                break
                            sample += part
                        else:
                            continue
                        break
                    if not sample.isascii() or 0x1B in sample:
                        yield name, path.stem, encoding, size, bytes(sample), sample.decode(codec)


def is_right(guess, sample, text):
    if not guess:
        return False
    name = guess.lower().replace("_", "-")
    codec = CODECS.get(name) or ALIASES.get(name) or name
    for codec in {codec, ALIASES.get(name, codec)}:
        try:
            if sample.decode(codec, "replace") == text:
                return True
        except LookupError:
            print("no codec for", guess, file=sys.stderr)
    return False


def ours(program, everything):
    """Returns the result of `utf8 detect` for each sample: the encoding, the confidence, and the whole line."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for index, sample in enumerate(everything):
            name = f"{folder}/{index:08}"
            pathlib.Path(name).write_bytes(sample[4])
            names.append(name)
        command = [program, "detect", "--no-decompress", "--format", "jsonl", "--files-from", "-"]
        done = subprocess.run(command, input="\n".join(names).encode(), capture_output=True, check=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(lines) == len(names)
        return [(line["encoding"] if not line["misdecoded_as"] else None, line["confidence"], line) for line in lines]


def others(everything):
    """Returns the guesses of each other program that is installed, one encoding per sample."""
    found = {}
    data = [sample[4] for sample in everything]
    try:
        import chardet

        found[f"chardet {chardet.__version__}"] = [chardet.detect(bytes_)["encoding"] for bytes_ in data]
    except ImportError:
        pass
    try:
        import charset_normalizer

        best = [charset_normalizer.from_bytes(bytes_).best() for bytes_ in data]
        found[f"charset-normalizer {charset_normalizer.__version__}"] = [guess and guess.encoding for guess in best]
    except ImportError:
        pass
    try:
        with tempfile.TemporaryDirectory() as folder:
            for index, bytes_ in enumerate(data):
                pathlib.Path(f"{folder}/{index:08}").write_bytes(bytes_)
            names = sorted(str(path) for path in pathlib.Path(folder).iterdir())
            answers = []
            for at in range(0, len(names), 1000):
                done = subprocess.run(["uchardet", *names[at : at + 1000]], capture_output=True, check=True)
                answers += [line.rsplit(": ", 1)[-1] for line in done.stdout.decode().splitlines()]
        version = subprocess.run(["uchardet", "--version"], capture_output=True, check=True).stdout.decode()
        number = next(word for word in version.split() if word[:1].isdigit())
        found[f"uchardet {number.rstrip('.')}"] = [None if answer == "unknown" else answer for answer in answers]
    except FileNotFoundError:
        pass
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("texts")
    parser.add_argument("--utf8", default="utf8")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--dump")
    args = parser.parse_args()
    everything = list(samples(args.texts, args.samples))
    guesses = ours(args.utf8, everything)
    right = [is_right(guess[0], sample[4], sample[5]) for guess, sample in zip(guesses, everything)]
    if args.dump:
        with open(args.dump, "w") as dump:
            for sample, guess, ok in zip(everything, guesses, right):
                fields = {"lang": sample[1], "script": sample[0], "truth": sample[2], "size": sample[3], "right": ok}
                dump.write(json.dumps({**guess[2], **fields}) + "\n")

    graded = collections.defaultdict(list)
    for guess, ok in zip(guesses, right):
        graded[guess[1]].append(ok)
    print("| confidence | samples | right |\n|---|---|---|")
    for confidence in ["certain", "likely", "possible"]:
        grade = graded[confidence] or [True]
        print(f"| {confidence} | {len(graded[confidence]):,} | {100 * sum(grade) / len(grade):.2f} % |")

    columns = {"utf8": right}
    if args.others:
        for name, answers in others(everything).items():
            columns[name] = [is_right(answer, sample[4], sample[5]) for answer, sample in zip(answers, everything)]
    for title, key in [("script", 0), ("bytes", 3)]:
        rows = collections.defaultdict(list)
        for index, sample in enumerate(everything):
            rows[sample[key]].append(index)
        print(f"\n| {title} | samples | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
        for name, indices in [*sorted(rows.items()), ("all", range(len(everything)))]:
            shares = [100 * sum(column[i] for i in indices) / len(indices) for column in columns.values()]
            print(f"| {name} | {len(indices):,} | {' | '.join(f'{share:.1f} %' for share in shares)} |")

    share = {name: sum(grade) / len(grade) if grade else 1.0 for name, grade in graded.items()}
    return int(share.get("certain", 1.0) < 0.999 or share.get("likely", 1.0) < 0.95)


if __name__ == "__main__":
    sys.exit(main())
