"""The command `utf8` as `python -m utf8kit`, and `python -m utf8kit parquet`, which the command itself lacks."""

from __future__ import annotations

import signal
import sys

from utf8kit import _native


def main() -> int:
    """Runs the command and returns the exit status: 0, 1 for findings, 2 for errors."""
    if sys.argv[1:2] == ["parquet"]:
        from utf8kit import parquet

        return parquet.main(sys.argv[2:])
    # Python's handler for Ctrl-C only runs between steps of Python code, and the command is a single call.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = _native.command(["utf8", *sys.argv[1:]])
    if sys.argv[1:] in (["-h"], ["--help"], ["help"]):
        print("\nIn the Python package also:\n  parquet      Check and repair Parquet files: see utf8 parquet --help")
    return status


if __name__ == "__main__":
    sys.exit(main())
