"""Ctrl-C ends a run cleanly, wherever it strikes; a second one ends it at once."""

import os
import signal
import subprocess
import sys

import anyio
import anyio.lowlevel
import pytest

from hyperspace.kernel.run.interrupts import BACKEND, run_interruptible
from tests.support.paths import ROOT

BACKENDS = ("asyncio", "trio")
SHIELDED = """
import anyio
from hyperspace.kernel.run.interrupts import run_interruptible

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


WHICH = """
import anyio, sniffio
from hyperspace.kernel.run.interrupts import run_interruptible

async def main():
    print(sniffio.current_async_library())

run_interruptible(main)
"""


def interrupted(seconds: float, signals: int, backend: str) -> list[str]:
    command = [sys.executable, "-c", SHIELDED.format(seconds=seconds)]
    folder, env = ROOT, {**os.environ, BACKEND: backend}
    with subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "in\n"
        process.send_signal(signal.SIGINT)
        if signals > 1:
            anyio.run(anyio.sleep, 0.2)  # two signals at once are one
            process.send_signal(signal.SIGINT)
        return process.stdout.read().split()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_shielded_is_finished_first(backend: str) -> None:
    assert interrupted(0.3, signals=1, backend=backend) == ["done", "left", "interrupted"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_second_one_does_not_wait(backend: str) -> None:
    assert interrupted(60, signals=2, backend=backend)[-1] == "interrupted"


def loop_named(backend: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WHICH],
        cwd=ROOT,
        env={**os.environ, BACKEND: backend},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("backend", "loop"), [("", "asyncio"), ("trio", "trio")])
def test_the_environment_chooses_the_event_loop(backend: str, loop: str) -> None:
    assert loop_named(backend).stdout.split() == [loop]


def test_an_event_loop_that_does_not_exist_is_a_usage_error() -> None:
    assert "RunUsageError: HYPERSPACE_BACKEND='curio' is no" in loop_named("curio").stderr


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
