"""Adoption by the causal rule: what was in sight, was read, and came into the code.

For agent A at generation g and a strategy B that was materialized for it:
d_own = distance to A's previous code, d_peer = distance to B's code, ratio = d_peer over their
sum. Source of both: docs/reference/analysis.md. Below 0.4 the code went towards the peer; it
counts as adopted if A read B in that generation and lines came in that only B had. A can also take
B whole when it has had those lines from there before: then they count again, if A read B again and
opened no version of its own.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from transfer_experiment.adoption.lineage import Lineages, LineCounts, lines_of
from transfer_experiment.similarity.moves import THRESHOLD, Moves
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.evidence import Evidence

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
        peer_lines: Telling lines that came in from the peer alone.
        rule: Which rule found it.
        verdict: adopted, inspired (read, little code), coincident (similar, not from there), or
            unproven (as adopted, but there is no trace that could tell of reading).
        evidence: Where it was read, and what the agent said of it.
        lines: Lines of this generation's code by origin.
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
    rule: Rule
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    lines: LineCounts = LineCounts(0, 0, 0)
    valid: bool = True


class CausalJudge:
    """Judges the generations of one agent, one after the other; each costs the same.

    Attributes:
        agent: Whose generations.
        lineages: The lines that the agent's code had so far.
        previous: The last generation that was taken in; None before the first.
    """

    def __init__(self, agent: str, moves: Moves | None = None) -> None:
        self.agent = agent
        self.lineages = Lineages()
        self.previous: TurnCode | None = None
        self._moves = moves or Moves()

    def judge(self, code: TurnCode) -> list[Adoption]:
        """Judge a generation against each peer's strategy in sight, before it is taken in.

        The agent's own past, shown as a strategy, is nothing that it could adopt.
        """
        previous = self.previous
        if code.text is None or previous is None:
            return []
        peers = (seen for seen in code.seen if seen.peer != self.agent)
        judged = (self._judge(previous, code, seen) for seen in peers)
        return [event for event in judged if event is not None]

    def take(self, code: TurnCode) -> None:
        """Take a generation in; one without code is passed over."""
        self.lineages.take(code)
        if code.text is not None:
            self.previous = code

    def _judge(self, previous: TurnCode, code: TurnCode, seen: SeenStrategy) -> Adoption | None:
        text, own = code.text or "", previous.text or ""
        lineage, peer = self.lineages.task, lines_of(seen.text)
        peer_lines = len(lineage.from_peer(text, peer))
        was_taken = seen.was_read and peer_lines > 0
        measure = self._moves.whole if was_taken else self._moves.below
        measured = measure(text, own, seen.text)
        if measured is None:
            return None
        if text == seen.text and seen.was_read and not peer_lines and not code.went_back:
            peer_lines = len(lineage.owed(text, peer))
            was_taken = peer_lines > 0
        verdict: Verdict = "unproven" if code.trace_problem and peer_lines else "coincident"
        if was_taken:
            verdict = "adopted" if measured.ratio < THRESHOLD else "inspired"
        return Adoption(
            agent=self.agent,
            peer=seen.peer,
            generation=code.generation,
            strategy=seen.strategy,
            **measured._asdict(),
            score_before=previous.val_score,
            score_after=code.val_score,
            peer_lines=peer_lines,
            rule="causal",
            verdict=verdict,
            evidence=seen.evidence,
            lines=lineage.count(text, peer),
        )


def adopted(events: Iterable[Adoption]) -> list[Adoption]:
    """Keep the events whose verdict is `adopted`."""
    return [event for event in events if event.verdict == "adopted"]
