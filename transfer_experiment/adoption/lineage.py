"""Where each line of an agent's code came from: from a peer, from its own past, or new.

A line is a line of text without the space around it; empty ones have no origin. A line is

- *own* if it stood in an earlier generation of the agent;
- *from a peer* if it did not, and stands in a strategy that was in sight;
- *new* otherwise.

A line keeps the origin that it first came in with. Lines of fewer than two words and three tokens
(`else:`, `)`, `import os`) say nothing of where they are from: they are *not telling*, and no
evidence of anything.
"""

from collections.abc import Set
from typing import NamedTuple

import msgspec

from hyperspace.runs.records import RunAgent
from transfer_experiment.similarity.cache import whole_lines
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.lines import (
    distinct_lines,
    is_telling,
    lines_beyond,
    lines_of,
    stripped,
)


class Origin(NamedTuple):
    """Where a line came from.

    Attributes:
        generation: In which generation of the agent it came in.
        strategy: Folder of the peer's strategy that it was taken from; empty if it was new.
    """

    generation: int
    strategy: str


class LineCounts(msgspec.Struct, frozen=True):
    """How many lines of a generation's code are of which origin."""

    peer: int
    own: int
    new: int


class LabelledLine(NamedTuple):
    """One line of code as it stands, with its origin; None for an empty line."""

    text: str
    origin: Origin | None


class Lineage:
    """The lines that an agent's code ever had, as its generations are taken in."""

    def __init__(self) -> None:
        self._origins: dict[str, Origin] = {}
        self._previous = ""
        self._new_of: tuple[str, list[str]] = ("", [])

    def __contains__(self, line: str) -> bool:
        return line in self._origins

    @property
    def lines(self) -> Set[str]:
        """All lines that it ever had."""
        return self._origins.keys()

    def from_peer(self, text: str, peer_lines: frozenset[str]) -> list[str]:
        """The telling lines of a text that stand in a peer's code and never stood in the own."""
        return [line for line in self._new(text) if line in peer_lines and is_telling(line)]

    def owed(self, text: str) -> list[str]:
        """The telling lines of a text that first came from a peer, each once."""
        return [
            line
            for line in dict.fromkeys(stripped(text.splitlines()))
            if (origin := self._origins.get(line)) is not None
            and origin.strategy
            and is_telling(line)
        ]

    def gives(self, peer_lines: frozenset[str]) -> bool:
        """Return True if a peer's code has a telling line that the own never had."""
        return any(line not in self._origins and is_telling(line) for line in peer_lines)

    def count(self, text: str, peer_lines: frozenset[str]) -> LineCounts:
        """Count the lines of a text by origin, before it is taken in."""
        there = sum(bool(line and not line.isspace()) for line in whole_lines(text))
        new = self._new(text)
        peer = sum(line in peer_lines for line in new)
        return LineCounts(peer, there - len(new), len(new) - peer)

    def take(self, generation: int, text: str, seen: dict[str, frozenset[str]]) -> None:
        """Take in a generation's code.

        Args:
            generation: Its number.
            text: The code.
            seen: Lines of each strategy that was in sight, by its folder.
        """
        if distinct_lines(text) == distinct_lines(self._previous):
            return
        new = dict.fromkeys(self._new(text), Origin(generation, ""))
        for name, lines in reversed(seen.items()):  # of several the first counts
            new.update(dict.fromkeys(new.keys() & lines, Origin(generation, name)))
        self._origins |= new
        self._previous = text
        self._new_of = ("", [])

    def _new(self, text: str) -> list[str]:
        """The lines of a text that never stood in the own code, stripped, as often as they stand.

        What stood in the previous generation is left out before it is looked at more closely.
        """
        if self._new_of[0] != text:
            changed = lines_beyond(text, self._previous)
            new = [line for line in stripped(changed) if line not in self._origins]
            self._new_of = (text, new)
        return self._new_of[1]

    def label(self, text: str) -> list[LabelledLine]:
        """Give each line of a text that was taken in its origin."""
        return [LabelledLine(line, self._origins.get(line.strip())) for line in text.splitlines()]


class Lineages:
    """Where the lines of an agent's two files came from."""

    def __init__(self) -> None:
        self.task = Lineage()
        self.meta = Lineage()

    def had(self, line: str) -> bool:
        """Return True if a line ever stood in one of them."""
        return line in self.task or line in self.meta

    def came_in(self, code: TurnCode, seen: SeenStrategy) -> tuple[int, int]:
        """Count a strategy's telling lines that came in: of its task agent, of its meta agent."""
        task = self.task.from_peer(code.text or "", lines_of(seen.text))
        meta = self.meta.from_peer(code.meta or "", lines_of(seen.meta))
        return len(task), len(meta)

    def gives(self, seen: SeenStrategy) -> bool:
        """Return True if a strategy has telling lines that the agent never had."""
        return self.task.gives(lines_of(seen.text)) or self.meta.gives(lines_of(seen.meta))

    def take(self, code: TurnCode) -> None:
        """Take in a generation's code, if its task agent is there."""
        if code.text is not None:
            seen_lines = {seen.strategy: lines_of(seen.text) for seen in code.seen}
            self.task.take(code.generation, code.text, seen_lines)
            self.meta.take(code.generation, code.meta or "", {})


def labelled_source(agent: RunAgent, generation: int) -> list[LabelledLine]:
    """Label the lines of a generation's task agent; empty if its text is missing.

    Args:
        agent: Whose.
        generation: Which; every generation before it is read.
    """
    lineage = Lineage()
    text: str | None = None
    for turn in agent.generations:
        if turn.generation > generation:
            break
        text = turn.task.read()
        if text is not None:
            peers = [seen for seen in turn.seen if seen.peer != agent.name]
            seen = {seen.folder: lines_of(seen.task.read() or "") for seen in peers}
            lineage.take(turn.generation, text, seen)
    return [] if text is None else lineage.label(text)
