"""Writes the tables of encodings from the sources named in encodings.txt. The arguments are its path, and the paths of
the files for sequences of bytes, rows, composed letters and codes that are only written. The index is printed, in Rust.

Python's codecs are generated from Unicode's mapping files, Perl's from those of vendors; iconv is called through
ctypes, because a process for each byte would take minutes. Ends with status 3 if a source is missing.

A line of encodings.txt has the name of an encoding, its kind, the source of its table, its other names, and what it is
for.

A number among the names stands for cp037, ibm-37, windows-37 and the like. Names are compared without case,
punctuation and leading zeros. Names are those of IANA, ICU, the GNU C library, Python, Java, MySQL, Oracle and Windows.

The source is
  py NAME       a codec of Python, generated from a mapping file of Unicode;
  iconv NAME    iconv of the GNU C library;
  iconv NAME S.. the same, of sequences of bytes in these ranges; after `shift` they are within 0E and 0F;
                after `longest`, some are the beginning of others; after `like:B8`, the letter in the middle is
                in the place of B8 (iconv reads vowels before letters from Sanskrit as if they stood alone);
  perl NAME     Perl's Encode, generated from mapping files of Apple, Adobe and NeXT;
  + NAME B=C..  another encoding of this list with other characters from byte B on; `_` is none, and \\uXXXX is as in
                Python;
  codes NAME B=C.. then B.B=C..
                the same with codes of two bytes, of which the longer ones come first;
  marks NAME B=C.. then B=C..
                the same with marks, whose bytes stand before their letter;
  .. sets LB=C..  and sets of others, which the letter L selects behind 1B until 1B 's';
  iso2022 E=S.. ISO 2022: after the escape sequence E, the characters of the encoding S. `/8F` are bytes before each
                code of S, and codes after `!` are only read;
  standard      the WHATWG Encoding Standard;
  code          an algorithm.
After `writes` come codes that are only written, or that are written although the character has an earlier one: of
`iconv NAME`, or C=C.. Those of the source itself are found by asking it for every character.
The family `set` is for sets of characters that are only part of others. A shape `set:$)E` gives the codes of a set that
is designated to G1, with high bits.
"""

import ctypes
import itertools
import re
import struct
import subprocess
import sys
import unicodedata

NONE = "\N{REPLACEMENT CHARACTER}"
BYTES = [bytes([byte]) for byte in range(256)]
# Their upper halves are needed if the feature `legacy` is off.
ALONE = ["CP437", "CP850", "CP852"]

HEADER = """\
//! The characters of code pages. Written by `cargo xtask gen` from encodings.txt.

use super::page::{Page, rows};
"""

PERL = """
binmode STDOUT, ":utf8";
for my $name (@ARGV) {
    for my $byte (0 .. 255) {
        my $bytes = chr $byte;
        my $text = decode($name, $bytes, Encode::FB_QUIET);
        printf "%d ", length $text == 1 ? ord $text : 0xFFFD;
    }
    print "\\n";
}
"""


def missing(what):
    print("no", what, file=sys.stderr)
    sys.exit(3)


def by_python(name):
    return [byte.decode(name, "replace") for byte in BYTES]


def by_perl(name):
    program = subprocess.run(["perl", "-MEncode", "-e", PERL, name], capture_output=True, check=True)
    return [chr(int(number)) for number in program.stdout.split()]


class Iconv:
    """iconv of the C library, from an encoding to UTF-32."""

    def __init__(self, name):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.iconv_open.restype = ctypes.c_void_p
        self.libc.iconv.restype = ctypes.c_size_t
        self.libc.iconv.argtypes = [ctypes.c_void_p] + 4 * [ctypes.c_void_p]
        self.descriptor = self.libc.iconv_open(b"UTF-32LE", name.encode())
        if self.descriptor == ctypes.c_void_p(-1).value:
            missing(f"iconv with {name}")

    def text(self, data):
        """Returns the text of bytes; None if they are malformed or incomplete."""
        self.libc.iconv(self.descriptor, None, None, None, None)
        given, taken = ctypes.create_string_buffer(data, len(data)), ctypes.create_string_buffer(64)
        source, target = ctypes.c_void_p(ctypes.addressof(given)), ctypes.c_void_p(ctypes.addressof(taken))
        left, room = ctypes.c_size_t(len(data)), ctypes.c_size_t(64)
        all_of = [ctypes.byref(value) for value in (source, left, target, room)]
        if self.libc.iconv(self.descriptor, *all_of) == ctypes.c_size_t(-1).value or left.value:
            return None
        self.libc.iconv(self.descriptor, None, None, *all_of[2:])
        return taken.raw[: 64 - room.value].decode("utf-32-le")


