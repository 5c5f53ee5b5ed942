"""Tests columns against decoding each value by itself, in every layout, with nulls, slices and nesting."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given, settings, strategies as st

import utf8kit
from utf8kit import arrow

pa = pytest.importorskip("pyarrow")

VALUE = st.one_of(
    st.none(),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=6),
    st.sampled_from([b"", b"\xe2\x82", b"\xac", b"\xf0\x9f", b"\x98\x80", b"a" * 40 + b"\xff", "€".encode() * 9]),
)
VALUES = st.lists(VALUE, max_size=40)
TYPES = ["binary", "large_binary", "binary_view", "string", "large_string", "string_view"]


def make(values: list[bytes | None], kind: str) -> pa.Array:
    """A column of this type with any bytes."""
    if kind == "binary_view" or kind == "string_view":
        column = pa.array(values, pa.binary()).cast(pa.binary_view())
        return column if kind == "binary_view" else retyped(column, pa.string_view())
    base = pa.large_binary() if kind.startswith("large") else pa.binary()
    column = pa.array(values, base)
    return column if "binary" in kind else retyped(column, pa.large_string() if base == pa.large_binary() else pa.string())


def retyped(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """The same buffers declared as another type, which is how invalid strings arise."""
    return pa.Array.from_buffers(kind, len(column), column.buffers(), column.null_count, column.offset)


def values_of(column: pa.Array) -> list[bytes | None]:
    """The bytes of each value, without decoding."""
    if column.type in (pa.string(), pa.large_string(), pa.string_view()):
        binary = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
        column = retyped(column, binary[column.type])
    return column.to_pylist()


def expected(values: list[bytes | None]) -> list[dict]:
    return [
        {"row": row, "column": "", "offset": error.offset, "len": error.len, "kind": error.kind}
        for row, value in enumerate(values)
        if value is not None
        for error in utf8kit.errors(value)
    ]


@pytest.mark.parametrize("kind", TYPES)
@settings(deadline=None)
@given(values=VALUES, data=st.data())
def test_values_and_slices(kind: str, values: list[bytes | None], data: st.DataObject) -> None:
    column = make(values, kind)
    start = data.draw(st.integers(0, len(values)))
    length = data.draw(st.integers(0, len(values) - start))
    column, values = column.slice(start, length), values[start : start + length]
    errors = expected(values)
    assert arrow.is_valid(column) == (not errors)
    assert pa.record_batch(arrow.errors(column)).to_pylist() == errors
    assert arrow.error_count(column) == len(errors)
    rows = sorted({error["row"] for error in errors})
    assert pa.array(arrow.bad_rows(column)).to_pylist() == rows
    first = arrow.first_error(column)
    assert (first._asdict() if first else None) == (errors[0] if errors else None)
    for policy in ("replace", "remove", "escape"):
        repaired = pa.array(arrow.repair(column, policy))
        repaired.validate(full=True)
        assert repaired.type == column.type
        assert values_of(repaired) == [v if v is None else utf8kit.repair(v, policy) for v in values]


@settings(deadline=None)
@given(st.lists(VALUES, max_size=5))
def test_chunks(chunks: list[list[bytes | None]]) -> None:
    column = pa.chunked_array([pa.array(chunk, pa.binary()) for chunk in chunks], pa.binary())
    flat = [value for chunk in chunks for value in chunk]
    errors = expected(flat)
    assert pa.record_batch(arrow.errors(column)).to_pylist() == errors
    assert arrow.is_valid(column) == (not errors)
    repaired = pa.chunked_array(arrow.repair(column))
    assert repaired.to_pylist() == [v if v is None else utf8kit.repair(v) for v in flat]
    assert [len(chunk) for chunk in repaired.chunks] == [len(chunk) for chunk in chunks]


ROWS = st.lists(
    st.fixed_dictionaries({
        "id": st.integers(0, 9),
        "name": VALUE,
        "tags": st.none() | st.lists(VALUE, max_size=3),
        "pair": st.none() | st.fixed_dictionaries({"a": VALUE, "b": st.lists(st.fixed_dictionaries({"c": VALUE}), max_size=2)}),
        "map": st.none() | st.lists(st.tuples(st.binary(max_size=3), VALUE), max_size=2),
        "two": st.none() | st.lists(VALUE, min_size=2, max_size=2),
        "word": VALUE,
    }),
    max_size=8,
)
NESTED = {
    "id": "int64",
    "name": "binary",
    "tags": "list",
    "pair": "struct",
    "map": "map",
    "two": "fixed",
    "word": "dictionary",
}


def schema() -> pa.Schema:
    return pa.schema([
        ("id", pa.int64()),
        ("name", pa.binary()),
        ("tags", pa.large_list(pa.field("item", pa.binary()))),
        ("pair", pa.struct([("a", pa.large_binary()), ("b", pa.list_(pa.field("item", pa.struct([("c", pa.binary())]))))])),
        ("map", pa.map_(pa.binary(), pa.binary())),
        ("two", pa.list_(pa.field("item", pa.binary()), 2)),
        ("word", pa.dictionary(pa.int8(), pa.binary())),
    ])


def leaves(value: object, path: str) -> list[tuple[str, bytes]]:
    """Every value in a row, with its path."""
    if isinstance(value, bytes):
        return [(path, value)]
    if isinstance(value, dict):
        return [leaf for name, inner in value.items() for leaf in leaves(inner, f"{path}.{name}".strip("."))]
    if isinstance(value, list):
        if path == "map":
            pairs = [("map.entries.key", k) for k, _ in value] + [("map.entries.value", v) for _, v in value]
            return [leaf for name, inner in pairs for leaf in leaves(inner, name)]
        return [leaf for inner in value for leaf in leaves(inner, f"{path}.item")]
    return []


def repaired_value(value: object) -> object:
    if isinstance(value, bytes):
        return utf8kit.repair(value)
    if isinstance(value, dict):
        return {name: repaired_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(repaired_value(inner) for inner in value)
    return value


@settings(deadline=None, max_examples=60)
@given(ROWS, st.data())
def test_nesting(rows: list[dict], data: st.DataObject) -> None:
    table = pa.Table.from_pylist(rows, schema())
    start = data.draw(st.integers(0, len(rows)))
    rows, table = rows[start:], table.slice(start)
    wanted = sorted(
        (row, path, error.offset, error.kind)
        for row, values in enumerate(rows)
        for path, value in leaves(values, "")
        for error in utf8kit.errors(value)
    )
    found = pa.table(arrow.errors(table)) if False else pa.record_batch(arrow.errors(table))
    assert sorted((e["row"], e["column"], e["offset"], e["kind"]) for e in found.to_pylist()) == wanted
    assert arrow.is_valid(table) == (not wanted)
    assert pa.array(arrow.bad_rows(table)).to_pylist() == sorted({row for row, *_ in wanted})
    first = arrow.first_error(table)
    assert (first.row if first else None) == (wanted[0][0] if wanted else None)
    repaired = pa.table(arrow.repair(table))
    repaired.validate(full=True)
    assert repaired.schema == table.schema
    assert repaired.to_pylist() == [repaired_value(row) for row in rows]


def test_unions_runs_and_list_views() -> None:
    texts = pa.array([b"ok", b"\xff", b"x", b"\xc0\xaf"])
    numbers = pa.array([1, 2, 3, 4])
    ids = pa.array([0, 0, 1, 0], pa.int8())
    sparse = pa.UnionArray.from_sparse(ids, [texts, numbers], ["t", "n"])
    assert rows_of(sparse) == [1, 3]
    assert rows_of(sparse.slice(2)) == [1]
    dense = pa.UnionArray.from_dense(ids, pa.array([3, 0, 0, 1], pa.int32()), [texts, numbers], ["t", "n"])
    assert rows_of(dense) == [0, 3]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 6], pa.int32()), pa.array([b"a", b"\xff", b"b"]))
    assert rows_of(runs) == [2] and rows_of(runs.slice(2, 2)) == [0] and arrow.is_valid(runs.slice(3))
    views = pa.ListViewArray.from_arrays(pa.array([2, 0, 1], pa.int32()), pa.array([2, 1, 1], pa.int32()), texts)
    assert rows_of(views) == [0, 2]
    nulls = pa.DictionaryArray.from_arrays(pa.array([1, None, 0, 1], pa.int8()), pa.array([b"\xff", b"ok"]))
    assert rows_of(nulls) == [2]
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.uint16()), pa.array([b"\xff", b"ok"]))
    assert arrow.is_valid(unused) and arrow.error_count(unused) == 0


def rows_of(column: object) -> list[int]:
    return pa.array(arrow.bad_rows(column)).to_pylist()


def test_what_is_clean_is_shared() -> None:
    column = pa.array(["a", None, "bc"] * 100)
    same = pa.array(arrow.repair(column))
    assert [b and b.address for b in same.buffers()] == [b and b.address for b in column.buffers()]
    table = pa.table({"clean": column, "dirty": pa.array([b"\xff"] * 300)})
    repaired = pa.table(arrow.repair(table))
    assert repaired["clean"].chunk(0).buffers()[2].address == column.buffers()[2].address
    assert repaired["dirty"].to_pylist() == ["\ufffd".encode()] * 300
    views = pa.array([b"x" * 50, b"\xff" * 20]).cast(pa.binary_view())
    assert pa.array(arrow.repair(views)).buffers()[2].address == views.buffers()[2].address


def test_it_outlives_what_it_shares() -> None:
    repaired = arrow.repair(pa.array(["kept"] * 1000))
    gc.collect()
    first, second = pa.array(repaired), pa.array(repaired)
    del repaired
    gc.collect()
    assert first == second and first[999].as_py() == "kept"


def test_field_metadata_stays() -> None:
    field = pa.field("a", pa.binary(), nullable=False, metadata={"k": "v", "long": "x" * 300})
    batch = pa.record_batch([pa.array([b"\xff"])], schema=pa.schema([field], metadata={"whole": "yes"}))
    repaired = pa.record_batch(arrow.repair(batch))
    assert repaired.schema.equals(batch.schema, check_metadata=True)


def test_streams_are_read_as_they_come() -> None:
    produced = []

    def batches():
        for number in range(3):
            produced.append(number)
            yield pa.record_batch({"a": [b"\xff"]})

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.binary())]), batches())
    stream = arrow.repair(reader, "remove")
    assert produced == []
    repairing = pa.RecordBatchReader.from_stream(stream)
    assert repairing.read_next_batch().to_pylist() == [{"a": b""}] and len(produced) < 3
    assert repairing.read_all().num_rows == 2
    with pytest.raises(ValueError, match="consumed"):
        stream.__arrow_c_stream__()


def test_errors_of_the_source() -> None:
    def batches():
        yield pa.record_batch({"a": [b"x"]})
        raise RuntimeError("the disk is gone")

    def reader():
        return pa.RecordBatchReader.from_batches(pa.schema([("a", pa.binary())]), batches())

    with pytest.raises(ValueError, match="the disk is gone"):
        arrow.is_valid(reader())
    with pytest.raises(Exception, match="the disk is gone"):
        pa.RecordBatchReader.from_stream(arrow.repair(reader())).read_all()


POLICIES = ["fallback=windows-1252", "fallback-lines=cp437", "mojibake", "unescape", "escape", "replace-run", "replace=?"]


@pytest.mark.parametrize("kind", TYPES)
@settings(deadline=None, max_examples=40)
@given(values=VALUES, doubled=st.text("é€ß", max_size=15), data=st.data())
def test_any_policy(kind: str, values: list[bytes | None], doubled: str, data: st.DataObject) -> None:
    """Repairs each value by itself, also in slices; `decode` and `mask` agree with `repair`."""
    values = [*values, doubled.encode().decode("latin-1").encode(), b"a\\xC3\\x28"]
    start = data.draw(st.integers(0, len(values)))
    column, values = make(values, kind)[start:], values[start:]
    for policy in POLICIES:
        wanted = [None if value is None else utf8kit.repair(value, policy) for value in values]
        repaired = pa.array(arrow.repair(column, policy))
        repaired.validate()
        assert repaired.type == column.type and values_of(repaired) == wanted
        bad = [row for row, value in enumerate(wanted) if value is not None and not utf8kit.is_valid(value)]
        if bad:
            with pytest.raises(ValueError, match=f"^row {bad[0]}, byte"):
                arrow.decode(column, policy)
        else:
            decoded = pa.array(arrow.decode(column, policy))
            decoded.validate(full=True)
            assert decoded.type == retyped_type(column.type) and values_of(decoded) == wanted
    told = [None if value is None else utf8kit.is_valid(value) for value in values]
    marks = pa.array(arrow.mask(column))
    marks.validate(full=True)
    assert marks.to_pylist() == told
    if False in told:
        with pytest.raises(ValueError, match=f"^row {told.index(False)}, byte"):
            arrow.decode(column)
    else:
        assert pa.array(arrow.decode(column)).to_pylist() == [None if value is None else value.decode() for value in values]


def retyped_type(kind: pa.DataType) -> pa.DataType:
    strings = {pa.binary(): pa.string(), pa.large_binary(): pa.large_string(), pa.binary_view(): pa.string_view()}
    return strings.get(kind, kind)


def test_decode_of_tables_and_streams() -> None:
    names = pa.chunked_array([[b"a", None], [b"caf\xe9"]])
    tags = pa.chunked_array([pa.array([[b"x"], []], pa.list_(pa.binary())), pa.array([[b"\xff", b"y"]], pa.list_(pa.binary()))])
    table = pa.table({"id": [1, 2, 3], "name": names, "tags": tags})
    decoded = pa.table(arrow.decode(table, "fallback=windows-1252"))
    assert decoded.schema.types == [pa.int64(), pa.string(), pa.list_(pa.string())]
    assert decoded["name"].to_pylist() == ["a", None, "café"] and decoded["tags"].to_pylist() == [["x"], [], ["ÿ", "y"]]
    assert pa.chunked_array(arrow.mask(table["tags"])).to_pylist() == [True, True, False]
    with pytest.raises(OSError, match="row 2, column name, byte 3: truncated"):
        pa.table(arrow.decode(table))
    hidden = pa.Array.from_buffers(pa.binary(), 2, [pa.py_buffer(b"\x01"), *pa.array([b"a", b"\xff"]).buffers()[1:]])
    decoded = pa.array(arrow.decode(hidden))
    assert decoded.to_pylist() == ["a", None] and decoded.buffers()[2].to_pybytes() == b"a"
    clean = pa.array([b"a", b"b"])
    assert pa.array(arrow.decode(clean)).buffers()[2].address == clean.buffers()[2].address


def test_what_is_no_column() -> None:
    with pytest.raises(TypeError, match="__arrow_c_array__"):
        arrow.is_valid([b"a"])
    with pytest.raises(TypeError, match="no strings"):
        arrow.is_valid(pa.array([1, 2]))
    with pytest.raises(ValueError, match="unknown policy"):
        arrow.repair(pa.array(["a"]), "nonsense")
    for kind in TYPES:
        empty = make([], kind)
        assert arrow.is_valid(empty) and len(pa.array(arrow.repair(empty))) == 0


def test_broken_offsets_are_refused() -> None:
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little", signed=True) for n in (0, 3, 1, 4)))
    broken = pa.Array.from_buffers(pa.binary(), 3, [None, offsets, pa.py_buffer(b"abcd")])
    with pytest.raises(ValueError, match="not valid Arrow data"):
        arrow.is_valid(broken)


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    series = pl.Series("s", [b"fine", b"caf\xe9 is longer than twelve", None])
    assert not arrow.is_valid(series) and arrow.first_error(series).row == 1
    repaired = pl.Series(arrow.repair(series))
    assert repaired.to_list() == [b"fine", "caf\ufffd is longer than twelve".encode(), None]
    frame = pl.DataFrame({"n": [1, 2], "s": ["ä", "b"]})
    assert arrow.is_valid(frame) and pl.DataFrame(arrow.repair(frame)).equals(frame)


def test_duckdb_scans_a_repaired_table() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.table({"id": [1, 2, 3], "name": [b"caf\xe9", None, b"ok"]})
    with duckdb.connect() as connection:
        repaired = arrow.repair(table, "fallback=windows-1252")
        assert connection.sql("SELECT decode(name) FROM repaired WHERE id < 3 ORDER BY id").fetchall() == [("café",), (None,)]
        connection.register("decoded", arrow.decode(table, "replace=?"))
        assert connection.sql("SELECT id FROM decoded WHERE name = 'caf?'").fetchall() == [(1,)]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"s": pd.Series(["a", "b"], dtype="str"), "b": [b"\xff", b"ok"]})
    assert arrow.first_error(frame) == arrow.BadValue(0, "b", 0, 1, "invalid_byte")


def test_hostile_buffers_are_refused() -> None:
    """An untrusted file may have offsets beyond its buffers, which pyarrow does not check when it reads."""
    sink = pa.BufferOutputStream()
    table = pa.table({"s": pa.array(["a" * 20] * 50)})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content = bytearray(sink.getvalue().to_pybytes())
    last = (1000).to_bytes(4, "little")
    at = content.index((980).to_bytes(4, "little") + last) + 4
    content[at : at + 4] = (5000).to_bytes(4, "little")
    hostile = pa.ipc.open_file(pa.BufferReader(bytes(content)))
    read = hostile.read_all()
    calls = (arrow.is_valid, arrow.first_error, arrow.error_count, arrow.bad_rows, arrow.errors, lambda t: pa.table(arrow.repair(t)))
    batches = [hostile.get_batch(0)]
    for call in calls:
        for broken in (read, read["s"], batches[0], pa.RecordBatchReader.from_batches(read.schema, batches)):
            # An error of a stream is an OSError for its reader.
            with pytest.raises((ValueError, OSError), match="larger than values"):
                call(broken)


def test_offsets_of_lists_may_not_descend() -> None:
    values = pa.array([b"a", b"\xff", b"c"])
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (2, 0, 2)))
    lists = pa.Array.from_buffers(pa.list_(pa.binary()), 2, [None, offsets], children=[values])
    # pyarrow only compares the first and the last offset.
    lists.validate()
    for call in (arrow.is_valid, arrow.errors, lambda column: pa.array(arrow.repair(column))):
        with pytest.raises(ValueError, match="descend"):
            call(lists)


@pytest.mark.parametrize("kind", ["list", "large_list", "list_view", "large_list_view", "fixed", "struct", "map"])
def test_slices_are_repaired_alone(kind: str) -> None:
    """The result of each slice is as long as the slice, not as the array."""
    rows = 400
    strings = pa.array([b"caf\xe9" if n % 7 == 0 else b"some text" if n % 5 else None for n in range(2 * rows)])
    pairs = [n * 2 for n in range(rows + 1)]
    null = pa.array([n % 11 == 0 for n in range(rows)])
    make = {
        "list": lambda: pa.ListArray.from_arrays(pa.array(pairs, pa.int32()), strings, mask=null),
        "large_list": lambda: pa.LargeListArray.from_arrays(pa.array(pairs, pa.int64()), strings, mask=null),
        "list_view": lambda: pa.ListViewArray.from_arrays(pa.array(pairs[-2::-1], pa.int32()), pa.array([2] * rows, pa.int32()), strings, mask=null),
        "large_list_view": lambda: pa.LargeListViewArray.from_arrays(pa.array(pairs[:-1], pa.int64()), pa.array([2] * rows, pa.int64()), strings, mask=null),
        "fixed": lambda: pa.FixedSizeListArray.from_arrays(strings, 2, mask=null),
        "struct": lambda: pa.StructArray.from_arrays([strings[:rows], pa.array(range(rows))], ["a", "n"], mask=null),
        "map": lambda: pa.MapArray.from_arrays(pa.array(pairs, pa.int32()), strings.fill_null(b"k"), strings),
    }
    whole = make[kind]()
    expected = [utf8kit_repaired(row) for row in whole.to_pylist()]
    total = 0
    for start in range(0, rows, 13):
        repaired = pa.array(arrow.repair(whole.slice(start, 13)))
        repaired.validate(full=True)
        assert repaired.to_pylist() == expected[start : start + 13]
        total += repaired.get_total_buffer_size()
    assert total < 10 * whole.get_total_buffer_size()


def utf8kit_repaired(value: object) -> object:
    """Repairs each value of nested lists, tuples and dicts."""
    if isinstance(value, bytes):
        return utf8kit.repair(value)
    if isinstance(value, dict):
        return {key: utf8kit_repaired(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(utf8kit_repaired(one) for one in value)
    return value


def test_no_more_is_searched_than_asked_for() -> None:
    """Chunks after the last requested error are not read."""
    read = []

    def chunks():
        for number in range(5):
            read.append(number)
            yield pa.record_batch({"a": [b"\xff"] * 3, "b": [b"x", b"\xff", b"y"]})

    def source() -> pa.RecordBatchReader:
        read.clear()
        return pa.RecordBatchReader.from_batches(pa.schema([("a", pa.binary()), ("b", pa.binary())]), chunks())

    assert pa.record_batch(arrow.errors(source(), 4))["column"].to_pylist() == ["a", "a", "a", "b"] and read == [0]
    assert len(pa.record_batch(arrow.errors(source(), 0))) == 0 and read == []
    assert arrow.first_error(source()).row == 0 and read == [0]


def test_bad_values_that_rows_refer_to() -> None:
    """The values of several fields, in a dictionary, list views and runs, in the order of the rows."""
    values = pa.StructArray.from_arrays(
        [pa.array([b"a", b"\xff", b"b", b"c\xff"]), pa.array([b"\xfe", b"x", b"y", b"z\xfe"])], ["p", "q"]
    )
    views = pa.ListViewArray.from_arrays(pa.array([3, 0, 1], pa.int32()), pa.array([1, 2, 0], pa.int32()), values)
    batch = pa.RecordBatch.from_arrays([views], ["v"])
    found = pa.record_batch(arrow.errors(batch)).to_pylist()
    places = [(one["row"], one["column"].rsplit(".", 1)[-1], one["offset"]) for one in found]
    assert places == [(0, "p", 1), (0, "q", 1), (1, "q", 0), (1, "p", 0)]
    assert arrow.error_count(batch) == 4 and not arrow.is_valid(batch)
    keys = pa.array([2, 3, 0, 3], pa.int32())
    dictionary = pa.DictionaryArray.from_arrays(keys, pa.array([b"\xff", b"ok", b"fine", b"x\xfe\xfe"]))
    rows = [(one["row"], one["offset"]) for one in pa.record_batch(arrow.errors(dictionary)).to_pylist()]
    assert rows == [(1, 1), (1, 2), (2, 0), (3, 1), (3, 2)]


def test_validity_of_long_columns() -> None:
    """Columns that are checked in several parts."""
    values = ["x"] * 600_000
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert arrow.is_valid(pa.array(values, kind))
    for at in (0, 262_143, 262_144, 524_288, 599_999):
        column = pa.array([b"x"] * at + [b"\xff"] + [b"x"] * (599_999 - at))
        assert not arrow.is_valid(column)
        hidden = pa.array([True] * at + [False] + [True] * (599_999 - at))
        assert arrow.is_valid(pa.Array.from_buffers(pa.binary(), 600_000, [hidden.buffers()[1], *column.buffers()[1:]]))


def test_chunks_share_a_repaired_dictionary():
    """A dictionary shared by all chunks is repaired once."""
    values = pa.array([b"\xff" * 100, b"ok"])
    chunks = [pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int32()), values) for _ in range(50)]
    other = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array([b"\xfe"]))
    column = pa.chunked_array([*chunks, other])
    before = pa.total_allocated_bytes()
    for repaired in (arrow.repair(column), arrow.decode(column, "replace")):
        repaired = pa.chunked_array(repaired)
        dictionaries = {chunk.dictionary.buffers()[2].address for chunk in repaired.chunks}
        assert len(dictionaries) == 2
        text = "\N{REPLACEMENT CHARACTER}"
        wanted = [text * 100, "ok", None] * 50 + [text]
        given = [v.decode() if isinstance(v, bytes) else v for v in repaired.to_pylist()]
        assert given == wanted
    clean = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), pa.array(["ok"]))
    kept = pa.chunked_array(arrow.repair(pa.chunked_array([clean, clean])))
    assert kept.chunks[1].dictionary.buffers()[2].address == clean.dictionary.buffers()[2].address
    del column, chunks, repaired, dictionaries, kept
    assert pa.total_allocated_bytes() <= before
