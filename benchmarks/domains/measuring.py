"""Measures one domain: its seed in sandboxes, and real runs of the policies of its plan."""

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

import msgspec

from benchmarks.domains.plans import TuningPlan
from hyperspace.cli.domain_check import check_named
from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.registry import load

Scores = Mapping[Split, float]
_LONGEST_REASON: Final = 160


class CannotRun(Exception):
    """A domain, or a run of it, cannot be played here; the message says why."""


class SeedMeasured(NamedTuple):
    """What a seed task agent is worth, the mean over some seeds of the domain.

    Attributes:
        scores: By split.
        cpu_s: CPU seconds of gates, train and val.
    """

    scores: Scores
    cpu_s: float


class Tuned(NamedTuple):
    """What came of runs: the mean over run seeds of what each chose by validation.

    Attributes:
        scores: By split.
        best_generations: The generation of each run that was chosen.
    """

    scores: Scores
    best_generations: tuple[int, ...]


def measure_seed(name: str, seeds: Iterable[int]) -> SeedMeasured:
    """Play the seed of a domain on items of each seed.

    Raises:
        CannotRun: It cannot be loaded, or its seed cannot be played without a model.
        DomainError: It cannot be loaded for a reason of its own.
    """
    scores: list[Scores] = []
    cpu_s: list[float] = []
    for seed in seeds:
        report = check_named(spec_of(name, seed))
        if report.not_played or report.failures or report.cpu_s is None:
            raise CannotRun("; ".join(report.failures) or report.not_played)
        scores.append(report.scores)
        cpu_s.append(report.cpu_s)
    return SeedMeasured(_mean(scores), mean(cpu_s))


def tune(
    name: str, plan: TuningPlan, seeds: Iterable[int], generations: int, results: Path
) -> Tuned:
    """Play the policies of a plan once a seed, or go on with the runs that are there.

    Raises:
        CannotRun: A run did not finish; says what it complained about.
    """
    best = [
        _best(_play(command(name, plan, seed, generations), results / f"{name}-{seed}.json"))
        for seed in seeds
    ]
    scores: list[Scores] = [
        {"train": row["best_train"], "val": row["best_val"], "test": row["test"]} for row in best
    ]
    return Tuned(_mean(scores), tuple(row["best_generation"] for row in best))


def command(name: str, plan: TuningPlan, seed: int, generations: int) -> list[str]:
    """Return the command line of one run, without the program and the folder of results."""
    kind, flag = ("solo", "--model") if len(plan.models) == 1 else ("pair", "--models")
    runs = ["--no-controls", "--selection", "best"] if kind == "solo" else []
    domain = ["--domain", spec_of(name, seed), "--seeds" if kind == "solo" else "--seed", str(seed)]
    return [kind, flag, *plan.models, *domain, "--generations", str(generations), *runs]


def spec_of(name: str, seed: int) -> str:
    """Return how a domain with rows of a seed is named; by its name alone if it draws none."""
    spec = f"{name}?rows_seed={seed}"
    try:
        load(spec)
    except DomainDataError as error:
        if "rows_seed" not in str(error):
            raise
        return name
    return spec


def _play(arguments: Sequence[str], result: Path) -> dict[str, Any]:
    """Play a run whose result is kept beside the runs; a finished one is not played again."""
    result.parent.mkdir(parents=True, exist_ok=True)
    program = [sys.executable, "-m", "hyperspace", *arguments, "--results", str(result.parent)]
    ended = subprocess.run([*program, "--json"], capture_output=True, text=True, check=False)
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise CannotRun(last[:_LONGEST_REASON])
    result.write_text(ended.stdout, "utf-8")
    return msgspec.json.decode(ended.stdout, type=dict[str, Any])


def _best(result: Mapping[str, Any]) -> dict[str, Any]:
    """The agent of a run that validation prefers.

    Raises:
        CannotRun: No generation of it may be chosen.
    """
    chosen = [agent for agent in result["agents"] if agent["best_val"] is not None]
    if not chosen:
        raise CannotRun(f"seed {result['seed']}: no generation scored above 0 on validation")
    return max(chosen, key=lambda agent: agent["best_val"])


def _mean(scores: Sequence[Scores]) -> Scores:
    return {split: mean(each[split] for each in scores) for split in SPLITS}
