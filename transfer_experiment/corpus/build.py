"""Plays a corpus: a few worker processes, one run after another, each run resumable."""

import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from subprocess import PIPE, Popen
from typing import Final

import msgspec

from transfer_experiment.corpus.plan import PlannedRun
from transfer_experiment.corpus.worker import Job, Played

_WORKER: Final = (sys.executable, "-m", "transfer_experiment.corpus.worker")
Told = Callable[[Played], None]


def build(corpus: Path, runs: Sequence[PlannedRun], workers: int, told: Told) -> list[Played]:
    """Play what is not finished yet; the same call goes on where it was killed.

    Args:
        corpus: Folder of the corpus; made if it is missing.
        runs: What to play.
        workers: How many processes play at once.
        told: Is told of each run that came to its end, in that order, from several threads.

    Returns:
        What became of each run, in the order of the plan.
    """
    idle: SimpleQueue[Popen[bytes]] = SimpleQueue()
    jobs = [Job(run, str(corpus.resolve())) for run in runs]
    count = max(1, min(workers, len(jobs)))
    with _started(count, idle), ThreadPoolExecutor(count) as pool:
        return list(pool.map(partial(_play, idle, told), jobs))


@contextmanager
def _started(count: int, idle: SimpleQueue[Popen[bytes]]) -> Generator[None]:
    """Start workers; in the end each finishes what it plays, and has left nothing behind."""
    workers = [Popen(_WORKER, stdin=PIPE, stdout=PIPE) for _ in range(count)]
    try:
        for worker in workers:
            idle.put(worker)
        yield
    finally:
        for worker in workers:
            with worker:
                pass


def _play(idle: SimpleQueue[Popen[bytes]], told: Told, job: Job) -> Played:
    worker = idle.get()
    try:
        done = _ask(worker, job)
    finally:
        idle.put(worker)
    told(done)
    return done


def _ask(worker: Popen[bytes], job: Job) -> Played:
    assert worker.stdin is not None and worker.stdout is not None  # noqa: S101 - both are pipes
    try:
        worker.stdin.write(msgspec.json.encode(job) + b"\n")
        worker.stdin.flush()
        answer = worker.stdout.readline()
    except BrokenPipeError:
        answer = b""
    if not answer:
        return Played(job.run.seed, error="the worker ended; run the same command again")
    return msgspec.json.decode(answer, type=Played)
