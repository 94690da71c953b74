"""Rivals for resources: `python exclusion_process.py PLACE THREADS ROUNDS LOG START`.

PLACE is as for `writer_process.py`; on a server the space is "exclusion". Every thread tries to
execute a tool of 1 ms once on each resource, with a random confidence. The tool writes the
resource to LOG. START is the time, in seconds since the epoch, when all processes begin.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from markspace import Agent, Guard, MarkSpace
from markspace.stores.base import Store
from tests.markspace.stores.writer_process import opened


def race(store: Store, threads: int, rounds: int, log: Path) -> None:
    """Let threads race for every resource, all for one after the other."""
    guard = Guard(MarkSpace(store=store))
    with ThreadPoolExecutor(threads) as pool:
        rivals = [pool.submit(compete, guard, rounds, log) for _ in range(threads)]
    for rival in rivals:
        rival.result()


def compete(guard: Guard, rounds: int, log: Path) -> None:
    """Try to execute on each resource once."""
    agent, rng = Agent(name="rival", scopes={"a": ["intent", "action"]}), random.Random()
    for number in range(rounds):
        tool = tool_for(log, number)
        guard.execute(agent, "a", f"r{number}", "plan", "do", tool, rng.random())


def tool_for(log: Path, number: int) -> Callable[[], None]:
    """A tool that takes a millisecond and leaves a line."""
    return partial(_work, log, number)


def _work(log: Path, number: int) -> None:
    time.sleep(0.001)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{number}\n".encode())
    os.close(file)


def main(address: str, threads: int, rounds: int, log: Path, start: float) -> None:
    """Race in a process of its own."""
    store = opened(address, "exclusion")
    time.sleep(max(start - time.time(), 0))
    race(store, threads, rounds, log)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), float(sys.argv[5]))
