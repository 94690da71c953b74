"""What a set of runs comes to, counted as the runs go by."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from transfer_experiment.analysis import RunAnalysis

KINDS: Final = (
    *("looks", "doom_loops", "exhaustions", "repeated_views", "failed_edits", "meta_edits"),
    *("probes", "stuck", "complacency"),
)


class Best(msgspec.Struct, frozen=True):
    """An agent of a run that reached the best validation score of a set."""

    pairing: str
    seed: int | None
    agent: str
    generation: int | None


class Totals(msgspec.Struct, frozen=True):
    """A set of runs, counted.

    Attributes:
        runs: How many.
        agents: Agents of all runs.
        generations: Generations of all agents, generation 0 included.
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
    adoptions: dict[str, int]
    agreed: int
    disagreed: int
    crashes: int
    transfers: dict[str, int]
    independences: int
    contradictions: int
    neglects: int
    findings: dict[str, int]
    best_val: float | None
    best: tuple[Best, ...]


def total(runs: Iterable[RunAnalysis]) -> Totals:
    """Count a set of runs."""
    found = list(runs)
    agents = [agent for run in found for agent in run.agents]
    comparisons = [item for run in found for item in run.comparisons]
    scores = [agent.best_val for agent in agents if agent.best_val is not None]
    best_val = max(scores, default=None)
    return Totals(
        runs=len(found),
        agents=len(agents),
        generations=sum(agent.efficiency.generations for agent in agents),
        adoptions=_count(f"{e.rule} {e.verdict}" for run in found for e in run.adoptions),
        agreed=sum(not item.why for item in comparisons),
        disagreed=sum(bool(item.why) for item in comparisons),
        crashes=sum(len(run.crashes) for run in found),
        transfers=_count(f"{t.kind} {t.basis}" for run in found for t in run.transfers),
        independences=sum(len(run.independences) for run in found),
        contradictions=sum(len(run.contradictions) for run in found),
        neglects=sum(len(run.neglects) for run in found),
        findings={kind: _found(found, kind) for kind in KINDS},
        best_val=best_val,
        best=tuple(_best(found, best_val)),
    )


def _found(runs: Iterable[RunAnalysis], kind: str) -> int:
    return sum(len(getattr(run.findings, kind)) for run in runs)


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _best(runs: list[RunAnalysis], best_val: float | None) -> Iterable[Best]:
    for run in runs:
        for agent in run.agents:
            if best_val is not None and agent.best_val == best_val:
                yield Best(run.pairing, run.seed, agent.name, agent.best_generation)
