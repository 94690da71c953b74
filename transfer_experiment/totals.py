"""Totals of a set of runs, counted as the runs go by."""

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.detectors import all_detectors
from transfer_experiment.findings.finding import Finding
from transfer_experiment.findings.kind import FindingKind

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
        best_val: Best validation score; None if nothing was scored.
        best: Who reached it.
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


def total(runs: Iterable[RunAnalysis]) -> Totals:
    """Count a set of runs."""
    runs = list(runs)
    agents = [agent for run in runs for agent in run.agents]
    comparisons = [comparison for run in runs for comparison in run.comparisons]
    scores = [agent.best_val for agent in agents if agent.best_val is not None]
    best_val = max(scores, default=None)
    adoptions = _split(f"{e.rule} {e.verdict}" for run in runs for e in run.adoptions)
    with_code = sum(run.has_code for run in runs)
    kinds = [detector.kind for detector in all_detectors()]
    return Totals(
        runs=len(runs),
        agents=len(agents),
        generations=sum(agent.efficiency.generations for agent in agents),
        with_code=with_code,
        with_traces=sum(run.has_traces for run in runs),
        adoptions=_told(adoptions, with_code),
        agreed=_told(sum(not item.why for item in comparisons), with_code),
        disagreed=_told(sum(bool(item.why) for item in comparisons), with_code),
        own={kind.name: _count(kind, runs) for kind in kinds if kind.table == "own"},
        habits={kind.name: _count(kind, runs) for kind in kinds if kind.table == "habits"},
        best_val=best_val,
        best=tuple(
            BestAgent(run.pairing, run.seed, agent.name, agent.best_generation)
            for run in runs
            for agent in run.agents
            if best_val is not None and agent.best_val == best_val
        ),
    )


def _count(kind: FindingKind, runs: list[RunAnalysis]) -> Count:
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
