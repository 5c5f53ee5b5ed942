"""`utf8kit.explain`: how each code point is encoded in bytes, as data, text, and a picture for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from utf8kit import _native
from utf8kit._native import Item

TYPE_CHECKING = False  # `typing` takes long to import.
if TYPE_CHECKING:
    from typing import overload

    from typing_extensions import Buffer

#: Maximum number of items in a picture.
_SHOWN = 64


class Explanation(Sequence[Item]):
    """The items of a text with their bits: a sequence, which notebooks show as a picture and `str` turns into text.

    >>> import utf8kit
    >>> print(utf8kit.explain("€"))
    U+20AC EURO SIGN  €  at byte 0, 3 bytes
      payload         0010    000010    101100
      bytes       11100010  10000010  10101100
      hex               E2        82        AC
    """

    __slots__ = ("_items", "encoding")

    def __init__(self, items: list[Item], encoding: str) -> None:
        self._items = items
        #: The encoding.
        self.encoding = encoding

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Item: ...
        @overload
        def __getitem__(self, index: slice) -> Explanation: ...

    def __getitem__(self, index: int | slice) -> Item | Explanation:
        if isinstance(index, slice):
            return Explanation(self._items[index], self.encoding)
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __repr__(self) -> str:
        return f"<Explanation of {len(self)} items of {self.encoding}>"

    def __str__(self) -> str:
        return "\n\n".join("\n".join(_lines(item)) for item in self)

    def _repr_html_(self) -> str:
        shown = "".join(_card(item) for item in self._items[:_SHOWN])
        more = len(self) - _SHOWN
        rest = f'<p class="u8k-more">and {more:,} more</p>' if more > 0 else ""
        return f'<style>{_STYLE}</style><div class="u8k">{shown}{rest}</div>'


def explain(data: Buffer | str, encoding: str = "utf-8", limit: int | None = None) -> Explanation:
    """Explains how each code point is encoded in bytes, bit by bit, or why bytes are invalid.

    Args:
        data: any buffer, or a `str`, which is encoded in UTF-8.
        encoding: one of `utf8kit.encodings()`.
        limit: the maximum number of code points and errors to explain; None for all.

    Returns:
        An `Explanation`: a sequence of `Item`. Notebooks show it as a picture.

    >>> import utf8kit
    >>> euro = utf8kit.explain("€")[0]
    >>> hex(euro.code_point), euro.bytes, euro.bits[0][6]
    ('0x20ac', b'\\xe2\\x82\\xac', (True, 13))
    >>> slash = utf8kit.explain(b"\\xc0\\xaf")[0]
    >>> slash.kind, chr(slash.lax_value)
    ('overlong', '/')
    """
    if isinstance(data, str):
        if encoding != "utf-8":
            raise TypeError("a str is explained in utf-8; give bytes for another encoding")
        data = data.encode("utf-8", "surrogatepass")
    most = limit if limit is not None else (1 << 63) - 1
    return Explanation(_native.explain(data, encoding, most), encoding)


def _title(item: Item) -> tuple[str, str, str]:
    """Returns the notation, name and glyph."""
    value = item.code_point
    if value is None:
        return (item.bytes.hex(" ").upper(), str(item.kind), "")
    if value > 0x10FFFF or 0xD800 <= value < 0xE000:
        return (f"U+{value:04X}", "surrogate" if value < 0xE000 else "beyond Unicode", "")
    import unicodedata

    char = chr(value)
    name = unicodedata.name(char, "control" if unicodedata.category(char) == "Cc" else "unnamed")
    return (f"U+{value:04X}", name, char if char.isprintable() and char != " " else "")


def _lines(item: Item) -> Iterator[str]:
    plural = "" if len(item.bytes) == 1 else "s"
    title = "  ".join(filter(None, (" ".join(_title(item)[:2]), _title(item)[2])))
    yield f"{title}  at byte {item.offset}, {len(item.bytes)} byte{plural}"
    rows = {
        "payload": ["".join(str(int(bit)) for bit, place in byte if place is not None) for byte in item.bits],
        "bytes": [f"{byte:08b}" for byte in item.bytes],
        "hex": [f"{byte:02X}" for byte in item.bytes],
    }
    for label, cells in rows.items():
        if any(cells):
            yield f"  {label:<10}" + "".join(f"{cell:>10}" for cell in cells)
    if why := _why(item):
        yield f"  {'why':<12}{why}"


def _why(item: Item) -> str:
    parts = []
    if item.expected is not None:
        low, high = item.expected
        found = "the end" if item.next is None else f"{item.next:02X}"
        parts.append(f"expected {low:02X}..{high:02X}, found {found}")
    if item.lax_value is not None:
        parts.append(f"a lax decoder reads U+{item.lax_value:04X}")
    return "; ".join(parts)


def _card(item: Item) -> str:
    from html import escape

    notation, name, glyph = _title(item)
    error = item.kind is not None
    heads = "".join(f"<th>{byte:02X}</th>" for byte in item.bytes)
    bits = "".join(f"<td>{''.join(_bit(bit, place) for bit, place in byte)}</td>" for byte in item.bits)
    why = f'<div class="u8k-why">{escape(_why(item))}</div>' if _why(item) else ""
    return (
        f'<div class="u8k-card{" u8k-bad" if error else ""}">'
        f'<div class="u8k-title"><b>{escape(notation)}</b> {escape(name)}'
        f' <span class="u8k-glyph">{escape(glyph)}</span></div>'
        f"<table><tr>{heads}</tr><tr>{bits}</tr></table>"
        f'{why}<div class="u8k-at">byte {item.offset:,}</div></div>'
    )


def _bit(bit: bool, place: int | None) -> str:
    kind = "m" if place is None else "p"
    title = "marker" if place is None else f"payload bit {place}"
    return f'<i class="{kind}" title="{title}">{int(bit)}</i>'


_STYLE = (
    ".u8k{display:flex;flex-wrap:wrap;gap:8px;font:13px/1.4 system-ui,sans-serif}"
    ".u8k-card{border:1px solid #8886;border-radius:6px;padding:8px 10px}"
    ".u8k-bad{border-color:#d33}.u8k-bad b{color:#d33}"
    ".u8k table{border-collapse:separate;border-spacing:6px 2px;margin:4px -6px}"
    ".u8k th,.u8k td{padding:0;text-align:center;background:none;font:12px ui-monospace,monospace}"
    ".u8k i{font-style:normal;display:inline-block;width:1.15em;text-align:center;margin:0 .5px;border-radius:2px}"
    ".u8k i.m{background:#8883;color:#888}.u8k i.p{background:#2a7de1;color:#fff}"
    ".u8k-bad i.p{background:#d33}"
    ".u8k-glyph{font-size:17px}.u8k-at{font-size:11px;opacity:.6}.u8k-why{font-size:12px;color:#d33}"
)
