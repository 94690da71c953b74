"""Plays a corpus: a few worker processes, one run after another, each run resumable."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from typing import Final

import msgspec

from transfer_experiment.corpus.plan import PlannedRun
from transfer_experiment.corpus.worker import Played, PlayJob

_WORKER: Final = (sys.executable, "-m", "transfer_experiment.corpus.worker")
Told = Callable[[Played], None]
_Jobs = SimpleQueue[PlayJob]


def build(corpus: Path, runs: Sequence[PlannedRun], workers: int, told: Told) -> list[Played]:
    """Play what is not finished yet; the same call goes on where it was killed.

    Args:
        corpus: Folder of the corpus; made if it is missing.
        runs: What to play.
        workers: How many processes play at once.
        told: Is told of each run that came to its end, in that order, from several threads.

    Returns:
        What became of each run, in the order of their seeds.
    """
    jobs: _Jobs = SimpleQueue()
    for run in runs:
        jobs.put(PlayJob(run, str(corpus.resolve())))
    count = max(1, min(workers, len(runs)))
    with ThreadPoolExecutor(count) as pool:
        try:
            served = [pool.submit(_serve, jobs, told) for _ in range(count)]
            played = [done for thread in served for done in thread.result()]
        except BaseException:
            for _ in _waiting(jobs):  # interrupted: threads end with what they have in hand
                pass
            raise
    return sorted(played, key=lambda done: done.seed)


def _serve(jobs: _Jobs, told: Told) -> list[Played]:
    """Take jobs until there are none; a worker that ended is followed by a fresh one."""
    played: list[Played] = []
    while not jobs.empty():
        with _worker() as worker:
            for job in _waiting(jobs):
                done = _ask(worker, job)
                told(done)
                played.append(done)
                if worker.poll() is not None:
                    break
    return played


def _waiting(jobs: _Jobs) -> Iterator[PlayJob]:
    with suppress(Empty):
        while True:
            yield jobs.get_nowait()


@contextmanager
def _worker() -> Generator[Popen[bytes]]:
    """A worker process, which ends when nobody can ask it for more."""
    worker = Popen(_WORKER, stdin=PIPE, stdout=PIPE)
    try:
        yield worker
    finally:
        with suppress(BrokenPipeError), worker:
            pass


def _ask(worker: Popen[bytes], job: PlayJob) -> Played:
    assert worker.stdin is not None and worker.stdout is not None  # noqa: S101 - both are pipes
    answer = b""
    with suppress(BrokenPipeError):
        worker.stdin.write(msgspec.json.encode(job) + b"\n")
        worker.stdin.flush()
        answer = worker.stdout.readline()
    if not answer:
        worker.wait()
        return Played(job.run.seed, error="its worker ended; the same command goes on")
    return msgspec.json.decode(answer, type=Played)
