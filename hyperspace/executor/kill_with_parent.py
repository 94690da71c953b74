"""A program that ends with whoever started it: `python .../kill_with_parent.py PROGRAM ...`.

A coordinator or worker that is killed takes the run that it plays with it, so that no run is played
twice at a time. The end is a polite one: what plays a run takes its sandboxes down.

Whoever starts it holds the other end of its standard input. The kernel's own signal would follow
the thread that started the process, and an event loop may start it from one that does not last.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_SET_PARENT_DEATH_SIGNAL: Final = 1  # linux/prctl.h
_STDIN: Final = 0
_POLITE: Final = (signal.SIGINT, signal.SIGTERM)


def tied(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command line that ends when its standard input does."""
    return (sys.executable, "-IS", str(Path(__file__)), *command)


def main(command: Sequence[str]) -> int:
    """Play a program; returns its exit code, and ends by the signal that ended it."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent)
    for number in _POLITE:
        signal.signal(number, lambda number, _frame: child.send_signal(number))
    ended = os.pidfd_open(child.pid)
    ready, _, _ = select.select([_STDIN, ended], [], [])
    if ended not in ready:  # nothing is ever written to it: this is its end
        child.terminate()
    code = child.wait()
    if code < 0:
        if -code in _POLITE:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
