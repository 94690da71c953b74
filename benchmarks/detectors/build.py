"""Plays a corpus: a few worker processes, one run after another, each run resumable.

A worker plays many runs, so that the price of starting Python and loading the system is paid once.
"""

import traceback
from collections.abc import Callable, Sequence

import anyio
import msgspec
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from benchmarks.detectors.player import register_scenario
from hyperspace.kernel.events import nobody
from hyperspace.kernel.exception_groups import unwrap_single_error
from hyperspace.options.launch import LaunchOptions
from transfer_experiment.pair import run_pair


class PlayableRun(msgspec.Struct, frozen=True):
    """A run to play.

    Attributes:
        name: How it is called in what is told of it.
        options: Of the run.
    """

    name: str
    options: LaunchOptions


class Played(msgspec.Struct, frozen=True):
    """What became of a planned run.

    Attributes:
        name: Of which run.
        seconds: What its generations took; 0 if it failed.
        path: The run folder; empty if it failed.
        error: Why it failed; empty if it did not.
        trace: Where it failed, as Python tells it; empty if its worker could not say.
    """

    name: str
    seconds: float = 0.0
    path: str = ""
    error: str = ""
    trace: str = ""


def build(
    jobs: Sequence[PlayableRun], workers: int, told: Callable[[Played], None]
) -> list[Played]:
    """Play what is not finished yet; the same call goes on where it was killed.

    Args:
        jobs: What to play.
        workers: How many processes play at once.
        told: Is told of each run that came to its end, in that order.

    Returns:
        What became of each run, in the order of their names.
    """
    played = list[Played]()
    limiter = CapacityLimiter(max(1, workers))

    async def play_one(job: PlayableRun) -> None:
        try:
            # Not cancellable: who is interrupted waits for what its workers have in hand.
            done = await to_process.run_sync(play, job, limiter=limiter)
        except BrokenWorkerProcess:
            done = Played(job.name, error="its worker ended; the same command goes on")
        played.append(done)
        told(done)

    async def play_all() -> None:
        with unwrap_single_error():
            async with anyio.create_task_group() as group:
                for job in jobs:
                    group.start_soon(play_one, job)

    anyio.run(play_all)
    return sorted(played, key=lambda done: done.name)


def play(job: PlayableRun) -> Played:
    """Play one run to its end; a failure is told and ends no other run."""
    register_scenario()
    try:
        result = run_pair(job.options, nobody)
    except (Exception, KeyboardInterrupt) as error:  # the other runs can still be played
        why = f"{type(error).__name__}: {error}"
        return Played(job.name, error=why, trace=traceback.format_exc())
    return Played(job.name, result.seconds, str(result.run))
