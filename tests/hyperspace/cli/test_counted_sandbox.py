"""CPU seconds of sandboxes, and of the other children of the program that plays a seed."""

import subprocess
import sys
from typing import Final

from guards.sandboxes.choose import choose
from hyperspace.cli.counted_sandbox import CountedSandbox

BUSY_S: Final = 0.3
PROGRAM: Final = f"""
import time
while time.process_time() < {BUSY_S}:
    pass
print("done", flush=True)
input()
"""


def test_children_that_hold_environments_are_counted_while_they_live_and_afterwards() -> None:
    counted = CountedSandbox(choose("process", needs_boundary=False).sandbox)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "done\n"
        assert counted.cpu_s() > BUSY_S * 0.8
        child.communicate("\n")
    after = counted.cpu_s()
    assert BUSY_S * 0.8 < after < BUSY_S * 2


def test_what_ended_before_is_not_counted() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], input="\n", text=True, check=True)
    assert CountedSandbox(choose("process", needs_boundary=False).sandbox).cpu_s() < BUSY_S
