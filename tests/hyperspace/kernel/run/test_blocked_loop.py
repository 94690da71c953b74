"""A loop that one step keeps from everything else is told of; one that only waits is not."""

import json
import logging
import time
from collections.abc import Callable

import anyio
import pytest

from hyperspace.kernel.run.blocked_loop import tell_of_blocks
from hyperspace.kernel.run.interrupts import run_interruptible
from tests.support.command import PAIR, hyperspace


def burn() -> None:
    """Take processor time, and let other threads look."""
    end = time.thread_time() + 0.6
    while time.thread_time() < end:
        sum(range(1000))


def sleep() -> None:
    time.sleep(0.4)


def told(step: Callable[[], None], backend: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tell_of_blocks)
            await anyio.sleep(0.1)
            step()
            await anyio.sleep(0.2)
            tasks.cancel_scope.cancel()

    with caplog.at_level(logging.WARNING):
        anyio.run(main, backend=backend)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_step_that_takes_the_processor_is_told_of_with_its_place(
    backend: str, caplog: pytest.LogCaptureFixture
) -> None:
    (line,) = told(burn, backend, caplog)
    assert line.startswith("the event loop was blocked for ")
    assert "in tests/hyperspace/kernel/run/test_blocked_loop.py, line" in line
    assert line.endswith("(burn)")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_loop_that_the_machine_keeps_waiting_is_not_told_of(
    backend: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert told(sleep, backend, caplog) == []


def test_runs_are_watched(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        await anyio.sleep(0.1)
        burn()
        await anyio.sleep(0.2)

    with caplog.at_level(logging.WARNING):
        run_interruptible(main)
    assert [record.name for record in caplog.records] == ["hyperspace.kernel.run.blocked_loop"]


@pytest.mark.long
def test_a_run_of_two_agents_blocks_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    results = tmp_path_factory.mktemp("results")
    options = ("--generations", "2", "--seed", "3", "--results", str(results), "--json")
    done = hyperspace("pair", *PAIR, *options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"]
    assert "blocked" not in done.stderr
