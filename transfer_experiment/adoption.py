"""Adoption by the causal rule: what was in sight, was read, and came into the code.

For agent A at generation g and a strategy B that was materialized for it:
d_own = distance to A's previous code, d_peer = distance to B's code, ratio = d_peer over their
sum. Source of both: docs/run-layout.md. Below 0.4 the code went towards the peer; it
counts as adopted if A read B in that generation and lines came in that only B had.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from transfer_experiment.evidence import Evidence
from transfer_experiment.similarity import THRESHOLD, move, move_below

Verdict = Literal["adopted", "inspired", "coincident"]


class Seen(msgspec.Struct, frozen=True):
    """A strategy that was in sight of a generation.

    Attributes:
        peer: Who published it.
        strategy: Its folder name below `strategies/`.
        text: Its task agent.
        evidence: Where the agent read it; empty if it did not.
    """

    peer: str
    strategy: str
    text: str
    evidence: tuple[Evidence, ...]


class Step(msgspec.Struct, frozen=True):
    """One generation of one agent, as the analysis needs it.

    Attributes:
        generation: Its number.
        text: Its task agent; None when it is missing.
        val_score: Validation score; None when it was not evaluated.
        seen: Strategies that were in sight.
    """

    generation: int
    text: str | None
    val_score: float | None
    seen: tuple[Seen, ...] = ()


class Adoption(msgspec.Struct, frozen=True):
    """A move of one agent's code towards a peer's strategy, with its evidence.

    Attributes:
        agent: Who moved.
        peer: Towards whom.
        generation: When.
        strategy: Which strategy, by folder name.
        ratio: d_peer / (d_own + d_peer); 0 is a pure copy.
        d_own: Distance to the agent's previous code.
        d_peer: Distance to the strategy.
        score_before: The agent's validation score at its previous generation.
        score_after: Its validation score at this one.
        peer_lines: Lines that came in from the peer alone.
        rule: Which rule found it.
        verdict: adopted, inspired (read, little code) or coincident (similar, not from there).
        evidence: Where it was read.
        valid: False from the generation on in which a recorded agent of the run was asked
            something else than in its record: it no longer reacts to what it sees.
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
    rule: Literal["causal"]
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    valid: bool = True


class Judge:
    """Judges the generations of one agent one by one, in order."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._previous: Step | None = None
        self._own_lines: set[str] = set()

    def take(self, step: Step) -> list[Adoption]:
        """Judge every strategy in sight of the next generation."""
        if step.text is None:
            return []
        previous, found = self._previous, list[Adoption | None]()
        if previous is not None:
            found = [self._judge(previous, step, seen) for seen in step.seen]
        self._own_lines.update(_lines(step.text))
        self._previous = step
        return [event for event in found if event is not None]

    def _judge(self, previous: Step, step: Step, seen: Seen) -> Adoption | None:
        return _judge(self._agent, previous, step, seen, self._own_lines)


def find_adoptions(agent: str, steps: Sequence[Step]) -> list[Adoption]:
    """Judge every strategy in sight of every generation, in order."""
    judge = Judge(agent)
    return [event for step in steps for event in judge.take(step)]


def _judge(
    agent: str, previous: Step, step: Step, seen: Seen, own_lines: set[str]
) -> Adoption | None:
    text, own = step.text or "", previous.text or ""
    peer_lines = _count_from_peer(text, seen.text, own_lines)
    was_taken = bool(seen.evidence) and peer_lines > 0
    measured = (move if was_taken else move_below)(text, own, seen.text)
    if measured is None:
        return None
    return Adoption(
        agent=agent,
        peer=seen.peer,
        generation=step.generation,
        strategy=seen.strategy,
        ratio=measured.ratio,
        d_own=measured.d_own,
        d_peer=measured.d_peer,
        score_before=previous.val_score,
        score_after=step.val_score,
        peer_lines=peer_lines,
        rule="causal",
        verdict=_verdict(measured.ratio, was_taken=was_taken),
        evidence=seen.evidence,
    )


def _verdict(ratio: float, *, was_taken: bool) -> Verdict:
    """Name a move: below the threshold, or with lines of a peer that was read."""
    if not was_taken:
        return "coincident"
    return "adopted" if ratio < THRESHOLD else "inspired"


def _count_from_peer(text: str, peer: str, own_lines: set[str]) -> int:
    """Count the lines that stand in the peer's code and in none of the agent's earlier ones."""
    from_peer = _lines(peer) - own_lines
    return sum(line in from_peer for line in map(str.strip, text.splitlines()))


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def adopted(events: Iterable[Adoption]) -> list[Adoption]:
    """Keep the events whose verdict is `adopted`."""
    return [event for event in events if event.verdict == "adopted"]
