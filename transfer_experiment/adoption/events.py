"""An adoption, as every output has it."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from transfer_experiment.adoption.lineage import LineCounts
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.path_step import PathStep

Verdict = Literal["adopted", "inspired", "coincident", "unproven"]
Rule = Literal["published", "causal"]


class Adoption(msgspec.Struct, frozen=True):
    """A move of one agent's code towards a peer's strategy, with its evidence.

    Attributes:
        agent: Who moved.
        peer: Towards whom.
        generation: When.
        strategy: Which strategy, by its path.
        ratio: d_peer / (d_own + d_peer); 0 is a pure copy.
        d_own: Distance to the agent's previous code.
        d_peer: Distance to the strategy.
        score_before: The agent's validation score at its previous generation.
        score_after: Its validation score at this one.
        peer_lines: Telling lines that came in and stand in this strategy, and not by a path from
            another one.
        rule: Which rule found it.
        verdict: adopted, inspired (a path, and little code or other words), coincident (similar,
            and observed to have no path), or unproven (similar, and observations are missing).
        evidence: Where it was read, and what the agent said of it.
        lines: Lines of this generation's code by origin.
        valid: False from the generation on in which a recorded agent of the run was asked
            something else than in its record: it no longer reacts to what it sees.
        path: Of one line, how it came in; empty where none is known.
    """

    agent: str
    peer: str
    generation: int
    strategy: str
    ratio: float
    d_own: float
    d_peer: float
    score_before: float | None
    score_after: float | None
    peer_lines: int
    rule: Rule
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    lines: LineCounts = LineCounts(0, 0, 0)
    valid: bool = True
    path: tuple[PathStep, ...] = ()


def adopted(events: Iterable[Adoption]) -> list[Adoption]:
    """Keep the events whose verdict is `adopted`."""
    return [event for event in events if event.verdict == "adopted"]


def in_order(events: Iterable[Adoption]) -> list[Adoption]:
    """Sort events by generation, agent, strategy and rule."""
    return sorted(events, key=lambda e: (e.generation, e.agent, e.strategy, e.rule))
