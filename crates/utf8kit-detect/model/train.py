#!/usr/bin/env python3
"""Derives the table of the text model from packages of the registries.

    train.py FOLDER OUT

FOLDER is where the packages are unpacked, OUT is `table.bin` beside this file. To fetch and unpack them:

    pip download --no-deps -d FOLDER lingua-language-detector==1.3.5 django==5.2
    (cd FOLDER && npm pack cldr-localenames-full@48.2.0 cldr-dates-full@48.2.0)
    (cd FOLDER && for wheel in *.whl; do python3 -m zipfile -e $wheel .; done; for tar in *.tgz; do tar xzf $tar; done)
    pip install brotli==1.2.0 jieba==0.42.1 opencc==1.1.9

lingua-language-detector (Apache-2.0) has n-grams within words of 75 languages as conditional frequencies, from which
the beginnings and ends of words follow: P(end | a) = 1 - sum of P(b | a). The catalogs of Django (BSD-3-Clause) give 22
more languages. The names of languages and places in CLDR (Unicode-3.0) give eleven, and with the catalogs eight that
are written with vowel signs, which the n-grams lack. Traditional Chinese is made of
jieba's dictionary (MIT) by the tables of OpenCC (Apache-2.0).

A probability is a byte q: p = exp(-q / 16). The layout of the file is that of `main`, read by `src/model/table.rs`. The
same packages give the same bytes.
"""

import collections
import itertools
import json
import math
import pathlib
import re
import struct
import sys
import unicodedata
from fractions import Fraction

import brotli

