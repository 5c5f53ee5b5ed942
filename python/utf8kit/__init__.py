"""UTF-8 and its dialects: find every error with its position and reason, repair, convert, explain, at memory speed.

>>> import utf8kit
>>> print(utf8kit.validate(b"caf\\xe9"))
byte 3: truncated sequence: E9 lacks 2 bytes; after E9, expected 80..BF, found the end
>>> utf8kit.repair(b"caf\\xe9").decode()
'caf\ufffd'

Functions take any buffer without copying it, and release the GIL where that is sound. Support for other packages is in
separate modules, which import them when needed: `utf8kit.arrow`, `utf8kit.parquet`, `utf8kit.spark`, `utf8kit.polars`,
`utf8kit.pandas`, `utf8kit.duckdb`, `utf8kit.datafusion`, `utf8kit.protobuf`, `utf8kit.rows`. `utf8kit.codecs` adds the
dialects to `bytes.decode` and `open`.
"""

from utf8kit import codecs
from utf8kit._error import SkippedError, UnencodableError, Utf8Error
from utf8kit._explain import Explanation, explain
from utf8kit._files import ranges
from utf8kit._native import (
    UNICODE_VERSION,
    Change,
    Comparison,
    Converter,
    Damage,
    Detection,
    Document,
    Item,
    MojibakeLine,
    Repairer,
    Report,
    Summary,
    SummaryStream,
    TextIndex,
    TextStream,
    Validator,
    __version__,
    candidates,
    check_file,
    compare,
    convert,
    count,
    detect,
    dialects,
    edit,
    encodings,
    errors,
    find_mojibake,
    fix_mojibake,
    is_valid,
    iter_errors,
    repair,
    repair_file,
    restore,
    truncate,
    validate,
)
from utf8kit._open import TextFile, open, stream

__all__ = [
    "UNICODE_VERSION",
    "Change",
    "Comparison",
    "Converter",
    "Damage",
    "Detection",
    "Document",
    "Explanation",
    "Item",
    "MojibakeLine",
    "Repairer",
    "Report",
    "SkippedError",
    "Summary",
    "SummaryStream",
    "TextFile",
    "TextIndex",
    "TextStream",
    "UnencodableError",
    "Utf8Error",
    "Validator",
    "__version__",
    "candidates",
    "check_file",
    "codecs",
    "compare",
    "convert",
    "count",
    "detect",
    "dialects",
    "edit",
    "encodings",
    "errors",
    "explain",
    "find_mojibake",
    "fix_mojibake",
    "is_valid",
    "iter_errors",
    "open",
    "ranges",
    "repair",
    "repair_file",
    "restore",
    "stream",
    "truncate",
    "validate",
]
