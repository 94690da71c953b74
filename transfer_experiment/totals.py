"""What a set of runs comes to, counted as the runs go by."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeVar

import msgspec

from transfer_experiment.analysis import RunAnalysis

KINDS: Final = (
    *("looks", "doom_loops", "exhaustions", "repeated_views", "failed_edits", "meta_edits"),
    *("probes", "stuck", "complacency"),
)
_OF_CODE_ALONE: Final = ("meta_edits", "stuck")
T = TypeVar("T")


class Best(msgspec.Struct, frozen=True):
    """An agent of a run that reached the best validation score of a set."""

    pairing: str
    seed: int | None
    agent: str
    generation: int | None


class Totals(msgspec.Struct, frozen=True):
    """A set of runs, counted. What no run of the set can tell is None, never zero.

    Adoption needs code; what went over, independence and claims need code and traces; neglect and
    the habits need traces, but for edits of the meta agent and standstill, which need code.

    Attributes:
        runs: How many.
        agents: Agents of all runs.
        generations: Generations of all agents, generation 0 included.
        with_code: Runs of which some code is there.
        with_traces: Runs of which some trace can be read.
        adoptions: Events by rule and verdict, as `causal adopted`.
        agreed: Generations and peers in which both rules find an adoption.
        disagreed: Those in which one of them does.
        crashes: Crashes that were recovered from.
        transfers: By kind and basis, as `results code`.
        independences: Generations that read a peer and went their own way.
        contradictions: Claims that the code contradicts.
        neglects: Agents that had looked at their peers and stopped, each time.
        findings: What the other detectors found, by kind; generations with a look are `looks`.
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
    crashes: int
    transfers: dict[str, int] | None
    independences: int | None
    contradictions: int | None
    neglects: int | None
    findings: dict[str, int | None]
    best_val: float | None
    best: tuple[Best, ...]


def total(runs: Iterable[RunAnalysis]) -> Totals:
    """Count a set of runs."""
    found = list(runs)
    agents = [agent for run in found for agent in run.agents]
    comparisons = [item for run in found for item in run.comparisons]
    scores = [agent.best_val for agent in agents if agent.best_val is not None]
    best_val = max(scores, default=None)
    adoptions = _count(f"{e.rule} {e.verdict}" for run in found for e in run.adoptions)
    transfers = _count(f"{t.kind} {t.basis}" for run in found for t in run.transfers)
    with_code = sum(run.has_code for run in found)
    with_traces = sum(run.has_traces for run in found)
    with_both = sum(run.has_code and run.has_traces for run in found)
    known = {kind: with_code if kind in _OF_CODE_ALONE else with_traces for kind in KINDS}
    return Totals(
        runs=len(found),
        agents=len(agents),
        generations=sum(agent.efficiency.generations for agent in agents),
        with_code=with_code,
        with_traces=with_traces,
        adoptions=_told(adoptions, with_code),
        agreed=_told(sum(not item.why for item in comparisons), with_code),
        disagreed=_told(sum(bool(item.why) for item in comparisons), with_code),
        crashes=sum(len(run.crashes) for run in found),
        transfers=_told(transfers, with_both),
        independences=_told(sum(len(run.independences) for run in found), with_both),
        contradictions=_told(sum(len(run.contradictions) for run in found), with_both),
        neglects=_told(sum(len(run.neglects) for run in found), with_traces),
        findings={kind: _told(_found(found, kind), known[kind]) for kind in KINDS},
        best_val=best_val,
        best=tuple(_best(found, best_val)),
    )


def _told(count: T, runs: int) -> T | None:
    """A count; None where there is no run that could tell."""
    return count if runs else None


def _found(runs: Iterable[RunAnalysis], kind: str) -> int:
    return sum(len(getattr(run.findings, kind)) for run in runs)


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _best(runs: list[RunAnalysis], best_val: float | None) -> Iterable[Best]:
    for run in runs:
        for agent in run.agents:
            if best_val is not None and agent.best_val == best_val:
                yield Best(run.pairing, run.seed, agent.name, agent.best_generation)
