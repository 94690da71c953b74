"""A process that plays the runs it is told of, one after another: `python -m ...corpus.worker`.

A line of standard input is a job, a line of standard output what became of it. So the price of
starting Python and loading the system is paid once for many runs.
"""

import sys
import traceback
from contextlib import suppress
from pathlib import Path

import msgspec

from evolution.events import nobody
from transfer_experiment.corpus.plan import PlannedRun
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair


class PlayJob(msgspec.Struct, frozen=True):
    """A run to play.

    Attributes:
        run: Which.
        corpus: Folder of the corpus.
    """

    run: PlannedRun
    corpus: str


class Played(msgspec.Struct, frozen=True):
    """The outcome of a job.

    Attributes:
        seed: Of which run.
        seconds: What its generations took; 0 if it failed.
        path: The run folder; empty if it failed.
        error: Why it failed; empty if it did not.
    """

    seed: int
    seconds: float = 0.0
    path: str = ""
    error: str = ""


def options_for(run: PlannedRun, corpus: Path) -> PairOptions:
    """Return the options that play a planned run; a finished one is not played again."""
    return PairOptions(
        models=run.models,
        domain=run.domain,
        generations=run.generations,
        seed=run.seed,
        results=run.results(corpus),
        command=("python", "-m", "transfer_experiment.corpus", "build", str(corpus)),
    )


def play(job: PlayJob) -> Played:
    """Play one run to its end; a failure is told and ends no other run."""
    try:
        result = run_pair(options_for(job.run, Path(job.corpus)), nobody)
    except Exception as error:  # whatever it is, the runs that come after it can still be played
        traceback.print_exc()
        return Played(job.run.seed, error=f"{type(error).__name__}: {error}")
    return Played(job.run.seed, result.seconds, str(result.run))


def main() -> None:
    """Play what standard input asks for, until it ends."""
    decoder = msgspec.json.Decoder(PlayJob)
    for line in sys.stdin.buffer:
        done = play(decoder.decode(line))
        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):  # the builder, interrupted too, says what that means
        main()
