"""Ctrl-C ends a run cleanly, wherever it strikes; a second one ends it at once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from evolution.interrupts import run_interruptible

SHIELDED = """
import anyio
from evolution.interrupts import run_interruptible

async def main():
    try:
        with anyio.CancelScope(shield=True):
            print("in", flush=True)
            await anyio.sleep({seconds})
            print("done", flush=True)
        await anyio.sleep(60)
    finally:
        print("left", flush=True)

try:
    run_interruptible(main)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def interrupted(seconds: float, signals: int) -> list[str]:
    command = [sys.executable, "-c", SHIELDED.format(seconds=seconds)]
    folder = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == "in\n"
        process.send_signal(signal.SIGINT)
        if signals > 1:
            anyio.run(anyio.sleep, 0.2)  # two signals at once are one
            process.send_signal(signal.SIGINT)
        return process.stdout.read().split()


def test_what_is_shielded_is_finished_first() -> None:
    assert interrupted(0.3, signals=1) == ["done", "left", "interrupted"]


def test_a_second_one_does_not_wait() -> None:
    assert interrupted(60, signals=2)[-1] == "interrupted"


def test_what_ends_by_itself_is_not_interrupted() -> None:
    done: list[int] = []

    async def main() -> None:
        await anyio.lowlevel.checkpoint()
        done.append(os.getpid())

    run_interruptible(main)
    assert done == [os.getpid()]


def test_an_error_leaves_as_it_is() -> None:
    async def main() -> None:
        await anyio.lowlevel.checkpoint()
        raise LookupError("x")

    with pytest.raises(LookupError, match="x"):
        run_interruptible(main)
