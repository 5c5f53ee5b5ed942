"""The command `utf8`, as `python -m utf8kit`; and `python -m utf8kit parquet`, which the command alone has not."""

from __future__ import annotations

import signal
import sys

from utf8kit import _native


def main() -> int:
    """Does what was typed, and returns the exit status: 0, 1 for findings, 2 for trouble."""
    if sys.argv[1:2] == ["parquet"]:
        from utf8kit import parquet

        return parquet.main(sys.argv[2:])
    # What Python does about Ctrl-C waits for Python code to run, and there is none meanwhile.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["utf8", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
