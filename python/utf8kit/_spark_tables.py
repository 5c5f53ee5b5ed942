"""Tables on clusters: errors, repairs, and rejected rows. `utf8kit.spark` exports these functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from utf8kit import arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The reported fields of an error.
_TOLD = ("column", "offset", "len", "kind", "value")


def check_table(df: DataFrame, columns: Iterable[str] | None = None, keys: Iterable[str] = ()) -> DataFrame:
    """Returns every error in the strings and binary values of a table.

    Args:
        df: a table.
        columns: the columns to check. Default: all with strings or binary values, also nested ones.
        keys: columns that identify a row, which are included in the result.

    Returns:
        A table with a row per error: the keys, `column` (the names of the fields that lead to the value), `offset` in
        the value, `len`, `kind`, and `value` (its bytes; null if it is nested). If a key has one of these names, the
        column is called `utf8_column` and so on.
    """
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType

    names, kept = _text_columns(df, columns), [keys] if isinstance(keys, str) else list(keys)
    told = {"column": StringType(), "offset": LongType(), "len": IntegerType(), "kind": StringType(), "value": BinaryType()}
    fields = [df.schema[name] for name in kept] + [StructField(_free(name, kept), kind) for name, kind in told.items()]
    used = list(dict.fromkeys([*kept, *names]))
    return _mapped(df, used, functools.partial(_check_batches, names, kept), StructType(fields))


def repair_table(df: DataFrame, policy: str = "replace", columns: Iterable[str] | None = None) -> DataFrame:
    """Returns the same table, with every string and binary value repaired.

    Args:
        df: a table.
        policy: one of the policies for errors of `utf8kit.repair`.
        columns: as for `check_table`. Pass them if binary columns contain something other than text.
    """
    arrow.check_policy(policy)
    names = _text_columns(df, columns)
    return _mapped(df, df.schema.fieldNames(), functools.partial(_repair_batches, names, policy), df.schema)


def quarantine(df: DataFrame, columns: Iterable[str] | None = None) -> tuple[DataFrame, DataFrame]:
    """Returns the rows without errors, and the rows with errors.

    Args:
        df: a table. It is read for each of the two, so cache it if that is expensive.
        columns: as for `check_table`.

    Returns:
        Two tables. The second has one more column, `utf8_errors`: an array of structs `column`, `offset`, `len`,
        `kind`. If such a column already exists, its name is `utf8_utf8_errors`.
    """
    from pyspark.sql.types import ArrayType, IntegerType, LongType, StringType, StructField, StructType

    names = _text_columns(df, columns)
    parts = {"column": StringType(), "offset": LongType(), "len": IntegerType(), "kind": StringType()}
    error = StructType([StructField(part, kind) for part, kind in parts.items()])
    name = _free("utf8_errors", df.schema.fieldNames())
    told = StructType([*df.schema.fields, StructField(name, ArrayType(error))])
    used = df.schema.fieldNames()
    good = _mapped(df, used, functools.partial(_good_batches, names), df.schema)
    return good, _mapped(df, used, functools.partial(_bad_batches, names, name), told)


def _text_columns(df: DataFrame, columns: Iterable[str] | None) -> list[str]:
    from pyspark.sql.types import ArrayType, BinaryType, MapType, StringType, StructType

    def has_text(kind: Any) -> bool:
        match kind:
            case StringType() | BinaryType():
                return True
            case ArrayType():
                return has_text(kind.elementType)
            case MapType():
                return has_text(kind.keyType) or has_text(kind.valueType)
            case StructType():
                return any(has_text(field.dataType) for field in kind)
        return False

    found = [field.name for field in df.schema if has_text(field.dataType)]
    if columns is not None:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        missing = [name for name in wanted if name not in found]
        if missing:
            raise ValueError(f"no column of strings or binary values is called {', '.join(missing)}")
        found = wanted
    if not found:
        raise ValueError("the table has no column of strings or binary values")
    return found


def _free(name: str, taken: Iterable[str]) -> str:
    """Returns a name that no column has. Spark does not distinguish cases."""
    known = {other.lower() for other in taken}
    while name in known:
        name = f"utf8_{name}"
    return name


def _mapped(df: DataFrame, used: list[str], function: Callable[..., Iterator[pa.RecordBatch]], schema: Any) -> DataFrame:
    """Maps the batches of some columns to those of another table. The engines see numbers instead of the names, because
    some treat a dot as a field access."""
    from pyspark.sql.types import StructField, StructType

    places = {name: f"c{place}" for place, name in enumerate(df.schema.fieldNames())}
    numbered = StructType([StructField(f"c{place}", field.dataType, field.nullable) for place, field in enumerate(schema)])
    chosen = df.toDF(*(f"c{place}" for place in range(len(df.schema)))).select(*(places[name] for name in used))
    return chosen.mapInArrow(functools.partial(_run, function, used), numbered).toDF(*schema.fieldNames())


def _run(function: Any, used: list[str], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in function(batch.rename_columns(used) for batch in batches):
        yield batch.rename_columns([f"c{place}" for place in range(batch.num_columns)])


def _chosen(batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    return batch.select([batch.schema.get_field_index(name) for name in names])


def _check_batches(names: list[str], keys: list[str], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for name in names:
            chosen = _chosen(batch, [name])
            if arrow.is_valid(chosen):
                continue
            found = pa.record_batch(arrow.errors(chosen))
            rows, paths, values = found["row"], found["column"], batch[name]
            flat = values.type in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())
            told = [values[row].as_buffer().to_pybytes() if flat else None for row in rows.to_pylist()]
            columns = [batch[key].take(rows) for key in keys]
            columns += [paths.cast(pa.string()), found["offset"].cast(pa.int64()), found["len"].cast(pa.int32())]
            columns += [found["kind"].cast(pa.string()), pa.array(told, pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, names=[*keys, *(_free(one, keys) for one in _TOLD)])


def _repair_batches(names: list[str], policy: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        repaired = pa.record_batch(arrow.repair(_chosen(batch, names), policy))
        columns = [repaired[field.name] if field.name in names else batch[field.name] for field in batch.schema]
        yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _good_batches(names: list[str], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = pa.array(arrow.bad_rows(_chosen(batch, names)))
        if len(rows) == 0:
            yield batch
            continue
        bad = set(rows.to_pylist())
        yield batch.filter(pa.array([row not in bad for row in range(batch.num_rows)]))


def _bad_batches(names: list[str], column: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        chosen = _chosen(batch, names)
        if arrow.is_valid(chosen):
            continue
        by_row: dict[int, list[dict[str, Any]]] = {}
        for error in pa.record_batch(arrow.errors(chosen)).to_pylist():
            by_row.setdefault(error.pop("row"), []).append(error)
        rows = sorted(by_row)
        kind = pa.struct([("column", pa.string()), ("offset", pa.int64()), ("len", pa.int32()), ("kind", pa.string())])
        told = pa.array([by_row[row] for row in rows], pa.list_(kind))
        taken = batch.take(pa.array(rows, pa.int64()))
        yield taken.append_column(column, told)
