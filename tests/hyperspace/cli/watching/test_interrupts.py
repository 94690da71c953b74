"""Ctrl-C while a command waits: it is noted, wherever it strikes."""

import signal
import subprocess
import sys

from hyperspace.cli.watching.interrupts import Interrupts

LOOP = """
import signal, random
from hyperspace.cli.watching.interrupts import Interrupts
for round in range(60):
    noted = Interrupts(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0005, 0.003))
    while not noted.wait(0.0):
        assert not noted.is_set() or noted.wait(60)
    assert noted.is_set()
"""


def test_a_signal_that_strikes_while_a_wait_begins_hangs_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LOOP], timeout=120, check=False)
    assert done.returncode == 0


def test_a_wait_without_a_signal_ends_by_itself() -> None:
    noted = Interrupts(signal.SIGWINCH)
    assert not noted.wait(0.01)
    signal.raise_signal(signal.SIGWINCH)
    assert noted.wait(60)
