"""DuckDB: functions for columns of bytes. Needs pyarrow.

>>> import duckdb, utf8kit.duckdb
>>> connection = duckdb.connect()
>>> utf8kit.duckdb.register(connection)
>>> connection.execute("SELECT utf8_repair(?, 'fallback=windows-1252')", [b"caf\\xe9"]).fetchone()
('café',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utf8kit import _sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

#: name, function, types of the arguments, type of the result
_FUNCTIONS: tuple[tuple[str, Any, list[str], str], ...] = (
    ("utf8_is_valid", _sql.is_valid, ["BLOB"], "BOOLEAN"),
    ("utf8_error_count", _sql.error_count, ["BLOB"], "UBIGINT"),
    ("utf8_repair", _sql.repair, ["BLOB", "VARCHAR"], "VARCHAR"),
    ("utf8_fix_mojibake", _sql.fix_mojibake, ["VARCHAR"], "VARCHAR"),
)


def register(connection: DuckDBPyConnection) -> None:
    """Adds functions to a connection. A DuckDB `VARCHAR` is always valid, so text that may be invalid is a `BLOB`:

    - `utf8_is_valid(BLOB) -> BOOLEAN`
    - `utf8_error_count(BLOB) -> UBIGINT`: the errors that a decoder replaces.
    - `utf8_repair(BLOB, policy VARCHAR) -> VARCHAR`: any policy of `utf8kit.repair`; each value is repaired by itself.
      The query fails at a value that is still invalid (with `mojibake` or `unescape`).
    - `utf8_fix_mojibake(VARCHAR) -> VARCHAR`: repairs text that was certainly encoded twice.

    Null becomes null. DuckDB calls them with 2048 rows at a time, over Arrow. Registering them again replaces them.

    >>> import duckdb, utf8kit.duckdb
    >>> connection = duckdb.connect()
    >>> utf8kit.duckdb.register(connection)
    >>> connection.execute("SELECT utf8_fix_mojibake('cafÃ©'), utf8_is_valid(?)", [b"\\xff"]).fetchone()
    ('café', False)
    """
    create: Any = connection.create_function  # its stubs accept types only as objects
    for name, function, given, result in _FUNCTIONS:
        _remove(connection, name)
        create(name, function, given, result, type="arrow", null_handling="special")


def _remove(connection: DuckDBPyConnection, name: str) -> None:
    import duckdb

    try:
        connection.remove_function(name)
    except duckdb.InvalidInputException:
        pass  # It was not registered.
