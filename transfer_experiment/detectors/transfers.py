"""What went over from a peer that was read: results, methodology, or nothing.

For a generation that read a strategy (host-observed):

- *results*: telling lines of the peer's task agent came in that the agent never had;
- *methodology*, by code: the same of its meta agent, the code that makes the changes;
- *methodology*, by words: no line came in, the code changed, and the agent says (claimed) that it
  took an idea from there, without a "not", "instead" or the like in that sentence;
- *informed independence*: none of these, though the peer had lines to give, and the task agent
  changed: it knew, and went its own way.

Source: docs/reference/analysis.md.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from transfer_experiment.adoption.causal_rule import Seen, Step
from transfer_experiment.adoption.lineage import Lineage, lines_of
from transfer_experiment.turns.evidence import Evidence

_IDEA = re.compile(
    r"\b(?:adopt|borrow|tak(?:e|en|ing)|took|port(?:ed|ing)|cop(?:y|ied)|incorporat|integrat|reus"
    r"|inspired|idea|approach|technique|based on|learn(?:ed|t)? from|follow(?:ed|ing))",
    re.I,
)
_TURNED_DOWN = re.compile(
    r"\b(?:not|no|never|nothing|none|instead|rather|unlike|worse|weaker|ignor|own way)\b|n't\b",
    re.I,
)


class Transfer(msgspec.Struct, frozen=True):
    """Something that went over from a peer.

    Attributes:
        agent: Who took it.
        peer: From whom.
        generation: When.
        strategy: Which strategy, by its path.
        kind: `results` (of the task agent) or `methodology` (of how to change code).
        basis: `code`: lines came in; `words`: only the agent says so.
        lines: How many telling lines came in.
        evidence: Where it was read, or what the agent says.
    """

    agent: str
    peer: str
    generation: int
    strategy: str
    kind: Literal["results", "methodology"]
    basis: Literal["code", "words"]
    lines: int
    evidence: tuple[Evidence, ...]


class Independence(msgspec.Struct, frozen=True):
    """A generation that read a peer's strategy and went its own way.

    Attributes:
        agent: Who.
        peer: Whose strategy it read.
        generation: When.
        strategy: Which strategy, by its path.
        score_before: The agent's validation score at its previous generation.
        score_after: Its validation score at this one.
        evidence: Where it was read.
    """

    agent: str
    peer: str
    generation: int
    strategy: str
    score_before: float | None
    score_after: float | None
    evidence: tuple[Evidence, ...]


class Lineages:
    """Where the lines of an agent's two files came from."""

    def __init__(self, task: Lineage) -> None:
        self.task = task
        self.meta = Lineage()

    def came_in(self, step: Step, seen: Seen) -> tuple[int, int]:
        """Telling lines of a strategy's task agent and meta agent that came in with a step."""
        task = self.task.from_peer(step.text or "", lines_of(seen.text))
        meta = self.meta.from_peer(step.meta or "", lines_of(seen.meta))
        return len(task), len(meta)

    def gives(self, seen: Seen) -> bool:
        """Whether a strategy has telling lines that the agent never had."""
        return self.task.gives(lines_of(seen.text)) or self.meta.gives(lines_of(seen.meta))


def find_transfers(agent: str, previous: Step, step: Step, known: Lineages) -> Iterator[Transfer]:
    """Find what went over in a step, before the step is taken into the lineages."""
    for seen in _read(agent, step):
        task, meta = known.came_in(step, seen)
        place = (agent, seen.peer, step.generation, seen.strategy)
        if task:
            yield Transfer(*place, "results", "code", task, seen.evidence)
        if meta:
            yield Transfer(*place, "methodology", "code", meta, seen.evidence)
        if not (task or meta) and _changed(previous, step) and (said := _ideas(seen)):
            yield Transfer(*place, "methodology", "words", 0, said)


def find_independence(
    agent: str, previous: Step, step: Step, known: Lineages
) -> Iterator[Independence]:
    """Find the strategies that a step read and took nothing of."""
    for seen in _read(agent, step) if step.text != previous.text else ():
        if known.gives(seen) and known.came_in(step, seen) == (0, 0) and not _ideas(seen):
            yield Independence(
                agent=agent,
                peer=seen.peer,
                generation=step.generation,
                strategy=seen.strategy,
                score_before=previous.val_score,
                score_after=step.val_score,
                evidence=tuple(item for item in seen.evidence if item.rank == "host-observed"),
            )


def _read(agent: str, step: Step) -> Iterator[Seen]:
    """The strategies of peers that a step was observed to read, where its code is known."""
    if step.text is not None:
        yield from (seen for seen in step.seen if seen.peer != agent and seen.was_read)


def _changed(previous: Step, step: Step) -> bool:
    return (previous.text, previous.meta) != (step.text, step.meta)


def _ideas(seen: Seen) -> tuple[Evidence, ...]:
    return tuple(
        found
        for found in seen.evidence
        if found.rank == "claimed"
        and _IDEA.search(found.quote)
        and not _TURNED_DOWN.search(found.quote)
    )
