"""The runs of a set as jobs: processes here, or runs that are played elsewhere and come back."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from guards.scope.regular_files import read_given
from hyperspace.executor.base import Executor
from hyperspace.executor.choose import elsewhere
from hyperspace.executor.jobs import PYTHON, CommandJob, JobOutcome
from hyperspace.executor.journal import Journal
from hyperspace.executor.names import LOCAL, RAY
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.launch.run_models import resolve_models
from hyperspace.launch.sets import Planned, cores, processes
from hyperspace.launch.trust import load_domain
from hyperspace.options.launch import LaunchOptions
from hyperspace.runs.exports.importing import take_run

JOURNAL: Final = ".hyperspace-jobs.db"  # in the results folder
_FOLDER: Final = "results"  # within a job's folder
_ARCHIVE: Final = "run.tar.gz"
_OF_HERE: Final = ("--executor", "--slots", "--slot", "--parallel", "--results", "--config")
_FILES: Final = ("--data", "--initial", "--start-from", "--from-run", "--cache", "--anchor")
_PROGRAM: Final = (PYTHON, "-P", "-m", "hyperspace")


class Shown(msgspec.Struct, frozen=True):
    """A run of a set, as it is planned and shown.

    Attributes:
        label: Names it among the others.
        options: As asked for.
        arguments: The command line that plays it alone, without the program.
        config: The file that the command line names with `--config`; None where it names none.
    """

    label: str
    options: LaunchOptions
    arguments: tuple[str, ...]
    config: Path | None = None

    @property
    def agents(self) -> list[tuple[str, str, int]]:
        """Name, model and number of the last generation of each of its agents."""
        options = self.options
        return list(zip(options.agents(), options.models, options.budgets(), strict=True))

    def row(self, agent: str) -> str:
        """The name of an agent's row: the run's, and where it has several the agent's too."""
        return self.label if len(self.options.models) == 1 else f"{self.label} {agent}"


class Units(NamedTuple):
    """A set as an executor is given it.

    Attributes:
        planned: Its runs, in the order of the plan.
        executor: Where they are played.
    """

    planned: list[Planned]
    executor: AbstractAsyncContextManager[Executor]


def units_here(runs: Sequence[Shown], parallel: int | None) -> Units:
    """Return runs as processes of this machine."""
    planned = [Planned(run.label, CommandJob(commands=(_alone(run),))) for run in runs]
    return Units(planned, processes(parallel or cores(), len(runs)))


def units_elsewhere(runs: Sequence[Shown], parallel: int | None) -> Units:
    """Return runs as jobs of a cluster, each played in a folder of its worker and sent back.

    Raises:
        RunUsageError: A run names what only this machine has.
    """
    options = runs[0].options
    resources = options.slot_resources()
    planned = [job_elsewhere(run) for run in runs]
    slots = options.slots or parallel
    journal = Journal(options.results / JOURNAL)
    return Units(planned, elsewhere(options.executor, slots, resources, journal))


def travels(runs: Sequence[Shown]) -> bool:
    """Return whether runs of a set are played elsewhere as wholes.

    They are where nothing but offline models answers: no key is ever on a worker. The runs of other
    models are played here, and their blocks of items travel.

    Raises:
        RunUsageError: Each run would start a cluster of its own for that.
    """
    options = runs[0].options
    if options.executor == LOCAL:
        return False
    if resolve_models(options.models, options.eval_model, judge=options.judge).all_offline:
        return True
    if options.executor == RAY:
        raise RunUsageError(
            "runs of models with keys are played here, and only their items travel; for that, a "
            "set needs a cluster that all its runs share: --executor ray://HOST:PORT"
        )
    return False


def begun_here(member: Shown) -> bool:
    """Return whether a run lies in the results folder already, finished or not."""
    return RunFolder(_place(member)).record.is_file()


def _alone(member: Shown) -> tuple[str, ...]:
    return (*_PROGRAM, *member.arguments, "--events", "--of-set")


def _place(member: Shown) -> Path:
    return member.options.folder(load_domain(member.options))


def job_elsewhere(member: Shown) -> Planned:
    """Return a run as a job that plays it in a folder of its worker, and packs it.

    Raises:
        RunUsageError: It names what only this machine has.
    """
    arguments = without_options(member.arguments, _OF_HERE)
    for flag in _FILES:
        if any(word == flag or word.startswith(f"{flag}=") for word in arguments):
            raise RunUsageError(
                f"{flag} names a place of this machine, and whole runs are played on workers; "
                "leave it out, or play the set with --executor local"
            )
    files = {} if member.config is None else {"fleet.toml": read_given(member.config)}
    config = ("--config", "fleet.toml") if files else ()
    place = _place(member)
    inside = f"{_FOLDER}/{place.relative_to(member.options.results).as_posix()}"
    play = (*_PROGRAM, *arguments, *config, "--results", _FOLDER, "--events", "--of-set")
    pack = (*_PROGRAM, "export", inside, "--out", _ARCHIVE)
    job = CommandJob(
        commands=(play, pack),
        files=files,
        artefact=_ARCHIVE,
        resources=member.options.slot_resources(),
    )
    return Planned(member.label, job, taking(place))


def taking(run: Path) -> Callable[[JobOutcome, Any], Any]:
    """Return what puts a run that comes back where it belongs."""

    def take(outcome: JobOutcome, said: Any) -> Any:
        if not RunFolder(run).record.is_file():  # taken by a coordinator before this one
            take_run(outcome.artefact, run, said)
        return said | {"run": str(run)}

    return take


def without_options(arguments: Sequence[str], flags: Sequence[str]) -> list[str]:
    """Return a command line without options that have a value, in both ways to write them."""
    kept: list[str] = []
    words = iter(arguments)
    for word in words:
        if word in flags:
            next(words, None)
        elif word.partition("=")[0] not in flags:
            kept.append(word)
    return kept