def by_iconv(name):
    iconv = Iconv(name)
    return [iconv.text(byte) or NONE for byte in BYTES]


def by_shapes(name, shapes):
    """Returns the text of all sequences of some shapes. Shapes after `shift` are enclosed in 0E and 0F, and shapes
    after `set:` are in a designated set. After `longest`, a code may begin with another one. Shapes after `like:` have
    the text that the letter of that byte has there, with their own letter."""
    iconv = Iconv(name)
    texts = {}
    around, high = (b"", b""), 0

    def is_redundant(code, text):
        """Whether shorter codes give the text of a longer one."""
        if "longest" not in shapes:
            return any(code[:end] in texts for end in range(1, len(code)))
        read = ""
        while code:
            end = next((end for end in range(len(code), 0, -1) if code[:end] in texts), None)
            if end is None:
                return False
            read, code = read + texts[code[:end]], code[end:]
        return read == text

    like = None
    for shape in shapes:
        if shape == "longest":
            continue
        if shape.startswith("like:"):
            like = bytes.fromhex(shape[5:])
            continue
        if shape.startswith("set:"):
            around, high = (b"\x1b" + shape[4:].encode() + b"\x0e", b"\x0f"), 0x80
            continue
        if shape == "shift":
            around = b"\x0e", b"\x0f"
            continue
        ends = [[int(end, 16) for end in part.split("-")] for part in shape.split(".")]
        for sequence in itertools.product(*(range(end[0], end[-1] + 1) for end in ends)):
            code = bytes(sequence)
            text = iconv.text(code.join(around))
            if like:
                text = iconv.text(code[1:2]) + iconv.text(code[:1] + like + code[2:])[1:]
            is_shift = "shift" in shapes and code in around + (b"\x0e", b"\x0f")
            if text and not is_shift and not (around[0] == b"" and is_redundant(code, text)):
                texts[bytes(byte | high for byte in code)] = text
    return texts


def by_marks(page, source):
    """Returns the text of letters after marks: composed, or a letter and its mark. Two marks are for letters composed
    with both. The letters of sets have codes that begin with an escape."""
    sets = source.index("sets") if "sets" in source else len(source)
    source, sets = source[:sets], source[sets + 1 :]
    end = source.index("then")
    letters = {bytes([byte]): char for byte, char in enumerate(by_differences(page, source[:end])) if char != NONE}
    marks = by_differences(lambda _: [NONE] * 256, ["", *source[end + 1 :]])
    marks = {bytes([byte]): char for byte, char in enumerate(marks) if char != NONE}
    texts = {code: letter for code, letter in letters.items() if code not in marks}
    for first, chars in (part.split("=", 1) for part in sets):
        for place, char in enumerate(chars, int(first[1:], 16)):
            texts[b"\x1b" + first[0].encode() + bytes([place])] = char
    bases = {code: letter for code, letter in texts.items() if letter.isalpha() or letter == " "}
    for (mark, sign), (code, letter) in itertools.product(marks.items(), bases.items()):
        texts[mark + code] = unicodedata.normalize("NFC", letter + sign)
    for (first, one), (second, other), (code, letter) in itertools.product(marks.items(), marks.items(), bases.items()):
        text = unicodedata.normalize("NFC", letter + one + other)
        if len(text) == 1:
            texts[first + second + code] = text
    return texts


def by_codes(page, source):
    """Returns the text of single bytes, and of codes that begin with some of them."""
    end = source.index("then")
    chars = enumerate(by_differences(page, source[:end]))
    texts = {bytes([byte]): char for byte, char in chars if char != NONE}
    for first, chars in (part.split("=", 1) for part in source[end + 1 :]):
        lead, start = (int(byte, 16) for byte in first.split("."))
        texts |= {bytes([lead, last]): char for last, char in enumerate(chars, start) if char != "_"}
    return texts