CJK = ("zh", "ja", "ko")
EXTRA = "gl ky tg tt uz br gd hsb lb udm os ne kn ml my km ug tk kab ast fy".split()  # from catalogs alone
NAMED = "mt se fo kl yi rm am bo lo or si".split()  # from names in CLDR alone
MARKED = "bn gu hi mr pa ta te th".split()  # from both, as the n-grams of lingua have no vowel signs
ISO15924 = dict(
    row.split()
    for row in """LATIN Latn|ARABIC Arab|CYRILLIC Cyrl|BENGALI Beng|GREEK Grek|GUJARATI Gujr|HEBREW Hebr|DEVANAGARI Deva
ARMENIAN Armn|GEORGIAN Geor|GURMUKHI Guru|TAMIL Taml|TELUGU Telu|THAI Thai|KANNADA Knda|MALAYALAM Mlym|MYANMAR Mymr
KHMER Khmr|TIBETAN Tibt|ETHIOPIC Ethi|SINHALA Sinh|LAO Laoo|THAANA Thaa|ORIYA Orya""".replace("\n", "|").split("|")
)
EAST = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}
SCALE = 16
TRIPLES = 610  # for each language: those that tell most
JAMO, JAMO_SHARE = "ㅋㅎㅠㅜㅇㄱㄴㅈㄷㅅ", 4e-4  # letters that stand alone in messages, which lingua's texts have not
FEWER = 150  # for scripts whose legacy encodings serve at most one language
SHARED = {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW"}
IDEOGRAPHS = 4000  # for each language of East Asia: the most frequent


def fold(char):
    """The letter without its case, as one character."""
    low = char.lower()
    return {"\u015f": "\u0219", "\u0163": "\u021b"}.get(
        low, low[0]
    )  # Romanian is written with cedillas and with commas


def script(char):
    name = unicodedata.name(char, "")
    return name.split()[0].split("-")[0] if name else ""


def is_letter(char):
    return (
        unicodedata.category(char)[0] in "LM"
        and char not in "ªºµ"
        and "MODIFIER" not in unicodedata.name(char, "MODIFIER")
    )


def read(folder, name):
    path = folder / f"{name}.json.br"
    if not path.exists():
        return {}
    found = json.loads(brotli.decompress(path.read_bytes()))["ngrams"]
    shares = collections.Counter()
    for share, grams in found.items():
        for gram in grams.split():
            shares["".join(map(fold, gram))] += float(Fraction(share)) if len(gram) == 1 else 0
    if "unigrams" in name:
        return dict(shares)
    return {
        "".join(map(fold, gram)): float(Fraction(share)) for share, grams in found.items() for gram in grams.split()
    }


class Grams:
    """Joint frequencies of 1-, 2- and 3-grams of folded letters; "^" is the bound of a word, on both sides."""

    def __init__(self):
        self.one, self.two, self.three = collections.Counter(), collections.Counter(), collections.Counter()

    @classmethod
    def of_lingua(cls, folder):
        self, one, two, three = cls(), read(folder, "unigrams"), read(folder, "bigrams"), read(folder, "trigrams")
        begins, ends = collections.Counter(one), collections.Counter(one)
        for gram, share in two.items():
            joint = share * one.get(gram[0], 0)
            self.two[gram] += joint
            begins[gram[1]] -= joint
            ends[gram[0]] -= joint
        for letter in one:
            self.two["^" + letter] = max(begins[letter], one[letter] * 1e-4)
            self.two[letter + "^"] = max(ends[letter], one[letter] * 1e-4)
        self.one = collections.Counter(one)
        self.one["^"] = sum(v for g, v in self.two.items() if g[0] == "^")
        begins, ends = collections.Counter(), collections.Counter()
        for gram, share in three.items():
            joint = share * self.two.get(gram[:2], 0)
            self.three[gram] += joint
            begins[gram[1:]] += joint
            ends[gram[:2]] += joint
        for gram, joint in two.items():
            joint = self.two[gram]
            self.three["^" + gram] = max(joint - begins[gram], 0)
            self.three[gram + "^"] = max(joint - ends[gram], 0)
        return self

    @classmethod
    def of_text(cls, text):
        self = cls()
        for word in "".join(fold(c) if is_letter(c) else " " for c in text).split():
            for gram in (word := f"^{word}^"):
                self.one[gram] += 1
            self.two.update(word[i : i + 2] for i in range(len(word) - 1))
            self.three.update(word[i : i + 3] for i in range(len(word) - 2))
        self.one["^"] //= 2
        total = sum(v for g, v in self.one.items() if g != "^")
        for table in (self.one, self.two, self.three):
            for gram in table:
                table[gram] /= total
        return self


def catalog(path):
    """The translations of a gettext catalog, as (original, translation)."""
    for entry in re.split(r"\n\s*\n", path.read_text("utf-8")):
        if "#, fuzzy" in entry:
            continue
        pieces = {}
        for key, body in re.findall(r'(?m)^(msgid|msgstr)\S*((?:\s+"(?:[^"\\]|\\.)*")+)', entry):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', body))
            pieces[key] = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
        if pieces.get("msgid") and pieces.get("msgstr") and pieces["msgid"] != pieces["msgstr"]:
            yield pieces["msgid"], pieces["msgstr"]


def catalogs(folder):
    """Text by language code."""
    texts = collections.defaultdict(list)
    for path in sorted(folder.glob("**/locale/*/LC_MESSAGES/*.po")):
        texts[path.parts[-3]] += [re.sub(r"%\(\w+\)[sd]|%[sd]|<[^>]+>|&\w+;", "x", new) for _, new in catalog(path)]
    return {code: "\n".join(lines) for code, lines in texts.items()}


def names(folder, code):
    """The names that CLDR has of languages, scripts and places, months and fields."""

    def strings(value):
        return (
            [value]
            if isinstance(value, str)
            else [s for v in value.values() for s in strings(v)] if isinstance(value, dict) else []
        )

    files = ("languages", "territories", "scripts", "variants", "ca-gregorian", "dateFields")
    found = [
        strings(json.loads((folder / code / f"{f}.json").read_text("utf-8"))["main"])
        for f in files
        if (folder / code / f"{f}.json").exists()
    ]
    return "\n".join(s for part in found for s in part if not s.islower() or not s.isascii())


# Classes of characters: S space, l small letter, U capital, n letter without case, K East Asian, d digit, p ASCII sign,
# o opening, c closing, a apostrophe, D dash, u after numbers, s usual sign, b box, r rare sign, z invisible, x never in
# text. The shares are of prose, tables and source code in the corpora of the packages, in rough steps.
NAMES = "SlUnKdpocaDusbrzx"
FOLLOW = {  # P(class | class before). For a letter before: given that its word has ended.
    "S": "S.04 l.55 U.22 n.77 K.2 d.07 p.07 o.012 D.012 s.004 b.003 z.003 c.001 a.001 u.0006 r.0006",
    "l": "S.74 p.19 c.018 a.015 D.008 d.012 z.004 o.003 K.001 s.001 u.0008 b.0003 r.0003 U.0003 n.0003 l.0003",
    "K": "K.80 c.08 S.03 p.03 o.025 d.02 l.006 U.01 D.004 s.002 b.0005 r.0003 z.0005 n.0003 u.0005 a.0005",
    "d": "d.48 S.25 p.22 l.012 U.005 n.012 K.05 u.008 D.008 c.004 s.001 z.003 r.001 o.001 a.0005 b.0003",
    "p": "S.42 p.22 l.15 U.08 n.2 K.1 d.12 o.006 c.005 D.003 s.003 z.002 a.001 r.0006 b.0006 u.0005",
    "o": "l.4 U.42 n.8 K.8 d.04 S.03 z.04 p.05 o.012 s.002 c.005 D.002 a.002 r.0005 b.0005 u.0005",
    "c": "S.66 p.15 c.05 K.5 o.05 l.03 U.03 n.03 D.01 d.012 z.004 s.002 a.001 r.0005 b.0005 u.0005",
    "a": "l.62 U.05 n.6 S.24 p.06 c.005 d.01 K.01 a.005 s.001 D.003 z.002 r.0005 b.0005 u.0005 o.002",
    "D": "S.55 l.15 U.12 n.25 K.2 d.15 D.1 p.03 o.01 c.005 s.002 z.004 a.001 r.0005 b.0005 u.0005",
    "u": "S.6 p.25 l.03 U.03 n.03 K.1 d.05 c.01 D.01 s.003 z.01 a.001 r.001 b.0005 u.005 o.002",
    "s": "S.5 l.05 U.1 n.1 K.1 d.12 s.1 p.1 c.01 D.005 z.01 a.002 r.002 b.002 u.002 o.004",
    "b": "b.72 S.25 p.01 l.003 U.003 n.003 K.003 d.005 s.001 c.001 D.001 z.001 a.0002 r.001 u.0002 o.0005",
    "r": "S.45 p.1 l.02 U.02 n.02 K.02 d.2 r.05 c.01 s.01 D.005 z.01 a.001 b.002 u.005 o.002",
    "z": "l.42 U.2 n.55 K.1 S.1 d.1 p.14 c.06 z.03 D.03 s.01 o.01 a.002 r.001 b.001 u.005",
    "x": "x.3 S.1 l.1 U.1 n.1 K.05 d.05 p.1 o.01 c.01 a.005 D.005 u.005 s.01 b.01 r.01 z.01",
}  # fmt: skip
FOLLOW["U"] = FOLLOW["n"] = FOLLOW["l"]
NEVER = 2e-6  # P(a class that the row does not name)
CASE = {"ll": 0.9965, "lU": 0.0035, "Ul": 0.72, "UU": 0.28}  # inside a word
SIGNS = {  # P(character | class) in rough steps: the first of each list is the most frequent
    "o": "“«„‘（「《『【¿¡‹‚〈［", "c": "”，。»、…）」：》！；？』】›．〉］·،؛؟।॥", "a": "’", "D": "–—―‐‑−～",
    "u": "°º€²ª³½¼¾‰′″", "s": "•©®™€§£№·→←†‡✓★☆●■□▲◆◇○※¥₽",
    "z": "\u00a0\u200c\u200b\u200d\u00ad\u200f\u200e\ufeff\u3000\u202f\u2009",
    "r": "±×÷¶µ¬¦¤¯¨´¸¹¢ƒ˜ˆˇ˘˙˚˛˝∂∑∏π∫Ω√∞≈≠≤≥∆◊ﬁﬂ⁄√ªº⌐⌠⌡ⁿ₧☺☻♥♦♣♠",
}  # fmt: skip


def quantised(p):
    return min(255, max(0, round(-math.log(max(p, 1e-9)) * SCALE)))


def language(grams, triples, least=2e-5):
    """The tables of one language: its script, its letters, their shares, each pair, and the triples that tell most."""
    scripts = collections.Counter()
    for letter, share in grams.one.items():
        if letter != "^":
            scripts[script(letter)] += share
    main = scripts.most_common(1)[0][0]
    letters = [c for c, share in grams.one.items() if c != "^" and share >= least and script(c) == main]
    letters = sorted(letters, key=lambda c: (-grams.one[c], c))[:90]
    alphabet = ["^"] + letters
    total = sum(grams.one[c] for c in letters) + grams.one["^"]
    single = {c: max(grams.one[c], 1e-6) / total for c in alphabet}
    pairs, table = {}, bytearray()
    for a in alphabet:
        whole = sum(grams.two[a + c] for c in alphabet) or 1e-9
        weight = 0.99 if whole > 1e-4 else 0.9
        for c in alphabet:
            pairs[a + c] = weight * grams.two[a + c] / whole + (1 - weight) * single[c]
            table.append(quantised(pairs[a + c]))
    position = {c: i for i, c in enumerate(alphabet)}
    contexts = collections.Counter()
    for gram, share in sorted(grams.three.items()):
        if all(position.get(c, 64) < 64 for c in gram):
            contexts[gram[:2]] += share
    gain = {}
    for context, whole in contexts.items():
        if whole <= 1e-7:
            continue
        for c in alphabet[:64]:
            share, plain = grams.three[context + c] / whole, pairs[context[1] + c]
            share = 0.85 * share + 0.15 * plain
            # What tells encodings apart is beyond ASCII.
            weight = whole * max(share, plain) * (8 if main == "LATIN" and not (context + c).isascii() else 1)
            gain[context + c] = (weight * abs(math.log(share / plain)), share)
    best = sorted(gain, key=lambda g: (-gain[g][0], g))[: triples if main in SHARED else FEWER]
    chosen, places, costs, end = sorted(best, key=lambda g: [position[c] for c in g]), bytearray(), bytearray(), 0
    for gram in chosen:
        a, b, c = (position[letter] for letter in gram)
        place = (a * len(alphabet) + b) * len(alphabet) + c
        places += number(place - end)
        end = place + 1
        costs.append(min(63, round(quantised(gain[gram][1]) / 4)))  # in quarters of a nat
    return main, letters, bytes(quantised(single[c]) for c in alphabet), bytes(table), (bytes(places), bytes(costs))


def ideographs(folder):
    """Shares of characters in Chinese (two ways of writing), Japanese and Korean."""
    import jieba
    import opencc

    convert = opencc.OpenCC("s2t").convert
    shares = {code: collections.Counter(read(folder / code, "unigrams")) for code in CJK}
    for char in list(shares["zh"]):
        if script(char) != "CJK":
            del shares["zh"][char]
    words = collections.Counter()
    for line in open(pathlib.Path(jieba.__file__).parent / "dict.txt", encoding="utf-8"):
        word, freq, *_ = line.split()
        words[word] += int(freq)
    whole, traditional, simple = sum(len(w) * n for w, n in words.items()), collections.Counter(), collections.Counter()
    for word, freq in words.items():
        for char in word:
            simple[char] += freq / whole
        for char in convert(word):
            traditional[char] += freq / whole
    for char, share in shares["zh"].items():
        traditional[convert(char)] += share
    shares["zh-hant"] = collections.Counter({c: v / 2 for c, v in traditional.items()})
    for char in JAMO:
        shares["ko"][char] = JAMO_SHARE
    for char, share in simple.items():
        shares["zh"][char] = (shares["zh"][char] + share) / 2
    return shares


def shares():
    """P(class | class before), as quantised bytes."""
    rows = {a: dict((item[0], float(item[1:])) for item in row.split()) for a, row in FOLLOW.items()}
    return bytes(quantised(rows[a].get(b, NEVER)) for a in NAMES for b in NAMES)


def characters(homes):
    """Runs of characters that are alike: the first one, its class, its home, and how rare it is in its class.

    The home of a letter is its script in `homes`, then East Asia, then any other script; 255 is that of signs.
    """
    east, other, nowhere = len(homes), len(homes) + 1, 255
    known = {}
    for name, chars in SIGNS.items():
        weights = [1 / (i + 2) for i in range(len(chars))]
        for char, weight in zip(chars, weights):
            share = 0.9 / len(chars) if name == "r" else 0.97 * weight / sum(weights)
            known[char] = (NAMES.index(name), nowhere, quantised(share))

    def sign(name, share):
        return NAMES.index(name), nowhere, quantised(share)

    def of(point):
        char = chr(point)
        kind = unicodedata.category(char)
        if char in known:
            return known[char]
        if char in " \t\n\r":
            return sign("S", {" ": 0.85, "\n": 0.1, "\r": 0.03, "\t": 0.02}[char])
        if kind in ("Cn", "Co", "Cs"):
            return sign("x", 1e-5)
        if kind == "Cc" or point == 0xFFFD:
            return sign("r" if char in "\f\x1b" else "x", 1 / 3000)
        is_form = 0xFF10 <= point < 0xFF5B or 0xFF66 <= point < 0xFFA0
        if is_form or char in "ー々〆":
            return NAMES.index("K"), east, 0
        if (
            kind[0] in "LM"
            and kind not in ("Lm", "Me")
            and char not in "ªºµƒ"
            and "LIGATURE F" not in unicodedata.name(char, "")
        ):
            name = script(char)
            home = east if name in EAST else homes.get(name, other)
            name = "K" if home == east else {"Ll": "l", "Lu": "U", "Lt": "U"}.get(kind, "n")
            return NAMES.index(name), home, quantised(1e-3) if home == other else 0
        if kind == "Nd":
            return sign("d", 0.1 if point < 128 else 0.01)
        if point < 128:
            return sign("p", 0.12 if char in ".,-\"'/:=_<>()" else 0.012)
        if 0x2500 <= point < 0x25A0:
            return sign("b", 0.06 if char in "─│═║█░▒▓" else 0.015 if char in "┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬▄▀▌▐■" else 0.001)
        rarity = {"Cf": ("z", 0.002), "Ps": ("o", 0.003), "Pi": ("o", 0.003), "Pe": ("c", 0.003), "Pf": ("c", 0.003)}
        return sign(*rarity.get(kind, ("r", 0.0015)))

    runs = []
    for point in range(0x10000):
        found = of(point)
        if not runs or runs[-1][1:] != found:
            runs.append((point, *found))
    return runs


def number(value):
    """Seven bits a byte, the low ones first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value):
    return struct.pack("<B", len(value)) + value.encode()


def points(chars):
    return struct.pack("<H", len(chars)) + b"".join(struct.pack("<H", ord(c)) for c in chars)


def main(folder, out):
    models, texts = folder / "lingua" / "language-models", catalogs(folder / "django")
    found = {p.name: Grams.of_lingua(p) for p in sorted(models.iterdir()) if p.is_dir() and p.name not in CJK}
    found |= {code: Grams.of_text(texts[code]) for code in EXTRA}
    named = folder / "package" / "main"
    found |= {code: Grams.of_text(names(named, code)) for code in NAMED}
    found |= {code: Grams.of_text(texts.get(code, "") + names(named, code)) for code in MARKED}
    scripts = collections.defaultdict(dict)
    for code, grams in found.items():
        home, *tables = language(grams, TRIPLES)
        scripts[home][code] = tables
    data = bytearray(shares())
    data += struct.pack("<B", len(scripts))
    # What is of one kind in all languages is together, because it compresses better so.
    composed, streams = [], [bytearray(), bytearray(), bytearray()]
    for name, languages in scripts.items():
        letters = sorted({c for rows in languages.values() for c in rows[0]})
        composed += [c for c in letters for c in {c, c.upper()} if len(c) == 1]
        data += text(ISO15924[name]) + points(letters) + struct.pack("<B", len(languages))
        for code, (own, single, pairs, (places, costs)) in languages.items():
            data += text(code) + struct.pack("<B", len(own)) + bytes(letters.index(c) for c in own) + single
            data += struct.pack("<H", len(costs))
            for stream, more in zip(streams, [pairs, places, costs], strict=True):
                stream += more
    shares_of = ideographs(models)
    data += struct.pack("<B", len(shares_of))
    for code, counted in shares_of.items():
        best = sorted((c for c in counted if is_letter(c)), key=lambda c: (-counted[c], c))[:IDEOGRAPHS]
        by_value = collections.defaultdict(list)
        for c in best:
            by_value[quantised(counted[c] * 0.98)].append(ord(c))
        data += text(code) + struct.pack("<B", len(by_value))
        for value, codes in sorted(by_value.items()):
            data += struct.pack("<BH", value, len(codes))
            for before, code in itertools.pairwise([0, *sorted(codes)]):
                data += number(code - before)
    runs = characters({name: i for i, name in enumerate(scripts)})
    data += struct.pack("<H", len(runs))
    for run in runs:
        data += struct.pack("<HBBB", *run)
    pairs = [
        (c, unicodedata.normalize("NFC", first), mark)
        for c in sorted(set(composed))
        for first, mark in [(unicodedata.normalize("NFD", c)[:-1], unicodedata.normalize("NFD", c)[-1])]
        if len(unicodedata.normalize("NFC", first)) == 1 and 0x300 <= ord(mark) < 0x340
    ]
    more = []
    for c in sorted(set(composed)):
        parts = unicodedata.normalize("NFD", c)
        for tone in "\u0300\u0301\u0303\u0309\u0323":  # which Vietnamese encodings write apart
            rest = unicodedata.normalize("NFC", parts.replace(tone, ""))
            if tone in parts and len(rest) == 1:
                more.append((c, rest, tone))
    pairs = sorted(set(pairs + more))
    data += struct.pack("<H", len(pairs))
    for c, base, mark in pairs:
        data += struct.pack("<HHH", ord(base), ord(mark), ord(c))
    lens = b"".join(number(len(stream)) for stream in [data, *streams[:2]])
    out.write_bytes(lens + data + b"".join(streams))
    print(f"{len(found)} languages in {len(scripts)} scripts, {len(runs)} runs, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
