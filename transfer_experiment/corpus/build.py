"""Plays a corpus: a few worker processes, one run after another, each run resumable.

A worker plays many runs, so that the price of starting Python and loading the system is paid once.
"""

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import msgspec
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from evolution.events import nobody
from evolution.exception_groups import unwrap_single_error
from transfer_experiment.corpus.plan import PlannedRun
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair


class Played(msgspec.Struct, frozen=True):
    """What became of a planned run.

    Attributes:
        seed: Of which run.
        seconds: What its generations took; 0 if it failed.
        path: The run folder; empty if it failed.
        error: Why it failed; empty if it did not.
        trace: Where it failed, as Python tells it; empty if its worker could not say.
    """

    seed: int
    seconds: float = 0.0
    path: str = ""
    error: str = ""
    trace: str = ""


def build(
    corpus: Path, runs: Sequence[PlannedRun], workers: int, told: Callable[[Played], None]
) -> list[Played]:
    """Play what is not finished yet; the same call goes on where it was killed.

    Args:
        corpus: Folder of the corpus; made if it is missing.
        runs: What to play.
        workers: How many processes play at once.
        told: Is told of each run that came to its end, in that order.

    Returns:
        What became of each run, in the order of their seeds.
    """
    corpus, played = corpus.resolve(), list[Played]()
    limiter = CapacityLimiter(max(1, workers))

    async def play_one(run: PlannedRun) -> None:
        try:
            # Not cancellable: who is interrupted waits for what its workers have in hand.
            done = await to_process.run_sync(play, run, corpus, limiter=limiter)
        except BrokenWorkerProcess:
            done = Played(run.seed, error="its worker ended; the same command goes on")
        played.append(done)
        told(done)

    async def play_all() -> None:
        with unwrap_single_error():
            async with anyio.create_task_group() as group:
                for run in runs:
                    group.start_soon(play_one, run)

    anyio.run(play_all)
    return sorted(played, key=lambda done: done.seed)


def play(run: PlannedRun, corpus: Path) -> Played:
    """Play one run to its end; a failure is told and ends no other run."""
    options = PairOptions(
        models=run.models,
        domain=run.domain,
        generations=run.generations,
        seed=run.seed,
        results=corpus / run.half,
        command=("python", "-m", "transfer_experiment.corpus", "build", str(corpus)),
    )
    try:
        result = run_pair(options, nobody)
    except (Exception, KeyboardInterrupt) as error:  # the other runs can still be played
        why = f"{type(error).__name__}: {error}"
        return Played(run.seed, error=why, trace=traceback.format_exc())
    return Played(run.seed, result.seconds, str(result.run))