def number(value):
    """Returns a number in groups of seven bits, the lowest first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


class Packer:
    """Packs texts of sequences, as sequences.rs reads them."""

    def __init__(self):
        self.out = bytearray()
        self.last = 0

    def char(self, char):
        """A character, by its distance from the previous one: in one byte, in two, or unchanged."""
        value = ord(char)
        distance = value - self.last - 1
        if -64 <= distance < 112:
            self.out.append(distance + 64)
        elif -4096 <= distance < -4096 + 77 * 256:
            self.out += (0xB000 + distance + 4096).to_bytes(2, "big")
        else:
            self.out += bytes([0xFE]) + value.to_bytes(3, "big")
        self.last = value

    def text(self, text):
        self.out += bytes([0xFF]) * (len(text) - 1)
        for char in text:
            self.char(char)

    def texts(self, texts):
        """Groups by length, each of runs: the number of omitted codes, the number of codes that follow, and their
        texts. Of successive characters, only the first is stored."""
        for length in range(1, 5):
            of_length = sorted(
                (int.from_bytes(code, "big"), text) for code, text in texts.items() if len(code) == length
            )
            runs = self.runs(of_length)
            self.out += number(len(runs))
            end = 0
            for first, run, is_range in runs:
                self.out += number(first - end) + number(len(run) << 1 | is_range)
                for text in run[:1] if is_range else run:
                    self.text(text)
                if is_range:
                    self.last = ord(run[-1])
                end = first + len(run)
        return bytes(self.out)

    @staticmethod
    def runs(codes):
        runs = []
        for code, text in codes:
            _, run, is_range = runs[-1] if runs else (0, [], False)
            is_next = runs and code == runs[-1][0] + len(run)
            single = len(text) == 1 and text != NONE
            follows = is_next and single and len(run[-1]) == 1 and ord(text) == ord(run[-1]) + 1
            if follows and is_range:
                run.append(text)
            elif (
                follows
                and len(run) >= 3
                and all(len(a) == len(b) == 1 and ord(b) == ord(a) + 1 for a, b in itertools.pairwise(run[-3:]))
            ):
                # Four successive characters are a range of their own.
                start = code - 3
                successive = run[-3:] + [text]
                del run[-3:]
                if not run:
                    runs.pop()
                runs.append((start, successive, True))
            elif is_next and not is_range:
                run.append(text)
            else:
                runs.append((code, [text], False))
        return runs


def pack(tables):
    """Packs tables, some as differences to an earlier one. Returns their bytes, and the lines of the index."""
    data, lines = b"", []
    for place, (name, (shifts, texts)) in enumerate(tables.items()):
        best, base = Packer().texts(texts), None
        for other, (_, known) in enumerate(itertools.islice(tables.values(), place)):
            changed = {code: text for code, text in texts.items() if known.get(code) != text}
            changed |= {code: NONE for code in known.keys() - texts.keys()}
            if len(changed) < len(texts) // 2 and len(packed := Packer().texts(changed)) < len(best):
                best, base = packed, other
        base = "None" if base is None else f"Some({base})"
        lines.append(f'    ("{name}", {base}, {str(shifts).lower()}, {len(data)}, {len(best)}),')
        data += best
    return data, lines


def by_differences(page, source):
    base, *differences = source
    chars = list(page(base))
    for first, text in (difference.split("=", 1) for difference in differences):
        text = re.sub(r"\\u(....)", lambda code: chr(int(code[1], 16)), text)
        for place, char in enumerate(text, int(first, 16)):
            chars[place] = NONE if char == "_" else char
    return chars


def entries(path):
    """Yields the columns of each line."""
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            yield [column.strip() for column in line.split(" |")]


def literal(chars):
    """Returns characters as Rust writes them, so that they can be seen."""

    def one(char):
        if char in '\\"':
            return "\\" + char
        plain = char.isprintable() and char != NONE and not 0x300 <= ord(char) < 0x370
        return char if plain and not 0x590 <= ord(char) < 0x1100 else f"\\u{{{ord(char):x}}}"

    return '"' + "".join(map(one, chars)) + '"'


def save(path, rows):
    """Writes rows of characters as numbers of 16 bits, in little-endian order."""
    with open(path, "wb") as file:
        file.write(b"".join(struct.pack("<H", ord(char)) for row in rows for char in row))


# Without surrogates, and without the sign that some code pages of DOS write as a line feed.
WRITABLE = [chr(code) for code in range(0xA0, 0x30000) if not 0xD800 <= code < 0xE000 and code != 0x25D9]


def save_packed(tables, path, name, about, gate=""):
    """Writes packed tables to a file, and prints the table of their places."""
    data, lines = pack(tables)
    with open(path, "wb") as file:
        file.write(data)
    print(f"\n/// {about}")
    print(f"{gate}#[rustfmt::skip]")
    kind = f"[(&str, Option<usize>, bool, usize, usize); {len(lines)}]"
    print(f"pub(super) static {name}: {kind} = [", *lines, "];", sep="\n")


def written_by_iconv(name):
    """Yields the characters that iconv writes, each with its code, without shifts."""

    def iconv(text):
        program = ["iconv", "-c", "-f", "UTF-8", "-t", name]
        return subprocess.run(program, input=text.encode(), capture_output=True).stdout

    end = iconv("\n")
    codes = iconv("".join(char + "\n" for char in WRITABLE)).split(end) if end else []
    if len(codes) == len(WRITABLE) + 1:
        for char, code in zip(WRITABLE, codes):
            if code:
                yield char, code[1:-1] if code.startswith(b"\x0e") else code


def written_by_python(name):
    for char in WRITABLE:
        try:
            yield char, char.encode(name)
        except UnicodeError:
            pass


def only_written(texts, pairs):
    """Returns the characters that are written by another code than the first of the shortest that are read as them, by
    code. Codes that are read as control characters lose text, and are left out, as are those of characters that have
    codes of their own."""
    first = {}
    for code, text in sorted(texts.items(), key=lambda pair: (len(pair[0]), pair[0])):
        first.setdefault(text, code)
    found = {}
    for char, code in pairs:
        read = texts.get(code, "\0")
        if read == char and first[char] != code or char not in first and unicodedata.category(read[0]) != "Cc":
            found[code] = found.get(code, "") + char
    return found


def apart():
    """Yields letters of Vietnamese and Hebrew, each with the letter and the mark that it consists of."""
    for letter in map(chr, [*range(0x41, 0x250), *range(0x5D0, 0x5F3)]):
        for mark in map(chr, [0x300, 0x301, 0x303, 0x309, 0x323, *range(0x5B0, 0x5C3)]):
            composed = unicodedata.normalize("NFC", letter + mark)
            if len(composed) == 1:
                yield composed, letter, mark
    # Never composed.
    for composed in map(chr, range(0xFB1D, 0xFB50)):
        parts = unicodedata.decomposition(composed).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            yield composed, *(chr(int(part, 16)) for part in parts)


def main():
    sources, families, writes = {}, {}, {}
    for name, family, source, *_ in entries(sys.argv[1]):
        source, _, more = source.partition(" writes ")
        sources[name], families[name], writes[name] = source.split(), family, more.split()

    def page(name):
        kind, *source = sources.get(name, ["py", name])
        by = {"py": by_python, "perl": by_perl, "iconv": by_iconv}
        chars = by_differences(page, source) if kind == "+" else by[kind](*source)
        assert len(chars) == 256 and all(len(char) == 1 for char in chars), name
        return chars

    of_bytes = [name for name, source in sources.items() if source[0] == "+" or len(source) == 2]
    pages = {name: page(name) for name in of_bytes}
    tables = {}
    for name, (kind, *source) in sources.items():
        if kind == "iconv" and name not in pages:
            tables[name] = "shift" in source, by_shapes(source[0], source[1:])
        elif kind == "marks":
            tables[name] = False, by_marks(page, source)
        elif kind == "codes":
            tables[name] = False, by_codes(page, source)
    written = {}
    for name, (kind, *source) in sources.items():
        if name in pages:
            texts = {byte: char for byte, char in zip(BYTES, pages[name]) if char != NONE}
        else:
            texts = tables.get(name, (False, {}))[1]
        found = {}
        if kind in ("iconv", "py") and families[name] != "set":
            pairs = written_by_iconv(source[0]) if kind == "iconv" else written_by_python(source[0])
            found = only_written(texts, pairs)
        match writes[name]:
            case ["iconv", other]:
                texts = {byte: char for byte, char in zip(BYTES, by_iconv(other)) if char != NONE}
                found |= only_written(texts, written_by_iconv(other))
            case pairs:
                found |= {bytes.fromhex(code): chars for code, chars in (pair.split("=") for pair in pairs)}
        if found:
            written[name] = False, found
    rows = {}
    lines = []
    for name, chars in pages.items():
        numbers = [rows.setdefault("".join(chars[at : at + 16]), len(rows)) for at in range(0, 256, 16)]
        lines.append(f'    Page::new("{name}", {numbers}),')
    print(HEADER)
    print("/// All code pages, each as the numbers of its rows.\n#[rustfmt::skip]")
    print(f"pub(super) static PAGES: [Page; {len(lines)}] = [", *lines, "];", sep="\n")
    print("\n/// Rows of 16 characters; U+FFFD stands for a byte without one.")
    print(f'pub(super) static ROWS: [[u16; 16]; {len(rows)}] = rows(include_bytes!("rows.bin"));')
    save(sys.argv[3], rows)
    about = "All tables of sequences of bytes: the place of another that they differ from, and of their data."
    save_packed(tables, sys.argv[2], "SEQUENCES", about)
    about = "The codes that are only written, of each encoding that has some, with their characters."
    save_packed(written, sys.argv[5], "WRITTEN", about, '#[cfg(feature = "rewrite")]\n')
    triples = sorted(set(apart()))
    print("\n/// Composed letters, each with its letter and its mark.")
    print(f'pub(crate) static APART: [[u16; 3]; {len(triples)}] = rows(include_bytes!("apart.bin"));')
    save(sys.argv[4], triples)
    for name in ALONE:
        print(f"\n/// The upper half of {name}.\npub const {name}: &str = {literal(pages[name][128:])};")


main()
