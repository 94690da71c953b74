"""A coordinator that submits commands and prints what came of each: `... KIND FOLDER COMMAND...`.

Before, it prints the jobs that coordinators before it have left: those that run, those done.
"""

import sys
from pathlib import Path

import anyio
import msgspec

from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.jobs import PYTHON, CommandJob
from tests.hyperspace.executor.contract.executors import OPENED


async def main(kind: str, folder: Path, programs: list[str]) -> None:
    """Play Python programs, all at a time."""
    async with OPENED[kind](folder, len(programs)) as executor:
        print(msgspec.json.encode(executor.recover()).decode(), flush=True)
        jobs = [
            await executor.submit(CommandJob(commands=((PYTHON, "-c", each),)), JobCallbacks())
            for each in programs
        ]
        for job in jobs:
            outcome = await executor.wait(job)
            print(msgspec.json.encode([job, outcome.state]).decode(), flush=True)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
