"""Signals are handled while a call works or waits, so that Ctrl-C ends it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

#: Calls that work for a while.
WORK = {
    "count": "utf8kit.count, legacy",
    "repair": "utf8kit.repair, legacy",
    "repair of a bytearray": "utf8kit.repair, bytearray(legacy)",
    "convert": "utf8kit.convert, legacy, 'windows-1252', 'utf-8'",
    "convert between Unicode": "utf8kit.convert, legacy, 'utf-8', 'utf-8-offset', 'replace'",
    "detect": "utf8kit.detect, mixed",
    "mojibake": "utf8kit.fix_mojibake, 'cafÃ© itâ€™s\\n' * 50_000",
    "Summary.of": "utf8kit.Summary.of, legacy",
    "Document": "utf8kit.Document, legacy",
    "explain": "utf8kit.explain, legacy[:1_000_000]",
    "arrow.repair": "utf8kit.arrow.repair, __import__('pyarrow').array([b'a\\xff'] * 1_000_000)",
    "compare": "utf8kit.compare, legacy[:100_000], legacy[:100_000].replace(b'\\xdf', b'ss')",
}

#: The handler of the signal must run between the start and the end of the call. No bytecode runs between these steps,
#: where Python would call it otherwise.
WORKS = """
import operator, signal, utf8kit, utf8kit.arrow
from functools import partial
good = b"a\\xff" * (20 << 20)
legacy = "naïve Größe der Straße, für alle Fälle\\r\\n".encode("cp1252") * 1_000_000
mixed = ("Größe und другие\\n".encode() + "naïve Größe\\n".encode("cp1252")) * 40_000
events = []
signal.signal(signal.SIGALRM, lambda *_: events.append("signal"))
call = partial(CALL)
for attempt in range(20):
    events.clear()
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    tuple(map(operator.call, (partial(events.append, "start"), call, partial(events.append, "end"))))
    signal.setitimer(signal.ITIMER_REAL, 0)
    if events == ["start", "signal", "end"]:
        print("handled")
        break
"""

#: Calls that work on one long value, and are ended during it.
LONG = {
    "mojibake": "utf8kit.fix_mojibake, doubled",
    "find_mojibake": "utf8kit.find_mojibake, doubled",
    "arrow.repair": "utf8kit.arrow.repair, pyarrow.array([good])",
    "arrow.decode of a list": "utf8kit.arrow.decode, pyarrow.array([[good]]), 'remove'",
    "arrow.error_count of a dictionary": "utf8kit.arrow.error_count, pyarrow.array([good]).dictionary_encode()",
    "arrow.repair of a stream": "stream, utf8kit.arrow.repair, pyarrow.array([good])",
    "arrow.decode of a stream": "stream, utf8kit.arrow.decode, pyarrow.array([good]), 'remove'",
    "arrow.errors of views": "utf8kit.arrow.errors, pyarrow.array([good]).cast(pyarrow.binary_view())",
}

#: A value so large that a call takes a while. A call that is not interrupted during its work raises at its end. The
#: test measures processor time, which other processes do not affect.
TAKES = """
import os, pyarrow, signal, time, utf8kit, utf8kit.arrow
from functools import partial


def stream(function, chunk, *arguments):
    return pyarrow.chunked_array(function(pyarrow.chunked_array([chunk]), *arguments))


for amount in (20 << shift for shift in range(6)):
    good = b"a\\xff" * (amount << 19)
    doubled = "cafÃ© itâ€™s " * (amount * 20_000)
    call = partial(CALL)
    start = time.process_time()
    call()
    whole = time.process_time() - start
    if whole > 0.5:
        break
assert whole > 0.5, whole
time.sleep(0.1)
threads = THREADS
signal.signal(signal.SIGPROF, signal.default_int_handler)
start = time.process_time()
signal.setitimer(signal.ITIMER_PROF, whole / 20)
try:
    call()
except KeyboardInterrupt:
    while THREADS > threads:
        time.sleep(0.01)
    part = time.process_time() - start
    print("handled" if part < whole / 2 else f"handled after {part} of {whole} seconds", flush=True)
os._exit(0)
"""

#: The number of threads of the process.
THREADS = "len(os.listdir('/proc/self/task'))"

#: Calls that wait or work forever.
WAIT = {
    "check_file of a pipe": "utf8kit.check_file(pipe)",
    "repair_file of a pipe": "utf8kit.repair_file(pipe, target)",
    "Summary.of_file": "utf8kit.Summary.of_file(endless)",
    "check_file": "utf8kit.check_file(endless)",
    "edit of a locked file": "utf8kit.edit(locked).__enter__()",
}

WAITS = """
import fcntl, os, signal, sys, utf8kit
pipe, target, locked, endless = (os.path.join(sys.argv[1], name) for name in ("pipe", "target", "locked", "endless"))
os.mkfifo(pipe)
held = os.open(pipe, os.O_RDWR)
lock = open(locked, "w")
fcntl.flock(lock, fcntl.LOCK_EX)
with open(endless, "w") as file:
    file.truncate(1 << 42)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    CALL
except KeyboardInterrupt:
    print("handled", os.path.exists(target), flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("name", WORK)
def test_work_ends(name: str) -> None:
    assert run(WORKS.replace("CALL", WORK[name])) == "handled\n"


@pytest.mark.parametrize("name", LONG)
def test_work_on_one_value_ends(name: str) -> None:
    assert run(TAKES.replace("CALL", LONG[name]).replace("THREADS", "0")) == "handled\n"


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no list of threads")
def test_cancelled_work_leaves_no_thread_behind() -> None:
    call = "utf8kit.arrow.error_count, pyarrow.array([good[:2000]] * (len(good) // 2000))"
    assert run(TAKES.replace("CALL", call).replace("THREADS", THREADS)) == "handled\n"


@pytest.mark.parametrize("name", WAIT)
def test_waiting_ends(name: str, tmp_path) -> None:
    assert run(WAITS.replace("CALL", WAIT[name]), str(tmp_path)) == "handled False\n"


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout
