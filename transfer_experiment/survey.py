"""A set of runs, analysed one after the other, and counted."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from hyperspace.runs.finding import read_runs
from hyperspace.runs.records import Run
from transfer_experiment.adoption.events import Rule
from transfer_experiment.analysis import BOTH, RunAnalysis, analyse
from transfer_experiment.detectors import all_kinds
from transfer_experiment.findings.finding import Finding
from transfer_experiment.findings.kind import FindingKind
from transfer_experiment.similarity.moves import Moves

Count = int | dict[str, int] | None
T = TypeVar("T")


class BestAgent(msgspec.Struct, frozen=True):
    """An agent of a run that reached the best validation score of a set."""

    pairing: str
    seed: int | None
    agent: str
    generation: int | None


class Totals(msgspec.Struct, frozen=True):
    """A set of runs, counted. What no run of the set can tell is None, never zero.

    Adoption needs code; what a kind of finding needs is declared in its detector's file.

    Attributes:
        runs: How many.
        agents: Agents of all runs.
        generations: Generations of all agents, generation 0 included.
        with_code: Runs of which some code is there.
        with_traces: Runs of which some trace can be read.
        adoptions: Events by rule and verdict, as `causal adopted`.
        agreed: Generations and peers in which both rules find an adoption.
        disagreed: Those in which one of them does.
        own: Findings of each kind that has a table of its own; of some kinds split, as
            `results code`.
        habits: Findings of each kind that is a habit.
        best_val: Best validation score, as runs rank theirs; None if nothing was scored.
        best: Who reached it.
        left_out: A sentence for each run that is not counted, as it could not be read.
    """

    runs: int
    agents: int
    generations: int
    with_code: int
    with_traces: int
    adoptions: dict[str, int] | None
    agreed: int | None
    disagreed: int | None
    own: dict[str, Count]
    habits: dict[str, Count]
    best_val: float | None
    best: tuple[BestAgent, ...]
    left_out: tuple[str, ...]


class RunsSurvey(msgspec.Struct, frozen=True):
    """A set of runs.

    Attributes:
        runs: The analysis of each.
        totals: All of it, counted.
    """

    runs: tuple[RunAnalysis, ...]
    totals: Totals


def survey(
    base: Path,
    rules: Sequence[Rule] = BOTH,
    moves: Moves | None = None,
    each: Callable[[Run, RunAnalysis], None] | None = None,
) -> RunsSurvey:
    """Analyse the runs at a path; only what was found of each is kept.

    Args:
        base: A run folder, a folder of runs, or a table of scores.
        rules: Whose adoption events to list.
        moves: Those that earlier surveys of this process measured; grows.
        each: Told of each run as it is done, if given.

    Raises:
        RunUsageError: There is no run.
    """
    moves = moves or Moves()
    analyses: list[RunAnalysis] = []
    left_out: list[str] = []
    for run in read_runs(base, left_out):
        analyses.append(analyse(run, rules, moves))
        if each is not None:
            each(run, analyses[-1])
    return RunsSurvey(tuple(analyses), total(analyses, left_out))


def total(runs: Sequence[RunAnalysis], left_out: Iterable[str] = ()) -> Totals:
    """Count a set of runs; `left_out` says which others there are."""
    agents = [agent for run in runs for agent in run.agents]
    comparisons = [comparison for run in runs for comparison in run.comparisons]
    ranked = [(agent.best_rank, agent.best_val) for agent in agents if agent.best_rank is not None]
    best = max(ranked, key=lambda row: row[0], default=None)
    adoptions = _split(f"{e.rule} {e.verdict}" for run in runs for e in run.adoptions)
    with_code = sum(run.has_code for run in runs)
    return Totals(
        runs=len(runs),
        agents=len(agents),
        generations=sum(agent.efficiency.generations for agent in agents),
        with_code=with_code,
        with_traces=sum(run.has_traces for run in runs),
        adoptions=_told(adoptions, with_code),
        agreed=_told(sum(not item.why for item in comparisons), with_code),
        disagreed=_told(sum(bool(item.why) for item in comparisons), with_code),
        own={kind.name: _count(kind, runs) for kind in all_kinds() if kind.table == "own"},
        habits={kind.name: _count(kind, runs) for kind in all_kinds() if kind.table == "habits"},
        best_val=None if best is None else best[1],
        best=tuple(
            BestAgent(run.pairing, run.seed, agent.name, agent.best_generation)
            for run in runs
            for agent in run.agents
            if (agent.best_rank, agent.best_val) == best
        ),
        left_out=tuple(left_out),
    )


def _count(kind: FindingKind, runs: Sequence[RunAnalysis]) -> Count:
    """Count the findings of a kind; None where no run could tell."""
    there = [{"code": run.has_code, "traces": run.has_traces} for run in runs]
    if kind.needs and not any(all(has[need] for need in kind.needs) for has in there):
        return None
    findings: list[Finding] = [item for run in runs for item in run.findings.of(kind.name)]
    if not kind.count_by:
        return len(findings)
    return _split(" ".join(str(f.details[name]) for name in kind.count_by) for f in findings)


def _told(count: T, runs: int) -> T | None:
    """A count; None where there is no run that could tell."""
    return count if runs else None


def _split(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
